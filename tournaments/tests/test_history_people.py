"""Who is who in a history: people known by all their names, asked about where two may be one after all."""

from __future__ import annotations

from typing import Any

import pytest

from players.models import Federation
from tests.built_once import built_once
from tournaments import matching
from tournaments.history import Answers, Question
from tournaments.history_people import APART, FiledPerson, Resolution, Spellings
from tournaments.matching import CLUB, FIDE
from tournaments.models import Entry


class Said(Answers):
    """Answers that nobody stored."""

    def __init__(self, said: dict[str, str] | None = None) -> None:
        self.values = {("person", subject): value for subject, value in (said or {}).items()}


class Archive:
    """Files of one entry each, in this order, and who is who in them."""

    def __init__(self, csa: Federation) -> None:
        self.csa = csa
        self.entries: list[tuple[int, Entry]] = []

    def file(self, surname: str, first_name: str, birth: str = "", **told: Any) -> str:
        """Add a file with this entry; return the mark of its spelling."""
        return self.beside(len(self.entries) + 1, surname, first_name, birth, **told)

    def beside(self, file: int, surname: str, first_name: str, birth: str = "", **told: Any) -> str:
        entry = Entry(
            number=len(self.entries) + 1, surname=surname, first_name=first_name, birth=birth, **told
        )
        self.entries.append((file, entry))
        return self.spellings()[1][-1]

    def spellings(self, answers: Answers | None = None) -> tuple[Spellings, list[str]]:
        found = Spellings((answers or Said()).subjects("person", APART))
        return found, [found.add(file, f"{file}.trf", None, entry) for file, entry in self.entries]

    def resolve(self, **said: str) -> tuple[list[FiledPerson], list[Question]]:
        """The person of each entry, and the questions; `said`: answers by mark, `all` for all of them."""
        answers = Said({"*" if mark == "all" else mark: value for mark, value in said.items()})
        spellings, marks = self.spellings(answers)
        resolution = Resolution(self.csa, answers)
        people = resolution.resolve(spellings.by_mark.values())
        return [people[mark] for mark in marks], [
            each for each in resolution.questions if each.level == "asks"
        ]


@pytest.fixture
@built_once
def archive(csa: Federation) -> Archive:
    return Archive(csa)


def fide(value: int) -> dict[str, str]:
    return {"filed_id": str(value), "id_kind": FIDE}


def club(value: int) -> dict[str, str]:
    return {"filed_id": str(value), "id_kind": CLUB}


def test_whoever_was_misspelt_first_is_a_namesake_of_another_all_the_same(archive: Archive) -> None:
    archive.file("Kuhmalo", "Craig", "1987", **fide(14300532))
    archive.file("Khumalo", "Craig", "1987-07-03", **fide(14300532))
    archive.file("Khumalo", "Craig", "2007-07-02", **fide(14300525))
    bare = archive.file("Khumalo", "Craig")
    people, [asked] = archive.resolve()
    assert people[0] is people[1] is not people[2]
    assert asked.subject == bare
    assert "1987-07-03" in asked.proposed
    assert "2007-07-02" in asked.proposed


def test_a_name_alone_is_told_apart_by_the_clubs_own_id(archive: Archive) -> None:
    one = archive.file("Dube", "Vusi", **club(50001))
    assert archive.file("Dube", "Vusi", **club(50001)) == one
    assert archive.file("Dube", "Vusi", **club(50002)) != one


def test_with_a_birth_the_clubs_own_id_says_nothing(archive: Archive) -> None:
    one = archive.file("Dube", "Vusi", "1956-04-01", **club(50001))
    assert archive.file("Dube", "Vusi", "1956-04-01", **club(50002)) == one


def two_of_whom_a_third_spelling_tells(archive: Archive, birth: str = "1972-09-11") -> tuple[str, str]:
    younger = archive.file("Nkosi", "Refilwe", birth)
    older = archive.file("Joergensen", "Refilwe", "1972", **fide(14300441))
    archive.file("Jørgensen", "Refilwe", "1972-09-11", **fide(14300441))
    return younger, older


def test_two_whom_a_third_spelling_shows_to_be_alike_are_asked_about(archive: Archive) -> None:
    earlier, later = two_of_whom_a_third_spelling_tells(archive)
    people, [asked] = archive.resolve()
    assert people[0] is not people[1]
    assert (asked.subject, asked.proposed.split()[0]) == (later, earlier)


def test_they_are_one_by_an_answer_and_by_one_for_all(archive: Archive) -> None:
    earlier, later = two_of_whom_a_third_spelling_tells(archive)
    for said in ({later: earlier}, {earlier: later}, {"all": "best"}):
        people, asked = archive.resolve(**said)
        assert not asked
        assert people[0] is people[1] is people[2]
    people, asked = archive.resolve(**{later: "new"})
    assert not asked
    assert people[0] is not people[1]


def test_of_two_who_were_born_on_other_days_nobody_asks(archive: Archive) -> None:
    two_of_whom_a_third_spelling_tells(archive, "1972-09-12")
    assert not archive.resolve()[1]


