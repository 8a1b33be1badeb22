"""Decisions on people: correct an entry of the register, or delete a name; each is one transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from players.office.decision_record import Refused, decide, lock_ledger, withdraw_words
from players.office.models import Decision, Federation, Ledger, User
from players.office.record_chain_and_sealed_words import SealedWords
from players.office.wake_worker import wake_recompute
from players.people.particulars import (
    as_recorded,
    changes_between,
    particulars_digest,
    particulars_of,
    set_birth,
    set_ids,
)
from players.people.proof_files import ProofBytes, keep_proof, let_proofs_go
from players.register.former_names import keep_former_names, name_before
from players.register.kept_names import rename
from players.register.models import FormerName, Player
from players.register.name_folding import fold
from players.register.player_to_fact import player_fact
from ratings.journal.append import JournalWriter
from ratings.journal.models import Fact
from ratings.law import facts, journal
from ratings.law.seals import name_seal

NAME_COLUMNS = ("surname", "first_name", "name_key", "first_name_key")


@transaction.atomic
def correct_player(
    *,
    player: Player,
    by: User | None,
    on: date,
    reason: str = "",
    proof: str = "",
    proof_file: ProofBytes | None = None,
    seen: str = "",
    **particulars: Any,
) -> Player:
    """Correct an entry of the register: columns of `Player`, `birth` (`2010-05-03`, `2010` or empty) and
    `ids` (kind to id; empty takes it away). A player whom the journal has gets a new line at once (D-6: for
    later play). Returns the player as saved.

    `seen`: the digest of the particulars that the person saw (`particulars_digest`); `proof`: what bears it
    out, in words; `proof_file`: as a file. Raises `Refused` where a person gives no reason, somebody
    corrected the entry meanwhile, it was merged into another, an id is another player's, nobody knows the
    name that is to be shown, or the office has no room for the file.
    """
    federation = player.federation
    ledger = lock_ledger(federation)
    if seen:
        player.refresh_from_db()
    player.refresh_from_db(fields=["merged_into"])
    _refuse_correction(player, by, reason, seen)
    earlier, before = name_before(player), particulars_of(player)
    fields = _set_columns(player, particulars)
    if not player.withheld and not player.name:
        raise Refused(_("The register does not have this player’s name: enter it before you show it."))
    player.save(update_fields=sorted(fields))
    if "ids" in particulars:
        set_ids(player, particulars["ids"])
    if "birth" in particulars:
        set_birth(player, particulars["birth"])
    if not player.withheld or player.name:
        keep_former_names([earlier], [player], until=on)
    if "withheld" in fields:  # old lists name the entries that were merged into it
        player.merged.update(withheld=player.withheld)
    changes = changes_between(before, particulars_of(player))
    _tell_journal(player, ledger)
    told = {"fields": sorted(changes), "changes": SealedWords(as_recorded(changes))}
    told |= {"reason": reason.strip(), "proof": SealedWords(proof.strip())}
    told |= {"sha256": proof_file.sha256} if proof_file else {}
    decision = decide(federation, kind="correct", by=by, on=on, about=f"player {player.number}", **told)
    if proof_file:
        keep_proof(proof=proof_file, player=player, decision=decision)
    return player


def _refuse_correction(player: Player, by: User | None, reason: str, seen: str) -> None:
    if player.merged_into:
        raise Refused(
            _("%(number)s was merged into %(other)s: correct that entry instead.")
            % {"number": player.number, "other": player.merged_into.number}
        )
    if by is not None and not reason.strip():
        raise Refused(_("Say why the entry is corrected: the record keeps your words."))
    if seen and seen != particulars_digest(player):
        raise Refused(
            _(
                "Somebody corrected this entry while your page was open. Look at it as it is now, and try "
                "again."
            )
        )


def _set_columns(player: Player, particulars: Mapping[str, Any]) -> set[str]:
    """Set the columns that differ, with what follows from them; return the names of columns to save."""
    columns = {name: value for name, value in particulars.items() if name not in ("birth", "ids")}
    changed = {name: value for name, value in columns.items() if getattr(player, name) != value}
    for name, value in changed.items():
        setattr(player, name, value)
    fields = set(changed)
    if changed.keys() & {"surname", "first_name"}:
        rename(player)
        player.name_key = fold(player.surname)
        fields |= {"salt", "name_seal", "name_key", "first_name_key"}
    if "birth" in particulars:
        player.born = int(particulars["birth"][:4]) if particulars["birth"] else None
        fields.add("born")
    return fields


def _tell_journal(player: Player, ledger: Ledger) -> None:
    """Write the player's new line, if the journal has one already; wake the worker if the rules fold it."""
    federation = player.federation
    if not Fact.objects.filter(federation=federation, kind="player", subject=player.number).exists():
        return
    writer = JournalWriter(federation, ledger)
    writer.write_players([player_fact(player)])
    if "player" in federation.ruleset.journal.folds:
        writer.ask_for_recompute()
        wake_recompute(federation)


@transaction.atomic
def forget_name(*, player: Player, by: User | None, on: date) -> None:
    """Delete a player's names, including those of entries merged into it, from the register and from the
    names kept beside the journal; former names go too, what the record of corrections tells of names, and the
    files that proved a correction or a transfer.

    The seals stay, and with them every line, list and rating. Other mentions of the person (filed entries,
    files, words of other decisions) are not touched here.
    """
    federation = player.federation
    lock_ledger(federation)
    entries = [player, *player.merged.all()]
    for each in entries:
        if each.salt:
            each.name_seal = name_seal(each.name, each.salt)
        each.surname = each.first_name = each.name_key = each.salt = ""
        each.withheld = True
        each.save(update_fields=[*NAME_COLUMNS, "salt", "name_seal", "withheld"])
    FormerName.objects.filter(player__in=entries).delete()
    let_proofs_go(federation, entries, by, on)
    numbers = [each.number for each in entries]
    lines = Fact.objects.about(federation, numbers, "player")
    told = (journal.parse_line(line, federation.ruleset) for line in lines.values_list("line", flat=True))
    seals = [fact.seal for fact in told if isinstance(fact, facts.Player)]
    federation.sealed_names.filter(seal__in=seals).delete()
    decide(federation, kind="forget-name", by=by, on=on, about=f"player {player.number}")
    _withdraw_corrections(federation, numbers, by, on)


def _withdraw_corrections(federation: Federation, numbers: Sequence[str], by: User | None, on: date) -> None:
    """Withdraw the words of corrections of these players: they tell names of before and after."""
    abouts = [f"player {number}" for number in numbers]
    told = Decision.objects.filter(federation=federation, kind="correct", about__in=abouts)
    for decision in told.filter(words__isnull=False).distinct().order_by("number"):
        withdraw_words(decision=decision, by=by, on=on)
