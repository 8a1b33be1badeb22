"""The office of Chess South Africa, what it publishes, and its what-if form."""

import zipfile
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any, BinaryIO, cast

from ratings.rulesets import downloads, profile
from ratings.rulesets.csa import SHOWN_DECIMALS, section_performances
from ratings.rulesets.csa.clauses import ENACTED
from ratings.rulesets.facts import (
    Bye,
    CalculatorAnswer,
    Choice,
    Entry,
    Field,
    Filing,
    Section,
    TimeControl,
    WorkingStep,
    flag,
    gettext_noop as _,
)

# ---- §28: the layout of lists for pairing programs
COLUMNS = ("UNIQUE_NO", "SURNAME", "FIRSTNAME", "BDATE", "SEX", "TITLE", "RATING", "FED")
UNKNOWN_YEAR = 1900
"""The year that the layout writes for a birth date that is not known."""


def chess_sa_zip(
    head: downloads.DownloadHead, lines: Iterable[downloads.DownloadRow], file: BinaryIO
) -> None:
    """Write a list as a ZIP with one CSV, always the same bytes, with whole ratings (D-CSA-17). The archive's
    comment says how to prove the list.
    """
    inside = zipfile.ZipInfo(f"{head.stem}.csv", (head.on.year, head.on.month, head.on.day, 0, 0, 0))
    inside.compress_type = zipfile.ZIP_DEFLATED
    with zipfile.ZipFile(file, "w") as archive, archive.open(inside, "w") as table:
        archive.comment = "\n".join(head.proof).encode()
        downloads.write_csv(cast(BinaryIO, table), COLUMNS, map(_row, lines), bare=True)


def _row(line: downloads.DownloadRow) -> tuple[str, ...]:
    return (
        downloads.disarm_cell(line.number),
        downloads.disarm_cell(line.surname),
        downloads.disarm_cell(line.first_name),
        f"{line.born or UNKNOWN_YEAR}/01/01",
        line.sex.upper(),
        downloads.disarm_cell(line.title),
        downloads.whole(line.rating),
        downloads.disarm_cell(line.region),
    )


def standard_rapid_blitz_tracks(track: str) -> tuple[str, str, str]:
    """§26 §27: the standard, rapid and blitz tracks of a track's platform; for a Main list, Main is the
    standard one.
    """
    platform, _dash, kind = track.partition("-")
    return f"{platform}-{'main' if kind == 'main' else 'standard'}", f"{platform}-rapid", f"{platform}-blitz"


DOWNLOADS = (
    downloads.Download(
        "chessa",
        "zip",
        "application/zip",
        _("Chess SA’s layout"),
        _("For pairing programs: a ZIP with one CSV, whole ratings"),
        chess_sa_zip,
    ),
    *downloads.SWISS_MANAGER,
    downloads.fide_combined(standard_rapid_blitz_tracks),
)

OFFICE = profile.Office(
    time_zone="Africa/Johannesburg",  # D-CSA-16
    regions=(
        Choice("ECA", _("Eastern Cape")),
        Choice("FST", _("Free State")),
        Choice("GAU", _("Gauteng")),
        Choice("KZN", _("KwaZulu-Natal")),
        Choice("LIM", _("Limpopo")),
        Choice("MPU", _("Mpumalanga")),
        Choice("NWE", _("North West")),
        Choice("NCA", _("Northern Cape")),
        Choice("WCA", _("Western Cape")),
    ),
    files=("trf", "swiss-manager", "swiss-manager-own", "cross-table", "swiss-perfect", "games-abroad"),
    id_kinds=(  # §14.1.4 §14.2.1
        profile.IdKind("fide", _("FIDE id")),
        profile.IdKind("lichess", _("Name on Lichess"), platform=True),
        profile.IdKind("chess.com", _("Name on Chess.com"), platform=True),
    ),
    asks=frozenset({"sex", "born"}),  # §16 §59
    wants_of_new=frozenset({"first-name", "birth-date"}),  # §14.1.1 §14.1.2
    filing_fields=(
        Field(
            name="fide_rated",
            label=_("FIDE rated"),
            kind="choice",
            clause="61.2",
            help=_("Leave this empty if only Chess South Africa rates the section."),
            choices=(Choice("non-norm", _("Yes, without norms")), Choice("norm", _("Yes, with norms"))),
            required=False,
        ),
        flag("club", _("Club event"), "8", _("Only in a club event may an appointed arbiter play.")),
    ),
    registration=profile.Registration(
        wants=frozenset({"organizer", "arbiters"}),  # §6 §13.5
        refusable_before_play="11",
    ),
    confirmations=(
        profile.Statement("6", _("A qualified arbiter was there for the whole of every round.")),
        profile.Statement(
            "7", _("South African arbiters had paid the year's membership fee before the event began.")
        ),
        profile.Statement("21", _("Both players of each game had the same time.")),
    ),
    powers=profile.Powers(
        permits=(
            profile.Permit(
                "18",
                _("Fewer players or rounds than clause 17 asks for"),
                waives=("too-few-players", "too-few-in-team", "too-few-rounds", "asked-late"),
            ),
            profile.Permit(
                "61", _("A registration after the last day"), waives=("registered-late",)
            ),  # D-CSA-16
            profile.Permit("62", _("Results after the last day"), waives=("filed-late",)),  # D-CSA-16
            profile.Permit(
                "10", _("Results from abroad after the last day"), waives=("abroad-late",)
            ),  # D-CSA-16
        ),
        unrating_clause="63",
        listed_clause="64",
        listed_words=_(
            "The Ratings Bureau itself decided that this section is rated again, although it stands in a "
            "published list."
        ),
        abroad_clause="10",
        appeal_days=21,  # §11
        case_clauses=("63", "64"),
        one_regional_administrator="60",
    ),
)


