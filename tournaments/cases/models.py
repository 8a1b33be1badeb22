"""A case and its messages. Words and mail address stand here alone, never in the record: they go with it."""

from __future__ import annotations

from datetime import date

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext as now
from django.utils.translation import gettext_lazy as _

from players.office.access import Permission, Rights
from players.office.models import Federation, Region, User
from players.register.models import Player
from tournaments.events.models import Section

DAYS_ANSWERED = 60
"""Days without a word after which an answered case is closed by the clock."""


class CaseQuerySet(models.QuerySet["Case"]):
    def confirmed(self) -> CaseQuerySet:
        """Cases whose reporter confirmed the mail address: nobody is shown any other."""
        return self.exclude(state=Case.State.UNCONFIRMED)

    def waiting(self) -> CaseQuerySet:
        """Cases that wait for a word of region or office, the one due first before the others."""
        return self.filter(state=Case.State.OPEN).order_by("due", "pk")

    def within(self, rights: Rights, permission: Permission) -> CaseQuerySet:
        """Confirmed cases that a person may see: of their regions, or all of the office."""
        found = self.filter(federation=rights.federation).confirmed()
        if permission in rights.everywhere:
            return found
        return found.filter(region__in=rights.regions_for(permission))


class Case(models.Model):
    """A report of a mistake: what it is about, by whom, until when it is answered, how it ended."""

    class State(models.TextChoices):
        UNCONFIRMED = "unconfirmed", _("not confirmed")
        OPEN = "open", _("waits for an answer")
        ANSWERED = "answered", _("answered")
        CLOSED = "closed", _("closed")

    class Outcome(models.TextChoices):
        CORRECTED = "corrected", _("it was wrong and is corrected")
        NOTHING_WRONG = "nothing-wrong", _("nothing is wrong")
        NOT_OURS = "not-ours", _("others decide about it")
        WITHDRAWN = "withdrawn", _("the report was withdrawn")
        LAPSED = "lapsed", _("it was answered, and nobody wrote again")

    federation = models.ForeignKey(Federation, on_delete=models.PROTECT, related_name="cases")
    region = models.ForeignKey(Region, on_delete=models.PROTECT, null=True, related_name="cases")
    """The region that answers: the one that filed the section, or the player's; None: officials alone."""
    section = models.ForeignKey(Section, on_delete=models.CASCADE, null=True, related_name="cases")
    player = models.ForeignKey(Player, on_delete=models.CASCADE, null=True, related_name="cases")
    track = models.CharField(max_length=40, blank=True)
    line = models.PositiveBigIntegerField(null=True)
    """With `track`: the line of the journal whose working is meant."""
    email = models.EmailField(_("e-mail address"))
    name = models.CharField(_("name"), max_length=100, blank=True)
    language = models.CharField(max_length=10, blank=True, default="")
    """The language in which it was reported, and its letters are; empty: the office's own."""
    state = models.CharField(max_length=12, choices=State.choices, default=State.UNCONFIRMED)
    version = models.PositiveIntegerField(default=0)
    reported_at = models.DateTimeField()
    opened_on = models.DateField(null=True)
    """The day on which the mail address was confirmed."""
    due = models.DateField(null=True)
    """The last day for an answer."""
    closed_on = models.DateField(null=True)
    outcome = models.CharField(max_length=15, choices=Outcome.choices, blank=True)

    objects = CaseQuerySet.as_manager()

    class Meta:
        ordering = ("-pk",)
        verbose_name_plural = "reports of mistakes"
        constraints = [
            models.CheckConstraint(
                condition=Q(section__isnull=False) | Q(player__isnull=False),
                name="a_case_is_about_something",
            )
        ]
        indexes = [models.Index(fields=["federation", "state"])]

    def __str__(self) -> str:
        return now("Case %(number)s") % {"number": self.pk}

    def days_left(self, on: date) -> int | None:
        """The days until it is due, negative where it is late; None where no answer is awaited."""
        return (self.due - on).days if self.due and self.state == self.State.OPEN else None


class CaseMessage(models.Model):
    """One message in a case: of the reporter, the region or the office; a note never reaches the reporter."""

    class Author(models.TextChoices):
        REPORTER = "reporter", _("who reported it")
        REGION = "region", _("the region")
        OFFICE = "office", _("the office")

    case = models.ForeignKey(Case, on_delete=models.CASCADE, related_name="messages")
    author = models.CharField(max_length=10, choices=Author.choices)
    by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    """None: the reporter, or the office's own clock."""
    at = models.DateTimeField()
    words = models.TextField()
    internal = models.BooleanField(default=False)

    class Meta:
        ordering = ("pk",)
        verbose_name_plural = "messages in reports of mistakes"

    def __str__(self) -> str:
        return f"{self.case_id}: {self.author}"
