"""One form: what is written, read again, is the same; what is written is as the page says."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date
from decimal import Decimal
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from ratings.rulesets import facts, rulesets
from ratings.rulesets.facts import name_seal, seal_player
from ratings.rulesets.journal_lines import parse_line, plain, write_line
from ratings.rulesets.ruleset import Ruleset
from ratings.tests.journal_lines import DISCS, DOTS, TILES, game, line, opening, player, section

CSA = rulesets()["csa"]
SALT = "9f2c4e0b7d1a86535e90c2f4b8a7d613"

EVERYTHING_OF_CSA = (
    '{"fact":"section","id":"2024-017/A","event":"Joburg “Open”","name":"A","starts":"2024-03-01",'
    '"ends":"2024-03-03","country":"BWA","format":"swiss","team":true,"rounds":6,'
    '"time_control":[{"minutes":[90,30.5],"increment":30},{"minutes":[60]}],"platform":"mixed","disabled":true,'
    '"entries":[{"player":"a","place":1,"rating":0,"team":"Soweto"},'
    '{"player":"b","pre":1200,"left":{"round":4,"notified":false}}],'
    '"games":[{"round":1,"first":"a","second":"b","result":"1/2"},'
    '{"round":2,"first":"b","second":"a","result":"-:-","excused":"both"},'
    '{"round":7,"first":"a","second":"b","result":"1-0"}],'
    '"byes":[{"round":3,"player":"b","kind":"pairing"}]}'
)
CANONICAL: list[tuple[Ruleset, str]] = [
    (CSA, EVERYTHING_OF_CSA),
    (CSA, section()),
    (CSA, player("a", nation="RSA", region="GJHB", resident=False)),
    (CSA, player("a", name_seal="0f" * 32, nation="RSA", region="GJHB")),
    (CSA, '{"fact":"player","id":"A-1._b","name":"Nováková, Zoë \\"Zo\\\\\\"","salt":"' + "0f" * 16 + '"}'),
    (CSA, line("rated", section="E/A", on="2024-03-09")),
    (CSA, line("unrated", section="E/A", on="2024-03-09", reason="result")),
    (CSA, line("list", on="2024-04-01")),
    (CSA, line("revised", list="2024-04-01", on="2024-05-03")),
    (CSA, line("taken_over", on="2026-03-01", source="archive of the federation, 2009 to 2025")),
    (CSA, opening("a", rating="1712.5")),
    (CSA, opening("a", rating="1416.6666666666666667")),
    (CSA, line("merged", player="a", into="b", on="2024-06-01")),
    (CSA, line("parted", player="a", on="2024-07-15")),
    (DOTS, section(ruleset="dots")),
    (DOTS, line("rank", player="a", rank="2", on="2024-05-02", ground="2.4.1")),
    (DISCS, section(ruleset="discs")),
    (DISCS, line("playoff", season="2009/2010", winner="a", on="2010-09-05")),
    (DISCS, section(ruleset="discs", status="mp", entries=[{"player": "a", "place": 1, "women": True}])),
    (TILES, section(ruleset="tiles", status="special", coefficient=2)),
    (TILES, player("a", included_by="decision 7")),
]


@pytest.mark.parametrize(("ruleset", "written"), CANONICAL)
def test_a_canonical_line_read_and_written_is_the_same(ruleset: Ruleset, written: str) -> None:
    assert write_line(parse_line(written, ruleset), ruleset) == written


def test_the_federations_line_read_and_written_is_the_same() -> None:
    written = '{"fact":"federation","form":3,"code":"csa","ruleset":"csa","name":"Chess South Africa"}'
    assert write_line(parse_line(written, None), CSA) == written


def test_bytes_are_read_as_utf8() -> None:
    read = parse_line(player("a", name="Zoë", salt=SALT).encode(), CSA)
    assert read == facts.Player("a", "Zoë", SALT)


def test_what_has_its_default_is_left_out() -> None:
    written = section(
        country="RSA",
        team=False,
        disabled=False,
        time_control=[{"minutes": [90.0], "increment": 0}],
        games=[],
    )
    expected = section(time_control={"minutes": [90]})
    assert write_line(parse_line(written, CSA), CSA) == expected
    assert write_line(parse_line(player("a", resident=True), CSA), CSA) == player("a")


def test_keys_in_any_order_and_spaces_between_are_read() -> None:
    written = ' { "on": "2024-03-09", "section": "E/A", "fact": "rated" } '
    assert parse_line(written, CSA) == facts.Rated("E/A", date(2024, 3, 9))


def test_the_federations_own_country_is_no_country_in_a_fact() -> None:
    read = parse_line(section(country="RSA"), CSA)
    assert isinstance(read, facts.Section)
    assert read.country is None
    assert write_line(replace(read, country="RSA"), CSA) == section()


def test_games_are_sorted_by_round_and_stay_as_they_stand_within_it() -> None:
    second, first, also_first = game("a", "b", "1/2", 2), game("a", "b", "annulled"), game("b", "a")
    read = parse_line(section(games=[second, first, also_first]), CSA)
    assert isinstance(read, facts.Section)
    assert [(each.round, each.result) for each in read.games] == [(1, "annulled"), (1, "1-0"), (2, "1/2")]
    shuffled = replace(read, games=read.games[::-1])
    assert write_line(shuffled, CSA).index('"round":1') < write_line(shuffled, CSA).index('"round":2')


def test_names_are_written_in_nfc() -> None:
    written = write_line(facts.Player("a", "Zoe\u0308", SALT), CSA)
    assert written == player("a", name="Zoë", salt=SALT)


def test_what_a_ruleset_does_not_read_is_not_written() -> None:
    told = facts.Player("a", "A", SALT, included_by="decision 7")
    assert write_line(told, CSA) == player("a", name="A", salt=SALT)
    assert write_line(told, TILES) == player("a", name="A", salt=SALT, included_by="decision 7")
    entry = facts.Entry("a", rating=1900, pre=1200, women=True)
    played = replace(section_fact(), entries=(entry,))
    assert '{"player":"a","rating":1900,"pre":1200}' in write_line(played, CSA)
    assert '{"player":"a","women":true}' in write_line(played, DISCS)
    assert '{"player":"a"}' in write_line(played, DOTS)


def section_fact() -> facts.Section:
    read = parse_line(section(), CSA)
    assert isinstance(read, facts.Section)
    return read


def test_fractions_of_a_minute_are_read_exactly() -> None:
    read = parse_line(section(time_control={"minutes": [0.1, 2.50]}), CSA)
    assert isinstance(read, facts.Section)
    assert read.time_controls == (facts.TimeControl((Decimal("0.1"), Decimal("2.5"))),)


def test_the_examples_of_the_page_are_in_the_one_form() -> None:
    page = (Path(__file__).parents[2] / "docs" / "journal.md").read_text()
    examples = re.findall(r"^    (\{\"fact\".*\n(?:     .*\n)*)", page, re.MULTILINE)
    lines = [re.sub(r"\n *", "", example) for example in examples]
    lines.remove('{"fact":"end","lines":13465,"sha256":"…"}')  # where a file ends: no line of the journal
    of_others = [each for each in lines if '"rank"' in each or '"playoff"' in each]
    assert len(lines) == 13
    assert len(of_others) == 2
    for each in lines:
        if each not in of_others:
            ruleset = None if '"federation"' in each else CSA
            assert write_line(parse_line(each, ruleset), CSA) == each


@pytest.mark.parametrize(
    ("number", "written"),
    [("1E+3", "1000"), ("0.10", "0.1"), ("-0.0", "0"), ("100", "100"), ("1E-16", "0.0000000000000001")],
)
def test_decimals_are_written_plainly(number: str, written: str) -> None:
    assert plain(Decimal(number)) == written


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("excused", None),
        ("rating", None),
        ("pre", None),
        ("women", False),
    ],
)
def test_entries_and_games_have_no_defaults_to_write(key: str, value: Any) -> None:
    read = parse_line(section(games=[game("a", "b")]), CSA)
    assert isinstance(read, facts.Section)
    assert getattr(read.games[0] if key == "excused" else read.entries[0], key) is value
    assert f'"{key}"' not in write_line(read, CSA)


def test_a_seal_is_of_the_salts_bytes_and_the_name() -> None:
    ought = sha256(bytes.fromhex(SALT) + "Nováková, Zoë".encode()).hexdigest()
    assert name_seal("Nováková, Zoë", SALT) == ought
    assert name_seal("Nova\u0301kova\u0301, Zoe\u0308", SALT) == ought  # in NFC
    assert name_seal("Nováková, Zoë", SALT[::-1]) != ought


def test_a_sealed_player_tells_neither_name_nor_salt_and_all_else() -> None:
    told = facts.Player("a", "Zoë", SALT, nation="RSA", region="GJHB", resident=False, included_by="7")
    hidden = seal_player(told)
    assert (hidden.name, hidden.salt, hidden.seal) == (None, None, name_seal("Zoë", SALT))
    assert replace(hidden, name="Zoë", salt=SALT, seal=None) == told
    assert seal_player(hidden) == hidden
    assert "Zoë" not in write_line(hidden, CSA)
    assert SALT not in write_line(hidden, CSA)
