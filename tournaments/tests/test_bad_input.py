"""Files that are wrong, through the real pages: clear words, line, what to do; and nothing half-written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from players.models import Decision, User
from tests.built_once import built_once
from tournaments.models import Entry, Finding, Section, Stage, Upload
from tournaments.pages.steps import is_number
from tournaments.tests.conftest import Send, address, fresh
from tournaments.tests.event_files import open_file, open_sheet

ClientOf = Callable[[User], Client]


def page(client: Client, section: Section, step: str) -> str:
    return client.get(address(section, step)).content.decode()


def words_on(client: Client, section: Section, step: str = "findings") -> list[str]:
    return [finding.words for finding in client.get(address(section, step)).context["found"]]


@pytest.fixture
@built_once
def filed(amahle: User, client_of: ClientOf, section: Section, upload: Send) -> Section:
    """A section with a good file."""
    upload(client_of(amahle), section, open_file())
    return fresh(section)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3", "This is a PDF"),
        (b"PK\x03\x04" + b"\0" * 40, "ZIP archive"),
        (b"Dear office, here is our tournament.\n", "No format that is read here fits this file"),
        (b"012 Soweto Open\n042 2026/03/06\n", "no player&#x27;s line (001)"),
        (b"[Event]\r\nName=A\r\n", "SwissPerfect"),
        (bytes(range(256)), "not a text file"),
    ],
)
def test_what_is_no_event_file_is_named_and_changes_nothing(
    amahle: User, client_of: ClientOf, filed: Section, upload: Send, data: bytes, words: str
) -> None:
    client = client_of(amahle)
    upload(client, filed, data, "wrong.trf")
    assert words in page(client, filed, "file")
    assert "The previous file has not changed." in page(client, filed, "file")
    assert (fresh(filed).stage, fresh(filed).entries.count(), fresh(filed).games.count()) == (
        Stage.FILED,
        6,
        15,
    )


def test_an_empty_file_is_refused_before_it_is_kept(
    amahle: User, client_of: ClientOf, section: Section, upload: Send
) -> None:
    for data in (b"", b" \r\n\r\n"):
        response = upload(client_of(amahle), section, data)
        assert response.status_code in (400, 409)
        assert "The file is empty." in response.content.decode()
    assert not Upload.objects.exists()


@pytest.mark.parametrize(("size", "kept"), [(2 * 1024 * 1024, True), (2 * 1024 * 1024 + 1, False)])
def test_two_megabytes_are_the_most(
    amahle: User, client_of: ClientOf, section: Section, upload: Send, size: int, kept: bool
) -> None:
    response = upload(client_of(amahle), section, b"x" * size)
    assert Upload.objects.exists() == kept
    assert ("larger than 2 MB" in response.content.decode()) != kept


def test_a_truncated_file_is_said_with_its_line(
    amahle: User, client_of: ClientOf, section: Section, upload: Send
) -> None:
    data = open_file().rstrip()[:-4]
    client = client_of(amahle)
    upload(client, section, data)
    lines = data.decode().split("\r\n")
    [cut] = fresh(section).findings.filter(key="line-cut")
    assert cut.line == len(lines)
    text = page(client, section, "findings")
    assert f"line {cut.line}" in text
    assert "seems cut off: export it again" in text
    assert 'class="excerpt"' in text  # the end of the line itself is shown


def test_a_file_cut_between_two_players_is_said_by_their_number(
    amahle: User, client_of: ClientOf, section: Section, upload: Send
) -> None:
    data = open_file().rstrip().rpartition(b"\r\n")[0]
    client = client_of(amahle)
    upload(client, section, data)
    assert any("The file seems cut off" in words for words in words_on(client, section))
    assert {"players-missing", "opponent-missing"} <= {f.key for f in fresh(section).findings.all()}


def test_another_encoding_is_read_and_said(
    amahle: User, client_of: ClientOf, section: Section, upload: Send
) -> None:
    rows = list(open_sheet().rows)
    rows[2] = replace(rows[2], name="Müller, Pieter", surname="Müller")
    data = open_file(rows=tuple(rows)).decode().encode("cp1252")
    client = client_of(amahle)
    upload(client, section, data)
    assert fresh(section).entries.get(number=3).surname == "Müller"
    assert any("was read as cp1252" in words for words in words_on(client, section))


def test_two_sides_that_disagree_are_shown_with_line_column_and_excerpt(
    amahle: User, client_of: ClientOf, section: Section, upload: Send, send: Send
) -> None:
    text = open_file().decode()
    anneke = next(line for line in text.splitlines() if "Merwe" in line)
    wrong = anneke.replace("     1 b 0", "     1 b 1")
    assert wrong != anneke
    client = client_of(amahle)
    upload(client, section, text.replace(anneke, wrong).encode())
    [finding] = fresh(section).findings.filter(key="results-disagree")
    assert finding.level == "blocks"
    shown = next(f for f in client.get(address(section, "findings")).context["found"] if f.key == finding.pk)
    assert "The two results contradict each other: enter the right result and export again." in shown.words
    assert shown.excerpt.startswith("001    1")
    assert shown.excerpt[(shown.column or 0) - 1] == "1"
    response = send(client, address(section, "submit"), {"version": fresh(section).version})
    assert response.status_code == 409
    assert fresh(section).stage == Stage.FILED


def test_an_opponent_who_is_not_there_is_named(
    amahle: User, client_of: ClientOf, section: Section, upload: Send
) -> None:
    text = open_file().decode().replace("     6 w 1", "     9 w 1")
    client = client_of(amahle)
    upload(client, section, text.encode())
    assert any(
        "start number 9" in words and "is not in the file" in words for words in words_on(client, section)
    )


def test_while_the_file_blocks_only_who_is_who_is_asked(
    amahle: User, client_of: ClientOf, section: Section, upload: Send
) -> None:
    upload(client_of(amahle), section, open_file().rstrip()[:-25])
    assert set(fresh(section).findings.values_list("source", flat=True)) == {"file", "players"}


def test_a_rated_section_takes_no_file(
    amahle: User, client_of: ClientOf, filed: Section, upload: Send
) -> None:
    Section.objects.update(stage=Stage.RATED)
    response = upload(client_of(amahle), filed, open_file(name="Another"))
    assert response.status_code == 409
    assert "This section is rated, so this cannot be done now." in response.content.decode()
    assert filed.uploads.count() == 1


def test_an_unrated_section_takes_the_corrected_file(
    amahle: User, client_of: ClientOf, filed: Section, upload: Send
) -> None:
    Section.objects.update(stage=Stage.UNRATED)
    upload(client_of(amahle), filed, open_file(name="Soweto Open A, corrected"))
    assert fresh(filed).stage == Stage.FILED


def test_the_same_file_twice_answers_with_the_first(
    amahle: User, client_of: ClientOf, filed: Section, upload: Send, worker: list[str]
) -> None:
    before, woken = fresh(filed).version, len(worker)
    client = client_of(amahle)
    response = upload(client, filed, open_file())
    assert response.status_code == 302
    assert "This file was uploaded before" in page(client, filed, "file")
    assert (Upload.objects.count(), fresh(filed).version, len(worker)) == (1, before, woken)


def test_the_same_file_for_another_section_is_told_where_it_lies(
    amahle: User, client_of: ClientOf, filed: Section, upload: Send
) -> None:
    other = Section.objects.create(
        event=filed.event, code="B", name="B", starts=filed.starts, ends=filed.ends, format="swiss"
    )
    response = upload(client_of(amahle), other, open_file())
    assert response.status_code == 409
    assert "for Soweto Open, section A (2026-001/A)." in response.content.decode()
    assert not other.uploads.exists()


def test_an_earlier_file_sent_again_is_read_again(
    amahle: User, client_of: ClientOf, filed: Section, upload: Send
) -> None:
    client = client_of(amahle)
    upload(client, filed, open_file(rounds=6))
    assert fresh(filed).rounds == 6
    upload(client, filed, open_file())
    assert fresh(filed).rounds == 5
    assert Upload.objects.count() == 2


def test_a_file_that_was_no_event_file_does_not_stand_in_anyones_way(
    amahle: User, pieter: User, client_of: ClientOf, section: Section, upload: Send
) -> None:
    upload(client_of(amahle), section, b"%PDF-1.7")
    other = Section.objects.create(
        event=section.event, code="B", name="B", starts=section.starts, ends=section.ends, format="swiss"
    )
    assert upload(client_of(amahle), other, b"%PDF-1.7").status_code == 302
    assert "This is a PDF" in page(client_of(amahle), other, "file")


def test_a_strange_file_name_is_shown_and_never_used(
    amahle: User, client_of: ClientOf, section: Section, upload: Send
) -> None:
    upload(client_of(amahle), section, open_file(), "..\\..\\<script>alert(1)</script>.trf")
    text = page(client_of(amahle), section, "file")
    assert "<script>alert(1)" not in text
    assert Upload.objects.get().name.endswith("script>.trf")


def test_a_form_without_a_file_asks_for_one(
    amahle: User, client_of: ClientOf, section: Section, send: Send
) -> None:
    response = send(client_of(amahle), address(section, "file"))
    assert response.status_code == 400
    assert "Choose a file first." in response.content.decode()


def test_what_is_refused_is_shown_where_htmx_sent_the_file(
    amahle: User, client_of: ClientOf, section: Section
) -> None:
    response = client_of(amahle).post(address(section, "file"), headers={"HX-Request": "true"})
    assert response.status_code == 200
    assert "Choose a file first." in response.content.decode()


def test_steps_before_their_time_lead_to_the_upload(
    amahle: User, client_of: ClientOf, section: Section
) -> None:
    for step in ("findings", "details", "players", "submit"):
        response = client_of(amahle).get(address(section, step))
        assert response["Location"] == address(section, "file")


def test_nothing_is_recorded_of_what_was_refused(
    amahle: User, client_of: ClientOf, section: Section, upload: Send
) -> None:
    before = Decision.objects.count()
    upload(client_of(amahle), section, b" ")
    assert Decision.objects.count() == before
    assert not Entry.objects.exists()
    assert not Finding.objects.exists()


@pytest.mark.parametrize(("digits", "fits"), [(1, True), (18, True), (19, False), (5000, False)])
def test_a_posted_number_has_no_more_digits_than_a_key(digits: int, fits: bool) -> None:
    assert is_number("9" * digits) is fits
    assert not is_number("٣")


@pytest.mark.parametrize(
    ("sent", "minutes_ago", "refused"), [(199, 59, False), (200, 59, True), (200, 61, False)]
)
def test_one_person_sends_at_most_200_files_within_an_hour(
    client_of: ClientOf,
    section: Section,
    upload: Send,
    amahle: User,
    sent: int,
    minutes_ago: int,
    refused: bool,
) -> None:
    at = timezone.now() - timedelta(minutes=minutes_ago)
    office, on = section.event.federation, at.date()
    numbers = range(1_000, 1_000 + sent)
    Decision.objects.bulk_create(
        Decision(federation=office, number=number, kind="file", by=amahle, at=at, on=on) for number in numbers
    )
    response = upload(client_of(amahle), section, open_file())
    assert section.uploads.exists() is not refused
    assert ("the most that one person may" in response.content.decode()) is refused
