"""The ledger: the row is the job, done once, whole, and from the first fact that differs."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest
from django.db import OperationalError, connection, transaction
from django.db.utils import DatabaseError
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from players.models import Decision, Federation, Ledger, Player, User
from players.record import Refused
from ratings import approval, people, publication, recompute as run_recompute, tasks
from ratings.intake import import_journal
from ratings.journal import journal_lines
from ratings.models import Change, Fact, RatingList, Standing
from ratings.recompute import FoldFailed, Progress, plan_steps, recompute
from ratings.rulesets import facts, journal
from ratings.rulesets.facts import name_seal
from ratings.tests.office import FIRST, approved, published, recompute_all, register, stored, submitted
from ratings.verify import verify
from tournaments.models import Section, Stage

pytestmark = [pytest.mark.django_db, pytest.mark.servers]


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let work that the database failed be tried again without a pause."""
    monkeypatch.setattr(tasks, "PAUSES", (0.0, 0.0, 0.0))


def replayed(federation: Federation) -> facts.State[Any]:
    """The state that a replay of the exported journal gives."""
    ordered = journal.resolve(journal.read_journal(journal_lines(federation)))
    *_, (_, _, state) = federation.ruleset.fold(ordered)
    return state


def assert_equals_replay(federation: Federation) -> None:
    state = replayed(federation)
    shown = {
        (number, track): (rating, games)
        for number, track, rating, games in Standing.objects.filter(federation=federation).values_list(
            "player__number", "track", "rating", "games"
        )
    }
    assert shown == {key: (standing.rating, standing.games) for key, standing in state.standings.items()}


def test_an_approval_writes_the_changed_players_then_the_section_then_rated(csa: Federation) -> None:
    section = submitted(csa, register(csa, 8))
    approved(section)
    kinds = list(Fact.objects.filter(federation=csa).values_list("kind", flat=True))
    assert kinds == ["federation", *["player"] * 8, "section", "rated"]
    section.refresh_from_db()
    assert section.stage == Stage.RATED


def test_a_second_approval_writes_only_the_players_whose_particulars_changed(csa: Federation) -> None:
    players = register(csa, 8)
    approved(submitted(csa, players))
    players[3].nation = "NAM"
    players[3].save()
    before = Ledger.objects.get().facts
    approved(submitted(csa, players, number="2024-002", ends=FIRST + timedelta(days=7)))
    assert list(Fact.objects.filter(number__gt=before).values_list("kind", flat=True)) == [
        "player",
        "section",
        "rated",
    ]


def test_the_office_shows_what_a_replay_of_its_journal_gives(csa: Federation) -> None:
    players = register(csa, 12)
    for week in range(4):
        approved(
            submitted(csa, players, number=f"2024-00{week}", ends=FIRST + timedelta(weeks=week), seed=week)
        )
    published(csa, date(2024, 4, 1))
    approved(submitted(csa, players, number="2024-009", ends=date(2024, 4, 5), seed=9))
    assert_equals_replay(csa)
    assert verify(csa).differences == []


def test_every_entrant_has_a_change_in_each_track_that_the_section_updates(csa: Federation) -> None:
    approved(submitted(csa, register(csa, 8)))
    assert Change.objects.count() == 8 * 4
    assert set(Change.objects.values_list("track", flat=True)) == {
        "otb-main",
        "otb-standard",
        "hyb-main",
        "hyb-standard",
    }


def test_woken_again_there_is_nothing_to_do(csa: Federation) -> None:
    approved(submitted(csa, register(csa, 8)))
    before = stored(csa)
    assert recompute(csa) is False
    tasks.sweep()
    assert stored(csa) == before


