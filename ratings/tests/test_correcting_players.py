"""Correcting one player: reason and record, former names, what is rated again, who may, who comes first."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from django.test import Client

from conftest import appointed
from players.models import BirthDate, Decision, Federation, FormerName, Identifier, Ledger, Player, Role, User
from players.record import Refused
from players.register import get_birth, particulars_digest
from ratings import people
from ratings.models import Fact
from ratings.tests.office import approved, recompute_all, register, submitted
from ratings.verify import verify
from tests.built_once import built_once

ClientOf = Callable[[User], Client]
pytestmark = pytest.mark.django_db
DAY = date(2026, 5, 3)


@pytest.fixture
@built_once
def players(csa: Federation) -> list[Player]:
    """Eight players whose surnames have letters alone, as people's have."""
    people = register(csa, 8)
    for letter, player in zip("abcdefgh", people, strict=True):
        player.surname = f"Rikhots{letter}"
        player.name_key = player.surname.casefold()
        player.save()
    return people


def fields_of(player: Player, **changes: Any) -> dict[str, Any]:
    """What the page's form sends: the entry as it is, with these changes."""
    told = {
        name: getattr(player, name) for name in ("surname", "first_name", "sex", "nation", "club", "title")
    }
    told |= {"region": player.region_id or "", "birth": get_birth(player), "reason": "a marriage certificate"}
    told |= {f"id_{each.kind}": each.value for each in player.identifiers.all()}
    return {**told, "seen": particulars_digest(player), **changes}


def page_of(player: Player) -> str:
    return f"/csa/players/{player.number}/correct/"


def words(answer: Any) -> str:
    return " ".join(answer.content.decode().split())


def test_a_married_player_is_corrected_in_two_steps_and_found_by_both_names(
    client_of: ClientOf, csa: Federation, nomsa: User, players: list[Player]
) -> None:
    player, browser = players[2], client_of(nomsa)
    assert "See the changes" in words(browser.get(page_of(player)))
    sent = fields_of(player, surname="Nkosí", proof="certificate 12345", club="Rooks")
    seen = words(browser.post(page_of(player), sent))
    assert "Rikhotsc</td> <td><strong>Nkosí" in seen
    assert "No rating would change" in seen
    for true in ("Published lists do not change.", "The former name stays findable."):
        assert true in seen
    assert "The former name" not in words(browser.post(page_of(player), fields_of(player, club="Rooks")))
    player.refresh_from_db()
    assert player.surname == "Rikhotsc"
    done = browser.post(page_of(player), sent | {"confirm": "1"}, follow=True)
    assert "The entry is corrected" in words(done)
    assert "Rikhotsc, Person" in words(done)
    player.refresh_from_db()
    assert (player.surname, player.name_key, player.club) == ("Nkosí", "nkosi", "Rooks")
    for wanted in ("nkosi", "rikhotsc", "Person NKOSI", "osi"):
        assert player in Player.objects.of(csa).matching(wanted), wanted
    [decision] = Decision.objects.filter(kind="correct")
    assert decision.by == nomsa
    assert decision.details["reason"] == "a marriage certificate"
    assert decision.details["proof"] == "certificate 12345"
    assert decision.details["changes"]["surname"] == ["Rikhotsc", "Nkosí"]
    assert "Nkos" not in str(decision.sealed_details)


def test_the_day_of_birth_stands_in_no_decision(csa: Federation, nomsa: User, players: list[Player]) -> None:
    player = players[0]
    people.correct_player(player=player, by=nomsa, on=DAY, reason="passport", birth="1981-05-03")
    player.refresh_from_db()
    assert (player.born, get_birth(player)) == (1981, "1981-05-03")
    assert Decision.objects.get(kind="correct").details["changes"] == {"birth": ["1980", "1981"]}
    people.correct_player(player=player, by=nomsa, on=DAY, reason="only the year is sure", birth="1981")
    assert not BirthDate.objects.filter(player=player).exists()


@pytest.mark.parametrize("reason", ["", "  "])
def test_a_person_gives_a_reason(csa: Federation, nomsa: User, players: list[Player], reason: str) -> None:
    with pytest.raises(Refused, match="Say why"):
        people.correct_player(player=players[0], by=nomsa, on=DAY, reason=reason, club="Rooks")
    assert not Decision.objects.filter(kind="correct").exists()


def test_of_two_who_correct_what_they_saw_one_wins(
    client_of: ClientOf, csa: Federation, nomsa: User, players: list[Player]
) -> None:
    first, second = (fields_of(players[0], club=club, confirm="1") for club in ("Rooks", "Bishops"))
    browser = client_of(nomsa)
    assert browser.post(page_of(players[0]), first).status_code == 302
    late = browser.post(page_of(players[0]), second)
    assert late.status_code == 409
    assert "Somebody corrected this entry" in words(late)
    players[0].refresh_from_db()
    assert players[0].club == "Rooks"


def test_an_id_of_somebody_else_is_refused_and_names_them(
    csa: Federation, nomsa: User, players: list[Player]
) -> None:
    Identifier.objects.create(federation=csa, player=players[1], kind="fide", value="14300001")
    with pytest.raises(Refused, match=players[1].number):
        people.correct_player(
            player=players[0], by=nomsa, on=DAY, reason="his card", ids={"fide": "14300001"}
        )
    people.correct_player(player=players[1], by=nomsa, on=DAY, reason="a slip", ids={"fide": "14300002"})
    assert list(players[1].identifiers.values_list("value", flat=True)) == ["14300002"]


