"""Sports Dots: an extract of a day's rating, or a certificate of a rank, for whoever asks (SSDC 4.6)."""

from __future__ import annotations

import html
import io
import re
import unicodedata
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.urls import reverse
from django.utils.formats import date_format
from fontTools.ttLib import TTFont
from pypdf import PdfReader

from players.models import Federation, Player
from players.writing import page_cache
from ratings.intake import import_journal
from ratings.merging import merge_players
from ratings.models import Checkpoint, CorrectedRating, Erratum, Fact as Row, RatingList
from ratings.pages.extracts import (
    DRAWABLE,
    FONTS,
    PrintedExtract,
    dark_runs,
    find_extract,
    pdf_of as draw,
    signed_values,
)
from ratings.rulesets import journal
from ratings.rulesets.facts import Change, Fact, Rank, StandingKey
from ratings.rulesets.ssdc.standing import SsdcStanding
from ratings.signing import sign_due_checkpoints
from ratings.tests.journals import journal_of
from ratings.tests.office import recompute_all
from ratings.tests.ssdc_record import DAY, Record
from ratings.workings import localize_exact

pytestmark = pytest.mark.django_db
WEEK = timedelta(7)
FIVE = "\n".join(f"{number} Ada 1-0 Boris" for number in range(1, 6))


class Kept(Record):
    """What the office took in, for a journal."""

    def __init__(self) -> None:
        super().__init__()
        self.facts: list[Fact] = []

    def _fold(self, fact: Fact) -> dict[StandingKey, Change[SsdcStanding]]:
        self.facts.append(fact)
        return super()._fold(fact)


@pytest.fixture
def office() -> Federation:
    """Two classic tournaments a week apart; a list after the first; Ada's rank is confirmed at the end."""
    record = Kept()
    record.rate(FIVE, id="2024-001/A", ends=DAY, on=DAY)
    record.close(DAY + timedelta(1))
    record.rate("1 Ada 0-1 Clara", id="2024-002/A", starts=DAY + WEEK, ends=DAY + WEEK, on=DAY + WEEK)
    record.take(Rank("Ada", "3", DAY + WEEK, "SSDC 2.4.1"))
    written = journal_of(record.ruleset, record.facts)
    federation = import_journal(journal.read_journal(written.splitlines()), on=DAY + WEEK)
    recompute_all(federation)
    return federation


def test_4_6_an_extract_is_of_its_day(office: Federation, client: Client) -> None:
    first = client.get("/ssdc/players/Ada/extract/?on=2024-03-02")
    later = client.get("/ssdc/players/Ada/extract/?on=2024-03-08")
    (then,), (now,) = first.context["rows"], later.context["rows"]
    assert (then.row.games, now.row.games) == (5, 6)
    assert then.row.rating > now.row.rating
    assert (first.context["rank"], later.context["rank"]) == ("No rank", "Third-class")
    assert "confirmed on 8 March 2024" in later.content.decode()
    assert f">{then.row.shown}<" in first.content.decode()


def test_4_6_an_extract_names_the_list_of_that_day_its_line_and_checksum(
    office: Federation, client: Client
) -> None:
    published = RatingList.objects.get(federation=office, track="classic")
    before = client.get("/ssdc/players/Ada/extract/?on=2024-03-01")
    after = client.get("/ssdc/players/Ada/extract/?on=2024-03-08").content.decode()
    assert [each.rating_list for each in before.context["rows"]] == [None]
    assert f"Line {published.fact.number} of the journal" in after
    assert published.sha256 in after
    assert "rank 1, rating" in after


def test_4_6_an_extract_prints_the_signed_checkpoint_of_the_list_as_the_lists_page_does(
    office: Federation, client: Client
) -> None:
    published = RatingList.objects.get(federation=office, track="classic")
    address = "/ssdc/players/Ada/extract/?on=2024-03-08"
    assert "Checkpoint" not in client.get(address).content.decode()
    sign_due_checkpoints(office, at=datetime(2024, 3, 9, 12, tzinfo=UTC))
    signed = html.escape(Checkpoint.objects.get(size=published.fact.number).served)
    for page in (address, published.get_absolute_url()):
        assert f'<pre class="checksum">{signed}</pre>' in client.get(page).content.decode()


@pytest.mark.parametrize(
    "address",
    [
        "/ssdc/players/Ada/extract/?on=2024-02-29",  # before the first tournament
        "/ssdc/players/Ada/extract/?on=2999-01-01",
        "/ssdc/players/Ada/extract/?on=yesterday",
        "/ssdc/players/Nobody/extract/",
    ],
)
def test_4_6_there_is_no_extract_of_a_day_or_a_player_without_ratings(
    office: Federation, client: Client, address: str
) -> None:
    assert client.get(address).status_code == 404


def test_4_6_the_player_s_page_leads_to_it_and_only_where_the_rules_know_extracts(
    office: Federation, client: Client, csa: Federation
) -> None:
    assert "/ssdc/players/Ada/extract/" in client.get("/ssdc/players/Ada/").content.decode()
    player = Player.objects.create(federation=csa, number="1", surname="Invented")
    assert "extract/" not in client.get(player.get_absolute_url()).content.decode()
    answer = client.get(f"{player.get_absolute_url()}extract/")
    assert answer.headers["Location"] == player.get_absolute_url()


