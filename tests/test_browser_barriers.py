"""Pages that no walk comes by, each in the state in which somebody needs it: axe finds nothing on them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.utils import timezone

from players.models import Federation, Player
from ratings.pages import ranks
from tests.access_world import World
from tests.browser import ROOT
from tests.test_access_matrix import MATRIX, cases, is_let_in, standing, world
from tournaments.models import Event, MendingProposal, Section, SectionTaking, Stage

__all__ = ["standing", "world"]  # the fixtures

pytestmark = [pytest.mark.browser, pytest.mark.django_db]

UNVISITED = {
    "ratings:approve_together": "nomsa",
    "ratings:deadline_calendar": "nomsa",
    "tournaments:deadlines": "amahle",
    "tournaments:edit_event": "amahle",
    "tournaments:postpone_event": "amahle",
    "tournaments:cancel_event": "amahle",
    "tournaments:withdraw_event": "amahle",
    "tournaments:edit_section": "amahle",
    "tournaments:postpone_section": "amahle",
    "tournaments:cancel_section": "amahle",
    "tournaments:withdraw_section": "amahle",
    "tournaments:findings": "amahle",
    "tournaments:players": "amahle",
    "tournaments:submit": "amahle",
    "ratings:unrate": "nomsa",
    "ratings:mend_proposal": "nomsa",
    "ratings:review": "nomsa",
    "ratings:next_list": "nomsa",
    "ratings:list_calendar": "nomsa",
    "ratings:register_import": "nomsa",
    "ratings:transfers": "amahle",
    "players:last_day": "thandi",
    "players:region_add": "thandi",
}
"""The names of addresses, each with who looks at it."""
LONG = "Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichenturnier 2024"


@pytest.fixture
def prepared(world: World) -> World:
    """The world with somebody else on a section, a proposal that says something, and a
    name without a blank.
    """
    office, colleague = Federation.objects.get(code="csa"), world.people["kagiso"]
    number, code = world.things["gauteng"]["submitted"][1:]
    waiting = Section.objects.get(event__number=number, code=code, event__federation=office)
    SectionTaking.objects.create(section=waiting, official=colleague, since=timezone.now())
    game = waiting.games.earliest("pk")
    changes = [{"what": "result", "game": 1, "to": "0-1" if game.result == "1-0" else "1-0"}]
    MendingProposal.objects.filter(section=waiting).update(changes=changes, version=waiting.version)
    Event.objects.filter(number=world.things["gauteng"]["event"][1]).update(name=LONG)
    return world


def told(world: World, name: str, person: str, **query: str) -> bytes:
    answer = world.browser(person).get(world.address(name, "gauteng"), query)
    assert (answer.status_code, name) == (200, name)
    return bytes(answer.content)


def pages_in(world: World, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, bytes]]:
    """Yield pages with their names, at the end those of what was called off and of a shared first place."""
    for name, person in UNVISITED.items():
        yield name, told(world, name, person)
    for tab in ("to-do", "with-office", "refused", "rated"):
        yield f"desk-{tab}", told(world, "ratings:desk", "amahle", filing=tab)
    number, code = world.things["gauteng"]["filed"][1:]
    sections = Section.objects.filter(event__number=number, code=code, event__federation__code="csa")
    sections.update(stage=Stage.CANCELLED, notice="The hall burnt down.")
    yield "reinstate-section", told(world, "tournaments:reinstate_section", "amahle")
    Event.objects.filter(sections__in=sections).update(state=Event.State.CANCELLED)
    yield "reinstate-event", told(world, "tournaments:reinstate_event", "amahle")
    numbers = list(Player.objects.filter(federation__code="csa").values_list("number", flat=True)[:2])
    tie: Any = SimpleNamespace(name="season", tied=numbers)
    monkeypatch.setattr(ranks, "ties_on", lambda office, now: {"2024": tie})
    monkeypatch.setattr(ranks, "url_of_table", lambda office, name: "/csa/tables/")
    yield "play-off", told(world, "ratings:record_playoff", "nomsa", season="2024")


def test_axe_finds_nothing_on_the_pages_that_no_walk_comes_by(
    prepared: World, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert UNVISITED.keys() <= MATRIX.keys()
    for name, content in pages_in(prepared, monkeypatch):
        (tmp_path / f"{name.replace(':', '-')}.html").write_bytes(content)
    found = looked_at(tmp_path)
    assert len(found) == len(UNVISITED) + 7
    assert {page: barriers for page, barriers in found.items() if barriers} == {}


def looked_at(folder: Path, *width: str) -> dict[str, list[str]]:
    command = [sys.executable, "-m", "tests.barriers_of_files", str(folder), *width]
    looked = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert looked.returncode == 0, looked.stderr
    found: dict[str, list[str]] = json.loads(looked.stdout)
    return found


NARROWEST = "320"
"""The width of a page, in pixels, at which nothing may need a second direction of scrolling (WCAG 1.4.10)."""
IN_EACH_LANGUAGE = {
    "ratings:office": "anonymous",
    "ratings:list": "anonymous",
    "ratings:player": "anonymous",
    "ratings:working": "anonymous",
    "ratings:section": "anonymous",
    "ratings:erratum": "anonymous",
    "ratings:what_if": "anonymous",
    "ratings:check": "anonymous",
    "ratings:desk": "nomsa",
    "ratings:review": "nomsa",
    "ratings:publish": "nomsa",
    "tournaments:register": "amahle",
    "tournaments:details": "amahle",
    "players:people": "thandi",
    "players:settings": "thandi",
    "own_page": "thandi",
}
"""A slice of every page that somebody may see; `PICTURES=all` looks at all of them."""


def people_of_pages() -> dict[str, str]:
    if os.environ.get("PICTURES") != "all":
        return IN_EACH_LANGUAGE
    seen = (
        (name, person)
        for name, person, place in cases()
        if place == "gauteng" and is_let_in(person, name, place)
    )
    return dict(reversed(list(seen)))


@pytest.mark.nightly
@pytest.mark.parametrize("language", ["ru", "pl"])
def test_axe_finds_nothing_at_320_pixels_in_the_languages_of_the_longest_words(
    prepared: World, language: str, settings: Any, tmp_path: Path
) -> None:
    settings.OFFICE_LANGUAGE = settings.LANGUAGE_CODE = language
    for name, person in people_of_pages().items():
        answer = prepared.browser(person).get(prepared.address(name, "gauteng"))
        if answer.status_code == 200 and answer.headers["Content-Type"].startswith("text/html"):
            assert f'lang="{language}"' in answer.content.decode()
            (tmp_path / f"{name.replace(':', '-')}.html").write_bytes(answer.content)
    found = looked_at(tmp_path, NARROWEST)
    assert len(found) >= len(IN_EACH_LANGUAGE) - 1
    assert {page: barriers for page, barriers in found.items() if barriers} == {}


def test_axe_finds_what_is_wrong_on_such_a_page(tmp_path: Path) -> None:
    """Else the test above would hold whatever stood there."""
    (tmp_path / "wrong.html").write_text(
        "<!DOCTYPE html><html><title>x</title><body><main><h1>x</h1><input>"
        "<p style='width: 2000px'>x</p></main></body></html>"
    )
    [found] = looked_at(tmp_path).values()
    assert any("label at" in each for each in found)
    assert any("html-has-lang" in each for each in found)
    assert any("wider than 390" in each for each in found)
