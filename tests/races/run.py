"""Runs pairs of a race on an office of their own, and looks at what came of each."""

from __future__ import annotations

import json
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from tests.races.pairs import Deed, Order, Pair, Race
from tests.races.scene import Scene
from tests.races.visitor import Answer
from tests.races.worked_out import until_worked_out

APART = 0.012
"""Seconds by which one of the two may come later, drawn by lot: of each three pairs one comes together."""


@dataclass
class Figures:
    """What came of the pairs of one race."""

    race: str
    database: str
    seed: int
    off: str
    pairs: int = 0
    as_may_be: int = 0
    """Pairs of which that was done, and nothing else, which may be done of both."""
    first_won: int = 0
    second_won: int = 0
    both_in_order: int = 0
    doubles: int = 0
    """Pairs of which both were done though one shuts the other out."""
    nothing_done: int = 0
    wrong: int = 0
    """Pairs after which something else is wrong: what is stored, or what somebody was told."""
    refusals: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    def line(self) -> str:
        told = {key: value for key, value in self.__dict__.items() if key not in ("refusals", "faults")}
        return json.dumps(told)

    @property
    def well(self) -> bool:
        return self.as_may_be == self.pairs


def run(race: Race, scene: Scene, figures: Figures, pairs: int) -> None:
    """Send pairs of a race, each once both people stand ready, and judge each."""
    scene.set(dict(race.settings))
    with ThreadPoolExecutor(2) as threads:
        for number in range(pairs):
            pair = race.prepare(scene, number)
            before = _last_decision()
            answers = send(scene, pair, threads)
            judge(figures, pair, answers, recorded(before, scene))


def send(scene: Scene, pair: Pair, threads: ThreadPoolExecutor) -> list[Answer]:
    together = threading.Barrier(2)
    later = [0.0, 0.0]
    late = scene.rng.randrange(3)
    if late < 2:
        later[late] = scene.rng.uniform(0, APART)
    sent = []
    for deed, wait in zip(pair.deeds, later, strict=True):
        visitor = scene.visitor(deed.who)
        form = visitor.form(deed.path, {name: str(value) for name, value in deed.fields.items()})
        sent.append(threads.submit(visitor.send, form, together, wait))
    return [each.result() for each in sent]


Recorded = list[tuple[str, str]]
"""Who decided and what, in the order of the record."""


def recorded(before: int, scene: Scene) -> Recorded:
    from players.models import Decision

    names = {user.pk: name for name, user in scene.users.items()}
    rows = Decision.objects.filter(pk__gt=before, by__in=names).order_by("federation", "number")
    return [(names[by], kind) for by, kind in rows.values_list("by", "kind")]


def _last_decision() -> int:
    from players.models import Decision

    return Decision.objects.order_by("-pk").values_list("pk", flat=True).first() or 0


def judge(figures: Figures, pair: Pair, answers: list[Answer], found: Recorded) -> None:
    """Count a pair: by what the record has, what both were told, and what is stored."""
    figures.pairs += 1
    done = done_in_order(pair, found)
    told = {place for place, answer in enumerate(answers) if answer.done}
    for place, answer in enumerate(answers):
        if place not in told:
            figures.refusals[answer.words()] += 1
    wrong = [] if done is None else problems(pair, answers, done, told)
    figures.nothing_done += done == ()
    figures.doubles += done is not None and len(done) == 2 and done not in pair.may
    if done is None:
        wrong.append(f"the record has {found}")
    elif done not in pair.may:
        wrong.append(f"done were {[pair.deeds[place].records for place in done]}")
    else:
        figures.both_in_order += len(done) == 2
        figures.first_won += done == (0,)
        figures.second_won += done == (1,)
        figures.wrong += bool(wrong)
    figures.wrong += done is None
    figures.as_may_be += not wrong
    if wrong:
        figures.faults.append("; ".join([*wrong, *(answer.words()[:300] for answer in answers)]))


def done_in_order(pair: Pair, found: Recorded) -> Order | None:
    """The deeds whose decisions the record has, whole and one after the other; None if it has others."""
    orders: list[Order] = [(), (0,), (1,), (0, 1), (1, 0)]
    for order in orders:
        if [row for place in order for row in _rows(pair.deeds[place])] == found:
            return order
    return None


def _rows(deed: Deed) -> Recorded:
    return [(deed.who, kind) for kind in deed.records]


def problems(pair: Pair, answers: list[Answer], done: Order, told: set[int]) -> list[str]:
    """What is wrong although the record has whole decisions."""
    wrong = []
    if told != set(done):
        wrong.append(f"told that it is done: {sorted(told)}, on record: {done}")
    wrong += [
        f"{pair.deeds[place].who} does not read why: {answer.status}"
        for place, answer in enumerate(answers)
        if place not in told and not answer.kind
    ]
    if done in pair.may and (stored := pair.look(done)):
        wrong.append(stored)
    return wrong


def at_the_end(scene: Scene) -> list[str]:
    """Wait until all is worked out; return what `verify` finds otherwise, in the record's chain too."""
    from ratings.verify import verify

    if left := until_worked_out():
        return [left]
    return [str(each) for office in scene.offices.values() for each in verify(office).differences]
