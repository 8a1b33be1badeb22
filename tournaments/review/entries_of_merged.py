"""Entries of a section that name players who were merged: the journal names who stays, and nobody twice."""

from __future__ import annotations

from collections.abc import Iterable

from django.utils.translation import gettext as _

from players.office.decision_record import Refused
from players.register.models import Player
from tournaments.events.models import Entry, Section
from tournaments.events.section_fact import entries_with_players


def name_who_stays(section: Section) -> None:
    """Let entries of merged players name the one who stays, and write it.

    Raises `Refused` as `read_who_stays` does.
    """
    for entry in read_who_stays(section):
        entry.save(update_fields=["player"])


def read_who_stays(section: Section) -> list[Entry]:
    """Let entries of merged players name the one who stays, in memory, and return these entries: the journal
    names nobody who was merged.

    Raises `Refused` where that would enter a player twice: a merge leaves a refused section as it is, also
    one in which both are entered.
    """
    entries = list(_entries(section))
    merged = [entry for entry in entries if entry.player and entry.player.merged_into]
    if both := _two_of_one_person(entries) if merged else None:
        one, other = both
        raise Refused(
            _(
                "%(one)s and %(other)s were merged into one player, and both are entered in section "
                "%(section)s. Separate the two first, on the page of %(stays)s; then decide again. If they "
                "are one person, return the section to its region after that, which corrects its entries, "
                "and merge the two then."
            )
            % {
                "one": one.number,
                "other": other.number,
                "section": section.key,
                "stays": (one.merged_into or one).number,
            }
        )
    for entry in merged:
        entry.player = entry.player and entry.player.merged_into
    return merged


def refuse_merged_or_twice(section: Section) -> None:
    """Raise `Refused`, with words for the official, where an entry names a player who was merged, or two
    entries name one player: no line of the journal may.
    """
    entries = list(_entries(section))
    for entry in entries:
        if entry.player and entry.player.merged_into:
            raise Refused(
                _(
                    "Starting number %(number)s names %(player)s, who was merged into %(into)s. Return the "
                    "section: its region then chooses %(into)s for that entry."
                )
                % {
                    "number": entry.number,
                    "player": entry.player.number,
                    "into": entry.player.merged_into.number,
                }
            )
    if both := _two_of_one_person(entries):
        raise Refused(
            _(
                "%(player)s is entered twice. Return the section: its region then decides who each of these "
                "entries is."
            )
            % {"player": both[0].number}
        )


def _entries(section: Section) -> Iterable[Entry]:
    return entries_with_players(section)


def _two_of_one_person(entries: Iterable[Entry]) -> tuple[Player, Player] | None:
    """The players of the first two entries that name one person, as the register stands now."""
    first: dict[int, Player] = {}
    for player in (entry.player for entry in entries if entry.player):
        stays = player.merged_into_id or player.pk
        if stays in first:
            return first[stays], player
        first[stays] = player
    return None
