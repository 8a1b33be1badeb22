"""The regulations of Polska Federacja Othello in force from 12 December 2009."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from functools import partial
from operator import attrgetter
from typing import NamedTuple, TypeGuard

from ratings.rulesets.facts import (
    BOTH_LOST,
    FORFEITS,
    PLAYED,
    Answer,
    Bar,
    Change,
    Entry,
    Fact,
    Filing,
    Finding,
    Game,
    GameLine,
    Level,
    ListedPlayer,
    Measured,
    Needs,
    Opening,
    Outcome,
    Player,
    PlayerId,
    Playoff,
    Prediction,
    RatedSection,
    RuleTable,
    Section,
    State,
    Value,
    Working,
    WorkingStep,
    ranked,
    relative_places,
    shared_places,
)
from ratings.rulesets.pfo.parameters import NUMBERS, spans
from ratings.rulesets.pfo.standing import PfoStanding, Season, Seasons
from ratings.rulesets.ruleset import Requirement
from ratings.rulesets.workings import (
    EMPTY_WORKING,
    explain_by_kind,
    explain_opening,
    lines_by_round,
    single_step_working,
    unplayed_line,
)

# ---- §8–§13, §16: the tables of points
INITIAL_RATING = NUMBERS.whole("8.newcomer")  # §8, D-PFO-6
FIRST_RATING = Decimal(INITIAL_RATING)

# as printed: up to and including these differences; the last row has none
LOWER_WIN_POINTS: tuple[int, ...]
HIGHER_WIN_POINTS: tuple[int, ...]
(*LOWER_WIN_BOUNDS, _), LOWER_WIN_POINTS = zip(*NUMBERS.rows("10.lower-wins"), strict=True)  # §10
(*HIGHER_WIN_BOUNDS, _), HIGHER_WIN_POINTS = zip(*NUMBERS.rows("10.higher-wins"), strict=True)  # §10
(*DRAW_BOUNDS, _), HIGHER_DRAW_POINTS, LOWER_DRAW_POINTS = zip(*NUMBERS.rows("11.draws"), strict=True)  # §11

PARTICIPATION_POINTS = NUMBERS.whole("12.part")  # §12, in a Grand Prix tournament
EGP_PLACES: list[int]
*EGP_PLACES, EGP_PARTICIPATION = (points for (points,) in NUMBERS.rows("12.european"))  # §12
WORLD_FIRST, WORLD_STEP = NUMBERS.whole("12.world-first"), NUMBERS.whole("12.world-step")  # §12
WORLD_PLACES = NUMBERS.whole("12.world-places")  # §12
MISSED_SHARE = NUMBERS.decimal("13.share")  # §13

SEASON_PLACES: tuple[int, ...] = tuple(points for (points,) in NUMBERS.rows("16.season"))  # §16
MAKS_POINTS = NUMBERS.whole("16.maks")  # §16
COUNTED_TOURNAMENTS = NUMBERS.whole("17.tournaments")  # §17: the tournaments that count in a season


def game_points(first_rating: int, second_rating: int, result: str) -> tuple[int, int]:
    """§9 §10 §11: the points of the first and second mover in a played game; none if both lost (D-7)."""
    if result == "0-0":
        return 0, 0
    if result == "1/2":
        return draw_points(first_rating, second_rating)
    first_won = result == "1-0"
    winner, loser = (first_rating, second_rating) if first_won else (second_rating, first_rating)
    points = win_points(winner, loser)
    return (points, -points) if first_won else (-points, points)


def win_points(winner: int, loser: int) -> int:
    """§10: the points that the winner gains and the loser loses; between equals both tables say the same."""
    points = HIGHER_WIN_POINTS if winner > loser else LOWER_WIN_POINTS
    return points[bisect_left(win_bounds(winner, loser), abs(winner - loser))]


def win_bounds(winner: int, loser: int) -> Sequence[int]:
    """§10: the greatest differences of the rows of the table for a win."""
    return HIGHER_WIN_BOUNDS if winner > loser else LOWER_WIN_BOUNDS


def draw_points(first_rating: int, second_rating: int) -> tuple[int, int]:
    """§11: the points of the first and second mover in a draw."""
    row = bisect_left(DRAW_BOUNDS, abs(first_rating - second_rating))
    higher, lower = HIGHER_DRAW_POINTS[row], LOWER_DRAW_POINTS[row]
    return (higher, lower) if first_rating >= second_rating else (lower, higher)


def egp_award(place: int) -> int:
    """§12: the points for a place in, or taking part in, a European Grand Prix tournament (D-PFO-3)."""
    return EGP_PLACES[place - 1] if place <= len(EGP_PLACES) else EGP_PARTICIPATION


def world_award(place: int) -> int:
    """§12: the points for a place in the World Championship (D-PFO-3)."""
    return WORLD_FIRST - WORLD_STEP * (place - 1) if place <= WORLD_PLACES else 0


def missed_championship_loss(rating: int) -> int:
    """§13: the points lost by missing the championship: a tenth, rounded half up (D-PFO-5)."""
    return int((rating * MISSED_SHARE).quantize(Decimal(1), ROUND_HALF_UP))


def season_points(place: int) -> int:
    """§16: the points of a place towards the season."""
    return SEASON_PLACES[place - 1] if place <= len(SEASON_PLACES) else 0


# ---- §15–§17: points towards a season, and its standing
HOME = "POL"
GRAND_PRIX, CHAMPIONSHIP, EUROPEAN, WORLD = "gpp", "mp", "egp", "woc"
TRACK = "ranking"

WINS_BY_RESULT = {"1-0": (True, False), "0-1": (False, True)}


class SeasonScore(NamedTuple):
    """One player's points from one section towards its season (D-PFO-7)."""

    place: int
    """At a European Grand Prix the place among the Polish players."""
    points: int
    """The points by place, without those for winning every game."""
    maks: bool
    """§16: whether the player won every game."""
    games_won: int
    """The games won that count for ties, which are those of Grand Prix tournaments."""
    championship: int | None
    """The place in a championship outside the women's title."""
    women: int | None
    """The place in a championship for the women's title."""

    @property
    def total(self) -> int:
        return self.points + MAKS_POINTS * self.maks


