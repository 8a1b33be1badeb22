"""A past that moves in: event files and a table become lines of the journal, all at once or not at all."""

from __future__ import annotations

import csv
import io
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import transaction
from django.utils import timezone

from players import jobs
from players.models import BirthDate, Decision, Federation, Identifier, Ledger, Player, Region
from players.record import Refused
from players.settings import today
from ratings import history as work_on_history
from ratings.as_if import Effects
from ratings.journal import AFTER_EVERYTHING
from ratings.models import Fact, Standing, first_own_line
from ratings.moving import export_office, import_office
from ratings.replay import replay
from ratings.results import state_before
from ratings.statement import read_balances
from tests.built_once import built_once
from tournaments import box, history as read_files, history_plan
from tournaments.formats.sheet import Reading, SheetPlayer
from tournaments.history import answer, confirm_history, pack_folder, read_answers, receive_history
from tournaments.models import (
    Entry,
    Event,
    History,
    HistoryAnswer,
    HistoryFile,
    HistoryState,
    Section,
    Stage,
    Upload,
)
from tournaments.tests.histories import (
    AYANDA,
    LERATO,
    PIETER,
    PRIYA,
    SIPHO,
    SIX,
    THABO,
    elo,
    folder,
    round_robin,
    table,
    trf,
)
from tournaments.tests.table_files import workbook

MARCH, APRIL, JUNE = date(2021, 3, 6), date(2021, 4, 17), date(2021, 6, 5)
DEFAULTS = {"file": "*", "region": "GAU", "platform": "otb"}
Take = Callable[..., str]
COLUMNS = ("file", "region", "platform", "strike", "leave_out", "rated", "list", "ids", "places")


def past(**further: bytes) -> dict[str, bytes]:
    """Three events of two regions, with a table that answers everything."""
    return {
        "2021/soweto.trf": trf("Soweto Open", MARCH, SIX),
        "2021/durban.trf": trf("Durban Open", APRIL, (PRIYA, THABO, AYANDA, SIPHO)),
        "cape.trf": trf("Cape Open", JUNE, SIX),
        "table.csv": table(COLUMNS, DEFAULTS, {"file": "cape.trf", "region": "WCA"}),
        **further,
    }


