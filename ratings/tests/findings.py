"""What a ruleset finds in a section as filed, and the table of cases that each finding has.

`ratings/tests/<slug>_cases.py` holds `CASES`: by a finding's key, a filing that provokes it and the nearest
one that does not.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import NamedTuple

from ratings.rulesets.facts import Filing, Finding, Section
from ratings.rulesets.ruleset import Ruleset

LENIENT = {"deadlines": False, "particulars": False}
"""Settings of an office that only notes what is late or missing."""


class Filed(NamedTuple):
    section: Section
    filing: Filing = Filing()
    before_play: bool = False
    """Whether it is the first decision, before play, that is asked for."""


class Case(NamedTuple):
    provokes: Filed
    does_not: Filed


def findings_of(ruleset: Ruleset, filed: Filed) -> list[Finding]:
    """All that acceptance finds, and why the section could not be rated at all."""
    section, filing, before_play = filed
    if before_play:
        assert ruleset.sections.admission is not None
        return ruleset.sections.admission(section, filing)
    found = [finding for finding in (ruleset.sections.find_unrateable_reason(section),) if finding]
    if section.starts >= ruleset.editions[0].in_force:
        found += ruleset.edition_on(section.starts).rules.check(section, filing)
    return found


def cases_of(ruleset: Ruleset) -> Mapping[str, Case]:
    name = f"ratings.tests.{ruleset.slug}_cases"
    cases: Mapping[str, Case] = import_module(name).CASES if find_spec(name) else {}
    return cases


def words_of_findings(ruleset: Ruleset) -> Mapping[str, str]:
    """The ruleset's own table of the words of its findings."""
    words: Mapping[str, str] = import_module(f"ratings.rulesets.{ruleset.slug}.messages").FINDINGS
    return words
