"""Figures as the worker found them, for pages that cannot wait: of previews, and of likely doubles."""

from __future__ import annotations

from django.db import models

from players.office.models import Federation
from ratings.storage.decimal_field import ExactDecimalField
from tournaments.events.models import Section


class ReviewFigures(models.Model):
    """The number of ratings that approving a section would move, first ones among them, and the most points.
    They hold for the section's version and for the journal up to a line; the worker draws them up anew when
    either has moved.
    """

    section = models.OneToOneField(Section, on_delete=models.CASCADE, related_name="figures")
    version = models.PositiveIntegerField()
    line = models.PositiveBigIntegerField()
    """The number of the journal's lines at that moment."""
    at = models.DateTimeField()
    on = models.DateField()
    moves = models.PositiveIntegerField(null=True)
    """None: the section cannot be rated as it is."""
    most = ExactDecimalField(null=True)
    """The most points that any rating would gain or lose; None: none that is there already would."""

    class Meta:
        verbose_name_plural = "figures of reviews"

    def __str__(self) -> str:
        return f"{self.section_id}: {self.moves}"


class DoublesCount(models.Model):
    """The number of likely doubles in a register, when the worker last looked."""

    federation = models.OneToOneField(Federation, on_delete=models.CASCADE, related_name="doubles_count")
    pairs = models.PositiveIntegerField()
    decision = models.PositiveBigIntegerField()
    """The number of the newest decision at that moment."""
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.federation_id}: {self.pairs}"