def test_4_6_the_number_of_a_merged_entry_leads_to_the_extract_of_the_one_that_stays(
    office: Federation, client: Client
) -> None:
    dan = Player.objects.create(federation=office, number="Dan", surname="Invented")
    merge_players(
        player=dan, into=Player.objects.get(number="Ada"), by=None, on=DAY + WEEK, reason="one person"
    )
    recompute_all(office)
    assert client.get("/ssdc/players/Dan/extract/").headers["Location"] == "/ssdc/players/Ada/extract/"


def check_url(client: Client, on: str = "2024-03-02") -> str:
    address: str = client.get(f"/ssdc/players/Ada/extract/?on={on}").context["check_url"]
    return address.removeprefix("http://testserver")


def test_4_6_the_code_of_an_extract_opens_a_page_that_says_it_is_genuine(
    office: Federation, client: Client
) -> None:
    extract = client.get("/ssdc/players/Ada/extract/?on=2024-03-02")
    assert "<svg" in extract.content.decode()
    answer = client.get(check_url(client))
    assert "This extract is genuine, and nothing in it was corrected since." in answer.content.decode()
    (row,), (printed,) = answer.context["rows"], extract.context["rows"]
    assert (row["printed"], row["that_day"]) == (str(printed.row.shown),) * 2
    assert row["now"] != row["printed"]  # Ada lost a week later
    assert (answer.context["rank"], answer.context["rank_now"]) == ("No rank", "Third-class")


@pytest.mark.parametrize("alter", [lambda told: f"A{told}", lambda told: told[:-2], lambda told: "made-up"])
def test_4_6_an_address_that_was_altered_is_of_no_extract(
    office: Federation, client: Client, alter: Callable[[str], str]
) -> None:
    *before, told, end = check_url(client).split("/")
    page = client.get("/".join([*before, alter(told), end])).content.decode()
    assert "is of no extract that" in page
    assert "genuine" not in page


def test_4_6_the_values_of_one_player_prove_nothing_for_another(office: Federation, client: Client) -> None:
    page = client.get(check_url(client).replace("/Ada/", "/Boris/")).content.decode()
    assert "is of no extract that" in page


def test_4_6_an_extract_with_other_values_than_the_records_is_told_to_have_changed(
    office: Federation, client: Client
) -> None:
    found = find_extract(Player.objects.get(number="Ada", federation=office), DAY, DAY + WEEK)
    assert found is not None
    other = replace(found, rank="1")
    address = reverse("ratings:check_extract", args=["ssdc", "Ada", signed_values(office, other)])
    assert "but something was changed since" in client.get(address).content.decode()


def test_4_6_a_correction_after_the_day_is_named_on_the_check_page(
    office: Federation, client: Client
) -> None:
    ada = Player.objects.get(number="Ada", federation=office)
    rank = Row.objects.get(federation=office, kind="rank")  # its line is of a week after the extract
    erratum = Erratum.objects.create(fact=rank, players=1)
    CorrectedRating.objects.create(erratum=erratum, player=ada, track="classic", position=1)
    answer = client.get(check_url(client))
    assert answer.context["corrections"] == [rank.number]
    assert "but something was changed since" in answer.content.decode()
    printed_after = client.get(check_url(client, "2024-03-08"))
    assert printed_after.context["corrections"] == []


# ---------------------------------------------------------------- as a PDF

PDF = "/ssdc/players/Ada/extract/extract.pdf"


def pdf_of(client: Client, address: str = f"{PDF}?on=2024-03-08") -> PdfReader:
    answer = client.get(address)
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "application/pdf")
    return PdfReader(io.BytesIO(answer.content))


def words_of(pdf: PdfReader) -> str:
    """The words of a PDF, each apart from the next by one space, whatever lines they stand in."""
    return " ".join(" ".join(page.extract_text() for page in pdf.pages).split())


def test_4_6_the_pdf_says_what_the_page_says(office: Federation, client: Client) -> None:
    Player.objects.filter(number="Ada").update(surname="Łuczyńska-Жукова", first_name="Ełada")
    sign_due_checkpoints(office, at=datetime(2024, 3, 9, 12, tzinfo=UTC))
    page = client.get("/ssdc/players/Ada/extract/?on=2024-03-08")
    told, (row,) = words_of(pdf_of(client)), page.context["rows"]
    published = RatingList.objects.get(federation=office, track="classic")
    for words in (
        "The record of",
        "Łuczyńska-Жукова",
        "number Ada, on 8 March 2024:",
        f"{row.row.shown} {localize_exact(row.row.rating)} 6",
        "Third-class",
        "confirmed on 8 March 2024",
        f"List of {date_format(published.on, 'j F Y')}: rank 1, rating {row.shown}.",
        f"Line {published.fact.number} of the journal, SHA-256 {published.sha256}",
        "Open this code, or its address",
        "testserver/ssdc/players/Ada/extract/?on=2024-03-08, and compute it from the journal.",
    ):
        assert words in told
    without = told.replace(" ", "")
    assert "".join(row.checkpoint.split()) in without
    assert page.context["check_url"] in without


