"""The program `ratings.pyz`: law and journal as one file that needs Python alone, for readers who check a
list. Here it is made out of the sources, each build that drew up a list is kept, and a kept build can be run
to check old lists. A hash over the sources of a law tells the rules of one program from those of another.
"""

from __future__ import annotations

import ast
import hashlib
import io
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from players.storage import unfinished_folder
from ratings.models import ProgramFile

if TYPE_CHECKING:
    from ratings.models import RatingList


# ---- Makes `ratings.pyz` out of the sources: the same sources give the same bytes, on any machine.
#
# The file holds everything that `ratings.replay` and `ratings.check` import, and every federation's law;
# nothing that only an office needs.
ROOT = Path(__file__).resolve().parents[1]
PLACES = (
    "ratings/__init__.py",
    "ratings/check.py",
    "ratings/replay.py",
    "ratings/program_entry.py",
    "ratings/transparency_log.py",
    "ratings/rulesets/**/*.py",
)
"""Patterns of the paths where the program's sources are found; modules that are not imported stay out."""
COMMANDS = ("ratings.replay", "ratings.check")
"""The modules that a reader runs, from which imports are followed."""
LAW = "ratings.rulesets"
ENTRY = "ratings/program_entry.py"
FIRST_LINE = b"#!/usr/bin/env python3\n"
THEN = (1980, 1, 1, 0, 0, 0)
"""The oldest date that a ZIP knows, given to every build so that its own day does not change the bytes."""
MODE = 0o100644 << 16
UNIX = 3


@dataclass(frozen=True, slots=True)
class Program:
    """One build of `ratings.pyz`: its version and its bytes."""

    version: str
    content: bytes

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.content).hexdigest()

    @property
    def name(self) -> str:
        return file_name(self.version, self.sha256)


def file_name(version: str, sha256: str) -> str:
    """The file name of a build; two builds never share one."""
    return f"ratings-{version}-{sha256[:8]}.pyz"


Sources = Mapping[str, bytes]
"""The bytes of source files by path from the project's root, with the same line ends everywhere."""


def read(root: Path) -> Sources:
    paths = sorted(path for place in PLACES for path in root.glob(place))
    return {path.relative_to(root).as_posix(): path.read_bytes().replace(b"\r\n", b"\n") for path in paths}


AT_START = read(ROOT)
"""The sources that this process runs on; if the files are exchanged later, they are another program."""


@cache
def current() -> Program:
    """The build of `ratings.pyz` from the sources that this process runs on."""
    version = version_of(ROOT)
    return Program(version, build(AT_START, version))


def version_of(root: Path) -> str:
    """The project's version, from its `pyproject.toml`."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return str(project["version"])


def build(sources: Sources, version: str) -> bytes:
    """The bytes of `ratings.pyz`. Nothing is compressed: other compressors would give other bytes."""
    parts = {path: sources[path] for path in modules(sources)}
    parts |= {"__main__.py": sources[ENTRY], "ratings/VERSION": f"{version}\n".encode()}
    file = io.BytesIO()
    file.write(FIRST_LINE)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name in sorted(parts):
            member = zipfile.ZipInfo(name, THEN)
            member.create_system, member.external_attr = UNIX, MODE
            archive.writestr(member, parts[name])
    return file.getvalue()


def modules(sources: Sources) -> set[str]:
    """The paths of the modules that the program needs: those that its commands and each federation's law
    import.
    """
    found: set[str] = set()
    waiting = [*COMMANDS, *laws(sources)]
    while waiting:
        name = waiting.pop()
        path = path_of(sources, name)
        if path is None or path in found:
            continue
        found.add(path)
        package = name if path.endswith("/__init__.py") else name.rpartition(".")[0]
        waiting += [name.rpartition(".")[0], *imported_names(sources[path], package)]
    return found


def laws(sources: Sources) -> Iterator[str]:
    """The names of the packages that hold a federation's law: `ratings.rulesets.csa`."""
    folder, inside = LAW.replace(".", "/"), "/__init__.py"
    for path in sources:
        slug = path.removeprefix(f"{folder}/").removesuffix(inside)
        if path == f"{folder}/{slug}{inside}" and "/" not in slug:
            yield f"{LAW}.{slug}"


def path_of(sources: Sources, name: str) -> str | None:
    """The path of the module of that name among the sources; None where it is none of ours."""
    base = name.replace(".", "/")
    return next((path for path in (f"{base}.py", f"{base}/__init__.py") if path in sources), None)


def imported_names(source: bytes, package: str) -> Iterator[str]:
    """The names of modules that a source may import, anywhere in it: of `from a import b` both `a` and `a.b`,
    as `b` may be a module. `package`: that from which relative imports count.
    """
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: 1 - node.level or None] if node.level else []
            module = ".".join([*above, *([node.module] if node.module else [])])
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)


