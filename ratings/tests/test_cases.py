"""Reports of mistakes: from the public page over the confirmed address to answer and outcome."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from html import escape, unescape
from typing import Any
from unittest.mock import patch

import pytest
import time_machine
from django.core import mail
from django.core.cache import cache
from django.db.models import Q
from django.test import Client
from django.utils import timezone
from django.utils.translation import get_language
from pytest_django import Settings

from conftest import appointed
from federation_site.tasks import forget_sessions, let_go_files
from players.models import Decision, Federation, Ledger, Player, Region, Role, User
from players.record import Refused
from players.settings import today
from ratings.letters import order_due_letters
from ratings.models import Change
from ratings.personal_data import get_player_data, record_and_get_reporter_data
from ratings.tests.office import approved, recompute_all, register, submitted
from tests.built_once import built_once
from tournaments import cases
from tournaments.cases import (
    CONFIRM,
    FOLLOW,
    MOST_MESSAGES,
    MOST_OF_ADDRESS,
    ReportSubject,
    TooManyReports,
    add_reporter_message,
    answer_case,
    close_case,
    close_silent_cases,
    confirm_report,
    delete_expired_cases,
    delete_expired_reports,
    describe_game,
    make_token,
    note_in_case,
    report,
    withdraw_case,
)
from tournaments.models import Case, CaseMessage, Game, Section, Stage

ClientOf = Callable[[User], Client]
pytestmark = pytest.mark.django_db
AT = datetime(2026, 5, 3, 10, 0, tzinfo=UTC)
DAY = date(2026, 5, 3)
WORDS = "Round three: I won this game, and it stands as lost."
FORM = {"words": WORDS, "email": "Parent@example.org", "name": "Invented Parent"}


@pytest.fixture(autouse=True)
def no_tries_before() -> None:
    cache.clear()


@pytest.fixture
@built_once
def section(csa: Federation, gauteng: Region) -> Section:
    """A rated section that Gauteng filed."""
    section = submitted(csa, register(csa, 8), rounds=10, region=gauteng)
    approved(section)
    recompute_all(csa)
    return Section.objects.select_related("event__region", "event__federation").get(pk=section.pk)


def reported(section: Section, email: str = "parent@example.org", at: datetime = AT, **told: Any) -> Case:
    about = ReportSubject(**(told or {"section": section}))
    office = section.event.federation
    report(federation=office, about=about, email=email, name="", words=WORDS, at=at)
    return Case.objects.latest("pk")


def opened(section: Section, **told: Any) -> Case:
    return confirm_report(case=reported(section, **told), on=DAY, at=AT)


def link_in(message: Any) -> str:
    """The path of the only link to a case in a letter."""
    [found] = re.findall(r"http://[^/]+(/csa/report/\S+)", message.body)
    return str(found)


# ---------------------------------------------------------------- from the page to the case


def test_a_report_is_shown_to_nobody_until_its_address_is_confirmed(
    client: Client, client_of: ClientOf, section: Section, amahle: User, nomsa: User
) -> None:
    page = client.get(section.get_absolute_url()).content.decode()
    here = "/csa/report/?section=2024-001/A"
    assert here.replace("/A", "%2FA") in page
    assert "Open 2024-001, A" in client.get(here).content.decode()
    before = Decision.objects.count()
    sent = client.post(here, FORM)
    assert sent.status_code == 200
    assert f'href="{section.get_absolute_url()}">Go back' in " ".join(sent.content.decode().split())
    case = Case.objects.get()
    assert (case.state, case.email, case.region) == (
        "unconfirmed",
        "parent@example.org",
        section.event.region,
    )
    for person in (amahle, nomsa):
        assert f"/csa/cases/{case.pk}/" not in client_of(person).get("/csa/cases/").content.decode()
        assert client_of(person).get(f"/csa/cases/{case.pk}/").status_code == 404
    assert Decision.objects.count() == before
    confirm = link_in(mail.outbox[-1])
    assert WORDS not in mail.outbox[-1].body
    assert client.get(confirm).status_code == 200
    assert Case.objects.get().state == "unconfirmed"  # opening the link alone does nothing
    followed = client.post(confirm, follow=True)
    assert WORDS in followed.content.decode()
    case.refresh_from_db()
    assert case.opened_on is not None
    assert (case.state, case.due) == ("open", case.opened_on + timedelta(14))
    for person in (amahle, nomsa):
        assert "days left" in client_of(person).get("/csa/cases/").content.decode()
        assert f"/csa/cases/{case.pk}/" in client_of(person).get("/csa/desk/").content.decode()
        assert WORDS in client_of(person).get(f"/csa/cases/{case.pk}/").content.decode()
    decision = Decision.objects.latest("number")
    assert (decision.kind, decision.by, decision.about) == ("open-case", None, f"case {case.pk}")
    assert decision.details["section"] == "2024-001/A"


def test_player_and_working_pages_lead_to_the_form_and_a_working_goes_to_the_region_that_filed_it(
    client: Client, section: Section, csa: Federation, western_cape: Region
) -> None:
    Player.objects.update(region=western_cape)
    change = Change.objects.filter(fact__section=section).select_related("player", "fact")[0]
    here = f"/csa/report/?player={change.player.number}"
    assert here in client.get(change.player.get_absolute_url()).content.decode()
    working = f"/csa/players/{change.player.number}/{change.track}/{change.fact.number}/"
    there = f"{here}&amp;track={change.track}&amp;line={change.fact.number}"
    assert there in client.get(working).content.decode()
    client.post(here, FORM)
    assert Case.objects.latest("pk").region == western_cape
    client.post(there.replace("&amp;", "&"), FORM)
    case = Case.objects.latest("pk")
    assert (case.player, case.track, case.line) == (change.player, change.track, change.fact.number)
    assert (case.section, case.region) == (section, section.event.region)


def test_each_game_of_a_section_leads_to_the_form_which_names_it_and_so_does_the_case(
    client: Client, client_of: ClientOf, section: Section, amahle: User, nomsa: User
) -> None:
    page = client.get(section.get_absolute_url()).content.decode()
    game = section.games.select_related("first__player", "second__player")[0]
    heres = [
        f"/csa/report/?section=2024-001%2FA&amp;round={game.round}&amp;entry={entry.number}"
        for entry in (game.first, game.second)
    ]
    links = page.count("/csa/report/?section=2024-001%2FA&amp;round=")
    assert links == 2 * section.games.count()  # from both sides
    told = describe_game(section, game)
    assert game.first.player is not None
    assert told.startswith(f"Round {game.round}: {game.first.player.shown_name} – ")
    for here in heres:
        assert f'href="{here}"' in page
        assert told in client.get(unescape(here)).content.decode()
    client.post(unescape(heres[0]), FORM)
    client.post(link_in(mail.outbox[-1]))
    case = Case.objects.get()
    assert case.section == section
    for person in (amahle, nomsa):
        shown = client_of(person).get(f"/csa/cases/{case.pk}/").content.decode()
        assert told in shown
        assert WORDS in shown


def test_a_game_in_a_players_working_leads_to_the_form_which_names_it(
    client: Client, section: Section
) -> None:
    change = Change.objects.filter(fact__section=section).select_related("player", "fact")[0]
    working = f"/csa/players/{change.player.number}/{change.track}/{change.fact.number}/"
    page = client.get(working).content.decode()
    own = section.games.filter(Q(first__player=change.player) | Q(second__player=change.player))
    there = f"/csa/report/?player={change.player.number}&track={change.track}&line={change.fact.number}"
    for game in own:
        here = f"{there}&round={game.round}"
        assert escape(here) in page
        assert describe_game(section, game) in client.get(here).content.decode()
    client.post(f"{there}&round={own[0].round}", FORM)
    case = Case.objects.get()
    assert (case.section, case.player, case.line) == (section, change.player, change.fact.number)
    assert case.messages.get().words == f"{describe_game(section, own[0])}\n{WORDS}"


def test_who_asked_not_to_be_named_is_not_named_in_a_game_that_is_reported(
    client: Client, section: Section
) -> None:
    game = section.games.select_related("first__player", "second__player")[0]
    assert game.first.player is not None
    name = game.first.player.surname
    Player.objects.filter(pk=game.first.player.pk).update(withheld=True)
    here = f"/csa/report/?section=2024-001/A&round={game.round}&entry={game.second.number}"
    page = client.get(here).content.decode()
    assert f"Round {game.round}: " in page
    assert f"{name}," not in page
    client.post(here, FORM)
    assert f"{name}," not in Case.objects.get().messages.get().words


@pytest.mark.parametrize(
    ("query", "status"),
    [("round=1&entry=1", 200), ("round=999999&entry=1", 404), ("round=1&entry=99", 404), ("round=1", 404),
     ("round=x&entry=1", 404), ("round=1&entry=x", 404), ("entry=1", 200), ("round=&entry=1", 200)],
)  # fmt: skip
def test_a_report_names_only_games_that_there_are(
    client: Client, section: Section, query: str, status: int
) -> None:
    assert client.get(f"/csa/report/?section=2024-001/A&{query}").status_code == status


def test_games_of_a_section_that_is_not_rated_are_told_to_nobody_by_the_form(
    client: Client, section: Section
) -> None:
    Section.objects.filter(pk=section.pk).update(stage=Stage.UNRATED)
    assert client.get("/csa/report/?section=2024-001/A&round=1&entry=1").status_code == 404
    assert client.get("/csa/report/?section=2024-001/A").status_code == 200


@pytest.mark.parametrize("change", ["unrated", "moved"])
@pytest.mark.parametrize("of", ["section", "working"])
def test_a_report_is_taken_without_its_game_where_that_is_gone_when_it_is_sent(
    client: Client, section: Section, of: str, change: str
) -> None:
    here, game = game_address(section, of)
    shown = shown_games(client, here)
    if change == "unrated":
        Section.objects.filter(pk=section.pk).update(stage=Stage.UNRATED)
    else:
        section.games.filter(pk=game.pk).update(round=10)
        section.games.filter(round=game.round).delete()
    told = f"Round {game.round}: the game that was meant stands in no rated section any more."
    again = client.post(here, {**FORM, "games": shown})
    page = again.content.decode()
    assert (again.status_code, Case.objects.count()) == (409, 0)
    for words in ("The game changed while your page was open.", WORDS, FORM["email"], told):
        assert words in page
    assert client.post(here, {**FORM, "games": hidden_games(page)}).status_code == 200
    assert CaseMessage.objects.get().words == f"{told}\n{WORDS}"
    assert Case.objects.get().section == section


def test_a_report_from_a_page_that_told_of_no_games_is_taken_without_a_game_that_is_gone(
    client: Client, section: Section
) -> None:
    Section.objects.filter(pk=section.pk).update(stage=Stage.UNRATED)
    assert client.post("/csa/report/?section=2024-001/A&round=1&entry=1", FORM).status_code == 200
    assert CaseMessage.objects.get().words.endswith(f"in no rated section any more.\n{WORDS}")


def test_a_report_whose_game_stands_otherwise_by_now_is_read_again_before_it_is_sent(
    client: Client, section: Section
) -> None:
    here, game = game_address(section, "section")
    shown = shown_games(client, here)
    section.games.filter(pk=game.pk).update(result="0-1" if game.result != "0-1" else "1-0")
    game.refresh_from_db()
    again = client.post(here, {**FORM, "games": shown})
    assert again.status_code == 409
    assert WORDS in again.content.decode()
    now = hidden_games(again.content.decode())
    assert now == describe_game(section, game) != shown
    assert client.post(here, {**FORM, "games": now}).status_code == 200
    assert CaseMessage.objects.get().words == f"{now}\n{WORDS}"


def test_a_report_with_2000_letters_below_a_game_is_kept_whole(client: Client, section: Section) -> None:
    here, game = game_address(section, "section")
    long = "a" * 1996 + " end"
    assert client.post(here, {**FORM, "words": long, "games": shown_games(client, here)}).status_code == 200
    assert CaseMessage.objects.get().words == f"{describe_game(section, game)}\n{long}"


def game_address(section: Section, of: str) -> tuple[str, Game]:
    """The form of the section's first game, from its cross table or from a working; and that game."""
    game = section.games.select_related("first__player", "second__player")[0]
    if of == "section":
        return f"/csa/report/?section=2024-001/A&round={game.round}&entry={game.first.number}", game
    change = Change.objects.filter(fact__section=section, player=game.first.player)[0]
    query = f"player={change.player.number}&track={change.track}&line={change.fact.number}"
    return f"/csa/report/?{query}&round={game.round}", game


