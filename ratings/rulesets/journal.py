"""The open journal: an office's whole record as facts, one JSON object a line (docs/journal.md).

    journal = read_journal(open("office.ndjson", "rb"))   # JournalError with every problem, by line
    facts = resolve(journal, as_of=date(2024, 4, 1))      # what is folded: merged, un-rated, cut, in order
    write_line(fact, ruleset)                             # the one form: the same record gives the same bytes

    list_of_line(journal, 3140)                           # the rows that this `list` line published

With the lines in a database, the same steps are taken one by one: `parse_line`, `merges`, `unfolded_lines`,
`earlier_pre_ratings`, `rated_section`, `place_fact`, `fingerprint`.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import localcontext
from hashlib import sha256
from typing import Any, NamedTuple

from ratings.rulesets import rulesets
from ratings.rulesets.facts import (
    JOURNAL_FORM,
    NO_PRE_RATINGS,
    Fact,
    Federation,
    JournalFact,
    ListClosing,
    ListedPlayer,
    Merged,
    Opening,
    Parted,
    Placed,
    Player,
    PlayerId,
    Playoff,
    Rank,
    Rated,
    RatedSection,
    Revised,
    Section,
    State,
    Unrated,
    gettext_noop as _,
)
from ratings.rulesets.journal_lines import (
    KINDS,
    MOST_PROBLEMS,
    Faults,
    JournalError,
    LineProblem,
    LinesAbove,
    as_text,
    decode_line,
    end_line_path,
    file_and_end_lines,
    former_form_program,
    is_end_line,
    parse_fact,
    parse_line,
    plain,
    quote_value,
    write_line,
)
from ratings.rulesets.ruleset import CONTEXT, Ruleset


# ---- Reading a whole journal
class JournalLine(NamedTuple):
    """A line of a journal: its number, from 1, and its fact."""

    number: int
    fact: JournalFact


@dataclass(frozen=True, slots=True)
class Journal:
    """A journal that was read without a problem."""

    federation: Federation
    ruleset: Ruleset
    lines: tuple[JournalLine, ...]
    """Every line, the federation's first, without the end line."""
    ended: bool = False
    """Whether there was an end line; without one, lines may have been cut off."""


def read_journal(lines: Iterable[str | bytes], *, reads_former_form: bool = False) -> Journal:
    """Read a journal from lines with or without line ends. Raises JournalError with up to a hundred problems.

    `reads_former_form`: read a former form's lines as this form's.
    """
    above, ended = LinesAbove(), False
    bare = (
        line.removesuffix(b"\n") if isinstance(line, bytes) else line.removesuffix("\n") for line in lines
    )
    numbered = enumerate(bare, start=1)
    federation, ruleset = _read_first_line(numbered, above, former=reads_former_form)
    record, problems = LinesSoFar(ruleset), list[LineProblem]()
    read = [JournalLine(1, federation)]
    for number, line in numbered:
        faults = Faults(number)
        if ended:
            faults.add("", _("stands below the end line; the last line of a journal says where it ends"))
        elif is_end_line(line):
            ended = True
            if as_text(line) != above.end:
                words = _(
                    "the end line is not that of the {count} lines above it: some were cut, added or altered"
                )
                faults.add("", words, count=above.count)
        else:
            above.add(line)
            fact = record.take(line, faults)
            if fact is not None:
                read.append(JournalLine(number, fact))
        problems += faults.found
        if len(problems) >= MOST_PROBLEMS:
            break
    if problems:
        raise JournalError(problems[:MOST_PROBLEMS])
    return Journal(federation, ruleset, tuple(read), ended)


def _read_first_line(
    numbered: Iterator[tuple[int, str | bytes]], above: LinesAbove, *, former: bool
) -> tuple[Federation, Ruleset]:
    """Read the federation's line and find its ruleset. Raises JournalError if there is none."""
    faults = Faults(1)
    _number, line = next(numbered, (1, None))
    if line is None:
        faults.add("", _("the journal is empty; the first line must name the federation"))
    else:
        above.add(line)
    raw = None if line is None else decode_line(line, faults)
    if former and isinstance(raw, dict) and former_form_program(raw.get("form")):
        raw["form"] = JOURNAL_FORM
    head = None if faults.found else parse_fact(raw, None, faults)
    if isinstance(head, Federation):
        ruleset = rulesets().get(head.ruleset)
        if ruleset:
            return head, ruleset
        words = _("{value} is not a known ruleset; there are: {known}")
        faults.add("ruleset", words, value=quote_value(head.ruleset), known=", ".join(rulesets()))
    raise JournalError(faults.found)


