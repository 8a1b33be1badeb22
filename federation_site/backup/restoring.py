"""Puts an office back from a backup: checked first, whole or not at all, and never two histories of a log."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.sessions.models import Session
from django.core.cache import caches
from django.core.management import call_command
from django.db import DatabaseError, connection, transaction
from django.db.migrations.loader import MigrationLoader
from django.db.models import Exists, OuterRef

from federation_site.backup import archive, database_copy
from federation_site.backup.archive import Manifest
from federation_site.backup.making import KEYS, SECRET_KEY
from federation_site.processes.models import Message
from players.office.models import Federation, Ledger, User
from ratings.proof.log import checkpoints
from ratings.signing.models import LogKey
from ratings.storage.atomic_file import whole_file
from ratings.storage.unfinished import unfinished_folder

Say = Callable[[str], object]


class CannotRestore(Exception):
    """A refusal to restore a backup that does not fit here; the message says why. Nothing was changed."""


def restore(path: Path, *, replace: bool, now: datetime, say: Say) -> Manifest:
    """Put the database and the keys of a backup in their places, and migrate up if it is older.

    Raises `Damaged`, `CannotRestore` or `CannotCopy`: then whatever was here is as it was.
    """
    manifest = archive.checked(path)
    part = database_copy.PART[manifest.vendor]
    refuse_unfit(manifest, replace=replace)
    empty = not what_is_here()
    with unfinished_folder(_scratch()) as scratch:
        copy = scratch / part
        archive.extract(path, part, copy)
        if words := database_copy.journals_of_another_form(copy):
            raise CannotRestore(words)
        if manifest.vendor == "sqlite":
            aside = database_copy.sqlite_file().with_name(f"before-restore-{now:%Y-%m-%dT%H%M%SZ}.sqlite3")
            database_copy.put_back_sqlite(copy, aside)
            if empty:
                aside.unlink(missing_ok=True)
            elif aside.exists():
                say(f"What was here before lies in {aside}: delete it when all is well.")
        else:
            database_copy.put_back_postgresql(copy)
    call_command("migrate", verbosity=0, interactive=False)
    call_command("createcachetable", verbosity=0)
    hold(now)
    put_back_keys(path, manifest, say)
    put_back_secret_key(path, manifest, say)
    if database_copy.states_of(database_copy.selected) != manifest.offices:
        raise CannotRestore("What was restored is not what the backup's manifest says.")
    return manifest


def _scratch() -> Path | None:
    """The folder in which a backup is unpacked: that of SQLite's file, so that a rename puts the copy in its
    place; None for the machine's own.
    """
    if connection.vendor != "sqlite":
        return None
    folder = database_copy.sqlite_file().parent
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder


# ---------------------------------------------------------------- what does not fit


def refuse_unfit(manifest: Manifest, *, replace: bool) -> None:
    """Raise `CannotRestore` for another kind of database, a newer schema, or an office that is here."""
    if manifest.vendor != connection.vendor:
        raise CannotRestore(
            f"This backup is of {manifest.vendor}, and DATABASE_URL names {connection.vendor}. "
            "Restore it into a database of its own kind."
        )
    loader = MigrationLoader(None)
    known = {f"{app}.{name}" for app, name in (*loader.disk_migrations, *_replaced(loader))}
    if newer := sorted(set(manifest.migrations) - known):
        raise CannotRestore(
            f"This backup was made by version {manifest.version}, which is newer: it knows {newer[0]}. "
            "Install that version and restore with it."
        )
    if not replace and (here := what_is_here()):
        raise CannotRestore(
            f"{here} Say --replace to put the backup in its place; make a backup of what is here first."
        )


def _replaced(loader: MigrationLoader) -> list[tuple[str, str]]:
    return [key for migration in loader.disk_migrations.values() for key in migration.replaces]


def what_is_here() -> str:
    """A sentence on the office that is in the database already; empty where there is none."""
    if connection.vendor == "sqlite" and not database_copy.sqlite_file().exists():
        return ""
    try:
        tables = connection.introspection.table_names()
        if Federation._meta.db_table not in tables:
            return ""
        codes = list(Federation.objects.values_list("code", flat=True))
        people = User.objects.count()
    except DatabaseError:
        return "There is a database here already, and it cannot be read."
    if not codes and not people:
        return ""
    return f"There is an office here already: {', '.join(codes) or 'none'}, with {people} people who sign in."


# ---------------------------------------------------------------- after it is in place


@transaction.atomic
def hold(now: datetime) -> None:
    """Sign everybody out, and hold each office that signs its journal: it decides nothing until its operator
    has said what was signed after the backup.
    """
    keys = LogKey.objects.filter(federation=OuterRef("federation"))
    Ledger.objects.update(restored_at=now)
    Ledger.objects.filter(Exists(keys)).update(held=True)
    UserSession.objects.all().delete()
    Session.objects.all().delete()
    Message.objects.all().delete()
    for each in caches.all():
        each.clear()


def put_back_keys(path: Path, manifest: Manifest, say: Say) -> None:
    """Write a backup's signing keys and checkpoints into KEYS_DIR.

    A key that is there already stays; of two checkpoints, the one of more lines.
    """
    folder = Path(settings.KEYS_DIR)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    for part in manifest.parts:
        if not part.name.startswith(KEYS):
            continue
        target, text = folder / Path(part.name).name, archive.text_of(path, part.name)
        if target.exists() and target.suffix == ".key" and target.read_text() != text:
            say(f"{target} is another key than the backup's, and stays.")
        if not target.exists() or _continues(text, target.read_text()):
            with whole_file(target) as file:
                file.write(text.encode())


def _continues(text: str, here: str) -> bool:
    """Whether the checkpoint `text` is of the same log as the checkpoint `here`, and covers more lines."""
    try:
        new, old = checkpoints.read_checkpoint(text), checkpoints.read_checkpoint(here)
    except ValueError:
        return False
    return new.origin == old.origin and new.size > old.size


def put_back_secret_key(path: Path, manifest: Manifest, say: Say) -> None:
    """Write the secret key into its file; where SECRET_KEY is set, say whether it is the backup's."""
    if manifest.part(SECRET_KEY) is None:
        return
    text = archive.text_of(path, SECRET_KEY)
    if not os.environ.get("SECRET_KEY"):
        with whole_file(settings.VAR / "secret_key") as file:
            file.write(text.encode())
    elif text not in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS):
        say(
            "SECRET_KEY is another than in the backup, by which second factors are read and links hold. "
            f"Put that one (unzip -p FILE {SECRET_KEY}) into SECRET_KEY, or into SECRET_KEY_FALLBACKS."
        )
