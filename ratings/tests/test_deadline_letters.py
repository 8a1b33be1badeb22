"""A letter reminds of each deadline once, some days before its last day in the office's own time zone."""

from __future__ import annotations

import threading
from datetime import date, datetime, timedelta

import pytest
import time_machine
from django.core import mail
from django.core.mail import EmailMultiAlternatives
from django.db import connection
from django.utils import timezone

from federation_site import tasks
from players.mail import send_due_letters
from players.models import Decision, Federation, Ledger, Letter, Region, User
from players.record import lock_ledger
from players.settings import Settings
from ratings.letters import order_due_letters, record_deadline_reminders, skip_past_decisions
from tests.built_once import built_once
from tournaments.announcements import cancel_event, postpone_event, reinstate_event
from tournaments.models import Event, Section, Stage

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("letters_wait")]
ENDS = date(2026, 3, 8)
LAST = date(2026, 3, 22)  # csa §62: 14 days after the end
DAYS = Settings().reminder_days
FIRST = LAST - timedelta(DAYS)


@pytest.fixture
@built_once
def section(csa: Federation, amahle: User, pieter: User, nomsa: User) -> Section:
    """A section of Gauteng that was played, and whose results are not handed in."""
    made = played(csa)
    skip_past_decisions(csa)
    return made


def played(office: Federation, **more: object) -> Section:
    event = Event.objects.create(
        federation=office,
        number="2026-001",
        name="Soweto Open",
        region=office.regions.order_by("pk")[0],
        starts=date(2026, 3, 6),
        ends=ENDS,
        registered_on=date(2026, 1, 5),
    )
    days = {"starts": event.starts, "ends": event.ends}
    return Section.objects.create(event=event, code="A", name="A", format="swiss", **days, **more)


def night(moment: str | date) -> list[tuple[str, str]]:
    """Do at a moment (UTC; of a day: at noon) what a night does, and send: to whom, and the subject."""
    told = moment if isinstance(moment, str) else f"{moment}T12:00"
    with time_machine.travel(datetime.fromisoformat(f"{told}+00:00"), tick=False):
        tasks.remind()
        return letters()


def letters() -> list[tuple[str, str]]:
    order_due_letters(timezone.now())
    send_due_letters(timezone.now())
    return [(to, str(letter.subject)) for letter in mail.outbox for to in letter.to]


def test_whoever_files_for_the_region_hears_of_it_and_nobody_else(section: Section, amahle: User) -> None:
    assert night(FIRST) == [(amahle.email, "Soweto Open, A: due by 22 March 2026")]
    [letter] = mail.outbox
    assert isinstance(letter, EmailMultiAlternatives)
    [html] = letter.alternatives
    for words in (str(letter.body), str(html[0])):
        assert "Hand in the results (§62)." in words
        assert f"The last day is 22 March 2026: {DAYS} days are left." in words
        assert "/csa/events/2026-001/A/deadlines/" in words


def test_the_first_day_begins_at_midnight_in_the_offices_own_time_zone(section: Section) -> None:
    """Johannesburg is two hours ahead of UTC."""
    before = FIRST - timedelta(1)
    assert night(f"{before}T21:59") == []
    assert len(night(f"{before}T22:00")) == 1


def test_the_last_day_ends_at_midnight_there_and_after_it_nobody_is_reminded(section: Section) -> None:
    assert night(f"{LAST}T22:00") == []
    assert len(night(f"{LAST}T21:59")) == 1
    assert "Today is the last day." in str(mail.outbox[0].body)


def test_the_office_sets_how_many_days_before(csa: Federation, section: Section) -> None:
    csa.settings = {"reminder_days": 10}
    csa.save(update_fields=["settings"])
    assert night(LAST - timedelta(11)) == []
    assert len(night(LAST - timedelta(10))) == 1


def test_each_deadline_is_reminded_of_once_however_often_it_is_looked(section: Section) -> None:
    for day in (FIRST, FIRST, FIRST + timedelta(1), LAST):
        night(day)
    assert len(mail.outbox) == 1
    assert Decision.objects.filter(kind="remind").count() == 1


def test_a_clock_that_leaps_ahead_and_back_reminds_once(section: Section) -> None:
    for day in (date(2027, 3, 20), FIRST, date(2030, 1, 1), FIRST):
        night(day)
    assert len(mail.outbox) == 1


