"""What an operator watches: each probe and figure tells the fault that it is for, and nothing of people."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
import time_machine
import yaml
from django.conf import settings
from django.core import mail
from django.core.files.storage import FileSystemStorage
from django.db import OperationalError, connection
from django.http import HttpRequest
from django.test import Client, RequestFactory
from django.utils import timezone

from federation_site import logs, watch
from federation_site.models import SignOfLife
from federation_site.server_errors import (
    BUG_PAGE,
    DATABASE_AWAY_PAGE,
    DATABASE_BUSY_PAGE,
    DATABASE_FULL_PAGE,
    fault_page,
)
from federation_site.tasks import give_sign, give_sign_of_files, verify_offices
from federation_site.watch import LETTER_LATE, WORK_LATE, WORKER_SILENT, can_read_metrics
from players.mail import order_letter
from players.models import Federation, Ledger, Letter
from players.record import decide

pytestmark = [pytest.mark.django_db, pytest.mark.servers]


@pytest.fixture(autouse=True)
def pages(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder of collected files, as `collectstatic` leaves it."""
    monkeypatch.setattr(watch, "staticfiles_storage", FileSystemStorage(tmp_path))
    (tmp_path / "staticfiles.json").write_text("{}")
    return tmp_path


def asked(client: Client, address: str = "/readyz") -> tuple[int, dict[str, Any]]:
    answer = client.get(address)
    found: dict[str, Any] = json.loads(answer.content)
    return answer.status_code, found


