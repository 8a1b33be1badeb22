from typing import Any

from django.conf import settings
from django.core.management import CommandError
from django.core.management.commands import migrate


class Command(migrate.Command):
    """Django's `migrate`, which first makes the folder for the office's files: nothing else but `up` does."""

    def execute(self, *args: Any, **options: Any) -> Any:
        try:
            settings.VAR.mkdir(parents=True, exist_ok=True)
        except OSError as fault:
            raise CommandError(
                f"{settings.VAR} cannot be made: {fault.strerror}. Set VAR_DIR to another folder."
            ) from None
        return super().execute(*args, **options)