class GamesPlayed(NamedTuple):
    """The numbers of one player's games in a section."""

    games: int = 0
    """Games played, without forfeits (D-3)."""
    won: int = 0
    forfeited: int = 0


def is_citizen(player: Player) -> bool:
    """§14, D-6: whether a player is known to be a citizen of Poland."""
    return player.nation == HOME


def section_scores(fact: RatedSection) -> dict[PlayerId, SeasonScore]:
    """§15 §16 §17: the points of a section towards its season; empty if it gives none."""
    section = fact.section
    if section.status not in (GRAND_PRIX, CHAMPIONSHIP, EUROPEAN):
        return {}
    places = {entry.player: entry.place for entry in section.entries if entry.place is not None}
    women = {entry.player for entry in section.entries if entry.women}
    if section.status == EUROPEAN:
        if section.country not in (None, HOME):
            return {}
        places = places_among_citizens(places, fact.players)
    played = count_games(section.games)
    return {
        player: season_score(
            section, place, played.get(player, GamesPlayed()), for_womens_title=player in women
        )
        for player, place in places.items()
    }


def places_among_citizens(
    places: Mapping[PlayerId, int], players: Mapping[PlayerId, Player]
) -> dict[PlayerId, int]:
    """§17: the places of the Polish players among themselves."""
    own = {player: place for player, place in places.items() if is_citizen(players[player])}
    new_places = relative_places(own.values())
    return {player: new_places[place] for player, place in own.items()}


def season_score(section: Section, place: int, played: GamesPlayed, *, for_womens_title: bool) -> SeasonScore:
    """§16: the score of one place; `for_womens_title`: whether the player plays for the women's title."""
    champion = place if section.status == CHAMPIONSHIP else None
    return SeasonScore(
        place=place,
        points=season_points(place),
        maks=0 < played.games == played.won and not played.forfeited,
        games_won=played.won if section.status == GRAND_PRIX else 0,
        championship=None if for_womens_title else champion,
        women=champion if for_womens_title else None,
    )


def count_games(games: Iterable[Game]) -> dict[PlayerId, GamesPlayed]:
    """The numbers of games by player; annulled ones do not count (D-7)."""
    counts: dict[PlayerId, GamesPlayed] = {}
    for game in games:
        won = WINS_BY_RESULT.get(game.result, (False, False))
        kept = FORFEITS.get(game.result, (True, True))
        for side, player in enumerate((game.first, game.second)):
            before = counts.get(player, GamesPlayed())
            counts[player] = GamesPlayed(
                before.games + (game.result in PLAYED),
                before.won + won[side],
                before.forfeited + (not kept[side]),
            )
    return counts


def add_score(seasons: tuple[Season, ...], label: str, score: SeasonScore) -> tuple[Season, ...]:
    """§17: a player's seasons with one more score in the season `label`."""
    by_label = {season.label: season for season in seasons}
    before = by_label.get(label, Season(label))
    by_label[label] = Season(
        label=label,
        best=tuple(sorted((*before.best, score.total), reverse=True)[:COUNTED_TOURNAMENTS]),
        won=before.won + (score.place == 1),
        games_won=before.games_won + score.games_won,
        championship=best_of(before.championship, score.championship),
        maks=before.maks + score.maks,
        women=best_of(before.women, score.women),
    )
    return tuple(by_label[name] for name in sorted(by_label))


def best_of(*places: int | None) -> int | None:
    return min((place for place in places if place is not None), default=None)


class SeasonRow(NamedTuple):
    """One player's row in a season's standing."""

    place: int
    """Shared if nothing in §17 breaks the tie."""
    player: PlayerId
    season: Season
    citizen: bool
    playoff: bool
    """Whether a play-off gave the first place."""


