"""A reader without a sign-in who follows each link, makes each choice of each form and keeps each answer."""

from __future__ import annotations

import io
import re
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from itertools import combinations, product
from random import Random
from typing import Any
from urllib.parse import parse_qsl, unquote, urldefrag, urlencode, urljoin, urlsplit

from django.test import Client
from django.urls import Resolver404, get_resolver, resolve
from openpyxl import load_workbook

from federation_site.checks import views_of
from players.access import is_public
from players.languages import split_language

OF_OTHERS = ("accounts/", "language/", "static/", "healthz", "readyz", "programs/", ".well-known/")
"""Addresses that say nothing of any office."""
OF_THE_MOMENT = ("X-Request-ID", "ETag", "Expires", "Last-Modified")
"""Headers that are others with each answer."""
DRAWN_ANEW = re.compile(r'<input type="hidden" name="(?:once|csrfmiddlewaretoken)"[^>]*>')
"""What each opened form draws for itself."""
PAGING = frozenset({"after", "before", "page", "sort"})
"""What asks for another part of one answer, or for its rows in another order."""
DAYS_ASKED = ("on", "from", "to")
"""Fields that take a day."""
NUMBER = re.compile(r"/players/([^/?#\"<>\s]+)/")


@dataclass(frozen=True, slots=True)
class Answer:
    """What one address gave."""

    address: str
    route: str
    """The pattern that the address is of."""
    head: str
    """The headers that a reader keeps."""
    text: str
    """All that can be read in it, unpacked."""
    players: frozenset[str] = frozenset()
    """The numbers to which it links."""
    status: int = 200

    @property
    def asked(self) -> frozenset[tuple[str, str]]:
        """The question that the address asks, whichever part of the answer it wants."""
        query = parse_qsl(urlsplit(self.address).query)
        return frozenset((key, value) for key, value in query if key not in PAGING)

    @property
    def path(self) -> str:
        return urlsplit(self.address).path


@dataclass
class Page(HTMLParser):
    """Links and forms of a page."""

    links: list[str] = field(default_factory=list)
    forms: list[tuple[str, dict[str, list[str]]]] = field(default_factory=list)
    """Where each GET form leads, and what each of its fields may say; nothing where anything may."""

    def __post_init__(self) -> None:
        super().__init__()
        self.select, self.inside = "", False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = {name: value or "" for name, value in attrs}
        if tag != "use":
            self.links += [said[name] for name in ("href", "data-hx-get", "hx-get") if said.get(name)]
        if tag == "form":
            self.inside = said.get("method", "get").lower() == "get"
            if self.inside:
                self.forms.append((said.get("action", ""), {}))
        elif self.inside:
            self._field(tag, said)

    def _field(self, tag: str, said: Mapping[str, str]) -> None:
        fields = self.forms[-1][1]
        if tag == "select":
            self.select = said["name"]
            fields[self.select] = []
        elif tag == "option":
            fields[self.select].append(said.get("value", ""))
        elif tag == "input" and said.get("name"):
            fixed = said.get("type") in ("hidden", "checkbox", "radio")
            fields.setdefault(said["name"], []).extend([said.get("value") or "on"] if fixed else [])

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self.inside = False