@dataclass
class LinesSoFar:
    """A summary of the lines read so far, against which the next line is checked."""

    ruleset: Ruleset
    players: set[PlayerId] = field(default_factory=set)
    sections: dict[str, Section | None] = field(default_factory=dict)
    """The newest version of each section; None if that line was wrong."""
    rated: dict[str, int] = field(default_factory=dict)
    """The number of the `rated` line in force of each rated section."""
    rated_once: set[str] = field(default_factory=set)
    """The sections that have a `rated` line, un-rated ones too."""
    stands_in: defaultdict[PlayerId, set[str]] = field(default_factory=lambda: defaultdict(set))
    """The sections in which each id is entered, by their newest versions."""
    merged: dict[PlayerId, tuple[PlayerId, int]] = field(default_factory=dict)
    """The merged ids in force: the id merged into, and the number of the `merged` line."""
    openings: dict[tuple[PlayerId, str], int] = field(default_factory=dict)
    """The line numbers of openings by player and track."""
    opening_day: date | None = None
    """The day of the last opening."""
    lists: dict[date, int] = field(default_factory=dict)
    """The number of each day's `list` line."""
    newest: tuple[date, int] | None = None
    """The newest day of any line so far, and that line's number."""

    def take(self, line: str | bytes, faults: Faults) -> JournalFact | None:
        """Check the next line against those above, add it to this summary, and return its fact; None if
        something is wrong with it.
        """
        raw = decode_line(line, faults)
        fact = None if faults.found else parse_fact(raw, self.ruleset, faults)
        if fact is None:
            self._add_wrong(raw)
            return None
        self._check_day(getattr(fact, "on", None), faults)
        match fact:
            case Player():
                self.players.add(fact.id)
                self._check_unmerged("id", fact.id, faults)
            case ListClosing():
                self._add_list(fact, faults)
            case Revised():
                self._add_revision(fact, faults)
            case Section():
                self._add_section(fact, faults)
            case Rated():
                self._add_rating(fact, faults)
            case Unrated():
                self._add_unrating(fact, faults)
            case Opening():
                self._add_opening(fact, faults)
            case Rank():
                self._check_known("player", fact.player, faults)
            case Playoff():
                self._check_known("winner", fact.winner, faults)
            case Merged():
                self._add_merge(fact, faults)
            case Parted():
                self._add_parting(fact, faults)
        return None if faults.found else fact

    def _add_wrong(self, raw: Any) -> None:
        """Add the player or section of a wrong line, so that lines that name it are not reported too."""
        if not isinstance(raw, dict) or not isinstance(raw.get("id"), str):
            return
        if raw.get("fact") == "player":
            self.players.add(raw["id"])
        if raw.get("fact") == "section":
            self.sections[raw["id"]] = None

    def _check_day(self, on: date | None, faults: Faults) -> None:
        if on is None:
            return
        if self.newest and on < self.newest[0]:
            words = _("{day} is before {newest} of line {line}; days never go backwards in a journal")
            faults.add("on", words, day=on, newest=self.newest[0], line=self.newest[1])
        else:
            self.newest = (on, faults.line)

    def _check_known(self, where: str, player: PlayerId, faults: Faults) -> None:
        if player not in self.players:
            words = _("{player} has no player line above; write one before this line")
            faults.add(where, words, player=player)
        self._check_unmerged(where, player, faults)

    def _check_unmerged(self, where: str, player: PlayerId, faults: Faults) -> None:
        if player in self.merged:
            into, line = self.merged[player]
            words = _("{player} was merged into {into} in line {line}; name {into} from there on")
            faults.add(where, words, player=player, into=into, line=line)

    def _add_section(self, section: Section, faults: Faults) -> None:
        if section.id in self.rated:
            words = _("the section is rated in line {line}; un-rate it before it is replaced")
            faults.add("id", words, line=self.rated[section.id])
        if not self.sections and self.opening_day and section.starts <= self.opening_day:
            words = _("{day} is not after the openings' day, {opening}; they are of a day before the record")
            faults.add("starts", words, day=section.starts, opening=self.opening_day)
        before = self.sections.get(section.id)
        for entry in before.entries if before else ():
            self.stands_in[entry.player].discard(section.id)
        for at, entry in enumerate(section.entries):
            if entry.player not in self.players or entry.player in self.merged:
                self._check_known(f"entries[{at}].player", entry.player, faults)
            self.stands_in[entry.player].add(section.id)
        self.sections[section.id] = section

    def _add_rating(self, rated: Rated, faults: Faults) -> None:
        if rated.section not in self.sections:
            words = _("there is no section {section} above; write the section's line before its rating")
            faults.add("section", words, section=rated.section)
            return
        if rated.section in self.rated:
            words = _("the section is rated in line {line} already; un-rate it first")
            faults.add("section", words, line=self.rated[rated.section])
        section = self.sections[rated.section]
        if section and rated.section not in self.rated_once and rated.on < section.ends:
            words = _("{day} is before {ends}, when the section ends; it is rated when it is over")
            faults.add("on", words, day=rated.on, ends=section.ends)
        self.rated_once.add(rated.section)
        finding = self.ruleset.sections.find_unrateable_reason(section) if section else None
        if finding:
            why = self.ruleset.words.messages.get(finding.key, finding.key).format(**finding.params)
            words = _("this section cannot be rated ({clause}: {why}); leave the rated line out")
            faults.add("section", words, clause=finding.clause, why=why)
        self.rated[rated.section] = faults.line

    def _add_unrating(self, unrated: Unrated, faults: Faults) -> None:
        if unrated.section not in self.rated:
            words = _("the section {section} is not rated here; there is nothing to un-rate")
            faults.add("section", words, section=unrated.section)
        self.rated.pop(unrated.section, None)

    def _add_opening(self, opening: Opening, faults: Faults) -> None:
        self._check_known("player", opening.player, faults)
        if self.sections or self.lists:
            words = _("openings stand before the first section and the first list; move this line up")
            faults.add("fact", words)
        self.opening_day = opening.on
        line = self.openings.setdefault((opening.player, opening.track), faults.line)
        if line != faults.line:
            words = _("the player's opening in {track} is in line {line} already; keep one of them")
            faults.add("track", words, track=opening.track, line=line)

    def _add_list(self, closing: ListClosing, faults: Faults) -> None:
        line = self.lists.setdefault(closing.on, faults.line)
        if line != faults.line:
            words = _("the list of {day} is in line {line} already; there can be only one list a day")
            faults.add("on", words, day=closing.on, line=line)

    def _add_revision(self, revised: Revised, faults: Faults) -> None:
        if revised.list not in self.lists:
            words = _("there is no list of {day} above; name the day of a list that was published")
            faults.add("list", words, day=revised.list)

    def _add_merge(self, merged: Merged, faults: Faults) -> None:
        self._check_known("player", merged.player, faults)
        self._check_known("into", merged.into, faults)
        if merged.player == merged.into:
            faults.add("into", _("the two are one player already; leave the line out"))
        if faults.found:
            return
        for section in sorted(self._sections_of(merged.player) & self._sections_of(merged.into)):
            words = _("both are entered in section {section}: they are two people, or an entry is wrong")
            faults.add("into", words, section=section)
        self.merged[merged.player] = merged.into, faults.line

    def _sections_of(self, player: PlayerId) -> set[str]:
        """The ids of the sections in which a player is entered, under this id or any merged into it."""
        found, ids = set[str](), [player]
        while ids:
            one = ids.pop()
            found |= self.stands_in.get(one, set())
            ids += [other for other, (into, _line) in self.merged.items() if into == one]
        return found

    def _add_parting(self, parted: Parted, faults: Faults) -> None:
        if self.merged.pop(parted.player, None) is None:
            words = _("{player} is not merged into another entry here; there is nothing to separate")
            faults.add("player", words, player=parted.player)


