"""Pages and files with which anybody can prove the record: the journal, its signed log, and the program.

The log is served as C2SP tlog-tiles, and each list can be had with its checkpoint. Further pages give the
journal as a file, put its lines into words, tell how to prove a list, and hand out every version of the
program that drew one.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import IO, Any

from django.conf import settings
from django.db.models import Count, Max, Min
from django.http import FileResponse, Http404, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.cache import get_conditional_response, patch_cache_control
from django.utils.formats import date_format
from django.utils.http import quote_etag
from django.utils.translation import gettext as _

from players.access import OfficeRequest, public
from players.models import Federation, Player
from players.pages.encodings import accepted_encoding, mark_encoded
from players.storage import cache, unfinished_file
from ratings import transparency_log
from ratings.journal import journal_lines, reason_words
from ratings.lists import list_as_json
from ratings.models import Checkpoint, Fact, LogKey, RatingList
from ratings.pages.responses import FRESH, cached_page, for_ever
from ratings.program import Program, current, drawn_by, file_name, program_of
from ratings.recompute import CORRECTING
from ratings.recompute import checksum as list_checksum
from ratings.rulesets import facts
from ratings.rulesets import journal_lines as journal_form
from ratings.signing import content_of, origin_of

# ---- The journal's log for others' programs (C2SP tlog-tiles), and each list with its checkpoint.
TEXT = "text/plain; charset=utf-8"
SECONDS = 5
"""Seconds for which a checkpoint may be kept."""


def newest_checkpoint(federation: Federation) -> Checkpoint | None:
    return Checkpoint.objects.of(federation).newest_first().prefetch_related("cosignatures").first()


def checkpoint_of(rating_list: RatingList) -> Checkpoint | None:
    """The checkpoint over the journal up to and including the list's line; None until it is signed."""
    signed = Checkpoint.objects.of(rating_list.federation).filter(size=rating_list.fact.number)
    return signed.prefetch_related("cosignatures").order_by("number").first()


@public
def checkpoint(request: OfficeRequest) -> HttpResponseBase:
    """The newest checkpoint, with the signatures of witnesses."""
    newest = newest_checkpoint(request.office)
    if newest is None:
        raise Http404(_("Nothing is signed in this office yet."))
    return _with_etag(request, newest.served.encode(), TEXT, seconds=SECONDS)


@public
def tile(request: OfficeRequest, path: str) -> HttpResponseBase:
    """A tile or a bundle of entries of the signed tree; any other path is 404."""
    asked, newest = transparency_log.parse_path(f"tile/{path}"), newest_checkpoint(request.office)
    there = transparency_log.width_at(asked.level, asked.index, newest.size) if asked and newest else 0
    if asked is None or asked.width > there:
        raise Http404(_("The log has no such tile."))
    return for_ever(HttpResponse(content_of(request.office, asked), content_type="application/octet-stream"))


@public
def vkey(request: OfficeRequest) -> HttpResponseBase:
    """The verifier keys, the newest first, one a line."""
    keys = LogKey.objects.filter(federation=request.office).values_list("vkey", flat=True)
    if not keys:
        raise Http404(_("This office has no key yet."))
    return _with_etag(request, "".join(f"{key}\n" for key in keys).encode(), TEXT, seconds=FRESH)


