"""`python ratings.pyz replay …`, `check …`, `lab …`, `witness …`, `read …`: ratings and lists from a journal,
a draft of a regulation over it, its witness, and what an office would find in an event file.

Becomes `__main__.py` of the file that `ratings.program` makes.
"""

import hashlib
import pkgutil
import sys

OLDEST_PYTHON = (3, 11)
HELP = """usage: python ratings.pyz replay JOURNAL ...   every rating, or one published list, from a journal
       python ratings.pyz check JOURNAL ...    holds published lists against a journal
       python ratings.pyz lab JOURNAL DRAFT    a draft of a regulation, over a whole journal
       python ratings.pyz witness serve ...    signs the journals of others as long as they have one history
       python ratings.pyz read FILE ...        what an office would read and find in event files
       python ratings.pyz --version            the version, and the SHA-256 of this file
Each command tells more with --help."""


def main() -> int:
    if sys.version_info < OLDEST_PYTHON:
        found = ".".join(map(str, sys.version_info[:2]))
        print(f"This program needs Python 3.11 or newer; this is {found}.", file=sys.stderr)
        return 2
    from ratings import check, lab, replay, witness
    from tournaments.formats import file_check

    commands = {
        "replay": replay.main,
        "check": check.main,
        "lab": lab.main,
        "witness": witness.main,
        "read": file_check.main,
    }
    name, arguments = (sys.argv[1:2] or [""])[0], sys.argv[2:]
    if name in commands:
        return commands[name](arguments)
    if name == "--version":
        print(format_version())
        return 0
    print(HELP, file=sys.stdout if name in ("-h", "--help") else sys.stderr)
    return 0 if name in ("-h", "--help") else 2


def format_version() -> str:
    with open(sys.argv[0], "rb") as file:
        sha256 = hashlib.sha256(file.read()).hexdigest()
    number = (pkgutil.get_data("ratings", "VERSION") or b"").decode().strip()
    return f"ratings {number}\nSHA-256 {sha256}"


if __name__ == "__main__":
    sys.exit(main())