# ---- From a journal's lines to the facts that are folded
Aliases = Mapping[PlayerId, PlayerId]
"""The ids merged away, each with the id it was merged into, in the order of the `merged` lines in force. That
id may itself be merged into another: `root` follows the chain.
"""
StatedPreRatings = Mapping[PlayerId, int]
"""The last stated pre-rating of players, by their id after merges."""
FirstRating = tuple[int, date]
"""Number and day of a section's first `rated` line: its place in the order, and its day of rating (D-2)."""


def resolve(journal: Journal, as_of: date | None = None, through: int | None = None) -> list[Fact]:
    """The facts to fold, in order; only those known on a day (`as_of`), or of the first `through` lines."""
    lines = list(lines_until(journal.lines[:through], as_of))
    return journal.ruleset.sort_for_fold(Resolver.of(lines, journal.ruleset).facts())


@dataclass(slots=True)
class Resolver:
    """Collect the facts to fold from a journal's lines in order; all merges must be known beforehand."""

    ruleset: Ruleset
    aliases: Aliases
    away: frozenset[int]
    """The numbers of the lines that merges keep out of the fold, as `unfolded_lines` returns them."""
    people: dict[PlayerId, Player]
    """The newest particulars of each player so far, by id; at first, the first ones of players whom a section
    may name above their own line.
    """
    register_of: int | None = None
    """The last line whose `player` lines count, where the ruleset folds these; None for the last of all."""
    versions: dict[str, tuple[Section, StatedPreRatings]] = field(default_factory=dict)
    """The newest version of each section, with the pre-ratings stated earlier for its entrants."""
    stated: dict[PlayerId, int] = field(default_factory=dict)
    """The last stated pre-rating of each player."""
    first_rated: dict[str, FirstRating] = field(default_factory=dict)
    """Each section's first rating, even if it was taken back."""
    rated: dict[str, RatedSection] = field(default_factory=dict)
    """The sections rated so far and not un-rated, by id."""
    others: list[Fact] = field(default_factory=list)
    """The other facts to fold."""

    @classmethod
    def of(cls, lines: list[JournalLine], ruleset: Ruleset, register_of: int | None = None) -> Resolver:
        """Make a resolver that has read all of these lines."""
        aliases = merges(lines)
        register_of = register_of if "player" in ruleset.journal.folds else None
        merged_into = None if register_of else frozenset(aliases.values())
        people = first_particulars(lines, merged_into)
        resolver = cls(ruleset, aliases, unfolded_lines(lines, aliases), people, register_of)
        for number, fact in lines:
            resolver.take(number, fact)
        return resolver

    def facts(self) -> list[Fact]:
        """The facts to fold, not yet in order."""
        return [*self.rated.values(), *self.others]

    def take(self, number: int, fact: JournalFact) -> None:
        """Read the next line: keep what later lines need, and its fact if it is folded."""
        match fact:
            case Player():
                if self.register_of is None or number <= self.register_of:
                    self.people[fact.id] = fact
            case Section():
                self._add_version(fact)
            case Rated():
                section, pres = self.versions[fact.section]
                first = self.first_rated.setdefault(fact.section, (number, fact.on))
                self.rated[fact.section] = rated_section(
                    number, first, section, self.people, self.aliases, pres
                )
            case Unrated():
                del self.rated[fact.section]
        folded = KINDS[type(fact)] in self.ruleset.journal.folds and not isinstance(fact, Rated)
        if folded and number not in self.away:
            self.others.append(place_fact(number, fact, self.aliases))

    def _add_version(self, section: Section) -> None:
        """Keep a section's newest version, with the last pre-rating stated above for each entrant whose entry
        states none (csa §58).
        """
        pres = NO_PRE_RATINGS
        if self.ruleset.pre_ratings:
            pres = earlier_pre_ratings(section, self.stated, self.aliases)
            self.stated.update(stated_pre_ratings(section, self.aliases))
        self.versions[section.id] = section, pres


