"""Catalogues of translations: how they follow the sources."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import django
import polib

from federation_site.languages.compile import folders_of_rulesets
from federation_site.languages.source_messages import (
    MarkedText,
    TextKey,
    messages_in,
    sources_of_house,
    sources_of_ruleset,
)

WIDTH = 110


def messages_of(root: Path) -> Iterator[tuple[Path, dict[TextKey, MarkedText]]]:
    """Give each folder of catalogues with its sources' messages; what the house has, a ruleset has not."""
    house = messages_in(root, sources_of_house(root))
    yield root / "locale", house
    for folder in folders_of_rulesets(root):
        own = messages_in(root, sources_of_ruleset(folder))
        yield folder / "locale", {key: message for key, message in own.items() if key not in house}


def catalogue_file(folder: Path, language: str) -> Path:
    return folder / language / "LC_MESSAGES" / "django.po"


@cache
def plural_rule(language: str) -> str:
    """Read which forms a language's plurals have, as Django's own catalogue has it: both join in one."""
    path = Path(django.__file__).parent / "conf/locale" / language / "LC_MESSAGES" / "django.po"
    return polib.pofile(str(path)).metadata["Plural-Forms"]


def kept(path: Path) -> dict[TextKey, polib.POEntry]:
    """Read what a catalogue holds by key; nothing where there is no file yet."""
    if not path.exists():
        return {}
    entries = polib.pofile(str(path), wrapwidth=WIDTH)
    return {TextKey(entry.msgid, entry.msgctxt or ""): entry for entry in entries if not entry.obsolete}


def write_catalogue(path: Path, language: str, messages: Mapping[TextKey, MarkedText]) -> None:
    """Write a catalogue of exactly `messages`, sorted, with the translations that it has already."""
    before = kept(path)
    catalogue = polib.POFile(wrapwidth=WIDTH)
    catalogue.metadata = {
        "Language": language,
        "MIME-Version": "1.0",
        "Content-Type": "text/plain; charset=UTF-8",
        "Content-Transfer-Encoding": "8bit",
        "Plural-Forms": plural_rule(language),
    }
    for key in sorted(messages):
        catalogue.append(_entry(messages[key], before.get(key), forms_of_plural(language)))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(str(catalogue) + "\n", encoding="utf-8")


def forms_of_plural(language: str) -> int:
    return int(plural_rule(language).removeprefix("nplurals=")[0])


def _entry(message: MarkedText, before: polib.POEntry | None, forms: int) -> polib.POEntry:
    entry = polib.POEntry(
        msgid=message.key.text,
        msgctxt=message.key.context or None,
        comment="\n".join(sorted(message.comments)),
        occurrences=[(file, "") for file in sorted(message.files)],
    )
    if "{" in message.key.text or "%(" in message.key.text:
        entry.flags = ["python-format"] if "%(" in message.key.text else ["python-brace-format"]
    if message.plural:
        entry.msgid_plural = message.plural
        entry.msgstr_plural = dict(before.msgstr_plural) if before else dict.fromkeys(range(forms), "")
    else:
        entry.msgstr = before.msgstr if before else ""
    return entry
