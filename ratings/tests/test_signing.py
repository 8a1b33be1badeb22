"""The journal is signed after each list and once a day, served in tiles, and never as two histories."""

from __future__ import annotations

import json
import stat
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.db.utils import DatabaseError
from django.test import Client

from players.models import Decision, Federation, Ledger
from players.record import Refused, create_trigger_statements, drop_trigger_statements, newest_decision_hash
from ratings import signing, tasks, transparency_log
from ratings.intake import import_journal
from ratings.journal import JournalWriter, journal_lines
from ratings.models import Checkpoint, Fact, LogKey, RatingList, TreeTile
from ratings.rulesets import journal
from ratings.signing import get_tile_content
from ratings.tests import log_proofs
from ratings.tests.office import FIRST, approved, published, register, strangers, submitted
from ratings.transparency_log import Signer, Tile
from ratings.verify import verify
from tests.built_once import built_once

pytestmark = pytest.mark.django_db
NOON = datetime(2024, 4, 1, 12, tzinfo=UTC)
A_DAY = timedelta(days=1)
WITNESS = Signer("witness.example.com/w1", bytes(range(32)))
WITNESS_KEY = WITNESS.witness_key


def sign(office: Federation, at: datetime = NOON, *, whole: bool = False) -> list[int]:
    return [each.size for each in signing.sign_due_checkpoints(office, at=at, all_lines=whole)]


def add_lines(office: Federation, count: int, name: str = "Invented") -> None:
    """Players of the register, one line each."""
    with transaction.atomic():
        ledger = Ledger.objects.select_for_update().get(federation=office)
        writer = JournalWriter(office, ledger)
        writer.write_players(strangers(range(ledger.facts, ledger.facts + count), name))


def tree_of(office: Federation) -> transparency_log.Tree:
    """The tree of all lines, worked out with no tile at all."""
    lines = Fact.objects.filter(federation=office).order_by("number").values_list("line", flat=True)
    return transparency_log.Tree(
        transparency_log.leaf_hash(transparency_log.log_entry(line)) for line in lines
    )


def thawed(table: str, *statements: str) -> None:
    """SQL with the triggers off."""
    with connection.cursor() as cursor:
        for line in drop_trigger_statements(connection.vendor, table):
            cursor.execute(line)
        for statement in statements:
            cursor.execute(statement)
        for line in create_trigger_statements(connection.vendor, table):
            cursor.execute(line)


def newest(office: Federation) -> Checkpoint:
    found = Checkpoint.objects.of(office).newest_first().first()
    assert found is not None
    return found


# ---------------------------------------------------------------- what is signed, and when


def test_each_published_list_is_signed_up_to_and_with_its_line(csa: Federation) -> None:
    approved(submitted(csa, register(csa, 12), rounds=11))
    [*lists] = published(csa, date(2024, 4, 1))
    add_lines(csa, 3)
    assert lists[0].fact.number in sign(csa)
    signed = Checkpoint.objects.get(size=lists[0].fact.number)
    key = LogKey.objects.get()
    transparency_log.verify_note(transparency_log.parse_note(signed.note), [key.key])
    head = signed.head
    assert head.origin == key.origin == "localhost/csa/journal"
    assert head.root == tree_of(csa).root(lists[0].fact.number)


def test_a_checkpoint_carries_the_head_of_the_record_of_decisions(csa: Federation) -> None:
    approved(submitted(csa, register(csa, 12), rounds=11))
    sign(csa)
    assert newest(csa).head.decisions == (Decision.objects.count(), newest_decision_hash(csa))


def test_lines_are_signed_once_a_day_in_which_some_were_added(csa: Federation) -> None:
    add_lines(csa, 4)
    assert sign(csa) == [5]
    assert sign(csa) == []
    add_lines(csa, 1)
    assert sign(csa, NOON + timedelta(hours=9)) == []  # signed today already
    assert sign(csa, NOON + timedelta(hours=10)) == [6]  # midnight in Johannesburg
    assert sign(csa, NOON + 9 * A_DAY) == []  # nothing was added


