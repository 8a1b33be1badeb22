"""docker-compose.yml without a container runtime: each service's command in a room, all on one network.

PostgreSQL, Redis and nginx are this machine's, not those of the images that the file names; PostgreSQL is
started as its image's entrypoint does it. Replicas stand under one name, as compose's own name server has it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tests.image_files import ROOT, Image, read_compose, words_of
from tests.rooms import Network, Room, below, ids

SETTINGS = {"ALLOWED_HOSTS": "ratings.example.org", "DEFAULT_FROM_EMAIL": "office@ratings.example.org"}
MAIL = "smtp://127.0.0.1:9"
POSTGRESQL = "/usr/lib/postgresql"


def until(what: str, holds: Callable[[], Any], seconds: float = 90) -> Any:
    """Wait until something holds, and return it."""
    deadline = time.monotonic() + seconds
    while not (found := holds()):
        assert time.monotonic() < deadline, f"not within {seconds:.0f} s: {what}"
        time.sleep(0.4)
    return found


class Stack:
    """The services of compose, each started by its own command."""

    def __init__(self, folder: Path, root: Path, image: Image, network: Network) -> None:
        self.folder, self.root, self.image, self.network = folder, root, image, network
        self.secrets = folder / "secrets"
        told = {**os.environ, "SECRETS": str(self.secrets)}
        subprocess.run([ROOT / "deploy/make-secrets", SETTINGS["ALLOWED_HOSTS"], MAIL], env=told, check=True)
        self.compose = read_compose({**SETTINGS, "SECRETS": str(self.secrets)})
        self.rooms = dict[str, Room]()
        self.processes = dict[str, subprocess.Popen[bytes]]()
        self.addresses = dict[str, str]()
        with (root / "etc/passwd").open("a") as users:
            users.write("nginx:x:10002:10002::/nonexistent:/usr/sbin/nologin\n")
        data = root / "var/lib/postgresql/data"  # as the image of PostgreSQL has it
        data.mkdir(parents=True)
        shutil.chown(data, *map(int, ids(root, "postgres")))
        for place in ("containers.conf", "office.conf", "plain.conf"):
            (root / "etc/nginx" / place).touch()

    def open(self, name: str, *, replica: int = 1) -> Room:
        """Make the room of a service's container."""
        told = self.compose["services"][name]
        pid, address = self.network.join()
        self.addresses[key := f"{name}-{replica}"] = address
        hosts = [f"{address} {each.rpartition('-')[0]}" for each, address in self.addresses.items()]
        (self.folder / f"hosts-{key}").write_text("127.0.0.1 localhost\n" + "\n".join(hosts) + "\n")
        own = "build" in told
        self.rooms[key] = Room(
            self.root,
            {**(self.image.environment if own else {}), **told.get("environment", {})},
            user=told.get("user", self.image.user),
            folder=self.image.folder if own else "/",
            holder=pid,
            volumes=dict(self._volume(told, volume) for volume in told.get("volumes", [])),
            scratch=dict(_place_and_options(each) for each in told.get("tmpfs", [])),
            files={**self._given(told), "/etc/hosts": self.folder / f"hosts-{key}"},
            open_files=told.get("ulimits", {}).get("nofile", 1024),
        )
        return self.rooms[key]

    def start(self, name: str, *, replica: int = 1) -> None:
        room = self.rooms.get(f"{name}-{replica}") or self.open(name, replica=replica)
        with self.log(name).open("ab") as log:
            self.processes[f"{name}-{replica}"] = subprocess.Popen(
                room.command(self.command(name)), stdout=log, stderr=log
            )

    def command(self, name: str) -> list[str]:
        told = self.compose["services"][name]
        if name == "postgres":
            return [
                f"{_newest(POSTGRESQL)}/bin/postgres",
                "-D",
                "/var/lib/postgresql/data",
                "-c",
                "listen_addresses=*",
            ]
        words = [*told.get("entrypoint", []), *words_of(told.get("command", ""))]
        return words or self.image.command

    def run(self, key: str, *words: str, seconds: float = 180) -> subprocess.CompletedProcess[str]:
        """Run a command beside a service, as `docker compose exec` does."""
        return subprocess.run(self.beside(key, words), capture_output=True, text=True, timeout=seconds)

    def beside(self, key: str, words: Sequence[str]) -> list[str]:
        """A command line that runs within the mounts of a service that runs."""
        room, pid = self.rooms[key], self.main(key)
        name, group = ids(self.root, room.user)
        user = ["setpriv", f"--reuid={name}", f"--regid={group}", "--clear-groups", "--no-new-privs"]
        enter = ["nsenter", f"--target={pid}", "--mount", "--net", "--pid", f"--root=/proc/{pid}/root"]
        return [*enter, f"--wd=/proc/{pid}/cwd", "env", "-i", *room.variables(), *user, *words]

    def main(self, key: str) -> int:
        """The first process of a service."""

        def inside() -> list[int]:
            started = below(self.processes[key].pid)
            return [pid for pid in started if _root(pid) not in ("", "/")]

        found: list[int] = until(f"{key} runs", inside, 10)
        return found[0]

    def healthy(self, key: str) -> bool:
        """What the service's own health check says."""
        if self.processes[key].poll() is not None:
            return False
        kind, *words = self.compose["services"][key.rpartition("-")[0]]["healthcheck"]["test"]
        words = words_of(words)
        return self.run(key, *(["sh", "-c", *words] if kind == "CMD-SHELL" else words)).returncode == 0

    def log(self, name: str) -> Path:
        return self.folder / f"{name}.log"

    def make_database(self) -> None:
        """Make PostgreSQL's files as its image's entrypoint does, from the same variables and secret."""
        room = self.open("postgres")
        given = room.environment
        data, initdb = "/var/lib/postgresql/data", _newest(POSTGRESQL) / "bin/initdb"
        made = f"{initdb} -D {data} --auth=scram-sha-256 --locale=C --encoding=UTF8"
        who = f"--username={given['POSTGRES_USER']} --pwfile={given['POSTGRES_PASSWORD_FILE']}"
        rule = "host all all all scram-sha-256"
        script = f"chmod 700 {data}; {made} {who} >/dev/null; echo {rule} >>{data}/pg_hba.conf"
        done = subprocess.run(room.command(["sh", "-ec", script]), capture_output=True, text=True)
        assert done.returncode == 0, done.stderr

    def outside(self, words: Sequence[str]) -> list[str]:
        """A command line that runs on the host, in a network in which the site's name leads here."""
        hosts = self.folder / "hosts-outside"
        hosts.write_text(f"127.0.0.1 localhost {SETTINGS['ALLOWED_HOSTS']}\n")
        enter = ["nsenter", f"--target={self.rooms['proxy-1'].holder}", "--net", "unshare", "--mount"]
        return [*enter, "sh", "-ec", f'mount --bind {hosts} /etc/hosts; exec "$@"', "sh", *words]

    def database(self, script: str) -> None:
        """Ask PostgreSQL as its first user."""
        password = (self.secrets / "postgres_password").read_text()
        command = ["env", f"PGPASSWORD={password}", f"{_newest(POSTGRESQL)}/bin/psql", "--host=127.0.0.1"]
        done = self.run("postgres-1", *command, "--username=office", "--dbname=postgres", "--command", script)
        assert done.returncode == 0, done.stderr

    def _volume(self, told: dict[str, Any], volume: str) -> tuple[str, Path]:
        name, place, *_rights = volume.split(":")
        of_host = name.startswith(".")
        path = self.folder / ("" if of_host else "volumes") / name
        if not path.exists():
            path.parent.mkdir(exist_ok=True)
            path.parent.chmod(0o755)
            if (self.root / place.lstrip("/")).exists():  # a new volume begins as the image has the folder
                subprocess.run(["cp", "--archive", self.root / place.lstrip("/"), path], check=True)
            else:
                path.mkdir()
                if not of_host:  # root makes the host's
                    shutil.chown(path, *map(int, ids(self.root, told["user"])))
        return place, path

    def _given(self, told: dict[str, Any]) -> dict[str, Path]:
        secrets, configs = self.compose["secrets"], self.compose["configs"]
        files = {f"/run/secrets/{name}": Path(secrets[name]["file"]) for name in told.get("secrets", [])}
        return files | {
            each["target"]: ROOT / configs[each["source"]]["file"] for each in told.get("configs", [])
        }

    def end(self) -> None:
        for process in self.processes.values():
            process.kill()
            process.wait()


