"""Takes tables of players into the register: a dry run shows what a table would change, and what was
confirmed is written in one transaction. A table may bring the ratings with which an office begins, as
openings in the journal. The register is also compared with FIDE's list here.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, NamedTuple

import structlog
from django.db import connection, transaction
from django.db.models import Case, CharField, Value, When
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from players import models, register_table
from players.display import day_in_words
from players.fide import FidePerson
from players.files import NoRoom, plain_name, refuse_beyond_room
from players.jobs import wake
from players.names import fold, folded_words, name_order_of
from players.record import Refused, decide, keep_mark, lock_ledger, made_before
from players.register import keep_former_names, name_before, player_fact, rename, take_numbers
from players.storage import MANY, NULL, Spool, batches, escaped, take_stock
from ratings.journal import JournalWriter, aliases, day_of, folded_fact
from ratings.models import Fact, day_taken_over
from ratings.rulesets import facts
from tournaments.box import BoxDied, table_boxed

# ---- Opening ratings: those of the list with which an office begins, as facts of the journal.
#
# No rating is written by hand here either: an opening names its list, stands openly in the journal, and the
# rules decide what follows from it.
LONGEST_SOURCE = 100
MOST_GAMES = 999_999


# ---------------------------------------------------------------- what forbids it
def refuse_begun(federation: models.Federation) -> None:
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


def _words_of_begun(federation: models.Federation, line: int) -> str:
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


def refuse_earlier_day(federation: models.Federation, terms: register_table.OpeningTerms) -> None:
    """Raise `Refused` where the journal has a later day than the list: its days never go backwards."""
    newest = day_of(federation, terms.day)
    if newest != terms.day:
        words = _("The journal already has a line of %(day)s, and its days never go backwards.")
        raise Refused(words % {"day": day_in_words(newest)})


def openings_of(federation: models.Federation, track: str) -> Iterator[tuple[int, facts.Opening]]:
    """The openings of a track that the journal has, each with its line's number, merges followed."""
    names = aliases(federation)
    rows = Fact.objects.filter(federation=federation, kind="opening").in_force().order_by("number")
    for row in rows:
        row.federation = federation
        placed = folded_fact(row, names)
        assert isinstance(placed, facts.Placed)
        if isinstance(placed.fact, facts.Opening) and placed.fact.track == track:
            yield placed.number, placed.fact


# ---------------------------------------------------------------- into the journal
def write_openings(
    federation: models.Federation,
    ledger: models.Ledger,
    terms: register_table.OpeningTerms,
    openings: Mapping[int, register_table.TakenOpening],
) -> None:
    """Add the lines of players and their openings, by player's key, and ask for a recompute; the caller holds
    the ledger's lock. Raises `Refused` where the office has begun meanwhile.
    """
    refuse_begun(federation)
    refuse_earlier_day(federation, terms)
    people = models.Player.objects.of(federation).select_related("region").in_bulk(list(openings))
    writer = JournalWriter(federation, ledger)
    writer.write_players([player_fact(player) for player in people.values()])
    told = ((player.number, openings[key]) for key, player in people.items())
    writer.write_openings([register_table.opening_fact(terms, *each) for each in sorted(told)])
    writer.ask_for_recompute()


# ---- Writes an import in one transaction: the register's rows in bulk, and the journal's lines.
STAYS = ("federation_id", "number", "withheld", "registered_on", "club", "deceased")
UPDATED = (
    *("surname", "first_name", "sex", "born", "nation", "resident", "included_by", "region_id", "title"),
    *("name_key", "first_name_key", "sort_key", "salt", "name_seal"),
)
PLAYERS = (*STAYS, *UPDATED)
"""Columns of a player: those that a table never changes, and those that it may."""
Changes = dict[str, tuple[str, str]]
"""Before and after by column, as the table writes them."""


@dataclass(frozen=True, slots=True)
class RegisterChange:
    """The change of one player; `player` None: a new one, with that number or the next free."""

    changes: Changes
    player: int | None = None
    number: str = ""
    line: int | None = None
    """The row of the dry run that is to get the new player's key and number."""


