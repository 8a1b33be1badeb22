from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from players.office.models import User


class PastSignIn(models.Model):
    """A sign-in to an account, or a try that failed, for the person to see: without the whole address, and
    without a browser's version.
    """

    class Outcome(models.TextChoices):
        SIGNED_IN = "signed-in", _("signed in")
        WRONG_PASSWORD = "wrong-password", _("failed: wrong password")
        WRONG_CODE = "wrong-code", _("failed: wrong code")

    user = models.ForeignKey(User, on_delete=models.CASCADE, null=True, related_name="sign_ins")
    """None within one transaction alone: a try at an address that nobody has, written and taken back."""
    at = models.DateTimeField(default=timezone.now)
    outcome = models.CharField(max_length=15, choices=Outcome.choices)
    network = models.CharField(max_length=45, blank=True)
    """The first part of the address (`shortened`)."""
    device = models.CharField(max_length=40, blank=True)
    """Browser and system (`kind_of_device`)."""

    class Meta:
        ordering = ("-at", "-pk")
        verbose_name_plural = "sign-ins of late"
        indexes = [models.Index(fields=["user", "-at"])]

    def __str__(self) -> str:
        return f"{self.user_id}: {self.outcome}"
