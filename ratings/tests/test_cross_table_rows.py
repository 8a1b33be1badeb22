"""The body of a cross table, which is written without a template."""

from __future__ import annotations

from dataclasses import fields, replace
from decimal import Decimal

from ratings.public.events.cross_tables import EntrantRow, OpenedGame, RoundCell
from ratings.templatetags.cross_table import cross_rows

MARKUP = "<b>\"&'"
ROW = EntrantRow(
    place=1,
    name="Dlamini, Thandi",
    url="/csa/players/1/",
    title="WFM",
    note="Team",
    rating=Decimal(1500),
    points=Decimal(12),
    score="1½",
    tie_breaks=["30 discs"],
    performance=Decimal(1600),
    working_url="/csa/players/1/standard/7/",
    after=Decimal(1512),
    cells=[RoundCell("2w1", "round 1", "won", "/report")],
    opened=[OpenedGame(1, "Botha, Pieter", "w", "1", "won", "round 1", "/report", "/csa/players/2/")],
)


def written(row: EntrantRow, **words: object) -> str:
    return str(cross_rows([row], range(1, 2), 0, 0, **words))  # type: ignore[arg-type]


def test_every_text_of_a_row_is_escaped() -> None:
    own = {each.name: MARKUP for each in fields(EntrantRow) if isinstance(getattr(ROW, each.name), str)}
    cell = RoundCell(MARKUP, MARKUP, "won", MARKUP, MARKUP, MARKUP)
    game = OpenedGame(1, MARKUP, MARKUP, MARKUP, "won", MARKUP, MARKUP, MARKUP)
    row = replace(ROW, **own, tie_breaks=[MARKUP], cells=[cell], opened=[game])  # type: ignore[arg-type]
    for each in (row, replace(row, url="", cells=[replace(cell, url="")], opened=[replace(game, url="")])):
        html = written(each)
        assert "<b>" not in html
        assert "&lt;b&gt;&quot;&amp;&#x27;" in html
        assert html.count('"') % 2 == 0


def test_a_table_shows_the_columns_that_it_has() -> None:
    whole = written(ROW)
    assert all(part in whole for part in ("1512", "1600", "1½", "30 discs", "2w1", "Botha, Pieter"))
    assert "2w1" not in written(ROW, standings=True)
    assert "1½" not in written(ROW, unscored=True)
    assert "1512" not in written(ROW, unrated=True)
    assert "1600" not in str(cross_rows([ROW], range(1, 2), 0, None))


def test_a_name_the_template_does_not_know_is_no_column() -> None:
    """Templates hand an empty text over for whatever their caller did not name."""
    row = str(cross_rows([ROW], "", 0, ""))  # type: ignore[arg-type]
    assert "1600" not in row
    assert "<details>" not in row
