"""A change of the rules by which an office's stored results were folded: what other rules would move, the
office's decision on them, and the fold of everything again. What was published before stays as it is, under a
seal in the record.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any, NamedTuple

import structlog
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from players import jobs
from players.jobs import wake_recompute
from players.models import Decision, Federation, Ledger, Player, User
from players.record import Refused, decide, lock_ledger
from players.writing import batches
from ratings import models
from ratings.as_if import Effects
from ratings.journal import aliases_at, build_foldable_fact, set_order_and_fingerprint
from ratings.lists import (
    compute_list_rows,
    find_list_closing,
    get_list_state,
    has_list_state_changed,
    read_record,
)
from ratings.program import get_current_program
from ratings.recompute import (
    Progress,
    ProgressCallback,
    finish,
    get_own_rules_hash,
    must_wait,
    plan_steps,
    record_failure,
    rules_are_in_force,
    take_step,
)
from ratings.results import RatingDifference, get_known_rows, get_last_known_line, sort_differences
from ratings.rulesets import facts, journal, journal_lines
from ratings.rulesets.facts import PlayerId, State
from ratings.rulesets.journal_lines import plain
from ratings.rulesets.ruleset import without_gc

# ---- Folding an office's whole journal again by this program's rules, in one transaction
#
# Until it commits, readers see what was stored before, and decisions of this office wait for it (on SQLite
# those of all offices). Published lists and errata stay as they are: they are facts of their day.
_FACTS_BATCH = 500


@transaction.atomic
def fold_everything_again(federation: Federation, ledger: Ledger) -> None:
    """Fold all lines again, pending ones too. The caller has the lease on `ledger` and holds its row."""
    published = ledger.line
    for results in (models.Change, models.PastChange):
        results._default_manager.filter(fact__federation=federation).delete()
    for kept in (models.Standing, models.Wide, models.PastWide):
        kept._default_manager.filter(federation=federation).delete()
    models.Fact.objects.filter(federation=federation).exclude(folded="").update(folded="")
    # Each line gets the place and fingerprint that it would have, had these rules taken it in: by the merges
    # above it.
    lines = models.Fact.objects.filter(federation=federation).order_by("number")
    renames = set(lines.filter(kind__in=("merged", "parted")).values_list("number", flat=True))
    folds = federation.ruleset.journal.folds
    names, changed = aliases_at(federation, 0), []
    for row in lines.select_related("takes", "first_rated").iterator(chunk_size=_FACTS_BATCH):
        row.federation = federation
        if row.number in renames:
            names = aliases_at(federation, row.number)
        before = row.order, row.fingerprint
        row.order, row.fingerprint = None, ""
        if row.kind in folds:
            set_order_and_fingerprint(row, build_foldable_fact(row, names))
        if (row.order, row.fingerprint) != before:
            changed.append(row)
    models.Fact.objects.bulk_update(changed, ["order", "fingerprint"], batch_size=_FACTS_BATCH)
    ledger.line = 0
    Ledger.objects.filter(pk=ledger.pk).update(line=0)
    of_office = models.Fact.objects.filter(federation=federation, number__lte=ledger.facts)
    progress = Progress(ledger, of_office.in_force().count())
    for step in plan_steps(federation, ledger):
        step.published = published
        progress.expect(len(step.rows) - step.new)
        if not take_step(step, federation, ledger, progress):
            raise RuntimeError(f"{federation.code}: the ledger moved while its row was held")
        ledger.line = step.line
    finish(ledger, rules=get_own_rules_hash(federation), agreed_rules="")


# ---- What other rules would move: counts and the largest examples, kept as JSON
MOST_EXAMPLES = 50
"""The most ratings, sections and lists that are named; all are counted."""


@dataclass(slots=True)
class RulesEffects(Effects):
    """Differences between what an office has stored and what other rules give for the same lines: present
    ratings, without waiting points, and the facts with other results (`sections`).
    """

    facts: int = 0
    """Facts folded."""
    players: int = 0
    """Players with another rating now, or another result of some section."""
    lists: int = 0
    """Published lists that would differ; they stay as they are."""
    tables: bool = False
    """Whether the federation-wide state would differ."""
    texts: int = 0
    """Rows that would be stored in another form or order, and mean the same."""
    named_sections: list[str] = field(default_factory=list)
    named_lists: list[str] = field(default_factory=list)

    @property
    def moves(self) -> bool:
        """Whether anything that the office shows or has published would differ."""
        return bool(self.players or self.ratings or self.sections or self.lists or self.tables)

    @property
    def counts(self) -> dict[str, int]:
        """The counts that the record keeps."""
        names = "players", "sections", "lists"
        return {"ratings": sum(self.moved.values()), **{name: getattr(self, name) for name in names}}

    def as_json(self) -> dict[str, Any]:
        names = "facts", "players", "lists", "tables", "texts", "named_sections", "named_lists"
        return {**Effects.as_json(self), **{name: getattr(self, name) for name in names}}


# ---- What other rules would move in words, and why they are not in force yet
def describe_effects(effects: RulesEffects) -> Iterator[str]:
    """Yield a sentence with the counts, then a line for each of the largest examples."""
    if not effects.moves:
        yield f"{effects.facts} facts folded: nothing that is shown or published would be otherwise"
        if effects.texts:
            yield f"{effects.texts} rows would be stored in other words, and say the same"
        return
    yield f"{effects.facts} facts folded: {describe_counts(effects)}"
    for each in effects.ratings[:MOST_EXAMPLES]:
        moved = f"{_format_rating(each.before)} → {_format_rating(each.after)}{_format_move(each)}"
        yield f"  player {each.player}, {each.track}: {moved}"
    yield from _name_examples("sections and other facts", effects.named_sections, effects.sections)
    yield from _name_examples("lists that stay as published", effects.named_lists, effects.lists)


def describe_counts(effects: RulesEffects) -> str:
    parts = [
        _count(effects.counts["ratings"], "present rating"),
        _count(effects.players, "player"),
        _count(effects.sections, "section or other fact", "sections or other facts"),
        _count(effects.lists, "published list"),
    ]
    tables = "; what is kept for the whole federation, too" if effects.tables else ""
    return f"otherwise would be {', '.join(parts)}{tables}"


def why_rules_not_in_force(federation: Federation) -> str:
    """Why this program folds nothing for an office, and what to do; empty where it does."""
    if found := why_rules_not_applied(federation):
        return found
    if rules_are_in_force(federation, Ledger.objects.get(federation=federation)):
        return ""
    return "what is stored is being compared with the rules of this program: wait for the worker"


def why_rules_not_applied(federation: Federation) -> str:
    """Why the worker leaves an office alone after comparing the rules; empty if it does not."""
    ledger = Ledger.objects.get(federation=federation)
    if rules_are_in_force(federation, ledger):
        return ""
    code, own = federation.code, get_own_rules_hash(federation)
    version = models.RulesVersion.objects.filter(federation=federation, rules=own).first()
    if ledger.last_error:
        return f"the rules of this program cannot be applied to what is stored: {ledger.last_error}"
    if ledger.agreed_rules:
        return "other rules were agreed to, and the worker that has them is still to fold everything anew"
    if version is not None and version.left_at is not None:
        return (
            f"the rules of this program were in force until {version.left_at:%Y-%m-%d %H:%M}, and others are "
            f"now: is this an older program? If they are to come back: manage.py recompute {code} --all"
        )
    if (
        asked := models.RulesVersion.objects.waiting_in(federation, get_own_rules_hash(federation))
    ) is not None:
        return (
            f"the rules of version {asked.program} wait for the office's word, "
            f"{describe_counts(RulesEffects.from_json(asked.effects))}. Say it on the office's desk, or see "
            f"manage.py recompute {code} --all --preview and then leave --preview out"
        )
    return ""


def _count(number: int, one: str, more: str = "") -> str:
    return f"{number} {one if number == 1 else more or f'{one}s'}"


def _format_rating(rating: object) -> str:
    return "none" if rating is None else plain(rating)  # type: ignore[arg-type]


def _format_move(each: RatingDifference) -> str:
    return "" if each.by is None else f" ({'+' if each.by > 0 else ''}{plain(each.by)})"


def _name_examples(what: str, names: list[str], count: int) -> Iterator[str]:
    if names:
        more = f" and {count - len(names)} more" if count > len(names) else ""
        yield f"  {what}: {', '.join(names)}{more}"


# ---- The seal in the record over what was published before other rules were applied
#
# Earlier lists and errata stay as they are, and the present rules no longer give them. The record's chain is
# signed, so an alteration of any of them is seen (`ratings.verify`), and the programs that are run to prove
# old lists are those that the record vouches for.
APPLY_RULES = "apply-rules"


class PublishedSeal(NamedTuple):
    """A seal in the record over everything that the journal's lines up to one had published."""

    line: int
    sha256: str