def test_an_unrated_section_leaves_what_the_office_would_have_without_it(csa: Federation) -> None:
    players = register(csa, 12)
    approved(submitted(csa, players, seed=1))
    middle = submitted(csa, players, number="2024-002", ends=FIRST + timedelta(days=7), seed=2)
    approved(middle)
    approved(submitted(csa, players, number="2024-003", ends=FIRST + timedelta(days=14), seed=3))
    with_it = stored(csa)
    middle.refresh_from_db()
    approval.unrate(
        section=middle,
        by=None,
        on=date(2024, 3, 30),
        version=middle.version,
        reason="result",
        words="wrong results",
        after_list=True,
    )
    recompute_all(csa)
    assert stored(csa) != with_it
    assert not Change.objects.filter(fact__section=middle).exists()
    assert_equals_replay(csa)
    assert verify(csa).differences == []


def test_unrating_the_only_section_leaves_nobody_with_a_standing(csa: Federation) -> None:
    section = submitted(csa, register(csa, 8))
    approved(section)
    section.refresh_from_db()
    approval.unrate(
        section=section,
        by=None,
        on=date(2024, 4, 1),
        version=section.version,
        reason="result",
        words="a mistake",
        after_list=True,
    )
    recompute_all(csa)
    assert stored(csa) == ([], [])


def test_a_section_that_is_rated_anew_stands_at_its_new_place(csa: Federation) -> None:
    players = register(csa, 8)
    section = submitted(csa, players)
    approved(section)
    section.refresh_from_db()
    approval.unrate(
        section=section,
        by=None,
        on=date(2024, 3, 10),
        version=section.version,
        reason="result",
        words="round 2",
        after_list=True,
    )
    Section.objects.filter(pk=section.pk).update(stage=Stage.SUBMITTED)
    fact = approved(section, on=date(2024, 3, 11))
    assert list(Fact.objects.filter(kind="rated").exclude(folded="")) == [fact]
    assert verify(csa).differences == []


def test_a_recompute_starts_at_the_first_fact_that_differs(csa: Federation) -> None:
    players = register(csa, 8)
    approved(submitted(csa, players))
    later = submitted(csa, players, number="2024-002", ends=FIRST + timedelta(days=7))
    later.refresh_from_db()
    fact = approval.approve(section=later, by=None, on=date(2024, 3, 12), version=later.version)
    [step] = plan_steps(csa, Ledger.objects.get())
    assert (step.start, [key for key, _ in step.rows], step.from_genesis) == (fact.order, [fact.pk], False)


def test_a_recompute_that_lost_the_race_writes_nothing(
    csa: Federation, monkeypatch: pytest.MonkeyPatch
) -> None:
    section = submitted(csa, register(csa, 8))
    approval.approve(section=section, by=None, on=FIRST, version=0)

    def someone_was_faster(self: object, *args: object) -> None:
        Ledger.objects.filter(federation=csa).update(done=1)

    monkeypatch.setattr("ratings.recompute.Progress.step", someone_was_faster)
    assert recompute(csa) is False
    assert Change.objects.count() == 0
    assert Ledger.objects.get().heartbeat is None


def test_one_recompute_at_a_time_until_its_heartbeat_stops(csa: Federation) -> None:
    section = submitted(csa, register(csa, 8))
    approval.approve(section=section, by=None, on=FIRST, version=0)
    Ledger.objects.update(heartbeat=timezone.now())
    assert recompute(csa) is False
    Ledger.objects.update(heartbeat=timezone.now() - timedelta(seconds=6))
    assert recompute(csa) is True


@pytest.mark.parametrize(("ahead", "tried"), [(timedelta(minutes=29), False), (timedelta(minutes=31), True)])
def test_a_failure_waits_for_half_an_hour_at_most_though_the_clock_was_set_back(
    csa: Federation, ahead: timedelta, tried: bool
) -> None:
    approval.approve(section=submitted(csa, register(csa, 8)), by=None, on=FIRST, version=0)
    Ledger.objects.update(not_before=timezone.now() + ahead)
    tasks.sweep()
    assert Ledger.objects.get().pending != tried


