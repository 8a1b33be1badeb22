"""Errata in public: their own pages and feed, and every page that leads to them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any
from xml.etree import ElementTree

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from players.models import Decision, Federation, Player, User
from players.record import withdraw_words
from ratings import approval
from ratings.corrections import FurtherSteps, correct_rated_section
from ratings.merging import merge_players, part_players
from ratings.models import CorrectedRating, Fact, RatingList
from ratings.pages.errata import corrections_of_player
from ratings.pages.play import HistoryWriter
from ratings.results import as_of
from ratings.statement import read_statement
from ratings.tests.office import approved, published, recompute_all, register, submitted
from tests.built_once import built_once
from tournaments.models import Game, Section

ClientOf = Callable[[User], Client]
pytestmark = pytest.mark.django_db
WRONG = "Round 2: <b>Invented00</b> had lost and was entered as the winner."
TRACK = "otb-standard"
ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture
@built_once
def line(csa: Federation, section: Section) -> Fact:
    """Of the journal, by which the section was un-rated in April."""
    return taken_back(section, date(2024, 4, 3))


def taken_back(section: Section, on: date) -> Fact:
    section.refresh_from_db()
    line = approval.unrate(
        section=section,
        by=None,
        on=on,
        version=section.version,
        reason="result",
        words=WRONG,
        after_list=True,
    )
    recompute_all(section.event.federation)
    return line


def rated_again(section: Section, on: date) -> Fact:
    """One game is entered as it was, and the section rated again."""
    game = Game.objects.filter(section=section, round=2).order_by("order")[0]
    game.result = "0-1" if game.result == "1-0" else "1-0"
    game.save()
    Section.objects.filter(pk=section.pk).update(stage="submitted")
    return approved(section, on=on)


def words(answer: Any) -> str:
    assert answer.status_code == 200
    return " ".join(answer.content.decode().split())


def place(line: Fact) -> str:
    return f"/csa/errata/{line.number}/"


# ---------------------------------------------------------------- the erratum


def test_the_erratum_says_what_was_wrong_when_by_which_clause_and_in_the_offices_words(
    line: Fact, client: Client
) -> None:
    page = words(client.get(place(line)))
    assert "Rating withdrawn: Open 2024-001, A" in page
    assert "A game was entered wrongly" in page
    assert "&lt;b&gt;Invented00&lt;/b&gt; had lost" in page
    assert "3 April 2024" in page
    assert "#clause-64" in page
    assert "/csa/lists/2024-04/" in page


def test_before_a_list_the_erratum_cites_63(csa: Federation, players: list[Player], client: Client) -> None:
    rated = submitted(csa, players, rounds=10)
    approved(rated)
    page = words(client.get(place(taken_back(rated, date(2024, 3, 5)))))
    assert "#clause-63" in page
    assert "#clause-64" not in page
    assert "Published lists that include it" not in page


def test_the_erratum_shows_everybodys_rating_before_and_after_and_can_be_cut_to_a_track(
    line: Fact, players: list[Player], client: Client
) -> None:
    page = words(client.get(place(line)))
    assert all(player.get_absolute_url() in page for player in players)
    row = CorrectedRating.objects.filter(track="otb-standard").order_by("position")[0]
    cut = words(client.get(place(line), {"track": "otb-standard"}))
    assert "otb-main" not in cut.split("<table")[1].split("</table")[0]
    assert f"{row.before:.1f}" in cut
    assert client.get(place(line), {"track": "no-such"}).status_code == 200


def test_a_section_rated_again_says_what_is_otherwise_in_it(
    csa: Federation, section: Section, line: Fact, client: Client
) -> None:
    again = rated_again(section, date(2024, 4, 4))
    page = words(client.get(place(again)))
    assert "Rated again: Open 2024-001, A" in page
    assert "Round 2" in page
    results = {page.split('<td class="mono">')[n].split("</td>")[0] for n in (1, 2)}
    assert results <= {"1-0", "0-1", "1/2"}
    assert len(results) == 2
    assert place(line) in page
    assert place(again) in words(client.get(place(line)))
    below = [each.partition("</span>")[0] for each in page.split('<span class="sub narrow">')[1:]]
    first = CorrectedRating.objects.filter(erratum__fact=line).exclude(before=None)
    assert {
        f"OTB Standard, as rated first {row.before:.1f}" for row in first.filter(track="otb-standard")
    } <= set(below), "what a phone has no column for"


def test_of_a_section_rated_again_what_differs_from_the_first_time_stands_on_top(
    section: Section, line: Fact, client: Client
) -> None:
    first = {
        (row.player_id, row.track): row.before for row in CorrectedRating.objects.filter(erratum__fact=line)
    }
    again = rated_again(section, date(2024, 4, 4))
    page = client.get(place(again))
    rows = [row.record for row in page.context["table"].rows]
    moved = [abs(row.movement.after.total - (first[row.player.pk, row.track] or 0)) for row in rows]
    assert moved[0] > 0
    assert moved == sorted(moved, reverse=True)


def test_words_that_were_withdrawn_stand_nowhere(line: Fact, client: Client, nomsa: User) -> None:
    withdraw_words(decision=Decision.objects.get(kind="unrate"), by=nomsa, on=date(2024, 4, 5))
    page = words(client.get(place(line)))
    assert "had lost" not in page
    assert "A game was entered wrongly" in page


def test_who_asked_not_to_be_named_is_named_in_no_erratum(
    line: Fact, players: list[Player], client: Client
) -> None:
    Player.objects.filter(pk=players[3].pk).update(withheld=True)
    for address in (place(line), "/csa/errata/", "/csa/errata.atom"):
        assert players[3].name not in words(client.get(address))
    assert "withheld" in words(client.get(place(line)))


def test_two_merged_entries_have_an_erratum_that_keeps_the_offices_ground_to_itself(
    csa: Federation, section: Section, players: list[Player], client: Client, nomsa: User
) -> None:
    [twin] = register(csa, 1, first=101000900)
    others = [twin, *players[1:]]
    approved(submitted(csa, others, number="2024-007", ends=date(2024, 4, 2), rounds=10, seed=7))
    line = merge_players(
        player=twin, into=players[0], by=nomsa, on=date(2024, 4, 5), reason="Her mother wrote to us."
    )
    recompute_all(csa)
    page = words(client.get(place(line)))
    assert "One person" in page
    assert "101000900" in page
    assert "mother" not in page


def test_the_erratum_of_a_merge_tells_on_the_page_of_who_stays_their_own_rating(
    csa: Federation, section: Section, players: list[Player], client: Client
) -> None:
    twins = register(csa, 2, first=101000900)
    for at, twin in enumerate(twins, start=7):
        others = [twin, *players[1:]]
        day = date(2024, 4, at - 5)
        approved(submitted(csa, others, number=f"2024-00{at}", ends=day, rounds=10, seed=at), on=day)
    stays, other = players[0], players[1]
    for twin in twins:
        line = merge_players(player=twin, into=stays, by=None, on=date(2024, 4, 5), reason="one person")
        recompute_all(csa)
        rows = CorrectedRating.objects.filter(erratum__fact=line, track=TRACK)
        assert rows.get(player=twin).after is None
        [(_told, told), *_older] = corrections_of_player(stays, TRACK)
        assert told == rows.values_list("before", "after").get(player=stays)
        [(_told, told), *_older] = corrections_of_player(other, TRACK)
        assert told == rows.values_list("before", "after").get(player=other)


def test_what_was_corrected_of_a_merged_entry_alone_stands_on_the_page_of_who_stays(
    csa: Federation, section: Section, players: list[Player], line: Fact
) -> None:
    [into] = register(csa, 1, first=101000900)
    merge_players(player=players[0], into=into, by=None, on=date(2024, 4, 5), reason="one person")
    recompute_all(csa)
    row = CorrectedRating.objects.get(erratum__fact=line, player=players[0], track=TRACK)
    assert (row.before, row.after) in [rating for _told, rating in corrections_of_player(into, TRACK)]


@pytest.mark.parametrize("number", ["1", "999999", "99999999999999999999"])
def test_another_lines_erratum_is_not_there(line: Fact, client: Client, number: str) -> None:
    assert client.get(f"/csa/errata/{number}/").status_code == 404


def test_a_page_of_errata_asks_no_more_for_more_of_them(
    csa: Federation, players: list[Player], client: Client
) -> None:
    sections = [submitted(csa, players, number=f"2024-00{number}", seed=number) for number in range(1, 5)]
    for each in sections:
        approved(each)
    published(csa, date(2024, 4, 1))
    asked: list[int] = []
    for each in sections:
        each.refresh_from_db()
        correct_rated_section(
            section=each,
            by=None,
            on=date(2024, 4, 3),
            version=each.version,
            changes=[{"what": "struck", "game": 1}],
            reason="result",
            words=WRONG,
            after_list=True,
            then=FurtherSteps((date(2024, 4, 1),)),
        )
        recompute_all(csa)
        client.get("/csa/errata/")
        with CaptureQueriesContext(connection) as queries:
            page = client.get("/csa/errata/")
        assert len(page.context["errata"]) == len(asked) + 1
        assert all(each.sentence and each.players and each.revised for each in page.context["errata"])
        asked.append(len(queries))
    assert asked == [asked[0]] * 4
    assert asked[0] <= 13


# ---------------------------------------------------------------- where it is told


def test_every_page_concerned_leads_to_the_erratum(
    csa: Federation, section: Section, line: Fact, players: list[Player], client: Client
) -> None:
    newest = RatingList.objects.filter(track="otb-standard").get()
    pages = (
        "/csa/",
        "/csa/errata/",
        "/csa/journal/",
        section.get_absolute_url(),
        newest.get_absolute_url(),
        "/csa/lists/2024-04/",
        f"{players[0].get_absolute_url()}?track=otb-standard",
    )
    for page in pages:
        assert place(line) in words(client.get(page)), page


def test_a_list_of_other_ratings_or_of_before_says_nothing_of_it(
    csa: Federation, players: list[Player], client: Client
) -> None:
    published(csa, date(2024, 2, 1))
    first = submitted(csa, players, number="2024-001", rounds=10)
    approved(first)
    published(csa, date(2024, 4, 1))
    later = submitted(csa, players, number="2024-002", ends=date(2024, 4, 6), rounds=10, seed=2)
    approved(later)
    line = taken_back(later, date(2024, 4, 9))
    april = RatingList.objects.filter(on=date(2024, 4, 1))[0]
    assert place(line) not in words(client.get(april.get_absolute_url()))


def test_a_list_tells_its_newest_corrections_and_where_the_older_ones_stand(
    csa: Federation, section: Section, players: list[Player], client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ratings.pages.errata.MOST_SHOWN", 2)
    lines = [taken_back(section, date(2024, 4, 3))]
    for day in (4, 5):
        lines.append(rated_again(section, date(2024, 4, day)))
        lines.append(taken_back(section, date(2024, 4, day)))
    april = RatingList.objects.filter(track=TRACK).get()
    for address in (april.get_absolute_url(), "/csa/lists/2024-04/"):
        page = words(client.get(address))
        assert [place(each) in page for each in lines] == [False, False, False, True, True]
        assert '<a href="/csa/errata/">And 3 older ones' in page


def test_the_next_list_says_with_a_note_what_it_takes_in(
    csa: Federation, section: Section, line: Fact, players: list[Player], client: Client
) -> None:
    another = submitted(csa, players, number="2024-002", ends=date(2024, 4, 6), rounds=10, seed=2)
    approved(another)
    may, june = (published(csa, date(2024, month, 1)) for month in (5, 6))
    assert "includes corrections" in words(client.get(may[0].get_absolute_url()))
    assert place(line) in words(client.get(may[0].get_absolute_url()))
    assert place(line) not in words(client.get(june[0].get_absolute_url()))


def test_the_feed_is_atom_with_an_entry_for_each_correction(
    csa: Federation, section: Section, line: Fact, client: Client
) -> None:
    again = rated_again(section, date(2024, 4, 4))
    answer = client.get("/csa/errata.atom")
    assert answer.headers["Content-Type"].startswith("application/atom+xml")
    feed = ElementTree.fromstring(answer.content)
    links = [entry.find(f"{ATOM}link").get("href") for entry in feed.findall(f"{ATOM}entry")]  # type: ignore[union-attr]
    assert [link.removeprefix("http://testserver") for link in links if link] == [place(again), place(line)]
    assert "errata.atom" in words(client.get("/csa/"))


def test_every_entry_of_the_feed_says_in_a_sentence_what_it_means(
    csa: Federation, section: Section, line: Fact, players: list[Player], client: Client, nomsa: User
) -> None:
    rated_again(section, date(2024, 4, 4))
    [twin] = register(csa, 1, first=101000900)
    merge_players(player=twin, into=players[0], by=nomsa, on=date(2024, 4, 5), reason="one letter")
    recompute_all(csa)
    part_players(player=twin, by=nomsa, on=date(2024, 4, 6), reason="two letters")
    recompute_all(csa)
    feed = ElementTree.fromstring(client.get("/csa/errata.atom").content)
    said = [entry.findtext(f"{ATOM}summary") for entry in feed.findall(f"{ATOM}entry")]
    assert len(said) == 4
    assert all(each and each.endswith(".") for each in said)


def test_an_office_without_errata_says_so(csa: Federation, client: Client) -> None:
    assert "Nothing was corrected" in words(client.get("/csa/errata/"))
    first, second = (client.get("/csa/errata.atom").content for _time in range(2))
    assert ElementTree.fromstring(first) is not None
    assert first == second
    assert "Corrected recently" not in words(client.get("/csa/"))


def test_the_errata_go_on_to_older_ones(
    csa: Federation, section: Section, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ratings.pages.errata.MOST_FEED_ENTRIES", 2)
    lines = [taken_back(section, date(2024, 4, 3))]
    for day in (4, 5):
        rated_again(section, date(2024, 4, day))
        lines.append(taken_back(section, date(2024, 4, day)))
    first = words(client.get("/csa/errata/"))
    assert place(lines[2]) in first
    assert place(lines[0]) not in first
    query = first.split('rel="next" href="')[1].split('"')[0]
    assert place(lines[1]) not in words(client.get("/csa/errata/"))
    assert place(lines[1]) in words(client.get(f"/csa/errata/{query}"))


# ---------------------------------------------------------------- the player's page


def test_a_change_that_was_taken_back_is_no_row_but_what_a_list_said_of_it_leads_to_the_erratum(
    csa: Federation, section: Section, line: Fact, players: list[Player], client: Client
) -> None:
    page = client.get(f"{players[0].get_absolute_url()}?track=otb-standard")
    row = CorrectedRating.objects.get(player=players[0], track="otb-standard")
    [told] = [each.line for each in page.context["changes"]]
    assert told.published.published == row.before
    assert (told.movement.moves, told.published.known) == (False, None)
    assert told.published.url == corrections_of_player(players[0], "otb-standard")[0][0].url
    said = f"published {row.before:.1f}, by today’s knowledge –"
    assert said in words(page).split('id="changes"')[1]


def test_the_changes_of_a_rating_sum_up_to_its_movement(
    csa: Federation, section: Section, players: list[Player], client: Client
) -> None:
    """67: points wait for the list, so the section moves nothing yet and the list takes them in, once."""
    another = submitted(csa, players, number="2024-002", ends=date(2024, 4, 6), rounds=10, seed=2)
    approved(another)
    published(csa, date(2024, 5, 1))
    asked = as_of(csa, date(2024, 5, 2), date(2024, 5, 2))
    for player in players:
        lines = list(HistoryWriter(player, TRACK, asked).lines(read_statement(player, TRACK, asked)))
        newest, oldest = lines[0], lines[-1]
        assert newest.after == sum(each.at_once for each in lines)
        assert oldest.before is None
        assert sum(each.waits for each in lines) == 0
