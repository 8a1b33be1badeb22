"""The official's queue: every section can be reached, found and taken; what counts stands in its row."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from django.db import OperationalError
from django.test import Client
from django.utils import timezone

from players.models import Decision, Federation, Player, User
from players.record import Refused
from players.settings import today
from ratings import tasks
from ratings.figures import compute_review_figures
from ratings.models import ReviewFigures
from ratings.tasks import sweep
from ratings.tests.office import approved, recompute_all, register, submitted
from tests.built_once import built_once
from tournaments.models import Finding, PermissionRequest, Section, SectionTaking, Stage
from tournaments.review import give_back, hand_over, take

ClientOf = Callable[[User], Client]
DAY = date(2024, 4, 2)
pytestmark = pytest.mark.django_db


@pytest.fixture
@built_once
def players(csa: Federation) -> list[Player]:
    """Eight players who have a rating, so that a section gives and takes points."""
    found = register(csa, 8)
    approved(submitted(csa, found, number="2023-001", rounds=10, ends=date(2023, 3, 1), seed=5))
    return found


@pytest.fixture
@built_once
def section(csa: Federation, players: list[Player]) -> Section:
    return waiting(csa, players, "2024-001")


def waiting(office: Federation, players: list[Player], number: str, days: int = 0, **more: Any) -> Section:
    section = submitted(office, players, number=number, rounds=10, **more)
    Section.objects.filter(pk=section.pk).update(submitted_on=today(office) - timedelta(days=days))
    section.refresh_from_db()
    return section


def words(answer: Any) -> str:
    return " ".join(answer.content.decode().split())


def desk(client: Client, query: str = "") -> str:
    answer = client.get(f"/csa/desk/{query}")
    assert answer.status_code == 200
    return words(answer)


# ---------------------------------------------------------------- every section can be reached


def test_page_2_of_the_queue_is_page_2(
    csa: Federation, players: list[Player], nomsa: User, client_of: ClientOf
) -> None:
    for number in range(51):
        waiting(csa, players[:2], f"2024-{number:03}", days=60 - number)
    first, second = (desk(client_of(nomsa), f"?page={page}") for page in (1, 2))
    assert "2024-000/A" in first
    assert "2024-050/A" not in first
    assert "2024-050/A" in second
    assert "2024-000/A" not in second


def test_the_queue_is_narrowed_by_region_age_and_name_and_the_address_says_so(
    csa: Federation, players: list[Player], nomsa: User, client_of: ClientOf
) -> None:
    waiting(csa, players, "2024-001", days=6, region=csa.regions.get(code="GAU"))
    waiting(csa, players, "2024-002", days=7, region=csa.regions.get(code="WCA"))
    client = client_of(nomsa)
    for query, seen in {
        "": {"2024-001", "2024-002"},
        "?region=GAU": {"2024-001"},
        "?age=7": {"2024-002"},
        "?age=3": {"2024-001", "2024-002"},
        "?q=open+2024-002": {"2024-002"},
        "?q=nothing": set(),
        "?region=XXX&age=banana&tab=none": {"2024-001", "2024-002"},
        "?tab=with-regions": set(),
    }.items():
        page = desk(client, query)
        assert {number for number in ("2024-001", "2024-002") if f"{number}/A/review/" in page} == seen, query


def test_the_number_beside_each_tab_is_of_what_its_address_shows(
    csa: Federation, players: list[Player], nomsa: User, client_of: ClientOf
) -> None:
    waiting(csa, players, "2024-001", days=6, region=csa.regions.get(code="GAU"))
    waiting(csa, players, "2024-002", days=7, region=csa.regions.get(code="WCA"))
    sent_back = waiting(csa, players, "2024-003", region=csa.regions.get(code="GAU"))
    Section.objects.filter(pk=sent_back.pk).update(stage=Stage.RETURNED)
    client = client_of(nomsa)
    for query, awaiting, with_regions in (
        ("", 2, 1),
        ("?region=GAU", 1, 1),
        ("?region=WCA", 1, 0),
        ("?q=2024-003", 0, 1),
        ("?age=7", 1, 1),  # the other tab's address asks for no age
        ("?tab=with-regions&stage=filed", 2, 0),
    ):
        tabs = {str(tab["label"]): tab for tab in client.get(f"/csa/desk/{query}").context["tabs"]}
        counts = tabs["Awaiting review"]["count"], tabs["With the regions"]["count"]
        assert counts == (awaiting, with_regions), query
        for label in ("Awaiting review", "With the regions"):
            shown = client.get(f"/csa/desk/{tabs[label]['url']}").context["review"]
            assert shown.paginator.count == tabs[label]["count"], (query, label)


def test_a_choice_keeps_the_others_and_starts_on_the_first_page(
    section: Section, nomsa: User, client_of: ClientOf
) -> None:
    page = desk(client_of(nomsa), "?region=GAU&q=open&sort=-ends&page=2")
    assert "?tab=waiting&amp;region=GAU&amp;age=7&amp;q=open&amp;sort=-ends" in page
    assert '<input type="hidden" name="region" value="GAU">' in page


@pytest.mark.parametrize(
    "column", ["section", "region", "players", "found", "moves", "ends", "submitted_on", "taken"]
)
def test_the_queue_is_sorted_by_each_column_both_ways(
    csa: Federation, players: list[Player], nomsa: User, client_of: ClientOf, column: str
) -> None:
    one = waiting(csa, players[:4], "2024-001", days=1, region=csa.regions.get(code="GAU"))
    waiting(
        csa, players, "2024-002", days=0, region=csa.regions.get(code="WCA"), ends=date(2024, 3, 9), seed=2
    )
    other = Section.objects.get(event__number="2024-002")
    Finding.objects.create(section=other, source="rules", level="notice", key="x")
    SectionTaking.objects.create(section=other, official=nomsa, since=timezone.now())
    ReviewFigures.objects.create(section=one, version=0, line=0, at=timezone.now(), on=DAY, moves=1, most="1")
    ReviewFigures.objects.create(
        section=other, version=0, line=0, at=timezone.now(), on=DAY, moves=2, most="2"
    )
    up, down = (desk(client_of(nomsa), f"?sort={sign}{column}") for sign in ("", "-"))
    assert (up.index("2024-001/A/review") < up.index("2024-002/A/review")) != (
        down.index("2024-001/A/review") < down.index("2024-002/A/review")
    )


def test_each_tab_has_its_sections_and_their_number(
    csa: Federation, players: list[Player], nomsa: User, client_of: ClientOf
) -> None:
    stages = (Stage.SUBMITTED, Stage.RETURNED, Stage.FILED, Stage.REFUSED)
    for number, stage in enumerate(stages, start=1):
        made = waiting(csa, players, f"2024-00{number}")
        Section.objects.filter(pk=made.pk).update(stage=stage)
    rated = waiting(csa, players, "2024-009")
    approved(rated, today(csa))
    client = client_of(nomsa)
    assert "2024-001/A" in desk(client, "?tab=waiting")
    with_regions = desk(client, "?tab=with-regions")
    assert "2024-002/A" in with_regions
    assert "2024-003/A" in with_regions
    assert "2024-004/A" not in with_regions
    lately = desk(client, "?tab=rated")
    assert "2024-009/A" in lately
    assert "2024-001/A/" not in lately
    assert "at most" in lately  # what it moved


def test_the_tab_before_play_is_there_where_a_regulation_wants_that_decision_and_else_not(
    section: Section, csa: Federation, nomsa: User, client_of: ClientOf
) -> None:
    assert "Before play" in desk(client_of(nomsa))  # csa 11
    csa.ruleset_slug = "pfo"
    csa.save(update_fields=["ruleset_slug"])
    assert "Before play" not in desk(client_of(nomsa))


# ---------------------------------------------------------------- what counts stands in the row


def test_findings_and_waivers_stand_in_the_row(section: Section, nomsa: User, client_of: ClientOf) -> None:
    for level, because in (("notice", ""), ("waivable", "The hall burnt."), ("waivable", "")):
        Finding.objects.create(section=section, source="rules", level=level, key="x", waived_because=because)
    page = desk(client_of(nomsa))
    assert '3<span class="sub">1 waiver asked for</span>' in page


def test_figures_are_unknown_until_the_worker_has_drawn_them_up_and_equal_those_of_the_review(
    section: Section, csa: Federation, nomsa: User, client_of: ClientOf
) -> None:
    assert "at most" not in desk(client_of(nomsa))
    sweep()
    figures = ReviewFigures.objects.get()
    review = client_of(nomsa).get(f"{section.get_absolute_url()}review/")
    tiles = {tile["label"]: tile["value"] for tile in review.context["tiles"]}
    assert figures.moves == tiles["Ratings that move"] >= tiles["First ratings among them"]
    assert "at most" in desk(client_of(nomsa))
    assert "as of" not in desk(client_of(nomsa))


@pytest.mark.parametrize(
    ("words", "is_error"),
    [
        ("database is locked", False),
        ("canceling statement due to lock timeout", False),
        ("disk I/O error", True),
    ],
)
def test_a_busy_database_is_no_error_in_the_log_as_the_next_sweep_draws_the_figures(
    csa: Federation,
    words: str,
    is_error: bool,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def fail(office: Federation) -> int:
        raise OperationalError(words)

    monkeypatch.setattr(tasks, "compute_review_figures", fail)
    with caplog.at_level(logging.INFO):
        tasks.figures(csa.pk)
    assert any(each.levelno >= logging.WARNING for each in caplog.records) is is_error


def test_figures_say_as_of_when_once_the_journal_has_moved_until_they_are_drawn_up_anew(
    section: Section, csa: Federation, players: list[Player], nomsa: User, client_of: ClientOf
) -> None:
    compute_review_figures(csa)
    other = waiting(csa, players, "2024-002", seed=2)
    approved(other)
    assert "as of" in desk(client_of(nomsa))
    ReviewFigures.objects.update(at=datetime(2024, 4, 2, 22, 30, tzinfo=UTC))
    assert "as of 3 Apr 00:30" in desk(client_of(nomsa))  # where the office is
    assert compute_review_figures(csa) == 1
    assert "as of" not in desk(client_of(nomsa))
    assert compute_review_figures(csa) == 0


def test_figures_of_an_earlier_version_are_not_shown(
    section: Section, csa: Federation, nomsa: User, client_of: ClientOf
) -> None:
    compute_review_figures(csa)
    Section.objects.update(version=section.version + 1)
    assert "at most" not in desk(client_of(nomsa))


def test_a_section_that_cannot_be_rated_says_so_in_its_row(
    section: Section, csa: Federation, nomsa: User, client_of: ClientOf
) -> None:
    section.entries.filter(number=1).update(player=None)
    compute_review_figures(csa)
    assert "cannot be rated as it is" in desk(client_of(nomsa))


def test_the_desk_asks_as_few_questions_for_fifty_sections_as_for_one(
    csa: Federation,
    players: list[Player],
    nomsa: User,
    client_of: ClientOf,
    django_assert_max_num_queries: Any,
) -> None:
    for number in range(50):
        waiting(csa, players[:2], f"2024-{number:03}")
    client = client_of(nomsa)
    client.get("/csa/desk/")
    with django_assert_max_num_queries(45):
        client.get("/csa/desk/")


# ---------------------------------------------------------------- “Take this section”


def test_an_official_takes_a_section_and_finds_it_under_mine(
    section: Section, nomsa: User, sipho: User, client_of: ClientOf
) -> None:
    answer = client_of(nomsa).post(f"{section.get_absolute_url()}take/", {"seen": ""}, follow=True)
    assert "You are on this section" in words(answer)
    assert "Give it back" in words(answer)
    assert section.key in desk(client_of(nomsa), "?tab=mine")
    assert f"{section.key}/review" not in desk(client_of(sipho), "?tab=mine")
    assert f'{nomsa}<span class="sub">since' in desk(client_of(sipho))
    assert Decision.objects.filter(kind="take", by=nomsa, about=f"section {section.key}").count() == 1


def test_of_two_who_take_a_section_at_once_the_second_is_told_of_the_first(
    section: Section, nomsa: User, sipho: User
) -> None:
    take(section=section, by=nomsa, at=timezone.now(), on=DAY, seen_official=None)
    with pytest.raises(Refused, match=f"{nomsa} is on this section by now"):
        take(section=section, by=sipho, at=timezone.now(), on=DAY, seen_official=None)
    take(
        section=section, by=sipho, at=timezone.now(), on=DAY, seen_official=nomsa.pk
    )  # who saw it may take over
    assert SectionTaking.objects.get().official == sipho


def test_only_who_is_on_a_section_gives_it_back(section: Section, nomsa: User, sipho: User) -> None:
    with pytest.raises(Refused, match="nothing to give back"):
        give_back(section=section, by=nomsa, on=DAY, seen_official=None)
    take(section=section, by=nomsa, at=timezone.now(), on=DAY, seen_official=None)
    with pytest.raises(Refused, match="nothing to give back"):
        give_back(section=section, by=sipho, on=DAY, seen_official=nomsa.pk)
    give_back(section=section, by=nomsa, on=DAY, seen_official=nomsa.pk)
    assert not SectionTaking.objects.exists()


def test_a_section_is_handed_to_an_official_in_office_and_to_nobody_else(
    section: Section, csa: Federation, nomsa: User, sipho: User, amahle: User
) -> None:
    with pytest.raises(Refused, match="Choose an official who is in office"):
        hand_over(section=section, by=nomsa, to=amahle, at=timezone.now(), on=today(csa), seen_official=None)
    hand_over(section=section, by=nomsa, to=sipho, at=timezone.now(), on=today(csa), seen_official=None)
    assert SectionTaking.objects.get().official == sipho


def test_the_pages_give_back_and_hand_over(
    section: Section, nomsa: User, sipho: User, client_of: ClientOf
) -> None:
    client, place = client_of(nomsa), section.get_absolute_url()
    client.post(f"{place}take/", {"seen": ""})
    handed = client.post(f"{place}hand-over/", {"seen": nomsa.pk, "to": sipho.pk}, follow=True)
    assert f"{sipho} is on this section now" in words(handed)
    stale = client.post(f"{place}give-back/", {"seen": nomsa.pk}, follow=True)
    assert f"{sipho} is on this section by now" in words(stale)
    back = client_of(sipho).post(f"{place}give-back/", {"seen": sipho.pk}, follow=True)
    assert "Nobody is on this section now" in words(back)
    nobody = client.post(f"{place}hand-over/", {"seen": "", "to": "banana"}, follow=True)
    assert "Choose the official" in words(nobody)


def test_a_taken_section_is_decided_by_whoever_decides_it_and_is_nobodys_then(
    section: Section, csa: Federation, nomsa: User, sipho: User
) -> None:
    take(section=section, by=sipho, at=timezone.now(), on=DAY, seen_official=None)
    approved(section)
    assert not SectionTaking.objects.exists()
    recompute_all(csa)
    with pytest.raises(Refused, match="rated"):
        take(section=section, by=sipho, at=timezone.now(), on=DAY, seen_official=None)


# ---------------------------------------------------------------- the region's desk


def test_the_regions_desk_groups_the_sections_of_an_event_and_tells_what_rated_ones_moved(
    csa: Federation, players: list[Player], amahle: User, client_of: ClientOf
) -> None:
    first = waiting(csa, players, "2024-001")
    waiting(csa, players, "2024-002", ends=date(2024, 2, 1))
    Section.objects.filter(event__number__in=("2024-001", "2024-002")).update(stage=Stage.RETURNED)
    Section.objects.create(
        event=first.event, code="B", name="Seniors", starts=first.starts, ends=first.ends + timedelta(days=9)
    )
    approved(waiting(csa, players, "2024-003"))
    page = desk(client_of(amahle))
    order = sorted(("2024-001/A<", "2024-001/B<", "2024-002/A<"), key=page.index)
    assert order in (
        ["2024-001/B<", "2024-001/A<", "2024-002/A<"],
        ["2024-002/A<", "2024-001/A<", "2024-001/B<"],
        ["2024-001/A<", "2024-001/B<", "2024-002/A<"],
        ["2024-002/A<", "2024-001/B<", "2024-001/A<"],
    )
    assert "ratings moved, by" not in page
    assert "ratings moved, by" in client_of(amahle).get("/csa/desk/?filing=rated").content.decode()


# ---------------------------------------------------------------- deadlines and permissions


def test_csa_62_the_region_finds_what_is_due_first_at_the_top_of_its_desk(
    csa: Federation, players: list[Player], amahle: User, client_of: ClientOf
) -> None:
    day = today(csa)
    for number, ends in (("2026-010", day + timedelta(20)), ("2026-011", day - timedelta(15))):
        section = submitted(csa, players, number=number, ends=ends)
        Section.objects.filter(pk=section.pk).update(stage=Stage.REGISTERED, submitted_on=None)
    page = desk(client_of(amahle))
    assert page.index("2026-011/A") < page.index("2026-010/A")
    assert "1 day late" in page
    assert "34 days left" in page


def test_csa_62_officials_see_with_which_regions_something_is_late_and_nothing_else_under_late(
    csa: Federation, players: list[Player], nomsa: User, client_of: ClientOf
) -> None:
    day = today(csa)
    for number, past in (("2026-020", 14), ("2026-021", 15)):
        section = submitted(csa, players, number=number, ends=day - timedelta(past))
        Section.objects.filter(pk=section.pk).update(stage=Stage.REGISTERED, submitted_on=None)
    everything = desk(client_of(nomsa), "?tab=with-regions")
    assert "2026-020/A" in everything
    assert "2026-021/A" in everything
    late = desk(client_of(nomsa), "?tab=with-regions&due=late")
    assert "2026-020/A" not in late
    assert "2026-021/A" in late


def test_csa_62_a_section_that_was_handed_in_late_says_so_in_the_queue(
    csa: Federation, players: list[Player], nomsa: User, client_of: ClientOf
) -> None:
    day = today(csa)
    waiting(csa, players, "2026-030", ends=day - timedelta(14))
    assert "late, on" not in desk(client_of(nomsa))
    waiting(csa, players, "2026-031", ends=day - timedelta(15))
    assert "late, on" in desk(client_of(nomsa))


@pytest.mark.parametrize("tab", ["mine", "waiting", "with-regions"])
def test_csa_62_sections_under_a_tab_are_chosen_by_their_deadline(
    csa: Federation, players: list[Player], nomsa: User, client_of: ClientOf, tab: str
) -> None:
    """Due 14 days after the end: today, in a week, in eight days, and yesterday."""
    day = today(csa)
    for number, past in (("2026-040", 14), ("2026-041", 7), ("2026-042", 6), ("2026-043", 15)):
        section = submitted(csa, players[:2], number=number, ends=day - timedelta(past))
        SectionTaking.objects.create(section=section, official=nomsa, since=timezone.now())
        with_region = tab != "waiting"
        stage = Stage.REGISTERED if with_region else Stage.SUBMITTED
        handed_in = None if with_region else day
        Section.objects.filter(pk=section.pk).update(stage=stage, submitted_on=handed_in)
    seen = {
        due: [number for number in range(40, 44) if f"2026-0{number}/A" in desk(client_of(nomsa), query)]
        for due, query in (
            ("", f"?tab={tab}"),
            ("soon", f"?tab={tab}&due=soon"),
            ("late", f"?tab={tab}&due=late"),
        )
    }
    soon = [] if tab == "waiting" else [40, 41]  # what was handed in has nothing to meet any more
    assert seen == {"": [40, 41, 42, 43], "soon": soon, "late": [43]}
    page = desk(client_of(nomsa), f"?tab={tab}")
    assert f"?tab={tab}&amp;due=late" in page


def test_csa_62_the_queue_is_sorted_by_the_last_day_across_all_its_pages(
    csa: Federation, players: list[Player], nomsa: User, client_of: ClientOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Due 14 days after the end, and nothing where it is refused: four with a day, one without."""
    monkeypatch.setattr("players.pages.tables.ROWS", 2)
    day = today(csa)
    for number, past in (("2026-050", 3), ("2026-051", 9), ("2026-052", 1), ("2026-053", 6), ("2026-054", 2)):
        section = submitted(csa, players[:2], number=number, ends=day - timedelta(past))
        stage = Stage.REFUSED if number == "2026-054" else Stage.FILED
        Section.objects.filter(pk=section.pk).update(stage=stage)
        SectionTaking.objects.create(section=section, official=nomsa, since=timezone.now())

    def shown(sort: str) -> list[int]:
        pages = [desk(client_of(nomsa), f"?tab=mine&sort={sort}&page={page}") for page in (1, 2, 3)]
        places = [(page.find(f"2026-05{each}/A/review"), each) for page in pages for each in range(5)]
        return [each for at in range(3) for place, each in sorted(places[5 * at : 5 * at + 5]) if place >= 0]

    assert shown("due") == [1, 3, 0, 2, 4]
    assert shown("-due") == [2, 0, 3, 1, 4]
    assert "sort=due" in desk(client_of(nomsa), "?tab=mine")


