"""Compression of text responses by brotli or gzip, as the client accepts it."""

import gzip
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence

import brotli
from django.http import HttpRequest, HttpResponseBase
from django.utils.cache import patch_vary_headers

ENCODINGS = ("br", "gzip")
"""The one with the smallest results first."""
TEXTUAL = re.compile(r"text/|application/(json|x-ndjson|xml|\w+\+(json|xml))|image/svg\+xml")
MIN_COMPRESSED_BYTES = 400
"""The minimum size in bytes: a shorter response fits into one packet as it is."""
PAGE_QUALITY, FILE_QUALITY = 4, 5
"""Levels of brotli, of 11: the higher takes twice the time for a tenth less; a page is used only once."""
GZIP_LEVEL = 6
ZERO_WEIGHT = re.compile(r"q=0(\.0*)?$")


def accepted_encoding(request: HttpRequest, among: Sequence[str] = ENCODINGS) -> str:
    """The first of these encodings that the client accepts; empty if none."""
    accepted = set()
    for each in request.headers.get("Accept-Encoding", "").lower().split(","):
        name, _, weight = each.partition(";")
        if not ZERO_WEIGHT.match(weight.strip()):
            accepted.add(name.strip())
    return next((encoding for encoding in among if encoding in accepted), "")


def compress_content(content: bytes, encoding: str) -> bytes:
    """Compress content, always to the same bytes."""
    if encoding == "br":
        packed: bytes = brotli.compress(content, mode=brotli.MODE_TEXT, quality=PAGE_QUALITY)
        return packed
    return gzip.compress(content, GZIP_LEVEL, mtime=0)


def compress_parts(parts: Iterable[bytes], encoding: str) -> Iterator[bytes]:
    """Compress streamed content."""
    if encoding == "br":
        compressor = brotli.Compressor(mode=brotli.MODE_TEXT, quality=FILE_QUALITY)
        put, end = compressor.process, compressor.finish
    else:
        deflate = zlib.compressobj(GZIP_LEVEL, zlib.DEFLATED, 16 + zlib.MAX_WBITS)
        put, end = deflate.compress, deflate.flush
    for part in parts:
        if written := put(part):
            yield written
    yield end()


def can_compress(response: HttpResponseBase) -> bool:
    """Whether a response is text of at least `MIN_COMPRESSED_BYTES` bytes that is not compressed yet."""
    if response.has_header("Content-Encoding") or not TEXTUAL.match(response.get("Content-Type", "")):
        return False
    return response.streaming or len(response.content) >= MIN_COMPRESSED_BYTES  # type: ignore[attr-defined]


def set_encoding_headers(response: HttpResponseBase, encoding: str) -> None:
    """Set the response's headers for an encoding. Its etag becomes weak, as the bytes differ by encoding."""
    response.headers["Content-Encoding"] = encoding
    patch_vary_headers(response, ("Accept-Encoding",))
    etag = response.headers.get("ETag", "")
    if etag.startswith('"'):
        response.headers["ETag"] = f"W/{etag}"
