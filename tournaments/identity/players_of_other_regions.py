"""Players of a section who belong to another region than the one that holds it."""

from __future__ import annotations

from players.register.models import Player
from tournaments.events.models import Entry, Section


def players_of_other_regions(section: Section) -> list[Player]:
    """The players of the register in a section who belong to another region than its event's, by name. None
    where the office has one region only; who came into the register with this section is no guest.
    """
    if not section.event.federation.regional:
        return []
    entries = section.entries.exclude(match=Entry.Match.NEW).exclude(player=None)
    guests = entries.exclude(player__region=None).exclude(player__region=section.event.region_id)
    found = [entry.player for entry in guests.select_related("player__region", "player__federation")]
    return sorted((player for player in found if player), key=lambda player: (player.sort_key, player.number))
