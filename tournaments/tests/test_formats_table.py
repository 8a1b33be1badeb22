"""The plain table: its blocks are known by their columns, and each cell is read or told with its place."""

from datetime import date
from decimal import Decimal

import pytest

from tournaments.formats import table_rows
from tournaments.formats.sheet import Sheet, SheetBye, SheetGame, Team
from tournaments.formats.table_rows import MOST_CELLS
from tournaments.formats.text import guess_encoding
from tournaments.tests.event_files import describe_in_english, keys
from tournaments.tests.table_files import BOTH, GAMES, PLAYERS, found, read


def sheet_of(text: str) -> Sheet:
    sheet = read(text).sheet
    assert sheet
    return sheet


def with_cell(before: str, after: str, text: str = BOTH) -> str:
    assert text.count(before) == 1, before
    return text.replace(before, after)


# ---------------------------------------------------------------- the whole


def test_players_and_games_are_read_with_nothing_to_say() -> None:
    reading = read(BOTH)
    assert (reading.findings, reading.adjustments) == ((), ())
    sheet = reading.sheet
    assert sheet
    anna, jan, ewa = sheet.rows
    assert (anna.surname, anna.first_name, anna.name) == ("Nowak", "Anna", "Nowak, Anna")
    assert (anna.sex, anna.birth, anna.born, anna.federation) == ("f", date(1990, 4, 12), 1990, "POL")
    assert (anna.identifier, anna.place, anna.points, anna.discs) == ("4001", 1, Decimal("1.5"), 92)
    assert (jan.identifier, jan.birth, jan.born, ewa.born) == (None, None, 1985, None)
    assert sheet.games == (
        SheetGame(1, 1, 2, "annulled"),
        SheetGame(1, 1, 2, "1/2"),
        SheetGame(2, 3, 1, "0-1"),
    )
    assert sheet.byes == (SheetBye(1, 3, "zero"), SheetBye(2, 2, "half"))
    assert (sheet.rounds, sheet.rounds_played) == (None, 2)


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_cells_may_be_parted_by_commas_semicolons_or_tabs(mark: str) -> None:
    assert sheet_of(BOTH.replace(",", mark)) == sheet_of(BOTH)


def test_a_first_line_that_names_the_separator_is_no_row() -> None:
    assert read("sep=;\n" + BOTH.replace(",", ";")).sheet == sheet_of(BOTH)


@pytest.mark.parametrize(
    "text",
    [
        "Номер;Фамилия;Имя;Пол;Дата рождения;Место\n{}\n\nТур;Первый;Второй;Результат\n{}",
        "číslo;příjmení;jméno;pohlaví;datum narození;umístění\n{}\n\nkolo;první;druhý;výsledek\n{}",
        "CISLO;PRIJMENI;JMENO;POHLAVI;NAROZENI;UMISTENI\n{}\n\nKOLO;PRVNI;DRUHY;VYSLEDEK\n{}",
        "numer;nazwisko;imię;płeć;data urodzenia;miejsce\n{}\n\nrunda;pierwszy;drugi;wynik\n{}",
        "Lp;Nazwisko;Imie;plec;Rok_urodzenia;Miejsce\n{}\n\nRunda;Pierwszy;Drugi;Wynik\n{}",
        "number;surname;first name;sex;birth;place\n{}\n\nround;first;second;result\n{}",
    ],
)
def test_headings_may_be_in_an_office_s_language_with_accents_or_without(text: str) -> None:
    reading = read(text.format("1;Nowak;Anna;f;1990-04-12;1\n2;Lis;Ola;f;1991;2", "1;1;2;1-0\n"))
    english = read(
        "number;surname;first name;sex;birth;place\n1;Nowak;Anna;f;1990-04-12;1\n2;Lis;Ola;f;1991;2\n\n"
        "round;first;second;result\n1;1;2;1-0\n"
    )
    assert reading.findings == ()
    assert reading.sheet == english.sheet


