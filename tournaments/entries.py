"""Entries of a section: decisions on doubtful ones, merged players, and the registration of new players."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from django.db import transaction
from django.http import QueryDict
from django.utils.translation import gettext as _

from players.models import BirthDate, Federation, Identifier, Player, Region, User
from players.names import fold
from players.record import Refused
from players.register import reserve_numbers
from players.writing import batches
from ratings.rulesets.particulars import SEXES
from tournaments.acceptance import (
    get_filed_nation,
    missing_particulars_of_new,
    recheck,
    required_player_particulars,
)
from tournaments.matching import (
    Id,
    RegisterPart,
    candidate_as_dict,
    find_registered_since,
    get_ids,
    match,
    storable_ids,
)
from tournaments.models import CANCELLED_OR_WITHDRAWN, Entry, Section
from tournaments.sections import entries_with_players, lock_section, record


# ---- Entries of merged players
def save_resolved_merged_players(section: Section) -> None:
    """Replace merged players in entries by those who stay, and save; raises as `resolve_merged_players`."""
    for entry in resolve_merged_players(section):
        entry.save(update_fields=["player"])


def resolve_merged_players(section: Section) -> list[Entry]:
    """Replace merged players in entries by those who stay, in memory, and return these entries.

    Raises `Refused` if a player would then be entered twice: merging leaves refused sections as they are.
    """
    entries = list(entries_with_players(section))
    merged = [entry for entry in entries if entry.player and entry.player.merged_into]
    if both := _duplicate_players(entries) if merged else None:
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
    """Raise `Refused` if an entry names a merged player, or two entries one player: no line of the journal
    may.
    """
    entries = list(entries_with_players(section))
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
    if both := _duplicate_players(entries):
        raise Refused(
            _(
                "%(player)s is entered twice. Return the section: its region then decides who each of these "
                "entries is."
            )
            % {"player": both[0].number}
        )


def _duplicate_players(entries: Iterable[Entry]) -> tuple[Player, Player] | None:
    """The players of the first two entries of one person, by the register's mergers."""
    first: dict[int, Player] = {}
    for player in (entry.player for entry in entries if entry.player):
        stays = player.merged_into_id or player.pk
        if stays in first:
            return first[stays], player
        first[stays] = player
    return None


def find_duplicate_ids(entries: Iterable[Entry]) -> Iterator[tuple[Entry, str, Entry]]:
    """Yield each entry with an id of an earlier entry, that id, and the earlier entry."""
    first: dict[tuple[str, str], Entry] = {}
    for entry in entries:
        for kind, value in get_ids(entry):
            twin = first.setdefault((kind, value), entry)
            if twin is not entry:
                yield entry, value, twin


def players_from_other_regions(section: Section) -> list[Player]:
    """The registered players in a section from another region than its event's, by name; not those who are
    new with it. Empty in an office of one region.
    """
    if not section.event.federation.regional:
        return []
    entries = section.entries.exclude(match=Entry.Match.NEW).exclude(player=None)
    guests = entries.exclude(player__region=None).exclude(player__region=section.event.region_id)
    found = [entry.player for entry in guests.select_related("player__region", "player__federation")]
    return sorted((player for player in found if player), key=lambda player: (player.sort_key, player.number))


# ---- Decisions on entries, and registration of new players
NEWCOMER_FIELDS = ("sex", "birth", "surname", "first_name", "federation")
"""The fields of an entry that a person may add for a new player, besides the region."""


@transaction.atomic
def decide_entries(
    *,
    section: Section,
    by: User | None,
    on: date,
    version: int,
    chosen: Mapping[int, Player] | None = None,
    newcomers: Mapping[int, Mapping[str, str]] | None = None,
    regions: Mapping[int, Region] | None = None,
) -> list[Entry]:
    """Decide who entries are, by starting number: registered players, or new ones with what is added to the
    file's particulars (`NEWCOMER_FIELDS`); and the `regions` of new players.

    New players get their numbers at submission. Raises `Refused` if a decision is invalid; then none is made.
    """
    locked = lock_section(section, version=version)
    chosen, newcomers, regions = chosen or {}, newcomers or {}, regions or {}
    if any(p.federation_id != locked.event.federation_id or p.merged_into_id for p in chosen.values()):
        raise Refused(_("This player is not in the register any more. Search again."))
    entries = {entry.number: entry for entry in locked.entries.all()}
    decided = [_entry(entries, number) for number in (*chosen, *newcomers)]
    register = RegisterPart(locked.event.federation, decided)
    register.learn(chosen.values())
    for entry in decided:
        if player := chosen.get(entry.number):
            entry.player, entry.match, entry.region = player, Entry.Match.DECIDED, None
            entry.candidates = [candidate_as_dict(register.judge(entry, player))]
        else:
            entry.player, entry.match = None, Entry.Match.NEW
            for name, value in newcomers[entry.number].items():
                if value:
                    setattr(entry, name, value)
    _refuse_twins(entries.values())
    decided += [entry for number in regions if (entry := _entry(entries, number)) not in decided]
    for number, region in regions.items():
        _place(entries[number], region)
    fields = ["player", "match", "candidates", *NEWCOMER_FIELDS, "region"]
    Entry.objects.bulk_update(decided, fields, batch_size=500)
    players = {number: player.number for number, player in chosen.items()}
    codes = {number: region.code for number, region in regions.items()}
    _conclude(locked, by, on, players=players, new=sorted(newcomers), **({"regions": codes} if codes else {}))
    return decided


