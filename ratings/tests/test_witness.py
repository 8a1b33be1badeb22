"""A witness signs what continues what it has seen, and nothing else (C2SP tlog-witness)."""

from __future__ import annotations

import http.client
import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from ratings import transparency_log, witness
from ratings.transparency_log import Checkpoint, Signer, Tree, consistency_proof, leaf_hash
from ratings.witness import Answer, Server, Witness, format_request, get_or_create_signer, parse_request

OFFICE = Signer("ratings.example.org/csa/journal", bytes(range(32)))
STRANGER = Signer(OFFICE.name, bytes(32))
AT = 1_800_000_000
# The example of C2SP's tlog-witness.
EXAMPLE = """old 20852014
PlRNCrwHpqhGrupue0L7gxbjbMiKA9temvuZZDDpkaw=
jrJZDmY8Y7SyJE0MWLpLozkIVMSMZcD5kvuKxPC3swk=
5+pKlUdi2LeF/BcMHBn+Ku6yhPGNCswZZD1X/6QgPd8=
/6WVhPs2CwSsb5rYBH5cjHV/wSmA79abXAwhXw3Kj/0=

example.com/behind-the-sofa
20852163
CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=

— example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=
— example.com/behind-the-sofa opLqBQsREYCgu6xQkYQwJr9fo45a62DN9EdmHXnZdXNqlcVGlCum2Wks+49/V6267UEjw6QUXTS5Rovnzv++qbSzm9Q=
"""  # noqa: E501


def history(size: int, *, altered: int | None = None) -> Tree:
    """A log's tree; `altered`: the index of an entry that is another one."""
    return Tree(leaf_hash(b"forged" if number == altered else b"%d" % number) for number in range(size))


def checkpoint(tree: Tree, size: int, signer: Signer = OFFICE) -> str:
    return str(Checkpoint(signer.name, size, tree.root(size)).signed(signer))


def offer(tree: Tree, old: int, size: int) -> bytes:
    return format_request(old, consistency_proof(tree.node, old, size), checkpoint(tree, size))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "witness"


@pytest.fixture
def make(folder: Path) -> Callable[[], Witness]:
    """Starts the witness, again with what it remembers."""

    def start() -> Witness:
        signer = get_or_create_signer(folder, "witness.example.org/w1")
        return Witness(folder, signer, [OFFICE.key])

    return start


def refused(folder: Path) -> bool:
    return any(folder.glob("*.refused"))


# ---------------------------------------------------------------- what it signs, and what not


def test_a_log_that_goes_on_is_signed_with_the_time_each_time(make: Callable[[], Witness]) -> None:
    tree, old = history(300), 0
    for size in (1, 7, 8, 8, 300):
        body = offer(tree, old, size)
        answer = make().add_checkpoint(body, AT + size)
        assert answer.status == 200, answer
        signature = transparency_log.parse_signature(answer.body)
        key, [text, _] = make().signer.witness_key, checkpoint(tree, size).split("\n\n")
        transparency_log.check_signature(signature, key, f"{text}\n")
        assert (signature.made_by(key), signature.time) == (True, AT + size)
        old = size


def test_a_forked_history_is_refused_and_what_was_seen_stays(
    make: Callable[[], Witness], folder: Path
) -> None:
    true, forged = history(20), history(30, altered=5)
    assert make().add_checkpoint(offer(true, 0, 20), AT).status == 200
    assert not refused(folder)
    assert make().add_checkpoint(offer(forged, 20, 30), AT).status == 422
    assert refused(folder)
    assert make().add_checkpoint(offer(forged, 20, 20), AT) == Answer(409, "20\n", "text/x.tlog.size")
    assert make().add_checkpoint(offer(forged, 0, 30), AT) == Answer(409, "20\n", "text/x.tlog.size")
    assert make().add_checkpoint(offer(history(25), 20, 25), AT).status == 200


def test_a_signature_line_that_comes_often_is_remembered_once(make: Callable[[], Witness]) -> None:
    tree = history(20)
    note = checkpoint(tree, 20)
    line = note.rpartition("\n\n")[2]
    often = transparency_log.parse_note(note.rpartition("\n\n")[0] + "\n\n" + line * 64)
    for old in (0, 20):
        body = format_request(old, [], str(often))
        assert make().add_checkpoint(body, AT).status == 200