def shown_games(client: Client, here: str) -> str:
    return hidden_games(client.get(here).content.decode())


def hidden_games(page: str) -> str:
    """The games that a form brings back as those of which it told."""
    [found] = re.findall(r'name="games" value="([^"]*)"', page)
    return unescape(found)


@pytest.mark.parametrize(
    "query",
    ["section=2024-001/B", "section=x", "player=9", "player=101000001&track=otb-standard&line=x",
     "player=101000001&track=otb-standard&line=99999", "player=101000001&track=none&line=1"],
)  # fmt: skip
def test_a_report_about_nothing_that_there_is_answers_404(
    client: Client, section: Section, query: str
) -> None:
    assert client.get(f"/csa/report/?{query}").status_code == 404
    assert client.post(f"/csa/report/?{query}", FORM).status_code == 404


def test_without_a_thing_the_page_tells_how_to_find_it(client: Client, csa: Federation) -> None:
    assert "Find an event" in client.get("/csa/report/").content.decode()


@pytest.mark.parametrize(
    ("change", "status"),
    [({"words": "a" * 2000}, 200), ({"words": "a" * 2001}, 400), ({"words": " "}, 400), ({"email": "x"}, 400),
     ({"email": ""}, 400), ({"name": ""}, 200), ({"name": "n" * 100}, 200), ({"name": "n" * 101}, 400)],
)  # fmt: skip
def test_words_have_2000_letters_at_most_and_an_address_is_needed(
    client: Client, section: Section, change: dict[str, str], status: int
) -> None:
    sent = client.post("/csa/report/?section=2024-001/A", {**FORM, **change})
    assert (sent.status_code, Case.objects.count()) == (status, 1 if status == 200 else 0)


