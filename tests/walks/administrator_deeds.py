"""What an administrator does: appoints with an end, invites again, hands a region over."""

from __future__ import annotations

import re
from datetime import date

from tests.spoken import say
from tests.walks.worker import Worker


def appoint(
    w: Worker,
    address: str,
    name: str,
    region: str,
    starts: date,
    ends: date | None = None,
    *,
    instead: bool = False,
) -> None:
    """From the desk: a regional administrator, with a last day or instead of the present one."""
    w.to_desk()
    w.follow(say("Appointments"))
    w.follow(say("Appoint a person"))
    w.fill(say("E-mail address"), address)
    w.fill(say("Name", "of a person"), name)
    w.pick(re.compile(re.escape(say("regional administrator")), re.I))
    w.choose(say("Region"), region)
    w.fill(say("First day"), starts.isoformat())
    if ends:
        w.fill(say("Last day"), ends.isoformat())
    if instead:
        ending = say("End the appointment of the region’s administrator the day before")
        w.check(w.main.get_by_role("checkbox", name=ending))
    w.press(say("Appoint"))


def invite_again(w: Worker, name: str) -> None:
    """On the page of the people in office."""
    w.follow(say("The invitation of %(person)s", person=name))
    w.press(say("Send another invitation"))


def hand_over(w: Worker, name: str, to: str) -> None:
    """On the page of the people: what is open with a person goes to another."""
    w.follow(say("Hand over what is open with %(person)s", person=name))
    w.pick(re.compile(re.escape(to)))
    w.press(say("Hand over"))
