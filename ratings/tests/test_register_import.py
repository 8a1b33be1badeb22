"""A table for the register: compared row by row, confirmed by a person, written at once or not at all."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import OperationalError
from django.utils import timezone

from players import jobs
from players.models import (
    BirthDate,
    Decision,
    Federation,
    Identifier,
    Ledger,
    NameWord,
    Player,
    RegisterImport,
)
from players.names import keys_of_name
from players.record import Refused
from players.register import get_former_names
from players.register_table import MESSAGES, describe_problem
from ratings import people, register_import
from ratings.models import Change, Fact, Standing
from ratings.rulesets import journal_lines
from ratings.tests.office import approved, register, submitted
from ratings.tests.register_tables import (
    LWAZI,
    THABO,
    TODAY,
    confirmed,
    csv_table,
    enter,
    found,
    planned,
    received,
    some_players,
    written,
    xlsx_table,
)
from tests.built_once import built_once
from tournaments.box import BoxDied

pytestmark = [pytest.mark.django_db, pytest.mark.servers]
HEAD = "number,surname,first_name,sex,birth,nation,region,title,fide_id"


@pytest.fixture(autouse=True)
def nobody_is_woken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("players.jobs._send", lambda task, key: None)


@pytest.fixture
@built_once
def office(csa: Federation) -> Federation:
    some_players(csa)
    return csa


def stored() -> list[Any]:
    models = (Player, BirthDate, Identifier, Fact, Decision)
    return [list(model.objects.order_by("pk").values_list()) for model in models]


# ---------------------------------------------------------------- the dry run


def test_a_dry_run_shows_before_and_after_and_writes_nothing(office: Federation) -> None:
    before = stored()[:4]
    job = planned(
        office,
        HEAD,
        f"{THABO},Dlamini,Thabo,m,2008-05-03,RSA,WCA,FM,14300001",
        f"{LWAZI},Naidoo,Lwazi",
        ",Botha,Nomsa,f,1990,RSA,GAU,,",
    )
    assert (job.state, job.counts) == ("planned", {"new": 1, "changed": 1, "unchanged": 1, "problem": 0})
    changed, unchanged, new = job.lines.all()
    assert changed.changes == {"region": ["GAU", "WCA"], "title": ["", "FM"]}
    assert (unchanged.line, unchanged.number, unchanged.changes) == (3, LWAZI, {})
    assert new.changes["birth"] == ["", "1990"]
    assert stored()[:4] == before


def test_whom_a_table_brings_or_renames_is_found_by_each_word_of_the_new_name(office: Federation) -> None:
    written(office, HEAD, ",Mokoena,Nomsa,f,1990,RSA,GAU,,", f"{LWAZI},Khumalo-Naidoo,Lwazi,,,,,,")
    for player in Player.objects.of(office):
        kept = NameWord.objects.filter(player=player, former=None).values_list("key", flat=True)
        assert sorted(kept) == sorted(keys_of_name(player.surname, player.first_name))
    for wanted, number in (("nomsa mokoena", None), ("lwazi khumalo", LWAZI)):
        [one] = Player.objects.of(office).matching(wanted)
        assert number in (None, one.number)


def test_rows_are_known_by_another_id_where_they_have_no_number(office: Federation) -> None:
    job = planned(office, "fide_id,title", "14300001,CM")
    [line] = job.lines.all()
    assert (line.number, line.changes) == (THABO, {"title": ["", "CM"]})


def test_an_empty_cell_keeps_what_is_there_and_a_dash_takes_it_away(office: Federation) -> None:
    written(office, "number,sex,birth,nation,fide_id", f"{THABO},,-,-,-", f"{LWAZI},f,,,")
    thabo = Player.objects.get(number=THABO)
    assert (thabo.sex, thabo.born, thabo.nation, thabo.identifiers.count()) == ("m", None, "", 0)
    assert not BirthDate.objects.filter(player=thabo).exists()


def test_a_year_says_nothing_new_where_the_day_is_known(office: Federation) -> None:
    assert planned(office, "number,birth", f"{THABO},2008").counts["unchanged"] == 1
    job = planned(office, "number,birth", f"{THABO},2009")
    assert job.lines.get().changes == {"birth": ["2008-05-03", "2009"]}


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("101000009,X,Y", ("number", "number-unknown")),
        ("101/9,X,Y", ("number", "number-odd")),
        (f"{THABO},Botha,Thabo,m,1990", ("number", "somebody-else")),
        (",,Nomsa", ("surname", "surname-missing")),
        (",Botha,Nomsa,x", ("sex", "sex-not-read")),
        (",Botha,Nomsa,f,31-13-1990", ("birth", "birth-not-read")),
        (",Botha,Nomsa,f,2026-02-30", ("birth", "birth-not-read")),
        (",Botha,Nomsa,f,2027", ("birth", "birth-not-likely")),
        (",Botha,Nomsa,f,1849", ("birth", "birth-not-likely")),
        (",Botha,Nomsa,f,1990,Nowhere", ("nation", "nation-not-read")),
        (",Botha,Nomsa,f,1990,RSA,XXX", ("region", "region-unknown")),
        (",Botha,Nomsa,f,1990,RSA,GAU,Master", ("title", "too-long")),
        (f",{'B' * 101},Nomsa", ("surname", "too-long")),
        (f",{'B' * 1001},Nomsa", ("surname", "cell-too-long")),
        (f",{'B' * 100},{'N' * 100}", ("first_name", "name-too-long")),
        (f"{LWAZI},,,,,,,,14300001", ("fide_id", "id-of-another")),
        ("new,Botha,Nomsa,f,,,,,14300001", ("fide_id", "id-of-another")),
        (",Dlamini,Thabo,m,2008", ("number", "alike")),
        (f"{THABO},-", ("surname", "cannot-be-emptied")),
        (",Bo\u200btha,Nomsa", ("surname", "odd-character")),
        (",Bo\x07tha,Nomsa", ("surname", "odd-character")),
        (',"Botha,Nomsa', ("", "quote-open")),
        (",Botha,Nomsa,f,1990,RSA,GAU,,,more", ("", "row-too-long")),
    ],
)
def test_what_a_row_has_wrong_is_told_with_row_and_column(
    office: Federation, row: str, problem: tuple[str, str]
) -> None:
    job = planned(office, HEAD, row, f"{LWAZI},Naidoo,Lwazi Themba")
    assert found(job) == [(2, *problem)]
    assert all(describe_problem(each) for line in job.lines.all() for each in line.problems)
    assert job.counts["changed"] == 1


@pytest.mark.parametrize(
    ("head", "row"),
    [
        ("Lp.,Nazwisko,Imię,Płeć,Data urodzenia,Kraj,Ranking", "1,Botha,Nomsa,k,1990,POL,1500"),
        ("příjmení,Jméno,pohlaví,Rok narození,Země", "Botha,Nomsa,ž,1990,POL"),
        ("№,Фамилия,Имя,Пол,Дата рождения,Страна", "1,Botha,Nomsa,ж,1990,POL"),
    ],
)
def test_headings_are_known_in_the_languages_of_the_offices(office: Federation, head: str, row: str) -> None:
    [line] = planned(office, head, row).lines.all()
    wanted = {"surname": "Botha", "first_name": "Nomsa", "sex": "f", "birth": "1990", "nation": "POL"}
    assert {column: after for column, (_before, after) in line.changes.items()} == wanted


def test_kraj_is_a_region_where_all_its_values_are_the_office_s(office: Federation) -> None:
    [line] = planned(office, "surname,Kraj", "Botha,GAU").lines.all()
    assert line.changes["region"] == ["", "GAU"]


@pytest.mark.parametrize(
    ("row", "alike"),
    [
        ("Семенов,Дмитрий,m,1990", True),
        ("Semyonov,Dmitri,m,1990", True),
        ("Dmitry,Semionov,m,1990", True),
        ("Semenova,Dmitry,m,1990", False),
        ("Semenov,Dmitry,m,1991", False),
        ("Semenov,Pyotr,m,1990", False),
    ],
)
def test_nobody_is_new_whose_name_fits_a_player_in_any_spelling_or_order(
    office: Federation, row: str, alike: bool
) -> None:
    enter(office, "101000009", "Semenov, Dmitry", "1990", sex="m")
    told = found(planned(office, "surname,first name,sex,birth", row))
    assert told == ([(2, "number", "alike")] if alike else [])


@pytest.mark.parametrize(
    ("row", "alike"),
    [("Zorro,,1990", True), ("ZORRO,,", True), ("Zorro,,1991", False), ("Zorro,Don,", False)],
)
def test_nobody_is_new_whose_name_without_first_name_is_a_player_s(
    office: Federation, row: str, alike: bool
) -> None:
    enter(office, "101000009", "Zorro, ", "1990")
    told = found(planned(office, "surname,first name,birth", row))
    assert told == ([(2, "number", "alike")] if alike else [])


def test_former_names_of_more_players_than_a_query_takes_are_read(db: None) -> None:
    assert get_former_names(range(1, 200_001)) == {}


def test_births_are_from_1850_to_three_years_ago(office: Federation) -> None:
    job = planned(office, "surname,birth", "Botha,2023-03-09", "Pillay,1850", "Zulu,2023-03-10", "Nel,1849")
    assert job.counts["new"] == 2
    assert [line for line, _column, key in found(job) if key == "birth-not-likely"] == [4, 5]


def test_two_rows_for_one_player_are_told_with_the_first(office: Federation) -> None:
    job = planned(office, HEAD, f"{THABO},,,,,,,FM", ",,,,,,,IM,14300001", ",Botha,Nomsa", ",Botha,Nomsa")
    assert [(line, key) for line, _column, key in found(job)] == [
        (3, "twice"),
        (5, "twice"),
    ]
    assert job.lines.get(line=3).problems[0]["params"] == {"first": 2}


def test_two_rows_do_not_share_an_id(office: Federation) -> None:
    job = planned(office, "surname,fide_id", "Botha,14399999", "Pillay,14399999")
    assert found(job) == [(3, "fide_id", "id-twice")]


def test_a_namesake_is_entered_where_the_row_says_new(office: Federation) -> None:
    assert planned(office, HEAD, "new,Dlamini,Thabo,m,2008").counts["new"] == 1


def test_a_merged_number_leads_to_the_one_that_stays(office: Federation) -> None:
    thabo, lwazi = Player.objects.order_by("number")
    Player.objects.filter(pk=lwazi.pk).update(merged_into=thabo)
    job = planned(office, "number,sex", f"{LWAZI},m")
    assert found(job) == [(2, "number", "number-merged")]
    assert THABO in describe_problem(job.lines.get().problems[0])


def test_headings_are_told_that_are_not_taken_in(office: Federation) -> None:
    job = planned(
        office,
        "UNIQUE_NO,SURNAME,FIRSTNAME,BDATE,SEX,TITLE,RATING,Shoe",
        f"{THABO},Dlamini,Thabo,2008/05/03,M,,2400,44",
    )
    assert job.counts["unchanged"] == 1
    assert [told["key"] for told in job.notices] == ["column-not-taken", "column-unknown"]
    assert all(describe_problem(told) for told in job.notices)


@pytest.mark.parametrize(
    ("head", "key"),
    [
        ("shoe,hat", "no-header"),
        ("sex,birth", "nobody-named"),
        ("surname,Last_Name", "column-twice"),
    ],
)
def test_a_table_whose_headings_name_nobody_waits_to_be_named(
    office: Federation, head: str, key: str
) -> None:
    job = planned(office, head, "a,b")
    assert (job.state, job.reason["key"]) == ("unnamed", key)
    assert describe_problem(job.reason)


def test_a_workbook_gives_the_same_as_a_csv(office: Federation) -> None:
    rows: list[list[Any]] = [
        HEAD.split(","),
        [int(THABO), "Dlamini", "Thabo", None, None, None, "Western Cape", None, 14300001.0],
    ]
    job = received(office, xlsx_table(rows))
    jobs.run("tables", job.pk)
    assert job.lines.get().changes == {"region": ["GAU", "WCA"]}


# ---------------------------------------------------------------- the writing


def test_what_was_confirmed_is_written_with_one_decision(office: Federation) -> None:
    job = written(
        office,
        HEAD,
        f"{THABO},Dlamini,Thabo John,,2008-05-04,,WCA,FM,14300009",
        ",Botha,Nomsa,f,1990-01-02,RSA,GAU,WFM,1",
    )
    assert job.state == "written"
    thabo = Player.objects.get(number=THABO)
    assert (thabo.first_name, thabo.title, thabo.region.code) == ("Thabo John", "FM", "WCA")  # type: ignore[union-attr]
    assert str(thabo.birth_date.day) == "2008-05-04"
    assert [one.value for one in thabo.identifiers.all()] == ["14300009"]
    nomsa = Player.objects.get(surname="Botha")
    assert (nomsa.born, nomsa.name_key, nomsa.registered_on) == (1990, "botha", TODAY)
    assert nomsa.identifiers.get().value == "1"
    decided = Decision.objects.filter(kind="import-register").get()
    assert (decided.details["new"], decided.details["changed"], decided.details["left_out"]) == (1, 1, 0)


def test_new_players_get_the_next_free_numbers(office: Federation) -> None:
    written(office, "surname", "Botha", "Pillay")
    numbers = Player.objects.filter(surname__in=("Botha", "Pillay")).values_list("number", flat=True)
    assert sorted(numbers) == ["101000003", "101000004"]


def test_numbers_are_brought_along_where_somebody_says_so(office: Federation) -> None:
    rows = ("number,surname", ",Botha", "101000003,Pillay", "Z-9,Jacobs")
    assert len(found(planned(office, *rows))) == 2
    written(office, *rows, takes_numbers=True)
    new = Player.objects.exclude(number__in=(THABO, LWAZI))
    assert dict(new.values_list("surname", "number")) == {
        "Pillay": "101000003",
        "Jacobs": "Z-9",
        "Botha": "101000004",
    }


def test_rows_with_problems_stop_the_table_until_somebody_leaves_them_out(office: Federation) -> None:
    rows = ("number,sex", "9,f", f"{LWAZI},f")
    job = planned(office, *rows)
    with pytest.raises(Refused):
        confirmed(job)
    confirmed(job, leave_out=True)
    jobs.run("tables", job.pk)
    assert Player.objects.get(number=LWAZI).sex == "f"
    assert Decision.objects.get(kind="import-register").details["left_out"] == 1


def test_a_table_that_changes_nothing_is_not_confirmed(office: Federation) -> None:
    with pytest.raises(Refused):
        confirmed(planned(office, "number,sex", f"{THABO},m"))


def test_what_was_not_looked_at_is_not_confirmed(office: Federation) -> None:
    job = planned(office, "number,sex", f"{LWAZI},f")
    with pytest.raises(Refused):
        register_import.confirm_register(
            register_import=job, by=None, on=TODAY, seen_digest="0" * 64, leave_out_problems=True
        )


def test_a_register_that_changed_since_makes_a_new_dry_run(office: Federation) -> None:
    job = confirmed(planned(office, "number,sex", f"{LWAZI},f"))
    people.correct_player(player=Player.objects.get(number=LWAZI), by=None, on=TODAY, sex="m")
    jobs.run("tables", job.pk)
    job.refresh_from_db()
    assert (job.state, job.stale) == ("planned", True)
    assert job.lines.get().changes == {"sex": ["m", "f"]}
    assert Player.objects.get(number=LWAZI).sex == "m"


def test_a_decision_during_the_comparison_is_not_overlooked(
    office: Federation, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = confirmed(planned(office, "number,sex", f"{LWAZI},f"))
    into = register_import._into
    meddled: list[Player] = []

    def meddle(*args: Any) -> Any:
        result = into(*args)
        if not meddled:
            player = Player.objects.get(number=LWAZI)
            meddled.append(people.correct_player(player=player, by=None, on=TODAY, sex="m"))
        return result

    monkeypatch.setattr(register_import, "_into", meddle)
    jobs.run("tables", job.pk)
    job.refresh_from_db()
    assert (job.state, job.stale, Player.objects.get(number=LWAZI).sex) == ("planned", True, "m")


def test_a_table_that_each_round_finds_other_decisions_is_not_written_and_is_given_up(
    office: Federation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In two attempts, each of so many rounds; it can be confirmed again."""
    job = confirmed(planned(office, "number,sex", f"{LWAZI},f"))
    into = register_import._into
    rounds: list[int] = []

    def meddle(*args: Any) -> Any:
        result = into(*args)
        rounds.append(len(rounds))
        people.correct_player(
            player=Player.objects.get(number=THABO), by=None, on=TODAY, born=1980 + len(rounds) % 2
        )
        return result

    monkeypatch.setattr(register_import, "_into", meddle)
    jobs.run("tables", job.pk)
    job.refresh_from_db()
    assert len(rounds) == jobs.MOST_ATTEMPTS * jobs.MOST_TRIES
    assert (job.state, job.attempts, job.reason["key"]) == ("planned", 2, "not-written")
    assert Player.objects.get(number=LWAZI).sex != "f"
    monkeypatch.undo()
    jobs.run("tables", confirmed(job).pk)
    assert Player.objects.get(number=LWAZI).sex == "f"


