"""A section's review as the office keeps it: the official who is on it, the remarks, what each file said."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from players.office.models import Decision, DecisionWords
from players.register.models import Player
from tournaments.events.file_models import Upload
from tournaments.events.models import Section


class SectionTaking(models.Model):
    """An official's word “I am on it”: advice to the others, and no lock."""

    section = models.OneToOneField(Section, on_delete=models.CASCADE, related_name="taking")
    official = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    since = models.DateTimeField()

    class Meta:
        verbose_name_plural = "sections taken"

    def __str__(self) -> str:
        return f"{self.section_id}: {self.official}"


class RemarkQuerySet(models.QuerySet["Remark"]):
    def for_region(self) -> RemarkQuerySet:
        """Remarks that the region may read: all but the office's own notes."""
        return self.exclude(kind=Remark.Kind.NOTE)


class Remark(models.Model):
    """Something said of a section by its region or the office. Its words stand in the record of decisions
    alone, sealed: withdrawn there, they are gone here too.
    """

    class Kind(models.TextChoices):
        RETURN = "return", _("returned")
        REFUSE = "refuse", _("refused")
        UNRATE = "unrate", _("un-rated")
        QUESTION = "question", _("question")
        ANSWER = "answer", _("answer")
        NOTE = "note", _("note of the office")

    section = models.ForeignKey(Section, on_delete=models.CASCADE, related_name="thread")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    at = models.DateTimeField()
    decision = models.ForeignKey(Decision, on_delete=models.PROTECT, related_name="+")
    sealed_words = models.ForeignKey(DecisionWords, on_delete=models.SET_NULL, null=True, related_name="+")
    """The words as the record keeps them; None: they were withdrawn."""
    place = models.PositiveSmallIntegerField(null=True)
    """The place among several remarks of one decision; None: it is all that the decision says."""
    answers_to = models.ForeignKey("self", on_delete=models.CASCADE, null=True, related_name="answers")
    tie = models.CharField(max_length=10, blank=True)
    """The kind of thing spoken of: `line`, `game`, `entry`, `finding`; empty: the section."""
    tied_to: models.JSONField[dict[str, object], dict[str, object]] = models.JSONField(default=dict)
    """The thing by its numbers in the file of that day, for a later file may have it elsewhere."""
    upload = models.ForeignKey(Upload, on_delete=models.SET_NULL, null=True, related_name="+")
    """The file that the section held when this was said."""
    players = models.ManyToManyField(Player, related_name="+")
    """The players of the game or entry spoken of, for who asks what is held about them."""

    objects = RemarkQuerySet.as_manager()

    class Meta:
        ordering = ("at", "pk")

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}"

    @property
    def words(self) -> str:
        """The words, empty if they were withdrawn."""
        if self.sealed_words is None:
            return ""
        value = self.sealed_words.value
        return str(value if self.place is None else value[self.place]["words"])

    @property
    def about(self) -> str:
        """The thing spoken of, as it was called that day; empty for the section, or where words are gone."""
        if self.sealed_words is None:
            return ""
        if self.place is None:
            return next((str(one.value) for one in self.decision.words.all() if one.key == "named"), "")
        return str(self.sealed_words.value[self.place]["about"])


class FiledSheet(models.Model):
    """A file's content when it was read, in short, to be compared with another of its section. It goes with
    the file's bytes.
    """

    upload = models.OneToOneField(Upload, on_delete=models.CASCADE, related_name="sheet")
    content: models.JSONField[dict[str, object], dict[str, object]] = models.JSONField()
    lines: models.JSONField[dict[str, str], dict[str, str]] = models.JSONField(default=dict)
    """The lines that pages quote, by their numbers."""

    class Meta:
        verbose_name_plural = "sheets of files"

    def __str__(self) -> str:
        return str(self.upload)
