"""Downloads of a rated section: written anew, read back as they were played, and what they say of people."""

from __future__ import annotations

import csv
import io
from datetime import date
from decimal import Decimal

import pytest
from django.test import Client

from players.models import Federation, Identifier, Player
from ratings.cross_tables import CrossTable
from ratings.models import Fact
from ratings.pages.events import layouts_of
from ratings.statement import Balance, Movement
from ratings.tests.office import approved, published, register, submitted
from tests.built_once import built_once
from tournaments.formats import read_any
from tournaments.models import Bye, Entry, Event, Game, Section, Stage
from tournaments.tests.test_table_filing import Opened, opened

__all__ = ["opened"]
pytestmark = pytest.mark.django_db
PAGE = "/csa/events/2024-002/A/"
ALL = ("standings.csv", "table.csv", "trf16.trf", "trf26.trf")
OF_PLAY = ALL[1:]


@pytest.fixture
@built_once
def rated(csa: Federation) -> Section:
    """A section of ten players, the first a girl with a women's title, the second withheld."""
    players = register(csa, 10)
    Player.objects.filter(pk=players[0].pk).update(born=2015, title="WCM")
    Player.objects.filter(pk=players[1].pk).update(withheld=True)
    for number, on in (("2024-000", date(2024, 3, 1)), ("2024-001", date(2024, 3, 20))):
        approved(submitted(csa, players, number=number, ends=on))
    published(csa, date(2024, 4, 1))
    section = submitted(csa, players, number="2024-002", ends=date(2024, 4, 10), seed=2)
    section.entries.update(birth="2015-05-03", sex="f", filed_id="FILED99")
    last = section.games.order_by("-order")[0]
    Bye.objects.create(section=section, round=last.round, entry=last.first, kind="pairing")
    Bye.objects.create(section=section, round=last.round, entry=last.second, kind="zero")
    last.delete()
    approved(section)
    section.refresh_from_db()
    return section


def content(client: Client, name: str, page: str = PAGE) -> bytes:
    answer = client.get(page + name)
    assert answer.status_code == 200, name
    assert answer.headers["X-Robots-Tag"] == "noindex"
    return bytes(answer.content)


def standings(client: Client, query: str = "") -> list[dict[str, str]]:
    text = content(client, f"standings.csv{query}").decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text)))


@pytest.mark.parametrize("name", OF_PLAY)
def test_what_is_written_is_read_back_as_it_was_played(client: Client, rated: Section, name: str) -> None:
    read = read_any(content(client, name))
    assert read.sheet is not None
    assert not read.blocked
    entries = {entry.pk: entry for entry in rated.entries.all()}
    told = {
        (g.round, entries[g.first_id].number, entries[g.second_id].number, g.result)
        for g in rated.games.all()
    }
    assert {(g.round, g.first, g.second, g.result) for g in read.sheet.games} == told
    byes = {(bye.round, entries[bye.entry_id].number, bye.kind) for bye in rated.byes.all()}
    assert {(bye.round, bye.player, bye.kind) for bye in read.sheet.byes} == byes
    assert len(read.sheet.rows) == 10


@pytest.mark.parametrize("name", OF_PLAY)
def test_of_a_child_no_file_tells_birth_or_sex_and_of_who_is_withheld_the_number_alone(
    client: Client, rated: Section, name: str
) -> None:
    sheet = read_any(content(client, name)).sheet
    assert sheet is not None
    child, hidden, grown = sheet.rows[:3]
    assert (child.sex, child.born, child.birth, child.title) == (None, None, None, "")
    assert "Invented00" in child.name
    assert (hidden.name, hidden.sex, hidden.born, hidden.federation) == ("withheld", None, None, "")
    assert (grown.sex, grown.born, grown.birth) == ("f", 1982, None)


@pytest.mark.parametrize("name", ALL)
def test_nothing_of_the_file_as_it_came_is_in_any(client: Client, rated: Section, name: str) -> None:
    text = content(client, name).decode("utf-8-sig")
    for secret in ("2015", "WCM", "FILED99", "Invented01"):
        assert secret not in text, secret


