"""Chess South Africa: twelve ratings a player; changes wait for the month's list."""

from __future__ import annotations

from datetime import date

from ratings.rulesets.csa import edition_2020
from ratings.rulesets.csa.clauses import CLAUSES
from ratings.rulesets.csa.demo import DEMO
from ratings.rulesets.csa.downloads import DOWNLOADS
from ratings.rulesets.csa.edition_2020.parameters import PARAMETERS
from ratings.rulesets.csa.messages import MESSAGES
from ratings.rulesets.csa.pages import PAGES
from ratings.rulesets.csa.questions import QUESTIONS
from ratings.rulesets.csa.standing import dump, load
from ratings.rulesets.facts import Section
from ratings.rulesets.files import CROSS_TABLE, SWISS_MANAGER, TRF
from ratings.rulesets.reports import Finding, Level
from ratings.rulesets.ruleset import AgeGroup, Choice, Confirmation, Edition, Field, IdKind, Ruleset, Track
from ratings.rulesets.words import gettext_noop as _

EDITIONS = (
    Edition(date(2020, 7, 1), _("Rating Regulations of 1 July 2020"), edition_2020, PARAMETERS),
)  # §1, D-9

AGE_GROUPS = (
    # D-CSA-5: of that age or less, so that the younger stand in the groups of the older too
    *(AgeGroup(f"u{age}", f"U{age}", most=age) for age in range(8, 21, 2)),
    AgeGroup("adult", _("Adult"), least=21),
)


def rateable(section: Section) -> Finding | None:
    """Why no official can rate it: played before §1, faster than §23, or its time or platform not known."""
    first = EDITIONS[0].in_force
    if section.starts < first:
        return Finding("1", Level.BLOCKS, "before-the-regulations", {"first": first}, "starts")
    return edition_2020.unrateable(section)


RULESET = Ruleset(
    slug="csa",
    name="Chess South Africa",
    country=edition_2020.HOME,
    tracks=(
        Track("otb-main", _("OTB Main"), _("Over the board")),
        Track("otb-standard", _("OTB Standard"), _("Over the board")),
        Track("otb-rapid", _("OTB Rapid"), _("Over the board")),
        Track("otb-blitz", _("OTB Blitz"), _("Over the board")),
        Track("ol-main", _("Online Main"), _("Online")),
        Track("ol-standard", _("Online Standard"), _("Online")),
        Track("ol-rapid", _("Online Rapid"), _("Online")),
        Track("ol-blitz", _("Online Blitz"), _("Online")),
        Track("hyb-main", _("Hybrid Main"), _("Hybrid")),
        Track("hyb-standard", _("Hybrid Standard"), _("Hybrid")),
        Track("hyb-rapid", _("Hybrid Rapid"), _("Hybrid")),
        Track("hyb-blitz", _("Hybrid Blitz"), _("Hybrid")),
    ),
    editions=EDITIONS,
    clauses=CLAUSES,
    questions=QUESTIONS,
    messages=MESSAGES,
    load=load,
    dump=dump,
    reads=frozenset({"sex", "born", "rating", "excused"}),  # §16 §59, D-CSA-6, D-CSA-10
    id_kinds=(  # §14.1.4 §14.2.1
        IdKind("fide", _("FIDE id")),
        IdKind("lichess", _("Name on Lichess"), platform=True),
        IdKind("chess.com", _("Name on Chess.com"), platform=True),
    ),
    wants_of_new=frozenset({"first-name", "birth-date"}),  # §14.1.1 §14.1.2
    fields=(
        Field(
            name="time_controls",
            label=_("Time control"),
            kind="time_controls",
            clause="19",
            help=_("Minutes of each period and the seconds added for a move. Where there are several, all."),
        ),
        Field(
            name="platform",
            label=_("Played"),
            kind="choice",
            clause="24",
            help=_("Mixed: some players at boards, some online. Such a section moves Hybrid ratings only."),
            choices=(
                Choice("otb", _("Over the board")),
                Choice("online", _("Online")),
                Choice("mixed", _("Mixed")),
            ),
        ),
        Field(
            name="disabled",
            label=_("For players with a disability"),
            kind="flag",
            clause="17.4",
            help=_("Such a section is rated from four rounds on."),
            required=False,
        ),
    ),
    filing_fields=(
        Field(
            name="fide_rated",
            label=_("FIDE rated"),
            kind="choice",
            clause="61.2",
            help=_("Leave it empty where Chess South Africa alone rates the section."),
            choices=(Choice("non-norm", _("Yes, without norms")), Choice("norm", _("Yes, with norms"))),
            required=False,
        ),
        Field(
            name="club",
            label=_("Club event"),
            kind="flag",
            clause="8",
            help=_("Only in a club event may an appointed arbiter play."),
            required=False,
        ),
    ),
    confirmations=(
        Confirmation("6", _("A qualified arbiter was there for the whole of every round.")),
        Confirmation(
            "7", _("South African arbiters had paid the year's membership fee before the event began.")
        ),
        Confirmation("21", _("Both players of each game had the same time.")),
    ),
    formats=edition_2020.FORMATS,
    decimals=1,  # §28
    sides=(_("white"), _("black")),
    age_groups=AGE_GROUPS,
    downloads=DOWNLOADS,
    whole_files=True,  # §28
    files=(TRF, SWISS_MANAGER, CROSS_TABLE),
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
    rateable=rateable,
    tracks_of=edition_2020.tracks_of,
    pages=PAGES,
    counts=edition_2020.counts,  # §39
    demo=DEMO,
)