def test_a_recompute_in_hand_is_not_taken_by_another_whoever_is_woken(csa: Federation) -> None:
    approval.approve(section=submitted(csa, register(csa, 8)), by=None, on=FIRST, version=0)
    held = run_recompute._claim(csa)
    assert held is not None
    tasks.recompute(csa.pk)
    tasks.sweep()
    row = Ledger.objects.get()
    assert (row.pending, row.holder, row.attempts, row.last_error) == (True, held.holder, 1, "")


def test_a_recompute_taken_for_dead_that_writes_first_keeps_the_work(
    csa: Federation, monkeypatch: pytest.MonkeyPatch
) -> None:
    approval.approve(section=submitted(csa, register(csa, 8)), by=None, on=FIRST, version=0)
    step = Progress.step

    def taken_over(self: Progress) -> None:
        Ledger.objects.update(heartbeat=timezone.now() - timedelta(seconds=6))
        run_recompute._claim(csa)
        step(self)

    monkeypatch.setattr(Progress, "step", taken_over)
    assert recompute(csa) is True
    row = Ledger.objects.get()
    assert (row.pending, row.holder, row.heartbeat, row.attempts) == (False, None, None, 0)
    assert_equals_replay(csa)


@pytest.mark.parametrize(
    "busy",
    [
        "ratings.recompute.write",
        "ratings.recompute.Work._load",
        "ratings.recompute.finish",
    ],
)
@pytest.mark.parametrize("error", [OperationalError("database is locked"), MemoryError()])
def test_a_busy_database_and_a_lack_of_memory_are_no_failures_of_the_rules_however_often(
    csa: Federation, monkeypatch: pytest.MonkeyPatch, busy: str, error: Exception
) -> None:
    approval.approve(section=submitted(csa, register(csa, 8)), by=None, on=FIRST, version=0)

    def fails(*_: object, **_more: object) -> None:
        raise error

    with monkeypatch.context() as patched:
        patched.setattr(busy, fails)
        with pytest.raises(type(error)):
            recompute(csa)
        for _n in range(3):
            tasks.sweep()
            row = Ledger.objects.get()
            assert (row.pending, row.last_error, row.not_before) == (True, "", None)
            assert (row.attempts, row.heartbeat, row.folded) == (0, None, 0)
    tasks.sweep()
    assert not Ledger.objects.get().pending
    assert_equals_replay(csa)


@pytest.mark.parametrize(("failures", "worked_off"), [(1, True), (3, True), (4, False)])
def test_work_that_the_database_ended_is_tried_again_at_once_and_in_the_end_left_to_the_sweep(
    csa: Federation, monkeypatch: pytest.MonkeyPatch, failures: int, worked_off: bool
) -> None:
    approval.approve(section=submitted(csa, register(csa, 8)), by=None, on=FIRST, version=0)
    failed: list[str] = []

    def gone_at_first(*given: Any, **more: Any) -> Any:
        if len(failed) < failures:
            failed.append("a connection")
            raise OperationalError("the connection was closed")
        return plan_steps(*given, **more)

    monkeypatch.setattr(run_recompute, "plan_steps", gone_at_first)
    tasks.recompute(csa.pk)
    assert Ledger.objects.get().pending is not worked_off
    assert Ledger.objects.get().attempts == 0 or worked_off
    tasks.sweep()
    assert not Ledger.objects.get().pending
    assert_equals_replay(csa)


