"""Writes the past into the office's record: who registered, filed, submitted, decided and published."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator
from datetime import UTC, date, datetime, time
from typing import Any, NamedTuple

from players.office.decision_record import write_decisions
from players.office.models import Decision, Federation, User
from ratings.demo.staff import Staff
from ratings.demo.story.past_journal import Filed, Story
from ratings.law import facts


class PastDecision(NamedTuple):
    """One decision of the past, as a row of the office's record will say it: when, its kind, what it was
    about, who took it.
    """

    on: date
    hour: int
    kind: str
    about: str
    by: User | None
    details: dict[str, Any]


def write_record(federation: Federation, story: Story, staff: Staff) -> None:
    decisions = [PastDecision(story.start, 5, "create", "office", None, {"ruleset": federation.ruleset_slug})]
    decisions += [PastDecision(story.start, 5, *rest) for rest in _appointments(federation)]
    for filed in story.filed:
        decisions += _decisions_of(filed, staff, story.demo.present.exchanged)
    decisions += [PastDecision(on, 6, "publish", f"list {on}", staff.official, {}) for on in story.lists]
    for confirmed in story.confirmed:
        rank = confirmed.fact
        details = {"rank": rank.rank, "ground": rank.ground}
        decisions.append(
            PastDecision(rank.on, 5, "confirm-rank", f"player {rank.player}", staff.official, details)
        )
    for fact, verb in story.notes:
        about = f"season {fact.season}"
        decisions.append(PastDecision(fact.on, 20, verb, about, staff.official, {"winner": fact.winner}))
    decisions.sort(key=lambda decision: (decision.on, decision.hour))
    lines = _lines_of(story)
    write_decisions(
        federation,
        (
            (
                Decision(
                    federation=federation,
                    number=number,
                    kind=decision.kind,
                    by=decision.by,
                    at=datetime.combine(decision.on, time(decision.hour, number * 7 % 60), UTC),
                    on=decision.on,
                    about=decision.about,
                ),
                decision.details | _line(lines[decision.kind, decision.about]),
            )
            for number, decision in enumerate(decisions, start=1)
        ),
    )


def _lines_of(story: Story) -> dict[tuple[str, str], deque[int]]:
    """The numbers of the journal's lines that decisions wrote, in order, by the decision's kind and what it
    was about: `("approve", "section 7/A")`.
    """
    found: dict[tuple[str, str], deque[int]] = defaultdict(deque)
    for number, fact in enumerate(story.lines, start=1):
        match fact:
            case facts.Rated():
                found["approve", f"section {fact.section}"].append(number)
            case facts.Unrated():
                found["unrate", f"section {fact.section}"].append(number)
            case facts.ListClosing():
                found["publish", f"list {fact.on}"].append(number)
            case facts.Rank():
                found["confirm-rank", f"player {fact.player}"].append(number)
            case facts.Playoff():
                found["record-playoff", f"season {fact.season}"].append(number)
    return found


def _line(numbers: deque[int]) -> dict[str, int]:
    return {"fact": numbers.popleft()} if numbers else {}


def _appointments(federation: Federation) -> Iterator[tuple[str, str, None, dict[str, Any]]]:
    for appointment in federation.appointments.select_related("region"):
        region = appointment.region.code if appointment.region else None
        details = {"role": appointment.role, "region": region, "starts": appointment.starts.isoformat()}
        yield "appoint", f"appointment {appointment.pk}", None, details


def _decisions_of(filed: Filed, staff: Staff, exchanged: str) -> Iterator[PastDecision]:
    region, about = staff.regional[filed.plan.region], f"section {filed.section.id}"
    event = filed.section.id.rpartition("/")[0]
    if filed.section.id.endswith("/A"):
        yield PastDecision(filed.registered, 8, "register", f"event {event}", region, {})
    if filed.admitted:
        yield PastDecision(filed.admitted, 9, "admit", about, staff.official, {"waived": [], "reason": ""})
    yield PastDecision(filed.filed, 15, "file", about, region, {})
    yield PastDecision(filed.submitted, 16, "submit", about, region, {"new_players": [], "waived": []})
    yield PastDecision(filed.rated, 17, "approve", about, staff.official, {})
    if filed.unrated:
        yield PastDecision(filed.unrated, 18, "unrate", about, staff.official, {"reason": exchanged})
    if filed.again:
        yield PastDecision(filed.again, 19, "submit", about, region, {"new_players": [], "waived": []})
        yield PastDecision(filed.again, 20, "approve", about, staff.official, {})