def season_standing(state: State[PfoStanding], label: str) -> list[SeasonRow]:
    """§17: a season's standing by points, tournaments won and games won; a play-off breaks ties for first."""
    rows = [
        (season, player, standing.citizen)
        for (player, _track), standing in state.standings.items()
        for season in standing.seasons
        if season.label == label
    ]
    rows.sort(key=lambda row: (*season_sort_key(row[0]), row[1]))
    tied = {
        player for season, player, _citizen in rows if season_sort_key(season) == season_sort_key(rows[0][0])
    }
    winner = dict(state.wide.playoffs).get(label) if state.wide else None
    if winner not in tied or len(tied) == 1:
        winner = None
    rows.sort(key=lambda row: row[1] != winner)
    places = shared_places((player == winner, season_sort_key(season)) for season, player, _citizen in rows)
    return [
        SeasonRow(place, player, season, own, player == winner)
        for place, (season, player, own) in zip(places, rows, strict=True)
    ]


def tied_for_first(standing: list[SeasonRow]) -> tuple[PlayerId, ...]:
    """§17: the players who share first place before any play-off; empty if there is only one."""
    first = [
        row.player for row in standing if season_sort_key(row.season) == season_sort_key(standing[0].season)
    ]
    return tuple(first) if len(first) > 1 else ()


def season_sort_key(season: Season) -> tuple[int, int, int]:
    return -season.points, -season.won, -season.games_won


def season_labels(state: State[PfoStanding]) -> list[str]:
    """The labels of the seasons with a result, in order."""
    return sorted({season.label for standing in state.standings.values() for season in standing.seasons})


# ---- §8–§14: the effect of sections, missed championships, openings and play-offs
RATED_STATUSES = (GRAND_PRIX, CHAMPIONSHIP)  # §8 §12: games of the others move nothing
LAST_OF_CHAMPIONSHIP = "last-of-the-championship"
"""The note on the last section of a season's championship (D-PFO-5)."""


class RatedGame(NamedTuple):
    """A played game with the ratings before it and the points; the first mover's come first."""

    game: Game
    ratings: tuple[int, int]
    points: tuple[int, int]


class EntrantResult(NamedTuple):
    """The effect of a section on one entrant, with the values that a working shows."""

    entry: Entry
    before: PfoStanding | None
    start: int
    """The rating before the section, or the initial one."""
    games: int
    """The number of rated games."""
    award: int
    """§12: the points for a place or for taking part."""
    score: SeasonScore | None
    """The points towards the season; None: this section gives none."""
    after: PfoStanding

    @property
    def points(self) -> Decimal | None:
        """The points of the whole change; None for a debutant."""
        return self.after.rating - self.before.rating if self.before else None


def note_championship_ends(ordered: Iterable[Fact]) -> dict[int, tuple[str, ...]]:
    """§13: note the last section of each season's championship, which follows from the order of facts."""
    last = {fact.section.season: fact.number for fact in ordered if is_championship(fact)}
    return dict.fromkeys(last.values(), (LAST_OF_CHAMPIONSHIP,))


def is_championship(fact: Fact) -> TypeGuard[RatedSection]:
    return isinstance(fact, RatedSection) and fact.section.status == CHAMPIONSHIP


def needs(fact: Fact) -> frozenset[PlayerId] | Needs:
    """The players whose standings `apply` reads: a section's entrants, or all if it ends a championship."""
    if isinstance(fact, RatedSection):
        return (
            Needs.EVERYONE
            if LAST_OF_CHAMPIONSHIP in fact.notes
            else frozenset(e.player for e in fact.section.entries)
        )
    return frozenset((fact.fact.player,)) if isinstance(fact.fact, Opening) else frozenset()


def apply(state: State[PfoStanding], fact: Fact) -> Outcome[PfoStanding]:
    """The changes that a fact makes, and the federation-wide part after it."""
    if isinstance(fact, RatedSection):
        return rate(state, fact)
    if isinstance(fact.fact, Opening):
        return Outcome([apply_opening(state, fact.fact)], state.wide)
    if isinstance(fact.fact, Playoff):
        return Outcome([], add_playoff(state.wide, fact.fact))
    return Outcome([], state.wide)


def rate(state: State[PfoStanding], fact: RatedSection) -> Outcome[PfoStanding]:
    """The changes of a section's entrants, and of players who missed the championship that it ends."""
    _moves, results = compute_results(state, fact)
    changes = [
        Change(result.entry.player, TRACK, result.before, result.after, result.points) for result in results
    ]
    changes += [missed_championship_change(state, player) for player in championship_absentees(state, fact)]
    return Outcome(changes, seasons_after(state.wide, fact))


