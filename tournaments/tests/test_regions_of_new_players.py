"""The region of a new player: the filing one, or another that is stated while filing (csa 14.1.5)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from django.test import Client

from players.access import get_rights
from players.models import Decision, Federation, Player, Region, User
from players.record import Refused
from ratings.models import Fact
from tests.built_once import built_once
from tests.pages import unbroken
from tournaments.announcements import move_to_region
from tournaments.entries import decide_entries
from tournaments.findings import build_worded_findings
from tournaments.models import Section, Stage
from tournaments.tests.conftest import TODAY, Send, address, fresh
from tournaments.tests.event_files import open_file, open_sheet

ClientOf = Callable[[User], Client]
HOST = "host-region"


@pytest.fixture
@built_once
def new(amahle: User, client_of: ClientOf, section: Section, upload: Send, send: Send) -> Section:
    """A filed section of six new players."""
    client = client_of(amahle)
    upload(client, section, open_file())
    ticked = {"version": fresh(section).version, "entry": [1, 2, 3, 4, 5, 6]}
    send(client, address(section, "players/decide"), ticked)
    return fresh(section)


def region_of(section: Section, number: int) -> Region | None:
    return section.entries.get(number=number).region


def state(client: Client, section: Section, send: Send, **regions: int) -> int:
    data = {name.replace("_", "-"): str(key) for name, key in regions.items()}
    data["version"] = str(fresh(section).version)
    return send(client, address(section, "players/decide"), data).status_code


def test_a_new_player_is_offered_the_filing_region_and_every_other(
    amahle: User, client_of: ClientOf, new: Section, gauteng: Region, western_cape: Region
) -> None:
    page = unbroken(client_of(amahle).get(address(new, "players")).content.decode())
    assert page.count(f'<option value="{gauteng.pk}" selected>Gauteng</option>') == 6
    assert page.count(f'<option value="{western_cape.pk}">Western Cape</option>') == 6


def test_at_submission_each_new_player_belongs_to_the_region_that_was_stated_else_to_the_filing_one(
    amahle: User, client_of: ClientOf, new: Section, western_cape: Region, gauteng: Region, send: Send
) -> None:
    client = client_of(amahle)
    assert state(client, new, send, region_1=western_cape.pk, region_2=gauteng.pk) == 302
    assert (region_of(new, 1), region_of(new, 2), region_of(new, 3)) == (western_cape, None, None)
    decision = Decision.objects.filter(kind="match").latest("pk")
    assert decision.details["regions"] == {"1": "WCA"}
    send(client, address(new, "submit"), {"version": fresh(new).version})
    assert fresh(new).stage == Stage.SUBMITTED
    regions = dict(Player.objects.values_list("surname", "region__code"))
    assert regions.pop("Dlamini") == "WCA"
    assert set(regions.values()) == {"GAU"}


def test_the_filing_region_can_be_chosen_again(
    amahle: User, client_of: ClientOf, new: Section, western_cape: Region, gauteng: Region, send: Send
) -> None:
    client = client_of(amahle)
    state(client, new, send, region_1=western_cape.pk)
    state(client, new, send, region_1=gauteng.pk)
    assert region_of(new, 1) is None


def test_the_finding_of_the_host_region_leads_to_the_players_and_names_only_those_without_another(
    amahle: User, client_of: ClientOf, new: Section, western_cape: Region, send: Send
) -> None:
    client = client_of(amahle)
    players = address(new, "players")

    def found() -> list[str]:
        shown = build_worded_findings(fresh(new), fresh(new).findings.filter(key=HOST))
        assert all(each.action_url == players for each in shown)
        return [each.words for each in shown]

    assert f'href="{players}"' in client.get(address(new, "submit")).content.decode()
    assert "New players: 6 (Dlamini" in found()[0]
    state(client, new, send, region_1=western_cape.pk)
    assert "New players: 5 (" in found()[0]
    assert "Dlamini" not in found()[0]
    state(client, new, send, **{f"region_{n}": western_cape.pk for n in range(2, 7)})
    assert found() == []


def test_a_region_of_nobody_or_of_another_office_changes_nothing(
    amahle: User, client_of: ClientOf, new: Section, send: Send, csa: Federation
) -> None:
    elsewhere = Federation.objects.create(code="els", name="Elsewhere", ruleset_slug="csa")
    strange = Region.objects.create(federation=elsewhere, code="X", name="X")
    for key in (strange.pk, 10**9):
        assert state(client_of(amahle), new, send, region_1=key) == 404
    with pytest.raises(Refused, match="is not a new player here"):
        decide_entries(section=new, by=amahle, on=TODAY, version=fresh(new).version, regions={1: strange})
    assert region_of(new, 1) is None


def test_whoever_is_in_the_register_gets_no_region_here(
    amahle: User,
    client_of: ClientOf,
    section: Section,
    upload: Send,
    register_of_six: list[Player],
    western_cape: Region,
) -> None:
    client = client_of(amahle)
    upload(client, section, open_file())
    assert 'name="region-1"' not in client.get(address(section, "players")).content.decode()
    with pytest.raises(Refused, match="moves by a transfer"):
        version = fresh(section).version
        decide_entries(section=section, by=amahle, on=TODAY, version=version, regions={1: western_cape})


def test_an_office_of_one_region_asks_for_none(
    amahle: User, client_of: ClientOf, new: Section, csa: Federation, western_cape: Region
) -> None:
    csa.regions.exclude(pk=new.event.region_id).delete()
    assert 'name="region-' not in client_of(amahle).get(address(new, "players")).content.decode()


def test_the_next_file_keeps_the_region_and_a_change_of_mind_about_the_player_forgets_it(
    amahle: User, client_of: ClientOf, new: Section, western_cape: Region, upload: Send, send: Send
) -> None:
    client = client_of(amahle)
    state(client, new, send, region_1=western_cape.pk)
    first, *rest = open_sheet().games
    upload(client, new, open_file(games=(replace(first, result="0-1"), *rest)))
    assert region_of(new, 1) == western_cape
    send(client, address(new, "players/1/reopen"), {"version": fresh(new).version})
    assert region_of(new, 1) is None


def test_a_moved_event_takes_its_new_players_along_but_for_those_of_a_stated_region(
    amahle: User,
    nomsa: User,
    client_of: ClientOf,
    new: Section,
    gauteng: Region,
    western_cape: Region,
    csa: Federation,
    send: Send,
) -> None:
    limpopo = Region.objects.create(federation=csa, code="LIM", name="Limpopo")
    client = client_of(amahle)
    state(client, new, send, region_1=limpopo.pk)
    send(client, address(new, "submit"), {"version": fresh(new).version})
    send(client, address(new, "submit/withdraw"), {"version": fresh(new).version})
    rights = get_rights(nomsa, csa, TODAY)
    event = fresh(new).event
    seen: dict[str, Any] = {"by": nomsa, "on": TODAY, "version": event.version}
    seen["in_journal"] = Fact.objects.filter(kind="player").values("subject")
    move_to_region(rights=rights, event=event, region=western_cape, reason="Played in the Cape.", **seen)
    codes = dict(Player.objects.values_list("surname", "region__code"))
    assert codes.pop("Dlamini") == "LIM"
    assert set(codes.values()) == {"WCA"}


# ---------------------------------------------------------------- “Change” and what else was typed


def test_change_beside_a_settled_player_keeps_what_was_typed_elsewhere_on_the_page(
    amahle: User, client_of: ClientOf, new: Section, western_cape: Region, send: Send
) -> None:
    client = client_of(amahle)
    send(client, address(new, "players/1/reopen"), {"version": fresh(new).version})
    page = unbroken(client.get(address(new, "players")).content.decode())
    assert f'form="decide" formaction="{address(new, "players/2/reopen")}#entry-2"' in page
    data = {"version": fresh(new).version, "entry": ["1"], "new-1-first_name": "Thabang"}
    answer = send(client, address(new, "players/2/reopen"), data | {"region-3": str(western_cape.pk)})
    page = unbroken(answer.content.decode())
    assert answer.status_code == 200
    assert new.entries.get(number=2).match == "none"
    assert 'name="entry" value="1" checked' in page
    assert 'name="entry" value="2" checked' not in page
    assert f'<option value="{western_cape.pk}" selected>Western Cape</option>' in page
    assert new.entries.get(number=1).match == "none"
    assert region_of(new, 3) is None
    assert f'name="version" value="{fresh(new).version}"' in page


def test_change_with_nothing_typed_elsewhere_leads_back_to_the_page(
    amahle: User, client_of: ClientOf, new: Section, send: Send, gauteng: Region
) -> None:
    data = {"version": fresh(new).version, "region-3": str(gauteng.pk)}
    answer = send(client_of(amahle), address(new, "players/2/reopen"), data)
    assert (answer.status_code, answer["Location"]) == (302, f"{address(new, 'players')}#entry-2")


def test_change_that_came_too_late_says_so_and_keeps_what_was_typed(
    amahle: User, client_of: ClientOf, new: Section, send: Send
) -> None:
    client = client_of(amahle)
    send(client, address(new, "players/1/reopen"), {"version": fresh(new).version})
    data = {"version": fresh(new).version - 1, "entry": ["1"]}
    answer = send(client, address(new, "players/2/reopen"), data)
    assert answer.status_code == 409
    assert 'name="entry" value="1" checked' in unbroken(answer.content.decode())
    assert new.entries.get(number=2).match == "new"
