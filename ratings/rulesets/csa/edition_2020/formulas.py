"""The formulas (§29–§46, §54–§56), and the tracks and the kind of games of a section (§10, §17–§27)."""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from operator import attrgetter

from ratings.rulesets.csa.parameters import NUMBERS
from ratings.rulesets.csa.standing import ZERO, Performance, round_kept
from ratings.rulesets.facts import Player, Section, TimeControl

# ---- §10, §17–§27: time controls, kinds of games, tracks
HOME = "RSA"  # §9 §10

STANDARD_FROM = NUMBERS.decimal("20.1.from")  # §20.1
BLITZ_TO = NUMBERS.decimal("20.3.to")  # §20.3; §20.2 lies between
LEAST_MINUTES = NUMBERS.decimal("23.least")  # §23

TRACK_PREFIXES = {
    "otb": ("otb", "hyb"),
    "online": ("ol", "hyb"),
    "mixed": ("hyb",),
}  # §24.1 §24.2 §24.3, D-CSA-2


def time_per_player(control: TimeControl) -> Decimal:
    """§19: the minutes for 60 moves; n seconds a move make n minutes (D-CSA-1, D-CSA-20)."""
    return sum(control.minutes, ZERO) + control.increment


def fastest_minutes(section: Section) -> Decimal:
    """§22: the minutes for 60 moves by the fastest time control of a section."""
    return min(time_per_player(control) for control in section.time_controls)


def kind_of(minutes: Decimal) -> str:
    """§20: the kind of games, `standard`, `rapid` or `blitz`, by the minutes for 60 moves."""
    if minutes >= STANDARD_FROM:
        return "standard"
    return "rapid" if minutes > BLITZ_TO else "blitz"


def tracks_of(section: Section) -> tuple[str, ...]:
    """§25 §26 §27: the tracks that a section moves: Main (§25.1) and that of its kind of games (§25.2 §25.3
    §25.4), on each platform for which it counts (§26.1 §26.2 §26.3, D-CSA-2).
    """
    kind = kind_of(fastest_minutes(section))
    platforms = TRACK_PREFIXES[section.platform or ""]
    return tuple(f"{platform}-{track}" for platform in platforms for track in ("main", kind))


def is_abroad(section: Section) -> bool:
    """§10: whether a section was held outside the federation's country."""
    return section.country not in (None, HOME)


def is_rated(player: Player, section: Section) -> bool:
    """§10: whether a section moves a player's ratings; abroad, only South Africans' (D-CSA-18)."""
    return player.nation == HOME or not is_abroad(section)


# ---- §29–§46, §54–§56: formulas
K_OF_KIND = {
    "standard": NUMBERS.decimal("30.1.standard"),  # §30.1
    "rapid": NUMBERS.decimal("30.2.rapid"),  # §30.2
    "blitz": NUMBERS.decimal("30.3.blitz"),  # §30.3
}
K_LEAST_TIME, K_MOST_TIME = NUMBERS.decimal("31.least"), NUMBERS.decimal("31.most")  # §31
K_SCALE = NUMBERS.decimal("31.share")  # §31: 24 hundredths
K_PER_MINUTE = NUMBERS.decimal("31.per-minute")  # §31
K_BASE = NUMBERS.decimal("31.base")  # §31
K_ONLINE_MAIN = NUMBERS.decimal("31.online")  # §31, D-CSA-3

EXPECTED_AS_EQUALS = NUMBERS.decimal("37.equals")  # §37: white's, between equals
EXPECTED_PER_POINT = NUMBERS.decimal("37.per-point")  # §37
# §38: white's rating less black's
LEAST_DIFFERENCE, MOST_DIFFERENCE = NUMBERS.decimal("38.least"), NUMBERS.decimal("38.greatest")

PERFORMANCE_SPAN = NUMBERS.decimal("32.span")  # §32
EVEN_SPAN = PERFORMANCE_SPAN * Decimal("0.5")  # §32: for each game

FIRST_RATING_GAMES = NUMBERS.whole("54.games")  # §54

PERFORMANCES_WEIGHED = NUMBERS.whole("39.performances")  # §39
RECENCY_WEIGHTS = tuple(range(PERFORMANCES_WEIGHED, 0, -1))  # §40: the newest counts five times
WEIGHT_SUM = NUMBERS.whole("40.divisor")  # §40
WEIGHT_DAYS = NUMBERS.whole("40.days")  # §40
WEIGHT_OF_KIND = {  # in hundredths
    "standard": NUMBERS.whole("41.1.standard"),  # §41.1
    "rapid": NUMBERS.whole("41.2.rapid"),  # §41.2
    "blitz": NUMBERS.whole("41.3.blitz"),  # §41.3
}
UNWEIGHTED = dict.fromkeys(WEIGHT_OF_KIND, 100)  # §42
WEIGHT_DIVISOR = Decimal(100 * WEIGHT_SUM * WEIGHT_DAYS)
GREATEST_RISE = NUMBERS.decimal("44.rise")  # §44
FLOOR = NUMBERS.decimal("45.floor")  # §45 §46


