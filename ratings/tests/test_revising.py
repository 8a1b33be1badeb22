"""A list published anew: what it says, what it leaves alone, and who may."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.db.models import F
from django.test import Client

from players.models import Decision, Federation, Ledger, Player, User
from players.record import Refused
from players.settings import today
from ratings import check, publication
from ratings.as_if import hash_preview_state
from ratings.intake import import_journal
from ratings.journal import journal_lines
from ratings.lists import get_places, preview_revision
from ratings.models import Erratum, Fact, ListRow, RatingList
from ratings.pages.extracts import find_list_in_force
from ratings.player_ratings import get_published_rows
from ratings.rulesets import journal
from ratings.rulesets.journal import read_journal
from ratings.tests.office import approved, published, recompute_all, submitted
from ratings.tests.test_errata_pages import rated_again, taken_back
from ratings.verify import verify
from tests.built_once import built_once
from tournaments.models import Case, Section

ClientOf = Callable[[User], Client]
pytestmark = pytest.mark.django_db
APRIL = date(2024, 4, 1)
REVISE = "/csa/lists/publish/2024-04-01/revise/"
NOTE = "One game of the Open was entered the wrong way round."
TRACK = "otb-standard"


def shown(office: Federation, **more: str) -> dict[str, str]:
    """What is sent from a page that showed the changes as they are now."""
    seen = hash_preview_state(office, today(office), "list", APRIL.isoformat())
    return {"note": NOTE, "typed": "2024-04-01", "seen": seen} | more


@pytest.fixture
@built_once
def corrected(csa: Federation, section: Section) -> Section:
    """Rated with an error, published in April, un-rated and rated again as it was played."""
    taken_back(section, date(2024, 4, 3))
    rated_again(section, date(2024, 4, 4))
    return section


def revised(csa: Federation, on: date = date(2024, 4, 5)) -> list[RatingList]:
    publication.revise_list(federation=csa, list_day=APRIL, by=None, on=on, note=NOTE)
    recompute_all(csa)
    return list(RatingList.objects.filter(federation=csa, on=APRIL).exclude(revision=1))


def words(answer: Any) -> str:
    assert answer.status_code == 200
    return " ".join(answer.content.decode().split())


# ---------------------------------------------------------------- where it is found


def test_a_correction_leads_to_publishing_the_list_again_until_a_later_list_took_it_in(
    csa: Federation, corrected: Section, nomsa: User, client_of: ClientOf
) -> None:
    browser, outcome = client_of(nomsa), f"{corrected.get_absolute_url()}outcome/"
    case = Case.objects.create(
        federation=csa,
        region=corrected.event.region,
        section=corrected,
        email="parent@example.org",
        state=Case.State.OPEN,
        reported_at=datetime(2024, 4, 2, 9, tzinfo=UTC),
        due=date(2024, 5, 1),
    )
    places = (outcome, f"/csa/cases/{case.pk}/", "/csa/lists/2024-04/", "/csa/lists/calendar/")
    assert all(REVISE in words(browser.get(place)) for place in places)
    revised(csa)
    assert [REVISE in words(browser.get(place)) for place in places] == [False, False, True, True]


# ---------------------------------------------------------------- what it says


def test_a_revision_says_what_the_journals_line_publishes_and_the_first_stays(
    csa: Federation, corrected: Section
) -> None:
    first = dict(RatingList.objects.values_list("track", "sha256"))
    lists = revised(csa)
    line = Fact.objects.get(kind="revised")
    drawn = journal.list_of_line(read_journal(list(journal_lines(csa))), line.number)
    assert lists
    for each in lists:
        assert each.revision == 2
        assert (each.note, each.fact) == (NOTE, line)
        assert each.supersedes is not None
        assert (each.supersedes.revision, each.supersedes.sha256) == (1, first[each.track])
        assert bytes(each.content) == journal.list_content(drawn[each.track])
        assert each.sha256 != first[each.track]
    assert dict(RatingList.objects.filter(revision=1).values_list("track", "sha256")) == first
    assert verify(csa).differences == []


def test_the_check_finds_each_version_of_a_list_to_be_the_one_that_its_file_says(
    csa: Federation, corrected: Section, client: Client, tmp_path: Path
) -> None:
    revised(csa)
    taken_back(corrected, date(2024, 4, 6))
    revised(csa, on=date(2024, 4, 7))
    files = []
    for each in RatingList.objects.all():
        files.append(tmp_path / f"{each.track}-{each.revision}.json")
        files[-1].write_bytes(client.get(f"{each.get_absolute_url()}r{each.revision}/list.json").content)
    assert {each.revision for each in RatingList.objects.filter(track=TRACK)} == {1, 2, 3}
    journal_file = tmp_path / "journal.ndjson"
    journal_file.write_text("".join(f"{line}\n" for line in journal_lines(csa)))
    assert check.main([str(journal_file), *map(str, files)]) == 0


def test_only_the_ratings_that_differ_are_published_anew(csa: Federation, corrected: Section) -> None:
    ahead = preview_revision(csa, APRIL, date(2024, 4, 5))
    assert {each.track for each in ahead} == {each.track for each in revised(csa)}
    assert not preview_revision(csa, APRIL, date(2024, 4, 6))
    assert revised(csa, on=date(2024, 4, 7)) == revised(csa, on=date(2024, 4, 8))


def test_what_the_preview_shows_is_what_the_revision_says(csa: Federation, corrected: Section) -> None:
    [ahead] = [each for each in preview_revision(csa, APRIL, date(2024, 4, 5)) if each.track == TRACK]
    [second] = [each for each in revised(csa) if each.track == TRACK]
    before, after = get_places(second.supersedes), get_places(second)
    shown = {row.player.number: (row.before, row.after) for row in ahead.rows}
    assert shown == {
        number: (before.get(number), after.get(number))
        for number in {**before, **after}
        if before.get(number) != after.get(number)
    }
    assert ahead.count == len(shown) > 0


def test_what_was_rated_first_after_the_list_waits_for_a_later_one(
    csa: Federation, corrected: Section, players: list[Player]
) -> None:
    later = submitted(csa, players, number="2024-002", ends=date(2024, 3, 30), rounds=10, seed=5)
    approved(later, on=date(2024, 4, 5))
    [second] = [each for each in revised(csa, on=date(2024, 4, 6)) if each.track == TRACK]
    assert max(ListRow.objects.filter(rating_list=second).values_list("games", flat=True)) == 10


def test_a_section_that_is_still_taken_back_is_left_out_of_the_revision(
    csa: Federation, players: list[Player]
) -> None:
    section = submitted(csa, players, rounds=10)
    approved(section)
    published(csa, APRIL)
    taken_back(section, date(2024, 4, 3))
    lists = revised(csa)
    assert lists
    assert all(each.players == 0 for each in lists)


def test_a_revision_moves_no_rating_and_has_an_erratum_of_its_own(
    csa: Federation, corrected: Section, client: Client
) -> None:
    revised(csa)
    line = Fact.objects.get(kind="revised")
    assert not Erratum.objects.get(fact=line).ratings.exists()
    page = words(client.get(f"/csa/errata/{line.number}/"))
    assert "List of 1 April 2024, published again" in page
    assert NOTE in page


def test_an_office_made_from_a_journal_has_the_same_revisions(csa: Federation, corrected: Section) -> None:
    lists = revised(csa)
    record = read_journal([line.replace('"csa"', '"copy"', 1) for line in journal_lines(csa)])
    copy = import_journal(record, on=date(2024, 5, 1))
    recompute_all(copy)
    again = RatingList.objects.filter(federation=copy, revision=2)
    assert {each.track: each.sha256 for each in again} == {each.track: each.sha256 for each in lists}
    assert verify(copy).differences == []


# ---------------------------------------------------------------- on which day it is there


def shown_on(client: Client, player: Player, day: str) -> list[tuple[str, int]]:
    """Label and revision of the lists of one track that a player's page names: last list, and all of them."""
    context = client.get(f"{player.get_absolute_url()}?track={TRACK}&on={day}").context
    rows = [row.published for _name, group in context["groups"] for row in group if row.track == TRACK]
    listed = get_published_rows(player, date.fromisoformat(day))
    rows += [row for row in listed if row.rating_list.track == TRACK]
    assert [mark.label for mark in context["marks"]] == [row.rating_list.label for row in rows[1:]]
    return [(row.rating_list.label, row.rating_list.revision) for row in rows if row]


