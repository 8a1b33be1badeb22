"""Compares published lists with what the journal draws up: bytes, rows and heads."""

from __future__ import annotations

from datetime import UTC, datetime, time
from decimal import Decimal
from itertools import zip_longest
from typing import Any

from players.office.models import Decision, Federation
from ratings.journal.models import Fact
from ratings.law import facts, journal
from ratings.law.facts import ListClosing, Placed, Revised, State
from ratings.law.journal import list_content
from ratings.law.rule_outputs import ListedPlayer
from ratings.lists.contents import closing_of, drawn_up, moved_since, state_of_list
from ratings.lists.models import ListRow, RatingList
from ratings.proof.program.models import ProgramFile
from ratings.recompute.fold import checksum
from ratings.recompute.revised_lists import drawn_anew
from ratings.recompute.write import ONE_DAY
from ratings.verify.report import Report


def lists_by_fact(federation: Federation) -> dict[int, list[RatingList]]:
    found: dict[int, list[RatingList]] = {}
    for rating_list in RatingList.objects.filter(federation=federation).defer("content"):
        found.setdefault(rating_list.fact_id, []).append(rating_list)
    return found


def compare_closing(
    report: Report, federation: Federation, fact: facts.Fact, state: State[Any], lists: list[RatingList]
) -> None:
    """Compare the lists of a closing with what a replay of that day's journal gives, and their rows with
    their bytes. `state`: the replay's state after the closing.
    """
    if closing_of(fact) is None:
        return
    published = state_of_list(federation, fact) if moved_since(federation, fact) else state
    expected = drawn_up(federation.ruleset, fact, published)
    for rating_list in lists:
        _compare(report, federation, rating_list, fact, expected.get(rating_list.track, []))
    if fact.number <= report.settled:
        return  # the record's seal covers what was not published, too
    for track in expected.keys() - {rating_list.track for rating_list in lists}:
        report.differs(f"line {fact.number}: the list of {track} is missing")


def _compare(
    report: Report,
    federation: Federation,
    rating_list: RatingList,
    fact: facts.Fact,
    drawn: list[ListedPlayer],
) -> None:
    """Compare a list's bytes, rows, day and edition with what a replay draws up; `fact`: its closing. An old
    list that other rules drew is kept for its own program to prove.
    """
    content = bytes(RatingList.objects.values_list("content", flat=True).get(pk=rating_list.pk))
    if checksum(content) != rating_list.sha256:
        report.differs(f"list {rating_list}: its bytes are not those of its checksum")
    said, right = content.decode(errors="replace").splitlines(), list_content(drawn).decode().splitlines()
    edition = federation.ruleset.edition_for(fact).name
    if fact.number <= report.settled:
        if said != right or rating_list.edition != edition:
            report.otherwise.append(rating_list)
        _compare_rows(report, rating_list, said, None)
        return
    for position, (here, there) in enumerate(zip_longest(said, right), start=1):
        if here != there:
            words = f"a replay draws it up differently, {there} and not {here}"
            report.differs(f"list {rating_list}, row {position}: {words}")
            break
    _compare_rows(report, rating_list, said, drawn)
    told = (rating_list.on, rating_list.players, rating_list.edition)
    if told != (getattr(closing_of(fact), "on", None), len(said), edition):
        report.differs(f"list {rating_list}: day, players or edition are not those of its line and rows")


def compare_revisions(report: Report, federation: Federation, lists: dict[int, list[RatingList]]) -> None:
    """Compare the lists that `revised` lines published (by the fact's key) with what a replay gives there."""
    for line in Fact.objects.filter(federation=federation, kind="revised", pk__in=list(lists)):
        spoken = journal.parse_line(line.line, federation.ruleset)
        assert isinstance(spoken, Revised)
        drawn, closing = drawn_anew(federation, line), Placed(line.number, ListClosing(spoken.list))
        for rating_list in lists.pop(line.pk):
            _compare(report, federation, rating_list, closing, list(drawn.get(rating_list.track, ())))


