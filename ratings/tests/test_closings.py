"""Lists and merges across time: what a journal says of a day the office says, wherever it was made."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, timedelta
from decimal import Decimal

import pytest

from players.models import Federation, Ledger, Player
from ratings import approval, publication, recompute
from ratings.intake import import_journal
from ratings.journal import fact_row, journal_lines, set_order_and_fingerprint
from ratings.models import Fact, RatingList, Standing
from ratings.recompute import plan_steps
from ratings.rulesets import facts, journal, journal_lines as journal_form
from ratings.tests.office import FIRST, approved, published, recompute_all, register, submitted
from ratings.verify import verify
from tournaments.models import Section

pytestmark = pytest.mark.django_db
CLOSED = date(2024, 4, 1)


def sections(federation: Federation, players: list[Player], count: int) -> list[Section]:
    return [
        submitted(federation, players, number=f"2024-00{week}", ends=FIRST + timedelta(weeks=week), seed=week)
        for week in range(count)
    ]


def unrated(section: Section, on: date) -> None:
    section.refresh_from_db()
    approval.unrate(
        section=section,
        by=None,
        on=on,
        version=section.version,
        reason="result",
        words="wrong file",
        after_list=True,
    )
    recompute_all(section.event.federation)


def twin_of(lines: Iterable[str]) -> Federation:
    """The same office made anew from its journal."""
    renamed = [line.replace('"code":"csa"', '"code":"twin"', 1) for line in lines]
    twin = import_journal(journal.read_journal(renamed), on=date(2024, 8, 1))
    recompute_all(twin)
    return twin


def checksums(federation: Federation) -> dict[str, str]:
    return dict(RatingList.objects.filter(federation=federation).values_list("track", "sha256"))


def test_an_imported_list_says_what_was_published_and_not_what_was_corrected_since(csa: Federation) -> None:
    played = sections(csa, register(csa, 8), 3)
    for section in played:
        approved(section)
    assert len(published(csa, CLOSED)) == 4
    unrated(played[2], date(2024, 4, 2))
    twin = twin_of(journal_lines(csa))
    assert checksums(twin) == checksums(csa)
    assert verify(twin).differences == []


def test_an_imported_list_names_whoever_was_merged_only_after_it(csa: Federation) -> None:
    players = register(csa, 9)
    for section in sections(csa, players[:8], 2):
        approved(section)
    published(csa, CLOSED)
    merge = [
        journal_form.write_line(facts.Player("999", "Invented, Anew", "ab" * 16), csa.ruleset),
        journal_form.write_line(facts.Merged(players[0].number, "999", CLOSED), csa.ruleset),
    ]
    twin = twin_of([*journal_lines(csa), *merge])
    assert checksums(twin) == checksums(csa)
    assert verify(twin).differences == []


def test_verify_says_which_published_list_is_missing(csa: Federation) -> None:
    for section in sections(csa, register(csa, 8), 2):
        approved(section)
    publication.publish_list(federation=csa, by=None, on=CLOSED)
    Ledger.objects.update(heartbeat=None)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("ratings.recompute.Work.draw_up", lambda *_: None)
        recompute_all(csa)
    assert sorted(verify(csa).differences) == [
        f"line {Fact.objects.get(kind='list').number}: the list of {track} is missing"
        for track in ("hyb-main", "hyb-standard", "otb-main", "otb-standard")
    ]


def opened(office: Federation, number: int) -> Fact:
    """A line of the journal in the order of play, not folded yet."""
    player = register(office, 1, first=101000000 + number)[0]
    track = office.ruleset.tracks[0].code
    opening = facts.Opening(player.number, track, Decimal(1500), 40, FIRST, "an older list")
    row = fact_row(office, number, opening, journal_form.write_line(opening, office.ruleset))
    set_order_and_fingerprint(row, journal.place_fact(number, opening, {}))
    row.save()
    return row


def test_a_day_that_closed_empty_gets_no_list_from_what_is_put_below_it_later(csa: Federation) -> None:
    Federation.objects.update(ruleset_slug="piskvorky")
    office = Federation.objects.get()
    assert published(office, CLOSED) == []
    opened(office, 99)
    Ledger.objects.update(wanted=9, facts=99)
    recompute_all(office)
    assert Standing.objects.exists()
    assert not RatingList.objects.exists()


def test_who_was_merged_is_rated_with_the_particulars_of_the_one_who_stays(csa: Federation) -> None:
    players = register(csa, 8)
    approved(submitted(csa, players))
    double = facts.Player("999", "Invented, Double", "ab" * 16, nation="NAM")
    twin = twin_of(
        [
            *journal_lines(csa),
            journal_form.write_line(double, csa.ruleset),
            journal_form.write_line(facts.Merged("999", players[0].number, date(2024, 6, 1)), csa.ruleset),
        ]
    )
    approved(submitted(twin, list(Player.objects.filter(federation=twin).current()), number="2024-009"))
    assert fingerprints_of_a_replay(twin) == dict(
        Fact.objects.filter(federation=twin).in_force().values_list("number", "fingerprint")
    )


def fingerprints_of_a_replay(federation: Federation) -> dict[int, str]:
    ordered = journal.resolve(journal.read_journal(journal_lines(federation)))
    return {fact.number: journal.fingerprint(fact, federation.ruleset) for fact in ordered}


# ---------------------------------------------------------------- races


@pytest.mark.parametrize("ruleset", ["piskvorky", "pfo"])
def test_what_is_taken_in_while_the_ledger_is_read_waits_for_its_own_turn(
    csa: Federation, ruleset: str
) -> None:
    Federation.objects.update(ruleset_slug=ruleset)
    office = Federation.objects.get()
    first = opened(office, 2)
    Ledger.objects.update(wanted=1, facts=2)
    read = Ledger.objects.get()
    opened(office, 3)
    assert [[key for key, _fingerprint in step.rows] for step in plan_steps(office, read)] == [[first.pk]]


def test_a_recompute_that_comes_late_leaves_no_heartbeat_behind(csa: Federation) -> None:
    approval.approve(section=submitted(csa, register(csa, 8)), by=None, on=FIRST, version=0)
    recompute_all(csa)
    assert recompute._claim(csa) is None, "another has done it since"
    assert Ledger.objects.get().heartbeat is None
