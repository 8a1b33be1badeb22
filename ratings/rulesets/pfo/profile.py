"""The office of Polska Federacja Othello, what it publishes, and its what-if form."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date
from decimal import Decimal
from itertools import groupby
from typing import Any, BinaryIO

from ratings.rulesets import profile
from ratings.rulesets.downloads import Download, DownloadHead, DownloadRow, disarm_cell, single_line, whole
from ratings.rulesets.facts import Choice, Entry, Field, flag, gettext_noop as _
from ratings.rulesets.pfo.clauses import ENACTED
from ratings.rulesets.pfo.edition_2009 import EUROPEAN
from ratings.rulesets.pfo.fields import FIELDS
from ratings.rulesets.pfo.standing import PfoStanding


def expected_score(rules: Any, own: PfoStanding, other: PfoStanding) -> Decimal:
    """The score at which wins and losses of `own` against `other` balance."""
    mine, theirs = int(own.rating), int(other.rating)
    gained, lost = rules.win_points(mine, theirs), rules.win_points(theirs, mine)
    expected: Decimal = Decimal(lost) / (gained + lost)
    return expected


OFFICE = profile.Office(
    time_zone="Europe/Warsaw",
    language="pl",
    regions=(Choice("POL", _("Poland")),),
    files=("elo", "trf", "flip-the-disc"),
    id_kinds=(profile.IdKind("wof", _("Number at the World Othello Federation")),),
    asks=frozenset({"sex"}),  # §preamble
    wants_of_new=frozenset({"nation"}),  # §14
    confirmations=(
        profile.Statement(
            "15", _("If this is a Grand Prix tournament: it was open to everybody, and members organized it.")
        ),
    ),
    registration=profile.Registration(asks=frozenset({"place", "country"})),
    season_begins=12,  # a season has the label of two years: 2009/2010
)


# ---- The list of players for pairing programs
DEFAULT_NATION = "POL"
"""The nation that the list gives players of unknown nation."""


def write_joueurs(head: DownloadHead, lines: Iterable[DownloadRow], file: BinaryIO) -> None:
    """Write a list as PAPP's `joueurs.txt`: comments that say how to prove it, then each country with its
    players by number, the rating in a remark. UTF-8, LF.
    """
    file.writelines(f"% {_bare(line)}\n".encode() for line in head.proof)
    ordered = sorted(lines, key=lambda line: (_country(line), line.number))
    for country, people in groupby(ordered, key=_country):
        rows = (f"{_bare(line.number)} {_name(line)}   %_<{whole(line.rating)}>" for line in people)
        file.writelines(f"{row}\n".encode() for row in (f"pays = {country}", *rows))


def _country(line: DownloadRow) -> str:
    return _bare(line.nation) or DEFAULT_NATION


def _name(line: DownloadRow) -> str:
    return disarm_cell(_bare(", ".join(filter(None, (line.surname.upper(), line.first_name)))))


def _bare(text: str) -> str:
    """A text without percent signs, which would begin a comment."""
    return single_line(text).replace("%", "")


DOWNLOADS = (
    Download(
        "joueurs",
        "txt",
        "text/plain; charset=utf-8",
        _("PAPP’s players"),
        _("For pairing programs: numbers, names, whole ratings"),
        write_joueurs,
    ),
)


PAGES = (
    profile.Page(
        code="grand-prix",
        name=_("Grand Prix"),
        about=_(
            "The standings of each season, and the players who represent Poland at the World Championship."
        ),
        tables=("standing", "qualification"),
    ),
)


PUBLICATION = profile.Publication(
    decimals=0,  # D-4
    sides=(_("black"), _("white")),
    enacted=ENACTED,
    pages=PAGES,
    downloads=DOWNLOADS,
    tie_breaks=("discs",),
    expected_score=expected_score,  # §10
)


# ---- The what-if form
def usual_season(day: date) -> Mapping[str, str]:
    """§17: the season of a day, if it begins in December, as that of 2009/2010 did."""
    first = day.year - (day.month < 12)
    return {"season": f"{first}/{first + 1}"}


def what_if_particulars(answers: profile.Answers) -> Mapping[str, Any]:
    """§12 §17: the kind of the tournament, its season, and whether it is held in Poland."""
    country = "XXX" if answers.get("abroad") else None  # any country but Poland
    return {"status": answers.get("status"), "season": answers.get("season"), "country": country}


def what_if_players_ahead(answers: profile.Answers, rounds: int) -> profile.FurtherEntries:
    """§17: the players ahead in a European Grand Prix, as the season counts places among Polish players."""
    place = answers.get("place") or 1
    if answers.get("status") != EUROPEAN:
        return profile.FurtherEntries()
    at_home = min(answers.get("place_at_home") or place, place)
    names = [f"*{'home' if ahead < at_home else 'abroad'}{ahead}" for ahead in range(1, place)]
    entries = tuple(Entry(name, place=ahead) for ahead, name in enumerate(names, start=1))
    return profile.FurtherEntries(
        entries, foreign=frozenset(name for name in names if name.startswith("*abroad"))
    )


WHAT_IF = profile.WhatIf(
    particulars=what_if_particulars,
    fields=(
        *(replace(each, default="gpp" if each.name == "status" else "") for each in FIELDS),
        Field(
            name="place",
            label=_("Final place"),
            kind="whole",
            clause="12",
            help=_(
                "Needed for points by place: in a European Grand Prix, the World Championship, and the "
                "season."
            ),
            required=False,
        ),
        Field(
            name="place_at_home",
            label=_("Place among the Polish players"),
            kind="whole",
            clause="17",
            help=_("In a European Grand Prix in Poland. Leave this empty if it is the same."),
            required=False,
        ),
        flag("abroad", _("Held outside Poland"), "17"),
        flag("women", _("As if the player plays for the women's title"), "preamble"),
    ),
    results=tuple(profile.SCORES),
    further=what_if_players_ahead,
    usual=usual_season,
    not_looked_at=(
        _("Games are rated one by one, in the order of the rows. Who has no rating begins at 1400."),
        _("Nobody is asked for sex: whether the player plays for the women's title is what you say."),
        _("Who misses a Polish Championship loses a tenth when its last section is rated, on no fixed day."),
    ),
)
