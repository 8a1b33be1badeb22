"""Room for files: a region and an office keep so many bytes and no more, however they come."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import date

import pytest
from django.apps import apps
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connections
from django.db.models import BinaryField
from django.test import Client
from django.utils import timezone

from players import files, jobs
from players.access import get_rights
from players.files import NoRoom, office_room_use, region_room_use
from players.models import Decision, Federation, KeepsBytes, Region, RegisterImport, User
from players.record import Refused
from ratings.register_import import discard_register, receive_register
from tests.built_once import built_once
from tournaments import uploads
from tournaments.formats import read_any
from tournaments.formats.archive import unpack
from tournaments.models import Archive, ArchivedFile, Section, Upload
from tournaments.registration import SectionParticulars, register_event
from tournaments.tests.conftest import OTB, TODAY, address, fresh
from tournaments.tests.event_files import open_file
from tournaments.tests.test_formats_archive import zipped
from tournaments.uploads import (
    FileDestination,
    discard_unreviewed_files,
    distribute_files,
    receive_archive,
    receive_file,
)

pytestmark = pytest.mark.servers

ClientOf = Callable[[User], Client]
LIMIT = 100_000


@pytest.fixture(autouse=True)
def small_units(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a “megabyte” be 20,000 bytes: a region's least limit, 5, is `LIMIT`."""
    monkeypatch.setattr(files, "MEGABYTE", LIMIT // 5)


@pytest.fixture(autouse=True)
def unboxed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "unpack_boxed", lambda data, **_more: unpack(data))
    monkeypatch.setattr(uploads, "read_boxed", lambda data, name, **_more: read_any(data, name))


@pytest.fixture
@built_once
def limited(csa: Federation) -> Federation:
    csa.settings = {"region_megabytes": 5, "office_megabytes": 50}
    csa.save()
    return csa


def filed(section: Section, data: bytes) -> Upload:
    section = fresh(section)
    return receive_file(section=section, by=None, at=timezone.now(), on=TODAY, name="a.txt", data=data)[0]


def zip_sent(section: Section, data: bytes) -> Archive:
    return receive_archive(
        event=fresh(section).event, by=None, at=timezone.now(), on=TODAY, name="a.zip", data=data
    )[0]


def another(office: Federation, region: Region, by: User) -> Section:
    event = register_event(
        rights=get_rights(by, office, TODAY),
        by=by,
        on=date(2026, 1, 5),
        name="Another Open",
        another=True,
        region=region,
        starts=date(2026, 3, 6),
        ends=date(2026, 3, 8),
        sections=[SectionParticulars(name="A", format="swiss", particulars=OTB)],
    )
    return event.sections.get()


def used(region: Region) -> int:
    return region_room_use(Region.objects.select_related("federation").get(pk=region.pk)).used


def test_the_last_byte_of_the_limit_is_taken_and_one_more_is_not(
    limited: Federation, section: Section, gauteng: Region, amahle: User
) -> None:
    filed(section, b"x" * (LIMIT - 10))
    other = another(limited, gauteng, amahle)
    with pytest.raises(NoRoom):
        filed(other, b"y" * 11)
    assert used(gauteng) == LIMIT - 10
    assert not Decision.objects.filter(kind="file", about=f"section {other.key}").exists()
    filed(other, b"y" * 10)
    assert used(gauteng) == LIMIT


def test_a_full_region_hinders_no_other(
    limited: Federation, section: Section, western_cape: Region, pieter: User
) -> None:
    filed(section, b"x" * LIMIT)
    filed(another(limited, western_cape, pieter), b"y" * LIMIT)


def test_the_office_has_a_limit_above_those_of_its_regions(
    limited: Federation, section: Section, western_cape: Region, pieter: User
) -> None:
    limited.settings = {"region_megabytes": 50, "office_megabytes": 50}
    limited.save()
    filed(section, b"x" * (10 * LIMIT - 5))
    with pytest.raises(NoRoom, match="this office may keep"):
        filed(another(limited, western_cape, pieter), b"y" * 6)
    filed(another(limited, western_cape, pieter), b"y" * 5)


