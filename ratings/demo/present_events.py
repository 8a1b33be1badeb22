"""Plays the present events of a demo office, each by the service that a person would use."""

from __future__ import annotations

from datetime import timedelta

from ratings import decisions
from ratings.demo.play_and_file import PresentEventMaker, UnratedSection
from ratings.demo.story.event_calendar import on_weekday
from ratings.demo.story.formats_of_play import rounds_of
from ratings.demo.story.past_journal import REWRITABLE, corrected
from ratings.equipment.demo import REFUSED, REGISTERED, RETURNED, SUBMITTED, PresentEvent
from tournaments.events.models import Section, Stage
from tournaments.samples.event_files import FilePlayer


def set_stage(maker: PresentEventMaker) -> None:
    """Bring every present event of the demo to its stage: registered, filed, submitted, returned or
    refused.
    """
    for live in maker.demo.present.live:
        if live.stage == REGISTERED:
            _announce(maker, live)
        else:
            _bring(maker, live)


def _announce(maker: PresentEventMaker, live: PresentEvent) -> None:
    kind = live.kind
    first = on_weekday(maker.today + timedelta(days=live.days), kind.weekday)
    plan = maker.plan(kind, live.region, live.place, first, live.variant)
    names = [group.name for group in kind.groups]
    rounds = rounds_of(maker.rng, kind, kind.size[0])
    before = (first - maker.today).days + 2
    section = maker.announce(plan, names, rounds=rounds, before=before)
    if live.admitted:
        maker.admit(section)


def _bring(maker: PresentEventMaker, live: PresentEvent) -> None:
    """Play an event, register and file it, then submit, return or refuse its section as its stage says."""
    held = maker.hold(live.kind, live.region, live.place, ago=live.days, variant=live.variant)
    section = maker.register(held, timed=live.timed)
    on = min(maker.today, held.fact.ends + timedelta(days=1))
    lines = maker.lines_of(held)
    changes = {place: vague(lines[place - 1]) for place in live.vague}
    data = maker.event_file(held, style=live.style, changes=changes, timed=live.timed, dated=live.dated)
    maker.file(section, data, on=on, name=maker.file_name(section, live.style))
    if live.stage not in (SUBMITTED, RETURNED, REFUSED):
        return
    section = maker.submit(section, on=on, reasons=live.reasons)
    decide = {RETURNED: decisions.return_section, REFUSED: decisions.refuse}.get(live.stage)
    if decide:
        by, on = maker.staff.official, max(on, maker.today - timedelta(days=2))
        decide(section=section, by=by, on=on, version=section.version, reason=live.words)


def vague(line: FilePlayer) -> FilePlayer:
    """A player of a file with an initial for a first name, without id and birth, so that somebody has to
    decide who of the register it is.
    """
    return line._replace(first_name=f"{line.first_name[0]}.", birth=None, identifier="")


# ---------------------------------------------------------------- corrected late


def correct_late(maker: PresentEventMaker) -> None:
    """Un-rate two sections that a published list took in: one is filed anew and rated again, the other stays
    un-rated for people to go on with.
    """
    newest = max(maker.story.lists, default=maker.story.start)
    listed = [
        filed
        for filed in maker.story.filed
        if filed.section.format in REWRITABLE
        and not filed.again
        and filed.rated < newest
        and filed.plan.kind in maker.demo.events.kinds
    ]
    if len(listed) < 2:  # a young office: nothing to correct yet
        return
    again, last = listed[-1], listed[-2]
    section = _unrate(maker, again.section.id)
    held = UnratedSection(
        again.plan, again.plan.kind.groups[0], corrected(again.section, maker.federation.ruleset)
    )
    on = maker.today - timedelta(days=1)
    maker.file(section, maker.event_file(held), on=on, name=maker.file_name(section))
    section = maker.submit(section, on=on)
    decisions.approve(section=section, by=maker.staff.official, on=on, version=section.version)
    _unrate(maker, last.section.id)


def _unrate(maker: PresentEventMaker, key: str) -> Section:
    number, _slash, code = key.partition("/")
    section = Section.objects.select_related("event").get(
        event__federation=maker.federation, event__number=number, code=code, stage=Stage.RATED
    )
    on, by = maker.today - timedelta(days=1), maker.staff.official
    decisions.unrate(
        section=section,
        by=by,
        on=on,
        version=section.version,
        reason="result",
        words=maker.demo.present.exchanged,
        after_list=True,
    )
    return section
