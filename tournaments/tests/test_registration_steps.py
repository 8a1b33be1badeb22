"""Registering in steps, where much is asked: each step checked by itself, nothing written before the end."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from html import unescape
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.http import HttpResponse
from django.test import Client

from players.models import Decision, Federation, User
from ratings.rulesets import rulesets
from tournaments.models import Event, Section
from tournaments.pages.registration import LongRegistration, list_registration_steps, match_rows
from tournaments.tests.test_table_filing import Opened, opened, vera

__all__ = ["opened", "vera"]
Vera = Callable[[Section], Client]
LONG = ("mahjong", "ssdc")
START = "/mahjong/events/register/"
EVENT = {
    "name": "Кубок весны",
    "place": "Казань",
    "organizer": "Вера",
    "starts": "2027-03-06",
    "ends": "2027-03-07",
}
SECTIONS = {"sections-0-name": "A", "sections-0-format": "placement", "sections-0-rounds": "3"}
PARTS = (
    {"sections-0-own-status": "city"},
    {"sections-0-own-entry": "open", "sections-0-own-expected": "12"},
    {"sections-0-own-played_by": "wmo", "sections-0-own-announced_on": "2027-01-15"},
)
pytestmark = pytest.mark.django_db


@pytest.fixture
def browser(opened: Opened, vera: Vera) -> Client:
    """Vera's, in an office of mahjong."""
    return vera(opened("mahjong", "placement", status="city"))


def words_of(answer: Any) -> str:
    """The words of a page, without its tags."""
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]*>", " ", answer.content.decode())))


def region() -> str:
    return str(Federation.objects.get(code="mahjong").regions.get().pk)


def begin(browser: Client, query: str = "") -> str:
    """The address of the first step, of a registration of its own."""
    return str(browser.get(f"{START}{query}").headers["Location"])


def at(address: str, step: str) -> str:
    return re.sub(r"step=[a-z0-9-]+", f"step={step}", address.partition("&like")[0])


def send(browser: Client, address: str, step: str, data: dict[str, Any], go: str = "on") -> HttpResponse:
    return browser.post(at(address, step), {**data, "go": go})  # type: ignore[return-value]


def fill(browser: Client, address: str) -> HttpResponse:
    """Go through all steps; the answer to the last, which leads to the review."""
    send(browser, address, "event", EVENT | {"region": region()})
    answer = send(browser, address, "sections", SECTIONS)
    for number, part in enumerate(PARTS, 1):
        assert answer.headers["Location"].endswith(f"step=part-{number}")
        answer = send(browser, address, f"part-{number}", part)
    return answer


def review(browser: Client, address: str) -> dict[str, str]:
    """What the page of the review sends."""
    page = browser.get(at(address, "review")).content.decode()
    hidden = dict(re.findall(r'<input type="hidden" name="(once|seen)" value="([^"]+)"', page))
    assert set(hidden) == {"once", "seen"}
    return hidden


def step_now(answer: Any) -> str:
    found = re.search(r'aria-current="step"\s*>\s*([^<]*?)\s*<', answer.content.decode())
    assert found
    return found[1]


@pytest.mark.parametrize("slug", sorted(rulesets()))
def test_what_asks_much_is_registered_in_steps_and_all_else_on_one_page(
    slug: str, opened: Opened, vera: Vera
) -> None:
    answer = vera(opened(slug, rulesets()[slug].sections.formats[0])).get(
        f"/{slug}/events/register/", follow=True
    )
    text = words_of(answer)
    assert ("Check and register" in text) == (slug in LONG)
    assert ("Scheduled rounds" in text) == (slug not in LONG)


@pytest.mark.parametrize("slug", LONG)
def test_each_field_is_asked_in_one_step_and_in_no_other(slug: str, opened: Opened, vera: Vera) -> None:
    request = vera(opened(slug, rulesets()[slug].sections.formats[0])).get(
        f"/{slug}/events/register/", follow=True
    )
    registration = LongRegistration(request.wsgi_request.rights, {})  # type: ignore[attr-defined]
    steps = list_registration_steps(registration.office)
    asked = [field.name for step in steps for row in registration.rows(step) for field in row.fields]
    of_event = set(registration.event.fields) - {"once", "another"}
    wanted = [*of_event, *registration.sections.forms[0].fields]
    assert sorted(asked) == sorted(wanted)


