"""Entries of a section: decisions on doubtful ones, and the entering of new players into the register.

Entries of players who were merged are brought to the one who stays, and none may name a player twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import NamedTuple

from django.db import transaction
from django.http import QueryDict
from django.utils.translation import gettext as _

from players.models import BirthDate, Identifier, Player, Region, User
from players.names import fold
from players.record import Refused, decide
from players.register import take_numbers
from tournaments.acceptance import lacks, nation_in, read_of_players, recheck
from tournaments.matching import RegisterPart, as_json, ids_of, kept_ids, known_since, match
from tournaments.models import Entry, Section
from tournaments.sections import entries_with_players, lock_section


# ---- Entries of a section that name players who were merged: the journal names who stays, and nobody twice.
def name_who_stays(section: Section) -> None:
    """Let entries of merged players name the one who stays, and write it.

    Raises `Refused` as `read_who_stays` does.
    """
    for entry in read_who_stays(section):
        entry.save(update_fields=["player"])


def read_who_stays(section: Section) -> list[Entry]:
    """Let entries of merged players name the one who stays, in memory, and return these entries: the journal
    names nobody who was merged.

    Raises `Refused` where that would enter a player twice: a merge leaves a refused section as it is, also
    one in which both are entered.
    """
    entries = list(_entries(section))
    merged = [entry for entry in entries if entry.player and entry.player.merged_into]
    if both := _two_of_one_person(entries) if merged else None:
        one, other = both
        raise Refused(
            _(
                "%(one)s and %(other)s were merged into one player, and both are entered in section "
                "%(section)s. Separate the two first, on the page of %(stays)s; then decide again. If they "
                "are one person, return the section to its region after that, which corrects its entries, "
                "and merge the two then."
            )
            % {
                "one": one.number,
                "other": other.number,
                "section": section.key,
                "stays": (one.merged_into or one).number,
            }
        )
    for entry in merged:
        entry.player = entry.player and entry.player.merged_into
    return merged


def refuse_merged_or_twice(section: Section) -> None:
    """Raise `Refused`, with words for the official, where an entry names a player who was merged, or two
    entries name one player: no line of the journal may.
    """
    entries = list(_entries(section))
    for entry in entries:
        if entry.player and entry.player.merged_into:
            raise Refused(
                _(
                    "Starting number %(number)s names %(player)s, who was merged into %(into)s. Return the "
                    "section: its region then chooses %(into)s for that entry."
                )
                % {
                    "number": entry.number,
                    "player": entry.player.number,
                    "into": entry.player.merged_into.number,
                }
            )
    if both := _two_of_one_person(entries):
        raise Refused(
            _(
                "%(player)s is entered twice. Return the section: its region then decides who each of these "
                "entries is."
            )
            % {"player": both[0].number}
        )


def _entries(section: Section) -> Iterable[Entry]:
    return entries_with_players(section)


def _two_of_one_person(entries: Iterable[Entry]) -> tuple[Player, Player] | None:
    """The players of the first two entries that name one person, as the register stands now."""
    first: dict[int, Player] = {}
    for player in (entry.player for entry in entries if entry.player):
        stays = player.merged_into_id or player.pk
        if stays in first:
            return first[stays], player
        first[stays] = player
    return None


def ids_filed_twice(entries: Iterable[Entry]) -> Iterator[tuple[Entry, str, Entry]]:
    """Yield each entry with an id that an earlier one has too: the entry, the id, the earlier one."""
    first: dict[tuple[str, str], Entry] = {}
    for entry in entries:
        for kind, value in ids_of(entry):
            twin = first.setdefault((kind, value), entry)
            if twin is not entry:
                yield entry, value, twin


def players_of_other_regions(section: Section) -> list[Player]:
    """The players of the register in a section who belong to another region than its event's, by name. None
    where the office has one region only; who came into the register with this section is no guest.
    """
    if not section.event.federation.regional:
        return []
    entries = section.entries.exclude(match=Entry.Match.NEW).exclude(player=None)
    guests = entries.exclude(player__region=None).exclude(player__region=section.event.region_id)
    found = [entry.player for entry in guests.select_related("player__region", "player__federation")]
    return sorted((player for player in found if player), key=lambda player: (player.sort_key, player.number))


# ---- Decide who entries are, and register the new players of a section when it is submitted.
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
            added = newcomers[entry.number]
            entry.player, entry.match = None, Entry.Match.NEW
            for name, value in added._asdict().items():
                if value:
                    setattr(entry, name, value)
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
    # Raise `Refused` for new players whom the register has by now, as from another section.
    taken = set(section.entries.exclude(player=None).values_list("player_id", flat=True))
    known = known_since(section.event.federation, entries, taken)
    if known:
        names = "; ".join(f"{entry.name} ({player.number})" for entry, player in known)
        words = _(
            "The register now has players with the same name and birth as these new players: %(names)s. On "
            "the players’ page, press “Change” beside each, and say whether it is that player or a new one."
        )
        raise Refused(words % {"names": names})
    first = take_numbers(section.event.federation, len(entries))
    return [_register(entry, first + place, on) for place, entry in enumerate(entries)]


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


# ---- A column of new players' particulars, filled in at once: from a pasted table, or one value for all.
SEXES = {"m": "m", "male": "m", "f": "f", "w": "f", "k": "f", "female": "f", "м": "m", "ж": "f"}
"""Spellings of the sex in tables of several languages."""
SHOWN = 3  # lines that an error quotes


class PastedValue(NamedTuple):
    """One line of what was pasted: who is meant, by starting number or name, and the value."""

    who: str
    """Empty: the next player in the page's order."""
    value: str


