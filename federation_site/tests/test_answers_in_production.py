"""Answers as production gives them: headers, cookies, transport, and nothing that should not be there.

One office of its own is opened with the settings of production; each test looks at what it answered.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from functools import cache
from http.cookies import SimpleCookie
from typing import Any

import pytest
from django.conf import settings

pytestmark = [pytest.mark.any_database, pytest.mark.long]
ASKED = """
import json, os, re, tempfile
os.environ["VAR_DIR"] = folder = tempfile.mkdtemp()
os.environ["DATABASE_URL"] = f"sqlite:///{folder}/office.sqlite3"
import django
django.setup()
from django.conf import settings
from django.core.management import call_command
from django.test import Client
from players.models import User
for command in (["migrate"], ["createcachetable"], ["collectstatic", "--noinput"]):
    call_command(*command, verbosity=0)
accounts = User.objects.count()
User.objects.create_user("nomsa@example.org", "a long pass phrase")
there = {"headers": {"host": "ratings.example.org", "origin": "https://elsewhere.example"}}

def told(answer):
    body = b"".join(answer) if answer.streaming else answer.content
    text = body.decode("utf-8", "replace")
    return {"status": answer.status_code, "headers": dict(answer.headers), "body": text}

browser = Client(enforce_csrf_checks=True, raise_request_exception=False)
page = told(browser.get("/accounts/login/", secure=True, **there))
style = re.findall(r'href="(/static/[^"]+[.]css)"', page["body"])[0]
answers = {path: told(browser.get(path, secure=True, **there)) for path in (
    "/", "/accounts/login/", style, "/robots.txt", "/healthz", "/readyz", "/metrics", "/nowhere/",
    "/static/", "/static/nothing.css", "/.git/config", "/.git/", "/manage.py", "/static/../manage.py",
)}
answers["forged"] = told(browser.post("/accounts/login/", {"login": "x"}, secure=True, **there))
here = {"host": "ratings.example.org"}
plain = {path: told(browser.get(path, headers=here)) for path in ("/", "/readyz", "/metrics")}
trace = told(browser.trace("/", secure=True, headers={**here, "x-secret": "sesame"}))
signing = Client()
words = {"login": "nomsa@example.org", "password": "a long pass phrase"}
signing.post("/accounts/login/", words, secure=True, headers=here)
cookies = [str(each.OutputString()) for each in (*browser.cookies.values(), *signing.cookies.values())]
print(json.dumps({"answers": answers, "plain": plain, "trace": trace, "cookies": cookies, "style": style,
                  "accounts": accounts, "debug": settings.DEBUG}))
"""
PRODUCTION = {
    "PRODUCTION": "1",
    "SECRET_KEY": "not-a-secret-but-long-enough-0123456789-abcdefghijklmnopqrstuvwxyz",
    "ALLOWED_HOSTS": "ratings.example.org",
    "EMAIL_URL": "dummymail://",
    "CELERY_BROKER_URL": "memory://",
    "DJANGO_SETTINGS_MODULE": "federation_site.settings",
}
NAMED_AFTER_THE_HOST = {"__Host-sessionid", "__Host-csrftoken", "__Host-device"}


@cache
def seen() -> dict[str, Any]:
    """The answers of an office in production, asked once for all tests of this process."""
    kept = {key: value for key, value in os.environ.items() if key in ("PATH", "HOME", "TMPDIR")}
    done = subprocess.run(
        [sys.executable, "-c", ASKED],
        cwd=settings.ROOT,
        env={**kept, **PRODUCTION},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def answers() -> dict[str, Any]:
    found: dict[str, Any] = seen()["answers"]
    return found


def test_the_office_answers_what_these_tests_look_at() -> None:
    statuses = {path: answer["status"] for path, answer in answers().items()}
    assert statuses.pop(seen()["style"]) == 200
    assert (
        statuses["/"]
        == statuses["/accounts/login/"]
        == statuses["/robots.txt"]
        == statuses["/healthz"]
        == 200
    )
    assert statuses["forged"] == 403


def test_every_answer_asks_for_https_for_a_year_on_all_subdomains() -> None:
    for path, answer in answers().items():
        assert answer["headers"]["Strict-Transport-Security"] == "max-age=31536000; includeSubDomains", path


def test_every_answer_says_what_may_be_loaded_and_that_nobody_may_frame_it() -> None:
    for path, answer in answers().items():
        policy = answer["headers"]["Content-Security-Policy"]
        for directive in ("default-src", "object-src", "base-uri", "frame-ancestors"):
            assert f"{directive} 'none'" in policy, path
        assert "unsafe" not in policy


def test_every_answer_forbids_guessing_its_type_and_keeps_its_address_from_others() -> None:
    for path, answer in answers().items():
        assert answer["headers"]["X-Content-Type-Options"] == "nosniff", path
        assert answer["headers"]["Referrer-Policy"] == "same-origin", path


def test_every_text_says_its_type_and_its_encoding() -> None:
    for path, answer in answers().items():
        kind = answer["headers"]["Content-Type"]
        assert re.fullmatch(
            r'(text/[\w.-]+; ?(version=[\d.]+; )?charset="?utf-8"?|application/json)', kind
        ), path


def test_no_page_may_be_read_by_another_site_s_script_and_static_files_by_any() -> None:
    for path, answer in answers().items():
        allowed = answer["headers"].get("Access-Control-Allow-Origin")
        assert allowed == ("*" if path == seen()["style"] else None), path


def test_every_cookie_is_bound_to_this_host_to_https_and_away_from_scripts() -> None:
    names = set()
    for line in seen()["cookies"]:
        [(name, cookie)] = SimpleCookie(line).items()
        names.add(name)
        assert (cookie["secure"], cookie["httponly"], cookie["samesite"]) == (True, True, "Lax"), name
        assert (cookie["path"], cookie["domain"]) == ("/", ""), name
    assert names == NAMED_AFTER_THE_HOST


def test_pages_lead_from_http_to_https_and_probes_of_machines_do_not() -> None:
    plain = seen()["plain"]
    assert (plain["/"]["status"], plain["/"]["headers"]["Location"]) == (301, "https://ratings.example.org/")
    assert plain["/readyz"]["status"] in (200, 503)
    assert plain["/metrics"]["status"] == 200  # from a private address, as this one is


def test_no_source_no_folder_and_no_history_of_it_is_served() -> None:
    for path in (
        "/static/",
        "/static/nothing.css",
        "/.git/config",
        "/.git/",
        "/manage.py",
        "/static/../manage.py",
    ):
        assert answers()[path]["status"] in (301, 302, 404), path
        assert "import" not in answers()[path]["body"], path
        assert "repositoryformatversion" not in answers()[path]["body"], path


def test_an_error_tells_nothing_of_the_inside() -> None:
    assert seen()["debug"] is False
    for path in ("/nowhere/", "forged"):
        said = answers()[path]["body"]
        assert not re.search(r"Traceback|urlconf|settings\.py|DEBUG|site-packages", said), path
        assert str(settings.ROOT) not in said, path


def test_what_was_asked_is_not_echoed_by_trace() -> None:
    assert seen()["trace"]["status"] == 405
    assert "sesame" not in json.dumps(seen()["trace"])


def test_a_new_database_has_no_account() -> None:
    assert seen()["accounts"] == 0


@pytest.mark.parametrize("path", ["/metrics", "/readyz"])
def test_figures_are_not_for_everybody_and_readiness_tells_of_nobody(path: str) -> None:
    said = answers()[path]["body"]
    assert "nomsa" not in said
    assert "example.org" not in said