def test_the_page_says_how_much_is_kept_what_the_limit_is_and_what_to_do(
    limited: Federation, section: Section, gauteng: Region, amahle: User, client_of: ClientOf
) -> None:
    filed(another(limited, gauteng, amahle), b"x" * LIMIT)
    answer = client_of(amahle).post(
        address(section, "file"), {"file": SimpleUploadedFile("a.txt", b"y" * 99)}
    )
    assert answer.status_code == 409
    words = answer.content.decode().replace("\xa0", " ")
    for told in ("99 bytes", "97.7 KB", "Gauteng", "Nothing was stored", "ask the office for more room"):
        assert told in words


def test_removing_a_draft_s_file_makes_room(
    limited: Federation, section: Section, gauteng: Region, amahle: User
) -> None:
    upload = filed(section, b"x" * LIMIT)
    Upload.objects.filter(pk=upload.pk).update(state=Upload.State.UNREADABLE)
    discard_unreviewed_files(section=section, by=amahle, on=TODAY, version=fresh(section).version)
    assert used(gauteng) == 0
    filed(section, b"y" * LIMIT)


def test_the_same_bytes_again_need_no_more_room(
    limited: Federation, section: Section, gauteng: Region
) -> None:
    upload = filed(section, b"x" * LIMIT)
    Upload.objects.filter(pk=upload.pk).update(state=Upload.State.UNREADABLE)
    assert filed(section, b"x" * LIMIT).pk == upload.pk
    assert used(gauteng) == LIMIT


# ---------------------------------------------------------------- archives


def test_an_archive_counts_packed_and_unpacked(
    limited: Federation, section: Section, gauteng: Region
) -> None:
    file = open_file()
    data = zipped(("a.trf", file))
    archive = zip_sent(section, data)
    jobs.take_turn("archives", archive.pk)
    assert used(gauteng) == len(data) + len(file)


def test_giving_an_archive_s_file_to_a_section_takes_no_further_room(
    limited: Federation, section: Section, gauteng: Region, amahle: User
) -> None:
    data = zipped(("a.trf", open_file()))
    archive = zip_sent(section, data)
    jobs.take_turn("archives", archive.pk)
    before = used(gauteng)
    filed(another(limited, gauteng, amahle), b"x" * (LIMIT - before))
    [given] = distribute_files(
        archive=archive, by=None, at=timezone.now(), on=TODAY, destinations=[FileDestination(1, section="A")]
    )
    assert (given[2], used(gauteng)) == ("", LIMIT)


@pytest.mark.parametrize(("room", "files"), [(0, 2), (-1, 0)])
def test_an_archive_unpacks_into_the_room_that_is_left_or_not_at_all(
    limited: Federation, section: Section, gauteng: Region, amahle: User, room: int, files: int
) -> None:
    a, b = open_file(), b"x" * 40_000
    data = zipped(("a.trf", a), ("b.txt", b))
    archive = zip_sent(section, data)
    need = len(data) + len(a) + len(b)
    filed(another(limited, gauteng, amahle), b"y" * (LIMIT - need - room))
    jobs.take_turn("archives", archive.pk)
    archive.refresh_from_db()
    assert ArchivedFile.objects.count() == files
    assert archive.state == (Archive.State.READ if files else Archive.State.UNREADABLE)
    if not files:
        assert "no-room" in archive.reason


def test_a_refused_archive_says_why_on_its_page(
    limited: Federation, section: Section, gauteng: Region, amahle: User, client_of: ClientOf
) -> None:
    archive = zip_sent(section, zipped(("b.txt", b"x" * LIMIT)))
    jobs.take_turn("archives", archive.pk)
    page = client_of(amahle).get(archive.get_absolute_url()).content.decode()
    assert "There is no room for the files in this archive" in page


# ---------------------------------------------------------------- the register


def register_sent(office: Federation, data: bytes) -> RegisterImport:
    return receive_register(
        federation=office, by=None, at=timezone.now(), on=TODAY, name="register.csv", data=data
    )


def test_a_table_of_the_register_counts_for_the_office_and_for_no_region(
    limited: Federation, section: Section, gauteng: Region
) -> None:
    table = register_sent(limited, b"surname\nInvented\n")
    jobs.run("tables", table.pk)
    table.refresh_from_db()
    assert table.reading is not None
    assert used(gauteng) == 0
    assert office_room_use(limited).used == len(b"surname\nInvented\n") + len(table.reading)


