"""The journal's log as the database holds it: keys, checkpoints, witnesses' signatures, tiles. All rows are
written once and never changed (triggers).
"""

from __future__ import annotations

from django.db import models

from players.office.models import Federation
from ratings.proof.log import checkpoints, signed_notes


class LogKey(models.Model):
    """The public part of a key with which an office signs, or signed, its checkpoints; the newest key signs.

    The secret part is a file that the worker alone reads (`ratings.signing.keys`).
    """

    federation = models.ForeignKey(Federation, on_delete=models.PROTECT, related_name="log_keys")
    number = models.PositiveSmallIntegerField()
    origin = models.CharField(max_length=200)
    """The log's name, the first line of its checkpoints; it stays the same wherever the site moves."""
    vkey = models.CharField(max_length=300)
    reason = models.TextField(blank=True)
    """The reason why a new origin began, told in public."""
    at = models.DateTimeField()

    class Meta:
        ordering = ("-number",)
        constraints = [models.UniqueConstraint(fields=["federation", "number"], name="log_keys_are_numbered")]

    def __str__(self) -> str:
        return self.vkey

    @property
    def key(self) -> signed_notes.VerifierKey:
        return signed_notes.parse_key(self.vkey)


class CheckpointQuerySet(models.QuerySet["Checkpoint"]):
    def of(self, federation: Federation) -> CheckpointQuerySet:
        return self.filter(federation=federation)

    def newest_first(self) -> CheckpointQuerySet:
        """Order by origin, then by size: a list that was signed late does not hide a longer journal."""
        return self.order_by("-key__number", "-size", "-number")


class Checkpoint(models.Model):
    """A signed head of the journal's tree over its first `size` lines: for a list, a day, or a new key."""

    federation = models.ForeignKey(Federation, on_delete=models.PROTECT, related_name="checkpoints")
    number = models.PositiveBigIntegerField()
    key = models.ForeignKey(LogKey, on_delete=models.PROTECT, related_name="checkpoints")
    size = models.PositiveBigIntegerField()
    """The number of the journal's lines that it covers."""
    note = models.TextField()
    """The signed note itself (`ratings.proof.log.checkpoints`)."""
    edge = models.BinaryField()
    """Leaf hashes of the lines after the last full tile, which help to name an altered line."""
    at = models.DateTimeField()

    objects = CheckpointQuerySet.as_manager()

    class Meta:
        ordering = ("number",)
        constraints = [
            models.UniqueConstraint(fields=["federation", "number"], name="checkpoints_are_numbered")
        ]
        indexes = [models.Index(fields=["federation", "size"], name="checkpoints_by_size")]

    def __str__(self) -> str:
        return f"{self.number}: {self.size}"

    @property
    def head(self) -> checkpoints.Checkpoint:
        return checkpoints.read_checkpoint(self.note)

    @property
    def served(self) -> str:
        """The checkpoint as the public log gives it out: the note and the signatures of witnesses."""
        return self.note + "".join(each.line for each in self.cosignatures.all())


class Cosignature(models.Model):
    """A witness's signature under one of the office's checkpoints."""

    checkpoint = models.ForeignKey(Checkpoint, on_delete=models.PROTECT, related_name="cosignatures")
    vkey = models.CharField(max_length=300)
    line = models.TextField()
    """The signature line, with its newline."""
    at = models.DateTimeField()

    class Meta:
        ordering = ("pk",)
        constraints = [models.UniqueConstraint(fields=["checkpoint", "line"], name="cosigned_once")]

    def __str__(self) -> str:
        return self.line


class TreeTile(models.Model):
    """A full tile of the tree: 256 hashes, of leaves (level 0) or of the roots of full tiles below."""

    federation = models.ForeignKey(Federation, on_delete=models.PROTECT, related_name="+", db_index=False)
    level = models.PositiveSmallIntegerField()
    index = models.PositiveBigIntegerField()
    content = models.BinaryField()
    root = models.BinaryField()
    """The hash above it, kept because the right edge of the level above needs it."""

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["federation", "level", "index"], name="one_tile_a_place")
        ]

    def __str__(self) -> str:
        return f"tile/{self.level}/{self.index}"
