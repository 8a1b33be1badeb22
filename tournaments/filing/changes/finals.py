"""Rounds of finals and play-offs: told apart from the scheduled ones, and numbered behind them."""

from __future__ import annotations

from django.db.models import F

from tournaments.events.models import Section
from tournaments.filing.open_questions import last_round


def names_of_finals(known: list[str], count: int) -> list[str]:
    """The names of so many rounds of finals: the last ones of those that are known, others by number."""
    kept = known[len(known) - count :] if count <= len(known) else known
    return [*(f"F{number}" for number in range(1, count - len(kept) + 1)), *kept]


def number_finals(section: Section, count: int) -> None:
    """Take the last rounds of a section's games for finals, and give them the numbers behind the scheduled
    rounds, in the transaction that saves these.
    """
    section.finals = names_of_finals(section.finals, count)
    section.save(update_fields=["finals"])
    last = last_round(section)
    moved = (section.rounds or 0) + count - last
    if not count or moved <= 0:
        return
    for number in range(last, last - count, -1):  # the last first: two rounds never share a number
        for rows in (section.games, section.byes):
            rows.filter(round=number).update(round=F("round") + moved)
