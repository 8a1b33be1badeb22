"""Whoever looks at a part of the site as each of its people, sends its forms, and writes all of it down."""

from __future__ import annotations

import csv
import io
import json
import quopri
import re
import subprocess
import sys
import time
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from email import message_from_bytes, policy
from functools import cache
from operator import itemgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, unquote, urldefrag, urlencode, urljoin, urlsplit

from tests.golden.pages import DRAWN_ANEW, Form, Leveller, digest, page_of, read

if TYPE_CHECKING:
    from django.test import Client

Offered = tuple[str, Form]
"""A form, and the address of the page that has it."""
Tables = dict[str, list[dict[str, str]]]
"""The rows of each table of an office's dump."""
SCALES = {"csa": 0.1, "mahjong": 0.6, "pfo": 0.6, "piskvorky": 0.6, "ssdc": 0.6}
"""The offices, and how large each is made."""
SITE = "site"
"""The pages of no office."""
PASSWORD = "of an office that was invented"
DAY, WORDS = "2026-08-14", "Two results were exchanged."
"""What is typed where a day is asked for, and where words are."""
MOST, MOST_AGAIN, MOST_LATER = 6, 1, 2
"""Pages of a kind for each person; where the public saw some; in other languages, and after deeds."""
WORKINGS, OF_THE_API, PARTS = 150, 40, 3
"""Workings of an office; of the API so many players, changes, lists, sections, and parts of an answer."""
API = {
    "": ("", "players", "players?q=an", "lists", "events", "regulations"),
    "players": ("players/{}", "players/{}/ratings"),
    "changes": ("players/{}/changes/{}", "players/{}/workings/{}/{}"),
    "lists": ("lists/{}/{}", "lists/{}/{}/rows"),
    "sections": ("events/{}", "events/{}/sections/{}"),
}
HEADERS = ("Content-Type", "Location", "Content-Disposition", "Content-Language", "Cache-Control", "Link")
LEFT_OUT = re.compile(r"/(static|programs)/|/accounts/logout/|/journal/tile/|/dump/dump\.|/journal\.ndjson$")
PRESSED = re.compile(
    r"/(?!language/|accounts/|\w+/people/\d+/|\w+/report/\?)|/accounts/(password/reset|login)/"
)
PRESSED_LAST = re.compile(r"/\w+/people/\d+/")
"""Actions of forms that are sent; of those that take appointments away, after which little is to be seen."""


