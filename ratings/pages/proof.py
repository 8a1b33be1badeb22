"""Public pages and files to verify the record: the journal, its log (C2SP tlog-tiles), and the program."""

import gzip
import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
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

from players.access import PUBLIC, OfficeRequest, page
from players.models import Federation, Player
from players.pages.encodings import accepted_encoding, set_encoding_headers
from players.writing import open_unfinished_file, page_cache
from ratings import transparency_log
from ratings.disclosure import redact_withheld_names
from ratings.journal import journal_lines, reason_words
from ratings.lists import list_as_json
from ratings.models import Checkpoint, Fact, LogKey, RatingList
from ratings.pages.responses import FRESH_SECONDS, cache_forever, cached_page
from ratings.program import (
    Program,
    find_program,
    get_current_program,
    get_program_version_and_hash,
    program_file_name,
)
from ratings.recompute import CORRECTING_JOURNAL_KINDS, checksum as list_checksum
from ratings.rulesets import facts, journal_lines as journal_form
from ratings.signing import get_origin, get_tile_content
from ratings.witnesses import find_signature, list_witnesses

# ---- The journal's log (C2SP tlog-tiles), and lists with their checkpoints
PLAIN_TEXT = "text/plain; charset=utf-8"
CHECKPOINT_CACHE_SECONDS = 5
"""Seconds for which caches may keep a checkpoint."""


def newest_checkpoint(federation: Federation) -> Checkpoint | None:
    return Checkpoint.objects.of(federation).newest_first().prefetch_related("cosignatures").first()


def checkpoint_of(rating_list: RatingList) -> Checkpoint | None:
    """The checkpoint over the journal up to and including the list's line; None until it is signed."""
    signed = Checkpoint.objects.of(rating_list.federation).filter(size=rating_list.fact.number)
    signed = signed.select_related("key")
    return signed.prefetch_related("cosignatures").order_by("number").first()


@page(PUBLIC, caching=None)
def checkpoint(request: OfficeRequest) -> HttpResponseBase:
    """The newest checkpoint, with the signatures of witnesses."""
    newest = newest_checkpoint(request.office)
    if newest is None:
        raise Http404(_("Nothing is signed in this office yet."))
    return _small_response(request, newest.served.encode(), PLAIN_TEXT, seconds=CHECKPOINT_CACHE_SECONDS)


@page(PUBLIC, caching=None)
def tile(request: OfficeRequest, path: str) -> HttpResponseBase:
    """A tile or a bundle of entries of the signed tree; any other path is 404."""
    asked, newest = transparency_log.parse_tile_path(f"tile/{path}"), newest_checkpoint(request.office)
    width = transparency_log.get_tile_width(asked.level, asked.index, newest.size) if asked and newest else 0
    if asked is None or asked.width > width:
        raise Http404(_("The log has no such tile."))
    return cache_forever(
        HttpResponse(get_tile_content(request.office, asked), content_type="application/octet-stream")
    )


@page(PUBLIC, caching=None)
def vkey(request: OfficeRequest) -> HttpResponseBase:
    """The verifier keys, the newest first, one a line."""
    keys = LogKey.objects.filter(federation=request.office).values_list("vkey", flat=True)
    if not keys:
        raise Http404(_("This office has no key yet."))
    return _small_response(
        request, "".join(f"{key}\n" for key in keys).encode(), PLAIN_TEXT, seconds=FRESH_SECONDS
    )


@page(PUBLIC, caching=None)
def list_file(
    request: OfficeRequest, label: str, track: str, revision: int | None = None
) -> HttpResponseBase:
    """Download of a published list as JSON, with everything that proves it; `revision` None: the newest."""
    lists = RatingList.objects.of(request.office).with_label(label).select_related("fact", "federation")
    if revision is None:
        found = lists.filter(track=track).order_by("-revision").first()
        if found is None:
            raise Http404(_("No list was published then."))
    else:
        found = get_object_or_404(lists, track=track, revision=revision)
    signed = checkpoint_of(found)
    body = (
        json.dumps(list_file_content(found, signed), ensure_ascii=False, separators=(",", ":")).encode()
        + b"\n"
    )
    # A witness may sign later, so readers must ask again.
    return _small_response(request, body, "application/json", seconds=FRESH_SECONDS if signed else 0)


