"""The page of operations: how the site does, in plain words, with what to do about what is not in order."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from federation_site.operators.access import operators_only
from federation_site.operators.figures import figures_by_topic
from federation_site.operators.offices import offices


@operators_only
@never_cache
@require_safe
def operations(request: HttpRequest) -> HttpResponse:
    now = timezone.now()
    topics, rows = figures_by_topic(now), offices(now)
    late = [(part.title, each) for part in (*rows, *topics) for each in part.figures if each.mend]
    return render(request, "operations.html", {"topics": topics, "offices": rows, "late": late, "now": now})
