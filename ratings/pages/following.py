"""Following a player, a region or the lists of a rating: by mail, by feed; and what can be shared or
embedded.
"""

from allauth.core.internal import ratelimit
from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.translation import get_language, gettext as now, gettext_lazy

from players.access import FORM, PUBLIC, OfficeRequest, page
from players.settings import today
from ratings.following import (
    CONFIRM,
    END,
    Subject,
    TooManyWait,
    confirm_following,
    end_following,
    find_following,
    find_subject,
    follow,
    subject_of,
)
from ratings.models import RatingList

FROM_ONE_NETWORK = "10/d/key"
"""The most requests from one network address in a day."""
TO_ONE_ADDRESS = "5/d/key"
"""The most letters to confirm that one mail address gets in a day: whoever has it may not have asked for
them.
"""


class FollowForm(forms.Form):
    """The form of an address. `website` is a trap for programs: people never see it."""

    email = forms.EmailField(
        label=gettext_lazy("Your e-mail address"),
        help_text=gettext_lazy("You get a link to confirm it."),
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )
    website = forms.CharField(required=False)


@page(PUBLIC, methods=FORM)
def follow_page(request: OfficeRequest) -> HttpResponseBase:
    """Page on which a reader follows what the address names: `?player=`, `?region=` or `?track=`."""
    given = [(kind, key) for kind in ("player", "region", "track") if (key := request.GET.get(kind, ""))]
    about = find_subject(request.office, *given[0]) if given else None
    if given and about is None:
        raise Http404(now("This cannot be followed."))
    form = FollowForm(request.POST if request.method == "POST" else None)
    status = 400 if form.errors else 200
    if about and form.is_valid():
        refusal = _ask(request, about, form)
        if not refusal:
            sent = {"email": form.cleaned_data["email"], "about_url": subject_path(about)}
            return render(request, "ratings/follow_sent.html", sent)
        form.add_error(None, refusal)
        status = 429
    context = {"about": about, "form": form, "about_url": about and subject_path(about)}
    if about and about.player:
        context["site"] = site = f"{request.scheme}://{request.get_host()}"
        context["snippet"] = format_html(
            '<a href="{}"><img src="{}" height="20" alt="{}"></a>',
            site + subject_path(about),
            site + reverse("ratings:badge", args=[request.office.code, about.key]),
            about.name,
        )
    return render(request, "ratings/follow.html", context, status=status)


def subject_path(about: Subject) -> str:
    """The page of what is followed."""
    if about.player:
        return str(about.player.get_absolute_url())
    if about.region:
        return reverse("ratings:region", args=[about.office.code, about.region.code])
    if about.track and RatingList.objects.of(about.office).filter(track=about.track.code).exists():
        return reverse("ratings:latest_list", args=[about.office.code, about.track.code])
    return about.office.get_absolute_url()


def _ask(request: OfficeRequest, about: Subject, form: FollowForm) -> str:
    """Order the letter to confirm; return why not, which never depends on whether the address is known."""
    if form.cleaned_data["website"]:
        return ""
    network, email = ratelimit.get_ip(request), form.cleaned_data["email"]
    limits = {"follow": FROM_ONE_NETWORK, "letter": TO_ONE_ADDRESS}
    if not ratelimit.consume(request, app="ratings", action="follow", config=limits, key=network):
        return now("Too many requests came from your network within a day. Try again tomorrow.")
    if ratelimit.consume(request, app="ratings", action="letter", config=limits, key=email.lower()):
        try:
            follow(about=about, email=email, at=timezone.now(), language=get_language() or "")
        except TooManyWait as refused:
            return str(refused)
    return ""


@page(PUBLIC, methods=FORM)
def confirm_page(request: OfficeRequest) -> HttpResponseBase:
    """Page with a button that confirms a mail address: programs that scan mail open links too."""
    following = find_following(request.GET.get("following", ""), CONFIRM, request.office)
    about = subject_of(following) if following else None
    if following is None or about is None:
        return _nothing(request)
    if request.method != "POST":
        return render(request, "ratings/follow_confirm.html", {"about": about, "ends": False})
    confirm_following(following, today(request.office))
    messages.success(request, now("Thank you. The letters come when there is something new."))
    return redirect(subject_path(about))


@page(PUBLIC, methods=FORM)
def end_page(request: OfficeRequest) -> HttpResponseBase:
    """Page with a button that ends the letters and deletes the address; programs of mail send the same at
    one click (RFC 8058). The token of the link is all that it takes.
    """
    following = find_following(request.GET.get("following", ""), END, request.office)
    if following is None:
        return _nothing(request)
    if request.method != "POST":
        about = subject_of(following)
        return render(request, "ratings/follow_confirm.html", {"about": about, "ends": True})
    end_following(following)
    messages.success(request, now("You get no more of these letters. Your address is deleted."))
    return redirect(request.office.get_absolute_url())


end_page.csrf_exempt = True  # type: ignore[attr-defined]


def _nothing(request: OfficeRequest) -> HttpResponseBase:
    tried = bool(request.GET.get("following"))
    return render(
        request, "ratings/follow_confirm.html", {"about": None, "tried": tried}, status=404 if tried else 200
    )
