"""The body of a cross table, which is written without a template."""

from __future__ import annotations

from dataclasses import fields, replace
from decimal import Decimal

from ratings.cross_tables import EntrantRow, RoundCell, join_cells
from ratings.statement import Balance, Movement
from ratings.templatetags.ratings import cross_rows

MARKUP = "<b>\"&'"
SAID = ("round 1 against ", "Botha, Pieter", "")
MET = (("Botha, Pieter", "/csa/players/2/"),)
GAME = RoundCell("1", SAID, "won", ("/report", "&entry=1"), "w", "2", MET)
ROW = EntrantRow(
    place=1,
    name="Dlamini, Thandi",
    url="/csa/players/1/",
    title="WFM",
    note="Team",
    movement=Movement(Balance(Decimal(1500)), Balance(Decimal(1512))),
    score="1½",
    tie_breaks=["30 discs"],
    performance=Decimal(1600),
    working_url="/csa/players/1/standard/7/",
    cells=[GAME],
    marks="1",
)


def written(row: EntrantRow, **words: object) -> str:
    return str(cross_rows([row], range(1, 2), 0, 0, **words))  # type: ignore[arg-type]


def test_every_text_of_a_row_is_escaped() -> None:
    own = {each.name: MARKUP for each in fields(EntrantRow) if isinstance(getattr(ROW, each.name), str)}
    said, met = (MARKUP, MARKUP, MARKUP), ((MARKUP, MARKUP),)
    cell = RoundCell(MARKUP, said, MARKUP, (MARKUP, MARKUP), MARKUP, MARKUP, met)
    row = replace(ROW, **own, tie_breaks=[MARKUP], cells=[cell])  # type: ignore[arg-type]
    bare = cell._replace(form=("", ""), met=((MARKUP, ""),))
    unlinked = replace(row, url="", working_url="", cells=[bare])
    for each in (row, unlinked):
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


def test_each_game_is_written_once_for_every_width() -> None:
    """A phone lays the same cell out below the name: with the opponent, who stands in no other place."""
    html = written(ROW)
    assert html.count("/csa/players/2/") == html.count("/report&amp;entry=1") == 1
    assert '<span class="met"><a href="/csa/players/2/">Botha, Pieter</a></span>' in html


def test_a_phone_names_the_kind_of_bye_and_both_opponents_of_a_round() -> None:
    bye = RoundCell("+", ("allocated bye", "", ""), met=(("allocated bye", ""),))
    twice = join_cells([GAME, GAME, GAME._replace(met=(("Khumalo, Sipho", ""),))])
    html = written(replace(ROW, cells=[bye, twice]))
    assert '<span class="met">allocated bye</span>' in html
    assert '<a href="/csa/players/2/">Botha, Pieter</a>, Khumalo, Sipho</span>' in html


def test_a_name_the_template_does_not_know_is_no_column() -> None:
    """Templates hand an empty text over for whatever their caller did not name."""
    row = str(cross_rows([ROW], "", 0, ""))  # type: ignore[arg-type]
    assert "1600" not in row
    assert "<details>" not in row
