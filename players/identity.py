"""Entries of the register that may be one person: finding, merging and distinguishing them."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import chain, combinations, islice, product

from django.db import transaction
from django.utils.translation import gettext as _

from players.evidence import Described, FoldedName, fold_name, may_be_one, sounds_of_names, total, weigh
from players.models import Decision, Federation, FormerName, Identifier, PairOfTwo, Player, User
from players.names import SLIP_FROM, get_sounds
from players.record import Refused, decide, lock_ledger
from ratings.rulesets.particulars import is_provisional


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


def list_entries_of_people(players: Iterable[Player]) -> list[Player]:
    """All entries of the persons to whom these belong: those that stay, and those merged into them."""
    stay = {each.merged_into_id or each.pk for each in players}
    return [
        *Player.objects.filter(pk__in=stay),
        *Player.objects.filter(merged_into__in=stay),
    ]


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
    also = [f"player {other.number}"]
    decide(player.federation, kind="two-persons", by=by, on=on, about=about, also=also, **details)
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


@dataclass(frozen=True, slots=True)
class NamedEntry:
    """An entry of the register by which doubles are found."""

    pk: int
    described: Described
    ids: frozenset[tuple[str, str]]

    @property
    def first_word(self) -> str:
        return "".join(self.described.names[0].first[:1])


@dataclass(frozen=True, slots=True)
class LikelyDouble:
    """Two entries that may be one person, with the evidence for it."""

    one: int
    other: int
    evidence: tuple[str, ...]

    @property
    def score(self) -> int:
        return total(self.evidence)


Blocks = dict[tuple[object, ...], list[NamedEntry]]


RegisterNames = tuple[Blocks, set[tuple[int, int]]]
"""The names of a register: blocks of entries worth comparing, and the pairs that are recorded as two persons.
"""


def read_names(federation: Federation) -> RegisterNames:
    """Read the names of a register in one pass."""
    former: defaultdict[int, list[FoldedName]] = defaultdict(list)
    rows = FormerName.objects.filter(player__federation=federation, player__merged_into=None).order_by()
    for player, surname, first_name in rows.values_list("player_id", "surname", "first_name"):
        former[player].append(fold_name(surname, first_name))
    ids: defaultdict[int, set[tuple[str, str]]] = defaultdict(set)
    known = Identifier.objects.filter(federation=federation).order_by()
    for player, kind, value in known.values_list("player_id", "kind", "value"):
        ids[player].add((kind, value))
    answered = PairOfTwo.objects.filter(one__federation=federation).values_list("one_id", "other_id")
    players = Player.objects.of(federation).current().exclude(name_key="").order_by()
    columns = ("pk", "surname", "first_name", "born", "birth_date__day", "sex")
    entries = []
    for pk, surname, first_name, born, day, sex in players.values_list(*columns).iterator(chunk_size=5_000):
        names = [fold_name.__wrapped__(surname, first_name), *former.get(pk, ())]
        described = Described(names, day.isoformat() if day else str(born or ""), sex)
        entries.append(NamedEntry(pk, described, frozenset(ids.get(pk, ()))))
    return _blocks(entries), set(answered)


def likely_doubles(federation: Federation) -> list[LikelyDouble]:
    """The likely doubles of a register, likeliest first, without pairs recorded as two persons."""
    names = read_names(federation)
    pairs = (combinations(islice(block, MOST_IN_BLOCK), 2) for block in names[0].values())
    return _doubles_among(names, chain.from_iterable(pairs))


def find_doubles(names: RegisterNames, player_ids: Collection[int]) -> list[LikelyDouble]:
    """The same for the pairs with at least one of these players, given by id."""
    return _doubles_among(names, _pairs_of(names[0], player_ids))


def _doubles_among(
    names: RegisterNames, pairs: Iterable[tuple[NamedEntry, NamedEntry]]
) -> list[LikelyDouble]:
    """The pairs that may be one person, each once."""
    answered, seen = names[1], set[tuple[int, int]]()
    found: list[LikelyDouble] = []
    for one, other in pairs:
        key = (min(one.pk, other.pk), max(one.pk, other.pk))
        if key in seen or key in answered:
            continue
        seen.add(key)
        evidence = weigh(one.described, other.described, ids=_id_evidence(one, other))
        if may_be_one(evidence):
            found.append(LikelyDouble(*key, evidence))
            if len(found) >= MOST_DOUBLES:
                break
    return sorted(found, key=lambda pair: (-pair.score, pair.one, pair.other))


def _id_evidence(one: NamedEntry, other: NamedEntry) -> list[str]:
    """Whether other registers number the two differently."""
    kinds = {kind for kind, _value in one.ids} & {kind for kind, _value in other.ids}
    return [] if all(map(is_provisional, kinds)) else ["id-differs"]


def _blocks(entries: Sequence[NamedEntry]) -> Blocks:
    """Entries with the same first name and year of birth, surname and year of birth, or whole name, in any
    spelling and order; and, where a birth is not known, with one letter more or less.
    """
    blocks: defaultdict[tuple[object, ...], list[NamedEntry]] = defaultdict(list)
    for each in entries:
        today, born = each.described.names[0], each.described.birth[:4]
        if born:
            for key in {("first", sound, born) for sound in get_sounds(each.first_word)}:
                blocks[key].append(each)
            for key in {("surname", sound, born) for sound in get_sounds(today.key)}:
                blocks[key].append(each)
        blocks["letters", "".join(sorted((*today.key, *chain(*today.first))))].append(each)
        for sounds in sounds_of_names(each.described.names):
            blocks["name", *sounds].append(each)
    slips: defaultdict[tuple[object, ...], list[NamedEntry]] = defaultdict(list)
    for each in sorted(entries, key=lambda each: bool(each.described.birth)):
        for slip in set(_slips(each)):
            if slip in slips or not each.described.birth:
                slips[slip].append(each)
    return {key: block for key, block in (*blocks.items(), *slips.items()) if len(block) > 1}


def _slips(entry: NamedEntry) -> Iterator[tuple[object, ...]]:
    """The surname as it sounds and without each of its letters, with the first name."""
    for surname, first_name in product(
        get_sounds(entry.described.names[0].key), get_sounds(entry.first_word)
    ):
        if len(surname) >= SLIP_FROM:
            for at in range(len(surname) + 1):
                yield "slip", surname[:at] + surname[at + 1 :], first_name


def _pairs_of(blocks: Blocks, players: Collection[int]) -> Iterator[tuple[NamedEntry, NamedEntry]]:
    wanted = set(players)
    for block in blocks.values():
        for one in (each for each in block if each.pk in wanted):
            yield from ((one, other) for other in islice(block, MOST_IN_BLOCK) if other.pk != one.pk)
