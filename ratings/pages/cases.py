"""Pages of reports of mistakes: the form for everybody, the reporter's own page, and the office's pages.

A report becomes a case once its mail address is confirmed. The reporter follows it by a link in the letters;
people of the region or the office write answers and notes, and close it.
"""

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
from django.utils.translation import get_language, gettext as now, gettext_lazy

from players.access import FORM, POST, PUBLIC, OfficeRequest, Permission, page
from players.models import Player
from players.pages.forms import OnceField, attempt, parse_number, posted_form_digest
from players.record import Refused
from players.settings import today
from ratings.models import Erratum, Fact
from ratings.pages.errata import errata_of
from ratings.pages.forms import DecisionForm, words_field
from ratings.pages.review import StepLeft, list_publishing_again
from ratings.pages.tables import get_track_or_404
from tournaments.cases import (
    CHOOSABLE_OUTCOMES,
    CONFIRM,
    FOLLOW,
    LONGEST_MESSAGE,
    REPORTS_FROM_ONE_NETWORK,
    ReportSubject,
    TooManyReports,
    add_reporter_message,
    answer_case,
    close_case,
    confirm_report,
    find_case,
    find_entry,
    find_erratum_of_case,
    find_sections_of_case,
    get_rated_games,
    make_token,
    note_in_case,
    report,
    withdraw_case,
)
from tournaments.models import Case, CaseMessage, CaseQuerySet, Section, Stage

# ---- Pages for those who answer
CLOSED_SHOWN = 50


class CaseActionForm(DecisionForm):
    """The base of the forms about a case. All are sent together, so that no word typed into one is lost."""

    use_required_attribute = False  # a person who answers leaves the fields of the other forms empty

    def add_prefix(self, field_name: str) -> str:
        return field_name if field_name == "version" else super().add_prefix(field_name)


class AnswerCaseForm(CaseActionForm):
    words = words_field(gettext_lazy("Answer"), gettext_lazy("It goes to whoever reported it, by e-mail."))


class NoteInCaseForm(CaseActionForm):
    words = words_field(
        gettext_lazy("Note"), gettext_lazy("Region and office read it; whoever reported it never does.")
    )


class CloseCaseForm(CaseActionForm):
    outcome = forms.ChoiceField(
        label=gettext_lazy("How did it end?"),
        widget=forms.RadioSelect,
        choices=[(each.value, each.label) for each in CHOOSABLE_OUTCOMES],
    )
    words = words_field(
        gettext_lazy("Words with the outcome"), gettext_lazy("They go to whoever reported it, by e-mail.")
    )


FORMS: dict[str, type[DecisionForm]] = {
    "answer": AnswerCaseForm,
    "note": NoteInCaseForm,
    "close": CloseCaseForm,
}


@page(Permission.CASES_ANSWER)
def cases(request: OfficeRequest) -> HttpResponseBase:
    found = cases_within_rights(request)
    context = {
        "waiting": add_days_left_and_late(request, found.waiting()),
        "answered": found.filter(state=Case.State.ANSWERED),
        "closed": found.filter(state=Case.State.CLOSED).order_by("-closed_on", "-pk")[:CLOSED_SHOWN],
        "clauses": request.office.equipment.office.powers.case_clauses,
    }
    return render(request, "ratings/office/cases.html", context)


@page(Permission.CASES_ANSWER)
def case(request: OfficeRequest, key: int) -> HttpResponseBase:
    return _render_case(request, _get_case(request, key))


@page(Permission.CASES_ANSWER, methods=POST)
def answer(request: OfficeRequest, key: int) -> HttpResponseBase:
    words = now("The answer is on its way by e-mail.")
    return _act(request, key, "answer", answer_case, words, author=_author(request))


@page(Permission.CASES_ANSWER, methods=POST)
def note(request: OfficeRequest, key: int) -> HttpResponseBase:
    return _act(request, key, "note", note_in_case, now("The note is kept."), author=_author(request))


@page(Permission.CASES_CLOSE, methods=POST)
def close(request: OfficeRequest, key: int) -> HttpResponseBase:
    words = now("The case is closed. Whoever reported it is told by e-mail.")
    return _act(request, key, "close", close_case, words)


