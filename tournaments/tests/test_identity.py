"""Who is meant where names are written otherwise and ids are wrong: what is certain, and what is not."""

from __future__ import annotations

import unicodedata
from datetime import date
from itertools import combinations
from typing import Any

import pytest

from players.evidence import AGAINST, EVIDENCE_LABELS, WEIGHTS
from players.models import BirthDate, Federation, Identifier, Player
from players.names import Likeness, compare, first_letters_in_all_spellings, fold
from tests.built_once import built_once
from tournaments.matching import is_near_id, match
from tournaments.models import Entry
from tournaments.tests.conftest import enter
from tournaments.tests.test_matching import entry, evidence

WHOLE = "1991-04-02"


@pytest.fixture
@built_once
def thabo(csa: Federation) -> Player:
    return enter(csa, "Dlamini", "Thabo", 1991, "m", number="101000234", nation="RSA")


def known(player: Player, kind: str, value: str) -> None:
    Identifier.objects.create(federation=player.federation, player=player, kind=kind, value=value)


def matched(office: Federation, one: Entry) -> tuple[str, Player | None]:
    match(office, [one])
    return one.match, one.player


# ---------------------------------------------------------------- how names are written


@pytest.mark.parametrize(
    ("filed", "registered"),
    [
        (("Dlаmini", "Thаbo"), ("Dlamini", "Thabo")),  # a Cyrillic а among Latin letters
        (("Dvor\u030cak", "Jan"), ("Dvořak", "Jan")),
        (("Dvořák", "Jiří"), ("Dvorak", "Jiri")),
        (("Żółtowski", "Łukasz"), ("Zoltowski", "Lukasz")),
        (("Παπαδόπουλος", "Νίκος"), ("Papadopoulos", "Nikos")),
        (("Чайковский", "Пётр"), ("Chaikovskii", "Petr")),
        (("van der Merwe", "Anneke"), ("Vandermerwe", "Anneke")),
        (("O’BRIEN", "SEÁN"), ("O'Brien", "Sean")),
    ],
)
def test_the_same_name_in_other_letters_is_certain_with_the_year(
    csa: Federation, filed: tuple[str, str], registered: tuple[str, str]
) -> None:
    player = enter(csa, *registered, 1991, "m", number="7")
    assert matched(csa, entry(*filed, birth="1991")) == ("certain", player)


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_composed_and_decomposed_letters_are_one_name(csa: Federation, form: Any) -> None:
    player = enter(csa, unicodedata.normalize("NFC", "Müller"), "Zoë", 1991, "f", number="7")
    one = entry(unicodedata.normalize(form, "Müller"), unicodedata.normalize(form, "Zoë"), "1991", sex="f")
    assert matched(csa, one) == ("certain", player)


@pytest.mark.parametrize(
    ("filed", "registered"),
    [
        (("Чехов", "Юрий"), ("Čechov", "Jurij")),
        (("Хачатурян", "Арам"), ("Hačaturjan", "Aram")),
        (("Shevchenko", "Yuriy"), ("Schewtschenko", "Iurii")),
        (("Щукин", "Илья"), ("Szczukin", "Ilja")),
        (("Mueller", "Jürgen"), ("Müller", "Juergen")),
        (("Dlamimi", "Tabo"), ("Dlamini", "Thabo")),
    ],
)
def test_another_spelling_of_the_same_year_is_offered_and_not_certain(
    csa: Federation, filed: tuple[str, str], registered: tuple[str, str]
) -> None:
    player = enter(csa, *registered, 1991, "m", number="7")
    one = entry(*filed, birth="1991")
    assert matched(csa, one) == ("doubtful", None)
    assert one.candidates[0]["player"] == player.pk


def test_swapped_names_are_certain_with_the_whole_birth_or_an_id_alone(
    csa: Federation, thabo: Player
) -> None:
    BirthDate.objects.create(player=thabo, day=date(1991, 4, 2))
    assert matched(csa, entry("Thabo", "Dlamini", WHOLE)) == ("certain", thabo)
    assert matched(csa, entry("Thabo", "Dlamini", "", filed_id="101000234")) == ("certain", thabo)
    of_the_year = entry("Thabo", "Dlamini", "1991")
    assert matched(csa, of_the_year) == ("doubtful", None)
    assert "names-swapped" in evidence(of_the_year)


