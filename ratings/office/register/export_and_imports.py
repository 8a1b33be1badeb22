"""Pages of the register as a whole: the export as a table, and the imported tables."""

from __future__ import annotations

from tempfile import SpooledTemporaryFile
from typing import Any

from django.db.models import QuerySet
from django.http import FileResponse, Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from players.importing.export import DAY, LAYOUTS, YEAR, write_register
from players.importing.models import RegisterImport
from players.importing.services import export_register
from players.office.access import OfficeRequest, Permission, permitted
from players.office.settings_schema import today
from players.register.models import Player
from ratings.office.register.import_forms import TableForm
from ratings.office.register.import_tables import ImportsTable
from ratings.office.register.take_openings import impossible

IN_MEMORY = 4_000_000
"""The most bytes of a file in memory; a longer one is made on disk."""
IMPORTS = 20


@permitted(Permission.PLAYERS_EXPORT)
@never_cache
@require_safe
def register(request: OfficeRequest) -> HttpResponse:
    return register_page(request, TableForm(initial={"takes_numbers": not mine(request).exists()}))


def register_page(request: OfficeRequest, form: TableForm, status: int = 200) -> HttpResponse:
    """The page to export and import the whole register; people who may only export see that alone."""
    everywhere = Permission.PLAYERS_EXPORT in request.rights.everywhere
    context: dict[str, Any] = {
        "players": mine(request).count(),
        "regions": [] if everywhere else request.rights.regions(Permission.PLAYERS_EXPORT),
        "births": births_for(request),
        "layouts": [suffix.upper() for suffix in LAYOUTS],
    }
    if Permission.PLAYERS_IMPORT in request.rights:
        imports = RegisterImport.objects.filter(federation=request.office).defer("content", "reading")
        table = ImportsTable(imports.select_related("by", "federation")[:IMPORTS])
        context |= {"form": form, "imports": table, "columns": list(form_columns(request))}
        context["openings"] = not impossible(request.office)
    return render(request, "ratings/office/register.html", context, status=status)


def form_columns(request: OfficeRequest) -> list[tuple[str, str]]:
    """The headings that a table for import may have, each with words on what stands under it."""
    held = {
        "number": _(
            "The player’s number here. Empty: a new player, or one whom another id identifies; “new”: "
            "certainly new"
        ),
        "surname": _("Required for new players"),
        "first_name": "",
        "sex": _("m or f"),
        "birth": _("2010-05-03, or the year only"),
        "nation": _("Three letters, such as %(example)s")
        % {"example": request.office.ruleset.country or "CZE"},
        "resident": _("yes or no: whether the player lives in the federation’s country"),
        "included_by": _("The decision that includes a player from abroad"),
        "region": _("Its code or its name"),
        "title": _("Up to 5 letters"),
        "fide_id": _("Any other kind of id that the register has, under its own heading"),
    }
    if "included_by" not in request.office.ruleset.journal.reads:
        del held["included_by"]
    return list(held.items())


def mine(request: OfficeRequest) -> QuerySet[Player]:
    """The players whom the person signed in may export: everybody's, or those of the person's regions."""
    players = Player.objects.of(request.office).current()
    if Permission.PLAYERS_EXPORT in request.rights.everywhere:
        return players
    return players.filter(region__in=request.rights.regions(Permission.PLAYERS_EXPORT))


def births_for(request: OfficeRequest) -> str:
    return DAY if Permission.PLAYERS_BIRTHS in request.rights.everywhere else YEAR


@permitted(Permission.PLAYERS_EXPORT)
@never_cache
@require_POST
def export(request: OfficeRequest, suffix: str) -> HttpResponseBase:
    """Download of the register as a table. A form asks for it (POST), since the record keeps who took it."""
    if suffix not in LAYOUTS:
        raise Http404(_("The register is not offered in this layout."))
    players, births, day = mine(request), births_for(request), today(request.office)
    everywhere = Permission.PLAYERS_EXPORT in request.rights.everywhere
    export_register(
        federation=request.office,
        by=request.user,
        on=day,
        layout=suffix,
        births=births,
        players=players.count(),
        regions=None if everywhere else request.rights.regions(Permission.PLAYERS_EXPORT),
    )
    file = SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115 - the answer closes it
    ordered = players.order_by("number")
    write_register(file, request.office, ordered, layout=suffix, births=births, on=day)  # type: ignore[arg-type]
    file.seek(0)
    name = f"{request.office.code}-register-{day}.{suffix}"
    return FileResponse(file, as_attachment=True, filename=name, content_type=LAYOUTS[suffix])