def test_what_a_program_fills_in_where_people_see_no_field_is_forgotten(
    client: Client, section: Section
) -> None:
    sent = client.post("/csa/report/?section=2024-001/A", {**FORM, "website": "https://example.org"})
    assert (sent.status_code, Case.objects.count(), len(mail.outbox)) == (200, 0, 0)


def test_a_form_sent_twice_is_one_report(client: Client, section: Section) -> None:
    form = {**FORM, "once": "7d9f0a1e-3f7f-4c2a-9f4e-0f4a3b8f0a11"}
    for _time in range(2):
        assert client.post("/csa/report/?section=2024-001/A", form).status_code == 200
    assert Case.objects.count() == 1


# ---------------------------------------------------------------- floods


def test_one_mail_address_reports_three_times_a_day_and_not_a_fourth(section: Section) -> None:
    for _time in range(MOST_OF_ADDRESS):
        reported(section)
    with pytest.raises(TooManyReports, match="3 reports"):
        reported(section, email="PARENT@example.org", at=AT + timedelta(hours=23, minutes=59))
    reported(section, email="other@example.org")
    reported(section, at=AT + timedelta(days=1))


def test_one_office_takes_so_many_reports_a_day(section: Section) -> None:
    with patch("tournaments.cases.MOST_OF_OFFICE", 2):
        reported(section, email="a@example.org")
        reported(section, email="b@example.org")
        with pytest.raises(TooManyReports, match="too many reports"):
            reported(section, email="c@example.org")
        reported(section, email="c@example.org", at=AT + timedelta(days=1))


