"""An invented csa journal of any size: `python -m benchmarks.generate GAMES [-o FILE]`; the same seed gives
the same bytes.

About 9 games a participation; one game in a hundred is a forfeit; a list closes every month. A million games
make 20,000 players, some 220,000 participations and 2,500 sections in eight years.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

from ratings.rulesets import facts, rulesets
from ratings.rulesets.journal_lines import write_line

GAMES_A_SECTION = 400
PLAYERS_A_GAME = 0.02
DAYS = 8 * 365
FIRST = date(2020, 7, 4)
CONTROLS = (("90", "30"), ("60", "0"), ("25", "5"), ("15", "0"), ("5", "3"))


def journal_facts(
    games: int, *, players: int | None = None, seed: int = 1, code: str = "csa", lists: bool = True
) -> Iterator[facts.JournalFact]:
    """Yield the facts of an invented csa journal with about `games` games, of an office with this code.

    Without `lists` no list ever closes.
    """
    rng = random.Random(seed)
    people = [
        facts.Player(
            str(101_000_000 + n),
            f"Player{n:05}, Invented",
            rng.randbytes(16).hex(),
            nation="RSA",
        )
        for n in range(players or max(40, int(games * PLAYERS_A_GAME)))
    ]
    births = {person.id: (rng.choice("mmmf"), rng.randint(1950, 2014)) for person in people}
    counted: Counter[facts.StandingKey] = Counter()
    skill = [rng.gauss(1300, 300) for _ in people]
    yield facts.Federation(facts.JOURNAL_FORM, code, "csa", "Chess South Africa")
    yield from people
    sections = max(1, games // GAMES_A_SECTION)
    month = (FIRST.year, FIRST.month)
    for number in range(sections):
        starts = FIRST + timedelta(days=DAYS * number // sections)
        ends = starts + timedelta(days=rng.randint(0, 2))
        rated = starts + timedelta(days=3)
        while lists and (rated.year, rated.month) > month:
            month = (month[0] + month[1] // 12, month[1] % 12 + 1)
            yield facts.ListClosing(date(*month, 1))
        section = stated(play(rng, number, starts, ends, people, skill), births, counted)
        yield section
        yield facts.Rated(section.id, rated)


def play(
    rng: random.Random,
    number: int,
    starts: date,
    ends: date,
    people: list[facts.Player],
    skill: list[float],
    size: int | None = None,
    rounds: int | None = None,
) -> facts.Section:
    """Invent one section: random pairings, results by `skill` (one for each of `people`), 1 % forfeits."""
    rounds = rounds or rng.choice((7, 9, 9, 11))
    size = size or max(8, min(len(people), round(rng.gauss(2 * GAMES_A_SECTION / rounds, 12)) // 2 * 2))
    # Whose index is drawn near 0 plays often: activity is skewed as it is in life.
    entrants: set[int] = set()
    while len(entrants) < size:
        entrants.add(min(int(rng.betavariate(0.8, 2.5) * len(people)), len(people) - 1))
    seats = sorted(entrants)
    games = []
    for round_number in range(1, rounds + 1):
        rng.shuffle(seats)
        for first, second in zip(seats[::2], seats[1::2], strict=False):
            chance = 1 / (1 + 10 ** ((skill[second] - skill[first] - 30) / 400))
            draw = rng.random() < 0.115
            won = rng.random() < chance
            result = "1/2" if draw else "1-0" if won else "0-1"
            if rng.random() < 0.01:
                result = "+:-" if won else "-:+"
            games.append(facts.Game(round_number, people[first].id, people[second].id, result))
    minutes, increment = rng.choice(CONTROLS)
    return facts.Section(
        id=f"{starts.year}-{number + 1:05}/A",
        event=f"Open {number + 1}",
        name="A",
        starts=starts,
        ends=ends,
        format="swiss",
        rounds=rounds,
        entries=tuple(facts.Entry(people[index].id) for index in sorted(entrants)),
        games=tuple(games),
        time_controls=(facts.TimeControl((Decimal(minutes),), Decimal(increment)),),
        platform=rng.choice(("otb", "otb", "otb", "otb", "online")),
    )


def stated(
    section: facts.Section, births: Mapping[str, tuple[str, int]], counted: Counter[facts.StandingKey]
) -> facts.Section:
    """Return a section with the pre-ratings (§58) that an office states for players with few games so far.

    Adds its games to `counted`, by player and track. `births`: sex and year of birth by player.
    """
    ruleset = rulesets()["csa"]
    pre_ratings = ruleset.pre_ratings
    assert pre_ratings is not None
    tracks, entries = ruleset.sections.tracks_of(section), []
    for entry in section.entries:
        few = min(counted[entry.player, track] for track in tracks) < pre_ratings.until_games
        sex, born = births[entry.player]
        entries.append(replace(entry, pre=pre_ratings.of(born, sex, section)) if few else entry)
    for game in section.games:
        for player in (game.first, game.second) if game.played else ():
            counted.update((player, track) for track in tracks)
    return replace(section, entries=tuple(entries))


def journal_lines(
    games: int, *, players: int | None = None, seed: int = 1, code: str = "csa", lists: bool = True
) -> Iterator[str]:
    """Yield the facts of `journal_facts` as lines of a journal's file, each with its line end."""
    ruleset = rulesets()["csa"]
    found = journal_facts(games, players=players, seed=seed, code=code, lists=lists)
    return (write_line(fact, ruleset) + "\n" for fact in found)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("games", type=int)
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--players", type=int)
    options = parser.parse_args()
    with options.output.open("w", encoding="utf-8", newline="\n") if options.output else sys.stdout as file:
        file.writelines(journal_lines(options.games, players=options.players))
