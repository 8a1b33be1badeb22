"""Makes the golden record in processes of its own, and compares two of them: see the package."""

from __future__ import annotations

import difflib
import os
import re
import shutil
import subprocess
import sys
from collections import Counter, deque
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stdout
from datetime import UTC, datetime, timedelta
from importlib import import_module
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import time_machine

from tests.golden.pages import LEVELS
from tests.golden.walker import PASSWORD, PRESSED_LAST, SCALES, SITE, Walker, letters

NOW = datetime(2026, 8, 14, 10, tzinfo=UTC)
SEED = 1
OPERATOR = "operator@example.org"
SPEAKING = "csa"
"""The office that is read in every language."""
FILES, LINES, WIDTH = 40, 20, 200
"""How much of a comparison is shown: files, lines of each, letters of a line."""


def main(action: str, *arguments: str) -> int:
    """Do one of the actions; return what the shell is told."""
    folder = Path(arguments[0]).resolve()
    if action == "record":
        return record(folder)
    if action == "compare":
        return compare(folder, Path(arguments[1]))
    with time_machine.travel(NOW, tick=False) as clock:
        import django

        django.setup()
        if action == "make":
            make(folder, clock)
        else:
            walk(arguments[1], folder, clock)
    return 0


def record(folder: Path) -> int:
    """Make the offices, then walk each part of the site in a copy of its own, two at a time."""
    folder.mkdir(parents=True)
    with TemporaryDirectory(prefix="golden-") as room:
        made = Path(room) / "made"
        _step(made, "make", str(folder))

        def walked(part: str) -> None:
            shutil.copytree(made, Path(room) / part)
            _step(Path(room) / part, "walk", str(folder), part)

        with ThreadPoolExecutor(2) as pool:
            list(pool.map(walked, [*SCALES, SITE]))
    for each in sorted(path for path in folder.glob("**") if path != folder):
        print(f"{len(list(each.glob('*.txt'))):6} {each.relative_to(folder)}")
    return 0


def _step(var: Path, *arguments: str) -> None:
    """Do a part of the work in a process of its own, with a folder for the office's files."""
    given = {
        "COLUMNS": "110",
        "DJANGO_SETTINGS_MODULE": "federation_site.settings",
        "LOG_LEVEL": "CRITICAL",
        "NO_BOOTSTRAP": "1",
        "OPERATORS": OPERATOR,
        "SECRET_KEY": "of the golden record",
        "VAR_DIR": str(var),
    }
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "TMPDIR") if name in os.environ}
    command = [sys.executable, "-W", "ignore", "-m", "tests.golden", *arguments]
    subprocess.run(command, env=kept | given, check=True)


def make(folder: Path, clock: Any) -> None:
    """Make the offices, with an administrator each, and an operator; give everybody one password. Keep the
    letters that this brings, and what help says of each command.
    """
    from django.apps import apps
    from django.contrib.auth.hashers import make_password
    from django.core.management import call_command, get_commands, load_command_class

    with redirect_stdout(StringIO()):
        call_command("migrate", verbosity=0)
        call_command("createcachetable", verbosity=0)
        call_command("collectstatic", verbosity=0, interactive=False)
        for office, scale in SCALES.items():
            call_command("demo", office, today=NOW.date(), seed=SEED, scale=scale)
            call_command("appoint", office, administrator=f"administrator-{office}@example.org")
        call_command("invite_operator", OPERATOR)
        work()
        for office in SCALES:
            import_module("ratings.dumps").build_dump(
                apps.get_model("players", "Federation").objects.get(code=office), NOW
            )
    users = apps.get_model("players", "User").objects
    users.update(password=make_password(PASSWORD))
    factors = apps.get_model("mfa", "Authenticator").objects
    factors.create(user=users.get(email=OPERATOR), type="totp", data={"secret": "none"})
    walker = Walker("made", folder)
    clock.shift(timedelta(hours=1))  # some letters wait a while, lest a decision was a slip
    walker.keep_letters()
    for name, app in sorted(get_commands().items()):
        found = find_spec(str(app))
        if found and found.origin and "site-packages" not in found.origin:
            command = load_command_class(str(app), name)
            walker.keep(f"help/{name}", command.create_parser("manage.py", name).format_help())


