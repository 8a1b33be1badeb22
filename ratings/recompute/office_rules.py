"""The rules by which an office's stored results were folded, beside those of the program that runs here.

The ledger holds the hash of the former. A worker whose own rules are others writes nothing: what it would add
stood beside results of other rules, and no replay would give both.
"""

from __future__ import annotations

from players.office.models import Federation, Ledger
from ratings.proof.program.rules_hash import rules_hash


class OtherRules(Exception):
    """Raised where this program's rules are not those of the office's stored results; the message says so."""


def own_rules(federation: Federation) -> str:
    """The hash of a federation's rules as this process runs them; worked out once in a process."""
    return rules_hash(federation.ruleset_slug)


def are_in_force(federation: Federation, ledger: Ledger) -> bool:
    """Whether this program's rules are those of the office's stored results, and no others are to replace
    them; before the first fold any are.
    """
    own = own_rules(federation)
    if not ledger.line:
        return True
    return ledger.rules == own and ledger.agreed_rules in ("", own)


def refuse_others(federation: Federation, ledger: Ledger) -> None:
    """Raise `OtherRules` unless this program's rules are in force."""
    if not are_in_force(federation, ledger):
        raise OtherRules(
            f"{federation.code}: the stored ratings were worked out by other rules than this program's. See "
            f"what would move: manage.py recompute {federation.code} --all --preview"
        )
