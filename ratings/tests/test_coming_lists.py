"""The list of a day to come: looked at beforehand, due on its day, published with a note."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Any

import pytest
import time_machine
from django.test import Client

from players.models import Decision, Federation, Ledger, Player, User
from ratings import approval, publication
from ratings.lists import find_next_list_day, get_coming_list_days
from ratings.models import Fact, ListRow, RatingList
from ratings.pages import publication as publish
from ratings.publication import TrackPreview, get_missing_before_list
from ratings.tests.office import approved, published, recompute_all, register, submitted
from ratings.verify import verify
from tests.built_once import built_once
from tournaments.models import Section, Stage

ClientOf = Callable[[User], Client]
pytestmark = pytest.mark.django_db
TODAY = date(2024, 3, 20)
APRIL, MAY = date(2024, 4, 1), date(2024, 5, 1)
AT = datetime(2024, 3, 20, 9, tzinfo=UTC)
NOTE = "The Open of Gauteng came in late and counts in this list."


@pytest.fixture(autouse=True)
def on_the_twentieth_of_march() -> Any:
    with time_machine.travel(AT, tick=False):
        yield


@pytest.fixture
@built_once
def players(csa: Federation) -> list[Player]:
    return register(csa, 8)


@pytest.fixture
@built_once
def rated(csa: Federation, players: list[Player]) -> Section:
    section = submitted(csa, players, rounds=10)
    approved(section)
    return section


def words(answer: Any) -> str:
    assert answer.status_code == 200
    return " ".join(answer.content.decode().split())


def standard_of(answer: Any) -> TrackPreview:
    """The track of slow games at the board, as the page shows it."""
    previews: list[TrackPreview] = [each["preview"] for each in answer.context["tracks"]]
    return next(each for each in previews if each.track == "otb-standard")


def note_and_list(office: Federation, note: str) -> RatingList:
    publication.publish_list(federation=office, by=None, on=TODAY, note=note)
    recompute_all(office)
    return RatingList.objects.filter(federation=office, on=TODAY, track="otb-standard").get()


# ---------------------------------------------------------------- looking at it beforehand


def test_the_list_of_the_first_is_looked_at_days_before_and_nothing_is_written(
    csa: Federation, rated: Section, nomsa: User, client_of: ClientOf
) -> None:
    lines, decided = Fact.objects.count(), Decision.objects.count()
    answer = client_of(nomsa).get("/csa/lists/next/?on=2024-04-01")
    page = words(answer)
    assert "The list of 1 April 2024, beforehand" in page
    assert "The largest changes" not in page  # everybody is new
    standard = standard_of(answer)
    assert (standard.players, standard.newcomers, standard.dropped) == (8, 8, 0)
    assert (Fact.objects.count(), Decision.objects.count()) == (lines, decided)
    assert not RatingList.objects.exists()


def test_what_is_shown_beforehand_is_what_the_day_publishes(
    csa: Federation, rated: Section, players: list[Player], nomsa: User, client_of: ClientOf
) -> None:
    published(csa, TODAY)
    approved(submitted(csa, players, number="2024-002", rounds=10, ends=date(2024, 3, 19), seed=3), TODAY)
    answer = client_of(nomsa).get("/csa/lists/next/?on=2024-04-01")
    shown = {each.player.number: each.after and each.after.rating for each in standard_of(answer).movers}
    assert shown
    assert words(answer).count("The largest changes") == 1
    with time_machine.travel(datetime(2024, 4, 1, 9, tzinfo=UTC), tick=False):
        lists = published(csa, APRIL)
    rows = next(each for each in lists if each.track == "otb-standard").rows.all()
    assert {row.player.number: row.rating for row in rows if row.player.number in shown} == shown


def test_who_is_new_and_who_is_gone_is_told_by_name_and_as_the_day_publishes_it(
    csa: Federation, rated: Section, players: list[Player], nomsa: User, client_of: ClientOf
) -> None:
    published(csa, TODAY)
    newcomers = register(csa, 2, first=101000900)
    later = submitted(
        csa, [*players[:6], *newcomers], number="2024-002", rounds=10, ends=date(2024, 3, 19), seed=3
    )
    approved(later, TODAY)
    listed = next(each for each in RatingList.objects.all() if each.track == "otb-standard")
    left = register(csa, 1, first=101000950)[0]
    copied = listed.rows.latest("position")
    ListRow.objects.create(
        rating_list=listed,
        player=left,
        rank=copied.rank,
        position=copied.position + 1,
        rating=copied.rating,
        games=copied.games,
        status=copied.status,
    )
    recompute_all(csa)
    answer = client_of(nomsa).get("/csa/lists/next/?on=2024-04-01")
    standard = next(each for each in answer.context["tracks"] if each["preview"].track == "otb-standard")
    assert {player.number for player in standard["came"]} == {each.number for each in newcomers}
    assert [player.number for player in standard["gone"]] == [left.number]
    assert (standard["preview"].newcomers, standard["preview"].dropped) == (2, 1)
    page = words(answer)
    assert page.count("New and gone") == 1
    assert "/csa/lists/next/otb-standard/new/?on=2024-04-01" in page
    for who, people in (("new", newcomers), ("gone", [left])):
        names = words(client_of(nomsa).get(f"/csa/lists/next/otb-standard/{who}/?on=2024-04-01"))
        assert all(each.number in names and each.name in names for each in people)
        assert players[0].number not in names


def test_where_many_are_new_thirty_are_named_at_once_and_all_on_pages(
    csa: Federation, rated: Section, nomsa: User, client_of: ClientOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publish, "NAMED_AT_ONCE", 3)
    monkeypatch.setattr("players.pages.tables.ROWS", 5)
    answer = client_of(nomsa).get("/csa/lists/next/?on=2024-04-01")
    standard = next(each for each in answer.context["tracks"] if each["preview"].track == "otb-standard")
    assert [len(standard["came"]), len(standard["gone"])] == [3, 0]
    assert "All 8, with their ratings" in words(answer)
    address = "/csa/lists/next/otb-standard/new/?on=2024-04-01"
    first, second = (words(client_of(nomsa).get(f"{address}&page={page}")) for page in (1, 2))
    assert [page.count('class="sub mono"') for page in (first, second)] == [5, 3]
    assert "1 to 5 of 8" in first


@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("otb-standard/new/", 200),
        ("otb-standard/new/?on=2024-04-01", 200),
        ("otb-standard/gone/?on=2024-04-01", 200),
        ("otb-standard/both/?on=2024-04-01", 404),
        ("nothing/new/?on=2024-04-01", 404),
        ("otb-standard/new/?on=2024-03-20", 302),
    ],
)
def test_names_are_told_of_a_list_that_can_be_drawn_up_alone(
    csa: Federation, rated: Section, nomsa: User, client_of: ClientOf, address: str, status: int
) -> None:
    published(csa, TODAY)
    answer = client_of(nomsa).get(f"/csa/lists/next/{address}")
    assert answer.status_code == status
    if status == 302:
        assert answer.headers["Location"] == "/csa/lists/next/?on=2024-03-20"


@pytest.mark.parametrize("day", ["2024-03-19", "2025-03-22", "soon"])
def test_names_of_a_day_that_is_not_to_come_within_a_year_are_those_of_the_next_list(
    csa: Federation, rated: Section, nomsa: User, client_of: ClientOf, day: str
) -> None:
    page = words(client_of(nomsa).get(f"/csa/lists/next/otb-standard/new/?on={day}", follow=True))
    assert "only lists from today on, at most a year ahead" in page
    assert "1 April 2024" in page


def test_who_stood_on_the_newest_list_is_gone_where_a_track_lists_nobody_now(
    csa: Federation, rated: Section, players: list[Player], nomsa: User, client_of: ClientOf
) -> None:
    published(csa, TODAY)
    rated.refresh_from_db()
    approval.unrate(
        section=rated, by=None, on=TODAY, version=rated.version, reason="result", words="W.", after_list=True
    )
    recompute_all(csa)
    answer = client_of(nomsa).get("/csa/lists/next/?on=2024-04-01")
    assert (standard_of(answer).players, standard_of(answer).dropped) == (0, 8)
    page = words(client_of(nomsa).get("/csa/lists/next/otb-standard/gone/?on=2024-04-01"))
    assert all(player.name in page for player in players)
    with time_machine.travel(datetime(2024, 3, 21, 9, tzinfo=UTC), tick=False):
        assert "The list would be empty" in words(client_of(nomsa).get("/csa/lists/publish/?on=2024-03-21"))


@pytest.mark.parametrize(("day", "told"), [("2024-03-01", False), ("2024-03-02", True), ("2024-03-20", True)])
def test_67_a_day_on_which_no_list_is_due_is_told_before_it_is_confirmed(
    csa: Federation, players: list[Player], nomsa: User, client_of: ClientOf, day: str, told: bool
) -> None:
    approved(submitted(csa, players, rounds=10, ends=date(2024, 2, 20)))
    page = words(client_of(nomsa).get(f"/csa/lists/publish/?on={day}"))
    assert "Publish it?" in page
    assert ("this office’s lists are due on day 1 of each month" in page) is told
    assert (page.count("#clause-67") > 0) is told


def test_67_before_the_next_regular_day_the_page_names_it_and_offers_no_other_by_itself(
    rated: Section, players: list[Player], nomsa: User, client_of: ClientOf
) -> None:
    before = words(client_of(nomsa).get("/csa/lists/publish/"))
    assert "The next list is due on 1 April 2024." in before
    assert "Publish it?" not in before
    submitted(rated.event.federation, players, number="2024-007", ends=date(2024, 3, 18))
    with time_machine.travel(datetime(2024, 4, 1, 9, tzinfo=UTC), tick=False):
        on_its_day = words(client_of(nomsa).get("/csa/lists/publish/"))
    assert "Publish it?" in on_its_day
    assert "1 section is submitted and not decided." in on_its_day
    assert "/csa/events/2024-007/A/review/" in on_its_day


def test_67_a_list_that_was_missed_is_proposed_with_its_own_day_until_something_later_is_decided(
    csa: Federation, rated: Section, players: list[Player], nomsa: User, client_of: ClientOf
) -> None:
    published(csa, TODAY)
    with time_machine.travel(datetime(2024, 4, 3, 9, tzinfo=UTC), tick=False):
        browser, later = client_of(nomsa), date(2024, 4, 3)
        assert browser.get("/csa/lists/publish/").context["on"] == APRIL
        approved(submitted(csa, players, number="2024-008", ends=date(2024, 3, 19), seed=3), later)
        assert browser.get("/csa/lists/publish/").context["on"] == later


def test_without_a_day_the_page_shows_the_list_that_is_due_next(
    csa: Federation, rated: Section, nomsa: User, client_of: ClientOf
) -> None:
    assert "The list of 1 April 2024, beforehand" in words(client_of(nomsa).get("/csa/lists/next/"))


@pytest.mark.parametrize(
    ("day", "status"), [("2024-03-20", 200), ("2024-03-19", 400), ("2025-03-21", 200), ("2025-03-22", 400)]
)
def test_a_day_is_looked_at_from_today_to_a_year_ahead(
    csa: Federation, rated: Section, nomsa: User, client_of: ClientOf, day: str, status: int
) -> None:
    assert client_of(nomsa).get(f"/csa/lists/next/?on={day}").status_code == status


def test_no_list_is_worked_out_while_ratings_are_being_computed(
    csa: Federation, rated: Section, nomsa: User, client_of: ClientOf
) -> None:
    Ledger.objects.filter(federation=csa).update(wanted=1_000)
    answer = client_of(nomsa).get("/csa/lists/next/?on=2024-04-01")
    assert "Ratings are being computed" in words(answer)
    assert "tracks" not in answer.context


# ---------------------------------------------------------------- what is missing before it


def test_a_section_that_waits_is_missing_before_a_list_after_its_last_day_and_not_before_an_earlier_one(
    csa: Federation, players: list[Player]
) -> None:
    waiting = submitted(csa, players, number="2024-003", ends=date(2024, 3, 25))
    assert get_missing_before_list(csa, date(2024, 3, 25), TODAY).undecided == [waiting]
    assert get_missing_before_list(csa, date(2024, 3, 24), TODAY).undecided == []


def test_a_section_with_its_region_is_missing_if_its_last_day_falls_before_the_list(
    csa: Federation, players: list[Player], nomsa: User, client_of: ClientOf
) -> None:
    section = submitted(csa, players, number="2024-004", ends=date(2024, 3, 18))
    Section.objects.filter(pk=section.pk).update(stage=Stage.REGISTERED)  # §62: by 1 April
    assert [each.section for each in get_missing_before_list(csa, APRIL, TODAY).with_regions] == [section]
    assert get_missing_before_list(csa, date(2024, 3, 31), TODAY).with_regions == []
    assert "days left" in words(client_of(nomsa).get("/csa/lists/next/?on=2024-04-01"))


def test_where_nothing_is_missing_the_page_says_so(
    csa: Federation, rated: Section, nomsa: User, client_of: ClientOf
) -> None:
    assert get_missing_before_list(csa, APRIL, TODAY).nothing
    assert "Nothing that the office knows of is missing." in words(client_of(nomsa).get("/csa/lists/next/"))


# ---------------------------------------------------------------- the days


def test_67_a_list_of_chess_is_due_on_the_first_of_each_month(csa: Federation) -> None:
    assert get_coming_list_days(csa, TODAY)[:2] == [APRIL, MAY]
    assert find_next_list_day(csa, APRIL) == APRIL


def test_once_the_list_of_a_day_is_published_the_next_is_due(csa: Federation, rated: Section) -> None:
    published(csa, APRIL)
    assert find_next_list_day(csa, APRIL) == MAY


def test_a_regular_day_that_passed_without_a_list_is_overdue_until_a_list_is_published(
    csa: Federation, rated: Section
) -> None:
    published(csa, date(2024, 3, 20))
    assert find_next_list_day(csa, date(2024, 4, 1)) == APRIL
    assert find_next_list_day(csa, date(2024, 4, 2)) == APRIL
    published(csa, date(2024, 4, 2))
    assert find_next_list_day(csa, date(2024, 4, 2)) == MAY


def test_where_no_regulation_fixes_the_days_no_list_is_due() -> None:
    office = Federation.objects.create(code="dots", name="Dots", ruleset_slug="ssdc")
    Ledger.objects.create(federation=office)
    assert get_coming_list_days(office, TODAY) == []
    assert find_next_list_day(office, TODAY) is None


def test_the_calendar_shows_the_days_to_come_and_who_published_before(
    csa: Federation, rated: Section, nomsa: User, client_of: ClientOf
) -> None:
    publication.publish_list(federation=csa, by=nomsa, on=TODAY)
    recompute_all(csa)
    browser = client_of(nomsa)
    answer = browser.get("/csa/lists/calendar/")
    assert [(each["on"], each["days"]) for each in answer.context["coming"][:2]] == [(APRIL, 12), (MAY, 42)]
    assert [(each["newest"].on, each["by"]) for each in answer.context["past"]] == [(TODAY, str(nomsa))]
    assert "1 April 2024</a> · in 12 days" in words(browser.get("/csa/desk/"))


def test_the_public_reads_when_the_next_list_is_due(csa: Federation, rated: Section, client: Client) -> None:
    assert "The next list is due on 1 April 2024." in words(client.get("/csa/lists/"))


# ---------------------------------------------------------------- the note


def test_a_note_written_at_publishing_stands_on_the_list_and_in_the_files_that_take_remarks(
    csa: Federation, rated: Section, client: Client
) -> None:
    shown = note_and_list(csa, NOTE)
    assert (shown.note, shown.revision) == (NOTE, 1)
    here = f"/csa/lists/{shown.label}/otb-standard/"
    assert NOTE in words(client.get(here))
    told = json.loads(b"".join(client.get(f"{here}r1/names.json").streaming_content))  # type: ignore[attr-defined]
    assert told["note"] == NOTE
    assert verify(csa).differences == []


def test_a_list_without_a_note_says_none(csa: Federation, rated: Section, client: Client) -> None:
    shown = note_and_list(csa, "  ")
    assert shown.note == ""
    told = client.get(f"/csa/lists/{shown.label}/otb-standard/r1/names.json")
    assert b'"note"' not in b"".join(told.streaming_content)  # type: ignore[attr-defined]
    assert "note" not in Decision.objects.get(kind="publish").details


def test_the_note_is_typed_on_the_page_that_publishes(
    csa: Federation, rated: Section, nomsa: User, client_of: ClientOf
) -> None:
    sent = {"on": "2024-03-20", "typed": "2024-03-20", "note": NOTE}
    assert client_of(nomsa).post("/csa/lists/publish/", sent).status_code == 302
    recompute_all(csa)
    assert {each.note for each in RatingList.objects.all()} == {NOTE}
    assert Decision.objects.get(kind="publish").details["note"] == NOTE


def test_the_note_changes_no_byte_under_the_checksum(
    csa: Federation, rated: Section, players: list[Player]
) -> None:
    noted = note_and_list(csa, NOTE)
    assert NOTE.encode() not in bytes(noted.content)
