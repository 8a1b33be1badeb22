"""Play that comes in by the plain table, through the real pages and the worker, in four federations."""

from __future__ import annotations

import io
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from openpyxl import load_workbook

from conftest import appointed
from players.access import get_rights
from players.models import Federation, Ledger, Player, Region, Role, User
from tournaments.formats import read_any
from tournaments.models import Section, Stage
from tournaments.registration import SectionParticulars, register_event
from tournaments.sections import section_fact
from tournaments.tests.conftest import TODAY, Send, address, enter, fresh
from tournaments.tests.table_files import cells_of, workbook

ClientOf = Callable[[User], Client]
Opened = Callable[..., Section]
NAMES = (("Orlov", "Ivan"), ("Belova", "Olga"), ("Zaitsev", "Petr"), ("Lisina", "Vera"))
CYRILLIC = (("Орлов", "Иван"), ("Белова", "Ольга"), ("Зайцев", "Пётр"), ("Лисина", "Вера"))

PLACES = """\
place;id;surname;first name;points
1;91;Орлов;Иван;12,5
2;92;Белова;Ольга;11
2;93;Зайцев;Пётр;11
4;94;Лисина;Вера;4
"""
GAMES = "round,first,second,result\n1,1,2,1-0\n1,3,4,1/2\n2,4,1,0-1\n2,2,3,1-0\n"
PLAYERS = "number,id,surname,first name,place,discs\n" + "".join(
    f"{n},9{n},{surname},{first},{n},{80 - n}\n" for n, (surname, first) in enumerate(NAMES, 1)
)
REPLAYED = """\
id,surname,first name
91,Orlov,Ivan
92,Belova,Olga

round,first,second,result
1,1,2,1/2
1,2,1,0-1
2,1,2,annulled
2,1,2,1-0
"""


@pytest.fixture
def opened(db: None) -> Opened:
    """`opened("pfo", "swiss", status="gpp")`: an office with four players, and a section that Vera files."""

    def open_(slug: str, format_: str, **particulars: Any) -> Section:
        office = Federation.objects.create(code=slug, name=slug.upper(), ruleset_slug=slug)
        Ledger.objects.create(federation=office)
        region = Region.objects.create(federation=office, code="ALL", name="All")
        names = CYRILLIC if slug == "mahjong" else NAMES
        for number, (surname, first) in enumerate(names, 1):
            enter(office, surname, first, 1980 + number, "", number=f"9{number}", nation="RUS")
        vera = appointed("Vera", office, Role.REGIONAL, region)
        event = register_event(
            rights=get_rights(vera, office, TODAY),
            by=vera,
            on=date(2026, 1, 5),
            name="Spring Cup",
            region=region,
            starts=date(2026, 3, 7),
            ends=date(2026, 3, 8),
            sections=[SectionParticulars(name="A", format=format_, rounds=2, particulars=particulars)],
        )
        return event.sections.get()

    return open_


@pytest.fixture
def vera(client_of: ClientOf) -> Callable[[Section], Client]:
    """`vera(section)`: the browser of whoever files for that office."""
    return lambda section: client_of(User.objects.get(email=f"vera@{section.event.federation.code}.example"))


def keys(section: Section, level: str = "") -> set[str]:
    found = fresh(section).findings.all()
    return {one.key for one in found if level in ("", one.level)}


def keep_details(client: Client, section: Section, send: Send, **changes: str) -> Any:
    """The details form sent as the page fills it, with changes, and nothing that the page does not hold."""
    page = client.get(address(section, "details"))
    forms = page.context["forms"]
    data = {"version": str(fresh(section).version)}
    parts = [forms.details, forms.absences, forms.places, *forms.arbiters, *forms.left]
    for field in (field for form in parts for field in form):
        data[field.html_name] = "" if field.value() in (None, False) else str(field.value())
    for formset in (forms.arbiters, forms.left):
        data |= {field.html_name: str(field.value()) for field in formset.management_form}
    days = {f"round-{n}": "2026-03-07" for n in range(1, (fresh(section).rounds or 0) + 1)}
    data |= days | changes
    held = {name: value for name, value in data.items() if f'name="{name}"' in page.content.decode()}
    return send(client, address(section, "details"), held)


