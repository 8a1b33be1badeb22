"""From bytes to lines: what is no text is called by its name, and no encoding is guessed in silence."""

import pytest

from tournaments import formats
from tournaments.formats import read_any
from tournaments.formats.sheet import FileFinding
from tournaments.formats.text import LONGEST_LINE, MOST_BYTES, MOST_LINES, MOST_PLAY
from tournaments.tests.event_files import FOUR, HEAD, describe_in_english, keys, read

UMLAUT = (HEAD + FOUR).replace("Botha, Pieter ", "Müller, Pieter")


@pytest.mark.parametrize(
    ("data", "key"),
    [
        (b"", "empty"),
        (b" \r\n\t\n", "empty"),
        (b"\xef\xbb\xbf\n", "empty"),
        (b"\0\0\0\0", "empty"),
        (b"%PDF-1.4 001 ", "is-pdf"),
        (b"PK\x03\x04....event.trf", "is-zip"),
        (b"PK\x03\x04....xl/workbook.xml", "xlsx-broken"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "is-old-office"),
        (b"\x1f\x8b\x08\x00", "is-archive"),
        (b"\x89PNG\r\n\x1a\n", "is-picture"),
        (b"\x93\xff\x89\x44\x01\0\0\0", "is-swiss-manager"),
        (b"[Tournament]\r\nName=Soweto Open\r\n", "is-swiss-perfect"),
        (b"\x03\x70\x05\x07\x04\0\0\0\xa1\x01\x56\0" + b"\0" * 500, "is-swiss-perfect"),
        (b"\x03\x70\x0d\x07\x04\0\0\0\xa1\x01\x56\0" + b"\0" * 500, "is-binary"),
        (b"[{}]", "is-markup"),
        (b"ID number Name                TitlFed  May26 GamesBorn  Flag\n", "is-player-list"),
        (b"<?xml version='1.0'?>\n<playerslist><player>", "is-player-list"),
        (b"%%Liste\npays = POL\n280016 NOWAK, Anna\n", "is-player-list"),
        (b"UNIQUE_NO,SURNAME,FIRSTNAME,BDATE\n", "is-player-list"),
        ((HEAD + FOUR).encode() + b"\0", "is-binary"),
        (b"  <!DOCTYPE html><p>001", "is-web-page"),
        (b'{"001": 1}', "is-markup"),
        (b'{"rank":1,"points":4.5,"rating":2105,"username":"Thabo_D"}\n', "is-lichess-results"),
        (b"<?xml version='1.0'?>", "is-markup"),
        (b"Dear office,\nhere is our tournament.\n", "not-recognised"),
        (b"Rank;Player;Total\n1;Dlamini, Thabo;5\n", "not-recognised"),
        (HEAD.encode(), "no-players"),
    ],
)
def test_what_is_no_tournament_report_is_refused_by_its_name(data: bytes, key: str) -> None:
    reading = read_any(data)
    assert reading.sheet is None
    assert keys(reading) == [key]
    assert reading.blocked


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_may_end_in_any_way(end: str) -> None:
    reading = read((HEAD + FOUR).replace("\n", end))
    assert [row.line for row in reading.sheet.rows] == [6, 7, 8, 9]  # type: ignore[union-attr]
    assert not reading.blocked


@pytest.mark.parametrize(
    ("encoding", "named"), [("utf-8", "utf-8"), ("utf-8-sig", "utf-8"), ("cp1252", "cp1252")]
)
def test_names_come_out_right_in_every_usual_encoding(encoding: str, named: str) -> None:
    reading = read_any(UMLAUT.encode(encoding))
    assert reading.sheet
    assert (reading.sheet.rows[2].name, reading.sheet.encoding) == ("Müller, Pieter", named)
    assert not reading.blocked


