"""Pre-ratings (§58): which entrants of a section need one, what approval states, and the births that an
official is asked for first, since pre-ratings depend on them.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from players.models import Federation, Player
from players.writing import batches
from ratings.journal import aliases, read_lines
from ratings.models import Fact, Standing
from ratings.rulesets import facts, journal
from ratings.rulesets.facts import PlayerId
from ratings.rulesets.particulars import can_be_registered
from ratings.rulesets.ruleset import Ruleset
from tournaments.models import Entry, Section
from tournaments.sections import IncompleteSection, section_fact

_BATCH_SIZE = 500


class BirthAnswer(NamedTuple):
    """An official's answer about a player's year of birth (None: nobody knows) and sex."""

    born: int | None
    sex: str = ""


Births = Mapping[PlayerId, BirthAnswer]
"""Officials' answers about births, by player number."""


NO_BIRTHS: Births = MappingProxyType({})


def apply_birth_answer(player: Player, answer: BirthAnswer) -> None:
    """Put an answer about a birth into the player's register row, without saving it."""
    player.born, player.sex = answer.born, player.sex or answer.sex


def compute_pre_ratings(
    federation: Federation, section: facts.Section, players: Iterable[Player]
) -> tuple[facts.Section, list[Player]]:
    """State pre-ratings in a section, as its approval does; return it with them, and those of their players
    whose birth the register does not know.

    A pre-rating is stated for players with too few counted games, by the standings last computed, in a track
    that the section updates, and for those who had one in an earlier version of the section, however many
    games there are by now; for nobody else. One of an earlier version of the same year is kept where the
    register does not know the birth: nobody is asked for it again.
    """
    ruleset = federation.ruleset
    if ruleset.pre_ratings is None:
        return section, []
    earlier, people = get_earlier_version_pres(federation, section), list(players)
    few = {player.pk for player in players_needing_pre(ruleset, section, people)}
    needed = [player for player in people if player.pk in few or player.number in earlier]
    kept = {p.number: pre for p in needed if p.born is None and (pre := earlier.get(p.number)) is not None}
    pres = {p.number: ruleset.pre_ratings.of(p.born, p.sex or None, section) for p in needed} | kept
    entries = tuple(replace(entry, pre=pres.get(entry.player)) for entry in section.entries)
    asked = "born" in federation.equipment.office.asks
    unknown = [p for p in needed if asked and p.born is None and p.number not in kept]
    return replace(section, entries=entries), unknown


def get_earlier_version_pres(federation: Federation, section: facts.Section) -> dict[PlayerId, int | None]:
    """The last pre-rating that an earlier version of a section states for each player, by the number that
    holds after merges; None if only versions of another year state one, which may be that of another age.
    """
    versions = read_lines(federation, Fact.objects.about(federation, [section.id], "section"))
    names = aliases(federation) if versions else {}
    found: dict[PlayerId, int | None] = {}
    for _number, version in sorted(versions, key=lambda line: line.number):
        assert isinstance(version, facts.Section)
        of_this_year = version.starts.year == section.starts.year
        for player, pre in journal.stated_pre_ratings(version, names).items():
            found[player] = pre if of_this_year else found.get(player)
    return found


def players_needing_pre(ruleset: Ruleset, section: facts.Section, players: Iterable[Player]) -> list[Player]:
    """The players with too few counted games in a track of the section, who get a pre-rating stated."""
    if ruleset.pre_ratings is None:
        return []
    few = ruleset.pre_ratings.until_games
    people = {player.pk: player for player in players}
    tracks = ruleset.sections.tracks_of(section)
    enough: dict[int, int] = dict.fromkeys(people, 0)
    for some in batches(sorted(people), _BATCH_SIZE):
        counted = Standing.objects.filter(player__in=some, track__in=tracks)
        for player in counted.filter(games__gte=few).values_list("player_id", flat=True):
            enough[player] += 1
    return [player for pk, player in people.items() if enough[pk] < len(tracks)]


def get_unrated_without_pre(
    ruleset: Ruleset, state: facts.State[Any], fact: facts.Fact
) -> Sequence[PlayerId]:
    """Numbers of a section's entrants whom the rules rate from an adult's pre-rating, because they are
    unrated in `state` (that before the section) and none was ever stated for them; empty for any other fact.
    """
    if ruleset.pre_ratings is None or not isinstance(fact, facts.RatedSection):
        return ()
    abroad = fact.section.country not in (None, ruleset.country)
    tracks = ruleset.sections.tracks_of(fact.section)
    return [
        entry.player
        for entry in fact.section.entries
        if entry.pre is None
        and entry.player not in fact.pres
        and not (abroad and entry.rating)
        and any(_is_unrated(state, entry.player, track) for track in tracks)
    ]


