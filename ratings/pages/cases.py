"""Pages of reports of mistakes: the form for everybody, the reporter's own page, and the office's pages.

A report counts once its mail address is confirmed. The reporter follows it by a link in the letters; the
people who answer for the region or the office see the list of reports, write answers and notes, and close it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from allauth.core.internal import ratelimit
from django import forms
from django.contrib import messages
from django.db.models import QuerySet
from django.http import Http404, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as now
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from players.access import OfficeRequest, Permission, permitted, public
from players.models import Player
from players.pages.forms import OnceField, mark_of
from players.record import Refused
from players.settings import today
from ratings.models import Fact
from ratings.pages.forms import DecisionForm, words_field
from ratings.pages.tables import track_of
from tournaments.cases import (
    CONFIRM,
    FOLLOW,
    LONGEST,
    OUTCOMES,
    Flooded,
    Reported,
    answer_case,
    case_of,
    close_case,
    confirm_report,
    entry_of,
    games_of,
    note_in_case,
    reply_to_case,
    report,
    token_of,
    withdraw_case,
)
from tournaments.models import Case, CaseMessage, CaseQuerySet, Section, Stage

# ---- Pages of reports of mistakes for whoever answers them: the list, one case, and the deeds about it.
CLOSED_SHOWN = 50


class CaseDeedForm(DecisionForm):
    """The base of the forms about a case. All are sent together, so that no word typed into one is lost."""

    use_required_attribute = False  # whoever answers leaves the other fields empty

    def add_prefix(self, field_name: str) -> str:
        return field_name if field_name == "version" else super().add_prefix(field_name)


class AnswerCaseForm(CaseDeedForm):
    words = words_field(gettext_lazy("Answer"), gettext_lazy("It goes to whoever reported it, by e-mail."))


class NoteInCaseForm(CaseDeedForm):
    words = words_field(
        gettext_lazy("Note"), gettext_lazy("Region and office read it; whoever reported it never does.")
    )


class CloseCaseForm(CaseDeedForm):
    outcome = forms.ChoiceField(
        label=gettext_lazy("How did it end?"),
        widget=forms.RadioSelect,
        choices=[(each.value, each.label) for each in OUTCOMES],
    )
    words = words_field(
        gettext_lazy("Words with the outcome"), gettext_lazy("They go to whoever reported it, by e-mail.")
    )


FORMS: dict[str, type[DecisionForm]] = {
    "answer": AnswerCaseForm,
    "note": NoteInCaseForm,
    "close": CloseCaseForm,
}


@permitted(Permission.CASES_ANSWER)
@never_cache
@require_safe
def cases(request: OfficeRequest) -> HttpResponseBase:
    """Page of the cases of the person's regions: waiting, answered, and the newest closed."""
    found = cases_of(request)
    context = {
        "waiting": with_days(request, found.waiting()),
        "answered": found.filter(state=Case.State.ANSWERED),
        "closed": found.filter(state=Case.State.CLOSED).order_by("-closed_on", "-pk")[:CLOSED_SHOWN],
        "clauses": request.office.equipment.office.powers.case_clauses,
    }
    return render(request, "ratings/office/cases.html", context)


@permitted(Permission.CASES_ANSWER)
@never_cache
@require_safe
def case(request: OfficeRequest, key: int) -> HttpResponseBase:
    """Page of one case: what it is about, its thread, and the forms to answer, note and close."""
    return _show(request, _case(request, key))


@permitted(Permission.CASES_ANSWER)
@never_cache
@require_POST
def answer(request: OfficeRequest, key: int) -> HttpResponseBase:
    words = now("The answer is on its way by e-mail.")
    return _decide(request, key, "answer", answer_case, words, author=_author(request))


@permitted(Permission.CASES_ANSWER)
@never_cache
@require_POST
def note(request: OfficeRequest, key: int) -> HttpResponseBase:
    return _decide(request, key, "note", note_in_case, now("The note is kept."), author=_author(request))


@permitted(Permission.CASES_CLOSE)
@never_cache
@require_POST
def close(request: OfficeRequest, key: int) -> HttpResponseBase:
    words = now("The case is closed. Whoever reported it is told by e-mail.")
    return _decide(request, key, "close", close_case, words)


def cases_of(request: OfficeRequest) -> CaseQuerySet:
    """The confirmed cases of a person's regions; all for officials."""
    found = Case.objects.within(request.rights, Permission.CASES_ANSWER)
    cases: CaseQuerySet = found.select_related(
        "federation", "region", "section__event__federation", "player__federation"
    )
    return cases


def with_days(request: OfficeRequest, found: QuerySet[Case]) -> list[tuple[Case, int | None, int]]:
    """Each case with the days left, and the days by which it is late."""
    day = today(request.office)
    left = ((each, each.days_left(day)) for each in found)
    return [(each, days, max(0, -(days or 0))) for each, days in left]


