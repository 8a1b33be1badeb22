"""The journal of an office in the database: appending lines under the ledger's lock, reading stored lines as
the facts that the fold takes, exporting the journal, and comparing versions of a section. It also looks up
pre-ratings that earlier lines state.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date
from functools import lru_cache, partial
from itertools import zip_longest
from json.encoder import encode_basestring
from typing import NamedTuple

from django.db.models import Max, Q
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from players.models import Federation, Ledger, Player, SealedName
from players.register import save_sealed_names
from players.writing import batches
from ratings.models import Fact, FactQuerySet, StatedPre
from ratings.rulesets import facts, journal, journal_lines as journal_form
from ratings.rulesets.facts import NO_PRE_RATINGS, Game, PlayerId, Section, TimeControl, seal_player
from ratings.rulesets.ruleset import Ruleset

# ---- Pre-ratings stated earlier (§58), for sections whose lines state none (D-CSA-19)
Aliases = Mapping[PlayerId, PlayerId]
LastStatedPres = dict[PlayerId, tuple[int, int]]
"""For each number, the line that stated a pre-rating and the pre-rating."""
LookUp = Callable[[Collection[PlayerId], int], LastStatedPres]
"""A look-up of the last pre-ratings stated under some numbers above a line."""
_AT_ONCE = 500


def entrants_without_pre(section: facts.Section) -> list[PlayerId]:
    return [entry.player for entry in section.entries if entry.pre is None]


def get_last_stated_pres(federation: Federation, numbers: Collection[PlayerId], line: int) -> LastStatedPres:
    """The last pre-rating stated above `line`, and its line, for each of these numbers that has one."""
    found: LastStatedPres = {}
    for some in batches(sorted(numbers), _AT_ONCE):
        earlier = StatedPre.objects.filter(federation=federation, player__in=some, line__lt=line)
        newest = earlier.order_by().values("player").annotate(newest=Max("line"))
        lines = dict(newest.values_list("player", "newest"))
        rows = StatedPre.objects.filter(federation=federation, player__in=lines, line__in=set(lines.values()))
        found |= {
            player: (at, pre)
            for player, at, pre in rows.values_list("player", "line", "pre")
            if lines[player] == at
        }
    return found


def earlier_pres(federation: Federation, section: facts.Section, line: int) -> dict[PlayerId, int]:
    """Earlier pre-ratings of entrants for whom the section states none, by number; see `Fact.pres`."""
    if federation.ruleset.pre_ratings is None:
        return {}
    earlier = get_last_stated_pres(federation, entrants_without_pre(section), line)
    return {player: pre for player, (_line, pre) in earlier.items()}


def get_pres_after_merges(row: Fact, section: facts.Section, merged: Aliases) -> Mapping[PlayerId, int]:
    """The pre-ratings with which the fold rates a section (`RatedSection.pres`), with merges followed."""
    if row.federation.ruleset.pre_ratings is None:
        return NO_PRE_RATINGS
    return apply_merges_to_pres(
        partial(get_last_stated_pres, row.federation), section, row.number, row.pres, merged
    )


def apply_merges_to_pres(
    look_up: LookUp, section: facts.Section, line: int, own: Mapping[str, int], merged: Aliases
) -> dict[PlayerId, int]:
    """Pre-ratings from earlier lines, by the numbers after merges. `own`: those found by a section's own
    numbers; `look_up` finds those stated under an entrant's other numbers.
    """
    found = dict(own)
    people = (
        {journal.root(merged, number): number for number in entrants_without_pre(section)} if merged else {}
    )
    several: dict[PlayerId, list[PlayerId]] = {}
    for number in merged:
        if (root := journal.root(merged, number)) in people:
            several.setdefault(root, [root]).append(number)
    if several:
        stated = look_up([each for group in several.values() for each in group], line)
        for root, group in several.items():
            found.pop(people[root], None)
            newest = max((stated[each] for each in group if each in stated), default=None)
            if newest:
                found[root] = newest[1]
    return found


def build_stated_pre_rows(federation: Federation, section: facts.Section, line: int) -> list[StatedPre]:
    """Make rows of the pre-ratings that a section's line states, to look them up later; unsaved."""
    return [
        StatedPre(federation=federation, player=entry.player, line=line, pre=entry.pre)
        for entry in section.entries
        if entry.pre is not None
    ]


