"""Pages of what region and office said about a section, and of what differs between its files; appeals."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from players.access import OfficeRequest, Permission, permitted
from players.files import let_go_words
from players.jobs import wake
from players.record import Refused
from players.settings import today
from tournaments import review
from tournaments.findings import filing_url
from tournaments.models import Remark, Section, Upload
from tournaments.pages.deadlines import AppealForm
from tournaments.pages.forms import come_back
from tournaments.pages.steps import is_number, note_opened, own_section, to_step
from tournaments.pages.submission import submission_page
from tournaments.review import MOST_WORDS, WANTS_ANSWER, answer, compare, open_remarks, refuse_taken_back

READ_SHEET = "tournaments.tasks.read_sheet"


@permitted(Permission.SECTIONS_FILE)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def remarks(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    """Page with everything said of a section, on which the region answers each remark of the office."""
    section = own_section(request, number, code, Permission.SECTIONS_FILE)
    note_opened(request, section)
    said: dict[str, str] = {}
    status = 200
    if request.method == "POST":
        # Words that were typed, by the key of the remark that they answer; under "" what answers none.
        posted = {"": request.POST.get("words", "")}
        for name, words in request.POST.items():
            if name.startswith(ANSWER_TO):
                posted[name.removeprefix(ANSWER_TO)] = str(words)
        said = {key: words.replace("\0", "").strip()[:MOST_WORDS] for key, words in posted.items()}
        try:
            _say_all(request, section, said)
        except Refused as refused:
            messages.error(request, str(refused))
            status = 409
        else:
            messages.success(request, _("The office reads it beside the section."))
            return redirect(filing_url("remarks", section))
    thread = thread_of(section, internal=False)
    # Give each open remark the answer that was typed; return the other words, so that none is lost.
    left = dict(said)
    for one in (each for each in thread if each.asks and not each.answered_by):  # type: ignore[attr-defined]
        one.typed = left.pop(str(one.pk), "")  # type: ignore[attr-defined]
    context = {
        "section": section,
        "event": section.event,
        "thread": thread,
        "open": open_remarks(section),
        "typed": "\n".join(words for words in left.values() if words),
        "comparable": comparable(section),
    }
    return render(request, "tournaments/remarks.html", context, status=status)


ANSWER_TO = "answer-"


@transaction.atomic
def _say_all(request: OfficeRequest, section: Section, said: dict[str, str]) -> None:
    """Put all that was typed on record, or nothing. Raises `Refused` as `answer` does."""
    typed = {key: words for key, words in said.items() if words} or {"": ""}
    for key, words in typed.items():
        remark = _answered(section, key)
        answer(section=section, by=request.user, on=today(request.office), words=words, answers_to=remark)


def thread_of(section: Section, *, internal: bool) -> list[Remark]:
    """A section's remarks in order, each with its answers; `internal`: with the office's own notes."""
    rows = section.thread.all() if internal else Remark.objects.for_region().filter(section=section)
    found = list(rows.select_related("by", "sealed_words").prefetch_related("decision__words"))
    asking = set(section.thread.filter(WANTS_ANSWER).values_list("pk", flat=True))
    by_key = {one.pk: one for one in found}
    for one in found:
        one.answered_by = []  # type: ignore[attr-defined]
        one.asks = one.pk in asking  # type: ignore[attr-defined]
    for one in found:
        if one.answers_to_id in by_key:
            by_key[one.answers_to_id].answered_by.append(one)  # type: ignore[attr-defined]
    return [one for one in found if one.answers_to_id not in by_key]


def _answered(section: Section, key: str) -> Remark | None:
    """The remark that is answered; none where the region speaks unasked; 404 for any that it cannot read.
    Raises `Refused` where the office took it back.
    """
    if not key:
        return None
    if not is_number(key):
        raise Http404
    refuse_taken_back(int(key))
    return get_object_or_404(Remark.objects.for_region().filter(WANTS_ANSWER, section=section), pk=int(key))


# ---------------------------------------------------------------- what differs between two files
@permitted(Permission.SECTIONS_FILE)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def differences(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    """Page with what differs between two files of a section: the newest and the one before, or two others.

    Posted, it has the worker read a file again that was read before the office kept what files say.
    """
    section = own_section(request, number, code, Permission.SECTIONS_FILE)
    read = section.uploads.filter(state=Upload.State.READ).select_related("sheet", "by").defer("content")
    files = list(read.order_by("-at", "-pk"))
    # The older and the newer of the files that the address names, or else of the two newest.
    named = {request.GET.get("old", ""), request.GET.get("new", "")}
    chosen = [one for one in files if str(one.pk) in named]
    if len(chosen) != 2:
        chosen = files[:2]
    old, new = (chosen[1], chosen[0]) if len(chosen) == 2 else (None, None)
    if request.method == "POST":
        for upload in (old, new):
            if upload is not None and upload.let_go_on is None and not hasattr(upload, "sheet"):
                wake(READ_SHEET, upload.pk)
        messages.info(request, _("The files are being read again. Reload this page in a moment."))
        return redirect(filing_url("differences", section))
    births = Permission.PLAYERS_BIRTHS in request.rights.everywhere
    births = births or section.event.region_id in request.rights.regions_for(Permission.SECTIONS_FILE)
    context: dict[str, Any] = {
        "section": section,
        "event": section.event,
        "files": files,
        "old": old,
        "new": new,
        "gone": [f"{one.name}: {let_go_words(one)}" for one in (old, new) if one and let_go_words(one)],
    }
    if old and new and not context["gone"]:
        context["unread"] = not (hasattr(old, "sheet") and hasattr(new, "sheet"))
        if not context["unread"]:
            context["compared"] = compare(old.sheet.content, new.sheet.content, births=births)
    return render(request, "tournaments/differences.html", context)


def comparable(section: Section) -> bool:
    """Whether two files of the section were read."""
    return section.uploads.filter(state=Upload.State.READ).count() > 1


@permitted(Permission.SECTIONS_SUBMIT)
@never_cache
@require_POST
def appeal(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    """Appeal against the refusal of a section."""
    section = own_section(request, number, code, Permission.SECTIONS_SUBMIT)
    note_opened(request, section)
    form = AppealForm(request.POST)
    if not form.is_valid():
        messages.error(request, _("Say in at most 1,000 letters why the office should decide otherwise."))
        return submission_page(request, section, appeal=form, status=400)
    try:
        review.appeal(section=section, by=request.user, on=today(request.office), **form.cleaned_data)
    except Refused as refused:
        section.refresh_from_db()
        messages.error(request, str(refused))
        form = come_back(AppealForm, request.POST, section, refused)
        return submission_page(request, section, appeal=form, status=409)
    messages.success(request, _("Your appeal is with the office. It answers on this page."))
    return to_step(section, "submit")