def find_newest_seal(federation: Federation) -> PublishedSeal | None:
    """The seal of the newest decision to apply other rules, or None."""
    return next(reversed(get_seals(federation)), None)


def get_seals(federation: Federation) -> list[PublishedSeal]:
    """The seals of all decisions to apply other rules, the oldest first: each holds for good."""
    decisions = Decision.objects.filter(federation=federation, kind=APPLY_RULES).order_by("number")
    rows = decisions.values_list("sealed_details", flat=True)
    return [PublishedSeal(int(details["line"]), str(details["published"])) for details in rows]


def compute_published_seal(federation: Federation, line: int) -> PublishedSeal:
    """Seal the lists and errata of the journal's lines up to `line`, as they are stored."""
    hashed = hashlib.sha256()
    for row in (*_list_rows(federation, line), *_erratum_rows(federation, line)):
        hashed.update(f"{json.dumps(row, ensure_ascii=False)}\n".encode())
    return PublishedSeal(line, hashed.hexdigest())


def _list_rows(federation: Federation, line: int) -> Iterator[list[Any]]:
    lists = models.RatingList.objects.filter(federation=federation, fact__number__lte=line).select_related(
        "fact"
    )
    for each in lists.order_by("fact__number", "track").defer("content"):
        head = [each.fact.number, each.track, each.on.isoformat(), each.revision, each.edition]
        yield [*head, each.program_version, each.program_sha256, each.sha256, each.players]
        rows = models.ListRow.objects.filter(rating_list=each).order_by("position")
        columns = ("position", "player__number", "rank", "rating", "previous", "games", "status")
        for *first, rating, previous, games, status in rows.values_list(*columns).iterator(5_000):
            yield [*first, _plain(rating), _plain(previous), games, status]


