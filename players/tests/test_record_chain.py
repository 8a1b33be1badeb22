"""The record of decisions is a chain, in which words are sealed and can be withdrawn."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.db.utils import DatabaseError
from django.test import Client
from django.urls import reverse

from players import seals
from players.models import Decision, DecisionWords, Federation, User
from players.record import Refused, decide, newest_decision_hash, withdraw_words

pytestmark = pytest.mark.servers

DAY = date(2026, 3, 9)


def said(office: Federation, **details: Any) -> Decision:
    return decide(office, kind="merge", by=None, on=DAY, about="player 101000001", **details)


def test_each_rows_hash_is_over_the_row_before_and_its_own_form(csa: Federation) -> None:
    assert newest_decision_hash(csa) == ""
    first, second = said(csa, into="101000002"), said(csa, into="101000003")
    first.refresh_from_db()
    second.refresh_from_db()
    assert first.hash == seals.compute_hash(first, "")
    assert second.hash == seals.compute_hash(second, first.hash) == newest_decision_hash(csa)
    assert second.number == 2


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("number", 7),
        ("kind", "approve"),
        ("by_id", 7),
        ("at", datetime(2026, 3, 9, 12, 0, 0, 1, UTC)),
        ("on", date(2026, 3, 10)),
        ("about", "player 101000009"),
        ("sealed_details", {"into": "101000009"}),
    ],
)
def test_every_field_of_a_row_is_in_its_hash(csa: Federation, field: str, value: object) -> None:
    row = said(csa, into="101000002")
    before = seals.compute_hash(row, "")
    setattr(row, field, value)
    assert seals.compute_hash(row, "") != before
    assert seals.compute_hash(row, "x") != seals.compute_hash(row, "")


def test_words_are_sealed_numbers_and_codes_are_not(csa: Federation) -> None:
    row = Decision.objects.get(pk=said(csa, reason="a letter of 3 May", into="101000002", fact=5).pk)
    assert (row.sealed_details["into"], row.sealed_details["fact"]) == ("101000002", 5)
    [words] = row.words.all()
    assert row.sealed_details["reason"] == {"sealed": seals.digest(words.salt, "a letter of 3 May")}
    assert "letter" not in str(row.sealed_details)
    assert row.details == {"reason": "a letter of 3 May", "into": "101000002", "fact": 5}


def test_a_value_wrapped_as_words_is_sealed_whatever_its_key(csa: Federation) -> None:
    row = said(csa, left_out=seals.SealedWords(["Soweto/c.trf"]))
    assert seals.is_sealed(row.sealed_details["left_out"])
    assert row.details == {"left_out": ["Soweto/c.trf"]}


@pytest.mark.parametrize("nothing", [None, "", [], {}])
def test_where_nothing_was_said_nothing_is_sealed(csa: Federation, nothing: object) -> None:
    assert said(csa, reason=nothing).sealed_details == {"reason": nothing}
    assert not DecisionWords.objects.exists()


def test_the_same_words_twice_have_digests_that_tell_nothing_of_it(csa: Federation) -> None:
    digests = {said(csa, reason="appeal").sealed_details["reason"]["sealed"] for _ in range(2)}
    assert len(digests) == 2


def test_withdrawn_words_are_gone_and_the_chain_holds(
    csa: Federation, nomsa: User, thandi: User, client_of: Any
) -> None:
    row = said(csa, reason="a letter of 3 May", into="101000002")
    page = reverse("ratings:record", args=["csa"])
    assert "a letter of 3 May" in client_of(thandi).get(page).content.decode()
    withdraw_words(decision=row, by=nomsa, on=DAY)
    row = Decision.objects.get(pk=row.pk)
    assert row.details == {"reason": None, "into": "101000002"}
    assert row.hash == seals.compute_hash(row, "")
    shown = client_of(thandi).get(page).content.decode()
    assert "a letter of 3 May" not in shown
    assert "withdrew the words of" in shown
    assert "decision 1" in shown
    with pytest.raises(Refused, match="Decision 1 has no words to withdraw"):
        withdraw_words(decision=row, by=nomsa, on=DAY)


def test_words_can_be_deleted_and_not_changed_decisions_neither(csa: Federation) -> None:
    said(csa, reason="a letter of 3 May")
    for statement in (
        "UPDATE players_decisionwords SET value = '\"another\"'",
        "UPDATE players_decision SET hash = ''",
        "DELETE FROM players_decision",
    ):
        with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)
    assert DecisionWords.objects.all().delete()[0] == 1


def test_the_record_reads_the_words_of_all_rows_at_once(
    csa: Federation, thandi: User, client_of: Any, django_assert_max_num_queries: Any
) -> None:
    browser: Client = client_of(thandi)
    address = reverse("ratings:record", args=["csa"])
    for number in range(12):
        said(csa, reason=f"reason {number}")
    browser.get(address)
    with django_assert_max_num_queries(16):
        assert "reason 11" in browser.get(address).content.decode()


def test_the_command_withdraws_words_and_refuses_what_is_not_there(csa: Federation) -> None:
    said(csa, reason="a letter of 3 May")
    call_command("withdraw_words", "csa", "1")
    assert not DecisionWords.objects.exists()
    for number, words in (("1", "has no words"), ("9", "has no decision 9")):
        with pytest.raises(CommandError, match=words):
            call_command("withdraw_words", "csa", number)
