"""A refusal before play: a slip is taken back before the region hears, and the region can appeal."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone

from conftest import appointed
from players.models import Decision, Federation, Letter, Role, User
from players.record import Refused
from ratings.letters import compose, order_due_letters
from ratings.pages.decisions import sections_to_decide_before_play
from ratings.tests.test_waivers import admit, declared, mahjong, official
from tournaments.before_play import (
    defer_decision,
    get_open_region_question,
    record_no_objection,
    refuse_before_play,
)
from tournaments.models import Appeal, Section, Stage
from tournaments.review import TAKE_BACK_TIME, appeal, can_appeal, decide_appeal, take_back_decision
from tournaments.tests.conftest import section as registered

__all__ = ("mahjong", "official", "registered")
ClientOf = Callable[[User], Client]
TODAY = date(2026, 6, 1)
pytestmark = pytest.mark.django_db


@pytest.fixture
def region(mahjong: Federation) -> User:
    return appointed("Vera", mahjong, Role.REGIONAL, mahjong.regions.get())


def refused(section: Section, by: User, reason: str = "Not open to all.") -> Section:
    section.refresh_from_db()
    refuse_before_play(section=section, by=by, on=TODAY, version=section.version, reason=reason)
    section.refresh_from_db()
    return section


def standing(section: Section) -> dict[str, Any]:
    """How a section stands for everybody, but for its version."""
    section.refresh_from_db()
    names = ("stage", "remarks", "notice", "notice_on", "notice_read_at", "permissions")
    said = {name: each for name, each in section.before_play.items() if name != "replaced"}
    return {name: getattr(section, name) for name in names} | {"before_play": said}


def taken_back(section: Section, by: User, after: timedelta = timedelta(0)) -> None:
    at = Decision.objects.filter(kind="refuse-before-play").latest("number").at + after
    take_back_decision(section=section, by=by, at=at, on=TODAY, version=section.version)


# ---------------------------------------------------------------- slips


def undecided(section: Section, official: User) -> None:
    """Nothing was decided yet."""


def put_off_before(section: Section, official: User) -> None:
    seen: dict[str, Any] = {"section": section, "by": official, "on": TODAY, "version": section.version}
    defer_decision(**seen, reason="The board meets.", until=date(2026, 6, 3))


def refused_before(section: Section, official: User) -> None:
    refused(section, official, "The first reason.")


@pytest.mark.parametrize("before", [undecided, admit, put_off_before, refused_before])
def test_a_refusal_before_play_that_is_taken_back_leaves_everything_as_it_was(
    before: Callable[[Section, User], object], mahjong: Federation, official: User
) -> None:
    section = declared(mahjong, official)
    before(section, official)
    stood, waited = standing(section), sections_to_decide_before_play(mahjong, TODAY)
    refused(section, official, "A slip.")
    taken_back(section, official)
    assert standing(section) == stood
    assert sections_to_decide_before_play(mahjong, TODAY) == waited


def test_a_refusal_that_a_slip_replaced_stands_again_and_is_the_one_to_appeal_against(
    mahjong: Federation, official: User, region: User, client_of: ClientOf
) -> None:
    section = refused(declared(mahjong, official), official, "The first reason.")
    first = Decision.objects.get(kind="refuse-before-play").number
    client_of(region).get(f"{section.get_absolute_url()}submit/")
    refused(section, official, "A slip.")
    taken_back(section, official)
    section.refresh_from_db()
    assert section.notice_read_at is not None
    with pytest.raises(Refused, match="cannot be taken back any more"):
        taken_back(section, official)
    Section.objects.update(notice_read_at=None)
    section.refresh_from_db()
    with pytest.raises(Refused, match="cannot be taken back any more"):
        taken_back(section, official)
    assert appealed(section, region).refusal.number == first


def test_a_refusal_before_play_is_taken_back_within_ten_minutes_and_not_after(
    mahjong: Federation, official: User
) -> None:
    section = refused(declared(mahjong, official), official)
    with pytest.raises(Refused, match="cannot be taken back any more"):
        taken_back(section, official, TAKE_BACK_TIME)
    taken_back(section, official, TAKE_BACK_TIME - timedelta(seconds=1))
    assert standing(section)["stage"] == Stage.REGISTERED


def test_what_the_region_opened_is_not_taken_back_and_what_an_official_opened_is(
    mahjong: Federation, official: User, region: User, client_of: ClientOf
) -> None:
    section = refused(declared(mahjong, official), official)
    page = f"{section.get_absolute_url()}submit/"
    client_of(official).get(page)
    section.refresh_from_db()
    assert section.notice_read_at is None
    assert "The office refused this section before play." in client_of(region).get(page).content.decode()
    with pytest.raises(Refused, match="the region has read it"):
        taken_back(section, official)
    admit(section, official)
    section.refresh_from_db()
    taken_back(refused(section, official, "Another."), official)  # of which the region read nothing yet


def test_no_letter_tells_of_a_refusal_before_play_that_was_taken_back(
    mahjong: Federation, official: User, region: User
) -> None:
    section = refused(declared(mahjong, official), official)
    order_due_letters(timezone.now())
    [letter] = Letter.objects.filter(email=region.email, particulars__about="refused_early")
    assert letter.due > timezone.now() + TAKE_BACK_TIME - timedelta(minutes=1)
    composed = compose(letter)
    assert composed is not None
    assert "you can appeal" in composed.text
    taken_back(section, official)
    assert compose(letter) is None


def test_an_official_takes_it_back_on_the_page_before_play(
    mahjong: Federation, official: User, client_of: ClientOf
) -> None:
    section = declared(mahjong, official)
    browser, here = client_of(official), section.get_absolute_url()
    page = f"{here}before-play/"
    browser.post(page, {"decision": "refuse", "version": section.version, "reason": "A slip."})
    section.refresh_from_db()
    assert "Take it back" in browser.get(page).content.decode()
    answer = browser.post(f"{here}take-back/", {"version": section.version}, follow=True)
    text = answer.content.decode()
    assert answer.redirect_chain[-1][0] == page
    assert "the section stands as it did before" in text
    assert "Take it back" not in text
    assert standing(section)["stage"] == Stage.REGISTERED


# ---------------------------------------------------------------- appeals


def appealed(section: Section, by: User, on: date = TODAY) -> Appeal:
    return appeal(section=section, by=by, on=on, version=section.version, reason="It is open.")


def test_a_region_appeals_against_a_refusal_before_play_and_an_upheld_one_brings_it_before_the_officials(
    mahjong: Federation, official: User, region: User, client_of: ClientOf, client: Client
) -> None:
    section = refused(declared(mahjong, official), official)
    here, files, decides = section.get_absolute_url(), client_of(region), client_of(official)
    assert "Appeal against the refusal" in files.get(f"{here}submit/").content.decode()
    files.post(f"{here}submit/appeal/", {"version": section.version, "reason": "It is open."})
    made = Appeal.objects.get()
    assert f'href="{here}review/"' in decides.get("/mahjong/desk/").content.decode()
    assert "It is open." in decides.get(f"{here}review/").content.decode()
    assert "It is open." in decides.get(f"{here}before-play/").content.decode()
    section.refresh_from_db()
    told = {"version": section.version, "granted": "yes", "reason": "We looked again."}
    decides.post(f"{here}appeals/{made.pk}/", told)
    assert standing(section) | {"permissions": []} == {
        **dict.fromkeys(("remarks", "notice"), ""),
        **{"stage": Stage.REGISTERED, "notice_on": None, "permissions": [], "before_play": {}},
        "notice_read_at": section.notice_read_at,
    }
    assert [each.pk for each in sections_to_decide_before_play(mahjong, TODAY)] == [section.pk]
    assert "Not open to all." not in client.get(here).content.decode()


def test_a_dismissed_appeal_leaves_the_refusal_and_there_is_no_second(
    mahjong: Federation, official: User, region: User
) -> None:
    section = refused(declared(mahjong, official), official)
    made = appealed(section, region)
    section.refresh_from_db()
    said: dict[str, Any] = {"by": official, "on": TODAY, "version": section.version, "reason": "No."}
    decide_appeal(appeal=made, **said, upheld=False)
    assert standing(section)["stage"] == Stage.REFUSED
    with pytest.raises(Refused, match="made already"):
        appealed(section, region)
    assert not can_appeal(section, TODAY)


def test_while_an_appeal_is_open_no_other_decision_before_play_replaces_the_refusal(
    mahjong: Federation, official: User, region: User
) -> None:
    section = refused(declared(mahjong, official), official)
    appealed(section, region)
    section.refresh_from_db()
    with pytest.raises(Refused, match="Decide on the appeal"):
        admit(section, official)
    with pytest.raises(Refused, match="or appealed"):
        taken_back(section, official)
    section.refresh_from_db()
    said: dict[str, Any] = {"by": official, "on": TODAY, "version": section.version, "reason": "No."}
    decide_appeal(appeal=Appeal.objects.get(), **said, upheld=False)
    section.refresh_from_db()
    assert admit(section, official).stage == Stage.REGISTERED


@pytest.mark.parametrize(("days", "open_"), [(7, True), (8, False)])
def test_the_offices_own_days_for_appeals_hold_before_play_too_and_none_where_it_names_none(
    days: int, open_: bool, mahjong: Federation, official: User
) -> None:
    section = refused(declared(mahjong, official), official)
    assert can_appeal(section, TODAY + timedelta(400))
    mahjong.settings = {"appeal_days": 7}
    mahjong.save(update_fields=["settings"])
    section = Section.objects.select_related("event__federation").get(pk=section.pk)
    assert can_appeal(section, TODAY + timedelta(days)) is open_


# ---------------------------------------------------------------- where no section waits for a decision


@pytest.fixture
def planned(registered: Section) -> Section:
    """A section of csa, to be played."""
    return registered


def decide_early(browser: Client, section: Section, decision: str, reason: str = "No arbiter.") -> int:
    section.refresh_from_db()
    page = f"{section.get_absolute_url()}before-play/"
    said = {"decision": decision, "version": section.version, "reason": reason, "until": "2026-03-01"}
    return browser.post(page, said).status_code


def test_csa_11_an_official_refuses_a_section_before_play_and_lets_it_be_played_after_all(
    planned: Section, nomsa: User, client_of: ClientOf
) -> None:
    browser, page = client_of(nomsa), f"{planned.get_absolute_url()}before-play/"
    assert page in browser.get("/csa/desk/?tab=with-regions").content.decode()
    text = browser.get(page).content.decode()
    assert "(§11)" in text
    assert "Admit as declared" not in text
    assert decide_early(browser, planned, "refuse") == 302
    assert standing(planned)["stage"] == Stage.REFUSED
    assert "Let it be played and filed after all" in browser.get(page).content.decode()
    assert decide_early(browser, planned, "admit", "") == 302
    assert standing(planned)["stage"] == Stage.REGISTERED
    kinds = Decision.objects.filter(about=planned.named_on_record).values_list("kind", flat=True)
    assert "admit" not in kinds  # nobody admits a section in csa
    assert kinds.order_by("-number")[0] == "close-before-play"
    record = browser.get("/csa/record/").content.decode()
    assert "found nothing in the way of" in record
    assert "admitted before play" not in record


def test_csa_11_no_section_waits_for_a_decision_and_each_is_filed_without_one(
    planned: Section, csa: Federation, amahle: User, nomsa: User, client_of: ClientOf
) -> None:
    assert sections_to_decide_before_play(csa, TODAY) == []
    assert client_of(amahle).get(f"{planned.get_absolute_url()}file/").status_code == 200
    browser = client_of(nomsa)
    assert decide_early(browser, planned, "admit") == 404
    assert decide_early(browser, planned, "put-off") == 404
    seen: dict[str, Any] = {"section": planned, "by": nomsa, "on": TODAY, "version": planned.version}
    with pytest.raises(Refused, match="none to put off"):
        defer_decision(**seen, reason="The board meets.", until=date(2026, 6, 3))
    with pytest.raises(Refused, match="it can be played and filed"):
        admit(planned, nomsa)


def test_csa_11_an_answer_to_a_question_before_play_stands_on_the_desk(
    planned: Section, csa: Federation, amahle: User, nomsa: User, client_of: ClientOf
) -> None:
    assert decide_early(client_of(nomsa), planned, "ask", "Who is the arbiter?") == 302
    assert sections_to_decide_before_play(csa, TODAY) == []
    planned.refresh_from_db()
    said = {"version": planned.version, "answer": "An international one."}
    client_of(amahle).post(f"{planned.get_absolute_url()}before-play/answer/", said)
    assert [each.pk for each in sections_to_decide_before_play(csa, TODAY)] == [planned.pk]
    assert "Soweto Open" in client_of(nomsa).get("/csa/desk/?tab=before-play").content.decode()


def answer_early(browser: Client, section: Section) -> None:
    section.refresh_from_db()
    said = {"version": section.version, "answer": "An international one."}
    assert browser.post(f"{section.get_absolute_url()}before-play/answer/", said).status_code == 302


def text_before_play(browser: Client, section: Section) -> str:
    page = browser.get(f"{section.get_absolute_url()}before-play/")
    assert page.status_code == 200
    return " ".join(page.content.decode().split())


def test_csa_11_an_official_finds_nothing_in_the_way_of_a_section_whose_region_answered(
    planned: Section, csa: Federation, amahle: User, nomsa: User, client_of: ClientOf
) -> None:
    browser = client_of(nomsa)
    assert "Nothing stands in the way" not in text_before_play(browser, planned)
    assert decide_early(browser, planned, "ask", "Who is the arbiter?") == 302
    answer_early(client_of(amahle), planned)
    assert sections_to_decide_before_play(csa, TODAY) == [planned]
    assert "Nothing stands in the way" in text_before_play(browser, planned)
    assert decide_early(browser, planned, "close", "Thank you.") == 302
    assert sections_to_decide_before_play(csa, TODAY) == []
    planned.refresh_from_db()
    assert (planned.stage, planned.before_play) == (Stage.REGISTERED, {})
    made = Decision.objects.latest("number")
    assert (made.kind, made.by, made.details["reason"]) == ("close-before-play", nomsa, "Thank you.")
    order_due_letters(timezone.now())
    [letter] = [each for each in mail.outbox if "nothing stands in the way" in each.subject]
    assert letter.to == [amahle.email]
    assert "nothing stands in its way" in letter.body
    assert "Thank you." in letter.body
    assert decide_early(browser, planned, "close") == 404  # nothing waits any more


def test_csa_11_a_question_without_an_answer_is_withdrawn_where_nothing_stands_in_the_way(
    planned: Section, amahle: User, nomsa: User, client_of: ClientOf
) -> None:
    browser = client_of(nomsa)
    assert decide_early(browser, planned, "ask", "Who is the arbiter?") == 302
    assert decide_early(browser, planned, "close", "") == 302
    planned.refresh_from_db()
    assert get_open_region_question(planned) == ""


def test_csa_11_a_section_declared_otherwise_after_it_was_let_be_played_is_closed_until_the_next_change(
    planned: Section, csa: Federation, nomsa: User, client_of: ClientOf
) -> None:
    browser = client_of(nomsa)
    assert decide_early(browser, planned, "refuse") == 302
    assert decide_early(browser, planned, "admit", "") == 302
    assert sections_to_decide_before_play(csa, TODAY) == []
    for rounds in (7, 8):
        Section.objects.filter(pk=planned.pk).update(rounds=rounds)
        assert sections_to_decide_before_play(csa, TODAY) == [planned]
        assert "The region has declared it otherwise since." in text_before_play(browser, planned)
        assert decide_early(browser, planned, "close", "") == 302
        assert sections_to_decide_before_play(csa, TODAY) == []
        assert "declared it otherwise" not in text_before_play(browser, planned)


def test_nothing_in_the_way_is_said_only_where_something_waits_and_where_no_section_has_to_be_admitted(
    planned: Section, mahjong: Federation, nomsa: User, official: User, client_of: ClientOf
) -> None:
    seen: dict[str, Any] = {"by": nomsa, "on": TODAY, "reason": ""}
    with pytest.raises(Refused, match="Nothing about this section waits"):
        record_no_objection(section=planned, version=planned.version, **seen)
    section = declared(mahjong, official)
    assert decide_early(client_of(official), section, "close") == 404
    with pytest.raises(Refused, match="Nothing about this section waits"):
        record_no_objection(section=section, version=section.version, **seen)


def test_csa_11_the_page_before_play_says_of_each_section_what_can_be_decided(
    planned: Section, amahle: User, nomsa: User, client_of: ClientOf
) -> None:
    browser = client_of(nomsa)
    text = text_before_play(browser, planned)
    assert "You can refuse this one (§11), or ask about it." in text
    assert "No section waits" not in text
    decide_early(browser, planned, "ask", "Who is the arbiter?")
    answer_early(client_of(amahle), planned)
    text = text_before_play(browser, planned)
    assert "Say that nothing stands in the way, ask about it again, or refuse it (§11)." in text
    decide_early(browser, planned, "refuse")
    text = text_before_play(browser, planned)
    assert "or ask" not in text
    assert "You can let it be played after all" in text
    assert "admits the competition" not in text


# ---------------------------------------------------------------- two officials


def sent_late(browser: Client, section: Section, decision: str, version: int) -> tuple[int, str]:
    said = {"decision": decision, "version": version, "reason": "Long thought about."}
    answer = browser.post(f"{section.get_absolute_url()}before-play/", said)
    return answer.status_code, " ".join(answer.content.decode().split())


def test_who_asks_about_a_section_that_another_official_has_just_refused_keeps_the_question(
    planned: Section, nomsa: User, client_of: ClientOf
) -> None:
    seen = planned.version
    refused(planned, nomsa)
    status, text = sent_late(client_of(nomsa), planned, "ask", seen)
    assert status == 409
    assert "This section changed while your page was open" in text
    assert "You had written:</strong><br> Long thought about." in text
    assert text.count("Long thought about.") == 1  # no form offers it again
    assert sent_late(client_of(nomsa), planned, "ask", planned.version)[0] == 404


@pytest.mark.parametrize("decision", ["admit", "close"])
def test_who_lets_be_played_or_closes_what_a_take_back_changed_keeps_the_words(
    decision: str, planned: Section, nomsa: User, client_of: ClientOf
) -> None:
    section = refused(planned, nomsa)
    seen = section.version
    taken_back(section, nomsa)
    status, text = sent_late(client_of(nomsa), section, decision, seen)
    assert status == 409
    assert "You had written:</strong><br> Long thought about." in text
    section.refresh_from_db()
    assert (section.stage, section.permissions) == (Stage.REGISTERED, [])


def test_words_of_a_decision_that_can_still_be_made_stay_in_its_form(
    planned: Section, nomsa: User, client_of: ClientOf
) -> None:
    seen = planned.version
    refused(planned, nomsa)
    status, text = sent_late(client_of(nomsa), planned, "refuse", seen)
    assert status == 409
    assert "Long thought about.</textarea>" in text
    assert "You had written" not in text


def test_words_about_a_section_that_was_withdrawn_meanwhile_stand_beside_the_message(
    planned: Section, nomsa: User, client_of: ClientOf
) -> None:
    Section.objects.filter(pk=planned.pk).update(stage=Stage.WITHDRAWN)
    said = {"decision": "ask", "version": planned.version, "reason": "Long thought about."}
    shown = client_of(nomsa).post(f"{planned.get_absolute_url()}before-play/", said, follow=True)
    assert "You had written: “Long thought about.”" in shown.content.decode()


@pytest.mark.parametrize(("days", "open_"), [(21, True), (22, False)])
def test_csa_11_a_refusal_before_play_is_appealed_against_for_21_days(
    planned: Section, nomsa: User, days: int, open_: bool
) -> None:
    section = refused(planned, nomsa)
    assert can_appeal(section, TODAY + timedelta(days)) is open_


@pytest.mark.parametrize("slug", ["pfo", "piskvorky"])
def test_where_no_clause_speaks_of_it_nothing_is_decided_before_play(
    slug: str, planned: Section, nomsa: User, client_of: ClientOf
) -> None:
    Federation.objects.filter(code="csa").update(ruleset_slug=slug)
    browser = client_of(nomsa)
    assert browser.get(f"{planned.get_absolute_url()}before-play/").status_code == 302
    assert "tab=before-play" not in browser.get("/csa/desk/").content.decode()
    section = Section.objects.select_related("event__federation").get(pk=planned.pk)
    with pytest.raises(Refused, match="no decision before play"):
        refused(section, nomsa)
