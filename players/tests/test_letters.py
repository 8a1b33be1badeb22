"""Letters survive a worker that is killed and a mail server that refuses, and no page waits for either."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from pathlib import Path

import pytest
import time_machine
from django.core import mail
from django.core.mail import EmailMultiAlternatives
from django.db import transaction
from django.test import Client
from django.utils import timezone
from django.utils.translation import get_language
from pytest_django import Settings

from federation_site import celery
from federation_site.management.commands.forget_factors import forget_factors
from federation_site.management.commands.up import worker_command
from federation_site.tests.server import ROOT
from players import mail as letters
from players.appointments import Invitation, order_invitation_letter
from players.mail import LETTER_LIFETIME, compute_retry_pause, order_letter, send_due_letters
from players.models import Appointment, Federation, Letter, User

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("letters_wait"), pytest.mark.servers]
ClientOf = Callable[[User], Client]


class MailServer(threading.Thread):
    """A mail server of a few lines; `mood` says whether it takes letters, refuses them, or hangs."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self.listening.getsockname()[1]
        self.mood, self.taken, self.hanging = "takes", list[str](), threading.Event()

    def run(self) -> None:
        while True:
            try:
                made, _address = self.listening.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(made,), daemon=True).start()

    def serve(self, made: socket.socket) -> None:
        if self.mood == "hangs":
            self.hanging.set()
            time.sleep(60)
        with made, made.makefile("rwb") as stream:

            def say(words: str) -> None:
                stream.write(f"{words}\r\n".encode())
                stream.flush()

            say("421 not now" if self.mood == "refuses" else "220 here")
            for line in stream:
                if line.upper().startswith(b"DATA"):
                    say("354 go on")
                    self.taken.append("".join(part.decode() for part in iter(stream.readline, b".\r\n")))
                say("250 well")


@pytest.fixture
def server(settings: Settings) -> Iterator[MailServer]:
    made = MailServer()
    made.start()
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", made.port
    yield made
    made.listening.close()


def test_a_letter_goes_once_the_decision_that_ordered_it_stands_and_its_row_goes_with_it() -> None:
    order_letter("nomsa@example.org", subject="Notice", text="Words")
    assert mail.outbox == []
    send_due_letters(timezone.now())
    [letter] = mail.outbox
    assert (letter.to, letter.subject, letter.body) == (["nomsa@example.org"], "Notice", "Words")
    assert not Letter.objects.exists()
    send_due_letters(timezone.now())
    assert len(mail.outbox) == 1


def test_a_letter_of_a_decision_that_is_undone_is_never_sent() -> None:
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        order_letter("nomsa@example.org", subject="Notice", text="Words")
        raise ZeroDivisionError
    send_due_letters(timezone.now())
    assert mail.outbox == []


def test_a_mail_server_that_refuses_for_an_hour_gets_every_letter_after_it(
    server: MailServer, caplog: pytest.LogCaptureFixture
) -> None:
    server.mood, now = "refuses", timezone.now()
    for number in range(3):
        order_letter(f"person{number}@example.org", subject=f"Notice {number}", text="Words")
    for minute in range(61):
        send_due_letters(now + timedelta(minutes=minute))
    assert server.taken == []
    assert Letter.objects.count() == 3
    assert "a letter could not be sent, and is tried again" in caplog.text
    assert "example.org" not in caplog.text
    server.mood = "takes"
    for minute in range(61, 61 + 60):
        send_due_letters(now + timedelta(minutes=minute))
    assert sorted(words.split("Subject: ")[1].split("\r\n")[0] for words in server.taken) == [
        "Notice 0",
        "Notice 1",
        "Notice 2",
    ]
    assert not Letter.objects.exists()


