"""The submission of a section: its summary, its adjustments and notices, and its withdrawal."""

import hashlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import date
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _, ngettext

from players.jobs import wake
from players.models import User
from players.record import Refused
from ratings.rulesets.facts import ANNULLED, FORFEITS, PLAYED
from tournaments import acceptance
from tournaments.details import get_forfeited_games, get_forfeiting_entries
from tournaments.entries import delete_unnamed_players, players_gone, register_new_players, save_ids
from tournaments.filing import DAY_ASSUMED
from tournaments.findings import (
    BYES,
    describe_adjustment,
    describe_finding,
    join_locations,
    params_in_words,
    render_message,
    result_in_words,
)
from tournaments.formats.file_check import group_equal_findings, join_ranges
from tournaments.models import Entry, Finding, PermissionRequest, Section, Stage
from tournaments.sections import change_stage, lock_section, record, section_fact

# ---- Summary, for the region before it submits and for the reviewer
OVERRULED_FINDINGS = ("points-differ", "elo-points-differ")
"""Findings of points that differ from the sum of the results."""
MINOR_ADJUSTMENTS = frozenset({"unpacked", "birth-not-given", DAY_ASSUMED})
"""Adjustments that nobody needs to confirm."""


def list_figures(section: Section) -> list[dict[str, Any]]:
    """The figures of a section (label, value and note): players, rounds, games, forfeits, byes."""
    results = Counter(section.games.values_list("result", flat=True))
    byes = Counter(section.byes.values_list("kind", flat=True))
    entries = Counter(section.entries.values_list("match", flat=True))
    rounds = set(section.games.filter(result__in=list(PLAYED)).values_list("round", flat=True))
    finals = {round_ for round_ in rounds if section.name_of_round(round_) != str(round_)}
    new = entries[Entry.Match.NEW]
    scheduled = _("of %(rounds)s scheduled") % {"rounds": section.rounds} if section.rounds else ""
    if finals:
        scheduled += ", " + _("and %(count)s of finals") % {"count": len(finals)}
    annulled = results[ANNULLED]
    uncounted = _("and %(count)s annulled") % {"count": annulled} if annulled else ""
    kinds = ", ".join(f"{byes[kind]} × {BYES[kind]}" for kind in BYES if byes[kind])
    figures = [(_("Players"), entries.total(), _("%(count)s new") % {"count": new} if new else "")]
    if results or byes or section.format != acceptance.PLACEMENT:
        figures += [
            (_("Rounds played"), len(rounds - finals), scheduled),
            (_("Games"), sum(results[result] for result in PLAYED), uncounted),
            (_("Forfeits"), sum(results[result] for result in FORFEITS), ""),
            (_("Byes"), byes.total(), kinds),
        ]
    return [{"label": label, "value": value, "note": note} for label, value, note in figures]


def list_track_names(section: Section) -> list[str]:
    """The names of the ratings that the section will change."""
    ruleset = section.event.federation.ruleset
    try:
        codes = ruleset.sections.tracks_of(section_fact(section, draft=True))
    except (LookupError, ValueError):  # time or platform not known yet: the findings say so
        return []
    return [_(track.name) for track in ruleset.tracks if track.code in codes]


def describe_absences(section: Section) -> list[str]:
    """A sentence on each forfeit and each early departure, on its notice too if the rules ask for it."""
    excused = _("%(player)s lost round %(round)s by forfeit, with notice")
    unexcused = _("%(player)s lost round %(round)s by forfeit, without notice")
    if "excused" not in section.event.federation.ruleset.journal.reads:
        excused = unexcused = _("%(player)s lost round %(round)s by forfeit")
    sentences = [
        (excused if game.excused in (side, "both") else unexcused)
        % {"player": entry.name, "round": game.round}
        for game in get_forfeited_games(section)
        for side, entry in get_forfeiting_entries(game)
    ]
    noticed = _("%(player)s left from round %(round)s on, with notice")
    unnoticed = _("%(player)s left from round %(round)s on, without notice")
    for entry in section.entries.exclude(left_round=None):
        words = noticed if entry.left_notified else unnoticed
        sentences.append(words % {"player": entry.name, "round": entry.left_round})
    return sentences


