"""Decisions of officials on rank and season tables: to confirm a sports rank that the rules propose, and to
record the winner of a play-off for a season's shared first place. Each is one transaction.
"""

from datetime import date

from django.db import transaction
from django.utils.translation import gettext as _

from players.jobs import wake_recompute
from players.models import Federation, Player, User
from players.record import Refused, decide, lock_ledger
from ratings.journal import JournalWriter
from ratings.models import Fact
from ratings.rule_tables import get_rank_proposals, ties_on
from ratings.rulesets import facts, journal_lines
from ratings.rulesets.facts import PlayerId


@transaction.atomic
def record_playoff(*, federation: Federation, season: str, winner: Player, by: User | None, on: date) -> Fact:
    """Record who won the play-off of a season's shared first place; of several records the last holds. Raises
    `Refused` where the season's table shows no such tie, the winner is not in it, or that winner is recorded
    already.
    """
    ledger = lock_ledger(federation)
    table = ties_on(federation, on).get(season)
    if table is None:
        words = _("Nobody shares first place in season %(season)s, so there is no play-off to record.")
        raise Refused(words % {"season": season})
    if winner.number not in table.tied:
        words = _("%(player)s does not share first place in season %(season)s. Choose a player who does.")
        raise Refused(words % {"player": winner.shown_name, "season": season})
    if _recorded_winner(federation, season) == winner.number:
        raise Refused(_("%(player)s is recorded as the winner already.") % {"player": winner.shown_name})
    writer = JournalWriter(federation, ledger)
    day = writer.day(on)
    fact = writer.write(facts.Playoff(season, winner.number, day))
    writer.ask_for_recompute()
    details = {"winner": winner.number, "fact": fact.number}
    decide(federation, kind="record-playoff", by=by, on=day, about=f"season {season}", **details)
    wake_recompute(federation)
    return fact


def _recorded_winner(federation: Federation, season: str) -> PlayerId | None:
    lines = Fact.objects.filter(federation=federation, kind="playoff").order_by("-number")
    for line in lines.values_list("line", flat=True):
        fact = journal_lines.parse_line(line, federation.ruleset)
        if isinstance(fact, facts.Playoff) and fact.season == season:
            return fact.winner
    return None


@transaction.atomic
def confirm_rank(
    *, federation: Federation, player: Player, rank: str, clause: str, by: User | None, on: date
) -> Fact:
    """Confirm a rank that the rules propose for a player; `clause` gives the ground. Raises `Refused` where
    the rules know no such rank or clause, do not propose it (any more), or it is confirmed already: a rank
    once confirmed stays for ever.
    """
    ledger = lock_ledger(federation)
    ruleset = federation.ruleset
    if rank not in ruleset.journal.ranks or clause not in ruleset.clauses_of(ruleset.edition_on_or_first(on)):
        words = _("The rules have no rank “%(rank)s” under clause “%(clause)s”.")
        raise Refused(words % {"rank": rank, "clause": clause})
    named = {"player": player.shown_name, "rank": _(ruleset.words.messages.get(rank, rank)), "clause": clause}
    confirmed = Fact.objects.filter(federation=federation, kind="rank", subject=player.number)
    if any(f'"rank":"{rank}"' in line for line in confirmed.values_list("line", flat=True)):
        raise Refused(_("%(player)s: “%(rank)s” is confirmed already.") % named)
    wanted = {"player": player.number, "rank": rank, "clause": clause}
    if not any(wanted.items() <= proposal.items() for proposal in get_rank_proposals(federation, on)):
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
    details = {"rank": rank, "ground": ground, "fact": fact.number}
    decide(federation, kind="confirm-rank", by=by, on=day, about=f"player {player.number}", **details)
    wake_recompute(federation)
    return fact
