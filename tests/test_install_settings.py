"""What the install of a server asks for, keeps and refuses; whole installs are in `test_installing`."""

from __future__ import annotations

import runpy
import stat
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

INSTALL: dict[str, Any] = runpy.run_path(str(Path(__file__).parent.parent / "deploy/install.py"))
Refused = INSTALL["Refused"]
NAMED = ["ratings.example.org", "OPERATORS=you@example.org,me@example.org", "EMAIL_URL=smtp://localhost"]
ON_SERVERS = ["DATABASE_URL=postgres://127.0.0.1/office", "CELERY_BROKER_URL=redis://127.0.0.1/0"]


def settings(present: dict[str, str], *words: str) -> dict[str, str]:
    """The settings of an office on a machine without PostgreSQL and Redis."""
    names = INSTALL["new_secrets"].__globals__
    names |= {"is_installed": lambda package: False, "ask_postgresql": lambda query: ""}
    wanted = INSTALL["wanted_settings"](present, list(words))
    return dict(wanted | INSTALL["new_secrets"](wanted))


def test_three_settings_are_enough_and_the_others_follow() -> None:
    made = settings({}, *NAMED)
    assert made["ALLOWED_HOSTS"] == "ratings.example.org"
    assert made["DEFAULT_FROM_EMAIL"] == "office@ratings.example.org"
    assert made["SECURITY_CONTACT"] == "mailto:you@example.org"
    assert made["PRODUCTION"] == made["TRUSTED_PROXIES"] == "1"
    assert len(made["SECRET_KEY"]) >= 50
    assert "DATABASE_URL" not in made


@pytest.mark.parametrize("left_out", range(3))
def test_what_nobody_else_can_know_is_asked_for(left_out: int) -> None:
    with pytest.raises(Refused, match="=…"):
        settings({}, *(word for n, word in enumerate(NAMED) if n != left_out))


def test_settings_that_are_there_stay_but_for_the_one_that_is_given() -> None:
    before = settings({}, *NAMED) | {"LOG_LEVEL": "DEBUG"}
    assert settings(before) == before
    assert settings(before, "BACKUP_DIR=/mnt/office") == before | {"BACKUP_DIR": "/mnt/office"}


def test_servers_of_this_machine_named_without_passwords_get_them_and_two_roles() -> None:
    made = settings({}, *NAMED, *ON_SERVERS)
    application, owner = urlsplit(made["DATABASE_URL"]), urlsplit(made["DATABASE_OWNER_URL"])
    assert (application.username, owner.username) == ("application", "office")
    assert made["DATABASE_URL"].endswith("@127.0.0.1/office")
    passwords = {application.password, owner.password, urlsplit(made["CELERY_BROKER_URL"]).password}
    assert None not in passwords
    assert len(passwords) == 3
    assert settings(made, *ON_SERVERS) == made


def test_servers_elsewhere_are_taken_as_they_are_named() -> None:
    named = ["DATABASE_URL=postgres://a:b@db.example.org/o", "CELERY_BROKER_URL=rediss://:c@db.example.org/0"]
    made = settings({}, *NAMED, *named)
    assert [f"{name}={made[name]}" for name in ("DATABASE_URL", "CELERY_BROKER_URL")] == named
    assert "DATABASE_OWNER_URL" not in made
    assert settings(made, *NAMED, *named) == made, (
        "the same command again, as it says after a step that failed"
    )
    changed = "DATABASE_URL=postgres://a:new@db.example.org/o"
    assert f"DATABASE_URL={settings(made, changed)['DATABASE_URL']}" == changed
    with pytest.raises(Refused, match="would stay there"):
        settings(made, "DATABASE_URL=postgres://a:b@other.example.org/o")


@pytest.mark.parametrize("server", ON_SERVERS)
def test_one_server_without_the_other_is_refused(server: str) -> None:
    with pytest.raises(Refused, match="belong together"):
        settings({}, *NAMED, server)


def test_an_office_does_not_leave_its_database_behind() -> None:
    with pytest.raises(Refused, match="would stay there"):
        settings(settings({}, *NAMED), *ON_SERVERS)


@pytest.mark.parametrize("server", ["PostgreSQL", "Redis"])
def test_a_server_that_others_set_up_is_left_alone(server: str) -> None:
    names = INSTALL["new_secrets"].__globals__
    names |= {
        "is_installed": lambda package: server == "Redis",
        "ask_postgresql": lambda query: "1" if server == "PostgreSQL" else "",
        "REDIS_IS_OURS": Path(__file__).parent / "no such file",
    }
    with pytest.raises(Refused, match=server):
        INSTALL["new_secrets"](INSTALL["wanted_settings"]({}, [*NAMED, *ON_SERVERS]))


def test_a_settings_file_keeps_its_other_lines_and_is_closed_to_others(tmp_path: Path) -> None:
    file = tmp_path / "environment"
    file.write_text('# ours\nLOG_LEVEL="INFO"\nEMAIL_URL=smtp://me:a=$b;c@host\n')
    INSTALL["keep_settings"](file, {"LOG_LEVEL": "DEBUG", "OPERATORS": "you@example.org"})
    assert file.read_text().splitlines() == [
        "# ours",
        "EMAIL_URL=smtp://me:a=$b;c@host",
        "LOG_LEVEL=DEBUG",
        "OPERATORS=you@example.org",
    ]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert INSTALL["read_settings"](file)["EMAIL_URL"] == "smtp://me:a=$b;c@host"


def test_redis_that_an_install_brought_and_did_not_set_up_is_set_up_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = INSTALL["new_secrets"].__globals__
    mark, conf = tmp_path / "redis-is-ours", tmp_path / "redis.conf"
    here = {"REDIS_IS_OURS": mark, "REDIS": conf, "run": lambda *words: None}
    for name, value in here.items():
        monkeypatch.setitem(names, name, value)
    INSTALL["install_packages"](["git", "redis-server"])
    monkeypatch.setitem(names, "is_installed", lambda package: True)
    monkeypatch.setitem(names, "ask_postgresql", lambda query: "")
    office = object.__new__(INSTALL["Office"])
    wanted = INSTALL["wanted_settings"]({}, [*NAMED, *ON_SERVERS])
    office.settings = wanted | INSTALL["new_secrets"](wanted)
    [step] = office.steps_to_redis()
    step.do()
    assert f"requirepass {urlsplit(office.settings['CELERY_BROKER_URL']).password}\n" in conf.read_text()
    assert list(office.steps_to_redis()) == []
    mark.unlink()
    office.settings["CELERY_BROKER_URL"] = "redis://:other@127.0.0.1/0"
    assert list(office.steps_to_redis()) == [], "another's Redis"


def test_a_password_in_an_address_is_that_of_the_role(monkeypatch: pytest.MonkeyPatch) -> None:
    told = list[str]()
    names = INSTALL["new_secrets"].__globals__
    monkeypatch.setitem(names, "ask_postgresql", lambda query: "")
    monkeypatch.setitem(names, "tell_postgresql", told.append)
    office = object.__new__(INSTALL["Office"])
    office.settings = {"DATABASE_OWNER_URL": "postgres://office:p%40ss%27w@127.0.0.1/office"}
    for step in office.steps_to_postgresql():
        step.do()
    assert told[0].endswith("PASSWORD 'p@ss''w'")