def test_initials_need_the_whole_birth(csa: Federation, thabo: Player) -> None:
    BirthDate.objects.create(player=thabo, day=date(1991, 4, 2))
    assert matched(csa, entry("Dlamini", "T", WHOLE)) == ("certain", thabo)
    assert matched(csa, entry("Dlamini", "T.", "1991")) == ("doubtful", None)


# ---------------------------------------------------------------- who else it could be


def test_a_twin_with_the_other_twins_number_is_left_to_a_person(csa: Federation, thabo: Player) -> None:
    sipho = enter(csa, "Dlamini", "Sipho", 1991, "m", number="101000235")
    for twin in (thabo, sipho):
        BirthDate.objects.create(player=twin, day=date(1991, 4, 2))
    one = entry("Dlamini", "Sipho", WHOLE, filed_id="101000234", id_kind="number")
    assert matched(csa, one) == ("doubtful", None)
    assert {c["player"] for c in one.candidates} == {thabo.pk, sipho.pk}
    assert matched(csa, entry("Dlamini Sipho", "", WHOLE, filed_id="101000234")) == ("doubtful", None)


def test_two_people_of_one_name_and_birth_are_both_offered(csa: Federation, thabo: Player) -> None:
    enter(csa, "Dlamini", "Thabo", 1991, "m", number="101000999")
    one = entry(birth="1991")
    assert matched(csa, one) == ("doubtful", None)
    assert len(one.candidates) == 2


@pytest.mark.parametrize("change", [{"birth": "1992"}, {"birth": "1991-04-03"}, {"sex": "f"}])
def test_a_changed_birth_or_sex_leaves_even_an_id_to_a_person(
    csa: Federation, thabo: Player, change: dict[str, str]
) -> None:
    BirthDate.objects.create(player=thabo, day=date(1991, 4, 2))
    for id_ in ("", "101000234"):
        assert matched(csa, entry(**{"birth": WHOLE, "filed_id": id_} | change)) == ("doubtful", None)


def test_a_changed_surname_is_found_by_id_first_name_and_the_whole_birth(
    csa: Federation, thabo: Player
) -> None:
    BirthDate.objects.create(player=thabo, day=date(1991, 4, 2))
    assert matched(csa, entry(surname="Zungu", filed_id="101000234", birth=WHOLE)) == ("certain", thabo)
    assert matched(csa, entry(surname="Zungu", filed_id="101000234", birth="1991")) == ("doubtful", None)
    assert matched(csa, entry(surname="Zungu", birth="1991")) == ("none", None)


def test_a_foreigner_of_the_same_name_and_year_is_doubtful_without_an_id(
    csa: Federation, thabo: Player
) -> None:
    abroad = entry(birth="1991", federation="ZIM")
    assert matched(csa, abroad) == ("doubtful", None)
    assert "nation-differs" in evidence(abroad)
    assert matched(csa, entry(birth="1991", federation="ZIM", filed_id="101000234")) == ("certain", thabo)
    for own in ("RSA", "GAU", ""):  # programs write the host's nation, or its region, of everybody
        assert matched(csa, entry(birth="1991", federation=own)) == ("certain", thabo)


# ---------------------------------------------------------------- wrong ids


@pytest.mark.parametrize(
    ("one", "other", "near"),
    [
        ("14300001", "14300002", True),
        ("14300012", "14300021", True),
        ("1430001", "14300001", True),
        ("14300001", "14300001", False),
        ("14300011", "14300022", False),
        ("123", "124", False),
    ],
)
def test_ids_are_nearly_the_same_by_one_digit_or_two_that_changed_places(
    one: str, other: str, near: bool
) -> None:
    assert is_near_id(one, other) is is_near_id(other, one) is near


def test_an_id_that_is_nearly_the_registers_is_a_hint_and_never_certain(
    csa: Federation, thabo: Player
) -> None:
    known(thabo, "fide", "14300012")
    for kind in ("fide", ""):
        one = entry(birth="1991", filed_id="14300021", id_kind=kind)
        assert matched(csa, one) == ("doubtful", None)
        assert "id-nearly" in evidence(one)
    far = entry(birth="1991", filed_id="14399988", id_kind="fide")
    assert matched(csa, far) == ("doubtful", None)
    assert "id-differs" in evidence(far)


