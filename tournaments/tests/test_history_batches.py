"""A past in several batches: each is read and answered behind those before it, and all are written once."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client

from players import jobs
from players.models import Decision, Federation, Ledger, Player, Region, User
from ratings.models import Fact
from ratings.replay import replay
from tournaments.history import pack_folder
from tournaments.models import History, HistoryAnswer, Section
from tournaments.tests.histories import AYANDA, LERATO, PIETER, PRIYA, SIPHO, SIX, THABO, folder, table, trf
from tournaments.tests.test_histories import COLUMNS, DEFAULTS, misspelt

MARCH, APRIL, JUNE = date(2021, 3, 6), date(2021, 4, 17), date(2021, 6, 5)
SLIP = misspelt(surname="Dlaminni", name="Dlaminni, Thabo", identifier=None, birth=None)
EARLY = {
    "open.trf": trf("Soweto Open", MARCH, SIX),
    "table.csv": table(COLUMNS, DEFAULTS),
}
LATE = {
    "open.trf": trf("Cape Open", JUNE, (SLIP, PRIYA, PIETER, LERATO)),
    "table.csv": table(COLUMNS, {**DEFAULTS, "region": "WCA"}),
}
MIDDLE = {
    "open.trf": trf("Durban Open", APRIL, (PRIYA, THABO, AYANDA, SIPHO)),
    "table.csv": table(COLUMNS, {**DEFAULTS, "region": "GAU"}),
}
Give = Callable[..., str]


@pytest.fixture
def give(csa: Federation, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Give:
    """`give("late", LATE, "--dry-run")`: what the command printed of a batch in a folder of this name."""

    def command(name: str, files: dict[str, bytes], *options: str) -> str:
        there = tmp_path / name
        for old in there.rglob("*") if there.exists() else ():
            old.unlink()
        call_command("take_history", "csa", str(folder(there, files)), *options)
        return capsys.readouterr().out

    return command


def regions() -> dict[str, str]:
    return {each.event.name: each.event.region.code for each in Section.objects.all()}


def test_three_batches_go_into_the_journal_once_in_the_order_of_their_days(
    give: Give, csa: Federation, tmp_path: Path
) -> None:
    give("late", LATE, "--dry-run")
    give("early", EARLY, "--dry-run")
    assert not Fact.objects.exists()
    said = give("middle", MIDDLE, "--answer", "person=best")
    assert "Batches: late, early, middle" in said
    assert "3 files, 3 sections" in said
    rated = Fact.objects.filter(kind="rated").order_by("number").values_list("on", flat=True)
    assert list(rated) == [MARCH, APRIL, JUNE]
    assert Fact.objects.filter(kind="taken_over").count() == 1
    assert Decision.objects.filter(kind="take-history").count() == 1
    assert regions() == {"Soweto Open": "GAU", "Durban Open": "GAU", "Cape Open": "WCA"}
    call_command("verify", "csa")


def test_a_written_past_is_held_against_its_own_files_not_a_discarded_past_s(
    give: Give, csa: Federation
) -> None:
    give("early", EARLY)
    written = History.objects.get()
    History.objects.create(
        **{name: getattr(written, name) for name in ("federation", "at", "on", "name", "source", "size")},
        sha256=written.sha256,
        state=History.State.DISCARDED,
    )
    call_command("verify", "csa")


def test_in_batches_or_at_once_the_ratings_are_the_same(give: Give, csa: Federation, tmp_path: Path) -> None:
    give("late", LATE, "--dry-run", "--answer", "person=best")
    give("early", EARLY)
    whole = Federation.objects.create(code="whole", name="The same at once", ruleset_slug="csa")
    Region.objects.create(federation=whole, code="GAU", name="Gauteng")
    Region.objects.create(federation=whole, code="WCA", name="Western Cape")
    Ledger.objects.create(federation=whole)
    rows = ({"file": "1.trf", "region": "WCA"}, {"file": "2.trf"})
    files = {
        "1.trf": LATE["open.trf"],
        "2.trf": EARLY["open.trf"],
        "table.csv": table(COLUMNS, DEFAULTS, *rows),
    }
    there = folder(tmp_path / "whole", files)
    call_command("take_history", "whole", str(there), "--answer", "person=best")
    assert ratings("csa", tmp_path) == ratings("whole", tmp_path) != []


def ratings(code: str, there: Path) -> list[tuple[str, str]]:
    """The names and ratings of an office's players by a replay of its journal."""
    call_command("export_journal", code, "-o", str(there / f"{code}.ndjson"))
    found = replay((there / f"{code}.ndjson").read_bytes(), date(2021, 7, 1))["ratings"]
    names = dict(Player.objects.filter(federation__code=code).values_list("number", "surname"))
    return sorted((names[row["player"]], str(row["rating"])) for row in found)


