"""The particulars of a section, and what a decision is about, have words in each language."""

from __future__ import annotations

import re
from pathlib import Path

from django.conf import settings
from django.utils import translation

from players.decision_kinds import SUBJECT_NAMES
from players.display import declared_in_words
from ratings.rulesets import rulesets

ABOUT = re.compile(r'\babout ?= ?f?"([a-z]+)(?: \{[^"]*)?"')
BY_NAME_OR_DAY = {"appointment", "list", "settings"}
"""Things that are told by a person's name, by their day, or by the sentence alone."""


def test_each_thing_that_a_decision_is_about_has_a_word() -> None:
    sources = [
        path
        for app in ("players", "ratings", "tournaments")
        for path in Path(settings.ROOT, app).rglob("*.py")
    ]
    texts = [path.read_text("utf-8") for path in sources if "tests" not in path.parts]
    found = {name for text in texts for name in ABOUT.findall(text)}
    assert {"section", "season", "player", "case"} <= found
    assert found - BY_NAME_OR_DAY - set(SUBJECT_NAMES) == set()


def test_what_was_declared_before_play_is_told_in_the_reader_s_language() -> None:
    declared = {
        "format": "placement",
        "rounds": 6,
        "particulars": {"status": "city", "entry": "open", "played_by": "wmo"},
    }
    with translation.override("ru"):
        told = declared_in_words(declared, rulesets()["mahjong"])
    assert told[:2] == ["Формат: По местам", "Туры: 6"]
    assert len(told) == 5
    assert not re.search("[a-z]", " ".join(told))


def test_what_was_left_open_before_play_is_not_told() -> None:
    declared = {"format": "", "rounds": None, "particulars": {"status": "city", "entry": ""}}
    assert [each.partition(":")[0] for each in declared_in_words(declared, rulesets()["mahjong"])] == [
        "Status"
    ]
