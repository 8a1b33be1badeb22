"""The style sheets of every page: one by one where files are served as they lie, as one once collected."""

from __future__ import annotations

from django import template
from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.utils.safestring import SafeString

from players.templatetags.safe_text import filled, joined

register = template.Library()

STYLES = tuple(
    f"css/{name}.css"
    for name in (
        *("pico", "tokens", "layout", "components", "tables", "forms"),
        *("workings", "ratings", "office", "touch", "print"),
    )
)
"""The sheets in the order in which they are laid over each other."""
ALL_STYLES = "css/all.css"
"""All of these in one, as collected: a first visit asks once, not eleven times."""


@register.simple_tag
def style_links() -> SafeString:
    collected = getattr(staticfiles_storage, "hashed_files", {})
    sheets = (ALL_STYLES,) if ALL_STYLES in collected and not settings.DEBUG else STYLES
    return joined(
        (filled('<link rel="stylesheet" href="{}">', staticfiles_storage.url(sheet)) for sheet in sheets),
        "\n",
    )
