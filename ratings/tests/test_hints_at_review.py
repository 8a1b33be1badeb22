"""Hints at review: found by the worker, shown with evidence, answered on record, kept from the region."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils.translation import override

from conftest import appointed
from players.models import Decision, Federation, PairOfTwo, Player, Role, User
from players.record import Refused
from players.settings import today
from ratings import approval
from ratings.hints import ask_region, current_hint_rows, dismiss_hint, expected_games, search_due_hints
from ratings.models import Hint, HintAnswer, HintsSearch, Standing
from ratings.personal_data import get_player_data
from ratings.tasks import sweep
from ratings.tests.office import approved, not_known, register, submitted
from tests.built_once import built_once
from tournaments.entries import players_from_other_regions
from tournaments.models import Entry, Event, Game, Remark, Section, Stage
from tournaments.review import answer

ClientOf = Callable[[User], Client]
DAY = date(2024, 3, 1)
pytestmark = pytest.mark.django_db


@pytest.fixture
@built_once
def sipho(csa: Federation) -> User:
    return appointed("Sipho", csa, Role.OFFICIAL)


@pytest.fixture
@built_once
def players(csa: Federation) -> list[Player]:
    return register(csa, 16)


@pytest.fixture
@built_once
def section(csa: Federation, players: list[Player]) -> Section:
    """A section of two days in Durban with six rounds, of the first eight players."""
    return in_place(submitted(csa, players[:8]), "Durban")


@pytest.fixture
@built_once
def elsewhere(csa: Federation, players: list[Player], section: Section) -> Section:
    """A section of the very same days in Soweto, in which one of them plays too."""
    return in_place(submitted(csa, [players[0], *players[9:]], number="2024-002", seed=2), "Soweto")


def in_place(section: Section, place: str) -> Section:
    Event.objects.filter(pk=section.event_id).update(place=place)
    section.event.place = place
    return section


def kinds(section: Section) -> list[str]:
    return list(section.review_hints.values_list("kind", flat=True))


def hint_of(section: Section) -> Hint:
    search_due_hints(section.event.federation)
    return Hint.objects.get(section=section)


def said(
    section: Section, deed: Callable[..., Any], by: User, words: str = "She played in the morning."
) -> Any:
    section.refresh_from_db()
    key, version = Hint.objects.get(section=section).key, section.version
    return deed(section=section, key=key, version=version, by=by, on=DAY, words=words)


def words(response: Any) -> str:
    return " ".join(response.content.decode().split())


# ---------------------------------------------------------------- what is found


def test_a_player_in_two_places_on_one_day_is_found_from_either_section(
    csa: Federation, section: Section, elsewhere: Section, players: list[Player]
) -> None:
    assert search_due_hints(csa) == 2
    for one, other in ((section, elsewhere), (elsewhere, section)):
        [hint] = one.review_hints.all()
        assert (hint.kind, hint.evidence["key"]) == ("two-places", other.key)
        assert hint.evidence["days"] == {players[0].number: ["2024-02-29", "2024-03-01"]}
        assert list(hint.players.all()) == [players[0]]


@pytest.mark.parametrize(
    ("stage", "hinted"),
    [(Stage.RATED, True), (Stage.RETURNED, True), (Stage.FILED, False), (Stage.WITHDRAWN, False)],
)
def test_sections_for_which_no_region_gave_its_word_or_that_were_withdrawn_are_no_evidence(
    csa: Federation, section: Section, elsewhere: Section, stage: Stage, hinted: bool
) -> None:
    Section.objects.filter(pk=elsewhere.pk).update(stage=stage)
    search_due_hints(csa)
    assert kinds(section) == ["two-places"] * hinted


def test_who_won_or_lost_without_play_was_nowhere(
    csa: Federation, section: Section, elsewhere: Section, players: list[Player]
) -> None:
    mine = Game.objects.filter(section=elsewhere)
    mine.filter(first__player=players[0]).update(result="+:-")
    mine.filter(second__player=players[0]).update(result="+:-")
    search_due_hints(csa)
    assert kinds(section) == []


def test_of_a_round_with_a_date_only_that_day_counts(
    csa: Federation, section: Section, elsewhere: Section
) -> None:
    Section.objects.filter(pk=section.pk).update(round_dates=["2024-02-29"] * 6)
    Section.objects.filter(pk=elsewhere.pk).update(round_dates=["2024-03-01"] * 6)
    search_due_hints(csa)
    assert kinds(section) == []
    Section.objects.filter(pk=elsewhere.pk).update(round_dates=["2024-02-29", *["2024-03-01"] * 5], version=1)
    search_due_hints(csa)
    assert kinds(elsewhere) == ["two-places"]


def test_the_same_event_filed_twice_is_one_hint_and_its_players_are_not_told_one_by_one(
    csa: Federation, section: Section, players: list[Player]
) -> None:
    again = in_place(submitted(csa, players[:8], number="2024-002", region=csa.regions.last()), "Soweto")
    search_due_hints(csa)
    assert kinds(section) == kinds(again) == ["same-event"]
    hint = Hint.objects.get(section=again)
    assert (hint.evidence["players"], hint.evidence["results"], hint.evidence["of_results"]) == (8, 24, 24)


def test_colours_turned_round_leave_it_the_same_event(
    csa: Federation, section: Section, players: list[Player]
) -> None:
    again = submitted(csa, players[:8], number="2024-002")
    for game in Game.objects.filter(section=again):
        turned = {"1-0": "0-1", "0-1": "1-0"}.get(game.result, game.result)
        Game.objects.filter(pk=game.pk).update(first=game.second, second=game.first, result=turned)
    search_due_hints(csa)
    assert kinds(section) == ["same-event"]


def test_the_same_field_with_other_results_the_next_evening_is_no_hint(
    csa: Federation, section: Section, players: list[Player]
) -> None:
    submitted(csa, players[:8], number="2024-002", ends=DAY + timedelta(7), seed=5)
    search_due_hints(csa)
    assert kinds(section) == []


def test_places_are_compared_where_nobody_has_a_game(
    csa: Federation, section: Section, players: list[Player]
) -> None:
    again = submitted(csa, players[:8], number="2024-002")
    for each in (section, again):
        Game.objects.filter(section=each).delete()
        for entry in each.entries.all():
            Entry.objects.filter(pk=entry.pk).update(place=entry.number)
    search_due_hints(csa)
    assert kinds(section) == ["same-event"]


def test_a_new_player_who_looks_like_another_of_the_register_is_a_hint(
    csa: Federation, section: Section, players: list[Player]
) -> None:
    twin = players[12]
    Player.objects.filter(pk=twin.pk).update(
        name_key="inwented00", born=1980, sex="f", first_name_key="person"
    )
    Player.objects.exclude(pk=twin.pk).update(first_name_key="person")
    Entry.objects.filter(section=section, player=players[0]).update(match=Entry.Match.NEW)
    hint = hint_of(section)
    assert hint.kind == "look-alike"
    assert (hint.evidence["player"], hint.evidence["other"]) == (players[0].number, twin.number)


def test_a_score_far_from_the_rules_own_expectation_is_a_hint_with_its_games(
    csa: Federation, section: Section, players: list[Player]
) -> None:
    """§37: after forty rated games the first is by far the strongest, and now loses to all others."""
    for week in range(4):
        earlier = submitted(
            csa, players[:8], number=f"2023-{week}", ends=DAY - timedelta(100 - week), rounds=10, seed=week
        )
        strongest = earlier.entries.get(number=1)
        Game.objects.filter(first=strongest).update(result="1-0")
        Game.objects.filter(second=strongest).update(result="0-1")
        approved(earlier)
    search_due_hints(csa)
    before = kinds(section)
    weakest = section.entries.get(number=1)
    Game.objects.filter(first=weakest).update(result="0-1")
    Game.objects.filter(second=weakest).update(result="1-0")
    Section.objects.filter(pk=section.pk).update(version=1)
    csa.settings["far_score"] = 2
    csa.save(update_fields=["settings"])
    search_due_hints(csa)
    hint = Hint.objects.get(section=section, evidence__player=players[0].number)
    evidence: Any = hint.evidence
    assert before.count("far-score") <= 1
    assert hint.kind == "far-score"
    assert evidence["scored"] == "0"
    assert len(evidence["games"]) == 6
    assert float(evidence["deviations"]) >= 2
    with override("pl"):  # whose decimals have a comma
        [row] = [each for each in current_hint_rows(section) if each.key == hint.key]
    assert f"oczekiwany wynik to {evidence['expected'].replace('.', ',')}" in row.words
    assert evidence["deviations"].replace(".", ",") in row.evidence[0]


def test_players_without_a_rating_have_no_expectation(csa: Federation, section: Section) -> None:
    search_due_hints(csa)
    assert kinds(section) == []


# ---------------------------------------------------------------- drawn up by the worker, and how old


def test_hints_are_looked_for_after_the_submission_and_anew_once_something_changed(
    csa: Federation, section: Section, players: list[Player]
) -> None:
    assert search_due_hints(csa) == 1
    assert search_due_hints(csa) == 0
    Section.objects.filter(pk=section.pk).update(version=5)
    assert search_due_hints(csa) == 1
    approved(submitted(csa, players[8:], number="2024-009"))
    assert search_due_hints(csa) == 1
    csa.settings["far_score"] = 4
    csa.save(update_fields=["settings"])
    assert search_due_hints(csa) == 1
    assert search_due_hints(csa) == 0


def test_a_section_submitted_later_brings_its_hint_to_the_one_that_waits_already(
    csa: Federation, section: Section, elsewhere: Section, nomsa: User
) -> None:
    Section.objects.filter(pk=elsewhere.pk).update(stage=Stage.FILED)
    search_due_hints(csa)
    assert kinds(section) == []
    Section.objects.filter(pk=elsewhere.pk).update(stage=Stage.SUBMITTED)
    Decision.objects.create(
        federation=csa, number=900, kind="submit", at=elsewhere.event.registered_on.isoformat() + "T00:00Z",
        on=DAY, about=f"section {elsewhere.key}",
    )  # fmt: skip
    sweep()
    assert kinds(section) == ["two-places"]


def test_the_page_says_that_hints_are_looked_for_then_of_when_they_are_and_that_they_are_overtaken(
    csa: Federation, section: Section, players: list[Player], nomsa: User, client_of: ClientOf
) -> None:
    client, page = client_of(nomsa), f"{section.get_absolute_url()}review/"
    assert "Hints are being looked for" in words(client.get(page))
    search_due_hints(csa)
    noon = datetime(2026, 11, 23, 12, 5, tzinfo=UTC)
    HintsSearch.objects.update(at=noon)
    looked = words(client.get(page))
    assert "Looked for on 23 November 2026, 14:05." in looked  # the office's own time
    assert "Nothing looks odd." in looked
    assert "Something was decided since" not in looked
    approved(submitted(csa, players[8:], number="2024-009"))
    assert "Hints are being looked for" not in words(client.get(page))


def test_hints_of_an_earlier_file_are_neither_shown_nor_counted(
    csa: Federation, section: Section, elsewhere: Section, nomsa: User, client_of: ClientOf
) -> None:
    search_due_hints(csa)
    Section.objects.filter(pk=section.pk).update(version=section.version + 1)
    assert not Hint.objects.open().filter(section=section).exists()
    page = words(client_of(nomsa).get(f"{section.get_absolute_url()}review/"))
    assert "In two places" not in page


# ---------------------------------------------------------------- shown and answered


def test_task_40_an_official_sees_a_player_in_two_places_and_answers_the_hint(
    csa: Federation,
    section: Section,
    elsewhere: Section,
    players: list[Player],
    nomsa: User,
    client_of: ClientOf,
) -> None:
    search_due_hints(csa)
    client, page = client_of(nomsa), f"{section.get_absolute_url()}review/"
    assert "1 hint to answer" in words(client.get("/csa/desk/"))
    seen = words(client.get(page))
    assert "In two places on one day?" in seen
    assert f"{players[0].name} ({players[0].number}): 29 February 2024, 1 March 2024" in seen
    assert seen.index("In two places on one day?") < seen.index("Rating changes if you approve")
    assert f'href="{elsewhere.get_absolute_url()}review/"' in seen
    key = Hint.objects.get(section=section).key
    form = {"key": key, "version": section.version, "answer": "right", "words": "Blitz in the evening."}
    done = words(client.post(f"{section.get_absolute_url()}hints/", form, follow=True))
    assert "The hint is answered." in done
    assert "It is right: Blitz in the evening." in done
    queue = client.get("/csa/desk/?q=2024-001")
    assert "hint to answer" not in words(queue)
    [decision] = Decision.objects.filter(kind="answer-hint", about=f"section {section.key}")
    assert decision.details == {"hint": "two-places", "outcome": "right", "words": "Blitz in the evening."}


def test_an_answer_without_words_or_of_neither_kind_is_not_taken(
    csa: Federation, section: Section, elsewhere: Section, nomsa: User, client_of: ClientOf
) -> None:
    key = hint_of(section).key
    client, page = client_of(nomsa), f"{section.get_absolute_url()}hints/"
    for answer_, typed in (("right", " "), ("banana", "Blitz."), ("", "Blitz.")):
        given = {"key": key, "version": section.version, "answer": answer_, "words": typed}
        response = client.post(page, given)
        assert response.status_code == 400
        assert "choose one of the two answers" in words(response)
    assert not HintAnswer.objects.exists()
    with pytest.raises(Refused, match="Write a few words first"):
        said(section, dismiss_hint, nomsa, " ")


def test_of_two_who_answer_a_hint_the_second_reads_the_first(
    csa: Federation, section: Section, elsewhere: Section, nomsa: User, sipho: User
) -> None:
    hint_of(section)
    said(section, dismiss_hint, nomsa)
    for deed in (dismiss_hint, ask_region):
        with pytest.raises(Refused, match="Somebody has answered this hint already"):
            said(section, deed, sipho)
    assert HintAnswer.objects.count() == 1


def test_a_hint_of_an_older_page_is_not_answered(
    csa: Federation, section: Section, elsewhere: Section, nomsa: User
) -> None:
    hint = hint_of(section)
    with pytest.raises(Refused, match="changed while your page was open"):
        dismiss_hint(section=section, key=hint.key, version=9, by=nomsa, on=DAY, words="Right.")
    with pytest.raises(Refused, match="not there any more"):
        dismiss_hint(section=section, key="gone", version=section.version, by=nomsa, on=DAY, words="Right.")


def test_an_answer_holds_when_hints_are_looked_for_again_and_not_for_other_facts(
    csa: Federation, section: Section, elsewhere: Section, players: list[Player], nomsa: User
) -> None:
    hint_of(section)
    said(section, dismiss_hint, nomsa)
    Section.objects.filter(pk=section.pk).update(version=7)
    search_due_hints(csa)
    assert kinds(section) == ["two-places"]
    assert not Hint.objects.open().filter(section=section).exists()
    elsewhere.entries.filter(number=2).update(player=players[1])
    Section.objects.filter(pk=section.pk).update(version=8)
    search_due_hints(csa)
    assert Hint.objects.open().filter(section=section).count() == 1
    assert HintAnswer.objects.count() == 1


def test_what_is_to_be_mended_becomes_a_question_to_the_region_and_the_hint_stays_open_until_it_is_right(
    csa: Federation, section: Section, elsewhere: Section, nomsa: User, amahle: User, client_of: ClientOf
) -> None:
    hint_of(section)
    given = said(section, ask_region, nomsa, "Was number 1 in Durban that day?")
    [remark] = Remark.objects.all()
    assert given.remark == remark
    assert (remark.kind, remark.words) == ("question", "Was number 1 in Durban that day?")
    assert Hint.objects.open().filter(section=section).count() == 1
    page = f"{section.get_absolute_url()}review/"
    assert "Not answered yet." in words(client_of(nomsa).get(page))
    answer(section=section, by=amahle, on=DAY, words="The other event was the day before.", answers_to=remark)
    seen = words(client_of(nomsa).get(page))
    assert "The region answered: The other event was the day before." in seen
    said(section, dismiss_hint, nomsa, "As the region says.")
    assert not Hint.objects.open().filter(section=section).exists()
    assert HintAnswer.objects.count() == 2


def test_a_look_alike_said_to_be_right_is_two_persons_in_the_whole_register(
    csa: Federation, section: Section, players: list[Player], nomsa: User, client_of: ClientOf
) -> None:
    Player.objects.filter(pk=players[12].pk).update(name_key="invented00", born=1980, sex="f")
    Entry.objects.filter(section=section, player=players[0]).update(match=Entry.Match.NEW)
    assert hint_of(section).kind == "look-alike"
    seen = words(client_of(nomsa).get(f"{section.get_absolute_url()}review/"))
    assert f"/csa/players/{players[0].number}/merge/?into={players[12].number}" in seen
    said(section, dismiss_hint, nomsa, "Mother and daughter.")
    assert PairOfTwo.objects.filter(one=players[0], other=players[12]).count() == 1
    assert Decision.objects.filter(kind="two-persons").count() == 1
    assert search_due_hints(csa) == 1
    assert kinds(section) == []
    seen = words(client_of(nomsa).get(f"{section.get_absolute_url()}review/"))
    assert "Answered before" in seen
    assert "Mother and daughter." in seen


# ---------------------------------------------------------------- approving with hints left open


def approve(section: Section, by: User, because: str = "") -> None:
    section.refresh_from_db()
    approval.approve(
        section=section,
        by=by,
        on=today(section.event.federation),
        version=section.version,
        births=not_known(section),
        despite_hints=because,
    )


def test_who_approves_with_open_hints_says_why_in_a_word_and_it_is_on_record(
    csa: Federation, section: Section, elsewhere: Section, nomsa: User
) -> None:
    hint_of(section)
    with pytest.raises(Refused, match="1 hint is not answered"):
        approve(section, nomsa, " ")
    section.refresh_from_db()
    assert section.stage == Stage.SUBMITTED
    approve(section, nomsa, "The list is due today.")
    section.refresh_from_db()
    assert section.stage == Stage.RATED
    [left] = Decision.objects.filter(kind="leave-hints")
    assert left.details == {"hints": 1, "kinds": ["two-places"], "reason": "The list is due today."}


def test_who_asked_the_region_and_approves_before_it_answered_says_why_too(
    csa: Federation, section: Section, elsewhere: Section, nomsa: User
) -> None:
    hint_of(section)
    said(section, ask_region, nomsa)
    with pytest.raises(Refused, match="1 hint is not answered"):
        approve(section, nomsa)


def test_nobody_is_asked_for_a_word_where_all_hints_are_answered_or_there_are_none(
    csa: Federation, section: Section, elsewhere: Section, nomsa: User
) -> None:
    hint_of(section)
    said(section, dismiss_hint, nomsa)
    approve(section, nomsa)
    assert not Decision.objects.filter(kind="leave-hints").exists()
    assert HintAnswer.objects.filter(section=section).count() == 1


def test_the_page_counts_open_hints_asks_for_the_word_and_keeps_what_was_typed(
    csa: Federation, section: Section, elsewhere: Section, nomsa: User, client_of: ClientOf
) -> None:
    approved(
        submitted(
            csa, list(Player.objects.all()[:10]), number="2023-001", rounds=10, ends=DAY - timedelta(90)
        )
    )
    hint_of(section)
    client, here = client_of(nomsa), section.get_absolute_url()
    assert "1 hint is not answered." in words(client.get(f"{here}review/"))
    births = {f"unknown-{entry.player.number}": "1" for entry in section.entries.all() if entry.player}
    form = {"version": section.version, **births}
    refused = client.post(f"{here}approve/", form)
    assert refused.status_code == 409
    assert "say in a word why you approve" in words(refused)
    done = client.post(f"{here}approve/", {**form, "despite_hints": "Known to us."})
    assert done.status_code == 302
    assert Decision.objects.get(kind="leave-hints").details["reason"] == "Known to us."


# ---------------------------------------------------------------- inside the office


def test_the_region_never_sees_a_hint_nor_its_answer(
    csa: Federation, section: Section, elsewhere: Section, nomsa: User, amahle: User, client_of: ClientOf
) -> None:
    hint_of(section)
    said(section, ask_region, nomsa, "Please look at number 1.")
    said(section, dismiss_hint, nomsa, "Inside words.")
    region, here = client_of(amahle), section.get_absolute_url()
    for page in ("remarks/", "findings/", "submit/", ""):
        seen = words(region.get(f"{here}{page}", follow=True))
        assert "two places" not in seen
        assert "Inside words" not in seen
    record = words(region.get("/csa/record/"))
    assert "answered a hint" not in record
    assert "Inside words" not in record
    assert "answered a hint" in words(client_of(nomsa).get("/csa/record/"))
    assert region.post(f"{here}hints/", {"key": "x"}).status_code in (403, 404)


def test_who_asks_what_is_held_about_them_gets_hints_that_speak_of_them_and_their_answers(
    csa: Federation, section: Section, elsewhere: Section, players: list[Player], nomsa: User
) -> None:
    hint_of(section)
    said(section, dismiss_hint, nomsa)
    told = get_player_data(players[0], DAY)
    assert [each["section"] for each in told["hints at review"]] == [section.key, elsewhere.key]
    [given] = told["answers to hints"]
    assert given["words"] == "She played in the morning."
    assert given["evidence"] == {"days": {players[0].number: ["2024-02-29", "2024-03-01"]}}
    assert get_player_data(players[3], DAY)["answers to hints"] == []


def test_nobody_learns_from_a_hint_whom_they_look_like(
    csa: Federation, section: Section, players: list[Player], nomsa: User
) -> None:
    """The evidence would tell somebody else's birth."""
    Player.objects.filter(pk=players[12].pk).update(name_key="invented00", born=1980, sex="f")
    Entry.objects.filter(section=section, player=players[0]).update(match=Entry.Match.NEW)
    hint_of(section)
    said(section, dismiss_hint, nomsa, "Mother and daughter.")
    for player in (players[0], players[12]):
        told = get_player_data(player, DAY)
        [given] = told["answers to hints"]
        assert given["evidence"] == {}
        assert given["words"] == ""