@pytest.mark.parametrize(
    ("headings", "cells", "left_out", "number", "nation"),
    [
        ("Lp.;Numer;Nazwisko", "7;3;Nowak", "Lp.", 3, ""),
        ("№;Номер;Фамилия", "7;3;Альфин", "№", 3, ""),
        ("№;number;surname", "7;3;Alphin", "№", 3, ""),
        ("Lp;Lp.;Nazwisko;Kraj;Państwo", "7;7;Nowak;POL;Polska", "Lp", 7, "POL"),
        ("č.;Příjmení;Kraj;Stát", "7;Novák;JMK;CZE", "", 7, "CZE"),
        ("č.;Příjmení;Jméno;Kraj", "7;Novák;Jan;JMK", "", 7, ""),
        ("number;surname;ranking;Kraj;země", "7;Novák;1800;JMK;CZE", "", 7, "CZE"),
        ("Lp.;Nazwisko;Kraj", "7;Nowak;POL", "", 7, "POL"),
    ],
)
def test_of_two_words_for_one_column_the_plainer_is_read_and_a_czech_region_is_no_nation(
    headings: str, cells: str, left_out: str, number: int, nation: str
) -> None:
    reading = read(f"{headings}\n{cells}\n")
    [row] = reading.sheet.rows if reading.sheet else []
    assert not reading.blocked
    assert (row.start_number, row.federation) == (number, nation)
    told = {each.params["named"]: each.key for each in reading.findings if each.key.startswith("table-col")}
    assert told.get(left_out) == ("table-column-beside" if left_out else None)
    assert (told.get("Kraj") == "table-column-unknown") == (nation != "POL" and "Kraj" in headings)


@pytest.mark.parametrize("name", ["участник", "ФИО", "hráč", "imię i nazwisko", "name"])
def test_one_column_may_hold_the_whole_name_in_any_of_the_languages(name: str) -> None:
    sheet = sheet_of(f"место;{name};сессия 1;сессия 2;очки\n1;Альфин, Антон;10;20;30\n")
    assert [(row.name, row.place, row.points) for row in sheet.rows] == [("Альфин, Антон", 1, Decimal(30))]


@pytest.mark.parametrize("heading", ["jmeniny", "местожительство", "wyniki", "surnames"])
def test_a_heading_that_nobody_knows_is_told_as_it_stands(heading: str) -> None:
    reading = read(f"surname;first name;{heading}\nNowak;Anna;1\n")
    [told] = [each for each in reading.findings if each.key == "table-column-unknown"]
    assert told.params["named"] == heading


@pytest.mark.parametrize(
    ("letter", "sex"), [("м", "m"), ("Ж", "f"), ("ž", "f"), ("K", "f"), ("w", "f"), ("x", None)]
)
def test_sexes_are_read_by_their_letters_in_the_offices_languages(letter: str, sex: str | None) -> None:
    assert sheet_of(f"surname;sex\nNowak;{letter}\n").rows[0].sex == sex


def test_column_order_case_blanks_and_underscores_do_not_matter() -> None:
    text = "First_Name;  SURNAME ;Number\nAnna;Nowak;7\n"
    [anna] = sheet_of(text).rows
    assert (anna.start_number, anna.name) == (7, "Nowak, Anna")


def test_without_a_number_column_players_are_numbered_as_they_stand() -> None:
    rows = sheet_of("surname,place\nNowak,1\n\nKowalski,2\n").rows
    assert [(row.start_number, row.name, row.line) for row in rows] == [(1, "Nowak", 2), (2, "Kowalski", 4)]


def test_one_column_of_names_is_parted_at_the_comma() -> None:
    reading = read("place;name\n1;Nowak, Anna\n2;Kowalski Jan\n")
    assert reading.sheet
    assert [(row.surname, row.first_name) for row in reading.sheet.rows] == [
        ("Nowak", "Anna"),
        ("Kowalski Jan", ""),
    ]
    assert found(reading) == [("names-not-parted", 3, None)]


def test_games_may_stand_above_the_players() -> None:
    assert sheet_of(f"{GAMES}\n{PLAYERS}") == sheet_of(BOTH)


def test_cells_in_quotes_hold_separators_and_quotes() -> None:
    [row] = sheet_of('surname,place\n"Nowak, ""Ann""",1\n').rows
    assert row.surname == 'Nowak, "Ann"'


def test_an_apostrophe_that_disarmed_a_formula_is_taken_off_and_a_names_own_stays() -> None:
    rows = sheet_of("surname,place\n'=SUM(A1),1\n't Hooft,2\n'-Kind,3\n").rows
    assert [row.surname for row in rows] == ["=SUM(A1)", "'t Hooft", "-Kind"]