def submit(client: Client, section: Section, send: Send) -> Any:
    return send(client, address(section, "submit"), {"version": fresh(section).version, "adjusted": "on"})


# ---------------------------------------------------------------- the four federations


def test_a_mahjong_tournament_comes_in_by_places_alone(
    opened: Opened, vera: Callable[[Section], Client], upload: Send, send: Send
) -> None:
    section = opened("mahjong", "placement", status="city")
    client = vera(section)
    upload(client, section, PLACES.encode("cp1251"), "places.csv")
    filed = fresh(section)
    assert filed.stage == Stage.FILED
    assert list(filed.entries.values_list("number", "place", "points")) == [
        (1, 1, Decimal("12.5")),
        (2, 2, Decimal(11)),
        (3, 2, Decimal(11)),
        (4, 4, Decimal(4)),
    ]
    assert {"round-dates-needed", "places-needed", "games-beside-places"} & keys(section) == set()
    page = client.get(address(section, "details")).content.decode()
    assert "Days of the rounds" not in page
    fact = section_fact(filed)
    assert [(entry.player, entry.place) for entry in fact.entries] == [
        ("91", 1),
        ("92", 2),
        ("93", 2),
        ("94", 4),
    ]


def test_games_in_a_section_of_places_are_refused_with_the_way_out(
    opened: Opened, vera: Callable[[Section], Client], upload: Send
) -> None:
    section = opened("mahjong", "placement", status="city")
    upload(vera(section), section, f"{PLAYERS}\n{GAMES}".encode())
    assert "games-beside-places" in keys(section, "blocks")


def test_an_othello_workbook_brings_games_places_and_discs(
    opened: Opened, vera: Callable[[Section], Client], upload: Send, send: Send
) -> None:
    section = opened("pfo", "swiss", status="gpp", season="2025/2026")
    client = vera(section)
    upload(client, section, workbook(Gry=cells_of(GAMES), Gracze=cells_of(PLAYERS)), "cup.xlsx")
    filed = fresh(section)
    assert [(entry.place, entry.discs) for entry in filed.entries.all()] == [
        (1, 79),
        (2, 78),
        (3, 77),
        (4, 76),
    ]
    assert [(g.round, g.first.number, g.result) for g in filed.games.all()] == [
        (1, 1, "1-0"),
        (1, 3, "1/2"),
        (2, 4, "0-1"),
        (2, 2, "1-0"),
    ]
    keep_details(client, section, send)
    assert list(fresh(section).findings.blocking()) == []
    submit(client, section, send)
    assert fresh(section).stage == Stage.SUBMITTED


def test_a_dots_match_keeps_replays_in_their_order_and_asks_for_places(
    opened: Opened, vera: Callable[[Section], Client], upload: Send, send: Send
) -> None:
    section = opened("ssdc", "match", time_class="classic", category="fourth")
    client = vera(section)
    upload(client, section, REPLAYED.encode())
    played = [(g.round, g.first.number, g.result) for g in fresh(section).games.all()]
    assert played == [(1, 1, "1/2"), (1, 2, "0-1"), (2, 1, "annulled"), (2, 1, "1-0")]
    assert "places-needed" in keys(section, "asks")
    assert "places-missing" not in keys(section)  # the rules need not say it again
    assert "Final places" in client.get(address(section, "details")).content.decode()
    keep_details(client, section, send, **{"place-1": "1", "place-2": ""})  # not as proposed
    assert "places-needed" in keys(section, "asks")
    keep_details(client, section, send, **{"place-2": "2"})
    assert "places-needed" not in keys(section)
    page = client.get(address(section, "submit")).content.decode()
    assert "and 1 annulled" in page


