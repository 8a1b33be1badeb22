"""Dumps for the public: they reproduce every list, name nobody withheld, and go with what they told."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import logging
import stat
import urllib.request
import zipfile
from collections import defaultdict
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.conf import settings
from django.db import connection
from django.test import Client
from django.utils import timezone

from federation_site.celery import app
from players.decision_kinds import TAKES_NOTHING_BACK
from players.jobs import Rests
from players.models import Federation, Player
from players.record import decide
from players.writing import UNFINISHED_PREFIX, try_lock_folder
from ratings import approval, dumps, publication, tasks
from ratings.dumps import (
    MANIFEST,
    QUIET,
    Dump,
    build_dump,
    build_dump_if_due,
    consistent_snapshot,
    find_servable_dump,
    get_dump_folder,
    get_dump_path,
    is_dump_due,
    is_quiet_or_overdue,
)
from ratings.merging import merge_players
from ratings.models import Fact, RatingList
from ratings.people import correct_player, forget_name
from ratings.public_tables import TABLES
from ratings.rulesets.ruleset import Ruleset
from ratings.tests.office import approved, published, recompute_all, register, submitted
from ratings.tests.test_every_office import every_ruleset, imported
from tests.built_once import built_once
from tournaments.models import Entry, Stage

pytestmark = [pytest.mark.django_db, pytest.mark.servers]

AT = datetime(2026, 11, 23, 12, tzinfo=UTC)
DAY = date(2026, 11, 23)
ZIP = "/csa/dump/dump.zip"
Rows = list[dict[str, str]]


def drawn(office: Federation, at: datetime = AT) -> Dump:
    dump = build_dump(office, at)
    assert dump
    return dump


def tables_of(content: bytes) -> dict[str, Rows]:
    """The rows of each CSV in a dump's archive."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {
            name.removesuffix(".csv"): list(csv.DictReader(io.StringIO(archive.read(name).decode())))
            for name in archive.namelist()
            if name.endswith(".csv")
        }


