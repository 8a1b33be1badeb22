"""The ruleset of Chess South Africa: twelve ratings for each player, which change with the monthly lists."""

from datetime import date

from ratings.rulesets import ruleset
from ratings.rulesets.csa import edition_2020
from ratings.rulesets.csa.clauses import AMENDMENTS, CLAUSES, QUESTIONS
from ratings.rulesets.csa.edition_2020 import acceptance, formulas, rating, working
from ratings.rulesets.csa.messages import MESSAGES
from ratings.rulesets.csa.parameters import PARAMETERS
from ratings.rulesets.csa.standing import dump, load
from ratings.rulesets.facts import Choice, Field, Finding, Level, Section, flag, gettext_noop as _

EDITIONS = ruleset.enact(
    (
        ruleset.Edition(
            date(2020, 7, 1),
            _("Rating Regulations of 1 July 2020"),
            edition_2020,
            PARAMETERS,
            scoring=rating.SCORING,  # D-CSA-13
        ),
    ),
    CLAUSES,
    AMENDMENTS,
)  # §1, D-9

FIELDS = (
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
    flag(
        "disabled",
        _("For players with a disability"),
        "17.4",
        _("Such a section is rated from four rounds on."),
    ),
)


def build(editions: tuple[ruleset.Edition, ...]) -> ruleset.Ruleset:
    """The ruleset with these editions: a section's or a day's functions are those in force then."""
    newest = editions[-1].rules
    find_in_rules = ruleset.of_day(editions, acceptance.find_unrateable_reason)

    def find_unrateable_reason(section: Section) -> Finding | None:
        """The reason why a section can never be rated: too early (§1), too fast (§23), details missing."""
        first = editions[0].in_force
        if section.starts < first:
            return Finding("1", Level.BLOCKS, "before-the-regulations", {"first": first}, "starts")
        return find_in_rules(section)

    return ruleset.Ruleset(
        slug="csa",
        name="Chess South Africa",
        country=formulas.HOME,
        tracks=(
            ruleset.Track("otb-main", _("OTB Main"), _("Over the board")),
            ruleset.Track("otb-standard", _("OTB Standard"), _("Over the board")),
            ruleset.Track("otb-rapid", _("OTB Rapid"), _("Over the board")),
            ruleset.Track("otb-blitz", _("OTB Blitz"), _("Over the board")),
            ruleset.Track("ol-main", _("Online Main"), _("Online")),
            ruleset.Track("ol-standard", _("Online Standard"), _("Online")),
            ruleset.Track("ol-rapid", _("Online Rapid"), _("Online")),
            ruleset.Track("ol-blitz", _("Online Blitz"), _("Online")),
            ruleset.Track("hyb-main", _("Hybrid Main"), _("Hybrid")),
            ruleset.Track("hyb-standard", _("Hybrid Standard"), _("Hybrid")),
            ruleset.Track("hyb-rapid", _("Hybrid Rapid"), _("Hybrid")),
            ruleset.Track("hyb-blitz", _("Hybrid Blitz"), _("Hybrid")),
        ),
        editions=editions,
        words=ruleset.Words(CLAUSES, MESSAGES, QUESTIONS),
        storage=ruleset.Storage(load, dump, kept_decimals=16),  # D-CSA-17
        sections=ruleset.SectionRules(
            formats=acceptance.FORMATS,
            tracks_of=ruleset.of_day(editions, formulas.tracks_of),
            find_unrateable_reason=find_unrateable_reason,
            deadlines=ruleset.of_day(editions, acceptance.deadlines, 0),  # §10 §18 §61 §62
            requirements=acceptance.REQUIREMENTS,
            fields=FIELDS,
        ),
        journal=ruleset.JournalRules(
            reads=frozenset({"rating", "pre", "excused"}),  # D-CSA-6, §58, D-CSA-10
            counts_from="67",
        ),
        pre_ratings=ruleset.PreRatings(  # §58 §59, D-CSA-19
            newest.rating.PRE_RATING_VALUES, ruleset.of_day(editions, rating.pre_rating_of)
        ),
        calendar=ruleset.Calendar(waits_for_list=True),  # §67
        figures=ruleset.PlayerFigures(  # §37 §39 §53 §54
            listed=ruleset.of_day(editions, rating.listed_steps),
            activity=ruleset.in_edition(editions[-1], rating.activity_step),
            expected=ruleset.in_edition(editions[-1], formulas.expected_for_player),
            counts=ruleset.of_day(editions, rating.counting_performances),
            collected=ruleset.in_edition(editions[-1], working.collected_table),
        ),
    )


RULESET = build(EDITIONS)
SHOWN_DECIMALS = rating.SHOWN_DECIMALS  # §28
section_performances = ruleset.of_day(EDITIONS, rating.section_performances, 1)  # §32 §47 §49
