"""Letters about what was decided, each to the people whom it concerns. They follow from the office's record
of decisions: a table says which kinds of letters a kind of decision brings, to whom, and by which name a
person can switch them off. Deadlines that come near are put on record too, so that reminders follow in the
same way.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import transaction
from django.db.models import F, OuterRef, Q, QuerySet, Subquery
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from players import models
from players.mail import COMPOSERS, GOOD_FOR, Composed, framed, in_language, language_of_reader, order_letter
from players.record import decide, lock_ledger
from players.settings import settings_of, today
from tournaments.models import OPEN_TO_FILING, Case, Event, Section, SectionQuerySet
from tournaments.review import LETTER_AFTER, is_overtaken, was_taken_back
from tournaments.sections import SectionDeadline, deadlines_of

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


# ---- Reminders of deadlines: put on record each night, some days before the last one.
#
# The record itself says which deadline was reminded of already. It grows under the ledger's lock, so if two
# remind at once, the second finds what the first wrote.
REMIND = "remind"


def remind_of_deadlines(office: models.Federation, on: date) -> int:
    """Remind of each deadline of an office that is near on a day and was not reminded of yet; return their
    number. Each section is one transaction.

    Raises `Refused` while the office is held after a restore.
    """
    if office.ruleset.sections.deadlines is None:
        return 0
    waiting = [section.pk for section in still_waited_for(office) if near_deadlines(section, on)]
    return sum(_remind_of(office, key, on) for key in waiting)


@transaction.atomic
def _remind_of(office: models.Federation, key: int, on: date) -> int:
    """Put on record that a section's near deadlines are reminded of, as far as they stand in no row of it."""
    lock_ledger(office)
    section = still_waited_for(office).filter(pk=key).first()
    if section is None:
        return 0
    about = f"section {section.key}"
    earlier = models.Decision.objects.filter(federation=office, about=about, kind=REMIND)
    told = {(each.details["clause"], each.details["last"]) for each in earlier}
    new = [named for each in near_deadlines(section, on) if (named := name_of(each)) not in told]
    for clause, last in new:
        decide(office, kind=REMIND, by=None, on=on, about=about, clause=clause, last=last)
    return len(new)


def still_waited_for(office: models.Federation) -> SectionQuerySet:
    """The sections of an office that somebody has yet to act on: neither called off nor handed in."""
    planned = Section.objects.filter(event__federation=office, event__state=Event.State.PLANNED)
    related = planned.select_related("event__federation", "event__region")
    return related.filter(stage__in=OPEN_TO_FILING).prefetch_related("permission_requests").order_by("pk")


def near_deadlines(section: Section, on: date) -> list[SectionDeadline]:
    """The deadlines of a section that are still to be kept and end within the days that the office set."""
    days = settings_of(section.event.federation).reminder_days
    return [each for each in deadlines_of(section, on) if each.presses and 0 <= each.days_left <= days]


def name_of(deadline: SectionDeadline) -> tuple[str, str]:
    """A deadline of a section as the record names it: by clause and last day. Postponed, it is another."""
    return deadline.clause, deadline.last.isoformat()


# ---- The event, section, deadline or appointment that a decision is about, as they stand now.
def section_of(decision: models.Decision) -> Section | None:
    """The section that a decision is about, if it is about one."""
    what, _space, key = decision.about.partition(" ")
    number, _slash, code = key.partition("/")
    if what != "section":
        return None
    found = Section.objects.filter(event__federation=decision.federation_id, event__number=number, code=code)
    return found.select_related("event__region", "event__federation").first()


def event_of(decision: models.Decision) -> Event | None:
    """The event that a decision is about, or whose section it is about."""
    what, _space, key = decision.about.partition(" ")
    if what not in ("event", "section"):
        return None
    number = key.partition("/")[0]
    return Event.objects.filter(federation=decision.federation_id, number=number).first()


def appointment_of(decision: models.Decision) -> models.Appointment | None:
    """The appointment that a decision is about, if it is about one."""
    what, _space, key = decision.about.partition(" ")
    if what != "appointment" or not key.isdigit():
        return None
    found = models.Appointment.objects.filter(pk=int(key), federation=decision.federation_id)
    return found.select_related("user", "region").first()


def last_day_of(decision: models.Decision) -> date | None:
    """The last day that a decision gave an appointment; None: it gave none."""
    try:
        return date.fromisoformat(str(decision.details.get("ends")))
    except ValueError:
        return None