def text_in(content: bytes) -> str:
    """The text of all files in a dump's archive."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return "".join(archive.read(name).decode() for name in archive.namelist())


def unzipped(office: Federation, dump: Dump) -> dict[str, Rows]:
    return tables_of(get_dump_path(office, dump).read_bytes())


def content_of(client: Client, address: str = ZIP) -> bytes:
    response: Any = client.get(address)
    assert response.status_code == 200
    return b"".join(response.streaming_content)


@pytest.fixture
@built_once
def people(csa: Federation) -> list[Player]:
    """Ten players, two rated sections, a published list."""
    players = register(csa, 10)
    for number, seed in (("2024-001", 1), ("2024-002", 2)):
        approved(submitted(csa, players, number=number, seed=seed))
    published(csa, date(2024, 4, 1))
    return players


@pytest.fixture
def asked_for(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, dict[str, Any]]]:
    """The messages that were sent to workers."""
    sent: list[tuple[str, dict[str, Any]]] = []
    monkeypatch.setattr(app, "send_task", lambda task, **options: sent.append((task, options)))
    return sent


# ---------------------------------------------------------------- what is in it


@every_ruleset
def test_the_dump_reproduces_every_list_of_every_federation(ruleset: Ruleset) -> None:
    office, _written = imported(ruleset)
    newest = Fact.objects.filter(federation=office, on__isnull=False).latest("number").on
    assert newest
    published(office, newest + timedelta(days=1))
    found = unzipped(office, drawn(office))
    rows: defaultdict[tuple[str, ...], list[dict[str, str]]] = defaultdict(list)
    for row in found["list_rows"]:
        rows[row["day"], row["track"], row["revision"]].append(row)
    lists = RatingList.objects.filter(federation=office)
    assert len(found["lists"]) == len(lists) > 0
    for told in found["lists"]:
        of_list = rows[told["day"], told["track"], told["revision"]]
        written = "".join(f"{row['player']},{row['rating']},{row['games']}\n" for row in of_list).encode()
        shown = lists.get(on=told["day"], track=told["track"], revision=told["revision"])
        assert written == bytes(shown.content)
        assert hashlib.sha256(written).hexdigest() == told["sha256"]
        assert [int(row["rank"]) for row in of_list] == [
            each.rank for each in shown.rows.order_by("position")
        ]


def test_games_and_ratings_are_those_of_the_pages(csa: Federation, people: list[Player]) -> None:
    found = unzipped(csa, drawn(csa))
    assert [row["event"] for row in found["sections"]] == ["2024-001", "2024-002"]
    assert len(found["games"]) == 2 * 6 * 5
    assert {row["first"] for row in found["games"]} <= {player.number for player in people}
    of_player = {"player": people[0].number, "track": "otb-main"}.items()
    moves = [row["after"] for row in found["ratings"] if of_player <= row.items()]
    [listed] = [row["rating"] for row in found["list_rows"] if of_player <= row.items()]
    assert moves[-1] == listed


def test_entries_have_the_final_places_that_the_pages_tell(csa: Federation, people: list[Player]) -> None:
    first, second = Entry.objects.filter(section__stage=Stage.RATED).order_by("pk")[:2]
    Entry.objects.filter(pk=first.pk).update(place=3)
    Entry.objects.filter(pk=second.pk).update(place=None)
    found = {(row["event"], row["player"]): row for row in tables_of(zipped(csa))["entries"]}
    assert len(found) == Entry.objects.filter(section__stage=Stage.RATED).count()
    for entry, place in ((first, "3"), (second, "")):
        assert entry.player is not None
        row = found[entry.section.event.number, entry.player.number]
        assert (row["section"], row["place"]) == (entry.section.code, place)


def test_nothing_of_births_sexes_or_contacts_is_in_it(csa: Federation, people: list[Player]) -> None:
    columns = {column.name for table in TABLES for column in table.columns}
    assert columns.isdisjoint({"born", "birth", "sex", "age", "club", "organizer", "arbiters", "note"})
    Player.objects.filter(pk=people[0].pk).update(born=2015, title="WFM")
    Player.objects.filter(pk=people[1].pk).update(born=1980, title="WFM")
    titles = {row["number"]: row["title"] for row in tables_of(zipped(csa))["players"]}
    assert (titles[people[0].number], titles[people[1].number]) == ("", "WFM")


def zipped(office: Federation) -> bytes:
    return get_dump_path(office, drawn(office)).read_bytes()


def test_the_readme_names_each_table_and_each_column(csa: Federation, people: list[Player]) -> None:
    with zipfile.ZipFile(io.BytesIO(zipped(csa))) as archive:
        text = archive.read("README.txt").decode()
        assert archive.namelist() == ["README.txt", *(f"{table.name}.csv" for table in TABLES)]
    for table in TABLES:
        assert f"{table.name}.csv: {table.words}" in text
        assert all(f"  {column.name} " in text and column.words in text for column in table.columns)
    assert max(map(len, text.splitlines())) <= 110


def test_the_same_state_gives_the_same_bytes(csa: Federation, people: list[Player]) -> None:
    first, later = drawn(csa), drawn(csa, AT + timedelta(days=3))
    assert (first.sha256, first.size) == (later.sha256, later.size)
    assert first.drawn_at != later.drawn_at


def test_a_typed_formula_is_disarmed(csa: Federation, people: list[Player]) -> None:
    Player.objects.filter(pk=people[0].pk).update(surname="=Sum")
    assert unzipped(csa, drawn(csa))["players"][0]["name"] == "'=Sum, Person"


def test_games_of_a_merged_entry_are_of_who_stays_and_older_lists_keep_their_bytes(
    csa: Federation, people: list[Player]
) -> None:
    [other] = register(csa, 1, first=101000999)
    merge_players(player=people[0], into=other, by=None, on=DAY, reason="one person")
    recompute_all(csa)
    found = tables_of(zipped(csa))
    [former] = [row for row in found["players"] if row["number"] == people[0].number]
    assert former == {**dict.fromkeys(former, ""), "number": people[0].number, "merged_into": other.number}
    played = {row[side] for row in found["games"] for side in ("first", "second")}
    assert (people[0].number in played, other.number in played) == (False, True)
    entered = {row["player"] for row in found["entries"]}
    assert (people[0].number in entered, other.number in entered) == (False, True)
    assert people[0].number in {row["player"] for row in found["list_rows"]}


# ---------------------------------------------------------------- given out, or not


def withhold(player: Player) -> None:
    correct_player(player=player, by=None, on=DAY, withheld=True)


@pytest.mark.parametrize("take_away", [withhold, lambda player: forget_name(player=player, by=None, on=DAY)])
def test_a_name_that_is_withheld_or_deleted_goes_with_the_decision_itself(
    client: Client, csa: Federation, people: list[Player], take_away: Any
) -> None:
    drawn(csa)
    name = people[3].surname
    assert name in text_in(content_of(client))
    take_away(people[3])
    response = client.get(ZIP)
    assert response.status_code == 503
    assert response["Retry-After"] == "60"
    assert "no-store" in response["Cache-Control"]
    assert "is being drawn up anew" in response.content.decode()
    page = client.get("/csa/dump/")
    assert page.status_code == 200
    assert "Being drawn up anew" in page.content.decode()
    assert "dump.zip" not in page.content.decode()
    recompute_all(csa)
    tasks.draw_dump(csa.pk)
    assert name not in text_in(content_of(client))
    [row] = [row for row in tables_of(content_of(client))["players"] if row["number"] == people[3].number]
    assert (row["name"], row["withheld"], row["region"], row["nation"]) == ("", "1", "", "")
    assert [path.name for path in get_dump_folder(csa).glob("*.zip")] == [f"{drawn(csa).sha256}.zip"]


def test_a_decision_takes_the_dump_away_unless_its_kind_only_adds(
    csa: Federation, people: list[Player]
) -> None:
    drawn(csa)
    for kind in TAKES_NOTHING_BACK:
        decide(csa, kind=kind, by=None, on=DAY, about="something")
        assert find_servable_dump(csa), kind
    for kind in ("correct", "merge", "part", "unrate", "revise", "edit", "set", "forget-name", "quite-new"):
        decide(csa, kind=kind, by=None, on=DAY, about="something")
        assert find_servable_dump(csa) is None, kind
        assert drawn(csa) == find_servable_dump(csa), kind
    decide(csa, kind="discard", by=None, on=DAY, about="something", gone=["101"])
    assert find_servable_dump(csa) is None


def test_an_un_rated_section_is_gone_from_the_next_dump(csa: Federation, people: list[Player]) -> None:
    section = submitted(csa, people, number="2024-003", seed=3)
    approved(section)
    assert find_servable_dump(csa) is None
    drawn(csa)
    section.refresh_from_db()
    approval.unrate(
        section=section,
        by=None,
        on=DAY,
        version=section.version,
        reason="result",
        words="A result was wrong.",
    )
    assert find_servable_dump(csa) is None
    assert build_dump(csa, AT) is None  # while ratings are computed
    recompute_all(csa)
    assert "2024-003" not in {row["event"] for row in tables_of(zipped(csa))["games"]}


def test_a_restored_office_gives_out_no_dump_of_decisions_that_it_does_not_have(
    csa: Federation, people: list[Player]
) -> None:
    drawn(csa)
    manifest = get_dump_folder(csa) / MANIFEST
    told = json.loads(manifest.read_text())
    for changed in ({"hash": "0" * 64}, {"decision": told["decision"] + 1}, {"form": 0}):
        manifest.write_text(json.dumps(told | changed))
        assert find_servable_dump(csa) is None, changed
        assert is_dump_due(csa)
    manifest.write_text("{")
    assert find_servable_dump(csa) is None
    manifest.write_text(json.dumps(told))
    assert find_servable_dump(csa)


def test_a_dump_is_a_file_that_browsers_ask_for_anew(
    client: Client, csa: Federation, people: list[Player]
) -> None:
    dump = drawn(csa)
    response: Any = client.get(ZIP)
    content = b"".join(response.streaming_content)
    assert (hashlib.sha256(content).hexdigest(), len(content)) == (dump.sha256, dump.size)
    assert response["ETag"] == f'"{dump.sha256}"'
    assert response["Cache-Control"] == "public, no-cache"
    assert response["X-Robots-Tag"] == "noindex"
    assert response["Content-Disposition"] == 'attachment; filename="csa-dump.zip"'
    assert client.get(ZIP, headers={"If-None-Match": response["ETag"]}).status_code == 304
    assert dump.sha256 in client.get("/csa/dump/").content.decode()
    assert client.get("/csa/dump/dump.csv").status_code == 404
    assert client.get("/csa/dump/")["X-Robots-Tag"] == "noindex"
    assert "Disallow: /*/dump/" in client.get("/robots.txt").content.decode()


def test_whoever_comes_while_the_files_change_places_is_asked_to_come_again(
    client: Client, csa: Federation, people: list[Player]
) -> None:
    get_dump_path(csa, drawn(csa)).unlink()
    assert client.get(ZIP).status_code == 503


# ---------------------------------------------------------------- drawn up


def test_a_dump_is_due_with_the_first_list_with_each_list_and_after_each_correction(csa: Federation) -> None:
    players = register(csa, 10)
    for number, seed in (("2024-001", 1), ("2024-002", 2)):
        approved(submitted(csa, players, number=number, seed=seed))
    assert not is_dump_due(csa)
    published(csa, date(2024, 4, 1))
    assert is_dump_due(csa)
    assert build_dump_if_due(csa, AT)
    assert not is_dump_due(csa)
    assert build_dump_if_due(csa, AT) is None
    approved(submitted(csa, players, number="2024-003", seed=3, ends=date(2024, 4, 20)))
    assert find_servable_dump(csa)
    publication.publish_list(federation=csa, by=None, on=date(2024, 5, 1))
    assert not is_dump_due(csa)  # while ratings are computed
    recompute_all(csa)
    assert is_dump_due(csa)
    assert find_servable_dump(csa)  # the older one is right until then
    drawn(csa)
    decide(csa, kind="correct", by=None, on=DAY, about="player 1")
    assert is_dump_due(csa)


def test_a_dump_is_due_when_children_have_grown_up(csa: Federation, people: list[Player]) -> None:
    drawn(csa)
    manifest = get_dump_folder(csa) / MANIFEST
    told = json.loads(manifest.read_text())
    manifest.write_text(json.dumps(told | {"grown_until": told["grown_until"] - 5}))
    assert is_dump_due(csa)
    assert find_servable_dump(csa)


def test_a_recompute_and_the_sweep_ask_the_worker_of_files_for_a_dump_that_is_due(
    csa: Federation,
    people: list[Player],
    asked_for: list[tuple[str, dict[str, Any]]],
    settings: Any,
    django_capture_on_commit_callbacks: Any,
) -> None:
    message = ("ratings.tasks.draw_dump", {"args": (csa.pk,), "expires": settings.SWEEP_SECONDS})
    with django_capture_on_commit_callbacks(execute=True):
        tasks.sweep()
    assert asked_for.count(message) == 1
    asked_for.clear()
    tasks.draw_dump(csa.pk)
    with django_capture_on_commit_callbacks(execute=True):
        tasks.sweep()
    assert message not in asked_for
    publication.publish_list(federation=csa, by=None, on=date(2024, 5, 1))
    with django_capture_on_commit_callbacks(execute=True):
        tasks.recompute(csa.pk)
    assert message not in asked_for  # somebody decided a moment ago
    with time_machine.travel(timezone.now() + QUIET), django_capture_on_commit_callbacks(execute=True):
        tasks.sweep()
    assert message in asked_for
    app.loader.import_default_modules()
    assert app.amqp.router.route({}, "ratings.tasks.draw_dump")["queue"].name == "files"


def test_a_dump_that_cannot_be_drawn_up_is_logged_and_the_old_one_stays(
    csa: Federation, people: list[Player], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    tasks.draw_dump(csa.pk)
    before = sorted(path.name for path in get_dump_folder(csa).iterdir())
    published(csa, date(2024, 5, 1))

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("ratings.dumps.write_manifest", full)
    with caplog.at_level(logging.ERROR):
        tasks.draw_dump(csa.pk)
    assert "the dump of csa could not be drawn up" in caplog.text
    assert sorted(path.name for path in get_dump_folder(csa).iterdir()) == before
    assert find_servable_dump(csa)


def test_what_a_killed_worker_left_goes_and_older_files_go(csa: Federation, people: list[Player]) -> None:
    first = drawn(csa)
    (left := get_dump_folder(csa) / f"{UNFINISHED_PREFIX}killed").mkdir()
    (left / "dump.zip").write_bytes(b"half")
    Player.objects.filter(pk=people[0].pk).update(surname="Anew")
    second = drawn(csa)
    assert first.sha256 != second.sha256
    names = {path.name for path in get_dump_folder(csa).iterdir()}
    assert names == {".lock", MANIFEST, f"{second.sha256}.zip"}


def test_the_files_are_the_accounts_own(csa: Federation, people: list[Player]) -> None:
    drawn(csa)
    folder = get_dump_folder(csa)
    for path in (folder.parent, folder, *folder.iterdir()):
        assert not path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO), path


def test_the_worker_draws_one_dump_at_a_time_whatever_offices_ask(
    csa: Federation, people: list[Player]
) -> None:
    """Another process is at a dump, of any office: files have the rest of the worker to themselves."""
    with try_lock_folder(Path(settings.DUMPS_DIR)) as alone:
        assert alone
        tasks.draw_dump(csa.pk)
        assert find_servable_dump(csa) is None
    tasks.draw_dump(csa.pk)
    assert find_servable_dump(csa)


def test_one_process_at_a_time_draws_an_offices_dump_up(csa: Federation, people: list[Player]) -> None:
    with try_lock_folder(get_dump_folder(csa)) as alone:
        assert alone
        assert build_dump_if_due(csa, AT) is None
    assert build_dump_if_due(csa, AT)


@pytest.mark.django_db(transaction=True)
def test_everything_is_read_as_of_one_moment_without_the_lock_of_writers() -> None:
    """On SQLite it begins without the write lock: one of Django's own transactions would hold it."""
    with consistent_snapshot():
        assert not connection.in_atomic_block or connection.vendor == "postgresql"
        with connection.cursor() as cursor:
            if connection.vendor == "sqlite":
                assert connection.connection.in_transaction
            else:
                cursor.execute("SHOW transaction_read_only")
                assert cursor.fetchone() == ("on",)
                cursor.execute("SHOW transaction_isolation")
                assert cursor.fetchone() == ("repeatable read",)
    if connection.vendor == "sqlite":
        assert not connection.connection.in_transaction


