"""Who is meant: a section's entries against the register, one query a kind of evidence for all of them.

An id alone is not enough, it must agree with the name or the birth; a name alone is not enough either. What
is not certain is left to a person, with candidates and the evidence for each.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from django.db.models import CharField, Q, QuerySet
from django.db.models.functions import Cast, Concat, Substr
from rapidfuzz import fuzz

from players.models import Federation, Identifier, Player
from players.names import fold, words
from tournaments.models import Entry

ALIKE = 85  # of 100: two spellings of one name
NEARLY = 70
CANDIDATES = 5
PREFIX = 2  # letters of the surname that a misspelt one still shares
WEIGHTS: Mapping[str, int] = {
    "number": 60,
    "identifier": 60,
    "birth-date": 35,
    "born": 20,
    "surname": 20,
    "surname-alike": 10,
    "first-name": 20,
    "initials": 10,
    "first-name-alike": 8,
    "sex-differs": -15,
    "born-differs": -25,
    "first-name-differs": -15,
    "surname-differs": -15,
    "id-differs": -20,
}
"""What each piece of evidence weighs in the ranking of candidates; certainty is not a sum (`is_certain`)."""
IDS = {"number", "identifier"}
SURNAMES = {"surname", "surname-alike"}
FIRST_NAMES = {"first-name", "initials", "first-name-alike"}


@dataclass(frozen=True, slots=True)
class Candidate:
    player: Player
    evidence: tuple[str, ...]

    @property
    def score(self) -> int:
        return max(0, min(100, sum(WEIGHTS[key] for key in self.evidence)))

    @property
    def is_certain(self) -> bool:
        """An id that the name or the birth bears out; or surname, first name, birth; nothing against it."""
        found = set(self.evidence)
        if found & {"sex-differs", "born-differs", "id-differs"}:
            return False
        surname, first_name = bool(found & SURNAMES), bool(found & FIRST_NAMES)
        if found & IDS:
            year_and_a_name = "born" in found and (surname or first_name)
            return "birth-date" in found or year_and_a_name or (surname and first_name)
        full = {"surname", "first-name"} <= found and bool(found & {"born", "birth-date"})
        return full or {"surname", "initials", "birth-date"} <= found


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
        self.players: QuerySet[Player] = (
            Player.objects.of(federation).current().select_related("birth_date", "region")
        )
        self.by_number = self._by_number()
        self.by_identifier, self.identifiers = self._by_identifier()
        self.by_key = self._by_key()

    def candidates(self, entry: Entry) -> list[Candidate]:
        """The likeliest first, at most five; only those whom something speaks for."""
        found: dict[int, Player] = {}
        for id_ in ids_of(entry):
            for player in (self.by_number.get(id_), self.by_identifier.get(id_)):
                if player:
                    found[player.pk] = player
        for key in keys_of(entry):
            found |= {player.pk: player for player in self.by_key.get(key, ())}
        judged = [self.judge(entry, player) for player in found.values()]
        likely = [candidate for candidate in judged if is_likely(candidate)]
        return sorted(likely, key=lambda c: (-c.score, c.player.number))[:CANDIDATES]

    def judge(self, entry: Entry, player: Player) -> Candidate:
        """All the evidence for and against."""
        evidence = [*self._id_evidence(entry, player), *name_evidence(entry, player)]
        evidence += birth_evidence(entry, player)
        if entry.sex and player.sex and entry.sex != player.sex:
            evidence.append("sex-differs")
        return Candidate(player, tuple(evidence))

    def _id_evidence(self, entry: Entry, player: Player) -> list[str]:
        ids = ids_of(entry)
        if player.number in ids:
            return ["number"]
        if any(self.by_identifier.get(id_) == player for id_ in ids):
            return ["identifier"]
        return ["id-differs"] if ids and player.pk in self.identifiers else []

    def _by_number(self) -> dict[str, Player]:
        ids = {id_ for entry in self.entries for id_ in ids_of(entry)}
        rows = Player.objects.of(self.federation).filter(number__in=ids)
        rows = rows.select_related("birth_date", "region", "merged_into__birth_date")
        return {player.number: player.merged_into or player for player in rows}

    def _by_identifier(self) -> tuple[dict[str, Player], set[int]]:
        """Players by a filed id, and who of the namesakes has an id of that kind at all."""
        ids = {id_ for entry in self.entries for id_ in ids_of(entry)}
        rows = Identifier.objects.filter(federation=self.federation, value__in=ids, player__merged_into=None)
        found = {row.value: row.player_id for row in rows}
        players = self.players.in_bulk(found.values())
        keys = {key for entry in self.entries for key in keys_of(entry)}
        with_id = Identifier.objects.filter(
            federation=self.federation, kind="fide", player__name_key__in=keys
        )
        return {value: players[pk] for value, pk in found.items()}, set(
            with_id.values_list("player_id", flat=True)
        )

    def _by_key(self) -> dict[str, list[Player]]:
        """Namesakes by the folded surname; and those of the same year whose surname is nearly the same.

        A common surname has thousands: only whoever shares an initial or the year is looked at whole.
        """
        hints: dict[str, _Hint] = defaultdict(_Hint)
        for entry in self.entries:
            for key in keys_of(entry):
                hints[key].add(entry)
        births = {f"{year}{key[:PREFIX]}" for key, hint in hints.items() for year in hint.years}
        born = Concat(Cast("born", CharField()), Substr("name_key", 1, PREFIX))
        rows = self.players.select_related(None).alias(year_and_prefix=born)
        grouped: dict[str, list[_Slim]] = defaultdict(list)
        for slim in rows.filter(Q(name_key__in=hints) | Q(year_and_prefix__in=births)).values_list(*SLIM):
            grouped[slim[1]].append(slim)
        picked = {
            key: [slim[0] for other in _alike(key, grouped) for slim in grouped[other] if hint.fits(slim)]
            for key, hint in hints.items()
        }
        players = self.players.in_bulk({pk for pks in picked.values() for pk in pks})
        return {key: [players[pk] for pk in pks] for key, pks in picked.items()}


def known_ids(federation: Federation, ids: Iterable[str]) -> set[str]:
    """Those that are a player's number in the register, or another id that it knows."""
    asked = set(ids)
    numbers = Player.objects.of(federation).filter(number__in=asked).values_list("number", flat=True)
    others = Identifier.objects.filter(federation=federation, value__in=asked, player__merged_into=None)
    return {*numbers, *others.values_list("value", flat=True)}


