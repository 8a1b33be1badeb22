"""What the public learns of whom, by the office's settings: years, sexes, titles, ids, contacts, names."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
import time_machine
from django.test import Client

from players.models import Federation, Identifier, Player
from ratings import approval, people
from ratings.disclosure import (
    DisclosureLimits,
    get_public_organizer,
    grown_until,
    list_public_arbiters,
    redact_withheld_names,
    without_contacts,
)
from ratings.intake import import_journal
from ratings.journal import journal_lines
from ratings.models import RatingList
from ratings.rulesets.journal import read_journal
from ratings.tests.files import fetched, table_of, unzipped
from ratings.tests.office import approved, published, recompute_all, register, submitted
from tests.built_once import built_once
from tournaments.models import Event

pytestmark = pytest.mark.django_db
TODAY = date(2026, 11, 22)
LIST = "/csa/lists/2024-04/otb-main/"


def limits_of(office: Federation, on: date = TODAY, **settings: object) -> DisclosureLimits:
    office.settings = settings
    return DisclosureLimits(office, on)


def player(born: int | None, **particulars: object) -> Player:
    return Player(born=born, sex="f", title="WCM", **particulars)


# ---------------------------------------------------------------- who is known to be grown up


@pytest.mark.parametrize(
    ("year", "until"), [(2023, 2000), (2024, 2005), (2026, 2005), (2028, 2005), (2029, 2010)]
)
def test_years_of_birth_become_known_as_adults_five_together_when_the_last_of_them_are_19(
    year: int, until: int
) -> None:
    assert grown_until(date(year, 1, 1)) == grown_until(date(year, 12, 31)) == until
    assert year - until > 18


@pytest.mark.parametrize(
    ("born", "year", "sex", "title"), [(2006, None, "", ""), (2005, 2005, "f", "WCM"), (None, None, "", "")]
)
def test_only_who_is_known_to_be_grown_up_has_a_public_year_sex_and_womens_title(
    csa: Federation, born: int | None, year: int | None, sex: str, title: str
) -> None:
    told, somebody = limits_of(csa), player(born)
    assert (told.year(somebody), told.sex(somebody), told.title(somebody)) == (year, sex, title)
    assert told.can_show_foreign_id(somebody) == (year is not None)
    somebody.withheld = True
    assert (told.year(somebody), told.sex(somebody), told.title(somebody)) == (None, "", "")
    assert not told.can_show_foreign_id(somebody)


def test_a_title_that_tells_no_sex_is_told_of_a_child_too(csa: Federation) -> None:
    assert limits_of(csa).title(Player(born=2015, title="CM")) == "CM"


def test_an_unknown_birth_is_a_childs_only_where_the_office_asks_for_births(csa: Federation) -> None:
    othello = Federation(code="pfo", ruleset_slug="pfo")
    assert not limits_of(csa).is_adult(Player(born=None))
    assert limits_of(othello).is_adult(Player(born=None))
    assert not limits_of(othello).is_adult(Player(born=2015))


# ---------------------------------------------------------------- lists and files


@pytest.fixture
@built_once
def listed(csa: Federation) -> RatingList:
    """Born 1980, 1981, 2015, 2016, unknown, unknown and so on, women first."""
    players = register(csa, 10)
    for at, born in ((2, 2015), (3, 2016), (4, None), (5, None)):
        Player.objects.filter(pk=players[at].pk).update(born=born)
    for number, seed in (("2024-001", 1), ("2024-002", 2)):
        approved(submitted(csa, players, number=number, seed=seed))
    return next(each for each in published(csa, date(2024, 4, 1)) if each.track == "otb-main")


def shown(client: Client, query: str) -> set[str]:
    page = client.get(f"{LIST}?{query}").content.decode()
    return {str(number) for number in range(101000001, 101000011) if f'id="p{number}"' in page}


def test_lists_by_sex_and_age_leave_out_whoever_may_be_a_child(client: Client, listed: RatingList) -> None:
    assert shown(client, "sex=f") == {"101000001", "101000007", "101000009"}
    assert len(shown(client, "age=adult")) == 6
    page = client.get(LIST).content.decode()
    assert "Women and girls" not in page
    assert "U8" not in page


def test_an_age_group_of_children_that_is_not_offered_finds_nobody(
    client: Client, listed: RatingList
) -> None:
    assert shown(client, "age=u14") == set()


def test_a_federation_may_let_lists_be_cut_by_the_age_and_sex_of_children(
    client: Client, listed: RatingList
) -> None:
    Federation.objects.update(settings={"minors": True})
    assert shown(client, "sex=f") == {"101000001", "101000003", "101000005", "101000007", "101000009"}
    assert shown(client, "age=u10") == {"101000003", "101000004"}
    assert shown(client, "age=u8") == {"101000004"}
    assert "Women and girls" in client.get(LIST).content.decode()


def test_a_federation_that_publishes_nothing_of_births_cuts_no_list_by_age(
    client: Client, listed: RatingList
) -> None:
    Federation.objects.update(settings={"births": "none", "minors": True})
    assert len(shown(client, "age=u10")) == 10
    assert 'name="age"' not in client.get(LIST).content.decode()


def test_a_list_that_is_looked_through_is_kept_out_of_search_engines(
    client: Client, listed: RatingList
) -> None:
    assert "noindex" not in client.get(LIST).content.decode()
    assert "noindex" in client.get(f"{LIST}?sex=f").content.decode()
    assert client.get(f"{LIST}r1/list.csv").headers["X-Robots-Tag"] == "noindex"
    journal = client.get("/csa/journal.ndjson")
    assert journal.getvalue()
    assert journal.headers["X-Robots-Tag"] == "noindex"


def test_robots_are_told_what_to_leave_alone(client: Client) -> None:
    answer = client.get("/robots.txt")
    assert answer.headers["Content-Type"].startswith("text/plain")
    assert {"User-agent: *", "Disallow: /*?*age=", "Disallow: /*.ndjson"} <= set(
        answer.content.decode().splitlines()
    )


def test_an_old_list_tells_what_holds_today_and_not_who_was_a_child_on_its_day(
    client: Client, listed: RatingList
) -> None:
    """Or the first list with somebody's sex would tell the year of birth."""
    for born, sex in ((2005, "F"), (2006, "")):  # both were children on a list of 2022, one on that of 2024
        Player.objects.filter(number="101000001").update(born=born)
        rows = {row[0]: row for row in table_of(unzipped(fetched(client, f"{LIST}r1/chessa.zip")))}
        assert rows["101000001"][4] == sex
    with time_machine.travel(date(2029, 1, 2)):
        rows = {row[0]: row for row in table_of(unzipped(fetched(client, f"{LIST}r1/chessa.zip")))}
        assert rows["101000001"][3:5] == ["2006/01/01", "F"]


