"""A backup is one whole file or none, a restore the same office or none, and old backups go by a rule."""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from federation_site import backup, checks, tasks
from federation_site.backup import (
    BackupWriter,
    BadRule,
    DamagedBackup,
    Manifest,
    OfficeState,
    backup_name,
    backups_in,
    delete_old,
    parse_rule,
    select_kept,
    verify_backup,
)
from federation_site.models import SignOfLife
from players.writing import try_lock_folder

pytestmark = pytest.mark.servers

NOON = datetime(2026, 5, 3, 12, tzinfo=UTC)
A_DAY = timedelta(days=1)


# ---------------------------------------------------------------- the file


def written(path: Path, **parts: bytes) -> Path:
    """A backup's file with these parts."""
    with path.open("wb") as file:
        writer = BackupWriter(file)
        for name, content in parts.items():
            writer.add(name, "a part", io.BytesIO(content))
        offices = [OfficeState("csa", "Chess South Africa", 3, "ab", 2, "2026-05-01")]
        writer.finish(Manifest(NOON, "1.0.0", "sqlite", ["players.0001"], offices, secrets=True))
    return path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return written(tmp_path / "office.zip", database=os.urandom(5_000), secret_key=b"a secret")


def test_a_backup_says_what_is_in_it(file: Path) -> None:
    manifest = verify_backup(file)
    assert (manifest.made, manifest.version, manifest.vendor) == (NOON, "1.0.0", "sqlite")
    assert [(part.name, part.size) for part in manifest.parts] == [("database", 5_000), ("secret_key", 8)]
    assert manifest.offices[0].lines == 3
    assert backup.read_part(file, "secret_key") == "a secret"


def test_its_manifest_stands_last_and_other_programs_can_open_it(file: Path) -> None:
    with zipfile.ZipFile(file) as opened:
        assert opened.namelist()[-1] == "manifest.json"
        assert opened.testzip() is None
        assert {entry.external_attr >> 16 for entry in opened.infolist()} == {0o600}


def test_a_backup_cut_short_anywhere_is_noticed(file: Path) -> None:
    content = file.read_bytes()
    for size in (0, 1, 100, len(content) // 2, len(content) - 100, len(content) - 1):
        file.write_bytes(content[:size])
        with pytest.raises(DamagedBackup):
            verify_backup(file)


def test_every_altered_byte_of_a_part_is_noticed(file: Path) -> None:
    content = bytearray(file.read_bytes())
    for at in range(60, 4_000, 97):
        content[at] ^= 1
        file.write_bytes(content)
        with pytest.raises(DamagedBackup):
            verify_backup(file)
        content[at] ^= 1
    file.write_bytes(content)
    verify_backup(file)


def rewritten(file: Path, change: Callable[[dict[str, bytes]], None]) -> Path:
    """The same zip with other content, sound as a zip."""
    with zipfile.ZipFile(file) as opened:
        content = {name: opened.read(name) for name in opened.namelist()}
    change(content)
    with zipfile.ZipFile(file, "w") as opened:
        for name, bytes_ in content.items():
            opened.writestr(name, bytes_)
    return file


def form_2(content: dict[str, bytes]) -> None:
    content["manifest.json"] = json.dumps(json.loads(content["manifest.json"]) | {"form": 2}).encode()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda content: content.update(database=b"another"), "its checksum differs"),
        (lambda content: content.pop("secret_key"), "secret_key: not there, or not in its manifest"),
        (lambda content: content.update(more=b""), "more: not there, or not in its manifest"),
        (lambda content: content.pop("manifest.json"), "it has no manifest"),
        (lambda content: content.update({"manifest.json": b"{}"}), "it has no manifest"),
        (lambda content: content.update({"manifest.json": b'{"form":1}'}), "its manifest cannot be read"),
        (form_2, "in form 2, and this version reads form 1"),
    ],
)
def test_a_zip_that_is_not_what_was_written_is_refused(
    change: Callable[[dict[str, bytes]], None], words: str, file: Path
) -> None:
    with pytest.raises(DamagedBackup, match=words):
        verify_backup(rewritten(file, change))


# ---------------------------------------------------------------- the rule


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("7 daily", {"daily": 7}),
        ("7 daily, 4 weekly", {"daily": 7, "weekly": 4}),
        (" 1 yearly ,2 monthly", {"yearly": 1, "monthly": 2}),
    ],
)
def test_a_rule_is_read(text: str, rule: dict[str, int]) -> None:
    assert parse_rule(text) == rule


