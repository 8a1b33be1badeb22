"""What readers say of a file stays with its section and is shown by cause, whatever door it came through."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from players.filing_keys import make_key
from players.models import Player, Region, User
from tournaments.formats import read_any
from tournaments.formats.file_check import MOST_UNUSED, list_unused_lines
from tournaments.models import Section, Upload
from tournaments.tests.conftest import TODAY, Send, address, fresh
from tournaments.tests.event_files import open_file
from tournaments.tests.test_formats_archive import zipped
from tournaments.uploads import discard_unreviewed_files

pytestmark = pytest.mark.django_db
UNUSED = MOST_UNUSED + 12
TOLD = open_file() + b"".join(b"999 line %d\r\n" % number for number in range(UNUSED))
TABLE = b"""number,surname,first name,sex,birth,club,fancy
1,Dlamini,Thabo,m,1991-04-02,Soweto,x
2,Naidoo,Priya,f,2008-11-30,,y

round,first,second,result
1,1,2,1-0
"""


def of_section(section: Section) -> dict[str, list[Any]]:
    """What the readers said of the section's file, but for the archive that it came in."""
    return {
        "findings": sorted(section.findings.filter(source="file").values_list("key", "line", "level")),
        "adjustments": sorted(
            section.adjustments.exclude(key="unpacked").values_list("key", "line", "before", "after")
        ),
    }


@pytest.mark.parametrize(("data", "name"), [(TOLD, "a.trf"), (TABLE, "a.csv")])
def test_by_hand_in_an_archive_and_by_program_the_same_is_said(
    section: Section,
    register_of_six: list[Player],
    amahle: User,
    gauteng: Region,
    client_of: Callable[[User], Client],
    upload: Send,
    send: Send,
    data: bytes,
    name: str,
) -> None:
    client, told = client_of(amahle), []

    def read_and_take_out() -> None:
        assert section.uploads.get().state == Upload.State.READ
        told.append(of_section(section))
        discard_unreviewed_files(section=section, by=amahle, on=TODAY, version=fresh(section).version)

    upload(client, section, data, name)
    read_and_take_out()
    packed = SimpleUploadedFile(
        "both.zip", zipped((name, data), ("poster.pdf", b"%PDF-1.7"), ("b.trf", b"012 x"))
    )
    archive = send(client, f"{section.event.get_absolute_url()}sections/zip/", {"file": packed})["Location"]
    send(client, archive, {"file-1-whose": "in-A", "file-3-whose": "out"})
    read_and_take_out()
    key = make_key(region=gauteng, name="club", by=amahle, on=TODAY)
    filed = f"/api/v1/offices/csa/events/{section.event.number}/sections/A/file?name={name}"
    program = Client(headers={"Authorization": f"Bearer {key}"})
    send(program, filed, {"file": SimpleUploadedFile(name, data)})
    read_and_take_out()
    assert told[0] == told[1] == told[2]
    assert told[0]["findings"] or told[0]["adjustments"]


def test_lines_that_are_not_used_are_told_to_the_last() -> None:
    sheet = read_any(TOLD, "a.trf").sheet
    assert sheet is not None
    *lines, last = list_unused_lines(sheet)
    assert (len(lines), last.key, last.line, last.before) == (
        MOST_UNUSED,
        "lines-not-used",
        sheet.unused[MOST_UNUSED].line,
        "12",
    )
    few = read_any(open_file() + b"999 line\r\n", "a.trf").sheet
    assert few is not None
    assert [each.key for each in list_unused_lines(few)] == ["line-not-used"]


def test_adjustments_are_shown_by_cause_with_their_number_before_submission(
    section: Section,
    register_of_six: list[Player],
    amahle: User,
    client_of: Callable[[User], Client],
    upload: Send,
) -> None:
    client = client_of(amahle)
    upload(client, section, TOLD, "a.trf")
    for step in ("findings", "submit"):
        page = " ".join(client.get(address(section, step)).content.decode().split())
        if step == "submit" and "thing in the file" not in page and "things in the file" not in page:
            continue  # something is still asked: the form to submit is not there yet
        cause = f'The office does not use this line. <span class="findings-count">{MOST_UNUSED}</span>'
        assert cause in page, step
