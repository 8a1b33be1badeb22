"""Final places after a correction: those by points are proposed anew, stated ones are asked about."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from django.test import Client

from conftest import appointed
from players.models import Role, User
from players.record import Refused
from ratings.corrections import correct_rated_section
from ratings.intake import import_journal
from ratings.models import Fact
from ratings.rulesets import facts, journal, journal_lines
from ratings.tests.journals import journal_of
from ratings.tests.office import recompute_all
from ratings.tests.pfo_record import Office
from ratings.verify import verify
from tests.built_once import built_once
from tournaments.corrections import apply_changes, preview_changes
from tournaments.models import Entry, Section
from tournaments.places import find_places_against_points, get_points

ClientOf = Callable[[User], Client]
pytestmark = pytest.mark.django_db
TODAY = date(2010, 3, 1)
GAMES = "1 Adam 1-0 Basia\n1 Celina 1/2 Darek\n2 Adam 1-0 Celina\n2 Basia 0-1 Darek"
BY_POINTS, STATED = "Adam Darek Celina Basia", "Adam Celina Darek Basia"
CELINA_WON = {"what": "result", "game": 2, "to": "1-0"}


def section_with(places: str) -> Section:
    record = Office()
    record.rate(GAMES, places=places)
    written = journal_of(record.ruleset, record.facts)
    recompute_all(import_journal(journal.read_journal(written.splitlines()), on=TODAY))
    return Section.objects.select_related("event__federation").get()


@pytest.fixture
@built_once
def by_points(db: None) -> Section:
    return section_with(BY_POINTS)


@pytest.fixture
@built_once
def stated(db: None) -> Section:
    return section_with(STATED)


def corrected(section: Section, *changes: dict[str, Any]) -> Fact:
    given: dict[str, Any] = {"by": None, "on": TODAY, "version": section.version, "reason": "result"}
    given["words"] = "The slip."
    fact = correct_rated_section(section=section, changes=changes or [CELINA_WON], **given)
    recompute_all(section.event.federation)
    return fact


def places(section: Section) -> dict[str, int | None]:
    return dict(Entry.objects.filter(section=section).values_list("player__number", "place"))


def test_17_places_by_points_follow_a_corrected_result_and_with_them_the_season(by_points: Section) -> None:
    fact = corrected(by_points)
    assert places(by_points) == {"Adam": 1, "Celina": 2, "Darek": 2, "Basia": 4}
    assert fact.takes is not None
    line = journal_lines.parse_line(fact.takes.line, by_points.event.federation.ruleset)
    assert isinstance(line, facts.Section)
    assert {entry.player: entry.place for entry in line.entries} == places(by_points)
    assert {each.what for each in by_points.corrections.all()} == {"result", "place"}
    assert verify(by_points.event.federation).differences == []


def test_places_stay_where_a_corrected_result_leaves_the_order_as_it_was(stated: Section) -> None:
    basia_was_absent = {"what": "result", "game": 1, "to": "+:-"}
    assert preview_changes(stated, [basia_was_absent]).asked == []
    corrected(stated, basia_was_absent)
    assert places(stated) == {"Adam": 1, "Celina": 2, "Darek": 3, "Basia": 4}


def test_of_stated_places_somebody_says_whether_they_hold_before_anything_is_corrected(
    stated: Section,
) -> None:
    asked = preview_changes(stated, [CELINA_WON]).asked
    assert [(each.where["entry"]["player"], each.before, each.after) for each in asked] == [("Darek", 3, 2)]
    with pytest.raises(Refused, match="which final places hold"):
        corrected(stated)
    assert stated.corrections.count() == 0


@pytest.mark.parametrize(("said", "darek"), [("stay", 3), ("points", 2)])
def test_stated_places_stay_or_follow_the_points_as_an_official_says(
    stated: Section, said: str, darek: int
) -> None:
    corrected(stated, CELINA_WON, {"what": "places", "to": said})
    assert places(stated) == {"Adam": 1, "Celina": 2, "Darek": darek, "Basia": 4}


def test_a_place_that_an_official_corrects_beside_a_result_is_asked_about_no_more(stated: Section) -> None:
    corrected(stated, CELINA_WON, {"what": "place", "entry": 4, "to": 3})
    assert places(stated)["Basia"] == 3


def test_what_nobody_can_say_of_places_is_refused(stated: Section) -> None:
    with pytest.raises(Refused, match="cannot be read"):
        apply_changes(stated, [CELINA_WON, {"what": "places", "to": "first"}])


def test_an_official_says_it_on_the_page_before_the_reason_is_asked_for(
    stated: Section, client_of: ClientOf
) -> None:
    official = client_of(appointed("Olga", stated.event.federation, Role.OFFICIAL))
    url = f"{stated.get_absolute_url()}mend/"
    page = official.post(url, {"version": stated.version, "changes": "[]", "game": "2", "result": "1-0"})
    assert "Do the final places stay?" in page.text
    assert "Darek" in page.text
    assert 'name="words"' not in page.text
    page = official.post(url, {"changes": page.context["changes"], "places": "points"})
    assert "Do the final places stay?" not in page.text
    assert 'name="words"' in page.text
    assert any("place 3 → 2" in words for words in page.context["chosen"])


def test_a_place_against_the_points_is_told_to_everybody_and_one_by_the_points_is_not(
    stated: Section, client: Client
) -> None:
    words = "Celina has place 2, and Darek place 3; their points are 0.5 and 1.5."
    assert words in client.get(stated.get_absolute_url()).text
    corrected(stated, CELINA_WON, {"what": "places", "to": "points"})
    assert "contradict the points" not in client.get(stated.get_absolute_url()).text


def test_equal_points_contradict_no_order(stated: Section) -> None:
    corrected(stated, CELINA_WON, {"what": "places", "to": "stay"})
    assert find_places_against_points(stated, stated.entries.all(), get_points(stated)) == []


def test_a_correction_that_makes_a_place_contradict_the_points_tells_so(by_points: Section) -> None:
    swapped = [{"what": "place", "entry": 1, "to": 2}, {"what": "place", "entry": 2, "to": 1}]
    found = preview_changes(by_points, swapped).found
    assert [(each.key, each.level, each.params["worse"]) for each in found] == [
        ("place-against-points", "waivable", "Adam")
    ]


@pytest.mark.parametrize("field", ["finals", "team"])
def test_finals_and_teams_have_places_that_points_do_not_decide(stated: Section, field: str) -> None:
    setattr(stated, field, ["F"] if field == "finals" else True)
    assert find_places_against_points(stated, stated.entries.all(), get_points(stated)) == []


def test_17_the_preview_names_the_seasons_points_that_would_differ_and_nobody_elses(
    by_points: Section, client_of: ClientOf
) -> None:
    official = client_of(appointed("Olga", by_points.event.federation, Role.OFFICIAL))
    url = f"{by_points.get_absolute_url()}mend/"
    page = official.post(url, {"version": by_points.version, "changes": "[]", "game": "2", "result": "1-0"})
    rows = {
        row.player.number: row.cells for row in page.context["table_rows"] if row.table.startswith("Grand")
    }
    # Shared second places: 3rd would have had fewer points than 2nd; the first and the last stay.
    assert {"Celina"} <= rows.keys()
    assert "Basia" not in rows
    points = [(before, after) for label, before, after in rows["Celina"] if label == "Points"]
    assert points
    assert all(int(after) > int(before) for before, after in points)
