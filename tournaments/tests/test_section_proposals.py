"""What speaks for a section: names first, then rounds and days. Where two are as likely, nothing is said."""

from __future__ import annotations

from datetime import date

import pytest

from tournaments.matching import (
    distinctive_words,
    name_for_section,
    propose_sections,
    section_evidence,
)
from tournaments.models import ArchivedFile, Section

EVENT = "Soweto Open"


def file(tournament: str, name: str = "x.trf", key: int = 1, **more: object) -> ArchivedFile:
    return ArchivedFile(number=key, tournament=tournament, name=name, **more)


def section(name: str, code: str = "", **more: object) -> Section:
    return Section(code=code or name, name=name, **more)


def proposed(files: list[ArchivedFile], sections: list[Section], free: str | None = None) -> dict[int, str]:
    may = {one.code for one in sections} if free is None else set(free)
    found = propose_sections(files, sections, event=EVENT, free_codes=may)
    return {number: code for number, (code, _evidence) in found.items()}


@pytest.mark.parametrize(
    ("said", "wanted", "evidence"),
    [
        (file("Soweto Open A"), section("A"), ("tournament",)),
        (file("Soweto Open - Section A"), section("Section A"), ("tournament",)),
        (file("SOWETO OPEN U16"), section("U 16"), ("tournament",)),
        (file("Soweto Open Ladies"), section("Ladies", "C"), ("tournament",)),
        (file("Soweto Open", "Soweto/section_b.trf"), section("B"), ("file-name",)),
        (file("Soweto Open", "B.trf"), section("Ladies", "B"), ("file-name",)),
        (file("Soweto Open Reserves"), section("Reserve"), ("tournament-alike",)),
        (file("Soweto Open Açores"), section("Acores"), ("tournament",)),
        (file("Soweto Open B"), section("A"), ()),
        (file("Soweto Open AB"), section("A"), ()),
        (file("", "1.trf"), section("A"), ()),
    ],
)
def test_names_speak_for_a_section(said: ArchivedFile, wanted: Section, evidence: tuple[str, ...]) -> None:
    assert section_evidence(said, wanted, EVENT) == evidence


def test_the_events_own_words_say_nothing_but_once() -> None:
    assert distinctive_words("Soweto Open – Open Section", EVENT) == ["open"]
    assert distinctive_words("Soweto Open", EVENT) == ["soweto", "open"]


@pytest.mark.parametrize(
    ("rounds", "days", "evidence"),
    [
        (7, (6, 8), ("tournament", "rounds", "days")),
        (6, (6, 8), ("tournament", "rounds-differ", "days")),
        (7, (5, 8), ("tournament", "rounds", "days-differ")),
    ],
)
def test_rounds_and_days_speak_for_and_against(
    rounds: int, days: tuple[int, int], evidence: tuple[str, ...]
) -> None:
    starts, ends = (date(2026, 3, day) for day in days)
    wanted = section("A", rounds=7, starts=date(2026, 3, 6), ends=date(2026, 3, 8))
    said = file("Soweto Open A", rounds=rounds, starts=starts, ends=ends)
    assert section_evidence(said, wanted, EVENT) == evidence


def test_rounds_alone_propose_nothing() -> None:
    files = [file("Soweto Open", key=1, rounds=5), file("Soweto Open", key=2, rounds=7)]
    assert proposed(files, [section("A", rounds=5), section("B", rounds=7)]) == {}


def test_of_two_files_as_likely_none_is_proposed() -> None:
    files = [file("Soweto Open A", key=1), file("Soweto Open A", key=2)]
    assert proposed(files, [section("A"), section("B")]) == {}


def test_of_two_files_with_one_name_the_rounds_decide() -> None:
    files = [file("Soweto Open A", key=1, rounds=5), file("Soweto Open A", key=2, rounds=7)]
    assert proposed(files, [section("A", rounds=7), section("B"), section("C")]) == {2: "A"}


def test_a_file_named_for_two_sections_is_proposed_for_neither() -> None:
    assert proposed([file("Soweto Open A B")], [section("A"), section("B")]) == {}


def test_one_file_and_one_section_left_go_together_where_nothing_is_against() -> None:
    files = [file("Soweto Open A", key=1), file("Soweto Open", key=2, rounds=5)]
    assert proposed(files, [section("A"), section("B", rounds=5)]) == {1: "A", 2: "B"}
    assert proposed(files, [section("A"), section("B", rounds=7)]) == {1: "A"}
    assert proposed(files, [section("A"), section("B")], free="A") == {1: "A"}


@pytest.mark.parametrize(
    ("tournament", "name"),
    [
        ("Soweto Open – Under 16", "Under 16"),
        ("soweto open: B", "B"),
        ("Soweto Open", "Soweto Open"),
        ("Soweto Openair", "Soweto Openair"),
        ("Durban Rapid", "Durban Rapid"),
        ("", ""),
    ],
)
def test_a_new_section_is_called_what_stands_behind_the_events_name(tournament: str, name: str) -> None:
    assert name_for_section(tournament, EVENT) == name


class Counted(str):
    """A key that counts how often it is compared."""

    compared = 0
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        Counted.compared += 1
        return str.__eq__(self, other)


def test_each_pair_is_weighed_against_no_other_but_the_best() -> None:
    names = [f"Group {chr(65 + number)}" for number in range(20)]
    sections = [section(name, Counted(name)) for name in names]
    files = [file("Soweto Open " + " ".join(names), key=key) for key in range(40)]
    assert propose_sections(files, sections, event=EVENT, free_codes={one.code for one in sections}) == {}
    assert Counted.compared < 10 * len(files) * len(sections)
