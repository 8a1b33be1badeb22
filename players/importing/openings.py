"""Opening ratings: those of the list with which an office begins, as facts of the journal with their source.

No rating is written by hand here either: an opening says from which list it is, stands openly in the journal,
and the rules make of it what they make of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from decimal import Decimal
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from players.drawing.days_in_words import day_in_words
from players.importing.problem_messages import RowProblem
from players.office.decision_record import Refused
from players.office.models import Federation, Ledger
from players.register.models import Player
from players.register.player_to_fact import player_fact
from ratings.equipment.downloads import exact
from ratings.journal.append import JournalWriter, day_of
from ratings.journal.days_taken_over import day_taken_over
from ratings.journal.models import Fact
from ratings.journal.read_facts import aliases, folded_fact
from ratings.law import facts

RATING, GAMES = "rating", "games"
"""The columns that a table of opening ratings has beside a register's."""
LONGEST_SOURCE = 100
MOST_GAMES = 999_999
SHOWN = 200
"""The rows of the list that would come out which a person sees."""
_RATING = re.compile(r"[0-9]{1,6}(?:[.,][0-9]+)?")
_GAMES = re.compile(r"[0-9]{1,6}")
_HEADINGS = {
    RATING: ("rating", "rtg", "rtg nat", "elo", "elonat", "points"),
    GAMES: ("games", "gms", "games played", "number of games"),
}


@dataclass(frozen=True, slots=True)
class OpeningTerms:
    """The list from which ratings are taken over: of which track and day, and how it is called."""

    track: str
    on: str
    """The list's day, `2020-06-30`."""
    source: str

    @property
    def day(self) -> date:
        return date.fromisoformat(self.on)

    def as_dict(self) -> dict[str, str]:
        return asdict(self)


class TakenOpening(NamedTuple):
    """A player's rating on the list, and the games counted before."""

    rating: str
    games: int


def headings() -> dict[str, str]:
    """The columns of a table of opening ratings beside a register's, by heading."""
    return {heading: name for name, spellings in _HEADINGS.items() for heading in spellings}


# ---------------------------------------------------------------- what forbids it


def refuse_openings(federation: Federation, terms: OpeningTerms, today: date) -> None:
    """Raise `Refused` where this office cannot take over ratings, or not from that list."""
    refuse_begun(federation)
    tracks = [track.code for track in federation.ruleset.tracks]
    if terms.track not in tracks:
        words = _("There is no rating “%(track)s” here. There are: %(tracks)s.")
        raise Refused(words % {"track": terms.track[:40], "tracks": ", ".join(tracks)})
    if not terms.source.strip() or len(terms.source) > LONGEST_SOURCE:
        raise Refused(_("Say which list it is, in up to 100 characters: everybody reads it beside a rating."))
    if terms.day > today:
        raise Refused(_("The list’s day is still to come."))
    refuse_earlier_day(federation, terms)


def refuse_begun(federation: Federation) -> None:
    """Raise `Refused` where the rules know no openings, or the office's record has begun."""
    if "opening" not in federation.ruleset.journal.folds:
        raise Refused(
            _(
                "These regulations know no opening ratings: each rating is computed from competitions. "
                "Enter those."
            )
        )
    begun = (
        Fact.objects.filter(federation=federation, kind__in=("section", "list")).order_by("number").first()
    )
    if begun is not None:
        raise Refused(_words_of_begun(federation, begun.number))


def _words_of_begun(federation: Federation, line: int) -> str:
    if day := day_taken_over(federation, line):
        words = _(
            "The past of this office was taken in on %(day)s, and opening ratings stand above all of it: "
            "they go in first, and then what was played after their day."
        )
        return words % {"day": day_in_words(day)}
    words = _(
        "This office has begun: line %(line)s of its journal is a section or a list, and opening ratings "
        "stand above the first of them (the journal, “opening”)."
    )
    return words % {"line": line}


def refuse_earlier_day(federation: Federation, terms: OpeningTerms) -> None:
    """Raise `Refused` where the journal has a later day than the list: its days never go backwards."""
    newest = day_of(federation, terms.day)
    if newest != terms.day:
        words = _("The journal already has a line of %(day)s, and its days never go backwards.")
        raise Refused(words % {"day": day_in_words(newest)})


# ---------------------------------------------------------------- row by row


