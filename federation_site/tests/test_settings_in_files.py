"""Values of settings in files: read as if they stood in the environment, or refused in a sentence."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from federation_site.environment import Environment, EnvironmentFiles

pytestmark = pytest.mark.any_database


def environment(**values: str) -> Environment:
    found = Environment()
    found.ENVIRON = EnvironmentFiles(values)
    return found


def test_a_value_is_read_from_the_file_that_is_named_without_its_line_break(tmp_path: Path) -> None:
    (tmp_path / "url").write_text("postgres://office:a b@host/name\n")
    assert environment(X_FILE=str(tmp_path / "url")).str("X") == "postgres://office:a b@host/name"


def test_a_file_counts_before_a_value_and_a_value_where_no_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("of the file")
    assert environment(X="plain", X_FILE=str(tmp_path / "x")).str("X") == "of the file"
    assert environment(X="plain", X_FILE="").str("X") == "plain"
    assert environment(X="plain ").str("X") == "plain "
    assert environment().str("X", default="none") == "none"


@pytest.mark.parametrize(
    ("content", "why"), [(None, "No such file"), (b"\n", "empty"), (b"\xff\xfe", "no text")]
)
def test_a_file_that_gives_nothing_is_named(tmp_path: Path, content: bytes | None, why: str) -> None:
    path = tmp_path / "key"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ImproperlyConfigured, match=rf"^SECRET_KEY_FILE names {path}, which .*{why}"):
        environment(SECRET_KEY_FILE=str(path)).str("SECRET_KEY", default="")


@pytest.mark.parametrize("said", ["maybe", "ja", "2", "1 # behind a proxy"])
def test_a_protection_is_never_off_by_a_slip_of_the_pen(said: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=r"^PRODUCTION is “.*: write 1 or 0"):
        environment(PRODUCTION=said).bool("PRODUCTION", default=False)


@pytest.mark.parametrize(
    ("said", "meant"),
    [("1", True), ("True", True), (" yes ", True), ("0", False), ("off", False), ("", False)],
)
def test_on_and_off_are_read_in_the_usual_ways(said: str, meant: bool) -> None:
    assert environment(PRODUCTION=said).bool("PRODUCTION", default=False) is meant


def test_what_is_no_number_is_told_with_the_setting_s_name() -> None:
    assert environment(TRUSTED_PROXIES="2").int("TRUSTED_PROXIES", default=0) == 2
    for said in ("two", "", "-1", "1.5"):
        with pytest.raises(ImproperlyConfigured, match=rf"^TRUSTED_PROXIES is “{said}”: write a number"):
            environment(TRUSTED_PROXIES=said).int("TRUSTED_PROXIES", default=0)


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("DATABASE_URL", "db_url"),
        ("DATABASE_OWNER_URL", "db_url"),
        ("EMAIL_URL", "email_url"),
    ],
)
@pytest.mark.parametrize("said", ["hunter2", "", "hunter2://host/name", "postgres//office:hunter2@host/name"])
def test_an_address_that_is_none_is_told_by_its_name_and_never_repeated(
    name: str, read: str, said: str
) -> None:
    with pytest.raises(ImproperlyConfigured, match=f"^{name} is no address of its kind: write it as") as told:
        getattr(environment(**{name: said}), read)(name, default="")
    assert "hunter2" not in str(told.value)


@pytest.mark.long
def test_commands_take_secrets_from_files_and_end_with_a_sentence_where_one_is_missing(
    tmp_path: Path,
) -> None:
    (tmp_path / "key").write_text("a secret of this test, long enough for the settings: 0123456789\n")
    inherited = {
        key: value for key, value in os.environ.items() if key not in ("DJANGO_SETTINGS_MODULE", "SECRET_KEY")
    }
    given = inherited | {"PRODUCTION": "1", "VAR_DIR": str(tmp_path), "ALLOWED_HOSTS": "ratings.example.org"}
    told = given | {"SECRET_KEY_FILE": str(tmp_path / "key")}
    say = [
        "shell",
        "--no-imports",
        "-c",
        "from django.conf import settings as s; print(s.SECRET_KEY, s.SITE_ADDRESS)",
    ]

    def manage(**environment: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "manage.py", *say]
        return subprocess.run(command, cwd=settings.ROOT, env=environment, capture_output=True, text=True)

    assert manage(**told).stdout.strip().endswith("0123456789 https://ratings.example.org")
    missing = manage(**given, SECRET_KEY_FILE=str(tmp_path / "none"))
    assert missing.returncode != 0
    assert "which cannot be read: No such file" in missing.stderr
    assert "Traceback" not in missing.stderr


@pytest.mark.long
def test_the_site_has_the_first_of_its_names_and_figures_are_had_past_the_proxy(tmp_path: Path) -> None:
    """As compose passes on what nobody set."""
    inherited = {key: value for key, value in os.environ.items() if key != "DJANGO_SETTINGS_MODULE"}
    told = {"PRODUCTION": "1", "SECRET_KEY": "x" * 60, "VAR_DIR": str(tmp_path)}
    told |= {"ALLOWED_HOSTS": "ratings.example.org", "OPERATORS": ""}
    ask = (
        "from django.conf import settings as s; from django.test import RequestFactory as F;"
        "from django.middleware.security import SecurityMiddleware as M;"
        "print(s.SITE_HOST, s.ADMINS,"
        " [M(lambda r: None).process_request(F().get(path, HTTP_HOST=s.SITE_HOST)) is None"
        " for path in ('/metrics', '/csa/')])"
    )
    command = [sys.executable, "manage.py", "shell", "--no-imports", "-c", ask]
    done = subprocess.run(
        command, cwd=settings.ROOT, env=inherited | told, capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    assert done.stdout.strip() == "ratings.example.org [] [True, False]"


@pytest.mark.long
@pytest.mark.parametrize(
    ("port", "address"), [("", "http://127.0.0.1:8000"), ("8123", "http://127.0.0.1:8123")]
)
def test_links_of_letters_lead_to_the_port_at_which_the_office_was_started(
    tmp_path: Path, port: str, address: str
) -> None:
    others = ("DJANGO_SETTINGS_MODULE", "UP_PORT")
    inherited = {key: value for key, value in os.environ.items() if key not in others}
    given = inherited | {"VAR_DIR": str(tmp_path)} | ({"UP_PORT": port} if port else {})
    say = "from django.conf import settings as s; print(s.SITE_ADDRESS)"
    command = [sys.executable, "manage.py", "shell", "--no-imports", "-c", say]
    done = subprocess.run(command, cwd=settings.ROOT, env=given, capture_output=True, text=True)
    assert done.stdout.strip().endswith(address)