# ---- Reading stored lines
AFTER_EVERYTHING = 2**63 - 1
"""A place in the order after every fact's: order keys have 63 bits, and no real day uses them all."""


def aliases(federation: Federation) -> dict[PlayerId, PlayerId]:
    """Merged players: each number and the one it was merged into, in the order of `merged` lines in force."""
    return aliases_at(federation, AFTER_EVERYTHING)


def aliases_at(federation: Federation, line: int) -> dict[PlayerId, PlayerId]:
    """Merged players as of a line of the journal: each number and the one that it was merged into."""
    found = read_lines(federation, Fact.objects.of_kinds(federation, "merged", "parted"))
    by_then = (each for each in found if each.number <= line)
    return journal.merges(sorted(by_then, key=lambda each: each.number))


def read_lines(federation: Federation, rows: FactQuerySet) -> list[journal.JournalLine]:
    """Parse rows of the journal into pairs of the line's number and its fact, in the order of the rows."""
    ruleset = federation.ruleset
    return [
        journal.JournalLine(number, _parse_line(line, ruleset))
        for number, line in rows.values_list("number", "line")
    ]


def get_unfolded_line_numbers(
    federation: Federation, merged: Mapping[PlayerId, PlayerId], line: int = AFTER_EVERYTHING
) -> frozenset[int]:
    """The numbers of player lines and openings, up to `line`, that merges keep out of the fold."""
    if not merged:
        return frozenset()
    people = {*merged, *merged.values()}
    rows = Fact.objects.about(federation, people, "player", "opening")
    values = rows.values_list("number", "order", "line")
    above = sorted((number, text) for number, order, text in values if order is not None and number <= line)
    lines = [journal.JournalLine(number, _parse_line(text, federation.ruleset)) for number, text in above]
    return journal.unfolded_lines(lines, merged)


def build_foldable_fact(fact: Fact, merged: Mapping[PlayerId, PlayerId] | None = None) -> facts.Fact:
    """Turn a row of the journal into the fact that the fold takes, with merges followed. A `rated` line gets
    its section, its players' particulars and, if the section states no pre-ratings, those stated before.
    """
    merged = aliases(fact.federation) if merged is None else merged
    ruleset = fact.federation.ruleset
    parsed = journal_form.parse_line(fact.line, ruleset)
    if not isinstance(parsed, facts.Rated):
        return journal.place_fact(fact.number, parsed, merged)
    if fact.takes is None:
        raise LookupError(f"line {fact.number}: a rated line without its section")
    fact.takes.federation = fact.federation
    section = journal_form.parse_line(fact.takes.line, ruleset)
    assert isinstance(section, facts.Section)
    players, pres = _entrants(fact, merged), get_pres_after_merges(fact.takes, section, merged)
    first = fact.first
    assert first.on is not None
    return journal.rated_section(fact.number, (first.number, first.on), section, players, merged, pres)


def _entrants(fact: Fact, names: Mapping[PlayerId, PlayerId]) -> dict[PlayerId, facts.Player]:
    """The particulars of a rated section's players, by number, as stored with its `rated` line. A player
    merged since has those of the entry that stays: its last above that line, else its first.
    """
    ruleset = fact.federation.ruleset
    written = [_player(line, ruleset) for line in fact.particulars.splitlines()]
    players = {player.id: player for player in written if player.id not in names}
    others = {journal.root(names, player.id) for player in written if player.id in names}
    if others:
        rows = Fact.objects.about(fact.federation, others, "player")
        for number, subject, line in sorted(rows.values_list("number", "subject", "line")):
            if number < fact.number or subject not in players:
                players[subject] = _player(line, ruleset)
    return players


@lru_cache(maxsize=50_000)
def _parse_line(line: str, ruleset: Ruleset) -> facts.JournalFact:
    """Parse a line, with a cache, because lines of players and merges are read for many sections."""
    return journal_form.parse_line(line, ruleset)


def _player(line: str, ruleset: Ruleset) -> facts.Player:
    player = _parse_line(line, ruleset)
    if not isinstance(player, facts.Player):
        raise TypeError("a line of particulars speaks of a player")
    return player


# ---- Appending lines
_TOGETHER = 500
"""The number of lines that one statement appends."""