def _place(entry: Entry, region: Region) -> None:
    """Set a new player's region; the event's own is not stored, as the player moves with the event."""
    event = entry.section.event
    if (
        entry.match != Entry.Match.NEW
        or entry.player is not None
        or region.federation_id != event.federation_id
    ):
        words = _("%(player)s is not a new player here any more: who is in the register moves by a transfer.")
        raise Refused(words % {"player": entry.name})
    entry.region = None if region == event.region else region


def _refuse_twins(entries: Iterable[Entry]) -> None:
    """Raise `Refused` if two entries of a section have one player."""
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
    """Revoke a decision about an entry, or its match, look up candidates again, and let a person decide."""
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
    """Register a section's new players, in the transaction of its submission; they belong to the region
    stated for them, else to the host region (CSA 14.1.5).
    """
    entries = list(section.entries.filter(match=Entry.Match.NEW, player=None).select_related("region"))
    needed = required_player_particulars(section.event.federation.ruleset)
    if any(missing_particulars_of_new(entry, needed) for entry in entries):
        raise Refused(_("Some new players have missing details. Open the players' page."))
    taken = set(section.entries.exclude(player=None).values_list("player_id", flat=True))
    known = find_registered_since(section.event.federation, entries, taken)
    if known:
        names = "; ".join(f"{entry.name} ({player.number})" for entry, player in known)
        words = _(
            "The register now has players with the same name and birth as these new players: %(names)s. On "
            "the players’ page, press “Change” beside each, and say whether it is that player or a new one."
        )
        raise Refused(words % {"names": names})
    first = reserve_numbers(section.event.federation, len(entries))
    return [_register(entry, first + place, on) for place, entry in enumerate(entries)]


def _register(entry: Entry, number: int, on: date) -> Player:
    event = entry.section.event
    region, nation = entry.region or event.region, get_filed_nation(entry)
    player = new_player(entry, event.federation, str(number), on=on, region=region, nation=nation)
    player.save()
    if len(entry.birth) == 10:
        BirthDate.objects.create(player=player, day=date.fromisoformat(entry.birth))
    entry.player = player
    entry.save(update_fields=["player"])
    return player


def new_player(who: Any, federation: Federation, number: str, *, on: date, **further: Any) -> Player:
    """The unsaved player of the register whom an entry, or somebody of a past, brings."""
    return Player(
        federation=federation,
        number=number,
        surname=who.surname,
        first_name=who.first_name,
        sex=who.sex,
        born=int(who.birth[:4]) if who.birth else None,
        title=who.title,
        name_key=fold(who.surname),
        registered_on=on,
        **further,
    )


def delete_unnamed_players(section: Section) -> list[str]:
    """Delete the players whom earlier submissions of a section made and whom nothing names any more: no
    entry, no line of the journal, no decision about or beside them, no report, transfer or proof. Returns
    their numbers. A section that is cancelled or withdrawn names nobody as new.
    """
    office = section.event.federation
    submissions = office.decisions.filter(kind="submit", about=section.named_on_record)
    numbers = {number for each in submissions for number in each.details.get("new_players", ())}
    about = [f"player {number}" for number in numbers]
    decided = office.decisions.filter(about__in=about).values_list("about", flat=True)
    named = {each.removeprefix("player ") for each in decided}
    named |= set(office.facts.filter(subject__in=numbers).order_by().values_list("subject", flat=True))
    for key in ("other", "into", "out_of"):  # of two entries that were told apart, merged or parted
        beside = office.decisions.filter(**{f"sealed_details__{key}__in": numbers})
        named |= {details[key] for details in beside.values_list("sealed_details", flat=True)}
    entries = Entry.objects.exclude(player=None)
    if section.stage in CANCELLED_OR_WITHDRAWN:
        entries = entries.exclude(section=section, match=Entry.Match.NEW)
    nowhere = dict.fromkeys(("cases", "merged", "merged_into", "transfers", "proof_files"))
    unnamed = Player.objects.of(office).filter(number__in=numbers - named, **nowhere)
    unnamed = unnamed.exclude(pk__in=entries.values("player"))
    gone = sorted(unnamed.values_list("number", flat=True))
    for player in unnamed:
        player.entries.update(player=None)
        player.delete()
    return gone


