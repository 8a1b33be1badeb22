"""What decisions hold: each one leaves a salted digest of its subject as it stands then, by which `verify`
names whatever was altered since beside the office's services.

A part is a subject of decisions with its rows, such as `event 2024-017` or `section 2024-017/A`. Which tables
and columns belong to one is said by `settings.SOURCES`, the table of where each stored value comes from. Only
the newest digest of a part keeps its salt, so that nobody can try values that were erased since against older
ones.
"""

import hashlib
import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from django.apps import apps
from django.conf import settings
from django.db.models import Model, Q, QuerySet
from django.utils.module_loading import import_string

from players import seals
from players.models import Decision, Federation, HeldPart

AT_ONCE = 300
"""Keys of parts that one query asks for."""
Rows = list[str]
"""A part's rows in canonical form, sorted."""


@dataclass(frozen=True, slots=True)
class Held:
    """The rows of one table that belong to a kind of parts."""

    part: str
    """The first word of the part's name."""
    federation: str
    """The lookup of the office."""
    key: tuple[str, ...]
    """The lookups of the rest of its name: none for the office, one, or a section's event and code."""
    columns: tuple[str, ...]
    """Columns, or what names the row that one points to (`region__code`); no keys of the database."""


@dataclass(frozen=True, slots=True)
class Sources:
    """Where the columns of one table come from: each is in one of the three."""

    held: Held | None = None
    """The columns that decisions hold."""
    checked: Mapping[str, str] = field(default_factory=dict)
    """Columns, apart by spaces, with what else `verify` compares them with."""
    needless: Mapping[str, str] = field(default_factory=dict)
    """Columns, apart by spaces, with why no page, letter or line is untrue by them."""

    @property
    def held_columns(self) -> set[str]:
        """The table's own columns that decisions hold, with those by which a row is of its part."""
        lookups = (self.held.federation, *self.held.key, *self.held.columns) if self.held else ()
        return {each.partition("__")[0] for each in lookups} - {"pk"}


def get_sources() -> Mapping[str, Sources]:
    """The sources of each table, by the label of its model."""
    found: Mapping[str, Sources] = import_string(settings.SOURCES)
    return found


def parts_of(federation: Federation, about: str) -> set[str]:
    """The parts that a decision about a thing holds: with a section its event, with an event its sections."""
    kind, _space, key = about.partition(" ")
    match kind:
        case "section":
            event = key.rpartition("/")[0]
            return {about, f"entries {key}", f"event {event}"}
        case "event":
            sections = _rows("tournaments.Section", federation, Q(event__number=key))
            return {about, *(f"section {key}/{code}" for code in sections.values_list("code", flat=True))}
        case "player" | "appointment" | "case":
            return {about}
        case "settings" | "office" | "region":
            return {"office"}
    return set()


def _rows(label: str, federation: Federation, only: Q) -> QuerySet[Model]:
    held = get_sources()[label].held
    assert held is not None
    rows: QuerySet[Model] = apps.get_model(label)._default_manager.filter(only)
    return rows.filter(**{held.federation: federation.pk})


def read_parts(federation: Federation, parts: Collection[str] | None) -> dict[str, Rows]:
    """The rows of parts as they stand, by the part; with None of all that there are in the office."""
    found: dict[str, Rows] = defaultdict(list)
    keys: dict[str, set[str]] | None = None
    if parts is not None:
        found.update({part: [] for part in parts})
        keys = defaultdict(set)
        for part in parts:
            kind, _space, key = part.partition(" ")
            keys[kind].add(key)
    for label, sources in get_sources().items():
        held = sources.held
        if held is None or (keys is not None and held.part not in keys):
            continue
        table, wide = label.rpartition(".")[2], len(held.key)
        for only in _filters(held, keys):
            rows = _rows(label, federation, only).order_by().values_list(*held.key, *held.columns)
            for row in rows.iterator(chunk_size=5_000):
                name = " ".join([held.part, "/".join(map(str, row[:wide]))]).strip()
                if parts is None or name in found:
                    found[name].append(_canonical([table, *row[wide:]]))
    return {part: sorted(rows) for part, rows in found.items()}


def _filters(held: Held, keys: Mapping[str, set[str]] | None) -> Iterable[Q]:
    """The conditions by which the rows of parts are found, some parts a query."""
    if keys is None or not held.key:
        return [Q()]
    asked = sorted(keys[held.part])
    if len(held.key) > 1:
        if len(asked) == 1:
            event, _slash, code = asked[0].rpartition("/")
            return [Q(**{held.key[0]: event, held.key[1]: code})]
        asked = sorted({key.rpartition("/")[0] for key in asked})
    return [Q(**{f"{held.key[0]}__in": asked[at : at + AT_ONCE]}) for at in range(0, len(asked), AT_ONCE)]


def _plain(value: Any) -> str:
    """A value of a column as text, the same from every database."""
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="microseconds")
    if isinstance(value, date):
        return value.isoformat()
    assert isinstance(value, Decimal)
    return str(value)


_canonical = json.JSONEncoder(
    ensure_ascii=False, sort_keys=True, separators=(",", ":"), default=_plain
).encode


# ---- What a decision holds
def changed_parts(federation: Federation, parts: Collection[str] | None) -> list[HeldPart]:
    """Rows for the parts that are not as the newest decision holds them, unsaved; None: for all parts."""
    if parts is not None and not parts:
        return []
    before = {each.part: each for each in _newest(federation, parts)}
    changed = []
    for part, rows in sorted(read_parts(federation, parts).items()):
        known = before.get(part)
        if known is None or seals.digest(known.salt, rows) != known.digest:
            salt = seals.new_salt()
            changed.append(
                HeldPart(federation=federation, part=part, salt=salt, digest=seals.digest(salt, rows))
            )
    return changed


def _newest(federation: Federation, parts: Collection[str] | None) -> Iterable[HeldPart]:
    newest = HeldPart.objects.filter(federation=federation).exclude(salt="").only("part", "salt", "digest")
    if parts is None:
        yield from newest
        return
    names = sorted(parts)
    for at in range(0, len(names), AT_ONCE):
        yield from newest.filter(part__in=names[at : at + AT_ONCE])


def combine(rows: Iterable[HeldPart]) -> str:
    """The digest of what a decision holds; empty if it holds nothing."""
    lines = sorted(f"{each.part} {each.digest}\n" for each in rows)
    return hashlib.sha256("".join(lines).encode()).hexdigest() if lines else ""


def save(decision: Decision, rows: list[HeldPart]) -> None:
    """Save what a decision holds, and delete the salts of what earlier ones held of the same parts."""
    names = [each.part for each in rows]
    for at in range(0, len(names), AT_ONCE):
        older = HeldPart.objects.filter(federation=decision.federation_id, part__in=names[at : at + AT_ONCE])
        older.exclude(salt="").update(salt="")
    for each in rows:
        each.decision = decision
    HeldPart.objects.bulk_create(rows, batch_size=2_000)
