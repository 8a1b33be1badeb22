"""Filed bytes go when their days are over, and not a day before; the record tells it from a removal."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from io import StringIO
from typing import Any

import pytest
import time_machine
from django.core.management import CommandError, call_command
from django.db import connection, models
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from federation_site import tasks
from federation_site.models import SignOfLife
from federation_site.tasks import release_free_pages
from players import jobs
from players.files import deletion_message
from players.models import Decision, Federation, Ledger, RegisterImport, User
from players.record import decide
from ratings.register_import import confirm_register, receive_register
from ratings.rulesets import rulesets
from ratings.rulesets.profile import equipment_of
from ratings.verify import verify
from tournaments import retention, uploads
from tournaments.announcements import cancel_event, cancel_section, reinstate_event
from tournaments.formats import read_any
from tournaments.formats.archive import unpack
from tournaments.models import Archive, ArchivedFile, Event, FiledSheet, Section, Stage, Upload
from tournaments.registration import withdraw_event, withdraw_section
from tournaments.retention import find_last_day_of_bytes, iter_due_files, last_day_kept, let_go
from tournaments.tests.conftest import TODAY, fresh
from tournaments.tests.event_files import open_file
from tournaments.tests.test_formats_archive import zipped
from tournaments.uploads import (
    FileDestination,
    discard_unreviewed_files,
    distribute_files,
    receive_archive,
    receive_file,
)

pytestmark = [pytest.mark.django_db, pytest.mark.servers]
ClientOf = Callable[[User], Client]
DAY = timedelta(days=1)
DRAFTS_GO_AFTER = TODAY + timedelta(days=90)
RATED_GO_AFTER = date(2027, 12, 31)  # rated in March 2026: 21 days of §11, and the season 2027


@pytest.fixture(autouse=True)
def unboxed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "unpack_boxed", lambda data, **_more: unpack(data))
    monkeypatch.setattr(uploads, "read_boxed", lambda data, name, **_more: read_any(data, name))


def filed(section: Section, data: bytes = b"", on: date = TODAY) -> Upload:
    data = data or open_file()
    section = fresh(section)
    upload = receive_file(section=section, by=None, at=timezone.now(), on=on, name="a.trf", data=data)[0]
    jobs.take_turn("uploads", upload.pk)
    upload.refresh_from_db()
    return upload


def staged(section: Section, stage: Stage, *kinds: str, on: date = TODAY) -> Section:
    """The section at a stage, with decisions of these kinds about it on a day."""
    Section.objects.filter(pk=section.pk).update(stage=stage)
    for kind in kinds:
        decide(section.event.federation, kind=kind, by=None, on=on, about=f"section {section.key}")
    return fresh(section)


def has_bytes(row: Any) -> bool:
    row.refresh_from_db()
    return row.content is not None


def differences(office: Federation) -> list[str]:
    return [words for words in verify(office).differences if words.startswith("file ")]


# ---------------------------------------------------------------- until when


@pytest.mark.parametrize(
    ("decided", "days", "month", "last"),
    [
        (date(2026, 3, 10), 21, 1, date(2027, 12, 31)),
        (date(2026, 12, 10), 21, 1, date(2027, 12, 31)),  # appeals end on the season's last day
        (date(2026, 12, 11), 21, 1, date(2028, 12, 31)),  # and on the next season's first
        (date(2026, 11, 9), 21, 12, date(2027, 11, 30)),
        (date(2026, 11, 10), 21, 12, date(2028, 11, 30)),
        (date(2026, 12, 1), 0, 12, date(2028, 11, 30)),
    ],
)
def test_what_was_decided_is_kept_for_the_time_of_appeals_and_the_whole_season_after_it(
    decided: date, days: int, month: int, last: date
) -> None:
    assert last_day_kept(decided, appeal_days=days, first_month_of_season=month) == last


def test_the_regulations_name_the_days_of_appeal_and_the_month_of_a_season() -> None:
    told = {slug: equipment_of(ruleset).office for slug, ruleset in rulesets().items()}
    assert {slug: days for slug, office in told.items() if (days := office.powers.appeal_days)} == {"csa": 21}
    assert {slug: office.season_begins for slug, office in told.items() if office.season_begins != 1} == {
        "pfo": 12
    }


@pytest.mark.parametrize(
    ("stage", "kinds", "last"),
    [
        (Stage.FILED, (), DRAFTS_GO_AFTER),
        (Stage.RETURNED, ("submit", "return"), DRAFTS_GO_AFTER),
        (Stage.RATED, ("submit", "approve"), RATED_GO_AFTER),
        (Stage.REFUSED, ("submit", "refuse"), RATED_GO_AFTER),
        (Stage.UNRATED, ("submit", "approve", "unrate"), RATED_GO_AFTER),
        (Stage.RETURNED, ("submit", "approve", "unrate", "return"), RATED_GO_AFTER),
    ],
)
def test_bytes_stay_on_the_last_day_and_go_on_the_next(
    csa: Federation, section: Section, stage: Stage, kinds: tuple[str, ...], last: date
) -> None:
    upload = filed(section)
    staged(section, stage, *kinds)
    assert let_go(csa, last) == []
    assert has_bytes(upload)
    [gone] = let_go(csa, last + DAY)
    assert (gone.row, gone.until) == (upload, last)
    assert not has_bytes(upload)


def test_a_file_under_review_stays_however_long_it_takes(csa: Federation, section: Section) -> None:
    upload = filed(section)
    staged(section, Stage.SUBMITTED, "submit")
    assert let_go(csa, date(2099, 1, 1)) == []
    assert has_bytes(upload)


def test_a_file_that_waits_to_be_read_stays(csa: Federation, section: Section) -> None:
    upload = filed(section)
    Upload.objects.update(state=Upload.State.WAITING)
    assert let_go(csa, date(2099, 1, 1)) == []
    assert has_bytes(upload)


def test_the_days_begin_anew_with_each_decision_but_not_when_somebody_looks_at_the_file(
    csa: Federation, section: Section
) -> None:
    filed(section)
    staged(section, Stage.FILED, "complete", on=TODAY + 30 * DAY)
    staged(section, Stage.FILED, "open-file", on=TODAY + 60 * DAY)
    assert not list(iter_due_files(csa, DRAFTS_GO_AFTER + 30 * DAY))
    assert len(list(iter_due_files(csa, DRAFTS_GO_AFTER + 31 * DAY))) == 1


def test_a_reminder_of_a_deadline_is_no_decision_about_the_file(csa: Federation, section: Section) -> None:
    filed(section)
    staged(section, Stage.FILED, "remind", on=TODAY + 30 * DAY)
    assert len(list(iter_due_files(csa, DRAFTS_GO_AFTER + DAY))) == 1


LATER = TODAY + 60 * DAY


@pytest.mark.parametrize("close", [cancel_section, withdraw_section])
def test_a_section_that_was_called_off_keeps_its_file_90_days_from_then_with_words_of_its_own(
    close: Callable[..., Section], csa: Federation, section: Section
) -> None:
    upload = filed(section)
    close(section=section, by=None, on=LATER, version=fresh(section).version, reason="Too few players.")
    assert let_go(csa, LATER + 90 * DAY) == []
    let_go(csa, LATER + 91 * DAY)
    assert not has_bytes(upload)
    assert upload.let_go_because == "called-off"
    assert "because its section was cancelled or withdrawn a long time before" in deletion_message(upload)
    assert differences(csa) == []


@pytest.mark.parametrize("close", [cancel_event, withdraw_event])
def test_a_section_that_was_called_off_with_its_event_keeps_its_file_90_days_from_then(
    close: Callable[..., Event], csa: Federation, section: Section
) -> None:
    upload = filed(section)
    event = Event.objects.get()
    close(event=event, by=None, on=LATER, version=event.version, reason="The hall burnt down.")
    assert find_last_day_of_bytes(fresh_upload(upload)) == LATER + 90 * DAY
    assert let_go(csa, LATER + 90 * DAY) == []
    let_go(csa, LATER + 91 * DAY)
    assert not has_bytes(upload)
    assert upload.let_go_because == "called-off"


def test_an_event_that_is_taken_up_again_has_its_90_days_anew(csa: Federation, section: Section) -> None:
    upload = filed(section)
    event = Event.objects.get()
    cancelled = cancel_event(event=event, by=None, on=LATER, version=event.version, reason="No hall.")
    again = LATER + 80 * DAY
    reinstate_event(event=cancelled, by=None, on=again, version=cancelled.version)
    assert let_go(csa, again + 90 * DAY) == []
    let_go(csa, again + 91 * DAY)
    assert not has_bytes(upload)
    assert upload.let_go_because == "draft"


def test_a_section_that_was_rated_once_and_is_withdrawn_keeps_its_file_as_rated_ones_do(
    csa: Federation, section: Section
) -> None:
    filed(section)
    staged(section, Stage.WITHDRAWN, "approve", "unrate", "withdraw-section")
    assert let_go(csa, RATED_GO_AFTER) == []
    [gone] = let_go(csa, RATED_GO_AFTER + DAY)
    assert gone.reason == "decided"


def test_what_is_decided_about_an_event_keeps_no_file_of_a_rated_section_longer(
    csa: Federation, section: Section
) -> None:
    filed(section)
    staged(section, Stage.RATED, "approve")
    about = f"event {section.event.number}"
    decide(csa, kind="register", by=None, on=date(2027, 6, 1), about=about)
    assert len(list(iter_due_files(csa, RATED_GO_AFTER + DAY))) == 1


def fresh_upload(upload: Upload) -> Upload:
    return Upload.objects.select_related("section__event__federation").get(pk=upload.pk)


def test_the_office_s_own_days_hold_before_those_of_the_regulations(
    csa: Federation, section: Section
) -> None:
    csa.settings = {"appeal_days": 300, "draft_days": 7}
    csa.save()
    filed(section)
    assert len(list(iter_due_files(csa, TODAY + 8 * DAY))) == 1
    staged(section, Stage.RATED, "approve")
    assert not list(iter_due_files(csa, date(2028, 12, 31)))
    assert len(list(iter_due_files(csa, date(2029, 1, 1)))) == 1


def test_an_unreadable_file_goes_like_a_draft_and_keeps_its_reason(csa: Federation, section: Section) -> None:
    upload = filed(section, b"no event file")
    assert let_go(csa, DRAFTS_GO_AFTER) == []
    let_go(csa, DRAFTS_GO_AFTER + DAY)
    assert not has_bytes(upload)
    assert (upload.state, upload.let_go_because) == (Upload.State.UNREADABLE, "unreadable")
    assert upload.reason


def test_a_file_that_a_decision_rests_on_stays_though_it_could_not_be_read_once_more(
    csa: Federation, section: Section
) -> None:
    upload = filed(section)
    staged(section, Stage.UNRATED, "submit", "approve", "unrate")
    Upload.objects.update(state=Upload.State.UNREADABLE)  # its reader was killed when it was sent again
    assert let_go(csa, RATED_GO_AFTER) == []
    assert has_bytes(upload)
    let_go(csa, RATED_GO_AFTER + DAY)
    assert not has_bytes(upload)


def test_name_size_checksum_day_and_reason_stay_and_the_section_as_it_was_read(
    csa: Federation, section: Section
) -> None:
    upload = filed(section)
    staged(section, Stage.RATED, "approve")
    before = (upload.name, upload.size, upload.sha256, section.entries.count(), section.games.count())
    let_go(csa, RATED_GO_AFTER + DAY)
    upload.refresh_from_db()
    assert (
        upload.name,
        upload.size,
        upload.sha256,
        section.entries.count(),
        section.games.count(),
    ) == before
    assert (upload.let_go_on, upload.let_go_because) == (RATED_GO_AFTER + DAY, "decided")


def test_what_a_file_said_in_short_goes_with_its_bytes_and_not_before(
    csa: Federation, section: Section
) -> None:
    upload = filed(section)
    assert upload.sheet.content["players"]
    let_go(csa, TODAY)
    assert FiledSheet.objects.filter(upload=upload).exists()
    let_go(csa, TODAY + timedelta(days=400))
    assert Upload.objects.get(pk=upload.pk).content is None
    assert not FiledSheet.objects.exists()


def test_an_archive_goes_with_what_was_unpacked_and_the_section_s_own_copy_stays(
    csa: Federation, section: Section
) -> None:
    data = zipped(("a.trf", open_file()), ("b.trf", open_file(name="Another", rounds=7)))
    archive = receive_archive(
        event=section.event, by=None, at=timezone.now(), on=TODAY, name="a.zip", data=data
    )[0]
    jobs.take_turn("archives", archive.pk)
    distribute_files(
        archive=archive, by=None, at=timezone.now(), on=TODAY, destinations=[FileDestination(1, section="A")]
    )
    upload = section.uploads.get()
    jobs.take_turn("uploads", upload.pk)
    staged(section, Stage.SUBMITTED, "submit")
    assert let_go(csa, DRAFTS_GO_AFTER) == []
    assert len(let_go(csa, DRAFTS_GO_AFTER + DAY)) == 2
    assert (has_bytes(archive), has_bytes(archive.files.get(number=2)), has_bytes(upload)) == (
        False,
        False,
        True,
    )
    [refused] = distribute_files(
        archive=archive, by=None, at=timezone.now(), on=TODAY, destinations=[FileDestination(2, section="A")]
    )
    assert "was deleted on 9 June 2026" in refused[2]
    assert differences(csa) == []


@pytest.mark.parametrize("state", ["planned", "written"])
def test_a_table_of_the_register_goes_with_its_rows(csa: Federation, state: str) -> None:
    table = receive_register(
        federation=csa,
        by=None,
        at=timezone.now(),
        on=TODAY,
        name="register.csv",
        data=b"surname,first name,birth\nInvented,Anna,2010-05-03\n",
    )
    jobs.run("tables", table.pk)
    table.refresh_from_db()
    if state == "written":
        confirm_register(
            register_import=table, by=None, on=TODAY, seen_digest=table.digest, leave_out_problems=False
        )
        jobs.run("tables", table.pk)
    table.refresh_from_db()
    assert (table.state, table.lines.count()) == (state, 1)
    assert let_go(csa, DRAFTS_GO_AFTER) == []
    let_go(csa, DRAFTS_GO_AFTER + DAY)
    assert not has_bytes(table)
    assert (table.reading, table.lines.count()) == (None, 0)
    assert table.state == ("discarded" if state == "planned" else "written")
    assert differences(csa) == []


# ---------------------------------------------------------------- on record


def test_the_record_says_how_many_went_and_which(csa: Federation, section: Section) -> None:
    upload = filed(section)
    let_go(csa, DRAFTS_GO_AFTER + DAY)
    decision = Decision.objects.get(kind="let-go")
    assert (decision.on, decision.by, decision.details) == (
        DRAFTS_GO_AFTER + DAY,
        None,
        {"number": 1, "sha256": {"draft": [upload.sha256]}},
    )
    assert let_go(csa, DRAFTS_GO_AFTER + 2 * DAY) == []
    assert Decision.objects.filter(kind="let-go").count() == 1


def test_a_decision_names_a_hundred_files_and_further_ones_have_their_own(
    csa: Federation, section: Section, thandi: User, client_of: ClientOf
) -> None:
    Upload.objects.bulk_create(
        Upload(
            federation=csa,
            section=section,
            at=timezone.now(),
            on=TODAY,
            name=f"{n}.trf",
            size=1,
            sha256=f"{n:064x}",
            content=b"x",
            state=Upload.State.READ,
        )
        for n in range(101)
    )
    hashes = [f"{n:064x}" for n in range(101)]
    decide(csa, kind="file", by=None, on=TODAY, about=f"section {section.key}", sha256=hashes)
    let_go(csa, DRAFTS_GO_AFTER + DAY)
    told = Decision.objects.filter(kind="let-go").order_by("number")
    assert [decision.details["number"] for decision in told] == [100, 1]
    assert differences(csa) == []
    page = client_of(thandi).get("/csa/record/").content.decode()
    assert "deleted the bytes of" in page
    assert "… (100)" in page


def test_verify_knows_what_was_let_go_from_what_was_removed(csa: Federation, section: Section) -> None:
    upload = filed(section)
    let_go(csa, DRAFTS_GO_AFTER + DAY)
    assert differences(csa) == []
    Upload.objects.update(let_go_on=None)
    half = "file a.trf: of the day on which it was let go and the reason, one is missing"
    assert differences(csa) == ["file a.trf: its bytes are gone, and nobody let it go", half]
    Upload.objects.update(let_go_on=TODAY)
    assert differences(csa) == ["file a.trf: it is marked as let go on 2026-03-10, but not on record"]
    Upload.objects.update(let_go_on=DRAFTS_GO_AFTER + DAY, content=open_file())
    assert differences(csa) == ["file a.trf: it is marked as let go, and its bytes are here"]
    assert upload.sha256


def test_a_day_on_record_covers_no_bytes_that_were_filed_after_it(csa: Federation, section: Section) -> None:
    upload, day = filed(section), DRAFTS_GO_AFTER + DAY
    let_go(csa, day)
    filed(section, on=day)
    Upload.objects.update(content=None, let_go_on=day, let_go_because="draft")
    assert differences(csa) == [f"file a.trf: it was let go on {day}, filed again, and its bytes are gone"]
    assert upload.sha256


def test_a_file_of_the_same_bytes_that_went_for_another_reason_covers_none(
    csa: Federation, section: Section
) -> None:
    archive = receive_archive(
        event=section.event,
        by=None,
        at=timezone.now(),
        on=TODAY,
        name="a.zip",
        data=zipped(("a.trf", open_file())),
    )[0]
    jobs.take_turn("archives", archive.pk)
    filed(section)
    staged(section, Stage.SUBMITTED, "submit")
    let_go(csa, DRAFTS_GO_AFTER + DAY)  # the archive and its file
    assert differences(csa) == []
    Upload.objects.update(content=None, let_go_on=DRAFTS_GO_AFTER + DAY, let_go_because="draft")
    assert differences(csa) == ["file a.trf: it is marked as let go on 2026-06-09, but not on record"]


def test_files_whose_rows_were_deleted_are_named_and_those_taken_back_are_not(
    csa: Federation, section: Section
) -> None:
    upload = filed(section)
    Upload.objects.all().delete()
    number = Decision.objects.get(kind="file").number
    words = f"decision {number} filed {upload.sha256[:12]}…, which is not here, and nobody took it back"
    assert differences(csa) == []
    assert [each for each in verify(csa).differences if "took it back" in each] == [words]
    filed(section)
    assert not [each for each in verify(csa).differences if "took it back" in each]
    discard_unreviewed_files(section=section, by=None, on=TODAY, version=fresh(section).version)
    assert not [each for each in verify(csa).differences if "took it back" in each]


def test_a_table_that_was_written_cannot_pass_for_a_discarded_one(csa: Federation) -> None:
    table = receive_register(
        federation=csa, by=None, at=timezone.now(), on=TODAY, name="register.csv", data=b"surname\nX\n"
    )
    jobs.run("tables", table.pk)
    table.refresh_from_db()
    confirm_register(
        register_import=table, by=None, on=TODAY, seen_digest=table.digest, leave_out_problems=False
    )
    jobs.run("tables", table.pk)
    Ledger.objects.update(done=models.F("wanted"))
    assert not [each for each in verify(csa).differences if each.startswith("table")]
    RegisterImport.objects.update(state="discarded", content=None)
    [words] = [each for each in verify(csa).differences if each.startswith("table")]
    assert words == f"table {table.sha256[:12]}…: it was written, says the record, and is not here as it was"


@pytest.mark.parametrize("model", [Archive, ArchivedFile, RegisterImport])
def test_removed_bytes_of_archives_and_tables_are_named_too(
    csa: Federation, section: Section, model: Any
) -> None:
    archive = receive_archive(
        event=section.event,
        by=None,
        at=timezone.now(),
        on=TODAY,
        name="a.zip",
        data=zipped(("a.trf", open_file())),
    )[0]
    jobs.take_turn("archives", archive.pk)
    receive_register(
        federation=csa, by=None, at=timezone.now(), on=TODAY, name="register.csv", data=b"surname\nX\n"
    )
    assert differences(csa) == []
    model._default_manager.update(content=None)
    assert len(differences(csa)) == 1


def test_an_office_put_back_from_a_backup_lets_nothing_go(csa: Federation, section: Section) -> None:
    upload = filed(section)
    Ledger.objects.update(held=True)
    with time_machine.travel(DRAFTS_GO_AFTER + 2 * DAY):
        tasks.let_go_files()
    assert has_bytes(upload)


# ---------------------------------------------------------------- the same bytes again


def test_the_same_file_uploaded_again_is_kept_again(csa: Federation, section: Section) -> None:
    upload = filed(section)
    let_go(csa, DRAFTS_GO_AFTER + DAY)
    again = filed(section, on=DRAFTS_GO_AFTER + DAY)
    assert (again.pk, again.state, again.let_go_on, has_bytes(again)) == (upload.pk, "read", None, True)
    assert differences(csa) == []


def test_the_same_archive_uploaded_again_is_kept_again(csa: Federation, section: Section) -> None:
    data = zipped(("a.trf", open_file()))
    sent: dict[str, Any] = {
        "event": section.event,
        "by": None,
        "at": timezone.now(),
        "name": "a.zip",
        "data": data,
    }
    archive = receive_archive(on=TODAY, **sent)[0]
    jobs.take_turn("archives", archive.pk)
    let_go(csa, DRAFTS_GO_AFTER + DAY)
    _archive, known = receive_archive(on=DRAFTS_GO_AFTER + DAY, **sent)
    jobs.take_turn("archives", archive.pk)
    assert (known, has_bytes(archive), archive.let_go_on) == (True, True, None)
    assert archive.files.get().content is not None
    assert differences(csa) == []


def test_a_file_that_was_let_go_and_is_taken_off_its_section_stays_let_go_in_the_archive(
    csa: Federation, section: Section
) -> None:
    data = zipped(("a.trf", open_file()))
    archive = receive_archive(
        event=section.event, by=None, at=timezone.now(), on=TODAY, name="a.zip", data=data
    )[0]
    jobs.take_turn("archives", archive.pk)
    distribute_files(
        archive=archive, by=None, at=timezone.now(), on=TODAY, destinations=[FileDestination(1, section="A")]
    )
    jobs.take_turn("uploads", section.uploads.get().pk)
    let_go(csa, date(2026, 12, 1))
    discard_unreviewed_files(section=section, by=None, on=date(2026, 12, 1), version=fresh(section).version)
    file = archive.files.get()
    assert (file.content, file.upload, file.let_go_on) == (None, None, date(2026, 12, 1))
    assert differences(csa) == []


# ---------------------------------------------------------------- said to people


def test_who_asks_for_a_file_that_is_gone_reads_when_and_why(
    csa: Federation, section: Section, nomsa: User, client_of: ClientOf
) -> None:
    filed(section)
    staged(section, Stage.RATED, "approve")
    browser, review = client_of(nomsa), f"{section.get_absolute_url()}review/"
    assert "kept until 31 December 2027" in browser.get(review).content.decode()
    let_go(csa, RATED_GO_AFTER + DAY)
    words = (
        "deleted on 1 January 2028, because the time for appeals and the season after it were over. Its name"
    )
    assert words in browser.get(review).content.decode()
    answer = browser.post(f"{review}file/")
    assert answer.status_code == 410
    assert words in answer.content.decode()
    assert not Decision.objects.filter(kind="open-file").exists()


def test_pages_of_archives_and_tables_say_it_too(
    csa: Federation, section: Section, amahle: User, nomsa: User, client_of: ClientOf
) -> None:
    data = zipped(("a.trf", open_file()))
    archive = receive_archive(
        event=section.event, by=None, at=timezone.now(), on=TODAY, name="a.zip", data=data
    )[0]
    jobs.take_turn("archives", archive.pk)
    table = receive_register(
        federation=csa, by=None, at=timezone.now(), on=TODAY, name="register.csv", data=b"surname\nX\n"
    )
    jobs.run("tables", table.pk)
    let_go(csa, DRAFTS_GO_AFTER + DAY)
    assert "was deleted on 9 June 2026" in client_of(amahle).get(archive.get_absolute_url()).content.decode()
    page = client_of(nomsa).get(reverse("ratings:register_import", args=["csa", table.pk]))
    assert "was deleted on 9 June 2026" in page.content.decode()


# ---------------------------------------------------------------- the night and the command


def test_the_night_s_task_lets_go_by_the_office_s_own_calendar(csa: Federation, section: Section) -> None:
    upload = filed(section)
    with time_machine.travel("2026-06-08T21:59:00Z"):  # in Johannesburg still the last day
        tasks.let_go_files()
    assert has_bytes(upload)
    with time_machine.travel("2026-06-08T22:01:00Z"):
        tasks.let_go_files()
    assert not has_bytes(upload)
    assert SignOfLife.objects.get(name="let-go").details == {"csa": 1}


def test_the_dry_run_shows_what_would_go_and_the_command_lets_it_go(
    csa: Federation, section: Section
) -> None:
    upload = filed(section)

    def said(*arguments: str) -> str:
        out = StringIO()
        call_command("let_go", "csa", *arguments, stdout=out)
        return out.getvalue()

    with time_machine.travel(DRAFTS_GO_AFTER + 2 * DAY):
        shown = said("--dry-run")
        assert f"{upload.sha256[:12]} a.trf ({upload.size} bytes): kept until 2026-06-08" in shown
        assert "csa: 1 file would be let go" in shown
        assert has_bytes(upload)
        assert "csa: 1 file let go" in said()
        assert not has_bytes(upload)
        assert "csa: 0 files let go" in said()
    with pytest.raises(CommandError, match="no office nowhere"):
        call_command("let_go", "nowhere")


@pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL gives pages back by itself")
def test_the_database_s_file_gives_its_free_pages_back(csa: Federation, section: Section) -> None:
    def pragma(name: str) -> int:
        with connection.cursor() as cursor:
            return int(cursor.execute(f"PRAGMA {name}").fetchone()[0])

    upload = filed(section)
    Upload.objects.filter(pk=upload.pk).update(content=b"x" * 6_000_000)
    pages = pragma("page_count")
    Upload.objects.update(content=None)
    assert pragma("freelist_count") > 1000
    release_free_pages()
    assert pragma("freelist_count") == 0
    assert pragma("page_count") < pages - 1000


def test_a_night_that_is_cut_short_leaves_each_file_whole_or_on_record(
    csa: Federation, section: Section, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in (1, 2):
        filed(section, open_file(name=f"Version {number}", rounds=4 + number))
    monkeypatch.setattr(retention, "AT_ONCE", 1)
    record, calls = retention._record, list[int]()

    def fails_at_the_second(*given: Any) -> None:
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt
        record(*given)

    monkeypatch.setattr(retention, "_record", fails_at_the_second)
    with pytest.raises(KeyboardInterrupt):
        let_go(csa, DRAFTS_GO_AFTER + DAY)
    assert sorted(upload.content is None for upload in Upload.objects.all()) == [False, True]
    assert differences(csa) == []
    assert len(let_go(csa, DRAFTS_GO_AFTER + DAY)) == 1
