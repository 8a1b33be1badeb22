"""The office's record, and the database triggers that refuse to change rows that are written once.

Each thing done in an office is one `Decision`, numbered under the ledger's lock. No code tries to change such
rows. The triggers hold against every other program that reaches the database: an UPDATE of what stays, a
DELETE, a TRUNCATE, and on SQLite a REPLACE, which fires no trigger for the row that it deletes. What
PostgreSQL lets the office's own role do follows from the same table, `WRITE_ONCE`
(`federation_site.database`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.apps import apps as of_today
from django.apps.registry import Apps
from django.db import connection, migrations, models, transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _

from players import seals
from players.models import Decision, DecisionWords, Federation, Ledger, SentForm, User


# ---- The record: one `Decision` for each thing done.
class Refused(Exception):
    """A service's refusal of a decision, with words for the person who asked. Nothing was written."""


def lock_ledger(federation: Federation) -> Ledger:
    """Return the ledger row, locked until the transaction ends: an office's decisions queue here.

    On SQLite every transaction holds the write lock from its start, and `FOR UPDATE` does nothing.
    """
    return Ledger.objects.select_for_update().get(federation=federation)


def made_before(federation: Federation, mark: str) -> str:
    """Return what a form of this mark made, as `keep_mark` was told; empty if it has made nothing yet.

    The caller holds the ledger's lock, so that of two that come at once the second finds what the first made.
    """
    sent = SentForm.objects.filter(federation=federation, mark=mark) if mark else SentForm.objects.none()
    return sent.values_list("made", flat=True).first() or ""


def keep_mark(federation: Federation, mark: str, made: object) -> None:
    """Keep what a form of this mark made, in the transaction that made it."""
    if mark:
        SentForm.objects.create(federation=federation, mark=mark, made=str(made))


SETTLING = frozenset({"resume", "take-lines", "begin-origin"})
"""Decisions that say what was signed since a backup, and so end an office's hold."""


@transaction.atomic
def decide(
    federation: Federation, *, kind: str, by: User | None, on: date, about: str, **details: Any
) -> Decision:
    """Add a row to the record, in the same transaction as the thing decided.

    Details whose key is one of `WORDS`, and values in `SealedWords`, are sealed: it keeps a salted digest
    of them, and the words stand apart, where they can be withdrawn (`record_chain_and_sealed_words`).
    """
    ledger = lock_ledger(federation)
    if ledger.held and kind not in SETTLING:
        raise Refused(
            _(
                "This office was put back from a backup. Nothing can be decided until its operator has said "
                "what was signed since."
            )
        )
    decision = Decision(
        federation=federation,
        number=ledger.decisions + 1,
        kind=kind,
        by=by,
        at=timezone.now(),
        on=on,
        about=about,
    )
    write_decisions(federation, [(decision, details)])
    return decision


@transaction.atomic
def bridge(
    federation: Federation, *, kind: str, on: date, about: str, lost: tuple[int, str], **details: Any
) -> Decision:
    """Add a row after decisions that a backup did not have, chained to the hash of the last of them.

    `lost`: the number and hash of the newest decision that was signed. What is between is named in the row.
    """
    ledger = lock_ledger(federation)
    number, hash_ = lost
    gap = [ledger.decisions + 1, number]
    decision = Decision(
        federation=federation, number=number + 1, kind=kind, at=timezone.now(), on=on, about=about
    )
    Ledger.objects.filter(pk=ledger.pk).update(decisions=number)
    write_decisions(federation, [(decision, {**details, LOST: gap, HEAD: hash_})], previous=hash_)
    return decision


LOST, HEAD = "lost", "head"
"""Details of a row that bridges lost decisions: the first and last number, and the hash of the last."""


def write_decisions(
    federation: Federation,
    told: Iterable[tuple[Decision, Mapping[str, Any]]],
    previous: str | None = None,
) -> None:
    """Chain and save new rows, numbered on from the ledger's count; the caller holds the ledger's lock.

    `previous`: the hash before the first of them, where it is not that of the newest row.
    """
    previous = newest_hash(federation) if previous is None else previous
    decisions, openings = [], []
    for decision, details in told:
        decision.sealed_details, opened = seals.sealed(details)
        previous = decision.hash = seals.hash_of(decision, previous)
        decisions.append(decision)
        openings += [(decision, opening) for opening in opened]
    Decision.objects.bulk_create(decisions, batch_size=2_000)
    DecisionWords.objects.bulk_create(
        (
            DecisionWords(decision=decision, key=opening.key, salt=opening.salt, value=opening.value)
            for decision, opening in openings
        ),
        batch_size=2_000,
    )
    Ledger.objects.filter(federation=federation).update(decisions=F("decisions") + len(decisions))


