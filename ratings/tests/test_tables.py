"""What else the rules yield, on pages and as files; and the rank that an official confirms."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.db.models import F
from django.http import QueryDict
from django.test import Client
from django.test.utils import CaptureQueriesContext

from conftest import appointed
from players.models import Decision, Federation, Ledger, Player, Role
from players.record import Refused
from players.writing import page_cache
from ratings import ranks
from ratings.intake import import_journal
from ratings.models import Fact, RatingList
from ratings.pages.rule_tables import load_names, tables_context, worded_table
from ratings.rule_tables import get_rank_proposals, get_shown_tables
from ratings.rulesets import journal, rulesets
from ratings.rulesets.facts import RuleTable, State
from ratings.rulesets.profile import Publication, equipment_of, pages_of
from ratings.rulesets.ssdc import RULESET
from ratings.tests.office import recompute_all, stored
from ratings.verify import verify
from tests.built_once import built_once
from tests.pages import unbroken

pytestmark = pytest.mark.django_db
EXAMPLES = Path(__file__).parent.parent / "rulesets"
TODAY = date(2026, 1, 1)
RANKS = "/ssdc/tables/ranks/"


def office_of(example: str) -> Federation:
    """An office from one of a ruleset's own examples."""
    record = journal.read_journal((EXAMPLES / example).read_bytes().splitlines())
    federation = import_journal(record, on=TODAY)
    recompute_all(federation)
    return federation


@pytest.fixture
@built_once
def ssdc(db: None) -> Federation:
    page_cache.clear()
    return office_of("ssdc/examples/3-ranks-and-a-late-approval.ndjson")


@pytest.fixture
def nomsa_there(ssdc: Federation, client_of: Callable[..., Client]) -> Client:
    return client_of(appointed("Nomsa", ssdc, Role.OFFICIAL))


def test_every_office_leads_to_the_pages_that_its_rules_have_and_only_those(client: Client) -> None:
    page_cache.clear()
    for slug, ruleset in rulesets().items():
        example = sorted((EXAMPLES / slug / "examples").glob("*.ndjson"))[0]
        federation = office_of(f"{slug}/examples/{example.name}")
        index = client.get(f"/{federation.code}/tables/").content.decode()
        home = client.get(f"/{federation.code}/").content.decode()
        assert f'href="/{federation.code}/events/check-file/"' in index, slug
        for page in pages_of(ruleset):
            address = f"/{federation.code}/tables/{page.code}/"
            places = 1 if page.calculator else 2  # in the navigation, if no tool, and on the first page
            assert home.count(f'href="{address}"') == places
            assert f'href="{address}"' in index
            assert client.get(address).status_code == 200


def test_every_table_that_pages_show_stands_on_one_of_them() -> None:
    for slug, ruleset in rulesets().items():
        shown = {t.name for t in ruleset.editions[-1].rules.tables(State(), TODAY) if t.shown}
        assert {name for page in pages_of(ruleset) for name in page.tables} >= shown, slug


def test_a_table_on_no_page_of_the_ruleset_gets_one(monkeypatch: pytest.MonkeyPatch) -> None:
    pageless = replace(equipment_of(RULESET), publication=Publication(decimals=0))
    monkeypatch.setattr("ratings.rulesets.profile.equipment_of", lambda ruleset: pageless)
    (page,) = pages_of(replace(RULESET))  # another object: pages are kept by ruleset
    assert page.tables == ("proposals", "confirmed-ranks")


def test_there_is_no_page_that_the_rules_do_not_have(ssdc: Federation, client: Client) -> None:
    assert client.get("/ssdc/tables/coefficients/").status_code == 404
    assert client.get("/ssdc/tables/ranks/coefficients.csv").status_code == 404


# ---------------------------------------------------------------- what stands on them


def test_people_events_and_clauses_lead_on(ssdc: Federation, client: Client) -> None:
    proposal = get_rank_proposals(ssdc, TODAY)[0]
    page = unbroken(client.get(RANKS).content.decode())
    assert f'href="/ssdc/players/{proposal["player"]}/"' in page
    assert f'href="/ssdc/events/{proposal["section"]}/"' in page
    assert f'class="clause" href="/ssdc/regulations/#clause-{proposal["clause"]}"' in page
    name = Player.objects.of(ssdc).get(number=proposal["player"]).shown_name
    assert f">{name}</a></th>" in page


def test_who_is_withheld_is_named_nowhere(ssdc: Federation, client: Client) -> None:
    proposal = get_rank_proposals(ssdc, TODAY)[0]
    player = Player.objects.of(ssdc).get(number=proposal["player"])
    name = player.name
    for address in (RANKS, f"{RANKS}proposals.csv"):
        assert name in client.get(address).content.decode().replace('"', "")
    Player.objects.filter(pk=player.pk).update(withheld=True)
    for address in (RANKS, f"{RANKS}proposals.csv"):
        told = client.get(address).content.decode().replace('"', "")
        assert name not in told
        assert "withheld" in told


