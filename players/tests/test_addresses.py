"""The tag `url`: what Django's says, worked out once."""

from __future__ import annotations

from typing import Any

import pytest
from django.template import Context, Template
from django.urls import NoReverseMatch, get_script_prefix, reverse, set_script_prefix

from players.templatetags import ui


def written(template: str, **context: object) -> str:
    return Template(template).render(Context(context))


def test_an_address_is_worked_out_once_for_the_same_words(monkeypatch: pytest.MonkeyPatch) -> None:
    worked_out = list[str]()

    def reverse_and_note(view: str, *args: Any, **options: Any) -> str:
        worked_out.append(view)
        return reverse(view, *args, **options)

    ui._address.cache_clear()
    monkeypatch.setattr(ui, "reverse", reverse_and_note)
    for office, address in (("csa", "/csa/lists/"), ("pfo", "/pfo/lists/"), ("csa", "/csa/lists/")):
        assert written("{% url 'ratings:lists' office %}", office=office) == address
    assert worked_out == ["ratings:lists"] * 2


def test_an_address_in_another_language_is_another() -> None:
    plain = written("{% url 'ratings:lists' 'csa' %}")
    before = get_script_prefix()
    set_script_prefix("/pl/")
    try:
        assert written("{% url 'ratings:lists' 'csa' %}") == f"/pl{plain}"
    finally:
        set_script_prefix(before)
    assert written("{% url 'ratings:lists' 'csa' %}") == plain


def test_an_address_is_quoted_and_escaped() -> None:
    assert written("{% url 'ratings:player' 'csa' number %}", number="a&b?ł") == (
        "/csa/players/a&amp;b%3F%C5%82/"
    )


def test_a_view_that_is_not_there_is_a_fault_unless_its_address_gets_a_name() -> None:
    assert written("{% url 'ratings:nowhere' as address %}[{{ address }}]") == "[]"
    with pytest.raises(NoReverseMatch):
        written("{% url 'ratings:nowhere' %}")


def test_what_is_no_text_is_taken_as_text() -> None:
    assert written("{% url 'ratings:player' 'csa' number %}", number=1) == "/csa/players/1/"
    assert written("{% url 'ratings:player' 'csa' number %}", number=True) == "/csa/players/True/"