@dataclass(slots=True)
class RegisterWriter:
    """Writes to a register under the ledger's lock; every page of changes is a few statements."""

    federation: models.Federation
    ledger: models.Ledger
    on: date
    facts: int = 0
    """The number of lines added to the journal."""
    entered: list[tuple[int, str, int | None]] = field(default_factory=list)
    """New players: key, number, and the row of the dry run that brought them."""
    resource: register_table.RegisterResource = field(init=False)
    writer: JournalWriter = field(init=False)

    def __post_init__(self) -> None:
        self.resource = register_table.RegisterResource(self.federation, latest=self.on.year)
        self.writer = JournalWriter(self.federation, self.ledger)

    def write(
        self, changes: Iterator[RegisterChange], beat: Callable[[int], None] = lambda count: None
    ) -> None:
        """Write all changes to register and journal, page by page; `beat` gets the number written so far."""
        done = 0
        for page in batches(changes, register_table.PAGE):
            newcomers = [each for each in page if each.player is None]
            self._enter([each for each in newcomers if each.number])
            self._enter(
                [each for each in newcomers if not each.number]
            )  # last, so that no number is given twice
            self._change([each for each in page if each.player is not None])
            done += len(page)
            beat(done)

    def close(self) -> bool:
        """Ask for a recompute if the rules fold players' particulars; return whether to wake the worker."""
        wanted = bool(self.facts) and "player" in self.federation.ruleset.journal.folds
        if wanted:
            self.writer.ask_for_recompute()
        return wanted

    # ------------------------------------------------------------ new players

    def _enter(self, newcomers: Sequence[RegisterChange]) -> None:
        if not newcomers:
            return
        unnumbered = sum(not each.number for each in newcomers)
        following = iter(range(first := take_numbers(self.federation, unnumbered), first + unnumbered))
        players = []
        for each in newcomers:
            player = models.Player(federation=self.federation, registered_on=self.on)
            register_table.without_particulars(player)
            self._set(player, each.changes)
            player.number = each.number or str(next(following))
            players.append(player)
        self._insert(players)
        self.entered += [(p.pk, p.number, each.line) for p, each in zip(players, newcomers, strict=True)]
        self._write_births(players)
        self._write_ids(players, newcomers)

    def _insert(self, players: Sequence[models.Player]) -> None:
        """Insert new players and read back their keys."""
        with closing(Spool(models.Player, PLAYERS)) as spool:
            for player in players:
                spool.add(*_cells(player))
            spool.write()
        entered = models.Player.objects.of(self.federation).filter(
            number__in=[player.number for player in players]
        )
        keys = dict(entered.order_by().values_list("number", "pk"))
        for player in players:
            player.pk = keys[player.number]
        models.insert_name_words(players)

    def _set(self, player: models.Player, changes: Changes) -> None:
        self.resource.learn(changes)
        for column, (_before, after) in changes.items():
            self.resource.fields[column].save(player, {column: after})
        birth: str = player.birth  # type: ignore[attr-defined]
        player.born = int(birth[:4]) if birth else None
        player.name_key = fold(player.surname)
        player.first_name_key = folded_words(player.first_name)
        player.federation = self.federation
        player.sort_key = name_order_of(player)
        if changes.keys() & models.NAMES:
            rename(player)

    # ------------------------------------------------------------ those who are there

    def _change(self, changes: Sequence[RegisterChange]) -> None:
        if not changes:
            return
        keys = [each.player for each in changes]
        found = models.Player.objects.of(self.federation).in_bulk(keys)
        players = [found[each.player] for each in changes if each.player is not None]
        register_table.with_particulars(players)
        earlier = [name_before(player) for player in players]
        for player, each in zip(players, changes, strict=True):
            self._set(player, each.changes)
        self._update(players)
        models.write_name_words(
            p for p, each in zip(players, changes, strict=True) if each.changes.keys() & models.NAMES
        )
        keep_former_names(earlier, players, until=self.on)
        born = [p for p, each in zip(players, changes, strict=True) if "birth" in each.changes]
        models.BirthDate.objects.filter(player__in=born).delete()
        self._write_births(born)
        self._write_ids(players, changes)
        self._write_facts(players)

    def _update(self, players: Sequence[models.Player]) -> None:
        with closing(Spool(models.Player, ("id", *PLAYERS))) as spool:
            for player in players:
                spool.add(str(player.pk), *_cells(player))
            spool.upsert(key=["id"], update=UPDATED)

    def _write_births(self, players: Sequence[models.Player]) -> None:
        births: dict[int, str] = {player.pk: player.birth for player in players}  # type: ignore[attr-defined]
        with closing(Spool(models.BirthDate, ("player_id", "day"))) as spool:
            for key, birth in births.items():
                if len(birth) == 10:
                    spool.add(str(key), birth)
            spool.write()

    def _write_ids(self, players: Sequence[models.Player], changes: Sequence[RegisterChange]) -> None:
        """Replace the ids that others gave players; of several of one kind, the one that the table showed."""
        office = str(self.federation.pk)
        old, new = [], []
        for player, each in zip(players, changes, strict=True):
            for column, (before, after) in each.changes.items():
                kind = register_table.kind_of(column)
                if kind and before:
                    old.append((player.pk, kind, before))
                if kind and after:
                    new.append((office, str(player.pk), escaped(kind), escaped(after)))
        if old:
            self._remove_ids(old)
        with closing(Spool(models.Identifier, ("federation_id", "player_id", "kind", "value"))) as spool:
            for row in new:
                spool.add(*row)
            spool.write()

    def _remove_ids(self, old: Sequence[tuple[int, str, str]]) -> None:
        wanted = set(old)
        held = models.Identifier.objects.filter(player__in=[key for key, _kind, _value in old])
        gone = [one.pk for one in held if (one.player_id, one.kind, one.value) in wanted]
        models.Identifier.objects.filter(pk__in=gone).delete()

    def _write_facts(self, players: Sequence[models.Player]) -> None:
        """Append a journal line for each of them who is in the journal already (D-6: for later ratings)."""
        numbers = [player.number for player in players]
        written = Fact.objects.about(self.federation, numbers, "player")
        subjects = set(written.values_list("subject", flat=True))
        regions = self.federation.regions.in_bulk()
        told = []
        for player in players:
            if player.number in subjects:
                player.federation = self.federation
                player.region = regions[player.region_id] if player.region_id else None
                told.append(player_fact(player))
        before = self.ledger.facts
        self.writer.write_players(told)
        self.facts += self.ledger.facts - before


