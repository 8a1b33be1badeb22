"""Models of the journal's lines and its public log, the results of the fold, published lists, hints, the
rules that programs brought, and figures that the worker keeps ready for pages. Triggers refuse changes to
rows that are written once: lines of the journal, rows of its log, published lists.
"""

from __future__ import annotations

import hashlib
import json
import re
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Exists, F, Func, Max, OuterRef, Q
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _

from players.models import Decision, Federation, LeasedJob, Player
from players.writing import ExactDecimalField
from ratings import transparency_log
from tournaments.models import Remark, Section

if TYPE_CHECKING:
    from ratings.rulesets.profile import AgeGroup


class LogKey(models.Model):
    """The public part of a key with which an office signs, or signed, its checkpoints; the newest key signs.
    The secret part is a file that only the worker reads (`ratings.signing`).
    """

    federation = models.ForeignKey(Federation, on_delete=models.PROTECT, related_name="log_keys")
    number = models.PositiveSmallIntegerField()
    origin = models.CharField(max_length=200)
    """The log's name, the first line of its checkpoints; it stays the same wherever the site moves."""
    vkey = models.CharField(max_length=300)
    reason = models.TextField(blank=True)
    """The public reason for which a new origin began."""
    at = models.DateTimeField()

    class Meta:
        ordering = ("-number",)
        constraints = [models.UniqueConstraint(fields=["federation", "number"], name="log_keys_are_numbered")]

    def __str__(self) -> str:
        return self.vkey

    @property
    def key(self) -> transparency_log.VerifierKey:
        return transparency_log.parse_key(self.vkey)


class CheckpointQuerySet(models.QuerySet["Checkpoint"]):
    def of(self, federation: Federation) -> CheckpointQuerySet:
        return self.filter(federation=federation)

    def newest_first(self) -> CheckpointQuerySet:
        """Order by origin, then by size, so that a list signed late does not hide a longer journal."""
        return self.order_by("-key__number", "-size", "-number")


class Checkpoint(models.Model):
    """A signed head of the journal's tree over its first `size` lines: for a list, a day, or a new key."""

    federation = models.ForeignKey(Federation, on_delete=models.PROTECT, related_name="checkpoints")
    number = models.PositiveBigIntegerField()
    key = models.ForeignKey(LogKey, on_delete=models.PROTECT, related_name="checkpoints")
    size = models.PositiveBigIntegerField()
    """The number of the journal's lines that it covers."""
    note = models.TextField()
    """The signed note (`ratings.transparency_log`)."""
    edge = models.BinaryField()
    """Leaf hashes of the lines after the last full tile, which help to name an altered line."""
    at = models.DateTimeField()

    objects = CheckpointQuerySet.as_manager()

    class Meta:
        ordering = ("number",)
        constraints = [
            models.UniqueConstraint(fields=["federation", "number"], name="checkpoints_are_numbered")
        ]
        indexes = [models.Index(fields=["federation", "size"], name="checkpoints_by_size")]

    def __str__(self) -> str:
        return f"{self.number}: {self.size}"

    @property
    def head(self) -> transparency_log.Checkpoint:
        return transparency_log.read_checkpoint(self.note)

    @property
    def served(self) -> str:
        """The checkpoint as the public log serves it: the note and the signatures of witnesses."""
        return self.note + "".join(each.line for each in self.cosignatures.all())


class Cosignature(models.Model):
    """A witness's signature under one of the office's checkpoints."""

    checkpoint = models.ForeignKey(Checkpoint, on_delete=models.PROTECT, related_name="cosignatures")
    vkey = models.CharField(max_length=300)
    line = models.TextField()
    """The signature line, with its newline."""
    at = models.DateTimeField()

    class Meta:
        ordering = ("pk",)
        constraints = [models.UniqueConstraint(fields=["checkpoint", "line"], name="cosigned_once")]

    def __str__(self) -> str:
        return self.line

    @property
    def signed_at(self) -> datetime:
        """When the witness signed, by its own clock."""
        return datetime.fromtimestamp(transparency_log.parse_signature(self.line).time, UTC)


class TreeTile(models.Model):
    """A full tile of the tree: 256 hashes, of leaves (level 0) or of the roots of full tiles below."""

    federation = models.ForeignKey(Federation, on_delete=models.PROTECT, related_name="+", db_index=False)
    level = models.PositiveSmallIntegerField()
    index = models.PositiveBigIntegerField()
    content = models.BinaryField()
    root = models.BinaryField()
    """The hash above it, kept because the right edge of the level above needs it."""

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["federation", "level", "index"], name="one_tile_a_place")
        ]

    def __str__(self) -> str:
        return f"tile/{self.level}/{self.index}"


