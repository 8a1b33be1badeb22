"""What a killed process was writing is deleted by the next one; what somebody still writes is not."""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from django.conf import settings

from players import writing
from players.writing import (
    atomic_file,
    delete_abandoned_files,
    make_unfinished_folder,
    open_unfinished_file,
    try_lock_folder,
)

HOLD = """
import sys, time
from pathlib import Path
from players.writing import open_unfinished_file, make_unfinished_folder
folder = Path(sys.argv[2])
if sys.argv[1] == "file":
    with open_unfinished_file(folder) as file:
        file.write(b"births")
        file.flush()
        print("holds", flush=True)
        time.sleep(600)
with make_unfinished_folder(folder) as made:
    (made / "births.csv").write_text("births")
    print("holds", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[Callable[[str], subprocess.Popen[bytes]]]:
    """`writer("file")`: another process that is in the middle of writing in the folder."""
    begun: list[subprocess.Popen[bytes]] = []

    def begin(kind: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-c", HOLD, kind, str(tmp_path)]
        process = subprocess.Popen(command, cwd=settings.ROOT, stdout=subprocess.PIPE)
        begun.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == b"holds\n"
        return process

    yield begin
    for process in begun:
        process.kill()
        process.communicate()


def content(folder: Path) -> list[str]:
    """What a thief would read in the folder, its folders and theirs."""
    return [path.read_text() for path in folder.rglob("*") if path.is_file() and path.stat().st_size]


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_what_a_living_process_writes_stays_and_what_a_killed_one_wrote_goes(
    kind: str, writer: Callable[[str], subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    living = writer(kind)
    delete_abandoned_files(tmp_path)
    assert content(tmp_path) == ["births"]
    living.send_signal(signal.SIGKILL)
    living.wait()
    assert content(tmp_path) == ["births"]
    delete_abandoned_files(tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", ["file", "folder"])
@pytest.mark.parametrize("following", [open_unfinished_file, make_unfinished_folder, atomic_file])
def test_whoever_writes_in_the_folder_next_clears_it_and_tells(
    kind: str,
    following: Callable[[Path], object],
    writer: Callable[[str], subprocess.Popen[bytes]],
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    dead, living = writer(kind), writer(kind)
    dead.kill()
    dead.wait()
    with following(tmp_path / "whole" if following is atomic_file else tmp_path):  # type: ignore[attr-defined]
        assert content(tmp_path) == ["births"]  # the living one's
    assert "left unfinished" in caplog.text
    living.kill()


def test_nobody_but_the_owner_may_read_what_is_unfinished_and_nothing_is_left_of_it(tmp_path: Path) -> None:
    with open_unfinished_file(tmp_path) as file, make_unfinished_folder(tmp_path) as folder:
        for path in (Path(file.name), folder, folder.parent):
            assert not path.stat().st_mode & 0o077
        assert list(folder.iterdir()) == []
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("error", [FileNotFoundError, KeyboardInterrupt, ValueError])
def test_a_fault_in_the_middle_leaves_nothing_and_is_told(error: type[BaseException], tmp_path: Path) -> None:
    for opened in (open_unfinished_file, make_unfinished_folder):
        with pytest.raises(error), opened(tmp_path):
            raise error
    with pytest.raises(error), atomic_file(tmp_path / "whole"):
        raise error
    assert list(tmp_path.iterdir()) == []


def test_a_writer_that_was_cleared_before_it_had_its_lock_begins_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cleared: list[int] = []
    lock = fcntl.flock

    def late(file: object, how: int) -> None:
        if len(cleared) < 2:  # somebody who clears is quicker
            cleared.append(1)
            for left in tmp_path.iterdir():
                with suppress(OSError):
                    os.rename(left, tmp_path.parent / f"gone-{len(cleared)}-{left.name}")
        lock(file, how)  # type: ignore[arg-type]

    monkeypatch.setattr(fcntl, "flock", late)
    with open_unfinished_file(tmp_path) as file:
        assert Path(file.name).exists()
    cleared.clear()
    with make_unfinished_folder(tmp_path) as folder:
        (folder / "row").write_text("kept")
    assert list(tmp_path.iterdir()) == []


def test_on_a_disk_without_locks_writing_goes_on_and_nothing_is_taken_for_left_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", none)
    with make_unfinished_folder(tmp_path) as folder, atomic_file(tmp_path / "whole") as file:
        file.write(b"all")
        delete_abandoned_files(tmp_path)
        assert folder.exists()
    assert [path.name for path in tmp_path.iterdir()] == ["whole"]
    with try_lock_folder(tmp_path / "folder") as alone:
        assert alone


def test_what_merely_looks_like_it_outside_stays(tmp_path: Path) -> None:
    """A link in a folder that all share leads to somebody's own file."""
    (own := tmp_path / "own").write_text("somebody's")
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / f"{writing.UNFINISHED_PREFIX}x").symlink_to(own)
    (tmp_path / "shared" / ".other.part").write_text("another program's")
    delete_abandoned_files(tmp_path / "shared")
    assert own.read_text() == "somebody's"
    assert [path.name for path in (tmp_path / "shared").iterdir()] == [".other.part"]


def test_one_process_at_a_time_is_alone_in_a_folder(tmp_path: Path) -> None:
    with (
        try_lock_folder(tmp_path / "new" / "folder") as first,
        try_lock_folder(tmp_path / "new" / "folder") as second,
    ):
        assert (first, second) == (True, False)
    with try_lock_folder(tmp_path / "new" / "folder") as again:
        assert again
