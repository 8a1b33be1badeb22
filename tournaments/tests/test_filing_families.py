"""Files of othello and mahjong through the real pages and the worker, in their offices and in others'."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.test import Client

from players.models import Identifier, Player
from ratings.rulesets import rulesets
from tournaments.acceptance import get_filed_nation
from tournaments.models import Entry, Section, Stage
from tournaments.pages.details import DetailsForm
from tournaments.sections import OWN_PREFIX, section_fact
from tournaments.tests.conftest import Send, address, enter, fresh
from tournaments.tests.elo_files import ELO, PLACES
from tournaments.tests.event_files import open_file
from tournaments.tests.placement_files import EMA, PORTAL
from tournaments.tests.test_table_filing import Opened, keep_details, keys, opened, submit, vera

__all__ = ["opened", "vera"]
Vera = Callable[[Section], Client]
OTHELLO = (("Nowak", "Anna"), ("Kowalski", "Jan"), ("Wójcik", "Ewa"), ("Lis", "Ola"))
NUMBERS = ("700", "707", "", "1025")
FOUR_MORE = (("Волков", "Олег"), ("Козлова", "Анна"), ("Морозов", "Илья"), ("Павлова", "Ирина"))


@pytest.fixture
def othello(opened: Opened) -> Section:
    """A section of the Grand Prix; the register has its four players, three with the world's numbers."""
    section = opened("pfo", "swiss", status="gpp", season="2025/2026")
    office = section.event.federation
    for at, ((surname, first), number) in enumerate(zip(OTHELLO, NUMBERS, strict=True), 21):
        player = enter(office, surname, first, 1980, "", number=str(at), nation="POL")
        if number:
            Identifier.objects.create(federation=office, kind="wof", value=number, player=player)
    return section


@pytest.fixture
def mahjong(opened: Opened) -> Section:
    section = opened("mahjong", "placement", status="city")
    office = section.event.federation
    orlov = Player.objects.get(federation=office, number="91")
    Identifier.objects.create(federation=office, kind="ema", value="04180001", player=orlov)
    return section


def matched(section: Section) -> list[str | None]:
    entries = section.entries.select_related("player").order_by("number")
    return [entry.player.number if entry.player else None for entry in entries]


def decide(client: Client, section: Section, send: Send, chosen: dict[int, str]) -> None:
    """Say on the players' page who of the register these entries are."""
    players = Player.objects.filter(federation=section.event.federation)
    answers = {f"player-{entry}": str(players.get(number=number).pk) for entry, number in chosen.items()}
    send(client, address(section, "players/decide"), answers | {"version": str(fresh(section).version)})


def test_an_elo_file_comes_in_with_its_players_discs_and_places(
    othello: Section, vera: Vera, upload: Send, send: Send
) -> None:
    client = vera(othello)
    upload(client, othello, (ELO + PLACES).encode(), "20260307_Wiosna.ELO")
    filed = fresh(othello)
    assert (filed.stage, filed.uploads.get().dialect) == (Stage.FILED, "ELO")
    assert matched(filed) == ["21", "22", None, "24"]
    assert [(entry.place, entry.discs) for entry in filed.entries.all()] == [
        (2, 80),
        (1, 68),
        (3, 52),
        (3, 56),
    ]
    assert {"places-needed", "id-kind-needed"} & keys(filed) == set()
    page = client.get(address(othello, "findings")).content.decode()
    assert "A part of the tournament without a number" in page
    assert "%%Added results" in page


