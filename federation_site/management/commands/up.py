"""Starts an office on one machine, and stays as the supervisor of its programs."""

import os
import socket
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from importlib import import_module
from pathlib import Path
from shutil import rmtree
from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.core.management.base import BaseCommand
from django.db import DatabaseError, connections
from django.utils import timezone
from django.utils.translation import trans_real

from federation_site.backup import delete_unfinished
from federation_site.celery import app, compute_rules_hashes
from federation_site.command_errors import fault_words
from federation_site.database import database_form_problem, known_migrations
from federation_site.environment import close_tree_to_others, rating_processes, web_processes
from federation_site.gateway import freeze_loaded_objects
from federation_site.processes import OpenAlready, end_orphans, lock_folder, run_and_wait, supervise
from federation_site.watch import clock_warning
from players.models import Federation
from ratings.demo.office import demo_rulesets_without_office, introduction
from ratings.signing import get_or_create_first_key

PROGRAM_MODULES = ("granian.cli", "celery.bin.celery", "celery.apps.worker", "celery.concurrency.prefork")
FILE_PROCESSES = 2
"""The processes of the worker of files: one may write a dump for minutes, and one is left for files."""


class Command(BaseCommand):
    help = "Start everything: the database, the demo office, the web server and the background workers."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=int, default=8000, help="where it listens (default: 8000)")
        parser.add_argument(
            "--host",
            default="127.0.0.1",
            help="the address it listens at (default: 127.0.0.1, for this machine only)",
        )
        parser.add_argument("--no-demo", action="store_true", help="start with no office at all")

    def handle(self, *_: Any, host: str, port: int, no_demo: bool, **__: Any) -> None:
        with lock_office_folder(settings.VAR):
            if orphans := end_orphans(settings.VAR):
                self.stderr.write(f"Ended what an earlier start had left running (processes: {orphans}).")
            refuse_taken_port(host, port)
            os.environ["UP_PORT"] = str(port)  # for links in letters, which the workers write
            if words := database_form_problem():
                raise CommandError(words)
            connections.close_all()  # before this process forks
            run_and_wait(partial(self.make_ready_or_stop, host, no_demo))
            load_programs()
            os.chdir(settings.ROOT)
            self.stdout.flush()
            supervise(
                program_commands(host, port),
                on_change=partial(print, file=sys.stderr, flush=True),
                look=Announcement(host, port).say_once,
            )

    def make_ready_or_stop(self, host: str, no_demo: bool) -> None:
        try:
            self.make_ready(host, no_demo)
        except KeyboardInterrupt:
            self.stderr.write("Stopped before the office was open. The same command goes on from here.")
            raise SystemExit(130) from None
        except CommandError as error:
            self.stderr.write(f"{error}")
            raise SystemExit(error.returncode) from None
        except (DatabaseError, ImproperlyConfigured) as fault:
            if not (words := fault_words(fault)) or "--traceback" in sys.argv:
                raise
            self.stderr.write(words)
            raise SystemExit(1) from None

    def make_ready(self, host: str, no_demo: bool) -> None:
        close_tree_to_others(settings.VAR)
        delete_unfinished()
        rmtree(settings.VAR / "figures", ignore_errors=True)  # of processes that have ended
        rmtree(settings.PAGE_CACHE_DIR, ignore_errors=True)  # perhaps of another database
        self.stdout.write("Making database and pages ready …")
        self.stdout.flush()
        call_command("migrate", verbosity=0, interactive=False)
        call_command("createcachetable", verbosity=0)
        call_command("collectstatic", verbosity=0, interactive=False)
        if settings.PRODUCTION or not is_local_only(host):
            refuse_demo(no_demo)
        if words := clock_warning(timezone.now()):
            self.stderr.write(words)
        self.furnish(no_demo)
        for office in Federation.objects.filter(log_keys=None):
            get_or_create_first_key(office, at=timezone.now())

    def furnish(self, no_demo: bool) -> None:
        """Make missing demo offices if there is no real one; otherwise print the accounts of the demo."""
        demos = list(Federation.objects.filter(demo=True))
        if not no_demo and demo_rulesets_without_office() and len(demos) == Federation.objects.count():
            call_command("demo", stdout=self.stdout)
        elif demos:
            for line in introduction(demos):
                self.stdout.write(line)


@contextmanager
def lock_office_folder(folder: Path) -> Iterator[None]:
    """Make the office's folder if needed, and lock it for this process (`lock_folder`)."""
    with ExitStack() as held:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            held.enter_context(lock_folder(folder))
        except OpenAlready as other:
            raise CommandError(
                f"The office in {folder} is open already (process {other.pid}). Close it there with Ctrl-C; "
                "for another office beside it, set VAR_DIR to a folder of its own."
            ) from None
        except OSError as fault:
            raise CommandError(
                f"{folder} cannot be written: {fault.strerror}. Mend its rights, or set VAR_DIR to another."
            ) from None
        yield


def refuse_taken_port(host: str, port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            raise CommandError(
                f"Port {port} at {host} is taken, perhaps by an office that is open already. "
                f"Close it, or choose another: python3 manage.py up --port {port + 1}"
            ) from None


def is_local_only(host: str) -> bool:
    return host == "localhost" or host.startswith("127.") or host == "::1"


def refuse_demo(no_demo: bool) -> None:
    """Raise CommandError if the site has, or would get, a demo, because its passwords are public."""
    if Federation.objects.filter(demo=True).exists():
        raise CommandError(
            "This database holds a demo, whose accounts are for this machine alone: "
            "take another VAR_DIR or DATABASE_URL for a real office."
        )
    if not no_demo and demo_rulesets_without_office() and not Federation.objects.exists():
        raise CommandError("A demo is for this machine alone: start with --no-demo.")


class Announcement:
    """Says that the office is open as soon as the web server listens."""

    def __init__(self, host: str, port: int) -> None:
        self._host, self._port, self._said = host, port, False

    def say_once(self) -> None:
        if not self._said and is_listening(self._host, self._port):
            self._said = True
            print(f"The office is open: http://{self._host}:{self._port}/  (Ctrl-C closes it)", flush=True)


def is_listening(host: str, port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex((host, port)) == 0


def load_programs() -> None:
    """Load what web server and workers need before they are forked, so that they share its memory."""
    os.environ["CELERY_SKIP_CHECKS"] = "1"  # this process has run them
    for module in PROGRAM_MODULES:
        import_module(module)
    app.loader.import_default_modules()
    known_migrations()
    compute_rules_hashes()
    for language, _name in settings.LANGUAGES:
        trans_real.translation(language)
    freeze_loaded_objects()


def program_commands(host: str, port: int) -> dict[str, list[str]]:
    """The programs of an office: a module and its arguments for each name."""
    return {
        "web server": web_server_command(host, port),
        "worker": worker_command("ratings", rating_processes()),
        "worker of files": worker_command("files", FILE_PROCESSES),
    }


def web_server_command(host: str, port: int) -> list[str]:
    options = (
        f"--interface asginl --http 1 --no-ws --host {host} --port {port} --workers {web_processes()}"
        " --log-level warning --respawn-failed-workers --http1-header-read-timeout 10000 --backlog 2048"
    )
    return ["granian", *options.split(), "federation_site.asgi:application"]


def worker_command(queue: str, processes: int) -> list[str]:
    options = (
        f"worker --queues {queue} --hostname {queue}@%h --concurrency {processes}"
        " --loglevel WARNING --without-gossip --without-mingle"
    )
    return ["celery", "--app", "federation_site", "--quiet", *options.split()]
