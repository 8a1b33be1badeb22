"""The row in which the worker draws up what merging two entries would change: it is the job."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.db import models

from players.office.job_lease import LeasedJob
from players.office.models import Federation
from players.register.models import Player


class MergeOutlook(LeasedJob):
    """The ratings and sections that merging a pair of entries would change, once it is drawn up."""

    silence = timedelta(minutes=1)
    """A worker gives two signs a second while it folds; reading a long journal may take longer."""

    class State(models.TextChoices):
        WAITING = "waiting"
        DRAWING = "drawing"
        DRAWN = "drawn"
        FAILED = "failed"

    federation = models.ForeignKey(Federation, on_delete=models.CASCADE, related_name="+")
    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="+")
    """The entry that would end."""
    into = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="+")
    """The entry that would stay."""
    asked_at = models.DateTimeField()
    state = models.CharField(max_length=8, choices=State.choices, default=State.WAITING)
    done = models.PositiveIntegerField(default=0)
    """The number of the journal's facts folded so far, out of `total`."""
    total = models.PositiveIntegerField(null=True)
    mark = models.CharField(max_length=64, blank=True)
    """The digest of what it was drawn from; where that is another by now, it is drawn up anew."""
    content: Any = models.JSONField(default=dict)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["player", "into"], name="one_outlook_a_pair")]

    def __str__(self) -> str:
        return f"{self.player_id} into {self.into_id}: {self.state}"

    @property
    def working(self) -> bool:
        """Whether it waits for the worker, or the worker is at it."""
        return self.state in (self.State.WAITING, self.State.DRAWING)
