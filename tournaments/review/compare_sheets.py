"""The differences between two files of a section: game by game, player by player, and in the particulars."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from tournaments.events.finding_words import BYES

PERSONAL = ("birth",)
"""Fields of a player that are shown to whom may see births."""
FIELDS: dict[str, Any] = {
    "name": pgettext_lazy("of a person", "Name"),
    "id": gettext_lazy("Id"),
    "birth": gettext_lazy("Birth"),
    "title": gettext_lazy("Title"),
    "points": gettext_lazy("Points"),
    "place": gettext_lazy("Place"),
}
PARTICULARS: dict[str, Any] = {
    "starts": gettext_lazy("First day"),
    "ends": gettext_lazy("Last day"),
    "rounds": gettext_lazy("Rounds"),
    "place": gettext_lazy("Place of play"),
    "time": gettext_lazy("Time control"),
    "arbiters": gettext_lazy("Arbiters"),
}
Sheet = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class SheetDifference:
    """One thing that the files say differently: what it is, the older file's word and the newer's."""

    what: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class SheetComparison:
    games: list[SheetDifference]
    players: list[SheetDifference]
    particulars: list[SheetDifference]

    @property
    def same(self) -> bool:
        return not (self.games or self.players or self.particulars)


def compare(before: Sheet, after: Sheet, *, births: bool) -> SheetComparison:
    """Compare two sheets in short; `births`: the reader may see dates of birth."""
    partner = _partners(before, after)
    return SheetComparison(
        games=list(_games(before, after, partner)),
        players=list(_players(before, after, partner, births=births)),
        particulars=list(_particulars(before, after)),
    )


def _partners(before: Sheet, after: Sheet) -> dict[str, str]:
    """By starting number in the older file, that of the same player in the newer: by id, else by name, else
    by the number itself where no id speaks against it. A pairing program may number anew.
    """
    found: dict[str, str] = {}
    left, right = dict(before["players"]), dict(after["players"])
    for same in (lambda row: row["id"], lambda row: row["name"], None):
        if same is None:
            pairs = [
                (number, number) for number in left if number in right and _may_be_one(left, right, number)
            ]
        else:
            theirs = {same(row): number for number, row in right.items() if same(row)}
            pairs = [(number, theirs[same(row)]) for number, row in left.items() if same(row) in theirs]
        for old, new in pairs:
            if old in left and new in right:
                found[old] = new
                del left[old], right[new]
    return found


def _may_be_one(left: Sheet, right: Sheet, number: str) -> bool:
    """Whether both files can mean one person by a starting number: no two ids speak against it."""
    ids = {row[number]["id"] for row in (left, right)} - {""}
    return len(ids) < 2


def _players(
    before: Sheet, after: Sheet, partner: Mapping[str, str], *, births: bool
) -> Iterator[SheetDifference]:
    for old, row in before["players"].items():
        if old not in partner:
            yield SheetDifference(_named(before, old), _("in the file"), _("not in the file"))
            continue
        other = after["players"][partner[old]]
        for field, label in FIELDS.items():
            if row[field] != other[field] and (births or field not in PERSONAL):
                what = _("%(player)s: %(field)s") % {"player": _named(before, old), "field": label}
                yield SheetDifference(what, row[field] or "–", other[field] or "–")
    for new in after["players"]:
        if new not in partner.values():
            yield SheetDifference(_named(after, new), _("not in the file"), _("in the file"))


def _games(before: Sheet, after: Sheet, partner: Mapping[str, str]) -> Iterator[SheetDifference]:
    """Yield the games and byes that differ, by round; each pairing with both its results."""
    gone = {number: f"gone {number}" for number in before["players"] if number not in partner}
    old, new = _by_pairing(before, {**partner, **gone}), _by_pairing(after, {})
    names = {number: row["name"] for number, row in after["players"].items()}
    names |= {key: before["players"][number]["name"] for number, key in gone.items()}
    for key in sorted(set(old) | set(new), key=lambda key: (key[0], str(key[1]), str(key[2]))):
        was, now = sorted(old.get(key, [])), sorted(new.get(key, []))
        if was != now:
            round_number, first, second = key
            people = " – ".join(names.get(each, each) for each in (first, second) if each)
            what = _("Round %(round)s: %(people)s") % {"round": round_number, "people": people}
            yield SheetDifference(what, ", ".join(was) or "–", ", ".join(now) or "–")


def _by_pairing(sheet: Sheet, numbers: Mapping[str, str]) -> dict[tuple[int, str, str], list[str]]:
    """The results by round and the two players, both by the newer file's numbers; a bye has no second."""
    found: defaultdict[tuple[int, str, str], list[str]] = defaultdict(list)
    for round_number, first, second, result in sheet["games"]:
        pair = tuple(numbers.get(str(each), str(each)) for each in (first, second))
        found[round_number, pair[0], pair[1]].append(result)
    for round_number, player, kind in sheet["byes"]:
        found[round_number, numbers.get(str(player), str(player)), ""].append(str(BYES.get(kind, kind)))
    return found


def _particulars(before: Sheet, after: Sheet) -> Iterator[SheetDifference]:
    for field, label in PARTICULARS.items():
        was, now = before["particulars"][field], after["particulars"][field]
        if was != now:
            yield SheetDifference(str(label), was or "–", now or "–")


def _named(sheet: Sheet, number: str) -> str:
    return f"{number} {sheet['players'][number]['name']}"
