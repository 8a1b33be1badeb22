"""The habits of the program that wrote a TRF, in columns that the format leaves free."""

import re
from collections.abc import Iterable, Iterator

from tournaments.formats.common.reading_result import Hand
from tournaments.formats.trf_layout.columns import CELL_WIDTH, FIRST_CELL

_TITLE, _RATING, _ID, _SEX = slice(10, 13), slice(48, 52), slice(57, 68), slice(9, 10)
_NOTHING = re.compile(r" *(|0|0000)")
_FREE = re.compile(r"(?:0000|    ) [- ]")


def hand_of(lines: Iterable[str]) -> Hand:
    """Read a program's habits from the players' lines that it wrote: the first that shows one decides it."""
    images = [line.encode().decode("latin-1") for line in lines]  # all that is looked at is ASCII
    usual = Hand()
    ids = [line[_ID] for line in images]
    sexes = [sex for line in images if (sex := line[_SEX].strip()) and sex.isascii()]
    return Hand(
        male=_first((sex for sex in sexes if sex in "mM"), usual.male),
        female=_first((sex for sex in sexes if sex in "wfWF"), usual.female),
        no_sex=_first((sex for sex in sexes if sex not in "mMwfWF"), usual.no_sex),
        no_rating=_first(_nothings(line[_RATING] for line in images), usual.no_rating),
        no_id=_first(_nothings(ids), usual.no_id),
        ids_left=_is_left(ids),
        titles_left=_is_left(line[_TITLE] for line in images),
        zero_filled=any(cell[0] == "0" and cell[:4].strip("0 ") for line in images for cell in _cells(line)),
        free=_first(_free(images), usual.free),
    )


def _first(found: Iterable[str], default: str) -> str:
    return next(iter(found), default)


def _nothings(fields: Iterable[str]) -> Iterator[str]:
    return (found[1] for field in fields if (found := _NOTHING.fullmatch(field)))


def _is_left(fields: Iterable[str]) -> bool:
    """Whether texts shorter than their columns stand at the left end, as the first such text shows."""
    return next(
        (field[-1:] == " " for field in fields if field.strip() and " " in (field[0], field[-1])), False
    )


def _cells(line: str) -> Iterator[str]:
    for start in range(FIRST_CELL - 1, len(line), CELL_WIDTH):
        yield line[start : start + CELL_WIDTH]


def _free(lines: Iterable[str]) -> Iterator[str]:
    """Yield the text that stands before the code of each bye in these players' lines."""
    for line in lines:
        for cell in _cells(line):
            if cell[7:8].strip() and _FREE.fullmatch(cell[:6]):
                yield cell[:6]
