"""The ruleset of Sevastopol Sports Dots Club: Elo ratings in Classic and Rapid Dots, and sports ranks."""

from datetime import date

from ratings.rulesets import ruleset
from ratings.rulesets.facts import Finding, Level, Section, by_order_of_play, gettext_noop as _
from ratings.rulesets.ssdc import edition_2017
from ratings.rulesets.ssdc.clauses import AMENDMENTS, CLAUSES, QUESTIONS
from ratings.rulesets.ssdc.fields import FIELDS
from ratings.rulesets.ssdc.messages import MESSAGES
from ratings.rulesets.ssdc.parameters import PARAMETERS
from ratings.rulesets.ssdc.standing import KEPT_DECIMALS, dump, load

# D-9: only the text as amended is known, so there is one edition from the approval on
EDITIONS = ruleset.enact(
    (
        ruleset.Edition(
            date(2017, 1, 27), _("Regulations of 2017, as amended in 2018"), edition_2017, PARAMETERS
        ),
    ),
    CLAUSES,
    AMENDMENTS,
)


def build(editions: tuple[ruleset.Edition, ...]) -> ruleset.Ruleset:
    """The ruleset with these editions: a section's or a day's functions are those in force then."""
    newest = editions[-1].rules
    find_in_rules = ruleset.of_day(editions, edition_2017.find_unrateable_reason)

    def find_unrateable_reason(section: Section) -> Finding | None:
        """The reason why a section can never be rated: too early (§5.2), friendly (§3.5), incomplete."""
        first = editions[0].in_force
        if section.starts < first:
            return Finding("5.2", Level.BLOCKS, "before-the-regulations", {"first": first}, "starts")
        return find_in_rules(section)

    return ruleset.Ruleset(
        slug="ssdc",
        name="Sevastopol Sports Dots Club",
        country="RUS",
        tracks=(ruleset.Track("classic", _("Classic Dots")), ruleset.Track("rapid", _("Rapid Dots"))),  # §1.5
        editions=editions,
        words=ruleset.Words(CLAUSES, MESSAGES, QUESTIONS),
        storage=ruleset.Storage(load, dump, kept_decimals=KEPT_DECIMALS),
        sections=ruleset.SectionRules(
            formats=edition_2017.FORMATS,
            tracks_of=ruleset.of_day(editions, edition_2017.tracks_of),
            fields=FIELDS,
            find_unrateable_reason=find_unrateable_reason,
            deadlines=ruleset.of_day(editions, edition_2017.deadlines, 0),  # §4.2 §4.3
            requirements=edition_2017.REQUIREMENTS,
            places_needed=True,  # §2.4.2
            many_games_a_round=True,  # §1.7.1
        ),
        journal=ruleset.JournalRules(
            folds=frozenset({"rated", "list", "opening", "rank"}),
            order_key=by_order_of_play,
            counts_from="D-SSDC-2",
            ranks=edition_2017.RANKS,
            no_rank=edition_2017.NO_RANK,  # §2.3.2
        ),
        figures=ruleset.PlayerFigures(  # §2 §4.5 §4.6
            held=ruleset.of_day(editions, edition_2017.rank_steps),
            listed=ruleset.of_day(editions, edition_2017.listed_steps),
            initial=newest.INITIAL_RATING,
            extract=ruleset.of_day(editions, edition_2017.extract),
        ),
    )


RULESET = build(EDITIONS)