def test_a_table_is_a_file_too(ssdc: Federation, client: Client) -> None:
    answer = client.get(f"{RANKS}proposals.csv")
    lines = answer.content.decode().splitlines()
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    assert "ssdc-proposals-" in answer["Content-Disposition"]
    assert lines[0] == "player_number,player,held,rank,clause,figure,section"
    assert len(lines) == 1 + len(get_rank_proposals(ssdc, TODAY))
    first = get_rank_proposals(ssdc, TODAY)[0]
    assert first["player"] in lines[1]
    assert first["section"] in lines[1]


def test_a_page_costs_no_more_queries_the_more_it_shows(ssdc: Federation) -> None:
    def queries(count: int) -> int:
        proposals = next(each for each in get_shown_tables(ssdc, TODAY) if each.name == "proposals")
        table = replace(proposals, rows=proposals.rows[:count])
        with CaptureQueriesContext(connection) as captured:
            assert len(worded_table(table, load_names(ssdc, [table])).rows) == count
        return len(captured)

    assert len(get_rank_proposals(ssdc, TODAY)) > 1
    assert queries(1) == queries(len(get_rank_proposals(ssdc, TODAY))) == 3


def test_a_name_is_found_on_whatever_page_of_a_long_table_it_stands(ssdc: Federation) -> None:
    people = list(Player.objects.of(ssdc).exclude(surname="").order_by("number"))
    filling = tuple((f"no {n}", n) for n in range(200))
    tables = [
        RuleTable("ranks", ("player", "rank"), (*filling, (people[0].number, 1), (people[1].number, 2))),
        RuleTable("proposals", ("rank",), (("row",),)),
    ]

    def found(query: str) -> list[str]:
        context = tables_context(tables, ssdc, QueryDict(query))
        assert context["findable"]
        return [cells[0].words for table in context["tables"] for cells, _values in table.rows]

    assert found(f"find={people[0].number}") == [people[0].shown_name]
    assert found(f"find={people[0].surname} {people[0].first_name}") == [people[0].shown_name]
    assert found("find=nobody") == []
    Player.objects.filter(pk=people[0].pk).update(withheld=True)
    assert found(f"find={people[0].surname} {people[0].first_name}") == []


def test_a_long_table_is_cut_into_pages(ssdc: Federation, client: Client) -> None:
    table = RuleTable("proposals", ("rank",), tuple((f"row {n}",) for n in range(101)))
    pages = [
        worded_table(table, load_names(ssdc, []), QueryDict(f"proposals-page={n}"))
        for n in ("1", "2", "3", "9", "x")
    ]
    assert [len(page.rows) for page in pages] == [50, 50, 1, 1, 50]
    assert [(bool(page.earlier), bool(page.later)) for page in pages[:3]] == [
        (False, True),
        (True, True),
        (True, False),
    ]
    assert pages[0].total == 101
    assert "proposals-page=2" in pages[0].later


def test_an_office_without_play_says_so_kindly(client: Client) -> None:
    page_cache.clear()
    for slug, ruleset in rulesets().items():
        office = Federation.objects.create(code=f"{slug}-new", name="New", ruleset_slug=slug)
        Ledger.objects.create(federation=office)
        for page in pages_of(ruleset):
            told = client.get(f"/{office.code}/tables/{page.code}/")
            assert told.status_code == 200, page.code
            if not page.calculator:
                assert "Results appear when events are rated." in told.content.decode(), page.code


# ---------------------------------------------------------------- ranks


def test_an_official_confirms_a_proposed_rank(ssdc: Federation, nomsa_there: Client) -> None:
    proposal = get_rank_proposals(ssdc, TODAY)[0]
    asked = {name: proposal[name] for name in ("player", "rank", "clause")}
    assert "/ssdc/tables/confirm/?player=" in nomsa_there.get(RANKS).content.decode()
    question = nomsa_there.get("/ssdc/tables/confirm/", asked).content.decode()
    assert "never withdrawn" in question
    assert f"/ssdc/events/{proposal['section']}/" in question
    before = Decision.objects.filter(federation=ssdc).count()
    answer = nomsa_there.post("/ssdc/tables/confirm/", asked)
    assert answer.headers["Location"] == RANKS
    fact = Fact.objects.filter(kind="rank").latest("number")
    assert fact.subject == proposal["player"]
    assert f'"ground":"SSDC {proposal["clause"]}"' in fact.line
    decision = Decision.objects.filter(federation=ssdc).latest("number")
    assert Decision.objects.filter(federation=ssdc).count() == before + 1
    assert (decision.kind, decision.by and decision.by.name) == ("confirm-rank", "Nomsa")
    recompute_all(ssdc)
    assert proposal not in get_rank_proposals(ssdc, TODAY)
    assert verify(ssdc).differences == []


