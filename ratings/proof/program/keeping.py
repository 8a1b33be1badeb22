"""Keeps the program that draws a list, and gives out every one that was kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ratings.proof.program.build import Program, current
from ratings.proof.program.models import ProgramFile

if TYPE_CHECKING:
    from ratings.lists.models import RatingList


def keep() -> Program:
    """The program of this process, kept among the others. Belongs into the transaction of what it drew."""
    program = current()
    ProgramFile.objects.defer("content").get_or_create(
        sha256=program.sha256, defaults={"version": program.version, "content": program.content}
    )
    return program


def program_of(name: str) -> Program | None:
    """The program of a file's name: one that was kept, or the one that runs here; None: there is no such."""
    if name == current().name:
        return current()
    short = name.removesuffix(".pyz").rpartition("-")[2]
    for kept in ProgramFile.objects.filter(sha256__startswith=short):
        program = Program(kept.version, bytes(kept.content))
        if program.name == name:
            return program
    return None


def drawn_by(rating_list: RatingList) -> tuple[str, str]:
    """Version and checksum of the program that drew a list up; of one that names none, this one's."""
    if rating_list.program_sha256:
        return rating_list.program_version, rating_list.program_sha256
    return current().version, current().sha256
