"""Figures of each office, for operators: its rules, its work that waits, its verification, its files."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from federation_site.operators.watched import WatchedFigure, WatchedTopic, lasting
from federation_site.watch.models import SignOfLife
from federation_site.watch.readiness_checks import WORK_LATE, waiting_since
from federation_site.watch.signs_of_life import VERIFY
from players.importing.models import WORKING, RegisterImport
from players.office.models import Federation, Ledger
from players.office.settings_schema import today
from players.office.stored_bytes import use_of_office
from ratings.recompute.models import RulesVersion
from ratings.recompute.office_rules import own_rules
from tournaments.events.file_models import Archive, Upload


def offices(now: datetime) -> list[WatchedTopic]:
    """Every office with its figures, by name; all have the same figures, in the same order."""
    sign = SignOfLife.objects.filter(name=VERIFY).first()
    ledgers = Ledger.objects.select_related("federation").order_by("federation__name")
    return [WatchedTopic(each.federation.name, figures_of(each, sign, now)) for each in ledgers]


def figures_of(ledger: Ledger, sign: SignOfLife | None, now: datetime) -> list[WatchedFigure]:
    office = ledger.federation
    return [
        rules(office),
        WatchedFigure(_("Lines, decisions"), f"{ledger.facts}, {ledger.decisions}"),
        ratings(ledger, now),
        waiting_files(office, now),
        unreadable(office),
        verification(office, sign),
        kept(office),
    ]


def rules(office: Federation) -> WatchedFigure:
    """The ruleset, the edition in force on the office's day, and whether new rules wait for its word."""
    try:
        edition = office.ruleset.edition_on(today(office)).name
    except LookupError:
        edition = _("none in force yet")
    mend = _("New rules wait for the office's word, on its desk: docs/amendments.md, “Step by step”.")
    waits = RulesVersion.objects.waiting_in(office, own_rules(office)) is not None
    return WatchedFigure(_("Rules"), f"{office.ruleset_slug}: {edition}", mend if waits else "")


def ratings(ledger: Ledger, now: datetime) -> WatchedFigure:
    """Decisions that wait for their ratings, why the last recompute failed, and whether a restore waits."""
    label, since = _("Ratings"), waiting_since(ledger) if ledger.pending else None
    if ledger.held:
        mend = _("Say what was signed since, or nothing can be decided: docs/backup.md, “One history”.")
        return WatchedFigure(label, _("restored, and waiting for your word"), mend)
    if ledger.last_error:
        mend = _(
            "%(error)s — see the office's desk: it names the section; un-rating it sets the office free."
        )
        value = _("%(tries)d attempts failed") % {"tries": ledger.attempts}
        return WatchedFigure(label, value, mend % {"error": ledger.last_error.splitlines()[-1]})
    if since is None:
        return WatchedFigure(label, _("up to date"))
    return _waiting(label, _("decided, not computed yet"), since, now)


def waiting_files(office: Federation, now: datetime) -> WatchedFigure:
    """Event files, archives and tables of the register that wait to be read."""
    working = (Archive.State.WAITING, Archive.State.READING)
    waiting: list[datetime] = [
        at
        for rows in (
            Upload.objects.waiting().filter(federation=office),
            Archive.objects.filter(federation=office, state__in=working),
            RegisterImport.objects.filter(federation=office, state__in=WORKING),
        )
        for at in rows.values_list("at", flat=True)
    ]
    label = _("Files and tables")
    if not waiting:
        return WatchedFigure(label, _("none waits"))
    return _waiting(label, ngettext("%d file", "%d files", len(waiting)) % len(waiting), min(waiting), now)


def unreadable(office: Federation) -> WatchedFigure:
    """Files that ended their reader twice: a fault of the program, if the file is whole."""
    count = Upload.objects.filter(federation=office, state=Upload.State.UNREADABLE).count()
    return WatchedFigure(_("Files that could not be read"), str(count))


def verification(office: Federation, sign: SignOfLife | None) -> WatchedFigure:
    """The result of the last night's verification, for this office."""
    label = _("Verification")
    found: Any = sign.details.get(office.code) if sign else None
    if found is None:
        return WatchedFigure(label, _("not yet"))
    if not found:
        return WatchedFigure(label, _("no differences"))
    value = ngettext("%d difference", "%d differences", found) % found
    mend = _(
        "What is stored is not what the journal gives. Publish nothing; keep a copy of the database, run "
        "“manage.py verify %(code)s”, and read docs/operations.md."
    )
    return WatchedFigure(label, value, mend % {"code": office.code})


def kept(office: Federation) -> WatchedFigure:
    """The bytes of the office's files, late where nine tenths of what it may keep are in use."""
    use = use_of_office(office)
    mend = _("Soon no file can be uploaded: an administrator of the office can raise the limit.")
    return WatchedFigure(_("Files kept"), str(use), mend if use.used > 0.9 * use.most else "")


def _waiting(label: str, what: str, since: datetime, now: datetime) -> WatchedFigure:
    seconds = (now - since).total_seconds()
    value = _("%(what)s, waiting for %(time)s") % {"what": what, "time": lasting(seconds)}
    late = seconds > WORK_LATE
    return WatchedFigure(label, value, _("See that a worker runs, and its log.") if late else "")
