"""Worker and beat note that they go on, by their own loops: a thread beside them would not see one hang."""

from __future__ import annotations

import time
from typing import Any

from celery import bootsteps
from celery.beat import Scheduler

from federation_site.deployment.liveness import EVERY_SECONDS, is_watched, note


class NotedWorker(bootsteps.StartStopStep):
    """A step of a worker's start: from then on its timer notes every few seconds that the loop goes round."""

    requires = ("celery.worker.components:Timer",)

    def start(self, worker: Any) -> None:
        """Begin to note, if anybody watches."""
        if is_watched():
            worker.timer.call_repeatedly(EVERY_SECONDS, note)


class NotedScheduler(Scheduler):
    """Celery's schedule in memory (a kill cannot leave a broken file behind), noted at each look at it."""

    looked = 0.0
    """The time of the last look, by the machine's clock."""

    def tick(self, *args: Any, **kwargs: Any) -> Any:
        """Send what is due, and say in how many seconds to look again."""
        if is_watched():
            note()
        now = time.time()
        if now < self.looked:
            self.forget_what_lies_ahead()
        self.looked = now
        return super().tick(*args, **kwargs)

    def forget_what_lies_ahead(self) -> None:
        """Reckon all times anew, once the clock was set back: else nothing is sent until it has caught up."""
        for entry in self.schedule.values():
            now = entry.default_now()
            entry.last_run_at = min(entry.last_run_at or now, now)
        self._heap = None