def lines_until(lines: Iterable[JournalLine], as_of: date | None) -> Iterator[JournalLine]:
    """The lines above the first one dated after `as_of`, which the office knew on that day; None for all."""
    for line in lines:
        on = getattr(line.fact, "on", None)
        if as_of is not None and on is not None and on > as_of:
            return
        yield line


def merges(lines: Iterable[JournalLine]) -> dict[PlayerId, PlayerId]:
    """The aliases of a journal: from `merged` lines that no later `parted` line took back."""
    aliases: dict[PlayerId, PlayerId] = {}
    for _number, fact in lines:
        if isinstance(fact, Merged):
            aliases[fact.player] = fact.into
        elif isinstance(fact, Parted):
            del aliases[fact.player]
    return aliases


def root(aliases: Aliases, player: PlayerId) -> PlayerId:
    """The id of a player after all merges."""
    while player in aliases:
        player = aliases[player]
    return player


def unfolded_lines(lines: Iterable[JournalLine], aliases: Aliases) -> frozenset[int]:
    """The numbers of the lines that merges keep out of the fold: `player` lines of merged ids, and openings.

    Of two openings in one track, that of the entry merged into holds, even one that it has by an earlier
    merge. `lines` may be those of players and openings alone.
    """
    if not aliases:
        return frozenset()
    away: set[int] = set()
    openings: dict[PlayerId, dict[str, int]] = {}
    for number, fact in lines:
        if isinstance(fact, Opening):
            openings.setdefault(fact.player, {})[fact.track] = number
        elif isinstance(fact, Player) and fact.id in aliases:
            away.add(number)
    for player, into in aliases.items():
        own = openings.setdefault(into, {})
        for track, number in openings.pop(player, {}).items():
            if own.setdefault(track, number) != number:
                away.add(number)
    return frozenset(away)