def test_lines_of_a_day_that_was_signed_already_are_signed_where_it_is_asked_for(csa: Federation) -> None:
    add_lines(csa, 4)
    sign(csa)
    add_lines(csa, 1)
    assert sign(csa) == []
    assert sign(csa, whole=True) == [6]
    assert sign(csa, whole=True) == []  # nothing was added


def test_a_list_is_signed_on_a_day_that_was_signed_already(csa: Federation) -> None:
    approved(submitted(csa, register(csa, 12), rounds=11))
    sign(csa)
    [first, *_] = published(csa, date(2024, 4, 1))
    assert sign(csa) == [first.fact.number]


def test_every_list_of_an_imported_journal_gets_the_checkpoint_of_its_size(csa: Federation) -> None:
    players = register(csa, 12)
    for month in (4, 5, 6):
        days = {"number": f"2024-{month}", "ends": date(2024, month - 1, 20)}
        approved(submitted(csa, players, **days))  # type: ignore[arg-type]
        published(csa, date(2024, month, 1))
    record = journal.read_journal(
        line.replace('"code":"csa"', '"code":"other"') for line in journal_lines(csa)
    )
    other = import_journal(record, on=date(2024, 7, 1))
    sizes = list(Fact.objects.filter(federation=other, kind="list").values_list("number", flat=True))
    assert sign(other) == sizes
    whole = tree_of(other)
    assert [each.head.root for each in Checkpoint.objects.of(other)] == [whole.root(size) for size in sizes]


def test_whoever_waited_while_somebody_else_signed_signs_no_earlier_than_that(csa: Federation) -> None:
    add_lines(csa, 1)
    sign(csa, NOON)
    add_lines(csa, 1)
    sign(csa, NOON - timedelta(seconds=3), whole=True)  # it had read the clock before the other signed
    assert newest(csa).number == 2
    assert newest(csa).at == NOON
    add_lines(csa, 1)
    sign(csa, NOON + timedelta(seconds=3), whole=True)
    assert newest(csa).at == NOON + timedelta(seconds=3)
    assert not verify(csa).differences


def test_an_empty_office_signs_nothing(csa: Federation) -> None:
    assert sign(csa) == []
    assert not LogKey.objects.exists()


def test_the_worker_signs_after_it_has_recomputed_and_the_sweep_finds_what_was_left(
    csa: Federation, monkeypatch: pytest.MonkeyPatch
) -> None:
    approved(submitted(csa, register(csa, 12), rounds=11))
    monkeypatch.setattr(tasks, "sign", lambda federation: None)  # killed before it could
    tasks.run(csa)
    assert not Checkpoint.objects.exists()
    monkeypatch.undo()
    tasks.sweep()
    assert newest(csa).size == Ledger.objects.get().facts
    tasks.sweep()
    assert Checkpoint.objects.count() == 1


def test_what_cannot_be_signed_stops_no_recompute(csa: Federation) -> None:
    approved(submitted(csa, register(csa, 12), rounds=11))
    sign(csa)
    signing.key_file(csa).unlink()
    add_lines(csa, 1)
    tasks.sweep()  # says so in the log, and goes on
    assert Checkpoint.objects.count() == 1


# ---------------------------------------------------------------- tiles


@pytest.mark.parametrize("lines", [1, 255, 256, 257, 700])
def test_stored_and_computed_tiles_are_those_of_the_tree(csa: Federation, lines: int) -> None:
    add_lines(csa, lines - 1)
    if lines == 1:
        with transaction.atomic():
            JournalWriter(csa, Ledger.objects.get())
    assert sign(csa) == [lines]
    whole = tree_of(csa)
    assert newest(csa).head.root == whole.root()
    for tile in log_proofs.iterate_tiles(lines):
        first = tile.index * transparency_log.WIDTH
        expected = b"".join(whole.node(tile.level * 8, first + at) for at in range(tile.width))
        assert get_tile_content(csa, tile) == expected
    assert TreeTile.objects.count() == lines // 256
    edge = b"".join(whole.node(0, at) for at in range(lines - lines % 256, lines))
    assert bytes(newest(csa).edge) == edge


def test_a_tree_that_grows_in_steps_is_the_tree_that_grew_at_once(csa: Federation) -> None:
    for day, count in enumerate((5, 251, 1, 300, 210)):
        add_lines(csa, count)
        sign(csa, NOON + day * A_DAY)
    whole = tree_of(csa)
    assert [each.head.root for each in Checkpoint.objects.of(csa)] == [
        whole.root(each.size) for each in Checkpoint.objects.of(csa)
    ]