def cases_within_rights(request: OfficeRequest) -> CaseQuerySet:
    """Return the confirmed cases of a person's regions; all of them for officials."""
    found = Case.objects.within(request.rights, Permission.CASES_ANSWER)
    cases: CaseQuerySet = found.select_related(
        "federation", "region", "section__event__federation", "player__federation"
    )
    return cases


def add_days_left_and_late(
    request: OfficeRequest, found: QuerySet[Case]
) -> list[tuple[Case, int | None, int]]:
    """Return each case with the days left to answer it, and the days by which it is late."""
    day = today(request.office)
    left = ((each, each.days_left(day)) for each in found)
    return [(each, days, max(0, -(days or 0))) for each, days in left]


def _get_case(request: OfficeRequest, key: int) -> Case:
    return get_object_or_404(cases_within_rights(request), pk=key)


def _author(request: OfficeRequest) -> str:
    """The side for which a person writes: the office, if they answer in all regions."""
    everywhere = Permission.CASES_ANSWER in request.rights.everywhere
    return CaseMessage.Author.OFFICE if everywhere else CaseMessage.Author.REGION


def _act(
    request: OfficeRequest, key: int, action: str, service: Callable[..., Case], words: str, **further: Any
) -> HttpResponseBase:
    """Carry out one of the actions on a case, and redirect to it; show it again after a refusal, or if words
    were typed for another action.
    """
    case = _get_case(request, key)
    form = FORMS[action](request.POST, **_names(action))
    if not form.is_valid():
        return _render_case(request, case, {action: form}, status=400)
    others = any(request.POST.get(f"{name}-words", "").strip() for name in FORMS if name != action)
    refused = ""
    if others and action == "close":
        refused = now("You typed an answer or a note as well. Send or empty it first, then close.")
    else:
        acted = attempt(request, form, service, words, refusal_to="", case=case, at=timezone.now(), **further)
        refused = acted.refused
    if refused:
        case = _get_case(request, key)
        return _render_case(request, case, {action: form}, status=409, refused=refused)
    if others:
        case = _get_case(request, key)
        empty = FORMS[action](initial={"version": case.version}, **_names(action))
        return _render_case(request, case, {action: empty})
    return redirect("ratings:case", request.office.code, key)


def _names(action: str) -> dict[str, Any]:
    return {"prefix": action, "auto_id": f"{action}_%s"}


def _render_case(
    request: OfficeRequest,
    case: Case,
    sent: dict[str, DecisionForm] | None = None,
    *,
    status: int = 200,
    refused: str = "",
) -> HttpResponseBase:
    forms: dict[str, DecisionForm] = {}
    for action, form in FORMS.items():
        typed = {field: request.POST.get(f"{action}-{field}", "") for field in ("words", "outcome")}
        forms[action] = form(initial={"version": case.version, **typed}, **_names(action))
    if Permission.CASES_CLOSE not in request.rights:
        del forms["close"]
    names = request.office.appointments.names()
    [(_same, left, late)] = add_days_left_and_late(request, Case.objects.filter(pk=case.pk))
    context = {
        "case": case,
        "thread": [(each, names.get(each.by_id or 0, "")) for each in case.messages.all()],
        "forms": {**forms, **(sent or {})},
        "refused": refused,
        "left": left,
        "late": late,
        "open": case.state != Case.State.CLOSED,
        "reviews": Permission.SECTIONS_REVIEW in request.rights,
        "correctable": _correctable_sections(request, case),
        "erratum": _find_erratum(case),
        "steps_left": _list_publishing_again(request, case),
    }
    return render(request, "ratings/office/case.html", context, status=status)


def _list_publishing_again(request: OfficeRequest, case: Case) -> list[StepLeft]:
    """The lists to publish again for corrections of what a case is about, made since it was reported."""
    corrected = errata_of(request.office).filter(fact__section__in=find_sections_of_case(case))
    return list_publishing_again(request, corrected.filter(fact__on__gte=case.reported_at.date()))


MOST_SECTIONS_OFFERED = 5
"""The most sections of a player that the page of a case offers to correct, the newest."""


