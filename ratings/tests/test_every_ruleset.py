"""What holds for every ruleset found, whoever wrote it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from datetime import date
from decimal import localcontext
from pathlib import Path
from string import Formatter
from typing import Any

import pytest
from hypothesis import given, settings

from ratings import rulesets as ratings
from ratings.replay import replay
from ratings.rulesets import rulesets
from ratings.rulesets.facts import Change, Fact, Needs, RatedSection, StandingKey, State, WorkingStep
from ratings.rulesets.ruleset import CONTEXT, Edition, Ruleset
from ratings.tests.journals import journal_of
from ratings.tests.strategies import record, seeds

every_ruleset = pytest.mark.parametrize("ruleset", rulesets().values(), ids=rulesets().keys())
some = settings(max_examples=20)


def written(ruleset: Ruleset, state: State[Any]) -> dict[StandingKey, str]:
    return {key: ruleset.storage.dump(standing) for key, standing in state.standings.items()}


def read(ruleset: Ruleset, texts: dict[StandingKey, str]) -> State[Any]:
    state: State[Any] = State()
    for key, text in texts.items():
        state.put(key, ruleset.storage.load(key[1], text))
    return state


def folded(ruleset: Ruleset, facts: list[Fact], state: State[Any] | None = None) -> Iterator[State[Any]]:
    for _fact, _changes, after in ruleset.fold(facts, state):
        yield after


@every_ruleset
@given(seed=seeds)
@some
def test_a_replay_from_any_checkpoint_equals_the_replay_from_genesis(ruleset: Ruleset, seed: int) -> None:
    facts = record(ruleset, seed)
    checkpoints: list[tuple[dict[StandingKey, str], Any]] = [({}, None)]
    checkpoints += [(written(ruleset, state), state.wide) for state in folded(ruleset, facts)]
    for at, (texts, wide) in enumerate(checkpoints[:-1]):
        state = read(ruleset, texts)
        state.wide = wide
        *_, state = folded(ruleset, facts[at:], state)
        assert (written(ruleset, state), state.wide) == checkpoints[-1]


@every_ruleset
@given(seed=seeds)
@some
def test_a_standing_survives_its_text(ruleset: Ruleset, seed: int) -> None:
    for _fact, changes, _state in ruleset.fold(record(ruleset, seed)):
        for change in changes:
            again = ruleset.storage.load(change.track, ruleset.storage.dump(change.after))
            assert again == change.after
            assert (again.rating, again.games, again.due) == (
                change.after.rating,
                change.after.games,
                change.after.due,
            )


@every_ruleset
@given(seed=seeds)
@some
def test_apply_leaves_its_input_alone_and_answers_alike_twice(ruleset: Ruleset, seed: int) -> None:
    state: State[Any] = State()
    for fact in record(ruleset, seed):
        before = (dict(state.standings), state.wide, set(state.due))
        outcome = ruleset.apply(state, fact)
        assert (state.standings, state.wide, state.due) == before
        assert ruleset.apply(state, fact) == outcome
        for change in outcome.changes:
            assert change.before == before[0].get((change.player, change.track))
        state.absorb(outcome)


@every_ruleset
@given(seed=seeds)
@some
def test_apply_reads_no_more_than_the_standings_that_it_needs(ruleset: Ruleset, seed: int) -> None:
    state: State[Any] = State()
    for fact in record(ruleset, seed):
        outcome = ruleset.apply(state, fact)
        assert ruleset.apply(only_needed(ruleset, state, fact), fact) == outcome
        state.absorb(outcome)


def only_needed(ruleset: Ruleset, state: State[Any], fact: Fact) -> State[Any]:
    needs = ruleset.rules_for(fact).needs(fact)
    if needs is Needs.EVERYONE:
        return state
    partial: State[Any] = State(wide=state.wide)
    for key, standing in state.standings.items():
        if key in state.due if isinstance(needs, Needs) else key[0] in needs:
            partial.put(key, standing)
    return partial


@every_ruleset
@given(seed=seeds)
@some
def test_each_change_is_explained_in_words_and_clauses_that_the_ruleset_has(
    ruleset: Ruleset, seed: int
) -> None:
    state: State[Any] = State()
    for fact in record(ruleset, seed):
        outcome = ruleset.apply(state, fact)
        for change in outcome.changes:
            explained(ruleset, state, fact, change)
        state.absorb(outcome)


def explained(ruleset: Ruleset, state: State[Any], fact: Fact, change: Change[Any]) -> None:
    working = ruleset.rules_for(fact).explain(state, fact, change.player, change.track)
    assert working.steps
    edition = ruleset.edition_for(fact)
    for step in working.steps:
        assert step.clause in ruleset.clauses_of(edition)
        told(ruleset, edition, step)
    for line in working.games:
        assert not line.note or line.note in ruleset.words.messages
    assert {bar.key for bar in working.bars} <= ruleset.words.messages.keys()
    if isinstance(fact, RatedSection):
        rounds = [line.round for line in working.games]
        assert rounds == sorted(rounds)


def told(ruleset: Ruleset, edition: Edition, step: WorkingStep) -> None:
    template = ruleset.words.messages[step.key]
    places = {name for _text, name, _spec, _conversion in Formatter().parse(template) if name}
    assert places <= {*ruleset.numbers_of(edition), *step.inputs, "result"}, step.key
    assert "result" not in places or step.result is not None, step.key


@every_ruleset
@given(seed=seeds)
@some
def test_lists_and_answers_speak_of_the_rulesets_own_tracks_and_statuses(ruleset: Ruleset, seed: int) -> None:
    facts = record(ruleset, seed)
    *_, state = folded(ruleset, facts)
    day = max(day_of(fact) for fact in facts)
    rules = ruleset.edition_on(day).rules
    tracks = {track.code for track in ruleset.tracks}
    with localcontext(CONTEXT):
        answers = list(rules.answers(state, day))
        lists = [rules.rating_list(state, track, day) for track in tracks]
    assert len({(answer.player, answer.track) for answer in answers}) == len(answers)
    assert {answer.track for answer in answers} <= tracks
    assert {answer.status for answer in answers} <= ruleset.words.messages.keys()
    for rows in lists:
        assert [row.rank for row in rows] == sorted(row.rank for row in rows)
        assert {row.status for row in rows} <= ruleset.words.messages.keys()


def day_of(fact: Fact) -> date:
    return fact.on if isinstance(fact, RatedSection) else getattr(fact.fact, "on", date.min)


@every_ruleset
@given(seed=seeds)
@some
def test_the_order_of_facts_is_one_number_of_63_bits(ruleset: Ruleset, seed: int) -> None:
    keys = [ruleset.journal.order_key(fact) for fact in record(ruleset, seed)]
    assert keys == sorted(set(keys))
    assert all(0 <= key < 2**63 for key in keys)


@every_ruleset
@given(seed=seeds)
@some
def test_a_replay_as_of_a_day_knows_nothing_of_what_the_office_took_in_later(
    ruleset: Ruleset, seed: int
) -> None:
    lines = journal_of(ruleset, record(ruleset, seed)).splitlines(keepends=True)
    dated = [(at, json.loads(line).get("on")) for at, line in enumerate(lines)]
    days = sorted({on for _at, on in dated if on})
    for day in days[:: max(1, len(days) // 4)]:
        later = next((at for at, on in dated if on and on > day), len(lines))
        of_all = replay(b"".join(lines), date.fromisoformat(day))
        of_what_stood_then = replay(b"".join(lines[:later]), date.fromisoformat(day))
        assert of_all | {"journal_sha256": ""} == of_what_stood_then | {"journal_sha256": ""}


def test_a_random_record_that_would_have_two_lists_on_one_day_has_one() -> None:
    othello = rulesets()["pfo"]
    assert replay(journal_of(othello, record(othello, 397)))["ratings"]


@every_ruleset
def test_the_editions_stand_in_the_order_of_their_days(ruleset: Ruleset) -> None:
    days = [edition.in_force for edition in ruleset.editions]
    assert days == sorted(set(days))
    assert days


# ------------------------------------------------------------------------------- the package

WITHOUT_DJANGO = """
import sys
from importlib import import_module
from pkgutil import walk_packages
import ratings.rulesets
for module in walk_packages(ratings.rulesets.__path__, "ratings.rulesets."):
    import_module(module.name)
ratings.rulesets.rulesets()
foreign = {name.partition(".")[0] for name in sys.modules} & {"django", "celery", "players", "tournaments"}
sys.exit(f"imported: {sorted(foreign)}" if foreign else 0)
"""


def test_no_ruleset_imports_django_or_an_app() -> None:
    root = Path(ratings.__path__[0]).parents[1]
    done = subprocess.run([sys.executable, "-c", WITHOUT_DJANGO], cwd=root, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


PROPERTIES: tuple[Any, ...] = (
    test_a_replay_from_any_checkpoint_equals_the_replay_from_genesis,
    test_a_standing_survives_its_text,
    test_apply_leaves_its_input_alone_and_answers_alike_twice,
    test_apply_reads_no_more_than_the_standings_that_it_needs,
    test_each_change_is_explained_in_words_and_clauses_that_the_ruleset_has,
    test_lists_and_answers_speak_of_the_rulesets_own_tracks_and_statuses,
    test_the_order_of_facts_is_one_number_of_63_bits,
    test_a_replay_as_of_a_day_knows_nothing_of_what_the_office_took_in_later,
)
"""What `test_sixth_federation` asks of a ruleset that these parameters do not have."""
