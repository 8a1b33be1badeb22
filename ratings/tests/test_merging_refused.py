"""Players of a refused section are merged: whatever brings it back, the journal names who stays, and once."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

import pytest
from django.utils import timezone

from players.models import Decision, Federation, Player
from players.record import Refused
from ratings import approval
from ratings.merging import entries_since_merge, merge_players, part_players
from ratings.models import Fact
from ratings.rulesets import journal
from ratings.tests.office import approved, recompute_all, register, submitted
from ratings.tests.test_every_office import exported, stands_as_replayed
from ratings.verify import verify
from tests.built_once import built_once
from tournaments.models import Entry, Section, Stage
from tournaments.review import appeal, decide_appeal, take_back_decision

pytestmark = pytest.mark.django_db
DAY = date(2026, 3, 1)
ComeBack = Callable[[Section], None]


def upheld(section: Section) -> None:
    made = appeal(section=section, by=None, on=DAY, version=section.version, reason="There was one.")
    section.refresh_from_db()
    decide_appeal(appeal=made, by=None, on=DAY, version=section.version, upheld=True, reason="So it is.")


def taken_back(section: Section) -> None:
    take_back_decision(section=section, by=None, at=timezone.now(), on=DAY, version=section.version)


either_way = pytest.mark.parametrize("come_back", [upheld, taken_back])


@pytest.fixture
@built_once
def people(csa: Federation) -> list[Player]:
    """Ten players; the first eight stand in a rated section."""
    people = register(csa, 10)
    approved(submitted(csa, people[:8], number="2024-001"))
    return people


def refused(csa: Federation, field: list[Player]) -> Section:
    section = submitted(csa, field, number="2024-002", seed=2)
    approval.record_refusal(section=section, by=None, on=DAY, version=section.version, reason="No arbiter.")
    section.refresh_from_db()
    return section


def merged(player: Player, into: Player) -> None:
    merge_players(player=player, into=into, by=None, on=DAY, reason="one certificate")
    recompute_all(into.federation)
    player.refresh_from_db()
    into.refresh_from_db()


def numbers(section: Section) -> list[str]:
    return [entry.player.number for entry in section.entries.order_by("number") if entry.player]


def reads_without_fault(office: Federation) -> None:
    journal.read_journal(exported(office).decode().splitlines())  # raises JournalError at a fault
    assert verify(office).differences == []
    stands_as_replayed(office)


@either_way
def test_a_refused_section_that_comes_back_names_who_stays_and_is_rated_so(
    csa: Federation, people: list[Player], come_back: ComeBack
) -> None:
    section = refused(csa, [people[8], *people[1:8]])
    merged(people[8], people[0])
    come_back(section)
    section.refresh_from_db()
    assert section.stage == Stage.SUBMITTED
    assert numbers(section) == [player.number for player in people[:8]]
    approved(section, DAY)
    reads_without_fault(csa)


@either_way
def test_a_refused_section_with_both_does_not_come_back_until_the_two_are_separated(
    csa: Federation, people: list[Player], come_back: ComeBack
) -> None:
    section = refused(csa, [people[8], *people[:7]])
    merged(people[8], people[0])
    if come_back is upheld:
        made = appeal(section=section, by=None, on=DAY, version=section.version, reason="There was one.")
        section.refresh_from_db()
        version = section.version
        with pytest.raises(Refused, match="Separate the two first") as why:
            decide_appeal(appeal=made, by=None, on=DAY, version=version, upheld=True, reason="So it is.")
    else:
        with pytest.raises(Refused, match="Separate the two first") as why:
            come_back(section)
    assert "101000009 and 101000001 were merged" in str(why.value)
    assert "on the page of 101000001" in str(why.value)
    section.refresh_from_db()
    assert section.stage == Stage.REFUSED
    people[8].refresh_from_db()
    assert entries_since_merge(people[8]) == [], "each has an own entry there"
    part_players(player=people[8], by=None, on=DAY, reason="two documents")
    recompute_all(csa)
    assert numbers(section)[:2] == ["101000009", "101000001"]
    if come_back is upheld:
        decide_appeal(
            appeal=section.appeals.get(),
            by=None,
            on=DAY,
            version=section.version,
            upheld=True,
            reason="So it is.",
        )
    else:
        come_back(section)
    approved(section, DAY)
    reads_without_fault(csa)


def test_two_who_were_merged_into_a_third_are_one_person_too(csa: Federation, people: list[Player]) -> None:
    section = refused(csa, [people[8], people[9], *people[1:7]])
    merged(people[8], people[0])
    merged(people[9], people[0])
    with pytest.raises(Refused, match="101000009 and 101000010 were merged into one player"):
        taken_back(section)


def test_an_appeal_is_dismissed_also_where_both_stand_in_the_section(
    csa: Federation, people: list[Player]
) -> None:
    section = refused(csa, [people[8], *people[:7]])
    merged(people[8], people[0])
    made = appeal(section=section, by=None, on=DAY, version=section.version, reason="There was one.")
    section.refresh_from_db()
    decide_appeal(appeal=made, by=None, on=DAY, version=section.version, upheld=False, reason="None.")
    section.refresh_from_db()
    assert section.stage == Stage.REFUSED


def test_parting_gives_a_refused_section_of_the_time_since_the_merge(
    csa: Federation, people: list[Player]
) -> None:
    merged(people[8], people[0])
    section = refused(csa, people[:8])
    assert section.pk in [entry.section_id for entry in entries_since_merge(people[8])]
    part_players(player=people[8], by=None, on=DAY, reason="two documents", given={section.pk})
    recompute_all(csa)
    assert numbers(section)[0] == people[8].number
    section.refresh_from_db()
    upheld(section)
    approved(section, DAY)
    reads_without_fault(csa)


def test_parting_leaves_a_refused_section_of_the_time_before_the_merge_as_it_was(
    csa: Federation, people: list[Player]
) -> None:
    section = refused(csa, [people[8], *people[1:8]])
    merged(people[8], people[0])
    part_players(player=people[8], by=None, on=DAY, reason="two documents")
    recompute_all(csa)
    upheld(section)
    assert numbers(section)[0] == people[8].number
    approved(section, DAY)
    reads_without_fault(csa)


# ---------------------------------------------------------------- the guard of an approval


def kept_out(section: Section) -> str:
    facts, decided = Fact.objects.count(), Decision.objects.count()
    section.refresh_from_db()
    with pytest.raises(Refused) as why:
        approval.approve(section=section, by=None, on=DAY, version=section.version)
    assert (Fact.objects.count(), Decision.objects.count()) == (facts, decided)
    section.refresh_from_db()
    assert section.stage == Stage.SUBMITTED
    return str(why.value)


def test_no_section_is_approved_with_an_entry_of_a_merged_player(
    csa: Federation, people: list[Player]
) -> None:
    merged(people[8], people[0])
    section = submitted(csa, [people[8], *people[1:8]], number="2024-002")
    words = kept_out(section)
    assert "Starting number 1 names 101000009, who was merged into 101000001. Return the section" in words
    Entry.objects.filter(section=section, number=1).update(player=people[0])
    approved(section, DAY)
    reads_without_fault(csa)


def test_no_section_is_approved_with_a_player_entered_twice(csa: Federation, people: list[Player]) -> None:
    section = submitted(csa, [people[8], *people[1:8]], number="2024-002")
    Entry.objects.filter(section=section, number=1).update(player=people[1])
    assert "101000002 is entered twice. Return the section" in kept_out(section)


def test_a_return_is_taken_back_after_a_merge_too(csa: Federation, people: list[Player]) -> None:
    section = submitted(csa, [people[8], *people[1:8]], number="2024-002")
    approval.return_section(section=section, by=None, on=DAY, version=section.version, reason="Wrong.")
    merged(people[8], people[0])
    section.refresh_from_db()
    taken_back(section)
    approved(section, DAY)
    reads_without_fault(csa)
