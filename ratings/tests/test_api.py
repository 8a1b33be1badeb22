"""The API: what programs are told, part by part, and what they are told where there is nothing."""

from __future__ import annotations

import io
import json
import re
import urllib.request
from collections import Counter
from collections.abc import Iterator
from datetime import date
from html import unescape
from typing import Any, get_args

import pytest
from django.conf import settings as settings_of_site
from django.core.handlers.wsgi import WSGIHandler
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, assume, given, settings
from hypothesis.strategies import booleans

from players.models import Federation, Player
from players.writing import page_cache
from ratings.disclosure import limits_of
from ratings.merging import merge_players
from ratings.models import Change, ListRow, RatingList
from ratings.pages import api
from ratings.pages.api import encode_cursor
from ratings.people import forget_name
from ratings.public_tables import TABLES, public_entrant
from ratings.rulesets.journal_lines import plain
from ratings.tests.office import approved, published, recompute_all, register, submitted
from tests.built_once import built_once
from tournaments.models import Entry, Event, Game, Section, Stage

pytestmark = pytest.mark.django_db
SITE = "http://testserver"
ROOT = "/api/v1"
CSA = f"{ROOT}/offices/csa"


@pytest.fixture
@built_once
def people(csa: Federation) -> list[Player]:
    """Ten listed players, of whom the first is a child and the second withheld."""
    people = register(csa, 10)
    Player.objects.filter(pk=people[0].pk).update(born=2015, sex="f", title="WCM")
    Player.objects.filter(pk=people[1].pk).update(withheld=True)
    for number, seed in (("2024-001", 1), ("2024-002", 2)):
        approved(submitted(csa, people, number=number, seed=seed))
    published(csa, date(2024, 4, 1))
    return people


def asked(client: Client, address: str) -> Any:
    answer = client.get(address)
    assert answer.status_code == 200, (address, answer.content)
    assert answer.headers["Content-Type"].startswith("application/json"), address
    return answer.json()


def parts(client: Client, address: str) -> Iterator[dict[str, Any]]:
    """Every item of an answer in parts, by the address of each next one."""
    following: str | None = address
    while following:
        page = asked(client, following.removeprefix(SITE))
        yield from page["items"]
        following = page["next"]


def addresses(people: list[Player]) -> list[str]:
    """One address of each operation about an office."""
    player = people[2].number
    change = Change.objects.filter(player=people[2], track="otb-main").order_by("-order")[0]
    return [
        CSA,
        f"{CSA}/regulations",
        f"{CSA}/players",
        f"{CSA}/players?q=Invented",
        f"{CSA}/players/{player}",
        f"{CSA}/players/{player}/ratings",
        f"{CSA}/players/{player}/changes/otb-main",
        f"{CSA}/players/{player}/workings/otb-main/{change.fact.number}",
        f"{CSA}/lists",
        f"{CSA}/lists/latest/otb-main",
        f"{CSA}/lists/2024-04-01/otb-main/rows",
        f"{CSA}/events",
        f"{CSA}/events/2024-001",
        f"{CSA}/events/2024-001/sections/A",
    ]


# ---------------------------------------------------------------- what is told


def test_an_office_names_its_tracks_and_its_page_opens(client: Client, people: list[Player]) -> None:
    [office] = asked(client, f"{ROOT}/offices")
    assert office == asked(client, CSA)
    assert {"code": "otb-main", "name": "OTB Main"} in office["tracks"]
    assert client.get(office["page"]).status_code == 200


def test_the_rows_of_a_list_are_the_bytes_under_its_checksum_in_however_many_parts(
    client: Client, people: list[Player], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api, "ROWS", 3)
    told = list(parts(client, f"{CSA}/lists"))
    assert len(told) == RatingList.objects.count()
    for each in told:
        address = f"{CSA}/lists/{each['day']}/{each['track']}"
        assert asked(client, address) == each
        rows = list(parts(client, f"{address}/rows?revision={each['revision']}"))
        written = "".join(f"{row['player']},{row['rating']},{row['games']}\n" for row in rows)
        kept = RatingList.objects.get(on=each["day"], track=each["track"], revision=each["revision"])
        assert written.encode() == bytes(kept.content)
        assert each["sha256"] == kept.sha256


