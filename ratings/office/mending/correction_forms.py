"""The form that names what is to be corrected in a section: a game, a final place, a day."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import groupby
from typing import Any

from django import forms
from django.utils.translation import gettext as now
from django.utils.translation import gettext_lazy as _

from ratings.law.facts import ANNULLED
from ratings.office.common.decision_forms import DecisionForm
from tournaments.events.models import Entry, Game, Section
from tournaments.mending.change_rows import DAYS, Change, parse_changes
from tournaments.mending.correction_words import result_as_read

AS_IT_IS = ("", _("as it is"))
RESULTS = (
    AS_IT_IS,
    ("1-0", "1-0"),
    ("1/2", "½-½"),
    ("0-1", "0-1"),
    ("0-0", _("0-0, both lost")),
    ("+:-", _("+:-, the second was absent")),
    ("-:+", _("-:+, the first was absent")),
    ("-:-", _("-:-, both were absent")),
    (ANNULLED, _("Strike the game: it cannot be, and counts for nothing")),
)


class MendingForm(DecisionForm):
    """The form that asks what is to be corrected; `changes` carries what was chosen before, as JSON."""

    changes = forms.CharField(required=False, widget=forms.HiddenInput)
    game = forms.ChoiceField(label=_("Game"), required=False)
    result = forms.ChoiceField(label=_("Its result"), choices=RESULTS, required=False)
    first = forms.ChoiceField(required=False)
    second = forms.ChoiceField(required=False)
    entry = forms.ChoiceField(label=_("Player"), required=False)
    place = forms.IntegerField(label=_("Final place"), min_value=1, max_value=99_999, required=False)
    day = forms.ChoiceField(label=_("Which day"), required=False)
    to = forms.DateField(
        label=_("The right day"),
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        required=False,
    )

    def __init__(self, *args: Any, section: Section, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        entries = list(section.entries.select_related("player"))
        people = [(each.number, f"{each.number} {each.name}") for each in entries]
        self._choose("game", [("", _("none")), *_games(section, entries)])
        self._choose("first", [AS_IT_IS, *people])
        self._choose("second", [AS_IT_IS, *people])
        self._choose("entry", [("", _("nobody")), *people])
        self._choose("day", [("", _("none")), *_days(section)])
        sides = section.event.federation.publication.sides
        self.fields["first"].label = now("Who played %(side)s") % {"side": now(sides[0])}
        self.fields["second"].label = now("Who played %(side)s") % {"side": now(sides[1])}

    def _choose(self, name: str, choices: Sequence[Any]) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        field.choices = choices

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        said = {name for name in ("result", "first", "second") if given.get(name)}
        if given.get("game") and not said:
            self.add_error("result", now("Say what is right of this game."))
        if said and not given.get("game") and "game" not in self.errors:
            self.add_error("game", now("Choose the game."))
        self._both("entry", "place", now("Write the right place."), now("Choose the player."))
        self._both("day", "to", now("Write the right day."), now("Choose which day is wrong."))
        return given

    def _both(self, what: str, right: str, lacks_right: str, lacks_what: str) -> None:
        """Complain where only one is given of a thing and what is right of it."""
        given = self.cleaned_data
        if given.get(what) and given.get(right) is None and right not in self.errors:
            self.add_error(right, lacks_right)
        if given.get(right) is not None and not given.get(what) and what not in self.errors:
            self.add_error(what, lacks_what)

    @property
    def chosen(self) -> list[Change]:
        """Everything chosen so far, this form's last; defined once the form is valid. Raises `Refused` where
        what the page carries cannot be read.
        """
        given = self.cleaned_data
        return [*parse_changes(given["changes"]), *_of_game(given), *_of_place(given), *_of_day(given)]


def written(changes: Sequence[Change]) -> str:
    """The changes as a form carries them."""
    return json.dumps([dict(each) for each in changes])


def _of_game(given: dict[str, Any]) -> list[Change]:
    if not given["game"]:
        return []
    game, found = int(given["game"]), list[Change]()
    sides = {side: int(given[side]) for side in ("first", "second") if given[side]}
    if sides:
        found.append({"what": "pairing", "game": game, **sides})
    if given["result"] == ANNULLED:
        found.append({"what": "struck", "game": game})
    elif given["result"]:
        found.append({"what": "result", "game": game, "to": given["result"]})
    return found


def _of_place(given: dict[str, Any]) -> list[Change]:
    if not given["entry"]:
        return []
    return [{"what": "place", "entry": int(given["entry"]), "to": given["place"]}]


def _of_day(given: dict[str, Any]) -> list[Change]:
    if not given["day"]:
        return []
    which = {"day": given["day"]} if given["day"] in DAYS else {"round": int(given["day"])}
    return [{"what": "date", "to": given["to"].isoformat(), **which}]


def _games(section: Section, entries: Sequence[Entry]) -> list[Any]:
    """The games to choose from, by round."""
    names = {each.pk: each.name for each in entries}
    games = section.games.order_by("round", "order")
    return [
        (now("Round %(round)s") % {"round": round_}, [(game.order, _label(game, names)) for game in of_round])
        for round_, of_round in groupby(games, key=lambda game: game.round)
    ]


def _label(game: Game, names: dict[int, str]) -> str:
    return f"{names[game.first_id]} – {names[game.second_id]} {result_as_read(game.result)}"


def _days(section: Section) -> list[tuple[str, str]]:
    rounds = range(1, (section.rounds or 0) + 1)
    if section.format == "placement":
        rounds = range(0)
    return [
        ("starts", now("the first day of the section")),
        ("ends", now("the last day of the section")),
        *((str(number), now("the day of round %(round)s") % {"round": number}) for number in rounds),
    ]
