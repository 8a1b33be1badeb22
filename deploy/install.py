#!/usr/bin/python3
"""Make this Debian or Ubuntu machine an office, or bring its office up to the program beside this file.

    deploy/install.py ratings.example.org OPERATORS=you@example.org EMAIL_URL=smtp+tls://… \\
      --office csa --official nomsa@example.org

It says what is missing, asks, does that, and has `manage.py doctor` try everything. What is there already
stays as it is, so it can be run again at any time; what others made in its place, it refuses to touch.
docs/operating.md tells the rest.
"""

from __future__ import annotations

import argparse
import os
import pwd
import re
import secrets
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from urllib.parse import SplitResult, unquote, urlsplit

PROGRAM, ACCOUNT, STATE = Path("/srv/office"), "office", Path("/var/lib/office")
ETC = Path("/etc/office")
ENVIRONMENT, OWNER, INSTALLED, TLS = ETC / "environment", ETC / "owner", ETC / "installed", ETC / "tls"
OWN_MAKING = TLS / "of-its-own-making"
"""Marks a certificate that only stands in until certbot has one."""
REDIS_IS_OURS = ETC / "redis-is-ours"
"""Marks that Redis was installed for the office, whose configuration may be written."""
UNITS, SITE = Path("/etc/systemd/system"), Path("/etc/nginx/sites-enabled/office")
BACKUPS_UNIT = UNITS / "office-.service.d/backups.conf"
WEBROOT, REDIS = Path("/var/www/html"), Path("/etc/redis/redis.conf")
PYTHON = "/usr/bin/python3"
"""The system's: the office's account could not open one that root installed for itself."""
IS_VENV_WHOLE = f"""
import sys; sys.path.insert(0, "{PROGRAM}")
from federation_site.install import ROOT, fingerprint, installed_locks
print(fingerprint(ROOT / "requirements.txt") in installed_locks())
"""
"""Whether .venv is of the system's present Python, and has the packages of this version."""
THIS_MACHINE = ("127.0.0.1", "localhost", "::1")
ASKED = {
    "ALLOWED_HOSTS": "The site’s name, say ratings.example.org",
    "OPERATORS": "The mail address of who runs the site",
    "EMAIL_URL": "The mail server, say smtp+tls://user:password@mail.example.org:587",
}
SERVERS = ("DATABASE_URL", "CELERY_BROKER_URL")
SECRET = re.compile("URL|SECRET|TOKEN|DSN")
"""Settings whose values are not shown."""
SECONDS = 300
"""The longest that an office may take to open."""


class Refused(Exception):
    """What the operator has to do first."""


@dataclass
class Step:
    """What is to be done, in words, and how."""

    words: str
    do: Callable[[], object]
    restarts: bool = False
    """Whether the office has to start again for it."""


def main() -> None:
    options = read_options()
    os.umask(0o022)
    try:
        office = Office(options)
        steps = list(office.missing_steps())
    except Refused as refused:
        raise SystemExit(f"{refused} Nothing was changed.") from None
    print("\n".join(f"{n}. {each.words}" for n, each in enumerate(steps, 1)) or "Nothing is missing.")
    if steps and not (options.yes or is_agreed()):
        raise SystemExit("Nothing was changed. --yes does all that.")
    for n, step in enumerate(steps, 1):
        print(f"\n== {n}. {step.words}", flush=True)
        try:
            step.do()
        except (OSError, subprocess.CalledProcessError, Refused) as fault:
            raise SystemExit(
                f"{fault}\nStep {n} failed; what stands above says why. Then run the same command again: "
                "what is done stays done."
            ) from None
    raise SystemExit(office.examine())


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description="Make this Debian or Ubuntu machine an office, or bring its office up to this program."
    )
    parser.add_argument(
        "settings", nargs="*", metavar="HOST | NAME=VALUE", help="the site’s name, and settings of the office"
    )
    parser.add_argument("--office", metavar="CODE", help="make this federation’s office, say csa")
    parser.add_argument("--official", metavar="EMAIL", help="who approves and publishes in it")
    parser.add_argument("--release", metavar="TAG", help="back up, and go over to this release, say v0.2.0")
    parser.add_argument(
        "--only", choices=("web", "worker", "files"), help="one program, of an office on several machines"
    )
    parser.add_argument("--yes", action="store_true", help="do not ask")
    options = parser.parse_intermixed_args()
    if bool(options.office) != bool(options.official):
        parser.error("--office and --official belong together")
    return options