def _cells(player: models.Player) -> list[str]:
    """A player's values for the columns `PLAYERS`, as text for a `Spool`."""
    return [_cell(getattr(player, column)) for column in PLAYERS]


def _cell(value: Any) -> str:
    if value is None:
        return NULL
    return str(int(value)) if isinstance(value, bool) else escaped(str(value))


# ---- Compares the register with FIDE's list: what is taken over, and what a person has to look at.
EVERY = 100_000
"""The number of people on the list between two reports of progress."""


class FideDifference(NamedTuple):
    """One difference in one player between the register and FIDE's list."""

    number: str
    what: str
    """`title`, `sex`, `born`, `name`, `link`."""
    before: str
    after: str
    taken: bool
    """Whether it is taken over when written; if not, it is only reported."""


@dataclass(slots=True)
class Comparison:
    people: int = 0
    """The number of people on the list."""
    known: int = 0
    """The number of the register's players with a FIDE id who are on the list."""
    missing: int = 0
    """The number of those players who are not on the list."""
    counts: Counter[tuple[str, bool]] = field(default_factory=Counter)
    differences: list[FideDifference] = field(default_factory=list)
    taken: dict[int, dict[str, tuple[str, str]]] = field(default_factory=lambda: defaultdict(dict))
    """By the player's key and by column, before and after of each particular taken over."""

    @property
    def changes(self) -> list[RegisterChange]:
        return [RegisterChange(columns, key) for key, columns in self.taken.items()]


class _Kept(NamedTuple):
    key: int
    number: str
    surname: str
    first_name: str
    sex: str
    born: int | None
    title: str


_FIELDS = ("pk", "number", "name_key", "first_name", "sex", "born", "title")


