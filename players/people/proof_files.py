"""Files that prove a correction or a transfer: identity documents, certificates. Never public.

What a file is its own bytes tell, never its name, and the name that it came with is not kept. The office does
not open it: it keeps the bytes, and hands them out as they came, to be saved.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from django.db import models
from django.utils.translation import gettext as now
from django.utils.translation import gettext_lazy as _

from players.office.decision_record import Refused, decide
from players.office.models import Decision, Federation, Region, User
from players.office.stored_bytes import KeepsBytes, LetGoReason, refuse_beyond_room
from players.people.models import Transfer
from players.register.models import Player

MOST_BYTES = 5 * 1024 * 1024
PNG = b"\x89PNG\r\n\x1a\n"
TAIL = 1024
"""The last bytes of a PDF among which its end is marked, as readers look for it."""


class ProofFile(KeepsBytes):
    """A file that proves a correction, or for what a transfer is asked."""

    class Kind(models.TextChoices):
        PDF = "pdf", _("PDF")
        JPEG = "jpg", _("JPEG")
        PNG = "png", _("PNG")

    to_region = "region"
    federation = models.ForeignKey(Federation, on_delete=models.PROTECT, related_name="proof_files")
    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="proof_files")
    region = models.ForeignKey(Region, on_delete=models.PROTECT, null=True, related_name="+")
    """The region that attached it; None: an official did."""
    transfer = models.ForeignKey(Transfer, on_delete=models.PROTECT, null=True, related_name="proof_files")
    decision = models.PositiveBigIntegerField()
    """The number of the decision that it proves, which names its SHA-256."""
    by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    on = models.DateField()
    name = models.CharField(max_length=60)
    """The name under which it is handed out: the office's own."""
    kind = models.CharField(max_length=3, choices=Kind.choices)
    size = models.PositiveIntegerField()
    sha256 = models.CharField(max_length=64)
    content = models.BinaryField(null=True)
    """The bytes as they came; None once they were let go."""

    class Meta:
        ordering = ("pk",)

    def __str__(self) -> str:
        return self.name


CONTENT_TYPES = {
    ProofFile.Kind.PDF: "application/pdf",
    ProofFile.Kind.JPEG: "image/jpeg",
    ProofFile.Kind.PNG: "image/png",
}


@dataclass(frozen=True, slots=True)
class ProofBytes:
    """Bytes that are fit to be kept as a proof."""

    data: bytes
    kind: str

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.data).hexdigest()


def proof_of(data: bytes) -> ProofBytes:
    """The bytes as a proof; raise `Refused` where they are empty, too many, or no PDF, JPEG or PNG."""
    if not data:
        raise Refused(now("The file is empty. Choose it again."))
    if len(data) > MOST_BYTES:
        raise Refused(now("The file is larger than 5 MB, the most that a proof may have."))
    kind = kind_of(data)
    if kind is None:
        raise Refused(now("The file is no PDF, JPEG or PNG, whatever its name says. Choose another."))
    return ProofBytes(data, kind)


def kind_of(data: bytes) -> ProofFile.Kind | None:
    """The kind of file that the bytes are, by how they begin and end; None: none that is kept."""
    if data.startswith(b"%PDF-") and b"%%EOF" in data[-TAIL:]:
        return ProofFile.Kind.PDF
    if data.startswith(b"\xff\xd8\xff") and b"\xff\xd9" in data[3:]:
        return ProofFile.Kind.JPEG
    return ProofFile.Kind.PNG if _is_png(data) else None


def _is_png(data: bytes) -> bool:
    """Whether the bytes are a PNG: its header first, then whole chunks, the last of which ends it."""
    if not data.startswith(PNG + b"\0\0\0\rIHDR"):
        return False
    at = len(PNG)
    while at + 12 <= len(data):
        length, name = int.from_bytes(data[at : at + 4], "big"), data[at + 4 : at + 8]
        at += 12 + length
        if name == b"IEND":
            return at == len(data)
    return False


def keep_proof(
    *,
    proof: ProofBytes,
    player: Player,
    decision: Decision,
    region: Region | None = None,
    transfer: Transfer | None = None,
) -> ProofFile:
    """Keep a file with the decision that it proves; the caller holds the ledger's lock, and the decision
    names the file's SHA-256. Raises `NoRoom` where the region, or the office, may keep no more.
    """
    refuse_beyond_room(len(proof.data), player.federation, region)
    return ProofFile.objects.create(
        federation=player.federation,
        player=player,
        region=region,
        transfer=transfer,
        decision=decision.number,
        by=decision.by,
        on=decision.on,
        name=f"proof-{player.number}-{decision.number}.{proof.kind}",
        kind=proof.kind,
        size=len(proof.data),
        sha256=proof.sha256,
        content=proof.data,
    )


def let_proofs_go(federation: Federation, players: Sequence[Player], by: User | None, on: date) -> None:
    """Delete the bytes of all proofs about these players, whose names are deleted, and record that."""
    rows = ProofFile.objects.filter(federation=federation, player__in=players, content__isnull=False)
    hashes = sorted(rows.values_list("sha256", flat=True))
    if not hashes:
        return
    rows.update(content=None, let_go_on=on, let_go_because=LetGoReason.FORGOTTEN)
    told = {"number": len(hashes), "sha256": {str(LetGoReason.FORGOTTEN): hashes}}
    decide(federation, kind="let-go", by=by, on=on, about="files", **told)
