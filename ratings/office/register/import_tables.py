"""Tables of imports into the register, and of the effect of each row."""

from __future__ import annotations

from typing import Any

import django_tables2 as tables
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from players.importing.models import RegisterImport, RegisterLine
from players.importing.problem_messages import label, say
from players.office.models import Federation, User
from players.pages.table_columns import NumberColumn
from players.templatetags.people import known_in


class ImportsTable(tables.Table):
    caption = gettext_lazy("Tables that came in")
    row_header = "name"
    name = tables.Column(verbose_name=gettext_lazy("Table"))
    on = tables.DateColumn(verbose_name=gettext_lazy("Uploaded"), format="SHORT_DATE_FORMAT")
    by = tables.Column(verbose_name=gettext_lazy("By"), default="–")
    state = tables.Column(verbose_name=gettext_lazy("State"))
    counts = tables.Column(verbose_name=gettext_lazy("New, changed"), default="–")

    class Meta:
        attrs = {"class": "cards"}
        orderable = False
        empty_text = gettext_lazy("None came in yet.")

    def render_name(self, record: RegisterImport) -> str:
        url = reverse("ratings:register_import", args=[record.federation.code, record.pk])
        return format_html('<a href="{}">{}</a>', url, record.name)

    def render_by(self, record: RegisterImport, value: User) -> str:
        return known_in(value, record.federation)

    def render_counts(self, value: dict[str, int]) -> str:
        return f"{value['new']}, {value['changed']}" if value else "–"


class LinesTable(tables.Table):
    """The table of an import's rows with the effect of each on the register. Private: it shows births."""

    caption = gettext_lazy("Row by row")
    row_header = "line"
    line = NumberColumn(verbose_name=gettext_lazy("Row"))
    kind = tables.Column(verbose_name=gettext_lazy("It is"))
    name = tables.Column(verbose_name=gettext_lazy("Player"), default="–")
    what = tables.Column(
        verbose_name=gettext_lazy("What it changes"), accessor="pk", attrs={"td": {"class": "whole"}}
    )

    class Meta:
        attrs = {"class": "cards"}
        orderable = False
        empty_title = gettext_lazy("No such row")
        empty_text = gettext_lazy("No row of the table is of this kind.")

    def __init__(self, *args: Any, office: Federation, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.office = office

    def render_name(self, record: RegisterLine) -> str:
        if record.player_id is None:
            return format_html(
                '{}<span class="sub">{}</span>', record.name, record.number or _("a new number")
            )
        url = reverse("ratings:player", args=[self.office.code, record.number])
        return format_html('<a href="{}">{}</a><span class="sub">{}</span>', url, record.name, record.number)

    def render_what(self, record: RegisterLine) -> str:
        if record.kind == RegisterLine.Kind.PROBLEM:
            told = ((label(each["column"]), say(each)) for each in record.problems)
            return _listed(format_html("<strong>{}</strong> {}", *one) if one[0] else one[1] for one in told)
        if record.kind == RegisterLine.Kind.UNCHANGED:
            return "–"
        changes = [_change(column, *values) for column, values in record.changes.items()]
        return _listed([*_opening(record), *changes])


class ComingListTable(tables.Table):
    """The first rows of the list that opening ratings would give, by the rules."""

    caption = gettext_lazy("The list that would come out")
    row_header = "name"
    rank = NumberColumn(verbose_name=gettext_lazy("Rank"))
    name = tables.Column(verbose_name=gettext_lazy("Player"), default="–")
    number = tables.Column(verbose_name=gettext_lazy("Number"))
    rating = NumberColumn(verbose_name=gettext_lazy("Rating"))
    games = NumberColumn(verbose_name=gettext_lazy("Games"))

    class Meta:
        attrs = {"class": "cards"}
        orderable = False
        empty_text = gettext_lazy("Nobody would be listed.")

    def __init__(self, job: RegisterImport) -> None:
        names = ("rank", "number", "name", "rating", "games")
        super().__init__([dict(zip(names, row, strict=True)) for row in job.coming_list])

    def render_number(self, value: str) -> str:
        return value or _("a new number")

    def render_rating(self, value: str) -> str:
        return value


def _opening(line: RegisterLine) -> list[str]:
    """The opening that a row brings, in words; and whether the name alone told who it is."""
    if not line.opening:
        return []
    words = _("%(rating)s with %(games)s games") % line.opening
    told = format_html("<strong>{}</strong> {}", _("opening rating"), words)
    found = [_("Found in the register by the name alone: check who it is.")] if line.opening.get("by") else []
    return [told, *found]


def _change(column: str, before: str, after: str) -> str:
    if not before:
        return format_html("<strong>{}</strong> {}", label(column), after)
    gone = after or _("nothing")
    return format_html("<strong>{}</strong> <del>{}</del> → <ins>{}</ins>", label(column), before, gone)


def _listed(parts: Any) -> str:
    return format_html_join("", '<span class="change">{}</span>', ((part,) for part in parts))
