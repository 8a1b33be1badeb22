"""Commands that take an office's code say so where there is no such office."""

from __future__ import annotations

import pytest
from django.core.management import CommandError, call_command

from players.office.models import Federation

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