def _erratum_rows(federation: Federation, line: int) -> Iterator[list[Any]]:
    errata = models.Erratum.objects.filter(fact__federation=federation, fact__number__lte=line)
    for erratum in errata.select_related("fact").order_by("fact__number"):
        yield ["erratum", erratum.fact.number, erratum.players]
        rows = models.CorrectedRating.objects.filter(erratum=erratum).order_by("position")
        columns = ("position", "player__number", "track", "before", "after")
        for *first, before, after in rows.values_list(*columns):
            yield [*first, _plain(before), _plain(after)]


def _plain(rating: Any) -> str | None:
    return None if rating is None else plain(rating)


@transaction.atomic
def decide_to_apply_rules(*, federation: Federation, by: User | None, on: date, rules: str) -> Decision:
    """Decide that everything is folded again by the rules with that hash; the worker that has them does it.

    No line is written: the journal says what was approved, not by which program it was computed. The record
    keeps how much moves, and a seal over the lists and errata that stay as they are. Raises `Refused` where
    the rules were not compared with what is stored now, or are not those of this program.
    """
    ledger = lock_ledger(federation)
    version = models.RulesVersion.objects.filter(federation=federation, rules=rules).first()
    compared = version is not None and version.compared_at is not None and version.line == ledger.line
    if version is None or not compared or rules != get_own_rules_hash(federation):
        raise Refused(_("These rules were not compared with what is stored now. Load the page again."))
    if ledger.agreed_rules == rules:
        raise Refused(_("That was decided already; the worker is at it."))
    decision = decide(
        federation,
        kind=APPLY_RULES,
        by=by,
        on=on,
        about=f"rules {rules[:8]}",
        rules=rules,
        former_rules=ledger.rules,
        program=version.program,
        line=ledger.line,
        published=compute_published_seal(federation, ledger.line).sha256,
        **RulesEffects.from_json(version.effects).counts,
    )
    models.RulesVersion.objects.filter(pk=version.pk).update(decision=decision)
    Ledger.objects.filter(pk=ledger.pk).update(
        agreed_rules=rules, wanted=ledger.wanted + 1, not_before=None, last_error=""
    )
    wake_recompute(federation)
    return decision


