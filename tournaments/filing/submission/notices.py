"""Notices: findings that keep no section from being submitted, and of which none is submitted unseen."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from datetime import date

from django.utils.translation import gettext as _

from players.office.decision_record import Refused
from tournaments.events.models import Finding, Section
from tournaments.filing.open_questions import found_anew, mark_of

NOTICE = "notice"


def notices_on(section: Section, on: date) -> list[Finding]:
    """The notices of a section; while it can be submitted, those that a submission on that day finds."""
    noted = list(section.findings.all())
    kept = [finding for finding in noted if finding.level == NOTICE]
    if not section.open_to_filing or any(finding.level in ("blocks", "asks") for finding in noted):
        return kept
    read = [finding for finding in kept if finding.source == "file"]
    return read + [each for each in found_anew(section, on) if each.level == NOTICE]


def marks_of(notices: Iterable[Finding]) -> set[str]:
    """A short mark of each notice, by which a form brings what its page showed."""
    return {hashlib.sha256(repr(mark_of(each)).encode()).hexdigest()[:12] for each in notices}


def refuse_unseen(section: Section, shown: Iterable[str]) -> None:
    """Raise `Refused` if the section has a notice by now that the page did not show."""
    if marks_of(section.findings.filter(level=NOTICE)) - set(shown):
        raise Refused(
            _("Something was found that this page did not show. Read it below, and then submit the section.")
        )