def deadline_of(decision: models.Decision) -> SectionDeadline | None:
    """The deadline of which a decision reminds; None: it was met, moved or is over, nobody waits for the
    section any more, or the decision is another.
    """
    section = section_of(decision) if decision.kind == REMIND else None
    waited_for = section and still_waited_for(decision.federation).filter(pk=section.pk).first()
    if not waited_for:
        return None
    told = decision.details
    near = near_deadlines(waited_for, today(decision.federation))
    return next((each for each in near if name_of(each) == (told.get("clause"), told.get("last"))), None)


def rated_anew(decision: models.Decision) -> bool:
    """Whether a decision corrects a rated section, which is un-rated just before and rated just after it."""
    if decision.kind != "mend":
        return False
    before = models.Decision.objects.filter(federation=decision.federation_id, number=decision.number - 1)
    return before.filter(kind="unrate", about=decision.about).exists()


def is_step_of_correction(decision: models.Decision) -> bool:
    """Whether an un-rating or approval is a step of correcting a rated section in one go: the letter of the
    correction tells of it, and alone the step would be untrue.
    """
    of_section = models.Decision.objects.filter(federation=decision.federation_id, about=decision.about)
    of_section = of_section.exclude(kind="leave-hints")
    if decision.kind == "unrate":
        beside = of_section.filter(number__gt=decision.number).order_by("number").first()
    elif decision.kind == "approve":
        beside = of_section.filter(number__lt=decision.number).order_by("-number").first()
    else:
        return False
    return beside is not None and rated_anew(beside)


# ---- The people whom a decision concerns: those who file for the region, officials, staff, the person.
Audience = QuerySet[models.User]


def staff(decision: models.Decision) -> Audience:
    """Everybody who works for the office today."""
    return holders(decision, Q())


def officials(decision: models.Decision) -> Audience:
    return holders(decision, Q(role=models.Role.OFFICIAL))


def those_who_file(decision: models.Decision) -> Audience:
    """Today's administrators of the region that filed, and whoever submitted, if they still work here."""
    event = event_of(decision)
    if event is None:
        return models.User.objects.none()
    section = section_of(decision)
    submitted_by = section.submitted_by_id if section else None
    return holders(decision, Q(role=models.Role.REGIONAL, region=event.region_id) | Q(user=submitted_by or 0))


def regions_of_moved_event(decision: models.Decision) -> Audience:
    """Today's administrators of the region that gave an event and of the one that has it now."""
    event = event_of(decision)
    of_giving = Q(region__code=decision.details.get("region_before") or "")
    of_taking = Q(region=event.region_id if event else None, region__isnull=False)
    return holders(decision, Q(role=models.Role.REGIONAL) & (of_giving | of_taking))


def those_who_answer(decision: models.Decision) -> Audience:
    """Officials, and today's administrators of the region to which a case goes."""
    what, _space, key = decision.about.partition(" ")
    if what != "case" or not key.isdigit():
        return models.User.objects.none()
    cases = Case.objects.filter(pk=int(key), federation=decision.federation_id, region__isnull=False)
    regional = Q(role=models.Role.REGIONAL, region__in=cases.values("region"))
    return holders(decision, Q(role=models.Role.OFFICIAL) | regional)


def person_appointed(decision: models.Decision) -> Audience:
    """The person who holds the appointment that the decision is about, or held it."""
    what, _space, key = decision.about.partition(" ")
    if what != "appointment" or not key.isdigit():
        return models.User.objects.none()
    return models.User.objects.filter(appointments=int(key), appointments__federation=decision.federation_id)


def whoever_asked(decision: models.Decision) -> Audience:
    """The person who ordered what the worker has done, if they still work here."""
    return holders(decision, Q(user=decision.by_id or 0))


def those_who_are_due(decision: models.Decision) -> Audience:
    """The people who have to keep the deadline of which a decision reminds: officials where the office itself
    is due, else those who file. Nobody once it was met or moved, or is over.
    """
    near = deadline_of(decision)
    if near is None:
        return models.User.objects.none()
    return officials(decision) if near.deadline.by_office else those_who_file(decision)


def whoever_takes_over(decision: models.Decision) -> Audience:
    """The official to whom a section is handed over."""
    return holders(decision, Q(role=models.Role.OFFICIAL, user=decision.details.get("to") or 0))


