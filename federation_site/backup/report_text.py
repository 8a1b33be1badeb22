"""Words on a backup for whoever made or restored it."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings

from federation_site.backup.archive import Manifest, OfficeState
from federation_site.backup.making import KEYS, Backup


def backup_words(made: Backup) -> str:
    return f"{made.path}: {made.size / 1e6:.1f} MB, written and read back"


def state_words(office: OfficeState) -> str:
    """A sentence on the lines and decisions that an office had, to compare with its pages or a checkpoint."""
    newest = f", the newest of {office.newest}" if office.newest else ""
    return (
        f"{office.code}: {office.lines} lines{newest}, their head {office.root[:12]}; "
        f"{office.decisions} decisions"
    )


def secrets_words(manifest: Manifest) -> str:
    """Words on which secrets are in a backup, and where those lie that are not."""
    if not manifest.secrets:
        return (
            f"Without secrets: SECRET_KEY and the keys in {settings.KEYS_DIR} are not in it, and without "
            "them no log goes on after a restore. Births, addresses and passwords' hashes are in it."
        )
    signing = [Path(part.name).name for part in manifest.parts if part.name.startswith(KEYS)]
    signing = [name for name in signing if name.endswith(".key")]
    keys = ", ".join(signing) if signing else f"no key, for there is none in {settings.KEYS_DIR}"
    return f"In it are the database, SECRET_KEY, and of the keys that sign: {keys}. Keep it as a secret."