@pytest.mark.parametrize(
    ("encoding", "names"),
    [
        ("cp1252", ("Müller, Jörg", "Núñez, José", "Sørensen, Åse", "Lefèvre, Zoé")),
        ("cp1250", ("Dvořák, Jiří", "Šimková, Žofie", "Łukasz, Wąsik", "Černý, Luboš")),
        ("iso-8859-2", ("Dvořák, Jiří", "Šimková, Žofie", "Wąsik, Paweł", "Černý, Luboš")),
        ("cp1250", ("Żółkowska, Ewa", "Żółw, Jan", "Wąsik, Ola", "Nowak, Piotr")),
        ("cp1251", ("Иванов, Сергей", "Кузнецова, Ольга", "Петров, Николай", "Димитрова, Ана")),
        ("iso-8859-7", ("Παπαδόπουλος, Νίκος", "Γεωργίου, Ελένη", "Αντωνίου, Μαρία", "Ιωάννου, Πέτρος")),
    ],
)
def test_names_of_other_alphabets_come_out_right_and_the_guess_is_said(
    encoding: str, names: tuple[str, ...]
) -> None:
    text = HEAD + FOUR
    for filed, name in zip(
        ("Dlamini, Thabo", "Naidoo, Priya", "Botha, Pieter", "Mokoena, Lerato"), names, strict=True
    ):
        text = text.replace(f"{filed:<33}", f"{name:<33}")
    reading = read_any(text.encode(encoding))
    assert reading.sheet
    assert tuple(row.name for row in reading.sheet.rows) == names
    assert reading.sheet.encoding == encoding
    assert ("encoding-guessed", encoding) in [
        (adjustment.key, adjustment.after) for adjustment in reading.adjustments
    ]
    assert not reading.blocked


def test_an_encoding_that_is_guessed_is_said_with_a_line_to_look_at() -> None:
    reading = read_any(UMLAUT.encode("cp1252"))
    guess = next(finding for finding in reading.findings if finding.key == "encoding-guessed")
    assert (guess.line, guess.params["encoding"]) == (8, "cp1252")
    assert "Müller, Pieter" in describe_in_english(guess)
    assert ("encoding-guessed", "cp1252") in [
        (adjustment.key, adjustment.after) for adjustment in reading.adjustments
    ]
    assert "encoding-guessed" not in keys(read(UMLAUT))


def test_bytes_that_no_old_encoding_has_are_refused() -> None:
    assert "odd-character" in keys(read_any(UMLAUT.encode("cp1252").replace(b"M\xfc", b"\x81u")), "blocks")


def test_a_file_cut_within_a_letter_is_called_cut_and_not_miscoded() -> None:
    data = UMLAUT.encode()
    reading = read_any(data[: data.index("ü".encode()) + 1])
    assert "cut-in-character" in keys(reading, "blocks")
    assert "encoding-guessed" not in keys(reading)


@pytest.mark.parametrize("character", ["\x07", "\u200b", "\u202e", "\ue000", "\uffff", "\u2028", "\ufeff"])
def test_an_invisible_character_is_refused_where_it_stands(character: str) -> None:
    reading = read((HEAD + FOUR).replace("Botha, Pieter ", f"Both{character}a, Pieter"))
    odd = next(finding for finding in reading.findings if finding.key == "odd-character")
    assert (odd.level, odd.line, odd.column) == ("blocks", 8, 19)
    assert odd.params["code"] == f"U+{ord(character):04X}"
    assert reading.sheet
    assert character not in reading.sheet.rows[2].name


def test_names_are_put_into_one_form() -> None:
    reading = read((HEAD + FOUR).replace("Botha, Pieter ", "Mu\u0308ller, Piet"))
    assert reading.sheet
    assert reading.sheet.rows[2].name == "Müller, Piet"


