"""The ruleset of the Russian Mahjong Federation: ratings are weighted means of places, for any day."""

from datetime import date

from ratings.rulesets import ruleset
from ratings.rulesets.facts import Section, gettext_noop as _
from ratings.rulesets.mahjong import edition_undated
from ratings.rulesets.mahjong.clauses import CLAUSES, QUESTIONS
from ratings.rulesets.mahjong.edition_undated import PARAMETERS
from ratings.rulesets.mahjong.fields import FIELDS
from ratings.rulesets.mahjong.messages import MESSAGES
from ratings.rulesets.mahjong.standing import dump, dump_wide, load, load_wide


def tracks_of(section: Section) -> tuple[str, ...]:
    return (edition_undated.TRACK,)


RULESET = ruleset.Ruleset(
    slug="mahjong",
    name="Russian Mahjong Federation",
    country=edition_undated.HOME,
    tracks=(ruleset.Track(edition_undated.TRACK, _("Rating")),),
    editions=(ruleset.Edition(date.min, _("Rating system, undated"), edition_undated, PARAMETERS),),  # D-9
    words=ruleset.Words(CLAUSES, MESSAGES, QUESTIONS),
    storage=ruleset.Storage(load, dump, load_wide, dump_wide),
    sections=ruleset.SectionRules(
        formats=("placement",),
        tracks_of=tracks_of,
        fields=FIELDS,
        find_unrateable_reason=edition_undated.find_unrateable_reason,
        admission=edition_undated.check_admission,  # §3
        deadlines=edition_undated.deadlines,  # §1.6 §3
        requirements=edition_undated.LIST_BEFORE_PLAY,
        places_needed=True,  # §5
    ),
    journal=ruleset.JournalRules(
        folds=frozenset({"rated", "list", "player"}),  # D-RMF-4: the register is a fact of its own
        reads=frozenset({"included_by"}),  # §2
        counts_from="D-RMF-7",
    ),
    calendar=ruleset.Calendar(
        days_of_change=edition_undated.days_of_change,  # D-RMF-8
        rating_on=edition_undated.rating_on,
    ),
    figures=ruleset.PlayerFigures(
        listed=edition_undated.listed_steps, counts=edition_undated.counting_competitions
    ),
)
