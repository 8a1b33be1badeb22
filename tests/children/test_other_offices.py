"""Nothing of a child in the other federations' offices: what little is known there of people stays there."""

from __future__ import annotations

import re
from datetime import date
from itertools import count
from pathlib import Path

import pytest
import time_machine
from django.test import Client

from players.models import BirthDate, Federation, Player
from players.writing import page_cache
from ratings import publication, rulesets
from ratings.intake import import_journal
from ratings.recompute import recompute
from ratings.rulesets import journal, journal_lines
from ratings.rulesets.facts import Player as Particulars, seal_player
from tests.children.crawl import Answer, Crawl
from tests.children.office import TODAY, YEARS
from tests.children.told import differing, secrets_of, told

pytestmark = [pytest.mark.django_db, pytest.mark.any_database, pytest.mark.nightly]
RULESETS = Path(rulesets.__path__[0])
RECORDS = {
    "pfo": "2-each-table",
    "mahjong": "3-register",
    "ssdc": "4-on-and-off-the-list",
    "piskvorky": "2-a-novice",
}
"""A worked example of each, whose people get other names."""
PLAYER = '"fact":"player"'


@pytest.mark.parametrize("slug", RECORDS)
def test_no_page_of_another_federation_tells_the_birth_or_sex_of_a_child_or_names_the_withheld(
    slug: str,
) -> None:
    text = (RULESETS / slug / "examples" / f"{RECORDS[slug]}.ndjson").read_text()
    years = [year for year in YEARS if str(year) not in text]
    with time_machine.travel(TODAY):
        office = opened(text)
        people = list(Player.objects.of(office).order_by("number"))
        children = len(people) - 2
        describe(people, children, years)
        before = crawled(office)
        assert len(before) > 30
        assert told(before.values(), secrets_of(office, children)) == []
        describe(people, children, years[::-1])
        assert differing(before, crawled(office)) == []


def opened(text: str) -> Federation:
    """An office with that record, a list of today, and names that are found again wherever they stand."""
    numbers = count()
    lines = [
        re.sub(r'"name":"[^"]*"', f'"name":"{name_of(next(numbers))}"', line) if PLAYER in line else line
        for line in text.splitlines()
    ]
    office = import_journal(journal.read_journal(without_a_name(lines)), on=TODAY)
    recompute_all(office)
    publication.publish_list(federation=office, by=None, on=TODAY)
    recompute_all(office)
    return office


def without_a_name(lines: list[str]) -> list[str]:
    """The journal with the seal alone in every line of the third who stands in it."""
    record = journal.read_journal(f"{line}\n".encode() for line in lines)
    people = [fact.id for _number, fact in record.lines if isinstance(fact, Particulars)]
    nameless = list(dict.fromkeys(people))[2]
    return [
        journal_lines.write_line(seal_player(fact), record.ruleset)
        if isinstance(fact, Particulars) and fact.id == nameless
        else line
        for line, (_number, fact) in zip(lines, record.lines, strict=True)
    ]


def name_of(number: int) -> str:
    return f"Invented{number:03}, Anyone{number:03}"


def recompute_all(office: Federation) -> None:
    while recompute(office):
        pass


def describe(people: list[Player], children: int, years: list[int]) -> None:
    """Births and sexes of children first, then of two adults; the second child is withheld, and who came
    without a name.
    """
    BirthDate.objects.filter(player__in=people).delete()
    for n, player in enumerate(people):
        player.born = years[n % len(years)] if n < children else 1980
        player.sex = "mf"[(n + years[0]) % 2] if n < children else "f"
        player.title = "WM" if n < children and player.sex == "f" else ""
        player.withheld = n == 1 or not player.name
        player.save()
        BirthDate.objects.create(player=player, day=date(player.born, 1 + n % 12, 3 + n))


def crawled(office: Federation) -> dict[str, Answer]:
    page_cache.clear()
    return Crawl(Client(), ("Anyone001", "1"), ("2026-11-22",), most=4).run(f"/{office.code}/")
