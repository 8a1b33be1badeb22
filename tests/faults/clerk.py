"""An official who approves sections over HTTP, takes them back or corrects them, and publishes lists again,
whatever happens to the office meanwhile.

Each decision is sent again until it is answered in full. What was acknowledged must stand in the record once
and in its order; what was refused with a page of an error must not have been done; an answer that was cut
tells nothing, and the next one says what it was.
"""

from __future__ import annotations

import json
import random
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date
from http.client import HTTPConnection, HTTPException
from typing import TYPE_CHECKING
from urllib.parse import urlencode
from uuid import UUID

if TYPE_CHECKING:
    from players.models import Federation, User

SECTIONS = 20
"""The sections, counted from the last, that are the clerk's alone."""
ANSWER_WITHIN = 25.0
"""Seconds after which the clerk stops waiting and sends the form again: a writer waits 20 for another."""
AGAIN_AFTER = 0.2
PAUSE = (0.0, 1.0)
"""Seconds between two decisions, drawn by lot: faster than anybody, slower than slowed folds."""
CUT, NOBODY = 0, -1
"""In place of a status: the answer did not come whole; nobody was there who could have taken the form."""
DONE = " acted first"
"""Words of the refusal of what was done already."""
TOKEN = "a" * 32


@dataclass(slots=True)
class Duty:
    """A section, as the clerk last saw it."""

    pk: int
    key: str
    path: str
    version: int
    rated: bool


@dataclass(slots=True)
class Deed:
    """A decision that is to be made."""

    kind: str
    about: str
    path: str
    form: dict[str, str]
    done_at: str = "/outcome/"
    """The end of the address to which the answer leads."""
    recorded: tuple[str, ...] = ()
    """The kinds of decisions that the record has of it, if not `kind` alone."""
    look: Callable[[], str] = str
    """Gets the page with the effects, whose mark the form has to send."""
    once: bool = False
    """Whether the very same form, sent again, is answered as before."""


