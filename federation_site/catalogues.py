"""Compiles catalogues (`.po`) whose `.mo` is missing or outdated, at the start of each program.

It also puts no-break spaces behind words of one letter in Polish and Czech, which may not end a line there;
translators type a common space.
"""

import os
import re
from pathlib import Path
from shutil import copymode

import polib
import structlog

RULESETS = "ratings/rulesets"
NO_BREAK_SPACE = "\N{NO-BREAK SPACE}"
ONE_LETTER_WORDS = {"cs": "aikosuvz", "pl": "aiouwz"}
log = structlog.get_logger("federation_site.catalogues")


def catalogue_folders(root: Path) -> list[Path]:
    """The site's folder of catalogues, then those of the rulesets."""
    return [root / "locale", *(folder / "locale" for folder in folders_of_rulesets(root))]


def readable_folders(root: Path) -> list[Path]:
    """The folders whose `.mo` files this account can read, because with others each page would fail."""
    return [
        folder
        for folder in catalogue_folders(root)
        if all(os.access(path, os.R_OK) for path in folder.glob("*/LC_MESSAGES/*.mo"))
    ]


def folders_of_rulesets(root: Path) -> list[Path]:
    return sorted(path.parent for path in (root / RULESETS).glob("*/__init__.py"))


def compile_stale(root: Path) -> None:
    """Compile each catalogue whose `.mo` is older than it or than this module, or cannot be read."""
    for folder in catalogue_folders(root):
        for path in sorted(folder.glob("*/LC_MESSAGES/django.po")):
            compiled = path.with_suffix(".mo")
            newest = max(path.stat().st_mtime, Path(__file__).stat().st_mtime)
            if os.access(compiled, os.R_OK) and compiled.stat().st_mtime >= newest:
                continue
            try:
                _compile(path, compiled)
            except OSError as error:  # no right to write there: pages use what there is
                log.warning("a catalogue of words could not be compiled", file=str(path), error=str(error))


def _compile(path: Path, compiled: Path) -> None:
    """Compile a catalogue into a temporary file and rename it, because several programs may start at once."""
    unfinished = compiled.with_name(f"{compiled.name}.{os.getpid()}")
    catalogue, language = polib.pofile(str(path)), path.parent.parent.name
    for entry in catalogue:
        entry.msgstr = join_one_letter_words(entry.msgstr, language)
        plurals = entry.msgstr_plural.items()
        entry.msgstr_plural = {number: join_one_letter_words(form, language) for number, form in plurals}
    catalogue.save_as_mofile(str(unfinished))
    copymode(path, unfinished)
    unfinished.replace(compiled)


def join_one_letter_words(text: str, language: str) -> str:
    """Put a no-break space behind each word of one letter, in languages that need it.

    Names of tags (`<a `) and the letters of `%s` and `%(name)s` are no words.
    """
    letters = ONE_LETTER_WORDS.get(language)
    if not letters:
        return text
    return re.sub(rf"(?i)(?<![\w<%)])([{letters}]) (?=\S)", rf"\1{NO_BREAK_SPACE}", text)