def newest_hash(federation: Federation) -> str:
    """The hash of the newest decision of an office; empty if there is none."""
    newest = Decision.objects.filter(federation=federation).values_list("hash", flat=True)
    return newest.order_by("-number").first() or ""


@transaction.atomic
def withdraw_words(*, decision: Decision, by: User | None, on: date) -> None:
    """Delete the words written into a decision, with their salt; the row and its digest stay.

    Raises `Refused` if there are no words any more.
    """
    lock_ledger(decision.federation)
    gone, _rows = decision.words.all().delete()
    if not gone:
        raise Refused(_("Decision %(number)s has no words to withdraw.") % {"number": decision.number})
    decide(decision.federation, kind="withdraw-words", by=by, on=on, about=f"decision {decision.number}")


# ---- The tables whose rows are written once, and their triggers.
@dataclass(frozen=True, slots=True)
class WriteOnce:
    """The changes that the rows of a table written once still allow."""

    changing: tuple[str, ...] = ()
    """Columns that may change: what follows from others, and where work stands."""
    deletable: bool = False


WRITE_ONCE: dict[str, WriteOnce] = {
    "players_decision": WriteOnce(),
    "players_decisionwords": WriteOnce(deletable=True),
    "players_sealedname": WriteOnce(deletable=True),
    "ratings_fact": WriteOnce(changing=("section_id", "order", "fingerprint", "folded", "taken_back")),
    "ratings_statedpre": WriteOnce(),
    "ratings_ratinglist": WriteOnce(),
    "ratings_listrow": WriteOnce(),
    "ratings_programfile": WriteOnce(),
    "ratings_erratum": WriteOnce(),
    "ratings_correctedrating": WriteOnce(),
    "ratings_hintanswer": WriteOnce(),
    # Follow from the journal by the rules in force: deleted where everything is folded anew by others.
    "ratings_pastchange": WriteOnce(deletable=True),
    "ratings_pastwide": WriteOnce(deletable=True),
    "ratings_logkey": WriteOnce(),
    "ratings_checkpoint": WriteOnce(),
    "ratings_cosignature": WriteOnce(),
    "ratings_treetile": WriteOnce(),
}
"""Each table whose rows are written once. A later migration of such a table calls `freeze` again: SQLite
makes the table anew, without triggers.
"""
FUNCTION = "CREATE OR REPLACE FUNCTION "
TRIGGERS = ("no_update", "no_renumbering", "no_delete", "no_replacement", "no_truncate")


def create(vendor: str, table: str, apps: Apps = of_today) -> list[str]:
    """SQL statements for the triggers of a table of `WRITE_ONCE`, with the columns that it has in `apps`."""
    model = next(each for each in apps.get_models() if each._meta.db_table == table)
    return _of_postgresql(table, model) if vendor == "postgresql" else _of_sqlite(table, model)


def drop(vendor: str, table: str) -> list[str]:
    """SQL statements that take all triggers off a table, whichever it has."""
    on = f" ON {table}" if vendor == "postgresql" else ""
    return [f"DROP TRIGGER IF EXISTS {table}_{name}{on}" for name in TRIGGERS]


def unguarded() -> list[str]:
    """The tables of `WRITE_ONCE` that lack a trigger, have one that is switched off, or one that does
    something else, by name.
    """
    catalogue = """
        SELECT replace(pg_get_triggerdef(oid, true), '"', '') FROM pg_trigger
        WHERE NOT tgisinternal AND tgenabled IN ('O', 'A')
        UNION ALL SELECT proname || prosrc FROM pg_proc WHERE pronamespace = current_schema()::regnamespace"""
    if connection.vendor == "sqlite":
        catalogue = """SELECT replace(sql, '"', '') FROM sqlite_master WHERE type = 'trigger'"""
    with connection.cursor() as cursor:
        cursor.execute(catalogue)
        there = {text for (text,) in cursor.fetchall()}
    return [table for table in WRITE_ONCE if not _told(create(connection.vendor, table)) <= there]