def test_latest_is_the_newest_list_and_a_track_narrows_them(client: Client, people: list[Player]) -> None:
    newest = published(people[0].federation, date(2024, 5, 1))
    assert newest
    assert asked(client, f"{CSA}/lists/latest/otb-main")["day"] == "2024-05-01"
    assert asked(client, f"{CSA}/lists/2024-04/otb-main")["day"] == "2024-04-01"
    assert [each["day"] for each in parts(client, f"{CSA}/lists?track=otb-main")] == [
        "2024-05-01",
        "2024-04-01",
    ]


def test_the_parts_of_the_latest_list_are_of_one_list_whatever_is_published_meanwhile(
    client: Client, csa: Federation, people: list[Player], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api, "ROWS", 3)
    address = f"{CSA}/lists/latest/otb-main/rows"
    whole = list(parts(client, address))
    first = asked(client, address)
    published(csa, date(2024, 5, 1))
    rest = list(parts(client, first["next"].removeprefix(SITE)))
    assert [*first["items"], *rest] == whole


def test_a_revision_that_the_latest_list_does_not_have_is_not_an_older_lists(
    client: Client, people: list[Player], csa: Federation
) -> None:
    again = RatingList.objects.get(on=date(2024, 4, 1), track="otb-main")
    again.supersedes_id, again.pk, again.revision = again.pk, None, 2
    again.save(force_insert=True)
    assert asked(client, f"{CSA}/lists/latest/otb-main?revision=2")["day"] == "2024-04-01"
    published(csa, date(2024, 5, 1))
    assert client.get(f"{CSA}/lists/latest/otb-main?revision=2").status_code == 404


def test_players_come_by_number_in_parts_and_are_found_by_name(
    client: Client, people: list[Player], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api, "AT_ONCE", 4)
    found = [each["number"] for each in parts(client, f"{CSA}/players")]
    assert found == [each.number for each in people]
    first = client.get(f"{CSA}/players")
    assert first.headers["Link"] == f'<{first.json()["next"]}>; rel="next"'
    named = [each["number"] for each in asked(client, f"{CSA}/players?q=person invented")["items"]]
    assert sorted(named) == sorted(each.number for each in people if each != people[1])
    [one] = asked(client, f"{CSA}/players?q={people[1].number}")["items"]
    assert (one["number"], one["name"], one["withheld"]) == (people[1].number, None, True)


def test_a_rating_of_a_day_is_told_as_known_and_as_published_then(
    client: Client, people: list[Player]
) -> None:
    page = f"{CSA}/players/{people[2].number}/ratings"
    today = asked(client, page)
    row = next(each for each in today["as_published"] if each["track"] == "otb-main")
    assert (row["list"], row["revision"]) == ("2024-04-01", 1)
    known = next(each for each in today["as_known"] if each["track"] == "otb-main")
    assert known["rating"] == row["rating"]
    told = client.get(f"{page}", headers={"Accept-Language": "cs"}).json()["as_known"]
    assert {each["status"] for each in told} == {"rated"}  # the rules' own word in every language
    first = people[0].federation.facts.exclude(on=None).order_by("on")[0].on
    before = asked(client, f"{page}?day={first}")
    assert before["day"] == str(first)
    assert before["as_published"] == []


def test_every_change_has_a_working_with_clauses_and_the_change_in_it(
    client: Client, people: list[Player]
) -> None:
    player = f"{CSA}/players/{people[2].number}"
    changes = list(parts(client, f"{player}/changes/otb-main"))
    assert changes
    for each in changes:
        working = asked(client, f"{player}/workings/otb-main/{each['line']}")
        assert working["change"] == each
        assert client.get(working["page"]).status_code == 200
    told = [asked(client, f"{player}/workings/otb-main/{each['line']}") for each in changes]
    steps = [step for each in told for step in each["steps"]]
    assert {step["clause"] for step in steps}
    assert "<" not in json.dumps(told)
    assert any(game["opponent"] for each in told for game in each["games"])


def test_changes_come_in_parts_newest_first(
    client: Client, people: list[Player], monkeypatch: pytest.MonkeyPatch
) -> None:
    address = f"{CSA}/players/{people[2].number}/changes/otb-main"
    whole = list(parts(client, address))
    monkeypatch.setattr(api, "AT_ONCE", 1)
    assert len(whole) > 1
    assert list(parts(client, address)) == whole


