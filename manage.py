#!/usr/bin/env python3
"""Run a command, after installing the packages if needed."""

import os
import sys

from federation_site import install


def main() -> None:
    try:
        install.continue_in_venv("requirements-test.txt" if sys.argv[1:2] == ["test"] else "requirements.txt")
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "federation_site.settings")
        from federation_site.command_errors import run_command

        run_command(sys.argv)
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr)
        raise SystemExit(130) from None  # the status of commands that Ctrl-C ended


if __name__ == "__main__":
    main()