@pytest.fixture
def take(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """`take("csa", files, "--dry-run")`: what the command printed."""

    def command(code: str, files: dict[str, bytes], *options: str) -> str:
        there = folder(tmp_path / "past", files)
        call_command("take_history", code, str(there), *options)
        return capsys.readouterr().out

    return command


def exported(code: str, there: Path) -> bytes:
    call_command("export_journal", code, "-o", str(there))
    return there.read_bytes()


# ---------------------------------------------------------------- what comes out


def hand_written(journal: bytes) -> bytes:
    """A journal of the same play written by hand: only ids and salts are taken from the other."""
    people = [line for line in journal.splitlines() if b'"fact":"player"' in line]
    ids = {json.loads(line)["name"]: json.loads(line)["id"] for line in people}
    head = '{"fact":"federation","form":3,"code":"csa","ruleset":"csa","name":"Chess South Africa"}'
    lines = [head, *(line.decode() for line in people)]
    events = (
        ("2021-001/A", "Soweto Open", MARCH, SIX, date(2021, 4, 1)),
        ("2021-002/A", "Durban Open", APRIL, (PRIYA, THABO, AYANDA, SIPHO), date(2021, 5, 1)),
        ("", "", None, (), date(2021, 6, 1)),
        ("2021-003/A", "Cape Open", JUNE, SIX, date(2021, 7, 1)),
    )
    for key, name, day, those, closed in events:
        if day:
            lines.append(json.dumps(_section(key, name, day, those, ids)))
            lines.append(json.dumps({"fact": "rated", "section": key, "on": day.isoformat()}))
        lines.append(json.dumps({"fact": "list", "on": closed.isoformat()}))
    return ("\n".join(lines) + "\n").encode()


PRES = {"Dlamini, Thabo": 1200, "Naidoo, Priya": 600, "Botha, Pieter": 1200}
PRES |= {"Mokoena, Lerato": 400, "Khumalo, Sipho": 700, "Zulu, Ayanda": 1000}


def _section(
    key: str, name: str, day: date, those: tuple[SheetPlayer, ...], ids: dict[str, str]
) -> dict[str, Any]:
    numbers = [ids[each.name] for each in those]
    return {
        "fact": "section",
        "id": key,
        "event": name,
        "name": name,
        "starts": day.isoformat(),
        "ends": day.isoformat(),
        "format": "round-robin",
        "rounds": len(those) - 1,
        "time_control": {"minutes": [90], "increment": 30},
        "platform": "otb",
        "entries": [{"player": ids[each.name], "pre": PRES[each.name]} for each in those],
        "games": [
            {
                "round": game.round,
                "first": numbers[game.first - 1],
                "second": numbers[game.second - 1],
                "result": game.result,
            }
            for game in round_robin(len(those))
        ],
    }


@pytest.mark.parametrize("rows_at_once", [1, 1_000])
def test_a_past_taken_in_by_command_gives_the_ratings_of_a_journal_written_by_hand(
    csa: Federation,
    take: Callable[..., str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    rows_at_once: int,
) -> None:
    monkeypatch.setattr(work_on_history, "BATCH", rows_at_once)
    monkeypatch.setattr(work_on_history, "SECTIONS_AT_ONCE", rows_at_once)
    said = take("csa", past())
    assert "3 files, 3 sections, 36 games, 6 players (6 new)" in said
    journal = exported("csa", tmp_path / "journal")
    by_hand = hand_written(journal)
    day = date(2021, 7, 1)
    ours, theirs = replay(journal, day), replay(by_hand, day)
    assert ours["ratings"] == theirs["ratings"]
    assert any(row["rating"] for row in ours["ratings"])
    call_command("verify", "csa")


def test_its_lines_stand_by_day_with_a_list_each_month_and_taken_over_last(
    csa: Federation, take: Callable[..., str]
) -> None:
    take("csa", past(), "--source", "archive of the club, 2021")
    rows = Fact.objects.filter(federation=csa).exclude(kind__in=("player", "section", "federation"))
    told = [(row.kind, row.on) for row in rows.order_by("number")]
    last = told.pop()
    assert told == [
        ("rated", MARCH),
        ("list", date(2021, 4, 1)),
        ("rated", APRIL),
        ("list", date(2021, 5, 1)),
        ("list", date(2021, 6, 1)),
        ("rated", JUNE),
        ("list", date(2021, 7, 1)),
    ]
    assert last[0] == "taken_over"
    assert "archive of the club, 2021" in Fact.objects.get(federation=csa, kind="taken_over").line


def test_lists_and_days_of_rating_are_the_tables_where_it_names_them(
    csa: Federation, take: Callable[..., str]
) -> None:
    rows = ({"file": "cape.trf", "rated": "2021-08-02"}, {"list": "31.07.2021"}, {"list": "2021-12-31"})
    take("csa", past(**{"table.csv": table(COLUMNS, DEFAULTS, *rows)}))
    dated = Fact.objects.filter(federation=csa, kind__in=("rated", "list")).order_by("number")
    assert list(dated.values_list("kind", "on"))[2:] == [
        ("list", date(2021, 7, 31)),
        ("rated", date(2021, 8, 2)),
        ("list", date(2021, 12, 31)),
    ]


def test_each_event_has_its_line_its_file_and_its_people(csa: Federation, take: Callable[..., str]) -> None:
    files = past()
    take("csa", files)
    cape = Section.objects.get(event__federation=csa, event__name="Cape Open")
    assert (cape.event.region.code, cape.stage, cape.rated_on) == ("WCA", Stage.RATED, JUNE)
    upload = Upload.objects.get(section=cape)
    assert bytes(upload.content or b"") == files["cape.trf"]
    assert upload.sheet.content["players"]
    thabo = Player.objects.get(federation=csa, surname="Dlamini")
    assert (thabo.born, thabo.sex, thabo.nation, thabo.region and thabo.region.code) == (
        1991,
        "m",
        "RSA",
        "GAU",
    )
    assert BirthDate.objects.get(player=thabo).day == THABO.birth
    assert Identifier.objects.get(player=thabo).value == "14300001"
    assert Entry.objects.filter(player=thabo).count() == 3
    decision = Decision.objects.get(federation=csa, kind="take-history")
    assert decision.details["sections"] == 3


POLES = (
    (700, "Nowak", "Anna"),
    (707, "Kowalski", "Jan"),
    (1025, "Lis", "Ola"),
    (5739, "Wilk", "Ewa"),
)
PFO_COLUMNS = ("file", "status", "season", "ids", "places", "strike")


def othello(strike: str = "") -> dict[str, bytes]:
    """A season of othello in two dialects, one with places from its points."""
    every = {"file": "*", "status": "gpp", "season": "2019/2020", "places": "points"}
    return {
        "wiosna.elo": elo("Wiosna Open", date(2020, 3, 7), POLES),
        "lato.elo": elo("Lato Open", date(2020, 6, 6), POLES[::-1]),
        "table.csv": table(PFO_COLUMNS, every, {"file": "lato.elo", "strike": strike}),
    }


@pytest.fixture
@built_once
def pfo(db: None) -> Federation:
    office = Federation.objects.create(code="pfo", name="Polska Federacja Othello", ruleset_slug="pfo")
    Region.objects.create(federation=office, code="POL", name="Poland")
    Ledger.objects.create(federation=office)
    return office


def test_othello_files_find_their_people_by_wof_numbers_and_places_by_points(
    pfo: Federation, take: Callable[..., str], tmp_path: Path
) -> None:
    said = take("pfo", othello())
    assert "2 files, 2 sections, 12 games, 4 players (4 new)" in said
    ids = Identifier.objects.filter(federation=pfo, kind="wof").values_list("value", flat=True)
    assert sorted(ids, key=int) == ["700", "707", "1025", "5739"]
    best = Entry.objects.filter(section__event__name="Wiosna Open").order_by("-points", "-discs")
    assert list(best.values_list("place", flat=True)) == [1, 2, 3, 4]
    answered = replay(exported("pfo", tmp_path / "journal"))
    assert [season["season"] for season in answered["seasons"]] == ["2019/2020"] * 4
    call_command("verify", "pfo")


def test_a_slip_in_an_old_file_is_struck_with_its_reason_and_blocks_without(
    pfo: Federation, take: Callable[..., str]
) -> None:
    files = othello()
    lines = files["lato.elo"].decode().splitlines()
    at = next(number for number, line in enumerate(lines) if "(" in line)
    number = lines[at].split()[0]
    lines[at] = f"{number:>6} (29)<(35) {number:>6} B"
    files["lato.elo"] = "\n".join(lines).encode()
    with pytest.raises(CommandError, match="questions above are open"):
        take("pfo", files)
    assert not Fact.objects.filter(federation=pfo).exists()
    files["table.csv"] = othello(f"line {at + 1}: a player against himself")["table.csv"]
    assert "A game is struck: line" in take("pfo", files)
    assert Decision.objects.get(federation=pfo, kind="take-history").details["struck"] == 1
    lato = Section.objects.get(event__name="Lato Open")
    assert lato.games.count() == 5


def test_a_game_is_struck_by_round_and_players_too(csa: Federation, take: Callable[..., str]) -> None:
    strike = {"file": "cape.trf", "strike": "round 2 5-1: played for fun"}
    take("csa", past(**{"table.csv": table(COLUMNS, DEFAULTS, strike)}))
    assert Section.objects.get(event__name="Cape Open").games.count() == 14


# ---------------------------------------------------------------- who is who


def misspelt(**changed: Any) -> SheetPlayer:
    return replace(THABO, **changed)


def test_one_id_too_short_for_fides_in_any_file_has_the_kind_asked(
    csa: Federation, take: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history_plan, "MOST_ASKED_FOR_KIND", 1)
    late = {"z.trf": trf("Last Open", date(2021, 6, 5), (replace(THABO, identifier="17"), *SIX[1:]))}
    assert "id-kind" not in take("csa", past(), "--dry-run")
    assert "id-kind" in take("csa", {**past(), **late}, "--dry-run", "--exchange", "past")


def test_who_is_doubtful_is_asked_once_for_all_files_and_answered_for_all(
    csa: Federation, take: Callable[..., str]
) -> None:
    slip = misspelt(surname="Dlaminni", name="Dlaminni, Thabo", identifier=None, birth=None)
    files = past(**{"cape.trf": trf("Cape Open", JUNE, (slip, PRIYA, PIETER, LERATO))})
    files["x.trf"] = trf("Xmas Open", date(2021, 12, 25), (slip, AYANDA, PIETER, LERATO))
    with pytest.raises(CommandError):
        take("csa", files)
    history = History.objects.get()
    causes: Any = history.outcome["causes"]
    [asked] = [cause for cause in causes if cause["level"] == "asks"]
    assert (asked["key"], asked["count"]) == ("person", 1)
    take("csa", files, "--answer", "person=best")
    assert Player.objects.filter(federation=csa).count() == 6
    assert Entry.objects.filter(player__surname="Dlamini").count() == 4


def test_the_answer_new_makes_another_person(csa: Federation, take: Callable[..., str]) -> None:
    slip = misspelt(surname="Dlaminni", name="Dlaminni, Thabo", identifier=None, birth=None)
    files = past(**{"cape.trf": trf("Cape Open", JUNE, (slip, PRIYA, PIETER, LERATO))})
    take("csa", files, "--answer", "person=new")
    assert sorted(Player.objects.filter(first_name="Thabo").values_list("surname", flat=True)) == [
        "Dlamini",
        "Dlaminni",
    ]


def test_one_answer_for_all_holds_for_what_was_asked_alone(csa: Federation, take: Callable[..., str]) -> None:
    slip = misspelt(surname="Dlaminni", name="Dlaminni, Thabo", identifier=None, birth=None)
    twin = misspelt(identifier=None, birth=date(2003, 1, 1))
    files = past(**{"cape.trf": trf("Cape Open", JUNE, (slip, PRIYA, PIETER, LERATO))})
    files["x.trf"] = trf("Xmas Open", date(2021, 12, 25), (twin, AYANDA, PIETER, LERATO))
    take("csa", files, "--answer", "person=best")
    thabos = Player.objects.filter(federation=csa, first_name="Thabo")
    assert sorted((each.surname, each.born) for each in thabos) == [("Dlamini", 1991), ("Dlamini", 2003)]
    assert Entry.objects.filter(player__surname="Dlamini", player__born=1991).count() == 3


def test_a_new_answer_for_all_leaves_those_alone_who_are_sure(
    csa: Federation, take: Callable[..., str]
) -> None:
    slip = misspelt(surname="Dlaminni", name="Dlaminni, Thabo", identifier=None, birth=None)
    married = replace(PRIYA, surname="Botha", name="Botha, Priya")
    files = past(**{"cape.trf": trf("Cape Open", JUNE, (slip, married, PIETER, LERATO))})
    take("csa", files, "--answer", "person=new")
    assert Player.objects.filter(first_name="Priya").count() == 1
    assert Player.objects.filter(first_name="Thabo").count() == 2


def test_a_doubt_is_asked_once_and_no_further_spelling_of_the_same_player_is_one(
    csa: Federation, take: Callable[..., str]
) -> None:
    slip = misspelt(surname="Dlaminni", name="Dlaminni, Thabo", identifier=None, birth=None)
    again = misspelt(identifier=None, birth=None)
    files = past(**{"cape.trf": trf("Cape Open", JUNE, (slip, PRIYA, PIETER, LERATO))})
    files["x.trf"] = trf("Xmas Open", date(2021, 12, 25), (again, AYANDA, PIETER, LERATO))
    take("csa", files, "--dry-run")
    outcome: Any = History.objects.get().outcome
    [[key, mark, where, offered]] = outcome["asked"]
    assert (key, mark[0]) == ("person", "m")
    assert where == f"{mark} Dlaminni, Thabo, cape.trf"
    assert offered.endswith(" Dlamini, Thabo (1991-04-02, fide 14300001)")
    take("csa", files, "--answer", f"person={offered.split()[0]}")
    assert Player.objects.filter(first_name="Thabo").count() == 1


def test_whoever_married_is_asked_about_by_first_name_and_day_of_birth(
    csa: Federation, take: Callable[..., str]
) -> None:
    married = replace(LERATO, surname="Botha", name="Botha, Lerato")
    files = past(**{"cape.trf": trf("Cape Open", date(2021, 6, 5), (THABO, PRIYA, PIETER, LERATO))})
    files["x.trf"] = trf("Xmas Open", date(2021, 12, 25), (THABO, AYANDA, PIETER, married))
    take("csa", files, "--answer", "person=best")
    assert Player.objects.filter(federation=csa, first_name="Lerato").count() == 1


def test_an_id_that_a_name_bears_out_needs_no_answer(csa: Federation, take: Callable[..., str]) -> None:
    slip = misspelt(surname="Dlaminni", name="Dlaminni, Thabo")
    take("csa", past(**{"cape.trf": trf("Cape Open", JUNE, (slip, PRIYA, PIETER, LERATO))}))
    assert Player.objects.filter(first_name="Thabo").count() == 1


def test_the_same_name_with_another_birth_is_another_person(
    csa: Federation, take: Callable[..., str]
) -> None:
    twin = misspelt(identifier=None, birth=date(2003, 1, 1))
    take("csa", past(**{"cape.trf": trf("Cape Open", JUNE, (twin, PRIYA, PIETER, LERATO))}))
    assert Player.objects.filter(first_name="Thabo").count() == 2


def test_players_of_the_register_are_found_and_keep_their_numbers(
    csa: Federation, gauteng: Region, take: Callable[..., str]
) -> None:
    known = Player.objects.create(
        federation=csa, number="170001001", surname="Dlamini", first_name="Thabo", born=1991, nation="RSA",
        region=gauteng, name_key="dlamini",
    )  # fmt: skip
    assert "6 players (5 new)" in take("csa", past())
    assert Entry.objects.filter(player=known).count() == 3
    assert Fact.objects.filter(federation=csa, kind="player", subject="170001001").count() == 1


# ---------------------------------------------------------------- refused


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([{"file": "*", "platform": "otb"}], "the region"),
        ([{**DEFAULTS, "region": "XYZ"}], "no region"),
        ([DEFAULTS, {"file": "lost.trf"}], "not there"),
        ([{**DEFAULTS, "platform": "beach"}], "none of: otb, online, mixed"),
        ([DEFAULTS, {"file": "cape.trf", "rated": "31.2.2021"}], "no day"),
        ([DEFAULTS, {"file": "cape.trf", "rated": "2999-01-01"}], "after today"),
        ([DEFAULTS, {"file": "cape.trf", "strike": "round 9 1-2: nothing"}], "names no game"),
        ([DEFAULTS, {"file": "cape.trf", "strike": "round 2 5-1"}], "names no game"),
        ([DEFAULTS, {"file": "cape.trf"}, {"file": "cape.trf"}], "two rows"),
        ([DEFAULTS, {"file": "cape.trf", "ids": "passport"}], "passport"),
    ],
)
def test_what_the_table_lacks_or_has_wrong_is_told_and_nothing_written(
    csa: Federation, take: Callable[..., str], capsys: pytest.CaptureFixture[str], rows: Any, words: str
) -> None:
    with pytest.raises(CommandError, match="Nothing was written"):
        take("csa", past(**{"table.csv": table(COLUMNS, *rows)}))
    assert words in capsys.readouterr().out
    assert not Fact.objects.filter(federation=csa).exists()
    assert not Player.objects.filter(federation=csa).exists()


