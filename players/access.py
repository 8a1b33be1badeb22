"""Permissions, the roles that grant them, and the decorator that every view must have.

A view declares `@page(Permission.X)`, `@page(PUBLIC)` or `@page(SIGNED_IN)`; one that declares nothing fails
the check `federation_site.E001`, and the site does not start. A page of an office without the permission
answers 403, somebody else's object 404. Where the office requires a second factor, people without one are
redirected to the page that adds one; actions that are hard to undo require reauthentication.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, cast
from urllib.parse import urlsplit

from allauth.account.authentication import get_authentication_records
from allauth.core.exceptions import ReauthenticationRequired
from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _, gettext_lazy as _lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from players.languages import activate_language
from players.models import Federation, Ledger, Region, Role, User
from players.record import Refused
from players.settings import get_settings, today

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


# ---- Second factors and reauthentication
SAFE_METHODS = ("GET", "HEAD")
FORM_GRACE_SECONDS = 10 * 60
"""Seconds for which a form may still be sent after the last authentication has expired."""


def redirect_to_second_factor(request: HttpRequest, office: Federation) -> HttpResponseBase | None:
    """Redirect a person without a second factor to the page that adds one, if the office requires one."""
    if not get_settings(office).second_factor or is_mfa_enabled(request.user):
        return None
    if "HX-Request" in request.headers:
        return reload_page()
    messages.warning(request, _("%(office)s asks for a second factor: add one here.") % {"office": office})
    return redirect("mfa_index")


def require_reauthentication(request: HttpRequest) -> HttpResponseBase | None:
    """Require an authentication within `ACCOUNT_REAUTHENTICATION_TIMEOUT`; return None if there was one.

    A form may be sent for `FORM_GRACE_SECONDS` longer, so that it can be finished. Raises
    `ReauthenticationRequired`.
    """
    allowed = settings.ACCOUNT_REAUTHENTICATION_TIMEOUT + (
        0 if request.method in SAFE_METHODS else FORM_GRACE_SECONDS
    )
    if time.time() - last_authenticated_at(request) < allowed:
        return None
    if "HX-Request" in request.headers:
        return reload_page()
    raise ReauthenticationRequired


def last_authenticated_at(request: HttpRequest) -> float:
    """The time of this session's last authentication, in seconds since 1970; 0 if there is none."""
    records = get_authentication_records(request, request.user)
    return max((float(each["at"]) for each in records if each.get("reauthenticated")), default=0.0)


def get_return_path(request: HttpRequest) -> str:
    """The path to return to after signing in: this page's or the form's; empty for another site's form."""
    if request.method in SAFE_METHODS:
        return request.get_full_path()
    page = urlsplit(request.headers.get("Referer", ""))
    return page.path if page.netloc == request.get_host() else ""


def reload_page() -> HttpResponse:
    """Have htmx, which asked for a part of a page, load the whole page, which can then redirect."""
    return HttpResponse(headers={"HX-Refresh": "true"})


P = ParamSpec("P")


class Permission(StrEnum):
    """A permission, as `resource:verb`; the service, view, URL and decision have the same verb."""

    APPOINTMENTS_MANAGE = "appointments:manage"
    CASES_ANSWER = "cases:answer"
    CASES_CLOSE = "cases:close"
    EVENTS_CANCEL = "events:cancel"
    EVENTS_EDIT = "events:edit"
    EVENTS_POSTPONE = "events:postpone"
    EVENTS_REGISTER = "events:register"
    EVENTS_REINSTATE = "events:reinstate"
    EVENTS_WITHDRAW = "events:withdraw"
    KEYS_MANAGE = "keys:manage"
    LISTS_PUBLISH = "lists:publish"
    OFFICE_SETTINGS = "office:settings"
    PLAYERS_BIRTHS = "players:births"
    PLAYERS_CORRECT = "players:correct"
    PLAYERS_EXPORT = "players:export"
    PLAYERS_IMPORT = "players:import"
    PLAYERS_MERGE = "players:merge"
    PLAYERS_TRANSFER = "players:transfer"
    PLAYOFFS_RECORD = "playoffs:record"
    RANKS_CONFIRM = "ranks:confirm"
    RECORD_READ = "record:read"
    RULES_APPLY = "rules:apply"
    SECTIONS_APPROVE = "sections:approve"
    SECTIONS_FILE = "sections:file"
    SECTIONS_MEND = "sections:mend"
    SECTIONS_REFUSE = "sections:refuse"
    SECTIONS_RETURN = "sections:return"
    SECTIONS_REVIEW = "sections:review"
    SECTIONS_SUBMIT = "sections:submit"
    SECTIONS_UNRATE = "sections:unrate"


