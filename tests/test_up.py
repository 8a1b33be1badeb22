"""What `up` finds in the house, and what it makes."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError

from federation_site.management.commands.up import Command as Up, is_local_only, refuse_demo
from players.models import Federation
from players.writing import UNFINISHED_PREFIX, open_unfinished_file
from ratings.demo import office
from ratings.rulesets import rulesets
from ratings.tests.test_demo_command import SMALL, make


@pytest.fixture
def two_demos(monkeypatch: pytest.MonkeyPatch, settings: Any, tmp_path: Any) -> list[str]:
    """Two federations alone bring a demo; the code of each made is noted."""
    made: list[str] = []

    def noting(ruleset: Any, **options: Any) -> Federation:
        made.append(ruleset.slug)
        return make(ruleset.slug)

    monkeypatch.setattr(office, "rulesets", lambda: {slug: rulesets()[slug] for slug in SMALL})
    monkeypatch.setattr("ratings.management.commands.demo.make_office", noting)
    settings.VAR = tmp_path
    return made


@pytest.mark.long
@pytest.mark.django_db
def test_the_next_start_makes_the_offices_that_are_missing(two_demos: list[str]) -> None:
    make("piskvorky")
    Up(stdout=StringIO()).furnish(no_demo=False)
    assert two_demos == ["mahjong"]
    Up(stdout=(said := StringIO())).furnish(no_demo=False)
    assert two_demos == ["mahjong"]
    assert "tereza@example.org" in said.getvalue()
    assert "polina@example.org" in said.getvalue()


@pytest.mark.usefixtures("csa")
def test_a_house_with_a_real_office_gets_no_demo(two_demos: list[str]) -> None:
    Up(stdout=StringIO()).furnish(no_demo=False)
    assert two_demos == []


@pytest.mark.django_db
def test_whoever_wants_no_demo_gets_none(two_demos: list[str]) -> None:
    Up(stdout=StringIO()).furnish(no_demo=True)
    assert two_demos == []


@pytest.mark.django_db
@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "::"])
def test_a_demo_is_not_shown_at_a_public_address(host: str) -> None:
    assert not is_local_only(host)
    with pytest.raises(CommandError, match="--no-demo"):
        refuse_demo(no_demo=False)
    refuse_demo(no_demo=True)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1"])
def test_this_machines_own_addresses_are_not_public(host: str) -> None:
    assert is_local_only(host)


def test_a_demo_that_is_there_keeps_the_house_from_a_public_address_and_a_real_office_does_not(
    csa: Federation,
) -> None:
    refuse_demo(no_demo=False)
    Federation.objects.update(demo=True)
    with pytest.raises(CommandError, match="this machine alone"):
        refuse_demo(no_demo=True)


@pytest.mark.django_db
def test_a_start_deletes_what_killed_processes_left_in_every_folder_of_the_office(
    settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What somebody writes at that moment stays."""
    monkeypatch.setattr("federation_site.management.commands.up.call_command", lambda *_, **__: None)
    settings.VAR = tmp_path
    settings.DUMPS_DIR, settings.JOURNALS_DIR = tmp_path / "dumps", tmp_path / "journals"
    settings.KEYS_DIR, settings.BACKUP_DIR = tmp_path / "keys", tmp_path / "elsewhere"
    folders = [
        tmp_path,
        *(tmp_path / name for name in ("dumps/csa", "journals", "keys", "elsewhere", "backups")),
    ]
    for folder in folders:
        (folder / f"{UNFINISHED_PREFIX}dead" / "content").mkdir(parents=True)
        (folder / f"{UNFINISHED_PREFIX}dead" / "content" / "births.csv").touch()
    with open_unfinished_file(tmp_path / "keys") as file:
        Up(stdout=StringIO()).make_ready("127.0.0.1", no_demo=True)
        assert Path(file.name).exists()
        assert not list(tmp_path.rglob("births.csv"))


@pytest.mark.django_db
def test_a_start_forgets_the_figures_that_processes_of_an_earlier_one_counted(
    settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("federation_site.management.commands.up.call_command", lambda *_, **__: None)
    settings.VAR = tmp_path
    (tmp_path / "figures").mkdir()
    (tmp_path / "figures" / "counter_123.db").touch()
    Up(stdout=StringIO()).make_ready("127.0.0.1", no_demo=True)
    assert not (tmp_path / "figures").exists()
