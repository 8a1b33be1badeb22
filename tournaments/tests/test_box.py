"""The box holds what is put into it."""

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tournaments import box
from tournaments.box import BoxDied, inside, read_boxed, read_many_boxed
from tournaments.formats import read_any, sheet
from tournaments.formats.messages import MESSAGES
from tournaments.tests.event_files import SWISS_MANAGER

pytestmark = pytest.mark.boxed

unix = pytest.mark.skipif(not hasattr(os, "fork"), reason="without a Unix there is only the clock")


@pytest.fixture
def hogs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(box, "READER", "tournaments.tests.box_hogs")


def end_of(hog: str) -> BoxDied:
    with pytest.raises(BoxDied) as died:
        read_boxed(hog.encode())
    assert died.value.reason in MESSAGES
    return died.value


def test_a_boxed_reading_is_the_reading() -> None:
    data = SWISS_MANAGER.encode()
    assert read_boxed(data, "soweto.txt") == read_any(data, "soweto.txt")


def test_a_file_that_is_refused_comes_back_with_its_reason() -> None:
    assert [finding.key for finding in read_boxed(b"%PDF-1.7").findings] == ["is-pdf"]


@pytest.mark.long
def test_a_file_name_reaches_the_child_as_a_suffix_at_most() -> None:
    reading = read_boxed(b"\0\0\0\0\0\0\0\xff\x89\x44", "--help; rm \0 \udcff ünï.TUNX")
    assert [finding.key for finding in reading.findings] == ["is-swiss-manager"]
    assert box._suffix("x.a b") == box._suffix("x.a\0") == box._suffix("x") == box._suffix("x.ünï") == ""


def otherwise(monkeypatch: pytest.MonkeyPatch, folder: Path, said: str, instead: str) -> None:
    """Let the box's child be the same but for a few words of its script."""
    script = folder / "boxed.py"
    source = Path(inside.__file__).read_text()
    root = str(Path(inside.__file__).resolve().parents[2])
    assert said in source
    source = source.replace(said, instead).replace("str(Path(__file__).resolve().parents[2])", repr(root))
    script.write_text(source)
    monkeypatch.setattr(inside, "__file__", str(script))


@pytest.mark.long
@unix
def test_a_reader_that_spins_runs_out_of_its_processor_time(
    hogs: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    otherwise(monkeypatch, tmp_path, "CPU = 20", "CPU = 1")  # twenty seconds are long in a test
    assert end_of("spin").reason == "box-time"


@pytest.mark.long
def test_a_reader_that_sleeps_runs_out_of_the_clock(hogs: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(box, "WALL", 0.7)
    began, beats = time.monotonic(), list[float]()
    with pytest.raises(BoxDied) as died:
        read_boxed(b"sleep", on_progress=beats.append)
    assert died.value.reason == "box-time"
    assert time.monotonic() - began < 5
    assert len(beats) == 2


@pytest.mark.long
@unix
def test_a_reader_that_fills_the_memory_is_stopped(hogs: None) -> None:
    assert end_of("allocate").reason == "box-memory"


@pytest.mark.long
@unix
def test_a_reader_that_writes_without_end_is_stopped(hogs: None) -> None:
    assert end_of("flood").reason == "box-output"


@pytest.mark.long
@unix
def test_what_a_reader_started_ends_with_it_where_it_could_start_anything(
    hogs: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(box, "WALL", 2.0)
    otherwise(monkeypatch, tmp_path, "    confine()\n", "")  # on a system that refuses no fork
    said: list[bytes] = []
    end = box._end

    def end_and_look(child: subprocess.Popen[bytes]) -> None:
        said.append(Path(f"/proc/{child.pid}/fd/1").read_bytes())
        end(child)

    if not sys.platform.startswith("linux"):
        pytest.skip("looks into /proc")
    monkeypatch.setattr(box, "_end", end_and_look)
    assert end_of("fork").reason == "box-time"
    grandchild = int(said[0])
    time.sleep(0.2)
    status = Path(f"/proc/{grandchild}/stat")
    assert not status.exists() or status.read_text().split()[2] == "Z"


@pytest.mark.long
@unix
@pytest.mark.parametrize("hog", ["die", "stumble", "babble"])
def test_a_reader_that_falls_over_is_our_fault(hogs: None, hog: str) -> None:
    died = end_of(hog)
    assert died.reason == "box-crash"
    assert died.detail == {"die": "", "stumble": "LookupError", "babble": "JSONDecodeError"}[hog]


@pytest.mark.long
def test_what_a_reader_says_as_it_falls_is_kept_out_of_the_log(hogs: None) -> None:
    assert end_of("stumble").detail == "LookupError"


FINE = SWISS_MANAGER.encode()


def started(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The arguments of each child that is begun from now on."""
    begun: list[list[str]] = []
    run = box._run

    def count(arguments: list[str], *more: Any) -> int:
        begun.append(arguments)
        return run(arguments, *more)

    monkeypatch.setattr(box, "_run", count)
    return begun


def test_many_files_are_read_in_one_child_each_as_if_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = started(monkeypatch)
    files = [("a.txt", FINE), ("b.pdf", b"%PDF-1.7"), ("c", b""), ("a.txt", FINE[:200])]
    assert read_many_boxed(files) == [read_any(data, name) for name, data in files]
    assert len(begun) == 1


def test_no_file_needs_no_child(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = started(monkeypatch)
    assert not read_many_boxed([])
    assert not begun


@pytest.mark.long
@unix
@pytest.mark.parametrize(
    ("hog", "reason"),
    [
        ("allocate", "box-memory"),
        ("flood", "box-output"),
        ("die", "box-crash"),
        ("stumble", "box-crash"),
        ("babble", "box-crash"),
        ("sleep", "box-time"),
    ],
)
def test_a_file_at_which_a_child_dies_takes_no_other_with_it(
    hogs: None, monkeypatch: pytest.MonkeyPatch, hog: str, reason: str
) -> None:
    if hog == "sleep":
        monkeypatch.setattr(box, "WALL", 2.0)
    begun = started(monkeypatch)
    found = read_many_boxed([("a.txt", FINE), ("b", hog.encode()), ("c.txt", FINE), ("d.txt", FINE)])
    assert [each.reason if isinstance(each, BoxDied) else "" for each in found] == ["", reason, "", ""]
    whole = read_any(FINE, "a.txt")
    assert [found[0], *found[2:]] == [whole, whole, whole]
    assert len(begun) == 3, "the first child, the bad file's own, and one for all behind it"


@pytest.mark.long
@unix
def test_what_many_files_use_up_together_is_not_held_against_the_last(
    hogs: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    otherwise(monkeypatch, tmp_path, "OUTPUT = 64 * 1024 * 1024", "OUTPUT = 20_000")
    monkeypatch.setattr(inside, "OUTPUT", 20_000)
    assert len(sheet.dump(read_any(FINE, "a.txt"))) < 20_000
    assert read_many_boxed([("a.txt", FINE)] * 12) == [read_any(FINE, "a.txt")] * 12


@unix
def test_the_child_inherits_no_secret(hogs: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_KEY", "hush")
    detail = end_of("tell").detail
    assert "SECRET_KEY" not in detail
    assert detail.endswith("1 /")


@pytest.mark.long
def test_a_system_without_limits_still_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resource", None)
    inside.limit_resources()
