"""The numbers of the regulations, each with its clause and the days from which its values hold."""

from collections.abc import Sequence
from decimal import Decimal

from ratings.rulesets.facts import gettext_noop as _
from ratings.rulesets.parameters import Numbers, Parameters, Rows, grid, in_force, parameter


def spans(bounds: Sequence[int]) -> tuple[str, ...]:
    """The rows of a table as text: `0–60`, `61–120` … and the last without an end."""
    starts = (0, *(bound + 1 for bound in bounds))
    return (*(f"{start}–{end}" for start, end in zip(starts, bounds, strict=False)), f"{starts[-1]}–")


def show_spans(rows: Rows) -> Rows:
    """The rows of a table of differences with each row's span in place of its greatest difference."""
    bounds = [int(str(row[0])) for row in rows[:-1]]
    return tuple((span, *row[1:]) for span, row in zip(spans(bounds), rows, strict=True))


def show_places(rows: Rows) -> Rows:
    """The rows of a table of points with their places."""
    return tuple((place, *row) for place, row in enumerate(rows, start=1))


def show_places_and_others(rows: Rows) -> Rows:
    """The rows of a table of points with their places; the last is for any other place."""
    return (*show_places(rows[:-1]), (_("any other"), *rows[-1]))


PARAMETERS: Parameters = (
    parameter("8.newcomer", _("A newcomer's rating"), 1400),
    grid(
        "10.lower-wins",
        _("What a win against a higher rating brings"),
        (_("Difference"), _("Points")),
        ((60, 10), (120, 12), (200, 15), (300, 20), (None, 25)),
        show=show_spans,
    ),
    grid(
        "10.higher-wins",
        _("What a win against a lower rating brings"),
        (_("Difference"), _("Points")),
        ((60, 10), (120, 9), (200, 8), (None, 7)),  # D-PFO-2: the last row begins at 201
        show=show_spans,
    ),
    grid(
        "11.draws",
        _("What a draw brings"),
        (_("Difference"), _("To the higher rated"), _("To the lower rated")),
        ((60, 2, 2), (120, 1, 3), (200, -2, 4), (300, -5, 5), (None, -7, 7)),  # D-PFO-1: signs as printed
        show=show_spans,
    ),
    parameter("12.part", _("For taking part in a Grand Prix tournament"), 1),
    grid(
        "12.european",
        _("European Grand Prix"),
        (_("Place"), _("Points")),
        ((50,), (40,), (30,), (20,), (10,), (5,)),
        show=show_places_and_others,
    ),
    parameter("12.world-first", _("World Championship, first place"), 200),
    parameter("12.world-step", _("World Championship, less for each place"), 10, name="world_step"),
    parameter("12.world-places", _("World Championship, places"), 20),
    parameter("13.share", _("Share lost by missing the championship"), Decimal("0.1")),
    grid(
        "16.season",
        _("Points towards the season"),
        (_("Place"), _("Points")),
        [(points,) for points in (100, 80, 60, 50, 45, 40, 36, 32, 29, 26, 24, 22, 20, 18, 16)],
        show=show_places,
    ),
    parameter("16.maks", _("More for winning every game"), 10, name="maks_points"),
    parameter("17.tournaments", _("Tournaments that count in a season"), 4),
)

NUMBERS = Numbers(in_force(PARAMETERS))
"""The numbers that the first edition reads."""