def is_agreed() -> bool:
    return sys.stdin.isatty() and input("\nDo that? [y/N] ").strip().lower() in ("y", "yes")


class Office:
    """The office of this machine, as it is and as it is wanted.

    Raises Refused if it cannot be made by what was asked for.
    """

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        if os.geteuid() or not (shutil.which("apt-get") and shutil.which("systemctl")):
            raise Refused("Run it as root, on Debian or Ubuntu with systemd.")
        if Path(__file__).resolve().parent.parent != PROGRAM:
            raise Refused(f"The program has to be in {PROGRAM}: clone it there.")
        self.present = read_settings(ENVIRONMENT) | read_settings(OWNER)
        wanted = wanted_settings(self.present, options.settings)
        self.settings = wanted | new_secrets(wanted)
        self.host = self.settings["ALLOWED_HOSTS"].split(",")[0]
        self.on_servers = "DATABASE_URL" in self.settings
        self.unit = (
            f"office-{options.only}" if options.only else ("office-up", "office.target")[self.on_servers]
        )
        self.backups = Path(self.settings["BACKUP_DIR"])

    # ---- What is missing
    def missing_steps(self) -> Iterator[Step]:
        """What is to be done, in order. Raises Refused where others made what the office needs."""
        if tag := self.options.release:
            git("fetch", "--tags")
            if not (commit := git("rev-list", "-n1", tag)):
                raise Refused(f"There is no release {tag} where the program comes from.")
            if commit != git("rev-parse", "HEAD"):
                yield from self.closing_steps()
                yield Step(f"Go over to {tag}, and on with its own install", self.go_over)
                return
        steps = list(self.steps_to_a_program())
        upgrade = self.is_program_new() and bool(self.present)
        if upgrade:
            yield from self.closing_steps()
        yield from steps
        if upgrade or not is_active(self.unit):
            yield Step(f"Start the office ({self.unit}), now and whenever the machine starts", self.start)
        elif any(step.restarts for step in steps):
            yield Step(f"Start the office ({self.unit}) again", self.restart)
        if not self.options.only:
            if OWN_MAKING.exists() or not (TLS / "fullchain.pem").exists():
                yield Step(
                    f"Have {self.host} certified by Let’s Encrypt, and renewed by certbot.timer", self.certify
                )
            if self.options.office and not self.is_office_open():
                yield Step(f"Make the office {self.options.office}", self.make_office)
            if not any(self.backups.glob("*.backup.zip")):
                yield Step(f"Make a first backup in {self.backups}", lambda: manage("backup"))
            if upgrade:
                yield Step("Verify all offices", lambda: manage("verify"))
        if self.is_program_new():
            yield Step(f"Note in {INSTALLED} what is installed", lambda: write(INSTALLED, program_version()))

    def closing_steps(self) -> Iterator[Step]:
        if is_active(self.unit) and not self.options.only:
            yield Step(f"Back the office up into {self.backups}", lambda: manage("backup"))
        if is_active(self.unit):
            yield Step("Close the office", lambda: run("systemctl", "stop", self.unit))

    def steps_to_a_program(self) -> Iterator[Step]:
        """All that lies on the disk when the office starts."""
        if packages := [each for each in self.packages() if not is_installed(each)]:
            yield Step(f"Install {' '.join(packages)}", lambda: install_packages(packages))
        yield from self.steps_to_redis()
        yield from self.steps_to_folders()
        if changed := {
            name: value for name, value in self.settings.items() if self.present.get(name) != value
        }:
            told = " ".join(name if SECRET.search(name) else f"{name}={changed[name]}" for name in changed)
            yield Step(f"Write the settings into {ETC}: {told}", partial(self.write_settings, changed), True)
        if self.is_program_new() or ask(PYTHON, "-B", "-c", IS_VENV_WHOLE) != "True":
            yield Step(f"Make {PROGRAM}/.venv, and compile the program", make_program, restarts=True)
        yield from self.steps_to_postgresql()
        if units := {to: text for to, text in self.units().items() if content(to) != text}:
            names = ", ".join(str(path.relative_to(UNITS)) for path in units)
            yield Step(f"Write into {UNITS}: {names}", lambda: write_units(units), restarts=True)
        if not self.options.only:
            if changed or self.is_program_new():
                yield Step("Check the settings", lambda: manage("check", "--deploy"))
            yield from self.steps_to_a_proxy()

    def packages(self) -> Iterator[str]:
        yield from ("git", "python3-venv", "openssl")
        if not self.options.only:
            yield from ("nginx", "certbot")
        if self.on_servers:
            database, broker = (urlsplit(self.settings[name]) for name in SERVERS)
            yield "postgresql" if database.hostname in THIS_MACHINE else "postgresql-client"
            if broker.hostname in THIS_MACHINE:
                yield "redis-server"

    def steps_to_folders(self) -> Iterator[Step]:
        try:
            home = pwd.getpwnam(ACCOUNT).pw_dir
        except KeyError:
            yield Step(f"Make the account {ACCOUNT}", make_account)
        else:
            if home != str(STATE):
                raise Refused(f"There is an account {ACCOUNT} of somebody else, with the home {home}.")
        for folder in (STATE, self.backups):
            if not is_closed_folder(folder):
                yield Step(f"Make {folder}, the office’s alone", partial(make_closed_folder, folder))

    def write_settings(self, changed: dict[str, str]) -> None:
        """Secrets of the tables' owner lie apart: only the unit of migrations reads them."""
        owner = {name: value for name, value in changed.items() if name.startswith("DATABASE_OWNER_URL")}
        keep_settings(ENVIRONMENT, {name: value for name, value in changed.items() if name not in owner})
        if self.on_servers and not self.options.only:
            keep_settings(OWNER, owner)

    def steps_to_postgresql(self) -> Iterator[Step]:
        owner = urlsplit(self.settings.get("DATABASE_OWNER_URL", ""))
        if owner.hostname in THIS_MACHINE and owner.username == "office":
            if not ask_postgresql("SELECT 1 FROM pg_roles WHERE rolname = 'office'"):
                password = unquote(owner.password or "").replace("'", "''")
                make = f"CREATE ROLE office LOGIN CREATEROLE PASSWORD '{password}'"
                yield Step(
                    "Make PostgreSQL’s role office, who owns the tables", lambda: tell_postgresql(make)
                )
            name = owner.path.strip("/")
            if not ask_postgresql(f"SELECT 1 FROM pg_database WHERE datname = '{name}'"):
                make_it = f"CREATE DATABASE \"{name}\" OWNER office TEMPLATE template0 ENCODING 'UTF8'"
                yield Step(f"Make PostgreSQL’s database {name}", lambda: tell_postgresql(make_it))

    def steps_to_redis(self) -> Iterator[Step]:
        """Its configuration is ours where its package is."""
        broker = urlsplit(self.settings.get("CELERY_BROKER_URL", ""))
        if broker.hostname not in THIS_MACHINE or (
            is_installed("redis-server") and not REDIS_IS_OURS.exists()
        ):
            return
        if (password := f"requirepass {unquote(broker.password or '')}") not in (content(REDIS) or ""):
            lines = [
                "",
                password,
                "appendonly yes",
                "maxmemory-policy noeviction",
                "",
            ]
            yield Step(f"Give Redis a password and a log on disk, in {REDIS}", lambda: set_up_redis(lines))

    def units(self) -> dict[Path, str]:
        """The files of the units by their places; migrations run on one machine."""
        shipped = PROGRAM / "deploy/systemd"
        found = {
            UNITS / path.relative_to(shipped): path.read_text()
            for path in sorted(shipped.rglob("*"))
            if path.is_file()
        }
        if self.options.only:
            del found[UNITS / "office-migrate.service"]
        if str(self.backups) != "/var/backups/office":
            found[BACKUPS_UNIT] = f"[Service]\nReadWritePaths=-{self.backups}\n"
        return found

    def steps_to_a_proxy(self) -> Iterator[Step]:
        site = (
            (PROGRAM / "deploy/nginx/one-machine.conf").read_text().replace("ratings.example.org", self.host)
        )
        present = content(SITE)
        if present and str(PROGRAM) not in present:
            raise Refused(f"{SITE} is of somebody else.")
        if not (TLS / "fullchain.pem").exists():
            yield Step(
                "Make a certificate for the time until there is one that browsers trust",
                self.make_certificate,
            )
        if present != site:
            yield Step(f"Have nginx lead {self.host} to the office ({SITE})", lambda: self.lead_there(site))

    def make_certificate(self) -> None:
        if TLS.is_symlink():  # to what is not there any more
            TLS.unlink()
        TLS.mkdir(exist_ok=True)
        OWN_MAKING.touch()
        files = (str(TLS / "privkey.pem"), str(TLS / "fullchain.pem"))
        run(str(PROGRAM / "deploy/make-certificate"), self.host, *files)

    def lead_there(self, site: str) -> None:
        """nginx goes on with what it had, if it does not understand this."""
        before = content(SITE)
        write(SITE, site)
        try:
            run("nginx", "-t", "-q")
        except subprocess.CalledProcessError:
            write(SITE, before) if before else SITE.unlink()
            raise
        run("systemctl", "enable", "--now", "nginx")
        run("systemctl", "reload", "nginx")

    def certify(self) -> None:
        """Renewals go the same way: certbot's timer asks, nginx shows what proves the name, and takes it."""
        WEBROOT.mkdir(parents=True, exist_ok=True)
        asked = ["--email", self.settings["OPERATORS"].split(",")[0], "--webroot-path", str(WEBROOT)]
        named = ["--cert-name", self.host, "--domain", self.host, "--deploy-hook", "systemctl reload nginx"]
        run("certbot", "certonly", "--non-interactive", "--agree-tos", "--webroot", *asked, *named)
        shutil.rmtree(TLS)
        TLS.symlink_to(f"/etc/letsencrypt/live/{self.host}")
        run("systemctl", "reload", "nginx")
        run("systemctl", "enable", "--now", "certbot.timer")

    # ---- The program that runs
    def is_program_new(self) -> bool:
        return (content(INSTALLED) or "") != program_version()

    def go_over(self) -> None:
        """Continue as the other version's install, which knows what it needs."""
        run("git", "-C", str(PROGRAM), "checkout", "--quiet", self.options.release)
        os.execv(PYTHON, [PYTHON, __file__, *sys.argv[1:], *([] if self.options.yes else ["--yes"])])

    def start(self) -> None:
        if self.options.only:
            run("systemctl", "add-wants", "multi-user.target", f"{self.unit}.service")
            manage("collectstatic", "--noinput", "--verbosity", "0")
            run("systemctl", "start", self.unit)
        else:
            run("systemctl", "enable", "--now", self.unit)
        if is_active("nginx"):  # it reads a file of the program, which may be another now
            run("systemctl", "reload", "nginx")
        self.wait_until_open()

    def restart(self) -> None:
        run("systemctl", "restart", self.unit)
        self.wait_until_open()

    def wait_until_open(self) -> None:
        """Raises Refused if it does not open. What else is wrong then, the doctor says."""
        if self.options.only in ("worker", "files"):
            return
        until, answer = time.monotonic() + SECONDS, (0, "")
        while time.monotonic() < until:
            answer = self.ask("/readyz?all")
            if answer[0] == 200:
                return
            time.sleep(1)
        if self.ask("/readyz")[0] != 200:
            raise Refused(
                f"The office did not open: journalctl -u '{self.unit.removesuffix('.target')}*' says why."
            )
        print(f"It is open, but not everything is ready: {answer[1]}")

    def ask(self, address: str) -> tuple[int, str]:
        """Status and text of what the office itself answers, without the proxy; 0 if it does not."""
        headers = {"Host": self.host, "X-Forwarded-Proto": "https"}
        request = urllib.request.Request(f"http://127.0.0.1:8000{address}", headers=headers)
        direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with direct.open(request, timeout=20) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as refusal:
            return refusal.code, refusal.read().decode(errors="replace")
        except OSError:
            return 0, ""

    def is_office_open(self) -> bool:
        return self.ask(f"/en/{self.options.office}/")[0] == 200

    def make_office(self) -> None:
        if not self.is_office_open():
            manage("create_office", self.options.office, "--official", self.options.official)

    def examine(self) -> int:
        """Have the doctor try everything; its exit status."""
        print("\n== The doctor", flush=True)
        return subprocess.run([PROGRAM / "deploy/manage", "doctor"]).returncode


