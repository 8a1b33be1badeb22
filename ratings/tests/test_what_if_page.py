"""The page *What if …*: what it asks, what it answers, what it refuses, and what it never tells."""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
import time_machine
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from players.models import Federation, Player, update_name_words
from players.writing import page_cache
from ratings.journal import AFTER_EVERYTHING
from ratings.pages.what_if import MOST_ROWS
from ratings.results import state_before
from ratings.rulesets import rulesets
from ratings.rulesets.pfo.profile import usual_season
from ratings.statement import read_balances
from ratings.tests.office import approved, register, submitted
from ratings.tests.test_every_office import imported
from ratings.tests.test_what_if import next_day, rated_people
from ratings.tests.test_what_if_limits import office_of, somebody
from tests.built_once import built_once
from tests.pages import unbroken

pytestmark = pytest.mark.django_db
PAGE = "/csa/players/101000001/what-if/"
TODAY = "2024-06-03 10:00:00+02:00"
SECTION = {"worked": "1", "minutes": "90", "platform": "otb"}
MOST_QUERIES = 25


@pytest.fixture
@built_once
def players(csa: Federation) -> list[Player]:
    """Ten players with ratings over the board, and two without any."""
    people = register(csa, 12)
    for player, surname in zip(people[2:], ("Mokoena", "Naidoo"), strict=False):
        player.surname, player.name_key = surname, surname.lower()
        player.save()
    update_name_words(people)
    for number, day in (("2024-001", 1), ("2024-002", 10)):
        approved(submitted(csa, people[:10], number=number, ends=date(2024, 4, day), seed=day))
    page_cache.clear()
    return people


def rows(*games: tuple[str, str, str]) -> dict[str, str]:
    """The part of an address with these games: opponent, rating, result."""
    found = {"rows": str(max(1, len(games)))}
    for at, (who, rating, result) in enumerate(games, start=1):
        found |= {f"g{at}-who": who, f"g{at}-rating": rating, f"g{at}-result": result}
    return found


def asked(client: Client, query: dict[str, str], status: int = 200, page: str = PAGE) -> str:
    with time_machine.travel(TODAY, tick=False):
        answer = client.get(page, query)
    assert answer.status_code == status, answer.content.decode()
    return unbroken(answer.content.decode())


def test_a_section_against_a_number_a_name_and_a_rating_is_rated(
    client: Client, players: list[Player]
) -> None:
    games = rows(("101000002", "", "win"), ("Mokoena", "", "draw"), ("", "1650", "loss"))
    page = asked(client, SECTION | games)
    assert "What would follow" in page
    assert "Opponent of row 3" in page
    assert "1650" in page
    assert "OTB Main" in page
    assert "Hybrid Standard" in page


def test_without_a_question_the_page_says_what_comes_next(client: Client, players: list[Player]) -> None:
    page = asked(client, {})
    assert "What comes next" in page
    assert "What would follow" not in page
    assert 'content="noindex"' in page


def test_the_player_s_page_leads_there(client: Client, players: list[Player]) -> None:
    assert PAGE in client.get("/csa/players/101000001/").content.decode()


@pytest.mark.parametrize(
    ("games", "words"),
    [
        (rows(("", "", "win")), "Write the opponent&#x27;s number or name, or a rating."),
        (rows(("101000002", "", "")), "Choose how the game ends."),
        (rows(("101000001", "", "win")), "This is the player of the page."),
        (rows(("999999999", "", "win")), "has the number or the name “999999999”"),
        (rows(("Nobody", "", "win")), "has the number or the name “Nobody”"),
        (rows(("Person", "", "win")), "Several players have such a name"),
        (rows(("101000002", "1500", "win")), "is measured at the rating of the record"),
        (rows(("101000012", "", "win")), "Write the pre-rating to take instead"),
        (rows(("101000012", "1201", "win")), "Write the pre-rating to take instead"),
        (rows(("", "0", "win")), "greater than or equal to 1"),
        (rows(("", "4001", "win")), "less than or equal to 4000"),
        (rows(("", "1500", "resigned")), "Select a valid choice"),
        (rows(), "Write the opponent&#x27;s number or name, or a rating."),
        (rows(("", "1500", "win")) | {"on": "2024-06-02"}, "Choose today or a later day."),
        (rows(("", "1500", "win")) | {"on": "2026-06-05"}, "Choose a day up to 2026-06-04."),
        (rows(("", "1500", "win")) | {"rounds": "61"}, "less than or equal to 60"),
    ],
)
def test_what_cannot_be_computed_is_told_by_row_and_exactly(
    client: Client, players: list[Player], games: dict[str, str], words: str
) -> None:
    assert words in asked(client, SECTION | games, 400)