# ---------------------------------------------------------------- the journal


def test_who_stands_in_the_journal_gets_a_line_and_no_rating_moves(csa: Federation) -> None:
    players = register(csa, 8)
    approved(submitted(csa, players[:6]))
    lines, changes = Fact.objects.count(), list(Change.objects.order_by("pk").values_list())
    standings = list(Standing.objects.order_by("pk").values_list())
    written(
        csa,
        "number,nation,birth,title",
        f"{players[0].number},NAM,1970,FM",
        f"{players[1].number},,1980,FM",
        f"{players[7].number},NAM,1971,",
    )
    assert Fact.objects.count() == lines + 1
    fact = Fact.objects.order_by("number").last()
    assert fact is not None
    assert (fact.kind, fact.subject) == ("player", players[0].number)
    assert '"nation":"NAM"' in fact.line
    assert "1970" not in fact.line
    assert Ledger.objects.get(federation=csa).facts == fact.number
    assert list(Change.objects.order_by("pk").values_list()) == changes
    assert list(Standing.objects.order_by("pk").values_list()) == standings


def test_whatever_is_taken_in_the_journal_can_hold(office: Federation) -> None:
    long = "é" * 100
    written(
        office,
        HEAD,
        f"X-1,{long},{long[:99]},f,1990,RSA,GAU,WFM,7",
        ',\'=Botha,"No""msa",F,1990/00/00,rsa,gauteng,wfm,8',
        takes_numbers=True,
    )
    from players.register import player_fact

    assert Player.objects.count() == 4
    for player in Player.objects.select_related("federation", "region"):
        line = journal_lines.write_line(player_fact(player), office.ruleset)
        assert journal_lines.parse_line(line, office.ruleset) == player_fact(player)


