"""Who has to be asked about before a section is approved: whose birth the register does not know (§58)."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import gettext as _

from players.access import OfficeRequest
from players.models import Player
from ratings.pres import Asked, state_pres
from tournaments.journal import Incomplete, section_fact
from tournaments.models import Entry, Section

BORN, SEX, NOT_KNOWN = "born-", "sex-", "unknown-"
SEXES = ("m", "f")


@dataclass(frozen=True, slots=True)
class BirthAsked:
    """One question of the review page, with what was typed or filed."""

    player: Player
    year: str
    sex: str
    not_known: bool
    asks_sex: bool

    @property
    def names(self) -> dict[str, str]:
        """What the fields are called."""
        number = self.player.number
        return {"born": BORN + number, "sex": SEX + number, "not_known": NOT_KNOWN + number}


def births_asked(request: OfficeRequest, section: Section) -> list[BirthAsked]:
    """Nobody, where the section is not whole."""
    entries = list(section.entries.select_related("player__federation", "player__region"))
    people = {entry.player.number: entry for entry in entries if entry.player}
    try:
        record = section_fact(section)
        _stated, unknown = state_pres(request.office, record, [e.player for e in people.values() if e.player])
    except (Incomplete, LookupError):
        return []
    return [_question(request, player, people[player.number]) for player in unknown]


def _question(request: OfficeRequest, player: Player, entry: Entry) -> BirthAsked:
    typed, number = request.POST, player.number
    return BirthAsked(
        player=player,
        year=typed.get(BORN + number, entry.birth[:4]),
        sex=typed.get(SEX + number, entry.sex),
        not_known=NOT_KNOWN + number in typed,
        asks_sex="sex" in request.office.ruleset.asks and not player.sex,
    )


def births_of(request: OfficeRequest) -> tuple[dict[str, Asked], str]:
    """What was answered, by number; and what is to be said of answers that cannot be read."""
    answers: dict[str, Asked] = {}
    for field, typed in request.POST.items():
        year = typed.strip() if isinstance(typed, str) else ""
        if field.startswith(NOT_KNOWN):
            answers.setdefault(field.removeprefix(NOT_KNOWN), Asked(None))
        elif field.startswith(BORN) and year:
            if not (year.isdecimal() and year.isascii() and len(year) == 4):
                words = _("“%(typed)s” is no year of birth. Write four digits, such as 1998.")
                return {}, words % {"typed": year[:20]}
            number = field.removeprefix(BORN)
            sex = request.POST.get(SEX + number, "")
            answers[number] = Asked(int(year), sex if sex in SEXES else "")
    return answers, ""
