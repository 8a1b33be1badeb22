"""Points among a finding's words have the decimal sign of the reader's language."""

from __future__ import annotations

from django.utils.translation import override

from tournaments.findings import params_in_words, render_message

DIFFER = {"number": "3", "filed": "5.0", "counted": "4.5"}


def test_points_have_the_language_s_decimal_sign() -> None:
    with override("cs"):
        assert "body podle souboru 5,0, součet výsledků 4,5" in render_message(
            "points-differ", params_in_words(DIFFER)
        )
    with override("en"):
        assert "the file says 5.0 points, the results add up to 4.5" in render_message(
            "points-differ", params_in_words(DIFFER)
        )


def test_clauses_and_quotes_with_a_point_stay_as_they_are() -> None:
    with override("cs"):
        assert params_in_words({"clause": "4.3", "text": "12.5"}) == {"clause": "4.3", "text": "12.5"}
