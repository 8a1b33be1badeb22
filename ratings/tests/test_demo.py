"""The largest demo office: seeded, whole, and with something in every stage."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import date
from decimal import Decimal

import pytest
from django.db import transaction
from django.test import Client, override_settings
from django.utils import timezone

from players.models import Decision, Federation, Ledger, Player as Registered, User
from ratings.demo import office
from ratings.demo.office import demo_folder, list_demo_files_to_upload
from ratings.demo.story import invent_story
from ratings.journal import journal_lines, sealed_line, sealed_lines
from ratings.models import Fact, RatingList, Standing
from ratings.rulesets import rulesets
from ratings.rulesets.demo import months_before
from ratings.rulesets.facts import Player as Particulars
from ratings.rulesets.journal import read_journal, resolve
from ratings.rulesets.journal_lines import write_line
from ratings.verify import verify
from tournaments import section_files
from tournaments.entries import decide_entries
from tournaments.models import Entry, Section, Stage, Upload
from tournaments.submission import submit
from tournaments.uploads import receive_file

pytestmark = pytest.mark.long

TODAY = date(2026, 8, 14)
SCALE, MONTHS = 0.12, 14
START = months_before(MONTHS)(TODAY)
CSA = rulesets()["csa"]
SAID: list[tuple[str, int]] = []
"""What the maker of the demo said, and how many players the register had at that moment."""


def lines(today: date = TODAY, seed: int = 1) -> list[str]:
    story = invent_story(CSA, today=today, seed=seed, scale=SCALE, start=months_before(MONTHS)(today))
    return [write_line(fact, CSA) for fact in story.lines]


def note_said(words: str) -> None:
    SAID.append((words, Registered.objects.count()))


@pytest.fixture(scope="module")
def demo(
    django_db_setup: None, django_db_blocker: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Federation]:
    """Made once for all of these tests, and taken back."""
    var = override_settings(VAR=tmp_path_factory.mktemp("var"))
    with django_db_blocker.unblock(), var, transaction.atomic():  # type: ignore[attr-defined]
        yield office.make_office(CSA, today=TODAY, seed=1, scale=SCALE, start=START, say=note_said)
        transaction.set_rollback(True)


def test_the_same_seed_and_day_tell_the_same_journal() -> None:
    assert lines() == lines()


def test_another_seed_or_day_tells_another() -> None:
    assert lines() != lines(seed=2)
    assert lines() != lines(today=date(2026, 8, 15))


@pytest.mark.parametrize("today", [date(2026, 1, 1), date(2026, 3, 31), date(2028, 2, 29)])
def test_the_journal_is_well_formed_on_any_day(today: date) -> None:
    journal = read_journal(lines(today=today))
    assert max(getattr(fact, "on", None) or date.min for _number, fact in journal.lines) <= today


@pytest.mark.usefixtures("demo")
def test_the_maker_tells_how_many_players_the_register_has() -> None:
    """And not how many people were invented: whoever never played is in no register."""
    (words, _before), (_quarter, registered) = SAID[:2]
    assert words.startswith(f"  {registered} players, ")
    story = invent_story(CSA, today=TODAY, scale=SCALE, start=START)
    assert 0 < registered <= len(story.people)


@pytest.mark.django_db
def test_the_office_is_the_same_for_the_same_seed_and_day(demo: Federation) -> None:
    story = invent_story(CSA, today=TODAY, scale=SCALE, start=START)
    told = [sealed_line(fact, CSA) for fact in story.lines]
    assert list(sealed_lines(demo))[: len(told)] == told
    withheld = {person.number for person in story.people if person.withheld}
    record = read_journal(journal_lines(demo))
    sealed = {
        fact.id for _number, fact in record.lines if isinstance(fact, Particulars) and fact.name is None
    }
    assert sealed == withheld & set(demo.players.values_list("number", flat=True))


@pytest.mark.django_db
def test_nothing_that_is_stored_differs_from_a_replay(demo: Federation) -> None:
    assert verify(demo).differences == []
    assert not Ledger.objects.get(federation=demo).pending


@pytest.mark.django_db
def test_there_is_a_section_in_every_stage_of_what_is_played(demo: Federation) -> None:
    stages = Counter(Section.objects.filter(event__federation=demo).values_list("stage", flat=True))
    assert set(stages) == set(Stage.values) - {Stage.CANCELLED, Stage.WITHDRAWN}
    assert stages[Stage.SUBMITTED] >= 4
    assert stages[Stage.RATED] > 20


@pytest.mark.django_db
def test_every_region_has_players_events_and_an_administrator(demo: Federation) -> None:
    for region in demo.regions.all():
        assert region.players.exists()
        assert region.events.filter(sections__stage=Stage.RATED).exists() or SCALE < 1
        assert demo.appointments.filter(region=region).exists()
    assert demo.regions.count() == 9


@pytest.mark.django_db
def test_a_list_is_published_on_the_first_of_every_month(demo: Federation) -> None:
    days = RatingList.objects.of(demo).filter(track="otb-main").order_by("on").values_list("on", flat=True)
    assert len(days) == MONTHS
    assert all(day.day == 1 for day in days)
    assert days[MONTHS - 1] == date(2026, 8, 1)


@pytest.mark.django_db
def test_a_published_list_bears_the_day_of_its_publication(demo: Federation) -> None:
    first = RatingList.objects.of(demo).order_by("on")[0]
    assert first.published_at.date() == first.on


@pytest.mark.django_db
def test_the_record_tells_decisions_in_order(demo: Federation) -> None:
    told = Decision.objects.filter(federation=demo).order_by("number")
    assert [decision.number for decision in told] == list(range(1, len(told) + 1))
    kinds = {decision.kind for decision in told}
    assert {
        "create",
        "appoint",
        "register",
        "file",
        "submit",
        "approve",
        "publish",
        "unrate",
        "return",
        "refuse",
    } <= kinds


@pytest.mark.django_db
def test_a_section_of_a_published_list_was_rated_again_and_another_is_unrated(demo: Federation) -> None:
    newest = Fact.objects.filter(federation=demo, kind="list").latest("number")
    assert Fact.objects.filter(federation=demo, kind="unrated", number__gt=newest.number).count() == 2
    assert Section.objects.get(event__federation=demo, stage=Stage.UNRATED).remarks


@pytest.mark.django_db
def test_ratings_spread_as_they_do_in_life(demo: Federation) -> None:
    standings = Standing.objects.filter(federation=demo, track="otb-main").exclude(rating=None)
    ratings = sorted(float(standing.rating or 0) for standing in standings)
    assert ratings[0] < 800
    assert 900 < ratings[len(ratings) // 2] < 1500
    assert 1900 < ratings[-1] < 2700


def test_juniors_rise_and_grown_ups_do_not() -> None:
    """From their first official rating in the story to the last."""
    story = invent_story(CSA, today=TODAY, scale=0.3)
    journal = read_journal([write_line(fact, CSA) for fact in story.lines])
    born = {person.number: person.birth.year for person in story.people}
    first: dict[str, Decimal] = {}
    last: dict[str, Decimal] = {}
    for _fact, changes, _state in CSA.fold(resolve(journal)):
        for change in changes:
            if change.track == "otb-main" and change.after.rating is not None:
                last[change.player] = change.after.rating
                first.setdefault(change.player, change.after.rating)
    gains = {number: last[number] - first[number] for number in last if last[number] != first[number]}
    young = [gain for number, gain in gains.items() if born[number] >= TODAY.year - 16]
    grown = [gain for number, gain in gains.items() if born[number] < TODAY.year - 30]
    assert sum(young) / len(young) > 15
    assert sum(grown) / len(grown) < 0
    assert max(young) > 150


# ---------------------------------------------------------------- the newcomer's files


def upload(demo: Federation, region: str) -> Section:
    """File the offered file of a region's event."""
    [(event, name)] = [(e, n) for e, n in list_demo_files_to_upload(demo) if e.region.code == region]
    section = event.sections.get()
    by = User.objects.get(appointments__region__code=region, appointments__federation=demo)
    data = (demo_folder(demo) / name).read_bytes()
    received = receive_file(section=section, by=by, at=timezone.now(), on=TODAY, name=name, data=data)
    section_files.read_upload_without_box(received[0])
    section.refresh_from_db()
    return section


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("region", "dialect", "players"), [("GAU", "Swiss-Manager", 20), ("WCA", "Vega", 16)]
)
def test_an_offered_file_is_read_and_matched_as_it_is_meant(
    demo: Federation, region: str, dialect: str, players: int
) -> None:
    section = upload(demo, region)
    read = Upload.objects.get(section=section)
    assert (read.state, read.dialect) == (Upload.State.READ, dialect)
    assert not section.findings.filter(level="blocks").exists()
    matches = Counter(section.entries.values_list("match", flat=True))
    assert matches == {Entry.Match.CERTAIN: players - 3, Entry.Match.DOUBTFUL: 1, Entry.Match.NONE: 2}
    assert section.games.filter(result="+:-").count() == 1
    assert sorted(section.byes.values_list("kind", flat=True)) == ["half", "pairing"]


