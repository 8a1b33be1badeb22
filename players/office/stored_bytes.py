"""Files that an office keeps as rows: how many bytes there are, of how many that may be kept.

Whoever stores bytes holds the ledger's lock from before it asks here: two uploads at once cannot pass a limit
together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from django.apps import apps
from django.db import models
from django.db.models import Sum
from django.db.models.functions import Coalesce, Length
from django.template.defaultfilters import filesizeformat
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop

from players.office.decision_record import Refused
from players.office.models import Federation, Region
from players.office.settings_schema import settings_of

MEGABYTE = 1024 * 1024


class LetGoReason(models.TextChoices):
    """The reason for which bytes were deleted: the end of the sentence that pages say."""

    DECIDED = "decided", gettext_lazy("the time for appeals and the season after it were over")
    DRAFT = "draft", gettext_lazy("nobody had worked on the section for a long time")
    CALLED_OFF = "called-off", gettext_lazy("its section was cancelled or withdrawn a long time before")
    UNREADABLE = "unreadable", gettext_lazy("it could not be read")
    ARCHIVE = "archive", gettext_lazy("an archive is kept only until its files are with their sections")
    FORGOTTEN = "forgotten", gettext_lazy("the name of whom it is about was deleted")
    TABLE = "table", gettext_lazy("a table is kept only for some time after it was used")


class KeepsBytes(models.Model):
    """A row that keeps a file's bytes, which count against the limits of its office and its region."""

    byte_columns: ClassVar[tuple[str, ...]] = ("content",)
    to_federation: ClassVar[str] = "federation"
    to_region: ClassVar[str] = ""
    """The path to the region that filed it; empty: the office's own."""
    let_go_on = models.DateField(null=True)
    """The day on which the bytes were deleted by the rule of retention; the rest of the row stays."""
    let_go_because = models.CharField(max_length=10, choices=LetGoReason.choices, blank=True)

    class Meta:
        abstract = True


def let_go_words(row: KeepsBytes) -> str:
    """Say when and why a row's bytes were deleted; empty if they are there."""
    if row.let_go_on is None:
        return ""
    words = _(
        "The file itself was deleted on %(day)s, because %(reason)s. Its name, size and SHA-256 are kept."
    )
    return words % {
        "day": date_format(row.let_go_on, "DATE_FORMAT"),
        "reason": row.get_let_go_because_display(),
    }


@dataclass(frozen=True, slots=True)
class StorageUse:
    """Bytes kept for a region or for a whole office, and the most that may be."""

    holder: str
    used: int
    most: int
    of_region: bool = False

    def __str__(self) -> str:
        return _("%(used)s of %(most)s") % self.in_words

    @property
    def in_words(self) -> dict[str, str]:
        return {"holder": self.holder, "used": filesizeformat(self.used), "most": filesizeformat(self.most)}

    @property
    def left(self) -> int:
        return max(0, self.most - self.used)


class NoRoom(Refused):
    """A refusal of bytes beyond what a region or an office may keep; `params` fill the stored reason."""

    def __init__(self, use: StorageUse, more: int) -> None:
        self.params = {**use.in_words, "more": filesizeformat(more)}
        words = OF_REGION if use.of_region else OF_OFFICE
        super().__init__(_(words) % self.params)


OF_REGION = gettext_noop(
    "There is no room for this file (%(more)s): of the %(most)s of files that may be kept for %(holder)s, "
    "%(used)s are in use. Nothing was stored. Remove files of sections and ZIP archives that you do not "
    "need, or ask the office for more room."
)
OF_OFFICE = gettext_noop(
    "There is no room for this file (%(more)s): of the %(most)s of files that this office may keep, "
    "%(used)s are in use. Nothing was stored. An administrator of the office can raise the limit in the "
    "settings."
)


def use_of_office(federation: Federation) -> StorageUse:
    most = settings_of(federation).office_megabytes * MEGABYTE
    return StorageUse(federation.name, _kept(federation), most)


def use_of_region(region: Region) -> StorageUse:
    most = settings_of(region.federation).region_megabytes * MEGABYTE
    return StorageUse(region.name, _kept(region.federation, region), most, of_region=True)


def refuse_beyond_room(more: int, federation: Federation, region: Region | None = None) -> None:
    """Raise `NoRoom` if so many more bytes are more than the region, or the office, may keep.

    The caller holds the ledger's lock.
    """
    uses = ([use_of_region(region)] if region else []) + [use_of_office(federation)]
    for use in uses:
        if more > use.left:
            raise NoRoom(use, more)


def _kept(federation: Federation, region: Region | None = None) -> int:
    """The bytes kept in all tables of files of an office, or of one region's events alone."""
    total = 0
    for model in apps.get_models():
        if issubclass(model, KeepsBytes) and (region is None or model.to_region):
            where = {model.to_federation: federation} | ({model.to_region: region} if region else {})
            rows = model._default_manager.filter(**where).order_by()
            lengths = (Coalesce(Length(column), 0) for column in model.byte_columns)
            total += rows.aggregate(total=Sum(sum(lengths, start=models.Value(0))))["total"] or 0
    return total
