"""A day is a day: what pages, tables and downloads say of a past day is what a replay as of that day gives.

On every run a few days and players of each office, always the same; all of them, and others each time, with
`make nightly`. `SEED=… make night-sqlite` repeats a run: the seed stands in the names of the tests.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal, localcontext
from pathlib import Path
from random import Random
from typing import Any

import pytest
import time_machine
from django.db import transaction
from django.test import Client, override_settings

from players.models import Federation, Player
from players.writing import page_cache
from ratings import approval, rulesets as ratings
from ratings.demo import office as making
from ratings.intake import import_journal
from ratings.journal import journal_lines
from ratings.merging import merge_players, shared_sections
from ratings.pages.rule_tables import as_csv, load_names
from ratings.replay import compute_results as replayed
from ratings.results import AsOf
from ratings.rule_tables import get_rating_tables as ratings_tables
from ratings.rulesets import journal, journal_lines as journal_form, rulesets
from ratings.rulesets.facts import RuleTable, State
from ratings.rulesets.profile import equipment_of, pages_of
from ratings.rulesets.ruleset import CONTEXT, Ruleset
from ratings.statement import Balance
from ratings.tests.eventful import eventful
from ratings.tests.office import recompute_all
from ratings.tests.test_demo_offices import scale
from ratings.verify import verify
from tournaments.models import Section, Stage

pytestmark = [pytest.mark.django_db, pytest.mark.long]
SEED = int(os.environ.get("SEED", "5"))
BESIDE = [str(Path(__file__).parent / name) for name in ("sixth", "amended")]
SLUGS = [*rulesets(), "morris", "mill"]
FEW_DAYS, FEW_PLAYERS = 4, 4
MANY_PLAYERS = 20
MADE_ON = date(2026, 8, 14)

seeded = pytest.mark.parametrize("seed", [SEED], ids=[f"SEED={SEED}"])
every_office = pytest.mark.parametrize("slug", SLUGS)
every_demo = pytest.mark.parametrize(
    "slug", [slug for slug in rulesets() if equipment_of(rulesets()[slug]).demo]
)


@pytest.fixture
def ruleset(slug: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ruleset]:
    """One of those that are here, or the tests' sixth and the amended one, laid beside them."""
    monkeypatch.setattr(ratings, "__path__", [*ratings.__path__, *BESIDE])
    rulesets.cache_clear()
    yield rulesets()[slug]
    monkeypatch.undo()
    rulesets.cache_clear()
    own = ("ratings.rulesets.morris", "ratings.rulesets.mill")
    for module in [name for name in sys.modules if name.startswith(own)]:
        sys.modules.pop(module)


