"""Makes `ratings.pyz` out of the sources: the same sources give the same bytes, on any machine.

The file holds everything that `ratings.replay` and `ratings.check` import, and every federation's law;
nothing that only an office needs.
"""

from __future__ import annotations

import ast
import hashlib
import io
import tomllib
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PLACES = (
    "ratings/__init__.py",
    "ratings/law/**/*.py",
    "ratings/proof/**/*.py",
    "ratings/rulesets/**/*.py",
)
"""Patterns of the paths where the program's sources are found; modules that are not imported stay out."""
COMMANDS = ("ratings.proof.replay", "ratings.proof.check")
"""The modules that a reader runs, from which imports are followed."""
LAW = "ratings.rulesets"
ENTRY = "ratings/proof/program/entry.py"
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
            archive.writestr(_member(name), parts[name])
    return file.getvalue()


def _member(name: str) -> zipfile.ZipInfo:
    member = zipfile.ZipInfo(name, THEN)
    member.create_system, member.external_attr = UNIX, MODE
    return member


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