@dataclass
class Crawl:
    """Answers by address; of each kind of address no more than `most`, unless it is one `always` taken."""

    client: Client
    typed: Iterable[str]
    """What is typed into fields that take anything."""
    days: Iterable[str]
    most: int
    seed: int = 0
    always: str = r"$^"
    """Addresses that are looked at however many there are."""
    language: str = ""
    """With which all addresses begin; empty: with none."""
    answers: dict[str, Answer] = field(default_factory=dict)
    routes: set[str] = field(default_factory=set)
    """The patterns of all that was asked for, those that led elsewhere too."""
    kinds: Counter[Any] = field(default_factory=Counter)

    def run(self, *starts: str) -> dict[str, Answer]:
        waiting, seen, shuffled = list(starts), set(starts), Random(self.seed)
        while waiting:
            following = []
            for address in waiting:
                if self._wanted(address):
                    following += [link for link in self.look(address) if link not in seen]
            waiting = sorted(set(following))
            shuffled.shuffle(waiting)
            seen.update(waiting)
        if not self.answers:  # nothing would be found in nothing
            raise AssertionError(f"None of these addresses is one of the public's: {starts}")
        return self.answers

    def _wanted(self, address: str) -> bool:
        parts = urlsplit(address)
        if parts.netloc not in ("", "testserver") or parts.path.lstrip("/").startswith(OF_OTHERS):
            return False
        language, path = split_language(parts.path)
        try:
            found = resolve(unquote(path))
        except Resolver404:
            return False
        if language != self.language:
            return False
        if not is_public(found.func):
            return False
        kind = (found.route, frozenset(key for key, _value in parse_qsl(parts.query)))
        self.kinds[kind] += 1
        return self.kinds[kind] <= self.most or bool(re.search(self.always, address))

    def look(self, address: str) -> list[str]:
        """Keep what an address answers; the addresses to which it leads."""
        return self._keep(address, self.client.get(address))

    def _keep(self, address: str, response: Any) -> list[str]:
        route = resolve(unquote(split_language(urlsplit(address).path)[1])).route
        self.routes.add(route)
        if response.status_code in (301, 302):
            return [urljoin(address, response.headers["Location"])]
        assert response.status_code in (200, 400, 404), (address, response.status_code)
        kept = {name: value for name, value in response.headers.items() if name not in OF_THE_MOMENT}
        body, media = response.getvalue(), response.headers["Content-Type"]
        let_go(response)
        text = DRAWN_ANEW.sub("", read(body, media))
        self.answers[address] = Answer(
            address=address,
            route=route,
            head=str(kept),
            text=text,
            players=frozenset(NUMBER.findall(text)) if "html" in media else frozenset(),
            status=response.status_code,
        )
        return self._leads_to(address, text) if "html" in media else []

    def _leads_to(self, address: str, text: str) -> list[str]:
        page = Page()
        page.feed(text)
        asked = [urljoin(urlsplit(address).path, where) + question for where, question in self._choices(page)]
        return [_within_the_site(urldefrag(urljoin(address, link)).url) for link in page.links] + asked

    def _choices(self, page: Page) -> Iterator[tuple[str, str]]:
        """Every choice of each field, and every two choices of every two fields."""
        for where, fields in page.forms:
            offered = {name: self._offered(name, values) for name, values in fields.items()}
            for names in (*combinations(offered, 1), *combinations(offered, 2)):
                for values in product(*(offered[name] for name in names)):
                    yield where, f"?{urlencode(dict(zip(names, values, strict=True)))}"

    def _offered(self, name: str, values: list[str]) -> list[str]:
        if values:
            return [value for value in values if value]
        return list(self.days if name in DAYS_ASKED else self.typed)


def let_go(response: Any) -> None:
    """Close the files of an answer; its own `close` would end the test's connection to the database too."""
    for close in response._resource_closers:
        close()


def _within_the_site(address: str) -> str:
    """An address of this site without the site's name, so that nothing is looked at twice."""
    return address.removeprefix("http://testserver")


def read(body: bytes, media: str) -> str:
    """The words of an answer: a workbook's or an archive's one line a row."""
    if not body.startswith(b"PK"):
        return body.decode("utf-8-sig", "replace")
    if "spreadsheet" in media:
        sheet = load_workbook(io.BytesIO(body), read_only=True).worksheets[0]
        return "\n".join(
            ",".join("" if cell is None else str(cell) for cell in row)
            for row in sheet.iter_rows(values_only=True)
        )
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        return "\n".join(archive.read(name).decode("utf-8-sig") for name in archive.namelist())


def public_routes() -> set[str]:
    """The patterns of all addresses that somebody without a sign-in may ask for."""
    return {
        route
        for route, pattern in views_of(get_resolver().url_patterns)
        if is_public(pattern.callback) and not route.startswith(OF_OTHERS)
    }
