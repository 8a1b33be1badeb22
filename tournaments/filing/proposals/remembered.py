"""Answers that hold for the next file of the same region and program, until a person says otherwise.

All of them are proposals: they stand in the form, and hold once a person saves it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from django.db.models import QuerySet

from tournaments.events.file_models import Upload
from tournaments.events.models import WITH_THE_OFFICE, Entry, Section
from tournaments.filing.proposals.days_of_rounds import way_of

UNCLEAR_BYE = "win-without-opponent"
"""The reader's question about a win over nobody: no file says who gave the bye."""
BYE_READ = "pairing"
"""The kind for which readers take such a bye."""
LOOKED_AT = 10
"""The number of earlier files in which an answer is looked for."""


def remembered_id_kind(section: Section, dialect: str) -> str:
    """The kind that a person last gave the ids of a file by the same program in the same region; empty if
    nobody did.
    """
    others = _files_before(section, dialect).exclude(section__id_kind="")
    return others.values_list("section__id_kind", flat=True).first() or ""


def remembered_answers(section: Section, dialect: str) -> dict[str, str]:
    """Answers that the section keeps as hints: the kind that all unclear byes last were (`bye`), and how the
    rounds were dated last (`days`). Whatever is not remembered is left out.
    """
    found = {"bye": _remembered_bye(section, dialect), "days": _remembered_days(section, dialect)}
    return {name: said for name, said in found.items() if said}


def _files_before(section: Section, dialect: str) -> QuerySet[Upload]:
    """The files of the same program that others sections of the region have, the newest first."""
    files = Upload.objects.filter(
        dialect=dialect, state=Upload.State.READ, section__event__region=section.event.region
    )
    return files.exclude(section=section).order_by("-at", "-pk")


def _sections(files: QuerySet[Upload]) -> Iterator[Section]:
    return (file.section for file in files.select_related("section")[:LOOKED_AT])


def _remembered_bye(section: Section, dialect: str) -> str:
    files = _files_before(section, dialect).filter(section__adjustments__key=UNCLEAR_BYE).distinct()
    for other in _sections(files):
        if not is_open(other):
            lines = other.adjustments.filter(key=UNCLEAR_BYE).values_list("line", flat=True)
            byes = other.byes.filter(entry__line__in=list(lines))
            kinds = set(byes.values_list("kind", flat=True))
            return kinds.pop() if len(kinds) == 1 else ""
    return ""


def is_open(section: Section) -> bool:
    """Whether nobody has said yet what the unclear byes of a section's file were."""
    return section.findings.filter(source="file", level="asks", key=UNCLEAR_BYE).exists()


def proposed_byes(section: Section) -> str:
    """The kind proposed for all byes that a file leaves unclear; empty: none, or they are answered."""
    kind: str = section.hints.get("bye", "")
    return kind if kind and is_open(section) else ""


def _remembered_days(section: Section, dialect: str) -> str:
    answered = (other for other in _sections(_files_before(section, dialect)) if all(other.round_dates))
    return next((way_of(other) for other in answered if other.round_dates and other.starts < other.ends), "")


def remembered_players(section: Section, entries: Iterable[Entry]) -> dict[int, int]:
    """The players whom a person chose for just such entries (name, birth and id as filed) of the region's
    sections that the office has: keys by starting number, of entries that wait and are offered this player.
    Whose entry meant two players, or who is another entry here, is left out.
    """
    entries = list(entries)
    waiting = [entry for entry in entries if entry.match == Entry.Match.DOUBTFUL]
    taken = {entry.player_id for entry in entries}
    decided = Entry.objects.filter(
        section__event__region=section.event.region,
        section__stage__in=WITH_THE_OFFICE,
        match=Entry.Match.DECIDED,
        surname__in={entry.surname for entry in waiting},
    ).exclude(section=section)
    meant: dict[tuple[str, ...], set[int]] = defaultdict(set)
    for before in decided.select_related("player") if waiting else ():
        if before.player is not None:
            meant[_as_filed(before)].add(before.player.merged_into_id or before.player.pk)
    found = {entry.number: meant[_as_filed(entry)] for entry in waiting}
    offered = {entry.number: {each["player"] for each in entry.candidates} for entry in waiting}
    sure = {number: next(iter(keys)) for number, keys in found.items() if len(keys) == 1}
    return {number: key for number, key in sure.items() if key in offered[number] - taken}


def _as_filed(entry: Entry) -> tuple[str, ...]:
    return entry.surname, entry.first_name, entry.birth, entry.filed_id
