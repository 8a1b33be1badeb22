"""A section's entries matched against the register, with one query for each kind of evidence.

An id alone is not enough, it must agree with the name or the birth; but where a file has no names at all, the
id is all that it says of anybody. A name alone is not enough either. What is not certain is left to a person,
with candidates and the evidence for each.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from django.db.models import CharField, Q
from django.db.models.functions import Cast, Concat

from players.office.models import Federation
from players.register.former_names import former_names_of, once_called
from players.register.models import Identifier, Player, PlayerQuerySet
from players.register.name_folding import words
from tournaments.events.models import Entry
from tournaments.identity.evidence import (
    AGAINST,
    ID_OF_ANOTHER,
    IDS,
    Candidate,
    birth_evidence,
    born_of,
    first_name_evidence,
    id_evidence,
    keys_of,
    name_evidence,
    plain_evidence,
)
from tournaments.identity.id_kinds import (
    NUMBER,
    Id,
    ids_of,
    is_nameless,
    is_of_kind,
    is_provisional,
    platforms_of,
    spellings,
)
from tournaments.identity.surname_search import Namesakes, Slim, first_name_fits, slim, spellings_near

CANDIDATES = 5


def match(
    federation: Federation, entries: Sequence[Entry], taken: Iterable[int] = (), *, nameless: bool = False
) -> None:
    """Set `player`, `match` and `candidates` of entries, unsaved. A person's decisions stay.

    `taken`: keys of players who are other entries already, and so match nobody here. `nameless`: whether they
    are of a file without names.
    """
    settled = (Entry.Match.DECIDED, Entry.Match.NEW)
    decided = {entry.player_id for entry in entries if entry.match in settled and entry.player_id}
    taken = decided | set(taken)
    open_entries = [entry for entry in entries if entry.match not in settled]
    found = candidates_of(federation, open_entries, taken)
    certain = {number: sure for number, cs in found.items() if (sure := sure_of(cs, taken))}
    if nameless:
        by_id = {entry.number: by_id_alone(entry, found[entry.number], taken) for entry in open_entries}
        certain = {number: sure for number, sure in by_id.items() if sure} | certain
    claims = Counter(candidate.player.pk for candidate in certain.values())
    for entry in open_entries:
        sure = certain.get(entry.number)
        # Two entries are never one player: if both claim the same, a person says which.
        mine = sure if sure and claims[sure.player.pk] == 1 else None
        free = [c for c in found[entry.number] if c.player.pk not in taken]
        _write(entry, mine, free)


def candidates_of(
    federation: Federation, entries: Sequence[Entry], taken: Collection[int] = ()
) -> dict[int, list[Candidate]]:
    """The register's candidates for entries that nobody decided about, by starting number, best first."""
    register = RegisterPart(federation, entries)
    found = {entry.number: register.candidates(entry) for entry in entries}
    # Entries found by the very name are not looked for among all namesakes, who may be thousands.
    for whole in (False, True):
        unsure = [
            entry
            for entry in entries
            if not (sure := sure_of(found[entry.number], taken)) or not sure.has_the_name
        ]
        register.look_up_names(unsure, whole=whole)
        found |= {entry.number: register.candidates(entry) for entry in unsure}
    return found


def known_since(
    federation: Federation, entries: Sequence[Entry], taken: Collection[int]
) -> list[tuple[Entry, Player]]:
    """The entries taken for new players whom the register has by now, each with that player, who was no
    candidate before.

    `taken`: the keys of players who are other entries of the section.
    """
    register = RegisterPart(federation, entries)
    register.look_up_names(entries, whole=False)
    found = []
    for entry in entries:
        seen = {*taken, *(offered["player"] for offered in entry.candidates)}
        sure = (c.player for c in register.candidates(entry) if c.is_certain and c.player.pk not in seen)
        found += [(entry, player) for player in sure][:1]
    return found


def sure_of(candidates: Sequence[Candidate], taken: Collection[int] = ()) -> Candidate | None:
    """The candidate about whom no person has to decide; None where there is none, or more than one."""
    # If the filed id is somebody's, nobody else is certain.
    by_id = [c for c in candidates if IDS & set(c.evidence)]
    sure = [c for c in by_id or candidates if c.is_certain and c.player.pk not in taken]
    if len(sure) != 1:
        return None
    # Two of nearly the same name may have had their ids mixed up: the very name speaks against it.
    others = [c for c in candidates if c is not sure[0]]
    if any(c.has_the_name for c in others) and not sure[0].has_the_name:
        return None
    # Somebody who had the very name may still use it: without an id, nobody tells the two apart.
    return None if not by_id and any(c.had_the_name for c in others) else sure[0]


