"""The review remembers: what region and office said of a section, each to whom it is meant for."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Any

import pytest
from django.db.models import Q
from django.test import Client
from django.utils import timezone

from players.models import Decision, Federation, Player, User
from players.record import Refused, withdraw_words
from players.settings import today
from ratings import approval
from ratings.personal_data import get_player_data, get_staff_data
from ratings.tests.alterations import triggers_off
from ratings.tests.office import approved, register, submitted
from tests.built_once import built_once
from tournaments.models import Entry, Finding, Remark, Section, Stage, Upload
from tournaments.review import answer, ask, count_open_remarks, note, parse_remark_tie, take_back_decision

ClientOf = Callable[[User], Client]
DAY = date(2024, 4, 2)
RECORD = ("/csa/record/", "/csa/record/regions/GAU/", "/csa/record/record.csv", "/csa/record/?q=arbiter")
SECRET = "Between us: the arbiter asked for that."
pytestmark = pytest.mark.django_db


@pytest.fixture
@built_once
def players(csa: Federation) -> list[Player]:
    return register(csa, 8)


@pytest.fixture
@built_once
def section(csa: Federation, players: list[Player]) -> Section:
    waiting = submitted(csa, players, rounds=10)
    Section.objects.filter(pk=waiting.pk).update(submitted_on=today(csa))
    waiting.refresh_from_db()
    Upload.objects.create(
        federation=csa,
        section=waiting,
        at=timezone.now(),
        on=DAY,
        name="open.trf",
        size=3,
        sha256="1" * 64,
        content=b"012",
        state=Upload.State.READ,
    )
    return waiting


def place(section: Section, page: str) -> str:
    return f"{section.get_absolute_url()}{page}/"


def words(answer: Any) -> str:
    return " ".join(answer.content.decode().split())


def returned(section: Section, client: Client, **more: Any) -> Any:
    posted = {"version": section.version, "reason": "Two things are wrong.", **more}
    return client.post(place(section, "return"), posted, follow=True)


# ---------------------------------------------------------------- returning with remarks


def test_a_section_goes_back_with_several_remarks_each_about_one_thing(
    section: Section, nomsa: User, amahle: User, client_of: ClientOf
) -> None:
    game = section.games.select_related("first", "second").get(order=1)
    finding = Finding.objects.create(section=section, source="details", level="notice", key="absences")
    Finding.objects.filter(pk=finding.pk).update(params={"forfeits": 1, "gone": 2})
    returned(
        section,
        client_of(nomsa),
        **{"tie-1": "line", "which-1": "12", "words-1": "This line is cut."},
        **{"tie-2": "game", "which-2": f"1 {game.first.number}", "words-2": "Who won?"},
        **{"tie-3": f"finding-{finding.pk}", "which-3": "", "words-3": "Say who was away."},
        **{"tie-4": "entry", "which-4": "3", "words-4": "Is this the same person?"},
    )
    assert Section.objects.get().stage == Stage.RETURNED
    page = words(client_of(amahle).get(place(section, "remarks")))
    for said in (
        "Two things are wrong.",
        "Line 12 of the file",
        f"Round 1, {game.first.name} – {game.second.name}",
        "Who won?",
        "players who left before the end: 2",
        "Is this the same person?",
        "4 remarks of the office are not answered yet.",
    ):
        assert said in page, said
    assert "4 to answer" in words(client_of(amahle).get(place(section, "file"), follow=True))


def test_who_returns_a_section_reads_at_once_whom_and_what_the_remarks_are_about(
    section: Section, nomsa: User, client_of: ClientOf
) -> None:
    player = section.entries.get(number=3)
    done = returned(
        section,
        client_of(nomsa),
        **{"tie-1": "entry", "which-1": "3", "words-1": "Is this the same person?"},
        **{"tie-2": "line", "which-2": "12", "words-2": "This line is cut."},
    )
    assert f"The remarks are about: {player.name}, number 3 under “Entries”; Line 12 of the file." in words(
        done
    )


def test_a_return_without_remarks_or_about_the_section_tells_of_no_things(
    section: Section, nomsa: User, client_of: ClientOf
) -> None:
    done = returned(section, client_of(nomsa), **{"tie-1": "", "which-1": "", "words-1": "All of it."})
    assert "went back to" in words(done)
    assert "The remarks are about" not in words(done)


def test_a_remark_names_a_player_or_a_game_by_the_name_which_the_cross_table_shows(section: Section) -> None:
    Entry.objects.filter(section=section).update(surname="Nkosi")
    section.entries.filter(number=3).update(surname="Müller", first_name="Anna Maria")
    game = section.games.filter(Q(first__number=3) | Q(second__number=3)).earliest("round")
    for said in ("3", "muller", "Anna Müller", "Müller, Anna Maria"):
        assert parse_remark_tie(section, "entry", said).numbers == {"number": 3}, said
        tie = parse_remark_tie(section, "game", f"{game.round} {said}")
        assert tie.numbers["round"] == game.round
        assert 3 in (tie.numbers["first"], tie.numbers["second"])
    with pytest.raises(Refused, match="Several players are called “Nkosi” here: 1 Nkosi"):
        parse_remark_tie(section, "entry", "Nkosi")


@pytest.mark.parametrize(
    ("tie", "which", "why"),
    [
        ("line", "0", "does not say which"),
        ("line", "twelve", "does not say which"),
        ("entry", "99", "Nobody has the starting number 99"),
        ("game", "1 99", "Nobody has the starting number 99"),
        ("game", "99 1", "has no game in round 99"),
        ("entry", "Nobody-Here", "Nobody in this section is called “Nobody-Here”"),
        ("game", "1", "does not say which"),
        ("finding-999", "", ""),
    ],
)
def test_a_remark_about_a_thing_that_is_not_there_is_refused_and_nothing_is_returned(
    section: Section, nomsa: User, client_of: ClientOf, tie: str, which: str, why: str
) -> None:
    refused = returned(
        section, client_of(nomsa), **{"tie-1": tie, "which-1": which, "words-1": "Look at this."}
    )
    assert refused.status_code in (400, 409)
    assert why in words(refused)
    assert Section.objects.get().stage == Stage.SUBMITTED
    assert not Remark.objects.exists()


def test_what_was_typed_into_each_remark_is_kept_by_a_refusal(
    section: Section, nomsa: User, client_of: ClientOf
) -> None:
    refused = returned(
        section, client_of(nomsa), **{"tie-1": "entry", "which-1": "99", "words-1": "The long words."}
    )
    form = refused.context["returning"]
    assert [form[name].value() for name in ("reason", "tie-1", "which-1", "words-1")] == [
        *("Two things are wrong.", "entry", "99", "The long words.")
    ]
    assert "<details open> <summary>Return to the region" in words(refused)


def test_the_form_to_return_a_section_is_folded_and_empty_where_nothing_was_refused(
    section: Section, nomsa: User, client_of: ClientOf
) -> None:
    page = client_of(nomsa).get(place(section, "review"))
    assert page.context["returning"]["reason"].value() is None
    assert "<summary>Return to the region" in words(page)
    assert "<details open> <summary>Return to the region" not in words(page)


def test_a_return_refused_because_somebody_was_first_keeps_the_words_without_a_form(
    section: Section, nomsa: User, client_of: ClientOf
) -> None:
    Section.objects.update(stage=Stage.RETURNED)
    refused = returned(
        section, client_of(nomsa), **{"tie-1": "", "which-1": "", "words-1": "The long words."}
    )
    assert refused.status_code == 409
    assert "The long words." in words(refused)
    assert "returning" not in refused.context


def test_earlier_reasons_stay_visible_to_both_after_the_section_came_again(
    section: Section, nomsa: User, amahle: User, client_of: ClientOf
) -> None:
    returned(section, client_of(nomsa))
    Section.objects.update(stage=Stage.SUBMITTED, remarks="")  # corrected and submitted
    for client, page in ((client_of(nomsa), "review"), (client_of(amahle), "remarks")):
        assert "Two things are wrong." in words(client.get(place(section, page)))
    assert count_open_remarks(section) == 0  # a reason wants a corrected section, not an answer


def test_a_remark_has_the_hour_of_the_offices_country_on_both_pages(
    section: Section, nomsa: User, amahle: User, client_of: ClientOf
) -> None:
    returned(section, client_of(nomsa))
    with triggers_off():
        Remark.objects.update(at=datetime(2024, 4, 2, 22, 30, tzinfo=UTC))
    for client, page in ((client_of(nomsa), "review"), (client_of(amahle), "remarks")):
        assert "3 April 2024, 00:30" in words(client.get(place(section, page)))


def test_where_nothing_was_said_no_list_is_drawn(section: Section, nomsa: User, client_of: ClientOf) -> None:
    page = words(client_of(nomsa).get(place(section, "review")))
    assert "Nothing was said yet." in page
    assert '<ol class="thread">' not in page


def test_refusing_and_unrating_enter_the_thread_with_their_words(
    csa: Federation, section: Section, nomsa: User
) -> None:
    approval.record_refusal(
        section=section, by=nomsa, on=DAY, version=section.version, reason="It was no event."
    )
    assert [(one.kind, one.words) for one in section.thread.all()] == [("refuse", "It was no event.")]
    other = submitted(csa, list(Player.objects.all()), number="2024-002", rounds=10)
    approved(other)
    other.refresh_from_db()
    approval.unrate(
        section=other, by=nomsa, on=DAY, version=other.version, reason="result", words="Game 3 was turned."
    )
    assert [(one.kind, one.words) for one in other.thread.all()] == [("unrate", "Game 3 was turned.")]


def test_a_return_that_is_taken_back_leaves_the_thread_unread(
    section: Section, csa: Federation, nomsa: User, amahle: User, client_of: ClientOf
) -> None:
    returned(section, client_of(nomsa), **{"tie-1": "line", "which-1": "12", "words-1": "This line is cut."})
    section.refresh_from_db()
    take_back_decision(section=section, by=nomsa, at=timezone.now(), on=today(csa), version=section.version)
    page = words(client_of(amahle).get(place(section, "remarks")))
    assert "Two things are wrong." not in page
    assert "This line is cut." not in page


def test_a_return_whose_remarks_the_region_has_opened_cannot_be_taken_back(
    section: Section, csa: Federation, nomsa: User, amahle: User, client_of: ClientOf
) -> None:
    returned(section, client_of(nomsa))
    section.refresh_from_db()
    client_of(amahle).get(place(section, "remarks"))
    with pytest.raises(Refused, match="the region has read it"):
        take_back_decision(
            section=section, by=nomsa, at=timezone.now(), on=today(csa), version=section.version
        )
    assert section.thread.exists()


# ---------------------------------------------------------------- question and answer


def test_the_office_asks_and_the_region_answers_once(
    section: Section, nomsa: User, amahle: User, client_of: ClientOf
) -> None:
    client_of(nomsa).post(place(section, "ask"), {"tie": "entry", "which": "3", "words": "Who is this?"})
    question = Remark.objects.get()
    region = client_of(amahle)
    assert "Who is this?" in words(region.get(place(section, "remarks")))
    said = {f"answer-{question.pk}": "Our junior champion."}
    assert "The office reads it" in words(region.post(place(section, "remarks"), said, follow=True))
    again = region.post(place(section, "remarks"), said)
    assert again.status_code == 409
    assert "answered this already" in words(again)
    review = words(client_of(nomsa).get(place(section, "review")))
    assert review.index("Who is this?") < review.index("Our junior champion.")
    assert count_open_remarks(section) == 0


def test_several_answers_are_sent_at_once_and_none_is_lost_where_one_is_refused(
    section: Section, nomsa: User, amahle: User, client_of: ClientOf
) -> None:
    first, second = (ask(section=section, by=nomsa, on=DAY, words=words) for words in ("Who?", "When?"))
    region = client_of(amahle)
    answer(section=section, by=amahle, on=DAY, words="A guest.", answers_to=first)
    said = {f"answer-{first.pk}": "Lwazi.", f"answer-{second.pk}": "On Sunday.", "words": "Sorry."}
    refused = region.post(place(section, "remarks"), said)
    assert (refused.status_code, section.thread.count()) == (409, 3)
    assert all(typed in words(refused) for typed in ("Lwazi.", "On Sunday.", "Sorry."))
    del said[f"answer-{first.pk}"]
    assert region.post(place(section, "remarks"), said).status_code == 302
    assert (section.thread.count(), count_open_remarks(section)) == (5, 0)


def test_the_region_tells_the_office_something_unasked(
    section: Section, nomsa: User, amahle: User, client_of: ClientOf
) -> None:
    client_of(amahle).post(place(section, "remarks"), {"words": "Round 3 was played late."})
    assert "Round 3 was played late." in words(client_of(nomsa).get(place(section, "review")))


@pytest.mark.parametrize("page", ["ask", "note"])
def test_nothing_is_said_without_words(section: Section, nomsa: User, client_of: ClientOf, page: str) -> None:
    assert client_of(nomsa).post(place(section, page), {"words": " "}).status_code == 400
    assert not Remark.objects.exists()


def test_another_regions_remark_or_a_note_cannot_be_answered(
    csa: Federation, section: Section, players: list[Player], nomsa: User, amahle: User, client_of: ClientOf
) -> None:
    other = submitted(csa, players, number="2024-002", region=csa.regions.get(code="WCA"))
    theirs = ask(section=other, by=nomsa, on=DAY, words="And you?")
    inside = note(section=section, by=nomsa, on=DAY, words=SECRET)
    for key, status in ((theirs.pk, 404), (inside.pk, 404), ("banana", 404), (9**18, 409)):
        said = client_of(amahle).post(place(section, "remarks"), {f"answer-{key}": "Me."})
        assert said.status_code == status


# ---------------------------------------------------------------- the office's own notes


@pytest.mark.long
def test_no_page_and_no_download_of_the_region_shows_the_offices_notes(
    section: Section, nomsa: User, amahle: User, client_of: ClientOf
) -> None:
    client_of(nomsa).post(place(section, "note"), {"tie": "entry", "which": "2", "words": SECRET})
    assert SECRET in words(client_of(nomsa).get(place(section, "review")))
    region = client_of(amahle)
    pages = [
        "/csa/desk/",
        "/csa/register/",
        "/csa/register/players.csv",
        *RECORD,
        section.event.get_absolute_url(),
        f"{section.event.get_absolute_url()}sections/",
        section.get_absolute_url(),
        *(place(section, name) for name in ("remarks", "differences", "submit")),
    ]
    for stage in Stage:
        Section.objects.update(stage=stage)
        steps = [place(section, name) for name in ("file", "findings", "details", "players")]
        for page in [*pages, *steps]:
            answer = region.get(page, follow=True)
            assert SECRET not in answer.getvalue().decode(), page
            assert page not in RECORD or answer.status_code == 200
    assert region.get(place(section, "review")).status_code in (403, 404)


# ---------------------------------------------------------------- record and persons


def test_each_remark_is_a_decision_whose_words_are_sealed_and_can_be_withdrawn(
    section: Section, nomsa: User, amahle: User, client_of: ClientOf
) -> None:
    asked = ask(
        section=section, by=nomsa, on=DAY, words="Who is this?", tie=parse_remark_tie(section, "entry", "3")
    )
    row = Decision.objects.get(kind="ask")
    assert "Who is this?" not in json.dumps(row.sealed_details)
    assert section.entries.get(number=3).name not in json.dumps(row.sealed_details)
    withdraw_words(decision=row, by=nomsa, on=DAY)
    assert Remark.objects.get(pk=asked.pk).words == ""
    page = words(client_of(amahle).get(place(section, "remarks")))
    assert "Who is this?" not in page
    assert "The words were withdrawn." in page


def test_a_player_and_a_writer_get_the_remarks_that_concern_them(
    csa: Federation, section: Section, players: list[Player], nomsa: User
) -> None:
    tie = parse_remark_tie(section, "entry", "3")
    note(section=section, by=nomsa, on=DAY, words="A double, I think.", tie=tie)
    assert "A double, I think." in json.dumps(get_player_data(players[2], DAY))
    assert "A double, I think." not in json.dumps(get_player_data(players[3], DAY))
    assert "A double, I think." in json.dumps(get_staff_data(csa, nomsa, DAY))


def test_an_answer_needs_words(section: Section, amahle: User) -> None:
    with pytest.raises(Refused, match="Write a few words"):
        answer(section=section, by=amahle, on=DAY, words="  ")


def test_one_remark_is_asked_for_and_a_script_adds_more(
    section: Section, nomsa: User, client_of: ClientOf
) -> None:
    page = client_of(nomsa).get(place(section, "review")).content.decode()
    shown, _template, _rest = page.partition("<template>")
    assert shown.count('name="words-1"') == 1
    assert 'name="words-2"' not in page
    assert 'name="words-__prefix__"' in page
    assert 'name="remarks-TOTAL_FORMS" value="2"' in page


def test_of_many_remarks_that_a_script_added_none_is_lost(
    section: Section, nomsa: User, client_of: ClientOf
) -> None:
    typed = {f"words-{n}": f"The remark {n}." for n in range(1, 31)}
    returned(section, client_of(nomsa), **typed)
    assert section.thread.count() == 1 + 30  # the reason too


# ---------------------------------------------------------------- what is new since the official's last step


def test_the_review_tells_what_others_did_since_the_official_s_own_last_step(
    section: Section, amahle: User, nomsa: User, client_of: ClientOf
) -> None:
    official = client_of(nomsa)
    assert "news" not in official.get(place(section, "review")).context
    asked = ask(section=section, by=nomsa, on=DAY, words="Who kept the time?")
    assert official.get(place(section, "review")).context["news"] == []
    answer(section=section, by=amahle, on=DAY, words="Zodwa did.", answers_to=asked)
    assert [row[0] for row in official.get(place(section, "review")).context["news"]] == [amahle]


def test_a_question_about_a_finding_begins_beside_it(
    section: Section, nomsa: User, client_of: ClientOf
) -> None:
    finding = Finding.objects.create(section=section, source="rules", level="notice", key="x")
    page = client_of(nomsa).get(place(section, "review"), {"about": f"finding-{finding.pk}"})
    assert f'<option value="finding-{finding.pk}" selected' in page.content.decode()
