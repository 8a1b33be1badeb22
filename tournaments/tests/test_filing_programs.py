"""What else programs write, through chess's real page: Swiss-Manager, Chess-Results."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from players.models import Player, User
from tournaments.models import Section, Stage, Upload
from tournaments.tests.conftest import Send, address, fresh
from tournaments.tests.cross_files import cross_of
from tournaments.tests.event_files import open_sheet
from tournaments.tests.sm_files import exports_of
from tournaments.tests.table_files import workbook
from tournaments.tests.test_filing import details_of
from tournaments.tests.test_formats_archive import zipped

ClientOf = Callable[[User], Client]
SPIELER, RUNDEN = exports_of(open_sheet())
CROSS = cross_of(open_sheet())
DAYS = {f"round-{n}": f"2026-03-0{5 + (n + 2) // 2}" for n in range(1, 6)}


@pytest.mark.parametrize(
    ("data", "dialect"),
    [
        (f"{SPIELER}\n{RUNDEN}".encode(), "Swiss-Manager text"),
        (zipped(("spieler.txt", SPIELER.encode()), ("runden.txt", RUNDEN.encode())), "Swiss-Manager text"),
        (CROSS.encode(), "Cross table"),
        (workbook(Sheet1=[line.split(";") for line in CROSS.splitlines()]), "Cross table"),
    ],
)
def test_it_goes_from_the_file_to_the_submission(
    data: bytes,
    dialect: str,
    amahle: User,
    client_of: ClientOf,
    section: Section,
    upload: Send,
    send: Send,
    register_of_six: list[Player],
) -> None:
    client = client_of(amahle)
    upload(client, section, data)
    filed = fresh(section)
    held = filed.uploads.held()
    assert held
    assert (filed.stage, held.dialect) == (Stage.FILED, dialect)
    assert (filed.entries.filter(match="certain").count(), filed.games.count()) == (6, 15)
    assert client.get(address(section, "findings")).status_code == 200
    answers = details_of(client, section, rounds="5")
    send(client, address(section, "details"), answers)
    send(client, address(section, "details"), details_of(client, section, **DAYS))
    arbiters = {"arbiters-0-name": "Nomsa Zulu", "arbiters-0-title": "IA", "arbiters-0-id": "14399001"}
    send(client, address(section, "details"), details_of(client, section, **arbiters))
    assert {finding.key for finding in fresh(section).findings.blocking()} == set()
    send(client, address(section, "submit"), {"version": fresh(section).version, "adjusted": "on"})
    assert fresh(section).stage == Stage.SUBMITTED


WITHOUT_LAST = "\n".join(line for line in RUNDEN.splitlines() if not line.startswith("5;15;")) + "\n"
"""Dlamini and Khumalo, who drew in round 5, are not paired there."""


def test_byes_that_the_points_tell_are_listed_with_the_section(
    amahle: User, client_of: ClientOf, section: Section, upload: Send, register_of_six: list[Player]
) -> None:
    client = client_of(amahle)
    upload(client, section, f"{SPIELER}\n{WITHOUT_LAST}".encode())
    assert list(section.byes.values_list("round", "entry__surname", "kind").order_by("entry__number")) == [
        (5, "Dlamini", "half"),
        (5, "Khumalo", "half"),
    ]
    assert section.findings.filter(key="sm-bye-half", level="notice").count() == 2
    listed = [(one.key, one.before, one.after) for one in section.adjustments.order_by("line")]
    assert listed == [("sm-absent-half", "5: –", "5: half")] * 2
    page = client.get(address(section, "findings")).content.decode()
    assert "by the points it was a half-point bye" in page


def test_a_bye_that_nothing_tells_is_asked_until_the_details_are_confirmed(
    amahle: User,
    client_of: ClientOf,
    section: Section,
    upload: Send,
    send: Send,
    register_of_six: list[Player],
) -> None:
    client = client_of(amahle)
    upload(client, section, f"{SPIELER.replace(';Pkt;', ';Wtg7;')}\n{WITHOUT_LAST}".encode())
    asked = fresh(section).findings.filter(key="sm-absences-open", level="asks")
    assert asked.count() == 2
    send(client, address(section, "details"), details_of(client, section, rounds="5"))
    assert not asked.exists()


def test_half_of_an_export_is_refused_and_the_page_says_where_the_other_half_is(
    amahle: User, client_of: ClientOf, section: Section, upload: Send
) -> None:
    client = client_of(amahle)
    upload(client, section, SPIELER.encode(), "spieler.txt")
    assert section.uploads.get().state == Upload.State.UNREADABLE
    page = client.get(address(section, "file")).content.decode()
    assert "export Pairings (Spielerauslosung)" in page
    assert fresh(section).stage == Stage.REGISTERED


def test_the_page_offers_them_and_says_that_they_are_read_by_description(
    amahle: User, client_of: ClientOf, section: Section
) -> None:
    page = client_of(amahle).get(address(section, "file")).content.decode()
    for words in ("Swiss-Manager’s text tables", "Chess-Results, Swiss-Manager", "(by description)"):
        assert words in page
