"""Draws up what merging two entries, or parting them again, would change: asked for on a page, done by the
worker.

An outlook holds for what it was drawn from, which its mark tells: the journal, both entries, the day. Where
any of that is another by now, it is drawn up anew.
"""

from __future__ import annotations

from datetime import date, datetime, timedelta

import structlog
from django.db import transaction
from django.utils import timezone

from players.office import job_lease
from players.office.decision_record import Refused, lock_ledger
from players.office.models import Ledger
from players.office.settings_schema import today
from players.office.wake_worker import wake
from players.people.merging import refuse_parting
from players.people.particulars import particulars_digest
from players.register.models import Player
from ratings.decisions.merging import refuse_merging
from ratings.office.common.outlook_form import mark_of_record
from ratings.office.merging.models import MergeOutlook
from ratings.office.merging.outlook_content import as_kept
from ratings.preview.compare_folds import Tell
from ratings.preview.merging import MergePreview, preview_merge, preview_parting

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
    """The digest of everything that an outlook on these two depends on, as it is now."""
    pair = ((each.number, each.merged_into_id, particulars_digest(each)) for each in (player, into))
    return mark_of_record(into.federation, day, *pair)


def locked_mark_of(player: Player, into: Player, day: date) -> str:
    """Read the two entries anew and give their mark, which nobody changes until the transaction ends: the
    ledger is locked.
    """
    lock_ledger(into.federation)
    for each in (player, into):
        each.refresh_from_db()
    return mark_of(player, into, day)


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
    except Refused:  # merged, parted, or in one section, since: the page says so
        job_lease.release(job, state=State.FAILED)
    except Exception:
        log.exception("an outlook could not be drawn up", key=key, attempt=job.attempts)
        failed = job.attempts >= job_lease.MOST_ATTEMPTS
        job_lease.release(job, state=State.FAILED if failed else State.WAITING)


def _draw(job: MergeOutlook) -> None:
    player, into = job.player, job.into
    day = today(job.federation)
    mark, pulse = mark_of(player, into, day), job_lease.Pulse(job)
    found = _found(player, into, lambda done, total: pulse.beat(done=done, total=total))
    content = as_kept(found, player, into, day)
    for each in (player, into):
        each.refresh_from_db()
    if mark_of(player, into, day) != mark:  # overtaken while it was drawn
        job_lease.release(job, state=State.WAITING, attempts=0)
        wake(DRAW, job.pk)
        return
    job_lease.release(job, state=State.DRAWN, mark=mark, content=content, done=0, total=None)


def _found(player: Player, into: Player, tell: Tell) -> MergePreview:
    """Preview merging the two, or parting them where the one is merged into the other."""
    if player.merged_into_id == into.pk:
        refuse_parting(player)
        return preview_parting(player, most=MOST_FOLDED, tell=tell)
    refuse_merging(player, into)
    return preview_merge(player, into, most=MOST_FOLDED, tell=tell)


def sweep() -> None:
    """Draw up what no message announced or a dead worker left behind; delete what is asked for no more."""
    MergeOutlook.objects.filter(asked_at__lt=timezone.now() - KEPT, heartbeat=None).delete()
    for key in list(job_lease.free(WAITING).values_list("pk", flat=True)):
        draw(key)
