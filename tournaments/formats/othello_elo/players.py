"""The players of an `.ELO` file: comments have the names, games the numbers, and some comments the places."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from tournaments.formats.common.reader_notes import Notes
from tournaments.formats.othello_elo.lines import UNKNOWN, EloGameLine, EloPlayerLine, PlaceLine

_SCORE = re.compile(r"([0-9]{1,3})(?:[.,]([05])0*|(½))?")
_DISCS = re.compile(r"([0-9]{1,5})(?:\.0+)?")
_NATION = re.compile(r"[A-Z]{3}")
_NOBODY = frozenset({"", "?", "??", "???"})
SURNAME, FIRST_NAME, NATION, POINTS, DISCS = range(5)
"""The fields after a number, divided by commas."""
MOST_PARTS = 6
"""The most fields after a number: behind those named above, a rating by the world federation may stand."""


@dataclass(slots=True)
class EloPlayer:
    """One player of an `.ELO` file, as far as its lines tell."""

    number: int
    """The start number: in the order in which the file names them."""
    id: str
    line: int
    surname: str = ""
    first_name: str = ""
    nation: str = ""
    new: bool = False
    points: Decimal | None = None
    """As filed."""
    discs: int | None = None
    """As filed; some write 0 if they do not know."""
    place: int | None = None


@dataclass(slots=True)
class EloPlayers:
    by_id: dict[str, EloPlayer] = field(default_factory=dict)
    """A player without a number is `UNKNOWN`: one may be known by that, two may not."""
    several_unknown: bool = False

    def add(self, id_: str, line: int) -> EloPlayer:
        player = EloPlayer(len(self.by_id) + 1, id_, line)
        self.by_id[id_] = player
        return player


def read_players(
    named: Iterable[EloPlayerLine],
    places: Sequence[PlaceLine],
    games: Iterable[EloGameLine],
    notes: Notes,
    *,
    has_discs: bool,
) -> EloPlayers:
    """Gather the players of an `.ELO` file. `has_discs`: discs follow the score, not another tie-break."""
    players = EloPlayers()
    for line in named:
        _add(line, players, notes, has_discs=has_discs)
    for game in games:
        for id_ in (game.first, game.second):
            if id_ not in players.by_id:
                players.add(id_, game.line)
    _name_by_places(places, players.by_id)
    _place(places, players.by_id, notes)
    _tell_nameless(players.by_id, notes)
    return players


def _add(line: EloPlayerLine, players: EloPlayers, notes: Notes, *, has_discs: bool) -> None:
    if first := players.by_id.get(line.id):
        _refuse_twin(line, first, players, notes)
        return
    player = players.add(line.id, line.line)
    parts = dict(enumerate(line.parts))
    player.surname = parts.get(SURNAME, "")[:100]
    player.first_name = parts.get(FIRST_NAME, "")[:100]
    player.new = line.new
    player.nation = _nation(parts.get(NATION, ""), line, notes)
    player.points = _points(parts.get(POINTS, ""), line.line, notes)
    discs = _DISCS.fullmatch(parts.get(DISCS, ""))
    player.discs = int(discs[1]) or None if discs and has_discs else None
    if line.new and line.id != UNKNOWN:
        notes.adjusts("elo-provisional-number", line.line, f"+{line.id}", line.id)
    if len(line.parts) > MOST_PARTS:
        notes.notice("elo-player-too-long", line.line, id=line.id)


def _refuse_twin(line: EloPlayerLine, first: EloPlayer, players: EloPlayers, notes: Notes) -> None:
    if line.id == UNKNOWN:
        players.several_unknown = True
        return
    notes.blocks("elo-player-twice", line.line, id=line.id, first=first.line)


def _nation(text: str, line: EloPlayerLine, notes: Notes) -> str:
    nation = text.upper()
    if text in _NOBODY or _NATION.fullmatch(nation):
        return nation.strip("?")
    notes.adjusts("elo-nation-not-read", line.line, text[:40], "")
    return ""


def _points(text: str, line: int, notes: Notes) -> Decimal | None:
    found = _SCORE.fullmatch(text)
    if found:
        return Decimal(f"{found[1]}.{'5' if found[3] else found[2] or 0}")
    if text not in _NOBODY:
        notes.adjusts("elo-score-not-read", line, text[:40], "")
    return None


# ---------------------------------------------------------------- places


def _name_by_places(places: Iterable[PlaceLine], players: Mapping[str, EloPlayer]) -> None:
    """Name players by the comment of places, if nothing else names them: both names, in one piece."""
    for line in places:
        player = players.get(line.id)
        if player and not player.surname:
            player.surname = line.name[:100]
            score = line.score.replace("½", ".5").replace(",", ".")
            player.points = Decimal(score) if player.points is None else player.points


def _place(places: Sequence[PlaceLine], players: Mapping[str, EloPlayer], notes: Notes) -> None:
    """Give players the final places of a file's comment, all or none: each player once, without gaps."""
    odd = _odd_place(places, players)
    if odd:
        line, key = odd
        notes.notice(key, line.line, 1, text=line.text[:60])
        notes.adjusts("elo-places-left-out", line.line, line.text, "")
        return
    for line in places:
        players[line.id].place = line.place
    if places and len(places) < len(players):
        notes.notice("elo-places-of-some", places[0].line, placed=len(places), players=len(players))


def _odd_place(places: Sequence[PlaceLine], players: Mapping[str, EloPlayer]) -> tuple[PlaceLine, str] | None:
    seen: set[str] = set()
    for line in places:
        if line.id not in players or line.id == UNKNOWN:
            return line, "elo-place-of-stranger"
        if line.id in seen:
            return line, "elo-place-twice"
        seen.add(line.id)
    wanted: dict[int, int] = {}
    for at, place in enumerate(sorted(line.place for line in places), 1):
        wanted.setdefault(place, at)
    return next(
        ((line, "elo-place-out-of-line") for line in places if wanted[line.place] != line.place), None
    )


def _tell_nameless(players: Mapping[str, EloPlayer], notes: Notes) -> None:
    unknown = players.get(UNKNOWN)
    if unknown and not unknown.surname:
        notes.blocks("elo-nobody-known", unknown.line)
    nameless = [player for player in players.values() if not player.surname and player is not unknown]
    if nameless:
        sample = nameless[0]
        notes.notice("elo-names-missing", sample.line, count=len(nameless), sample=sample.id)
        for player in nameless:
            notes.adjusts("elo-names-missing", player.line, "", player.id)
