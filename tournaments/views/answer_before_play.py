"""The page on which a region answers what the office asked before it decides on a section."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from players.office.access import OfficeRequest, Permission, permitted
from players.office.decision_record import Refused
from players.office.settings_schema import today
from tournaments.filing.before_play.decide_before_play import answer_before_play
from tournaments.filing.before_play.first_decision import question_to_region
from tournaments.filing.before_play.said_before_play import said_before_play
from tournaments.forms.change_forms import QuestionAnswerForm
from tournaments.forms.overtaken_answers import come_back
from tournaments.views.filing_steps import own_section


@permitted(Permission.SECTIONS_FILE)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def answer(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    """Page with the office's question and a form for the answer; leads to the event where none is open."""
    section = own_section(request, number, code, Permission.SECTIONS_FILE)
    form = QuestionAnswerForm(request.POST or None, initial={"version": section.version})
    status = 400 if request.method == "POST" else 200
    if request.method == "POST" and form.is_valid():
        try:
            answer_before_play(
                section=section, by=request.user, on=today(request.office), **form.cleaned_data
            )
        except Refused as refused:
            section.refresh_from_db()
            form = come_back(QuestionAnswerForm, request.POST, section, refused)
            status = 409
        else:
            messages.success(request, _("Your answer is with the office, which decides before play."))
            return redirect("tournaments:event", request.office.code, number)
    question = question_to_region(section)
    if not question and request.method != "POST":
        return redirect("tournaments:event", request.office.code, number)
    thread = said_before_play(section, decisions=False)
    context = {"section": section, "event": section.event, "question": question, "form": form}
    context["thread"] = thread if len(thread) > 1 else []
    return render(request, "tournaments/answer_before_play.html", context, status=status)
