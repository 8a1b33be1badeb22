"""The journal's facts, what the fold made of them, and the lists that were published."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from players.office.models import Federation
from tournaments.events.models import Section


class FactQuerySet(models.QuerySet["Fact"]):
    def in_force(self, line: int | None = None) -> FactQuerySet:
        """Those that the fold takes in, neither un-rated nor put away by a merge nor of a kind that is not
        folded: by all lines of the journal; or by those up to a line, whatever merges say.
        """
        folds = self.filter(order__isnull=False)
        if line is None:
            return folds.filter(taken_back=None).exclude(fingerprint="")
        stands = Q(taken_back=None) | Q(taken_back__gt=line)
        return folds.filter(stands, number__lte=line)


class Fact(models.Model):
    """One line of the journal. The lines are the journal: added, never changed (a trigger refuses it)."""

    federation = models.ForeignKey(Federation, on_delete=models.PROTECT, related_name="facts")
    number = models.PositiveBigIntegerField()
    """The line's number in the journal."""
    kind = models.CharField(max_length=12)
    subject = models.CharField(max_length=60, blank=True)
    """Whom or what it speaks of: a player's number, a section's id."""
    on = models.DateField(null=True)
    line = models.TextField()
    """In sealed form: the names lie apart (`players.models.SealedName`)."""
    takes = models.ForeignKey("self", on_delete=models.PROTECT, null=True, related_name="+")
    """For `rated`: the section line above it that it takes."""
    particulars = models.TextField(blank=True)
    """For `rated`: the player lines of its entrants as they stood, sealed, newline by newline (D-6)."""
    pres = models.JSONField(default=dict)
    """For `section`, where there are pre-ratings: for each entrant whose entry states none, the last that was
    stated under that very number above this line. Those of merged entries are looked up in `StatedPre`.
    """
    section = models.ForeignKey(Section, on_delete=models.PROTECT, null=True, related_name="facts")
    order = models.BigIntegerField(null=True)
    """Where it stands in the fold (`Ruleset.order_key`); None: the ruleset does not fold it."""
    fingerprint = models.CharField(max_length=64, blank=True)
    """Of the fact as the lines above it, and those folded by now, say it; empty: a merge puts it away."""
    folded = models.CharField(max_length=64, blank=True)
    """The fingerprint of what was folded last; empty: not folded."""
    taken_back = models.PositiveBigIntegerField(null=True)
    """For `rated`: the number of the `unrated` line that took it back."""

    objects = FactQuerySet.as_manager()

    class Meta:
        ordering = ("number",)
        constraints = [models.UniqueConstraint(fields=["federation", "number"], name="lines_are_numbered")]
        indexes = [
            models.Index(
                fields=["federation", "order"], condition=Q(order__isnull=False), name="facts_in_order"
            ),
            models.Index(
                fields=["federation", "taken_back"],
                condition=Q(taken_back__isnull=False),
                name="facts_taken_back",
            ),
            models.Index(
                fields=["federation", "on", "number"], condition=Q(on__isnull=False), name="facts_by_day"
            ),
            models.Index(fields=["federation", "kind", "subject", "number"], name="facts_by_subject"),
        ]

    def __str__(self) -> str:
        return f"{self.number} {self.kind} {self.subject}"


class StatedPre(models.Model):
    """A pre-rating that a line of the journal states for a player (§58): the last one holds where none is."""

    federation = models.ForeignKey(
        Federation, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+"
    )
    player = models.CharField(max_length=30)
    """The number that the line names."""
    line = models.PositiveBigIntegerField()
    """The number of the `section` line."""
    pre = models.PositiveSmallIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["federation", "player", "line"], name="one_pre_a_line")
        ]

    def __str__(self) -> str:
        return f"{self.player}: {self.pre}"
