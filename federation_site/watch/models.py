from django.db import models


class SignOfLife(models.Model):
    """When something that the office lives by was last done: the worker's sweep, a verification, a backup."""

    name = models.CharField(max_length=40, unique=True)
    at = models.DateTimeField()
    details = models.JSONField(default=dict)
    """What came of it: for `verify`, the differences of each office."""

    def __str__(self) -> str:
        return f"{self.name} at {self.at}"
