"""Published rating lists and their rows, as the database holds them."""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import F
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _

from players.office.models import Federation
from players.register.models import Player
from ratings.journal.days_taken_over import day_taken_over
from ratings.storage.decimal_field import ExactDecimalField

if TYPE_CHECKING:
    from ratings.equipment.publication_profile import AgeGroup
from ratings.journal.models import Fact

LABEL = re.compile(r"[0-9]{4}-[0-9]{2}(-[0-9]{2})?")


def day_of_label(label: str) -> date | None:
    """The day of a list by its label in an address; `2026-11`: the first of the month. None: it is no day."""
    if not LABEL.fullmatch(label):
        return None
    try:
        return date.fromisoformat(label if len(label) == 10 else f"{label}-01")
    except ValueError:
        return None


class RatingListQuerySet(models.QuerySet["RatingList"]):
    def of(self, federation: Federation) -> RatingListQuerySet:
        return self.filter(federation=federation)

    def current(self) -> RatingListQuerySet:
        """Lists in their newest version: without those that a revision supersedes."""
        return self.filter(superseded_by=None)

    def there_by(self, day: date) -> RatingListQuerySet:
        """Lists published by a day; a revision is there from the day of its own line."""
        return self.filter(fact__on__lte=day)

    def of_newest_day(self) -> RatingListQuerySet:
        """Lists of the last day on which any were published."""
        return self.filter(on=self.order_by("-on").values("on")[:1])

    def labelled(self, label: str) -> RatingListQuerySet:
        """Lists by the label in an address: `2026-11` is the first of the month; none if it is no day."""
        day = day_of_label(label)
        return self.none() if day is None else self.filter(on=day)

    def in_month_of(self, label: str) -> RatingListQuerySet:
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
        """The day on which the history of which this list is was taken over: it was computed afterwards, and
        never published on its own day; None: it was published.
        """
        return day_taken_over(self.federation, self.fact.number)

    def get_absolute_url(self) -> str:
        return f"{self.federation.get_absolute_url()}lists/{self.label}/{self.track}/"


class Gained(models.Func):
    """The points that a row's rating gained since the list before, to order by and to index; null for
    newcomers. A number of the database's own precision: what is shown comes from the exact ratings.
    """

    arity = 2
    arg_joiner = " - "
    template = "(%(expressions)s)::double precision"
    output_field = models.FloatField()

    def as_sqlite(self, compiler: Any, connection: BaseDatabaseWrapper, **context: Any) -> tuple[str, Any]:
        template, joiner = "(CAST(%(expressions)s AS REAL))", " AS REAL) - CAST("
        return self.as_sql(compiler, connection, template=template, arg_joiner=joiner, **context)


class ListRowQuerySet(models.QuerySet["ListRow"]):
    """Rows of lists."""

    def after(self, position: int, size: int) -> list[ListRow]:
        """The next rows behind a position of the list, at most `size`, however many stand before them."""
        return list(self.filter(position__gt=position).order_by("position")[:size])

    def named(self, people: models.QuerySet[Player]) -> ListRowQuerySet:
        """The rows of these people (the first 1,000), who are looked up first so that no list is searched; on
        older lists also as the entries that were merged into theirs.
        """
        keys = list(people.values_list("pk", flat=True)[:1000])
        merged = Player.objects.filter(merged_into__in=keys).values_list("pk", flat=True)
        return self.filter(player_id__in=[*keys, *merged])

    def of_age(self, group: AgeGroup, on: date) -> ListRowQuerySet:
        """The rows of an age group, by year of birth alone; people of unknown age are in no group."""
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
    """A number unique in the list, in the order shown; pages are cut by it."""
    rating = ExactDecimalField()
    previous = ExactDecimalField(null=True)
    """The rating on the list before; None: not on it."""
    games = models.PositiveIntegerField()
    status = models.CharField(max_length=20)

    objects = ListRowQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["rating_list", "position"], name="one_row_a_position"),
        ]
        indexes = [
            models.Index(fields=["player", "rating_list"], name="rows_of_a_player"),
            models.Index(fields=["rating_list", "games"], name="rows_by_games"),
            models.Index("rating_list", Gained("rating", "previous"), name="rows_by_gain"),
        ]

    def __str__(self) -> str:
        return f"{self.rank} {self.player_id}"

    @property
    def gain(self) -> Decimal | None:
        """The points gained since the list before; None for newcomers."""
        return None if self.previous is None else self.rating - self.previous


class ListTaking(models.Model):
    """An official's word that they publish the list of a day to come: advice to the others, and no lock.
    Where no regulation fixes the days, it also says that a list is planned.
    """

    federation = models.ForeignKey(Federation, on_delete=models.CASCADE, related_name="lists_taken")
    on = models.DateField()
    official = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    since = models.DateTimeField()

    class Meta:
        verbose_name_plural = "lists taken"
        constraints = [
            models.UniqueConstraint(fields=["federation", "on"], name="one_official_for_the_list_of_a_day")
        ]

    def __str__(self) -> str:
        return f"{self.on}: {self.official}"
