"""What walks say stands in the catalogues: a text that was reworded is found without a browser."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.utils import translation

from tests import spoken

ROOT = Path(__file__).resolve().parent
ONE = ("say", "beginning", "whatever", "before_values")
COUNTED = ("say_count", "whatever_count", "in_any_number")


def texts_of(path: Path) -> Iterator[tuple[str, ...]]:
    """The texts that the functions of `spoken` are given as they stand: one, or one with its plural."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            texts = [each.value for each in node.args if isinstance(each, ast.Constant)]
            strings = [text for text in texts if isinstance(text, str)]
            if node.func.id in ONE and strings:
                yield (node.func.id, *strings)
            if node.func.id in COUNTED and len(strings) == 2:
                yield (node.func.id, *strings)


SAID = sorted({each for path in ROOT.rglob("*.py") if path != Path(__file__) for each in texts_of(path)})


@pytest.mark.parametrize("language", ["pl", "cs", "ru"])
def test_every_text_that_a_walk_says_is_said_in_every_language(language: str) -> None:
    assert len(SAID) > 150
    with translation.override(language):
        missing = []
        for function, *texts in SAID:
            try:
                if function in COUNTED:
                    spoken.say_count(texts[0], texts[1], 2, **dict.fromkeys(PLACES, "2"))
                else:
                    spoken.say(*texts)
            except LookupError:
                missing.append(texts)
    assert missing == []


PLACES = ("count", "day", "days", "number", "total")


def test_a_text_that_no_catalogue_has_stops_the_walk() -> None:
    with translation.override("pl"), pytest.raises(LookupError, match="is not said in pl"):
        spoken.say("No page says this.")
    assert spoken.say("No page says this.") == "No page says this."


def test_a_text_is_said_with_its_values_and_found_with_any() -> None:
    with translation.override("ru"):
        assert spoken.say("%(who)s, since %(day)s.", who="Oto", day="5 мая").startswith("Oto")
        postponed = spoken.say("%(name)s is postponed.", name="Кубок")
        assert spoken.whatever("%(name)s is postponed.").search(postponed)
        late = spoken.say_count("%(days)s day late", "%(days)s days late", 17, days=17)
        assert spoken.whatever_count("%(days)s day late", "%(days)s days late", 17).search(late)
        assert spoken.in_any_number("%(days)s day late", "%(days)s days late").search(late)


@pytest.mark.parametrize("space", [" ", "\N{NO-BREAK SPACE}"])
def test_a_beginning_is_found_whatever_spaces_stand_between_its_words(space: str) -> None:
    with translation.override("pl"):
        said = spoken.say("Read the reason, and correct the section")
        assert "\N{NO-BREAK SPACE}" in said
        found = spoken.beginning("Read the reason, and correct the section")
    assert found.match(f"\n{space.join(said.split())}: A")


@pytest.mark.long
def test_the_program_of_the_readmes_pictures_knows_the_language_of_whoever_it_photographs() -> None:
    pytest.importorskip("playwright")
    program = "from tests.screenshots import speak_english; speak_english(); print(get_language())"
    command = [sys.executable, "-c", f"from django.utils.translation import get_language; {program}"]
    said = subprocess.run(command, cwd=ROOT.parent, capture_output=True, text=True, check=True)
    assert said.stdout.split() == ["en"]
