"""The lines of a World Othello Federation `.ELO` file: before a per cent sign games, behind it a comment.

%%Tournament: Warsaw Open          headers
%_%  11037, NOWAK, Anna, POL, 5.0, 231        players: number, names, country, score, discs
%1 11037 Anna Nowak 5/7            final places, in some files
%Round: 1
  5707 (28)<(36)   5725 B          first, discs, sign, discs, second, colour of the first
  5707 < 5725                      the older form
  5707 (28<36) 5725                another program's
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches

from tournaments.formats.common.reader_notes import Notes
from tournaments.formats.common.reading_result import Unused

UNKNOWN = "?"
"""The sign for a missing number."""
LONGEST = 200  # characters of a comment that are kept

HEADERS = {
    "tournament": "name",
    "country": "country",
    "date": "date",
    "sender": "",
    "creator": "",
    "creationdate": "",
}
"""Headers by their key; one with an empty name is known, and passed over."""
ADDED = "addedresults"
"""The header, without a colon, above games that were played beside the rounds."""
_ALIKE = 0.75  # how alike two spellings of a key are: Contry, Tournement

# Blanks are given back to nothing (`*+`): a line of hundreds of them would be tried in as many ways.
_HEADER = re.compile(r"%%\s*+([A-Za-z ]{3,20}?)\s*+(?::\s*+(.*))?")
_PLAYER = re.compile(r"%_%\s*(\+?)\s*([0-9]{1,7}|\?)\s*,(.*)")
_BETWEEN = " \t,;"
"""Characters between the games of a line."""
_PLACE = (re.compile(r"([0-9]{1,3})[.)=]?"), re.compile(r"[0-9]{2,7}|\?"))
"""The first words of a final place; names follow, and last the score."""
_SCORE = re.compile(r"([0-9]{1,2}(?:[.,]5|½)?|½)(?:/[0-9]{1,2})?")
_ROUND = re.compile(
    r"%\s*(?:round|ronde|runda|runde|kolo|turno)\W{0,3}([0-9]{1,3})(?!\s?[/–-]\s?[0-9]|[\w/–-]).*",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"%\s*(?:round|ronde|runda|runde|kolo|turno)\W{0,3}"
    r"(?P<name>[0-9]{1,3}\s?[-–/]\s?[0-9]{1,3}|[0-9]{1,3}P|[A-Z]{1,3}\s?[0-9]{0,2}|of\s[0-9]{1,3})",
    re.IGNORECASE,
)
"""A part with a name for its round: `3-4`, `12P`, `F`, `SF1`, `PO`, `of 16`; `RR` is all against all."""
ALL_AGAINST_ALL = "RR"
_FINALS = re.compile(r"%.{0,30}\b(?:semi|demi|quarter|quart|final|play|barrage|tie).{0,40}", re.IGNORECASE)
_LEGEND = re.compile(r"%\s*(?:id\s*,.*|b\s+%?w|%?\s*)", re.IGNORECASE)
_GAME = re.compile(
    r"(?P<first>[0-9]{1,7}|\?)\s*+"
    r"(?:\(\s*+(?P<discs>[0-9]{1,2})\s*+\)?\s*+)?"
    r"(?P<sign>[<>=])\s*+(?:\(?\s*+(?P<other>[0-9]{1,2})\s*+\))?"
    r"\s*+(?P<second>[0-9]{1,7}|\?)(?![0-9])(?:\s++(?P<colour>[BWbw])(?![A-Za-z]))?"
)


@dataclass(frozen=True, slots=True)
class EloHeader:
    field: str
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class EloPlayerLine:
    id: str
    """Without leading zeros; `UNKNOWN` if the number is not known."""
    new: bool
    """Marked by PAPP as not in the list of players yet: the number is the file's own."""
    parts: tuple[str, ...]
    """The fields after the number, divided by commas."""
    line: int


@dataclass(frozen=True, slots=True)
class PlaceLine:
    place: int
    id: str
    name: str
    score: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class RoundMark:
    number: int | None
    """None: a round without a number, such as a final."""
    line: int
    text: str
    final: str = ""
    """The name of a final or of another play-off; empty: it is none, or has no name."""


@dataclass(frozen=True, slots=True)
class EloGameLine:
    first: str
    second: str
    sign: str
    """`<`, `>` or `=`."""
    discs: tuple[int, int] | None
    """None unless the file has both."""
    colour: str
    """`B` or `W`, of the first; empty: not said."""
    line: int
    column: int
    text: str


Item = EloHeader | EloPlayerLine | PlaceLine | RoundMark | EloGameLine | Unused


def is_game(line: str) -> bool:
    """Whether a line has at least one game and nothing else."""
    play = line.partition("%")[0][:LONGEST]
    return bool(_GAME.search(play)) and not _GAME.sub("", play).strip(_BETWEEN)


def is_header(line: str) -> bool:
    found = _HEADER.fullmatch(line.rstrip())
    return found is not None and found[2] is not None and _key_of(found[1]) in HEADERS


