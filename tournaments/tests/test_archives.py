"""A ZIP of several sections: proposed, said by a person, and then the ordinary upload of each section."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import OperationalError
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from players import jobs
from players.models import Decision, Federation, User
from tests.built_once import built_once
from tournaments import uploads
from tournaments.box import BoxDied, read_boxed, unpack_boxed
from tournaments.filing import ReadingSuperseded
from tournaments.formats import read_any
from tournaments.formats.archive import unpack
from tournaments.matching import parse_format
from tournaments.models import Archive, Event, Section, Stage, Upload
from tournaments.registration import SectionParticulars, add_sections
from tournaments.retention import let_go
from tournaments.tests.conftest import OTB, TODAY, Send, address, fresh
from tournaments.tests.event_files import open_file
from tournaments.tests.test_formats_archive import zipped
from tournaments.uploads import (
    FileDestination,
    discard_unreviewed_files,
    distribute_files,
    keep_files,
    receive_archive,
)

pytestmark = pytest.mark.servers

ClientOf = Callable[[User], Client]
A, B = open_file(name="Soweto Open A"), open_file(name="Soweto Open B", rounds=6)
BOTH = zipped(("Soweto/a.trf", A), ("Soweto/b.trf", B), ("Soweto/poster.pdf", b"%PDF-1.7"))


@pytest.fixture
@built_once
def event(section: Section, amahle: User) -> Event:
    """Soweto Open with sections A and B."""
    new = [SectionParticulars(name="B", format="swiss", particulars=OTB)]
    add_sections(event=section.event, by=amahle, on=date(2026, 1, 5), sections=new)
    return section.event


@pytest.fixture
def amahles(amahle: User, client_of: ClientOf) -> Client:
    return client_of(amahle)


Drop = Callable[..., HttpResponse]


@pytest.fixture
def unboxed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are read in the test's own process, where what becomes of them is what matters."""
    monkeypatch.setattr(uploads, "unpack_boxed", lambda data, **_more: unpack(data))
    monkeypatch.setattr(uploads, "read_boxed", lambda data, name, **_more: read_any(data, name))


@pytest.fixture
def drop(amahles: Client, event: Event, send: Send, unboxed: None) -> Drop:
    """`drop(data)`: Amahle drops a ZIP on the event's page, and it is read."""

    def post(data: bytes = BOTH, name: str = "soweto.zip") -> HttpResponse:
        return send(
            amahles, f"{event.get_absolute_url()}sections/zip/", {"file": SimpleUploadedFile(name, data)}
        )

    return post


def the_archive() -> Archive:
    return Archive.objects.select_related("event__federation").get()


def page(client: Client) -> str:
    return client.get(the_archive().get_absolute_url()).content.decode()


def proposed(client: Client) -> list[str]:
    rows = client.get(the_archive().get_absolute_url()).context["rows"]
    return [row.form["whose"].initial for row in rows]


def say(*whose: str, **more: Any) -> dict[str, Any]:
    return {f"file-{number}-whose": said for number, said in enumerate(whose, 1)} | more


# ---------------------------------------------------------------- the way


def test_files_are_proposed_by_name_and_nothing_is_filed_before_somebody_says_so(
    drop: Drop, amahles: Client
) -> None:
    response = drop()
    assert response["Location"] == the_archive().get_absolute_url()
    assert proposed(amahles) == ["in-A", "in-B"]
    text = page(amahles)
    assert "Soweto Open B" in text
    assert "6 players" in text
    assert "5 rounds" in text
    assert "This is a PDF" in text
    assert not Upload.objects.exists()


def test_what_was_found_and_adjusted_in_each_file_is_shown_before_it_is_filed(
    drop: Drop, amahles: Client, event: Event
) -> None:
    lines = b"999 something\r\n" * 2
    drop(zipped(("a.trf", A), ("b.trf", B + lines)))
    archive = Archive.objects.get()
    amended, clean = archive.files.get(name="b.trf"), archive.files.get(name="a.trf")
    page = amahles.get(archive.get_absolute_url()).content.decode()
    _before, of_clean, of_amended = page.split('<article class="who share"')
    amended_lines = [f"{len(B.splitlines()) + n}" for n in (1, 2)]
    assert "999 something" in of_amended
    assert "–".join(amended_lines) in of_amended
    assert "999 something" not in of_clean
    assert amended.said != clean.said
    assert not Upload.objects.exists()


