"""Taking tables of players into the register: a dry run shows what a table would change, and what was
confirmed is written in one transaction. A table may bring the ratings with which an office begins, as
openings in the journal.
"""

import hashlib
import json
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, ClassVar

import structlog
from django.db import connection, transaction
from django.utils.translation import gettext as _, gettext_lazy

from players import jobs, models, register_table
from players.display import day_in_words
from players.fide_list import FideComparison
from players.files import NoRoom, clean_file_name, refuse_beyond_room
from players.names import fold, fold_and_join_words, player_sort_key
from players.record import Refused, decide, find_form_result, lock_ledger, save_form_result
from players.register import player_fact, renew_salt, reserve_numbers, save_former_names, snapshot_name
from players.writing import MANY, NULL, Spool, batches, escape_copy_text, take_stock
from ratings.journal import JournalWriter, aliases, build_foldable_fact, get_new_line_day
from ratings.models import Fact, day_taken_over
from ratings.rulesets import facts
from tournaments.box import table_boxed

# ---- Opening ratings: those of the list with which an office begins, as facts of the journal
#
# No rating is written by hand here either: an opening names its list, stands openly in the journal, and the
# rules decide what follows from it.
LONGEST_SOURCE = 100
MOST_GAMES = 999_999


def refuse_openings(federation: models.Federation) -> None:
    """Raise `Refused` where the rules know no openings, or the office's record has begun."""
    if "opening" not in federation.ruleset.journal.folds:
        raise Refused(
            _(
                "These regulations know no opening ratings: each rating is computed from competitions. "
                "Enter those."
            )
        )
    lines = Fact.objects.filter(federation=federation, kind__in=("section", "list"))
    if (begun := lines.order_by("number").first()) is not None:
        raise Refused(_describe_begun(federation, begun.number))


def _describe_begun(federation: models.Federation, line: int) -> str:
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


def refuse_opening_before_journal(federation: models.Federation, terms: register_table.OpeningTerms) -> None:
    """Raise `Refused` where the journal has a later day than the list: its days never go backwards."""
    newest = get_new_line_day(federation, terms.day)
    if newest != terms.day:
        words = _("The journal already has a line of %(day)s, and its days never go backwards.")
        raise Refused(words % {"day": day_in_words(newest)})


def get_openings(federation: models.Federation, track: str) -> Iterator[tuple[int, facts.Opening]]:
    """Yield a track's openings in the journal, each with its line's number, merges followed."""
    names = aliases(federation)
    rows = Fact.objects.filter(federation=federation, kind="opening").in_force().order_by("number")
    for row in rows:
        row.federation = federation
        placed = build_foldable_fact(row, names)
        assert isinstance(placed, facts.Placed)
        if isinstance(placed.fact, facts.Opening) and placed.fact.track == track:
            yield placed.number, placed.fact


def write_openings(
    federation: models.Federation,
    ledger: models.Ledger,
    terms: register_table.OpeningTerms,
    openings: Mapping[int, register_table.TakenOpening],
) -> None:
    """Add the lines of players and their openings, by the player's primary key, and ask for a recompute. The
    caller holds the ledger's lock. Raises `Refused` where the office has begun meanwhile.
    """
    refuse_openings(federation)
    refuse_opening_before_journal(federation, terms)
    people = models.Player.objects.of(federation).select_related("region").in_bulk(list(openings))
    writer = JournalWriter(federation, ledger)
    writer.write_players([player_fact(player) for player in people.values()])
    taken = sorted((player.number, openings[key]) for key, player in people.items())
    writer.write_openings([register_table.opening_fact(terms, *each) for each in taken])
    writer.ask_for_recompute()


# ---- Writing an import in one transaction: the register's rows in bulk, and the journal's lines
FIXED_COLUMNS = ("federation_id", "number", "withheld", "registered_on", "club", "deceased")
CHANGEABLE_COLUMNS = (
    *("surname", "first_name", "sex", "born", "nation", "resident", "included_by", "region_id", "title"),
    *("name_key", "first_name_key", "sort_key", "salt", "name_seal"),
)
PLAYER_COLUMNS = (*FIXED_COLUMNS, *CHANGEABLE_COLUMNS)
"""Columns of a player: those that a table never changes, and those that it may."""
Changes = dict[str, tuple[str, str]]
"""Before and after by column, as the table writes them."""


