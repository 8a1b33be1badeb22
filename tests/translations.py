"""Catalogues of translations: `messages` updates them from the sources, `translations` prints their faults.

Babel finds the marked texts, polib writes them.
"""

from __future__ import annotations

import io
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from copy import copy
from functools import cache
from pathlib import Path

import django
import polib
from babel.messages.extract import extract
from django.conf import settings
from django.utils.translation import templatize

from federation_site.catalogues import compile_stale, folders_of_rulesets
from ratings.rulesets import examples

ROOT = Path(__file__).resolve().parents[1]
LANGUAGES = ("cs", "pl", "ru")
SOURCE_FOLDERS = ("federation_site", "players", "ratings", "templates", "tournaments")
SUFFIXES = (".py", ".html", ".txt", ".expected")
"""Those of programs, of templates and of worked examples."""
MARKS = {
    **dict.fromkeys(("_", "_lazy", "now", "later", "gettext", "gettext_lazy", "gettext_noop"), None),
    **dict.fromkeys(("ngettext", "ngettext_lazy"), (1, 2)),
    **dict.fromkeys(("pgettext", "pgettext_lazy"), ((1, "c"), 2)),
    **dict.fromkeys(("npgettext", "npgettext_lazy"), ((1, "c"), 2, 3)),
}
"""The functions that mark a text, and which of their arguments are singular, plural and context."""
WIDTH = 110
PLACEHOLDERS = re.compile(r"%\((?:\w+)\)[sd]|\{\w*\}|%%")
TAGS = re.compile(r"</?[a-zA-Z][^>]*>|&[a-z]+;|&#\d+;")
NOTHING: Counter[str] = Counter()

Entries = dict[tuple[str, str], polib.POEntry]
"""Entries by English text and context."""


def extract_entries(root: Path, files: Iterable[Path]) -> Entries:
    """The untranslated entries of all texts that `files`, which are below `root`, mark.

    They name files without lines, so that catalogues change only with texts.
    """
    found: Entries = {}
    for path in files:
        for text, plural, context, comments in marked_texts(path):
            entry = found.setdefault((text, context), polib.POEntry(msgid=text, msgctxt=context or None))
            entry.msgid_plural = entry.msgid_plural or plural
            entry.occurrences = sorted({*entry.occurrences, (path.relative_to(root).as_posix(), "")})
            entry.comment = "\n".join(sorted({*entry.comment.splitlines(), *comments}))
            if "{" in text or "%(" in text:
                entry.flags = ["python-format" if "%(" in text else "python-brace-format"]
    return found


def marked_texts(path: Path) -> Iterator[tuple[str, str, str, list[str]]]:
    """Yield text, plural, context and comments of each marked text of a file."""
    if path.suffix == ".expected":
        example = examples.read_example(path)
        yield example.title, "", examples.TITLE_CONTEXT, ["title of a worked example"]
        yield example.words, "", "", ["words of a worked example"]
        return
    source = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        # Django makes calls of a template, which are no valid Python if indented.
        source = re.sub(r"(?m)^[ \t]+", "", templatize(source, origin=str(path)))
    marked = extract("python", io.BytesIO(source.encode()), MARKS, ["Translators:"], strip_comment_tags=True)
    for _line, texts, comments, context in marked:
        text, plural = texts if isinstance(texts, (tuple, list)) else (texts, "")
        if text:
            yield text, plural, context or "", list(comments)


def sources_below(folder: Path) -> list[Path]:
    found = (path for path in folder.rglob("*") if path.suffix in SUFFIXES)
    return sorted(path for path in found if not {"tests", "migrations"} & set(path.parts))


def site_sources(root: Path) -> list[Path]:
    """The sources for the site's own catalogue: all but tests and rulesets."""
    rulesets = set(folders_of_rulesets(root))
    everywhere = (path for folder in SOURCE_FOLDERS for path in sources_below(root / folder))
    return [path for path in everywhere if rulesets.isdisjoint(path.parents)]


def entries_by_catalogue(root: Path) -> Iterator[tuple[Path, Entries]]:
    """Yield each folder of catalogues with its entries; a ruleset's catalogue omits those of the site's."""
    site = extract_entries(root, site_sources(root))
    yield root / "locale", site
    for folder in folders_of_rulesets(root):
        own = extract_entries(root, sources_below(folder))
        yield folder / "locale", {key: entry for key, entry in own.items() if key not in site}


def catalogue_file(folder: Path, language: str) -> Path:
    return folder / language / "LC_MESSAGES" / "django.po"


def read_catalogue(path: Path) -> Entries:
    """The entries of a catalogue; empty if there is no file."""
    entries = polib.pofile(str(path), wrapwidth=WIDTH) if path.exists() else []
    return {(entry.msgid, entry.msgctxt or ""): entry for entry in entries if not entry.obsolete}