def federation_fact(federation: Federation) -> facts.Federation:
    """The fact in a journal's first line: form, code, ruleset and name of the office."""
    return facts.Federation(
        form=facts.JOURNAL_FORM, code=federation.code, ruleset=federation.ruleset_slug, name=federation.name
    )


def sealed_line(fact: facts.JournalFact, ruleset: Ruleset) -> str:
    """Write a fact's line as the office stores it, without names; ValueError for a name without a salt."""
    if not isinstance(fact, facts.Player):
        return journal_form.write_line(fact, ruleset)
    player = seal_player(fact)
    if player.seal is None:
        raise ValueError(f"player {player.id}: a name is stored by its seal alone, and this one has no salt")
    return journal_form.write_line(player, ruleset)


def subject_of(fact: facts.JournalFact) -> str:
    """The player's number or section's id by which a line is looked up; empty if it has none."""
    match fact:
        case facts.Player() | facts.Section():
            return fact.id
        case facts.Rated() | facts.Unrated():
            return fact.section
        case facts.Rank() | facts.Opening() | facts.Merged() | facts.Parted():
            return fact.player
        case _:
            return ""


def fact_row(federation: Federation, number: int, fact: facts.JournalFact, line: str) -> Fact:
    """Make the database row of one journal line, unsaved and without its place in the order of the fold."""
    return Fact(
        federation=federation,
        number=number,
        kind=journal_form.KINDS[type(fact)],
        subject=subject_of(fact),
        on=getattr(fact, "on", None),
        line=line,
    )


def set_order_and_fingerprint(row: Fact, folded: facts.Fact) -> None:
    """Set a row's place in the order of the fold, and its fingerprint."""
    ruleset = row.federation.ruleset
    row.order = ruleset.journal.order_key(folded)
    row.fingerprint = journal.fingerprint(folded, ruleset)


class JournalWriter:
    """Appends lines to one office's journal; the caller holds the ledger's lock (`players.record`)."""

    def __init__(self, federation: Federation, ledger: Ledger) -> None:
        self.federation, self.ledger = federation, ledger
        self.ruleset = federation.ruleset
        if ledger.facts == 0:
            self.write(federation_fact(federation))

    def write(
        self,
        fact: facts.JournalFact,
        *,
        takes: Fact | None = None,
        particulars: str = "",
        section_id: int | None = None,
    ) -> Fact:
        """Append one fact as a line and return its row; if the ruleset folds its kind, with place and
        fingerprint. For a `rated` line, `takes`: the section line that it rates; `particulars`: the lines of
        its players.
        """
        self.ledger.facts += 1
        row = fact_row(self.federation, self.ledger.facts, fact, sealed_line(fact, self.ruleset))
        row.takes, row.particulars, row.section_id = takes, particulars, section_id
        if isinstance(fact, facts.Section):
            row.pres = earlier_pres(self.federation, fact, row.number)
            StatedPre.objects.bulk_create(build_stated_pre_rows(self.federation, fact, row.number))
        if isinstance(fact, facts.Rated):
            row.first_rated = Fact.objects.first_rating(self.federation, fact.section)
        if row.kind in self.ruleset.journal.folds:
            set_order_and_fingerprint(row, build_foldable_fact(row, aliases(self.federation)))
        row.save(force_insert=True)
        self.ledger.save(update_fields=["facts"])
        return row

    def write_players(self, players: Collection[facts.Player]) -> list[str]:
        """Append a line for each player whose line changed; return all their lines as stored, by id."""
        lines = {player.id: sealed_line(player, self.ruleset) for player in players}
        known = newest_player_lines(self.federation, lines)
        by_id = sorted(players, key=lambda player: player.id)
        changed = [player for player in by_id if known.get(player.id) != lines[player.id]]
        self._append(changed, folded="player" in self.ruleset.journal.folds)
        return [lines[number] for number in sorted(lines)]

    def write_openings(self, openings: Collection[facts.Opening]) -> None:
        self._append(openings, folded=True)

    def _append(self, added: Collection[facts.Player | facts.Opening], *, folded: bool) -> None:
        """Append facts in one statement, because a register import or a list has thousands."""
        rows = [
            fact_row(self.federation, number, fact, sealed_line(fact, self.ruleset))
            for number, fact in enumerate(added, self.ledger.facts + 1)
        ]
        if folded:
            names = aliases(self.federation)
            for row in rows:
                set_order_and_fingerprint(row, build_foldable_fact(row, names))
        Fact.objects.bulk_create(rows, batch_size=_TOGETHER)
        save_sealed_names(self.federation, [fact for fact in added if isinstance(fact, facts.Player)])
        self.ledger.facts += len(rows)
        self.ledger.save(update_fields=["facts"])

    def ask_for_recompute(self) -> None:
        """Ask the worker for a recompute, in the transaction of the lines."""
        self.ledger.wanted += 1
        self.ledger.save(update_fields=["wanted"])

    def day(self, on: date) -> date:
        """The day to write in a new line: days never go backwards in a journal, even if the clock does."""
        return get_new_line_day(self.federation, on)


