"""Pages for machines: is the process alive, may it be given work, and how does the office do?"""

from __future__ import annotations

import hmac
import ipaddress
from collections.abc import Callable
from threading import Lock
from time import monotonic

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseForbidden, JsonResponse
from django.views.decorators.cache import never_cache

from federation_site.watch.prometheus_collector import CONTENT_TYPE, exposition
from federation_site.watch.readiness_checks import Readiness, look

GetResponse = Callable[[HttpRequest], HttpResponse]
FRESH = 1.0
"""The seconds for which a look is told to whoever asks."""


class _Looks:
    """Looks once a second in this process, however many ask: each look writes to the database."""

    def __init__(self) -> None:
        self._lock, self._made = Lock(), 0.0
        self._found: Readiness | None = None

    def newest(self) -> Readiness:
        with self._lock:
            if self._found is None or monotonic() - self._made >= FRESH:
                self._found, self._made = look(), monotonic()
            return self._found


_looks = _Looks()


@never_cache
def healthz(request: HttpRequest) -> HttpResponse:
    return HttpResponse("ok", content_type="text/plain; charset=utf-8")


@never_cache
def readyz(request: HttpRequest) -> HttpResponse:
    """The page of a look's findings, in JSON: 200 where this process may be given requests, else 503.

    With `?all`, for alarms, 503 also where the worker is silent or work is late.
    """
    found = _looks.newest()
    fit = found.ready and (found.working or "all" not in request.GET)
    return JsonResponse(found.as_dict(), status=200 if fit else 503)


@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """The page of figures for Prometheus: for the machine's own network, or whoever has `METRICS_TOKEN`."""
    if not may_measure(request):
        return HttpResponseForbidden("Ask from this machine, or with the token of METRICS_TOKEN.\n")
    return HttpResponse(exposition(), content_type=CONTENT_TYPE)


def may_measure(request: HttpRequest) -> bool:
    """Whether the asker may see figures: by METRICS_TOKEN or, if unset, by a private address and no proxy."""
    token = settings.METRICS_TOKEN
    given = request.headers.get("Authorization", "").removeprefix("Bearer ")
    if token:
        return hmac.compare_digest(given.encode(), token.encode())
    if "X-Forwarded-For" in request.headers:
        return False
    try:
        return ipaddress.ip_address(request.META.get("REMOTE_ADDR", "")).is_private
    except ValueError:
        return False


PROBES: dict[str, Callable[[HttpRequest], HttpResponse]] = {
    "/healthz": healthz,
    "/readyz": readyz,
    "/metrics": metrics,
}


def answer_probes(get_response: GetResponse) -> GetResponse:
    """Make a middleware that answers machines' probes before the host's name is checked: they give none."""

    def middleware(request: HttpRequest) -> HttpResponse:
        probe = PROBES.get(request.path)
        return probe(request) if probe else get_response(request)

    return middleware