def test_a_revision_decided_before_midnight_utc_is_there_from_the_offices_day_on(
    csa: Federation, corrected: Section, players: list[Player], client: Client
) -> None:
    with time_machine.travel(datetime(2024, 4, 4, 23, 30, tzinfo=UTC)):
        assert today(csa) == date(2024, 4, 5)
        lists = revised(csa, on=today(csa))
    assert {each.published_at.date() for each in lists} == {date(2024, 4, 4)}
    assert shown_on(client, players[0], "2024-04-04") == [("2024-04", 1)] * 2
    assert shown_on(client, players[0], "2024-04-05") == [("2024-04", 2)] * 2
    in_force = [find_list_in_force(csa, TRACK, date(2024, 4, day)) for day in (4, 5)]
    assert [each and each.revision for each in in_force] == [1, 2]


def test_a_list_whose_revision_leaves_somebody_out_is_no_list_of_theirs_from_then_on(
    csa: Federation, players: list[Player], client: Client
) -> None:
    published(csa, date(2024, 2, 1))
    section = submitted(csa, players, rounds=10)
    approved(section)
    published(csa, APRIL)
    taken_back(section, date(2024, 4, 3))
    approved(submitted(csa, players, number="2024-002", ends=date(2024, 4, 3), rounds=10, seed=2))
    revised(csa, on=date(2024, 4, 6))
    assert shown_on(client, players[0], "2024-04-05") == [("2024-04", 1)] * 2
    assert shown_on(client, players[0], "2024-04-06") == []
    today_page = client.get(f"{players[0].get_absolute_url()}?track={TRACK}")
    assert today_page.context["marks"] == []


