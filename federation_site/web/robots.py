"""robots.txt for search engines. Pages say `noindex` themselves; files and searches cannot."""

from django.http import HttpResponse
from django.urls import reverse

from players.office.access import OfficeRequest, public

RULES = (
    "Disallow: /accounts/",
    "Disallow: /api/",
    # Lists of women or of an age, and searches by name: the pages that they lead to are open.
    "Disallow: /*?*sex=",
    "Disallow: /*?*age=",
    "Disallow: /*?*q=",
    "Disallow: /*?*find=",
    "Disallow: /*?*player=",
    # The same lists in other orders and views.
    "Disallow: /*?*sort=",
    "Disallow: /*?*only=",
    # Whole lists and the record as files: they name children too.
    "Disallow: /*/lists/*/r*/*.",
    "Disallow: /*/dump/",
    "Disallow: /*.csv",
    "Disallow: /*.trf",
    "Disallow: /*.elo",
    "Disallow: /*.ndjson",
)


@public
def robots(request: OfficeRequest) -> HttpResponse:
    """robots.txt, the same for every robot and every office on this site."""
    sitemap = request.build_absolute_uri(reverse("ratings:sitemaps"))
    text = "\n".join(("User-agent: *", *RULES, "", f"Sitemap: {sitemap}", ""))
    return HttpResponse(
        text, content_type="text/plain; charset=utf-8", headers={"Cache-Control": "max-age=86400"}
    )
