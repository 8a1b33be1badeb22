"""The scores that tables of points expect, and the hints that two federations have from them."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db.models import F

from players.models import Federation, Ledger, Player, Region
from ratings.hints import expected_games, search_due_hints
from ratings.models import Hint
from ratings.rulesets import rulesets
from ratings.rulesets.pfo.profile import expected_score as by_pfo
from ratings.rulesets.pfo.standing import PfoStanding
from ratings.rulesets.piskvorky.profile import expected_score as by_piskvorky
from ratings.rulesets.piskvorky.standing import PiskvorkyStanding
from ratings.rulesets.profile import equipment_of
from ratings.tests.office import approved, register, submitted
from tournaments.models import Game, Section

DAY = date(2024, 3, 1)

# ---------------------------------------------------------------- the arithmetic

PFO, PISKVORKY = (rulesets()[slug].newest.rules for slug in ("pfo", "piskvorky"))


def established(rating: int) -> PiskvorkyStanding:
    return PiskvorkyStanding(Decimal(rating), 20, True)


@pytest.mark.parametrize(
    ("gap", "higher_wins"),
    [(0, 16), (10, 16), (11, 15), (100, 12), (101, 11), (724, 1), (725, 0), (2000, 0), (2500, 0)],
)
def test_piskvorky_7_the_higher_rated_is_expected_to_score_what_the_table_leaves_of_32(
    gap: int, higher_wins: int
) -> None:
    higher = 1 - Decimal(higher_wins) / 32
    assert by_piskvorky(PISKVORKY, established(1600 + gap), established(1600)) == higher
    assert by_piskvorky(PISKVORKY, established(1600), established(1600 + gap)) == 1 - higher


def test_piskvorky_3_of_a_novice_the_table_expects_nothing() -> None:
    novice = PiskvorkyStanding(Decimal(1600), 2, established=False)
    assert by_piskvorky(PISKVORKY, novice, established(1600)) is None
    assert by_piskvorky(PISKVORKY, established(1600), novice) is None


@pytest.mark.parametrize(
    ("gap", "higher"),
    [
        (0, (10, 20)),
        (60, (10, 20)),
        (61, (12, 21)),
        (120, (12, 21)),
        (121, (15, 23)),
        (200, (15, 23)),
        (201, (20, 27)),
        (300, (20, 27)),
        (301, (25, 32)),
    ],
)
def test_pfo_10_the_expected_score_is_that_at_which_wins_and_defeats_cancel(
    gap: int, higher: tuple[int, int]
) -> None:
    """Of the two, the higher rated loses the points of the first table and wins those of the second."""
    lost, both = higher
    one, other = PfoStanding(Decimal(1400 + gap)), PfoStanding(Decimal(1400))
    assert by_pfo(PFO, one, other) == Decimal(lost) / both
    assert by_pfo(PFO, other, one) == 1 - Decimal(lost) / both


def test_only_places_know_no_expected_score() -> None:
    """csa and ssdc print theirs in each working; mahjong rates places."""
    told = {slug for slug, each in rulesets().items() if equipment_of(each).publication.expected_score}
    assert told == {"pfo", "piskvorky"}


# ---------------------------------------------------------------- the hints


def office(slug: str) -> Federation:
    made = Federation.objects.create(code=slug, name=slug, ruleset_slug=slug)
    Region.objects.create(federation=made, code="ALL", name="All")
    Ledger.objects.create(federation=made)
    return made


def played(players: list[Player], number: str, days: int, winner: int | None, **particulars: str) -> Section:
    """A section of ten rounds in which the player with starting number `winner` wins all games, or loses all
    where it is negative.
    """
    section = submitted(
        players[0].federation, players, number=number, ends=DAY + timedelta(days), rounds=10, seed=days + 500
    )
    Section.objects.filter(pk=section.pk).update(particulars=particulars)
    section.entries.update(place=F("number"))
    if winner is not None:
        one = section.entries.get(number=abs(winner))
        Game.objects.filter(first=one).update(result="1-0" if winner > 0 else "0-1")
        Game.objects.filter(second=one).update(result="0-1" if winner > 0 else "1-0")
    section.refresh_from_db()
    return section


def far_hint(slug: str, **particulars: str) -> tuple[Hint, Player]:
    """The hint on somebody who won all games of some tournaments, then loses all of one."""
    federation = office(slug)
    players = register(federation, 8)
    for week in range(4):
        approved(played(players, f"2023-{week}", 7 * week - 200, 1, **particulars))
    section = played(players, "2024-001", 0, -1, **particulars)
    search_due_hints(federation)
    return Hint.objects.get(section=section, evidence__player=players[0].number), players[0]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("slug", "particulars"), [("piskvorky", {}), ("pfo", {"status": "gpp", "season": "2023/2024"})]
)
def test_a_score_far_from_what_the_tables_expect_is_a_hint(slug: str, particulars: dict[str, str]) -> None:
    hint, _player = far_hint(slug, **particulars)
    evidence: Any = hint.evidence
    assert hint.kind == "far-score"
    assert evidence["scored"] == "0"
    assert len(evidence["games"]) == 10
    assert Decimal(evidence["deviations"]) >= 3


@pytest.mark.django_db
def test_pfo_12_games_that_no_rule_rates_are_no_evidence() -> None:
    federation = office("pfo")
    players = register(federation, 8)
    approved(played(players, "2023-1", -50, 1, status="gpp", season="2023/2024"))
    assert expected_games(played(players, "2023-2", -40, None, status="gpp", season="2023/2024"), DAY)
    assert not expected_games(played(players, "2023-3", -30, None, status="egp", season="2023/2024"), DAY)


@pytest.mark.django_db
def test_piskvorky_6_in_founding_tournaments_nothing_is_expected() -> None:
    federation = office("piskvorky")
    players = register(federation, 8)
    found = []
    for week in range(3):
        section = played(players, f"2023-{week}", 7 * week - 100, None)
        found.append(bool(expected_games(section, DAY)))
        approved(section)
    assert found == [False, False, True]