# ---- Comparing what is stored with a replay by this program's rules; it only reads
_BATCH_SIZE = 50
MOST_FACTS_REPLAYED = 4_000
"""Facts that are replayed for past days; the day before the newest correction is replayed in any case."""


ChangeValues = tuple[Any, ...]
"""A stored change without its standing: ratings before and after, points, games."""


def compare_with_replay(
    federation: Federation, line: int, on_fact: ProgressCallback | None = None
) -> RulesEffects:
    """Compare what is stored by the lines up to `line`, the last that was folded, with a replay of them.
    `on_fact` is called with the progress. Raises JournalError where the rules cannot read the journal, and
    whatever the rules raise at a fact.
    """
    record = read_record(federation)
    ordered = journal.resolve(record, through=line)
    comparison = ReplayComparison(federation, record)
    comparison.compare_fold(ordered, on_fact)
    comparison.compare_left(ordered)
    comparison.compare_standings()
    comparison.compare_revisions(line)
    comparison.compare_past(record, line, most=max(1, MOST_FACTS_REPLAYED // (len(ordered) or 1)))
    return comparison.effects_found()


class ReplayComparison:
    """Collects what differs, fact by fact and then standing by standing."""

    def __init__(self, federation: Federation, record: journal.Journal) -> None:
        self.federation, self.ruleset, self.record = federation, federation.ruleset, record
        self.effects = RulesEffects()
        seal = find_newest_seal(federation)
        self.settled = seal.line if seal else 0
        """The line up to which lists go by the programs that drew them, whatever rules came since."""
        self.numbers = dict(Player.objects.filter(federation=federation).values_list("pk", "number"))
        self.state: State[Any] = State()
        self.players: set[PlayerId] = set()
        self.sections: list[str] = []
        self.lists: list[str] = []
        wides = models.Wide.objects.filter(federation=federation)
        self.wides: dict[int | None, str] = dict(wides.values_list("order", "state"))

    def effects_found(self) -> RulesEffects:
        found = self.effects
        found.players = len(self.players)
        found.sections, found.lists = len(self.sections), len(self.lists)
        found.ratings = sort_differences(found.ratings)
        found.moved = dict(Counter(each.track for each in found.ratings))
        found.named_sections, found.named_lists = self.sections[:MOST_EXAMPLES], self.lists[:MOST_EXAMPLES]
        return found

    def compare_fold(self, ordered: Sequence[facts.Fact], on_fact: ProgressCallback | None) -> None:
        rows = self._rows(ordered)
        wide = self.state.wide
        for done, (fact, changes, _state) in enumerate(self.ruleset.fold(ordered, self.state), start=1):
            row, stored = next(rows)
            if row is None:
                self.sections.append(_fact_name(fact))
                continue
            self._compare_place(row, fact)
            if self._compare_changes(stored, changes):
                self.sections.append(_fact_name(fact))
            if self.state.wide != wide:
                wide = self.state.wide
                self._compare_wide(row)
            self._compare_lists(fact, row)
            if on_fact:
                on_fact(done, len(ordered))
        self.effects.facts = len(ordered)
        self.effects.tables |= bool(self.wides)

    def _rows(
        self, ordered: Sequence[facts.Fact]
    ) -> Iterator[tuple[models.Fact | None, dict[tuple[PlayerId, str], tuple[ChangeValues, str]]]]:
        """Yield each fact's row, None where it is not folded, and its stored changes by player and track."""
        folded = models.Fact.objects.filter(federation=self.federation).exclude(folded="")
        for some in batches(ordered, _BATCH_SIZE):
            here = folded.filter(number__in=[fact.number for fact in some]).defer("line", "particulars")
            rows = {row.number: row for row in here}
            stored: dict[int, dict[tuple[PlayerId, str], tuple[ChangeValues, str]]] = {}
            columns = ("fact_id", "player_id", "track", "before", "after", "points", "games", "state")
            of_rows = models.Change.objects.filter(fact__in=[row.pk for row in rows.values()])
            for key, player, track, *values, text in of_rows.values_list(*columns):
                place = self.numbers.get(player, "?"), track
                stored.setdefault(key, {})[place] = tuple(values), text
            for fact in some:
                row = rows.get(fact.number)
                yield row, stored.get(row.pk, {}) if row else {}

    def _compare_place(self, row: models.Fact, fact: facts.Fact) -> None:
        place = self.ruleset.journal.order_key(fact), journal.fingerprint(fact, self.ruleset)
        self.effects.texts += (row.order, row.folded) != place

    def _compare_changes(
        self,
        stored: dict[tuple[PlayerId, str], tuple[ChangeValues, str]],
        changes: Sequence[facts.Change[Any]],
    ) -> bool:
        """Note the players whose changes by one fact differ from the stored ones; return whether any do."""
        differ = set()
        for player, track, before, after, points in changes:
            kept = stored.pop((player, track), None)
            result = before.rating if before else None, after.rating, points, after.games
            if kept is None or kept[0] != result or not self._same(track, kept[1], after):
                differ.add(player)
        differ |= {player for player, _track in stored}
        self.players |= differ
        return bool(differ)

    def _same(self, track: str, text: str, standing: Any) -> bool:
        """Whether a stored standing means what the rules give, perhaps in another form."""
        storage = self.ruleset.storage
        if text == storage.dump(standing):
            return True
        try:
            same = bool(storage.load(track, text) == standing)
        except (ValueError, TypeError, KeyError, ArithmeticError):
            return False
        self.effects.texts += same
        return same

    def _compare_wide(self, row: models.Fact) -> None:
        storage, text = self.ruleset.storage, self.wides.pop(row.order, None)
        if text == storage.dump_wide(self.state.wide):
            return
        if text is None or storage.load_wide is None or storage.load_wide(text) != self.state.wide:
            self.effects.tables = True
        else:
            self.effects.texts += 1

    def compare_left(self, ordered: Sequence[facts.Fact]) -> None:
        """Note facts that are folded, and that these rules do not fold."""
        taken = {fact.number for fact in ordered}
        folded = models.Fact.objects.filter(federation=self.federation).exclude(folded="")
        for row in folded.defer("line", "particulars"):
            if row.number not in taken:
                self.sections.append(row.subject or f"{row.number} {row.kind}")
                self.players |= set(
                    models.Change.objects.filter(fact=row).values_list("player__number", flat=True)
                )

    def compare_standings(self) -> None:
        expected = dict(self.state.standings)
        rows = models.Standing.objects.filter(federation=self.federation)
        values = rows.values_list("player_id", "track", "rating", "games", "due", "state")
        for key, track, rating, games, due, text in values.iterator(5_000):
            player = self.numbers.get(key, "?")
            standing = expected.pop((player, track), None)
            self._compare_rating(player, track, rating, standing)
            describe_counts = standing is not None and (games, due) == (standing.games, standing.due)
            if not describe_counts or not self._same(track, text, standing):
                self.players.add(player)
        for (player, track), standing in expected.items():
            self.players.add(player)
            self._compare_rating(player, track, None, standing)

    def _compare_rating(self, player: PlayerId, track: str, before: Decimal | None, standing: Any) -> None:
        after = None if standing is None else standing.rating
        if before != after:
            self.players.add(player)
            self.effects.ratings.append(RatingDifference(player, track, before, after))

    def _compare_lists(self, fact: facts.Fact, row: models.Fact) -> None:
        """Compare the lists that a closing published with those that it would publish by these rules."""
        if find_list_closing(fact) is None or row.number <= self.settled:
            return
        later = has_list_state_changed(self.federation, fact)
        drawn = compute_list_rows(
            self.ruleset, fact, get_list_state(self.record, fact) if later else self.state
        )
        edition = self.ruleset.edition_for(fact).name
        lists = {each.track: each for each in models.RatingList.objects.filter(fact=row)}
        for track in sorted(drawn.keys() | lists.keys()):
            self._compare_list(lists.get(track), drawn.get(track, []), edition, f"{track} {row.on}")

    def _compare_list(
        self, rating_list: models.RatingList | None, drawn: Sequence[Any], edition: str, name: str
    ) -> None:
        if rating_list is None or rating_list.edition != edition:
            self.lists.append(name)
            return
        rows = rating_list.rows.order_by("position")
        shown = [(each.player, each.rating, each.games, each.rank, each.status) for each in drawn]
        values = rows.values_list("player__number", "rating", "games", "rank", "status")
        if bytes(rating_list.content) != journal.list_content(drawn) or list(values) != shown:
            self.lists.append(name)

    def compare_revisions(self, line: int) -> None:
        revised = models.Fact.objects.filter(federation=self.federation, kind="revised", number__lte=line)
        lists = journal.JournalLists(self.record)
        for row in revised.filter(number__gt=self.settled).order_by("number"):
            drawn = lists.list_of_line(row.number)
            for each in models.RatingList.objects.filter(fact=row):
                edition = self.ruleset.edition_on_or_first(each.on).name
                name = f"{each.track} {each.on} r{each.revision}"
                self._compare_list(each, drawn.get(each.track, ()), edition, name)

    def compare_past(self, record: journal.Journal, line: int, most: int) -> None:
        """Compare what was known on the newest `most` days before corrections, up to `line`."""
        for day in self._corrected_days(line)[:most]:
            ordered, then = journal.resolve(record, day), get_last_known_line(self.federation, day)
            kept = self._known_at(ordered, then)
            for fact, changes, _state in self.ruleset.fold(ordered, State()):
                if self._compare_changes(next(kept), changes):
                    self.sections.append(f"{_fact_name(fact)}, as known on {day}")

    def _corrected_days(self, line: int) -> list[date]:
        """The last days before corrections, the newest first."""
        of_office = models.PastChange.objects.filter(fact__federation=self.federation)
        corrections = set(of_office.order_by().values_list("until", flat=True).distinct())
        lines = models.Fact.objects.filter(federation=self.federation, number__lte=line, on__isnull=False)
        before: date | None = None
        newest: date | None = None
        found: set[date] = set()
        for number, on in lines.order_by("number").values_list("number", "on"):
            if on != newest:
                before, newest = newest, on
            if number in corrections and before is not None:
                found.add(before)
        return sorted(found, reverse=True)

    def _known_at(
        self, ordered: Sequence[facts.Fact], line: int
    ) -> Iterator[dict[tuple[PlayerId, str], tuple[ChangeValues, str]]]:
        """Yield each fact's changes that were known at a line, by player and track."""
        columns = ("fact__number", "player_id", "track", "before", "after", "points", "games", "state")
        for some in batches(ordered, _BATCH_SIZE):
            numbers = [fact.number for fact in some]
            stored: dict[int, dict[tuple[PlayerId, str], tuple[ChangeValues, str]]] = {}
            for rows in get_known_rows(models.Change, models.PastChange, line):
                here = rows.filter(fact__federation=self.federation, fact__number__in=numbers)
                for number, player, track, *values, text in here.values_list(*columns):
                    place = self.numbers.get(player, "?"), track
                    stored.setdefault(number, {})[place] = tuple(values), text
            for fact in some:
                yield stored.get(fact.number, {})


def _fact_name(fact: facts.Fact) -> str:
    """The name of a fact for officials: a section's id, else its line and kind."""
    if isinstance(fact, facts.RatedSection):
        return fact.section.id
    return f"{fact.number} {journal_lines.KINDS[type(fact.fact)]}"


# ---- Taking up this program's rules where an office's results come from others
#
# What is stored is compared with a replay. If it is the same, the rules are in force from then on; if only
# the stored form would differ, everything is folded again. If anything published would differ, the office is
# asked, and nothing is folded until it answers: lines that are decided meanwhile wait.
log = structlog.get_logger("ratings.rules_change")


def bring_rules_into_force(federation: Federation) -> bool:
    """Bring this program's rules into force where nobody has to be asked, or somebody agreed; return whether
    they are in force. Two queries where they are already. Raises what a replay by the rules raises, after
    noting it in the ledger.
    """
    ledger = Ledger.objects.get(federation=federation)
    if rules_are_in_force(federation, ledger) and not ledger.agreed_rules:
        return True
    if not _is_due(federation, ledger):
        return False
    leased = jobs.claim(Ledger.objects.filter(federation=federation), ledger.pk, wait_for_lock=True)
    if leased is None:
        return False
    began = timezone.now()
    try:
        with without_gc():
            if leased.agreed_rules == get_own_rules_hash(federation):
                version = models.RulesVersion.objects.filter(
                    federation=federation, rules=leased.agreed_rules
                ).first()
                if version is None or version.line == leased.line:
                    return _fold_again(federation, leased)
                Ledger.objects.filter(pk=leased.pk).update(agreed_rules="")
            effects = compare_and_save_effects(federation, leased)
            if effects.moves:
                words = "the office is asked whether the rules of this program are to be applied"
                log.warning(words, office=federation.code, **effects.counts)
                jobs.release(leased, attempts=0, folded=0, to_fold=0)
                return False
            if effects.texts:
                return _fold_again(federation, leased)
            return _adopt(federation, leased)
    except jobs.MACHINE_TROUBLE:
        jobs.release_uncounted(leased, folded=0, to_fold=0)
        raise
    except Exception as failure:
        record_failure(leased, failure, began)
        raise


def _is_due(federation: Federation, ledger: Ledger) -> bool:
    """Whether there is anything to do: the office agreed, or nothing was compared yet."""
    own = get_own_rules_hash(federation)
    if must_wait(ledger, timezone.now()):
        return False  # they failed at some fact a moment ago
    if ledger.agreed_rules == own:
        return True
    if ledger.rules == own:
        return False  # others are to replace them, and another program has them
    version = models.RulesVersion.objects.filter(federation=federation, rules=own).first()
    if version is not None and version.left_at is not None:
        words = "the rules of this program were left for others"
        log.warning(words, office=federation.code, at=version.left_at)
        return False
    return version is None or not version.moves or version.line != ledger.line


def compare_and_save_effects(federation: Federation, ledger: Ledger) -> RulesEffects:
    """Compare what is stored with a replay by this program's rules, and store what would move for pages."""
    progress = Progress(ledger, 0)
    effects = compare_with_replay(federation, ledger.line, progress.tell)
    models.RulesVersion.objects.update_or_create(
        federation=federation,
        rules=get_own_rules_hash(federation),
        defaults={
            "program": get_current_program().version,
            "compared_at": timezone.now(),
            "line": ledger.line,
            "moves": effects.moves,
            "effects": effects.as_json(),
            "decision": None,
        },
    )
    return effects


def lease_and_save_effects(federation: Federation) -> RulesEffects:
    """Compare for somebody who wants these rules applied anyway; raise `Refused` while a worker is busy."""
    rows = Ledger.objects.filter(federation=federation)
    leased = jobs.claim(rows, rows.get().pk, wait_for_lock=True)
    if leased is None:
        raise Refused(_("A worker is computing this office’s ratings. Try again in a moment."))
    try:
        with without_gc():
            return compare_and_save_effects(federation, leased)
    finally:
        jobs.release(leased, attempts=0, folded=0, to_fold=0)


@transaction.atomic
def _adopt(federation: Federation, ledger: Ledger) -> bool:
    """Bring the rules into force without folding anything, because they give what is stored."""
    if not jobs.lock_claimed(ledger):
        return False
    same = Ledger.objects.filter(pk=ledger.pk, rules=ledger.rules, line=ledger.line)
    if not same.update(rules=get_own_rules_hash(federation), agreed_rules=""):
        return False
    _note_in_force(federation, ledger.rules)
    jobs.release(ledger, attempts=0, not_before=None, last_error="", folded=0, to_fold=0)
    log.info("the rules of this program give what is stored", office=federation.code)
    return True


@transaction.atomic
def _fold_again(federation: Federation, ledger: Ledger) -> bool:
    """Fold everything by the rules, and bring them into force in the same transaction."""
    if not jobs.lock_claimed(ledger):
        return False
    before = ledger.rules
    ledger.refresh_from_db()
    Ledger.objects.filter(pk=ledger.pk).update(wanted=ledger.wanted + 1)  # pages go by it
    ledger.wanted += 1
    fold_everything_again(federation, ledger)
    _note_in_force(federation, before)
    log.info("everything was folded anew by the rules of this program", office=federation.code)
    return True


def _note_in_force(federation: Federation, before: str) -> None:
    """Note since when this program's rules are in force, and until when those `before` were."""
    now, own = timezone.now(), get_own_rules_hash(federation)
    versions = models.RulesVersion.objects.filter(federation=federation)
    if before and before != own:
        versions.update_or_create(rules=before, federation=federation, defaults={"left_at": now})
    fields: Mapping[str, Any] = {
        "in_force_at": now,
        "left_at": None,
        "program": get_current_program().version,
    }
    versions.update_or_create(rules=own, federation=federation, defaults=fields)
    versions.filter(in_force_at=None, left_at=None).delete()
