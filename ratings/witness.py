"""A witness of journals' logs by Python alone, as C2SP's tlog-witness describes one.

    python -m ratings.witness key NAME [--folder FOLDER]
    python -m ratings.witness serve --log VKEY [--log VKEY ...] [--folder FOLDER] [--address IP] [--port PORT]

It remembers the newest checkpoint of each log, and signs one that continues it (`POST /add-checkpoint`). So a
log cannot show it one history and others another: whoever looks for its signature notices. Its folder holds
its private key and what it remembers; both are lost together or not at all.
"""

import argparse
import base64
import hashlib
import os
import re
import secrets
import socket
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from operator import itemgetter
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any
from urllib.parse import quote

from ratings.transparency_log import (
    EMPTY_ROOT,
    Checkpoint,
    NoteError,
    ProofError,
    SignedNote,
    Signer,
    VerifierKey,
    is_valid_name,
    parse_checkpoint,
    parse_note,
    parse_signer,
    read_checkpoint,
    read_keys,
    verify_consistency,
    verify_note,
)

try:
    import fcntl
except ImportError:  # Windows: there only one process may serve a folder
    fcntl = None  # type: ignore[assignment]

# ---- Requests and answers
CALL = "/add-checkpoint"
MOST_BYTES = 65536
MOST_HASHES = 63
TEXT, SIZE = "text/plain; charset=utf-8", "text/x.tlog.size"


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer of HTTP: with 200 the body has the witness's signature lines, with 409 the size it knows."""

    status: int
    body: str
    media_type: str = TEXT


def format_request(old: int, proof: Sequence[bytes], note: str) -> bytes:
    """The body that offers a checkpoint (`note`), with the proof that it continues one of `old` lines."""
    hashes = "".join(f"{base64.b64encode(hash_).decode()}\n" for hash_ in proof)
    return f"old {old}\n{hashes}\n{note}".encode()


def parse_request(body: bytes) -> tuple[int, list[bytes], SignedNote, Checkpoint]:
    """The old size, the proof and the checkpoint in a request. Raises ValueError for anything else."""
    above, blank, note = body.decode().partition("\n\n")
    first, *lines = above.split("\n")
    old = re.fullmatch(r"old (0|[1-9]\d{0,18})", first, re.ASCII)
    if not old or not blank or len(lines) > MOST_HASHES:
        raise ValueError("a request is a line “old SIZE”, at most 63 hashes, an empty line and a checkpoint")
    proof = [base64.b64decode(line, validate=True) for line in lines]
    if [base64.b64encode(hash_).decode() for hash_ in proof if len(hash_) == 32] != lines:
        raise ValueError("a line of the proof is not a hash of 32 bytes in base64")
    signed = parse_note(note)
    return int(old[1]), proof, signed, parse_checkpoint(signed.text)


# ---- The witness
class Witness:
    """A witness with the key `signer` of the logs of these keys, by origin, which is each key's name.

    In `folder` it keeps a file for each log: its newest checkpoint, and the last request of its that did not
    continue it, which may prove that the log has two histories.
    """

    def __init__(self, folder: Path, signer: Signer, keys: Iterable[VerifierKey]) -> None:
        self.folder, self.signer = folder, signer
        self._keys: dict[str, list[VerifierKey]] = {}
        for key in keys:
            self._keys.setdefault(key.name, []).append(key)

    def add_checkpoint(self, body: bytes, at: int) -> Answer:
        """Answer a request at a time in seconds since 1970: sign and remember, or say what keeps from it."""
        try:
            old, proof, signed, head = parse_request(body)
        except ValueError as wrong:
            return Answer(HTTPStatus.BAD_REQUEST, f"{wrong}\n")
        if head.origin not in self._keys:
            return Answer(HTTPStatus.NOT_FOUND, f"{head.origin} is no log that this witness knows\n")
        try:
            verify_note(signed, self._keys[head.origin])
        except NoteError as wrong:
            return Answer(HTTPStatus.FORBIDDEN, f"{wrong}\n")
        if old > head.size:
            return Answer(HTTPStatus.BAD_REQUEST, "the old size is above the checkpoint's\n")
        with self._lock():
            return self._continue(old, proof, signed, head, body, at)

    def _continue(
        self, old: int, proof: list[bytes], signed: SignedNote, head: Checkpoint, body: bytes, at: int
    ) -> Answer:
        path = self._path(head.origin)
        known = read_checkpoint(path.read_text(encoding="utf-8")) if path.exists() else None
        size, root = (known.size, known.root) if known else (0, EMPTY_ROOT)
        if old != size:
            return Answer(HTTPStatus.CONFLICT, f"{size}\n", SIZE)
        if head.size == size and head.root != root:
            self._keep_refused(path, signed.text, body)
            return Answer(HTTPStatus.CONFLICT, f"{size}\n", SIZE)
        try:
            verify_consistency(size, root, head.size, head.root, proof)
        except ProofError as wrong:
            if head.root != root:
                self._keep_refused(path, signed.text, body)
            return Answer(HTTPStatus.UNPROCESSABLE_ENTITY, f"{wrong}\n")
        cosignature = self.signer.cosign(signed.text, at)
        by_log = (each for each in signed.signatures if any(map(each.made_by, self._keys[head.origin])))
        kept = dict.fromkeys(by_log)  # a line may come twice
        write_file(path, str(SignedNote(signed.text, (*kept, cosignature))).encode())
        return Answer(HTTPStatus.OK, cosignature.line)

    def _keep_refused(self, path: Path, text: str, body: bytes) -> None:
        """Keep the first request with another history: only the log can sign a further text."""
        kept = path.with_suffix(f".{hashlib.sha256(text.encode()).hexdigest()}.refused")
        if not kept.exists():
            write_file(kept, body)

    def _path(self, origin: str) -> Path:
        return self.folder / f"{quote(origin, safe='')}.checkpoint"

    @contextmanager
    def _lock(self) -> Iterator[None]:
        """Keep other threads and processes from comparing and remembering at the same time."""
        with _thread_lock, (self.folder / "lock").open("ab") as file:
            if fcntl is not None:
                fcntl.flock(file, fcntl.LOCK_EX)
            yield


