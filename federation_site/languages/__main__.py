"""`messages` brings all catalogues up to the sources; `translations` compiles them and names their faults."""

from __future__ import annotations

import sys
from pathlib import Path

import django
from django.conf import settings

from federation_site.languages.catalogues import (
    catalogue_file,
    kept,
    messages_of,
    write_catalogue,
)
from federation_site.languages.check_catalogues import faults_of_catalogue
from federation_site.languages.compile import compile_stale

ROOT = Path(__file__).resolve().parents[2]
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


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
