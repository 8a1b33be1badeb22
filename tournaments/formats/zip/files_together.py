"""Files of an archive that only together are a section: Swiss-Manager's players and their pairings."""

import io
from collections.abc import Sequence
from itertools import takewhile
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from tournaments.formats.common.zip_members import ZipMember
from tournaments.formats.swiss_manager import text_exports


def grouped_parts(parts: Sequence[ZipMember]) -> list[list[ZipMember]]:
    """Group parts in order; pairings go with the players of their folder whose file is named most alike.

    Pairings that could go with two of them stay alone, and their reader says what is missing.
    """
    kinds = {part.name: text_exports.kind_in(part) for part in parts}
    players = [part for part in parts if kinds[part.name] == "players"]
    groups = {part.name: [part] for part in parts if kinds[part.name] != "pairings"}
    for part in parts:
        if kinds[part.name] == "pairings":
            owner = _players_of(part, players)
            groups.setdefault(owner.name if owner else part.name, []).append(part)
    return list(groups.values())


def _players_of(pairings: ZipMember, players: Sequence[ZipMember]) -> ZipMember | None:
    near = [part for part in players if _folder(part) == _folder(pairings)]
    alike = {part.name: _alike(part.name, pairings.name) for part in near}
    most = [part for part in near if alike[part.name] == max(alike.values())]
    return most[0] if len(most) == 1 else None


def _alike(one: str, other: str) -> int:
    """The number of letters in which the beginnings of two names agree."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _folder(part: ZipMember) -> str:
    return part.name.rpartition("/")[0]


def as_one(group: Sequence[ZipMember]) -> ZipMember:
    """One file as it is; several as a small ZIP of their own, whose bytes depend on theirs alone."""
    [first, *others] = group
    if not others:
        return first
    made = io.BytesIO()
    with ZipFile(made, "w") as archive:
        for part in group:
            archive.writestr(ZipInfo(part.name.rpartition("/")[2]), part.data, ZIP_DEFLATED)
    bare = [part.name.rpartition("/")[2] for part in others]
    return ZipMember(" + ".join([first.name, *bare]), made.getvalue())