def _correctable_sections(request: OfficeRequest, case: Case) -> list[Section]:
    """The sections that can be corrected for an open case: its own, or the newest of its player."""
    if case.state == Case.State.CLOSED or Permission.SECTIONS_MEND not in request.rights:
        return []
    found = find_sections_of_case(case).filter(stage__in=(Stage.SUBMITTED, Stage.RATED))
    if case.section_id is not None:
        found = found.filter(pk=case.section_id)
    return list(found.order_by("-ends", "pk")[:MOST_SECTIONS_OFFERED])


def _find_erratum(case: Case) -> int | None:
    """The line of the erratum of a closed case, once a recompute has written it."""
    line = find_erratum_of_case(case)
    if line is None:
        return None
    written = Erratum.objects.filter(fact__federation=case.federation_id, fact__number=line)
    return line if written.exists() else None


# ---- Pages for reporters, by links in letters
class ReplyForm(forms.Form):
    words = forms.CharField(
        label=gettext_lazy("Write again"),
        max_length=LONGEST_MESSAGE,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=gettext_lazy("The region that filed it and the rating office read it."),
    )


@page(PUBLIC, methods=FORM)
def confirm_report_page(request: OfficeRequest) -> HttpResponseBase:
    """Page with a button that confirms a mail address: opening the link alone does nothing, because programs
    that scan mail open links too.
    """
    case = _case_by_token(request, CONFIRM)
    if case is None:
        return _no_case(request)
    if case.state != Case.State.UNCONFIRMED:
        return redirect(follow_report_path(case))
    if request.method != "POST":
        return render(request, "ratings/confirm_report.html", {"case": case})
    try:
        case = confirm_report(case=case, on=today(request.office), at=timezone.now())
    except Refused as refused:
        return render(request, "ratings/confirm_report.html", {"case": case, "refused": refused}, status=409)
    messages.success(request, now("Thank you. Your report is with those who can answer it."))
    return redirect(follow_report_path(case))


@page(PUBLIC, methods=FORM)
def follow_report(request: OfficeRequest) -> HttpResponseBase:
    """Reporter's own page: what was written on both sides, until when an answer is due, the outcome."""
    case = _case_by_token(request, FOLLOW)
    if case is None or case.state == Case.State.UNCONFIRMED:
        return _no_case(request)
    if request.method != "POST":
        return _render_report(request, case, ReplyForm())
    withdraws = request.POST.get("deed") == "withdraw"
    form = ReplyForm(None if withdraws else request.POST)
    if not withdraws and not form.is_valid():
        return _render_report(request, case, form, status=400)
    try:
        if withdraws:
            withdraw_case(case=case, on=today(request.office))
        else:
            words = form.cleaned_data["words"]
            add_reporter_message(case=case, on=today(request.office), at=timezone.now(), words=words)
    except Refused as refused:
        status = 429 if isinstance(refused, TooManyReports) else 409
        return _render_report(request, case, form, status=status, refused=str(refused))
    messages.success(request, now("The report is withdrawn.") if withdraws else now("Your words are sent."))
    return redirect(follow_report_path(case))


def follow_report_path(case: Case) -> str:
    page = reverse("ratings:follow_report", args=[case.federation.code])
    return f"{page}?{urlencode({'case': make_token(case, FOLLOW)})}"


def _case_by_token(request: OfficeRequest, purpose: str) -> Case | None:
    return find_case(request.GET.get("case", ""), purpose, request.office.pk)


def _no_case(request: OfficeRequest) -> HttpResponseBase:
    tried = bool(request.GET.get("case"))
    return render(request, "ratings/no_case.html", {"tried": tried}, status=404 if tried else 200)


def _render_report(
    request: OfficeRequest, case: Case, form: forms.Form, *, status: int = 200, refused: str = ""
) -> HttpResponseBase:
    case.refresh_from_db(fields=["state", "due", "outcome", "closed_on"])
    context: dict[str, Any] = {
        "case": case,
        "thread": case.messages.filter(internal=False),
        "form": form,
        "refused": refused,
        "open": case.state != Case.State.CLOSED,
        "erratum": _find_erratum(case),
    }
    return render(request, "ratings/follow_report.html", context, status=status)