_thread_lock = threading.Lock()


def write_file(path: Path, content: bytes) -> None:
    """Write a private file whole or not at all, on the disk before this returns."""
    with NamedTemporaryFile(dir=path.parent, prefix=".", delete=False) as file:  # only its owner may read it
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(file.name, path)
    with suppress(OSError):  # Windows opens no folders
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def get_or_create_signer(folder: Path, name: str = "") -> Signer:
    """The witness's private key in its folder, made under a name if there is none yet. Raises `NoteError`."""
    path = folder / "witness.key"
    if path.exists():
        return parse_signer(path.read_text(encoding="utf-8"))
    if not is_valid_name(name):
        raise NoteError(f"{folder} holds no key of a witness: make one with “witness key NAME”")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    signer = Signer(name, secrets.token_bytes(32))
    write_file(path, f"{signer.secret()}\n".encode())
    return signer


# ---- The server
class Server(ThreadingHTTPServer):
    """Answers for a witness by HTTP; TLS is the matter of a proxy before it.

    Whoever is slow keeps nobody waiting: a connection has a deadline for each request, and one too many ends
    the one whose deadline is nearest.
    """

    daemon_threads = True
    seconds = 20.0
    """The time for a request, from the end of the one before to the answer."""
    most_connections = 64

    def __init__(self, address: tuple[str, int], witness: Witness) -> None:
        self.witness = witness
        self._deadlines: dict[socket.socket, float] = {}
        super().__init__(address, _Handler)

    def await_request(self, connection: socket.socket) -> None:
        self._deadlines[connection] = time.monotonic() + self.seconds

    def process_request(self, request: Any, client_address: Any) -> None:
        if len(self._deadlines) >= self.most_connections:
            self._end(min([*self._deadlines.items()], key=itemgetter(1))[0])
        self.await_request(request)
        super().process_request(request, client_address)

    def service_actions(self) -> None:
        for connection, deadline in [*self._deadlines.items()]:
            if deadline < time.monotonic():
                self._end(connection)

    def shutdown_request(self, request: Any) -> None:
        self._deadlines.pop(request, None)
        super().shutdown_request(request)

    def _end(self, connection: socket.socket) -> None:
        """End a connection, so that its thread reads no further."""
        self._deadlines.pop(connection, None)
        with suppress(OSError):  # it has just ended by itself
            connection.shutdown(socket.SHUT_RDWR)


class _Handler(BaseHTTPRequestHandler):
    server: Server
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "ratings-witness", ""

    def handle_one_request(self) -> None:
        try:
            super().handle_one_request()
        except ConnectionError:  # the connection was ended
            self.close_connection = True
        self.server.await_request(self.connection)

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        if not re.fullmatch(r"\d{1,9}", length, re.ASCII) or int(length) > MOST_BYTES:
            self.close_connection = True  # its body is not read
            self._send(Answer(HTTPStatus.BAD_REQUEST, f"a request has at most {MOST_BYTES} bytes\n"))
            return
        body = self.rfile.read(int(length))
        if len(body) < int(length):
            self.close_connection = True
            return
        if self.path != CALL:
            self._send(Answer(HTTPStatus.NOT_FOUND, f"a witness answers to POST {CALL}\n"))
            return
        self._send(self.server.witness.add_checkpoint(body, int(time.time())))

    def _send(self, answer: Answer) -> None:
        content = answer.body.encode()
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.media_type)
        self.send_header("Content-Length", str(len(content)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(content)


# ---- The command
def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m ratings.witness", description="Witness the journals of other federations."
    )
    actions = parser.add_subparsers(dest="action", required=True)
    key = actions.add_parser("key", help="make the witness's key, and print what offices need of it")
    key.add_argument("name", metavar="NAME", help="of the witness, such as witness.example.org/w1")
    serve = actions.add_parser("serve", help="answer to offices that offer their checkpoints")
    serve.add_argument(
        "--log", metavar="VKEY", action="append", required=True, help="an office's verifier key, or its file"
    )
    serve.add_argument("--address", default="127.0.0.1", help="to listen at (127.0.0.1)")
    serve.add_argument("--port", type=int, default=8440, help="to listen at (8440)")
    for action in (key, serve):
        action.add_argument("--folder", type=Path, default=Path("witness"), help="what it keeps (witness)")
    given = parser.parse_args(arguments)
    try:
        if given.action == "key":
            print(get_or_create_signer(given.folder, given.name).witness_key)
            return 0
        signer = get_or_create_signer(given.folder)
        keys = [key for argument in given.log for key in read_keys(argument)]
        with Server((given.address, given.port), Witness(given.folder, signer, keys)) as server:
            print(f"{signer.witness_key}\nPOST http://{given.address}:{server.server_port}{CALL}", flush=True)
            with suppress(KeyboardInterrupt):
                server.serve_forever()
    except (NoteError, OSError, OverflowError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
