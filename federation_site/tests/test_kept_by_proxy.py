"""What readers get from the shipped nginx while no web server answers, and what it refuses by itself."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from http.client import HTTPConnection
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

import pytest
from django.conf import settings

from federation_site.gateway import secure_headers
from federation_site.management.commands.up import is_listening
from federation_site.tests.server import Server, serving
from tests.ports import free_port

pytestmark = [
    pytest.mark.any_database,
    pytest.mark.long,
    pytest.mark.skipif(not shutil.which("nginx"), reason="there is no nginx"),
]
LIST, NAME = "/csa/lists/2024-04/otb-main/", "Invented03"
MAKE = """
import json
from datetime import date
from conftest import appointed
from django.test import Client
from players.models import Federation, Ledger, Player, Region, Role
from ratings.tests.office import approved, published, register, submitted
from ratings.tests.test_correcting_players import fields_of
office = Federation.objects.create(code="csa", name="Chess South Africa", ruleset_slug="csa")
Region.objects.create(federation=office, code="GAU", name="Gauteng")
Ledger.objects.create(federation=office)
players = register(office, 10)
for n in (1, 2):
    approved(submitted(office, players, number=f"2024-{n:03}", seed=n))
published(office, date(2024, 4, 1))
nomsa = appointed("Nomsa", office, Role.OFFICIAL)
browser = Client()
browser.force_login(nomsa)
player = Player.objects.get(surname="Invented03")
fields = {name: str(value) for name, value in fields_of(player).items()}
session, page = browser.cookies["sessionid"].value, player.get_absolute_url()
print(json.dumps({"session": session, "player": page, "fields": fields}))
"""


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    text: str


class Proxy:
    """nginx with the shipped file, before a web server at a port of its own."""

    def __init__(self, folder: Path, kept: Path, office: int) -> None:
        self.port = free_port()
        shipped = (settings.ROOT / "deploy/nginx/office.conf").read_text()
        (folder / "office.conf").write_text(
            shipped.replace("/var/cache/office", str(kept)).replace("__Host-", "")
        )
        places = "".join(
            f"{name}_temp_path {folder}/{name};"
            for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        )
        user = "user root;" if os.geteuid() == 0 else ""
        (folder / "nginx.conf").write_text(
            f"{user} pid {folder}/pid; error_log {folder}/log; daemon off; worker_processes 1;"
            "events { worker_connections 256; }"
            f"http {{ include /etc/nginx/mime.types; access_log off; {places}"
            "limit_conn_zone $binary_remote_addr zone=visitors:1m;"
            f'map "" $office {{ default 127.0.0.1:{office}; }}'
            f"server {{ listen 127.0.0.1:{self.port}; include {folder}/office.conf; }} }}"
        )
        command = ["nginx", "-c", str(folder / "nginx.conf"), "-e", str(folder / "log")]
        self.process = subprocess.Popen(command)
        deadline = time.monotonic() + 30
        while not is_listening("127.0.0.1", self.port):
            assert self.process.poll() is None, (folder / "log").read_text()
            assert time.monotonic() < deadline
            time.sleep(0.1)

    def ask(self, path: str, method: str = "GET", body: str | None = None, **headers: str) -> Answer:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=60)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, body, {"Host": "localhost", **named})
        answer = connection.getresponse()
        text = answer.read().decode("utf-8", "replace")
        connection.close()
        return Answer(answer.status, {name.lower(): value for name, value in answer.getheaders()}, text)

    def raw(self, path: str) -> int:
        """The status of an answer to an address whose letters are sent as they are, in UTF-8."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=60) as made:
            made.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
            return int(made.recv(100).split()[1])


class Office(NamedTuple):
    folder: Path
    kept: Path
    proxy: Proxy
    port: int
    session: str
    player: str
    """The path of the page of whoever has NAME."""
    fields: dict[str, str]
    """What the page that corrects that entry sends."""

    def opened(self) -> AbstractContextManager[Server]:
        """A web server behind the proxy; at the end it is killed."""
        return serving(self.folder, port=self.port, **variables(self.kept))

    def lying(self) -> list[Path]:
        return [path for path in (self.kept / "pages").rglob("*") if path.is_file()]


def is_readable(path: Path) -> bool:
    """Whether the proxy's account may read a file, or open a folder."""
    wanted = 0o005 if path.is_dir() else 0o004
    return path.stat().st_mode & wanted == wanted


