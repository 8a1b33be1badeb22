"""The kinds of letters that somebody may get, by the roles that they have and by what they did."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from players.office.models import Decision, Role, User
from ratings.letters import audiences
from ratings.letters.audiences import Audience
from ratings.letters.letter_kinds import LetterKind, every_kind
from ratings.letters.transfers import both_regions


@dataclass(frozen=True, slots=True)
class Reach:
    """People whom an audience may hold: in these roles, and whoever did this and works here in any."""

    roles: frozenset[str]
    deed: str = ""


OFFICIALS = Reach(frozenset({Role.OFFICIAL}))
BOTH = frozenset({Role.REGIONAL, Role.OFFICIAL})
REACHES: dict[Callable[[Decision], Audience], Reach] = {
    audiences.staff: Reach(frozenset(Role.values)),
    audiences.officials: OFFICIALS,
    audiences.whoever_takes_over: OFFICIALS,
    audiences.whoever_proposed: OFFICIALS,
    audiences.whoever_asked: Reach(frozenset({Role.OFFICIAL}), "import-register"),
    audiences.regions_of_moved_event: Reach(frozenset({Role.REGIONAL})),
    audiences.those_who_file: Reach(frozenset({Role.REGIONAL}), "submit"),
    audiences.those_who_are_due: Reach(BOTH, "submit"),
    audiences.those_who_answer: Reach(BOTH),
    both_regions: Reach(frozenset({Role.REGIONAL}), "ask-transfer"),
}
"""By the audience of a kind of letters that can be switched off."""


def kinds_for(user: User, roles: Collection[str]) -> Iterator[LetterKind]:
    """The kinds that can be switched off and may come to a person who has these roles; without any, none."""
    deeds = {reach.deed for reach in REACHES.values()}
    done = set(Decision.objects.filter(by=user, kind__in=deeds).values_list("kind", flat=True).distinct())
    for kind in every_kind():
        if kind.switchable and roles:
            reach = REACHES[kind.audience]
            if reach.roles & set(roles) or reach.deed in done:
                yield kind
