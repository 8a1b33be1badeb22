"""The seal over what an office had published when other rules were applied: it stands in the record.

Lists and errata of before stay as they are, and the present rules no longer give them. The record's chain is
signed, so whoever alters one of them is seen (`ratings.verify`), and the programs that are run to prove old
lists are those that the record vouches for.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from players.office.models import Decision, Federation
from ratings.law.journal import plain
from ratings.lists.models import ListRow, RatingList
from ratings.results.models import CorrectedRating, Erratum

KIND = "apply-rules"
"""The kind of the decision that applies other rules to what is stored."""


class PublishedSeal(NamedTuple):
    """The seal in the record: over everything that the journal's lines up to one had published."""

    line: int
    sha256: str


def newest_seal(federation: Federation) -> PublishedSeal | None:
    """The seal of the newest decision to apply other rules; None if there never was one."""
    return next(reversed(seals(federation)), None)


def seals(federation: Federation) -> list[PublishedSeal]:
    """The seals of all decisions to apply other rules, the oldest first: each holds for good."""
    decided = Decision.objects.filter(federation=federation, kind=KIND).order_by("number")
    told = decided.values_list("sealed_details", flat=True)
    return [PublishedSeal(int(details["line"]), str(details["published"])) for details in told]


def seal_published(federation: Federation, line: int) -> PublishedSeal:
    """Seal the lists and errata of the journal's lines up to `line`, as they are stored."""
    hashed = hashlib.sha256()
    for told in (*_lists(federation, line), *_errata(federation, line)):
        hashed.update(f"{json.dumps(told, ensure_ascii=False)}\n".encode())
    return PublishedSeal(line, hashed.hexdigest())


def _lists(federation: Federation, line: int) -> Iterator[list[Any]]:
    lists = RatingList.objects.filter(federation=federation, fact__number__lte=line).select_related("fact")
    for each in lists.order_by("fact__number", "track").defer("content"):
        head = [each.fact.number, each.track, each.on.isoformat(), each.revision, each.edition]
        yield [*head, each.program_version, each.program_sha256, each.sha256, each.players]
        rows = ListRow.objects.filter(rating_list=each).order_by("position")
        columns = ("position", "player__number", "rank", "rating", "previous", "games", "status")
        for *first, rating, previous, games, status in rows.values_list(*columns).iterator(5_000):
            yield [*first, _plain(rating), _plain(previous), games, status]


def _errata(federation: Federation, line: int) -> Iterator[list[Any]]:
    errata = Erratum.objects.filter(fact__federation=federation, fact__number__lte=line)
    for erratum in errata.select_related("fact").order_by("fact__number"):
        yield ["erratum", erratum.fact.number, erratum.players]
        rows = CorrectedRating.objects.filter(erratum=erratum).order_by("position")
        columns = ("position", "player__number", "track", "before", "after")
        for *first, before, after in rows.values_list(*columns):
            yield [*first, _plain(before), _plain(after)]


def _plain(rating: Any) -> str | None:
    return None if rating is None else plain(rating)
