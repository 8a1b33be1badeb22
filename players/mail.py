"""Letters by e-mail: ordered as rows, sent by workers."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import structlog
from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.db.models import F, Q
from django.template.loader import render_to_string
from django.utils import timezone, translation

from players.languages import offered
from players.models import Federation, Letter, User

GOOD_FOR = timedelta(seconds=settings.PASSWORD_RESET_TIMEOUT)
"""The time after which a letter is given up: as long as its links are good for."""
LONGEST_PAUSE = timedelta(hours=1)
CLOCKS_APART = timedelta(minutes=5)
"""The most by which the clocks of two workers may differ."""
MOST_AT_ONCE = 50
"""Letters of one look: then whoever looks comes to its other duties."""
log = structlog.get_logger("players.mail")


@dataclass(frozen=True, slots=True)
class Composed:
    """A letter's words: subject, text, and the same as HTML."""

    subject: str
    text: str
    html: str
    switches: str = ""
    """The address of the page on which its reader switches such letters off; empty: nobody can."""


Composer = Callable[[Letter], Composed | tuple[str, str] | None]
"""A function that gives a letter's words, or its subject and text alone; None: there is nobody to write to
any more.
"""
COMPOSERS: dict[str, Composer] = {}
"""The composers of letters that are written when they are sent, by their kind."""


def order_letter(
    email: str,
    kind: str = "",
    *,
    subject: str = "",
    text: str = "",
    due: datetime | None = None,
    **particulars: str | int,
) -> None:
    """Have a letter sent by a worker, once the transaction is committed: as it stands or, of a kind, composed
    from its particulars at that time. `due`: the moment before which it is not sent; None: at once.
    Of one that goes as it stands, the particular `language` says what its words are in.
    """
    letter = Letter(email=email, kind=kind, subject=subject, text=text, particulars=particulars)
    letter.due = due or letter.due
    letter.save(force_insert=True)


def send_due_letters(now: datetime) -> None:
    """Send the letters that are due, oldest first, until the mail server fails: the others then wait too."""
    # None waits for longer than the longest pause: a time further ahead is of a clock that was set back. What
    # another worker took a moment ago is not, though its clock may be some minutes before this one.
    due = Q(due__lte=now) | Q(due__gt=now + LONGEST_PAUSE + CLOCKS_APART)
    for letter in Letter.objects.filter(due).order_by("due", "pk")[:MOST_AT_ONCE]:
        taken = Letter.objects.filter(pk=letter.pk, due=letter.due)
        again = max(now, timezone.now()) + pause(letter.tries)  # those before it may have taken minutes
        if taken.update(due=again, tries=F("tries") + 1) and not _sent(letter, now):
            return


def pause(tries: int) -> timedelta:
    """The time from one try to the next: a minute, then twice as long each time, an hour at most."""
    return min(timedelta(minutes=2 ** min(tries, 10)), LONGEST_PAUSE)


def in_language(code: str) -> AbstractContextManager[Any]:
    """Have words said in a language, as far as it is there; empty: in the site's own."""
    return translation.override(code or settings.LANGUAGE_CODE)


def language_of_reader(user: User | None, office: Federation | None = None) -> str:
    """The language of letters to a person: the account's, else that of the office, or of the newest in which
    the person was appointed.
    """
    if user is not None and (chosen := offered(user.language)):
        return chosen
    if office is None and user is not None:
        newest = user.appointments.select_related("federation").order_by("-starts", "-pk").first()
        office = newest.federation if newest else None
    return office.language if office else settings.LANGUAGE_CODE


def framed(subject: str, body: str, *, office: str = "", page: str = "", switches: str = "") -> Composed:
    """A letter's body in the frame of the house, as text and as HTML, in the language in force."""
    words = {"subject": subject, "body": body, "office": office, "page": page, "switches": switches}
    text = render_to_string("letters/letter.txt", words)
    html = render_to_string("letters/letter.html", {**words, "language": translation.get_language() or ""})
    return Composed(subject, text, html, switches)


def unframed(subject: str, text: str) -> Composed:
    """A letter whose text goes as it stands; its HTML is framed, in the language in force."""
    return Composed(subject, text, framed(subject, text.strip()).html)


def message_of(letter: Letter, words: Composed | tuple[str, str]) -> EmailMultiAlternatives:
    """The message as it goes to the mail server. Its id is the row's own: sent again, because the server took
    it and our record of that was lost, it is known as the same letter.
    """
    if not isinstance(words, Composed):
        words = unframed(*words)
    headers = {"Message-ID": message_id(letter), "Auto-Submitted": "auto-generated"}
    if words.switches:
        headers["List-Unsubscribe"] = f"<{words.switches}>"
    message = EmailMultiAlternatives(words.subject, words.text, None, [letter.email], headers=headers)
    message.attach_alternative(words.html, "text/html")
    return message


def message_id(letter: Letter) -> str:
    """The letter's id: the same at each try, and another's after a restore gave its number away again."""
    return f"<letter.{letter.pk}.{letter.at:%Y%m%d%H%M%S%f}@{settings.SITE_HOST}>"


def send_mail(message: EmailMultiAlternatives) -> None:
    message.send()


def _sent(letter: Letter, now: datetime) -> bool:
    """Send one letter and delete its row; return whether the mail server is fit for the next one."""
    try:
        with in_language(str(letter.particulars.get("language", ""))):
            words = COMPOSERS[letter.kind](letter) if letter.kind else (letter.subject, letter.text)
            if words is not None:
                send_mail(message_of(letter, words))
    except Exception as error:  # whatever the fault of mail server, database or words
        failed = {"letter": letter.pk, "kind": letter.kind, "error": type(error).__name__}
        if now < letter.at + GOOD_FOR:
            log.warning("a letter could not be sent, and is tried again", tries=letter.tries + 1, **failed)
            return False
        log.error("a letter was given up", **failed)
    letter.delete()
    return True
