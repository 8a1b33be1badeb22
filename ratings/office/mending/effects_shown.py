"""The effects that correcting a rated section has, and the forms that decide on them as they were shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from players.office.models import Federation, Ledger
from players.office.settings_schema import today
from ratings.office.common.decision_forms import UnrateForm
from ratings.office.common.outlook_form import OutlookForm, mark_of_record
from ratings.office.sections.further_effects_preview import rerate_row, unstated_in
from ratings.office.sections.unrating import corrected_by_track, lists_of
from ratings.preview.mending import preview_mending
from ratings.recompute.progress_words import state_of
from tournaments.events.finding_words import words_of as words_of_finding
from tournaments.events.models import Section, Stage
from tournaments.mending.apply_changes import try_changes
from tournaments.mending.change_rows import Change
from tournaments.mending.correction_words import words_of


class RatedMendingForm(OutlookForm, UnrateForm):
    """The form that corrects or proposes to correct a rated section; it holds for the effects as shown."""


class ConfirmingForm(OutlookForm):
    """The form that confirms a proposed correction: it holds for the effects that its page showed."""


def mark_of_correction(section: Section, changes: Sequence[Change]) -> str:
    """The mark of the effects that these changes of a rated section have as everything stands: of the record,
    the section's version, and the register's births of its players, from which pre-ratings follow (§58).
    """
    office = section.event.federation
    births = section.entries.order_by("number").values_list("player__number", "player__born", "player__sex")
    changed = [sorted(each.items()) for each in changes]
    return mark_of_record(office, today(office), section.key, section.version, changed, list(births))


def outlook_of_correction(section: Section, changes: Sequence[Change]) -> dict[str, Any]:
    """Give an `OutlookForm` of such a correction its mark, and whether the effects can be shown."""
    rated = section.stage == Stage.RATED
    pending = Ledger.objects.get(federation=section.event.federation).pending
    return {"mark": mark_of_correction(section, changes), "drawn": rated and not pending}


def effects(office: Federation, section: Section, changes: Sequence[Change]) -> dict[str, Any]:
    """The template context of corrections: in words, and of a rated section with everything that moves."""
    if section.stage != Stage.RATED:
        return {"chosen": words_of(office, try_changes(section, changes).corrected)}
    ledger = Ledger.objects.get(federation=office)
    if ledger.pending:
        chosen = words_of(office, try_changes(section, changes).corrected)
        return {"chosen": chosen, "pending": state_of(office, ledger)}
    found = preview_mending(section, changes, today(office))
    return {
        "chosen": words_of(office, found.applied.corrected),
        "allowed": [words_of_finding(each, office.ruleset) for each in found.allowed],
        "ahead": True,
        "seen": found.seen,
        "rerated": [rerate_row(office, each) for each in found.seen.rerated if each.fact.section],
        "unstated": unstated_in(office, found.seen),
        "tracks": corrected_by_track(office, found.ratings),
        "lists": lists_of(section),
    }
