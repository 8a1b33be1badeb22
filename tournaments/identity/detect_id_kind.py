"""The kind of a file's id column: told by the players whom the ids find, else asked once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from players.office.models import Federation
from players.register.models import Identifier, Player
from ratings.equipment.find_equipment import equipment_of
from ratings.law.ruleset import Ruleset
from tournaments.events.models import Entry
from tournaments.formats.trf.dialects import LEAST_OF_FIDE
from tournaments.identity.evidence import alike, keys_of
from tournaments.identity.id_kinds import FIDE, NUMBER, SEVERAL, file_without_names, spellings

STANDARD = ("TRF16", "TRF26", "Swiss-Manager", "Vega", "Sharly-Chess", "Tornelo", "bbpPairings")
OF_THE_FORMAT = {"ELO": "wof"}
BY_THE_BOOK = {**dict.fromkeys(STANDARD, FIDE), **OF_THE_FORMAT}
"""The register to which the column belongs, by dialect. In the older TRF it is often a club's own."""
EXAMPLES = 3


def kind_in(federation: Federation, entries: Sequence[Entry], dialect: str = "") -> str:
    """The kind of the column's ids, by the players whom they find under the name in the file; where it has no
    names, the kind of all ids of its format.

    Empty if they find nobody, or mostly other names, by chance.
    """
    if file_without_names(entries):
        return _kept_here(federation.ruleset, OF_THE_FORMAT.get(dialect, ""))
    named = {entry.filed_id: entry for entry in entries if entry.filed_id}
    found: Counter[str] = Counter()
    borne_out: Counter[str] = Counter()
    for kind, value, key in _known(federation, named):
        found[kind] += 1
        borne_out[kind] += any(alike(own, key) for own in keys_of(named[value]))
    kinds = [kind for kind in found if 2 * borne_out[kind] >= found[kind]]
    return "" if not kinds else kinds[0] if len(kinds) == 1 else SEVERAL


def _known(federation: Federation, filed: Collection[str]) -> list[tuple[str, str, str]]:
    """Look filed ids up in the register: the kind, the id as filed, and the folded surname of its player."""
    spelt = {spelling: value for value in filed for spelling in spellings(value)}
    players = Player.objects.of(federation).filter(number__in=spelt).order_by()  # no order: another index
    numbers = players.values_list("number", "name_key")
    others = Identifier.objects.filter(federation=federation, value__in=spelt, player__merged_into=None)
    rows = [(NUMBER, *row) for row in numbers]
    rows += others.values_list("kind", "value", "player__name_key")
    return [(kind, spelt[value], key) for kind, value, key in rows]


def is_asked(ruleset: Ruleset, entries: Sequence[Entry]) -> bool:
    """Whether to ask for the kind of the id column: it matters where other registers' ids could be kept."""
    return bool(equipment_of(ruleset).office.id_kinds) and bool(unknown_ids(entries))


def unknown_ids(entries: Iterable[Entry]) -> list[str]:
    """The ids in the file's id column, of entries for which the column's kind is not known."""
    return [entry.filed_id for entry in entries if entry.filed_id and not entry.id_kind]


def some_ids(entries: Iterable[Entry]) -> str:
    """The first few ids of the file's id column whose kind is not known, as examples in a question."""
    ids = unknown_ids(entries)
    return ", ".join(ids[:EXAMPLES] + ["…"] * (len(ids) > EXAMPLES))


def suggested(ruleset: Ruleset, dialect: str, entries: Iterable[Entry]) -> str:
    """The kind of ids that this dialect has in its id column by the standard; empty if there is none, or if
    the ids cannot be of that kind: FIDE gave nobody one of fewer digits than six.
    """
    kind = BY_THE_BOOK.get(dialect, "")
    ids = [entry.filed_id.lstrip("0") for entry in entries if entry.filed_id]
    if kind == FIDE and any(len(id_) < LEAST_OF_FIDE for id_ in ids):
        return ""
    return _kept_here(ruleset, kind)


def _kept_here(ruleset: Ruleset, kind: str) -> str:
    """The kind, if offices of this ruleset keep ids of it; else nothing."""
    return kind if kind in {offered.code for offered in equipment_of(ruleset).office.id_kinds} else ""
