"""The columns of a cross table as Chess-Results and Swiss-Manager write it, in English and in German."""

import re
from collections.abc import Mapping, Sequence

RANK, NUMBER = "rank", "number"
MOST_TIE_BREAKS = 12

# Heading → column; empty for a heading that is known and passed over.
COLUMNS: Mapping[str, str] = {
    **dict.fromkeys(("rk.", "rk", "rank", "rg.", "rang"), RANK),
    **dict.fromkeys(("sno.", "sno", "snr", "snr.", "no.", "nr."), NUMBER),
    "name": "name",
    **dict.fromkeys(("title", "titel"), "title"),
    **dict.fromkeys(("rtg", "rtg.", "elo"), "rating"),
    **dict.fromkeys(("irtg", "rtgi", "eloi"), "international rating"),
    **dict.fromkeys(("birth", "birthday", "geb.", "geburt"), "birth"),
    **dict.fromkeys(("fs", "sex"), "sex"),
    **dict.fromkeys(("fide-no.", "fide-no", "fideid", "fide-id", "fide id"), "fide id"),
    **dict.fromkeys(("ident", "ident-no.", "identnr", "id"), "national id"),
    **dict.fromkeys(("fed", "fed.", "federation", "land"), "nation"),
    **dict.fromkeys(("pts.", "pts", "points", "pkt.", "pkt", "punkte"), "points"),
    **dict.fromkeys(("club", "club/city", "verein", "verein/ort", "type", "typ", "gr", "gr.", "group"), ""),
    **dict.fromkeys(
        ("state", "city", "nrtg", "rtgn", "elon", "rp", "n", "w", "we", "w-we", "k", "rtg+/-"), ""
    ),
    **{f"{tie}{number}": "" for tie in ("tb", "tb ", "wtg") for number in range(1, MOST_TIE_BREAKS + 1)},
}
MOST = {"name": 100, "national id": 30, "fide id": 30}
"""The most characters of a cell in these columns; in others it is the common number."""
_ROUND = re.compile(r"([0-9]{1,2})\. ?(?:rd|rnd|round|runde|r)\.?")
_FEWEST_OPPONENTS = 3


def round_of(heading: str) -> int | None:
    """The round of a heading: `1.rd` → 1."""
    found = _ROUND.fullmatch(heading)
    return int(found[1]) if found and int(found[1]) else None


def knows(headings: Sequence[str]) -> int:
    """The number of headings that belong to a cross table; 0 if this is not its header row."""
    named = {COLUMNS[name] for name in headings if name in COLUMNS}
    rounds = sum(round_of(name) is not None for name in headings)
    if "name" not in named or not named & {RANK, NUMBER} or not (rounds or of_opponents(headings)):
        return 0
    return len(named) + rounds


def of_opponents(headings: Sequence[str]) -> bool:
    """Whether the table is a round robin's: a column for each opponent, without round and colour."""
    opponents = [name for name in headings if name.isascii() and name.isdigit()]
    expected = [str(number) for number in range(1, len(opponents) + 1)]
    return len(opponents) >= _FEWEST_OPPONENTS and opponents == expected
