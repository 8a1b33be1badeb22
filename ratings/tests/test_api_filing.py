"""A program files with a region's key: what follows is as by hand, and nothing else opens the address."""

from __future__ import annotations

import itertools
import json
import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import date, timedelta
from typing import Any

import pytest
from django.conf import settings
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from players import tasks
from players.filing_keys import MOST_KEYS, end_key, find_key, make_key
from players.models import Appointment, Decision, Federation, FilingKey, Player, Region, User
from players.record import Refused
from ratings.pages import api_filing
from tournaments import uploads
from tournaments.models import Section, Stage, Upload
from tournaments.tests.conftest import (
    TODAY,
    fresh,
    register_of_six as register_of_six,
    section as section,
    worker as worker,
)
from tournaments.tests.event_files import open_file
from tournaments.tests.test_formats_archive import zipped

pytestmark = pytest.mark.django_db
ADDRESS = "/api/v1/offices/csa/events/2026-001/sections/A/file"


@pytest.fixture
def key(amahle: User, gauteng: Region, monkeypatch: pytest.MonkeyPatch) -> str:
    """A key of Gauteng, made by its administrator."""
    cache.clear()
    return make_key(region=gauteng, name="the club's laptop", by=amahle, on=TODAY)


@pytest.fixture
def program(
    client: Client,
    key: str,
    worker: list[str],
    register_of_six: list[Player],
    django_capture_on_commit_callbacks: Callable[..., AbstractContextManager[Any]],
) -> Callable[..., Any]:
    """`program(data, key=…)`: POST a file; without data GET its state."""

    def ask(data: Any = None, *, key: str = key, address: str = ADDRESS, **headers: str) -> Any:
        headers["Authorization"] = f"Bearer {key}"
        with django_capture_on_commit_callbacks(execute=True):
            if data is None:
                return client.get(address, headers=headers)
            if isinstance(data, dict):
                return client.post(address, data, headers=headers)
            return client.post(address, data, content_type="application/octet-stream", headers=headers)

    return ask


# ---------------------------------------------------------------- filing


def test_one_request_files_as_by_hand(
    program: Callable[..., Any], section: Section, amahle: User, key: str
) -> None:
    answer = program(open_file(), address=f"{ADDRESS}?name=open.trf")
    assert (answer.status_code, answer.json()["state"]) == (202, "waiting")
    assert answer.headers["Location"] == answer.json()["address"] == f"http://testserver{ADDRESS}"
    assert answer.headers["Cache-Control"] == "no-store"
    upload = section.uploads.get()
    assert (upload.by, upload.name, upload.state) == (amahle, "open.trf", Upload.State.READ)
    assert (fresh(section).stage, fresh(section).entries.count()) == (Stage.FILED, 6)
    filed = Decision.objects.get(kind="file")
    assert (filed.by, filed.about) == (amahle, f"section {section.key}")
    assert filed.details == {"sha256": upload.sha256, "key": "the club's laptop"}
    told = program().json()
    assert (told["state"], told["stage"], told["name"]) == ("read", "filed", "open.trf")
    assert {each["level"] for each in told["findings"]} <= {"asks", "waivable", "notice"}
    assert told["findings"]
    assert told["page"].startswith("http://testserver/csa/events/2026-001/A/")


def test_a_request_that_waits_is_answered_with_what_was_found(
    program: Callable[..., Any], section: Section, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "sleep", lambda _seconds: tasks.work("uploads", section.uploads.get().pk))
    answer = program(open_file(), address=f"{ADDRESS}?wait=20")
    assert (answer.status_code, answer.json()["state"], answer.json()["stage"]) == (200, "read", "filed")
    assert answer.json()["findings"] == program().json()["findings"] != []


