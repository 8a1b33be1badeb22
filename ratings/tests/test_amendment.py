"""An amendment is an edition from a day on: what began before it keeps the rules that it began under."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from conftest import LONG_AGO
from players.appointments import create_office
from players.models import Federation, Ledger, Player
from ratings import approval, recompute, rules_change, rulesets as ratings, tasks
from ratings.check import main
from ratings.cross_tables import CrossTable, get_score_texts
from ratings.intake import import_journal
from ratings.journal import journal_lines
from ratings.models import Change, RatingList, RulesVersion, Standing
from ratings.recompute import get_own_rules_hash
from ratings.replay import replay
from ratings.rulesets import journal, rulesets
from ratings.rulesets.facts import (
    Entry as Entrant,
    Filing,
    Game,
    Level,
    Player as Person,
    RatedSection,
    Section as Declared,
)
from ratings.rulesets.profile import pages_of
from ratings.rulesets.ruleset import Ruleset
from ratings.tests.journals import journal_of
from ratings.tests.office import approved, published, recompute_all, register, submitted
from ratings.tests.strategies import record
from ratings.tests.test_every_ruleset import PROPERTIES
from ratings.tests.test_proving import printed, save
from ratings.verify import verify
from tournaments import models
from tournaments.findings import build_worded_findings
from tournaments.models import Finding, Section

AMENDED = Path(__file__).parent / "amended"
FROM = date(2021, 7, 1)
"""The first day of what the second edition rates."""
EVE = FROM - timedelta(1)
OLD, NEW = "Rules of 1990", "Rules as amended in 2021"
THRIFT, SETTLED = "Pins a game, of all games", "Settled players"


@pytest.fixture
def mill(monkeypatch: pytest.MonkeyPatch) -> Iterator[Ruleset]:
    """The folder with both editions laid beside the others, and nothing else anywhere."""
    monkeypatch.setattr(ratings, "__path__", [*ratings.__path__, str(AMENDED)])
    rulesets.cache_clear()
    yield rulesets()["mill"]
    monkeypatch.undo()
    rulesets.cache_clear()
    for module in [name for name in sys.modules if name.startswith("ratings.rulesets.mill")]:
        sys.modules.pop(module)


def rated(number: int, starts: date, ends: date | None = None) -> RatedSection:
    """At a hearth A beats B three times over."""
    people = {name: Person(name, f"Player {name}") for name in "AB"}
    section = Declared(
        id=f"{number}/A",
        event=str(number),
        name="A",
        starts=starts,
        ends=ends or starts,
        format="swiss",
        rounds=3,
        entries=(Entrant("A"), Entrant("B")),
        games=tuple(Game(round, "A", "B", "1-0") for round in (1, 2, 3)),
        category="hearth",
    )
    return RatedSection(number, max(section.ends, FROM) + timedelta(2), section, people)


def ratings_of(ruleset: Ruleset, *facts: RatedSection) -> dict[str, Decimal]:
    replayed = replay(journal_of(ruleset, facts))["ratings"]
    return {row["player"]: Decimal(row["rating"]) for row in replayed}


# ---------------------------------------------------------------- the rules


def test_2_what_begins_the_day_before_is_rated_by_the_old_rules_and_what_begins_on_the_day_by_the_new(
    mill: Ruleset,
) -> None:
    assert ratings_of(mill, rated(5, EVE))["A"] == 18  # §2 of 1990: 3 × 6
    assert ratings_of(mill, rated(5, FROM))["A"] == 26  # §2 as amended: 3 × 7, and §3: 5 for the sweep


def test_d_9_the_day_on_which_a_section_began_counts_however_late_it_ends_or_is_rated(mill: Ruleset) -> None:
    across = rated(5, EVE, FROM + timedelta(5))
    assert mill.edition_for(across).name == OLD
    assert ratings_of(mill, across)["A"] == 18
    assert mill.edition_for(rated(5, FROM)).name == NEW


def test_both_editions_stand_side_by_side_in_one_journal_each_building_on_what_the_other_left(
    mill: Ruleset,
) -> None:
    both = ratings_of(mill, rated(5, EVE), rated(9, FROM))
    assert both["A"] == 18 - 1 + 26  # a tenth of 18 is given back, what is over being kept
    assert both["B"] == 0


def test_3_a_sweep_takes_three_games_and_brings_nothing_under_the_old_rules(mill: Ruleset) -> None:
    whole = rated(5, FROM)
    for games, brought in ((3, 21 + 5), (2, 14)):
        section = whole.section
        fewer = RatedSection(5, whole.on, replaced(section, games), whole.players)
        assert ratings_of(mill, fewer)["A"] == brought


def replaced(section: Declared, games: int) -> Declared:
    return replace(section, games=section.games[:games])


def test_the_board_rule_of_acceptance_has_its_number_of_the_day_5_before_and_6_since(mill: Ruleset) -> None:
    for day, clause in ((EVE, "5"), (FROM, "6")):
        section = rated(5, day).section
        [finding] = mill.edition_for(rated(5, day)).rules.check(section, Filing(said={"boards": 0}))
        assert (finding.clause, finding.level) == (clause, Level.WAIVABLE)


@pytest.mark.parametrize("holds", PROPERTIES, ids=lambda holds: holds.__name__)
def test_what_holds_for_every_ruleset_holds_across_an_amendment(holds: Any, mill: Ruleset) -> None:
    for seed in range(8):
        holds.hypothesis.inner_test(ruleset=mill, seed=seed)


def test_random_records_do_cross_the_day(mill: Ruleset) -> None:
    began = [
        fact.section.starts
        for seed in range(8)
        for fact in record(mill, seed)
        if isinstance(fact, RatedSection)
    ]
    assert min(began) < FROM <= max(began)


def test_a_clause_with_other_words_or_another_number_has_a_place_of_its_own_and_the_rest_the_plain_one(
    mill: Ruleset,
) -> None:
    old, new = mill.editions
    assert mill.clause_anchor("1", old) == mill.clause_anchor("1", new) == "clause-1"
    assert mill.clause_anchor("2", old) == "clause-2-before-2021-07-01"
    assert mill.clause_anchor("2", new) == "clause-2"
    assert mill.clause_anchor("D-M-1", old) == "clause-D-M-1"


# ---------------------------------------------------------------- the office


@pytest.fixture
def office(db: None, mill: Ruleset) -> Federation:
    return create_office(ruleset_slug="mill", official_email="decides@mill.example", on=LONG_AGO)


@pytest.fixture
def sections(office: Federation) -> dict[date, Section]:
    """One that began the day before, and one that began on the day; both rated, then a list."""
    people = register(office, 6)
    made = {}
    for number, starts in enumerate((EVE, FROM), start=1):
        section = submitted(
            office, people, number=f"2021-{number}", ends=starts + timedelta(1), rounds=5, seed=number
        )
        section.particulars = {"category": "fair"}
        section.save()
        approved(section)
        made[starts] = section
    published(office, FROM + timedelta(9))
    return made


def stored(office: Federation) -> dict[str, Decimal]:
    found = Standing.objects.filter(federation=office).values_list("player__number", "rating")
    return {number: rating for number, rating in found if rating is not None}


def replayed(office: Federation, ruleset: Ruleset) -> dict[str, Decimal]:
    lines = "".join(f"{line}\n" for line in journal_lines(office)).encode()
    return {row["player"]: Decimal(row["rating"]) for row in replay(lines)["ratings"]}


def gains(office: Federation, section: Section) -> Mapping[str, Decimal | None]:
    changes = Change.objects.filter(fact__section=section)
    return dict(changes.values_list("player__number", "after"))


def words(answer: Any) -> str:
    assert answer.status_code == 200
    return unescape(" ".join(answer.content.decode().split()))


def test_the_office_stores_what_a_replay_gives_and_each_section_by_its_own_edition(
    office: Federation, sections: dict[date, Section], mill: Ruleset
) -> None:
    assert stored(office) == replayed(office, mill)
    assert verify(office).differences == []
    names = {
        fact.section.starts: mill.edition_for(fact).name
        for fact in facts_of(office)
        if isinstance(fact, RatedSection)
    }
    assert names == {EVE: OLD, FROM: NEW}


def facts_of(office: Federation) -> list[Any]:
    return journal.resolve(journal.read_journal(f"{line}\n" for line in journal_lines(office)), date.max)


def test_un_rating_across_the_day_rates_what_follows_anew_by_its_own_edition_and_back_again(
    office: Federation, sections: dict[date, Section], mill: Ruleset
) -> None:
    """D-2: the ratings become those without it."""
    with_both = stored(office)
    old, new = sections[EVE], sections[FROM]
    after_both = gains(office, new)
    old.refresh_from_db()
    approval.unrate(
        section=old,
        by=None,
        on=FROM + timedelta(20),
        version=old.version,
        reason="result",
        words="slip",
        after_list=True,
    )
    recompute_all(office)
    assert gains(office, new) != after_both
    assert stored(office) == replayed(office, mill) == by_hand(new)
    Section.objects.filter(pk=old.pk).update(stage="submitted")
    approved(old, on=FROM + timedelta(21))
    assert stored(office) == replayed(office, mill) == with_both
    assert gains(office, new) == after_both
    assert verify(office).differences == []


def by_hand(section: Section) -> dict[str, Decimal]:
    """§§2 and 3 as amended, of people who had nothing before, at a fair."""
    points: dict[str, Decimal] = {}
    scores: dict[str, list[str]] = {}
    for game in section.games.select_related("first__player", "second__player"):
        assert game.first.player
        assert game.second.player
        first, second = game.first.player.number, game.second.player.number
        scores.setdefault(first, []).append({"1-0": "won", "0-1": "lost"}.get(game.result, "drawn"))
        scores.setdefault(second, []).append({"0-1": "won", "1-0": "lost"}.get(game.result, "drawn"))
    for number, results in scores.items():
        won, drawn = results.count("won"), results.count("drawn")
        sweep = 5 if won == len(results) >= 3 else 0
        points[number] = Decimal(2 * (7 * won + 2 * drawn) + sweep)
    return points


def test_d_m_2_a_section_shows_its_score_as_the_edition_of_its_first_day_counts_it(
    office: Federation, sections: dict[date, Section]
) -> None:
    """Three for a won game before, two since; a bye is worth nothing before, one since."""
    for starts, won, sat in ((EVE, 3, 0), (FROM, 2, 1)):
        section = sections[starts]
        bye = section.byes.create(round=6, entry=section.entries.get(number=1), kind="full")
        rows = {row.url.rstrip("/").rpartition("/")[2]: row.score for row in CrossTable(section, None).rows}
        assert rows == {
            entry.player.number: str(won * wins(entry) + draws(entry) + (sat if entry == bye.entry else 0))
            for entry in section.entries.select_related("player")
            if entry.player
        }
        assert any(wins(entry) for entry in section.entries.all())
    both = list(models.Entry.objects.filter(section__in=sections.values(), number=1))
    told = {entry.section.starts: get_score_texts(office, both)[entry.pk] for entry in both}
    assert told == {
        entry.section.starts: str(won * wins(entry) + draws(entry) + sat)
        for entry in both
        for won, sat in [(3, 0) if entry.section.starts == EVE else (2, 1)]
    }


def wins(entry: models.Entry) -> int:
    return entry.games_first.filter(result="1-0").count() + entry.games_second.filter(result="0-1").count()


def draws(entry: models.Entry) -> int:
    return entry.games_first.filter(result="1/2").count() + entry.games_second.filter(result="1/2").count()


def test_each_working_cites_the_clauses_of_its_own_edition_by_its_own_numbers(
    office: Federation, sections: dict[date, Section], client: Client
) -> None:
    player = Player.objects.filter(federation=office).order_by("number")[0]
    pages = {}
    for starts, section in sections.items():
        line = Change.objects.get(fact__section=section, player=player).fact.number
        pages[starts] = words(client.get(f"{player.get_absolute_url()}pins/{line}/"))
    old, new = pages[EVE], pages[FROM]
    assert OLD in old
    assert "2 × (6 × " in old
    assert "A won game brings six pins" in old
    assert 'href="/mill/regulations/#clause-2-before-2021-07-01"' in old
    assert 'href="/mill/regulations/#clause-3-before-2021-07-01"' in old  # given back: §3 then, §4 now
    assert "Whoever wins every game" not in old
    assert NEW in new
    assert "2 × (7 × " in new
    assert "A won game brings seven pins" in new
    assert 'href="/mill/regulations/#clause-4"' in new
    assert "Whoever wins every game of a tournament" in new
    assert "before-2021" not in new


def test_the_page_of_the_regulations_shows_both_editions_with_their_days_clauses_and_numbers(
    office: Federation, client: Client
) -> None:
    page = words(client.get("/mill/regulations/"))
    for name, day in ((OLD, "1 January 1990"), (NEW, "1 July 2021")):
        below = page.partition(f"<h3>{name}</h3>")[2].partition("</p>")[0]
        assert f"for sections that begin on {day} or later" in below
    assert page.index(f"<h3>{NEW}") < page.index(f"<h3>{OLD}")
    assert f"As they were before 1 July 2021: {OLD}" in page
    newest, earlier = at(page, "2"), at(page, "2-before-2021-07-01")
    assert "seven pins" in newest
    assert "six pins" in earlier
    assert at(page, "3-before-2021-07-01") != at(page, "3")
    assert 'id="clause-1-before' not in page  # §1 stands as it was
    assert "Nobody but the organizers" in at(page, "6")
    assert "Nobody but the organizers" in at(page, "5-before-2021-07-01")
    assert "Nobody but the organizers" not in at(page, "5")
    numbers = page[page.index('id="numbers"') :]
    new, old = numbers[: numbers.index(f"<h3>{OLD}")], numbers[numbers.index(f"<h3>{OLD}") :]
    row = '<th scope="row"> Pins of a won game </th> <td class="num">{}</td>'
    assert row.format(7) in new
    assert row.format(6) in old
    assert "#clause-2-before-2021-07-01" in old
    assert "Games of a clean sweep" not in old


def test_a_finding_leads_to_its_clause_as_it_was_on_the_day_on_which_the_section_began(
    sections: dict[date, Section],
) -> None:
    shown = {
        (starts, clause): build_worded_findings(section, [told(section, clause)])[0].clause_url
        for starts, section in sections.items()
        for clause in ("5", "6")
    }
    assert shown == {
        (EVE, "5"): "/mill/regulations/#clause-5-before-2021-07-01",
        (EVE, "6"): "",  # there was none
        (FROM, "5"): "/mill/regulations/#clause-5",
        (FROM, "6"): "/mill/regulations/#clause-6",
    }


def told(section: Section, clause: str) -> Finding:
    params = {"boards": 1, "needed": 3}
    return Finding(section=section, source="rules", key="few-boards", clause=clause, params=params)


def at(page: str, place: str) -> str:
    start = page.index(f'<li id="clause-{place}">')
    return page[start : page.index("</li>", start)]


def test_a_list_says_the_edition_of_its_day_and_a_stranger_s_check_agrees(
    office: Federation, sections: dict[date, Section], client: Client, tmp_path: Path
) -> None:
    [of_new] = RatingList.objects.all()
    assert of_new.edition == NEW
    for each in RatingList.objects.all():
        told = printed(client, f"{each.get_absolute_url()}r{each.revision}/")
        save(client, told.files, tmp_path)
    record_file, list_file = (
        str(next(path for path in tmp_path.iterdir() if path.suffix == suffix))
        for suffix in (".ndjson", ".json")
    )
    assert main([record_file, list_file]) == 0
    forged = Path(list_file)
    forged.write_text(forged.read_text().replace(NEW, OLD))
    assert main([record_file, list_file]) != 0


@pytest.fixture
def early(office: Federation) -> Section:
    """Rated while the old edition was in force."""
    section = submitted(office, register(office, 4), ends=EVE - timedelta(9))
    section.particulars = {"category": "hearth"}
    section.save()
    approved(section)
    return section


def test_a_list_of_the_day_before_is_of_the_old_edition_and_one_of_the_day_of_the_new(
    office: Federation, early: Section
) -> None:
    for day, edition in ((EVE, OLD), (FROM, NEW)):
        assert [each.edition for each in published(office, day)] == [edition]
    assert verify(office).differences == []


def test_the_tables_of_a_past_day_are_those_of_its_edition_which_the_newest_may_have_no_more(
    office: Federation, early: Section, mill: Ruleset, client: Client
) -> None:
    [page] = pages_of(mill)
    assert page.tables == ("settled-by-games", "thrift")
    for day, shown, hidden in ((EVE, THRIFT, SETTLED), (FROM, SETTLED, THRIFT)):
        then = words(client.get(f"/mill/tables/further/?on={day}"))
        assert shown in then
        assert hidden not in then


def test_an_edition_that_comes_later_than_its_day_waits_for_the_office_s_word_and_is_then_applied_to_all(
    office: Federation, early: Section, mill: Ruleset, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worker asks; what began earlier is no concern of it, and stays as it is."""
    assert verify(office).differences == []
    with monkeypatch.context() as before:
        only_old = replace(mill, editions=mill.editions[:1])
        before.setattr(Federation, "ruleset", property(lambda federation: only_old))
        before.setattr(recompute, "rules_hash", lambda slug: f"only-{slug}-of-1990")
        Ledger.objects.filter(federation=office).update(rules=recompute.get_own_rules_hash(office))
        late = submitted(
            office,
            [entry.player for entry in early.entries.all() if entry.player],
            number="2",
            ends=FROM + timedelta(1),
        )
        late.particulars = {"category": "fair"}
        late.save()
        fact = approved(late)
        by_the_old = stored(office)
        assert verify(office).differences == []
    assert any(told.startswith(f"line {fact.number}, ") for told in verify(office).differences)
    tasks.sweep()
    assert stored(office) == by_the_old != replayed(office, mill)
    version = RulesVersion.objects.waiting_in(office, get_own_rules_hash(office))
    assert version is not None
    assert version.effects["named_sections"] == ["2/A"]
    assert version.effects["sections"] == 1
    rules_change.decide_to_apply_rules(
        federation=office, by=None, on=FROM + timedelta(9), rules=version.rules
    )
    tasks.sweep()
    assert stored(office) == replayed(office, mill)
    assert verify(office).differences == []


def test_an_office_taken_in_from_its_journal_is_rated_by_both_editions(
    office: Federation, sections: dict[date, Section], mill: Ruleset
) -> None:
    lines = list(journal_lines(office))
    lines[0] = lines[0].replace('"code":"mill"', '"code":"guild"')
    taken_in = import_journal(journal.read_journal(f"{line}\n" for line in lines), on=FROM + timedelta(30))
    recompute_all(taken_in)
    assert stored(taken_in) == stored(office)
    assert [each.edition for each in RatingList.objects.filter(federation=taken_in)] == [NEW]
    assert verify(taken_in).differences == []