@dataclass(slots=True)
class RegisterWriter:
    """Writes to a register under the ledger's lock; each page of changes is a few statements."""

    federation: models.Federation
    ledger: models.Ledger
    on: date
    facts: int = 0
    """The number of lines added to the journal."""
    parts: set[str] = field(default_factory=set)
    """What the decision about it holds: each player who was entered or changed."""
    entered: list[tuple[int, str, int]] = field(default_factory=list)
    """New players: primary key, number, and primary key of the row of the dry run that brought them."""
    resource: register_table.RegisterResource = field(init=False)
    writer: JournalWriter = field(init=False)

    def __post_init__(self) -> None:
        self.resource = register_table.RegisterResource(self.federation, on=self.on)
        self.writer = JournalWriter(self.federation, self.ledger)

    def write(
        self, changes: Iterable[models.RegisterLine], beat: Callable[[int], None] = lambda count: None
    ) -> None:
        """Write the changes of these rows of a dry run to register and journal, page by page; those without a
        player enter a new one. `beat` gets the number written so far.
        """
        done = 0
        for page in batches(changes, register_table.PAGE_ROWS):
            newcomers = [each for each in page if each.player_id is None]
            self._enter([each for each in newcomers if each.number])
            # Those without a number come last, so that no number is given twice.
            self._enter([each for each in newcomers if not each.number])
            self._change([each for each in page if each.player_id is not None])
            done += len(page)
            beat(done)

    def close(self) -> bool:
        """Ask for a recompute if the rules fold players' particulars; return whether to wake the worker."""
        wanted = bool(self.facts) and "player" in self.federation.ruleset.journal.folds
        if wanted:
            self.writer.ask_for_recompute()
        return wanted

    def _enter(self, newcomers: Sequence[models.RegisterLine]) -> None:
        if not newcomers:
            return
        unnumbered = sum(not each.number for each in newcomers)
        following = iter(range(first := reserve_numbers(self.federation, unnumbered), first + unnumbered))
        players = []
        for each in newcomers:
            player = models.Player(federation=self.federation, registered_on=self.on)
            register_table.attach_empty_particulars(player)
            self._set(player, each.changes)
            player.number = each.number or str(next(following))
            players.append(player)
        self._insert(players)
        self.parts.update(f"player {player.number}" for player in players)
        self.entered += [(p.pk, p.number, each.pk) for p, each in zip(players, newcomers, strict=True)]
        self._write_births(players)
        self._write_ids(players, newcomers)

    def _insert(self, players: Sequence[models.Player]) -> None:
        """Insert new players and read back their primary keys."""
        with closing(Spool(models.Player, PLAYER_COLUMNS)) as spool:
            for player in players:
                spool.add(*_cells(player))
            spool.write()
        numbers = [player.number for player in players]
        entered = models.Player.objects.of(self.federation).filter(number__in=numbers)
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
        player.first_name_key = fold_and_join_words(player.first_name)
        player.federation = self.federation
        player.sort_key = player_sort_key(player)
        if changes.keys() & models.NAME_FIELDS:
            renew_salt(player)

    def _change(self, changes: Sequence[models.RegisterLine]) -> None:
        if not changes:
            return
        found = models.Player.objects.of(self.federation).in_bulk([each.player_id for each in changes])
        players = [found[each.player_id] for each in changes if each.player_id is not None]
        register_table.attach_particulars(players)
        self.parts.update(f"player {player.number}" for player in players)
        earlier = [snapshot_name(player) for player in players]
        for player, each in zip(players, changes, strict=True):
            self._set(player, each.changes)
        with closing(Spool(models.Player, ("id", *PLAYER_COLUMNS))) as spool:
            for player in players:
                spool.add(str(player.pk), *_cells(player))
            spool.upsert(key=["id"], update=CHANGEABLE_COLUMNS)
        models.update_name_words(
            p for p, each in zip(players, changes, strict=True) if each.changes.keys() & models.NAME_FIELDS
        )
        save_former_names(earlier, players, until=self.on)
        born = [p for p, each in zip(players, changes, strict=True) if "birth" in each.changes]
        models.BirthDate.objects.filter(player__in=born).delete()
        self._write_births(born)
        self._write_ids(players, changes)
        self._write_facts(players)

    def _write_births(self, players: Sequence[models.Player]) -> None:
        births: dict[int, str] = {player.pk: player.birth for player in players}  # type: ignore[attr-defined]
        with closing(Spool(models.BirthDate, ("player_id", "day"))) as spool:
            for key, birth in births.items():
                if len(birth) == 10:
                    spool.add(str(key), birth)
            spool.write()

    def _write_ids(self, players: Sequence[models.Player], changes: Sequence[models.RegisterLine]) -> None:
        """Replace the ids that others gave players; of several of one kind, the one that the table showed."""
        office = str(self.federation.pk)
        old, new = set(), []
        for player, each in zip(players, changes, strict=True):
            for column, (before, after) in each.changes.items():
                kind = register_table.column_id_kind(column)
                if kind and before:
                    old.add((player.pk, kind, before))
                if kind and after:
                    new.append((office, str(player.pk), escape_copy_text(kind), escape_copy_text(after)))
        if old:
            held = models.Identifier.objects.filter(player__in=[key for key, _kind, _value in old])
            gone = [one.pk for one in held if (one.player_id, one.kind, one.value) in old]
            models.Identifier.objects.filter(pk__in=gone).delete()
        with closing(Spool(models.Identifier, ("federation_id", "player_id", "kind", "value"))) as spool:
            for row in new:
                spool.add(*row)
            spool.write()

    def _write_facts(self, players: Sequence[models.Player]) -> None:
        """Append a journal line for each player who is in the journal already (D-6: for later ratings)."""
        numbers = [player.number for player in players]
        written = Fact.objects.about(self.federation, numbers, "player")
        subjects = set(written.values_list("subject", flat=True))
        regions = self.federation.regions.in_bulk()
        changed = []
        for player in players:
            if player.number in subjects:
                player.federation = self.federation
                player.region = regions[player.region_id] if player.region_id else None
                changed.append(player_fact(player))
        before = self.ledger.facts
        self.writer.write_players(changed)
        self.facts += self.ledger.facts - before


