"""Compares names with their seals: those beside the journal, and those of the register that pages show."""

from __future__ import annotations

from collections.abc import Iterator

from players.office.models import Decision, Federation
from players.register.models import Player, SealedName
from ratings.journal.export import NAME_SEAL
from ratings.journal.models import Fact
from ratings.law.seals import name_seal

_AT_ONCE = 2_000


def differences(federation: Federation) -> Iterator[str]:
    """Name each seal that its name does not open, each name that is gone without a decision, and each player
    shown under another name than that of the journal's newest line.
    """
    seals = set()
    for each in SealedName.objects.filter(federation=federation).iterator(chunk_size=_AT_ONCE):
        seals.add(each.seal)
        if not _opens(each.name, each.salt, each.seal):
            yield f"the name under seal {each.seal} is not the name that was sealed"
    nameless, newest = _without_names(federation), {}
    lines = Fact.objects.filter(federation=federation, kind="player").order_by("number")
    for number, subject, line in lines.values_list("number", "subject", "line").iterator(_AT_ONCE):
        found = NAME_SEAL.search(line)
        newest[subject] = found[1] if found else ""
        if found and found[1] not in seals and subject not in nameless:
            yield f"line {number}: the name under its seal is gone, and no decision deleted it"
    yield from _wrong_names(federation, newest)


def _without_names(federation: Federation) -> set[str]:
    """Numbers of players who may be without a name: a decision deleted it, or an imported journal or lines
    taken back after a restore came without it.
    """
    numbers: set[str] = set()
    decided = Decision.objects.filter(federation=federation, kind__in=("forget-name", "import", "take-lines"))
    for row in decided.only("kind", "about", "sealed_details"):
        if row.kind != "forget-name":
            numbers.update(row.sealed_details.get("nameless") or ())
        else:
            numbers.add(row.about.removeprefix("player "))
    ended = Player.objects.filter(federation=federation, merged_into__number__in=numbers)
    return numbers | set(ended.values_list("number", flat=True))


def _wrong_names(federation: Federation, newest: dict[str, str]) -> Iterator[str]:
    for player in Player.objects.filter(federation=federation).iterator(_AT_ONCE):
        seal = newest.get(player.number)
        if seal is None:
            continue  # in no line yet: nothing proves the name
        named = player.name_seal == seal if player.name_seal else _opens(player.name, player.salt, seal)
        if not named:
            yield f"player {player.number}: the name that is shown is not that of the journal's newest line"


def _opens(name: str, salt: str, seal: str) -> bool:
    try:
        return name_seal(name, salt) == seal
    except ValueError:
        return False