def whoever_proposed(decision: models.Decision) -> Audience:
    """The official who proposed the correction that the decision is about, if they still work here."""
    proposals = models.Decision.objects.filter(federation=decision.federation_id, about=decision.about)
    earlier = proposals.filter(kind="propose-mend", number__lt=decision.number).order_by("-number").first()
    return holders(decision, Q(role=models.Role.OFFICIAL, user=(earlier.by_id if earlier else None) or 0))


def holders(decision: models.Decision, which: Q) -> Audience:
    """People who hold such an appointment in the decision's office today."""
    held = models.Appointment.objects.filter(which, federation=decision.federation_id)
    return models.User.objects.filter(
        is_active=True, pk__in=held.on(today(decision.federation)).values("user")
    )


# ---- The handover that a decision is about, and the two whom it concerns.
def handover_of(decision: models.Decision) -> models.Handover | None:
    """The newest handover of the appointment that the decision is about; None if it is about none."""
    what, _space, key = decision.about.partition(" ")
    if what != "appointment" or not key.isdigit():
        return None
    found = models.Handover.objects.filter(appointment=int(key), federation=decision.federation_id)
    return found.select_related("appointment__region", "to").order_by("-pk").first()


def both_sides(decision: models.Decision) -> Audience:
    """The person who hands over, and whoever follows."""
    handover = handover_of(decision)
    if handover is None:
        return models.User.objects.none()
    return models.User.objects.filter(
        is_active=True, pk__in=[handover.appointment.user_id, handover.to.user_id]
    )


# ---- The transfer that a decision is about, and whoever hears of its answer.
def transfer_of(decision: models.Decision) -> models.Transfer | None:
    """The newest transfer of the player to the region that the decision names; None if it is about none."""
    what, _space, number = decision.about.partition(" ")
    region = decision.sealed_details.get("region")
    if what != "player" or not decision.kind.endswith("-transfer"):
        return None
    found = models.Transfer.objects.filter(
        federation=decision.federation_id, player__number=number, taking__code=region
    )
    return found.select_related("player", "giving", "taking").order_by("-pk").first()


def both_regions(decision: models.Decision) -> Audience:
    """The person who asked for the transfer, if they still work here, and both regions' administrators."""
    transfer = transfer_of(decision)
    if transfer is None:
        return holders(decision, Q(user=0))
    of_regions = Q(role=models.Role.REGIONAL, region__in=[transfer.taking_id, transfer.giving_id or 0])
    return holders(decision, of_regions | Q(user=transfer.asked_by_id or 0))


# ---- The letters that a decision brings, by its kind.
#
# A further letter is a row here and its words in `templates/letters/about/NAME.txt`: a line for the subject,
# an empty line, and paragraphs.
@dataclass(frozen=True, slots=True)
class LetterKind:
    """A kind of letters: its name is that of its words and of its switch."""

    name: str
    label: StrOrPromise
    """The words of the page of switches: when the letter comes."""
    audience: Callable[[models.Decision], Audience]
    page: Callable[[models.Decision], str]
    """The address path of the page concerned."""
    waits: timedelta = timedelta(0)
    """The time for which the letter waits, in which what it tells can still be taken back."""
    own_deeds: bool = False
    """Whether it goes to whoever decided, too: others know what they did."""
    switchable: bool = True


def event_page(decision: models.Decision) -> str:
    return _section_page("tournaments:event", decision)


def review_page(decision: models.Decision) -> str:
    return _section_page("ratings:review", decision)


def deadlines_page(decision: models.Decision) -> str:
    return _section_page("tournaments:deadlines", decision)


def remarks_page(decision: models.Decision) -> str:
    return _section_page("tournaments:remarks", decision)


def submission_page(decision: models.Decision) -> str:
    """The region's page of a section that it cannot change now, with the form of an appeal."""
    return _section_page("tournaments:submit", decision)


def first_answer_page(decision: models.Decision) -> str:
    """The page on which the region answers a question that was asked before play."""
    return _section_page("tournaments:answer_before_play", decision)


def first_decision_page(decision: models.Decision) -> str:
    return _section_page("ratings:before_play", decision)


def lists_page(decision: models.Decision) -> str:
    return reverse("ratings:lists", args=[decision.federation.code])


def register_page(decision: models.Decision) -> str:
    return reverse("ratings:register", args=[decision.federation.code])


def office_page(decision: models.Decision) -> str:
    return decision.federation.get_absolute_url()