def test_a_file_that_must_be_corrected_says_so_with_its_line_before_it_is_filed(
    drop: Drop, amahles: Client, event: Event
) -> None:
    wrong = A.replace(b"001    1", b"001    2", 1)
    drop(zipped(("a.trf", wrong), ("b.trf", B)))
    archive = Archive.objects.get()
    assert archive.files.get(name="a.trf").blocked
    page = amahles.get(archive.get_absolute_url()).content.decode()
    assert 'class="findings-group level-blocks"' in page


def test_what_was_found_in_a_file_of_an_archive_goes_with_its_bytes(
    drop: Drop, event: Event, csa: Federation
) -> None:
    drop(zipped(("a.trf", A), ("b.trf", B + b"999 something\r\n")))
    assert Archive.objects.get().files.exclude(said="").count() == 2
    let_go(csa, TODAY + timedelta(days=400))
    assert not Archive.objects.get().files.exclude(said="").exists()


def test_what_was_found_in_a_file_that_went_to_a_section_goes_with_the_section_s_copy(
    drop: Drop, amahles: Client, event: Event, send: Send, csa: Federation
) -> None:
    drop()
    send(amahles, the_archive().get_absolute_url(), say("in-A", "in-B"))
    assert the_archive().files.exclude(said="").count() == 2
    let_go(csa, TODAY + timedelta(days=400))
    assert not Upload.objects.exclude(content=None).exists()
    assert not the_archive().files.exclude(said="").exists()


def test_once_said_each_is_the_ordinary_upload_of_its_section(
    drop: Drop, amahles: Client, event: Event, send: Send
) -> None:
    drop()
    send(amahles, the_archive().get_absolute_url(), say("in-A", "in-B"))
    a, b = event.sections.order_by("code")
    assert (a.stage, a.rounds, b.stage, b.rounds) == (Stage.FILED, 5, Stage.FILED, 6)
    assert bytes(a.uploads.get().content or b"") == A
    assert "2 files went to their sections." in page(amahles)
    assert "Go on" in page(amahles)
    [shared] = Decision.objects.filter(kind="share")
    assert shared.details["files"] == {"A": "Soweto/a.trf", "B": "Soweto/b.trf"}
    assert Decision.objects.filter(kind="file", about=f"section {b.key}").exists()


def test_the_archive_and_the_files_name_stand_in_the_sections_adjustments(
    drop: Drop, amahles: Client, event: Event, send: Send
) -> None:
    drop()
    send(amahles, the_archive().get_absolute_url(), say("in-A", "out"))
    [origin] = event.sections.get(code="A").adjustments.filter(key="unpacked")
    assert (origin.before, origin.after) == (f"soweto.zip, SHA-256 {the_archive().sha256}", "Soweto/a.trf")
    assert bytes(the_archive().content or b"") == BOTH


def test_a_file_left_out_stays_and_can_be_given_later(
    drop: Drop, amahles: Client, event: Event, send: Send
) -> None:
    drop()
    address = the_archive().get_absolute_url()
    send(amahles, address, say("in-A", "out"))
    assert proposed(amahles) == ["out"]
    asked = amahles.get(f"{address}progress/")
    assert (asked.status_code, "HX-Refresh" in asked) == (286, False)  # the form of the others stays as it is
    send(amahles, address, {"file-2-whose": "in-B"})
    assert event.sections.get(code="B").stage == Stage.FILED
    assert [one.details["left_out"] for one in Decision.objects.filter(kind="share").order_by("pk")] == [
        ["Soweto/b.trf"],
        [],
    ]


