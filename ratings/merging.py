"""Two entries of the register that are one person: what merging them would rate again, and the decision.

The journal is read from then on as if it had always named the one who stays. There is no way back: of two
people the one would have to be entered anew, with its own number, and each section un-rated and filed again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from players.journal import player_fact
from players.models import Identifier, Ledger, Player, User
from players.record import Refused, decide, lock_ledger
from players.wake import wake
from ratings.models import Fact, FactQuerySet
from ratings.outlook import FOLDED_AHEAD, Ahead, Due, Outlook, differs, in_order, outlook, read
from ratings.pen import Pen
from ratings.rulesets import facts, journal
from ratings.rulesets.facts import PlayerId
from ratings.states import aliases, folded_fact
from tournaments.models import Entry, Section, Stage


@transaction.atomic
def merge_players(*, player: Player, into: Player, by: User | None, on: date, reason: str) -> Fact:
    """Read the whole journal from now on as if it had named `into` wherever it names `player`.

    It is never taken back. Raises `Refused` where no reason is given, one of the two is merged already, they
    are of two offices or the same, both stand in a section, or a list is just being drawn up.
    """
    federation = into.federation
    ledger = lock_ledger(federation)
    for each in (player, into):
        each.refresh_from_db()
    if not reason.strip():
        raise Refused(_("Say how it is known that the two are one person: the record keeps it."))
    refuse_merging(player, into)
    pen = Pen(federation, ledger)
    day = pen.day(on)
    pen.write_players([player_fact(player), player_fact(into)])
    fact = pen.write(facts.Merged(player.number, into.number, day))
    _join(player, into)
    pen.write_players([player_fact(into)])  # the newest of either: the one by which later sections are rated
    _mark_what_differs(player, into)
    pen.want()
    about = f"player {player.number}"
    decide(federation, kind="merge", by=by, on=day, about=about, into=into.number, reason=reason.strip())
    wake("ratings.tasks.recompute", federation.pk)
    return fact


def refuse_merging(player: Player, into: Player) -> None:
    """Raise `Refused`, with the words for an official, where the two cannot be merged."""
    if player.federation_id != into.federation_id:
        raise Refused(_("The two are in the registers of two offices."))
    if player.pk == into.pk:
        raise Refused(_("These are one entry already: give the number of the other."))
    for each in (player, into):
        if each.merged_into:
            raise Refused(
                _("%(number)s was merged into %(other)s already. Take that entry instead.")
                % {"number": each.number, "other": each.merged_into.number}
            )
    if both := shared_sections(player, into):
        raise Refused(
            _(
                "Both stand in section %(sections)s: they are two people, or somebody was entered wrongly. "
                "If they are one, un-rate it, correct its entries and rate it again; then merge them."
            )
            % {"sections": ", ".join(both)}
        )
    if Fact.objects.filter(federation=player.federation, kind="list", folded="").exists():
        raise Refused(_("A list is just being drawn up. Decide this when it is there; it is seconds."))


def shared_sections(player: Player, into: Player) -> list[str]:
    """Sections, by their ids, that name both: as they stand in the office, or in the journal's last word."""
    sections = Section.objects.filter(event__federation=into.federation)
    stand = (Entry.objects.filter(player__in=entries_of(each)).values("section") for each in (player, into))
    held = sections.exclude(stage=Stage.REFUSED).filter(*(Q(pk__in=found) for found in stand))
    held = held.select_related("event")
    return sorted({section.key for section in held} | set(_written(player, into)))


def _written(player: Player, into: Player) -> Iterator[str]:
    """Of the sections that were taken back and stand in the journal all the same, those that name both."""
    rows = Fact.objects.filter(federation=into.federation, kind="section").exclude(section__stage=Stage.RATED)
    newest = dict(rows.order_by("number").values_list("subject", "line"))
    for key, line in newest.items():
        section = journal.parse_line(line, into.federation.ruleset)
        assert isinstance(section, facts.Section)
        named = {entry.player for entry in section.entries}
        if named & _numbers(player) and named & _numbers(into):
            yield key


def entries_of(player: Player) -> list[Player]:
    """The entry itself, and those that were merged into it."""
    return [player, *player.merged.all()]


def _numbers(player: Player) -> set[PlayerId]:
    return {each.number for each in entries_of(player)}


