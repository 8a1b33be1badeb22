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
        fields: tuple[str, ...] = ("kind", "by", "about", "since", "until")

    def __init__(self, *args: Any, office: Federation, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.office = office
        decisions = Decision.objects.filter(pk__in=self.queryset.order_by().values("pk"))
        kinds = decisions.order_by().values_list("kind", flat=True).distinct()
        deciding: set[int | None] = set(decisions.order_by().values_list("by", flat=True).distinct())
        deeds = ((kind, str(DEEDS.get(kind, kind)).rstrip(",")) for kind in kinds)
        self.filters["kind"].extra["choices"] = sorted(deeds, key=lambda each: each[1].casefold())
        self.filters["by"].extra["choices"] = people_of(office, deciding)

    def done_by(self, decisions: QuerySet[Decision], name: str, appointment: str) -> QuerySet[Decision]:
        return decisions.filter(by__appointments=int(appointment))


def people_of(office: Federation, deciding: set[int | None]) -> list[tuple[int, str]]:
    """The choices of people who decided something, by name: the key of their first appointment here, and the
    name. The key of their account would tell how long they have had it.
    """
    first = dict(office.appointments.order_by("-pk").values_list("user_id", "pk"))
    names = office.appointments.names()
    chosen = ((first[user], name) for user, name in names.items() if user in deciding)
    return sorted(chosen, key=lambda each: each[1].casefold())