@dataclass
class Clerk:
    office: Federation
    port: int
    rng: random.Random
    kinds: Sequence[str] = ("unrate",)
    """What the clerk decides of a rated section, drawn by lot: `unrate`, `correct`, and `revise` a list."""
    ahead: float = 0.0
    """Seconds by which the office's clock is ahead of this one: sessions are made for it."""
    hasty: bool = False
    """Drops each first answer unread, as a browser does whose owner presses twice."""
    made: list[tuple[str, str]] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)
    longest: float = 0.0
    wrong: str = ""
    stored_though_refused: int = 0
    last_refusal: str = ""
    sending: str = ""
    """The kind of decision whose form is sent and not yet answered."""
    taken: float = 1.0
    """Seconds in which the last decision that was taken was answered."""

    def __post_init__(self) -> None:
        self.duties = self._duties()
        self.user = self._appoint()
        self._at_work = threading.Event()
        self._resting = threading.Event()
        self._resting.set()
        self._ended = False
        self._session = ""
        self._signed_in_at = 0.0
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def work(self) -> None:
        """Begin to decide, over and over, until told to `rest`."""
        self._resting.clear()
        self._at_work.set()

    def rest(self, within: float) -> bool:
        """End the decision in hand and stop; return whether that was so within some seconds."""
        self._at_work.clear()
        rested = self._resting.wait(max(within, 0.0))
        if self.wrong:
            raise SystemExit(self.wrong)
        return rested

    def take(self, more: int, within: float = 30.0) -> bool:
        """Wait until so many more decisions are taken; return whether they were within some seconds."""
        wanted, deadline = len(self.made) + more, time.monotonic() + within
        while len(self.made) < wanted and time.monotonic() < deadline and not self.wrong:
            time.sleep(0.02)
        return len(self.made) >= wanted

    def end(self) -> None:
        self._ended = True
        self._at_work.set()

    def recorded(self) -> list[tuple[str, str]]:
        """What the record says that the clerk decided, in its order; a word on open hints is part of an
        approval.
        """
        from players.models import Decision

        rows = Decision.objects.filter(federation=self.office, by=self.user).exclude(kind="leave-hints")
        rows = rows.order_by("number")
        return list(rows.values_list("kind", "about"))

    def _duties(self) -> list[Duty]:
        from tournaments.models import Section, Stage

        sections = Section.objects.filter(event__federation=self.office).select_related("event")
        return [
            Duty(
                each.pk,
                f"section {each.key}",
                f"/{self.office.code}/events/{each.event.number}/{each.code}/",
                each.version,
                each.stage == Stage.RATED,
            )
            for each in sections.order_by("-pk")[:SECTIONS]
        ]

    def _appoint(self) -> User:

        from players.models import Appointment, Role, User

        user = User.objects.create(email="clerk@example.org", name="A Clerk")
        Appointment.objects.create(
            user=user, federation=self.office, role=Role.OFFICIAL, starts=date(2020, 1, 1)
        )
        return user

    def _work(self) -> None:
        try:
            while not self._ended:
                self._resting.set()
                self._at_work.wait()
                self._resting.clear()
                while self._at_work.is_set() and not self._ended:
                    self._decide(self.rng.choice(self.duties))
                    time.sleep(self.rng.uniform(*PAUSE))
        except Exception as fault:
            self.wrong = f"the clerk: {fault!r}"
        finally:
            self._resting.set()

    def _deed(self, duty: Duty) -> Deed | None:
        """The next decision about a section; None if a list is to be published again and there is none."""
        of_section = {"version": str(duty.version), "after_list": "on"}
        why = {"reason": "result", "words": "a test"}
        path = duty.path + "approve/"
        if not duty.rated:
            return Deed("approve", duty.key, path, of_section | {"despite_hints": "a test"})
        kind = self.rng.choice(self.kinds)
        if kind == "unrate":
            path = duty.path + "unrate/"
            return Deed(kind, duty.key, path, of_section | why, look=lambda: self._send(path)[2])
        if kind == "correct":
            path, change = (
                duty.path + "mend/",
                {"what": "result", "game": 1, "to": self._another_result(duty)},
            )
            chosen = {"version": of_section["version"], "changes": json.dumps([change])}
            form = of_section | why | chosen | {"decide": "on"}
            steps = ("unrate", "mend", "approve")
            found = {"version": of_section["version"], "game": "1", "result": str(change["to"])}
            return Deed(kind, duty.key, path, form, recorded=steps, look=lambda: self._send(path, found)[2])
        day = self._until_stored(self._newest_list_day)
        place = f"/{self.office.code}/lists/publish/{day}/"
        once = str(UUID(int=self.rng.getrandbits(128)))
        if not day:
            return None
        return Deed(
            kind,
            f"list {day}",
            f"{place}revise/",
            {"note": "a test", "typed": day, "once": once},
            done_at=place,
            look=lambda: self._send(f"{place}revise/?changes=on")[2],
            once=True,
        )

    def _another_result(self, duty: Duty) -> str:
        from tournaments.models import Game

        def result() -> str:
            return str(Game.objects.get(section=duty.pk, order=1).result)

        return "0-1" if self._until_stored(result) != "0-1" else "1-0"

    def _newest_list_day(self) -> str:
        from ratings.models import RatingList

        days = RatingList.objects.filter(federation=self.office).order_by("-on").values_list("on", flat=True)
        return f"{days[0]:%Y-%m-%d}" if days else ""

    def _decide(self, duty: Duty) -> None:
        deed = self._deed(duty)
        if not deed:
            return
        began, cut, refused = time.monotonic(), False, False
        if self.hasty:
            cut = self._send_and_leave(deed.path, deed.form | self._shown(deed))
        shown: dict[str, str] = {}
        while not self._ended:
            if not (shown and deed.once):
                shown = self._shown(deed)
            sent, self.sending = time.monotonic(), deed.kind
            status, place, page = self._send(deed.path, deed.form | shown)
            self.sending = ""
            self.statuses[status] += 1
            if status == 302 and place.endswith(deed.done_at):
                self.taken = time.monotonic() - sent
                break
            if status == 302:  # to the sign-in: the session is over by the office's clock
                self._session = ""
            elif status == 409 and DONE not in page:
                # A list is being drawn up, or the effects wait to be worked out: the official looks again, or
                # decides something else meanwhile.
                self.last_refusal, shown = _words(page), {}
                if self._at_work.is_set() and not (cut or refused):
                    return
            elif status == 409 and (cut or refused):
                self.stored_though_refused += not cut
                break
            elif 400 <= status < 500 and status != 429:
                raise ValueError(
                    f"{deed.kind} of {duty} was answered with {status}: {self._now(duty)}; {_words(page)}"
                )
            cut, refused = cut or status == CUT, refused or status >= 500
            time.sleep(AGAIN_AFTER)
        else:
            return
        self.longest = max(self.longest, time.monotonic() - began)
        self.made += [(kind, deed.about) for kind in deed.recorded or (deed.kind,)]
        if deed.kind == "unrate":
            self._submit_again(duty)
        duty.rated = deed.kind != "unrate"
        duty.version = int(self._until_stored(lambda: self._version(duty)))

    def _version(self, duty: Duty) -> int:
        from tournaments.models import Section

        return int(Section.objects.values_list("version", flat=True).get(pk=duty.pk))

    def _shown(self, deed: Deed) -> dict[str, str]:
        """The mark of the effects that a decision's page shows; none while it waits for them."""
        found = re.search(r'name="seen" value="([0-9a-f]+)"', deed.look())
        return {"seen": found[1]} if found else {}

    def _now(self, duty: Duty) -> str:
        """What the record says of a section, for whoever looks into a failure."""
        from players.models import Decision
        from tournaments.models import Section

        section = Section.objects.get(pk=duty.pk)
        decided = Decision.objects.filter(federation=self.office, about=duty.key).order_by("number")
        mine = [kind for kind, key in self.made if key == duty.key]
        return (
            f"{section.stage} {section.version}, {list(decided.values_list('kind', flat=True))}, mine {mine}"
        )

    def _send(self, path: str, form: dict[str, str] | None = None) -> tuple[int, str, str]:
        """Send a form, or ask for a page; return the answer's status, the address to which it leads, and its
        text.
        """
        body, headers = self._letter(form or {})
        connection = HTTPConnection("127.0.0.1", self.port, timeout=ANSWER_WITHIN)
        try:
            connection.connect()
        except OSError:
            return NOBODY, "", ""
        try:
            connection.request("GET" if form is None else "POST", path, "" if form is None else body, headers)
            answer = connection.getresponse()
            page = answer.read().decode(errors="replace")
            return answer.status, (answer.headers.get("Location") or "").partition("?")[0], page
        except (OSError, HTTPException):
            return CUT, "", ""
        finally:
            connection.close()

    def _send_and_leave(self, path: str, form: dict[str, str]) -> bool:
        """Send a form and be gone before the answer; return whether somebody was there to take it."""
        body, headers = self._letter(form)
        connection = HTTPConnection("127.0.0.1", self.port, timeout=ANSWER_WITHIN)
        try:
            connection.request("POST", path, body, headers)
            time.sleep(self.rng.uniform(0, 0.3))
            return True
        except OSError:
            return False
        finally:
            connection.close()

    def _letter(self, form: dict[str, str]) -> tuple[str, dict[str, str]]:
        session = self._signed_in()
        return urlencode({**form, "csrfmiddlewaretoken": TOKEN}), {
            "Host": "localhost",
            "Content-Type": "application/x-www-form-urlencoded",
            "Connection": "close",
            "Cookie": f"sessionid={session}; csrftoken={TOKEN}",
        }

    def _signed_in(self) -> str:
        """The key of a session, made anew every ten minutes: what cannot be taken back asks for that."""
        if self._session and time.monotonic() - self._signed_in_at < 600:
            return self._session
        self._session = self._until_stored(self._sign_in)
        self._signed_in_at = time.monotonic()
        return self._session

    def _sign_in(self) -> str:
        from django.test import Client

        browser = Client()
        browser.force_login(self.user, "allauth.account.auth_backends.AuthenticationBackend")
        session = browser.session
        for each in session.get("account_authentication_methods", []):
            each["at"] += self.ahead
        session.set_expiry(7 * 24 * 60 * 60)
        session.save()
        return str(session.session_key)

    def _submit_again(self, duty: Duty) -> None:
        """What the section's region does, without its pages."""
        from ratings.tests.office import submit_again
        from tournaments.models import Section

        def submit() -> None:
            submit_again(Section.objects.get(pk=duty.pk), date.today())

        self._until_stored(submit)

    def _until_stored(self, write: object) -> str:
        """Write past the office's pages, as often as the fault under way asks for it."""
        from django.db import DatabaseError, connection

        while not self._ended:
            with suppress(DatabaseError):
                return str(write())  # type: ignore[operator]
            connection.close()
            time.sleep(AGAIN_AFTER)
        return ""


def _words(page: str) -> str:
    """What a page tells its reader first."""
    return " ".join(re.sub(r"<[^>]*>", " ", page).split())[:600]
