import json
import os
import socket
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from shutil import rmtree
from typing import Any

from django.conf import settings
from django.core.management import CommandError, call_command
from django.core.management.base import BaseCommand
from django.db import connections
from django.utils import timezone

from federation_site.backup import delete_unfinished
from federation_site.database import database_form_problem
from federation_site.environment import close_tree_to_others, rating_processes, web_processes
from federation_site.processes import OpenAlready, end_orphans, lock_folder
from federation_site.watch import clock_warning
from players.models import Federation
from ratings.demo.office import demo_rulesets_without_office, introduction
from ratings.signing import get_or_create_first_key

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
        with lock_office_folder(settings.VAR) as mark:
            if orphans := end_orphans(settings.VAR):
                self.stderr.write(f"Ended what an earlier start had left running (processes: {orphans}).")
            refuse_taken_port(host, port)
            os.environ["UP_PORT"] = str(port)  # for links in letters, which the workers write
            try:
                self.make_ready(host, no_demo)
            except KeyboardInterrupt:
                raise CommandError(
                    "Stopped before the office was open. The same command goes on from here.", returncode=130
                ) from None
            commands = json.dumps(program_commands(host, port))
            supervisor = [
                sys.executable,
                "-m",
                "federation_site.supervisor_main",
                host,
                str(port),
                str(mark),
                commands,
            ]
            connections.close_all()
            self.stdout.flush()
            os.chdir(settings.ROOT)
            os.execv(sys.executable, supervisor)  # in place of this process, whose memory is so given back

    def make_ready(self, host: str, no_demo: bool) -> None:
        if words := database_form_problem():
            raise CommandError(words)
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
def lock_office_folder(folder: Path) -> Iterator[int]:
    """Make the office's folder if needed, and lock it for this process (`lock_folder`)."""
    with ExitStack() as held:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            mark = held.enter_context(lock_folder(folder))
        except OpenAlready as other:
            raise CommandError(
                f"The office in {folder} is open already (process {other.pid}). Close it there with Ctrl-C; "
                "for another office beside it, set VAR_DIR to a folder of its own."
            ) from None
        except OSError as fault:
            raise CommandError(
                f"{folder} cannot be written: {fault.strerror}. Mend its rights, or set VAR_DIR to another."
            ) from None
        yield mark


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


def program_commands(host: str, port: int) -> dict[str, list[str]]:
    """The programs of an office, each with the arguments of `child_main`."""
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