# ---------------------------------------------------------------- the row is the job


def test_the_sweep_does_what_no_message_announced(office: Federation) -> None:
    job = received(office, csv_table("number,sex", f"{LWAZI},f"))
    jobs.sweep("files")
    job.refresh_from_db()
    assert job.state == "planned"
    confirmed(job)
    jobs.sweep("files")
    jobs.sweep("files")
    job.refresh_from_db()
    assert (job.state, Decision.objects.filter(kind="import-register").count()) == ("written", 1)


@pytest.mark.parametrize(("silent", "taken"), [(59, False), (61, True)])
def test_a_worker_silent_for_a_minute_is_dead(office: Federation, silent: int, taken: bool) -> None:
    job = received(office, csv_table("number,sex", f"{LWAZI},f"))
    jobs.claim_step("tables", job.pk)
    RegisterImport.objects.update(heartbeat=timezone.now() - timedelta(seconds=silent))
    jobs.sweep("files")
    job.refresh_from_db()
    assert (job.state == "planned") == taken


def test_after_two_deaths_a_table_is_refused_and_says_why(
    office: Federation, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dies(*args: Any, **kwargs: Any) -> None:
        raise BoxDied("box-memory")

    monkeypatch.setattr(register_import, "table_boxed", dies)
    job = received(office, csv_table("number", LWAZI))
    jobs.run("tables", job.pk)
    job.refresh_from_db()
    assert (job.state, job.attempts, job.reason["key"]) == ("refused", 2, "box-memory")


def test_a_table_in_hand_is_not_taken_by_another_whoever_is_woken(office: Federation) -> None:
    job = received(office, csv_table("number", LWAZI))
    assert jobs.claim_step("tables", job.pk) is not None
    assert jobs.claim_step("tables", job.pk) is None
    jobs.run("tables", job.pk)
    jobs.sweep("files")
    job.refresh_from_db()
    assert (job.state, job.attempts) == ("reading", 1)


@pytest.mark.parametrize(
    ("of_the_writing", "state", "reason"), [(False, "refused", "box-crash"), (True, "planned", "not-written")]
)
def test_a_table_whose_workers_were_killed_twice_is_given_up(
    office: Federation, of_the_writing: bool, state: str, reason: str
) -> None:
    job = received(office, csv_table("number,sex", f"{LWAZI},f"))
    if of_the_writing:
        jobs.run("tables", job.pk)
        job.refresh_from_db()
        confirmed(job)
    for _n in range(2):
        assert jobs.claim_step("tables", job.pk) is not None
        RegisterImport.objects.update(heartbeat=timezone.now() - timedelta(minutes=5))
    jobs.sweep("files")
    job.refresh_from_db()
    assert (job.state, job.reason["key"]) == (state, reason)
    assert not Decision.objects.filter(kind="import-register").exists()


@pytest.mark.parametrize("busy", ["_into", "table_boxed"])
def test_a_database_that_is_busy_is_no_fault_of_the_table_however_often(
    office: Federation, monkeypatch: pytest.MonkeyPatch, busy: str
) -> None:
    def locked(*_: object, **_more: object) -> None:
        raise OperationalError("database is locked")

    job = received(office, csv_table("number,sex", f"{LWAZI},f"))
    with monkeypatch.context() as patched:
        patched.setattr(register_import, busy, locked)
        for _n in range(3):
            jobs.sweep("files")
            job.refresh_from_db()
            assert (job.state, job.attempts, job.reason) == ("waiting", 0, {})
    jobs.sweep("files")
    job.refresh_from_db()
    assert (job.state, job.attempts) == ("planned", 1)


def test_a_database_that_is_busy_while_writing_leaves_the_table_confirmed(
    office: Federation, monkeypatch: pytest.MonkeyPatch
) -> None:
    def locked(*_: object) -> None:
        raise OperationalError("database is locked")

    job = confirmed(planned(office, "number,sex", f"{LWAZI},f"))
    with monkeypatch.context() as patched:
        patched.setattr(register_import, "lock_ledger", locked)
        for _n in range(3):
            jobs.sweep("files")
            job.refresh_from_db()
            assert (job.state, job.attempts, job.reason) == ("confirmed", 0, {})
    jobs.sweep("files")
    job.refresh_from_db()
    assert (job.state, job.attempts) == ("written", 1)


@pytest.mark.parametrize("failing", ["decide", "take_stock"])
def test_a_worker_that_dies_while_writing_leaves_nothing_half_written(
    office: Federation, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    job = confirmed(planned(office, HEAD, f"{THABO},,,,1999,,WCA,FM,5", ",Botha,Nomsa"))
    before = stored()

    def dies(*args: Any, **kwargs: Any) -> None:
        raise OperationalError("the line is dead")

    with monkeypatch.context() as patched:
        patched.setattr(register_import, "MANY", 0)
        patched.setattr(register_import, failing, dies)
        jobs.run("tables", job.pk)
    job.refresh_from_db()
    if failing == "decide":
        assert stored() == before
        assert job.state == "confirmed"
    jobs.sweep("files")
    job.refresh_from_db()
    assert job.state == "written"
    assert Player.objects.filter(surname="Botha").count() == 1


def test_one_table_at_a_time_and_a_later_one_takes_the_place_of_one_not_confirmed(office: Federation) -> None:
    first = received(office, csv_table("number,sex", f"{LWAZI},f"))
    with pytest.raises(Refused):
        received(office, csv_table("number", LWAZI))
    jobs.run("tables", first.pk)
    received(office, csv_table("number", LWAZI))
    first.refresh_from_db()
    assert (first.state, first.content, first.lines.count()) == ("discarded", None, 0)


def test_a_table_that_is_let_go_leaves_no_births(office: Federation) -> None:
    job = planned(office, HEAD, ",Botha,Nomsa,f,1990-01-02")
    register_import.discard_register(register_import=job, by=None, on=TODAY)
    job.refresh_from_db()
    assert (job.state, job.content, job.reading, job.lines.count()) == ("discarded", None, None, 0)
    with pytest.raises(Refused):
        register_import.discard_register(register_import=job, by=None, on=TODAY)


@pytest.mark.parametrize("words", MESSAGES.values())
def test_every_word_is_a_whole_sentence(words: str) -> None:
    assert words.endswith(".") or words == "%(why)s", "what refuses openings is a sentence of its own"