def compare(
    federation: models.Federation,
    people: Iterable[FidePerson],
    *,
    link: bool = False,
    told: Callable[[int], None] = lambda people: None,
) -> Comparison:
    """Compare an office's register with FIDE's list, read once. `told` gets the number of people read so far.

    `link`: a player without a FIDE id gets that of the one person of the country with the same name and year
    of birth.
    """
    found = Comparison()
    fields = [f"player__{name}" for name in _FIELDS]
    held = models.Identifier.objects.filter(federation=federation, kind=register_table.FIDE).values_list(
        "value", *fields
    )
    register = {value: _Kept(*player) for value, *player in held}
    unlinked = _without_ids(federation, set(register.values()))
    matches: dict[int, list[FidePerson]] = defaultdict(list)
    kept = {player.key: player for players in unlinked.values() for player in players}
    seen = 0
    for person in people:
        found.people += 1
        if found.people % EVERY == 0:
            told(found.people)
        if player := register.get(person.fide_id):
            seen += 1
            # Compare one player with FIDE's particulars: take over the title, which is FIDE's to give, fill
            # in an unknown sex and birth, report other differences.
            if person.title and person.title != player.title:
                _note_difference(found, player, "title", player.title, person.title, taken=True)
                found.taken[player.key]["title"] = (player.title, person.title)
            if person.sex and person.sex != player.sex:
                _note_difference(found, player, "sex", player.sex, person.sex, taken=not player.sex)
                if not player.sex:
                    found.taken[player.key]["sex"] = ("", person.sex)
            if person.born and person.born != player.born:
                _note_difference(
                    found, player, "born", str(player.born or ""), str(person.born), taken=not player.born
                )
                if not player.born:
                    found.taken[player.key]["birth"] = ("", str(person.born))
            if fold(person.surname) != player.surname or fold(person.first_name) != fold(player.first_name):
                _note_difference(
                    found, player, "name", "", f"{person.surname}, {person.first_name}", taken=False
                )
        elif person.country == federation.ruleset.country and person.born:
            for other in unlinked.get((fold(person.surname), fold(person.first_name), person.born), ()):
                matches[other.key].append(person)
    found.known, found.missing = seen, len(register) - seen
    _link(found, matches, kept, taken=link)
    return found


def _without_ids(
    federation: models.Federation, linked: set[_Kept]
) -> dict[tuple[str, str, int], list[_Kept]]:
    keys = {player.key for player in linked}
    found: dict[tuple[str, str, int], list[_Kept]] = defaultdict(list)
    current = (
        models.Player.objects.of(federation).current().filter(withheld=False, born__isnull=False).order_by()
    )
    for row in current.values_list(*_FIELDS).iterator(chunk_size=2_000):
        player = _Kept(*row)
        if player.key not in keys and player.born:
            found[player.surname, fold(player.first_name), player.born].append(player)
    return found


def _link(
    found: Comparison, matches: dict[int, list[FidePerson]], kept: dict[int, _Kept], *, taken: bool
) -> None:
    """Report players without FIDE id beside the people of their name and year (`matches`, by player's key);
    where `taken`, take over the id if nobody else, on either side, has that name and year.
    """
    claims = Counter(person.fide_id for people in matches.values() for person in people)
    for key, people in matches.items():
        alone = len(people) == 1 and claims[people[0].fide_id] == 1
        told = ", ".join(person.fide_id for person in people)
        _note_difference(found, kept[key], "link", "", told, taken=taken and alone)
        if taken and alone:
            found.taken[key][register_table.identifier(register_table.FIDE)] = ("", people[0].fide_id)


def _note_difference(
    found: Comparison, player: _Kept, what: str, before: str, after: str, *, taken: bool
) -> None:
    found.counts[what, taken] += 1
    found.differences.append(FideDifference(player.number, what, before, after, taken))


# ---- Officials' decisions on the register as a whole. Each is one transaction and stands in the record.
MOST_BYTES = 30 * 1024 * 1024
MOST_ROWS = 150_000
TOO_BIG = gettext_lazy("The file is larger than 30 MB, the most that a register may have.")
IMPORT_REGISTER = "ratings.tasks.import_register"
ABOUT = "register"


