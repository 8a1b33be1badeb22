"""Every finding of every ruleset: provoked by a case, absent from its nearest neighbour, and of help."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from django.utils import translation
from django.utils.translation import gettext

from ratings import rulesets as ratings
from ratings.rulesets import rulesets
from ratings.rulesets.facts import FORMATS, Finding, Level
from ratings.rulesets.profile import equipment_of, form_fields
from ratings.rulesets.ruleset import Ruleset
from ratings.tests import pfo_cases
from ratings.tests.findings import LENIENT, Case, Filed, cases_of, findings_of, words_of_findings
from tournaments.findings import rule_params_in_words

every_ruleset = pytest.mark.parametrize("ruleset", rulesets().values(), ids=rulesets().keys())
WORDS_ALONE = ("messages.py", "clauses.py")
ALL = [(ruleset, key, case) for ruleset in rulesets().values() for key, case in cases_of(ruleset).items()]
ALL += [(rulesets()["pfo"], key, case) for key, case in pfo_cases.MORE.items()]
every_case = pytest.mark.parametrize(
    ("ruleset", "key", "case"), ALL, ids=[f"{ruleset.slug}-{key}" for ruleset, key, _case in ALL]
)

TO_DO = re.compile(
    r"\b(add|ask|check|choose|correct|enter|fill|give|leave|let|make sure|mark|name|register|say|tell|tick|"
    r"upload|write)\b",
    re.IGNORECASE,
)
"""What somebody can do about it."""
WHERE = re.compile(
    r"(players|places|rounds|round-dates|games|filed|registered|country|region|declared|arbiters|organizer|"
    r"name|starts|ends|format|team|(player|team|place|round) .+)"
)
"""Where a finding may point beside a field of the ruleset's own."""


@every_case
def test_each_finding_is_provoked_and_its_nearest_neighbour_is_without_it(
    ruleset: Ruleset, key: str, case: Case
) -> None:
    provoked = [finding for finding in findings_of(ruleset, case.provokes) if finding.key == key]
    assert provoked
    for finding in provoked:
        sound(ruleset, finding)
    assert key not in {finding.key for finding in findings_of(ruleset, case.does_not)}


def sound(ruleset: Ruleset, finding: Finding) -> None:
    """Its clause is of the text, its words are whole and say what to do, its place is one that pages know."""
    assert finding.clause in ruleset.words.clauses
    told = ruleset.words.messages[finding.key].format(**finding.params)
    assert "{" not in told
    assert "None" not in told
    assert TO_DO.search(told), told
    own = {field.name for field in form_fields(ruleset)}
    assert finding.where in own or WHERE.fullmatch(finding.where), finding.where


@every_case
def test_a_finding_says_formats_and_choices_in_the_readers_words(
    ruleset: Ruleset, key: str, case: Case
) -> None:
    codes = {choice.value for field in form_fields(ruleset) for choice in field.choices} | {*FORMATS}
    with translation.override("ru"):  # whose letters no code has
        for finding in findings_of(ruleset, case.provokes):
            params = rule_params_in_words(finding.params, ruleset, finding.where)
            told = gettext(ruleset.words.messages[finding.key]).format(**params)
            assert not {code for code in codes if len(code) > 1} & {*re.findall(r"[\w-]+", told)}


@every_ruleset
def test_no_finding_lacks_a_case_and_no_case_is_of_a_finding_that_is_no_more(ruleset: Ruleset) -> None:
    assert set(cases_of(ruleset)) == set(words_of_findings(ruleset))


@every_ruleset
def test_each_finding_that_the_code_names_has_words_and_all_words_are_named(ruleset: Ruleset) -> None:
    named = set(keys_in(ruleset))
    words = set(words_of_findings(ruleset))
    assert {key for key, sure in named if sure} <= words
    assert words <= {key for key, _sure in named}


def keys_in(ruleset: Ruleset) -> Iterator[tuple[str, bool]]:
    """Every text in the code, and whether it surely is a finding's key: the third of `Finding(…)`."""
    folder = Path(ratings.__path__[0]) / ruleset.slug
    for path in folder.rglob("*.py"):
        if path.name in WORDS_ALONE:
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value, False
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Finding":
                key = node.args[2]
                if isinstance(key, ast.Constant):
                    yield str(key.value), True


REASON = re.compile(r"\bsay (why|when)\b", re.IGNORECASE)
"""Words that ask for what only a waiver has a field for."""


@every_case
def test_what_an_office_only_tells_asks_for_no_reason(ruleset: Ruleset, key: str, case: Case) -> None:
    section, filing, before_play = case.provokes
    lenient = Filed(section, replace(filing, settings={**filing.settings, **LENIENT}), before_play)
    for finding in findings_of(ruleset, lenient):
        if finding.level == Level.NOTICE:
            told = ruleset.words.messages.get(f"{finding.key}:notice", ruleset.words.messages[finding.key])
            assert not REASON.search(told.format(**finding.params))


@every_ruleset
@pytest.mark.parametrize("switch", ["deadlines", "particulars"])
def test_the_clauses_that_a_setting_turns_into_notices_are_those_that_the_public_reads(
    ruleset: Ruleset, switch: str
) -> None:
    turned = set[str]()
    for case in cases_of(ruleset).values():
        section, filing, before_play = case.provokes
        strict = levels(ruleset, Filed(section, filing, before_play))
        off = levels(
            ruleset, Filed(section, replace(filing, settings={**filing.settings, switch: False}), before_play)
        )
        assert strict.keys() == off.keys()
        turned |= {clause for (clause, key) in strict if strict[clause, key] != off[clause, key]}
        assert {off[each] for each in strict if strict[each] != off[each]} <= {Level.NOTICE}
    enacted = equipment_of(ruleset).publication.enacted
    assert enacted is not None
    named = {clause for clause in enacted.settings.get(switch, ()) if not clause.startswith("D-")}
    assert turned <= named
    assert {clause.partition(".")[0] for clause in turned} == {clause.partition(".")[0] for clause in named}


def levels(ruleset: Ruleset, filed: Filed) -> dict[tuple[str, str], Level]:
    return {(finding.clause, finding.key): finding.level for finding in findings_of(ruleset, filed)}


@every_ruleset
def test_words_of_a_notice_belong_to_a_finding(ruleset: Ruleset) -> None:
    keys = {key.removesuffix(":notice") for key in ruleset.words.messages if key.endswith(":notice")}
    assert keys <= set(words_of_findings(ruleset))