class OpeningReader:
    """Reads the opening of each row, and adds up the list that would come out."""

    def __init__(
        self,
        federation: Federation,
        terms: OpeningTerms,
        before: Sequence[tuple[int, facts.Opening]],
        games: str = "",
    ) -> None:
        """`before`: the openings of that track in the journal, each with its line's number. `games`: for rows
        that tell none.
        """
        self.federation, self.terms, self.games = federation, terms, games
        self.kept = federation.ruleset.storage.kept_decimals
        self.before = before
        self.taken = {opening.player: line for line, opening in self.before}
        self.read: list[tuple[str, str, str, TakenOpening]] = []
        """Of each opening read so far: an id for the fold, the player's number and name, rating and games."""

    def of(self, cells: Mapping[str, str], number: str) -> TakenOpening | RowProblem | None:
        """The opening of a row; None: it has no rating. `number`: the player's, empty for a new one."""
        text = cells.get(RATING, "").replace(" ", "")
        if text in ("", "-") or not text.strip("0.,"):
            return None
        if not _RATING.fullmatch(text):
            return RowProblem("rating-not-read", RATING, {"text": text[:40]})
        rating = text.replace(",", ".")
        if len(rating.partition(".")[2]) > self.kept:
            return RowProblem("rating-decimals", RATING, {"text": text[:40], "most": self.kept})
        if number in self.taken:
            return RowProblem("opening-twice", RATING, {"line": self.taken[number]})
        games = cells.get(GAMES, "") or self.games
        if not _GAMES.fullmatch(games):
            return RowProblem("games-not-read" if games else "games-missing", GAMES, {"text": games[:40]})
        return TakenOpening(rating, int(games))

    def note(self, line: int, number: str, name: str, opening: TakenOpening) -> None:
        """Add an opening to the list that would come out."""
        self.read.append((number or f"~{line}", number, name, opening))

    def listed(self) -> list[list[Any]]:
        """The list of that day by the rules: of its first rows rank, number, name, rating and games."""
        ruleset, start = self.federation.ruleset, len(self.before) + 1
        names = dict(_names(self.federation, [opening.player for _line, opening in self.before]))
        names |= {key: (number, name) for key, number, name, _opening in self.read}
        folded = [facts.Placed(at, opening) for at, (_line, opening) in enumerate(self.before, 1)]
        folded += [
            facts.Placed(at, self._fact(key, opening))
            for at, (key, *_who, opening) in enumerate(self.read, start)
        ]
        state: facts.State[Any] = facts.State()
        for _step in ruleset.fold(folded, state):
            pass
        rows = ruleset.rules_on(self.terms.day).rating_list(state, self.terms.track, self.terms.day)
        return [
            [row.rank, *names.get(row.player, (row.player, "")), exact(row.rating), row.games]
            for row in rows[:SHOWN]
        ]

    def _fact(self, player: str, opening: TakenOpening) -> facts.Opening:
        return opening_fact(self.terms, player, opening)


def opening_fact(terms: OpeningTerms, player: str, opening: TakenOpening) -> facts.Opening:
    rating = Decimal(opening.rating)
    return facts.Opening(player, terms.track, rating, opening.games, terms.day, terms.source.strip())


def openings_of(federation: Federation, track: str) -> Iterator[tuple[int, facts.Opening]]:
    """The openings of a track that the journal has, each with its line's number, merges followed."""
    names = aliases(federation)
    rows = Fact.objects.filter(federation=federation, kind="opening").in_force().order_by("number")
    for row in rows:
        row.federation = federation
        placed = folded_fact(row, names)
        assert isinstance(placed, facts.Placed)
        if isinstance(placed.fact, facts.Opening) and placed.fact.track == track:
            yield placed.number, placed.fact


def _names(federation: Federation, numbers: Iterable[str]) -> Iterator[tuple[str, tuple[str, str]]]:
    for player in Player.objects.of(federation).filter(number__in=list(numbers)):
        yield player.number, (player.number, player.name)


# ---------------------------------------------------------------- into the journal


def write_openings(
    federation: Federation, ledger: Ledger, terms: OpeningTerms, openings: Mapping[int, TakenOpening]
) -> None:
    """Add the lines of players and their openings, by player's key, and ask for a recompute; the caller holds
    the ledger's lock. Raises `Refused` where the office has begun meanwhile.
    """
    refuse_begun(federation)
    refuse_earlier_day(federation, terms)
    people = Player.objects.of(federation).select_related("region").in_bulk(list(openings))
    writer = JournalWriter(federation, ledger)
    writer.write_players([player_fact(player) for player in people.values()])
    told = ((player.number, openings[key]) for key, player in people.items())
    writer.write_openings([opening_fact(terms, *each) for each in sorted(told)])
    writer.ask_for_recompute()
