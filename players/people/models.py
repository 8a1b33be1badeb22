"""Questions about people of the register that were answered: pairs of two persons, and transfers."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from players.office.models import Federation, Region, User
from players.register.models import Player


class PairOfTwo(models.Model):
    """Two entries of which an official said that they are two persons: not offered as doubles again."""

    one = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="+")
    """The entry with the lower key."""
    other = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="+")
    on = models.DateField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["one", "other"], name="one_answer_a_pair")]

    def __str__(self) -> str:
        return f"{self.one_id} and {self.other_id}"


class Transfer(models.Model):
    """A player's change from one region to another: asked for by either region, decided by an official."""

    class State(models.TextChoices):
        ASKED = "asked", _("asked for")
        GRANTED = "granted", _("granted")
        REFUSED = "refused", pgettext_lazy("a transfer", "refused")
        DONE = "done", _("done")

    OPEN: ClassVar = (State.ASKED, State.GRANTED)
    federation = models.ForeignKey(Federation, on_delete=models.PROTECT, related_name="transfers")
    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="transfers")
    giving = models.ForeignKey(Region, on_delete=models.PROTECT, null=True, related_name="+")
    """The region that the player belongs to; None: to none yet."""
    taking = models.ForeignKey(Region, on_delete=models.PROTECT, related_name="+")
    reason = models.CharField(max_length=2000, blank=True)
    asked_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    asked_on = models.DateField()
    state = models.CharField(max_length=10, choices=State.choices, default=State.ASKED)
    starts = models.DateField(null=True)
    """The day from which a granted transfer holds."""
    answer = models.CharField(max_length=2000, blank=True)
    decided_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    decided_on = models.DateField(null=True)

    class Meta:
        ordering = ("-pk",)
        constraints = [
            models.UniqueConstraint(
                fields=["player"],
                condition=models.Q(state__in=("asked", "granted")),
                name="one_open_transfer_a_player",
            )
        ]

    def __str__(self) -> str:
        return f"{self.player_id}: {self.taking_id}"
