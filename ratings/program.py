"""The program `ratings.pyz`: law, journal and readers of event files as one file that needs Python alone, for
readers who check a list and arbiters who check a file. Here it is built from the sources, each build that
drew up a list is kept, and a kept build can be run to check old lists. A hash over the sources of a law tells
the rules of one program from those of another.
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

from players.writing import make_unfinished_folder
from ratings.models import ProgramFile

if TYPE_CHECKING:
    from ratings.models import RatingList


# ---- Building `ratings.pyz`: the same sources give the same bytes on any machine
#
# The file holds everything that `COMMANDS` import, and every federation's law; nothing that only an office
# needs.
ROOT = Path(__file__).resolve().parents[1]
SOURCE_PATTERNS = (
    "ratings/__init__.py",
    "ratings/check.py",
    "ratings/lab.py",
    "ratings/replay.py",
    "ratings/program_entry.py",
    "ratings/transparency_log.py",
    "ratings/ed25519.py",
    "ratings/witness.py",
    "ratings/rulesets/**/*.py",
    "tournaments/__init__.py",
    "tournaments/formats/*.py",
)
"""Patterns of the paths of the program's sources; modules that are not imported stay out."""
COMMANDS = (
    "ratings.replay",
    "ratings.check",
    "ratings.lab",
    "ratings.witness",
    "tournaments.formats.file_check",
)
"""The modules that a reader runs, from which imports are followed."""
LAW = "ratings.rulesets"
ENTRY = "ratings/program_entry.py"
FIRST_LINE = b"#!/usr/bin/env python3\n"
ZIP_TIME = (1980, 1, 1, 0, 0, 0)
"""The oldest date that a ZIP knows, so that the day of a build does not change the bytes."""
MODE = 0o100644 << 16
UNIX = 3


@dataclass(frozen=True, slots=True)
class Program:
    version: str
    content: bytes

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.content).hexdigest()

    @property
    def name(self) -> str:
        return program_file_name(self.version, self.sha256)


def program_file_name(version: str, sha256: str) -> str:
    """The file name of a build; two builds never share one."""
    return f"ratings-{version}-{sha256[:8]}.pyz"


Sources = Mapping[str, bytes]
"""Source files by path from the project's root, with the same line ends everywhere."""


def read_sources(root: Path) -> Sources:
    paths = sorted(path for place in SOURCE_PATTERNS for path in root.glob(place))
    return {path.relative_to(root).as_posix(): path.read_bytes().replace(b"\r\n", b"\n") for path in paths}


SOURCES_AT_START = read_sources(ROOT)
"""The sources that this process runs on, whatever becomes of the files later."""


@cache
def get_current_program() -> Program:
    """The build of `ratings.pyz` from the sources that this process runs on."""
    version = get_version(ROOT)
    return Program(version, build_program_bytes(SOURCES_AT_START, version))


def get_version(root: Path) -> str:
    """The project's version, from its `pyproject.toml`."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return str(project["version"])


def build_program_bytes(sources: Sources, version: str) -> bytes:
    """The bytes of `ratings.pyz`, uncompressed because compressors differ."""
    parts = {path: sources[path] for path in needed_module_paths(sources)}
    parts |= {"__main__.py": sources[ENTRY], "ratings/VERSION": f"{version}\n".encode()}
    file = io.BytesIO()
    file.write(FIRST_LINE)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name in sorted(parts):
            member = zipfile.ZipInfo(name, ZIP_TIME)
            member.create_system, member.external_attr = UNIX, MODE
            archive.writestr(member, parts[name])
    return file.getvalue()


def needed_module_paths(sources: Sources) -> set[str]:
    """The paths of the modules that the commands and each federation's law import."""
    found: set[str] = set()
    waiting = [*COMMANDS, *law_packages(sources)]
    while waiting:
        name = waiting.pop()
        path = find_module_path(sources, name)
        if path is None or path in found:
            continue
        found.add(path)
        parent = name.rpartition(".")[0]
        package = name if path.endswith("/__init__.py") else parent
        waiting += [parent, *imported_module_names(sources[path], package)]
    return found


def law_packages(sources: Sources) -> Iterator[str]:
    """Yield the names of the packages that hold a federation's law: `ratings.rulesets.csa`."""
    folder, inside = LAW.replace(".", "/"), "/__init__.py"
    for path in sources:
        slug = path.removeprefix(f"{folder}/").removesuffix(inside)
        if path == f"{folder}/{slug}{inside}" and "/" not in slug:
            yield f"{LAW}.{slug}"


def find_module_path(sources: Sources, name: str) -> str | None:
    """The path of a module among the sources; None if it is not among them."""
    base = name.replace(".", "/")
    return next((path for path in (f"{base}.py", f"{base}/__init__.py") if path in sources), None)


def imported_module_names(source: bytes, package: str) -> Iterator[str]:
    """Yield the names of modules that a source may import: of `from a import b` both `a` and `a.b`, as `b`
    may be a module. `package`: that from which relative imports count.
    """
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: 1 - node.level or None] if node.level else []
            module = ".".join([*above, *([node.module] if node.module else [])])
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)