def list_file_content(rating_list: RatingList, signed: Checkpoint | None) -> dict[str, Any]:
    """The content of a list's JSON file; `signed`: the checkpoint that covers the list's line, if any."""
    origin = signed.key.origin if signed else get_origin(rating_list.federation)
    return list_as_json(rating_list, origin=origin, checkpoint=signed.served if signed else None)


def _small_response(
    request: OfficeRequest, body: bytes, media_type: str, *, seconds: int
) -> HttpResponseBase:
    """A response with an ETag that caches may keep for some seconds; 304 to readers who have the same."""
    response = HttpResponse(body, content_type=media_type)
    etag = quote_etag(list_checksum(body)[:32])
    answer = get_conditional_response(request, etag=etag, response=response) or response
    answer["ETag"] = etag
    patch_cache_control(answer, public=True, max_age=seconds)
    return answer


# ---- The journal's public form as a file, written once for each state of the record
GZIP_LEVEL = 6
"""Compresses a journal to a tenth, at 30 MB a second."""

_write_lock = Lock()
"""Held while a file is written: readers who ask meanwhile wait for it, and none writes it again."""


def open_or_write_journal_file(federation: Federation, *, packed: bool = False) -> IO[bytes]:
    """Open the file with the journal's public form as it is now, written first if it is missing.

    The caller closes it. `packed`: compressed by gzip. Raises OSError where there is no room for the file.
    """
    folder = Path(settings.JOURNALS_DIR)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    plain = folder / f"{federation.code}-{_state(federation)}.ndjson"
    path = _gzip_path(plain) if packed else plain
    with suppress(FileNotFoundError):
        return path.open("rb")
    with _write_lock:
        if not path.exists():
            _write(federation, plain)
        return path.open("rb")


def journal_bytes(federation: Federation) -> Iterator[bytes]:
    """The journal's public form, line by line, up to the number of lines that the ledger had when read."""
    lines = islice(journal_lines(federation), max(federation.ledger.facts, 1))
    return (f"{line}\n".encode() for line in lines)


def _state(federation: Federation) -> str:
    """A digest for the file's name, which changes with each line and with decisions that hide or show names.

    It covers the newest line and decision themselves, so that another database in the same place (a restored
    one) never gets this one's file.
    """
    ledger = federation.ledger
    line = Fact.objects.filter(federation=federation, number=ledger.facts).values_list("line", flat=True)
    decided = federation.decisions.filter(number=ledger.decisions).values_list("hash", flat=True)
    state = f"{ledger.facts} {ledger.decisions} {line.first()} {decided.first()}"
    return hashlib.sha256(state.encode()).hexdigest()[:32]


def _gzip_path(path: Path) -> Path:
    return path.with_name(f"{path.name}.gz")


def _write(federation: Federation, path: Path) -> None:
    """Write the journal's file, plain and packed, and delete the office's older files.

    Both are written under other names and renamed, so that nobody reads half of a file.
    """
    with open_unfinished_file(path.parent) as plain, open_unfinished_file(path.parent) as packed:
        with gzip.GzipFile("", "wb", GZIP_LEVEL, packed) as packer:
            for line in journal_bytes(federation):
                plain.write(line)
                packer.write(line)
        files = {path: plain, _gzip_path(path): packed}
        for name, file in files.items():
            file.flush()
            os.replace(file.name, name)
    for older in path.parent.glob(f"{federation.code}-*.ndjson*"):
        if older not in files and older.name.rpartition("-")[0] == federation.code:
            older.unlink(missing_ok=True)


