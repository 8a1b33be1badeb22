"""Pages behind the links of a reporter's letters: confirming the mail address, and following the case."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.translation import gettext as now
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from players.office.access import OfficeRequest, public
from players.office.decision_record import Refused
from players.office.settings_schema import today
from tournaments.cases.links import CONFIRM, FOLLOW, case_of, token_of
from tournaments.cases.models import Case
from tournaments.cases.report import LONGEST, Flooded, confirm_report, reply_to_case, withdraw_case


class ReplyForm(forms.Form):
    """The form by which a reporter writes again."""

    words = forms.CharField(
        label=_("Write again"),
        max_length=LONGEST,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=_("The region that filed it and the rating office read it."),
    )


@public
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def confirm_report_page(request: OfficeRequest) -> HttpResponseBase:
    """Page of the button that confirms a mail address: opening the link alone does nothing, as programs that
    look through mail open links too.
    """
    case = _opened(request, CONFIRM)
    if case is None:
        return _no_case(request)
    if case.state != Case.State.UNCONFIRMED:
        return redirect(follow_path(case))
    if request.method != "POST":
        return render(request, "ratings/confirm_report.html", {"case": case})
    try:
        case = confirm_report(case=case, on=today(request.office), at=timezone.now())
    except Refused as refused:
        return render(request, "ratings/confirm_report.html", {"case": case, "refused": refused}, status=409)
    messages.success(request, now("Thank you. Your report is with those who can answer it."))
    return redirect(follow_path(case))


@public
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def follow_report(request: OfficeRequest) -> HttpResponseBase:
    """The reporter's own page: what was said on both sides, until when an answer is due, the outcome."""
    case = _opened(request, FOLLOW)
    if case is None or case.state == Case.State.UNCONFIRMED:
        return _no_case(request)
    if request.method != "POST":
        return _show(request, case, ReplyForm())
    withdraws = request.POST.get("deed") == "withdraw"
    form = ReplyForm(None if withdraws else request.POST)
    if not withdraws and not form.is_valid():
        return _show(request, case, form, status=400)
    try:
        if withdraws:
            withdraw_case(case=case, on=today(request.office))
        else:
            words = form.cleaned_data["words"]
            reply_to_case(case=case, on=today(request.office), at=timezone.now(), words=words)
    except Refused as refused:
        status = 429 if isinstance(refused, Flooded) else 409
        return _show(request, case, form, status=status, refused=str(refused))
    messages.success(request, now("The report is withdrawn.") if withdraws else now("Your words are sent."))
    return redirect(follow_path(case))


def follow_path(case: Case) -> str:
    """The address path of a reporter's own page."""
    page = reverse("ratings:follow_report", args=[case.federation.code])
    return f"{page}?{urlencode({'case': token_of(case, FOLLOW)})}"


def _opened(request: OfficeRequest, purpose: str) -> Case | None:
    return case_of(request.GET.get("case", ""), purpose, request.office.pk)


def _no_case(request: OfficeRequest) -> HttpResponseBase:
    """The page for a link that opens nothing: wrong, over, or of a case that was deleted."""
    tried = bool(request.GET.get("case"))
    return render(request, "ratings/no_case.html", {"tried": tried}, status=404 if tried else 200)


def _show(
    request: OfficeRequest, case: Case, form: forms.Form, *, status: int = 200, refused: str = ""
) -> HttpResponseBase:
    case.refresh_from_db(fields=["state", "due", "outcome", "closed_on"])
    context: dict[str, Any] = {
        "case": case,
        "thread": case.messages.filter(internal=False),
        "form": form,
        "refused": refused,
        "open": case.state != Case.State.CLOSED,
    }
    return render(request, "ratings/follow_report.html", context, status=status)