def clamped_minutes(minutes: Decimal) -> Decimal:
    """§31: the minutes that enter K, held within the formula's bounds."""
    return max(K_LEAST_TIME, min(K_MOST_TIME, minutes))


def k_main(minutes: Decimal) -> Decimal:
    """§31: K of Main ratings over the board and hybrid, unrounded (D-CSA-3)."""
    return K_SCALE * (K_PER_MINUTE * clamped_minutes(minutes) + K_BASE)


def k_factor(track: str, minutes: Decimal) -> Decimal:
    """§29: K of a track, the most that one game can move a rating."""
    kind = track.partition("-")[2]
    if kind != "main":
        return K_OF_KIND[kind]  # §30
    return K_ONLINE_MAIN if track == "ol-main" else k_main(minutes)


def clamped_difference(white: Decimal, black: Decimal) -> Decimal:
    """§38: white's rating less black's, held within bounds."""
    difference = white - black
    if difference > MOST_DIFFERENCE:
        return MOST_DIFFERENCE
    return difference if difference > LEAST_DIFFERENCE else LEAST_DIFFERENCE


def expected_score(white: Decimal, black: Decimal) -> Decimal:
    """§35 §37: white's expected score; black's is the rest of the point."""
    return EXPECTED_AS_EQUALS + EXPECTED_PER_POINT * clamped_difference(white, black)


def expected_for_player(own: Decimal, other: Decimal, first: bool) -> Decimal:
    """§35 §37: a player's expected score, as white (`first`) or as black."""
    return expected_score(own, other) if first else 1 - expected_score(other, own)


def performance_rating(opponents_sum: Decimal, score: Decimal, games: int, floor: Decimal = FLOOR) -> Decimal:
    """§32 §34: the performance in some games, at least the floor; it divides once, at the end (D-4).

    `opponents_sum`: the sum of the opponents' ratings before the section, differences not held (D-CSA-7).
    """
    value = (opponents_sum + PERFORMANCE_SPAN * score - EVEN_SPAN * games) / games
    return round_kept(value) if value > floor else floor  # §46


def first_rating(opponents_sum: Decimal, score: Decimal, games: int) -> Decimal | None:
    """§54 §55 §56 §65: the performance over all collected games; None while there are too few (D-CSA-8)."""
    return None if games < FIRST_RATING_GAMES else performance_rating(opponents_sum, score, games)


def add_performance(performances: tuple[Performance, ...], further: Performance) -> tuple[Performance, ...]:
    """§39: the newest performances with a further one, newest first, then last rated first (D-CSA-11).

    The rest can be dropped, because one too old for §40 is no newer than those kept.
    """
    if not performances or performances[0].day < further.day:
        return (further, *performances[: PERFORMANCES_WEIGHED - 1])
    return tuple(
        sorted((further, *performances), key=attrgetter("order"), reverse=True)[:PERFORMANCES_WEIGHED]
    )


def kind_weights(track: str) -> Mapping[str, int]:
    """§41 §42: the weights of the kinds of games in a track, in hundredths; all equal but in Main."""
    return WEIGHT_OF_KIND if track.endswith("-main") else UNWEIGHTED


def days_left(performance: Performance, on: date) -> int:
    """§40: the days, of 2,920, that a performance still counts on a day; negative if it is too old.

    All of them if a correction made a section end after it was first rated (D-CSA-11).
    """
    return min(WEIGHT_DAYS, WEIGHT_DAYS - on.toordinal() + performance.day)


def compute_weight_performance(
    performances: tuple[Performance, ...], on: date, weights: Mapping[str, int]
) -> Decimal | None:
    """§39 §40: the weighted mean of the newest five performances; None if fewer are young enough.

    It divides once, at the end: by 15, the hundredths of R, and the 2,920 days of A.
    """
    days = WEIGHT_DAYS - on.toordinal()
    if len(performances) < PERFORMANCES_WEIGHED or days + performances[-1].day < 0:
        return None
    total = ZERO
    for turn, performance in zip(RECENCY_WEIGHTS, performances, strict=True):
        left = min(WEIGHT_DAYS, days + performance.day)  # as `days_left`, but faster
        total += performance.value * (weights[performance.kind] * turn * left)
    return round_kept(total / WEIGHT_DIVISOR)


def lift_rating(rating: Decimal, weighted_performance: Decimal | None) -> Decimal:
    """§43 §44 §66: the rating, raised to a higher weight performance by 500 at most."""
    if weighted_performance is None or weighted_performance <= rating:
        return rating
    return min(weighted_performance, rating + GREATEST_RISE)


def add_pending_points(rating: Decimal, pending: Decimal) -> Decimal:
    """§45 §67: the rating on a new list, with the pending points added (D-CSA-12)."""
    return max(FLOOR, rating + pending)