def _join(player: Player, into: Player) -> None:
    """The register, and what is not rated yet, know one entry; who asked not to be named still is not."""
    into.withheld = into.withheld or player.withheld
    into.save(update_fields=["withheld"])
    merged = [each.pk for each in entries_of(player)]
    Player.objects.filter(pk__in=merged).update(merged_into=into, withheld=into.withheld)
    Identifier.objects.filter(player=player).update(player=into)
    waiting = Entry.objects.filter(player=player).exclude(section__stage__in=(Stage.RATED, Stage.REFUSED))
    waiting.update(player=into)


def _mark_what_differs(player: Player, into: Player) -> None:
    """Give each line that is read otherwise now the fingerprint with which it is to be folded."""
    federation = into.federation
    names = aliases(federation)
    for row in _touched(player, into).select_related("takes"):
        row.federation = federation
        fingerprint = journal.fingerprint(folded_fact(row, names), federation.ruleset)
        if fingerprint != row.fingerprint:
            Fact.objects.filter(pk=row.pk).update(fingerprint=fingerprint)


def _touched(player: Player, into: Player) -> FactQuerySet:
    """The folded lines that name either, and so may be read otherwise once the two are one."""
    people = [*entries_of(player), *entries_of(into)]
    sections = Entry.objects.filter(player__in=people, section__stage=Stage.RATED).values("section")
    subjects = {each.number for each in people}
    named = Q(kind__in=("player", "opening", "rank"), subject__in=subjects) | Q(kind="playoff")
    in_force = Fact.objects.filter(federation=into.federation).in_force()
    return in_force.filter(Q(kind="rated", section__in=sections) | named)


# ---------------------------------------------------------------- what it would rate again


@dataclass(frozen=True, slots=True)
class MergePreview:
    """What merging would rate again. Nothing is written."""

    seen: Outlook
    sections: int
    """How many rated sections would be folded again, be their ratings others or not."""


def preview_merge(player: Player, into: Player) -> MergePreview:
    """What comes out otherwise once the two are one. Ratings of `player` are told as those of `into`."""
    names = {**aliases(into.federation), player.number: into.number}
    ahead = _ahead(player, into, names)
    if not ahead.due:
        return MergePreview(Outlook(), 0)
    again = Fact.objects.filter(federation=into.federation, kind="rated", order__gte=ahead.start)
    sections = again.in_force().count()
    merged = {each.number: into.number for each in entries_of(player)}
    return MergePreview(outlook(ahead, merged=merged), sections)


def _ahead(player: Player, into: Player, names: Mapping[PlayerId, PlayerId]) -> Ahead:
    """The facts that would be folded, in order, from the first that differs."""
    federation = into.federation
    ruleset = federation.ruleset
    rows = Fact.objects.filter(federation=federation).in_force().select_related("takes", "section__event")
    if ruleset.annotate is None:
        touched = _touched(player, into).select_related("takes").order_by("order")
        first = next((each for each in read(federation, touched, names) if differs(ruleset, each)), None)
        if first is None or first.row is None:
            return Ahead(federation, 0, [], 0)
        behind = rows.filter(order__gte=first.row.order).order_by("order")
        near = _near(behind)
        due = in_order(ruleset, [*read(federation, near, names), *_register_line(player, into)])
        return Ahead(federation, ruleset.order_key(first.fact), due, behind.count() - near.count())
    everything = in_order(ruleset, [*read(federation, rows, names), *_register_line(player, into)])
    start = next((at for at, each in enumerate(everything) if differs(ruleset, each)), len(everything))
    due = everything[start:]
    return Ahead(federation, ruleset.order_key(due[0].fact) if due else 0, due, 0)


def _near(rows: FactQuerySet) -> FactQuerySet:
    """As many sections as are worked out ahead, with all that stands between them."""
    beyond = rows.filter(kind="rated").values_list("order", flat=True)[FOLDED_AHEAD : FOLDED_AHEAD + 1]
    return rows.filter(order__lt=beyond[0]) if beyond else rows


def _register_line(player: Player, into: Player) -> list[Due]:
    """The line with which the particulars of the one who stays become the newest, where the rules fold it."""
    federation = into.federation
    if "player" not in federation.ruleset.folds:
        return []
    subjects = _numbers(player) | _numbers(into)
    rows = Fact.objects.filter(federation=federation, kind="player", subject__in=subjects)
    stays, newest = player_fact(into), rows.order_by("number").last()
    if newest and newest.line == journal.write_line(stays, federation.ruleset):
        return []
    number = Ledger.objects.get(federation=federation).facts + 1
    return [Due(facts.Placed(number, stays), None)]
