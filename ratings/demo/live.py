"""What goes on in the office on the demo's day: an event or two in every stage."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta

from ratings import services
from ratings.demo.calendar import Plan
from ratings.demo.history import corrected
from ratings.demo.kinds import (
    BLITZ_NIGHT,
    CLUB,
    JUNIOR_TRIALS,
    KINDS,
    ONLINE_RAPID,
    OPEN,
    RAPID,
    WEEKEND,
    Control,
    Kind,
)
from ratings.demo.staging import SWISS_MANAGER, VEGA, Held, Stagehand
from tournaments.models import Section, Stage
from tournaments.samples import Line

EXCHANGED = "Two results were exchanged. Correct the file and submit the section again."
COMING = (
    # kind, region, place, first day in so many days or the week after, control
    (RAPID, "GAU", "Midrand", 6, (15, 5)),
    (WEEKEND, "GAU", "Johannesburg", 19, (90, 30)),
    (BLITZ_NIGHT, "WCA", "Paarl", 5, (3, 2)),
    (JUNIOR_TRIALS, "WCA", "George", 13, (60, 30)),
    (RAPID, "KZN", "Newcastle", 9, (25, 10)),
    (ONLINE_RAPID, "LIM", "Polokwane", 11, (10, 5)),
    (RAPID, "FST", "Welkom", 16, (15, 5)),
)
AWAITING = (
    # kind, region, place, ended so many days ago or in the week before, control, program
    (WEEKEND, "GAU", "Benoni", 6, (90, 30), SWISS_MANAGER),
    (ONLINE_RAPID, "KZN", "Durban", 5, (10, 5), VEGA),
    (RAPID, "ECA", "East London", 5, (15, 5), SWISS_MANAGER),
    (BLITZ_NIGHT, "WCA", "Cape Town", 4, (3, 2), SWISS_MANAGER),
    (RAPID, "LIM", "Tzaneen", 3, (20, 5), VEGA),
)
FEW = {"too-few-players": "A sixth player fell ill on the morning of round 1; we asked the Bureau that day."}
GIVEN_BACK = (
    # kind, region, place, days ago, the reason
    (RAPID, "GAU", "Vereeniging", 8, "The arbiter's sheets give boards 3 and 4 of round 5 otherwise."),
    (RAPID, "MPU", "Secunda", 7, "Name the arbiters in order of appointment, with their numbers."),
)
REFUSED = "An arbiter of the event played in it as a filler (clause 8). You may appeal within 21 days."


def set_stage(hand: Stagehand) -> None:
    """Everything of these days, each by the service that a person would use."""
    for kind, region, place, days, control in COMING:
        _announce(hand, kind, region, place, days, control)
    for kind, region, place, ago, control, style in AWAITING:
        _await_review(hand, hand.hold(kind, region, place, ago=ago, control=control), style)
    few = replace(CLUB, size=(5, 5), days=5, apart=1)
    _await_review(hand, hand.hold(few, "NCA", "Kimberley", ago=4, control=(60, 30)), reasons=FEW)
    for kind, region, place, ago, reason in GIVEN_BACK:
        _give_back(hand, hand.hold(kind, region, place, ago=ago), reason)
    _refuse(hand, hand.hold(RAPID, "NWE", "Rustenburg", ago=8))
    _leave_questions(hand)


def _announce(hand: Stagehand, kind: Kind, region: str, place: str, days: int, control: Control) -> None:
    first = hand.today + timedelta(days=days)
    first += timedelta(days=(kind.weekday - first.weekday()) % 7)
    played = tuple(first + timedelta(days=kind.apart * day) for day in range(kind.days))
    plan = Plan(kind, hand.name_of(kind, place, first.year), region, place, played, control)
    hand.announce(
        plan,
        [group.name for group in kind.groups],
        rounds=kind.rounds[0],
        before=(first - hand.today).days + 2,
    )


def _await_review(
    hand: Stagehand, held: Held, style: str = SWISS_MANAGER, *, reasons: Mapping[str, str] | None = None
) -> Section:
    section = hand.register(held)
    on = held.fact.ends + timedelta(days=1)
    hand.file(section, hand.event_file(held, style=style), on=on)
    return hand.submit(section, on=on, reasons=reasons)


def _give_back(hand: Stagehand, held: Held, reason: str) -> None:
    section = _await_review(hand, held)
    on, by = hand.today - timedelta(days=2), hand.staff.official
    services.return_section(section=section, by=by, on=on, version=section.version, reason=reason)


def _refuse(hand: Stagehand, held: Held) -> None:
    section = _await_review(hand, held)
    on, by = hand.today - timedelta(days=3), hand.staff.official
    services.refuse(section=section, by=by, on=on, version=section.version, reason=REFUSED)


# ---------------------------------------------------------------- filed, with questions left


def _leave_questions(hand: Stagehand) -> None:
    """No time control; players who could be somebody else; no days of the rounds."""
    timeless = hand.hold(RAPID, "WCA", "Stellenbosch", ago=3)
    section = hand.register(timeless, timed=False)
    hand.file(section, hand.event_file(timeless, timed=False), on=hand.today - timedelta(days=1))

    doubtful = hand.hold(BLITZ_NIGHT, "KZN", "Richards Bay", ago=2, control=(5, 3))
    section = hand.register(doubtful)
    lines = hand.lines_of(doubtful)
    changes = {place: vague(lines[place - 1]) for place in (2, 5, 7)}
    hand.file(section, hand.event_file(doubtful, style=VEGA, changes=changes), on=hand.today)

    dateless = hand.hold(
        replace(WEEKEND, groups=OPEN, size=(18, 22)), "GAU", "Soweto", ago=2, control=(60, 30)
    )
    section = hand.register(dateless)
    lines = hand.lines_of(dateless)
    data = hand.event_file(dateless, changes={4: vague(lines[3])}, dated=False)
    hand.file(section, data, on=hand.today)


def vague(line: Line) -> Line:
    """The same player with an initial for a first name, without id and birth: somebody has to decide."""
    return line._replace(first_name=f"{line.first_name[0]}.", birth=None, identifier="")


# ---------------------------------------------------------------- corrected late


def correct_late(hand: Stagehand) -> None:
    """A section that a published list took in is un-rated and rated again; another is un-rated still."""
    newest = hand.story.lists[-1]
    swiss = [filed for filed in hand.story.filed if filed.plan.kind.format == "swiss" and not filed.again]
    listed = [filed for filed in swiss if filed.rated < newest and filed.plan.kind in KINDS]
    again, last = listed[-1], listed[-2]
    section = _unrate(hand, again.section.id)
    held = Held(again.plan, again.plan.kind.groups[0], corrected(again.section))
    on = hand.today - timedelta(days=1)
    hand.file(section, hand.event_file(held), on=on)
    section = hand.submit(section, on=on)
    services.approve(section=section, by=hand.staff.official, on=on, version=section.version)
    _unrate(hand, last.section.id)


def _unrate(hand: Stagehand, key: str) -> Section:
    number, _slash, code = key.partition("/")
    section = Section.objects.select_related("event").get(
        event__federation=hand.federation, event__number=number, code=code, stage=Stage.RATED
    )
    on, by = hand.today - timedelta(days=1), hand.staff.official
    services.unrate(section=section, by=by, on=on, version=section.version, reason=EXCHANGED)
    return section
