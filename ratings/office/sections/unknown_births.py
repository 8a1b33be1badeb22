"""Questions before approval about births that the register does not know, for pre-ratings (§58).

The form begins with the births in the filed file, and so do previews of approval.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.utils.translation import gettext as _

from players.register.models import Player
from ratings.decisions.sections import possible_birth
from ratings.results.assign_pre_ratings import BirthAnswer, Births, state_pres
from tournaments.events.models import Entry, Section
from tournaments.events.section_fact import Incomplete, section_fact

BORN, SEX, NOT_KNOWN = "born-", "sex-", "unknown-"
SEXES = ("m", "f")


@dataclass(frozen=True, slots=True)
class BirthAsked:
    """A player whose birth the review asks for, with the answer that was typed or stands in the file."""

    player: Player
    year: str
    sex: str
    not_known: bool
    asks_sex: bool
    wrong: str = ""
    """The fault in the answer, if one was given."""

    @property
    def names(self) -> dict[str, str]:
        """The names of this question's fields in the form, by `born`, `sex` and `not_known`."""
        number = self.player.number
        return {"born": BORN + number, "sex": SEX + number, "not_known": NOT_KNOWN + number}

    @property
    def answer(self) -> BirthAnswer:
        """The answer as approval takes it; defined only while `wrong` is empty."""
        return BirthAnswer(int(self.year), self.sex) if self.year else BirthAnswer(None)


def births_asked(section: Section, typed: Mapping[str, str] | None = None) -> list[BirthAsked]:
    """The births that the review of a section asks for, with what was typed and its faults, or with the
    file's births if `typed` is None. None are asked of a section that is not whole.
    """
    entries = list(section.entries.select_related("player__federation", "player__region"))
    people = {entry.player.number: entry for entry in entries if entry.player}
    try:
        record = section_fact(section)
        players = [entry.player for entry in entries if entry.player]
        _stated, unknown = state_pres(section.event.federation, record, players)
    except (Incomplete, LookupError):
        return []
    if typed is None:
        return [_as_filed(section, player, people[player.number]) for player in unknown]
    return [_as_typed(section, player, typed) for player in unknown]


def births_filed(section: Section) -> Births:
    """The births in the filed file of those players who would be asked about, by number, without impossible
    ones: for previews of approving.
    """
    return {
        one.player.number: one.answer
        for one in births_asked(section)
        if one.year and not _wrong(section, one.year, not_known=False)
    }


def answers_given(asked: Iterable[BirthAsked]) -> dict[str, BirthAnswer]:
    """The answers that approval takes, by player's number; those with a fault are left out."""
    return {one.player.number: one.answer for one in asked if not one.wrong}


def _as_filed(section: Section, player: Player, entry: Entry) -> BirthAsked:
    sex = entry.sex if entry.sex in SEXES else ""
    return BirthAsked(player, entry.birth[:4], sex, not_known=False, asks_sex=_asks_sex(section, player))


def _as_typed(section: Section, player: Player, typed: Mapping[str, str]) -> BirthAsked:
    year, sex = typed.get(BORN + player.number, "").strip(), typed.get(SEX + player.number, "")
    not_known = NOT_KNOWN + player.number in typed
    return BirthAsked(
        player,
        year,
        sex if sex in SEXES else "",
        not_known,
        asks_sex=_asks_sex(section, player),
        wrong=_wrong(section, year, not_known=not_known),
    )


def _asks_sex(section: Section, player: Player) -> bool:
    return "sex" in section.event.federation.equipment.office.asks and not player.sex


def _wrong(section: Section, year: str, *, not_known: bool) -> str:
    if not_known:
        both = _("You gave both a year and “not known”. Remove one of them.")
        return both if year else ""
    if not year:
        return _("Give the year, or say that it is not known.")
    if not (year.isdecimal() and year.isascii() and len(year) == 4):
        words = _("“%(typed)s” is not a year of birth. Write four digits, such as 1998.")
        return words % {"typed": year[:20]}
    if not possible_birth(section, int(year)):
        return _("Nobody of this section was born in %(year)s. Write a year such as 1998.") % {"year": year}
    return ""