def _compare_rows(
    report: Report, rating_list: RatingList, said: list[str], drawn: list[ListedPlayer] | None
) -> None:
    """Compare the rows that pages show with the list's bytes (`said`, line by line), and their other columns
    with a replay's rows; None: those that the record's seal covers.
    """
    rows = rating_list.rows.order_by("position").values_list(
        "position", "player__number", "rating", "games", "rank", "status", "player_id", "previous"
    )
    before = _list_before(rating_list)
    for at, (row, line) in enumerate(zip_longest(rows, said), start=1):
        if row is None or line is None:
            report.differs(
                f"list {rating_list}, row {at}: {'missing' if row is None else 'not of its bytes'}"
            )
            break
        position, number, rating, games, rank, status, player, previous = row
        right = drawn[at - 1] if drawn is not None and at <= len(drawn) else None
        shown = right is None or (rank, status) == (right.rank, right.status)
        as_said = f"{number},{journal.plain(rating)},{games}" == line and position == at
        if not as_said or not shown or previous != before.get(player):
            report.differs(f"list {rating_list}, row {at} ({number}): it is not the row of its bytes")


def _list_before(rating_list: RatingList) -> dict[int, Decimal]:
    """Ratings on the list before, by the player's key, in the version known when this one was drawn up."""
    same = RatingList.objects.filter(federation=rating_list.federation_id, track=rating_list.track)
    before = same.filter(on__lt=rating_list.on, ledger__lte=rating_list.ledger).order_by("-on", "-revision")
    found = before.values_list("pk", flat=True).first()
    return dict(ListRow.objects.filter(rating_list=found).values_list("player_id", "rating")) if found else {}


def compare_heads(report: Report, federation: Federation) -> None:
    """Check what each list says of itself beside its rows: version, note, hour of publication, program."""
    decided = {
        row.details.get("fact"): row
        for row in Decision.objects.filter(federation=federation, kind__in=("publish", "revise"))
        .order_by("number")
        .prefetch_related("words")
    }
    programs = {
        (each.version, each.sha256)
        for each in ProgramFile.objects.all()
        if checksum(bytes(each.content)) == each.sha256
    }
    newest: dict[tuple[object, str], RatingList] = {}
    lists = RatingList.objects.filter(federation=federation).select_related("fact").defer("content")
    for each in lists.order_by("fact__number", "pk"):
        before = newest.get((each.on, each.track))
        newest[each.on, each.track] = each
        revision = (before.revision if before else 0) + 1
        if (each.revision, each.supersedes_id) != (revision, before.pk if before else None):
            report.differs(f"list {each}: revision {each.revision} does not follow the version before it")
        if (each.program_version, each.program_sha256) not in programs:
            report.differs(f"list {each}: the program that drew it up is not here as it was")
        _compare_decided(report, each, decided.get(each.fact.number))


def _compare_decided(report: Report, rating_list: RatingList, decided: Decision | None) -> None:
    """Compare a list's note and hour of publication with the decision on record that published it, if any."""
    told = decided.details if decided else {}
    if rating_list.note != str(told.get("note") or ""):
        report.differs(f"list {rating_list}: its note is not that of the record")
    at = rating_list.published_at
    if decided is not None and at != decided.at:
        report.differs(f"list {rating_list}: it was published at another time, says the record")
    elif decided is None and not _brought_along(rating_list):
        report.differs(f"list {rating_list}: it was published on another day, says the journal")


def _brought_along(rating_list: RatingList) -> bool:
    """Whether the hour of a list without a decision fits one that came with an imported journal: noon of its
    day or, if that day was not over yet, the hour in which it was folded here.
    """
    on, at = rating_list.fact.on or rating_list.on, rating_list.published_at
    imports = Decision.objects.filter(federation=rating_list.federation_id, kind="import")
    since = imports.order_by("number").values_list("at", flat=True).first()
    folded_here = on >= at.date() - ONE_DAY and (since is None or at >= since)
    return folded_here or at == datetime.combine(on, time(12), UTC)
