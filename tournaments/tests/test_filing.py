"""The region's way through real addresses: register, upload, answer, match, submit."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from typing import Any

import pytest
import time_machine
from django.test import Client

from players.identity import record_two_persons
from players.models import Decision, Federation, Player, ProofFile, Transfer, User
from players.record import Refused, decide
from ratings.verify import verify
from tournaments.announcements import cancel_event, cancel_section, reinstate_section
from tournaments.formats.sheet import SheetGame
from tournaments.models import Event, Section, Stage
from tournaments.registration import withdraw_event
from tournaments.tests.conftest import TODAY, Send, address, enter, fresh
from tournaments.tests.event_files import open_file, open_sheet

ClientOf = Callable[[User], Client]
REGISTRATION = {
    "name": "Jacaranda Open",
    "place": "Pretoria",
    "country": "RSA",
    "starts": "2026-11-14",
    "ends": "2026-11-17",
    "sections-TOTAL_FORMS": "2",
    "sections-INITIAL_FORMS": "0",
    "sections-0-name": "A",
    "sections-0-format": "swiss",
    "sections-0-rounds": "9",
    "sections-0-own-platform": "otb",
    "sections-0-own-time_controls_0": "90",
    "sections-0-own-time_controls_1": "30",
    "sections-1-name": "",
    "sections-1-format": "swiss",
}


def registration(event_region: Any, **changes: str) -> dict[str, str]:
    return REGISTRATION | {"region": str(event_region.pk)} | changes


# ---------------------------------------------------------------- registering


def test_an_event_gets_the_next_number_of_its_year(
    csa: Federation, amahle: User, gauteng: Any, client_of: ClientOf, section: Section
) -> None:
    response = client_of(amahle).post("/csa/events/register/", registration(gauteng))
    event = Event.objects.get(name="Jacaranda Open")
    assert event.number == "2026-002"
    assert response["Location"] == "/csa/events/2026-002/A/file/"
    only = event.sections.get()
    assert (only.code, only.rounds, only.stage) == ("A", 9, Stage.REGISTERED)
    assert only.particulars == {"platform": "otb", "time_controls": [{"minutes": [90], "increment": 30}]}
    assert Decision.objects.filter(kind="register", about="event 2026-002", by=amahle).exists()


@pytest.mark.parametrize(("today", "begun"), [("2026-11-13 12:00", False), ("2026-11-14 12:00", True)])
def test_a_registration_leads_to_the_file_once_play_has_begun_and_before_to_the_event_with_what_comes_next(
    csa: Federation, amahle: User, gauteng: Any, client_of: ClientOf, today: str, begun: bool
) -> None:
    with time_machine.travel(today, tick=False):
        answer = client_of(amahle).post("/csa/events/register/", registration(gauteng), follow=True)
    page = answer.content.decode()
    event = Event.objects.get()
    led = f"/csa/events/{event.number}/A/file/" if begun else f"/csa/events/{event.number}/sections/"
    assert answer.redirect_chain[-1][0] == led
    next_ = "The next step is the file of each section: it can be uploaded from 14 November 2026 on."
    assert (next_ in page) is not begun
    assert "An official decides on it before play" not in page  # in csa nobody waits for that


def test_the_first_event_of_another_year_is_its_001(
    amahle: User, gauteng: Any, client_of: ClientOf, section: Section
) -> None:
    data = registration(gauteng, starts="2027-01-02", ends="2027-01-03")
    client_of(amahle).post("/csa/events/register/", data)
    assert Event.objects.get(name="Jacaranda Open").number == "2027-001"


def test_a_region_that_is_not_yours_is_refused_with_words(
    amahle: User, western_cape: Any, client_of: ClientOf
) -> None:
    response = client_of(amahle).post("/csa/events/register/", registration(western_cape))
    assert response.status_code == 400
    assert "You do not file for this region" in response.content.decode()
    assert not Event.objects.exists()


def test_an_event_that_ends_before_it_starts_is_not_registered(
    amahle: User, gauteng: Any, client_of: ClientOf
) -> None:
    response = client_of(amahle).post("/csa/events/register/", registration(gauteng, ends="2026-11-13"))
    assert "The last day lies before the first." in response.content.decode()
    assert not Event.objects.exists()


def test_two_periods_and_two_controls_are_kept_as_the_journal_writes_them(
    amahle: User, gauteng: Any, client_of: ClientOf
) -> None:
    data = registration(gauteng)
    data |= {"sections-0-own-time_controls_0": "90 + 15.5", "sections-0-own-time_controls_2": "60"}
    client_of(amahle).post("/csa/events/register/", data)
    kept = Section.objects.get().particulars["time_controls"]
    assert kept == [{"minutes": [90, "15.5"], "increment": 30}, {"minutes": [60], "increment": 0}]


def test_sections_are_added_later_under_the_next_letter(
    amahle: User, client_of: ClientOf, section: Section
) -> None:
    data = {key: value for key, value in REGISTRATION.items() if key.startswith("sections")}
    client = client_of(amahle)
    response = client.post(f"/csa/events/{section.event.number}/sections/", data)
    assert response.status_code == 302
    assert [s.code for s in section.event.sections.all()] == ["A", "B"]
    assert client.get(f"/csa/events/{section.event.number}/sections/").status_code == 200


@pytest.mark.parametrize("step", ["file", "findings", "details", "players", "submit", "file/progress"])
def test_another_regions_section_is_not_there(
    pieter: User, client_of: ClientOf, section: Section, step: str
) -> None:
    assert client_of(pieter).get(address(section, step)).status_code == 404


@pytest.mark.parametrize("step", ["file", "details", "players/decide", "submit", "submit/withdraw"])
def test_another_regions_section_takes_no_post(
    pieter: User, client_of: ClientOf, section: Section, step: str
) -> None:
    assert client_of(pieter).post(address(section, step), {"version": 0}).status_code == 404


def test_who_only_administers_the_federation_files_nothing(
    thandi: User, client_of: ClientOf, section: Section
) -> None:
    assert client_of(thandi).get(address(section, "file")).status_code == 403
    assert client_of(thandi).get("/csa/events/register/").status_code == 403


# ---------------------------------------------------------------- the whole way


def test_a_complete_file_needs_nothing_but_the_word_of_its_region(
    amahle: User,
    client_of: ClientOf,
    section: Section,
    upload: Send,
    send: Send,
    register_of_six: list[Player],
) -> None:
    client = client_of(amahle)
    upload(client, section, open_file())
    filed = fresh(section)
    assert filed.stage == Stage.FILED
    assert list(filed.findings.blocking()) == []
    assert filed.entries.filter(match="certain").count() == 6
    assert filed.games.count() == 15
    assert filed.round_dates == ["2026-03-06", "2026-03-07", "2026-03-07", "2026-03-08", "2026-03-08"]
    assert filed.event.arbiters == [{"name": "Nomsa Zulu", "title": "IA", "id": "14399001", "file": "A"}]
    for step in ("file", "findings", "details", "players", "submit"):
        assert client.get(address(section, step)).status_code == 200
    page = client.get(address(section, "submit")).content.decode()
    assert "OTB Standard" in page
    send(client, address(section, "submit"), {"version": filed.version})
    submitted = fresh(section)
    assert (submitted.stage, submitted.submitted_by) == (Stage.SUBMITTED, amahle)
    assert Decision.objects.filter(kind="submit", about="section 2026-001/A").count() == 1


def test_vegas_file_of_the_same_section_is_filed_alike(
    amahle: User, client_of: ClientOf, section: Section, upload: Send, register_of_six: list[Player]
) -> None:
    upload(client_of(amahle), section, open_file("Vega"))
    assert fresh(section).games.count() == 15
    assert not fresh(section).findings.filter(level="blocks").exists()


def test_new_players_get_the_next_numbers_at_submission_and_the_host_region(
    csa: Federation, amahle: User, client_of: ClientOf, section: Section, upload: Send, send: Send
) -> None:
    client = client_of(amahle)
    upload(client, section, open_file())
    filed = fresh(section)
    assert [f.key for f in filed.findings.blocking()] == ["players-unknown"]
    send(client, address(section, "players/decide"), {"version": filed.version, "entry": [1, 2, 3, 4, 5, 6]})
    assert not Player.objects.exists()
    send(client, address(section, "submit"), {"version": fresh(section).version})
    assert fresh(section).stage == Stage.SUBMITTED
    thabo = Player.objects.get(surname="Dlamini")
    assert (thabo.number, thabo.sex, thabo.born, thabo.region.code) == ("101000001", "m", 1991, "GAU")  # type: ignore[union-attr]
    assert thabo.name_key == "dlamini"
    csa.refresh_from_db()
    assert csa.next_player_number == 101000007


@pytest.mark.parametrize("named_elsewhere", [False, True])
def test_a_player_whom_a_submission_made_goes_once_it_is_taken_back_and_nothing_names_them(
    csa: Federation,
    amahle: User,
    client_of: ClientOf,
    section: Section,
    upload: Send,
    send: Send,
    named_elsewhere: bool,
) -> None:
    client = client_of(amahle)
    upload(client, section, open_file())

    def post(step: str, **answers: Any) -> None:
        send(client, address(section, step), {"version": fresh(section).version, **answers})

    post("players/decide", entry=[1, 2, 3, 4, 5, 6])
    post("submit")
    made = Player.objects.get(surname="Dlamini")
    known = enter(csa, "Dlamini", "Thabo", 1991, "m", number="77")
    if named_elsewhere:
        decide(csa, kind="correct", by=amahle, on=TODAY, about=f"player {made.number}")
    post("submit/withdraw")
    post("players/1/reopen")
    post("players/decide", **{"player-1": str(known.pk)})
    assert Player.objects.filter(pk=made.pk).exists()
    post("submit")
    assert fresh(section).stage == Stage.SUBMITTED
    assert fresh(section).entries.get(number=1).player == known
    assert Player.objects.filter(pk=made.pk).exists() == named_elsewhere
    assert Player.objects.count() == 6 + named_elsewhere
    newest = Decision.objects.filter(kind="submit").order_by("-number")[0]
    assert newest.details.get("gone", []) == ([] if named_elsewhere else [made.number])


@pytest.mark.parametrize("told_apart", [False, True])
@pytest.mark.parametrize("way", ["discard", "cancel", "cancel-event", "withdraw-event"])
def test_players_whom_a_submission_made_go_with_its_file_or_its_section_unless_the_record_names_them(
    csa: Federation,
    amahle: User,
    client_of: ClientOf,
    section: Section,
    upload: Send,
    send: Send,
    way: str,
    told_apart: bool,
) -> None:
    client = client_of(amahle)
    upload(client, section, open_file())

    def post(step: str, **answers: Any) -> None:
        send(client, address(section, step), {"version": fresh(section).version, **answers})

    post("players/decide", entry=[1, 2, 3, 4, 5, 6])
    post("submit")
    made = Player.objects.get(surname="Dlamini")
    known = enter(csa, "Dlamini", "Thabo", 1991, "m", number="77")
    if told_apart:
        record_two_persons(player=known, other=made, by=amahle, on=TODAY, reason="Two birthdays.")
    post("submit/withdraw")
    seen: dict[str, Any] = {"by": amahle, "on": TODAY}
    terms = {**seen, "reason": "Too few came."}
    event = section.event
    if way == "discard":
        post("file/discard")
    elif way == "cancel":
        cancel_section(section=section, version=fresh(section).version, **terms)
    else:
        close = cancel_event if way == "cancel-event" else withdraw_event
        close(event=event, version=fresh(section).event.version, **terms)
    stay = {known.number, made.number} if told_apart else {known.number}
    assert set(Player.objects.values_list("number", flat=True)) == stay
    assert len(csa.decisions.order_by("-number")[0].details["gone"]) == 7 - len(stay)
    assert verify(csa).differences == []
    if way == "cancel":
        reinstate_section(section=section, version=fresh(section).version, **seen)
        assert (fresh(section).stage, fresh(section).entries.filter(match="new").count()) == (Stage.FILED, 6)


def test_a_new_player_with_a_proof_stays_when_the_submission_is_taken_back(
    csa: Federation, amahle: User, client_of: ClientOf, section: Section, upload: Send, send: Send
) -> None:
    client = client_of(amahle)
    upload(client, section, open_file())
    for step, answers in (
        ("players/decide", {"entry": [1, 2, 3, 4, 5, 6]}),
        ("submit", {}),
        ("submit/withdraw", {}),
    ):
        if step == "submit/withdraw":
            proved, moving = Player.objects.order_by("number")[:2]
            about = {"federation": csa, "on": TODAY, "decision": 1, "size": 1, "kind": "pdf"}
            ProofFile.objects.create(player=proved, name="a.pdf", sha256="0" * 64, **about)
            region = csa.regions.get(code="WCA")
            Transfer.objects.create(federation=csa, player=moving, taking=region, asked_on=TODAY)
        send(client, address(section, step), {"version": fresh(section).version, **answers})
    send(client, address(section, "file/discard"), {"version": fresh(section).version})
    assert list(Player.objects.order_by("number")) == [proved, moving]


def test_taken_back_and_submitted_again_no_player_is_entered_twice(
    csa: Federation, amahle: User, client_of: ClientOf, section: Section, upload: Send, send: Send
) -> None:
    client = client_of(amahle)
    upload(client, section, open_file())
    send(
        client,
        address(section, "players/decide"),
        {"version": fresh(section).version, "entry": [1, 2, 3, 4, 5, 6]},
    )
    send(client, address(section, "submit"), {"version": fresh(section).version})
    send(client, address(section, "submit/withdraw"), {"version": fresh(section).version})
    assert fresh(section).stage == Stage.FILED
    send(client, address(section, "submit"), {"version": fresh(section).version})
    assert fresh(section).stage == Stage.SUBMITTED
    assert Player.objects.count() == 6


def test_what_is_submitted_is_not_changed_from_an_open_page(
    amahle: User,
    client_of: ClientOf,
    section: Section,
    upload: Send,
    send: Send,
    register_of_six: list[Player],
) -> None:
    client = client_of(amahle)
    upload(client, section, open_file())
    send(client, address(section, "submit"), {"version": fresh(section).version})
    assert client.get(address(section, "details"))["Location"] == address(section, "submit")
    assert client.get(address(section, "file"))["Location"] == address(section, "submit")
    response = upload(client, section, open_file(rounds=6))
    assert response.status_code == 409
    assert "This section is submitted" in response.content.decode()
    assert "Withdraw it" in client.get(address(section, "submit")).content.decode()


def test_an_older_page_does_not_submit_what_changed_meanwhile(
    amahle: User,
    client_of: ClientOf,
    section: Section,
    upload: Send,
    send: Send,
    register_of_six: list[Player],
) -> None:
    client = client_of(amahle)
    upload(client, section, open_file())
    old = fresh(section).version
    send(client, address(section, "players/1/reopen"), {"version": old})
    response = send(client, address(section, "submit"), {"version": old})
    assert response.status_code == 409
    assert "changed while your page was open" in response.content.decode()
    assert fresh(section).stage == Stage.FILED


# ---------------------------------------------------------------- what the office gives back


def test_a_returned_section_says_why_and_is_submitted_anew(
    amahle: User,
    client_of: ClientOf,
    section: Section,
    upload: Send,
    send: Send,
    register_of_six: list[Player],
) -> None:
    client = client_of(amahle)
    upload(client, section, open_file())
    Section.objects.update(stage=Stage.RETURNED, remarks="Round 3 is missing.")
    assert "Round 3 is missing." in client.get(address(section, "details")).content.decode()
    send(client, address(section, "submit"), {"version": fresh(section).version})
    assert (fresh(section).stage, fresh(section).remarks) == (Stage.SUBMITTED, "")


def test_a_waivable_finding_wants_a_reason_and_takes_it_along(
    amahle: User,
    client_of: ClientOf,
    section: Section,
    upload: Send,
    send: Send,
    register_of_six: list[Player],
) -> None:
    five = [game for game in open_sheet().games if 6 not in (game.first, game.second)]
    sheet = open_sheet()
    client = client_of(amahle)
    upload(client, section, open_file(games=tuple(five), rows=sheet.rows[:5]))
    [finding] = fresh(section).findings.filter(level="waivable")
    assert finding.clause == "17.1"
    response = send(client, address(section, "submit"), {"version": fresh(section).version})
    assert response.status_code == 409
    data = {"version": fresh(section).version, f"reason-{finding.pk}": "One player fell ill before round 1."}
    send(client, address(section, "submit"), data)
    assert fresh(section).stage == Stage.SUBMITTED
    [kept] = fresh(section).findings.filter(level="waivable")
    assert kept.waived_because == "One player fell ill before round 1."


# ---------------------------------------------------------------- details


def details_of(client: Client, section: Section, **changes: str) -> dict[str, str]:
    """The details form as the page fills it, with changes."""
    page = client.get(address(section, "details"))
    forms = page.context["forms"]
    data = {"version": str(fresh(section).version)}
    for form in (forms.details, forms.absences, *forms.arbiters, *forms.left):
        for field in form:
            data |= _posted(field)
    for formset in (forms.arbiters, forms.left):
        data |= {field.html_name: str(field.value()) for field in formset.management_form}
    return data | changes


def _posted(field: Any) -> dict[str, str]:
    value = field.value()
    if field.name == "own-time_controls":
        shown = field.field.widget.get_context(field.html_name, value, {})["widget"]["subwidgets"]
        return {part["name"]: part["value"] or "" for part in shown}
    if isinstance(value, bool):
        return {field.html_name: "on"} if value else {}
    return {field.html_name: "" if value is None else str(value)}


def test_what_the_file_leaves_open_the_details_answer_and_saving_checks_at_once(
    amahle: User,
    client_of: ClientOf,
    section: Section,
    upload: Send,
    send: Send,
    register_of_six: list[Player],
) -> None:
    client = client_of(amahle)
    upload(client, section, open_file(rounds=None, round_dates=()))
    assert {f.key for f in fresh(section).findings.blocking()} == {"rounds-needed"}
    send(client, address(section, "details"), details_of(client, section, rounds="5"))
    assert {f.key for f in fresh(section).findings.blocking()} == {"round-dates-needed"}
    days = {f"round-{n}": f"2026-03-0{5 + (n + 2) // 2}" for n in range(1, 6)}
    response = send(client, address(section, "details"), details_of(client, section, **days))
    assert not fresh(section).findings.blocking().exists()
    assert response["Location"] == address(section, "submit")
    assert fresh(section).round_dates == [f"2026-03-0{day}" for day in (6, 7, 7, 8, 8)]


def test_details_that_were_overtaken_are_shown_again_with_what_is_saved_by_now(
    amahle: User,
    client_of: ClientOf,
    section: Section,
    upload: Send,
    send: Send,
    register_of_six: list[Player],
) -> None:
    client = client_of(amahle)
    upload(client, section, open_file())
    older = details_of(client, section, rounds="7", organizer="Lindiwe Mabaso, 101000777")
    older["arbiters-0-name"] = "Gugu Radebe"
    send(client, address(section, "details"), details_of(client, section, rounds="6"))
    answer = send(client, address(section, "details"), older)
    page = re.sub(r"\s+", " ", answer.content.decode())
    assert answer.status_code == 409
    assert fresh(section).rounds == 6
    for typed in ('value="7"', 'value="Lindiwe Mabaso, 101000777"', 'value="Gugu Radebe"'):
        assert typed in page
    assert "What you typed is below and not saved yet." in page
    assert "<li>Scheduled rounds: 6</li>" in page
    assert "<li>Name: Nomsa Zulu</li>" in page
    assert "<li>Format:" not in page
    again = older | {"version": str(fresh(section).version)}
    again["event_version"] = str(fresh(section).event.version)
    assert f'name="version" value="{again["version"]}"' in page
    assert send(client, address(section, "details"), again).status_code == 302
    assert fresh(section).rounds == 7


def test_details_refused_for_another_reason_are_kept_and_nothing_is_said_of_others(
    amahle: User, client_of: ClientOf, section: Section, upload: Send, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(**_said: Any) -> None:
        raise Refused("Not so.")

    client = client_of(amahle)
    upload(client, section, open_file())
    typed = details_of(client, section, rounds="7")
    monkeypatch.setattr("tournaments.pages.details.save_details", refuse)
    answer = client.post(address(section, "details"), typed)
    page = answer.content.decode()
    assert (answer.status_code, "Not so." in page, 'value="7"' in page) == (409, True, True)
    assert "Saved by now" not in page


def test_a_round_outside_the_sections_days_is_refused_by_the_form(
    amahle: User, client_of: ClientOf, section: Section, upload: Send, send: Send
) -> None:
    client = client_of(amahle)
    upload(client, section, open_file())
    data = details_of(client, section, **{"round-5": "2026-03-09"})
    response = send(client, address(section, "details"), data)
    assert response.status_code == 400
    assert "between the section&#x27;s first and last day" in response.content.decode()


def test_other_days_in_the_file_are_asked_and_the_event_follows_its_sections(
    amahle: User,
    client_of: ClientOf,
    section: Section,
    upload: Send,
    send: Send,
    register_of_six: list[Player],
) -> None:
    client = client_of(amahle)
    Event.objects.update(starts=date(2026, 4, 3), ends=date(2026, 4, 5))
    Section.objects.update(starts=date(2026, 4, 3), ends=date(2026, 4, 5))
    upload(client, section, open_file())
    keys = {finding.key for finding in fresh(section).findings.blocking()}
    assert keys == {"dates-differ", "round-dates-outside"}
    data = details_of(client, section, starts="2026-03-06", ends="2026-03-08", reason="The hall was free.")
    send(client, address(section, "details"), data)
    assert not fresh(section).findings.blocking().exists()
    assert (fresh(section).event.starts, fresh(section).event.ends) == (date(2026, 3, 6), date(2026, 3, 8))


def with_forfeit_and_departure() -> bytes:
    """Anneke (6) does not turn up in round 2 and is not paired any more from round 3 on."""
    games = []
    for game in open_sheet().games:
        gone = 6 in (game.first, game.second)
        if gone and game.round == 2:
            games.append(SheetGame(2, game.first, game.second, "-:+"))
        elif not gone or game.round == 1:
            games.append(game)
    return open_file(games=tuple(games))


def test_who_gave_notice_is_asked_and_kept(
    amahle: User,
    client_of: ClientOf,
    section: Section,
    upload: Send,
    send: Send,
    register_of_six: list[Player],
) -> None:
    client = client_of(amahle)
    upload(client, section, with_forfeit_and_departure())
    assert {f.key for f in fresh(section).findings.blocking()} == {"absences"}
    page = client.get(address(section, "details"))
    assert [row["player"] for row in page.context["forms"].absences.forfeit_rows()] == [
        "van der Merwe, Anneke"
    ]
    data = details_of(client, section)
    assert (data["left-0-player"], data["left-0-round"]) == ("6", "3")
    assert send(client, address(section, "details"), data).status_code == 400  # notice: still to be said
    [forfeit] = fresh(section).games.filter(result="-:+")
    data |= {"left-0-notified": "no", f"game-{forfeit.order}-first": "on"}
    send(client, address(section, "details"), data)
    anneke = fresh(section).entries.get(number=6)
    assert (anneke.left_round, anneke.left_notified) == (3, False)
    assert fresh(section).games.get(result="-:+").excused == "first"
    assert not fresh(section).findings.blocking().exists()


def test_an_unclear_bye_is_read_as_the_person_says(
    amahle: User, client_of: ClientOf, section: Section, upload: Send, send: Send
) -> None:
    text = open_file().decode()
    broken = text.replace("  0000 - Z", "  0000 - +")
    games = tuple(g for g in open_sheet().games if not (g.round == 5 and 6 in (g.first, g.second)))
    broken = open_file(games=games).decode().replace("  0000 - Z", "  0000 - +")
    client = client_of(amahle)
    upload(client, section, broken.encode())
    assert "win-without-opponent" in {f.key for f in fresh(section).findings.blocking()}
    bye = fresh(section).byes.filter(entry__number=6).get()
    assert bye.kind == "pairing"
    data = details_of(client, section, **{f"bye-{bye.pk}": "full"})
    send(client, address(section, "details"), data)
    bye.refresh_from_db()
    assert bye.kind == "full"
    assert "win-without-opponent" not in {f.key for f in fresh(section).findings.blocking()}


# ---------------------------------------------------------------- the file again


def test_a_corrected_file_replaces_everything_and_keeps_the_decisions(
    amahle: User, client_of: ClientOf, section: Section, upload: Send, send: Send
) -> None:
    client = client_of(amahle)
    upload(client, section, open_file())
    send(
        client,
        address(section, "players/decide"),
        {"version": fresh(section).version, "entry": [1, 2, 3, 4, 5, 6]},
    )
    first, *rest = open_sheet().games
    assert first.result == "1-0"
    upload(client, section, open_file(games=(replace(first, result="0-1"), *rest)))
    assert fresh(section).games.count() == 15
    assert fresh(section).games.first().result == "0-1"  # type: ignore[union-attr]
    assert fresh(section).entries.filter(match="new").count() == 6
    assert section.uploads.filter(state="read").count() == 2


def test_a_file_taken_back_can_be_filed_elsewhere(
    amahle: User, client_of: ClientOf, section: Section, upload: Send, send: Send
) -> None:
    client = client_of(amahle)
    upload(client, section, open_file())
    other = Section.objects.create(
        event=section.event, code="B", name="B", starts=section.starts, ends=section.ends, format="swiss"
    )
    assert 'name="version"' in client.get(address(section, "file/discard")).content.decode()
    send(client, address(section, "file/discard"), {"version": fresh(section).version})
    assert (fresh(section).stage, section.entries.count()) == (Stage.REGISTERED, 0)
    upload(client, other, open_file())
    assert fresh(other).stage == Stage.FILED


def other_section(section: Section) -> Section:
    return Section.objects.create(
        event=section.event, code="B", name="B", starts=section.starts, ends=section.ends, format="swiss"
    )


@pytest.mark.parametrize(
    ("stage", "words"),
    [
        (Stage.FILED, "it can be moved here"),
        (Stage.SUBMITTED, "withdraw that submission first"),
        (Stage.RATED, "An official approved that section"),
    ],
)
def test_a_file_of_another_section_says_what_can_still_be_done(
    amahle: User, client_of: ClientOf, section: Section, upload: Send, stage: Stage, words: str
) -> None:
    client = client_of(amahle)
    upload(client, section, open_file())
    Section.objects.filter(pk=section.pk).update(stage=stage)
    page = upload(client, other_section(section), open_file()).content.decode()
    assert words in page
    day = section.uploads.get().on
    assert f"was filed on {day.day} {day:%B %Y} for Soweto Open" in page


def test_a_new_error_takes_the_place_of_that_of_the_file_before(
    amahle: User, client_of: ClientOf, section: Section, upload: Send
) -> None:
    client = client_of(amahle)
    upload(client, section, b"no event file")
    assert "could not be read" in client.get(address(section, "file")).content.decode()
    page = upload(client, section, b"x" * (2 * 1024 * 1024 + 1)).content.decode()
    assert "larger than 2 MB" in page
    assert "could not be read" not in page


# ---------------------------------------------------------------- names that everybody reads


@pytest.mark.parametrize(
    "contact",
    [
        "082 555 1234",
        "+27 82 555 1234",
        "(082) 555 1234",
        "082-555-1234",
        "Tel: 5551234",
        "host@events.example",
    ],
)
@pytest.mark.parametrize("field", ["name", "place", "sections-0-name"])
def test_a_name_for_everybody_holds_no_telephone_and_no_mail_address(
    csa: Federation, amahle: User, gauteng: Any, client_of: ClientOf, field: str, contact: str
) -> None:
    sent = registration(gauteng, **{field: f"Open {contact}"})
    answer = client_of(amahle).post("/csa/events/register/", sent)
    assert answer.status_code == 400
    assert "no telephone number and no e-mail address" in answer.content.decode()
    assert not Event.objects.exists()


@pytest.mark.parametrize(
    "name",
    [
        "League 2025/2026",
        "Open 06.03.-08.03.2026",
        "06-03-2026 Rapid",
        "Cup 06/03/2026",
        "Club 0815 – 4711",
        "U12 @ Soweto",
    ],
)
def test_years_dates_and_numbers_of_other_kinds_stay_in_a_name(
    csa: Federation, amahle: User, gauteng: Any, client_of: ClientOf, name: str
) -> None:
    sent = registration(gauteng, name=name)
    assert client_of(amahle).post("/csa/events/register/", sent).status_code == 302
    assert Event.objects.get().name == name
