"""The image: what lies in it, and whether the office runs in it as the Dockerfile says.

No container runtime builds it here: its own steps and commands run in rooms (`tests.rooms`). What the base
image and the registries give is not looked at.
"""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from django.conf import settings

from federation_site.management.commands.up import web_server_command
from ratings.rulesets import rulesets
from tests.image_files import ROOT, Ignored, Image, read_dockerfile
from tests.pages import speaks
from tests.rooms import Room, build, network, why_not

pytestmark = pytest.mark.any_database

SECRETS = [
    ".env",
    ".env.production",
    "secrets/secret_key",
    "deploy/secrets/email_url",
    "db.sqlite3",
    "office.sqlite3-wal",
    "federation_site/db.sqlite3",
    "csa.ndjson",
    "ratings/csa.ndjson",
    "office-2026-05-03T021000Z.backup.zip",
    "ratings/office.backup.zip",
    "csa.key",
    "players/csa.key",
    "tls.pem",
    "static/tls.pem",
    "static/.env",
    "id_ed25519",
    "docs/notes.md",
    "CSA-list.csv",
    ".git/config",
    ".venv/bin/python",
    "var/secret_key",
]
OWN_TESTS = (
    "federation_site/tests/",
    "players/tests/",
    "ratings/tests/",
    "tournaments/tests/",
)


@pytest.fixture(scope="module")
def ignored() -> Ignored:
    return Ignored((ROOT / ".dockerignore").read_text())


@pytest.mark.parametrize("path", SECRETS)
def test_what_holds_secrets_stays_outside_the_image(ignored: Ignored, path: str) -> None:
    assert ignored(path)


def test_whatever_git_ignores_stays_outside_the_image_at_the_top_and_below(ignored: Ignored) -> None:
    for line in (ROOT / ".gitignore").read_text().split():
        name = line.strip("/").replace("[cod]", "c").replace("*", "x")
        assert ignored(name), line
        inside = f"{name}/file" if line.endswith("/") else name
        if line != "*.mo":  # made of what is in the tree, and no secret
            assert ignored(f"federation_site/{inside}") or line in (
                "var/",
                "venv/",
                "mutants/",
                "mutants.log",
                "faults.jsonl",
                "uv.lock",
                "webroot/",
            )


