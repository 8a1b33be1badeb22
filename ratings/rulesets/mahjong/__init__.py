"""The ruleset of the Russian Mahjong Federation: ratings are weighted means of places, for any day."""

from datetime import date
from decimal import Decimal

from ratings.rulesets import ruleset
from ratings.rulesets.facts import Section, gettext_noop as _
from ratings.rulesets.mahjong import edition_undated
from ratings.rulesets.mahjong.clauses import AMENDMENTS, CLAUSES, QUESTIONS
from ratings.rulesets.mahjong.fields import FIELDS
from ratings.rulesets.mahjong.messages import MESSAGES
from ratings.rulesets.mahjong.parameters import PARAMETERS
from ratings.rulesets.mahjong.standing import dump, dump_wide, load, load_wide

EDITIONS = ruleset.enact(
    (ruleset.Edition(date.min, _("Rating system, undated"), edition_undated, PARAMETERS),),
    CLAUSES,
    AMENDMENTS,
)  # D-9


def tracks_of(section: Section) -> tuple[str, ...]:
    return (edition_undated.TRACK,)


def build(editions: tuple[ruleset.Edition, ...]) -> ruleset.Ruleset:
    """The ruleset with these editions: a section's or a day's functions are those in force then."""
    return ruleset.Ruleset(
        slug="mahjong",
        name="Russian Mahjong Federation",
        country=edition_undated.HOME,
        tracks=(ruleset.Track(edition_undated.TRACK, _("Rating")),),
        editions=editions,
        words=ruleset.Words(CLAUSES, MESSAGES, QUESTIONS),
        storage=ruleset.Storage(load, dump, load_wide, dump_wide),
        sections=ruleset.SectionRules(
            formats=("placement",),
            tracks_of=tracks_of,
            fields=FIELDS,
            find_unrateable_reason=ruleset.of_day(editions, edition_undated.find_unrateable_reason),
            admission=ruleset.of_day(editions, edition_undated.check_admission, 0),  # §3
            deadlines=ruleset.of_day(editions, edition_undated.deadlines, 0),  # §1.6 §3
            requirements=edition_undated.LIST_BEFORE_PLAY,
            places_needed=True,  # §5
        ),
        journal=ruleset.JournalRules(
            folds=frozenset({"rated", "list", "player"}),  # D-RMF-4: the register is a fact of its own
            reads=frozenset({"included_by"}),  # §2
            counts_from="D-RMF-7",
        ),
        calendar=ruleset.Calendar(
            days_of_change=ruleset.of_day(editions, edition_undated.days_of_change),  # D-RMF-8
            rating_on=ruleset.of_day(editions, edition_undated.rating_on),
        ),
        figures=ruleset.PlayerFigures(
            listed=ruleset.of_day(editions, edition_undated.listed_steps),
            counts=ruleset.of_day(editions, edition_undated.counting_competitions),
            class_width=Decimal("0.2"),
        ),
    )


RULESET = build(EDITIONS)
