import os
import sys

from django.core.management.base import BaseCommand


class Command(BaseCommand):
    help = "Run the tests. Whatever follows goes to pytest: manage.py test -k packages -x"

    def run_from_argv(self, argv: list[str]) -> None:
        options = argv[2:] or ["-n", "auto"]
        os.execv(sys.executable, [sys.executable, "-m", "pytest", *options])
