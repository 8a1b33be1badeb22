"""The two files that a newcomer uploads: events that ended days ago, registered, and not filed yet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import NamedTuple

from django.utils.text import slugify

from players.models import Federation, Identifier, Player
from ratings.demo.kinds import OPEN, RAPID, WEEKEND, Control, Kind
from ratings.demo.live import vague
from ratings.demo.offers import folder
from ratings.demo.staging import SWISS_MANAGER, VEGA, Held, Stagehand
from ratings.rulesets.facts import Bye, Section
from tournaments.samples import Line


class Sample(NamedTuple):
    kind: Kind
    region: str
    place: str
    ago: int
    control: Control
    style: str
    suffix: str
    new: tuple[Line, Line]
    """Whom no register knows."""


SAMPLES = (
    Sample(
        replace(RAPID, size=(20, 20), rounds=(6,), visitors=0.1),
        "GAU",
        "Pretoria",
        3,
        (15, 5),
        SWISS_MANAGER,
        "txt",
        (
            Line("Vilakazi-Moss", "Nandipha", "f", date(2012, 4, 17), federation="RSA"),
            Line("Terblanche", "Lourens Jakob", "m", date(1996, 11, 2), federation="RSA"),
        ),
    ),
    Sample(
        replace(WEEKEND, groups=OPEN, size=(16, 16), rounds=(7,)),
        "WCA",
        "Worcester",
        4,
        (90, 30),
        VEGA,
        "trf",
        (
            Line("Quickfall", "Zoë", "f", date(2009, 8, 30), federation="RSA"),
            Line("Ontong", "Wilfred", "m", date(1961, 1, 9), federation="RSA"),
        ),
    ),
)
WITHOUT_ID = 3
"""So many are found by name and birth."""


def write_files(hand: Stagehand) -> list[Path]:
    """Register the events, and put their files where a newcomer finds them."""
    folder().mkdir(exist_ok=True)
    for old in folder().iterdir():
        old.unlink()
    return [_write(hand, sample) for sample in SAMPLES]


def _write(hand: Stagehand, sample: Sample) -> Path:
    held = hand.hold(
        sample.kind, sample.region, sample.place, ago=sample.ago, control=sample.control, calm=True
    )
    held = replace(held, fact=eventful(held.fact))
    section = hand.register(held)
    path = folder() / f"{section.event.number}_{slugify(section.event.name)}.{sample.suffix}"
    path.write_bytes(hand.event_file(held, style=sample.style, changes=puzzles(hand, held, sample)))
    return path


def eventful(section: Section) -> Section:
    """In the last round one game was forfeited, another not played: a requested bye, and an allocated one."""
    games = list(section.games)
    last = [place for place, game in enumerate(games) if game.round == section.rounds]
    middle = last[len(last) // 2]
    games[middle] = games[middle]._replace(result="+:-")
    idle = games.pop(last[-1])
    byes = (Bye(idle.round, idle.first, "half"), Bye(idle.round, idle.second, "pairing"))
    return replace(section, games=tuple(games), byes=(*section.byes, *byes))


def puzzles(hand: Stagehand, held: Held, sample: Sample) -> dict[int, Line]:
    """Whom the file gives otherwise than the register: without id, in doubt, and quite new."""
    lines = hand.lines_of(held)
    size = len(lines)
    changes = with_fide_ids(hand.federation, lines) if sample.style == VEGA else {}
    plain = [place for place in range(2, size - 3) if _is_plain(hand.federation, lines[place - 1])]
    nameless, doubtful = plain[:WITHOUT_ID], plain[WITHOUT_ID]
    changes |= {place: lines[place - 1]._replace(identifier="") for place in nameless}
    changes[doubtful] = vague(lines[doubtful - 1])
    return {**changes, size - 2: sample.new[0], size: sample.new[1]}


def with_fide_ids(federation: Federation, lines: Sequence[Line]) -> dict[int, Line]:
    """Those who have one, by starting number, under their FIDE id instead of the register's number."""
    known = Identifier.objects.filter(federation=federation, kind="fide")
    ids = dict(known.values_list("player__number", "value"))
    return {
        place: line._replace(identifier=ids[line.identifier])
        for place, line in enumerate(lines, start=1)
        if line.identifier in ids
    }


def _is_plain(federation: Federation, line: Line) -> bool:
    """Whether name and year of birth are nobody else's."""
    player = Player.objects.get(federation=federation, number=line.identifier)
    others = Player.objects.filter(federation=federation, name_key=player.name_key, born=player.born)
    return others.count() == 1
