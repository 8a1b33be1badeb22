"""Somebody else's things named in a form that is one's own: another region's, another office's."""

from __future__ import annotations

import pytest
from django.urls import reverse

from players.models import Federation, Player, Region
from tests.access_world import World, digest
from tests.test_access_matrix import standing, world
from tournaments.models import Entry, Event, Finding, Section

__all__ = ["standing", "world"]  # the fixtures

pytestmark = pytest.mark.django_db


def test_an_event_is_not_registered_for_another_region(world: World) -> None:
    theirs = Region.objects.get(code="WCA")
    form = {"name": "Cape Open", "region": theirs.pk, "starts": "2026-05-01", "ends": "2026-05-02"}
    sections = {"form-TOTAL_FORMS": 1, "form-INITIAL_FORMS": 0, "form-0-name": "A", "form-0-format": "swiss"}
    amahle = world.browser("amahle")
    before = digest()
    answer = amahle.post("/csa/events/register/", {**form, **sections})
    assert answer.status_code == 400
    assert digest() == before


def test_an_entry_is_not_matched_with_another_offices_player(world: World) -> None:
    theirs = Player.objects.filter(federation__code="other")[0]
    section = Section.objects.get(event__number="2024-010", event__federation__code="csa")
    Entry.objects.filter(section=section, number=1).update(player=None, match=Entry.Match.DOUBTFUL)
    answer = world.browser("amahle").post(
        reverse("tournaments:decide_players", args=["csa", "2024-010", "A"]),
        {"version": section.version, "player-1": theirs.pk},
    )
    assert answer.status_code == 404
    assert Entry.objects.get(section=section, number=1).player is None


def test_a_reason_given_for_another_sections_finding_waives_nothing(world: World) -> None:
    theirs = Section.objects.get(event__number="2024-020")
    finding = Finding.objects.create(
        section=theirs, source="rules", level="waivable", key="too-few", clause="17"
    )
    world.browser("amahle").post(
        reverse("tournaments:submit", args=["csa", "2024-010", "A"]),
        {"version": 0, f"reason-{finding.pk}": "mine"},
    )
    finding.refresh_from_db()
    assert finding.waived_because == ""


def test_an_office_appoints_to_its_own_regions_only(world: World) -> None:
    theirs = Region.objects.get(code="ELS")
    thandi = world.browser("thandi")
    before = digest()
    answer = thandi.post(
        "/csa/people/appoint/",
        {
            "email": "x@example.org",
            "name": "X",
            "role": "regional",
            "region": theirs.pk,
            "starts": "2026-01-01",
        },
    )
    assert answer.status_code == 400
    assert digest() == before


def test_a_section_is_found_under_its_own_event_and_office_only(world: World) -> None:
    nomsa = world.browser("nomsa")
    assert nomsa.get("/csa/events/2024-011/A/review/").status_code == 200
    assert nomsa.get("/csa/events/2024-031/A/review/").status_code == 404  # stands elsewhere
    assert nomsa.get("/csa/events/2024-011/B/review/").status_code == 404
    assert Event.objects.filter(number="2024-031", federation__code="other").exists()


def test_the_record_cannot_be_searched_for_another_offices_people(world: World) -> None:
    zanele = world.people["zanele"]
    assert "Zanele" not in world.browser("nomsa").get(f"/csa/record/?by={zanele.pk}").content.decode()


def test_fields_that_no_form_has_change_nothing(world: World) -> None:
    """Mass assignment: names of columns, posted beside a proper form, stay unread."""
    extra = {"ruleset_slug": "evil", "demo": "1", "code": "evil", "accent": "6", "next_player_number": "1"}
    world.browser("thandi").post("/csa/settings/", {"births": "none", **extra})
    office = Federation.objects.get(code="csa")
    assert (office.settings["births"], office.ruleset_slug, office.demo, office.accent) == (
        "none",
        "csa",
        False,
        1,
    )
