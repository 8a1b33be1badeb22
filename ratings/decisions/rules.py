"""The decision to apply this program's rules to everything stored, where published ratings would move."""

from __future__ import annotations

from datetime import date

from django.db import transaction
from django.utils.translation import gettext as _

from players.office.decision_record import Refused, decide, lock_ledger
from players.office.models import Decision, Federation, Ledger, User
from players.office.wake_worker import wake_recompute
from ratings.recompute.models import RulesVersion
from ratings.recompute.office_rules import own_rules
from ratings.recompute.rules_change.effects import RulesEffects
from ratings.recompute.rules_change.published_seal import KIND, seal_published


@transaction.atomic
def apply_rules(*, federation: Federation, by: User | None, on: date, rules: str) -> Decision:
    """Have everything folded anew by the rules with that hash: the worker that has them does it.

    No line is written: the journal says what was approved, not by which program it was worked out. The record
    keeps how much moves, and a seal over the lists and errata that stay as they are. Raises `Refused` where
    the rules were not compared with what is stored now, or are not those of this program.
    """
    ledger = lock_ledger(federation)
    version = RulesVersion.objects.filter(federation=federation, rules=rules).first()
    compared = version is not None and version.compared_at is not None and version.line == ledger.line
    if version is None or not compared or rules != own_rules(federation):
        raise Refused(_("These rules were not compared with what is stored now. Load the page again."))
    if ledger.agreed_rules == rules:
        raise Refused(_("That was decided already; the worker is at it."))
    decision = decide(
        federation,
        kind=KIND,
        by=by,
        on=on,
        about=f"rules {rules[:8]}",
        rules=rules,
        former_rules=ledger.rules,
        program=version.program,
        line=ledger.line,
        published=seal_published(federation, ledger.line).sha256,
        **RulesEffects.of_json(version.effects).counts,
    )
    RulesVersion.objects.filter(pk=version.pk).update(decision=decision)
    Ledger.objects.filter(pk=ledger.pk).update(
        agreed_rules=rules, wanted=ledger.wanted + 1, not_before=None, last_error=""
    )
    wake_recompute(federation)
    return decision