def test_an_event_is_registered_after_the_last_step_with_all_answers_and_once(browser: Client) -> None:
    address = begin(browser)
    events, decisions = Event.objects.count(), Decision.objects.count()
    assert fill(browser, address).headers["Location"].endswith("step=review")
    sent = review(browser, address)
    assert (Event.objects.count(), Decision.objects.count()) == (events, decisions)
    first = send(browser, address, "review", sent)
    again = send(browser, address, "review", sent)
    event = Event.objects.get(name="Кубок весны")
    assert (
        first.headers["Location"] == again.headers["Location"] == f"/mahjong/events/{event.number}/sections/"
    )
    assert (Event.objects.count(), Decision.objects.count()) == (events + 1, decisions + 1)
    assert (event.place, event.organizer, event.starts) == ("Казань", "Вера", date(2027, 3, 6))
    [section] = event.sections.all()
    assert (section.name, section.format, section.rounds) == ("A", "placement", 3)
    said = {
        "status": "city",
        "entry": "open",
        "expected": 12,
        "played_by": "wmo",
        "announced_on": "2027-01-15",
    }
    assert section.particulars == said


def test_the_list_of_steps_tells_where_one_is_and_which_are_done(browser: Client) -> None:
    address = begin(browser)
    page = browser.get(address)
    assert step_now(page) == "The event"
    assert "done" not in words_of(page)
    send(browser, address, "event", EVENT | {"region": region()})
    page = browser.get(at(address, "sections"))
    assert step_now(page) == "Sections"
    assert "The event , done" in words_of(page)


def test_a_step_with_something_wrong_says_so_and_leads_nowhere_and_says_nothing_of_later_ones(
    browser: Client,
) -> None:
    address = begin(browser)
    answer = send(browser, address, "event", EVENT | {"region": region(), "ends": "2027-03-01"})
    assert answer.status_code == 400
    assert "The last day lies before the first." in words_of(answer)
    assert "Give the section a name" not in words_of(answer)
    assert step_now(browser.get(at(address, "sections"), follow=True)) == "The event"


def test_a_step_is_not_skipped_by_its_address(browser: Client) -> None:
    address = begin(browser)
    for step in ("sections", "part-2", "review", "nowhere"):
        browser.get(address)
        answer = send(browser, address, "event", {}, go="back")
        assert step_now(browser.get(at(address, step), follow=True)) == "The event"
    assert answer.status_code == 302


def test_going_back_keeps_what_was_typed_right_or_wrong_and_complains_of_nothing(browser: Client) -> None:
    address = begin(browser)
    send(browser, address, "event", EVENT | {"region": region()})
    typed = {"sections-0-name": "", "sections-0-format": "placement", "sections-0-rounds": "99"}
    back = send(browser, address, "sections", typed, go="back")
    assert back.headers["Location"].endswith("step=event")
    assert 'value="Кубок весны"' in browser.get(at(address, "event")).content.decode()
    page = browser.get(at(address, "sections")).content.decode()
    assert 'value="99"' in page
    assert "need a correction" not in page


def test_a_reload_of_a_step_shows_what_was_sent_and_asks_no_more_of_it(browser: Client) -> None:
    address = begin(browser)
    fill(browser, address)
    page = browser.get(at(address, "part-2")).content.decode()
    assert 'name="sections-0-own-expected" value="12"' in page
    assert 'value="open" selected' in page


def test_a_correction_from_the_review_leads_back_to_the_review(browser: Client) -> None:
    address = begin(browser)
    fill(browser, address)
    page = words_of(browser.get(at(address, "review")))
    for words in ("Кубок весны", "6 March 2027", "Championship of a city", "12", "Казань"):
        assert words in page
    answer = send(
        browser, address, "part-2", {"sections-0-own-entry": "open", "sections-0-own-expected": "16"}
    )
    assert answer.headers["Location"].endswith("step=review")
    assert "16" in words_of(browser.get(at(address, "review")))


