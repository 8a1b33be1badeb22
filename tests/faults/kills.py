"""Kills, at random moments, of every kind of process of an office; of `up` and its clock too."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress

from tests import kill_up
from tests.faults.world import DECIDED, World
from tests.kill_up import MAINS, Process

BURST = 10
"""The most kills of one round."""
FOLDED_WITHIN = 0.6
"""Seconds that a fold takes, its writing included."""
LONGEST = 20.0
"""Seconds after which a round of kills ends, though some hit nobody."""


def kills(world: World) -> int:
    """Kill some processes one after another; return how many kills hit. A kill of `up` ends the round."""
    asked, made = world.rng.randint(1, BURST), 0
    deadline = time.monotonic() + LONGEST
    while made < asked and time.monotonic() < deadline:
        time.sleep(world.now(0.05, 0.8))
        kill = world.rng.choices(list(KILLS), weights=list(KILLS.values()))[0]
        hit, ends = kill(world)
        made += hit
        if ends:
            break
    return made


Outcome = tuple[bool, bool]
"""Whether a kill hit somebody, and whether it ends the round."""


def _kill(found: list[Process]) -> bool:
    """Kill processes; return whether there was one."""
    hit = False
    for process in found:
        with suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL)
            hit = True
    return hit


def _a_kind(world: World) -> str:
    return world.rng.choice(sorted(MAINS))


def child(world: World) -> Outcome:
    found = world.house.children(_a_kind(world))
    return _kill(found and [world.rng.choice(found)]), False


def main(world: World) -> Outcome:
    return _kill(world.house.mains(_a_kind(world))), False


def child_while_it_folds(world: World) -> Outcome:
    wait_for_fold(world)
    return _kill(world.house.children("worker")), False


def main_while_it_folds(world: World) -> Outcome:
    wait_for_fold(world)
    return _kill(world.house.mains("worker")), False


def main_in_the_last_fold(world: World) -> Outcome:
    """Kill the worker at what nobody will announce again: no decision follows."""
    if world.clerk.take(1) and world.clerk.rest(20.0):
        wait_for_fold(world, moment=0.0)
        return _kill(world.house.mains("worker")), True
    return False, True


def child_in_the_last_fold(world: World) -> Outcome:
    if world.clerk.take(1) and world.clerk.rest(20.0):
        wait_for_fold(world, moment=0.0)
        return _kill(world.house.children("worker")), True
    return False, True


def killed_in_the_last_fold(world: World) -> int:
    return int(world.rng.choice((main_in_the_last_fold, child_in_the_last_fold))(world)[0])


def killed_in_a_decision(world: World) -> int:
    """Kill while the last kind of decision that the clerk makes here is asked for, or worked out."""
    kind, made = world.clerk.kinds[-1], 0
    for _ in range(world.rng.randint(1, BURST)):
        wait_for_form(world, kind)
        time.sleep(world.now(0.0, 1.2 * world.clerk.taken))
        kill = world.rng.choices(list(IN_A_DECISION), weights=list(IN_A_DECISION.values()))[0]
        hit, ends = kill(world)
        made += hit
        if ends:
            break
    return made


def wait_for_form(world: World, kind: str, within: float = 60.0) -> None:
    """Wait until the clerk sends the form of a kind of decision."""
    deadline = time.monotonic() + within
    while world.clerk.sending != kind:
        if time.monotonic() > deadline or world.clerk.wrong:
            raise SystemExit(f"no {kind} for {within:.0f} s: {world.clerk.wrong or world.clerk.last_refusal}")
        time.sleep(0.002)


def web(world: World) -> Outcome:
    """Kill both web processes: one of them has the form."""
    return _kill(world.house.children("web")), False


def web_main(world: World) -> Outcome:
    return _kill(world.house.mains("web")), False


def wait_for_fold(world: World, within: float = 2.0, moment: float = FOLDED_WITHIN) -> None:
    """Wait until a worker has the ledger in hand, or for a while; then until some moment of its fold."""
    from players.models import Ledger

    deadline = time.monotonic() + within
    while time.monotonic() < deadline and not Ledger.objects.exclude(heartbeat=None).exists():
        time.sleep(0.02)
    time.sleep(world.now(0.0, moment))


def _of_up(name: str) -> Callable[[World], Outcome]:
    def fault(world: World) -> Outcome:
        house, kind = world.house, _a_kind(world)
        house.wait("there is one to be killed", house.within, lambda: bool(house.children(kind)))
        kill_up.FAULTS[name](house, kind)
        return True, True

    return fault


KILLS: dict[Callable[[World], Outcome], int] = {
    child: 30,
    main: 24,
    child_while_it_folds: 16,
    main_while_it_folds: 10,
    main_in_the_last_fold: 2,
    child_in_the_last_fold: 2,
    _of_up("kill_main_of_a_stopped_child"): 3,
    _of_up("kill_up"): 3,
    _of_up("kill_up_and_main"): 2,
    _of_up("kill_up_and_main_of_a_stopped_child"): 2,
    _of_up("kill_everything"): 3,
}
"""The kinds of kills, with their shares."""
IN_A_DECISION: dict[Callable[[World], Outcome], int] = {
    web: 10,
    web_main: 4,
    child_while_it_folds: 2,
    main_while_it_folds: 2,
    _of_up("kill_up_and_main"): 1,
    _of_up("kill_everything"): 2,
}
"""Those that are to meet one decision, with their shares."""
FAULTS: dict[str, Callable[[World], int]] = {
    "kills": kills,
    "killed_in_the_last_fold": killed_in_the_last_fold,
    **dict.fromkeys(DECIDED, killed_in_a_decision),
}