def test_an_answer_stays_when_further_batches_come_and_when_another_is_exchanged(
    give: Give, csa: Federation
) -> None:
    give("late", LATE, "--dry-run")
    give("early", EARLY, "--dry-run")
    mark = History.objects.get().outcome["asked"][0][1]  # type: ignore[index]
    HistoryAnswer.objects.create(
        history=History.objects.get(), kind="person", subject=mark, value="new", at="2026-01-01T00:00Z"
    )
    other = {**EARLY, "open.trf": trf("Soweto Masters", MARCH, SIX)}
    said = give("early", other, "--exchange", "early")
    assert "2 files, 2 sections" in said
    assert sorted(regions()) == ["Cape Open", "Soweto Masters"]


def test_another_folder_of_the_same_name_never_takes_a_batchs_place_unasked(
    give: Give, csa: Federation
) -> None:
    give("1999/files", EARLY, "--dry-run")
    with pytest.raises(CommandError, match="--exchange files"):
        give("2000/files", LATE)
    assert not Section.objects.exists()
    give("2000/more", LATE, "--dry-run")
    with pytest.raises(CommandError, match="--exchange files"):
        give("2001/files", MIDDLE, "--exchange", "more")
    with pytest.raises(CommandError, match="has a batch other"):
        give("2001/files", MIDDLE, "--exchange", "other")
    assert "Batches: files, middle" in give("middle", MIDDLE, "--exchange", "more", "--dry-run")
    give("2000/files", LATE, "--exchange", "files", "--answer", "person=best")
    assert regions() == {"Cape Open": "WCA", "Durban Open": "GAU"}


def test_files_of_two_batches_never_have_one_name(give: Give, csa: Federation) -> None:
    give("early", {**EARLY, "batch-2/other.trf": trf("Other Open", APRIL, SIX)}, "--dry-run")
    with pytest.raises(CommandError, match=r"same name \(batch-2/other\.trf\)"):
        give("late", {**LATE, "other.trf": trf("Late Open", JUNE, SIX)}, "--dry-run")
    give("late", LATE, "--exchange", "late", "--answer", "person=best")
    assert sorted(regions()) == ["Cape Open", "Other Open", "Soweto Open"]


@pytest.mark.parametrize(("length", "same"), [(190, False), (200, True)])
def test_names_that_differ_only_where_they_are_cut_off_are_refused(
    give: Give, csa: Federation, length: int, same: bool
) -> None:
    start = f"{'a' * 100}/{'b' * (length - 101)}"
    files = {f"{start}{end}.trf": trf(f"{end} Open", MARCH, SIX) for end in ("North", "South")}
    if same:
        with pytest.raises(CommandError, match="same name"):
            give("early", {**EARLY, **files}, "--dry-run")
    else:
        assert "3 files" in give("early", {**EARLY, **files}, "--dry-run")


def test_a_batch_taken_out_is_gone_with_its_table_and_the_rest_stays(give: Give, csa: Federation) -> None:
    give("early", EARLY, "--dry-run")
    give("late", LATE, "--dry-run")
    said = give("late", LATE, "--take-out")
    assert "1 files, 1 sections" in said
    history = History.objects.get()
    assert [batch["name"] for batch in history.batches] == ["early"]
    assert {row["batch"] for row in history.rows} == {"1"}
    give("early", EARLY)
    assert regions() == {"Soweto Open": "GAU"}


def test_the_first_batch_can_be_taken_out_too_but_not_the_only_one(give: Give, csa: Federation) -> None:
    give("early", EARLY, "--dry-run")
    with pytest.raises(CommandError, match="only batch"):
        give("early", EARLY, "--take-out")
    give("late", LATE, "--dry-run")
    give("early", EARLY, "--take-out")
    give("late", LATE, "--answer", "person=best")
    assert regions() == {"Cape Open": "WCA"}


def test_a_batch_that_is_not_there_cannot_be_taken_out(give: Give, csa: Federation) -> None:
    give("early", EARLY, "--dry-run")
    with pytest.raises(CommandError, match="late"):
        give("late", LATE, "--take-out")


