"""The programs that drew published lists, kept for readers who check one of them."""

from __future__ import annotations

from django.db import models


class ProgramFile(models.Model):
    """One build of `ratings.pyz`, kept since the first list that it drew up. Triggers refuse any change."""

    version = models.CharField(max_length=40)
    sha256 = models.CharField(max_length=64, unique=True)
    content = models.BinaryField()

    def __str__(self) -> str:
        return f"{self.version} {self.sha256[:8]}"