def by_id_alone(entry: Entry, candidates: Sequence[Candidate], taken: Collection[int]) -> Candidate | None:
    """The player whom an id of a known kind names exactly, with nothing against; None where there is none."""
    if not is_nameless(entry) or any(not each.kind or is_provisional(each.kind) for each in ids_of(entry)):
        return None
    same = [each for each in candidates if IDS & set(each.evidence)]
    free = [each for each in same if not AGAINST & set(each.evidence) and each.player.pk not in taken]
    return free[0] if len(same) == len(free) == 1 else None


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


class RegisterPart:
    """The part of a federation's register that some entries could mean."""

    def __init__(self, federation: Federation, entries: Iterable[Entry]) -> None:
        self.federation = federation
        self.entries = list(entries)
        self.platforms = platforms_of(federation.ruleset)
        self.regions = {code for code, _name in federation.region_names}
        self.players: PlayerQuerySet = Player.objects.of(federation).current().select_related("birth_date")
        self.own: dict[int, set[Id]] = defaultdict(set)
        """The register's ids by a player's key: number, others, those of merged entries."""
        self.namesakes: dict[int, list[Player]] = {}
        """Players of such a name, by starting number; filled by `look_up_names`."""
        self.former: dict[int, list[tuple[str, str]]] = {}
        """Former names of players looked at, by key."""
        self.by_value = self._by_value()

    def learn(self, players: Iterable[Player]) -> None:
        """Look up all ids of these players too, so that ids of the file that contradict them are seen, and
        their former names.
        """
        new = {player.pk: player for player in players}
        self.former |= former_names_of(list(new))
        for pk, player in new.items():
            self.own[pk].add(Id(NUMBER, player.number))
        known = Identifier.objects.filter(federation=self.federation, player__in=list(new))
        for pk, kind, value in known.values_list("player_id", "kind", "value"):
            self.own[pk].add(Id(kind, value))

    def candidates(self, entry: Entry) -> list[Candidate]:
        """The likeliest players for an entry, five at most, best first; only those with evidence for them."""
        found = {player.pk: player for filed in ids_of(entry) for player in self.having(filed)}
        found |= {player.pk: player for player in self.namesakes.get(entry.number, ())}
        judged = [self.judge(entry, player) for player in found.values()]
        likely = [candidate for candidate in judged if candidate.is_likely]
        return sorted(likely, key=lambda c: (-c.score, c.player.number))[:CANDIDATES]

    def judge(self, entry: Entry, player: Player) -> Candidate:
        """Gather all evidence for and against that an entry is this player."""
        owners = [self.having(filed) for filed in ids_of(entry)]
        birth = birth_evidence(entry, player)
        evidence = [
            *id_evidence(entry, self.own[player.pk], self.platforms),
            *([ID_OF_ANOTHER] if any(having and player not in having for having in owners) else []),
            *name_evidence(entry, player, self.former.get(player.pk, ()), same_birth="birth-date" in birth),
            *birth,
            *plain_evidence(entry, player, self.federation.ruleset.country, self.regions),
        ]
        return Candidate(player, tuple(evidence))

    def having(self, filed: Id) -> list[Player]:
        """The players of the register who have a filed id; one of unknown kind may be of any kind."""
        known = (each for value in spellings(filed.value) for each in self.by_value.get(value, ()))
        return [player for kind, player in known if is_of_kind(kind, filed.kind)]

    def _by_value(self) -> dict[str, list[tuple[str, Player]]]:
        """The players of the register by each filed id that they have, with the id's kind in the register."""
        ids = {value for entry in self.entries for id_ in ids_of(entry) for value in spellings(id_.value)}
        found: dict[str, list[tuple[str, Player]]] = defaultdict(list)
        rows = Player.objects.of(self.federation).filter(number__in=ids).order_by()
        for row in rows.select_related("birth_date", "merged_into__birth_date"):
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

    def look_up_names(self, entries: Sequence[Entry], *, whole: bool) -> None:
        """Look up namesakes born in the same year, and who had such a name; if `whole`, namesakes of any
        year, with similar surnames, and of the same first name with the same date of birth.
        """
        filed = {entry.number: keys_of(entry) for entry in entries}
        years: dict[str, set[int | None]] = defaultdict(set)
        for entry in entries:
            for key in filed[entry.number]:
                years[key].add(born_of(entry))
        near = spellings_near(self.federation, years) if whole else {key: {key} for key in years}
        known = Namesakes(slim(self.players, set().union(*near.values())) if whole else self._of_year(years))
        picked = {
            entry.number: [
                pk
                for key, rest in filed[entry.number].items()
                for other in near[key]
                for pk in known.likely(entry, rest, other)
            ]
            for entry in entries
        }
        once = once_called(self.federation, years)
        same_day = self._born_and_called_so(entries) if whole else {}
        for entry in entries:
            named = {pk for key in filed[entry.number] for pk in once.get(key, ())}
            picked[entry.number] += [*named, *same_day.get(entry.number, ())]
        players = self.players.in_bulk({pk for pks in picked.values() for pk in pks})
        self.learn(players.values())
        self.namesakes |= {
            number: [players[pk] for pk in dict.fromkeys(pks) if pk in players]
            for number, pks in picked.items()
        }

    def _born_and_called_so(self, entries: Sequence[Entry]) -> dict[int, list[int]]:
        """The keys of players with an entry's whole date of birth and its first name, whatever the surname,
        by the entry's number: somebody may have married.
        """
        days = {entry.birth for entry in entries if len(entry.birth) == 10 and not is_nameless(entry)}
        rows = self.players.filter(birth_date__day__in=days).order_by().select_related(None)
        born: dict[str, list[tuple[int, tuple[str, ...]]]] = defaultdict(list)
        for pk, day, first_name in rows.values_list("pk", "birth_date__day", "first_name"):
            born[day.isoformat()].append((pk, words(first_name)))
        return {
            entry.number: [pk for pk, known in born[entry.birth] if shares_first_name(entry, known)]
            for entry in entries
            if entry.birth in born
        }

    def _of_year(self, years: Mapping[str, set[int | None]]) -> Iterable[Slim]:
        births = {f"{year}{key}" for key, known in years.items() for year in known if year}
        year_and_key = Concat(Cast("born", CharField()), "name_key")
        return slim(self.players.alias(year_and_key=year_and_key).filter(year_and_key__in=births), years)


