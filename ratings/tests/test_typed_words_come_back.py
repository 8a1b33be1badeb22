"""Whatever staff typed into a form that could not be taken stands in it again, open, with what is wrong."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from django.test import Client

from players.models import Federation, Player, User
from players.settings import today
from ratings import approval
from ratings.tests.office import register, submitted
from tests.built_once import built_once
from tests.pages import unbroken
from tournaments.models import Appeal, Event, PermissionRequest, Section, Stage
from tournaments.review import appeal, decide_appeal

ClientOf = Callable[[User], Client]
WORDS = "The hall was flooded."
LONG = WORDS + "x" * 1000
pytestmark = pytest.mark.django_db


@pytest.fixture
@built_once
def section(csa: Federation, amahle: User) -> Section:
    return submitted(csa, register(csa, 8), rounds=10)


@pytest.fixture
@built_once
def refused(section: Section, nomsa: User) -> Section:
    day = today(section.event.federation)
    approval.record_refusal(section=section, by=nomsa, on=day, version=section.version, reason="No arbiter.")
    section.refresh_from_db()
    return section


def page_of(answer: Any) -> str:
    return unbroken(answer.content.decode())


def is_open(page: str, summary: str) -> bool:
    before = page.partition(f"<summary>{summary}</summary>")[0]
    return before.endswith("<details open>")


# ---------------------------------------------------------------- appeals


def test_an_appeal_that_is_too_long_comes_back_in_its_open_form(
    refused: Section, amahle: User, client_of: ClientOf
) -> None:
    place = f"{refused.get_absolute_url()}submit/appeal/"
    answer = client_of(amahle).post(place, {"version": refused.version, "reason": LONG})
    page = page_of(answer)
    assert (answer.status_code, LONG in page) == (400, True)
    assert is_open(page, "Appeal against the refusal")
    assert "at most 1000 characters" in page


def test_an_appeal_from_an_older_page_comes_back_and_can_be_sent_again(
    refused: Section, amahle: User, client_of: ClientOf
) -> None:
    place, client = f"{refused.get_absolute_url()}submit/appeal/", client_of(amahle)
    answer = client.post(place, {"version": refused.version - 1, "reason": WORDS})
    page = page_of(answer)
    assert (answer.status_code, WORDS in page) == (409, True)
    assert f'name="version" value="{refused.version}"' in page
    assert client.post(place, {"version": refused.version, "reason": WORDS}).status_code == 302


def test_the_words_of_an_appeal_that_can_be_made_no_more_are_shown(
    section: Section, amahle: User, client_of: ClientOf
) -> None:
    place = f"{section.get_absolute_url()}submit/appeal/"
    answer = client_of(amahle).post(place, {"version": section.version, "reason": WORDS})
    assert (answer.status_code, WORDS in page_of(answer)) == (409, True)


@pytest.fixture
@built_once
def appealed(refused: Section, amahle: User) -> Appeal:
    day = today(refused.event.federation)
    return appeal(section=refused, by=amahle, on=day, version=refused.version, reason="There was one.")


def test_the_answer_to_an_appeal_comes_back_where_it_is_too_long_or_from_an_older_page(
    appealed: Appeal, nomsa: User, client_of: ClientOf
) -> None:
    section = appealed.section
    section.refresh_from_db()
    place, client = f"{section.get_absolute_url()}appeals/{appealed.pk}/", client_of(nomsa)
    said = {"version": section.version, "granted": "no", "reason": LONG}
    answer = client.post(place, said)
    assert (answer.status_code, LONG in page_of(answer)) == (400, True)
    older = client.post(place, said | {"version": section.version - 1, "reason": WORDS})
    assert (older.status_code, f">{WORDS}</textarea>" in page_of(older)) == (409, True)
    assert f'name="version" value="{section.version}"' in page_of(older)


def test_the_answer_to_an_appeal_that_a_colleague_decided_is_shown_beside_that(
    appealed: Appeal, nomsa: User, thandi: User, client_of: ClientOf
) -> None:
    section = appealed.section
    section.refresh_from_db()
    said = {"version": section.version, "granted": "no", "reason": WORDS}
    day = today(section.event.federation)
    decide_appeal(
        appeal=appealed, by=thandi, on=day, version=section.version, upheld=False, reason="No new ground."
    )
    answer = client_of(nomsa).post(f"{section.get_absolute_url()}appeals/{appealed.pk}/", said)
    assert answer.status_code == 409
    assert "No new ground." in page_of(answer)
    assert WORDS in page_of(answer)


# ---------------------------------------------------------------- requests for a permission


@pytest.fixture
@built_once
def asked(section: Section, amahle: User) -> PermissionRequest:
    clause = section.event.federation.equipment.office.powers.permits[0].clause
    return PermissionRequest.objects.create(
        section=section, clause=clause, reason="Please.", asked_by=amahle, asked_on=date(2026, 1, 2)
    )


@pytest.mark.parametrize(("older", "words", "status"), [(0, LONG, 400), (1, WORDS, 409)])
def test_the_answer_to_a_request_comes_back_in_its_form(
    asked: PermissionRequest, nomsa: User, client_of: ClientOf, older: int, words: str, status: int
) -> None:
    Section.objects.update(version=3)
    place = f"{asked.section.get_absolute_url()}deadlines/permissions/{asked.pk}/"
    said = {"version": 3 - older, "granted": "no", "reason": words}
    answer = client_of(nomsa).post(place, said)
    page = page_of(answer)
    assert (answer.status_code, f">{words}</textarea>" in page) == (status, True)
    assert PermissionRequest.objects.get().state == "asked"
    if older:
        assert client_of(nomsa).post(place, said | {"version": 3}).status_code == 302


def test_the_answer_to_a_request_that_a_colleague_answered_is_shown_beside_that(
    asked: PermissionRequest, nomsa: User, client_of: ClientOf
) -> None:
    PermissionRequest.objects.update(state="granted", answer="Well.", answered_on=date(2026, 1, 3))
    place = f"{asked.section.get_absolute_url()}deadlines/permissions/{asked.pk}/"
    version = asked.section.version
    answer = client_of(nomsa).post(place, {"version": version, "granted": "no", "reason": WORDS})
    assert (answer.status_code, WORDS in page_of(answer)) == (409, True)


# ---------------------------------------------------------------- the review


@pytest.mark.parametrize(
    ("deed", "summary"), [("return", "Return to the region"), ("refuse", "Refuse")], ids=["return", "refuse"]
)
def test_a_decision_without_a_reason_stands_open_with_what_is_missing(
    section: Section, nomsa: User, client_of: ClientOf, deed: str, summary: str
) -> None:
    said = {"version": section.version, "reason": "", "words-1": WORDS, "tie-1": "", "which-1": "2"}
    answer = client_of(nomsa).post(f"{section.get_absolute_url()}{deed}/", said)
    page = page_of(answer)
    assert (answer.status_code, is_open(page, summary)) == (400, True)
    form = answer.context["returning" if deed == "return" else "refusal"]
    assert form["reason"].errors
    assert f'id="{deed}_reason_error"' in page
    assert (f">{WORDS}</textarea>" in page) == (deed == "return")
    assert Section.objects.get().stage == Stage.SUBMITTED


@pytest.mark.parametrize(
    ("deed", "summary"), [("ask", "Ask the region"), ("note", "Note for the office alone")]
)
def test_a_question_or_note_about_a_thing_that_is_not_there_stands_open_with_its_words(
    section: Section, nomsa: User, client_of: ClientOf, deed: str, summary: str
) -> None:
    said = {"words": WORDS, "tie": "entry", "which": "Nobody-Here"}
    answer = client_of(nomsa).post(f"{section.get_absolute_url()}{deed}/", said)
    page = page_of(answer)
    assert (answer.status_code, is_open(page, summary)) == (409, True)
    assert page.count(f">{WORDS}</textarea>") == 1
    assert 'value="Nobody-Here"' in page


def test_folds_are_closed_where_nothing_was_sent(section: Section, nomsa: User, client_of: ClientOf) -> None:
    page = page_of(client_of(nomsa).get(f"{section.get_absolute_url()}review/"))
    for summary in ("Ask the region", "Note for the office alone", "Return to the region", "Refuse"):
        assert f"<summary>{summary}</summary>" in page
        assert not is_open(page, summary)


def test_the_reason_of_a_correction_that_somebody_overtook_is_shown(
    section: Section, nomsa: User, client_of: ClientOf
) -> None:
    said = {"version": section.version + 1, "decide": "on", "changes": "[]", "reason": WORDS}
    answer = client_of(nomsa).post(f"{section.get_absolute_url()}mend/", said)
    assert (answer.status_code, WORDS in page_of(answer)) == (409, True)


# ---------------------------------------------------------------- doubles, further sections


def test_how_one_knows_two_persons_apart_comes_back_in_the_pairs_own_form(
    csa: Federation, nomsa: User, client_of: ClientOf
) -> None:
    one, other = (
        Player.objects.create(
            federation=csa,
            number=number,
            surname="Dlamini",
            first_name="Thabo",
            name_key="dlamini",
            born=1990,
        )
        for number in ("101", "102")
    )
    sent = {"player": one.number, "other": other.number, "reason": "y" * 501}
    answer = client_of(nomsa).post("/csa/players/doubles/", sent)
    page = page_of(answer)
    assert (answer.status_code, is_open(page, "They are two persons")) == (400, True)
    assert f'value="{"y" * 501}"' in page
    gone = client_of(nomsa).post("/csa/players/doubles/", sent | {"other": "103"})
    assert "You had written: “yyy" in page_of(gone)


def test_further_sections_of_an_event_that_are_refused_stand_in_the_form_again(
    section: Section, amahle: User, client_of: ClientOf
) -> None:
    Event.objects.update(state=Event.State.CANCELLED)
    rows = {"sections-TOTAL_FORMS": 1, "sections-INITIAL_FORMS": 0, "sections-0-name": "Premier"}
    rows |= {"sections-0-format": "swiss", "sections-0-own-platform": "online"}
    rows |= {"sections-0-own-time_controls_0": "15", "sections-0-own-time_controls_1": "10"}
    number = section.event.number
    answer = client_of(amahle).post(f"/csa/events/{number}/sections/", rows)
    assert answer.status_code == 409
    assert [form["name"].value() for form in answer.context["sections"]] == ["Premier"]
