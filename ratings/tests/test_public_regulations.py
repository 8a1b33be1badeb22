"""The page of the regulations tells what no program carries out, each reading, and the settings."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.test import Client
from django.utils.translation import gettext, override, pgettext

from players.models import Federation, Ledger
from ratings.pages.regulations import Clause, chapters_of, parse_clause_finding_pairs, uses_by_clause
from ratings.rulesets import rulesets
from ratings.rulesets.examples import TITLE_CONTEXT, examples_of
from ratings.rulesets.profile import equipment_of
from ratings.rulesets.readings import COMMON_READINGS
from ratings.rulesets.ruleset import Ruleset
from tests.pages import unbroken

pytestmark = [pytest.mark.django_db, pytest.mark.long]
every_ruleset = pytest.mark.parametrize("ruleset", rulesets().values(), ids=rulesets().keys())


def page_of(client: Client, ruleset: Ruleset, **settings: object) -> str:
    office = Federation.objects.create(
        code=ruleset.slug, name=ruleset.name, ruleset_slug=ruleset.slug, settings=settings
    )
    Ledger.objects.create(federation=office)
    return unescape(client.get(f"/{ruleset.slug}/regulations/").content.decode())


def at(page: str, clause: str) -> str:
    """What stands at a clause."""
    found = re.search(rf'<li id="clause-{re.escape(clause)}">.*?</li>', page, re.DOTALL)
    assert found, clause
    return found[0]


@every_ruleset
def test_what_is_not_carried_out_stands_at_its_clause_with_the_reason(
    ruleset: Ruleset, client: Client
) -> None:
    page, enacted = page_of(client, ruleset), equipment_of(ruleset).publication.enacted
    assert enacted is not None
    for clause, why in enacted.not_computed.items():
        assert f"Not computed by the program:</b> {why}" in at(page, clause)
    for clause, why in enacted.partly_computed.items():
        assert f"In part:</b> {why}" in at(page, clause)
    silent = set(ruleset.words.clauses) - set(enacted.not_computed) - set(enacted.partly_computed)
    for clause in silent:
        assert "Not computed" not in at(page, clause)
        assert "In part:" not in at(page, clause)


@every_ruleset
def test_every_reading_stands_there_the_small_and_the_common_ones_too(
    ruleset: Ruleset, client: Client
) -> None:
    page, enacted = page_of(client, ruleset), equipment_of(ruleset).publication.enacted
    assert enacted is not None
    for clause, reading in enacted.smaller_readings:
        assert reading in at(page, clause)
    for number, (question, answer) in COMMON_READINGS.items():
        assert question in at(page, number)
        assert answer in at(page, number)


@every_ruleset
def test_the_page_says_where_the_enacted_text_is_from(ruleset: Ruleset, client: Client) -> None:
    page, enacted = page_of(client, ruleset), equipment_of(ruleset).publication.enacted
    assert enacted is not None
    assert enacted.source.title in page
    assert enacted.source.issued_by in page
    assert (enacted.source.url in page) or not enacted.source.url


@every_ruleset
@pytest.mark.parametrize("held", [True, False])
def test_a_setting_that_turns_clauses_into_notices_is_told_at_each_of_them(
    ruleset: Ruleset, client: Client, held: bool
) -> None:
    page = page_of(client, ruleset, deadlines=held, particulars=held)
    enacted = equipment_of(ruleset).publication.enacted
    assert enacted is not None
    words = {
        "deadlines": ("enforces deadlines", "does not enforce deadlines"),
        "particulars": ("requires full particulars", "does not require full particulars"),
    }
    for name, (strict, lenient) in words.items():
        for clause in ruleset.words.clauses:
            told = at(page, clause)
            named = clause in enacted.settings.get(name, ())
            assert (strict in told) is (named and held), clause
            assert (lenient in told) is (named and not held), clause


def test_the_day_of_membership_stands_at_the_clause_that_waits_for_it(client: Client) -> None:
    mahjong = rulesets()["mahjong"]
    assert "has not introduced membership" in at(page_of(client, mahjong), "1.3")
    office = Federation.objects.get()
    office.settings = {"membership": "2026-01-05"}
    office.save()
    Ledger.objects.update(decisions=1)
    page = client.get("/mahjong/regulations/").content.decode()
    assert "introduced membership on 5 January 2026" in at(page, "1.3")


@every_ruleset
def test_the_chapters_hold_each_clause_once_in_order_and_begin_at_clauses_of_the_text(
    ruleset: Ruleset,
) -> None:
    enacted = equipment_of(ruleset).publication.enacted
    assert enacted is not None
    clauses = [Clause(number, "") for number in ruleset.clauses_of(ruleset.newest)]
    chapters = chapters_of(enacted, clauses)
    assert [clause for chapter in chapters for clause in chapter.clauses] == clauses
    begun = [chapter.place for chapter in chapters]
    assert begun == [f"chapter-{number}" for number, _subject in enacted.chapters] or not enacted.chapters


def test_chapters_are_folded_unless_all_are_asked_for_and_the_index_leads_to_each(client: Client) -> None:
    page = page_of(client, rulesets()["csa"])
    assert unbroken(page).count('<details class="chapter">') > 20
    assert '<a href="#chapter-29">K</a>' in unbroken(page)
    assert '<ol class="clauses" id="chapter-29">' in unbroken(page)
    whole = client.get("/csa/regulations/?open=all").content.decode()
    assert '<details class="chapter">' not in unbroken(whole)
    assert "noindex" in whole


@pytest.mark.parametrize(
    ("asked", "clauses", "others"),
    [
        ("44", ["44"], ["45", "4"]),
        ("§44", ["44"], ["45"]),
        ("d-csa-9", ["D-CSA-9"], ["D-CSA-8"]),
        ("arbiter", ["6", "7", "8"], ["10"]),  # the beginning of a word
        ("arbiter club", ["8"], ["6", "7"]),  # each word
        ("ARBITÉR", ["6"], ["10"]),
        ("rbiter", [], ["6"]),
    ],
)
def test_a_search_finds_clauses_by_number_and_by_words(
    client: Client, asked: str, clauses: list[str], others: list[str]
) -> None:
    page_of(client, rulesets()["csa"])
    found = client.get("/csa/regulations/", {"q": asked}).content.decode()
    assert all(f'<li id="clause-{clause}">' in found for clause in clauses)
    assert not any(f'<li id="clause-{clause}">' in found for clause in others)
    assert "noindex" in found


def test_a_clause_tells_the_examples_numbers_questions_and_findings_that_rest_on_it(client: Client) -> None:
    page = page_of(client, rulesets()["csa"])
    assert "/csa/regulations/2-performance/" in at(page, "32")
    assert 'href="/csa/regulations/#numbers"' in at(page, "45")
    assert "The time control is missing." in at(page, "19")
    assert "Asked when an event is registered or filed:" in at(page, "7")
    assert "Where it is used" not in at(page, "3")


@every_ruleset
def test_each_use_is_of_a_clause_and_says_whole_words(ruleset: Ruleset) -> None:
    used = uses_by_clause(ruleset, ruleset.newest)
    assert set(used) == set(ruleset.clauses_of(ruleset.newest))
    assert {clause for clause, _key in parse_clause_finding_pairs(ruleset.slug)} <= set(used)
    for each in used.values():
        assert all(words and "{" not in words for words in (*each.asked, *each.found, *each.numbers))
    shown = {example for each in used.values() for example in each.examples}
    assert shown <= set(examples_of(ruleset))
    assert shown


@pytest.mark.parametrize("language", ["pl", "cs", "ru"])
@every_ruleset
def test_a_worked_example_has_title_and_words_in_the_reader_s_language(
    ruleset: Ruleset, language: str, client: Client
) -> None:
    page_of(client, ruleset)
    listed = page(client, f"/{language}/{ruleset.slug}/regulations/")
    assert 'lang="en"' not in listed.partition('id="examples"')[2].partition("</section>")[0]
    for each in examples_of(ruleset):
        with override(language):
            title, words = pgettext(TITLE_CONTEXT, each.title), gettext(each.words)
        assert title != each.title
        assert unbroken(title) in listed
        shown = page(client, f"/{language}/{ruleset.slug}/regulations/{each.name}/")
        main = shown.partition("<main")[2].partition("</main>")[0]
        assert 'lang="en"' not in main
        assert shown.count(unbroken(title)) >= 4, "page title, share title, way and heading"
        assert unbroken(words) in main
        assert each.title not in shown
        assert each.words not in shown


def test_the_example_of_a_performance_is_told_in_polish(client: Client) -> None:
    page_of(client, rulesets()["csa"])
    shown = page(client, "/pl/csa/regulations/2-performance/")
    assert "Dwa przykłady wyniku rankingowego z regulaminu (CSA 32)" in shown
    assert "zgodnie z oczekiwaniem: 1731,8181818181818182" in shown
    assert "zgodnie z oczekiwaniem: brak rankingu" in shown
    assert "unrated" not in shown


def page(client: Client, address: str) -> str:
    return unbroken(re.sub(r"\s+", " ", unescape(client.get(address).content.decode())))
