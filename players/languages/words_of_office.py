"""Marks what an office's people wrote where the page around it speaks another language."""

from __future__ import annotations

from django.utils import translation
from django.utils.html import format_html
from django.utils.safestring import SafeString

from players.languages.choice import Speaking


def said_by(office: Speaking, words: str) -> str | SafeString:
    """The words of an office, marked with its language where the page speaks another."""
    if not words or office.language == translation.get_language():
        return words
    return format_html('<span lang="{}">{}</span>', office.language, words)
