from typing import Any

from django.core.management.commands import createcachetable

from federation_site.database import as_owner, grant_to_application


class Command(createcachetable.Command):
    """Django's `createcachetable`, as the tables' owner where DATABASE_OWNER_URL names one."""

    def execute(self, *args: Any, **options: Any) -> Any:
        with as_owner():
            done = super().execute(*args, **options)
        if not options["dry_run"]:
            grant_to_application()
        return done
