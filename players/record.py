"""The office's record, and the database triggers that protect rows that are written once.

Each thing done in an office is one `Decision`, numbered under the ledger's lock. The triggers protect against
other programs too: they refuse UPDATE of fixed columns, DELETE, TRUNCATE, and on SQLite REPLACE, which fires
no trigger for the row that it deletes. The rights of the office's role on PostgreSQL also follow from
`WRITE_ONCE` (`federation_site.database`).
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from django.apps import apps as current_apps
from django.apps.registry import Apps
from django.db import connection, migrations, models, transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _

from players import held, kept_pages, seals
from players.decision_kinds import KINDS, may_take_back
from players.models import Decision, DecisionWords, Federation, Ledger, SentForm, User


# ---- The record
class Refused(Exception):
    """A service's refusal, with a message for the user. Nothing was written."""


def get_refusal(check: Callable[..., object], *given: Any) -> str:
    """The words with which a check refuses; empty if it does not."""
    try:
        check(*given)
    except Refused as refused:
        return str(refused)
    return ""


def lock_ledger(federation: Federation) -> Ledger:
    """Return the ledger's row, locked until the transaction ends: an office's decisions queue here.

    On SQLite every transaction holds the write lock from its start, and `FOR UPDATE` does nothing.
    """
    return Ledger.objects.select_for_update().get(federation=federation)


def find_form_result(federation: Federation, mark: str) -> str:
    """Return what a form with this mark created, as given to `save_form_result`; empty if nothing yet.

    The caller holds the ledger's lock, so that a form that is sent twice at once creates one thing.
    """
    sent = SentForm.objects.filter(federation=federation, mark=mark) if mark else SentForm.objects.none()
    return sent.values_list("made", flat=True).first() or ""


def save_form_result(federation: Federation, mark: str, made: object) -> None:
    """Store what a form with this mark created, in the transaction that created it."""
    if mark:
        SentForm.objects.create(federation=federation, mark=mark, made=str(made))


KINDS_WHILE_HELD = frozenset(name for name, kind in KINDS.items() if kind.while_held)


@transaction.atomic
def decide(
    federation: Federation,
    *,
    kind: str,
    by: User | None,
    on: date,
    about: str,
    also: Any = (),
    **details: Any,
) -> Decision:
    """Add a row to the record, in the same transaction as the thing decided and after it is written: the row
    holds its subject as it stands now (`players.held`). `also`: the names of other parts that
    changed; None: any may have.

    Details whose key is one of `WORDS`, and values in `SealedWords`, are sealed: the row has their salted
    digest, and the words are stored apart, where they can be withdrawn (`players.seals`).
    """
    ledger = lock_ledger(federation)
    if ledger.held and kind not in KINDS_WHILE_HELD:
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
    leaves = kind in KINDS and not KINDS[kind].changes
    parts = set() if leaves else held.parts_of(federation, about)
    write_decisions(federation, [(decision, details)], parts=None if also is None else parts.union(also))
    return decision


MOST_AN_HOUR = 200
"""Decisions of one kind that one person may make in an hour, such as files sent: more than any event has."""


def refuse_flood(by: User, at: datetime, kind: str, words: str) -> None:
    """Raise `Refused` with these words if a person made `MOST_AN_HOUR` decisions of a kind within an hour, in
    all offices; `%(most)s` in the words is that number.
    """
    last_hour = Decision.objects.filter(by=by, kind=kind, at__gt=at - timedelta(hours=1))
    if last_hour.count() >= MOST_AN_HOUR:
        raise Refused(words % {"most": MOST_AN_HOUR})


@transaction.atomic
def bridge(
    federation: Federation,
    *,
    kind: str,
    on: date,
    about: str,
    lost: tuple[int, str],
    also: Any = (),
    **details: Any,
) -> Decision:
    """Add a row after decisions that a backup did not have, chained to the hash of the last of them.

    `lost`: the number and hash of the newest decision that was signed. The row names the lost numbers.
    `also`: as in `decide`.
    """
    ledger = lock_ledger(federation)
    number, hash_ = lost
    gap = [ledger.decisions + 1, number]
    decision = Decision(
        federation=federation, number=number + 1, kind=kind, at=timezone.now(), on=on, about=about
    )
    Ledger.objects.filter(pk=ledger.pk).update(decisions=number)
    write_decisions(
        federation,
        [(decision, {**details, LOST_KEY: gap, HEAD_KEY: hash_})],
        previous_hash=hash_,
        parts=None if also is None else set(also),
    )
    return decision


LOST_KEY, HEAD_KEY = "lost", "head"
"""Keys of `bridge`'s details: the first and last number that is lost, and the hash of the last."""