def test_a_short_match_of_piskvorky_is_several_games_in_one_round(
    opened: Opened, vera: Callable[[Section], Client], upload: Send, send: Send
) -> None:
    section = opened("piskvorky", "round-robin")
    players = "id;surname;first name\n91;Orlov;Ivan\n92;Belova;Olga\n"
    games = "round;first;second;result\n1;1;2;1-0\n1;2;1;1-0\n1;1;2;=\n2;2;1;+:-\n"
    client = vera(section)
    upload(client, section, f"{players}\n{games}".encode())
    assert fresh(section).games.filter(round=1).count() == 3
    keep_details(client, section, send)
    assert list(fresh(section).findings.blocking()) == []
    submit(client, section, send)
    assert fresh(section).stage == Stage.SUBMITTED


# ---------------------------------------------------------------- known players, all at once

SURNAMES = (
    *(
        "Алексеев",
        "Борисов",
        "Васильев",
        "Григорьев",
        "Дмитриев",
        "Ершов",
        "Жуков",
        "Зимин",
        "Ковалёв",
        "Лебедев",
    ),
    *(
        "Морозов",
        "Никитин",
        "Осипов",
        "Павлов",
        "Романов",
        "Соколов",
        "Тихонов",
        "Ушаков",
        "Фёдоров",
        "Хохлов",
    ),
    *("Цветков", "Щербаков"),
)


@pytest.mark.parametrize(
    ("slug", "format_", "particulars"),
    [("mahjong", "placement", {"status": "city"}), ("piskvorky", "swiss", {})],
)
def test_a_table_of_22_known_players_without_births_is_filed_in_six_clicks(
    opened: Opened,
    vera: Callable[[Section], Client],
    upload: Send,
    send: Send,
    slug: str,
    format_: str,
    particulars: dict[str, str],
) -> None:
    section = opened(slug, format_, **particulars)
    Section.objects.update(rounds=3 if slug == "mahjong" else 2)
    Player.objects.all().delete()
    for number, surname in enumerate(SURNAMES, 1):
        enter(
            section.event.federation, surname, "Степан", 1960 + number, "", number=f"8{number}", nation="RUS"
        )
    spelt = [*SURNAMES[:8], "Kovalyov", *SURNAMES[9:]]
    if format_ == "placement":
        rows = [f"{n};{surname};Степан;{100 - n}" for n, surname in enumerate(spelt, 1)]
        table = "\n".join(["place;surname;first name;points", *rows])
    else:
        rows = [f"{n};{surname};Степан" for n, surname in enumerate(spelt, 1)]
        games = [f"{r};{n};{n + 11 if r == 1 else n % 11 + 12};1-0" for r in (1, 2) for n in range(1, 12)]
        table = "\n".join(["number;surname;first name", *rows, "", "round;first;second;result", *games])
    client = vera(section)
    upload(client, section, table.encode(), "table.csv")
    clicks = 1
    page = client.get(address(section, "players"))
    assert "Take all 22 as suggested" in " ".join(page.content.decode().split())
    send(client, address(section, "players/decide"), {"version": fresh(section).version, "as-suggested": "1"})
    clicks += 1
    if fresh(section).findings.filter(level__in=("asks", "blocks")).exists():
        keep_details(client, section, send)
        clicks += 1
    submit(client, section, send)
    clicks += 2  # the tick that the adjustments were read, and the button
    assert fresh(section).stage == Stage.SUBMITTED
    assert fresh(section).entries.filter(match="decided").count() == 22
    assert clicks <= 6


