"""Ties of remarks: the line, game, entry or finding of a section that somebody speaks of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from django.db.models import Q
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from players.office.decision_record import Refused
from players.register.models import Player
from players.register.name_folding import words as words_of_name
from tournaments.events.finding_words import equal_ones, words_of
from tournaments.events.models import Entry, Game, Section

LINE, GAME, ENTRY, FINDING = "line", "game", "entry", "finding"
KINDS: dict[str, Any] = {
    "": gettext_lazy("the section"),
    LINE: gettext_lazy("a line of the file: its number"),
    ENTRY: gettext_lazy("a player: the name, or the number under “Entries”"),
    GAME: gettext_lazy("a game: the round and a player, as 3 Botha or 3 12"),
}
MOST_FINDINGS = 30
LAST_LINE = 1_000_000
MOST_NAMESAKES = 5


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
    found = [equal[0] for equal in equal_ones(section.findings.all())][:MOST_FINDINGS]
    findings = ((f"{FINDING}-{one.pk}", words_of(one, ruleset)) for one in found)
    return [*((kind, str(words)) for kind, words in KINDS.items()), *findings]


def tie_of(section: Section, kind: str, which: str) -> Tie:
    """The tie that was chosen and typed. Raises `Refused` where the section has no such thing."""
    if kind.startswith(f"{FINDING}-"):
        return _finding(section, kind.removeprefix(f"{FINDING}-"))
    first, _space, rest = which.replace(",", " ").replace(":", " ").strip().partition(" ")
    number = _number(first)
    match kind:
        case "":
            return UNTIED
        case "line" if 0 < number <= LAST_LINE and not rest:
            return Tie(LINE, {"line": number}, _("Line %(line)s of the file") % {"line": number})
        case "entry" if first:
            return _of_entry(_entry(section, which))
        case "game" if number >= 0 and rest:
            return _game(section, number, _entry(section, rest))
    raise Refused(
        _(
            "“%(which)s” does not say which: write a line as 12, a player as Botha or 7, a game as 3 Botha "
            "or 3 7."
        )
        % {"which": which.strip()}
    )


def _number(word: str) -> int:
    return int(word) if word.isascii() and word.isdecimal() and len(word) < 8 else -1


def _entry(section: Section, said: str) -> Entry:
    """The entry of a starting number, or of a name or a part of it, as nobody else's there is.

    The cross table on the page numbers the players by their places, so the name is what its reader has.
    """
    entries = section.entries.select_related("player")
    if (number := _number(said.strip())) >= 0:
        found = [entry for entry in entries if entry.number == number]
    else:
        wanted = set(words_of_name(said))
        found = [entry for entry in entries if wanted and wanted <= set(words_of_name(entry.name))]
    if len(found) == 1:
        return found[0]
    if found:
        some = "; ".join(f"{entry.number} {entry.name}" for entry in found[:MOST_NAMESAKES])
        words = _("Several players are called “%(name)s” here: %(some)s. Write the number instead.")
        raise Refused(words % {"name": said.strip(), "some": some})
    if number >= 0:
        raise Refused(_("Nobody has the starting number %(number)s in this section.") % {"number": number})
    raise Refused(_("Nobody in this section is called “%(name)s”.") % {"name": said.strip()})


def _of_entry(entry: Entry) -> Tie:
    words = _("%(name)s, number %(number)s under “Entries”") % {"number": entry.number, "name": entry.name}
    return Tie(ENTRY, {"number": entry.number}, words, _players(entry))


def _game(section: Section, round_number: int, entry: Entry) -> Tie:
    games = section.games.filter(Q(first=entry) | Q(second=entry), round=round_number)
    game: Game | None = games.select_related("first__player", "second__player").first()
    if game is None:
        words = _("%(player)s has no game in round %(round)s.")
        raise Refused(words % {"player": entry.name, "round": round_number})
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
