"""Tools for translators.

As a program, `messages` updates all catalogues from the sources, and `translations` compiles them and prints
their faults.
"""

from __future__ import annotations

import io
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import django
import polib
from babel.messages.extract import extract
from django.conf import settings
from django.utils.translation import templatize

from federation_site.catalogues import compile_stale, folders_of_rulesets
from ratings.rulesets import examples

# ---- Texts marked for translation
SOURCE_FOLDERS = ("federation_site", "players", "ratings", "templates", "tournaments")
_TEMPLATES = (".html", ".txt")
_MARKS = {
    **dict.fromkeys(("_", "_lazy", "now", "later", "gettext", "gettext_lazy", "gettext_noop"), None),
    **dict.fromkeys(("ngettext", "ngettext_lazy"), (1, 2)),
    **dict.fromkeys(("pgettext", "pgettext_lazy"), ((1, "c"), 2)),
    **dict.fromkeys(("npgettext", "npgettext_lazy"), ((1, "c"), 2, 3)),
}
"""The functions that mark a text, and which of their arguments are singular, plural and context."""
_EXAMPLES = ".expected"
"""The suffix of the files of worked examples."""


@dataclass(frozen=True, slots=True, order=True)
class TextKey:
    """The English text, and a context that distinguishes equal texts."""

    text: str
    context: str = ""


@dataclass(slots=True)
class MarkedText:
    """A text to be translated, with all its sources."""

    key: TextKey
    plural: str = ""
    files: set[str] = field(default_factory=set)
    """Paths from the project's root; without lines, so that catalogues change only with texts."""
    comments: set[str] = field(default_factory=set)


def messages_in(root: Path, files: Iterable[Path]) -> dict[TextKey, MarkedText]:
    """Collect the messages of `files`, which are below `root`, by key."""
    found: dict[TextKey, MarkedText] = {}
    for path in files:
        for text, plural, context, comments in _marked_in(path):
            key = TextKey(text, context)
            message = found.setdefault(key, MarkedText(key))
            message.plural = message.plural or plural
            message.files.add(path.relative_to(root).as_posix())
            message.comments.update(comments)
    return found


def site_sources(root: Path) -> list[Path]:
    """The sources for the site's own catalogue: all but tests and rulesets."""
    everywhere = (path for folder in SOURCE_FOLDERS for path in _sources_below(root / folder))
    rulesets = set(folders_of_rulesets(root))
    return sorted(path for path in everywhere if rulesets.isdisjoint(path.parents))


def sources_of_ruleset(folder: Path) -> list[Path]:
    """The sources for the catalogue in a ruleset's folder."""
    return sorted(_sources_below(folder))


