"""Pairs about one entry of the register: merging, parting, correcting, transfers."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from tests.races.day import day
from tests.races.pairs import BOTH_IN_ANY_ORDER, ONE_WINS, Deed, Order, Pair, Race
from tests.races.worked_out import until_worked_out

if TYPE_CHECKING:
    from players.models import Player, Transfer
    from tests.races.scene import Scene

REASON = "The identity document was seen."


def merging(who: str, player: Player, into: Player) -> Deed:
    path = f"/csa/players/{player.number}/merge/?into={into.number}"
    return Deed(who, path, {"reason": REASON, "seen": _effects_shown(player, into)}, ("merge",))


def parting(who: str, player: Player, into: Player) -> Deed:
    path = f"/csa/players/{player.number}/part/"
    return Deed(who, path, {"reason": REASON, "seen": _effects_shown(player, into)}, ("part",))


def _effects_shown(player: Player, into: Player) -> str:
    """What is sent from a page that has shown the effects: they are drawn once all ratings are worked out."""
    from players.models import Player
    from players.settings import today
    from ratings.merging import compute_mark

    if late := until_worked_out():
        raise TimeoutError(late)
    ends, stays = (Player.objects.get(pk=each.pk) for each in (player, into))
    return compute_mark(ends, stays, today(stays.federation))


def _merged(*pairs: tuple[Player, Player]) -> None:
    from ratings.merging import merge_players

    for player, into in pairs:
        merge_players(player=player, into=into, by=None, on=day(), reason=REASON)


Into = dict[int, int | None]
"""By an entry's key, the key of the entry into which it is merged."""


def _looks(wanted: tuple[Into, Into], done: Order) -> str:
    """What is wrong: each entry is merged into that of which the deed done last says so, in the register and
    by the journal.
    """
    from players.models import Player
    from ratings.journal import aliases
    from ratings.rulesets import journal

    found = {pk: Player.objects.select_related("merged_into").get(pk=pk) for pk in wanted[done[-1]]}
    for pk, into in wanted[done[-1]].items():
        player = found[pk]
        root = journal.root(aliases(player.federation), player.number)
        held = player.merged_into.number if player.merged_into else player.number
        if player.merged_into_id != into or root != held:
            return f"{player.number} is merged into {held}, by the journal into {root}"
    return ""


def merge_each_into_the_other(scene: Scene, _number: int) -> Pair:
    one, other = scene.persons(2)
    wanted: tuple[Into, Into] = ({one.pk: other.pk, other.pk: None}, {one.pk: None, other.pk: one.pk})
    return Pair((merging("nomsa", one, other), merging("sizwe", other, one)), partial(_looks, wanted))


def merge_into_two(scene: Scene, _number: int) -> Pair:
    one, left, right = scene.persons(3)
    wanted: tuple[Into, Into] = ({one.pk: left.pk}, {one.pk: right.pk})
    return Pair((merging("nomsa", one, left), merging("sizwe", one, right)), partial(_looks, wanted))


def part_twice(scene: Scene, _number: int) -> Pair:
    one, other = scene.persons(2)
    _merged((one, other))
    wanted: tuple[Into, Into] = ({one.pk: None}, {one.pk: None})
    return Pair((parting("nomsa", one, other), parting("sizwe", one, other)), partial(_looks, wanted))


def part_and_merge_elsewhere(scene: Scene, _number: int) -> Pair:
    """Whoever is merged cannot be merged elsewhere, and after the parting the effects are others."""
    one, other, third = scene.persons(3)
    _merged((one, other))
    wanted: tuple[Into, Into] = ({one.pk: None}, {one.pk: third.pk})
    may: frozenset[Order] = frozenset({(0,)})
    return Pair((parting("nomsa", one, other), merging("sizwe", one, third)), partial(_looks, wanted), may)


def part_and_merge_on(scene: Scene, _number: int) -> Pair:
    """The entry that stayed is merged into a third while the other is parted from it: both hold, unless one
    saw effects that were others by then.
    """
    one, other, third = scene.persons(3)
    _merged((one, other))
    deeds = (parting("nomsa", one, other), merging("sizwe", other, third))

    def look(done: Order) -> str:
        parted: Into = {one.pk: None} if 0 in done else {}
        wanted = parted | {other.pk: third.pk if 1 in done else None}
        return _looks((wanted, wanted), done)

    return Pair(deeds, look, BOTH_IN_ANY_ORDER | ONE_WINS)