def case_page(decision: models.Decision) -> str:
    return reverse("ratings:case", args=[decision.federation.code, decision.about.partition(" ")[2]])


def public_event_page(decision: models.Decision) -> str:
    """The page of the event that everybody reads: the region that gave it away has no other."""
    number = decision.about.partition(" ")[2].partition("/")[0]
    return reverse("ratings:event", args=[decision.federation.code, number])


def transfers_page(decision: models.Decision) -> str:
    return reverse("ratings:transfers", args=[decision.federation.code])


def _section_page(name: str, decision: models.Decision) -> str:
    number, _slash, code = decision.about.partition(" ")[2].partition("/")
    given = [number] if name == "tournaments:event" else [number, code]
    return reverse(name, args=[decision.federation.code, *given])


def to_region(name: str, label: StrOrPromise) -> LetterKind:
    """A kind of letters to whoever files for the region."""
    return LetterKind(name, label, those_who_file, event_page)


APPOINTMENT = LetterKind(
    "appointment",
    _("Your appointments change"),
    person_appointed,
    office_page,
    switchable=False,
)

CALLED_OFF = to_region(
    "called_off", _("Somebody else postpones, cancels, withdraws or takes up an event of your region")
)

LETTERS: dict[str, tuple[LetterKind, ...]] = {
    "propose-mend": (
        LetterKind("mend_proposed", _("A correction waits for a second official"), officials, review_page),
    ),
    "drop-mend": (
        LetterKind(
            "mend_dropped",
            _("A correction that you proposed was dropped"),
            whoever_proposed,
            review_page,
        ),
    ),
    "mend": (to_region("mended", _("The office corrected something in a section of your region")),),
    "submit": (
        LetterKind("submitted", _("A section waits for review"), officials, review_page),
        replace(to_region("received", _("A section of your region was received")), own_deeds=True),
    ),
    "admit": (to_region("admitted", _("A section of your region was admitted before play")),),
    "refuse-before-play": (
        replace(
            to_region("refused_early", _("A section of your region was refused before play")),
            page=submission_page,
            waits=LETTER_AFTER,
        ),
    ),
    "put-off": (to_region("put_off", _("The first decision on a section of your region was put off")),),
    "ask-before-play": (
        replace(
            to_region("asked_early", _("The office asks about a section of your region before play")),
            page=first_answer_page,
        ),
    ),
    "close-before-play": (
        to_region("closed_early", _("The office finds nothing in the way of a section of your region")),
    ),
    "answer-before-play": (
        LetterKind(
            "answered_early",
            _("A region answers a question that was asked before play"),
            officials,
            first_decision_page,
        ),
    ),
    "remind": (LetterKind("deadline_near", _("A deadline is near"), those_who_are_due, deadlines_page),),
    "postpone": (CALLED_OFF,),
    "move-event": (
        LetterKind(
            "event_moved",
            _("An event moves from your region or to it"),
            regions_of_moved_event,
            public_event_page,
        ),
    ),
    "cancel": (CALLED_OFF,),
    "reinstate": (CALLED_OFF,),
    "withdraw-event": (CALLED_OFF,),
    "withdraw-section": (CALLED_OFF,),
    "hand-over": (
        LetterKind("handed_over", _("A section is handed over to you"), whoever_takes_over, review_page),
    ),
    "ask": (
        replace(
            to_region("question", _("The office asks about a section of your region")), page=remarks_page
        ),
    ),
    "answer": (LetterKind("answered", _("A region answers a question or a remark"), officials, review_page),),
    "ask-permission": (LetterKind("asked", _("A region asks for a permission"), officials, deadlines_page),),
    "grant-permission": (
        replace(to_region("granted", _("A permission was granted to your region")), page=deadlines_page),
    ),
    "refuse-permission": (
        replace(to_region("denied", _("A permission was refused to your region")), page=deadlines_page),
    ),
    "approve": (to_region("approved", _("A section of your region was approved")),),
    "return": (
        replace(to_region("returned", _("A section was returned to your region")), waits=LETTER_AFTER),
    ),
    "refuse": (replace(to_region("refused", _("A section of your region was refused")), waits=LETTER_AFTER),),
    "appeal": (LetterKind("appealed", _("A region appeals against a refusal"), officials, review_page),),
    "uphold-appeal": (to_region("appeal_upheld", _("An appeal of your region was upheld")),),
    "dismiss-appeal": (to_region("appeal_dismissed", _("An appeal of your region was dismissed")),),
    "open-case": (LetterKind("reported", _("Somebody reports a mistake"), those_who_answer, case_page),),
    "reply-to-case": (
        LetterKind(
            "reported_again",
            _("Whoever reported a mistake writes again"),
            those_who_answer,
            case_page,
        ),
    ),
    "unrate": (to_region("unrated", _("A section of your region was un-rated")),),
    "publish": (LetterKind("published", _("A rating list was published"), staff, lists_page),),
    "revise": (LetterKind("revised", _("A rating list was published anew"), staff, lists_page),),
    "import-register": (
        LetterKind(
            "imported",
            _("Your table was written into the register"),
            whoever_asked,
            register_page,
            own_deeds=True,
        ),
    ),
    "ask-transfer": (
        LetterKind("transfer_asked", _("A region asks for a transfer"), officials, transfers_page),
    ),
    "grant-transfer": (
        LetterKind(
            "transfer_granted", _("A transfer that concerns you was granted"), both_regions, transfers_page
        ),
    ),
    "refuse-transfer": (
        LetterKind(
            "transfer_refused", _("A transfer that concerns you was refused"), both_regions, transfers_page
        ),
    ),
    "plan-handover": (
        LetterKind(
            "handover",
            _("A handover concerns you"),
            both_sides,
            office_page,
            own_deeds=True,
            switchable=False,
        ),
    ),
    "end": (APPOINTMENT,),
    "set-last-day": (APPOINTMENT,),
}
"""The letters of each kind of decision. The appointment itself brings an invitation, which has a link."""