# ---- Settings
def wanted_settings(present: dict[str, str], words: list[str]) -> dict[str, str]:
    """The present settings with those that were given, that are asked for, and that follow from others.

    A server may be named without the password that is known. Raises Refused for what nobody says.
    """
    given = dict((each if "=" in each else f"ALLOWED_HOSTS={each}").split("=", 1) for each in words)
    for name in SERVERS:
        if name in present and given.get(name) == with_user(urlsplit(present[name])):
            del given[name]
    known = {name.removesuffix("_FILE") for name in present | given}
    for name, question in ASKED.items():
        if name not in known and sys.stdin.isatty():
            given[name] = input(f"{question}: ").strip()
    wanted = present | given
    if lacking := [f"{name}=…" for name in ASKED if not (wanted.get(name) or wanted.get(f"{name}_FILE"))]:
        raise Refused(f"Say {' '.join(lacking)} too.")
    if len([name for name in SERVERS if name in wanted]) == 1:
        raise Refused(f"{' and '.join(SERVERS)} belong together.")
    if present and is_elsewhere(given.get("DATABASE_URL", ""), present.get("DATABASE_URL", "")):
        raise Refused("The office has a database already, and its data would stay there.")
    following = {
        "PRODUCTION": "1",
        "TRUSTED_PROXIES": "1",
        "DEFAULT_FROM_EMAIL": f"office@{wanted['ALLOWED_HOSTS'].split(',')[0]}",
        "SECURITY_CONTACT": f"mailto:{wanted['OPERATORS'].split(',')[0]}",
        "VAR_DIR": str(STATE),
        "BACKUP_DIR": "/var/backups/office",
        "KEPT_DIR": "/var/cache/office",  # which the units make
    }
    return {name: value for name, value in following.items() if name not in known} | wanted


