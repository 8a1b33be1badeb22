"""The pages' fonts: which letters they have, how much they weigh, and under whose licence they lie here."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from fontTools.ttLib import TTFont

from tests.cut_fonts import CYRILLIC, FACES, FIRST, FOLDER, FURTHER, PARTS, RUSSIAN, Face

ROOT = Path(__file__).resolve().parent.parent
TOKENS = (ROOT / "static" / "css" / "tokens.css").read_text()
MOST_BYTES = 110_000
MOST_BYTES_OF_A_PAGE = 50_000
SMALL_LETTERS = {
    "English": "abcdefghijklmnopqrstuvwxyz",
    "Polish": "aąbcćdeęfghijklłmnńoóprsśtuwyzźż",
    "Czech": "aábcčdďeéěfghiíjklmnňoópqrřsštťuúůvwxyýzž",
    "Russian": "абвгдеёжзийклмнопрстуфхцчшщъыьэюя",
}
FILES = [(face, part) for face in FACES for part in PARTS]
NOT_DRAWN = {"Record Sans": set(), "Record Serif": set("‑↕▾▸ĬĭŦŧ")}
"""What the original has not: the reader's own font shows it."""


def font(face: Face, part: str) -> TTFont:
    return TTFont(FOLDER / f"{face.file}{part}.woff2")


def drawn(face: Face) -> set[str]:
    return {chr(code) for part in PARTS for code in font(face, part).getBestCmap()}


def signs_of_pages() -> set[str]:
    """Every sign beyond ASCII of templates, styles, scripts and translations."""
    patterns = ("templates/**/*.html", "static/css/*.css", "static/js/*.js", "locale/**/*.po")
    return {
        sign
        for pattern in patterns
        for path in ROOT.glob(pattern)
        if path.name != "pico.css"
        for sign in path.read_text()
        if not sign.isascii()
    }


@pytest.mark.parametrize("part", ["", "-cyrillic"])
def test_what_a_page_of_one_alphabet_fetches_weighs_at_most_50_kilobytes(part: str) -> None:
    assert sum((FOLDER / f"{face.file}{part}.woff2").stat().st_size for face in FACES) <= MOST_BYTES_OF_A_PAGE


def test_a_page_in_russian_has_its_letters_figures_and_signs_from_one_file() -> None:
    words = "".join(path.read_text() for path in ROOT.glob("locale/ru/**/*.po"))
    letters = {each for each in words if "а" <= each.lower() <= "я" or each in "Ёё0123456789.,:;–—«»()№§%"}
    assert {ord(each) for each in letters} <= RUSSIAN
    assert CYRILLIC <= RUSSIAN


def test_all_fonts_together_weigh_at_most_110_kilobytes() -> None:
    names = {f"{face.file}{part}.woff2" for face, part in FILES}
    assert {path.name for path in FOLDER.glob("*.woff2")} == names
    assert sum((FOLDER / name).stat().st_size for name in names) <= MOST_BYTES


@pytest.mark.parametrize("language", SMALL_LETTERS)
@pytest.mark.parametrize("face", FACES, ids=lambda face: face.name)
def test_every_letter_of_the_alphabet_is_drawn(face: Face, language: str) -> None:
    letters = SMALL_LETTERS[language]
    assert {*letters, *letters.upper()} - drawn(face) == set()


@pytest.mark.parametrize("face", FACES, ids=lambda face: face.name)
def test_every_sign_that_pages_show_is_drawn(face: Face) -> None:
    assert signs_of_pages() - drawn(face) - NOT_DRAWN[face.name] == set()


@pytest.mark.parametrize("face", FACES, ids=lambda face: face.name)
def test_a_font_has_what_its_table_says_but_what_its_original_has_not(face: Face) -> None:
    for part, letters in PARTS.items():
        has = {chr(code) for code in font(face, part).getBestCmap()}
        assert {chr(code) for code in letters} - has <= NOT_DRAWN[face.name]
        assert has <= {chr(code) for code in letters}


@pytest.mark.parametrize("face", FACES, ids=lambda face: face.name)
def test_figures_stand_below_each_other(face: Face) -> None:
    file = font(face, "")
    names = [file.getBestCmap()[ord(figure)] for figure in "0123456789"]
    assert len({file["hmtx"][name][0] for name in names}) == 1


def test_further_letters_are_fetched_where_one_of_them_occurs_and_nowhere_else() -> None:
    ranges = re.findall(r"unicode-range:\s*([^;]+);", TOKENS)
    assert len(ranges) == 2 * len(FACES)
    found = []
    for each in ranges:
        asked: set[int] = set()
        for first, last in re.findall(r"U\+([0-9A-F]+)(?:-([0-9A-F]+))?", each):
            asked |= {*range(int(first, 16), int(last or first, 16) + 1)}
        found.append(asked)
    assert found.count(FURTHER) == found.count(CYRILLIC) == len(FACES)
    assert FIRST.isdisjoint(FURTHER | CYRILLIC)


@pytest.mark.parametrize(("face", "part"), FILES, ids=lambda each: getattr(each, "name", each))
def test_a_font_that_was_cut_bears_no_reserved_name_and_its_licence_lies_beside_it(
    face: Face, part: str
) -> None:
    told = {record.nameID: str(record) for record in font(face, part)["name"].names}
    assert {told[number] for number in (1, 4)} == {face.name}
    assert "Open Font License" in told[13]
    assert "Adobe" in told[0]
    assert (FOLDER / "OFL.txt").read_text().count("Adobe (") == len(FACES)
    assert face.checksum in (FOLDER.parent / "VENDOR.md").read_text()


def test_no_font_makes_a_page_wait_or_move() -> None:
    faces = [face for face in TOKENS.split("@font-face")[1:] if "url(" in face]
    assert len(faces) == len(FILES) + len(FACES)  # the Cyrillic of a file, and all of it
    assert all("font-display: optional" in face for face in faces)
