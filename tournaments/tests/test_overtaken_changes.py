"""A page that changes an event or a section and was overtaken comes back so that it can be sent again."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from html import unescape
from typing import Any

import pytest
from django.test import Client

from players.models import Region, User
from players.writing import page_cache
from tests.pages import unbroken
from tournaments.models import Event, Section
from tournaments.registration import edit_event, edit_section
from tournaments.tests.conftest import fresh
from tournaments.tests.test_changes import WHY, as_seen, like, named

pytestmark = [pytest.mark.django_db, pytest.mark.servers]
ClientOf = Callable[[User], Client]
OF_EVENT = "/csa/events/2026-001/sections/"
OF_SECTION = "/csa/events/2026-001/A/"


@pytest.fixture(autouse=True)
def no_page_is_kept() -> None:
    page_cache.clear()


def fields(html: str) -> dict[str, str]:
    """What the page's form would send of its inputs and text areas."""
    found = {}
    for tag in re.findall(r"<input[^>]*>", html):
        name, value = re.search(r'name="([^"]*)"', tag), re.search(r'value="([^"]*)"', tag)
        if name and value and 'type="checkbox"' not in tag:
            found[name[1]] = unescape(value[1])
    return found


def help_of(html: str, field: str) -> str:
    told = re.search(rf'id="id_{field}_helptext">(.*?)</div>', unbroken(html))
    return told[1] if told else ""


def somebody_moves_the_event(section: Section, by: User, **more: Any) -> None:
    said: dict[str, Any] = {"name": "Soweto Cup", "ends": date(2026, 3, 9), "reason": "Another hall."} | more
    edit_event(event=section.event, said=named(section.event, **said), **as_seen(section.event, by))


def test_an_overtaken_edit_of_an_event_is_told_what_is_saved_and_can_be_sent_again(
    client_of: ClientOf, section: Section, amahle: User, nomsa: User
) -> None:
    client = client_of(amahle)
    typed = fields(client.get(f"{OF_EVENT}edit/").content.decode())
    typed |= {"place": "Orlando", "arbiters-0-name": "Gugu Radebe", "reason": WHY, "country": "RSA"}
    somebody_moves_the_event(section, nomsa, arbiters=[{"name": "Lindiwe Zulu", "title": "IA", "id": ""}])
    answer = client.post(f"{OF_EVENT}edit/", typed)
    page = answer.content.decode()
    assert (answer.status_code, Event.objects.get().name) == (409, "Soweto Cup")
    assert "This event changed while your page was open" in unbroken(page)
    assert "Saved by now: Soweto Cup." in help_of(page, "name")
    assert "Saved by now: 9 March 2026." in help_of(page, "ends")
    assert "Saved by now: nothing." in help_of(page, "place")
    assert "Saved by now" not in help_of(page, "starts") + help_of(page, "country")
    assert "Saved by now: IA Lindiwe Zulu." in unbroken(page)
    again = fields(page)
    assert (again["place"], again["reason"], again["arbiters-0-name"]) == ("Orlando", WHY, "Gugu Radebe")
    assert client.post(f"{OF_EVENT}edit/", again).status_code == 302
    assert (Event.objects.get().name, Event.objects.get().place) == ("Soweto Open", "Orlando")


def test_an_overtaken_edit_of_a_section_is_told_what_is_saved_and_can_be_sent_again(
    client_of: ClientOf, section: Section, amahle: User, nomsa: User
) -> None:
    client = client_of(amahle)
    typed = fields(client.get(f"{OF_SECTION}edit/").content.decode())
    typed |= {"format": "swiss", "own-platform": "otb", "rounds": "7", "team": "on"}
    said = like(section, name="Premier", reason="One group.")
    edit_section(section=section, said=said, **as_seen(section, nomsa))
    answer = client.post(f"{OF_SECTION}edit/", typed)
    page = answer.content.decode()
    assert (answer.status_code, fresh(section).name, fresh(section).rounds) == (409, "Premier", None)
    assert "Saved by now: Premier." in help_of(page, "name")
    assert "Saved by now: nothing." in help_of(page, "rounds")
    assert "Saved by now: no." in help_of(page, "team")
    assert "Saved by now" not in help_of(page, "format")
    again = fields(page) | {"format": "swiss", "own-platform": "otb", "reason": WHY}
    assert client.post(f"{OF_SECTION}edit/", again).status_code == 302
    assert (fresh(section).name, fresh(section).rounds) == ("A", 7)


@pytest.mark.parametrize("deed", ["postpone", "cancel", "withdraw"])
@pytest.mark.parametrize("place", [OF_EVENT, OF_SECTION])
def test_whoever_calls_off_or_moves_what_somebody_changed_reads_so_and_sends_the_same_words_again(
    client_of: ClientOf, section: Section, amahle: User, nomsa: User, deed: str, place: str
) -> None:
    client, days = client_of(amahle), {"starts": "2026-04-10", "ends": "2026-04-12"}
    said = {"reason": WHY} | (days if deed == "postpone" else {})
    typed = fields(client.get(f"{place}{deed}/").content.decode()) | said
    somebody_moves_the_event(section, nomsa)
    answer = client.post(f"{place}{deed}/", typed)
    page = answer.content.decode()
    assert answer.status_code == 409
    assert "changed while your page was open" in unbroken(page)
    assert "6 Mar 2026 – 9 Mar 2026; before: 6 Mar 2026 – 8 Mar 2026" in unbroken(page)
    if place == OF_EVENT:
        assert "Soweto Cup; before: Soweto Open" in unbroken(page)
    if deed == "postpone":
        assert "Saved by now: 9 March 2026." in help_of(page, "ends")
    again = fields(page)
    assert {name: again[name] for name in said} == said
    assert client.post(f"{place}{deed}/", again).status_code == 302


def test_an_overtaken_move_to_another_region_can_be_sent_again(
    client_of: ClientOf, section: Section, nomsa: User, western_cape: Region
) -> None:
    client = client_of(nomsa)
    typed = fields(client.get(f"{OF_EVENT}region/").content.decode())
    typed |= {"region": str(western_cape.pk), "reason": WHY}
    somebody_moves_the_event(section, nomsa)
    answer = client.post(f"{OF_EVENT}region/", typed)
    page = answer.content.decode()
    assert answer.status_code == 409
    assert re.search(rf'<option value="{western_cape.pk}"\s+selected', page)
    again = fields(page) | {"region": str(western_cape.pk)}
    assert client.post(f"{OF_EVENT}region/", again).status_code == 302


def test_a_change_refused_for_another_reason_tells_nothing_of_others(
    client_of: ClientOf, section: Section, amahle: User
) -> None:
    client = client_of(amahle)
    typed = fields(client.get(f"{OF_EVENT}postpone/").content.decode()) | {"reason": WHY}
    answer = client.post(f"{OF_EVENT}postpone/", typed)
    assert answer.status_code == 409
    assert "These are the days it has already" in unbroken(answer.content.decode())
    assert "Saved by now" not in answer.content.decode()