def test_4_6_the_code_in_the_pdf_is_that_of_the_page_square_for_square(
    office: Federation, client: Client
) -> None:
    code = client.get("/ssdc/players/Ada/extract/?on=2024-03-08").context["qr_code"]
    drawn = pdf_of(client).pages[-1].get_contents()
    assert drawn is not None
    numbers = r"([\d.]+) ([\d.]+) ([\d.]+) -?([\d.]+) re f"
    boxes = [tuple(map(float, box)) for box in re.findall(numbers, drawn.get_data().decode("latin-1"))]
    side, left, top = boxes[0][3], min(box[0] for box in boxes), max(box[1] for box in boxes)
    dark = {
        (round((x - left) / side) + number, round((top - y) / side))
        for x, y, width, _height in boxes
        for number in range(round(width / side))
    }
    edge = 4  # squares of a quiet edge, which nothing is drawn in
    assert dark == {
        (x - edge, y - edge) for y, row in enumerate(code.rows) for x, filled in enumerate(row) if filled
    }


def test_4_6_the_address_below_the_code_is_a_link_to_the_check_page(
    office: Federation, client: Client
) -> None:
    notes: Any = pdf_of(client).pages[-1]["/Annots"]
    links = [note.get_object()["/A"]["/URI"] for note in notes]
    check = client.get("/ssdc/players/Ada/extract/?on=2024-03-08").context["check_url"]
    assert set(links) == {check}


def test_4_6_the_same_extract_is_the_same_bytes_on_any_day(office: Federation, client: Client) -> None:
    with time_machine.travel("2026-05-01T12:00Z", tick=False):
        first = client.get(f"{PDF}?on=2024-03-08").content
    with time_machine.travel("2027-06-02T13:01Z", tick=False):
        assert client.get(f"{PDF}?on=2024-03-08").content == first
        assert client.get(f"{PDF}?on=2024-03-02").content != first
    metadata = PdfReader(io.BytesIO(first)).metadata
    assert metadata is not None
    assert metadata.creation_date == datetime(2024, 3, 8, tzinfo=UTC)


def test_4_6_a_long_extract_goes_on_on_a_second_sheet_and_its_code_stays_whole(
    office: Federation, client: Client
) -> None:
    player = Player.objects.get(number="Ada")
    found = client.get("/ssdc/players/Ada/extract/?on=2024-03-08").context
    rows = [*found["rows"]] * 12
    told = {name: found[name] for name in ("on", "rank", "held", "check_url", "qr_code")}
    long = PrintedExtract(office=office, player=player, rows=rows, address="here", **told)
    pages = PdfReader(io.BytesIO(draw(long))).pages
    assert len(pages) > 1
    assert [page.extract_text().count("Check it") for page in pages] == [0] * (len(pages) - 1) + [1]


@pytest.mark.parametrize("name", ["张", "محمد", "🙂"])
def test_4_6_where_the_font_lacks_letters_of_a_name_there_is_the_page_alone(
    office: Federation, client: Client, name: str
) -> None:
    assert "extract.pdf?on=" in client.get("/ssdc/players/Ada/extract/").content.decode()
    Player.objects.filter(number="Ada").update(surname=name)
    page_cache.clear()
    page = "/ssdc/players/Ada/extract/?on=2024-03-08"
    assert "extract.pdf" not in client.get(page).content.decode()
    assert client.get(f"{PDF}?on=2024-03-08").headers["Location"] == page


def test_4_6_the_font_has_every_letter_that_is_said_to_be_drawn() -> None:
    letters = {chr(code) for code in range(0x20, 0x2100) if unicodedata.category(chr(code)) != "Cn"}
    drawn = {letter for letter in letters if DRAWABLE.fullmatch(letter)}
    for style in ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf"):
        with TTFont(FONTS / style) as font:
            assert {letter for letter in drawn if ord(letter) not in font.getBestCmap()} == set()
    assert {*"AzÅłőčжёΩω§–’ (1)"} <= drawn


@pytest.mark.parametrize("address", ["?on=2024-02-29", "?on=2999-01-01", "?on=yesterday"])
def test_4_6_there_is_no_pdf_where_there_is_no_extract(
    office: Federation, client: Client, address: str
) -> None:
    assert client.get(f"{PDF}{address}").status_code == 404


def test_4_6_the_pdf_of_a_merged_entry_is_that_of_the_one_that_stays(
    office: Federation, client: Client
) -> None:
    dan = Player.objects.create(federation=office, number="Dan", surname="Invented")
    merge_players(
        player=dan, into=Player.objects.get(number="Ada"), by=None, on=DAY + WEEK, reason="one person"
    )
    recompute_all(office)
    assert client.get("/ssdc/players/Dan/extract/extract.pdf").headers["Location"] == PDF


def test_runs_of_a_row_are_its_dark_squares() -> None:
    assert dark_runs((True, True, False, True, False, False)) == [(0, 2), (3, 4)]
    assert dark_runs((False, False)) == []
    assert dark_runs((True,)) == [(0, 1)]
