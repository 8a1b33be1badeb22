"""Sections by their ids, as links in a working's words; an opening's list, in the office's language."""

from __future__ import annotations

import pytest
from django.utils.translation import override

from players.models import Federation
from ratings import player_ratings
from ratings.results import get_section_links
from ratings.tests.office import approved, register, submitted

pytestmark = pytest.mark.django_db
MARKUP = "<b>Ann & Co"


def test_a_link_has_the_names_escaped_and_marked_with_the_offices_language(csa: Federation) -> None:
    section = submitted(csa, register(csa, 4))
    approved(section)
    section.event.name = MARKUP
    section.event.save()
    [(key, link)] = get_section_links(csa, [section.key, "2031-001/A"]).items()
    assert key == section.key
    address = f"/csa/events/{section.event.number}/{section.code}/"
    assert link.startswith(f'<a href="{address}">&lt;b&gt;Ann &amp; Co, ')
    with override("pl"):
        assert '<span lang="en">&lt;b&gt;Ann &amp; Co, ' in get_section_links(csa, [section.key])[key]


def test_an_id_of_another_office_is_no_link(csa: Federation) -> None:
    section = submitted(csa, register(csa, 4))
    other = Federation.objects.create(code="pfo", name="Other", ruleset_slug="pfo")
    assert get_section_links(other, [section.key]) == {}


def test_the_list_of_an_opening_is_escaped_and_marked_with_the_offices_language(
    csa: Federation, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = {"began": "Taken over", "list": MARKUP, "day": "1 May 2024"}
    monkeypatch.setattr(player_ratings, "_told_of_opening", lambda move, office: told)
    move: object = None
    assert player_ratings.opening_html(move, csa) == "Taken over: &lt;b&gt;Ann &amp; Co, 1 May 2024"  # type: ignore[arg-type]
    with override("pl"):
        assert '<span lang="en">&lt;b&gt;Ann &amp; Co</span>' in player_ratings.opening_html(move, csa)  # type: ignore[arg-type]
