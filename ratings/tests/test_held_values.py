"""What decisions hold of their subjects, and what `verify` says of it."""

from __future__ import annotations

from collections.abc import Collection

import pytest
from django.utils import timezone

from players import held
from players.models import Decision, Federation, HeldPart, Player, User
from players.record import decide
from ratings.people import correct_player, forget_name
from ratings.tests.office import FIRST, approved, recompute_all, register, submitted
from ratings.verify import Report, held_differences, verify
from tournaments.models import Event, Section
from tournaments.review import take

pytestmark = pytest.mark.django_db


@pytest.fixture
def section(csa: Federation) -> Section:
    """A rated section, which its approval holds; of its players no decision was about."""
    section = submitted(csa, register(csa, 6))
    approved(section)
    recompute_all(csa)
    return section


def verified(office: Federation) -> Report:
    return verify(Federation.objects.get(pk=office.pk))


def test_what_is_altered_of_what_a_decision_left_is_named_with_the_decision(
    csa: Federation, section: Section
) -> None:
    assert verified(csa).differences == []
    Event.objects.update(place="Elsewhere")
    [named] = verified(csa).differences
    assert named == f"event {section.event.number} is not as decision {Decision.objects.count()} left it"


def test_what_somebody_decides_while_it_is_read_is_no_difference(
    csa: Federation, section: Section, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, clubs = held.read_parts, iter(["Rook"])

    def read_late(federation: Federation, parts: Collection[str] | None) -> dict[str, list[str]]:
        if parts is None and (club := next(clubs, "")):
            player = Player.objects.get(number="101000001")
            correct_player(player=player, by=None, on=FIRST, reason="", club=club)
        return read(federation, parts)

    monkeypatch.setattr(held, "read_parts", read_late)
    assert held_differences(csa, []) == []
    assert next(clubs, "") == ""
    Event.objects.update(place="Elsewhere")
    assert len(held_differences(csa, [])) == 1


def test_a_row_that_is_gone_is_named(csa: Federation, section: Section) -> None:
    player = Player.objects.get(number="101000001")
    correct_player(player=player, by=None, on=FIRST, reason="", ids={"fide": "14300000"})
    player.identifiers.all()._raw_delete("default")
    assert "player 101000001 is not as decision" in "\n".join(verified(csa).differences)


def test_what_no_decision_holds_yet_is_told_and_is_no_difference(csa: Federation) -> None:
    submitted(csa, register(csa, 6))
    report = verified(csa)
    assert report.differences == []
    assert "10 events, sections, players and others are held by no decision yet" in report.notices


def test_only_the_newest_digest_of_a_part_keeps_its_salt(csa: Federation, section: Section) -> None:
    player = Player.objects.get(number="101000001")
    for club in ("Rook", "Queen"):
        correct_player(player=player, by=None, on=FIRST, reason="", club=club)
    parts = HeldPart.objects.filter(part="player 101000001").order_by("decision__number")
    assert [bool(each.salt) for each in parts] == [False, True]


def test_who_has_a_name_deleted_is_no_difference_and_nobody_can_try_names_after_it(
    csa: Federation, section: Section
) -> None:
    player = Player.objects.get(number="101000001")
    correct_player(player=player, by=None, on=FIRST, reason="", club="Rook")
    forget_name(player=player, by=None, on=FIRST)
    recompute_all(csa)
    assert verified(csa).differences == []
    first = HeldPart.objects.filter(part="player 101000001").order_by("decision__number")[0]
    assert first.salt == ""


def test_a_decision_that_only_says_who_is_at_work_holds_nothing(csa: Federation, nomsa: User) -> None:
    section = submitted(csa, register(csa, 6))
    take(section=section, by=nomsa, at=timezone.now(), on=FIRST, seen_official=None)
    assert Decision.objects.latest("number").held == ""


def test_a_digest_that_is_altered_is_named_with_its_decision(csa: Federation) -> None:
    decide(csa, kind="set", by=None, on=FIRST, about="settings", changed={})
    assert verified(csa).differences == []
    HeldPart.objects.update(salt="00" * 16)
    assert verified(csa).differences == ["office is not as decision 1 left it"]