@dataclass
class Walker:
    part: str
    folder: Path
    level: Leveller = field(default_factory=Leveller)
    browsers: dict[str, Client] = field(default_factory=dict)
    seen_by_all: Counter[Any] = field(default_factory=Counter)
    """The kinds of pages that the public saw, of which others look at few."""
    letters: dict[Path, int] = field(default_factory=dict)
    """The files of letters that were looked at, and how much of each."""

    def __post_init__(self) -> None:
        from django.conf import settings

        self.folder /= self.part
        self.level.places[str(settings.VAR)] = "<var>"

    def keep(self, name: str, text: str) -> None:
        """Write a text, levelled; what has the name of another stands beside that."""
        path = self.folder / self.level(name)
        if len(path.name) > 100:
            path = path.with_name(f"{path.name[:80]}~{digest(path.name)[:12]}")
        path.parent.mkdir(parents=True, exist_ok=True)
        while (written := path.with_name(f"{path.name}.txt")).exists():
            path = path.with_name(f"{path.name}+")
        written.write_text(self.level(text).rstrip("\n") + "\n")

    def said_by(self, *arguments: str) -> str:
        done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True)
        return f"{read(done.stdout.encode(), '')}{done.stderr}\nended with {done.returncode}"

    def told(self, answer: Any) -> str:
        """An answer's status, some of its headers, and what is read in it."""
        head = [f"{name}: {answer.headers[name]}" for name in HEADERS if name in answer.headers]
        body = read(answer.getvalue(), answer.headers.get("Content-Type", ""))
        return "\n".join([str(answer.status_code), *head, "", body])

    # ---------------------------------------------------------------- data

    def keep_data(self) -> None:
        """The journal, every list in every layout, workings, the API's answers, what programs say of them."""
        browser, office = self.browser_of(""), self.part
        journal = browser.get(f"/{office}/journal.ndjson").getvalue()
        with TemporaryDirectory() as room:
            self.level.places[room] = "<room>"
            for name in ("journal.ndjson", "journal/vkey"):
                (Path(room) / name.rpartition("/")[2]).write_bytes(
                    browser.get(f"/{office}/{name}").getvalue()
                )
            tables = tables_of(browser.get(f"/{office}/dump/dump.zip").getvalue())
            self.level.known |= {row["sha256"] for row in tables["lists"]}
            self._keep_lists(browser, tables)
            self._keep_workings_and_api(browser, tables)
            self._keep_replays(room)
        self.keep("journal", journal.decode())
        self.keep("dump.zip", self.told(browser.get(f"/{office}/dump/dump.zip")))

    def _keep_lists(self, browser: Client, tables: Tables) -> None:
        """The checksum of each list in each layout, levelled; of each track's newest the text."""
        lists = sorted((row["track"], row["day"], int(row["revision"])) for row in tables["lists"])
        newest = {track: day for track, day, _revision in lists}
        for track, day, revision in lists:
            page = f"/{self.part}/lists/{day.removesuffix('-01')}/{track}/r{revision}/"
            found = page_of(browser.get(page).content.decode()).links
            links = {within(page, link).partition("?")[0] for link in found} | {f"{page}content"}
            lines = []
            for link in sorted(link for link in links if link.startswith(page)):
                if newest[track] != day and link.endswith(("/", ".png")):
                    continue
                text = self.level(self.told(browser.get(link)))
                lines.append(f"{link} {digest(text)}")
                if newest[track] == day:
                    self.keep(f"lists/{name_of(link)}", text)
            self.keep(f"lists/{name_of(page)}~checksums", "\n".join(lines))

    def _keep_workings_and_api(self, browser: Client, tables: Tables) -> None:
        """Some changes of each track, opened; each kind of the API's addresses for some things."""
        by_track = defaultdict(list)
        for track, player, line in sorted(
            (row["track"], row["player"], int(row["line"])) for row in tables["ratings"]
        ):
            by_track[track].append((player, track, line))
        for found in by_track.values():
            for player, track, line in spread(found, -(-WORKINGS // len(by_track))):
                self._look(browser, f"/{self.part}/players/{player}/{track}/{line}/", "workings")
        things: dict[str, list[tuple[Any, ...]]] = {
            "": [()],
            "players": sorted((row["number"],) for row in tables["players"]),
            "changes": [change for found in by_track.values() for change in found],
            "lists": sorted(((row["day"], row["track"]) for row in tables["lists"]), key=itemgetter(1, 0)),
            "sections": sorted((row["event"], row["section"]) for row in tables["sections"]),
        }
        for kind, patterns in API.items():
            for pattern in patterns:
                for thing in spread(things[kind], OF_THE_API):
                    self._keep_parts(browser, pattern.format(*thing))

    def _keep_parts(self, browser: Client, asked: str) -> None:
        """What the API answers, and the parts that follow."""
        following = f"/api/v1/offices/{self.part}/{asked}".rstrip("/")
        for number in range(PARTS):
            answer = browser.get(following)
            self.keep(f"api/{name_of(asked)}~{number}", self.told(answer))
            told = json.loads(answer.content)
            following = (told.get("next") or "") if isinstance(told, dict) else ""
            if not following:
                return

    def _keep_replays(self, room: str) -> None:
        program, journal = f"{room}/ratings.pyz", f"{room}/journal.ndjson"
        self.said_by("manage.py", "build_program", "-o", program)
        for form, replay, check in (
            ("module", ("-m", "ratings.replay"), ("-m", "ratings.check")),
            ("packed", (program, "replay"), (program, "check")),
        ):
            self.keep(f"replays/{form}", self.said_by(*replay, journal))
            self.keep(f"replays/{form}-as-of", self.said_by(*replay, journal, "--as-of", "2026-02-01"))
            self.keep(f"replays/{form}-check", self.said_by(*check, "--key", f"{room}/vkey", journal))

    def keep_letters(self) -> None:
        """What was written since the last time, once whoever sends letters has sent all that are due."""
        send_letters()
        before, self.letters = self.letters, letters()
        for path, size in sorted(self.letters.items()):
            written = path.read_bytes()[before.get(path, 0) : size]
            for part in filter(bytes.strip, written.split(b"-" * 79 + b"\n")):
                letter = message_from_bytes(part, policy=policy.default)
                lines = [f"{name}: {letter[name]}" for name in ("From", "To", "Subject", "Reply-To")]
                for body in (each for each in letter.walk() if each.get_content_maintype() == "text"):
                    lines += read(body.get_content().encode(), body.get_content_type()).splitlines()
                self.keep(f"letters/{name_of(letter['To'] + ' ' + letter['Subject'])}", "\n".join(lines))

    # ---------------------------------------------------------------- pages

    def look_around(self, role: str, email: str, language: str = "") -> list[Offered]:
        """Follow links from the first pages on, to some addresses of each kind, evenly among those known by
        then; return the forms on the way.
        """
        browser = self.browser_of(email, language)
        home = f"/{language}" if language and not email else ""
        first = ("", "desk/", "people/", "settings/", "journal/", "nowhere/", "sitemap.xml")
        starts = [f"/{self.part}/{each}" for each in first]
        starts += [f"/{self.part}/events/{path.name.partition('_')[0]}/sections/" for path in self._files()]
        if self.part == SITE:
            first = (
                "",
                "accounts/me/",
                "operations/",
                "nowhere/",
                "sitemap.xml",
                "robots.txt",
                "api/v1/offices",
            )
            more = (
                "search/?q=an",
                ".well-known/security.txt",
                "api/v1/openapi.json",
                "api/v1/nothing",
                "healthz",
            )
            starts = [f"/{each}" for each in first + more]
        known, seen, taken = {home + each for each in starts}, set[str](), Counter[Any]()
        forms: list[Offered] = []
        while True:
            by_kind = defaultdict(list)
            for address in sorted(known - seen):
                by_kind[kind_of(address)].append(address)
            chosen: list[str] = []
            for kind, addresses in by_kind.items():
                most = self._most(role, kind)
                some = spread(addresses, min(most - taken[kind], -(-most // 3)))
                taken[kind] += len(some)
                chosen += some
            if not chosen:
                break
            for address in chosen:
                links, offered = self._look(browser, address, role)
                known |= {link for link in links if self._is_ours(link, home)}
                forms += offered
            seen.update(chosen)
        if role.endswith("public"):
            self.seen_by_all = taken
        return forms

    def _most(self, role: str, kind: tuple[str, tuple[str, ...]]) -> int:
        """How many pages of a kind somebody looks at: of questions few, of files again none."""
        route, asked = kind
        again = self.seen_by_all[kind] > 0
        if "-" in role:
            return 0 if asked and (again or role.endswith("-public")) else 1 if asked or again else MOST_LATER
        if again:
            return MOST_AGAIN if route.endswith("/") and not asked else 0
        return 1 if asked else MOST

    def _is_ours(self, address: str, home: str = "") -> bool:
        path = urlsplit(address).path
        if LEFT_OUT.search(path) or language_of(path) != home.removeprefix("/"):
            return False
        office = path.removeprefix(home).split("/")[1]
        return office == self.part or (self.part == SITE and office not in SCALES)

    def _look(self, browser: Client, address: str, role: str) -> tuple[list[str], list[Offered]]:
        """Keep what an address answers; return where it leads, and its forms to be sent."""
        answer = browser.get(address)
        self.keep(f"{role}/{name_of(address)}", self.told(answer))
        where = answer.headers.get("Location")
        if where or "html" not in answer.headers.get("Content-Type", ""):
            return [within(address, where)] if where else [], []
        page = page_of(answer.content.decode())
        asked = [each for form in page.forms if form.method == "get" for each in choices(form)]
        links = [within(address, each) for each in page.links + asked]
        return links, [(address, form) for form in page.forms if form.method == "post"]

    # ---------------------------------------------------------------- deeds

    def file_and_report(self, email: str) -> None:
        """Have a region file the demo's event files, and somebody of the public report a mistake."""
        browser = self.browser_of(email)
        for number in sorted({path.name.partition("_")[0] for path in self._files()}):
            address = f"/{self.part}/events/{number}/A/file/"
            self.send_forms("first-sent", email, self._look(browser, address, "first")[1])
        players = self.browser_of("").get(f"/api/v1/offices/{self.part}/players").json()["items"]
        self._report(f"/{self.part}/report/?player={players[0]['number']}")

    def confirm_report(self) -> None:
        """Follow the link that came by letter."""
        for path in self.letters:
            found = re.search(rf"/{self.part}/report/confirm/\?\S+", _unfolded(path.read_bytes()))
            if found:
                self._report(found[0])

    def _report(self, address: str) -> None:
        self.send_forms(
            "first-sent", "", self._look(self.browser_of(""), address, "first")[1], re.compile("/")
        )

    def send_forms(
        self, role: str, email: str, forms: Sequence[Offered], pressed: re.Pattern[str] = PRESSED
    ) -> None:
        """Open pages anew, send two forms of each kind by each of their buttons, keep what is answered."""
        browser, by_kind, done = (
            self.browser_of(email),
            defaultdict[Any, dict[str, Offered]](dict),
            Counter[str](),
        )
        for where, form in forms:
            action = within(where, form.action)
            if pressed.match(action) and self._is_ours(action):
                by_kind[kind_of(action), form.kind()].setdefault(action, (where, form))
        for kind_of_form in by_kind.values():
            # of each kind those of events with which the least was done so far
            for action in sorted(kind_of_form, key=lambda each: done[thing_of(each)])[:2]:
                done[thing_of(action)] += 1
                self._send(browser, role, action, *kind_of_form[action])

    def _send(self, browser: Client, role: str, action: str, where: str, seen: Form) -> None:
        for number in range(len(seen.buttons())):
            page = page_of(browser.get(where).content.decode())
            same = [form for form in page.forms if form.is_like(seen)]
            if not same or number >= len(same[0].buttons()):
                continue
            sent = self._filled_in(same[0], action) | same[0].buttons()[number]
            answer = browser.post(action, sent)
            lines = [f"{name} = {value}" for name, value in sent.items() if name not in DRAWN_ANEW]
            lines = [f"POST {action}", *lines, "", self.told(answer)]
            if leads_to := answer.headers.get("Location"):
                lines.append(self.told(browser.get(within(action, leads_to))))
            self.keep(f"{role}/{name_of(action)}", "\n".join(lines))

    def _filled_in(self, form: Form, action: str) -> dict[str, Any]:
        """What a form holds, with something in each field that wants it, and days a week later."""
        sent: dict[str, Any] = {}
        for each in form.fields:
            name, value, kind = each["name"], each.get("value", ""), each.get("type", each["tag"])
            needed = "required" in each
            if kind in ("checkbox", "radio"):
                if "checked" in each or (name not in sent and (needed or kind == "radio")):
                    sent[name] = value or "on"
            elif kind == "file":
                sent[name] = self._file(action)
            elif kind == "select":
                offered = [option for option in each.get("options", "").split("\n") if option]
                sent[name] = value or (offered[0] if offered and (needed or name == "region") else "")
            elif kind == "date" and value:
                sent[name] = str(date.fromisoformat(value) + timedelta(days=7))
            elif kind == "text" and needed and value:
                sent[name] = f"{value} II" if value.istitle() else value
            elif each["tag"] != "button":
                sent[name] = value or (
                    self._typed(each, kind, action) if needed or kind == "textarea" else ""
                )
        return sent

    def _typed(self, each: dict[str, str], kind: str, action: str) -> str:
        days = re.findall(r"\d{4}-\d\d-\d\d", action) or [DAY]
        words = days[0] if each["name"] == "typed" else WORDS[: int(each.get("maxlength", "99"))].upper()
        typed = {"date": DAY, "email": f"new-{self.part}@example.org", "number": each.get("min", "1")}
        return typed.get(kind, words if kind == "text" else WORDS)

    def _file(self, action: str) -> Any:
        """The demo's file of that very event; for the register a table; for all else nothing of the kind."""
        from django.core.files.uploadedfile import SimpleUploadedFile

        for path in self._files():
            if action.endswith("/file/") and f"/{path.name.partition('_')[0]}/" in action:
                return SimpleUploadedFile(path.name, path.read_bytes())
        table = b"surname,first name,sex,born\nNewcomer,Lindiwe,f,2001\n"
        return SimpleUploadedFile("new.csv", table if "/register/" in action else action.encode())

    def _files(self) -> list[Path]:
        from django.conf import settings

        return sorted((Path(settings.VAR) / "demo" / self.part).glob("*"))

    def browser_of(self, email: str, language: str = "") -> Client:
        """A browser in which somebody has just signed in, if anybody; the one in which they did before."""
        from django.conf import settings
        from django.test import Client

        headers = {"Accept-Language": language} if language and email else None
        browser = Client(SERVER_NAME="localhost", raise_request_exception=False, headers=headers)
        browser.cookies.update(self.browsers.get(email, browser).cookies)
        browser.cookies.pop(settings.SESSION_COOKIE_NAME, None)
        self.browsers[email] = browser
        if email:
            browser.post("/accounts/login/", {"login": email, "password": PASSWORD})
            if settings.SESSION_COOKIE_NAME not in browser.cookies:
                raise SystemExit(f"{email} cannot sign in.")
        return browser


# ---------------------------------------------------------------- addresses


def within(where: str, link: str) -> str:
    """The address on this site to which a page's link leads; for all others one that is left out."""
    address = urldefrag(urljoin(f"http://localhost{where}", link)).url
    return address.removeprefix("http://localhost") if address.startswith("http://localhost/") else "/static/"


def language_of(path: str) -> str:
    from django.conf import settings

    first = path.split("/")[1]
    return first if first in dict(settings.LANGUAGES) else ""


@cache
def kind_of(address: str) -> tuple[str, tuple[str, ...]]:
    """The pattern of an address without the names in it, and what its question names, without numbers."""
    from django.urls import Resolver404, resolve

    parts = urlsplit(address)
    language = language_of(parts.path)
    try:
        found = resolve(unquote(parts.path.removeprefix(f"/{language}") if language else parts.path))
        route = re.sub(r"<[^>]*>", "*", found.route)
    except Resolver404:
        route = "nowhere"
    asked = {re.sub(r"\d+", "N", name) for name, _value in parse_qsl(parts.query, keep_blank_values=True)}
    return route, tuple(sorted(asked))


def thing_of(address: str) -> str:
    """The event of which an address is, or else the address itself."""
    found = re.match(r"/\w+/events/[^/]+", address)
    return found[0] if found else address


def choices(form: Form) -> Iterator[str]:
    """What can be asked with a form: each choice of each field by itself."""
    for each in form.fields:
        offered = (
            each.get("options", "").split("\n") if each["tag"] == "select" else [each.get("value") or "an"]
        )
        for value in filter(None, offered):
            yield f"{form.action.partition('#')[0]}?{urlencode({each['name']: value})}"


def tables_of(dump: bytes) -> Tables:
    with zipfile.ZipFile(io.BytesIO(dump)) as archive:
        return {
            name.removesuffix(".csv"): list(csv.DictReader(io.StringIO(archive.read(name).decode())))
            for name in archive.namelist()
            if name.endswith(".csv")
        }


def spread(things: Sequence[Any], most: int) -> list[Any]:
    """So many of the things, evenly from first to last."""
    if len(things) <= most:
        return list(things)
    return [things[number * len(things) // most] for number in range(max(0, most))]


def name_of(address: str) -> str:
    """The name of the file for an address or a letter."""
    return re.sub(r"[/\s]+", "~", unquote(address).strip("/")) or "~"


def letters() -> dict[Path, int]:
    """The files of letters, with their sizes."""
    from django.conf import settings

    return {path: path.stat().st_size for path in (Path(settings.VAR) / "mail").glob("*")}


def send_letters() -> None:
    """Wait until a worker that says it is ready has ordered and sent all letters that are due."""
    from celery.signals import worker_ready
    from django.apps import apps
    from django.db.models import F
    from django.utils import timezone

    begin_once(worker_ready)
    ordered: Any = apps.get_model("players", "LettersOrdered")
    letter: Any = apps.get_model("players", "Letter")
    behind = ordered.objects.exclude(number=F("federation__ledger__decisions"))
    due, known = letter.objects.filter(due__lte=timezone.now()), dict[Path, int]()
    while behind.exists() or due.exists() or known != letters():
        known = letters()
        time.sleep(3)


@cache
def begin_once(ready: Any) -> None:
    ready.send(sender=None)


def _unfolded(letter: bytes) -> str:
    """A letter's text without the breaks of its lines."""
    return quopri.decodestring(letter).decode(errors="replace")
