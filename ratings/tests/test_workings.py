"""Workings in words: numbers plain and short, the exact ones behind them. No database, but for the last."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest
from django.utils.translation import gettext, override

from players.models import Federation, Player
from ratings import workings
from ratings.models import Change
from ratings.pages.play import SideResults
from ratings.rulesets import rulesets
from ratings.rulesets.facts import Value
from ratings.templatetags.ratings import share
from ratings.tests.office import approved, published, register, submitted
from ratings.workings import (
    aligned_html,
    fill_message,
    localize_exact,
    split_formula,
    translate_value,
    value_as_html,
    value_in_words,
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Decimal("1416.66664999"), "1416.6666"),
        (Decimal("1416.66665000"), "1416.6667"),
        (Decimal("-5.15370000"), "−5.1537"),
        (Decimal("36.00"), "36"),
        (Decimal("36.0000000000000000"), "36"),
        (Decimal("0.43902"), "0.4390"),
        (Decimal("0.5"), "0.5"),
        (Decimal("-0.00001"), "0"),
        (Decimal("1E+2"), "100"),
        (7, "7"),
        (-31, "−31"),
        ("RSA", "RSA"),
        (date(2026, 11, 1), "1 November 2026"),
        (None, "–"),
    ],
)
def test_a_value_reads_plainly_with_four_decimals_at_most_half_up(value: Value, text: str) -> None:
    assert value_in_words(value) == text


def test_an_exact_number_has_every_digit_and_no_exponent() -> None:
    assert localize_exact(Decimal("-1416.6666666666666667")) == "−1416.6666666666666667"
    assert localize_exact(Decimal("0E-16")) == "0"


def test_a_shortened_number_carries_its_exact_value_and_a_whole_one_does_not() -> None:
    assert value_as_html(Decimal("0.67601")) == '<data value="0.67601" title="0.67601">0.6760</data>'
    assert value_as_html(Decimal("0.676")) == "0.676"


def test_numbers_of_a_column_have_the_same_decimals() -> None:
    assert ">0.6760<" in aligned_html(Decimal("0.67601"))


def test_a_message_is_cut_before_its_sum_and_only_there() -> None:
    assert split_formula("K × (score − expected score): {k} × {d} = {result}") == (
        "K × (score − expected score)",
        "{k} × {d} = {result}",
    )
    assert split_formula("A performance is at least {result}") == ("A performance is at least {result}", "")
    assert split_formula("K for a Rapid rating: {result}") == ("K for a Rapid rating: {result}", "")


@pytest.mark.parametrize("language", ["cs", "pl", "ru"])
def test_a_message_has_the_same_formula_in_each_language_but_for_the_decimal_sign(language: str) -> None:
    for ruleset in rulesets().values():
        for message in ruleset.words.messages.values():
            with override(language):
                formula = split_formula(gettext(message))[1]
            assert formula.replace("0,5", "0.5") == split_formula(message)[1]


def test_what_is_added_with_a_minus_is_taken_away() -> None:
    values = {"rating": Decimal(1500), "pending": Decimal("-2.5"), "result": Decimal("1497.5")}
    assert fill_message("{rating} + {pending} = {result}", values) == "1500 − 2.5 = 1497.5"


def test_terms_stand_with_their_signs_between_them() -> None:
    assert value_as_html((Decimal(-12), 2, -10)) == "−12 + 2 − 10"
    assert value_as_html(()) == "0"


def test_what_a_name_holds_is_text_and_never_markup() -> None:
    assert (
        fill_message("Taken over from {source}", {"source": "<b>list</b>"})
        == "Taken over from &lt;b&gt;list&lt;/b&gt;"
    )


def test_a_code_for_which_the_rules_have_words_is_said_in_them_and_in_the_readers_language() -> None:
    messages = rulesets()["ssdc"].words.messages
    for language, rank in (("en", "Grandmaster"), ("pl", "Arcymistrz"), ("ru", "Гроссмейстер")):
        with override(language):
            assert translate_value(messages, "G") == rank
            assert translate_value(messages, "2024-011/A") == "2024-011/A"
            assert translate_value(messages, Decimal(1)) == Decimal(1)


def test_a_share_of_a_hundred_has_the_form_of_the_language() -> None:
    for language, percent in (("en", "75%"), ("pl", "75%"), ("cs", "75\u00a0%"), ("ru", "75\u00a0%")):
        with override(language):
            assert share(SideResults("", won=2, drawn=2, lost=0)) == percent


@pytest.mark.django_db
def test_the_working_of_every_change_ends_in_what_is_stored(csa: Federation) -> None:
    players = register(csa, 10)
    for number, day in (
        ("2024-001", date(2024, 3, 1)),
        ("2024-002", date(2024, 3, 8)),
        ("2024-003", date(2024, 3, 15)),
    ):
        approved(submitted(csa, players, number=number, ends=day, seed=day.day))
    published(csa, date(2024, 4, 1))
    some = Player.objects.filter(federation=csa)[:3]
    changes = Change.objects.filter(player__in=some, track="otb-main").select_related("fact", "player")
    assert changes.count() == 12
    for stored in changes:
        change = workings.change_at(csa, stored.player.number, stored.track, stored.fact.number)
        account = workings.explain_change(change)
        last = account.steps[-1]
        assert stored.after in (last.result, last.inputs.get("rating"))
        rows = workings.step_rows(account, csa, workings.edition_of(change))
        assert not [row for row in rows if "{" in row.words or row.words in csa.ruleset.words.messages]
        assert len(workings.game_rows(account, csa, csa.ruleset.newest)) == len(account.games)
