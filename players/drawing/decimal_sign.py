"""Numbers as the reader's language writes them: `1532,5` in Czech, Polish and Russian. None is stored so."""

from __future__ import annotations

from django.utils.formats import get_format


def with_own_sign(digits: str) -> str:
    """A number's digits with the language's decimal sign in place of the point."""
    return digits.replace(".", get_format("DECIMAL_SEPARATOR")) if "." in digits else digits
