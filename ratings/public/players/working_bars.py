"""The small picture of a working: its numbers as bars, in words and on one scale."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from django.utils.translation import gettext as _

from players.drawing.compared_bars import DrawnBar, DrawnBars, draw
from players.office.models import Federation
from ratings.law.rule_outputs import Working
from ratings.results.workings import PLACES_SAID, value_in_words


class WordedBar(NamedTuple):
    words: str
    number: str
    drawn: DrawnBar


@dataclass(frozen=True, slots=True)
class WorkingPicture:
    bars: list[WordedBar]
    drawn: DrawnBars

    @property
    def words(self) -> str:
        """The picture for those who do not see it."""
        return ", ".join(f"{bar.words}: {bar.number}" for bar in self.bars)


def picture_of(working: Working, office: Federation) -> WorkingPicture | None:
    """The picture of a working; None where the rules compare nothing."""
    if not working.bars:
        return None
    drawn = draw([bar.value for bar in working.bars])
    places = max(PLACES_SAID, office.publication.decimals)
    messages = office.ruleset.words.messages
    bars = [
        WordedBar(_(messages[bar.key]), value_in_words(bar.value, places), shape)
        for bar, shape in zip(working.bars, drawn.bars, strict=True)
    ]
    return WorkingPicture(bars, drawn)