@pytest.mark.parametrize("tab", ["with-regions", "mine"])
def test_sections_of_several_stages_under_a_tab_are_chosen_by_stage(
    csa: Federation, players: list[Player], nomsa: User, client_of: ClientOf, tab: str
) -> None:
    for number, stage in (("2026-060", Stage.FILED), ("2026-061", Stage.RETURNED)):
        section = submitted(csa, players[:2], number=number)
        Section.objects.filter(pk=section.pk).update(stage=stage)
        SectionTaking.objects.create(section=section, official=nomsa, since=timezone.now())
    for query, kept in (
        ("", [True, True]),
        ("&stage=filed", [True, False]),
        ("&stage=returned", [False, True]),
        ("&stage=registered", [False, False]),
        ("&stage=rated", [True, True]),
        ("&stage=nonsense", [True, True]),
    ):
        page = desk(client_of(nomsa), f"?tab={tab}{query}")
        assert [f"2026-06{number}/A" in page for number in range(2)] == kept, query
    assert f"?tab={tab}&amp;stage=returned" in page
    narrowed = desk(client_of(nomsa), f"?tab={tab}&stage=returned&sort=ends")
    assert f"?tab={tab}&amp;stage=filed&amp;sort=ends" in narrowed


def test_no_choice_by_stage_is_offered_under_a_tab_of_one_stage(
    section: Section, nomsa: User, client_of: ClientOf
) -> None:
    page = desk(client_of(nomsa), "?tab=waiting&stage=filed")
    assert "2024-001/A" in page
    assert "stage=returned" not in page


