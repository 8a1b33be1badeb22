"""Two pages for machines: is the process alive, and may it be given work?"""

from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache

from federation_site.processes.readiness import migrations_pending
from players.office.models import Ledger


@never_cache
def healthz(request: HttpRequest) -> HttpResponse:
    return HttpResponse("ok", content_type="text/plain")


@never_cache
def readyz(request: HttpRequest) -> HttpResponse:
    """200 when the database answers and fits the code, else 503; `pending` counts offices with work to do."""
    try:
        ready, pending = not migrations_pending(), Ledger.objects.pending().count()
    except DatabaseError:
        ready, pending = False, None
    return JsonResponse({"ready": ready, "pending": pending}, status=200 if ready else 503)