def test_a_rated_section_has_its_entrants_games_and_changes_and_another_only_its_head(
    client: Client, csa: Federation, people: list[Player]
) -> None:
    section = asked(client, f"{CSA}/events/2024-001/sections/A")
    assert {each["player"] for each in section["entrants"]} == {each.number for each in people}
    assert len(section["games"]) == Game.objects.filter(section__event__number="2024-001").count()
    assert len(section["changes"]) == Change.objects.filter(fact__number=section["line"]).count()
    submitted(csa, people, number="2024-003", seed=3)
    waiting = asked(client, f"{CSA}/events/2024-003/sections/A")
    assert waiting["stage"] == "submitted"
    assert (waiting["entrants"], waiting["games"], waiting["line"]) == ([], [], None)


def test_events_come_latest_first_in_parts(
    client: Client, people: list[Player], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api, "AT_ONCE", 1)
    assert [each["number"] for each in parts(client, f"{CSA}/events")] == ["2024-002", "2024-001"]


def test_what_was_withdrawn_is_in_no_answer(client: Client, people: list[Player]) -> None:
    Event.objects.filter(number="2024-002").update(state=Event.State.WITHDRAWN)
    Section.objects.filter(event__number="2024-001").update(stage=Stage.WITHDRAWN)
    [event] = asked(client, f"{CSA}/events")["items"]
    assert event["sections"] == []
    for address in ("2024-002", "2024-002/sections/A", "2024-001/sections/A"):
        assert client.get(f"{CSA}/events/{address}").status_code == 404


def test_the_regulations_have_their_clauses_and_the_numbers_of_the_program(
    client: Client, people: list[Player]
) -> None:
    [*_, newest] = asked(client, f"{CSA}/regulations")
    assert newest["clauses"]["47"]
    assert newest["parameters"]
    assert newest["grids"][0]["rows"]


# ---------------------------------------------------------------- what is told of people


def test_nothing_is_told_of_birth_and_sex_and_nobody_is_named_who_asked_not_to_be(
    client: Client, people: list[Player]
) -> None:
    for address in [f"{ROOT}/offices", *addresses(people)]:
        text = client.get(address).content.decode()
        for secret in ("2015", "WCM", "born", '"sex"', people[1].surname):
            assert secret not in text, (address, secret)
    assert asked(client, f"{CSA}/players/{people[1].number}")["name"] is None


def test_a_name_is_gone_from_every_answer_with_the_decision_that_withholds_it(
    client: Client, people: list[Player]
) -> None:
    before = [client.get(address) for address in addresses(people)]
    assert any(people[2].surname in each.content.decode() for each in before)
    Player.objects.filter(pk=people[2].pk).update(withheld=True)
    ledger = people[0].federation.ledger
    ledger.decisions += 1
    ledger.save(update_fields=["decisions"])
    for address, old in zip(addresses(people), before, strict=True):
        answer = client.get(address, headers={"If-None-Match": old.headers["ETag"]})
        assert answer.status_code == 200, address
        assert people[2].surname not in answer.content.decode(), address


def test_whose_name_is_deleted_is_withheld_in_the_files_of_lists_as_on_pages(
    client: Client, people: list[Player]
) -> None:
    forget_name(player=people[2], by=None, on=date(2024, 5, 1))
    here = "/csa/lists/2024-04/otb-main/r1"
    written: Any = client.get(f"{here}/names.json")
    found = json.loads(b"".join(written.streaming_content))["players"]
    assert [row["name"] for row in found if row["number"] == people[2].number] == ["withheld"]
    rows = parts(client, f"{CSA}/lists/latest/otb-main/rows")
    assert [row["name"] for row in rows if row["player"] == people[2].number] == [None]


def test_the_number_of_a_merged_entry_gives_the_player_who_stays(
    client: Client, people: list[Player]
) -> None:
    Player.objects.filter(pk=people[3].pk).update(merged_into=people[4])
    assert asked(client, f"{CSA}/players/{people[3].number}")["number"] == people[4].number
    assert people[3].number not in [each["number"] for each in parts(client, f"{CSA}/players")]


