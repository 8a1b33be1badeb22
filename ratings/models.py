"""The journal's facts, what the fold made of them, and the lists that were published."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from players.models import Federation, Player
from ratings.fields import ExactDecimalField
from ratings.program.models import ProgramFile as ProgramFile
from ratings.register.models import RegisterImport as RegisterImport
from ratings.register.models import RegisterLine as RegisterLine
from ratings.signing.models import Checkpoint as Checkpoint
from ratings.signing.models import Cosignature as Cosignature
from ratings.signing.models import LogKey as LogKey
from ratings.signing.models import TreeTile as TreeTile
from tournaments.models import Section

if TYPE_CHECKING:
    from ratings.rulesets.equipment import AgeGroup


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


class Version(models.Model):
    """What the fold made of a fact, as the office knew it from a line of the journal on."""

    since = models.PositiveBigIntegerField()
    """The line with whose reading it came to be known."""

    class Meta:
        abstract = True


class Superseded(Version):
    """What was known up to a line of the journal, which brought something else to light."""

    until = models.PositiveBigIntegerField()
    """The first line by which it no longer held."""

    class Meta:
        abstract = True


class Moved(models.Model):
    """One player's standing in one track, moved by one fact. Only the fold writes here.

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
    """The fact's, so that “the last state before” is one step in an index."""
    before = ExactDecimalField(null=True)
    """The rating in force before, None: unrated."""
    after = ExactDecimalField(null=True)
    points = ExactDecimalField(null=True)
    """Gained or lost by this fact, at once or at the next list."""
    games = models.PositiveIntegerField()
    state = models.TextField()
    """The standing after it, as the ruleset writes it."""

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{self.player_id} {self.track}: {self.before} → {self.after}"


class ChangeQuerySet(models.QuerySet["Change"]):
    def told(self) -> ChangeQuerySet:
        """Newest first, with what brought each: a section of an event, a list, an opening."""
        return self.select_related("fact__section__event").order_by("-order")

    def before(self, order: int) -> ChangeQuerySet:
        """What stands before a place in the order: how a long history is cut into pages."""
        return self.filter(order__lt=order)


class Change(Moved, Version):
    """What is known now."""

    objects = ChangeQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["fact", "player", "track"], name="one_change_a_fact")]
        indexes = [models.Index(fields=["player", "track", "order"], name="changes_in_order")]


class PastChange(Moved, Superseded):
    """What was known once."""

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["fact", "player", "track", "since"], name="one_past_change_a_fact_and_line"
            )
        ]
        indexes = [models.Index(fields=["player", "track", "order"], name="past_changes_in_order")]


class Standing(models.Model):
    """The newest state of a player in a track. Only the fold writes here."""

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
    """The federation-wide part of the state after a fact that changed it, where the ruleset has one."""

    federation = models.ForeignKey(Federation, on_delete=models.DO_NOTHING, db_constraint=False)
    order = models.BigIntegerField()
    state = models.TextField()

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{self.federation_id}: {self.order}"


class Erratum(models.Model):
    """What a correcting line of the journal did to the ratings, written by the recompute that did it."""

    fact = models.OneToOneField(Fact, on_delete=models.PROTECT, related_name="erratum")
    players = models.PositiveIntegerField(default=0)
    """How many people have another rating by it."""

    def __str__(self) -> str:
        return f"erratum {self.fact_id}"


class CorrectedRating(models.Model):
    """A rating before a correction and after it, with what it takes in at the next list."""

    erratum = models.ForeignKey(Erratum, on_delete=models.PROTECT, related_name="ratings")
    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="corrected")
    track = models.CharField(max_length=24)
    position = models.PositiveIntegerField()
    """The largest first."""
    before = ExactDecimalField(null=True)
    """None: no rating."""
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
    """What is known now."""

    class Meta:
        constraints = [models.UniqueConstraint(fields=["federation", "order"], name="one_wide_state_a_fact")]


class PastWide(WideState, Superseded):
    """What was known once."""

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["federation", "order", "since"], name="one_past_wide_state_a_fact_and_line"
            )
        ]


