"""Proves old lists, of before other rules were applied, by the programs that drew them up."""

from __future__ import annotations

import json
from itertools import islice

from players.office.models import Federation
from ratings.journal.export import sealed_lines
from ratings.lists.list_as_json import list_as_json
from ratings.lists.models import RatingList
from ratings.proof.program.build import Program
from ratings.proof.program.models import ProgramFile
from ratings.proof.program.run_kept import check_with
from ratings.recompute.fold import checksum
from ratings.recompute.rules_change.published_seal import seal_published, seals
from ratings.verify.report import Report


def compare(report: Report, federation: Federation) -> None:
    """Compare what was published before other rules were applied with the record's seals, and the lists that
    the present rules draw up otherwise (`report.otherwise`) with the programs that drew them.

    Only programs that an unaltered record vouches for are run.
    """
    sealed = dict.fromkeys(seals(federation))  # a newer one would seal what was altered under an older one
    broken = [seal for seal in sealed if seal_published(federation, seal.line) != seal]
    if not sealed:
        return
    for seal in broken:
        words = "lists and errata are not what the record sealed when other rules were applied"
        report.differs(f"up to line {seal.line}, {words}")
    if broken:
        return
    if report.record_altered:
        if report.otherwise:
            report.differs("old lists were not proved by their programs, as the record was altered")
    else:
        _prove(report, federation)


def _prove(report: Report, federation: Federation) -> None:
    by_program: dict[tuple[str, str], list[RatingList]] = {}
    for each in report.otherwise:
        by_program.setdefault((each.program_version, each.program_sha256), []).append(each)
    for (version, sha256), lists in sorted(by_program.items()):
        kept = ProgramFile.objects.filter(version=version, sha256=sha256).first()
        if kept is None or checksum(bytes(kept.content)) != sha256:
            continue  # `compare_heads` says so
        program = Program(version, bytes(kept.content))
        newest = max(each.fact.number for each in lists)
        lines = list(islice(sealed_lines(federation), newest))
        complaint = check_with(program, lines, [json.dumps(list_as_json(each)).encode() for each in lists])
        if complaint:
            named = ", ".join(map(str, lists[:5])) + (" …" if len(lists) > 5 else "")
            report.differs(f"lists {named}: the program that drew them up, {program.name}, says: {complaint}")
        else:
            report.by_kept[program.name] = len(lists)
