"""Players of the register: particulars, sealed names, former names, and new numbers."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from datetime import date

from django.db.models import F, Q
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _

from players.models import BirthDate, Federation, FormerName, Identifier, Player, SealedName
from players.names import fold
from players.record import Refused
from players.seals import new_salt
from players.writing import batches
from ratings.rulesets import facts
from ratings.rulesets.facts import Player as Particulars, name_seal


def player_fact(player: Player) -> facts.Player:
    """The player as a fact of the journal: the name with its salt, or the seal of an unknown name."""
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


# ---- Names beside the journal, by their seals
BATCH_SIZE = 500
MOST_AT_ONCE = 10_000
"""The number of keys in one query: SQLite limits them."""
"""The number of rows of one statement."""


def renew_salt(player: Player) -> None:
    """Give a player with a changed name a new salt and no seal; nothing is saved."""
    player.salt, player.name_seal = new_salt(), ""


def save_sealed_names(federation: Federation, players: Iterable[Particulars]) -> None:
    """Store each player's name and salt by its seal, once. The caller holds the ledger's lock."""
    rows = {
        seal: SealedName(federation=federation, seal=seal, name=player.name, salt=player.salt)
        for player in players
        if player.name is not None and player.salt is not None
        for seal in [name_seal(player.name, player.salt)]
    }
    for some in batches(list(rows), BATCH_SIZE):
        known = federation.sealed_names.filter(seal__in=some)
        for seal in known.values_list("seal", flat=True):
            del rows[seal]
    SealedName.objects.bulk_create(rows.values(), batch_size=BATCH_SIZE)


# ---- Particulars that the office may correct
COLUMNS = (
    *("surname", "first_name", "sex", "nation", "resident", "included_by", "region", "club", "title"),
    *("deceased", "withheld"),
)
Changes = dict[str, tuple[str, str]]
"""Before and after of each particular, as text."""


def get_particulars(player: Player) -> dict[str, str]:
    """A player's particulars as text by column, with `birth` and `id KIND`."""
    found = {name: _text(getattr(player, name)) for name in COLUMNS}
    found["region"] = player.region.code if player.region else ""
    ids = sorted(player.identifiers.values_list("kind", "value")) if player.pk else []
    return found | {"birth": get_birth(player)} | {f"id {kind}": value for kind, value in ids}


def get_birth(player: Player) -> str:
    """A player's birth as precise as known: `2010-05-03`, `2010` or empty."""
    day = BirthDate.objects.filter(player=player).values_list("day", flat=True).first()
    return day.isoformat() if day else str(player.born or "")


def particulars_digest(player: Player) -> str:
    """A digest of a player's particulars, to detect changes made meanwhile."""
    return hashlib.sha256(json.dumps(get_particulars(player), sort_keys=True).encode()).hexdigest()


def changes_between(before: Mapping[str, str], after: Mapping[str, str]) -> Changes:
    names = dict.fromkeys((*before, *after))
    pairs = {name: (before.get(name, ""), after.get(name, "")) for name in names}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def cut_births_to_years(changes: Changes) -> Changes:
    """The changes as the record keeps them: of a birth the year alone, since not all may see days."""
    return {
        name: (before[:4], after[:4]) if name == "birth" else (before, after)
        for name, (before, after) in changes.items()
    }


def _text(value: object) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value or "")


def save_birth_day(player: Player, birth: str) -> None:
    """Store the day of birth, if the whole date is given; the caller saves the year."""
    BirthDate.objects.filter(player=player).delete()
    if len(birth) == 10:
        BirthDate.objects.create(player=player, day=date.fromisoformat(birth))
    known = Player._meta.get_field("birth_date")
    if known.is_cached(player):
        known.delete_cached_value(player)


def save_player_ids(player: Player, ids: Mapping[str, str]) -> None:
    """Set a player's ids by kind; an empty value deletes. Raises `Refused` if another player has the id."""
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


# ---- Former names
def snapshot_name(player: Player) -> FormerName:
    """A player's name before a change, unsaved, for `save_former_names`."""
    return FormerName(player=player, surname=player.surname, first_name=player.first_name)


def save_former_names(earlier: Iterable[FormerName], players: Iterable[Player], *, until: date) -> None:
    """Store the earlier names of players whose folded names have changed, each once."""
    now = {player.pk: _folded(player) for player in players}
    changed = [
        name
        for name in earlier
        if name.surname and name.player_id in now and now[name.player_id] != _folded(name)
    ]
    rows = FormerName.objects.filter(player__in=[name.player_id for name in changed])
    known = set(rows.values_list("player_id", "surname", "first_name"))
    new = [name for name in changed if (name.player_id, name.surname, name.first_name) not in known]
    for name in new:
        name.name_key, name.until = fold(name.surname), until
    FormerName.objects.bulk_create(new, batch_size=500)


def _folded(name: Player | FormerName) -> tuple[str, str]:
    return fold(name.surname), fold(name.first_name)


def get_former_names(players: Collection[int]) -> dict[int, list[tuple[str, str]]]:
    """The former names (surname, first name) of players and of entries merged into them, by player's key."""
    found: defaultdict[int, list[tuple[str, str]]] = defaultdict(list)
    for some in batches(players, MOST_AT_ONCE):
        former = FormerName.objects.filter(Q(player__in=some) | Q(player__merged_into__in=some))
        rows = former.annotate(stands=Coalesce("player__merged_into", "player"))
        merged = Player.objects.filter(merged_into__in=some).exclude(surname="").order_by()
        for key, surname, first_name in (
            *rows.values_list("stands", "surname", "first_name"),
            *merged.values_list("merged_into", "surname", "first_name"),
        ):
            found[key].append((surname, first_name))
    return found


def find_by_former_surname(federation: Federation, folded_surnames: Collection[str]) -> dict[str, set[int]]:
    """The keys of players who had one of these folded surnames, also in a merged entry, by surname."""
    found: defaultdict[str, set[int]] = defaultdict(set)
    former = FormerName.objects.filter(name_key__in=folded_surnames, player__federation=federation).order_by()
    rows = former.annotate(stands=Coalesce("player__merged_into", "player")).values_list("name_key", "stands")
    merged = (
        Player.objects.of(federation)
        .filter(name_key__in=folded_surnames, merged_into__isnull=False)
        .order_by()
    )
    for key, player in (*rows, *merged.values_list("name_key", "merged_into")):
        found[key].add(player)
    return found


def reserve_numbers(federation: Federation, count: int) -> int:
    """Take `count` consecutive unused numbers and return the first. The caller holds the ledger's lock."""
    first: int = Federation.objects.values_list("next_player_number", flat=True).get(pk=federation.pk)
    if count:
        numbers = [str(first + place) for place in range(count)]
        taken = Player.objects.of(federation).filter(number__in=numbers).values_list("number", flat=True)
        if taken:
            # These were entered by hand: go on after the last of them.
            Federation.objects.filter(pk=federation.pk).update(
                next_player_number=max(int(number) for number in taken) + 1
            )
            return reserve_numbers(federation, count)
        Federation.objects.filter(pk=federation.pk).update(next_player_number=F("next_player_number") + count)
    return first
