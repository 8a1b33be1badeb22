"""The decision to confirm a sports rank, in one transaction."""

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
from ratings.law import facts
from ratings.results.compute_rule_tables import proposals_on


@transaction.atomic
def confirm_rank(
    *, federation: Federation, player: Player, rank: str, clause: str, by: User | None, on: date
) -> Fact:
    """Confirm a rank that the rules propose for a player; `clause` is the one that gives the ground.

    Raises `Refused` where the rules know no such rank or clause, do not propose it (any more), or it is
    confirmed already: a rank once confirmed stays for ever.
    """
    ledger = lock_ledger(federation)
    ruleset = federation.ruleset
    if rank not in ruleset.journal.ranks or clause not in ruleset.clauses_of(ruleset.edition_of_day(on)):
        raise Refused(
            _("The rules have no rank “%(rank)s” under clause “%(clause)s”.")
            % {"rank": rank, "clause": clause}
        )
    named = {"player": player.shown_name, "rank": _(ruleset.words.messages.get(rank, rank)), "clause": clause}
    confirmed = Fact.objects.filter(federation=federation, kind="rank", subject=player.number)
    if any(f'"rank":"{rank}"' in line for line in confirmed.values_list("line", flat=True)):
        raise Refused(_("%(player)s: “%(rank)s” is confirmed already.") % named)
    wanted = {"player": player.number, "rank": rank, "clause": clause}
    if not any(wanted.items() <= proposal.items() for proposal in proposals_on(federation, on)):
        raise Refused(
            _(
                "%(player)s: the record gives no ground for “%(rank)s” under clause %(clause)s, or gives "
                "none any more. Open the proposals again."
            )
            % named
        )
    writer = JournalWriter(federation, ledger)
    day = writer.day(on)
    ground = f"{ruleset.slug.upper()} {clause}"
    fact = writer.write(facts.Rank(player.number, rank, day, ground))
    writer.ask_for_recompute()
    about = f"player {player.number}"
    told = {"rank": rank, "ground": ground, "fact": fact.number}
    decide(federation, kind="confirm-rank", by=by, on=day, about=about, **told)
    wake_recompute(federation)
    return fact