@pytest.mark.parametrize(("rated", "told"), [(MARCH, ""), (MARCH - timedelta(1), "rated on 5 March 2021")])
def test_a_section_is_rated_on_its_last_day_or_later(
    csa: Federation, take: Callable[..., str], rated: date, told: str
) -> None:
    row = {"file": "soweto.trf", "rated": rated.isoformat()}
    files = {"soweto.trf": trf("Soweto Open", MARCH, SIX), "table.csv": table(COLUMNS, DEFAULTS, row)}
    words = take("csa", files, "--dry-run")
    assert ("rated-before-end" in words) == bool(told)
    assert told in words


@pytest.mark.parametrize(
    ("column", "wrong", "told"),
    [
        ("places", "zz", "“zz” is none of: points."),
        ("ids", "zz", "“zz” is none of: number, fide"),
        ("nation", "R", "“R” is no country. Write its three letters, such as RSA."),
        ("country", "Q", "“Q” is no country. Write its three letters, such as RSA."),
        ("rounds", "1000", "“1000” rounds are too many: a section may have 999."),
        ("platform", "zzz", "“zzz” is none of: otb, online, mixed."),
    ],
)
def test_a_cell_that_cannot_be_read_is_told_once_whatever_the_file_says(
    csa: Federation, take: Callable[..., str], column: str, wrong: str, told: str
) -> None:
    columns = dict.fromkeys((*COLUMNS, column))
    files = {
        "soweto.trf": trf("Soweto Open", MARCH, SIX),
        "table.csv": table(tuple(columns), {**DEFAULTS, column: wrong}),
    }
    words = take("csa", files, "--dry-run")
    assert f"The table's column “{column}”: {told}" in words
    assert words.count("blocks") == 1
    with pytest.raises(CommandError, match="Nothing was written"):
        take("csa", files)