def test_the_review_leads_to_the_step_that_became_wrong(browser: Client) -> None:
    address = begin(browser)
    fill(browser, address)
    own_days = {"sections-0-starts": "2027-03-06", "sections-0-ends": "2027-03-07"}
    send(browser, address, "sections", SECTIONS | own_days)
    send(
        browser, address, "event", EVENT | {"region": region(), "starts": "2027-04-03", "ends": "2027-04-04"}
    )
    page = browser.get(at(address, "review"), follow=True)
    assert step_now(page) == "Sections"
    assert "These days are not within the event's days." in words_of(page)


def test_what_was_changed_elsewhere_since_the_review_is_not_registered_unseen(browser: Client) -> None:
    address = begin(browser)
    fill(browser, address)
    sent = review(browser, address)
    send(browser, address, "event", EVENT | {"region": region(), "name": "Кубок осени"})
    answer = send(browser, address, "review", sent)
    assert answer.status_code == 409
    assert "changed while your page was open" in words_of(answer)
    assert not Event.objects.filter(name__startswith="Кубок").exists()
    send(browser, address, "review", review(browser, address))
    assert Event.objects.filter(name="Кубок осени").exists()


@pytest.mark.parametrize("go", ["on", "back"])
def test_answers_to_a_step_before_which_another_was_opened_again_are_kept_and_the_page_says_so(
    browser: Client, go: str
) -> None:
    address = begin(browser)
    fill(browser, address)
    send(browser, address, "sections", SECTIONS, go="more")
    answer = send(browser, address, "part-2", PARTS[1] | {"sections-0-own-expected": "16"}, go=go)
    page = browser.get(answer.headers["Location"])
    assert step_now(page) == "Sections"
    assert "“Sections” is not done" in words_of(page)
    assert "are kept, and stand there when you come to it" in words_of(page)
    assert "are kept, and" not in words_of(browser.get(answer.headers["Location"]))
    send(browser, address, "sections", SECTIONS, go="drop-1")
    send(browser, address, "sections", SECTIONS)
    assert 'value="16"' in browser.get(at(address, "part-2")).content.decode()


TWO = (
    SECTIONS
    | {f"sections-1-{name[11:]}": value for name, value in SECTIONS.items()}
    | {"sections-1-name": "B"}
)


@pytest.mark.parametrize("passed", [False, True])
def test_answers_from_an_older_page_go_to_the_sections_that_it_showed_wherever_they_stand_now(
    browser: Client, passed: bool
) -> None:
    address = begin(browser)
    fill(browser, address)
    send(browser, address, "sections", SECTIONS, go="more")
    send(browser, address, "sections", TWO)
    page = browser.get(at(address, "part-2")).content.decode()
    shown = dict(re.findall(r'<input type="hidden" name="(shown-\d)" value="(\w+)">', page))
    assert shown == {"shown-0": "A", "shown-1": "B"}
    send(browser, address, "sections", TWO, go="drop-0")  # in another window
    left = SECTIONS | {"sections-0-name": "B"}
    if passed:
        send(browser, address, "sections", left)
    expected = {"sections-0-own-expected": "16", "sections-1-own-expected": "24"}
    entry = {"sections-0-own-entry": "open", "sections-1-own-entry": "open"}
    answer = send(browser, address, "part-2", shown | expected | entry)
    told = words_of(browser.get(answer.headers["Location"]))
    assert "no such section any more: A." in told
    assert ("“Sections” is not done" in told) != passed
    send(browser, address, "sections", left)
    page = browser.get(at(address, "part-2")).content.decode()
    assert ('value="24"' in page, 'value="16"' in page) == (True, False)


