"""Django as the gateway calls it: in a thread, with a whole body, for a whole answer."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from tempfile import SpooledTemporaryFile
from typing import IO, Any

from django.core import signals
from django.core.handlers.asgi import ASGIHandler, get_script_prefix
from django.core.handlers.base import BaseHandler
from django.http import FileResponse, HttpResponseBase
from django.urls import set_script_prefix

from federation_site.gateway.limits import IN_MEMORY

Headers = list[tuple[bytes, bytes]]


@dataclass(frozen=True, slots=True)
class WholeResponse:
    """An answer of Django's, complete with all its content; whoever sends it closes the content."""

    status: int
    headers: Headers
    content: IO[bytes]


class Site(ASGIHandler):
    """Django with all its middleware, called synchronously from a thread of the gateway."""

    def __init__(self) -> None:
        BaseHandler.__init__(self)
        self.load_middleware()

    def answer(self, scope: dict[str, Any], body: IO[bytes]) -> WholeResponse:
        """Answer a request. The thread is free again when this returns, however slow the reader is."""
        set_script_prefix(get_script_prefix(scope))
        signals.request_started.send(sender=self.__class__, scope=scope)
        request, error = self.create_request(scope, body)
        response = error if request is None else self.get_response(request)
        assert response is not None
        try:
            return WholeResponse(response.status_code, headers_of(response), content_of(response))
        finally:
            response.close()  # sends `request_finished`, in the thread that holds the connection


def headers_of(response: HttpResponseBase) -> Headers:
    found = [(name.encode("ascii"), value.encode("latin1")) for name, value in response.items()]
    cookies = (each.output(header="").strip().encode("ascii") for each in response.cookies.values())
    return [*found, *((b"Set-Cookie", cookie) for cookie in cookies)]


def content_of(response: HttpResponseBase) -> IO[bytes]:
    """The content of Django's response as an open file: in memory or, if large, on disk, or its own file."""
    if isinstance(response, FileResponse) and (file := getattr(response, "file_to_stream", None)):
        with suppress(OSError, AttributeError):  # no file of the system's
            return os.fdopen(os.dup(file.fileno()), "rb")
    content: IO[bytes] = SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115  the caller closes it
    try:
        for part in response:
            content.write(part)
    except BaseException:
        content.close()
        raise
    content.seek(0)
    return content