# ---- The page on which anybody reports a mistake
class ReportForm(forms.Form):
    """The form of a report. `website` is a trap for programs that fill in everything: people never see it."""

    words = forms.CharField(
        label=gettext_lazy("What is wrong?"),
        max_length=LONGEST_MESSAGE,
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


@page(PUBLIC, methods=FORM)
def report_mistake(request: OfficeRequest) -> HttpResponseBase:
    """Page of the form, about the subject in the address; without one, of the ways to find it."""
    about = parse_subject(request)
    if about is None:
        return render(request, "ratings/report.html", {"days": None})
    form = ReportForm(request.POST if request.method == "POST" else None)
    status = 400 if form.errors else 200
    # Another game may stand there now than on the page where the report was written.
    games = request.POST.get("games")
    if form.is_bound and games is not None and games != about.games_in_one_line:
        words = now("The game changed while your page was open. Read what stands above, and send it again.")
        form.add_error(None, words)
        status = 409
    elif form.is_valid():
        try:
            _save_report(request, about, form.cleaned_data)
        except TooManyReports as flooded:
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


def parse_subject(request: OfficeRequest) -> ReportSubject | None:
    """Return what the address names: `section`, or `player`, with `track` and `line` for one working.

    A further `round` names its games, in a section those of the starting number `entry`. None if the address
    names nothing; raises Http404 if there is no such thing.
    """
    given = request.GET
    if number := given.get("player", ""):
        people = Player.objects.of(request.office).select_related("region", "merged_into__region")
        player = get_object_or_404(people, number=number)
        player = player.merged_into or player
        track, line = given.get("track", ""), given.get("line", "")
        return _working(request, player, track, line) if line else ReportSubject(player=player)
    if key := given.get("section", ""):
        event, _slash, code = key.partition("/")
        sections = Section.objects.filter(event__federation=request.office, event__number=event)
        found = sections.exclude(stage=Stage.WITHDRAWN).select_related("event__region")
        section = get_object_or_404(found.select_related("event__federation"), code=code)
        return _with_games(request, ReportSubject(section=section))
    return None


def _with_games(request: OfficeRequest, about: ReportSubject) -> ReportSubject:
    """Add the games of the round in the address, if there is one; raises Http404 if there is no such game,
    but not on sending, so that no words are lost: the report then goes without a game that is gone.
    """
    if not request.GET.get("round"):
        return about
    section, round_ = about.section, parse_number(request.GET["round"], 9)
    if section is None or round_ is None:
        raise Http404
    if about.player is not None:
        entry = find_entry(section, about.player)
    else:
        number = parse_number(request.GET.get("entry"), 9)
        entry = None if number is None else section.entries.filter(number=number).first()
    games = get_rated_games(section, round_, entry) if entry else []
    if not games and request.method == "POST":
        return replace(about, round_without_game=round_)
    if not games:
        raise Http404(gettext_lazy("There is no such game in this section."))
    return replace(about, games=tuple(games))


def _working(request: OfficeRequest, player: Player, track: str, line: str) -> ReportSubject:
    """The working of a line of the journal, for a player and a track; with the section that it rated."""
    known = Fact.objects.filter(federation=request.office)
    facts = known.select_related("section__event__region", "section__event__federation")
    fact = get_object_or_404(facts, number=parse_number(line, 9))
    code = get_track_or_404(request.office.ruleset, track).code
    about = ReportSubject(section=fact.section, player=player, track=code, line=fact.number)
    return _with_games(request, about)


def _save_report(request: OfficeRequest, about: ReportSubject, given: dict[str, Any]) -> None:
    """Save the report, unless a program filled in what no person sees: it gets the same answer.

    Raises `TooManyReports` beyond so many from one network address, mail address or to one office in a day.
    """
    if given["website"]:
        return
    address = ratelimit.get_ip(request)
    limits = {"report": REPORTS_FROM_ONE_NETWORK}
    if not ratelimit.consume(request, app="ratings", action="report", config=limits, key=address):
        raise TooManyReports(now("Too many reports came from your network within a day. Try again tomorrow."))
    report(
        federation=request.office,
        about=about,
        email=given["email"],
        name=given["name"],
        words=given["words"],
        at=timezone.now(),
        mark=posted_form_digest(request),
        language=get_language() or "",
    )