def test_a_file_may_have_two_megabytes_and_not_a_byte_more() -> None:
    data = (HEAD + FOUR).encode()
    line = b"#" * 1000 + b"\n"
    data += line * ((MOST_BYTES - len(data)) // len(line))
    data += b"#" * (MOST_BYTES - len(data))
    assert not read_any(data).blocked
    assert keys(read_any(data + b"#")) == ["too-big"]


def test_a_file_may_have_twenty_thousand_lines_and_not_one_more() -> None:
    text = HEAD + FOUR
    text += "\n" * (MOST_LINES - text.count("\n"))
    assert not read(text).blocked
    assert keys(read(text + "\n")) == ["too-many-lines"]


def test_a_line_may_have_two_thousand_characters_and_not_one_more() -> None:
    assert not read(HEAD + FOUR + "#" * LONGEST_LINE).blocked
    reading = read(HEAD + FOUR + "#" * (LONGEST_LINE + 1))
    assert [(finding.key, finding.line) for finding in reading.findings if finding.level == "blocks"] == [
        ("line-too-long", 10)
    ]


@pytest.mark.parametrize(("most", "told"), [(4, []), (3, ["too-much-play"])])
def test_a_file_may_mean_a_hundred_thousand_games_and_byes_and_not_one_more(
    monkeypatch: pytest.MonkeyPatch, most: int, told: list[str]
) -> None:
    assert MOST_PLAY == 100_000
    monkeypatch.setattr(formats, "MOST_PLAY", most)
    assert keys(read(HEAD + FOUR)) == told


# ---------------------------------------------------------------- wide letters, DOS, and the office's country


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_a_text_saved_as_utf_16_is_read_and_told(encoding: str) -> None:
    reading = read_any(UMLAUT.encode(encoding))
    assert reading.sheet == read(UMLAUT).sheet
    assert [adjustment.key for adjustment in reading.adjustments if "encoding" in adjustment.key] == [
        "encoding-wide"
    ]


def test_half_a_letter_of_utf_16_is_an_odd_character() -> None:
    assert "odd-character" not in keys(read_any(UMLAUT.encode("utf-16-le")))
    assert read_any(UMLAUT.encode("utf-16-le")[:-1]).blocked


def with_names(*names: str) -> str:
    text = HEAD + FOUR
    for filed, name in zip(
        ("Dlamini, Thabo", "Naidoo, Priya", "Botha, Pieter", "Mokoena, Lerato"), names, strict=False
    ):
        text = text.replace(f"{filed:<33}", f"{name:<33}")
    return text


@pytest.mark.parametrize("names", [("Müller, José", "Núñez, Inés"), ("Fernández, Zoë", "Göran, Söder")])
def test_names_of_dos_come_out_right(names: tuple[str, ...]) -> None:
    sheet = read_any(with_names(*names).encode("cp850")).sheet
    assert sheet
    assert (sheet.rows[0].name, sheet.rows[1].name, sheet.encoding) == (*names, "cp850")


@pytest.mark.parametrize("name", ["O’Brien, “Bo” …", "Müller – Jörg"])
def test_quotes_and_dashes_of_windows_are_no_letters_of_dos(name: str) -> None:
    sheet = read_any(with_names(name).encode("cp1252")).sheet
    assert sheet
    assert (sheet.rows[0].name, sheet.encoding) == (name, "cp1252")


BOTH = "Dalì, Noè"
"""Letters that central Europe writes with the same bytes: Dalě, Noč."""


@pytest.mark.parametrize(
    ("country", "encoding"), [("RSA", "cp1252"), ("CZE", "cp1250"), ("", "cp1250"), ("XXX", "cp1250")]
)
def test_the_offices_country_decides_letters_that_could_be_either(country: str, encoding: str) -> None:
    sheet = read_any(with_names(BOTH).encode("cp1252"), "", country).sheet
    assert sheet
    assert sheet.encoding == encoding


def test_letters_of_central_europe_alone_go_before_the_offices_country() -> None:
    sheet = read_any(with_names("Wąsik, Paweł").encode("cp1250"), "", "RSA").sheet
    assert sheet
    assert sheet.encoding == "cp1250"


def test_a_guessed_encoding_shows_a_players_line_before_any_other() -> None:
    text = UMLAUT.replace("Tembisa Rapid", "Tembisa à la carte")
    guess = next(f for f in read_any(text.encode("cp1252")).findings if f.key == "encoding-guessed")
    assert (guess.line, "Müller" in str(guess.params["sample"])) == (8, True)


def test_lines_whose_blanks_were_lost_are_told_from_lines_that_break_off() -> None:
    lost = "\n".join(" ".join(line.split()) for line in FOUR.splitlines())
    assert keys(read(HEAD + lost)) == ["columns-not-kept"] * 4
    assert "line-cut" in keys(read(HEAD + FOUR[:70]))


def test_no_refusal_sends_a_reader_to_one_programs_form() -> None:
    for key in ("is-pdf", "is-picture", "is-binary", "is-markup", "is-web-page", "is-old-office"):
        assert "TRF" not in describe_in_english(FileFinding("blocks", key)), key
