"""Letters about decisions, each to the people whom it concerns.

They follow from the office's record of decisions: its kinds (`players.decision_kinds`) say which letters each
brings, and to whom. Deadlines that come near are put on record too, so that reminders follow in the same way.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import date, datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F, OuterRef, Q, QuerySet, Subquery
from django.template.loader import render_to_string
from django.urls import NoReverseMatch, reverse

from players import models
from players.decision_kinds import KINDS, LetterKind
from players.mail import (
    COMPOSERS,
    LETTER_LIFETIME,
    ComposedLetter,
    language_of_reader,
    order_letter,
    override_language,
    render_in_layout,
)
from players.record import decide, lock_ledger
from players.settings import get_settings, today
from tournaments.models import OPEN_TO_FILING, Case, Event, Section, SectionQuerySet
from tournaments.review import LETTER_DELAY, is_superseded, was_taken_back
from tournaments.sections import SectionDeadline, list_deadlines

# ---- Reminders of deadlines
#
# The record says which deadlines were reminded of already. It grows under the ledger's lock, so if two
# processes remind at once, the second finds what the first wrote.
REMIND = "remind"


def record_deadline_reminders(office: models.Federation, on: date) -> int:
    """Put reminders of an office's near deadlines on record, a transaction for each section; return how many.

    Raises `Refused` while the office is held after a restore.
    """
    if office.ruleset.sections.deadlines is None:
        return 0
    waiting = [section.pk for section in get_unsubmitted_sections(office) if near_deadlines(section, on)]
    return sum(_remind_of(office, key, on) for key in waiting)


@transaction.atomic
def _remind_of(office: models.Federation, section_pk: int, on: date) -> int:
    lock_ledger(office)
    section = get_unsubmitted_sections(office).filter(pk=section_pk).first()
    if section is None:
        return 0
    about = f"section {section.key}"
    earlier = models.Decision.objects.filter(federation=office, about=about, kind=REMIND)
    reminded = {(each.details["clause"], each.details["last"]) for each in earlier}
    new = [key for each in near_deadlines(section, on) if (key := deadline_key(each)) not in reminded]
    for clause, last in new:
        decide(office, kind=REMIND, by=None, on=on, about=about, clause=clause, last=last)
    return len(new)


def get_unsubmitted_sections(office: models.Federation) -> SectionQuerySet:
    """An office's planned sections that are not handed in yet."""
    planned = Section.objects.filter(event__federation=office, event__state=Event.State.PLANNED)
    related = planned.select_related("event__federation", "event__region")
    return related.filter(stage__in=OPEN_TO_FILING).prefetch_related("permission_requests").order_by("pk")


def near_deadlines(section: Section, on: date) -> list[SectionDeadline]:
    """A section's deadlines that are still to be kept and end within the office's reminder days."""
    days = get_settings(section.event.federation).reminder_days
    return [each for each in list_deadlines(section, on) if each.is_pending and 0 <= each.days_left <= days]


def deadline_key(deadline: SectionDeadline) -> tuple[str, str]:
    """The clause and last day by which the record names a deadline; a postponed one is another."""
    return deadline.clause, deadline.last.isoformat()


# ---- What a decision is about; None where it is about something else
def find_section(decision: models.Decision) -> Section | None:
    what, _space, key = decision.about.partition(" ")
    number, _slash, code = key.partition("/")
    if what != "section":
        return None
    found = Section.objects.filter(event__federation=decision.federation_id, event__number=number, code=code)
    return found.select_related("event__region", "event__federation").first()


def find_event(decision: models.Decision) -> Event | None:
    """The event that a decision is about, or whose section it is about."""
    what, _space, key = decision.about.partition(" ")
    if what not in ("event", "section"):
        return None
    number = key.partition("/")[0]
    return Event.objects.filter(federation=decision.federation_id, number=number).first()


def find_appointment(decision: models.Decision) -> models.Appointment | None:
    key = _subject_key(decision, "appointment")
    if key is None:
        return None
    appointments = models.Appointment.objects.filter(pk=key, federation=decision.federation_id)
    return appointments.select_related("user", "region").first()


