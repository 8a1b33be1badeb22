"""The catalogues hold what the sources mark, as they mark it, and a translation keeps what a text holds."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

import polib
import pytest

from federation_site.catalogues import compile_stale, join_one_letter_words, readable_folders
from tests.translations import (
    Entries,
    catalogue_file,
    count_plural_forms,
    entries_by_catalogue,
    extract_entries,
    faults_of_catalogue,
    faults_of_entry,
    site_sources,
    sources_below,
    write_catalogue,
)

ROOT = Path(__file__).resolve().parents[2]


def test_marked_texts_of_programs_and_of_pages_are_found(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "# Translators: of a list\n"
        'a = _("one")\n'
        'b = ngettext("%(n)s list", "%(n)s lists", 2)\n'
        'c = pgettext("of chess", "round")\n'
        'd = "not marked"\n'
    )
    page = tmp_path / "page.html"
    page.write_text(
        '{% load i18n %}\n  <p>{% translate "one" %}</p>\n'
        "  {% blocktranslate trimmed %}\n    two\n    lines\n  {% endblocktranslate %}\n"
    )
    found = extract_entries(tmp_path, [program, page])
    assert set(found) == {("one", ""), ("%(n)s list", ""), ("round", "of chess"), ("two lines", "")}
    assert found["one", ""].occurrences == [("page.html", ""), ("program.py", "")]
    assert found["one", ""].comment == "of a list"
    assert found["%(n)s list", ""].msgid_plural == "%(n)s lists"


def test_title_and_words_of_a_worked_example_are_texts_of_its_ruleset(tmp_path: Path) -> None:
    example = tmp_path / "examples" / "1-first-rating.expected"
    example.parent.mkdir()
    example.write_text("# Two games,\n# and 100% of the points.\n#\n# after player rating\nE/A 1 unrated\n")
    found = extract_entries(tmp_path, sources_below(tmp_path))
    assert {key: entry.comment for key, entry in found.items()} == {
        ("First rating", "title of a worked example"): "title of a worked example",
        ("Two games, and 100% of the points.", ""): "words of a worked example",
    }


def test_a_catalogue_is_sorted_keeps_translations_and_lets_go_what_no_source_has(tmp_path: Path) -> None:
    path = tmp_path / "django.po"
    write_catalogue(path, "pl", messages("b", "a", "gone"))
    catalogue = polib.pofile(str(path))
    for entry in catalogue:
        entry.msgstr = f"PL {entry.msgid}"
    catalogue.save()
    write_catalogue(path, "pl", messages("c", "b", "a"))
    assert [(entry.msgid, entry.msgstr) for entry in polib.pofile(str(path))] == [
        ("a", "PL a"),
        ("b", "PL b"),
        ("c", ""),
    ]


def test_a_catalogue_that_nothing_changed_is_written_with_the_same_bytes(tmp_path: Path) -> None:
    path = tmp_path / "django.po"
    several = messages("a", "b" * 300)
    several["%(n)s list", ""] = polib.POEntry(msgid="%(n)s list", msgid_plural="%(n)s lists")
    write_catalogue(path, "ru", several)
    before = path.read_bytes()
    write_catalogue(path, "ru", several)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("text", "translated", "fault"),
    [
        ("%(count)s of {place}", "{place} z %(count)s", ""),
        ("%(count)s of {place}", "%(count)s z {miejsce}", "placeholders"),
        ("%(count)s of 5", "z 5", "placeholders"),
        ("100%% of %(a)s", "100%% z %(a)s", ""),
        ("<strong>Now</strong>", "<strong>Teraz</strong>", ""),
        ("<strong>Now</strong>", "<b>Teraz</b>", "tags"),
        ("A&nbsp;B", "A B", "tags"),
        (" ago", "temu", "space"),
        ("ago", "", "not translated"),
    ],
)
def test_a_translation_keeps_placeholders_tags_and_outer_spaces(
    text: str, translated: str, fault: str
) -> None:
    found = list(faults_of_entry(polib.POEntry(msgid=text, msgstr=translated), "pl"))
    assert len(found) == bool(fault)
    assert fault in "".join(found)


def test_a_plural_form_left_out_is_a_fault_and_the_form_for_one_may_do_without_its_number() -> None:
    forms = {0: "jedna lista", 1: "%(n)s listy", 2: "%(n)s list", 3: "%(n)s listy"}
    entry = polib.POEntry(msgid="one list", msgid_plural="%(n)s lists", msgstr_plural=forms)
    assert not list(faults_of_entry(entry, "pl"))
    entry.msgstr_plural = {number: forms[number] for number in range(3)}
    assert list(faults_of_entry(entry, "pl"))
    entry.msgstr_plural = {**forms, 2: "wiele list"}
    assert list(faults_of_entry(entry, "pl"))


def test_missing_superfluous_and_fuzzy_entries_are_faults(tmp_path: Path) -> None:
    path = tmp_path / "django.po"
    write_catalogue(path, "cs", messages("fuzzy", "gone"))
    catalogue = polib.pofile(str(path))
    for entry in catalogue:
        entry.msgstr = "jinak"
    catalogue[0].flags.append("fuzzy")
    catalogue.save()
    told = dict(faults_of_catalogue(path, "cs", messages("fuzzy", "new")))
    assert sorted(told) == ["fuzzy", "gone", "new"]


def test_what_is_compiled_says_what_the_catalogue_says_and_follows_it(tmp_path: Path) -> None:
    path = catalogue_file(tmp_path / "locale", "ru")
    write_catalogue(path, "ru", messages("list"))
    for word in ("список", "перечень"):
        catalogue = polib.pofile(str(path))
        catalogue[0].msgstr = word
        catalogue.save()
        path.with_suffix(".mo").unlink(missing_ok=True)
        compile_stale(tmp_path)
        assert [entry.msgstr for entry in polib.mofile(str(path.with_suffix(".mo")))] == [word]


@pytest.mark.parametrize(
    ("language", "text", "held"),
    [
        ("pl", "Zawody w maju i w lipcu", "Zawody w~maju i~w~lipcu"),
        ("pl", "W %(day)s (o %(time)s)", "W~%(day)s (o~%(time)s)"),
        ("pl", "„A gdzie?” a tu; od a do z", "„A~gdzie?” a~tu; od a~do z"),
        ("pl", "mam kota i", "mam kota i"),
        (
            "pl",
            '<a href="/">lista</a> i <i lang="en">list</i>',
            '<a href="/">lista</a> i~<i lang="en">list</i>',
        ),
        ("cs", "K partii v kole s hráčem", "K~partii v~kole s~hráčem"),
        ("cs", "kolo w nebo b", "kolo w nebo b"),
        ("cs", "%s chybí, %(player)s chybí s %(other)s", "%s chybí, %(player)s chybí s~%(other)s"),
        ("ru", "в туре и на доске", "в туре и на доске"),
    ],
)
def test_a_word_of_one_letter_is_held_to_the_word_behind_it_in_polish_and_czech(
    language: str, text: str, held: str
) -> None:
    assert join_one_letter_words(text, language).replace("\N{NO-BREAK SPACE}", "~") == held


def test_what_is_compiled_holds_words_of_one_letter_in_each_form_and_the_catalogue_stays(
    tmp_path: Path,
) -> None:
    path = catalogue_file(tmp_path / "locale", "pl")
    several = messages("in a list")
    several["in %(n)s list", ""] = polib.POEntry(msgid="in %(n)s list", msgid_plural="in %(n)s lists")
    write_catalogue(path, "pl", several)
    catalogue = polib.pofile(str(path))
    for entry in catalogue:
        entry.msgstr = "" if entry.msgid_plural else "w liście"
        entry.msgstr_plural = {number: f"w %(n)s {number}" for number in entry.msgstr_plural}
    catalogue.save()
    before = path.read_bytes()
    compile_stale(tmp_path)
    compiled = polib.mofile(str(path.with_suffix(".mo")))
    said = [text for entry in compiled for text in (entry.msgstr, *entry.msgstr_plural.values()) if text]
    assert sorted(said) == sorted(
        ["w\N{NO-BREAK SPACE}liście", *(f"w\N{NO-BREAK SPACE}%(n)s {n}" for n in range(4))]
    )
    assert path.read_bytes() == before


def test_a_catalogue_is_compiled_again_by_a_newer_program(tmp_path: Path) -> None:
    path = catalogue_file(tmp_path / "locale", "pl")
    write_catalogue(path, "pl", messages("list"))
    compile_stale(tmp_path)
    compiled = path.with_suffix(".mo")
    compiled.write_bytes(b"by an older program")
    os.utime(path, (0, 0))
    os.utime(compiled, (1, 1))
    compile_stale(tmp_path)
    assert compiled.read_bytes() != b"by an older program"


@pytest.mark.parametrize("rights", [0o644, 0o640, 0o600])
def test_who_reads_a_catalogue_reads_what_is_compiled_of_it_whatever_the_umask(
    rights: int, tmp_path: Path
) -> None:
    path = catalogue_file(tmp_path / "locale", "pl")
    write_catalogue(path, "pl", messages("list"))
    path.chmod(rights)
    before = os.umask(0o077)
    try:
        compile_stale(tmp_path)
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.with_suffix(".mo").stat().st_mode) == rights


def test_a_folder_with_a_compiled_catalogue_that_cannot_be_read_is_left_out_and_pages_go_on_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = catalogue_file(tmp_path / "locale", "pl")
    write_catalogue(path, "pl", messages("list"))
    assert readable_folders(tmp_path) == [tmp_path / "locale"]
    compile_stale(tmp_path)
    assert readable_folders(tmp_path) == [tmp_path / "locale"]
    compiled = path.with_suffix(".mo")
    monkeypatch.setattr(os, "access", lambda asked, _how: asked != compiled)  # root could read any
    assert readable_folders(tmp_path) == []
    compiled.write_bytes(b"of another account")
    compile_stale(tmp_path)
    assert compiled.read_bytes() != b"of another account"


@pytest.mark.parametrize("language", ["cs", "pl", "ru"])
def test_the_forms_of_plurals_are_as_many_as_django_has(language: str) -> None:
    assert count_plural_forms(language) == 4


@pytest.mark.long
def test_every_text_is_said_in_every_language_without_a_fault() -> None:
    for folder, entries in entries_by_catalogue(ROOT):
        for language in ("cs", "pl", "ru"):
            path = catalogue_file(folder, language)
            assert list(faults_of_catalogue(path, language, entries)) == [], path.relative_to(ROOT)


@pytest.mark.long
def test_a_ruleset_carries_its_own_words_and_none_that_the_house_has() -> None:
    house, *rulesets = (set(entries) for _folder, entries in entries_by_catalogue(ROOT))
    assert len(house) > 3000
    assert all(words and not words & house for words in rulesets)


def test_a_text_is_marked_by_every_name_under_which_gettext_is_imported(tmp_path: Path) -> None:
    programs = [path.read_text() for path in site_sources(ROOT) if path.suffix == ".py"]
    names = {name for program in programs for name in re.findall(r"\w*gettext\w* as (\w+)", program)}
    assert {"_", "now", "later"} <= names
    for name in names:
        source = tmp_path / f"{name}.py"
        source.write_text(f'words = {name}("a text")\n')
        assert ("a text", "") in extract_entries(tmp_path, [source]), name


def messages(*texts: str) -> Entries:
    return {(text, ""): polib.POEntry(msgid=text) for text in texts}
