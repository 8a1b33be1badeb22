"""Ratings that move with the calendar: today's on every page, and noted by the ledger on each such day
(RMF 5, D-RMF-2, D-RMF-8).
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
import time_machine
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from players.models import Federation, Ledger
from players.writing import page_cache
from ratings.intake import import_journal
from ratings.journal import journal_lines
from ratings.models import Fact
from ratings.recompute import request_if_calendar_moved
from ratings.replay import replay
from ratings.rulesets import journal
from ratings.tasks import sweep
from ratings.tests.files import table_of
from ratings.tests.journals import journal_of
from ratings.tests.mahjong_record import DAY, Office
from ratings.tests.office import recompute_all, stored
from ratings.verify import verify

pytestmark = pytest.mark.django_db

WEEK = timedelta(7)
LAST = date(2021, 3, 1)
"""The anniversary of the first competition: the last day of its full weight."""
CHANGE = date(2021, 3, 2)
RATING, COEFFICIENTS = "/mahjong/tables/rating/", "/mahjong/tables/coefficients/"


def noon(day: date) -> Any:
    return time_machine.travel(datetime(day.year, day.month, day.day, 9, tzinfo=UTC), tick=False)


@pytest.fixture
def office() -> Federation:
    """Two competitions, a week apart, taken in and worked out in their days."""
    page_cache.clear()
    record = Office()
    record.admit("Anna Boris Vera")
    record.admit("Boris Anna Galina", ends=DAY + WEEK)
    written = journal_of(record.ruleset, record.facts)
    with noon(DAY + WEEK):
        federation = import_journal(journal.read_journal(written.splitlines()), on=DAY + WEEK)
        recompute_all(federation)
    return federation


def replayed(office: Federation, on: date) -> dict[str, str]:
    """Each rating as a replay of the journal gives it for the day, as pages show it."""
    written = "".join(f"{line}\n" for line in journal_lines(office)).encode()
    return {
        row["player"]: format(Decimal(row["rating"]).quantize(Decimal("0.0001")), "f")
        for row in replay(written, on)["ratings"]
    }


def done(office: Federation) -> int:
    return Ledger.objects.get(federation=office).done


def test_the_day_of_change_lies_where_the_test_thinks(office: Federation) -> None:
    assert replayed(office, DAY + WEEK) == replayed(office, LAST)
    assert replayed(office, LAST)["Anna"] != replayed(office, CHANGE)["Anna"]


@pytest.mark.parametrize("day", [LAST, CHANGE])
def test_pages_show_the_ratings_of_their_day_on_both_sides(
    office: Federation, client: Client, day: date
) -> None:
    with noon(day):
        for address in ("/mahjong/players/Anna/", RATING):
            page = client.get(address).content.decode()
            assert replayed(office, day)["Anna"] in page, address
        rows = table_of(client.get(f"{RATING}rating.csv").content)
    told = {row[1]: row[3] for row in rows[1:]}
    expected = replayed(office, day)
    assert {name: Decimal(value) for name, value in told.items()} == {
        name: Decimal(expected[name]) for name in ("Anna", "Boris")
    }


def test_a_reader_s_kept_page_is_not_kept_over_the_day(office: Federation, client: Client) -> None:
    with noon(LAST):
        etag = client.get(RATING)["ETag"]
        assert client.get(RATING, headers={"If-None-Match": etag}).status_code == 304
    with noon(CHANGE):
        assert client.get(RATING, headers={"If-None-Match": etag}).status_code == 200


@pytest.mark.parametrize(("day", "more"), [(LAST, 0), (CHANGE, 1)])
def test_d_rmf_8_the_sweep_recomputes_on_the_day_of_change_and_not_before(
    office: Federation, day: date, more: int
) -> None:
    before, facts = done(office), stored(office)
    with noon(day):
        sweep()
        assert done(office) == before + more
        sweep()
        assert done(office) == before + more, "once a day of change"
    assert stored(office) == facts, "a state holds what facts made of it, and no day"
    assert verify(office).differences == []


@pytest.mark.parametrize("late", [1, 3, 400])
def test_a_worker_that_slept_over_the_day_recomputes_when_it_wakes(
    office: Federation, client: Client, late: int
) -> None:
    day = CHANGE + timedelta(late)
    with noon(day):
        page = client.get(RATING).content.decode()
        assert replayed(office, day)["Anna"] in page, "pages do not wait for the worker"
        before = done(office)
        sweep()
        assert done(office) == before + 1
        assert replayed(office, day)["Anna"] in client.get(RATING).content.decode()


def test_the_day_begins_at_the_federation_s_own_midnight(office: Federation) -> None:
    moscow = datetime(2021, 3, 1, 21, 0, tzinfo=UTC)
    with time_machine.travel(moscow - timedelta(seconds=1), tick=False):
        assert not request_if_calendar_moved(office)
    with time_machine.travel(moscow, tick=False):
        assert request_if_calendar_moved(office)
        assert Ledger.objects.get(federation=office).pending
        assert not request_if_calendar_moved(office), "what is pending already is not wanted twice"


def test_a_worker_that_is_killed_at_it_leaves_it_pending(
    office: Federation, monkeypatch: pytest.MonkeyPatch
) -> None:
    with noon(CHANGE):
        request_if_calendar_moved(office)
        monkeypatch.setattr("ratings.recompute._fold_and_write", killed)
        with pytest.raises(KeyboardInterrupt):
            recompute_all(office)
        monkeypatch.undo()
        assert Ledger.objects.get(federation=office).pending
    with noon(CHANGE + timedelta(1)):
        sweep()
        assert not Ledger.objects.get(federation=office).pending


def killed(*_given: Any) -> bool:
    raise KeyboardInterrupt


def test_the_first_reader_of_the_day_finds_it_worked_out(office: Federation, client: Client) -> None:
    with noon(CHANGE):
        sweep()
        with CaptureQueriesContext(connection) as queries:
            assert client.get(RATING).status_code == 200
    assert not [query for query in queries if "ratings_standing" in query["sql"]]


def test_an_office_whose_ratings_wait_for_facts_is_left_alone(csa: Federation) -> None:
    Ledger.objects.filter(federation=csa).update(finished_at=datetime(2020, 8, 1, tzinfo=UTC))
    with CaptureQueriesContext(connection) as queries:
        assert not request_if_calendar_moved(csa)
    assert len(queries) == 0


# ---------------------------------------------------------------- what the pages say


def test_the_rating_of_the_day_tells_what_time_did_and_will_do(office: Federation, client: Client) -> None:
    with noon(LAST):
        page = client.get(RATING).content.decode()
        assert "Time changes ratings next on 2 March 2021" in page
        assert "without play on" not in page
    with noon(CHANGE):
        page = client.get(RATING).content.decode()
        assert "Ratings last changed without play on 2 March 2021" in page
        assert "Time changes ratings next on 9 March 2021" in page
        rows = table_of(client.get(f"{RATING}rating.csv").content)
    assert ",".join(rows[0]) == "rank,player_number,player,rating,before-the-day,moved,games"
    anna = next(row for row in rows if "Anna" in row)
    assert Decimal(anna[4]) == Decimal(replayed(office, LAST)["Anna"])
    assert Decimal(anna[5]) == Decimal(anna[3]) - Decimal(anna[4])


def test_any_day_of_the_record_may_be_asked_for(office: Federation, client: Client) -> None:
    with noon(CHANGE):
        past = client.get(f"{RATING}?on=2020-03-05").content.decode()
        assert "As on 5 March 2020, by what the office knew then" in past
        assert "Boris" not in past, "one competition is not enough"


@pytest.mark.parametrize("page", [RATING, COEFFICIENTS, f"{RATING}rating.csv", f"{COEFFICIENTS}days.csv"])
def test_days_before_the_record_after_today_and_of_no_calendar_are_not_found(
    office: Federation, client: Client, page: str
) -> None:
    first = Fact.objects.filter(federation=office, on__isnull=False).earliest("number").on
    assert first is not None
    with noon(CHANGE):
        for day in (first, CHANGE):
            assert client.get(f"{page}?on={day}").status_code == 200
        for odd in (
            first - timedelta(1),
            CHANGE + timedelta(1),
            "soon",
            "2020-3-5",
            "20200305",
            "2020-W10-4",
            "9999-12-31",
        ):
            assert client.get(f"{page}?on={odd}").status_code == 404, odd


def test_what_day_it_is_the_office_s_time_zone_says(office: Federation, client: Client) -> None:
    evening = datetime(CHANGE.year, CHANGE.month, CHANGE.day, 21, 30, tzinfo=UTC)  # half past midnight there
    with time_machine.travel(evening, tick=False):
        assert client.get(f"{RATING}?on={CHANGE + timedelta(1)}").status_code == 200
        assert client.get(f"{RATING}?on={CHANGE + timedelta(2)}").status_code == 404


@pytest.mark.parametrize(("day", "kb"), [(LAST, "1"), (CHANGE, "0.75")])
def test_5_coefficients_on_both_sides_of_the_day(
    office: Federation, client: Client, day: date, kb: str
) -> None:
    with noon(day):
        head, *lines = table_of(client.get(f"{COEFFICIENTS}coefficients.csv").content)
        days = table_of(client.get(f"{COEFFICIENTS}days.csv").content)
    rows = [dict(zip(head, line, strict=True)) for line in lines]
    assert [row["kb"] for row in rows] == [kb, "1"]
    expected = ["2021-03-02", "2021-03-09"] if day == LAST else ["2021-03-09", "2022-03-02"]
    assert [row[0] for row in days[1:]] == expected


def test_what_counts_for_a_player_stands_on_the_player_s_page(office: Federation, client: Client) -> None:
    with noon(CHANGE):
        page = client.get("/mahjong/players/Vera/").content.decode()
        counts = page[page.index('id="counts"') :].partition("</section>")[0]
        assert "What counts today" in counts
        played, _missed = counts.split("Not played in 2020", 1)
        assert played.count("/mahjong/events/") == 1, "she played one of the two"
        assert "0.75" in counts
        before = client.get("/mahjong/players/Vera/?on=2020-03-05").content.decode()
    assert "What counted on 5 March 2020" in before
