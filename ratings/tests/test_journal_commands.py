"""Journals as files: exported whole or not at all, and not imported where a part may be missing."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from players.models import Decision, Federation
from ratings import check, replay
from ratings.journal import journal_lines
from ratings.management.commands import export_journal
from ratings.models import Fact, Standing
from ratings.recompute import recompute
from ratings.tests.alterations import triggers_off
from ratings.tests.ended import with_end
from ratings.tests.office import approved, published, register, submitted
from ratings.verify import verify
from tests.built_once import built_once

pytestmark = [pytest.mark.django_db, pytest.mark.servers]


@pytest.fixture
@built_once
def office(csa: Federation) -> Federation:
    approved(submitted(csa, register(csa, 10)))
    published(csa, date(2024, 4, 1))
    recompute(csa)
    return csa


def told(*arguments: Any, **options: Any) -> str:
    with pytest.raises(CommandError) as refused:
        call_command(*arguments, **options)
    return str(refused.value)


def of_another_office(office: Federation) -> list[str]:
    return [line.replace('"code":"csa"', '"code":"twin"') for line in journal_lines(office)]


def test_beside_an_exported_journal_lies_its_end_line_and_both_are_their_owners_alone(
    office: Federation, tmp_path: Path
) -> None:
    call_command("export_journal", "csa", output=tmp_path / "csa.ndjson")
    *lines, end = with_end(journal_lines(office))
    assert (tmp_path / "csa.ndjson").read_bytes() == b"".join(lines)
    assert (tmp_path / "csa.ndjson.end").read_bytes() == end
    assert stat.S_IMODE((tmp_path / "csa.ndjson.end").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "csa.ndjson").stat().st_mode) == 0o600


def test_an_export_that_breaks_off_leaves_the_last_good_file(
    office: Federation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks_off(federation: Federation) -> Iterator[str]:
        yield next(journal_lines(federation))
        raise KeyboardInterrupt

    file = tmp_path / "csa.ndjson"
    file.write_text("the last good one")
    monkeypatch.setattr(export_journal, "journal_lines", breaks_off)
    with pytest.raises(KeyboardInterrupt):
        call_command("export_journal", "csa", output=file)
    assert file.read_text() == "the last good one"
    assert list(tmp_path.iterdir()) == [file]


def test_a_folder_that_is_not_there_is_named(office: Federation, tmp_path: Path) -> None:
    assert "No such file" in told("export_journal", "csa", output=tmp_path / "nowhere" / "csa.ndjson")


def test_a_whole_journal_is_imported_and_exported_to_the_same_bytes(
    office: Federation, tmp_path: Path
) -> None:
    file, again = tmp_path / "twin.ndjson", tmp_path / "again.ndjson"
    file.write_bytes(b"".join(with_end(of_another_office(office))))
    call_command("import_journal", file)
    call_command("export_journal", "twin", output=again)
    assert again.read_bytes() + again.with_name("again.ndjson.end").read_bytes() == file.read_bytes()


def of_form_2(office: Federation) -> list[str]:
    first, *others = of_another_office(office)
    return [first.replace('"form":3', '"form":2'), *others]


def test_a_journal_of_form_2_moves_into_a_new_office_of_form_3_with_the_same_ratings(
    office: Federation, tmp_path: Path
) -> None:
    file, again = tmp_path / "twin.ndjson", tmp_path / "again.ndjson"
    file.write_bytes(b"".join(with_end(of_form_2(office))))
    call_command("import_journal", file)
    call_command("export_journal", "twin", output=again)
    assert again.read_text().splitlines() == of_another_office(office)
    twin = Federation.objects.get(code="twin")
    assert verify(twin).differences == []
    standings = [
        list(rows.values_list("player__number", "track", "rating", "games", "state"))
        for each in (office, twin)
        for rows in [Standing.objects.filter(federation=each).order_by("player__number", "track")]
    ]
    assert standings[0]
    assert standings[0] == standings[1]


def test_a_line_of_form_2_that_form_3_refuses_is_named_by_its_number_and_nothing_is_written(
    office: Federation, tmp_path: Path
) -> None:
    file, lines = tmp_path / "twin.ndjson", of_form_2(office)
    lines.insert(4, '{"fact":"revised","list":"2024-03-01","on":"2024-03-01"}')
    file.write_bytes(b"".join(with_end(lines)))
    assert told("import_journal", file).startswith("line 5: list: there is no list of 2024-03-01 above")
    assert not Federation.objects.filter(code="twin").exists()


def test_every_other_reader_refuses_form_2_and_names_the_program_that_reads_it(
    office: Federation, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, note = tmp_path / "twin.ndjson", tmp_path / "checkpoint"
    file.write_bytes(b"".join(with_end(of_form_2(office))))
    note.write_text("any")
    words = "line 1: form: this journal is in form 2, which Federation Ratings 0.1.0rc1 reads; this program"
    assert replay.main([str(file)]) == replay.MALFORMED
    assert capsys.readouterr().err.startswith(words)
    assert check.main([str(file)]) == check.DIFFERENT
    assert capsys.readouterr().err.startswith(words)
    assert told("take_lines", "csa", file, checkpoint=note).startswith(words)
    with triggers_off():
        Fact.objects.filter(federation=office, number=1).update(line=of_form_2(office)[0])
    assert any(words in each for each in verify(office).differences)


@pytest.mark.parametrize("lines", [1, 5, -2, -1])
def test_a_journal_cut_short_at_a_line_is_not_imported(
    lines: int, office: Federation, tmp_path: Path
) -> None:
    file = tmp_path / "twin.ndjson"
    *whole, end = with_end(of_another_office(office))
    file.with_name("twin.ndjson.end").write_bytes(end)
    file.write_bytes(b"".join(whole[:lines]))
    assert "the end line is not that of the" in told("import_journal", file)
    assert not Federation.objects.filter(code="twin").exists()
    file.write_bytes(b"".join(whole))
    call_command("import_journal", file)
    assert Federation.objects.filter(code="twin").exists()


def test_a_journal_without_an_end_line_is_imported_with_a_word_on_it(
    office: Federation, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "twin.ndjson"
    file.write_text("".join(f"{line}\n" for line in of_another_office(office)))
    call_command("import_journal", file)
    assert "no twin.ndjson.end lies beside it" in capsys.readouterr().err
    assert Federation.objects.filter(code="twin").exists()


def test_an_import_is_recorded_on_the_day_that_it_is_at_the_office(
    office: Federation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "twin.ndjson"
    file.write_bytes(b"".join(with_end(of_another_office(office))))
    late = datetime(2026, 11, 20, 22, 30, tzinfo=UTC)  # the 21st in Johannesburg
    monkeypatch.setattr("django.utils.timezone.now", lambda: late)
    call_command("import_journal", file)
    assert Decision.objects.get(kind="import").on == date(2026, 11, 21)
