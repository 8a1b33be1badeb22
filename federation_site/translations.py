"""Tools for translators: texts are collected into catalogues, catalogues are checked and compiled.

Run as a program, `messages` brings all catalogues up to the sources, and `translations` compiles them and
prints their faults. The last part makes a language of no country for tests.
"""

from __future__ import annotations

import io
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from importlib import import_module
from pathlib import Path

import django
import polib
from babel.messages.extract import extract
from django.conf import settings
from django.utils.translation import templatize

from federation_site.catalogues import RULESETS, compile_stale, folders_of_rulesets
from ratings.rulesets import examples

# ---- Finds the texts in programs and pages that are marked for translation.
FOLDERS = ("federation_site", "players", "ratings", "templates", "tournaments")
_TEMPLATES = (".html", ".txt")
_MARKS = {
    **dict.fromkeys(("_", "_lazy", "now", "later", "gettext", "gettext_lazy", "gettext_noop"), None),
    **dict.fromkeys(("ngettext", "ngettext_lazy"), (1, 2)),
    **dict.fromkeys(("pgettext", "pgettext_lazy"), ((1, "c"), 2)),
    **dict.fromkeys(("npgettext", "npgettext_lazy"), ((1, "c"), 2, 3)),
}
"""The functions that mark a text, and which of their arguments are singular, plural and context."""
_EXAMPLES = ".expected"
"""The ending of the files that hold what a worked example shows, in words, and its results."""
_TRANSLATORS = ["Translators:"]
"""The beginning of a comment that is meant for translators."""


@dataclass(frozen=True, slots=True, order=True)
class TextKey:
    """The key of a marked text: its English words, and the context that parts equal words."""

    text: str
    context: str = ""


@dataclass(slots=True)
class MarkedText:
    """A text to be translated, with all places where it stands."""

    key: TextKey
    plural: str = ""
    files: set[str] = field(default_factory=set)
    """Paths from the project's root; without lines, so that catalogues change with texts alone."""
    comments: set[str] = field(default_factory=set)


def messages_in(root: Path, files: Iterable[Path]) -> dict[TextKey, MarkedText]:
    """Collect the messages of `files`, which lie below `root`, by key."""
    found: dict[TextKey, MarkedText] = {}
    for path in files:
        for text, plural, context, comments in _marked_in(path):
            key = TextKey(text, context)
            message = found.setdefault(key, MarkedText(key))
            message.plural = message.plural or plural
            message.files.add(path.relative_to(root).as_posix())
            message.comments.update(comments)
    return found


def sources_of_house(root: Path) -> list[Path]:
    """List the sources whose texts stand in the house's own catalogue: all but tests and federations' own."""
    everywhere = (path for folder in FOLDERS for path in _sources_below(root / folder))
    own = {path.parent for path in (root / RULESETS).glob("*/__init__.py")}
    return sorted(path for path in everywhere if own.isdisjoint(path.parents))


def sources_of_ruleset(folder: Path) -> list[Path]:
    """List the sources whose texts stand in the catalogue that a ruleset's folder carries."""
    return sorted(_sources_below(folder))


