"""Finds what is wrong with a catalogue: missing or doubtful entries, other placeholders, plurals left out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import polib

from federation_site.languages.catalogues import forms_of_plural, kept
from federation_site.languages.source_messages import MarkedText, TextKey

_PLACEHOLDERS = re.compile(r"%\((\w+)\)[sd]|\{(\w*)\}|(%%)")
_TAGS = re.compile(r"</?[a-zA-Z][^>]*>")
_ENTITIES = re.compile(r"&[a-z]+;|&#\d+;")


def faults_of_catalogue(
    path: Path, language: str, messages: Mapping[TextKey, MarkedText]
) -> Iterator[tuple[str, str]]:
    """Give each fault of a catalogue: the English text, and what is wrong with its translation."""
    entries = kept(path)
    for key in messages:
        if key not in entries:
            yield key.text, "is missing: run `make messages`"
    for key, entry in entries.items():
        if key not in messages:
            yield key.text, "stands in no source any more: run `make messages`"
        elif entry.fuzzy:
            yield key.text, "is marked fuzzy"
        else:
            for fault in faults_of_entry(entry, language):
                yield key.text, fault


def faults_of_entry(entry: polib.POEntry, language: str) -> Iterator[str]:
    """Give what is wrong with one translation."""
    if not entry.msgid_plural:
        yield from _faults(entry.msgid, entry.msgstr)
        return
    if len(entry.msgstr_plural) != forms_of_plural(language):
        yield f"has {len(entry.msgstr_plural)} forms of the plural in place of {forms_of_plural(language)}"
    for number, translated in entry.msgstr_plural.items():
        # A form for one may say "one" in words, so it may do without its number.
        may_lack = _placeholders(entry.msgid_plural) - _placeholders(entry.msgid)
        yield from _faults(entry.msgid_plural, translated, may_lack if number == 0 else Counter())


def _faults(text: str, translated: str, may_lack: Counter[str] | None = None) -> Iterator[str]:
    if not translated.strip():
        yield "is not translated"
        return
    for what, found in (("placeholders", _placeholders), ("tags", _tags)):
        lacks, adds = found(text) - found(translated), found(translated) - found(text)
        lacks = lacks - (may_lack or Counter()) if what == "placeholders" else lacks
        if lacks or adds:
            yield f"has other {what}: lacks {sorted(lacks)}, adds {sorted(adds)}"
    if text[:1].isspace() != translated[:1].isspace() or text[-1:].isspace() != translated[-1:].isspace():
        yield "begins or ends with a space where the other does not"


def _placeholders(text: str) -> Counter[str]:
    return Counter(match.group(0) for match in _PLACEHOLDERS.finditer(text))


def _tags(text: str) -> Counter[str]:
    return Counter(_TAGS.findall(text)) + Counter(_ENTITIES.findall(text))
