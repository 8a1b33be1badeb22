"""The office of docker-compose.yml, opened by its own commands and asked through its proxy.

There is no container runtime here: `tests.stack` gives each service a room (`tests.rooms`), with the file's
users, volumes, secrets and networks. What the images of others bring is not looked at, and that the runtime
bounds memory, processor and processes is believed; what the services use of them is measured.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.acme import authority, certbot
from tests.image_files import ROOT
from tests.operator import blocks
from tests.rooms import below, build, network, use_of, usual_rights, why_not
from tests.stack import SETTINGS, Stack, serve_names, until

pytestmark = [pytest.mark.containers, pytest.mark.skipif(bool(why_not()), reason=why_not() or "rooms")]

HOST = SETTINGS["ALLOWED_HOSTS"]
SERVING = ("web-1", "worker-1", "files-1")


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """Everything open, in the order in which compose starts it."""
    root = tmp_path_factory.mktemp("image")
    image = build(root)
    folder = tmp_path_factory.mktemp("compose")
    folder.chmod(0o755)
    with usual_rights(), network() as found:
        made = Stack(folder, root, image, found)
        try:
            yield opened(made)
        finally:
            made.end()


def opened(stack: Stack) -> Stack:
    stack.make_database()
    stack.start("postgres")
    stack.start("redis")
    until("PostgreSQL is healthy", lambda: stack.healthy("postgres-1"))
    until("Redis is healthy", lambda: stack.healthy("redis-1"))
    stack.database("CREATE DATABASE office")
    stack.start("migrate")
    assert stack.processes["migrate-1"].wait(120) == 0, stack.log("migrate").read_text()
    for name in ("web", "worker", "files"):
        stack.start(name)
    until("the web server is healthy", lambda: stack.healthy("web-1"))
    stack.open("proxy")
    names = stack.folder / "names.json"
    names.write_text(json.dumps([stack.addresses["web-1"]]))
    stack.processes["names"] = serve_names(stack, names)
    stack.start("proxy")
    until("the proxy is healthy", lambda: stack.healthy("proxy-1"))
    return stack


def ask(
    stack: Stack, path: str, *options: str, scheme: str = "https", seconds: int = 30
) -> tuple[int, str, str]:
    """The status, headers and body of an answer, as somebody outside gets it from the proxy."""
    port = {"https": 8443, "http": 8080}[scheme]
    curl = ["curl", "--silent", "--insecure", "--include", "--max-time", str(seconds), *options]
    to = f"{HOST}:{443 if scheme == 'https' else 80}:{stack.addresses['proxy-1']}:{port}"
    command = ["nsenter", f"--target={stack.network.holder}", "--net", *curl, "--connect-to", to]
    done = subprocess.run([*command, f"{scheme}://{HOST}{path}"], capture_output=True)
    text = done.stdout.decode("utf-8", "replace").replace("\r\n", "\n")
    while text.startswith(("HTTP/1.1 100", "HTTP/2 100")):
        text = text.partition("\n\n")[2]
    head, _blank, body = text.partition("\n\n")
    return int(head.split()[1]) if head else 0, head.lower(), body


def test_the_office_is_open_behind_the_proxy_with_all_its_programs_at_work(stack: Stack) -> None:
    done = stack.run(
        "worker-1", "python", "manage.py", "create_office", "csa", "--official", "nomsa@example.org"
    )
    assert done.returncode == 0, done.stderr
    assert f"https://{HOST}/accounts/password/reset/key/" in done.stdout
    assert ask(stack, "/csa/")[0] == 200
    status, head, body = ask(stack, "/accounts/login/")
    assert status == 200
    assert "Sign in" in body
    assert "strict-transport-security" in head
    until("all works", lambda: ask(stack, "/readyz?all")[0] == 200)
    assert json.loads(ask(stack, "/readyz")[2])["ready"] is True


def test_plain_http_leads_to_https_whatever_a_header_says_of_it(stack: Stack) -> None:
    for headers in ([], ["--header", "X-Forwarded-Proto: https"]):
        status, head, _body = ask(stack, "/accounts/login/", *headers, scheme="http")
        assert status == 301
        assert f"location: https://{HOST}/accounts/login/" in head


def test_certbot_gets_and_renews_a_certificate_by_the_documents_commands_and_the_proxy_serves_it(
    stack: Stack,
) -> None:
    folder, to = stack.folder, "127.0.0.1:8443"
    shutil.copytree(ROOT / "deploy", folder / "deploy")
    own = [f"--{name}-dir {folder / 'letsencrypt' / name}" for name in ("config", "work", "logs")]
    run = f'exec {shlex.join(stack.beside("proxy-1", []))} "$@"'
    for name, script in {
        "apt-get": "#!/bin/sh\n",
        "certbot": certbot(str(folder / "acme"), "/usr/bin/python3", *own),
        "docker": f'#!/bin/sh\n[ "$1 $2 $3 $4" = "compose exec -T proxy" ] && shift 4 && {run}\n',
    }.items():
        (folder / "stand-in").mkdir(exist_ok=True)
        (folder / "stand-in" / name).write_text(script)
        (folder / "stand-in" / name).chmod(0o755)

    def outside(script: str) -> str:
        words = ["env", f"PATH={folder / 'stand-in'}:{os.environ['PATH']}", "sh", "-ec", script]
        done = subprocess.run(stack.outside(words), cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def served() -> str:
        """Who issued what the proxy serves, and its number."""
        return outside(
            f"openssl s_client -connect {to} </dev/null 2>&1 | openssl x509 -noout -issuer -serial"
        )

    assert "Pebble" not in (before := served())
    with authority(folder / "acme", stack.outside, port=8080):
        commands, look = blocks("Containers")[-1].rsplit("\n", 1)
        outside(commands)
        until("the proxy has taken the certificate", lambda: "Pebble" in served(), 10)
        root = f"--cacert {folder / 'acme/root.pem'} --connect-to ::{to}"
        assert "true" in outside(look.replace("curl", f"curl {root}"))
        before = served()
        outside("certbot renew --quiet --force-renewal --no-random-sleep-on-renew")
        until("the proxy has taken the new one", lambda: served() != before, 10)
    assert ask(stack, "/csa/")[0] == 200
    assert ask(stack, "/.well-known/acme-challenge/none", scheme="http")[0] == 404


def test_another_name_than_the_sites_is_refused(stack: Stack) -> None:
    assert ask(stack, "/", "--header", "Host: elsewhere.example.org")[0] == 400
    assert ask(stack, "/", "--header", "X-Forwarded-Host: elsewhere.example.org")[0] == 200


def test_pages_are_compressed_and_small_answers_are_not(stack: Stack) -> None:
    assert "content-encoding: gzip" in ask(stack, "/", "--header", "Accept-Encoding: gzip")[1]
    assert "content-encoding" not in ask(stack, "/healthz", "--header", "Accept-Encoding: gzip")[1]


def test_an_address_that_a_visitor_claims_changes_nothing(stack: Stack) -> None:
    """A dozen wrong sign-ins, each as if from elsewhere: those after the tenth are refused."""
    jar = stack.folder / "jar"
    statuses = []
    for n in range(12):
        page = ask(stack, "/accounts/login/", "--cookie-jar", str(jar), "--cookie", str(jar))[2]
        token = re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', page)[0]
        form = f"csrfmiddlewaretoken={token}&login=stranger{n}@example.org&password=wrong-wrong-wrong"
        claims = [
            "--header",
            f"X-Forwarded-For: 192.0.2.{n}",
            "--header",
            f"Referer: https://{HOST}/accounts/login/",
        ]
        answer = ask(stack, "/accounts/login/", "--cookie", str(jar), "--data", form, *claims)
        statuses.append((answer[0], "too many" in answer[2].lower()))
    assert not any(refused for _status, refused in statuses[:9])
    assert statuses[-1][0] == 429 or statuses[-1][1], statuses


def test_a_body_that_is_too_large_is_refused_at_once_by_office_or_proxy(stack: Stack) -> None:
    for size in (100_000, 30_000_000, 40_000_000):
        big = stack.folder / f"body-{size}"
        big.write_bytes(b"x" * size)
        begun = time.monotonic()
        status, _head, _body = ask(
            stack, "/accounts/login/", "--data-binary", f"@{big}", "--header", "Expect:"
        )
        assert status == 413, size
        assert time.monotonic() - begun < 5


def test_slow_bodies_keep_nobody_waiting(stack: Stack) -> None:
    """Six of one address hold no thread of the office; its next request is answered at once."""
    slow = stack.folder / "slow"
    slow.write_bytes(b"x" * 60_000)
    to = f"{HOST}:443:{stack.addresses['proxy-1']}:8443"
    options = ["--limit-rate", "50", "--data-binary", f"@{slow}", "--max-time", "25", "--header", "Expect:"]
    command = [
        "nsenter",
        f"--target={stack.network.holder}",
        "--net",
        "curl",
        "--silent",
        "--insecure",
        *options,
    ]
    senders = [
        subprocess.Popen(
            [*command, "--connect-to", to, f"https://{HOST}/accounts/login/"], stdout=subprocess.DEVNULL
        )
        for _ in range(6)
    ]
    try:
        time.sleep(2)
        begun = time.monotonic()
        assert ask(stack, "/")[0] == 200
        assert time.monotonic() - begun < 5
        assert [sender.poll() for sender in senders] == [None] * 6
    finally:
        for sender in senders:
            sender.kill()
            sender.wait()


def test_redis_and_postgresql_let_nobody_in_without_a_password(stack: Stack) -> None:
    said = stack.run("redis-1", "redis-cli", "-h", "127.0.0.1", "ping")
    assert "NOAUTH" in said.stdout + said.stderr
    asked = [
        "psql",
        "--no-password",
        "--host=postgres",
        "--username=application",
        "--dbname=office",
        "--command=SELECT 1",
    ]
    assert stack.run("web-1", *asked).returncode != 0


def test_no_secret_stands_in_an_environment_or_a_list_of_processes(stack: Stack) -> None:
    secrets = [(stack.secrets / name).read_text().strip() for name in ("secret_key", "redis_password")]
    secrets += [(stack.secrets / name).read_text() for name in ("postgres_password", "application_password")]
    for key in (*SERVING, "redis-1", "postgres-1", "proxy-1"):
        for pid in below(stack.main(key)):
            for shown in ("environ", "cmdline"):
                with suppress(FileNotFoundError, ProcessLookupError):  # a health check, over in between
                    told = Path(f"/proc/{pid}/{shown}").read_bytes()
                    assert not any(secret.encode() in told for secret in secrets), key
        for shown in ("environ", "cmdline"):
            assert Path(f"/proc/{stack.main(key)}/{shown}").read_bytes(), key


def test_only_the_migrator_has_the_owners_password_and_only_the_worker_the_keys(stack: Stack) -> None:
    for key in SERVING:
        assert stack.run(key, "ls", "/run/secrets/database_owner_url").returncode != 0
        keys = stack.run(key, "sh", "-c", "ls /var/lib/office/keys/*.key").returncode == 0
        assert keys is (key == "worker-1")


def test_every_service_runs_without_rights_and_writes_only_where_compose_says(stack: Stack) -> None:
    for key in (*SERVING, "redis-1", "postgres-1", "proxy-1"):
        lines = Path(f"/proc/{stack.main(key)}/status").read_text().splitlines()
        status = dict(line.split(":", 1) for line in lines if ":" in line)
        assert int(status["CapEff"], 16) == int(status["CapBnd"], 16) == 0
        assert status["NoNewPrivs"].strip() == "1"
        assert status["Uid"].split()[0] != "0"
        for place in ("/x", "/etc/x", "/srv/x", "/usr/x", "/run/x"):
            assert (
                "Read-only" in stack.run(key, "touch", place).stderr
                or "denied" in stack.run(key, "touch", place).stderr
            )


def megabytes(text: str) -> int:
    return int(float(text[:-1]) * {"m": 1, "g": 1024}[text[-1]])


def test_every_service_uses_less_than_compose_lets_it(stack: Stack) -> None:
    for key in (*SERVING, "redis-1", "postgres-1", "proxy-1"):
        told = stack.compose["services"][key.rpartition("-")[0]]
        used = use_of(stack.main(key))
        print(key, used)
        assert 2 * used.megabytes < megabytes(told["mem_limit"]), (key, used)
        assert 1.5 * used.tasks < told["pids_limit"], (key, used)


def test_a_second_web_server_and_worker_share_the_work_without_another_word(stack: Stack) -> None:
    stack.start("web", replica=2)
    stack.start("worker", replica=2)
    until("the second web server is healthy", lambda: stack.healthy("web-2"))
    until("the second worker is healthy", lambda: stack.healthy("worker-2"))
    addresses = [stack.addresses["web-1"], stack.addresses["web-2"]]
    (stack.folder / "names.json").write_text(json.dumps(addresses))
    until("both are asked", lambda: both_answer(stack), seconds=30)
    end(below(stack.main("web-1")))
    assert [ask(stack, "/")[0] for _ in range(8)] == [200] * 8
    stack.processes.pop("web-1").wait()
    stack.start("web")
    until("the first is back", lambda: stack.healthy("web-1"))


def end(pids: list[int]) -> None:
    """End processes as the runtime does when a container's first process is gone."""
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def both_answer(stack: Stack) -> bool:
    """Whether both web servers answer visitors who come through the proxy, beside the probes of each."""
    keys = ("web-1", "web-2")
    before = [count_answers(stack, key) for key in keys]
    for _ in range(8):
        ask(stack, "/")
    return all(count_answers(stack, key) - had >= 4 for key, had in zip(keys, before, strict=True))