# ---------------------------------------------------------------- the decision


def test_a_revision_wants_a_list_of_that_day_a_note_and_a_ledger_at_rest(
    csa: Federation, corrected: Section
) -> None:
    def revise(day: date, note: str) -> None:
        publication.revise_list(federation=csa, list_day=day, by=None, on=date(2024, 4, 5), note=note)

    with pytest.raises(Refused, match="No list of 1 May 2024"):
        revise(date(2024, 5, 1), NOTE)
    with pytest.raises(Refused, match="Say why"):
        revise(APRIL, "  ")
    Ledger.objects.update(wanted=99)
    with pytest.raises(Refused, match="being recomputed"):
        revise(APRIL, NOTE)
    assert not Fact.objects.filter(kind="revised").exists()


def test_an_official_sees_row_by_row_what_would_differ_and_publishes_with_the_day_typed(
    csa: Federation, corrected: Section, players: list[Player], nomsa: User, client_of: ClientOf
) -> None:
    browser = client_of(nomsa)
    page = browser.get(REVISE)
    assert "Rated again: Open 2024-001, A" in words(page)
    assert f"{REVISE}outlook/" in words(page)
    part = words(browser.get(f"{REVISE}outlook/", headers={"HX-Request": "true"}))
    assert "<html" not in part
    assert "OTB Standard" in part
    # The mark and the button come with the changes: with the part, or on the page that has them at once.
    mark, button = shown(csa)["seen"], "Publish it again </button>"
    assert [mark in words(page), button in words(page)] == [False, False]
    assert [mark in part, button in part] == [True, True]
    at_once = browser.get(f"{REVISE}outlook/", follow=True)
    assert at_once.redirect_chain == [(f"{REVISE}?changes=on", 302)]
    assert all(each in words(at_once) for each in (mark, button, "OTB Standard"))
    assert browser.post(REVISE, {"note": NOTE, "typed": "2024-04-02"}).status_code == 400
    assert browser.post(REVISE, {"note": "", "typed": "2024-04-01"}).status_code == 400
    assert not Fact.objects.filter(kind="revised").exists()
    answer = browser.post(REVISE, shown(csa))
    assert answer.headers["Location"] == "/csa/lists/publish/2024-04-01/"
    recompute_all(csa)
    assert Decision.objects.get(kind="revise").details["note"] == NOTE


def test_a_form_that_is_sent_again_revises_the_list_once(
    csa: Federation, corrected: Section, nomsa: User, client_of: ClientOf
) -> None:
    browser = client_of(nomsa)
    [once] = re.findall(r'name="once" value="([0-9a-f-]{36})"', browser.get(REVISE).content.decode())
    sent = shown(csa, once=once)
    assert browser.post(REVISE, sent).status_code == 302
    assert browser.post(REVISE, sent).status_code == 302  # while the worker draws it up
    recompute_all(csa)
    assert browser.post(REVISE, sent).status_code == 302
    assert Fact.objects.filter(kind="revised").count() == 1


