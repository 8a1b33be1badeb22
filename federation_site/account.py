"""The account page (appointments, sign-ins, choice of letters and language) and a demo's mailbox."""

from collections.abc import Iterator
from email import message_from_bytes, policy
from pathlib import Path
from typing import Any, ClassVar

from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from csp.decorators import csp_replace
from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _, gettext_lazy as _lazy

from federation_site.sign_in import SIGN_IN_DAYS_KEPT, count_failed_sign_ins, list_sign_ins
from players.access import FORM, SIGNED_IN, OfficeRequest, page
from players.mail import is_mailbox_open
from players.models import Appointment, User
from players.settings import today

# ---- The mailbox: letters that were written to files, because no mail server is set
#
# They contain links that open accounts, so the mailbox is open only if every office is a demo, and never in
# production.
MOST_LETTERS = 100
SEPARATOR = b"-" * 79 + b"\n"
"""The line that Django's backend writes after each letter in a file."""


@page(SIGNED_IN)
def mailbox(request: OfficeRequest) -> HttpResponse:
    _refuse_closed()
    return render(request, "own_page/mailbox.html", {"letters": list(read_mailbox_letters())[:MOST_LETTERS]})


@page(SIGNED_IN)
@csp_replace({"style-src": ["'unsafe-inline'"]})  # type: ignore[arg-type]  # says: a view has no argument
def mailbox_letter(request: OfficeRequest, name: str) -> HttpResponse:
    """A letter's HTML, with its own styles, as in a mail program."""
    _refuse_closed()
    letter = next((each for each in read_mailbox_letters() if each["name"] == name and each["html"]), None)
    if letter is None:
        raise Http404
    return HttpResponse(letter["html"])


def read_mailbox_letters() -> Iterator[dict[str, Any]]:
    """Yield the letters in files, newest first."""
    folder = Path(getattr(settings, "EMAIL_FILE_PATH", "") or "")
    for path in sorted(folder.glob("*.log"), reverse=True):
        parts = [part for part in path.read_bytes().split(SEPARATOR) if part.strip()]
        for number, part in reversed(list(enumerate(parts, start=1))):
            yield _parse_letter(f"{path.stem}.{number}", part)


def _parse_letter(name: str, data: bytes) -> dict[str, Any]:
    message = message_from_bytes(data, policy=policy.default)
    bodies = {kind: message.get_body(preferencelist=(kind,)) for kind in ("plain", "html")}
    text, html = (body.get_content() if body else "" for body in bodies.values())
    at = getattr(message["Date"], "datetime", None)
    return {
        "name": name,
        "to": message["To"],
        "subject": message["Subject"],
        "at": at,
        "text": text,
        "html": html,
    }


def _refuse_closed() -> None:
    if not is_mailbox_open():
        raise Http404


# ---- The account page
FAILED_SHOWN = 50
"""The failed attempts that are listed. Sign-ins are all listed, so that attempts do not hide them."""


class LettersForm(forms.ModelForm):  # type: ignore[type-arg]
    """The choice of letters, and of the language of pages and letters."""

    language = forms.ChoiceField(label=_lazy("Language of pages and letters"), required=False)

    class Meta:
        model = User
        fields = ("letters", "language")
        widgets: ClassVar[dict[str, Any]] = {"letters": forms.RadioSelect}
        labels: ClassVar[dict[str, Any]] = {"letters": _lazy("Letters that come")}

    def __init__(self, data: object, *, user: User, in_office: bool) -> None:
        super().__init__(data, instance=user)  # type: ignore[arg-type]
        language = self.fields["language"]
        assert isinstance(language, forms.ChoiceField)
        language.wanted = True  # type: ignore[attr-defined]  # it needs no word “optional”
        language.choices = [("", _("the office’s own")), *settings.LANGUAGES]
        if not in_office:
            del self.fields["letters"]
        if len(settings.LANGUAGES) < 2:
            del self.fields["language"]


@page(SIGNED_IN, methods=FORM)
def own_page(request: OfficeRequest) -> HttpResponse:
    held = _appointments(request.user, over=False)
    form = LettersForm(
        request.POST if request.method == "POST" else None,
        user=User.objects.get(pk=request.user.pk),
        in_office=bool(held),
    )
    if form.is_valid():
        form.save()
        messages.success(request, _("Your choice of letters is saved."))
        return redirect("own_page")
    context = {
        "form": form if form.fields else None,
        "held": held,
        "former": _appointments(request.user, over=True),
        "factors": Authenticator.objects.filter(user=request.user).count(),
        "sessions": UserSession.objects.filter(user=request.user).count(),
        "sign_ins": list_sign_ins(request.user, FAILED_SHOWN),
        "failed_shown": FAILED_SHOWN,
        "failed_hidden": max(count_failed_sign_ins(request.user) - FAILED_SHOWN, 0),
        "days_kept": SIGN_IN_DAYS_KEPT,
        "mailbox": is_mailbox_open(),
    }
    return render(request, "own_page/own_page.html", context, status=400 if form.errors else 200)


def _appointments(user: User, *, over: bool) -> list[Appointment]:
    """A person's past or other appointments in all offices, the latest first."""
    held = user.appointments.select_related("federation", "region").order_by("-starts", "-pk")
    return [each for each in held if bool(each.ends and each.ends < today(each.federation)) == over]
