"""Keeps each build of `ratings.pyz` that drew up a list, and finds kept ones by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ratings.proof.program.build import Program, current
from ratings.proof.program.models import ProgramFile

if TYPE_CHECKING:
    from ratings.lists.models import RatingList


def keep() -> Program:
    """Store this process's build of `ratings.pyz`, if it is not yet kept, in the transaction of the list that
    it draws up.
    """
    program = current()
    ProgramFile.objects.defer("content").get_or_create(
        sha256=program.sha256, defaults={"version": program.version, "content": program.content}
    )
    return program


def program_of(name: str) -> Program | None:
    """The build with that file name: the one that runs here or a kept one; None where there is no such."""
    if name == current().name:
        return current()
    short = name.removesuffix(".pyz").rpartition("-")[2]
    for kept in ProgramFile.objects.filter(sha256__startswith=short):
        program = Program(kept.version, bytes(kept.content))
        if program.name == name:
            return program
    return None


def drawn_by(rating_list: RatingList) -> tuple[str, str]:
    """The version and checksum of the build that drew a list up; this process's, for a list that
    names none.
    """
    if rating_list.program_sha256:
        return rating_list.program_version, rating_list.program_sha256
    return current().version, current().sha256