def filled(
    data: QueryDict, column: str, entries: Sequence[Entry], pasted: str, default: str
) -> tuple[QueryDict, list[str]]:
    """Return what was typed with a column of these entries filled in, and complaints: with any, nothing is.
    An answer that was typed by hand stays.
    """
    lines = [line for text in pasted.splitlines() if (line := _line(text, entries))]
    values, errors = _by_number(lines, entries)
    if errors:
        return data, errors
    told = data.copy()
    for entry in entries:
        name = f"new-{entry.number}-{column}"
        value = values.get(entry.number, "") or default
        if value and not told.get(name, "").strip():
            told[name] = SEXES.get(value.casefold(), value) if column == "sex" else value
    return told, []


def _line(text: str, entries: Iterable[Entry]) -> PastedValue | None:
    """A pasted line; None for a blank one without a second column. A comma may divide who is named so."""
    for mark in ("\t", ";"):
        if mark in text:
            who, _mark, value = text.partition(mark)
            return PastedValue(who.strip(), value.strip())
    who, mark, value = text.rpartition(",")
    if mark and (who.strip().isdecimal() or any(fold(who) == fold(entry.name) for entry in entries)):
        return PastedValue(who.strip(), value.strip())
    return PastedValue("", text.strip()) if text.strip() else None


def _by_number(lines: Sequence[PastedValue], entries: Sequence[Entry]) -> tuple[Mapping[int, str], list[str]]:
    """The pasted values by starting number, and what is wrong with them."""
    if not any(line.who for line in lines):
        if lines and len(lines) != len(entries):
            words = _(
                "%(lines)s lines were pasted for %(players)s players. Paste one for each, in the order of "
                "their starting numbers, or put the number or the name before each value."
            )
            return {}, [words % {"lines": len(lines), "players": len(entries)}]
        return {entry.number: line.value for entry, line in zip(entries, lines, strict=False)}, []
    known = {str(entry.number): entry.number for entry in entries}
    known |= {fold(entry.name): entry.number for entry in entries}
    strangers = [line.who or line.value for line in lines if _key(line.who) not in known]
    if len(strangers) == len(lines):
        words = _("No player below is meant by what was pasted: %(names)s.")
        return {}, [words % {"names": "; ".join(strangers[:SHOWN])}]
    return {known[_key(line.who)]: line.value for line in lines if _key(line.who) in known}, []


def _key(who: str) -> str:
    return who if who.isdecimal() else fold(who)
