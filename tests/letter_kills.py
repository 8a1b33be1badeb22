"""Kills the worker around its sending of letters: `python -m tests.letter_kills --kills 200`.

One program decides (this one), a worker reminds of deadlines, orders and sends the letters, and a mail server
of a few lines takes them. At the end each decision has brought each person one letter, and each deadline one
to whoever files. One comes twice only where the kill fell between the server's acceptance and our record of
it; then both have the same Message-ID.
"""

from __future__ import annotations

import argparse
import os
import random
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from datetime import date, datetime, timedelta
from email import message_from_string
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from tests.kill import office_of_its_own

if TYPE_CHECKING:
    from players.models import Federation

PEOPLE = ("amahle", "nomsa", "thandi")
FILES = "amahle"
"""The one who files for the region; the others are officials."""
DECISIONS_A_ROUND = 2
STARTED = datetime.now(ZoneInfo("Africa/Johannesburg")).date()


class MailSink(threading.Thread):
    """A mail server that takes every letter, and knows in which life of the worker it came."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self.listening.getsockname()[1]
        self.taken: list[tuple[int, str, str]] = []
        """Of each letter: the life of the worker, the Message-ID, and to whom about what."""
        self.life = 0
        self.came = threading.Condition()

    def run(self) -> None:
        while True:
            made, _address = self.listening.accept()
            threading.Thread(target=self.serve, args=(made,), daemon=True).start()

    def serve(self, made: socket.socket) -> None:
        life = self.life
        try:
            with made, made.makefile("rwb") as stream:
                stream.write(b"220 here\r\n")
                stream.flush()
                for line in stream:
                    if line.upper().startswith(b"DATA"):
                        stream.write(b"354 go on\r\n")
                        stream.flush()
                        if not self.take(life, iter(stream.readline, b".\r\n")):
                            return
                    stream.write(b"250 well\r\n")
                    stream.flush()
        except OSError:
            return  # whoever sent was killed

    def take(self, life: int, lines: object) -> bool:
        """Take a letter; return False for one that broke off, as its sender was killed."""
        parts = []
        for line in lines:  # type: ignore[attr-defined]
            if not line:
                return False
            parts.append(line.decode())
        told = message_from_string("".join(parts))
        with self.came:
            self.taken.append((life, str(told["Message-ID"]), f"{told['To']} {told['Subject']}"))
            self.came.notify_all()
        return True

    def wait_for(self, number: int, seconds: float) -> bool:
        with self.came:
            return self.came.wait_for(lambda: len(self.taken) >= number, seconds)


def furnish() -> Federation:
    """An office with three people, on a database of its own."""
    from django.core.management import call_command

    from players.appointments import appoint
    from players.models import Federation, Ledger, Region, Role
    from ratings.letters import skip_past_decisions

    call_command("migrate", verbosity=0)
    office = Federation.objects.create(code="csa", name="Chess South Africa", ruleset_slug="csa")
    gauteng = Region.objects.create(federation=office, code="GAU", name="Gauteng")
    Ledger.objects.create(federation=office)
    for person in PEOPLE:
        appoint(
            federation=office,
            email=f"{person}@example.org",
            role=Role.REGIONAL if person == FILES else Role.OFFICIAL,
            region=gauteng if person == FILES else None,
            starts=date(2020, 7, 1),
            by=None,
            on=date(2020, 7, 1),
        )
    skip_past_decisions(office)
    return office


def play(office: Federation, life: int) -> None:
    """Let a section have been played whose results are due the day after tomorrow (csa §62)."""
    from tournaments.models import Event, Section

    ended = due_on() - timedelta(14)
    days = {"starts": ended, "ends": ended}
    event = Event.objects.create(
        federation=office,
        number=f"2026-{life:03}",
        name=f"Open {life:03}",
        region=office.regions.get(),
        registered_on=ended,
        **days,
    )
    Section.objects.create(event=event, code="A", name="A", format="swiss", **days)


def due_on() -> date:
    return STARTED + timedelta(2)


def work() -> None:
    """Remind, order and send letters until somebody kills this: what a worker does, without its pauses."""
    from django.utils import timezone

    from players.mail import send_due_letters
    from players.models import Federation, Letter
    from players.settings import today
    from ratings.letters import order_due_letters, record_deadline_reminders

    office = Federation.objects.get()
    Letter.objects.update(due=timezone.now())  # whoever took them is dead, and a minute is long for a test
    print("ready", flush=True)
    while True:
        record_deadline_reminders(office, today(office))
        order_due_letters(timezone.now())
        send_due_letters(timezone.now())
        time.sleep(0.01)


def worker(port: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "tests.letter_kills", "--work"]
    environment = {**os.environ, "EMAIL_URL": f"smtp://127.0.0.1:{port}", "NO_BOOTSTRAP": "1"}
    running = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE)
    assert running.stdout is not None
    assert running.stdout.readline() == b"ready\n"
    return running


def end(running: subprocess.Popen[bytes]) -> None:
    running.kill()
    running.wait()
    assert running.stdout is not None
    running.stdout.close()


def kill_often(office: Federation, kills: int, rng: random.Random) -> MailSink:
    """Decide, let a worker begin and kill it, again and again; let the last one finish."""
    from players.record import decide

    sink = MailSink()
    sink.start()
    for life in range(1, kills + 2):
        sink.life = life
        for _number in range(DECISIONS_A_ROUND):
            about = f"list {life:03}-{_number}"
            decide(office, kind="publish", by=None, on=date(2026, 1, 1), about=about, fact=1)
        play(office, life)
        running = worker(sink.port)
        if life <= kills:
            if rng.random() < 0.7:  # a moment after the server took a letter; else any moment
                sink.wait_for(len(sink.taken) + rng.randint(1, 4), 5)
                time.sleep(rng.random() * 0.01)
            else:
                time.sleep(rng.random() * 0.1)
        else:
            drain()
        end(running)
    return sink


def drain() -> None:
    """Wait until every deadline was reminded of and every letter is sent, as long as there is progress."""
    from players.models import Decision, Ledger, Letter, LettersOrdered
    from tournaments.models import Section

    left, until = -1, time.monotonic() + 60
    while time.monotonic() < until:
        number = LettersOrdered.objects.get().number
        reminded = Decision.objects.filter(kind="remind").count() >= Section.objects.count()
        letters = Letter.objects.count()
        if reminded and number == Ledger.objects.get().decisions and not letters:
            return
        if letters != left:
            left, until = letters, time.monotonic() + 60
        time.sleep(0.1)
    raise AssertionError("letters were left")


def look(sink: MailSink, kills: int) -> int:
    """Hold what came against what was decided; return how many letters came twice."""
    lists = [f"{life:03}-{number}" for life in range(1, kills + 2) for number in range(DECISIONS_A_ROUND)]
    expected = {
        f"{person}@example.org Chess South Africa: the list of {each} is published"
        for each in lists
        for person in PEOPLE
    }
    due = f"{due_on():%-d %B %Y}"
    expected |= {f"{FILES}@example.org Open {life:03}, A: due by {due}" for life in range(1, kills + 2)}
    came = {told for _life, _id, told in sink.taken}
    assert came == expected, came ^ expected
    by_told: dict[str, set[str]] = {}
    for _life, message_id, told in sink.taken:
        by_told.setdefault(told, set()).add(message_id)
    assert all(len(ids) == 1 for ids in by_told.values()), "a letter was ordered twice"
    last_of_life = {life: message_id for life, message_id, _told in sink.taken}
    times = Counter(message_id for _life, message_id, _told in sink.taken)
    for message_id, count in times.items():
        lives = [life for life, each, _told in sink.taken if each == message_id]
        assert len(set(lives)) == count, "one worker sent a letter twice"
        for life in lives[:-1]:
            assert last_of_life[life] == message_id, "a letter came twice whose record stood"
    return sum(times.values()) - len(times)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--work", action="store_true", help="be the worker")
    told = parser.parse_args()
    import django

    if told.work:
        django.setup()
        work()
    with office_of_its_own():
        django.setup()
        sink = kill_often(furnish(), told.kills, random.Random(told.seed))
        twice = look(sink, told.kills)
    print(f"{told.kills} kills: {len(sink.taken) - twice} letters, none lost; {twice} twice, by one id each")


if __name__ == "__main__":
    main()
