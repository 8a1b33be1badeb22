"""What an administrator does: appoints with an end, invites again, hands a region over."""

from __future__ import annotations

import re
from datetime import date

from tests.spoken import say
from tests.walks.worker import Worker


def appoint(w: Worker, address: str, name: str, region: str, starts: date, ends: date) -> None:
    """From the desk: a regional administrator with a last day."""
    w.to_desk()
    w.follow(say("Appointments"))
    w.follow(say("Appoint a person"))
    w.fill(say("E-mail address"), address)
    w.fill(say("Name", "of a person"), name)
    w.pick(re.compile(re.escape(say("regional administrator")), re.I))
    w.choose(say("Region"), region)
    w.fill(say("First day"), starts.isoformat())
    w.fill(say("Last day"), ends.isoformat())
    w.press(say("Appoint"))


def invite_again(w: Worker, name: str) -> None:
    """On the page of the people in office."""
    w.follow(say("The invitation of %(person)s", person=name))
    w.press(say("Send another invitation"))


def hand_over(w: Worker, name: str, to_address: str, to_name: str, last_day: date) -> None:
    """From the desk: what is open with a person goes to somebody new, after the last day."""
    w.to_desk()
    w.follow(say("Appointments"))
    w.follow(say("Hand over what is open with %(person)s", person=name))
    w.pick(say("somebody new, by the address below"))
    w.fill(say("E-mail address of somebody new"), to_address)
    w.fill(say("Name of somebody new"), to_name)
    w.fill(say("Last day"), last_day.isoformat())
    w.press(say("Hand over"))
