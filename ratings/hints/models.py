"""Hints of sections that wait for an official, as the worker found them, and the officials' answers."""

from __future__ import annotations

from django.db import models
from django.db.models import Exists, F, OuterRef
from django.utils.translation import gettext_lazy as _

from players.office.models import Decision
from players.register.models import Player
from ratings.hints.hint import HintKind
from tournaments.events.models import Section
from tournaments.review.models import Remark


class HintsSearch(models.Model):
    """The newest search for hints in a section: what it looked at, by which it is known to be overtaken."""

    section = models.OneToOneField(Section, on_delete=models.CASCADE, related_name="hints_search")
    version = models.PositiveIntegerField()
    line = models.PositiveBigIntegerField()
    """The number of the journal's lines at that moment."""
    decision = models.PositiveBigIntegerField()
    """The number of the newest decision on record that can bring or take a hint (`draw_up_hints.NO_MATTER`).
    """
    far = models.PositiveSmallIntegerField()
    """The standard deviations from which a score was a hint (the office's setting)."""
    at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "searches for hints"

    def __str__(self) -> str:
        return f"{self.section_id}, version {self.version}"


class HintQuerySet(models.QuerySet["Hint"]):
    def current(self) -> HintQuerySet:
        """Hints found in the very version of the section that waits."""
        return self.filter(section__stage="submitted", section__hints_search__version=F("section__version"))

    def open(self) -> HintQuerySet:
        """Current hints of which no official has said that all is right: those that approving leaves open."""
        right = HintAnswer.objects.filter(
            section=OuterRef("section"), key=OuterRef("key"), outcome=HintAnswer.Outcome.RIGHT
        )
        return self.current().exclude(Exists(right))


class Hint(models.Model):
    """A hint as it was found last. The worker draws all of a section up anew; answers outlast them."""

    KINDS = [(kind.value, kind.value) for kind in HintKind]
    section = models.ForeignKey(Section, on_delete=models.CASCADE, related_name="review_hints")
    kind = models.CharField(max_length=12, choices=KINDS)
    key = models.CharField(max_length=40)
    """The same while the hint's facts are the same (`HintFound.key`)."""
    order = models.PositiveSmallIntegerField()
    evidence: models.JSONField[dict[str, object], dict[str, object]] = models.JSONField()
    players = models.ManyToManyField(Player, related_name="+")
    """The players of whom it speaks, for who asks what is held about them."""

    objects = HintQuerySet.as_manager()

    class Meta:
        ordering = ("section", "order")
        constraints = [models.UniqueConstraint(fields=["section", "key"], name="one_hint_a_key")]

    def __str__(self) -> str:
        return f"{self.section_id}: {self.key}"


class HintAnswer(models.Model):
    """An official's answer to a hint, with the evidence that they saw. Written once: a later answer to the
    same hint stands beside it. The words stand in the record of decisions alone, sealed.
    """

    class Outcome(models.TextChoices):
        RIGHT = "right", _("it is right")
        ASKED = "asked", _("the region was asked")

    section = models.ForeignKey(Section, on_delete=models.PROTECT, related_name="hint_answers")
    kind = models.CharField(max_length=12, choices=Hint.KINDS)
    key = models.CharField(max_length=40)
    version = models.PositiveIntegerField()
    """The version of the section that the official saw."""
    outcome = models.CharField(max_length=10, choices=Outcome.choices)
    evidence: models.JSONField[dict[str, object], dict[str, object]] = models.JSONField()
    decision = models.OneToOneField(Decision, on_delete=models.PROTECT, related_name="+")
    remark = models.ForeignKey(Remark, on_delete=models.PROTECT, null=True, related_name="+")
    """The question to the region; None: it was not asked."""
    players = models.ManyToManyField(Player, related_name="+")
    """The players of whom the hint spoke."""

    class Meta:
        ordering = ("pk",)

    def __str__(self) -> str:
        return f"{self.section_id}: {self.outcome}"

    @property
    def words(self) -> str:
        """The official's words, empty if they were withdrawn."""
        return next((str(each.value) for each in self.decision.words.all() if each.key == "words"), "")