def get_new_line_day(federation: Federation, on: date) -> date:
    """The day to write in a line on the given day: no earlier than the newest line's."""
    dated = Fact.objects.filter(federation=federation, on__isnull=False).order_by("-number")
    newest = dated.values_list("on", flat=True).first()  # and the latest
    return max(on, newest) if newest else on


def newest_player_lines(federation: Federation, numbers: Collection[str]) -> dict[str, str]:
    """The newest line of each of these players as it is stored, by number."""
    rows = Fact.objects.about(federation, numbers, "player").values_list("number", "subject", "line")
    return {subject: line for _number, subject, line in sorted(rows)}


# ---- Exporting the journal
NAME_SEAL = re.compile(r'"name_seal":"([0-9a-f]{64})"')


def sealed_lines(federation: Federation) -> Iterator[str]:
    """The journal's lines as stored and proved, without line ends, with a seal in place of every name."""
    return (line for _kind, _subject, line in _rows(federation))


def journal_lines(federation: Federation) -> Iterator[str]:
    """Yield the lines of the public journal, with the names and salts of those who may be named.

    People who asked not to be named, or whose names were deleted, have only their number and the seal, also
    in older lines and in those of entries merged into theirs.
    """
    people = Player.objects.filter(federation=federation)
    withheld = people.filter(Q(withheld=True) | Q(merged_into__withheld=True))
    hidden = set(withheld.order_by().values_list("number", flat=True))
    for some in batches(_rows(federation), _AT_ONCE):
        seals = [
            found[1]
            for kind, subject, line in some
            if kind == "player" and subject not in hidden and (found := NAME_SEAL.search(line))
        ]
        names = SealedName.objects.filter(federation=federation, seal__in=seals) if seals else ()
        names_by_seal = {each.seal: each for each in names}
        for kind, subject, line in some:
            yield _unseal(line, names_by_seal) if kind == "player" and subject not in hidden else line


def _rows(federation: Federation) -> Iterator[tuple[str, str, str]]:
    """Kind, subject and line of every fact, in order; for an empty journal, its federation line."""
    rows = Fact.objects.filter(federation=federation).order_by("number")
    if not rows.exists():
        yield "federation", "", sealed_line(federation_fact(federation), federation.ruleset)
    yield from rows.values_list("kind", "subject", "line").iterator(chunk_size=_AT_ONCE)


def _unseal(line: str, names: Mapping[str, SealedName]) -> str:
    """Replace the seal in a player's line by name and salt, if `names` has them."""
    found = NAME_SEAL.search(line)
    kept = names.get(found[1]) if found else None
    if found is None or kept is None:
        return line
    name = encode_basestring(kept.name)
    return f'{line[: found.start()]}"name":{name},"salt":"{kept.salt}"{line[found.end() :]}'


def get_players_by_number(federation: Federation, numbers: Iterable[PlayerId]) -> dict[PlayerId, Player]:
    """The register's rows of these players, by number."""
    found: dict[PlayerId, Player] = {}
    for some in batches(sorted(numbers), _AT_ONCE):
        people = Player.objects.filter(federation=federation, number__in=some).select_related("federation")
        found |= {player.number: player for player in people}
    return found


REASONS: Mapping[str, str | Promise] = {
    "result": _("A game was entered wrongly"),
    "player": _("Somebody was taken for somebody else"),
    "particulars": _("Dates, time control, rounds or place were wrong"),
    "duplicate": _("It was rated twice"),
    "breach": _("A clause forbade rating it"),
    "appeal": _("Decided on appeal"),
    "withdrawn": _("The organiser withdrew it"),
    "other": _("Another reason"),
}
"""Words by code of `facts.REASONS`."""