# ---- Keeps each build of `ratings.pyz` that drew up a list, and finds kept ones by name.
def keep() -> Program:
    """Store this process's build of `ratings.pyz`, if it is not yet kept, in the transaction of the list that
    it draws up.
    """
    program = current()
    ProgramFile.objects.defer("content").get_or_create(
        sha256=program.sha256, defaults={"version": program.version, "content": program.content}
    )
    return program


def program_of(name: str) -> Program | None:
    """The build with that file name: the one that runs here or a kept one; None where there is no such."""
    if name == current().name:
        return current()
    short = name.removesuffix(".pyz").rpartition("-")[2]
    for kept in ProgramFile.objects.filter(sha256__startswith=short):
        program = Program(kept.version, bytes(kept.content))
        if program.name == name:
            return program
    return None


def drawn_by(rating_list: RatingList) -> tuple[str, str]:
    """The version and checksum of the build that drew a list up; this process's, for a list that
    names none.
    """
    if rating_list.program_sha256:
        return rating_list.program_version, rating_list.program_sha256
    return current().version, current().sha256


# ---- The hash of a program's rules, over the sources that a federation's law reaches.
#
# Comments, docstrings, layout and the version of Python do not count. Anything else does, such as a reworded
# message: whether another hash means other ratings is for a replay to say (`ratings.rules_change`).
READING = ("ratings.rulesets.journal", "ratings.rulesets.ruleset")
"""The modules beside a federation's own that work ratings and lists out of a journal."""
OURS = "ratings"


@cache
def rules_hash(slug: str) -> str:
    """The SHA-256, in hexadecimal, of the rules of a federation as this process runs them."""
    hashed = sha256()
    for name, source in sorted(sources_of(f"{LAW}.{slug}").items()):
        hashed.update(f"{name} {digest(source)}\n".encode())
    return hashed.hexdigest()


def sources_of(law: str) -> dict[str, bytes]:
    """The sources of a federation's law and of all that it and the journal's reading import, by module."""
    found: dict[str, bytes] = {}
    waiting = [law, *READING]
    while waiting:
        name = waiting.pop()
        if name in found or name.partition(".")[0] != OURS:
            continue
        source = source_of(name)
        if source is None:
            continue
        found[name] = source
        # The package from which a module's relative imports count.
        path = path_of(AT_START, name)
        inside = (
            path.endswith("/__init__.py") if path else bool((spec := find_spec(name)) and spec.parent == name)
        )
        waiting += [
            name.rpartition(".")[0],
            *imported_names(source, name if inside else name.rpartition(".")[0]),
        ]
    return found


def source_of(name: str) -> bytes | None:
    """The source of a module as it was when the process started; None where there is no module of that name.

    A federation whose folder lies elsewhere is read from there.
    """
    if path := path_of(AT_START, name):
        return AT_START[path]
    try:
        spec = find_spec(name)
    except ModuleNotFoundError:
        return None
    loader = spec.loader if spec else None
    text = loader.get_source(name) if loader and hasattr(loader, "get_source") else None
    return None if text is None else text.encode()


@cache
def digest(source: bytes) -> str:
    return sha256(normal_form(source).encode()).hexdigest()


def normal_form(source: bytes) -> str:
    """A source as text without comments, docstrings and layout, alike under every version of Python."""
    return "".join(_told(ast.parse(source)))


def _told(node: object) -> Iterator[str]:
    """Tell a syntax tree depth first, without parts that are empty: newer versions of Python have more."""
    match node:
        case ast.AST():
            yield f"({type(node).__name__}"
            for name, value in ast.iter_fields(node):
                if value is not None and value != []:
                    yield f" {name}="
                    yield from _told(value)
            yield ")"
        case list():
            yield "["
            for each in node:
                if not _is_docstring(each):
                    yield from _told(each)
            yield "]"
        case _:
            yield repr(node)


def _is_docstring(node: object) -> bool:
    """Whether a statement is a text alone: a docstring of whatever stands around or above it."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


SECONDS = 900
"""The most that one check of an office's old lists may take."""


def check_with(program: Program, journal: Sequence[str], lists: Sequence[bytes]) -> str:
    """Check lists' JSON files against a journal's lines with a kept program; return its first complaint, or
    nothing.

    The program runs in an empty folder, without environment, as the record vouches for it; nothing is sent to
    it but these files.
    """
    with unfinished_folder() as place:
        (place / program.name).write_bytes(program.content)
        (place / "journal.ndjson").write_text("".join(f"{line}\n" for line in journal), encoding="utf-8")
        names = [f"{number}.json" for number in range(len(lists))]
        for name, content in zip(names, lists, strict=True):
            (place / name).write_bytes(content)
        command = [sys.executable, "-I", "-B", "-X", "utf8", program.name, "check", "journal.ndjson", *names]
        try:
            ran = subprocess.run(
                command, cwd=place, env={}, capture_output=True, text=True, timeout=SECONDS, check=False
            )
        except subprocess.TimeoutExpired:
            return f"it was not done after {SECONDS} seconds"
        return "" if ran.returncode == 0 else (ran.stderr.strip() or ran.stdout.strip() or "it failed")[:500]