def test_where_everything_is_left_out_no_section_changes(
    drop: Drop, amahles: Client, event: Event, send: Send
) -> None:
    drop()
    send(amahles, the_archive().get_absolute_url(), say("out", "out"))
    assert "All files are left out" in page(amahles)
    assert set(event.sections.values_list("stage", flat=True)) == {Stage.REGISTERED}


def test_a_new_section_is_prefilled_from_its_file(
    drop: Drop, amahles: Client, event: Event, send: Send
) -> None:
    data = zipped(("a.trf", A), ("c.trf", open_file(name="Soweto Open – Under 16", rounds=7)))
    drop(data)
    rows = amahles.get(the_archive().get_absolute_url()).context["rows"]
    assert (rows[1].new["name"].value(), rows[1].new["rounds"].value()) == ("Under 16", 7)
    form = say("in-A", "new", **{"new-2-name": "Under 16", "new-2-format": "swiss", "new-2-rounds": "7"})
    form |= {
        "new-2-own-platform": "otb",
        "new-2-own-time_controls_0": "90",
        "new-2-own-time_controls_1": "30",
    }
    send(amahles, the_archive().get_absolute_url(), form)
    new = event.sections.get(name="Under 16")
    assert (new.code, new.stage, new.entries.count()) == ("C", Stage.FILED, 6)


def test_a_new_section_that_lacks_something_is_asked_and_nothing_is_filed(
    drop: Drop, amahles: Client, event: Event, send: Send
) -> None:
    drop()
    response = send(amahles, the_archive().get_absolute_url(), say("in-A", "new", **{"new-2-name": ""}))
    assert response.status_code == 400
    assert event.sections.count() == 2
    assert not Upload.objects.exists()


def test_two_files_are_not_of_one_section(drop: Drop, amahles: Client, send: Send) -> None:
    drop()
    response = send(amahles, the_archive().get_absolute_url(), say("in-A", "in-A"))
    assert response.status_code == 400
    assert "A section has one file." in response.content.decode()
    assert not Upload.objects.exists()


def test_whose_a_file_is_must_be_said(drop: Drop, amahles: Client, send: Send) -> None:
    drop(zipped(("x.trf", open_file(name="Soweto Open")), ("y.trf", open_file(name="Soweto Open", rounds=7))))
    assert proposed(amahles) == ["", ""]
    assert "No section clearly matches." in page(amahles)
    response = send(amahles, the_archive().get_absolute_url(), say("", "out"))
    assert response.status_code == 400
    assert "Choose the section of this file, or leave it out." in response.content.decode()


# ---------------------------------------------------------------- what is refused, and what goes on


@pytest.mark.parametrize("stage", [Stage.SUBMITTED, Stage.RATED, Stage.REFUSED])
def test_a_closed_section_refuses_with_the_reason_and_the_others_go_on(
    drop: Drop, amahles: Client, event: Event, send: Send, stage: Stage
) -> None:
    event.sections.filter(code="A").update(stage=stage)
    drop()
    assert proposed(amahles) == ["", "in-B"]
    assert f"It seems to be the file of section A, which is {stage.label}." in page(amahles)
    send(amahles, the_archive().get_absolute_url(), say("in-A", "in-B"))
    text = page(amahles)
    assert f"Soweto/a.trf: This section is {stage.label}, so this cannot be done now." in text
    assert "One file went to its section." in text
    a, b = event.sections.order_by("code")
    assert (a.stage, a.uploads.count(), b.stage) == (stage, 0, Stage.FILED)


def test_a_section_of_another_event_is_none_of_the_choices(drop: Drop, amahles: Client, send: Send) -> None:
    drop()
    assert send(amahles, the_archive().get_absolute_url(), say("in-Z", "out")).status_code == 400


