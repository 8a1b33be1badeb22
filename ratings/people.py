"""Decisions on players of the register: correct an entry, delete a name, transfer a player to another region.
Each decision is one transaction, and so is each transfer that is carried out when its day comes.
"""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from players import register
from players.display import day_in_words
from players.files import delete_proof_bytes, save_proof
from players.jobs import wake_recompute
from players.models import Decision, Federation, FormerName, Ledger, Player, ProofFile, Region, Transfer, User
from players.names import fold
from players.record import Refused, decide, lock_ledger, withdraw_words
from players.seals import SealedWords
from ratings.following import end_followings_of
from ratings.journal import JournalWriter
from ratings.models import Fact
from ratings.rulesets import facts, journal_lines
from ratings.rulesets.facts import name_seal


@transaction.atomic
def correct_player(
    *,
    player: Player,
    by: User | None,
    on: date,
    reason: str = "",
    proof: str = "",
    proof_file: ProofFile | None = None,
    seen: str = "",
    **particulars: Any,
) -> Player:
    """Correct an entry of the register; return the player as saved.

    `particulars`: columns of `Player`, `birth` (`2010-05-03`, `2010` or empty) and `ids` (kind to id; empty
    takes it away). A player whom the journal has gets a new line at once (D-6: for later play). `seen`: the
    digest of the particulars that the person saw (`particulars_digest`); `proof`: the evidence in words;
    `proof_file`: as a file.

    Raises `Refused` where a person gives no reason, somebody corrected the entry meanwhile, it was merged
    into another, an id is another player's, nobody knows the name that is to be shown, or the office has no
    room for the file.
    """
    federation = player.federation
    ledger = lock_ledger(federation)
    if seen:
        player.refresh_from_db()
    player.refresh_from_db(fields=["merged_into"])
    _refuse_correction(player, by, reason, seen)
    earlier, before = register.snapshot_name(player), register.get_particulars(player)
    fields = _set_columns(player, particulars)
    if not player.withheld and not player.name:
        raise Refused(_("The register does not have this player’s name: enter it before you show it."))
    player.save(update_fields=sorted(fields))
    if "ids" in particulars:
        register.save_player_ids(player, particulars["ids"])
    if "birth" in particulars:
        register.save_birth_day(player, particulars["birth"])
    if not player.withheld or player.name:
        register.save_former_names([earlier], [player], until=on)
    if "withheld" in fields:  # old lists name the entries that were merged into it
        player.merged.update(withheld=player.withheld)
        end_followings_of([player, *player.merged.all()] if player.withheld else [])
    also = [f"player {each.number}" for each in player.merged.all()]
    changes = register.changes_between(before, register.get_particulars(player))
    _write_to_journal(player, ledger)
    details = {"fields": sorted(changes), "changes": SealedWords(register.cut_births_to_years(changes))}
    details |= {"reason": reason.strip(), "proof": SealedWords(proof.strip())}
    details |= {"sha256": proof_file.sha256} if proof_file else {}
    about = f"player {player.number}"
    decision = decide(federation, kind="correct", by=by, on=on, about=about, also=also, **details)
    if proof_file:
        save_proof(proof=proof_file, player=player, decision=decision)
    return player


def _refuse_correction(player: Player, by: User | None, reason: str, seen: str) -> None:
    if player.merged_into:
        words = _("%(number)s was merged into %(other)s: correct that entry instead.")
        raise Refused(words % {"number": player.number, "other": player.merged_into.number})
    if by is not None and not reason.strip():
        raise Refused(_("Say why the entry is corrected: the record keeps your words."))
    if seen and seen != register.particulars_digest(player):
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
        register.renew_salt(player)
        player.name_key = fold(player.surname)
        fields |= {"salt", "name_seal", "name_key", "first_name_key"}
    if "birth" in particulars:
        player.born = int(particulars["birth"][:4]) if particulars["birth"] else None
        fields.add("born")
    return fields


def _write_to_journal(player: Player, ledger: Ledger) -> None:
    """Write the player's new line, if the journal has one already; wake the worker if the rules fold it."""
    federation = player.federation
    if not Fact.objects.filter(federation=federation, kind="player", subject=player.number).exists():
        return
    writer = JournalWriter(federation, ledger)
    writer.write_players([register.player_fact(player)])
    if "player" in federation.ruleset.journal.folds:
        writer.ask_for_recompute()
        wake_recompute(federation)