def test_two_that_remind_with_what_both_saw_before_write_one_row(
    csa: Federation, section: Section, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another night's work comes between the look and the lock."""
    where = "ratings.letters.lock_ledger"

    def lock_late(office: Federation) -> Ledger:
        monkeypatch.setattr(where, lock_ledger)
        assert record_deadline_reminders(csa, FIRST) == 1
        return lock_ledger(office)

    monkeypatch.setattr(where, lock_late)
    assert record_deadline_reminders(csa, FIRST) == 0
    assert Decision.objects.filter(kind="remind").count() == 1


@pytest.mark.django_db(transaction=True)
def test_of_four_that_remind_at_once_one_does(csa: Federation, section: Section) -> None:
    together = threading.Barrier(4)
    done: list[int] = []

    def remind() -> None:
        together.wait(20)
        done.append(record_deadline_reminders(csa, FIRST))
        connection.close()

    threads = [threading.Thread(target=remind) for _n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(done) == [0, 0, 0, 1]
    assert Decision.objects.filter(kind="remind").count() == 1


@pytest.mark.parametrize("stage", [Stage.SUBMITTED, Stage.RATED, Stage.CANCELLED, Stage.WITHDRAWN])
def test_of_what_is_done_or_called_off_nobody_is_reminded(section: Section, stage: Stage) -> None:
    Section.objects.update(stage=stage, submitted_on=ENDS)
    assert night(FIRST) == []
    assert not Decision.objects.filter(kind="remind").exists()


def test_of_a_correction_of_what_was_rated_once_nobody_is_reminded(section: Section) -> None:
    Section.objects.update(stage=Stage.UNRATED, first_rated_submission=ENDS)
    assert night(FIRST) == []


def test_a_returned_section_is_due_again(section: Section) -> None:
    Section.objects.update(stage=Stage.RETURNED, submitted_on=ENDS)
    assert len(night(FIRST)) == 1


def test_what_nobody_must_do_is_reminded_of_to_nobody(section: Section) -> None:
    """csa §18: only whoever has fewer players asks for permission, until the day after the end."""
    assert night(ENDS) == []


def test_an_event_that_was_cancelled_is_left_alone_until_it_is_taken_up_again(section: Section) -> None:
    event = section.event
    cancel_event(event=event, by=None, on=ENDS, version=event.version, reason="The hall burnt down.")
    event.refresh_from_db()
    assert not any("due by" in subject for _to, subject in night(FIRST))
    reinstate_event(event=event, by=None, on=FIRST, version=event.version)
    assert any("due by" in subject for _to, subject in night(FIRST))


def test_a_postponed_event_has_another_deadline_and_the_old_one_is_over(section: Section) -> None:
    night(FIRST)
    event, days = section.event, {"starts": date(2026, 4, 3), "ends": date(2026, 4, 5)}
    postpone_event(event=event, by=None, on=FIRST, version=event.version, reason="No hall.", **days)
    mail.outbox.clear()
    assert not any("due by" in subject for _to, subject in night(LAST))
    mail.outbox.clear()
    assert [subject for _to, subject in night(date(2026, 4, 19) - timedelta(DAYS))] == [
        "Soweto Open, A: due by 19 April 2026"
    ]


@pytest.mark.parametrize(
    "done", [{"stage": Stage.SUBMITTED, "submitted_on": ENDS}, {"stage": Stage.CANCELLED}], ids=str
)
def test_what_is_done_between_the_reminder_and_its_sending_brings_no_letter(
    csa: Federation, section: Section, done: dict[str, object]
) -> None:
    with time_machine.travel(datetime.fromisoformat(f"{FIRST}T12:00+00:00"), tick=False):
        tasks.remind()
        order_due_letters(timezone.now())
        assert Letter.objects.count() == 1
        Section.objects.update(**done)
        assert letters() == []
        assert not Letter.objects.exists()


def test_whoever_switched_it_off_hears_nothing(section: Section, amahle: User) -> None:
    User.objects.filter(pk=amahle.pk).update(letters=User.Letters.SECURITY)
    assert night(FIRST) == []


def test_an_office_that_is_held_after_a_restore_reminds_nobody_and_keeps_others_from_nothing(
    section: Section, nomsa: User
) -> None:
    Ledger.objects.update(held=True)
    other = Federation.objects.create(code="zz", name="Z", ruleset_slug="csa")
    Region.objects.create(federation=other, code="X", name="X")
    Ledger.objects.create(federation=other)
    played(other)
    night(FIRST)
    assert list(Decision.objects.filter(kind="remind").values_list("federation__code", flat=True)) == ["zz"]


def test_mahjong_3_the_office_itself_is_reminded_of_its_first_decision(nomsa: User, amahle: User) -> None:
    office = Federation.objects.create(code="rmf", name="Mahjong", ruleset_slug="mahjong")
    region = Region.objects.create(federation=office, code="X", name="X")
    Ledger.objects.create(federation=office)
    for user, role, where in ((nomsa, "official", None), (amahle, "regional", region)):
        user.appointments.create(federation=office, role=role, region=where, starts=date(2020, 1, 1))
    played(office, particulars={"status": "city"})
    last = date(2026, 3, 5)
    assert night(last - timedelta(DAYS)) == [(nomsa.email, "Soweto Open, A: due by 5 March 2026")]


@pytest.mark.parametrize("slug", ["pfo", "piskvorky"])
def test_where_the_regulations_name_no_day_nobody_is_reminded(slug: str) -> None:
    office = Federation.objects.create(code=slug, name=slug, ruleset_slug=slug)
    Region.objects.create(federation=office, code="X", name="X")
    played(office)
    assert record_deadline_reminders(office, FIRST) == 0
