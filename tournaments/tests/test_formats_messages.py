"""Every key has its words, and the words have all they need."""

import json
import re
from pathlib import Path

import pytest

from tournaments import box, formats
from tournaments.formats import sheet
from tournaments.formats.messages import ADJUSTMENTS, MESSAGES
from tournaments.formats.sheet import FileAdjustment, FileFinding, Reading
from tournaments.tests.event_files import describe_in_english

SOURCES = [path for path in Path(formats.__file__).parent.rglob("*.py") if path.name != "messages.py"]
CODE = "".join(path.read_text() for path in [*SOURCES, Path(box.__file__)])


@pytest.mark.parametrize("key", sorted(MESSAGES | ADJUSTMENTS))
def test_every_message_is_used(key: str) -> None:
    made = {"starts-missing": '"starts"', "ends-missing": '"ends"'}
    made |= {
        f"{kind}-{limit}": f'"{{kind}}-{limit}"'
        for kind in ("archive", "history")
        for limit in ("too-big", "too-many", "unpacks-too-big")
    }
    assert f'"{key}"' in CODE or made.get(key, "\0") in CODE


def test_every_key_that_a_reader_writes_down_has_a_message() -> None:
    findings = set(re.findall(r'notes\.(?:blocks|asks|notice)\(\s*"([\w-]+)"', CODE))
    adjustments = set(re.findall(r'notes\.adjusts\(\s*"([\w-]+)"', CODE))
    assert len(findings) > 40
    assert len(adjustments) > 10
    assert findings <= set(MESSAGES)
    assert adjustments <= set(ADJUSTMENTS)


@pytest.mark.parametrize("words", sorted([*MESSAGES.values(), *ADJUSTMENTS.values()]))
def test_messages_are_whole_sentences_that_gettext_can_fill(words: str) -> None:
    assert words.endswith(".")
    assert re.sub(r"%\(\w+\)s", "", words).count("%") == 0


def test_a_message_says_where() -> None:
    assert describe_in_english(FileFinding("blocks", "tab", 7, 12)).startswith(
        "line 7, column 12: There is a tab"
    )
    assert describe_in_english(FileFinding("asks", "name-missing")).startswith("The file does not name")
    assert describe_in_english(FileAdjustment("sex-not-read", 3, "u", "")).startswith("line 3: The sex")


def test_what_is_no_reading_does_not_load() -> None:
    good = json.loads(sheet.dump(Reading(None, (FileFinding("blocks", "empty"),))))
    assert sheet.load(json.dumps(good)).findings[0].key == "empty"
    for spoil in ({"level": "shrug"}, {"line": "three"}, {"key": None}):
        bad = {**good, "findings": [{**good["findings"][0], **spoil}]}
        with pytest.raises((ValueError, TypeError)):
            sheet.load(json.dumps(bad))
