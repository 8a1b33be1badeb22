"""Decisions before a history is written: received, its table replaced, questions answered, discarded."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import NamedTuple
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from django.db import transaction
from django.utils.translation import gettext as _

from players.office.decision_record import Refused, decide, lock_ledger
from players.office.models import Federation, User
from players.office.stored_bytes import refuse_beyond_room
from players.office.wake_worker import wake
from tournaments.box.displayed_file_name import plain_name
from tournaments.formats.zip.unpack import OF_A_HISTORY
from tournaments.history.models import WORKING, History, HistoryAnswer, State
from tournaments.history.questions import ANSWERED, ASKED_AS, Question
from tournaments.history.table import LINE, read_table

WORK_ON_HISTORY = "ratings.tasks.work_on_history"
ABOUT = "history"
TOUCHED_BY = ("receive-history", "history-table", "history-answers")
"""Kinds of decisions by which somebody works on a past."""
TABLES = ("table.csv", "table.xlsx")
"""The names under which the table may lie among the files."""
MOST_PACKED = OF_A_HISTORY.packed
MOST_TABLE = 5 * 1024 * 1024
LONGEST_SOURCE = 100


class GivenAnswer(NamedTuple):
    """An answer to a question: its key, the subject (`*`: all of the kind) and what is said."""

    kind: str
    subject: str
    value: str


def pack_folder(folder: Path) -> bytes:
    """A folder's files as a ZIP, the same bytes whenever it is packed; tables are left out."""
    packed = io.BytesIO()
    with ZipFile(packed, "w", ZIP_DEFLATED) as archive:
        files = (each for each in folder.rglob("*") if each.is_file() and each.name.casefold() not in TABLES)
        for path in sorted(files):
            info = ZipInfo(path.relative_to(folder).as_posix())
            info.compress_type = ZIP_DEFLATED
            archive.writestr(info, path.read_bytes())
    return packed.getvalue()


@transaction.atomic
def receive_history(
    *,
    federation: Federation,
    by: User | None,
    at: datetime,
    on: date,
    name: str,
    data: bytes,
    source: str,
    own_line: int | None,
    table: tuple[str, bytes] | None = None,
) -> History:
    """Keep an archive of event files, with a table (its name and bytes) beside it, for the worker to read.

    The same archive again returns the history that it is already, written or not. Raises `Refused` where it
    is empty or too large, the source is not named, another history is open, or the office has begun its own
    record (`own_line`: the number of that record's first line).
    """
    lock_ledger(federation)
    sha256 = hashlib.sha256(data).hexdigest()
    if same := _same(federation, sha256):
        return same
    _refuse_unfit(federation, data, source, own_line)
    refuse_beyond_room(2 * len(data), federation)
    history = History.objects.create(
        federation=federation,
        by=by,
        at=at,
        on=on,
        name=plain_name(name),
        source=source.strip(),
        size=len(data),
        sha256=sha256,
        content=data,
        table=table[1] if table else None,
        table_name=plain_name(table[0]) if table else "",
    )
    decide(federation, kind="receive-history", by=by, on=on, about=ABOUT, sha256=sha256)
    wake(WORK_ON_HISTORY, history.pk)
    return history


def _same(federation: Federation, sha256: str) -> History | None:
    gone = (State.REFUSED, State.DISCARDED)
    return History.objects.filter(federation=federation, sha256=sha256).exclude(state__in=gone).first()


def _refuse_unfit(federation: Federation, data: bytes, source: str, own_line: int | None) -> None:
    if not data:
        raise Refused(_("The file is empty. Pack the event files into a ZIP archive."))
    if len(data) > MOST_PACKED:
        raise Refused(
            _("The archive is larger than 25 MB. Leave out what is no event file: a past goes in whole.")
        )
    if not source.strip() or len(source.strip()) > LONGEST_SOURCE or not source.isprintable():
        raise Refused(
            _(
                "Say in up to 100 letters whose past this is, such as “archive of the federation, 2009 to "
                "2025”."
            )
        )
    refuse_own_record(own_line)
    if federation.histories.filter(state__in=(*WORKING, State.CHECKED)).exists():
        raise Refused(_("Another history is open. Write or discard it first."))


def refuse_own_record(own_line: int | None) -> None:
    """Raise `Refused` where the office has begun its own record, by this line: no past goes in behind."""
    if own_line is not None:
        raise Refused(Question("blocks", "journal-has-begun", params={"line": own_line}).words())


@transaction.atomic
def replace_table(*, history: History, by: User | None, on: date, name: str, data: bytes) -> None:
    """Take another table for a history, and have it checked anew. Raises `Refused` where it cannot be read,
    or the history is being worked on.
    """
    rows = read_table(data, name, history.federation.ruleset)
    _enter(history)
    history.table_name = plain_name(name)
    history.save(update_fields=["table_name"])
    _keep_rows(history, rows, by, on)


