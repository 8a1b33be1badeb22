"""The reader of `tests/children/crawl.py`, who also notes broken links and pages that are no valid HTML."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urldefrag, urlencode, urljoin, urlsplit

from django.urls import Resolver404, resolve

from tests.children.crawl import Crawl, Page, let_go
from tests.links.html_rules import Rules

PICTURE = re.compile(r'<meta property="og:image" content="([^"]*)"')


@dataclass
class LinkCrawl(Crawl):
    """Answers by address, and what is wrong with pages and with the links between them."""

    pages: Path | None = None
    """The folder in which each page is kept, for the Nu checker."""
    faults: list[tuple[str, str]] = field(default_factory=list)
    """Of pages, by address."""
    linked: dict[str, str] = field(default_factory=dict)
    """Each address to which a link leads, with a page that has the link."""
    ids: dict[str, frozenset[str]] = field(default_factory=dict)
    """Of each page, the places to which a link may lead."""

    def _leads_to(self, address: str, text: str) -> list[str]:
        self._read(address, text)
        page = Page()
        page.feed(text)
        pictures = PICTURE.findall(text)
        for link in (*page.links, *pictures):
            self.linked.setdefault(urljoin(address, link), address)
        return super()._leads_to(address, text) + pictures

    def _choices(self, page: Page) -> Iterator[tuple[str, str]]:
        """Of each form one field after the other with its last choice, and all together with theirs."""
        for where, fields in page.forms:
            chosen = {name: self._offered(name, values)[-1:] for name, values in fields.items()}
            said = {name: values[0] for name, values in chosen.items() if values}
            for question in (*({name: value} for name, value in said.items()), said):
                yield where, f"?{urlencode(question)}"

    def _read(self, address: str, text: str) -> None:
        rules = Rules()
        rules.feed(text)
        self.faults += [(address, fault) for fault in rules.finish()]
        self.ids[address] = frozenset(rules.ids)
        if self.pages:
            (self.pages / f"{len(self.ids):05}.html").write_text(f"{text}\n<!-- {address} -->\n")

    @property
    def broken(self) -> Iterable[tuple[str, str]]:
        """Links to what is not there, or to a place that its page lacks, each with where it stands."""
        for link, page in self.linked.items():
            address, place = urldefrag(link)
            answer = self.answers.get(address)
            gone = answer is not None and address != page and answer.status != 200
            if gone or (place and unquote(place) not in self.ids.get(address, {unquote(place)})):
                yield page, link


class StaffCrawl(LinkCrawl):
    """The same for somebody who works there, with the pages that only they see."""

    def _wanted(self, address: str) -> bool:
        parts = urlsplit(address)
        if parts.netloc not in ("", "testserver") or parts.path.startswith(("/static/", "/language/")):
            return False
        try:
            found = resolve(unquote(parts.path))
        except Resolver404:
            return False
        kind = (found.route, frozenset(key for key, _value in parse_qsl(parts.query)))
        self.kinds[kind] += 1
        return self.kinds[kind] <= self.most and not parts.path.startswith("/accounts/logout")

    def look(self, address: str) -> list[str]:
        """Pages of things to be done lead elsewhere, or are not looked at."""
        response: Any = self.client.get(address)
        if response.status_code in (200, 301, 302):
            return self._keep(address, response)
        let_go(response)
        return []