def first_particulars(
    lines: Iterable[JournalLine], player_ids: frozenset[PlayerId] | None
) -> dict[PlayerId, Player]:
    """The first particulars of these players (None: all) by id, for sections above every line of a player."""
    found: dict[PlayerId, Player] = {}
    if player_ids is not None and not player_ids:
        return found
    for _number, fact in lines:
        if isinstance(fact, Player) and (player_ids is None or fact.id in player_ids):
            found.setdefault(fact.id, fact)
    return found


def stated_pre_ratings(section: Section, aliases: Aliases) -> StatedPreRatings:
    """The pre-ratings that a section's own entries state, by player's id after merges."""
    return {root(aliases, entry.player): entry.pre for entry in section.entries if entry.pre is not None}


def earlier_pre_ratings(section: Section, stated: StatedPreRatings, aliases: Aliases) -> StatedPreRatings:
    """The pre-ratings stated earlier for those entrants of a section whose entry states none.

    `stated`: by id after merges, the last `pre` in the `section` lines above this section's own line, older
    versions and sections never rated included.
    """
    players = (root(aliases, entry.player) for entry in section.entries if entry.pre is None)
    return {player: stated[player] for player in players if player in stated}


def rated_section(
    number: int,
    first: FirstRating,
    section: Section,
    players: Mapping[PlayerId, Player],
    aliases: Aliases,
    pres: StatedPreRatings = NO_PRE_RATINGS,
) -> RatedSection:
    """The fact to fold where line `number` rates a section: the section after merges, with its players'
    particulars above that line.

    `players`: by id after merges, that id's newest line above the `rated` line, or its first where none is
    above. `first`: of this line or of an earlier one. `pres`: as `earlier_pre_ratings` returns it; with the
    lines in a database, it is enough to look up entrants whose entry has none (csa).
    """
    ids = (root(aliases, entry.player) for entry in section.entries)
    entrants = {player: players[player] for player in ids}
    place, on = first
    earlier = place if place != number else 0
    return RatedSection(number, on, merge_player_ids(section, aliases), entrants, pres=pres, first=earlier)


def merge_player_ids(section: Section, aliases: Aliases) -> Section:
    """The section with every merged player's id replaced by the id after merges."""
    if all(entry.player not in aliases for entry in section.entries):
        return section
    new = {entry.player: root(aliases, entry.player) for entry in section.entries}
    return replace(
        section,
        entries=tuple(replace(entry, player=new[entry.player]) for entry in section.entries),
        games=tuple(game._replace(first=new[game.first], second=new[game.second]) for game in section.games),
        byes=tuple(bye._replace(player=new[bye.player]) for bye in section.byes),
    )


def place_fact(number: int, fact: JournalFact, aliases: Aliases) -> Placed:
    """The fact to fold for any line but a section's: with its number, and its player's id after merges.

    Lines that `unfolded_lines` returns must not be passed.
    """
    match fact:
        case Player() | ListClosing():
            return Placed(number, fact)
        case Rank() | Opening():
            return Placed(number, replace(fact, player=root(aliases, fact.player)))
        case Playoff():
            return Placed(number, replace(fact, winner=root(aliases, fact.winner)))
    raise TypeError(f"line {number}: a {KINDS[type(fact)]} is not folded by itself")


def fingerprint(fact: Fact, ruleset: Ruleset) -> str:
    """The SHA-256, in hex, of a fact's place and all that rules may read of it (neither names nor their
    seals): where it is equal, the fact need not be folded again.
    """
    content: list[object]
    if isinstance(fact, RatedSection):
        people = [_particulars(fact.players[player]) for player in sorted(fact.players)]
        line, pres = write_line(fact.section, ruleset), sorted(fact.pres.items())
        content = [line, people, fact.on.isoformat(), fact.notes, pres]
    elif isinstance(fact.fact, Player):
        content = [_particulars(fact.fact)]
    else:
        content = [write_line(fact.fact, ruleset)]
    return sha256(json.dumps([fact.place, *content]).encode()).hexdigest()