# ---- Instructions to verify a published list
def proof_of(rating_list: RatingList) -> dict[str, Any]:
    """The files, commands and checksums with which readers verify a list, whose journal line and federation
    should be loaded with it.

    `check` is the command that ends in OK, with the key that signed the checkpoint, if there is one; `replay`
    writes the list's bytes. `checkpoint`: empty until it is signed. `here` is for the page's own script
    (static/js/proof.js).
    """
    federation, line = rating_list.federation, rating_list.fact.number
    version, sha256 = get_program_version_and_hash(rating_list)
    program, journal = program_file_name(version, sha256), f"{federation.code}-journal.ndjson"
    revision = f"-r{rating_list.revision}" if rating_list.revision > 1 else ""
    file = f"{federation.code}-{rating_list.track}-{rating_list.label}{revision}.json"
    address = (federation.code, rating_list.label, rating_list.track, rating_list.revision)
    signed = checkpoint_of(rating_list)
    key = f' --key "{signed.key.vkey}"' if signed else ""
    return {
        "line": line,
        "sha256": rating_list.sha256,
        "program": program,
        "program_sha256": sha256,
        "journal": journal,
        "file": file,
        "file_url": reverse("ratings:list_revision_file", args=address),
        "check": f"python {program} check {journal} {file}{key}",
        "replay": f"python {program} replay {journal} --through {line} --list {rating_list.track}",
        "checkpoint": signed.served if signed else "",
        "witnesses": list_witnessed(federation, signed.key.origin, line) if signed else [],
        "here": {
            "office": federation.code,
            "list": reverse("ratings:list_revision_file", args=address),
            "log": reverse("ratings:journal", args=[federation.code]),
            "line": line,
            "entry": rating_list.fact.line,
            "sha256": rating_list.sha256,
            "keys": list_keys_with_first_checkpoints(federation),
            "witnesses": [{"vkey": each.vkey, "own": not each.url} for each in list_witnesses(federation)],
        },
    }


def list_keys_with_first_checkpoints(federation: Federation) -> list[dict[str, str]]:
    """The office's keys, the newest first, each with the first checkpoint that it signed: if it followed
    another key of the same log, that one signed it too.
    """
    keys = []
    for key in LogKey.objects.filter(federation=federation):
        first = key.checkpoints.order_by("number").values_list("note", flat=True).first()
        keys.append(
            {
                "origin": key.origin,
                "vkey": key.vkey,
                "first": first or "",
                "at": key.at.isoformat(),
                "reason": redact_withheld_names(federation, key.reason),
            }
        )
    return keys


def list_witnessed(federation: Federation, origin: str, line: int = 0) -> list[dict[str, Any]]:
    """The witnesses that the office names, each with its first signature that covers a line of the journal,
    or with its newest; None where it did not sign.
    """
    return [
        {"witness": each, "signature": find_signature(federation, each.vkey, origin=origin, line=line)}
        for each in list_witnesses(federation)
    ]


def programs_of(federation: Federation) -> list[dict[str, Any]]:
    """All versions of the program that drew up lists of the office, newest first, with the number and days of
    these lists.
    """
    lists = RatingList.objects.of(federation).exclude(program_sha256="").order_by()
    versions = lists.values("program_version", "program_sha256").annotate(
        lists=Count("pk"), first=Min("on"), last=Max("on"), newest=Max("pk")
    )
    return [
        {**row, "name": program_file_name(row["program_version"], row["program_sha256"])}
        for row in versions.order_by("-newest")
    ]


# ---- Lines of the journal in words
def worded_lines(federation: Federation, lines: Sequence[Fact]) -> list[dict[str, Any]]:
    """Put lines of the journal into words for a page; their players are loaded by one query."""
    numbers = {line.subject for line in lines if line.subject and line.section_id is None}
    found = Player.objects.filter(federation=federation, number__in=numbers).select_related("merged_into")
    players = {player.number: player for player in found}
    return [_worded_line(federation, line, players.get(line.subject)) for line in lines]


def _worded_line(federation: Federation, line: Fact, player: Player | None) -> dict[str, Any]:
    """A line with its subject, the address of its page, its reason, and the line as stored; empty for a
    player's line, which has names.
    """
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
    if line.kind in CORRECTING_JOURNAL_KINDS:
        url = reverse("ratings:erratum", args=[federation.code, line.number])
    why = ""
    if line.kind == "unrated":
        fact = journal_form.parse_line(line.line, federation.ruleset)
        why = reason_words(fact.reason) if isinstance(fact, facts.Unrated) else ""
    raw = "" if line.kind == "player" else line.line
    return {"fact": line, "about": about, "url": url, "why": why, "raw": raw}


# ---- Pages and files of the journal
MOST_JOURNAL_LINES = 12


