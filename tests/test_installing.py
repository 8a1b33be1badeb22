"""docs/operations.md, followed to the letter on machines with nothing of the office."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from django.conf import settings

from ratings.rulesets import rulesets
from tests.operator import blocks, machine, paste
from tests.pages import SIGN_IN, speaks
from tests.rooms import Network, Room, network, usual_rights, why_not
from tests.stack import POSTGRESQL, _newest

pytestmark = [pytest.mark.containers, pytest.mark.skipif(bool(why_not()), reason=why_not() or "rooms")]
ASK = "curl --silent --fail https://ratings.example.org/"
LATER = f"for _ in $(seq 300); do {ASK}{{0}} >/dev/null && break; sleep 1; done"


@pytest.fixture
def found() -> Iterator[Network]:
    with usual_rights(), network() as made:
        yield made


def installed(room: Room, way: str, ready: str) -> str:
    """Paste all blocks of a way, the last one when the office has had the time to open."""
    *first, last = blocks(way)
    begun = time.monotonic()
    # One shell, as the operator's: a block may use what an earlier one set.
    paste(room, "\n".join(first))
    said = paste(room, LATER.format(ready) + "\n" + last)
    print(f"{way}: {time.monotonic() - begun:.0f} s without fetching packages")
    return said


def is_open(room: Room, said: str) -> None:
    """An office in production, without a demo, that lets its official in and keeps everything to itself."""
    assert "https://ratings.example.org/accounts/password/reset/key/" in said
    assert "System check identified no issues" in said
    assert "Sign in" in paste(room, ASK + "accounts/login/")
    assert "Chess South Africa" in paste(room, ASK + "csa/")
    assert "demo" not in paste(room, ASK).lower()
    rights = paste(room, "stat --format '%a %U' /var/lib/office /var/backups/office /etc/office/environment")
    assert rights.split() == ["700", "office", "700", "office", "600", "root"]
    kept = "find /var/lib/office /var/backups/office -not -path '*/static/*'"
    assert paste(room, kept + " -perm /077").split() == []
    assert paste(room, "runuser -u office -- find /srv/office ! -readable").split() == []
    mine = "find / -xdev -user office -not -path '/proc/*' -not -path '/var/lib/office*' -not -path '/tmp/*'"
    assert paste(room, mine + " -not -path '/var/backups/office*'").split() == []


def renews_its_certificate(room: Room) -> None:
    """certbot renews while nginx goes on: that shows what proves the name, and takes the new certificate."""
    served = (
        "openssl s_client -connect ratings.example.org:443 -servername ratings.example.org </dev/null 2>&1"
    )
    number = f"{served} | openssl x509 -noout -serial"
    before = paste(room, number)
    renew = "certbot renew --quiet --force-renewal --no-random-sleep-on-renew"
    paste(
        room,
        f'{renew}; for _ in $(seq 50); do [ "$({number})" != {before.strip()} ] && break; sleep 0.1; done',
    )
    assert paste(room, number) != before
    assert "Sign in" in paste(room, ASK)
    plain = "curl --silent --fail http://ratings.example.org/.well-known/acme-challenge/"
    paste(
        room,
        "cd /var/www/html; mkdir -p .well-known/acme-challenge; echo proof >.well-known/acme-challenge/of",
    )
    assert paste(room, f"{plain}of") == "proof\n"
    told = "curl --silent --output /dev/null --write-out '%{redirect_url}' http://ratings.example.org/html/"
    assert paste(room, told) == "https://ratings.example.org/html/"


MARK = "99 "


def opens_everywhere(room: Room, offices: Iterable[str], mark: str = "") -> None:
    """Each federation's office and the front page open in each language, in the words of its catalogue."""
    asked = {
        ask: language
        for language, _name in settings.LANGUAGES
        for ask in (*(f"{language}/{code}/" for code in offices), f" --header 'Accept-Language: {language}'")
    }
    (room.image / "root/pages").mkdir(exist_ok=True)
    paste(room, "\n".join(f"{ASK}{ask} >/root/pages/{n}" for n, ask in enumerate(asked)))
    for n, (ask, language) in enumerate(asked.items()):
        assert speaks((room.image / f"root/pages/{n}").read_text(), language, mark=mark), ask


