"""Files of an archive that only together are a section: Swiss-Manager's players and their pairings, and
SwissPerfect's three files.
"""

import io
from collections.abc import Iterator, Sequence
from itertools import takewhile
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from tournaments.formats.common.zip_members import ZipMember
from tournaments.formats.swiss_manager import text_exports
from tournaments.formats.swiss_perfect import three_files


def grouped_parts(parts: Sequence[ZipMember]) -> list[list[ZipMember]]:
    """Group parts in order; pairings go with the players of their folder whose file is named most alike.

    Pairings that could go with two of them stay alone, and their reader says what is missing.
    """
    sets = list(_sets_of_three(parts))
    taken = {part.name for group in sets for part in group}
    parts = [part for part in parts if part.name not in taken]
    kinds = {part.name: text_exports.kind_in(part) for part in parts}
    players = [part for part in parts if kinds[part.name] == "players"]
    groups = {part.name: [part] for part in parts if kinds[part.name] != "pairings"}
    for part in parts:
        if kinds[part.name] == "pairings":
            owner = _players_of(part, players)
            groups.setdefault(owner.name if owner else part.name, []).append(part)
    return [*sets, *groups.values()]


def _sets_of_three(parts: Sequence[ZipMember]) -> Iterator[list[ZipMember]]:
    """Yield the files of each tournament of SwissPerfect's, the three that are named alike."""
    named: dict[str, list[ZipMember]] = {}
    for part in parts:
        named.setdefault(three_files.stem_of(part), []).append(part)
    for alike in named.values():
        own = [part for part in alike if part.name.lower().endswith(three_files.SUFFIXES)]
        if three_files.belong_together(own):
            yield own


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
