"""Template tags of languages: the switch at a page's foot, and words in another language than the page's."""

from __future__ import annotations

from functools import cache
from typing import Any

from django import template
from django.conf import settings
from django.template.context import Context
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from players.languages.words_of_office import said_by
from players.office.models import Federation
from players.office.reauthentication import page_of

register = template.Library()
CURRENT = format_html(' aria-current="{}"', "true")


@register.inclusion_tag("components/language_switch.html", takes_context=True)
def language_switch(context: Context) -> dict[str, Any]:
    """Context for the switch: a button for each language, by its own name, and the page to come back to."""
    request = context.get("request")
    if request is None or len(settings.LANGUAGES) < 2:
        return {"buttons": ""}
    offered = tuple((code, name) for code, name in settings.LANGUAGES)
    return {"buttons": buttons_of(offered, get_language() or ""), "page": page_of(request)}


@register.filter("said_by")
def said_by_office(words: str, office: Federation | None) -> str:
    """The words of an office's people, marked where the page speaks another language; outside of an office as
    they are.
    """
    return said_by(office, words) if office else words


@cache
def buttons_of(languages: tuple[tuple[str, str], ...], current: str) -> SafeString:
    """Draw the button of each language once for all pages."""
    return format_html_join(
        "\n",
        '<button class="link" name="language" value="{0}" lang="{0}"{2}>{1}</button>',
        ((code, name, CURRENT if code == current else "") for code, name in languages),
    )