@pytest.mark.long
def test_a_tree_of_many_tiles_has_its_second_level(csa: Federation, monkeypatch: pytest.MonkeyPatch) -> None:
    """257 full tiles, as 65,792 lines have; the lines are written straight to the table."""
    count = 257 * 256 + 3
    Fact.objects.bulk_create(
        (Fact(federation=csa, number=n, kind="player", line=f"line {n}") for n in range(1, count + 1)),
        batch_size=5_000,
    )
    Ledger.objects.update(facts=count)
    assert sign(csa) == [count]
    whole = tree_of(csa)
    assert newest(csa).head.root == whole.root()
    assert TreeTile.objects.filter(level=1).count() == 1
    assert get_tile_content(csa, Tile(1, 1, 1)) == whole.node(8, 256)
    assert get_tile_content(csa, Tile(2, 0, 1)) == whole.node(16, 0)


# ---------------------------------------------------------------- what is served


@pytest.fixture
@built_once
def signed_office(csa: Federation) -> Federation:
    with time_machine.travel(NOON - timedelta(hours=1), tick=False):
        approved(submitted(csa, register(csa, 12), rounds=11))
        published(csa, date(2024, 4, 1))
    add_lines(csa, 300)
    sign(csa)
    sign(csa, NOON + A_DAY)
    return csa


def test_the_newest_checkpoint_is_served_as_text_that_nobody_keeps_for_long(
    signed_office: Federation, client: Client
) -> None:
    response = client.get("/csa/journal/checkpoint")
    assert response.content.decode() == newest(signed_office).note
    assert response["Content-Type"] == "text/plain; charset=utf-8"
    assert response["Cache-Control"] == "public, max-age=5"
    again = client.get("/csa/journal/checkpoint", headers={"If-None-Match": response["ETag"]})
    assert again.status_code == 304


def test_tiles_and_entries_are_served_for_ever_and_give_the_signed_root(
    signed_office: Federation, client: Client
) -> None:
    size = newest(signed_office).size
    for tile in log_proofs.iterate_tiles(size):
        response = client.get(f"/csa/journal/{tile.path}")
        assert response.content == get_tile_content(signed_office, tile)
        assert response["Content-Type"] == "application/octet-stream"
        assert "immutable" in response["Cache-Control"]
    bundle = client.get("/csa/journal/tile/entries/000").content
    full = transparency_log.split_tile(client.get("/csa/journal/tile/0/000").content)
    assert [transparency_log.leaf_hash(entry) for entry in log_proofs.split_bundle(bundle)] == full


NO_TILES = ["0/001", "0/000.p/0", "1/000.p/2", "0/0", "2/000.p/1", "entries/001", "x", "0/000/"]


@pytest.mark.parametrize("path", NO_TILES)
def test_what_the_signed_tree_lacks_is_no_tile(signed_office: Federation, client: Client, path: str) -> None:
    assert client.get(f"/csa/journal/tile/{path}").status_code == 404


def test_a_partial_tile_of_an_earlier_checkpoint_is_still_served(
    signed_office: Federation, client: Client
) -> None:
    early = Checkpoint.objects.of(signed_office).order_by("size")[0].size
    response = client.get(f"/csa/journal/{Tile(0, 0, early).path}")
    assert response.content == get_tile_content(signed_office, Tile(0, 0))[: early * 32]


def test_an_office_that_has_signed_nothing_serves_no_log(csa: Federation, client: Client) -> None:
    for path in ("checkpoint", "vkey", "tile/0/000.p/1"):
        assert client.get(f"/csa/journal/{path}").status_code == 404


def test_the_verifier_key_is_served_and_stands_on_the_check_page(
    signed_office: Federation, client: Client
) -> None:
    vkey = LogKey.objects.get().vkey
    assert client.get("/csa/journal/vkey").content.decode() == f"{vkey}\n"
    assert vkey in client.get("/csa/check/").content.decode()


