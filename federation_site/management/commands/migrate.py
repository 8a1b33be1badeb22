from typing import Any

from django.conf import settings
from django.core.management import CommandError
from django.core.management.commands import migrate


class Command(migrate.Command):
    """Django's own, which makes the folder that the office is kept in first: nothing else does but `up`."""

    def execute(self, *args: Any, **options: Any) -> Any:
        try:
            settings.VAR.mkdir(parents=True, exist_ok=True)
        except OSError as fault:
            raise CommandError(
                f"{settings.VAR} cannot be made: {fault.strerror}. Set VAR_DIR to another folder."
            ) from None
        return super().execute(*args, **options)
