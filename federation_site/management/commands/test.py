import os
import sys

from django.core.management.base import BaseCommand


class Command(BaseCommand):
    help = "Run the tests. Whatever follows goes to pytest: manage.py test -k packages -x"

    def run_from_argv(self, argv: list[str]) -> None:
        # One process more than there are cores, because many tests wait for programs that they start.
        options = argv[2:] or ["-n", str((os.cpu_count() or 1) + 1), "--dist", "worksteal"]
        os.execv(sys.executable, [sys.executable, "-m", "pytest", *options])