def test_before_the_merge_a_number_has_its_own_ratings_and_since_then_those_of_who_stays(
    client: Client, csa: Federation, people: list[Player]
) -> None:
    [other] = register(csa, 1, first=101000050)
    stays = people[9]
    approved(submitted(csa, [other, *people[2:9]], number="2024-005", seed=5), on=date(2024, 4, 10))
    merge_players(player=other, into=stays, by=None, on=date(2024, 6, 1), reason="one certificate")
    recompute_all(csa)
    page = f"{CSA}/players/{other.number}/ratings"
    assert asked(client, f"{page}?day=2024-05-31")["player"] == other.number
    assert asked(client, f"{page}?day=2024-06-01")["player"] == stays.number
    assert asked(client, page)["player"] == stays.number


def test_an_entrant_of_whom_the_file_tells_no_points_has_no_score(csa: Federation) -> None:
    [player] = register(csa, 1)
    entry = Entry(player=player, number=1)
    assert public_entrant(entry, limits_of(csa), None)["score"] is None


# ---------------------------------------------------------------- how it answers


def test_an_answer_is_kept_by_its_etag_and_open_to_pages_of_other_sites(
    client: Client, people: list[Player]
) -> None:
    for address in [f"{ROOT}/openapi.json", f"{ROOT}/offices", *addresses(people)]:
        answer = client.get(address)
        assert answer.headers["Access-Control-Allow-Origin"] == "*", address
        again = client.get(address, headers={"If-None-Match": answer.headers["ETag"]})
        assert (again.status_code, again.content) == (304, b""), address


@pytest.mark.parametrize(
    ("address", "status"),
    [
        (f"{ROOT}/", 404),
        (f"{ROOT}/nowhere", 404),
        (f"{ROOT}/offices/%0A", 404),
        (f"{ROOT}/offices/none", 404),
        (f"{ROOT}/offices/none/players", 404),
        (f"{CSA}/players/none", 404),
        (f"{CSA}/players/101000001/ratings?day=yesterday", 400),
        (f"{CSA}/players/101000001/ratings?day=9999-12-31", 404),
        (f"{CSA}/players/101000001/changes/none", 404),
        (f"{CSA}/players/101000001/workings/otb-main/999999", 404),
        (f"{CSA}/lists/2023-01-01/otb-main", 404),
        (f"{CSA}/lists/never/otb-main", 400),
        (f"{CSA}/lists/latest/none", 404),
        (f"{CSA}/lists/latest/otb-main?revision=7", 404),
        (f"{CSA}/lists/latest/otb-main?revision=x", 400),
        (f"{CSA}/lists/latest/otb-main?revision=-1", 400),
        (f"{CSA}/players?cursor=x", 400),
        (f"{CSA}/events?cursor=WyJ4IiwgIngiXQ", 400),
        (f"{CSA}/lists?cursor=WyJ4Il0", 400),
        (f"{CSA}/players?cursor={encode_cursor(chr(0))}", 400),
        (f"{CSA}/players?cursor=WyJcdWQ4MDAiXQ", 400),
        (f"{CSA}/lists/latest/otb-main/rows?cursor={encode_cursor(2**63, 1)}", 400),
        (f"{CSA}/players?q={'x' * 61}", 400),
    ],
)
def test_where_there_is_no_answer_a_problem_says_why(
    client: Client, people: list[Player], address: str, status: int
) -> None:
    answer = client.get(address)
    assert answer.status_code == status, answer.content
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert "ETag" not in answer.headers
    told = answer.json()
    assert (told["status"], told["type"]) == (status, "about:blank")
    assert len(told["detail"]) > 10


@pytest.mark.parametrize(
    ("asked", "language"), [("cs, en;q=0.5", "cs"), ("ru", "ru"), ("en", "en"), ("sw", "en"), ("", "en")]
)
def test_an_error_is_told_in_the_language_that_is_asked_for_and_data_in_one_for_all(
    client: Client, people: list[Player], asked: str, language: str
) -> None:
    headers = {"Accept-Language": asked}
    answers = [
        client.get(f"{CSA}/nowhere", headers=headers),
        client.get(f"{CSA}/players/999999999", headers=headers),
        client.get(f"{CSA}/lists/latest/otb-main?revision=x", headers=headers),
        client.get(f"{CSA}/players?cursor=x", headers=headers),
        client.post(f"{CSA}/players", headers=headers),
    ]
    english = [
        client.get(f"{CSA}/nowhere"),
        client.get(f"{CSA}/players/999999999"),
        client.get(f"{CSA}/lists/latest/otb-main?revision=x"),
        client.get(f"{CSA}/players?cursor=x"),
        client.post(f"{CSA}/players"),
    ]
    for answer, other in zip(answers, english, strict=True):
        assert answer.status_code == other.status_code
        assert answer["Content-Language"] == language
        assert "Accept-Language" in answer["Vary"]
        assert (answer.json()["detail"] == other.json()["detail"]) == (language == "en")
    assert client.get(CSA, headers=headers).content == client.get(CSA).content