def compute_results(
    state: State[PfoStanding], fact: RatedSection
) -> tuple[list[RatedGame], list[EntrantResult]]:
    """§8–§12 §16: a section's rated games in order, and its effect on each entrant whom it concerns."""
    section = fact.section
    entries = [entry for entry in section.entries if can_move_player(state, fact, entry.player)]
    standings = {entry.player: state.get(entry.player, TRACK) for entry in entries}
    ratings = {player: int(known.rating) if known else INITIAL_RATING for player, known in standings.items()}
    start = dict(ratings)
    moves = rate_games(ratings, section.games) if section.status in RATED_STATUSES else []
    games = Counter(player for move in moves for player in move.game[1:3])
    scored = section_scores(fact)
    results = []
    for entry in entries:
        player = entry.player
        award = award_points(section.status, entry, games[player])
        before = standings[player]
        known = before or PfoStanding(FIRST_RATING, excused=state.wide.running if state.wide else ())
        score = scored.get(player)
        after = known._replace(
            rating=Decimal(ratings[player] + award),
            games=known.games + games[player],
            citizen=is_citizen(fact.players[player]),
            seasons=add_score(known.seasons, section.season or "", score) if score else known.seasons,
        )
        results.append(EntrantResult(entry, before, start[player], games[player], award, score, after))
    return moves, results


def can_move_player(state: State[PfoStanding], fact: RatedSection, player: PlayerId) -> bool:
    """§12 §14: whether a section may move a player; without rated games, only citizens and those with a
    rating (D-PFO-3).
    """
    if fact.section.status in RATED_STATUSES or is_citizen(fact.players[player]):
        return True
    return state.get(player, TRACK) is not None


def rate_games(ratings: dict[PlayerId, int], games: Iterable[Game]) -> list[RatedGame]:
    """§8 §9: rate games one by one in the order of rounds; each updates `ratings` at once (D-PFO-1)."""
    moves = []
    for game in sorted(games, key=lambda game: game.round):
        if game.result not in PLAYED:
            continue
        before = ratings[game.first], ratings[game.second]
        points = game_points(*before, game.result)
        ratings[game.first] += points[0]
        ratings[game.second] += points[1]
        moves.append(RatedGame(game, before, points))
    return moves


def award_points(status: str | None, entry: Entry, games: int) -> int:
    """§12: an entrant's points for taking part in a Grand Prix tournament (D-PFO-4), or for a place in a
    European one or the World Championship (D-PFO-3).
    """
    if status == GRAND_PRIX:
        return PARTICIPATION_POINTS if games else 0
    if status == CHAMPIONSHIP or entry.place is None:
        return 0
    return egp_award(entry.place) if status == EUROPEAN else world_award(entry.place)


# ---- §13: a missed championship
def championship_absentees(state: State[PfoStanding], fact: RatedSection) -> list[PlayerId]:
    """§13: the players who had a rating before the championship that ends with this section, and entered none
    of it (D-PFO-5).
    """
    if LAST_OF_CHAMPIONSHIP not in fact.notes:
        return []
    here = {entry.player for entry in fact.section.entries}
    label = fact.section.season or ""
    return sorted(
        player
        for (player, _track), standing in state.standings.items()
        if player not in here and label not in standing.excused and not standing.season(label).entered
    )


def missed_championship_change(state: State[PfoStanding], player: PlayerId) -> Change[PfoStanding]:
    """§13: the change of a player who missed the championship."""
    before = state.standings[player, TRACK]
    loss = Decimal(missed_championship_loss(int(before.rating)))
    return Change(player, TRACK, before, before._replace(rating=before.rating - loss), -loss)


def seasons_after(wide: Seasons | None, fact: RatedSection) -> Seasons | None:
    """The federation-wide part after a section, which may begin or end a championship."""
    if not is_championship(fact):
        return wide
    known, label = wide or Seasons(), fact.section.season or ""
    running = (
        {*known.running, label} if LAST_OF_CHAMPIONSHIP not in fact.notes else {*known.running} - {label}
    )
    after = known._replace(running=tuple(sorted(running)))
    return wide if after == known else after


# ---- Openings and play-offs
def apply_opening(state: State[PfoStanding], opening: Opening) -> Change[PfoStanding]:
    """§8: the change by which a rating from before the record is taken over, in whole points (D-PFO-10)."""
    before = state.get(opening.player, TRACK)
    rating = opening.rating.quantize(Decimal(1), ROUND_HALF_UP)
    after = (before or PfoStanding(rating))._replace(rating=rating, games=opening.games)
    return Change(opening.player, TRACK, before, after, None)


def add_playoff(wide: Seasons | None, playoff: Playoff) -> Seasons:
    """§17: the federation-wide part with a play-off's winner; the last of several counts (D-PFO-7)."""
    known = wide or Seasons()
    winners = {**dict(known.playoffs), playoff.season: playoff.winner}
    return known._replace(playoffs=tuple(sorted(winners.items())))


# ---- §8, §12–§17: acceptance
STATUSES = ("gpp", "mp", "egp", "woc")
FORMATS = ("swiss", "round-robin", "double-round-robin", "knockout", "match")
SEASON_LABEL_PATTERN = re.compile(r"(\d{4})/(\d{4})")


