"""Decisions on two register entries of one person: merge them, or part them again; and previews of both.

After a merge the journal is read as if it had always named the entry that stays; after a parting, as if that
merge were not there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from players.office.models import Federation, Ledger, User
from players.office.record import Refused, decide, lock_ledger
from players.office.wake import wake
from players.register.models import Identifier, Player
from players.register.particulars import player_fact
from ratings.journal.append import Pen, newest_lines, sealed_line
from ratings.journal.models import Fact, FactQuerySet
from ratings.journal.read_facts import aliases, folded_fact, put_away
from ratings.law import facts, journal
from ratings.law.facts import PlayerId
from ratings.preview.fold_ahead import Ahead, Due, Outlook, differs, in_order, near, outlook, read
from tournaments.events.models import Entry, Section, Stage


@transaction.atomic
def merge_players(*, player: Player, into: Player, by: User | None, on: date, reason: str) -> Fact:
    """Read the whole journal from now on as if it had named `into` wherever it names `player`.

    Particulars and openings are those of `into`. Raises `Refused` where no reason is given, one of the two
    is merged already, they are of two offices or the same, both stand in a section, or a list is just being
    drawn up.
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
    pen.want()
    about = f"player {player.number}"
    told = {"into": into.number, "reason": reason.strip(), "fact": fact.number}
    decide(federation, kind="merge", by=by, on=day, about=about, **told)
    wake("ratings.tasks.recompute", federation.pk)
    return fact


@transaction.atomic
def part_players(*, player: Player, by: User | None, on: date, reason: str) -> Fact:
    """Read the journal from now on as if the merge of this entry into another were not there.

    Whatever has named the other entry since stays so: sections filed in between, ids of other registers, and
    a wish not to be named. Raises `Refused` where no reason is given, the entry is merged into nobody, or a
    list is just being drawn up.
    """
    federation = player.federation
    ledger = lock_ledger(federation)
    player.refresh_from_db()
    if not reason.strip():
        raise Refused(_("Say how it is known that the two are two people: the record keeps it."))
    refuse_parting(player)
    into = aliases(federation)[player.number]
    people = entries_of(player.merged_into) if player.merged_into else []
    pen = Pen(federation, ledger)
    day = pen.day(on)
    fact = pen.write(facts.Parted(player.number, day))
    _read_anew(federation, people)
    pen.want()
    about = f"player {player.number}"
    told = {"out_of": into, "reason": reason.strip(), "fact": fact.number}
    decide(federation, kind="part", by=by, on=day, about=about, **told)
    wake("ratings.tasks.recompute", federation.pk)
    return fact


def refuse_parting(player: Player) -> None:
    """Raise `Refused`, with the words for an official, where there is no merge to take back."""
    if player.merged_into is None or player.number not in aliases(player.federation):
        raise Refused(_("%(number)s is merged into nobody.") % {"number": player.number})
    _refuse_while_drawing_up(player.federation)


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
    _refuse_while_drawing_up(player.federation)


def _refuse_while_drawing_up(federation: Federation) -> None:
    if Fact.objects.filter(federation=federation, kind="list", folded="").exists():
        raise Refused(_("A list is just being drawn up. Decide this when it is there; it is seconds."))


def shared_sections(player: Player, into: Player) -> list[str]:
    """The ids of sections that name both: in the office, or in their newest line of the journal."""
    sections = Section.objects.filter(event__federation=into.federation)
    stand = (Entry.objects.filter(player__in=entries_of(each)).values("section") for each in (player, into))
    held = sections.exclude(stage=Stage.REFUSED).filter(*(Q(pk__in=found) for found in stand))
    held = held.select_related("event")
    return sorted({section.key for section in held} | set(_written(player, into)))


def _written(player: Player, into: Player) -> Iterator[str]:
    """Sections in the journal, but not rated now, whose newest line names both."""
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
    """Merge the register entries and those of sections not rated yet; a wish not to be named is kept."""
    into.withheld = into.withheld or player.withheld
    into.save(update_fields=["withheld"])
    merged = [each.pk for each in entries_of(player)]
    Player.objects.filter(pk__in=merged).update(merged_into=into, withheld=into.withheld)
    Identifier.objects.filter(player=player).update(player=into)
    waiting = Entry.objects.filter(player=player).exclude(section__stage__in=(Stage.RATED, Stage.REFUSED))
    waiting.update(player=into)


def _read_anew(federation: Federation, people: Iterable[Player]) -> None:
    """Set `merged_into` of these entries to the entry as which the journal reads each now."""
    names, by_number = aliases(federation), {each.number: each for each in people}
    for number, each in by_number.items():
        root = journal.root(names, number)
        each.merged_into = by_number[root] if root != number else None
        each.save(update_fields=["merged_into"])


