"""A computation that comes out otherwise is named in the release that brings it (CONTRIBUTING.md)."""

from __future__ import annotations

import json
import re
from hashlib import sha256
from pathlib import Path

import pytest
from django.conf import settings

from players.writing import page_cache
from ratings.program import get_current_program
from ratings.replay import replay
from ratings.rulesets import rulesets
from ratings.rulesets.examples import examples_of
from ratings.rulesets.facts import State
from ratings.rulesets.journal import read_journal, resolve
from ratings.rulesets.ruleset import Ruleset

CHANGELOG = Path(__file__).parents[2] / "CHANGELOG.md"


def answers(ruleset: Ruleset) -> str:
    """The first digits of a SHA-256 of every change and every answer that a ruleset's examples come to."""
    hashed = sha256()
    for example in examples_of(ruleset):
        content = example.journal.read_bytes()
        journal = read_journal(content.splitlines(keepends=True))
        for _fact, changes, _state in ruleset.fold(resolve(journal), State()):
            hashed.update(repr([(each.player, each.track, each.points) for each in changes]).encode())
        said = {key: value for key, value in replay(content).items() if key != "journal_sha256"}
        hashed.update(json.dumps(said, sort_keys=True).encode())
    return hashed.hexdigest()[:8]


@pytest.mark.parametrize("ruleset", rulesets().values(), ids=rulesets().keys())
def test_the_changelog_names_what_each_federations_examples_come_to(ruleset: Ruleset) -> None:
    """Of each federation that a release has brought."""
    said = re.findall(rf"^- {ruleset.slug} `([0-9a-f]{{8}})`", CHANGELOG.read_text(), re.MULTILINE)
    wanted = answers(ruleset)
    assert said[:1] in ([], [wanted]), (
        f"it computes otherwise: “- {ruleset.slug} `{wanted}`: …” (CONTRIBUTING.md)"
    )


def test_the_newest_release_in_the_changelog_is_the_one_that_pages_and_programs_name() -> None:
    """A candidate's notes are those of its release."""
    headings = re.findall(r"^## (\S+)(?:, \d{4}-\d\d-\d\d)?$", CHANGELOG.read_text(), re.MULTILINE)
    newest = next(each for each in headings if each != "Unreleased")
    assert re.fullmatch(rf"{re.escape(newest)}(rc\d+)?", settings.VERSION)
    assert get_current_program().version == settings.VERSION


def test_what_pages_keep_is_kept_for_this_release_alone() -> None:
    assert settings.VERSION in page_cache.make_key("tables")