def test_rows_of_an_older_page_are_found_by_name_else_by_place() -> None:
    def typed(*names: str) -> dict[str, list[str]]:
        rows = {f"sections-{row}-name": [name] for row, name in enumerate(names)}
        return {"sections-TOTAL_FORMS": [str(len(names))], **rows}

    def sent(*names: str) -> dict[str, list[str]]:
        rows = {f"shown-{row}": [name] for row, name in enumerate(names)}
        return {**rows, **{f"sections-{row}-x": [name] for row, name in enumerate(names)}}

    def found(now: tuple[str, ...], shown: tuple[str, ...]) -> tuple[list[str], list[str]]:
        answers, lost = match_rows(typed(*now), sent(*shown))
        return [answers.get(f"sections-{row}-x", [""])[0] for row in range(len(now))], lost

    assert found(("A", "B"), ("A", "B")) == (["A", "B"], [])
    assert found(("B", "A"), ("A", "B")) == (["B", "A"], [])
    assert found(("X", "B"), ("A", "B")) == (["A", "B"], [])  # renamed
    assert found(("B", "C"), ("A", "B")) == (["B", ""], ["A"])
    assert found(("A", "B", "C"), ("A", "B")) == (["A", "B", ""], [])
    assert found(("A",), ("A", "")) == (["A"], ["2"])
    assert found(("A", "A"), ("A", "A")) == (["A", "A"], [])


def test_a_review_before_which_a_step_was_opened_again_registers_nothing_and_says_so(browser: Client) -> None:
    address = begin(browser)
    fill(browser, address)
    sent = review(browser, address)
    send(browser, address, "sections", SECTIONS, go="more")
    page = browser.get(send(browser, address, "review", sent).headers["Location"])
    assert "Nothing was registered: this registration was changed" in words_of(page)
    assert not Event.objects.filter(name="Кубок весны").exists()


def test_the_same_event_again_is_registered_only_by_a_tick(browser: Client) -> None:
    for _n in range(2):
        address = begin(browser)
        fill(browser, address)
        sent = review(browser, address)
        answer = send(browser, address, "review", sent)
    assert answer.status_code == 409
    assert "Go to the event that is registered" in words_of(answer)
    assert Event.objects.filter(name="Кубок весны").count() == 1
    assert send(browser, address, "review", sent | {"another": "on"}).status_code == 302
    assert Event.objects.filter(name="Кубок весны").count() == 2


def test_sections_are_added_like_the_last_one_left_out_again_and_asked_side_by_side(browser: Client) -> None:
    address = begin(browser)
    fill(browser, address)
    review(browser, address)
    send(browser, address, "sections", SECTIONS, go="more")
    page = browser.get(at(address, "sections")).content.decode()
    assert "need a correction" not in page
    assert 'name="sections-1-rounds" value="3"' in page
    assert "sections-2-" not in page
    two = SECTIONS | {f"sections-1-{name[11:]}": value for name, value in SECTIONS.items()}
    send(browser, address, "sections", two | {"sections-1-name": "B"}, go="more")
    three = two | {"sections-1-name": "B", "sections-2-name": "C", "sections-2-format": "placement"}
    send(browser, address, "sections", three | {"sections-2-rounds": "4"}, go="drop-1")
    left = SECTIONS | {"sections-1-name": "C", "sections-1-format": "placement", "sections-1-rounds": "4"}
    assert send(browser, address, "sections", left).headers["Location"].endswith("step=review")
    page = browser.get(at(address, "part-2")).content.decode()
    assert page.count('value="12"') == 2  # the copy begins as the section that it is like
    assert re.findall(r"<legend>\s*(\w+)\s*</legend>", page) == ["A", "C"]
    send(browser, address, "review", review(browser, address))
    sections = Event.objects.get(name="Кубок весны").sections.order_by("code")
    assert [(each.name, each.rounds, each.particulars["expected"]) for each in sections] == [
        ("A", 3, 12),
        ("C", 4, 12),
    ]


@pytest.mark.parametrize("slug", LONG)
def test_a_section_left_empty_is_asked_no_more_and_is_not_registered(
    slug: str, opened: Opened, vera: Vera
) -> None:
    browser = vera(opened(slug, rulesets()[slug].sections.formats[0]))
    answer = browser.get(f"/{slug}/events/register/", follow=True)
    answer = answered(browser, answer, {"name": "Spring Open", "starts": "2027-03-06", "ends": "2027-03-07"})
    answer = answered(browser, answer, {"sections-0-name": "Alpha"}, go="more")
    shown = words_of(answer)
    assert ("Section 2" in shown, step_now(answer)) == (True, "Sections")
    answer = answered(browser, answer, {})
    while step_now(answer) != "Check and register":
        assert ("Alpha" in words_of(answer), "Section 2" in words_of(answer)) == (True, False)
        assert "sections-1-" not in answer.content.decode()
        before = step_now(answer)
        answer = answered(browser, answer, NEEDED)
        assert step_now(answer) != before, words_of(answer)
    assert answer.status_code == 200
    assert words_of(answer).count("Scheduled rounds") == 1
    answered(browser, answer, {})
    assert [each.name for each in Event.objects.get(name="Spring Open").sections.all()] == ["Alpha"]


