"""Database fields that follow from a name, set whenever a row is written by Django: its words, its place."""

from __future__ import annotations

from typing import Any

from django.db import models

from players.languages.name_order import LONGEST_KEY, sort_key
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


class NameOrderField(models.CharField):  # type: ignore[type-arg]
    """A column with the place of a name in the order of the office's language; a bulk copy brings its own."""

    def __init__(self, **options: Any) -> None:
        super().__init__(
            **{"max_length": LONGEST_KEY, "blank": True, "default": "", "editable": False, **options}
        )

    def pre_save(self, row: models.Model, add: bool) -> str:
        key = name_order_of(row)
        setattr(row, self.attname, key)
        return key


def name_order_of(player: Any) -> str:
    """The key of a player's name in the order of the office's language."""
    return sort_key(player.surname, player.first_name, player.federation.equipment.office.language)
