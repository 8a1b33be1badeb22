"""`python -m tournaments.formats [NAME [COUNTRY]] < FILE` writes a file's reading as JSON, in the box."""

import sys

from tournaments.formats import read_any, sheet


def main(data: bytes, name: str = "", country: str = "") -> None:
    sys.stdout.write(sheet.dump(read_any(data, name, country)))


if __name__ == "__main__":
    main(sys.stdin.buffer.read(), *sys.argv[1:3])
