"""Whoever decides too late, because somebody else was faster, reads what happened; nothing is done twice."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from players.models import Decision, Federation, User
from players.record import Refused
from ratings import approval
from ratings.corrections import drop_correction, propose_correction
from ratings.letters import order_due_letters
from ratings.tests.office import approved, register, submitted
from tests.built_once import built_once
from tournaments.models import Section, Stage
from tournaments.review import TAKE_BACK_TIME, UNTIED, answer, take_back_decision

ClientOf = Callable[[User], Client]
DAY = date(2026, 3, 1)
WHY = "The slip of the game says otherwise."
pytestmark = pytest.mark.django_db


@pytest.fixture
@built_once
def waiting(csa: Federation, amahle: User, nomsa: User) -> Section:
    return submitted(csa, register(csa, 8), rounds=6)


def page(section: Section, name: str) -> str:
    return f"{section.get_absolute_url()}{name}/"


def words(answer: Any) -> str:
    return " ".join(answer.content.decode().split())


def returned_with_a_remark(section: Section, by: User) -> Any:
    remarks = [(UNTIED, "Who was absent?")]
    told = {"by": by, "on": DAY, "version": section.version}
    approval.return_section(section=section, reason="Wrong file.", remarks=remarks, **told)  # type: ignore[arg-type]
    section.refresh_from_db()
    return section.thread.get(place=0)


def test_a_remark_that_the_office_took_back_is_not_answered_and_the_region_reads_so(
    waiting: Section, amahle: User, nomsa: User, client_of: ClientOf
) -> None:
    remark = returned_with_a_remark(waiting, nomsa)
    take_back_decision(section=waiting, by=nomsa, at=timezone.now(), on=DAY, version=waiting.version)
    told = client_of(amahle).post(page(waiting, "remarks"), {f"answer-{remark.pk}": "Nobody."})
    assert (told.status_code, waiting.thread.count()) == (409, 0)
    assert "The office took this remark back meanwhile" in words(told)
    assert "Nobody." in words(told)
    with pytest.raises(Refused, match="took this remark back"):
        answer(section=waiting, by=amahle, on=DAY, words="Nobody.", answers_to=remark)


def test_no_letter_goes_out_while_who_takes_a_return_back_in_the_last_second_waits_for_others(
    waiting: Section, nomsa: User
) -> None:
    from players.models import Letter

    returned_with_a_remark(waiting, nomsa)
    order_due_letters(timezone.now())
    [letter] = Letter.objects.filter(particulars__about="returned")
    pressed = Decision.objects.get(kind="return").at + TAKE_BACK_TIME - timedelta(seconds=1)
    assert letter.due > pressed + timedelta(seconds=30)
    take_back_decision(section=waiting, by=nomsa, at=pressed, on=DAY, version=waiting.version)


def correction(section: Section) -> dict[str, Any]:
    changes = '[{"what": "result", "game": 1, "to": "0-0"}]'
    return {"version": section.version, "changes": changes, "decide": "on", "reason": WHY}


def test_who_corrects_a_section_that_was_approved_meanwhile_reads_so_and_not_of_fields_to_fill_in(
    waiting: Section, nomsa: User, client_of: ClientOf
) -> None:
    form = correction(waiting)
    approved(waiting)
    told = client_of(nomsa).post(page(waiting, "mend"), form)
    assert (told.status_code, waiting.corrections.count()) == (409, 0)
    assert "Somebody else acted first: this section has changed and is now “rated”" in words(told)


def test_who_approves_a_section_that_was_corrected_meanwhile_reads_that_it_changed(
    waiting: Section, nomsa: User, client_of: ClientOf
) -> None:
    form = {"version": waiting.version}
    assert client_of(nomsa).post(page(waiting, "mend"), correction(waiting)).status_code == 302
    told = client_of(nomsa).post(page(waiting, "approve"), form)
    assert (told.status_code, Decision.objects.filter(kind="approve").count()) == (409, 0)
    assert "this section was changed, and still waits" in words(told)


def test_who_confirms_a_correction_that_was_dropped_meanwhile_reads_so(
    waiting: Section, amahle: User, nomsa: User, client_of: ClientOf
) -> None:
    approved(waiting)
    waiting.refresh_from_db()
    told = {"on": DAY, "version": waiting.version, "reason": "result", "words": WHY}
    changes = [{"what": "result", "game": 1, "to": "0-0"}]
    proposal = propose_correction(section=waiting, by=amahle, changes=changes, **told)  # type: ignore[arg-type]
    drop_correction(proposal=proposal, by=amahle, on=DAY)
    shown = client_of(nomsa).post(page(waiting, "mend/proposal"), follow=True)
    assert "No correction is proposed any more" in words(shown)


def test_who_saves_details_after_a_colleague_submitted_reads_that_nothing_was_saved(
    waiting: Section, amahle: User, client_of: ClientOf
) -> None:
    for form in ("details", "players/decide"):
        shown = client_of(amahle).post(page(waiting, form), {"version": waiting.version}, follow=True)
        assert "Nothing was saved: this section is submitted by now." in words(shown)


def test_who_decides_before_play_on_a_section_that_was_withdrawn_reads_that_nothing_was_decided(
    nomsa: User, waiting: Section, client_of: ClientOf
) -> None:
    Section.objects.filter(pk=waiting.pk).update(stage=Stage.WITHDRAWN)
    shown = client_of(nomsa).post(page(waiting, "before-play"), {"decision": "admit"}, follow=True)
    assert "is withdrawn by now, so nothing was decided before play" in words(shown)
