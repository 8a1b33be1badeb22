"""TRF16's columns (from 1, both ends included), lines split at them, and programs' habits."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tournaments.formats.sheet import TrfStyle

MOST_ROUNDS = 60
FIRST_CELL = 92
CELL_WIDTH = 10
POINTS_END = 84


@dataclass(frozen=True, slots=True)
class TrfColumn:
    name: str
    start: int
    end: int
    shape: re.Pattern[str]
    """The text allowed there, apart from blanks at the ends."""

    def extract(self, line: str) -> str:
        # Strip only blanks, because half a letter of a line read as bytes may look like other white space.
        return line[self.start - 1 : self.end].strip(" ")


_ANY = re.compile(r".*", re.DOTALL)
_NUMBER = re.compile(r"[0-9]+")
_NUMBER_OR_NOT = re.compile(r"[0-9]*")
_POINTS = re.compile(r"(?:[0-9]*[.,][0-9]|[0-9]+)?")

PLAYER_COLUMNS = (
    TrfColumn("start_number", 5, 8, _NUMBER),
    TrfColumn("sex", 10, 10, _ANY),
    TrfColumn("title", 11, 13, _ANY),
    TrfColumn("name", 15, 47, _ANY),
    TrfColumn("rating", 49, 52, _NUMBER_OR_NOT),
    TrfColumn("federation", 54, 56, _ANY),
    TrfColumn("identifier", 58, 68, _ANY),
    TrfColumn("birth", 70, 79, _ANY),
    TrfColumn("points", 81, 84, _POINTS),
    TrfColumn("place", 86, 89, _NUMBER_OR_NOT),
)
PLAYER_BLANKS = (4, 9, 14, 48, 53, 57, 69, 80, 85, 90, 91)

# Within a round's ten columns, counted from its first.
OPPONENT = TrfColumn("opponent", 1, 4, _NUMBER_OR_NOT)
COLOUR = TrfColumn("colour", 6, 6, re.compile(r"[wbWB-]?"))
RESULT = TrfColumn("result", 8, 8, _ANY)
CELL_BLANKS = (5, 7, 9, 10)


@dataclass(frozen=True, slots=True)
class TrfPlayerLine:
    fields: dict[str, str]
    cells: dict[int, str]
    """The ten columns of each round that is not blank."""
    cut_at: int | None
    """The last column of a line that breaks off within a field or a round."""


def split_line_or_find_misfit(player_line: str, *, try_bytes_first: bool = False) -> TrfPlayerLine | int:
    """Split a `001` line, or return the first column that breaks the format, in characters and bytes."""
    misfit = _first_misfit(player_line)
    if try_bytes_first or misfit is not None:
        by_bytes = _split_by_bytes(player_line)
        if by_bytes:
            return by_bytes
    return _cut(player_line) if misfit is None else misfit


def is_byte_aligned(line: str) -> bool:
    """Whether a `001` line fits the columns only if they are counted in bytes."""
    return not line.isascii() and _first_misfit(line) is not None and _split_by_bytes(line) is not None


def _split_by_bytes(line: str) -> TrfPlayerLine | None:
    image = line.encode().decode("latin-1")  # each byte as one character, so that the same tables count bytes
    if line.isascii() or _first_misfit(image) is not None:
        return None
    try:
        return _cut(image, by_bytes=True)
    except UnicodeDecodeError:  # a column ends within a letter
        return None


def cell_start(round_: int) -> int:
    return FIRST_CELL + CELL_WIDTH * (round_ - 1)


def _first_misfit(line: str) -> int | None:
    bad = [place for place in PLAYER_BLANKS if line[place - 1 : place].strip(" ")]
    bad += [column.start for column in PLAYER_COLUMNS if not column.shape.fullmatch(column.extract(line))]
    if not bad:
        for start, cell in _cells(line):
            bad += [start + place - 1 for place in CELL_BLANKS if cell[place - 1 : place].strip(" ")]
            bad += [start + c.start - 1 for c in (OPPONENT, COLOUR) if not c.shape.fullmatch(c.extract(cell))]
    return min(bad, default=None)


def _cells(line: str) -> Iterator[tuple[int, str]]:
    for start in range(FIRST_CELL, len(line) + 1, CELL_WIDTH):
        yield start, line[start - 1 : start - 1 + CELL_WIDTH]


def _cut(line: str, *, by_bytes: bool = False) -> TrfPlayerLine:
    def text(value: str) -> str:
        return value.encode("latin-1").decode() if by_bytes else value

    end = len(line.rstrip(" "))
    cut_at = end if _breaks_off(end) else None
    cells = {
        number: text(cell)
        for number, (start, cell) in enumerate(_cells(line), 1)
        if cell.strip(" ") and not (cut_at and start <= cut_at < start + CELL_WIDTH)
    }
    return TrfPlayerLine({each.name: text(each.extract(line)) for each in PLAYER_COLUMNS}, cells, cut_at)


def _breaks_off(end: int) -> bool:
    """Whether a line with this end was cut: before the points, or in a round before its colour."""
    return end < POINTS_END or (end >= FIRST_CELL and (end - FIRST_CELL) % CELL_WIDTH < COLOUR.start - 1)


@dataclass(frozen=True, slots=True)
class TrfRecord:
    """A line with a code in its first three columns; `text` is the whole line."""

    code: str
    text: str
    line: int

    @property
    def value(self) -> str:
        return self.text[4:].replace("\t", " ").strip()


# ---- Programs' habits
_TITLE, _RATING, _ID, _SEX = slice(10, 13), slice(48, 52), slice(57, 68), slice(9, 10)
_NOTHING = re.compile(r" *(|0|0000)")
_FREE = re.compile(r"(?:0000|    ) [- ]")


def detect_trf_style(player_lines: Iterable[str]) -> TrfStyle:
    """Read a program's habits from its players' lines: the first that shows a habit decides."""
    images = [line.encode().decode("latin-1") for line in player_lines]  # only ASCII is looked at
    usual = TrfStyle()
    ids = [line[_ID] for line in images]
    sexes = [sex for line in images if (sex := line[_SEX].strip()) and sex.isascii()]
    return TrfStyle(
        male=_first((sex for sex in sexes if sex in "mM"), usual.male),
        female=_first((sex for sex in sexes if sex in "wfWF"), usual.female),
        no_sex=_first((sex for sex in sexes if sex not in "mMwfWF"), usual.no_sex),
        no_rating=_first(_nothings(line[_RATING] for line in images), usual.no_rating),
        no_id=_first(_nothings(ids), usual.no_id),
        ids_left=_is_left(ids),
        titles_left=_is_left(line[_TITLE] for line in images),
        zero_filled=any(
            cell[0] == "0" and cell[:4].strip("0 ") for line in images for cell in _free_cells(line)
        ),
        free=_first(_free(images), usual.free),
    )


def _first(found: Iterable[str], default: str) -> str:
    return next(iter(found), default)


def _nothings(fields: Iterable[str]) -> Iterator[str]:
    return (found[1] for field in fields if (found := _NOTHING.fullmatch(field)))


def _is_left(fields: Iterable[str]) -> bool:
    """Whether texts shorter than their columns are aligned left, judged by the first such text."""
    return next(
        (field[-1:] == " " for field in fields if field.strip() and " " in (field[0], field[-1])), False
    )


def _free_cells(line: str) -> Iterator[str]:
    for start in range(FIRST_CELL - 1, len(line), CELL_WIDTH):
        yield line[start : start + CELL_WIDTH]


def _free(lines: Iterable[str]) -> Iterator[str]:
    """Yield the text before the code of each bye."""
    for line in lines:
        for cell in _free_cells(line):
            if cell[7:8].strip() and _FREE.fullmatch(cell[:6]):
                yield cell[:6]