def _fingerprint(
    federation: Federation, row: Fact, names: Mapping[PlayerId, PlayerId], away: Collection[int]
) -> str:
    """The fingerprint with which a line is to be folded; empty: not at all."""
    if row.number in away:
        return ""
    row.federation = federation
    return journal.fingerprint(folded_fact(row, names), federation.ruleset)


def _touched(federation: Federation, people: Collection[Player]) -> FactQuerySet:
    """The folded lines that name any of these entries, and so may change with a merge or a parting; lines
    that a merge put away are among them.
    """
    sections = Entry.objects.filter(player__in=people, section__stage=Stage.RATED).values("section")
    subjects = {each.number for each in people}
    named = Q(kind__in=("player", "opening", "rank"), subject__in=subjects) | Q(kind="playoff")
    rated = Q(kind="rated", section__in=sections, taken_back=None)
    return Fact.objects.filter(named | rated, federation=federation, order__isnull=False)


# ---------------------------------------------------------------- what it would rate again


@dataclass(frozen=True, slots=True)
class MergePreview:
    """The facts that merging or parting would rate again. Nothing is written."""

    seen: Outlook
    sections: int
    """The number of rated sections to be folded again, whether their ratings change or not."""


def preview_merge(player: Player, into: Player) -> MergePreview:
    """Preview a merge. Ratings of `player` are told as those of `into`."""
    names = {**aliases(into.federation), player.number: into.number}
    people = [*entries_of(player), *entries_of(into)]
    ahead = _ahead(into.federation, people, names, _register_line(into))
    return _preview(ahead, {each.number: into.number for each in entries_of(player)})


def preview_parting(player: Player) -> MergePreview:
    """Preview taking back the merge of this entry."""
    federation = player.federation
    names = {number: into for number, into in aliases(federation).items() if number != player.number}
    people = entries_of(player.merged_into) if player.merged_into else []
    return _preview(_ahead(federation, people, names, []), {})


def _preview(ahead: Ahead, merged: Mapping[PlayerId, PlayerId]) -> MergePreview:
    if not ahead.due:
        return MergePreview(Outlook(), 0)
    again = Fact.objects.filter(federation=ahead.federation, kind="rated", order__gte=ahead.start)
    return MergePreview(outlook(ahead, merged=merged), again.in_force().count())


def _ahead(
    federation: Federation,
    people: Collection[Player],
    names: Mapping[PlayerId, PlayerId],
    added: Sequence[Due],
) -> Ahead:
    """The facts that would be folded with these merges, in order, from the first that differs."""
    ruleset, away = federation.ruleset, put_away(federation, names)
    touched = _touched(federation, people).select_related("takes").order_by("order")
    otherwise = [row for row in touched if _fingerprint(federation, row, names, away) != row.folded]
    back = [row.pk for row in otherwise if row.number not in away]
    rows = Fact.objects.filter(federation=federation, order__isnull=False).exclude(number__in=away)
    rows = rows.filter(~Q(fingerprint="") | Q(pk__in=back), taken_back=None)
    rows = rows.select_related("takes", "section__event")
    if ruleset.annotate is None:
        start = min((row.order for row in otherwise if row.order is not None), default=None)
        if start is None:
            return Ahead(federation, 0, [], 0)
        behind = rows.filter(order__gte=start).order_by("order")
        seen = near(behind)
        due = in_order(ruleset, [*read(federation, seen, names), *added])
        return Ahead(federation, start, due, behind.count() - seen.count())
    everything = in_order(ruleset, [*read(federation, rows, names), *added])
    start_at = next((at for at, each in enumerate(everything) if differs(ruleset, each)), len(everything))
    gone = min((row.order for row in otherwise if row.number in away and row.order is not None), default=None)
    due = everything[start_at:]
    start = ruleset.order_key(due[0].fact) if due else 0
    if gone is not None and (not due or gone < start):
        due = [each for each in everything if ruleset.order_key(each.fact) >= gone]
        start = gone
    return Ahead(federation, start, due, 0)


def _register_line(into: Player) -> list[Due]:
    """The line that merging writes of the entry that stays, if the rules fold it and it is not there yet."""
    federation = into.federation
    if "player" not in federation.ruleset.folds:
        return []
    stays = player_fact(into)
    if newest_lines(federation, [into.number]).get(into.number) == sealed_line(stays, federation.ruleset):
        return []
    number = Ledger.objects.get(federation=federation).facts + 1
    return [Due(facts.Placed(number, stays), None)]
