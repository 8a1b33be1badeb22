from pathlib import Path

from django.apps import AppConfig

ROOT = Path(__file__).resolve().parent.parent


class FederationSiteConfig(AppConfig):
    name = "federation_site"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        # The package itself imports nothing, so that manage.py can start on a bare machine:
        # the worker's application, the start-up checks and what follows from a sign-in are taken up here.
        from federation_site import celery, checks, sign_in  # noqa: F401
        from federation_site.catalogues import compile_stale
        from federation_site.templates import set_messages

        set_messages()
        compile_stale(ROOT)