def test_one_network_address_reports_ten_times_a_day(client: Client, section: Section) -> None:
    here = "/csa/report/?section=2024-001/A"
    for n in range(10):
        assert client.post(here, {**FORM, "email": f"p{n}@example.org"}).status_code == 200
    refused = client.post(here, {**FORM, "email": "p10@example.org"})
    assert refused.status_code == 429
    assert "tomorrow" in refused.content.decode()
    assert Case.objects.count() == 10
    elsewhere = client.post(here, {**FORM, "email": "p10@example.org"}, REMOTE_ADDR="192.0.2.9")
    assert elsewhere.status_code == 200


def test_a_reporter_writes_five_times_a_day_in_a_case(section: Section) -> None:
    case = opened(section)
    later = AT + timedelta(days=1)
    for _time in range(MOST_MESSAGES):
        add_reporter_message(case=case, on=DAY, at=later, words="And round four.")
    with pytest.raises(TooManyReports, match="5 times"):
        add_reporter_message(case=case, on=DAY, at=later, words="And round four.")


# ---------------------------------------------------------------- links


def test_the_link_is_good_for_three_days(client: Client, section: Section) -> None:
    with time_machine.travel(AT, tick=False):
        case = reported(section)
        here = f"/csa/report/confirm/?case={make_token(case, CONFIRM)}"
    with time_machine.travel(AT + timedelta(days=3), tick=False):
        assert client.get(here).status_code == 200
    with time_machine.travel(AT + timedelta(days=3, seconds=2), tick=False):
        assert client.post(here).status_code == 404
    with pytest.raises(Refused, match="three days"):
        confirm_report(case=case, on=DAY, at=AT + timedelta(days=3, seconds=1))


