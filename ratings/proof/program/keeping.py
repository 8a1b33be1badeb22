"""Keeps the program that draws a list, and gives out every kept one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ratings.proof.program.build import Program, current
from ratings.proof.program.models import ProgramFile

if TYPE_CHECKING:
    from ratings.lists.models import RatingList


def keep() -> Program:
    """Store the program of this process among the others, in the transaction of the list that it draws."""
    program = current()
    ProgramFile.objects.defer("content").get_or_create(
        sha256=program.sha256, defaults={"version": program.version, "content": program.content}
    )
    return program


def program_of(name: str) -> Program | None:
    """The program of a file's name: a kept one, or the one that runs here; None where there is no such."""
    if name == current().name:
        return current()
    short = name.removesuffix(".pyz").rpartition("-")[2]
    for kept in ProgramFile.objects.filter(sha256__startswith=short):
        program = Program(kept.version, bytes(kept.content))
        if program.name == name:
            return program
    return None


def drawn_by(rating_list: RatingList) -> tuple[str, str]:
    """Version and checksum of the program that drew a list up; this program's, for a list that names none."""
    if rating_list.program_sha256:
        return rating_list.program_version, rating_list.program_sha256
    return current().version, current().sha256
