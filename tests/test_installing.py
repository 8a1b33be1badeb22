"""The commands of docs/operating.md, on machines with nothing of the office."""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from django.conf import settings

from ratings.rulesets import rulesets
from tests.booted import Booted, booted, certified, lay_out_bare, why_not_booted
from tests.operator import Machine, blocks, machine, paste
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


def first_command(settings: str) -> tuple[str, str]:
    """What brings the program onto the machine, and its install with the settings of the document's block
    that has `settings`; letters go to the mail server of the room.
    """
    first, *others = blocks("Install")
    fetch, begun, _install = first.partition("/srv/office/deploy/install.py")
    install = begun + next(each for each in (first, *others) if settings in each).partition(begun)[2]
    return fetch, re.sub(r"EMAIL_URL=\S+", "EMAIL_URL=smtp://127.0.0.1:2525", install).strip()


def is_untouched(room: Machine) -> bool:
    paths = (
        "/etc/office /var/lib/office /etc/nginx/sites-enabled/office /etc/systemd/system/office-up.service"
    )
    paste(room, f"! ls -d {paths} 2>/dev/null; ! id office 2>/dev/null; [ ! -e /srv/office/.venv ]")
    return True


def installed(room: Machine, settings: str = "--official") -> str:
    """Say what the one command would do, then let it. The doctor ends it, and finds nothing."""
    fetch, install = first_command(settings)
    told = paste(room, f"{fetch}\n{install} || [ $? = 1 ]")
    assert "Make the account office" in told
    assert told.endswith("Nothing was changed. --yes does all that.\n")
    assert is_untouched(room)
    begun = time.monotonic()
    said = paste(room, f"{install} --yes")
    print(f"one command: {time.monotonic() - begun:.0f} s without fetching packages")
    assert said.endswith("All is in order.\n")
    assert "all is in order" in (room.image / "root/letters").read_text()
    return said


STATE = """
find /etc /srv/office /var/lib/office/keys -xdev -type f -not -name '*.pyc' -not -path '/srv/office/.git/*' \\
  -exec sha256sum {} +
stat --format '%n %U %G %a' /etc/office /etc/office/* /var/lib/office /var/backups/office
cat /run/units/* 2>/dev/null || systemctl show --property MainPID nginx 'office*'
"""
"""The program, what is set up, and the numbers of all programs that run."""


def changes_nothing(room: Machine) -> str:
    """The same command once more, with no setting at all: it knows them, and restarts nothing."""
    before = paste(room, STATE)
    said = paste(room, "/srv/office/deploy/install.py")
    assert said.startswith("Nothing is missing.\n")
    assert said.endswith("All is in order.\n")
    assert paste(room, STATE) == before
    return said


def makes_all_offices(room: Machine) -> None:
    make = "/srv/office/deploy/manage create_office {0} --official {0}@example.org"
    paste(room, "\n".join(make.format(code) for code in rulesets() if code != "csa"))


def is_open(room: Machine, said: str) -> None:
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
    mine += " -not -path '/var/backups/office*' -not -path '/var/cache/office*'"
    assert paste(room, mine).split() == []


SERIAL = (
    "openssl s_client -connect ratings.example.org:443 -servername ratings.example.org </dev/null 2>&1"
    " | openssl x509 -noout -serial"
)
"""The number of the certificate that visitors get."""


def renews_its_certificate(room: Machine) -> None:
    """certbot renews while nginx goes on: that shows what proves the name, and takes the new certificate."""
    before = paste(room, SERIAL)
    renew = "certbot renew --quiet --force-renewal --no-random-sleep-on-renew"
    paste(
        room,
        f'{renew}; for _ in $(seq 50); do [ "$({SERIAL})" != {before.strip()} ] && break; sleep 0.1; done',
    )
    assert paste(room, SERIAL) != before
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


def opens_everywhere(room: Machine, offices: Iterable[str], mark: str = "") -> None:
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


def release(room: Machine, tag: str, mark: str) -> None:
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


def upgraded(room: Machine) -> None:
    """Run the command of an upgrade: with a backup before it, and the doctor after."""
    release(room, "v99.0.0", MARK)
    paste(room, "rm /var/backups/office/*")
    [block] = blocks("A new version")
    said = paste(room, block.strip().replace("vVERSION", "v99.0.0") + " --yes")
    assert "no differences" in said
    assert said.endswith("All is in order.\n")
    assert len(paste(room, "ls /var/backups/office").split()) == 1


def new_origin(code: str) -> str:
    """The command by which a restored office of which nothing was signed goes on."""
    return f"/srv/office/deploy/manage log {code} new-origin --reason 'Restored before anything was signed'"


def test_one_command_makes_an_office_of_an_empty_machine_and_upgrades_it(
    tmp_path: Path, found: Network
) -> None:
    tmp_path.chmod(0o755)
    with machine(tmp_path / "machine", found) as room:
        is_open(room, installed(room))
        renews_its_certificate(room)
        makes_all_offices(room)
        assert changes_nothing(room).count("open in 4 languages") == len(rulesets())
        opens_everywhere(room, rulesets())
        upgraded(room)
        opens_everywhere(room, rulesets(), MARK)


def start_postgresql(room: Machine) -> None:
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
def test_two_settings_more_make_it_with_postgresql_and_redis(tmp_path: Path, found: Network) -> None:
    tmp_path.chmod(0o755)
    with machine(tmp_path / "machine", found) as room:
        start_postgresql(room)
        with_postgresql_and_redis(room)
        is_reachable(room)
        with machine(tmp_path / "second", found) as second:
            reads_files_for(room, second)


