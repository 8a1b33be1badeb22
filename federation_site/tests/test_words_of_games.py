"""Words that more than one catalogue may answer for are said as their federation says them."""

from collections import defaultdict
from pathlib import Path

import pytest
from django.utils import translation

from federation_site.catalogues import catalogue_folders
from ratings.cross_tables import bye_mark
from ratings.rulesets import rulesets
from ratings.rulesets.profile import Notation, equipment_of
from ratings.rulesets.ruleset import Ruleset
from tests.translations import catalogue_file, entries_by_catalogue, read_catalogue
from tournaments.corrections import result_in_words

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