# ---- The journal's lines, and the pre-ratings that they state
class FactQuerySet(models.QuerySet["Fact"]):
    def in_force(self, line: int | None = None) -> FactQuerySet:
        """Lines that are folded: neither un-rated nor put away by a merge. With `line`: those not un-rated up
        to that one, whatever merges say.
        """
        folds = self.filter(order__isnull=False)
        if line is None:
            return folds.filter(taken_back=None).exclude(fingerprint="")
        stands = Q(taken_back=None) | Q(taken_back__gt=line)
        # An expression, because by the plain number SQLite would walk through the whole journal.
        return folds.alias(at=F("number") + 0).filter(stands, at__lte=line)

    def not_folded(self) -> FactQuerySet:
        """Lines still to be folded, in no order: new ones, un-rated ones, and those whose mark was lost."""
        # A literal, because SQLite does not match a parameter with the partial index's condition.
        nothing = Func(template="''", output_field=models.CharField())
        return self.filter(folded=nothing, order__isnull=False).order_by()

    def of_kinds(self, federation: Federation, *kinds: str) -> FactQuerySet:
        """An office's lines of these kinds, in no order: sorted by number or limited to a line, SQLite would
        walk through the whole journal. Sort them where their order matters.
        """
        return self.filter(federation=federation, kind__in=kinds).order_by()

    def newest_of(self, federation: Federation, kind: str) -> Fact | None:
        """An office's newest line of a kind, or None."""
        lines = self.of_kinds(federation, kind)
        # An expression, because by the plain number SQLite would read the journal from its end.
        newest = lines.aggregate(newest=Max(F("number") + 0))["newest"]
        return lines.get(number=newest) if newest else None

    def first_rating(self, federation: Federation, section: str) -> Fact | None:
        """The first `rated` line of a section, by its id, taken back or not; None if it was never rated."""
        rated = self.about(federation, [section], "rated").defer("particulars")
        return min(rated, key=lambda line: line.number, default=None)

    def about(self, federation: Federation, subjects: Iterable[str], *kinds: str) -> FactQuerySet:
        """An office's lines of these kinds about these players or sections, in no order as `of_kinds`."""
        return self.of_kinds(federation, *kinds).filter(subject__in=list(subjects))


class Fact(models.Model):
    """One line of the journal: added, never changed (a trigger refuses it)."""

    federation = models.ForeignKey(Federation, on_delete=models.PROTECT, related_name="facts")
    number = models.PositiveBigIntegerField()
    kind = models.CharField(max_length=12)
    subject = models.CharField(max_length=60, blank=True)
    """The player's number or the section's id that the line is about; empty for other kinds."""
    on = models.DateField(null=True)
    line = models.TextField()
    """The line in sealed form: names are kept apart (`players.models.SealedName`)."""
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
    """The section named by the subject, for pages to join; the journal itself never follows it."""
    order = models.BigIntegerField(null=True)
    """The place in the fold (`Ruleset.journal.order_key`); None if the ruleset does not fold it."""
    fingerprint = models.CharField(max_length=64, blank=True)
    """The digest of the fact, by the lines above it and merges folded by now; empty: put away by a merge."""
    folded = models.CharField(max_length=64, blank=True)
    """The fingerprint with which it was last folded; empty if not folded."""
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
        """The line whose place and day hold: of a section rated again its first `rated` line, else this."""
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


# ---- Lines that came in with a history: a `taken_over` line below marks them as not the office's own
PREAMBLE_KINDS = ("federation", "player", "opening", "taken_over")
"""Kinds of lines that may stand before the office's own record begins."""


class DaysTakenOver:
    """An office's `taken_over` lines, read once."""

    def __init__(self, federation: Federation) -> None:
        rows = Fact.objects.of_kinds(federation, "taken_over")
        self.lines = sorted(rows.values_list("number", "on"))

    def day_for_line(self, line: int) -> date | None:
        """The day on which the history of a line was taken over; None if the line is the office's own."""
        at = bisect_left(self.lines, (line,))
        return self.lines[at][1] if at < len(self.lines) else None