def test_all_that_is_wrong_is_told_at_once_and_leads_to_its_field(
    client: Client, players: list[Player]
) -> None:
    games = rows(("Nobody", "", "win"), ("", "1500", ""), ("101000002", "", ""))
    page = asked(client, SECTION | games | {"minutes": ""}, 400)
    head = page.split('class="form-errors"')[1].split("</div>")[0]
    assert re.findall(r'href="#(.*?)"', head) == ["id_minutes", "id_g1-who", "id_g2-result", "id_g3-result"]
    assert "Game 2, Result: Choose how the game ends." in head


@pytest.mark.parametrize(
    "games",
    [
        rows(("101000012", "1200", "win")),
        rows(("", "1", "win")),
        rows(("", "4000", "win")),
        rows(("", "1500", "win")) | {"on": "2024-06-03"},
        rows(("", "1500", "win")) | {"on": "2026-06-04"},
        rows(("", "1500", "win")) | {"rounds": "60"},
    ],
)
def test_what_is_just_within_the_limits_is_computed(
    client: Client, players: list[Player], games: dict[str, str]
) -> None:
    assert "What would follow" in asked(client, SECTION | games)


def test_what_no_office_could_rate_is_told_by_its_clause_and_the_limit_is_rated(
    client: Client, players: list[Player]
) -> None:
    games = rows(("", "1500", "win"))
    assert "Blitz" in asked(client, SECTION | games | {"minutes": "5"})
    page = asked(client, SECTION | games | {"minutes": "4"}, 400)
    assert "What would follow" not in page
    assert "message-error" in page


def test_a_gain_needs_four_fifths_of_the_rounds(client: Client, players: list[Player]) -> None:
    """csa 47: four of five rounds are enough, four of six are not."""
    games = rows(*[("", "1500", "win")] * 4)
    enough = asked(client, SECTION | games | {"rounds": "5"})
    too_few = asked(client, SECTION | games | {"rounds": "6"})
    assert changes_in(enough)[0] > 0
    assert changes_in(too_few)[0] == 0


def test_a_winner_loses_nothing_and_somebody_else_does(client: Client, players: list[Player]) -> None:
    """csa 68."""
    games = rows(("", "600", "draw"))
    assert changes_in(asked(client, SECTION | games))[0] < 0
    assert changes_in(asked(client, SECTION | games | {"first": "on"}))[0] == 0


def changes_in(page: str) -> list[float]:
    """The changes in the table of ratings."""
    table = page.split('id="result"')[1].split("</table>")[0]
    cells = re.findall(r'<td class="num">(.*?)</td>', table)[1::3]
    numbers = (re.search(r"[+−-]?[\d.]+", re.sub(r"<[^>]+>", " ", cell)) for cell in cells)
    return [float(number[0].replace("−", "-")) if number else 0.0 for number in numbers]


def test_a_row_is_added_without_javascript_and_what_was_written_stays(
    client: Client, players: list[Player]
) -> None:
    page = asked(client, SECTION | rows(("101000002", "", "win"), ("", "", "")) | {"add": "1"})
    assert 'name="g3-who"' in page
    assert 'value="101000002"' in page
    assert "What would follow" not in page


