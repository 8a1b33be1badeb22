"""What versions up to 0.1.0rc1 left unfinished goes at a start, and no other program's files."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pytest

from federation_site import backup


@pytest.mark.parametrize(("age", "stays"), [(backup.A_DAY + 60, False), (backup.A_DAY - 60, True)])
def test_what_former_versions_left_goes_after_a_day_and_in_the_temporary_folder_only_their_own(
    tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch, age: int, stays: bool
) -> None:
    settings.VAR, settings.BACKUP_DIR = tmp_path / "var", None
    shared = tmp_path / "tmp"
    monkeypatch.setattr(backup, "gettempdir", lambda: str(shared))
    for folder in (settings.VAR, shared):
        folder.mkdir()
        for name in (".moving-1", ".restore-1", ".writing-1"):
            (folder / name).mkdir()
            os.utime(folder / name, (time.time() - age,) * 2)
    backup.delete_unfinished()
    own = {".moving-1", ".restore-1", ".writing-1"} if stays else set()
    assert {path.name for path in settings.VAR.iterdir()} == own
    assert {path.name for path in shared.iterdir()} == own | {".restore-1", ".writing-1"}
