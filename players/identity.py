"""Entries of the register that may be one person: finding, merging and distinguishing them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from itertools import chain, combinations, islice

from django.db import transaction
from django.utils.translation import gettext as _
from rapidfuzz.distance import OSA

from players.models import Decision, Federation, FormerName, Identifier, PairOfTwo, Player, User
from players.names import compute_sound
from players.record import Refused, decide, lock_ledger


# ---- Merging entries
def refuse_pair(player: Player, into: Player) -> None:
    """Raise `Refused` if two entries are of different registers, the same entry, or one is merged already."""
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


def list_entry_and_merged(player: Player) -> list[Player]:
    """The player's entry and those that were merged into it."""
    return [player, *player.merged.all()]


def merge_entries(player: Player, into: Player) -> None:
    """Merge an entry, with those merged into it before, into another; if one is withheld, both are."""
    into.withheld = into.withheld or player.withheld
    into.save(update_fields=["withheld"])
    merged = [each.pk for each in list_entry_and_merged(player)]
    Player.objects.filter(pk__in=merged).update(merged_into=into, withheld=into.withheld)
    Identifier.objects.filter(player=player).update(player=into)


# ---- Distinguishing entries
@transaction.atomic
def record_two_persons(*, player: Player, other: Player, by: User | None, on: date, reason: str) -> PairOfTwo:
    """Record that two entries are two persons.

    Raises `Refused` without a reason, or if they were merged or this was recorded before.
    """
    lock_ledger(player.federation)
    for each in (player, other):
        each.refresh_from_db(fields=["merged_into"])
    if not reason.strip():
        raise Refused(_("Say how you know that they are two persons: the record keeps your words."))
    refuse_pair(player, other)
    one, second = sorted((player, other), key=lambda each: each.pk)
    pair, created = PairOfTwo.objects.get_or_create(one=one, other=second, defaults={"on": on})
    if not created:
        raise Refused(_("Somebody has said already that these are two persons."))
    about, details = f"player {player.number}", {"other": other.number, "reason": reason.strip()}
    decide(player.federation, kind="two-persons", by=by, on=on, about=about, **details)
    return pair


def find_two_persons_decision(player: Player, other: Player) -> Decision | None:
    """The newest decision by which two entries, with those merged into them, are two persons."""
    one, second = ({each.number for each in list_entry_and_merged(entry)} for entry in (player, other))
    decisions = Decision.objects.filter(federation=player.federation_id, kind__in=("two-persons", "part"))
    for decision in decisions.filter(about__in=[f"player {n}" for n in one | second]).order_by("-number"):
        subject = decision.about.removeprefix("player ")
        other_number = decision.details.get("other") or decision.details.get("out_of")
        if (subject in one and other_number in second) or (subject in second and other_number in one):
            return decision
    return None


def refuse_two_persons(player: Player, other: Player, *, although_two_persons: bool) -> None:
    """Raise `Refused` if two entries are recorded as two persons and `although_two_persons` is not set."""
    if not although_two_persons and find_two_persons_decision(player, other) is not None:
        raise Refused(
            _(
                "Somebody said that %(one)s and %(other)s are two persons. Read why, and confirm that they "
                "are one all the same."
            )
            % {"one": player.number, "other": other.number}
        )


# ---- Likely doubles, found in blocks of similar entries
MOST_IN_BLOCK = 80
"""The most entries of a block that are compared with each other: no real block of doubles is longer."""
MOST_DOUBLES = 2_000
ONE_TYPO_FROM, TWO_TYPOS_FROM = 4, 8
"""The letters of the shorter surname from which one or two typing mistakes are considered."""
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
"""The weight of each piece of evidence."""


@dataclass(frozen=True, slots=True)
class NamedEntry:
    """The columns of a player by which doubles are found."""

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
    """Two entries that may be one person, with the evidence for it."""

    one: int
    other: int
    evidence: tuple[str, ...]

    @property
    def score(self) -> int:
        return sum(WEIGHTS[key] for key in self.evidence)


Blocks = dict[tuple[object, ...], list[NamedEntry]]


@dataclass(frozen=True, slots=True)
class RegisterNames:
    """The names of a register, in blocks of entries worth comparing."""

    blocks: Blocks
    former: dict[int, set[str]]
    """The folded former surnames by player id."""
    answered: set[tuple[int, int]]
    """The pairs that are recorded as two persons."""