NEEDED = {
    "sections-0-own-status": "city",
    "sections-0-own-entry": "open",
    "sections-0-own-played_by": "wmo",
    "sections-0-own-announced_on": "2027-01-15",
    "sections-0-own-time_class": "classic",
    "sections-0-own-category": "third",
}
"""Answers to what the steps after the sections must know, as far as a federation asks."""


def answered(browser: Client, page: Any, typed: dict[str, str], go: str = "on") -> Any:
    """The page after a step was sent as a browser does: all its fields as shown, and what was typed."""
    [form] = [
        each for each in re.findall(r"<form.*?</form>", page.content.decode(), re.S) if 'name="go"' in each
    ]
    shown: dict[str, str] = {}
    for tag in re.findall(r"<input[^>]*>", form):
        name, value = re.search(r'name="([^"]*)"', tag), re.search(r'value="([^"]*)"', tag)
        if name and ('type="checkbox"' not in tag or "checked" in tag):
            shown[name[1]] = unescape(value[1]) if value else ""
    for name, choices in re.findall(r'<select[^>]*name="([^"]*)"[^>]*>(.*?)</select>', form, re.S):
        options = re.findall(r'<option value="([^"]*)"([^>]*)>', choices)
        shown[name] = next((value for value, rest in options if "selected" in rest), options[0][0])
    asked = {name: value for name, value in typed.items() if name in shown}
    url = page.wsgi_request.get_full_path()
    return browser.post(url, {**shown, **asked, "go": go}, follow=True)


def test_an_answer_that_goes_with_another_is_asked_in_its_own_step(browser: Client) -> None:
    address = begin(browser)
    send(browser, address, "event", EVENT | {"region": region()})
    send(browser, address, "sections", SECTIONS)
    answer = send(browser, address, "part-1", {"sections-0-own-status": "special"})
    assert answer.status_code == 400
    assert "This is needed here." in words_of(answer)


def test_register_it_again_fills_in_every_step_a_year_later(browser: Client) -> None:
    address = begin(browser)
    fill(browser, address)
    send(browser, address, "review", review(browser, address))
    number = Event.objects.get(name="Кубок весны").number
    again = begin(browser, f"?like={number}")
    page = browser.get(again).content.decode()
    assert 'value="Кубок весны"' in page
    assert 'value="2028-03-04"' in page
    form = EVENT | {"region": region(), "starts": "2028-03-04", "ends": "2028-03-05"}
    assert browser.post(again, {**form, "go": "on"}).status_code == 302
    assert 'value="placement" selected' in browser.get(at(again, "sections")).content.decode()
    send(browser, again, "sections", SECTIONS)
    assert 'value="city" selected' in browser.get(at(again, "part-1")).content.decode()


def test_what_was_typed_is_the_typists_alone_and_gone_with_the_sign_in(
    browser: Client, opened: Opened, vera: Vera
) -> None:
    address = begin(browser)
    fill(browser, address)
    other = vera(Section.objects.get(event__federation__code="mahjong"))
    answer = other.get(at(address, "part-1"), follow=True)
    assert "is not kept any more" in words_of(answer)
    assert step_now(answer) == "The event"
    browser.logout()
    assert not [each for each in Session.objects.all() if "registrations" in each.get_decoded()]


def test_another_offices_page_does_not_take_the_draft(browser: Client, opened: Opened, nomsa: User) -> None:
    address = begin(browser)
    fill(browser, address)
    opened("ssdc", "swiss")
    assert browser.get(at(address, "part-1").replace("/mahjong/", "/ssdc/")).status_code in (403, 404)


