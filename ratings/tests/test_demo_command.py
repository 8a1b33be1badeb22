"""Making the demo office, and not making it."""

from __future__ import annotations

from datetime import date

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from players.models import Federation, User
from ratings.demo import office as making
from ratings.demo.offers import offered
from tournaments.models import Event


@pytest.mark.django_db
def test_killed_half_way_nothing_of_the_office_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that the next start makes it from the beginning."""

    def kill(*args: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(making, "complete", kill)
    with pytest.raises(KeyboardInterrupt):
        making.make_office(today=date(2026, 8, 14), seed=1, scale=0.1, months=3, say=lambda words: None)
    assert not Federation.objects.exists()
    assert not Event.objects.exists()
    assert not User.objects.exists()


@pytest.mark.usefixtures("csa")
def test_the_command_refuses_where_the_office_exists() -> None:
    with pytest.raises(CommandError, match="already"):
        call_command("demo")


def test_a_real_office_offers_no_file(csa: Federation, amahle: User, client: Client) -> None:
    client.force_login(amahle)
    assert offered(csa) == []
    assert client.get("/csa/demo-file/any.txt/").status_code == 404
