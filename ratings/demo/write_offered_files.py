"""The files that a newcomer uploads: events that ended days ago, registered, and not filed yet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from players.office.models import Federation
from players.register.models import Identifier, Player
from players.register.name_folding import words
from ratings.demo.files_not_uploaded import folder
from ratings.demo.play_and_file import PresentEventMaker, UnratedSection
from ratings.demo.present_events import vague
from ratings.demo.story.simulate_games import placed_anew
from ratings.equipment.demo import DemoNewcomer, Offer
from ratings.law.facts import Bye, Section
from ratings.law.ruleset import Ruleset
from tournaments.samples.event_files import FilePlayer

WITHOUT_ID = 3
"""The number of players whose id a demo file leaves out: they are to be found by name and birth."""


def write_files(maker: PresentEventMaker) -> list[Path]:
    """Register the demo's offered events and write their event files into its folder, in place of older ones,
    for a newcomer to upload. Return the paths.
    """
    place = folder(maker.federation)
    place.mkdir(parents=True, exist_ok=True)
    for old in place.iterdir():
        old.unlink()
    return [_write(maker, offer) for offer in maker.demo.present.offers]


def _write(maker: PresentEventMaker, offer: Offer) -> Path:
    held = maker.hold(offer.kind, offer.region, offer.place, ago=offer.ago, variant=offer.variant, calm=True)
    held = replace(held, fact=eventful(held.fact, maker.federation.ruleset))
    section = maker.register(held)
    name = f"{section.event.number}_{'-'.join(words(section.event.name))}.{offer.suffix}"
    path = folder(maker.federation) / name
    path.write_bytes(maker.event_file(held, style=offer.style, changes=puzzles(maker, held, offer)))
    return path


def eventful(section: Section, ruleset: Ruleset) -> Section:
    """Give the last round of a Swiss section a forfeit, a requested bye and an allocated one, so that its
    file shows them; sections of other formats stay as they are.
    """
    if section.format != "swiss":
        return section
    games = list(section.games)
    last = [place for place, game in enumerate(games) if game.round == section.rounds]
    middle = last[len(last) // 2]
    games[middle] = games[middle]._replace(result="+:-")
    idle = games.pop(last[-1])
    byes = (Bye(idle.round, idle.first, "half"), Bye(idle.round, idle.second, "pairing"))
    return placed_anew(replace(section, games=tuple(games), byes=(*section.byes, *byes)), ruleset)


def puzzles(maker: PresentEventMaker, held: UnratedSection, offer: Offer) -> dict[int, FilePlayer]:
    """The players whom a file names otherwise than the register does, by starting number: some without id,
    one too vague to be found at once, two whom no register knows.
    """
    lines = maker.lines_of(held)
    size = len(lines)
    changes = with_other_ids(maker.federation, lines) if offer.other_ids else {}
    plain = [place for place in range(2, size - 3) if _is_plain(maker.federation, lines[place - 1])]
    nameless, doubtful = plain[:WITHOUT_ID], plain[WITHOUT_ID]
    changes |= {place: lines[place - 1]._replace(identifier="") for place in nameless}
    changes[doubtful] = vague(lines[doubtful - 1])
    return {**changes, size - 2: line_of(offer.new[0]), size: line_of(offer.new[1])}


def line_of(new: DemoNewcomer) -> FilePlayer:
    sex = "f" if new.sex == "f" else "m"
    return FilePlayer(new.surname, new.first_name, sex, new.birth, federation=new.nation)  # type: ignore[arg-type]


def with_other_ids(federation: Federation, lines: Sequence[FilePlayer]) -> dict[int, FilePlayer]:
    """The players of a file with another register's id (FIDE's) in place of the federation's, by starting
    number; those who have none are left out.
    """
    known = Identifier.objects.filter(federation=federation)
    ids = dict(known.values_list("player__number", "value"))
    return {
        place: line._replace(identifier=ids[line.identifier])
        for place, line in enumerate(lines, start=1)
        if line.identifier in ids
    }


def _is_plain(federation: Federation, line: FilePlayer) -> bool:
    """Whether nobody else in the register shares this player's name and year of birth."""
    player = Player.objects.get(federation=federation, number=line.identifier)
    others = Player.objects.filter(federation=federation, name_key=player.name_key, born=player.born)
    return others.count() == 1