def _sources_below(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        if path.suffix in (".py", _EXAMPLES, *_TEMPLATES) and not {"tests", "migrations"} & set(path.parts):
            yield path


def _marked_in(path: Path) -> Iterator[tuple[str, str, str, list[str]]]:
    """Yield text, plural, context and comments of each marked text of a file."""
    if path.suffix == _EXAMPLES:
        example = examples.read_example(path)
        yield example.title, "", examples.TITLE_CONTEXT, ["title of a worked example"]
        yield example.words, "", "", ["words of a worked example"]
        return
    source = path.read_text(encoding="utf-8")
    if path.suffix in _TEMPLATES:
        # Django makes calls of a template, which are no valid Python if indented.
        source = re.sub(r"(?m)^[ \t]+", "", templatize(source, origin=str(path)))
    lines = io.BytesIO(source.encode())
    marked = extract("python", lines, _MARKS, ["Translators:"], strip_comment_tags=True)
    for _line, texts, comments, context in marked:
        text, plural = texts if isinstance(texts, (tuple, list)) else (texts, "")
        if text:
            yield text, plural, context or "", list(comments)


# ---- Updating catalogues
WIDTH = 110


def messages_by_catalogue(root: Path) -> Iterator[tuple[Path, dict[TextKey, MarkedText]]]:
    """Yield each folder of catalogues with its messages; a ruleset's catalogue omits those of the site's."""
    site = messages_in(root, site_sources(root))
    yield root / "locale", site
    for folder in folders_of_rulesets(root):
        own = messages_in(root, sources_of_ruleset(folder))
        yield folder / "locale", {key: message for key, message in own.items() if key not in site}


def catalogue_file(folder: Path, language: str) -> Path:
    return folder / language / "LC_MESSAGES" / "django.po"


@cache
def plural_rule(language: str) -> str:
    """A language's `Plural-Forms`, which must be those of Django's catalogue, because the two are merged."""
    path = Path(django.__file__).parent / "conf/locale" / language / "LC_MESSAGES" / "django.po"
    return polib.pofile(str(path)).metadata["Plural-Forms"]


def catalogue_entries(path: Path) -> dict[TextKey, polib.POEntry]:
    """The entries of a catalogue by key; empty if there is no file."""
    if not path.exists():
        return {}
    entries = polib.pofile(str(path), wrapwidth=WIDTH)
    return {TextKey(entry.msgid, entry.msgctxt or ""): entry for entry in entries if not entry.obsolete}


def write_catalogue(path: Path, language: str, messages: Mapping[TextKey, MarkedText]) -> None:
    """Write a catalogue of `messages`, sorted, keeping its translations."""
    before = catalogue_entries(path)
    catalogue = polib.POFile(wrapwidth=WIDTH)
    catalogue.metadata = {
        "Language": language,
        "MIME-Version": "1.0",
        "Content-Type": "text/plain; charset=UTF-8",
        "Content-Transfer-Encoding": "8bit",
        "Plural-Forms": plural_rule(language),
    }
    for key in sorted(messages):
        catalogue.append(_entry(messages[key], before.get(key), count_plural_forms(language)))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(str(catalogue) + "\n", encoding="utf-8")


def count_plural_forms(language: str) -> int:
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


# ---- Checking catalogues
_PLACEHOLDERS = re.compile(r"%\((\w+)\)[sd]|\{(\w*)\}|(%%)")
_TAGS = re.compile(r"</?[a-zA-Z][^>]*>")
_ENTITIES = re.compile(r"&[a-z]+;|&#\d+;")


def faults_of_catalogue(
    path: Path, language: str, messages: Mapping[TextKey, MarkedText]
) -> Iterator[tuple[str, str]]:
    """Yield each fault of a catalogue: the English text, and what is wrong with its translation."""
    entries = catalogue_entries(path)
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
    if not entry.msgid_plural:
        yield from _faults(entry.msgid, entry.msgstr)
        return
    if len(entry.msgstr_plural) != count_plural_forms(language):
        yield f"has {len(entry.msgstr_plural)} forms of the plural in place of {count_plural_forms(language)}"
    for number, translated in entry.msgstr_plural.items():
        # The form for one may have "one" as a word instead of the number.
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


# ---- Commands
ROOT = Path(__file__).resolve().parents[1]
LANGUAGES = ("cs", "pl", "ru")


def update_catalogues() -> int:
    """Update each catalogue from the sources, and print how much of it is translated."""
    for folder, messages in messages_by_catalogue(ROOT):
        for language in LANGUAGES:
            path = catalogue_file(folder, language)
            write_catalogue(path, language, messages)
            done = sum(entry.translated() for entry in catalogue_entries(path).values())
            print(f"{path.relative_to(ROOT)}: {done} of {len(messages)} are translated")
    return 0


def check_translations() -> int:
    """Compile the catalogues and print their faults; return 1 if there are any."""
    compile_stale(ROOT)
    count = 0
    for folder, messages in messages_by_catalogue(ROOT):
        for language in LANGUAGES:
            path = catalogue_file(folder, language)
            for text, fault in faults_of_catalogue(path, language, messages):
                print(f"{path.relative_to(ROOT)}: “{text}” {fault}")
                count += 1
    print(f"{count} faults" if count else "All catalogues are whole.")
    return min(count, 1)


def main(arguments: list[str]) -> int:
    settings.configure(USE_I18N=True)
    django.setup()
    commands = {"messages": update_catalogues, "translations": check_translations}
    if len(arguments) != 1 or arguments[0] not in commands:
        print(f"One of: {', '.join(commands)}", file=sys.stderr)
        return 2
    return commands[arguments[0]]()


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
