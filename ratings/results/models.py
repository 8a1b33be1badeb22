"""The results of the fold as the database holds them: changes, standings, federation-wide states, errata."""

from __future__ import annotations

from decimal import Decimal

from django.db import models
from django.db.models import Q

from players.office.models import Federation
from players.register.models import Player
from ratings.journal.models import Fact
from ratings.storage.decimal_field import ExactDecimalField


class Version(models.Model):
    """Base of rows that keep a result of the fold as the office knew it from a line of the journal on."""

    since = models.PositiveBigIntegerField()
    """The line that made it known."""

    class Meta:
        abstract = True


class SupersededVersion(Version):
    """Base of rows that keep a result which held until a line of the journal replaced it."""

    until = models.PositiveBigIntegerField()
    """The first line by which it no longer held."""

    class Meta:
        abstract = True


class RatingChange(models.Model):
    """A fact's change of one player's standing in one track; the base of `Change` and `PastChange`. Only the
    fold writes here.

    No foreign key is checked by the database: a full re-rate writes millions of rows, and `verify` compares
    all.
    """

    fact = models.ForeignKey(
        Fact, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="%(class)ss"
    )
    player = models.ForeignKey(
        Player, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="%(class)ss"
    )
    track = models.CharField(max_length=24)
    order = models.BigIntegerField()
    """The order of the fact, so that “the last state before” is one step in an index."""
    before = ExactDecimalField(null=True)
    """The rating in force before; None: unrated."""
    after = ExactDecimalField(null=True)
    points = ExactDecimalField(null=True)
    """Points gained or lost by this fact, at once or at the next list."""
    games = models.PositiveIntegerField()
    state = models.TextField()
    """The standing after the fact, as the ruleset writes it."""

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{self.player_id} {self.track}: {self.before} → {self.after}"


class ChangeQuerySet(models.QuerySet["Change"]):
    def told(self) -> ChangeQuerySet:
        """Newest first, each loaded with its source for a page: a section of an event, a list, an opening."""
        return self.select_related("fact__section__event").order_by("-order")

    def before(self, order: int) -> ChangeQuerySet:
        """Changes before a place in the order, to cut a long history into pages."""
        return self.filter(order__lt=order)


class Change(RatingChange, Version):
    """A change as it is known now."""

    objects = ChangeQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["fact", "player", "track"], name="one_change_a_fact")]
        indexes = [models.Index(fields=["player", "track", "order"], name="changes_in_order")]


class PastChange(RatingChange, SupersededVersion):
    """A change as it was once known."""

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["fact", "player", "track", "since"], name="one_past_change_a_fact_and_line"
            )
        ]
        indexes = [models.Index(fields=["player", "track", "order"], name="past_changes_in_order")]


class Standing(models.Model):
    """The newest standing of a player in a track. Only the fold writes here."""

    federation = models.ForeignKey(
        Federation, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False
    )
    player = models.ForeignKey(
        Player, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="standings"
    )
    track = models.CharField(max_length=24)
    order = models.BigIntegerField()
    rating = ExactDecimalField(null=True)
    games = models.PositiveIntegerField()
    due = models.BooleanField()
    """Whether the closing of a list would move it."""
    state = models.TextField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["player", "track"], name="one_standing_a_track")]
        indexes = [
            models.Index(fields=["federation", "track", "-rating"], name="standings_by_rating"),
            models.Index(fields=["federation"], condition=Q(due=True), name="standings_due"),
        ]

    def __str__(self) -> str:
        return f"{self.player_id} {self.track}: {self.rating}"


class WideState(models.Model):
    """The federation-wide part of the state after a fact that changed it, for rulesets that have one; base of
    `Wide` and `PastWide`.
    """

    federation = models.ForeignKey(Federation, on_delete=models.DO_NOTHING, db_constraint=False)
    order = models.BigIntegerField()
    state = models.TextField()

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{self.federation_id}: {self.order}"


class Erratum(models.Model):
    """The effect of a correcting line on the ratings, written by the recompute that folded it."""

    fact = models.OneToOneField(Fact, on_delete=models.PROTECT, related_name="erratum")
    players = models.PositiveIntegerField(default=0)
    """The number of people with another rating."""

    def __str__(self) -> str:
        return f"erratum {self.fact_id}"


class CorrectedRating(models.Model):
    """A row of an erratum: a rating before and after the correction, waiting points included."""

    erratum = models.ForeignKey(Erratum, on_delete=models.PROTECT, related_name="ratings")
    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="corrected")
    track = models.CharField(max_length=24)
    position = models.PositiveIntegerField()
    """The place among the erratum's ratings, the largest difference first."""
    before = ExactDecimalField(null=True)
    """The rating before; None: no rating."""
    after = ExactDecimalField(null=True)

    class Meta:
        ordering = ("position",)
        constraints = [
            models.UniqueConstraint(fields=["erratum", "position"], name="one_corrected_rating_a_position")
        ]

    def __str__(self) -> str:
        return f"{self.player_id} {self.track}: {self.before} → {self.after}"

    @property
    def by(self) -> Decimal | None:
        return None if self.before is None or self.after is None else self.after - self.before


class Wide(WideState, Version):
    """A federation-wide state as it is known now."""

    class Meta:
        constraints = [models.UniqueConstraint(fields=["federation", "order"], name="one_wide_state_a_fact")]


class PastWide(WideState, SupersededVersion):
    """A federation-wide state as it was once known."""

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["federation", "order", "since"], name="one_past_wide_state_a_fact_and_line"
            )
        ]
