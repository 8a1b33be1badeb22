#!/usr/bin/env python3
"""Run a command of the office; make its environment first, if there is none yet."""

import os
import sys

from federation_site import install

STOPPED = 130
"""What a shell gives a command that Ctrl-C ended."""


def main() -> None:
    try:
        install.ensure("requirements-test.txt" if sys.argv[1:2] == ["test"] else "requirements.txt")
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "federation_site.settings")
        from federation_site.command_errors import run

        run(sys.argv)
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr)
        raise SystemExit(STOPPED) from None


if __name__ == "__main__":
    main()
