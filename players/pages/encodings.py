"""Encodings in which answers travel: brotli or gzip, whichever the reader's program takes, for all text."""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence

import brotli
from django.http import HttpRequest, HttpResponseBase
from django.utils.cache import patch_vary_headers

ENCODINGS = ("br", "gzip")
"""The smallest first."""
TEXTUAL = re.compile(r"text/|application/(json|x-ndjson|xml|\w+\+(json|xml))|image/svg\+xml")
SMALLEST = 400
"""Bytes; a shorter answer fits into one packet as it is."""
QUALITY_OF_PAGES, QUALITY_OF_FILES = 4, 5
"""The levels of brotli, of 11: the higher takes twice the time for a tenth less; a page is for one look."""
GZIP_LEVEL = 6
REFUSED = re.compile(r"q=0(\.0*)?$")


def accepted_encoding(request: HttpRequest, among: Sequence[str] = ENCODINGS) -> str:
    """The first of some encodings that a reader's program says it takes; empty for none."""
    taken = set()
    for each in request.headers.get("Accept-Encoding", "").lower().split(","):
        name, _, weight = each.partition(";")
        if not REFUSED.match(weight.strip()):
            taken.add(name.strip())
    return next((encoding for encoding in among if encoding in taken), "")


def encode(content: bytes, encoding: str) -> bytes:
    """Compress content; always to the same bytes."""
    if encoding == "br":
        packed: bytes = brotli.compress(content, mode=brotli.MODE_TEXT, quality=QUALITY_OF_PAGES)
        return packed
    return gzip.compress(content, GZIP_LEVEL, mtime=0)


def encode_parts(parts: Iterable[bytes], encoding: str) -> Iterator[bytes]:
    """Compress content that comes part by part."""
    if encoding == "br":
        compressor = brotli.Compressor(mode=brotli.MODE_TEXT, quality=QUALITY_OF_FILES)
        put, end = compressor.process, compressor.finish
    else:
        deflate = zlib.compressobj(GZIP_LEVEL, zlib.DEFLATED, 16 + zlib.MAX_WBITS)
        put, end = deflate.compress, deflate.flush
    for part in parts:
        if written := put(part):
            yield written
    yield end()


def may_be_encoded(response: HttpResponseBase) -> bool:
    """Whether an answer is text of some length that nobody has compressed yet."""
    if response.has_header("Content-Encoding") or not TEXTUAL.match(response.get("Content-Type", "")):
        return False
    return response.streaming or len(response.content) >= SMALLEST  # type: ignore[attr-defined]


def mark_encoded(response: HttpResponseBase, encoding: str) -> None:
    """Say in an answer's headers how it travels. Its etag becomes weak: the bytes differ by encoding."""
    response.headers["Content-Encoding"] = encoding
    patch_vary_headers(response, ("Accept-Encoding",))
    etag = response.headers.get("ETag", "")
    if etag.startswith('"'):
        response.headers["ETag"] = f"W/{etag}"