def test_a_file_that_takes_longer_than_a_request_waits_is_still_being_read(
    program: Callable[..., Any], section: Section, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = itertools.count()
    monkeypatch.setattr(time, "monotonic", lambda: float(next(clock)))
    monkeypatch.setattr(time, "sleep", lambda _seconds: None)
    answer = program(open_file(), address=f"{ADDRESS}?wait=20")
    assert (answer.status_code, answer.json()["state"]) == (202, "waiting")
    assert answer.headers["Retry-After"]


def test_where_as_many_wait_as_may_a_further_request_is_answered_at_once(
    program: Callable[..., Any], section: Section, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api_filing, "_waiting", threading.BoundedSemaphore(1))
    monkeypatch.setattr(time, "sleep", lambda _seconds: pytest.fail("it waited"))
    with api_filing._waiting:
        assert program(open_file(), address=f"{ADDRESS}?wait=20").status_code == 202


@pytest.mark.parametrize("wait", ["31", "-1", "long"])
def test_a_wait_beyond_the_limit_is_refused_and_files_nothing(
    program: Callable[..., Any], section: Section, wait: str
) -> None:
    assert program(open_file(), address=f"{ADDRESS}?wait={wait}").status_code == 400
    assert not Upload.objects.exists()


def test_a_form_brings_the_file_too(program: Callable[..., Any], section: Section) -> None:
    answer = program({"file": SimpleUploadedFile("club.trf", open_file())})
    assert (answer.status_code, section.uploads.get().name) == (202, "club.trf")
    assert program({"other": "x"}).status_code == 400


@pytest.mark.parametrize(
    ("boundary", "body"), [("", b"x"), ("x" * 300, b"x"), ("x", b"--x\r\n" * 3), ("x", b"no part of a form")]
)
def test_a_broken_form_is_answered_with_problem_details(
    client: Client, key: str, section: Section, boundary: str, body: bytes
) -> None:
    kind = f"multipart/form-data; boundary={boundary}" if boundary else "multipart/form-data"
    answer = client.post(ADDRESS, body, content_type=kind, headers={"Authorization": f"bearer {key}"})
    assert (answer.status_code, answer.headers["Content-Type"]) == (400, "application/problem+json")


def test_the_same_file_again_changes_nothing(program: Callable[..., Any], section: Section) -> None:
    program(open_file())
    version = fresh(section).version
    assert program(open_file()).status_code == 200
    assert fresh(section).version == version


def test_a_file_that_cannot_be_read_says_why(program: Callable[..., Any], section: Section) -> None:
    program(b"%PDF-1.7 a poster")
    told = program().json()
    assert told["state"] == "unreadable"
    assert "PDF" in told["reasons"][0]
    program(zipped(("a.trf", open_file()), ("b.trf", open_file(rounds=6))))
    told = program().json()
    assert (told["state"], "/sections/zip/" in told["page"]) == ("archive", True)


def test_nothing_is_said_of_a_section_without_a_file(program: Callable[..., Any], section: Section) -> None:
    told = program().json()
    assert (told["state"], told["sha256"], told["findings"]) == ("none", "", [])


def test_what_was_adjusted_is_told_with_its_lines(program: Callable[..., Any], section: Section) -> None:
    program(open_file() + b"999 something\r\n")
    assert any(each["lines"] for each in program().json()["adjustments"])


# ---------------------------------------------------------------- who may not


@pytest.mark.parametrize("wrong", ["", "filing_made-up", "Basic", "é"])
def test_without_a_key_in_force_nothing_is_filed(
    program: Callable[..., Any], section: Section, wrong: str
) -> None:
    for answer in (program(open_file(), key=wrong), program(key=wrong)):
        assert (answer.status_code, answer["Content-Type"]) == (401, "application/problem+json")
        assert answer["WWW-Authenticate"] == "Bearer"
    assert not Upload.objects.exists()


def test_a_session_opens_nothing(amahle: User, client_of: Callable[[User], Client], section: Section) -> None:
    cache.clear()
    assert client_of(amahle).get(ADDRESS).status_code == 401
    assert client_of(amahle).post(ADDRESS, open_file(), content_type="text/plain").status_code == 401


def test_a_key_ends_with_its_end_and_with_its_appointment(
    program: Callable[..., Any], section: Section, amahle: User, key: str
) -> None:
    held = Appointment.objects.get(user=amahle)
    held.ends = date(2020, 1, 1)
    held.save()
    assert program(open_file()).status_code == 401
    held.ends = None
    held.save()
    assert program(open_file()).status_code == 202
    User.objects.filter(pk=amahle.pk).update(is_active=False)
    assert program().status_code == 401
    User.objects.filter(pk=amahle.pk).update(is_active=True)
    end_key(key=FilingKey.objects.get(), by=amahle, on=TODAY)
    assert program().status_code == 401
    with pytest.raises(Refused):
        end_key(key=FilingKey.objects.get(), by=amahle, on=TODAY)


def test_a_section_of_another_region_is_not_there(
    program: Callable[..., Any], section: Section, pieter: User, western_cape: Region, nomsa: User
) -> None:
    theirs = make_key(region=western_cape, name="Paarl", by=pieter, on=TODAY)
    of_an_official = make_key(region=western_cape, name="office", by=nomsa, on=TODAY)
    for other in (theirs, of_an_official):
        assert program(open_file(), key=other).status_code == 404
    missing = program(open_file(), address=ADDRESS.replace("/A/", "/B/"))
    assert (missing.status_code, missing["Content-Type"]) == (404, "application/problem+json")


def test_an_office_without_the_key_does_not_know_it(program: Callable[..., Any], section: Section) -> None:
    assert program(address=ADDRESS.replace("/csa/", "/pfo/")).status_code == 404


# ---------------------------------------------------------------- refusals


def test_refusals_are_json_in_the_language_that_is_asked_for(
    program: Callable[..., Any], section: Section
) -> None:
    english, polish = (program(b" ", **{"Accept-Language": code}).json() for code in ("en", "pl"))
    assert english["status"] == polish["status"] == 409
    assert english["detail"].startswith("The file is empty.")
    assert english["detail"] != polish["detail"]


def test_a_file_beyond_the_limit_is_refused(
    program: Callable[..., Any], section: Section, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "MOST_BYTES", len(open_file()))
    assert program(open_file()).status_code == 202
    larger = open_file(rounds=6) + b"\n" * 20
    assert program(larger).status_code == 413
    assert program({"file": SimpleUploadedFile("club.trf", larger)}).status_code == 413


def test_a_method_of_no_use_is_refused(program: Callable[..., Any], client: Client, key: str) -> None:
    answer = client.head(ADDRESS, headers={"Authorization": f"Bearer {key}"})
    assert (answer.status_code, answer["Allow"]) == (405, "GET, POST")


def test_who_guesses_is_stopped_and_the_right_key_is_not(
    program: Callable[..., Any], section: Section, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api_filing, "WRONG_KEYS", "2/h/key")
    assert [program(key="filing_x").status_code for _n in range(3)] == [401, 401, 429]
    assert program().status_code == 200


def test_a_person_sends_only_so_many_files_an_hour_by_key_or_by_hand(
    program: Callable[..., Any], section: Section, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("players.record.MOST_AN_HOUR", 1)
    assert [program(open_file(rounds=n)).status_code for n in (5, 6)] == [202, 429]


# ---------------------------------------------------------------- the keys


def test_a_key_is_shown_once_and_stored_nowhere(
    amahle: User, client_of: Callable[[User], Client], gauteng: Region, csa: Federation, caplog: Any
) -> None:
    client, page = client_of(amahle), "/csa/regions/GAU/keys/"
    made = client.post(page, {"name": "Swiss-Manager in the club"}).content.decode()
    key = made.partition('class="mono sha"')[2].partition(">")[2].partition("<")[0].strip()
    assert find_key(key) == FilingKey.objects.get()
    assert key not in client.get(page).content.decode()
    assert key not in json.dumps([list(FilingKey.objects.values_list()), caplog.text], default=str)
    told = Decision.objects.get(kind="make-key")
    assert (told.about, told.details) == ("region GAU", {"key": "Swiss-Manager in the club"})
    assert key not in str(told.details)
    end = f"{page}{FilingKey.objects.get().pk}/end/"
    assert "Swiss-Manager in the club" in client.get(end).content.decode()
    assert client.post(end).status_code == 302
    assert find_key(key) is None
    assert Decision.objects.filter(kind="end-key").exists()
    assert "Swiss-Manager" not in client.get(page).content.decode()


def test_a_region_has_only_so_many_keys(amahle: User, gauteng: Region) -> None:
    for number in range(MOST_KEYS):
        make_key(region=gauteng, name=str(number), by=amahle, on=TODAY)
    with pytest.raises(Refused):
        make_key(region=gauteng, name="one more", by=amahle, on=TODAY)
    Appointment.objects.filter(user=amahle).update(ends=TODAY)
    Appointment.objects.create(
        user=amahle, federation=gauteng.federation, role="regional", region=gauteng, starts=TODAY
    )
    make_key(region=gauteng, name="the next", by=amahle, on=TODAY + timedelta(days=1))


@pytest.mark.django_db(transaction=True)
def test_the_example_of_the_document_files_and_reads_what_was_found(
    live_server: Any,
    worker: list[str],
    csa: Federation,
    section: Section,
    amahle: User,
    gauteng: Region,
    tmp_path: Any,
) -> None:
    key = make_key(region=gauteng, name="curl", by=amahle, on=TODAY)
    text = (settings.ROOT / "docs/programs.md").read_text(encoding="utf-8")
    command = text.partition("## Filing by program")[2].partition("```sh\n")[2].partition("```")[0]
    (tmp_path / "section-a.trf").write_bytes(open_file())
    command = command.replace("http://127.0.0.1:8000", live_server.url).replace("2026-017", "2026-001")
    run = subprocess.run(
        ["sh", "-c", command], cwd=tmp_path, env={"KEY": key, "PATH": "/usr/bin:/bin"}, capture_output=True
    )
    assert json.loads(run.stdout)["state"] == "read", run.stderr
    assert section.uploads.get().name == "section-a.trf"
