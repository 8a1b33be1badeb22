"""The dump that lies on the disk: what it was drawn up from, and whether it may still be given out."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import BinaryIO

from django.conf import settings
from django.db.models import Max, Min

from players.office.models import Decision, Federation, Ledger
from ratings.public.common.disclosure_limits import limits_of

FORM = 1
"""The form of the files: a program that writes other tables or columns has another, and draws them anew."""
MANIFEST = "manifest.json"
PUBLISHED = "publish"
QUIET, LONG = timedelta(seconds=30), timedelta(minutes=10)
"""The time without a correction after which a dump is drawn, and the longest that one waits for it."""
ADDING = (
    *("take", "give-back", "hand-over", "plan-handover", "carry-out-handover", "take-list", "give-back-list"),
    *("ask", "answer", "note", "answer-hint", "leave-hints", "remind", "admit", "refuse-before-play"),
    *("put-off", "ask-before-play", "close-before-play", "answer-before-play"),
    *("ask-permission", "grant-permission", "refuse-permission", "appeal", "uphold-appeal", "dismiss-appeal"),
    *("register", "file", "read", "share", "discard", "complete", "match", "submit", "withdraw"),
    *("approve", "return", "refuse", PUBLISHED),
    *("open-case", "reply-to-case", "withdraw-case", "answer-case", "note-in-case", "close-case"),
    *("lapse-case", "delete-cases", "ask-transfer", "open-file", "open-proof", "give-data", "let-go"),
    *("receive-register", "export-register", "take-cosignature"),
    *("appoint", "let-in", "end", "set-last-day", "invite", "void-invitation"),
)
"""The kinds of decisions that take back and correct nothing of what a dump tells: they add to the record, or
are of the office's own work. After any other kind, a new one too, an older dump is given out to nobody.
"""


@dataclass(frozen=True, slots=True)
class DumpFile:
    name: str
    """The name on the disk."""
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Dump:
    """A dump with the state of the record that it was drawn up from."""

    form: int
    decision: int
    """The number of the newest decision then; 0: there was none."""
    hash: str
    """The hash of that decision: a restored office may have another decision under the number."""
    grown_until: int
    """The latest year of birth of whom it treats as an adult."""
    drawn_at: str
    files: dict[str, DumpFile]
    """By ending: `zip`, `sqlite`."""


def folder_of(office: Federation) -> Path:
    return Path(settings.DUMPS_DIR) / office.code


def newest_decision(office: Federation) -> tuple[int, str]:
    """The number and hash of the newest decision of an office; 0 and nothing: there is none."""
    newest = Decision.objects.filter(federation=office).order_by("-number")
    return newest.values_list("number", "hash").first() or (0, "")


def on_disk(office: Federation) -> Dump | None:
    """The dump that lies there, whether or not it may be given out; None: there is none of this form."""
    try:
        told = json.loads((folder_of(office) / MANIFEST).read_text(encoding="utf-8"))
        if told["form"] != FORM:
            return None
        return Dump(**{**told, "files": {end: DumpFile(**file) for end, file in told["files"].items()}})
    except (OSError, ValueError, KeyError, TypeError):
        return None


def write_manifest(folder: Path, dump: Dump) -> None:
    (folder / MANIFEST).write_text(json.dumps(asdict(dump)), encoding="utf-8")


def current_dump(office: Federation) -> Dump | None:
    """The dump that may be given out now; None: none was drawn up since something was withheld, corrected or
    taken back.
    """
    dump = on_disk(office)
    return dump if dump and _still_holds(office, dump) else None


def _still_holds(office: Federation, dump: Dump) -> bool:
    decisions = Decision.objects.filter(federation=office)
    if dump.decision and not decisions.filter(number=dump.decision, hash=dump.hash).exists():
        return False
    return not decisions.filter(number__gt=dump.decision).exclude(kind__in=ADDING).exists()


def is_computing(office: Federation) -> bool:
    return Ledger.objects.pending().filter(federation=office).exists()


def is_due(office: Federation) -> bool:
    """Whether a dump is to be drawn up: the one that lies there may not be given out any more, or a list was
    published since. Before the first list there is none, and while ratings are computed it waits.
    """
    if not office.lists.exists() or is_computing(office):
        return False
    dump = current_dump(office)
    if dump is None or dump.grown_until != limits_of(office).until:
        return True
    since = Decision.objects.filter(federation=office, number__gt=dump.decision)
    return since.filter(kind=PUBLISHED).exists()


def is_settled(office: Federation, at: datetime) -> bool:
    """Whether it is time to draw a dump that is due: nobody has corrected or published anything for a while,
    or somebody did long ago. Corrections that come one after another want one dump, not one each. A moment
    to come is of a clock that was set back since.
    """
    lying = on_disk(office)
    since = Decision.objects.filter(federation=office, number__gt=lying.decision if lying else 0)
    moments = since.exclude(kind__in=set(ADDING) - {PUBLISHED}).aggregate(first=Min("at"), last=Max("at"))
    if lying is None or moments["first"] is None:
        return True
    return not (_within(QUIET, moments["last"], at) and _within(LONG, moments["first"], at))


def _within(span: timedelta, moment: datetime, at: datetime) -> bool:
    return timedelta(0) <= at - moment < span


def open_file(office: Federation, file: DumpFile) -> BinaryIO:
    """Open a file of a dump; the caller closes it. Raises FileNotFoundError if a newer one replaced it."""
    return (folder_of(office) / file.name).open("rb")
