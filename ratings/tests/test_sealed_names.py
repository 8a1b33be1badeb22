"""Names lie apart from the journal: who asked not to be named is not named in it, and every proof holds."""

from __future__ import annotations

from datetime import date

import pytest

from players.models import Federation, Player, SealedName
from players.record import Refused
from ratings import people as decisions
from ratings.intake import import_journal
from ratings.journal import journal_lines, sealed_line, sealed_lines
from ratings.merging import merge_players
from ratings.models import Fact, RatingList
from ratings.rulesets import journal, journal_lines as journal_form
from ratings.rulesets.facts import Player as Particulars, name_seal
from ratings.tests.office import approved, published, recompute_all, register, submitted
from ratings.verify import verify
from tests.built_once import built_once

pytestmark = pytest.mark.django_db
DAY = date(2030, 1, 1)


@pytest.fixture
@built_once
def people(csa: Federation) -> list[Player]:
    players = register(csa, 9)
    approved(submitted(csa, players[:8]))
    published(csa, date(2024, 4, 1))
    return players


def named(office: Federation, number: str) -> list[bool]:
    """Whether each line of a player in the public journal has the name."""
    record = journal.read_journal(journal_lines(office))
    told = (line.fact for line in record.lines if isinstance(line.fact, Particulars))
    return [fact.name is not None for fact in told if fact.id == number]


def again(office: Federation) -> Federation:
    """The office anew, from its own public journal."""
    lines = [line.replace('"code":"csa"', '"code":"twin"') for line in journal_lines(office)]
    twin = import_journal(journal.read_journal(lines), on=DAY)
    recompute_all(twin)
    return twin


def test_no_stored_line_holds_a_name_or_a_salt(csa: Federation, people: list[Player]) -> None:
    decisions.correct_player(player=people[0], by=None, on=DAY, surname="Renamed")
    stored = "\n".join(
        f"{line}\n{particulars}" for line, particulars in Fact.objects.values_list("line", "particulars")
    )
    for name, salt in SealedName.objects.values_list("name", "salt"):
        assert name.partition(",")[0] not in stored
        assert salt not in stored
    assert SealedName.objects.count() == 9, "eight players, one of them under two names"


def test_a_name_that_no_salt_seals_is_not_stored(csa: Federation) -> None:
    with pytest.raises(ValueError, match="player 7: a name is stored by its seal alone"):
        sealed_line(Particulars("7", "Invented, Person"), csa.ruleset)


def test_the_public_journal_opens_the_seals_of_the_sealed_one(csa: Federation, people: list[Player]) -> None:
    sealed, public = list(sealed_lines(csa)), list(journal_lines(csa))
    assert len(sealed) == len(public)
    for own, told in zip(sealed, public, strict=True):
        if '"fact":"player"' not in own:
            assert own == told
            continue
        fact = journal_form.parse_line(told, csa.ruleset)
        assert isinstance(fact, Particulars)
        assert f'"name_seal":"{name_seal(fact.name or "", fact.salt or "")}"' in own


def test_another_name_has_another_salt_and_the_old_one_keeps_its_own(
    csa: Federation, people: list[Player]
) -> None:
    before = people[0].salt
    decisions.correct_player(player=people[0], by=None, on=DAY, first_name="Somebody")
    people[0].refresh_from_db()
    assert people[0].salt != before
    lines = [line for line in journal_lines(csa) if people[0].number in line and '"fact":"player"' in line]
    assert [before in line for line in lines] == [True, False]
    decisions.correct_player(player=people[0], by=None, on=DAY, nation="NAM")
    salt = people[0].salt
    people[0].refresh_from_db()
    assert people[0].salt == salt, "a salt belongs to a name, and the name is the same"


def test_who_asked_not_to_be_named_has_the_seal_alone_in_old_lines_and_in_those_of_merged_entries(
    csa: Federation, people: list[Player]
) -> None:
    merge_players(player=people[8], into=people[0], by=None, on=DAY, reason="the same passport")
    decisions.correct_player(player=people[0], by=None, on=DAY, surname="Renamed")
    recompute_all(csa)
    assert named(csa, people[0].number) == [True, True]
    assert named(csa, people[8].number) == [True]
    decisions.correct_player(player=people[0], by=None, on=DAY, withheld=True)
    assert named(csa, people[0].number) == [False, False]
    assert named(csa, people[8].number) == [False]
    assert all(named(csa, people[1].number))
    decisions.correct_player(player=people[0], by=None, on=DAY, withheld=False)
    assert named(csa, people[0].number) == [True, True]