def test_of_two_players_of_one_name_and_of_one_with_another_birth_nobody_is_suggested(
    opened: Opened, vera: Callable[[Section], Client], upload: Send, send: Send
) -> None:
    section = opened("mahjong", "placement", status="city")
    office = section.event.federation
    enter(office, "Орлов", "Иван", 1990, "", number="95", nation="RUS")
    client = vera(section)
    table = "place;surname;first name;birth\n1;Орлов;Иван;\n2;Белова;Ольга;1950\n3;Зайцев;Пётр;\n"
    upload(client, section, table.encode(), "table.csv")
    send(client, address(section, "players/decide"), {"version": fresh(section).version, "as-suggested": "1"})
    assert list(fresh(section).entries.values_list("number", "match")) == [
        (1, "doubtful"),
        (2, "doubtful"),
        (3, "decided"),
    ]


# ---------------------------------------------------------------- places


def test_a_forfeit_is_told_without_a_word_of_notice_where_the_rules_do_not_ask_for_it(
    opened: Opened, vera: Callable[[Section], Client], upload: Send, send: Send
) -> None:
    section = opened("pfo", "swiss", status="gpp", season="2025/2026")
    client = vera(section)
    upload(client, section, f"{PLAYERS}\n{GAMES.replace('2,2,3,1-0', '2,2,3,+:-')}".encode())
    keep_details(client, section, send)
    page = client.get(address(section, "submit")).content.decode()
    assert "<li>Zaitsev, Petr lost round 2 by forfeit</li>" in page


@pytest.mark.parametrize(("second", "third"), [("2", "2"), ("2", "3")])
def test_places_may_be_shared_and_block_until_all_are_given(
    opened: Opened, vera: Callable[[Section], Client], upload: Send, send: Send, second: str, third: str
) -> None:
    section = opened("pfo", "swiss", status="gpp", season="2025/2026")
    client = vera(section)
    players = PLAYERS.replace("place", "table")
    upload(client, section, f"{players}\n{GAMES}".encode())
    keep_details(
        client, section, send, **{f"place-{number}": "" for number in range(1, 5)}
    )  # none as proposed
    response = send(client, address(section, "submit"), {"version": fresh(section).version})
    assert response.status_code == 409
    assert fresh(section).stage == Stage.FILED
    places = {"place-1": "1", "place-2": second, "place-3": third, "place-4": "4"}
    keep_details(client, section, send, **places)
    submit(client, section, send)
    assert fresh(section).stage == Stage.SUBMITTED
    assert [str(e.place) for e in fresh(section).entries.all()] == ["1", second, third, "4"]


@pytest.mark.parametrize("place", ["0", "-1", "first", "100000"])
def test_what_is_no_place_is_refused_by_the_form(
    opened: Opened, vera: Callable[[Section], Client], upload: Send, send: Send, place: str
) -> None:
    section = opened("pfo", "swiss", status="gpp", season="2025/2026")
    client = vera(section)
    upload(client, section, f"{PLAYERS}\n{GAMES}".encode())
    assert keep_details(client, section, send, **{"place-1": place}).status_code == 400
    assert fresh(section).entries.get(number=1).place == 1


def test_a_federation_that_needs_no_places_asks_for_none(
    section: Section, amahle: User, client_of: ClientOf, upload: Send
) -> None:
    upload(client_of(amahle), section, f"{PLAYERS}\n{GAMES}".encode())
    assert "places-needed" not in keys(section)
    assert 'id="places"' not in client_of(amahle).get(address(section, "details")).content.decode()


# ---------------------------------------------------------------- one game a round


@pytest.mark.parametrize(
    ("row", "refused"),
    [("1,1,3,1-0", True), ("1,1,,half", True), ("1,1,2,annulled", False), ("3,1,3,1-0", False)],
)
def test_where_one_game_a_round_is_the_most_a_second_is_refused_with_its_line(
    section: Section, amahle: User, client_of: ClientOf, upload: Send, row: str, refused: bool
) -> None:
    upload(client_of(amahle), section, f"{PLAYERS}\n{GAMES}{row}\n".encode())
    found = [
        one for one in fresh(section).findings.filter(key="twice-in-a-round") if "Orlov" in str(one.params)
    ]
    assert bool(found) == refused
    if refused:
        assert (found[0].level, found[0].params["round"]) == ("blocks", 1)
        page = client_of(amahle).get(address(section, "findings")).content.decode()
        assert "only one is allowed" in page