class Witness:
    """Asks an office's pages for its past days, and the journal alone for the same."""

    def __init__(self, office: Federation, dice: Random) -> None:
        self.office, self.dice, self.client = office, dice, Client()
        self.ruleset = office.ruleset
        self.journal = journal.read_journal(f"{line}\n" for line in journal_lines(office))
        dated = [on for _number, fact in self.journal.lines if (on := getattr(fact, "on", None))]
        self.first, self.last = dated[0], dated[-1]
        self.eventful = sorted(set(dated))
        self.players = list(Player.objects.filter(federation=office).select_related("federation"))

    def days(self, few: int | None = None) -> list[date]:
        """Those on which anything happened, and as many others; or a few of both."""
        span = (self.last - self.first).days
        others = [self.first + timedelta(self.dice.randint(0, span)) for _ in self.eventful]
        if few is None:
            return sorted({*self.eventful, *others, self.last + timedelta(3)})
        return sorted({*self.dice.sample(self.eventful, min(few, len(self.eventful))), *others[: few // 2]})

    def look(self, days: list[date], players: int) -> None:
        now = max(self.last, MADE_ON) + timedelta(9)
        with time_machine.travel(datetime(now.year, now.month, now.day, 9, tzinfo=UTC), tick=False):
            for day in days:
                page_cache.clear()
                told = replayed(self.journal, day, day)
                rows = {(row["player"], row["track"]): row for row in told["ratings"]}
                for player in self.dice.sample(self.players, min(players, len(self.players))):
                    self.look_at(player, day, rows)
                self.look_at_tables(day)

    def waiting(self, row: Mapping[str, Any]) -> Decimal:
        """What waits for the next list, in the digits that pages show."""
        rating = None if row["rating"] is None else Decimal(row["rating"])
        stands = Balance(rating, Decimal(row.get("pending") or 0))
        return stands.as_shown(self.office.publication.decimals).waiting

    def look_at(self, player: Player, day: date, rows: Mapping[tuple[str, str], Mapping[str, Any]]) -> None:
        answer = self.client.get(f"/{self.office.code}/players/{player.number}/?on={day}")
        if answer.status_code == 302:  # merged by then
            assert not any(number == player.number for number, _track in rows), (player, day)
            return
        assert answer.status_code == 200, (player, day)
        shown = {
            row.track: (_text(row.rating), row.games, row.pending)
            for _name, group in answer.context["groups"]
            for row in group
        }
        assert shown == {
            track: (row["rating"], row["games"], self.waiting(row))
            for (number, track), row in rows.items()
            if number == player.number
        }, (player, day)
        page = answer.content.decode()
        assert all(
            _rounded(row["rating"], self.ruleset) in page
            for (n, _t), row in rows.items()
            if n == player.number
        )

    def look_at_tables(self, day: date) -> None:
        state = self.state(day)
        rules = self.ruleset.edition_on(max(day, self.ruleset.editions[0].in_force)).rules
        with localcontext(CONTEXT):
            tables = [table for table in rules.tables(state, day) if table.shown]
        for page in pages_of(self.ruleset):
            if page.ratings:
                line = [number for number, _fact in journal.lines_until(self.journal.lines, day)][-1]
                self.compare(page.code, day, ratings_tables(AsOf(self.office, day, line), state))
            elif not page.of_section and not page.calculator:
                self.compare(page.code, day, [table for table in tables if table.name in page.tables])

    def compare(self, page: str, day: date, tables: list[RuleTable]) -> None:
        for table in tables:
            part = f"&part={table.part}" if table.part else ""
            answer = self.client.get(f"/{self.office.code}/tables/{page}/{table.name}.csv?on={day}{part}")
            assert answer.content == as_csv(table, load_names(self.office, [table])), (page, table.name, day)

    def state(self, day: date) -> State[Any]:
        state: State[Any] = State()
        for _step in self.ruleset.fold(journal.resolve(self.journal, day), state):
            pass
        return state


def _text(value: Decimal | None) -> str | None:
    return None if value is None else journal_form.plain(value)


def _rounded(rating: str | None, ruleset: Ruleset) -> str:
    from players.templatetags.ui import rating as in_words

    return str(
        in_words(None if rating is None else Decimal(rating), equipment_of(ruleset).publication.decimals)
    )


def eventful_office(ruleset: Ruleset, seed: int) -> Federation:
    office = import_journal(journal.read_journal(eventful(ruleset, seed)), on=MADE_ON)
    recompute_all(office)
    return office


@seeded
@every_office
def test_a_few_days_of_an_office_to_which_everything_happens(ruleset: Ruleset, seed: int) -> None:
    witness = Witness(eventful_office(ruleset, seed), Random(seed))
    witness.look(witness.days(FEW_DAYS), FEW_PLAYERS)


@pytest.mark.nightly
@pytest.mark.parametrize("at", range(5))
@seeded
@every_office
def test_every_day_of_offices_to_which_everything_happens(ruleset: Ruleset, seed: int, at: int) -> None:
    witness = Witness(eventful_office(ruleset, seed + at), Random(seed + at))
    witness.look(witness.days(), MANY_PLAYERS)


# ---------------------------------------------------------------- demo offices


@contextmanager
def demo(ruleset: Ruleset, seed: int, folder: Path, size: float) -> Iterator[Witness]:
    """A demo's office, in which sections are taken back and rated anew late, and people merged."""
    dice = Random(seed)
    with override_settings(VAR=folder), transaction.atomic():
        office = making.make_office(
            ruleset, today=MADE_ON, seed=seed, scale=size * scale(ruleset), say=lambda words: None
        )
        correct(office, dice)
        yield Witness(office, dice)
        transaction.set_rollback(True)


def correct(office: Federation, dice: Random) -> None:
    """Late decisions of each kind."""
    recompute_all(office)
    rated = list(Section.objects.filter(event__federation=office, stage=Stage.RATED).order_by("pk"))
    for at, section in enumerate(dice.sample(rated, min(4, len(rated)))):
        day = MADE_ON + timedelta(at)
        section.refresh_from_db()
        approval.unrate(
            section=section,
            by=None,
            on=day,
            version=section.version,
            reason="result",
            words="slip",
            after_list=True,
        )
        recompute_all(office)
        if at % 2:
            section.refresh_from_db()
            Section.objects.filter(pk=section.pk).update(stage=Stage.SUBMITTED)
            approval.approve(
                section=section,
                by=None,
                on=day + timedelta(1),
                version=section.version,
                reasons={each.pk: "allowed" for each in section.findings.filter(level="waivable")},
            )
            recompute_all(office)
    merge_some(office, dice)


def merge_some(office: Federation, dice: Random) -> None:
    people = list(Player.objects.filter(federation=office, standings__isnull=False).distinct().order_by("pk"))
    for _attempt in range(40):
        one, other = dice.sample(people, 2)
        if not shared_sections(one, other):
            merge_players(player=one, into=other, by=None, on=MADE_ON + timedelta(6), reason="one person")
            recompute_all(office)
            return


@seeded
@pytest.mark.parametrize("slug", ["ssdc", "pfo", "piskvorky", "mahjong"])
def test_a_few_days_of_a_demo_s_office(ruleset: Ruleset, seed: int, tmp_path: Path) -> None:
    with demo(ruleset, seed, tmp_path, 0.2) as witness:
        witness.look(witness.days(2), FEW_PLAYERS)


@pytest.mark.nightly
@seeded
@every_demo
def test_every_day_of_a_demo_s_office(ruleset: Ruleset, seed: int, tmp_path: Path) -> None:
    with demo(ruleset, seed, tmp_path, 0.5) as witness:
        assert verify(witness.office).differences == []
        witness.look(witness.days(), MANY_PLAYERS)