def _subject_key(decision: models.Decision, kind: str) -> int | None:
    """The primary key of what a decision is about, if that is of this kind."""
    what, _space, key = decision.about.partition(" ")
    return int(key) if what == kind and key.isdigit() else None


def find_appointment_end(decision: models.Decision) -> date | None:
    """The last day that a decision gives an appointment; None if it gives none."""
    try:
        return date.fromisoformat(str(decision.details.get("ends")))
    except ValueError:
        return None


def find_reminded_deadline(decision: models.Decision) -> SectionDeadline | None:
    """The deadline of which a decision reminds; None if it is no longer near or the section not open."""
    section = find_section(decision) if decision.kind == REMIND else None
    open_section = section and get_unsubmitted_sections(decision.federation).filter(pk=section.pk).first()
    if not open_section:
        return None
    reminded = decision.details.get("clause"), decision.details.get("last")
    near = near_deadlines(open_section, today(decision.federation))
    return next((each for each in near if deadline_key(each) == reminded), None)


def is_rerating(decision: models.Decision) -> bool:
    """Whether a decision corrects a rated section, which is un-rated just before and rated just after it."""
    if decision.kind != "mend":
        return False
    before = models.Decision.objects.filter(federation=decision.federation_id, number=decision.number - 1)
    return before.filter(kind="unrate", about=decision.about).exists()


def is_step_of_correction(decision: models.Decision) -> bool:
    """Whether a decision is a step of correcting a rated section, about which one letter goes out."""
    of_section = models.Decision.objects.filter(federation=decision.federation_id, about=decision.about)
    of_section = of_section.exclude(kind="leave-hints")
    if decision.kind == "unrate":
        neighbour = of_section.filter(number__gt=decision.number).order_by("number").first()
    elif decision.kind == "approve":
        neighbour = of_section.filter(number__lt=decision.number).order_by("-number").first()
    else:
        return False
    return neighbour is not None and is_rerating(neighbour)


# ---- The people whom a decision concerns
People = QuerySet[models.User]


def staff(decision: models.Decision) -> People:
    return appointment_holders(decision, Q())


def officials(decision: models.Decision) -> People:
    return appointment_holders(decision, Q(role=models.Role.OFFICIAL))


def filers(decision: models.Decision) -> People:
    """Administrators of the region that filed, and the submitter if still on the staff."""
    event = find_event(decision)
    if event is None:
        return models.User.objects.none()
    section = find_section(decision)
    submitted_by = section.submitted_by_id if section else None
    return appointment_holders(
        decision, Q(role=models.Role.REGIONAL, region=event.region_id) | Q(user=submitted_by or 0)
    )


def event_move_parties(decision: models.Decision) -> People:
    """Administrators of the region that gave an event away and of the one that has it now."""
    event = find_event(decision)
    of_giving = Q(region__code=decision.details.get("region_before") or "")
    of_taking = Q(region=event.region_id if event else None, region__isnull=False)
    return appointment_holders(decision, Q(role=models.Role.REGIONAL) & (of_giving | of_taking))


def case_handlers(decision: models.Decision) -> People:
    """Officials, and administrators of the region to which a case goes."""
    key = _subject_key(decision, "case")
    if key is None:
        return models.User.objects.none()
    cases = Case.objects.filter(pk=key, federation=decision.federation_id, region__isnull=False)
    regional = Q(role=models.Role.REGIONAL, region__in=cases.values("region"))
    return appointment_holders(decision, Q(role=models.Role.OFFICIAL) | regional)


def appointee(decision: models.Decision) -> People:
    """The holder of the appointment that the decision is about, present or past."""
    key = _subject_key(decision, "appointment")
    if key is None:
        return models.User.objects.none()
    return models.User.objects.filter(appointments=key, appointments__federation=decision.federation_id)


def requester(decision: models.Decision) -> People:
    """The person who ordered what the worker has done, if still on the staff."""
    return appointment_holders(decision, Q(user=decision.by_id or 0))


def people_with_deadline(decision: models.Decision) -> People:
    """The officials or filers who have to keep the near deadline of which a decision reminds."""
    near = find_reminded_deadline(decision)
    if near is None:
        return models.User.objects.none()
    return officials(decision) if near.deadline.by_office else filers(decision)


