"""Pairs about one registered event, before play."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING

from tests.races.day import day
from tests.races.pairs import Deed, Order, Pair, Race

if TYPE_CHECKING:
    from tests.races.scene import Scene
    from tournaments.models import Event, Section

REASON = "The hall is taken."
SOON = day() + timedelta(days=60)


def registered(scene: Scene, office: str = "csa") -> tuple[Event, Section]:
    """An event of one section, to be played in two months."""
    from tournaments.models import Event, Section

    held, number = scene.offices[office], scene.next()
    event = Event.objects.create(
        federation=held,
        number=f"E{number:05}",
        name=f"Invented Open {number}",
        region=held.regions.get(code="GAU"),
        starts=SOON,
        ends=SOON + timedelta(days=2),
        registered_on=day(),
    )
    section = Section.objects.create(
        event=event, code="A", name="A", format="swiss", rounds=7, starts=event.starts, ends=event.ends
    )
    return event, section


def changed(who: str, event: Event, name: str) -> Deed:
    """The form that edits an event, with another name in it."""
    fields = {
        "version": event.version,
        "name": name,
        "starts": event.starts.isoformat(),
        "ends": event.ends.isoformat(),
        "place": "Johannesburg",
        "country": "RSA",
        "organizer": "",
        "reason": "Everybody calls it that.",
        "arbiters-TOTAL_FORMS": 0,
        "arbiters-INITIAL_FORMS": 0,
    }
    return Deed(who, _page(event, "edit"), fields, ("edit",))


def _page(event: Event, page: str) -> str:
    return f"/{event.federation.code}/events/{event.number}/sections/{page}/"


def announced(who: str, event: Event, page: str, *records: str) -> Deed:
    fields = {"version": event.version, "reason": REASON}
    return Deed(who, _page(event, page), fields, records or (page,))


def _looks(event: Event, wanted: tuple[dict[str, str], dict[str, str]], done: Order) -> str:
    from tournaments.models import Event, Section

    now, section = Event.objects.get(pk=event.pk), Section.objects.get(event=event)
    found = {"name": now.name, "state": now.state, "stage": section.stage, "notice": section.notice}
    differs = {name: found[name] for name, value in wanted[done[-1]].items() if found[name] != value}
    return f"{event} has {differs}, wanted {wanted[done[-1]]}" if differs else ""


def edit_and_withdraw(scene: Scene, _number: int) -> Pair:
    event, _section = registered(scene)
    edited = {"name": f"{event.name} anew", "state": "planned", "stage": "registered", "notice": ""}
    gone = {"name": event.name, "state": "withdrawn", "stage": "withdrawn", "notice": REASON}
    deeds = (
        changed("amahle", event, edited["name"]),
        announced("nomsa", event, "withdraw", "withdraw-event"),
    )
    return Pair(deeds, partial(_looks, event, (edited, gone)))


def edit_twice(scene: Scene, _number: int) -> Pair:
    event, _section = registered(scene)
    names = f"{event.name} of Amahle", f"{event.name} of Nomsa"
    deeds = changed("amahle", event, names[0]), changed("nomsa", event, names[1])
    return Pair(deeds, partial(_looks, event, ({"name": names[0]}, {"name": names[1]})))


def cancel_and_withdraw(scene: Scene, _number: int) -> Pair:
    event, _section = registered(scene)
    deeds = announced("amahle", event, "cancel"), announced("nomsa", event, "withdraw", "withdraw-event")
    wanted = ({"state": "cancelled", "stage": "cancelled"}, {"state": "withdrawn", "stage": "withdrawn"})
    return Pair(deeds, partial(_looks, event, wanted))


def cancel_and_submit(scene: Scene, _number: int) -> Pair:
    """Who called the event off does not find its section submitted afterwards, nor the other way round."""
    from tests.races.sections import deed, reasons_for
    from tournaments.models import Section, Stage

    section = scene.to_be_submitted(scene.submitted())
    Section.objects.filter(pk=section.pk).update(stage=Stage.FILED)
    section.refresh_from_db()
    given = reasons_for(section)
    deeds = (
        announced("nomsa", section.event, "cancel"),
        deed("amahle", section, "submit", adjusted="on", **given),
    )
    wanted = ({"state": "cancelled", "stage": "cancelled"}, {"state": "planned", "stage": "submitted"})
    return Pair(deeds, partial(_looks, section.event, wanted))


def answer_and_refuse_before_play(scene: Scene, _number: int) -> Pair:
    """What the office asked before play is answered while another official refuses without the answer."""
    from tournaments.before_play import ask_before_play

    event, section = registered(scene, "ssdc")
    version, words = section.version, "Which time control?"
    ask_before_play(section=section, by=None, on=day(), version=version, reason=words)
    section.refresh_from_db()
    page, seen = f"{section.get_absolute_url()}before-play/", {"version": section.version}
    deeds = (
        Deed("duarte", f"{page}answer/", {**seen, "answer": "The usual one."}, ("answer-before-play",)),
        Deed("nomsa", page, {**seen, "decision": "refuse", "reason": REASON}, ("refuse-before-play",)),
    )
    return Pair(deeds, partial(_looks, event, ({"stage": "registered"}, {"stage": "refused"})))


def admit_and_withdraw(scene: Scene, _number: int) -> Pair:
    """An official puts the decision before play off while its region withdraws the section."""
    event, section = registered(scene, "ssdc")
    page, seen = section.get_absolute_url(), {"version": section.version, "reason": REASON}
    until = {"until": (SOON - timedelta(days=7)).isoformat()}
    deeds = (
        Deed("nomsa", f"{page}before-play/", {**seen, **until, "decision": "put-off"}, ("put-off",)),
        Deed("duarte", f"{page}withdraw/", seen, ("withdraw-section",)),
    )
    return Pair(deeds, partial(_looks, event, ({"stage": "registered"}, {"stage": "withdrawn"})))


RACES = [
    Race("edit/withdraw", edit_and_withdraw),
    Race("edit/edit", edit_twice),
    Race("cancel/withdraw", cancel_and_withdraw),
    Race("cancel/submit", cancel_and_submit),
    Race("answer/refuse-before-play", answer_and_refuse_before_play),
    Race("put-off/withdraw", admit_and_withdraw),
]
