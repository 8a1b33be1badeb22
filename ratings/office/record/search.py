"""Searching the record by an event and by a player: their numbers, or the beginnings of their names."""

from __future__ import annotations

from functools import reduce
from operator import or_

import django_filters
from django.db.models import CharField, Q, QuerySet
from django.db.models.functions import Cast
from django.utils.translation import gettext_lazy as _

from players.office.models import Decision
from players.pages.record_filters import RecordFilter
from players.register.models import Player
from ratings.office.record.reach import about_events
from tournaments.events.models import Event

MOST_PLAYERS = 50
"""The players whom one search follows: more are no name of anybody."""


class RecordSearch(RecordFilter):
    """The filters of the record, with those of events and players."""

    event = django_filters.CharFilter(label=_("Event or section"), method="of_event")
    player = django_filters.CharFilter(label=_("Player"), method="of_player")

    class Meta(RecordFilter.Meta):
        fields = ("kind", "by", "event", "player", "about", "since", "until")

    def of_event(self, decisions: QuerySet[Decision], name: str, wanted: str) -> QuerySet[Decision]:
        """Decisions about events of this number, or whose name has these words, and about their sections; or
        about one section (`2026-132/A`).
        """
        words = wanted.strip()
        number, _slash, code = words.partition("/")
        if code and any(letter.isdigit() for letter in number):
            return decisions.filter(about__iexact=f"section {number}/{code}")
        events = Event.objects.filter(federation=self.office)
        return decisions.filter(about_events(events.filter(Q(number=words) | Q(name__icontains=words))))

    def of_player(self, decisions: QuerySet[Decision], name: str, wanted: str) -> QuerySet[Decision]:
        """Decisions about such players, or that name them by number."""
        players = Player.objects.of(self.office).matching(wanted).order_by("number")
        found = players.values_list("number", "merged__number")[:MOST_PLAYERS]
        numbers = sorted({number for pair in found for number in pair if number})
        if not numbers:
            return decisions.none()
        named = reduce(or_, (Q(as_text__contains=f'"{number}"') for number in numbers))
        told = decisions.annotate(as_text=Cast("sealed_details", CharField()))
        return told.filter(Q(about__in=[f"player {number}" for number in numbers]) | named)