def every_kind() -> Iterator[LetterKind]:
    """Each kind of letters once, in the order of the table."""
    seen = set()
    for kinds in LETTERS.values():
        for kind in kinds:
            if kind.name not in seen:
                seen.add(kind.name)
                yield kind


# ---- Writes a letter when it is sent, in its reader's language, as text and as HTML.
KIND = "record"


def compose(letter: models.Letter) -> Composed | None:
    """The words of a letter about a decision; None if its reader is not to have it any more: gone, no longer
    one of those whom it concerns, or it was switched off meanwhile.
    """
    told = letter.particulars
    name = str(told["about"])
    kind = next((kind for kind in every_kind() if kind.name == name), None)
    user = models.User.objects.filter(pk=told["person"], email=letter.email, is_active=True).first()
    decision = models.Decision.objects.filter(pk=told["decision"]).select_related("federation", "by").first()
    if kind is None or user is None or decision is None or not _wanted(kind, decision, user):
        return None
    with in_language(language_of_reader(user, decision.federation)):
        return words_of(kind, decision)


def words_of(kind: LetterKind, decision: models.Decision) -> Composed:
    """The words of a kind of letters about a decision, in the language in force."""
    office = decision.federation
    text = render_to_string(f"letters/about/{kind.name}.txt", context_of(decision))
    subject, _line, body = text.strip().partition("\n")
    return framed(
        subject.strip(),
        body.strip(),
        office=office.name,
        page=settings.SITE_ADDRESS + kind.page(decision),
        switches=settings.SITE_ADDRESS + reverse("own_page") + "#letters" if kind.switchable else "",
    )


def context_of(decision: models.Decision) -> dict[str, Any]:
    """The things that a letter may say of a decision: players by number alone, words as far as they stand."""
    names = decision.federation.appointments.names()
    return {
        "office": decision.federation,
        "who": names.get(decision.by_id or 0, ""),
        "day": decision.on,
        "event": event_of(decision),
        "section": section_of(decision),
        "transfer": transfer_of(decision),
        "handover": handover_of(decision),
        "near": deadline_of(decision),
        "appointment": appointment_of(decision),
        "last": last_day_of(decision),
        "rated_anew": rated_anew(decision),
        "deed": decision.kind,
        "told": decision.details,
        "about": decision.about,
        "list": decision.about.partition(" ")[2],
    }


def _wanted(kind: LetterKind, decision: models.Decision, user: models.User) -> bool:
    if kind.waits and (was_taken_back(decision) or is_overtaken(decision)):
        return False
    if is_step_of_correction(decision):
        return False
    switched_off = models.LetterSwitch.objects.filter(user=user, kind=kind.name).exists()
    return kind.audience(decision).filter(pk=user.pk).exists() and not (kind.switchable and switched_off)


COMPOSERS[KIND] = compose


