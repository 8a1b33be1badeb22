"""An office that was put back from a backup waits: it can be read, it records nothing, no file is lost."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from players import jobs
from players.models import Decision, Federation, Ledger, User
from players.record import Refused
from tournaments.models import Section, Stage, Upload
from tournaments.tests.event_files import open_file
from tournaments.uploads import receive_file

ClientOf = Callable[[User], Client]
pytestmark = pytest.mark.django_db


@pytest.fixture
def upload(section: Section, amahle: User, monkeypatch: pytest.MonkeyPatch) -> Upload:
    """A file that nobody has read yet, in an office that was put back from a backup."""
    monkeypatch.setattr("players.jobs._send", lambda task, key: None)
    received = receive_file(
        section=section, by=amahle, at=timezone.now(), on=date(2026, 3, 9), name="a.trf", data=open_file()
    )
    Ledger.objects.update(held=True)
    return received[0]


def test_a_file_waits_until_the_office_goes_on(upload: Upload) -> None:
    jobs.sweep("files")
    jobs.take_turn("uploads", upload.pk)
    jobs.sweep("files")
    upload.refresh_from_db()
    assert (upload.state, upload.attempts) == ("waiting", 0)
    Ledger.objects.update(held=False)
    jobs.sweep("files")
    upload.refresh_from_db()
    assert upload.state == "read"


PAGES = ("/csa/", "/csa/desk/", "/csa/people/", "/csa/settings/", "/csa/record/", "/csa/register/")


@pytest.mark.parametrize("page", PAGES)
def test_pages_are_read(page: str, upload: Upload, nomsa: User, thandi: User, client_of: ClientOf) -> None:
    answers = [client_of(person).get(page).status_code for person in (nomsa, thandi)]
    assert 200 in answers
    assert set(answers) <= {200, 403}


def posts(upload: Upload, office: Federation) -> dict[str, tuple[str, dict[str, Any]]]:
    """Something for everybody to do, by who does it."""
    section = upload.section.get_absolute_url()
    appointment = office.appointments.get(role="regional").pk
    file = SimpleUploadedFile("b.trf", open_file() + b"\n")
    return {
        "amahle file": (f"{section}file/", {"file": file}),
        "nomsa return": (f"{section}return/", {"version": "0", "reason": "a reason"}),
        "nomsa publish": ("/csa/lists/publish/", {"on": "2026-03-10", "typed": "2026-03-10"}),
        "thandi settings": ("/csa/settings/", {"four_eyes": "on", "births": "none"}),
        "thandi region": ("/csa/settings/regions/add/", {"code": "NEW", "name": "New"}),
        "thandi rename": ("/csa/settings/regions/GAU/", {"name": "Another"}),
        "thandi end": (f"/csa/people/{appointment}/end/", {}),
        "thandi appoint": (
            "/csa/people/appoint/",
            {
                "email": "a@example.org",
                "name": "A",
                "role": "official",
                "starts": "2026-03-09",
            },
        ),
    }


DEEDS = (
    *("amahle file", "nomsa return", "nomsa publish"),
    *("thandi settings", "thandi region", "thandi rename", "thandi end", "thandi appoint"),
)


@pytest.mark.parametrize("deed", DEEDS)
def test_nothing_is_recorded_and_nothing_breaks(
    deed: str,
    upload: Upload,
    csa: Federation,
    amahle: User,
    nomsa: User,
    thandi: User,
    client_of: ClientOf,
) -> None:
    Section.objects.update(stage=Stage.REGISTERED if deed == "amahle file" else Stage.SUBMITTED)
    Upload.objects.update(state="read")
    who = {"amahle": amahle, "nomsa": nomsa, "thandi": thandi}[deed.split()[0]]
    address, fields = posts(upload, csa)[deed]
    before = Decision.objects.count()
    answer = client_of(who).post(address, fields, follow=True)
    assert answer.status_code < 500 or answer.status_code == 503
    assert "put back from a backup" in answer.content.decode()
    assert Decision.objects.count() == before
    assert not User.objects.filter(email="a@example.org").exists()
    assert csa.regions.get(code="GAU").name == "Gauteng"


@pytest.mark.parametrize("page", ["{section}review/file/", "/csa/register/players.csv"])
def test_a_page_that_would_be_recorded_says_why_it_is_closed(
    page: str, upload: Upload, nomsa: User, client_of: ClientOf
) -> None:
    Section.objects.update(stage=Stage.SUBMITTED)
    Upload.objects.update(state="read")
    answer = client_of(nomsa).post(page.format(section=upload.section.get_absolute_url()))
    assert answer.status_code == 503
    assert "put back from a backup" in answer.content.decode()
    assert answer.headers["Retry-After"] == "600"


def test_in_an_office_that_does_not_wait_a_refusal_that_no_page_tells_is_raised(
    upload: Upload, nomsa: User, client_of: ClientOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuses(*_: Any, **__: Any) -> None:
        raise Refused("a fault of ours")

    Ledger.objects.update(held=False)
    Section.objects.update(stage=Stage.SUBMITTED)
    Upload.objects.update(state="read")
    monkeypatch.setattr("tournaments.pages.files.record", refuses)
    with pytest.raises(Refused, match="a fault of ours"):
        client_of(nomsa).post(f"{upload.section.get_absolute_url()}review/file/")