@pytest.mark.parametrize(
    ("encoding", "names"),
    [
        ("cp1252", ("Sørensen", "Müller", "Français", "Åberg")),
        ("cp1250", ("Dvořák", "Němec", "Ježek", "Růžička")),
        ("cp1250", ("Wójcik", "Łukasz", "Dąbrowski", "Zieliński")),
        ("cp1251", ("Иванов", "Петрова", "Жуков", "Щербакова")),
    ],
)
def test_an_old_encoding_is_found_and_told(encoding: str, names: tuple[str, ...]) -> None:
    text = "surname,place\n" + "".join(f"{name},{place}\n" for place, name in enumerate(names, 1))
    reading = read(text, encoding)
    assert reading.sheet
    assert tuple(row.surname for row in reading.sheet.rows) == names
    [(key, line, _column)] = found(reading)
    assert (key, line, reading.findings[0].params["encoding"]) == ("encoding-guessed", 2, encoding)


def test_bytes_that_are_no_letters_of_any_code_page_fall_back() -> None:
    assert guess_encoding(b"\x81\x98 \x81") == "latin-1"


def test_columns_and_rows_that_are_not_the_tables_are_told_and_left() -> None:
    reading = read("Cup of Kraków\n\nsurname,place,club\nNowak,1,Wisła\n")
    assert found(reading, "notice") == [("table-above-header", 1, None), ("table-column-unknown", 3, 15)]
    assert reading.sheet
    assert [unused.text for unused in reading.sheet.unused] == ["Cup of Kraków"]


def test_teams_are_gathered_from_their_column() -> None:
    teams = sheet_of("surname,team\nNowak,North\nKowalski,South\nWójcik,North\n").teams
    assert teams == (Team("North", (1, 3)), Team("South", (2,)))


def test_a_header_of_other_words_is_no_table() -> None:
    assert found(read("place,player\n1,Nowak\n")) == [("not-recognised", None, None)]


# ---------------------------------------------------------------- what is wrong, and where


@pytest.mark.parametrize(
    ("before", "after", "key", "line", "column"),
    [
        ("2,,Kowalski", "x,,Kowalski", "table-number-not-read", 3, 1),
        ("2,,Kowalski", "0,,Kowalski", "start-number-zero", 3, 1),
        ("2,,Kowalski", "1,,Kowalski", "start-number-twice", 3, 1),
        ("2,,Kowalski", "2,4001,Kowalski", "identifier-twice", 3, 3),
        ("Kowalski", "", "table-no-surname", 3, 4),
        ("POL,1,1.5", "POL,first,1.5", "table-place-not-read", 2, 36),
        ("POL,1,1.5", "POL,0,1.5", "table-place-not-read", 2, 36),
        ("1,1,2,annulled", "0,1,2,annulled", "table-round-not-read", 7, 1),
        ("1,1,2,annulled", "61,1,2,annulled", "table-round-not-read", 7, 1),
        ("1,1,2,annulled", "1,9,2,annulled", "table-player-not-listed", 7, 3),
        ("1,1,2,annulled", "1,Anna,2,annulled", "table-player-not-read", 7, 3),
        ("1,1,2,annulled", "1,1,1,annulled", "plays-self", 7, 5),
        ("1,1,2,annulled", "1,1,2,", "table-no-result", 7, 7),
        ("1,1,2,annulled", "1,1,2,2-0", "table-result-not-read", 7, 7),
        ("1,1,2,annulled", "1,1,2,half", "table-bye-with-second", 7, 7),
        ("1,3,,zero", "1,3,,1-0", "table-bye-not-read", 9, 6),
        ("2,2,,half", "1,3,,half", "table-bye-twice", 11, None),
        ("1,3,,zero", "1,3,,zero,1", "table-row-too-long", 9, 11),
        ("Kowalski", '"Kowalski', "table-quote-open", 3, 4),
        ("round,first,second,result", "round,first,second,score", "table-column-missing", 6, 1),
        ("nation,place", "place,place", "table-column-twice", 1, 46),
        ("Kowalski", "K" * 101, "table-cell-too-long", 3, 4),
        ("Kowalski", "Kow\u200balski", "odd-character", 3, 7),
    ],
)
def test_what_cannot_be_filed_is_told_with_line_and_column(
    before: str, after: str, key: str, line: int, column: int | None
) -> None:
    reading = read(with_cell(before, after))
    assert (key, line, column) in found(reading, "blocks")
    assert all(describe_in_english(finding) for finding in reading.findings)


