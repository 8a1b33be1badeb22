"""System checks of the whole site, with the identifiers `federation_site.E…` and `federation_site.W…`."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register
from django.db import DatabaseError
from django.urls import URLPattern, URLResolver, get_resolver
from django.utils import timezone

from federation_site.database import database_form_problem
from federation_site.environment import (
    is_certificate_verified,
    is_remote_host,
    list_paths_open_to_others,
)
from players.models import Federation
from ratings.rulesets import rulesets


def sandbox_warning() -> str:
    """The weaknesses of the sandbox on this machine, found by trying, as a sentence; empty if none."""
    from tournaments.box import BoxDied, open_ways

    try:
        ways = open_ways()
    except BoxDied as died:
        return f"The box in which strangers' files are read does not start on this machine ({died})."
    if not ways:
        return ""
    return (
        "On this machine a file that took its reader over could still: "
        f"{', '.join(ways)}. Linux with seccomp (on x86-64 or ARM) or Landlock shuts these ways."
    )


# Views of libraries, which check permissions themselves, and probes.
EXEMPT_MODULES = (
    "allauth.account.views",
    "allauth.mfa.base.views",
    "allauth.mfa.recovery_codes.views",
    "allauth.mfa.totp.views",
    "allauth.mfa.webauthn.views",
    "allauth.usersessions.views",
    "federation_site.watch",
)


@register()
def check_view_permissions(**_: Any) -> list[CheckMessage]:
    """Report federation_site.E001 for each view that declares no permission."""
    return [
        Error(
            f"The view {_name(pattern.callback)} at “{path}” declares no permission.",
            hint="Decorate it with page(…) of players.access.",
            obj=pattern.callback,
            id="federation_site.E001",
        )
        for path, pattern in views_of(get_resolver().url_patterns)
        if not hasattr(pattern.callback, "permission") and pattern.callback.__module__ not in EXEMPT_MODULES
    ]


@register()
def check_event_file_readers(**_: Any) -> list[CheckMessage]:
    """Report federation_site.E007 for each kind of event files of a profile that has no reader."""
    from tournaments.filing import unknown_file_codes

    return [
        Error(
            f"ratings/rulesets/{slug}/profile.py names event files of the kind “{code}”, "
            "which no reader has.",
            hint="Name a code of the KINDS in tournaments/formats; the plain table is read by all, unnamed.",
            id="federation_site.E007",
        )
        for slug, ruleset in rulesets().items()
        for code in unknown_file_codes(ruleset)
    ]


@register(Tags.database)
def check_database_form(databases: Sequence[str] | None = None, **_: Any) -> list[CheckMessage]:
    """Report federation_site.E002 for journals of another form; `migrate` checks this first."""
    words = database_form_problem() if databases else ""
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
def check_mail_server(**_: Any) -> list[CheckMessage]:
    """Report federation_site.E003 if letters stay on the machine, for they have links that open accounts."""
    backend = settings.EMAIL_BACKEND.split(".")[-2]
    if backend not in ("console", "filebased", "locmem", "dummy"):
        return []
    words = "Letters go to no mail server: invitations and warnings reach nobody, and their links lie here."
    hint = "Set EMAIL_URL, say smtp+tls://user:password@host:587."
    return [Error(words, hint=hint, id="federation_site.E003")]


@register(Tags.security, deploy=True)
def check_trusted_proxies(**_: Any) -> list[CheckMessage]:
    """Report federation_site.E005 if in production every visitor would have the proxy's address."""
    if not settings.PRODUCTION or settings.ALLAUTH_TRUSTED_PROXY_COUNT:
        return []
    words = "TLS ends in a proxy, but TRUSTED_PROXIES is 0: all visitors share one address, and its limits."
    hint = "Set TRUSTED_PROXIES to the number of proxies before the web server."
    return [Error(words, hint=hint, id="federation_site.E005")]


@register(Tags.security, deploy=True)
def check_security_contact(**_: Any) -> list[CheckMessage]:
    """Report federation_site.W009 if there is no contact for security problems."""
    if settings.SECURITY_CONTACT:
        return []
    hint = "Set SECURITY_CONTACT, say security@example.org: /.well-known/security.txt then names it."
    return [Warning("Who finds a hole here is told no address.", hint=hint, id="federation_site.W009")]


