"""An imagined section gives what the office's rating of that very section gives; and it leaves no trace."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import pytest

from players.models import Federation, Ledger, Player
from ratings import approval
from ratings.journal import get_new_line_day
from ratings.models import Change, Standing
from ratings.rulesets import facts, rulesets
from ratings.rulesets.facts import Working
from ratings.rulesets.profile import WhatIf, equipment_of
from ratings.rulesets.ruleset import Ruleset
from ratings.tests.office import not_known, recompute_all
from ratings.tests.test_every_office import imported
from ratings.tests.test_previews_write_nothing import read_only
from ratings.what_if import (
    IMAGINED_ID,
    ImaginedGame,
    ImaginedSection,
    Opponent,
    build_imagined_rating,
    build_section,
)
from ratings.workings import explain_change
from tournaments.models import Bye, Entry, Event, Game, Section, Stage
from tournaments.sections import dump_particulars

pytestmark = pytest.mark.django_db

ANSWERS: dict[str, list[dict[str, Any]]] = {
    "csa": [
        {"minutes": 90, "platform": "otb"},
        {"minutes": 90, "platform": "otb", "first": True},
        {"minutes": 15, "platform": "online", "rounds": 5},
        {"minutes": 15, "platform": "online", "rounds": 6},
        {"minutes": 5, "platform": "mixed", "team": True, "rounds": 9},
    ],
    "ssdc": [
        {"time_class": "classic", "category": "second", "place": 1},
        {"time_class": "blitz", "category": "fourth"},
    ],
    "pfo": [
        {"status": "gpp", "season": "2029/2030", "place": 2},
        {"status": "egp", "season": "2029/2030", "place": 5},
        {"status": "egp", "season": "2029/2030", "place": 5, "place_at_home": 2},
        {"status": "egp", "season": "2029/2030", "place": 5, "abroad": True},
        {"status": "woc", "season": "2029/2030", "place": 20},
    ],
    "piskvorky": [{}],
    "mahjong": [
        {"status": "national", "players": 16, "place": 1},
        {"status": "special", "coefficient": 2, "players": 2, "place": 2},
    ],
}
RESULTS = ["1-0", "0-1", "1/2", "0-1"]
cases = pytest.mark.parametrize(
    ("ruleset", "answers"),
    [(rulesets()[slug], answers) for slug, each in ANSWERS.items() for answers in each],
    ids=[f"{slug} {number}" for slug, each in ANSWERS.items() for number, _answers in enumerate(each)],
)


def asked_of(office: Federation) -> WhatIf:
    asked = office.equipment.what_if
    assert asked is not None
    return asked


def rated_people(office: Federation) -> list[Player]:
    """The players with a rating in the most tracks, with the most games first."""
    people: dict[int, list[int]] = {}
    rows = Standing.objects.filter(federation=office, rating__isnull=False)
    for player, games in rows.values_list("player_id", "games"):
        people.setdefault(player, []).append(games)
    order = sorted(people, key=lambda pk: (-len(people[pk]), -max(people[pk]), pk))
    found = Player.objects.of(office).current().in_bulk(order)
    return [found[pk] for pk in order if pk in found]


def next_day(office: Federation) -> date:
    return get_new_line_day(office, date.min) + timedelta(1)


def said_by(office: Federation, answers: dict[str, Any], results: list[str]) -> ImaginedSection:
    hero, *others = rated_people(office)
    results = results if asked_of(office).by_games else []
    games = [
        ImaginedGame(Opponent(other.number, other), bool(at % 2), result)
        for at, (other, result) in enumerate(zip(others, results, strict=False))
    ]
    return ImaginedSection(hero, next_day(office), answers, tuple(games))


def played_and_rated(office: Federation, said: ImaginedSection) -> list[Change]:
    """The changes of the hero by the very section, filed and approved."""
    section = really_filed(office, build_section(asked_of(office), said))
    births = not_known(section)
    fact = approval.approve(section=section, by=None, on=said.ends, version=section.version, births=births)
    recompute_all(office)
    rows = Change.objects.filter(fact=fact, player=said.player)
    return list(rows.select_related("fact__federation", "fact__takes", "fact__section__event", "player"))


def unnamed(working: Working) -> str:
    """A working without the id of its own section."""
    return re.sub(rf"'(\d{{4}}-900|{IMAGINED_ID})/A'", "own", repr(working))


def really_filed(office: Federation, record: facts.Section) -> Section:
    region = office.regions.first()
    assert region is not None
    event = Event.objects.create(
        federation=office,
        number=f"{record.starts.year}-900",
        name=record.event,
        region=region,
        starts=record.starts,
        ends=record.ends,
        registered_on=record.starts - timedelta(30),
        country=record.country or "",
    )
    section = Section.objects.create(
        event=event,
        code="A",
        name="A",
        stage=Stage.SUBMITTED,
        starts=record.starts,
        ends=record.ends,
        format=record.format,
        rounds=record.rounds,
        team=record.team,
        particulars=dump_particulars(record, office.ruleset),
    )
    entries = {}
    last = max((entry.place or 0 for entry in record.entries), default=0)
    for number, entry in enumerate(record.entries, start=1):
        player = Player.objects.filter(federation=office, number=entry.player).first()
        player = player or made_up(office, number, abroad=entry.player.startswith("*abroad"))
        entries[entry.player] = Entry.objects.create(
            section=section,
            number=number,
            surname=player.surname,
            player=player,
            place=entry.place or last + number,
        )
    for order, game in enumerate(record.games, start=1):
        Game.objects.create(
            section=section,
            order=order,
            round=game.round,
            first=entries[game.first],
            second=entries[game.second],
            result=game.result,
        )
    for bye in record.byes:
        Bye.objects.create(section=section, round=bye.round, entry=entries[bye.player], kind=bye.kind)
    return section


def made_up(office: Federation, number: int, *, abroad: bool) -> Player:
    return Player.objects.create(
        federation=office,
        number=f"999{number:06}",
        surname=f"Madeup{number}",
        first_name="Person",
        nation="" if abroad else office.ruleset.country,
    )


@cases
def test_an_imagined_section_gives_what_the_section_itself_gives_when_it_is_rated(
    ruleset: Ruleset, answers: dict[str, Any]
) -> None:
    office, _written = imported(ruleset)
    said = said_by(office, answers, RESULTS)
    imagined = build_imagined_rating(office, asked_of(office), said)
    own = said.player.number
    ahead = {
        track: (each.before and each.before.rating, each.points, each.after.rating, each.after.games)
        for track, each in imagined.changes(own).items()
    }
    workings = {track: imagined.working(own, track) for track in ahead}
    rated = played_and_rated(office, said)
    assert {each.track: (each.before, each.points, each.after, each.games) for each in rated} == ahead
    assert ahead
    for each in rated:
        told = explain_change(each)
        beside = tuple(table for table in told.tables if table.name != "earlier")  # of what is stored alone
        assert unnamed(replace(told, tables=beside)) == unnamed(workings[each.track])


@cases
def test_imagining_reads_only_and_asks_for_neither_birth_nor_sex(
    ruleset: Ruleset, answers: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    office, _written = imported(ruleset)
    said = said_by(office, answers, RESULTS)
    for name in ("born", "sex"):
        monkeypatch.setattr(Player, name, property(refuse))
    ledger = Ledger.objects.values().get(federation=office)
    with read_only():
        imagined = build_imagined_rating(office, asked_of(office), said)
        for track in imagined.changes(said.player.number):
            imagined.working(said.player.number, track)
    assert Ledger.objects.values().get(federation=office) == ledger


def refuse(player: Player) -> None:
    raise AssertionError("Neither birth nor sex may be read here.")


def test_pfo_17_the_players_ahead_in_an_imagined_european_grand_prix_are_those_from_abroad_and_at_home() -> (
    None
):
    asked = equipment_of(rulesets()["pfo"]).what_if
    assert asked is not None
    further = asked.further({"status": "egp", "place": 5, "place_at_home": 2}, 3)
    assert [entry.place for entry in further.entries] == [1, 2, 3, 4]
    assert len(further.foreign) == 3
    assert asked.further({"status": "gpp", "place": 5}, 3).entries == ()
