"""§10, §18, §60–§62: the person who handed a section in, and the days on which it was done.

Days are calendar days; the office's own calendar says which one it was (D-CSA-16).
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta

from ratings.law.facts import Section
from ratings.law.filing_particulars import Filing
from ratings.law.rule_outputs import Deadline, Finding, Level, Value
from ratings.rulesets.csa.edition_2020.tracks import abroad

DAYS_TO_FILE = 14  # §62
DAYS_TO_FILE_ABROAD = 30  # §10
DAYS_TO_ASK = 1  # §18
DAYS_TO_REGISTER = {"": ("61.1", 3), "norm": ("61.2", 30), "non-norm": ("61.2", 7)}  # §61.1 §61.2
"""The clause and the days before the start by which an event must be registered, by `fide_rated`."""


def fide_rated(filing: Filing) -> str:
    """The region's answer whether the section is FIDE rated: `norm`, `non-norm`, or empty: not said to be."""
    said = str(filing.said.get("fide_rated") or "")
    return said if said in DAYS_TO_REGISTER else ""


def starts_of(section: Section, filing: Filing) -> date:
    return filing.event_starts or section.starts


def ends_of(section: Section, filing: Filing) -> date:
    return filing.event_ends or section.ends


def deadlines(section: Section, filing: Filing) -> list[Deadline]:
    """§10 §18 §61 §62: the days by which a section's event is registered and its results are handed in."""
    ends = ends_of(section, filing)
    if abroad(section):
        return [Deadline("10", "due-results", ends + timedelta(DAYS_TO_FILE_ABROAD), filing.handed_in)]
    clause, needed = DAYS_TO_REGISTER[fide_rated(filing)]
    return [
        Deadline(
            clause, "due-registration", starts_of(section, filing) - timedelta(needed), filing.registered
        ),
        Deadline("18", "due-asking", last_to_ask(section, filing), asked(filing), binding=False),
        Deadline("62", "due-results", ends + timedelta(DAYS_TO_FILE), filing.handed_in),
    ]


def asked(filing: Filing) -> date | None:
    """§18: the day on which the region asked for permission or, where nobody asked, handed the results in."""
    return filing.asked.get("18") or filing.handed_in


def check_registered(section: Section, filing: Filing) -> Iterator[Finding]:
    """§61: check that the event was registered enough days before its start; one held abroad is not
    registered here (§10).
    """
    if abroad(section) or filing.registered is None:
        return
    clause, needed = DAYS_TO_REGISTER[fide_rated(filing)]
    last = starts_of(section, filing) - timedelta(needed)
    if filing.registered > last:
        params: dict[str, Value] = {"registered": filing.registered, "last": last, "needed": needed}
        yield Finding(clause, filing.late(), "registered-late", params, "registered")


def check_filed(section: Section, filing: Filing) -> Iterator[Finding]:
    """§62: check that the results were handed in within 14 days of the event's end (D-CSA-22), and that the
    file did not come before the section was over.
    """
    if abroad(section):
        return
    ends = ends_of(section, filing)
    if filing.handed_in and filing.handed_in > ends + timedelta(DAYS_TO_FILE):
        yield _late("62", "filed-late", filing.handed_in, ends, DAYS_TO_FILE, filing)
    if filing.filed and filing.filed < section.ends:
        params: dict[str, Value] = {"filed": filing.filed, "ends": section.ends}
        yield Finding("62", filing.late(), "filed-early", params, "ends")


def check_abroad(section: Section, filing: Filing) -> Iterator[Finding]:
    """§10: note of a section abroad who is rated (D-CSA-18), and check that it is FIDE rated and came in time
    (D-CSA-16).
    """
    if not abroad(section):
        return
    yield Finding("10", Level.NOTICE, "abroad", {"country": section.country}, "country")
    if not fide_rated(filing):
        yield Finding("10", Level.WAIVABLE, "abroad-not-fide-rated", where="fide_rated")
    ends = ends_of(section, filing)
    if filing.handed_in and filing.handed_in > ends + timedelta(DAYS_TO_FILE_ABROAD):
        yield _late("10", "abroad-late", filing.handed_in, ends, DAYS_TO_FILE_ABROAD, filing)


def check_asked(section: Section, filing: Filing) -> Iterator[Finding]:
    """§18: check that permission for too few players or rounds was asked for in time, or that the section
    was handed in while the Bureau could still be asked.
    """
    day = asked(filing)
    if day and day > last_to_ask(section, filing):
        yield _late("18", "asked-late", day, ends_of(section, filing), DAYS_TO_ASK, filing)


def last_to_ask(section: Section, filing: Filing) -> date:
    """§18: the last day on which the Bureau may be asked to permit fewer players or rounds."""
    return ends_of(section, filing) + timedelta(DAYS_TO_ASK)


def check_region(section: Section, filing: Filing) -> Iterator[Finding]:
    """§60: check that the host region's administrator sent the file; from abroad, players bring it (§10)."""
    if filing.by_region is False and not abroad(section):
        yield Finding("60", filing.incomplete(), "not-by-the-region", {"region": filing.region}, "region")


def _late(clause: str, key: str, day: date, ends: date, allowed: int, filing: Filing) -> Finding:
    params: dict[str, Value] = {
        "filed": day,
        "last": ends + timedelta(allowed),
        "allowed": allowed,
    }
    return Finding(clause, filing.late(), key, params, "filed")
