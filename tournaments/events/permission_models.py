"""Permissions that a region asks of the office for a section: before it is played or after."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from tournaments.events.models import Section


class PermissionRequestQuerySet(models.QuerySet["PermissionRequest"]):
    def open(self) -> PermissionRequestQuerySet:
        """Requests that nobody has answered, the oldest first."""
        return self.filter(state=PermissionRequest.State.ASKED).order_by("asked_on", "pk")


class PermissionRequest(models.Model):
    """A region's request that the office permit what a clause lets it permit, and the answer."""

    class State(models.TextChoices):
        ASKED = "asked", _("asked for")
        GRANTED = "granted", _("granted")
        REFUSED = "refused", _("refused")

    section = models.ForeignKey(Section, on_delete=models.PROTECT, related_name="permission_requests")
    clause = models.CharField(_("clause"), max_length=20)
    reason = models.TextField(_("reason"))
    state = models.CharField(max_length=10, choices=State.choices, default=State.ASKED)
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    asked_on = models.DateField()
    answered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    answered_on = models.DateField(null=True)
    answer = models.TextField(blank=True)
    """The office's words: why it refuses or, where it wrote any, on what terms it grants."""

    objects = PermissionRequestQuerySet.as_manager()

    class Meta:
        ordering = ("asked_on", "pk")
        constraints = [
            models.UniqueConstraint(
                fields=["section", "clause"], condition=Q(state="asked"), name="one_open_request_a_clause"
            )
        ]

    def __str__(self) -> str:
        return f"{self.section_id} §{self.clause}: {self.state}"