def write_catalogue(path: Path, language: str, entries: Entries) -> None:
    """Write a catalogue of `entries`, sorted, keeping its translations."""
    before = read_catalogue(path)
    catalogue = polib.POFile(wrapwidth=WIDTH)
    catalogue.metadata = {
        "Language": language,
        "MIME-Version": "1.0",
        "Content-Type": "text/plain; charset=UTF-8",
        "Content-Transfer-Encoding": "8bit",
        "Plural-Forms": plural_rule(language),
    }
    for key, found in sorted(entries.items(), key=lambda each: each[0]):
        entry, known = copy(found), before.get(key)
        if entry.msgid_plural:
            forms = dict.fromkeys(range(count_plural_forms(language)), "")
            entry.msgstr_plural = known.msgstr_plural if known else forms
        else:
            entry.msgstr = known.msgstr if known else ""
        catalogue.append(entry)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{catalogue}\n", encoding="utf-8")


@cache
def plural_rule(language: str) -> str:
    """A language's `Plural-Forms`, which must be those of Django's catalogue, because the two are merged."""
    path = catalogue_file(Path(django.__file__).parent / "conf/locale", language)
    return polib.pofile(str(path)).metadata["Plural-Forms"]


def count_plural_forms(language: str) -> int:
    return int(plural_rule(language).removeprefix("nplurals=")[0])


def faults_of_catalogue(path: Path, language: str, sources: Entries) -> Iterator[tuple[str, str]]:
    """Yield each fault of a catalogue: the English text, and what is wrong with its translation."""
    entries = read_catalogue(path)
    for text, context in sources:
        if (text, context) not in entries:
            yield text, "is missing: run `make messages`"
    for key, entry in entries.items():
        if key not in sources:
            yield key[0], "stands in no source any more: run `make messages`"
        elif entry.fuzzy:
            yield key[0], "is marked fuzzy"
        else:
            for fault in faults_of_entry(entry, language):
                yield key[0], fault


def faults_of_entry(entry: polib.POEntry, language: str) -> Iterator[str]:
    if not entry.msgid_plural:
        yield from faults_of_text(entry.msgid, entry.msgstr)
        return
    if len(entry.msgstr_plural) != count_plural_forms(language):
        yield f"has {len(entry.msgstr_plural)} forms of the plural in place of {count_plural_forms(language)}"
    for number, translated in entry.msgstr_plural.items():
        # The form for one may have "one" as a word instead of the number.
        of_one = entry.msgid if number == 0 else entry.msgid_plural
        may_lack = count(PLACEHOLDERS, entry.msgid_plural) - count(PLACEHOLDERS, of_one)
        yield from faults_of_text(entry.msgid_plural, translated, may_lack)


def faults_of_text(text: str, translated: str, may_lack: Counter[str] = NOTHING) -> Iterator[str]:
    if not translated.strip():
        yield "is not translated"
        return
    for what, parts in (("placeholders", PLACEHOLDERS), ("tags", TAGS)):
        wanted, found = count(parts, text), count(parts, translated)
        lacks, adds = wanted - found - may_lack, found - wanted
        if lacks or adds:
            yield f"has other {what}: lacks {sorted(lacks)}, adds {sorted(adds)}"
    if text[:1].isspace() != translated[:1].isspace() or text[-1:].isspace() != translated[-1:].isspace():
        yield "begins or ends with a space where the other does not"


def count(parts: re.Pattern[str], text: str) -> Counter[str]:
    return Counter(parts.findall(text))


def update_catalogues() -> int:
    """Update each catalogue from the sources, and print how much of it is translated."""
    for folder, entries in entries_by_catalogue(ROOT):
        for language in LANGUAGES:
            path = catalogue_file(folder, language)
            write_catalogue(path, language, entries)
            done = sum(entry.translated() for entry in read_catalogue(path).values())
            print(f"{path.relative_to(ROOT)}: {done} of {len(entries)} are translated")
    return 0


def check_translations() -> int:
    """Compile the catalogues and print their faults; return 1 if there are any."""
    compile_stale(ROOT)
    faults = [
        f"{path.relative_to(ROOT)}: “{text}” {fault}"
        for folder, entries in entries_by_catalogue(ROOT)
        for language in LANGUAGES
        for path in [catalogue_file(folder, language)]
        for text, fault in faults_of_catalogue(path, language, entries)
    ]
    print(*faults, f"{len(faults)} faults" if faults else "All catalogues are whole.", sep="\n")
    return min(len(faults), 1)


COMMANDS = {"messages": update_catalogues, "translations": check_translations}

if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in COMMANDS:
        raise SystemExit(f"One of: {', '.join(COMMANDS)}")
    settings.configure(USE_I18N=True)
    django.setup()
    raise SystemExit(COMMANDS[sys.argv[1]]())
