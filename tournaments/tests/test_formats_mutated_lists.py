"""Lists of players for the register, changed at random: each is read or refused, by the row or as a whole."""

from __future__ import annotations

import json
import random

import pytest

from players import register_table
from tournaments.formats.messages import MESSAGES
from tournaments.formats.player_lists import MOST_COLUMNS, read_table
from tournaments.tests.test_formats_mutated import A_SEED, FILES, by_bytes, by_structure
from tournaments.tests.test_formats_player_lists import COMBINED, OLD, OTHELLO, SINGLE, XML, packed

CSA = b"UNIQUE_NO,SURNAME,FIRSTNAME,BDATE,SEX,TITLE,RATING,FED\r\n1,Botha,Anneke,1990/01/02,F,,1500,GAU\r\n"
SWISS_MANAGER = b"ID_No;Name;Sex;Fed;Clubnumber;Birthday;Rtg_Nat\r\n7;Botha, Anneke;f;RSA;1;1990;1500\r\n"
WORDS = {**MESSAGES, **register_table.MESSAGES}
LISTS = (COMBINED, SINGLE, OLD, XML, OTHELLO, CSA, SWISS_MANAGER)


def must_answer(data: bytes) -> None:
    told = list(read_table(data, "list.txt"))
    assert told
    json.dumps(told)
    head, *rows = told
    if "refused" in head:
        assert head["refused"] in WORDS
        return
    *rows, end = rows
    assert "rows" in end or end["refused"] in WORDS
    assert all(len(row[1]) <= MOST_COLUMNS for row in rows)
    assert all(text.isprintable() for row in rows for text in row[1])


@pytest.mark.parametrize("seed", range(FILES // A_SEED))
def test_a_list_changed_at_random_is_read_or_refused(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(A_SEED):
        must_answer(chance.choice((by_bytes, by_structure))(chance.choice(LISTS), chance))
    must_answer(by_bytes(packed(list=chance.choice(LISTS)), chance))


@pytest.mark.parametrize("data", LISTS, ids=("combined", "single", "old", "xml", "othello", "csa", "sm"))
def test_a_list_cut_off_anywhere_is_read_or_refused(data: bytes) -> None:
    for cut in range(len(data)):
        must_answer(data[:cut])
