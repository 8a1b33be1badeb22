"""The record in whole sentences, searched, taken out, and for each region its own part."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from dataclasses import fields
from datetime import UTC, date, datetime, timedelta

import pytest
import time_machine
from django.test import Client
from django.utils import timezone
from django.utils.translation import override

from players.decision_kinds import CODE_LABELS, HINTS, PARTICULARS, UNRATE_REASONS, thing_in_words
from players.models import Decision, Federation, Player, Region, User
from players.names import fold
from players.record import decide
from players.register import COLUMNS
from players.settings import setting_terms, today
from ratings.approval import return_section
from ratings.models import HintAnswer, HintKind
from ratings.pages.record import missed_deadlines_by_section
from ratings.rulesets import facts
from ratings.tests.office import register, submitted
from tests.built_once import built_once
from tournaments.models import Case, Section, Stage
from tournaments.registration import EventParticulars
from tournaments.review import mark_notice_as_read
from tournaments.sections import find_pending_deadline

pytestmark = pytest.mark.django_db
ClientOf = Callable[[User], Client]
DAY = date(2026, 6, 1)


@pytest.fixture
@built_once
def players(csa: Federation, amahle: User, pieter: User, nomsa: User, thandi: User) -> list[Player]:
    """Eight players, the last of the Western Cape, the others of Gauteng."""
    made = register(csa, 8)
    Player.objects.filter(pk=made[-1].pk).update(region=csa.regions.get(code="WCA"))
    Player.objects.filter(pk=made[0].pk).update(surname="Mokoena", name_key=fold("Mokoena"))
    return made


@pytest.fixture
@built_once
def ours(csa: Federation, players: list[Player]) -> Section:
    return submitted(csa, players, number="2026-001", rounds=10, region=csa.regions.get(code="GAU"))


@pytest.fixture
@built_once
def theirs(csa: Federation, players: list[Player]) -> Section:
    return submitted(csa, players, number="2026-002", rounds=10, region=csa.regions.get(code="WCA"))


def told(browser: Client, query: str = "") -> list[str]:
    """The sentences of the record, from its file, newest first."""
    answer = browser.get(f"/csa/record/record.csv{query}")
    assert answer.status_code == 200
    rows = csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig")))
    return [row["told"] for row in rows]


def test_a_decision_is_a_whole_sentence_and_two_new_players_are_no_arrow(
    csa: Federation, ours: Section, amahle: User, nomsa: User, client_of: ClientOf
) -> None:
    about = f"section {ours.key}"
    decide(csa, kind="submit", by=amahle, on=DAY, about=about, new_players=["101002726", "101002727"])
    [sentence] = told(client_of(nomsa), "?kind=submit")
    assert sentence == ("Amahle submitted section 2026-001/A for review. New players: 101002726, 101002727.")


def test_a_setting_is_told_with_its_value_before_and_after(
    csa: Federation, nomsa: User, thandi: User, client_of: ClientOf
) -> None:
    decide(csa, kind="set", by=thandi, on=DAY, about="settings", changed={"four_eyes": [False, True]})
    assert told(client_of(nomsa)) == ["Thandi changed the settings. Before and after: Four eyes: off → on."]
    changed = {"appeal_days": [21, 30], "births": ["year", "group"], "gone_since": [1, 2]}
    decide(csa, kind="set", by=thandi, on=DAY, about="settings", changed=changed)
    terms = setting_terms()
    choices = dict(terms["births"].choices)
    assert told(client_of(nomsa))[0] == (
        f"Thandi changed the settings. Before and after: {terms['appeal_days'].label}: 21 → 30, "
        f"{terms['births'].label}: {choices['year']} → {choices['group']}, "
        "gone_since: 1 → 2."
    )


def test_what_people_wrote_bears_their_language_where_the_record_speaks_another(
    csa: Federation, ours: Section, nomsa: User, client_of: ClientOf
) -> None:
    about = f"section {ours.key}"
    waived = [{"clause": "17.1", "key": "too-few-players", "waived_because": "A <sixth> fell ill."}]
    decide(csa, kind="return", by=nomsa, on=DAY, about=about, reason="Name the arbiters.")
    decide(csa, kind="approve", by=nomsa, on=DAY, about=about, fact=3, waived=waived)
    browser = client_of(nomsa)
    page = browser.get("/csa/record/", headers={"accept-language": "pl"}).content.decode()
    assert '<span lang="en">Name the arbiters.</span>' in page
    assert '§17.1: <span lang="en">A &lt;sixth&gt; fell ill</span>' in page
    own = browser.get("/csa/record/", headers={"accept-language": "en"}).content.decode()
    assert "Waived: §17.1: A &lt;sixth&gt; fell ill." in own
    assert '<span lang="en">' not in own
    assert told(browser)[0].endswith("Waived: §17.1: A <sixth> fell ill.")


def test_codes_of_decisions_are_told_in_words(
    csa: Federation, ours: Section, nomsa: User, client_of: ClientOf
) -> None:
    about = f"section {ours.key}"
    for kind, details, sentence in (
        ("answer-hint", {"hint": "far-score", "outcome": "right"}, "The answer: it is right."),
        ("answer-hint", {"hint": "far-score"}, "The hint: a score far from expectation."),
        (
            "leave-hints",
            {"hints": 2, "kinds": ["look-alike", "same-event"]},
            "What they were: a name that looks like another’s, the same event twice.",
        ),
        ("unrate", {"reason": "duplicate"}, "The reason: it was rated twice."),
        ("edit", {"changed": ["organizer"]}, "What was changed: chief organiser."),
        ("appoint", {"role": "regional"}, "The role: regional administrator."),
        ("close-case", {"outcome": "not-ours"}, "The outcome: others decide about it."),
    ):
        decide(csa, kind=kind, by=nomsa, on=DAY, about=about, **details)
        assert sentence in told(client_of(nomsa))[0], kind


@pytest.mark.parametrize(
    ("about", "words"),
    [
        ("section 2026-001/A", "grupa 2026-001/A"),
        ("event 2026-001", "zawody 2026-001"),
        ("player 101000001", "gracz 101000001"),
        ("register", "rejestr"),
        ("list 2026-06-01", "lista z\N{NO-BREAK SPACE}dnia 1\N{NO-BREAK SPACE}czerwca 2026"),
        ("whatever 1", "whatever 1"),
    ],
)
def test_what_a_decision_is_about_is_said_in_the_reader_s_language(about: str, words: str) -> None:
    with override("pl"):
        assert thing_in_words(about) == words


def test_every_code_that_a_decision_can_have_has_its_words() -> None:
    assert set(HINTS) == set(HintKind)
    assert set(UNRATE_REASONS) == set(facts.UNRATING_REASONS)
    assert set(CODE_LABELS["answer-hint", "outcome"]) == set(HintAnswer.Outcome)
    assert set(CODE_LABELS["close-case", "outcome"]) == set(Case.Outcome)
    of_events = {field.name for field in fields(EventParticulars)} - {"reason"}
    assert of_events | set(COLUMNS) | {"birth"} == set(PARTICULARS)


def test_whoever_proposed_a_correction_stands_by_name_and_not_by_the_key_of_an_account(
    csa: Federation, ours: Section, nomsa: User, amahle: User, client_of: ClientOf
) -> None:
    decide(csa, kind="mend", by=nomsa, on=DAY, about=f"section {ours.key}", proposed_by=amahle.pk)
    assert told(client_of(nomsa)) == ["Nomsa corrected section 2026-001/A. It was proposed by Amahle."]


def test_starting_numbers_stand_with_their_players(
    csa: Federation, ours: Section, nomsa: User, client_of: ClientOf
) -> None:
    decide(
        csa, kind="match", by=nomsa, on=DAY, about=f"section {ours.key}", players={"5": "101001413"}, new=[]
    )
    assert "Starting numbers and players: 5: 101001413." in told(client_of(nomsa))[0]


def test_the_offices_own_programs_are_the_office_and_unknown_details_follow_by_their_label(
    csa: Federation, nomsa: User, client_of: ClientOf
) -> None:
    decide(csa, kind="publish", by=None, on=DAY, about="list 2026-06-01", fact=7, odd=3)
    assert told(client_of(nomsa)) == [
        "The office published the list of 1 June 2026. It is line 7 of the journal. odd: 3."
    ]


def test_the_record_writes_days_as_its_readers_do_and_leaves_words_as_they_were_written(
    csa: Federation, ours: Section, nomsa: User, client_of: ClientOf
) -> None:
    about = f"section {ours.key}"
    for kind, details, sentence in (
        ("put-off", {"until": "2026-03-08"}, "Until: 8 March 2026."),
        ("remind", {"last": "2026-03-08"}, "Its last day: 8 March 2026."),
        ("set-last-day", {"ends": "2026-03-08"}, "The last day is now: 8 March 2026."),
        ("set-last-day", {"ends": "open"}, "The last day is now: open."),
        ("postpone", {"days_before": ["2026-03-06", "2026-03-08"]}, "6 March 2026 – 8 March 2026."),
        ("postpone", {"days_now": ["2026-03-06", "2026-03-06"]}, "The days now: 6 March 2026."),
        ("put-off", {"until": "2026-02-30"}, "Until: 2026-02-30."),
        ("put-off", {"reason": "2026-03-08"}, "The reason: 2026-03-08"),
    ):
        decide(csa, kind=kind, by=nomsa, on=DAY, about=about, **details)
        assert sentence in told(client_of(nomsa))[0], (kind, details)


def test_a_section_handed_over_names_the_official_and_no_key_of_an_account(
    csa: Federation, ours: Section, nomsa: User, client_of: ClientOf
) -> None:
    decide(csa, kind="hand-over", by=nomsa, on=DAY, about=f"section {ours.key}", to=nomsa.pk)
    assert told(client_of(nomsa)) == [
        "Nomsa handed section 2026-001/A over to somebody else. To whom: Nomsa."
    ]


def test_braces_and_markup_in_words_stay_words(
    csa: Federation, ours: Section, nomsa: User, client_of: ClientOf
) -> None:
    reason = "<b>{who}</b> {0} wrote"
    decide(csa, kind="return", by=nomsa, on=DAY, about=f"section {ours.key}", reason=reason)
    page = client_of(nomsa).get("/csa/record/").content.decode()
    assert "&lt;b&gt;{who}&lt;/b&gt; {0} wrote" in page


# ---------------------------------------------------------------- searching


def test_the_deeds_to_choose_from_stand_by_name_and_without_what_joins_them_to_a_sentence(
    csa: Federation, nomsa: User, client_of: ClientOf
) -> None:
    for kind in ("open-case", "publish", "approve"):
        decide(csa, kind=kind, by=nomsa, on=DAY, about="case 1")
    page = client_of(nomsa).get("/csa/record/")
    shown = [str(label) for kind, label in page.context["form"].fields["kind"].choices if kind]
    assert "took in a report of a mistake" in shown
    assert shown == sorted(shown, key=str.casefold)


def test_the_record_is_searched_by_event_and_by_player(
    csa: Federation, ours: Section, theirs: Section, players: list[Player], nomsa: User, client_of: ClientOf
) -> None:
    for section in (ours, theirs):
        decide(csa, kind="submit", by=None, on=DAY, about=f"section {section.key}", new_players=[])
    decide(csa, kind="correct", by=nomsa, on=DAY, about=f"player {players[0].number}", fields=["title"])
    decide(csa, kind="submit", by=None, on=DAY, about="section 2026-009/A", new_players=[players[0].number])
    browser = client_of(nomsa)
    assert [each for each in told(browser, "?event=2026-001") if "2026-001" not in each] == []
    assert len(told(browser, "?event=2026-001")) == 1
    assert len(told(browser, "?event=Open+2026-002")) == 1
    assert len(told(browser, "?event=2026-001/a")) == 1
    assert told(browser, "?event=2026-001/Z") == []
    for wanted in (players[0].number, "Mokoena", "moko"):
        assert len(told(browser, f"?player={wanted}")) == 2
    assert told(browser, "?player=Nobody") == []
    assert len(told(browser, "?since=2026-06-01&until=2026-06-01")) == 4
    assert told(browser, "?since=2026-06-02") == []


# ---------------------------------------------------------------- a region's part


def test_a_region_reads_what_was_done_with_its_own_and_nothing_else(
    csa: Federation,
    ours: Section,
    theirs: Section,
    players: list[Player],
    amahle: User,
    nomsa: User,
    thandi: User,
    client_of: ClientOf,
) -> None:
    for section in (ours, theirs):
        return_section(section=section, by=nomsa, on=DAY, version=section.version, reason="Round 2.")
        section.refresh_from_db()
        mark_notice_as_read(section, timezone.now())
        decide(csa, kind="open-file", by=nomsa, on=DAY, about=f"section {section.key}")
        decide(csa, kind="register", by=None, on=DAY, about=f"event {section.event.number}")
    for player in (players[0], players[-1]):
        decide(csa, kind="correct", by=nomsa, on=DAY, about=f"player {player.number}", fields=["title"])
        decide(csa, kind="give-data", by=nomsa, on=DAY, about=f"player {player.number}")
    decide(csa, kind="set", by=thandi, on=DAY, about="settings", changed={"four_eyes": [False, True]})
    decide(csa, kind="publish", by=nomsa, on=DAY, about="list 2026-06-01")
    assert told(client_of(amahle)) == [
        "Nomsa corrected player 101000001 in the register. What was changed: title.",
        "The office registered event 2026-001.",
        "Nomsa returned section 2026-001/A to its region. The reason: Round 2.",
    ]
    assert len(told(client_of(nomsa))) == 12
    assert told(client_of(amahle), "?event=2026-002") == []
    assert told(client_of(amahle), "?player=101000008") == []


def test_an_event_whose_number_begins_alike_is_not_the_regions(
    csa: Federation, ours: Section, amahle: User, client_of: ClientOf
) -> None:
    decide(csa, kind="submit", by=None, on=DAY, about="section 2026-0011/A")
    assert told(client_of(amahle)) == []


def test_a_region_reads_no_words_about_a_players_merge(
    csa: Federation, players: list[Player], amahle: User, nomsa: User, client_of: ClientOf
) -> None:
    about = f"player {players[0].number}"
    decide(
        csa, kind="merge", by=nomsa, on=DAY, about=about, into="101000002", reason="A letter of hers.", fact=3
    )
    assert "A letter of hers." not in told(client_of(amahle))[0]
    assert "A letter of hers." in told(client_of(nomsa))[0]


def test_the_filters_of_a_region_name_only_people_and_deeds_that_it_may_see(
    csa: Federation, ours: Section, amahle: User, nomsa: User, thandi: User, client_of: ClientOf
) -> None:
    decide(csa, kind="set", by=thandi, on=DAY, about="settings", changed={})
    decide(csa, kind="approve", by=nomsa, on=DAY, about=f"section {ours.key}")
    page = client_of(amahle).get("/csa/record/").content.decode()
    assert "Thandi" not in page
    assert "changed the settings" not in page
    assert "Nomsa" in page


def test_withdrawn_words_are_in_no_file(
    csa: Federation, ours: Section, nomsa: User, client_of: ClientOf
) -> None:
    decide(csa, kind="return", by=nomsa, on=DAY, about=f"section {ours.key}", reason="Withdrawn.")
    Decision.objects.get(kind="return").words.all().delete()
    assert told(client_of(nomsa)) == ["Nomsa returned section 2026-001/A to its region."]


# ---------------------------------------------------------------- a region's history


def test_a_regions_history_has_its_sections_and_players_alone(
    csa: Federation, ours: Section, theirs: Section, players: list[Player], amahle: User, client_of: ClientOf
) -> None:
    ours.findings.create(source="rules", level="waivable", key="filed-late", clause="62")
    page = client_of(amahle).get("/csa/record/regions/GAU/").content.decode()
    assert "2026-001" in page
    assert "2026-002" not in page
    assert "Mokoena" in page
    assert players[-1].shown_name not in page
    assert ">late<" in page.replace(" ", "").replace("\n", "")
    assert client_of(amahle).get("/csa/record/regions/WCA/").status_code == 404


def test_a_regions_history_counts_what_is_overdue_and_not_submitted_in_its_own_words(
    csa: Federation, ours: Section, amahle: User, client_of: ClientOf
) -> None:
    day = today(csa)
    assert missed_deadlines_by_section(Section.objects.filter(pk=ours.pk), day) == {}, "it is with the office"
    Section.objects.filter(pk=ours.pk).update(stage=Stage.FILED, filed_on=ours.ends)
    ours = Section.objects.select_related("event__federation", "event__region").get(pk=ours.pk)
    due = find_pending_deadline(ours, day)
    assert due is not None
    for on, overdue in ((due.last, 0), (due.last + timedelta(days=1), 1)):
        with time_machine.travel(datetime(on.year, on.month, on.day, 10, tzinfo=UTC), tick=False):
            answer = client_of(amahle).get("/csa/record/regions/GAU/")
        tiles = {tile["label"]: tile["value"] for tile in answer.context["tiles"]}
        assert (tiles["Overdue, not submitted"], tiles["Sections with something late"]) == (overdue, 0)
        page = " ".join(answer.content.decode().split())
        assert page.count("1 day late") == overdue
        assert page.count(due.words) == overdue


def test_a_regions_sections_and_players_are_there_to_the_last_each_with_pages_of_its_own(
    csa: Federation, ours: Section, gauteng: Region, amahle: User, client_of: ClientOf
) -> None:
    register(csa, 101, first=150000001)
    Player.objects.filter(number__gte="150000001").update(region=gauteng)
    first = client_of(amahle).get("/csa/record/regions/GAU/").content.decode()
    assert "players-page=3" in first
    assert "150000100" not in first
    third = client_of(amahle).get("/csa/record/regions/GAU/?players-page=3").content.decode()
    assert "150000100" in third
    assert "2026-001" in third, "the sections stay on their first page"
