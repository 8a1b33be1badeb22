"""Transfers of players between regions: asked for by one, granted or refused by an official, carried out."""

from __future__ import annotations

from datetime import date, timedelta

from django.db import transaction
from django.utils.translation import gettext as _

from players.drawing.days_in_words import day_in_words
from players.office.decision_record import Refused, decide, lock_ledger
from players.office.models import Federation, Region, User
from players.people.correct_and_forget import correct_player
from players.people.models import Transfer
from players.people.proof_files import ProofBytes, keep_proof
from players.register.models import Player

FARTHEST = timedelta(days=366)
"""The time within which a transfer begins: as long as it waits, no other can be asked for."""


@transaction.atomic
def ask_transfer(
    *,
    player: Player,
    taking: Region,
    by: User | None,
    on: date,
    reason: str,
    proof: ProofBytes | None = None,
    region: Region | None = None,
) -> Transfer:
    """Ask that a player belong to another region; raise `Refused` without a reason, where the player belongs
    there already or was merged, or where a transfer is open.

    `proof`: a file that proves it; `region`: the one that asks, and attaches it (None: an official does).
    """
    lock_ledger(player.federation)
    _refuse_asking(player, taking, reason)
    transfer = Transfer.objects.create(
        federation=player.federation,
        player=player,
        giving=player.region,
        taking=taking,
        reason=reason.strip(),
        asked_by=by,
        asked_on=on,
    )
    told = {"region": taking.code, "reason": reason.strip()} | ({"sha256": proof.sha256} if proof else {})
    decision = decide(
        player.federation, kind="ask-transfer", by=by, on=on, about=f"player {player.number}", **told
    )
    if proof:
        keep_proof(proof=proof, player=player, decision=decision, region=region, transfer=transfer)
    return transfer


def _refuse_asking(player: Player, taking: Region, reason: str) -> None:
    player.refresh_from_db(fields=["region", "merged_into"])
    if not reason.strip():
        raise Refused(_("Say why the player belongs to another region: the office decides by your words."))
    if player.merged_into:
        words = _("%(number)s was merged into %(other)s: ask for that entry instead.")
        raise Refused(words % {"number": player.number, "other": player.merged_into.number})
    if player.region_id == taking.pk:
        words = _("%(player)s belongs to %(region)s already.")
        raise Refused(words % {"player": player.shown_name, "region": taking})
    if player.transfers.filter(state__in=Transfer.OPEN).exists():
        raise Refused(_("A transfer of this player is open already. Wait until it is decided."))


@transaction.atomic
def grant_transfer(
    *, transfer: Transfer, by: User | None, on: date, starts: date, words: str = ""
) -> Transfer:
    """Grant a transfer from a day on; from today or earlier it is carried out at once. Raises `Refused` where
    somebody decided first, or the day is before the one on which it was asked for, or too far ahead.
    """
    locked = _locked(transfer)
    if starts < locked.asked_on:
        words = _("This transfer was asked for on %(day)s and cannot begin before. Check the year.")
        raise Refused(words % {"day": day_in_words(locked.asked_on)})
    if starts > on + FARTHEST:
        raise Refused(_("A transfer begins within a year from today. Check the year."))
    locked.state, locked.starts, locked.answer = Transfer.State.GRANTED, starts, words.strip()
    locked.decided_by, locked.decided_on = by, on
    locked.save()
    told = {"region": locked.taking.code, "starts": starts.isoformat(), "words": words.strip()}
    about = f"player {locked.player.number}"
    decide(locked.federation, kind="grant-transfer", by=by, on=on, about=about, **told)
    if starts <= on:
        _carry_out(locked, by, on)
    return locked


@transaction.atomic
def refuse_transfer(*, transfer: Transfer, by: User | None, on: date, words: str) -> Transfer:
    """Refuse a transfer with a reason, which both regions read. Raises `Refused` where somebody decided
    first.
    """
    locked = _locked(transfer)
    if not words.strip():
        raise Refused(_("Say why it is refused: both regions read your words."))
    locked.state, locked.answer = Transfer.State.REFUSED, words.strip()
    locked.decided_by, locked.decided_on = by, on
    locked.save()
    about = f"player {locked.player.number}"
    told = {"region": locked.taking.code, "reason": words.strip()}
    decide(locked.federation, kind="refuse-transfer", by=by, on=on, about=about, **told)
    return locked


def carry_out_due(federation: Federation, on: date) -> int:
    """Carry out the granted transfers whose day has come; return how many. Each is one transaction."""
    due = Transfer.objects.filter(federation=federation, state=Transfer.State.GRANTED, starts__lte=on)
    return sum(_carry_out_alone(transfer, on) for transfer in due.order_by("starts", "pk"))


@transaction.atomic
def _carry_out_alone(transfer: Transfer, on: date) -> bool:
    lock_ledger(transfer.federation)
    locked = Transfer.objects.select_related("player__federation", "taking").get(pk=transfer.pk)
    if locked.state != Transfer.State.GRANTED:
        return False
    _carry_out(locked, locked.decided_by, on)
    return True


def _carry_out(transfer: Transfer, by: User | None, on: date) -> None:
    """Move the player; of an entry that was merged since, the one that stays."""
    player = transfer.player.merged_into or transfer.player
    reason = _("Transfer to %(region)s granted.") % {"region": transfer.taking}
    correct_player(player=player, by=by, on=on, reason=reason, region=transfer.taking)
    transfer.state = Transfer.State.DONE
    transfer.save(update_fields=["state"])


def _locked(transfer: Transfer) -> Transfer:
    lock_ledger(transfer.federation)
    locked = Transfer.objects.select_related("player__federation", "federation", "taking", "giving").get(
        pk=transfer.pk
    )
    if locked.state != Transfer.State.ASKED:
        raise Refused(
            _("Somebody else decided first: this transfer is %(state)s.")
            % {"state": locked.get_state_display()}
        )
    return locked
