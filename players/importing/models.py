"""A table that is to change the register: the row is the job, and its lines tell what each row would do."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from players.office.job_lease import LeasedJob
from players.office.models import Federation
from players.office.stored_bytes import KeepsBytes
from players.register.models import Player


class RegisterImport(LeasedJob, KeepsBytes):
    """A table of players as uploaded, its dry run, and the worker's progress with either.

    Attempts are counted at the dry run, and anew at the writing.
    """

    byte_columns = ("content", "reading")
    silence = timedelta(minutes=1)
    """A worker gives two signs a second, and the database may let it wait half a minute for a lock."""

    class State(models.TextChoices):
        WAITING = "waiting", _("waiting to be read")
        READING = "reading", _("being compared")
        UNNAMED = "unnamed", _("columns to be named")
        PLANNED = "planned", _("to be confirmed")
        CONFIRMED = "confirmed", _("waiting to be written")
        WRITING = "writing", _("being written")
        WRITTEN = "written", _("written")
        REFUSED = "refused", _("refused")
        DISCARDED = "discarded", _("discarded")

    federation = models.ForeignKey(Federation, on_delete=models.PROTECT, related_name="register_imports")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    at = models.DateTimeField()
    on = models.DateField()
    name = models.CharField(max_length=200)
    """The file's name as given; never used as a path."""
    size = models.PositiveIntegerField()
    sha256 = models.CharField(max_length=64)
    content = models.BinaryField(null=True)
    """The uploaded bytes; None once the table was discarded or let go."""
    takes_numbers = models.BooleanField(default=False)
    """Whether a number that the register does not know is a new player's."""
    reading = models.BinaryField(null=True)
    """The box's reading of the content (`formats.long_table`), compressed: it is opened there only once."""
    head = models.JSONField(default=dict)
    """The table's headings, a few values of each column, what the columns were taken for, and its rows."""
    naming = models.JSONField(default=dict)
    """A person's word on the columns (`named_columns.Naming`); empty: nobody had to say anything."""
    opening = models.JSONField(default=dict)
    """For a table of opening ratings: its track, day and source (`openings.OpeningTerms`); else empty."""
    coming_list = models.JSONField(default=list)
    """For such a table: the first rows of the list that would come out (`OpeningReader.listed`)."""
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    progress = models.PositiveSmallIntegerField(default=0)
    """Per cent of the work done."""
    reason = models.JSONField(default=dict)
    """The reason why it was refused or not written: a key of `problem_messages`, with `line` and `params`."""
    notices = models.JSONField(default=list)
    counts = models.JSONField(default=dict)
    """The number of rows of the dry run by kind."""
    digest = models.CharField(max_length=64, blank=True)
    """The digest of the whole dry run: a person confirms it, and writing must give it again."""
    stale = models.BooleanField(default=False)
    """Whether the register changed after somebody confirmed, so that this is a new dry run."""
    leave_out = models.BooleanField(default=False)
    """Whether the person who confirmed chose to go on without the rows that have problems."""
    confirmed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    confirmed_on = models.DateField(null=True)

    class Meta:
        ordering = ("-id",)
        indexes = [models.Index(fields=["state"], name="register_imports_by_state")]

    def __str__(self) -> str:
        return self.name

    @property
    def working(self) -> bool:
        """Whether the table waits for the worker, or the worker is at it."""
        return self.state in WORKING

    @property
    def discardable(self) -> bool:
        """Whether a person may discard the table: nobody works on it, and nothing of it is written."""
        return self.state in DISCARDABLE

    @property
    def nameable(self) -> bool:
        """Whether a person may say what the columns hold."""
        return self.state in NAMEABLE

    @property
    def writes(self) -> bool:
        """Whether the table is confirmed, and waits to be written or is being written."""
        return self.state in (self.State.CONFIRMED, self.State.WRITING)


State = RegisterImport.State
DISCARDABLE = (State.WAITING, State.UNNAMED, State.PLANNED, State.REFUSED)
NAMEABLE = (State.UNNAMED, State.PLANNED)
WORKING = (State.WAITING, State.READING, State.CONFIRMED, State.WRITING)


class NamedColumns(models.Model):
    """A naming of a table's columns, remembered for the next table with these headings."""

    federation = models.ForeignKey(Federation, on_delete=models.CASCADE, related_name="+")
    key = models.CharField(max_length=64)
    naming = models.JSONField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["federation", "key"], name="one_naming_a_head")]

    def __str__(self) -> str:
        return self.key


class RegisterLine(models.Model):
    """The effect of one row of an imported table on the register. Private: it holds births."""

    class Kind(models.TextChoices):
        NEW = "new", _("new")
        CHANGED = "changed", _("changed")
        UNCHANGED = "unchanged", _("unchanged")
        PROBLEM = "problem", _("with problems")

    register_import = models.ForeignKey(
        RegisterImport, on_delete=models.CASCADE, related_name="lines", db_index=False
    )
    line = models.PositiveIntegerField()
    """The line of the file, counted from 1."""
    kind = models.CharField(max_length=10, choices=Kind.choices)
    player = models.ForeignKey(
        Player, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, null=True, related_name="+"
    )
    number = models.CharField(max_length=30, blank=True)
    """The player's number, or the one for a new player; empty until written: the next free one."""
    name = models.CharField(max_length=201, blank=True)
    changes = models.JSONField(default=dict)
    """Before and after by column, as the table writes them."""
    opening = models.JSONField(default=dict)
    """The opening that the row brings: `rating`, `games`; `by`: who it is was told by the name alone."""
    problems = models.JSONField(default=list)
    """Problems, each with `column`, `key` of `problem_messages.PROBLEMS` and `params`."""

    class Meta:
        ordering = ("line",)
        indexes = [
            models.Index(fields=["register_import", "line"], name="register_lines_in_order"),
            models.Index(fields=["register_import", "kind", "line"], name="register_lines_by_kind"),
        ]

    def __str__(self) -> str:
        return f"{self.line}: {self.kind} {self.number}"
