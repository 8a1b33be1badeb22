"""The submission of a section: its summary in figures, the notices to be seen first, and its withdrawal."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from players.jobs import wake
from players.models import User
from players.record import Refused, decide
from ratings.rulesets.facts import ANNULLED, FORFEITS, PLAYED
from tournaments.acceptance import PLACEMENT, SAME_GAME, add_findings_of, found_anew, mark_of, recheck
from tournaments.details import forfeited, losers
from tournaments.entries import keep_ids, register_new_players
from tournaments.filing import DAY_ASSUMED
from tournaments.findings import BYES, equal_ones, say, some_of, spans_of, words_of, words_of_adjustment
from tournaments.models import Entry, Finding, Section, Stage
from tournaments.sections import change_stage, lock_section, section_fact

# ---- A section in a few figures and sentences: for the region before it submits, and for the reviewer.
OVERRULED = ("points-differ", "elo-points-differ")
"""Findings of points in the file that differ from the sum of the results."""
PLAIN = frozenset({"unpacked", DAY_ASSUMED})
"""Adjustments that nobody needs to confirm."""


class Figure(NamedTuple):
    label: str
    value: int
    note: str = ""


def tiles_of(section: Section) -> list[Figure]:
    """The figures shown of a section before it is submitted: players, rounds, games, forfeits, byes."""
    results = Counter(section.games.values_list("result", flat=True))
    byes = Counter(section.byes.values_list("kind", flat=True))
    entries = Counter(section.entries.values_list("match", flat=True))
    rounds = set(section.games.filter(result__in=list(PLAYED)).values_list("round", flat=True))
    beside = {round_ for round_ in rounds if section.name_of_round(round_) != str(round_)}
    new = entries[Entry.Match.NEW]
    of_rounds = _("of %(rounds)s scheduled") % {"rounds": section.rounds} if section.rounds else ""
    if beside:
        of_rounds += ", " + _("and %(count)s of finals") % {"count": len(beside)}
    annulled = results[ANNULLED]
    without = _("and %(count)s annulled") % {"count": annulled} if annulled else ""
    kinds = ", ".join(f"{byes[kind]} × {BYES[kind]}" for kind in BYES if byes[kind])
    players = Figure(_("Players"), entries.total(), _("%(count)s new") % {"count": new} if new else "")
    if not results and not byes and section.format == PLACEMENT:
        return [players]
    return [
        players,
        Figure(_("Rounds played"), len(rounds - beside), of_rounds),
        Figure(_("Games"), sum(results[result] for result in PLAYED), without),
        Figure(_("Forfeits"), sum(results[result] for result in FORFEITS)),
        Figure(_("Byes"), byes.total(), kinds),
    ]


def tracks_of(section: Section) -> list[str]:
    """The names of the ratings that the section will move."""
    ruleset = section.event.federation.ruleset
    try:
        codes = ruleset.sections.tracks_of(section_fact(section, draft=True))
    except (LookupError, ValueError):  # time or platform not known yet: the findings say so
        return []
    return [_(track.name) for track in ruleset.tracks if track.code in codes]


def absences_of(section: Section) -> list[str]:
    """A sentence for each forfeit and each early departure; with notice or without, if the rules ask."""
    excused = _("%(player)s lost round %(round)s by forfeit, with notice")
    unexcused = _("%(player)s lost round %(round)s by forfeit, without notice")
    if "excused" not in section.event.federation.ruleset.journal.reads:
        excused = unexcused = _("%(player)s lost round %(round)s by forfeit")
    told = [
        (excused if game.excused in (side, "both") else unexcused)
        % {"player": entry.name, "round": game.round}
        for game in forfeited(section)
        for side, entry in losers(game)
    ]
    noticed = _("%(player)s left from round %(round)s on, with notice")
    unnoticed = _("%(player)s left from round %(round)s on, without notice")
    for entry in section.entries.exclude(left_round=None):
        words = noticed if entry.left_notified else unnoticed
        told.append(words % {"player": entry.name, "round": entry.left_round})
    return told


def confirmations_of(section: Section) -> list[dict[str, str]]:
    """Statements that the region confirms by submitting, because no program can know them."""
    office = section.event.federation
    return [
        {
            "clause": said.clause,
            "url": f"{office.get_absolute_url()}regulations/#clause-{said.clause}",
            "words": _(said.words),
        }
        for said in office.equipment.office.confirmations
    ]


@dataclass(frozen=True, slots=True)
class Adjusted:
    """An adjustment in words: something that the reader repaired, assumed, overruled or left out."""

    key: str
    words: str
    line: int | None
    before: str
    after: str
    lines: str = ""
    """The lines of several equal adjustments."""

    @property
    def matters(self) -> bool:
        """Whether somebody has to look at the adjustment before the section is submitted."""
        return self.key not in PLAIN


def adjusted(section: Section) -> list[Adjusted]:
    """A section's adjustments in words, in the order of the file, equal ones of several lines as one; with
    points that the results overrule, and games that stand and count twice.
    """
    kept = [
        Adjusted(one.key, words_of_adjustment(one), one.line, one.before, one.after)
        for one in section.adjustments.all()
    ]
    of_results = Q(source="file", key__in=OVERRULED) | Q(source="details", key=SAME_GAME)
    findings = list(section.findings.filter(of_results))
    twice = [one for one in findings if one.key == SAME_GAME]
    overruled = [one for one in findings if one.key != SAME_GAME]
    found = [*kept, *_overruled(section, overruled), *_counted_twice(section, twice)]
    return list(_together(sorted(found, key=lambda one: one.line or 0)))


def _together(found: Iterable[Adjusted]) -> Iterator[Adjusted]:
    same: dict[tuple[str, str, str, str], list[Adjusted]] = {}
    for one in found:
        same.setdefault((one.key, one.words, one.before, one.after), []).append(one)
    for first, *more in same.values():
        lines = [each.line for each in (first, *more) if each.line]
        yield replace(first, lines=some_of(spans_of(lines))) if more else first


def _overruled(section: Section, found: list[Finding]) -> Iterator[Adjusted]:
    numbers, lines = {one.params.get("number") for one in found}, {one.line for one in found}
    entries = _named_by(section, numbers, lines)
    names = _shown_names(entries)
    by_line: dict[int | None, int] = {entry.line: entry.number for entry in entries}
    for one in found:
        number = one.params.get("number", by_line.get(one.line))
        told = {"player": f"{number} {names[number]}" if number in names else "–"}
        words = say("points-overruled", told)
        yield Adjusted("points-overruled", words, one.line, one.params["filed"], one.params["counted"])


def _counted_twice(section: Section, found: list[Finding]) -> Iterator[Adjusted]:
    names = _shown_names(_named_by(section, {number for one in found for number in one.params["numbers"]}))
    for one in found:
        first, second = (names.get(number, "–") for number in one.params["numbers"])
        words = say("same-game-counted", {**one.params, "first": first, "second": second})
        yield Adjusted("same-game-counted", words, one.line, "", "")


def _named_by(section: Section, numbers: set[int | None], lines: Collection[int | None] = ()) -> list[Entry]:
    """The entries of these starting numbers or lines: a section may have ten thousand others."""
    if not (numbers or lines):
        return []
    named = Q(number__in=[number for number in numbers if number]) | Q(line__in=[ln for ln in lines if ln])
    return list(section.entries.filter(named).select_related("player__federation"))


def _shown_names(entries: Iterable[Entry]) -> dict[Any, str]:
    """The names of entries by starting number, as readers may see them."""
    return {entry.number: entry.player.shown_name if entry.player else entry.name for entry in entries}


# ---- Notices: findings that keep no section from being submitted.
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


# ---- Submits a section to the office, and withdraws a submission, each as one decision.
FIGURES = "ratings.tasks.figures"
"""The task that works out what a section would move, for the official's queue."""


