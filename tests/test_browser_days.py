"""The offices that the browser visits have the day of the tests, at whatever hour these run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ratings.rulesets import rulesets
from ratings.rulesets.profile import equipment_of
from tests.browser import zones_of_utc

WHEN = "from datetime import *; from zoneinfo import *; import sys;"
WHEN += "print(datetime(2026, 7, 1, 23, tzinfo=UTC).astimezone(ZoneInfo(sys.argv[1])).isoformat())"


@pytest.mark.parametrize(
    "slug",
    [pytest.param(each, marks=[] if each == "csa" else [pytest.mark.nightly]) for each in sorted(rulesets())],
)
def test_an_hour_before_utcs_midnight_each_office_has_the_same_day(slug: str, tmp_path: Path) -> None:
    zones_of_utc(tmp_path)
    zone = equipment_of(rulesets()[slug]).office.time_zone
    here = os.environ | {"PYTHONTZPATH": str(tmp_path)}
    told = subprocess.run([sys.executable, "-c", WHEN, zone], env=here, capture_output=True, check=True)
    assert told.stdout.decode().strip() == "2026-07-01T23:00:00+00:00"
