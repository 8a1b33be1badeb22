"""Archives of invented offices to which everything happened, each made once, and what is altered in one."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from datetime import date
from hashlib import sha256
from pathlib import Path

from django.db import transaction
from django.test import override_settings
from django.utils import timezone

from players.models import Federation, Player, User
from players.record import Refused
from ratings import approval, publication
from ratings.demo import office as making
from ratings.merging import merge_players, shared_sections
from ratings.models import RatingList
from ratings.moving import export_office
from ratings.people import correct_player
from ratings.recompute import recompute
from ratings.rulesets import rulesets
from ratings.rulesets.demo import months_before
from ratings.signing import sign_due_checkpoints
from tournaments.models import Section

TODAY = date(2026, 8, 14)
SCALES = {"csa": (0.01, 3)}
"""The share of a demo's people, and the months of its record; elsewhere a tenth and nine."""


def archive_of(slug: str, folder: Path) -> Path:
    """Make an office, do to it what is done to real ones, write its archive, and take the office back."""
    scale, months = SCALES.get(slug, (0.1, 9))
    path = folder / f"{slug}.zip"
    start = months_before(months)(TODAY)
    with override_settings(VAR=folder, KEYS_DIR=folder / "keys"), transaction.atomic():
        office = making.make_office(
            rulesets()[slug], today=TODAY, seed=1, scale=scale, start=start, say=lambda words: None
        )
        happen(office)
        export_office(office, path)
        transaction.set_rollback(True)
    return path


def happen(office: Federation) -> None:
    """Merge two, withhold a child, un-rate a section, publish a list again, and sign it all."""
    played = list(Player.objects.filter(federation=office, changes__isnull=False).distinct().order_by("pk"))
    by = User.objects.filter(appointments__federation=office, appointments__role="official")[0]
    into, player = next(
        (one, other) for one in played for other in played if one != other and not shared_sections(other, one)
    )
    merge_players(player=player, into=into, by=by, on=TODAY, reason="Both cards show one person.")
    played[-1].refresh_from_db()
    correct_player(player=played[-1], by=by, on=TODAY, reason="Her parents ask.", withheld=True)
    recompute(office)
    section = Section.objects.filter(event__federation=office, stage="rated").order_by("event__ends")[0]
    approval.unrate(
        section=section,
        by=by,
        on=TODAY,
        version=section.version,
        reason="result",
        words="Two results were exchanged.",
        after_list=True,
    )
    recompute(office)
    revise(office, by)
    sign_due_checkpoints(office, at=timezone.now())


def revise(office: Federation, by: User) -> None:
    """Publish the newest list anew that the un-rating changed; in some offices none."""
    for day in RatingList.objects.of(office).order_by("-on").values_list("on", flat=True).distinct():
        try:
            publication.revise_list(
                federation=office, list_day=day, by=by, on=TODAY, note="Results were exchanged."
            )
        except Refused:
            continue
        recompute(office)
        return


def altered(
    archive: Path, member: str, change: Callable[[bytes], bytes], *, manifest_too: bool = False
) -> Path:
    """Copy an archive with one member altered; `manifest_too`: by somebody who writes the manifest anew."""
    path = archive.with_name(f"altered-{archive.name}")
    with zipfile.ZipFile(archive) as before, zipfile.ZipFile(path, "w") as after:
        contents = {name: before.read(name) for name in before.namelist()}
        contents[member] = change(contents[member])
        if manifest_too:
            told = json.loads(contents["manifest.json"])
            told["members"][member] = sha256(contents[member]).hexdigest()
            contents["manifest.json"] = json.dumps(told).encode()
        for name, content in contents.items():
            after.writestr(name, content)
    return path
