"""Names of backups, and the rule by which old ones are deleted: so many days, weeks, months and years."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path

DEFAULT_RULE = "7 daily, 4 weekly, 12 monthly"
_STAMP = "%Y-%m-%dT%H%M%SZ"
_NAME = re.compile(r"office-(\d{4}-\d\d-\d\dT\d{6}Z)\.backup\.zip")
_SPANS: dict[str, Callable[[datetime], object]] = {
    "daily": lambda at: at.date(),
    "weekly": lambda at: at.isocalendar()[:2],
    "monthly": lambda at: (at.year, at.month),
    "yearly": lambda at: at.year,
}


class BadRule(ValueError):
    """A rule that cannot be read; the message says how one is written."""


def parse_rule(text: str) -> dict[str, int]:
    """Read a rule like `7 daily, 4 weekly`: by each word, how many days, weeks … keep their newest backup."""
    rule: dict[str, int] = {}
    for each in text.split(","):
        found = re.fullmatch(rf"\s*(\d+)\s+({'|'.join(_SPANS)})\s*", each)
        if not found:
            raise BadRule(f"“{text}” is no rule: write “{DEFAULT_RULE}”, with any of {', '.join(_SPANS)}.")
        rule[found[2]] = int(found[1])
    if not any(rule.values()):
        raise BadRule("A rule keeps one backup at least.")
    return rule


def name_of(made: datetime) -> str:
    return f"office-{made.astimezone(UTC):{_STAMP}}.backup.zip"


def backups_in(folder: Path) -> dict[datetime, Path]:
    """The backups in a folder by the moment at which each was made, oldest first."""
    found = {
        datetime.strptime(match[1], _STAMP).replace(tzinfo=UTC): path
        for path in folder.glob("office-*.backup.zip")
        if (match := _NAME.fullmatch(path.name))
    }
    return dict(sorted(found.items()))


def kept(moments: Iterable[datetime], rule: dict[str, int]) -> set[datetime]:
    """The moments whose backups the rule keeps: the newest of each of the last days, weeks … with one."""
    newest_first = sorted(moments, reverse=True)
    keep = set(newest_first[:1])
    for unit, count in rule.items():
        newest: dict[object, datetime] = {}
        for moment in newest_first:
            newest.setdefault(_SPANS[unit](moment), moment)
        keep |= set(list(newest.values())[:count])
    return keep


def delete_old(folder: Path, rule: dict[str, int]) -> list[Path]:
    """Delete the backups that the rule does not keep, and return them."""
    there = backups_in(folder)
    gone = [there[moment] for moment in there.keys() - kept(there, rule)]
    for path in gone:
        path.unlink(missing_ok=True)
    return sorted(gone)
