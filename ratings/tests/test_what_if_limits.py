"""Both sides of the clauses that decide in an imagined section: K, provisional ratings, bands, the list."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from players.models import Federation, Ledger, Player, Region
from ratings.models import Standing, Wide
from ratings.pages.what_if import list_calendar_changes
from ratings.results import state_before
from ratings.rulesets.facts import State
from ratings.rulesets.mahjong.standing import (
    AdmittedCompetition,
    AdmittedCompetitions,
    CompetitionPlayed,
    MahjongStanding,
)
from ratings.rulesets.pfo.standing import PfoStanding
from ratings.rulesets.piskvorky.standing import PiskvorkyStanding
from ratings.rulesets.profile import Threshold
from ratings.rulesets.ssdc.profile import thresholds
from ratings.rulesets.ssdc.standing import ConfirmedRank, SsdcStanding
from ratings.what_if import (
    ImaginedGame,
    ImaginedRating,
    ImaginedSection,
    Opponent,
    build_imagined_rating,
    build_section,
    find_unrateable,
    get_next_goals,
)

pytestmark = pytest.mark.django_db
TODAY = date(2026, 6, 1)
TRACKS = {"ssdc": "classic", "pfo": "ranking", "piskvorky": "rating", "mahjong": "rating"}
CLASSIC = {"time_class": "classic", "category": "fourth"}
GRAND_PRIX = {"status": "gpp", "season": "2025/2026"}


def office_of(slug: str) -> Federation:
    office = Federation.objects.create(code=slug, name=slug, ruleset_slug=slug)
    Region.objects.create(federation=office, code="ALL", name="All")
    Ledger.objects.create(federation=office)
    return office


def somebody(office: Federation, number: str, standing: Any = None) -> Player:
    """A player of the register, with that standing."""
    nation = office.ruleset.country
    player = Player.objects.create(federation=office, number=number, surname=f"S{number}", nation=nation)
    if standing is not None:
        Standing.objects.create(
            federation=office,
            player=player,
            track=TRACKS[office.code],
            order=0,
            rating=standing.rating,
            games=standing.games,
            due=False,
            state=office.ruleset.storage.dump(standing),
        )
    return player


def at(rating: int | str, line: int = 1) -> Opponent:
    return Opponent(f"*{line}", rating=Decimal(rating))


def met(*games: tuple[Opponent, str]) -> tuple[ImaginedGame, ...]:
    return tuple(ImaginedGame(opponent, True, result) for opponent, result in games)


def rated(office: Federation, player: Player, answers: dict[str, Any], *games: Any) -> ImaginedRating:
    asked = office.equipment.what_if
    assert asked is not None
    return build_imagined_rating(office, asked, ImaginedSection(player, TODAY, answers, met(*games)))


def change_of(office: Federation, player: Player, answers: dict[str, Any], *games: Any) -> Any:
    return rated(office, player, answers, *games).changes(player.number)[TRACKS[office.code]]


@pytest.mark.parametrize(("games", "points"), [(28, [20, 20]), (29, [20, 10]), (30, [10, 10])])
def test_ssdc_k_falls_with_the_thirtieth_game(games: int, points: list[int]) -> None:
    """ssdc 1.4.2: 40 until thirty games are played, then 20; half of it for a win between equals."""
    office = office_of("ssdc")
    hero = somebody(office, "1", SsdcStanding(Decimal(1500), games, (2026,)))
    one = change_of(office, hero, CLASSIC, (at(1500), "1-0"))
    two = change_of(office, hero, CLASSIC, (at(1500), "1-0"), (at(1500 + points[0], 2), "1-0"))
    assert [one.points, two.points - one.points] == points


def test_ssdc_an_opponent_known_by_rating_alone_is_one_with_that_rating_who_is_no_longer_new() -> None:
    office = office_of("ssdc")
    hero = somebody(office, "1", SsdcStanding(Decimal(1500), 40, (2026,)))
    other = somebody(office, "2", SsdcStanding(Decimal(1620), 30, (2026,)))
    known = Opponent("2", other)
    by_number = change_of(office, hero, CLASSIC, (known, "1-0"), (known, "0-1"))
    by_rating = change_of(office, hero, CLASSIC, (at(1620), "1-0"), (at(1620), "0-1"))
    assert by_number == by_rating


def test_ssdc_a_friendly_tournament_is_not_rated_and_one_of_the_fourth_category_is() -> None:
    office = office_of("ssdc")
    hero, asked = somebody(office, "1"), office.equipment.what_if
    assert asked is not None
    said = ImaginedSection(hero, TODAY, CLASSIC, met((at(1500), "1-0")))
    friendly = ImaginedSection(hero, TODAY, CLASSIC | {"category": "friendly"}, said.games)
    assert find_unrateable(office, build_section(asked, said)) is None
    finding = find_unrateable(office, build_section(asked, friendly))
    assert finding is not None
    assert finding.clause == "3.5"


@pytest.mark.parametrize(("rating", "goals"), [("1599.9", [1600]), ("1600", [1700, 1800])])
def test_ssdc_the_next_goals_are_the_next_hundred_and_the_next_rank(rating: str, goals: list[int]) -> None:
    """One goal where the two are the same."""
    office = office_of("ssdc")
    asked = office.equipment.what_if
    assert asked is not None
    assert [goal.rating for goal in get_next_goals(office, asked, ranks_ahead(), Decimal(rating))] == goals


def ranks_ahead(confirmed: ConfirmedRank | None = None) -> tuple[Threshold, ...]:
    """The thresholds of somebody with that confirmed rank."""
    state = State({("1", "classic"): SsdcStanding(Decimal(1500), 40, (2026,), confirmed=confirmed)})
    return thresholds(state, "1", "classic")


def test_ssdc_no_rank_up_to_the_confirmed_one_is_a_goal() -> None:
    """ssdc 2.5.1: a confirmed rank stays, so that a lower one is nothing to reach."""
    candidate = ranks_ahead(ConfirmedRank("C", date(2025, 1, 1), "SSDC 2.4.2"))
    assert [int(each.rating) for each in candidate] == [2300, 2400, 2500]
    assert ranks_ahead(ConfirmedRank("G", date(2025, 1, 1), "SSDC 2.4.2")) == ()
    rapid: State[SsdcStanding] = State({("1", "rapid"): SsdcStanding(Decimal(1500), 40, (2026,))})
    assert thresholds(rapid, "1", "rapid") == ()  # D-SSDC-13


@pytest.mark.parametrize(("gap", "points"), [(60, 10 + 1), (61, 12 + 1), (300, 20 + 1), (301, 25 + 1)])
def test_pfo_the_points_of_a_win_follow_the_band_and_taking_part_brings_one(gap: int, points: int) -> None:
    """pfo 10, 12."""
    office = office_of("pfo")
    hero = somebody(office, "1", PfoStanding(Decimal(1400), 10))
    assert change_of(office, hero, GRAND_PRIX, (at(1400 + gap), "1-0")).points == points


@pytest.mark.parametrize(("games", "established"), [(3, False), (4, True)])
def test_piskvorky_a_novice_is_established_by_the_fifth_game(games: int, established: bool) -> None:
    """piskvorky 2: five games and a point and a half."""
    office = office_of("piskvorky")
    Wide.objects.create(federation=office, order=0, state="2", since=0)
    novice = PiskvorkyStanding(Decimal(1500), games, False, 1, games - 1, Decimal(1500 * games))
    hero = somebody(office, "1", novice)
    assert change_of(office, hero, {}, (at(1500), "1-0")).after.established is established


def test_piskvorky_while_tournaments_are_founding_no_rating_is_read() -> None:
    """piskvorky 6: the third tournament is the first that reads ratings."""
    office = office_of("piskvorky")
    hero = somebody(office, "1")
    for founded, unread in (("1", True), ("2", False)):
        Wide.objects.all().delete()
        Wide.objects.create(federation=office, order=0, state=founded, since=0)
        assert rated(office, hero, {}, (at(1900), "1-0")).unread is unread
    Wide.objects.all().update(state="1")
    low = change_of(office, hero, {}, (at(1000), "1-0"))
    high = change_of(office, hero, {}, (at(1900), "1-0"))
    assert low == high
    assert low.after.rating == 2000


def test_mahjong_a_rating_moves_by_itself_on_the_day_after_an_anniversary_alone() -> None:
    """mahjong 5, D-RMF-8: the days follow from the competitions in the journal."""
    office = office_of("mahjong")
    old, new = (AdmittedCompetition(date(2025, 6, day), f"E{day}/A", 2, 11) for day in (1, 20))
    wide = AdmittedCompetitions(date(2026, 5, 1), (old, new), ((2025, 2),))
    Wide.objects.create(federation=office, order=0, state=office.ruleset.storage.dump_wide(wide), since=0)
    played = (CompetitionPlayed("E1/A", 1), CompetitionPlayed("E20/A", 6))
    hero = somebody(office, "1", MahjongStanding(True, 2, played, Decimal("0.75")))
    state = state_before(office, 2**62, frozenset((hero.number,)))
    days = [row["day"] for row in list_calendar_changes(office, state, hero.number, "rating", TODAY)]
    assert days == [date(2026, 6, 2), date(2026, 6, 21)]
    assert not list_calendar_changes(office, state, "2", "rating", TODAY)


@pytest.mark.parametrize(("coefficient", "rateable"), [(1, True), (2, True), (3, False), (None, False)])
def test_mahjong_a_special_tournament_has_the_coefficient_one_or_two(
    coefficient: int | None, rateable: bool
) -> None:
    """mahjong 4."""
    office = office_of("mahjong")
    hero, asked = somebody(office, "1"), office.equipment.what_if
    assert asked is not None
    answers = {"status": "special", "coefficient": coefficient, "players": 12, "place": 1}
    section = build_section(asked, ImaginedSection(hero, TODAY, answers))
    assert (find_unrateable(office, section) is None) is rateable
