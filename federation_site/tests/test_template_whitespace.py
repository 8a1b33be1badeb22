"""What becomes of a template's layout."""

from django.template.loader import get_template

from federation_site.web.template_whitespace import INDENTATION


def source_of(name: str) -> str:
    return str(get_template(name).template.source)  # type: ignore[attr-defined]


def test_a_page_is_sent_without_its_indentation_and_empty_lines() -> None:
    assert not INDENTATION.search(source_of("base.html"))
    assert "\n<body>\n" in source_of("base.html")


def test_a_letter_keeps_its_lines() -> None:
    assert "\n\n" in source_of("players/invitation.txt")
