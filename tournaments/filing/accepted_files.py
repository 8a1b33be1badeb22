"""The files that one federation accepts: the kinds that its office names, and its plain table."""

from __future__ import annotations

from dataclasses import replace

from django.utils.translation import gettext as _

from ratings.equipment.find_equipment import equipment_of
from ratings.law.ruleset import Ruleset
from tournaments.filing.open_questions import PLACEMENT
from tournaments.formats import KINDS
from tournaments.formats.common.format_description import FileKind, FileSource
from tournaments.formats.common.reading_result import FileFinding, Reading
from tournaments.formats.plain_table.table_file import TABLE


def takes_games(ruleset: Ruleset) -> bool:
    """Whether any of the ruleset's formats has games; otherwise its sections consist of places alone."""
    return any(format_ != PLACEMENT for format_ in ruleset.sections.formats)


def without_reader(ruleset: Ruleset) -> list[str]:
    """The codes of files that the office names and no reader has; none, unless somebody mistyped one."""
    return [code for code in equipment_of(ruleset).office.files if code not in KINDS]


def kinds_of(ruleset: Ruleset) -> list[FileKind]:
    """The kinds of files that the office names, in its order."""
    return [KINDS[code] for code in equipment_of(ruleset).office.files]


def names_of_kinds(ruleset: Ruleset) -> str:
    """The names of the kinds of files that the office names, in one line."""
    return ", ".join(_(kind.name) for kind in kinds_of(ruleset))


def sources_of(ruleset: Ruleset) -> list[FileSource]:
    """The programs and sites whose files the office names, in the language of the page."""
    sources = (source for kind in kinds_of(ruleset) for source in kind.sources)
    return [replace(source, name=_(source.name), help=_(source.help)) for source in sources]


def taken_here(reading: Reading, ruleset: Ruleset) -> Reading:
    """The reading; or, if this federation does not read such files, another without sheet that says so."""
    taken = kinds_of(ruleset)
    if reading.sheet is None or reading.sheet.family in {TABLE, *(kind.code for kind in taken)}:
        return reading
    kind = KINDS[reading.sheet.family]
    told = {"kind": kind.name, "taken": ", ".join(kind.name for kind in taken)}
    finding = FileFinding("blocks", "not-taken-here", params=told)
    if kind.instead:
        finding = FileFinding("blocks", "take-instead", params={"kind": kind.name, "instead": kind.instead})
    return Reading(None, (finding,))
