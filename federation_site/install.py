"""Makes `.venv` and installs the locked packages into it, on a machine that has only Python.

It uses the standard library only, and the syntax of older Pythons, so that it can say that they are too old.
Another active virtual environment is left alone, and NO_BOOTSTRAP=1 turns this off.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import venv
from pathlib import Path

OLDEST_PYTHON = (3, 11)
ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
STAMP = VENV / ".installed"

# Downloaded only if Python came without pip and PIP_INDEX_URL is set.
PIP_WHEEL = "pip-26.0-py3-none-any.whl"
PIP_SHA256 = "98436feffb9e31bc9339cf369fd55d3331b1580b6a6f1173bacacddcf9c34754"


def continue_in_venv(lock_name: str) -> None:
    """Continue this command in `.venv`, after making it if needed, with the packages of `lock_name`."""
    if sys.version_info < OLDEST_PYTHON:
        raise SystemExit(too_old_message())
    if os.environ.get("NO_BOOTSTRAP"):
        return
    inside = Path(sys.prefix).resolve() == VENV.resolve()
    if sys.prefix != sys.base_prefix and not (inside and STAMP.exists()):
        return
    lock = ROOT / lock_name
    if fingerprint(lock) not in installed_locks():
        try:
            install(lock)
        except (OSError, subprocess.CalledProcessError) as fault:
            raise SystemExit(install_failure_message(lock, fault)) from None
    if not inside:
        os.execv(PYTHON, [str(PYTHON), *sys.argv])


def fingerprint(lock: Path) -> str:
    """The line in `.venv`'s stamp for an installed lock: its hash and the version of Python."""
    return hashlib.sha256(lock.read_bytes()).hexdigest() + " " + sys.version.split()[0]


def installed_locks() -> list[str]:
    return STAMP.read_text().splitlines() if STAMP.exists() else []


def install(lock: Path) -> None:
    """Install `lock`. The stamp is written last, so that an interrupted installation is repeated."""
    before = installed_locks()
    if not before:
        with_pip = has_module("ensurepip")
        if not with_pip and not has_other_installer():
            raise SystemExit(
                "This Python came without pip. Once, as root:  "
                f"apt-get install python3.{sys.version_info.minor}-venv\n"
                "Then run the same command again."
            )
        say("Making .venv (once)")
        venv.EnvBuilder(with_pip=with_pip, clear=True, symlinks=True).create(VENV)
    STAMP.unlink(missing_ok=True)
    say(f"Installing the packages of {lock.name}")
    subprocess.run([*installer(), "--require-hashes", "-r", str(lock)], check=True)
    STAMP.write_text("\n".join([*before, fingerprint(lock)]) + "\n")


def installer() -> list[str]:
    """The start of a command that installs into `.venv`, with any installer that this machine has."""
    quiet = ["install", "--quiet", "--disable-pip-version-check", "--no-input"]
    if has_module("pip", PYTHON):
        return [str(PYTHON), "-m", "pip", *quiet]
    if has_module("pip"):
        return [sys.executable, "-m", "pip", "--python", str(PYTHON), *quiet]
    if uv := shutil.which("uv"):
        return [uv, "pip", "install", "--quiet", "--python", str(PYTHON)]
    return [str(PYTHON), str(fetch_pip(os.environ["PIP_INDEX_URL"], VENV) / "pip"), *quiet]


def has_other_installer() -> bool:
    return has_module("pip") or bool(shutil.which("uv") or os.environ.get("PIP_INDEX_URL"))


def has_module(name: str, python: str | Path = sys.executable) -> bool:
    """Whether a Python can import `name`: Debian's has venv, but may lack ensurepip."""
    return subprocess.run([str(python), "-c", f"import {name}"], capture_output=True).returncode == 0


def fetch_pip(index: str, folder: Path) -> Path:
    """Download pip's wheel, which can be run as it is, from an index, and verify it."""
    import urllib.request  # not at each command's start

    page = index.rstrip("/") + "/pip/"
    request = urllib.request.Request(page, headers={"Accept": "text/html"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        links = wheel_links(answer.read().decode(), answer.geturl())
    if PIP_WHEEL not in links:
        raise OSError(f"{PIP_WHEEL} is not at the package index that PIP_INDEX_URL names")
    with urllib.request.urlopen(links[PIP_WHEEL], timeout=120) as answer:
        wheel = answer.read()
    if hashlib.sha256(wheel).hexdigest() != PIP_SHA256:
        raise OSError(f"{PIP_WHEEL} is not the file that it should be: its checksum differs")
    path = folder / PIP_WHEEL
    path.write_bytes(wheel)
    return path


def wheel_links(html: str, base: str) -> dict[str, str]:
    """The URLs of files by name on a project's page at a package index."""
    from urllib.parse import urljoin

    anchors = re.findall(r'<a\s[^>]*href="([^"]+)"[^>]*>\s*([^<\s]+)\s*</a>', html)
    return {name: urljoin(base, href).split("#")[0] for href, name in anchors}


def too_old_message() -> str:
    wanted = ".".join(map(str, OLDEST_PYTHON))
    newer = next((name for minor in range(20, 10, -1) if shutil.which(name := f"python3.{minor}")), None)
    advice = f" This machine has {newer}: run the command with it." if newer else ""
    return f"Python {wanted} or newer is needed; this is {sys.version.split()[0]}.{advice}"


def install_failure_message(lock: Path, fault: Exception) -> str:
    reason = "" if isinstance(fault, subprocess.CalledProcessError) else f" ({fault})"
    return (
        f"The packages of {lock.name} could not be installed{reason}; what stands above says why.\n"
        "Most often the network is away. Run the same command again: it starts over, and nothing is lost."
    )


def say(words: str) -> None:
    print(words, flush=True)


if __name__ == "__main__":
    continue_in_venv(sys.argv[1])
