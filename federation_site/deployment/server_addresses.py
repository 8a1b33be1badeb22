"""Addresses of PostgreSQL and Redis: on which machine they are, and who checks their certificates."""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import ip_address
from ssl import CERT_NONE, CERT_REQUIRED
from typing import Any, Literal
from urllib.parse import urlsplit

from kombu.utils.url import parse_url


def tls_of(broker: str) -> dict[str, object] | Literal[False]:
    """Demands on the certificate of a Redis behind TLS; Celery by itself has none. What the address says of
    it (`ssl_…`) comes first.
    """
    if urlsplit(broker).scheme != "rediss":
        return False
    return {"ssl_cert_reqs": CERT_REQUIRED, "ssl_check_hostname": True}


def certificate_is_checked(broker: str) -> bool:
    """Whether a Redis has to prove that it is the one of this address, after what the address says of it."""
    try:
        asked = (tls_of(broker) or {}) | parse_url(broker).get("ssl", {})
    except KeyError:  # a word for ssl_cert_reqs that there is not
        return False
    return asked.get("ssl_cert_reqs", CERT_NONE) != CERT_NONE and bool(asked.get("ssl_check_hostname"))


def unproved_caches(cache: Mapping[str, Any]) -> list[str]:
    """The hosts of a cache's servers that need not prove who they are. `cache`: one of `settings.CACHES`.

    redis-py asks for the certificate and its name by itself, unless the options say otherwise.
    """
    places = cache.get("LOCATION", "")
    parts = [urlsplit(each) for each in ([places] if isinstance(places, str) else places)]
    options = {name: str(value).lower() for name, value in cache.get("OPTIONS", {}).items()}
    proves = options.get("ssl_cert_reqs", "required") not in ("none", "cert_none")
    proves = proves and options.get("ssl_check_hostname", "true") not in ("false", "0", "no")
    return [each.hostname or "" for each in parts if not (each.scheme == "rediss" and proves)]


def is_elsewhere(host: str) -> bool:
    """Whether a server is on another machine. A name without a dot is one of this machine, or of compose's
    own networks.
    """
    try:
        return not ip_address(host).is_loopback
    except ValueError:
        return "." in host and not host.startswith("/")
