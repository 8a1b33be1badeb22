"""Two people of one name are told apart wherever it stands alone, by what the public may know of both."""

from __future__ import annotations

import re
from collections import deque
from datetime import date

import pytest
from django.test import Client

from players.models import Federation, Player
from players.names import fold
from ratings.disclosure import tell_apart
from ratings.tests.office import approved, published, register, submitted
from ratings.tests.test_errata_pages import rated_again, taken_back
from tests.built_once import built_once

pytestmark = pytest.mark.django_db
NAME = "Skála, Jan"


@pytest.fixture
@built_once
def namesakes(csa: Federation) -> list[Player]:
    """The first and the fourth of six players, in one region, born in 1980 and 1983."""
    players = register(csa, 6)
    for player in (players[0], players[3]):
        player.surname, player.first_name = "Skála", "Jan"
        player.name_key, player.first_name_key = fold("Skála"), fold("Jan")
        player.save()
    return [players[0], players[3]]


def shown(office: Federation, people: list[Player]) -> list[str]:
    found = list(Player.objects.filter(pk__in=[each.pk for each in people]).order_by("number"))
    tell_apart(office, found)
    return [player.shown_name for player in found]


def set_births(office: Federation, births: str) -> None:
    office.settings = {**office.settings, "births": births}
    office.save()


def test_namesakes_are_told_apart_by_year_of_birth_where_the_office_publishes_it(
    csa: Federation, namesakes: list[Player]
) -> None:
    assert shown(csa, namesakes) == [f"{NAME} (1980)", f"{NAME} (1983)"]


@pytest.mark.parametrize("births", ["group", "none"])
def test_namesakes_are_told_apart_by_number_where_nothing_else_is_public(
    csa: Federation, namesakes: list[Player], births: str
) -> None:
    set_births(csa, births)
    assert shown(csa, namesakes) == [f"{NAME} ({each.number})" for each in namesakes]


def test_namesakes_of_two_regions_are_told_apart_by_region_where_a_year_may_not_be_told(
    csa: Federation, namesakes: list[Player]
) -> None:
    set_births(csa, "none")
    regions = list(csa.regions.order_by("code")[:2])
    for player, region in zip(namesakes, regions, strict=True):
        Player.objects.filter(pk=player.pk).update(region=region)
    assert shown(csa, namesakes) == [f"{NAME} ({region})" for region in regions]


@pytest.mark.parametrize("born", [2015, None, 1983])
def test_of_namesakes_of_whom_one_may_be_a_child_or_of_one_year_no_year_is_told(
    csa: Federation, namesakes: list[Player], born: int | None
) -> None:
    Player.objects.filter(pk=namesakes[0].pk).update(born=born)
    assert shown(csa, namesakes) == [f"{NAME} ({each.number})" for each in namesakes]


def test_another_spelling_of_the_name_is_the_same_name_and_another_first_name_is_not(
    csa: Federation, namesakes: list[Player]
) -> None:
    namesakes[0].surname = "Skala"
    namesakes[0].save()
    assert shown(csa, namesakes)[0] == "Skala, Jan (1980)"
    namesakes[0].first_name = "Ivo"
    namesakes[0].save()
    assert shown(csa, namesakes) == ["Skala, Ivo", NAME]


@pytest.mark.parametrize("first_name", ["Jan Karel", "Jan-Karel", ""])
def test_namesakes_of_several_first_names_or_none_are_told_apart(
    csa: Federation, namesakes: list[Player], first_name: str
) -> None:
    for player in namesakes:
        player.first_name = first_name
        player.save()
    assert shown(csa, namesakes) == [f"{namesakes[0].name} (1980)", f"{namesakes[0].name} (1983)"]


@pytest.mark.parametrize("gone", ["withheld", "merged_into"])
def test_who_is_not_named_or_became_part_of_another_is_no_namesake(
    csa: Federation, namesakes: list[Player], gone: str
) -> None:
    value = True if gone == "withheld" else Player.objects.exclude(surname="Skála")[0].pk
    Player.objects.filter(pk=namesakes[1].pk).update(**{gone: value})
    assert shown(csa, namesakes[:1]) == [NAME]
    assert gone == "merged_into" or NAME not in shown(csa, namesakes[1:])[0]


LINK = re.compile(r'href="(/csa/[^"#?]*)["#]')
FAR = 160
"""Characters within which a number stands beside a name."""


def names_alone(html: str, address: str, numbers: list[str]) -> list[str]:
    """The places of a page at which the name stands without what tells whose it is. A player's own page may
    have it alone, except in a link to the other.
    """
    own = [number for number in numbers if f"/players/{number}/" in address]
    others = [number for number in numbers if number not in own]
    found = []
    for match in re.finditer(re.escape(NAME), html):
        after = html[match.end() : match.end() + FAR]
        before = html[max(0, match.start() - 2 * FAR) : match.start()]
        beside = any(number in re.sub(r'"[^"]*"', "", after) for number in numbers)
        link = before.rpartition("<a")[2]
        alone = not own or (link.endswith(">") and any(number in link for number in others))
        if alone and not after.startswith(" (") and not beside:
            found.append(re.sub(r"\s+", " ", before[-80:] + NAME + after[:40]))
    return found


@pytest.mark.long
def test_no_public_page_has_the_name_of_two_people_alone(
    csa: Federation, namesakes: list[Player], client: Client
) -> None:
    players = list(Player.objects.order_by("number"))
    section = submitted(csa, players)
    approved(section)
    published(csa, date(2024, 4, 1))
    taken_back(section, date(2024, 4, 3))
    rated_again(section, date(2024, 4, 5))
    published(csa, date(2024, 5, 1))
    numbers = [each.number for each in namesakes]
    seen, wrong, named = {"/csa/"}, {}, 0
    waiting = deque(["/", "/csa/", f"/csa/players/{numbers[0]}/against/{numbers[1]}/"])
    while waiting:
        address = waiting.popleft()
        answer = client.get(address)
        if answer.status_code != 200 or not answer.headers["Content-Type"].startswith("text/html"):
            continue
        html = answer.getvalue().decode()
        named += NAME in html
        if alone := names_alone(html, address, numbers):
            wrong[address] = alone
        for link in LINK.findall(html):
            if link not in seen and not link.startswith(("/csa/regulations", "/csa/journal")):
                seen.add(link)
                waiting.append(link)
    assert wrong == {}
    assert named > 20
