"""What the public takes home: lists in each layout, canonical bytes, the journal; and pages that are kept."""

from __future__ import annotations

import gzip
import hashlib
import json
import time
from collections.abc import Callable, Iterator
from datetime import date
from functools import partial
from typing import Any

import brotli
import pytest
from django.core.cache import caches
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from players.models import Federation, Identifier, Player, User
from ratings import approval, people
from ratings.journal import journal_lines
from ratings.merging import merge_players
from ratings.models import ListRow, RatingList
from ratings.pages import lists
from ratings.pages.responses import cached_part
from ratings.rulesets import journal
from ratings.rulesets.downloads import whole
from ratings.rulesets.journal_lines import plain
from ratings.tests.files import fetched, inside, table_of, unzipped
from ratings.tests.office import approved, published, recompute_all, register, submitted
from tests.built_once import built_once
from tournaments.models import Section

# ---------------------------------------------------------------- downloads of an office


@pytest.fixture
@built_once
def listed(csa: Federation) -> RatingList:
    players = register(csa, 10)
    Player.objects.filter(pk=players[0].pk).update(born=2010, surname="=Minor")
    for number, seed in (("2024-001", 1), ("2024-002", 2)):
        approved(submitted(csa, players, number=number, seed=seed))
    return next(each for each in published(csa, date(2024, 4, 1)) if each.track == "otb-main")


LIST = "/csa/lists/2024-04/otb-main/r1"
COMMON_FILES = ("list.csv", "list.xlsx", "names.json")


def test_a_list_downloads_in_the_federations_own_layout_under_a_telling_name(
    client: Client, listed: RatingList
) -> None:
    response: Any = client.get(f"{LIST}/chessa.zip")
    assert 'filename="csa-otb-main-2024-04-01-' in response.headers["Content-Disposition"]
    rows = table_of(unzipped(b"".join(response.streaming_content)))
    assert len(rows) == listed.players + 1


def test_a_minors_year_and_sex_are_in_no_download_and_an_adults_year_is(
    client: Client, listed: RatingList
) -> None:
    rows = {row[0]: row for row in table_of(unzipped(fetched(client, f"{LIST}/chessa.zip")))}
    assert rows["101000001"][3:5] == ["1900/01/01", ""]
    assert rows["101000001"][1] == "'=Minor"
    assert rows["101000002"][3:5] == ["1981/01/01", "M"]


def test_where_nobody_knows_the_birth_neither_sex_nor_year_is_in_a_download(
    client: Client, listed: RatingList
) -> None:
    Player.objects.filter(number="101000002").update(born=None)
    rows = {row[0]: row for row in table_of(unzipped(fetched(client, f"{LIST}/chessa.zip")))}
    assert rows["101000002"][3:5] == ["1900/01/01", ""]
    assert rows["101000004"][3:5] == ["1983/01/01", "M"]


@pytest.mark.parametrize("births", ["none", "group"])
def test_a_federation_may_publish_no_years(client: Client, listed: RatingList, births: str) -> None:
    Federation.objects.update(settings={"births": births})
    rows = table_of(fetched(client, f"{LIST}/list.csv"))
    assert {row[-1] for row in rows[1:]} == {""}


def test_each_of_the_lists_of_a_day_downloads_in_every_layout(client: Client, listed: RatingList) -> None:
    tracks = RatingList.objects.filter(on=listed.on).values_list("track", flat=True)
    for track in tracks:
        page = client.get(f"/csa/lists/2024-04/{track}/").content.decode()
        for file in ("chessa.zip", "swiss-manager.xlsx", "swiss-manager.csv", "fide.txt", *COMMON_FILES):
            address = f"/csa/lists/2024-04/{track}/r1/{file}"
            assert address in page
            assert fetched(client, address)
    assert set(tracks) == {"otb-main", "otb-standard", "hyb-main", "hyb-standard"}


def test_files_of_two_layouts_never_have_the_same_name(client: Client, listed: RatingList) -> None:
    files = ("chessa.zip", "swiss-manager.xlsx", "swiss-manager.csv", "fide.txt", *COMMON_FILES)
    names = {client.get(f"{LIST}/{file}").headers["Content-Disposition"] for file in files}
    stem = "csa-otb-main-2024-04-01-rating-regulations-of-1-july-2020"
    stem += f"-line{listed.fact.number}-{listed.sha256[:8]}"
    assert f'attachment; filename="{stem}-swiss-manager.xlsx"' in names
    assert f'attachment; filename="{stem}.xlsx"' in names
    assert len(names) == len(files)