def test_a_wrong_proof_of_what_it_signed_already_is_kept_as_no_evidence(
    make: Callable[[], Witness], folder: Path
) -> None:
    tree = history(20)
    assert make().add_checkpoint(offer(tree, 0, 20), AT).status == 200
    wrong = format_request(20, [b"x" * 32], checkpoint(tree, 20))
    assert make().add_checkpoint(wrong, AT).status == 422
    assert not refused(folder)


def test_a_time_beyond_all_dates_is_no_signature() -> None:
    signer = transparency_log.Signer("witness.example.org/w1", bytes(32))
    text = checkpoint(history(1), 1).split("\n\n")[0] + "\n"
    last = transparency_log.LAST_TIME
    transparency_log.check_signature(signer.cosign(text, last), signer.witness_key, text)
    with pytest.raises(transparency_log.NoteError, match="beyond all dates"):
        transparency_log.check_signature(signer.cosign(text, last + 1), signer.witness_key, text)


def test_whoever_knows_another_size_is_told_the_one_that_was_signed(make: Callable[[], Witness]) -> None:
    tree = history(20)
    assert make().add_checkpoint(offer(tree, 5, 9), AT) == Answer(409, "0\n", "text/x.tlog.size")
    assert make().add_checkpoint(offer(tree, 0, 9), AT).status == 200
    assert make().add_checkpoint(offer(tree, 5, 9), AT) == Answer(409, "9\n", "text/x.tlog.size")
    assert make().add_checkpoint(offer(tree, 5, 7), AT) == Answer(409, "9\n", "text/x.tlog.size")


def test_a_log_or_key_that_it_does_not_know_is_not_signed(make: Callable[[], Witness]) -> None:
    elsewhere = Signer("elsewhere.example.org/journal", bytes(range(32)))
    tree = history(3)
    for signer, status in ((elsewhere, 404), (STRANGER, 403), (OFFICE, 200)):
        body = format_request(0, [], checkpoint(tree, 3, signer))
        assert make().add_checkpoint(body, AT).status == status


PROOF = consistency_proof(history(9).node, 5, 9)
WRONG: dict[str, tuple[bytes, int]] = {
    "no request": (b"", 400),
    "not UTF-8": (b"\xff", 400),
    "no old size": (checkpoint(history(9), 9).encode(), 400),
    "an old size with a zero before": (offer(history(9), 5, 9).replace(b"old 5", b"old 05"), 400),
    "a hash that is none": (offer(history(9), 5, 9).replace(b"=\n", b"\n", 1), 400),
    "a hash too short": (format_request(5, [b"short"], checkpoint(history(9), 9)), 400),
    "too many hashes": (format_request(5, [bytes(32)] * 64, checkpoint(history(9), 9)), 400),
    "no checkpoint": (b"old 5\n\nnothing\n", 400),
    "an old size above the checkpoint's": (format_request(10, [], checkpoint(history(9), 9)), 400),
    "no proof": (format_request(5, [], checkpoint(history(9), 9)), 422),
    "half a proof": (format_request(5, PROOF[:-1], checkpoint(history(9), 9)), 422),
    "more than a proof": (format_request(5, [*PROOF, bytes(32)], checkpoint(history(9), 9)), 422),
    "another proof": (format_request(5, PROOF[::-1], checkpoint(history(9), 9)), 422),
}


@pytest.mark.parametrize("how", WRONG)
def test_a_request_that_is_wrong_is_answered_by_its_number_and_changes_nothing(
    how: str, make: Callable[[], Witness]
) -> None:
    assert make().add_checkpoint(offer(history(9), 0, 5), AT).status == 200
    body, status = WRONG[how]
    assert make().add_checkpoint(body, AT).status == status
    assert make().add_checkpoint(offer(history(9), 5, 9), AT).status == 200


def test_the_published_request_is_read() -> None:
    old, proof, signed, head = parse_request(EXAMPLE.encode())
    assert (old, len(proof), len(signed.signatures), head.size) == (20852014, 4, 2, 20852163)
    assert format_request(old, proof, str(signed)).decode() == EXAMPLE


def test_of_two_at_once_one_is_signed(make: Callable[[], Witness]) -> None:
    tree, one = history(40), make()
    assert one.add_checkpoint(offer(tree, 0, 10), AT).status == 200
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda size: make().add_checkpoint(offer(tree, 10, size), AT), range(11, 41)))
    assert sorted({answer.status for answer in answers}) == [200, 409]
    assert [answer.status for answer in answers].count(200) == 1