def tracked(*patterns: str) -> list[str]:
    """The files that git knows, by their paths from the top folder."""
    done = subprocess.run(
        ["git", "ls-files", *patterns], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()


def test_each_name_at_the_top_is_named_as_in_the_image_or_as_out_of_it() -> None:
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    named = {line.lstrip("!").partition("/")[0] for line in lines if line and not line.startswith("#")}
    assert {path.partition("/")[0] for path in tracked()} - named == set()


def test_of_what_is_in_the_image_all_is_there_but_tests(ignored: Ignored) -> None:
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    inside = tuple(line[1:] for line in lines if line.startswith("!") and "*" not in line)
    needed = [
        path
        for path in tracked()
        if (path in inside or path.startswith(tuple(f"{each}/" for each in inside)))
        and not path.endswith(".gitkeep")
        and not path.startswith(OWN_TESTS)
    ]
    assert {"locale/pl/LC_MESSAGES/django.po", "LICENSE", "docs/journal.md", "manage.py"} <= set(needed)
    assert [path for path in needed if ignored(path)] == []


def test_no_test_lies_in_the_image_and_what_is_served_imports_none(ignored: Ignored) -> None:
    inside = [path for path in tracked("*.py") if not ignored(path)]
    assert [path for path in inside if Path(path).name.startswith("test_") and "template" not in path] == []
    imports = re.compile(r"^\s*(from|import) (\w+\.)?tests\b", re.MULTILINE)
    assert [path for path in inside if imports.search((ROOT / path).read_text("utf-8"))] == []


@pytest.mark.parametrize(
    ("rules", "path", "out"),
    [
        ("*", "a/b", True),
        ("*\n!a", "a/b", False),
        ("*\n!a\n**/b", "a/c/b", True),
        ("*\n!a\n**/*.key", "a/x.key", True),
        ("*.key", "a/x.key", False),
        ("**/*.key", "x.key", True),
        ("a\n!a/b", "a/b", False),
        ("a?c", "abc", True),
        ("a?c", "a/c", False),
        ("**/.*", "a/.env", True),
        ("**/.*", "a/.git/config", True),
        ("**/*.py[cod]", "a/b.pyc", True),
        ("**/*.py[cod]", "a/b.py", False),
    ],
)
def test_patterns_are_read_as_the_tool_reads_them(rules: str, path: str, out: bool) -> None:
    assert Ignored(rules)(path) is out


def test_the_image_starts_the_web_server_as_up_does_but_for_address_and_processes() -> None:
    image = read_dockerfile((ROOT / "Dockerfile").read_text())
    own = web_server_command("0.0.0.0", 8000)
    at = own.index("--workers")
    assert sorted(image.command) == sorted(["python", "-m", *own[:at], *own[at + 2 :]])
    assert image.user == "office"
    assert image.environment["NO_BOOTSTRAP"] == "1"


pytest_rooms = pytest.mark.skipif(bool(why_not()), reason=why_not() or "rooms")
PRODUCTION = {
    "PRODUCTION": "1",
    "SECRET_KEY": "not-a-secret-but-long-enough-0123456789-abcdefghijklmnopqrstuvwxyz",
    "ALLOWED_HOSTS": "ratings.example.org",
    "TRUSTED_PROXIES": "1",
    "EMAIL_URL": "smtp+tls://mail.example.org",
}
ASK = """
import sys, urllib.request
request = urllib.request.Request("http://127.0.0.1:8000" + sys.argv[1], headers={
    "Host": "ratings.example.org", "X-Forwarded-Proto": "https", "X-Forwarded-For": "192.0.2.7"})
with urllib.request.urlopen(request, timeout=10) as answer:
    print(answer.status, answer.read().decode())
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Image]:
    folder = tmp_path_factory.mktemp("image")
    return folder, build(folder)


@pytest.fixture(scope="module")
def room(built: tuple[Path, Image], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Room]:
    """The image's room, with a volume for what the office keeps, as the image's folder is at first."""
    folder, image = built
    kept = tmp_path_factory.mktemp("volume") / "office"
    subprocess.run(["cp", "--archive", folder / "var/lib/office", kept], check=True)
    with network() as found:
        yield Room(
            folder,
            {**image.environment, **PRODUCTION},
            user=image.user,
            folder=image.folder,
            holder=found.join()[0],
            volumes={"/var/lib/office": kept},
            scratch={"/tmp": ""},
        )


def run(room: Room, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(room.command(words), capture_output=True, text=True, timeout=180, check=False)


def until(holds: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.5)


@pytest.mark.containers
@pytest_rooms
def test_no_layer_of_the_image_holds_a_secret_or_a_database(built: tuple[Path, Image]) -> None:
    folder, _image = built
    kept = [path for path in (folder / "var/lib").rglob("*") if path.is_file()]
    assert kept == []
    odd = [
        path
        for path in (folder / "srv").rglob("*")
        if path.suffix in (".sqlite3", ".key") or path.name == "secret_key"
    ]
    assert odd == []
    assert list((folder / "srv/static").glob("favicon*.svg"))


@pytest.mark.containers
@pytest_rooms
def test_the_office_of_the_image_opens_as_a_user_without_rights_on_a_root_that_nobody_can_write(
    room: Room,
) -> None:
    assert run(room, "sh", "-c", "id -u").stdout.strip() == "10001"
    for place in ("/srv/office/x", "/srv/static/x", "/etc/x", "/usr/x", "/x"):
        assert run(room, "touch", place).returncode != 0, place
    for command in (
        "migrate --noinput --verbosity 0",
        "createcachetable",
        *(f"create_office {code} --official nomsa@example.org" for code in rulesets()),
    ):
        done = run(room, "python", "manage.py", *command.split())
        assert done.returncode == 0, done.stderr
    assert "https://ratings.example.org/" in done.stdout

    served = subprocess.Popen(room.command(read_dockerfile((ROOT / "Dockerfile").read_text()).command))
    try:
        until(lambda: run(room, "python", "-c", ASK, "/readyz").stdout.startswith("200"))
        assert '"ready": true' in run(room, "python", "-c", ASK, "/readyz").stdout
        assert "Sign in" in run(room, "python", "-c", ASK, "/accounts/login/").stdout
        assert "css" in run(room, "python", "-c", ASK, "/csa/").stdout
        for language, _name in settings.LANGUAGES:
            for code in rulesets():
                page = run(room, "python", "-c", ASK, f"/{language}/{code}/").stdout
                assert speaks(page, language), (language, code)
    finally:
        served.terminate()
        served.wait(30)


@pytest.mark.containers
@pytest_rooms
def test_an_image_without_a_place_to_write_says_what_to_do(room: Room) -> None:
    done = run(replace(room, volumes={}), "python", "manage.py", "migrate", "--noinput")
    assert done.returncode != 0
    assert "/var/lib/office/db.sqlite3 cannot be used" in done.stderr
    assert "Traceback" not in done.stderr
