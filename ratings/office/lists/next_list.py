"""The page of a list to come: how it would look on its day by what is known now, and what is missing before
it.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from players.office.access import OfficeRequest, Permission, permitted
from players.office.models import Federation, Ledger
from players.office.settings_schema import today
from ratings.lists.list_days import next_day
from ratings.lists.models import ListTaking
from ratings.office.common.decision_forms import ComingDayForm
from ratings.office.lists.publish import preview_context
from ratings.preview.missing_before_list import missing_before
from ratings.recompute.models import RulesVersion
from ratings.recompute.office_rules import own_rules
from ratings.recompute.progress_words import state_of, trouble_of


@permitted(Permission.SECTIONS_REVIEW)
@never_cache
@require_safe
def next_list(request: OfficeRequest) -> HttpResponse:
    """Page of the list of a day to come (`?on=`), the next that is due unless one is asked for. Nothing is
    written by looking.
    """
    day = today(request.office)
    form = ComingDayForm(asked_day(request), today=day)
    ledger = Ledger.objects.get(federation=request.office)
    context: dict[str, Any] = {
        "form": form,
        "pending": state_of(request.office, ledger) if ledger.pending else None,
        "rules": RulesVersion.objects.waiting_in(request.office, own_rules(request.office)),
        "trouble": trouble_of(request.office, ledger),
    }
    if not form.is_valid():
        return render(request, "ratings/office/next_list.html", context, status=400)
    on = form.cleaned_data["on"]
    taking = ListTaking.objects.filter(federation=request.office, on=on).select_related("official").first()
    missing = missing_before(request.office, on, day)
    context |= {"on": on, "today": day, "missing": missing, "taking": taking, "days": (on - day).days}
    if not ledger.pending and not context["rules"]:
        context |= preview_context(request, on)
    return render(request, "ratings/office/next_list.html", context)


def asked_day(request: OfficeRequest) -> Mapping[str, Any]:
    """The day that the address asks for (`on`), or else that of the list that is due next."""
    return request.GET if "on" in request.GET else {"on": next_due(request.office)}


def next_due(office: Federation) -> date:
    """The day of the list that is due next; today where it is overdue, or none is planned."""
    day = today(office)
    return max(next_day(office, day) or day, day)
