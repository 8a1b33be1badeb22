"""Publishing rating lists: the decisions to publish the list of a day or to revise one, each in one
transaction, and what officials see before it: what is still missing, and what the list would change.
"""

from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal

from django.db import transaction
from django.utils.translation import gettext as _, ngettext

from players.display import day_in_words
from players.jobs import wake_recompute
from players.models import Federation, Ledger, User
from players.record import Refused, decide, find_form_result, lock_ledger, save_form_result
from ratings.journal import AFTER_EVERYTHING, JournalWriter
from ratings.lists import (
    RowDifference,
    compare_places,
    compute_list_rows,
    find_list_line,
    get_places,
    list_places,
)
from ratings.models import Fact, RatingList
from ratings.recompute import rules_are_in_force
from ratings.results import state_before
from ratings.rule_tables import get_rank_proposals
from ratings.rulesets import facts
from ratings.rulesets.facts import ListClosing, Placed
from tournaments.models import OPEN_TO_FILING, Section, Stage
from tournaments.sections import SectionDeadline, find_pending_deadline


# ---- Publishing and revising lists
@transaction.atomic
def publish_list(*, federation: Federation, by: User | None, on: date, note: str = "") -> Fact:
    """Publish the list of a day by adding the line that closes it; the worker draws it up and freezes its
    rows. `note`: public words, which the list shows for ever; empty: none.

    Raises `Refused` while ratings are being recomputed or other rules wait to be applied, where that day's
    list is published already, or where the journal holds a later day.
    """
    ledger = lock_ledger(federation)
    _refuse_under_other_rules(federation, ledger)
    if ledger.pending:
        raise Refused(_("The ratings are being recomputed. Wait a few seconds, then publish."))
    if Fact.objects.filter(federation=federation, kind="list", on=on).exists():
        raise Refused(_("The list of %(day)s is published already.") % {"day": day_in_words(on)})
    writer = JournalWriter(federation, ledger)
    if writer.day(on) != on:
        words = _("The journal already has a decision of %(day)s. Choose that day or a later one.")
        raise Refused(words % {"day": day_in_words(writer.day(on))})
    fact = writer.write(facts.ListClosing(on))
    writer.ask_for_recompute()
    details = {"note": note.strip()} if note.strip() else {}
    decide(federation, kind="publish", by=by, on=on, about=f"list {on}", fact=fact.number, **details)
    wake_recompute(federation)
    return fact


@transaction.atomic
def revise_list(
    *,
    federation: Federation,
    list_day: date,
    by: User | None,
    on: date,
    note: str,
    form_mark: str = "",
    with_correction: bool = False,
) -> Fact:
    """Publish the list of a day again, beside the first: as it should have been by what is known now (D-2).
    The worker draws the revision up and freezes the tracks that differ.

    `note`: the public reason; `form_mark`: of the form, which sent again returns the line that it made;
    `with_correction`: whether the transaction corrects something first, which is to be worked out with it.
    Raises `Refused` where there is no list of that day, no note, or ratings are being recomputed or other
    rules wait to be applied.
    """
    ledger = lock_ledger(federation)
    if number := find_form_result(federation, form_mark):
        return Fact.objects.get(federation=federation, number=number)
    _refuse_under_other_rules(federation, ledger)
    if not note.strip():
        raise Refused(_("Say why the list is published again: everybody can read the note on the list."))
    if find_list_line(federation, list_day) is None:
        raise Refused(_("No list of %(day)s was published.") % {"day": day_in_words(list_day)})
    if ledger.pending and not with_correction:
        raise Refused(_("The ratings are being recomputed. Wait a few seconds, then revise the list."))
    writer = JournalWriter(federation, ledger)
    decided_on = writer.day(on)
    fact = writer.write(facts.Revised(list_day, decided_on))
    writer.ask_for_recompute()
    save_form_result(federation, form_mark, fact.number)
    details = {"note": note.strip(), "fact": fact.number}
    decide(federation, kind="revise", by=by, on=decided_on, about=f"list {list_day}", **details)
    wake_recompute(federation)
    return fact


def _refuse_under_other_rules(federation: Federation, ledger: Ledger) -> None:
    """Refuse while the office has not said that this program's rules replace those of its ratings."""
    if not rules_are_in_force(federation, ledger):
        raise Refused(
            _(
                "The ratings stored here were worked out by other rules than those of the present program. "
                "No list is published until the worker has found that the new rules move nothing, or the "
                "office has said on its desk that they are to be applied."
            )
        )