def test_the_player_s_page_tells_the_rank_and_what_waits(ssdc: Federation, client: Client) -> None:
    proposal = get_rank_proposals(ssdc, TODAY)[0]
    address = f"/ssdc/players/{proposal['player']}/"
    words = RULESET.words.messages[proposal["rank"]]
    before = client.get(address).content.decode()
    assert f"{words}: there is a ground" in before
    confirmed = confirm(ssdc, proposal)
    recompute_all(ssdc)
    after = client.get(address).content.decode()
    assert f"Sports rank {words}, confirmed on" in after
    assert "there is a ground" not in after
    assert confirmed.on is not None


def confirm(ssdc: Federation, proposal: dict[str, str], **other: Any) -> Fact:
    player = ssdc.players.get(number=proposal["player"])
    said = {"rank": proposal["rank"], "clause": proposal["clause"]} | other
    return ranks.confirm_rank(federation=ssdc, player=player, by=None, on=TODAY, **said)


def test_ssdc_4_1_a_list_has_the_rank_that_was_awarded_and_n_for_none_on_pages_and_in_files(
    ssdc: Federation, client: Client
) -> None:
    shown = RatingList.objects.filter(federation=ssdc).latest("on")
    [listed] = shown.rows.values_list("player__number", flat=True)
    [proposal] = [each for each in get_rank_proposals(ssdc, TODAY) if each["player"] == listed]
    for rank in ("N", proposal["rank"]):
        address = f"{shown.get_absolute_url()}r{shown.revision}/"
        text = b"".join(client.get(f"{address}list.csv").streaming_content).decode()  # type: ignore[attr-defined]
        assert [row["title"] for row in csv.DictReader(text.splitlines())] == [rank]
        assert f'<span class="muted">{rank}</span>' in client.get(shown.get_absolute_url()).content.decode()
        assert f">{rank} " in client.get(f"{address}print/").content.decode()
        if rank == "N":
            confirm(ssdc, proposal)
            recompute_all(ssdc)


def test_a_recompute_with_nothing_to_fold_touches_nothing(ssdc: Federation) -> None:
    before = stored(ssdc)
    Ledger.objects.filter(federation=ssdc).update(wanted=F("wanted") + 1)
    recompute_all(ssdc)
    assert stored(ssdc) == before != ([], [])
    assert verify(ssdc).differences == []


def test_the_public_and_a_region_are_offered_no_confirmation(
    ssdc: Federation, client: Client, client_of: Callable[..., Client]
) -> None:
    region = client_of(appointed("Amahle", ssdc, Role.REGIONAL, ssdc.regions.all()[0]))
    proposal, before = get_rank_proposals(ssdc, TODAY)[0], Fact.objects.filter(kind="rank").count()
    for reader in (client, region):
        assert "/tables/confirm/" not in reader.get(RANKS).content.decode()
    assert region.get("/ssdc/tables/confirm/", proposal).status_code == 403
    assert region.post("/ssdc/tables/confirm/", proposal).status_code == 403
    assert get_rank_proposals(ssdc, TODAY)[0] == proposal
    assert Fact.objects.filter(kind="rank").count() == before


def test_a_rank_that_the_rules_do_not_know_is_refused(ssdc: Federation) -> None:
    with pytest.raises(Refused, match="no rank"):
        confirm(ssdc, get_rank_proposals(ssdc, TODAY)[0], rank="Emperor")


def test_2_5_2_a_rank_without_a_ground_is_refused_and_nothing_is_written(ssdc: Federation) -> None:
    proposal = get_rank_proposals(ssdc, TODAY)[0]
    lines = Ledger.objects.get(federation=ssdc).facts
    other = next(rank for rank in reversed(RULESET.journal.ranks) if rank != proposal["rank"])
    with pytest.raises(Refused, match="no ground"):
        confirm(ssdc, proposal, rank=other)
    with pytest.raises(Refused, match="no ground"):
        confirm(ssdc, proposal, clause="2.4.2" if proposal["clause"] == "2.4.1" else "2.4.1")
    assert Ledger.objects.get(federation=ssdc).facts == lines


def test_a_rank_is_confirmed_once_however_often_the_button_is_pressed(ssdc: Federation) -> None:
    proposal = get_rank_proposals(ssdc, TODAY)[0]
    confirm(ssdc, proposal)
    with pytest.raises(Refused, match="confirmed already"):
        confirm(ssdc, proposal)


def test_a_rank_whose_ground_went_meanwhile_is_not_asked_for(ssdc: Federation, nomsa_there: Client) -> None:
    gone = {"player": get_rank_proposals(ssdc, TODAY)[0]["player"], "rank": "G", "clause": "2.4.1"}
    answer = nomsa_there.get("/ssdc/tables/confirm/", gone, follow=True)
    assert answer.redirect_chain == [(RANKS, 302)]
    assert "The rules do not propose this rank, or do not propose it any more." in answer.content.decode()