def list_confirmations(section: Section) -> list[dict[str, str]]:
    """Statements that the region confirms by submitting, because no program can know them."""
    office = section.event.federation
    return [
        {
            "clause": statement.clause,
            "url": f"{office.get_absolute_url()}regulations/#clause-{statement.clause}",
            "words": _(statement.words),
        }
        for statement in office.equipment.office.confirmations
    ]


DescribedAdjustment = tuple[str, str, int | None, str, str]
"""An adjustment's key, words, line, and what was before and after."""


def describe_adjustments(section: Section) -> list[dict[str, Any]]:
    """A section's adjustments in words, in the order of the file, with points that the results overrule, and
    games that were filed and count twice. Equal ones of several lines are one, with their `lines`.
    """
    kept = [
        (one.key, describe_adjustment(one.key), one.line, one.before, result_in_words(one.after))
        for one in section.adjustments.all()
    ]
    on_results = Q(source="file", key__in=OVERRULED_FINDINGS) | Q(source="details", key=acceptance.SAME_GAME)
    findings = list(section.findings.filter(on_results))
    twice = [one for one in findings if one.key == acceptance.SAME_GAME]
    overruled = [one for one in findings if one.key != acceptance.SAME_GAME]
    every = [*kept, *_describe_overruled(section, overruled), *_describe_counted_twice(section, twice)]
    same: dict[tuple[str, str, str, str], list[int | None]] = {}
    for key, words, line, before, after in sorted(every, key=lambda one: one[2] or 0):
        same.setdefault((key, words, before, after), []).append(line)
    return [
        {
            **{"key": key, "words": words, "line": lines[0], "before": before, "after": after},
            "lines": join_locations(join_ranges(filter(None, lines))) if len(lines) > 1 else "",
        }
        for (key, words, before, after), lines in same.items()
    ]


def _describe_overruled(section: Section, findings: list[Finding]) -> Iterator[DescribedAdjustment]:
    numbers, lines = {one.params.get("number") for one in findings}, {one.line for one in findings}
    entries = _get_entries(section, numbers, lines)
    names = _shown_names(entries)
    number_by_line: dict[int | None, int] = {entry.line: entry.number for entry in entries}
    for one in findings:
        number = one.params.get("number", number_by_line.get(one.line))
        player = f"{number} {names[number]}" if number in names else "–"
        words = render_message("points-overruled", {"player": player})
        yield "points-overruled", words, one.line, one.params["filed"], one.params["counted"]


def _describe_counted_twice(section: Section, findings: list[Finding]) -> Iterator[DescribedAdjustment]:
    numbers = {number for one in findings for number in one.params["numbers"]}
    names = _shown_names(_get_entries(section, numbers))
    for one in findings:
        first, second = (names.get(number, "–") for number in one.params["numbers"])
        words = render_message(
            "same-game-counted", {**params_in_words(one.params), "first": first, "second": second}
        )
        yield "same-game-counted", words, one.line, "", ""


def _get_entries(
    section: Section, numbers: set[int | None], lines: Collection[int | None] = ()
) -> list[Entry]:
    """The entries of these starting numbers or lines alone, because a section may have ten thousand."""
    if not (numbers or lines):
        return []
    named = Q(number__in=[number for number in numbers if number]) | Q(line__in=[ln for ln in lines if ln])
    return list(section.entries.filter(named).select_related("player__federation"))


def _shown_names(entries: Iterable[Entry]) -> dict[Any, str]:
    """The public names of entries by starting number."""
    return {entry.number: entry.player.shown_name if entry.player else entry.name for entry in entries}


# ---- Notices: findings that do not prevent a submission
NOTICE = "notice"


def list_notices(section: Section, on: date) -> list[Finding]:
    """The notices of a section; while it can be submitted, those that a submission on that day would find."""
    findings = list(section.findings.all())
    notices = [finding for finding in findings if finding.level == NOTICE]
    if not section.open_to_filing or any(finding.level in ("blocks", "asks") for finding in findings):
        return notices
    filed = [finding for finding in notices if finding.source == "file"]
    return filed + [each for each in acceptance.compute_raw_findings(section, on) if each.level == NOTICE]


def hash_notices(notices: Iterable[Finding]) -> set[str]:
    """A short hash of each notice, by which a form says what its page showed."""
    return {hashlib.sha256(repr(acceptance.finding_key(each)).encode()).hexdigest()[:12] for each in notices}