def day_taken_over(federation: Federation, line: int) -> date | None:
    """The day on which the history of a line was taken over; None if the line is the office's own."""
    return DaysTakenOver(federation).day_for_line(line)


def first_own_line(federation: Federation) -> int | None:
    """The number of the first line of the office's own record below its last history; None if there is none.
    A `taken_over` line speaks of all lines above it since the last one, so none may stand below this line: it
    would say of the office's own lists too that they were computed afterwards.
    """
    taken_over = Fact.objects.of_kinds(federation, "taken_over")
    last = max(taken_over.values_list("number", flat=True), default=0)
    rows = Fact.objects.filter(federation=federation, number__gt=last).exclude(kind__in=PREAMBLE_KINDS)
    return rows.order_by("number").values_list("number", flat=True).first()


def opening_day(federation: Federation) -> date | None:
    """The day of the list with whose ratings the office begins; None if it begins without."""
    newest = Fact.objects.newest_of(federation, "opening")
    return newest.on if newest else None


# ---- Published rating lists
LIST_LABEL = re.compile(r"[0-9]{4}-[0-9]{2}(-[0-9]{2})?")


def parse_list_label(label: str) -> date | None:
    """The day of a list by its label in an address (`2026-11`: the first of the month); None if invalid."""
    if not LIST_LABEL.fullmatch(label):
        return None
    try:
        return date.fromisoformat(label if len(label) == 10 else f"{label}-01")
    except ValueError:
        return None


class RatingListQuerySet(models.QuerySet["RatingList"]):
    def of(self, federation: Federation) -> RatingListQuerySet:
        return self.filter(federation=federation)

    def current(self) -> RatingListQuerySet:
        """Lists in their newest version, without those that a revision supersedes."""
        return self.filter(superseded_by=None)

    def published_by(self, day: date) -> RatingListQuerySet:
        """Lists published by a day; a revision counts from the day of its own line."""
        return self.filter(fact__on__lte=day)

    def on_newest_day(self) -> RatingListQuerySet:
        """Lists of the last day on which any were published."""
        return self.filter(on=self.order_by("-on").values("on")[:1])

    def with_label(self, label: str) -> RatingListQuerySet:
        """Lists by the label in an address (`parse_list_label`); none if invalid."""
        day = parse_list_label(label)
        return self.none() if day is None else self.filter(on=day)

    def in_month(self, label: str) -> RatingListQuerySet:
        """Lists published in the label's month, earliest first."""
        try:
            first = date.fromisoformat(f"{label[:7]}-01")
        except ValueError:
            return self.none()
        return self.filter(on__year=first.year, on__month=first.month).order_by("on")

    def without_content(self) -> RatingListQuerySet:
        return self.defer("content")


class RatingList(models.Model):
    """A published list of one track: frozen rows, canonical bytes, checksum. Triggers refuse any change."""

    federation = models.ForeignKey(Federation, on_delete=models.PROTECT, related_name="lists")
    track = models.CharField(max_length=24)
    on = models.DateField()
    revision = models.PositiveSmallIntegerField(default=1)
    supersedes = models.ForeignKey("self", on_delete=models.PROTECT, null=True, related_name="superseded_by")
    fact = models.ForeignKey(Fact, on_delete=models.PROTECT, related_name="lists")
    ledger = models.PositiveBigIntegerField()
    """The ledger's number at which the list was drawn up."""
    edition = models.CharField(max_length=60)
    program_version = models.CharField(max_length=40)
    program_sha256 = models.CharField(max_length=64)
    """The digest of the `ratings.pyz` that drew it up (`ProgramFile`)."""
    players = models.PositiveIntegerField()
    content = models.BinaryField()
    """The bytes under the checksum: lines of `number,rating,games`, without names."""
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
        """The day as addresses write it: `2026-11` for the first of a month, any other day in full."""
        return f"{self.on:%Y-%m}" if self.on.day == 1 else self.on.isoformat()

    @cached_property
    def taken_over_on(self) -> date | None:
        """The day on which the list was taken over with a history; None if it was published on its day."""
        return day_taken_over(self.federation, self.fact.number)

    def get_absolute_url(self) -> str:
        return f"{self.federation.get_absolute_url()}lists/{self.label}/{self.track}/"