@transaction.atomic
def receive_register(
    *,
    federation: models.Federation,
    by: models.User | None,
    at: datetime,
    on: date,
    name: str,
    data: bytes,
    takes_numbers: bool = False,
    opening: register_table.OpeningTerms | None = None,
    mark: str = "",
) -> models.RegisterImport:
    """Store a table for the worker, who shows what it would change. A table that awaits confirmation is
    discarded. `opening`: the list whose ratings the table brings, if any. `mark`: of the form; sent again, it
    returns the table that it stored.

    Raises `Refused` where the table is empty or too large, the office has no room or cannot take over
    ratings, or another table is being worked on.
    """
    lock_ledger(federation)
    if key := made_before(federation, mark):
        return federation.register_imports.get(pk=key)
    _refuse_table(federation, data, opening, on)
    for earlier in federation.register_imports.filter(state__in=models.NAMEABLE):
        _let_go(earlier)
    refuse_beyond_room(len(data), federation)
    sha256 = hashlib.sha256(data).hexdigest()
    received = models.RegisterImport.objects.create(
        federation=federation,
        by=by,
        at=at,
        on=on,
        name=plain_name(name),
        size=len(data),
        sha256=sha256,
        content=data,
        takes_numbers=takes_numbers,
        opening=opening.as_dict() if opening else {},
    )
    keep_mark(federation, mark, received.pk)
    decide(federation, kind="receive-register", by=by, on=on, about=ABOUT, sha256=sha256)
    wake(IMPORT_REGISTER, received.pk)
    return received


def _refuse_table(
    federation: models.Federation, data: bytes, opening: register_table.OpeningTerms | None, on: date
) -> None:
    if opening is not None:
        # Raise `Refused` where this office cannot take over ratings, or not from that list.
        refuse_begun(federation)
        tracks = [track.code for track in federation.ruleset.tracks]
        if opening.track not in tracks:
            words = _("There is no rating “%(track)s” here. There are: %(tracks)s.")
            raise Refused(words % {"track": opening.track[:40], "tracks": ", ".join(tracks)})
        if not opening.source.strip() or len(opening.source) > LONGEST_SOURCE:
            raise Refused(
                _("Say which list it is, in up to 100 characters: everybody reads it beside a rating.")
            )
        if opening.day > on:
            raise Refused(_("The list’s day is still to come."))
        refuse_earlier_day(federation, opening)
    if not data:
        raise Refused(_("The file is empty. Choose the table again."))
    if len(data) > MOST_BYTES:
        raise Refused(str(TOO_BIG))
    if federation.register_imports.filter(state__in=models.WORKING).exists():
        raise Refused(_("The office is working on another table. Wait until that is finished."))


@transaction.atomic
def name_columns(
    *, register_import: models.RegisterImport, naming: register_table.Naming, digest: str
) -> None:
    """Take a person's word on what a table's columns hold, remember it for tables with these headings, and
    let the worker compare the table anew. `digest`: of the dry run that the person saw; empty: there was
    none.

    Raises `Refused` where the table waits for nobody, or is not as the person saw it.
    """
    lock_ledger(register_import.federation)
    register_import.refresh_from_db()
    if not register_import.nameable or register_import.digest != digest:
        raise Refused(_("Somebody else acted first. Look at the table again."))
    register_table.remember(
        register_import.federation,
        register_import.head["headings"],
        register_table.purpose_of(register_import),
        naming,
    )
    register_import.lines.all().delete()
    models.RegisterImport.objects.filter(pk=register_import.pk).update(
        state=models.State.WAITING,
        naming=naming.as_dict(),
        attempts=0,
        progress=0,
        digest="",
        counts={},
        notices=[],
        reason={},
        stale=False,
    )
    wake(IMPORT_REGISTER, register_import.pk)


@transaction.atomic
def confirm_register(
    *, register_import: models.RegisterImport, by: models.User | None, on: date, digest: str, leave_out: bool
) -> None:
    """Let the worker write the table whose dry run has this digest; the writing records the decision.

    Raises `Refused` where the dry run is no longer this one, nothing would change, or rows have problems and
    nobody chose to leave them out.
    """
    lock_ledger(register_import.federation)
    register_import.refresh_from_db()
    if register_import.state != models.State.PLANNED or register_import.digest != digest:
        raise Refused(
            _("Somebody else acted first, or the register changed. Check what the table would change now.")
        )
    counts = register_import.counts
    if counts["problem"] and not leave_out:
        raise Refused(_("Some rows have problems. Correct the table, or choose to go on without those rows."))
    if not counts["new"] + counts["changed"]:
        raise Refused(_("The table would change nothing."))
    models.RegisterImport.objects.filter(pk=register_import.pk).update(
        state=models.State.CONFIRMED,
        leave_out=leave_out,
        confirmed_by=by,
        confirmed_on=on,
        attempts=0,
        progress=0,
        stale=False,
        reason={},
    )
    wake(IMPORT_REGISTER, register_import.pk)


