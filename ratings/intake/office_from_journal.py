"""Makes a new office from a journal: its facts, its register and its events."""

from __future__ import annotations

from datetime import date

from django.db import transaction
from django.utils.translation import gettext as _

from players.office.decision_record import Refused, decide
from players.office.models import Federation, Ledger
from players.register.models import Player
from ratings.intake.fact_rows_from_lines import Intake
from ratings.intake.write_office import write_office
from ratings.journal.models import Fact
from ratings.law import facts, journal


@transaction.atomic
def import_journal(record: journal.Journal, *, on: date) -> Federation:
    """Make a new office from a journal that was read without problems, and ask for its recompute.

    Raises `Refused` where an office of that code holds facts already.
    """
    federation = _empty_office(record.federation)
    write_office(Intake(federation, record.lines))
    ledger = Ledger.objects.select_for_update().get(federation=federation)
    ledger.facts = len(record.lines)
    ledger.wanted += 1
    ledger.save(update_fields=["facts", "wanted"])
    named = {fact.id: fact.name for _number, fact in record.lines if isinstance(fact, facts.Player)}
    decide(
        federation,
        kind="import",
        by=None,
        on=on,
        about=f"office {federation.code}",
        facts=ledger.facts,
        nameless=sorted(number for number, name in named.items() if name is None),
    )
    return federation


def _empty_office(first: facts.Federation) -> Federation:
    federation, _created = Federation.objects.get_or_create(
        code=first.code, defaults={"name": first.name, "ruleset_slug": first.ruleset}
    )
    Ledger.objects.get_or_create(federation=federation)
    held = (
        Fact.objects.filter(federation=federation).exists()
        or Player.objects.filter(federation=federation).exists()
    )
    if held or federation.ruleset_slug != first.ruleset:
        raise Refused(
            _("The office “%(code)s” is not empty. Import the journal into an empty office.")
            % {"code": first.code}
        )
    return federation
