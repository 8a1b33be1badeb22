"""What pages keep in files: shared, and never the fault of a page that is not shown."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Any

import pytest

from federation_site.templates import PageFiles


@pytest.fixture
def kept(tmp_path: Path) -> PageFiles:
    return PageFiles(str(tmp_path / "pages"), {"OPTIONS": {"MAX_ENTRIES": 30}})


def test_two_processes_share_what_they_keep(kept: PageFiles, tmp_path: Path) -> None:
    kept.set("tables-1", ["row"], None)
    assert PageFiles(str(tmp_path / "pages"), {}).get("tables-1") == ["row"]


def test_a_torn_file_is_as_good_as_none(kept: PageFiles, tmp_path: Path) -> None:
    kept.set("tables-1", ["row"], None)
    [file] = (tmp_path / "pages").iterdir()
    for torn in (b"", file.read_bytes()[:-4], b"\x80\x04K\x01.torn"):
        file.write_bytes(torn)
        assert kept.get("tables-1", "none") == "none"
        file.parent.mkdir(exist_ok=True)


def test_a_full_disk_costs_a_page_its_copy_and_nothing_else(
    kept: PageFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("django.core.cache.backends.filebased.tempfile.mkstemp", full)
    kept.set("tables-1", ["row"])
    assert kept.get("tables-1") is None


def test_no_more_is_kept_than_so_many_entries(kept: PageFiles, tmp_path: Path) -> None:
    for number in range(100):
        kept.set(f"tables-{number}", "kept")
    assert len(list((tmp_path / "pages").iterdir())) <= 30
