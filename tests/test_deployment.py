"""The files that put the office on servers, read as their tools read them."""

import json
import os
import re
import shutil
import ssl
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.conf import settings

from tests.image_files import Unset, read_compose, read_dockerfile

ROOT = Path(__file__).resolve().parent.parent


OFFICE = ("migrate", "web", "worker", "files")
SETTINGS = {"ALLOWED_HOSTS": "ratings.example.org", "DEFAULT_FROM_EMAIL": "office@ratings.example.org"}
OF_THE_WEB_SERVER = {"GRANIAN_WORKERS", "GRANIAN_PID_FILE"}
OF_OTHERS = {"PROMETHEUS_MULTIPROC_DIR", "LIVENESS_FILE"}


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    return read_compose(SETTINGS)


@pytest.fixture(scope="module")
def services(compose: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return dict(compose["services"])


def test_compose_migrates_and_starts_proxy_web_two_workers_and_their_two_servers(
    services: dict[str, dict[str, Any]],
) -> None:
    assert set(services) == {*OFFICE, "proxy", "postgres", "redis"}


@pytest.mark.parametrize("name", SETTINGS)
def test_compose_asks_for_what_nobody_else_can_know(name: str) -> None:
    with pytest.raises(Unset, match=name):
        read_compose({key: value for key, value in SETTINGS.items() if key != name})


def test_programs_of_the_office_share_one_environment_and_the_proxy_is_the_one_that_is_trusted(
    services: dict[str, dict[str, Any]],
) -> None:
    worker = services["worker"]["environment"]
    assert services["files"]["environment"] == worker
    web = services["web"]["environment"]
    assert {name: value for name, value in web.items() if name not in OF_THE_WEB_SERVER} == worker
    assert worker["TRUSTED_PROXIES"] == "1"
    assert worker["PRODUCTION"] == "1"


def test_only_what_migrates_signs_in_as_the_tables_owner_and_the_rest_waits_for_it(
    services: dict[str, dict[str, Any]],
) -> None:
    others = {name: services[name] for name in OFFICE if name != "migrate"}
    own = services["migrate"]["environment"]
    assert own["DATABASE_OWNER_URL_FILE"] == "/run/secrets/database_owner_url"
    assert "owner" not in str(others).lower()
    assert all("manage.py migrate" not in str(each.get("command")) for each in others.values())
    done = {"condition": "service_completed_successfully"}
    assert all(each["depends_on"]["migrate"] == done for each in others.values())


def test_the_proxy_alone_is_reached_from_outside_and_databases_reach_nothing_there(
    compose: dict[str, Any], services: dict[str, dict[str, Any]]
) -> None:
    assert [name for name, told in services.items() if told.get("ports")] == ["proxy"]
    assert services["proxy"]["networks"] == ["outside"]
    assert services["postgres"]["networks"] == services["redis"]["networks"] == ["inside"]
    assert compose["networks"]["inside"]["internal"] is True


def test_every_service_is_confined_and_limited(services: dict[str, dict[str, Any]]) -> None:
    for name, told in services.items():
        assert told["read_only"] is True, name
        assert told["cap_drop"] == ["ALL"], name
        assert told["security_opt"] == ["no-new-privileges:true"], name
        assert {"mem_limit", "cpus", "pids_limit"} <= set(told), name
        assert told["logging"]["options"]["max-size"], name
        assert "build" in told or told["user"] in ("nginx", "postgres", "redis"), name


def test_every_service_that_stays_has_a_health_check_and_starts_again(
    services: dict[str, dict[str, Any]],
) -> None:
    for name, told in services.items():
        stays = name != "migrate"
        assert bool(told["healthcheck"].get("test")) is stays, name
        assert told["restart"] == ("unless-stopped" if stays else "no"), name


def test_every_secret_lies_in_a_file_that_one_command_makes(compose: dict[str, Any], tmp_path: Path) -> None:
    told = {**os.environ, "SECRETS": str(tmp_path / "secrets")}
    command = [
        str(ROOT / "deploy/make-secrets"),
        "ratings.example.org",
        "smtp+tls://a:b@mail.example.org:587",
    ]
    subprocess.run(command, env=told, check=True, capture_output=True)
    made = {path.name: path.read_bytes() for path in (tmp_path / "secrets").iterdir()}
    assert {Path(each["file"]).name for each in compose["secrets"].values()} <= set(made)
    used = {name for each in compose["services"].values() for name in each.get("secrets", [])}
    assert used == set(compose["secrets"])
    assert stat.S_IMODE((tmp_path / "secrets").stat().st_mode) == 0o700
    assert len(made["secret_key"]) >= 50
    assert made["application_password"].decode() in made["database_url"].decode()
    assert made["postgres_password"].decode() in made["database_owner_url"].decode()
    assert made["redis_password"].decode() in made["broker_url"].decode()
    subprocess.run(command, env=told, check=True, capture_output=True)
    assert made == {path.name: path.read_bytes() for path in (tmp_path / "secrets").iterdir()}


def test_no_password_stands_in_compose(compose: dict[str, Any]) -> None:
    for name, told in compose["services"].items():
        for variable in told.get("environment", {}):
            secret = re.search("KEY|PASSWORD|EMAIL_URL|DATABASE|BROKER", variable)
            assert not secret or variable.endswith("_FILE"), (name, variable)


@pytest.mark.parametrize("name", ["worker", "files"])
def test_a_worker_may_finish_what_it_began(services: dict[str, dict[str, Any]], name: str) -> None:
    assert services[name]["stop_grace_period"] == "2m"


def test_each_queue_has_a_worker_of_its_own(services: dict[str, dict[str, Any]]) -> None:
    commands = [services[name]["command"] for name in ("worker", "files")]
    queues = [re.findall(r"--queues (\w+)", command)[0] for command in commands]
    assert sorted(queues) == sorted(queue.name for queue in settings.CELERY_TASK_QUEUES)


@pytest.mark.parametrize(("told", "number"), [({}, "2"), ({"WEB_PROCESSES": "4"}, "4")])
def test_whoever_runs_compose_may_set_the_number_of_web_processes(told: dict[str, str], number: str) -> None:
    web = read_compose({**SETTINGS, **told})["services"]["web"]
    assert web["environment"]["GRANIAN_WORKERS"] == number
    assert "WEB_PROCESSES" not in web["environment"]  # the settings take the one for the other
    assert "command" not in web


def test_each_web_process_of_the_image_knows_how_many_there_are() -> None:
    image = read_dockerfile((ROOT / "Dockerfile").read_text())
    assert image.environment["GRANIAN_WORKERS"] == "1"
    assert "--workers" not in image.command


def test_redis_keeps_its_messages_and_evicts_none(services: dict[str, dict[str, Any]]) -> None:
    assert "--appendonly yes" in services["redis"]["command"]
    assert "noeviction" in services["redis"]["command"]


def test_every_variable_of_compose_is_one_that_somebody_reads(services: dict[str, dict[str, Any]]) -> None:
    read = set(re.findall(r'env\.\w+\(\s*"(\w+)"', (ROOT / "federation_site/settings.py").read_text()))
    given = {name.removesuffix("_FILE") for each in OFFICE for name in services[each]["environment"]}
    assert given - {name.removesuffix("_FILE") for name in OF_THE_WEB_SERVER | OF_OTHERS} <= read


def test_whatever_the_office_reads_can_be_set_in_containers_but_what_the_image_settles(
    services: dict[str, dict[str, Any]],
) -> None:
    read = set(re.findall(r'env\.\w+\(\s*"(\w+)"', (ROOT / "federation_site/settings.py").read_text()))
    assert len(read) > 20
    told = read_compose({**SETTINGS, **{name: f"the told {name}" for name in read}})["services"]
    given = {name: value for each in OFFICE for name, value in told[each]["environment"].items()}
    reached = {name for name in read if f"{name}_FILE" in given or f"the told {name}" in given.values()}
    settled = given.keys() | read_dockerfile((ROOT / "Dockerfile").read_text()).environment.keys()
    assert read - reached - settled == {"KEYS_DIR"}  # a volume lies there
    assert "SENTRY_DSN" not in services["worker"]["environment"]  # unset: the default


def test_the_image_runs_as_a_user_and_installs_nothing_by_itself() -> None:
    lines = (ROOT / "Dockerfile").read_text().splitlines()
    assert "USER office" in lines
    assert any(line.startswith("ENV NO_BOOTSTRAP=1") for line in lines)


@pytest.mark.parametrize("name", ["requirements.txt", "requirements-test.txt", "requirements-dev.txt"])
def test_a_lock_pins_every_package_by_hash_and_names_no_host(name: str) -> None:
    text = (ROOT / name).read_text()
    assert "://" not in text
    assert all("--hash=sha256:" in package for package in re.split(r"\n(?=\S)", text.strip()))


RUN = (
    ".ci/run",
    ".ci/with-servers",
    "deploy/install.py",
    "deploy/make-certificate",
    "deploy/make-secrets",
    "deploy/manage",
    "deploy/pin-images",
    "deploy/take-certificate",
    "manage.py",
)


@pytest.mark.parametrize("name", RUN)
def test_what_is_run_has_its_run_bit(name: str) -> None:
    assert os.access(ROOT / name, os.X_OK)


@pytest.mark.parametrize("name", ["one-machine", "containers"])
def test_the_proxies_offer_tls_with_forward_secrecy_alone(name: str) -> None:
    told = (ROOT / f"deploy/nginx/{name}.conf").read_text()
    assert re.findall(r"ssl_protocols ([^;]+);", told) == ["TLSv1.2 TLSv1.3"]
    [ciphers] = re.findall(r"ssl_ciphers ([^;]+);", told)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.set_ciphers(ciphers)
    offered = [cipher for cipher in context.get_ciphers() if cipher["protocol"] == "TLSv1.2"]
    assert offered
    assert {cipher["kea"] for cipher in offered} == {"kx-ecdhe"}
    assert all(cipher["aead"] for cipher in offered)


def test_a_command_by_hand_gets_the_settings_to_the_letter_as_systemd_gives_them(tmp_path: Path) -> None:
    """And not as a shell would read them: a password may hold what means something there."""
    program = tmp_path / "office"
    for made in ("deploy", ".venv/bin", "stand-in"):
        (program / made).mkdir(parents=True)
    shutil.copy2(ROOT / "deploy/manage", program / "deploy")
    for path, does in ((".venv/bin/python", "true"), ("stand-in/runuser", "env")):
        (program / path).write_text(f"#!/bin/sh\n{does}\n")
        (program / path).chmod(0o755)
    (tmp_path / "owner").write_text("DATABASE_OWNER_URL=postgres://o:p@host/name")
    (tmp_path / "environment").write_text(
        '# a comment\n\nEMAIL_URL=smtp://me:a$HOME&b;`id`@host\nQUOTED="two words"\nPRODUCTION=1\n'
    )
    given = {"PATH": f"{program}/stand-in:/usr/bin:/bin", "OFFICE_SETTINGS": str(tmp_path)}
    said = {}
    for owner in ("", "1"):
        command = [str(program / "deploy/manage"), "check"]
        done = subprocess.run(
            command, env={**given, "OWNER": owner}, capture_output=True, text=True, check=True
        )
        said[owner] = done.stdout.splitlines()
    assert "EMAIL_URL=smtp://me:a$HOME&b;`id`@host" in said[""]
    assert "QUOTED=two words" in said[""]
    assert "PRODUCTION=1" in said[""]
    assert [line for line in said[""] if line.startswith("DATABASE_OWNER_URL")] == []
    assert "DATABASE_OWNER_URL=postgres://o:p@host/name" in said["1"]
    (program / ".venv/bin/python").unlink()
    done = subprocess.run(command, env=given, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "manage.py check" in done.stderr


def test_postgresql_is_called_healthy_only_where_others_reach_it() -> None:
    """While its image makes it, a server of a moment answers at the socket and nobody beside it."""
    told = read_compose({"ALLOWED_HOSTS": "ratings.example.org", "DEFAULT_FROM_EMAIL": "office@example.org"})
    words = told["services"]["postgres"]["healthcheck"]["test"]
    assert words[words.index("--host") + 1] == "127.0.0.1"


def test_one_command_pins_every_image_of_others_by_its_digest_of_today_and_shows_the_change(
    tmp_path: Path,
) -> None:
    """By a stand-in for docker, whose registry has another digest the second time."""
    (tmp_path / "deploy").mkdir()
    for name in ("Dockerfile", "docker-compose.yml", "deploy/pin-images"):
        shutil.copy(ROOT / name, tmp_path / name)
    docker = tmp_path / "docker"
    docker.write_text('#!/bin/sh\necho "$6" >> "$0.asked"\necho "sha256:$DIGEST"\n')
    docker.chmod(0o755)
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    named = named_images(tmp_path)
    for digest in ("a" * 64, "b" * 64):
        subprocess.run(["git", "add", "."], cwd=tmp_path, check=True)
        done = subprocess.run(
            [tmp_path / "deploy/pin-images"],
            env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "DIGEST": digest},
            check=True,
            capture_output=True,
            text=True,
        )
        pinned = {f"{name.partition('@')[0]}@sha256:{digest}" for name in named}
        assert named_images(tmp_path) == pinned
        assert all(f"{name}\n" in done.stdout for name in pinned)
    assert set((tmp_path / "docker.asked").read_text().split()) == {name.partition("@")[0] for name in named}


def named_images(folder: Path) -> set[str]:
    """The images of others that the image and compose begin from."""
    services = yaml.safe_load((folder / "docker-compose.yml").read_text())["services"].values()
    of_others = {each["image"] for each in services if "build" not in each}
    return of_others | set(re.findall(r"^FROM (\S+)$", (folder / "Dockerfile").read_text(), re.M))


@pytest.mark.long
def test_the_bill_of_materials_names_the_release_and_each_locked_package_with_its_digests(
    tmp_path: Path,
) -> None:
    written = tmp_path / "bill.json"
    told = re.sub(r"\\\n\s*", "", (ROOT / "Makefile").read_text())
    command = re.search(r"^\t\$\(BIN\)/(cyclonedx-py .*) -o ", told, re.M)
    assert command
    words = [str(Path(sys.executable).parent / "cyclonedx-py"), *command[1].split()[1:], "-o", str(written)]
    subprocess.run(words, cwd=ROOT, check=True, capture_output=True)
    bill = json.loads(written.read_text())
    assert bill["bomFormat"] == "CycloneDX"
    assert bill["metadata"]["component"]["version"] == settings.VERSION
    lock = (ROOT / "requirements.txt").read_text()
    pinned = {
        (name, version): set(re.findall(r"--hash=sha256:(\w+)", hashes))
        for name, version, hashes in re.findall(r"^([\w.-]+)==(\S+)((?:.*\\\n)+.*)", lock, re.M)
    }
    assert pinned == {
        (each["name"], each["version"]): {
            digest["content"] for place in each["externalReferences"] for digest in place["hashes"]
        }
        for each in bill["components"]
    }


def test_what_is_locked_for_the_office_is_what_the_tests_and_the_checks_run_on() -> None:
    office, tests, checks = (
        set(re.findall(r"^([\w.-]+==\S+)", (ROOT / name).read_text(), re.M))
        for name in ("requirements.txt", "requirements-test.txt", "requirements-dev.txt")
    )
    assert len(office) > 30
    assert office <= tests <= checks


SETTINGS_OF_OTHERS = {
    "DJANGO_SETTINGS_MODULE",
    "CELERY_SKIP_CHECKS",
    "WATCHDOG_USEC",
    "NOTIFY_SOCKET",
    "SYSTEMROOT",
}
"""Variables that Django, Celery, systemd and Windows define."""


def test_the_page_of_operating_tells_every_setting_that_the_code_reads_and_no_other() -> None:
    sources = [ROOT / "manage.py"]
    for folder in ("federation_site", "players", "ratings", "tournaments"):
        sources += [path for path in (ROOT / folder).rglob("*.py") if "tests" not in path.parts]
    read = {
        name
        for path in sources
        for name in re.findall(
            r"""(?:\benv\.\w+\(|environ(?:\.get\(|\.setdefault\(|\[))\s*f?["']([A-Z][A-Z_]+)["']""",
            path.read_text(),
        )
    }
    page = (ROOT / "docs/operating.md").read_text()
    rows = page.split("\n## Settings\n", 1)[1].split("\n## ", 1)[0]
    cells = re.findall(r"^\| (`.*?) \|", rows, re.M)
    told = [name for cell in cells for name in re.findall(r"`([A-Z][A-Z_]+)", cell)]
    assert len(told) == len(set(told))
    assert set(told) == read - SETTINGS_OF_OTHERS - {"SECRET_KEY_FILE"}