def work() -> None:
    """Do all that workers would do by now: the sweeps, the night's tasks, and whatever these ask for."""
    from celery import current_app as app
    from django.conf import settings

    waiting: deque[tuple[str, Sequence[Any]]] = deque()
    app.loader.import_default_modules()
    caught: Any = app
    caught.send_task = lambda name, args=(), *_, **__: waiting.append((name, args))
    caught.Task.apply_async = lambda task, args=(), *_, **__: waiting.append((task.name, args or ()))
    for _ in range(2):
        waiting.extend((name, ()) for name in settings.SWEEPS)
        while waiting:
            name, args = waiting.popleft()
            if "verify" not in name:  # it writes nothing, and takes as long as all the rest
                app.tasks[name](*args)


def walk(part: str, folder: Path, clock: Any) -> None:
    """Record a part as it stands, then have its people send each form, and record what became of it."""
    from django.apps import apps

    held = apps.get_model("players", "Appointment").objects.order_by("pk")
    people = {"public": ""}
    for role, email in held.filter(federation__code=part).values_list("role", "user__email"):
        people.setdefault(role, email)
    if part == SITE:
        people |= {"official": held.filter(role="official")[0].user.email, "operator": OPERATOR}
    walker = Walker(part, folder, letters=letters())
    if part != SITE:
        walker.keep_data()
        walker.file_and_report(people["regional"])
        work()
        walker.keep_letters()
        walker.confirm_report()
    forms = {role: walker.look_around(role, email) for role, email in people.items()}
    if part == SPEAKING:
        for language in ("en", "cs", "pl", "ru"):
            walker.look_around(f"public-{language}", "", language)
            walker.look_around(f"official-{language}", people["official"], language)
    for turn in ("after", "later"):
        for role, email in people.items():
            walker.send_forms(f"{turn}-{role}-sent", email, forms[role])
        work()
        clock.shift(timedelta(days=1))
        work()
        walker.keep_letters()
        walker.seen_by_all = Counter()
        forms = {role: walker.look_around(f"{turn}-{role}", email) for role, email in people.items()}
    if "administrator" in people:
        walker.send_forms("last-sent", people["administrator"], forms["administrator"], PRESSED_LAST)
        walker.keep_letters()


def lines_of(path: Path) -> list[str]:
    """A file's lines, levelled by the rules of today too: the record may be older."""
    text = path.read_text() if path.exists() else ""
    for pattern, mark in LEVELS:
        text = re.sub(pattern, mark, text)
    return text.splitlines()


def compare(one: Path, other: Path) -> int:
    """Print the names of what differs, and for the first the lines that do; return 1 if anything does."""
    files = [{str(path.relative_to(each)) for path in each.rglob("*.txt")} for each in (one, other)]
    counts: Counter[str] = Counter()
    for name in sorted(files[0] | files[1]):
        was, now = (lines_of(each / name) for each in (one, other))
        if was == now:
            continue
        what = "missing" if name not in files[1] else "new" if name not in files[0] else "differs"
        counts[what] += 1
        if counts.total() <= FILES:
            print(f"{what}: {name}")
            lines = list(difflib.unified_diff(was, now, lineterm="", n=1)) if what == "differs" else []
            print("".join(f"    {line[:WIDTH]}\n" for line in lines[2 : LINES + 2]), end="")
    told = ", ".join(f"{count} {what}" for what, count in sorted(counts.items())) or "no difference"
    print(f"{len(files[0] & files[1])} files in both: {told}")
    return 1 if counts else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