def test_a_lists_file_has_what_proves_it(signed_office: Federation, client: Client) -> None:
    shown = RatingList.objects.filter(track="otb-main").get()
    for address in ("list.json", "r1/list.json"):
        response = client.get(f"{shown.get_absolute_url()}{address}")
        file = json.loads(response.content)
        assert response["Content-Type"] == "application/json"
    assert list(file) == [
        "form", "origin", "code", "track", "on", "revision", "line", "edition", "program", "sha256",
        "checkpoint", "rows",
    ]  # fmt: skip
    assert (file["form"], file["code"], file["track"], file["on"], file["revision"], file["line"]) == (
        2, "csa", "otb-main", "2024-04-01", 1, shown.fact.number,
    )  # fmt: skip
    signed = transparency_log.parse_note(file["checkpoint"])
    transparency_log.verify_note(signed, [LogKey.objects.get().key])
    head = transparency_log.parse_checkpoint(signed.text)
    assert (head.size, head.origin) == (file["line"], file["origin"])
    content = "".join(f"{number},{rating},{games}\n" for number, rating, games in file["rows"])
    assert content.encode() == bytes(shown.content)
    assert client.get(f"{shown.get_absolute_url()}r2/list.json").status_code == 404


def test_a_list_that_is_not_signed_yet_says_so_and_is_not_kept(csa: Federation, client: Client) -> None:
    approved(submitted(csa, register(csa, 12), rounds=11))
    [shown, *_] = published(csa, date(2024, 4, 1))
    response = client.get(f"{shown.get_absolute_url()}list.json")
    assert json.loads(response.content)["checkpoint"] is None
    assert "max-age=0" in response["Cache-Control"]


# ---------------------------------------------------------------- one history


def test_a_restored_database_that_lacks_signed_lines_signs_nothing(signed_office: Federation) -> None:
    before = signing.read_kept_checkpoint(signed_office)
    restore(signed_office, 20)
    add_lines(signed_office, 5)
    with pytest.raises(Refused, match=r"The journal has 25 lines, but \d+ were signed.*new-origin"):
        sign(signed_office, NOON + 2 * A_DAY)
    assert signing.read_kept_checkpoint(signed_office) == before


def test_a_restored_database_that_goes_another_way_signs_nothing_however_long_it_grows(
    signed_office: Federation,
) -> None:
    restore(signed_office, 20)
    add_lines(signed_office, 600, "Another")
    with pytest.raises(Refused, match="lines of the journal are not those that were signed"):
        sign(signed_office, NOON + 2 * A_DAY)


def test_a_restored_database_signs_again_when_its_lines_are_back(signed_office: Federation) -> None:
    lost = list(Fact.objects.filter(number__gt=20).order_by("number"))
    restore(signed_office, 20)
    Fact.objects.bulk_create(lost)
    Ledger.objects.update(facts=20 + len(lost))
    add_lines(signed_office, 1)
    assert Ledger.objects.get().facts in sign(signed_office, NOON + 2 * A_DAY)


def test_a_new_origin_says_why_begins_with_its_own_key_and_leaves_the_old_log_as_it_was(
    signed_office: Federation, client: Client
) -> None:
    old, before = LogKey.objects.get(), signing.read_kept_checkpoint(signed_office)
    restore(signed_office, 20)
    add_lines(signed_office, 600, "Another")
    key = signing.begin_origin(
        federation=signed_office,
        reason="The disk of 3 May was lost.",
        by=None,
        on=date(2024, 5, 4),
        at=NOON,
    )
    assert (key.origin, key.number) == (f"{old.origin}/2", 2)
    assert key.key.public != old.key.public
    sizes = sign(signed_office, NOON + 2 * A_DAY)
    assert Ledger.objects.get().facts in sizes
    assert newest(signed_office).head.origin == key.origin
    assert "The disk of 3 May was lost." in client.get("/csa/check/").content.decode()
    aside = [path.read_text() for path in signing.key_file(signed_office).parent.glob("csa.*.checkpoint")]
    assert aside == [before]


@pytest.mark.parametrize(
    ("reason", "origin"), [(" ", ""), ("x", "a b"), ("x", "a+b"), ("x", "localhost/csa/journal")]
)
def test_a_new_origin_without_a_reason_or_with_a_bad_or_used_name_is_refused(
    signed_office: Federation, reason: str, origin: str
) -> None:
    with pytest.raises(Refused):
        signing.begin_origin(
            federation=signed_office, reason=reason, origin=origin, by=None, on=FIRST, at=NOON
        )
    assert LogKey.objects.count() == 1