def reason_words(code: str) -> str:
    """The words for a code, or an unknown code itself."""
    return str(REASONS.get(code, code))


# ---- Comparing two versions of a section
class SectionChange(NamedTuple):
    """A difference between two versions of a section; `before` or `after` is empty if there was nothing."""

    what: str
    """`entry`, `place`, `game`, `bye`, or the name of a particular (`starts`, `rounds` …)."""
    players: tuple[PlayerId, ...]
    round: int | None
    before: str
    after: str


PUBLIC_PARTICULARS = (
    *("event", "name", "starts", "ends", "country", "format", "rounds", "team"),
    *("platform", "time_class", "category", "status", "season", "coefficient"),
)
"""Particulars that a page shows. Ratings, pre-ratings and titles in a file are personal and left out."""


def list_section_changes(before: Section, after: Section) -> list[SectionChange]:
    """List every difference that the public may see: particulars, people, games by round, byes and places."""
    return [
        *_particulars(before, after),
        *_entries(before, after),
        *_games(before.games, after.games),
        *_byes(before, after),
        *_places(before, after),
    ]


def _particulars(before: Section, after: Section) -> Iterator[SectionChange]:
    for name in PUBLIC_PARTICULARS:
        old, new = getattr(before, name), getattr(after, name)
        if old != new:
            yield SectionChange(name, (), None, _text(old), _text(new))
    old_times, new_times = _times(before.time_controls), _times(after.time_controls)
    if old_times != new_times:
        yield SectionChange("time_controls", (), None, old_times, new_times)


def _text(value: object) -> str:
    return "" if value is None else str(value)


def _times(controls: Sequence[TimeControl]) -> str:
    """Time controls in short: `90 + 30` are the minutes of a period and the seconds per move."""
    return "; ".join(
        f"{'/'.join(str(part) for part in each.minutes)} + {each.increment}" for each in controls
    )


def _entries(before: Section, after: Section) -> Iterator[SectionChange]:
    old, new = ({entry.player: entry for entry in section.entries} for section in (before, after))
    for player in sorted(old.keys() | new.keys()):
        one, other = old.get(player), new.get(player)
        if one is None or other is None:
            yield SectionChange("entry", (player,), None, "1" if one else "", "1" if other else "")


def _places(before: Section, after: Section) -> Iterator[SectionChange]:
    old, new = ({entry.player: entry.place for entry in section.entries} for section in (before, after))
    for player in sorted(old.keys() & new.keys()):
        if old[player] != new[player]:
            yield SectionChange("place", (player,), None, _text(old[player]), _text(new[player]))


def _games(before: Sequence[Game], after: Sequence[Game]) -> Iterator[SectionChange]:
    """The games that differ; several of the same two players in one round are compared in their order."""
    old, new = _group_by_pairing(before), _group_by_pairing(after)
    for key in sorted(old.keys() | new.keys()):
        for one, other in zip_longest(old.get(key, []), new.get(key, [])):
            if one is None or other is None or _outcome(one) != _outcome(other):
                game = other or one
                assert game is not None
                players = (game.first, game.second)
                results = _result_of(one, players), _result_of(other, players)
                yield SectionChange("game", players, game.round, *results)


Pairing = tuple[int, tuple[PlayerId, ...]]


def _group_by_pairing(games: Sequence[Game]) -> dict[Pairing, list[Game]]:
    found: dict[Pairing, list[Game]] = defaultdict(list)
    for game in games:
        found[game.round, tuple(sorted((game.first, game.second)))].append(game)
    return found


def _outcome(game: Game) -> tuple[str, str, str]:
    return game.first, game.second, game.result


def _result_of(game: Game | None, players: tuple[PlayerId, ...]) -> str:
    """The result of a game, marked if the sides were exchanged; empty if there is no game."""
    if game is None:
        return ""
    return game.result if (game.first, game.second) == players else f"{game.result} ⇄"


def _byes(before: Section, after: Section) -> Iterator[SectionChange]:
    old, new = ({(bye.round, bye.player): bye.kind for bye in section.byes} for section in (before, after))
    for key in sorted(old.keys() | new.keys()):
        if old.get(key) != new.get(key):
            round_, player = key
            yield SectionChange("bye", (player,), round_, old.get(key) or "", new.get(key) or "")