@register(Tags.security, deploy=True)
def check_allowed_hosts(**_: Any) -> list[CheckMessage]:
    """Report federation_site.E008 for each of ALLOWED_HOSTS that matches no request, or any."""
    hint = "Name each host alone, say ratings.example.org; .example.org stands for all below it."
    return [
        Error(f"ALLOWED_HOSTS has “{host}”, which is no host's name.", hint=hint, id="federation_site.E008")
        for host in settings.ALLOWED_HOSTS
        if not re.fullmatch(r"\.?[\w.-]+|\[[0-9A-Fa-f:.]+\]", host)
    ]


@register(deploy=True)
def check_backup_rule(**_: Any) -> list[CheckMessage]:
    """Report federation_site.E009 if BACKUP_KEEP is invalid, so that the worker would make no backup."""
    from federation_site.backup import BadRule, parse_rule

    try:
        parse_rule(settings.BACKUP_KEEP)
    except BadRule as wrong:
        return [Error(f"BACKUP_KEEP: {wrong}", id="federation_site.E009")]
    return []


@register(deploy=True)
def check_backup_dir(**_: Any) -> list[CheckMessage]:
    """Report federation_site.W006 if the worker makes no backups."""
    if settings.BACKUP_DIR is not None:
        return []
    hint = "Set BACKUP_DIR to a folder on another disk: the worker then makes one (docs/operating.md)."
    return [Warning("The worker makes no backup each day.", hint=hint, id="federation_site.W006")]


@register(Tags.security, deploy=True)
def check_sandbox(**_: Any) -> list[CheckMessage]:
    """Report federation_site.W008 if the sandbox of file readers has weaknesses on this machine."""
    words = sandbox_warning()
    hint = "Ask this where the worker of files runs: in its container, under its account."
    return [Warning(words, hint=hint, id="federation_site.W008")] if words else []


@register(Tags.security, deploy=True)
def check_file_permissions(**_: Any) -> list[CheckMessage]:
    """Report federation_site.W011 for each folder of the office that other accounts can open."""
    folders: set[Path] = {each for each in (settings.VAR, settings.KEYS_DIR, settings.BACKUP_DIR) if each}
    return [
        Warning(
            f"Other accounts of this machine can open {folder} ({len(found)} files and folders).",
            hint=f"In it lie births, addresses and sessions: chmod -R go-rwx {folder}",
            id="federation_site.W011",
        )
        for folder in sorted(folders)
        if (found := list_paths_open_to_others(folder))
    ]


@register(Tags.security, deploy=True)
def check_remote_certificates(**_: Any) -> list[CheckMessage]:
    """Report federation_site.W012 for remote PostgreSQL or Redis whose certificates are not verified."""
    words = "{} leads to another machine, and what is said there can be read and altered on its way."
    hint = (
        "Let DATABASE_URL and DATABASE_OWNER_URL end with ?sslmode=verify-full; let CELERY_BROKER_URL begin "
        "with rediss://, with no ssl_cert_reqs=none and no ssl_check_hostname=false."
    )
    database, owner = settings.DATABASES["default"], settings.DATABASE_OWNER
    of_owner = database["OPTIONS"] | owner.get("OPTIONS", {})  # as `connected_as` joins them
    brokers = [each for each in settings.CELERY_BROKER_URL.split(";") if not is_certificate_verified(each)]
    unverified_hosts = {
        "DATABASE_URL": [] if database["OPTIONS"].get("sslmode") == "verify-full" else [database["HOST"]],
        "DATABASE_OWNER_URL": [] if of_owner.get("sslmode") == "verify-full" else [owner.get("HOST", "")],
        "CELERY_BROKER_URL": [urlsplit(each).hostname or "" for each in brokers],
    }
    return [
        Warning(words.format(name), hint=hint, id="federation_site.W012")
        for name, hosts in unverified_hosts.items()
        if any(is_remote_host(host) for host in hosts)
    ]


@register(Tags.security, deploy=True)
def check_the_clock(**_: Any) -> list[CheckMessage]:
    """Report federation_site.W010 if this machine's clock is behind the newest decision of the record."""
    from federation_site.watch import clock_warning

    try:
        words = clock_warning(timezone.now())
    except DatabaseError:  # not migrated yet, or away
        return []
    return [Warning(words, id="federation_site.W010")] if words else []


def views_of(patterns: list[URLPattern | URLResolver], prefix: str = "") -> Iterator[tuple[str, URLPattern]]:
    """The full path and pattern of each view, including nested ones."""
    for pattern in patterns:
        path = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from views_of(pattern.url_patterns, path)
        else:
            yield path, pattern


def _name(view: Any) -> str:
    return f"{view.__module__}.{getattr(view, '__qualname__', type(view).__name__)}"