def guard_again() -> list[str]:
    """Give the tables that lack triggers theirs again; return which they were."""
    found = unguarded()
    with transaction.atomic(), connection.cursor() as cursor:
        for table in found:
            for statement in _anew(connection.vendor, table, of_today):
                cursor.execute(statement)
    return found


def _told(statements: Sequence[str]) -> set[str]:
    """Tell what statements make as the catalogue does: triggers, and a function by its name and body."""
    found = {each.replace('"', "") for each in statements if each.startswith("CREATE TRIGGER ")}
    for each in statements:
        if each.startswith(FUNCTION):
            found.add(each.removeprefix(FUNCTION).split("(")[0] + each.split("$$")[1])
    return found


def freeze(*tables: str) -> migrations.RunPython:
    """The operation by which a migration gives these tables of `WRITE_ONCE` their triggers, whichever
    they had.
    """
    return migrations.RunPython(
        _run(tables, _anew), _run(tables, lambda vendor, table, _apps: drop(vendor, table))
    )


def _of_postgresql(table: str, model: type[models.Model]) -> list[str]:
    """A function that refuses, and triggers that call it."""
    rule = WRITE_ONCE[table]
    events = {"no_update": f"UPDATE{_of_columns(table, model)}"}
    if not rule.deletable:
        events["no_delete"] = "DELETE"
    return [
        f"""{FUNCTION}{table}_is_frozen() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION '{_words(table)}'; END $$""",
        *(
            f"CREATE TRIGGER {table}_{name} BEFORE {event} ON {table} "
            f"FOR EACH ROW EXECUTE FUNCTION {table}_is_frozen()"
            for name, event in events.items()
        ),
        f"CREATE TRIGGER {table}_no_truncate BEFORE TRUNCATE ON {table} "
        f"FOR EACH STATEMENT EXECUTE FUNCTION {table}_is_frozen()",
    ]


def _of_sqlite(table: str, model: type[models.Model]) -> list[str]:
    """Triggers that refuse. A row's key can be set as `rowid` too, which no list of columns names."""
    key = f'"{model._meta.pk.column}"'
    taken = " OR ".join(
        f"EXISTS (SELECT 1 FROM {table} WHERE "
        + " AND ".join(f'"{each}" = NEW."{each}"' for each in unique)
        + ")"
        for unique in _unique(model)
    )
    events = {
        "no_update": f"UPDATE{_of_columns(table, model)} ON {table}",
        "no_renumbering": f"UPDATE ON {table} WHEN NEW.{key} IS NOT OLD.{key}",
        "no_delete": f"DELETE ON {table}",
        "no_replacement": f"INSERT ON {table} WHEN {taken}",
    }
    if WRITE_ONCE[table].deletable:
        del events["no_delete"]
    # FAIL refuses a row before it is written, and leaves the statement's earlier rows. For ABORT SQLite would
    # write down before each new row how to undo it, which doubles the time of an insertion.
    ways = dict.fromkeys(events, "ABORT") | {"no_replacement": "FAIL"}
    refuse = {name: f"BEGIN SELECT RAISE({way}, '{_words(table)}'); END" for name, way in ways.items()}
    return [f"CREATE TRIGGER {table}_{name} BEFORE {event} {refuse[name]}" for name, event in events.items()]


def _of_columns(table: str, model: type[models.Model]) -> str:
    """` OF` and the columns that stay; empty where all do."""
    changing = WRITE_ONCE[table].changing
    columns = sorted(str(field.column) for field in model._meta.local_concrete_fields)
    return " OF " + ", ".join(f'"{each}"' for each in columns if each not in changing) if changing else ""


def _unique(model: type[models.Model]) -> list[list[str]]:
    """The columns of each unique key, the primary one included."""
    options = model._meta
    single = [[str(field.column)] for field in options.local_concrete_fields if field.unique]
    several = [
        [str(options.get_field(name).column) for name in constraint.fields]  # type: ignore[union-attr]
        for constraint in options.total_unique_constraints
    ]
    return sorted(single + several)


def _words(table: str) -> str:
    return f"{table} is written once and never changed"


def _anew(vendor: str, table: str, apps: Apps) -> list[str]:
    return drop(vendor, table) + create(vendor, table, apps)


def _run(
    tables: Sequence[str], statements: Callable[[str, str, Apps], list[str]]
) -> Callable[[Any, Any], None]:
    def inner(apps: Apps, editor: Any) -> None:
        for table in tables:
            for statement in statements(editor.connection.vendor, table, apps):
                editor.execute(statement)

    return inner