def read_names(federation: Federation) -> RegisterNames:
    """Read the names of a register in one pass."""
    former: defaultdict[int, set[str]] = defaultdict(set)
    rows = FormerName.objects.filter(player__federation=federation, player__merged_into=None).order_by()
    for player, key in rows.values_list("player_id", "name_key"):
        former[player].add(key)
    answered = PairOfTwo.objects.filter(one__federation=federation).values_list("one_id", "other_id")
    players = Player.objects.of(federation).current().exclude(name_key="").order_by()
    columns = ("pk", "name_key", "first_name_key", "born", "birth_date__day", "sex")
    entries = (NamedEntry(*row) for row in players.values_list(*columns).iterator(chunk_size=5_000))
    return RegisterNames(_blocks(entries, former), former, set(answered))


def likely_doubles(federation: Federation) -> list[LikelyDouble]:
    """The likely doubles of a register, likeliest first, without pairs recorded as two persons."""
    names = read_names(federation)
    pairs = (combinations(islice(block, MOST_IN_BLOCK), 2) for block in names.blocks.values())
    return _doubles_among(names, chain.from_iterable(pairs))


def find_doubles(names: RegisterNames, player_ids: Collection[int]) -> list[LikelyDouble]:
    """The same for the pairs with at least one of these players, given by id."""
    return _doubles_among(names, _pairs_of(names.blocks, player_ids))


def _doubles_among(
    names: RegisterNames, pairs: Iterable[tuple[NamedEntry, NamedEntry]]
) -> list[LikelyDouble]:
    """The pairs that may be one person, each once."""
    found: dict[tuple[int, int], LikelyDouble] = {}
    for one, other in pairs:
        key = (min(one.pk, other.pk), max(one.pk, other.pk))
        if key in found or key in names.answered:
            continue
        if evidence := _evidence(one, other, names.former):
            found[key] = LikelyDouble(*key, evidence)
            if len(found) >= MOST_DOUBLES:
                break
    return sorted(found.values(), key=lambda pair: (-pair.score, pair.one, pair.other))


def _blocks(entries: Iterable[NamedEntry], former: dict[int, set[str]]) -> Blocks:
    """Entries with the same first name and year of birth, surname and year of birth, or whole name."""
    blocks: defaultdict[tuple[object, ...], list[NamedEntry]] = defaultdict(list)
    for each in entries:
        if each.born:
            blocks["first", compute_sound(each.first_word), each.born].append(each)
            blocks["surname", compute_sound(each.name_key), each.born].append(each)
        whole = "".join(sorted(each.name_key + each.first_name_key.replace(" ", "")))
        blocks["letters", whole].append(each)
        for key in {each.name_key, *former.get(each.pk, ())}:
            blocks["name", key, each.first_name_key].append(each)
    return {key: block for key, block in blocks.items() if len(block) > 1}


def _pairs_of(blocks: Blocks, players: Collection[int]) -> Iterator[tuple[NamedEntry, NamedEntry]]:
    wanted = set(players)
    for block in blocks.values():
        for one in (each for each in block if each.pk in wanted):
            yield from ((one, other) for other in islice(block, MOST_IN_BLOCK) if other.pk != one.pk)


def _evidence(one: NamedEntry, other: NamedEntry, former: dict[int, set[str]]) -> tuple[str, ...]:
    """The evidence that entries are one person, as keys of `WEIGHTS`; empty if it is not enough."""
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
    if first_name == "first-name":
        enough = birth == "birth-date" or surname in ("surname", "former-surname") or bool(surname and birth)
    else:
        enough = bool(first_name) and surname == "surname" and birth == "birth-date"
    return tuple(filter(None, (surname, first_name, birth))) if enough else ()


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
    former_of_one, former_of_other = former.get(one.pk, set()), former.get(other.pk, set())
    if other.name_key in former_of_one or one.name_key in former_of_other or former_of_one & former_of_other:
        return "former-surname"
    if compute_sound(one.name_key) == compute_sound(other.name_key):
        return "surname-alike"
    shorter = min(len(one.name_key), len(other.name_key))
    typos = 0 if shorter < ONE_TYPO_FROM else 1 if shorter < TWO_TYPOS_FROM else 2
    near = typos and OSA.distance(one.name_key, other.name_key, score_cutoff=typos) <= typos
    return "surname-nearly" if near else ""


def _first_name(one: NamedEntry, other: NamedEntry) -> str:
    if not one.first_word or not other.first_word:
        return "first-name" if one.first_word == other.first_word else ""
    if compute_sound(one.first_word) == compute_sound(other.first_word):
        return "first-name"
    short, full = sorted((one.first_word, other.first_word), key=len)
    initial = len(short) == 1 and full.startswith(short)
    near = OSA.distance(short, full, score_cutoff=1) <= 1
    return "first-name-alike" if initial or near else ""