def _particulars(player: Player) -> list[object]:
    return [player.id, player.nation, player.resident, player.region, player.included_by]


# ---- Published lists and their revisions
def list_of_line(journal: Journal, number: int) -> dict[str, list[ListedPlayer]]:
    """The rating list that line `number` (`list` or `revised`) published, by track, without empty tracks.

    Raises LookupError if that line publishes no list.
    """
    return JournalLists(journal).list_of_line(number)


class JournalLists:
    """Compute published lists of one journal, each folded on from the one before where lines allow it."""

    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        self.folded: list[Fact] = []
        self.state: State[Any] = State()

    def list_of_line(self, number: int) -> dict[str, list[ListedPlayer]]:
        """The list that line `number` published, as the function `list_of_line` returns it."""
        ruleset = self.journal.ruleset
        facts, day = facts_of_list(self.journal, number)
        done = len(self.folded)
        if facts[:done] != self.folded:  # a line since then changed something earlier
            done, self.state = 0, State()
        for _step in ruleset.fold(facts[done:], self.state):
            pass
        self.folded = facts
        return compute_rating_lists(ruleset, self.state, day)


def compute_rating_lists(ruleset: Ruleset, state: State[Any], day: date) -> dict[str, list[ListedPlayer]]:
    """The rating lists of a state on a day, by track, without empty tracks."""
    rules = ruleset.rules_on_or_first(day)
    with localcontext(CONTEXT):
        lists = {track.code: rules.rating_list(state, track.code, day) for track in ruleset.tracks}
    return {track: rows for track, rows in lists.items() if rows}


def list_content(rows: Iterable[ListedPlayer]) -> bytes:
    """The bytes of a list for its checksum: a line `id,rating,games` for each row, with all digits."""
    return "".join(f"{row.player},{plain(row.rating)},{row.games}\n" for row in rows).encode()


def facts_of_list(journal: Journal, number: int) -> tuple[list[Fact], date]:
    """The facts to fold for the list of line `number`, in order, and the list's day.

    For both kinds of line these are the facts above the day's `list` line, by all lines up to `number`: a
    section if it was first rated above it (D-2); in the order of play, if it ended by the list's day (D-1).
    """
    if not 0 < number <= len(journal.lines):
        raise LookupError(f"there is no line {number}")
    match journal.lines[number - 1].fact:
        case ListClosing(on=day):
            listed_in = number
        case Revised(list=day):
            listed_in = list_line_number(journal, number, day)
        case _:
            raise LookupError(f"line {number} publishes no list")
    ruleset = journal.ruleset
    facts = Resolver.of(list(journal.lines[:number]), ruleset, register_of=listed_in).facts()
    above = (fact for fact in facts if fact.place <= listed_in)
    return ruleset.sort_for_fold(each for each in above if not _ended_later(each, ruleset, day)), day


def list_line_number(journal: Journal, number: int, day: date) -> int:
    """The number of the day's `list` line above line `number`. Raises LookupError if there is none."""
    for line in journal.lines[:number]:
        if isinstance(line.fact, ListClosing) and line.fact.on == day:
            return line.number
    raise LookupError(f"no list of {day} stands above line {number}")


def _ended_later(fact: Fact, ruleset: Ruleset, day: date) -> bool:
    """Whether a fact is a section that ended after a list's day, in the order of play (D-1)."""
    return ruleset.in_order_of_play and isinstance(fact, RatedSection) and fact.section.ends > day


__all__ = [
    "KINDS",
    "Journal",
    "JournalError",
    "JournalLine",
    "JournalLists",
    "LineProblem",
    "LinesAbove",
    "earlier_pre_ratings",
    "end_line_path",
    "file_and_end_lines",
    "fingerprint",
    "is_end_line",
    "lines_until",
    "list_content",
    "list_of_line",
    "merge_player_ids",
    "merges",
    "parse_line",
    "place_fact",
    "plain",
    "rated_section",
    "read_journal",
    "resolve",
    "root",
    "stated_pre_ratings",
    "unfolded_lines",
    "write_line",
]
