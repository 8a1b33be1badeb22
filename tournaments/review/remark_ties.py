"""Ties of remarks: the line, game, entry or finding of a section that somebody speaks of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Q
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from players.office.decision_record import Refused
from players.register.models import Player
from tournaments.events.finding_words import words_of
from tournaments.events.models import Entry, Game, Section

LINE, GAME, ENTRY, FINDING = "line", "game", "entry", "finding"
KINDS: dict[str, Any] = {
    "": gettext_lazy("the section"),
    LINE: gettext_lazy("a line of the file: its number"),
    ENTRY: gettext_lazy("a player: the number under “Entries”"),
    GAME: gettext_lazy("a game: round and a player’s number, as 3 12"),
}
MOST_FINDINGS = 30
LAST_LINE = 1_000_000


@dataclass(frozen=True, slots=True)
class Tie:
    """The thing that a remark speaks of: its kind, its numbers, and its words as they are today."""

    kind: str = ""
    numbers: dict[str, object] = field(default_factory=dict)
    words: str = ""
    players: tuple[Player, ...] = ()


UNTIED = Tie()


def choices_of(section: Section) -> list[tuple[str, str]]:
    """The things that a form offers to speak of: the kinds, then the section's findings by their words."""
    ruleset = section.event.federation.ruleset
    found = section.findings.all()[:MOST_FINDINGS]
    findings = ((f"{FINDING}-{one.pk}", words_of(one, ruleset)) for one in found)
    return [*((kind, str(words)) for kind, words in KINDS.items()), *findings]


def tie_of(section: Section, kind: str, which: str) -> Tie:
    """The tie that was chosen and typed. Raises `Refused` where the section has no such thing."""
    numbers = list(_numbers(which))
    if kind.startswith(f"{FINDING}-"):
        return _finding(section, kind.removeprefix(f"{FINDING}-"))
    match kind, numbers:
        case "", _any:
            return UNTIED
        case "line", [line] if 0 < line <= LAST_LINE:
            return Tie(LINE, {"line": line}, _("Line %(line)s of the file") % {"line": line})
        case "entry", [number]:
            return _entry(section, number)
        case "game", [round_number, number]:
            return _game(section, round_number, number)
    raise Refused(
        _("“%(which)s” does not say which: write a line as 12, a player as 7, a game as 3 7.")
        % {"which": which.strip()}
    )


def _numbers(text: str) -> Iterator[int]:
    for word in text.replace(",", " ").replace(":", " ").split():
        yield int(word) if word.isascii() and word.isdecimal() and len(word) < 8 else -1


def _entry(section: Section, number: int) -> Tie:
    entry = section.entries.filter(number=number).select_related("player").first()
    if entry is None:
        raise Refused(_("Nobody has the starting number %(number)s in this section.") % {"number": number})
    words = _("Player %(number)s, %(name)s") % {"number": number, "name": entry.name}
    return Tie(ENTRY, {"number": number}, words, _players(entry))


def _game(section: Section, round_number: int, number: int) -> Tie:
    of_player = Q(first__number=number) | Q(second__number=number)
    games = section.games.filter(of_player, round=round_number)
    game: Game | None = games.select_related("first__player", "second__player").first()
    if game is None:
        raise Refused(
            _("The player %(number)s has no game in round %(round)s.")
            % {"number": number, "round": round_number}
        )
    words = _("Round %(round)s, %(first)s – %(second)s") % {
        "round": round_number,
        "first": game.first.name,
        "second": game.second.name,
    }
    numbers: dict[str, object] = {
        "round": round_number,
        "first": game.first.number,
        "second": game.second.number,
    }
    return Tie(GAME, numbers, words, _players(game.first, game.second))


def _finding(section: Section, key: str) -> Tie:
    known = section.findings.filter(pk=int(key)).first() if key.isascii() and key.isdecimal() else None
    if known is None:
        raise Refused(_("That finding is not there any more. Look at the findings as they are now."))
    numbers: dict[str, object] = {"key": known.key, "clause": known.clause, "line": known.line}
    return Tie(FINDING, numbers, words_of(known, section.event.federation.ruleset))


def _players(*entries: Entry) -> tuple[Player, ...]:
    return tuple(entry.player for entry in entries if entry.player)