# ---- Orders letters as the record grows: none is lost and none is ordered twice, even if a worker is killed.
#
# A row for each office holds the number of the decision up to which its letters were ordered. It moves in the
# transaction that orders them.
MOST_AT_ONCE = 200
"""Decisions of one transaction: a long record is taken in pieces, and nobody waits for long."""


def order_letters_of_the_record(now: datetime) -> None:
    """Order the letters of every office's decisions since the last look."""
    ordered = models.LettersOrdered.objects.filter(federation=OuterRef("federation")).values("number")
    grown = models.Ledger.objects.annotate(ordered=Subquery(ordered)).filter(
        Q(ordered=None, decisions__gt=0) | Q(decisions__gt=F("ordered"))
    )
    for federation in models.Federation.objects.filter(ledger__in=grown):
        while order_next(federation, now):
            pass


@transaction.atomic
def order_next(federation: models.Federation, now: datetime) -> bool:
    """Order the letters of an office's next decisions; return whether there were any.

    What was decided longer ago than letters are good for brings none: the past of a demo, or of an office
    that was put back from an old backup.
    """
    models.LettersOrdered.objects.get_or_create(federation=federation)
    row = models.LettersOrdered.objects.select_for_update().get(federation=federation)
    newer = models.Decision.objects.filter(federation=federation, number__gt=row.number)
    decisions = newer.select_related("federation").order_by("number")[:MOST_AT_ONCE]
    last = row.number
    for decision in decisions:
        last = decision.number
        if decision.at > now - GOOD_FOR:
            for kind in LETTERS.get(decision.kind, ()):
                for user in receivers(decision, kind):
                    due = decision.at + kind.waits
                    order_letter(
                        user.email, KIND, due=due, about=kind.name, decision=decision.pk, person=user.pk
                    )
    models.LettersOrdered.objects.filter(pk=row.pk).update(number=last)
    return last > row.number


@transaction.atomic
def order_none_until_now(federation: models.Federation) -> None:
    """Let what an office has decided so far bring no letters: the past that a demo is given."""
    decided = models.Ledger.objects.get(federation=federation).decisions
    models.LettersOrdered.objects.update_or_create(federation=federation, defaults={"number": decided})


def receivers(decision: models.Decision, kind: LetterKind) -> Iterator[models.User]:
    """The people to whom a decision brings this letter: not to whoever decided, nor who switched it off."""
    off = set(models.LetterSwitch.objects.filter(kind=kind.name).values_list("user", flat=True))
    for user in kind.audience(decision).distinct().order_by("pk"):
        if (kind.own_deeds or user.pk != decision.by_id) and not (kind.switchable and user.pk in off):
            yield user


# ---- The kinds of letters that somebody may get, by their roles and by what they did.
@dataclass(frozen=True, slots=True)
class Reach:
    """People whom an audience may hold: in these roles, and whoever did this and works here in any."""

    roles: frozenset[str]
    deed: str = ""


OFFICIALS = Reach(frozenset({models.Role.OFFICIAL}))
BOTH = frozenset({models.Role.REGIONAL, models.Role.OFFICIAL})
REACHES: dict[Callable[[models.Decision], Audience], Reach] = {
    staff: Reach(frozenset(models.Role.values)),
    officials: OFFICIALS,
    whoever_takes_over: OFFICIALS,
    whoever_proposed: OFFICIALS,
    whoever_asked: Reach(frozenset({models.Role.OFFICIAL}), "import-register"),
    regions_of_moved_event: Reach(frozenset({models.Role.REGIONAL})),
    those_who_file: Reach(frozenset({models.Role.REGIONAL}), "submit"),
    those_who_are_due: Reach(BOTH, "submit"),
    those_who_answer: Reach(BOTH),
    both_regions: Reach(frozenset({models.Role.REGIONAL}), "ask-transfer"),
}
"""By the audience of a kind of letters that can be switched off."""


def kinds_for(user: models.User, roles: Collection[str]) -> Iterator[LetterKind]:
    """The kinds that can be switched off and may come to a person who has these roles; without any, none."""
    deeds = {reach.deed for reach in REACHES.values()}
    done = set(
        models.Decision.objects.filter(by=user, kind__in=deeds).values_list("kind", flat=True).distinct()
    )
    for kind in every_kind():
        if kind.switchable and roles:
            reach = REACHES[kind.audience]
            if reach.roles & set(roles) or reach.deed in done:
                yield kind
