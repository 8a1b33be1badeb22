"""The public's word on what became of an event or a section: postponed, cancelled or withdrawn, and why."""

from __future__ import annotations

from datetime import date

from django.db import models


class AnnouncedChange(models.Model):
    """The part of events and sections that tells everybody of a change after the registration."""

    notice = models.TextField(blank=True)
    """The reason, in words for everybody; empty: nothing was announced. A copy: pages show the words of the
    record, where they can be withdrawn (`tournaments.filing.changes.state_notices`).
    """
    notice_on = models.DateField(null=True)
    first_starts = models.DateField(null=True)
    """The first day as it was announced at first; None: it was never postponed."""
    first_ends = models.DateField(null=True)

    class Meta:
        abstract = True

    @property
    def postponed(self) -> bool:
        return self.first_starts is not None

    @property
    def first_days(self) -> tuple[date | None, date | None]:
        """The days announced at first, which a page tells once where a section has those of its event."""
        return self.first_starts, self.first_ends

    def announce(self, reason: str, on: date) -> None:
        """Keep the words for everybody, with their day; whoever calls saves them."""
        self.notice, self.notice_on = reason, on
