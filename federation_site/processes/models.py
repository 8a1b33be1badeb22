from django.db import models


class Message(models.Model):
    """A wake-up message to the embedded worker; without Redis this table is the queue."""

    queue = models.CharField(max_length=120)
    payload = models.TextField()

    class Meta:
        indexes = [models.Index(fields=["queue", "id"])]

    def __str__(self) -> str:
        return f"{self.queue} {self.pk}"