@pytest.mark.django_db
@pytest.mark.parametrize("region", ["GAU", "WCA"])
def test_the_questions_that_an_offered_file_leaves_are_answered_in_minutes(
    demo: Federation, region: str
) -> None:
    """The details as they are filled in, one decision, two new players: then it can be submitted."""
    section = upload(demo, region)
    section = section_files.save_prefilled_details(section, by=None, on=TODAY)
    doubtful = section.entries.get(match=Entry.Match.DOUBTFUL)
    player = Registered.objects.get(pk=doubtful.candidates[0]["player"])
    decide_entries(
        section=section, chosen={doubtful.number: player}, by=None, on=TODAY, version=section.version
    )
    section.refresh_from_db()
    new = {entry.number: dict[str, str]() for entry in section.entries.filter(match=Entry.Match.NONE)}
    decide_entries(section=section, newcomers=new, by=None, on=TODAY, version=section.version)
    section.refresh_from_db()
    submitted = submit(section=section, by=None, on=TODAY, version=section.version)
    assert submitted.stage == Stage.SUBMITTED
    assert list_demo_files_to_upload(demo) == [
        (event, name) for event, name in list_demo_files_to_upload(demo) if event != section.event
    ]


@pytest.mark.django_db
def test_the_desk_offers_the_file_to_its_own_region(demo: Federation, client: Client) -> None:
    [(_event, name)] = [(e, n) for e, n in list_demo_files_to_upload(demo) if e.region.code == "GAU"]
    client.force_login(User.objects.get(email="amahle@example.org"))
    assert f"/csa/demo-file/{name}/" in client.get("/csa/desk/").content.decode()
    response = client.get(f"/csa/demo-file/{name}/")
    assert b"".join(response.streaming_content) == (demo_folder(demo) / name).read_bytes()  # type: ignore[attr-defined]
    client.force_login(User.objects.get(email="pieter@example.org"))
    assert name not in client.get("/csa/desk/").content.decode()


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["secret_key", "db.sqlite3", "2026-001_nothing.txt"])
def test_no_other_file_is_to_be_had(demo: Federation, client: Client, name: str) -> None:
    client.force_login(User.objects.get(email="amahle@example.org"))
    assert client.get(f"/csa/demo-file/{name}/").status_code == 404
