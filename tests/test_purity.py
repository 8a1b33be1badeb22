"""The regulations run on the standard library alone, so that anybody can recompute a list for decades."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def imported_names(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def test_the_rules_import_the_standard_library_and_themselves_only() -> None:
    rules = [*(ROOT / "ratings/rulesets").rglob("*.py"), ROOT / "ratings/replay.py"]
    strangers = {
        (str(path.relative_to(ROOT)), name)
        for path in rules
        if "tests" not in path.parts and path.exists()
        for name in imported_names(path)
        if name.split(".")[0] not in sys.stdlib_module_names and not name.startswith("ratings.rulesets")
    }
    assert strangers == set()
