"""The page for programmers: the API with examples that run here, dumps, the journal, feeds."""

from django.http import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse

from players.access import PUBLIC, OfficeRequest, page
from players.languages import path_without_language
from ratings.models import ListRow, RatingList
from ratings.pages.responses import cached_page
from ratings.public_tables import TABLES

PYTHON = """\
import json
from urllib.request import urlopen


def items(address):
    while address:
        with urlopen(address) as answer:
            part = json.load(answer)
        yield from part["items"]
        address = part["next"]


for row in items("%s"):
    print(row["rank"], row["name"] or row["player"], row["rating"])"""
JAVASCRIPT = """\
const answer = await fetch("%s");
for (const row of (await answer.json()).items) console.log(row.rank, row.name, row.rating);"""


@page(PUBLIC, caching=cached_page)
def programs_page(request: OfficeRequest) -> HttpResponseBase:
    """Page with the addresses of this office; its examples name the newest list and a player on it."""
    office = request.office
    newest = RatingList.objects.of(office).on_newest_day().current().without_content().order_by("pk").first()
    rows = ListRow.objects.filter(rating_list=newest, player__withheld=False).order_by("position")
    row = rows.select_related("player").first() if newest else None
    track = newest.track if newest else office.ruleset.tracks[0].code
    api = path_without_language(reverse("ratings:api_office", args=[office.code]))
    rows_path = f"{api}/lists/latest/{track}/rows"
    rows_url = request.build_absolute_uri(rows_path)
    context = {
        "api": api,
        "description": path_without_language(reverse("ratings:api_description")),
        "rows": rows_path,
        "curl": f'curl -sS "{rows_url}"',
        "python": PYTHON % rows_url,
        "javascript": JAVASCRIPT % rows_url,
        "player": row.player if row else None,
        "track": track,
        "tables": TABLES,
    }
    return render(request, "ratings/programs.html", context)
