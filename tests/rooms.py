"""Rooms in which the image's and compose's very commands run where there is no container runtime.

A machine of its own (network, processes) made by `unshare`, and in it for each program a room: the image's
files at the image's places, nothing else writable but what compose names, the image's user, no capability,
no new privileges, and the limits on open files. Memory, processes and threads are measured, not bounded.
It takes root and Linux; Python and its packages are this machine's, not those of the image's base.
"""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from tests.image_files import ROOT, Ignored, Image, read_dockerfile

PLACES = ("srv", "var/lib", "var/cache", "etc")
"""The folders of a root file system that the image's own steps write to."""
FROM_A_REGISTRY = ("apt-get ", "pip install ")
"""Steps that fetch packages: this machine has them."""
SHARED = {"/opt/python": Path(sys.base_prefix), "/opt/packages": Path(sysconfig.get_path("purelib"))}


def why_not() -> str:
    """Why no room can be made here; empty where one can."""
    if not sys.platform.startswith("linux") or os.geteuid() != 0:
        return "rooms take root on Linux"
    if not all(map(shutil.which, ("unshare", "nsenter", "setpriv", "ip"))):
        return "rooms take unshare, nsenter, setpriv (util-linux) and ip (iproute2)"
    tried = subprocess.run(["unshare", "--net", "--mount", "--pid", "--fork", "true"], capture_output=True)
    return tried.stderr.decode().strip() if tried.returncode else ""


def build(folder: Path) -> Image:
    """Run the Dockerfile's steps, but those that fetch packages, with `folder` in place of the root."""
    image = read_dockerfile((ROOT / "Dockerfile").read_text())
    with usual_rights():
        lay_out(folder, image)
    for step, user in image.runs:
        if not step.startswith(FROM_A_REGISTRY):
            room = Room(folder, image.environment, user=user, folder=image.folder, building=True)
            done = subprocess.run(room.command(["sh", "-c", step]), capture_output=True, text=True)
            assert done.returncode == 0, f"{step}\n{done.stdout}{done.stderr}"
    return image


@contextmanager
def usual_rights() -> Iterator[None]:
    """Make files as on a new machine: the settings, which these tests have read, close them to others."""
    before = os.umask(0o022)
    try:
        yield
    finally:
        os.umask(before)


def lay_out(folder: Path, image: Image) -> None:
    """Make the root's folders, and copy what .dockerignore lets into the image."""
    shutil.copytree("/etc", folder / "etc", symlinks=True)
    for place in PLACES:
        (folder / place).mkdir(parents=True, exist_ok=True)
    office = folder / image.folder.lstrip("/")
    office.mkdir(parents=True, exist_ok=True)
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    )  # fmt: skip
    left_out = Ignored((ROOT / ".dockerignore").read_text())
    for name in filter(
        lambda name: not left_out(name) and (ROOT / name).is_file(), listed.stdout.splitlines()
    ):
        (office / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, office / name)


@dataclass
class Room:
    """What a program finds around it, and what it may do."""

    image: Path
    environment: Mapping[str, str]
    user: str
    folder: str
    building: bool = False
    """Whether the image's folders may be written, and by root."""
    holder: int | None = None
    """The process whose network and processes it shares; None: those of this machine."""
    volumes: Mapping[str, Path] = field(default_factory=dict)
    scratch: Mapping[str, str] = field(default_factory=dict)
    """Folders in memory (`tmpfs`), empty at first, with their options."""
    files: Mapping[str, Path] = field(default_factory=dict)
    """Files that are given to it to read (`configs`, `secrets`), by their places."""
    open_files: int = 1024

    def command(self, words: Sequence[str]) -> list[str]:
        """The command line that runs `words` in here."""
        enter = ["nsenter", f"--target={self.holder}", "--net", "--pid"] if self.holder else []
        return [*enter, "unshare", "--mount", "sh", "-ec", "\n".join(self._script(words))]

    def _script(self, words: Sequence[str]) -> Iterator[str]:
        root = str(self.image / "room")
        yield f"umask 022; mkdir -p {root}; mount --make-rprivate /; mount -t tmpfs -o mode=755 tmpfs {root}"
        yield f"cd {root}; mkdir opt opt/bin proc run tmp dev; mount --rbind /dev dev"
        yield "for name in bin sbin lib lib64; do if [ -h /$name ]; then cp -P /$name $name; fi; done"
        yield "for name in usr bin sbin lib lib64; do if [ -d /$name ] && [ ! -h /$name ]; then"
        yield "mkdir -p $name; mount --bind /$name $name; mount -o remount,bind,ro $name; fi; done"
        yield f"ln -s /opt/python/bin/python{sys.version_info.major}.{sys.version_info.minor} opt/bin/python"
        yield "mount -t proc proc proc; mkdir var; ln -s /run var/run; chmod 1777 tmp"
        yield from self._mounts()
        if not self.building:
            yield "mount -o remount,ro ."
        run = f"cd {self.folder}; exec {shlex.join([*self._as_user(), *words])}"
        yield f"exec env -i {shlex.join(self.variables())} chroot {root} sh -ec {shlex.quote(run)}"

    def variables(self) -> list[str]:
        """The environment of whatever runs in here, each as NAME=value."""
        told = {
            "PATH": "/opt/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
            "PYTHONPATH": "/opt/packages",
        }
        told |= {"LD_LIBRARY_PATH": "/opt/python/lib"}  # a Python may bring its own library
        given = {"HOME": "/var/lib/office", "LC_ALL": "C.UTF-8"} | told | dict(self.environment)
        return [f"{name}={value}" for name, value in given.items()]

    def _mounts(self) -> Iterator[str]:
        rights = "rw" if self.building else "ro"
        for place, source in SHARED.items():
            yield f"mkdir -p .{place}; mount --bind {source} .{place}; mount -o remount,bind,ro .{place}"
        for place in PLACES:
            yield f"mkdir -p {place}; mount --bind {self.image / place} {place}"
            yield f"mount -o remount,bind,{rights} {place}"
        for place, options in self.scratch.items():
            inside = place.replace("/var/run/", "/run/")
            yield f"mkdir -p .{inside}; mount -t tmpfs -o {options or 'mode=1777'} tmpfs .{inside}"
        for place, path in self.volumes.items():
            yield f"mkdir -p .{place}; mount --bind {path} .{place}"
        for place, path in self.files.items():
            yield f"mkdir -p .{Path(place).parent}; [ -e .{place} ] || touch .{place}"
            yield f"mount --bind {path} .{place}; mount -o remount,bind,ro .{place}"

    def _as_user(self) -> list[str]:
        if self.building and self.user == "root":
            return []
        name, group = ids(self.image, self.user)
        return [
            "prlimit", f"--nofile={self.open_files}", "--core=0",
            "setpriv", f"--reuid={name}", f"--regid={group}", "--clear-groups", "--no-new-privs",
            "--bounding-set=-all", "--inh-caps=-all", "--ambient-caps=-all",
        ]  # fmt: skip


