"""An erratum tells of one act: what was wrong, what is right, and who moved, as one entry everywhere."""

from __future__ import annotations

from datetime import date
from typing import Any
from xml.etree import ElementTree

import pytest
from django.test import Client

from players.models import Federation, Player
from ratings import approval, publication
from ratings.corrections import correct_rated_section
from ratings.models import Erratum, Fact
from ratings.pages.errata import errata_of, worded_errata
from ratings.tests.office import approved, recompute_all, submitted
from tournaments.models import Section

pytestmark = pytest.mark.django_db
DAY, NEXT_DAY = date(2024, 4, 3), date(2024, 4, 4)
ATOM = "{http://www.w3.org/2005/Atom}"


def corrected(section: Section, on: date = DAY, **change: object) -> Fact:
    game = section.games.get(order=1)
    wanted = {"what": "result", "game": 1, "to": "0-1" if game.result != "0-1" else "1-0"} | change
    fact = correct_rated_section(
        section=section,
        by=None,
        on=on,
        version=section.version,
        changes=[wanted],
        reason="result",
        words="The slip says otherwise.",
        after_list=True,
    )
    recompute_all(section.event.federation)
    return fact


def unrated(section: Section, on: date = DAY) -> Fact:
    section.refresh_from_db()
    given: dict[str, Any] = {"by": None, "on": on, "version": section.version, "reason": "result"}
    given["words"] = "Wrong."
    line = approval.unrate(section=section, after_list=True, **given)
    recompute_all(section.event.federation)
    Section.objects.filter(pk=section.pk).update(stage="submitted")
    return line


def words(client: Client, url: str) -> str:
    answer = client.get(url)
    assert answer.status_code == 200
    return " ".join(answer.content.decode().split())


def test_d2_a_corrected_section_is_one_entry_everywhere_and_counts_who_moved(
    csa: Federation, section: Section, client: Client
) -> None:
    fact = corrected(section)
    game = section.games.select_related("first__player", "second__player").get(order=1)
    [told] = worded_errata(csa, errata_of(csa))
    assert told.line.number == fact.number
    assert told.title == "Corrected: Open 2024-001, A"
    people = (game.first.person, game.second.person)
    names = " – ".join(person.shown_name for person in people if person)
    assert told.sentence.startswith(f"Round 1, {names}: {game.result}, not ")
    table = client.get(told.url).context["table"]
    rows = [row.record for row in table.rows]
    assert told.players == len({row.player.pk for row in rows}) > 0
    assert all(f"{row.before:.1f}" != f"{row.after:.1f}" for row in rows)
    for url in ("/csa/", "/csa/errata/", section.get_absolute_url(), "/csa/lists/2024-04-01/otb-standard/"):
        page = words(client, url)
        assert "Rating withdrawn" not in page, url
        assert "Rated again" not in page, url
        assert page.count("Corrected: Open 2024-001, A") == 1, url
    feed = ElementTree.fromstring(client.get("/csa/errata.atom").content)
    [entry] = feed.iter(f"{ATOM}entry")
    assert told.sentence in (entry.findtext(f"{ATOM}summary") or entry.findtext(f"{ATOM}content") or "")


def test_the_rows_of_an_act_go_from_before_its_first_line_to_after_its_last(
    csa: Federation, section: Section, client: Client
) -> None:
    fact = corrected(section)
    back, again = Erratum.objects.order_by("fact__number")
    before = {(row.player_id, row.track): row.before for row in back.ratings.all()}
    after = {(row.player_id, row.track): row.after for row in again.ratings.all()}
    rows = [row.record for row in client.get(f"/csa/errata/{fact.number}/").context["table"].rows]
    for row in rows:
        key = row.player.pk, row.track
        assert (row.before, row.after) == (before[key], after[key])
    unmoved = before.keys() - {(row.player.pk, row.track) for row in rows}
    assert all(round(before[key] or 0, 1) == round(after[key] or 0, 1) for key in unmoved)


def test_a_line_of_an_act_leads_to_its_erratum(csa: Federation, section: Section, client: Client) -> None:
    fact = corrected(section)
    back = Fact.objects.get(kind="unrated")
    answer = client.get(f"/csa/errata/{back.number}/")
    assert (answer.status_code, answer["Location"]) == (302, f"/csa/errata/{fact.number}/")


def test_of_a_correction_that_moves_nobody_the_erratum_counts_nobody(
    csa: Federation, section: Section, client: Client
) -> None:
    corrected(section, what="date", day="starts", to="2024-02-28", game=None)
    [told] = worded_errata(csa, errata_of(csa))
    assert told.players == 0
    assert told.sentence == "First day: 28 February 2024, not 29 February 2024"
    assert "0 players with another rating" in words(client, "/csa/errata/")


def test_rated_again_on_another_day_a_section_has_two_entries(
    csa: Federation, section: Section, client: Client
) -> None:
    unrated(section, DAY)
    approved(section, on=NEXT_DAY)
    assert [each.title for each in worded_errata(csa, errata_of(csa))] == [
        "Rated again: Open 2024-001, A",
        "Rating withdrawn: Open 2024-001, A",
    ]


def test_rated_again_on_one_day_behind_another_section_it_has_two_entries(
    csa: Federation, section: Section, players: list[Player]
) -> None:
    other = submitted(csa, players, number="2024-002", ends=date(2024, 3, 2), rounds=10, seed=2)
    unrated(section, DAY)
    approved(other, on=DAY)
    approved(section, on=DAY)
    assert [each.line.kind for each in worded_errata(csa, errata_of(csa))] == ["rated", "unrated"]


def test_lists_published_again_right_behind_a_correction_are_told_with_it_and_how_many_rows_differ(
    csa: Federation, section: Section, client: Client
) -> None:
    fact = corrected(section)
    publication.revise_list(federation=csa, list_day=date(2024, 4, 1), by=None, on=DAY, note="A game.")
    recompute_all(csa)
    [told] = worded_errata(csa, errata_of(csa))
    assert told.line.number == fact.number
    [day] = told.revised
    assert (day.on, day.rows > 0) == (date(2024, 4, 1), True)
    assert f"published again: {day.rows} rows differ" in words(client, "/csa/errata/")


def test_a_list_published_again_on_another_day_has_an_entry_of_its_own(
    csa: Federation, section: Section
) -> None:
    corrected(section)
    publication.revise_list(
        federation=csa, list_day=date(2024, 4, 1), by=None, on=NEXT_DAY, note="A game was wrong."
    )
    recompute_all(csa)
    newest, older = worded_errata(csa, errata_of(csa))
    assert newest.title == "List of 1 April 2024, published again"
    assert [each.on for each in newest.revised] == [date(2024, 4, 1)]
    assert older.revised == []
