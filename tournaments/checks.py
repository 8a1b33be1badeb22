"""Facts of a section held against the world and against each other: births, people, places and pairs.

Entries and games may be saved or not, so that each door asks the same: a filed section, a history, and a file
that is only looked at.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import combinations
from typing import Any

from players.names import fold
from ratings.rulesets.facts import ANNULLED, FORFEITS
from ratings.rulesets.particulars import births_agree, can_have_played, is_provisional
from tournaments.formats.sheet import SheetGame
from tournaments.matching import get_ids, is_nameless
from tournaments.models import Entry, Finding, Section
from tournaments.places import FiledBye, compute_points, find_places_against_points

NAMES_SHOWN = 3
MEETS_ONCE = ("swiss", "round-robin")
"""The formats in which a pair meets once at most."""


PAIRS_ASKED = ("pairs-repeated", "pairs-missing")
"""The questions on pairs, which depend on the format."""
FACT_QUESTIONS = ("births-doubtful", "twins", "ids-differ", *PAIRS_ASKED, "place-against-points")
"""The keys of what `check_facts` finds."""


def check_facts(
    section: Section,
    entries: Sequence[Entry],
    games: Sequence[SheetGame],
    byes: Sequence[FiledBye],
    with_known_births: Collection[int] = (),
    settled: Collection[int] = (),
) -> Iterator[Finding]:
    """Yield a question for each cause for which the facts of a section cannot all be right, or hardly. The
    answer is another file, a correction, or the reason why all is right. `with_known_births`: starting
    numbers of entries without player, whose person the register has with a birth; `settled`: of those whose
    person is somebody of their own for certain.
    """
    births = [one for one in entries if is_birth_doubtful(one) and one.number not in with_known_births]
    if births:
        names = join_names(f"{entry.name} ({entry.birth[:4]})" for entry in births)
        yield _asks(section, "players", "births-doubtful", count=len(births), names=names)
    alike = find_twins(entries)
    if twins := [pair for pair in alike if not all(each.number in settled for each in pair)]:
        names = join_names(f"{other.name} ({one.number}, {other.number})" for one, other in twins)
        yield _asks(section, "players", "twins", count=len(twins), names=names)
    if differing := list(_differing_ids(entries)):
        names = join_names(f"{entry.name} ({filed} – {known})" for entry, filed, known in differing)
        yield _asks(section, "players", "ids-differ", count=len(differing), names=names)
    if pairs := find_repeated_pairs(section, games):
        by_number = {entry.number: entry for entry in entries}
        names = join_names(
            f"{by_number[one].name} – {by_number[other].name} ({', '.join(map(str, rounds))})"
            for one, other, rounds in pairs
        )
        yield _asks(section, "details", "pairs-repeated", count=len(pairs), names=names)
    elif missing := find_missing_pairs(section, entries, games, byes):
        names = join_names(f"{one.name} – {other.name}" for one, other in missing)
        yield _asks(section, "details", "pairs-missing", count=len(missing), names=names)
    places = find_places_against_points(section, entries, compute_points(section, entries, games, byes))
    if places and section.event.federation.ruleset.sections.places_needed:
        places = [_asks(section, places[0].source, places[0].key, **places[0].params)]
    yield from places


def is_birth_doubtful(entry: Entry) -> bool:
    """Whether an entry's birth is the only one known of its player, and nobody so old is likely to play."""
    known = entry.player is not None and entry.player.born is not None
    return bool(entry.birth) and not known and not can_have_played(entry.birth, entry.section.starts)


def find_twins(entries: Iterable[Entry]) -> list[tuple[Entry, Entry]]:
    """Pairs of entries that may be one person: their names are equal, perhaps with the parts exchanged, and
    neither births nor sexes, ids of a register or two of its players tell them apart. An entry is in one pair
    with an earlier one.
    """
    alike: dict[tuple[str, ...], list[Entry]] = defaultdict(list)
    found = list[tuple[Entry, Entry]]()
    for entry in entries:
        if not is_nameless(entry):
            same = alike[*sorted((fold(entry.surname), fold(entry.first_name)))]
            found += [(one, entry) for one in same if not _are_told_apart(one, entry)][:1]
            same.append(entry)
    return found