def test_a_memory_that_cannot_be_read_lets_it_sign_nothing(make: Callable[[], Witness], folder: Path) -> None:
    assert make().add_checkpoint(offer(history(9), 0, 5), AT).status == 200
    [path] = folder.glob("*.checkpoint")
    path.write_text("nothing")
    with pytest.raises(transparency_log.NoteError):
        make().add_checkpoint(offer(history(9), 0, 9), AT)


# ---------------------------------------------------------------- by HTTP


@contextmanager
def served(one: Witness, **limits: float) -> Iterator[http.client.HTTPConnection]:
    with Server(("127.0.0.1", 0), one) as server:
        for name, limit in limits.items():
            setattr(server, name, limit)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=30)
        try:
            yield connection
        finally:
            connection.close()
            server.shutdown()


def test_it_answers_by_http_on_one_connection(make: Callable[[], Witness]) -> None:
    tree = history(9)
    with served(make()) as office:
        for path, body, status in (
            ("/add-checkpoint", offer(tree, 0, 5), 200),
            ("/add-checkpoint", offer(tree, 0, 9), 409),
            ("/add-checkpoint", offer(tree, 5, 9), 200),
            ("/elsewhere", offer(tree, 9, 9), 404),
            ("/add-checkpoint", b"?" * 70_000, 400),
        ):
            office.request("POST", path, body)
            answer = office.getresponse()
            told = answer.read().decode()
            assert answer.status == status, told
        office.request("GET", "/add-checkpoint")
        assert office.getresponse().status == 501


def is_ended(client: socket.socket) -> bool:
    try:
        return client.recv(1000) == b""
    except ConnectionError:
        return True


@pytest.mark.parametrize("sent", [b"", b"POST /add-checkpoint HTTP/1.1\r\nContent-Length: 60000\r\n\r\n"])
def test_whoever_sends_little_by_little_is_not_waited_for_beyond_the_deadline(
    sent: bytes, make: Callable[[], Witness], capfd: pytest.CaptureFixture[str]
) -> None:
    with served(make(), seconds=0.1) as office:
        with socket.create_connection((office.host, office.port)) as slow:
            slow.settimeout(0.01)
            slow.sendall(sent)
            for _ in range(3000):  # never silent for long
                try:
                    slow.sendall(b"x")
                    assert is_ended(slow)
                    break
                except TimeoutError:
                    continue
                except ConnectionError:
                    break
            else:
                pytest.fail("the connection goes on")
        office.request("POST", "/add-checkpoint", offer(history(9), 0, 5))
        assert office.getresponse().status == 200
    assert "Traceback" not in capfd.readouterr().err


def test_one_connection_too_many_ends_the_one_that_waits_longest(make: Callable[[], Witness]) -> None:
    with served(make(), seconds=60, most_connections=3) as office:

        def ask(connection: http.client.HTTPConnection) -> int:
            connection.request("POST", "/elsewhere", b"")
            answer = connection.getresponse()
            answer.read()
            return answer.status

        waiting = [http.client.HTTPConnection(office.host, office.port, timeout=30) for _ in range(3)]
        for each in waiting:
            each.connect()
        assert [ask(waiting[0]), ask(waiting[0])] == [404, 404]  # and so the second waits longest
        office.request("POST", "/add-checkpoint", offer(history(9), 0, 5))
        assert office.getresponse().status == 200
        assert is_ended(waiting[1].sock)
        assert [ask(waiting[0]), ask(waiting[2])] == [404, 404]
        for each in waiting:
            each.close()


# ---------------------------------------------------------------- the command


def test_a_key_is_made_once_and_none_is_served_without(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    serve = ["serve", "--log", str(OFFICE.key), "--folder", str(folder), "--port", "0"]
    assert witness.main(serve) == 2
    assert "witness key NAME" in capsys.readouterr().err
    for name in ("witness.example.org/w1", "another"):
        assert witness.main(["key", name, "--folder", str(folder)]) == 0
        key = transparency_log.parse_key(capsys.readouterr().out.strip())
        assert (key.name, key.kind) == ("witness.example.org/w1", transparency_log.COSIGNATURE)
    assert (folder / "witness.key").stat().st_mode & 0o077 == 0
    assert witness.main([*serve, "--log", "no-such-file"]) == 2
    assert witness.main(["key", "a name", "--folder", str(folder / "other")]) == 2
