"""Plays the present events of a demo office, each by the service that a person would use."""

from __future__ import annotations

from datetime import timedelta

from ratings import decisions
from ratings.demo.stage_events import Stagehand, UnratedSection
from ratings.demo.story.event_calendar import on_weekday
from ratings.demo.story.pairings import rounds_of
from ratings.demo.story.past_journal import REWRITABLE, corrected
from ratings.equipment.demo import REFUSED, REGISTERED, RETURNED, SUBMITTED, Live
from tournaments.events.models import Section, Stage
from tournaments.samples.event_files import FilePlayer


def set_stage(hand: Stagehand) -> None:
    """Bring every present event of the demo to its stage: registered, filed, submitted, returned or
    refused.
    """
    for live in hand.demo.present.live:
        if live.stage == REGISTERED:
            _announce(hand, live)
        else:
            _bring(hand, live)


def _announce(hand: Stagehand, live: Live) -> None:
    kind = live.kind
    first = on_weekday(hand.today + timedelta(days=live.days), kind.weekday)
    plan = hand.plan(kind, live.region, live.place, first, live.variant)
    names = [group.name for group in kind.groups]
    rounds = rounds_of(hand.rng, kind, kind.size[0])
    before = (first - hand.today).days + 2
    section = hand.announce(plan, names, rounds=rounds, before=before)
    if live.admitted:
        hand.admit(section)


def _bring(hand: Stagehand, live: Live) -> None:
    """Play an event, register and file it, then submit, return or refuse its section as its stage says."""
    held = hand.hold(live.kind, live.region, live.place, ago=live.days, variant=live.variant)
    section = hand.register(held, timed=live.timed)
    on = min(hand.today, held.fact.ends + timedelta(days=1))
    lines = hand.lines_of(held)
    changes = {place: vague(lines[place - 1]) for place in live.vague}
    data = hand.event_file(held, style=live.style, changes=changes, timed=live.timed, dated=live.dated)
    hand.file(section, data, on=on, name=hand.file_name(section, live.style))
    if live.stage not in (SUBMITTED, RETURNED, REFUSED):
        return
    section = hand.submit(section, on=on, reasons=live.reasons)
    decide = {RETURNED: decisions.return_section, REFUSED: decisions.refuse}.get(live.stage)
    if decide:
        by, on = hand.staff.official, max(on, hand.today - timedelta(days=2))
        decide(section=section, by=by, on=on, version=section.version, reason=live.words)


def vague(line: FilePlayer) -> FilePlayer:
    """A player of a file with an initial for a first name, without id and birth, so that somebody has to
    decide who of the register it is.
    """
    return line._replace(first_name=f"{line.first_name[0]}.", birth=None, identifier="")


# ---------------------------------------------------------------- corrected late


def correct_late(hand: Stagehand) -> None:
    """Un-rate two sections that a published list took in: one is filed anew and rated again, the other stays
    un-rated for people to go on with.
    """
    newest = max(hand.story.lists, default=hand.story.start)
    listed = [
        filed
        for filed in hand.story.filed
        if filed.section.format in REWRITABLE
        and not filed.again
        and filed.rated < newest
        and filed.plan.kind in hand.demo.events.kinds
    ]
    if len(listed) < 2:  # a young office: nothing to correct yet
        return
    again, last = listed[-1], listed[-2]
    section = _unrate(hand, again.section.id)
    held = UnratedSection(
        again.plan, again.plan.kind.groups[0], corrected(again.section, hand.federation.ruleset)
    )
    on = hand.today - timedelta(days=1)
    hand.file(section, hand.event_file(held), on=on, name=hand.file_name(section))
    section = hand.submit(section, on=on)
    decisions.approve(section=section, by=hand.staff.official, on=on, version=section.version)
    _unrate(hand, last.section.id)


def _unrate(hand: Stagehand, key: str) -> Section:
    number, _slash, code = key.partition("/")
    section = Section.objects.select_related("event").get(
        event__federation=hand.federation, event__number=number, code=code, stage=Stage.RATED
    )
    on, by = hand.today - timedelta(days=1), hand.staff.official
    decisions.unrate(
        section=section,
        by=by,
        on=on,
        version=section.version,
        reason="result",
        words=hand.demo.present.exchanged,
        after_list=True,
    )
    return section
