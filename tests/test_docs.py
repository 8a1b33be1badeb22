"""What documents, docstrings and templates point at is there."""

import re
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
GUIDES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")]
DOCUMENTS = [
    *GUIDES,
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "ratings/rulesets").glob("*/README.md")),
]
PRODUCT = ("federation_site", "players", "ratings", "tournaments")
FOLDERS = (*PRODUCT, "benchmarks", "deploy", "docs", "static", "templates", "tests")
TREE = sorted(
    path.relative_to(ROOT).as_posix()
    for path in (*ROOT.glob("*.*"), *(path for folder in FOLDERS for path in (ROOT / folder).rglob("*")))
    if path.suffix != ".pyc" and path.name != "__pycache__"
)
SOURCES = sorted(
    ROOT / path
    for path in TREE
    if Path(path).suffix in (".py", ".html") and not {"tests", "migrations"} & set(Path(path).parts)
)
PLACEHOLDER = re.compile(r"[A-Z]{4,}|(?<=edition_)\d{4}")
"""A part of a name that the reader fills in: `SLUG`, and an edition's year."""


NO_MODULES = {"ratings.pyz", "ratings.example.org"}
"""The program that the site gives out, and the address of the documents' invented office."""


def is_there(path: str) -> bool:
    """Whether a file or folder has this path, or one that ends with it."""
    pattern = PLACEHOLDER.sub("*", path.removeprefix("/").removesuffix("/"))
    return any(fnmatch(each, pattern) or fnmatch(each, f"*/{pattern}") for each in TREE)


def is_known(dotted: str) -> bool:
    """Whether the modules of a dotted name are there, and the last of them has the name that follows."""
    place, parts = ROOT, dotted.split(".")
    while parts and (place / parts[0]).is_dir():
        place /= parts.pop(0)
    module = place / f"{parts.pop(0)}.py" if parts and (place / f"{parts[0]}.py").exists() else None
    source = (module or place / "__init__.py").read_text()
    return not parts or bool(re.search(rf"\b{parts[0]}\b", source))


def missing_places(text: str) -> Iterator[str]:
    """The files, folders and modules that a text names between backticks and that are not there."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    top = "|".join(FOLDERS)
    for word in re.findall(r"`([\w./-]+)`", text):
        if re.fullmatch(rf"(?:{top})/[\w./-]+|[\w/-]+\.(?:py|md)", word):
            known = is_there(word)
        elif re.fullmatch(rf"(?:{'|'.join(PRODUCT)})(?:\.[a-z]\w+)+(?:\.\w+)?", word):
            known = word in NO_MODULES or is_known(word)
        else:
            continue
        if not known:
            yield word


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_file_and_module_that_a_document_names_is_there(document: Path) -> None:
    assert list(missing_places(document.read_text())) == []


def test_every_file_and_module_that_a_docstring_comment_or_message_names_is_there() -> None:
    missing = {str(path.relative_to(ROOT)): list(missing_places(path.read_text())) for path in SOURCES}
    assert {path: places for path, places in missing.items() if places} == {}


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("`ratings/rulesets/ruleset.py` `rulesets/ruleset.py` `ruleset.py` `ratings/rulesets/`", []),
        ("`ratings/law/rulesets.py`", ["ratings/law/rulesets.py"]),
        ("`edition_YEAR/acceptance.py` `ratings/tests/SLUG_cases.py`", []),
        ("`edition_YEAR/accepting.py`", ["edition_YEAR/accepting.py"]),
        ("`ratings.rulesets.journal` `ratings.replay` `ratings.rulesets.journal.read_journal`", []),
        ("`ratings.rulesets.facts.diary`", ["ratings.rulesets.facts.diary"]),
        ("`ratings.rulesets.facts.RatedSection` `ratings.pyz`", []),
        ("`ratings.rulesets.facts.SectionAsRated`", ["ratings.rulesets.facts.SectionAsRated"]),
    ],
)
def test_a_name_of_yesterday_is_found(text: str, missing: list[str]) -> None:
    assert list(missing_places(text)) == missing


@pytest.mark.parametrize("document", DOCUMENTS[len(GUIDES) :], ids=lambda path: path.name)
def test_the_readme_leads_to_every_page_of_the_documents(document: Path) -> None:
    if document.parent.name == "docs":
        assert f"(docs/{document.name}" in (ROOT / "README.md").read_text()


@pytest.mark.parametrize(
    "room",
    sorted(
        f"{folder}/{path.name}"
        for folder in PRODUCT
        for path in (ROOT / folder).iterdir()
        if (path / "__init__.py").exists()
        and path.name not in {"tests", "migrations", "management", "templatetags"}
    ),
)
def test_the_picture_of_the_house_shows_every_room(room: str) -> None:
    picture, _walks = (ROOT / "docs/architecture.md").read_text().split("\n## Five ways")
    assert re.search(rf"\b{room.split('/')[1]}\b", picture)


def test_the_readme_gives_the_two_commands() -> None:
    readme = (ROOT / "README.md").read_text()
    assert "python3 manage.py up" in readme
    assert "python3 manage.py test" in readme


def test_documents_that_pages_letters_and_commands_name_are_there() -> None:
    """Their words stand in strings, where no backticks mark them."""
    named = {
        (path.relative_to(ROOT).as_posix(), document)
        for path in [*SOURCES, *ROOT.glob("locale/*/LC_MESSAGES/django.po"), ROOT / "docker-compose.yml"]
        for document in re.findall(r"\b(docs/[\w/-]+\.md)(?! of )", path.read_text())
    }
    assert len(named) > 20
    assert [f"{path}: {document}" for path, document in sorted(named) if not (ROOT / document).exists()] == []
