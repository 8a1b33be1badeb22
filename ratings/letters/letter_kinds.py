"""The letters that a decision brings, by its kind: to whom, about what, by which name switched off.

A further letter is a row here and its words in `templates/letters/about/NAME.txt`: a line for the subject, an
empty line, and paragraphs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from players.office.models import Decision
from ratings.letters import audiences
from ratings.letters.audiences import Audience
from ratings.letters.handovers import both_sides
from ratings.letters.transfers import both_regions
from tournaments.review.take_back import LETTER_AFTER

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


@dataclass(frozen=True, slots=True)
class LetterKind:
    """A kind of letters: its name is that of its words and of its switch."""

    name: str
    label: StrOrPromise
    """The words of the page of switches: when the letter comes."""
    audience: Callable[[Decision], Audience]
    page: Callable[[Decision], str]
    """The address path of the page concerned."""
    waits: timedelta = timedelta(0)
    """The time for which the letter waits, in which what it tells can still be taken back."""
    own_deeds: bool = False
    """Whether it goes to whoever decided, too: others know what they did."""
    switchable: bool = True


def event_page(decision: Decision) -> str:
    return _section_page("tournaments:event", decision)


def review_page(decision: Decision) -> str:
    return _section_page("ratings:review", decision)


def deadlines_page(decision: Decision) -> str:
    return _section_page("tournaments:deadlines", decision)


def remarks_page(decision: Decision) -> str:
    return _section_page("tournaments:remarks", decision)


def submission_page(decision: Decision) -> str:
    """The region's page of a section that it cannot change now, with the form of an appeal."""
    return _section_page("tournaments:submit", decision)


def first_answer_page(decision: Decision) -> str:
    """The page on which the region answers a question that was asked before play."""
    return _section_page("tournaments:answer_before_play", decision)


def first_decision_page(decision: Decision) -> str:
    return _section_page("ratings:before_play", decision)


def lists_page(decision: Decision) -> str:
    return reverse("ratings:lists", args=[decision.federation.code])


def register_page(decision: Decision) -> str:
    return reverse("ratings:register", args=[decision.federation.code])


def office_page(decision: Decision) -> str:
    return decision.federation.get_absolute_url()


def case_page(decision: Decision) -> str:
    return reverse("ratings:case", args=[decision.federation.code, decision.about.partition(" ")[2]])


def public_event_page(decision: Decision) -> str:
    """The page of the event that everybody reads: the region that gave it away has no other."""
    number = decision.about.partition(" ")[2].partition("/")[0]
    return reverse("ratings:event", args=[decision.federation.code, number])


def transfers_page(decision: Decision) -> str:
    return reverse("ratings:transfers", args=[decision.federation.code])


def _section_page(name: str, decision: Decision) -> str:
    number, _slash, code = decision.about.partition(" ")[2].partition("/")
    given = [number] if name == "tournaments:event" else [number, code]
    return reverse(name, args=[decision.federation.code, *given])


def to_region(name: str, label: StrOrPromise) -> LetterKind:
    """A kind of letters to whoever files for the region."""
    return LetterKind(name, label, audiences.those_who_file, event_page)


APPOINTMENT = LetterKind(
    "appointment",
    _("Your appointments change"),
    audiences.person_appointed,
    office_page,
    switchable=False,
)

CALLED_OFF = to_region(
    "called_off", _("Somebody else postpones, cancels, withdraws or takes up an event of your region")
)

LETTERS: dict[str, tuple[LetterKind, ...]] = {
    "propose-mend": (
        LetterKind(
            "mend_proposed", _("A correction waits for a second official"), audiences.officials, review_page
        ),
    ),
    "drop-mend": (
        LetterKind(
            "mend_dropped",
            _("A correction that you proposed was dropped"),
            audiences.whoever_proposed,
            review_page,
        ),
    ),
    "mend": (to_region("mended", _("The office corrected something in a section of your region")),),
    "submit": (
        LetterKind("submitted", _("A section waits for review"), audiences.officials, review_page),
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
            audiences.officials,
            first_decision_page,
        ),
    ),
    "remind": (
        LetterKind("deadline_near", _("A deadline is near"), audiences.those_who_are_due, deadlines_page),
    ),
    "postpone": (CALLED_OFF,),
    "move-event": (
        LetterKind(
            "event_moved",
            _("An event moves from your region or to it"),
            audiences.regions_of_moved_event,
            public_event_page,
        ),
    ),
    "cancel": (CALLED_OFF,),
    "reinstate": (CALLED_OFF,),
    "withdraw-event": (CALLED_OFF,),
    "withdraw-section": (CALLED_OFF,),
    "hand-over": (
        LetterKind(
            "handed_over", _("A section is handed over to you"), audiences.whoever_takes_over, review_page
        ),
    ),
    "ask": (
        replace(
            to_region("question", _("The office asks about a section of your region")), page=remarks_page
        ),
    ),
    "answer": (
        LetterKind(
            "answered", _("A region answers a question or a remark"), audiences.officials, review_page
        ),
    ),
    "ask-permission": (
        LetterKind("asked", _("A region asks for a permission"), audiences.officials, deadlines_page),
    ),
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
    "appeal": (
        LetterKind("appealed", _("A region appeals against a refusal"), audiences.officials, review_page),
    ),
    "uphold-appeal": (to_region("appeal_upheld", _("An appeal of your region was upheld")),),
    "dismiss-appeal": (to_region("appeal_dismissed", _("An appeal of your region was dismissed")),),
    "open-case": (
        LetterKind("reported", _("Somebody reports a mistake"), audiences.those_who_answer, case_page),
    ),
    "reply-to-case": (
        LetterKind(
            "reported_again",
            _("Whoever reported a mistake writes again"),
            audiences.those_who_answer,
            case_page,
        ),
    ),
    "unrate": (to_region("unrated", _("A section of your region was un-rated")),),
    "publish": (LetterKind("published", _("A rating list was published"), audiences.staff, lists_page),),
    "revise": (LetterKind("revised", _("A rating list was published anew"), audiences.staff, lists_page),),
    "import-register": (
        LetterKind(
            "imported",
            _("Your table was written into the register"),
            audiences.whoever_asked,
            register_page,
            own_deeds=True,
        ),
    ),
    "ask-transfer": (
        LetterKind("transfer_asked", _("A region asks for a transfer"), audiences.officials, transfers_page),
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


def kind_named(name: str) -> LetterKind | None:
    return next((kind for kind in every_kind() if kind.name == name), None)
