"""The sentence with which a working opens: a capital at its beginning, and nowhere else."""

from __future__ import annotations

import pytest
from django.template.loader import render_to_string
from django.utils.html import escape

from ratings.templatetags.ratings import continued
from ratings.workings import StepRow


def told(*parts: str) -> str:
    summary = [StepRow("9", "", "", escape(part), "", "", ()) for part in parts]
    return " ".join(render_to_string("ratings/_in_short.html", {"summary": summary}).split())


def test_parts_in_any_order_make_one_sentence() -> None:
    """A debut stands before the games, and where no game is rated another part comes first."""
    debut = told("Begins with 1400", "Won 3 and lost 0")
    assert "Begins with 1400" in debut
    assert "; won 3 and lost 0" in debut
    assert "Games of such a tournament are not rated" in told("games of such a tournament are not rated")


@pytest.mark.parametrize(
    ("text", "expected"), [("Выиграно 3", "выиграно 3"), ("from 1", "from 1"), ("", ""), ("1 to 2", "1 to 2")]
)
def test_a_part_that_goes_on_begins_with_a_small_letter(text: str, expected: str) -> None:
    assert continued(text) == expected