def test_more_scheduled_rounds_than_the_file_has_are_told(csa: Federation, take: Callable[..., str]) -> None:
    files = {
        "soweto.trf": trf("Soweto Open", MARCH, SIX),
        "table.csv": table((*COLUMNS, "rounds"), {**DEFAULTS, "rounds": "9"}),
    }
    assert "9 rounds were scheduled; the file has games of 5." in take("csa", files, "--dry-run")


def test_a_first_day_that_cannot_be_read_is_quoted_and_missing_values_are_named(
    csa: Federation, take: Callable[..., str]
) -> None:
    data = trf("Soweto Open", MARCH, SIX).replace(b"2021/03/06", b"2021/13/45")
    words = take(
        "csa", {"soweto.trf": data, "table.csv": table(COLUMNS, {"file": "*", "region": "GAU"})}, "--dry-run"
    )
    assert "2021/13/45" in words
    assert "Neither the file nor the table says: the first day." in words
    assert "(otb, online, mixed)" in words
    assert words.count("Reading and checking") == 1


def test_answers_of_a_dry_run_hold_and_are_counted_and_answers_of_nothing_are_told(
    csa: Federation, take: Callable[..., str]
) -> None:
    with pytest.raises(CommandError, match=r"no question “foo”.*person, person-twice, name, id-kind"):
        take("csa", past(), "--dry-run", "--answer", "foo=best")
    there = take("csa", past(), "--dry-run", "--answer", "person=best")
    assert "Answers of earlier calls" not in there
    assert "answer-of-nothing" not in there
    assert not Fact.objects.filter(federation=csa).exists()
    assert "Answers of earlier calls hold: 1." in take("csa", past(), "--dry-run", "--answer", "person=")
    assert "Answers of earlier calls" not in take("csa", past(), "--dry-run", "--answer", "name=Nobody, Ann")
    of_nothing = take("csa", past(), "--dry-run")
    assert "These answers belong to no spelling that the files have." in of_nothing
    assert "name *" in of_nothing


