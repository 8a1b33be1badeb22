"""Small journals for tests: lines of facts, and three invented federations that use what csa does not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from hashlib import sha256
from types import MappingProxyType
from typing import Any
from unittest.mock import patch

from ratings.rulesets import rulesets
from ratings.rulesets.facts import (
    Answer,
    Change,
    Choice,
    Fact,
    Field,
    Finding,
    Level,
    Outcome,
    RatedSection,
    RuleTable,
    Section,
    State,
    by_order_of_play,
)
from ratings.rulesets.journal import read_journal
from ratings.rulesets.journal_lines import JournalError
from ratings.rulesets.ruleset import Edition, JournalRules, Ruleset, SectionRules, Storage, Track, Words


@dataclass(frozen=True, slots=True)
class Points:
    """One point for each game."""

    rating: Decimal
    games: int
    due: bool = False


class OnePointAGame:
    """Rules enough for a replay."""

    @staticmethod
    def apply(state: State[Points], fact: Fact) -> Outcome[Points]:
        if not isinstance(fact, RatedSection):
            return Outcome([], state.wide)
        changes = []
        for player in fact.players:
            before = state.get(player, "points")
            games = sum(player in game[1:3] for game in fact.section.games)
            start = before or Points(Decimal("0.50"), 0)
            after = Points(start.rating + games, start.games + games)
            changes.append(Change(player, "points", before, after, Decimal(games)))
        return Outcome(changes, state.wide)

    @staticmethod
    def answers(state: State[Points], on: date) -> Iterator[Answer]:
        for (player, track), points in state.standings.items():
            yield Answer(player, track, "rated", points.rating, points.games, listed=True)

    @staticmethod
    def tables(state: State[Points], on: date) -> list[RuleTable]:
        best = tuple(sorted((points.rating for points in state.standings.values()), reverse=True))
        return [RuleTable("best", ("on", "points"), ((on, best),))]


def federation(slug: str, **data: Any) -> Ruleset:
    return Ruleset(
        slug=slug,
        name=slug.title(),
        country="NLD",
        tracks=(Track("points", "Points"),),
        editions=(Edition(date(2010, 1, 1), "First", OnePointAGame),),
        words=Words({}, {"friendly": "a {category} section is for fun"}),
        storage=Storage(lambda track, text: text, str),
        **data,
    )


def choice(name: str, *values: str, **data: Any) -> Field:
    return Field(name, name, "choice", choices=tuple(Choice(value, value) for value in values), **data)


def friendly(section: Section) -> Finding | None:
    if section.category != "friendly":
        return None
    return Finding("3.5", Level.BLOCKS, "friendly", {"category": section.category})


def sections(**data: Any) -> SectionRules:
    return SectionRules(**{"formats": (), "tracks_of": lambda section: (), **data})


DOTS = federation(
    "dots",
    sections=sections(
        fields=(choice("time_class", "classic", "blitz"), choice("category", "first", "friendly")),
        find_unrateable_reason=friendly,
        places_needed=True,
        many_games_a_round=True,
    ),
    journal=JournalRules(
        folds=frozenset({"rated", "rank", "opening"}), order_key=by_order_of_play, ranks=("3", "2", "1")
    ),
)
DISCS = federation(
    "discs",
    sections=sections(
        fields=(choice("status", "gpp", "mp"), Field("season", "season", "text")),
        places_needed=True,
        women_play_in=frozenset({"mp"}),
    ),
    journal=JournalRules(folds=frozenset({"rated", "playoff", "opening"}), reads=frozenset({"women"})),
)
TILES = federation(
    "tiles",
    sections=sections(
        formats=("placement",),
        fields=(
            choice("status", "city", "special"),
            Field(
                "coefficient",
                "coefficient",
                "whole",
                choices=(Choice("1", "1"), Choice("2", "2")),
                only_with=("status", "special"),
            ),
        ),
        places_needed=True,
    ),
    journal=JournalRules(folds=frozenset({"rated", "player"}), reads=frozenset({"included_by"})),
)
INVENTED = {each.slug: each for each in (DOTS, DISCS, TILES)}


@contextmanager
def invented_federations() -> Iterator[None]:
    """A reader that finds the invented federations beside the real ones."""
    every = MappingProxyType({**rulesets(), **INVENTED})
    with patch("ratings.rulesets.journal.rulesets", lambda: every):
        yield


def line(fact: str, **keys: Any) -> str:
    return json.dumps({"fact": fact, **keys}, ensure_ascii=False, separators=(",", ":"))


def head(ruleset: str = "csa") -> str:
    return line("federation", form=3, code=ruleset, ruleset=ruleset, name="A federation")


def player(id: str, **keys: Any) -> str:
    """A player's line, named unless `name_seal` is given; salts are what each name's own hash gives."""
    named = {} if "name_seal" in keys else {"name": f"Player {id}"}
    said = {"id": id, **named, **keys}
    if "name" in said and "salt" not in said:
        salt = sha256(said["name"].encode()).hexdigest()[:32]
        said = {"id": id, "name": said.pop("name"), "salt": salt, **said}
    return line("player", **said)


OWN: dict[str, dict[str, Any]] = {
    "csa": {"time_control": {"minutes": [90], "increment": 30}, "platform": "otb"},
    "dots": {"time_class": "classic", "category": "first"},
    "discs": {"status": "gpp", "season": "2024"},
    "tiles": {"status": "city"},
}
"""What each ruleset's sections say beside what all do."""