def new_reviewer(decision: models.Decision) -> People:
    """The official to whom a section is handed over."""
    return appointment_holders(decision, Q(role=models.Role.OFFICIAL, user=decision.details.get("to") or 0))


def proposer(decision: models.Decision) -> People:
    """The official who proposed the correction that the decision is about, if still on the staff."""
    proposals = models.Decision.objects.filter(federation=decision.federation_id, about=decision.about)
    earlier = proposals.filter(kind="propose-mend", number__lt=decision.number).order_by("-number").first()
    return appointment_holders(
        decision, Q(role=models.Role.OFFICIAL, user=(earlier.by_id if earlier else None) or 0)
    )


def appointment_holders(decision: models.Decision, which: Q) -> People:
    """People who today hold an appointment that matches `which` in the decision's office."""
    held = models.Appointment.objects.filter(which, federation=decision.federation_id)
    return models.User.objects.filter(
        is_active=True, pk__in=held.on(today(decision.federation)).values("user")
    )


# ---- Handovers and transfers, and whom they concern
def handover_parties(decision: models.Decision) -> People:
    """The person whose open work was handed over, and the successor."""
    appointment = find_appointment(decision)
    if appointment is None:
        return models.User.objects.none()
    parties = [appointment.user_id, decision.details.get("to") or 0]
    return models.User.objects.filter(is_active=True, pk__in=parties)


def find_transfer(decision: models.Decision) -> models.Transfer | None:
    """The newest transfer of the player to the region that the decision names."""
    what, _space, number = decision.about.partition(" ")
    region = decision.sealed_details.get("region")
    if what != "player" or not decision.kind.endswith("-transfer"):
        return None
    found = models.Transfer.objects.filter(
        federation=decision.federation_id, player__number=number, taking__code=region
    )
    return found.select_related("player", "giving", "taking").order_by("-pk").first()


def transfer_parties(decision: models.Decision) -> People:
    """Both regions' administrators, and the person who asked for the transfer if still on the staff."""
    transfer = find_transfer(decision)
    if transfer is None:
        return appointment_holders(decision, Q(user=0))
    of_regions = Q(role=models.Role.REGIONAL, region__in=[transfer.taking_id, transfer.giving_id or 0])
    return appointment_holders(decision, of_regions | Q(user=transfer.asked_by_id or 0))


# ---- Each audience
AUDIENCES: dict[str, Callable[[models.Decision], People]] = {
    each.__name__: each
    for each in (
        staff,
        officials,
        new_reviewer,
        proposer,
        requester,
        event_move_parties,
        filers,
        people_with_deadline,
        case_handlers,
        transfer_parties,
        appointee,
        handover_parties,
    )
}
"""The audiences that the kinds of letters in `players.decision_kinds` name."""
LETTER_KINDS = {letter.name: letter for kind in KINDS.values() for letter in kind.letters}


def get_page_path(kind: LetterKind, decision: models.Decision) -> str:
    """The path of a letter's page: with as much of what the decision is about as the URL takes."""
    number, _slash, code = decision.about.partition(" ")[2].partition("/")
    for args in ([number, code], [number]):
        with suppress(NoReverseMatch):
            return reverse(kind.page, args=[decision.federation.code, *args])
    return reverse(kind.page, args=[decision.federation.code])


# ---- Composing a letter when it is sent
DECISION_LETTER = "record"


def compose(letter: models.Letter) -> ComposedLetter | None:
    """Render a letter in its reader's language; None if it is no longer for the reader."""
    about = letter.particulars
    kind = LETTER_KINDS.get(str(about["about"]))
    user = models.User.objects.filter(pk=about["person"], email=letter.email, is_active=True).first()
    decisions = models.Decision.objects.filter(pk=about["decision"])
    decision = decisions.select_related("federation", "by").first()
    if kind is None or user is None or decision is None or not _is_wanted(kind, decision, user):
        return None
    with override_language(language_of_reader(user, decision.federation)):
        return render_letter(kind, decision, user.name)


