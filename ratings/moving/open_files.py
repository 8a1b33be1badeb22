"""Writes what other programs read: journal, ratings, sections as TRF or table, the register, programs."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from pathlib import Path
from urllib.parse import quote

from players.importing.export import DAY, write_register
from players.office.models import Federation
from players.register.models import Player
from ratings.journal.export import journal_lines
from ratings.law.journal import LinesAbove, end_beside
from ratings.lists.models import RatingList
from ratings.moving.tables import PRIVATE, PROGRAM
from ratings.moving.write_rows import new_member
from ratings.proof.program.models import ProgramFile
from ratings.proof.replay import answer
from ratings.public.events.cross_tables import CrossTable
from ratings.public.events.section_downloads import SUFFIXES, play_of
from tournaments.events.models import Section, Stage
from tournaments.filing.section_files import FiledPlay, file_of

JOURNAL = "journal.ndjson"
ANSWER = "answer.json"
EVENTS = "events/"
"""The folder of sections as TRF or table: what the public may know of them, written anew."""
REGISTER = f"{PRIVATE}register.csv"
README = f"""Everything that a rating office holds, as open files.

For everybody:
  {JOURNAL}      the record of all facts, a line each, with its end line beside it
  {ANSWER}         what a replay of the journal gives: python -m ratings.replay {JOURNAL}
  lists/              every published list as its bytes: id,rating,games
  {EVENTS}             every rated section, as TRF where it fits, else as a table
  tables/, log/       lists, errata and regions by row; keys, checkpoints and witnesses of the journal's log
  programs/           the programs that drew the lists up

{PRIVATE} is nobody's but the office's: the register with births and the names of those who asked
not to be named, names and salts, who is withheld, decisions with their words, files as they were
filed, cases and remarks. Keep it as you keep the office's own database, and give it to nobody.

No key that signs is in here, and no account of anybody who works for the office.
"""


def write_open_files(office: Federation, folder: Path) -> None:
    with new_member(folder, "README.txt") as file:
        file.write(README.encode())
    _write_journal(office, folder)
    _write_events(office, folder)
    _write_programs(office, folder)
    with new_member(folder, REGISTER) as file:
        players = Player.objects.of(office).order_by("number")
        write_register(file, office, players, layout="csv", births=DAY, on=date.max)


def _write_journal(office: Federation, folder: Path) -> None:
    above = LinesAbove()
    with new_member(folder, JOURNAL) as file:
        for line in journal_lines(office):
            above.add(line)
            file.write(f"{line}\n".encode())
    with new_member(folder, end_beside(Path(JOURNAL)).name) as file:
        file.write(f"{above.end}\n".encode())
    with (folder / JOURNAL).open("rb") as lines, new_member(folder, ANSWER) as file:
        told = answer(lines)
        file.write(json.dumps(told, ensure_ascii=False, separators=(",", ":")).encode() + b"\n")


def _write_events(office: Federation, folder: Path) -> None:
    sections = Section.objects.filter(event__federation=office, stage=Stage.RATED).order_by("pk")
    for section in sections.select_related("event__federation"):
        lines = section.facts.filter(kind="rated").in_force()
        rated = lines.select_related("takes").order_by("-number").first()
        if rated is None:
            continue  # a merge put it away
        rated.federation = office
        play = _of_any_day(play_of(CrossTable(section, rated, keep=lambda _name, _work: ({}, {}))))
        layout = play.layouts[0]
        name = f"{EVENTS}{_as_name(section.event.number)}/{_as_name(section.code)}.{SUFFIXES[layout]}"
        with new_member(folder, name) as file:
            file.write(file_of(play, layout))


def _as_name(part: str) -> str:
    """A part of a section's id as a file's name: no stroke, and never dots alone."""
    return quote(part, safe="") if part.strip(".") else part.replace(".", "%2E")


def _of_any_day(play: FiledPlay) -> FiledPlay:
    """Leave out of a section's play what may be told on one day and not on another: births, sexes, titles."""
    told = {pk: replace(each, born=None, sex="", title="") for pk, each in play.told.items()}
    return replace(play, told=told)


def _write_programs(office: Federation, folder: Path) -> None:
    drawn = RatingList.objects.of(office).values("program_sha256")
    for program in ProgramFile.objects.filter(sha256__in=drawn).order_by("sha256"):
        with new_member(folder, PROGRAM.format(version=program.version, sha256=program.sha256)) as file:
            file.write(bytes(program.content))