def test_a_table_beyond_the_office_s_room_is_refused_and_one_that_is_replaced_makes_room(
    limited: Federation, section: Section
) -> None:
    first = register_sent(limited, b"x" * (10 * LIMIT))
    with pytest.raises(Refused, match="no room"):
        filed(section, b"y")
    RegisterImport.objects.update(state=RegisterImport.State.REFUSED)
    with pytest.raises(Refused, match="no room"):
        register_sent(limited, b"z")
    discard_register(register_import=first, by=None, on=TODAY)
    register_sent(limited, b"z" * (10 * LIMIT))
    RegisterImport.objects.filter(state="waiting").update(state=RegisterImport.State.PLANNED)
    register_sent(limited, b"w" * (10 * LIMIT))


def test_what_was_read_of_a_table_needs_room_too(limited: Federation, section: Section) -> None:
    table = register_sent(limited, b"surname\nInvented\n")
    filed(section, b"x" * (LIMIT))
    limited.settings = {"region_megabytes": 50, "office_megabytes": 50}
    limited.save()
    section_b = another(limited, section.event.region, User.objects.get(name="Amahle"))
    filed(section_b, b"y" * (10 * LIMIT - LIMIT - len(b"surname\nInvented\n")))
    jobs.run("tables", table.pk)
    table.refresh_from_db()
    assert (table.state, table.reason["key"]) == (RegisterImport.State.REFUSED, "no-room")


# ---------------------------------------------------------------- two at once


@pytest.mark.django_db(transaction=True)
def test_of_eight_uploads_at_once_only_those_that_have_room_are_kept(
    limited: Federation, gauteng: Region, amahle: User
) -> None:
    sections = [another(limited, gauteng, amahle) for _n in range(8)]
    together, refused = threading.Barrier(8), list[str]()

    def send(number: int) -> None:
        try:
            together.wait()
            filed(sections[number], bytes([65 + number]) * (LIMIT * 2 // 5))
        except NoRoom as no:
            refused.append(str(no))
        finally:
            connections.close_all()

    threads = [threading.Thread(target=send, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert (Upload.objects.count(), len(refused)) == (2, 6)
    assert used(gauteng) == LIMIT * 4 // 5


# ---------------------------------------------------------------- shown and set


def test_the_settings_page_shows_what_is_used_and_sets_the_limits(
    limited: Federation, section: Section, thandi: User, client_of: ClientOf
) -> None:
    filed(section, b"x" * 50_000)
    browser = client_of(thandi)
    page = browser.get("/csa/settings/").content.decode().replace("\xa0", " ")
    assert "48.8 KB of 97.7 KB" in page  # of Gauteng
    assert "48.8 KB of 976.6 KB" in page  # of the office
    assert "48.8 KB of 97.7 KB" in browser.get("/csa/settings/regions/GAU/").content.decode().replace(
        "\xa0", " "
    )
    sent = {"births": "year", "region_megabytes": "6", "office_megabytes": ""}
    assert browser.post("/csa/settings/", sent).status_code == 302
    limited.refresh_from_db()
    assert (limited.settings["region_megabytes"], limited.settings["office_megabytes"]) == (6, 2000)
    assert Decision.objects.get(kind="set").details["changed"] == {
        "region_megabytes": [5, 6],
        "office_megabytes": [50, 2000],
    }


@pytest.mark.parametrize("typed", ["4", "100001", "-1", "many"])
def test_a_limit_that_makes_no_sense_is_refused(
    limited: Federation, thandi: User, client_of: ClientOf, typed: str
) -> None:
    sent = {"births": "year", "region_megabytes": typed}
    assert client_of(thandi).post("/csa/settings/", sent).status_code == 400


def test_the_desk_tells_a_region_how_much_it_keeps(
    limited: Federation, section: Section, amahle: User, client_of: ClientOf
) -> None:
    filed(section, b"x" * 50_000)
    page = client_of(amahle).get("/csa/desk/").content.decode().replace("\xa0", " ")
    assert "Files kept for Gauteng: 48.8 KB of 97.7 KB." in page


def test_every_column_of_bytes_that_strangers_fill_is_counted() -> None:
    for model in apps.get_models():
        if model._meta.app_label in ("players", "tournaments"):  # what ratings keep is made here
            columns = {each.name for each in model._meta.fields if isinstance(each, BinaryField)}
            assert columns == set(model.byte_columns if issubclass(model, KeepsBytes) else ()), model
