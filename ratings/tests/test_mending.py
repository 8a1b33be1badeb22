"""The office corrects a section itself: beside the file, on record, and a rated one in one go."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import pytest
from django.test import Client

from players.appointments import change_settings
from players.models import Decision, Federation, User
from players.record import Refused
from players.settings import Settings
from ratings import approval
from ratings.as_if import preview_section_correction
from ratings.corrections import (
    confirm_correction,
    correct_rated_section,
    correct_section,
    drop_correction,
    propose_correction,
)
from ratings.models import Fact, Standing
from ratings.tests.office import approved, published, recompute_all, stored
from tests.built_once import built_once
from tournaments.corrections import list_corrections, list_public_corrections
from tournaments.models import Correction, MendingProposal, Section, Stage

ClientOf = Callable[[User], Client]
pytestmark = pytest.mark.django_db
DAY = date(2024, 3, 20)
WHY = "The slip of the game says otherwise."


@pytest.fixture
@built_once
def four_eyes(csa: Federation) -> None:
    change_settings(federation=csa, by=None, on=DAY, settings=Settings(four_eyes=True))


def other(result: str) -> str:
    return "0-1" if result != "0-1" else "1-0"


def of_first_game(section: Section) -> dict[str, Any]:
    game = section.games.get(order=1)
    return {"what": "result", "game": 1, "to": other(game.result)}


def mended(section: Section, *changes: dict[str, Any], **more: Any) -> list[Correction]:
    given = {"by": None, "on": DAY, "version": section.version, "reason": WHY} | more
    kept = correct_section(section=section, changes=changes or [of_first_game(section)], **given)
    section.refresh_from_db()
    return kept


def mended_rated(section: Section, *changes: dict[str, Any], **more: Any) -> Fact:
    given = {"by": None, "on": DAY, "version": section.version, "reason": "result", "words": WHY} | more
    return correct_rated_section(section=section, changes=changes or [of_first_game(section)], **given)


# ---------------------------------------------------------------- a section that waits


def test_a_result_is_corrected_and_kept_with_before_after_and_reason(waiting: Section, nomsa: User) -> None:
    before = waiting.games.get(order=1).result
    [one] = mended(waiting, by=nomsa)
    assert (one.what, one.before, one.after, one.words) == ("result", before, other(before), WHY)
    assert waiting.games.get(order=1).result == other(before)
    assert (waiting.stage, waiting.version) == (Stage.SUBMITTED, 1)
    decision = Decision.objects.get(kind="mend")
    assert (decision.by, decision.about) == (nomsa, f"section {waiting.key}")
    assert one.players.count() == 2


def test_a_draw_is_told_as_readers_write_it(waiting: Section) -> None:
    mended(waiting, {"what": "result", "game": 1, "to": "1/2"})
    [told] = list_public_corrections(waiting)
    assert told.endswith("→ ½-½")


def test_a_draw_stands_among_the_games_to_choose_from_as_readers_write_it(
    waiting: Section, nomsa: User, client_of: ClientOf
) -> None:
    waiting.games.filter(order=1).update(result="1/2")
    page = client_of(nomsa).get(f"{waiting.get_absolute_url()}mend/")
    [(_round, games), *_rest] = page.context["form"].fields["game"].choices[1:]
    assert dict(games)[1].endswith(" ½-½")
    assert not any(label.endswith("1/2") for label in dict(games).values())


def test_a_pairing_a_place_and_days_are_corrected(waiting: Section) -> None:
    game = waiting.games.get(order=1)
    first, second = game.first.number, game.second.number
    ends = waiting.ends + timedelta(days=1)
    mended(
        waiting,
        {"what": "pairing", "game": 1, "first": second, "second": first},
        {"what": "place", "entry": 3, "to": 2},
        {"what": "date", "round": 2, "to": "2024-03-01"},
        {"what": "date", "day": "ends", "to": ends.isoformat()},
    )
    game = waiting.games.get(order=1)
    assert (game.first.number, game.second.number) == (second, first)
    assert waiting.entries.get(number=3).place == 2
    assert waiting.round_dates[1] == "2024-03-01"
    assert (waiting.ends, waiting.event.ends) == (ends, ends)


def test_a_game_that_cannot_be_is_struck_and_counts_for_nothing(waiting: Section) -> None:
    [one] = mended(waiting, {"what": "struck", "game": 1})
    assert waiting.games.get(order=1).result == "annulled"
    assert "struck" in list_corrections(waiting)[0].words
    assert one.after == "annulled"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"what": "result", "game": 1, "to": "2-0"}, "no result"),
        ({"what": "result", "game": 999, "to": "1-0"}, "no such game"),
        ({"what": "pairing", "game": 1, "first": 1, "second": 1}, "against themselves"),
        ({"what": "pairing", "game": 1, "first": 99}, "starting number"),
        ({"what": "place", "entry": 1, "to": 0}, "whole number"),
        ({"what": "date", "round": 11, "to": "2024-03-01"}, "no such round"),
        ({"what": "date", "day": "ends", "to": "2023-01-01"}, "before the first"),
        ({"what": "date", "round": 1, "to": "tomorrow"}, "year, month and day"),
        ({"what": "name"}, "Choose what"),
    ],
)
def test_what_cannot_be_corrected_is_refused_and_nothing_is_written(
    waiting: Section, change: dict[str, Any], told: str
) -> None:
    with pytest.raises(Refused, match=told):
        mended(waiting, of_first_game(waiting), change)
    waiting.refresh_from_db()
    assert waiting.version == 0
    assert not Correction.objects.exists()
    assert not Decision.objects.filter(kind="mend").exists()


def test_a_correction_that_changes_nothing_or_has_no_reason_is_refused(waiting: Section) -> None:
    same = {"what": "result", "game": 1, "to": waiting.games.get(order=1).result}
    with pytest.raises(Refused, match="says already"):
        mended(waiting, same)
    with pytest.raises(Refused, match="Say why"):
        mended(waiting, reason=" ")


def test_a_pairing_that_seats_somebody_twice_in_a_round_is_refused(waiting: Section) -> None:
    games = list(waiting.games.filter(round=1)[:2])
    change = {"what": "pairing", "game": games[0].order, "first": games[1].first.number}
    with pytest.raises(Refused, match="only one is allowed"):
        mended(waiting, change)


def test_of_approving_and_correcting_with_one_version_one_wins(waiting: Section) -> None:
    seen = waiting.version
    mended(waiting)
    with pytest.raises(Refused, match="Somebody else acted first"):
        approval.approve(section=waiting, by=None, on=DAY, version=seen)
    approved(waiting)
    with pytest.raises(Refused):
        mended(waiting, version=seen)


def test_where_four_eyes_are_wanted_nobody_approves_what_they_corrected(
    waiting: Section, nomsa: User, sipho: User, four_eyes: None
) -> None:
    mended(waiting, by=nomsa)
    with pytest.raises(Refused, match="that you corrected"):
        approval.approve(section=waiting, by=nomsa, on=DAY, version=waiting.version)
    approval.approve(section=waiting, by=sipho, on=DAY, version=waiting.version)


# ---------------------------------------------------------------- a rated section, in one go


def test_a_rated_section_is_unrated_corrected_and_rated_anew_at_once(csa: Federation, rated: Section) -> None:
    fact = mended_rated(rated)
    rated.refresh_from_db()
    assert rated.stage == Stage.RATED
    assert list(Fact.objects.order_by("number").values_list("kind", flat=True))[-3:] == [
        "unrated",
        "section",
        "rated",
    ]
    assert Fact.objects.get(kind="unrated").number < fact.number
    kinds = list(Decision.objects.order_by("number").values_list("kind", flat=True))
    assert kinds[-3:] == ["unrate", "mend", "approve"]


def test_the_preview_is_what_the_correction_then_brings_and_writes_nothing(
    csa: Federation, rated: Section
) -> None:
    before = stored(csa)
    change = of_first_game(rated)
    found = preview_section_correction(rated, [change], DAY).effects
    assert stored(csa) == before
    assert rated.games.get(order=1).result != change["to"]
    assert found.ratings
    mended_rated(rated, change)
    recompute_all(csa)
    brought = {
        (one.player.number, one.track): one.rating for one in Standing.objects.select_related("player")
    }
    told = {(each.player, each.track): each.after for each in found.ratings}
    assert {key: brought[key] for key in told if not waits(key, csa)} == {
        key: told[key] for key in told if not waits(key, csa)
    }


def waits(key: tuple[str, str], office: Federation) -> bool:
    """Whether points wait for the next list: the preview counts them in, the stored rating does not."""
    standing = Standing.objects.get(federation=office, player__number=key[0], track=key[1])
    return "pending" in str(standing.state) and standing.due is not None


def test_if_the_rating_anew_is_refused_the_section_stays_rated_as_it_was(
    rated: Section, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = Fact.objects.count()
    before = rated.games.get(order=1).result

    def refuse(**_given: Any) -> None:
        raise Refused("no")

    monkeypatch.setattr("ratings.corrections.approve", refuse)
    with pytest.raises(Refused):
        mended_rated(rated)
    rated.refresh_from_db()
    assert (rated.stage, Fact.objects.count()) == (Stage.RATED, lines)
    assert rated.games.get(order=1).result == before
    assert not Correction.objects.exists()


def test_after_a_published_list_only_the_bureaus_own_decision_corrects(
    csa: Federation, rated: Section
) -> None:
    published(csa, date(2024, 4, 1))
    late = date(2024, 4, 2)
    with pytest.raises(Refused, match="confirm that it did"):
        mended_rated(rated, on=late)
    mended_rated(rated, on=late, after_list=True)
    rated.refresh_from_db()
    assert rated.stage == Stage.RATED


def test_a_rated_game_is_struck_in_a_section_that_has_no_file(csa: Federation, rated: Section) -> None:
    assert rated.uploads.held() is None
    mended_rated(rated, {"what": "struck", "game": 1})
    recompute_all(csa)
    rated.refresh_from_db()
    assert '"annulled"' in Fact.objects.filter(kind="section").latest("number").line
    assert "counts for nothing" in list_public_corrections(rated)[0]


# ---------------------------------------------------------------- two officials


def test_where_four_eyes_are_wanted_one_proposes_and_another_confirms(
    rated: Section, nomsa: User, sipho: User, four_eyes: None
) -> None:
    with pytest.raises(Refused, match="second official"):
        mended_rated(rated, by=nomsa)
    proposal = propose(rated, nomsa)
    rated.refresh_from_db()
    assert rated.stage == Stage.RATED
    with pytest.raises(Refused, match="proposed this correction yourself"):
        confirm_correction(proposal=proposal, by=nomsa, on=DAY)
    assert MendingProposal.objects.open().exists()
    confirm_correction(proposal=proposal, by=sipho, on=DAY)
    rated.refresh_from_db()
    assert rated.stage == Stage.RATED
    [one] = rated.corrections.all()
    assert (one.by, one.decision.by) == (nomsa, sipho)
    with pytest.raises(Refused, match="acted first"):
        confirm_correction(proposal=proposal, by=sipho, on=DAY)


def test_a_proposal_stands_on_the_desk_of_officials_until_it_is_confirmed_or_dropped(
    rated: Section, nomsa: User, sipho: User, amahle: User, client_of: ClientOf, four_eyes: None
) -> None:
    title = "Corrections that a second official confirms"
    assert title not in words(client_of(sipho).get("/csa/desk/"))
    proposal = propose(rated, nomsa)
    own, second = (words(client_of(each).get("/csa/desk/")) for each in (nomsa, sipho))
    assert f"{title}" in second
    assert page_of(rated, "mend/proposal") in second
    assert f"Proposed by {nomsa} on" in second
    assert "Proposed by you on" in own
    assert title not in words(client_of(amahle).get("/csa/desk/"))
    rated.version += 1
    rated.save(update_fields=["version"])
    assert "it can only be dropped" in words(client_of(sipho).get("/csa/desk/"))
    drop_correction(proposal=proposal, by=nomsa, on=DAY)
    assert title not in words(client_of(sipho).get("/csa/desk/"))


def test_a_dropped_proposal_leaves_everything_as_it_is(rated: Section, nomsa: User, four_eyes: None) -> None:
    proposal = propose(rated, nomsa)
    with pytest.raises(Refused, match="proposed already"):
        propose(rated, nomsa)
    drop_correction(proposal=proposal, by=nomsa, on=DAY)
    assert not MendingProposal.objects.exists()
    assert not rated.corrections.exists()


def test_a_proposal_for_what_changed_since_cannot_be_confirmed(
    rated: Section, nomsa: User, sipho: User, four_eyes: None
) -> None:
    proposal = propose(rated, nomsa)
    approval.unrate(
        section=rated, by=sipho, on=DAY, version=rated.version, reason="result", words="Otherwise."
    )
    with pytest.raises(Refused, match="Sipho acted first"):
        confirm_correction(proposal=proposal, by=sipho, on=DAY)
    assert not MendingProposal.objects.open().exists()


def propose(section: Section, by: User) -> MendingProposal:
    return propose_correction(
        section=section,
        by=by,
        on=DAY,
        version=section.version,
        changes=[of_first_game(section)],
        reason="result",
        words=WHY,
    )


# ---------------------------------------------------------------- the pages


def words(answer: Any) -> str:
    return " ".join(answer.content.decode().split())


def page_of(section: Section, page: str = "mend") -> str:
    return f"{section.get_absolute_url()}{page}/"


def chosen(section: Section, **more: Any) -> dict[str, Any]:
    return {"version": section.version, "game": "1", "result": of_first_game(section)["to"]} | more


def test_a_walk_through_correcting_a_section_that_waits(
    waiting: Section, nomsa: User, amahle: User, client_of: ClientOf
) -> None:
    browser = client_of(nomsa)
    assert page_of(waiting) in words(browser.get(page_of(waiting, "review")))
    assert "A final place" in words(browser.get(page_of(waiting)))
    shown = browser.post(page_of(waiting), chosen(waiting))
    assert "To be corrected" in words(shown)
    assert not Correction.objects.exists()
    decided = {"version": waiting.version, "changes": shown.context["changes"], "decide": "on"}
    assert "required" in words(browser.post(page_of(waiting), decided)).lower()
    answer = browser.post(page_of(waiting), decided | {"reason": WHY})
    assert answer.status_code == 302
    assert WHY in words(browser.get(page_of(waiting, "review")))
    assert WHY in words(client_of(amahle).get(page_of(waiting, "submit")))


def test_a_second_thing_is_added_to_the_first(waiting: Section, nomsa: User, client_of: ClientOf) -> None:
    browser = client_of(nomsa)
    shown = browser.post(page_of(waiting), chosen(waiting))
    more = {"version": waiting.version, "changes": shown.context["changes"], "entry": "2", "place": "1"}
    again = browser.post(page_of(waiting), more)
    assert [each["what"] for each in json.loads(again.context["changes"])] == ["result", "place"]


def test_a_walk_through_correcting_a_rated_section(
    csa: Federation, rated: Section, nomsa: User, client_of: ClientOf
) -> None:
    browser = client_of(nomsa)
    shown = browser.post(page_of(rated), chosen(rated))
    assert "What moves" in words(shown)
    assert "OTB Standard" in words(shown)
    decided = {
        "version": rated.version,
        "changes": shown.context["changes"],
        "decide": "on",
        "reason": "result",
        "words": WHY,
        "seen": shown.context["reason_form"]["seen"].value(),
    }
    answer = browser.post(page_of(rated), decided)
    assert answer.status_code == 302
    assert answer.headers["Location"].endswith("outcome/")
    recompute_all(csa)
    public = words(Client().get(rated.get_absolute_url()))
    assert "Corrected by the office" in public
    section_part = public[public.index("Corrected by the office") :][:300]
    assert WHY not in section_part


def test_a_walk_through_a_proposal(
    rated: Section, nomsa: User, sipho: User, client_of: ClientOf, four_eyes: None
) -> None:
    browser = client_of(nomsa)
    shown = browser.post(page_of(rated), chosen(rated))
    decided = {
        "version": rated.version,
        "changes": shown.context["changes"],
        "decide": "on",
        "reason": "result",
        "words": WHY,
        "seen": shown.context["reason_form"]["seen"].value(),
    }
    assert browser.post(page_of(rated), decided).status_code == 302
    assert page_of(rated, "mend/proposal") in words(browser.get(page_of(rated)))
    assert browser.post(page_of(rated, "mend/proposal"), {"confirm": "on"}).status_code == 409
    second = client_of(sipho)
    page = second.get(page_of(rated, "mend/proposal"))
    assert "What moves" in words(page)
    confirmed = {"confirm": "on", "seen": page.context["form"]["seen"].value()}
    assert second.post(page_of(rated, "mend/proposal"), confirmed).status_code == 302
    assert rated.corrections.exists()


@pytest.mark.parametrize("changes", ["[", "{}", "[1]", '[{"what": "result"}]', '[{"what": []}]'])
def test_a_form_that_was_tampered_with_is_refused(
    waiting: Section, nomsa: User, client_of: ClientOf, changes: str
) -> None:
    data = {"version": waiting.version, "changes": changes, "decide": "on", "reason": WHY}
    assert client_of(nomsa).post(page_of(waiting), data).status_code == 409


def test_whoever_chooses_nothing_to_correct_reads_so(
    waiting: Section, nomsa: User, client_of: Callable[[User], Client]
) -> None:
    answer = client_of(nomsa).post(page_of(waiting), {"version": waiting.version, "changes": "[]"})
    assert answer.status_code == 400
    assert "nothing is chosen yet" in answer.content.decode()
