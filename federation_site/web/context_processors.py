from django.http import HttpRequest


def nonce(request: HttpRequest) -> dict[str, object]:
    """The nonce of this answer's content security policy, by the name that django-htmx's tags look for."""
    return {"csp_nonce": getattr(request, "csp_nonce", "")}
