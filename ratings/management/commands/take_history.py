"""Take a federation's past in: a folder or ZIP of event files, with one table beside it.

With no hand where the table answers everything; else it prints what stands in the way, grouped by cause.
Stopped anywhere, it goes on when it is called again. Each folder or ZIP is a batch of the past, until that is
written: a further one is added, --exchange puts it in the place of another, and --take-out takes it out.
"""

import hashlib
import io
from argparse import ArgumentParser
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError
from django.utils import timezone

from players import jobs
from players.commands import OfficeCommand
from players.display import round_rating
from players.files import clean_file_name
from players.models import Federation
from players.settings import today
from ratings import tasks
from ratings.as_if import Effects
from ratings.models import first_own_line
from ratings.recompute import recompute
from tournaments import history_plan
from tournaments.findings import reasons_in_words
from tournaments.history import (
    FIRST_BATCH,
    TABLES,
    answer,
    confirm_history,
    find_batch,
    give_batch,
    load_sheets,
    pack_folder,
    read_answers,
    receive_history,
    render_questions_csv,
    replace_table,
    take_out_batch,
    write_table,
)
from tournaments.models import HISTORY_WORKING_STATES, History, HistoryAnswer, HistoryState

ANSWERS_HELP = "answer: a number or mark that is offered; best, the first of them; new; apart, by each file"

TAKE_BACK_HELP = "One for all of a kind is taken back by --answer KIND="


MOST_SHOWN = 20
"""The most ratings of a track that are written."""


class Command(OfficeCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
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
        parser.add_argument("--exchange", default="", metavar="NAME", help="put this in the place of a batch")
        parser.add_argument("--take-out", action="store_true", help="take this batch out of the past")
        parser.add_argument(
            "--dry-run", action="store_true", help="check and show: nothing is written, answers are kept"
        )

    def handle_office(self, office: Federation, **options: Any) -> None:
        history, batch = self._receive(office, options)
        if history.state == HistoryState.WRITTEN:
            self.stdout.write("This history is written already; nothing was done.")
            return self._finish(office)
        if kept := history.answers.count():
            self.stdout.write(
                f"Answers of earlier calls hold: {kept}. Taking one for all back: --answer KIND="
            )
        self.stdout.write("Reading and checking …")
        self._work(history)
        self._apply_answers(history, batch, options)
        self._show(history)
        if options["write_table"]:
            written = io.BytesIO()
            write_table(written, history, load_sheets(history, batch), batch)
            options["write_table"].write_bytes(written.getvalue())
        if options["questions"]:
            questions: Any = history.outcome.get("asked", [])
            options["questions"].write_bytes(render_questions_csv(questions))
        if options["who_is_who"]:
            options["who_is_who"].write_bytes(history_plan.load_people_table(history))
        if options["dry_run"] or options["take_out"]:
            return None
        if history.outcome.get("open"):
            raise CommandError("Nothing was written: the questions above are open.")
        self._write(office, history)
        return None

    def _receive(self, federation: Federation, options: dict[str, Any]) -> tuple[History, int]:
        """The past with these files in it, or without them, and the number of their batch."""
        files: Path = options["files"].resolve()
        name, on = clean_file_name(files.name), today(federation)
        ended = (HistoryState.WRITTEN, HistoryState.DISCARDED)
        begun = federation.histories.filter(by=None).exclude(state__in=ended).first()
        wanted = options["exchange"] or name
        known = find_batch(begun, name=wanted) if begun else None
        if known is None and (options["take_out"] or options["exchange"]):
            raise CommandError(f"No past that is not written yet has a batch {wanted}.")
        if options["take_out"] and begun and known:
            take_out_batch(history=begun, by=None, on=on, number=known["number"])
            return begun, begun.batches[0]["number"]
        data = pack_folder(files) if files.is_dir() else files.read_bytes()
        sha256, table = hashlib.sha256(data).hexdigest(), _table(files, options["table"])
        given: dict[str, Any] = {"by": None, "on": on, "name": name, "data": data, "table": table}
        if begun is None:
            source = options["source"] or f"archive {files.name}"
            own, at = first_own_line(federation), timezone.now()
            begun = receive_history(federation=federation, at=at, source=source[:100], own_line=own, **given)
        elif known is None or known["sha256"] != sha256 or begun.state == HistoryState.REFUSED:
            namesake = find_batch(begun, name=name)
            if namesake and name != options["exchange"] and namesake["sha256"] != sha256:
                raise CommandError(
                    f"The past has a batch {name} with other files. If these stand in its place, add "
                    f"--exchange {name}; if they are further ones, give the folder or ZIP another name."
                )
            give_batch(history=begun, number=known["number"] if known else None, **given)
        batch = find_batch(begun, sha256=sha256)
        return begun, batch["number"] if batch else FIRST_BATCH

    def _work(self, history: History) -> None:
        jobs.run("histories", history.pk)
        history.refresh_from_db()
        if history.state in HISTORY_WORKING_STATES:
            raise CommandError(f"The history is {history.get_state_display()}: another worker has it. Wait.")
        if history.state == HistoryState.REFUSED:
            raise CommandError("\n".join(reasons_in_words(history.reason)))

    def _apply_answers(self, history: History, batch: int, options: dict[str, Any]) -> None:
        table = None if options["take_out"] else _table(options["files"], options["table"])
        on = today(history.federation)
        if table and history.state == HistoryState.CHECKED:
            before = history.rows
            replace_table(history=history, name=table[0], data=table[1], by=None, on=on, number=batch)
            if before != history.rows:
                self._work(history)
            else:
                jobs.run("histories", history.pk)
                history.refresh_from_db()
        answers = (
            read_answers(options["answers"].read_bytes(), options["answers"].name)
            if options["answers"]
            else []
        )
        answers += [_parse_answer(each) for each in options["answer"]]
        if answers:
            answer(history=history, at=timezone.now(), answers=answers, by=None, on=on)
            self._work(history)

    def _show(self, history: History) -> None:
        outcome: Any = history.outcome
        if len(history.batches) > 1:
            self.stdout.write(f"Batches: {', '.join(batch['name'] for batch in history.batches)}")
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
        if "effects" in outcome:
            self._show_ratings(history.federation, Effects.from_json(outcome["effects"]), outcome["names"])

    def _show_ratings(self, office: Federation, effects: Effects, names: Mapping[str, str]) -> None:
        """Write the ratings that would be others, of each track the highest."""
        places = office.publication.decimals
        for track in office.ruleset.tracks:
            if count := effects.moved.get(track.code):
                self.stdout.write(f"{track.name}: {count} players")
            moves = (each for each in effects.ratings if each.track == track.code)
            for each in islice(moves, MOST_SHOWN):
                now, then = (
                    "–" if rating is None else str(round_rating(rating, places))
                    for rating in (each.before, each.after)
                )
                self.stdout.write(f"  {then:>8}  {each.player}  {names.get(each.player, '')} (now {now})")

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


def _parse_answer(text: str) -> HistoryAnswer:
    kind, equals, value = text.partition("=")
    if not equals:
        raise CommandError(f"{text}: write QUESTION=VALUE, such as person=new.")
    return HistoryAnswer(kind=kind.strip(), subject=HistoryAnswer.ALL, value=value.strip())
