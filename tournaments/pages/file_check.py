"""The public page that checks a file before anybody sends it. It keeps nothing, and reads nothing of the
register but numbers and names that anybody may read.
"""

from collections import defaultdict
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from players.access import FORM, PUBLIC, OfficeRequest, page
from players.models import Player
from players.pages.forms import error_status
from players.settings import today
from tournaments.file_checks import check_file
from tournaments.filing import PARTICULAR_LABELS, accepted_kind_names
from tournaments.findings import (
    build_worded_adjustments,
    build_worded_remarks,
    params_in_words,
    result_in_words,
)
from tournaments.formats.file_check import FileCheck
from tournaments.pages.forms import FileForm
from tournaments.uploads import MOST_BYTES

MOST_GAMES_SHOWN = 5_000


@page(PUBLIC, methods=FORM)
def check(request: OfficeRequest) -> HttpResponse:
    form = FileForm(request.POST, request.FILES) if request.method == "POST" else FileForm()
    context: dict[str, Any] = {"form": form, "kinds": accepted_kind_names(request.office.ruleset)}
    if form.is_valid():
        given = form.cleaned_data["file"]
        data = given.read(MOST_BYTES + 1)
        context |= _show(
            request,
            check_file(request.office, data, given.name, on=today(request.office), with_register=False),
        )
    status = error_status(request, 400) if form.errors else 200
    return render(request, "tournaments/file_check.html", context, status=status)


def _show(request: OfficeRequest, checked: FileCheck) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "checked": checked,
        "found": build_worded_remarks(checked.findings),
        "adjustments": build_worded_adjustments(checked.adjustments),
    }
    if checked.sheet is None:
        return shown
    players, games, particulars = (checked.sheet[part] for part in ("players", "games", "particulars"))
    days = {name: particulars[name] for name in ("starts", "ends")}
    particulars |= params_in_words(days)
    numbers = {row["id"] for row in players.values()} - {""}
    found = Player.objects.of(request.office).filter(number__in=numbers).select_related("federation")
    known = {player.number: player for player in found}
    return {
        **shown,
        "facts": [
            (_("Event"), checked.name),
            *((label, particulars[name]) for name, label in PARTICULAR_LABELS.items()),
            (_("Players"), len(players)),
            (_("Games"), len(games)),
            (_("Written by"), checked.program),
        ],
        "rows": [
            {**row, "number": number, "points": number_format(row["points"]), "known": known.get(row["id"])}
            for number, row in players.items()
        ],
        "rounds": _rounds(request, checked, players) if len(games) <= MOST_GAMES_SHOWN else None,
    }


def _rounds(request: OfficeRequest, checked: FileCheck, players: dict[str, Any]) -> list[dict[str, Any]]:
    """The pairs of each round by name, with the marks of both sides; byes after them."""
    assert checked.sheet is not None
    marks = request.office.publication.notation.marks
    pairs: dict[int, list[tuple[str, str, str]]] = defaultdict(list)
    for number, first, second, result in checked.sheet["games"]:
        names = (players[str(player)]["name"] for player in (first, second))
        pairs[number].append((*names, " : ".join(marks[result])))
    for number, player, kind in checked.sheet["byes"]:
        pairs[number].append((players[str(player)]["name"], result_in_words(kind), ""))
    scheduled = max(pairs, default=0) - len(checked.finals)
    return [
        {
            "name": checked.finals[number - scheduled - 1] if number > scheduled else number,
            "day": checked.round_dates[number - 1] if number <= len(checked.round_dates) else None,
            "pairs": pairs[number],
        }
        for number in sorted(pairs)
    ]