class Gained(models.Func):
    """A row's gain since the list before, in floats, to order by and to index; null for newcomers."""

    arity = 2
    arg_joiner = " - "
    template = "(%(expressions)s)::double precision"
    output_field = models.FloatField()

    def as_sqlite(self, compiler: Any, connection: BaseDatabaseWrapper, **context: Any) -> tuple[str, Any]:
        template, joiner = "(CAST(%(expressions)s AS REAL))", " AS REAL) - CAST("
        return self.as_sql(compiler, connection, template=template, arg_joiner=joiner, **context)


class ListRowQuerySet(models.QuerySet["ListRow"]):
    def after(self, position: int, size: int) -> list[ListRow]:
        """The next rows behind a position of the list, at most `size`."""
        return list(self.filter(position__gt=position).order_by("position")[:size])

    def named(self, people: models.QuerySet[Player]) -> ListRowQuerySet:
        """The rows of the first 1,000 of these people and of entries merged into theirs, by key."""
        keys = list(people.values_list("pk", flat=True)[:1000])
        merged = Player.objects.filter(merged_into__in=keys).values_list("pk", flat=True)
        return self.filter(player_id__in=[*keys, *merged])

    def in_age_group(self, group: AgeGroup, on: date) -> ListRowQuerySet:
        """The rows of an age group, by year of birth; people of unknown age are in no group."""
        rows = self if group.least is None else self.filter(player__born__lte=on.year - group.least)
        return rows if group.most is None else rows.filter(player__born__gte=on.year - group.most)

    def moved(self) -> ListRowQuerySet:
        """Rows whose rating differs from the same player's on the list before."""
        return self.exclude(previous=None).exclude(previous=F("rating"))


class ListRow(models.Model):
    """One player's row of a published list."""

    rating_list = models.ForeignKey(
        RatingList, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="rows"
    )
    player = models.ForeignKey(
        Player, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="list_rows"
    )
    rank = models.PositiveIntegerField(_("rank"))
    position = models.PositiveIntegerField()
    """The row's unique place in the order shown; pages are cut by it."""
    rating = ExactDecimalField()
    previous = ExactDecimalField(null=True)
    """The rating on the list before; None if not on it."""
    games = models.PositiveIntegerField()
    status = models.CharField(max_length=20)

    objects = ListRowQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["rating_list", "position"], name="one_row_a_position")]
        indexes = [
            models.Index(fields=["player", "rating_list"], name="rows_of_a_player"),
            models.Index(fields=["rating_list", "games"], name="rows_by_games"),
            models.Index("rating_list", Gained("rating", "previous"), name="rows_by_gain"),
        ]

    def __str__(self) -> str:
        return f"{self.rank} {self.player_id}"


# ---- The results of the fold
class Version(models.Model):
    """Base of rows that keep a result of the fold as known from a line of the journal on."""

    since = models.PositiveBigIntegerField()
    """The number of the line from which it is known."""

    class Meta:
        abstract = True


class SupersededVersion(Version):
    """Base of rows that keep a result which held until a line of the journal replaced it."""

    until = models.PositiveBigIntegerField()
    """The number of the first line by which it no longer held."""

    class Meta:
        abstract = True


class RatingChange(models.Model):
    """A fact's change of one player's standing in one track; base of `Change` and `PastChange`. Only the fold
    writes here. The database checks no foreign key: a full re-rate writes millions of rows, and `verify`
    compares all.
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
    """The rating in force before; None if unrated."""
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
        """Order newest first, each with its source loaded for a page."""
        return self.select_related("fact__section__event").order_by("-order")

    def before(self, order: int) -> ChangeQuerySet:
        """Changes before a place in the order, for pages of a long history."""
        return self.filter(order__lt=order)


class Change(RatingChange, Version):
    """A change as known now."""

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
    """The federation-wide part of the state after a fact that changed it; base of `Wide` and `PastWide`."""

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
    """The number of people whose rating changed."""

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
    """A federation-wide state as known now."""

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


# ---- Hints
class HintKind(StrEnum):
    """The kinds of hints, in the order in which a review shows them."""

    SAME_EVENT = "same-event"
    TWO_PLACES = "two-places"
    LOOK_ALIKE = "look-alike"
    FAR_SCORE = "far-score"


@dataclass(frozen=True, slots=True)
class HintFound:
    """Something odd that a search found in a section. `identity` and `evidence` hold JSON values: numbers of
    players, keys of sections, days in ISO form, decimals as text.
    """

    kind: HintKind
    identity: tuple[Any, ...]
    """The facts that make it this hint: while they stay, an answer to it holds."""
    evidence: dict[str, Any]
    players: tuple[str, ...] = ()
    """The numbers of the players concerned."""

    @property
    def key(self) -> str:
        """The hint's key within its section, the same for the same facts."""
        facts = json.dumps(self.identity, ensure_ascii=True, default=str)
        return f"{self.kind}-{hashlib.sha256(facts.encode()).hexdigest()[:20]}"


