"""Commands that take an office's code say so where there is no such office."""

from __future__ import annotations

import pytest
from django.core.management import CommandError, call_command

from players.models import Federation, Ledger

TYPED = [
    ("recompute", "nope"),
    ("verify", "nope"),
    ("log", "nope", "status"),
    ("export_journal", "nope"),
    ("take_fide_list", "nope", "list.txt"),
    ("forget_name", "nope", "1"),
    ("withdraw_words", "nope", "1"),
    ("appoint", "nope", "--official", "official@example.org"),
    ("demo", "nope"),
    ("create_office", "nope", "--official", "official@example.org"),
]


@pytest.mark.django_db
@pytest.mark.parametrize("typed", TYPED, ids=lambda typed: typed[0])
def test_a_code_of_no_office_is_an_error_that_repeats_it(typed: tuple[str, ...], csa: Federation) -> None:
    with pytest.raises(CommandError, match="nope"):
        call_command(*typed)


@pytest.mark.django_db
def test_a_recompute_that_fails_for_no_rule_is_told_in_a_sentence(
    csa: Federation, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(office: Federation) -> bool:
        raise LookupError("csa: no regulations in force on 2019-12-31")

    Ledger.objects.filter(federation=csa).update(wanted=1)
    monkeypatch.setattr("ratings.management.commands.recompute.recompute", fail)
    with pytest.raises(CommandError, match="csa could not be recomputed: LookupError: csa: no regulations"):
        call_command("recompute", "csa")