def _is_unrated(state: facts.State[Any], player: PlayerId, track: str) -> bool:
    standing = state.get(player, track)
    return standing is None or standing.rating is None


def is_possible_birth(section: Section, year: int) -> bool:
    """Whether somebody born that year can have played in the section."""
    return can_be_registered(str(year), section.starts)


# ---- Questions about births before approval
#
# The form and previews of approval start from the births in the filed file.
BORN, SEX, NOT_KNOWN = "born-", "sex-", "unknown-"
SEXES = ("m", "f")


@dataclass(frozen=True, slots=True)
class BirthQuestion:
    """A player whose birth the review asks for, with the answer that was typed or filed."""

    player: Player
    year: str
    sex: str
    not_known: bool
    asks_sex: bool
    wrong: str = ""
    """The fault in the answer, if any."""

    @property
    def names(self) -> dict[str, str]:
        """The names of this question's form fields, by `born`, `sex` and `not_known`."""
        number = self.player.number
        return {"born": BORN + number, "sex": SEX + number, "not_known": NOT_KNOWN + number}

    @property
    def answer(self) -> BirthAnswer:
        """The answer as approval takes it; defined only while `wrong` is empty."""
        return BirthAnswer(int(self.year), self.sex) if self.year else BirthAnswer(None)


def get_birth_questions(
    section: Section, typed_answers: Mapping[str, str] | None = None
) -> list[BirthQuestion]:
    """The births that the review of a section asks for, as typed and with their faults, or as filed if
    `typed_answers` is None. None are asked of a section that is not whole.
    """
    entries = list(section.entries.select_related("player__federation", "player__region"))
    people = {entry.player.number: entry for entry in entries if entry.player}
    try:
        record = section_fact(section)
        players = [entry.player for entry in entries if entry.player]
        _stated, unknown = compute_pre_ratings(section.event.federation, record, players)
    except (IncompleteSection, LookupError):
        return []
    if typed_answers is None:
        return [_filed_answer(section, player, people[player.number]) for player in unknown]
    return [_typed_answer(section, player, typed_answers) for player in unknown]


def get_filed_births(section: Section) -> Births:
    """The possible births in the filed file of those who would be asked about, by number."""
    return {
        one.player.number: one.answer
        for one in get_birth_questions(section)
        if one.year and not _find_fault(section, one.year, not_known=False)
    }


def get_valid_birth_answers(questions: Iterable[BirthQuestion]) -> dict[str, BirthAnswer]:
    """The faultless answers, by player's number."""
    return {one.player.number: one.answer for one in questions if not one.wrong}


def _filed_answer(section: Section, player: Player, entry: Entry) -> BirthQuestion:
    sex = entry.sex if entry.sex in SEXES else ""
    return BirthQuestion(player, entry.birth[:4], sex, not_known=False, asks_sex=_asks_sex(section, player))


def _typed_answer(section: Section, player: Player, typed: Mapping[str, str]) -> BirthQuestion:
    year, sex = typed.get(BORN + player.number, "").strip(), typed.get(SEX + player.number, "")
    not_known = NOT_KNOWN + player.number in typed
    return BirthQuestion(
        player,
        year,
        sex if sex in SEXES else "",
        not_known,
        asks_sex=_asks_sex(section, player),
        wrong=_find_fault(section, year, not_known=not_known),
    )


def _asks_sex(section: Section, player: Player) -> bool:
    return "sex" in section.event.federation.equipment.office.asks and not player.sex


def _find_fault(section: Section, year: str, *, not_known: bool) -> str:
    if not_known:
        both = _("You gave both a year and “not known”. Remove one of them.")
        return both if year else ""
    if not year:
        return _("Give the year, or say that it is not known.")
    if not (year.isdecimal() and year.isascii() and len(year) == 4):
        words = _("“%(typed)s” is not a year of birth. Write four digits, such as 1998.")
        return words % {"typed": year[:20]}
    if not is_possible_birth(section, int(year)):
        return _("Nobody of this section was born in %(year)s. Write a year such as 1998.") % {"year": year}
    return ""