# ---- What is still missing before a list
@dataclass(frozen=True, slots=True)
class MissingBeforeList:
    """The work that is left before the list of a day."""

    undecided: list[Section]
    """Submitted sections that ended by then, the longest waiting first."""
    with_regions: list[SectionDeadline]
    """The deadlines by then of sections that their regions have still to hand in, the earliest first."""
    pending: bool
    """Whether the ratings are being recomputed."""
    ranks: int
    """The number of ranks that the rules propose and nobody has confirmed."""

    @property
    def nothing(self) -> bool:
        return not (self.undecided or self.with_regions or self.pending or self.ranks)


def get_missing_before_list(federation: Federation, day: date, today: date) -> MissingBeforeList:
    """What is still missing before the list of a day, as of today."""
    played = Section.objects.filter(event__federation=federation, ends__lte=day)
    related = played.select_related("event__federation", "event__region")
    undecided = related.filter(stage=Stage.SUBMITTED).order_by("submitted_on", "pk")
    open_ones = related.filter(stage__in=OPEN_TO_FILING).prefetch_related("permission_requests")
    due = (find_pending_deadline(section, today) for section in open_ones)
    return MissingBeforeList(
        undecided=list(undecided),
        with_regions=sorted((each for each in due if each and each.last <= day), key=lambda each: each.last),
        pending=Ledger.objects.get(federation=federation).pending,
        ranks=count_ranks_to_confirm(federation, min(day, today)),
    )


def count_ranks_to_confirm(federation: Federation, on: date) -> int:
    """The number of ranks that the rules propose on a day; 0 if they have none."""
    return len(get_rank_proposals(federation, on)) if federation.ruleset.journal.ranks else 0


def find_irregular_day_warning(office: Federation, on: date) -> dict[str, str] | None:
    """A warning, with its clause, that lists are due on other days of the month; None if on this one too."""
    regular, clause = office.publication.list_days
    if not regular or on.day in regular:
        return None
    words = ngettext(
        "%(day)s is no regular day: this office’s lists are due on day %(days)s of each month. Publish "
        "on this day only if the office decided so.",
        "%(day)s is no regular day: this office’s lists are due on the days %(days)s of each month. "
        "Publish on this day only if the office decided so.",
        len(regular),
    )
    days = ", ".join(map(str, regular))
    return {
        "words": words % {"day": day_in_words(on), "days": days},
        "clause": clause,
    }


# ---- The effect of publishing a list
@dataclass(frozen=True, slots=True)
class TrackPreview:
    """One track of the list to publish, compared with the newest list."""

    track: str
    players: int
    came: dict[str, Decimal] = field(default_factory=dict)
    """The ratings of those new on the list, by number, the highest first."""
    gone: dict[str, Decimal] = field(default_factory=dict)
    """The ratings on the newest list of those no longer listed, by number, the highest first."""
    movers: list[RowDifference] = field(default_factory=list)
    """Players on both with another rating, the largest moves first."""

    @property
    def newcomers(self) -> int:
        return len(self.came)

    @property
    def dropped(self) -> int:
        return len(self.gone)


def preview_list(federation: Federation, on: date, most_movers: int = 10) -> list[TrackPreview]:
    """Preview publishing the list of a day, track by track, with the `most_movers` players who move most."""
    closing = Placed(Ledger.objects.get(federation=federation).facts + 1, ListClosing(on))
    state = state_before(federation, AFTER_EVERYTHING, facts.Needs.EVERYONE)
    state.absorb(federation.ruleset.apply(state, closing))
    drawn = compute_list_rows(federation.ruleset, closing, state)
    listed = {track.code for track in federation.ruleset.tracks} & (
        drawn.keys() | _listed_tracks(federation, on)
    )
    return [
        _track_preview(federation, track.code, drawn.get(track.code, []), on, most_movers)
        for track in federation.ruleset.tracks
        if track.code in listed
    ]


def _listed_tracks(federation: Federation, on: date) -> set[str]:
    """The tracks of the newest lists before a day: those listed there are gone where nobody is listed now."""
    lists = RatingList.objects.filter(federation=federation, on__lt=on)
    newest = lists.order_by("-on").values_list("on", flat=True).first()
    return set(lists.filter(on=newest).values_list("track", flat=True)) if newest else set()


def _track_preview(
    federation: Federation, track: str, rows: list[facts.ListedPlayer], on: date, movers: int
) -> TrackPreview:
    lists = RatingList.objects.filter(federation=federation, track=track, on__lt=on)
    before, after = get_places(lists.order_by("-on", "-revision").first()), list_places(rows)
    both = before.keys() & after.keys()
    compared = compare_places(
        federation, track, {each: before[each] for each in both}, {each: after[each] for each in both}, movers
    )
    return TrackPreview(
        track=track,
        players=len(rows),
        came={number: place.rating for number, place in after.items() if number not in before},
        gone={number: place.rating for number, place in before.items() if number not in after},
        movers=[each for each in compared.rows if each.by],
    )