@transaction.atomic
def submit(
    *,
    section: Section,
    by: User | None,
    on: date,
    version: int,
    reasons: Mapping[int, str] | None = None,
    shown: Collection[str] | None = None,
) -> Section:
    """Submit a section: the region says that all is correct. `reasons`: for waivers, by a finding's key;
    `shown`: the marks of the notices that the person saw, where a page showed them.

    New players get their numbers here. Raises `Refused` with all that still stands in the way; nothing is
    written then.
    """
    stages = (Stage.FILED, Stage.RETURNED, Stage.UNRATED)
    locked = lock_section(section, version=version, stages=stages)
    if not locked.entries.exists() or locked.uploads.waiting().exists():
        raise Refused(_("The section has no readable file. Upload the section's file first."))
    for key, reason in (reasons or {}).items():
        locked.findings.filter(pk=key, level="waivable").update(waived_because=reason.strip())
    recheck(locked, on)
    _refuse_blocked(locked)
    if shown is not None and marks_of(locked.findings.filter(level=NOTICE)) - set(shown):
        raise Refused(
            _("Something was found that this page did not show. Read it below, and then submit the section.")
        )
    new = register_new_players(locked, on=on)
    with_ids = keep_ids(locked)
    change_stage(locked, Stage.SUBMITTED, submitted_by=by, submitted_on=on, remarks="")
    waived = list(locked.findings.exclude(waived_because="").values("clause", "key", "waived_because"))
    decide(
        locked.event.federation,
        kind="submit",
        by=by,
        on=on,
        about=f"section {locked.key}",
        new_players=[player.number for player in new],
        ids_kept=with_ids,
        adjustments=len(adjusted(locked)),
        waived=waived,
        confirmed=[said.clause for said in locked.event.federation.equipment.office.confirmations],
    )
    wake(FIGURES, locked.event.federation_id)
    return locked


@transaction.atomic
def note_what_is_late(*, section: Section, on: date, version: int) -> None:
    """Note what a submission on that day finds: a deadline may have passed since the section's file came, and
    its page then asks for a reason.
    """
    locked = lock_section(section, version=version)
    if locked.entries.exists():
        add_findings_of(locked, on)


@transaction.atomic
def withdraw_submission(*, section: Section, by: User | None, on: date, version: int) -> Section:
    """Take a submission back while nobody has decided on it."""
    locked = lock_section(section, version=version, stages=(Stage.SUBMITTED,))
    change_stage(locked, Stage.FILED, submitted_by=None, submitted_on=None)
    decide(locked.event.federation, kind="withdraw", by=by, on=on, about=f"section {locked.key}")
    return locked


def _refuse_blocked(section: Section) -> None:
    blocking = list(section.findings.blocking())
    if not blocking:
        return
    ruleset = section.event.federation.ruleset
    told = [words_of(equal[0], ruleset) for equal in equal_ones(blocking)]
    head = ngettext(
        "One problem prevents submission:",
        "%(count)s problems prevent submission:",
        len(told),
    ) % {"count": len(told)}
    raise Refused("\n".join([head, *told]))
