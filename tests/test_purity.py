"""The regulations run on the standard library alone, so that anybody can recompute a list for decades."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PURE = ("law", "rulesets", "equipment")
OURS = tuple(f"ratings.{room}" for room in PURE)


def imported_names(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def test_the_rules_import_the_standard_library_and_themselves_only() -> None:
    rules = [path for room in PURE for path in (ROOT / "ratings" / room).rglob("*.py")]
    rules.append(ROOT / "ratings/proof/replay.py")
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
import ratings.replay
from ratings.rulesets import rulesets
assert len(rulesets()) >= 5
print(*(name for name in sys.modules if name.startswith("ratings")))
"""


def test_a_replay_loads_no_forms_no_layouts_and_no_demo() -> None:
    done = subprocess.run(
        [sys.executable, "-c", EVERYTHING], cwd=ROOT, capture_output=True, text=True, check=True
    )
    loaded = {part for name in done.stdout.split() for part in name.split(".")}
    assert {"ratings", "replay", "rulesets", "csa", "journal"} <= loaded
    office = {"equipment", "demo", "demo_tools", "downloads", "downloads_chess", "files", "forms", "pages"}
    assert loaded & (office | {"workbook"}) == set()


def test_the_journals_log_imports_the_standard_library_itself_and_cryptography_only() -> None:
    strangers = {
        name
        for path in (ROOT / "ratings/proof/log").rglob("*.py")
        for name in imported_names(path)
        if name.split(".")[0] not in sys.stdlib_module_names and not name.startswith("ratings.proof.log")
    }
    assert {name.split(".")[0] for name in strangers} == {"cryptography"}
