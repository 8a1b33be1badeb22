"""An operator who pastes the commands of docs/operating.md into a machine of their own, as root.

The machine is a room (`tests.rooms`) whose files may be written. Stood in for: apt-get (its packages are
there), the creation of .venv, and systemd: the units' commands run with their account, settings and folder,
confined by nothing else. certbot asks an authority in the machine's own network (`tests.acme`).
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from tests.acme import authority, certbot, end_all_below
from tests.image_files import ROOT
from tests.rooms import PLACES, Network, Room

SYSTEMCTL = r"""
import os, pathlib, re, shlex, shutil, signal, subprocess, sys, time
UNITS, RUN = pathlib.Path("/etc/systemd/system"), pathlib.Path("/run/units")
OTHERS = {
    "nginx": ["/usr/sbin/nginx"],
    "redis-server": ["setpriv", "--reuid=redis", "--regid=redis", "--clear-groups",
                     "redis-server", "/etc/redis/redis.conf", "--daemonize", "no", "--supervised", "no"],
}

def told(unit):
    files = [UNITS / f"{unit}.service", UNITS / "office-.service.d/confine.conf"]
    text = "\n".join(file.read_text() for file in files).replace("\\\n", " ")
    return [line.split("=", 1) for line in text.splitlines() if re.match(r"\w+=", line)]

def all_of(lines, name):
    return [value.strip() for key, value in lines if key == name]

def environment(lines):
    found = {"PATH": os.environ["PATH"], "PYTHONPATH": "/opt/packages", "LD_LIBRARY_PATH": "/opt/python/lib"}
    for words in all_of(lines, "Environment"):
        found |= dict(word.split("=", 1) for word in shlex.split(words))
    for path in all_of(lines, "EnvironmentFile"):
        for line in open(path).read().splitlines():
            if line.strip() and not line.startswith("#"):
                name, value = line.split("=", 1)
                found[name] = shlex.split(value)[0] if value else ""
    return found

def start(unit):
    if unit.endswith(".target"):
        for each in re.findall(r"^Wants=(.*)", (UNITS / unit).read_text(), re.M)[0].split():
            start(each.removesuffix(".service"))
        return
    if unit in OTHERS:
        return run(unit, OTHERS[unit], None, None, False)
    lines = told(unit)
    for name in all_of(lines, "CacheDirectory"):
        os.makedirs(f"/var/cache/{name}", mode=0o755, exist_ok=True)
        shutil.chown(f"/var/cache/{name}", all_of(lines, "User")[0])
    for needed in " ".join(all_of(lines, "Wants")).split():
        there = (UNITS / needed).exists()
        if there and needed.startswith("office-") and not (RUN / needed.removesuffix(".service")).exists():
            start(needed.removesuffix(".service"))
    user = all_of(lines, "User")[0]
    who = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--no-new-privs"]
    who += ["--bounding-set=-all"]
    for command in all_of(lines, "ExecStart"):
        words = [word.replace("%%", "%") for word in shlex.split(command)]
        once = all_of(lines, "Type") == ["oneshot"]
        run(unit, who + words, environment(lines), all_of(lines, "WorkingDirectory")[0], once)

def run(unit, words, given, folder, once):
    RUN.mkdir(exist_ok=True)
    log = open(f"/var/log/{unit}.log", "ab")
    made = subprocess.Popen(words, env=given, cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                            start_new_session=True, umask=0o077 if given else -1)
    (RUN / unit).write_text(str(made.pid))
    if once and made.wait():
        (RUN / unit).unlink()
        sys.exit(f"{unit} failed: " + open(f"/var/log/{unit}.log").read()[-2000:])

def stop(unit):
    if unit.endswith(".target"):
        for path in sorted(RUN.glob("office-*")):
            stop(path.name)
        return
    if not (RUN / unit).exists():
        return
    pid = int((RUN / unit).read_text())
    (RUN / unit).unlink()
    for _ in range(600):
        try:
            os.kill(pid, signal.SIGTERM if _ % 100 == 0 else 0)
        except ProcessLookupError:
            return
        if pathlib.Path(f"/proc/{pid}/stat").read_text().split(") ")[1][0] == "Z":
            return
        time.sleep(0.1)
    sys.exit(f"{unit} does not stop")

def is_active(unit):
    if unit.endswith(".target"):
        return is_active("office-web")
    return (RUN / unit).exists() and pathlib.Path(f"/proc/{(RUN / unit).read_text()}").exists()

verb, *units = [word for word in sys.argv[1:] if not word.startswith("--")]
if verb == "is-active":
    sys.exit(0 if is_active(units[0].removesuffix(".service")) else 3)
units = [each for each in units if not each.endswith(".timer")]  # nothing here goes by the clock
for unit in (each.removesuffix(".service") for each in units):
    if verb in ("stop", "restart"):
        stop(unit)
    if verb in ("start", "enable", "restart") and not is_active(unit):
        start(unit)
    if verb == "reload":
        assert unit == "nginx"
        subprocess.run(["/usr/sbin/nginx", "-s", "reload"], check=True)
"""
PYTHON3 = """
case "$1" in /srv/office/manage.py | manage.py)
  cd /srv/office
  mkdir -p /srv/office/.venv/bin && ln -sf /opt/bin/python /srv/office/.venv/bin/python
  /stand-in/debians-python3 -c '
from federation_site.install import ROOT, STAMP, fingerprint
STAMP.write_text(fingerprint(ROOT / "requirements.txt"))'
  export NO_BOOTSTRAP=1
  exec /opt/bin/python "$@"
