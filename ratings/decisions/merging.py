"""Decisions on two register entries of one person: merge them, or part them again.

After a merge the journal is read as if it had always named the entry that stays; after a parting, as if that
merge were not there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import date

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from players.office.decision_record import Refused, decide, lock_ledger
from players.office.models import User
from players.office.wake_worker import wake_recompute
from players.people.merging import (
    entries_of,
    join,
    read_anew,
    refuse_pair,
    refuse_parting,
    refuse_while_drawing_up,
)
from players.people.tell_apart import refuse_two_persons
from players.register.models import Player
from players.register.player_to_fact import player_fact
from ratings.decisions.sections_since_merge import give_sections
from ratings.journal.append import JournalWriter
from ratings.journal.models import Fact
from ratings.journal.read_facts import aliases
from ratings.law import facts, journal
from ratings.law.facts import PlayerId
from tournaments.events.models import Entry, Section, Stage


@transaction.atomic
def merge_players(
    *, player: Player, into: Player, by: User | None, on: date, reason: str, all_the_same: bool = False
) -> Fact:
    """Merge two entries: from now on the journal is read as if it had named `into` wherever it names
    `player`.

    Particulars and openings are those of `into`. `all_the_same`: the person has read that somebody said they
    are two persons. Raises `Refused` where no reason is given, one of the two is merged already, they are of
    two offices or the same, both stand in a section, somebody said so, or a list is just being drawn up.
    """
    federation = into.federation
    ledger = lock_ledger(federation)
    for each in (player, into):
        each.refresh_from_db()
    if not reason.strip():
        raise Refused(_("Say how you know that the two are one person: the record keeps your words."))
    refuse_merging(player, into)
    refuse_two_persons(player, into, all_the_same=all_the_same)
    writer = JournalWriter(federation, ledger)
    day = writer.day(on)
    writer.write_players([player_fact(player), player_fact(into)])
    fact = writer.write(facts.Merged(player.number, into.number, day))
    join(player, into)
    _give_waiting_entries(player, into)
    writer.ask_for_recompute()
    about = f"player {player.number}"
    told = {"into": into.number, "reason": reason.strip(), "fact": fact.number}
    decide(federation, kind="merge", by=by, on=day, about=about, **told)
    wake_recompute(federation)
    return fact


@transaction.atomic
def part_players(
    *,
    player: Player,
    by: User | None,
    on: date,
    reason: str,
    given: Collection[int] = (),
    after_list: bool = False,
) -> Fact:
    """Take a merge back: from now on the journal is read as if `player` had not been merged into another
    entry.

    `given`: the keys of sections filed or rated since that are the player's; a rated one is un-rated, where a
    published list has it by the office's own decision alone (`after_list`). Whatever else has named the other
    entry since stays so: other sections, ids of other registers, and a wish not to be named. Raises
    `Refused` where no reason is given, the entry is merged into nobody, or a list is just being drawn up.
    """
    federation = player.federation
    ledger = lock_ledger(federation)
    player.refresh_from_db()
    if not reason.strip():
        raise Refused(_("Say how you know that they are two people: the record keeps your words."))
    refuse_parting(player)
    into = aliases(federation)[player.number]
    people = entries_of(player.merged_into) if player.merged_into else []
    moved = give_sections(player, given, by, on, after_list=after_list)
    ledger = lock_ledger(federation)
    writer = JournalWriter(federation, ledger)
    day = writer.day(on)
    fact = writer.write(facts.Parted(player.number, day))
    read_anew(federation, people)
    writer.ask_for_recompute()
    about = f"player {player.number}"
    told = {"out_of": into, "reason": reason.strip(), "fact": fact.number, "given": moved}
    decide(federation, kind="part", by=by, on=day, about=about, **told)
    wake_recompute(federation)
    return fact


def refuse_merging(player: Player, into: Player) -> None:
    """Raise `Refused`, with words for the official, if these two entries cannot be merged now."""
    refuse_pair(player, into)
    if both := shared_sections(player, into):
        raise Refused(
            _(
                "Both are entered in section %(sections)s: they are two people, or an entry is wrong. If "
                "they are one person, un-rate that section, correct its entries and rate it again; then "
                "merge the two."
            )
            % {"sections": ", ".join(both)}
        )
    refuse_while_drawing_up(player.federation)


def shared_sections(player: Player, into: Player) -> list[str]:
    """The ids of sections in which both are entered: in the office, or in the newest line of the journal.

    A refused section does not count: nothing of it could be corrected first, and it comes back only while
    no two of its entries are one player (`name_who_stays`).
    """
    sections = Section.objects.filter(event__federation=into.federation)
    stand = (Entry.objects.filter(player__in=entries_of(each)).values("section") for each in (player, into))
    held = sections.exclude(stage__in=(Stage.REFUSED, Stage.WITHDRAWN)).filter(
        *(Q(pk__in=found) for found in stand)
    )
    held = held.select_related("event")
    return sorted({section.key for section in held} | set(_written(player, into)))


def _written(player: Player, into: Player) -> Iterator[str]:
    """The ids of sections that are not rated now and whose newest line in the journal names both."""
    rows = Fact.objects.filter(federation=into.federation, kind="section").exclude(section__stage=Stage.RATED)
    newest = dict(rows.order_by("number").values_list("subject", "line"))
    for key, line in newest.items():
        section = journal.parse_line(line, into.federation.ruleset)
        assert isinstance(section, facts.Section)
        named = {entry.player for entry in section.entries}
        if named & _numbers(player) and named & _numbers(into):
            yield key


def _numbers(player: Player) -> set[PlayerId]:
    return {each.number for each in entries_of(player)}


def _give_waiting_entries(player: Player, into: Player) -> None:
    """Give the merged player's entries in sections that are not rated yet to the player who stays. A refused
    section keeps its own, for both may stand in it: they follow if it comes back (`name_who_stays`).
    """
    waiting = Entry.objects.filter(player=player).exclude(section__stage__in=(Stage.RATED, Stage.REFUSED))
    waiting.update(player=into)