def test_three_registrations_can_be_begun_and_the_oldest_makes_room(browser: Client) -> None:
    addresses = [begin(browser) for _n in range(4)]
    for address in addresses:
        send(browser, address, "event", EVENT | {"region": region()})
    kept = [step_now(browser.get(at(each, "sections"), follow=True)) == "Sections" for each in addresses]
    assert kept == [False, True, True, True]


@pytest.mark.parametrize("odd", ["draft=x&step=event", "step=review", f"draft={'9' * 400}", "draft=&step="])
def test_an_odd_address_begins_anew(odd: str, browser: Client) -> None:
    assert step_now(browser.get(f"{START}?{odd}", follow=True)) == "The event"


def test_odd_answers_are_no_answers(browser: Client) -> None:
    address = begin(browser)
    odd = {
        "sections-TOTAL_FORMS": "1000",
        "sections-99-name": "Z",
        "name": "x" * 5000,
        "drop": "1",
        "seen": "\0",
    }
    assert send(browser, address, "event", odd).status_code == 400
    [kept] = browser.session["registrations"].values()
    assert set(kept["typed"]) == {"name"}
    assert len(kept["typed"]["name"][0]) == 1000
    assert send(browser, address, "event", EVENT | {"region": region()}).status_code == 302
    assert send(browser, address, "sections", odd, go=f"drop-{'9' * 30}").status_code == 302
    assert send(browser, address, "sections", SECTIONS, go="drop-0").status_code == 302
    assert send(browser, address, "sections", SECTIONS).status_code == 302


# ---------------------------------------------------------------- begun, thrown away, finished

DESK = "/mahjong/desk/"


def test_the_desk_leads_on_with_what_is_begun_and_throws_it_away(browser: Client) -> None:
    assert "not finished" not in words_of(browser.get(DESK))
    address = begin(browser)
    assert "not finished" not in words_of(browser.get(DESK))  # nothing was typed yet
    send(browser, address, "event", EVENT | {"region": region()})
    page = browser.get(DESK)
    assert "Go on registering “Кубок весны”" in words_of(page)
    [link] = re.findall(r'href="([^"]*draft=[^"]*)"', unescape(page.content.decode()))
    assert step_now(browser.get(link, follow=True)) == "Sections"
    answer = browser.post(at(address, "event"), {"go": "discard"}, follow=True)
    assert "Thrown away: nothing of it is kept" in words_of(answer)
    assert "Go on registering" not in words_of(answer)
    assert not Event.objects.filter(name="Кубок весны").exists()
    assert browser.post(at(address, "event"), {"go": "discard"}).status_code == 302


def test_a_draft_without_a_name_and_the_second_of_two_are_told_apart(browser: Client) -> None:
    for name in ("", "Турнир"):
        send(browser, begin(browser), "event", EVENT | {"name": name, "region": region()})
    told = words_of(browser.get(DESK))
    assert told.index("Go on registering “Турнир”") < told.index("Go on registering an event without a name")


def test_a_draft_stands_on_no_other_desk(browser: Client, opened: Opened, vera: Vera) -> None:
    send(browser, begin(browser), "event", EVENT | {"region": region()})
    other = vera(Section.objects.get(event__federation__code="mahjong"))
    assert "Go on registering" not in words_of(other.get(DESK))


@pytest.mark.parametrize("step", ["event", "part-1", "review"])
def test_going_back_after_the_last_step_tells_of_the_event_with_its_link(browser: Client, step: str) -> None:
    address = begin(browser)
    fill(browser, address)
    send(browser, address, "review", review(browser, address))
    number = Event.objects.get(name="Кубок весны").number
    page = browser.get(at(address, step))
    assert f"Кубок весны is registered with the number {number}." in words_of(page)
    assert f'href="/mahjong/events/{number}/sections/"' in page.content.decode()
    sent = send(browser, address, step, EVENT | {"region": region()}, go="on")
    assert f"/mahjong/events/{number}/" in sent.headers["Location"]
    assert Event.objects.filter(name="Кубок весны").count() == 1
    assert "Go on registering" not in words_of(browser.get(DESK))