def test_there_are_no_more_rows_than_the_limit(client: Client, players: list[Player]) -> None:
    page = asked(client, SECTION | {"rows": "999", "add": "1"})
    assert f'name="g{MOST_ROWS}-who"' in page
    assert f'name="g{MOST_ROWS + 1}-who"' not in page
    assert "Add a row" not in page


def test_who_asked_not_to_be_named_is_withheld_and_no_name_finds_them(
    client: Client, players: list[Player]
) -> None:
    Player.objects.filter(number__in=["101000001", "101000003"]).update(withheld=True)
    page = asked(client, SECTION | rows(("101000003", "", "win")))
    assert "withheld" in page
    assert "Invented00" not in page
    assert "Mokoena" not in page
    page = asked(client, SECTION | rows(("Mokoena", "", "win")), 400)
    assert "has the number or the name “Mokoena”" in page


def test_an_entry_merged_into_another_leads_to_who_stays(client: Client, players: list[Player]) -> None:
    Player.objects.filter(number="101000012").update(merged_into=players[0])
    assert client.get("/csa/players/101000012/what-if/")["Location"] == PAGE


def test_no_day_of_birth_is_read(client: Client, players: list[Player]) -> None:
    with CaptureQueriesContext(connection) as queries:
        asked(client, SECTION | rows(("101000002", "", "win"), ("Naidoo", "", "win")))
    text = " ".join(query["sql"] for query in queries.captured_queries)
    assert "birthdate" not in text.lower()


def test_the_page_asks_as_much_for_thirty_opponents_as_for_one(client: Client, players: list[Player]) -> None:
    one = queries_of(client, SECTION | rows(("101000002", "", "win")))
    many = [(f"1010000{2 + at % 9:02}", "", "win") for at in range(MOST_ROWS)]
    assert queries_of(client, SECTION | rows(*many)) <= one + 1 <= MOST_QUERIES


def queries_of(client: Client, query: dict[str, str]) -> int:
    with CaptureQueriesContext(connection) as queries:
        asked(client, query)
    writing = [each["sql"] for each in queries.captured_queries if not each["sql"].startswith("SELECT")]
    assert not writing
    return len(queries.captured_queries)


# ---------------------------------------------------------------- the other rulesets

ANSWERS: dict[str, dict[str, Any]] = {
    "ssdc": {"time_class": "classic", "category": "second", "place": "1"},
    "pfo": {"status": "gpp", "season": "2029/2030", "place": "2"},
    "piskvorky": {},
    "mahjong": {"status": "national", "players": "16", "place": "1"},
}
OTHERS = pytest.mark.parametrize("slug", sorted(ANSWERS))


@OTHERS
def test_each_ruleset_has_its_page(client: Client, slug: str) -> None:
    office, _written = imported(rulesets()[slug])
    hero, *others = rated_people(office)
    page_cache.clear()
    page = f"/{office.code}/players/{hero.number}/what-if/"
    games = rows(*[(other.number, "", "win") for other in others[:3]], ("", "1700", "loss"))
    with time_machine.travel(next_day(office), tick=False):
        first = client.get(page)
        answer = client.get(page, {"worked": "1", **ANSWERS[slug], **games})
    assert first.status_code == 200
    text = unbroken(answer.content.decode())
    assert answer.status_code == 200, text
    assert "What would follow" in text
    assert "Step by step" in text
    assert 'id="scores"' in text
    assert "imagined/A" not in text


def test_a_place_beyond_the_players_is_refused_and_the_last_is_not(client: Client) -> None:
    office, _written = imported(rulesets()["mahjong"])
    hero = rated_people(office)[0]
    page_cache.clear()
    page = f"/{office.code}/players/{hero.number}/what-if/"
    told = {"worked": "1", "status": "city", "players": "8"}
    with time_machine.travel(next_day(office), tick=False):
        assert client.get(page, told | {"place": "8"}).status_code == 200
        answer = client.get(page, told | {"place": "9"})
    assert answer.status_code == 400
    assert "There are 8 players, so that nobody comes 9." in answer.content.decode()


