#!/usr/bin/env python3
"""Run a command of the office; make its environment first, if there is none yet."""

import os
import sys

from federation_site import bootstrap


def main() -> None:
    bootstrap.ensure("requirements-test.txt" if sys.argv[1:2] == ["test"] else "requirements.txt")
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "federation_site.settings")
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