def test_a_token_opens_its_own_case_and_page_alone(client: Client, section: Section, csa: Federation) -> None:
    mine, other = opened(section), reported(section, email="other@example.org")
    follow = make_token(mine, FOLLOW)
    assert client.get(f"/csa/report/follow/?case={follow}").status_code == 200
    assert client.get(f"/csa/report/confirm/?case={follow}").status_code == 404
    confirm = make_token(other, CONFIRM)
    assert client.get(f"/csa/report/follow/?case={confirm}").status_code == 404
    assert (
        client.get(f"/csa/report/follow/?case={make_token(other, FOLLOW)}").status_code == 404
    )  # unconfirmed
    assert client.get(f"/csa/report/follow/?case={follow[:-1]}").status_code == 404
    elsewhere = Federation.objects.create(code="other", name="Elsewhere", ruleset_slug="csa")
    Ledger.objects.create(federation=elsewhere)
    assert client.get(f"/other/report/follow/?case={follow}").status_code == 404
    Case.objects.filter(pk=mine.pk).update(reported_at=AT + timedelta(days=9))  # its number was given again
    assert client.get(f"/csa/report/follow/?case={follow}").status_code == 404


def test_confirmed_again_nothing_changes(client: Client, section: Section) -> None:
    case = reported(section, at=timezone.now())
    here = f"/csa/report/confirm/?case={cases.make_token(case, CONFIRM)}"
    for _time in range(2):
        assert client.post(here).status_code == 302
    assert Decision.objects.filter(kind="open-case").count() == 1


# ---------------------------------------------------------------- answer, note, outcome


def test_the_region_answers_and_an_official_closes_and_the_reporter_is_told(
    client: Client, client_of: ClientOf, section: Section, amahle: User, nomsa: User, pieter: User
) -> None:
    case = opened(section)
    here = f"/csa/cases/{case.pk}/"
    region, office = client_of(amahle), client_of(nomsa)
    assert client_of(pieter).get(here).status_code == 404
    assert region.post(f"{here}note/", {"version": 1, "note-words": "Ask the arbiter."}).status_code == 302
    assert (
        region.post(f"{here}answer/", {"version": 2, "answer-words": "The sheet says so."}).status_code == 302
    )
    case.refresh_from_db()
    assert case.state == "answered"
    letter = mail.outbox[-1]
    assert letter.to == ["parent@example.org"]
    assert "The sheet says so." in letter.body
    own = link_in(letter)
    page = client.get(own).content.decode()
    assert "The sheet says so." in page
    assert "Ask the arbiter." not in page
    assert "Amahle" not in page
    assert client.post(own, {"words": "Look at the other sheet."}).status_code == 302
    case.refresh_from_db()
    assert case.state == "open"
    closing = {"version": case.version, "close-outcome": "nothing-wrong", "close-words": "You are right."}
    assert region.post(f"{here}close/", closing).status_code == 403
    assert office.post(f"{here}close/", closing).status_code == 302
    case.refresh_from_db()
    assert (case.state, case.outcome) == ("closed", "nothing-wrong")
    assert "You are right." in mail.outbox[-1].body
    assert "nothing is wrong" in client.get(own).content.decode()
    assert client.post(own, {"words": "Thanks."}).status_code == 409
    kinds = ["open-case", "note-in-case", "answer-case", "reply-to-case", "close-case"]
    decisions = Decision.objects.filter(about=f"case {case.pk}").order_by("number")
    assert [each.kind for each in decisions] == kinds
    told = " ".join(str(each.details) for each in decisions)
    assert not any(words in told for words in ("sheet", "arbiter", "right", "parent@", WORDS))
    record = office.get("/csa/record/").content.decode()
    assert "closed <a" in record
    assert f"case {case.pk}" in region.get("/csa/record/").content.decode()
    assert f"case {case.pk}" not in client_of(pieter).get("/csa/record/").content.decode()


def test_no_word_typed_beside_an_answer_or_before_closing_is_lost(
    client_of: ClientOf, section: Section, nomsa: User
) -> None:
    case, office = opened(section), client_of(nomsa)
    here = f"/csa/cases/{case.pk}/"
    typed = {"version": case.version, "note-words": "Ask the arbiter.", "close-words": "You are right."}
    closing = office.post(f"{here}close/", typed | {"close-outcome": "nothing-wrong"})
    assert closing.status_code == 409
    page = closing.content.decode()
    assert all(
        words in page for words in ("You typed an answer or a note", "Ask the arbiter.", "You are right.")
    )
    noted = office.post(f"{here}note/", typed)
    assert noted.status_code == 200
    page = noted.content.decode()
    assert "The note is kept." in page
    assert page.count("Ask the arbiter.") == 1  # in the thread, and not in the field again
    assert "You are right." in page
    case.refresh_from_db()
    assert f'name="version" value="{case.version}"' in page
    closing = office.post(
        f"{here}close/", {"version": case.version, "close-words": "Yes.", "close-outcome": "nothing-wrong"}
    )
    assert closing.status_code == 302


