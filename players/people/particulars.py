"""The particulars of a player that the office may correct: read together, compared, and set."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from datetime import date

from django.utils.translation import gettext as _

from players.office.decision_record import Refused
from players.register.models import BirthDate, Identifier, Player

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