def test_a_section_that_went_meanwhile_is_refused_alone(drop: Drop, amahle: User, event: Event) -> None:
    drop()
    shares = [
        FileDestination(1, section="Z"),
        FileDestination(2, section="B"),
        FileDestination(3, section="A"),
        FileDestination(9, section="A"),
    ]
    outcomes = distribute_files(
        archive=the_archive(), by=amahle, at=timezone.now(), on=TODAY, destinations=shares
    )
    assert [section.code if section else "" for _name, section, _refused in outcomes] == ["", "B", "", ""]
    assert "not an event file" in outcomes[2][2]


def test_the_page_of_an_archive_names_the_kinds_of_files_and_has_the_table(
    drop: Drop, amahles: Client
) -> None:
    drop()
    shown = page(amahles)
    assert "You can upload: TRF" in shown
    assert 'href="/csa/events/table.xlsx"' in shown


def test_the_same_archive_again_leads_to_what_was_done(
    drop: Drop, amahles: Client, send: Send, worker: list[str]
) -> None:
    drop()
    send(amahles, the_archive().get_absolute_url(), say("in-A", "in-B"))
    decisions, woken = Decision.objects.count(), len(worker)
    assert drop(name="again.zip")["Location"] == the_archive().get_absolute_url()
    assert "This archive was uploaded before" in page(amahles)
    assert (Decision.objects.count(), len(worker), Archive.objects.count()) == (decisions, woken, 1)


def test_the_same_archive_for_another_event_is_told_where_it_lies(
    drop: Drop, amahles: Client, event: Event, send: Send
) -> None:
    drop()
    Event.objects.filter(pk=event.pk).update(number="2026-900")
    other = Event.objects.get()
    other.pk, other.number = None, "2026-901"
    other.save()
    data = {"file": SimpleUploadedFile("soweto.zip", BOTH)}
    response = send(amahles, f"{other.get_absolute_url()}sections/zip/", data)
    assert response.status_code == 409
    assert "for Soweto Open (2026-900)" in response.content.decode()


def test_a_file_that_its_section_has_already_is_shown_as_filed(
    drop: Drop, amahles: Client, event: Event, upload: Send
) -> None:
    upload(amahles, event.sections.get(code="A"), A)
    drop()
    assert proposed(amahles) == ["in-B"]
    assert [
        each["section"].code for each in amahles.get(the_archive().get_absolute_url()).context["given"]
    ] == ["A"]


def test_a_file_taken_back_from_its_section_can_be_given_to_another(
    drop: Drop, amahles: Client, event: Event, amahle: User, send: Send
) -> None:
    drop()
    send(amahles, the_archive().get_absolute_url(), say("in-B", "out"))
    b = fresh(event.sections.get(code="B"))
    discard_unreviewed_files(section=b, by=amahle, on=TODAY, version=b.version)
    assert proposed(amahles) == ["in-A", "out"]
    send(amahles, the_archive().get_absolute_url(), say("in-A", "out"))
    assert bytes(event.sections.get(code="A").uploads.get().content or b"") == A


def test_an_archive_is_taken_back_only_while_no_section_has_a_file_of_it(
    drop: Drop, amahles: Client, send: Send
) -> None:
    drop()
    address = the_archive().get_absolute_url()
    send(amahles, address, say("in-A", "out"))
    send(amahles, f"{address}discard/")
    assert "Sections use files of this archive, so you cannot discard it." in page(amahles)
    Upload.objects.all().delete()
    send(amahles, f"{address}discard/")
    assert not Archive.objects.exists()


# ---------------------------------------------------------------- on a section's page


def test_a_zip_of_several_on_a_sections_page_leads_to_the_events_archive(
    amahles: Client, event: Event, upload: Send
) -> None:
    section = event.sections.get(code="A")
    upload(amahles, section, BOTH, "soweto.zip")
    archive = the_archive()
    assert (archive.section, archive.name, Upload.objects.count()) == (section, "soweto.zip", 0)
    assert archive.get_absolute_url() in amahles.get(address(section, "file")).content.decode()
    asked = amahles.get(address(section, "file/progress"))
    assert (asked.status_code, asked["HX-Redirect"]) == (286, archive.get_absolute_url())
    assert upload(amahles, section, BOTH)["Location"] == archive.get_absolute_url()


