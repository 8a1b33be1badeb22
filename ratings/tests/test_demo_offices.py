"""What holds for the demo of every federation that brings one, and what each is to show."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction
from django.test import Client, override_settings
from django.utils import timezone
from pytest_django import Settings

from players.models import Decision, Federation, Ledger, Player, Role, User
from ratings import approval, demo as ratings
from ratings.demo import office
from ratings.demo.office import demo_folder, introduction, list_demo_files_to_upload
from ratings.demo.story import Story, build_player_fact, invent_story, swap_result
from ratings.journal import journal_lines
from ratings.models import Change, Fact, RatingList
from ratings.recompute import recompute
from ratings.replay import replay
from ratings.rulesets import facts, rulesets
from ratings.rulesets.facts import Filing, Level, by_order_of_play
from ratings.rulesets.journal import read_journal, resolve
from ratings.rulesets.journal_lines import write_line
from ratings.rulesets.profile import equipment_of
from ratings.rulesets.ruleset import Ruleset
from ratings.tests.findings import LENIENT
from ratings.verify import verify
from tournaments import section_files
from tournaments.checks import FACT_QUESTIONS
from tournaments.entries import decide_entries
from tournaments.models import Entry, Finding, Section, Stage, Upload
from tournaments.submission import submit
from tournaments.uploads import receive_file

pytestmark = pytest.mark.long

TODAY = date(2026, 8, 14)
DAYS = (date(2026, 1, 1), date(2026, 12, 5), date(2028, 2, 29))
SCALE = {"csa": 0.1}
SMALL = 0.6
DEMOS = {slug: ruleset for slug, ruleset in rulesets().items() if equipment_of(ruleset).demo}
every_demo = pytest.mark.parametrize("ruleset", DEMOS.values(), ids=DEMOS.keys())


def scale(ruleset: Ruleset) -> float:
    return SCALE.get(ruleset.slug, SMALL)


def story_of(ruleset: Ruleset, today: date = TODAY, seed: int = 1, of: float | None = None) -> Story:
    return invent_story(ruleset, today=today, seed=seed, scale=of or scale(ruleset))


def lines_of(story: Story) -> list[str]:
    return [write_line(fact, story.ruleset) for fact in story.lines]


# ---------------------------------------------------------------- the story


def test_the_first_five_federations_have_a_demo() -> None:
    assert set(DEMOS) >= {"csa", "mahjong", "pfo", "piskvorky", "ssdc"}


@every_demo
def test_the_same_seed_and_day_tell_the_same_journal(ruleset: Ruleset) -> None:
    told = lines_of(story_of(ruleset))
    assert told == lines_of(story_of(ruleset))
    assert told != lines_of(story_of(ruleset, seed=2))


@every_demo
@pytest.mark.parametrize("today", DAYS, ids=str)
def test_the_journal_is_well_formed_on_any_day(ruleset: Ruleset, today: date) -> None:
    journal = read_journal(lines_of(story_of(ruleset, today)))
    days = [getattr(fact, "on", None) or date.min for _number, fact in journal.lines]
    assert max(days) <= today
    told = [day for day in days if day > date.min]
    assert told == sorted(told)


@every_demo
def test_every_section_passes_the_federation_s_own_acceptance(ruleset: Ruleset) -> None:
    story = story_of(ruleset)
    people = {person.number: build_player_fact(person, ruleset) for person in story.people}
    asked = {field.name for field in equipment_of(ruleset).office.filing_fields}
    for filed in story.filed:
        filing = Filing(
            registered=filed.registered,
            filed=filed.filed,
            event_starts=filed.plan.starts,
            event_ends=filed.plan.ends,
            round_dates=tuple(filed.round_days),
            region=filed.plan.region,
            organizer="somebody",
            said={name: filed.plan.particulars.get(name) for name in asked},
            particulars={entry.player: people[entry.player] for entry in filed.section.entries},
            settings=LENIENT,
        )
        found = ruleset.edition_on(filed.section.starts).rules.check(filed.section, filing)
        blocking = [f for f in found if f.level == Level.BLOCKS and f.where != "arbiters"]
        assert blocking == [], filed.section.id
        assert ruleset.sections.find_unrateable_reason(filed.section) is None


@every_demo
def test_nobody_with_more_points_stands_below_even_after_a_correction(ruleset: Ruleset) -> None:
    for filed in story_of(ruleset).filed:
        if filed.section.format in ("swiss", "round-robin") and not filed.section.season:
            section = swap_result(filed.section, ruleset)
            number = {entry.player: place for place, entry in enumerate(section.entries, start=1)}
            halves = section_files.count_half_points(section, number)
            by_place = sorted(section.entries, key=lambda entry: entry.place or 0)
            points = [halves[number[entry.player]] for entry in by_place]
            assert points == sorted(points, reverse=True)


@every_demo
def test_two_who_share_name_and_year_are_not_invented(ruleset: Ruleset) -> None:
    born = Counter((person.name, person.birth.year) for person in story_of(ruleset).people)
    assert set(born.values()) == {1}


# ---------------------------------------------------------------- the office


@pytest.fixture(scope="module", params=list(DEMOS.values()), ids=list(DEMOS))
def demo(
    request: pytest.FixtureRequest,
    django_db_setup: None,
    django_db_blocker: Any,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Federation]:
    """Each made once for all of these tests, and taken back."""
    var = override_settings(VAR=tmp_path_factory.mktemp("var"))
    with django_db_blocker.unblock(), var, transaction.atomic():
        ruleset: Ruleset = request.param
        yield office.make_office(ruleset, today=TODAY, seed=1, scale=scale(ruleset), say=lambda words: None)
        transaction.set_rollback(True)


@pytest.mark.django_db
def test_nothing_that_is_stored_differs_from_a_replay(demo: Federation) -> None:
    assert verify(demo).differences == []
    assert not Ledger.objects.get(federation=demo).pending


@pytest.mark.django_db
def test_no_fact_of_an_invented_file_is_in_doubt(demo: Federation) -> None:
    asked = (*FACT_QUESTIONS, "rounds-differ", "time-control-differs", "round-dates-order", "above-limit")
    doubts = Finding.objects.filter(section__event__federation=demo, key__in=asked)
    assert list(doubts.values_list("section__event__number", "key", "params")) == []


@pytest.mark.django_db
def test_the_exported_journal_is_one_that_anybody_can_replay(demo: Federation) -> None:
    written = "".join(f"{line}\n" for line in journal_lines(demo)).encode()
    assert replay(written, TODAY)["ratings"]


@pytest.mark.django_db
def test_there_is_a_section_in_every_stage_of_what_is_played(demo: Federation) -> None:
    stages = Counter(Section.objects.filter(event__federation=demo).values_list("stage", flat=True))
    assert set(stages) == set(Stage.values) - {Stage.CANCELLED, Stage.WITHDRAWN}
    assert stages[Stage.SUBMITTED] >= 2
    assert stages[Stage.RATED] > 10


@pytest.mark.django_db
def test_lists_are_published_and_somebody_stands_on_them(demo: Federation) -> None:
    newest = RatingList.objects.of(demo).latest("on")
    assert newest.players > 10
    assert newest.on <= TODAY


@pytest.mark.django_db
def test_the_record_tells_decisions_in_order(demo: Federation) -> None:
    told = Decision.objects.filter(federation=demo).order_by("number")
    assert [decision.number for decision in told] == list(range(1, len(told) + 1))
    kinds = {"create", "appoint", "register", "file", "submit", "approve", "publish", "unrate", "return"}
    assert kinds <= {decision.kind for decision in told}


@pytest.mark.django_db
def test_a_late_approval_rated_again_what_was_played_after_it(demo: Federation) -> None:
    if demo.ruleset.journal.order_key is not by_order_of_play:
        pytest.skip("the order of rating decides")
    rated = Fact.objects.filter(federation=demo, kind="rated").in_force()
    numbers = list(rated.order_by("order").values_list("number", flat=True))
    assert numbers != sorted(numbers)
    late = max(numbers[:-3])
    assert len(numbers) - numbers.index(late) > 3
    assert Change.objects.filter(fact__federation=demo, fact__number=late).exists()


@pytest.mark.django_db
def test_each_office_has_its_own_people(demo: Federation) -> None:
    roles = set(demo.appointments.values_list("role", flat=True))
    assert {Role.REGIONAL, Role.OFFICIAL} <= roles
    said = "\n".join(introduction([demo]))
    people = list(sign_ins(demo))
    assert people
    assert all(f"{user.email} " in said for user in people)
    assert f"/{demo.code}/" in said


def sign_ins(demo: Federation) -> list[User]:
    users = User.objects.filter(appointments__federation=demo).distinct()
    return [user for user in users if user.has_usable_password()]


def test_nobody_works_in_two_offices() -> None:
    demos = [demo for ruleset in DEMOS.values() if (demo := equipment_of(ruleset).demo)]
    names = Counter(person.name for demo in demos for person in demo.sign_ins)
    assert set(names.values()) == {1}


# ---------------------------------------------------------------- the newcomer's file


@pytest.mark.long
@pytest.mark.django_db
def test_an_offered_file_goes_all_the_way_to_a_rating(demo: Federation) -> None:
    for event, name in list_demo_files_to_upload(demo):
        with transaction.atomic():
            assert filed_and_rated(demo, event.sections.get(), name).rated_on
            transaction.set_rollback(True)
    assert list_demo_files_to_upload(demo)


def filed_and_rated(demo: Federation, section: Section, name: str) -> Section:
    """As a newcomer would: upload, details, one decision, two new players, submission, approval."""
    on = TODAY
    data = (demo_folder(demo) / name).read_bytes()
    upload = receive_file(section=section, by=None, at=timezone.now(), on=on, name=name, data=data)[0]
    section_files.read_upload_without_box(upload)
    upload.refresh_from_db()
    assert upload.state == Upload.State.READ
    section = section_files.save_prefilled_details(section, by=None, on=on)
    matches = Counter(section.entries.values_list("match", flat=True))
    assert matches[Entry.Match.DOUBTFUL] == 1
    assert matches[Entry.Match.NONE] == 2
    doubtful = section.entries.get(match=Entry.Match.DOUBTFUL)
    player = Player.objects.get(pk=doubtful.candidates[0]["player"])
    decide_entries(section=section, chosen={doubtful.number: player}, by=None, on=on, version=section.version)
    section.refresh_from_db()
    new = {entry.number: dict[str, str]() for entry in section.entries.filter(match=Entry.Match.NONE)}
    decide_entries(section=section, newcomers=new, by=None, on=on, version=section.version)
    section.refresh_from_db()
    section = submit(section=section, by=None, on=on, version=section.version)
    approval.approve(section=section, by=None, on=on, version=section.version)
    recompute(demo)
    assert verify(demo).differences == []
    section.refresh_from_db()
    return section


@pytest.mark.django_db
def test_the_desk_offers_the_file_to_whoever_files(demo: Federation, client: Client) -> None:
    event, name = list_demo_files_to_upload(demo)[0]
    client.force_login(User.objects.get(appointments__region=event.region))
    assert f"/{demo.code}/demo-file/{name}/" in client.get(f"/{demo.code}/desk/").content.decode()
    response = client.get(f"/{demo.code}/demo-file/{name}/")
    assert b"".join(response.streaming_content) == (demo_folder(demo) / name).read_bytes()  # type: ignore[attr-defined]


# ---------------------------------------------------------------- what each is to show


def tables(story: Story, name: str) -> list[tuple[Any, ...]]:
    ruleset = story.ruleset
    state: facts.State[Any] = facts.State()
    for _step in ruleset.fold(resolve(read_journal(lines_of(story))), state):
        pass
    found = ruleset.edition_on(story.today).rules.tables(state, story.today)
    return [row for table in found if table.name == name for row in table.rows]


def test_dots_show_replays_annulled_games_every_category_and_ranks() -> None:
    story = story_of(DEMOS["ssdc"], of=1)
    sections = [filed.section for filed in story.filed]
    assert {section.category for section in sections} >= {"highest", "first", "second", "third", "fourth"}
    assert {section.time_class for section in sections} == {"classic", "rapid", "blitz"}
    assert any(game.result == facts.ANNULLED for section in sections for game in section.games)
    twice = [Counter((g.round, frozenset(g[1:3])) for g in s.games if g.played) for s in sections]
    assert any(count > 1 for counted in twice for count in counted.values())
    assert len(story.confirmed) > 10
    assert tables(story, "proposals")


def test_othello_shows_a_season_that_a_play_off_decided_and_a_championship_missed() -> None:
    story = story_of(DEMOS["pfo"], of=1)
    (note,) = story.notes
    standing = [row for row in tables(story, "seasons") if row[0] == note.season]
    (_season, first, points, best), (_again, second, *level) = (row[:4] for row in standing[:2])
    assert note.winner == first
    assert [points, best] == level
    assert first != second
    missed = [f for f in resolve(read_journal(lines_of(story))) if isinstance(f, facts.RatedSection)]
    assert {fact.section.status for fact in missed} == {"gpp", "mp", "egp", "woc"}


def test_piskvorky_begin_with_two_founding_tournaments_and_have_novices() -> None:
    story = story_of(DEMOS["piskvorky"], of=1)
    first, second = sorted(story.filed, key=lambda filed: filed.section.ends)[:2]
    assert "První" in first.section.event
    assert "Druhý" in second.section.event
    journal = read_journal(lines_of(story))
    state: facts.State[Any] = facts.State()
    for _step in story.ruleset.fold(resolve(journal), state):
        pass
    established = Counter(standing.established for standing in state.standings.values())
    assert established[True] > 60
    assert established[False] > 5


def test_mahjong_shows_every_status_both_coefficients_and_who_is_included_by_a_decision() -> None:
    story = story_of(DEMOS["mahjong"], of=1)
    sections = [filed.section for filed in story.filed]
    statuses = {"city", "region", "national", "special", "foreign", "european", "world"}
    assert {section.status for section in sections} == statuses
    assert {section.coefficient for section in sections} == {None, 1, 2}
    assert any(person.included_by for person in story.people)
    assert any(not person.resident and not person.included_by for person in story.people)
    oldest = min(section.ends for section in sections)
    assert oldest < TODAY.replace(year=TODAY.year - 4)


@pytest.mark.django_db
def test_what_waits_for_a_first_decision_stands_beside_what_has_it(demo: Federation) -> None:
    if demo.ruleset.sections.admission is None:
        pytest.skip("these rules want no decision before play")
    registered = Section.objects.filter(event__federation=demo, stage=Stage.REGISTERED)
    assert {bool(section.permissions) for section in registered} == {True, False}


# ---------------------------------------------------------------- the engine


def test_a_demo_s_journal_names_the_office_as_its_pages_do(settings: Settings) -> None:
    settings.OFFICE_LANGUAGE = ""
    story = invent_story(DEMOS["piskvorky"], today=TODAY, seed=1, scale=0.3)
    [named] = [line for line in story.lines if isinstance(line, facts.Federation)]
    assert named.name == "České piškvorky"


LETTERS = {"cs": "ěščřžýáíéúůďťň", "pl": "ąćęłńóśźż", "ru": "абвгдеёжзийклмнопрстуфхцчшщъыьэюя"}
"""The letters by which a language is told from English."""


@every_demo
def test_the_people_of_a_demo_write_in_their_office_s_own_language(ruleset: Ruleset) -> None:
    equipment = equipment_of(ruleset)
    demo, language = equipment.demo, equipment.office.language
    assert demo
    present = demo.present
    said = [present.exchanged, present.asked, *(live.words for live in present.live if live.words)]
    assert len(said) >= 4
    own = set(LETTERS.get(language, ""))
    assert [words for words in said if bool(own) != bool(own & set(words.lower()))] == []


def test_the_engine_names_no_federation() -> None:
    words = set(DEMOS) | {place for r in DEMOS.values() for place in (r.name, r.country)}
    pattern = re.compile(rf"\b({'|'.join(map(re.escape, sorted(words)))})\b")
    folder_ = Path(ratings.__path__[0])
    files = [*folder_.rglob("*.py"), folder_.parent / "rulesets/demo.py"]
    named = {path.name: pattern.findall(path.read_text(encoding="utf-8")) for path in files}
    assert {name: found for name, found in named.items() if found} == {}