def variables(kept: Path) -> dict[str, str]:
    return {"KEPT_DIR": str(kept), "WEB_PROCESSES": "2", "OFFICE_LANGUAGE": "en", "TRUSTED_PROXIES": "1"}


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Office]:
    folder, kept = tmp_path_factory.mktemp("office"), tmp_path_factory.mktemp("kept")
    given = {**os.environ, "VAR_DIR": str(folder), "NO_BOOTSTRAP": "1", **variables(kept)}
    given |= {"DATABASE_URL": f"sqlite:///{folder / 'office.sqlite3'}"}
    given.pop("DJANGO_SETTINGS_MODULE", None)
    for words in (["migrate", "--verbosity", "0"], ["shell", "--no-imports", "-c", MAKE]):
        command = [sys.executable, "manage.py", *words]
        done = subprocess.run(command, cwd=settings.ROOT, env=given, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    made, port = json.loads(done.stdout.splitlines()[-1]), free_port()
    proxy = Proxy(tmp_path_factory.mktemp("proxy"), kept, port)
    try:
        yield Office(folder, kept, proxy, port, **made)
    finally:
        proxy.process.terminate()
        proxy.process.wait()


def test_the_public_reads_on_while_no_web_server_answers(office: Office) -> None:
    ask = office.proxy.ask
    with office.opened():
        live = {path: ask(path) for path in (LIST, "/csa/players/", office.player, "/csa/regulations/", "/")}
        ask("/cs/csa/lists/")
        ask(f"{LIST}?page=1")
        style = re.findall(r'href="(/static/[^"]+[.]css)"', live[LIST].text)[0]
        assert ask(style).status == 200
    for path, before in live.items():
        answer = ask(path)
        assert answer.status == before.status == 200, path
        assert "This is its page as it was on" in answer.text
        assert "This is its page as it was on" not in before.text
        assert answer.headers["cache-control"] == "no-store"
        for name, value in secure_headers():
            sent, lower = answer.headers.get(name.decode().lower(), ""), name.decode().lower()
            if lower == "content-security-policy":
                assert {each.strip() for each in sent.split(";")} == {
                    each.strip() for each in value.decode().split(";")
                }
            elif lower not in ("permissions-policy", "server"):
                assert sent == value.decode(), (path, lower)
    assert ask(style).status == 200
    assert NAME in ask(f"{LIST}?page=1").text
    assert 'lang="cs"' in ask("/csa/lists/", Cookie="language=cs").text
    for path in (
        f"{LIST}?sort=name",
        f"{LIST}r1/list.csv",
        "/api/v1/",
        "/pages/",
        "/seen-csa",
        "/accounts/login/",
    ):
        answer = ask(path)
        assert (answer.status, answer.headers["retry-after"]) == (503, "30"), path
    assert ask(LIST, "POST", "a=b").status == 503
    assert [
        path for path in (office.kept / "pages", *office.kept.glob("*/**/*")) if not is_readable(path)
    ] == []


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "The office does not answer"),
        ("cs", "Kancelář neodpovídá"),
        ("pl", "Biuro nie odpowiada"),
        ("ru", "Сервер не отвечает"),
    ],
)
def test_the_proxy_says_in_each_language_that_nobody_answers_and_when_to_come_again(
    office: Office, language: str, words: str
) -> None:
    asked = (
        {"Accept_Language": f"de, {language};q=0.5"},
        {"Accept_Language": "de", "Cookie": f"a=b; language={language}"},
    )
    answers = [office.proxy.ask("/csa/players/?q=a", **headers) for headers in asked]
    answers.append(office.proxy.ask(f"/{language}/csa/players/?q=a", Accept_Language="de"))
    for answer in answers:
        assert (answer.status, answer.headers["retry-after"]) == (503, "30")
        assert f"<h1>{words}</h1>" in answer.text


def test_whoever_writes_a_language_in_capitals_reads_words_too(office: Office) -> None:
    answer = office.proxy.ask("/csa/players/?q=a", Accept_Language="CS, PL;q=0.5")
    assert answer.status == 503
    assert "<h1>The office does not answer</h1>" in answer.text


def test_a_long_address_is_answered_by_the_office_or_in_words(office: Office) -> None:
    with office.opened():
        for address in ("/" + "a" * 3_500, "/csa/players/" + "a" * 3_500, "/csa/" + "a" * 7_000 + "/"):
            assert office.proxy.ask(address).status in (301, 404), address[:20]
        letters = "/csa/" + "ř" * 3_000  # a redirect writes each of its bytes as three
        assert office.proxy.raw(letters) in (301, 404, 414)
        answer = office.proxy.ask("/csa/" + "a" * 9_000, Accept_Language="cs")
        assert answer.status == 414
        assert "<h1>" in answer.text
        answer = office.proxy.ask("/csa/", X_Long="a" * 9_000)
        assert answer.status == 400
        assert "<h1>" in answer.text


def test_a_name_that_was_withheld_is_nowhere_though_the_office_stops_right_after(office: Office) -> None:
    read = (LIST, f"{LIST}?page=1", office.player, "/csa/events/2024-001/A/", "/pl/csa/players/")
    with office.opened() as server:
        assert any(NAME in office.proxy.ask(path).text for path in read)
        assert any(NAME in path.read_text() for path in office.lying())
        cookie = f"sessionid={office.session}"
        page = office.proxy.ask(f"{office.player}correct/", Cookie=cookie)
        token = re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', page.text)[0]
        csrf = page.headers["set-cookie"].partition(";")[0]
        form = urlencode({**office.fields, "withheld": "on", "confirm": "1", "csrfmiddlewaretoken": token})
        sent = {"Content_Type": "application/x-www-form-urlencoded", "Cookie": f"{cookie}; {csrf}"}
        answer = office.proxy.ask(f"{office.player}correct/", "POST", form, **sent)
        server.kill()
    assert answer.status == 302
    assert not [
        path for path in office.kept.rglob("*") if path.is_file() and NAME.encode() in path.read_bytes()
    ]
    for path in read:
        assert NAME not in office.proxy.ask(path).text