@transaction.atomic
def forget_name(*, player: Player, by: User | None, on: date) -> None:
    """Delete a player's names, of merged entries too, from the register and from the names kept beside the
    journal; also former names, the words of corrections, and the files that proved a correction or a
    transfer.

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
        names = ("surname", "first_name", "name_key", "first_name_key")
        each.save(update_fields=[*names, "salt", "name_seal", "withheld"])
    FormerName.objects.filter(player__in=entries).delete()
    end_followings_of(entries)
    delete_proof_bytes(federation, entries, by, on)
    numbers = [each.number for each in entries]
    lines = Fact.objects.about(federation, numbers, "player")
    texts = lines.values_list("line", flat=True)
    parsed = (journal_lines.parse_line(text, federation.ruleset) for text in texts)
    seals = [fact.seal for fact in parsed if isinstance(fact, facts.Player)]
    federation.sealed_names.filter(seal__in=seals).delete()
    also = [f"player {number}" for number in numbers]
    decide(federation, kind="forget-name", by=by, on=on, about=f"player {player.number}", also=also)
    _withdraw_corrections(federation, numbers, by, on)


def _withdraw_corrections(federation: Federation, numbers: Sequence[str], by: User | None, on: date) -> None:
    """Withdraw the words of corrections of these players, which name them as before and after."""
    abouts = [f"player {number}" for number in numbers]
    corrections = Decision.objects.filter(federation=federation, kind="correct", about__in=abouts)
    for decision in corrections.filter(words__isnull=False).distinct().order_by("number"):
        withdraw_words(decision=decision, by=by, on=on)


# ---- Transfers between regions
LATEST_START = timedelta(days=366)
"""The time within which a transfer begins: while it waits, no other can be asked for."""


@transaction.atomic
def ask_transfer(
    *,
    player: Player,
    taking: Region,
    by: User | None,
    on: date,
    reason: str,
    proof: ProofFile | None = None,
    region: Region | None = None,
) -> Transfer:
    """Ask that a player belong to another region; raise `Refused` without a reason, where the player belongs
    there already or was merged, or where a transfer is open. `proof`: a file that proves it; `region`: the
    one that asks, and attaches it (None: an official does).
    """
    lock_ledger(player.federation)
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
    transfer = Transfer.objects.create(
        federation=player.federation,
        player=player,
        giving=player.region,
        taking=taking,
        reason=reason.strip(),
        asked_by=by,
        asked_on=on,
    )
    details = {"region": taking.code, "reason": reason.strip()} | ({"sha256": proof.sha256} if proof else {})
    about = f"player {player.number}"
    decision = decide(player.federation, kind="ask-transfer", by=by, on=on, about=about, **details)
    if proof:
        save_proof(proof=proof, player=player, decision=decision, region=region, transfer=transfer)
    return transfer


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
    if starts > on + LATEST_START:
        raise Refused(_("A transfer begins within a year from today. Check the year."))
    locked.state, locked.starts, locked.answer = Transfer.State.GRANTED, starts, words.strip()
    locked.decided_by, locked.decided_on = by, on
    locked.save()
    details = {"region": locked.taking.code, "starts": starts.isoformat(), "words": words.strip()}
    about = f"player {locked.player.number}"
    decide(locked.federation, kind="grant-transfer", by=by, on=on, about=about, **details)
    if starts <= on:
        _carry_out(locked, by, on)
    return locked


@transaction.atomic
def refuse_transfer(*, transfer: Transfer, by: User | None, on: date, words: str) -> Transfer:
    """Refuse a transfer with a public reason. Raises `Refused` where somebody decided first."""
    locked = _locked(transfer)
    if not words.strip():
        raise Refused(_("Say why it is refused: both regions read your words."))
    locked.state, locked.answer = Transfer.State.REFUSED, words.strip()
    locked.decided_by, locked.decided_on = by, on
    locked.save()
    about = f"player {locked.player.number}"
    details = {"region": locked.taking.code, "reason": words.strip()}
    decide(locked.federation, kind="refuse-transfer", by=by, on=on, about=about, **details)
    return locked


def carry_out_due_transfers(federation: Federation, on: date) -> int:
    """Carry out the granted transfers whose day has come, a transaction each; return how many."""
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
    """Move the player, or the entry into which the player was merged since."""
    player = transfer.player.merged_into or transfer.player
    reason = _("Transfer to %(region)s granted.") % {"region": transfer.taking}
    transfer.state = Transfer.State.DONE
    transfer.save(update_fields=["state"])
    correct_player(player=player, by=by, on=on, reason=reason, region=transfer.taking)


def _locked(transfer: Transfer) -> Transfer:
    lock_ledger(transfer.federation)
    related = Transfer.objects.select_related("player__federation", "federation", "taking", "giving")
    locked = related.get(pk=transfer.pk)
    if locked.state != Transfer.State.ASKED:
        words = _("Somebody else decided first: this transfer is %(state)s.")
        raise Refused(words % {"state": locked.get_state_display()})
    return locked