def section(id: str = "E/A", players: str = "ab", ruleset: str = "csa", **keys: Any) -> str:
    """A section of two rounds, in the canonical order of keys; a key given as None is left out."""
    entries = [{"player": each, "place": place} for place, each in enumerate(players, start=1)]
    after: dict[str, Any] = {key: keys.pop(key) for key in ("entries", "games", "byes") if key in keys}
    said: dict[str, Any] = {
        "id": id,
        "event": "Open",
        "name": "A",
        "starts": "2024-03-01",
        "ends": "2024-03-02",
        "country": None,
        "format": "placement" if ruleset == "tiles" else "swiss",
        "team": None,
        "rounds": 2,
        **OWN[ruleset],
        **keys,
        "entries": entries,
        **after,
    }
    return line("section", **{key: value for key, value in said.items() if value is not None})


def game(first: str, second: str, result: str = "1-0", round: int = 1, **keys: Any) -> dict[str, Any]:
    return {"round": round, "first": first, "second": second, "result": result, **keys}


def rated(id: str = "E/A", on: str = "2024-03-09") -> str:
    return line("rated", section=id, on=on)


def unrated(id: str = "E/A", on: str = "2024-03-12") -> str:
    return line("unrated", section=id, on=on, reason="result")


def merged(player: str, into: str, on: str = "2024-06-01") -> str:
    return line("merged", player=player, into=into, on=on)


def parted(player: str, on: str = "2024-07-15") -> str:
    return line("parted", player=player, on=on)


def closing(on: str = "2024-04-01") -> str:
    return line("list", on=on)


def revised(of: str = "2024-04-01", on: str = "2024-05-03") -> str:
    return line("revised", list=of, on=on)


def opening(player: str, **keys: Any) -> str:
    said = {"track": "otb-main", "rating": "1500", "games": 20, "on": "2020-06-30", "source": "June"}
    return line("opening", player=player, **{**said, **keys})


def problems(*lines: str | bytes) -> list[str]:
    """What a reader says against a journal, line by line; nothing where it is well formed."""
    try:
        read_journal(lines)
    except JournalError as error:
        return [str(problem) for problem in error.problems]
    return []


def a_and_b(ruleset: str = "csa") -> list[str]:
    """The federation and two players: line 4 is next."""
    return [head(ruleset), player("a"), player("b")]
