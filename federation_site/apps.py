from pathlib import Path

from django.apps import AppConfig

ROOT = Path(__file__).resolve().parent.parent


class FederationSiteConfig(AppConfig):
    name = "federation_site"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        # Not in the package's __init__.py, because manage.py must start on a machine without Django.
        from federation_site import celery, checks, sign_in  # noqa: F401
        from federation_site.catalogues import compile_stale
        from federation_site.templates import set_form_error_messages

        set_form_error_messages()
        compile_stale(ROOT)