def test_each_word_in_a_case_has_the_hour_of_the_offices_country(
    client_of: ClientOf, section: Section, nomsa: User
) -> None:
    case = opened(section)
    CaseMessage.objects.update(at=datetime(2026, 5, 3, 22, 30, tzinfo=UTC))
    assert "4 May 2026, 00:30" in client_of(nomsa).get(f"/csa/cases/{case.pk}/").content.decode()


def test_of_two_who_answer_the_same_page_one_wins(section: Section, nomsa: User, amahle: User) -> None:
    case = opened(section)
    terms: dict[str, Any] = {"case": case, "on": DAY, "at": AT, "version": case.version}
    answer_case(by=amahle, words="No.", **terms)
    with pytest.raises(Refused, match="changed while your page was open"):
        close_case(by=nomsa, outcome="nothing-wrong", words="Yes.", **terms)
    with pytest.raises(Refused, match="changed while your page was open"):
        note_in_case(by=nomsa, words="Yes.", **terms)
    assert case.messages.count() == 2


def test_an_answer_needs_words_and_an_outcome_is_one_that_there_is(section: Section, nomsa: User) -> None:
    case = opened(section)
    terms: dict[str, Any] = {"case": case, "by": nomsa, "on": DAY, "at": AT, "version": case.version}
    with pytest.raises(Refused, match="few words"):
        answer_case(words="  ", **terms)
    with pytest.raises(Refused, match="how the case ended"):
        close_case(words="So.", outcome="lost", **terms)
    close_case(words="So.", outcome="not-ours", **terms)
    for deed in (answer_case, note_in_case):
        with pytest.raises(Refused, match="closed already"):
            deed(words="So.", **{**terms, "version": case.version + 1})


def test_a_reporter_withdraws_a_report_and_not_twice(client: Client, section: Section) -> None:
    case = opened(section)
    here = f"/csa/report/follow/?case={make_token(case, FOLLOW)}"
    assert client.post(here, {"deed": "withdraw"}).status_code == 302
    case.refresh_from_db()
    assert (case.state, case.outcome) == ("closed", "withdrawn")
    with pytest.raises(Refused, match="closed"):
        withdraw_case(case=case, on=DAY)


def test_nothing_is_said_in_a_case_that_nobody_confirmed(section: Section, nomsa: User) -> None:
    case = reported(section)
    with pytest.raises(Refused, match="Confirm your mail address"):
        add_reporter_message(case=case, on=DAY, at=AT, words="Hm.")
    with pytest.raises(Case.DoesNotExist):
        answer_case(case=case, by=nomsa, on=DAY, at=AT, version=0, words="Hm.")


def test_a_case_is_late_after_its_last_day_and_its_days_run_anew_with_further_words(section: Section) -> None:
    case = opened(section)
    assert case.due == date(2026, 5, 17)
    assert (case.days_left(date(2026, 5, 17)), case.days_left(date(2026, 5, 18))) == (0, -1)
    still = add_reporter_message(case=case, on=date(2026, 5, 10), at=AT, words="More.")
    assert still.due == date(2026, 5, 17)  # it waited already: its clock is not put back
    answered = answer_case(case=case, by=None, on=DAY, at=AT, version=still.version, words="No.")
    assert answered.days_left(date(2026, 6, 1)) is None
    again = add_reporter_message(case=case, on=date(2026, 5, 20), at=AT, words="But.")
    assert again.due == date(2026, 6, 3)


def test_the_days_are_the_offices_own_setting(section: Section, csa: Federation) -> None:
    Federation.objects.update(settings={"case_days": 5})
    section.event.federation.refresh_from_db()
    assert opened(section).due == date(2026, 5, 8)


def test_the_list_tells_by_how_many_days_a_case_is_late(
    client_of: ClientOf, section: Section, csa: Federation, amahle: User
) -> None:
    case = opened(section)
    for due, words in ((0, "0 days left"), (-1, "1 day late"), (-2, "2 days late"), (1, "1 day left")):
        Case.objects.filter(pk=case.pk).update(due=today(csa) + timedelta(due))
        assert words in " ".join(client_of(amahle).get("/csa/cases/").content.decode().split())


# ---------------------------------------------------------------- letters


