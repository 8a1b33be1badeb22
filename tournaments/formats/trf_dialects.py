"""Which program wrote a TRF, by the marks that it leaves above the players."""

import re
from collections.abc import Sequence

_HEAD_LINES = 60  # marks stand above the players; a bound, so that no file makes the search long
_HEAD_WIDTH = 200

# The first mark that is found decides.
_MARKS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("Swiss-Manager", re.compile(r"^182 .*swiss-?manager", re.MULTILINE | re.IGNORECASE)),
    ("Vega", re.compile(r"^182 .*\bvega\b", re.MULTILINE | re.IGNORECASE)),
    ("Swiss-Manager", re.compile(r"^DDD SSSS sTTT", re.MULTILINE)),
    ("Swiss-Manager", re.compile(r"^062 +[0-9]+ \([0-9]+\)", re.MULTILINE)),
    ("Vega", re.compile(r"^0[45]2 2126[-/]", re.MULTILINE)),
    ("Vega", re.compile(r"^142 [^\n]*\n(?:[^\n]*\n)*?092 ", re.MULTILINE)),
    ("Vega", re.compile(r"\A(?=(?:[^\n]*\n)*?0[45]2 [0-9]{2}/[0-9]{2}/[0-9]{4})(?=(?:[^\n]*\n)*?XXR )")),
)


def dialect_of(lines: Sequence[str]) -> str:
    """The program's name, or `TRF16` where nothing tells."""
    head: list[str] = []
    for line in lines:
        if not line.startswith(("001", "013")):
            head.append(line[:_HEAD_WIDTH])
        if len(head) == _HEAD_LINES:
            break
    text = "\n".join(head)
    return next((name for name, mark in _MARKS if mark.search(text)), "TRF16")
