"""Draws up what merging two entries would change, beside the page: asked for there, done by the worker.

An outlook holds for what it was drawn from, which its mark tells: the journal, both entries, the day. Where
any of that is another by now, it is drawn up anew.
"""

from __future__ import annotations

import hashlib
from datetime import date, datetime, timedelta

import structlog
from django.db import transaction
from django.utils import timezone

from players.office import job_lease
from players.office.decision_record import Refused
from players.office.models import Ledger
from players.office.settings_schema import today
from players.office.wake_worker import wake
from players.people.particulars import particulars_digest
from players.register.models import Player
from ratings.decisions.merging import refuse_merging
from ratings.office.merging.models import MergeOutlook
from ratings.office.merging.outlook_content import as_kept
from ratings.preview.merging import preview_merge

log = structlog.get_logger("ratings.office.merging")
DRAW = "ratings.tasks.merge_outlook"
MOST_FOLDED = 5_000
"""The most rated sections that an outlook folds; the rest is counted. A page could wait for far fewer."""
KEPT = timedelta(days=1)
"""The time after which an outlook that nobody asked for again is deleted."""
State = MergeOutlook.State
WAITING = MergeOutlook.objects.filter(state__in=(State.WAITING, State.DRAWING)).select_related(
    "player__federation", "into__federation", "federation"
)


def mark_of(player: Player, into: Player, day: date) -> str:
    """The digest of everything that an outlook on merging these two depends on, as it is now."""
    ledger = Ledger.objects.get(federation=into.federation_id)
    parts = [ledger.facts, ledger.done, ledger.wanted, ledger.rules, day.isoformat()]
    for each in (player, into):
        parts += [each.number, each.merged_into_id, particulars_digest(each)]
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def outlook_of(player: Player, into: Player) -> MergeOutlook | None:
    """The outlook that was asked for, in whatever state."""
    return MergeOutlook.objects.filter(player=player, into=into).first()


def is_current(outlook: MergeOutlook | None, mark: str) -> bool:
    """Whether an outlook is drawn, and from what there is now."""
    return outlook is not None and outlook.state == State.DRAWN and outlook.mark == mark


@transaction.atomic
def ask_for_outlook(*, player: Player, into: Player, at: datetime, mark: str) -> MergeOutlook:
    """Have the worker draw up an outlook, unless it is at it or what it drew still holds (`mark`)."""
    outlook, _new = MergeOutlook.objects.get_or_create(
        player=player, into=into, defaults={"federation": into.federation, "asked_at": at}
    )
    again = not outlook.working and not is_current(outlook, mark)
    rows = MergeOutlook.objects.filter(pk=outlook.pk, state=outlook.state)
    if again:
        rows.update(state=State.WAITING, attempts=0, done=0, total=None, content={}, asked_at=at)
    else:
        rows.update(asked_at=at)
    wake(DRAW, outlook.pk)
    outlook.refresh_from_db()
    return outlook


def draw(key: int) -> None:
    """Draw up an outlook, if nobody else does and no recompute is pending; the sweep comes back for it."""
    job = WAITING.filter(pk=key).first()
    if job is None or Ledger.objects.pending().filter(federation=job.federation_id).exists():
        return
    job = job_lease.claim(WAITING, key, state=State.DRAWING, done=0, total=None)
    if job is None:
        return
    if job.attempts > job_lease.MOST_ATTEMPTS:
        job_lease.release(job, state=State.FAILED)
        return
    try:
        _draw(job)
    except job_lease.DATABASE_TROUBLE:
        job_lease.give_back(job, state=State.WAITING)
    except Refused:  # merged, or in one section, since: the page says so
        job_lease.release(job, state=State.FAILED)
    except Exception:
        log.exception("an outlook could not be drawn up", key=key, attempt=job.attempts)
        failed = job.attempts >= job_lease.MOST_ATTEMPTS
        job_lease.release(job, state=State.FAILED if failed else State.WAITING)


def _draw(job: MergeOutlook) -> None:
    player, into = job.player, job.into
    refuse_merging(player, into)
    day = today(job.federation)
    mark, pulse = mark_of(player, into, day), job_lease.Pulse(job)
    found = preview_merge(
        player, into, most=MOST_FOLDED, tell=lambda done, total: pulse.beat(done=done, total=total)
    )
    content = as_kept(found, player, into, day)
    for each in (player, into):
        each.refresh_from_db()
    if mark_of(player, into, day) != mark:  # overtaken while it was drawn
        job_lease.release(job, state=State.WAITING, attempts=0)
        wake(DRAW, job.pk)
        return
    job_lease.release(job, state=State.DRAWN, mark=mark, content=content, done=0, total=None)


def sweep() -> None:
    """Draw up what no message announced or a dead worker left behind; delete what is asked for no more."""
    MergeOutlook.objects.filter(asked_at__lt=timezone.now() - KEPT, heartbeat=None).delete()
    for key in list(job_lease.free(WAITING).values_list("pk", flat=True)):
        draw(key)
