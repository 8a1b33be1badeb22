"""Appeals of regions against the office's refusal to rate a section."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from players.office.models import Decision
from tournaments.events.models import Section


class AppealQuerySet(models.QuerySet["Appeal"]):
    def open(self) -> AppealQuerySet:
        """Appeals that nobody has decided, the oldest first."""
        return self.filter(state=Appeal.State.OPEN).order_by("on", "pk")


class Appeal(models.Model):
    """A region's appeal against one refusal, and what came of it."""

    class State(models.TextChoices):
        OPEN = "open", _("to be decided")
        UPHELD = "upheld", _("upheld")
        DISMISSED = "dismissed", _("dismissed")

    section = models.ForeignKey(Section, on_delete=models.PROTECT, related_name="appeals")
    refusal = models.OneToOneField(Decision, on_delete=models.PROTECT, related_name="appeal")
    """The decision appealed against: each refusal has one appeal."""
    reason = models.TextField(_("reason"))
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    on = models.DateField()
    state = models.CharField(max_length=10, choices=State.choices, default=State.OPEN)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    decided_on = models.DateField(null=True)
    answer = models.TextField(blank=True)
    """The office's words on what it decided."""

    objects = AppealQuerySet.as_manager()

    class Meta:
        ordering = ("on", "pk")

    def __str__(self) -> str:
        return f"{self.section_id}: {self.state}"