@pytest.mark.parametrize(
    ("before", "after", "key", "column"),
    [
        ("1990-04-12", "12th April", "birth-not-read", 21),
        ("f,1990-04-12,POL", "f,1990-04-12,Nowhere", "table-cell-not-read", 32),
        ("1.5,92", "much,92", "table-cell-not-read", 38),
        ("1.5,92", "1.5,many", "table-cell-not-read", 42),
        ("1.5,92", "2.5,92", "points-differ", 38),
    ],
)
def test_what_can_be_done_without_is_left_out_and_told(
    before: str, after: str, key: str, column: int
) -> None:
    text = with_cell(before, after, with_cell("1,1,2,annulled\n", ""))
    reading = read(text)
    assert (key, 2, column) in found(reading, "notice")
    assert not reading.blocked
    left_out = {adjustment.key for adjustment in reading.adjustments}
    assert left_out == ({key} if key != "points-differ" else set())


@pytest.mark.parametrize("most", [100, 101])
def test_a_surname_has_a_hundred_letters_at_most(most: int) -> None:
    assert read(f"surname,place\n{'N' * most},1\n").blocked == (most > 100)


@pytest.mark.parametrize(("width", "key"), [(200, None), (201, "table-too-wide")])
def test_two_hundred_columns_are_the_most(width: int, key: str | None) -> None:
    text = "surname,place\nNowak,1" + "," * (width - 2) + "\n"
    assert [finding.key for finding in read(text).findings] == ([key] if key else [])


@pytest.mark.parametrize(
    ("text", "most", "key"),
    [
        ("surname,place\n" + ("," * 1_999 + "\n") * 50, 250, "table-too-wide"),
        ("surname,place\n" + ("," * 99 + "\n") * 2_500, MOST_CELLS + 250, "table-too-many-cells"),
    ],
    ids=["wide", "many"],
)
def test_no_more_cells_are_cut_than_a_table_may_have(
    monkeypatch: pytest.MonkeyPatch, text: str, most: int, key: str
) -> None:
    cut: list[str] = []

    def counted(cell: str) -> str:
        cut.append(cell)
        return cell

    monkeypatch.setattr(table_rows, "cleaned", counted)
    assert [finding.key for finding in read(text).findings] == [key]
    assert len(cut) <= most


