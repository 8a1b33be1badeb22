"""Uploaded files that prove a correction or a transfer, and the limits on the bytes that an office keeps.

Proofs are identity documents and certificates, and never public. Their kind is determined by their bytes, and
their original name is not kept. They are never opened, and only served as downloads.
"""

import hashlib
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.apps import apps
from django.db import models
from django.db.models import Sum
from django.db.models.functions import Coalesce, Length
from django.template.defaultfilters import filesizeformat
from django.utils.formats import date_format
from django.utils.translation import gettext as _, gettext_noop

from players.models import (
    Decision,
    Federation,
    KeepsBytes,
    LetGoReason,
    Player,
    ProofFile,
    Region,
    Transfer,
    User,
)
from players.record import Refused, decide
from players.settings import get_settings

# ---- Limits on stored bytes
#
# Callers lock the ledger before they ask for the room that is left, so that two uploads at once cannot exceed
# a limit together.
MEGABYTE = 1024 * 1024


def deletion_message(row: KeepsBytes) -> str:
    """When and why a row's bytes were deleted; empty if they were not."""
    if row.let_go_on is None:
        return ""
    words = _(
        "The file itself was deleted on %(day)s, because %(reason)s. Its name, size and SHA-256 are kept."
    )
    return words % {
        "day": date_format(row.let_go_on, "DATE_FORMAT"),
        "reason": row.get_let_go_because_display(),
    }


@dataclass(frozen=True, slots=True)
class RoomUse:
    """The bytes stored for a region or a whole office, and the limit."""

    holder: str
    used: int
    most: int
    of_region: bool = False

    def __str__(self) -> str:
        return _("%(used)s of %(most)s") % self.in_words

    @property
    def in_words(self) -> dict[str, str]:
        return {"holder": self.holder, "used": filesizeformat(self.used), "most": filesizeformat(self.most)}

    @property
    def left(self) -> int:
        return max(0, self.most - self.used)


class NoRoom(Refused):
    """A refusal of bytes beyond the limit of a region or an office; `params` are for the stored reason."""

    def __init__(self, use: RoomUse, more: int) -> None:
        self.params = {**use.in_words, "more": filesizeformat(more)}
        words = REGION_IS_FULL if use.of_region else OFFICE_IS_FULL
        super().__init__(_(words) % self.params)


REGION_IS_FULL = gettext_noop(
    "There is no room for this file (%(more)s): of the %(most)s of files that may be kept for %(holder)s, "
    "%(used)s are in use. Nothing was stored. Remove files of sections and ZIP archives that you do not "
    "need, or ask the office for more room."
)
OFFICE_IS_FULL = gettext_noop(
    "There is no room for this file (%(more)s): of the %(most)s of files that this office may keep, "
    "%(used)s are in use. Nothing was stored. An administrator of the office can raise the limit in the "
    "settings."
)


def office_room_use(federation: Federation) -> RoomUse:
    most = get_settings(federation).office_megabytes * MEGABYTE
    return RoomUse(federation.name, _stored_bytes(federation), most)


def region_room_use(region: Region) -> RoomUse:
    most = get_settings(region.federation).region_megabytes * MEGABYTE
    return RoomUse(region.name, _stored_bytes(region.federation, region), most, of_region=True)


def refuse_beyond_room(more_bytes: int, federation: Federation, region: Region | None = None) -> None:
    """Raise `NoRoom` if so many more bytes exceed the limit of the region or the office."""
    for use in (*([region_room_use(region)] if region else []), office_room_use(federation)):
        if more_bytes > use.left:
            raise NoRoom(use, more_bytes)


def rows_with_bytes(federation: Federation) -> Iterator[tuple[type[KeepsBytes], models.QuerySet[Any]]]:
    """Yield each model whose rows have the bytes of files, or had some, with an office's rows."""
    for model in apps.get_models():
        if issubclass(model, KeepsBytes):
            yield model, model._default_manager.filter(**{model.to_federation: federation}).order_by()


