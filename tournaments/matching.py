"""Who is meant: a section's entries against the register, one query a kind of evidence for all of them.

An id alone is not enough, it must agree with the name or the birth; a name alone is not enough either. What
is not certain is left to a person, with candidates and the evidence for each.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from django.db.models import CharField, Q, QuerySet
from django.db.models.functions import Cast, Concat, Substr

from players.models import Federation, Identifier, Player
from players.names import beginnings, fold, words
from tournaments.evidence import (
    ID_OF_ANOTHER,
    IDS,
    Candidate,
    alike,
    birth_evidence,
    born_of,
    id_evidence,
    keys_of,
    name_evidence,
    plain_evidence,
)
from tournaments.ids import NUMBER, Id, ids_of, platforms_of, spellings
from tournaments.models import Entry

CANDIDATES = 5
PREFIX = 2  # letters of the surname that a misspelt one still shares


def match(federation: Federation, entries: Sequence[Entry], taken: Iterable[int] = ()) -> None:
    """Set `player`, `match` and `candidates` of entries, unsaved. What a person decided stands.

    `taken`: players (their keys) who are other entries already, and so are nobody here.
    """
    settled = (Entry.Match.DECIDED, Entry.Match.NEW)
    decided = {entry.player_id for entry in entries if entry.match in settled and entry.player_id}
    taken = decided | set(taken)
    open_entries = [entry for entry in entries if entry.match not in settled]
    register = Register(federation, open_entries)
    found = {entry.number: register.candidates(entry) for entry in open_entries}
    certain = {number: sure for number, cs in found.items() if (sure := _sure(cs, taken))}
    claims: dict[int, int] = defaultdict(int)
    for candidate in certain.values():
        claims[candidate.player.pk] += 1
    for entry in open_entries:
        sure = certain.get(entry.number)
        # Two entries are never one player: where both claim the same, a person says which.
        mine = sure if sure and claims[sure.player.pk] == 1 else None
        free = [c for c in found[entry.number] if c.player.pk not in taken]
        _write(entry, mine, free)


def _sure(candidates: Sequence[Candidate], taken: set[int]) -> Candidate | None:
    # Where the filed id is somebody's, nobody else is certain.
    by_id = [c for c in candidates if IDS & set(c.evidence)]
    sure = [c for c in by_id or candidates if c.is_certain and c.player.pk not in taken]
    return sure[0] if len(sure) == 1 else None


def _write(entry: Entry, sure: Candidate | None, candidates: Sequence[Candidate]) -> None:
    entry.player = sure.player if sure else None
    entry.match = Entry.Match.CERTAIN if sure else Entry.Match.DOUBTFUL if candidates else Entry.Match.NONE
    entry.candidates = [as_json(c) for c in ([sure] if sure else candidates)]


def as_json(candidate: Candidate) -> dict[str, object]:
    return {
        "player": candidate.player.pk,
        "score": candidate.score,
        "evidence": list(candidate.evidence),
    }


class Register:
    """The part of a federation's register that some entries could mean."""

    def __init__(self, federation: Federation, entries: Iterable[Entry]) -> None:
        self.federation = federation
        self.entries = list(entries)
        self.platforms = platforms_of(federation.ruleset)
        self.regions = {code for code, _name in federation.region_names}
        self.players: QuerySet[Player] = (
            Player.objects.of(federation).current().select_related("birth_date", "region")
        )
        self.own: dict[int, set[Id]] = defaultdict(set)
        """By a player's key the ids that the register has: number, others, those of merged entries."""
        self.by_value = self._by_value()
        self.by_key = self._by_key()
        self.learn([player for many in self.by_key.values() for player in many])

    def learn(self, players: Iterable[Player]) -> None:
        """Look up all the ids of these players too, for what the file says otherwise."""
        new = {player.pk: player for player in players}
        for pk, player in new.items():
            self.own[pk].add(Id(NUMBER, player.number))
        known = Identifier.objects.filter(federation=self.federation, player__in=list(new))
        for pk, kind, value in known.values_list("player_id", "kind", "value"):
            self.own[pk].add(Id(kind, value))

    def candidates(self, entry: Entry) -> list[Candidate]:
        """The likeliest first, at most five; only those whom something speaks for."""
        found = {player.pk: player for filed in ids_of(entry) for player in self.having(filed)}
        for key in keys_of(entry):
            found |= {player.pk: player for player in self.by_key.get(key, ())}
        judged = [self.judge(entry, player) for player in found.values()]
        likely = [candidate for candidate in judged if candidate.is_likely]
        return sorted(likely, key=lambda c: (-c.score, c.player.number))[:CANDIDATES]

    def judge(self, entry: Entry, player: Player) -> Candidate:
        """All the evidence for and against."""
        owners = [self.having(filed) for filed in ids_of(entry)]
        evidence = [
            *id_evidence(entry, self.own[player.pk], self.platforms),
            *([ID_OF_ANOTHER] if any(having and player not in having for having in owners) else []),
            *name_evidence(entry, player),
            *birth_evidence(entry, player),
            *plain_evidence(entry, player, self.federation.ruleset.country, self.regions),
        ]
        return Candidate(player, tuple(evidence))

    def having(self, filed: Id) -> list[Player]:
        """Whose id it is; one of no known kind is looked up under each."""
        known = (each for value in spellings(filed.value) for each in self.by_value.get(value, ()))
        return [player for kind, player in known if filed.kind in ("", kind)]

    def _by_value(self) -> dict[str, list[tuple[str, Player]]]:
        """By a filed id, whose it is, with the kind that it has in the register."""
        ids = {value for entry in self.entries for id_ in ids_of(entry) for value in spellings(id_.value)}
        found: dict[str, list[tuple[str, Player]]] = defaultdict(list)
        rows = Player.objects.of(self.federation).filter(number__in=ids)
        for row in rows.select_related("birth_date", "region", "merged_into__birth_date"):
            player = row.merged_into or row
            found[row.number].append((NUMBER, player))
            self.own[player.pk].add(Id(NUMBER, row.number))
        others = Identifier.objects.filter(
            federation=self.federation, value__in=ids, player__merged_into=None
        )
        known = list(others.values_list("player_id", "kind", "value"))
        players = self.players.in_bulk([pk for pk, _kind, _value in known])
        for pk, kind, value in known:
            found[value].append((kind, players[pk]))
        self.learn([player for each in found.values() for _kind, player in each])
        return found

    def _by_key(self) -> dict[str, list[Player]]:
        """Namesakes by the folded surname; and those of the same year whose surname is nearly the same.

        A common surname has thousands: only whoever shares an initial or the year is looked at whole.
        """
        hints: dict[str, _Hint] = defaultdict(_Hint)
        for entry in self.entries:
            for key, letters in keys_of(entry).items():
                hints[key].add(entry, letters)
        grouped = self._grouped(hints)
        by_start: dict[str, list[str]] = defaultdict(list)
        for key in grouped:
            by_start[key[:PREFIX]].append(key)
        picked: dict[str, list[int]] = {}
        for key, hint in hints.items():
            near = {key, *(k for start in beginnings(key, PREFIX) for k in by_start[start] if alike(key, k))}
            picked[key] = [slim[0] for other in near for slim in grouped.get(other, ()) if hint.fits(slim)]
        players = self.players.in_bulk({pk for pks in picked.values() for pk in pks})
        return {key: [players[pk] for pk in pks] for key, pks in picked.items()}

    def _grouped(self, hints: Mapping[str, _Hint]) -> dict[str, list[_Slim]]:
        """Whoever may be meant, by the folded surname, with no more of each than the choice needs."""
        births = {
            f"{year}{start}"
            for key, hint in hints.items()
            for start in beginnings(key, PREFIX)
            for year in hint.years
        }
        born = Concat(Cast("born", CharField()), Substr("name_key", 1, PREFIX))
        rows = self.players.select_related(None).alias(year_and_prefix=born)
        grouped: dict[str, list[_Slim]] = defaultdict(list)
        for slim in rows.filter(Q(name_key__in=hints) | Q(year_and_prefix__in=births)).values_list(*SLIM):
            grouped[slim[1]].append(slim)
        return grouped


