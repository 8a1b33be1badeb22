"""The rows of a table, written in Python, say what django-tables2's own rows say."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import django_tables2 as tables
import pytest
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString

from players.models import Federation, Player, Region
from players.templatetags.ui import table_rows


class Linked(tables.Table):
    name = tables.Column(linkify=lambda record: f"/of/{record['k']}/")
    bare = tables.Column(accessor="name")

    def render_bare(self) -> str:
        return "always this"


OF_ITS_ROW = {"td": {"class": lambda value, record: f"is-{record['k']}"}}


class Sample(tables.Table):
    row_header = "name"
    name = tables.Column(verbose_name="Na<me")
    points = tables.Column(default="none yet", attrs={"td": {"class": "num"}})
    twice = tables.Column(accessor="points", empty_values=())
    inner = tables.Column(accessor="deep__word")
    when = tables.Column(empty_values=(None,))
    marked = tables.Column(accessor="name", attrs=OF_ITS_ROW)
    whole = tables.TemplateColumn("{{ record.k }}/{{ value }}", accessor="name")

    def render_twice(self, record: dict[str, Any], value: Any) -> SafeString:
        return format_html("<b>{}</b>", f"{value}<{record['k']}")


def row(**given: Any) -> dict[str, Any]:
    return {"k": 1, "name": "A & B", "points": 2, "deep": {"word": "x"}, "when": date(2026, 5, 3), **given}


def theirs(table: tables.Table) -> list[list[str]]:
    """The contents of the cells as django-tables2 works them out."""
    return [[str(cell) for cell in each] for each in table.paginated_rows]


ROWS = [
    row(),
    row(k=2, name="<script>", points=None, deep=None, when=None),
    row(k=3, name="", points=Decimal("1234.5"), deep={}, when=datetime(2026, 5, 3, 12, tzinfo=UTC)),
    row(k=4, points=""),
]


@pytest.mark.parametrize("given", ROWS)
def test_each_cell_holds_what_django_tables2_puts_there(given: dict[str, Any]) -> None:
    written = table_rows(Sample([given]))
    for content in theirs(Sample([given]))[0]:
        escaped = content if content.startswith("<b>") else str(format_html("{}", content))
        assert escaped in written or content.startswith("2026-"), content  # a day is written as its reader's


def test_the_cell_that_names_a_row_is_its_header_and_every_other_says_its_column() -> None:
    written = table_rows(Sample([row()]))
    assert written.startswith('<tr class="even">')
    assert '<th scope="row" >A &amp; B</th>' in written
    assert '<td data-label="Points" class="num">2</td>' in written
    assert written.count("<td") == 6


def test_what_comes_from_outside_is_escaped_and_what_a_column_marks_as_safe_is_not() -> None:
    written = table_rows(Sample([row(name="<script>")]))
    assert "<script>" not in written
    assert "<b>2&lt;1</b>" in written


def test_an_empty_value_shows_the_default_unless_the_column_takes_it() -> None:
    written = table_rows(Sample([row(points=None, deep=None, when=None)]))
    assert ">none yet</td>" in written
    assert "<b>None&lt;1</b>" in written
    assert '<td data-label="Inner" >—</td>' in written


def test_a_column_may_link_and_its_words_may_need_nothing_of_the_row() -> None:
    written = table_rows(Linked([row()]))
    assert '<a href="/of/1/">A &amp; B</a>' in written
    assert ">always this</td>" in written


def test_attributes_that_follow_from_a_row_are_of_that_row() -> None:
    written = table_rows(Sample([row(), row(k=2)]))
    assert 'class="is-1"' in written
    assert 'class="is-2"' in written


def test_a_day_and_a_number_are_written_as_the_reader_is_used_to() -> None:
    written = table_rows(Sample([row()]))
    assert f">{date_format(date(2026, 5, 3))}</td>" in written


class Choices(tables.Table):
    sex = tables.Column()
    region = tables.Column(accessor="region__name")
    shown = tables.Column(accessor="get_absolute_url")


def test_a_choice_stands_in_its_words_and_a_method_is_called(csa: Federation) -> None:
    region = Region(federation=csa, code="XX", name="Far & Wide")
    player = Player(federation=csa, number="7", surname="Nkosi", sex="f", region=region)
    written = table_rows(Choices([player]))
    assert ">female</td>" in written
    assert ">Far &amp; Wide</td>" in written
    assert ">/csa/players/7/</td>" in written
    assert '<td data-label="Region" >—</td>' in table_rows(Choices([Player(federation=csa, number="8")]))
