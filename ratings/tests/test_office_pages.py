"""The office's own pages: the desk of each role, the review, decisions, publishing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from django.utils.translation import override as override_language

from conftest import appointed
from players.access import ROLES, Permission
from players.appointments import change_settings
from players.models import BirthDate, Decision, Federation, Ledger, Player, Role, User
from players.settings import Settings, today
from ratings.as_if import preview_rating
from ratings.models import Fact, RatingList
from ratings.pages.forms import is_day_as_typed
from ratings.results import find_rated_fact
from ratings.statement import read_section
from ratings.tests.office import approved, published, recompute_all, register, submitted
from tests.built_once import built_once
from tournaments.models import Finding, Section, Stage, Upload

LACKING = "Round 3 lacks a game."
ClientOf = Callable[[User], Client]
pytestmark = pytest.mark.django_db


@pytest.fixture
@built_once
def players(csa: Federation) -> list[Player]:
    return register(csa, 8)


@pytest.fixture
@built_once
def section(csa: Federation, players: list[Player]) -> Section:
    """A section of Gauteng's, submitted today; ten rounds bring everybody a first rating."""
    waiting = submitted(csa, players, rounds=10)
    Section.objects.filter(pk=waiting.pk).update(submitted_on=today(csa))
    waiting.refresh_from_db()
    return waiting


def place(section: Section, page: str) -> str:
    return f"{section.get_absolute_url()}{page}/"


def words(answer: Any) -> str:
    return " ".join(answer.content.decode().split())


def stage_of(section: Section) -> str:
    return Section.objects.get(pk=section.pk).stage


# ---------------------------------------------------------------- the desk


def test_an_official_finds_what_awaits_review_the_longest_waiting_first(
    csa: Federation, players: list[Player], nomsa: User, client_of: ClientOf
) -> None:
    for number, day in (("2024-007", date(2024, 5, 2)), ("2024-008", date(2024, 5, 1))):
        waiting = submitted(csa, players, number=number)
        Section.objects.filter(pk=waiting.pk).update(submitted_on=day)
    page = words(client_of(nomsa).get("/csa/desk/"))
    assert page.index("2024-008/A") < page.index("2024-007/A")
    assert "/csa/events/2024-008/A/review/" in page


def test_a_region_finds_its_own_sections_with_the_next_step_and_nobody_elses(
    section: Section, amahle: User, pieter: User, client_of: ClientOf
) -> None:
    Section.objects.filter(pk=section.pk).update(stage=Stage.REGISTERED)
    page = words(client_of(amahle).get("/csa/desk/"))
    assert "Upload the file" in page
    assert place(section, "file") in page
    assert section.key not in words(client_of(pieter).get("/csa/desk/"))


def test_a_filed_section_says_how_many_questions_are_open_then_offers_to_submit(
    section: Section, amahle: User, client_of: ClientOf
) -> None:
    Section.objects.filter(pk=section.pk).update(stage=Stage.FILED)
    finding = Finding.objects.create(section=section, source="details", level="asks", key="rounds-needed")
    Finding.objects.create(section=section, source="file", level="notice", key="whatever")
    assert "Answer one question" in words(client_of(amahle).get("/csa/desk/"))
    finding.delete()
    assert place(section, "submit") in words(client_of(amahle).get("/csa/desk/"))


def test_an_administrator_finds_people_settings_and_regions_that_nobody_files_for(
    csa: Federation, amahle: User, thandi: User, client_of: ClientOf
) -> None:
    page = words(client_of(thandi).get("/csa/desk/"))
    assert "2 people in office" in page
    assert "Nobody files for: Western Cape." in page
    assert "Awaiting review" not in page


def test_who_holds_no_appointment_has_no_desk(csa: Federation, client_of: ClientOf) -> None:
    lerato = User.objects.create_user("lerato@example.org", "a long pass phrase")
    assert client_of(lerato).get("/csa/desk/").status_code == 403


def test_the_desk_shows_the_ledgers_trouble_and_names_the_section(
    csa: Federation, section: Section, nomsa: User, client_of: ClientOf
) -> None:
    Ledger.objects.update(
        wanted=1, attempts=1, last_error="line 9 of the journal (rated 2024-001/A): KeyError()"
    )
    page = words(client_of(nomsa).get("/csa/desk/"))
    assert "could not be computed" in page
    assert place(section, "review") in page