class HintsSearch(models.Model):
    """The newest search for hints in a section, and what it looked at, to know when it is outdated."""

    section = models.OneToOneField(Section, on_delete=models.CASCADE, related_name="hints_search")
    version = models.PositiveIntegerField()
    line = models.PositiveBigIntegerField()
    """The length of the journal then."""
    decision = models.PositiveBigIntegerField()
    """The number of the newest decision that can bring or take a hint."""
    far = models.PositiveSmallIntegerField()
    """The standard deviations from which a score was a hint (the office's setting)."""
    at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "searches for hints"

    def __str__(self) -> str:
        return f"{self.section_id}, version {self.version}"


class HintQuerySet(models.QuerySet["Hint"]):
    def current(self) -> HintQuerySet:
        """Hints found in the version of the section that waits."""
        return self.filter(section__stage="submitted", section__hints_search__version=F("section__version"))

    def open(self) -> HintQuerySet:
        """Current hints that no official has answered as right: those that approving leaves open."""
        right = HintAnswer.objects.filter(
            section=OuterRef("section"), key=OuterRef("key"), outcome=HintAnswer.Outcome.RIGHT
        )
        return self.current().exclude(Exists(right))


class Hint(models.Model):
    """A hint as it was found last. The worker replaces all hints of a section; answers outlast them."""

    KINDS = [(kind.value, kind.value) for kind in HintKind]
    section = models.ForeignKey(Section, on_delete=models.CASCADE, related_name="review_hints")
    kind = models.CharField(max_length=12, choices=KINDS)
    key = models.CharField(max_length=40)
    """See `HintFound.key`."""
    order = models.PositiveSmallIntegerField()
    evidence: models.JSONField[dict[str, object], dict[str, object]] = models.JSONField()
    players = models.ManyToManyField(Player, related_name="+")
    """The players concerned, for those who ask what is held about them."""

    objects = HintQuerySet.as_manager()

    class Meta:
        ordering = ("section", "order")
        constraints = [models.UniqueConstraint(fields=["section", "key"], name="one_hint_a_key")]

    def __str__(self) -> str:
        return f"{self.section_id}: {self.key}"


class HintAnswer(models.Model):
    """An official's answer to a hint, with the evidence that they saw; written once. A later answer to the
    same hint is a further row. The words are in the record of decisions alone, sealed.
    """

    class Outcome(models.TextChoices):
        RIGHT = "right", _("it is right")
        ASKED = "asked", _("the region was asked")

    section = models.ForeignKey(Section, on_delete=models.PROTECT, related_name="hint_answers")
    kind = models.CharField(max_length=12, choices=Hint.KINDS)
    key = models.CharField(max_length=40)
    version = models.PositiveIntegerField()
    """The version of the section that the official saw."""
    outcome = models.CharField(max_length=10, choices=Outcome.choices)
    evidence: models.JSONField[dict[str, object], dict[str, object]] = models.JSONField()
    decision = models.OneToOneField(Decision, on_delete=models.PROTECT, related_name="+")
    remark = models.ForeignKey(Remark, on_delete=models.PROTECT, null=True, related_name="+")
    """The question to the region; None if it was not asked."""
    players = models.ManyToManyField(Player, related_name="+")

    class Meta:
        ordering = ("pk",)

    def __str__(self) -> str:
        return f"{self.section_id}: {self.outcome}"

    @property
    def words(self) -> str:
        """The official's words; empty if they were withdrawn."""
        return next((str(each.value) for each in self.decision.words.all() if each.key == "words"), "")


# ---- The rules that programs brought to an office
class RulesVersionQuerySet(models.QuerySet["RulesVersion"]):
    def waiting(self) -> RulesVersionQuerySet:
        """Rules that would change published results, and that nobody has decided to apply."""
        return self.filter(in_force_at=None, moves=True, decision=None)

    def waiting_in(self, federation: Federation, rules: str) -> RulesVersion | None:
        """The waiting rules with this hash, or None: those of other programs cannot be applied here."""
        rows = self.filter(federation=federation).waiting()
        return next((row for row in rows if row.rules == rules), None)


