"""Who is certain, who is left to a person, and who is nobody."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from django.test import Client

from players.models import BirthDate, Federation, Identifier, Player, User
from ratings.people import correct_player
from tests.built_once import built_once
from tests.pages import unbroken
from tournaments.matching import match, search
from tournaments.models import Entry, Section
from tournaments.tests.conftest import Send, address, enter, fresh
from tournaments.tests.event_files import open_file

ClientOf = Callable[[User], Client]


def entry(
    surname: str = "Dlamini", first_name: str = "Thabo", birth: str = "1991-04-02", **more: Any
) -> Entry:
    fields = {"number": 1, "sex": "m", "filed_id": ""} | more
    return Entry(surname=surname, first_name=first_name, birth=birth, **fields)


def evidence(entry: Entry) -> set[str]:
    return set(entry.candidates[0]["evidence"]) if entry.candidates else set()


@pytest.fixture
@built_once
def thabo(csa: Federation) -> Player:
    return enter(csa, "Dlamini", "Thabo", 1991, "m", number="101000234")


@pytest.mark.parametrize(
    ("changes", "outcome"),
    [
        ({}, "certain"),
        ({"birth": "1991"}, "certain"),
        ({"birth": "1992"}, "doubtful"),
        ({"birth": ""}, "doubtful"),
        ({"first_name": "T."}, "doubtful"),
        ({"first_name": "Tabo"}, "doubtful"),
        ({"first_name": "Sipho"}, "none"),
        ({"sex": "f"}, "doubtful"),
        ({"surname": "DLAMINI"}, "certain"),
        ({"surname": "Dlamimi"}, "doubtful"),
        ({"surname": "Dlamimi", "birth": ""}, "doubtful"),
        ({"surname": "Dlamimi", "birth": "1970-01-01"}, "doubtful"),
        ({"surname": "Dlmaini", "birth": "1970"}, "doubtful"),
        ({"surname": "Dlamimi", "first_name": "Sipho"}, "none"),
        ({"surname": "Mokoena"}, "none"),
        ({"filed_id": "101000234"}, "certain"),
        ({"filed_id": "101000234", "birth": ""}, "certain"),
        ({"filed_id": "101000234", "birth": "", "first_name": "T"}, "certain"),
        ({"filed_id": "101000234", "surname": "Mokoena", "first_name": "Lerato", "birth": ""}, "doubtful"),
        (
            {"filed_id": "101000234", "surname": "Mokoena", "first_name": "Lerato", "birth": "1991"},
            "doubtful",
        ),
        ({"filed_id": "101000234", "birth": "1992"}, "doubtful"),
        ({"surname": "Dlamini Thabo", "first_name": "", "birth": "1991"}, "certain"),
        ({"surname": "Thabo Dlamini", "first_name": "", "birth": "1991"}, "certain"),
    ],
)
def test_an_entry_is_matched_as_its_evidence_says(
    csa: Federation, thabo: Player, changes: dict[str, str], outcome: str
) -> None:
    one = entry(**changes)
    match(csa, [one])
    assert one.match == outcome
    assert (one.player == thabo) == (outcome == "certain")


@pytest.mark.parametrize("birth", ["", "1990", "1990-05-03", "1970"])
@pytest.mark.parametrize(
    ("filed", "registered"),
    [
        (("Mokoenna", "Lehlohonolo"), ("Mokoena", "Lehlohonolo")),
        (("Zugnu", "Sizwe"), ("Zungu", "Sizwe")),
        (("Vermeullen", "Suné"), ("Vermeulen", "Suné")),
        (("Rajkummar", "Yusuf"), ("Rajkumar", "Yusuf")),
        (("Zumgu Sizwe", ""), ("Zungu", "Sizwe")),
    ],
)
def test_a_misspelt_surname_with_the_same_first_name_is_offered_whatever_the_birth(
    csa: Federation, filed: tuple[str, str], registered: tuple[str, str], birth: str
) -> None:
    known = enter(csa, *registered, 1990, "m", number="101000300")
    enter(csa, registered[0], "Bongani", 1970, "m", number="101000301")
    BirthDate.objects.create(player=known, day=date(1990, 5, 4))
    one = entry(*filed, birth=birth)
    match(csa, [one])
    assert (one.match, [c["player"] for c in one.candidates]) == ("doubtful", [known.pk])
    assert evidence(one) & {"surname-spelt", "surname-alike", "surname-nearly"}


@pytest.mark.parametrize(("surname", "offered"), [("Nel", False), ("Zulu", True), ("Zumo", False)])
def test_a_slip_is_one_letter_of_four_at_least(csa: Federation, surname: str, offered: bool) -> None:
    for number, known in enumerate(("Nem", "Zuku")):
        enter(csa, known, "Thabo", 1960, "m", number=str(101000300 + number))
    one = entry(surname=surname)
    match(csa, [one])
    assert bool(one.candidates) == offered


def test_an_id_with_a_slip_in_the_surname_needs_the_whole_birth(csa: Federation) -> None:
    known = enter(csa, "Zungu", "Sizwe", 1990, "m", number="101000300")
    BirthDate.objects.create(player=known, day=date(1990, 5, 3))
    slips = {birth: entry("Zugnu", "Sizwe", birth, filed_id=known.number) for birth in ("1990", "1990-05-03")}
    for one in slips.values():
        match(csa, [one])
    assert [one.match for one in slips.values()] == ["doubtful", "certain"]


def test_another_day_of_the_same_year_is_told_from_another_year(csa: Federation, thabo: Player) -> None:
    BirthDate.objects.create(player=thabo, day=date(1991, 4, 3))
    for birth, told in {"1991-04-02": "day-differs", "1992-04-03": "born-differs"}.items():
        one = entry(birth=birth)
        match(csa, [one])
        assert one.match == "doubtful"
        assert evidence(one) & {"born", "birth-date", "born-differs", "day-differs"} == {told}


def test_a_search_finds_who_is_spelt_nearly_so(csa: Federation, thabo: Player) -> None:
    enter(csa, "Zungu", "Sizwe", 1990, "m", number="101000300")
    for q in ("Dlamimi", "Dlammini, Thabo", "tabo dlamimi", "dla mimi"):
        assert [found.player for found in search(csa, entry(), q)] == [thabo], q
    assert search(csa, entry(), "Dlamimi, Sipho") == []


def test_a_fide_id_is_as_good_as_a_number(csa: Federation, thabo: Player) -> None:
    Identifier.objects.create(federation=csa, player=thabo, kind="fide", value="14300001")
    one = entry(filed_id="0014300001", birth="")
    match(csa, [one])
    assert (one.match, one.player) == ("certain", thabo)
    assert "identifier" in evidence(one)


def test_another_fide_id_than_the_registers_is_doubtful(csa: Federation, thabo: Player) -> None:
    Identifier.objects.create(federation=csa, player=thabo, kind="fide", value="14300001")
    one = entry(filed_id="14390077")
    match(csa, [one])
    assert one.match == "doubtful"
    assert "id-differs" in evidence(one)


def test_an_id_of_one_and_the_name_of_another_is_left_to_a_person(csa: Federation, thabo: Player) -> None:
    enter(csa, "Mokoena", "Lerato", 2012, "f", number="101000235")
    one = entry(filed_id="101000235")
    match(csa, [one])
    assert one.match == "doubtful"
    assert len(one.candidates) == 2


def test_an_id_and_a_year_make_nobody_of_another_surname(csa: Federation, thabo: Player) -> None:
    """Numbers given in a row are those of one class: the id of one Thabo on the line of another."""
    other = enter(csa, "Zulu", "Thabo", 1991, "m", number="101000235")
    one = entry(filed_id="101000235", birth="1991")
    match(csa, [one])
    assert (one.match, {c["player"] for c in one.candidates}) == ("doubtful", {thabo.pk, other.pk})


@pytest.mark.parametrize("birth", ["1991", ""])
def test_the_id_of_a_sibling_with_nearly_the_same_name_is_left_to_a_person(
    csa: Federation, birth: str
) -> None:
    jan = enter(csa, "Botha", "Jan", 1991, "", number="101000235")
    jana = entry(surname="Botha", first_name="Jana", birth=birth, sex="", filed_id=jan.number)
    match(csa, [jana])
    assert jana.match == "certain"
    enter(csa, "Botha", "Jana", 1991, "", number="101000236")
    match(csa, [jana])
    assert (jana.match, len(jana.candidates)) == ("doubtful", 2)


@pytest.mark.parametrize(
    ("first_name", "outcome"),
    [("Jan", "certain"), ("Jan P", "certain"), ("Jan Petrus Karel", "certain"), ("Jan Hendrik", "doubtful")],
)
def test_another_second_name_is_left_to_a_person(csa: Federation, first_name: str, outcome: str) -> None:
    enter(csa, "Botha", "Jan Petrus", 1991, "m", number="101000235")
    one = entry(surname="Botha", first_name=first_name, birth="1991")
    match(csa, [one])
    assert one.match == outcome


def test_initials_are_certain_with_the_whole_date_of_birth(csa: Federation, thabo: Player) -> None:
    BirthDate.objects.create(player=thabo, day=date(1991, 4, 2))
    same, other = entry(first_name="T"), entry(first_name="T", birth="1991-04-03", number=2)
    match(csa, [same])
    match(csa, [other])
    assert (same.match, other.match) == ("certain", "doubtful")


def test_namesakes_of_one_year_are_both_offered(csa: Federation, thabo: Player) -> None:
    enter(csa, "Dlamini", "Thabo", 1991, "m", number="101000999")
    one = entry()
    match(csa, [one])
    assert (one.match, len(one.candidates)) == ("doubtful", 2)


def test_two_entries_are_never_one_player(csa: Federation, thabo: Player) -> None:
    pair = [entry(number=1), entry(number=2)]
    match(csa, pair)
    assert [one.match for one in pair] == ["doubtful", "doubtful"]


def test_whom_a_person_decided_is_not_offered_to_another(csa: Federation, thabo: Player) -> None:
    decided, other = entry(number=1, match="decided"), entry(number=2)
    decided.player = thabo
    match(csa, [decided, other])
    assert (decided.match, other.match, other.candidates) == ("decided", "none", [])


def test_another_federations_players_are_nobody_here(csa: Federation, thabo: Player) -> None:
    other = Federation.objects.create(code="xyz", name="Another", ruleset_slug="csa")
    one = entry()
    match(other, [one])
    assert one.match == "none"


def test_the_queries_do_not_grow_with_the_section(
    csa: Federation, thabo: Player, django_assert_max_num_queries: Any
) -> None:
    many = [entry(number=n, surname=f"Name{n}", filed_id=str(n)) for n in range(200)]
    with django_assert_max_num_queries(12):
        match(csa, many)


def test_a_search_finds_by_name_beginnings_number_and_id(csa: Federation, thabo: Player) -> None:
    Identifier.objects.create(federation=csa, player=thabo, kind="fide", value="14300001")
    for q in ("dlam", "Dlamini, Th", "thabo dlamini", "DLAMINI", "101000234", "14300001"):
        assert [found.player for found in search(csa, entry(), q)] == [thabo], q
    for q in ("", "zulu", "dlamini sipho", "%"):
        assert search(csa, entry(), q) == [], q


# ---------------------------------------------------------------- the page


def test_a_doubtful_entry_is_decided_by_a_person_and_reopened(
    csa: Federation, amahle: User, client_of: ClientOf, section: Section, upload: Send, send: Send
) -> None:
    thabo = enter(csa, "Dlamini", "Thabo", 1992, "m", number="101000234")
    client = client_of(amahle)
    upload(client, section, open_file())
    page = client.get(address(section, "players")).content.decode()
    assert "101000234" in page
    assert "other birth" in page
    send(
        client,
        address(section, "players/decide"),
        {"version": fresh(section).version, "player-1": str(thabo.pk)},
    )
    one = fresh(section).entries.get(number=1)
    assert (one.match, one.player) == ("decided", thabo)
    send(client, address(section, "players/1/reopen"), {"version": fresh(section).version})
    one.refresh_from_db()
    assert (one.match, one.player) == ("doubtful", None)


def test_a_certain_match_can_be_doubted(
    amahle: User,
    client_of: ClientOf,
    section: Section,
    upload: Send,
    send: Send,
    register_of_six: list[Player],
) -> None:
    client = client_of(amahle)
    upload(client, section, open_file())
    send(client, address(section, "players/3/reopen"), {"version": fresh(section).version})
    three = fresh(section).entries.get(number=3)
    assert (three.match, three.player, len(three.candidates)) == ("doubtful", None, 1)


def test_a_player_is_taken_once(
    csa: Federation,
    amahle: User,
    client_of: ClientOf,
    section: Section,
    upload: Send,
    send: Send,
    register_of_six: list[Player],
) -> None:
    client = client_of(amahle)
    upload(client, section, open_file())
    send(client, address(section, "players/1/reopen"), {"version": fresh(section).version})
    data = {"version": fresh(section).version, "player-1": str(register_of_six[1].pk)}
    send(client, address(section, "players/decide"), data)
    page = send(client, address(section, "players/decide"), data).content.decode()
    assert fresh(section).entries.get(number=1).player is None
    assert "cannot be both starting number 1 and 2" in page


def test_the_search_on_the_page_offers_the_register(
    csa: Federation, amahle: User, client_of: ClientOf, section: Section, upload: Send
) -> None:
    anna = enter(csa, "Petersen", "Anna", 1999, "f", number="101000300")
    client = client_of(amahle)
    upload(client, section, open_file())
    page = client.get(address(section, "players"), {"entry": "6", "q": "petersen"}).content.decode()
    assert anna.number in page


def test_another_federations_player_cannot_be_chosen(
    amahle: User, client_of: ClientOf, section: Section, upload: Send, send: Send
) -> None:
    other = Federation.objects.create(code="xyz", name="Another", ruleset_slug="csa")
    stranger = enter(other, "Dlamini", "Thabo", 1991, "m", number="1")
    client = client_of(amahle)
    upload(client, section, open_file())
    data = {"version": fresh(section).version, "player-1": str(stranger.pk)}
    assert send(client, address(section, "players/decide"), data).status_code == 404


def test_a_new_player_without_sex_or_birth_is_asked_for_them(
    amahle: User, client_of: ClientOf, section: Section, upload: Send, send: Send
) -> None:
    text = open_file().decode().replace("001    1 m", "001    1  ").replace("1991/00/00", "          ")
    text = text.replace("1991      ", "          ")
    client = client_of(amahle)
    upload(client, section, text.encode())
    one = fresh(section).entries.get(number=1)
    assert (one.sex, one.birth) == ("", "")
    send(client, address(section, "players/decide"), {"version": fresh(section).version, "player-1": "new"})
    one.refresh_from_db()
    assert one.match == "none"
    said = {"new-1-sex": "m", "new-1-birth": "1991/04/02"}
    send(
        client,
        address(section, "players/decide"),
        {"version": fresh(section).version, "player-1": "new"} | said,
    )
    one.refresh_from_db()
    assert (one.match, one.sex, one.birth) == ("new", "m", "1991-04-02")


@pytest.mark.parametrize(
    ("typed", "birth"),
    [
        ("1.5.2010", "2010-05-01"),
        ("22.01.1990", "1990-01-22"),
        ("2010/05/01", "2010-05-01"),
        ("22/01/1990", "1990-01-22"),
        ("1990", "1990"),
        ("1.5.10", ""),
        ("05/02/2010", ""),
    ],
)
def test_a_birth_is_taken_in_any_writing_that_can_be_read_in_one_way_only(
    amahle: User, client_of: ClientOf, section: Section, upload: Send, send: Send, typed: str, birth: str
) -> None:
    text = open_file().decode().replace("1991/00/00", "          ").replace("1991      ", "          ")
    client = client_of(amahle)
    upload(client, section, text.encode())
    data = {"version": fresh(section).version, "player-1": "new", "new-1-birth": typed}
    page = send(client, address(section, "players/decide"), data).content.decode()
    one = fresh(section).entries.get(number=1)
    assert (one.match, one.birth) == (("new", birth) if birth else ("none", ""))
    if not birth:
        assert f'value="{typed}"' in page
        assert page.count("or only the year, with four digits: 2010.") == 2  # above, and at the field
        assert "give birth first" not in page


def test_what_was_typed_of_somebody_who_is_left_for_later_stays_where_another_is_wrong(
    amahle: User, client_of: ClientOf, section: Section, upload: Send, send: Send
) -> None:
    text = open_file().decode().replace("1991/00/00", "          ").replace("1991      ", "          ")
    text = text.replace("1988/00/00", "          ").replace("1988      ", "          ")
    client = client_of(amahle)
    upload(client, section, text.encode())
    lacking = [one.number for one in fresh(section).entries.filter(birth="")]
    assert lacking
    data = {"version": fresh(section).version, f"new-{lacking[0]}-birth": "22.01.1990"}
    page = send(client, address(section, "players/decide"), data).content.decode()
    assert 'value="22.01.1990"' in page


def test_a_search_takes_the_place_of_the_tick_alone(
    csa: Federation, amahle: User, client_of: ClientOf, section: Section, upload: Send
) -> None:
    """What was chosen beside it on the page stays."""
    client = client_of(amahle)
    upload(client, section, open_file())
    page = unbroken(client.get(address(section, "players")).content.decode())
    assert 'hx-target="#entry-6" hx-select="#entry-6" hx-swap="outerHTML"' in page
    assert page.count('id="decide"') == 1
    ticks = page.index('<ul class="ticks">')
    assert page.index("</ul>", ticks) < page.index('id="decide"')
    card = client.get(address(section, "players"), {"entry": "6", "q": "petersen"}).content.decode()
    assert '<article class="who" id="entry-6"' in card


@pytest.mark.parametrize("birth", ["1899", "31.4.2010", "2010-02-30", "20100503", "soon"])
def test_a_birth_that_is_none_is_not_taken(
    amahle: User, client_of: ClientOf, section: Section, upload: Send, send: Send, birth: str
) -> None:
    text = open_file().decode().replace("1991/00/00", "          ").replace("1991      ", "          ")
    client = client_of(amahle)
    upload(client, section, text.encode())
    data = {"version": fresh(section).version, "player-1": "new", "new-1-birth": birth}
    send(client, address(section, "players/decide"), data)
    assert fresh(section).entries.get(number=1).match == "none"


# ---------------------------------------------------------------- who married, and former names


@pytest.fixture
@built_once
def tintswalo(csa: Federation) -> Player:
    """Born on a day that the register knows, under the surname of today."""
    known = enter(csa, "Rikhotso", "Tintswalo", 1963, "f", number="101000400")
    BirthDate.objects.create(player=known, day=date(1963, 11, 1))
    return known


@pytest.mark.parametrize(
    ("filed", "birth", "offered"),
    [
        (("Nkosi", "Tintswalo"), "1963-11-01", True),
        (("Tintswalo Nkosi", ""), "1963-11-01", True),
        (("irkhotso", "Tintswalo"), "1963-11-01", True),
        (("irkhotso", "Tintswalo"), "", True),
        (("Nkosi", "Tintswalo"), "1963", False),
        (("Nkosi", "Tintswalo"), "1963-11-02", False),
        (("Nkosi", "Lerato"), "1963-11-01", False),
    ],
)
def test_the_same_first_name_with_the_same_whole_birth_is_offered_and_never_certain(
    csa: Federation, tintswalo: Player, filed: tuple[str, str], birth: str, offered: bool
) -> None:
    one = entry(*filed, birth=birth, sex="f")
    match(csa, [one])
    assert [each["player"] for each in one.candidates] == ([tintswalo.pk] if offered else [])
    assert one.match == ("doubtful" if offered else "none")


@pytest.mark.parametrize(
    ("changes", "outcome"),
    [
        ({}, "doubtful"),
        ({"birth": ""}, "doubtful"),
        ({"birth": "1963-11-01"}, "doubtful"),
        ({"filed_id": "101000400", "birth": ""}, "certain"),
        ({"first_name": "Lerato"}, "none"),
    ],
)
def test_a_former_surname_is_evidence_and_certain_with_an_id_alone(
    csa: Federation, tintswalo: Player, changes: dict[str, str], outcome: str
) -> None:
    correct_player(player=tintswalo, by=None, on=date(2026, 5, 3), surname="Nkosi")
    one = entry(**({"surname": "Rikhotso", "first_name": "Tintswalo", "birth": "1963", "sex": "f"} | changes))
    match(csa, [one])
    assert one.match == outcome
    assert outcome == "none" or "former-surname" in evidence(one)


def test_somebody_of_the_name_that_another_once_had_is_not_taken_without_an_id(
    csa: Federation, tintswalo: Player
) -> None:
    correct_player(player=tintswalo, by=None, on=date(2026, 5, 3), surname="Nkosi")
    namesake = enter(csa, "Rikhotso", "Tintswalo", 1963, "f", number="101000401")
    one = entry("Rikhotso", "Tintswalo", "1963", sex="f")
    match(csa, [one])
    assert one.match == "doubtful"
    assert {each["player"] for each in one.candidates} == {tintswalo.pk, namesake.pk}
    again = entry("Rikhotso", "Tintswalo", "1963", sex="f", filed_id=namesake.number)
    match(csa, [again])
    assert again.player == namesake


def test_who_died_is_matched_by_a_person_alone(csa: Federation, thabo: Player) -> None:
    correct_player(player=thabo, by=None, on=date(2026, 5, 3), deceased=True)
    one = entry(filed_id=thabo.number)
    match(csa, [one])
    assert one.match == "doubtful"
    assert "deceased" in evidence(one)


def test_a_search_at_the_players_finds_parts_of_names_and_former_names(
    csa: Federation, tintswalo: Player
) -> None:
    correct_player(player=tintswalo, by=None, on=date(2026, 5, 3), surname="Nkosi")
    for wanted in ("tintswalo", "Tintswalo Nkosi", "kosi", "rikhotso", "Ríkhotso"):
        assert [c.player for c in search(csa, entry(surname="Xaba"), wanted)] == [tintswalo], wanted


# ---------------------------------------------------------------- provisional ids


@pytest.mark.parametrize(
    ("known", "filed", "outcome"),
    [
        (("wof-provisional", "139999"), ("wof", "139999"), "certain"),
        (("wof", "139999"), ("wof-provisional", "139999"), "certain"),
        (("wof-provisional", "139999"), ("wof", "5801"), "doubtful"),
        (("wof", "5801"), ("wof-provisional", "139999"), "doubtful"),
    ],
)
def test_a_provisional_id_speaks_for_a_player_and_never_against_one(
    csa: Federation, thabo: Player, known: tuple[str, str], filed: tuple[str, str], outcome: str
) -> None:
    Identifier.objects.create(federation=csa, player=thabo, kind=known[0], value=known[1])
    one = entry(birth="", other_ids=[list(filed)])
    match(csa, [one])
    assert one.match == outcome
    assert "id-differs" not in evidence(one)


def test_a_provisional_id_that_another_player_has_leaves_a_doubt(csa: Federation, thabo: Player) -> None:
    other = enter(csa, "Nowak", "Anna", 1980, "f", number="101000900")
    Identifier.objects.create(federation=csa, player=other, kind="wof-provisional", value="139999")
    one = entry(other_ids=[["wof", "139999"]])
    match(csa, [one])
    assert one.match == "doubtful"
