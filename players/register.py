"""Reads and changes players of the register: particulars, sealed names, former names, and new numbers."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from datetime import date
from typing import NamedTuple

from django.db.models import F, Q
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _

from players.models import BirthDate, Federation, FormerName, Identifier, Player, SealedName
from players.names import fold
from players.record import Refused
from players.seals import new_salt
from players.storage import batches
from ratings.rulesets import facts
from ratings.rulesets.facts import Player as Particulars
from ratings.rulesets.facts import name_seal


def player_fact(player: Player) -> facts.Player:
    """The player's particulars as they stand now: the name with its salt, or the seal of an unknown name."""
    known = not player.name_seal
    return facts.Player(
        id=player.number,
        name=player.name if known else None,
        salt=player.salt if known else None,
        seal=None if known else player.name_seal,
        nation=player.nation or None,
        region=player.region.code if player.region else None,
        resident=player.resident,
        included_by=player.included_by or None,
    )


# ---- Names kept beside the journal, each under its seal; and the new salt of a changed name.
TOGETHER = 500
"""The number of rows that one statement writes or looks up."""


def rename(player: Player) -> None:
    """Give a player whose name was changed another salt and no seal yet; nothing is saved here."""
    player.salt, player.name_seal = new_salt(), ""


def keep_names(federation: Federation, players: Iterable[Particulars]) -> None:
    """Store each player's name and salt, under the seal by which the journal knows the name; the caller holds
    the ledger's lock. A seal that is stored already is left as it is.
    """
    rows = {
        seal: SealedName(federation=federation, seal=seal, name=player.name, salt=player.salt)
        for player in players
        if player.name is not None and player.salt is not None
        for seal in [name_seal(player.name, player.salt)]
    }
    for some in batches(list(rows), TOGETHER):
        known = federation.sealed_names.filter(seal__in=some)
        for seal in known.values_list("seal", flat=True):
            del rows[seal]
    SealedName.objects.bulk_create(rows.values(), batch_size=TOGETHER)


# ---- The particulars that the office may correct: read together, compared, and set.
COLUMNS = (
    *("surname", "first_name", "sex", "nation", "resident", "included_by", "region", "club", "title"),
    *("deceased", "withheld"),
)
Changes = dict[str, tuple[str, str]]
"""Before and after of each particular, as text."""


def particulars_of(player: Player) -> dict[str, str]:
    """A player's particulars as text, by the name of the column, with `birth` and `id KIND` beside them."""
    found = {name: _text(getattr(player, name)) for name in COLUMNS}
    found["region"] = player.region.code if player.region else ""
    ids = sorted(player.identifiers.values_list("kind", "value")) if player.pk else []
    return found | {"birth": birth_of(player)} | {f"id {kind}": value for kind, value in ids}


def birth_of(player: Player) -> str:
    """A player's birth as precise as the register knows it: `2010-05-03`, `2010` or empty."""
    day = BirthDate.objects.filter(player=player).values_list("day", flat=True).first()
    return day.isoformat() if day else str(player.born or "")


def particulars_digest(player: Player) -> str:
    """A digest of what a person sees of a player, to tell whether it changed meanwhile."""
    told = json.dumps(particulars_of(player), sort_keys=True)
    return hashlib.sha256(told.encode()).hexdigest()


def changes_between(before: Mapping[str, str], after: Mapping[str, str]) -> Changes:
    names = dict.fromkeys((*before, *after))
    pairs = {name: (before.get(name, ""), after.get(name, "")) for name in names}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def as_recorded(changes: Changes) -> Changes:
    """The changes as the record keeps them: of a birth the year alone, since not all who read it see days."""
    return {
        name: (before[:4], after[:4]) if name == "birth" else (before, after)
        for name, (before, after) in changes.items()
    }


def _text(value: object) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value or "")


def set_birth(player: Player, birth: str) -> None:
    """Store the day of birth, where one is given; the caller saves the year."""
    BirthDate.objects.filter(player=player).delete()
    if len(birth) == 10:
        BirthDate.objects.create(player=player, day=date.fromisoformat(birth))
    player._state.fields_cache.pop("birth_date", None)


