"""The Grand Prix on its page, season by season, and the play-off that an official records (PFO 16, 17)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta

import pytest
from django.test import Client

from conftest import appointed
from players.models import Decision, Federation, Ledger, Role
from players.record import Refused
from players.writing import page_cache
from ratings import ranks
from ratings.intake import import_journal
from ratings.models import Fact
from ratings.rule_tables import get_shown_tables, ties_on
from ratings.rulesets import journal
from ratings.tests.files import table_of
from ratings.tests.journals import journal_of
from ratings.tests.office import recompute_all
from ratings.tests.pfo_record import DAY, SEASON, Office
from ratings.verify import verify

pytestmark = pytest.mark.django_db
WEEK = timedelta(7)
TODAY = date(2012, 1, 1)
PAGE = "/pfo/tables/grand-prix/"
RECORD = f"/pfo/tables/play-off/?season={SEASON}"


@pytest.fixture
def office() -> Federation:
    """Basia and Celina share first place of one season; of the next, Adam is alone there."""
    page_cache.clear()
    record = Office()
    record.rate("1 Basia 1-0 Adam\n2 Celina 1-0 Adam", places="Basia =Celina Adam")
    record.rate("1 Adam 1-0 Basia", season="2010/2011", id="2010-001/A", ends=DAY + 52 * WEEK)
    written = journal_of(record.ruleset, record.facts)
    federation = import_journal(journal.read_journal(written.splitlines()), on=TODAY)
    recompute_all(federation)
    return federation


@pytest.fixture
def official(office: Federation, client_of: Callable[..., Client]) -> Client:
    return client_of(appointed("Nomsa", office, Role.OFFICIAL))


def first_of(office: Federation, season: str = SEASON) -> list[str]:
    (table,) = [
        each for each in get_shown_tables(office, TODAY) if each.name == "standing" and each.part == season
    ]
    return [str(row[1]) for row in table.rows if row[0] == 1]


def record(office: Federation, winner: str, season: str = SEASON) -> Fact:
    player = office.players.get(number=winner)
    return ranks.record_playoff(federation=office, season=season, winner=player, by=None, on=TODAY)


def test_the_newest_season_is_shown_and_the_others_are_a_step_away(
    office: Federation, client: Client
) -> None:
    newest = client.get(PAGE).content.decode()
    assert "Grand Prix of Poland, 2010/2011" in newest
    assert "part=2009%2F2010" in newest
    assert "Places at the World Championship" in newest
    older = client.get(f"{PAGE}?part=2009/2010").content.decode()
    assert "Grand Prix of Poland, 2009/2010" in older
    assert "Places at the World Championship" not in older, "the newest season alone qualifies"
    assert client.get(f"{PAGE}?part=2030/2031").status_code == 404


def test_16_17_every_column_that_decides_is_there(office: Federation, client: Client) -> None:
    rows = table_of(client.get(f"{PAGE}standing.csv?part={SEASON}").content)
    assert ",".join(rows[0]) == (
        "place,player_number,player,points,best,every-game-won,tournaments-won,games-won,note"
    )
    assert [",".join(row) for row in rows[1:3]] == [
        "1,Basia,Basia,110,110,1,1,1,",
        "1,Celina,Celina,110,110,1,1,1,",
    ]
    page = client.get(f"{PAGE}?part={SEASON}").content.decode()
    assert "Tournaments won" in page
    assert "MAKS" in page


def test_17_an_official_records_the_play_off_of_a_tie(office: Federation, official: Client) -> None:
    assert first_of(office) == ["Basia", "Celina"]
    assert "tables/play-off/" in official.get(f"{PAGE}?part={SEASON}").content.decode()
    question = official.get(RECORD).content.decode()
    assert "Basia" in question
    assert "Adam" not in question
    answer = official.post(RECORD, {"winner": "Celina"})
    assert answer.headers["Location"] == f"{PAGE}?part=2009%2F2010"
    fact = Fact.objects.filter(federation=office).latest("number")
    assert (fact.kind, '"winner":"Celina"' in fact.line) == ("playoff", True)
    decision = Decision.objects.filter(federation=office).latest("number")
    assert (decision.kind, decision.about) == ("record-playoff", "season 2009/2010")
    recompute_all(office)
    assert first_of(office) == ["Celina"]
    assert "Won the play-off" in official.get(f"{PAGE}?part={SEASON}").content.decode()
    assert verify(office).differences == []


def test_d_pfo_7_of_several_the_last_stands(office: Federation) -> None:
    record(office, "Celina")
    record(office, "Basia")
    recompute_all(office)
    assert first_of(office) == ["Basia"]


def test_only_where_the_table_shows_the_tie(office: Federation, official: Client) -> None:
    lines = Ledger.objects.get(federation=office).facts
    with pytest.raises(Refused, match="Nobody shares first place"):
        record(office, "Adam", "2010/2011")
    with pytest.raises(Refused, match="does not share"):
        record(office, "Adam")
    other = "/pfo/tables/play-off/?season=2010/2011"
    for answer in (official.get(other, follow=True), official.post(other, {"winner": "Adam"}, follow=True)):
        assert "Nobody shares the first place of this season" in answer.content.decode()
    assert official.post(RECORD, {"winner": "Adam"}).status_code == 400
    assert official.post(RECORD, {}).status_code == 400
    assert Ledger.objects.get(federation=office).facts == lines
    assert set(ties_on(office, TODAY)) == {SEASON}


def test_the_same_winner_is_recorded_once(office: Federation) -> None:
    record(office, "Celina")
    with pytest.raises(Refused, match="already"):
        record(office, "Celina")


def test_nobody_but_an_official_records_it(
    office: Federation, client: Client, client_of: Callable[..., Client]
) -> None:
    region = client_of(appointed("Amahle", office, Role.REGIONAL, office.regions.all()[0]))
    head = client_of(appointed("Thandi", office, Role.ADMINISTRATOR))
    for reader in (client, region, head):
        assert "tables/play-off/" not in reader.get(f"{PAGE}?part={SEASON}").content.decode()
    for reader in (region, head):
        assert reader.get(RECORD).status_code == 403
        assert reader.post(RECORD, {"winner": "Celina"}).status_code == 403
    assert client.post(RECORD, {"winner": "Celina"}).status_code == 302
    assert not Fact.objects.filter(kind="playoff").exists()


def test_preamble_qualification_stands_by_its_priority(office: Federation, client: Client) -> None:
    head, *rows = table_of(client.get(f"{PAGE}qualification.csv").content)
    assert ",".join(head) == "priority,way,player_number,player,note"
    assert [row[0] for row in rows] == sorted(row[0] for row in rows)
