"""What an administrator does: appoints with an end, invites again, hands a region over."""

from __future__ import annotations

import re
from datetime import date

from tests.walks.worker import Worker


def appoint(w: Worker, address: str, name: str, region: str, starts: date, ends: date) -> None:
    """From the desk: a regional administrator with a last day."""
    w.to_desk()
    w.follow("Appointments")
    w.follow("Appoint a person")
    w.fill("E-mail address", address)
    w.fill("Name", name)
    w.pick(re.compile("regional administrator", re.I))
    w.choose("Region", region)
    w.fill("First day", starts.isoformat())
    w.fill("Last day", ends.isoformat())
    w.press("Appoint")


def invite_again(w: Worker, name: str) -> None:
    """On the page of the people in office."""
    w.follow(f"The invitation of {name}")
    w.press("Send another invitation")


def hand_over(w: Worker, name: str, to_address: str, to_name: str, last_day: date) -> None:
    """From the desk: what is open with a person goes to somebody new, after the last day."""
    w.to_desk()
    w.follow("Appointments")
    w.follow(f"Hand over what is open with {name}")
    w.pick(re.compile("somebody new"))
    w.fill("E-mail address of somebody new", to_address)
    w.fill("Name of somebody new", to_name)
    w.fill("Last day", last_day.isoformat())
    w.press("Hand over")