def test_hints_wait_while_ratings_are_worked_out(csa: Federation, section: Section) -> None:
    csa.ledger.__class__.objects.filter(federation=csa).update(wanted=99)
    assert search_due_hints(csa) == 0
    assert not HintsSearch.objects.exists()


@pytest.mark.parametrize(
    ("slug", "particulars", "known"),
    [
        ("csa", {"platform": "otb", "time_controls": [{"minutes": [90], "increment": 30}]}, True),
        ("ssdc", {"time_class": "classic", "category": "fourth"}, True),
        ("pfo", {"status": "gpp", "season": "2023/2024"}, True),
        ("piskvorky", {}, False),
    ],
)
def test_the_expectation_is_that_of_the_federations_own_rules_and_nobodys_where_they_know_none(
    csa: Federation, players: list[Player], slug: str, particulars: dict[str, Any], known: bool
) -> None:
    """csa §37 and ssdc §1.4.1 name an expected score, pfo §10 a table of points; piskvorky's first two
    tournaments go by no table (§6).
    """
    csa.ruleset_slug = slug
    csa.save(update_fields=["ruleset_slug"])
    for week in range(2):
        ends = DAY + timedelta(7 * week)
        section = submitted(csa, players[:8], number=f"2024-00{week}", rounds=10, ends=ends, seed=week)
        Section.objects.filter(pk=section.pk).update(particulars=particulars)
        for entry in section.entries.all():
            Entry.objects.filter(pk=entry.pk).update(place=entry.number)
        section = Section.objects.select_related("event__federation").get(pk=section.pk)
        if week == 0:
            approved(section)
    assert Standing.objects.filter(rating__isnull=False).count() >= 8
    found = expected_games(section, DAY)
    assert set(found) == ({player.number for player in players[:8]} if known else set())
    for tracks in found.values():
        for games in tracks.values():
            assert len(games) == 10
            assert all(0 < game.expected < 1 for game in games)


# ---------------------------------------------------------------- players of other regions


def test_players_of_another_region_are_noted_for_region_and_office_and_new_ones_are_no_guests(
    csa: Federation, section: Section, players: list[Player], nomsa: User, amahle: User, client_of: ClientOf
) -> None:
    other = csa.regions.exclude(pk=section.event.region_id).first()
    Player.objects.filter(pk__in=[players[0].pk, players[1].pk]).update(region=other)
    Player.objects.filter(pk=players[2].pk).update(region=None)
    Entry.objects.filter(section=section, player=players[1]).update(match=Entry.Match.NEW)
    assert players_from_other_regions(section) == [players[0]]
    note = f"1 player belongs to another region than {section.event.region}"
    assert note in words(client_of(nomsa).get(f"{section.get_absolute_url()}review/filed/"))
    Player.objects.filter(pk=players[0].pk).update(region=section.event.region)
    assert note not in words(client_of(nomsa).get(f"{section.get_absolute_url()}review/filed/"))
