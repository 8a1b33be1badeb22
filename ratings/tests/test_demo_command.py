"""Making the demo offices, and not making them."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from django.contrib.auth.hashers import make_password
from django.contrib.auth.password_validation import validate_password
from django.core.management import CommandError, call_command
from django.test import Client
from pytest_django import Settings

from federation_site.checks import check_no_demo_in_production
from players.models import Federation, User
from ratings.demo import office
from ratings.demo.office import get_or_create_demo_password, introduction, list_demo_files_to_upload
from ratings.rulesets import rulesets
from ratings.rulesets.demo import months_before
from tournaments.models import Event

TODAY = date(2026, 8, 14)
SMALL = ("piskvorky", "mahjong")


@pytest.mark.django_db
@pytest.mark.parametrize("slug", SMALL)
def test_killed_half_way_nothing_of_the_office_is_there(slug: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that the next start makes it from the beginning."""

    def kill(*args: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(office, "make_present_events", kill)
    with pytest.raises(KeyboardInterrupt):
        make(slug)
    assert not Federation.objects.exists()
    assert not Event.objects.exists()
    assert not User.objects.exists()


def make(slug: str) -> Federation:
    return office.make_office(
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
    assert list_demo_files_to_upload(csa) == []
    assert client.get("/csa/demo-file/any.txt/").status_code == 404


# ---------------------------------------------------------------- its password


@pytest.mark.django_db
def test_each_installation_has_a_password_of_its_own_for_its_owner_alone(
    tmp_path: Path, settings: Settings
) -> None:
    found = set()
    for name in ("here", "there"):
        settings.VAR = tmp_path / name
        settings.VAR.mkdir()
        found |= {get_or_create_demo_password(), get_or_create_demo_password()}
        assert (settings.VAR / "demo_password").stat().st_mode & 0o777 == 0o600
    assert len(found) == 2
    assert all(len(password) >= 15 for password in found)


@pytest.mark.long
@pytest.mark.django_db
def test_the_password_that_up_prints_opens_the_demo_and_would_be_taken(
    tmp_path: Path, settings: Settings
) -> None:
    settings.VAR = tmp_path
    office = make("piskvorky")
    printed = "\n".join(introduction([office]))
    assert get_or_create_demo_password() in printed
    user = User.objects.get(email="tereza@example.org")
    assert user.check_password(get_or_create_demo_password())
    validate_password(get_or_create_demo_password(), user)


@pytest.mark.long
@pytest.mark.django_db
def test_a_password_that_an_older_version_gave_everybody_opens_no_more(
    tmp_path: Path, settings: Settings, csa: Federation, nomsa: User
) -> None:
    settings.VAR = tmp_path
    make("piskvorky")
    (tmp_path / "demo_password").unlink()
    User.objects.update(password=make_password("chess-demo-2020"))
    fresh = get_or_create_demo_password()
    assert User.objects.get(email="tereza@example.org").check_password(fresh)
    assert User.objects.get(pk=nomsa.pk).check_password("chess-demo-2020")  # nobody of the demo


@pytest.mark.django_db
def test_there_is_no_demo_in_production(settings: Settings) -> None:
    settings.PRODUCTION = True
    with pytest.raises(CommandError, match="production"):
        call_command("demo")
    assert not Federation.objects.exists()


@pytest.mark.usefixtures("csa")
def test_a_demo_in_a_database_of_production_is_an_error_before_it_is_migrated(settings: Settings) -> None:
    settings.PRODUCTION = True
    assert check_no_demo_in_production(["default"]) == []
    Federation.objects.update(demo=True)
    assert [error.id for error in check_no_demo_in_production(["default"])] == ["federation_site.E004"]
    settings.PRODUCTION = False
    assert check_no_demo_in_production(["default"]) == []
