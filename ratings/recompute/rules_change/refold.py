"""Folds an office's whole journal anew by this program's rules, in one transaction.

Readers see what was stored before until it commits; decisions of this office wait for it, on SQLite those of
all. Published lists and errata stay as they are: they are facts of their day.
"""

from __future__ import annotations

from django.db import transaction

from players.office.models import Federation, Ledger
from ratings.journal.append import put_in_order
from ratings.journal.models import Fact
from ratings.journal.read_facts import aliases_at, folded_fact
from ratings.recompute.office_rules import own_rules
from ratings.recompute.run_recompute import OnFact, Progress, finish, take_step
from ratings.recompute.steps import steps
from ratings.results.models import Change, PastChange, PastWide, Standing, Wide

_AT_ONCE = 500


@transaction.atomic
def refold(federation: Federation, ledger: Ledger, on_fact: OnFact | None = None) -> None:
    """Fold all lines anew, those too that wait. The caller has the lease on `ledger` and holds its row."""
    published = ledger.line
    _clear(federation)
    _put_in_order(federation)
    ledger.line = 0
    Ledger.objects.filter(pk=ledger.pk).update(line=0)
    of_office = Fact.objects.filter(federation=federation, number__lte=ledger.facts)
    progress = Progress(ledger, of_office.in_force().count(), on_fact)
    for step in steps(federation, ledger):
        step.published = published
        progress.expect(len(step.rows) - step.new)
        if not take_step(step, federation, ledger, progress):
            raise RuntimeError(f"{federation.code}: the ledger moved while its row was held")
        ledger.line = step.line
    finish(ledger, rules=own_rules(federation), agreed_rules="")


def _clear(federation: Federation) -> None:
    """Delete all results of the fold, present and past; the journal's rows count as not folded."""
    for results in (Change, PastChange):
        results._default_manager.filter(fact__federation=federation).delete()
    for kept in (Standing, Wide, PastWide):
        kept._default_manager.filter(federation=federation).delete()
    Fact.objects.filter(federation=federation).exclude(folded="").update(folded="")


def _put_in_order(federation: Federation) -> None:
    """Give each line the place and fingerprint that it would have, had these rules taken it in: by the merges
    above it.
    """
    lines = Fact.objects.filter(federation=federation).order_by("number")
    renames = set(lines.filter(kind__in=("merged", "parted")).values_list("number", flat=True))
    folds = federation.ruleset.journal.folds
    names, changed = aliases_at(federation, 0), []
    for row in lines.select_related("takes", "first_rated").iterator(chunk_size=_AT_ONCE):
        row.federation = federation
        if row.number in renames:
            names = aliases_at(federation, row.number)
        before = row.order, row.fingerprint
        row.order, row.fingerprint = None, ""
        if row.kind in folds:
            put_in_order(row, folded_fact(row, names))
        if (row.order, row.fingerprint) != before:
            changed.append(row)
    Fact.objects.bulk_update(changed, ["order", "fingerprint"], batch_size=_AT_ONCE)
