"""`python -m tournaments.formats FILE…` says what a check of files finds; `main` is the box's reader."""

import sys

from tournaments.formats import file_check, read_any, sheet


def main(data: bytes, name: str = "", country: str = "") -> None:
    """Write a file's reading as JSON."""
    sys.stdout.write(sheet.dump(read_any(data, name, country)))


if __name__ == "__main__":
    sys.exit(file_check.main())