def test_a_letter_that_no_server_takes_holds_no_other_up_for_longer_than_a_look(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sent: list[str] = []

    def send(message: EmailMultiAlternatives) -> None:
        if message.to == ["nobody@example.org"]:
            raise OSError("no such mailbox")
        sent.extend(message.to)

    monkeypatch.setattr(letters, "send_mail", send)
    order_letter("nobody@example.org", subject="a", text="b")
    order_letter("nomsa@example.org", subject="a", text="b")
    now = timezone.now()
    send_due_letters(now)
    send_due_letters(now + timedelta(seconds=celery.LETTERS_SECONDS))
    assert sent == ["nomsa@example.org"]


def test_the_tries_grow_rarer_up_to_one_an_hour_and_end_with_the_links_time(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    assert [compute_retry_pause(tries) / timedelta(minutes=1) for tries in (0, 1, 2, 5, 6, 99)] == [
        1,
        2,
        4,
        32,
        60,
        60,
    ]
    monkeypatch.setattr(letters, "send_mail", lambda *_: 1 / 0)
    order_letter("nomsa@example.org", subject="a", text="b")
    [letter] = Letter.objects.all()
    Letter.objects.update(due=letter.at + LETTER_LIFETIME - timedelta(seconds=1))
    send_due_letters(letter.at + LETTER_LIFETIME - timedelta(seconds=1))
    assert Letter.objects.exists()
    send_due_letters(letter.at + LETTER_LIFETIME + timedelta(hours=1))
    assert not Letter.objects.exists()
    assert "a letter was given up" in caplog.text


# ---------------------------------------------------------------- links


@pytest.mark.parametrize(("ahead", "sent"), [(timedelta(minutes=65), False), (timedelta(minutes=66), True)])
def test_a_letter_waits_for_little_more_than_an_hour_though_the_clock_was_set_back(
    ahead: timedelta, sent: bool
) -> None:
    order_letter("one@example.org", subject="Words", text="More words")
    now = timezone.now()
    Letter.objects.update(due=now + ahead)
    send_due_letters(now)
    assert Letter.objects.exists() != sent


def test_no_link_lies_anywhere_until_the_letter_with_it_is_sent(
    csa: Federation, nomsa: User, caplog: pytest.LogCaptureFixture
) -> None:
    Client().post("/accounts/password/reset/", {"email": nomsa.email})
    order_invitation_letter(
        Appointment.objects.filter(user=nomsa)[0], Invitation("http://testserver", timezone.now())
    )
    rows = list(Letter.objects.values_list("kind", "subject", "text"))
    assert rows == [("password", "", ""), ("invitation", "", "")]
    assert "/key/" not in str(list(Letter.objects.values()))
    send_due_letters(timezone.now())
    assert "/key/" in str(mail.outbox[0].body)
    assert "/key/" not in caplog.text
    assert not Letter.objects.exists()


def test_a_lost_letter_for_a_password_is_written_again_with_a_link_that_opens(
    csa: Federation, nomsa: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    Client().post("/accounts/password/reset/", {"email": nomsa.email})
    with monkeypatch.context() as broken:
        broken.setattr(letters, "send_mail", lambda *_: 1 / 0)
        send_due_letters(timezone.now())
    assert mail.outbox == []
    send_due_letters(timezone.now() + timedelta(minutes=2))
    [link] = [line for line in str(mail.outbox[0].body).split() if "/key/" in line]
    assert Client().get(link.removeprefix("http://testserver"), follow=True).status_code == 200


def test_asking_costs_the_same_for_an_address_that_nobody_has_and_writes_to_nobody(csa: Federation) -> None:
    Client().post("/accounts/password/reset/", {"email": "nobody@example.org"})
    assert Letter.objects.count() == 1
    send_due_letters(timezone.now())
    assert not Letter.objects.exists()
    assert mail.outbox == []


def test_an_appointment_says_that_its_letter_is_on_its_way(
    csa: Federation, thandi: User, client_of: ClientOf
) -> None:
    form = {"email": "new@example.org", "name": "New", "role": "official", "starts": date(2026, 1, 1)}
    page = client_of(thandi).post("/csa/people/appoint/", form, follow=True)
    assert "New is appointed; an e-mail to new@example.org is on its way." in page.content.decode()
    assert [letter.kind for letter in Letter.objects.all()] == ["invitation"]


# ---------------------------------------------------------------- workers


def test_of_two_workers_one_sends_a_letter(monkeypatch: pytest.MonkeyPatch) -> None:
    order_letter("nomsa@example.org", subject="a", text="b")
    now = timezone.now()

    def beside(message: EmailMultiAlternatives) -> None:
        send_due_letters(now)  # another worker looks while this one sends
        message.send()

    monkeypatch.setattr(letters, "send_mail", beside)
    send_due_letters(now)
    assert len(mail.outbox) == 1


def test_a_letter_behind_others_that_took_minutes_is_sent_by_one_worker_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for each in ("first", "second"):
        order_letter("nomsa@example.org", subject=each, text="b")

    def slow(message: EmailMultiAlternatives) -> None:
        if message.subject == "first":
            clock.shift(timedelta(minutes=2))
        else:
            send_due_letters(timezone.now())  # another worker looks while this one sends
        message.send()

    monkeypatch.setattr(letters, "send_mail", slow)
    with time_machine.travel(timezone.now(), tick=False) as clock:
        send_due_letters(timezone.now())
    assert [letter.subject for letter in mail.outbox] == ["first", "second"]


def test_a_letter_that_another_worker_has_just_taken_for_the_longest_pause_is_left_to_it() -> None:
    order_letter("nomsa@example.org", subject="a", text="b")
    now = timezone.now()  # of a worker that began to look a moment before
    Letter.objects.update(due=timezone.now() + compute_retry_pause(10), tries=11)
    send_due_letters(now)
    assert mail.outbox == []


def test_a_worker_looks_for_letters_whatever_its_processes_do(
    csa: Federation, nomsa: User, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    Client().post("/accounts/password/reset/", {"email": nomsa.email})
    monkeypatch.setattr("django.db.close_old_connections", lambda: None)
    celery.order_and_send_letters()
    assert len(mail.outbox) == 1
    monkeypatch.setattr("players.mail.send_due_letters", lambda now: 1 / 0)
    celery.order_and_send_letters()
    assert "no letter could be sent" in caplog.text


SEND = """
import os, sys
os.environ["DJANGO_SETTINGS_MODULE"] = "federation_site.settings"
import django
django.setup()
from datetime import timedelta
from django.core.management import call_command
from django.utils import timezone
from players.mail import order_letter, send_due_letters
from players.models import Letter
if sys.argv[1].startswith("order"):
    call_command("migrate", verbosity=0)
    order_letter("nomsa@example.org", subject="Notice", text="Words")
if sys.argv[1] != "order alone":
    send_due_letters(timezone.now() + timedelta(minutes=int(sys.argv[2])))
print(Letter.objects.count())
"""


def environment_of(folder: Path, server: MailServer) -> dict[str, str]:
    environment = {**os.environ, "VAR_DIR": str(folder), "NO_BOOTSTRAP": "1"}
    environment.pop("DJANGO_SETTINGS_MODULE", None)
    environment["EMAIL_URL"] = f"smtp://127.0.0.1:{server.port}"
    return environment | {"DATABASE_URL": f"sqlite:///{folder / 'office.sqlite3'}"}


@pytest.mark.long
@pytest.mark.any_database
def test_a_real_worker_sends_a_letter_within_seconds(server: MailServer, tmp_path: Path) -> None:
    environment = environment_of(tmp_path, server)
    subprocess.run([sys.executable, "-c", SEND, "order alone", "0"], env=environment, check=True)
    command = [sys.executable, "-m", *worker_command("files", 1)]
    running = subprocess.Popen(command, env=environment, cwd=ROOT, start_new_session=True)
    try:
        until = time.monotonic() + 60
        while not server.taken and time.monotonic() < until:
            time.sleep(0.2)
    finally:
        os.killpg(running.pid, signal.SIGKILL)
        running.wait()
    assert len(server.taken) == 1


@pytest.mark.long
@pytest.mark.any_database
def test_a_letter_outlives_the_worker_that_was_killed_while_sending_it(
    server: MailServer, tmp_path: Path
) -> None:
    command, environment = [sys.executable, "-c", SEND], environment_of(tmp_path, server)
    server.mood = "hangs"
    killed = subprocess.Popen([*command, "order", "0"], env=environment)
    assert server.hanging.wait(60)
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    server.mood = "takes"
    at_once = subprocess.run([*command, "send", "0"], env=environment, capture_output=True, text=True)
    assert (at_once.stdout.strip(), server.taken) == ("1", [])
    later = subprocess.run([*command, "send", "2"], env=environment, capture_output=True, text=True)
    assert later.stdout.strip() == "0", later.stderr
    assert len(server.taken) == 1


# ---------------------------------------------------------------- in the reader's language


def invited_anew(person: User) -> None:
    order_invitation_letter(
        Appointment.objects.filter(user=person)[0], Invitation("http://testserver", timezone.now())
    )


def asked_for_a_password(person: User) -> None:
    Client().post("/accounts/password/reset/", {"email": person.email})


def signed_in_on_a_new_device(person: User) -> None:
    person.set_password("marula under a wide sky")
    person.save()
    Client().post("/accounts/login/", {"login": person.email, "password": "marula under a wide sky"})


@pytest.mark.parametrize(
    "deed", [invited_anew, asked_for_a_password, signed_in_on_a_new_device, forget_factors]
)
def test_a_letter_about_an_account_is_in_its_owners_language_whoever_ordered_it(
    csa: Federation, nomsa: User, settings: Settings, deed: Callable[[User], None]
) -> None:
    settings.LANGUAGES = [("en", "English"), ("cs", "Czech")]
    nomsa.language = "cs"
    nomsa.save()
    deed(nomsa)
    send_due_letters(timezone.now())
    [letter] = mail.outbox
    assert isinstance(letter, EmailMultiAlternatives)
    assert '<html lang="cs"' in str(letter.alternatives[0][0])
    assert get_language() == "en"
