"""Draws up the hints of the sections that wait for an official: the worker's part, beside the queue's
figures.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from datetime import date, datetime

from django.db import transaction
from django.db.models import F, OuterRef, Q, Subquery
from django.utils import timezone

from players.office.models import Decision, Federation, Ledger
from players.office.settings_schema import settings_of, today
from players.people.find_doubles import RegisterNames, doubles_of, read_names
from players.register.models import Player
from ratings.hints.far_scores import far_scores
from ratings.hints.gather_play import attendance, compared_play, plays_of, sections_beside
from ratings.hints.gather_scores import expected_games
from ratings.hints.hint import HintFound, HintKind
from ratings.hints.look_alikes import NamedInSection, look_alikes
from ratings.hints.models import Hint, HintsSearch
from ratings.hints.same_event import same_event
from ratings.hints.two_places import two_places
from tournaments.events.models import Entry, Section, SectionQuerySet

LONGEST = 10.0
"""Seconds that one office's hints may take of a sweep; the rest waits for the next."""
NO_MATTER = (
    *("take", "give-back", "hand-over", "ask", "answer", "note", "open-file", "open-proof"),
    *("answer-hint", "leave-hints", "read", "discard"),
    *("file", "complete", "match", "ask-permission", "grant-permission", "refuse-permission", "register"),
    *("publish", "take-list", "give-back-list", "give-data", "export-register", "withdraw-words"),
)
"""The kinds of decisions that can bring or take no hint of another section. After any other kind, a new one
too, hints are looked for anew.
"""


def newest_that_matters(federation: Federation) -> int:
    """The number of the newest decision after which hints are looked for anew; 0: there is none."""
    decisions = Decision.objects.filter(federation=federation).exclude(kind__in=NO_MATTER)
    return decisions.order_by("-number").values_list("number", flat=True).first() or 0


def out_of_date(federation: Federation) -> SectionQuerySet:
    """Sections that wait for an official whose hints were never looked for, or are overtaken: those without
    any first, then the oldest.
    """
    lines = Subquery(Ledger.objects.filter(federation=OuterRef("event__federation")).values("facts")[:1])
    current = Q(
        hints_search__version=F("version"),
        hints_search__line=lines,
        hints_search__decision=newest_that_matters(federation),
        hints_search__far=settings_of(federation).far_score,
    )
    waiting = Section.objects.filter(event__federation=federation).awaiting_review()
    return waiting.exclude(pk__in=waiting.filter(current).values("pk")).order_by(
        F("hints_search__at").asc(nulls_first=True), "pk"
    )


def is_overtaken(section: Section) -> bool:
    """Whether something was decided since hints were looked for in a waiting section, or they never were."""
    return out_of_date(section.event.federation).filter(pk=section.pk).exists()


def draw_up_hints(federation: Federation) -> int:
    """Look for hints where they are missing or overtaken, for some seconds at most; return in how many
    sections. While ratings are being worked out, nothing is looked for.
    """
    if Ledger.objects.pending().filter(federation=federation).exists():
        return 0
    until = time.monotonic() + LONGEST
    drawn = 0
    names: RegisterNames | None = None
    for section in out_of_date(federation).select_related("event__federation", "event__region"):
        names = names or read_names(federation)
        draw_up(section, names, today(federation), timezone.now())
        drawn += 1
        if time.monotonic() > until:
            break
    return drawn


def draw_up(section: Section, names: RegisterNames, on: date, at: datetime) -> list[HintFound]:
    """Look for the hints of one section and keep them with what they rest on; return them."""
    federation = section.event.federation
    seen = {
        "version": section.version,
        "line": Ledger.objects.values_list("facts", flat=True).get(federation=federation),
        "decision": newest_that_matters(federation),
        "far": settings_of(federation).far_score,
        "at": at,
    }
    found = hints_of(section, names, on)
    with transaction.atomic():
        HintsSearch.objects.update_or_create(section=section, defaults=seen)
        _keep(section, found)
    return found


def hints_of(section: Section, names: RegisterNames, on: date) -> list[HintFound]:
    """The hints of a section, from what is stored; nothing is written. Players who were in two places are not
    told where the whole other section is the same event.
    """
    beside = list(plays_of([section, *sections_beside(section)]))
    own, others = beside[0], beside[1:]
    same = list(same_event(compared_play(own), map(compared_play, others)))
    twice = {hint.evidence["section"] for hint in same}
    elsewhere = [attendance(play) for play in others if play.section.pk not in twice]
    entries = list(section.entries.exclude(player=None).select_related("player__federation"))
    far = settings_of(section.event.federation).far_score
    numbers = {entry.player.number: entry.number for entry in entries if entry.player}
    return [
        *same,
        *two_places(attendance(own), elsewhere),
        *_look_alikes(entries, names),
        *far_scores(expected_games(section, on), numbers, far),
    ]


def _look_alikes(entries: Sequence[Entry], names: RegisterNames) -> Iterable[HintFound]:
    people = {
        entry.player.pk: NamedInSection(
            entry.player.number,
            entry.number,
            entry.match == Entry.Match.NEW,
            frozenset(
                key for one in entry.candidates if one["player"] == entry.player_id for key in one["evidence"]
            ),
        )
        for entry in entries
        if entry.player
    }
    doubles = doubles_of(names, people.keys())
    keys = {key for pair in doubles for key in (pair.one, pair.other)}
    numbers = dict(Player.objects.filter(pk__in=keys).values_list("pk", "number"))
    return look_alikes(people, doubles, numbers)


def _keep(section: Section, found: Sequence[HintFound]) -> None:
    """Put the hints found in the place of those before; one that is found again keeps its row."""
    numbers = {number for hint in found for number in hint.players}
    players = dict(
        Player.objects.of(section.event.federation).filter(number__in=numbers).values_list("number", "pk")
    )
    section.review_hints.exclude(key__in=[hint.key for hint in found]).delete()
    order = {kind: place for place, kind in enumerate(HintKind)}
    for place, hint in enumerate(sorted(found, key=lambda hint: order[hint.kind])):
        row, _new = Hint.objects.update_or_create(
            section=section,
            key=hint.key,
            defaults={"kind": hint.kind.value, "order": place, "evidence": hint.evidence},
        )
        row.players.set(players[number] for number in hint.players if number in players)
