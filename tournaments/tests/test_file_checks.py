"""The check of a file before anybody sends it: a page for everybody, a command with the register, and a
command in plain Python.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from html import unescape
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client

from players.models import BirthDate, Federation, Player, User
from tournaments.box import BoxDied
from tournaments.file_checks import check_file
from tournaments.formats import file_check, trf_writer
from tournaments.formats.messages import MESSAGES
from tournaments.formats.sheet import dump
from tournaments.models import Section
from tournaments.pages import file_check as page
from tournaments.tests.conftest import Send, address
from tournaments.tests.event_files import FOUR, HEAD, open_file, open_sheet
from tournaments.tests.test_finals import FINALS
from tournaments.tests.test_formats_xlsx import zipped
from tournaments.tests.test_hostile_uploads import BLOCKED, REFUSED, opened_here
from tournaments.tests.test_mutated_uploads import changed_files
from tournaments.uploads import MOST_BYTES

__all__ = ["opened_here"]
URL = "/csa/events/check-file/"
ROOT = Path(file_check.__file__).parents[2]


def ask(data: bytes, name: str = "a.trf") -> Any:
    return Client().post(URL, {"file": SimpleUploadedFile(name, data)})


def text_of(response: Any) -> str:
    return " ".join(unescape(response.content.decode()).split())


def numbered(**changes: Any) -> bytes:
    """The file of six with their numbers in the register; `changes` to the first of them."""
    sheet = open_sheet()
    rows = [replace(row, identifier=f"10100000{row.start_number}") for row in sheet.rows]
    first = replace(rows[0], **changes)
    return trf_writer.write(replace(sheet, rows=(first, *rows[1:])))


def counts() -> dict[str, int]:
    return {model._meta.label: model._base_manager.count() for model in apps.get_models()}


def plain(folder: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    """The command as an arbiter runs it: with no package installed."""
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r})\n"
    code += "from tournaments.formats import file_check; sys.exit(file_check.main())"
    command = [sys.executable, "-I", "-S", "-c", code, *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, env={})


# ---------------------------------------------------------------- the page


@pytest.mark.parametrize("language", ["", "/cs", "/pl", "/ru"])
def test_everybody_may_open_it_in_each_language(csa: Federation, language: str) -> None:
    response = Client().get(f"{language}{URL}")
    assert response.status_code == 200
    assert 'type="file"' in response.content.decode()


def test_it_is_found_from_the_office_s_first_page_and_from_the_events(csa: Federation) -> None:
    for page_url in ("/csa/", "/csa/events/"):
        assert f'href="{URL}"' in Client().get(page_url).content.decode()


def test_it_shows_event_days_players_and_pairs_by_round(csa: Federation) -> None:
    response = ask(open_file())
    text = text_of(response)
    assert response.status_code == 200
    assert "Nothing was found that is wrong with this file." in text
    for shown in ("Soweto Open A", "6 March 2026", "van der Merwe, Anneke", "Round 5"):
        assert shown in text
    rounds = response.context["rounds"]
    assert [len(each["pairs"]) for each in rounds] == [3, 3, 3, 3, 3]
    assert rounds[1]["day"] == date(2026, 3, 7)
    assert rounds[0]["pairs"][0] == ("Dlamini, Thabo", "van der Merwe, Anneke", "1 : 0")


def test_more_games_than_a_page_holds_are_counted_and_not_shown(
    csa: Federation, monkeypatch: pytest.MonkeyPatch
) -> None:
    for most, shown in ((15, True), (14, False)):
        monkeypatch.setattr(page, "MOST_GAMES_SHOWN", most)
        response = ask(open_file())
        assert ("too many games" not in text_of(response)) == shown
        assert bool(response.context["rounds"]) == shown


def test_rounds_behind_the_scheduled_ones_have_the_names_of_finals(db: None) -> None:
    Federation.objects.create(code="csa", name="Othello", ruleset_slug="pfo")
    rounds = ask(FINALS.encode(), "a.elo").context["rounds"]
    assert [each["name"] for each in rounds] == [1, 2, "3-4", "F"]


def test_it_says_the_very_words_that_an_upload_says(
    section: Section, amahle: User, client_of: Callable[[User], Client], upload: Send
) -> None:
    wrong = HEAD + FOUR.replace("2.0", "1.5").replace("1975/01/19", "2099/01/19")
    wrong = wrong.replace("05/09", "03/06").replace("05/10", "03/07")
    client = client_of(amahle)
    upload(client, section, wrong.encode())
    filed = client.get(address(section, "findings")).context["found"]
    said = {(each.level, each.words, each.line) for each in filed}
    shown = ask(wrong.encode()).context["found"]
    assert [each.cause for each in shown] == ["points-differ", "births-doubtful"]
    assert {(each.level, each.words, each.line) for each in shown} <= said


@pytest.mark.parametrize(("third", "levels"), [("1,1,3,1-0", ["asks"]), ("2,1,3,1-0", [])])
def test_two_games_of_a_player_in_a_round_are_asked_about_where_the_file_names_no_format(
    csa: Federation, third: str, levels: list[str]
) -> None:
    people = "number,surname,first name\n1,Dlamini,Thabo\n2,Naidoo,Priya\n3,Botha,Pieter\n\n"
    table = f"{people}round,first,second,result\n1,1,2,1-0\n{third}\n"
    found = ask(table.encode(), "a.csv").context["found"]
    assert [each.level for each in found if each.cause == "twice-in-a-round"] == levels


def test_a_file_that_the_federation_does_not_read_is_refused_as_an_upload_is(csa: Federation) -> None:
    response = ask(FINALS.encode(), "a.elo")
    assert "this federation does not read" in text_of(response)
    assert "rows" not in response.context


def test_it_keeps_nothing(csa: Federation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    before = counts()
    for data in (open_file(), b"no event", zipped({"a.trf": open_file(), "b.trf": HEAD.encode()})):
        assert ask(data).status_code == 200
    assert counts() == before
    assert list(tmp_path.rglob("*")) == []


def test_no_answer_depends_on_a_birth_a_sex_or_a_withheld_name_of_the_register(
    csa: Federation, register_of_six: list[Player]
) -> None:
    first = register_of_six[0]
    Player.objects.filter(pk=first.pk).update(withheld=True)

    def answers() -> list[str]:
        births = [numbered(born=born) for born in (1991, 1950, 2099)]
        files = [numbered(), *births, numbered(sex="f"), numbered(surname="Zulu")]
        return [text_of(ask(data)).partition("Check another file")[0] for data in files]

    right = answers()
    assert right[0] == right[1] == right[2] != right[3]
    BirthDate.objects.update_or_create(player=first, defaults={"day": date(1950, 1, 2)})
    Player.objects.update(born=1950)
    Player.objects.filter(sex="m").update(sex="f")
    Player.objects.filter(pk=first.pk).update(surname="Zulu", first_name="Sizwe", name_key="zulu")
    assert answers() == right


def test_a_number_of_the_register_leads_to_the_player_and_tells_the_public_name(
    csa: Federation, register_of_six: list[Player]
) -> None:
    Player.objects.filter(number="101000002").update(surname="Pillay")
    Player.objects.filter(number="101000003").update(withheld=True)
    rows = {row["number"]: row["known"] for row in ask(numbered(identifier="999")).context["rows"]}
    assert rows["1"] is None
    assert str(rows["2"]) == "Pillay, Priya"
    assert "Botha" not in str(rows["3"])


def test_a_file_above_the_limit_and_none_are_refused(csa: Federation) -> None:
    assert ask(b"x" * (MOST_BYTES + 1)).status_code == 400
    assert Client().post(URL).status_code == 400


def test_a_file_that_the_box_cannot_end_in_time_is_told_so(
    csa: Federation, monkeypatch: pytest.MonkeyPatch
) -> None:
    walls: list[float] = []

    def late(*_file: object, wall: float, **_how: object) -> None:
        walls.append(wall)
        raise BoxDied("box-time")

    monkeypatch.setattr("tournaments.uploads.read_boxed", late)
    assert "took too long" in text_of(ask(open_file()))
    assert walls == [10.0]


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
def test_any_file_is_answered_in_words_with_the_register_and_without(csa: Federation, seed: int) -> None:
    for data in changed_files(seed):
        for asked in (True, False):
            check = check_file(csa, data, "a.trf", on=date(2026, 3, 10), with_register=asked)
            assert check.sheet or check.findings
            assert all(each.words != each.key for each in (*check.findings, *check.adjustments))
            assert json.loads(dump(check))["blocked"] == check.blocked


@pytest.mark.boxed
@pytest.mark.nightly
@pytest.mark.parametrize("make", [*REFUSED, *BLOCKED], ids=lambda make: make.__name__)
def test_a_hostile_file_is_answered_in_words_and_leaves_nothing(
    make: Callable[[], bytes], csa: Federation, request: pytest.FixtureRequest
) -> None:
    name, words = REFUSED.get(make) or ("event.trf", BLOCKED[make])
    data, before = make(), counts()
    request.getfixturevalue("opened_here")
    response = ask(data, name)
    assert response.status_code == 200
    assert words in text_of(response)
    assert counts() == before


# ---------------------------------------------------------------- the command with the register


def read_with_register(*files: Path) -> list[dict[str, Any]]:
    out = StringIO()
    call_command("read_event_file", "csa", *map(str, files), stdout=out)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def test_the_command_says_who_the_players_are_one_line_a_file_and_keeps_nothing(
    csa: Federation, register_of_six: list[Player], tmp_path: Path
) -> None:
    (tmp_path / "a.trf").write_bytes(numbered())
    (tmp_path / "b.txt").write_bytes(b"no event")
    before = counts()
    one, other = read_with_register(tmp_path / "a.trf", tmp_path / "b.txt")
    assert counts() == before
    assert one["matches"]["3"] == {"match": "certain", "players": ["101000003"]}
    assert other["sheet"] is None
    assert other["blocked"]


def test_the_command_names_a_file_that_is_not_there(csa: Federation, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="No such file"):
        read_with_register(tmp_path / "none.trf")


# ---------------------------------------------------------------- the command in plain Python


def test_plain_python_reads_the_same_and_says_the_same_in_english(csa: Federation, tmp_path: Path) -> None:
    (tmp_path / "a.trf").write_bytes((HEAD + FOUR.replace("2.0", "1.5")).encode())
    [known] = read_with_register(tmp_path / "a.trf")
    run = plain(tmp_path, "--json", "a.trf")
    assert run.returncode == int(bool(known["blocked"]))
    read = json.loads(run.stdout)
    assert read.pop("matches") == {}
    assert read == {name: value for name, value in known.items() if name != "matches"}
    assert read["findings"]


def test_plain_python_tells_people_what_it_read_and_ends_with_1_if_a_file_must_be_corrected(
    tmp_path: Path,
) -> None:
    (tmp_path / "a.trf").write_bytes(open_file())
    (tmp_path / "b.txt").write_bytes(b"no event")
    good = plain(tmp_path, "a.trf")
    assert good.returncode == 0
    assert "5 rounds, 6 players, 15 games, 0 byes" in good.stdout.decode()
    assert "Round 1: 1-6 1-0" in good.stdout.decode()
    both = plain(tmp_path, "a.trf", "b.txt")
    assert both.returncode == 1
    assert f"Must be corrected: {MESSAGES['not-recognised']}" in both.stdout.decode()
    assert plain(tmp_path, "none.trf").returncode == 2


def test_plain_python_says_what_workbooks_need(tmp_path: Path) -> None:
    (tmp_path / "a.xlsx").write_bytes(
        zipped({"xl/workbook.xml": b"<workbook/>", "[Content_Types].xml": b"<a/>"})
    )
    assert "Python package openpyxl" in plain(tmp_path, "a.xlsx").stdout.decode()


def test_no_file_moves_the_terminal_s_cursor(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    path = tmp_path / "\x1b[2Ja.trf"
    path.write_bytes(open_file())
    assert file_check.main([str(path)]) == 0
    assert b"\x1b" not in capfdbinary.readouterr().out
