from typing import Any

from django.conf import settings
from django.core.management import CommandError
from django.core.management.commands import migrate
from django.db import ProgrammingError, connection

from federation_site.database import as_owner, grant_to_application
from players.record import restore_triggers


class Command(migrate.Command):
    """Django's `migrate`, which also makes the folder for the office's files and restores missing triggers.

    With DATABASE_OWNER_URL it works as the tables' owner, and grants the application's role its rights.
    """

    def execute(self, *args: Any, **options: Any) -> Any:
        try:
            settings.VAR.mkdir(parents=True, exist_ok=True)
        except OSError as fault:
            raise CommandError(
                f"{settings.VAR} cannot be made: {fault.strerror}. Set VAR_DIR to another folder."
            ) from None
        # A new SQLite file must be able to release free pages (`tasks.give_room_back`).
        if connection.vendor == "sqlite" and not connection.introspection.table_names():
            with connection.cursor() as cursor:
                cursor.execute("PRAGMA auto_vacuum=INCREMENTAL")
                cursor.execute("VACUUM")
        try:
            with as_owner():
                done = super().execute(*args, **options)
                if _is_whole(options):
                    for table in restore_triggers():
                        self.stderr.write(f"{table} could be altered: its triggers were gone, and are back.")
        except ProgrammingError as fault:
            if getattr(fault.__cause__, "sqlstate", "") != "42501":  # insufficient privilege
                raise
            raise CommandError(
                f"{fault}\nOnly the tables’ owner migrates: set DATABASE_OWNER_URL to sign in as that role."
            ) from None
        if not options["plan"] and not options["check_unapplied"]:
            grant_to_application()
        return done


def _is_whole(options: dict[str, Any]) -> bool:
    """Whether all migrations are applied, so that every table is as the models say."""
    return not (options["plan"] or options["check_unapplied"] or options["app_label"] or options["fake"])
