"""Entries of the register that may be one person: how they are found, merged, or said to be two persons.

Likely doubles are found in one pass over few columns, and compared in blocks.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from itertools import combinations, islice

from django.db import transaction
from django.utils.translation import gettext as _
from rapidfuzz.distance import OSA

from players.models import Decision, Federation, FormerName, Identifier, PairOfTwo, Player, User
from players.names import sound
from players.record import Refused, decide, lock_ledger


# ---- Merges of two entries.
def refuse_pair(player: Player, into: Player) -> None:
    """Raise `Refused`, with the words for an official, where two entries cannot be merged: in two registers,
    the same one, or one of them merged already.
    """
    if player.federation_id != into.federation_id:
        raise Refused(_("The two entries are in the registers of two different offices."))
    if player.pk == into.pk:
        raise Refused(_("This is the number of the same entry: give the number of the other."))
    for each in (player, into):
        if each.merged_into:
            raise Refused(
                _("%(number)s was merged into %(other)s already. Choose that entry instead.")
                % {"number": each.number, "other": each.merged_into.number}
            )


def entries_of(player: Player) -> list[Player]:
    """All register entries of a player: the entry itself, and those that were merged into it."""
    return [player, *player.merged.all()]


def join(player: Player, into: Player) -> None:
    """Merge one entry, with those merged into it before, into another; keep a wish not to be named."""
    into.withheld = into.withheld or player.withheld
    into.save(update_fields=["withheld"])
    merged = [each.pk for each in entries_of(player)]
    Player.objects.filter(pk__in=merged).update(merged_into=into, withheld=into.withheld)
    Identifier.objects.filter(player=player).update(player=into)


# ---- The answer that two similar entries are two persons: it is on record, and not asked again.
@transaction.atomic
def tell_apart(*, player: Player, other: Player, by: User | None, on: date, reason: str) -> PairOfTwo:
    """Say that two entries are two persons; raise `Refused` without a reason, or where they were merged or
    somebody said so before.
    """
    lock_ledger(player.federation)
    for each in (player, other):
        each.refresh_from_db(fields=["merged_into"])
    if not reason.strip():
        raise Refused(_("Say how you know that they are two persons: the record keeps your words."))
    refuse_pair(player, other)
    one, second = sorted((player, other), key=lambda each: each.pk)
    pair, made = PairOfTwo.objects.get_or_create(one=one, other=second, defaults={"on": on})
    if not made:
        raise Refused(_("Somebody has said already that these are two persons."))
    about, told = f"player {player.number}", {"other": other.number, "reason": reason.strip()}
    decide(player.federation, kind="two-persons", by=by, on=on, about=about, **told)
    return pair


def said_to_be_two(player: Player, other: Player) -> Decision | None:
    """The newest decision by which two entries, or entries merged into them, are two persons: that told them
    apart, or parted them.
    """
    one, second = ({each.number for each in entries_of(whose)} for whose in (player, other))
    decisions = Decision.objects.filter(federation=player.federation_id, kind__in=("two-persons", "part"))
    for decision in decisions.filter(about__in=[f"player {n}" for n in one | second]).order_by("-number"):
        told = decision.details.get("other") or decision.details.get("out_of")
        named = decision.about.removeprefix("player ")
        if (named in one and told in second) or (named in second and told in one):
            return decision
    return None


def refuse_two_persons(player: Player, other: Player, *, all_the_same: bool) -> None:
    """Raise `Refused` where somebody said that two entries are two persons, unless that is known."""
    if not all_the_same and said_to_be_two(player, other) is not None:
        raise Refused(
            _(
                "Somebody said that %(one)s and %(other)s are two persons. Read why, and confirm that they "
                "are one all the same."
            )
            % {"one": player.number, "other": other.number}
        )


# ---- Likely doubles.
BLOCK = 80
"""The most entries of one block that are compared with each other: no real block of doubles is longer."""
FOUND_MOST = 2_000
SLIP_FROM, TWO_SLIPS_FROM = 4, 8
"""Letters of the shorter surname from which one slip is taken for one, and two."""
WEIGHTS = {
    "birth-date": 40,
    "surname": 30,
    "born": 20,
    "former-surname": 20,
    "first-name": 20,
    "names-swapped": 20,
    "surname-alike": 15,
    "surname-nearly": 12,
    "first-name-alike": 8,
}
"""The weight of each piece of evidence, by which the likeliest doubles come first."""


@dataclass(frozen=True, slots=True)
class NamedEntry:
    """The few columns of a player by which doubles are found."""

    pk: int
    name_key: str
    first_name_key: str
    born: int | None
    day: date | None
    sex: str

    @property
    def first_word(self) -> str:
        return self.first_name_key.partition(" ")[0]


@dataclass(frozen=True, slots=True)
class LikelyDouble:
    """Two entries that may be one person, and what speaks for it."""

    one: int
    other: int
    evidence: tuple[str, ...]

    @property
    def score(self) -> int:
        return sum(WEIGHTS[key] for key in self.evidence)


Blocks = dict[tuple[object, ...], list[NamedEntry]]


@dataclass(frozen=True, slots=True)
class RegisterNames:
    """The names of a register in blocks, read once, to find doubles of anybody in it."""

    blocks: Blocks
    former: dict[int, set[str]]
    """The folded former surnames of players, by key."""
    answered: set[tuple[int, int]]
    """The pairs said to be two persons."""


def read_names(federation: Federation) -> RegisterNames:
    """Read the names of a register: one pass over few columns."""
    # The folded former surnames of players, by key.
    former: defaultdict[int, set[str]] = defaultdict(set)
    rows = FormerName.objects.filter(player__federation=federation, player__merged_into=None).order_by()
    for player, key in rows.values_list("player_id", "name_key"):
        former[player].add(key)
    answered = PairOfTwo.objects.filter(one__federation=federation).values_list("one_id", "other_id")
    return RegisterNames(_blocks(_entries(federation), former), former, set(answered))


def likely_doubles(federation: Federation) -> list[LikelyDouble]:
    """The likely doubles of a register, likeliest first, without pairs said to be two persons."""
    names = read_names(federation)
    return _alike(names, _pairs(names.blocks))


def doubles_of(names: RegisterNames, players: Collection[int]) -> list[LikelyDouble]:
    """The likely doubles that some players have in the register, by their keys; likeliest first, without
    pairs said to be two persons.
    """
    return _alike(names, _pairs_of(names.blocks, players))


def _alike(names: RegisterNames, pairs: Iterable[tuple[NamedEntry, NamedEntry]]) -> list[LikelyDouble]:
    """Keep the pairs that may be one person, each once."""
    found: dict[tuple[int, int], LikelyDouble] = {}
    for one, other in pairs:
        key = (min(one.pk, other.pk), max(one.pk, other.pk))
        if key in found or key in names.answered:
            continue
        if evidence := _evidence(one, other, names.former):
            found[key] = LikelyDouble(*key, evidence)
            if len(found) >= FOUND_MOST:
                break
    return sorted(found.values(), key=lambda pair: (-pair.score, pair.one, pair.other))


def _entries(federation: Federation) -> list[NamedEntry]:
    rows = Player.objects.of(federation).current().exclude(name_key="").order_by()
    columns = ("pk", "name_key", "first_name_key", "born", "birth_date__day", "sex")
    return [NamedEntry(*row) for row in rows.values_list(*columns).iterator(chunk_size=5_000)]


def _blocks(entries: Iterable[NamedEntry], former: dict[int, set[str]]) -> Blocks:
    """Entries worth a closer look together: of one first name and birth, one surname and birth, one name."""
    blocks: defaultdict[tuple[object, ...], list[NamedEntry]] = defaultdict(list)
    for each in entries:
        if each.born:
            blocks["first", sound(each.first_word), each.born].append(each)
            blocks["surname", sound(each.name_key), each.born].append(each)
        whole = "".join(sorted(each.name_key + each.first_name_key.replace(" ", "")))
        blocks["letters", whole].append(each)
        for key in {each.name_key, *former.get(each.pk, ())}:
            blocks["name", key, each.first_name_key].append(each)
    return {key: block for key, block in blocks.items() if len(block) > 1}


def _pairs(blocks: Blocks) -> Iterator[tuple[NamedEntry, NamedEntry]]:
    for block in blocks.values():
        yield from combinations(islice(block, BLOCK), 2)


def _pairs_of(blocks: Blocks, players: Collection[int]) -> Iterator[tuple[NamedEntry, NamedEntry]]:
    """Pairs of which at least one is among the players."""
    wanted = set(players)
    for block in blocks.values():
        for one in (each for each in block if each.pk in wanted):
            yield from ((one, other) for other in islice(block, BLOCK) if other.pk != one.pk)


def _evidence(one: NamedEntry, other: NamedEntry, former: dict[int, set[str]]) -> tuple[str, ...]:
    """The evidence for one person, as keys of `WEIGHTS`; empty if too little, or something against it."""
    if one.sex and other.sex and one.sex != other.sex:
        return ()
    birth = _birth(one, other)
    if birth == "differs":
        return ()
    if one.name_key == other.first_name_key.replace(" ", "") != one.first_name_key.replace(" ", ""):
        same = other.name_key == one.first_name_key.replace(" ", "")
        return ("names-swapped", *([birth] if birth else [])) if same else ()
    surname = _surname(one, other, former)
    first_name = _first_name(one, other)
    if not first_name or not _enough(surname, first_name, birth):
        return ()
    return tuple(filter(None, (surname, first_name, birth)))


def _enough(surname: str, first_name: str, birth: str) -> bool:
    """Whether to offer a pair: the first name and the day of birth, the whole name, or names alike and the
    year.
    """
    if first_name == "first-name":
        return birth == "birth-date" or surname in ("surname", "former-surname") or bool(surname and birth)
    return surname == "surname" and birth == "birth-date"


def _birth(one: NamedEntry, other: NamedEntry) -> str:
    if one.born is None or other.born is None:
        return ""
    if one.born != other.born:
        return "differs"
    if one.day and other.day:
        return "birth-date" if one.day == other.day else "differs"
    return "born"


def _surname(one: NamedEntry, other: NamedEntry, former: dict[int, set[str]]) -> str:
    if one.name_key == other.name_key:
        return "surname"
    once, as_well = former.get(one.pk, set()), former.get(other.pk, set())
    if other.name_key in once or one.name_key in as_well or once & as_well:
        return "former-surname"
    if sound(one.name_key) == sound(other.name_key):
        return "surname-alike"
    shorter = min(len(one.name_key), len(other.name_key))
    slips = 0 if shorter < SLIP_FROM else 1 if shorter < TWO_SLIPS_FROM else 2
    near = slips and OSA.distance(one.name_key, other.name_key, score_cutoff=slips) <= slips
    return "surname-nearly" if near else ""


def _first_name(one: NamedEntry, other: NamedEntry) -> str:
    if not one.first_word or not other.first_word:
        return "first-name" if one.first_word == other.first_word else ""
    if sound(one.first_word) == sound(other.first_word):
        return "first-name"
    short, full = sorted((one.first_word, other.first_word), key=len)
    initial = len(short) == 1 and full.startswith(short)
    near = OSA.distance(short, full, score_cutoff=1) <= 1
    return "first-name-alike" if initial or near else ""
