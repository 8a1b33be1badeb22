"""The present events of the demo: one or two in every stage, and two files to upload."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from ratings.equipment.demo import (
    FILED,
    OPEN,
    REFUSED,
    REGISTERED,
    RETURNED,
    SUBMITTED,
    DemoNewcomer,
    Offer,
    PresentEvent,
)
from ratings.rulesets.csa.demo.event_kinds import (
    BLITZ_NIGHT,
    CLUB,
    JUNIOR_TRIALS,
    ONLINE_RAPID,
    RAPID,
    WEEKEND,
    variant,
)

SWISS_MANAGER, VEGA = "Swiss-Manager", "Vega"
ONE_SECTION = replace(WEEKEND, groups=OPEN, size=(18, 22))
FIVE = replace(CLUB, size=(5, 5), days=5, apart=1)
FEW = {"too-few-players": "A sixth player fell ill on the morning of round 1; we asked the Bureau that day."}
DIFFERENT_SHEETS = "The arbiter's sheets give boards 3 and 4 of round 5 otherwise."
NAME_ARBITERS = "Name the arbiters in order of appointment, with their numbers."
A_FILLER = "An arbiter of the event played in it as a filler (clause 8). You may appeal within 21 days."

ONLINE = variant(10, 5, platform="online")
LIVE = (
    PresentEvent(REGISTERED, RAPID, "GAU", "Midrand", 6, variant(15, 5)),
    PresentEvent(REGISTERED, WEEKEND, "GAU", "Johannesburg", 19, variant(90, 30)),
    PresentEvent(REGISTERED, BLITZ_NIGHT, "WCA", "Paarl", 5, variant(3, 2)),
    PresentEvent(REGISTERED, JUNIOR_TRIALS, "WCA", "George", 13, variant(60, 30)),
    PresentEvent(REGISTERED, RAPID, "KZN", "Newcastle", 9, variant(25, 10)),
    PresentEvent(REGISTERED, ONLINE_RAPID, "LIM", "Polokwane", 11, ONLINE),
    PresentEvent(REGISTERED, RAPID, "FST", "Welkom", 16, variant(15, 5)),
    PresentEvent(SUBMITTED, WEEKEND, "GAU", "Benoni", 6, variant(90, 30)),
    PresentEvent(SUBMITTED, ONLINE_RAPID, "KZN", "Durban", 5, ONLINE, VEGA),
    PresentEvent(SUBMITTED, RAPID, "ECA", "East London", 5, variant(15, 5)),
    PresentEvent(SUBMITTED, BLITZ_NIGHT, "WCA", "Cape Town", 4, variant(3, 2)),
    PresentEvent(SUBMITTED, RAPID, "LIM", "Tzaneen", 3, variant(20, 5), VEGA),
    PresentEvent(SUBMITTED, FIVE, "NCA", "Kimberley", 4, variant(60, 30), reasons=FEW),
    PresentEvent(RETURNED, RAPID, "GAU", "Vereeniging", 8, variant(15, 5), words=DIFFERENT_SHEETS),
    PresentEvent(RETURNED, RAPID, "MPU", "Secunda", 7, variant(15, 5), words=NAME_ARBITERS),
    PresentEvent(REFUSED, RAPID, "NWE", "Rustenburg", 8, variant(15, 5), words=A_FILLER),
    # filed, with questions left: no time control; players who could be somebody else; no days of the rounds
    PresentEvent(FILED, RAPID, "WCA", "Stellenbosch", 3, variant(15, 5), timed=False),
    PresentEvent(FILED, BLITZ_NIGHT, "KZN", "Richards Bay", 2, variant(5, 3), VEGA, vague=(2, 5, 7)),
    PresentEvent(FILED, ONE_SECTION, "GAU", "Soweto", 2, variant(60, 30), vague=(4,), dated=False),
)
OFFERS = (
    Offer(
        replace(RAPID, size=(20, 20), rounds=(6,), visitors=0.1),
        "GAU",
        "Pretoria",
        3,
        "txt",
        (
            DemoNewcomer("Vilakazi-Moss", "Nandipha", "f", date(2012, 4, 17), "RSA"),
            DemoNewcomer("Terblanche", "Lourens Jakob", "m", date(1996, 11, 2), "RSA"),
        ),
        variant(15, 5),
    ),
    Offer(
        replace(WEEKEND, groups=OPEN, size=(16, 16), rounds=(7,)),
        "WCA",
        "Worcester",
        4,
        "trf",
        (
            DemoNewcomer("Quickfall", "Zoë", "f", date(2009, 8, 30), "RSA"),
            DemoNewcomer("Ontong", "Wilfred", "m", date(1961, 1, 9), "RSA"),
        ),
        variant(90, 30),
        VEGA,
        other_ids=True,
    ),
)
