"""The witnesses of an office's log: which it names, and how each new checkpoint is offered to them (C2SP's
tlog-witness) and their signatures are kept. A demo has one of its own, which the worker plays: it shows how
it is done, and proves nothing.
"""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import partial
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from pathlib import Path
from urllib.parse import urlsplit

import structlog
from django.conf import settings
from django.core.cache import cache
from django.db import transaction
from django.utils.translation import gettext as _

from players.models import Federation, Ledger, User
from players.record import Refused, decide, lock_ledger
from players.settings import today
from ratings import transparency_log
from ratings.models import Checkpoint, Cosignature, LogKey
from ratings.signing import RootHashes, find_newest_key, take_cosignature
from ratings.witness import (
    CALL,
    MOST_BYTES,
    SIZE,
    TEXT,
    Answer,
    Witness,
    format_request,
    get_or_create_signer,
)

log = structlog.get_logger("ratings.witnesses")


# ---- Which witnesses an office names, and who signed
@dataclass(frozen=True, slots=True)
class NamedWitness:
    """A witness to whom an office offers its checkpoints."""

    vkey: str
    url: str
    """The address before `/add-checkpoint`; empty for a demo's own, which proves nothing."""

    @property
    def name(self) -> str:
        return transparency_log.parse_key(self.vkey).name


def list_witnesses(federation: Federation) -> list[NamedWitness]:
    return [NamedWitness(vkey, url) for vkey, url in federation.settings.get("witnesses", {}).items()]


def find_signature(federation: Federation, vkey: str, *, origin: str, line: int = 0) -> Cosignature | None:
    """The first signature of a witness under a checkpoint of the log `origin` that covers a line of the
    journal; without a line its newest.
    """
    signed = Cosignature.objects.filter(checkpoint__federation=federation, checkpoint__key__origin=origin)
    signed = signed.filter(vkey=vkey, checkpoint__size__gte=line).select_related("checkpoint")
    return signed.order_by("checkpoint__size" if line else "-checkpoint__size", "pk").first()


@transaction.atomic
def name_witness(*, federation: Federation, vkey: str, url: str, by: User | None, on: date) -> None:
    """Offer checkpoints from now on to the witness with key `vkey` at `url`. Raises `Refused` for anything
    but the key of a witness, and an address of https or on this machine.
    """
    try:
        kind, address = transparency_log.parse_key(vkey).kind, urlsplit(url)
        is_near = address.hostname in ("localhost", "127.0.0.1", "::1")
    except ValueError as wrong:
        raise Refused(str(wrong)) from None
    if kind != transparency_log.COSIGNATURE:
        raise Refused(_("That is the key of an office. A witness prints its own with “witness key”."))
    if not address.hostname or not (address.scheme == "https" or (address.scheme == "http" and is_near)):
        raise Refused(_("The address of a witness begins with https://."))
    _change_witnesses(federation, vkey, url.rstrip("/"), by, on)


@transaction.atomic
def drop_witness(*, federation: Federation, vkey: str, by: User | None, on: date) -> None:
    """Offer nothing more to the witness with that key. Raises `Refused` where it is not named."""
    if vkey not in federation.settings.get("witnesses", {}):
        raise Refused(_("This office names no witness with that key."))
    _change_witnesses(federation, vkey, None, by, on)


def _change_witnesses(federation: Federation, vkey: str, url: str | None, by: User | None, on: date) -> None:
    lock_ledger(federation)
    federation.refresh_from_db(fields=["settings"])
    named = {key: there for key, there in federation.settings.get("witnesses", {}).items() if key != vkey}
    if url is not None:
        named[vkey] = url
    federation.settings = {**federation.settings, "witnesses": named}
    federation.save(update_fields=["settings"])
    kind = "drop-witness" if url is None else "name-witness"
    decide(federation, kind=kind, by=by, on=on, about="settings", vkey=vkey, url=url or "")


# ---- Offering checkpoints
SECONDS = 10.0
"""The longest that a witness may take for one answer."""
LEASE_SECONDS = 300
"""After so long another worker may offer an office's checkpoints, if this one was killed."""
FIRST_PAUSE, LONGEST_PAUSE = timedelta(minutes=1), timedelta(hours=1)
"""Before a witness that did not sign is asked again; each time doubles the pause."""
Send = Callable[[bytes], Answer]


class Unwitnessed(Exception):
    """Raised where a witness answered and did not sign. `forked`: because it has seen another history."""

    def __init__(self, answer: Answer, *, forked: bool) -> None:
        super().__init__(f"{answer.status} {answer.body.strip()[:500]}")
        self.forked = forked


def has_due_offers(federation: Federation, at: datetime) -> bool:
    """Whether a witness elsewhere can be asked now for a checkpoint that it has not signed. None is while an
    office that was put back is held: its record may be behind what they saw.
    """
    held = Ledger.objects.filter(federation=federation, held=True)
    return not held.exists() and any(True for _witness in _witnesses_to_ask(federation, at))


