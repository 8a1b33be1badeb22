"""The page on which anybody reports a mistake about a section, a player or one working."""

from __future__ import annotations

from typing import Any

from allauth.core.internal import ratelimit
from django import forms
from django.http import Http404, HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.utils.translation import gettext as now
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from players.office.access import OfficeRequest, public
from players.office.decision_record import Refused
from players.pages.sent_once import OnceField, mark_of
from players.register.models import Player
from ratings.journal.models import Fact
from ratings.public.common.track_groups import track_of
from tournaments.cases.report import LONGEST, Flooded, Reported, report
from tournaments.events.models import Section, Stage

ONE_ADDRESS = "10/d/key"
"""Reports from one network address within a day: a school or a club has one for many."""


class ReportForm(forms.Form):
    """The form of a report. `website` is there for programs that fill in everything: people never see it."""

    words = forms.CharField(
        label=_("What is wrong?"),
        max_length=LONGEST,
        widget=forms.Textarea(attrs={"rows": 6}),
        help_text=_(
            "Say which round, game, result or detail, and what would be right. The region that filed it and "
            "the rating office read it; it stands on no public page."
        ),
    )
    email = forms.EmailField(
        label=_("Your e-mail address"),
        help_text=_("You get a link to confirm it, then the answer. Nobody reads your words before that."),
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )
    name = forms.CharField(
        label=_("Your name"),
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
    if form.is_valid():
        try:
            _keep(request, about, form.cleaned_data)
        except Flooded as flooded:
            form.add_error(None, str(flooded))
            status = 429
        except Refused as refused:
            form.add_error(None, str(refused))
            status = 409
        else:
            return render(request, "ratings/report_sent.html", {"email": form.cleaned_data["email"]})
    return render(request, "ratings/report.html", {"form": form, "about": about}, status=status)


def reported_in(request: OfficeRequest) -> Reported | None:
    """The thing that an address names: `section`, or `player`, with `track` and `line` for one working. None:
    it names nothing; 404: something that there is not.
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
        return Reported(section=get_object_or_404(found, code=code))
    return None


def _working(request: OfficeRequest, player: Player, track: str, line: str) -> Reported:
    """One line of the journal, for a player and a track; with the section that was rated, if there is one."""
    if not (line.isascii() and line.isdigit() and len(line) < 10):
        raise Http404
    facts = Fact.objects.filter(federation=request.office).select_related("section__event__region")
    fact = get_object_or_404(facts, number=int(line))
    code = track_of(request.office.ruleset, track).code
    return Reported(section=fact.section, player=player, track=code, line=fact.number)


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
    )