def test_an_answer_that_names_nobody_is_asked_again_and_answered_in_the_same_table(
    csa: Federation, take: Callable[..., str], tmp_path: Path
) -> None:
    slip = misspelt(surname="Dlaminni", name="Dlaminni, Thabo", identifier=None, birth=None)
    files = past(**{"cape.trf": trf("Cape Open", JUNE, (slip, PRIYA, PIETER, LERATO))})
    asked, answered = tmp_path / "asked.csv", tmp_path / "answered.csv"
    take("csa", files, "--dry-run", "--answer", "person=999999999", "--questions", str(asked))
    assert "person-not-there" in asked.read_text("utf-8-sig")
    lines = asked.read_text("utf-8-sig").splitlines()
    answered.write_text(
        "\n".join([lines[0], *(line.removesuffix('""') + "new" for line in lines[1:])]), "utf-8"
    )
    assert "written" in take("csa", files, "--answers", str(answered)).lower()


def test_one_answer_makes_all_who_stand_twice_in_a_file_two_people(
    csa: Federation, take: Callable[..., str], tmp_path: Path
) -> None:
    other = misspelt(surname="Dube", name="Dube, Thabo", identifier=None, birth=date(2001, 1, 1))
    files = past(**{"cape.trf": trf("Cape Open", JUNE, (THABO, other, PIETER, LERATO))})
    people, answers = tmp_path / "people.csv", tmp_path / "answers.csv"
    assert "7 players (7 new)" in take("csa", files, "--dry-run", "--who-is-who", str(people))
    marks = {row["where"].split(" ", 1)[1][:8]: row["subject"] for row in rows_of(people)}
    answers.write_text(
        f"question,subject,answer\nperson,{marks['Dube, Th']},m{marks['Dlamini,'].removeprefix('m')}\n"
    )
    words = take("csa", files, "--dry-run", "--answers", str(answers))
    assert "person-twice" in words
    words = take("csa", files, "--dry-run", "--answer", "person-twice=new")
    assert "person-twice" not in words
    assert "7 players (7 new)" in words