def is_elsewhere(given: str, present: str) -> bool:
    """Whether a database that is named is another than the present one; users and passwords may change."""
    return bool(given) and with_user(urlsplit(given)) != with_user(urlsplit(present))


def new_secrets(settings: dict[str, str]) -> dict[str, str]:
    """The secret key, and passwords of servers of this machine that were named without one.

    Raises Refused if such a server is another's already.
    """
    new = {} if {"SECRET_KEY", "SECRET_KEY_FILE"} & settings.keys() else {"SECRET_KEY": secrets.token_hex(32)}
    database, broker = (urlsplit(settings.get(name, "")) for name in SERVERS)
    if database.hostname in THIS_MACHINE and not database.password:
        if ask_postgresql("SELECT 1 FROM pg_roles WHERE rolname IN ('office', 'application')"):
            raise Refused(
                "PostgreSQL has a role office or application already: name both with their passwords, "
                "in DATABASE_URL and DATABASE_OWNER_URL."
            )
        for name, role in (("DATABASE_URL", "application"), ("DATABASE_OWNER_URL", "office")):
            new[name] = with_user(database, f"{role}:{secrets.token_hex(24)}")
    if broker.hostname in THIS_MACHINE and not broker.password:
        if is_installed("redis-server") and not REDIS_IS_OURS.exists():
            raise Refused("Redis is here already: name it with its password, in CELERY_BROKER_URL.")
        new["CELERY_BROKER_URL"] = with_user(broker, f":{secrets.token_hex(24)}")
    return new


