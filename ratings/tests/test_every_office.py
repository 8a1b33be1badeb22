"""Every ruleset in the office: what is imported is recomputed, verified, un-rated and exported alike."""

from __future__ import annotations

import json
from datetime import date, timedelta
from typing import Any

import pytest

from players.models import Federation
from ratings import approval, publication
from ratings.as_if import preview_rating
from ratings.intake import import_journal
from ratings.journal import journal_lines
from ratings.models import Fact as Row, RatingList, Standing
from ratings.replay import replay
from ratings.rulesets import journal, rulesets
from ratings.rulesets.facts import State
from ratings.rulesets.ruleset import Ruleset
from ratings.tests.journals import journal_of
from ratings.tests.office import not_known, recompute_all
from ratings.tests.strategies import record
from ratings.verify import verify
from tournaments.models import Section, Stage

pytestmark = pytest.mark.django_db

every_ruleset = pytest.mark.parametrize("ruleset", rulesets().values(), ids=rulesets().keys())
TODAY = date(2030, 1, 1)
SEED = 5


def imported(ruleset: Ruleset) -> tuple[Federation, bytes]:
    written = journal_of(ruleset, record(ruleset, SEED, sections=10))
    office = import_journal(journal.read_journal(written.splitlines()), on=TODAY)
    recompute_all(office)
    return office, written


def exported(office: Federation) -> bytes:
    return "".join(f"{line}\n" for line in journal_lines(office)).encode()


def stands_as_replayed(office: Federation) -> None:
    """What the office stored is what a replay of its journal gives, digit for digit."""
    report = verify(office)
    assert (report.differences, report.more) == ([], 0)
    ordered = journal.resolve(journal.read_journal(exported(office).splitlines()))
    state: State[Any] = State()
    for _step in office.ruleset.fold(ordered, state):
        pass
    rows = Standing.objects.filter(federation=office).values_list("player__number", "track", "state")
    assert {(player, track): text for player, track, text in rows} == {
        key: office.ruleset.storage.dump(standing) for key, standing in state.standings.items()
    }


@every_ruleset
def test_an_imported_journal_is_exported_byte_for_byte_and_stands_as_replayed(ruleset: Ruleset) -> None:
    office, written = imported(ruleset)
    assert exported(office) == written
    stands_as_replayed(office)


@every_ruleset
def test_un_rating_and_rating_again_are_replays(ruleset: Ruleset) -> None:
    office, written = imported(ruleset)
    before = replay(written)["ratings"]
    section = rated_sections(office)[3]
    approval.unrate(
        section=section,
        by=None,
        on=TODAY,
        version=section.version,
        reason="result",
        words="to try it",
        after_list=True,
    )
    recompute_all(office)
    stands_as_replayed(office)
    section.refresh_from_db()
    Section.objects.filter(pk=section.pk).update(stage=Stage.SUBMITTED)
    section.refresh_from_db()
    assert preview_rating(section, TODAY).own
    births = not_known(section)
    approval.approve(section=section, by=None, on=TODAY, version=section.version, births=births)
    recompute_all(office)
    stands_as_replayed(office)
    again = replay(exported(office), TODAY)["ratings"]
    assert {(row["player"], row["track"]) for row in again} == {(r["player"], r["track"]) for r in before}


def rated_sections(office: Federation) -> list[Section]:
    rows = Row.objects.filter(federation=office, kind="rated").order_by("number")
    return [row.section for row in rows.select_related("section__event__federation") if row.section]


@every_ruleset
def test_a_published_list_is_the_ruleset_s_own_of_that_day(ruleset: Ruleset) -> None:
    office, _written = imported(ruleset)
    newest = Row.objects.filter(federation=office, on__isnull=False).latest("number").on
    assert newest is not None
    day = newest + timedelta(days=1)
    publication.publish_list(federation=office, by=None, on=day)
    recompute_all(office)
    assert RatingList.objects.filter(federation=office, on=day).exists()
    stands_as_replayed(office)


@every_ruleset
def test_the_replay_of_an_office_is_json_of_the_page_s_keys(ruleset: Ruleset) -> None:
    _office, written = imported(ruleset)
    answer = replay(written)
    json.dumps(answer)
    tables = {"ssdc": ["ranks"], "pfo": ["seasons"]}
    assert list(answer) == ["federation", "as_of", "journal_sha256", "ratings", *tables.get(ruleset.slug, [])]
    assert answer["ratings"]
