"""A past beside what the journal has: never behind the office's own record, and behind opening ratings."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import transaction
from django.test import Client

from players import jobs
from players.models import Federation, Ledger, Player
from players.record import Refused, lock_ledger
from ratings.journal import JournalWriter
from ratings.models import Fact, day_taken_over, first_own_line
from ratings.register_import import refuse_openings
from ratings.rulesets import facts
from ratings.rulesets.journal import read_journal
from tests.built_once import built_once
from tournaments.models import History, HistoryState, Section
from tournaments.tests.histories import table
from tournaments.tests.test_histories import (
    APRIL,
    COLUMNS,
    DEFAULTS,
    JUNE,
    MARCH,
    Take,
    confirmed,
    exported,
    past,
    take,
)
from tournaments.tests.test_history_pages import official, upload

pytestmark = pytest.mark.servers

__all__ = ["confirmed", "official", "take"]


def write(office: Federation, *lines: facts.JournalFact) -> None:
    with transaction.atomic():
        writer = JournalWriter(office, lock_ledger(office))
        for line in lines:
            writer.write(line)


@pytest.fixture
@built_once
def begun(csa: Federation) -> Federation:
    """An office that has published a list of its own, on the day on which the past begins."""
    write(csa, facts.ListClosing(MARCH))
    return csa


# ---------------------------------------------------------------- the office's own record


def test_a_past_is_refused_behind_a_list_of_the_office_which_it_would_call_computed_afterwards(
    begun: Federation, take: Take
) -> None:
    with pytest.raises(CommandError, match="line 2 of its journal is a decision of its own"):
        take("csa", past())
    assert not History.objects.exists()
    assert day_taken_over(begun, 2) is None


def test_a_page_says_why_no_past_goes_in_before_anything_is_uploaded(
    begun: Federation, official: Client, tmp_path: Path
) -> None:
    page = official.get("/csa/past/").content.decode()
    assert "The office has begun its own record" in page
    assert "Upload and read" not in page
    refused = upload(official, tmp_path / "past", past())
    assert refused.status_code == 409
    assert "The office has begun its own record" in refused.content.decode()


def test_a_decision_of_the_office_while_a_past_waits_keeps_it_out(
    csa: Federation, confirmed: History
) -> None:
    write(csa, facts.ListClosing(MARCH - timedelta(days=1)))
    jobs.run("histories", confirmed.pk)
    confirmed.refresh_from_db()
    assert (confirmed.state, confirmed.stale) == (HistoryState.CHECKED, True)
    assert [cause["key"] for cause in confirmed.outcome["causes"]] == ["journal-has-begun"]  # type: ignore[attr-defined]
    assert confirmed.outcome["open"]
    assert not Section.objects.exists()


def test_the_record_begins_with_the_first_decision_behind_the_last_past(csa: Federation, take: Take) -> None:
    take("csa", past())
    csa.refresh_from_db()
    assert first_own_line(csa) is None
    newest = Ledger.objects.get(federation=csa).facts
    write(csa, facts.ListClosing(date(2790, 1, 1)))
    own = first_own_line(csa)
    assert own is not None
    assert (own, day_taken_over(csa, own)) == (newest + 1, None)
    assert day_taken_over(csa, newest - 1) is not None


# ---------------------------------------------------------------- openings


@pytest.fixture
@built_once
def opened(csa: Federation) -> Federation:
    """An office that begins with the rating of one player of the past, of a list after its first event."""
    salt = "9f2c4e0b7d1a86535e90c2f4b8a7d613"
    about = {"surname": "Dlamini", "first_name": "Thabo", "sex": "m", "born": 1991, "name_key": "dlamini"}
    Player.objects.create(federation=csa, number="77", nation="RSA", salt=salt, **about)
    write(
        csa,
        facts.Player("77", "Dlamini, Thabo", salt, "RSA"),
        facts.Opening("77", "otb-main", Decimal(1712), 48, APRIL - timedelta(days=1), "list of April 2021"),
    )
    return csa


def but_soweto() -> dict[str, bytes]:
    left_out = {"file": "2021/soweto.trf", "leave_out": "yes"}
    return past(**{"table.csv": table(COLUMNS, DEFAULTS, left_out)})


def test_behind_opening_ratings_goes_in_what_was_played_after_their_day(
    opened: Federation, take: Take, tmp_path: Path
) -> None:
    assert "Dlamini, Thabo" in take("csa", but_soweto(), "--dry-run")
    take("csa", but_soweto())
    assert Section.objects.count() == 2
    journal = exported("csa", tmp_path / "journal")
    kinds = [type(line.fact) for line in read_journal(journal.splitlines()).lines]
    assert kinds.index(facts.Opening) < kinds.index(facts.Section)
    call_command("verify", "csa")
    (tmp_path / "other").write_bytes(journal.replace(b'"code":"csa"', b'"code":"new"'))
    call_command("import_journal", str(tmp_path / "other"))


def test_what_began_by_the_openings_day_is_named_and_nothing_is_written(
    opened: Federation, take: Take, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(CommandError):
        take("csa", past())
    said = capsys.readouterr().out
    assert "what was played until then counts in them" in said
    assert "soweto.trf" in said
    assert "durban.trf" not in said
    assert not Section.objects.exists()
    assert not Fact.objects.filter(kind="taken_over").exists()


def test_the_page_tells_the_openings_day_and_nothing_behind_it_is_worked_out(
    opened: Federation, official: Client, tmp_path: Path
) -> None:
    assert "ratings of a list of 16 April 2021" in official.get("/csa/past/").content.decode()
    upload(official, tmp_path / "past", past())
    history = History.objects.get()
    jobs.run("histories", history.pk)
    page = official.get(f"/csa/past/{history.pk}/").content.decode()
    assert "what was played until then" in page
    assert "The ratings that would come out" not in page
    assert "Write it" not in page


def test_opening_ratings_are_refused_behind_a_past_which_they_go_before(csa: Federation, take: Take) -> None:
    take("csa", past())
    with pytest.raises(Refused, match="they go in first"):
        refuse_openings(csa)


def test_a_past_of_which_a_list_lies_before_the_openings_day_goes_backwards(
    opened: Federation, take: Take, capsys: pytest.CaptureFixture[str]
) -> None:
    files = but_soweto()
    rows = ({"file": "2021/soweto.trf", "leave_out": "yes"}, {"file": "", "list": f"{MARCH}"})
    files["table.csv"] = table(COLUMNS, DEFAULTS, *rows)
    with pytest.raises(CommandError):
        take("csa", files)
    assert "Days never go backwards" in capsys.readouterr().out
    assert JUNE > APRIL > MARCH
