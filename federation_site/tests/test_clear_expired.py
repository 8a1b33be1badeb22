"""Traces of people that have run out are cleared away each night."""

from __future__ import annotations

import os
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.core.cache import caches
from django.db import connection
from django.utils import timezone

from federation_site import tasks

pytestmark = pytest.mark.servers


@pytest.mark.django_db
def test_counters_of_tries_that_are_over_are_deleted_and_others_stay() -> None:
    counters: Any = caches["default"]
    counters.set("over", 1, timeout=60)
    counters.set("running", 1, timeout=7200)
    with time_machine.travel(timezone.now() + timedelta(hours=1)):
        tasks.forget_sessions()
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT cache_key FROM {counters._table}")
        kept = {key for (key,) in cursor.fetchall()}
    assert {key.rpartition(":")[2] for key in kept} & {"over", "running"} == {"running"}


@pytest.mark.django_db
@pytest.mark.parametrize(("days", "stays"), [(6.9, True), (7.1, False)])
def test_letters_kept_as_files_go_after_a_week(
    tmp_path: Path, settings: Any, days: float, stays: bool
) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
    settings.EMAIL_FILE_PATH = str(tmp_path)
    letter = tmp_path / "20260101-1.log"
    letter.write_text("a link")
    os.utime(letter, (time.time() - days * 86400,) * 2)
    tasks.forget_sessions()
    assert letter.exists() == stays