def test_however_many_ask_the_office_is_looked_at_once_a_second(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A look writes to the database: strangers' probes must not keep it busy."""
    looks: list[float] = []
    clock = [100.0]

    look_itself = watch.look

    def look() -> watch.Readiness:
        looks.append(clock[0])
        return look_itself()

    monkeypatch.setattr(watch, "look", look)
    monkeypatch.setattr(watch, "monotonic", lambda: clock[0])
    monkeypatch.setattr(watch, "_looks", watch._Looks())
    monkeypatch.setattr(watch, "FRESH", 1.0)
    assert [asked(client)[0] for _each in range(20)] == [200] * 20
    clock[0] = 101.0
    asked(client)
    assert looks == [100.0, 101.0]


def signs() -> None:
    """The signs that both workers give."""
    give_sign()
    give_sign_of_files()


def silent_for(seconds: float) -> None:
    SignOfLife.objects.update(at=timezone.now() - timedelta(seconds=seconds))


def decided_ago(office: Federation, seconds: float) -> None:
    """A decision that the worker has not followed yet."""
    with time_machine.travel(timezone.now() - timedelta(seconds=seconds)):
        decide(office, kind="approve", by=None, on=date(2026, 1, 1), about="section 2026-001/A")
    Ledger.objects.filter(federation=office).update(wanted=1, done=0)


def test_an_office_with_a_worker_is_ready_and_working(client: Client) -> None:
    signs()
    status, found = asked(client, "/readyz?all")
    assert (status, found["ready"], found["working"]) == (200, True, True)
    assert found["oldest_work"] is None


def test_a_silent_worker_rings_the_alarm_and_closes_no_web_server(client: Client) -> None:
    signs()
    silent_for(WORKER_SILENT - 5)
    assert asked(client, "/readyz?all")[0] == 200
    silent_for(WORKER_SILENT + 5)
    assert asked(client, "/readyz?all")[0] == 503
    status, found = asked(client)
    assert (status, found["ready"], found["working"]) == (200, True, False)


def test_a_silent_worker_of_files_rings_the_alarm_unless_it_has_work_whose_age_tells(
    client: Client, csa: Federation
) -> None:
    signs()
    of_files = SignOfLife.objects.filter(name=watch.FILES)
    of_files.update(at=timezone.now() - timedelta(seconds=WORKER_SILENT - 5))
    assert asked(client, "/readyz?all")[0] == 200
    of_files.update(at=timezone.now() - timedelta(seconds=WORKER_SILENT + 5))
    status, found = asked(client, "/readyz?all")
    assert (status, found["ready"]) == (503, True)
    assert found["files_seen"] > WORKER_SILENT
    decided_ago(csa, WORK_LATE - 10)
    assert asked(client, "/readyz?all")[0] == 200
    decided_ago(csa, WORK_LATE + 10)
    assert asked(client, "/readyz?all")[0] == 503


@pytest.mark.usefixtures("letters_wait")
def test_letters_that_no_mail_server_takes_ring_the_alarm(client: Client) -> None:
    signs()
    order_letter("thandi@example.org", subject="A", text="B")
    letters = Letter.objects.all()
    letters.update(at=timezone.now() - timedelta(seconds=LETTER_LATE - 10))
    assert asked(client, "/readyz?all")[0] == 200
    letters.update(at=timezone.now() - timedelta(seconds=LETTER_LATE + 10))
    status, found = asked(client, "/readyz?all")
    assert (status, found["ready"], found["oldest_letter"] > LETTER_LATE) == (503, True, True)
    assert "thandi" not in json.dumps(found)
    letters.delete()
    assert asked(client, "/readyz?all")[0] == 200


def test_a_worker_that_never_came_is_silent(client: Client) -> None:
    status, found = asked(client, "/readyz?all")
    assert (status, found["worker_seen"]) == (503, None)


def test_work_that_waits_too_long_rings_the_alarm(client: Client, csa: Federation) -> None:
    signs()
    decided_ago(csa, WORK_LATE - 10)
    assert asked(client, "/readyz?all")[0] == 200


def test_work_is_late_from_its_oldest_decision_on(client: Client, csa: Federation) -> None:
    signs()
    decided_ago(csa, WORK_LATE + 10)
    decided_ago(csa, 1)
    status, found = asked(client, "/readyz?all")
    assert status == 503
    assert found["oldest_work"] >= WORK_LATE


def test_what_was_decided_before_the_last_recompute_is_no_late_work(client: Client, csa: Federation) -> None:
    signs()
    decided_ago(csa, WORK_LATE + 10)
    Ledger.objects.update(finished_at=timezone.now() - timedelta(seconds=5))
    decided_ago(csa, 1)
    assert asked(client, "/readyz?all")[0] == 200


def test_pages_without_style_are_not_ready(client: Client, pages: Path) -> None:
    (pages / "staticfiles.json").unlink()
    status, found = asked(client)
    assert (status, found["pages"]) == (503, False)


def test_a_missing_cache_is_not_ready(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(cache: object, key: str) -> None:
        raise OperationalError("no such table: cache")

    monkeypatch.setattr("django.core.cache.backends.db.DatabaseCache.get", broken)
    status, found = asked(client)
    assert (status, found["cache"]) == (503, False)


def test_a_database_that_takes_nothing_is_not_ready(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(name: str) -> None:
        raise OperationalError("database or disk is full")

    monkeypatch.setattr(watch, "give", full)
    status, found = asked(client)
    assert (status, found["writes"]) == (503, False)


def test_a_database_that_is_away_is_not_ready(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def away() -> bool:
        raise OperationalError("connection refused")

    monkeypatch.setattr(watch, "migrations_pending", away)
    status, found = asked(client)
    assert (status, found["schema"], found["pending"]) == (503, False, None)


def test_a_look_leaves_the_database_s_patience_as_it_was() -> None:
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL's patience is the transaction's own")
    with connection.cursor() as cursor:
        before = cursor.execute("PRAGMA busy_timeout").fetchone()
        assert watch.can_write()
        assert cursor.execute("PRAGMA busy_timeout").fetchone() == before


@pytest.mark.parametrize("address", ["/healthz", "/readyz", "/metrics"])
def test_probes_come_by_address_without_a_name(client: Client, address: str) -> None:
    assert client.get(address, headers={"Host": "10.1.2.3:8000"}).status_code == 200


def test_a_page_asks_for_the_site_s_name(client: Client) -> None:
    assert client.get("/", headers={"Host": "10.1.2.3:8000"}).status_code == 400


def test_a_sign_of_the_future_is_a_new_one() -> None:
    watch.give("worker")
    SignOfLife.objects.update(at=timezone.now() + timedelta(hours=2))
    assert watch.seconds_since_sign("worker") == 0


def test_the_figures_tell_of_offices_and_of_nobody(client: Client, csa: Federation) -> None:
    signs()
    text = client.get("/metrics").content.decode()
    assert f'office_journal_lines{{office="{csa.code}"}}' in text
    assert "office_working 1.0" in text
    assert 'office_last_done_timestamp{what="worker"}' in text


def request(address: str, **headers: str) -> HttpRequest:
    return RequestFactory().get("/metrics", REMOTE_ADDR=address, headers=headers)


def test_figures_are_for_private_addresses_that_come_without_a_proxy(settings: Any) -> None:
    settings.METRICS_TOKEN = ""
    assert can_read_metrics(request("127.0.0.1"))
    assert can_read_metrics(request("10.0.0.7"))
    assert not can_read_metrics(request("8.8.8.8"))
    assert not can_read_metrics(request("10.0.0.7", X_Forwarded_For="8.8.8.8"))


def test_with_a_token_only_the_token_counts(settings: Any) -> None:
    settings.METRICS_TOKEN = "a-long-token"
    assert can_read_metrics(request("8.8.8.8", Authorization="Bearer a-long-token"))
    assert not can_read_metrics(request("127.0.0.1"))
    assert not can_read_metrics(request("127.0.0.1", Authorization="Bearer another"))


def test_every_night_all_offices_are_verified_and_the_result_is_kept(csa: Federation) -> None:
    verify_offices()
    assert SignOfLife.objects.get(name="verify").details == {csa.code: 0}


def test_a_difference_is_counted_and_logged(csa: Federation, caplog: pytest.LogCaptureFixture) -> None:
    Ledger.objects.filter(federation=csa).update(decisions=7)
    verify_offices()
    assert SignOfLife.objects.get(name="verify").details[csa.code] > 0
    assert "stored is not what a replay gives" in caplog.text


@pytest.fixture
def mailing(settings: Any, tmp_path: Path) -> Iterator[logging.Logger]:
    settings.ADMINS = [("operator", "operator@example.org")]
    settings.VAR = tmp_path
    logger, handler = logging.getLogger("test.alarms"), logs.MailOperators()
    logger.addHandler(handler)
    yield logger
    logger.removeHandler(handler)


def test_an_error_is_mailed_to_the_operators_once_in_an_hour(
    mailing: logging.Logger, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [1000.0]
    monkeypatch.setattr("federation_site.logs.time.time", lambda: now[0])
    for _each in range(3):
        mailing.error("the fold of %s failed", "csa")
    mailing.error("another thing")
    assert [each.to for each in mail.outbox] == [["operator@example.org"]] * 2
    now[0] += logs.MUTE_SECONDS + 1
    mailing.error("the fold of %s failed", "csa")
    assert len(mail.outbox) == 3


def test_of_several_processes_one_writes_to_the_operators(mailing: logging.Logger) -> None:
    other = logs.MailOperators()
    mailing.addHandler(other)
    try:
        mailing.error("the fold of %s failed", "csa")
    finally:
        mailing.removeHandler(other)
    assert len(mail.outbox) == 1


def test_faults_of_two_places_are_two_though_the_same_line_of_a_library_fails(
    mailing: logging.Logger,
) -> None:
    def read_keys() -> None:
        json.loads("{")

    def read_pages() -> None:
        json.loads("{")

    for _each in range(2):
        for name, read in (("keys", read_keys), ("pages", read_pages)):
            try:
                read()
            except ValueError:
                mailing.exception("%s cannot be read", name)
    assert [message.subject.rpartition(": ")[2] for message in mail.outbox] == [
        "keys cannot be read",
        "pages cannot be read",
    ]


def test_a_letter_that_the_mail_server_did_not_take_is_followed_by_one_in_minutes_from_any_process(
    mailing: logging.Logger, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [1000.0]
    monkeypatch.setattr("federation_site.logs.time.time", lambda: now[0])
    monkeypatch.setattr(logging, "raiseExceptions", False)  # or the failure is printed
    with monkeypatch.context() as without:
        without.setattr("django.core.mail.mail_admins", Mock(side_effect=ConnectionRefusedError))
        mailing.error("the fold of %s failed", "csa")
    mailing.error("the fold of %s failed", "csa")
    assert mail.outbox == [], "each error would wait for the mail server"
    now[0] += logs.RETRY_SECONDS + 1
    mailing.handlers[0]._told.clear()  # type: ignore[attr-defined]  # as another process
    mailing.error("the fold of %s failed", "csa")
    mailing.error("the fold of %s failed", "csa")
    assert len(mail.outbox) == 1


@pytest.mark.parametrize("left", ['{"the fold', "[]", "7"])
def test_what_a_process_left_half_written_is_begun_anew(
    mailing: logging.Logger, tmp_path: Path, left: str
) -> None:
    (tmp_path / logs.TOLD_FILE).write_text(left)
    mailing.error("the fold of %s failed", "csa")
    assert len(mail.outbox) == 1
    assert json.loads((tmp_path / logs.TOLD_FILE).read_text())


def test_operators_are_written_to_though_nothing_can_be_noted(
    mailing: logging.Logger, settings: Any, tmp_path: Path
) -> None:
    settings.VAR = tmp_path / "gone"
    for _each in range(2):
        mailing.error("no backup was made")
    assert len(mail.outbox) == 1


@pytest.mark.parametrize(
    ("fault", "wrong", "mend"),
    [
        (OperationalError("connection refused"), "The database does not answer", "See that its server runs"),
        (OperationalError("database or disk is full"), "Nothing can be stored", "Make room on the disk"),
        (OperationalError("database is locked"), "The database is busy", "look for what writes for so long"),
        (KeyError("nobody"), "the fold of csa failed", "Send this letter to the maintainers"),
    ],
)
def test_a_letter_to_the_operators_says_what_is_wrong_and_what_to_do(
    mailing: logging.Logger, fault: Exception, wrong: str, mend: str
) -> None:
    try:
        raise fault
    except Exception:
        mailing.exception("the fold of %s failed", "csa")
    [letter] = mail.outbox
    assert letter.subject.endswith(f"{settings.SITE_HOST}: {wrong}")
    assert mend in letter.body
    assert "/operations/" in letter.body


def test_an_error_brings_its_own_advice_in_the_language_of_the_site(
    mailing: logging.Logger, settings: Any
) -> None:
    settings.OFFICE_LANGUAGE = "pl"
    mailing.error("recompute failed", extra={"mend": "See docs/operating.md, “One history”."})
    [letter] = mail.outbox
    assert "Co zrobić:" in letter.body
    assert "docs/operating.md" in letter.body


def test_whoever_asks_whether_the_site_is_ready_has_no_letter_sent(
    mailing: logging.Logger, client: Client
) -> None:
    """Anybody may ask, and on a new site the answer is no until the workers have begun."""
    asked = logging.getLogger("django.request")
    asked.addHandler(handler := logs.MailOperators())
    try:
        assert client.get("/readyz?all").status_code == 503
    finally:
        asked.removeHandler(handler)
    assert mail.outbox == []


def test_a_warning_is_not_mailed(mailing: logging.Logger) -> None:
    mailing.warning("could not wake the worker")
    assert mail.outbox == []


@pytest.mark.parametrize(
    ("words", "page"),
    [
        ("database is locked", DATABASE_BUSY_PAGE),
        ("canceling statement due to lock timeout", DATABASE_BUSY_PAGE),
        ("database or disk is full", DATABASE_FULL_PAGE),
        ("attempt to write a readonly database", DATABASE_FULL_PAGE),
        ("could not extend file: No space left on device", DATABASE_FULL_PAGE),
        ("connection refused", DATABASE_AWAY_PAGE),
        ("server closed the connection unexpectedly", DATABASE_AWAY_PAGE),
    ],
)
def test_a_page_tells_what_ails_the_database(words: str, page: object) -> None:
    assert fault_page(OperationalError(words)) is page
    wrapped = RuntimeError("in a template")
    wrapped.__cause__ = OperationalError(words)
    assert fault_page(wrapped) is page


def test_a_fault_of_ours_is_called_ours() -> None:
    assert fault_page(ValueError("disk is full")) is BUG_PAGE
    assert fault_page(None) is BUG_PAGE


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        ("database or disk is full", 507, "Nothing can be stored"),
        ("database is locked", 503, "The database is busy"),
        ("connection refused", 503, "does not answer"),
    ],
)
def test_whoever_asks_reads_what_ails_the_database(
    monkeypatch: pytest.MonkeyPatch, words: str, status: int, said: str
) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise OperationalError(words)

    monkeypatch.setattr("ratings.pages.home.render", broken)
    answer = Client(raise_request_exception=False).get("/")
    assert answer.status_code == status
    assert said in answer.content.decode()
    assert int(answer["Retry-After"]) > 0


def test_the_alarms_that_are_shipped_ask_for_figures_that_are_given(client: Client, csa: Federation) -> None:
    signs()
    verify_offices()
    watch.REQUEST_COUNTER.labels("public", 200).inc()
    watch.REFUSAL_COUNTER.labels(413).inc()
    given = set(re.findall(r"^# TYPE (\w+)", client.get("/metrics").content.decode(), re.MULTILINE))
    for counter in (watch.REQUEST_COUNTER, watch.REFUSAL_COUNTER):
        given |= {sample.name for family in counter.collect() for sample in family.samples}
    shipped = yaml.safe_load((Path(settings.ROOT) / "deploy/prometheus-alerts.yml").read_text())
    rules = shipped["groups"][0]["rules"]
    asked = set(re.findall(r"office_\w+", " ".join(rule["expr"] for rule in rules)))
    assert asked
    assert asked <= given
