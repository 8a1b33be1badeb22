"""The ruleset of Czech piškvorky: founding tournaments, novices, and established ratings moved by a table."""

from datetime import date

from ratings.rulesets import ruleset
from ratings.rulesets.facts import WorkingStep, by_order_of_play, gettext_noop as _
from ratings.rulesets.piskvorky import edition_undated
from ratings.rulesets.piskvorky.clauses import AMENDMENTS, CLAUSES, QUESTIONS
from ratings.rulesets.piskvorky.messages import MESSAGES
from ratings.rulesets.piskvorky.parameters import PARAMETERS
from ratings.rulesets.piskvorky.standing import dump, load

EDITIONS = ruleset.enact(
    (ruleset.Edition(date.min, _("Rating system, undated"), edition_undated, PARAMETERS),),
    CLAUSES,
    AMENDMENTS,
)  # D-9


def build(editions: tuple[ruleset.Edition, ...]) -> ruleset.Ruleset:
    """The ruleset with these editions: a section's or a day's functions are those in force then."""
    return ruleset.Ruleset(
        slug="piskvorky",
        name="Czech piškvorky",
        country="CZE",
        tracks=(ruleset.Track(edition_undated.TRACK, _("Rating")),),
        editions=editions,
        words=ruleset.Words(CLAUSES, MESSAGES, QUESTIONS),
        storage=ruleset.Storage(
            load,
            dump,
            load_wide=int,  # §6: founding tournaments so far
            dump_wide=str,
            kept_decimals=0,  # D-4
        ),
        sections=ruleset.SectionRules(
            formats=edition_undated.FORMATS,
            tracks_of=ruleset.of_day(editions, edition_undated.tracks_of),
            requirements=edition_undated.REQUIREMENTS,
            many_games_a_round=True,  # short matches
        ),
        journal=ruleset.JournalRules(order_key=by_order_of_play),  # D-PIS-7
        figures=ruleset.PlayerFigures(  # §2 §3 §5
            listed=ruleset.of_day(editions, edition_undated.listed_steps),
            uncounted=WorkingStep("3", "uncounted", {}),
            collected=ruleset.in_edition(editions[-1], edition_undated.collected_table),
        ),
    )


RULESET = build(EDITIONS)