def count_answers(stack: Stack, key: str) -> float:
    """How many requests of the public a web server has answered, by its own figures."""
    asked = "import urllib.request as u; print(u.urlopen('http://127.0.0.1:8000/metrics').read().decode())"
    figures = stack.run(key, "python", "-c", asked).stdout.splitlines()
    own = [line for line in figures if line.startswith('office_requests_total{lane="public",status="200"}')]
    return sum(float(line.split()[-1]) for line in own)


@pytest.mark.parametrize("key", ["worker-1", "web-1"])
def test_a_program_that_hangs_is_seen_and_ended(stack: Stack, key: str) -> None:
    assert stack.healthy(key)
    frozen = below(stack.main(key))
    for pid in frozen:
        os.kill(pid, signal.SIGSTOP)
    probe = ["python", "-m", "federation_site.liveness", "--ask", "http://127.0.0.1:8000/healthz"]
    probe = probe if key == "web-1" else probe[:3]
    until(
        "it is called silent", lambda: stack.run(key, *probe, "--silent", "3", "--end", "300").returncode, 60
    )
    assert stack.processes[key].poll() is None
    words = stack.run(key, *probe, "--silent", "1", "--end", "2").stderr
    assert "killed, to be started again" in words
    stack.processes[key].send_signal(signal.SIGCONT)  # who waits for a stopped program stops with it
    until("it has ended", lambda: stack.processes[key].poll() is not None, 20)
    end(frozen)
    stack.start(key.rpartition("-")[0])
    until("it is healthy again", lambda: stack.healthy(key))


def test_an_office_closed_and_opened_again_migrates_nothing_twice_and_goes_on(stack: Stack) -> None:
    del stack.rooms["migrate-1"]
    stack.start("migrate")
    assert stack.processes["migrate-1"].wait(60) == 0
    assert "No migrations to apply" in stack.log("migrate").read_text()
    assert ask(stack, "/csa/")[0] == 200