@page(PUBLIC, caching=cached_page)
def journal(request: OfficeRequest) -> HttpResponseBase:
    lines = Fact.objects.filter(federation=request.office).defer("particulars").order_by("-number")
    newest = worded_lines(request.office, list(lines.select_related("section__event")[:MOST_JOURNAL_LINES]))
    context = {"ledger": request.office.ledger, "newest": newest, "program": get_current_program()}
    return render(request, "ratings/journal.html", context)


@page(PUBLIC, caching=cached_page)
def journal_file(request: OfficeRequest) -> HttpResponseBase:
    """Download of the journal: its file, in gzip if accepted, or from the database if the disk is full."""
    name, media_type = f"{request.office.code}-journal.ndjson", "application/x-ndjson"
    response: HttpResponseBase
    encoding = accepted_encoding(request, ("gzip",))
    try:
        file = open_or_write_journal_file(request.office, packed=bool(encoding))
        response = FileResponse(file, content_type=media_type, as_attachment=True, filename=name)
        if encoding:
            set_encoding_headers(response, encoding)
    except OSError:
        response = StreamingHttpResponse(journal_bytes(request.office), content_type=media_type)
        response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["X-Robots-Tag"] = "noindex"  # it names children
    return response


@page(PUBLIC, caching=cached_page)
def journal_checksum(request: OfficeRequest) -> HttpResponseBase:
    """The journal's SHA-256 as a file for `sha256sum --check`; with `?bare`, the digits alone."""
    name = "" if "bare" in request.GET else f"  {request.office.code}-journal.ndjson\n"
    return HttpResponse(f"{journal_sha256(request.office)}{name}", content_type=PLAIN_TEXT)


def journal_sha256(federation: Federation) -> str:
    """The SHA-256 of the journal's public form, computed once for each state of it.

    Its state changes with new lines, and with decisions that hide or show names in older ones.
    """
    ledger = federation.ledger
    key = f"journal-sha256-{federation.pk}-{ledger.facts}-{ledger.decisions}"
    if (known := page_cache.get(key)) is None:
        digest = hashlib.sha256()
        for line in journal_bytes(federation):
            digest.update(line)
        known = digest.hexdigest()
        page_cache.set(key, known, None)
    return str(known)


@page(PUBLIC, caching=cached_page)
def check(request: OfficeRequest) -> HttpResponseBase:
    federation = request.office
    lists = RatingList.objects.of(federation).on_newest_day().current().without_content()
    by_track = {each.track: each for each in lists.select_related("fact", "federation")}
    newest = next((by_track[t.code] for t in federation.ruleset.tracks if t.code in by_track), None)
    context = {
        "newest": newest,
        "proof": newest and proof_of(newest),
        "program": get_current_program(),
        "programs": programs_of(request.office),
        "log_keys": LogKey.objects.filter(federation=request.office),
        "checkpoint": newest_checkpoint(request.office),
        "witnesses": list_witnessed(request.office, get_origin(request.office)),
    }
    return render(request, "ratings/check.html", context)


@page(PUBLIC, caching=cached_page)
def description(request: OfficeRequest) -> HttpResponseBase:
    """Download of the journal's description, from which readers can be written."""
    text = (settings.ROOT / "docs" / "journal.md").read_bytes()
    return HttpResponse(text, content_type=PLAIN_TEXT)


# ---- The versions of the program that drew up lists
@page(PUBLIC, caching=None)
def program(request: OfficeRequest, name: str) -> HttpResponseBase:
    """Download of one version of the program; its name has version and checksum, so it never changes."""
    found = _get_program(name)
    headers = {"Content-Disposition": f'attachment; filename="{found.name}"'}
    return cache_forever(
        HttpResponse(found.content, content_type="application/octet-stream", headers=headers)
    )


@page(PUBLIC, caching=None)
def checksum(request: OfficeRequest, name: str) -> HttpResponseBase:
    """The SHA-256 of that version of the program as a file for `sha256sum --check`."""
    found = _get_program(name)
    return cache_forever(HttpResponse(f"{found.sha256}  {found.name}\n", content_type=PLAIN_TEXT))


def _get_program(name: str) -> Program:
    found = find_program(name)
    if found is None:
        raise Http404(_("No list here was drawn up by this program."))
    return found