def shares_first_name(entry: Entry, known: Sequence[str]) -> bool:
    """Whether an entry has the first name whose folded words are `known`, whatever its surname."""
    filed = words(entry.first_name or entry.surname)
    if entry.first_name:
        return first_name_evidence(filed, known) == "first-name"
    return bool(known) and set(known) <= set(filed)


# ---------------------------------------------------------------- a person searches the register

FOUND_MOST = 12
LOOKED_AT = 300


def search(federation: Federation, entry: Entry, q: str) -> list[Candidate]:
    """Search the register for who an entry is, by number, id or name (`q`); the likeliest come first.

    Parts of names are enough, former names among them; if few players have them, similar spellings follow.
    """
    parts = words(q)
    if not parts:
        return []
    register = RegisterPart(federation, [entry])
    fitting = _beginning_so(register, parts, q.strip())
    if len(fitting) < FOUND_MOST and not any(part.isdecimal() for part in parts):
        known = {player.pk for player in fitting}
        fitting += [player for player in _spelt_nearly_so(register, parts) if player.pk not in known]
    register.learn(fitting)
    judged = [register.judge(entry, player) for player in fitting]
    return sorted(judged, key=lambda c: (-c.score, c.player.sort_key, c.player.number))[:FOUND_MOST]


def _beginning_so(register: RegisterPart, parts: Sequence[str], q: str) -> list[Player]:
    named = Q(name_key__startswith="".join(parts))
    for part in parts:
        named |= Q(name_key__startswith=part)
    exact = Q(number=q) | Q(identifiers__value__in=spellings(q))
    found = register.players.filter(named | exact).select_related("birth_date", "region").distinct()
    rows = found.prefetch_related("identifiers")[:LOOKED_AT]
    fitting = [player for player in rows if _fits(player, parts, q)]
    if any(part.isdecimal() for part in parts) or len(fitting) >= FOUND_MOST:
        return fitting
    known = {player.pk for player in fitting}
    everywhere = (
        register.players.named(q, inside_too=True)
        .exclude(pk__in=known)
        .likeliest_first(q)
        .select_related("birth_date", "region")
    )
    return [*fitting, *everywhere[:LOOKED_AT]]


def _spelt_nearly_so(register: RegisterPart, parts: Sequence[str]) -> list[Player]:
    """Players with a surname like one of the words, or like all in one piece, if the other words fit."""
    rests: dict[str, Sequence[str]] = {part: (*parts[:at], *parts[at + 1 :]) for at, part in enumerate(parts)}
    rests["".join(parts)] = ()
    near = spellings_near(register.federation, rests)
    rows = [
        row
        for key, others in near.items()
        for row in slim(register.players, others)
        if not rests[key] or first_name_fits(rests[key], row[2])
    ]
    first_name = words(register.entries[0].first_name)
    rows.sort(key=lambda row: not first_name_fits(first_name, row[2]))  # a common surname has thousands
    players = register.players.select_related("birth_date", "region")
    return list(players.in_bulk([row[0] for row in rows[:LOOKED_AT]]).values())


def _fits(player: Player, parts: Sequence[str], q: str) -> bool:
    """Whether each word of the search begins a word of the name, or all of it the surname; or it is an id."""
    if any(part.isdecimal() for part in parts) or q == player.number:
        return True
    if any(id_.value in spellings(q) for id_ in player.identifiers.all()):
        return True
    known = (*words(player.name), player.name_key)
    return player.name_key.startswith("".join(parts)) or all(
        any(word.startswith(part) for word in known) for part in parts
    )