def test_each_address_of_the_page_for_programs_answers_and_its_examples_run(
    client: Client, people: list[Player], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = client.get("/csa/programs/").content.decode()
    linked = set(re.findall(r'href="(/(?:api/v1|csa)/[^"#]*)"', page))
    assert len([each for each in linked if each.startswith("/api/v1/offices/csa")]) == 7
    for address in linked:
        assert client.get(unescape(address)).status_code in (200, 302), address
    fetched = []

    def fetch(address: str) -> io.BytesIO:
        fetched.append(address)
        return io.BytesIO(client.get(address).getvalue())

    monkeypatch.setattr("urllib.request.urlopen", fetch)
    [program] = re.findall(r'<code id="python">(.*?)</code>', page, re.DOTALL)
    exec(unescape(program), {})
    assert (
        len(capsys.readouterr().out.splitlines())
        == ListRow.objects.filter(rating_list__track="otb-main").count()
    )
    for command in re.findall(r'curl -sS &quot;([^&]+)&quot;|curl -sS "([^"]+)"', page):
        assert client.get("".join(command)).status_code == 200
    assert 'href="/api/v1/offices/csa"' in client.get("/ru/csa/programs/").content.decode()
    assert 'href="/csa/programs/"' in client.get("/csa/").content.decode()


def test_the_api_is_for_reading_alone(client: Client, people: list[Player]) -> None:
    for address in [f"{ROOT}/offices", *addresses(people)]:
        answer = client.post(address, {"name": "mine"})
        assert answer.status_code == 405, address
        assert answer.headers["Allow"] == "GET, HEAD"
        assert client.head(address).status_code == 200


def test_the_answer_is_the_same_for_whoever_is_signed_in(
    client: Client, people: list[Player], nomsa: Any
) -> None:
    before = [client.get(address).content for address in addresses(people)]
    client.force_login(nomsa)
    assert [client.get(address).content for address in addresses(people)] == before


def test_no_answer_asks_more_questions_for_more_rows(
    client: Client, csa: Federation, people: list[Player]
) -> None:
    same = addresses(people)
    before = [questions(client, address) for address in same]
    newcomers = register(csa, 30, first=101000201)
    for number in range(3, 6):
        approved(submitted(csa, people[:8] + newcomers, number=f"2024-00{number}", seed=number))
    published(csa, date(2024, 7, 1))
    assert [questions(client, address) for address in same] == before


def questions(client: Client, address: str) -> int:
    """Count the queries of an answer that nothing has been kept of."""
    page_cache.clear()
    with CaptureQueriesContext(connection) as asked_for:
        asked(client, address)
    return len(asked_for)


def test_the_description_names_every_address_and_its_errors(client: Client) -> None:
    told = asked(client, f"{ROOT}/openapi.json")
    assert told["openapi"].startswith("3.1")
    filing = told["paths"].pop("/offices/{office}/events/{event}/sections/{code}/file")
    assert {"application/octet-stream", "multipart/form-data"} == set(
        filing["post"]["requestBody"]["content"]
    )
    assert all(each["security"] and "401" in each["responses"] for each in filing.values())
    ids = [each["get"]["operationId"] for each in told["paths"].values()]
    assert len(set(ids)) == len(ids)
    assert {"offices", "office", "players", "player"} <= set(ids), "names that clients are generated from"
    assert told["servers"] == [{"url": f"{SITE}{ROOT}"}]
    assert len(told["paths"]) == 14
    for path, operations in told["paths"].items():
        assert path.startswith("/offices"), path
        [(method, operation)] = operations.items()
        assert method == "get"
        assert operation["description"], path
        assert "application/json" in operation["responses"]["200"]["content"]
        assert {
            *(
                media
                for status, answer in operation["responses"].items()
                if int(status) >= 400
                for media in answer["content"]
            )
        } <= {"application/problem+json"}


def test_the_description_gives_each_field_the_meaning_that_the_dump_gives_its_column(client: Client) -> None:
    schemas = asked(client, f"{ROOT}/openapi.json")["components"]["schemas"]
    shared = {"players": "PublicPlayer", "lists": "PublicList", "list_rows": "PublicRow"}
    for table in TABLES:
        fields = schemas[shared[table.name]]["properties"] if table.name in shared else {}
        for column in table.columns:
            if column.name in fields and column.name != "player":
                described = fields[column.name]["description"]
                assert described[1:].startswith(f"{column.words[1:]}."), (table.name, column.name)


def test_the_example_of_the_document_prints_the_first_ten(
    client: Client, people: list[Player], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (settings_of_site.ROOT / "docs/programs.md").read_text(encoding="utf-8")
    code = text.partition("```python\n")[2].partition("```")[0]

    def urlopen(address: str) -> io.BytesIO:
        path = address.removeprefix(SITE).removeprefix("http://127.0.0.1:8000")
        return io.BytesIO(client.get(path).content)

    monkeypatch.setattr(urllib.request, "urlopen", urlopen)
    exec(code, {})
    lines = capsys.readouterr().out.splitlines()
    kept = RatingList.objects.get(track="otb-main").rows.select_related("player").order_by("position")
    assert lines == [
        f"{row.rank} {row.player.number if row.player.withheld else row.player.name} {plain(row.rating)}"
        for row in kept[:10]
    ]


@pytest.fixture
def one_connection() -> Iterator[None]:
    """Requests of another program's client leave the test's own connection open, as those of Django's do."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.mark.verifiers
def test_every_answer_is_as_the_description_says(people: list[Player], one_connection: None) -> None:
    """By a program of others, which reads the description and asks whatever it allows: every second time for
    something that there is. A NUL is refused before the API is asked.
    """
    import schemathesis
    from schemathesis import checks

    change = Change.objects.filter(player=people[2], track="otb-main").order_by("-order")[0]
    there = {
        "office": "csa",
        "number": people[2].number,
        "track": "otb-main",
        "line": change.fact.number,
        "day": "latest",
        "event": "2024-001",
        "code": "A",
    }
    schema: Any = schemathesis.openapi.from_wsgi(f"{ROOT}/openapi.json", WSGIHandler())
    held = [
        checks.not_a_server_error,
        *checks.CHECKS.get_by_names(
            ["status_code_conformance", "content_type_conformance", "response_schema_conformance"]
        ),
    ]
    statuses: Counter[tuple[str, int]] = Counter()
    operations = [each.ok() for each in schema.get_all_operations()]
    operations = [each for each in operations if not each.path.endswith("/file")]  # these need a key
    for operation in operations:
        ask(operation, there, held, statuses)
    assert {path for path, status in statuses if status == 200} == {each.path for each in operations}
    assert {status for _path, status in statuses} >= {200, 404}


def ask(operation: Any, there: dict[str, Any], held: list[Any], statuses: Counter[tuple[str, int]]) -> None:
    """Ask one operation for what its description allows, and hold each answer against it."""

    @given(case=operation.as_strategy(), known=booleans())
    @settings(max_examples=25, suppress_health_check=list(HealthCheck))
    def answers(case: Any, known: bool) -> None:
        if known:
            case.path_parameters = {name: there[name] for name in case.path_parameters or {}}
            case.query = {name: text for name, text in (case.query or {}).items() if name != "cursor"}
        assume("\\u0000" not in json.dumps([case.path_parameters, dict(case.query or {})]))
        response = case.call(headers={"Accept-Encoding": "identity"})
        case.validate_response(response, checks=held)
        statuses[operation.path, response.status_code] += 1

    answers()


def test_the_stages_and_states_of_the_description_are_those_of_the_record() -> None:
    fields = api.PublicEvent.model_fields, api.PublicSectionHead.model_fields
    assert get_args(fields[0]["state"].annotation) == tuple(Event.State.values)
    assert get_args(fields[1]["stage"].annotation) == tuple(Stage.values)