def ids(image: Path, user: str) -> tuple[str, str]:
    """The numbers of a user of the image, and of their group."""
    lines = (image / "etc/passwd").read_text().splitlines()
    found = {parts[0]: (parts[2], parts[3]) for parts in (line.split(":") for line in lines)}
    return found[user]


class Network:
    """A network of rooms that nothing outside can reach, and the processes in it."""

    NAMES = "10.77.0"

    def __init__(self, holder: int) -> None:
        self.holder, self._held = holder, list[subprocess.Popen[bytes]]()

    def join(self) -> tuple[int, str]:
        """A process that holds a place in the network, with processes of its own; and its address."""
        number = len(self._held) + 2
        held = _hold(["nsenter", f"--target={self.holder}", "--net", "--pid"], "exec sleep 3600")
        self._held.append(held)
        pid, address = _child_of(held.pid, "sleep"), f"{self.NAMES}.{number}"
        self.run(
            f"ip link add v{number} type veth peer name eth0 netns {pid}; ip link set v{number} master br0 up"
        )
        inside = f"ip link set lo up; ip addr add {address}/24 dev eth0; ip link set eth0 up"
        subprocess.run(["nsenter", f"--target={pid}", "--net", "sh", "-ec", inside], check=True)
        return pid, address

    def run(self, script: str) -> None:
        command = ["nsenter", f"--target={self.holder}", "--net", "sh", "-ec", script]
        subprocess.run(command, check=True)

    def end(self) -> None:
        for each in self._held:
            _end(each)


@contextmanager
def network() -> Iterator[Network]:
    """A network of its own; with it ends all that runs in there."""
    holder = _hold([], "ip link set lo up; exec sleep 3600")
    made = Network(_child_of(holder.pid, "sleep"))
    try:
        made.run(f"ip link add br0 type bridge; ip addr add {Network.NAMES}.1/24 dev br0; ip link set br0 up")
        yield made
    finally:
        made.end()
        _end(holder)


def _hold(enter: list[str], script: str) -> subprocess.Popen[bytes]:
    spaces = ["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "sh", "-ec", script]
    return subprocess.Popen([*enter, *spaces], start_new_session=True)


def _end(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _child_of(pid: int, name: str) -> int:
    """The process of this name that a process started, or one that it started."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        for child in below(pid):
            with suppress(OSError):
                if Path(f"/proc/{child}/comm").read_text().strip() == name:
                    return child
        time.sleep(0.05)
    raise AssertionError(f"{name} did not start")


def below(pid: int) -> list[int]:
    """A process of this machine and all that it started."""
    found, left = list[int](), [pid]
    while left:
        found.append(one := left.pop())
        with suppress(OSError):
            for task in Path(f"/proc/{one}/task").iterdir():
                left += map(int, (task / "children").read_text().split())
    return found


@dataclass(frozen=True, slots=True)
class Use:
    """What the processes below one of them use."""

    megabytes: int
    """Memory, with pages that they share counted once (PSS)."""
    tasks: int
    """Processes and threads, as a container's limit counts them."""


def use_of(pid: int, *, alone: bool = False) -> Use:
    """What a process of this machine, and all below it unless it counts `alone`, use now."""
    kilobytes = tasks = 0
    for one in [pid] if alone else below(pid):
        with suppress(OSError):
            lines = Path(f"/proc/{one}/smaps_rollup").read_text().splitlines()
            kilobytes += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
            tasks += len(list(Path(f"/proc/{one}/task").iterdir()))
    return Use(kilobytes // 1024, tasks)