def planned_event_deadlines(rules: Any, given: Mapping[str, Any]) -> CalculatorAnswer:
    """§10 §18 §61 §62: the deadlines of a planned event, from the days in its form."""
    starts, ends = given["starts"], given["ends"] or given["starts"]
    if starts is None:
        return CalculatorAnswer("planned-days")
    if ends < starts:
        return CalculatorAnswer("planned-ends-first")
    country = "XXX" if given["abroad"] else None  # any country but South Africa
    section = Section("", "", "", starts, ends, "swiss", 0, (), country=country)
    deadlines = rules.acceptance.deadlines(section, Filing(said={"fide_rated": given["fide_rated"]}))
    steps = (WorkingStep(each.clause, each.key, {}, each.last) for each in deadlines)
    return CalculatorAnswer("planned-days", tuple(steps))


DEADLINE_CALCULATOR = profile.Calculator(
    fields=(
        Field(name="starts", label=_("First day"), kind="day", clause="61"),
        Field(
            name="ends",
            label=_("Last day"),
            kind="day",
            clause="62",
            help=_("Leave this empty if the event has one day."),
            required=False,
        ),
        Field(
            name="fide_rated",
            label=_("FIDE rated"),
            kind="choice",
            clause="61.2",
            help=_("Leave this empty if only Chess South Africa rates the event."),
            choices=(Choice("non-norm", _("Yes, without norms")), Choice("norm", _("Yes, with norms"))),
            required=False,
        ),
        flag("abroad", _("Held abroad"), "10"),
    ),
    work_out=planned_event_deadlines,
)

PAGES = (
    profile.Page(
        code="performances",
        name=_("Performances"),
        about=_("Everybody's performance in each event, and whether it counts for the Grand Prix."),
        of_section=section_performances,
    ),
    profile.Page(
        code="days",
        name=_("Days of an event"),
        about=_("Enter the days of a planned event, and see until when to register it and hand in results."),
        calculator=DEADLINE_CALCULATOR,
    ),
)

AGE_GROUPS = (
    # D-CSA-5: of that age or less, so that younger players are in the groups of older ones too
    *(profile.AgeGroup(f"u{age}", f"U{age}", most=age) for age in range(6, 21, 2)),
    profile.AgeGroup("adult", _("Adult"), least=21),
)

PUBLICATION = profile.Publication(
    decimals=SHOWN_DECIMALS,  # §28
    sides=(_("white"), _("black")),
    enacted=ENACTED,
    pages=PAGES,
    downloads=DOWNLOADS,
    whole_files=True,  # §28
    age_groups=AGE_GROUPS,
    list_days=((1,), "67"),
)


# ---- The what-if form
LEADER = "*leader"
"""The id of an invented entrant with full points, ahead of a player who does not come first (§68)."""


def what_if_particulars(answers: profile.Answers) -> Mapping[str, Any]:
    """§19 §24 §49: the section's time control and platform, and whether it is a team section."""
    minutes = Decimal(answers.get("minutes") or 0)
    return {
        "time_controls": (TimeControl((minutes,)),),
        "platform": answers.get("platform"),
        "team": bool(answers.get("team")),
    }


def what_if_leader(answers: profile.Answers, rounds: int) -> profile.FurtherEntries:
    """§68: an entrant with full points from byes, unless the player is to come first."""
    if answers.get("first"):
        return profile.FurtherEntries()
    byes = (Bye(number, LEADER, "full") for number in range(1, rounds + 1))
    return profile.FurtherEntries((Entry(LEADER),), tuple(byes))


WHAT_IF = profile.WhatIf(
    particulars=what_if_particulars,
    fields=(
        Field(
            name="minutes",
            label=_("Minutes a player has for 60 moves"),
            kind="whole",
            clause="19",
            help=_("Seconds a move count as that many minutes: 90 minutes and 30 seconds a move are 120."),
            default="90",
        ),
        Field(
            name="platform",
            label=_("Played"),
            kind="choice",
            clause="24",
            choices=(
                Choice("otb", _("Over the board")),
                Choice("online", _("Online")),
                Choice("mixed", _("Mixed")),
            ),
            default="otb",
        ),
        Field(
            name="rounds",
            label=_("Scheduled rounds"),
            kind="whole",
            clause="47",
            help=_("Leave this empty if every round has a row below. A gain needs four fifths of them."),
            required=False,
        ),
        flag("team", _("Team event"), "49"),
        flag("first", _("The player comes first, alone or shared"), "68"),
    ),
    further=what_if_leader,
    by_side=True,
    not_looked_at=(
        _("Games are measured at today's official ratings, without points that wait for the next list."),
        _("It is taken as held in South Africa and rated on its last day."),
        _(
            "Age and sex are not looked at: who has no rating is taken at the pre-rating that you write "
            "in the row."
        ),
    ),
)
