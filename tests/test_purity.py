"""The regulations run on the standard library alone, so that anybody can recompute a list for decades."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PURE = ("law", "rulesets", "equipment")
OURS = ("ratings.replay", *(f"ratings.{room}" for room in PURE))


def imported_names(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def test_the_rules_import_the_standard_library_and_themselves_only() -> None:
    rules = [path for room in PURE for path in (ROOT / "ratings" / room).rglob("*.py")]
    rules += [ROOT / "ratings/replay.py", ROOT / "ratings/lab.py"]
    strangers = {
        (str(path.relative_to(ROOT)), name)
        for path in rules
        if "tests" not in path.parts and path.exists()
        for name in imported_names(path)
        if name.split(".")[0] not in sys.stdlib_module_names and not name.startswith(OURS)
    }
    assert strangers == set()


EVERYTHING = """
import sys
import {program}
from ratings.rulesets import rulesets
assert len(rulesets()) >= 5
print(*(name for name in sys.modules if name.startswith("ratings")))
"""


@pytest.mark.parametrize("program", ["replay", "check", "lab"])
def test_a_program_for_strangers_loads_the_law_and_no_office_no_publication_and_no_demo(program: str) -> None:
    code = EVERYTHING.format(program=f"ratings.{program}")
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = {part for name in done.stdout.split() for part in name.split(".")}
    assert {"ratings", program, "rulesets", "csa", "journal"} <= loaded
    assert loaded & {"profile", "demo", "downloads", "forms", "pages", "workbook"} == set()


LOG_MODULES = ("transparency_log", "ed25519", "witness")


def test_the_journals_log_imports_the_standard_library_itself_and_cryptography_only() -> None:
    strangers = {
        name
        for path in (ROOT / f"ratings/{name}.py" for name in LOG_MODULES)
        for name in imported_names(path)
        if name.split(".")[0] not in sys.stdlib_module_names
        and name.removeprefix("ratings").removeprefix(".") not in ("", *LOG_MODULES)
    }
    assert {name.split(".")[0] for name in strangers} == {"cryptography"}


# ---------------------------------------------------------------- editions

DATED = re.compile(r"edition_(\d{4}|undated)")
EDITION = re.compile(r"edition_\w+")
SHARED = {"clauses", "messages", "standing"}
"""Modules that the editions of a federation share."""


def editions_in(federation: Path) -> list[str]:
    """A federation's editions, modules or packages, in the order of their years; undated rules come first."""
    places = [path for path in federation.glob("edition*") if path.suffix or (path / "__init__.py").exists()]
    found = [path.stem for path in places]
    return sorted(found, key=lambda name: (name != "edition_undated", name))


def editions_named(path: Path, federation: Path) -> set[str]:
    """The editions of its own federation that a module imports from, near (`..edition_…`) or in full."""
    here = ("ratings", "rulesets", *path.relative_to(federation.parent).parts)
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            near = ".".join(here[: len(here) - node.level]) if node.level else ""
            base = ".".join(filter(None, (near, node.module)))
            names = [f"{base}.{alias.name}" for alias in node.names]
        for name in names:
            parts = name.split(".")
            if federation.name in parts:
                found.update(
                    part for part in parts[parts.index(federation.name) :] if EDITION.fullmatch(part)
                )
    return found


def wrong_imports(federation: Path) -> list[str]:
    """What an edition imports of others than the one before it, and what the law imports of any."""
    editions, found = editions_in(federation), []
    for at, edition in enumerate(editions):
        allowed = set(editions[max(at - 1, 0) : at + 1])
        for path in sorted([*federation.glob(f"{edition}.py"), *(federation / edition).rglob("*.py")]):
            for name in sorted(editions_named(path, federation) - allowed):
                found.append(f"{path.relative_to(federation.parent)} imports {name}")
    for path in (path for path in sorted(federation.glob("*.py")) if path.stem in SHARED):
        for name in sorted(editions_named(path, federation)):
            found.append(f"{path.relative_to(federation.parent)} imports {name}")
    return found


def federations() -> list[Path]:
    folders = [*(ROOT / "ratings/rulesets").iterdir(), *(ROOT / "ratings/tests/amended").iterdir()]
    return sorted(folder for folder in folders if (folder / "__init__.py").exists())


of_each = pytest.mark.parametrize("federation", federations(), ids=lambda folder: folder.name)


@of_each
def test_an_edition_imports_itself_and_the_one_before_it_alone(federation: Path) -> None:
    assert editions_in(federation)
    assert wrong_imports(federation) == []


@of_each
def test_the_folder_of_an_edition_bears_its_year_or_says_that_the_text_has_none(federation: Path) -> None:
    assert [name for name in editions_in(federation) if not DATED.fullmatch(name)] == []


@pytest.fixture
def made_up(tmp_path: Path) -> Path:
    """A federation with an undated edition and two that amended it."""
    (tmp_path / "draughts" / "edition_2009").mkdir(parents=True)
    for path in ("edition_undated.py", "edition_2009/__init__.py", "edition_2027.py", "standing.py"):
        (tmp_path / "draughts" / path).touch()
    return tmp_path / "draughts"


@pytest.mark.parametrize(
    ("where", "source", "told"),
    [
        ("edition_2009/rating.py", "from ratings.rulesets.draughts.edition_undated import rating", None),
        ("edition_2027.py", "from ratings.rulesets.draughts.edition_2009.rating import K", None),
        ("edition_2009/rating.py", "from ratings.rulesets.draughts.edition_2009 import rating", None),
        ("edition_2027.py", "from .edition_2009 import rating", None),
        ("edition_2027.py", "from ratings.rulesets.draughts.standing import Standing", None),
        (
            "edition_2009/rating.py",
            "from ratings.rulesets.draughts.edition_2027 import rating",
            "edition_2027",
        ),
        ("edition_2009/rating.py", "import ratings.rulesets.draughts.edition_2027.rating", "edition_2027"),
        ("edition_2009/rating.py", "from ratings.rulesets.draughts import edition_2027", "edition_2027"),
        ("edition_2009/rating.py", "from .. import edition_2027", "edition_2027"),
        ("edition_undated.py", "def late():\n    from .edition_2009 import rating", "edition_2009"),
        ("edition_2027.py", "from ratings.rulesets.draughts.edition_undated import K", "edition_undated"),
        ("standing.py", "from .edition_2027 import K", "edition_2027"),
    ],
)
def test_an_import_of_a_later_edition_or_of_one_long_past_is_found(
    made_up: Path, where: str, source: str, told: str | None
) -> None:
    (made_up / where).write_text(f"{source}\n")
    assert wrong_imports(made_up) == ([f"draughts/{where} imports {told}"] if told else [])


def test_a_folder_without_a_year_is_found(made_up: Path) -> None:
    (made_up / "edition_new").mkdir()
    (made_up / "edition_new" / "__init__.py").touch()
    (made_up / "edition_left" / "__pycache__").mkdir(parents=True)  # as a checkout leaves what was moved
    assert [name for name in editions_in(made_up) if not DATED.fullmatch(name)] == ["edition_new"]
