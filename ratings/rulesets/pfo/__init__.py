"""The ruleset of the Polish Othello Federation: a ranking by tables of points, and the Grand Prix."""

from datetime import date

from ratings.rulesets import ruleset
from ratings.rulesets.facts import Finding, Level, Section, WorkingStep, by_order_of_play, gettext_noop as _
from ratings.rulesets.pfo import edition_2009
from ratings.rulesets.pfo.clauses import AMENDMENTS, CLAUSES, QUESTIONS
from ratings.rulesets.pfo.fields import FIELDS
from ratings.rulesets.pfo.messages import MESSAGES
from ratings.rulesets.pfo.parameters import PARAMETERS
from ratings.rulesets.pfo.standing import dump, dump_wide, load, load_wide

EDITIONS = ruleset.enact(
    (ruleset.Edition(date(2009, 12, 12), _("Points Regulations of 2009"), edition_2009, PARAMETERS),),
    CLAUSES,
    AMENDMENTS,
)  # §preamble, D-9


def tracks_of(section: Section) -> tuple[str, ...]:
    """The tracks that a section moves, which is always the same one (§8 §12)."""
    return (edition_2009.TRACK,)


def build(editions: tuple[ruleset.Edition, ...]) -> ruleset.Ruleset:
    """The ruleset with these editions: a section's or a day's functions are those in force then."""
    newest = editions[-1].rules
    find_in_rules = ruleset.of_day(editions, edition_2009.find_unrateable_reason)

    def find_unrateable_reason(section: Section) -> Finding | None:
        """The reason why a section can never be rated: too early, or its kind or season not known."""
        first = editions[0].in_force
        if section.starts < first:
            return Finding("preamble", Level.BLOCKS, "before-the-regulations", {"first": first}, "starts")
        return find_in_rules(section)

    return ruleset.Ruleset(
        slug="pfo",
        name="Polska Federacja Othello",
        country=edition_2009.HOME,
        tracks=(ruleset.Track(edition_2009.TRACK, _("Ranking")),),
        editions=editions,
        words=ruleset.Words(CLAUSES, MESSAGES, QUESTIONS),
        storage=ruleset.Storage(load, dump, load_wide, dump_wide, kept_decimals=0),  # D-4
        sections=ruleset.SectionRules(
            formats=edition_2009.FORMATS,
            tracks_of=tracks_of,
            fields=FIELDS,
            find_unrateable_reason=find_unrateable_reason,
            places_needed=True,  # §12 §16
            requirements=edition_2009.REQUIREMENTS,
            many_games_a_round=True,
            women_play_in=frozenset({"mp"}),
        ),
        journal=ruleset.JournalRules(
            folds=frozenset({"rated", "list", "opening", "playoff"}),
            reads=frozenset({"women"}),  # §preamble, D-PFO-11
            order_key=by_order_of_play,  # D-1
            notes_of=edition_2009.note_championship_ends,
        ),
        figures=ruleset.PlayerFigures(  # §8 §12 §13
            listed=ruleset.of_day(editions, edition_2009.listed_steps),
            uncounted=WorkingStep("12", "uncounted", {}),
            initial=newest.FIRST_RATING,
        ),
    )


RULESET = build(EDITIONS)
