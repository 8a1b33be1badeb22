"""Corrections of single results, pairings, places and days, and those that wait for a second official."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from players.office.models import Decision, DecisionWords
from players.register.models import Player
from tournaments.events.file_models import Upload
from tournaments.events.models import Section


class CorrectionQuerySet(models.QuerySet["Correction"]):
    def standing(self, section: Section) -> CorrectionQuerySet:
        """The corrections in what the section holds now: a later file replaced those made on one before."""
        held = section.uploads.held()
        return self.filter(section=section, upload=held) if held else self.filter(section=section)


class Correction(models.Model):
    """One thing that the office corrected in a section, before and after. The file stays as it came.

    Players are named by their numbers, and the words of the reason stand in the record of decisions alone,
    sealed: withdrawn there, they are gone here too.
    """

    class What(models.TextChoices):
        RESULT = "result", _("result")
        PAIRING = "pairing", _("pairing")
        PLACE = "place", _("place")
        DATE = "date", _("date")
        STRUCK = "struck", _("struck")

    section = models.ForeignKey(Section, on_delete=models.PROTECT, related_name="corrections")
    what = models.CharField(max_length=10, choices=What.choices)
    where: models.JSONField[dict[str, object], dict[str, object]] = models.JSONField(default=dict)
    """The place in the section: `round`, `game` (its order), `sides` or `entry` (starting number and player's
    number), `day` (`starts`, `ends`).
    """
    before: Any = models.JSONField(null=True)
    after: Any = models.JSONField(null=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    """The official who wrote it; where two were needed, the decision is the other's."""
    decision = models.ForeignKey(Decision, on_delete=models.PROTECT, related_name="+")
    reason = models.ForeignKey(DecisionWords, on_delete=models.SET_NULL, null=True, related_name="+")
    """The words as the record keeps them; None: they were withdrawn."""
    upload = models.ForeignKey(Upload, on_delete=models.SET_NULL, null=True, related_name="+")
    """The file that the section held; None where there was none."""
    players = models.ManyToManyField(Player, related_name="+")
    """The players concerned, for who asks what is held about them."""

    objects = CorrectionQuerySet.as_manager()

    class Meta:
        ordering = ("pk",)

    def __str__(self) -> str:
        return f"{self.section_id}: {self.what}"

    @property
    def words(self) -> str:
        """The reason, empty if its words were withdrawn."""
        return str(self.reason.value) if self.reason else ""


class MendingProposalQuerySet(models.QuerySet["MendingProposal"]):
    def open(self) -> MendingProposalQuerySet:
        """Proposals whose section is still what the first official saw."""
        return self.filter(section__stage="rated", section__version=F("version"))


class MendingProposal(models.Model):
    """A correction of a rated section that one official wrote and another is to confirm. It goes when that
    is done or it is dropped: the record keeps what came of it.
    """

    section = models.OneToOneField(Section, on_delete=models.CASCADE, related_name="mending_proposal")
    version = models.PositiveIntegerField()
    """The section's version that the first official saw."""
    changes: models.JSONField[list[dict[str, object]], list[dict[str, object]]] = models.JSONField()
    code = models.CharField(max_length=20)
    """The reason that the journal tells (`ratings.law.facts.REASONS`)."""
    words = models.TextField()
    after_list = models.BooleanField(default=False)
    """Whether the first official confirmed that the office itself decided so after a published list."""
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    on = models.DateField()

    objects = MendingProposalQuerySet.as_manager()

    class Meta:
        ordering = ("on", "pk")
        constraints = [models.CheckConstraint(condition=~Q(words=""), name="a_proposal_says_why")]

    def __str__(self) -> str:
        return str(self.section)
