from django.http import HttpRequest, HttpResponse
from django.template import loader


def server_error(request: HttpRequest) -> HttpResponse:
    """The page for a fault of ours. It uses neither session nor database, which may be what failed."""
    page = loader.get_template("500.html").render({"request_id": request.META.get("REQUEST_ID", "")})
    return HttpResponse(page, status=500)