def check(section: Section, filing: Filing) -> list[Finding]:
    """Check a filed section against the whole text, and return every finding."""
    checks: tuple[Callable[[Section, Filing], Iterator[Finding]], ...] = (
        check_status,
        check_season,
        check_held_in_poland,
        check_places,
        check_unrated_games,
        check_games,
        check_nations,
        check_sex,
    )
    return [finding for each in checks for finding in each(section, filing)]


def find_unrateable_reason(section: Section) -> Finding | None:
    """The finding that no official can waive: the section's kind or its season is not known."""
    blocking = (found for each in (check_status, check_season) for found in each(section, Filing()))
    return next((finding for finding in blocking if finding.level is Level.BLOCKS), None)


def check_status(section: Section, filing: Filing) -> Iterator[Finding]:
    """§8 §12: check that the kind of the tournament is known, which decides what is rated."""
    if section.status not in STATUSES:
        yield Finding("8", Level.BLOCKS, "no-status", where="status")


def check_season(section: Section, filing: Filing) -> Iterator[Finding]:
    """§17, D-PFO-9: check the season's label, which identifies it and must always be the same."""
    if not section.season:
        yield Finding("17", Level.BLOCKS, "no-season", where="season")
        return
    years = SEASON_LABEL_PATTERN.fullmatch(section.season)
    if years is None or int(years[2]) != int(years[1]) + 1:
        year = section.ends.year
        form: dict[str, Value] = {"season": section.season, "one": f"{year - 1}/{year}"}
        form["other"] = f"{year}/{year + 1}"
        yield Finding("D-PFO-9", Level.WAIVABLE, "season-form", form, "season")
    elif not int(years[1]) <= section.ends.year <= int(years[2]):
        found: dict[str, Value] = {"season": section.season, "ends": section.ends}
        yield Finding("D-PFO-9", Level.WAIVABLE, "season-days", found, "season")


def check_held_in_poland(section: Section, filing: Filing) -> Iterator[Finding]:
    """§8 §15: check that a Grand Prix tournament or championship is in Poland."""
    if section.status in RATED_STATUSES and section.country not in (None, HOME):
        yield Finding("8", Level.WAIVABLE, "held-abroad", {"country": section.country}, "country")


def check_places(section: Section, filing: Filing) -> Iterator[Finding]:
    """§16: check that everyone has a place, one more than the number of players before, as far as the whole
    field has to be filed.
    """
    places = [entry.place for entry in section.entries]
    for entry in section.entries:
        if entry.place is None:
            player = {"player": filing.name_of(entry.player)}
            yield Finding("16", Level.BLOCKS, "no-place", player, "places")
    if section.status not in RATED_STATUSES or None in places:
        return
    for place in sorted({place for place in places if place is not None}):
        before = sum(other < place for other in places if other is not None)
        if place != before + 1:
            found = {"place": place, "before": before}
            yield Finding("16", Level.WAIVABLE, "place-out-of-line", found, f"place {place}")


def check_unrated_games(section: Section, filing: Filing) -> Iterator[Finding]:
    """§12: note games of a European Grand Prix or World Championship, of which only places count."""
    if section.status not in (*RATED_STATUSES, None) and section.games:
        yield Finding("12", Level.NOTICE, "games-not-rated", {"games": len(section.games)}, "games")


def check_games(section: Section, filing: Filing) -> Iterator[Finding]:
    """§9: check that a Grand Prix tournament or championship has a played game."""
    if section.status in RATED_STATUSES and not any(game.played for game in section.games):
        yield Finding("9", Level.WAIVABLE, "no-games", where="games")


def check_nations(section: Section, filing: Filing) -> Iterator[Finding]:
    """§14, D-6: note the players of unknown nation, who count as foreigners."""
    unknown = [filing.name_of(player) for player, nation in nations(section, filing) if not nation]
    if unknown:
        yield Finding("14", Level.NOTICE, "nation-unknown", count_and_names(unknown), "players")


def check_sex(section: Section, filing: Filing) -> Iterator[Finding]:
    """§preamble: note the players of a championship whose sex is not known (D-PFO-11)."""
    if section.status != CHAMPIONSHIP:
        return
    unknown = [entrant.name for entrant in filing.entrants if entrant.decided and not entrant.sex]
    if unknown:
        yield Finding("preamble", Level.NOTICE, "sex-unknown", count_and_names(unknown), "players")


def nations(section: Section, filing: Filing) -> Iterator[tuple[PlayerId, str | None]]:
    """The ids and nations of the entrants in the register or new to it."""
    for entry in section.entries:
        if entry.player in filing.particulars:
            yield entry.player, filing.particulars[entry.player].nation
    yield from ((entrant.player, entrant.nation) for entrant in filing.entrants if entrant.new)


def count_and_names(names: list[str]) -> dict[str, Value]:
    return {"count": len(names), "players": "; ".join(names)}


REQUIREMENTS = (
    Requirement(("8",)),
    Requirement(("17", "D-PFO-9")),
    Requirement(("9", "12"), before_play=False),
    Requirement(("16",), before_play=False),
    Requirement(("14", "preamble"), before_play=False),
)
"""The list before play, in the order of an organizer's work."""


