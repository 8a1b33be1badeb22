"""Merging two entries of the register that are one person, and parting them again. Officials look through
likely doubles and preview what a merge would change. After a merge, the entry that stays is read wherever the
journal names the other.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import date, datetime, timedelta
from typing import Any, ClassVar

import structlog
from django.db import transaction
from django.db.models import F, Q
from django.utils.translation import gettext as _

from players import identity, jobs
from players.jobs import wake_for, wake_recompute
from players.models import Federation, Player, User
from players.record import Refused, decide, lock_ledger
from players.register import particulars_digest, player_fact
from players.settings import today
from ratings.approval import unrate
from ratings.as_if import Effects, ProgressCallback, hash_preview_state, preview_merge, preview_parting
from ratings.journal import JournalWriter, aliases
from ratings.models import Fact, MergeOutlook
from ratings.rulesets import facts, journal, journal_lines
from ratings.rulesets.facts import PlayerId
from tournaments.models import Entry, Section, Stage


def refuse_parting(player: Player) -> None:
    """Raise `Refused` where a player is not merged, or a list is being drawn up."""
    if player.merged_into is None or player.number not in aliases(player.federation):
        words = _("%(number)s is merged into nobody: it never was, or somebody parted it already.")
        raise Refused(words % {"number": player.number})
    refuse_while_list_pending(player.federation)


def refuse_while_list_pending(federation: Federation) -> None:
    """Raise `Refused` while a list waits to be drawn up, as it is to show the entries as they stood."""
    if Fact.objects.filter(federation=federation, kind="list", folded="").exists():
        raise Refused(_("A list is being drawn up. Wait a few seconds, then decide again."))


def refresh_merged_into(federation: Federation, people: Iterable[Player]) -> None:
    """Set `merged_into` of these entries to the entry as which the journal reads each; None where itself."""
    names, by_number = aliases(federation), {each.number: each for each in people}
    for number, each in by_number.items():
        root = journal.root(names, number)
        each.merged_into = by_number[root] if root != number else None
        each.save(update_fields=["merged_into"])


def get_pairs_to_review(office: Federation) -> list[identity.LikelyDouble]:
    """The likely doubles that wait for an official, the likeliest first."""
    # Leave out pairs who both stand in one section: they are two persons, and could not be merged.
    pairs = identity.likely_doubles(office)
    keys = {key for pair in pairs for key in (pair.one, pair.other)}
    played: defaultdict[int, set[int]] = defaultdict(set)
    entries = Entry.objects.filter(player__in=keys).exclude(section__stage=Stage.REFUSED).order_by()
    for player, section in entries.values_list("player_id", "section_id"):
        if player is not None:
            played[player].add(section)
    return [pair for pair in pairs if not played[pair.one] & played[pair.other]]


# ---- Sections filed or rated since a merge
def entries_since_merge(merged_player: Player) -> list[Entry]:
    """The entries of the player who stayed that may be the merged player's: of sections rated since the
    merge, and of those that are not rated now. Not of sections in which the merged player has an own entry: a
    refused one keeps it, and parting two who both stand there settles whose is which.
    """
    merged = Fact.objects.filter(
        federation=merged_player.federation, kind="merged", subject=merged_player.number
    )
    line = merged.order_by("-number").values_list("number", flat=True).first()
    if merged_player.merged_into is None or line is None:
        return []
    own = Entry.objects.filter(player=merged_player).values("section")
    entries = Entry.objects.filter(player=merged_player.merged_into).exclude(section__in=own)
    entries = entries.select_related("section__event__federation").order_by("section__starts", "pk")
    rated = Fact.objects.filter(federation=merged_player.federation, kind="rated", number__gt=line).in_force()
    since = set(rated.values_list("section_id", flat=True))
    return [each for each in entries if each.section.stage != Stage.RATED or each.section_id in since]


def give_entries_to_parted_player(
    player: Player, given: Collection[int], by: User | None, on: date, *, although_listed: bool
) -> list[str]:
    """Give the entries of these sections (by primary key) to the player who was parted; return the sections'
    ids. Runs in the transaction of the parting. A rated section is un-rated, so that its region submits it
    again.
    """
    keys = []
    other = player.merged_into.number if player.merged_into else ""
    words = _("Player %(number)s was taken for player %(other)s.") % {"number": player.number, "other": other}
    for entry in entries_since_merge(player):
        if entry.section_id not in given:
            continue
        section = entry.section
        if section.stage == Stage.RATED:
            version = section.version
            unrate(
                section=section,
                by=by,
                on=on,
                version=version,
                reason="player",
                words=words,
                after_list=although_listed,
            )
        Entry.objects.filter(pk=entry.pk).update(player=player, match=Entry.Match.DECIDED)
        Section.objects.filter(pk=section.pk).update(version=section.version + 1)
        keys.append(section.key)
    return keys


# ---- Merging and parting
#
# After a merge the journal is read as if it had always named the entry that stays; after a parting, as if
# that merge were not there.
@transaction.atomic
def merge_players(
    *,
    player: Player,
    into: Player,
    by: User | None,
    on: date,
    reason: str,
    although_two_persons: bool = False,
) -> Fact:
    """Merge two entries: from now on the journal is read as if it had named `into` wherever it names
    `player`.

    Particulars and openings are those of `into`. `although_two_persons`: the official has read that somebody
    said they are two persons. Raises `Refused` where no reason is given, one of the two is merged already,
    they are of two offices or the same, both stand in a section, somebody said they are two persons, or a
    list is being drawn up.
    """
    federation = into.federation
    ledger = lock_ledger(federation)
    for each in (player, into):
        each.refresh_from_db()
    if not reason.strip():
        raise Refused(_("Say how you know that the two are one person: the record keeps your words."))
    refuse_merging(player, into)
    identity.refuse_two_persons(player, into, although_two_persons=although_two_persons)
    writer = JournalWriter(federation, ledger)
    day = writer.day(on)
    writer.write_players([player_fact(player), player_fact(into)])
    fact = writer.write(facts.Merged(player.number, into.number, day))
    identity.merge_entries(player, into)
    waiting = Entry.objects.filter(player=player).exclude(section__stage__in=(Stage.RATED, Stage.REFUSED))
    also = {f"entries {each.section.key}" for each in waiting.select_related("section__event")}
    waiting.update(player=into)
    also |= {f"player {each.number}" for each in identity.list_entry_and_merged(into)}
    writer.ask_for_recompute()
    details = {"into": into.number, "reason": reason.strip(), "fact": fact.number}
    decide(federation, kind="merge", by=by, on=day, about=f"player {player.number}", also=also, **details)
    wake_recompute(federation)
    return fact


@transaction.atomic
def part_players(
    *,
    player: Player,
    by: User | None,
    on: date,
    reason: str,
    given: Collection[int] = (),
    after_list: bool = False,
) -> Fact:
    """Take a merge back: from now on the journal is read as if `player` had not been merged into another
    entry.

    `given`: the primary keys of sections filed or rated since that are the player's; a rated one is un-rated,
    where a published list has it by the office's own decision alone (`after_list`). Whatever else has named
    the other entry since stays so: other sections, ids of other registers, and a wish not to be named. Raises
    `Refused` where no reason is given, the entry is merged into nobody, or a list is being drawn up.
    """
    federation = player.federation
    ledger = lock_ledger(federation)
    player.refresh_from_db()
    if not reason.strip():
        raise Refused(_("Say how you know that they are two people: the record keeps your words."))
    refuse_parting(player)
    into = aliases(federation)[player.number]
    people = identity.list_entry_and_merged(player.merged_into) if player.merged_into else []
    moved = give_entries_to_parted_player(player, given, by, on, although_listed=after_list)
    ledger = lock_ledger(federation)
    writer = JournalWriter(federation, ledger)
    day = writer.day(on)
    fact = writer.write(facts.Parted(player.number, day))
    refresh_merged_into(federation, people)
    writer.ask_for_recompute()
    details = {"out_of": into, "reason": reason.strip(), "fact": fact.number, "given": moved}
    also = [*(f"player {each.number}" for each in people), *(f"entries {key}" for key in moved)]
    decide(federation, kind="part", by=by, on=day, about=f"player {player.number}", also=also, **details)
    wake_recompute(federation)
    return fact


def refuse_merging(player: Player, into: Player) -> None:
    """Raise `Refused` if these two entries cannot be merged now."""
    identity.refuse_pair(player, into)
    if both := shared_sections(player, into):
        raise Refused(
            _(
                "Both are entered in section %(sections)s: they are two people, or an entry is wrong. If "
                "they are one person, un-rate that section, correct its entries and rate it again; then "
                "merge the two."
            )
            % {"sections": ", ".join(both)}
        )
    refuse_while_list_pending(player.federation)


def shared_sections(player: Player, into: Player) -> list[str]:
    """The ids of sections in which both are entered: in the office, or in the newest line of the journal. A
    refused section does not count: it comes back only while no two of its entries are one player
    (`name_who_stays`).
    """
    sections = Section.objects.filter(event__federation=into.federation)
    stand = (
        Entry.objects.filter(player__in=identity.list_entry_and_merged(each)).values("section")
        for each in (player, into)
    )
    held = sections.exclude(stage__in=(Stage.REFUSED, Stage.WITHDRAWN)).filter(
        *(Q(pk__in=found) for found in stand)
    )
    held = held.select_related("event")
    return sorted({section.key for section in held} | set(_sections_in_journal(player, into)))


def _sections_in_journal(player: Player, into: Player) -> Iterator[str]:
    """Yield the ids of sections that are not rated now and whose newest line in the journal names both."""
    rows = Fact.objects.filter(federation=into.federation, kind="section").exclude(section__stage=Stage.RATED)
    newest = dict(rows.order_by("number").values_list("subject", "line"))
    for key, line in newest.items():
        section = journal_lines.parse_line(line, into.federation.ruleset)
        assert isinstance(section, facts.Section)
        named = {entry.player for entry in section.entries}
        if named & _numbers(player) and named & _numbers(into):
            yield key


def _numbers(player: Player) -> set[PlayerId]:
    return {each.number for each in identity.list_entry_and_merged(player)}


# ---- Outlooks on merging or parting, asked for on a page and drawn up by the worker
#
# An outlook holds for the journal, both entries and the day that it was drawn from, as its mark shows. If any
# of these has changed, it is drawn up again.
log = structlog.get_logger("ratings.pages.merging")
MOST_FOLDED = 5_000
"""The most rated sections that an outlook folds; the others are counted."""
OUTLOOK_LIFETIME = timedelta(days=1)
"""The time after which an outlook that nobody asked for again is deleted."""
State = MergeOutlook.State


def compute_mark(player: Player, into: Player, day: date) -> str:
    """Reload both entries, and return the digest of everything that an outlook on them depends on."""
    for each in (player, into):
        each.refresh_from_db()
    pair = ((each.number, each.merged_into_id, particulars_digest(each)) for each in (player, into))
    return hash_preview_state(into.federation, day, "merge", *pair)


def find_outlook(player: Player, into: Player) -> MergeOutlook | None:
    return MergeOutlook.objects.filter(player=player, into=into).first()


def is_current(outlook: MergeOutlook | None, mark: str) -> bool:
    """Whether an outlook is drawn up, from what there is now."""
    return outlook is not None and outlook.state == State.DRAWN and outlook.mark == mark


@transaction.atomic
def ask_for_outlook(*, player: Player, into: Player, at: datetime, mark: str) -> MergeOutlook:
    """Have the worker draw up an outlook, unless it is at it or what it drew still holds (`mark`)."""
    outlook, _new = MergeOutlook.objects.get_or_create(
        player=player, into=into, defaults={"federation": into.federation, "asked_at": at}
    )
    again = not outlook.working and not is_current(outlook, mark)
    rows = MergeOutlook.objects.filter(pk=outlook.pk, state=outlook.state)
    if again:
        rows.update(state=State.WAITING, attempts=0, done=0, total=None, content={}, asked_at=at)
    else:
        rows.update(asked_at=at)
    wake_for("outlooks", outlook.pk)
    outlook.refresh_from_db()
    return outlook


def _draw(job: MergeOutlook) -> None:
    player, into = job.player, job.into
    day = today(job.federation)
    mark, pulse = compute_mark(player, into, day), jobs.Pulse(job)
    effects = _preview(player, into, day, lambda done, total: pulse.beat(done=done, total=total))
    effects.ratings.sort(key=lambda each: each.player not in (player.number, into.number))  # the two first
    if compute_mark(player, into, day) != mark:  # overtaken while it was drawn
        jobs.release(job, state=State.WAITING, attempts=0)
        return
    jobs.release(job, state=State.DRAWN, mark=mark, content=effects.as_json(), done=0, total=None)


def _preview(player: Player, into: Player, on: date, on_progress: ProgressCallback) -> Effects:
    """Preview merging the two, or parting them where the one is merged into the other."""
    if player.merged_into_id == into.pk:
        refuse_parting(player)
        return preview_parting(player, on, most_sections=MOST_FOLDED, on_progress=on_progress)
    refuse_merging(player, into)
    return preview_merge(player, into, on, most_sections=MOST_FOLDED, on_progress=on_progress)


class OutlookJobs(jobs.JobKind[MergeOutlook]):
    """Outlooks on merging or parting two entries; they wait while ratings are worked out."""

    name = "outlooks"
    queue = "ratings"
    claimed: ClassVar[Mapping[str, Any]] = {"done": 0, "total": None}
    rows = (
        MergeOutlook.objects.filter(state__in=(State.WAITING, State.DRAWING))
        .exclude(federation__in=Federation.objects.filter(ledger__done__lt=F("ledger__wanted")))
        .select_related("player__federation", "into__federation", "federation")
    )
    steps = (jobs.Step(State.WAITING, State.DRAWING, State.FAILED, _draw, crash=""),)

    def refusal(self, job: MergeOutlook, failure: Exception) -> Mapping[str, Any] | None:
        # Merged, parted, or in one section, since: the page says so.
        return {"state": State.FAILED} if isinstance(failure, Refused) else None


def delete_unwanted_outlooks(now: datetime) -> None:
    """Delete the outlooks that nobody has asked for in a while."""
    MergeOutlook.objects.filter(asked_at__lt=now - OUTLOOK_LIFETIME, heartbeat=None).delete()