@transaction.atomic
def discard_register(*, register_import: models.RegisterImport, by: models.User | None, on: date) -> None:
    """Discard a table that is not written, with its bytes and its dry run."""
    federation = register_import.federation
    lock_ledger(federation)
    register_import.refresh_from_db(fields=["state"])
    if not register_import.discardable:
        raise Refused(_("It is too late: the worker has started, or has finished. Open the table again."))
    _let_go(register_import)
    sha256 = register_import.sha256
    decide(federation, kind="discard", by=by, on=on, about=ABOUT, sha256=sha256)


def _let_go(register_import: models.RegisterImport) -> None:
    register_import.lines.all().delete()
    models.RegisterImport.objects.filter(pk=register_import.pk).update(
        state=models.State.DISCARDED, content=None, reading=None
    )


def export_register(
    *,
    federation: models.Federation,
    by: models.User | None,
    on: date,
    layout: str,
    births: str,
    players: int,
    regions: Iterable[models.Region] | None = None,
) -> None:
    """Record that somebody exported the register; `births`: how much of them (`day`, `year`).

    `regions`: those whose players were exported; None: all.
    """
    decide(
        federation,
        kind="export-register",
        by=by,
        on=on,
        about=ABOUT,
        layout=layout,
        births=births,
        players=players,
        region=None if regions is None else sorted(region.code for region in regions),
    )


@transaction.atomic
def take_fide(
    *,
    federation: models.Federation,
    changes: Sequence[RegisterChange],
    source: str,
    by: models.User | None,
    on: date,
) -> None:
    """Write the changes found by a comparison with FIDE's list, all or none. `source`: the file's name."""
    ledger = lock_ledger(federation)
    register = RegisterWriter(federation, ledger, on)
    register.write(iter(changes))
    wanted = register.close()
    decide(federation, kind="take-fide", by=by, on=on, about=ABOUT, changed=len(changes), source=source[:100])
    if wanted:
        wake("ratings.tasks.recompute", federation.pk)


# ---- The worker's part: the dry run of a table and its writing. The row is the job; a message only wakes.
#
# Before anything is written the dry run is made once more, with no lock held. The one transaction begins only
# if the run gives what was confirmed, and nobody has decided anything since. A worker that is killed leaves
# nothing half-written.
log = structlog.get_logger("players.register_table")
MOST_ROUNDS = 5
"""The number of times a dry run is made anew because somebody decided something meanwhile."""
BEFORE = {models.State.READING: models.State.WAITING, models.State.WRITING: models.State.CONFIRMED}
GIVEN_UP = {models.State.READING: models.State.REFUSED, models.State.WRITING: models.State.PLANNED}
CRASHED = {models.State.READING: "box-crash", models.State.WRITING: "not-written"}
"""The reason given where workers died at it, or failed for no reason of the table's own."""
STARTED = Case(
    *(When(state__in=(before, state), then=Value(state)) for state, before in BEFORE.items()),
    output_field=CharField(),
)
JOBS = (
    models.RegisterImport.objects.filter(state__in=models.WORKING)
    .exclude(federation__in=models.Federation.objects.filter(ledger__held=True))
    .defer("content", "reading")
    .select_related("federation")
)
"""The tables to work on; those of an office put back from a backup wait until it goes on."""
COLUMNS = (
    *("register_import_id", "line", "kind", "player_id", "number", "name", "changes", "problems"),
    "opening",
)


def run(key: int) -> None:
    """Do the work that a table waits for, if nobody else does: its dry run, or its writing."""
    job = claim(key)
    if job is None:
        return
    work = dry_run if job.state == models.State.READING else write
    try:
        work(job)
    except register_table.ColumnsUnnamed as unnamed:
        reason = unnamed.problem.as_dict()
        models.release(job, state=models.State.UNNAMED, reason=reason, progress=100, head=unnamed.head)
    except register_table.TableRefused as refused:
        problem = {**refused.problem.as_dict(), "line": refused.line}
        models.release(job, state=models.State.REFUSED, reason=problem, progress=100)
    except BoxDied as died:
        log.warning("the box died", table=job.pk, attempt=job.attempts, reason=died.reason)
        _fail(job, died.reason)
    except models.DATABASE_TROUBLE:  # the sweep comes back for the job
        models.give_back(job, state=BEFORE[models.State(job.state)], progress=0)
    except Exception:
        log.exception("a table could not be worked on", table=job.pk, attempt=job.attempts)
        _fail(job, CRASHED[models.State(job.state)])