# ---- The preamble: qualification for the World Championship (D-PFO-8)
Places = list[tuple[int, PlayerId]]
"""Players with a place, or another number of which the lowest is best."""


def qualifiers(state: State[PfoStanding]) -> Iterator[tuple[str, str, PlayerId]]:
    """Season, way and player of those who qualify for the World Championship by the newest season, in the
    order of §preamble.

    Each way passes over players who qualified before; if it gives several, officials choose.
    """
    known = season_labels(state)
    if not known:
        return
    season = known[-1]
    holders: set[PlayerId] = set()
    for way, places_of in QUALIFICATION_WAYS.items():
        places = [row for row in places_of(state, season) if row[1] not in holders]
        best = min((place for place, _player in places), default=None)
        first = sorted(player for place, player in places if place == best)
        for player in first:
            yield season, way, player
        if len(first) == 1:
            holders.update(first)


def championship_places(
    state: State[PfoStanding], season: str, place_in: Callable[[Season], int | None]
) -> Places:
    """The places of Polish citizens in a season's championship, as `place_in` reads them (D-PFO-11)."""
    return [
        (place, player)
        for (player, _track), standing in state.standings.items()
        if standing.citizen and (place := place_in(standing.season(season))) is not None
    ]


def season_places(state: State[PfoStanding], season: str) -> Places:
    """§17: the places of Polish citizens in a season's standing."""
    return [(row.place, row.player) for row in season_standing(state, season) if row.citizen]


def negated_ratings(state: State[PfoStanding], season: str) -> Places:
    """The ratings of Polish citizens, negated, so that the lowest number is best."""
    return [(-int(s.rating), player) for (player, _track), s in state.standings.items() if s.citizen]


QUALIFICATION_WAYS: dict[str, Callable[[State[PfoStanding], str], Places]] = {
    "champion": partial(championship_places, place_in=attrgetter("championship")),
    "women-champion": partial(championship_places, place_in=attrgetter("women")),
    "grand-prix": season_places,
    "ranking": negated_ratings,
}
"""The ways to qualify in the order of priority; the best of the places that each gives qualifies."""


# ---- The ranking, answers and tables
Cells = tuple[Value | tuple[Value, ...], ...]
SEASON_COLUMNS = (
    "place",
    "player",
    "points",
    "best",
    "every-game-won",
    "tournaments-won",
    "games-won",
    "note",
)
QUALIFICATION_COLUMNS = ("priority", "way", "player", "note")


def rating_list(state: State[PfoStanding], track: str, on: date) -> list[ListedPlayer]:
    """§3 §14: all players with a rating, best first, foreigners marked (D-PFO-6); equals share a rank."""
    return ranked(
        (player, standing.rating, standing.games, "rated" if standing.citizen else "foreign")
        for (player, of_track), standing in state.standings.items()
        if of_track == track
    )


def answers(state: State[PfoStanding], on: date) -> Iterator[Answer]:
    """The answers of a replay; all players with a rating are listed."""
    for (player, track), standing in state.standings.items():
        yield Answer(player, track, "rated", standing.rating, standing.games, listed=True)


def listed_steps(
    state: State[PfoStanding], player: PlayerId, track: str, on: date
) -> tuple[WorkingStep, ...]:
    """§13: the step that says that a rating stays in the ranking."""
    if state.get(player, track) is None:
        return ()
    return (WorkingStep("13", "stays-listed", {}),)


def tables(state: State[PfoStanding], on: date) -> list[RuleTable]:
    """§17: one table of all seasons for a replay, one of each season for pages, and (D-PFO-8) the players who
    qualify for the World Championship by the newest.
    """
    rows: list[Cells] = []
    shown = []
    known = season_labels(state)
    for label in known:
        standing = season_standing(state, label)
        rows += [(label, row.player, row.season.points, row.season.best) for row in standing]
        shown.append(season_table(label, standing))
    answered = RuleTable("seasons", ("season", "player", "points", "best"), tuple(rows), shown=False)
    return [answered, *shown, qualification(state, known[-1] if known else "")]


def season_table(label: str, standing: list[SeasonRow]) -> RuleTable:
    """§16 §17: the table of one season's standing, with all that breaks ties."""
    rows = tuple(
        (
            row.place,
            row.player,
            row.season.points,
            row.season.best,
            row.season.maks,
            row.season.won,
            row.season.games_won,
            (*["foreign"] * (not row.citizen), *["won-the-play-off"] * row.playoff),
        )
        for row in standing
    )
    tied = tied_for_first(standing)
    return RuleTable(
        "standing", SEASON_COLUMNS, rows, answered=False, part=label, about="standing-about", tied=tied
    )


