"""The journal's lines and the pre-ratings they state, as the database holds them."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import models
from django.db.models import F, Func, Max, Q

from players.office.models import Federation


class FactQuerySet(models.QuerySet["Fact"]):
    def in_force(self, line: int | None = None) -> FactQuerySet:
        """Lines that are folded: neither un-rated nor put away by a merge. With `line`: those not un-rated up
        to that one, whatever merges say.
        """
        folds = self.filter(order__isnull=False)
        if line is None:
            return folds.filter(taken_back=None).exclude(fingerprint="")
        stands = Q(taken_back=None) | Q(taken_back__gt=line)
        # Worked out, as no index knows it: by the number SQLite would walk through the whole journal.
        return folds.alias(at=F("number") + 0).filter(stands, at__lte=line)

    def not_folded(self) -> FactQuerySet:
        """Lines to be folded that are not: new ones, those un-rated, and those whose mark was lost; in no
        order.
        """
        # Written out, as SQLite knows of no value beside the statement that it is the index's.
        nothing = Func(template="''", output_field=models.CharField())
        return self.filter(folded=nothing, order__isnull=False).order_by()

    def of_kinds(self, federation: Federation, *kinds: str) -> FactQuerySet:
        """An office's lines of these kinds, in no order: asked for in the journal's, or up to a line, SQLite
        would walk through the whole journal. Sort them where their order matters.
        """
        return self.filter(federation=federation, kind__in=kinds).order_by()

    def newest_of(self, federation: Federation, kind: str) -> Fact | None:
        """An office's newest line of a kind, of whose lines it reads the numbers; None where it has none."""
        lines = self.of_kinds(federation, kind)
        # Worked out, as no index knows it: by the number SQLite would look through the journal from its end.
        newest = lines.aggregate(newest=Max(F("number") + 0))["newest"]
        return lines.get(number=newest) if newest else None

    def first_rating(self, federation: Federation, section: str) -> Fact | None:
        """The first `rated` line of a section, by its id, taken back or not; None: it was never rated."""
        rated = self.about(federation, [section], "rated").defer("particulars")
        return min(rated, key=lambda line: line.number, default=None)

    def about(self, federation: Federation, subjects: Iterable[str], *kinds: str) -> FactQuerySet:
        """An office's lines of these kinds about these players or sections, in no order as `of_kinds`."""
        return self.of_kinds(federation, *kinds).filter(subject__in=list(subjects))


class Fact(models.Model):
    """One line of the journal. The lines are the journal: added, never changed (a trigger refuses it)."""

    federation = models.ForeignKey(Federation, on_delete=models.PROTECT, related_name="facts")
    number = models.PositiveBigIntegerField()
    """The line's number in the journal."""
    kind = models.CharField(max_length=12)
    subject = models.CharField(max_length=60, blank=True)
    """The player's number or the section's id that the line speaks of; empty for other kinds."""
    on = models.DateField(null=True)
    line = models.TextField()
    """The line in sealed form: the names are kept apart (`players.register.models.SealedName`)."""
    takes = models.ForeignKey("self", on_delete=models.PROTECT, null=True, related_name="+")
    """For `rated`: the section line above it that it takes."""
    first_rated = models.ForeignKey(
        "self", on_delete=models.PROTECT, null=True, db_index=False, related_name="+"
    )
    """For `rated` of a section that was un-rated before: the section's first `rated` line (D-2)."""
    particulars = models.TextField(blank=True)
    """For `rated`: the player lines of its entrants as they stood, sealed, newline by newline (D-6)."""
    pres = models.JSONField(default=dict)
    """For `section`, where there are pre-ratings: for each entrant whose entry states none, the last one
    stated under that very number above this line. Those of merged entries are looked up in `StatedPre`.
    """
    section = models.ForeignKey(
        "tournaments.Section", on_delete=models.PROTECT, null=True, related_name="facts"
    )
    """The section that the subject names, for pages to join; the journal itself never follows it."""
    order = models.BigIntegerField(null=True)
    """The place in the fold (`Ruleset.journal.order_key`); None: the ruleset does not fold it."""
    fingerprint = models.CharField(max_length=64, blank=True)
    """The digest of the fact, by the lines above it and merges folded by now; empty: a merge puts it away."""
    folded = models.CharField(max_length=64, blank=True)
    """The fingerprint with which it was last folded; empty: not folded."""
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
            models.Index(
                # `folded` is the same in all, but without it SQLite would take `facts_in_order`.
                fields=["federation", "folded", "order"],
                condition=Q(folded="", order__isnull=False),
                name="facts_not_folded",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.number} {self.kind} {self.subject}"

    @property
    def first(self) -> Fact:
        """The line whose place and day hold: for a section rated again its first `rated` line, else this."""
        return self.first_rated or self


class StatedPre(models.Model):
    """A pre-rating that a line of the journal states for a player (§58); later sections may use it."""

    federation = models.ForeignKey(
        Federation, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+"
    )
    player = models.CharField(max_length=30)
    """The player's number in the line."""
    line = models.PositiveBigIntegerField()
    """The number of the `section` line."""
    pre = models.PositiveSmallIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["federation", "player", "line"], name="one_pre_a_line")
        ]

    def __str__(self) -> str:
        return f"{self.player}: {self.pre}"
