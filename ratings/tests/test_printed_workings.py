"""The page of a working says enough: who reads nothing else comes to each result that it prints."""

from __future__ import annotations

from datetime import date
from random import Random

import pytest
from django.conf import settings
from django.test import Client

from players.models import Federation
from ratings.models import Change
from ratings.rulesets import rulesets
from ratings.rulesets.ruleset import Ruleset
from ratings.tests.office import approved, published, register, submitted
from ratings.tests.test_every_office import imported
from tests.pocket_calculator import comes_out, equations_of


@pytest.mark.parametrize("ruleset", rulesets().values(), ids=rulesets().keys())
@pytest.mark.parametrize("count", [2, pytest.param(20, marks=pytest.mark.long)])
@pytest.mark.django_db
def test_each_sum_that_a_page_prints_gives_the_result_that_it_prints(
    ruleset: Ruleset, count: int, client: Client
) -> None:
    office, _written = imported(ruleset)
    moves = Change.objects.filter(fact__federation=office).order_by("pk")
    workings = [*moves.values_list("player__number", "track", "fact__number")]
    sums = 0
    for at, (player, track, line) in enumerate(Random(count).sample(workings, count)):
        language, _name = settings.LANGUAGES[at % len(settings.LANGUAGES)]
        address = f"/{language}/{office.code}/players/{player}/{track}/{line}/"
        page = client.get(address, follow=True).content.decode()
        equations = list(equations_of(page))
        assert len(equations) >= page.count("step-formula")
        assert not [each for each in equations if not comes_out(each)], address
        sums += len(equations)
    assert sums > count


@pytest.mark.parametrize(
    ("printed", "right"),
    [
        ("2 × (3 − 1) ÷ 4 + −1 = 0", True),
        ("10^2 × 0.541767 = 54.1767", True),
        ("24 × 1.69345 = 40.6428", True),
        ("24 × 1.6934 = 40.6428", False),
        ("2 ÷ 3 = 0.7", True),
        ("2 ÷ 3 = 0.66", False),
    ],
)
def test_a_sum_is_worked_out_with_the_digits_that_are_printed_and_no_others(
    printed: str, right: bool
) -> None:
    assert comes_out(printed) is right


@pytest.mark.django_db
def test_csa_67_a_list_s_working_and_a_section_s_lead_to_the_sections_whose_points_were_pending(
    client: Client, csa: Federation
) -> None:
    players = register(csa, 10)
    approved(submitted(csa, players, number="2024-001", ends=date(2024, 4, 1), seed=1))
    approved(submitted(csa, players, number="2024-002", ends=date(2024, 4, 10), seed=2))
    published(csa, date(2024, 5, 1))
    pending = [
        approved(submitted(csa, players, number=f"2024-00{at}", ends=date(2024, 5, at), seed=at))
        for at in (3, 4)
    ]
    published(csa, date(2024, 6, 1))
    listed = Change.objects.filter(fact__kind="list", track="otb-main", player=players[0]).latest("order")
    working = f"/csa/players/{players[0].number}/otb-main"
    of_list = client.get(f"{working}/{listed.fact.number}/").content.decode()
    of_second = client.get(f"{working}/{pending[1].number}/").content.decode()
    for page, behind in ((of_list, pending), (of_second, pending[:1])):
        table = page.partition("Pending from earlier events")[2]
        for fact in behind:
            assert fact.section is not None
            assert fact.section.get_absolute_url() in table
        assert all(map(comes_out, equations_of(page)))
    second = pending[1].section
    assert second is not None
    assert second.get_absolute_url() not in of_second.partition("Pending from earlier events")[2]


@pytest.mark.django_db
def test_csa_40_each_performance_that_is_weighed_leads_to_its_section(
    client: Client, csa: Federation
) -> None:
    players = register(csa, 10)
    facts = [
        approved(submitted(csa, players, number=f"2024-00{at}", ends=date(2024, 3, at), seed=at, rounds=9))
        for at in range(1, 7)
    ]
    weighed = [
        (change, page)
        for change in Change.objects.filter(fact=facts[-1], track="otb-main").select_related("player")
        for page in [client.get(f"/csa/players/{change.player.number}/otb-main/{facts[-1].number}/")]
        if "Weight performance" in page.content.decode()
    ]
    assert weighed
    steps = weighed[0][1].content.decode().partition('class="steps"')[2]
    for fact in facts[1:-1]:
        assert fact.section is not None
        assert fact.section.get_absolute_url() in steps
    assert "Performance in this event" in steps