def test_a_new_case_is_told_to_its_region_and_to_officials_and_to_no_other_region(
    section: Section, amahle: User, nomsa: User, pieter: User, thandi: User
) -> None:
    opened(section)
    mail.outbox.clear()
    order_due_letters(timezone.now())
    told = {each.to[0]: each for each in mail.outbox if "mistake is reported" in each.subject}
    assert set(told) == {amahle.email, nomsa.email}
    assert f"/csa/cases/{Case.objects.get().pk}/" in told[amahle.email].body
    assert WORDS not in told[amahle.email].body


def test_a_case_of_no_region_goes_to_officials_alone(
    client_of: ClientOf, section: Section, amahle: User, nomsa: User
) -> None:
    player = Player.objects.all()[0]
    Player.objects.update(region=None)
    player.refresh_from_db()
    case = opened(section, player=player)
    assert client_of(amahle).get(f"/csa/cases/{case.pk}/").status_code == 404
    assert client_of(nomsa).get(f"/csa/cases/{case.pk}/").status_code == 200


# ---------------------------------------------------------------- what the public and the person see


def test_no_public_page_tells_of_a_case(client: Client, section: Section, amahle: User) -> None:
    player = Player.objects.all()[0]
    case = opened(section, player=player)
    answer_case(case=case, by=amahle, on=DAY, at=AT, version=case.version, words="The sheet says so.")
    pages = [section.get_absolute_url(), section.event.get_absolute_url(), player.get_absolute_url(), "/csa/",
             "/csa/events/", "/csa/players/", "/csa/journal/", "/csa/errata/"]  # fmt: skip
    for page in pages:
        told = client.get(page).content.decode()
        assert not any(each in told for each in (WORDS, "The sheet says so.", "parent@example.org", "cases/"))


def test_a_players_data_tell_of_the_case_and_not_of_whoever_reported_it(section: Section) -> None:
    player = Player.objects.select_related("federation").all()[0]
    opened(section, player=player)
    told = get_player_data(player, DAY)
    [row] = told["reports of mistakes (player)"]
    assert row["state"] == "open"
    assert "parent@example.org" not in str(told)


def test_a_reporters_data_are_given_by_the_mail_address_without_notes(
    section: Section, csa: Federation, nomsa: User
) -> None:
    case = opened(section)
    note_in_case(case=case, by=nomsa, on=DAY, at=AT, version=case.version, words="A secret note.")
    reported(section, email="other@example.org")
    told = record_and_get_reporter_data(federation=csa, email="parent@example.org", by=None, on=DAY)
    assert WORDS in str(told)
    assert "secret" not in str(told)
    assert len(told["reports of mistakes"]) == 1
    with pytest.raises(Case.DoesNotExist):
        record_and_get_reporter_data(federation=csa, email="nobody@example.org", by=None, on=DAY)


def test_unconfirmed_reports_go_after_three_days_and_closed_cases_after_a_year(
    section: Section, csa: Federation, nomsa: User
) -> None:
    reported(section, email="never@example.org")
    assert delete_expired_reports(AT + timedelta(days=3)) == 0
    assert delete_expired_reports(AT + timedelta(days=3, seconds=1)) == 1
    case = opened(section)
    assert delete_expired_reports(AT + timedelta(days=900)) == 0
    assert delete_expired_cases(csa, DAY + timedelta(days=900)) == 0  # it is open
    close_case(case=case, by=nomsa, on=DAY, at=AT, version=1, outcome="nothing-wrong", words="No.")
    assert delete_expired_cases(csa, DAY + timedelta(days=365)) == 0
    assert delete_expired_cases(csa, DAY + timedelta(days=366)) == 1
    assert (Case.objects.count(), CaseMessage.objects.count()) == (0, 0)
    assert Decision.objects.latest("number").kind == "delete-cases"


def test_each_night_deletes_what_nobody_confirmed(section: Section) -> None:
    reported(section)
    with time_machine.travel(AT + timedelta(days=4)):
        forget_sessions()
    assert not Case.objects.exists()


def test_an_official_of_another_office_sees_no_case(client_of: ClientOf, section: Section) -> None:
    case = opened(section)
    elsewhere = Federation.objects.create(code="other", name="Elsewhere", ruleset_slug="csa")
    Ledger.objects.create(federation=elsewhere)
    zanele = client_of(appointed("Zanele", elsewhere, Role.OFFICIAL))
    assert zanele.get(f"/csa/cases/{case.pk}/").status_code == 403
    assert zanele.get(f"/other/cases/{case.pk}/").status_code == 404


# ---------------------------------------------------------------- closed by the clock


def answered(section: Section, by: User, at: datetime = AT) -> Case:
    case = opened(section)
    return answer_case(case=case, by=by, on=at.date(), at=at, version=case.version, words="We looked.")