def _stored_bytes(federation: Federation, region: Region | None = None) -> int:
    """The bytes of all files of an office, or of one region's events."""
    total = 0
    for model, rows in rows_with_bytes(federation):
        if region is None or model.to_region:
            rows = rows.filter(**({model.to_region: region} if region else {}))
            lengths = (Coalesce(Length(column), 0) for column in model.byte_columns)
            total += rows.aggregate(total=Sum(sum(lengths, start=models.Value(0))))["total"] or 0
    return total


# ---- Proofs
MOST_PROOF_BYTES = 5 * 1024 * 1024
PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
PDF_TAIL_BYTES = 1024
"""The number of bytes at the end of a PDF among which readers look for its end mark."""
CONTENT_TYPES = {
    ProofFile.Kind.PDF: "application/pdf",
    ProofFile.Kind.JPEG: "image/jpeg",
    ProofFile.Kind.PNG: "image/png",
}


def validate_proof(data: bytes) -> ProofFile:
    """The proof with uploaded bytes, for `save_proof`; raise `Refused` if they are empty, too many, or no
    PDF, JPEG or PNG.
    """
    if not data:
        raise Refused(_("The file is empty. Choose it again."))
    if len(data) > MOST_PROOF_BYTES:
        raise Refused(_("The file is larger than 5 MB, the most that a proof may have."))
    kind = detect_kind(data)
    if kind is None:
        raise Refused(_("The file is no PDF, JPEG or PNG, whatever its name says. Choose another."))
    return ProofFile(kind=kind, size=len(data), sha256=hashlib.sha256(data).hexdigest(), content=data)


def detect_kind(data: bytes) -> ProofFile.Kind | None:
    """The kind of a file by its first and last bytes; None: no kind that is allowed."""
    if data.startswith(b"%PDF-") and b"%%EOF" in data[-PDF_TAIL_BYTES:]:
        return ProofFile.Kind.PDF
    if data.startswith(b"\xff\xd8\xff") and b"\xff\xd9" in data[3:]:
        return ProofFile.Kind.JPEG
    return ProofFile.Kind.PNG if _is_png(data) else None


def _is_png(data: bytes) -> bool:
    """Whether the bytes are a PNG with complete chunks and nothing behind the last."""
    if not data.startswith(PNG_SIGNATURE + b"\0\0\0\rIHDR"):
        return False
    at = len(PNG_SIGNATURE)
    while at + 12 <= len(data):
        length, name = int.from_bytes(data[at : at + 4], "big"), data[at + 4 : at + 8]
        at += 12 + length
        if name == b"IEND":
            return at == len(data)
    return False


def save_proof(
    *,
    proof: ProofFile,
    player: Player,
    decision: Decision,
    region: Region | None = None,
    transfer: Transfer | None = None,
) -> ProofFile:
    """Store a proof of a decision, whose details have the file's SHA-256; the caller has locked the ledger.

    Raises `NoRoom` if the limit of the region or the office is exceeded.
    """
    refuse_beyond_room(proof.size, player.federation, region)
    proof.federation, proof.player, proof.region, proof.transfer = player.federation, player, region, transfer
    proof.decision, proof.by, proof.on = decision.number, decision.by, decision.on
    proof.name = f"proof-{player.number}-{decision.number}.{proof.kind}"
    proof.save(force_insert=True)
    return proof


def delete_proof_bytes(federation: Federation, players: Sequence[Player], by: User | None, on: date) -> None:
    """Delete the bytes of all proofs about players whose names are deleted, and record that."""
    rows = ProofFile.objects.filter(federation=federation, player__in=players, content__isnull=False)
    hashes = sorted(rows.values_list("sha256", flat=True))
    if not hashes:
        return
    rows.update(content=None, let_go_on=on, let_go_because=LetGoReason.FORGOTTEN)
    details = {"number": len(hashes), "sha256": {str(LetGoReason.FORGOTTEN): hashes}}
    decide(federation, kind="let-go", by=by, on=on, about="files", **details)


def clean_file_name(name: str) -> str:
    """An uploaded file's name without folders and invisible characters, for display."""
    bare = unicodedata.normalize("NFC", name).replace("\\", "/").rpartition("/")[2]
    return "".join(c for c in bare if c.isprintable()).strip()[:200] or _("file")