def _cells(player: models.Player) -> list[str]:
    """A player's values for the columns `PLAYERS`, as text for a `Spool`."""
    return [_cell(getattr(player, column)) for column in PLAYER_COLUMNS]


def _cell(value: Any) -> str:
    if value is None:
        return NULL
    return str(int(value)) if isinstance(value, bool) else escape_copy_text(str(value))


# ---- Officials' decisions on the register as a whole, a transaction each
MOST_BYTES = 30 * 1024 * 1024
MOST_ROWS = 150_000
TOO_BIG = gettext_lazy("The file is larger than 30 MB, the most that a register may have.")
RECORD_SUBJECT = "register"


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
    form_mark: str = "",
) -> models.RegisterImport:
    """Store a table for the worker, who shows what it would change. A table that awaits confirmation is
    discarded. `opening`: the list whose ratings the table brings, if any; `form_mark`: of the form, which
    sent again returns the table that it stored.

    Raises `Refused` where the table is empty or too large, the office has no room or cannot take over
    ratings, or another table is being worked on.
    """
    lock_ledger(federation)
    if key := find_form_result(federation, form_mark):
        return federation.register_imports.get(pk=key)
    _refuse_table(federation, data, opening, on)
    for earlier in federation.register_imports.filter(state__in=models.NAMEABLE_STATES):
        _discard(earlier)
    refuse_beyond_room(len(data), federation)
    sha256 = hashlib.sha256(data).hexdigest()
    received = models.RegisterImport.objects.create(
        federation=federation,
        by=by,
        at=at,
        on=on,
        name=clean_file_name(name),
        size=len(data),
        sha256=sha256,
        content=data,
        takes_numbers=takes_numbers,
        opening=opening.as_dict() if opening else {},
    )
    save_form_result(federation, form_mark, received.pk)
    decide(federation, kind="receive-register", by=by, on=on, about=RECORD_SUBJECT, sha256=sha256)
    jobs.wake_for("tables", received.pk)
    return received


def _refuse_table(
    federation: models.Federation, data: bytes, opening: register_table.OpeningTerms | None, on: date
) -> None:
    if opening is not None:
        refuse_openings(federation)
        tracks = [track.code for track in federation.ruleset.tracks]
        if opening.track not in tracks:
            words = _("There is no rating “%(track)s” here. There are: %(tracks)s.")
            raise Refused(words % {"track": opening.track[:40], "tracks": ", ".join(tracks)})
        if not opening.source.strip() or len(opening.source) > LONGEST_SOURCE:
            words = _("Say which list it is, in up to 100 characters: everybody reads it beside a rating.")
            raise Refused(words)
        if opening.day > on:
            raise Refused(_("The list’s day is still to come."))
        refuse_opening_before_journal(federation, opening)
    if not data:
        raise Refused(_("The file is empty. Choose the table again."))
    if len(data) > MOST_BYTES:
        raise Refused(str(TOO_BIG))
    if federation.register_imports.filter(state__in=models.WORKING_STATES).exists():
        raise Refused(_("The office is working on another table. Wait until that is finished."))


