"""Rows of the rules' tables, written in Python: a template takes many times as long for a page of them."""

from __future__ import annotations

from typing import Any

from django import template
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from players.office.models import Federation
from players.templatetags.safe_text import filled, joined
from players.templatetags.ui import clause_label
from ratings.public.common.worded_tables import WordedCell, WordedTable

register = template.Library()

LINK = '<a href="{}">{}</a>'
CLAUSE = '<a class="clause" href="{}"><span class="visually-hidden">{} </span>{}</a>'
UNLINKED = '<span class="clause"><span class="visually-hidden">{} </span>{}</span>'
CONFIRM = (
    '<td data-label="{}"><a class="button secondary small" href="{}">{}'
    '<span class="visually-hidden"> {}</span></a></td>'
)


@register.simple_tag(takes_context=True)
def rule_rows(context: template.Context, table: WordedTable) -> SafeString:
    """The rows of a table, each with a cell to confirm the rank that it tells where the reader may do so."""
    confirms = table.confirms and (context.get("may") or {}).get("ranks_confirm", False)
    word = _("clause")
    return joined(
        filled(
            "<tr>{}{}</tr>",
            joined(_cell(cell, word) for cell in cells),
            _confirm(cells, values, context["office"]) if confirms else "",
        )
        for cells, values in table.rows
    )


def _cell(cell: WordedCell, clause: str) -> SafeString:
    if cell.head:
        return filled('<th scope="row">{}</th>', _words(cell))
    words = _clause(cell, clause) if cell.clause else _words(cell)
    kind = "num" if cell.number else "whole" if cell.url and not cell.clause else ""
    drawn = filled(' class="{}"', kind) if kind else ""
    return filled('<td data-label="{}"{}>{}</td>', cell.label, drawn, words)


def _clause(cell: WordedCell, word: str) -> SafeString:
    label = clause_label(cell.clause)
    return filled(CLAUSE, cell.url, word, label) if cell.url else filled(UNLINKED, word, label)


def _words(cell: WordedCell) -> SafeString:
    return filled(LINK, cell.url, cell.words) if cell.url else filled("{}", cell.words)


def _confirm(cells: list[WordedCell], values: dict[str, Any], office: Federation) -> SafeString:
    """The cell that leads to the confirmation of a rank."""
    asked = urlencode({name: values.get(name, "") for name in ("player", "rank", "clause")})
    address = f"{reverse('ratings:confirm_rank', args=[office.code])}?{asked}"
    whose = " ".join(cell.words for cell in cells if cell.head)
    return filled(CONFIRM, _("Decision"), address, _("Confirm"), whose)
