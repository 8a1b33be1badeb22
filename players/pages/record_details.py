"""The details of decisions as words: their labels, and their values, codes by theirs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.safestring import SafeString
from django.utils.translation import gettext as now
from django.utils.translation import gettext_lazy as _

from players.drawing.days_in_words import day_in_words, days_in_words
from players.office.models import Role
from players.office.record_chain_and_sealed_words import WORDS
from players.office.settings_schema import SettingTerms, terms_of_settings
from players.templatetags.safe_text import joined

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


THINGS: Mapping[str, Any] = {
    "section": _("section %(key)s"),
    "event": _("event %(key)s"),
    "player": _("player %(key)s"),
    "region": _("region %(key)s"),
    "season": _("season %(key)s"),
    "case": _("case %(key)s"),
    "checkpoint": _("checkpoint %(key)s"),
    "decision": _("decision %(key)s"),
    "log": _("log %(key)s"),
    "office": _("office %(key)s"),
    "rules": _("rules %(key)s"),
    "register": _("register"),
    "cases": _("cases"),
    "files": _("files"),
    "history": _("history"),
}
"""The words by which sentences name what decisions are about, each with its key where there is one."""


def thing_in_words(about: str) -> str:
    """Name what a decision is about: a list by its day, others by word and key; else as recorded."""
    what, _space, key = about.partition(" ")
    if what == "list":
        return now("list of %(day)s") % {"day": day_in_words(key)}
    return THINGS[what] % {"key": key} if what in THINGS else about


MOST_LISTED = 10
"""The number of values of one detail that are named; a longer list ends with their number."""


def in_words(given: Any) -> str:
    """A decision's detail as text: names with values, a list by commas, a checksum by how it begins."""
    if isinstance(given, dict):
        return ", ".join(f"{name}: {_pair(part) or in_words(part)}" for name, part in given.items())
    if isinstance(given, list) and len(given) > MOST_LISTED:
        return f"{', '.join(map(in_words, given[:MOST_LISTED]))} … ({len(given)})"
    if isinstance(given, list):
        parts = [in_words(each) for each in given]
        safe = [each for each in parts if isinstance(each, SafeString)]
        return joined(safe, ", ") if len(safe) == len(parts) else ", ".join(parts)
    text = str(given)
    return f"{text[:12]}" if len(text) == 64 and text.isalnum() else text


def _pair(given: Any) -> str:
    """A setting's value before and after; empty for whatever is no such pair."""
    if not isinstance(given, list) or len(given) != 2 or any(isinstance(each, dict | list) for each in given):
        return ""
    return f"{in_words(given[0]) or '–'} → {in_words(given[1]) or '–'}"


HINTS: Mapping[str, Any] = {
    "same-event": _("the same event twice"),
    "two-places": _("in two places on one day"),
    "look-alike": _("a name that looks like another’s"),
    "far-score": _("a score far from expectation"),
}
PARTICULARS: Mapping[str, Any] = {
    "arbiters": _("arbiters"),
    "birth": _("birth"),
    "club": _("club"),
    "country": _("country"),
    "deceased": _("deceased"),
    "ends": _("last day"),
    "first_name": _("first name"),
    "included_by": _("included by the decision"),
    "name": _("name"),
    "nation": _("nation"),
    "organizer": _("chief organiser"),
    "place": _("place"),
    "region": _("region"),
    "resident": _("lives in the country"),
    "sex": _("sex"),
    "starts": _("first day"),
    "surname": _("surname"),
    "title": _("title"),
    "withheld": _("withheld"),
}
"""The particulars of events and of players, as an edit or a correction names them."""
OF_SECTIONS: Mapping[str, Any] = {"code": _("code"), "format": _("format"), "team": _("team section")}
"""The particulars that sections alone have; those of their rulesets bring their labels."""
UNRATED: Mapping[str, Any] = {
    "result": _("a game was entered wrongly"),
    "player": _("somebody was taken for somebody else"),
    "particulars": _("dates, time control, rounds or place were wrong"),
    "duplicate": _("it was rated twice"),
    "breach": _("a clause forbade rating it"),
    "appeal": _("decided on appeal"),
    "withdrawn": _("the organiser withdrew it"),
    "other": _("another reason"),
}
CODES: Mapping[tuple[str, str], Mapping[str, Any]] = {
    ("answer-hint", "hint"): HINTS,
    ("answer-hint", "outcome"): {"right": _("it is right"), "asked": _("the region was asked")},
    ("close-case", "outcome"): {
        "corrected": _("it was wrong and is corrected"),
        "nothing-wrong": _("nothing is wrong"),
        "not-ours": _("others decide about it"),
        "withdrawn": _("the report was withdrawn"),
        "lapsed": _("it was answered, and nobody wrote again"),
    },
    ("correct", "changes"): PARTICULARS,
    ("correct", "fields"): PARTICULARS,
    ("edit", "changed"): PARTICULARS,
    ("edit", "edited"): {**PARTICULARS, **OF_SECTIONS},
    ("complete", "edited"): {**PARTICULARS, **OF_SECTIONS},
    ("leave-hints", "kinds"): HINTS,
    ("unrate", "reason"): UNRATED,
}
"""The words for codes, by kind of decision and detail."""


SPANS = frozenset({"days_before", "days_now", "event_days_before", "event_days_now"})
"""Details that are a first and a last day."""


def worded(kind: str, key: str, given: Any) -> Any:
    """A decision's detail with its codes and days in words; what people wrote stays as it is."""
    if (kind, key) == ("set", "changed") and isinstance(given, dict):
        return _settings(given)
    if key in SPANS and isinstance(given, list) and len(given) == 2:
        return days_in_words(given)
    words = dict(Role.choices) if key == "role" else CODES.get((kind, key), {})
    return given if key in WORDS and not words else _in(words, given)


def _in(words: Mapping[str, Any], given: Any) -> Any:
    if isinstance(given, dict):
        # PostgreSQL gives a JSON object back in an order of its own
        return {_in(words, name): part for name, part in sorted(given.items())}
    if isinstance(given, list):
        return [_in(words, each) for each in given]
    return str(words.get(given) or day_in_words(given)) if isinstance(given, str) else given


def _settings(changed: Mapping[str, Any]) -> dict[str, Any]:
    terms = terms_of_settings()
    return {
        str(terms[name].label) if name in terms else name: (
            [_setting(terms[name], each) for each in pair] if name in terms else pair
        )
        for name, pair in sorted(changed.items())
    }


def _setting(terms: SettingTerms, value: Any) -> str:
    if isinstance(value, bool):
        return now("on") if value else now("off")
    return str(dict(terms.choices).get(value, value)) or "–"