def test_of_the_withheld_no_former_name_is_said_to_stay_findable(
    client_of: ClientOf, csa: Federation, nomsa: User, players: list[Player]
) -> None:
    people.correct_player(player=players[0], by=nomsa, on=DAY, reason="a letter", withheld=True)
    players[0].refresh_from_db()
    seen = words(client_of(nomsa).post(page_of(players[0]), fields_of(players[0], surname="Nkosi")))
    assert "Correct this entry?" in seen
    assert "findable" not in seen


def test_who_asks_not_to_be_named_is_withheld_by_the_page_and_found_by_no_name(
    client_of: ClientOf, client: Client, csa: Federation, nomsa: User, players: list[Player]
) -> None:
    approved(submitted(csa, players, rounds=10))
    recompute_all(csa)
    people.correct_player(player=players[0], by=nomsa, on=DAY, reason="married", surname="Nkosi")
    sent = fields_of(players[0], withheld="on", reason="a letter of 3 May")
    seen = words(client_of(nomsa).post(page_of(players[0]), sent))
    assert "in place of the name they say “withheld”, old ones too." in seen
    assert "The public finds the player by number alone." in seen
    for untrue in ("Published lists do not change.", "The former name stays findable."):
        assert untrue not in seen
    assert client_of(nomsa).post(page_of(players[0]), sent | {"confirm": "1"}).status_code == 302
    players[0].refresh_from_db()
    assert players[0].withheld
    for wanted in ("nkosi", "rikhotsa"):
        assert players[0].number not in words(client.get(f"/csa/players/?q={wanted}"))
    assert "Nkosi" not in words(client.get(players[0].get_absolute_url()))
    recompute_all(csa)
    assert verify(csa).differences == []


def test_the_public_finds_by_a_former_name_and_reads_only_the_one_of_today(
    client: Client, csa: Federation, nomsa: User, players: list[Player]
) -> None:
    people.correct_player(player=players[0], by=nomsa, on=DAY, reason="married", surname="Nkosi")
    found = words(client.get("/csa/players/?q=Rikhotsa"))
    assert "Nkosi, Person" in found
    assert "Rikhotsa, Person" not in found
    assert "Rikhotsa" not in words(client.get(players[0].get_absolute_url()))


def test_a_new_spelling_of_the_same_letters_is_no_former_name(
    csa: Federation, nomsa: User, players: list[Player]
) -> None:
    for surname in ("Ríkhotsa", "RIKHOTSA"):
        people.correct_player(player=players[0], by=nomsa, on=DAY, reason="accents", surname=surname)
    assert not FormerName.objects.exists()


def test_a_deleted_name_takes_former_names_and_the_words_of_corrections_along(
    csa: Federation, nomsa: User, players: list[Player]
) -> None:
    people.correct_player(player=players[0], by=nomsa, on=DAY, reason="married", surname="Nkosi")
    people.forget_name(player=players[0], by=nomsa, on=DAY)
    assert not FormerName.objects.exists()
    assert "Nkosi" not in str([each.details for each in Decision.objects.all()])
    assert players[0] not in Player.objects.of(csa).named("rikhotsa")
    assert verify(csa).differences == []


def test_nothing_is_corrected_where_nothing_differs_and_a_wrong_birth_is_told(
    client_of: ClientOf, csa: Federation, nomsa: User, players: list[Player]
) -> None:
    browser, player = client_of(nomsa), players[0]
    assert "Nothing in this form differs" in words(browser.post(page_of(player), fields_of(player)))
    for birth in ("3 May", "2999", "1981-13-01"):
        assert browser.post(page_of(player), fields_of(player, birth=birth)).status_code == 400
    assert not Decision.objects.filter(kind="correct").exists()


def test_a_merged_entry_is_corrected_at_the_one_that_stands(
    client_of: ClientOf, csa: Federation, nomsa: User, players: list[Player]
) -> None:
    Player.objects.filter(pk=players[1].pk).update(merged_into=players[0])
    assert client_of(nomsa).get(page_of(players[1])).headers["Location"] == page_of(players[0])


def test_sections_that_wait_are_told_before_a_correction(
    client_of: ClientOf, csa: Federation, nomsa: User, players: list[Player]
) -> None:
    submitted(csa, players)
    seen = words(client_of(nomsa).post(page_of(players[0]), fields_of(players[0], birth="1990")))
    assert "1 section with this player is not rated yet" in seen


def test_where_the_rules_fold_the_register_the_page_tells_what_is_rated_again(db: None) -> None:
    from ratings.as_if import preview_player_correction
    from ratings.rulesets import rulesets
    from ratings.tests.test_merging import office_of

    player, _other = office_of(rulesets()["mahjong"])
    office = player.federation
    lines = Fact.objects.count()
    player.resident = not player.resident
    found = preview_player_correction(player, date(2030, 1, 1))
    assert Fact.objects.count() == lines
    Player.objects.get(pk=player.pk)
    people.correct_player(
        player=Player.objects.get(pk=player.pk), by=None, on=date(2030, 1, 1), resident=player.resident
    )
    recompute_all(office)
    assert found.unseen == 0


def test_a_region_corrects_nobody(client_of: ClientOf, amahle: User, players: list[Player]) -> None:
    assert client_of(amahle).get(page_of(players[0])).status_code == 403


def test_an_official_of_another_office_corrects_nobody_here(
    client_of: ClientOf, csa: Federation, players: list[Player]
) -> None:
    other = Federation.objects.create(code="other", name="Elsewhere", ruleset_slug="csa")
    Ledger.objects.create(federation=other)
    zanele = appointed("Zanele", other, Role.OFFICIAL)
    assert client_of(zanele).get(page_of(players[0])).status_code == 403
    assert client_of(zanele).get(f"/other/players/{players[0].number}/correct/").status_code == 404
