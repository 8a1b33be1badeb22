"""Instructions to prove a published list: the files to have, the commands, and the expected result."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, Max, Min
from django.urls import reverse

from players.office.models import Federation
from ratings.lists.models import RatingList
from ratings.proof.program.build import file_name
from ratings.proof.program.keeping import drawn_by
from ratings.public.proof.log_files import checkpoint_of


@dataclass(frozen=True, slots=True)
class Proof:
    """The means to prove a list, as its page tells doubters: files, commands, expected checksum."""

    line: int
    """The line of the journal that published the list."""
    sha256: str
    program: str
    """The file name of the program that drew it up, with version and checksum."""
    program_sha256: str
    journal: str
    """The journal's file, as a browser saves it."""
    file: str
    """The list's own file, as its link saves it."""
    file_url: str
    check: str
    """The command that ends in OK."""
    replay: str
    """The command that writes the list's bytes."""
    checkpoint: str
    """The signed checkpoint of the journal up to the line; empty until it is signed."""


def proof_of(rating_list: RatingList) -> Proof:
    """Make a list's proof; its journal line and federation must be loaded with it."""
    federation = rating_list.federation
    version, sha256 = drawn_by(rating_list)
    program, journal = file_name(version, sha256), f"{federation.code}-journal.ndjson"
    file, line = f"{file_stem(rating_list)}.json", rating_list.fact.number
    here = (federation.code, rating_list.label, rating_list.track, rating_list.revision)
    signed = checkpoint_of(rating_list)
    return Proof(
        line=line,
        sha256=rating_list.sha256,
        program=program,
        program_sha256=sha256,
        journal=journal,
        file=file,
        file_url=reverse("ratings:list_revision_file", args=here),
        check=f"python {program} check {journal} {file}",
        replay=f"python {program} replay {journal} --through {line} --list {rating_list.track}",
        checkpoint=signed.served if signed else "",
    )


def file_stem(rating_list: RatingList) -> str:
    revision = f"-r{rating_list.revision}" if rating_list.revision > 1 else ""
    return f"{rating_list.federation.code}-{rating_list.track}-{rating_list.label}{revision}"


def main_list(federation: Federation) -> RatingList | None:
    """The newest list of the federation's first track, as the example to prove; else of the next track."""
    lists = RatingList.objects.of(federation).of_newest_day().current().without_content()
    by_track = {each.track: each for each in lists.select_related("fact", "federation")}
    return next((by_track[t.code] for t in federation.ruleset.tracks if t.code in by_track), None)


@dataclass(frozen=True, slots=True)
class Drawn:
    """A version of the program that drew up lists of the office, with their number and first and last day."""

    name: str
    sha256: str
    lists: int
    first: object
    last: object


def programs_of(federation: Federation) -> list[Drawn]:
    """All versions of the program that drew up a list of the office, newest first, for download."""
    lists = RatingList.objects.of(federation).exclude(program_sha256="").order_by()
    found = lists.values("program_version", "program_sha256").annotate(
        lists=Count("pk"), first=Min("on"), last=Max("on"), newest=Max("pk")
    )
    return [
        Drawn(
            file_name(row["program_version"], row["program_sha256"]),
            row["program_sha256"],
            row["lists"],
            row["first"],
            row["last"],
        )
        for row in found.order_by("-newest")
    ]