def closed_by_clock(csa: Federation, at: datetime) -> int:
    return close_silent_cases(csa, at.date(), at)


def test_an_answered_case_in_which_nobody_writes_for_60_days_is_closed_on_record_and_by_letter(
    section: Section, csa: Federation, nomsa: User, client: Client
) -> None:
    case = answered(section, nomsa)
    assert "for 60 days" in str(mail.outbox[-1].body)
    follow = link_in(mail.outbox[-1])
    assert closed_by_clock(csa, AT + timedelta(days=60)) == 0
    assert closed_by_clock(csa, AT + timedelta(days=60, seconds=1)) == 1
    case.refresh_from_db()
    assert (case.state, case.outcome, case.closed_on) == ("closed", "lapsed", date(2026, 7, 2))
    decision = Decision.objects.latest("number")
    assert (decision.kind, decision.by, decision.about) == ("lapse-case", None, f"case {case.pk}")
    letter = mail.outbox[-1]
    assert letter.to == ["parent@example.org"]
    assert "it was answered, and nobody wrote again" in letter.body
    assert "Nobody has written here for 60 days" in client.get(follow).content.decode()
    assert closed_by_clock(csa, AT + timedelta(days=90)) == 0
    assert delete_expired_cases(csa, date(2026, 7, 2) + timedelta(days=366)) == 1


def test_a_word_or_a_note_lets_the_60_days_run_anew_and_an_open_case_is_never_closed_so(
    section: Section, csa: Federation, nomsa: User
) -> None:
    case = answered(section, nomsa)
    later = AT + timedelta(days=50)
    noted = note_in_case(
        case=case, by=nomsa, on=later.date(), at=later, version=case.version, words="Asked the arbiter."
    )
    assert closed_by_clock(csa, later + timedelta(days=60)) == 0
    add_reporter_message(case=noted, on=later.date(), at=later, words="It is still wrong.")
    assert closed_by_clock(csa, later + timedelta(days=900)) == 0
    case.refresh_from_db()
    assert case.state == "open"


def test_nobody_closes_a_case_with_the_outcome_of_the_clock(
    section: Section, nomsa: User, client_of: ClientOf
) -> None:
    case = answered(section, nomsa)
    with pytest.raises(Refused, match="how the case ended"):
        close_case(case=case, by=nomsa, on=DAY, at=AT, version=case.version, outcome="lapsed", words="Over.")
    assert 'value="lapsed"' not in client_of(nomsa).get(f"/csa/cases/{case.pk}/").content.decode()


def test_each_night_closes_what_was_answered_long_ago(section: Section, nomsa: User) -> None:
    case = answered(section, nomsa)
    with time_machine.travel(AT + timedelta(days=61)):
        let_go_files()
    case.refresh_from_db()
    assert case.outcome == "lapsed"


# ---------------------------------------------------------------- the reporter's language


def test_the_letters_of_a_case_are_in_the_language_in_which_it_was_reported(
    client: Client, section: Section, nomsa: User, settings: Settings
) -> None:
    settings.LANGUAGES = [("en", "English"), ("cs", "Czech")]
    client.post("/cs/csa/report/?section=2024-001/A", FORM)
    case = Case.objects.get()
    assert case.language == "cs"
    confirm_report(case=case, on=DAY, at=AT)
    case.refresh_from_db()
    case = answer_case(case=case, by=nomsa, on=DAY, at=AT, version=case.version, words="We looked.")
    close_case(case=case, by=nomsa, on=DAY, at=AT, version=case.version, outcome="nothing-wrong", words="No.")
    assert [language_of(letter) for letter in mail.outbox] == ["cs", "cs", "cs"]


def test_the_clock_closes_a_case_in_its_own_language(
    section: Section, csa: Federation, nomsa: User, settings: Settings
) -> None:
    settings.LANGUAGES = [("en", "English"), ("cs", "Czech")]
    answered(section, nomsa)
    Case.objects.update(language="cs")
    with patch("tournaments.cases._", lambda words: f"{get_language()}: {words}"):
        closed_by_clock(csa, AT + timedelta(days=61))
    assert CaseMessage.objects.latest("pk").words.startswith("cs: Nobody has written here for 60 days")
    assert language_of(mail.outbox[-1]) == "cs"


def language_of(letter: Any) -> str:
    """The language in which a letter's HTML says that it is."""
    return str(re.findall(r'<html lang="(\w*)"', str(letter.alternatives[0][0]))[0])