def qualification(state: State[PfoStanding], season: str) -> RuleTable:
    """§preamble: the table of players who qualify for the World Championship (D-PFO-11)."""
    found = list(qualifiers(state))
    level = Counter(way for _season, way, _player in found)
    priorities = {way: priority for priority, way in enumerate(QUALIFICATION_WAYS, start=1)}
    rows = tuple(
        (priorities[way], way, player, "level" if level[way] > 1 else "") for _season, way, player in found
    )
    return RuleTable(
        "qualification", QUALIFICATION_COLUMNS, rows, answered=False, part=season, about="qualification-about"
    )


# ---- Workings
def explain_section(state: State[PfoStanding], fact: RatedSection, player: PlayerId, track: str) -> Working:
    if track != TRACK:
        return EMPTY_WORKING
    moves, results = compute_results(state, fact)
    result = next((each for each in results if each.entry.player == player), None)
    if result is not None:
        own = [move for move in moves if player in move.game[1:3]]
        steps = tuple(section_steps(fact, result, own))
        summary = tuple(summary_steps(fact, result, own))
        return Working(steps, game_lines(fact, player, own), summary, bars=tuple(bars_of(result, own)))
    if player in championship_absentees(state, fact):
        return explain_missed_championship(state, fact, player)
    if any(entry.player == player for entry in fact.section.entries):
        return single_step_working(
            WorkingStep("D-PFO-3", "foreigner-without-rating", {}), "in-short-foreigner"
        )
    return EMPTY_WORKING


def section_steps(fact: RatedSection, result: EntrantResult, own: list[RatedGame]) -> Iterator[WorkingStep]:
    if result.before is None:
        yield WorkingStep("8", "debut", {}, INITIAL_RATING)
    else:
        yield WorkingStep("9", "rating-before", {}, result.start)
    for move in own:
        yield game_step(move, result.entry.player)
    yield from award_steps(fact, result)
    points = result.after.rating - result.start
    terms = (*points_of(result.entry.player, own), *([result.award] if result.award else []))
    yield WorkingStep("9", "all-points", {"points": terms}, points)
    inputs: dict[str, Value] = {"before": result.start, "points": points}
    yield WorkingStep("9", "rating-after", inputs, result.after.rating)
    yield from season_steps(fact, result)


def summary_steps(fact: RatedSection, result: EntrantResult, own: list[RatedGame]) -> Iterator[WorkingStep]:
    """§8–§12: the summary of a section for an entrant."""
    if result.before is None:
        yield WorkingStep("8", "in-short-debut", {}, INITIAL_RATING)
    status = fact.section.status
    if status in RATED_STATUSES:
        player = result.entry.player
        scores = [PLAYED[move.game.result][0 if move.game.first == player else 1] for move in own]
        won, lost = scores.count(Decimal(1)), scores.count(Decimal(0))
        inputs: dict[str, Value] = {"games": len(own), "won": won, "lost": lost}
        gained = sum(points_of(player, own))
        yield WorkingStep("10", "in-short-games" if own else "in-short-no-games", inputs, gained)
    else:
        yield WorkingStep("12", "in-short-not-rated", {}, None)
    if result.award:
        key = "in-short-took-part" if status == GRAND_PRIX else "in-short-award"
        yield WorkingStep("12", key, {"place": result.entry.place}, result.award)
    yield WorkingStep("9", "in-short-after", {"before": result.start}, result.after.rating)


def bars_of(result: EntrantResult, own: list[RatedGame]) -> Iterator[Bar]:
    """§8–§12: the points gained in games, lost in games and awarded, and their sum."""
    points = points_of(result.entry.player, own)
    parts = {
        "bar-gained": sum(each for each in points if each > 0),
        "bar-lost": sum(each for each in points if each < 0),
        "bar-award": result.award,
    }
    bars = [Bar(key, Decimal(value)) for key, value in parts.items() if value]
    if bars:
        yield from bars
        yield Bar("bar-all", result.after.rating - result.start)


def points_of(player: PlayerId, own: list[RatedGame]) -> list[int]:
    """§10 §11: the points of each of a player's games."""
    return [move.points[0 if move.game.first == player else 1] for move in own]


def explain_missed_championship(state: State[PfoStanding], fact: RatedSection, player: PlayerId) -> Working:
    """§13: explain the tenth lost by a player who missed the Polish Championship."""
    change, season = missed_championship_change(state, player), fact.section.season
    before, after, points = state.standings[player, TRACK].rating, change.after.rating, change.points
    steps = (
        WorkingStep("9", "rating-before", {}, before),
        WorkingStep("13", "missed", {"season": season, "rating": before}, points),
        WorkingStep("9", "rating-after", {"before": before, "points": points}, after),
    )
    inputs: dict[str, Value] = {"season": season, "before": before, "points": points}
    return Working(steps, summary=(WorkingStep("13", "in-short-missed", inputs, after),))


