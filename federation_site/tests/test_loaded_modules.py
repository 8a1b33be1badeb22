"""What a command of an office on SQLite does not load, because it takes time and memory."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from django.conf import settings

pytestmark = [pytest.mark.any_database, pytest.mark.long]
LOADED = """
import sys
import django
from django.urls import get_resolver
django.setup()
get_resolver().url_patterns
print(*sys.modules)
"""


UNUSED = {"psycopg", "sentry_sdk", "openpyxl", "icalendar", "PIL", "fpdf", "granian"}


def test_no_command_loads_what_this_office_does_not_use_or_few_pages_do() -> None:
    told = {"DATABASE_URL": "sqlite:///:memory:", "DJANGO_SETTINGS_MODULE": "federation_site.settings"}
    done = subprocess.run(
        [sys.executable, "-c", LOADED],
        env={**os.environ, **told},
        cwd=settings.ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = set(done.stdout.split())
    assert "ratings.pages.api" in loaded
    assert not loaded & UNUSED
