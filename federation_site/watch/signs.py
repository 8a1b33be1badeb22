"""Signs of life: given by whoever does the thing, read by whoever watches."""

from __future__ import annotations

from typing import Any

from django.utils import timezone

from federation_site.watch.models import SignOfLife

WORKER, VERIFY, BACKUP, WRITING = "worker", "verify", "backup", "writing"


def give(name: str, **details: Any) -> None:
    """Note that a thing was done just now."""
    SignOfLife.objects.update_or_create(name=name, defaults={"at": timezone.now(), "details": details})


def age(name: str) -> float | None:
    """The seconds since a thing was done; None: never. A sign of the future (a clock was set back) is new."""
    at = SignOfLife.objects.filter(name=name).values_list("at", flat=True).first()
    return None if at is None else max(0.0, (timezone.now() - at).total_seconds())
