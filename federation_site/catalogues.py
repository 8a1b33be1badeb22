"""Makes the form of catalogues that programs read (`.mo`), where it is missing or older than its catalogue.

Every program of the office does so when it starts; an image has them from its making.

On the way, Polish and Czech words of one letter are held to the word behind them, since neither language ends
a line with one: translators type a common space.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from shutil import copymode

import polib
import structlog

RULESETS = "ratings/rulesets"
NO_BREAK_SPACE = "\N{NO-BREAK SPACE}"
ONE_LETTER_WORDS = {"cs": "aikosuvz", "pl": "aiouwz"}
log = structlog.get_logger("federation_site.translations")


def folders(root: Path) -> list[Path]:
    """List the folders of catalogues: the house's, then one of each ruleset, `LANGUAGE/LC_MESSAGES` below."""
    return [root / "locale", *(folder / "locale" for folder in folders_of_rulesets(root))]


def readable_folders(root: Path) -> list[Path]:
    """Those of the folders whose `.mo` this account can read: at others each page would fail."""
    return [
        folder
        for folder in folders(root)
        if all(os.access(path, os.R_OK) for path in folder.glob("*/LC_MESSAGES/*.mo"))
    ]


def folders_of_rulesets(root: Path) -> list[Path]:
    return sorted(path.parent for path in (root / RULESETS).glob("*/__init__.py"))


def compile_stale(root: Path) -> None:
    """Make the form for programs of each catalogue that is newer than its own, that an older program made, or
    that this account cannot read.
    """
    for folder in folders(root):
        for path in sorted(folder.glob("*/LC_MESSAGES/django.po")):
            compiled = path.with_suffix(".mo")
            newest = max(path.stat().st_mtime, Path(__file__).stat().st_mtime)
            if not os.access(compiled, os.R_OK) or compiled.stat().st_mtime < newest:
                try:
                    _compile(path, compiled)
                except OSError as error:  # a folder that is not ours to write: pages go on in what there is
                    log.warning(
                        "a catalogue of words could not be compiled", file=str(path), error=str(error)
                    )


def _compile(path: Path, compiled: Path) -> None:
    """Write beside, then rename: several programs may start at once. Who reads the one reads the other."""
    unfinished = compiled.with_name(f"{compiled.name}.{os.getpid()}")
    catalogue, language = polib.pofile(str(path)), path.parent.parent.name
    for entry in catalogue:
        entry.msgstr = held_together(entry.msgstr, language)
        entry.msgstr_plural = {
            number: held_together(form, language) for number, form in entry.msgstr_plural.items()
        }
    catalogue.save_as_mofile(str(unfinished))
    copymode(path, unfinished)
    unfinished.replace(compiled)


def held_together(text: str, language: str) -> str:
    """Put a space that breaks no line behind each word of one letter, in the languages that ask for it.

    What follows `<` is a tag's name, and the letter of `%s` and `%(name)s` stands for a value: no words.
    """
    letters = ONE_LETTER_WORDS.get(language)
    if not letters:
        return text
    return re.sub(rf"(?i)(?<![\w<%)])([{letters}]) (?=\S)", rf"\1{NO_BREAK_SPACE}", text)