def offer_due_checkpoints(federation: Federation, at: datetime) -> None:
    """Offer what is due to each witness elsewhere, unless another worker does. One that does not sign is left
    alone for a while, and keeps nothing from being signed or published.
    """
    lease = f"witnesses-{federation.pk}"
    if not cache.add(lease, True, LEASE_SECONDS):
        return
    try:
        for witness in list(_witnesses_to_ask(federation, at)):
            pause = _pause_key(federation, witness)
            try:
                offer_checkpoints(federation, witness, partial(post, f"{witness.url}{CALL}"), at)
                cache.delete(pause)
            except (Unwitnessed, Refused, OSError, HTTPException, ValueError) as failure:
                failures = cache.get(pause, (0, at))[0] + 1
                wait = min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** min(failures - 1, 10))
                cache.set(pause, (failures, at + wait), 2 * wait.total_seconds())
                forked = isinstance(failure, Unwitnessed) and failure.forked
                (log.error if forked else log.warning)(
                    "a witness did not sign our checkpoint",
                    office=federation.code,
                    witness=witness.name,
                    forked=forked,
                    answer=str(failure) or type(failure).__name__,
                )
    finally:
        cache.delete(lease)


def _pause_key(federation: Federation, witness: NamedWitness) -> str:
    return f"witness-{federation.pk}-{transparency_log.parse_key(witness.vkey).public.hex()}"


def _witnesses_to_ask(federation: Federation, at: datetime) -> Iterator[NamedWitness]:
    """Yield the witnesses elsewhere who have something to sign, and do not have to be left alone."""
    for witness in filter(lambda each: each.url, list_witnesses(federation)):
        _failures, until = cache.get(_pause_key(federation, witness), (0, at))
        if until <= at and _due_checkpoints(federation, witness):
            yield witness


def _due_checkpoints(federation: Federation, witness: NamedWitness) -> list[Checkpoint]:
    """The checkpoints to offer to a witness, by size: those after the last it signed, at first the newest."""
    key = find_newest_key(federation)
    if key is None:
        return []
    ours = Checkpoint.objects.of(federation).filter(key__origin=key.origin).order_by("size", "number")
    signed = find_signature(federation, witness.vkey, origin=key.origin)
    return list(ours.filter(size__gt=signed.checkpoint.size)) if signed else list(ours.reverse()[:1])


def offer_checkpoints(federation: Federation, witness: NamedWitness, send: Send, at: datetime) -> None:
    """Offer a witness each checkpoint that is due, and keep what it signs. Raises `Unwitnessed` where it
    refuses, ValueError or `Refused` where its answer is none of its kind, and what `send` raises.
    """
    due = _due_checkpoints(federation, witness)
    if not due:
        return
    last = find_signature(federation, witness.vkey, origin=due[-1].key.origin)
    old, roots = last.checkpoint.size if last else 0, RootHashes(federation, due[-1].size)
    for checkpoint in due:
        answer = send(format_request(old, roots.consistency_proof(old, checkpoint.size), checkpoint.note))
        if answer.status == HTTPStatus.CONFLICT and answer.media_type == SIZE and old != int(answer.body):
            # It remembers another checkpoint: one under which its signature was lost on the way to us.
            old = int(answer.body)
            if old > checkpoint.size and checkpoint != due[-1]:
                continue
            if old <= checkpoint.size:
                proof = roots.consistency_proof(old, checkpoint.size)
                answer = send(format_request(old, proof, checkpoint.note))
        if answer.status != HTTPStatus.OK:
            forked = answer.status in (HTTPStatus.CONFLICT, HTTPStatus.UNPROCESSABLE_ENTITY)
            raise Unwitnessed(answer, forked=forked)
        note, on = checkpoint.note + answer.body, today(federation)
        take_cosignature(federation=federation, note=note, vkey=witness.vkey, by=None, on=on, at=at)
        old = checkpoint.size


def post(url: str, body: bytes) -> Answer:
    """Post to a witness; raises OSError or HTTPException where no whole answer comes in `SECONDS`."""
    address = urlsplit(url)
    kind = HTTPSConnection if address.scheme == "https" else HTTPConnection
    connection = kind(address.netloc, timeout=SECONDS)
    connection.connect()
    # The connection's own limit is for each piece of an answer.
    alarm = threading.Timer(SECONDS, partial(_cut, connection.sock))
    alarm.start()
    try:
        connection.request("POST", address.path, body, {"Content-Type": TEXT})
        answer = connection.getresponse()
        content = answer.read(MOST_BYTES).decode()
        if answer.length:
            raise HTTPException(f"no whole answer of {MOST_BYTES} bytes in {SECONDS:.0f} seconds")
        return Answer(answer.status, content, answer.headers.get("Content-Type", TEXT))
    finally:
        alarm.cancel()
        connection.close()


def _cut(connection: socket.socket) -> None:
    with suppress(OSError):  # it is closed already
        connection.shutdown(socket.SHUT_RDWR)


# ---- A demo's own witness
def offer_to_own_witness(federation: Federation, at: datetime) -> None:
    """Play a demo's witness, which the office names if it did not yet. It remembers an office by its first
    key: a demo that is made again begins another history under the same origin. Raises as
    `offer_checkpoints` does.
    """
    keys = [each.key for each in LogKey.objects.filter(federation=federation).order_by("number")]
    if not keys:
        return
    place = Path(settings.KEYS_DIR) / "witness"
    signer = get_or_create_signer(place, f"{settings.SITE_HOST}/witness")
    own = NamedWitness(str(signer.witness_key), url="")
    if own not in list_witnesses(federation):
        with transaction.atomic():
            for another in list_witnesses(federation):
                if not another.url:  # of the site from which this office moved here
                    _change_witnesses(federation, another.vkey, None, None, today(federation))
            _change_witnesses(federation, own.vkey, own.url, None, today(federation))
    folder = place / f"{federation.code}-{keys[0].id.hex()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    witness = Witness(folder, signer, keys)
    offer_checkpoints(federation, own, partial(witness.add_checkpoint, at=int(at.timestamp())), at)