@pytest.mark.parametrize("text", ["", "7", "daily", "7 hourly", "0 daily", "-1 daily", "7 daily 4 weekly"])
def test_a_rule_that_cannot_be_read_or_keeps_nothing_is_refused(text: str) -> None:
    with pytest.raises(BadRule):
        parse_rule(text)


def test_the_newest_of_each_of_the_last_days_weeks_and_months_is_kept() -> None:
    moments = [NOON - each * A_DAY / 2 for each in range(200)]  # two a day
    keep = select_kept(moments, {"daily": 3, "weekly": 2, "monthly": 3})
    assert sorted(each.isoformat()[:13] for each in keep) == [
        "2026-03-31T12",
        "2026-04-26T12",
        "2026-04-30T12",
        "2026-05-01T12",
        "2026-05-02T12",
        "2026-05-03T12",
    ]


def test_days_without_a_backup_do_not_count() -> None:
    assert select_kept([NOON, NOON - 40 * A_DAY, NOON - 90 * A_DAY], {"daily": 2}) == {
        NOON,
        NOON - 40 * A_DAY,
    }


def test_only_backups_are_deleted_and_the_newest_never(tmp_path: Path) -> None:
    for each in range(5):
        (tmp_path / backup_name(NOON - each * A_DAY)).write_text("a backup")
    for other in ("office.zip", "notes.txt", "office-yesterday.backup.zip"):
        (tmp_path / other).write_text("somebody's")
    assert len(delete_old(tmp_path, {"yearly": 1})) == 4
    assert list(backups_in(tmp_path)) == [NOON]
    assert {path.name for path in tmp_path.iterdir()} == {
        backup_name(NOON),
        "office.zip",
        "notes.txt",
        "office-yesterday.backup.zip",
    }


# ---------------------------------------------------------------- by the clock


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, settings: Any) -> list[datetime]:
    """The moments at which backups were made, by a stand-in that writes small ones."""
    settings.BACKUP_DIR = tmp_path / "backups"
    moments: list[datetime] = []

    def make(folder: Path, *, secrets: bool, now: datetime) -> backup.Backup:
        moments.append(now)
        path = written(folder / backup_name(now), database=b"all")
        return backup.Backup(path, verify_backup(path))

    monkeypatch.setattr(backup, "make_backup", make)
    return moments


@pytest.mark.django_db
def test_the_first_look_of_a_day_makes_its_backup_and_the_others_none(made: list[datetime]) -> None:
    for hour in range(48):
        backup.back_up_when_due(NOON + timedelta(hours=hour))
    assert [each.date() for each in made] == [date(2026, 5, 3), date(2026, 5, 4), date(2026, 5, 5)]
    assert SignOfLife.objects.get(name="backup").details["file"] == backup_name(made[-1])


@pytest.mark.django_db
def test_no_backup_is_made_by_the_clock_where_no_folder_is_set(made: list[datetime], settings: Any) -> None:
    settings.BACKUP_DIR = None
    tasks.back_up()
    assert made == []


def test_the_check_of_a_deployment_says_that_no_backup_is_made(settings: Any, tmp_path: Path) -> None:
    settings.BACKUP_DIR = None
    assert [each.id for each in checks.check_backup_dir()] == ["federation_site.W006"]
    settings.BACKUP_DIR = tmp_path
    assert checks.check_backup_dir() == []


@pytest.mark.django_db
def test_of_two_workers_one_makes_the_backup(made: list[datetime], settings: Any) -> None:
    settings.BACKUP_DIR.mkdir()
    with try_lock_folder(settings.BACKUP_DIR) as alone:
        assert alone
        backup.back_up_when_due(NOON)
    assert made == []
    backup.back_up_when_due(NOON)
    assert made == [NOON]


@pytest.mark.django_db
def test_a_backup_that_failed_is_said_and_tried_again_at_the_next_look(
    made: list[datetime], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fails(folder: Path, **_: Any) -> backup.Backup:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr(backup, "make_backup", fails)
        backup.back_up_when_due(NOON)
    assert "no backup was made: [Errno 28] No space left on device" in caplog.text
    assert not SignOfLife.objects.filter(name="backup").exists()
    backup.back_up_when_due(NOON + timedelta(minutes=30))
    assert made == [NOON + timedelta(minutes=30)]


@pytest.mark.django_db
def test_old_backups_go_by_the_rule_of_the_settings(made: list[datetime], settings: Any) -> None:
    settings.BACKUP_KEEP = "2 daily"
    for day in range(5):
        backup.back_up_when_due(NOON + day * A_DAY)
    assert list(backups_in(settings.BACKUP_DIR)) == [NOON + 3 * A_DAY, NOON + 4 * A_DAY]
