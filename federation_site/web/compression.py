"""Compression of answers on their way out: pages, tables and files that are text."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.cache import patch_vary_headers
from django.utils.text import compress_string

from players.pages.answer_encodings import (
    ENCODINGS,
    accepted_encoding,
    encode,
    encode_parts,
    mark_encoded,
    may_be_encoded,
)

GetResponse = Callable[[HttpRequest], HttpResponseBase]
PADDED = ("gzip",)
"""Encodings that have a place for bytes of chance."""
RANDOM_BYTES = 100
"""The most bytes of chance in the file name that a private page's gzip has: without them, a stranger who can
put words of his own into a page, and see how long it is, could guess secrets beside them (BREACH).
"""


def compress_answers(get_response: GetResponse) -> GetResponse:
    """Make a middleware that compresses what is text, in the way that the reader's program takes."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if may_be_encoded(response):
            patch_vary_headers(response, ("Accept-Encoding",))
            public = "public" in response.get("Cache-Control", "")
            if encoding := accepted_encoding(request, ENCODINGS if public else PADDED):
                _compress(response, encoding, public=public)
        return response

    return middleware


def _compress(response: HttpResponseBase, encoding: str, *, public: bool) -> None:
    if response.streaming:
        response.streaming_content = encode_parts(response.streaming_content, encoding)  # type: ignore[attr-defined]
        response.headers.pop("Content-Length", None)
    else:
        assert isinstance(response, HttpResponse)
        response.content = encode(response.content, encoding) if public else _padded(response.content)
        response.headers["Content-Length"] = str(len(response.content))
    mark_encoded(response, encoding)


def _padded(content: bytes) -> bytes:
    return compress_string(content, max_random_bytes=RANDOM_BYTES)
