"""Servers on other machines: who cannot prove who they are is told nothing, who is deaf is not waited for."""

from __future__ import annotations

import os
import socket
import ssl
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import environ
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from django.conf import settings

from federation_site.checks import check_remote_certificates
from federation_site.environment import is_certificate_verified, is_remote_host
from federation_site.tests.test_broker import WAKE
from federation_site.tests.test_house import PRODUCTION, SERVER, run_check

pytestmark = [pytest.mark.any_database, pytest.mark.long]
CONNECT = """
import time
import django
django.setup()
from django.db import OperationalError, connection
begun = time.monotonic()
try:
    connection.ensure_connection()
except OperationalError as fault:
    print(time.monotonic() - begun, fault)
"""
NO_TLS = b"N"
"""PostgreSQL's answer where it has no TLS."""


def office(code: str, folder: Path, **told: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=settings.ROOT,
        env={
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "federation_site.settings",
            "VAR_DIR": str(folder),
            **told,
        },
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@contextmanager
def server(talk: Callable[[socket.socket], None]) -> Iterator[int]:
    """A server that talks so to each who comes; its port."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve_one(made: socket.socket) -> None:
            with made, suppress(OSError):
                talk(made)

        def serve() -> None:
            while True:
                try:
                    made, _address = listening.accept()
                except OSError:
                    return
                threading.Thread(target=serve_one, args=(made,), daemon=True).start()

        threading.Thread(target=serve, daemon=True).start()
        yield listening.getsockname()[1]
        listening.shutdown(socket.SHUT_RDWR)  # wakes who waits for the next to come


def own_certificate(folder: Path) -> ssl.SSLContext:
    """TLS by a certificate that the server wrote itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(datetime.now(UTC) - timedelta(days=1))
        .not_valid_after(datetime.now(UTC) + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    both = folder / "tls.pem"
    plain = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    both.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, *plain) + made.public_bytes(serialization.Encoding.PEM)
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(both)
    return context


@pytest.mark.parametrize(
    ("mode", "told_in_plain"), [("", True), ("?sslmode=require", False), ("?sslmode=verify-full", False)]
)
def test_a_database_is_told_nothing_in_plain_where_its_address_asks_for_tls(
    tmp_path: Path, mode: str, told_in_plain: bool
) -> None:
    heard: list[bytes] = []

    def talk(made: socket.socket) -> None:
        made.recv(8)  # whether there is TLS
        made.sendall(NO_TLS)
        heard.append(made.recv(1000))

    with server(talk) as port:
        office(CONNECT, tmp_path, DATABASE_URL=f"postgres://office:secret@127.0.0.1:{port}/office{mode}")
    assert any(b"office" in words for words in heard) is told_in_plain


def test_a_database_that_takes_the_connection_and_never_answers_is_given_up_within_seconds(
    tmp_path: Path,
) -> None:
    def deaf(made: socket.socket) -> None:
        while made.recv(1000):
            pass

    with server(deaf) as port:
        told = office(CONNECT, tmp_path, DATABASE_URL=f"postgres://office@127.0.0.1:{port}/office")
    assert 12 < float(told.split()[0]) < 30, told  # a pause of twelve seconds fails nobody


@pytest.mark.parametrize(
    ("asked", "heard_of"), [("", False), ("?ssl_cert_reqs=none&ssl_check_hostname=false", True)]
)
def test_a_redis_that_cannot_prove_who_it_is_is_told_nothing_unless_its_address_says_so(
    tmp_path: Path, asked: str, heard_of: bool
) -> None:
    context, heard = own_certificate(tmp_path), list[bytes]()

    def talk(made: socket.socket) -> None:
        with context.wrap_socket(made, server_side=True) as behind_tls:
            heard.append(behind_tls.recv(1000))

    with server(talk) as port:
        told = office(WAKE, tmp_path, CELERY_BROKER_URL=f"rediss://localhost:{port}/0{asked}")
    assert told.split()[0] == "1", "nobody was woken, and it was counted"
    assert any(heard) is heard_of


@pytest.mark.parametrize(
    ("host", "elsewhere"),
    [
        ("", False),
        ("localhost", False),
        ("/var/run/postgresql", False),
        ("/run/postgresql.d", False),
        ("127.0.0.1", False),
        ("::1", False),
        ("postgres", False),
        ("10.0.0.7", True),
        ("2001:db8::7", True),
        ("database.example.org", True),
    ],
)
def test_another_machine_is_known_by_its_name_or_number(host: str, elsewhere: bool) -> None:
    assert is_remote_host(host) is elsewhere


@pytest.mark.parametrize(
    ("database", "broker", "named"),
    [
        ("postgres://a:b@database.example.org/office", "redis://10.0.0.7/0", 2),
        ("postgres://a:b@database.example.org/office?sslmode=verify-full", "rediss://10.0.0.7/0", 0),
        ("postgres://a:b@database.example.org/office?sslmode=require", "rediss://10.0.0.7/0", 1),
        ("postgres://a:b@127.0.0.1/office", "redis://127.0.0.1/0", 0),
        ("postgres://a:b@127.0.0.1/office", "rediss://10.0.0.7/0?ssl_cert_reqs=none", 1),
    ],
)
def test_the_deploy_check_names_servers_elsewhere_that_prove_nothing(
    tmp_path: Path, database: str, broker: str, named: int
) -> None:
    servers = {"DATABASE_URL": database, "CELERY_BROKER_URL": broker}
    done = run_check(**PRODUCTION, **servers, EMAIL_URL=SERVER, VAR_DIR=str(tmp_path))
    assert done.stderr.count("federation_site.W012") == named, done.stderr


@pytest.mark.parametrize(
    ("address", "named"),
    [
        ("redis://127.0.0.1/0;redis://10.0.0.8/0", 1),
        ("rediss://10.0.0.7/0;rediss://10.0.0.8/0", 0),
    ],
)
def test_the_deploy_check_names_second_brokers_elsewhere_that_prove_nothing(
    tmp_path: Path, address: str, named: int
) -> None:
    done = run_check(**PRODUCTION, CELERY_BROKER_URL=address, EMAIL_URL=SERVER, VAR_DIR=str(tmp_path))
    assert done.stderr.count("federation_site.W012") == named, done.stderr


@pytest.mark.parametrize(
    ("broker", "checked"),
    [
        ("redis://10.0.0.7/0", False),
        ("redis://10.0.0.7/0?ssl_cert_reqs=required&ssl_check_hostname=false", False),
        ("rediss://10.0.0.7/0", True),
        ("rediss://10.0.0.7/0?ssl_ca_certs=/etc/authority.pem", True),
        ("rediss://10.0.0.7/0?ssl_cert_reqs=required&ssl_check_hostname=true", True),
        ("rediss://10.0.0.7/0?ssl_cert_reqs=CERT_NONE", False),
        ("rediss://10.0.0.7/0?ssl_cert_reqs=none", False),
        ("rediss://10.0.0.7/0?ssl_check_hostname=false", False),
        ("rediss://10.0.0.7/0?ssl_cert_reqs=whatever", False),
    ],
)
def test_a_redis_proves_who_it_is_unless_its_address_lets_it_off(broker: str, checked: bool) -> None:
    assert is_certificate_verified(broker) is checked


@pytest.mark.parametrize(
    ("owner", "named"),
    [
        ("", []),
        ("postgres://o:p@127.0.0.1/office?sslmode=disable", []),
        ("postgres://o:p@owner.example.org/office", []),  # by the mode of DATABASE_URL
        ("postgres://o:p@owner.example.org/office?sslmode=verify-full", []),
        ("postgres://o:p@owner.example.org/office?sslmode=disable", ["DATABASE_OWNER_URL"]),
    ],
)
def test_the_deploy_check_names_the_owners_server_too(
    owner: str, named: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    of_all = environ.Env.db_url_config("postgres://a:b@database.example.org/office?sslmode=verify-full")
    monkeypatch.setattr(settings, "DATABASES", {"default": of_all})
    of_owner = environ.Env.db_url_config(owner) if owner else {}
    monkeypatch.setattr(settings, "DATABASE_OWNER", of_owner)
    monkeypatch.setattr(settings, "CELERY_BROKER_URL", "djangodb://localhost")
    told = check_remote_certificates()
    assert [each.msg.split()[0] for each in told] == named