def test_a_childs_womens_title_is_on_no_page_and_in_no_file(client: Client, listed: RatingList) -> None:
    child, adult = Player.objects.get(number="101000003"), Player.objects.get(number="101000007")
    Player.objects.filter(pk=child.pk).update(title="WCM")
    Player.objects.filter(pk=adult.pk).update(title="WFM")
    child.entries.update(title="WCM")
    adult.entries.update(title="WFM")
    for address in (
        LIST,
        "/csa/events/2024-001/A/",
        f"/csa/players/?q={child.number[:8]}",
        f"{LIST}r1/list.csv",
    ):
        response: Any = client.get(address)
        answer = response.getvalue().decode()
        assert ("WCM" in answer, "WFM" in answer) == (False, True), address
    assert "WCM" not in client.get(f"/csa/players/{child.number}/").content.decode()


# ---------------------------------------------------------------- who asked not to be named


def test_who_is_withheld_is_in_no_list_of_a_region_sex_or_age(client: Client, listed: RatingList) -> None:
    Player.objects.filter(number="101000001").update(withheld=True)
    assert "101000001" in shown(client, "")
    for query in ("region=GAU", "sex=f", "age=adult", "q=Invented"):
        assert "101000001" not in shown(client, query)
        assert "101000007" in shown(client, query)


