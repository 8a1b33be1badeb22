"""Sections that were filed or rated since two entries were merged: when they part, each is given to one."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date

from django.utils.translation import gettext as _

from players.office.models import User
from players.register.models import Player
from ratings.decisions.sections import unrate
from ratings.journal.models import Fact
from tournaments.events.models import Entry, Section, Stage


def entries_since_merge(player: Player) -> list[Entry]:
    """The entries that name the entry that stayed and may be the merged player's: of sections rated since the
    merge, and of those that are not rated now. Not of a section in which the merged player has an own entry:
    a refused one keeps it, and parting two who both stand there settles whose is which.
    """
    merged = Fact.objects.filter(federation=player.federation, kind="merged", subject=player.number)
    line = merged.order_by("-number").values_list("number", flat=True).first()
    if player.merged_into is None or line is None:
        return []
    own = Entry.objects.filter(player=player).values("section")
    entries = Entry.objects.filter(player=player.merged_into).exclude(section__in=own)
    entries = entries.select_related("section__event__federation").order_by("section__starts", "pk")
    rated = Fact.objects.filter(federation=player.federation, kind="rated", number__gt=line).in_force()
    since = set(rated.values_list("section_id", flat=True))
    return [each for each in entries if each.section.stage != Stage.RATED or each.section_id in since]


def give_sections(
    player: Player, given: Collection[int], by: User | None, on: date, *, after_list: bool
) -> list[str]:
    """Give the entries of these sections (by key) to the player who was parted, in the transaction of the
    parting; a rated one is un-rated, so that its region submits it anew. Returns the sections' ids.
    """
    told = []
    for entry in entries_since_merge(player):
        if entry.section_id in given:
            _give(entry, player, by, on, after_list=after_list)
            told.append(entry.section.key)
    return told


def _give(entry: Entry, player: Player, by: User | None, on: date, *, after_list: bool) -> None:
    section = entry.section
    if section.stage == Stage.RATED:
        words = _("Player %(number)s was taken for player %(other)s.") % {
            "number": player.number,
            "other": player.merged_into.number if player.merged_into else "",
        }
        unrate(
            section=section,
            by=by,
            on=on,
            version=section.version,
            reason="player",
            words=words,
            after_list=after_list,
        )
    Entry.objects.filter(pk=entry.pk).update(player=player, match=Entry.Match.DECIDED)
    Section.objects.filter(pk=section.pk).update(version=section.version + 1)
