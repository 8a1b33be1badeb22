"""What becomes of a template's layout, and of what it showed."""

import gc
import weakref
from collections.abc import Iterator

import pytest
from django.template import TemplateDoesNotExist, engines
from django.template.loader import get_template
from django.test import RequestFactory

from federation_site.templates import INDENTATION, PageTemplate, PageTemplates


def source_of(name: str) -> str:
    return str(get_template(name).template.source)  # type: ignore[attr-defined]


def test_a_page_is_sent_without_its_indentation_and_empty_lines() -> None:
    assert not INDENTATION.search(source_of("base.html"))
    assert "\n<body>\n" in source_of("base.html")


def test_a_letter_keeps_its_lines() -> None:
    assert "\n\n" in source_of("players/invitation.txt")


class Row:
    """Something that a page shows."""


def of_source(source: str) -> PageTemplate:
    django = engines["django"]
    assert isinstance(django, PageTemplates)
    return PageTemplate(django.engine.from_string(source), django)


def test_every_page_s_template_lets_go() -> None:
    assert isinstance(get_template("base.html"), PageTemplate)


@pytest.fixture
def uncollected() -> Iterator[None]:
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("uncollected")
def test_what_a_page_showed_is_let_go_without_the_garbage_collector() -> None:
    shown = {"row": Row()}
    row = weakref.ref(shown["row"])
    template = of_source("{% with again=row %}{{ again }}{% endwith %}")
    assert "Row object" in template.render(shown, RequestFactory().get("/"))
    del shown
    assert row() is None


def test_a_page_whose_part_is_missing_says_which() -> None:
    template = of_source('{% include "no/such.html" %}')
    with pytest.raises(TemplateDoesNotExist, match=r"no/such\.html") as raised:
        template.render({}, None)
    assert raised.value.backend is engines["django"]
