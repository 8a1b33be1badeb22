"""The cache of pages, apart from the tries at sign-in: readers can fill this and push nothing else out."""

from __future__ import annotations

from django.core.cache import caches
from django.core.cache.backends.base import BaseCache
from django.utils.connection import ConnectionProxy

cache: BaseCache = ConnectionProxy(caches, "pages")  # type: ignore[assignment]