@transaction.atomic
def amend_table(
    *, history: History, by: User | None, on: date, files: Collection[str], cells: Mapping[str, str]
) -> None:
    """Set cells in the rows of these files (`*`: of all), and have the history checked anew. Raises `Refused`
    while the history is being worked on.
    """
    _enter(history)
    meant = set(files)
    rows = [{**row, **cells} if row.get("file") in meant else row for row in history.rows]
    there = {row.get("file") for row in rows}
    new = [name for name in files if name not in there]
    rows += [{LINE: str(at), "file": name, **cells} for at, name in enumerate(new, len(rows) + 2)]
    _keep_rows(history, rows, by, on)


def _keep_rows(history: History, rows: list[dict[str, str]], by: User | None, on: date) -> None:
    history.rows = rows
    history.save(update_fields=["rows"])
    decide(history.federation, kind="history-table", by=by, on=on, about=ABOUT, sha256=history.sha256)
    check_anew(history)


@transaction.atomic
def answer(
    *, history: History, by: User | None, at: datetime, on: date, answers: Sequence[GivenAnswer]
) -> None:
    """Keep a person's answers, each in place of an earlier one, and have the history checked anew. An empty
    value takes an answer back. Raises `Refused` for a question that there is not.
    """
    _enter(history)
    answers = [each._replace(kind=ASKED_AS.get(each.kind, each.kind)) for each in answers]
    if unknown := next((each.kind for each in answers if each.kind not in ANSWERED), None):
        words = _("There is no question “%(kind)s” that an answer settles. There are: %(kinds)s.")
        raise Refused(words % {"kind": unknown, "kinds": ", ".join(ANSWERED)})
    keep_answers(history, by=by, at=at, answers=answers)
    decide(history.federation, kind="history-answers", by=by, on=on, about=ABOUT, count=len(answers))
    check_anew(history)


def keep_answers(history: History, *, by: User | None, at: datetime, answers: Iterable[GivenAnswer]) -> None:
    for each in answers:
        if not each.value.strip():
            history.answers.filter(kind=each.kind, subject=each.subject).delete()
            continue
        HistoryAnswer.objects.update_or_create(
            history=history,
            kind=each.kind[:40],
            subject=each.subject[:250],
            defaults={"value": each.value.strip()[:200], "by": by, "at": at},
        )


def check_anew(history: History) -> None:
    """Have the worker check a history again, in the transaction that changed something of it."""
    unread = not History.objects.filter(pk=history.pk, content=None).exists()
    history.state = State.WAITING if unread else State.ASKED
    History.objects.filter(pk=history.pk).update(state=history.state, progress=0, attempts=0, stale=False)
    wake(WORK_ON_HISTORY, history.pk)


@transaction.atomic
def confirm_history(*, history: History, by: User | None, on: date, digest: str) -> None:
    """Let the worker write the history whose check has this digest; the writing records the decision.

    Confirmed twice, it is written once. Raises `Refused` where questions are open, or the check is no longer
    the one that was seen.
    """
    lock_ledger(history.federation)
    history.refresh_from_db()
    if history.digest == digest and history.state in (State.CONFIRMED, State.WRITING, State.WRITTEN):
        return
    if history.state != State.CHECKED or not digest or history.digest != digest:
        raise Refused(_("Something was changed since this was checked. Look at what would be written now."))
    if history.outcome.get("open"):
        raise Refused(_("Questions are still open. Answer them, or leave their files out, first."))
    History.objects.filter(pk=history.pk).update(
        state=State.CONFIRMED, progress=0, attempts=0, confirmed_by=by, confirmed_on=on, stale=False
    )
    wake(WORK_ON_HISTORY, history.pk)


@transaction.atomic
def discard_history(*, history: History, by: User | None, on: date) -> None:
    """Let a history go that is not written: its files and answers are deleted, the row stays."""
    _enter(history)
    History.objects.filter(pk=history.pk).update(**empty_history(history))
    decide(history.federation, kind="discard-history", by=by, on=on, about=ABOUT, sha256=history.sha256)


def empty_history(history: History) -> dict[str, object]:
    """Delete a history's files and answers; return what its row, which stays, has from then on."""
    history.files.all().delete()
    history.answers.all().delete()
    empty: dict[str, object] = dict.fromkeys(History.byte_columns)
    return {**empty, "state": State.DISCARDED, "rows": [], "outcome": {}, "digest": ""}


def _enter(history: History) -> None:
    """Lock the office for a decision on a history; raise `Refused` while the worker has it."""
    lock_ledger(history.federation)
    history.refresh_from_db(fields=["state", "rows"])
    if not history.open:
        words = _("The history is %(state)s: nothing of it can be changed now.")
        raise Refused(words % {"state": history.get_state_display()})