def test_in_a_match_two_may_meet_twice_in_a_round(
    section: Section, amahle: User, client_of: ClientOf, upload: Send
) -> None:
    Section.objects.update(format="double-round-robin")
    upload(client_of(amahle), section, f"{PLAYERS}\n{GAMES}1,2,1,1-0\n".encode())
    assert "twice-in-a-round" not in keys(section)


# ---------------------------------------------------------------- the same game twice


@pytest.mark.parametrize("slug", ["pfo", "piskvorky", "ssdc"])
@pytest.mark.parametrize(
    ("row", "told"), [("1,1,2,1-0", True), ("1,2,1,0-1", False), ("1,1,2,1/2", False), ("2,1,2,1-0", False)]
)
def test_the_same_row_twice_in_a_round_is_told_also_where_two_may_meet_again(
    opened: Opened, vera: Callable[[Section], Client], upload: Send, slug: str, row: str, told: bool
) -> None:
    section = opened(slug, "swiss")
    upload(vera(section), section, f"{PLAYERS}\n{GAMES}{row}\n".encode())
    assert ("same-game-twice" in keys(section, "notice")) == told
    assert not {"twice-in-a-round"} & keys(section)


def test_in_a_match_the_same_row_twice_in_a_round_is_told_too(
    section: Section, amahle: User, client_of: ClientOf, upload: Send
) -> None:
    Section.objects.update(format="match")
    upload(client_of(amahle), section, f"{PLAYERS}\n{GAMES}1,1,2,1-0\n".encode())
    [one] = fresh(section).findings.filter(key="same-game-twice")
    assert (one.level, one.params["times"], one.params["first"]) == ("notice", 2, "Orlov, Ivan")
    page = client_of(amahle).get(address(section, "findings")).content.decode()
    assert "the same game 2 times" in page


def test_a_game_that_stands_twice_has_to_be_looked_at_before_submitting(
    opened: Opened, vera: Callable[[Section], Client], upload: Send, send: Send
) -> None:
    section = opened("pfo", "swiss", status="gpp", season="2025/2026")
    client = vera(section)
    upload(client, section, f"{PLAYERS}\n{GAMES}1,1,2,1-0\n".encode())
    Section.objects.filter(pk=section.pk).update(round_dates=["2026-03-07", "2026-03-07"])
    fresh(section).findings.exclude(level="notice").delete()
    unseen = send(client, address(section, "submit"), {"version": fresh(section).version})
    assert unseen.status_code == 400
    assert "each counts: Orlov, Ivan – Belova, Olga, 1-0" in unseen.content.decode()


# ---------------------------------------------------------------- the pages


def test_what_is_wrong_in_a_workbook_stands_with_its_cell(
    section: Section, amahle: User, client_of: ClientOf, upload: Send
) -> None:
    games = cells_of(GAMES.replace("1,3,4,1/2", "1,3,9,1/2"))
    upload(client_of(amahle), section, workbook(Players=cells_of(PLAYERS), Games=games), "a.xlsx")
    page = client_of(amahle).get(address(section, "findings")).content.decode()
    assert "Games!C3" in page
    assert "Start number 9 is not in the table of players" in page


def test_a_hostile_workbook_is_refused_and_leaves_nothing(
    section: Section, amahle: User, client_of: ClientOf, upload: Send
) -> None:
    data = workbook(Players=[["surname", "place"], *([["x" * 20, 1]] * 20_001)])
    upload(client_of(amahle), section, data, "a.xlsx")
    page = client_of(amahle).get(address(section, "file")).content.decode()
    assert "at most 20000" in page
    assert not fresh(section).entries.exists()
    assert fresh(section).stage == Stage.REGISTERED