def test_an_elo_file_goes_on_to_be_submitted_and_keeps_the_order_of_its_games(
    othello: Section, vera: Vera, upload: Send, send: Send
) -> None:
    client = vera(othello)
    upload(client, othello, (ELO + PLACES).encode())
    ewa = Player.objects.get(federation=othello.event.federation, number="23")
    entry = fresh(othello).entries.get(number=3)
    assert (entry.match, [each["player"] for each in entry.candidates]) == (Entry.Match.DOUBTFUL, [ewa.pk])
    decide(client, othello, send, {3: ewa.number})
    assert matched(fresh(othello)) == ["21", "22", "23", "24"]
    keep_details(client, othello, send, rounds="2", **{"round-2": "2026-03-08"})
    keep_details(client, othello, send)
    assert list(fresh(othello).findings.blocking().values_list("key", flat=True)) == []
    submit(client, othello, send)
    assert fresh(othello).stage == Stage.SUBMITTED
    fact = section_fact(fresh(othello))
    assert (fact.rounds, fresh(othello).finals) == (2, ["Added results"])
    assert [(game.round, game.first, game.second, game.result) for game in fact.games] == [
        (1, "21", "22", "1-0"),
        (1, "24", "23", "1/2"),
        (2, "21", "24", "1-0"),
        (2, "22", "23", "1-0"),
        (3, "21", "22", "0-1"),
    ]


def test_places_that_the_file_lacks_are_asked(othello: Section, vera: Vera, upload: Send) -> None:
    upload(vera(othello), othello, ELO.encode())
    assert "places-needed" in keys(othello, "asks")
    assert "Final places" in vera(othello).get(address(othello, "details")).content.decode()


@pytest.mark.parametrize(
    ("day", "asked"), [("07/03/2026", False), ("08/03/2026", False), ("09/03/2026", True)]
)
def test_a_first_day_outside_the_event_is_asked_about_and_moves_no_day(
    othello: Section, vera: Vera, upload: Send, day: str, asked: bool
) -> None:
    upload(vera(othello), othello, ELO.replace("07/03/2026 - 08/03/2026", day).encode())
    assert ("dates-differ" in keys(othello, "asks")) == asked
    assert (fresh(othello).starts, fresh(othello).ends) == (othello.event.starts, othello.event.ends)


@pytest.mark.parametrize(("text", "certain"), [(PORTAL, ["91", None, None, None]), (EMA, ["91", None, None])])
def test_a_table_of_places_comes_in_and_ema_numbers_find_their_players(
    mahjong: Section, vera: Vera, upload: Send, text: str, certain: list[str | None]
) -> None:
    client = vera(mahjong)
    upload(client, mahjong, text.encode("cp1251"), "results.csv")
    filed = fresh(mahjong)
    assert filed.stage == Stage.FILED
    assert matched(filed) == certain
    assert filed.games.count() == 0
    assert {"places-needed", "id-kind-needed", "games-beside-places"} & keys(filed) == set()
    assert [entry.place for entry in filed.entries.all()] == [1, 2, 2, 4][
        : filed.entries.count()
    ] or text == EMA


def test_a_table_of_places_is_submitted_once_everybody_is_known(
    mahjong: Section, vera: Vera, upload: Send, send: Send
) -> None:
    client = vera(mahjong)
    more = [(f"5,{surname} {first},50,6,,true", surname, first) for surname, first in FOUR_MORE]
    for at, (_line, surname, first) in enumerate(more, 95):
        enter(mahjong.event.federation, surname, first, 1990, "", number=str(at), nation="RUS")
    upload(
        client,
        mahjong,
        (PORTAL.replace("130", "90") + "\n".join(line for line, *_ in more)).encode(),
        "results.csv",
    )
    decide(client, mahjong, send, {entry: str(90 + entry) for entry in range(2, 9)})
    keep_details(client, mahjong, send, rounds="3")
    assert list(fresh(mahjong).findings.blocking().values_list("key", flat=True)) == []
    submit(client, mahjong, send)
    assert fresh(mahjong).stage == Stage.SUBMITTED
    places = [(entry.player, entry.place) for entry in section_fact(fresh(mahjong)).entries]
    assert places[:4] == [("91", 1), ("92", 2), ("93", 2), ("94", 4)]
    assert places[4:] == [(str(number), 5) for number in range(95, 99)]


@pytest.mark.parametrize(("written", "nation"), [("RUS", "RUS"), ("blr", "BLR"), ("", ""), ("RU", "RUS")])
def test_the_only_regions_code_may_be_the_countrys_and_is_a_nation_then(
    mahjong: Section, written: str, nation: str
) -> None:
    mahjong.event.federation.regions.update(code="RUS")
    assert get_filed_nation(Entry(section=mahjong, federation=written)) == nation


