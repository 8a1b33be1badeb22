"""Who the doubtful entries are: what a person decides, and how new players come into the register."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import NamedTuple

from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _

from players.models import BirthDate, Federation, Identifier, Player, User
from players.names import fold
from players.record import Refused, decide
from tournaments.checking import lacks, needed_of_players, recheck
from tournaments.filing import nation_in
from tournaments.guard import lock_section
from tournaments.matching import match
from tournaments.models import Entry, Section


class Newcomer(NamedTuple):
    """What a person adds to the entry of a new player, where the file did not say it."""

    sex: str = ""
    birth: str = ""
    """`2010-05-03`, or a year."""


@transaction.atomic
def identify(
    *, section: Section, number: int, player: Player, by: User | None, on: date, version: int
) -> Entry:
    """A person says that an entry is this player of the register."""
    locked = lock_section(section, version=version)
    entry = _entry(locked, number)
    twin = locked.entries.filter(player=player).exclude(pk=entry.pk).first()
    if twin:
        raise Refused(
            _("%(player)s is taken already: starting number %(number)s. Change that entry first.")
            % {"player": player, "number": twin.number}
        )
    if player.federation_id != locked.event.federation_id or player.merged_into_id:
        raise Refused(_("This player is not in the register any more. Search again."))
    entry.player, entry.match = player, Entry.Match.DECIDED
    entry.save(update_fields=["player", "match"])
    _conclude(locked, by, on, entries=[number], player=player.number)
    return entry


@transaction.atomic
def declare_new(
    *, section: Section, newcomers: Mapping[int, Newcomer], by: User | None, on: date, version: int
) -> list[Entry]:
    """A person says that these entries (by starting number) are new players, to be numbered at submission."""
    locked = lock_section(section, version=version)
    entries = [_entry(locked, number) for number in newcomers]
    for entry in entries:
        added = newcomers[entry.number]
        entry.player, entry.match = None, Entry.Match.NEW
        entry.sex, entry.birth = added.sex or entry.sex, added.birth or entry.birth
        entry.save(update_fields=["player", "match", "sex", "birth"])
    _conclude(locked, by, on, entries=sorted(newcomers), new=True)
    return entries


@transaction.atomic
def reopen_entry(*, section: Section, number: int, by: User | None, on: date, version: int) -> Entry:
    """Forget a decision about an entry, or its match: candidates are looked up anew, and a person decides."""
    locked = lock_section(section, version=version)
    entry = _entry(locked, number)
    entry.match = Entry.Match.NONE
    others = locked.entries.exclude(pk=entry.pk).exclude(player=None)
    match(locked.event.federation, [entry], taken=others.values_list("player_id", flat=True))
    if entry.match == Entry.Match.CERTAIN:
        entry.player, entry.match = None, Entry.Match.DOUBTFUL
    entry.save(update_fields=["player", "match", "candidates"])
    _conclude(locked, by, on, entries=[number], reopened=True)
    return entry


def register_new_players(section: Section, *, on: date) -> list[Player]:
    """Enter the new players, in its locked transaction; they belong to the host region (CSA 14.1.5)."""
    entries = list(section.entries.filter(match=Entry.Match.NEW, player=None))
    needed = needed_of_players(section.event.federation)
    if any(lacks(entry, needed) for entry in entries):
        raise Refused(_("Some new players are not complete. Look at the players' page."))
    first = _take_numbers(section.event.federation, len(entries))
    return [_register(entry, first + place, on) for place, entry in enumerate(entries)]


def _take_numbers(federation: Federation, count: int) -> int:
    """The first of so many unused numbers. The ledger's lock makes them ours."""
    first: int = Federation.objects.values_list("next_player_number", flat=True).get(pk=federation.pk)
    if count:
        numbers = [str(first + place) for place in range(count)]
        taken = Player.objects.of(federation).filter(number__in=numbers).values_list("number", flat=True)
        if taken:
            # Somebody entered these by hand: go on behind the last of them.
            Federation.objects.filter(pk=federation.pk).update(
                next_player_number=max(int(number) for number in taken) + 1
            )
            return _take_numbers(federation, count)
        Federation.objects.filter(pk=federation.pk).update(next_player_number=F("next_player_number") + count)
    return first


def _register(entry: Entry, number: int, on: date) -> Player:
    event = entry.section.event
    player = Player.objects.create(
        federation=event.federation,
        number=str(number),
        surname=entry.surname,
        first_name=entry.first_name,
        sex=entry.sex,
        born=int(entry.birth[:4]) if entry.birth else None,
        nation=nation_in(entry),
        region=event.region,
        title=entry.title,
        name_key=fold(entry.surname),
        registered_on=on,
    )
    if len(entry.birth) == 10:
        BirthDate.objects.create(player=player, day=date.fromisoformat(entry.birth))
    if entry.filed_id:
        Identifier.objects.get_or_create(
            federation=event.federation, kind="fide", value=entry.filed_id, defaults={"player": player}
        )
    entry.player = player
    entry.save(update_fields=["player"])
    return player


def _entry(section: Section, number: int) -> Entry:
    try:
        return section.entries.get(number=number)
    except Entry.DoesNotExist:
        raise Refused(_("Starting number %(number)s is not in this section.") % {"number": number}) from None


def _conclude(section: Section, by: User | None, on: date, **details: object) -> None:
    recheck(section)
    section.version += 1
    section.save(update_fields=["version"])
    about = f"section {section.key}"
    decide(section.event.federation, kind="match", by=by, on=on, about=about, **details)
