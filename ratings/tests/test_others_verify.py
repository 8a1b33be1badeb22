"""Verifiers of other people read the served log: Go's checksum database libraries, and metamorphic-log."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.db import connection, transaction
from django.test import Client

from players.models import Federation, Ledger
from ratings import transparency_log
from ratings.journal import JournalWriter
from ratings.models import Checkpoint, Fact, LogKey, TreeTile
from ratings.signing import change_key, sign_due_checkpoints
from ratings.tests import log_proofs
from ratings.tests.alterations import triggers_off
from ratings.tests.office import approved, published, register, strangers, submitted
from tests.built_once import built_once

pytestmark = [pytest.mark.verifiers, pytest.mark.servers]
ROOT = Path(__file__).resolve().parents[2]
GO_PATH = Path("/usr/share/gocode")
"""Where Debian's golang-golang-x-mod-dev lies."""
Go = Callable[..., "subprocess.CompletedProcess[str]"]


def signed(office: Federation, lines: int, at: datetime) -> None:
    """More than a tile of lines, signed at that time."""
    with transaction.atomic():
        ledger = Ledger.objects.select_for_update().get(federation=office)
        JournalWriter(office, ledger).write_players(strangers(range(ledger.facts, ledger.facts + lines)))
    sign_due_checkpoints(office, at=at)


@pytest.fixture
@built_once
def served(csa: Federation) -> Federation:
    """A journal of a list and some 600 lines, signed at two sizes."""
    approved(submitted(csa, register(csa, 12), rounds=11))
    with time_machine.travel(datetime(2024, 4, 1, 10, tzinfo=UTC), tick=False):
        published(csa, date(2024, 4, 1))
    signed(csa, 100, datetime(2024, 4, 1, 12, tzinfo=UTC))
    signed(csa, 500, datetime(2024, 4, 2, 12, tzinfo=UTC))
    return csa


def sizes() -> list[int]:
    return list(Checkpoint.objects.order_by("size").values_list("size", flat=True))


# ---------------------------------------------------------------- Go: golang.org/x/mod/sumdb/{note,tlog}


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small Go program of `tests/verifier`, which does nothing but call those libraries."""
    if not shutil.which("go") or not (GO_PATH / "src/golang.org/x/mod/sumdb").exists():
        pytest.skip("needs Debian's golang-go and golang-golang-x-mod-dev; .ci/run installs them")
    place = tmp_path_factory.mktemp("verifier") / "verifier"
    surroundings = {
        **os.environ, "GO111MODULE": "off", "GOPATH": str(GO_PATH), "GOCACHE": str(place.parent / "cache"),
        "GOFLAGS": "", "CGO_ENABLED": "0",
    }  # fmt: skip
    subprocess.run(["go", "build", "-o", place, "./tests/verifier"], cwd=ROOT, env=surroundings, check=True)
    return place


@pytest.fixture
def go(program: Path, live_server: Any) -> Go:
    """`go(vkey)`, `go(vkey, old_checkpoint_file)`: the program at the office's address."""

    def run(vkey: str, *more: object) -> subprocess.CompletedProcess[str]:
        command = [str(program), f"{live_server.url}/csa/journal", vkey, *map(str, more)]
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)

    return run


@pytest.mark.django_db(transaction=True)
def test_go_opens_the_checkpoint_and_finds_every_entry_in_the_tiles_and_one_history(
    go: Go, served: Federation, tmp_path: Path
) -> None:
    vkey = LogKey.objects.get().vkey
    for kept in Checkpoint.objects.all():
        (tmp_path / "old").write_text(kept.note)
        ran = go(vkey, tmp_path / "old")
        assert ran.returncode == 0, ran.stdout + ran.stderr
        assert f"accepted: a checkpoint of {sizes()[-1]} entries, each of them included" in ran.stdout
        assert f"accepted: it continues one of {kept.size} entries" in ran.stdout


