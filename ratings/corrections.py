"""Corrections by the office of sections that wait for review or are rated.

The filed file is not changed. Each correction is kept beside it with its reason.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from django.conf import settings
from django.db import transaction
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import number_format
from django.utils.translation import gettext as _, ngettext

from players.display import round_rating
from players.mail import override_language
from players.models import Federation, User
from players.record import Refused, decide
from players.settings import get_settings
from ratings.approval import approve, refuse_listed, unrate
from ratings.journal import get_players_by_number
from ratings.models import Fact
from ratings.pre_ratings import BirthAnswer
from ratings.publication import revise_list
from ratings.results import RatingDifference
from ratings.rulesets import facts
from ratings.rulesets.facts import PlayerId
from tournaments.cases import close_case
from tournaments.corrections import (
    Change,
    apply_changes,
    describe_corrections,
    describe_for_record,
    preview_changes,
    save_corrections,
    serialize_corrections,
)
from tournaments.models import Case, Correction, Finding, MendingProposal, Section, Stage
from tournaments.sections import change_stage, lock_section


@dataclass(frozen=True, slots=True)
class FurtherSteps:
    """What is decided in one step with the correction of a rated section."""

    lists: tuple[date, ...] = ()
    """The days whose lists are published again, beside the first."""
    cases: Mapping[int, int] = field(default_factory=dict)
    """The reports that it settles, by key, with the version that was read: they are closed as corrected, and
    their reporters told.
    """
    moved: Sequence[RatingDifference] | None = ()
    """The ratings that move, for the reporters; None if not all was folded: the erratum has to say it."""
    left: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    """What was proposed and whoever confirms may not do, as `as_json` has it: it is kept for who may."""

    def as_json(self) -> dict[str, list[Any]]:
        """What a proposal keeps of it, without what may be others by the time that it is confirmed."""
        return {"lists": [day.isoformat() for day in self.lists], "cases": [*self.cases]}


NO_FURTHER_STEPS = FurtherSteps()
MOST_MOVES_TOLD = 10
"""The most ratings that a reporter's letter names; the erratum has all."""


@transaction.atomic
def correct_section(
    *, section: Section, by: User | None, on: date, version: int, changes: Sequence[Change], reason: str
) -> list[Correction]:
    """Correct a submitted section; it keeps waiting for review, as a new version.

    Raises `Refused` without a reason, where a change cannot be made, where the section could not be accepted
    with it, or where somebody acted first.
    """
    locked = lock_section(section, version=version, stages=(Stage.SUBMITTED,))
    kept, _found = _mend(locked, by=by, written_by=by, on=on, changes=changes, reason=_clean(reason))
    change_stage(locked, Stage.SUBMITTED)
    return kept


@transaction.atomic
def correct_rated_section(
    *,
    section: Section,
    by: User | None,
    on: date,
    version: int,
    changes: Sequence[Change],
    reason: str,
    words: str,
    after_list: bool = False,
    births: Mapping[PlayerId, BirthAnswer] | None = None,
    then: FurtherSteps = NO_FURTHER_STEPS,
) -> Fact:
    """Un-rate a section, correct it and rate it again, in one transaction, with the steps `then`.

    `reason` and `words`: see `unrate`. Raises `Refused` wherever one of the steps does, and where the office
    wants four eyes: there one official proposes (`propose_correction`), another confirms.
    """
    if get_settings(section.event.federation).four_eyes and by is not None:
        raise Refused(
            _("In this office, a second official confirms a correction of a rated section: propose it.")
        )
    return _mend_rated(
        section, by, by, on, version, changes, reason, words, after_list=after_list, births=births, then=then
    )


@transaction.atomic
def propose_correction(
    *,
    section: Section,
    by: User,
    on: date,
    version: int,
    changes: Sequence[Change],
    reason: str,
    words: str,
    after_list: bool = False,
    then: FurtherSteps = NO_FURTHER_STEPS,
) -> MendingProposal:
    """Propose to correct a rated section, for another official to confirm. Nothing else is written.

    Raises `Refused` where it could not be done, or another proposal for the section is open.
    """
    locked = lock_section(section, version=version, stages=(Stage.RATED,))
    if reason not in facts.UNRATING_REASONS:
        raise Refused(_("Choose what was wrong: the journal shows the reason."))
    refuse_listed(locked.event.federation, locked, after_list=after_list)
    if MendingProposal.objects.open().filter(section=locked).exists():
        raise Refused(_("A correction of this section is proposed already. Confirm it or drop it first."))
    applied = preview_changes(locked, changes)
    applied.refuse_open_places()
    MendingProposal.objects.filter(section=locked).delete()  # of an earlier version
    proposal = MendingProposal.objects.create(
        section=locked,
        version=version,
        changes=[dict(each) for each in changes],
        code=reason,
        words=_clean(words),
        after_list=after_list,
        further=then.as_json(),
        by=by,
        on=on,
    )
    corrected = describe_for_record(applied.corrected)
    _record(locked, "propose-mend", by, on, corrections=corrected, reason=proposal.words)
    return proposal


