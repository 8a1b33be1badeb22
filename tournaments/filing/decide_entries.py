"""Decisions on doubtful entries, and the entering of new players into the register."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from typing import NamedTuple

from django.db import transaction
from django.utils.translation import gettext as _

from players.office.decision_record import Refused, decide
from players.office.models import Region, User
from players.register.models import BirthDate, Identifier, Player
from players.register.name_folding import fold
from players.register.player_numbers import take_numbers
from tournaments.events.lock_section import lock_section
from tournaments.events.models import Entry, Section
from tournaments.filing.acceptance_facts import nation_in
from tournaments.filing.open_questions import lacks, read_of_players, recheck
from tournaments.identity.id_kinds import kept_ids
from tournaments.identity.matching import RegisterPart, as_json, known_since, match


class Newcomer(NamedTuple):
    """Particulars that a person adds to a new player's entry, if the file did not give them."""

    sex: str = ""
    birth: str = ""
    """`2010-05-03`, or a year."""
    surname: str = ""
    first_name: str = ""
    federation: str = ""
    """The nation, three letters."""


@transaction.atomic
def decide_entries(
    *,
    section: Section,
    by: User | None,
    on: date,
    version: int,
    chosen: Mapping[int, Player] | None = None,
    newcomers: Mapping[int, Newcomer] | None = None,
    regions: Mapping[int, Region] | None = None,
) -> list[Entry]:
    """Decide who these entries are, by starting number: players of the register, or new ones; and to which
    `regions` new players belong, those of this decision or of an earlier one.

    New players get their numbers at submission. Raises `Refused`, with nothing decided, if one cannot be so.
    """
    locked = lock_section(section, version=version)
    chosen, newcomers, regions = chosen or {}, newcomers or {}, regions or {}
    _refuse_strangers(locked, chosen.values())
    entries = {entry.number: entry for entry in locked.entries.all()}
    decided = [_entry(entries, number) for number in (*chosen, *newcomers)]
    register = RegisterPart(locked.event.federation, decided)
    register.learn(chosen.values())
    for entry in decided:
        if player := chosen.get(entry.number):
            entry.player, entry.match, entry.region = player, Entry.Match.DECIDED, None
            entry.candidates = [as_json(register.judge(entry, player))]
        else:
            _make_new(entry, newcomers[entry.number])
    _refuse_twins(entries.values())
    decided += [entry for number in regions if (entry := _entry(entries, number)) not in decided]
    for number, region in regions.items():
        _place(entries[number], region)
    Entry.objects.bulk_update(decided, DECIDED, batch_size=500)
    players = {number: player.number for number, player in chosen.items()}
    codes = {number: region.code for number, region in regions.items()}
    _conclude(locked, by, on, players=players, new=sorted(newcomers), **({"regions": codes} if codes else {}))
    return decided


DECIDED = ("player", "match", "candidates", "sex", "birth", "surname", "first_name", "federation", "region")


def _make_new(entry: Entry, added: Newcomer) -> None:
    entry.player, entry.match = None, Entry.Match.NEW
    for name, value in added._asdict().items():
        if value:
            setattr(entry, name, value)


def _place(entry: Entry, region: Region) -> None:
    """Let a new player belong to a region; the event's own is not kept, as they move with it."""
    event = entry.section.event
    if (
        entry.match != Entry.Match.NEW
        or entry.player is not None
        or region.federation_id != event.federation_id
    ):
        words = _("%(player)s is not a new player here any more: who is in the register moves by a transfer.")
        raise Refused(words % {"player": entry.name})
    entry.region = None if region == event.region else region


def _refuse_strangers(section: Section, players: Iterable[Player]) -> None:
    if any(p.federation_id != section.event.federation_id or p.merged_into_id for p in players):
        raise Refused(_("This player is not in the register any more. Search again."))


def _refuse_twins(entries: Iterable[Entry]) -> None:
    """Raise `Refused` where two entries of a section are taken for one player."""
    first: dict[int, Entry] = {}
    for entry in entries:
        if entry.player_id is None:
            continue
        twin = first.setdefault(entry.player_id, entry)
        if twin is not entry:
            words = _(
                "%(player)s cannot be both starting number %(first)s and %(second)s. Choose another player"
                " for one of them, or change the one that was decided before."
            )
            raise Refused(words % {"player": entry.player, "first": twin.number, "second": entry.number})


