"""Hostile files through the real page: a clear refusal in seconds, nothing half-written; and this process,
which answers people, opens none of them.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from io import BytesIO
from typing import Any, NoReturn
from zipfile import ZIP_STORED, ZipFile

import pytest
from django.test import Client

from players.models import User
from tournaments.models import Archive, Section, Stage
from tournaments.tests.conftest import Send, address, fresh
from tournaments.tests.event_files import FOUR, HEAD, open_file
from tournaments.tests.test_formats_xlsx import (
    SECONDS,
    billion_laughs,
    far_cell,
    lone_surrogate,
    wide_row,
    with_part,
    zip_bomb,
    zipped,
)
from tournaments.tests.test_mutated_uploads import rows

pytestmark = [pytest.mark.boxed, pytest.mark.nightly]


def ten_thousand_parts() -> bytes:
    file = BytesIO()
    with ZipFile(file, "w", ZIP_STORED) as archive:
        archive.writestr("xl/workbook.xml", "<workbook/>")
        for number in range(10_000):
            archive.writestr(f"{number}", "")
    return file.getvalue()


def ten_thousand_files() -> bytes:
    return zipped({f"{number}.trf": b"" for number in range(10_000)}, ZIP_STORED)


def quadratic_xml() -> bytes:
    """One long entity, named many times."""
    entity, named = "a" * 50_000, "&a;" * 50_000
    text = f'<?xml version="1.0"?><!DOCTYPE sst [<!ENTITY a "{entity}">]><sst><si><t>{named}</t></si></sst>'
    return with_part("xl/sharedStrings.xml", text.encode())


def quadratic_attributes() -> bytes:
    """A parser that compares each attribute with all before it would be at it for a long time."""
    attributes = " ".join(f'a{number}="1"' for number in range(60_000))
    return with_part("xl/worksheets/sheet1.xml", f"<worksheet {attributes}/>".encode())


def deep_xml() -> bytes:
    return with_part("xl/worksheets/sheet1.xml", b"<a>" * 100_000)


def encrypted() -> bytes:
    """A workbook with a password is no ZIP but an older container."""
    return b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"EncryptedPackage".ljust(4096, b"\0")


def opendocument() -> bytes:
    parts = {"mimetype": b"application/vnd.oasis.opendocument.spreadsheet", "content.xml": b"<office/>"}
    return zipped(parts, ZIP_STORED)


def page() -> bytes:
    return b"<!DOCTYPE html><html><table><tr><td>=1+1</td></tr></table></html>"


def long_line() -> bytes:
    return (HEAD + FOUR).encode() + b"012 " + b"x" * 1024 * 1024 + b"\n"


def nul() -> bytes:
    return (HEAD + FOUR).replace("Naidoo", "Nai\0oo").encode()


def half_a_letter() -> bytes:
    return (HEAD + FOUR).replace("Naidoo", "Nai\ud800oo").encode("utf-8", "surrogatepass")


def ten_thousand_columns() -> bytes:
    return b"surname,place" + b",c" * 9_998 + b"\nNowak,1\n"


# What is made → the name that it goes by, and words of the refusal.
REFUSED: dict[Callable[[], bytes], tuple[str, str]] = {
    far_cell: ("event.xlsx", "1048576"),
    wide_row: ("event.xlsx", "GS1"),
    zip_bomb: ("event.xlsx", "unpacks to more than 16 MB"),
    billion_laughs: ("event.xlsx", "definitions (a DOCTYPE)"),
    quadratic_xml: ("event.xlsx", "definitions (a DOCTYPE)"),
    deep_xml: ("event.xlsx", "it seems damaged"),
    quadratic_attributes: ("event.xlsx", "The file names no players"),
    lone_surrogate: ("event.xlsx", "it seems damaged"),
    ten_thousand_parts: ("event.xlsx", "unpacks to more than 16 MB"),
    encrypted: ("event.xlsx", "a workbook that a password locks"),
    opendocument: ("event.xlsx", "a document of an office program"),
    page: ("event.xls", "This is a web page"),
    ten_thousand_columns: ("event.csv", "more than 200 columns"),
    nul: ("event.trf", "This is not a text file"),
}
# These are texts with one bad place: the rest is read, so that whatever else is wrong is told with it.
BLOCKED: dict[Callable[[], bytes], str] = {
    long_line: "longer than 2000 characters",
    half_a_letter: "invisible character here (U+D800)",
}


@pytest.fixture
def opened_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever would open a stranger's file in this process falls over."""

    def opened(*args: Any, **more: Any) -> NoReturn:
        raise AssertionError("a stranger's file was opened by the process that answers people")

    for name in (
        "tournaments.formats.read_any",
        "tournaments.formats.text.to_text",
        "tournaments.formats.tables.read_bytes",
        "tournaments.formats.text.parts_of",
        "tournaments.formats.trf.read_text",
        "zipfile.ZipFile.__init__",
        "openpyxl.load_workbook",
        "xml.parsers.expat.ParserCreate",
    ):
        monkeypatch.setattr(name, opened)


@pytest.mark.nightly
@pytest.mark.parametrize("make", REFUSED, ids=lambda make: make.__name__)
def test_a_hostile_file_is_refused_in_words_within_seconds_and_changes_nothing(
    make: Callable[[], bytes],
    amahle: User,
    client_of: Callable[[User], Client],
    section: Section,
    upload: Send,
    request: pytest.FixtureRequest,
) -> None:
    client, data = client_of(amahle), make()
    name, words = REFUSED[make]
    upload(client, section, open_file())
    before = rows()
    request.getfixturevalue("opened_here")
    began = time.monotonic()
    assert upload(client, section, data, name).status_code in (302, 409)
    assert time.monotonic() - began < SECONDS
    text = client.get(address(section, "file")).content.decode()
    assert words in text
    assert "The previous file has not changed." in text
    assert rows() == before
    assert client.get(address(section, "findings")).status_code == 200


@pytest.mark.parametrize("make", BLOCKED, ids=lambda make: make.__name__)
def test_a_text_with_a_hostile_line_is_shown_with_it_and_goes_no_further(
    make: Callable[[], bytes],
    amahle: User,
    client_of: Callable[[User], Client],
    section: Section,
    upload: Send,
    send: Send,
    opened_here: None,
) -> None:
    client, began = client_of(amahle), time.monotonic()
    assert upload(client, section, make(), "event.trf").status_code == 302
    assert time.monotonic() - began < SECONDS
    assert BLOCKED[make] in client.get(address(section, "findings")).content.decode()
    assert send(client, address(section, "submit"), {"version": fresh(section).version}).status_code in (
        400,
        409,
    )
    assert fresh(section).stage == Stage.FILED


def test_ten_thousand_files_in_an_archive_are_counted_and_none_is_kept(
    amahle: User,
    client_of: Callable[[User], Client],
    section: Section,
    upload: Send,
    request: pytest.FixtureRequest,
) -> None:
    data, before = ten_thousand_files(), rows()
    request.getfixturevalue("opened_here")
    client = client_of(amahle)
    upload(client, section, data, "event.zip")
    archive = Archive.objects.get()
    assert (
        "There are 10000 files in this ZIP archive" in client.get(archive.get_absolute_url()).content.decode()
    )
    assert not archive.files.exists()
    assert rows() == before