esac
exec /stand-in/debians-python3 "$@"
"""
DPKG_QUERY = """
for package; do :; done
grep --quiet --line-regexp --fixed-strings "$package" /root/packages 2>/dev/null && printf installed
"""
STAND_IN = {
    "apt-get": '#!/bin/sh\nshift\nfor word; do echo "$word" >>/root/packages; done\n',
    "dpkg-query": f"#!/bin/sh\n{DPKG_QUERY}",
    "certbot": certbot("/root/acme", "/stand-in/debians-python3"),
    "python3": f"#!/bin/sh\n{PYTHON3}",
    "systemctl": f"#!/opt/bin/python\n{SYSTEMCTL}",
}
MAIL_SERVER = """
import socketserver, time
class Taker(socketserver.StreamRequestHandler):
    def handle(self):
        say = lambda words: self.wfile.write(words + b"\\r\\n")
        say(b"220 mail.example.org")
        for line in self.rfile:
            verb = line[:4].upper()
            say({b"DATA": b"354 go on", b"QUIT": b"221 bye"}.get(verb, b"250 well"))
            if verb == b"QUIT":
                return
            if verb == b"DATA":
                with open("/root/letters", "ab") as letters:
                    while (line := self.rfile.readline()) not in (b".\\r\\n", b""):
                        letters.write(line)
                say(b"250 taken")
socketserver.ThreadingTCPServer.allow_reuse_address = True
socketserver.ThreadingTCPServer(("127.0.0.1", 2525), Taker).serve_forever()
"""
"""A mail server of the machine's own, which keeps all letters in /root/letters."""
WRITTEN = ("var/backups", "var/log", "var/www", "run", "root", "stand-in")
"""Folders of a machine beside those of a room that its programs write to."""


class Machine(Protocol):
    """Where commands are pasted: its root file system, and the command line that runs something there."""

    @property
    def image(self) -> Path: ...

    def command(self, words: Sequence[str]) -> list[str]: ...


def blocks(heading: str) -> list[str]:
    """The blocks of commands below a heading of docs/operating.md, as they are pasted."""
    text = (ROOT / "docs/operating.md").read_text()
    section = text.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    found = re.findall(r"^( *)```sh\n(.*?)^ *```$", section, re.MULTILINE | re.DOTALL)
    return ["\n".join(line[len(indent) :] for line in block.splitlines()) for indent, block in found]


@contextmanager
def machine(folder: Path, network: Network) -> Iterator[Room]:
    """A new machine: nothing of the office is there but a place to clone it from.

    It trusts the authority that its certbot asks.
    """
    room = _laid_out(folder, network)
    with authority(folder / "root/acme", room.command, place="/root/acme"):
        shutil.copy(folder / "root/acme/root.pem", folder / "etc/ssl/certs/ca-certificates.crt")
        mail = subprocess.Popen(room.command(["/stand-in/debians-python3", "-c", MAIL_SERVER]))
        try:
            yield room
        finally:
            end_all_below(mail)


def _laid_out(folder: Path, network: Network) -> Room:
    for name in (*PLACES, "var/www/html", *WRITTEN):
        (folder / name).mkdir(parents=True, exist_ok=True)
    shutil.copytree("/etc", folder / "etc", symlinks=True, dirs_exist_ok=True)
    for name in ("nginx/body", "nginx/proxy", "nginx/fastcgi", "nginx/uwsgi", "nginx/scgi"):
        (folder / "var/lib" / name).mkdir(parents=True)
    (folder / "var/log/nginx").mkdir()
    for name, script in STAND_IN.items():
        (folder / "stand-in" / name).write_text(script)
        (folder / "stand-in" / name).chmod(0o755)
    if shutil.which("redis-server"):
        (folder / "var/lib/redis").mkdir()
        for path in (folder / "var/lib/redis", folder / "etc/redis", folder / "etc/redis/redis.conf"):
            shutil.chown(path, "redis", "redis")
    subprocess.run(["git", "clone", "--quiet", "--bare", str(ROOT), folder / "root/origin.git"], check=True)
    pid, _address = network.join()
    (folder / "etc/hosts").write_text("127.0.0.1 localhost ratings.example.org\n")
    if (conf := folder / "etc/redis/redis.conf").exists():
        lines = [
            line for line in conf.read_text().splitlines() if not line.startswith(("logfile", "pidfile"))
        ]
        conf.write_text("\n".join([*lines, "dir /var/lib/redis", ""]))
    return Room(
        folder,
        {
            "GIT_CONFIG_COUNT": "2",
            "GIT_CONFIG_KEY_0": "url./root/origin.git.insteadOf",
            "GIT_CONFIG_VALUE_0": "https://git.example.org/federation-ratings.git",
            "GIT_CONFIG_KEY_1": "safe.directory",
            "GIT_CONFIG_VALUE_1": "*",
            "HOME": "/root",
            "PATH": "/stand-in:/opt/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
        },
        user="root",
        folder="/",
        building=True,
        holder=pid,
        volumes={f"/{name}": folder / name for name in WRITTEN},
        files={
            "/stand-in/debians-python3": Path("/usr/bin/python3"),
            "/usr/bin/python3": folder / "stand-in/python3",
        },
    )


def paste(room: Machine, script: str, *, seconds: float = 900) -> str:
    """Paste commands; each has to succeed. Returns what they said."""
    with (room.image / "root/said").open("w") as said:
        done = subprocess.run(
            room.command(["bash", "-euo", "pipefail", "-c", script]),
            stdin=subprocess.DEVNULL, stdout=said, stderr=subprocess.STDOUT, timeout=seconds,
        )  # fmt: skip
    text = (room.image / "root/said").read_text()
    logs = [path for path in (room.image / "var/log").glob("office*.log") if done.returncode]
    assert done.returncode == 0, text + "".join(f"\n{path.name}: {path.read_text()[-1500:]}" for path in logs)
    return text