def _root(pid: int) -> str:
    """The folder that a process has for its root; empty where it has ended."""
    try:
        return os.readlink(f"/proc/{pid}/root")
    except OSError:
        return ""


def _place_and_options(tmpfs: str) -> tuple[str, str]:
    place, _colon, options = tmpfs.partition(":")
    return place, options


def _newest(folder: str) -> Path:
    return max(Path(folder).iterdir(), key=lambda path: int(path.name))


NAME_SERVER = """
import json, socket, struct, sys
server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
server.bind(("127.0.0.11", 53))
turn = 0
while True:
    question, who = server.recvfrom(512)
    addresses = json.load(open(sys.argv[1]))
    end = question.index(b"\\0", 12) + 5
    turn += 1
    ordered = addresses[turn % len(addresses):] + addresses[:turn % len(addresses)]
    head = question[:2] + struct.pack("!5H", 0x8180, 1, len(ordered), 0, 0)
    row = b"\\xc0\\x0c" + struct.pack("!HHIH", 1, 1, 5, 4)
    server.sendto(head + question[12:end] + b"".join(row + socket.inet_aton(a) for a in ordered), who)
"""


def serve_names(stack: Stack, addresses: Path) -> subprocess.Popen[bytes]:
    """Answer, where the proxy asks, with the web servers' addresses (a list in a file), in turn."""
    holder = stack.rooms["proxy-1"].holder
    command = ["nsenter", f"--target={holder}", "--net", sys.executable, "-c", NAME_SERVER, str(addresses)]
    return subprocess.Popen(command)
