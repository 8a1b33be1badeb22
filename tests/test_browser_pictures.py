"""The style guide looks as it did: light and dark, on a desktop and a phone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PIL import Image

from players.tests.styleguide import page
from tests.style_guide_pictures import FOLDER, MOST_DIFFERING, VIEWS, differing, keep, photograph

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser
MOST_BYTES = 120_000


@pytest.mark.parametrize("view", VIEWS)
def test_the_style_guide_looks_as_on_its_picture(chromium: Browser, tmp_path: Path, view: str) -> None:
    """What was seen and where it differs lie beside each other; `make pictures` keeps what is meant."""
    kept = Image.open(FOLDER / f"{view}.png")
    seen = photograph(chromium, page(), view)
    share, marked = differing(seen, kept)
    keep(seen, tmp_path / "seen.png")
    keep(marked, tmp_path / "differing.png")
    assert share <= MOST_DIFFERING, (
        f"{share:.2%} of {view} differ, of {kept.size} and {seen.size}: {tmp_path}"
    )


@pytest.mark.parametrize("view", VIEWS)
def test_a_picture_is_small(view: str) -> None:
    assert (FOLDER / f"{view}.png").stat().st_size <= MOST_BYTES


def test_a_colour_that_went_wrong_and_a_part_that_moved_are_seen(chromium: Browser) -> None:
    """Else the first test would hold whatever stood there."""
    kept = Image.open(FOLDER / "phone-light.png")
    wrong = {
        'class="accent-1"': 'class="accent-3"',
        'class="tiles"': 'class="entries"',
        'class="danger"': 'class="secondary"',
    }
    for before, after in wrong.items():
        html = page()
        assert before in html
        share, _marked = differing(photograph(chromium, html.replace(before, after), "phone-light"), kept)
        assert share > MOST_DIFFERING, before
