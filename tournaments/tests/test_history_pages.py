"""The workbench for a past: an official uploads, answers, looks at the ratings to come and has it written."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from players import jobs
from players.models import Federation, Player, User
from tournaments.history import pack_folder
from tournaments.models import History, HistoryState, Section
from tournaments.tests.histories import LERATO, PIETER, PRIYA, folder, table, trf
from tournaments.tests.test_histories import JUNE, misspelt, past


@pytest.fixture
def official(csa: Federation, nomsa: User, client_of: Callable[[User], Client]) -> Client:
    return client_of(nomsa)


def upload(client: Client, there: Path, files: dict[str, bytes], **said: Any) -> Any:
    data = pack_folder(folder(there, files))
    given = {"file": SimpleUploadedFile("past.zip", data), "source": "the club’s past"}
    if "table.csv" in files:
        given["table"] = SimpleUploadedFile("table.csv", files["table.csv"])
    return client.post("/csa/past/", {**given, **said})


def doubtful() -> dict[str, bytes]:
    slip = misspelt(surname="Dlaminni", name="Dlaminni, Thabo", identifier=None, birth=None)
    return past(**{"cape.trf": trf("Cape Open", JUNE, (slip, PRIYA, PIETER, LERATO))})


def test_from_upload_to_journal_with_one_answer_for_all_of_a_kind(official: Client, tmp_path: Path) -> None:
    answered = upload(official, tmp_path / "past", doubtful())
    history = History.objects.get()
    address = f"/csa/past/{history.pk}/"
    assert answered["Location"] == address
    assert "Waiting for the worker" in official.get(address).content.decode()
    jobs.run("histories", history.pk)
    page = official.get(address).content.decode()
    assert "Who is this?" in page
    assert "Write it" not in page
    official.post(f"{address}answers/", {"kind": "person", "value": "best"})
    jobs.run("histories", history.pk)
    history.refresh_from_db()
    page = official.get(address).content.decode()
    assert "The ratings that would come out" in page
    assert not Section.objects.exists()
    official.post(f"{address}confirm/", {"digest": history.digest})
    jobs.run("histories", history.pk)
    assert (Section.objects.count(), Player.objects.count()) == (3, 6)
    assert "written" in official.get(address).content.decode()


def test_the_table_goes_out_filled_in_and_comes_back(official: Client, tmp_path: Path) -> None:
    files = past()
    del files["table.csv"]
    upload(official, tmp_path / "past", files)
    history = History.objects.get()
    jobs.run("histories", history.pk)
    out = official.get(f"/csa/past/{history.pk}/table.csv").content.decode("utf-8-sig")
    assert "Soweto Open" in out
    filled = out.replace('"*"', "*").replace("\r\n*,", "\r\n*,", 1)
    head, every, *rows = filled.splitlines()
    columns = head.replace('"', "").split(",")
    cells = every.split(",")
    cells[columns.index("region")], cells[columns.index("platform")] = "GAU", "otb"
    table = "\r\n".join([head, ",".join(cells), *rows]).encode()
    official.post(f"/csa/past/{history.pk}/table/", {"file": SimpleUploadedFile("t.csv", table)})
    jobs.run("histories", history.pk)
    history.refresh_from_db()
    assert (history.state, history.outcome["open"]) == (HistoryState.CHECKED, False)


def test_a_wrong_table_is_told_and_the_earlier_one_stays(official: Client, tmp_path: Path) -> None:
    upload(official, tmp_path / "past", past())
    history = History.objects.get()
    jobs.run("histories", history.pk)
    wrong = SimpleUploadedFile("t.csv", b"file,weather\r\n*,rain\r\n")
    answered = official.post(f"/csa/past/{history.pk}/table/", {"file": wrong})
    assert answered.status_code == 409
    assert "weather" in answered.content.decode()
    history.refresh_from_db()
    assert (history.state, len(history.rows)) == (HistoryState.CHECKED, 2)


def test_what_was_not_seen_is_not_written_and_a_discarded_past_is_gone(
    official: Client, tmp_path: Path
) -> None:
    upload(official, tmp_path / "past", past())
    history = History.objects.get()
    jobs.run("histories", history.pk)
    assert official.post(f"/csa/past/{history.pk}/confirm/", {"digest": "other"}).status_code == 409
    official.post(f"/csa/past/{history.pk}/discard/")
    history.refresh_from_db()
    assert (history.state, history.files.count()) == (HistoryState.DISCARDED, 0)
    assert not Section.objects.exists()


def test_a_second_past_waits_until_the_first_is_written_or_discarded(
    official: Client, tmp_path: Path
) -> None:
    upload(official, tmp_path / "past", past())
    answered = upload(official, tmp_path / "other", doubtful())
    assert answered.status_code == 409
    assert "Another history is open" in answered.content.decode()
    assert upload(official, tmp_path / "past", past()).status_code == 302
    assert History.objects.count() == 1


# ---------------------------------------------------------------- one answer for all of a cause


def checked(official: Client, there: Path, files: dict[str, bytes]) -> tuple[History, str]:
    """A past that was uploaded and checked, and its page."""
    upload(official, there, files)
    history = History.objects.get()
    return history, worked(official, history)


def worked(official: Client, history: History) -> str:
    jobs.run("histories", history.pk)
    history.refresh_from_db()
    return official.get(f"/csa/past/{history.pk}/").content.decode()


def amend(official: Client, history: History, key: str, column: str, value: str) -> Any:
    causes: Any = history.outcome["causes"]
    mark = next(cause["mark"] for cause in causes if cause["key"] == key)
    given = {"cause": mark, "column": column, "value": value}
    return official.post(f"/csa/past/{history.pk}/amend/", given)


def test_a_person_is_decided_by_one_click_with_the_likeliest_chosen_already(
    official: Client, tmp_path: Path
) -> None:
    history, page = checked(official, tmp_path / "past", doubtful())
    assert f"/csa/past/{history.pk}/people/" in page
    people = official.get(f"/csa/past/{history.pk}/people/").content.decode()
    assert "Dlaminni, Thabo" in people
    field, value = re.findall(r'name="(person:m\w+)"\s+value="(m\w+)"\s+checked', people)[0]
    official.post(f"/csa/past/{history.pk}/people/", {field: value})
    assert "Decide one by one" not in worked(official, history)
    assert "Nobody is in doubt." in official.get(f"/csa/past/{history.pk}/people/").content.decode()
    assert history.answers.get().value == value


def test_a_person_may_be_left_for_later_and_be_a_new_one(official: Client, tmp_path: Path) -> None:
    history, _page = checked(official, tmp_path / "past", doubtful())
    address = f"/csa/past/{history.pk}/people/"
    field = re.findall(r'name="(person:m\w+)"', official.get(address).content.decode())[0]
    official.post(address, {field: ""})
    assert "Decide one by one" in worked(official, history)
    official.post(address, {field: "new"})
    assert "Decide one by one" not in worked(official, history)
    assert "7 players" in official.get(f"/csa/past/{history.pk}/").content.decode()


def test_everybody_is_as_suggested_by_one_click(official: Client, tmp_path: Path) -> None:
    _history, page = checked(official, tmp_path / "past", doubtful())
    assert "Everybody as suggested first" in page
    assert re.search(r'name="kind" value="person">\s*<input type="hidden" name="value" value="best">', page)


def test_what_every_file_lacks_is_given_once_for_all_of_them(official: Client, tmp_path: Path) -> None:
    files = past(**{"table.csv": table(("file", "platform"), {"file": "*", "platform": "otb"})})
    history, page = checked(official, tmp_path / "past", files)
    assert '<option value="GAU">GAU Gauteng</option>' in page
    assert amend(official, history, "field-missing", "region", "GAU").status_code == 302
    assert "Write it" in worked(official, history)
    assert [row["region"] for row in history.rows if row["file"] != "*"] == ["GAU"] * 3


def test_files_that_cannot_be_events_are_left_out_at_once(official: Client, tmp_path: Path) -> None:
    twice = past()
    twice["again.trf"] = twice["cape.trf"]
    history, page = checked(official, tmp_path / "past", twice)
    assert "Leave these files out" in page
    amend(official, history, "file-twice", "leave_out", "yes")
    assert "3 sections" in worked(official, history)


def test_an_answer_to_what_is_no_longer_shown_or_without_a_value_is_refused(
    official: Client, tmp_path: Path
) -> None:
    files = past(**{"table.csv": table(("file", "platform"), {"file": "*", "platform": "otb"})})
    history, _page = checked(official, tmp_path / "past", files)
    before = list(history.rows)
    assert amend(official, history, "field-missing", "region", " ").status_code == 409
    assert amend(official, history, "field-missing", "colour", "blue").status_code == 409
    stale = {"cause": "0" * 12, "column": "region", "value": "GAU"}
    assert official.post(f"/csa/past/{history.pk}/amend/", stale).status_code == 409
    history.refresh_from_db()
    assert history.rows == before


def test_who_is_who_goes_out_and_comes_back_put_right(official: Client, tmp_path: Path) -> None:
    bare = misspelt(identifier=None, birth=None, born=None)
    files = past(**{"cape.trf": trf("Cape Open", JUNE, (bare, PRIYA, PIETER, LERATO))})
    history, _page = checked(official, tmp_path / "past", files)
    told = official.get(f"/csa/past/{history.pk}/who-is-who.csv").content.decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(told)))
    [by_name] = [row for row in rows if row["how"] == "taken-by-name"]
    assert (by_name["answer"], by_name["entries"]) == ("", "1")
    put_right = {"question": "person", "subject": by_name["subject"], "answer": "new"}
    answered = table(tuple(put_right), put_right)
    given = {"file": SimpleUploadedFile("who-is-who.csv", answered)}
    official.post(f"/csa/past/{history.pk}/answers/", given)
    assert "7 players" in worked(official, history)
    history.refresh_from_db()
    official.post(f"/csa/past/{history.pk}/confirm/", {"digest": history.digest})
    worked(official, history)
    assert official.get(f"/csa/past/{history.pk}/who-is-who.csv").content == b""


def test_facts_in_doubt_are_settled_for_all_files_by_one_click(official: Client, tmp_path: Path) -> None:
    twice = trf("Cape Open", JUNE, (PIETER, PRIYA, PIETER, LERATO))
    upload(official, tmp_path / "past", past(**{"cape.trf": twice}))
    history = History.objects.get()
    address = f"/csa/past/{history.pk}/"
    jobs.run("histories", history.pk)
    assert "These are two people each" in official.get(address).content.decode()
    for kind in ("twins", "person-twice"):
        official.post(f"{address}answers/", {"kind": kind, "value": "new"})
        jobs.run("histories", history.pk)
    history.refresh_from_db()
    assert (history.state, history.outcome["open"]) == (HistoryState.CHECKED, False)


def test_leaving_out_the_files_of_a_question_leaves_out_no_others(official: Client, tmp_path: Path) -> None:
    twice = trf("Cape Open", JUNE, (PIETER, PRIYA, PIETER, LERATO))
    upload(official, tmp_path / "past", past(**{"cape.trf": twice}))
    history = History.objects.get()
    jobs.run("histories", history.pk)
    history.refresh_from_db()
    amend(official, history, "twins", "leave_out", "yes")
    jobs.run("histories", history.pk)
    history.refresh_from_db()
    counts: Any = history.outcome["counts"]
    assert counts["sections"] == 2
