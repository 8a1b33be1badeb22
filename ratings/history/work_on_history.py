"""The worker's part: reading, checking and writing a history. The row is the job, and a message only wakes.

Before anything is written the check is made once more, with no lock held; only if it gives what was
confirmed, and nobody decided anything since, does the one transaction begin. Killed anywhere, nothing is
half-written: readings are kept file by file, and the next worker goes on.
"""

from __future__ import annotations

from datetime import date
from typing import Any

import structlog
from django.db.models import Case, CharField, Value, When

from players.office import job_lease
from players.office.decision_record import Refused
from players.office.models import Federation, Ledger
from players.office.settings_schema import today
from ratings.history.draw_up_lines import DrawnUp, draw_up
from ratings.history.dry_run import dry_run
from ratings.history.held_against_journal import FORBID
from ratings.history.write_history import write_history
from ratings.law.interpreter_costs import uncollected
from tournaments.box.run_box import BoxDied
from tournaments.history import who_is_who
from tournaments.history.models import WORKING, History, State
from tournaments.history.plan import plan_history
from tournaments.history.questions import by_cause, stand_in_the_way
from tournaments.history.read_files import NotUnpacked, read_history, reason_of

log = structlog.get_logger("ratings.history")
BEFORE = {State.READING: State.WAITING, State.CHECKING: State.ASKED, State.WRITING: State.CONFIRMED}
GIVEN_UP = {
    State.READING: State.REFUSED,
    State.CHECKING: State.REFUSED,
    State.WRITING: State.CHECKED,
}
CRASHED = "history-crash"
MOST_ROUNDS = 5
"""The number of times a check is made anew before the writing, where somebody decided something since."""
MOST_ASKED = 5_000
"""The questions that are kept to be downloaded and answered; a check after them finds the rest."""
STARTED = Case(
    *(When(state__in=(before, state), then=Value(state)) for state, before in BEFORE.items()),
    output_field=CharField(),
)
JOBS = (
    History.objects.filter(state__in=WORKING)
    .exclude(federation__in=Federation.objects.filter(ledger__held=True))
    .defer(*History.byte_columns)
    .select_related("federation")
)


def run(key: int) -> None:
    """Do the work that a history waits for, if nobody else does: read, then check; or write."""
    while job := claim(key):
        try:
            STEPS[State(job.state)](job)
        except NotUnpacked as refused:
            job_lease.release(job, state=State.REFUSED, reason=refused.reason, progress=100)
        except Refused as refused:
            _refuse(job, str(refused))
        except BoxDied as died:
            log.warning("the box died", history=job.pk, attempt=job.attempts, reason=died.reason)
            _fail(job, died.reason)
        except job_lease.DATABASE_TROUBLE:  # the sweep comes back for the job
            job_lease.give_back(job, state=BEFORE[State(job.state)])
            return
        except Exception:
            log.exception("a history could not be worked on", history=job.pk, attempt=job.attempts)
            _fail(job, CRASHED)


def sweep() -> None:
    """Do the work of histories that no message announced or a dead worker left behind."""
    for key in job_lease.free(JOBS).values_list("pk", flat=True):
        run(key)


def claim(key: int) -> History | None:
    """Lease a history to this worker. None where it needs no work, another worker has it, or it is given up
    here because too many workers died at it.
    """
    job = job_lease.claim(JOBS, key, state=STARTED)
    if job is not None and job.attempts > job_lease.MOST_ATTEMPTS:
        _give_up(job, CRASHED)
        return None
    return job


def _fail(job: History, reason: str) -> None:
    """Have a step tried once more after a failure, or give it up for `reason` after the last attempt."""
    if job.attempts >= job_lease.MOST_ATTEMPTS:
        _give_up(job, reason)
    else:
        job_lease.release(job, state=BEFORE[State(job.state)])


def _give_up(job: History, reason: str) -> None:
    state = GIVEN_UP[State(job.state)]
    job_lease.release(job, state=state, reason=reason_of(reason), progress=100)


def _refuse(job: History, words: str) -> None:
    job_lease.release(job, state=GIVEN_UP[State(job.state)], reason=words, progress=100)


def _read(job: History) -> None:
    read_history(job)
    # The archive's bytes are its files' now.
    job_lease.release(job, state=State.ASKED, attempts=0, content=None, progress=95)


def _check(job: History) -> None:
    day = today(job.federation)
    drawn = drawn_up(job, day)
    found = outcome_of(drawn, day)
    _checked(job, drawn, found, attempts=0, reason="")


def _checked(job: History, drawn: DrawnUp, outcome: dict[str, Any], **further: Any) -> None:
    """Store a check's result, to be looked at by a person."""
    told = {"outcome": outcome, "digest": drawn.digest, "who_is_who": who_is_who.write(drawn.plan)}
    job_lease.release(job, state=State.CHECKED, progress=100, **told, **further)


def drawn_up(job: History, on: date) -> DrawnUp:
    """Plan a history and draw up its lines."""
    with uncollected():
        plan = plan_history(job, on)
        job_lease.beat(job)
        return draw_up(plan, on)


def outcome_of(drawn: DrawnUp, on: date) -> dict[str, Any]:
    """The result of a check as it is kept: counts, causes, and the ratings of the dry run."""
    plan, questions = drawn.plan, drawn.everything
    counts = {
        "files": plan.files,
        "sections": len(plan.sections),
        "entries": sum(len(each.entries) for each in plan.sections),
        "games": sum(len(each.games) for each in plan.sections),
        "people": len(plan.people),
        "new": sum(person.player is None for person in plan.people),
        "lines": len(drawn.lines),
    }
    open_ = stand_in_the_way(questions) or not plan.sections
    ratings = {} if any(each.key in FORBID for each in questions) else _ratings(drawn, on)
    names = set(plan.history.files.values_list("name", flat=True))
    causes = [cause.as_dict() for cause in by_cause(questions, names)]
    asked = [
        [each.key, each.subject, each.where, each.proposed] for each in questions if each.level == "asks"
    ]
    return {"counts": counts, "open": open_, "causes": causes, "asked": asked[:MOST_ASKED], **ratings}


def _ratings(drawn: DrawnUp, on: date) -> dict[str, Any]:
    with uncollected():
        return dry_run(drawn, on).as_dict(drawn) if drawn.plan.sections else {}


def _write(job: History) -> None:
    """Write what was confirmed, if a new check gives the same; else store the new one, to be confirmed."""
    day = job.confirmed_on or today(job.federation)
    for _round in range(MOST_ROUNDS):
        seen = Ledger.objects.values_list("decisions", flat=True).get(federation=job.federation)
        drawn = drawn_up(job, day)
        if drawn.digest != job.digest or stand_in_the_way(drawn.everything):
            _checked(job, drawn, outcome_of(drawn, day), stale=True)
            return
        if write_history(job, drawn, by=job.confirmed_by, on=day, decisions=seen):
            return
        if not job_lease.mine(job).exists():
            return
    _fail(job, CRASHED)


STEPS = {State.READING: _read, State.CHECKING: _check, State.WRITING: _write}