@pytest.mark.parametrize("withheld", [False, True])
def test_out_in_and_out_again_gives_the_same_bytes(
    csa: Federation, people: list[Player], withheld: bool
) -> None:
    decisions.correct_player(player=people[2], by=None, on=DAY, surname='Quo"te\\', first_name="Zoë")
    decisions.correct_player(player=people[2], by=None, on=DAY, withheld=withheld)
    before = list(journal_lines(csa))
    twin = again(csa)
    after = [line.replace('"code":"twin"', '"code":"csa"') for line in journal_lines(twin)]
    assert after == before
    assert [line.replace('"code":"twin"', '"code":"csa"') for line in sealed_lines(twin)] == list(
        sealed_lines(csa)
    )
    came = Player.objects.get(federation=twin, number=people[2].number)
    assert (came.withheld, came.name) == ((True, "") if withheld else (False, 'Quo"te\\, Zoë'))
    assert came.shown_name == ("withheld" if withheld else came.name)
    assert verify(twin).differences == []


def test_a_register_that_knows_no_name_shows_none_until_it_is_entered(
    csa: Federation, people: list[Player]
) -> None:
    decisions.correct_player(player=people[2], by=None, on=DAY, withheld=True)
    twin = again(csa)
    nameless = Player.objects.get(federation=twin, number=people[2].number)
    lines = Fact.objects.filter(federation=twin).count()
    approved(submitted(twin, list(twin.players.order_by("number")[:8]), number="2024-009"))
    assert Fact.objects.filter(federation=twin, number__gt=lines, kind="player").count() == 0, (
        "the seal is the same, so nothing changed"
    )
    with pytest.raises(Refused, match="does not have this player’s name"):
        decisions.correct_player(player=nameless, by=None, on=DAY, withheld=False)
    nameless.refresh_from_db()
    decisions.correct_player(player=nameless, by=None, on=DAY, surname="Found", withheld=False)
    assert named(twin, nameless.number) == [False, True]
    assert verify(twin).differences == []


def test_a_name_that_was_deleted_leaves_every_proof_whole(csa: Federation, people: list[Player]) -> None:
    decisions.correct_player(player=people[0], by=None, on=DAY, surname="Renamed")
    merge_players(player=people[8], into=people[0], by=None, on=DAY, reason="the same passport")
    recompute_all(csa)
    sealed = list(sealed_lines(csa))
    prints = list(Fact.objects.order_by("pk").values_list("fingerprint", "folded", "particulars"))
    lists = list(RatingList.objects.order_by("pk").values_list("sha256", "content"))
    decisions.forget_name(player=people[0], by=None, on=DAY)
    assert list(sealed_lines(csa)) == sealed
    assert list(Fact.objects.order_by("pk").values_list("fingerprint", "folded", "particulars")) == prints
    assert list(RatingList.objects.order_by("pk").values_list("sha256", "content")) == lists
    assert verify(csa).differences == []
    assert SealedName.objects.count() == 7, "the others' alone"
    assert not Player.objects.filter(surname__in=("Renamed", "Invented00", "Invented08")).exists()
    assert named(csa, people[0].number) == [False, False]
    assert named(csa, people[8].number) == [False]
    approved(submitted(csa, people[:8], number="2024-010", ends=date(2030, 1, 2)))
    assert verify(csa).differences == []
    assert SealedName.objects.count() == 7, "nothing writes it anew"


def test_no_fingerprint_follows_from_a_name(csa: Federation, people: list[Player]) -> None:
    first = dict(Fact.objects.values_list("number", "fingerprint"))
    Federation.objects.filter(pk=csa.pk).update(code="old")
    other = Federation.objects.get(pk=csa.pk)
    lines = [line.replace('"code":"old"', '"code":"csa"') for line in journal_lines(other)]
    renamed = [line.replace("Invented0", "Altered0") for line in lines]
    twin = import_journal(journal.read_journal(renamed), on=DAY)
    second = Fact.objects.filter(federation=twin).values_list("number", "fingerprint")
    assert dict(second) == first
