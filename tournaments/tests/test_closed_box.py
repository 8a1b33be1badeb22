"""The box is closed: what a file makes of its reader gets out by no way that this system can shut."""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tournaments import box
from tournaments.box import inside, open_ways, read_boxed
from tournaments.formats import read_any
from tournaments.tests.table_files import workbook
from tournaments.tests.test_box import otherwise
from tournaments.tests.test_formats_archive import zipped
from tournaments.tests.test_formats_mutated import ENCODINGS, SEEDS

pytestmark = [pytest.mark.boxed, pytest.mark.long]

ROOT = Path(__file__).resolve().parents[2]
linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the locks are Linux's")
here = pytest.mark.skipif(os.uname().machine != "x86_64", reason="the reader calls by the numbers of x86-64")


def alone(code: str, *arguments: str) -> str:
    """What a Python of its own prints that runs this code beside the office's modules."""
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{code}"
    command = [sys.executable, "-I", "-X", "utf8", "-c", code, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout


@pytest.fixture
def victims(tmp_path: Path) -> Iterator[dict[str, Any]]:
    """What a reader may be after: files, a process of the same account, two servers."""
    (tmp_path / "kept").write_text("kept")
    (tmp_path / "secret_key").write_text("hush")
    bystander = subprocess.Popen(["sleep", "60"])
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as local:
        local.bind(str(tmp_path / "local"))
        local.listen()
        yield {
            **{"folder": str(tmp_path), "secret": str(tmp_path / "secret_key")},
            **{"bystander": bystander.pid, "parent": os.getpid()},
            **{"port": server.getsockname()[1], "socket": str(tmp_path / "local")},
        }
    bystander.kill()
    bystander.wait()


def tried(victims: dict[str, Any]) -> dict[str, str]:
    """Each way out that the taken-over reader tried, with `done` or the error that it got."""
    arguments, file = ["tournaments.tests.escaping_reader"], json.dumps(victims).encode()
    with box._boxed(arguments, file, box.WALL, None) as output:
        ways, *program = output.read().decode().splitlines()
        ends: dict[str, str] = json.loads(ways)
        return ends | {"run a program": program[0] if program else "done"}


@linux
@here
def test_a_reader_that_a_file_took_over_gets_out_by_no_way(victims: dict[str, Any], tmp_path: Path) -> None:
    before = sorted(tmp_path.iterdir())
    assert {way: end for way, end in tried(victims).items() if end != "EPERM"} == {}
    assert sorted(tmp_path.iterdir()) == before
    assert (tmp_path / "kept").read_text() == "kept"
    time.sleep(0.1)  # a signal would have arrived
    assert Path(f"/proc/{victims['bystander']}/stat").read_text().split()[2] == "S"


@linux
@here
def test_the_same_reader_gets_out_of_a_box_that_is_left_open(
    victims: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "of_the_box"
    script.mkdir()
    otherwise(monkeypatch, script, "    confine()\n", "")
    ends = tried(victims)
    refused = {way for way, end in ends.items() if end != "done"}
    assert refused <= {
        *("open the parent's memory", "read another's memory", "trace"),  # where the system minds that itself
        *("lower another's priority", "an open tree", "enter namespaces", "raise its limits"),
        *("load a program into the kernel", "a ring of calls", "call in the old numbering"),
    }


@linux
def test_on_this_machine_no_way_out_is_open() -> None:
    assert open_ways() == []


def test_a_box_that_is_left_open_says_by_which_ways(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    otherwise(monkeypatch, tmp_path, "    confine()\n", "")
    assert {"open a file", "write a file", "use the network"} <= set(open_ways())


OPEN_AFTER = """
from tournaments import box
from tournaments.box import inside
{lock}
box.main(b"")
"""
EVERY_WAY = {"open a file", "write a file", "use the network", "start a process", "run a program"}


@linux
@pytest.mark.parametrize(
    ("lock", "shut"),
    [
        ("inside.refuse_calls()", EVERY_WAY | {"signal another process"}),
        ("inside.refuse_files()", {"open a file", "write a file", "run a program"}),
        ("inside.refuse_descriptors_and_processes()", {"open a file", "write a file", "use the network"}),
    ],
)
def test_each_lock_holds_without_the_others(lock: str, shut: set[str]) -> None:
    try:
        ways = alone(OPEN_AFTER.format(lock=lock))
    except subprocess.CalledProcessError as error:
        assert "OSError" in error.stderr  # noqa: PT017
        pytest.skip("this kernel does not have it")
    assert not shut & set(json.loads(ways))


@linux
def test_no_process_is_started_by_whoever_is_not_root_whatever_the_kernel_has() -> None:
    lock = "import os; os.getuid() or os.setuid(65534); inside.refuse_descriptors_and_processes()"
    assert "start a process" not in json.loads(alone(OPEN_AFTER.format(lock=lock)))


def test_a_machine_whose_calls_are_not_known_gets_no_filter_and_none_of_another() -> None:
    with pytest.raises(OSError, match="riscv64"):
        inside.filter_steps("riscv64")
    first = {machine: inside.filter_steps(machine)[1].value for machine in inside.ARCHITECTURES}
    assert first == {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}


# ---------------------------------------------------------------- and still reads

OLD = [text.decode().encode(name, "ignore") for text in SEEDS for name in ENCODINGS]


@pytest.mark.parametrize("data", SEEDS)
def test_every_family_of_files_is_read_in_the_closed_box_as_outside(data: bytes) -> None:
    assert read_boxed(data) == read_any(data)


@pytest.mark.parametrize("name", ["cp1250", "cp1251", "iso-8859-7", "utf-16"])
def test_old_encodings_are_read_in_the_closed_box_as_outside(name: str) -> None:
    data = "012 Żółta Ěšč Орлова Παπαδοπούλου ß\n".encode(name, "ignore") + SEEDS[0]
    assert read_boxed(data) == read_any(data)


def test_a_workbook_is_read_in_the_closed_box_as_outside() -> None:
    data = workbook(players=[("number", "surname"), (1, "Orlova")])
    assert read_boxed(data, "a.xlsx") == read_any(data, "a.xlsx")


IMPORTED_LATE = """
import pathlib
from tournaments.formats import read_any
from tournaments.box.inside import import_for
from tournaments.formats.player_lists import read_table
from tournaments.formats.archive import unpack
for path in sorted(pathlib.Path(sys.argv[1]).iterdir()):
    data = path.read_bytes()
    import_for(data)
    before = set(sys.modules)
    read_any(data), unpack(data), list(read_table(data))
    print(*sorted(set(sys.modules) - before))
"""


def test_no_reader_imports_anything_in_the_middle_of_a_file(tmp_path: Path) -> None:
    book = workbook(players=[("number", "surname"), (1, "Orlova")])
    many = [(f"ü{number}.txt", data) for number, data in enumerate(SEEDS)]
    for number, data in enumerate(
        [*OLD, book, zipped(("a.xlsx", book)), zipped(*many), b"", b"PK\x03\x04", b"\xff\xfe"]
    ):
        (tmp_path / f"{number:04}").write_bytes(data)
    assert set(alone(IMPORTED_LATE, str(tmp_path)).split()) == set()
