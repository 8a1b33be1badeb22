"""An office of every release so far comes up to this version whole: what it served, and what waited in it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterator
from datetime import datetime, timedelta
from decimal import Decimal
from hashlib import sha256
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import time_machine
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from celery import current_app
from django.conf import global_settings, settings
from django.core.cache import caches
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from federation_site.processes.models import Message
from federation_site.startup_checks.pending_migrations import migrations_pending
from players.importing.models import RegisterImport
from players.office.models import Decision, Federation, Ledger, User
from players.office.write_once_triggers import unguarded
from players.tasks import sweep_register
from ratings.journal.models import Fact
from ratings.recompute.models import RulesVersion
from ratings.recompute.office_rules import own_rules
from ratings.recompute.rules_change.published_seal import KIND as APPLIED
from ratings.results.models import Change, PastChange, Standing
from ratings.signing.models import Checkpoint
from ratings.signing.sign_journal_and_change_keys import sign_due
from ratings.tasks import look_at_rules, sweep
from ratings.tests.test_rules_change import become
from ratings.verify import verify
from tests.released_office import (
    KIND,
    MIGRATE,
    RESTORE,
    VERSIONS,
    OwnDatabase,
    ReleasedOffice,
    tables,
    working_on,
)
from tournaments.events.file_models import Archive, Upload
from tournaments.tasks import sweep as sweep_files

pytestmark = pytest.mark.faults
HOSTS = ["localhost"]
PAGES = 200
WAYS = [(version, way) for version in VERSIONS for way in (RESTORE, MIGRATE)]


@pytest.fixture(scope="module", params=WAYS, ids=[f"{version}-{way}" for version, way in WAYS])
def upgraded(request: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReleasedOffice]:
    version, way = request.param
    office = ReleasedOffice(version, way, tmp_path_factory.mktemp(way))
    try:
        office.bring_up()
        yield office
    finally:
        office.database.drop()


@pytest.fixture
def office(
    upgraded: ReleasedOffice, settings: Any, tmp_path: Path, django_db_blocker: Any
) -> Iterator[ReleasedOffice]:
    """This process works for the office, on a database that nobody has touched since the upgrade."""
    settings.SECRET_KEY = (upgraded.var / "secret_key").read_text()
    settings.PASSWORD_HASHERS = global_settings.PASSWORD_HASHERS
    settings.VAR, settings.ALLOWED_HOSTS = tmp_path, HOSTS
    settings.KEYS_DIR = tmp_path / "keys"
    settings.KEYS_DIR.mkdir()
    for path in (upgraded.var / "keys").iterdir():
        (settings.KEYS_DIR / path.name).write_bytes(path.read_bytes())
    with django_db_blocker.unblock(), upgraded.database.copied(tmp_path) as copy, working_on(copy):
        for each in caches.all():
            each.clear()
        yield upgraded


@pytest.fixture
def at_work(office: ReleasedOffice, settings: Any) -> ReleasedOffice:
    """The office after its operator said what was signed since, where a restore asked for that."""
    for code in Ledger.objects.filter(held=True).values_list("federation__code", flat=True):
        call_command("log", code, "resume", settings.KEYS_DIR / f"{code}.checkpoint", stdout=StringIO())
    return office


def browser() -> Client:
    return Client(SERVER_NAME="localhost")


def read(address: str) -> str:
    """The SHA-256 of what the public reads at an address."""
    answer: Any = browser().get(address)
    assert answer.status_code == 200, address
    return sha256(b"".join(answer.streaming_content) if answer.streaming else answer.content).hexdigest()


# ---------------------------------------------------------------- its tables


@pytest.fixture(scope="module")
def tables_of_a_new_office(
    tmp_path_factory: pytest.TempPathFactory, django_db_blocker: Any
) -> Iterator[dict[str, list[str]]]:
    folder = tmp_path_factory.mktemp("new")
    database = OwnDatabase(f"release_{os.getpid()}_new", folder)
    database.make()
    try:
        with django_db_blocker.unblock(), working_on(database.name):
            call_command("migrate", verbosity=0)
            yield tables()
    finally:
        database.drop()


def test_an_office_that_came_up_has_the_tables_of_a_new_one(
    office: ReleasedOffice, tables_of_a_new_office: dict[str, list[str]]
) -> None:
    assert len(tables_of_a_new_office) > 70
    found = tables()
    of_caches = {"cache", "counters"}  # made by a command of its own, where the settings name them
    assert {name: found[name] for name in found if name not in of_caches} == tables_of_a_new_office


# ---------------------------------------------------------------- what it served


def test_the_way_up_finds_what_a_replay_gives_and_everything_in_place(office: ReleasedOffice) -> None:
    assert "differences" not in office.said.replace("no differences", "")
    assert not migrations_pending()
    assert unguarded() == []
    pending = ["a recompute is pending: run it first (manage.py recompute --pending)"]
    for each in Federation.objects.all():
        waits = each.code == "csa" and office.way == MIGRATE
        assert verify(each).differences == (pending if waits else [])


def test_every_list_proof_tile_and_journal_is_byte_for_byte_what_the_release_served(
    office: ReleasedOffice,
) -> None:
    assert len(office.served) > 50
    assert {address: read(address) for address in office.served} == office.served


def test_they_still_are_when_the_worker_has_done_its_rounds(at_work: ReleasedOffice) -> None:
    sweep()
    signed = ("/journal/checkpoint",)  # more lines are signed now
    stay = {address: digest for address, digest in at_work.served.items() if not address.endswith(signed)}
    assert {address: read(address) for address in stay} == stay


# ---------------------------------------------------------------- what follows from the journal


def stored() -> list[Any]:
    return [list(table.objects.order_by("pk").values()) for table in (Change, PastChange, Standing)]


def test_rules_that_give_what_is_stored_are_in_force_at_once_and_nothing_is_rated_anew(
    at_work: ReleasedOffice,
) -> None:
    before = stored()
    for each in Federation.objects.all():
        look_at_rules(each)
        assert Ledger.objects.get(federation=each).rules == own_rules(each)
    assert stored() == before
    assert not RulesVersion.objects.filter(moves=True).exists()
    assert not Decision.objects.filter(kind=APPLIED).exists()


def test_a_section_that_was_approved_before_the_upgrade_is_rated_after_it(at_work: ReleasedOffice) -> None:
    rated = set(Change.objects.values_list("fact__number", flat=True))
    sweep()
    csa = Federation.objects.get(code="csa")
    newest = Fact.objects.filter(federation=csa).latest("number")
    assert not Ledger.objects.pending().exists()
    assert Ledger.objects.get(federation=csa).line >= newest.number
    assert newest.changes.exists()
    assert (newest.number in rated) is (at_work.way == RESTORE), "a restore computes what waited"
    for each in Federation.objects.all():
        assert verify(each).differences == []


def test_the_log_goes_on_under_the_same_key_as_one_history(at_work: ReleasedOffice, tmp_path: Path) -> None:
    csa = Federation.objects.get(code="csa")
    before = Checkpoint.objects.of(csa).newest_first()[0]
    sign_due(csa, at=timezone.now() + timedelta(hours=36))
    after = Checkpoint.objects.of(csa).newest_first()[0]
    assert after.size == Ledger.objects.get(federation=csa).facts > before.size
    assert after.key == before.key
    journal, note = tmp_path / "journal.ndjson", tmp_path / "checkpoint"
    call_command("export_journal", "csa", output=journal)
    note.write_text(before.served)
    check = [
        sys.executable,
        "-m",
        "ratings.check",
        str(journal),
        "--since",
        str(note),
        "--key",
        before.key.vkey,
    ]
    subprocess.run(check, cwd=settings.ROOT, check=True, stdout=subprocess.DEVNULL)


def test_rules_that_would_move_ratings_are_not_passed_over_though_the_release_named_none(
    at_work: ReleasedOffice, monkeypatch: pytest.MonkeyPatch
) -> None:
    become(monkeypatch, Decimal(25))
    csa, before = Federation.objects.get(code="csa"), stored()
    sweep()
    waiting = RulesVersion.objects.waiting_in(csa)
    assert waiting is not None
    assert waiting.effects["lists"] > 0
    assert stored() == before
    assert Ledger.objects.get(federation=csa).rules != waiting.rules


def test_rules_that_the_office_agrees_to_move_ratings_and_no_list(
    at_work: ReleasedOffice, monkeypatch: pytest.MonkeyPatch
) -> None:
    become(monkeypatch, Decimal(25))
    before = stored()
    call_command("recompute", "csa", all=True, stdout=StringIO())
    assert stored() != before
    csa = Federation.objects.get(code="csa")
    assert Ledger.objects.get(federation=csa).rules == own_rules(csa)
    lists = {address: digest for address, digest in at_work.served.items() if "/lists/" in address}
    assert {address: read(address) for address in lists} == lists


# ---------------------------------------------------------------- what waited


def test_files_archives_and_tables_that_waited_are_read(at_work: ReleasedOffice) -> None:
    waiting = Upload.objects.filter(state=Upload.State.WAITING)
    keys = list(waiting.values_list("pk", flat=True))
    assert keys
    assert Archive.objects.filter(state=Archive.State.WAITING).exists()
    for _round in range(3):  # of each region one file at a time
        sweep_files()
    sweep_register()
    assert set(Upload.objects.filter(pk__in=keys).values_list("state", flat=True)) == {Upload.State.READ}
    assert not Archive.objects.filter(state__in=(Archive.State.WAITING, Archive.State.READING)).exists()
    assert RegisterImport.objects.get().state == RegisterImport.State.PLANNED
    official = browser()
    official.force_login(User.objects.get(email=at_work.people["regional"]))
    assert official.get(f"{at_work.told['waiting']}players/").status_code == 200


def test_every_message_in_the_broker_is_of_a_task_that_this_version_has(office: ReleasedOffice) -> None:
    names = {
        json.loads(text)["headers"]["task"] for text in Message.objects.values_list("payload", flat=True)
    }
    current_app.loader.import_default_modules()
    assert names <= current_app.tasks.keys()
    if office.way == MIGRATE and KIND == "sqlite":
        assert "federation_site.tasks.send_password_letter" in names


# ---------------------------------------------------------------- its people


def code_of_app(secret: str) -> str:
    return str(format_hotp_value(hotp_value(secret, int(time.time()) // 30)))


@pytest.mark.parametrize("factor", ["totp_secret", "recovery_code"])
def test_an_official_with_a_second_factor_signs_in_by_the_same_password_app_and_recovery_codes(
    factor: str, office: ReleasedOffice
) -> None:
    people, official = office.people, browser()
    asked = official.post("/accounts/login/", {"login": people["official"], "password": people["password"]})
    assert asked["Location"] == "/accounts/2fa/authenticate/"
    said = code_of_app(people[factor]) if factor == "totp_secret" else people[factor]
    official.post("/accounts/2fa/authenticate/", {"code": said})
    assert official.get("/csa/desk/").status_code == 200


def test_who_was_signed_in_stays_so_over_a_migration_and_signs_in_anew_after_a_restore(
    office: ReleasedOffice,
) -> None:
    regional = browser()
    regional.cookies["sessionid"] = office.told["session"]
    with time_machine.travel(datetime.fromisoformat(office.told["at"]) + timedelta(hours=1), tick=False):
        answer = regional.get("/csa/desk/")
    assert answer.status_code == (200 if office.way == MIGRATE else 302)


@pytest.mark.parametrize("who", ["official", "regional", ""])
def test_every_page_that_leads_on_from_the_first_opens(who: str, at_work: ReleasedOffice) -> None:
    """The first two hundred addresses that links of the offices' pages name, for each who may look."""
    visitor = browser()
    if who:
        visitor.force_login(User.objects.get(email=at_work.people[who]))
    waiting, seen = deque(["/", "/csa/desk/"] if who else ["/"]), set[str]()
    while waiting and len(seen) < PAGES:
        address = waiting.popleft()
        answer: Any = visitor.get(address, follow=True)
        assert answer.status_code == 200, address
        if not answer.streaming and answer["Content-Type"].startswith("text/html"):
            links = {
                link.partition("#")[0] for link in re.findall(r'href="(/[^"]+)"', answer.content.decode())
            }
            fresh = sorted(link for link in links - seen if not link.startswith(("/static/", "/accounts/")))
            waiting.extend(fresh)
            seen |= set(fresh)
    assert len(seen) > PAGES / 2