def test_of_two_who_stand_in_one_file_nobody_asks(archive: Archive) -> None:
    archive.file("Nkosi", "Refilwe", "1972-09-11")
    archive.beside(1, "Joergensen", "Refilwe", "1972", **fide(14300441))
    archive.file("Jørgensen", "Refilwe", "1972-09-11", **fide(14300441))
    assert not archive.resolve()[1]


def test_an_answer_may_name_somebody_who_stands_in_a_later_file_and_was_never_asked(archive: Archive) -> None:
    maiden = archive.file("Kekana", "Thandi", "2006")
    married = archive.file("Tshabalala", "Thandi", "2006-09-12")
    people, asked = archive.resolve()
    assert not asked
    assert people[0] is not people[1]
    people, asked = archive.resolve(**{maiden: married})
    assert not asked
    assert people[0] is people[1]
    assert people[0].birth == "2006-09-12"


def test_answers_that_name_each_other_say_that_one_is_not_there(archive: Archive) -> None:
    one, other = archive.file("Kekana", "Thandi", "2006"), archive.file("Zulu", "Mpho", "1990")
    _people, asked = archive.resolve(**{one: other, other: one})
    assert [each.key for each in asked] == ["person-not-there"]


def name_of(archive: Archive, *surnames: str) -> set[str]:
    for surname in surnames:
        archive.file(surname, "Priya", "1990-01-02", **fide(14300441))
    return {each.name for each in archive.resolve(all="best")[0]}


def test_a_new_player_has_the_newest_surname_that_two_entries_have(archive: Archive) -> None:
    assert name_of(archive, "Naidoo", "Naidoo", "Naidoo", "Botha", "Botha", "Zulu") == {"Botha, Priya"}


def test_a_slip_made_twice_is_no_new_surname(archive: Archive) -> None:
    assert name_of(archive, "Naidoo", "Naidoo", "Naidoo", "Naiddo", "Naiddo") == {"Naidoo, Priya"}


def test_apart_is_the_answer_for_namesakes_of_whom_files_have_the_name_alone(archive: Archive) -> None:
    one = archive.file("Dube", "Vusi", "1956-04-01")
    other = archive.file("Dube", "Vusi", "1996-04-02")
    bare = archive.file("Dube", "Vusi")
    assert archive.file("Dube", "Vusi") == bare
    assert [each.subject for each in archive.resolve()[1]] == [bare]
    _people, asked = archive.resolve(**{bare: "apart"})
    assert [each.where[-5:] for each in asked] == ["3.trf", "4.trf"]
    first, second = (each.subject for each in asked)
    people, asked = archive.resolve(**{bare: "apart", first: one, second: other})
    assert not asked
    assert people[2] is people[0]
    assert people[3] is people[1]


def wof(number: int, *, provisional: bool = False) -> dict[str, Any]:
    return {"filed_id": str(number), "id_kind": "wof-provisional" if provisional else "wof"}


def test_the_best_of_all_never_joins_two_numbers_of_one_register(archive: Archive) -> None:
    archive.file("Sato", "Kenji", **wof(200006))
    other = archive.file("Sato", "Kenji", **wof(200003))
    _people, [asked] = archive.resolve()
    assert asked.subject == other
    assert "wof 200003" in asked.where
    assert "wof 200006" in asked.proposed
    for said in ({}, {"all": "best"}):
        people, _asked = archive.resolve(**said)
        assert people[0] is not people[1]


@pytest.mark.parametrize(("surname", "asks"), [("Sato", False), ("Mokoena", True)])
def test_a_provisional_number_that_became_the_real_one_finds_its_bearer_and_asks_by_another_name(
    archive: Archive, surname: str, asks: bool
) -> None:
    archive.file("Sato", "Kenji", **wof(270012, provisional=True))
    archive.file(surname, "Kenji", **wof(270012))
    people, asked = archive.resolve()
    assert [each.key for each in asked] == (["person"] if asks else [])
    assert asks or people[0] is people[1]


def test_first_names_of_namesakes_are_compared_once_for_each_spelling_of_the_surname(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared: list[tuple[str, str]] = []
    compare = matching.first_name_fits

    def counted(filed: tuple[str, ...], known: str) -> bool:
        compared.append((" ".join(filed), known))
        return compare(filed, known)

    for year, first_name in enumerate(("Adam", "Beata", "Beata", "Cezary"), 1970):
        archive.file("Kowalski", first_name, str(year))
    monkeypatch.setattr(matching, "first_name_fits", counted)
    spelling = archive.file("Kowalsky", "Cezary", "1973")
    people, _asked = archive.resolve()
    assert people[-1] is people[-2]
    assert spelling not in {people[0].mark, people[1].mark}
    asked = [pair for pair in compared if pair[0] == "cezary"]
    assert asked.count(("cezary", "adam")) <= 2
    assert asked.count(("cezary", "beata")) <= 2