def test_the_one_event_file_of_a_folder_is_proposed_for_the_section_it_was_dropped_on(
    amahles: Client, event: Event, upload: Send
) -> None:
    data = zipped(
        ("rest.trf", open_file(name="Soweto Open")),
        ("poster.pdf", b"%PDF-1.7"),
        ("photo.jpg", b"\xff\xd8\xff"),
    )
    upload(amahles, event.sections.get(code="B"), data, "folder.zip")
    assert proposed(amahles) == ["in-B"]


def test_what_another_event_has_as_an_archive_is_refused_on_a_sections_page(
    drop: Drop, amahles: Client, event: Event, upload: Send
) -> None:
    drop()
    section = event.sections.get(code="A")
    elsewhere = Event.objects.get()
    elsewhere.pk, elsewhere.number = None, "2026-901"
    elsewhere.save()
    Archive.objects.update(event=elsewhere)
    response = upload(amahles, section, BOTH)
    assert response.status_code == 409
    assert "(2026-901)" in response.content.decode()


# ---------------------------------------------------------------- hostile and wrong archives


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"no zip at all", "This is not a ZIP archive."),
        (zipped(("a.trf", A), ("b.trf", B))[:-40], "This ZIP archive is damaged"),
        (zipped(*[(f"{n}.trf", b"") for n in range(10_000)]), "There are 10000 files in this ZIP archive"),
        (zipped(*[(f"{n}.trf", b"\0" * 2_000_000) for n in range(27)]), "unpacks to more than 50 MB"),
    ],
    ids=["no zip", "cut", "10,000 files", "bomb"],
)
def test_a_wrong_archive_is_named_and_nothing_is_kept_of_it(
    drop: Drop, amahles: Client, data: bytes, words: str
) -> None:
    drop(data)
    text = page(amahles)
    assert "could not be unpacked" in text
    assert words in text
    assert not the_archive().files.exists()


@pytest.mark.parametrize(("size", "kept"), [(5 * 1024 * 1024, True), (5 * 1024 * 1024 + 1, False)])
def test_an_archive_has_five_megabytes_at_most(drop: Drop, size: int, kept: bool) -> None:
    response = drop(b"x" * size)
    assert Archive.objects.exists() == kept
    assert ("larger than 5 MB" in response.content.decode()) != kept


def test_a_large_zip_on_a_sections_page_is_sent_to_the_event(
    amahles: Client, event: Event, upload: Send
) -> None:
    response = upload(amahles, event.sections.get(code="A"), b"x" * (2 * 1024 * 1024 + 1), "soweto.ZIP")
    assert "upload it on the event&#x27;s page" in response.content.decode()