def items_of(lines: Iterable[str], notes: Notes) -> Iterator[Item]:
    for number, line in enumerate(lines, 1):
        play, mark, comment = line.partition("%")
        if play.strip():
            yield from _games(play, number, notes)
        if mark and (item := _comment(f"%{comment.rstrip()}", number, notes, beside=bool(play.strip()))):
            yield item


# ---------------------------------------------------------------- comments


def _comment(text: str, line: int, notes: Notes, *, beside: bool) -> Item | None:
    """Read a comment; None if empty or a legend. `beside`: it follows a game, so nothing in it is read."""
    if len(text) > LONGEST:
        notes.adjusts("text-cut", line, text[: LONGEST + 1], text[:LONGEST])
        text = text[:LONGEST]
    if _LEGEND.fullmatch(text):
        return None
    if not beside:
        for read in (_header, _player, _place, _round):
            if (item := read(text, line, notes)) is not None:
                return item
    return Unused(text, line)


def _header(text: str, line: int, notes: Notes) -> EloHeader | RoundMark | None:
    found = _HEADER.fullmatch(text)
    key = _key_of(found[1]) if found else ""
    if found is None or not key:
        return None
    if key == ADDED:
        return RoundMark(None, line, text)
    if found[2] is None:
        return None
    if "".join(found[1].lower().split()) != key:
        notes.adjusts("elo-header-spelling", line, found[1], key.capitalize())
    return EloHeader(HEADERS[key], found[2].strip(), line)


def _key_of(text: str) -> str:
    """The key of `HEADERS` that a header's word means, even if misspelt a little; empty if there is none."""
    bare = "".join(text.lower().split())
    return next(iter(get_close_matches(bare, [*HEADERS, ADDED], 1, _ALIKE)), "")


def _player(text: str, line: int, notes: Notes) -> EloPlayerLine | None:
    found = _PLAYER.fullmatch(text)
    if found is None:
        return None
    parts = tuple(" ".join(part.split()) for part in unicodedata.normalize("NFC", found[3]).split(","))
    return EloPlayerLine(plain_id(found[2]), bool(found[1]), parts, line)


def _place(text: str, line: int, notes: Notes) -> PlaceLine | None:
    words = unicodedata.normalize("NFC", text.lstrip("% ")).replace(",", " ").split()
    if len(words) < 4:
        return None
    place, id_ = (shape.fullmatch(word) for shape, word in zip(_PLACE, words, strict=False))
    score = _SCORE.fullmatch(words[-1])
    name = " ".join(words[2:-1])
    if not (score and place and id_) or any(letter.isdigit() for letter in name):
        return None
    return PlaceLine(int(place[1]), plain_id(id_[0]), name, score[1], line, text)


def _round(text: str, line: int, notes: Notes) -> RoundMark | None:
    if found := _ROUND.fullmatch(text):
        return RoundMark(int(found[1]), line, text)
    if found := _NAMED.fullmatch(text.rstrip()):
        name = found["name"]
        return RoundMark(None, line, text, "" if name.upper() == ALL_AGAINST_ALL else name)
    return RoundMark(None, line, text, text.strip("%: ")) if _FINALS.fullmatch(text) else None


def is_name_of_final(text: str, name: str) -> bool:
    """Whether the reader takes this comment for the mark of a final of that name."""
    mark = _comment(text, 1, Notes(), beside=False)
    return (
        isinstance(mark, RoundMark) and mark.number is None and name in (mark.final, mark.text.strip("%: "))
    )


def is_place(text: str) -> bool:
    """Whether the reader takes this comment for a final place."""
    return isinstance(_comment(text, 1, Notes(), beside=False), PlaceLine)


def plain_id(text: str) -> str:
    return text.lstrip("0") or UNKNOWN


# ---------------------------------------------------------------- games


def _games(play: str, line: int, notes: Notes) -> Iterator[EloGameLine]:
    """Yield all games of a line; block the first thing that is no game, at its column."""
    found = list(_GAME.finditer(play))
    yield from (_game(game, line) for game in found)
    edges = [0, *(edge for game in found for edge in game.span()), len(play)]
    between = ((play[start:end], start) for start, end in zip(edges[::2], edges[1::2], strict=True))
    odd = next(((text, start) for text, start in between if text.strip(_BETWEEN)), None)
    if odd:
        text, start = odd
        column = start + len(text) - len(text.lstrip(_BETWEEN)) + 1
        notes.blocks("elo-line-not-read", line, column, text=text.strip(_BETWEEN)[:40])
    if len(found) > 1:
        notes.adjusts("elo-several-games", line, play.strip()[:LONGEST], str(len(found)))


def _game(found: re.Match[str], line: int) -> EloGameLine:
    one, other = found["discs"], found["other"]
    return EloGameLine(
        plain_id(found["first"]),
        plain_id(found["second"]),
        found["sign"],
        (int(one), int(other)) if one and other else None,
        (found["colour"] or "").upper(),
        line,
        found.start() + 1,
        " ".join(found[0].split()),
    )
