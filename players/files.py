"""Uploaded files that prove a correction or a transfer, and the limits on the bytes that an office keeps.

Proofs are identity documents and certificates, and never public. Their kind is told by their own bytes, never
by their name, and the name that they came with is not kept. The office does not open a file: it keeps the
bytes, and hands them out as they came, to be saved.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from django.apps import apps
from django.db import models
from django.db.models import Sum
from django.db.models.functions import Coalesce, Length
from django.template.defaultfilters import filesizeformat
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

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
from players.settings import settings_of

# ---- Files that an office keeps as rows: how many bytes there are, of how many that may be kept.
#
# Whoever stores bytes holds the ledger's lock from before it asks here: two uploads at once cannot pass a
# limit together.
MEGABYTE = 1024 * 1024


def let_go_words(row: KeepsBytes) -> str:
    """Say when and why a row's bytes were deleted; empty if they are there."""
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
class StorageUse:
    """Bytes kept for a region or for a whole office, and the most that may be."""

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
    """A refusal of bytes beyond what a region or an office may keep; `params` fill the stored reason."""

    def __init__(self, use: StorageUse, more: int) -> None:
        self.params = {**use.in_words, "more": filesizeformat(more)}
        words = OF_REGION if use.of_region else OF_OFFICE
        super().__init__(_(words) % self.params)


OF_REGION = gettext_noop(
    "There is no room for this file (%(more)s): of the %(most)s of files that may be kept for %(holder)s, "
    "%(used)s are in use. Nothing was stored. Remove files of sections and ZIP archives that you do not "
    "need, or ask the office for more room."
)
OF_OFFICE = gettext_noop(
    "There is no room for this file (%(more)s): of the %(most)s of files that this office may keep, "
    "%(used)s are in use. Nothing was stored. An administrator of the office can raise the limit in the "
    "settings."
)


def use_of_office(federation: Federation) -> StorageUse:
    most = settings_of(federation).office_megabytes * MEGABYTE
    return StorageUse(federation.name, _kept(federation), most)


def use_of_region(region: Region) -> StorageUse:
    most = settings_of(region.federation).region_megabytes * MEGABYTE
    return StorageUse(region.name, _kept(region.federation, region), most, of_region=True)


def refuse_beyond_room(more: int, federation: Federation, region: Region | None = None) -> None:
    """Raise `NoRoom` if so many more bytes are more than the region, or the office, may keep.

    The caller holds the ledger's lock.
    """
    uses = ([use_of_region(region)] if region else []) + [use_of_office(federation)]
    for use in uses:
        if more > use.left:
            raise NoRoom(use, more)


def _kept(federation: Federation, region: Region | None = None) -> int:
    """The bytes kept in all tables of files of an office, or of one region's events alone."""
    total = 0
    for model in apps.get_models():
        if issubclass(model, KeepsBytes) and (region is None or model.to_region):
            where = {model.to_federation: federation} | ({model.to_region: region} if region else {})
            rows = model._default_manager.filter(**where).order_by()
            lengths = (Coalesce(Length(column), 0) for column in model.byte_columns)
            total += rows.aggregate(total=Sum(sum(lengths, start=models.Value(0))))["total"] or 0
    return total


# ---- Proofs.
MOST_BYTES = 5 * 1024 * 1024
PNG = b"\x89PNG\r\n\x1a\n"
TAIL = 1024
"""The last bytes of a PDF among which its end is marked, as readers look for it."""


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
        raise Refused(_("The file is empty. Choose it again."))
    if len(data) > MOST_BYTES:
        raise Refused(_("The file is larger than 5 MB, the most that a proof may have."))
    kind = kind_of(data)
    if kind is None:
        raise Refused(_("The file is no PDF, JPEG or PNG, whatever its name says. Choose another."))
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


def plain_name(name: str) -> str:
    """A stranger's file name fit to be shown: without folders and invisible characters."""
    bare = unicodedata.normalize("NFC", name).replace("\\", "/").rpartition("/")[2]
    return "".join(c for c in bare if c.isprintable()).strip()[:200] or _("file")
