"""Two register entries of one person: the one that stays is read wherever the journal names the other."""

from __future__ import annotations

from collections.abc import Iterable

from django.utils.translation import gettext as _

from players.office.decision_record import Refused
from players.office.models import Federation
from players.register.models import Identifier, Player
from ratings.journal.models import Fact
from ratings.journal.read_facts import aliases
from ratings.law import journal


def refuse_parting(player: Player) -> None:
    """Raise `Refused`, with the words for an official, where a player's merge cannot be taken back: there is
    none, or a list is being drawn up.
    """
    if player.merged_into is None or player.number not in aliases(player.federation):
        words = _("%(number)s is merged into nobody: it never was, or somebody parted it already.")
        raise Refused(words % {"number": player.number})
    refuse_while_drawing_up(player.federation)


def refuse_pair(player: Player, into: Player) -> None:
    """Raise `Refused`, with the words for an official, where two entries cannot be merged: in two registers,
    the same one, or one of them merged already.
    """
    if player.federation_id != into.federation_id:
        raise Refused(_("The two entries are in the registers of two different offices."))
    if player.pk == into.pk:
        raise Refused(_("This is the number of the same entry: give the number of the other."))
    for each in (player, into):
        if each.merged_into:
            raise Refused(
                _("%(number)s was merged into %(other)s already. Choose that entry instead.")
                % {"number": each.number, "other": each.merged_into.number}
            )


def refuse_while_drawing_up(federation: Federation) -> None:
    """Raise `Refused` while a list waits to be drawn up: it is to show the entries as they stood."""
    if Fact.objects.filter(federation=federation, kind="list", folded="").exists():
        raise Refused(_("A list is being drawn up. Wait a few seconds, then decide again."))


def entries_of(player: Player) -> list[Player]:
    """All register entries of a player: the entry itself, and those that were merged into it."""
    return [player, *player.merged.all()]


def join(player: Player, into: Player) -> None:
    """Merge one entry, with those merged into it before, into another; keep a wish not to be named."""
    into.withheld = into.withheld or player.withheld
    into.save(update_fields=["withheld"])
    merged = [each.pk for each in entries_of(player)]
    Player.objects.filter(pk__in=merged).update(merged_into=into, withheld=into.withheld)
    Identifier.objects.filter(player=player).update(player=into)


def read_anew(federation: Federation, people: Iterable[Player]) -> None:
    """Set `merged_into` of these entries to that as which the journal reads each now; None where itself."""
    names, by_number = aliases(federation), {each.number: each for each in people}
    for number, each in by_number.items():
        root = journal.root(names, number)
        each.merged_into = by_number[root] if root != number else None
        each.save(update_fields=["merged_into"])
