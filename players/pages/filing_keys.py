"""The page of a region's keys with which programs file."""

from typing import Any

from django import forms
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _, gettext_lazy

from players.access import FORM, OfficeRequest, Permission, page
from players.filing_keys import end_key, list_keys, make_key
from players.models import Region
from players.pages.forms import attempt
from players.settings import today


class KeyForm(forms.Form):
    name = forms.CharField(
        label=gettext_lazy("Name of the key"),
        max_length=60,
        help_text=gettext_lazy("The program or script that is to file, and where it runs."),
    )


def _own_region(request: OfficeRequest, code: str) -> Region:
    regions = request.rights.regions(request.permission).select_related("federation")
    region: Region = get_object_or_404(regions, code=code)
    return region


@page(Permission.KEYS_MANAGE, methods=FORM)
def filing_keys(request: OfficeRequest, code: str) -> HttpResponse:
    """The keys of a region, and a form for another; a new key is shown in the answer to the form alone."""
    region = _own_region(request, code)
    form = KeyForm(request.POST or None)
    made = attempt(request, form, make_key, region=region)
    context: dict[str, Any] = {
        "region": region,
        "form": KeyForm() if made.done else form,
        "made": made.result if made.done else "",
        "keys": list_keys(region, today(request.office)),
        "address": request.build_absolute_uri(f"/api/v1/offices/{request.office.code}/events/"),
    }
    return render(request, "players/filing_keys.html", context, status=200 if made.done else made.status)


@page(Permission.KEYS_MANAGE, methods=FORM)
def end(request: OfficeRequest, code: str, key: int) -> HttpResponse:
    region = _own_region(request, code)
    found = get_object_or_404(region.filing_keys, pk=key)
    ending = attempt(request, None, end_key, _("The key has ended: no program can file with it."), key=found)
    if ending.done:
        return redirect("players:filing_keys", request.office.code, code)
    context = {"region": region, "key": found, "refused": ending.refused}
    return render(request, "players/end_filing_key.html", context, status=ending.status)
