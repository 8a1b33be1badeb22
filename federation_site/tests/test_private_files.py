"""Files that the office keeps are closed to every other account of the machine, its program's are not."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as of_django

from federation_site.checks import check_file_permissions
from federation_site.environment import close_tree_to_others, list_paths_open_to_others

pytestmark = [pytest.mark.any_database, pytest.mark.long]


def rights(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


@pytest.fixture
def var(tmp_path: Path) -> Path:
    """A folder as an earlier version left it, under the umask that most machines have."""
    folder = tmp_path / "var"
    (folder / "mail").mkdir(parents=True)
    for name in ("db.sqlite3", "db.sqlite3-wal", "mail/1.log"):
        (folder / name).write_text("births, sessions, links")
        (folder / name).chmod(0o644)
    (folder / "mail").chmod(0o755)
    folder.chmod(0o755)
    return folder


def run(var: Path, *command: str) -> None:
    environment = {**os.environ, "VAR_DIR": str(var), "DATABASE_URL": f"sqlite:///{var}/db.sqlite3"}
    subprocess.run(
        [sys.executable, *command],
        cwd=of_django.ROOT,
        env=environment,
        check=True,
        umask=0o022,
        stdout=subprocess.DEVNULL,
    )


def test_whatever_a_command_writes_below_var_is_its_owners_alone(tmp_path: Path) -> None:
    var = tmp_path / "var"
    run(var, "manage.py", "migrate", "--verbosity=0")
    run(
        var, "manage.py", "shell", "--command", "from django.conf import settings; print(settings.SECRET_KEY)"
    )
    assert {path.name for path in var.iterdir()} >= {"db.sqlite3", "secret_key"}
    assert {path for path in (var, *var.rglob("*")) if rights(path) & 0o077} == set()


def test_settings_alone_close_the_folder(var: Path) -> None:
    (var / "db.sqlite3").unlink()
    run(var, "manage.py", "check")
    assert rights(var) == 0o700


def test_what_an_earlier_version_left_readable_is_closed_at_the_start(var: Path) -> None:
    close_tree_to_others(var)
    assert rights(var) == rights(var / "mail") == 0o700
    assert {rights(path) for path in var.rglob("*") if path.is_file()} == {0o600}


def test_closing_follows_no_link(var: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("somebody else's")
    elsewhere.chmod(0o644)
    (var / "link").symlink_to(elsewhere)
    close_tree_to_others(var)
    assert rights(elsewhere) == 0o644


def test_the_deploy_check_names_each_folder_that_others_can_open(
    var: Path, tmp_path: Path, settings: Any
) -> None:
    settings.VAR, settings.KEYS_DIR, settings.BACKUP_DIR = var, var / "keys", tmp_path / "backups"
    [warning] = check_file_permissions()
    assert warning.id == "federation_site.W011"
    assert f"can open {var} (5 files and folders)" in warning.msg
    close_tree_to_others(var)
    assert check_file_permissions() == []
    (tmp_path / "backups").mkdir()
    (tmp_path / "backups").chmod(0o755)
    assert len(check_file_permissions()) == 1


def test_a_file_in_a_closed_folder_is_closed_whatever_its_own_rights(var: Path) -> None:
    var.chmod(0o700)
    assert list_paths_open_to_others(var) == []
    var.chmod(0o710)
    assert var in list_paths_open_to_others(var)


def test_what_root_makes_in_the_programs_folder_is_as_readable_as_the_sources(tmp_path: Path) -> None:
    """Bytecode by `compileall`, catalogues by a start; then the office's account reads the program."""
    program, one = tmp_path / "program", "locale/pl/LC_MESSAGES/django.po"
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"],
        cwd=of_django.ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    sources = [name for name in listed if Path(name).suffix in (".py", ".toml", ".csv") or name == one]
    for name in sources:
        (program / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(of_django.ROOT / name, program / name)
    for path in program.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    environment = {
        **os.environ,
        "VAR_DIR": str(tmp_path / "var"),
        "PYTHONPATH": "",
        "PYTHONDONTWRITEBYTECODE": "",
    }
    for command in (["-m", "compileall", "-q", "."], ["-c", "import django; django.setup()"]):
        subprocess.run([sys.executable, *command], cwd=program, env=environment, check=True, umask=0o022)
    made = [path for path in program.rglob("*") if str(path.relative_to(program)) not in sources]
    assert (program / one).with_suffix(".mo") in made
    assert any(path.suffix == ".pyc" for path in made)
    assert [path for path in made if not path.stat().st_mode & stat.S_IROTH] == []
    assert [path for path in made if path.is_dir() and not path.stat().st_mode & stat.S_IXOTH] == []