@pytest.mark.parametrize("tab", ["rated", "refused"])
def test_no_choice_by_deadline_is_offered_where_no_section_has_one_to_meet(
    section: Section, nomsa: User, client_of: ClientOf, tab: str
) -> None:
    page = desk(client_of(nomsa), f"?tab={tab}&due=late")
    assert not re.search(r'(href|name)="[^"]*due\b', page)


def test_mahjong_3_the_tab_before_play_tells_the_day_of_the_offices_own_decision(
    nomsa: User, csa: Federation, section: Section, client_of: ClientOf
) -> None:
    csa.ruleset_slug = "mahjong"
    csa.save(update_fields=["ruleset_slug"])
    starts = today(csa) + timedelta(days=3)
    Section.objects.update(stage=Stage.REGISTERED, submitted_on=None, starts=starts, ends=starts)
    found = desk(client_of(nomsa), "?tab=before-play&due=soon")
    assert f"{section.key}" in found
    assert "First decision on the admission" in found
    assert f"{section.key}<" not in desk(client_of(nomsa), "?tab=before-play&due=late")


def test_a_permission_that_is_asked_for_stands_on_the_officials_desk_until_it_is_answered(
    section: Section, amahle: User, nomsa: User, client_of: ClientOf
) -> None:
    request = PermissionRequest.objects.create(
        section=section, clause="18", reason="A small hall.", asked_by=amahle, asked_on=DAY
    )
    assert "Permissions asked for" in desk(client_of(nomsa))
    assert "Permissions asked for" not in desk(client_of(amahle))
    PermissionRequest.objects.filter(pk=request.pk).update(state="granted")
    assert "Permissions asked for" not in desk(client_of(nomsa))


def test_where_the_regulations_name_no_day_the_desk_has_no_column_of_days(
    nomsa: User, csa: Federation, section: Section, client_of: ClientOf
) -> None:
    assert ">Due<" in desk(client_of(nomsa)).replace(" ", "")
    csa.ruleset_slug = "pfo"
    csa.save(update_fields=["ruleset_slug"])
    assert ">Due<" not in desk(client_of(nomsa)).replace(" ", "")
