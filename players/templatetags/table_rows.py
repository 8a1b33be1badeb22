"""The template tag for the rows of a table."""

from __future__ import annotations

import django_tables2 as tables
from django import template
from django.utils.safestring import SafeString

from players.pages.table_body import table_body

register = template.Library()


@register.simple_tag
def table_rows(table: tables.Table) -> SafeString:
    return table_body(table)