@transaction.atomic
def name_columns(
    *, register_import: models.RegisterImport, naming: register_table.Naming, seen_digest: str
) -> None:
    """Store what a person says a table's columns hold, also for later tables with these headings, and have
    the worker compare the table again. `digest`: of the dry run that the person saw; empty: none. Raises
    `Refused` where the table waits for nobody, or is not as the person saw it.
    """
    lock_ledger(register_import.federation)
    register_import.refresh_from_db()
    if not register_import.nameable or register_import.digest != seen_digest:
        raise Refused(_("Somebody else acted first. Look at the table again."))
    register_table.remember_naming(
        register_import.federation,
        register_import.head["headings"],
        register_table.naming_purpose(register_import),
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
    jobs.wake_for("tables", register_import.pk)


@transaction.atomic
def confirm_register(
    *,
    register_import: models.RegisterImport,
    by: models.User | None,
    on: date,
    seen_digest: str,
    leave_out_problems: bool,
) -> None:
    """Have the worker write the table whose dry run has this digest; the writing records the decision. Raises
    `Refused` where the dry run is no longer this one, nothing would change, or rows have problems and nobody
    chose to leave them out.
    """
    lock_ledger(register_import.federation)
    register_import.refresh_from_db()
    if register_import.state != models.State.PLANNED or register_import.digest != seen_digest:
        raise Refused(
            _("Somebody else acted first, or the register changed. Check what the table would change now.")
        )
    counts = register_import.counts
    if counts["problem"] and not leave_out_problems:
        raise Refused(_("Some rows have problems. Correct the table, or choose to go on without those rows."))
    if not counts["new"] + counts["changed"]:
        raise Refused(_("The table would change nothing."))
    models.RegisterImport.objects.filter(pk=register_import.pk).update(
        state=models.State.CONFIRMED,
        leave_out=leave_out_problems,
        confirmed_by=by,
        confirmed_on=on,
        attempts=0,
        progress=0,
        stale=False,
        reason={},
    )
    jobs.wake_for("tables", register_import.pk)


@transaction.atomic
def discard_register(*, register_import: models.RegisterImport, by: models.User | None, on: date) -> None:
    """Discard a table that is not written, with its bytes and its dry run."""
    federation = register_import.federation
    lock_ledger(federation)
    register_import.refresh_from_db(fields=["state"])
    if not register_import.discardable:
        raise Refused(_("It is too late: the worker has started, or has finished. Open the table again."))
    _discard(register_import)
    decide(federation, kind="discard", by=by, on=on, about=RECORD_SUBJECT, sha256=register_import.sha256)


def _discard(register_import: models.RegisterImport) -> None:
    register_import.lines.all().delete()
    models.RegisterImport.objects.filter(pk=register_import.pk).update(
        state=models.State.DISCARDED, content=None, reading=None
    )


def record_register_export(
    *,
    federation: models.Federation,
    by: models.User | None,
    on: date,
    layout: str,
    births: str,
    players: int,
    regions: Iterable[models.Region] | None = None,
) -> None:
    """Record an export of the register: how much of births (`day`, `year`), and which regions, if not all."""
    codes = None if regions is None else sorted(region.code for region in regions)
    details = {"layout": layout, "births": births, "players": players, "region": codes}
    decide(federation, kind="export-register", by=by, on=on, about=RECORD_SUBJECT, **details)


@transaction.atomic
def write_fide_changes(
    *,
    federation: models.Federation,
    comparison: FideComparison,
    source: str,
    by: models.User | None,
    on: date,
) -> None:
    """Take over what a comparison with FIDE's list found, all or nothing. `source`: the file's name."""
    ledger = lock_ledger(federation)
    register = RegisterWriter(federation, ledger, on)
    register.write(
        models.RegisterLine(player_id=key, changes=columns) for key, columns in comparison.taken.items()
    )
    wanted = register.close()
    decide(
        federation,
        kind="take-fide",
        by=by,
        on=on,
        about=RECORD_SUBJECT,
        also=register.parts,
        changed=len(comparison.taken),
        source=source[:100],
    )
    if wanted:
        jobs.wake_recompute(federation)


# ---- The worker's part: the dry run of a table and its writing
#
# The row is the job; a message only wakes. Before anything is written the dry run is made once more, with no
# lock held. The one transaction begins only if the run gives what was confirmed, and nobody has decided
# anything since. A worker that is killed leaves nothing half-written.
log = structlog.get_logger("players.register_table")
LINE_COLUMNS = (
    *("register_import_id", "line", "kind", "player_id", "number", "name", "changes", "problems"),
    "opening",
)


def dry_run(job: models.RegisterImport) -> None:
    """Compute and store what each row of a table would do to the register, which is not touched."""
    reading = _read_table(job, _progress(job, 0, 40))
    with closing(Spool(models.RegisterLine, LINE_COLUMNS)) as spool:
        table = register_table.TableComparison(job, reading, get_openings)
        digest, counts = _into(spool, job, table.planned(_progress(job, 40, 90)))
        with transaction.atomic():
            if jobs.lock_claimed(job):
                _store_dry_run(job, spool, table, digest=str(digest), counts=counts)


def _store_dry_run(
    job: models.RegisterImport, spool: Spool, table: register_table.TableComparison, **fields: Any
) -> None:
    """Store this dry run in place of the earlier one, and end the job; the caller holds the transaction."""
    job.lines.all().delete()
    spool.write()
    fields |= {"head": register_table.head_for_storage(table.head), "notices": table.notices}
    fields |= {"coming_list": table.coming_list}
    jobs.release(job, state=models.State.PLANNED, progress=100, reason={}, **fields)


def _into(
    spool: Spool, job: models.RegisterImport, planned: Iterator[register_table.PlannedRow]
) -> tuple[register_table.PlanDigest, dict[str, int]]:
    digest, counts = register_table.PlanDigest(), Counter(dict.fromkeys(models.RegisterLine.Kind.values, 0))
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
            escape_copy_text(each.number),
            escape_copy_text(each.name),
            escape_copy_text(each.changes_json),
            escape_copy_text(each.problems_json),
            escape_copy_text(json.dumps(each.opening)),
        )
    return digest, dict(counts)