def rows_of(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text("utf-8-sig"))))


def test_a_column_that_is_not_known_is_refused_with_those_that_are(
    csa: Federation, take: Callable[..., str]
) -> None:
    with pytest.raises(CommandError, match=r"not known: weather.*There are: file"):
        take("csa", past(**{"table.csv": table(("file", "weather"), {"file": "*"})}))


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"%PDF-1.7", "The table: This is a PDF. Save the table as CSV or XLSX."),
        (b'file,region\n*,"GAU\n', "Row 2: A quotation mark opens in this row"),
    ],
)
def test_a_table_that_is_none_is_refused_in_the_words_of_tables(
    csa: Federation, take: Callable[..., str], data: bytes, why: str
) -> None:
    with pytest.raises(CommandError, match=re.escape(why)):
        take("csa", past(**{"table.csv": data}))


def test_answers_are_taken_from_a_workbook_too() -> None:
    given = workbook(answers=[("Question", "Subject", "Where", "Answer"), ("name", "m1", "a.trf", "new")])
    [answer] = read_answers(given, "answers.xlsx")
    assert (answer.kind, answer.subject, answer.value) == ("name", "m1", "new")
    with pytest.raises(Refused, match="needs the columns question, subject and answer"):
        read_answers(b"question,answer\nname,new\n", "answers.csv")


def test_a_long_cell_of_a_column_that_answers_do_not_need_is_no_fault() -> None:
    given = f"question,subject,where,answer\nname,m1,{'w' * 1_001},new\n"
    assert [each.value for each in read_answers(given.encode(), "answers.csv")] == ["new"]
    with pytest.raises(Refused, match="longer than 1000 characters"):
        read_answers(given.replace("subject,where", "where,subject").encode(), "answers.csv")


@pytest.mark.parametrize("name", [unicodedata.normalize("NFD", "Všichni č.1.trf"), "Cape  Open.trf"])
def test_table_and_answers_name_a_file_as_a_mac_writes_it_or_with_two_blanks(
    csa: Federation, take: Callable[..., str], tmp_path: Path, name: str
) -> None:
    baby = replace(SIPHO, surname="Nel", name="Nel, Sipho", birth=date(2020, 2, 3))
    files = past(**{name: trf("Cape Open", JUNE, (THABO, baby, PIETER, LERATO))})
    del files["cape.trf"]
    files["table.csv"] = table(COLUMNS, DEFAULTS, {"file": name, "region": "WCA"})
    asked = tmp_path / "questions.csv"
    words = take("csa", files, "--dry-run", "--questions", str(asked))
    assert "row-without-file" not in words
    head, row = asked.read_text("utf-8-sig").splitlines()
    assert "births-doubtful" in row
    asked.write_text(f"{head}\n{row[: row.rindex(',') + 1]}right", "utf-8")
    assert "births-doubtful" not in take("csa", files, "--dry-run", "--answers", str(asked))


