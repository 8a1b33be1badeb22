"""Kills a program between any two of its writes: `python -m tests.write_kills`.

Deeds of an office on a database of its own, one after the other: officials' decisions, and each step of the
recomputes that they want. A deed is begun again and again by a child of this program, which kills itself
(`kill -9`) before its first write, then before its second, and so on, before its commit too, until it gets
through. After each kill every row of every table must be what it was.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from importlib import import_module
from itertools import count
from typing import TYPE_CHECKING, Any

from tests.guards_off.sitecustomize import GUARDS
from tests.kill import office_of_its_own, prepare

if TYPE_CHECKING:
    from players.models import Federation

SECTIONS, RATED_AT_FIRST = 4, 2
EXTRA = "101999999"
"""The number of a player who stands in the register alone, to be merged."""
WRITES = re.compile(r"\s*(INSERT|UPDATE|DELETE)\b", re.IGNORECASE)
LEASE = {"heartbeat", "holder", "attempts", "folded", "to_fold", "rules"}
"""Columns of the ledger by which a worker says, outside of its writing, that it has the work in hand."""

DONE, FAILED = 0, 1
"""How a deed ends that nobody kills."""

Rows = dict[str, list[str]]
Deed = Callable[[], object]


class Killer:
    """Counts what is written, and kills this program before one of the writes."""

    def __init__(self, at: int) -> None:
        self.left = at

    def __call__(
        self, execute: Callable[..., object], sql: str, params: object, many: bool, context: dict[str, Any]
    ) -> object:
        if WRITES.match(sql):
            self.count()
        return execute(sql, params, many, context)

    def count(self) -> None:
        self.left -= 1
        if not self.left:
            os.kill(os.getpid(), signal.SIGKILL)


@contextmanager
def killed_at(write: int) -> Iterator[None]:
    """Kill this program before so many writes of the block; a commit counts as one."""
    from django.db import connection

    killer, commit = Killer(write), connection.commit

    def counted() -> None:
        killer.count()
        commit()

    connection.commit = counted  # type: ignore[method-assign]
    try:
        with connection.execute_wrapper(killer):
            yield
    finally:
        connection.commit = commit  # type: ignore[method-assign]


def begun(begin: Callable[[int], object], write: int) -> int:
    """Begin a deed in a child that is to die before this one of its writes; return how it ended."""
    from django.db import connections

    connections.close_all()
    child = os.fork()
    if not child:
        status = FAILED
        try:
            begin(write)
            status = DONE
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def all_rows() -> Rows:
    """Every row of every table but for the lease of the ledger."""
    from django.db import connection, transaction

    found: Rows = {}
    with transaction.atomic(), connection.cursor() as cursor:
        for table in sorted(connection.introspection.table_names(cursor)):
            cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)}")
            left_out = LEASE if table == "players_ledger" else set()
            kept = [place for place, column in enumerate(cursor.description) if column[0] not in left_out]
            found[table] = sorted(repr([row[place] for place in kept]) for row in cursor.fetchall())
    return found


def try_to_halve(name: str, begin: Callable[[int], object]) -> int:
    """Kill a deed before each of its writes in turn, until it is done; return the number of kills."""
    from players.models import Ledger

    before = all_rows()
    for write in count(1):
        ended = begun(begin, write)
        if ended == DONE:
            print(f"{name}: whole, killed before each of {write - 1} writes", flush=True)
            return write - 1
        after = all_rows()
        if half := sorted(table for table in before if before[table] != after[table]):
            raise SystemExit(f"{name}, ended at write {write}: half-written, in {', '.join(half)}")
        if ended == FAILED:
            raise SystemExit(f"{name} failed, though nobody killed it")
        Ledger.objects.update(heartbeat=None)
    raise AssertionError("unreachable")


def decided(deed: Deed) -> Callable[[int], object]:
    """A decision, killed before one of its writes. Nobody is woken: the row is the job."""

    def begin(write: int) -> None:
        from players import jobs

        jobs._send = lambda *_: None
        with killed_at(write):
            deed()

    return begin


def one_step(office: Federation) -> Callable[[int], object]:
    """A recompute up to its first step that is written, killed before one of the writes of that step."""

    def begin(write: int) -> None:
        recompute_module: Any = import_module("ratings.recompute")
        whole = recompute_module.write

        def written(*work: Any) -> None:
            with killed_at(write):
                whole(*work)
            os._exit(0)

        recompute_module.write = written
        recompute_module.recompute(office)

    return begin


def recompute(name: str, office: Federation) -> int:
    from players.models import Ledger

    kills = 0
    for step in count(1):
        if not Ledger.objects.pending().exists():
            return kills
        kills += try_to_halve(f"recompute after {name}, step {step}", one_step(office))
        Ledger.objects.update(heartbeat=None)
    raise AssertionError("unreachable")


def deeds(office: Federation) -> dict[str, Deed]:
    """What officials decide, in this order; each once everything before is worked out."""
    from players.models import Player
    from ratings import approval, corrections, publication
    from ratings.merging import merge_players
    from ratings.tests.office import FIRST
    from tournaments.models import Section

    def day(n: int) -> date:
        return FIRST + timedelta(days=n)

    def seen(n: int) -> dict[str, Any]:
        section = Section.objects.select_related("event__federation").order_by("pk")[n]
        return {"section": section, "version": section.version, "by": None}

    def correct() -> object:
        section = seen(0)
        result = section["section"].games.get(order=1).result
        change = {"what": "result", "game": 1, "to": "0-1" if result != "0-1" else "1-0"}
        why: dict[str, Any] = {"reason": "result", "words": "a test", "after_list": True}
        return corrections.correct_rated_section(**section, **why, on=day(43), changes=[change])

    def merge() -> object:
        extra, stays = Player.objects.get(number=EXTRA), Player.objects.order_by("pk")[0]
        return merge_players(player=extra, into=stays, by=None, on=day(44), reason="a test")

    return {
        "a list": lambda: publication.publish_list(federation=office, by=None, on=day(40)),
        "an un-rating": lambda: approval.unrate(
            **seen(1), on=day(41), reason="result", words="a test", after_list=True
        ),
        "an approval": lambda: approval.approve(**seen(RATED_AT_FIRST), on=day(42), despite_hints="a test"),
        "a revised list": lambda: publication.revise_list(
            federation=office, list_day=day(40), by=None, on=day(43), note="a test"
        ),
        "a correction": correct,
        "a merge": merge,
        "a second list": lambda: publication.publish_list(federation=office, by=None, on=day(45)),
    }


def run() -> int:
    """Return how many kills there were; SystemExit says which deed was half done."""
    office = prepare(SECTIONS, RATED_AT_FIRST)
    from ratings.program import get_current_program
    from ratings.recompute import get_own_rules_hash
    from ratings.tests.office import register
    from ratings.verify import verify

    get_current_program(), get_own_rules_hash(office)  # worked out once, for all children
    register(office, 1, first=int(EXTRA))
    kills = recompute("the first approvals", office)
    for name, deed in deeds(office).items():
        before = kills
        kills += try_to_halve(name, decided(deed))
        kills += recompute(name, office)
        print(f"{name}, worked out: {kills - before} kills", flush=True)
    if differences := verify(office).differences:
        raise SystemExit(f"what is stored is not what a replay gives: {differences}")
    print(f"{kills} kills, no deed half done; equal to a replay")
    return kills


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--without", choices=sorted(GUARDS), default="", help="switch one guard off")
    if without := parser.parse_args().without:
        os.environ["GUARD_OFF"] = without
        sys.modules.pop("tests.guards_off.sitecustomize")
        __import__("tests.guards_off.sitecustomize")  # switches it off as soon as its module is imported
    with office_of_its_own():
        run()