def test_the_example_of_the_document_prints_the_newest_list(
    client: Client, csa: Federation, people: list[Player], settings: Any, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    drawn(csa)
    text = (settings.ROOT / "docs/programs.md").read_text(encoding="utf-8")
    code = text.partition("## Dumps\n")[2].partition("```python\n")[2].partition("```")[0]

    def urlretrieve(address: str, name: str) -> None:
        Path(name).write_bytes(content_of(client, address.removeprefix("http://127.0.0.1:8000")))

    monkeypatch.setattr(urllib.request, "urlretrieve", urlretrieve)
    monkeypatch.chdir(tmp_path)
    exec(code, {})
    rows = RatingList.objects.get(track="otb-main").rows.select_related("player").order_by("position")
    told = [line.split(" ", 1)[1].rsplit(" ", 1)[0] for line in capsys.readouterr().out.splitlines()]
    assert told == [row.player.name for row in rows[:10]]


def test_the_sitemap_leaves_it_out_and_the_journals_page_leads_to_it(
    client: Client, csa: Federation, people: list[Player]
) -> None:
    assert "/csa/dump/" in client.get("/csa/journal/").content.decode()
    assert "dump" not in client.get("/csa/sitemap-pages.xml").content.decode()


def test_an_office_without_lists_says_when_there_will_be_a_dump(client: Client, csa: Federation) -> None:
    assert "when the first list is published" in client.get("/csa/dump/").content.decode()
    assert client.get(ZIP).status_code == 503


def test_corrections_one_after_another_want_one_dump_and_the_first_within_ten_minutes(
    csa: Federation, people: list[Player]
) -> None:
    at = timezone.now()
    assert is_quiet_or_overdue(csa, at)  # there is none yet
    drawn(csa, at)
    corrected: dict[str, Any] = {"kind": "correct", "by": None, "on": date(2024, 6, 1), "about": "player 1"}
    for number in range(21):
        with time_machine.travel(at + timedelta(seconds=30 * number), tick=False):
            decide(csa, **{**corrected, "kind": "submit"})  # of no concern to a dump
            assert is_quiet_or_overdue(csa, timezone.now()) is True
            decide(csa, **corrected)
            assert is_quiet_or_overdue(csa, timezone.now()) is (number == 20)  # ten minutes after the first
            assert is_quiet_or_overdue(csa, timezone.now() + timedelta(seconds=29)) is (number >= 20)
            assert is_quiet_or_overdue(csa, timezone.now() + timedelta(seconds=30))
            assert is_quiet_or_overdue(csa, at - timedelta(days=1))  # the clock was set back
            if number == 20:
                drawn(csa, timezone.now())
                decide(csa, **corrected)
                assert not is_quiet_or_overdue(csa, timezone.now())


def test_on_a_busy_machine_the_drawing_rests(
    csa: Federation, people: list[Player], monkeypatch: pytest.MonkeyPatch
) -> None:
    rests = list[bool]()
    monkeypatch.setattr(Rests, "rest_anywhere", lambda self: rests.append(True))
    monkeypatch.setattr(dumps, "ROWS_BETWEEN_RESTS", 1)
    drawn(csa)
    rows = sum(len(list(table.read(csa))) for table in TABLES)
    assert len(rests) == rows > 10
