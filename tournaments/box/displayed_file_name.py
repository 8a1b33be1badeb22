"""Names of files that strangers upload: shown, and never used as a path."""

from __future__ import annotations

import unicodedata

from django.utils.translation import gettext as _


def plain_name(name: str) -> str:
    """A stranger's file name fit to be shown: without folders and invisible characters."""
    bare = unicodedata.normalize("NFC", name).replace("\\", "/").rpartition("/")[2]
    return "".join(c for c in bare if c.isprintable()).strip()[:200] or _("file")