def players_gone(numbers: Sequence[str], sections: Iterable[Section] = ()) -> dict[str, Any]:
    """The details of a decision with which these players leave the register; `sections`: of an event, where
    they were entered.
    """
    also = [f"player {number}" for number in numbers] + [f"entries {section.key}" for section in sections]
    return {"gone": numbers, "also": also} if numbers else {}


def save_ids(section: Section) -> list[str]:
    """Save the file's ids of players who have none of that kind yet; return the numbers of those players.

    An id that another player has stays theirs.
    """
    federation = section.event.federation
    filed = [
        (entry.player_id, id_)
        for entry in section.entries.all()
        for id_ in storable_ids(entry)
        if entry.player_id is not None
    ]
    owners = add_ids(federation, filed)
    return sorted(Player.objects.filter(pk__in=owners).values_list("number", flat=True))


BATCH_SIZE = 500


def add_ids(federation: Federation, filed: Sequence[tuple[int, Id]]) -> set[int]:
    """Save ids of players, by key, who have none of the kind, unless the id is another's; return the keys of
    those who got some.
    """
    known = Identifier.objects.filter(federation=federation)
    had: set[tuple[int, str]] = set()
    theirs: set[tuple[str, str]] = set()
    for some in batches(filed, BATCH_SIZE):
        had |= set(known.filter(player__in={pk for pk, _id in some}).values_list("player_id", "kind"))
        theirs |= set(known.filter(value__in={id_.value for _pk, id_ in some}).values_list("kind", "value"))
    new: list[Identifier] = []
    for pk, id_ in filed:
        if (pk, id_.kind) not in had and id_ not in theirs:
            new.append(Identifier(federation=federation, player_id=pk, kind=id_.kind, value=id_.value))
            had.add((pk, id_.kind))
            theirs.add(id_)
    Identifier.objects.bulk_create(new, batch_size=BATCH_SIZE)
    return {each.player_id for each in new}


def _entry(entries: Mapping[int, Entry], number: int) -> Entry:
    if number not in entries:
        raise Refused(_("Starting number %(number)s is not in this section.") % {"number": number})
    return entries[number]


def _conclude(section: Section, by: User | None, on: date, **details: object) -> None:
    recheck(section)
    section.version += 1
    section.save(update_fields=["version"])
    record(section, "match", by, on, **details)


# ---- New players' particulars filled in by column
SHOWN = 3  # lines that an error quotes


PastedValue = tuple[str, str]
"""A pasted line: the player's starting number or name (empty for the next player in order), and the value."""


def fill_column(
    data: QueryDict, column: str, entries: Sequence[Entry], pasted: str, default: str
) -> tuple[QueryDict, list[str]]:
    """The form's data with a column of these entries filled in, and errors: with any, nothing is filled in.
    Values that were typed stay.
    """
    lines = [line for text in pasted.splitlines() if (line := _line(text, entries))]
    values, errors = _values_by_number(lines, entries)
    if errors:
        return data, errors
    data = data.copy()
    for entry in entries:
        name = f"new-{entry.number}-{column}"
        value = values.get(entry.number, "") or default
        if value and not data.get(name, "").strip():
            data[name] = SEXES.get(value.casefold(), value) if column == "sex" else value
    return data, []


def _line(text: str, entries: Iterable[Entry]) -> PastedValue | None:
    """A pasted line; None for a blank one. A comma divides only after a number or name of an entry."""
    for mark in ("\t", ";"):
        if mark in text:
            who, _mark, value = text.partition(mark)
            return who.strip(), value.strip()
    who, mark, value = text.rpartition(",")
    if mark and (who.strip().isdecimal() or any(fold(who) == fold(entry.name) for entry in entries)):
        return who.strip(), value.strip()
    return ("", text.strip()) if text.strip() else None


def _values_by_number(
    lines: Sequence[PastedValue], entries: Sequence[Entry]
) -> tuple[Mapping[int, str], list[str]]:
    """The pasted values by starting number, and errors."""
    if not any(who for who, _value in lines):
        if lines and len(lines) != len(entries):
            words = _(
                "%(lines)s lines were pasted for %(players)s players. Paste one for each, in the order of "
                "their starting numbers, or put the number or the name before each value."
            )
            return {}, [words % {"lines": len(lines), "players": len(entries)}]
        return {entry.number: value for entry, (_who, value) in zip(entries, lines, strict=False)}, []
    known = {str(entry.number): entry.number for entry in entries}
    known |= {fold(entry.name): entry.number for entry in entries}
    strangers = [who or value for who, value in lines if _key(who) not in known]
    if len(strangers) == len(lines):
        words = _("No player below is meant by what was pasted: %(names)s.")
        return {}, [words % {"names": "; ".join(strangers[:SHOWN])}]
    return {known[_key(who)]: value for who, value in lines if _key(who) in known}, []


def _key(who: str) -> str:
    return who if who.isdecimal() else fold(who)
