"""Filters of the record's page."""

from __future__ import annotations

from typing import Any

import django_filters
from django import forms
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from players.office.models import Decision, Federation
from players.pages.people_and_record_tables import DEEDS


class RecordFilter(django_filters.FilterSet):
    """Filters the record: decisions by kind, by person, by what they are about, from a day to a day."""

    kind = django_filters.ChoiceFilter(label=_("Did"), empty_label=_("anything"))
    by = django_filters.ChoiceFilter(label=_("Who"), empty_label=_("anybody"), method="done_by")
    about = django_filters.CharFilter(label=_("What"), lookup_expr="icontains")
    since = django_filters.DateFilter(
        field_name="on", lookup_expr="gte", label=_("From"), widget=forms.DateInput(attrs={"type": "date"})
    )
    until = django_filters.DateFilter(
        field_name="on", lookup_expr="lte", label=_("To"), widget=forms.DateInput(attrs={"type": "date"})
    )

    class Meta:
        model = Decision
        fields = ("kind", "by", "about", "since", "until")

    def __init__(self, *args: Any, office: Federation, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        kinds = (
            Decision.objects.filter(federation=office)
            .order_by("kind")
            .values_list("kind", flat=True)
            .distinct()
        )
        self.filters["kind"].extra["choices"] = [(kind, DEEDS.get(kind, kind)) for kind in kinds]
        self.filters["by"].extra["choices"] = people_of(office)

    def done_by(self, decisions: QuerySet[Decision], name: str, appointment: str) -> QuerySet[Decision]:
        return decisions.filter(by__appointments=int(appointment))


def people_of(office: Federation) -> list[tuple[int, str]]:
    """The choices of people, by name: the key of their first appointment in this office, and the name. The
    key of their account would tell how long they have had it.
    """
    first = dict(office.appointments.order_by("-pk").values_list("user_id", "pk"))
    names = office.appointments.names()
    return sorted(((first[user], name) for user, name in names.items()), key=lambda each: each[1].casefold())