def test_an_id_is_looked_up_under_its_kind_alone(csa: Federation, thabo: Player) -> None:
    known(enter(csa, "Naidoo", "Priya", 2008, "f", number="8"), "fide", "101000234")
    as_fide = entry(filed_id="101000234", id_kind="fide", birth="1991")
    assert matched(csa, as_fide) == ("doubtful", None)
    assert "id-of-another" in evidence(as_fide) | set(as_fide.candidates[1]["evidence"])
    assert matched(csa, entry(filed_id="101000234", id_kind="number", birth="")) == ("certain", thabo)


def test_a_clubs_own_id_is_evidence_for_nobody_and_against_nobody(csa: Federation, thabo: Player) -> None:
    known(thabo, "fide", "14300012")
    enter(csa, "Naidoo", "Priya", 2008, "f", number="17")
    one = entry(birth="1991", filed_id="17", id_kind="club")
    assert matched(csa, one) == ("certain", thabo)
    assert evidence(one) == {"surname", "first-name", "born"}


def test_two_ids_of_one_person_agree(csa: Federation, thabo: Player) -> None:
    known(thabo, "fide", "14300012")
    both = entry(birth="", filed_id="14300012", id_kind="fide", other_ids=[["number", "101000234"]])
    assert matched(csa, both) == ("certain", thabo)
    assert {"number", "identifier"} <= evidence(both)


def test_two_ids_of_two_people_are_left_to_a_person(csa: Federation, thabo: Player) -> None:
    known(enter(csa, "Naidoo", "Priya", 2008, "f", number="8"), "fide", "14300099")
    one = entry(birth="1991", filed_id="14300099", id_kind="fide", other_ids=[["number", "101000234"]])
    assert matched(csa, one) == ("doubtful", None)
    assert "id-of-another" in evidence(one)


def test_the_number_of_a_merged_entry_finds_who_it_was_merged_into(csa: Federation, thabo: Player) -> None:
    enter(csa, "Dlamini", "T.", 1991, "m", number="5", merged_into=thabo)
    assert matched(csa, entry(filed_id="5", id_kind="number", birth="1991")) == ("certain", thabo)


def test_a_name_on_a_platform_is_enough_where_the_file_gives_no_other(csa: Federation, thabo: Player) -> None:
    known(thabo, "lichess", "thabo-d")
    bare = entry("Thabo-D", "", "", sex="", other_ids=[["lichess", "Thabo-D"]])
    assert matched(csa, bare) == ("certain", thabo)
    named = entry("Mokoena", "Lerato", "", sex="", other_ids=[["lichess", "thabo-d"]])
    assert matched(csa, named) == ("doubtful", None)
    stranger = entry("sipho99", "", "", sex="", other_ids=[["lichess", "sipho99"]])
    assert matched(csa, stranger) == ("none", None)


# ---------------------------------------------------------------- words and spellings


def test_every_piece_of_evidence_has_its_weight_and_its_words() -> None:
    assert set(EVIDENCE_LABELS) == set(WEIGHTS)
    against = ("-differs", "-of-another", "deceased")
    assert {key for key in WEIGHTS if key.endswith(against)} == AGAINST


@pytest.mark.parametrize(
    ("one", "other"),
    [("Чехов", "Čechov"), ("Жуков", "Zukov"), ("Шевченко", "Szewczenko"), ("Müller", "Mueller")],
)
def test_spellings_of_one_name_are_one_name_and_each_may_begin_as_the_other(one: str, other: str) -> None:
    assert compare(fold(one), fold(other)) >= Likeness.SPELLING
    assert fold(other)[0] in first_letters_in_all_spellings(fold(one))


def test_other_names_are_other_names() -> None:
    names = [fold(name) for name in ("Dlamini", "Mokoena", "Naidoo", "Botha", "Nkosi")]
    assert not any(compare(one, other) for one, other in combinations(names, 2))
