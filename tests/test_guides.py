"""Each language has the same guides, which say what that language's pages say and lead to what is there."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import polib
import pytest

ROOT = Path(__file__).resolve().parent.parent
GUIDES = ROOT / "docs/guides"
LANGUAGES = sorted(folder.name for folder in GUIDES.iterdir() if folder.is_dir())
"""The languages whose guides are written: English, after which the others are, among them."""
TRANSLATED = [language for language in LANGUAGES if language != "en"]
NAMES = ("administrator.md", "official.md", "public.md")
PAGES = [
    *(GUIDES / language / name for language in LANGUAGES for name in NAMES),
    *sorted(ROOT.glob("*.md")),
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "ratings/rulesets").glob("*/README.md")),
]
LABEL = re.compile(r"(?<!\*)\*([^*]+)\*(?!\*)")


def headings(document: Path) -> list[str]:
    """The marks of a document's headings in their order, without the words."""
    return re.findall(r"^#+(?= )", document.read_text(), re.MULTILINE)


def anchors(document: Path) -> set[str]:
    """The names by which links reach a document's headings."""
    words = re.findall(r"^#+ (.+)$", document.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", each.lower()).replace(" ", "-") for each in words}


@cache
def words_of_pages(language: str) -> set[str]:
    """All that the pages say in a language, each message by itself."""
    sources = [ROOT / "locale", *(ROOT / "ratings/rulesets").glob("*/locale")]
    catalogues = [
        source / ("ru" if language == "en" else language) / "LC_MESSAGES/django.po" for source in sources
    ]
    entries = [entry for catalogue in catalogues for entry in polib.pofile(str(catalogue))]
    return {entry.msgid if language == "en" else entry.msgstr for entry in entries}


def labels(document: Path) -> Iterator[str]:
    """The words that a guide gives as those of a page; the first of them only shows how they look."""
    text = re.sub(r"\s+", " ", document.read_text())
    return (each.group(1) for each in list(LABEL.finditer(text))[1:])


def test_the_guides_are_there_in_english() -> None:
    assert "en" in LANGUAGES


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_has_the_same_guides(language: str) -> None:
    assert sorted(path.name for path in (GUIDES / language).iterdir()) == sorted(NAMES)


@pytest.mark.parametrize("language", TRANSLATED)
@pytest.mark.parametrize("name", NAMES)
def test_a_guide_has_the_headings_and_links_of_the_english_one(language: str, name: str) -> None:
    english, translated = GUIDES / "en" / name, GUIDES / language / name
    assert headings(translated) == headings(english)
    links = [sorted(re.findall(r"\]\(([^)]+)\)", each.read_text())) for each in (english, translated)]
    assert links[0] == links[1]


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_each_link_of_a_document_leads_to_a_file_and_a_heading_in_it(page: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    for link in re.findall(r"\]\(([^)]+)\)", text):
        file, _, heading = link.partition("#")
        if "://" not in link:
            target = page.parent / file if file else page
            assert target.exists(), link
            assert not heading or heading in anchors(target), link


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", NAMES)
def test_words_that_a_guide_gives_as_a_pages_are_that_pages(language: str, name: str) -> None:
    known = words_of_pages(language)
    assert [label for label in labels(GUIDES / language / name) if label not in known] == []


@pytest.mark.parametrize("language", TRANSLATED)
def test_each_language_of_the_guides_has_a_readme_that_leads_to_them_and_gives_the_two_commands(
    language: str,
) -> None:
    readme = (ROOT / f"README.{language}.md").read_text()
    wanted = ["python3 manage.py up", "python3 manage.py test"]
    wanted += [f"(docs/guides/{language}/{name})" for name in NAMES]
    assert [each for each in wanted if each not in readme] == []


def test_the_readme_leads_to_every_guide_and_to_the_readme_of_every_language() -> None:
    readme = (ROOT / "README.md").read_text()
    wanted = [f"(docs/guides/{language}/{name})" for language in LANGUAGES for name in NAMES]
    wanted += [f"(README.{language}.md)" for language in TRANSLATED]
    assert [each for each in wanted if each not in readme] == []
