from django.db import models


class SignOfLife(models.Model):
    """The last time at which a thing was done: the worker's sweep, a verification, a backup."""

    name = models.CharField(max_length=40, unique=True)
    at = models.DateTimeField()
    details = models.JSONField(default=dict)
    """The outcome: for `verify`, the differences of each office."""

    def __str__(self) -> str:
        return f"{self.name} at {self.at}"
