"""One name for one thing: what the names of classes and the first words of docstrings keep to."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PRODUCT = ("federation_site", "players", "ratings", "tournaments")

TWO_FORMS = {
    # what the rules are told, and the row that the office keeps of the same thing
    *("Federation", "Player", "Section", "Entry", "Game", "Bye"),
    # what the rules or the log's arithmetic make, and the row that keeps it
    *("Standing", "Change", "Finding", "Checkpoint"),
}
NAMED_BY_DJANGO = {"Command"}


def modules() -> Iterator[Path]:
    """The product's modules, without tests and migrations."""
    for package in PRODUCT:
        for path in sorted((ROOT / package).rglob("*.py")):
            if not {"tests", "migrations"}.intersection(path.relative_to(ROOT).parts):
                yield path


def law_of(path: Path) -> str:
    """The ruleset whose edition the module belongs to; empty elsewhere. No ruleset imports another."""
    parts = path.relative_to(ROOT).parts
    return parts[2] if parts[1] == "rulesets" and parts[3:] and parts[3].startswith("edition_") else ""


def test_a_class_has_a_name_of_its_own_unless_it_is_the_same_thing_in_another_form() -> None:
    places: defaultdict[str, list[Path]] = defaultdict(list)
    for path in modules():
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef):
                places[node.name].append(path)
    shared = {
        name: [str(path.relative_to(ROOT)) for path in paths]
        for name, paths in places.items()
        if len(paths) > 1 and len({law_of(path) for path in paths} - {""}) != len(paths)
    }
    assert {name: shared[name] for name in shared if name not in TWO_FORMS | NAMED_BY_DJANGO} == {}
    assert set(shared) >= TWO_FORMS


RIDDLES = re.compile(
    r"(What|Of|Whose|Whom|Who|Whoever|Whichever|Whatever|Which|Where|When|Why|How|That|So|Those|There|Not"
    r"|Somebody|Nobody|Nothing|It|Its|They)\b"
)
"""First words that promise no noun and no verb: the reader has to finish the sentence to know its subject."""


def docstrings(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """All docstrings with their lines: of modules, classes and functions, and below constants and fields."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            for each in node.body[:1] if isinstance(node, ast.FunctionDef) else node.body:
                match each:
                    case ast.Expr(ast.Constant(str(text))):
                        yield each.lineno, text


def test_a_docstring_opens_with_a_noun_or_a_verb() -> None:
    riddles = [
        f"{path.relative_to(ROOT)}:{line}: {text.splitlines()[0]}"
        for path in modules()
        for line, text in docstrings(ast.parse(path.read_text("utf-8")))
        if RIDDLES.match(text.removeprefix(citation(text)))
    ]
    assert riddles == []


def test_a_function_s_docstring_says_more_than_the_clause_that_it_cites() -> None:
    bare = [
        f"{path.relative_to(ROOT)}:{node.lineno}: {text}"
        for path in modules()
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef) and (text := ast.get_docstring(node))
        if not text.removeprefix(citation(text)).strip(" .")
    ]
    assert bare == []


def citation(text: str) -> str:
    """The clauses and readings that a docstring cites before its first word."""
    found = re.match(r"((§[\d.]+|D-[A-Z0-9-]+)[ ,–]*)+:? *", text)
    return found[0] if found else ""


@pytest.mark.parametrize("text", ["What the fold made.", "§47 §68: Of the games.", "D-CSA-9: whose"])
def test_a_riddle_is_found_behind_citations_too(text: str) -> None:
    assert RIDDLES.match(text.removeprefix(citation(text)).capitalize())
    assert not RIDDLES.match("§47: the change.".removeprefix("§47: "))