def test_one_bad_file_spoils_none_of_the_others(
    drop: Drop, amahles: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dies_of_a(data: bytes, name: str, **more: Any) -> Any:
        if data == A:
            raise BoxDied("box-memory")
        return read_any(data, name)

    monkeypatch.setattr(uploads, "read_boxed", dies_of_a)
    drop()
    assert proposed(amahles) == ["in-B"]
    assert "This file needs too much memory" in page(amahles)


# ---------------------------------------------------------------- the row is the job


@pytest.fixture
def waiting(event: Event, amahle: User, monkeypatch: pytest.MonkeyPatch) -> Archive:
    """An archive that waits; nobody was woken."""
    monkeypatch.setattr("players.jobs._send", lambda task, key: None)
    received = receive_archive(
        event=event, by=amahle, at=timezone.now(), on=TODAY, name="soweto.zip", data=BOTH
    )
    return received[0]


def test_the_sweep_unpacks_what_no_message_announced(waiting: Archive, amahles: Client) -> None:
    assert "Your archive is being read" in page(amahles)
    assert amahles.get(f"{waiting.get_absolute_url()}progress/").status_code == 200
    jobs.sweep("files")
    assert (the_archive().state, the_archive().files.count()) == ("read", 3)
    assert amahles.get(f"{waiting.get_absolute_url()}progress/").status_code == 286


def test_a_worker_killed_amid_the_files_goes_on_with_those_not_looked_at(
    waiting: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked = []

    def killed(data: bytes, name: str, **more: Any) -> Any:
        looked.append(name)
        if len(looked) == 2:
            raise KeyboardInterrupt
        return read_boxed(data, name, **more)

    monkeypatch.setattr(uploads, "read_boxed", killed)
    with pytest.raises(KeyboardInterrupt):
        jobs.take_turn("archives", waiting.pk)
    assert the_archive().state == "reading"
    jobs.sweep("files")
    assert looked == ["Soweto/a.trf", "Soweto/b.trf"]  # still in somebody's hand
    Archive.objects.update(heartbeat=timezone.now() - timedelta(seconds=61))
    jobs.sweep("files")
    assert looked == ["Soweto/a.trf", "Soweto/b.trf", "Soweto/b.trf", "Soweto/poster.pdf"]
    assert the_archive().state == "read"


def test_an_archive_that_killed_its_reader_twice_is_unreadable(
    waiting: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dies(*args: Any, **more: Any) -> Any:
        raise BoxDied("box-time")

    monkeypatch.setattr(uploads, "unpack_boxed", dies)
    jobs.sweep("files")
    assert (the_archive().state, the_archive().attempts) == ("unreadable", 2)


def test_an_archive_whose_worker_was_killed_twice_is_unreadable(waiting: Archive) -> None:
    for _n in range(2):
        assert jobs.claim_step("archives", waiting.pk) is not None
        Archive.objects.update(heartbeat=timezone.now() - timedelta(minutes=5))
    jobs.sweep("files")
    assert the_archive().state == "unreadable"


def test_an_archive_in_hand_is_not_taken_by_another_whoever_is_woken(waiting: Archive) -> None:
    jobs.claim_step("archives", waiting.pk)
    jobs.take_turn("archives", waiting.pk)
    jobs.sweep("files")
    assert (the_archive().state, the_archive().attempts) == ("reading", 1)
    assert not the_archive().files.exists()


@pytest.mark.parametrize("busy", ["keep_files", "look_at", "close_archive"])
def test_a_database_that_is_busy_is_no_fault_of_the_archive_however_often(
    waiting: Archive, unboxed: None, monkeypatch: pytest.MonkeyPatch, busy: str
) -> None:
    def locked(*_: object) -> None:
        raise OperationalError("database is locked")

    with monkeypatch.context() as patched:
        patched.setattr(uploads, busy, locked)
        for _n in range(3):
            jobs.sweep("files")
            archive = the_archive()
            assert (archive.state, archive.attempts, archive.reason) == ("waiting", 0, "")
    jobs.sweep("files")
    assert (the_archive().state, the_archive().attempts, the_archive().files.count()) == ("read", 1, 3)


def test_an_archive_taken_back_while_it_is_read_leaves_nothing(waiting: Archive) -> None:
    claimed = jobs.claim_step("archives", waiting.pk)
    Archive.objects.all().delete()
    assert claimed is not None
    with pytest.raises(ReadingSuperseded):
        keep_files(claimed, *unpack_boxed(BOTH))
    assert not Archive.objects.exists()


def test_nothing_is_shared_out_while_the_archive_is_read(
    waiting: Archive, amahles: Client, send: Send
) -> None:
    send(amahles, waiting.get_absolute_url())
    assert "The archive is still being read." in page(amahles)


def test_looking_takes_two_minutes_at_most(waiting: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "MOST_LOOKING", -1.0)
    jobs.sweep("files")
    assert the_archive().state == "unreadable"


@pytest.mark.parametrize(
    ("kind", "format"),
    [
        ("Individual: Swiss-System", "swiss"),
        ("Round-Robin", "round-robin"),
        ("Double Round Robin", "double-round-robin"),
        ("", ""),
    ],
)
def test_the_format_follows_from_the_files_words(kind: str, format: str) -> None:
    assert parse_format(kind) == format