def read_settings(path: Path) -> dict[str, str]:
    """The settings in a file of lines NAME=value, as systemd and deploy/manage read it."""
    found = {}
    for line in (content(path) or "").splitlines():
        name, equals, value = line.strip().partition("=")
        if equals and name[0] not in "#;":
            found[name] = (
                value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'" else value
            )
    return found


def keep_settings(path: Path, changed: dict[str, str]) -> None:
    """Write settings into a file that root alone reads; its other lines stay."""
    lines = (content(path) or "").splitlines()
    lines = [line for line in lines if line.partition("=")[0].strip() not in changed]
    write(path, "\n".join([*lines, *(f"{name}={value}" for name, value in changed.items()), ""]), mode=0o600)


def with_user(url: SplitResult, user: str = "") -> str:
    """A server's address with another user and password, or without."""
    place = url.netloc.rpartition("@")[2]
    return url._replace(netloc=f"{user}@{place}" if user else place).geturl()


# ---- The machine
def run(*words: str) -> None:
    subprocess.run(words, check=True, stdin=subprocess.DEVNULL)


def ask(*words: str) -> str:
    """What a command says; nothing if it fails or is not there."""
    try:
        return subprocess.run(words, capture_output=True, text=True, check=True, cwd="/").stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def git(*words: str) -> str:
    return ask("git", "-C", str(PROGRAM), *words)


