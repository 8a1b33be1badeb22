"""Moves an event to another region, as where it was registered for the wrong one."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from players.office.access import Permission, Rights
from players.office.decision_record import Refused, decide
from players.office.models import Region, User
from players.people.models import Transfer
from players.register.models import Player
from tournaments.cases.models import Case
from tournaments.events.models import Entry, Event, Section
from tournaments.filing.change_stage import was_rated
from tournaments.filing.changes.lock_event import given, lock_event, refuse_decided, sections_of
from tournaments.filing.changes.move_days import recheck_open


@transaction.atomic
def move_to_region(
    *,
    rights: Rights,
    event: Event,
    by: User | None,
    on: date,
    version: int,
    region: Region,
    reason: str,
    in_journal: QuerySet[Any, Any],
) -> Event:
    """Give an event to another region, with all its sections, the players new with them and all reports of
    mistakes that are not closed; everybody reads why. `in_journal`: the numbers of players whom the journal
    names; they stay.

    Raises `Refused` if the person may not act in both regions, if the event has that region already, or if a
    section is submitted or rated.
    """
    words = given(reason)
    locked = lock_event(event, version=version)
    giving = locked.region
    _refuse_region(rights, giving, region)
    sections = sections_of(locked)
    refuse_decided(sections)
    locked.region = region
    locked.version += 1
    locked.save(update_fields=["region", "version"])
    _let_go(sections)
    players = _take_new_players(sections, giving, region, in_journal)
    cases = Case.objects.filter(section__event=locked, region=giving)
    cases.exclude(state=Case.State.CLOSED).update(region=region)
    recheck_open(sections)
    told = {"region_before": giving.code, "region": region.code, "reason": words, "players": players}
    decide(locked.federation, kind="move-event", by=by, on=on, about=locked.named_on_record, **told)
    return locked


def _refuse_region(rights: Rights, giving: Region, taking: Region) -> None:
    if giving == taking:
        raise Refused(_("This event belongs to %(region)s already.") % {"region": taking})
    mine = set(rights.regions(Permission.EVENTS_EDIT).values_list("pk", flat=True))
    for region in (giving, taking):
        if region.pk not in mine:
            raise Refused(_("You do not act for %(region)s. Ask an official.") % {"region": region})


def _let_go(sections: Collection[Section]) -> None:
    """Give sections another version, so that no open page of the giving region goes on; and forget who of it
    submitted them: letters go to the taking one.
    """
    for section in sections:
        section.submitted_by = None
        section.version += 1
        section.save(update_fields=["submitted_by", "version"])


def _take_new_players(
    sections: Collection[Section], giving: Region, taking: Region, in_journal: QuerySet[Any, Any]
) -> list[str]:
    """Give the taking region the players who came into the register with these sections and play in no other
    (csa 14.1.5: they come under the host region, if no other was stated); return their numbers. Whom the
    journal has already stays, since it tells the region: by a rating, or by a merger. So does whoever has an
    open transfer.
    """
    never_rated = [section for section in sections if not was_rated(section)]
    new = Entry.objects.filter(section__in=never_rated, match=Entry.Match.NEW, region=None).values("player")
    elsewhere = Entry.objects.exclude(section__in=never_rated).exclude(player=None).values("player")
    office = giving.federation_id
    moving = Transfer.objects.filter(federation=office, state__in=Transfer.OPEN).values("player")
    players = Player.objects.filter(region=giving, pk__in=new).exclude(pk__in=elsewhere)
    players = players.exclude(number__in=in_journal).exclude(pk__in=moving)
    numbers = sorted(players.values_list("number", flat=True))
    Player.objects.filter(number__in=numbers, federation=taking.federation_id).update(region=taking)
    return numbers
