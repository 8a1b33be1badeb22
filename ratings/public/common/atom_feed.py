"""Atom feeds: what is new, for programs that ask again and again."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.feedgenerator import Atom1Feed
from django.utils.translation import get_language

NEVER = datetime.fromtimestamp(0, UTC)
NEWEST = 30
"""The most entries of a feed."""


class AtomFeed(Atom1Feed):
    """A feed of an office. An empty one has a fixed date, so that its bytes are always the same."""

    def __init__(self, request: HttpRequest, *, title: str, description: str, page: str) -> None:
        """Begin the feed of the address asked for; `page` has the same for people."""
        self.address = request.build_absolute_uri
        super().__init__(
            title=title,
            link=self.address(page),
            feed_url=self.address(request.path),
            description=description,
            language=get_language() or "en",
        )

    def entry(self, *, title: str, url: str, words: str, at: datetime, mark: str = "") -> None:
        """Add an entry. `mark`: tells it from others of the same address."""
        link = self.address(url)
        told: dict[str, Any] = {"description": words, "pubdate": at, "updateddate": at}
        self.add_item(title=title, link=link, unique_id=f"{link}{mark}", **told)

    def latest_post_date(self) -> datetime:
        return max((item["updateddate"] for item in self.items), default=NEVER)

    def answer(self) -> HttpResponse:
        return HttpResponse(self.writeString("utf-8"), content_type="application/atom+xml; charset=utf-8")


def noon_of(day: date | None) -> datetime:
    """The time that a feed tells of something of which the record knows the day alone."""
    return datetime.combine(day, time(12), UTC) if day else NEVER