def test_a_file_left_out_and_the_same_file_twice(csa: Federation, take: Callable[..., str]) -> None:
    files = past()
    files["copy.trf"] = files["cape.trf"]
    with pytest.raises(CommandError):
        take("csa", files)
    rows = (DEFAULTS, {"file": "cape.trf", "region": "WCA"}, {"file": "copy.trf", "leave_out": "yes"})
    take("csa", files | {"table.csv": table(COLUMNS, *rows)})
    assert Event.objects.count() == 3


# ---------------------------------------------------------------- killed, twice, dry


class Killed(BaseException):
    """The worker is gone: nothing that stands in a `finally` for errors runs."""


def received(office: Federation, files: dict[str, bytes], there: Path) -> History:
    data = pack_folder(folder(there, files))
    day = date(2026, 1, 1)
    told = ("table.csv", files["table.csv"])
    about: dict[str, Any] = {"name": "past", "source": "past", "at": timezone.now(), "on": day}
    own = first_own_line(office)
    return receive_history(federation=office, by=None, data=data, table=told, own_line=own, **about)


def outwaited(history: History) -> None:
    """A minute passes in which the dead worker gives no sign."""
    History.objects.filter(pk=history.pk).update(heartbeat=timezone.now() - timedelta(minutes=2))


def test_killed_while_it_reads_another_worker_goes_on_where_it_stopped(
    csa: Federation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    history = received(csa, past(), tmp_path / "past")
    read: list[str] = []

    def boxed(files: Sequence[tuple[str, bytes]], **more: str) -> list[Reading | box.BoxDied]:
        read.extend(name for name, _data in files)
        if len(read) == 2:
            raise Killed
        return box.read_many_boxed(files, **more)

    monkeypatch.setattr(read_files, "read_many_boxed", boxed)
    monkeypatch.setattr(read_files, "FILES_IN_A_BOX", 1)
    monkeypatch.setattr(read_files, "BOXES", 1)
    monkeypatch.setattr(read_files, "AHEAD", 1)
    with pytest.raises(Killed):
        jobs.run("histories", history.pk)
    assert HistoryFile.objects.exclude(reading=None).count() == 1
    outwaited(history)
    jobs.sweep("files")
    assert read.count(read[0]) == 1
    history.refresh_from_db()
    assert (history.state, history.outcome["counts"]["sections"]) == (HistoryState.CHECKED, 3)  # type: ignore[index]


@pytest.fixture
def confirmed(csa: Federation, tmp_path: Path) -> History:
    history = received(csa, past(), tmp_path / "past")
    jobs.run("histories", history.pk)
    history.refresh_from_db()
    confirm_history(history=history, by=None, on=date(2026, 1, 1), digest=history.digest)
    return history


@pytest.mark.parametrize("at", ["_write_people", "_write_play", "_keep_files", "_keep_decision"])
def test_killed_while_it_writes_nothing_is_half_written_and_the_next_writes_all(
    csa: Federation, confirmed: History, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    real = getattr(work_on_history, at)

    def dies(*args: Any) -> Any:
        real(*args)
        raise Killed

    monkeypatch.setattr(work_on_history, at, dies)
    with pytest.raises(Killed):
        jobs.run("histories", confirmed.pk)
    assert not Player.objects.exists()
    assert not Event.objects.exists()
    assert not Fact.objects.exists()
    monkeypatch.setattr(work_on_history, at, real)
    outwaited(confirmed)
    jobs.sweep("files")
    assert (Player.objects.count(), Event.objects.count(), Upload.objects.count()) == (6, 3, 3)


def test_confirmed_and_sent_twice_it_is_written_once(csa: Federation, confirmed: History) -> None:
    confirm_history(history=confirmed, by=None, on=date(2026, 1, 1), digest=confirmed.digest)
    for _again in range(3):
        jobs.run("histories", confirmed.pk)
    confirm_history(history=confirmed, by=None, on=date(2026, 1, 1), digest=confirmed.digest)
    jobs.sweep("files")
    assert Event.objects.count() == 3
    assert Decision.objects.filter(kind="take-history").count() == 1


def test_the_command_called_again_writes_nothing_more(
    csa: Federation, take: Callable[..., str], tmp_path: Path
) -> None:
    take("csa", past())
    before = exported("csa", tmp_path / "before")
    assert "written already" in take("csa", past())
    assert exported("csa", tmp_path / "after") == before


def test_what_was_confirmed_is_checked_anew_where_the_register_changed_since(
    csa: Federation, gauteng: Region, confirmed: History
) -> None:
    Player.objects.create(
        federation=csa, number="5", surname="Dlamini", first_name="Thabo", born=1991, name_key="dlamini"
    )
    jobs.run("histories", confirmed.pk)
    confirmed.refresh_from_db()
    assert (confirmed.state, confirmed.stale) == (HistoryState.CHECKED, True)
    assert not Event.objects.exists()


def test_a_dry_run_shows_the_ratings_and_writes_nothing(csa: Federation, take: Callable[..., str]) -> None:
    said = take("csa", past(), "--dry-run")
    assert "OTB Main: 6 players" in said
    assert not Fact.objects.exists()
    assert not Player.objects.exists()
    [shown, *_others] = (line.split() for line in said.splitlines() if "Dlamini" in line)
    take("csa", past())
    standing = Standing.objects.get(player__surname="Dlamini", track="otb-main")
    assert standing.rating is not None
    assert shown[:2] == [f"{standing.rating:.1f}", standing.player.number]


def test_the_ratings_of_a_dry_run_are_all_those_after_the_writing(
    csa: Federation, take: Callable[..., str]
) -> None:
    take("csa", past(), "--dry-run")
    outcome: Any = History.objects.get().outcome
    ahead = Effects.from_json(outcome["effects"])
    take("csa", past())
    state = state_before(csa, AFTER_EVERYTHING)
    now = {key: each.total for key, each in read_balances(csa.ruleset, state, today(csa)).items()}
    assert {(each.player, each.track): each.after for each in ahead.ratings} == now != {}
    assert ahead.moved == Counter(track for _player, track in now)


def test_an_answer_is_refused_while_the_worker_has_the_history(csa: Federation, confirmed: History) -> None:
    new = HistoryAnswer(kind="person", subject="*", value="new")
    with pytest.raises(Refused, match="waiting to be written"):
        answer(history=confirmed, by=None, at=timezone.now(), on=date(2026, 1, 1), answers=[new])


def test_questions_written_out_and_answered_in_a_table(
    csa: Federation, take: Callable[..., str], tmp_path: Path
) -> None:
    slip = misspelt(surname="Dlaminni", name="Dlaminni, Thabo", identifier=None, birth=None)
    files = past(**{"cape.trf": trf("Cape Open", JUNE, (slip, PRIYA, PIETER, LERATO))})
    asked = tmp_path / "questions.csv"
    take("csa", files, "--dry-run", "--questions", str(asked))
    head, row = asked.read_text("utf-8-sig").splitlines()
    assert row.startswith('"person"') or row.startswith("person")
    asked.write_text("\n".join([head, row[: row.rindex(",") + 1] + "best"]), "utf-8")
    take("csa", files, "--answers", str(asked))
    assert Player.objects.count() == 6


def test_the_prefilled_table_is_taken_back_as_it_is_written(
    csa: Federation, take: Callable[..., str], tmp_path: Path
) -> None:
    written = tmp_path / "filled.csv"
    take("csa", past(), "--dry-run", "--write-table", str(written))
    text = written.read_text("utf-8-sig")
    assert "Soweto Open" in text
    assert "2021-03-06" in text
    take("csa", past(), "--table", str(written))
    assert Section.objects.count() == 3


def test_the_journal_of_a_past_goes_out_and_in_again_byte_for_byte(
    csa: Federation, take: Callable[..., str], tmp_path: Path
) -> None:
    take("csa", past())
    before = exported("csa", tmp_path / "before")
    (tmp_path / "other").write_bytes(before.replace(b'"code":"csa"', b'"code":"new"'))
    call_command("import_journal", str(tmp_path / "other"))
    after = exported("new", tmp_path / "after")
    assert after.replace(b'"code":"new"', b'"code":"csa"') == before


def test_an_office_with_a_past_moves_to_another_installation_and_gives_the_same_archive(
    csa: Federation, take: Callable[..., str], tmp_path: Path
) -> None:
    with transaction.atomic():
        take("csa", past())
        export_office(Federation.objects.get(code="csa"), tmp_path / "before.zip")
        transaction.set_rollback(True)
    Federation.objects.filter(code="csa").update(code="old")
    office, _manifest, report = import_office(tmp_path / "before.zip", at=timezone.now())
    assert report.differences == []
    assert History.objects.get(federation=office).files.exclude(section=None).count() == 3
    export_office(office, tmp_path / "after.zip")
    assert (tmp_path / "after.zip").read_bytes() == (tmp_path / "before.zip").read_bytes()