def test_28_no_file_of_a_list_gives_more_than_whole_ratings(client: Client, listed: RatingList) -> None:
    assert ListRow.objects.exclude(rating__in=range(4000)).filter(rating_list=listed).exists()
    told = json.loads(fetched(client, f"{LIST}/names.json"))
    rows = table_of(fetched(client, f"{LIST}/list.csv"))[1:]
    assert len(rows) == len(told["players"]) == listed.rows.count() > 0
    assert all(each["rating"].isdecimal() for each in told["players"])
    assert all(row[6].isdecimal() for row in rows)


def test_fides_layout_has_the_other_lists_of_the_day_and_no_others(
    client: Client, listed: RatingList
) -> None:
    number = "101000002"
    main, standard = (
        ListRow.objects.get(rating_list__track=track, player__number=number).rating
        for track in ("otb-main", "otb-standard")
    )
    for track, rating in (("otb-main", main), ("otb-standard", standard), ("otb-rapid", None)):
        address = f"/csa/lists/2024-04/{track}/r1/fide.txt"
        if rating is None:
            assert client.get(address).status_code == 404
            continue
        line = next(x for x in fetched(client, address).decode().split("\r\n") if x.startswith(number))
        assert line[113:139].split() == [whole(rating), "0", "0"]  # nobody played rapid


def test_a_fide_id_is_in_the_file_for_an_adult_and_not_for_a_minor(
    client: Client, listed: RatingList
) -> None:
    for number in ("101000001", "101000002"):
        player = Player.objects.get(number=number)
        Identifier.objects.create(
            federation=player.federation, player=player, kind="fide", value=f"14{number}"
        )
    rows = {row[0]: row for row in table_of(fetched(client, f"{LIST}/swiss-manager.csv"))}
    assert [rows[number][7] for number in ("101000001", "101000002")] == ["", "14101000002"]
    assert rows["101000001"][2:6] == ["", "RSA", rows["101000002"][4], ""]


def test_who_is_withheld_has_a_number_and_a_rating_in_every_file_and_no_more(
    client: Client, listed: RatingList
) -> None:
    Player.objects.filter(number="101000002").update(withheld=True, title="IM")
    for file in ("chessa.zip", "swiss-manager.xlsx", "swiss-manager.csv", "fide.txt", *COMMON_FILES):
        content = fetched(client, f"{LIST}/{file}")
        text = inside(content) if content.startswith(b"PK") else content.decode()
        assert "101000002" in text
        assert "Invented01" not in text
        assert "IM" not in text
    [row] = [r for r in table_of(fetched(client, f"{LIST}/swiss-manager.csv")) if r[0] == "101000002"]
    assert row[1:6] == ["withheld", "", "", "", ""]