SLIM = ("pk", "name_key", "first_name", "born")
_Slim = tuple[int, str, str, int | None]


@dataclass(slots=True)
class _Hint:
    """What the entries of one surname share with a namesake who may be meant."""

    initials: set[str] = field(default_factory=set)
    years: set[int] = field(default_factory=set)

    def add(self, entry: Entry, letters: Iterable[str]) -> None:
        self.initials |= set(letters)
        if year := born_of(entry):
            self.years.add(year)

    def fits(self, slim: _Slim) -> bool:
        _pk, _key, first_name, born = slim
        return born in self.years or not first_name or fold(first_name)[:1] in self.initials


# ---------------------------------------------------------------- a person searches the register

FOUND_MOST = 12
LOOKED_AT = 300


def search(federation: Federation, entry: Entry, q: str) -> list[Candidate]:
    """Players by number, id or the beginnings of their names, the likeliest for this entry first."""
    parts = words(q)
    if not parts:
        return []
    named = Q(name_key__startswith="".join(parts))
    for part in parts:
        named |= Q(name_key__startswith=part)
    exact = Q(number=q.strip()) | Q(identifiers__value__in=spellings(q.strip()))
    register = Register(federation, [entry])
    rows = register.players.filter(named | exact).distinct().prefetch_related("identifiers")[:LOOKED_AT]
    fitting = [player for player in rows if _fits(player, parts, q.strip())]
    register.learn(fitting)
    judged = [register.judge(entry, player) for player in fitting]
    return sorted(judged, key=lambda c: (-c.score, c.player.surname, c.player.first_name))[:FOUND_MOST]


def _fits(player: Player, parts: Sequence[str], q: str) -> bool:
    """Every word of the search begins a word of the name, or the whole of it the surname; or it is an id."""
    if any(part.isdecimal() for part in parts) or q == player.number:
        return True
    if any(id_.value in spellings(q) for id_ in player.identifiers.all()):
        return True
    known = (*words(player.name), player.name_key)
    return player.name_key.startswith("".join(parts)) or all(
        any(word.startswith(part) for word in known) for part in parts
    )
