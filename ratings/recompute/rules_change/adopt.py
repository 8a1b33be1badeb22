"""Takes up the rules of this program where an office's stored results are of others.

What is stored is compared with a replay. Where it is the same, the rules are in force from then on, and
nobody need say anything; where it would only be stored in other words, it is. Where anything published would
be otherwise, the office is asked, and until it has said so nothing is folded: lines that are decided
meanwhile wait.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import structlog
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from players.office import job_lease
from players.office.decision_record import Refused
from players.office.models import Federation, Ledger
from ratings.law.interpreter_costs import uncollected
from ratings.proof.program import current
from ratings.recompute.models import RulesVersion
from ratings.recompute.office_rules import are_in_force, own_rules
from ratings.recompute.rules_change.compare import compare
from ratings.recompute.rules_change.effects import RulesEffects
from ratings.recompute.rules_change.refold import refold
from ratings.recompute.run_recompute import OnFact, Progress, note_failure, waits

log = structlog.get_logger("ratings.recompute.rules_change")


def take_up(federation: Federation, on_fact: OnFact | None = None) -> bool:
    """Bring this program's rules into force where that needs nobody's word, or somebody gave it; return
    whether they are in force.

    Two queries where they are already. Raises what a replay by the rules raises; the ledger says so.
    """
    ledger = Ledger.objects.get(federation=federation)
    if are_in_force(federation, ledger) and not ledger.agreed_rules:
        return True
    if not _is_due(federation, ledger):
        return False
    leased = job_lease.claim(Ledger.objects.filter(federation=federation), ledger.pk, queue=True)
    if leased is None:
        return False
    began = timezone.now()
    try:
        with uncollected():
            return _settle(federation, leased, on_fact)
    except job_lease.DATABASE_TROUBLE:
        job_lease.give_back(leased, folded=0, to_fold=0)
        raise
    except Exception as failure:
        note_failure(leased, failure, began)
        raise


def _is_due(federation: Federation, ledger: Ledger) -> bool:
    """Whether there is anything to do: the word was given, or nothing was compared yet."""
    own = own_rules(federation)
    if waits(ledger, timezone.now()):
        return False  # they failed at some fact a moment ago
    if ledger.agreed_rules == own:
        return True
    if ledger.rules == own:
        return False  # others are to replace them, and another program has them
    known = RulesVersion.objects.filter(federation=federation, rules=own).first()
    if known is not None and known.left_at is not None:
        log.warning(
            "the rules of this program were left for others", office=federation.code, at=known.left_at
        )
        return False
    return known is None or not known.moves or known.line != ledger.line


def _settle(federation: Federation, ledger: Ledger, on_fact: OnFact | None) -> bool:
    """Compare, or fold anew; the caller has the lease on `ledger`, and this releases it."""
    if ledger.agreed_rules == own_rules(federation):
        if _word_holds(federation, ledger):
            return _fold_anew(federation, ledger, on_fact)
        Ledger.objects.filter(pk=ledger.pk).update(agreed_rules="")
    effects = note_comparison(federation, ledger, on_fact)
    if effects.moves:
        words = "the office is asked whether the rules of this program are to be applied"
        log.warning(words, office=federation.code, **effects.counts)
        job_lease.release(ledger, attempts=0, folded=0, to_fold=0)
        return False
    if effects.texts:
        return _fold_anew(federation, ledger, on_fact)
    return _adopt(federation, ledger)


def _word_holds(federation: Federation, ledger: Ledger) -> bool:
    """Whether the office's word was given on what is stored now, and no other program has folded since."""
    known = RulesVersion.objects.filter(federation=federation, rules=ledger.agreed_rules).first()
    return known is None or known.line == ledger.line


def note_comparison(federation: Federation, ledger: Ledger, on_fact: OnFact | None = None) -> RulesEffects:
    """Compare what is stored with a replay by this program's rules, and keep what would move for pages."""
    progress = Progress(ledger, 0, on_fact)
    effects = compare(federation, ledger.line, progress.tell)
    RulesVersion.objects.update_or_create(
        federation=federation,
        rules=own_rules(federation),
        defaults={
            "program": current().version,
            "compared_at": timezone.now(),
            "line": ledger.line,
            "moves": effects.moves,
            "effects": effects.as_json(),
            "decision": None,
        },
    )
    return effects


def compare_now(federation: Federation) -> RulesEffects:
    """Compare for somebody who wants these rules applied anyway; `Refused` while a worker is busy."""
    rows = Ledger.objects.filter(federation=federation)
    leased = job_lease.claim(rows, rows.get().pk, queue=True)
    if leased is None:
        raise Refused(_("A worker is computing this office’s ratings. Try again in a moment."))
    try:
        with uncollected():
            return note_comparison(federation, leased)
    finally:
        job_lease.release(leased, attempts=0, folded=0, to_fold=0)


@transaction.atomic
def _adopt(federation: Federation, ledger: Ledger) -> bool:
    """Bring the rules into force without folding anything: what they give is what is stored."""
    if not job_lease.hold(ledger):
        return False
    same = Ledger.objects.filter(pk=ledger.pk, rules=ledger.rules, line=ledger.line)
    if not same.update(rules=own_rules(federation), agreed_rules=""):
        return False
    _begin(federation, ledger.rules)
    job_lease.release(ledger, attempts=0, not_before=None, last_error="", folded=0, to_fold=0)
    log.info("the rules of this program give what is stored", office=federation.code)
    return True


@transaction.atomic
def _fold_anew(federation: Federation, ledger: Ledger, on_fact: OnFact | None) -> bool:
    """Fold everything by the rules, and bring them into force in the same transaction."""
    if not job_lease.hold(ledger):
        return False
    before = ledger.rules
    ledger.refresh_from_db()
    Ledger.objects.filter(pk=ledger.pk).update(wanted=ledger.wanted + 1)  # pages go by it
    ledger.wanted += 1
    refold(federation, ledger, on_fact)
    _begin(federation, before)
    log.info("everything was folded anew by the rules of this program", office=federation.code)
    return True


def _begin(federation: Federation, before: str) -> None:
    """Note since when this program's rules are in force, and until when those `before` were."""
    now, own = timezone.now(), own_rules(federation)
    versions = RulesVersion.objects.filter(federation=federation)
    if before and before != own:
        versions.update_or_create(rules=before, federation=federation, defaults={"left_at": now})
    told: Mapping[str, Any] = {"in_force_at": now, "left_at": None, "program": current().version}
    versions.update_or_create(rules=own, federation=federation, defaults=told)
    versions.filter(in_force_at=None, left_at=None).delete()
