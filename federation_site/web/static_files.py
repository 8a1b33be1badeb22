"""Static files as web servers hand them out: collected, named by their content, compressed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.core.files.base import ContentFile
from whitenoise.storage import CompressedManifestStaticFilesStorage

from players.templatetags.styles import ALL_STYLES, STYLES


class StaticFiles(CompressedManifestStaticFilesStorage):
    """Names static files by their content; a page is shown even if a file of it was not collected."""

    def post_process(self, paths: dict[str, Any], dry_run: bool = False, **options: Any) -> Iterator[Any]:
        """Write the style sheets of every page in one before files are named, where all were collected."""
        if not dry_run and set(STYLES) <= paths.keys():
            self.delete(ALL_STYLES)
            self._save(ALL_STYLES, ContentFile(b"".join(self._bytes(*paths[sheet]) for sheet in STYLES)))
            paths = {**paths, ALL_STYLES: (self, ALL_STYLES)}
        yield from super().post_process(paths, dry_run, **options)

    def _bytes(self, storage: Any, path: str) -> bytes:
        with storage.open(path) as sheet:
            found: bytes = sheet.read()
            return found

    def stored_name(self, name: str) -> str:
        """A static file's name with the digest of its content; the plain one if it was not collected."""
        try:
            stored: str = super().stored_name(name)
        except ValueError:
            return name
        return stored
