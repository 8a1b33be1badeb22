"""Take a federation's past in: a folder or ZIP of event files, with one table beside it.

With no hand where the table answers everything; else it prints what stands in the way, grouped by cause.
Stopped anywhere, it goes on when it is called again.
"""

from __future__ import annotations

import hashlib
import io
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from players import jobs
from players.models import Federation
from players.record import Refused
from players.settings import today
from ratings import tasks
from ratings.models import first_own_line
from ratings.recompute import recompute
from tournaments import history_plan
from tournaments.findings import reasons_in_words
from tournaments.history import (
    TABLES,
    GivenAnswer,
    answer,
    confirm_history,
    discard_history,
    load_sheets,
    pack_folder,
    read_answers,
    receive_history,
    render_questions_csv,
    replace_table,
    write_table,
)
from tournaments.models import HISTORY_WORKING_STATES, History, HistoryState

ANSWERS_HELP = "answer: a number or mark that is offered; best, the first of them; new; apart, by each file"

TAKE_BACK_HELP = "One for all of a kind is taken back by --answer KIND="


class Command(BaseCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("federation")
        parser.add_argument("files", type=Path, metavar="FOLDER_OR_ZIP")
        parser.add_argument("--table", type=Path, help="the table beside the files, as CSV or XLSX")
        parser.add_argument("--source", default="", help="whose past this is, of which years")
        parser.add_argument("--answers", type=Path, help="a table of questions with its answers filled in")
        parser.add_argument(
            "--answer", action="append", default=[], metavar="QUESTION=VALUE", help="one for all of a kind"
        )
        parser.add_argument("--write-table", type=Path, help="write the table as far as the files fill it")
        parser.add_argument("--questions", type=Path, help="write the open questions, to be answered there")
        parser.add_argument("--who-is-who", type=Path, help="write for whom each spelling was taken")
        parser.add_argument(
            "--dry-run", action="store_true", help="check and show: nothing is written, answers are kept"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            self._take(options)
        except OSError as error:
            raise CommandError(f"{error.filename}: {error.strerror}") from None
        except Refused as refused:
            raise CommandError(str(refused)) from None

    def _take(self, options: dict[str, Any]) -> None:
        federation = Federation.objects.filter(code=options["federation"]).first()
        if federation is None:
            raise CommandError(f"There is no office “{options['federation']}”.")
        history = self._receive(federation, options)
        if history.state == HistoryState.WRITTEN:
            self.stdout.write("This history is written already; nothing was done.")
            return self._finish(federation)
        if kept := history.answers.count():
            self.stdout.write(
                f"Answers of earlier calls hold: {kept}. Taking one for all back: --answer KIND="
            )
        self.stdout.write("Reading and checking …")
        self._work(history)
        self._apply_answers(history, options)
        self._show(history)
        if options["write_table"]:
            written = io.BytesIO()
            write_table(written, history, load_sheets(history))
            options["write_table"].write_bytes(written.getvalue())
        if options["questions"]:
            questions: Any = history.outcome.get("asked", [])
            options["questions"].write_bytes(render_questions_csv(questions))
        if options["who_is_who"]:
            options["who_is_who"].write_bytes(history_plan.load_people_table(history))
        if options["dry_run"]:
            return None
        if history.outcome.get("open"):
            raise CommandError("Nothing was written: the questions above are open.")
        self._write(federation, history)
        return None

    def _receive(self, federation: Federation, options: dict[str, Any]) -> History:
        files: Path = options["files"]
        data = pack_folder(files) if files.is_dir() else files.read_bytes()
        table = _table(files, options["table"])
        source = options["source"] or f"archive {files.name}"
        # Discard what an earlier call left open, if its files were others.
        sha256 = hashlib.sha256(data).hexdigest()
        for earlier in federation.histories.filter(
            by=None, state__in=(HistoryState.CHECKED, HistoryState.REFUSED)
        ):
            if earlier.sha256 != sha256 or earlier.state == HistoryState.REFUSED:
                discard_history(history=earlier, by=None, on=today(federation))
        return receive_history(
            federation=federation,
            by=None,
            at=timezone.now(),
            on=today(federation),
            name=files.name,
            data=data,
            source=source[:100],
            own_line=first_own_line(federation),
            table=table,
        )

    def _work(self, history: History) -> None:
        jobs.run("histories", history.pk)
        history.refresh_from_db()
        if history.state in HISTORY_WORKING_STATES:
            raise CommandError(f"The history is {history.get_state_display()}: another worker has it. Wait.")
        if history.state == HistoryState.REFUSED:
            raise CommandError("\n".join(reasons_in_words(history.reason)))

    def _apply_answers(self, history: History, options: dict[str, Any]) -> None:
        table = _table(options["files"], options["table"])
        on = today(history.federation)
        if table and history.state == HistoryState.CHECKED:
            before = history.rows
            replace_table(history=history, name=table[0], data=table[1], by=None, on=on)
            if before != history.rows:
                self._work(history)
            else:
                jobs.run("histories", history.pk)
                history.refresh_from_db()
        answers = read_answers(options["answers"].read_bytes()) if options["answers"] else []
        answers += [_parse_answer(each) for each in options["answer"]]
        if answers:
            answer(history=history, at=timezone.now(), answers=answers, by=None, on=on)
            self._work(history)

    def _show(self, history: History) -> None:
        outcome: Any = history.outcome
        self.stdout.write(
            "{files} files, {sections} sections, {games} games, {people} players ({new} new), "
            "{lines} lines".format(**outcome["counts"])
        )
        for cause in outcome["causes"]:
            self.stdout.write(f"{cause['level']:7} {cause['count']:5} × {cause['key']}: {cause['words']}")
            for example in cause["examples"]:
                self.stdout.write(f"              {example}")
            if cause["key"] == "person":
                self.stdout.write(f"              {ANSWERS_HELP}")
        for track in outcome.get("tracks", []):
            self.stdout.write(f"{track['name']}: {track['count']} players")
            for number, name, rating in track["highest"]:
                self.stdout.write(f"  {rating:>8}  {number}  {name}")
        for number, name, track, now, then in outcome.get("moved", []):
            self.stdout.write(f"  moves: {number} {name}, {track}: {now} → {then}")

    def _write(self, federation: Federation, history: History) -> None:
        confirm_history(history=history, by=None, on=today(federation), digest=history.digest)
        jobs.run("histories", history.pk)
        history.refresh_from_db()
        if history.state != HistoryState.WRITTEN:
            raise CommandError(f"The history is {history.get_state_display()}, and not written.")
        self.stdout.write("Written; computing the ratings …")
        self._finish(federation)

    def _finish(self, federation: Federation) -> None:
        recompute(federation)
        tasks.sign(federation)
        self.stdout.write(f"The history stands in the journal of /{federation.code}/.")


def _table(files: Path, given: Path | None) -> tuple[str, bytes] | None:
    """Name and content of the table: the one that was given, else the one among the files."""
    beside = [files / name for name in TABLES] if files.is_dir() else []
    for path in [given] if given else beside:
        if given or path.is_file():
            return path.name, path.read_bytes()
    return None


def _parse_answer(text: str) -> GivenAnswer:
    kind, equals, value = text.partition("=")
    if not equals:
        raise CommandError(f"{text}: write QUESTION=VALUE, such as person=new.")
    return GivenAnswer(kind.strip(), "*", value.strip())
