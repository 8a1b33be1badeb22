"""Making the demo offices, and not making them."""

from __future__ import annotations

from datetime import date

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from players.office.models import Federation, User
from ratings.demo import office as demo_office
from ratings.demo.offers import offered
from ratings.equipment.demo_tools import months_before
from ratings.rulesets import rulesets
from tournaments.events.models import Event

TODAY = date(2026, 8, 14)
SMALL = ("piskvorky", "mahjong")


@pytest.mark.django_db
@pytest.mark.parametrize("slug", SMALL)
def test_killed_half_way_nothing_of_the_office_is_there(slug: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that the next start makes it from the beginning."""

    def kill(*args: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(demo_office, "set_stage", kill)
    with pytest.raises(KeyboardInterrupt):
        make(slug)
    assert not Federation.objects.exists()
    assert not Event.objects.exists()
    assert not User.objects.exists()


def make(slug: str) -> Federation:
    return demo_office.make_office(
        rulesets()[slug],
        today=TODAY,
        seed=1,
        scale=0.1,
        start=months_before(9)(TODAY),
        say=lambda words: None,
    )


@pytest.mark.usefixtures("csa")
def test_the_command_refuses_where_the_office_exists() -> None:
    with pytest.raises(CommandError, match="already"):
        call_command("demo", "csa")


@pytest.mark.django_db
def test_the_command_refuses_a_federation_that_nobody_knows() -> None:
    with pytest.raises(CommandError, match="nowhere"):
        call_command("demo", "nowhere")


def test_a_real_office_offers_no_file(csa: Federation, amahle: User, client: Client) -> None:
    client.force_login(amahle)
    assert offered(csa) == []
    assert client.get("/csa/demo-file/any.txt/").status_code == 404