def test_neither_title_region_nor_team_of_who_is_withheld_is_on_any_page(
    client: Client, listed: RatingList
) -> None:
    hidden = Player.objects.get(number="101000001")
    Player.objects.filter(pk=hidden.pk).update(withheld=True, title="IM")
    hidden.entries.update(title="IM", team="Invented Club")
    other = hidden.federation.regions.get(code="WCA")
    Player.objects.exclude(pk=hidden.pk).update(region=other)
    for address in (LIST, "/csa/events/2024-001/A/", "/csa/players/?q=101000001"):
        page = client.get(address).content.decode()
        assert "IM</span>" not in page
        assert "Invented Club" not in page
        assert '<span class="sub">Gauteng' not in page


def test_a_search_by_number_does_not_put_who_is_withheld_where_the_name_would_stand(
    client: Client, csa: Federation
) -> None:
    players = register(csa, 3)
    Player.objects.filter(pk=players[2].pk).update(withheld=True, surname="Aaa", name_key="aaa")
    page = client.get("/csa/players/?q=10100000").content.decode()
    assert page.index("101000002") < page.index("101000003")


def test_an_arbiter_and_an_organizer_who_are_withheld_are_not_named(
    client: Client, listed: RatingList
) -> None:
    one, other = Player.objects.order_by("number")[:2]
    Player.objects.filter(pk__in=(one.pk, other.pk)).update(withheld=True)
    Event.objects.update(
        organizer="Person Invented01, 082 555 1234",
        arbiters=[
            {"name": "Another Spelling", "title": "IA", "id": one.number},
            {"name": "Person Invented01", "title": "FA", "id": ""},
            {"name": "Somebody Else", "title": "NA", "id": ""},
        ],
    )
    page = client.get("/csa/events/2024-001/").content.decode()
    assert "Somebody Else" in page
    for hidden in ("Another Spelling", "Invented01", "IA</span>", "555"):
        assert hidden not in page


def test_an_organizer_whom_nobody_hides_is_named(csa: Federation) -> None:
    event = Event(federation=csa, organizer="Lindiwe Mabaso, Gauteng")
    assert get_public_organizer(event) == "Lindiwe Mabaso, Gauteng"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("Round 2: Invented00, Person won", "Round 2: withheld won"),
        ("Round 2: person invented00 won", "Round 2: withheld won"),
        ("Ask Invented00.", "Ask withheld."),
        ("Ask Invented001 and Person", "Ask Invented001 and Person"),
        ("", ""),
    ],
)
def test_the_offices_own_words_name_nobody_who_has_asked_not_to_be_since(
    csa: Federation, words: str, told: str
) -> None:
    [hidden] = register(csa, 1)
    assert redact_withheld_names(csa, words) == words
    Player.objects.filter(pk=hidden.pk).update(withheld=True)
    assert redact_withheld_names(csa, words) == told


def test_words_name_nobody_by_a_name_of_before_nor_by_one_that_ends_in_a_full_stop(csa: Federation) -> None:
    players = register(csa, 8)
    approved(submitted(csa, players))
    people.correct_player(player=players[0], by=None, on=TODAY, surname="Renamed", first_name="P.")
    people.correct_player(player=players[0], by=None, on=TODAY, withheld=True)
    told = redact_withheld_names(
        csa, "Invented00 is Renamed, P. now: P. Renamed, once Person Invented00; ask Invented01."
    )
    assert told == "withheld is withheld now: withheld, once withheld; ask Invented01."
    event = Event(federation=csa, arbiters=[{"name": "Person Invented00", "title": "IA", "id": ""}])
    assert list_public_arbiters(event) == [{"name": "withheld", "title": ""}]


def forgotten(office: Federation) -> Federation:
    """The office, whose first player was forgotten."""
    people.forget_name(player=office.players.order_by("number")[0], by=None, on=TODAY)
    return office