def test_the_standings_have_the_rating_that_the_reader_chose(client: Client, rated: Section) -> None:
    rated_line = Fact.objects.get(kind="rated", subject=rated.key)
    for track in ("otb-main", "otb-standard"):
        rows = CrossTable(rated, rated_line, track).rows
        found = standings(client, f"?track={track}")
        assert [row["name"] for row in found] == [row.name for row in rows]
        for row, shown in zip(found, rows, strict=True):
            numbers = [Decimal(row[name] or 0) for name in ("before", "at_once", "waits", "after")]
            moved = shown.movement.as_shown(1) if shown.movement else Movement(Balance(), Balance())
            assert numbers[1:3] == [moved.at_once, moved.waits]
            assert numbers[0] + numbers[1] == numbers[3]
    assert client.get(f"{PAGE}standings.csv?track=none").status_code == 404


def test_a_text_that_a_spreadsheet_would_take_for_a_formula_is_disarmed(
    client: Client, rated: Section
) -> None:
    Player.objects.filter(surname="Invented03").update(surname="=1+1", name_key="1 1")
    for name in ("standings.csv", "table.csv"):
        assert '"=1+1' not in content(client, name).decode("utf-8-sig")


@pytest.mark.parametrize("query", ["trf16.csv", "none.csv", "xml.trf", "standings.trf"])
def test_a_layout_that_there_is_not_is_not_found(client: Client, rated: Section, query: str) -> None:
    assert client.get(PAGE + query).status_code == 404


@pytest.mark.parametrize("stage", [stage for stage in Stage if stage != Stage.RATED])
def test_there_is_no_file_before_a_section_is_rated_nor_once_it_is_un_rated(
    client: Client, rated: Section, stage: Stage
) -> None:
    Section.objects.filter(pk=rated.pk).update(stage=stage)
    for name in ALL:
        assert client.get(PAGE + name).status_code == 404


def layouts(section: Section) -> tuple[str, ...]:
    return layouts_of(CrossTable(Section.objects.get(pk=section.pk), None))


def test_trf_is_offered_where_it_has_room_for_the_play(client: Client, rated: Section) -> None:
    assert layouts(rated) == ("standings", "trf16", "trf26", "table")
    page = client.get(PAGE).content.decode()
    assert all(f'href="{name}"' in page for name in ALL)
    game = rated.games.filter(round=1)[0]
    Game.objects.filter(pk=game.pk).update(result="annulled")
    assert layouts(rated) == ("standings", "table")
    assert client.get(f"{PAGE}trf16.trf").status_code == 404
    Game.objects.filter(pk=game.pk).update(result="1-0")
    twice = Game.objects.create(
        section=rated, order=999, round=1, first=game.second, second=game.first, result="1/2"
    )
    assert layouts(rated) == ("standings", "table")
    twice.delete()
    rated.games.all().delete()
    rated.byes.all().delete()
    assert layouts(rated) == ("standings", "table")


def test_teams_and_arbiters_stand_in_the_file_and_no_arbiters_contact(client: Client, rated: Section) -> None:
    Section.objects.filter(pk=rated.pk).update(team=True)
    rated.entries.filter(number__lte=5).update(team="Knights")
    arbiters = [
        {"name": "Thabo Mokoena, thabo@example.org", "title": "IA"},
        {"name": "Ann Other", "title": ""},
    ]
    Event.objects.filter(pk=rated.event_id).update(arbiters=arbiters)
    text = content(client, "trf16.trf").decode()
    assert "102 IA Thabo Mokoena\r\n" in text
    assert "112 Ann Other\r\n" in text
    sheet = read_any(text.encode()).sheet
    assert sheet is not None
    assert [(team.name, team.members) for team in sheet.teams] == [("Knights", (1, 3, 4, 5))]


def test_engines_are_asked_to_leave_the_files_out(client: Client) -> None:
    rules = client.get("/robots.txt").content.decode().splitlines()
    assert {"Disallow: /*.csv", "Disallow: /*.trf", "Disallow: /*.elo"} <= set(rules)


