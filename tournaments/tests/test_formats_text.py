"""From bytes to lines: what is no text is called by its name, and no encoding is guessed in silence."""

import pytest

from tournaments import formats
from tournaments.formats import read_any
from tournaments.formats.common.decode_text import LONGEST_LINE, MOST_BYTES, MOST_LINES, MOST_PLAY
from tournaments.formats.messages import say
from tournaments.tests.event_files import FOUR, HEAD, keys, read

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
        ((HEAD + FOUR).encode("utf-16"), "is-utf16"),
        ((HEAD + FOUR).encode("utf-16-be"), "is-utf16"),
        ((HEAD + FOUR).encode() + b"\0", "is-binary"),
        (b"  <!DOCTYPE html><p>001", "is-web-page"),
        (b'{"001": 1}', "is-markup"),
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
    assert "Müller, Pieter" in say(guess)
    assert ("encoding-guessed", "cp1252") in [
        (adjustment.key, adjustment.after) for adjustment in reading.adjustments
    ]
    assert "encoding-guessed" not in keys(read(UMLAUT))


def test_bytes_that_no_old_encoding_has_are_refused() -> None:
    assert "odd-character" in keys(read_any(UMLAUT.encode("cp1252").replace(b"\xfc", b"\x81")), "blocks")


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