def game_step(move: RatedGame, player: PlayerId) -> WorkingStep:
    """§10 §11: the step for one game, with the table row that gives its points."""
    side = 0 if move.game.first == player else 1
    own, other = move.ratings[side], move.ratings[1 - side]
    points = move.points[side]
    result = move.game.result
    won = (result == "1-0") == (side == 0)
    bounds = DRAW_BOUNDS if result == "1/2" else win_bounds(own, other) if won else win_bounds(other, own)
    inputs: dict[str, Value] = {
        "round": move.game.round,
        "own": own,
        "other": other,
        "gap": abs(own - other),
        "row": spans(bounds)[bisect_left(bounds, abs(own - other))],
    }
    if result == "0-0":
        return WorkingStep("9", "both-lost", {"round": move.game.round}, points)
    if result == "1/2":
        return WorkingStep("11", "draw" if own != other else "draw-of-equals", inputs, points)
    rank = "equal" if own == other else "higher" if other > own else "lower"
    return WorkingStep("10", f"{'won' if won else 'lost'}-against-{rank}", inputs, points)


def award_steps(fact: RatedSection, result: EntrantResult) -> Iterator[WorkingStep]:
    """§12: the step for points awarded for a place or for taking part."""
    status, place = fact.section.status, result.entry.place
    if status == GRAND_PRIX:
        key = "took-part" if result.award else "took-no-part"
        yield WorkingStep("12", key, {}, result.award)
    if status == EUROPEAN:
        yield WorkingStep("12", "award-european", {"place": place}, result.award)
    if status == WORLD:
        key = "award-world" if result.award else "no-award-world"
        yield WorkingStep("12", key, {"place": place, "start": world_award(0)}, result.award)


def season_steps(fact: RatedSection, result: EntrantResult) -> Iterator[WorkingStep]:
    """§16 §17: the steps for points towards the season, which move no rating."""
    score, label = result.score, fact.section.season
    if score is None:
        return
    inputs: dict[str, Value] = {"season": label, "place": score.place}
    if fact.section.status == EUROPEAN:
        yield WorkingStep("17", "season-points-own", inputs, score.points)
    else:
        yield WorkingStep("16", "season-points", inputs, score.points)
    if score.maks:
        yield WorkingStep("16", "maks", {"season": label}, MAKS_POINTS)
    best = result.after.season(label or "")
    yield WorkingStep("17", "season-total", {"season": label, "counted": len(best.best)}, best.points)


def game_lines(fact: RatedSection, player: PlayerId, own: list[RatedGame]) -> tuple[GameLine, ...]:
    """The lines of a player's games and byes. `own`: the rated games."""
    moves = {id(move.game): move for move in own}

    def line_of(game: Game) -> GameLine:
        side = 0 if game.first == player else 1
        if game.result in FORFEITS:
            return unplayed_line(
                game, player, "forfeit-won" if FORFEITS[game.result][side] else "forfeit-lost"
            )
        if not game.played:
            return unplayed_line(game, player)
        move, score = moves.get(id(game)), PLAYED[game.result][side]
        rating = Decimal(move.ratings[1 - side]) if move else None
        note = "" if fact.section.status in RATED_STATUSES else "not-rated"
        opponent = game.opponent_of(player)
        return GameLine(game.round, opponent, side == 0, game.result, rating, None, score, note)

    return lines_by_round(player, fact.section.games, fact.section.byes, line_of)


explain = explain_by_kind(
    {RatedSection: explain_section, Opening: partial(explain_opening, "8", apply_opening)}
)


def expected_score(own: int, other: int) -> float:
    """§10: the expected score that the table of wins implies: that at which a game moves nothing on the
    average.
    """
    won, lost = win_points(own, other), win_points(other, own)
    return lost / (won + lost)


def measure(
    state: State[PfoStanding], fact: Fact, changes: Sequence[Change[PfoStanding]]
) -> Iterator[Measured]:
    """§10: the expected score of each rated game by the ratings just before it, and the points by clause: of
    wins (§10), draws (§11), places and taking part (§12), missed championships (§13), first ratings (§8).
    """
    if not isinstance(fact, RatedSection):
        if isinstance(fact.fact, Opening):
            yield Measured(TRACK, (), (("D-PFO-10", float(fact.fact.rating)),))
        return
    moves, results = compute_results(state, fact)
    predictions = [
        Prediction(
            *move.game[1:3],
            float(move.ratings[0]),
            float(move.ratings[1]),
            expected_score(*move.ratings),
            float(PLAYED[move.game.result][0]),
        )
        for move in moves
        if move.game.result != BOTH_LOST
    ]
    here = {result.entry.player for result in results}
    points = (
        ("8", sum(float(result.start) for result in results if result.before is None)),
        ("10", sum(float(sum(move.points)) for move in moves if move.game.result != "1/2")),
        ("11", sum(float(sum(move.points)) for move in moves if move.game.result == "1/2")),
        ("12", sum(float(result.award) for result in results)),
        ("13", sum(float(change.points or 0) for change in changes if change.player not in here)),
    )
    yield Measured(TRACK, predictions, points)


def compute_performances(
    state: State[PfoStanding], fact: RatedSection, track: str
) -> Mapping[PlayerId, Decimal]:
    """No performances, as the text has none."""
    return {}
