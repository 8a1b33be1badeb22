"""Letters follow from the record: each decision's go once to whom it concerns, and to nobody else."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.apps import apps
from django.core import mail
from django.core.mail import EmailMultiAlternatives
from django.test import Client
from django.utils import timezone, translation
from pytest_django import Settings

from conftest import appointed
from federation_site import account
from players.appointments import end_appointment, set_last_day
from players.decision_kinds import KINDS
from players.mail import LETTER_LIFETIME, MOST_AT_ONCE, message_id, send_due_letters
from players.models import (
    Appointment,
    Decision,
    Federation,
    Ledger,
    Letter,
    LettersOrdered,
    Role,
    User,
)
from players.record import decide
from players.templatetags.ui import as_day
from ratings.approval import record_refusal, return_section
from ratings.letters import AUDIENCES, LETTER_KINDS, order_due_letters, skip_past_decisions
from ratings.people import ask_transfer
from ratings.tests.office import register, submitted
from tests.built_once import built_once
from tournaments.models import Case, Event, Section, Stage
from tournaments.review import LETTER_DELAY

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("letters_wait")]
ClientOf = Callable[[User], Client]
ROOT = Path(__file__).resolve().parent.parent.parent
WORDS = ROOT / "templates/letters/about"
LETTERS = {name: kind.letters for name, kind in KINDS.items() if kind.letters}


@pytest.fixture
@built_once
def section(csa: Federation, amahle: User, pieter: User, nomsa: User, thandi: User) -> Section:
    """A submitted section of Gauteng; what the office decided before brings no letters."""
    made = submitted(csa, register(csa, 8), rounds=10, region=csa.regions.get(code="GAU"))
    skip_past_decisions(csa)
    return made


def sent() -> list[tuple[str, str]]:
    """Order and send what is due, also what waits in case it was a slip: to whom, and the subject."""
    order_due_letters(timezone.now())
    send_due_letters(timezone.now() + LETTER_DELAY)
    return sorted((to, str(letter.subject)) for letter in mail.outbox for to in letter.to)


def returned(section: Section, by: User) -> None:
    return_section(
        section=section, by=by, on=date(2026, 6, 1), version=section.version, reason="Round 2 is missing."
    )


def test_a_returned_section_is_told_to_its_region_alone_with_the_reason_and_its_page(
    section: Section, amahle: User, nomsa: User
) -> None:
    returned(section, nomsa)
    assert [to for to, _subject in sent()] == [amahle.email]
    [letter] = mail.outbox
    assert isinstance(letter, EmailMultiAlternatives)
    [html] = letter.alternatives
    for words in (str(letter.body), str(html[0])):
        assert "Round 2 is missing." in words
        assert "Chess South Africa" in words
        assert f"http://127.0.0.1:8000/csa/events/{section.event.number}/" in words
        assert "/accounts/me/#letters" in words
    assert "<img" not in str(html[0])
    assert letter.extra_headers["Auto-Submitted"] == "auto-generated"


def test_a_letter_names_no_player_and_no_birth(section: Section, nomsa: User) -> None:
    returned(section, nomsa)
    sent()
    letter = mail.outbox[0]
    assert isinstance(letter, EmailMultiAlternatives)
    words = f"{letter.subject} {letter.body} {letter.alternatives}"
    assert not re.search(r"Invented\d\d|1980|101000001", words)


def test_whoever_decided_gets_no_letter_about_it(section: Section, csa: Federation, nomsa: User) -> None:
    decide(csa, kind="submit", by=nomsa, on=date(2026, 6, 1), about=f"section {section.key}")
    assert nomsa.email not in [to for to, _subject in sent()]


def test_a_submitted_section_is_told_to_officials_and_received_is_told_to_the_region(
    section: Section, csa: Federation, pieter: User, amahle: User, nomsa: User
) -> None:
    decide(csa, kind="submit", by=None, on=date(2026, 6, 1), about=f"section {section.key}")
    told = dict(sent())
    assert set(told) == {amahle.email, nomsa.email}
    assert "received" in told[amahle.email]
    assert "review it" in told[nomsa.email]


def test_whoever_submits_a_section_reads_that_the_office_has_received_it(
    section: Section, csa: Federation, amahle: User
) -> None:
    decide(csa, kind="submit", by=amahle, on=date(2026, 6, 1), about=f"section {section.key}")
    assert [to for to, subject in sent() if "received" in subject] == [amahle.email]


def test_a_published_list_is_told_to_all_who_work_for_the_office_today(
    section: Section, csa: Federation, nomsa: User, amahle: User, pieter: User, thandi: User
) -> None:
    Appointment.objects.filter(user=pieter).update(ends=date(2021, 1, 1))
    elsewhere = Federation.objects.create(code="other", name="Elsewhere", ruleset_slug="csa")
    Ledger.objects.create(federation=elsewhere)
    appointed("Zanele", elsewhere, Role.OFFICIAL)
    decide(csa, kind="publish", by=nomsa, on=date(2026, 6, 1), about="list 2026-06-01")
    assert [to for to, _subject in sent()] == [amahle.email, thandi.email]


def test_an_ended_appointment_is_told_to_the_person_and_cannot_be_switched_off(
    section: Section, amahle: User, thandi: User
) -> None:
    User.objects.filter(pk=amahle.pk).update(letters=User.Letters.SECURITY)
    appointment = Appointment.objects.get(user=amahle)
    end_appointment(appointment=appointment, by=thandi, on=date(2026, 6, 1))
    assert [to for to, _subject in sent()] == [amahle.email]


def test_the_letter_about_an_appointment_names_role_region_and_last_day(
    section: Section, csa: Federation, amahle: User, nomsa: User, thandi: User
) -> None:
    held = Appointment.objects.get(user=amahle)
    given = {"by": thandi, "on": date(2026, 6, 1)}
    set_last_day(appointment=held, ends=date(2026, 6, 30), seen=None, **given)  # type: ignore[arg-type]
    set_last_day(appointment=held, ends=None, seen=held.ends, **given)  # type: ignore[arg-type]
    end_appointment(appointment=held, **given)  # type: ignore[arg-type]
    end_appointment(appointment=Appointment.objects.get(user=nomsa), **given)  # type: ignore[arg-type]
    sent()
    told: dict[str, list[str]] = {amahle.email: [], nomsa.email: []}
    for letter in mail.outbox:
        told[letter.to[0]].append(f"{letter.subject}\n{letter.body}")
    later, for_good, ended = told[amahle.email]
    for words in (later, for_good, ended):
        assert "Your appointment has changed: regional administrator, Gauteng, Chess South Africa" in words
        assert "as regional administrator of the region Gauteng, from 1 July 2020 on." in words
    assert "Its last day is 30 June 2026 now." in later
    assert "It has no last day any more." in for_good
    assert "its last day was 31 May 2026" in ended
    assert "It is your appointment as official, from 1 July 2020 on." in told[nomsa.email][0]


def test_a_register_import_is_told_to_whoever_asked_for_it(
    section: Section, csa: Federation, nomsa: User
) -> None:
    decide(csa, kind="import-register", by=nomsa, on=date(2026, 6, 1), about="register", new=1, changed=2)
    assert [to for to, _subject in sent()] == [nomsa.email]
    assert "1 player is new." in str(mail.outbox[0].body)
    assert "2 players were changed." in str(mail.outbox[0].body)


# ---------------------------------------------------------------- once, and none lost


def test_a_second_look_orders_nothing_again(section: Section, nomsa: User, csa: Federation) -> None:
    returned(section, nomsa)
    sent()
    assert len(sent()) == 1
    assert LettersOrdered.objects.get(federation=csa).number == Ledger.objects.get(federation=csa).decisions


def test_letters_and_the_number_move_together_or_not_at_all(
    section: Section, csa: Federation, nomsa: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    returned(section, nomsa)
    before = LettersOrdered.objects.get(federation=csa).number
    with monkeypatch.context() as broken:
        broken.setattr("ratings.letters.order_letter", lambda *_, **__: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            order_due_letters(timezone.now())
    assert LettersOrdered.objects.get(federation=csa).number == before
    assert len(sent()) == 1


def test_a_long_record_is_taken_in_pieces_and_whole(
    section: Section, csa: Federation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ratings.letters.MOST_AT_ONCE", 2)
    for number in range(5):
        decide(csa, kind="publish", by=None, on=date(2026, 6, 1), about=f"list 2026-06-0{number + 1}")
    order_due_letters(timezone.now())
    assert Letter.objects.count() == 5 * 4


def test_what_was_decided_longer_ago_than_letters_are_good_for_brings_none(
    section: Section, nomsa: User
) -> None:
    returned(section, nomsa)
    order_due_letters(timezone.now() + LETTER_LIFETIME + timedelta(minutes=1))
    assert not Letter.objects.exists()


def test_a_letter_sent_again_has_the_same_id_and_another_letter_another(
    section: Section, csa: Federation
) -> None:
    decide(csa, kind="publish", by=None, on=date(2026, 6, 1), about="list 2026-06-01")
    order_due_letters(timezone.now())
    first, second, *_others = Letter.objects.order_by("pk")
    send_due_letters(timezone.now())
    assert mail.outbox[0].extra_headers["Message-ID"] == message_id(first)
    again = Letter.objects.create(
        pk=first.pk, at=first.at, email=first.email, kind=first.kind, particulars=first.particulars
    )
    assert message_id(again) == message_id(first) != message_id(second)


def test_no_row_holds_the_words_or_a_link(section: Section, nomsa: User) -> None:
    returned(section, nomsa)
    order_due_letters(timezone.now())
    [row] = Letter.objects.values()
    assert (row["subject"], row["text"]) == ("", "")
    assert set(row["particulars"]) == {"about", "decision", "person"}


# ---------------------------------------------------------------- who has it no more


def test_whoever_left_before_the_letter_was_sent_does_not_get_it(
    section: Section, amahle: User, nomsa: User
) -> None:
    returned(section, nomsa)
    order_due_letters(timezone.now())
    Appointment.objects.filter(user=amahle).update(ends=date(2021, 1, 1))
    send_due_letters(timezone.now() + LETTER_DELAY)
    assert mail.outbox == []
    assert not Letter.objects.exists()


def test_words_that_were_withdrawn_are_in_no_letter(section: Section, csa: Federation, nomsa: User) -> None:
    record_refusal(
        section=section, by=nomsa, on=date(2026, 6, 1), version=section.version, reason="A private word."
    )
    csa.decisions.get(kind="refuse").words.all().delete()
    sent()
    assert "A private word." not in str(mail.outbox[0].message())


# ---------------------------------------------------------------- the level of letters


@pytest.mark.parametrize(("level", "number"), [("all", 2), ("waiting", 1), ("security", 0)])
def test_a_person_gets_the_letters_of_the_chosen_level(
    section: Section, csa: Federation, amahle: User, nomsa: User, client_of: ClientOf, level: str, number: int
) -> None:
    page = client_of(amahle).post("/accounts/me/", {"letters": level, "language": ""}, follow=True)
    assert "Your choice of letters is saved." in page.content.decode()
    returned(section, nomsa)
    decide(csa, kind="publish", by=nomsa, on=date(2026, 6, 1), about="list 2026-06-01")
    assert len([subject for to, subject in sent() if to == amahle.email]) == number


def test_the_page_takes_no_unknown_level_and_asks_nobody_without_an_appointment(
    section: Section, amahle: User, client_of: ClientOf
) -> None:
    browser = client_of(amahle)
    assert browser.post("/accounts/me/", {"letters": "password", "language": ""}).status_code == 400
    assert User.objects.get(pk=amahle.pk).letters == User.Letters.ALL
    assert 'name="letters"' in browser.get("/accounts/me/").content.decode()
    Appointment.objects.update(ends=date(2021, 1, 1))
    assert 'name="letters"' not in browser.get("/accounts/me/").content.decode()


def test_a_letter_greets_its_reader_and_names_the_office_that_sends_it(
    section: Section, csa: Federation, amahle: User, nomsa: User
) -> None:
    returned(section, nomsa)
    sent()
    [letter] = [each for each in mail.outbox if each.to == [amahle.email]]
    assert str(letter.body).startswith(f"Hello {amahle.name},")
    assert letter.from_email.startswith(csa.name)


def test_every_kind_of_letters_reaches_somebody(
    section: Section, csa: Federation, amahle: User, nomsa: User
) -> None:
    decided = decide_everything(section, csa, amahle, nomsa)
    reached = {
        kind.name
        for each in decided
        for kind in LETTERS[each.kind]
        if AUDIENCES[kind.audience](each).exists()
    }
    assert reached == {*LETTER_KINDS}


@pytest.mark.parametrize(
    ("off", "level"),
    [
        (("published",), "all"),
        (("approved", "received", "admitted", "granted", "denied", "mended", "published", "revised",
          "put_off", "called_off", "refused", "event_moved"), "waiting"),
        (("returned", "unrated", "question", "asked_early", "reported", "reported_again", "deadline_near",
          "approved", "received", "admitted", "granted", "denied", "mended", "published", "revised",
          "put_off", "called_off", "refused", "event_moved"), "security"),
    ],
)  # fmt: skip
def test_whoever_switched_kinds_off_has_the_nearest_level_after_an_upgrade(
    amahle: User, off: tuple[str, ...], level: str
) -> None:
    migration = import_module("players.migrations.0005_levels_of_letters")
    switches = SimpleNamespace(values_list=lambda *_names: [(amahle.pk, kind) for kind in off])

    def get_model(_app: str, name: str) -> Any:
        return (
            SimpleNamespace(objects=switches) if name == "LetterSwitch" else apps.get_model("players", name)
        )

    migration.choose_levels(SimpleNamespace(get_model=get_model), None)
    assert User.objects.get(pk=amahle.pk).letters == level


@pytest.mark.parametrize("several", [False, True])
def test_the_language_of_letters_is_asked_only_where_there_are_two(
    section: Section, amahle: User, client_of: ClientOf, settings: Settings, several: bool
) -> None:
    settings.LANGUAGES = [("en", "English"), ("cs", "Czech")][: 2 if several else 1]
    User.objects.filter(pk=amahle.pk).update(language="cs")
    browser = client_of(amahle)
    assert ('name="language"' in browser.get("/accounts/me/").content.decode()) == several
    browser.post("/accounts/me/", {"letters": "all", "language": ""})
    assert User.objects.get(pk=amahle.pk).language == ("" if several else "cs")


def test_whoever_has_no_appointment_is_told_that_no_letters_but_those_of_the_account_come(
    section: Section, amahle: User, client_of: ClientOf
) -> None:
    Appointment.objects.update(ends=date(2021, 1, 1))
    page = client_of(amahle).get("/accounts/me/").content.decode()
    assert "without an appointment, no others do" in page
    assert client_of(amahle).post("/accounts/me/", {}).status_code == 302


def test_the_own_page_tells_appointments_of_every_office_and_only_ones_own(
    section: Section, amahle: User, client_of: ClientOf
) -> None:
    elsewhere = Federation.objects.create(code="other", name="Elsewhere", ruleset_slug="csa")
    Appointment.objects.create(user=amahle, federation=elsewhere, role="official", starts=date(2020, 1, 1))
    page = client_of(amahle).get("/accounts/me/").content.decode()
    assert "Elsewhere" in page
    assert "Gauteng" in page
    assert "Western Cape" not in page
    assert Client().get("/accounts/me/").status_code == 302


def test_every_kind_of_letter_has_its_words_and_all_words_are_of_a_kind() -> None:
    assert {path.stem for path in WORDS.glob("*.txt")} == set(LETTER_KINDS)


def decide_everything(section: Section, csa: Federation, amahle: User, nomsa: User) -> list[Decision]:
    """A decision of each kind that brings letters, each about something that there is."""
    appointment = Appointment.objects.get(user=amahle)
    case = Case.objects.create(
        federation=csa,
        region=section.event.region,
        section=section,
        email="parent@example.org",
        reported_at=timezone.now(),
    )
    transfer = ask_transfer(
        player=csa.players.earliest("pk"),
        taking=csa.regions.exclude(pk=section.event.region_id).earliest("pk"),
        by=amahle,
        on=date(2026, 6, 1),
        reason="moved house",
    )
    due, zanele = _due_today(section), appointed("Zanele", csa, Role.OFFICIAL)
    abouts = {"publish": "list 2026-06-01", "revise": "list 2026-06-01", "import-register": "register"}
    abouts |= {"remind": f"section {due.key}", "cancel": f"event {section.event.number}"}
    last = (due.ends + timedelta(14)).isoformat()  # csa §62
    told = {"new": 1, "changed": 1, "to": nomsa.pk, "clause": "62", "last": last, "until": last}
    told |= {"region": transfer.taking.code, "starts": last, "ends": last, "due": last}
    decided = []
    for kind in LETTERS:
        about = abouts.get(kind, f"section {section.key}")
        of_staff = {"appointment", "handover"} & {k.name for k in LETTERS[kind]}
        about = f"appointment {appointment.pk}" if of_staff else about
        about = f"case {case.pk}" if kind.endswith("-case") else about
        about = f"player {transfer.player.number}" if kind.endswith("-transfer") else about
        by = {"import-register": nomsa, "propose-mend": zanele}.get(kind)
        words = {"reason": "Why.", "words": "What?"}
        decided.append(decide(csa, kind=kind, by=by, on=date(2026, 6, 1), about=about, **words, **told))
    return decided


def test_every_kind_of_letter_can_be_written(
    section: Section, csa: Federation, nomsa: User, amahle: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    for overtaken in ("is_superseded", "is_step_of_correction"):  # no section stands at every stage at once
        monkeypatch.setattr(f"ratings.letters.{overtaken}", lambda _decision: False)
    decide_everything(section, csa, amahle, nomsa)
    order_due_letters(timezone.now())
    ordered = [letter.particulars["about"] for letter in Letter.objects.all()]
    assert set(ordered) == set(LETTER_KINDS)
    for _look in range(0, len(ordered), MOST_AT_ONCE):
        sent()
    assert len(mail.outbox) == len(ordered)
    assert all(letter.subject and "\n" not in letter.subject for letter in mail.outbox)
    assert not any("{" in str(letter.body) or "()" in str(letter.body) for letter in mail.outbox)
    assert not Letter.objects.exists()
    told_days = [each for letter in mail.outbox for each in days_in(f"{letter.subject}\n{letter.body}")]
    assert told_days
    assert [each for each in told_days if not re.fullmatch(r"\d{1,2} [A-Z][a-z]+ \d{4}", each)] == []


def days_in(letter: str) -> list[str]:
    """The days that a letter tells, in whatever form; an address is none."""
    words = re.sub(r"https?://\S+", "", letter)
    return re.findall(r"\d{4}-\d\d-\d\d|\d{1,2} [A-Z][a-z]+ \d{4}|[A-Z][a-z]+\.? \d{1,2}, \d{4}", words)


@pytest.mark.parametrize(("language", "shown"), [("en", "7 June 2026"), ("de", "7. Juni 2026")])
def test_a_letter_writes_days_as_its_readers_language_does(language: str, shown: str) -> None:
    with translation.override(language):
        assert as_day("2026-06-07") == as_day(date(2026, 6, 7)) == shown
        assert as_day("as soon as can be") == "as soon as can be"
        assert as_day(None) == ""


def _due_today(section: Section) -> Section:
    """Another section of the same event, whose results are due today."""
    ended = timezone.localdate(timezone=ZoneInfo("Africa/Johannesburg")) - timedelta(14)
    Event.objects.filter(pk=section.event_id).update(starts=ended, ends=ended)
    days = {"starts": ended, "ends": ended}
    return Section.objects.create(event=section.event, code="B", name="B", format="swiss", **days)


# ---------------------------------------------------------------- decisions before play, questions, changes


def decided(section: Section, kind: str, by: User | None, **told: object) -> None:
    office = section.event.federation
    decide(office, kind=kind, by=by, on=date(2026, 6, 1), about=f"section {section.key}", **told)


@pytest.mark.parametrize(
    ("kind", "subject", "page"),
    [
        ("refuse-before-play", "refused before play", "/csa/events/2024-001/A/submit/"),
        ("put-off", "the decision is put off", "/csa/events/2024-001/sections/"),
        ("ask-before-play", "the office asks before play", "/csa/events/2024-001/A/before-play/answer/"),
        ("ask", "the office asks", "/csa/events/2024-001/A/remarks/"),
    ],
)
def test_what_the_office_decides_before_play_or_asks_is_told_to_the_region(
    kind: str, subject: str, page: str, section: Section, amahle: User, nomsa: User
) -> None:
    decided(
        section, kind, nomsa, reason="Eight are too few.", words="Who is the referee?", until="2026-06-09"
    )
    if kind == "refuse-before-play":
        Section.objects.filter(pk=section.pk).update(stage=Stage.REFUSED)
    assert sent() == [(amahle.email, f"Open 2024-001, A: {subject}")]
    assert page in str(mail.outbox[0].body)


@pytest.mark.parametrize(("kind", "page"), [("answer-before-play", "before-play/"), ("answer", "review/")])
def test_the_regions_answer_is_told_to_officials(
    kind: str, page: str, section: Section, amahle: User, nomsa: User
) -> None:
    decided(section, kind, amahle, words="An international arbiter.")
    assert sent() == [(nomsa.email, "Open 2024-001, A: read the region’s answer")]
    assert f"/csa/events/2024-001/A/{page}" in str(mail.outbox[0].body)


@pytest.mark.parametrize("kind", ["ask", "answer"])
def test_words_of_a_review_stand_in_no_letter_as_they_may_name_a_player(
    kind: str, section: Section, amahle: User, nomsa: User
) -> None:
    decided(section, kind, amahle if kind == "answer" else nomsa, words="Is Invented01 born in 1981?")
    sent()
    assert "Invented01" not in str(mail.outbox[0].message())


def test_whoever_takes_a_section_over_hears_of_it_and_no_other_official(
    section: Section, csa: Federation, nomsa: User, amahle: User
) -> None:
    zanele = appointed("Zanele", csa, Role.OFFICIAL)
    appointed("Sipho", csa, Role.OFFICIAL)
    decided(section, "hand-over", nomsa, to=zanele.pk)
    decided(section, "hand-over", nomsa, to=amahle.pk)
    assert sent() == [(zanele.email, "Open 2024-001, A: handed over to you")]


def test_whoever_proposed_a_correction_hears_that_another_dropped_it(
    section: Section, csa: Federation, nomsa: User
) -> None:
    zanele = appointed("Zanele", csa, Role.OFFICIAL)
    decided(section, "propose-mend", nomsa, reason="Round 2.")
    decided(section, "drop-mend", zanele)
    assert (nomsa.email, "Open 2024-001, A: your correction was dropped") in sent()


@pytest.mark.parametrize(
    ("kind", "subject"),
    [
        ("postpone", "Open 2024-001: postponed"),
        ("cancel", "Open 2024-001: cancelled"),
        ("reinstate", "Open 2024-001: taken up again"),
        ("withdraw-event", "Open 2024-001: withdrawn"),
    ],
)
def test_what_somebody_else_does_to_an_event_is_told_to_its_region(
    kind: str, subject: str, section: Section, csa: Federation, amahle: User, nomsa: User
) -> None:
    about = f"event {section.event.number}"
    decide(csa, kind=kind, by=amahle, on=date(2026, 6, 1), about=about, reason="No hall.")
    assert sent() == []
    decide(csa, kind=kind, by=nomsa, on=date(2026, 6, 1), about=about, reason="No hall.")
    assert sent() == [(amahle.email, subject)]


# ---------------------------------------------------------------- the demo's mailbox


@pytest.fixture
def kept(tmp_path: Path, settings: object, csa: Federation, nomsa: User) -> Path:
    settings.EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"  # type: ignore[attr-defined]
    settings.EMAIL_FILE_PATH = str(tmp_path)  # type: ignore[attr-defined]
    Federation.objects.update(demo=True)
    decide(csa, kind="publish", by=None, on=date(2026, 6, 1), about="list 2026-06-01")
    order_due_letters(timezone.now())
    send_due_letters(timezone.now())
    return tmp_path


def test_a_demo_shows_its_letters_as_they_would_have_been_sent(
    kept: Path, nomsa: User, client_of: ClientOf
) -> None:
    page = client_of(nomsa).get("/accounts/mailbox/").content.decode()
    assert "the list of 1 June 2026 is published" in page
    assert nomsa.email in page
    [letter] = account.read_mailbox_letters()
    answer = client_of(nomsa).get(f"/accounts/mailbox/{letter['name']}/")
    assert "<h1>Chess South Africa" in answer.content.decode()
    assert client_of(nomsa).get("/accounts/mailbox/none/").status_code == 404
    assert Client().get("/accounts/mailbox/").status_code == 302


@pytest.mark.parametrize("why", ["production", "a real office beside", "a mail server", "no office"])
def test_no_system_but_a_demo_shows_letters(
    kept: Path, nomsa: User, client_of: ClientOf, settings: object, why: str
) -> None:
    [letter] = account.read_mailbox_letters()
    if why == "production":
        settings.PRODUCTION = True  # type: ignore[attr-defined]
    elif why == "a mail server":
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"  # type: ignore[attr-defined]
    elif why == "no office":
        Federation.objects.update(demo=False)
    else:
        Federation.objects.create(code="real", name="Real", ruleset_slug="csa")
    browser = client_of(nomsa)
    assert browser.get("/accounts/mailbox/").status_code == 404
    assert browser.get(f"/accounts/mailbox/{letter['name']}/").status_code == 404
    assert "mailbox" not in browser.get("/accounts/me/").content.decode()


# ---------------------------------------------------------------- what is overtaken before its letter goes


@pytest.mark.parametrize(
    ("stage", "told"),
    [(Stage.RETURNED, 1), (Stage.FILED, 0), (Stage.SUBMITTED, 0), (Stage.RATED, 0), (Stage.REFUSED, 0)],
)
def test_a_return_is_told_only_while_the_section_stands_as_it_left_it(
    section: Section, nomsa: User, stage: Stage, told: int
) -> None:
    returned(section, nomsa)
    Section.objects.filter(pk=section.pk).update(stage=stage)
    assert len(sent()) == told


@pytest.mark.parametrize(("stage", "told"), [(Stage.REFUSED, 1), (Stage.SUBMITTED, 0)])
def test_a_refusal_is_told_only_while_it_holds(
    section: Section, nomsa: User, stage: Stage, told: int
) -> None:
    day = date(2026, 6, 1)
    record_refusal(
        section=section, by=nomsa, on=day, version=section.version, reason="Not played by the rules."
    )
    Section.objects.filter(pk=section.pk).update(stage=stage)
    assert len(sent()) == told


def steps(section: Section, *kinds: str) -> list[tuple[str, str]]:
    for kind in kinds:
        decide(
            section.event.federation, kind=kind, by=None, on=date(2026, 6, 1), about=f"section {section.key}"
        )
    return [(to, subject.rpartition(": ")[2]) for to, subject in sent()]


def test_a_correction_of_a_rated_section_brings_its_region_one_letter_that_tells_all(
    section: Section, amahle: User
) -> None:
    told = steps(section, "unrate", "mend", "leave-hints", "approve")
    assert told == [(amahle.email, "corrected by the office")]
    assert "It was rated anew at once" in str(mail.outbox[0].body)


@pytest.mark.parametrize(
    ("kinds", "told"),
    [
        (("mend", "approve"), ["approved", "corrected by the office"]),
        (("unrate", "approve"), ["approved", "no longer rated"]),
        (("unrate",), ["no longer rated"]),
    ],
)
def test_what_is_no_step_of_such_a_correction_is_told_by_itself(
    section: Section, amahle: User, kinds: tuple[str, ...], told: list[str]
) -> None:
    assert steps(section, *kinds) == [(amahle.email, words) for words in told]
    assert not any("rated anew at once" in str(letter.body) for letter in mail.outbox)
