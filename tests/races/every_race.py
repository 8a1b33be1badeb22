"""Every race by its name, and the races that show a guard's absence."""

from __future__ import annotations

from tests.races import events, hints, people, sections, service

RACES = {race.name: race for each in (sections, hints, events, people, service) for race in each.RACES}

SHOWN_BY: dict[str, tuple[str, ...]] = {
    "saw-section": ("answer/refuse-before-play", "put-off/withdraw"),
    "saw-event": ("edit/withdraw", "edit/edit"),
    "saw-official": ("take/take",),
    "saw-case": ("close-case/close-case",),
    "saw-entry": ("correct-player/correct-player",),
    "saw-settings": ("settings/settings",),
    "version": ("approve/approve", "correct/approve", "return/refuse"),
    "one-answer": ("answer/answer",),
    "one-hint-answer": ("answer-hint/answer-hint", "answer-hint/ask"),
    "one-merge": ("merge/merge-elsewhere",),
    "one-parting": ("unmerge/unmerge",),
    "one-transfer": ("grant-transfer/refuse-transfer",),
    "one-administrator": ("invite/invite-another",),
    "queue": ("answer/answer", "invite/invite-another", "merge/merge-elsewhere"),
}
"""By the name of a guard (`tests/guards_off`)."""
SHOWN_ON_SERVERS_BY: dict[str, tuple[str, ...]] = {
    "one-account": ("invite/invite-elsewhere",),
    "one-ending": ("end/end-elsewhere",),
}
"""The same of guards between offices: on SQLite all offices wait for each other."""