def test_a_written_past_takes_no_further_batch(give: Give, csa: Federation) -> None:
    give("early", EARLY)
    assert "written already" in give("early", EARLY)
    with pytest.raises(CommandError):
        give("late", LATE, "--answer", "person=best")
    assert Section.objects.count() == 1


def test_a_batch_that_cannot_be_read_is_named_and_the_others_stay(
    give: Give, csa: Federation, tmp_path: Path
) -> None:
    give("early", EARLY, "--dry-run")
    (tmp_path / "bad.zip").write_bytes(b"PK\3\4 no archive")
    with pytest.raises(CommandError):
        call_command("take_history", "csa", str(tmp_path / "bad.zip"), "--dry-run")
    with pytest.raises(CommandError, match="could not be read"):
        give("late", LATE, "--dry-run")
    call_command("take_history", "csa", str(tmp_path / "bad.zip"), "--take-out")
    give("early", EARLY)
    assert regions() == {"Soweto Open": "GAU"}


def test_a_table_is_written_and_given_back_batch_by_batch(
    give: Give, csa: Federation, tmp_path: Path
) -> None:
    give("early", EARLY, "--dry-run")
    out = tmp_path / "late.csv"
    give("late", {"open.trf": LATE["open.trf"]}, "--dry-run", "--write-table", str(out))
    every, row = csv.DictReader(io.StringIO(out.read_text("utf-8-sig")))
    assert (every["file"], row["file"]) == ("*", "open.trf")
    out.write_bytes(table(tuple(every), {**every, "region": "WCA", "platform": "otb"}, row))
    give("late", {"open.trf": LATE["open.trf"]}, "--table", str(out), "--answer", "person=best")
    assert regions() == {"Soweto Open": "GAU", "Cape Open": "WCA"}


def test_killed_between_two_steps_a_batch_is_read_once(
    give: Give, csa: Federation, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tournaments import history as service

    class Killed(BaseException):
        pass

    def killed(*_given: object, **_more: object) -> None:
        raise Killed

    give("early", EARLY, "--dry-run")
    with monkeypatch.context() as patched:
        patched.setattr(service, "read_table", killed)
        with pytest.raises(Killed):
            give("late", LATE, "--dry-run")
    History.objects.update(heartbeat=None, attempts=0)
    give("late", LATE, "--answer", "person=best")
    assert regions() == {"Soweto Open": "GAU", "Cape Open": "WCA"}


# ---- On the page


@pytest.fixture
def official(csa: Federation, nomsa: User, client_of: Callable[[User], Client]) -> Client:
    return client_of(nomsa)


def zipped(there: Path, files: dict[str, bytes]) -> SimpleUploadedFile:
    data = pack_folder(folder(there, files))
    return SimpleUploadedFile(f"{there.name}.zip", data)


def checked() -> Any:
    history = History.objects.get()
    jobs.run("histories", history.pk)
    history.refresh_from_db()
    return history


def test_officials_add_exchange_and_take_out_batches_on_the_page(official: Client, tmp_path: Path) -> None:
    first = zipped(tmp_path / "early", EARLY)
    defaults = SimpleUploadedFile("table.csv", EARLY["table.csv"])
    official.post("/csa/past/", {"file": first, "source": "the club’s past", "table": defaults})
    address = f"/csa/past/{checked().pk}/"
    official.post(f"{address}batches/", {"file": zipped(tmp_path / "late", LATE)})
    history = checked()
    assert [batch["name"] for batch in history.batches] == ["early.zip", "late.zip"]
    assert history.outcome["counts"]["files"] == 2
    page = official.get(address).content.decode()
    assert "late.zip" in page
    other = {"open.trf": trf("Other Open", JUNE, SIX)}
    official.post(f"{address}batches/", {"file": zipped(tmp_path / "other", other), "number": 2})
    history = checked()
    assert [batch["name"] for batch in history.batches] == ["early.zip", "other.zip"]
    official.post(f"{address}batches/take-out/", {"number": 2})
    assert checked().outcome["counts"]["files"] == 1


def test_a_batch_without_a_file_is_told_on_the_page(official: Client, tmp_path: Path) -> None:
    first = zipped(tmp_path / "early", EARLY)
    official.post("/csa/past/", {"file": first, "source": "the club’s past"})
    address = f"/csa/past/{checked().pk}/"
    assert official.post(f"{address}batches/", {}).status_code == 400