def test_a_list_is_published_anew_with_the_changes_that_were_shown_alone(
    csa: Federation, corrected: Section, players: list[Player], nomsa: User, client_of: ClientOf
) -> None:
    browser, sent = client_of(nomsa), shown(csa)
    assert browser.post(REVISE, sent | {"seen": ""}).status_code == 409
    approved(submitted(csa, players, number="2024-077", ends=date(2024, 4, 20)))
    answer = browser.post(REVISE, sent)
    assert answer.status_code == 409
    assert "the effects are not what your page showed any more" in answer.content.decode()
    assert not Fact.objects.filter(kind="revised").exists()
    assert browser.post(REVISE, shown(csa)).status_code == 302


def test_a_list_is_said_to_be_published_anew_when_the_worker_has_drawn_it_up(
    csa: Federation, corrected: Section, nomsa: User, client_of: ClientOf
) -> None:
    browser = client_of(nomsa)
    after = browser.post(REVISE, shown(csa)).headers["Location"]
    first = RatingList.objects.get(track=TRACK).sha256[:16]
    page = words(browser.get(after))
    assert "Producing the list" in page
    assert "Published. Everybody" not in page
    assert first not in page
    recompute_all(csa)
    page = words(browser.get(after))
    assert "Published. Everybody" in page
    assert RatingList.objects.get(track=TRACK, revision=2).sha256[:16] in page
    Ledger.objects.filter(federation=csa).update(wanted=F("done") + 1)
    assert "Published. Everybody" in words(browser.get(after)), "what waits now is something else"


def test_of_a_list_published_anew_the_errata_count_no_players_since_no_rating_moved(
    csa: Federation, corrected: Section, client: Client
) -> None:
    revised(csa)
    page = words(client.get("/csa/errata/"))
    entry = page[page.index("published again") :].split("</li>")[0]
    assert "another rating" not in entry
    assert "another rating" in page


def test_publishing_the_same_day_again_leads_to_publishing_it_anew(
    csa: Federation, corrected: Section, nomsa: User, client_of: ClientOf
) -> None:
    assert REVISE in words(client_of(nomsa).get("/csa/lists/publish/?on=2024-04-01"))
    newest = RatingList.objects.filter(track=TRACK).get()
    assert REVISE in words(client_of(nomsa).get(newest.get_absolute_url()))


def test_only_officials_publish_a_list_anew(
    csa: Federation, corrected: Section, amahle: User, thandi: User, client_of: ClientOf, client: Client
) -> None:
    for user in (amahle, thandi):
        assert client_of(user).get(REVISE).status_code == 403
        assert client_of(user).post(REVISE, {"note": NOTE, "typed": "2024-04-01"}).status_code == 403
    assert client.get(REVISE).status_code == 302
    assert "revise" not in words(client.get(RatingList.objects.filter(track=TRACK).get().get_absolute_url()))


@pytest.mark.parametrize("day", ["2024-05-01", "2024-04-31", "april"])
def test_a_day_without_a_list_is_not_there(
    csa: Federation, corrected: Section, nomsa: User, client_of: ClientOf, day: str
) -> None:
    assert client_of(nomsa).get(f"/csa/lists/publish/{day}/revise/").status_code == 404


# ---------------------------------------------------------------- in public


def test_the_first_stays_readable_and_both_lead_to_what_differs(
    csa: Federation, corrected: Section, players: list[Player], client: Client
) -> None:
    [second] = [each for each in revised(csa) if each.track == TRACK]
    here = second.get_absolute_url()
    first, newest = words(client.get(f"{here}r1/")), words(client.get(here))
    assert "This page shows it as it was published" in first
    assert NOTE in newest
    assert f"{here}r2/differences/" in first
    assert f"{here}r2/differences/" in newest
    page = words(client.get(f"{here}r2/differences/"))
    rows = ListRow.objects.filter(rating_list__track=TRACK, player=players[0])
    for rating in set(rows.values_list("rating", flat=True)):
        assert f"{rating:.1f}" in page or len(set(rows.values_list("rating", "rank"))) == 1
    assert client.get(f"{here}r1/differences/").status_code == 404
    assert client.get(f"{here}r3/differences/").status_code == 404


def test_the_revision_says_which_corrections_it_takes_in_and_is_corrected_no_more(
    csa: Federation, corrected: Section, client: Client
) -> None:
    [second] = [each for each in revised(csa) if each.track == TRACK]
    page = words(client.get(second.get_absolute_url()))
    assert "includes corrections" in page
    assert "were corrected later" not in page
    assert "were corrected later" in words(client.get(f"{second.get_absolute_url()}r1/"))