def write_decisions(
    federation: Federation,
    rows: Iterable[tuple[Decision, Mapping[str, Any]]],
    previous_hash: str | None = None,
    parts: Collection[str] | None = (),
) -> None:
    """Chain and save new rows, whose numbers continue the ledger's; the caller holds the ledger's lock.

    `previous_hash`: the hash before the first of them, if it is not that of the newest row; `parts`: what
    the last of them holds (None: the whole office).
    """
    previous_hash = newest_decision_hash(federation) if previous_hash is None else previous_hash
    decisions, openings, now_held = [], [], held.changed_parts(federation, parts)
    *earlier, (last, last_details) = rows
    last.held = held.combine(now_held)
    for decision, details in (*earlier, (last, last_details)):
        decision.sealed_details, opened = seals.seal_details(details)
        previous_hash = decision.hash = seals.compute_hash(decision, previous_hash)
        decisions.append(decision)
        openings += [(decision, opening) for opening in opened]
    Decision.objects.bulk_create(decisions, batch_size=2_000)
    words = [DecisionWords(decision=d, key=key, salt=salt, value=value) for d, (key, salt, value) in openings]
    DecisionWords.objects.bulk_create(words, batch_size=2_000)
    held.save(last, now_held)
    Ledger.objects.filter(federation=federation).update(decisions=F("decisions") + len(decisions))
    if any(may_take_back(decision.kind, decision.sealed_details) for decision in decisions):
        transaction.on_commit(kept_pages.forget)  # before whoever decided is answered


def newest_decision_hash(federation: Federation) -> str:
    """The hash of the newest decision of an office; empty if there is none."""
    newest = Decision.objects.filter(federation=federation).values_list("hash", flat=True)
    return newest.order_by("-number").first() or ""


@transaction.atomic
def withdraw_words(*, decision: Decision, by: User | None, on: date) -> None:
    """Delete a decision's words with their salt; the row and its digest stay.

    Raises `Refused` if it has no words (any more).
    """
    lock_ledger(decision.federation)
    gone, _rows = decision.words.all().delete()
    if not gone:
        raise Refused(_("Decision %(number)s has no words to withdraw.") % {"number": decision.number})
    decide(decision.federation, kind="withdraw-words", by=by, on=on, about=f"decision {decision.number}")


# ---- Triggers of tables whose rows are written once
@dataclass(frozen=True, slots=True)
class WriteOnce:
    """The changes to rows that the triggers of a table still allow."""

    changing: tuple[str, ...] = ()
    """Columns that may change, because they are derived or tell the progress of work."""
    deletable: bool = False


WRITE_ONCE: dict[str, WriteOnce] = {
    "players_decision": WriteOnce(),
    "players_decisionwords": WriteOnce(deletable=True),
    "players_heldpart": WriteOnce(changing=("salt",)),
    "players_sealedname": WriteOnce(deletable=True),
    "players_prooffile": WriteOnce(changing=("content", "let_go_on", "let_go_because")),
    "tournaments_correction": WriteOnce(changing=("reason_id", "upload_id")),
    "tournaments_remark": WriteOnce(
        changing=("answers_to_id", "sealed_words_id", "upload_id"), deletable=True
    ),
    "ratings_fact": WriteOnce(changing=("section_id", "order", "fingerprint", "folded", "taken_back")),
    "ratings_statedpre": WriteOnce(),
    "ratings_ratinglist": WriteOnce(),
    "ratings_listrow": WriteOnce(),
    "ratings_programfile": WriteOnce(),
    "ratings_erratum": WriteOnce(),
    "ratings_correctedrating": WriteOnce(),
    "ratings_hintanswer": WriteOnce(),
    # Computed from the journal, and deleted if everything is computed again by other rules.
    "ratings_pastchange": WriteOnce(deletable=True),
    "ratings_pastwide": WriteOnce(deletable=True),
    "ratings_logkey": WriteOnce(),
    "ratings_checkpoint": WriteOnce(),
    "ratings_cosignature": WriteOnce(),
    "ratings_treetile": WriteOnce(),
}
"""The tables whose rows are written once. A later migration of such a table must call `freeze` again, because
SQLite recreates the table without triggers.
"""
CREATE_FUNCTION = "CREATE OR REPLACE FUNCTION "
TRIGGERS = ("no_update", "no_renumbering", "no_delete", "no_replacement", "no_truncate")


def create_trigger_statements(vendor: str, table: str, apps: Apps = current_apps) -> list[str]:
    """SQL statements that create the triggers of a table of `WRITE_ONCE` with its columns in `apps`."""
    model = next(each for each in apps.get_models() if each._meta.db_table == table)
    return _create_on_postgresql(table, model) if vendor == "postgresql" else _create_on_sqlite(table, model)


def drop_trigger_statements(vendor: str, table: str) -> list[str]:
    """SQL statements that drop all triggers of a table, whichever it has."""
    on = f" ON {table}" if vendor == "postgresql" else ""
    return [f"DROP TRIGGER IF EXISTS {table}_{name}{on}" for name in TRIGGERS]


def unprotected_tables() -> list[str]:
    """The tables of `WRITE_ONCE` of which a trigger is missing, disabled or altered."""
    catalogue = """
        SELECT replace(pg_get_triggerdef(oid, true), '"', '') FROM pg_trigger
        WHERE NOT tgisinternal AND tgenabled IN ('O', 'A')
        UNION ALL SELECT proname || prosrc FROM pg_proc WHERE pronamespace = current_schema()::regnamespace"""
    if connection.vendor == "sqlite":
        catalogue = """SELECT replace(sql, '"', '') FROM sqlite_master WHERE type = 'trigger'"""
    with connection.cursor() as cursor:
        cursor.execute(catalogue)
        present = {text for (text,) in cursor.fetchall()}
    return [
        table
        for table in WRITE_ONCE
        if not _as_catalogued(create_trigger_statements(connection.vendor, table)) <= present
    ]


