"""Enter in a field sends its form: browsers press the first button, which is no small helper of the form."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TEMPLATES = Path(__file__).parent.parent / "templates"
INCLUDED = re.compile(r'{% include "([^"]+)"[^%]*%}')
FORM = re.compile(r"<form\b.*?</form>", re.S)
SENDS = re.compile(r'<button\b(?=[^>]*type="submit")[^>]*>', re.S)


def whole(template: Path, depth: int = 3) -> str:
    """A template with what it includes by name in its place."""

    def included(found: re.Match[str]) -> str:
        inner = TEMPLATES / found[1]
        return whole(inner, depth - 1) if depth and inner.exists() else ""

    return INCLUDED.sub(included, template.read_text())


def first_buttons(template: Path) -> list[str]:
    """The first of several buttons of each form."""
    buttons = [SENDS.findall(form) for form in FORM.findall(whole(template))]
    return [several[0] for several in buttons if len(several) > 1]


@pytest.mark.parametrize("template", sorted(TEMPLATES.rglob("*.html")), ids=lambda path: path.stem)
def test_the_first_button_of_a_form_is_one_that_sends_it_with_all_it_asks(template: Path) -> None:
    assert [button for button in first_buttons(template) if "formnovalidate" in button] == []


def test_forms_of_several_buttons_are_found() -> None:
    assert first_buttons(TEMPLATES / "tournaments" / "details.html")