SLIM = ("pk", "name_key", "first_name", "born")
_Slim = tuple[int, str, str, int | None]


@dataclass(slots=True)
class _Hint:
    """What the entries of one surname share with a namesake who may be meant."""

    initials: set[str] = field(default_factory=set)
    years: set[int] = field(default_factory=set)

    def add(self, entry: Entry) -> None:
        self.initials |= {word[0] for word in words(entry.first_name or entry.surname)}
        if year := born_of(entry):
            self.years.add(year)

    def fits(self, slim: _Slim) -> bool:
        _pk, _key, first_name, born = slim
        return born in self.years or not first_name or fold(first_name)[:1] in self.initials


def _alike(key: str, others: Iterable[str]) -> list[str]:
    return [other for other in others if fuzz.ratio(other, key) >= ALIKE]


def is_likely(candidate: Candidate) -> bool:
    """Whether to trouble a person with it: an id, or a name with nothing plain against it."""
    found = set(candidate.evidence)
    if found & IDS:
        return True
    return bool(found & FIRST_NAMES) and not ("born-differs" in found and "surname-alike" in found)


def name_evidence(entry: Entry, player: Player) -> list[str]:
    """Surname and first name, apart where the file parts them, together where it does not."""
    if not entry.first_name:
        return _whole_name_evidence(entry, player)
    found = []
    key = fold(entry.surname)
    if key == player.name_key:
        found.append("surname")
    else:
        found.append("surname-alike" if fuzz.ratio(key, player.name_key) >= ALIKE else "surname-differs")
    found.append(first_name_evidence(words(entry.first_name), words(player.first_name)))
    return found


def _whole_name_evidence(entry: Entry, player: Player) -> list[str]:
    filed = " ".join(sorted(words(entry.surname)))
    known = " ".join(sorted(words(player.name)))
    if filed == known:
        return ["surname", "first-name"]
    if fuzz.ratio(filed, known) >= ALIKE:
        return ["surname-alike", "first-name-alike"]
    return ["surname"] if fold(entry.surname) == player.name_key else ["surname-differs"]


def first_name_evidence(filed: Sequence[str], known: Sequence[str]) -> str:
    """The same, initials of it (`T.`, `TJ` of `Thabo John`), alike, or another."""
    if not filed or not known:
        return "initials" if not filed and not known else "first-name-differs"
    if filed == known or (len(filed[0]) > 1 and filed[0] == known[0]):
        return "first-name"
    if _initials(filed, known) or _initials(known, filed):
        return "initials"
    alike = fuzz.ratio(" ".join(filed), " ".join(known)) >= ALIKE or fuzz.ratio(filed[0], known[0]) >= NEARLY
    return "first-name-alike" if alike else "first-name-differs"


def _initials(short: Sequence[str], full: Sequence[str]) -> bool:
    letters = "".join(short) if len(short[0]) <= 3 else ""
    first_letters = "".join(word[0] for word in full)
    return bool(letters) and (first_letters.startswith(letters) or letters.startswith(first_letters))


def birth_evidence(entry: Entry, player: Player) -> list[str]:
    year = born_of(entry)
    if not year or not player.born:
        return []
    if year != player.born:
        return ["born-differs"]
    known = getattr(player, "birth_date", None)
    if known and len(entry.birth) == 10:
        return ["birth-date"] if date.fromisoformat(entry.birth) == known.day else ["born-differs"]
    return ["born"]


def born_of(entry: Entry) -> int | None:
    """The year of birth as filed."""
    return int(entry.birth[:4]) if entry.birth else None


def ids_of(entry: Entry) -> list[str]:
    """The filed id as it stands, and without leading zeros."""
    return list(dict.fromkeys(filter(None, (entry.filed_id, entry.filed_id.lstrip("0")))))


def keys_of(entry: Entry) -> list[str]:
    """What to look a surname up by; where the file does not part the name, any of its words could be it."""
    whole = fold(entry.surname)
    if entry.first_name:
        return [whole] if whole else []
    parts = words(entry.surname)
    tails = ("".join(parts[start:]) for start in range(len(parts)))
    heads = ("".join(parts[:end]) for end in range(1, len(parts)))
    return list(dict.fromkeys(filter(None, (*tails, *heads))))


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
    exact = Q(number=q.strip()) | Q(identifiers__value=q.strip())
    register = Register(federation, [entry])
    rows = register.players.filter(named | exact).distinct()[:LOOKED_AT]
    fitting = [player for player in rows if _fits(player, parts, q.strip())]
    judged = [register.judge(entry, player) for player in fitting]
    return sorted(judged, key=lambda c: (-c.score, c.player.surname, c.player.first_name))[:FOUND_MOST]


def _fits(player: Player, parts: Sequence[str], q: str) -> bool:
    """Every word of the search begins a word of the name, or the whole of it the surname."""
    if any(part.isdecimal() for part in parts) or q == player.number:
        return True
    known = (*words(player.name), player.name_key)
    return player.name_key.startswith("".join(parts)) or all(
        any(word.startswith(part) for word in known) for part in parts
    )