# ---- Submission and its withdrawal
FIGURES_TASK = "ratings.tasks.figures"
"""The task that computes what a section would change, for the official's queue."""


@transaction.atomic
def submit(
    *,
    section: Section,
    by: User | None,
    on: date,
    version: int,
    waiver_reasons: Mapping[int, str] | None = None,
    shown_notices: Collection[str] | None = None,
) -> Section:
    """Submit a section to the office; new players get their numbers. `waiver_reasons`: for waivers, by a
    finding's key; `shown_notices`: `hash_notices` of those that the page showed.

    Raises `Refused` with all problems that prevent it, and writes nothing then.
    """
    stages = (Stage.FILED, Stage.RETURNED, Stage.UNRATED)
    locked = lock_section(section, version=version, stages=stages)
    if not locked.entries.exists() or locked.uploads.waiting().exists():
        raise Refused(_("The section has no readable file. Upload the section's file first."))
    for key, reason in (waiver_reasons or {}).items():
        locked.findings.filter(pk=key, level="waivable").update(waived_because=reason.strip())
    acceptance.recheck(locked, on)
    _refuse_blocked(locked)
    if shown_notices is not None and hash_notices(locked.findings.filter(level=NOTICE)) - set(shown_notices):
        raise Refused(
            _("Something was found that this page did not show. Read it below, and then submit the section.")
        )
    new = register_new_players(locked, on=on)
    gone = players_gone(delete_unnamed_players(locked))  # before their ids are kept of others
    ids_kept = save_ids(locked)
    change_stage(locked, Stage.SUBMITTED, submitted_by=by, submitted_on=on, remarks="")
    waived = list(locked.findings.exclude(waived_because="").values("clause", "key", "waived_because"))
    _ask_with_reasons(locked, waived, by, on)
    entered = [f"player {entry.player.number}" for entry in locked.entries.all() if entry.player]
    record(
        locked,
        "submit",
        by,
        on,
        new_players=[player.number for player in new],
        ids_kept=ids_kept,
        adjustments=len(describe_adjustments(locked)),
        waived=waived,
        confirmed=[each.clause for each in locked.event.federation.equipment.office.confirmations],
        **gone | {"also": entered + gone.get("also", [])},
    )
    wake(FIGURES_TASK, locked.event.federation_id)
    return locked


def _ask_with_reasons(
    section: Section, waived: Iterable[Mapping[str, Any]], by: User | None, on: date
) -> None:
    """Ask for the permissions that a submission gives reasons for; an open request gets the new reason."""
    granted = acceptance.get_permission_waivers(section)
    reasons: dict[str, list[str]] = {}
    for each in waived:
        permit = acceptance.find_permit(section, each["key"])
        if permit and each["key"] not in granted:
            reasons.setdefault(permit.clause, []).append(each["waived_because"])
    for clause, said in reasons.items():
        words = "\n".join(dict.fromkeys(said))
        section.permission_requests.update_or_create(
            clause=clause,
            state=PermissionRequest.State.ASKED,
            defaults={"reason": words},
            create_defaults={"reason": words, "asked_by": by, "asked_on": on},
        )


@transaction.atomic
def add_late_findings(*, section: Section, on: date, version: int) -> None:
    """Add the findings of a submission on that day: a deadline may have passed since the file came, and the
    page then asks for a reason.
    """
    locked = lock_section(section, version=version)
    if locked.entries.exists():
        acceptance.add_submission_findings(locked, on)


@transaction.atomic
def withdraw_submission(*, section: Section, by: User | None, on: date, version: int) -> Section:
    """Take a submission back while nobody has decided on it."""
    locked = lock_section(section, version=version, stages=(Stage.SUBMITTED,))
    change_stage(locked, Stage.FILED, submitted_by=None, submitted_on=None)
    record(locked, "withdraw", by, on)
    return locked


def _refuse_blocked(section: Section) -> None:
    blocking = list(section.findings.blocking())
    if not blocking:
        return
    ruleset = section.event.federation.ruleset
    problems = [describe_finding(equal[0], ruleset) for equal in group_equal_findings(blocking)]
    count = len(problems)
    head = ngettext("One problem prevents submission:", "%(count)s problems prevent submission:", count)
    raise Refused("\n".join([head % {"count": count}, *problems]))
