"""Gives the program out, in every version that drew a list."""

from __future__ import annotations

from django.http import Http404, HttpResponse, HttpResponseBase
from django.utils.translation import gettext as _

from players.office.access import OfficeRequest, public
from ratings.proof.program.build import Program
from ratings.proof.program.keeping import program_of
from ratings.public.common.caching import for_ever

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
