"""A play-off for the season's first place, recorded."""

from __future__ import annotations

from datetime import date

from django.db import transaction
from django.utils.translation import gettext as _

from players.office.decision_record import Refused, decide, lock_ledger
from players.office.models import Federation, User
from players.office.wake_worker import wake_recompute
from players.register.models import Player
from ratings.journal.append import JournalWriter
from ratings.journal.models import Fact
from ratings.law import facts, journal
from ratings.results.compute_rule_tables import ties_on


@transaction.atomic
def record_playoff(*, federation: Federation, season: str, winner: Player, by: User | None, on: date) -> Fact:
    """Record who won the play-off of a shared first place in a season; of several records the last holds.

    Raises `Refused` where the season's table shows no such tie, the winner is not in it, or that winner is
    recorded already.
    """
    ledger = lock_ledger(federation)
    table = ties_on(federation, on).get(season)
    if table is None:
        raise Refused(
            _("Nobody shares first place in season %(season)s, so there is no play-off to record.")
            % {"season": season}
        )
    if winner.number not in table.tied:
        raise Refused(
            _("%(player)s does not share first place in season %(season)s. Choose a player who does.")
            % {"player": winner.shown_name, "season": season}
        )
    if _stands_recorded(federation, season, winner):
        raise Refused(_("%(player)s is recorded as the winner already.") % {"player": winner.shown_name})
    writer = JournalWriter(federation, ledger)
    day = writer.day(on)
    fact = writer.write(facts.Playoff(season, winner.number, day))
    writer.ask_for_recompute()
    about = f"season {season}"
    told = {"winner": winner.number, "fact": fact.number}
    decide(federation, kind="record-playoff", by=by, on=day, about=about, **told)
    wake_recompute(federation)
    return fact


def _stands_recorded(federation: Federation, season: str, winner: Player) -> bool:
    """Whether the newest play-off recorded for that season names this winner."""
    lines = Fact.objects.filter(federation=federation, kind="playoff").order_by("-number")
    for line in lines.values_list("line", flat=True):
        fact = journal.parse_line(line, federation.ruleset)
        if isinstance(fact, facts.Playoff) and fact.season == season:
            return fact.winner == winner.number
    return False
