"""Deadlines as dates, the list before play, and permissions that are asked for and answered."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from functools import partial

import pytest
from django.test import Client

from players.models import Decision, Federation, Player, Region, User
from players.record import Refused
from ratings.rulesets import rulesets
from ratings.rulesets.profile import equipment_of
from tournaments.before_play import CheckResult, answer_permission, ask_permission, check_requirements
from tournaments.models import Event, PermissionRequest, Section, Stage
from tournaments.sections import DeadlineState, find_pending_deadline, list_deadlines
from tournaments.submission import add_late_findings
from tournaments.tests.conftest import Send, address, fresh
from tournaments.tests.event_files import open_file, open_sheet

ClientOf = Callable[[User], Client]
STARTS, ENDS = date(2026, 3, 6), date(2026, 3, 8)
ONE = timedelta(1)
FEW = "A hall for five players is all that there is."


def days(section: Section, on: date = STARTS) -> dict[str, tuple[date, DeadlineState]]:
    return {each.clause: (each.last, each.state) for each in list_deadlines(fresh(section), on)}


# ---------------------------------------------------------------- deadlines as dates


@pytest.mark.parametrize(
    ("answer", "clause", "before"), [("", "61.1", 3), ("non-norm", "61.2", 7), ("norm", "61.2", 30)]
)
def test_csa_61_the_event_is_registered_3_7_or_30_days_before_it_starts(
    answer: str, clause: str, before: int, section: Section
) -> None:
    section.particulars |= {"fide_rated": answer}
    section.save(update_fields=["particulars"])
    last = STARTS - timedelta(before)
    Section.objects.update(registered_on=last)
    assert days(section)[clause] == (last, DeadlineState.IN_TIME)
    Section.objects.update(registered_on=last + ONE)
    assert days(section)[clause] == (last, DeadlineState.LATE)


def test_csa_62_results_are_due_14_days_after_the_event_and_late_from_the_15th_on(section: Section) -> None:
    last = ENDS + timedelta(14)
    assert days(section, last)["62"] == (last, DeadlineState.OPEN)
    assert days(section, last + ONE)["62"] == (last, DeadlineState.OVERDUE)
    due = find_pending_deadline(fresh(section), last + ONE)
    assert due is not None
    assert (due.words, due.days_left, due.days_over) == ("Hand in the results", -1, 1)


def test_csa_62_the_clock_stops_at_the_submission_and_goes_on_when_the_section_is_returned(
    section: Section,
) -> None:
    last = ENDS + timedelta(14)
    Section.objects.update(stage=Stage.SUBMITTED, submitted_on=last)
    assert days(section, last + ONE)["62"] == (last, DeadlineState.IN_TIME)
    Section.objects.update(stage=Stage.RETURNED)
    assert days(section, last + ONE)["62"] == (last, DeadlineState.OVERDUE)
    Section.objects.update(stage=Stage.UNRATED)
    assert days(section, last + ONE)["62"] == (last, DeadlineState.IN_TIME)


def test_csa_10_results_from_abroad_are_due_after_30_days_and_nothing_is_registered(section: Section) -> None:
    Event.objects.update(country="LSO")
    assert days(section) == {"10": (ENDS + timedelta(30), DeadlineState.OPEN)}


def test_what_nobody_must_do_never_presses(section: Section) -> None:
    """§18: only whoever has fewer players asks for permission."""
    asking = ENDS + ONE
    assert days(section, asking + ONE)["18"] == (asking, DeadlineState.OVERDUE)
    due = find_pending_deadline(fresh(section), asking + ONE)
    assert due is not None
    assert due.clause == "62"


def other(slug: str, official: User, **particulars: object) -> Section:
    office = Federation.objects.create(code=slug, name=slug, ruleset_slug=slug)
    region = Region.objects.create(federation=office, code="X", name="X")
    event = Event.objects.create(
        federation=office,
        number="2026-001",
        name="Open",
        region=region,
        starts=STARTS,
        ends=ENDS,
        registered_on=date(2026, 1, 5),
        registered_by=official,
    )
    return Section.objects.create(
        event=event, code="A", name="A", format="swiss", starts=STARTS, ends=ENDS, particulars=particulars
    )


def test_ssdc_43_results_are_due_three_days_after_the_end(nomsa: User) -> None:
    section = other("ssdc", nomsa)
    assert days(section, ENDS + timedelta(3)) == {"4.3": (ENDS + timedelta(3), DeadlineState.OPEN)}
    assert days(section, ENDS + timedelta(4))["4.3"][1] == DeadlineState.OVERDUE


def test_ssdc_42_another_organizer_sends_the_regulations_seven_days_before_registration(nomsa: User) -> None:
    sent = {"held_by": "other", "entry_from": "2026-02-20", "sent_on": "2026-02-13"}
    assert days(other("ssdc", nomsa, **sent))["4.2"] == (date(2026, 2, 13), DeadlineState.IN_TIME)
    Section.objects.update(particulars=sent | {"sent_on": "2026-02-14"})
    assert days(Section.objects.get())["4.2"] == (date(2026, 2, 13), DeadlineState.LATE)


def test_mahjong_16_and_3_a_competition_is_announced_a_month_ahead_and_decided_on_before_it_begins(
    nomsa: User,
) -> None:
    section = other("mahjong", nomsa, status="city", announced_on="2026-02-06")
    assert days(section) == {
        "1.6": (date(2026, 2, 6), DeadlineState.IN_TIME),
        "3": (STARTS - ONE, DeadlineState.OVERDUE),
    }
    by_office = find_pending_deadline(fresh(section), STARTS, by_office=True)
    assert by_office is not None
    assert by_office.words == "First decision on the admission"
    assert find_pending_deadline(fresh(section), STARTS) is None
    Section.objects.update(particulars={"status": "foreign", "announced_on": "2026-03-01"})
    assert "1.6" not in days(section)


@pytest.mark.parametrize("slug", ["pfo", "piskvorky"])
def test_where_the_regulations_name_no_day_there_is_no_deadline(slug: str, nomsa: User) -> None:
    assert days(other(slug, nomsa)) == {}


def test_deadlines_of_a_section_whose_parts_are_loaded_ask_the_database_nothing(
    section: Section, django_assert_num_queries: Callable[[int], object]
) -> None:
    related = Section.objects.select_related("event__federation", "event__region")
    [loaded] = related.prefetch_related("permission_requests")
    with django_assert_num_queries(0):  # type: ignore[attr-defined]
        assert list_deadlines(loaded, STARTS)


def test_what_is_checked_before_play_and_what_may_be_permitted_are_clauses_of_the_regulations() -> None:
    for ruleset in rulesets().values():
        cited = [each.clauses[0] for each in ruleset.sections.requirements]
        cited += [each.clause for each in equipment_of(ruleset).office.powers.permits]
        assert [clause for clause in cited if clause not in ruleset.words.clauses] == []


def test_what_a_permission_waives_is_a_finding_of_its_regulations() -> None:
    for ruleset in rulesets().values():
        keys = [key for permit in equipment_of(ruleset).office.powers.permits for key in permit.waives]
        assert [key for key in keys if key not in ruleset.words.messages] == []


# ---------------------------------------------------------------- a deadline passes while the region works


def test_csa_62_whoever_submits_a_day_late_is_asked_why_and_then_it_is_submitted(
    csa: Federation,
    amahle: User,
    client_of: ClientOf,
    section: Section,
    register_of_six: list[Player],
    upload: Send,
    send: Send,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    csa.settings = {"deadlines": True}
    csa.save(update_fields=["settings"])
    client = client_of(amahle)
    monkeypatch.setattr("django.utils.timezone.now", lambda: datetime(2026, 3, 20, 8, tzinfo=UTC))
    upload(client, section, open_file())
    assert not fresh(section).findings.filter(key="filed-late").exists()
    monkeypatch.setattr("django.utils.timezone.now", lambda: datetime(2026, 3, 23, 8, tzinfo=UTC))
    refused = send(client, address(section, "submit"), {"version": fresh(section).version})
    assert refused.status_code == 409
    assert "Handed in on 23 March 2026; the last day for it was 22 March 2026" in refused.content.decode()
    [late] = fresh(section).findings.filter(key="filed-late")
    assert f'name="reason-{late.pk}"' in refused.content.decode()
    told = {"version": fresh(section).version, f"reason-{late.pk}": "The line was down."}
    send(client, address(section, "submit"), told)
    assert fresh(section).stage == Stage.SUBMITTED
    assert fresh(section).findings.get(key="filed-late").waived_because == "The line was down."
    request = section.permission_requests.get()
    assert (request.clause, request.state, request.reason) == ("62", "asked", "The line was down.")
    assert (request.asked_by, request.asked_on) == (amahle, date(2026, 3, 23))


# ---------------------------------------------------------------- the list before play


def checks(section: Section) -> dict[str, CheckResult]:
    return {each["clause"]: each["check"] for each in check_requirements(fresh(section))}


def test_csa_before_play_the_list_says_what_fits_what_does_not_and_what_only_play_tells(
    csa: Federation, section: Section
) -> None:
    csa.settings = {"deadlines": True, "particulars": True}
    csa.save(update_fields=["settings"])
    told = checks(section)
    assert (told["19"], told["24"], told["61"]) == (CheckResult.PASS, CheckResult.PASS, CheckResult.PASS)
    assert (told["13.5"], told["6"]) == (CheckResult.FAIL, CheckResult.FAIL)
    assert (told["17.1"], told["62"]) == (CheckResult.UNKNOWN, CheckResult.UNKNOWN)
    Section.objects.update(registered_on=STARTS, particulars={"time_controls": []})
    told = checks(section)
    assert (told["61"], told["19"], told["24"]) == (CheckResult.FAIL, CheckResult.FAIL, CheckResult.FAIL)


def test_what_nobody_stated_is_said_to_be_not_stated_and_never_to_fit(
    csa: Federation, section: Section, nomsa: User, amahle: User, client_of: ClientOf
) -> None:
    assert checks(section)["23"] == CheckResult.PASS
    Section.objects.update(particulars={"platform": "otb"})
    told = {each["clause"]: each for each in check_requirements(fresh(section))}
    assert (told["19"]["check"], told["23"]["check"]) == (CheckResult.FAIL, CheckResult.UNSTATED)
    assert told["23"]["found"] == ("Time control",)
    page = re.sub(r"\s+", " ", client_of(amahle).get(address(section, "deadlines")).content.decode())
    assert '<span class="check-word">not stated</span>' in page


def test_ssdc_who_holds_a_section_is_not_stated_before_somebody_says_so_and_no_limit_is_an_answer(
    nomsa: User,
) -> None:
    section = other("ssdc", nomsa, time_class="classic", category="third")
    assert checks(section)["4.2"] == CheckResult.UNSTATED
    assert checks(section)["3.4.1"] == CheckResult.PASS  # left empty: players of any rating may enter
    Section.objects.update(particulars=section.particulars | {"held_by": "club"})
    assert checks(section)["4.2"] == CheckResult.PASS


def test_mahjong_how_many_are_members_is_not_stated_before_somebody_says_so(nomsa: User) -> None:
    section = other("mahjong", nomsa, status="city", expected=8)
    assert checks(section)["1.3"] == CheckResult.UNSTATED
    Section.objects.update(particulars=section.particulars | {"members": 8})
    assert checks(section)["1.3"] == CheckResult.PASS


def test_what_an_office_does_not_insist_on_is_to_be_noted_and_never_said_to_fit(
    csa: Federation, section: Section
) -> None:
    csa.settings = {"deadlines": False, "particulars": False}
    csa.save(update_fields=["settings"])
    assert (checks(section)["6"], checks(section)["13.1"]) == (CheckResult.NOTED, CheckResult.PASS)


def test_csa_with_its_file_the_list_tells_what_play_showed(
    amahle: User, client_of: ClientOf, section: Section, register_of_six: list[Player], upload: Send
) -> None:
    upload(client_of(amahle), section, open_file())
    assert checks(section)["17.1"] == CheckResult.PASS


def test_mahjong_before_play_the_list_is_that_of_the_first_decision(nomsa: User) -> None:
    section = other("mahjong", nomsa, status="city", expected=7)
    Section.objects.update(rounds=3)
    assert checks(section)["1.2"] == CheckResult.FAIL
    Section.objects.update(particulars={"status": "city", "expected": 8})
    assert (checks(section)["1.2"], checks(section)["1.5"]) == (CheckResult.PASS, CheckResult.PASS)
    Section.objects.update(rounds=2)
    assert checks(section)["1.5"] == CheckResult.FAIL


# ---------------------------------------------------------------- permissions


def asked(section: Section, by: User, clause: str = "18", on: date = STARTS - ONE) -> PermissionRequest:
    version = fresh(section).version
    return ask_permission(section=section, by=by, on=on, version=version, clause=clause, reason=FEW)


def answered(request: PermissionRequest, by: User, reason: str = "", *, granted: bool) -> PermissionRequest:
    version = fresh(request.section).version
    return answer_permission(
        request=request, by=by, on=STARTS, version=version, granted=granted, reason=reason
    )


def test_csa_18_permission_that_is_granted_before_play_makes_five_players_enough(
    amahle: User,
    nomsa: User,
    client_of: ClientOf,
    section: Section,
    register_of_six: list[Player],
    upload: Send,
) -> None:
    answered(asked(section, amahle), nomsa, granted=True)
    five = [game for game in open_sheet().games if 6 not in (game.first, game.second)]
    upload(client_of(amahle), section, open_file(games=tuple(five), rows=open_sheet().rows[:5]))
    assert not fresh(section).findings.filter(level="waivable").exists()
    kinds = list(Decision.objects.order_by("number").values_list("kind", flat=True))
    assert [kind for kind in kinds if "permission" in kind] == ["ask-permission", "grant-permission"]


def test_csa_18_permission_that_is_refused_leaves_five_too_few_and_may_be_asked_for_again(
    amahle: User, nomsa: User, section: Section
) -> None:
    request = asked(section, amahle)
    with pytest.raises(Refused, match="Say why you refuse"):
        answered(request, nomsa, granted=False)
    answered(request, nomsa, "There are other halls.", granted=False)
    assert fresh(section).permissions == []
    assert asked(section, amahle).state == PermissionRequest.State.ASKED


def test_csa_61_a_late_registration_that_the_office_permitted_is_waived_with_its_reason(
    csa: Federation,
    amahle: User,
    nomsa: User,
    client_of: ClientOf,
    section: Section,
    register_of_six: list[Player],
    upload: Send,
) -> None:
    csa.settings = {"deadlines": True}
    csa.save(update_fields=["settings"])
    Section.objects.update(registered_on=STARTS)
    answered(asked(section, amahle, "61"), nomsa, "The hall burnt down.", granted=True)
    upload(client_of(amahle), section, open_file())
    assert fresh(section).findings.get(key="registered-late").waived_because == "The hall burnt down."
    assert checks(section)["61"] == CheckResult.ALLOWED


def test_whoever_asked_already_is_not_asked_again_and_the_review_says_nothing_else(
    csa: Federation,
    amahle: User,
    nomsa: User,
    client_of: ClientOf,
    section: Section,
    register_of_six: list[Player],
    upload: Send,
    send: Send,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("django.utils.timezone.now", lambda: datetime(2026, 3, 20, 8, tzinfo=UTC))
    csa.settings = {"deadlines": True}
    csa.save(update_fields=["settings"])
    Section.objects.update(registered_on=STARTS)
    asked(section, amahle, "61")
    client = client_of(amahle)
    upload(client, section, open_file())
    [late] = fresh(section).findings.filter(key="registered-late")
    assert late.waived_because == section.permission_requests.get().reason
    send(client, address(section, "submit"), {"version": fresh(section).version})
    assert fresh(section).stage == Stage.SUBMITTED
    review = client_of(nomsa).get(f"{section.get_absolute_url()}review/").content.decode()
    assert "Waived:" not in review
    assert "has not" not in review


def test_a_permission_is_asked_for_for_all_sections_that_need_it_at_once(
    csa: Federation, amahle: User, client_of: ClientOf, section: Section
) -> None:
    csa.settings = {"deadlines": True}
    csa.save(update_fields=["settings"])
    other = Section.objects.get(pk=section.pk)
    other.pk, other.code, other.name = None, "Z", "Section Z"
    other.save()
    Section.objects.update(registered_on=STARTS)
    client = client_of(amahle)
    page = client.get(f"{address(section, 'deadlines')}?clause=61")
    assert page.context["form"].initial["others"] == ["Z"]
    said = {"version": section.version, "clause": "61", "reason": "The hall burnt.", "others": ["Z"]}
    assert client.post(address(section, "deadlines"), said).status_code == 302
    asked_for = PermissionRequest.objects.values_list("section__code", "clause", "reason")
    assert set(asked_for) == {(section.code, "61", "The hall burnt."), ("Z", "61", "The hall burnt.")}


def test_what_the_office_permitted_is_waived_when_a_day_passes_after_the_file_came(
    csa: Federation,
    amahle: User,
    nomsa: User,
    client_of: ClientOf,
    section: Section,
    register_of_six: list[Player],
    upload: Send,
) -> None:
    csa.settings = {"deadlines": True}
    csa.save(update_fields=["settings"])
    answered(asked(section, amahle, "61"), nomsa, "The hall burnt down.", granted=True)
    upload(client_of(amahle), section, open_file())
    assert not fresh(section).findings.filter(key="registered-late").exists()
    Section.objects.update(registered_on=STARTS)
    add_late_findings(section=section, on=ENDS, version=fresh(section).version)
    assert fresh(section).findings.get(key="registered-late").waived_because == "The hall burnt down."
    assert not fresh(section).findings.blocking().filter(key="registered-late").exists()


def test_a_permission_is_asked_for_once_and_only_where_the_regulations_know_it(
    amahle: User, nomsa: User, section: Section
) -> None:
    with pytest.raises(Refused, match="no permission under clause 99"):
        asked(section, amahle, "99")
    request = asked(section, amahle)
    with pytest.raises(Refused, match="asked for already"):
        asked(section, amahle)
    answered(request, nomsa, granted=True)
    with pytest.raises(Refused, match="granted already"):
        asked(section, amahle)
    with pytest.raises(Refused, match="answered this request already"):
        answered(request, nomsa, granted=True)


def test_of_two_answers_to_one_request_the_first_holds(amahle: User, nomsa: User, section: Section) -> None:
    request = asked(section, amahle)
    seen = fresh(section).version
    first = partial(answer_permission, request=request, by=nomsa, on=STARTS, version=seen)
    first(granted=True, reason="")
    with pytest.raises(Refused):
        first(granted=False, reason="No.")
    assert PermissionRequest.objects.get().state == PermissionRequest.State.GRANTED


def test_the_region_asks_and_the_official_answers_on_the_page_of_days(
    amahle: User, nomsa: User, client_of: ClientOf, section: Section, send: Send
) -> None:
    region, official = client_of(amahle), client_of(nomsa)
    page = region.get(address(section, "deadlines")).content.decode()
    assert "Hand in the results" in page
    assert "22 Mar 2026" in page
    data = {"version": fresh(section).version, "clause": "18", "reason": ""}
    assert send(region, address(section, "deadlines"), data).status_code == 400
    send(region, address(section, "deadlines"), data | {"reason": FEW})
    request = PermissionRequest.objects.get()
    assert FEW in official.get(address(section, "deadlines")).content.decode()
    answer = f"{address(section, 'deadlines')}permissions/{request.pk}/"
    told = {"version": fresh(section).version, "granted": "no", "reason": "There are other halls."}
    assert send(region, answer, told).status_code == 403
    send(official, answer, told)
    assert "There are other halls." in region.get(address(section, "deadlines")).content.decode()


def test_each_permission_that_waits_has_a_field_of_its_own_with_its_label(
    amahle: User, nomsa: User, client_of: ClientOf, section: Section
) -> None:
    first, second = asked(section, amahle), asked(section, amahle, "62")
    page = client_of(nomsa).get(address(section, "deadlines")).content.decode()
    for each in (first, second):
        assert page.count(f'id="answer-{each.pk}-reason"') == 1
        assert page.count(f'for="answer-{each.pk}-reason"') == 1


def test_the_events_page_names_the_next_day_of_each_section(
    amahle: User, client_of: ClientOf, section: Section
) -> None:
    page = client_of(amahle).get("/csa/events/2026-001/sections/").content.decode()
    assert "Hand in the results" in page
    assert "days late" in page


@pytest.mark.parametrize("stage", [Stage.CANCELLED, Stage.WITHDRAWN, Stage.REFUSED])
def test_the_events_page_names_no_next_day_of_a_section_of_which_nothing_is_wanted_any_more(
    amahle: User, client_of: ClientOf, section: Section, stage: Stage
) -> None:
    Section.objects.update(stage=stage)
    page = client_of(amahle).get("/csa/events/2026-001/sections/").content.decode()
    assert str(stage.label) in page.lower()
    assert "Hand in the results" not in page