@pytest.mark.parametrize(("rows", "refused"), [(MOST_CELLS // 100 - 2, False), (MOST_CELLS // 100 - 1, True)])
def test_two_hundred_thousand_cells_are_the_most(rows: int, refused: bool) -> None:
    blanks = "," * 98
    text = f"surname,place{blanks}\nNowak,1{blanks}\n" + f",{blanks}\n" * rows
    assert ("table-too-many-cells" in {finding.key for finding in read(text).findings}) == refused


def test_a_second_table_of_players_is_another_section() -> None:
    assert ("table-players-twice", 6, 1) in found(read(f"{PLAYERS}\n{PLAYERS}"), "blocks")


@pytest.mark.parametrize(
    "text", [GAMES, "surname,place\n", f"surname,place\n\n{GAMES}", "number,surname\nx,Nowak\n"]
)
def test_a_file_without_a_player_gives_no_sheet(text: str) -> None:
    reading = read(text)
    assert reading.sheet is None
    assert reading.blocked


# ---------------------------------------------------------------- results


@pytest.mark.parametrize(
    ("written", "result"),
    [
        ("1-0", "1-0"),
        ("1 : 0", "1-0"),
        ("0–1", "0-1"),
        ("1/2", "1/2"),
        ("½-½", "1/2"),
        ("0.5-0.5", "1/2"),
        ('"0,5 - 0,5"', "1/2"),
        ("=", "1/2"),
        ("0-0", "0-0"),
        ("+:-", "+:-"),
        ("+ -", "+:-"),
        ("- +", "-:+"),
        ("−:−", "-:-"),
        ("- -", "-:-"),
        ("Annulled", "annulled"),
    ],
)
def test_results_are_read_as_people_write_them(written: str, result: str) -> None:
    text = with_cell("1,1,2,annulled", f"1,1,2,{written}")
    assert sheet_of(text).games[0].result == result


@pytest.mark.parametrize(
    ("written", "kind"),
    [("pairing", "pairing"), ("Bye", "pairing"), ("full", "full"), ("half", "half"), ("zero", "zero")],
)
def test_a_row_without_a_second_player_is_a_bye(written: str, kind: str) -> None:
    assert sheet_of(with_cell("1,3,,zero", f"1,3,,{written}")).byes[0] == SheetBye(1, 3, kind)  # type: ignore[arg-type]


def test_a_game_that_both_lost_is_a_game_and_worth_a_look() -> None:
    reading = read(with_cell("2,3,1,0-1", "2,3,1,0-0"))
    assert ("both-lost", 10, 7) in found(reading, "notice")
    assert reading.sheet
    assert reading.sheet.games[-1].result == "0-0"


def test_rows_out_of_the_order_of_rounds_are_put_in_order_and_told() -> None:
    reading = read(f"{PLAYERS}\nround,first,second,result\n2,3,1,0-1\n1,1,2,1/2\n1,2,3,1-0\n")
    assert reading.sheet
    assert [(game.round, game.first) for game in reading.sheet.games] == [(1, 1), (1, 2), (2, 3)]
    assert ("table-rounds-mixed", 8, None) in found(reading, "notice")
    assert "table-rounds-mixed" not in [key for key, _line, _column in found(read(BOTH))]


# ---------------------------------------------------------------- points


def test_without_points_the_results_are_added_up() -> None:
    games = "round,first,second,result\n1,1,2,1/2\n1,3,,pairing\n2,1,3,+:-\n"
    text = f"number,surname\n1,Nowak\n2,Kowalski\n3,Lis\n\n{games}"
    assert [row.points for row in sheet_of(text).rows] == [Decimal("1.5"), Decimal("0.5"), Decimal(1)]


def test_points_are_not_compared_where_somebody_played_twice_in_a_round() -> None:
    replayed = with_cell("POL,1,1.5", "POL,1,9")
    assert found(read(replayed)) == []
    once = with_cell("1,1,2,annulled\n", "", replayed)
    assert [key for key, _line, _column in found(read(once))] == ["points-differ"]


def test_a_row_copied_twice_does_not_switch_the_comparison_of_points_off() -> None:
    table = "number,surname,points\n1,Nowak,1\n2,Lis,0\n3,Kot,1\n4,Sowa,0\n"
    games = "\nround,first,second,result\n1,1,2,1-0\n1,3,4,1-0\n"
    assert found(read(table + games)) == []
    copied = read(f"{table}{games}1,1,2,1-0\n")
    assert [(one.key, one.params["counted"]) for one in copied.findings] == [("points-differ", "2")]


def test_a_replay_leaves_the_points_of_all_others_compared() -> None:
    table = "number,surname,points\n1,Nowak,1\n2,Lis,1\n3,Kot,9\n4,Sowa,0\n"
    games = "\nround,first,second,result\n1,1,2,1/2\n1,2,1,1/2\n1,3,4,1-0\n"
    assert [one.params["number"] for one in read(table + games).findings] == [3]


@pytest.mark.parametrize(
    ("written", "points"),
    [("4½", "4.5"), ("½", "0.5"), ("-12", "-12"), ('"13,33"', "13.33"), ("25000", "25000")],
)
def test_points_are_read_with_halves_commas_and_signs(written: str, points: str) -> None:
    [row] = sheet_of(f"surname,points\nNowak,{written}\n").rows
    assert row.points == Decimal(points)


def test_a_round_without_a_game_or_bye_is_told() -> None:
    text = f"{PLAYERS}\nround,first,second,result\n1,1,2,1-0\n2,3,,bye\n"
    assert "table-rounds-missing" not in keys(read(text + "3,2,3,1-0\n"))
    told = [
        finding for finding in read(text + "5,2,3,1-0\n").findings if finding.key == "table-rounds-missing"
    ]
    assert [(finding.level, finding.params) for finding in told] == [("notice", {"rounds": "3, 4"})]