@public
def list_file(
    request: OfficeRequest, label: str, track: str, revision: int | None = None
) -> HttpResponseBase:
    """Download of a published list as JSON, with everything that proves it; `revision` None: the newest."""
    lists = RatingList.objects.of(request.office).labelled(label).select_related("fact", "federation")
    if revision is None:
        found = lists.filter(track=track).order_by("-revision").first()
        if found is None:
            raise Http404(_("No list was published then."))
    else:
        found = get_object_or_404(lists, track=track, revision=revision)
    signed = checkpoint_of(found)
    body = json.dumps(written(found, signed), ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
    # A witness may sign later, so readers must ask again.
    return _with_etag(request, body, "application/json", seconds=FRESH if signed else 0)


def written(rating_list: RatingList, signed: Checkpoint | None) -> dict[str, Any]:
    """The content of a list's JSON file; `signed`: the checkpoint that covers the list's line, if there is
    one yet.
    """
    origin = signed.key.origin if signed else origin_of(rating_list.federation)
    return list_as_json(rating_list, origin=origin, checkpoint=signed.served if signed else None)


def _with_etag(request: OfficeRequest, body: bytes, media_type: str, *, seconds: int) -> HttpResponseBase:
    """Answer with a small body that caches may keep for some seconds; 304 to readers who hold the same."""
    response = HttpResponse(body, content_type=media_type)
    etag = quote_etag(list_checksum(body)[:32])
    found = get_conditional_response(request, etag=etag, response=response) or response
    found["ETag"] = etag
    patch_cache_control(found, public=True, max_age=seconds)
    return found


# ---- The journal's public form as a file, written once for each state of the record.
PACKING = 6
"""The level of gzip: it packs a journal to a tenth, at 30 MB a second."""

_writing = Lock()
"""Held while a file is written: readers who ask meanwhile wait for it, and none writes it again."""


def open_journal(federation: Federation, *, packed: bool = False) -> IO[bytes]:
    """Open the file with the journal's public form as it stands now, written first if it is not there; the
    caller closes it. `packed`: the same, compressed by gzip.

    Raises OSError where there is no room for the file.
    """
    folder = Path(settings.JOURNALS_DIR)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    plain = folder / f"{federation.code}-{_state(federation)}.ndjson"
    path = _packed(plain) if packed else plain
    with suppress(FileNotFoundError):
        return path.open("rb")
    with _writing:
        if not path.exists():
            _write(federation, plain)
        return path.open("rb")


def journal_bytes(federation: Federation) -> Iterator[bytes]:
    """The journal's public form as bytes, a line each, up to the number of lines that the ledger had when it
    was read; later lines are left to the next reader.
    """
    lines = islice(journal_lines(federation), max(federation.ledger.facts, 1))
    return (f"{line}\n".encode() for line in lines)


def _state(federation: Federation) -> str:
    """A digest that names the file: it changes when a line is added, or when a decision hides or shows names
    in older lines.

    It covers the newest line and decision themselves, so that another database in the same place (a restored
    one) never gets this one's file.
    """
    ledger = federation.ledger
    line = Fact.objects.filter(federation=federation, number=ledger.facts).values_list("line", flat=True)
    decided = federation.decisions.filter(number=ledger.decisions).values_list("hash", flat=True)
    said = f"{ledger.facts} {ledger.decisions} {line.first()} {decided.first()}"
    return hashlib.sha256(said.encode()).hexdigest()[:32]


def _packed(path: Path) -> Path:
    return path.with_name(f"{path.name}.gz")


def _write(federation: Federation, path: Path) -> None:
    """Write the journal's file, plain and packed, under other names and rename both, so that nobody reads
    half of it; then delete the office's older files.
    """
    with unfinished_file(path.parent) as plain, unfinished_file(path.parent) as packed:
        with gzip.GzipFile("", "wb", PACKING, packed) as packer:
            for line in journal_bytes(federation):
                plain.write(line)
                packer.write(line)
        files = {path: plain, _packed(path): packed}
        for name, written in files.items():
            written.flush()
            os.replace(written.name, name)
    for older in path.parent.glob(f"{federation.code}-*.ndjson*"):
        if older not in files and older.name.rpartition("-")[0] == federation.code:
            older.unlink(missing_ok=True)


# ---- Instructions to prove a published list: files, commands, expected result.
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


# ---- Put lines of the journal into words for pages, with links to what they mention.
@dataclass(frozen=True, slots=True)
class WordedLine:
    """One line of the journal for a page: whom or what it is about, its reason, and the line itself."""

    fact: Fact
    about: str
    url: str
    """URL of the erratum, section, player or list; empty if none."""
    why: str
    raw: str
    """The line as stored; empty for a player's."""


def worded_lines(federation: Federation, lines: Sequence[Fact]) -> list[WordedLine]:
    """Put lines of the journal into words for a page; the players in them are looked up together."""
    numbers = {line.subject for line in lines if line.subject and line.section_id is None}
    people = Player.objects.filter(federation=federation, number__in=numbers).select_related("merged_into")
    named = {player.number: player for player in people}
    return [_worded(federation, line, named.get(line.subject)) for line in lines]


def _worded(federation: Federation, line: Fact, player: Player | None) -> WordedLine:
    about, url = line.subject, ""
    if line.section is not None:
        about = f"{line.section.event.name}, {line.section.name}"
        url = reverse("ratings:section", args=[federation.code, line.section.event.number, line.section.code])
    elif player is not None:
        about = f"{player.shown_name} ({player.number})"
        url = reverse("ratings:player", args=[federation.code, player.number])
    elif line.kind == "list" and line.on:
        about = date_format(line.on, "DATE_FORMAT")
        url = reverse("ratings:list_day", args=[federation.code, line.on.isoformat()])
    if line.kind in CORRECTING:
        url = reverse("ratings:erratum", args=[federation.code, line.number])
    raw = "" if line.kind == "player" else line.line  # names are shown in the file alone
    return WordedLine(line, about, url, _why(federation, line), raw)


def _why(federation: Federation, line: Fact) -> str:
    if line.kind != "unrated":
        return ""
    fact = journal_form.parse_line(line.line, federation.ruleset)
    return reason_words(fact.reason) if isinstance(fact, facts.Unrated) else ""


# ---- Pages and files of the open record, and of working it out again.
NEWEST = 12


@public
@cached_page
def journal(request: OfficeRequest) -> HttpResponseBase:
    lines = Fact.objects.filter(federation=request.office).defer("particulars").order_by("-number")
    newest = worded_lines(request.office, list(lines.select_related("section__event")[:NEWEST]))
    context = {"ledger": request.office.ledger, "newest": newest, "program": current()}
    return render(request, "ratings/journal.html", context)


@public
@cached_page
def journal_file(request: OfficeRequest) -> HttpResponseBase:
    """Download of the whole journal: its file, packed for programs that take that, or lines from the database
    where the disk has no room.
    """
    name, kind = f"{request.office.code}-journal.ndjson", "application/x-ndjson"
    response: HttpResponseBase
    packed = accepted_encoding(request, ("gzip",))
    try:
        file = open_journal(request.office, packed=bool(packed))
        response = FileResponse(file, content_type=kind, as_attachment=True, filename=name)
        if packed:
            mark_encoded(response, packed)
    except OSError:
        response = StreamingHttpResponse(journal_bytes(request.office), content_type=kind)
        response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["X-Robots-Tag"] = "noindex"  # it names children
    return response


@public
@cached_page
def journal_checksum(request: OfficeRequest) -> HttpResponseBase:
    """The journal's SHA-256 as a file for `sha256sum --check`; with `?bare`, the digits alone."""
    name = "" if "bare" in request.GET else f"  {request.office.code}-journal.ndjson\n"
    written = f"{journal_sum(request.office)}{name}"
    return HttpResponse(written, content_type="text/plain; charset=utf-8")


def journal_sum(federation: Federation) -> str:
    """The SHA-256 of the journal's public form, worked out once for each state of it: lines are added, and
    decisions may hide or show names in those that stand.
    """
    ledger = federation.ledger
    key = f"journal-sha256-{federation.pk}-{ledger.facts}-{ledger.decisions}"
    if (known := cache.get(key)) is None:
        digest = hashlib.sha256()
        for line in journal_bytes(federation):
            digest.update(line)
        known = digest.hexdigest()
        cache.set(key, known, None)
    return str(known)


@public
@cached_page
def check(request: OfficeRequest) -> HttpResponseBase:
    federation = request.office
    lists = RatingList.objects.of(federation).of_newest_day().current().without_content()
    by_track = {each.track: each for each in lists.select_related("fact", "federation")}
    newest = next((by_track[t.code] for t in federation.ruleset.tracks if t.code in by_track), None)
    context = {
        "newest": newest,
        "proof": newest and proof_of(newest),
        "program": current(),
        "programs": programs_of(request.office),
        "log_keys": LogKey.objects.filter(federation=request.office),
        "checkpoint": newest_checkpoint(request.office),
    }
    return render(request, "ratings/check.html", context)


@public
@cached_page
def description(request: OfficeRequest) -> HttpResponseBase:
    """Download of the journal's description: every kind of line, enough to write a reader of one's own."""
    text = (settings.ROOT / "docs" / "journal.md").read_bytes()
    return HttpResponse(text, content_type="text/plain; charset=utf-8")


# ---- Give out the program, in every version that drew a list.
MEDIA_TYPE = "application/octet-stream"


@public
def program(request: OfficeRequest, name: str) -> HttpResponseBase:
    """Download of one version of the program. Version and a part of the checksum are in its name, so the
    bytes under it never change.
    """
    found = _found(name)
    headers = {"Content-Disposition": f'attachment; filename="{found.name}"'}
    return for_ever(HttpResponse(found.content, content_type=MEDIA_TYPE, headers=headers))


@public
def checksum(request: OfficeRequest, name: str) -> HttpResponseBase:
    """The SHA-256 of that version of the program as a file for `sha256sum --check`."""
    found = _found(name)
    written = f"{found.sha256}  {found.name}\n"
    return for_ever(HttpResponse(written, content_type="text/plain; charset=utf-8"))


def _found(name: str) -> Program:
    found = program_of(name)
    if found is None:
        raise Http404(_("No list here was drawn up by this program."))
    return found