SENSITIVE_PERMISSIONS = frozenset(
    {
        Permission.APPOINTMENTS_MANAGE,
        Permission.KEYS_MANAGE,
        Permission.LISTS_PUBLISH,
        Permission.OFFICE_SETTINGS,
        Permission.PLAYERS_MERGE,
        Permission.RULES_APPLY,
        Permission.SECTIONS_MEND,
        Permission.SECTIONS_UNRATE,
    }
)
"""Permissions whose pages require a recent authentication."""

_FILING = {
    Permission.CASES_ANSWER,
    Permission.EVENTS_CANCEL,
    Permission.EVENTS_EDIT,
    Permission.EVENTS_POSTPONE,
    Permission.EVENTS_REGISTER,
    Permission.EVENTS_REINSTATE,
    Permission.EVENTS_WITHDRAW,
    Permission.KEYS_MANAGE,
    Permission.SECTIONS_FILE,
    Permission.SECTIONS_SUBMIT,
}


@dataclass(frozen=True, slots=True)
class RoleTerms:
    """A role's label, description and permissions."""

    label: StrOrPromise
    description: StrOrPromise
    grants: frozenset[Permission]
    in_region: bool = False
    """Whether an appointment is for one region; otherwise it is for the whole federation."""


ROLES: dict[str, RoleTerms] = {
    Role.REGIONAL: RoleTerms(
        Role.REGIONAL.label,
        _lazy("A regional administrator registers events of the region and files their sections."),
        frozenset(_FILING | {Permission.PLAYERS_EXPORT, Permission.PLAYERS_TRANSFER, Permission.RECORD_READ}),
        in_region=True,
    ),
    Role.OFFICIAL: RoleTerms(
        Role.OFFICIAL.label,
        _lazy("An official reviews what the regions file, approves it and publishes the lists."),
        frozenset(
            _FILING
            | {
                Permission.CASES_CLOSE,
                Permission.LISTS_PUBLISH,
                Permission.PLAYERS_BIRTHS,
                Permission.PLAYERS_CORRECT,
                Permission.PLAYERS_EXPORT,
                Permission.PLAYERS_IMPORT,
                Permission.PLAYERS_MERGE,
                Permission.PLAYERS_TRANSFER,
                Permission.PLAYOFFS_RECORD,
                Permission.RANKS_CONFIRM,
                Permission.RECORD_READ,
                Permission.RULES_APPLY,
                Permission.SECTIONS_APPROVE,
                Permission.SECTIONS_MEND,
                Permission.SECTIONS_REFUSE,
                Permission.SECTIONS_RETURN,
                Permission.SECTIONS_REVIEW,
                Permission.SECTIONS_UNRATE,
            }
        ),
    ),
    Role.ADMINISTRATOR: RoleTerms(
        Role.ADMINISTRATOR.label,
        _lazy(
            "A federation administrator appoints people and manages the settings, but does not rate sections."
        ),
        frozenset(
            {
                Permission.APPOINTMENTS_MANAGE,
                Permission.OFFICE_SETTINGS,
                Permission.PLAYERS_EXPORT,
                Permission.RECORD_READ,
            }
        ),
    ),
}
"""The roles of an office. `models.py` names them for the database, and constrains which have a region."""


def region_problem(role: str, region: Region | None) -> str:
    """Why the role cannot be given in this region, or without one; empty if it can."""
    if ROLES[role].in_region and region is None:
        return _("This role is for one region: choose it.")
    if region is not None and not ROLES[role].in_region:
        return _("This role is for the whole federation: choose no region.")
    return ""


@dataclass(frozen=True, slots=True)
class Rights:
    """A person's rights in one office today."""

    federation: Federation
    everywhere: frozenset[Permission] = frozenset()
    in_regions: Mapping[Permission, frozenset[int]] = field(default_factory=dict)

    def __contains__(self, permission: str) -> bool:
        """Whether the person has the permission everywhere or in some region."""
        return permission in self.everywhere or permission in self.in_regions

    @property
    def any(self) -> bool:
        return bool(self.everywhere or self.in_regions)

    def region_keys_unless_everywhere(self, permission: Permission) -> frozenset[int]:
        """Primary keys of the regions in which the person has the permission, if not everywhere."""
        return self.in_regions.get(permission, frozenset())

    def regions(self, permission: Permission) -> Any:
        """QuerySet of the regions in which the person has the permission."""
        regions = Region.objects.filter(federation=self.federation)
        return (
            regions
            if permission in self.everywhere
            else regions.filter(pk__in=self.region_keys_unless_everywhere(permission))
        )


