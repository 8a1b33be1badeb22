"""The page on which an official says of each doubtful person of a past who is meant, by one click each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from players.office.access import OfficeRequest, Permission, permitted
from players.office.decision_record import Refused
from players.office.settings_schema import today
from players.pages.htmx_error_status import error_status
from ratings.office.history.find_history import find_history
from tournaments.history.models import History
from tournaments.history.receive import GivenAnswer, answer
from tournaments.history.resolve_people import APART, BETWEEN_OFFERS

AT_ONCE = 100
"""The people on one page: after it is sent the past is checked anew."""
NOT_THERE = "person-not-there"
ABOUT_PEOPLE = ("person", "person-twice", "name", NOT_THERE)


@dataclass(frozen=True, slots=True)
class PossiblePerson:
    answer: str
    name: str


@dataclass(frozen=True, slots=True)
class Doubt:
    """A question about one person, as the page asks it."""

    kind: str
    subject: str
    name: str
    """The name with birth, as the file has it."""
    file: str
    offers: list[PossiblePerson]

    @property
    def field(self) -> str:
        return f"{self.kind}:{self.subject}"

    @property
    def bare(self) -> bool:
        """Whether the file has the name alone, so that another may mean somebody else by it."""
        return self.kind == "person" and "(" not in self.name


def doubts_of(history: History) -> Iterator[Doubt]:
    """The open questions about people."""
    asked: Any = history.outcome.get("asked", [])
    for kind, subject, where, proposed in asked:
        if kind in ABOUT_PEOPLE:
            name, _comma, file = where.removeprefix(f"{subject} ").rpartition(", ")
            offers = [
                PossiblePerson(*each.split(" ", 1)) for each in proposed.split(BETWEEN_OFFERS) if " " in each
            ]
            if kind == "person-twice":  # its place names both entries, and begins with the file
                name, file = f"{name}, {file}", ""
            kind = "person" if kind == NOT_THERE else kind
            yield Doubt(kind, subject, name or file, file, offers)


@permitted(Permission.SECTIONS_APPROVE)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def decide_people(request: OfficeRequest, key: int) -> HttpResponse:
    """The people who are in doubt, each with whom they may be; and what was said of them."""
    history = find_history(request, key)
    doubts = list(doubts_of(history))
    if request.method != "POST":
        return _page(request, history, doubts)
    said = ((doubt, request.POST.get(doubt.field, "").strip()) for doubt in doubts)
    answers = [GivenAnswer(doubt.kind, doubt.subject, value) for doubt, value in said if value]
    try:
        answer(history=history, by=request.user, at=timezone.now(), on=today(request.office), answers=answers)
    except Refused as refused:
        return _page(request, history, doubts, str(refused), error_status(request, 409))
    return redirect("ratings:history", request.office.code, key)


def _page(
    request: OfficeRequest, history: History, doubts: list[Doubt], refused: str = "", status: int = 200
) -> HttpResponse:
    context = {
        "history": history,
        "doubts": doubts[:AT_ONCE],
        "more": len(doubts) - AT_ONCE,
        "refused": refused,
        "apart": APART,
    }
    return render(request, "ratings/office/history_people.html", context, status=status)