@transaction.atomic
def confirm_correction(
    *,
    proposal: MendingProposal,
    by: User,
    on: date,
    after_list: bool = False,
    births: Mapping[PlayerId, BirthAnswer] | None = None,
    then: FurtherSteps = NO_FURTHER_STEPS,
) -> Fact:
    """Confirm another official's proposal: un-rate the section, correct it and rate it again, with the steps
    `then`, which may be others than were proposed.

    Raises `Refused` for the official who proposed it, where the section changed since, or where the proposal
    was settled.
    """
    section = proposal.section
    lock_section(section, stages=tuple(Stage))
    held = MendingProposal.objects.filter(pk=proposal.pk).first()
    if held is None:
        raise Refused(_("Somebody else acted first: this proposal was confirmed or dropped."))
    if held.by_id == by.pk:
        raise Refused(_("You proposed this correction yourself. Another official has to confirm it."))
    changes, version = held.changes, held.version
    held.delete()
    return _mend_rated(
        section,
        by,
        held.by,
        on,
        version,
        changes,
        held.code,
        held.words,
        after_list=held.after_list and after_list,
        births=births,
        then=then,
    )


@transaction.atomic
def drop_correction(*, proposal: MendingProposal, by: User, on: date) -> None:
    """Drop a proposal; the section stays as it is. Raises `Refused` if the proposal was settled meanwhile."""
    locked = lock_section(proposal.section, stages=tuple(Stage))
    if not MendingProposal.objects.filter(pk=proposal.pk).delete()[0]:
        raise Refused(_("Somebody else acted first: this proposal was confirmed or dropped."))
    _record(locked, "drop-mend", by, on)


def _mend_rated(
    section: Section,
    by: User | None,
    written_by: User | None,
    on: date,
    version: int,
    changes: Sequence[Change],
    reason: str,
    words: str,
    *,
    after_list: bool,
    births: Mapping[PlayerId, BirthAnswer] | None,
    then: FurtherSteps,
) -> Fact:
    unrate(section=section, by=by, on=on, version=version, reason=reason, words=words, after_list=after_list)
    locked = lock_section(section, stages=(Stage.UNRATED,))
    kept, found = _mend(
        locked, by=by, written_by=written_by, on=on, changes=changes, reason=words.strip(), left=then.left
    )
    change_stage(locked, Stage.SUBMITTED, remarks="")
    allowed = {each.pk: words.strip() for each in found if each.level == "waivable"}
    locked.refresh_from_db()
    fact = approve(section=locked, by=by, on=on, version=locked.version, reasons=allowed, births=births)
    federation = section.event.federation
    for day in sorted(then.lists):
        note = words.strip()
        revise_list(federation=federation, list_day=day, by=by, on=on, note=note, with_correction=True)
    for case in Case.objects.confirmed().filter(federation=federation, pk__in=then.cases).order_by("pk"):
        with override_language(case.language or federation.language):
            told = _words_for_reporter(federation, kept, then.moved, fact)
        close_case(
            case=case,
            by=by,
            on=on,
            at=timezone.now(),
            version=then.cases[case.pk],
            outcome=Case.Outcome.CORRECTED,
            words=told,
            erratum=fact.number,
        )
    return fact


def _words_for_reporter(
    federation: Federation,
    kept: Sequence[Correction],
    moved: Sequence[RatingDifference] | None,
    fact: Fact,
) -> str:
    """What was corrected and what moved, in the present language; `fact`: the line of its erratum."""
    lines = [_("Corrected:"), *describe_corrections(federation, kept), ""]
    if moved is None:
        address = settings.SITE_ADDRESS + reverse("ratings:erratum", args=[federation.code, fact.number])
        return "\n".join([*lines, _("What moved: %(address)s") % {"address": address}])
    places = federation.publication.decimals
    shown = [each for each in moved if round_rating(each.before, places) != round_rating(each.after, places)]
    people = get_players_by_number(federation, {each.player for each in shown[:MOST_MOVES_TOLD]})
    tracks = {track.code: _(track.name) for track in federation.ruleset.tracks}
    lines.append(_("What moved:") if shown else _("No rating moved."))
    for each in shown[:MOST_MOVES_TOLD]:
        name = people[each.player].shown_name if each.player in people else each.player
        before, after = (round_rating(value, places) for value in (each.before, each.after))
        pair = " → ".join("–" if value is None else number_format(value) for value in (before, after))
        lines.append(f"{name}, {tracks[each.track]}: {pair}")
    if more := len(shown) - MOST_MOVES_TOLD:
        words = ngettext("%(number)s more rating", "%(number)s more ratings", more)
        lines += [words % {"number": more}] if more > 0 else []
    return "\n".join(lines)


def _mend(
    section: Section,
    *,
    by: User | None,
    written_by: User | None,
    on: date,
    changes: Sequence[Change],
    reason: str,
    left: Mapping[str, Sequence[Any]] | None = None,
) -> tuple[list[Correction], list[Finding]]:
    """Correct a locked section, on record; return the corrections, and the findings after them."""
    applied = apply_changes(section, changes)
    proposed: dict[str, Any] = {"proposed_by": written_by.pk} if written_by and written_by != by else {}
    if left:
        proposed["left"] = left
    decision = decide(
        section.event.federation,
        kind="mend",
        by=by,
        on=on,
        about=f"section {section.key}",
        corrections=describe_for_record(applied.corrected),
        rows=serialize_corrections(applied.corrected),
        held_file=section.uploads.held_sha256(),
        reason=reason,
        **proposed,
    )
    kept = save_corrections(section, applied.corrected, by=written_by, decision=decision)
    return kept, applied.found


def _clean(reason: str) -> str:
    if not reason.strip():
        raise Refused(_("Say why: the region reads it beside the correction."))
    return reason.strip()


def _record(section: Section, kind: str, by: User, on: date, **details: object) -> None:
    decide(section.event.federation, kind=kind, by=by, on=on, about=f"section {section.key}", **details)
