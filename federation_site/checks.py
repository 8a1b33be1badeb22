"""System checks: views say who may see them, offices name files that we read, letters leave."""

from collections.abc import Iterator, Sequence
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register
from django.db import DatabaseError
from django.urls import URLPattern, URLResolver, get_resolver

from federation_site.processes.database_version import made_before
from players.office.models import Federation
from ratings.rulesets import rulesets
from tournaments.filing.accepted_files import without_reader

# Views that we did not write and that guard themselves, and what the machinery asks.
EXEMPT_MODULES = (
    "allauth.account.views",
    "allauth.mfa.base.views",
    "allauth.mfa.recovery_codes.views",
    "allauth.mfa.totp.views",
    "allauth.mfa.webauthn.views",
    "allauth.usersessions.views",
    "federation_site.watch.health",
)


@register()
def check_every_view_declares_its_permission(**_: Any) -> list[CheckMessage]:
    """Report federation_site.E001 for each view behind a URL that has no `permission` on it."""
    return [
        Error(
            f"The view {_name(pattern.callback)} at “{path}” declares no permission.",
            hint="Decorate it with permitted(…), signed_in or public of players.office.access.",
            obj=pattern.callback,
            id="federation_site.E001",
        )
        for path, pattern in views_of(get_resolver().url_patterns)
        if not declares_permission(pattern.callback)
    ]


@register()
def check_every_kind_of_file_has_a_reader(**_: Any) -> list[CheckMessage]:
    """Report federation_site.E007 for each kind of event files that an office names and no reader has."""
    return [
        Error(
            f"ratings/rulesets/{slug}/office.py names event files of the kind “{code}”, which no reader has.",
            hint="Name a code of the KINDS in tournaments/formats; the plain table is read by all, unnamed.",
            id="federation_site.E007",
        )
        for slug, ruleset in rulesets().items()
        for code in without_reader(ruleset)
    ]


@register(Tags.database)
def check_the_database_is_of_this_form(
    databases: Sequence[str] | None = None, **_: Any
) -> list[CheckMessage]:
    """Report federation_site.E002 if an earlier version made the database; `migrate` checks this first."""
    words = made_before() if databases else ""
    return [Error(words, id="federation_site.E002")] if words else []


@register(Tags.database)
def check_no_demo_in_production(databases: Sequence[str] | None = None, **_: Any) -> list[CheckMessage]:
    """Report federation_site.E004 for demo offices in production; `migrate` checks this first."""
    if not (databases and settings.PRODUCTION):
        return []
    try:
        codes = sorted(Federation.objects.filter(demo=True).values_list("code", flat=True))
    except DatabaseError:  # not migrated yet
        return []
    words = "This database holds demo offices, whose accounts are for one machine alone: {}."
    hint = "Take another database: what is recorded is never removed."
    return [Error(words.format(", ".join(codes)), hint=hint, id="federation_site.E004")] if codes else []


@register(Tags.security, deploy=True)
def check_letters_leave(**_: Any) -> list[CheckMessage]:
    """Report federation_site.E003 if letters stay on the machine: they hold links that open accounts."""
    backend = settings.EMAIL_BACKEND.split(".")[-2]
    if backend not in ("console", "filebased", "locmem", "dummy"):
        return []
    return [
        Error(
            "Letters go to no mail server: invitations and warnings reach nobody, and their links lie here.",
            hint="Set EMAIL_URL, say smtp+tls://user:password@host:587.",
            id="federation_site.E003",
        )
    ]


@register(Tags.security, deploy=True)
def check_addresses_are_peoples_own(**_: Any) -> list[CheckMessage]:
    """Report federation_site.E005 if in production every visitor would have the proxy's address."""
    if not settings.PRODUCTION or settings.ALLAUTH_TRUSTED_PROXY_COUNT:
        return []
    words = "TLS ends in a proxy, but TRUSTED_PROXIES is 0: all visitors share one address, and its limits."
    hint = "Set TRUSTED_PROXIES to the number of proxies before the web server."
    return [Error(words, hint=hint, id="federation_site.E005")]


@register(deploy=True)
def check_a_backup_is_made(**_: Any) -> list[CheckMessage]:
    """Report federation_site.W006 if the worker makes no backups."""
    if settings.BACKUP_DIR is not None:
        return []
    hint = "Set BACKUP_DIR to a folder on another disk: the worker then makes one (docs/backup.md)."
    return [Warning("The worker makes no backup each day.", hint=hint, id="federation_site.W006")]


def views_of(patterns: list[URLPattern | URLResolver], prefix: str = "") -> Iterator[tuple[str, URLPattern]]:
    """Each view's full path and pattern, however deeply included."""
    for pattern in patterns:
        path = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from views_of(pattern.url_patterns, path)
        else:
            yield path, pattern


def declares_permission(view: Any) -> bool:
    return hasattr(view, "permission") or view.__module__ in EXEMPT_MODULES


def _name(view: Any) -> str:
    return f"{view.__module__}.{getattr(view, '__qualname__', type(view).__name__)}"