def _read_table(job: models.RegisterImport, beat: register_table.OnProgress) -> bytes:
    """The table as the box read it, compressed; it is stored, so that the box opens the table only once."""
    row = models.RegisterImport.objects.filter(pk=job.pk)
    reading = row.values_list("reading", flat=True).get()
    if reading is not None:
        return bytes(reading)
    content = row.values_list("content", flat=True).get() or b""
    # The duration is unknown, so the bar only creeps.
    with table_boxed(bytes(content), job.name, on_progress=lambda s: beat(s / (s + 15))) as output:
        packer = zlib.compressobj(1)
        parts = [packer.compress(part) for part in iter(lambda: output.read(register_table.CHUNK_SIZE), b"")]
        made = b"".join([*parts, packer.flush()])
    _store_reading(job, made)
    return made


@transaction.atomic
def _store_reading(job: models.RegisterImport, made: bytes) -> None:
    lock_ledger(job.federation)
    try:
        refuse_beyond_room(len(made), job.federation)
    except NoRoom as refused:
        raise register_table.TableRefused(
            register_table.RowProblem("no-room", params=refused.params)
        ) from None
    jobs.beat(job, reading=made)


def write_confirmed_table(job: models.RegisterImport) -> None:
    """Write a confirmed table if a new dry run gives the same; else store the new one, to be confirmed."""
    jobs.write_as_shown(job.federation, lambda decisions: _try_write(job, decisions))


def _try_write(job: models.RegisterImport, seen: int) -> bool:
    """Write what was confirmed; return False to try again, because somebody decided meanwhile."""
    with closing(Spool(models.RegisterLine, LINE_COLUMNS)) as spool:
        table = register_table.TableComparison(job, _read_table(job, _progress(job, 0, 5)), get_openings)
        digest, counts = _into(spool, job, table.planned(_progress(job, 5, 60)))
        with transaction.atomic():
            ledger = lock_ledger(job.federation)
            if not jobs.lock_claimed(job):
                return True
            job.refresh_from_db(fields=["digest", "counts", "confirmed_by", "confirmed_on", "leave_out"])
            if str(digest) != job.digest:
                _store_dry_run(job, spool, table, digest=str(digest), counts=counts, stale=True)
                return True
            if ledger.decisions != seen:
                return False
            _write_confirmed(job, ledger)
    if job.counts["new"] + job.counts["changed"] > MANY:
        take_stock(models.Player, models.NameWord, models.BirthDate, models.Identifier, Fact)
    return True


