"""An office offers its checkpoints to the witnesses that it names; pages show who signed, and when."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from http.client import HTTPException
from pathlib import Path

import pytest
import time_machine
from django.core.management import CommandError, call_command
from django.db import transaction
from django.test import Client

from players.models import Decision, Federation, Ledger
from ratings import tasks, transparency_log, witnesses
from ratings.journal import JournalWriter
from ratings.models import Checkpoint, Cosignature
from ratings.signing import find_signer, sign_due_checkpoints
from ratings.tests.office import approved, published, register, strangers, submitted
from ratings.tests.test_witness import history
from ratings.transparency_log import Signer
from ratings.verify import verify
from ratings.witness import SIZE, Answer, Server, Witness
from ratings.witnesses import has_due_offers, name_witness, offer_due_checkpoints
from tests.built_once import built_once

NOON = datetime(2024, 4, 1, 12, tzinfo=UTC)
A_DAY = timedelta(days=1)
SIGNER = Signer("witness.example.org/w1", bytes(range(32)))
VKEY = str(SIGNER.witness_key)


@pytest.fixture
@built_once
def office(csa: Federation) -> Federation:
    """With a list, signed once."""
    with time_machine.travel(NOON - timedelta(hours=1), tick=False):
        approved(submitted(csa, register(csa, 12), rounds=11))
        published(csa, date(2024, 4, 1))
    sign_due_checkpoints(csa, at=NOON)
    return csa


@pytest.fixture
def serve(office: Federation, tmp_path: Path) -> Iterator[Callable[[], Witness]]:
    """Starts another federation's witness and has the office name it."""
    servers = []

    def start() -> Witness:
        witness = Witness(tmp_path, SIGNER, [key.key for key in office.log_keys.all()])
        servers.append(Server(("127.0.0.1", 0), witness))
        threading.Thread(target=servers[-1].serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{servers[-1].server_port}"
        name_witness(federation=office, vkey=VKEY, url=url, by=None, on=NOON.date())
        return witness

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def go_on(office: Federation, day: int) -> None:
    """More lines, signed on a later day."""
    with transaction.atomic():
        ledger = Ledger.objects.select_for_update().get(federation=office)
        JournalWriter(office, ledger).write_players(strangers(range(100 * day, 100 * day + 3)))
    sign_due_checkpoints(office, at=NOON + day * A_DAY)


def sizes() -> list[int]:
    return list(Cosignature.objects.order_by("pk").values_list("checkpoint__size", flat=True))


def test_the_newest_checkpoint_is_offered_and_then_each_that_is_new(
    office: Federation, serve: Callable[[], Witness], client: Client
) -> None:
    go_on(office, 1)
    serve()
    before = "has signed nothing yet"
    assert before in client.get("/csa/check/").content.decode()
    offer_due_checkpoints(office, NOON + A_DAY)
    assert sizes() == [Checkpoint.objects.newest_first()[0].size]
    go_on(office, 2)
    go_on(office, 3)
    assert has_due_offers(office, NOON + 3 * A_DAY)
    offer_due_checkpoints(office, NOON + 3 * A_DAY)
    assert sizes() == list(Checkpoint.objects.order_by("size").values_list("size", flat=True))[1:]
    assert not has_due_offers(office, NOON + 3 * A_DAY)
    served = transparency_log.parse_note(client.get("/csa/journal/checkpoint").content.decode())
    assert transparency_log.verify_note(served, [SIGNER.witness_key]) == [SIGNER.witness_key]
    page = client.get("/csa/check/").content.decode()
    assert "by witness.example.org/w1 on" in page
    assert before not in page
    assert "proves nothing" not in page
    assert "by witness.example.org/w1 on" in client.get("/csa/lists/2024-04/otb-main/").content.decode()
    assert not verify(office).differences


def test_a_signature_that_was_lost_on_its_way_is_made_up_for(
    office: Federation, serve: Callable[[], Witness]
) -> None:
    witness = serve()
    signed = Checkpoint.objects.get()
    lost = witness.add_checkpoint(f"old 0\n\n{signed.note}".encode(), int(NOON.timestamp()))
    assert lost.status == 200
    go_on(office, 1)
    offer_due_checkpoints(office, NOON + A_DAY)
    assert sizes() == [Checkpoint.objects.newest_first()[0].size]


def test_a_forked_history_is_refused_by_the_witness_and_keeps_nothing_from_being_signed(
    office: Federation, serve: Callable[[], Witness], monkeypatch: pytest.MonkeyPatch
) -> None:
    witness = serve()
    other = history(5)
    forged = transparency_log.Checkpoint(Checkpoint.objects.get().key.origin, 5, other.root())
    signer = office_signer(office)
    body = f"old 0\n\n{forged.signed(signer)}".encode()
    assert witness.add_checkpoint(body, int(NOON.timestamp())).status == 200
    told: list[dict[str, object]] = []
    monkeypatch.setattr(witnesses.log, "error", lambda words, **more: told.append(more))
    offer_due_checkpoints(office, NOON)
    assert [(each["forked"], str(each["answer"])[:3]) for each in told] == [(True, "422")]
    assert sizes() == []
    assert not has_due_offers(office, NOON + timedelta(seconds=30))
    assert has_due_offers(office, NOON + timedelta(minutes=2))
    go_on(office, 1)
    assert Checkpoint.objects.count() == 2


def office_signer(office: Federation) -> Signer:
    """The office's own key, with which it signs a second history."""
    signer = find_signer(office)
    assert signer
    return signer


def test_a_witness_that_has_seen_more_than_the_office_has_is_a_fork_too(
    office: Federation, serve: Callable[[], Witness]
) -> None:
    witness, tree = serve(), history(5000)
    forged = transparency_log.Checkpoint(Checkpoint.objects.get().key.origin, 5000, tree.root())
    body = f"old 0\n\n{forged.signed(office_signer(office))}".encode()
    assert witness.add_checkpoint(body, int(NOON.timestamp())).status == 200
    [named] = witnesses.list_witnesses(office)
    with pytest.raises(witnesses.Unwitnessed) as refused:
        witnesses.offer_checkpoints(
            office, named, lambda body: witness.add_checkpoint(body, int(NOON.timestamp())), NOON
        )
    assert refused.value.forked


def test_a_witness_that_is_away_is_asked_again_after_a_pause_that_doubles(office: Federation) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    name_witness(federation=office, vkey=VKEY, url=url, by=None, on=NOON.date())
    at = NOON
    for minutes in (1, 2, 4, 8, 16, 32, 60, 60):
        assert has_due_offers(office, at)
        offer_due_checkpoints(office, at)
        assert not has_due_offers(office, at + timedelta(minutes=minutes, seconds=-1))
        at += timedelta(minutes=minutes)
    assert sizes() == []


def test_a_witness_that_never_ends_its_answer_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(witnesses, "SECONDS", 0.5)
    stop = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:

        def drip() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 60000\r\n\r\n")
                while not stop.wait(0.05):
                    try:
                        connection.sendall(b".")
                    except OSError:
                        return

        threading.Thread(target=drip, daemon=True).start()
        try:
            with pytest.raises((OSError, HTTPException)):
                witnesses.post(f"http://127.0.0.1:{server.getsockname()[1]}/add-checkpoint", b"")
        finally:
            stop.set()


def test_what_a_stranger_answers_is_not_taken(office: Federation, monkeypatch: pytest.MonkeyPatch) -> None:
    name_witness(federation=office, vkey=VKEY, url="https://witness.example.org", by=None, on=NOON.date())
    stranger = Signer(SIGNER.name, bytes(32))
    text = transparency_log.parse_note(Checkpoint.objects.get().note).text
    at = NOON
    for status, body in (
        (200, ""),
        (200, "nothing"),
        (200, stranger.cosign(text, 1).line),
        (200, SIGNER.cosign(f"{text}\n", 1).line.replace("\n", "")),
        (409, "many\n"),
        (500, "no"),
    ):
        answer = Answer(status, body, SIZE)
        monkeypatch.setattr(witnesses, "post", lambda url, body, answer=answer: answer)
        offer_due_checkpoints(office, at)
        at += timedelta(hours=2)
    assert sizes() == []


# ---------------------------------------------------------------- naming


def test_naming_a_witness_is_on_record_and_held_against_it(office: Federation) -> None:
    call_command("log", "csa", "witness", "https://witness.example.org/", "--key", VKEY)
    office.refresh_from_db()
    assert office.settings["witnesses"] == {VKEY: "https://witness.example.org"}
    assert Decision.objects.get(kind="name-witness").details["vkey"] == VKEY
    assert not verify(office).differences
    Federation.objects.filter(pk=office.pk).update(settings={})
    office.refresh_from_db()
    assert verify(office).differences
    Federation.objects.filter(pk=office.pk).update(
        settings={"witnesses": {VKEY: "https://witness.example.org"}}
    )
    call_command("log", "csa", "drop-witness", "--key", VKEY)
    office.refresh_from_db()
    assert witnesses.list_witnesses(office) == []
    assert not verify(office).differences


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("http://witness.example.org", VKEY),
        ("ftp://localhost", VKEY),
        ("witness.example.org", VKEY),
        ("https://witness.example.org", str(SIGNER.key)),
        ("https://witness.example.org", "a+b+AAAA"),
        ("https://[witness", VKEY),
    ],
)
def test_what_is_no_witness_cannot_be_named(office: Federation, url: str, key: str) -> None:
    with pytest.raises(CommandError):
        call_command("log", "csa", "witness", url, "--key", key)
    assert not Decision.objects.filter(kind="name-witness").exists()


# ---------------------------------------------------------------- the demo's own


def test_a_demos_worker_plays_a_witness_which_the_pages_call_our_own(
    office: Federation, client: Client
) -> None:
    assert "Nobody witnesses this journal yet" in client.get("/csa/check/").content.decode()
    Federation.objects.filter(pk=office.pk).update(demo=True)
    office.refresh_from_db()
    tasks.sign(office)
    go_on(office, 1)
    with time_machine.travel(NOON + 2 * A_DAY, tick=False):
        tasks.sign(office)
    assert sizes() == list(Checkpoint.objects.order_by("size").values_list("size", flat=True))
    assert not has_due_offers(office, NOON + 2 * A_DAY)
    for address in ("/csa/check/", "/csa/lists/2024-04/otb-main/"):
        page = client.get(address).content.decode()
        assert "by localhost/witness on" in page
        assert "This witness is ours, for the demo: it proves nothing." in page
    office.refresh_from_db()
    assert not verify(office).differences