def sweep() -> None:
    """Do the work of tables that no message announced or a dead worker left behind."""
    for key in models.free(JOBS).values_list("pk", flat=True):
        run(key)


def claim(key: int) -> models.RegisterImport | None:
    """Lease a table to this worker. None where it needs no work, another worker has it, or it is given up
    here because too many workers died at it.
    """
    job = models.claim(JOBS, key, state=STARTED, progress=1)
    if job is not None and job.attempts > models.MOST_ATTEMPTS:
        _give_up(job, CRASHED[models.State(job.state)])
        return None
    return job


def _fail(job: models.RegisterImport, reason: str) -> None:
    """Try a table once more after a failure, or give it up for `reason` after the last attempt."""
    if job.attempts >= models.MOST_ATTEMPTS:
        _give_up(job, reason)
    else:
        models.release(job, state=BEFORE[models.State(job.state)], progress=0)
        run(job.pk)


def _give_up(job: models.RegisterImport, reason: str) -> None:
    state = GIVEN_UP[models.State(job.state)]
    models.release(job, state=state, reason=register_table.RowProblem(reason).as_dict(), progress=100)


# ---------------------------------------------------------------- the dry run
def dry_run(job: models.RegisterImport) -> None:
    """Work out and store what each row of a table would do to the register, which is not touched."""
    reading = _reading(job, _progress(job, 0, 40))
    spool = Spool(models.RegisterLine, COLUMNS)
    try:
        table = register_table.TableComparison(job, reading, openings_of)
        digest, counts = _into(spool, job, table.planned(_progress(job, 40, 90)))
        with transaction.atomic():
            if models.hold(job):
                _keep(job, spool, table, digest=str(digest), counts=counts)
    finally:
        spool.close()


def _keep(
    job: models.RegisterImport, spool: Spool, table: register_table.TableComparison, **fields: Any
) -> None:
    """Store this dry run in place of the earlier one, and end the job; the caller holds the transaction."""
    job.lines.all().delete()
    spool.write()
    told = {
        "head": register_table.shown_head(table.head),
        "notices": table.notices,
        "coming_list": table.coming_list,
    }
    models.release(job, state=models.State.PLANNED, progress=100, reason={}, **told, **fields)


def _into(
    spool: Spool, job: models.RegisterImport, planned: Iterator[register_table.Planned]
) -> tuple[register_table.Digest, dict[str, int]]:
    digest, counts = register_table.Digest(), Counter(dict.fromkeys(models.RegisterLine.Kind.values, 0))
    for each in planned:
        digest.add(each)
        counts[each.kind] += 1
        if each.opening:
            counts["openings"] += 1
        spool.add(
            str(job.pk),
            str(each.line),
            str(each.kind),
            str(each.player.pk) if each.player else NULL,
            escaped(each.number),
            escaped(each.name),
            escaped(each.changes_json),
            escaped(each.problems_json),
            escaped(json.dumps(each.opening)),
        )
    return digest, dict(counts)


def _reading(job: models.RegisterImport, beat: register_table.OnProgress) -> bytes:
    """The table as the box read it, compressed. It is stored, so that the box opens the table only once."""
    row = models.RegisterImport.objects.filter(pk=job.pk)
    reading = row.values_list("reading", flat=True).get()
    if reading is not None:
        return bytes(reading)
    content = row.values_list("content", flat=True).get() or b""
    # The duration is not known, so the bar only creeps.
    with table_boxed(bytes(content), job.name, on_progress=lambda s: beat(s / (s + 15))) as output:
        packer = zlib.compressobj(1)
        parts = [packer.compress(part) for part in iter(lambda: output.read(register_table.PART), b"")]
        made = b"".join([*parts, packer.flush()])
    _keep_reading(job, made)
    return made


@transaction.atomic
def _keep_reading(job: models.RegisterImport, made: bytes) -> None:
    lock_ledger(job.federation)
    try:
        refuse_beyond_room(len(made), job.federation)
    except NoRoom as refused:
        raise register_table.TableRefused(
            register_table.RowProblem("no-room", params=refused.params)
        ) from None
    models.beat(job, reading=made)


