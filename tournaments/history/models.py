"""A history that moves in: the row is the job, its files are read one by one, answers are kept as rows."""

from __future__ import annotations

import hashlib
from datetime import timedelta

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from players.office.job_lease import LeasedJob
from players.office.models import Federation
from players.office.stored_bytes import KeepsBytes
from tournaments.events.models import Section


class History(LeasedJob, KeepsBytes):
    """Event files of the past with a table beside them, and the worker's progress with both.

    Attempts are counted at each step anew: reading, checking, writing.
    """

    byte_columns = ("content", "table", "who_is_who")
    silence = timedelta(minutes=1)
    """A worker gives a sign after each file, which takes half a minute at most."""

    class State(models.TextChoices):
        WAITING = "waiting", _("waiting to be read")
        READING = "reading", _("being read")
        ASKED = "asked", _("waiting to be checked")
        CHECKING = "checking", _("being checked")
        CHECKED = "checked", _("checked")
        CONFIRMED = "confirmed", _("waiting to be written")
        WRITING = "writing", _("being written")
        WRITTEN = "written", _("written")
        REFUSED = "refused", pgettext_lazy("files of the past", "refused")
        DISCARDED = "discarded", _("discarded")

    federation = models.ForeignKey(Federation, on_delete=models.PROTECT, related_name="histories")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    at = models.DateTimeField()
    on = models.DateField()
    name = models.CharField(max_length=200)
    """The archive's name as given; never used as a path."""
    source = models.CharField(max_length=100)
    """The words of the journal's `taken_over` line: whose past this is, of which years."""
    size = models.PositiveIntegerField()
    sha256 = models.CharField(max_length=64)
    content = models.BinaryField(null=True)
    """The archive's bytes, until its files are rows."""
    table = models.BinaryField(null=True)
    """The bytes of the table beside the files, until it is read."""
    table_name = models.CharField(max_length=200, blank=True)
    rows: models.JSONField[list[dict[str, str]], list[dict[str, str]]] = models.JSONField(default=list)
    """The table as it was read: for each row its cells by column, and its `line`."""
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    progress = models.PositiveSmallIntegerField(default=0)
    """Per cent of the work done."""
    reason = models.TextField(blank=True)
    """The reason why it was refused or not written (`store_reading.as_reason`)."""
    outcome: models.JSONField[dict[str, object], dict[str, object]] = models.JSONField(default=dict)
    """The newest check's result: counts, questions grouped by cause, and the ratings that would come out."""
    who_is_who = models.BinaryField(null=True)
    """The newest check's table of everybody whom the files name (`who_is_who.write`), until it is written."""
    digest = models.CharField(max_length=64, blank=True)
    """The digest of the lines that would be written: a person confirms it, and writing must give it again."""
    stale = models.BooleanField(default=False)
    """Whether the office changed after somebody confirmed, so that this is a new check."""
    confirmed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    confirmed_on = models.DateField(null=True)

    class Meta:
        ordering = ("-id",)
        verbose_name_plural = "histories"
        indexes = [models.Index(fields=["state"], name="histories_by_state")]

    def __str__(self) -> str:
        return self.name

    @property
    def working(self) -> bool:
        """Whether the history waits for the worker, or the worker is at it."""
        return self.state in WORKING

    @property
    def open(self) -> bool:
        """Whether a person may still change, answer or discard it."""
        return self.state in (self.State.CHECKED, self.State.REFUSED)


State = History.State
WORKING = (
    State.WAITING,
    State.READING,
    State.ASKED,
    State.CHECKING,
    State.CONFIRMED,
    State.WRITING,
)


class HistoryFile(KeepsBytes):
    """One event file of a history: its bytes, what its reader said, and the section that it became."""

    byte_columns = ("content", "reading")
    to_federation = "history__federation"
    history = models.ForeignKey(History, on_delete=models.CASCADE, related_name="files")
    number = models.PositiveIntegerField()
    """The place in the archive's order, from 1."""
    name = models.CharField(max_length=200)
    """With its folders, as in the archive; never used as a path."""
    size = models.PositiveIntegerField()
    sha256 = models.CharField(max_length=64, blank=True)
    content = models.BinaryField(null=True)
    """None once it is a section's upload, or where the archive's listing refused it."""
    reading = models.BinaryField(null=True)
    """The box's reading, compressed JSON; None: not read yet, or a section by now."""
    section = models.ForeignKey(Section, on_delete=models.PROTECT, null=True, related_name="+")

    class Meta:
        ordering = ("number",)
        constraints = [
            models.UniqueConstraint(fields=["history", "number"], name="files_of_a_history_stand_in_order")
        ]

    def __str__(self) -> str:
        return self.name


def digest_of_files(history: History) -> str:
    """The digest that the record keeps of a written history's files: of their own, in the archive's order."""
    rows = history.files.exclude(section=None).order_by("number")
    return hashlib.sha256("".join(rows.values_list("sha256", flat=True)).encode()).hexdigest()


class HistoryAnswer(models.Model):
    """A person's answer to a question of a history: for one subject, or for all of a kind."""

    ALL = "*"
    """The subject of an answer for all questions of its kind that have none of their own."""
    history = models.ForeignKey(History, on_delete=models.CASCADE, related_name="answers")
    kind = models.CharField(max_length=40)
    """The key of the question (`tournaments.history.questions`)."""
    subject = models.CharField(max_length=250)
    value = models.CharField(max_length=200)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    at = models.DateTimeField()

    class Meta:
        ordering = ("kind", "subject")
        constraints = [
            models.UniqueConstraint(fields=["history", "kind", "subject"], name="one_answer_a_question")
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.subject}: {self.value}"
