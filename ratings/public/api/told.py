"""Puts rows of the database into the API's words, with what the public may know of people today."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from html import unescape
from typing import Any

from django.http import HttpRequest
from django.utils.html import strip_tags

from players.register.models import Player
from ratings.equipment.downloads import DownloadRow
from ratings.journal.days_taken_over import DaysTakenOver
from ratings.law.journal import plain
from ratings.law.rule_outputs import Value
from ratings.lists.models import RatingList
from ratings.public.common.disclosure_limits import DisclosureLimits, Hidden
from ratings.results.rating_changes import ChangeOfFact
from tournaments.events.models import Section

Told = dict[str, Any]
Address = Callable[[str], str]


def number(value: Decimal | None) -> str | None:
    return None if value is None else plain(value)


def value_text(value: Value) -> str | None:
    """A value of the rules as text: numbers with all digits, days as ISO writes them."""
    if value is None:
        return None
    return plain(value) if isinstance(value, Decimal) else str(value)


def words_of(html: str) -> str:
    """The words of a page as plain text."""
    return unescape(strip_tags(html))


def named(player: Player) -> str | None:
    """The player's name; None for who asked not to be named, and where none is known."""
    return None if player.withheld or not player.name else player.name


def player_told(request: HttpRequest, player: Player, limits: DisclosureLimits) -> Told:
    hidden = player.withheld
    return {
        "number": player.number,
        "name": named(player),
        "withheld": hidden or not player.name,
        "title": limits.title(player),
        "region": player.region.code if player.region and not hidden else "",
        "nation": "" if hidden else player.nation,
        "page": request.build_absolute_uri(player.get_absolute_url()),
    }


def list_told(request: HttpRequest, shown: RatingList, hidden: Hidden, over: DaysTakenOver) -> Told:
    taken_over = over.of_line(shown.fact.number)
    return {
        "day": shown.on.isoformat(),
        "track": shown.track,
        "revision": shown.revision,
        "supersedes": shown.supersedes.revision if shown.supersedes else None,
        "players": shown.players,
        "line": shown.fact.number,
        "edition": shown.edition,
        "sha256": shown.sha256,
        "published_at": shown.published_at.isoformat(),
        "taken_over": taken_over.isoformat() if taken_over else None,
        "note": hidden.left_out_of(shown.note),
        "page": request.build_absolute_uri(f"{shown.get_absolute_url()}r{shown.revision}/"),
    }


def row_told(position: int, row: DownloadRow, name: str | None) -> Told:
    """A row of a list, from what its files tell."""
    return {
        "rank": row.rank,
        "position": position,
        "player": row.number,
        "name": name,
        "title": row.title,
        "region": row.region,
        "rating": plain(row.rating),
        "previous": number(row.previous),
        "games": row.games,
    }


def change_told(move: ChangeOfFact) -> Told:
    return {
        "line": move.line,
        "kind": move.kind,
        "day": move.on.isoformat() if move.on else None,
        "section": move.section or None,
        "before": number(move.before),
        "points": number(move.points),
        "after": number(move.after),
        "games": move.games,
    }


def section_head(section: Section) -> Told:
    return {
        "code": section.code,
        "name": section.name,
        "stage": section.stage,
        "starts": section.starts.isoformat(),
        "ends": section.ends.isoformat(),
        "rated_on": section.rated_on.isoformat() if section.rated_on else None,
    }
