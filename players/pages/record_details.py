"""The details of decisions as words: their labels, and their values."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy as _

LABELS: dict[str, Any] = {
    "births": _("births"),
    "changed": _("changed"),
    "changes": _("changes"),
    "fact": _("journal line"),
    "fields": _("fields"),
    "given": _("sections given to it"),
    "other": _("other entry"),
    "former_rules": _("instead of rules"),
    "layout": _("as"),
    "left_out": _("left out"),
    "line": _("up to line"),
    "lists": _("lists that stay"),
    "new": _("new"),
    "number": _("number"),
    "new_players": _("new players"),
    "players": _("players"),
    "program": _("version"),
    "proof": _("proof"),
    "published": _("seal of lists and errata"),
    "ratings": _("ratings that moved"),
    "reason": _("reason"),
    "region": _("region"),
    "role": _("role"),
    "rules": _("rules"),
    "sections": _("sections and other facts"),
    "ends": _("to"),
    "starts": _("from"),
    "waived": _("to be waived"),
}


MOST_LISTED = 10
"""The number of values of one detail that are named; a longer list ends with their number."""


def in_words(given: Any) -> str:
    """A decision's detail as text: names with values, a list by commas, a checksum by how it begins."""
    if isinstance(given, dict):
        return ", ".join(f"{name}: {_pair(part) or in_words(part)}" for name, part in given.items())
    if isinstance(given, list) and len(given) > MOST_LISTED:
        return f"{', '.join(map(in_words, given[:MOST_LISTED]))} … ({len(given)})"
    if isinstance(given, list):
        return ", ".join(map(in_words, given))
    text = str(given)
    return f"{text[:12]}" if len(text) == 64 and text.isalnum() else text


def _pair(given: Any) -> str:
    """A setting's value before and after; empty for whatever is no such pair."""
    if not isinstance(given, list) or len(given) != 2 or any(isinstance(each, dict | list) for each in given):
        return ""
    return f"{in_words(given[0])} → {in_words(given[1])}"