def restore(office: Federation, lines: int) -> None:
    """The database of a time when the journal had so many lines; the files beside it are today's."""
    thawed("ratings_cosignature", "DELETE FROM ratings_cosignature")
    thawed("ratings_checkpoint", "DELETE FROM ratings_checkpoint")
    thawed("ratings_treetile", "DELETE FROM ratings_treetile")
    thawed("ratings_listrow", "DELETE FROM ratings_listrow")
    thawed("ratings_ratinglist", "DELETE FROM ratings_ratinglist")
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM ratings_change")
    thawed("ratings_fact", f"DELETE FROM ratings_fact WHERE number > {lines}")
    Ledger.objects.update(facts=lines)


# ---------------------------------------------------------------- keys


def test_the_private_key_is_a_file_of_its_owners_alone_and_nowhere_in_the_database(
    signed_office: Federation,
) -> None:
    path = signing.key_file(signed_office)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    signer = signing.find_signer(signed_office)
    assert signer is not None
    assert str(signer.key) == LogKey.objects.get().vkey
    told = " ".join(str(row) for model in (LogKey, Checkpoint, Decision) for row in model.objects.values())
    assert transparency_log._base64(signer.seed) not in told


def test_an_origin_that_the_office_has_set_is_its_logs_name_whatever_the_site_is_called(
    csa: Federation, settings: Any
) -> None:
    csa.settings["origin"] = "ratings.example.org/csa/journal"
    csa.save()
    add_lines(csa, 1)
    sign(csa)
    csa.settings["origin"] = "elsewhere.example.org/csa/journal"
    settings.SITE_HOST = "moved.example.org"
    add_lines(csa, 1)
    sign(csa, NOON + A_DAY)
    assert {each.head.origin for each in Checkpoint.objects.all()} == {"ratings.example.org/csa/journal"}


def test_a_new_key_is_announced_by_a_checkpoint_that_both_sign(signed_office: Federation) -> None:
    old = LogKey.objects.get()
    with_both = signing.change_key(federation=signed_office, by=None, on=FIRST, at=NOON + A_DAY)
    key = LogKey.objects.get(number=2)
    assert key.origin == old.origin
    assert transparency_log.verify_note(transparency_log.parse_note(with_both.note), [old.key, key.key]) == [
        old.key,
        key.key,
    ]
    add_lines(signed_office, 1)
    sign(signed_office, NOON + 3 * A_DAY)
    last = newest(signed_office)
    assert transparency_log.verify_note(transparency_log.parse_note(last.note), [key.key]) == [key.key]
    with pytest.raises(transparency_log.NoteError):
        transparency_log.verify_note(transparency_log.parse_note(last.note), [old.key])
    assert not signing.next_key_file(signed_office).exists()


