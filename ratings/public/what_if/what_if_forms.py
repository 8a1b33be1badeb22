"""The forms of an imagined section: the questions on it, and one row for each game."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as later
from django.utils.translation import pgettext_lazy

from ratings.equipment.what_if import WhatIf
from tournaments.events.ruleset_fields import form_field

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

ROWS, MOST_ROWS = 4, 30
LIMITS = {"rounds": (1, 60), "players": (2, 200), "place": (1, 200), "place_at_home": (1, 200)}
"""The least and the most that a question takes, so that no answer makes the computation long."""
DAYS_AHEAD = 731
RESULT_WORDS = {
    "win": pgettext_lazy("one game", "Won"),
    "draw": pgettext_lazy("one game", "Drawn"),
    "loss": pgettext_lazy("one game", "Lost"),
    "forfeit-won": later("Won by forfeit"),
    "forfeit-lost": later("Lost by forfeit"),
}
"""The words for a result of one game; tables head their columns with the same English words."""
LEAST_RATING, MOST_RATING = 1, 4000


class ImaginedSectionForm(forms.Form):
    """The questions on the section as a whole: its last day, and those of the ruleset."""

    on = forms.DateField(
        label=later("Last day"),
        widget=forms.DateInput({"type": "date"}, format="%Y-%m-%d"),
        required=False,
        help_text=later("Leave this empty for today."),
    )

    def __init__(self, data: Any, asked: WhatIf, today: date, **options: Any) -> None:
        super().__init__(data, **options)
        self.today = today
        self.fields |= {field.name: form_field(field) for field in asked.fields}
        for name, (least, most) in LIMITS.items():
            if name in self.fields:
                own = self.fields[name]
                self.fields[name] = forms.IntegerField(
                    label=own.label,
                    help_text=own.help_text,
                    required=own.required,
                    initial=own.initial,
                    min_value=least,
                    max_value=most,
                )

    def clean_on(self) -> date:
        day: date = self.cleaned_data["on"] or self.today
        if day < self.today:
            raise forms.ValidationError(_("Choose today or a later day."), code="past")
        last = self.today + timedelta(DAYS_AHEAD)
        if day > last:
            words = _("Choose a day up to %(last)s.")
            raise forms.ValidationError(words, code="far", params={"last": f"{last:%Y-%m-%d}"})
        return day

    def clean(self) -> dict[str, Any]:
        said = super().clean() or {}
        place, players = said.get("place"), said.get("players")
        if place and players and place > players:
            words = _("There are %(players)s players, so that nobody comes %(place)s.")
            params = {"players": players, "place": place}
            self.add_error("place", forms.ValidationError(words, code="place", params=params))
        return said

    def entries(self) -> list[forms.BoundField]:
        return [field for field in self if field.widget_type != "checkbox"]

    def ticks(self) -> list[forms.BoundField]:
        return [field for field in self if field.widget_type == "checkbox"]

    @property
    def said(self) -> dict[str, Any]:
        return {name: None if value == "" else value for name, value in self.cleaned_data.items()}


class GameForm(forms.Form):
    """One imagined game: who is met, or at which rating, who moves first, and how it ends."""

    who = forms.CharField(label=later("Opponent"), max_length=60, required=False)
    rating = forms.IntegerField(
        label=later("or rating"), min_value=LEAST_RATING, max_value=MOST_RATING, required=False
    )
    side = forms.ChoiceField(label=later("The player is"), required=False)
    result = forms.ChoiceField(label=later("Result"), required=False)

    def __init__(self, *args: Any, asked: WhatIf, sides: tuple[StrOrPromise, StrOrPromise], **options: Any):
        super().__init__(*args, **options)
        if asked.by_side:
            self.fields["side"].choices = [("first", sides[0]), ("second", sides[1])]  # type: ignore[attr-defined]
        else:
            del self.fields["side"]
        words = [(name, RESULT_WORDS[name]) for name in asked.results]
        self.fields["result"].choices = [("", "—"), *words]  # type: ignore[attr-defined]

    @property
    def empty(self) -> bool:
        """Whether nothing is stated of the game; the side alone says nothing."""
        said = self.cleaned_data
        return not (said.get("who") or said.get("rating") or said.get("result"))

    def clean(self) -> dict[str, Any]:
        said = super().clean() or {}
        met = said.get("who") or said.get("rating") is not None or self.errors
        if met and not said.get("result") and "result" not in self.errors:
            self.add_error("result", forms.ValidationError(_("Choose how the game ends."), code="no-result"))
        if said.get("result") and not met:
            words = _("Write the opponent's number or name, or a rating.")
            self.add_error("who", forms.ValidationError(words, code="nobody"))
        return said

    @property
    def line(self) -> int:
        return int(str(self.prefix)[1:])

    def stated_rating(self) -> Decimal | None:
        rating = self.cleaned_data.get("rating")
        return None if rating is None else Decimal(rating)
