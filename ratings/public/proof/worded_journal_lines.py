"""Puts lines of the journal into words for pages, with links to what they mention."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.urls import reverse
from django.utils.formats import date_format

from players.office.models import Federation
from players.register.models import Player
from ratings.journal.models import Fact
from ratings.journal.unrating_reasons import reason_words
from ratings.law import facts, journal
from ratings.recompute.steps import CORRECTING


@dataclass(frozen=True, slots=True)
class WordedLine:
    """One line of the journal for a page: whom or what it is about, its reason, and the line itself."""

    fact: Fact
    about: str
    url: str
    """URL of the erratum, section, player or list; empty if none."""
    why: str
    raw: str
    """The line as stored; empty for a player's."""


def worded_lines(federation: Federation, lines: Sequence[Fact]) -> list[WordedLine]:
    """Put lines of the journal into words for a page; the players in them are looked up together."""
    numbers = {line.subject for line in lines if line.subject and line.section_id is None}
    people = Player.objects.filter(federation=federation, number__in=numbers).select_related("merged_into")
    named = {player.number: player for player in people}
    return [_worded(federation, line, named.get(line.subject)) for line in lines]


def _worded(federation: Federation, line: Fact, player: Player | None) -> WordedLine:
    about, url = line.subject, ""
    if line.section is not None:
        about = f"{line.section.event.name}, {line.section.name}"
        url = reverse("ratings:section", args=[federation.code, line.section.event.number, line.section.code])
    elif player is not None:
        about = f"{player.shown_name} ({player.number})"
        url = reverse("ratings:player", args=[federation.code, player.number])
    elif line.kind == "list" and line.on:
        about = date_format(line.on, "DATE_FORMAT")
        url = reverse("ratings:list_day", args=[federation.code, line.on.isoformat()])
    if line.kind in CORRECTING:
        url = reverse("ratings:erratum", args=[federation.code, line.number])
    raw = "" if line.kind == "player" else line.line  # names are shown in the file alone
    return WordedLine(line, about, url, _why(federation, line), raw)


def _why(federation: Federation, line: Fact) -> str:
    if line.kind != "unrated":
        return ""
    fact = journal.parse_line(line.line, federation.ruleset)
    return reason_words(fact.reason) if isinstance(fact, facts.Unrated) else ""
