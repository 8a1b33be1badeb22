"""Links of a case: signed, made anew for each letter and stored nowhere. One opens its own case alone."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.core import signing
from django.urls import reverse
from django.utils.http import urlencode

from tournaments.cases.models import Case

CONFIRM, FOLLOW = "tournaments.cases.confirm", "tournaments.cases.follow"
GOOD_FOR = timedelta(days=3)
"""The time within which a mail address is confirmed; what was not confirmed by then is deleted."""
PAGES = {CONFIRM: "ratings:confirm_report", FOLLOW: "ratings:follow_report"}


def token_of(case: Case, purpose: str) -> str:
    """The token that opens a case. It covers the moment of the report: after a restore another case may get
    the same key.
    """
    return signing.dumps([case.pk, case.reported_at.isoformat()], salt=purpose)


def link_of(case: Case, purpose: str) -> str:
    """The whole address behind which a case is confirmed or followed. The token stands in the query, which no
    log of requests keeps.
    """
    page = reverse(PAGES[purpose], args=[case.federation.code])
    return f"{settings.SITE_ADDRESS}{page}?{urlencode({'case': token_of(case, purpose)})}"


def case_of(token: str, purpose: str, office: int) -> Case | None:
    """The case of an office that a token opens; None where it opens none, or not any more."""
    try:
        given = signing.loads(token, salt=purpose, max_age=GOOD_FOR if purpose == CONFIRM else None)
        key, reported = given
    except (signing.BadSignature, TypeError, ValueError):
        return None
    found = Case.objects.select_related("federation", "region", "section__event", "player__federation")
    case = found.filter(pk=key, federation=office).first()
    return case if case and case.reported_at.isoformat() == reported else None
