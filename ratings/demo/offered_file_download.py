"""The demo's own address: its files, to download and to upload again."""

from __future__ import annotations

from django.http import FileResponse, Http404, HttpResponseBase
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from players.office.access import OfficeRequest, signed_in
from ratings.demo.files_not_uploaded import folder, offered


@signed_in
@require_safe
def demo_file(request: OfficeRequest, name: str) -> HttpResponseBase:
    """Give out an event file that the demo offers; 404 for any other name."""
    if name not in (file for _event, file in offered(request.office)):
        raise Http404(_("This file is not here, or it has been uploaded already."))
    content = (folder(request.office) / name).open("rb")
    return FileResponse(content, as_attachment=True, content_type="text/plain; charset=utf-8")
