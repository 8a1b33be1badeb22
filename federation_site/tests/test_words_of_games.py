"""Words that more than one catalogue may answer for are said as their federation says them."""

from collections import defaultdict
from datetime import date
from pathlib import Path

import pytest
from django.utils import translation

from federation_site.catalogues import catalogue_folders
from players.models import Federation
from ratings.cross_tables import bye_mark
from ratings.pages.errata import compare_versions
from ratings.rulesets import rulesets
from ratings.rulesets.facts import BYE_KINDS, RESULTS, Bye, Entry, Game, Section
from ratings.rulesets.profile import Notation, equipment_of
from ratings.rulesets.ruleset import Ruleset
from tests.translations import catalogue_file, entries_by_catalogue, read_catalogue
from tournaments.findings import result_in_words

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.long
def test_the_two_sides_of_a_game_are_marked_for_translation() -> None:
    """Django has a “second” of its own, a sixtieth of a minute, for words that no catalogue of ours holds."""
    marked = {folder: {text for text, _ in entries} for folder, entries in entries_by_catalogue(ROOT)}
    of_house = marked.pop(ROOT / "locale")
    own = {folder.parent.name: texts for folder, texts in marked.items()}
    unmarked = {
        ruleset.slug: sides_of(ruleset) - of_house - own.get(ruleset.slug, set())
        for ruleset in rulesets().values()
    }
    assert unmarked == {slug: set() for slug in rulesets()}


def sides_of(ruleset: Ruleset) -> set[str]:
    return set(equipment_of(ruleset).publication.sides)


@pytest.mark.parametrize("language", ["cs", "pl", "ru"])
def test_two_federations_say_the_same_english_words_alike(language: str) -> None:
    """Django lays all catalogues over each other, and the first that has a text answers for all."""
    said: dict[object, set[str]] = defaultdict(set)
    for folder in catalogue_folders(ROOT):
        for key, entry in read_catalogue(catalogue_file(folder, language)).items():
            said[key].add(entry.msgstr or str(sorted(entry.msgstr_plural.items())))
    assert {key: words for key, words in said.items() if len(words) > 1} == {}


@pytest.mark.parametrize("language", ["cs", "pl", "ru"])
def test_new_players_of_a_list_are_told_from_a_new_rating(language: str) -> None:
    """The one heads a number of people, the other a rating: other languages say them in other forms."""
    entries = read_catalogue(catalogue_file(ROOT / "locale", language)).values()
    assert len({entry.msgstr for entry in entries if entry.msgid == "New"}) == 2


@pytest.mark.parametrize(
    ("language", "bye", "annulled"),
    [
        ("en", "bye", "annulled"),
        ("pl", "pauza", "anulowana"),
        ("cs", "volno", "anulována"),
        ("ru", "своб.", "аннулирована"),
    ],
)
def test_marks_that_are_words_are_said_in_the_readers_language(
    language: str, bye: str, annulled: str
) -> None:
    with translation.override(language):
        assert [bye_mark(kind, Notation()) for kind in ("pairing", "full", "half", "zero")] == [
            bye,
            bye,
            "½",
            "–",
        ]
        assert [result_in_words(result) for result in ("annulled", "1/2", "1-0")] == [annulled, "½-½", "1-0"]


@pytest.mark.parametrize("language", ["cs", "pl", "ru"])
def test_no_result_and_no_kind_of_bye_is_shown_as_the_word_that_files_have(language: str) -> None:
    with translation.override(language):
        words = {code: result_in_words(code) for code in (*RESULTS, *BYE_KINDS) if code.isalpha()}
        assert {code for code, said in words.items() if said == code} == set()
        assert len({*words.values()}) == len(words)


@pytest.mark.django_db
def test_what_differs_in_a_section_rated_again_is_said_in_the_readers_words(csa: Federation) -> None:
    games = [Game(1, "a", "b", result) for result in ("1-0", "annulled")]
    first, then = (
        Section(
            *("2024-001/A", "Cup", "A", date(2024, 3, day), date(2024, 3, 9), format_, 2),
            entries=(Entry("a"), Entry("b"), Entry("c")),
            games=(game,),
            byes=(Bye(2, "c", kind),),
            team=format_ == "swiss",
            platform=platform,
        )
        for day, format_, game, kind, platform in [
            (8, "swiss", games[0], "pairing", "otb"),
            (9, "round-robin", games[1], "half", "online"),
        ]
    )
    with translation.override("ru"):
        [rows] = compare_versions(csa, [(first, then)])
    said = {word for row in rows for words in (row.words, row.before, row.after) for word in words.split()}
    assert not said & {"annulled", "pairing", "half", "swiss", "round-robin", "True", "False", "platform"}
    assert not said & {"otb", "online", "2024-03-08"}
    assert "аннулирована" in said
