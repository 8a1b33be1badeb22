"""Tells a published list as its JSON file does: everything by which it can be checked."""

from __future__ import annotations

from typing import Any

from ratings.law.facts import LIST_FORM
from ratings.lists.models import RatingList


def list_as_json(
    rating_list: RatingList, *, origin: str | None = None, checkpoint: str | None = None
) -> dict[str, Any]:
    """The content of a list's JSON file, keys in the order of `docs/journal.md`. `checkpoint`: the signed
    note that covers the list's line, if there is one yet.
    """
    rows = [line.split(",") for line in bytes(rating_list.content).decode().splitlines()]
    before, former = rating_list.supersedes, {}
    if before is not None and before.program_sha256 != rating_list.program_sha256:
        former = {"former_program": _program_of(before)}
    return {
        "form": LIST_FORM,
        "origin": origin,
        "code": rating_list.federation.code,
        "track": rating_list.track,
        "on": rating_list.on.isoformat(),
        "revision": rating_list.revision,
        "line": rating_list.fact.number,
        "edition": rating_list.edition,
        "program": _program_of(rating_list),
        "sha256": rating_list.sha256,
        "checkpoint": checkpoint,
        "rows": [[number, rating, int(games)] for number, rating, games in rows],
        **former,
    }


def _program_of(rating_list: RatingList) -> dict[str, str] | None:
    """Version and checksum of the program that drew the list up; None where none is stored."""
    if not rating_list.program_sha256:
        return None
    return {"version": rating_list.program_version, "sha256": rating_list.program_sha256}
