"""The form for absences of a section: notice of forfeits, and what byes were that a file leaves unclear."""

from __future__ import annotations

import re
from itertools import groupby
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext as now

from tournaments.events.finding_words import BYES
from tournaments.events.models import Section
from tournaments.filing.changes.details import forfeited, losers
from tournaments.filing.proposals.remembered import BYE_READ, proposed_byes
from tournaments.filing.store_reading import UNCLEAR_BYES


class AbsencesForm(forms.Form):
    """The form for absences: a tick for each forfeit with notice given, and the kind of each unclear bye."""

    def __init__(self, *args: Any, section: Section, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.forfeits: list[tuple[Any, str, str]] = []
        self.byes: list[tuple[Any, str]] = []
        if "excused" in section.event.federation.ruleset.journal.reads:
            self._ask_forfeits(section)
        self._ask_byes(section)

    def _ask_forfeits(self, section: Section) -> None:
        for game in forfeited(section):
            for side, entry in losers(game):
                field = f"game-{game.order}-{side}"
                excused = game.excused in (side, "both")
                label = now("%(player)s gave notice") % {"player": entry.name}
                self.fields[field] = forms.BooleanField(label=label, required=False, initial=excused)
                self.forfeits.append((game, entry.name, field))

    def _ask_byes(self, section: Section) -> None:
        lines = section.adjustments.filter(key__in=UNCLEAR_BYES).values_list("line", flat=True)
        byes = section.byes.filter(entry__line__in=list(lines)).select_related("entry")
        proposed = proposed_byes(section)
        for bye in byes.order_by("entry__number", "round"):
            words = now("%(player)s, round %(round)s") % {"player": bye.entry.name, "round": bye.round}
            field = forms.ChoiceField(label=words, choices=list(BYES.items()))
            field.initial = proposed if proposed and bye.kind == BYE_READ else bye.kind
            self.fields[f"bye-{bye.pk}"] = field
            self.byes.append((f"bye-{bye.pk}", words))

    def forfeit_rows(self) -> list[dict[str, Any]]:
        return [{"game": game, "player": name, "field": self[field]} for game, name, field in self.forfeits]

    def bye_fields(self) -> list[forms.BoundField]:
        return [self[name] for name, _words in self.byes]

    @property
    def kinds_of_byes(self) -> list[tuple[str, Any]]:
        """The answers of which one may hold for all byes, where there are several."""
        return list(BYES.items()) if len(self.byes) > 1 else []

    def excused(self) -> dict[int, str]:
        found: dict[int, str] = {}
        for order, rows in groupby(self.forfeits, key=lambda row: row[0].order):
            sides = [field.rpartition("-")[2] for _g, _n, field in rows if self.cleaned_data.get(field)]
            found[order] = "both" if len(sides) == 2 else "".join(sides)
        return found

    def kinds(self) -> dict[int, str]:
        return {int(name.removeprefix("bye-")): self.cleaned_data[name] for name, _words in self.byes}


FILL_ALL = "fill-all"
"""The name of the buttons that give one answer to all absences of a kind; their values follow."""
_LEFT = re.compile(r"left-\d+-player")


def with_one_answer(data: QueryDict, section: Section) -> QueryDict:
    """Give all absences of a kind, in what was typed, the pressed button's answer: `bye-half`, `excused-yes`,
    `notified-no`. Nothing is saved.
    """
    what, _dash, said = data.get(FILL_ALL, "").partition("-")
    filled, absences = data.copy(), AbsencesForm(section=section)
    if what == "bye" and said in BYES:
        for name, _words in absences.byes:
            filled[name] = said
    for _game, _player, name in absences.forfeits if what == "excused" else ():
        filled[name] = "on" if said == "yes" else ""
    rows = [name for name in data if what == "notified" and _LEFT.fullmatch(name) and data[name]]
    for name in rows:
        filled[name.replace("player", "notified")] = said
    return filled
