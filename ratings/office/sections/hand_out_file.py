"""Opens filed files."""

from __future__ import annotations

from datetime import date
from io import BytesIO

from django.db import transaction

from players.office.models import User
from players.office.record import decide
from tournaments.events.file_models import Upload


@transaction.atomic
def open_upload(*, upload: Upload, by: User, on: date) -> BytesIO:
    """The bytes as they came; the record keeps who took them."""
    decide(
        upload.federation,
        kind="open-file",
        by=by,
        on=on,
        about=f"section {upload.section.key}",
        sha256=upload.sha256,
    )
    return BytesIO(bytes(upload.content or b""))
