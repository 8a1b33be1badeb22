"""Decisions on people: correct an entry of the register, or delete a name; each is one transaction."""

from __future__ import annotations

from datetime import date
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from players.office.models import User
from players.office.record import Refused, decide, lock_ledger
from players.office.wake_worker import wake_recompute
from players.register.kept_names import rename
from players.register.models import Player
from players.register.player_line import player_fact
from ratings.journal.append import Pen
from ratings.journal.models import Fact
from ratings.law import facts, journal
from ratings.law.seals import name_seal


@transaction.atomic
def correct_player(*, player: Player, by: User | None, on: date, **particulars: Any) -> Player:
    """Correct an entry of the register. A player whom the journal has gets a new line at once (D-6: for later
    play). Returns the player as saved.
    """
    federation = player.federation
    ledger = lock_ledger(federation)
    player.refresh_from_db(fields=["merged_into"])
    if player.merged_into:
        raise Refused(
            _("%(number)s was merged into %(other)s: correct that entry instead.")
            % {"number": player.number, "other": player.merged_into.number}
        )
    changed = {name: value for name, value in particulars.items() if getattr(player, name) != value}
    for name, value in changed.items():
        setattr(player, name, value)
    fields = set(changed)
    if changed.keys() & {"surname", "first_name"}:
        rename(player)
        fields |= {"salt", "name_seal"}
    if not player.withheld and not player.name:
        raise Refused(_("The register does not have this player’s name: enter it before you show it."))
    player.save(update_fields=[*fields, *(["name_key"] if "surname" in changed else [])])
    if "withheld" in changed:  # old lists name the entries that were merged into it
        player.merged.update(withheld=player.withheld)
    pen = Pen(federation, ledger)
    if Fact.objects.filter(federation=federation, kind="player", subject=player.number).exists():
        pen.write_players([player_fact(player)])
        if "player" in federation.ruleset.journal.folds:
            pen.want()
            wake_recompute(federation)
    decide(federation, kind="correct", by=by, on=on, about=f"player {player.number}", fields=sorted(changed))
    return player


@transaction.atomic
def forget_name(*, player: Player, by: User | None, on: date) -> None:
    """Delete a player's names, including those of entries merged into it, from the register and from the
    names kept beside the journal.

    The seals stay, and with them every line, list and rating. Other mentions of the person (filed entries,
    files, words of decisions) are not touched here.
    """
    federation = player.federation
    lock_ledger(federation)
    entries = [player, *player.merged.all()]
    for each in entries:
        if each.salt:
            each.name_seal = name_seal(each.name, each.salt)
        each.surname = each.first_name = each.name_key = each.salt = ""
        each.withheld = True
        each.save(update_fields=["surname", "first_name", "name_key", "salt", "name_seal", "withheld"])
    numbers = [each.number for each in entries]
    lines = Fact.objects.filter(federation=federation, kind="player", subject__in=numbers)
    told = (journal.parse_line(line, federation.ruleset) for line in lines.values_list("line", flat=True))
    seals = [fact.seal for fact in told if isinstance(fact, facts.Player)]
    federation.sealed_names.filter(seal__in=seals).delete()
    decide(federation, kind="forget-name", by=by, on=on, about=f"player {player.number}")
