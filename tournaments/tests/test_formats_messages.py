"""Every key has its words, and the words have all they need."""

import json
import re
from pathlib import Path

import pytest

from tournaments import formats
from tournaments.box import run_box
from tournaments.formats.common import wire
from tournaments.formats.common.sheet import Reading, Remark, Repair
from tournaments.formats.messages import MESSAGES, REPAIRS, say

SOURCES = [path for path in Path(formats.__file__).parent.rglob("*.py") if path.name != "messages.py"]
CODE = "".join(path.read_text() for path in [*SOURCES, Path(run_box.__file__)])


@pytest.mark.parametrize("key", sorted(MESSAGES | REPAIRS))
def test_every_message_is_used(key: str) -> None:
    made = {"starts-missing": '"starts"', "ends-missing": '"ends"'}
    assert f'"{key}"' in CODE or made.get(key, "\0") in CODE


def test_every_key_that_a_reader_writes_down_has_a_message() -> None:
    remarks = set(re.findall(r'notes\.(?:blocks|asks|notice)\(\s*"([\w-]+)"', CODE))
    repairs = set(re.findall(r'notes\.repair\(\s*"([\w-]+)"', CODE))
    assert len(remarks) > 40
    assert len(repairs) > 10
    assert remarks <= set(MESSAGES)
    assert repairs <= set(REPAIRS)


@pytest.mark.parametrize("words", sorted([*MESSAGES.values(), *REPAIRS.values()]))
def test_messages_are_whole_sentences_that_gettext_can_fill(words: str) -> None:
    assert words.endswith(".")
    assert re.sub(r"%\(\w+\)s", "", words).count("%") == 0


def test_a_message_says_where() -> None:
    assert say(Remark("blocks", "tab", 7, 12)).startswith("line 7, column 12: There is a tab")
    assert say(Remark("asks", "name-missing")).startswith("The file does not name")
    assert say(Repair("sex-not-read", 3, "u", "")).startswith("line 3: The sex")


def test_what_is_no_reading_does_not_load() -> None:
    good = json.loads(wire.dump(Reading(None, (Remark("blocks", "empty"),))))
    assert wire.load(json.dumps(good)).remarks[0].key == "empty"
    for spoil in ({"level": "shrug"}, {"line": "three"}, {"key": None}):
        bad = {**good, "remarks": [{**good["remarks"][0], **spoil}]}
        with pytest.raises((ValueError, TypeError)):
            wire.load(json.dumps(bad))
