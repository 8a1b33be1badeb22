"""ssdc: what a correction says of ranks that were awarded, before it is decided."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from django.test import Client

from conftest import appointed
from players.models import Role, User
from ratings.intake import import_journal
from ratings.rulesets import journal
from ratings.rulesets.facts import Placed, Player, Rank, RatedSection
from ratings.rulesets.ssdc import RULESET
from ratings.tests.journals import journal_of
from ratings.tests.office import recompute_all
from ratings.tests.ssdc_record import DAY, section_of
from tournaments.models import Section

pytestmark = pytest.mark.django_db
GAMES = "1 Ada 1-0 Boris\n2 Boris 1-0 Clara\n3 Ada 1-0 Clara"


def rated(*, twice: bool) -> Section:
    """Ada won a third-category tournament, and was awarded its second rank; `twice`: she has won another."""
    first = section_of(GAMES, places="Ada Boris Clara", category="third")
    sections = [first, replace(first, id="2024-002/A")] if twice else [first]
    people = {entry.player: Player(entry.player, entry.player) for entry in first.entries}
    found: list[RatedSection | Placed] = [
        RatedSection(number, DAY, each, people) for number, each in enumerate(sections, start=2)
    ]
    facts = [*found, Placed(9, Rank("Ada", "2", DAY, "SSDC 2.4.2"))]
    lines = journal_of(RULESET, facts).splitlines()
    recompute_all(import_journal(journal.read_journal(lines), on=DAY))
    sections_in_order = Section.objects.select_related("event__federation").order_by("pk")
    return sections_in_order[0]


@pytest.mark.parametrize("twice", [False, True])
def test_2_5_1_the_preview_names_an_awarded_rank_whose_ground_would_be_gone_and_that_it_stays(
    client_of: Callable[[User], Client], twice: bool
) -> None:
    section = rated(twice=twice)
    official = client_of(appointed("Olga", section.event.federation, Role.OFFICIAL))
    numbers = dict(section.entries.values_list("player__number", "number"))
    moved = {"version": section.version, "entry": str(numbers["Ada"]), "place": "2"}
    page = official.post(f"{section.get_absolute_url()}mend/", {**moved, "changes": "[]"})
    holders = [row for row in page.context["table_rows"] if row.table == "Holders"]
    named = [(row.player.number, row.cells) for row in holders if row.player]
    assert named == ([] if twice else [("Ada", [("By play", "Second-class", "Third-class")])])
    assert ("A confirmed rank is never withdrawn (clause 2.5.1)." in page.text) is not twice