def _are_told_apart(one: Entry, other: Entry) -> bool:
    if one.player is not None and other.player is not None:
        return True  # nobody is entered twice as one player
    if not births_agree(one.birth, other.birth):
        return True
    if one.sex and other.sex and one.sex != other.sex:
        return True
    ids, others = (
        {kind: value for kind, value in get_ids(entry) if not is_provisional(kind)} for entry in (one, other)
    )
    return any(ids[kind] != others[kind] for kind in ids.keys() & others.keys())


def _differing_ids(entries: Iterable[Entry]) -> Iterator[tuple[Entry, str, str]]:
    """Yield entries with an id in the file and another one of that kind in the register, and both ids."""
    for entry in entries:
        if entry.player is None or entry.match == Entry.Match.NEW:
            continue
        known: dict[str, set[str]] = defaultdict(set)
        for held in entry.player.identifiers.all():
            known[held.kind].add(held.value)
        for kind, value in get_ids(entry):
            if known.get(kind) and value.lstrip("0") not in {each.lstrip("0") for each in known[kind]}:
                yield entry, value, min(known[kind])
                break


def find_repeated_pairs(section: Section, games: Iterable[SheetGame]) -> list[tuple[int, int, Sequence[int]]]:
    """The pairs who met in several scheduled rounds although the format has them meet once: two starting
    numbers, and the rounds. None in team play, where more rounds than opponents were scheduled, or in a round
    robin in which all met.
    """
    if section.format not in MEETS_ONCE or section.team:
        return []
    met: dict[tuple[int, int], set[int]] = defaultdict(set)
    for game in games:
        counts = game.result != ANNULLED and not (section.format == "swiss" and game.result in FORFEITS)
        if counts and not (section.finals and game.round > (section.rounds or 0)):
            met[min(game.first, game.second), max(game.first, game.second)].add(game.round)
    players = len({number for pair in met for number in pair})
    rounds = len({round_ for played in met.values() for round_ in played})
    all_met = len(met) == players * (players - 1) // 2
    if all_met or rounds >= players + players % 2:
        return []
    return [(one, other, sorted(played)) for (one, other), played in sorted(met.items()) if len(played) > 1]


def find_missing_pairs(
    section: Section, entries: Sequence[Entry], games: Sequence[SheetGame], byes: Iterable[FiledBye]
) -> list[tuple[Entry, Entry]]:
    """The pairs who never met in a round robin whose rounds were all played: the scheduled ones or, if their
    number is not known yet, all but the finals. None in team play, or where somebody was absent or left: a
    bye other than the free one, a forfeit, an annulled game, or more rounds without a game than one lost row
    leaves.
    """
    free = len(entries) % 2
    needed = len(entries) - 1 + free
    scheduled = section.rounds or max((game.round for game in games), default=0) - len(section.finals)
    played = [game for game in games if game.round <= scheduled]
    rounds = len({game.round for game in played})
    if section.format != "round-robin" or section.team or not 0 < needed <= rounds:
        return []
    if any(kind != "pairing" for _round, _number, kind in byes):
        return []
    if any(game.result in (*FORFEITS, ANNULLED) for game in played):
        return []
    seats = Counter(number for game in played for number in (game.first, game.second))
    if any(rounds - seats[entry.number] > rounds // needed * (1 + free) for entry in entries):
        return []
    met = {frozenset((game.first, game.second)) for game in played}
    pairs = combinations(entries, 2)
    return [(one, other) for one, other in pairs if frozenset((one.number, other.number)) not in met]


def join_names(names: Iterable[str]) -> str:
    """The first of these names, and whether there are more."""
    listed = list(names)
    return "; ".join([*listed[:NAMES_SHOWN], *(["…"] if len(listed) > NAMES_SHOWN else [])])


def _asks(section: Section, source: str, key: str, **params: Any) -> Finding:
    return Finding(section=section, source=source, level="waivable", key=key, params=params)