# ---------------------------------------------------------------- the writing
def write(job: models.RegisterImport) -> None:
    """Write a confirmed table if a new dry run gives the same; else store the new one, to be confirmed."""
    for _round in range(MOST_ROUNDS):
        if _written(job):
            return
    _fail(job, CRASHED[models.State.WRITING])


def _written(job: models.RegisterImport) -> bool:
    """Try once to write what was confirmed; return whether the job ended: written, or a new dry run stored.

    False: somebody decided something meanwhile, so that it has to be tried again.
    """
    seen = models.Ledger.objects.get(federation=job.federation).decisions
    spool = Spool(models.RegisterLine, COLUMNS)
    try:
        table = register_table.TableComparison(job, _reading(job, _progress(job, 0, 5)), openings_of)
        digest, counts = _into(spool, job, table.planned(_progress(job, 5, 60)))
        with transaction.atomic():
            ledger = lock_ledger(job.federation)
            if not models.hold(job):
                return True
            job.refresh_from_db(fields=["digest", "counts", "confirmed_by", "confirmed_on", "leave_out"])
            if str(digest) != job.digest:
                _keep(job, spool, table, digest=str(digest), counts=counts, stale=True)
                return True
            if ledger.decisions != seen:
                return False
            _write_now(job, ledger)
    finally:
        spool.close()
    if job.counts["new"] + job.counts["changed"] > MANY:
        take_stock(models.Player, models.NameWord, models.BirthDate, models.Identifier, Fact)
    return True


def _write_now(job: models.RegisterImport, ledger: models.Ledger) -> None:
    """Write a confirmed dry run to register, journal and record, and end the job, under the ledger's lock."""
    if job.confirmed_on is None:
        raise LookupError("nobody confirmed this table")
    register = RegisterWriter(job.federation, ledger, job.confirmed_on)
    register.write(_changes(job))
    if register.entered:
        table = connection.ops.quote_name(models.RegisterLine._meta.db_table)
        with connection.cursor() as cursor:
            cursor.executemany(
                f"UPDATE {table} SET player_id = %s, number = %s WHERE id = %s", register.entered
            )
    told = {name: job.counts[name] for name in ("new", "changed")}
    if job.opening:
        # Add the openings of a table to the journal, and return their number; the players are entered by now.
        rows = job.lines.exclude(opening={}).exclude(kind=models.RegisterLine.Kind.PROBLEM)
        openings = {
            player: register_table.TakenOpening(told["rating"], told["games"])
            for player, told in rows.values_list("player_id", "opening")
        }
        try:
            write_openings(job.federation, ledger, register_table.OpeningTerms(**job.opening), openings)
        except Refused as refused:
            raise register_table.TableRefused(
                register_table.RowProblem("openings-refused", params={"why": str(refused)})
            ) from None
        told |= {"openings": len(openings), "day": job.opening["on"]}
        told |= {name: job.opening[name] for name in ("track", "source")}
    decide(
        job.federation,
        kind="import-register",
        by=job.confirmed_by,
        on=job.confirmed_on,
        about=ABOUT,
        **told,
        left_out=job.counts["problem"],
        sha256=job.sha256,
    )
    if register.close() or job.opening:
        wake("ratings.tasks.recompute", job.federation_id)
    job.lines.filter(kind=models.RegisterLine.Kind.UNCHANGED).delete()
    models.release(job, state=models.State.WRITTEN, progress=100, reading=None, stale=False, reason={})


def _changes(job: models.RegisterImport) -> Iterator[RegisterChange]:
    """Yield a dry run's changes: of known players, of new ones with numbers, of new ones who get free
    numbers.
    """
    new = job.lines.filter(kind=models.RegisterLine.Kind.NEW)
    changed = job.lines.filter(kind=models.RegisterLine.Kind.CHANGED)
    for lines in (changed, new.exclude(number=""), new.filter(number="")):
        rows = lines.values_list("changes", "player_id", "number", "pk")
        for changes, player, number, line in rows.iterator(chunk_size=2_000):
            yield RegisterChange(changes, player, number, line)


def _progress(job: models.RegisterImport, first: int, last: int) -> register_table.OnProgress:
    """Make a function that reports a share of work done as progress from `first` to `last` per cent; a report
    is the worker's sign of life too.
    """
    pulse = models.Pulse(job)

    def beat(share: float) -> None:
        pulse.beat(progress=first + int((last - first) * min(share, 1)))

    return beat