def test_a_change_of_keys_that_was_cut_off_before_the_database_had_it_never_was(
    signed_office: Federation, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cut(*args: object, **kwargs: object) -> None:
        raise RuntimeError("the power went")

    monkeypatch.setattr(signing, "decide", cut)
    with pytest.raises(RuntimeError):
        signing.change_key(federation=signed_office, by=None, on=FIRST, at=NOON)
    add_lines(signed_office, 1)
    sign(signed_office, NOON + 3 * A_DAY)
    assert LogKey.objects.count() == 1
    assert newest(signed_office).size == Ledger.objects.get().facts


def test_a_lost_private_key_is_said_and_nothing_is_signed(signed_office: Federation) -> None:
    signing.key_file(signed_office).unlink()
    add_lines(signed_office, 1)
    with pytest.raises(Refused, match="private key of localhost/csa/journal is not in"):
        sign(signed_office, NOON + 3 * A_DAY)


def test_a_new_database_beside_an_old_key_goes_on_with_its_log_and_signs_no_second_history(
    csa: Federation,
) -> None:
    add_lines(csa, 5)
    sign(csa)
    vkey = LogKey.objects.get().vkey
    thawed("ratings_checkpoint", "DELETE FROM ratings_checkpoint")
    thawed("ratings_logkey", "DELETE FROM ratings_logkey")
    thawed("ratings_fact", "UPDATE ratings_fact SET line = 'x' WHERE number = 3")
    with pytest.raises(Refused, match="not those that were signed"):
        sign(csa, NOON + A_DAY)
    assert LogKey.objects.get().vkey == vkey


def test_a_demo_made_anew_has_a_log_of_its_own(csa: Federation) -> None:
    Federation.objects.update(demo=True)
    csa.refresh_from_db()
    add_lines(csa, 5)
    sign(csa)
    vkey = LogKey.objects.get().vkey
    thawed("ratings_checkpoint", "DELETE FROM ratings_checkpoint")
    thawed("ratings_logkey", "DELETE FROM ratings_logkey")
    thawed("ratings_fact", "UPDATE ratings_fact SET line = 'x' WHERE number = 3")
    assert sign(csa, NOON + A_DAY) == [6]
    assert LogKey.objects.get().vkey != vkey


# ---------------------------------------------------------------- witnesses


def cosigned(office: Federation, at: int = 1_711_972_800) -> str:
    """The newest checkpoint as a witness gives it back."""
    note = transparency_log.parse_note(newest(office).note)
    return str(note.beside([WITNESS.cosign(note.text, at)]))


def take(office: Federation, note: str) -> None:
    signing.take_cosignature(federation=office, note=note, vkey=str(WITNESS_KEY), by=None, on=FIRST, at=NOON)


def test_a_witnesss_signature_is_kept_and_served_with_the_checkpoint(
    signed_office: Federation, client: Client
) -> None:
    take(signed_office, cosigned(signed_office))
    served = client.get("/csa/journal/checkpoint").content.decode()
    assert served == cosigned(signed_office)
    known = [WITNESS_KEY, LogKey.objects.get().key]
    assert transparency_log.verify_note(transparency_log.parse_note(served), known) == known
    assert Decision.objects.get(kind="take-cosignature").details["vkey"] == str(WITNESS_KEY)


def test_a_wrong_or_repeated_signature_or_one_under_another_checkpoint_is_not_taken(
    signed_office: Federation,
) -> None:
    good = cosigned(signed_office)
    take(signed_office, good)
    other = transparency_log.Checkpoint("elsewhere.example.org", 5, bytes(32)).signed(WITNESS)
    for note, words in (
        (good, "here already"),
        (str(other), "did not sign that checkpoint"),
        (newest(signed_office).note, "no known key signed"),
        ("nonsense", "a note is a text"),
    ):
        with pytest.raises(Refused, match=words):
            take(signed_office, note)


# ---------------------------------------------------------------- the tables, the command


@pytest.mark.parametrize("table", ["ratings_logkey", "ratings_checkpoint", "ratings_treetile"])
def test_what_was_signed_is_never_changed_or_deleted(signed_office: Federation, table: str) -> None:
    for statement in (f"UPDATE {table} SET federation_id = 0", f"DELETE FROM {table}"):
        with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)


def test_the_command_tells_signs_changes_keys_and_takes_cosignatures(
    csa: Federation, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("log", "csa", "status")
    assert "No key yet" in capsys.readouterr().out
    add_lines(csa, 3)
    call_command("log", "csa", "sign")
    add_lines(csa, 1)
    call_command("log", "csa", "sign", "--all")
    assert newest(csa).size == 5
    call_command("log", "csa", "new-key")
    call_command("log", "csa", "status")
    told = capsys.readouterr().out
    assert LogKey.objects.get(number=2).vkey in told
    assert "signed  5 of 5" in told
    file = tmp_path / "checkpoint"
    file.write_text(cosigned(csa))
    call_command("log", "csa", "cosign", "--key", str(WITNESS_KEY), str(file))
    call_command("log", "csa", "new-origin", "--reason", "moved house")
    assert LogKey.objects.get(number=3).reason == "moved house"
    with pytest.raises(CommandError, match="no office “nowhere”"):
        call_command("log", "nowhere", "status")
    with pytest.raises(CommandError, match="here already"):
        call_command("log", "csa", "cosign", "--key", str(WITNESS_KEY), str(file))
