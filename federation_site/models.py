"""Models: signs of life, messages of the broker without Redis, and sign-ins."""

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from players.models import User


class SignOfLife(models.Model):
    """When something was last done: the worker's sweep, a verification, a backup."""

    name = models.CharField(max_length=40, unique=True)
    at = models.DateTimeField()
    details = models.JSONField(default=dict)
    """The outcome: for `verify`, the differences of each office."""

    def __str__(self) -> str:
        return f"{self.name} at {self.at}"


class Message(models.Model):
    """A message to a worker; without Redis, this table is the queue."""

    queue = models.CharField(max_length=120)
    payload = models.TextField()

    class Meta:
        indexes = [models.Index(fields=["queue", "id"])]

    def __str__(self) -> str:
        return f"{self.queue} {self.pk}"


class PastSignIn(models.Model):
    """A sign-in to an account or a failed attempt, to be shown to its owner."""

    class Outcome(models.TextChoices):
        SIGNED_IN = "signed-in", _("signed in")
        WRONG_PASSWORD = "wrong-password", _("failed: wrong password")
        WRONG_CODE = "wrong-code", _("failed: wrong code")

    user = models.ForeignKey(User, on_delete=models.CASCADE, null=True, related_name="sign_ins")
    """None only within a transaction, for an attempt with an unknown e-mail address, deleted at once."""
    at = models.DateTimeField(default=timezone.now)
    outcome = models.CharField(max_length=15, choices=Outcome.choices)
    network = models.CharField(max_length=45, blank=True)
    """The first part of the IP address."""
    device = models.CharField(max_length=40, blank=True)
    """Browser and system, without versions."""

    class Meta:
        ordering = ("-at", "-pk")
        verbose_name_plural = "sign-ins of late"
        indexes = [models.Index(fields=["user", "-at"])]

    def __str__(self) -> str:
        return f"{self.user_id}: {self.outcome}"
