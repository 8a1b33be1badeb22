"""What readers subscribe to is marked for translation as pages are: feeds and calendars.

The heads of tables in files are names of columns, the same in every language, as programs read them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from xml.etree import ElementTree

import pytest

from federation_site.translations import unmarked_texts
from tests.access_world import World, asked
from tests.test_access_matrix import short_refusals, standing, world
from tests.test_pseudo_language import WRITTEN_BY_PEOPLE, pseudo_language, unknown

__all__ = ["pseudo_language", "short_refusals", "standing", "world"]  # the fixtures


def of_feed(content: bytes) -> str:
    return "\n".join(text.strip() for text in ElementTree.fromstring(content).itertext())


def of_calendar(content: bytes) -> str:
    """Its values: names of lines are the format's."""
    lines = content.decode().replace("\r\n ", "").splitlines()
    return "\n".join(line.partition(":")[2] for line in lines if not line.startswith(FORMAL))


FORMAL = ("BEGIN", "END", "VERSION", "PRODID", "UID")
READ: Mapping[str, Callable[[bytes], str]] = {
    "application/atom+xml": of_feed,
    "text/calendar": of_calendar,
}


@pytest.mark.long
@pytest.mark.django_db
@pytest.mark.any_database
@pytest.mark.usefixtures("short_refusals", "pseudo_language")
def test_every_word_of_what_is_no_page_is_marked_for_translation(world: World) -> None:
    unmarked: dict[str, list[str]] = {}
    seen = set()
    for name in FILES:
        answer = asked(world.browser("anonymous"), "GET", world.address(name, "gauteng"))
        kind = answer.headers["Content-Type"].partition(";")[0]
        seen.add(kind)
        lines = [
            line.strip()
            for text in unmarked_texts(READ[kind](answer.getvalue()))
            for line in text.split("\n")
        ]
        if found := [line for line in lines if line not in SAID and unknown(line)]:
            unmarked[name] = found
    assert seen == READ.keys()
    assert unmarked == {}


FILES = (
    *("ratings:errata_feed", "ratings:lists_feed", "ratings:events_feed", "ratings:player_feed"),
    "ratings:events_calendar",
)
SAID = {f". {words}" for words in WRITTEN_BY_PEOPLE}
"""What people wrote, behind a sentence of the feed."""