def _case(request: OfficeRequest, key: int) -> Case:
    return get_object_or_404(cases_of(request), pk=key)


def _author(request: OfficeRequest) -> str:
    """The side for which a person speaks: the office, for whoever answers all over it."""
    everywhere = Permission.CASES_ANSWER in request.rights.everywhere
    return CaseMessage.Author.OFFICE if everywhere else CaseMessage.Author.REGION


def _decide(
    request: OfficeRequest, key: int, deed: str, verb: Callable[..., Case], words: str, **told: Any
) -> HttpResponseBase:
    """Do one of the deeds, and lead back to the case; show it again with what stands in the way, or with what
    was typed for another deed.
    """
    case = _case(request, key)
    form = FORMS[deed](request.POST, **_names(deed))
    if not form.is_valid():
        return _show(request, case, {deed: form}, status=400)
    others = any(request.POST.get(f"{name}-words", "").strip() for name in FORMS if name != deed)
    terms = {"by": request.user, "on": today(request.office), "at": timezone.now(), **told}
    try:
        if others and deed == "close":
            raise Refused(now("You typed an answer or a note as well. Send or empty it first, then close."))
        verb(case=case, **terms, **form.cleaned_data)
    except Refused as refused:
        return _show(request, _case(request, key), {deed: form}, status=409, refused=str(refused))
    messages.success(request, words)
    if others:
        case = _case(request, key)
        return _show(request, case, {deed: FORMS[deed](initial={"version": case.version}, **_names(deed))})
    return redirect("ratings:case", request.office.code, key)


def _names(deed: str) -> dict[str, Any]:
    return {"prefix": deed, "auto_id": f"{deed}_%s"}


def _typed(request: OfficeRequest, deed: str) -> dict[str, str]:
    """The words typed for a deed beside the one that was sent."""
    return {field: request.POST.get(f"{deed}-{field}", "") for field in ("words", "outcome")}


def _show(
    request: OfficeRequest,
    case: Case,
    sent: dict[str, DecisionForm] | None = None,
    *,
    status: int = 200,
    refused: str = "",
) -> HttpResponseBase:
    seen = {"version": case.version}
    forms = {deed: form(initial=seen | _typed(request, deed), **_names(deed)) for deed, form in FORMS.items()}
    if Permission.CASES_CLOSE not in request.rights:
        del forms["close"]
    names = request.office.appointments.names()
    [(_same, left, late)] = with_days(request, Case.objects.filter(pk=case.pk))
    context = {
        "case": case,
        "thread": [(each, names.get(each.by_id or 0, "")) for each in case.messages.all()],
        "forms": {**forms, **(sent or {})},
        "refused": refused,
        "left": left,
        "late": late,
        "open": case.state != Case.State.CLOSED,
        "reviews": Permission.SECTIONS_REVIEW in request.rights,
    }
    return render(request, "ratings/office/case.html", context, status=status)