def with_postgresql_and_redis(room: Machine) -> None:
    is_open(room, installed(room, "DATABASE_URL="))
    changes_nothing(room)
    renews_its_certificate(room)
    owners = paste(
        room, "runuser -u postgres -- psql -Atc 'SELECT DISTINCT tableowner FROM pg_tables' office"
    )
    assert "office" in owners.split()
    assert "application" not in owners.split()
    paste(room, "systemctl restart office.target\n" + LATER.format("readyz?all") + "\n" + ASK + "csa/")
    opens_everywhere(room, ["csa"])
    upgraded(room)
    opens_everywhere(room, ["csa"], MARK)


def is_reachable(room: Machine) -> None:
    """Open PostgreSQL and Redis to the other machines of the network, as their manuals say it."""
    server = _newest(POSTGRESQL) / "bin/pg_ctl"
    paste(
        room,
        f"""cd /var/lib/postgresql
        echo "listen_addresses = '*'" >>data/postgresql.conf
        echo "host office application 10.77.0.0/24 scram-sha-256" >>data/pg_hba.conf
        runuser -u postgres -- {server} -D data -w -l log restart >/dev/null
        sed -i 's/^bind .*/bind 0.0.0.0/' /etc/redis/redis.conf
        systemctl restart redis-server""",
    )


def reads_files_for(room: Room, second: Room) -> None:
    """On a second machine the worker of files alone: the office is whole when the first has none any more."""
    settings = (room.image / "etc/office/environment").read_text().replace("@127.0.0.1", f"@{FIRST}")
    (second.image / "etc/office").mkdir()
    (second.image / "etc/office/environment").write_text(settings)
    (second.image / "etc/hosts").write_text(f"127.0.0.1 localhost\n{FIRST} ratings.example.org\n")
    roots = (each.image / "root/acme/root.pem" for each in (room, second))
    trusted = second.image / "etc/ssl/certs/ca-certificates.crt"
    trusted.write_text("".join(each.read_text() for each in roots))
    fetch, _install = first_command("--official")
    said = paste(second, f"{fetch}\n/srv/office/deploy/install.py --only files --yes || [ $? = 1 ]")
    assert "office-migrate" not in said
    assert "nginx" not in said


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bare Debian, not yet booted."""
    folder = tmp_path_factory.mktemp("bare")
    with usual_rights():
        lay_out_bare(folder)
    return folder / "base"


needs_systemd = pytest.mark.skipif(bool(why_not_booted()), reason=why_not_booted() or "booted")
FIRST = f"{Network.NAMES}.2"
"""The address of the first machine of a network."""
QUARTER, MINUTES = 90 * 86400, 1800
"""How long certificates hold, in seconds: as in earnest, and so short that each renewal is due."""


@pytest.mark.nightly
@needs_systemd
def test_on_a_booted_machine_one_command_makes_the_office_which_moves_to_another(
    bare: Path, tmp_path: Path
) -> None:
    with usual_rights(), booted(bare, tmp_path / "one") as room, certified(room, QUARTER):
        is_open(room, installed(room))
        renews_its_certificate(room)
        makes_all_offices(room)
        assert changes_nothing(room).count("open in 4 languages") == len(rulesets())
        opens_everywhere(room, rulesets())
        upgraded(room)
        opens_everywhere(room, rulesets(), MARK)
        paste(room, "systemctl stop office-up && /srv/office/deploy/manage backup")
        moved = max((tmp_path / "one/var/backups/office").iterdir())
        with booted(bare, tmp_path / "other") as other, certified(other, MINUTES):
            moves_in(other, moved)
            is_renewed_by_its_timer(other)


def moves_in(room: Booted, moved: Path) -> None:
    """Restore an office on another machine, whose certificate is about to end: the doctor says that alone."""
    fetch, install = first_command("--official")
    paste(room, f"{fetch}\n{install.partition('--office')[0]} --yes || [ $? = 1 ]")
    shutil.copy(moved, room.image / "root")
    said = paste(
        room,
        f"""systemctl stop office-up
        install -o office -g office -m 600 /root/*.zip /var/lib/office
        /srv/office/deploy/manage restore /var/lib/office/*.zip --replace
        rm /var/lib/office/*.zip
        {"; ".join(map(new_origin, rulesets()))}
        /srv/office/deploy/install.py --yes || [ $? = 1 ]""",
    )
    wrong = [line for line in said.partition("== The doctor")[2].splitlines() if "✗" in line]
    assert len(wrong) == 1, said
    assert "Certificate of ratings.example.org" in wrong[0]
    opens_everywhere(room, rulesets())


def is_renewed_by_its_timer(room: Booted) -> None:
    """What the timer starts renews a certificate that is due, and nginx serves the new one."""
    before = paste(room, SERIAL)
    assert paste(room, "systemctl is-enabled certbot.timer; systemctl is-active certbot.timer").split() == [
        "enabled",
        "active",
    ]
    paste(room, "systemctl start certbot.service")
    assert paste(room, SERIAL) != before


@pytest.mark.nightly
@needs_systemd
def test_on_a_booted_machine_two_settings_more_make_it_with_postgresql_and_redis(
    bare: Path, tmp_path: Path
) -> None:
    with usual_rights(), booted(bare, tmp_path / "one") as room, certified(room, QUARTER):
        with_postgresql_and_redis(room)