def render_letter(kind: LetterKind, decision: models.Decision, reader: str = "") -> ComposedLetter:
    """Render a kind of letters about a decision for a reader of that name, in the language in force."""
    text = render_to_string(f"letters/about/{kind.name}.txt", letter_context(decision))
    subject, _line, body = text.strip().partition("\n")
    return render_in_layout(
        subject.strip(),
        body.strip(),
        reader=reader,
        office=decision.federation.name,
        page_url=settings.SITE_ADDRESS + get_page_path(kind, decision),
        switches_url="" if kind.always else settings.SITE_ADDRESS + reverse("own_page") + "#letters",
    )


def letter_context(decision: models.Decision) -> dict[str, Any]:
    """The template context of a letter about a decision: it names players by number alone."""
    names = decision.federation.appointments.names()
    return {
        "office": decision.federation,
        "who": names.get(decision.by_id or 0, ""),
        "day": decision.on,
        "event": find_event(decision),
        "section": find_section(decision),
        "transfer": find_transfer(decision),
        "to": names.get(decision.details.get("to") or 0, ""),
        "near": find_reminded_deadline(decision),
        "appointment": find_appointment(decision),
        "last": find_appointment_end(decision),
        "rated_anew": is_rerating(decision),
        "deed": decision.kind,
        "told": decision.details,
        "about": decision.about,
        "list": decision.about.partition(" ")[2],
    }


def _is_wanted(kind: LetterKind, decision: models.Decision, user: models.User) -> bool:
    if kind.waits and (was_taken_back(decision) or is_superseded(decision)):
        return False
    if is_step_of_correction(decision):
        return False
    return kind.comes_at(user.letters) and AUDIENCES[kind.audience](decision).filter(pk=user.pk).exists()


COMPOSERS[DECISION_LETTER] = compose


# ---- Ordering letters as the record grows
#
# A row for each office holds the number of the decision up to which its letters were ordered. It moves in the
# transaction that orders them, so that none is lost or ordered twice, even if a worker is killed.
MOST_AT_ONCE = 200
"""The most decisions of one transaction, so that nobody waits long for its locks."""


def order_due_letters(now: datetime) -> None:
    """Order the letters of every office's new decisions."""
    ordered = models.LettersOrdered.objects.filter(federation=OuterRef("federation")).values("number")
    grown = models.Ledger.objects.annotate(ordered=Subquery(ordered)).filter(
        Q(ordered=None, decisions__gt=0) | Q(decisions__gt=F("ordered"))
    )
    for federation in models.Federation.objects.filter(ledger__in=grown):
        while order_letters_of_next_decisions(federation, now):
            pass


@transaction.atomic
def order_letters_of_next_decisions(federation: models.Federation, now: datetime) -> bool:
    """Order the letters of an office's next decisions; return whether there were any.

    Decisions older than `LETTER_LIFETIME` bring none: the past of a demo, or of an office restored from an
    old backup.
    """
    models.LettersOrdered.objects.get_or_create(federation=federation)
    row = models.LettersOrdered.objects.select_for_update().get(federation=federation)
    newer = models.Decision.objects.filter(federation=federation, number__gt=row.number)
    decisions = newer.select_related("federation").order_by("number")[:MOST_AT_ONCE]
    last = row.number
    for decision in decisions:
        last = decision.number
        if decision.at > now - LETTER_LIFETIME:
            for kind in KINDS[decision.kind].letters if decision.kind in KINDS else ():
                for user in recipients(decision, kind):
                    due = decision.at + (LETTER_DELAY if kind.waits else timedelta(0))
                    order_letter(
                        user.email,
                        DECISION_LETTER,
                        due=due,
                        about=kind.name,
                        decision=decision.pk,
                        person=user.pk,
                    )
    models.LettersOrdered.objects.filter(pk=row.pk).update(number=last)
    return last > row.number


@transaction.atomic
def skip_past_decisions(federation: models.Federation) -> None:
    """Mark an office's decisions so far as done, so that they bring no letters: the past of a demo."""
    decided = models.Ledger.objects.get(federation=federation).decisions
    models.LettersOrdered.objects.update_or_create(federation=federation, defaults={"number": decided})


def recipients(decision: models.Decision, kind: LetterKind) -> Iterator[models.User]:
    """Yield the people to whom a decision brings this letter."""
    for user in AUDIENCES[kind.audience](decision).distinct().order_by("pk"):
        if (kind.to_decider or user.pk != decision.by_id) and kind.comes_at(user.letters):
            yield user
