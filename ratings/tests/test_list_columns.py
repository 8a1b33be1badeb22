"""Columns that a federation has of its own on the pages of its lists."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.test import Client

from players.models import Federation, Identifier, Player
from ratings.disclosure import limits_of
from ratings.models import ListRow
from ratings.public_tables import download_rows
from ratings.rulesets.downloads import Column, DownloadRow
from ratings.tests.test_public_pages import page, rated
from tournaments.models import Section

__all__ = ["rated"]
pytestmark = pytest.mark.django_db
LIST = "/csa/lists/2024-05/otb-main/"
COLUMNS = (
    Column("twice", str, "", lambda row: f"{2 * row.games} games", heading="Twice the games"),
    Column("at_fide", str, "", lambda row: f"FIDE {row.fide}" if row.fide else "", heading="At FIDE"),
)


def have(monkeypatch: pytest.MonkeyPatch, office: Federation, *columns: Column) -> None:
    own = office.equipment
    monkeypatch.setattr(
        Federation, "equipment", replace(own, publication=replace(own.publication, list_columns=columns))
    )


def test_a_federations_own_columns_stand_behind_those_of_all_with_values_of_row_and_player(
    client: Client, csa: Federation, rated: Section, monkeypatch: pytest.MonkeyPatch
) -> None:
    best = ListRow.objects.filter(rating_list__track="otb-main").order_by("position")[0]
    Identifier.objects.create(federation=csa, kind="fide", value="14300001", player=best.player)
    have(monkeypatch, csa, *COLUMNS)
    shown = page(client, LIST)
    assert shown.index("Change") < shown.index("Twice the games") < shown.index("At FIDE")
    assert f"{2 * best.games} games" in shown
    assert shown.count("FIDE 14300001") == 1


def test_a_list_has_no_column_that_its_federation_does_not_have(
    client: Client, csa: Federation, rated: Section, monkeypatch: pytest.MonkeyPatch
) -> None:
    have(monkeypatch, csa, COLUMNS[0])
    assert "At FIDE" not in page(client, LIST)


def test_such_a_column_tells_nothing_of_somebody_who_asked_not_to_be_named(
    client: Client, csa: Federation, rated: Section, monkeypatch: pytest.MonkeyPatch
) -> None:
    def surname(row: DownloadRow) -> str:
        return f"of the family {row.surname}"

    have(monkeypatch, csa, Column("family", str, "", surname, heading="Family"))
    player = Player.objects.get(pk=ListRow.objects.filter(rating_list__track="otb-main")[0].player_id)
    assert f"of the family {player.surname}" in page(client, LIST)
    Player.objects.filter(pk=player.pk).update(withheld=True)
    assert player.surname not in page(client, LIST)


def test_ids_in_other_registers_that_the_office_gives_are_there_but_for_children_and_names_on_platforms(
    csa: Federation, rated: Section
) -> None:
    rows = list(ListRow.objects.filter(rating_list__track="otb-main").order_by("position")[:2])
    for row, born in zip(rows, (1980, 2020), strict=True):
        Player.objects.filter(pk=row.player_id).update(born=born)
        row.player.refresh_from_db()
        for kind in ("fide", "lichess"):
            value = f"{kind}{row.pk}"
            Identifier.objects.create(federation=csa, kind=kind, value=value, player=row.player)
    told = [row.ids for row in download_rows(rows, limits_of(csa))]
    assert told == [{"fide": f"fide{rows[0].pk}"}, {}]
