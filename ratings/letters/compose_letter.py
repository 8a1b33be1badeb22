"""Writes a letter about a decision when it is sent, in its reader's language, as text and as HTML."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.template.loader import render_to_string
from django.urls import reverse

from players.office.mail.letters import COMPOSERS, Composed, framed, in_language, language_of_reader
from players.office.models import Decision, Letter, LetterSwitch, User
from ratings.letters.decided_about import (
    appointment_of,
    deadline_of,
    event_of,
    is_step_of_correction,
    last_day_of,
    rated_anew,
    section_of,
)
from ratings.letters.handovers import handover_of
from ratings.letters.letter_kinds import LetterKind, kind_named
from ratings.letters.transfers import transfer_of
from tournaments.review.take_back import is_overtaken, was_taken_back

KIND = "record"


def compose(letter: Letter) -> Composed | None:
    """The words of a letter about a decision; None if its reader is not to have it any more: gone, no longer
    one of those whom it concerns, or it was switched off meanwhile.
    """
    told = letter.particulars
    kind = kind_named(str(told["about"]))
    user = User.objects.filter(pk=told["person"], email=letter.email, is_active=True).first()
    decision = Decision.objects.filter(pk=told["decision"]).select_related("federation", "by").first()
    if kind is None or user is None or decision is None or not _wanted(kind, decision, user):
        return None
    with in_language(language_of_reader(user, decision.federation)):
        return words_of(kind, decision)


def words_of(kind: LetterKind, decision: Decision) -> Composed:
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


def context_of(decision: Decision) -> dict[str, Any]:
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


def _wanted(kind: LetterKind, decision: Decision, user: User) -> bool:
    if kind.waits and (was_taken_back(decision) or is_overtaken(decision)):
        return False
    if is_step_of_correction(decision):
        return False
    switched_off = LetterSwitch.objects.filter(user=user, kind=kind.name).exists()
    return kind.audience(decision).filter(pk=user.pk).exists() and not (kind.switchable and switched_off)


COMPOSERS[KIND] = compose