def taken_in(office: Federation) -> Federation:
    """Another office, made from the public journal of one whose first player asked not to be named."""
    people.correct_player(player=office.players.order_by("number")[0], by=None, on=TODAY, withheld=True)
    lines = [line.replace('"code":"csa"', '"code":"twin"') for line in journal_lines(office)]
    return import_journal(read_journal(lines), on=TODAY)


@pytest.mark.parametrize("made", [forgotten, taken_in])
def test_who_has_no_name_any_more_garbles_no_words_of_others(
    csa: Federation, made: Callable[[Federation], Federation]
) -> None:
    approved(submitted(csa, register(csa, 8)))
    office = made(csa)
    assert office.players.filter(surname="").count() == 1
    assert redact_withheld_names(office, "A slip, in round 2.") == "A slip, in round 2."
    arbiters = [{"name": name, "title": "FA", "id": ""} for name in ("", "–")]
    event = Event(federation=office, organizer="Gauteng, Club 7", arbiters=arbiters)
    assert [each["name"] for each in list_public_arbiters(event)] == ["", "–"]
    assert get_public_organizer(event) == "Gauteng, Club 7"


def test_the_pages_of_an_office_that_forgot_somebody_say_what_the_office_wrote(
    csa: Federation, client: Client
) -> None:
    players = register(csa, 8)
    section = submitted(csa, players, rounds=10)
    approved(section)
    section.refresh_from_db()
    line = approval.unrate(
        section=section,
        by=None,
        on=date(2024, 3, 5),
        version=section.version,
        reason="result",
        words="One slip in round 2, of Invented00.",
        after_list=False,
    )
    recompute_all(csa)
    people.forget_name(player=players[0], by=None, on=TODAY)
    people.correct_player(player=players[1], by=None, on=TODAY, withheld=True)
    for address in (f"/csa/errata/{line.number}/", "/csa/errata.atom"):
        assert "One slip in round 2, of " in client.get(address).content.decode(), address


def test_an_organizer_who_is_withheld_is_not_named_inside_other_words(csa: Federation) -> None:
    [hidden] = register(csa, 1)
    Player.objects.filter(pk=hidden.pk).update(withheld=True)
    event = Event(federation=csa, organizer="Chess club of Person Invented00 & friends, Gauteng")
    assert get_public_organizer(event) == "Chess club of withheld & friends, Gauteng"


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("A. Person +27 82 555 1234", "A. Person"),
        ("A. Person (082 555 1234)", "A. Person"),
        ("Tel: 082 555 1234", ""),
        ("phone 0825551234", ""),
        ("WhatsApp 0825551234", ""),
        ("person (at) x.org", ""),
        ("Ann Other <ann@x.org>", "Ann Other"),
        ("Gauteng, host@x.org; tel. 0111234567", "Gauteng"),
        ("Club 2000, J. Smith", "Club 2000, J. Smith"),
        ("Room 12 34 56", "Room 12 34 56"),
    ],
)
def test_no_mail_address_and_no_telephone_of_an_organizer_is_public(given: str, told: str) -> None:
    assert without_contacts(given) == told


def test_no_telephone_that_a_file_gives_with_an_arbiter_is_public(csa: Federation) -> None:
    event = Event(federation=csa, arbiters=[{"name": "Gugu Radebe +27 82 555 1234", "title": "FA"}])
    assert list_public_arbiters(event) == [{"name": "Gugu Radebe", "title": "FA"}]


# ---------------------------------------------------------------- ids


def test_a_childs_fide_id_is_in_no_file(client: Client, listed: RatingList) -> None:
    for number in ("101000001", "101000003", "101000005"):
        somebody = Player.objects.get(number=number)
        Identifier.objects.create(
            federation=somebody.federation, player=somebody, kind="fide", value=f"14{number}"
        )
    text = fetched(client, f"{LIST}r1/swiss-manager.csv").decode()
    assert "14101000001" in text
    assert "14101000003" not in text
    assert "14101000005" not in text
