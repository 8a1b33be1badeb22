"""How the house stands: headers, sign-in, secret, logs, and what it asks in production."""

import ast
import os
import re
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.test import Client

from federation_site.celery import app
from federation_site.checks import check_allowed_hosts, check_backup_rule
from federation_site.environment import KeptSecretKey
from federation_site.management.commands import up
from players.decision_kinds import KINDS

pytestmark = pytest.mark.any_database

ROOT = Path(settings.ROOT)
DECIDING = re.compile(r"\b(decide|bridge)\(")


def test_a_taken_port_is_named_with_the_way_out(settings: Any, tmp_path: Path) -> None:
    settings.VAR = tmp_path
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(CommandError, match=rf"Port {port} at 127\.0\.0\.1 is taken.*--port {port + 1}"):
            call_command("up", port=port)


def test_a_free_port_is_accepted() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    up.refuse_taken_port("127.0.0.1", port)
    assert not up.is_listening("127.0.0.1", port)


def test_the_secret_key_is_made_once_and_read_by_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "var" / "secret_key"
    key = str(KeptSecretKey(path))
    assert len(key) >= 50
    assert str(KeptSecretKey(path)) == key
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_no_key_is_made_before_somebody_asks(tmp_path: Path) -> None:
    KeptSecretKey(tmp_path / "secret_key")
    assert list(tmp_path.iterdir()) == []


def test_a_key_that_cannot_be_kept_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ImproperlyConfigured, match=r"cannot be kept in .*file.* Set SECRET_KEY"):
        str(KeptSecretKey(tmp_path / "file" / "secret_key"))