def release(room: Room, tag: str, mark: str) -> None:
    """Release a version where the machine fetches from; its catalogues say `mark` before their "Sign in"."""
    git = [
        "git",
        "-c",
        "user.name=Nomsa",
        "-c",
        "user.email=nomsa@example.org",
        "-C",
        str(room.image / "next"),
    ]
    subprocess.run(
        ["git", "clone", "--quiet", room.image / "root/origin.git", room.image / "next"], check=True
    )
    for path in (room.image / "next/locale").rglob("*.po"):
        path.write_text(path.read_text().replace(told := f'msgid "{SIGN_IN}"\nmsgstr "', told + mark))
    for words in (
        ["commit", "--quiet", "--all", "--message", tag],
        ["tag", tag],
        ["push", "--quiet", "--tags"],
    ):
        subprocess.run([*git, *words], check=True)


def upgraded(room: Room, unit: str) -> None:
    """Paste the commands of an upgrade."""
    release(room, "v99.0.0", MARK)
    [block] = blocks("A new version")
    stop_to_start, verify = block.replace("vVERSION", "v99.0.0").replace("office-up", unit).rsplit("\n", 1)
    said = paste(room, "\n".join((stop_to_start, LATER.format("readyz?all"), verify)))
    assert "no differences" in said


def test_one_machine_with_sqlite_from_the_document_alone(tmp_path: Path, found: Network) -> None:
    tmp_path.chmod(0o755)
    with machine(tmp_path / "machine", found) as room:
        with_sqlite(room)


def doctor_finds(room: Room) -> list[str]:
    """What the doctor finds that is not in order."""
    said = paste(room, "/srv/office/deploy/manage doctor 2>&1 || true")
    assert "open in 4 languages" in said
    assert "the same offices, line for line" in said
    return [line.split(":")[0].strip(" ✗") for line in said.splitlines() if "✗" in line]


def with_sqlite(room: Room) -> None:
    is_open(room, installed(room, "One machine, SQLite", "readyz"))
    renews_its_certificate(room)
    paste(room, "systemctl restart office-up\n" + LATER.format("readyz?all") + "\n" + ASK + "csa/")
    assert "office" in paste(room, "/srv/office/deploy/manage backup && ls /var/backups/office")
    make = "/srv/office/deploy/manage create_office {0} --official {0}@example.org"
    paste(room, "\n".join(make.format(code) for code in rulesets() if code != "csa"))
    opens_everywhere(room, rulesets())
    upgraded(room, "office-up")
    opens_everywhere(room, rulesets(), MARK)
    assert doctor_finds(room) == ["Letter to the operators"]  # no mail server is in the room


def start_postgresql(room: Room) -> None:
    """What Debian's package does by itself."""
    server = _newest(POSTGRESQL) / "bin"
    made = f"{server}/initdb -D data --auth-host=scram-sha-256 --auth-local=peer"
    paste(
        room,
        f"install -d -o postgres -g postgres /var/lib/postgresql /run/postgresql; cd /var/lib/postgresql; "
        f"runuser -u postgres -- {made} >/dev/null; "
        f"runuser -u postgres -- {server}/pg_ctl -D data -w -l log start >/dev/null",
    )


@pytest.mark.nightly
def test_one_machine_with_postgresql_and_redis_from_the_document_alone(
    tmp_path: Path, found: Network
) -> None:
    tmp_path.chmod(0o755)
    with machine(tmp_path / "machine", found) as room:
        with_postgresql_and_redis(room)


def with_postgresql_and_redis(room: Room) -> None:
    start_postgresql(room)
    is_open(room, installed(room, "One machine, PostgreSQL and Redis", "readyz?all"))
    renews_its_certificate(room)
    owners = paste(
        room, "runuser -u postgres -- psql -Atc 'SELECT DISTINCT tableowner FROM pg_tables' office"
    )
    assert "office" in owners.split()
    assert "application" not in owners.split()
    paste(room, "systemctl restart office.target\n" + LATER.format("readyz?all") + "\n" + ASK + "csa/")
    opens_everywhere(room, ["csa"])
    upgraded(room, "office.target")
    opens_everywhere(room, ["csa"], MARK)
