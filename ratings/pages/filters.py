"""Choices in addresses: the filters of lists and events, as forms sent with GET, and the day of a page."""

from collections.abc import Sequence
from datetime import date
from typing import Any

from django import forms
from django.db.models import Q
from django.http import Http404, QueryDict
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.translation import gettext as _, gettext_lazy

from players.models import Federation, Player
from ratings.disclosure import limits_of, tells_no_juniors
from ratings.models import ListRowQuerySet
from ratings.results import find_first_journal_day
from ratings.rulesets.journal_lines import DAY
from ratings.rulesets.profile import equipment_of
from tournaments.models import EventQuerySet, Section, Stage


class NoDay(Http404):
    """Raised for text that is no day; the API answers it with 400."""

    def __init__(self) -> None:
        super().__init__(_("Write the day as YYYY-MM-DD."))


def parse_day(
    office: Federation, text: str | None, today: date, first_day: date | None = None
) -> date | None:
    """Parse the day in an address; None for empty text. Raises `NoDay` for text that is no day, and Http404
    for days before the record or after today. `first_day`: the record's first day, if the caller knows it.
    """
    if not text:
        return None
    try:
        day = date.fromisoformat(text) if DAY.fullmatch(text) else None
    except ValueError:
        day = None
    if day is None:
        raise NoDay
    if day > today:
        raise Http404(_("That day is still to come: nothing is known of it yet."))
    first_day = first_day or find_first_journal_day(office) or today
    if day < first_day:
        raise Http404(_("The record begins on %(day)s.") % {"day": date_format(first_day, "DATE_FORMAT")})
    return day


Choices = Sequence[tuple[str, Any]]


def region_choices(federation: Federation) -> Choices:
    """Return regions as choices of a form; empty if the federation has only one."""
    return [("", _("All regions")), *federation.region_names] if federation.regional else []


class ListFilter(forms.Form):
    """The filter of a published list: by name or number, region, sex and age group, as far as the federation
    publishes them, and by the named views of the list.

    People who asked not to be named are found by number alone, and possible children by no age or sex.
    """

    q = forms.CharField(label=gettext_lazy("Name or number"), required=False, max_length=60)
    region = forms.ChoiceField(label=gettext_lazy("Region"), required=False)
    sex = forms.ChoiceField(label=gettext_lazy("Players"), required=False)
    age = forms.ChoiceField(label=gettext_lazy("Age"), required=False)
    only = forms.ChoiceField(label=gettext_lazy("Who"), required=False)

    def __init__(self, data: QueryDict, federation: Federation, views: Choices = ()) -> None:
        super().__init__(data, auto_id="filter-%s")
        self.federation = federation
        self.choices: dict[str, Choices] = {}
        self._set_choices("region", region_choices(federation))
        self.limits = limits_of(federation)
        women = _("Women and girls") if self.limits.minors else _("Women")
        asks_sex = "sex" in equipment_of(federation.ruleset).office.asks
        self._set_choices("sex", [("", _("Everybody")), ("f", women)] if asks_sex else [])
        groups = ((group.code, _(group.name)) for group in self.limits.age_groups)
        self._set_choices("age", [("", _("All ages")), *groups])
        self._set_choices("only", [("", _("Everybody")), *views])

    def _set_choices(self, name: str, choices: Choices) -> None:
        """Set the choices of a field, or drop the field if there is one choice or none."""
        if len(choices) > 1:
            self.fields[name].choices = choices  # type: ignore[attr-defined]
            self.choices[name] = choices
        else:
            del self.fields[name]

    def choices_but_everybody(self, name: str) -> Choices:
        """Return the choices of a field but for that of everybody; empty if the field was dropped."""
        return self.choices.get(name, ())[1:]

    @property
    def has_more_choices(self) -> bool:
        """Whether there is anything to choose but names and views."""
        return bool(self.choices.keys() - {"only"})

    @property
    def juniors_missing(self) -> bool:
        """Whether there are choices of age, and none of children."""
        return "age" in self.choices and tells_no_juniors(self.federation)

    @property
    def chosen(self) -> dict[str, str]:
        self.is_valid()
        return {name: value for name, value in self.cleaned_data.items() if value}

    def narrow(self, rows: ListRowQuerySet, on: date) -> ListRowQuerySet:
        """Filter rows; none are left if a choice does not exist."""
        chosen = self.chosen
        if not self.is_valid():
            return rows.none()
        if name := chosen.get("q"):
            rows = rows.named(Player.objects.filter(federation=self.federation).matching(name))
        if region := chosen.get("region"):
            here = Q(player__region__code=region, player__region__federation=self.federation)
            rows = rows.filter(here, player__withheld=False)
        if chosen.keys() & {"sex", "age"}:
            rows = rows.filter(self.limits.age_or_sex_filter())
        if sex := chosen.get("sex"):
            rows = rows.filter(player__sex=sex)
        group = next((group for group in self.limits.age_groups if group.code == chosen.get("age")), None)
        return rows.in_age_group(group, on) if group else rows


PUBLIC_STAGE_CHOICES = [(value, label) for value, label in Stage.choices if value != Stage.WITHDRAWN]


class EventFilter(forms.Form):
    q = forms.CharField(label=gettext_lazy("Name, place or number"), required=False, max_length=60)
    region = forms.ChoiceField(label=gettext_lazy("Region"), required=False)
    stage = forms.ChoiceField(
        label=gettext_lazy("Stage"),
        required=False,
        choices=[("", gettext_lazy("Any stage")), *PUBLIC_STAGE_CHOICES],
    )
    year = forms.IntegerField(label=gettext_lazy("Year"), required=False, min_value=1900, max_value=2999)

    def __init__(self, data: QueryDict, federation: Federation) -> None:
        super().__init__(data, auto_id="filter-%s")
        self.federation = federation
        suggestions = reverse("ratings:suggestions", args=[federation.code])
        self.fields["q"].widget.attrs |= {"data-suggestions": suggestions, "data-only": "events"}
        if regions := region_choices(federation):
            self.fields["region"].choices = regions  # type: ignore[attr-defined]
        else:
            del self.fields["region"]

    @property
    def chosen(self) -> dict[str, Any]:
        self.is_valid()
        return {name: value for name, value in self.cleaned_data.items() if value}

    def narrow(self, events: EventQuerySet) -> EventQuerySet:
        """Filter events; none are left if a choice does not exist."""
        chosen = self.chosen
        if not self.is_valid():
            return events.none()
        if name := chosen.get("q"):
            events = events.named(name)
        if region := chosen.get("region"):
            events = events.filter(region__code=region)
        if stage := chosen.get("stage"):
            events = events.filter(pk__in=Section.objects.filter(stage=stage).values("event"))
        if year := chosen.get("year"):
            events = events.filter(starts__range=(date(year, 1, 1), date(year, 12, 31)))
        return events