class RatingListQuerySet(models.QuerySet["RatingList"]):
    def of(self, federation: Federation) -> RatingListQuerySet:
        return self.filter(federation=federation)

    def current(self) -> RatingListQuerySet:
        """Without the revisions that a later one supersedes."""
        return self.filter(superseded_by=None)

    def there_by(self, day: date) -> RatingListQuerySet:
        """Those that were published by a day; a revision is there from the day of its own line."""
        return self.filter(fact__on__lte=day)

    def of_newest_day(self) -> RatingListQuerySet:
        """Those of the last day on which lists were published."""
        return self.filter(on=self.order_by("-on").values("on")[:1])

    def labelled(self, label: str) -> RatingListQuerySet:
        """By the label in an address: `2026-11` is the first of the month. None if there is no such day."""
        try:
            return self.filter(on=date.fromisoformat(label if len(label) == 10 else f"{label}-01"))
        except ValueError:
            return self.none()

    def in_month_of(self, label: str) -> RatingListQuerySet:
        """Those published in the label's month, earliest first."""
        try:
            first = date.fromisoformat(f"{label[:7]}-01")
        except ValueError:
            return self.none()
        return self.filter(on__year=first.year, on__month=first.month).order_by("on")

    def without_content(self) -> RatingListQuerySet:
        return self.defer("content")


class RatingList(models.Model):
    """A published list of one track: frozen rows, canonical bytes and their checksum. Triggers refuse any
    change.
    """

    federation = models.ForeignKey(Federation, on_delete=models.PROTECT, related_name="lists")
    track = models.CharField(max_length=24)
    on = models.DateField()
    revision = models.PositiveSmallIntegerField(default=1)
    supersedes = models.ForeignKey("self", on_delete=models.PROTECT, null=True, related_name="superseded_by")
    fact = models.ForeignKey(Fact, on_delete=models.PROTECT, related_name="lists")
    ledger = models.PositiveBigIntegerField()
    """The ledger's number that it was drawn up at."""
    edition = models.CharField(max_length=60)
    program_version = models.CharField(max_length=40)
    program_sha256 = models.CharField(max_length=64)
    """Of the `ratings.pyz` that drew it up (`ProgramFile`)."""
    players = models.PositiveIntegerField()
    content = models.BinaryField()
    """`number,rating,games` lines without names: what the checksum is of."""
    sha256 = models.CharField(max_length=64)
    note = models.TextField(blank=True)
    published_at = models.DateTimeField()

    objects = RatingListQuerySet.as_manager()

    class Meta:
        ordering = ("-on", "track", "-revision")
        constraints = [
            models.UniqueConstraint(
                fields=["federation", "on", "track", "revision"], name="one_list_a_day_track_and_revision"
            )
        ]

    def __str__(self) -> str:
        return f"{self.on} {self.track}"

    @property
    def label(self) -> str:
        """As addresses write it: `2026-11` for the first of a month, any other day in full."""
        return f"{self.on:%Y-%m}" if self.on.day == 1 else self.on.isoformat()

    def get_absolute_url(self) -> str:
        return f"/{self.federation.code}/lists/{self.label}/{self.track}/"


class ListRowQuerySet(models.QuerySet["ListRow"]):
    """Pages are cut by `position`: no page counts or skips the rows before it."""

    def after(self, position: int, size: int) -> list[ListRow]:
        """The next rows below a position."""
        return list(self.filter(position__gt=position).order_by("position")[:size])

    def until(self, position: int, size: int) -> list[ListRow]:
        """The last rows above a position, in the order of the list."""
        return list(self.filter(position__lt=position).order_by("-position")[:size])[::-1]

    def named(self, people: models.QuerySet[Player]) -> ListRowQuerySet:
        """The rows of a few people, who are looked up first: so the list is not searched from end to end."""
        return self.filter(player_id__in=list(people.values_list("pk", flat=True)[:1000]))

    def of_age(self, group: AgeGroup, on: date) -> ListRowQuerySet:
        """By year of birth alone; who is of no known age is in no group."""
        rows = self if group.least is None else self.filter(player__born__lte=on.year - group.least)
        return rows if group.most is None else rows.filter(player__born__gte=on.year - group.most)

    def moved(self) -> ListRowQuerySet:
        """Those whose rating is another than on the list before."""
        return self.exclude(previous=None).exclude(previous=F("rating"))


class ListRow(models.Model):
    """One line of a published list."""

    rating_list = models.ForeignKey(
        RatingList, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="rows"
    )
    player = models.ForeignKey(
        Player, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="list_rows"
    )
    rank = models.PositiveIntegerField(_("rank"))
    position = models.PositiveIntegerField()
    """Unique in the list, the order in which it is shown: pages are cut by it."""
    rating = ExactDecimalField()
    previous = ExactDecimalField(null=True)
    """On the list before, None: not on it."""
    games = models.PositiveIntegerField()
    status = models.CharField(max_length=20)

    objects = ListRowQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["rating_list", "position"], name="one_row_a_position"),
        ]
        indexes = [models.Index(fields=["player", "rating_list"], name="rows_of_a_player")]

    def __str__(self) -> str:
        return f"{self.rank} {self.player_id}"
