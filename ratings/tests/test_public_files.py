"""What the public takes home: lists in each layout, canonical bytes, the journal; and pages that are kept."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import zipfile
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client

from players.models import Federation, Player, User
from ratings import services
from ratings.models import ListRow, RatingList
from ratings.public.privacy import public_sex, public_year
from ratings.rulesets import journal
from ratings.rulesets.csa.downloads import chess_sa_zip
from ratings.rulesets.downloads import Head, Line, disarmed, exact, exact_json, plain_csv, whole
from ratings.tests.office import approved, published, register, submitted
from ratings.transfer import journal_lines

HEAD = Head("csa", "otb-main", date(2024, 5, 1), 1, "Rules of 2020", "ab" * 32)
DLAMINI = Line(1, "101000234", "Dlamini", "Thabo", 1984, "m", "IM", "GAU", Decimal("1416.5"), 30, None)


def table_of(content: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(content.decode(), newline="")))


# ---------------------------------------------------------------- layouts: no database


@pytest.mark.parametrize(
    ("rating", "text"), [("1416.4999999999999999", "1416"), ("1416.5", "1417"), ("100", "100")]
)
def test_28_ratings_are_downloaded_as_whole_numbers_half_up(rating: str, text: str) -> None:
    assert whole(Decimal(rating)) == text


@pytest.mark.parametrize(
    ("rating", "text"), [("1416.5000000000000000", "1416.5"), ("100", "100"), ("1E+3", "1000")]
)
def test_an_exact_rating_is_plain_text_without_trailing_zeros(rating: str, text: str) -> None:
    assert exact(Decimal(rating)) == text


@pytest.mark.parametrize("cell", ["=1+1", "+27", "-5", "@SUM(A1)", "\tx", "\rx", "\nx"])
def test_text_that_a_spreadsheet_takes_for_a_formula_is_disarmed(cell: str) -> None:
    assert disarmed(cell) == f"'{cell}"


def test_names_with_a_hyphen_inside_stay_as_they_are() -> None:
    assert disarmed("Smith-Jones") == "Smith-Jones"


def test_the_zip_holds_one_file_in_the_layout_that_pairing_programs_read() -> None:
    with zipfile.ZipFile(io.BytesIO(chess_sa_zip(HEAD, [DLAMINI]))) as archive:
        assert archive.namelist() == ["csa-otb-main-2024-05-01-rules-of-2020.csv"]
        content = archive.read(archive.namelist()[0])
    assert content.decode() == (
        "UNIQUE_NO,SURNAME,FIRSTNAME,BDATE,SEX,TITLE,RATING,FED\r\n"
        "101000234,Dlamini,Thabo,1984/01/01,M,IM,1417,GAU\r\n"
    )


def test_a_birth_that_is_not_for_the_public_is_written_as_the_layouts_unknown() -> None:
    box = zipfile.ZipFile(io.BytesIO(chess_sa_zip(HEAD, [DLAMINI._replace(born=None, sex="")])))
    assert table_of(box.read(box.namelist()[0]))[1][3:5] == ["1900/01/01", ""]


def test_the_same_list_gives_the_same_bytes() -> None:
    assert chess_sa_zip(HEAD, [DLAMINI]) == chess_sa_zip(HEAD, [DLAMINI])


def test_formulas_are_disarmed_in_every_text_of_every_csv() -> None:
    evil = DLAMINI._replace(number="=1", surname="=2", first_name="=3", title="=4", region="=5")
    box = zipfile.ZipFile(io.BytesIO(chess_sa_zip(HEAD, [evil])))
    for content in (plain_csv(HEAD, [evil]), box.read(box.namelist()[0])):
        assert not [cell for cell in table_of(content)[1] if cell.startswith("=")]


def test_json_gives_every_digit_as_text() -> None:
    line = DLAMINI._replace(rating=Decimal("1416.6666666666666667"))
    written = json.loads(exact_json(HEAD, [line]))
    assert written["players"][0]["rating"] == "1416.6666666666666667"
    assert written["content_sha256"] == HEAD.sha256


def test_a_revisions_file_says_so_in_its_name() -> None:
    second = Head("csa", "otb-main", date(2024, 5, 1), 2, "Rules of 2020", "")
    assert second.stem == "csa-otb-main-2024-05-01-rules-of-2020-r2"


# ---------------------------------------------------------------- downloads of an office


@pytest.fixture
def listed(csa: Federation) -> RatingList:
    players = register(csa, 10)
    Player.objects.filter(pk=players[0].pk).update(born=2010, surname="=Minor")
    for number, seed in (("2024-001", 1), ("2024-002", 2)):
        approved(submitted(csa, players, number=number, seed=seed))
    return next(each for each in published(csa, date(2024, 4, 1)) if each.track == "otb-main")


LIST = "/csa/lists/2024-04/otb-main/r1"


def test_a_list_downloads_in_the_federations_own_layout_under_a_telling_name(
    client: Client, listed: RatingList
) -> None:
    response = client.get(f"{LIST}/chessa.zip")
    assert 'filename="csa-otb-main-2024-04-01-' in response.headers["Content-Disposition"]
    box = zipfile.ZipFile(io.BytesIO(response.content))
    rows = table_of(box.read(box.namelist()[0]))
    assert len(rows) == listed.players + 1


def test_a_minors_year_and_sex_are_in_no_download_and_an_adults_year_is(
    client: Client, listed: RatingList
) -> None:
    box = zipfile.ZipFile(io.BytesIO(client.get(f"{LIST}/chessa.zip").content))
    rows = {row[0]: row for row in table_of(box.read(box.namelist()[0]))}
    assert rows["101000001"][3:5] == ["1900/01/01", ""]
    assert rows["101000001"][1] == "'=Minor"
    assert rows["101000002"][3:5] == ["1981/01/01", "M"]


def test_where_nobody_knows_the_birth_neither_sex_nor_year_is_in_a_download(
    client: Client, listed: RatingList
) -> None:
    Player.objects.filter(number="101000002").update(born=None)
    box = zipfile.ZipFile(io.BytesIO(client.get(f"{LIST}/chessa.zip").content))
    rows = {row[0]: row for row in table_of(box.read(box.namelist()[0]))}
    assert rows["101000002"][3:5] == ["1900/01/01", ""]
    assert rows["101000004"][3:5] == ["1983/01/01", "M"]


@pytest.mark.parametrize(
    ("born", "year", "sex"), [(2007, None, ""), (2006, None, ""), (2005, 2005, "f"), (None, None, "")]
)
def test_only_who_is_known_as_an_adult_has_a_public_year_and_sex(
    born: int | None, year: int | None, sex: str
) -> None:
    player = Player(born=born, sex="f")
    day = date(2024, 4, 1)
    assert (public_year(player, day, "year"), public_sex(player, day)) == (year, sex)
    player.withheld = True
    assert (public_year(player, day, "year"), public_sex(player, day)) == (None, "")


@pytest.mark.parametrize("births", ["none", "group"])
def test_a_federation_may_publish_no_years(client: Client, listed: RatingList, births: str) -> None:
    Federation.objects.update(settings={"births": births})
    rows = table_of(client.get(f"{LIST}/list.csv").content)
    assert {row[-1] for row in rows[1:]} == {""}


def test_a_layout_that_is_not_offered_is_not_found(client: Client, listed: RatingList) -> None:
    for address in (f"{LIST}/chessa.csv", f"{LIST}/other.zip", "/csa/lists/2024-04/otb-main/r2/list.csv"):
        assert client.get(address).status_code == 404


def test_the_canonical_content_is_what_the_checksum_is_of_and_follows_from_the_journal(
    client: Client, listed: RatingList
) -> None:
    content = client.get(f"{LIST}/content").content
    assert hashlib.sha256(content).hexdigest() == listed.sha256
    ruleset = listed.federation.ruleset
    ordered = journal.resolve(journal.read_journal(journal_lines(listed.federation)))
    *_, (_, _, state) = ruleset.fold(ordered)
    rows = ruleset.editions[0].rules.rating_list(state, "otb-main", listed.on)
    lines = [f"{row.player},{exact(row.rating)},{row.games}\n" for row in rows]
    assert content.decode() == "".join(lines)


def test_the_canonical_content_may_be_kept_for_ever_and_names_nobody(
    client: Client, listed: RatingList
) -> None:
    response = client.get(f"{LIST}/content")
    assert "immutable" in response.headers["Cache-Control"]
    assert b"Invented" not in response.content
    assert (
        client.get(f"{LIST}/content", headers={"If-None-Match": response.headers["ETag"]}).status_code == 304
    )
    since = {"If-Modified-Since": response.headers["Last-Modified"]}
    assert client.get(f"{LIST}/content", headers=since).status_code == 304


def test_the_journal_downloads_as_its_lines_with_their_checksum(client: Client, listed: RatingList) -> None:
    response: Any = client.get("/csa/journal.ndjson")
    content = b"".join(response.streaming_content)
    assert content.decode().splitlines() == list(journal_lines(listed.federation))
    stated = client.get("/csa/journal.ndjson.sha256").content.decode()
    assert stated == f"{hashlib.sha256(content).hexdigest()}  csa-journal.ndjson\n"


def test_the_checksum_is_worked_out_anew_when_a_line_comes(client: Client, listed: RatingList) -> None:
    before = client.get("/csa/journal.ndjson.sha256").content
    published(listed.federation, date(2024, 5, 1))
    assert client.get("/csa/journal.ndjson.sha256").content != before


def test_an_office_without_facts_has_a_journal_of_one_line(client: Client, csa: Federation) -> None:
    response: Any = client.get("/csa/journal.ndjson")
    assert b"".join(response.streaming_content).count(b"\n") == 1


# ---------------------------------------------------------------- pages that are kept


KEPT = ("/csa/", "/csa/lists/2024-04/otb-main/", "/csa/players/101000001/", f"{LIST}/list.json")


@pytest.mark.parametrize("address", KEPT)
def test_a_page_is_answered_unchanged_until_the_office_decides_something(
    client: Client, listed: RatingList, address: str
) -> None:
    etag = {"If-None-Match": client.get(address).headers["ETag"]}
    assert client.get(address, headers=etag).status_code == 304
    player = Player.objects.get(number="101000002")
    services.correct_player(player=player, by=None, on=date(2024, 4, 2), surname="Another")
    assert client.get(address, headers=etag).status_code == 200


def test_pages_of_whoever_is_signed_in_are_nobody_elses(
    client_of: Callable[[User], Client], listed: RatingList, nomsa: User
) -> None:
    response = client_of(nomsa).get("/csa/lists/2024-04/otb-main/")
    assert "private" in response.headers["Cache-Control"]
    assert "ETag" not in response.headers


def test_a_page_that_is_not_there_is_not_kept(client: Client, csa: Federation) -> None:
    assert "ETag" not in client.get("/csa/players/999/").headers


# ---------------------------------------------------------------- the work of a page


@pytest.mark.parametrize(
    ("address", "most"),
    [
        ("/", 2),
        ("/csa/", 10),
        ("/csa/lists/", 4),
        ("/csa/lists/2024-04/", 4),
        ("/csa/lists/2024-04/otb-main/", 6),
        ("/csa/players/?q=inv", 6),
        ("/csa/players/101000001/", 16),
        ("/csa/players/101000001/?on=2024-03-20", 19),
        ("/csa/events/", 5),
        ("/csa/events/2024-001/", 5),
        ("/csa/events/2024-001/A/", 18),
        ("/csa/regulations/", 3),
        ("/csa/journal/", 4),
        ("/csa/check/", 4),
    ],
)
def test_a_page_asks_the_database_a_constant_number_of_questions(
    client: Client, listed: RatingList, django_assert_max_num_queries: Any, address: str, most: int
) -> None:
    client.get(address)
    with django_assert_max_num_queries(most):
        assert client.get(address).status_code == 200


def test_a_working_asks_a_constant_number_of_questions(
    client: Client, listed: RatingList, django_assert_max_num_queries: Any
) -> None:
    row = ListRow.objects.filter(rating_list=listed)[0]
    fact = row.player.changes.filter(track="otb-main").latest("order").fact
    with django_assert_max_num_queries(16):
        client.get(f"/csa/players/{row.player.number}/otb-main/{fact.number}/")


def test_an_unchanged_page_costs_the_office_and_its_ledger_alone(
    client: Client, listed: RatingList, django_assert_max_num_queries: Any
) -> None:
    etag = {"If-None-Match": client.get("/csa/lists/2024-04/otb-main/").headers["ETag"]}
    with django_assert_max_num_queries(2):
        assert client.get("/csa/lists/2024-04/otb-main/", headers=etag).status_code == 304
