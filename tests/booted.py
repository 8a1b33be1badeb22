"""Machines of their own that are booted: Debian by debootstrap, with its real systemd, in systemd-nspawn.

Their network is their own, and leads nowhere: Debian's packages and Python's are fetched beforehand into the
places where apt-get and pip look. It takes root, systemd-nspawn, debootstrap and a mirror of Debian.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.acme import ADDRESS, authority, end_all_below
from tests.image_files import ROOT
from tests.operator import MAIL_SERVER
from tests.rooms import below

BARE = "systemd,systemd-sysv,dbus,ca-certificates,iproute2"
"""What a machine has that an empty root file system has not; and curl, to look at what it serves."""
FETCHED = "git python3 python3-venv openssl nginx certbot postgresql redis-server"
SECONDS = 120
"""The longest that a machine may take to boot."""


def why_not_booted() -> str:
    """Why no machine can be booted here; empty where one can."""
    if not sys.platform.startswith("linux") or os.geteuid() != 0:
        return "machines take root on Linux"
    missing = [
        each for each in ("systemd-nspawn", "debootstrap", "nsenter", "pebble") if not shutil.which(each)
    ]
    return f"{', '.join(missing)} is not here" if missing else ""


def lay_out_bare(folder: Path) -> None:
    """Make a bare Debian of this machine's release, with packages to install at hand."""
    release = Path("/etc/os-release").read_text().split("VERSION_CODENAME=")[1].split()[0]
    base = folder / "base"
    subprocess.run(["debootstrap", "--variant=minbase", f"--include={BARE}", release, base], check=True)
    shutil.copy("/etc/resolv.conf", base / "etc/resolv.conf")
    fetch = f"""
        apt-get update --quiet
        apt-get install --yes --quiet --no-install-recommends curl
        apt-get install --yes --quiet --download-only {FETCHED}
    """
    subprocess.run(
        ["chroot", base, "sh", "-ec", fetch], check=True, env={"PATH": os.defpath + ":/usr/sbin:/sbin"}
    )
    options = ["--quiet", "--only-binary=:all:", "--require-hashes", "--dest", str(base / "root/wheels")]
    lock = folder / "requirements.txt"  # whatever Python that machine has, what it needs is among these
    lock.write_text(re.sub(r" ;[^\\\n]*", "", (ROOT / "requirements.txt").read_text()))
    subprocess.run([sys.executable, "-m", "pip", "download", *options, "-r", str(lock)], check=True)
    subprocess.run(["git", "clone", "--quiet", "--bare", ROOT, base / "root/origin.git"], check=True)
    (base / "etc/dpkg/dpkg.cfg.d/in-a-test").write_text("force-unsafe-io\n")
    (base / "etc/resolv.conf").write_text("")
    (base / "etc/hosts").write_text("127.0.0.1 localhost ratings.example.org\n")
    (base / "root/.config/letsencrypt").mkdir(parents=True)
    (base / "root/.config/letsencrypt/cli.ini").write_text(f"server = {ADDRESS}\n")


@dataclass
class Booted:
    """A booted machine, for `tests.operator.paste`."""

    image: Path
    leader: int

    def command(self, words: Sequence[str]) -> list[str]:
        """The command line that runs `words` there, as root."""
        given = {
            "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            "HOME": "/root",
            "LC_ALL": "C.UTF-8",
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": "/root/wheels",
            "GIT_CONFIG_COUNT": "2",
            "GIT_CONFIG_KEY_0": "url./root/origin.git.insteadOf",
            "GIT_CONFIG_VALUE_0": "https://git.example.org/federation-ratings.git",
            "GIT_CONFIG_KEY_1": "safe.directory",
            "GIT_CONFIG_VALUE_1": "*",
        }
        enter = ["nsenter", f"--target={self.leader}", "--mount", "--net", "--pid", "--ipc", "--uts"]
        return [
            *enter,
            "--root",
            "env",
            "--chdir=/",
            "-i",
            *(f"{name}={value}" for name, value in given.items()),
            *words,
        ]

    def trust(self, certificate: Path) -> None:
        """Have the whole machine trust an authority."""
        shutil.copy(
            certificate,
            self.image / f"usr/local/share/ca-certificates/{certificate.parent.name}-{certificate.stem}.crt",
        )
        subprocess.run(self.command(["update-ca-certificates"]), check=True, capture_output=True)


@contextmanager
def booted(base: Path, folder: Path) -> Iterator[Booted]:
    """A bare machine, booted, which trusts the authority in its network, and has a mail server there."""
    subprocess.run(["cp", "--archive", "--reflink=auto", base, folder], check=True)
    (folder / "etc/machine-id").write_text("")
    words = (
        "--register=no --keep-unit --private-network --resolv-conf=off --timezone=off --boot --console=pipe"
    )
    programs = ["--bind-ro=/usr/bin/pebble"]
    nspawn = ["systemd-nspawn", f"--directory={folder}", *words.split(), *programs]
    # The machine's cgroups are made below the one that it is started in.
    running = subprocess.Popen(
        nspawn,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        made = Booted(folder, wait_until_booted(running, folder))
        mail = subprocess.Popen(
            [
                "nsenter",
                f"--target={made.leader}",
                "--net",
                sys.executable,
                "-c",
                MAIL_SERVER.replace("/root/letters", str(folder / "root/letters")),
            ]
        )
        try:
            yield made
        finally:
            end_all_below(mail)
    finally:
        end_all_below(running)


@contextmanager
def certified(machine: Booted, seconds: int) -> Iterator[None]:
    """An authority in its network, which it trusts and asks; its certificates hold for this many seconds."""
    place = "/root/acme"
    with authority(machine.image / place[1:], machine.command, place=place, seconds=seconds):
        for file in ("own.pem", "root.pem"):
            machine.trust(machine.image / place[1:] / file)
        yield


def wait_until_booted(running: subprocess.Popen[bytes], folder: Path) -> int:
    """The number of the machine's first process, when all its units are up."""
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        for pid in below(running.pid)[1:]:
            asked = Booted(folder, pid).command(["systemctl", "is-system-running"])
            if subprocess.run(asked, capture_output=True, text=True).stdout.strip() in (
                "running",
                "degraded",
            ):
                return pid
            break
        time.sleep(0.5)
    raise AssertionError(f"{shlex.quote(str(folder))} did not boot")