# ---- Builds of `ratings.pyz` that drew up a list
def save_current_program() -> Program:
    """Store this process's build, unless it is stored, in the transaction of the list that it draws up."""
    program = get_current_program()
    ProgramFile.objects.defer("content").get_or_create(
        sha256=program.sha256, defaults={"version": program.version, "content": program.content}
    )
    return program


def find_program(name: str) -> Program | None:
    """The running or kept build with that file name, or None."""
    if name == get_current_program().name:
        return get_current_program()
    short = name.removesuffix(".pyz").rpartition("-")[2]
    for kept in ProgramFile.objects.filter(sha256__startswith=short):
        program = Program(kept.version, bytes(kept.content))
        if program.name == name:
            return program
    return None


def get_program_version_and_hash(rating_list: RatingList) -> tuple[str, str]:
    """The version and checksum of the build that drew a list up, this process's where it names none."""
    if rating_list.program_sha256:
        return rating_list.program_version, rating_list.program_sha256
    return get_current_program().version, get_current_program().sha256


# ---- The hash of a program's rules, over the sources that a federation's law reaches
#
# Comments, docstrings, layout and the version of Python do not count. Anything else does, such as a reworded
# message: whether another hash means other ratings is for a replay to say (`ratings.rules_change`).
JOURNAL_MODULES = ("ratings.rulesets.journal", "ratings.rulesets.ruleset")
"""The modules beside a federation's own that compute ratings and lists from a journal."""


@cache
def rules_hash(slug: str) -> str:
    """The SHA-256, in hexadecimal, of a federation's rules as this process runs them."""
    hashed = sha256()
    for name, source in sorted(get_law_sources(f"{LAW}.{slug}").items()):
        hashed.update(f"{name} {hash_normal_form(source)}\n".encode())
    return hashed.hexdigest()


def get_law_sources(law: str) -> dict[str, bytes]:
    """The sources, by module, of a federation's law and of all that it and `READING` import."""
    found: dict[str, bytes] = {}
    waiting = [law, *JOURNAL_MODULES]
    while waiting:
        name = waiting.pop()
        if (
            name in found
            or name.partition(".")[0] != "ratings"
            or (source := find_module_source(name)) is None
        ):
            continue
        found[name] = source
        path, parent = find_module_path(SOURCES_AT_START, name), name.rpartition(".")[0]
        is_package = (
            path.endswith("/__init__.py") if path else (spec := find_spec(name)) and spec.parent == name
        )
        waiting += [parent, *imported_module_names(source, name if is_package else parent)]
    return found


def find_module_source(name: str) -> bytes | None:
    """A module's source when the process started, or read from where it lies; None if there is none."""
    if path := find_module_path(SOURCES_AT_START, name):
        return SOURCES_AT_START[path]
    try:
        spec = find_spec(name)
    except ModuleNotFoundError:
        return None
    loader = spec.loader if spec else None
    text = loader.get_source(name) if loader and hasattr(loader, "get_source") else None
    return None if text is None else text.encode()


@cache
def hash_normal_form(source: bytes) -> str:
    return sha256(normal_form(source).encode()).hexdigest()


def normal_form(source: bytes) -> str:
    """A source as text without comments, docstrings and layout, alike under every version of Python."""
    return "".join(_dump_tree(ast.parse(source)))


def _dump_tree(node: object) -> Iterator[str]:
    """Yield a syntax tree as text, depth first, without empty parts: newer versions of Python have more."""
    match node:
        case ast.AST():
            yield f"({type(node).__name__}"
            for name, value in ast.iter_fields(node):
                if value is not None and value != []:
                    yield f" {name}="
                    yield from _dump_tree(value)
            yield ")"
        case list():
            yield "["
            for each in node:
                if not _is_docstring(each):
                    yield from _dump_tree(each)
            yield "]"
        case _:
            yield repr(node)


def _is_docstring(node: object) -> bool:
    """Whether a statement is only a text."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


CHECK_SECONDS = 900
"""The longest that one check of an office's old lists may take."""


def find_program_complaint(program: Program, journal: Sequence[str], lists: Sequence[bytes]) -> str:
    """Check lists' JSON files against a journal's lines with a kept program; return its first complaint, or
    an empty text. The program runs in an empty folder, without environment: it gets nothing but these files.
    """
    with make_unfinished_folder() as place:
        (place / program.name).write_bytes(program.content)
        (place / "journal.ndjson").write_text("".join(f"{line}\n" for line in journal), encoding="utf-8")
        names = [f"{number}.json" for number in range(len(lists))]
        for name, content in zip(names, lists, strict=True):
            (place / name).write_bytes(content)
        command = [sys.executable, "-I", "-B", "-X", "utf8", program.name, "check", "journal.ndjson", *names]
        try:
            ran = subprocess.run(
                command, cwd=place, env={}, capture_output=True, text=True, timeout=CHECK_SECONDS, check=False
            )
        except subprocess.TimeoutExpired:
            return f"it was not done after {CHECK_SECONDS} seconds"
        return "" if ran.returncode == 0 else (ran.stderr.strip() or ran.stdout.strip() or "it failed")[:500]