COLUMNS = {
    "csa": "number,id,surname,first name,sex,birth,nation,points,team",
    "ssdc": "number;id;surname;first name;birth;nation;place;points;team",
    "pfo": "number,id,surname,first name,sex,birth,nation,place,points,discs,team",
    "piskvorky": "number;id;surname;first name;birth;nation;points;team",
    "mahjong": "id;surname;first name;birth;nation;place",
}


@pytest.mark.parametrize("slug", COLUMNS)
def test_the_empty_table_has_the_columns_that_the_federation_reads(
    slug: str, opened: Opened, vera: Callable[[Section], Client]
) -> None:
    section = opened(slug, "placement" if slug == "mahjong" else "swiss")
    client = vera(section)
    text = client.get(f"/{slug}/events/table.csv").content.decode("utf-8-sig")
    assert text.splitlines()[0] == COLUMNS[slug]
    assert ("round" in text) == (slug != "mahjong")
    answer = client.get(f"/{slug}/events/table.xlsx")
    book = load_workbook(io.BytesIO(answer.content))
    assert [cell.value for cell in book.worksheets[0][1]] == COLUMNS[slug].replace(";", ",").split(",")
    page = client.get(address(section, "file")).content.decode()
    assert ("TRF16" in page) == (slug != "mahjong")
    assert f"/{slug}/events/table.xlsx" in page
    if slug == "pfo":
        assert "who moved first (black)" in page
    assert client.get(f"/{slug}/events/table.pdf").status_code == 404


@pytest.mark.parametrize(
    ("language", "headings"),
    [
        ("cs", "číslo,id,příjmení,jméno,pohlaví,datum narození,země,umístění,body,kameny,družstvo"),
        ("pl", "numer,id,nazwisko,imię,płeć,data urodzenia,kraj,miejsce,punkty,krążki,drużyna"),
        ("ru", "номер,id,фамилия,имя,пол,дата рождения,страна,место,очки,фишки,команда"),
    ],
)
def test_the_empty_table_has_its_headings_in_the_reader_s_language_and_is_read_so(
    language: str, headings: str, opened: Opened, vera: Callable[[Section], Client]
) -> None:
    section = opened("pfo", "swiss")
    client = vera(section)
    spoken = {"accept-language": language}
    text = client.get("/pfo/events/table.csv", headers=spoken).content.decode("utf-8-sig")
    players, _blank, games = text.splitlines()
    assert players == headings
    filled = (
        f"{players}\n1,,Lis,Ola,f,1990,POL,1,1,40,\n2,,Nowak,Jan,m,1991,POL,2,0,24,\n\n{games}\n1,1,2,1-0\n"
    )
    reading = read_any(filled.encode())
    assert reading.findings == ()
    assert reading.sheet
    assert [(row.name, row.sex, row.place, row.discs) for row in reading.sheet.rows] == [
        ("Lis, Ola", "f", 1, 40),
        ("Nowak, Jan", "m", 2, 24),
    ]
    assert len(reading.sheet.games) == 1
    book = load_workbook(io.BytesIO(client.get("/pfo/events/table.xlsx", headers=spoken).content))
    assert [cell.value for cell in book.worksheets[0][1]] == players.split(",")
    page = client.get(address(section, "file"), headers=spoken).content.decode()
    assert all(f">{heading}</dt>" in page for heading in players.split(","))


def test_an_empty_table_sent_back_is_refused_with_what_it_needs(
    opened: Opened, vera: Callable[[Section], Client]
) -> None:
    client = vera(opened("pfo", "swiss"))
    for suffix in ("csv", "xlsx"):
        reading = read_any(client.get(f"/pfo/events/table.{suffix}").content)
        assert [finding.key for finding in reading.findings] == ["table-no-players"]