def correcting(who: str, player: Player, **changed: str) -> Deed:
    """The form that corrects an entry, as its page was opened, with other particulars in it."""
    from players.register import get_particulars, particulars_digest

    columns = ("surname", "first_name", "sex", "birth", "nation", "club", "title")
    told = {name: value for name, value in get_particulars(player).items() if name in columns}
    seen = {"seen": particulars_digest(player), "region": player.region_id, "confirm": "on"}
    fields = {**told, **seen, "reason": REASON, "proof": "", **changed}
    return Deed(who, f"/csa/players/{player.number}/correct/", fields, ("correct",))


def _has_club(player: Player, clubs: tuple[str, str], done: Order) -> str:
    from players.models import Player

    now = Player.objects.get(pk=player.pk)
    return "" if now.club == clubs[done[-1]] else f"{now.number} is of club {now.club}"


def correct_twice(scene: Scene, _number: int) -> Pair:
    [player] = scene.persons(1)
    deeds = correcting("nomsa", player, club="Rooks"), correcting("sizwe", player, club="Knights")
    return Pair(deeds, partial(_has_club, player, ("Rooks", "Knights")))


def correct_and_merge(scene: Scene, _number: int) -> Pair:
    """Of an entry that was merged nothing is corrected; what was corrected before stays, and merging it has
    other effects then.
    """
    one, other = scene.persons(2)
    may: frozenset[Order] = frozenset({(0,), (1,)})
    deeds = correcting("nomsa", one, club="Rooks"), merging("sizwe", one, other)
    return Pair(deeds, partial(_looks, ({}, {one.pk: other.pk})), may)


# ---------------------------------------------------------------- transfers


def asking(who: str, player: Player, region: str) -> Deed:
    taking = player.federation.regions.get(code=region)
    path = f"/csa/players/{player.number}/transfer/"
    return Deed(who, path, {"taking": taking.pk, "reason": REASON}, ("ask-transfer",))


def ask_two_transfers(scene: Scene, _number: int) -> Pair:
    """The region that has the player gives them to one region while another asks for them."""
    [player] = scene.persons(1)
    deeds = asking("amahle", player, "LIM"), asking("pieter", player, "WCA")
    return Pair(deeds, partial(_one_transfer, player, ("asked", "asked"), ("LIM", "WCA")))


def _one_transfer(player: Player, states: tuple[str, str], regions: tuple[str, str], done: Order) -> str:
    found = [(each.state, each.taking.code) for each in player.transfers.select_related("taking")]
    wanted = [(states[done[-1]], regions[done[-1]])]
    return "" if found == wanted else f"{player.number} has transfers {found}, not {wanted}"


def _asked(scene: Scene, player: Player) -> Transfer:
    from ratings.people import ask_transfer

    taking = scene.office.regions.get(code="WCA")
    by = scene.users["pieter"]
    return ask_transfer(player=player, taking=taking, by=by, on=day(), reason=REASON)


def answering(who: str, transfer: Transfer, answer: str, *records: str) -> Deed:
    fields = {"answer": answer, "words": REASON, "starts": day().isoformat()}
    return Deed(who, f"/csa/transfers/{transfer.pk}/", fields, records)


def grant_and_refuse(scene: Scene, _number: int) -> Pair:
    [player] = scene.persons(1)
    asked = _asked(scene, player)
    deeds = (
        answering("nomsa", asked, "grant", "grant-transfer", "correct"),
        answering("sizwe", asked, "refuse", "refuse-transfer"),
    )
    return Pair(deeds, partial(_one_transfer, player, ("done", "refused"), ("WCA", "WCA")))


RACES = [
    Race("merge/merge-back", merge_each_into_the_other),
    Race("merge/merge-elsewhere", merge_into_two),
    Race("unmerge/unmerge", part_twice),
    Race("unmerge/merge-elsewhere", part_and_merge_elsewhere),
    Race("unmerge/merge-on", part_and_merge_on),
    Race("correct-player/correct-player", correct_twice),
    Race("correct-player/merge", correct_and_merge),
    Race("ask-transfer/ask-transfer", ask_two_transfers),
    Race("grant-transfer/refuse-transfer", grant_and_refuse),
]