def test_an_entry_without_a_player_goes_by_the_name_it_was_filed_under(rated: Section) -> None:
    Entry.objects.filter(section=rated, number=4).update(player=None)
    assert "Invented03, Person" in {row.name for row in CrossTable(rated, None).rows}


# ---------------------------------------------------------------- files of othello and mahjong


def rated_of(section: Section, kind: str, first: str) -> list[Player]:
    """Rate a section of four players as far as its page asks: the second a child, the third withheld, and all
    but the fourth with a number elsewhere.
    """
    office = section.event.federation
    players = list(Player.objects.filter(federation=office).order_by("pk")[:4])
    for at, player in enumerate(players, 1):
        Player.objects.filter(pk=player.pk).update(
            born=2015 if at == 2 else 1980, withheld=at == 3, nation="POL"
        )
        if at < 4:
            Identifier.objects.create(federation=office, kind=kind, value=f"{first}{at}", player=player)
        Entry.objects.create(
            section=section, number=at, surname="Filed", player=player, place=at, points=4 - at, discs=40 + at
        )
    Section.objects.filter(pk=section.pk).update(stage=Stage.RATED)
    return players


def test_an_othello_section_goes_home_as_an_elo_file(client: Client, opened: Opened) -> None:
    section = opened("pfo", "swiss", status="gpp", season="2025/2026")
    players = rated_of(section, "wof", "70")
    entries = list(section.entries.order_by("number"))
    pairs = [(1, 0, 1, "1-0"), (1, 2, 3, "1/2"), (2, 3, 0, "0-1"), (2, 1, 2, "0-1")]
    for order, (round_, one, other, result) in enumerate(pairs, 1):
        Game.objects.create(
            section=section,
            order=order,
            round=round_,
            first=entries[one],
            second=entries[other],
            result=result,
        )
    page = f"/pfo/events/{section.event.number}/{section.code}/"
    assert 'href="elo.elo"' in client.get(page).content.decode()
    sheet = read_any(content(client, "elo.elo", page)).sheet
    assert sheet is not None
    assert [(g.round, g.first - 1, g.second - 1, g.result) for g in sheet.games] == pairs
    assert [row.discs for row in sheet.rows] == [41, 42, 43, 44]
    grown, child, hidden, numberless = sheet.rows
    assert (grown.identifier, grown.surname) == ("701", players[0].surname)
    assert (child.identifier, child.surname) == (None, players[1].surname)
    assert (hidden.identifier, hidden.surname, hidden.first_name, hidden.federation) == (
        None,
        "withheld",
        "",
        "",
    )
    assert (numberless.identifier, numberless.other_ids[0].is_provisional) == (None, True)
    Game.objects.filter(order=1).update(result="+:-")
    assert client.get(f"{page}elo.elo").status_code == 404  # the format has no forfeits
    assert 'href="elo.elo"' not in client.get(page).content.decode()


@pytest.mark.parametrize("layout", ["ema", "portal"])
def test_a_mahjong_section_goes_home_as_a_table_of_places(
    client: Client, opened: Opened, layout: str
) -> None:
    section = opened("mahjong", "placement", status="city")
    players = rated_of(section, "ema", "0418000")
    page = f"/mahjong/events/{section.event.number}/{section.code}/"
    assert f'href="{layout}.csv"' in client.get(page).content.decode()
    reading = read_any(content(client, f"{layout}.csv", page))
    assert reading.sheet is not None
    assert not reading.blocked
    assert [row.place for row in reading.sheet.rows] == [1, 2, 3, 4]
    assert [row.points for row in reading.sheet.rows] == [3, 2, 1, 0]
    grown, child, hidden, _numberless = reading.sheet.rows
    assert (grown.surname, grown.other_ids[0].value) == (players[0].surname, "04180001")
    assert (child.surname, child.other_ids) == (players[1].surname, ())
    assert (hidden.surname, hidden.first_name, hidden.federation, hidden.other_ids) == (
        "withheld",
        "",
        "",
        (),
    )