@pytest.mark.django_db
def test_pages_allow_nothing_from_elsewhere_and_nothing_inline(client: Client) -> None:
    policy = client.get("/accounts/login/")["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert re.search(r"script-src 'self'(;|$)", policy)
    assert "style-src 'self'" in policy
    assert "unsafe" not in policy


@pytest.mark.django_db
def test_nobody_signs_up(client: Client) -> None:
    form = {"email": "x@example.org", "password1": "correct horse", "password2": "correct horse"}
    client.post("/accounts/signup/", form)
    from players.models import User

    assert not User.objects.exists()


@pytest.mark.django_db
def test_the_id_of_a_request_comes_back_with_the_answer(client: Client) -> None:
    assert client.get("/healthz", headers={"X-Request-ID": "abc-12345"})["X-Request-ID"] == "abc-12345"


@pytest.mark.django_db
def test_an_id_that_could_break_a_log_line_is_replaced(client: Client) -> None:
    assert re.fullmatch(
        r"[0-9a-f]{32}", client.get("/healthz", headers={"X-Request-ID": "a b"})["X-Request-ID"]
    )


def test_every_sweep_is_a_task_of_the_worker() -> None:
    app.loader.import_default_modules()
    assert set(settings.SWEEPS) <= set(app.tasks)


def test_tasks_accept_json_alone() -> None:
    assert app.conf.accept_content == ["json"]


PRODUCTION = {
    "PRODUCTION": "1",
    "SECRET_KEY": "not-a-secret-but-long-enough-0123456789-abcdefghijklmnopqrstuvwxyz",
    "ALLOWED_HOSTS": "ratings.example.org",
    "TRUSTED_PROXIES": "1",
    "BACKUP_DIR": "/var/backups/office",
    "SECURITY_CONTACT": "security@example.org",
}
SERVER = "smtp+tls://office:secret@mail.example.org:587"


def run_check(**environment: str) -> "subprocess.CompletedProcess[str]":
    inherited = {key: value for key, value in os.environ.items() if key != "DJANGO_SETTINGS_MODULE"}
    command = [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"]
    return subprocess.run(
        command, cwd=ROOT, env={**inherited, **environment}, capture_output=True, text=True, check=False
    )


@pytest.mark.long
def test_the_production_settings_pass_the_deploy_check(tmp_path: Path) -> None:
    done = run_check(**PRODUCTION, EMAIL_URL=SERVER, VAR_DIR=str(tmp_path))
    assert done.returncode == 0, done.stderr


@pytest.mark.long
def test_the_deploy_check_asks_for_a_mail_server(tmp_path: Path) -> None:
    for url in ({}, {"EMAIL_URL": "consolemail://"}):
        done = run_check(**PRODUCTION, **url, VAR_DIR=str(tmp_path))
        assert done.returncode != 0
        assert "federation_site.E003" in done.stderr


@pytest.mark.long
def test_the_deploy_check_asks_how_many_proxies_there_are(tmp_path: Path) -> None:
    direct = {**PRODUCTION, "TRUSTED_PROXIES": "0"}
    done = run_check(**direct, EMAIL_URL=SERVER, VAR_DIR=str(tmp_path))
    assert done.returncode != 0
    assert "federation_site.E005" in done.stderr


@pytest.mark.long
def test_the_deploy_check_asks_whom_to_tell_of_a_hole(tmp_path: Path) -> None:
    done = run_check(**{**PRODUCTION, "SECURITY_CONTACT": ""}, EMAIL_URL=SERVER, VAR_DIR=str(tmp_path))
    assert done.returncode != 0
    assert "federation_site.W009" in done.stderr


@pytest.mark.parametrize(
    ("host", "said"),
    [
        ("ratings.example.org", False),
        (".example.org", False),
        ("[2001:db8::1]", False),
        ("https://ratings.example.org", True),
        ("ratings.example.org/", True),
        ("*", True),
    ],
)
def test_the_deploy_check_names_a_host_that_is_none(settings: Any, host: str, said: bool) -> None:
    settings.ALLOWED_HOSTS = [host]
    assert [each.id for each in check_allowed_hosts()] == ["federation_site.E008"] * said


@pytest.mark.parametrize(("rule", "said"), [("7 daily, 4 weekly", False), ("often", True)])
def test_the_deploy_check_names_a_rule_for_backups_that_nobody_can_read(
    settings: Any, rule: str, said: bool
) -> None:
    settings.BACKUP_KEEP = rule
    assert [each.id for each in check_backup_rule()] == ["federation_site.E009"] * said


@pytest.mark.long
def test_production_asks_for_a_secret_key(tmp_path: Path) -> None:
    done = run_check(PRODUCTION="1", SECRET_KEY="", VAR_DIR=str(tmp_path))
    assert done.returncode != 0
    assert "set SECRET_KEY to a long random text" in done.stderr


@cache
def decided_kinds() -> set[str]:
    """The kinds of decisions that services write: by name, by a constant of the module, or through a function
    of the module that is told them.
    """
    return {kind for text in sources() if DECIDING.search(text) for kind in kinds_of_module(parsed(text))}


@cache
def sources() -> list[str]:
    paths = [path for app in ("players", "tournaments", "ratings") for path in (ROOT / app).rglob("*.py")]
    return [path.read_text() for path in paths if "tests" not in path.parts]


@cache
def parsed(text: str) -> ast.Module:
    return ast.parse(text)


def kinds_of_module(tree: ast.Module) -> Iterator[str]:
    """Yield the kinds that a module decides; an open function of its own is told them anywhere."""
    names = constants_of(tree)
    for function in [tree, *(each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef))]:
        for call in calls_in(function, {"decide", "bridge"}):
            for value in (each.value for each in call.keywords if each.arg == "kind"):
                if isinstance(value, ast.Constant):
                    yield str(value.value)
                elif isinstance(value, ast.IfExp):
                    either = (value.body, value.orelse)
                    yield from (str(each.value) for each in either if isinstance(each, ast.Constant))
                elif isinstance(value, ast.Name) and value.id in names:
                    yield names[value.id]
                elif isinstance(value, ast.Name) and isinstance(function, ast.FunctionDef):
                    named = (parsed(text) for text in sources() if f"{function.name}(" in text)
                    callers = [tree] if function.name.startswith("_") else named
                    for caller in callers:
                        yield from kinds_told(caller, function, value.id)


def constants_of(tree: ast.Module) -> dict[str, str]:
    found = {}
    for node in tree.body:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                pairs = (
                    zip(target.elts, node.value.elts, strict=True)
                    if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple)
                    else [(target, node.value)]
                )
                for name, value in pairs:
                    if isinstance(name, ast.Name) and isinstance(value, ast.Constant):
                        found[name.id] = str(value.value)
    return found


def calls_in(tree: ast.AST, names: set[str]) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names:
            yield node


def kinds_told(tree: ast.Module, function: ast.FunctionDef, name: str) -> Iterator[str]:
    """Yield what a function's parameter of this name is told within its module."""
    parameters = [each.arg for each in function.args.args]
    for call in calls_in(tree, {function.name}):
        given = {each.arg: each.value for each in call.keywords} | dict(
            zip(parameters, call.args, strict=False)
        )
        if isinstance(value := given.get(name), ast.Constant):
            yield str(value.value)


def test_the_record_has_words_for_every_kind_of_decision() -> None:
    kinds = decided_kinds()
    assert {"merge", "publish", "submit", "approve", "end", "let-go", "resume"} <= kinds
    assert kinds - set(KINDS) == set()
