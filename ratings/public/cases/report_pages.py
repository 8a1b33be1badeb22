"""The page on which anybody reports a mistake about a section, a player or one working."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from allauth.core.internal import ratelimit
from django import forms
from django.http import Http404, HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.utils.translation import get_language
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
from tournaments.cases.reported_games import entry_of, games_of
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
            sent = {"email": form.cleaned_data["email"], "about_url": _address(about)}
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


def _address(about: Reported) -> str:
    """The page from which somebody reports: of the player, or of the section."""
    thing = about.player or about.section
    assert thing is not None
    return str(thing.get_absolute_url())


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
        raise Http404(_("There is no such game in this section."))
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