def get_rights(user: Any, federation: Federation, on: Any) -> Rights:
    """Read a person's rights from the database, because a role may end before the session does."""
    if not user.is_authenticated:
        return Rights(federation)
    everywhere: set[Permission] = set()
    in_regions: dict[Permission, frozenset[int]] = {}
    appointments = cast(User, user).appointments.filter(federation=federation)
    for appointment in appointments.on(on):
        for permission in ROLES[appointment.role].grants:
            if appointment.region_id is None:
                everywhere.add(permission)
            else:
                in_regions[permission] = in_regions.get(permission, frozenset()) | {appointment.region_id}
    return Rights(federation, frozenset(everywhere), in_regions)


class OfficeRequest(HttpRequest):
    """A request with the office, the person's rights and the page's permission, which `page` adds."""

    office: Federation
    rights: Rights
    permission: Permission
    user: User


View = Callable[Concatenate[OfficeRequest, P], HttpResponseBase]
DjangoView = Callable[..., HttpResponseBase]


def _enter(request: HttpRequest, office: str) -> OfficeRequest:
    entered = cast(OfficeRequest, request)
    entered.office = get_object_or_404(Federation, code=office)
    entered.rights = get_rights(request.user, entered.office, today(entered.office))
    activate_language(request, entered.office)
    return entered


PUBLIC, SIGNED_IN, BY_KEY = "public", "signed-in", "by-key"
"""Instead of a permission: a page for anybody, one for everybody who is signed in, and one for programs with
a region's key (`players.filing_keys`), which no session opens.
"""
READ, FORM, POST, ANY = ("GET", "HEAD"), ("GET", "HEAD", "POST"), ("POST",), ()
"""The HTTP methods of pages that are only read, that also take a form, that only take one; any method."""


def page(
    permission: Permission | str,
    *,
    methods: Sequence[str] = READ,
    caching: Callable[[Any], Any] | None = never_cache,
) -> Callable[[View[P]], DjangoView]:
    """Mark a view: who may open it, by which HTTP methods, and how its responses are cached.

    `permission`: a view for people with a permission limits them to their regions itself. `caching`: a
    decorator; None for a view that sets the headers itself. The request gets the URL's office, if it has one.
    """

    def mark(view: View[P]) -> DjangoView:
        answer: DjangoView = require_http_methods(methods)(view) if methods else view
        if caching is not None:
            answer = caching(answer)

        @wraps(view)
        def inner(
            request: HttpRequest, *args: Any, office: str | None = None, **kwargs: Any
        ) -> HttpResponseBase:
            entered = _enter(request, office) if office else cast(OfficeRequest, request)
            entered.permission = cast(Permission, permission)
            if permission != PUBLIC and (response := _turn_away(entered, permission)) is not None:
                return response
            try:
                return answer(entered, *args, **kwargs)
            except Refused as refused:
                # An office restored from a backup can record nothing yet: answer 503.
                if not (office and Ledger.objects.filter(federation=entered.office, held=True).exists()):
                    raise refused
                held = render(entered, "503.html", {"reason": refused}, status=503)
                held["Retry-After"] = "600"
                return held

        inner.permission = permission  # type: ignore[attr-defined]
        return inner

    return mark


def is_public(view: Any) -> bool:
    """Whether anybody may open the view."""
    return getattr(view, "permission", None) == PUBLIC


def _turn_away(request: OfficeRequest, permission: str) -> HttpResponseBase | None:
    """Redirect a person who has to sign in, add a second factor or authenticate again; else None.

    Raises `PermissionDenied` for a person without the permission.
    """
    if not request.user.is_authenticated:
        return redirect_to_sign_in(request)
    rights: Rights | None = getattr(request, "rights", None)
    if permission != SIGNED_IN and (rights is None or permission not in rights):
        raise PermissionDenied(_("Your appointments in this office do not allow this."))
    if rights and (permission != SIGNED_IN or rights.any):
        response = redirect_to_second_factor(request, rights.federation)
        if response is None and permission in SENSITIVE_PERMISSIONS:
            response = require_reauthentication(request)
        return response
    return None


def redirect_to_sign_in(request: HttpRequest) -> HttpResponseBase:
    """Redirect to the sign-in, and from there back to the page, or to the page with the form that was sent.

    The URL that a form is sent to may accept only POST. A request of htmx reloads the whole page.
    """
    if "HX-Request" in request.headers:
        return reload_page()
    page = get_return_path(request)
    return redirect_to_login(page) if page else redirect("account_login")


def office_context(request: HttpRequest) -> dict[str, Any]:
    """Template context: `office`, whether the user is `appointed` there, and `may` by permission.

    Permissions have `_` for `:` there (`may.lists_publish`).
    """
    rights: Rights | None = getattr(request, "rights", None)
    if rights is None:
        return {"office": None, "appointed": False, "may": {}}
    return {
        "office": rights.federation,
        "appointed": rights.any,
        "may": {p.value.replace(":", "_"): p in rights for p in Permission},
    }
