"""Signs of life: given by whoever does the thing, read by whoever watches."""

from __future__ import annotations

from typing import Any

from django.utils import timezone

from federation_site.watch.models import SignOfLife

WORKER, VERIFY, BACKUP, WRITING = "worker", "verify", "backup", "writing"


def give(name: str, **details: Any) -> None:
    """Note that a thing (`worker`, `verify`, `backup` …) was done just now, with details of its outcome."""
    SignOfLife.objects.update_or_create(name=name, defaults={"at": timezone.now(), "details": details})


def age(name: str) -> float | None:
    """The seconds since a thing was last done; None: never. A time ahead of the clock counts as just now."""
    at = SignOfLife.objects.filter(name=name).values_list("at", flat=True).first()
    return None if at is None else max(0.0, (timezone.now() - at).total_seconds())
