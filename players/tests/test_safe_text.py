"""Tests of texts that are put together as they are."""

from __future__ import annotations

import pytest
from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy
from hypothesis import given, strategies as st

from players.display import format_escaped, join_escaped


def test_safe_texts_are_put_together_as_they_stand() -> None:
    whole = join_escaped([conditional_escape("<b>"), conditional_escape("&")])
    assert whole == "&lt;b&gt;&amp;"
    assert isinstance(whole, SafeString)
    assert join_escaped([]) == ""


@pytest.mark.parametrize("text", ["<b>", "", "plain"])
def test_a_text_that_was_not_escaped_is_refused_even_where_it_holds_no_markup(text: str) -> None:
    with pytest.raises(TypeError, match="Not escaped yet"):
        join_escaped([conditional_escape("fine"), text])  # type: ignore[list-item]


def test_parts_are_put_together_with_a_text_between_them_which_is_escaped_too() -> None:
    assert join_escaped([format_escaped("a"), format_escaped("b")], "\n<") == "a\n&lt;b"


@given(st.lists(st.text() | st.integers() | st.text().map(conditional_escape), min_size=1))
def test_a_form_is_filled_as_django_fills_it(parts: list[object]) -> None:
    form = "<td>{}</td>" * len(parts)
    assert format_escaped(form, *parts) == format_html(form, *parts)
    assert isinstance(format_escaped(form, *parts), SafeString)


def test_what_is_not_a_text_yet_is_escaped_too() -> None:
    assert format_escaped("{}", gettext_lazy("<b>")) == "&lt;b&gt;"
    assert format_escaped("{}", None) == "None"
