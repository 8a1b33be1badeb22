"""Writes the folder of a new federation from the templates beside this file.

A template's path is that of the file to be written, with `SLUG` and `YEAR` in it and `.tmpl` at its end.
"""

import ast
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from keyword import iskeyword
from pathlib import Path
from string import Template
from tempfile import TemporaryDirectory
from zoneinfo import available_timezones

TEMPLATES = Path(__file__).parent / "template"
SLUG = re.compile(r"[a-z]{2,20}")
"""It serves as the office's address, as a package, and as the letters of the readings."""
COUNTRY = re.compile(r"[A-Z]{3}")
NO_COUNTRY = "XXX"
"""The country code of passports for a federation that belongs to no one country."""
UNFIT_CHARACTERS = re.compile(r'["\\\x00-\x1f\x7f\x85\u2028\u2029]')
"""Characters that would break a line of Python or of a journal."""
LONGEST_NAME = 60


class NotWritten(ValueError):
    """Raised if no folder was written; the message says why, and what to do."""


@dataclass(frozen=True, slots=True)
class NewFederation:
    slug: str
    name: str
    year: int
    """The year from which its first rules hold."""
    country: str = NO_COUNTRY
    time_zone: str = "UTC"


def write_federation(federation: NewFederation, root: Path) -> list[Path]:
    """Write ruleset and tests into the sources under `root`, all of it or nothing; return the new paths.

    Raises `NotWritten` for invalid values, existing files and missing folders.
    """
    validate(federation)
    places = get_free_paths(federation.slug, root)
    beside = root / "ratings/rulesets"
    try:
        with TemporaryDirectory(
            prefix=f".{federation.slug}-", dir=beside, ignore_cleanup_errors=True
        ) as folder:
            render_templates(federation, Path(folder))
            move_into_place(Path(folder), places)
    except OSError as fault:
        raise NotWritten(f"Nothing was written: {fault}.") from fault
    return [*places.values()][::-1]


def move_into_place(folder: Path, places: Mapping[str, Path]) -> None:
    """Move each part from the folder to its place; if one fails, remove those already moved."""
    moved: list[Path] = []
    try:
        for source, place in places.items():
            (folder / source).rename(place)
            moved.append(place)
    except BaseException:
        for place in moved:
            shutil.rmtree(place) if place.is_dir() else place.unlink()
        raise


def validate(federation: NewFederation) -> None:
    """Raise `NotWritten`, with advice, for a slug, name, country, zone or year that Python, addresses or
    journals cannot have.
    """
    if not SLUG.fullmatch(federation.slug) or iskeyword(federation.slug):
        raise NotWritten(
            f"“{federation.slug}” cannot be a federation's slug. Take two to twenty letters from a to z, "
            "lower case, that are no word of Python: checkers."
        )
    if (
        not federation.name.strip()
        or len(federation.name) > LONGEST_NAME
        or UNFIT_CHARACTERS.search(federation.name)
    ):
        raise NotWritten(
            f"A federation's name has one to {LONGEST_NAME} characters, no straight double quote among "
            'them, no backslash and no line break: --name "Checkers Union".'
        )
    if not COUNTRY.fullmatch(federation.country):
        raise NotWritten(
            f"“{federation.country}” is no country here. Take the three capital letters that event files "
            "have: --country IRL."
        )
    if federation.time_zone not in available_timezones():
        raise NotWritten(
            f"“{federation.time_zone}” is no time zone. Take a name such as these: --time-zone Europe/Dublin."
        )
    if not 1900 <= federation.year <= 9999:
        raise NotWritten(
            f"{federation.year} is no year for rules to begin. Take one of four digits: --since 2020."
        )


def get_free_paths(slug: str, root: Path) -> dict[str, Path]:
    """Return the path under `root` of each part to be written; raises `NotWritten` if one exists.

    The ruleset is last, because the program loads its folder as soon as it exists.
    """
    rulesets, tests = root / "ratings/rulesets", root / "ratings/tests"
    for folder in (rulesets, tests):
        if not folder.is_dir():
            raise NotWritten(
                f"There is no folder {folder}. Run this in the program's sources, tests and all."
            )
    places = {
        f"tests/{slug}_cases.py": tests / f"{slug}_cases.py",
        f"tests/test_{slug}_examples.py": tests / f"test_{slug}_examples.py",
        "ruleset": rulesets / slug,
    }
    for place in (*places.values(), rulesets / f"{slug}.py"):
        if place.exists() or place.is_symlink():
            raise NotWritten(f"“{slug}” is taken: there is {place} already. Take another slug.")
    return places


def render_templates(federation: NewFederation, folder: Path) -> None:
    words = {
        "slug": federation.slug,
        "Slug": federation.slug.capitalize(),
        "name": federation.name.strip(),
        "country": federation.country,
        "zone": federation.time_zone,
        "year": str(federation.year),
        "mark": federation.slug.upper(),
    }
    for template in templates():
        path = template.relative_to(TEMPLATES).as_posix().removesuffix(".tmpl")
        place = folder / path.replace("SLUG", federation.slug).replace("YEAR", str(federation.year))
        place.parent.mkdir(parents=True, exist_ok=True)
        text = Template(template.read_text("utf-8")).substitute(words)
        text = sort_own_imports(text) if place.suffix == ".py" else text
        place.write_text(text, encoding="utf-8", newline="\n")


def sort_own_imports(text: str) -> str:
    """Sort a module's imports from this program, whose order depends on the name of the new package."""
    nodes = [node for node in ast.parse(text).body if isinstance(node, ast.ImportFrom)]
    nodes = [node for node in nodes if (node.module or "").startswith("ratings")]
    lines = text.splitlines(keepends=True)
    parts = [(node.module or "", lines[node.lineno - 1 : node.end_lineno]) for node in nodes]
    if not parts:
        return text
    before, after = lines[: nodes[0].lineno - 1], lines[nodes[-1].end_lineno :]
    imports = [line for _name, part in sorted(parts, key=lambda part: part[0]) for line in part]
    return "".join([*before, *imports, *after])


def templates() -> Iterator[Path]:
    return iter(sorted(TEMPLATES.rglob("*.tmpl")))