@pytest.mark.django_db(transaction=True)
def test_go_takes_what_an_earlier_key_signed_with_the_keys_as_the_office_serves_them(
    go: Go, served: Federation, client: Client, tmp_path: Path
) -> None:
    for kept in list(Checkpoint.objects.all()):
        (tmp_path / str(kept.size)).write_text(kept.note)
    change_key(federation=served, by=None, on=date(2024, 4, 3), at=datetime(2024, 4, 3, 12, tzinfo=UTC))
    signed(served, 5, datetime(2024, 4, 4, 12, tzinfo=UTC))
    vkeys = client.get("/csa/journal/vkey").content.decode()
    for size in sizes()[:2]:
        ran = go(vkeys, tmp_path / str(size))
        assert f"accepted: it continues one of {size} entries" in ran.stdout, ran.stdout + ran.stderr


@pytest.mark.django_db(transaction=True)
def test_go_refuses_another_key_an_altered_tile_an_altered_line_and_another_history(
    go: Go, served: Federation, tmp_path: Path
) -> None:
    vkey = LogKey.objects.get().vkey
    stranger = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
    assert "refused" in go(stranger).stdout
    old = tmp_path / "old"
    note = Checkpoint.objects.order_by("size")[0].note
    old.write_text(note.replace(f"\n{sizes()[0]}\n", f"\n{sizes()[0] - 1}\n"))
    assert "refused" in go(vkey, old).stdout
    tile = TreeTile.objects.get(level=0, index=1)
    altered = bytes([tile.content[0] ^ 1]) + bytes(tile.content[1:])
    line = Fact.objects.get(number=300)
    for model, pk, field, after, before in (
        (TreeTile, tile.pk, "content", altered, bytes(tile.content)),
        (Fact, line.pk, "line", line.line.replace('name_seal":"', 'name_seal":"0', 1), line.line),
    ):
        with triggers_off():
            model._default_manager.filter(pk=pk).update(**{field: after})
        assert "refused" in go(vkey).stdout
        with triggers_off():
            model._default_manager.filter(pk=pk).update(**{field: before})
    assert go(vkey).returncode == 0
    assert connection.vendor


# ---------------------------------------------------------------- metamorphic-log (Rust): C2SP's formats


@pytest.fixture
def others() -> Any:
    if sys.platform != "linux":
        pytest.skip("metamorphic-log has a wheel for Linux on x86-64 alone")
    return pytest.importorskip("metamorphic_log")


def fetched_tree(client: Client, size: int) -> transparency_log.Tree:
    """The tree of the served level-0 tiles."""
    from ratings import transparency_log

    wanted = [tile for tile in log_proofs.iterate_tiles(size) if tile.level == 0]
    contents = [client.get(f"/csa/journal/{tile.path}").content for tile in wanted]
    return transparency_log.Tree(
        hash_ for content in contents for hash_ in transparency_log.split_tile(content)
    )


@pytest.mark.django_db
def test_another_verifier_accepts_checkpoints_inclusion_and_consistency_and_refuses_altered_ones(
    others: Any, served: Federation, client: Client
) -> None:
    newest, vkeys = client.get("/csa/journal/checkpoint").content.decode(), [LogKey.objects.get().vkey]
    oldest = Checkpoint.objects.order_by("size")[0].note
    head = others.checkpoint_verify(newest, vkeys)
    assert (head.origin, head.size) == ("localhost/csa/journal", sizes()[-1])
    whole = fetched_tree(client, head.size)
    for index in (0, 255, 256, head.size - 1):
        proof = log_proofs.inclusion_proof(whole.node, index, head.size)
        others.checkpoint_verify_inclusion(newest, vkeys, index, whole.node(0, index), proof)
        for leaf, wrong in ((bytes(32), proof), (whole.node(0, index), [*proof[:-1], bytes(32)])):
            with pytest.raises(Exception, match=r"."):
                others.checkpoint_verify_inclusion(newest, vkeys, index, leaf, wrong)
    proof = transparency_log.consistency_proof(whole.node, sizes()[0], head.size)
    others.checkpoint_verify_consistency(oldest, newest, vkeys, proof)
    with pytest.raises(Exception, match=r"."):
        others.checkpoint_verify_consistency(oldest, newest, vkeys, [*proof[:-1], bytes(32)])
    for note in (newest.replace("decisions", "decision"), newest.replace("localhost", "elsewhere")):
        with pytest.raises(Exception, match=r"."):
            others.checkpoint_verify(note, vkeys)