class RulesVersion(models.Model):
    """One state of a federation's rules, as a program brought it, and what it would change."""

    federation = models.ForeignKey(Federation, on_delete=models.PROTECT, related_name="rules_versions")
    rules = models.CharField(max_length=64)
    """The hash of the rules (`ratings.program`)."""
    program = models.CharField(max_length=40)
    """The version of the program that brought them."""
    compared_at = models.DateTimeField(null=True)
    """The moment at which they were last compared with what is stored; None: never."""
    line = models.PositiveBigIntegerField(default=0)
    """The line of the journal up to which they were compared."""
    moves = models.BooleanField(default=False)
    """Whether anything published would differ."""
    effects = models.JSONField(default=dict)
    """The differences found (`rules_change.effects`)."""
    decision = models.ForeignKey(Decision, on_delete=models.PROTECT, null=True, related_name="+")
    """The office's decision to apply them; None: not made, or not needed."""
    in_force_at = models.DateTimeField(null=True)
    """The moment since which the stored results are theirs; None: never."""
    left_at = models.DateTimeField(null=True)
    """The moment at which others replaced them; None: not yet."""

    objects = RulesVersionQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["federation", "rules"], name="one_row_of_rules")]

    def __str__(self) -> str:
        return f"{self.rules[:8]} of {self.program}"


class ProgramFile(models.Model):
    """One build of `ratings.pyz`, kept since the first list that it drew up. Triggers refuse any change."""

    version = models.CharField(max_length=40)
    sha256 = models.CharField(max_length=64, unique=True)
    content = models.BinaryField()

    def __str__(self) -> str:
        return f"{self.version} {self.sha256[:8]}"


# ---- Figures that the worker keeps ready for pages
class ReviewFigures(models.Model):
    """The number of ratings that approving a section would change, first ones among them, and the most
    points: for its version and for the journal up to a line. The worker computes them again when either has
    moved.
    """

    section = models.OneToOneField(Section, on_delete=models.CASCADE, related_name="figures")
    version = models.PositiveIntegerField()
    line = models.PositiveBigIntegerField()
    """The length of the journal then."""
    at = models.DateTimeField()
    on = models.DateField()
    moves = models.PositiveIntegerField(null=True)
    """None: the section cannot be rated as it is."""
    most = ExactDecimalField(null=True)
    """The most points that an existing rating would gain or lose; None: none would."""

    class Meta:
        verbose_name_plural = "figures of reviews"

    def __str__(self) -> str:
        return f"{self.section_id}: {self.moves}"


class DoublesCount(models.Model):
    """The number of likely doubles in a register when the worker last looked."""

    federation = models.OneToOneField(Federation, on_delete=models.CASCADE, related_name="doubles_count")
    pairs = models.PositiveIntegerField()
    decision = models.PositiveBigIntegerField()
    """The number of the newest decision then."""
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.federation_id}: {self.pairs}"


class Following(models.Model):
    """A mail address that gets letters about a player, a region or the lists of a rating
    (`ratings/following.py`).
    """

    federation = models.ForeignKey(Federation, on_delete=models.CASCADE, related_name="followings")
    email = models.EmailField()
    about = models.CharField(max_length=60)
    """What is followed: `player NUMBER`, `region CODE` or `track CODE`."""
    language = models.CharField(max_length=10, blank=True)
    asked_at = models.DateTimeField()
    confirmed_on = models.DateField(null=True)
    """None: nothing is sent but the letter that asks to confirm the address."""
    told = models.PositiveBigIntegerField(default=0)
    """The line of the journal up to which letters were ordered."""
    sent_on = models.DateField(null=True)
    """The day of the newest letter."""

    class Meta:
        verbose_name_plural = "letters to followers"
        constraints = [
            models.UniqueConstraint(fields=["federation", "email", "about"], name="an_address_follows_once")
        ]

    def __str__(self) -> str:
        return self.about


class MergeOutlook(LeasedJob):
    """The ratings and sections that merging a pair of entries would change."""

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
    """The digest of what it was drawn from (`merging.mark_of`)."""
    content: Any = models.JSONField(default=dict)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["player", "into"], name="one_outlook_a_pair")]

    def __str__(self) -> str:
        return f"{self.player_id} into {self.into_id}: {self.state}"

    @property
    def working(self) -> bool:
        """Whether it waits for the worker or the worker is at it."""
        return self.state in (self.State.WAITING, self.State.DRAWING)
