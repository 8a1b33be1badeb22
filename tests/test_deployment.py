"""The files that put the office on servers, read as their tools read them."""

import os
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.conf import settings

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def services() -> dict[str, dict[str, Any]]:
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    return dict(compose["services"])


def test_compose_starts_web_two_workers_beat_and_their_two_servers(
    services: dict[str, dict[str, Any]],
) -> None:
    assert set(services) == {"web", "worker", "files", "beat", "postgres", "redis"}


def test_web_workers_and_beat_share_one_environment(services: dict[str, dict[str, Any]]) -> None:
    web, *others = (services[name]["environment"] for name in ("web", "worker", "files", "beat"))
    assert others == [web] * 3
    assert web["DATABASE_URL"].startswith("${DATABASE_URL:-postgres://")
    assert web["CELERY_BROKER_URL"].startswith("${CELERY_BROKER_URL:-redis://")


def test_the_secret_key_has_no_default(services: dict[str, dict[str, Any]]) -> None:
    assert services["web"]["environment"]["SECRET_KEY"].startswith("${SECRET_KEY:?")


@pytest.mark.parametrize("name", ["worker", "files"])
def test_a_worker_may_finish_what_it_began(services: dict[str, dict[str, Any]], name: str) -> None:
    assert services[name]["stop_grace_period"] == "2m"


def test_each_queue_has_a_worker_of_its_own(services: dict[str, dict[str, Any]]) -> None:
    commands = [services[name]["command"] for name in ("worker", "files")]
    queues = [re.findall(r"--queues (\w+)", command)[0] for command in commands]
    assert sorted(queues) == sorted(queue.name for queue in settings.CELERY_TASK_QUEUES)


def test_whoever_runs_compose_may_set_the_number_of_web_processes(
    services: dict[str, dict[str, Any]],
) -> None:
    assert "--workers ${WEB_PROCESSES:-2}" in services["web"]["command"]


def test_redis_keeps_its_messages_and_evicts_none(services: dict[str, dict[str, Any]]) -> None:
    assert "--appendonly yes" in services["redis"]["command"]
    assert "noeviction" in services["redis"]["command"]


def test_every_variable_of_compose_is_one_that_the_settings_read(services: dict[str, dict[str, Any]]) -> None:
    read = set(re.findall(r'env\.\w+\("(\w+)"', (ROOT / "federation_site/settings.py").read_text()))
    assert set(services["web"]["environment"]) <= read


def test_the_image_runs_as_a_user_and_installs_nothing_by_itself() -> None:
    lines = (ROOT / "Dockerfile").read_text().splitlines()
    assert "USER office" in lines
    assert any(line.startswith("ENV NO_BOOTSTRAP=1") for line in lines)


@pytest.mark.parametrize("name", ["requirements.txt", "requirements-test.txt", "requirements-dev.txt"])
def test_a_lock_pins_every_package_by_hash_and_names_no_host(name: str) -> None:
    text = (ROOT / name).read_text()
    assert "://" not in text
    assert all("--hash=sha256:" in package for package in re.split(r"\n(?=\S)", text.strip()))


@pytest.mark.parametrize("name", [".ci/run", ".ci/with-servers", "manage.py"])
def test_what_is_run_has_its_run_bit(name: str) -> None:
    assert os.access(ROOT / name, os.X_OK)