def manage(*words: str) -> None:
    run(str(PROGRAM / "deploy/manage"), *words)


def program_version() -> str:
    """The commit of the program, or its version where it was not cloned."""
    project = (PROGRAM / "pyproject.toml").read_text()
    return git("rev-parse", "HEAD") or re.findall(r'^version = "(.*)"$', project, re.MULTILINE)[0]


def content(path: Path) -> str | None:
    try:
        return path.read_text()
    except FileNotFoundError:
        return None


def write(path: Path, text: str, *, mode: int = 0o644) -> None:
    """Write a file whole; its folder is made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.new")
    unfinished.touch(mode=mode)
    unfinished.write_text(text)
    unfinished.replace(path)


def is_installed(package: str) -> bool:
    return ask("dpkg-query", "--show", "--showformat=${db:Status-Status}", package) == "installed"


def install_packages(packages: list[str]) -> None:
    if "redis-server" in packages:  # before it is there: what fails then is done by the next run
        write(REDIS_IS_OURS, "")
    os.environ["DEBIAN_FRONTEND"] = "noninteractive"
    run("apt-get", "update", "--quiet")
    run("apt-get", "install", "--yes", "--quiet", *packages)


def is_closed_folder(folder: Path) -> bool:
    """Whether a folder is there, the office's, and closed to others."""
    try:
        status = folder.stat()
        return status.st_uid == pwd.getpwnam(ACCOUNT).pw_uid and not status.st_mode & 0o077
    except (FileNotFoundError, KeyError):
        return False


def make_account() -> None:
    home = ("--home-dir", str(STATE), "--shell", "/usr/sbin/nologin")
    run("useradd", "--system", "--user-group", *home, ACCOUNT)


def make_closed_folder(folder: Path) -> None:
    owned = ("--owner", ACCOUNT, "--group", ACCOUNT, "--mode", "700")
    run("install", "--directory", *owned, str(folder))


def make_program() -> None:
    run(PYTHON, "-m", "compileall", "-q", "-x", r"/\.venv/", str(PROGRAM))
    run(PYTHON, str(PROGRAM / "manage.py"), "check")


def write_units(units: dict[Path, str]) -> None:
    for path, text in units.items():
        write(path, text)
    run("systemctl", "daemon-reload")


def is_active(unit: str) -> bool:
    return subprocess.run(["systemctl", "is-active", "--quiet", unit]).returncode == 0


def ask_postgresql(query: str) -> str:
    return ask("runuser", "-u", "postgres", "--", "psql", "-At", "-d", "postgres", "-c", query)


def tell_postgresql(order: str) -> None:
    """By its standard input: a password in a command line could be read by everybody."""
    words = ["runuser", "-u", "postgres", "--", "psql", "--quiet", "-v", "ON_ERROR_STOP=1", "-d", "postgres"]
    subprocess.run(words, input=order, text=True, check=True, cwd="/")


def set_up_redis(lines: list[str]) -> None:
    with REDIS.open("a") as conf:
        conf.write("\n".join(lines))
    run("systemctl", "restart", "redis-server")


if __name__ == "__main__":
    main()
