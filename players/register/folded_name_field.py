"""A database field with the folded words of another field, set whenever a row is written by Django."""

from __future__ import annotations

from typing import Any

from django.db import models

from players.register.name_folding import LONGEST, words


class FoldedNameField(models.CharField):  # type: ignore[type-arg]
    """A column with the folded words of a name, a blank between them; a bulk copy brings its own."""

    def __init__(self, source: str, **options: Any) -> None:
        self.source = source
        super().__init__(
            **{"max_length": LONGEST, "blank": True, "default": "", "editable": False, **options}
        )

    def deconstruct(self) -> Any:
        name, path, _args, options = super().deconstruct()
        return name, path, [self.source], options

    def pre_save(self, row: models.Model, add: bool) -> str:
        folded = folded_words(getattr(row, self.source))
        setattr(row, self.attname, folded)
        return folded


def folded_words(name: str) -> str:
    """The folded words of a name with one blank between them."""
    return " ".join(words(name))[:LONGEST]
