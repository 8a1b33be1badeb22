"""Files as they were uploaded: a section's event files, and archives with the files of several sections."""

from __future__ import annotations

from django.db import models

from players.office.stored_bytes import KeepsBytes
from tournaments.events.file_job_model import FileJob
from tournaments.events.models import Event, Section

FORMATS = ("TRF06", "TRF16", "TRF26", "ELO", "Table", "Cross table", "Games abroad")
"""Dialects of files that do not name their program."""


class UploadQuerySet(models.QuerySet["Upload"]):
    def waiting(self) -> UploadQuerySet:
        return self.filter(state__in=(Upload.State.WAITING, Upload.State.READING))

    def newest(self) -> Upload | None:
        """The upload that came, or came again, last; it may be unreadable."""
        return self.order_by("-at", "-pk").first()

    def held(self) -> Upload | None:
        """The newest upload that could be read: its content is what the section holds."""
        return self.filter(state=Upload.State.READ).newest()


class Upload(FileJob):
    """An event file, kept whole; the row is also the job of reading it."""

    to_region = "section__event__region"
    section = models.ForeignKey(Section, on_delete=models.PROTECT, related_name="uploads")
    dialect = models.CharField(max_length=40, blank=True)

    objects = UploadQuerySet.as_manager()

    @property
    def program(self) -> str:
        """The program that wrote the file; empty if only its format is known, which is no program."""
        return "" if self.dialect in FORMATS else self.dialect

    class Meta:
        ordering = ("-id",)
        constraints = [models.UniqueConstraint(fields=["federation", "sha256"], name="a_file_is_kept_once")]
        indexes = [models.Index(fields=["state"])]


class Archive(FileJob):
    """A ZIP with files of several sections, kept whole; the row is also the job of unpacking it and of
    looking at each file. A person then says which section each file belongs to.
    """

    to_region = "event__region"
    event = models.ForeignKey(Event, on_delete=models.PROTECT, related_name="archives")
    section = models.ForeignKey(Section, on_delete=models.PROTECT, null=True, related_name="archives")
    """The section on whose page it was uploaded; None: on the event's."""

    class Meta:
        ordering = ("-at", "-id")
        constraints = [
            models.UniqueConstraint(fields=["federation", "sha256"], name="an_archive_is_kept_once")
        ]
        indexes = [models.Index(fields=["state"])]

    def get_absolute_url(self) -> str:
        return f"{self.event.get_absolute_url()}sections/zip/{self.pk}/"


class ArchivedFile(KeepsBytes):
    """One file of an archive: what it says of itself, and the upload that it became."""

    to_federation, to_region = "archive__federation", "archive__event__region"
    archive = models.ForeignKey(Archive, on_delete=models.CASCADE, related_name="files")
    number = models.PositiveSmallIntegerField()
    """Place in the archive's order, from 1."""
    name = models.CharField(max_length=200)
    """With its folders, as in the archive; never used as a path."""
    size = models.PositiveIntegerField()
    sha256 = models.CharField(max_length=64, blank=True)
    content = models.BinaryField(null=True)
    """None if it is an upload, or no event file: then the archive alone has it."""
    seen = models.BooleanField(default=False)
    """Whether it was looked at."""
    reason = models.TextField(blank=True)
    """The reason why it is not an event file, as in `Upload.reason`."""
    blocked = models.BooleanField(default=False)
    """Whether something must be put right in it."""
    tournament = models.CharField(max_length=100, blank=True)
    dialect = models.CharField(max_length=40, blank=True)
    kind = models.CharField(max_length=100, blank=True)
    """The format of play in the file's own words."""
    players = models.PositiveIntegerField(null=True)
    rounds = models.PositiveSmallIntegerField(null=True)
    starts = models.DateField(null=True)
    ends = models.DateField(null=True)
    team = models.BooleanField(default=False)
    time_control = models.JSONField(null=True)
    """As the journal writes it, where the file's words leave no doubt."""
    left_out = models.BooleanField(default=False)
    """A person said that it belongs to no section."""
    upload = models.ForeignKey(Upload, on_delete=models.SET_NULL, null=True, related_name="archived")

    class Meta:
        ordering = ("number",)
        constraints = [
            models.UniqueConstraint(fields=["archive", "number"], name="archived_files_stand_in_order")
        ]

    def __str__(self) -> str:
        return self.name