# ---- Pages behind the links of a reporter's letters: confirming the mail address, and following the case.
class ReplyForm(forms.Form):
    """The form by which a reporter writes again."""

    words = forms.CharField(
        label=gettext_lazy("Write again"),
        max_length=LONGEST,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=gettext_lazy("The region that filed it and the rating office read it."),
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
        return _show_report(request, case, ReplyForm())
    withdraws = request.POST.get("deed") == "withdraw"
    form = ReplyForm(None if withdraws else request.POST)
    if not withdraws and not form.is_valid():
        return _show_report(request, case, form, status=400)
    try:
        if withdraws:
            withdraw_case(case=case, on=today(request.office))
        else:
            words = form.cleaned_data["words"]
            reply_to_case(case=case, on=today(request.office), at=timezone.now(), words=words)
    except Refused as refused:
        status = 429 if isinstance(refused, Flooded) else 409
        return _show_report(request, case, form, status=status, refused=str(refused))
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


def _show_report(
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


# ---- The page on which anybody reports a mistake about a section, a player or one working.
ONE_ADDRESS = "10/d/key"
"""Reports from one network address within a day: a school or a club has one for many."""


class ReportForm(forms.Form):
    """The form of a report. `website` is there for programs that fill in everything: people never see it."""

    words = forms.CharField(
        label=gettext_lazy("What is wrong?"),
        max_length=LONGEST,
        widget=forms.Textarea(attrs={"rows": 6}),
        help_text=gettext_lazy(
            "Say which round, game, result or detail, and what would be right. The region that filed it and "
            "the rating office read it; it stands on no public page."
        ),
    )
    email = forms.EmailField(
        label=gettext_lazy("Your e-mail address"),
        help_text=gettext_lazy(
            "You get a link to confirm it, then the answer. Nobody reads your words before that."
        ),
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )
    name = forms.CharField(
        label=gettext_lazy("Your name"),
        max_length=100,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )
    website = forms.CharField(required=False)
    once = OnceField()


@public
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def report_mistake(request: OfficeRequest) -> HttpResponseBase:
    """Page of the form, about what its address names; without that, the ways to find it."""
    about = reported_in(request)
    if about is None:
        return render(request, "ratings/report.html", {"days": None})
    form = ReportForm(request.POST if request.method == "POST" else None)
    status = 400 if form.errors else 200
    if form.is_bound and _meant_another_game(request, about):
        words = now("The game changed while your page was open. Read what stands above, and send it again.")
        form.add_error(None, words)
        status = 409
    elif form.is_valid():
        try:
            _keep(request, about, form.cleaned_data)
        except Flooded as flooded:
            form.add_error(None, str(flooded))
            status = 429
        except Refused as refused:
            form.add_error(None, str(refused))
            status = 409
        else:
            thing = about.player or about.section
            assert thing is not None
            sent = {"email": form.cleaned_data["email"], "about_url": str(thing.get_absolute_url())}
            return render(request, "ratings/report_sent.html", sent)
    return render(request, "ratings/report.html", {"form": form, "about": about}, status=status)


def reported_in(request: OfficeRequest) -> Reported | None:
    """The thing that an address names: `section`, or `player`, with `track` and `line` for one working; a
    `round` beside it names its games, in a section those of the starting number `entry`. None: it names
    nothing; 404: something that there is not.
    """
    given = request.GET
    if number := given.get("player", ""):
        people = Player.objects.of(request.office).select_related("region", "merged_into__region")
        player = get_object_or_404(people, number=number)
        player = player.merged_into or player
        track, line = given.get("track", ""), given.get("line", "")
        return _working(request, player, track, line) if line else Reported(player=player)
    if key := given.get("section", ""):
        event, _slash, code = key.partition("/")
        sections = Section.objects.filter(event__federation=request.office, event__number=event)
        found = sections.exclude(stage=Stage.WITHDRAWN).select_related("event__region")
        section = get_object_or_404(found.select_related("event__federation"), code=code)
        return _with_games(request, Reported(section=section))
    return None


def _with_games(request: OfficeRequest, about: Reported) -> Reported:
    """The same with the games of a round where the address names one; 404 where there is none. Whoever sends
    a report loses no words by it: they go without a game that is gone meanwhile.
    """
    round_, number = request.GET.get("round", ""), request.GET.get("entry", "")
    if not round_:
        return about
    section = about.section
    if section is None or not _is_number(round_):
        raise Http404
    if about.player is not None:
        entry = entry_of(section, about.player)
    else:
        entry = section.entries.filter(number=int(number)).first() if _is_number(number) else None
    games = games_of(section, int(round_), entry) if entry else []
    if not games and request.method == "POST":
        return replace(about, round_without_game=int(round_))
    if not games:
        raise Http404(gettext_lazy("There is no such game in this section."))
    return replace(about, games=tuple(games))


def _meant_another_game(request: OfficeRequest, about: Reported) -> bool:
    """Whether the page on which a report was written told of other games than those that stand now."""
    shown = request.POST.get("games")
    return shown is not None and shown != about.games_in_one_line


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 10


def _working(request: OfficeRequest, player: Player, track: str, line: str) -> Reported:
    """One line of the journal, for a player and a track; with the section that was rated, if there is one."""
    if not _is_number(line):
        raise Http404
    known = Fact.objects.filter(federation=request.office)
    facts = known.select_related("section__event__region", "section__event__federation")
    fact = get_object_or_404(facts, number=int(line))
    code = track_of(request.office.ruleset, track).code
    about = Reported(section=fact.section, player=player, track=code, line=fact.number)
    return _with_games(request, about)


def _keep(request: OfficeRequest, about: Reported, given: dict[str, Any]) -> None:
    """Keep the report, unless a program filled in what no person sees: that is told the same, and forgotten.

    Raises `Flooded` beyond so many from one network address, mail address or to one office within a day.
    """
    if given["website"]:
        return
    address = ratelimit.get_ip(request)
    limits = {"report": ONE_ADDRESS}
    if not ratelimit.consume(request, app="ratings", action="report", config=limits, key=address):
        raise Flooded(now("Too many reports came from your network within a day. Try again tomorrow."))
    report(
        federation=request.office,
        about=about,
        email=given["email"],
        name=given["name"],
        words=given["words"],
        at=timezone.now(),
        mark=mark_of(request),
        language=get_language() or "",
    )