def test_a_first_rating_takes_ten_games(client: Client, players: list[Player]) -> None:
    """csa 54: nine games leave the player unrated."""
    page = "/csa/players/101000011/what-if/"
    nine, ten = ([("", "1500", "draw")] * count for count in (9, 10))
    told = asked(client, SECTION | rows(*nine), page=page)
    assert "1500.0" not in told.split('id="result"')[1].split("</table>")[0]
    assert "1500.0" in asked(client, SECTION | rows(*ten), page=page)


@pytest.mark.parametrize(
    "query", [{}, SECTION | rows(("101000002", "", "win"), ("101000012", "1200", "loss"))]
)
def test_other_births_and_sexes_in_the_register_change_nothing_that_is_told(
    client: Client, players: list[Player], query: dict[str, str]
) -> None:
    before = asked(client, query)
    Player.objects.update(born=2016, sex="f")
    child = asked(client, query)
    Player.objects.update(born=None, sex="")
    assert before == child == asked(client, query)


def test_who_has_played_nothing_yet_reads_what_a_first_rating_takes(
    client: Client, players: list[Player]
) -> None:
    """csa 54: ten games."""
    page = asked(client, {}, page="/csa/players/101000011/what-if/")
    assert "0 played, 10 more needed" in page.split('id="next"')[1].split("</section>")[0]


def test_what_holds_of_every_rating_is_said_once(client: Client, players: list[Player]) -> None:
    page = asked(client, {})
    assert page.count("with or without further games") == 1


def test_the_rating_after_an_event_has_the_points_in_it_that_wait_for_the_next_list(
    client: Client, players: list[Player]
) -> None:
    """csa 67: a new rating is the old one and all changes of the month."""
    people = list(Player.objects.of(players[0].federation).order_by("number")[:10])
    approved(submitted(players[0].federation, people, number="2024-003", ends=date(2024, 5, 20), seed=20))
    page_cache.clear()
    table = asked(client, SECTION | rows(("", "1500", "draw"))).split('id="result"')[1].split("</table>")[0]
    row = re.sub(r'<span class="visually-hidden">.*?</span>', "", table.split("<tbody>")[1].split("</tr>")[0])
    row = re.sub(r"<[^>]+>", " ", row).replace("−", "-")
    before, waits, after, total = map(Decimal, re.findall(r"[+-]?\d+\.\d", row))
    office, place = players[0].federation, (people[0].number, "otb-standard")
    state = state_before(office, AFTER_EVERYTHING, {people[0].number})
    now = read_balances(office.ruleset, state, date(2024, 6, 3))[place].as_shown(1)
    assert now.waiting
    assert before == after == now.rating
    assert total == before + now.waiting + waits


def test_no_table_of_scores_is_shown_where_no_score_gives_a_rating(
    client: Client, players: list[Player]
) -> None:
    page = asked(client, SECTION | rows(("", "1500", "draw")), page="/csa/players/101000011/what-if/")
    assert 'id="scores"' not in page


@pytest.mark.parametrize("slug", sorted(rulesets()))
def test_who_moves_first_is_asked_where_the_law_reads_it_and_the_form_opens_with_usual_answers(
    client: Client, slug: str
) -> None:
    office = office_of(slug)
    somebody(office, "1")
    page = asked(client, {}, page=f"/{slug}/players/1/what-if/")
    assert ('name="g1-side"' in page) is (slug == "csa")
    required = [part for part in page.split("<select")[1:] if " required" in part.split(">")[0]]
    assert not [part for part in required if '<option value=""' in part.split("<h3>")[0]]
    assert ('value="2023/2024"' in page) is (slug == "pfo")


def test_pfo_a_season_begins_in_december() -> None:
    seasons = [
        usual_season(day)["season"] for day in (date(2009, 11, 30), date(2009, 12, 1), date(2010, 1, 1))
    ]
    assert seasons == ["2008/2009", "2009/2010", "2009/2010"]
