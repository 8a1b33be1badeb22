"""E-mails (“letters”): ordered as rows, sent by workers."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime, timedelta
from email.utils import formataddr, parseaddr
from typing import Any

import structlog
from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.db.models import F, Q
from django.template.loader import render_to_string
from django.utils import timezone, translation
from django.utils.translation import gettext_noop

from players.languages import supported_language
from players.models import Federation, Letter, User

LETTER_LIFETIME = timedelta(seconds=settings.PASSWORD_RESET_TIMEOUT)
"""The time after which a letter is given up, because its links are not valid any longer."""
LONGEST_PAUSE = timedelta(hours=1)
CLOCKS_APART = timedelta(minutes=5)
"""The most by which the clocks of two workers may differ."""
MOST_AT_ONCE = 50
log = structlog.get_logger("players.mail")


@dataclass(frozen=True, slots=True)
class ComposedLetter:
    """A letter's subject, its text, and the same text as HTML."""

    subject: str
    text: str
    html: str
    switches: str = ""
    """The URL of the page for switching such letters off; empty: they cannot be."""
    sender: str = ""
    """The name of the office that writes it; empty: the site's own."""
    one_click: bool = False
    """Whether a POST to that URL is enough (RFC 8058)."""


Composer = Callable[[Letter], ComposedLetter | tuple[str, str] | None]
"""A function that writes a letter, or its subject and text only; None: it is not needed any more."""
COMPOSERS: dict[str, Composer] = {}
"""The composers of letters that are written when they are sent, by kind."""


def order_letter(
    email: str,
    kind: str = "",
    *,
    subject: str = "",
    text: str = "",
    due: datetime | None = None,
    **particulars: str | int,
) -> None:
    """Have a worker send a letter after the transaction, not before `due`.

    With a `kind`, it is composed from its particulars when it is sent. Otherwise `subject` and `text` are
    sent, and the particular `language` is their language.
    """
    letter = Letter(email=email, kind=kind, subject=subject, text=text, particulars=particulars)
    letter.due = due or letter.due
    letter.save(force_insert=True)


def send_due_letters(now: datetime) -> None:
    """Send the letters that are due, oldest first, until the mail server fails."""
    # A time further ahead than the longest pause is from before the clock was set back, though another
    # worker's clock may be ahead by some minutes.
    due = Q(due__lte=now) | Q(due__gt=now + LONGEST_PAUSE + CLOCKS_APART)
    for letter in Letter.objects.filter(due).order_by("due", "pk")[:MOST_AT_ONCE]:
        unclaimed = Letter.objects.filter(pk=letter.pk, due=letter.due)
        retry = max(now, timezone.now()) + compute_retry_pause(
            letter.tries
        )  # earlier letters may have taken minutes
        if unclaimed.update(due=retry, tries=F("tries") + 1) and not _send(letter, now):
            return


def compute_retry_pause(tries: int) -> timedelta:
    """The time until the next attempt: a minute, then twice as long each time, an hour at most."""
    return min(timedelta(minutes=2 ** min(tries, 10)), LONGEST_PAUSE)


def override_language(code: str) -> AbstractContextManager[Any]:
    """Activate a language for a block; empty: the site's default."""
    return translation.override(code or settings.LANGUAGE_CODE)


def language_of_reader(user: User | None, office: Federation | None = None) -> str:
    """The language of letters to a person: the one they chose, else the office's.

    Without `office`: that of the person's newest appointment.
    """
    if user is not None and (chosen := supported_language(user.language)):
        return chosen
    if office is None and user is not None:
        newest = user.appointments.select_related("federation").order_by("-starts", "-pk").first()
        office = newest.federation if newest else None
    return office.language if office else settings.LANGUAGE_CODE


def render_in_layout(
    subject: str, body: str, *, reader: str = "", office: str = "", page_url: str = "", switches_url: str = ""
) -> ComposedLetter:
    """A letter's body in the common layout, as text and as HTML, in the language in force; `reader`: the name
    by which it greets.
    """
    context = {"subject": subject, "body": body, "office": office, "page": page_url, "switches": switches_url}
    context["reader"] = reader
    text = render_to_string("letters/letter.txt", context)
    html = render_to_string("letters/letter.html", {**context, "language": translation.get_language() or ""})
    return ComposedLetter(subject, text, html, switches_url, office)


def compose_plain(subject: str, text: str) -> ComposedLetter:
    """A letter with a text of its own, and the common layout for HTML only."""
    return ComposedLetter(subject, text, render_in_layout(subject, text.strip()).html)


def build_message(letter: Letter, words: ComposedLetter | tuple[str, str]) -> EmailMultiAlternatives:
    if not isinstance(words, ComposedLetter):
        words = compose_plain(*words)
    headers = {"Message-ID": message_id(letter), "Auto-Submitted": "auto-generated"}
    if words.switches:
        headers["List-Unsubscribe"] = f"<{words.switches}>"
    if words.one_click:
        headers["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    address = parseaddr(settings.DEFAULT_FROM_EMAIL)[1]
    sender = formataddr((words.sender, address)) if words.sender else None
    message = EmailMultiAlternatives(words.subject, words.text, sender, [letter.email], headers=headers)
    message.attach_alternative(words.html, "text/html")
    return message


def message_id(letter: Letter) -> str:
    """The same id at each attempt, because the server may have accepted the letter before.

    The time distinguishes letters with the same number before and after a restore.
    """
    return f"<letter.{letter.pk}.{letter.at:%Y%m%d%H%M%S%f}@{settings.SITE_HOST}>"


def is_mailbox_open() -> bool:
    """Whether letters lie in files that the staff of a demo may read: no mail server is set, and every office
    is a demo.
    """
    if settings.PRODUCTION or not settings.EMAIL_BACKEND.endswith("filebased.EmailBackend"):
        return False
    return set(Federation.objects.values_list("demo", flat=True)) == {True}


def send_mail(message: EmailMultiAlternatives) -> None:
    message.send()


def _send(letter: Letter, now: datetime) -> bool:
    """Send a letter and delete its row; return False if it failed and will be tried again."""
    try:
        with override_language(str(letter.particulars.get("language", ""))):
            words = COMPOSERS[letter.kind](letter) if letter.kind else (letter.subject, letter.text)
            if words is not None:
                send_mail(build_message(letter, words))
    except Exception as error:  # of mail server, database or templates
        failed = {"letter": letter.pk, "kind": letter.kind, "error": type(error).__name__}
        if now < letter.at + LETTER_LIFETIME:
            log.warning("a letter could not be sent, and is tried again", tries=letter.tries + 1, **failed)
            return False
        mend = gettext_noop(
            "See that the mail server of EMAIL_URL takes letters, and that the address is right."
        )
        log.error("a letter was given up", mend=mend, **failed)
    letter.delete()
    return True