@transaction.atomic
def reopen_entry(*, section: Section, number: int, by: User | None, on: date, version: int) -> Entry:
    """Forget a decision about an entry, or its match: candidates are looked up anew, and a person decides."""
    locked = lock_section(section, version=version)
    entry = _entry({each.number: each for each in locked.entries.filter(number=number)}, number)
    entry.match, entry.region = Entry.Match.NONE, None
    others = locked.entries.exclude(pk=entry.pk).exclude(player=None)
    match(locked.event.federation, [entry], taken=others.values_list("player_id", flat=True))
    if entry.match == Entry.Match.CERTAIN:
        entry.player, entry.match = None, Entry.Match.DOUBTFUL
    entry.save(update_fields=["player", "match", "candidates", "region"])
    _conclude(locked, by, on, entries=[number], reopened=True)
    return entry


def register_new_players(section: Section, *, on: date) -> list[Player]:
    """Enter a section's new players in the register, in the transaction of its submission; they belong to the
    region stated for them, else to the host region (CSA 14.1.5).
    """
    entries = list(section.entries.filter(match=Entry.Match.NEW, player=None).select_related("region"))
    needed = read_of_players(section.event.federation.ruleset)
    if any(lacks(entry, needed) for entry in entries):
        raise Refused(_("Some new players have missing details. Open the players' page."))
    _refuse_known(section, entries)
    first = take_numbers(section.event.federation, len(entries))
    return [_register(entry, first + place, on) for place, entry in enumerate(entries)]


def _refuse_known(section: Section, entries: list[Entry]) -> None:
    """Raise `Refused` for new players whom the register has by now, as from another section."""
    taken = set(section.entries.exclude(player=None).values_list("player_id", flat=True))
    known = known_since(section.event.federation, entries, taken)
    if known:
        names = "; ".join(f"{entry.name} ({player.number})" for entry, player in known)
        words = _(
            "The register now has players with the same name and birth as these new players: %(names)s. On "
            "the players’ page, press “Change” beside each, and say whether it is that player or a new one."
        )
        raise Refused(words % {"names": names})


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
        region=entry.region or event.region,
        title=entry.title,
        name_key=fold(entry.surname),
        registered_on=on,
    )
    if len(entry.birth) == 10:
        BirthDate.objects.create(player=player, day=date.fromisoformat(entry.birth))
    entry.player = player
    entry.save(update_fields=["player"])
    return player


def keep_ids(section: Section) -> list[str]:
    """Save the ids that the file gives for players who have none of that kind yet, in the locked transaction.

    An id that another player has stays theirs. Returns the numbers of the players who got one.
    """
    federation = section.event.federation
    filed = [
        (entry.player_id, id_)
        for entry in section.entries.all()
        for id_ in kept_ids(entry)
        if entry.player_id is not None
    ]
    known = Identifier.objects.filter(federation=federation)
    had = set(known.filter(player__in=[pk for pk, _id in filed]).values_list("player_id", "kind"))
    theirs = set(known.filter(value__in=[id_.value for _pk, id_ in filed]).values_list("kind", "value"))
    new: list[Identifier] = []
    for pk, id_ in filed:
        if (pk, id_.kind) not in had and id_ not in theirs:
            new.append(Identifier(federation=federation, player_id=pk, kind=id_.kind, value=id_.value))
            had.add((pk, id_.kind))
            theirs.add(id_)
    Identifier.objects.bulk_create(new, batch_size=500)
    players = Player.objects.filter(pk__in={each.player_id for each in new})
    return sorted(players.values_list("number", flat=True))


def _entry(entries: Mapping[int, Entry], number: int) -> Entry:
    if number not in entries:
        raise Refused(_("Starting number %(number)s is not in this section.") % {"number": number})
    return entries[number]


def _conclude(section: Section, by: User | None, on: date, **details: object) -> None:
    recheck(section)
    section.version += 1
    section.save(update_fields=["version"])
    about = f"section {section.key}"
    decide(section.event.federation, kind="match", by=by, on=on, about=about, **details)