def test_the_bar_moves_while_the_ledger_works_and_then_asks_for_the_page(
    csa: Federation, nomsa: User, client_of: ClientOf
) -> None:
    browser = client_of(nomsa)
    Ledger.objects.update(wanted=1)
    assert browser.get("/csa/desk/progress/").status_code == 204
    Ledger.objects.update(folded=40, to_fold=100)
    assert 'value="40" max="100"' in words(browser.get("/csa/desk/progress/"))
    Ledger.objects.update(done=1)
    answer = browser.get("/csa/desk/progress/")
    assert (answer.status_code, answer.headers["HX-Refresh"]) == (286, "true")


# ---------------------------------------------------------------- the review


def test_the_review_shows_each_rating_that_would_move_and_writes_nothing(
    csa: Federation, section: Section, nomsa: User, client_of: ClientOf
) -> None:
    page = words(client_of(nomsa).get(place(section, "review/outlook")))
    assert "OTB Standard" in page
    assert "Invented00" in page
    assert not Fact.objects.exists()
    assert not Decision.objects.exists()
    section.refresh_from_db()
    assert (section.stage, section.version) == (Stage.SUBMITTED, 0)


@pytest.mark.parametrize("may_see", [True, False])
def test_the_review_shows_the_registers_day_of_birth_to_whom_may_see_it(
    section: Section,
    nomsa: User,
    client_of: ClientOf,
    may_see: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    player = section.entries.exclude(player=None)[0].player
    assert player is not None
    BirthDate.objects.update_or_create(player=player, defaults={"day": date(player.born or 1990, 5, 3)})
    if not may_see:
        official = ROLES[Role.OFFICIAL]
        left = replace(official, grants=official.grants - {Permission.PLAYERS_BIRTHS})
        monkeypatch.setitem(ROLES, Role.OFFICIAL, left)
    page = words(client_of(nomsa).get(place(section, "review/filed")))
    assert (f"{player.born or 1990}-05-03" in page) == may_see


def test_what_the_review_promises_is_what_approving_brings(
    csa: Federation, players: list[Player], section: Section, nomsa: User, client_of: ClientOf
) -> None:
    ahead = preview_rating(section, today(csa)).own
    promised = {(each.player, each.track): each.movement for each in ahead}
    client_of(nomsa).post(place(section, "approve"), {"version": 0})
    recompute_all(csa)
    fact = find_rated_fact(section)
    assert fact is not None
    brought = {(each.player, each.track): each.movement for each in read_section(fact)}
    assert brought == promised != {}


def test_first_ratings_are_marked_and_points_that_wait_for_the_list_say_so(
    csa: Federation, players: list[Player], section: Section, nomsa: User, client_of: ClientOf
) -> None:
    browser = client_of(nomsa)
    review = words(browser.get(place(section, "review")))
    assert "first rating" in review
    assert '<span class="sub narrow">10 games counted</span>' in review, "what a phone has no column for"
    approved(section)
    published(csa, date(2024, 4, 1))
    another = submitted(csa, players, number="2024-002", ends=date(2024, 4, 6), seed=2)
    page = words(browser.get(place(another, "review")))
    assert "waiting" in page
    assert "first rating" not in page


def test_each_rating_that_would_move_opens_into_its_working(
    csa: Federation, section: Section, players: list[Player], nomsa: User, client_of: ClientOf
) -> None:
    move = preview_rating(section, today(csa)).own[0]
    browser = client_of(nomsa)
    answer = browser.get(f"{place(section, 'review')}{move.player}/{move.track}/")
    assert answer.status_code == 200
    assert 'class="steps"' in words(answer)
    assert browser.get(f"{place(section, 'review')}{move.player}/ol-blitz/").status_code == 404
    assert browser.get(f"{place(section, 'review')}999/{move.track}/").status_code == 404


def test_what_would_follow_is_a_page_of_its_own_and_a_part_that_the_review_takes_in(
    section: Section, players: list[Player], nomsa: User, client_of: ClientOf
) -> None:
    browser = client_of(nomsa)
    assert place(section, "review/outlook") in words(browser.get(place(section, "review")))
    page = words(browser.get(place(section, "review/outlook")))
    assert "OTB Standard" in page
    assert "new on the list" in page
    assert "Ranks to confirm" not in page
    part = words(browser.get(place(section, "review/outlook"), headers={"HX-Request": "true"}))
    assert "<html" not in part
    assert "new on the list" in part
    assert not Fact.objects.exists()


def test_only_what_awaits_review_has_an_outlook(section: Section, nomsa: User, client_of: ClientOf) -> None:
    Section.objects.filter(pk=section.pk).update(rounds=None)
    page = words(client_of(nomsa).get(place(section, "review/outlook")))
    assert "cannot be rated as it is" in page
    Section.objects.filter(pk=section.pk).update(stage=Stage.RETURNED)
    assert client_of(nomsa).get(place(section, "review/outlook")).status_code == 404


def test_a_section_that_is_not_whole_says_so_and_cannot_be_approved(
    section: Section, nomsa: User, client_of: ClientOf
) -> None:
    Section.objects.filter(pk=section.pk).update(rounds=None)
    page = words(client_of(nomsa).get(place(section, "review")))
    assert "cannot be rated as it is" in page
    assert "Approve and rate" not in page
    assert client_of(nomsa).post(place(section, "approve"), {"version": 0}).status_code == 409
    assert stage_of(section) == Stage.SUBMITTED


def test_opening_the_file_gives_the_bytes_and_stays_in_the_record(
    csa: Federation, section: Section, amahle: User, nomsa: User, client_of: ClientOf
) -> None:
    Upload.objects.create(
        federation=csa, section=section, by=amahle, at=timezone.now(), on=today(csa), name="round 9.trf",
        size=3, sha256="ab" * 32, content=b"012", state=Upload.State.READ,
    )  # fmt: skip
    answer = client_of(nomsa).post(f"{place(section, 'review')}file/")
    assert b"".join(answer.streaming_content) == b"012"  # type: ignore[attr-defined]
    assert answer.headers["Content-Disposition"].startswith("attachment")
    assert Decision.objects.get().kind == "open-file"
    assert client_of(amahle).post(f"{place(section, 'review')}file/").status_code == 403
    assert client_of(nomsa).get(f"{place(section, 'review')}file/").status_code == 405


def test_a_file_s_name_stays_within_its_header(
    csa: Federation, section: Section, nomsa: User, client_of: ClientOf
) -> None:
    Upload.objects.create(
        federation=csa, section=section, by=nomsa, at=timezone.now(), on=today(csa),
        name='a"; filename="b.html é.trf', size=3, sha256="ab" * 32, content=b"012", state=Upload.State.READ,
    )  # fmt: skip
    answer = client_of(nomsa).post(f"{place(section, 'review')}file/")
    assert answer.headers["Content-Disposition"] == (
        "attachment; filename*=utf-8''a%22%3B%20filename%3D%22b.html%20%C3%A9.trf"
    )
    assert answer.headers["Content-Type"] == "application/octet-stream"


def test_a_file_that_was_let_go_is_not_found(
    csa: Federation, section: Section, nomsa: User, client_of: ClientOf
) -> None:
    assert client_of(nomsa).post(f"{place(section, 'review')}file/").status_code == 404
    assert not Decision.objects.exists()


# ---------------------------------------------------------------- decisions


def test_an_approval_goes_on_to_the_ledgers_progress_and_then_to_what_moved(
    csa: Federation, section: Section, nomsa: User, client_of: ClientOf
) -> None:
    browser = client_of(nomsa)
    answer = browser.post(place(section, "approve"), {"version": 0})
    assert (answer.status_code, answer.headers["Location"]) == (302, place(section, "outcome"))
    assert "<progress" in words(browser.get(place(section, "outcome")))
    recompute_all(csa)
    page = words(browser.get(place(section, "outcome")))
    assert "<progress" not in page
    assert "all effects are computed" in page
    assert Decision.objects.get(kind="approve").by == nomsa


@pytest.mark.parametrize("verb", ["approve", "return", "refuse"])
def test_a_decision_on_an_older_page_is_refused_in_words(
    section: Section, nomsa: User, client_of: ClientOf, verb: str
) -> None:
    Section.objects.filter(pk=section.pk).update(version=3)
    given = {"version": 2} | ({} if verb == "approve" else {"reason": LACKING})
    answer = client_of(nomsa).post(place(section, verb), given)
    assert answer.status_code == 409
    assert "Somebody else acted first" in words(answer)
    assert str(given.get("reason", "")) in words(answer)
    assert stage_of(section) == Stage.SUBMITTED
    assert not Decision.objects.exists()


DECIDED_IN = {"approve": "submitted", "return": "submitted", "refuse": "submitted", "unrate": "rated"}


@pytest.mark.parametrize("stage", Stage.values)
def test_each_decision_is_taken_in_its_own_stage_only(
    section: Section, nomsa: User, client_of: ClientOf, stage: str
) -> None:
    Section.objects.filter(pk=section.pk).update(stage=stage)
    for verb, own in DECIDED_IN.items():
        if stage != own:
            given = {"version": 0, "reason": "result" if verb == "unrate" else LACKING, "words": LACKING}
            answer = client_of(nomsa).post(place(section, verb), given)
            assert answer.status_code == 409, verb
    assert stage_of(section) == stage
    assert not Decision.objects.exists()


def test_a_form_sent_twice_does_its_deed_once(
    csa: Federation, section: Section, nomsa: User, client_of: ClientOf
) -> None:
    browser = client_of(nomsa)
    answers = [browser.post(place(section, "approve"), {"version": 0}) for _time in range(2)]
    assert [answer.status_code for answer in answers] == [302, 409]
    assert Fact.objects.filter(kind="rated").count() == 1


@pytest.mark.parametrize("verb", ["return", "refuse"])
def test_a_return_and_a_refusal_need_a_reason(
    section: Section, nomsa: User, client_of: ClientOf, verb: str
) -> None:
    answer = client_of(nomsa).post(place(section, verb), {"version": 0, "reason": "  "})
    assert answer.status_code == 400
    assert "Say why" in words(answer)
    assert stage_of(section) == Stage.SUBMITTED


def test_a_returned_section_tells_its_region_what_to_do(
    section: Section, amahle: User, nomsa: User, client_of: ClientOf
) -> None:
    answer = client_of(nomsa).post(place(section, "return"), {"version": 0, "reason": LACKING})
    assert answer.headers["Location"] == "/csa/desk/"
    assert stage_of(section) == Stage.RETURNED
    assert "Read the reason, and correct the section" in words(client_of(amahle).get("/csa/desk/"))


def test_a_refused_section_is_approved_no_more(section: Section, nomsa: User, client_of: ClientOf) -> None:
    browser = client_of(nomsa)
    browser.post(place(section, "refuse"), {"version": 0, "reason": "Never played."})
    assert stage_of(section) == Stage.REFUSED
    assert browser.post(place(section, "approve"), {"version": 1}).status_code == 409


def test_four_eyes_keep_an_official_from_approving_what_they_submitted(
    csa: Federation, section: Section, nomsa: User, thandi: User, client_of: ClientOf
) -> None:
    change_settings(federation=csa, settings=Settings(four_eyes=True), by=thandi, on=today(csa))
    Section.objects.filter(pk=section.pk).update(submitted_by=nomsa)
    assert "Approve and rate" not in words(client_of(nomsa).get(place(section, "review")))
    assert client_of(nomsa).post(place(section, "approve"), {"version": 0}).status_code == 409
    assert stage_of(section) == Stage.SUBMITTED
    zanele = appointed("Zanele", csa, Role.OFFICIAL)
    assert client_of(zanele).post(place(section, "approve"), {"version": 0}).status_code == 302


def test_without_four_eyes_an_official_approves_what_they_submitted(
    section: Section, nomsa: User, client_of: ClientOf
) -> None:
    Section.objects.filter(pk=section.pk).update(submitted_by=nomsa)
    assert client_of(nomsa).post(place(section, "approve"), {"version": 0}).status_code == 302


def test_a_region_cannot_post_straight_on(section: Section, amahle: User, client_of: ClientOf) -> None:
    for verb in ("approve", "return", "refuse", "unrate"):
        answer = client_of(amahle).post(place(section, verb), {"version": 0, "reason": "mine"})
        assert answer.status_code == 403
    assert stage_of(section) == Stage.SUBMITTED
    assert not Decision.objects.exists()


# ---------------------------------------------------------------- publishing


def test_the_preview_of_a_list_counts_newcomers_and_publishes_nothing(
    csa: Federation, section: Section, nomsa: User, client_of: ClientOf
) -> None:
    approved(section)
    page = words(client_of(nomsa).get("/csa/lists/publish/?on=2024-04-01"))
    assert "The list of 1 April 2024" in page
    assert "OTB Standard" in page
    assert not RatingList.objects.exists()
    assert not Fact.objects.filter(kind="list").exists()


def test_the_day_typed_once_more_publishes_and_leads_to_the_lists(
    csa: Federation, section: Section, nomsa: User, client_of: ClientOf
) -> None:
    browser = client_of(nomsa)
    approved(section)
    answer = browser.post("/csa/lists/publish/", {"on": "2024-04-01", "typed": "2024-04-01"})
    assert answer.headers["Location"] == "/csa/lists/publish/2024-04-01/"
    assert "<progress" in words(browser.get(answer.headers["Location"]))
    recompute_all(csa)
    assert "/csa/lists/2024-04/" in words(browser.get(answer.headers["Location"]))
    assert Decision.objects.get(kind="publish").by == nomsa


@pytest.mark.parametrize(
    ("typed", "language"),
    [
        ("1 april 2024", "en"),
        ("1 Apr 2024", "en"),
        ("1/4/2024", "en"),
        ("1. 4. 2024", "cs"),
        ("1. dubna 2024", "cs"),
        ("01.04.2024", "pl"),
        ("1 kwietnia 2024", "pl"),
        ("1.4.2024", "ru"),
        ("1 апреля 2024", "ru"),
    ],
)
def test_a_day_is_taken_as_people_of_each_language_type_it(typed: str, language: str) -> None:
    with override_language(language):
        assert is_day_as_typed(typed, "2024-04-01")
        assert not is_day_as_typed(typed, "2024-04-02")


@pytest.mark.parametrize("typed", ["2024-04-02", "4/1/2024", "", "yes"])
def test_another_day_typed_publishes_nothing(
    csa: Federation, section: Section, nomsa: User, client_of: ClientOf, typed: str
) -> None:
    approved(section)
    answer = client_of(nomsa).post("/csa/lists/publish/", {"on": "2024-04-01", "typed": typed})
    assert answer.status_code == 400
    assert not Fact.objects.filter(kind="list").exists()


def test_no_list_is_published_while_ratings_are_being_worked_out(
    csa: Federation, section: Section, nomsa: User, client_of: ClientOf
) -> None:
    approved(section)
    Ledger.objects.update(wanted=99)
    browser = client_of(nomsa)
    assert "Publish the list" not in words(browser.get("/csa/lists/publish/"))
    assert browser.post("/csa/lists/publish/", {"on": "2024-04-01", "typed": "2024-04-01"}).status_code == 409


def test_a_day_to_come_is_none(csa: Federation, section: Section, nomsa: User, client_of: ClientOf) -> None:
    approved(section)
    answer = client_of(nomsa).post("/csa/lists/publish/", {"on": "2999-01-01", "typed": "2999-01-01"})
    assert answer.status_code == 400
    assert "still to come" in words(answer)


@pytest.mark.parametrize(
    ("asked", "said"), [("2024-04-01", "published already"), ("2024-03-01", "already has a decision")]
)
def test_a_day_that_is_closed_or_past_is_named_before_anybody_types_it(
    csa: Federation, section: Section, nomsa: User, client_of: ClientOf, asked: str, said: str
) -> None:
    approved(section)
    published(csa, date(2024, 4, 1))
    page = words(client_of(nomsa).get(f"/csa/lists/publish/?on={asked}"))
    assert said in page
    assert "Publish the list" not in page


def test_an_office_with_nobody_rated_has_nothing_to_publish(
    csa: Federation, nomsa: User, client_of: ClientOf
) -> None:
    assert "The list would be empty" in words(client_of(nomsa).get("/csa/lists/publish/?on=2024-04-02"))
    assert client_of(nomsa).get("/csa/lists/publish/2024-04-01/").status_code == 404
    assert client_of(nomsa).get("/csa/lists/publish/never/").status_code == 404


def test_the_review_shows_the_file_that_the_section_holds_not_a_later_unreadable_one(
    csa: Federation, section: Section, nomsa: User, client_of: ClientOf
) -> None:
    for name, state in (("good.txt", Upload.State.READ), ("broken.pdf", Upload.State.UNREADABLE)):
        Upload.objects.create(
            federation=csa,
            section=section,
            name=name,
            state=state,
            content=b"x",
            size=1,
            sha256=name,
            at=timezone.now(),
            on=section.ends,
        )
    shown = words(client_of(nomsa).get(f"{section.get_absolute_url()}review/"))
    assert "good.txt" in shown
    assert "broken.pdf" not in shown
