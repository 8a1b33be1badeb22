"""The address from which a request comes, behind as many proxies as the office trusts."""

from __future__ import annotations

import ipaddress

from federation_site.gateway.visitor_turns import Scope


def header(scope: Scope, name: bytes) -> str:
    """A request's header, its lines joined by commas; empty where there is none."""
    return ",".join(value.decode("latin1") for key, value in scope["headers"] if key.lower() == name)


def address_of(scope: Scope, proxies: int) -> str:
    """The visitor's address: what the outermost of our own proxies saw; an IPv6 visitor is a /64 network.

    Without proxies the header is a stranger's word, and the connection alone counts.
    """
    seen = scope["client"][0] if scope.get("client") else ""
    if proxies:
        passed = [each.strip() for each in header(scope, b"x-forwarded-for").split(",") if each.strip()]
        seen = passed[-proxies] if len(passed) >= proxies else seen
    try:
        address = ipaddress.ip_address(seen)
    except ValueError:
        return seen
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped:  # as a socket for both kinds tells IPv4: its network would be everybody's
            return str(address.ipv4_mapped)
        return str(ipaddress.ip_network((address, 64), strict=False))
    return str(address)