def test_substitutes_stop_the_filing_with_their_line(mahjong: Section, vera: Vera, upload: Send) -> None:
    upload(vera(mahjong), mahjong, PORTAL.replace("Зайцев Пётр", "Замены").encode())
    assert "placement-substitutes" in keys(mahjong, "blocks")
    page = vera(mahjong).get(address(mahjong, "findings")).content.decode()
    assert "remove the row" in page
    assert "Decide about each under Players" in page


def test_substitutes_are_no_player_to_decide_about(mahjong: Section, vera: Vera, upload: Send) -> None:
    upload(vera(mahjong), mahjong, PORTAL.replace("Зайцев Пётр", "Замены").encode())
    page = vera(mahjong).get(address(mahjong, "players")).content.decode()
    assert "Замены" not in page
    assert keys(mahjong, "asks") == {"players-doubtful"}
    assert [entry.name for entry in mahjong.entries.filter(match="none")] == ["Замены"]
    upload(vera(mahjong), mahjong, PORTAL.encode())
    assert "Зайцев" in vera(mahjong).get(address(mahjong, "players")).content.decode()


FILES = {"elo": ELO.encode(), "ema": EMA.encode(), "portal": PORTAL.encode(), "trf": open_file()}


@pytest.mark.parametrize(
    ("slug", "family", "reads"),
    [
        ("pfo", "elo", ""),
        ("pfo", "trf", ""),
        ("pfo", "ema", ".ELO, TRF16, TRF26"),
        ("mahjong", "ema", ""),
        ("mahjong", "elo", "EMA, mahjong portal"),
        ("mahjong", "trf", "EMA, mahjong portal"),
        ("ssdc", "portal", "TRF16, TRF26"),
    ],
)
def test_a_federation_refuses_the_kinds_of_files_that_it_does_not_read(
    slug: str, family: str, reads: str, opened: Opened, vera: Vera, upload: Send
) -> None:
    section = opened(slug, "placement" if slug == "mahjong" else "swiss")
    upload(vera(section), section, FILES[family], "a.txt")
    page = vera(section).get(address(section, "file")).content.decode()
    assert (fresh(section).stage == Stage.REGISTERED) == bool(reads)
    assert fresh(section).entries.exists() != bool(reads)
    assert ("which this federation does not read" in page) == bool(reads)
    if reads:
        assert f"It reads {reads}" in page


@pytest.mark.parametrize(
    ("slug", "offered"),
    [("pfo", ".ELO, TRF16"), ("mahjong", "EMA, mahjong portal"), ("piskvorky", "TRF16, TRF26")],
)
def test_the_page_offers_what_the_federation_reads_and_says_what_was_made_by_description(
    slug: str, offered: str, opened: Opened, vera: Vera
) -> None:
    section = opened(slug, "placement" if slug == "mahjong" else "swiss")
    page = vera(section).get(address(section, "file")).content.decode()
    assert offered in page
    assert "(by description)" in page
    assert ("World Othello Federation" in page) == (slug == "pfo")


def headings(page: str) -> list[str]:
    return re.findall(r'<fieldset class="group step">\s*<legend>([^<]*)</legend>', page)


def test_the_details_stand_in_the_groups_in_which_the_registration_asked_them(
    mahjong: Section, vera: Vera, upload: Send
) -> None:
    client = vera(mahjong)
    upload(client, mahjong, EMA.encode(), "ema.csv")
    asked = ["Status", "Who plays", "Rules and announcement"]
    for page in (f"{address(mahjong, 'details')}?all", "/mahjong/events/register/"):
        assert headings(client.get(page).content.decode())[:3] == asked


@pytest.mark.parametrize("slug", sorted(rulesets()))
def test_each_field_of_a_federation_stands_once_on_the_page_of_details(
    slug: str, opened: Opened, db: None
) -> None:
    form = DetailsForm(section=opened(slug, rulesets()[slug].sections.formats[0]))
    in_groups = [field.name for _heading, fields in form.steps() for field in fields]
    alone = [field.name for field in (*form.own_fields(), *form.flags()) if field.name != "team"]
    assert sorted(in_groups + alone) == sorted(name for name in form.fields if name.startswith(OWN_PREFIX))
