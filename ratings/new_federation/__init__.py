"""Writes the folder of a new federation, complete and simple, out of the templates beside this file.

A template's path is that of the file it becomes, with `SLUG` and `YEAR` in it and `.tmpl` behind.
"""

from __future__ import annotations

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
"""An office's address, a package and the letters of its readings, all in one."""
COUNTRY = re.compile(r"[A-Z]{3}")
NOWHERE = "XXX"
"""The country of a federation of no one country, as passports write it."""
UNFIT = re.compile(r'["\\\x00-\x1f\x7f\x85\u2028\u2029]')
"""Characters that no name may have: they would break a line of Python or of a journal."""
LONGEST_NAME = 60


class NotWritten(ValueError):
    """Raised where no folder was written; the message says why, and what to do."""


@dataclass(frozen=True, slots=True)
class NewFederation:
    """The words of a new federation, and the year from which its first rules hold."""

    slug: str
    name: str
    year: int
    country: str = NOWHERE
    time_zone: str = "UTC"
    """The zone in which its office's days begin and end."""


def write_federation(wanted: NewFederation, root: Path) -> list[Path]:
    """Write ruleset and tests into the sources under `root`: all of it or nothing. Returns the new paths.

    Raises `NotWritten` where a word does not fit, something is in the way or a folder is missing.
    """
    check_words(wanted)
    places = free_places(wanted.slug, root)
    beside = root / "ratings/rulesets"
    try:
        with TemporaryDirectory(prefix=f".{wanted.slug}-", dir=beside, ignore_cleanup_errors=True) as made:
            fill_in(wanted, Path(made))
            move(Path(made), places)
    except OSError as fault:
        raise NotWritten(f"Nothing was written: {fault}.") from fault
    return [*places.values()][::-1]


def move(made: Path, places: Mapping[str, Path]) -> None:
    """Move each part from the folder `made` to its place, or none: what was moved is removed again where one
    fails.
    """
    moved: list[Path] = []
    try:
        for source, place in places.items():
            (made / source).rename(place)
            moved.append(place)
    except BaseException:
        for place in moved:
            shutil.rmtree(place) if place.is_dir() else place.unlink()
        raise


def check_words(wanted: NewFederation) -> None:
    """Refuse a slug, name, country, zone or year that cannot stand in Python, addresses and journals alike;
    raises NotWritten with advice.
    """
    if not SLUG.fullmatch(wanted.slug) or iskeyword(wanted.slug):
        raise NotWritten(
            f"“{wanted.slug}” cannot be a federation's slug. Take two to twenty letters from a to z, "
            "lower case, that are no word of Python: checkers."
        )
    if not wanted.name.strip() or len(wanted.name) > LONGEST_NAME or UNFIT.search(wanted.name):
        raise NotWritten(
            f"A federation's name has one to {LONGEST_NAME} characters, no straight double quote among "
            'them, no backslash and no line break: --name "Checkers Union".'
        )
    if not COUNTRY.fullmatch(wanted.country):
        raise NotWritten(
            f"“{wanted.country}” is no country here. Take the three capital letters that event files have: "
            "--country IRL."
        )
    if wanted.time_zone not in available_timezones():
        raise NotWritten(
            f"“{wanted.time_zone}” is no time zone. Take a name such as these: --time-zone Europe/Dublin."
        )
    if not 1900 <= wanted.year <= 9999:
        raise NotWritten(
            f"{wanted.year} is no year for rules to begin. Take one of four digits: --since 2020."
        )


def free_places(slug: str, root: Path) -> dict[str, Path]:
    """The place under `root` of each part to be written; raises NotWritten where one is taken.

    The ruleset is last, because the program finds its folder as soon as it is there.
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


def fill_in(wanted: NewFederation, folder: Path) -> None:
    """Write every template into `folder`, with the federation's words in its text and its path."""
    words = {
        "slug": wanted.slug,
        "Slug": wanted.slug.capitalize(),
        "name": wanted.name.strip(),
        "country": wanted.country,
        "zone": wanted.time_zone,
        "year": str(wanted.year),
        "mark": wanted.slug.upper(),
    }
    for template in templates():
        path = template.relative_to(TEMPLATES).as_posix().removesuffix(".tmpl")
        place = folder / path.replace("SLUG", wanted.slug).replace("YEAR", str(wanted.year))
        place.parent.mkdir(parents=True, exist_ok=True)
        text = Template(template.read_text("utf-8")).substitute(words)
        text = with_sorted_imports(text) if place.suffix == ".py" else text
        place.write_text(text, encoding="utf-8", newline="\n")


def with_sorted_imports(text: str) -> str:
    """A module's text with what it imports of this program sorted, whatever the name of its own package."""
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
    """All templates, in order of their paths."""
    return iter(sorted(TEMPLATES.rglob("*.tmpl")))