@pytest.mark.parametrize("size", [1, 3, 500])
def test_a_list_is_written_a_few_rows_at_a_time(
    client: Client, listed: RatingList, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    whole_file = fetched(client, f"{LIST}/swiss-manager.csv")
    monkeypatch.setattr(lists, "AT_ONCE", size)
    monkeypatch.setattr(lists, "MAX_IN_MEMORY", 100)
    assert fetched(client, f"{LIST}/swiss-manager.csv") == whole_file


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
    lines = [f"{row.player},{plain(row.rating)},{row.games}\n" for row in rows]
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
    lines = list(journal_lines(listed.federation))
    assert content.decode().splitlines() == lines
    stated = client.get("/csa/journal.ndjson.sha256").content.decode()
    assert stated == f"{hashlib.sha256(content).hexdigest()}  csa-journal.ndjson\n"


def withhold(player: Player) -> None:
    people.correct_player(player=player, by=None, on=date(2024, 4, 3), withheld=True)


def forget(player: Player) -> None:
    people.forget_name(player=player, by=None, on=date(2024, 4, 3))


def merge_into_one_withheld(player: Player) -> None:
    [hidden] = register(player.federation, 1, first=101000900)
    withhold(hidden)
    merge_players(player=player, into=hidden, by=None, on=date(2024, 4, 3), reason="one person")


@pytest.mark.parametrize("deed", [withhold, forget, merge_into_one_withheld])
def test_the_checksum_of_the_journal_is_of_the_bytes_of_today_after_each_deed_that_takes_a_name_out(
    client: Client, listed: RatingList, deed: Callable[[Player], None]
) -> None:
    before = client.get("/csa/journal.ndjson.sha256?bare").content.decode()
    deed(Player.objects.get(number="101000002"))
    content = client.get("/csa/journal.ndjson").getvalue()
    stated = client.get("/csa/journal.ndjson.sha256?bare").content.decode()
    assert stated == hashlib.sha256(content).hexdigest()
    assert stated != before


def test_the_checksum_is_worked_out_anew_when_a_line_comes(client: Client, listed: RatingList) -> None:
    before = client.get("/csa/journal.ndjson.sha256").content
    published(listed.federation, date(2024, 5, 1))
    assert client.get("/csa/journal.ndjson.sha256").content != before


def test_an_office_without_facts_has_a_journal_of_one_line(client: Client, csa: Federation) -> None:
    response: Any = client.get("/csa/journal.ndjson")
    [line] = b"".join(response.streaming_content).splitlines()
    assert line.startswith(b'{"fact":"federation"')


# ---------------------------------------------------------------- pages that are kept


KEPT = ("/csa/", "/csa/lists/2024-04/otb-main/", "/csa/players/101000001/", f"{LIST}/names.json")


@pytest.mark.parametrize("address", KEPT)
def test_a_page_is_answered_unchanged_until_the_office_decides_something(
    client: Client, listed: RatingList, address: str
) -> None:
    etag = {"If-None-Match": client.get(address).headers["ETag"]}
    assert client.get(address, headers=etag).status_code == 304
    player = Player.objects.get(number="101000002")
    people.correct_player(player=player, by=None, on=date(2024, 4, 2), surname="Another")
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
        ("/", 11),
        ("/csa/", 12),  # one of them for what is kept, where the database keeps it
        ("/csa/lists/", 6),
        ("/csa/lists/2024-04/", 5),
        ("/csa/lists/2024-04/otb-main/", 14),
        ("/csa/players/?q=inv", 7),
        ("/csa/players/101000001/", 14),
        ("/csa/players/101000001/?on=2024-03-20", 18),
        ("/csa/events/", 8),
        ("/csa/events/2024-001/", 8),
        ("/csa/events/2024-001/A/", 23),
        ("/csa/regulations/", 2),
        ("/csa/journal/", 5),
        ("/csa/check/", 9),
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
    with django_assert_max_num_queries(15):
        client.get(f"/csa/players/{row.player.number}/otb-main/{fact.number}/")


# ---------------------------------------------------------------- answers kept for the next stranger


def test_a_part_kept_of_one_office_is_given_to_no_other_that_has_the_same_figures(
    rf: Any, csa: Federation, answers_kept: None
) -> None:
    told = []
    for office in (csa, Federation(pk=csa.pk + 1, code="ssdc"), csa):
        request = rf.get("/")
        request.office, request.public_state = office, "the same"
        told.append(cached_part(request, "a part", partial(str, office.code)))
    assert told == ["csa", "ssdc", "csa"]


@pytest.fixture
def answers_kept(settings: Any) -> Iterator[None]:
    kept = {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": "of these tests"}
    settings.CACHES = {**settings.CACHES, "answers": kept, "doors": {**kept, "LOCATION": "their addresses"}}
    for each in ("answers", "doors"):
        caches[each].clear()
    yield
    for each in ("answers", "doors"):
        caches[each].clear()


OPENED = {"br": brotli.decompress, "gzip": gzip.decompress, "": bytes}


@pytest.mark.usefixtures("answers_kept")
@pytest.mark.parametrize(
    ("first", "second"), [(one, other) for one in OPENED for other in OPENED if one != other]
)
def test_an_answer_kept_for_a_reader_of_one_encoding_serves_those_of_the_others(
    listed: RatingList, django_assert_max_num_queries: Any, first: str, second: str
) -> None:
    address = listed.get_absolute_url()
    told = Client().get(address, headers={"Accept-Encoding": first})
    for _time in range(2):  # unpacked from the first reader's, then as it was kept for the second
        with django_assert_max_num_queries(2):
            again = Client().get(address, headers={"Accept-Encoding": second})
        assert again.headers.get("Content-Encoding", "") == second
        assert OPENED[second](again.content) == OPENED[first](told.content)
        assert "Accept-Encoding" in again.headers["Vary"]
        assert again.headers["ETag"] == told.headers["ETag"]


@pytest.mark.usefixtures("answers_kept")
@pytest.mark.parametrize("address", KEPT[:-1])
def test_the_second_stranger_gets_the_first_ones_answer_at_the_cost_of_office_and_ledger(
    listed: RatingList, django_assert_max_num_queries: Any, address: str
) -> None:
    first = Client().get(address)
    with django_assert_max_num_queries(2):
        second = Client().get(address)
    assert second.content == first.content
    assert {**first.headers, "X-Request-ID": ""} == {**second.headers, "X-Request-ID": ""}


@pytest.mark.usefixtures("answers_kept")
def test_a_stranger_who_asks_as_the_first_one_did_costs_the_ledger_alone(
    listed: RatingList, django_assert_max_num_queries: Any
) -> None:
    address = "/csa/players/101000002/"
    etag = Client().get(address).headers["ETag"]
    with django_assert_max_num_queries(1):
        assert Client().get(address).status_code == 200
    with django_assert_max_num_queries(1):
        assert Client().get(address, headers={"If-None-Match": etag}).status_code == 304


@pytest.mark.usefixtures("answers_kept")
@pytest.mark.parametrize(
    "asked",
    [
        {"cookie": "seen=1"},
        {"accept-language": "cs"},
        {"accept-language": ", ".join(["en"] * 50)},
        {"hx-request": "true"},
    ],
    ids=["cookie", "other-language", "many-languages", "part"],
)
def test_whoever_asks_otherwise_than_the_first_stranger_passes_the_view(
    listed: RatingList, asked: dict[str, str]
) -> None:
    address = "/csa/players/101000002/"
    Client().get(address)
    with CaptureQueriesContext(connection) as queries:
        assert Client().get(address, headers=asked).status_code == 200
    assert len(queries) > 1


@pytest.mark.usefixtures("answers_kept")
def test_no_stranger_gets_a_page_of_yesterday(listed: RatingList, monkeypatch: pytest.MonkeyPatch) -> None:
    address = "/csa/players/101000002/"
    before = Client().get(address).headers["ETag"]
    monkeypatch.setattr("ratings.pages.responses.today", lambda _office: date(2034, 4, 2))
    assert Client().get(address).headers["ETag"] != before


@pytest.mark.usefixtures("answers_kept")
@pytest.mark.parametrize(("minutes", "kept"), [(9, True), (11, False)])
def test_a_process_keeps_an_answer_for_ten_minutes(
    listed: RatingList, monkeypatch: pytest.MonkeyPatch, minutes: int, kept: bool
) -> None:
    address = "/csa/players/101000002/"
    Client().get(address)
    now = time.time()
    monkeypatch.setattr("time.time", lambda: now + 60 * minutes)
    with CaptureQueriesContext(connection) as asked:
        Client().get(address)
    assert (len(asked) <= 2) is kept


@pytest.mark.usefixtures("answers_kept")
def test_after_a_decision_no_stranger_gets_an_answer_of_before(listed: RatingList) -> None:
    address = "/csa/players/101000002/"
    Client().get(address)
    player = Player.objects.get(number="101000002")
    people.correct_player(player=player, by=None, on=date(2024, 4, 2), surname="Ngcobo-Vermeulen")
    assert "Ngcobo-Vermeulen" in Client().get(address).content.decode()


@pytest.mark.usefixtures("answers_kept")
def test_what_staff_see_is_kept_for_nobody_and_strangers_answers_are_not_for_them(
    client_of: Callable[[User], Client], listed: RatingList, nomsa: User
) -> None:
    address = "/csa/players/101000002/"
    of_staff = client_of(nomsa).get(address).content
    stranger = Client().get(address).content
    assert b"csrfmiddlewaretoken" not in stranger
    assert of_staff != stranger
    assert client_of(nomsa).get(address).content != stranger


@pytest.mark.usefixtures("answers_kept")
def test_what_stands_around_a_list_is_kept_for_every_filter_until_the_record_changes(
    listed: RatingList, django_assert_max_num_queries: Any
) -> None:
    note = "Results in this list were corrected later."
    page = "/csa/lists/2024-04/otb-main/"
    assert note not in Client().get(f"{page}?q=in").content.decode()
    with django_assert_max_num_queries(6):
        Client().get(f"{page}?after=3")
    section = Section.objects.get(event__number="2024-001")
    approval.unrate(
        section=section,
        by=None,
        on=date(2024, 4, 2),
        version=section.version,
        reason="result",
        words="Game 1 was lost, not won.",
        after_list=True,
    )
    recompute_all(listed.federation)
    assert note in Client().get(f"{page}?q=in").content.decode()


@pytest.mark.usefixtures("answers_kept")
def test_searches_and_filters_are_kept_for_nobody(listed: RatingList, django_assert_num_queries: Any) -> None:
    with CaptureQueriesContext(connection) as first:
        Client().get("/csa/players/?q=inv")
    with django_assert_num_queries(len(first)):
        Client().get("/csa/players/?q=inv")


@pytest.mark.usefixtures("answers_kept")
def test_an_answer_is_of_the_name_under_which_it_was_asked(listed: RatingList, settings: Any) -> None:
    settings.ALLOWED_HOSTS = ["one.example", "two.example"]
    for host in settings.ALLOWED_HOSTS:
        page = Client().get("/csa/errata.atom", headers={"host": host}).content.decode()
        assert [name for name in settings.ALLOWED_HOSTS if name in page] == [host]


def test_an_unchanged_page_costs_the_office_and_its_ledger_alone(
    client: Client, listed: RatingList, django_assert_max_num_queries: Any
) -> None:
    etag = {"If-None-Match": client.get("/csa/lists/2024-04/otb-main/").headers["ETag"]}
    with django_assert_max_num_queries(2):
        assert client.get("/csa/lists/2024-04/otb-main/", headers=etag).status_code == 304
