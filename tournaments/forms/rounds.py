"""The rounds of a section's details: scheduled ones, finals behind them, and the days of the former."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext as now
from django.utils.translation import gettext_lazy as _

from tournaments.events.models import Section
from tournaments.filing.open_questions import PLACEMENT
from tournaments.filing.proposals.days_of_rounds import SPREAD, proposed_days, spread
from tournaments.forms.event_forms import MOST_ROUNDS, day_field


def rounds_field() -> forms.IntegerField:
    return forms.IntegerField(
        label=_("Scheduled rounds"),
        min_value=1,
        max_value=MOST_ROUNDS,
        help_text=_("The number announced, even if not all rounds were played."),
    )


def finals_field() -> forms.IntegerField:
    return forms.IntegerField(
        label=_("Rounds of finals"),
        min_value=0,
        max_value=MOST_ROUNDS,
        required=False,
        help_text=_("Finals and play-offs after the scheduled rounds, which do not count as such."),
    )


def add_round_days(form: forms.Form, section: Section, played: int) -> list[str]:
    """Add a field for the day of each scheduled round; return their names. A section of places has none, and
    no finals. `played`: the last round of the file.
    """
    if section.format == PLACEMENT:
        del form.fields["finals"]
        return []
    names = []
    for number in range(1, max(section.rounds or 0, played - len(section.finals)) + 1):
        label = now("Round %(number)s") % {"number": number}
        names.append(f"round-{number}")
        form.fields[names[-1]] = day_field(label, required=False)
    return names


FILL_DAYS = "fill-days"
"""The name of the buttons that date all rounds at once; their values follow."""


def with_days(data: QueryDict, section: Section, played: int) -> QueryDict:
    """Date all rounds in what was typed as the pressed button says: on the first day, or spread over the days
    from first to last. Nothing is dated where these days cannot be read.
    """
    form = forms.Form(data)
    form.fields |= {"starts": day_field(""), "ends": day_field(""), "finals": finals_field()}
    names = add_round_days(form, section, played)
    if not form.is_valid() and {"starts", "ends"} & set(form.errors):
        return data
    starts, ends = form.cleaned_data["starts"], form.cleaned_data["ends"]
    ends = max(starts, ends) if data.get(FILL_DAYS) == SPREAD else starts
    filled = data.copy()
    for name, day in zip(names, spread(starts, ends, len(names)), strict=True):
        filled[name] = day.isoformat()
    return filled


def propose_days(form: forms.Form, section: Section, names: Sequence[str]) -> None:
    """Fill the fields of a section's rounds, where none has a day, with the days that are proposed."""
    for name, day in zip(names, proposed_days(section, len(names)), strict=False):
        form.initial[name] = day.isoformat()


def check_rounds(form: forms.Form, played: int) -> None:
    """Complain where scheduled rounds and finals are fewer than the rounds of the file, or finals more."""
    rounds, finals = form.cleaned_data.get("rounds"), form.cleaned_data.get("finals") or 0
    if rounds and rounds + finals < played:
        words = now(
            "The file holds %(played)s rounds already. If the last ones were finals or play-offs, give their "
            "number beside this."
        )
        form.add_error("rounds", words % {"played": played})
    elif finals > played:
        form.add_error("finals", now("The file holds only %(played)s rounds.") % {"played": played})


def check_round_days(form: forms.Form, names: Sequence[str]) -> None:
    """Complain of days outside the section's, and of a round before the one above it."""
    starts, ends = form.cleaned_data.get("starts"), form.cleaned_data.get("ends")
    before: date | None = None
    for name in names:
        day = form.cleaned_data.get(name)
        if not day or not starts or not ends:
            continue
        if not starts <= day <= ends:
            form.add_error(name, _("This day is not between the section's first and last day."))
        elif before and day < before:
            form.add_error(name, _("This round is dated before the one above it."))
        before = day
