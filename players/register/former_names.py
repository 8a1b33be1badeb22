"""Names that players had: kept when a name changes, and looked up by the folded surname."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from datetime import date
from typing import NamedTuple

from django.db.models import Q
from django.db.models.functions import Coalesce

from players.office.models import Federation
from players.register.models import FormerName, Player
from players.register.name_folding import fold


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