def restore_triggers() -> list[str]:
    """Recreate the triggers of tables that lack any, and return these tables."""
    tables = unprotected_tables()
    with transaction.atomic(), connection.cursor() as cursor:
        for table in tables:
            for statement in _recreate(connection.vendor, table, current_apps):
                cursor.execute(statement)
    return tables


def _as_catalogued(statements: Sequence[str]) -> set[str]:
    """The triggers and functions of `create_trigger_statements` as the database's catalogue shows them."""
    triggers = {each.replace('"', "") for each in statements if each.startswith("CREATE TRIGGER ")}
    functions = (
        each.removeprefix(CREATE_FUNCTION) for each in statements if each.startswith(CREATE_FUNCTION)
    )
    return triggers | {each.split("(")[0] + each.split("$$")[1] for each in functions}


def freeze(*tables: str) -> migrations.RunPython:
    """The migration operation that recreates the triggers of these tables of `WRITE_ONCE`."""
    return migrations.RunPython(
        _run(tables, _recreate),
        _run(tables, lambda vendor, table, _apps: drop_trigger_statements(vendor, table)),
    )


def _create_on_postgresql(table: str, model: type[models.Model]) -> list[str]:
    """A function that raises an error, and triggers that call it."""
    events = {"no_update": f"UPDATE{_of_fixed_columns(table, model)}"}
    if not WRITE_ONCE[table].deletable:
        events["no_delete"] = "DELETE"
    return [
        f"""{CREATE_FUNCTION}{table}_is_frozen() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION '{_words(table)}'; END $$""",
        *(
            f"CREATE TRIGGER {table}_{name} BEFORE {event} ON {table} "
            f"FOR EACH ROW EXECUTE FUNCTION {table}_is_frozen()"
            for name, event in events.items()
        ),
        f"CREATE TRIGGER {table}_no_truncate BEFORE TRUNCATE ON {table} "
        f"FOR EACH STATEMENT EXECUTE FUNCTION {table}_is_frozen()",
    ]


def _create_on_sqlite(table: str, model: type[models.Model]) -> list[str]:
    """Triggers that raise an error. `no_renumbering` is for keys set as `rowid`."""
    key = f'"{model._meta.pk.column}"'
    taken = " OR ".join(
        f"EXISTS (SELECT 1 FROM {table} WHERE "
        + " AND ".join(f'"{each}" = NEW."{each}"' for each in unique)
        + ")"
        for unique in _unique_keys(model)
    )
    events = {
        "no_update": f"UPDATE{_of_fixed_columns(table, model)} ON {table}",
        "no_renumbering": f"UPDATE ON {table} WHEN NEW.{key} IS NOT OLD.{key}",
        "no_delete": f"DELETE ON {table}",
        "no_replacement": f"INSERT ON {table} WHEN {taken}",
    }
    if WRITE_ONCE[table].deletable:
        del events["no_delete"]
    # With ABORT, SQLite would prepare to undo each new row, which doubles the time of insertions. FAIL
    # refuses a row before it is written, and keeps the statement's earlier rows.
    modes = dict.fromkeys(events, "ABORT") | {"no_replacement": "FAIL"}
    refuse = {name: f"BEGIN SELECT RAISE({mode}, '{_words(table)}'); END" for name, mode in modes.items()}
    return [f"CREATE TRIGGER {table}_{name} BEFORE {event} {refuse[name]}" for name, event in events.items()]


def _of_fixed_columns(table: str, model: type[models.Model]) -> str:
    """` OF` with the columns that may not change; empty for all columns."""
    changing = WRITE_ONCE[table].changing
    columns = sorted(str(field.column) for field in model._meta.local_concrete_fields)
    return " OF " + ", ".join(f'"{each}"' for each in columns if each not in changing) if changing else ""


def _unique_keys(model: type[models.Model]) -> list[list[str]]:
    """The columns of each unique key, including the primary key."""
    options = model._meta
    single = [[str(field.column)] for field in options.local_concrete_fields if field.unique]
    several = [
        [str(options.get_field(name).column) for name in constraint.fields]  # type: ignore[union-attr]
        for constraint in options.total_unique_constraints
    ]
    return sorted(single + several)


def _words(table: str) -> str:
    return f"{table} is written once and never changed"


def _recreate(vendor: str, table: str, apps: Apps) -> list[str]:
    return drop_trigger_statements(vendor, table) + create_trigger_statements(vendor, table, apps)


def _run(
    tables: Sequence[str], statements: Callable[[str, str, Apps], list[str]]
) -> Callable[[Any, Any], None]:
    def inner(apps: Apps, editor: Any) -> None:
        for table in tables:
            for statement in statements(editor.connection.vendor, table, apps):
                editor.execute(statement)

    return inner
