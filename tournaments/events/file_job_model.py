"""A stranger's file as a row: kept whole; the row is also the job of reading it."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from players.office.job_lease import LeasedJob
from players.office.models import Federation
from players.office.stored_bytes import KeepsBytes


class FileJob(LeasedJob, KeepsBytes):
    """A file and its job: a worker claims the row and reads the file, until it is `read` or `unreadable`."""

    silence = timedelta(minutes=1)
    """A reader gives two signs a second, and the database may let it wait half a minute for a lock."""

    class State(models.TextChoices):
        WAITING = "waiting", _("waiting to be read")
        READING = "reading", _("being read")
        READ = "read", _("read")
        UNREADABLE = "unreadable", _("unreadable")

    federation = models.ForeignKey(Federation, on_delete=models.PROTECT)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    at = models.DateTimeField()
    on = models.DateField()
    name = models.CharField(max_length=200)
    """As given; never used as a path."""
    size = models.PositiveIntegerField()
    sha256 = models.CharField(max_length=64)
    content = models.BinaryField(null=True)
    """None once the bytes were let go (`let_go_on`)."""
    state = models.CharField(max_length=12, choices=State.choices, default=State.WAITING)
    progress = models.PositiveSmallIntegerField(default=0)
    """Per cent."""
    reason = models.TextField(blank=True)
    """The reason why it could not be read."""

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return self.name

    @property
    def waits(self) -> bool:
        """Whether the file is still to be read, or being read."""
        return self.state in (self.State.WAITING, self.State.READING)