@pytest.mark.parametrize("error", [OperationalError("database is locked"), ZeroDivisionError("no such day")])
def test_the_sweep_goes_on_where_one_office_stops_it(
    csa: Federation, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    approval.approve(section=submitted(csa, register(csa, 8)), by=None, on=FIRST, version=0)

    def fails(_office: Federation) -> None:
        raise error

    monkeypatch.setattr("ratings.recompute.request_if_calendar_moved", fails)
    tasks.sweep()
    assert not Ledger.objects.get().pending


@pytest.mark.parametrize(("attempts", "minutes"), [(0, 1), (1, 5), (2, 30), (9, 30)])
def test_after_each_failure_of_the_rules_the_next_attempt_waits_longer(
    csa: Federation, monkeypatch: pytest.MonkeyPatch, attempts: int, minutes: int
) -> None:
    approval.approve(section=submitted(csa, register(csa, 8)), by=None, on=FIRST, version=0)
    Ledger.objects.update(attempts=attempts)
    monkeypatch.setattr("ratings.rulesets.ruleset.Ruleset.apply", None)
    before = timezone.now()
    with pytest.raises(FoldFailed):
        recompute(csa)
    row = Ledger.objects.get()
    assert row.attempts == attempts + 1
    assert row.not_before is not None
    assert timedelta() <= row.not_before - before - timedelta(minutes=minutes) < timedelta(seconds=30)


def test_a_failure_of_the_rules_stands_on_the_ledger_with_its_section_and_waits(
    csa: Federation, monkeypatch: pytest.MonkeyPatch
) -> None:
    section = submitted(csa, register(csa, 8))
    approval.approve(section=section, by=None, on=FIRST, version=0)

    def broken(self: object, state: object, fact: object) -> None:
        raise ZeroDivisionError("nobody played")

    monkeypatch.setattr("ratings.rulesets.ruleset.Ruleset.apply", broken)
    with pytest.raises(FoldFailed, match="2024-001/A"):
        recompute(csa)
    ledger = Ledger.objects.get()
    assert "2024-001/A" in ledger.last_error
    assert ledger.pending
    assert ledger.attempts == 1
    assert ledger.not_before is not None
    monkeypatch.undo()
    tasks.sweep()
    assert Ledger.objects.get().pending, "the sweep waits until `not_before`"
    Ledger.objects.update(not_before=timezone.now() - timedelta(seconds=1))
    tasks.sweep()
    ledger.refresh_from_db()
    assert (ledger.pending, ledger.last_error, ledger.attempts) == (False, "", 0)


def test_an_approval_on_an_older_page_is_refused(csa: Federation) -> None:
    section = submitted(csa, register(csa, 8))
    Section.objects.update(version=3)
    with pytest.raises(Refused, match="Somebody else acted first"):
        approval.approve(section=section, by=None, on=FIRST, version=2)
    assert Fact.objects.count() == 0


def test_a_section_that_the_journal_would_not_take_is_refused_before_anything_is_written(
    csa: Federation,
) -> None:
    section = submitted(csa, register(csa, 8))
    section.games.filter(round=2).update(round=1)
    with pytest.raises(Refused, match="journal does not take"):
        approval.approve(section=section, by=None, on=FIRST, version=0)
    assert Fact.objects.count() == 0


def test_a_section_faster_than_five_minutes_is_refused_with_its_clause(csa: Federation) -> None:
    section = submitted(csa, register(csa, 8))
    section.particulars["time_controls"] = [{"minutes": ["4.9"], "increment": 0}]
    section.save()
    with pytest.raises(Refused, match="Clause 23"):
        approval.approve(section=section, by=None, on=FIRST, version=0)


@pytest.mark.parametrize("stage", [stage for stage in Stage if stage != Stage.SUBMITTED])
def test_only_a_submitted_section_is_approved(csa: Federation, stage: Stage) -> None:
    section = submitted(csa, register(csa, 8))
    Section.objects.update(stage=stage)
    with pytest.raises(Refused):
        approval.approve(section=section, by=None, on=FIRST, version=0)
    assert not Decision.objects.exists()


def test_with_four_eyes_whoever_submitted_does_not_approve(
    csa: Federation, nomsa: User, thandi: User
) -> None:
    csa.settings = {"four_eyes": True}
    csa.save()
    section = submitted(csa, register(csa, 8))
    Section.objects.update(submitted_by=nomsa)
    with pytest.raises(Refused, match="Another official has to approve it"):
        approval.approve(section=section, by=nomsa, on=FIRST, version=0)
    approval.approve(section=section, by=thandi, on=FIRST, version=0)


def test_a_list_is_not_published_while_ratings_are_being_recomputed(csa: Federation) -> None:
    section = submitted(csa, register(csa, 8))
    approval.approve(section=section, by=None, on=FIRST, version=0)
    with pytest.raises(Refused, match="recomputed"):
        publication.publish_list(federation=csa, by=None, on=date(2024, 4, 1))
    recompute_all(csa)
    assert published(csa, date(2024, 4, 1)) == []  # nobody has ten games yet


def test_a_day_that_was_closed_with_nobody_listed_is_closed_all_the_same(csa: Federation) -> None:
    approved(submitted(csa, register(csa, 8)))
    assert published(csa, date(2024, 4, 1)) == []
    with pytest.raises(Refused, match="already"):
        publication.publish_list(federation=csa, by=None, on=date(2024, 4, 1))


def test_a_published_list_holds_its_rows_its_bytes_and_their_checksum(csa: Federation) -> None:
    players = register(csa, 8)
    for week in range(2):
        approved(
            submitted(csa, players, number=f"2024-00{week}", ends=FIRST + timedelta(weeks=week), seed=week)
        )
    lists = published(csa, date(2024, 4, 1))
    assert {rating_list.track for rating_list in lists} == {
        "otb-main",
        "otb-standard",
        "hyb-main",
        "hyb-standard",
    }
    for rating_list in lists:
        rows = rating_list.rows.order_by("position")
        assert [row.position for row in rows] == list(range(1, 9))
        assert sorted((row.rating for row in rows), reverse=True) == [row.rating for row in rows]
        assert len(bytes(rating_list.content).splitlines()) == rating_list.players == 8


def test_the_same_day_is_not_published_twice(csa: Federation) -> None:
    players = register(csa, 8)
    for week in range(2):
        approved(
            submitted(csa, players, number=f"2024-00{week}", ends=FIRST + timedelta(weeks=week), seed=week)
        )
    published(csa, date(2024, 4, 1))
    with pytest.raises(Refused, match="already"):
        publication.publish_list(federation=csa, by=None, on=date(2024, 4, 1))


def test_a_published_list_stays_when_what_it_counted_is_unrated(csa: Federation) -> None:
    players = register(csa, 8)
    sections = [
        submitted(csa, players, number=f"2024-00{week}", ends=FIRST + timedelta(weeks=week), seed=week)
        for week in range(3)
    ]
    for section in sections:
        approved(section)
    before = {row.pk: row.sha256 for row in published(csa, date(2024, 4, 1))}
    sections[2].refresh_from_db()
    approval.unrate(
        section=sections[2],
        by=None,
        on=date(2024, 4, 2),
        version=sections[2].version,
        reason="result",
        words="wrong file",
        after_list=True,
    )
    recompute_all(csa)
    assert {row.pk: row.sha256 for row in RatingList.objects.all()} == before
    assert verify(csa).differences == []


def test_nothing_is_unrated_below_a_list_that_is_not_drawn_up_yet(csa: Federation) -> None:
    players = register(csa, 8)
    sections = [
        submitted(csa, players, number=f"2024-00{week}", ends=FIRST + timedelta(weeks=week), seed=week)
        for week in range(3)
    ]
    approved(sections[0])
    approved(sections[1])
    publication.publish_list(federation=csa, by=None, on=date(2024, 4, 1))
    sections[1].refresh_from_db()
    with pytest.raises(Refused, match="drawn up"):
        approval.unrate(
            section=sections[1],
            by=None,
            on=date(2024, 4, 1),
            version=sections[1].version,
            reason="result",
            words="wrong file",
            after_list=True,
        )
    approval.approve(section=sections[2], by=None, on=date(2024, 4, 1), version=0)
    recompute_all(csa)
    sections[1].refresh_from_db()
    approval.unrate(
        section=sections[1],
        by=None,
        on=date(2024, 4, 1),
        version=sections[1].version,
        reason="result",
        words="wrong file",
        after_list=True,
    )
    recompute_all(csa)
    assert verify(csa).differences == []


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE ratings_ratinglist SET note = 'better'",
        "DELETE FROM ratings_listrow",
        "UPDATE ratings_listrow SET rank = 1",
        "UPDATE ratings_fact SET line = '{}'",
        "DELETE FROM ratings_fact",
        "UPDATE players_decision SET kind = 'x'",
    ],
)
def test_the_database_refuses_to_change_what_is_written_once(csa: Federation, statement: str) -> None:
    players = register(csa, 8)
    for week in range(2):
        approved(submitted(csa, players, number=f"2024-00{week}", ends=FIRST + timedelta(weeks=week)))
    published(csa, date(2024, 4, 1))
    with (
        pytest.raises(DatabaseError, match="written once"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(statement)


def test_verify_names_a_rating_that_was_written_by_hand(csa: Federation) -> None:
    approved(submitted(csa, register(csa, 12), rounds=11))
    standing = Standing.objects.exclude(rating=None).order_by("pk")[0]
    assert standing.rating is not None
    Standing.objects.filter(pk=standing.pk).update(rating=standing.rating + 1)
    report = verify(csa)
    assert len(report.differences) == 1
    assert standing.player.number in report.differences[0]


def test_days_never_go_backwards_in_the_journal_whatever_the_clock_does(csa: Federation) -> None:
    players = register(csa, 8)
    approved(submitted(csa, players), on=date(2024, 3, 9))
    fact = approved(submitted(csa, players, number="2024-002"), on=date(2024, 3, 1))
    assert fact.on == date(2024, 3, 9)


def test_export_import_export_gives_the_same_bytes_and_the_same_ratings(csa: Federation) -> None:
    players = register(csa, 8)
    first = submitted(csa, players)
    approved(first)
    approved(submitted(csa, players, number="2024-002", ends=FIRST + timedelta(days=7), seed=2))
    published(csa, date(2024, 4, 1))
    first.refresh_from_db()
    approval.unrate(
        section=first,
        by=None,
        on=date(2024, 4, 2),
        version=first.version,
        reason="result",
        words="wrong results",
        after_list=True,
    )
    recompute_all(csa)
    lines, ratings = list(journal_lines(csa)), stored(csa)
    renamed = [line.replace('"code":"csa"', '"code":"twin"') for line in lines]
    twin = import_journal(journal.read_journal(renamed), on=date(2024, 5, 1))
    recompute_all(twin)
    assert list(journal_lines(twin)) == renamed
    assert stored(twin) == ratings
    assert verify(twin).differences == []


def test_a_journal_is_not_imported_into_an_office_that_holds_something(csa: Federation) -> None:
    approved(submitted(csa, register(csa, 8)))
    record = journal.read_journal(journal_lines(csa))
    with pytest.raises(Refused, match="not empty"):
        import_journal(record, on=date(2024, 5, 1))


def test_a_name_that_was_withdrawn_leaves_older_lines_too_and_no_rating_moves(csa: Federation) -> None:
    players = register(csa, 8)
    approved(submitted(csa, players))
    before = replayed(csa)
    players[2].withheld = True
    players[2].save()
    lines = "".join(journal_lines(csa))
    assert players[2].surname not in lines
    assert players[2].salt not in lines
    assert f'"name_seal":"{name_seal(players[2].name, players[2].salt)}"' in lines
    assert replayed(csa).standings == before.standings
    assert verify(csa).differences == []


def test_an_empty_office_has_a_journal_of_one_line(csa: Federation) -> None:
    assert [line[:42] for line in journal_lines(csa)] == ['{"fact":"federation","form":3,"code":"csa"']


def test_a_correction_of_somebody_in_the_journal_is_written_at_once(csa: Federation) -> None:
    players = register(csa, 9)
    approved(submitted(csa, players[:8]))
    before = Ledger.objects.get().facts
    people.correct_player(player=players[8], by=None, on=date(2024, 4, 1), nation="NAM")
    assert Ledger.objects.get().facts == before, "who stands in no section is not in the journal yet"
    people.correct_player(player=players[0], by=None, on=date(2024, 4, 1), born=1990, withheld=True)
    assert Ledger.objects.get().facts == before, "no line holds a birth, nor who is withheld"
    people.correct_player(player=players[0], by=None, on=date(2024, 4, 1), nation="NAM")
    newest = Fact.objects.latest("number")
    assert (newest.kind, newest.subject) == ("player", players[0].number)
    assert verify(csa).differences == []


def test_what_was_never_folded_is_not_searched_for_changes(csa: Federation) -> None:
    """An approval on top of everything takes nothing back, so that no table of changes is read for it."""
    people = register(csa, 8)
    approved(submitted(csa, people))
    recompute_all(csa)
    again = submitted(csa, people, number="2026-900", ends=FIRST + timedelta(days=40))
    approval.approve(section=again, by=None, on=FIRST + timedelta(days=41), version=again.version)
    with CaptureQueriesContext(connection) as statements:
        assert recompute(csa)
    table = f'FROM "{Change._meta.db_table}"'
    assert [each["sql"] for each in statements if table in each["sql"]] == []
    assert Change.objects.filter(fact__section=again).exists()


# ---------------------------------------------------------------- a mark that was lost


def with_two_sections_and_a_list(office: Federation) -> list[Section]:
    people = register(office, 12)
    sections = [
        submitted(
            office, people, number=f"2024-00{week}", ends=FIRST + timedelta(weeks=week), rounds=11, seed=week
        )
        for week in range(2)
    ]
    for section in sections:
        approved(section)
    published(office, FIRST + timedelta(days=20))
    return sections


def lose_mark(office: Federation, *kinds: str) -> None:
    lost = Fact.objects.filter(federation=office, kind__in=kinds).update(folded="")
    assert lost
    assert any("is not folded" in words for words in verify(office).differences)


@pytest.mark.parametrize("kinds", [("rated",), ("list",), ("rated", "list")], ids=" and ".join)
@pytest.mark.parametrize(
    "ends", [FIRST - timedelta(days=9), FIRST + timedelta(days=40)], ids=["before", "after"]
)
def test_a_line_whose_mark_of_the_fold_was_lost_is_folded_anew_by_the_next_recompute(
    csa: Federation, kinds: tuple[str, ...], ends: date
) -> None:
    with_two_sections_and_a_list(csa)
    lose_mark(csa, *kinds)
    people = list(Player.objects.filter(federation=csa).order_by("number"))
    approved(submitted(csa, people, number="2024-900", ends=ends), on=FIRST + timedelta(days=50))
    assert verify(csa).differences == []
    assert RatingList.objects.count() == len(set(RatingList.objects.values_list("track")))
    assert_equals_replay(csa)


def test_a_section_whose_mark_was_lost_is_unrated_like_any_other(csa: Federation) -> None:
    first, _second = with_two_sections_and_a_list(csa)
    lose_mark(csa, "rated")
    first.refresh_from_db()
    on = FIRST + timedelta(days=30)
    approval.unrate(
        section=first, by=None, on=on, version=first.version, reason="result", words="slip", after_list=True
    )
    recompute_all(csa)
    assert verify(csa).differences == []
    assert_equals_replay(csa)


def test_a_list_whose_mark_was_lost_keeps_nobody_from_unrating_what_lies_below_it(csa: Federation) -> None:
    first, _second = with_two_sections_and_a_list(csa)
    lose_mark(csa, "list")
    first.refresh_from_db()
    on = FIRST + timedelta(days=30)
    approval.unrate(
        section=first, by=None, on=on, version=first.version, reason="result", words="slip", after_list=True
    )