def set_ids(player: Player, ids: Mapping[str, str]) -> None:
    """Store ids that others gave a player, one of each kind given; raise `Refused` for another player's."""
    for kind, value in ids.items():
        held = Identifier.objects.filter(federation=player.federation, kind=kind)
        other = held.filter(value=value).exclude(player=player).select_related("player").first()
        if value and other:
            raise Refused(
                _(
                    "The id %(value)s is that of player %(number)s. If both are one person, merge the two "
                    "entries."
                )
                % {"value": value, "number": other.player.number}
            )
        mine = held.filter(player=player)
        if list(mine.values_list("value", flat=True)) == ([value] if value else []):
            continue
        mine.delete()
        if value:
            Identifier.objects.create(federation=player.federation, player=player, kind=kind, value=value)


# ---- Names that players had: kept when a name changes, and looked up by the folded surname.
class EarlierName(NamedTuple):
    """The name of a player before it is changed."""

    player: int
    surname: str
    first_name: str


def name_before(player: Player) -> EarlierName:
    """Note a player's name before a change, for `keep_former_names`."""
    return EarlierName(player.pk, player.surname, player.first_name)


def keep_former_names(earlier: Iterable[EarlierName], players: Iterable[Player], *, until: date) -> None:
    """Keep the earlier names of players who bear others now; another spelling that folds alike is no other
    name. A name that the player had before is kept once.
    """
    before = {each.player: each for each in earlier}
    changed = [
        (player, before[player.pk])
        for player in players
        if player.pk in before and before[player.pk].surname and _differs(player, before[player.pk])
    ]
    rows = FormerName.objects.filter(player__in=[player for player, _name in changed])
    known = {(row.player_id, row.surname, row.first_name) for row in rows}
    FormerName.objects.bulk_create(
        (
            FormerName(
                player=player,
                surname=name.surname,
                first_name=name.first_name,
                name_key=fold(name.surname),
                until=until,
            )
            for player, name in changed
            if tuple(name) not in known
        ),
        batch_size=500,
    )


def _differs(player: Player, name: EarlierName) -> bool:
    now = (fold(player.surname), fold(player.first_name))
    return (fold(name.surname), fold(name.first_name)) != now


def former_names_of(players: Collection[int]) -> dict[int, list[tuple[str, str]]]:
    """The former names of players, those of merged entries among them: surname and first name, by key."""
    found: defaultdict[int, list[tuple[str, str]]] = defaultdict(list)
    former = FormerName.objects.filter(Q(player__in=players) | Q(player__merged_into__in=players))
    rows = former.annotate(stands=Coalesce("player__merged_into", "player"))
    merged = Player.objects.filter(merged_into__in=players).exclude(surname="").order_by()
    for key, surname, first_name in (
        *rows.values_list("stands", "surname", "first_name"),
        *merged.values_list("merged_into", "surname", "first_name"),
    ):
        found[key].append((surname, first_name))
    return found


def once_called(federation: Federation, keys: Collection[str]) -> dict[str, set[int]]:
    """The keys of players who once had one of these folded surnames, by the surname: as a former name, or as
    that of an entry that was merged into theirs.
    """
    found: defaultdict[str, set[int]] = defaultdict(set)
    former = FormerName.objects.filter(name_key__in=keys, player__federation=federation).order_by()
    rows = former.annotate(stands=Coalesce("player__merged_into", "player")).values_list("name_key", "stands")
    merged = Player.objects.of(federation).filter(name_key__in=keys, merged_into__isnull=False).order_by()
    for key, player in (*rows, *merged.values_list("name_key", "merged_into")):
        found[key].add(player)
    return found


def take_numbers(federation: Federation, count: int) -> int:
    """Take `count` consecutive unused numbers and return the first. The ledger's lock makes them ours."""
    first: int = Federation.objects.values_list("next_player_number", flat=True).get(pk=federation.pk)
    if count:
        numbers = [str(first + place) for place in range(count)]
        taken = Player.objects.of(federation).filter(number__in=numbers).values_list("number", flat=True)
        if taken:
            # Somebody entered these by hand: go on behind the last of them.
            Federation.objects.filter(pk=federation.pk).update(
                next_player_number=max(int(number) for number in taken) + 1
            )
            return take_numbers(federation, count)
        Federation.objects.filter(pk=federation.pk).update(next_player_number=F("next_player_number") + count)
    return first