def _sources_below(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        if path.suffix in (".py", _EXAMPLES, *_TEMPLATES) and not {"tests", "migrations"} & set(path.parts):
            yield path


def _marked_in(path: Path) -> Iterator[tuple[str, str, str, list[str]]]:
    """Give text, plural, context and comments of each marked text of a file."""
    if path.suffix == _EXAMPLES:
        example = examples.read(path)
        yield example.title, "", examples.TITLE, ["title of a worked example"]
        yield example.words, "", "", ["words of a worked example"]
        return
    source = path.read_text(encoding="utf-8")
    if path.suffix in _TEMPLATES:
        # What Django makes of a template is calls between blanked words, which are no Python where indented.
        source = re.sub(r"(?m)^[ \t]+", "", templatize(source, origin=str(path)))
    lines = io.BytesIO(source.encode())
    for _line, texts, comments, context in extract(
        "python", lines, _MARKS, _TRANSLATORS, strip_comment_tags=True
    ):
        text, plural = texts if isinstance(texts, (tuple, list)) else (texts, "")
        if text:
            yield text, plural, context or "", list(comments)


# ---- Catalogues of translations: how they follow the sources.
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


# ---- Finds what is wrong with a catalogue: missing or doubtful entries, other placeholders, plurals left
# out.
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


# ---- The two commands, `messages` and `translations`.
ROOT = Path(__file__).resolve().parents[1]
LANGUAGES = ("cs", "pl", "ru")


def write_messages() -> int:
    """Write each catalogue anew from the sources, and tell how much of it is translated."""
    for folder, messages in messages_of(ROOT):
        for language in LANGUAGES:
            path = catalogue_file(folder, language)
            write_catalogue(path, language, messages)
            done = sum(entry.translated() for entry in kept(path).values())
            print(f"{path.relative_to(ROOT)}: {done} of {len(messages)} are translated")
    return 0


def check_translations() -> int:
    """Compile the catalogues and print their faults; 1 where there are any."""
    compile_stale(ROOT)
    found = 0
    for folder, messages in messages_of(ROOT):
        for language in LANGUAGES:
            path = catalogue_file(folder, language)
            for text, fault in faults_of_catalogue(path, language, messages):
                print(f"{path.relative_to(ROOT)}: “{text}” {fault}")
                found += 1
    print(f"{found} faults" if found else "All catalogues are whole.")
    return min(found, 1)


def main(arguments: list[str]) -> int:
    settings.configure(USE_I18N=True)
    django.setup()
    commands = {"messages": write_messages, "translations": check_translations}
    if len(arguments) != 1 or arguments[0] not in commands:
        print(f"One of: {', '.join(commands)}", file=sys.stderr)
        return 2
    return commands[arguments[0]]()


# ---- A language of no country: every marked text as it is, between ⟦ and ⟧, and longer by a third.
#
# Whatever a page shows outside these marks was not marked for translation, or is made of pieces.
CODE = "io"
"""The code under which Django takes it: one that it knows, and no office speaks."""
OPEN, CLOSE = "⟦", "⟧"
PACKAGES = ("django", "allauth", "django.contrib.auth", "django.contrib.humanize", "django_tables2")
"""Packages whose words stand on our pages, with catalogues of their own."""
READ_ALOUD = ("alt", "aria-label", "placeholder", "title", "data-label")
SHARED = ("og:title", "og:description", "og:image:alt")
"""Particulars of a page that are shown where it is shared."""
_NO_WORDS = {"script", "style", "code", "pre", "kbd", "samp", "title"}
"""Elements whose content is a program's, an id, or, of a page's title, its heading again."""
_VOID = {"area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"}


def write_pseudo_catalogue(root: Path, folder: Path) -> None:
    """Write the catalogue of this language, in its form for programs, below a folder of catalogues."""
    catalogue = polib.POFile()
    catalogue.metadata = {
        "Content-Type": "text/plain; charset=UTF-8",
        "Plural-Forms": "nplurals=2; plural=(n != 1);",
    }
    for key, plural in _texts(root).items():
        entry = polib.POEntry(msgid=key.text, msgctxt=key.context or None)
        if plural:
            entry.msgid_plural = plural
            entry.msgstr_plural = {0: pseudo(key.text), 1: pseudo(plural)}
        else:
            entry.msgstr = pseudo(key.text)
        catalogue.append(entry)
    place = folder / CODE / "LC_MESSAGES"
    place.mkdir(parents=True)
    catalogue.save_as_mofile(str(place / "django.mo"))


def pseudo(text: str) -> str:
    """A text in this language: its spaces at both ends stay outside, as a translation keeps them."""
    inner = text.strip()
    start = text.index(inner)
    longer = "~" * (len(re.sub(r"%\(\w+\)s|\{\w*\}|<[^>]*>", "", inner)) // 3)
    return f"{text[:start]}{OPEN}{inner}{longer}{CLOSE}{text[start + len(inner) :]}"


def outside(html: str) -> list[str]:
    """The words of a page that stand outside the marks: of its text and of what is read aloud."""
    return [words for each in texts_of(html, CODE) for words in _unmarked(each)]


def texts_of(html: str, language: str) -> list[str]:
    """The words of a page in its language: of its elements, a line for each, and of what is read aloud."""
    reader = _Reader(language)
    reader.feed(html)
    reader.close()
    return reader.texts()


def _unmarked(text: str) -> Iterator[str]:
    """Give each run of words of a text outside the marks; one text may stand within another."""
    depth, run = 0, ""
    for letter in text:
        depth += (letter == OPEN) - (letter == CLOSE)
        if depth > 0 or letter in (OPEN, CLOSE):
            if run:
                yield run
            run = ""
        else:
            run += letter
    if run:
        yield run


class _Reader(HTMLParser):
    """Collects what a page says: text of its elements, with marks that may reach over several of them."""

    def __init__(self, language: str) -> None:
        super().__init__()
        self.language = language
        self.open: list[str] = []
        self.text: list[str] = []
        self.attributes: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = dict(attrs)
        self.attributes += [value for name in READ_ALOUD if (value := said.get(name))]
        if said.get("property") in SHARED:
            self.attributes.append(said.get("content") or "")
        if tag not in _VOID:
            foreign = "translate" in said or said.get("lang", self.language) != self.language
            self.open.append(f"-{tag}" if foreign and tag != "html" else tag)
        self.text.append("\n")

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open.pop().removeprefix("-") != tag:
            pass
        self.text.append("\n")

    def handle_data(self, data: str) -> None:
        marks = "".join(letter for letter in data if letter in (OPEN, CLOSE))
        hidden = any(each.startswith("-") or each in _NO_WORDS for each in self.open)
        self.text.append(marks if hidden else data)

    def texts(self) -> list[str]:
        return ["".join(self.text), *self.attributes]


def _texts(root: Path) -> dict[TextKey, str]:
    """All texts, ours and those of packages, each with its plural, or none."""
    found = {
        key: message.plural for _folder, messages in messages_of(root) for key, message in messages.items()
    }
    for name in PACKAGES:
        module = import_module(name)
        for base in ("conf/locale", "locale"):
            for path in (Path(str(module.__file__)).parent / base).glob("en/LC_MESSAGES/*.po"):
                for entry in polib.pofile(str(path)):
                    found.setdefault(TextKey(entry.msgid, entry.msgctxt or ""), entry.msgid_plural)
    return {key: plural for key, plural in found.items() if key.text}


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
