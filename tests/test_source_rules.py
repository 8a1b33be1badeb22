"""Ways of writing a program by which a stranger's text becomes code, a command or a query: none is here.

Each is looked for in the syntax of every module of the product, its tests apart.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
APPS = ("federation_site", "players", "ratings", "tournaments")
INVENTING = re.compile(r"ratings/(demo/|lab\.py|rulesets/(\w+/)?demo\.py)")
"""Modules that invent a demo or draw lots of sections, from a seed, so that everybody has the same."""


@dataclass(frozen=True)
class Source:
    """What a module imports and calls: `eval`, `os.system`, `hashlib.md5` …; each call with its keywords."""

    path: str
    imported: set[str]
    calls: list[tuple[str, set[str | None]]]

    @classmethod
    def read(cls, path: Path) -> Source:
        nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
        calls = [
            (ast.unparse(node.func), {keyword.arg for keyword in node.keywords})
            for node in nodes
            if isinstance(node, ast.Call)
        ]
        return cls(str(path.relative_to(ROOT)), {name for node in nodes for name in names_of(node)}, calls)

    def calling(self, wanted: Callable[[str], object]) -> list[tuple[str, str]]:
        return [(self.path, name) for name, _keywords in self.calls if wanted(name)]


def names_of(node: ast.AST) -> set[str]:
    """The names that an import brings in; none of any other node."""
    if isinstance(node, ast.Import):
        return {each.name for each in node.names}
    if isinstance(node, ast.ImportFrom):
        return {f"{node.module}.{each.name}" for each in node.names} | {str(node.module)}
    return set()


@cache
def modules() -> list[Source]:
    return [
        Source.read(path)
        for app in APPS
        for path in sorted((ROOT / app).rglob("*.py"))
        if not {"tests", "migrations"} & set(path.parts)
    ]


def calling(wanted: Callable[[str], object]) -> list[tuple[str, str]]:
    """Each call of the product whose name is wanted: module and name."""
    return [found for source in modules() for found in source.calling(wanted)]


def importing(names: set[str]) -> list[str]:
    return [source.path for source in modules() if source.imported & names]


@pytest.mark.long
def test_no_text_is_run_as_code() -> None:
    code = {"eval", "exec", "compile", "__import__", "builtins.eval", "builtins.exec"}
    # An edition's own source, again with other numbers; a draft's rules, where somebody says `lab --trust`.
    law = {"ratings/rulesets/parameters.py", "ratings/rulesets/drafts.py"}
    assert {path for path, _name in calling(code.__contains__)} == law


def test_no_command_goes_through_a_shell() -> None:
    shells = re.compile(r"os\.(system|popen|spawn\w*)|subprocess\.(getoutput|getstatusoutput)|\w+\.shell")
    found = [
        (source.path, name)
        for source in modules()
        for name, keywords in source.calls
        if shells.fullmatch(name) or "shell" in keywords
    ]
    assert found == []


def test_nothing_is_unpacked_into_objects_of_its_own_choosing() -> None:
    unpackers = {"pickle", "marshal", "shelve", "dill", "yaml", "jsonpickle"}
    found = importing(unpackers)
    assert found == ["federation_site/templates.py"]  # takes the name of a fault from there, nothing else
    assert "pickle.load" not in (ROOT / found[0]).read_text()


def test_no_digest_is_by_a_broken_function() -> None:
    broken = re.compile(r"hashlib\.(md5|sha1|new)|(md5|sha1)")
    assert calling(broken.fullmatch) == []


def test_chance_that_can_be_foretold_only_invents_demos() -> None:
    """A secret is drawn by `secrets`, `os.urandom` or `SystemRandom`."""
    foretold = {"random", "random.Random", "uuid.uuid1"}
    found = [path for path in importing(foretold) if not INVENTING.match(path)]
    assert [path for path in found if "SystemRandom" not in (ROOT / path).read_text()] == []


def test_no_markup_is_declared_safe() -> None:
    marks = {"mark_safe", "SafeString", "SafeText"}
    assert calling(marks.__contains__) == [
        ("players/display.py", "SafeString"),
        ("players/display.py", "SafeString"),
    ]  # fills places with escaped texts; joins parts that are safe, and refuses others
    loose = re.compile(r"\|\s*safe\b|autoescape\s+off|\|\s*safeseq\b")
    templates = (ROOT / "templates").rglob("*")
    assert [
        str(each) for each in templates if each.suffix == ".html" and loose.search(each.read_text())
    ] == []


def test_no_template_is_made_of_text_that_came_in() -> None:
    makers = {"Template", "template.Template", "engines", "Engine", "from_string"}
    found = {path for path, _name in calling(lambda name: name.split(".")[-1] in makers)}
    assert found == {"ratings/new_federation/__init__.py"}  # the sources that a developer asks for


def test_no_query_is_put_together_by_the_orm_s_raw_ways() -> None:
    raw = re.compile(r".*\.(raw|extra)|RawSQL")
    assert calling(raw.fullmatch) == []


def test_the_office_calls_no_other_address() -> None:
    """Mail, broker, database and Sentry have libraries of their own; no address that came in is asked."""
    callers = {"requests", "httpx", "urllib.request", "aiohttp", "http.client", "urllib3"}
    assert importing(callers) == [
        "federation_site/install.py",  # a newcomer's first start, before there is an office
        "federation_site/liveness.py",  # asks the program beside it, by the address in its command
        "ratings/witnesses.py",  # offers checkpoints to the witnesses that the operator named
    ]


def test_our_script_runs_no_text_and_writes_no_markup_but_the_page_s_own() -> None:
    dangerous = re.compile(
        r"\beval\(|new Function|document\.write|postMessage|outerHTML|insertAdjacentHTML|jsonp", re.I
    )
    for script in sorted((ROOT / "static/js").glob("*.js")):
        text = script.read_text()
        assert not dangerous.search(text), script.name
        for line in text.splitlines():
            if "innerHTML" in line:  # a row of a formset, from the empty form that the page brought along
                assert 'rows.querySelector("template").innerHTML' in line, script.name


def test_our_script_merges_no_objects_and_touches_no_prototype() -> None:
    merging = re.compile(
        r"Object\.(assign|setPrototypeOf|fromEntries)|__proto__|\.prototype\b|for \((const|let) \w+ in "
    )
    assert [each.name for each in (ROOT / "static/js").glob("*.js") if merging.search(each.read_text())] == []


def test_our_script_keeps_nothing_in_the_browser_but_a_theme_and_the_checkpoints_it_checked() -> None:
    kept = re.compile(r"(?:localStorage|sessionStorage)\.\w+\(\"(\w+)\"|indexedDB|document\.cookie")
    found = {
        match for script in (ROOT / "static/js").glob("*.js") for match in kept.findall(script.read_text())
    }
    assert found == {"theme", "checkpoints"}