def _write_confirmed(job: models.RegisterImport, ledger: models.Ledger) -> None:
    """Write a confirmed dry run to register, journal and record, and end the job, under the ledger's lock."""
    if job.confirmed_on is None:
        raise LookupError("nobody confirmed this table")
    register = RegisterWriter(job.federation, ledger, job.confirmed_on)
    register.write(_planned_changes(job))
    if register.entered:
        table = connection.ops.quote_name(models.RegisterLine._meta.db_table)
        with connection.cursor() as cursor:
            cursor.executemany(
                f"UPDATE {table} SET player_id = %s, number = %s WHERE id = %s", register.entered
            )
    details = {name: job.counts[name] for name in ("new", "changed")}
    if job.opening:
        # The players are entered by now.
        rows = job.lines.exclude(opening={}).exclude(kind=models.RegisterLine.Kind.PROBLEM)
        openings = {
            player: register_table.TakenOpening(opening["rating"], opening["games"])
            for player, opening in rows.values_list("player_id", "opening")
        }
        try:
            write_openings(job.federation, ledger, register_table.OpeningTerms(**job.opening), openings)
        except Refused as refused:
            raise register_table.TableRefused(
                register_table.RowProblem("openings-refused", params={"why": str(refused)})
            ) from None
        details |= {"openings": len(openings), "day": job.opening["on"]}
        details |= {name: job.opening[name] for name in ("track", "source")}
    decide(
        job.federation,
        kind="import-register",
        by=job.confirmed_by,
        on=job.confirmed_on,
        about=RECORD_SUBJECT,
        also=register.parts,
        **details,
        left_out=job.counts["problem"],
        sha256=job.sha256,
    )
    if register.close() or job.opening:
        jobs.wake_recompute(job.federation)
    job.lines.filter(kind=models.RegisterLine.Kind.UNCHANGED).delete()
    jobs.release(job, state=models.State.WRITTEN, progress=100, reading=None, stale=False, reason={})


def _planned_changes(job: models.RegisterImport) -> Iterator[models.RegisterLine]:
    """Yield a dry run's changes: of known players, of new ones with numbers, of new ones without."""
    new = job.lines.filter(kind=models.RegisterLine.Kind.NEW)
    changed = job.lines.filter(kind=models.RegisterLine.Kind.CHANGED)
    for lines in (changed, new.exclude(number=""), new.filter(number="")):
        yield from lines.only("changes", "player", "number").iterator(chunk_size=2_000)


def _progress(job: models.RegisterImport, first: int, last: int) -> register_table.OnProgress:
    """Make a function that reports a share of work, from `first` to `last` per cent, as a sign of life."""
    pulse = jobs.Pulse(job)

    def beat(share: float) -> None:
        pulse.beat(progress=first + int((last - first) * min(share, 1)))

    return beat


class RegisterImportJobs(jobs.JobKind[models.RegisterImport]):
    """Tables of the register: a dry run is made, and once a person has confirmed it, it is written."""

    name = "tables"
    claimed: ClassVar[Mapping[str, Any]] = {"progress": 1}
    returned: ClassVar[Mapping[str, Any]] = {"progress": 0}
    rows = (
        models.RegisterImport.objects.filter(state__in=models.WORKING_STATES)
        .exclude(federation__in=jobs.HELD_OFFICES)
        .defer("content", "reading")
        .select_related("federation")
    )
    steps = (
        jobs.Step(
            *(models.State.WAITING, models.State.READING, models.State.REFUSED), dry_run, crash="box-crash"
        ),
        jobs.Step(
            *(models.State.CONFIRMED, models.State.WRITING, models.State.PLANNED),
            write_confirmed_table,
            crash="not-written",
        ),
    )

    def refusal(self, job: models.RegisterImport, failure: Exception) -> Mapping[str, Any] | None:
        if isinstance(failure, register_table.ColumnsUnnamed):
            reason, head = failure.problem.as_dict(), failure.head
            return {"state": models.State.UNNAMED, "reason": reason, "progress": 100, "head": head}
        if isinstance(failure, register_table.TableRefused):
            problem = {**failure.problem.as_dict(), "line": failure.line}
            return {"state": models.State.REFUSED, "reason": problem, "progress": 100}
        return None

    def given_up(self, job: models.RegisterImport, reason: str) -> Mapping[str, Any]:
        return {"reason": register_table.RowProblem(reason).as_dict(), "progress": 100}
