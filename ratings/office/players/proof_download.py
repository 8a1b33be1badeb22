"""Hands a file that proves a correction or a transfer to whoever may see it, and records who took it."""

from __future__ import annotations

from datetime import date
from io import BytesIO

from django.db import transaction
from django.http import FileResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from players.office.access import OfficeRequest, Permission, permitted
from players.office.decision_record import decide
from players.office.models import User
from players.office.settings_schema import today
from players.office.stored_bytes import let_go_words
from players.people.proof_files import CONTENT_TYPES, ProofFile
from ratings.office.players.transfers import proofs_for


@transaction.atomic
def open_proof(*, proof: ProofFile, by: User, on: date) -> BytesIO:
    """The bytes as they came; the record keeps who took them."""
    about = f"player {proof.player.number}"
    decide(proof.federation, kind="open-proof", by=by, on=on, about=about, sha256=proof.sha256)
    return BytesIO(bytes(proof.content or b""))


@permitted(Permission.PLAYERS_TRANSFER)
@never_cache
@require_POST
def proof_file(request: OfficeRequest, key: int) -> HttpResponseBase:
    """Download of a proof: for officials, and for the region that attached it to a transfer."""
    found = proofs_for(request).select_related("player", "federation")
    proof = get_object_or_404(found, pk=key)
    if proof.content is None:
        words = let_go_words(proof) or _("The file itself is no longer here.")
        return render(request, "410.html", {"words": words}, status=410)
    response = FileResponse(
        open_proof(proof=proof, by=request.user, on=today(request.office)),
        as_attachment=True,
        filename=proof.name,
        content_type=CONTENT_TYPES[ProofFile.Kind(proof.kind)],
    )
    response["Content-Security-Policy"] = "sandbox; default-src 'none'"
    return response
