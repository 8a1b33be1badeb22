"""Checks of files before anybody sends them: read as an upload would be, in the box, and kept nowhere."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from players.models import Federation, Player
from tournaments import matching
from tournaments.acceptance import NO_PERSON_KEYS, check_play
from tournaments.checks import check_facts
from tournaments.filing import block_unaccepted_kind, build_entries, find_ids_twice
from tournaments.findings import describe_finding, word_for_reader
from tournaments.formats.file_check import FileCheck, Match, Remark, check_reading
from tournaments.formats.sheet import Reading, Sheet
from tournaments.models import Entry, Event, Section
from tournaments.uploads import read_alone

VISITORS_WALL = 10.0
"""The seconds that a visitor's file may take."""


def check_file(
    office: Federation,
    data: bytes,
    name: str,
    *,
    on: date,
    with_register: bool,
    wall: float = VISITORS_WALL,
) -> FileCheck:
    """Read a file as an upload to the office on a day. `with_register`: say who the players are, by all that
    the office knows of them, and so never to the public.
    """
    reading = read_alone(data, name, country=office.ruleset.country, wall=wall)
    reading = block_unaccepted_kind(reading, office.ruleset)
    sheet = reading.sheet
    if sheet is None:
        return check_reading(data, name, reading, word_for_reader)
    section = _imagine_section(office, sheet, on)
    entries = build_entries(section, sheet, None if with_register else "")
    matches = _match(office, entries) if with_register else {}
    reading = replace(reading, findings=(*reading.findings, *find_ids_twice(reading, entries)))
    check = check_reading(data, name, reading, word_for_reader)
    facts = () if reading.blocked else _check_facts(section, reading, sheet, entries)
    blocked = check.blocked or any(each.level == "blocks" for each in facts)
    return replace(check, blocked=blocked, findings=(*check.findings, *facts), matches=matches)


def _imagine_section(office: Federation, sheet: Sheet, on: date) -> Section:
    """An unsaved section as far as its file describes it."""
    starts = sheet.starts or sheet.ends or on
    return Section(
        event=Event(federation=office),
        starts=starts,
        ends=sheet.ends or starts,
        rounds=sheet.rounds,
        finals=list(sheet.finals),
        format=matching.parse_format(sheet.kind),
        team=bool(sheet.teams),
    )


def _check_facts(
    section: Section, reading: Reading, sheet: Sheet, entries: Sequence[Entry]
) -> tuple[Remark, ...]:
    nobody = {each.line for each in reading.findings if each.key in NO_PERSON_KEYS} - {None}
    persons = [entry for entry in entries if entry.line not in nobody]
    play = sheet.games, [(bye.round, bye.player, bye.kind) for bye in sheet.byes]
    found = [*check_play(section, entries, *play), *check_facts(section, persons, *play)]
    for each in found:
        if each.level == "blocks" and not section.format:  # as a match, it may be right
            each.level = "asks"
    ruleset = section.event.federation.ruleset
    return tuple(
        Remark(each.level, each.key, describe_finding(each, ruleset), (each.line,) if each.line else ())
        for each in found
    )


def _match(office: Federation, entries: Sequence[Entry]) -> dict[str, Match]:
    matching.match(office, entries, nameless=matching.is_nameless_file(entries))
    keys = {each["player"] for entry in entries for each in entry.candidates}
    numbers = dict(Player.objects.filter(pk__in=keys).values_list("pk", "number"))
    return {
        str(entry.number): Match(entry.match, tuple(numbers[each["player"]] for each in entry.candidates))
        for entry in entries
    }
