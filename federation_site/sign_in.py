"""Sign-in with django-allauth: accounts, sessions, rate limits, known devices, passwords and second factors.

There is no sign-up: an account comes with an appointment.
"""

import hashlib
import re
import secrets
import time
from base64 import b32encode, urlsafe_b64encode
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from ipaddress import ip_address, ip_network
from typing import Any, NoReturn, cast
from urllib.parse import urlsplit

import structlog
from allauth.account.adapter import DefaultAccountAdapter, get_adapter
from allauth.account.authentication import get_authentication_records
from allauth.account.forms import ResetPasswordForm
from allauth.account.internal.flows.login import record_authentication
from allauth.account.signals import password_changed, password_reset, password_set
from allauth.core import context
from allauth.core.exceptions import ReauthenticationRequired
from allauth.core.internal import ratelimit
from allauth.mfa import signals as factors
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.utils import is_mfa_enabled
from allauth.usersessions.adapter import DefaultUserSessionsAdapter
from allauth.usersessions.models import UserSession
from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout, update_session_auth_hash
from django.contrib.auth.password_validation import CommonPasswordValidator, validate_password
from django.contrib.auth.signals import user_logged_in, user_logged_out
from django.contrib.sessions.models import Session
from django.core import signing
from django.core.exceptions import RequestDataTooBig, ValidationError
from django.core.mail import EmailMessage
from django.db import transaction
from django.db.models import Count, Q, QuerySet
from django.dispatch import Signal, receiver
from django.http import Http404, HttpRequest, HttpResponse
from django.http.multipartparser import MultiPartParserError
from django.http.request import UnreadablePostError
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.http import urlencode
from django.utils.translation import gettext as _, gettext_noop
from django.views.decorators.cache import never_cache

from federation_site.models import PastSignIn
from players.access import (
    ANY,
    PUBLIC,
    get_return_path,
    last_authenticated_at,
    page,
    require_reauthentication,
)
from players.appointments import password_link_path
from players.mail import (
    COMPOSERS,
    ComposedLetter,
    compose_plain,
    language_of_reader,
    order_letter,
    override_language,
)
from players.models import Federation, Letter, User
from players.settings import get_office_time_zone, today

# ---- Past sign-ins and failed attempts
SIGN_IN_DAYS_KEPT = 90
FAILED_KEPT = 200
"""The failed attempts on one account that each night leaves, so that an attack does not fill the disk."""
BROWSERS = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
)
"""Marks of browsers in `User-Agent`; each browser also names those below it."""
SYSTEMS = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("CrOS", "ChromeOS"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
)


def note_sign_in(request: HttpRequest, user_id: int | None, outcome: str) -> None:
    """Store a sign-in or a failed attempt. `user_id`: the account's id; None: the e-mail address is unknown.

    In that case the row is deleted at once: it is written only so that the response takes as long, and does
    not reveal which addresses have accounts.
    """
    device = describe_device(request.headers.get("User-Agent", ""))
    with transaction.atomic():
        network = shorten_address(get_adapter().get_client_ip(request))
        row = PastSignIn.objects.create(user_id=user_id, outcome=outcome, network=network, device=device)
        if user_id is None:
            row.delete()


def shorten_address(address: str) -> str:
    """The network of an IP address that identifies the provider only: 24 bits of 32, 48 of 128."""
    try:
        given = ip_address(unmap_ipv4(address))
    except ValueError:
        return ""
    return str(ip_network(f"{given}/{24 if given.version == 4 else 48}", strict=False))


def unmap_ipv4(address: str) -> str:
    """Convert an IPv4 address in IPv6 notation (`::ffff:…`); return others unchanged."""
    try:
        return str(getattr(ip_address(address), "ipv4_mapped", None) or address)
    except ValueError:
        return address


def describe_device(user_agent: str) -> str:
    """Browser and system, without versions; empty if they are unknown."""
    tables = (BROWSERS, SYSTEMS)
    names = (next((name for mark, name in table if mark in user_agent), "") for table in tables)
    return ", ".join(filter(None, names))


def delete_old_sign_ins(now: datetime) -> None:
    """Delete rows older than `SIGN_IN_DAYS_KEPT`, and all but the last `FAILED_KEPT` failures of each
    account.
    """
    PastSignIn.objects.filter(at__lt=now - timedelta(days=SIGN_IN_DAYS_KEPT)).delete()
    many = (
        _failed_sign_ins()
        .order_by()
        .values("user")
        .annotate(number=Count("pk"))
        .filter(number__gt=FAILED_KEPT)
    )
    for user in many.values_list("user", flat=True):
        failed = _failed_sign_ins().filter(user=user)
        # By time, so that attempts that are stored meanwhile stay too.
        for last in failed[FAILED_KEPT - 1 : FAILED_KEPT]:
            failed.filter(Q(at__lt=last.at) | Q(at=last.at, pk__lt=last.pk)).delete()


def list_sign_ins(user: User, most_failed: int) -> list[PastSignIn]:
    """All sign-ins of an account with its last `most_failed` failed attempts, newest first."""
    signed_in = PastSignIn.objects.filter(user=user, outcome=PastSignIn.Outcome.SIGNED_IN)
    listed = [*signed_in, *_failed_sign_ins().filter(user=user)[:most_failed]]
    return sorted(listed, key=lambda each: (each.at, each.pk), reverse=True)


def count_failed_sign_ins(user: User) -> int:
    return _failed_sign_ins().filter(user=user).count()


def _failed_sign_ins() -> QuerySet[PastSignIn]:
    return PastSignIn.objects.exclude(outcome=PastSignIn.Outcome.SIGNED_IN)


# ---- Known devices, by a signed cookie
#
# The cookie gives no access. Attempts from a known device are counted apart; a sign-in from another one is
# reported by a letter.
DEVICE_SALT = "federation_site.sign_in"
DEVICE_COOKIE_AGE = 180 * 24 * 60 * 60
MOST_PEOPLE = 5
"""The number of people whom one device remembers, for machines that an office shares."""


@dataclass(frozen=True, slots=True)
class Device:
    """A browser: a random name, and a mark for each person who signed in on it."""

    name: str = field(default_factory=lambda: secrets.token_urlsafe(12))
    marks: dict[str, str] = field(default_factory=dict)
    """By user id."""

    def knows(self, user: User) -> bool:
        return constant_time_compare(self.marks.get(str(user.pk), ""), device_mark(user))


def device_mark(user: User) -> str:
    """A person's mark in a device's cookie, valid until all their sessions are ended."""
    return salted_hmac(DEVICE_SALT, f"{user.pk}:{user.session_number}", algorithm="sha256").hexdigest()[:32]


def device_of(request: HttpRequest) -> Device:
    """The device of a request's cookie; a new one if there is no valid cookie."""
    try:
        name, marks = signing.loads(
            request.COOKIES.get(settings.DEVICE_COOKIE_NAME, ""), salt=DEVICE_SALT, max_age=DEVICE_COOKIE_AGE
        )
    except signing.BadSignature:
        return Device()
    return Device(name, marks)


def known_device_name(request: HttpRequest, email: str) -> str | None:
    """The name of the request's device if the person with that e-mail address signed in on it before."""
    device = device_of(request)
    if not device.marks:
        return None
    user = User.objects.filter(email=email).first()
    return device.name if user and device.knows(user) else None


def remember_person(request: HttpRequest, response: HttpResponse, user: User) -> None:
    """Add a person to the device's cookie; the one who signed in longest ago makes room."""
    device = device_of(request)
    others = {key: mark for key, mark in device.marks.items() if key != str(user.pk)}
    marks = dict([*others.items(), (str(user.pk), device_mark(user))][-MOST_PEOPLE:])
    response.set_cookie(
        settings.DEVICE_COOKIE_NAME,
        signing.dumps((device.name, marks), salt=DEVICE_SALT),
        max_age=DEVICE_COOKIE_AGE,
        httponly=True,
        secure=settings.SESSION_COOKIE_SECURE,
        samesite="Lax",
    )


# ---- Limits on guessing passwords, so that nobody can lock somebody else out
#
# From a device on which the person signed in before, an attempt counts for that device only. From others it
# counts for IP address and account together, for the address, and for the account: the last limit is for
# attacks from many addresses, and does not affect the person's own devices.
KNOWN_DEVICE_RATES = "5/5m/key,20/h/key"
ADDRESS_AND_ACCOUNT_RATES = "5/5m/key,20/h/key"
ADDRESS_RATES = "10/m/ip,60/h/ip"
ACCOUNT_RATES = "100/h/key"


def count_attempt(request: HttpRequest, email: str) -> ratelimit.RateLimitUsage | None:
    """Count an attempt, before it is made because of parallel ones; return None if there were too many.

    The caller rolls back the usage of a successful attempt.
    """
    email = email.lower()
    if device := known_device_name(request, email):
        return _count(request, {"known": (KNOWN_DEVICE_RATES, f"{device}:{email}")})
    address = ratelimit.get_ip(request)
    return _count(
        request,
        {
            # An attempt that one limit refuses is not counted for the next ones.
            "pair": (ADDRESS_AND_ACCOUNT_RATES, f"{address}:{email}"),
            "address": (ADDRESS_RATES, address),
            "account": (ACCOUNT_RATES, email),
        },
    )


def _count(request: HttpRequest, limits: dict[str, tuple[str, str]]) -> ratelimit.RateLimitUsage | None:
    counted = ratelimit.RateLimitUsage(usage=[])
    for name, (rates, key) in limits.items():
        usage = ratelimit.consume(request, app="federation_site", action=name, config={name: rates}, key=key)
        if usage is None:
            return None
        counted.usage += usage.usage
    return counted


# ---- Accounts
WEAK_PASSWORD_KEY = "password_is_weak"
log = structlog.get_logger("federation_site.sign_in")


class OfficeAccounts(DefaultAccountAdapter):
    """allauth's adapter without sign-up, and with our limits, sign-ins and known devices."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

    def get_login_redirect_url(self, request: HttpRequest) -> str:
        """The desk of the latest appointment in force, else the front page."""
        held = cast(User, request.user).appointments.select_related("federation")
        for appointment in held.order_by("-starts", "-pk"):
            if held.on(today(appointment.federation)).filter(pk=appointment.pk).exists():
                return reverse("ratings:desk", args=[appointment.federation.code])
        return "/"

    def get_client_ip(self, request: HttpRequest) -> str:
        """The IP address; IPv4 in its own notation, because limits count networks of IPv6."""
        return unmap_ipv4(super().get_client_ip(request))

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Count the attempt, or refuse it; allauth rolls the usage back if the password was right."""
        self._login_failed_rl_usage = count_attempt(request, credentials["email"])
        if not self._login_failed_rl_usage:
            self._log_attempt(request, "sign-in refused: too many tries", credentials["email"])
            raise self.validation_error("too_many_login_attempts")

    def authenticate(self, request: HttpRequest, **credentials: Any) -> User | None:
        user: User | None = super().authenticate(request, **credentials)
        if user and not request.user.is_authenticated:
            request.session[WEAK_PASSWORD_KEY] = not is_strong_enough(credentials["password"], user)
        return user

    def authentication_failed(self, request: HttpRequest, **credentials: Any) -> None:
        person = self._log_attempt(request, "sign-in failed", credentials["email"])
        note_sign_in(request, person, PastSignIn.Outcome.WRONG_PASSWORD)

    def post_login(self, request: HttpRequest, user: User, **given: Any) -> HttpResponse:
        """Write to the person about a new device, and ask for a better password if needed."""
        response: HttpResponse = super().post_login(request, user, **given)
        known = device_of(request).knows(user)
        methods = [record["method"] for record in get_authentication_records(request, user)]
        log.info("signed in", person=user.pk, address=self.get_client_ip(request), known_device=known)
        note_sign_in(request, user.pk, PastSignIn.Outcome.SIGNED_IN)
        if not known and "password_reset" not in methods:  # which has a letter of its own
            self.send_notification_mail("account/email/new_device", user)
        if request.session.pop(WEAK_PASSWORD_KEY, False):
            words = _("Your password is shorter or better known than is wise today: please choose another.")
            messages.warning(request, words)
            following = urlencode({"next": response["Location"]})
            response = redirect(f"{reverse('account_change_password')}?{following}")
        remember_person(request, response, user)
        return response

    def get_reauthentication_methods(self, user: Any) -> list[dict[str, str]]:
        """Only second factors if the person has any."""
        methods: list[dict[str, str]] = super().get_reauthentication_methods(user)
        factors = [method for method in methods if method["id"].startswith("mfa_")]
        return factors or methods

    def render_mail(self, template_prefix: str, email: str, *args: Any, **given: Any) -> Any:
        """Render a letter in its reader's language and time zone; a worker sends it."""
        reader = User.objects.filter(email=email.lower()).first()
        language = language_of_reader(reader)
        with override_language(language), timezone.override(get_office_time_zone(reader) if reader else None):
            return OrderedMessage(super().render_mail(template_prefix, email, *args, **given), language)

    def _log_attempt(self, request: HttpRequest, event: str, email: str) -> int | None:
        """Log an attempt with the person's id, which is returned, and not with what may be a password."""
        person = User.objects.filter(email=email.lower()).values_list("pk", flat=True).first()
        log.warning(event, person=person, address=self.get_client_ip(request))
        return person


class OrderedMessage:
    """A message that is ordered from a worker instead of being sent."""

    def __init__(self, message: EmailMessage, language: str) -> None:
        self.message, self.language = message, language

    def send(self) -> None:
        subject, text = str(self.message.subject), str(self.message.body)
        for email in self.message.to:
            order_letter(email, subject=subject, text=text, language=self.language)


def is_strong_enough(password: str, user: User) -> bool:
    """Whether a person's present password would be valid as a new one."""
    try:
        validate_password(password, user)
    except ValidationError:
        return False
    return True


class OfficeSessions(DefaultUserSessionsAdapter):
    def end_sessions(self, sessions: Any) -> None:
        """End all sessions but this one, and forget all devices.

        It needs a recent authentication, so that a stolen session cannot end its owner's.
        """
        require_reauthentication(context.request)
        super().end_sessions(sessions)
        user = cast(User, context.request.user)
        user.session_number += 1
        user.save(update_fields=["session_number"])
        update_session_auth_hash(context.request, user)
        UserSession.objects.create_from_request(context.request)  # its key has changed


def delete_expired_sessions() -> None:
    """Delete expired sessions, with their IP addresses and browsers."""
    Session.objects.filter(expire_date__lt=timezone.now()).delete()
    UserSession.objects.exclude(session_key__in=Session.objects.values("session_key")).delete()


REWORDED_MESSAGES = (
    gettext_noop("The password is too similar to the %(verbose_name)s."),
    gettext_noop("You must type the same password each time."),
    gettext_noop("Your password can’t be too similar to your other personal information."),
)
"""Messages of Django and allauth that our catalogues replace."""


# ---- The letter for a forgotten password, composed by a worker so that any e-mail address takes as long
PASSWORD_LETTER_KIND = "password"


class ForgottenPasswordForm(ResetPasswordForm):
    """Accepts any address; the worker finds out if it has an account."""

    def save(self, request: HttpRequest, **_: object) -> str:
        email: str = self.cleaned_data["email"].lower()
        order_letter(email, PASSWORD_LETTER_KIND, site=request.build_absolute_uri("/").rstrip("/"))
        return email


def compose_password_letter(letter: Letter) -> ComposedLetter | None:
    """The text of the letter for a forgotten password; None if nobody has that address."""
    user, site = User.objects.filter(email=letter.email, is_active=True).first(), letter.particulars["site"]
    if user is None:
        return None
    words = {
        "password_reset_url": site + password_link_path(user),
        "current_site": {"name": urlsplit(site).netloc},
    }
    with override_language(language_of_reader(user)):
        subject = render_to_string("account/email/password_reset_key_subject.txt", words).strip()
        return compose_plain(subject, render_to_string("account/email/password_reset_key_message.txt", words))


COMPOSERS[PASSWORD_LETTER_KIND] = compose_password_letter


# ---- Validation of passwords
ROWS = (
    "1234567890",
    "qwertyuiop",
    "asdfghjkl",
    "zxcvbnm",
    "qwertzuiop",
    "yxcvbnm",
    "azertyuiop",
    "qsdfghjklm",
    "wxcvbn",
    "йцукенгшщзхъ",
    "фывапролджэ",
    "ячсмитьбю",
    "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik",
    "abcdefghijklmnopqrstuvwxyz",
)
"""Rows of adjacent keys in several keyboard layouts, and the alphabet."""
SHORTEST_RUN = 4
"""The number of adjacent keys, in either direction, that are a run."""
LEAST_OTHER = 6
"""The number of characters that must be left without runs, repetitions and the site's own words."""
OWN_WORDS = ("federation", "ratings", "rating", "office", "password")


class LengthValidator:
    """Refuses passwords with fewer than 15 characters (8 with a second factor) or more than 128."""

    def __init__(self, least: int = 15, least_with_factor: int = 8, most: int = 128) -> None:
        self.least, self.least_with_factor, self.most = least, least_with_factor, most

    def validate(self, password: str, user: User | None = None) -> None:
        least = self.least_with_factor if user and user.pk and is_mfa_enabled(user) else self.least
        if len(password) < least:
            words = _("This password is too short: it needs at least %(least)d characters.")
            raise ValidationError(words % {"least": least}, code="password_too_short")
        if len(password) > self.most:
            words = _("This password is too long: at most %(most)d characters are kept.")
            raise ValidationError(words % {"most": self.most}, code="password_too_long")

    def get_help_text(self) -> str:
        return _(
            "At least %(least)d characters, or %(less)d once you have a second factor. A few words that only"
            " you would put together are best; nothing is asked of capitals, digits or signs."
        ) % {"least": self.least, "less": self.least_with_factor}


class FamiliarPasswordValidator(CommonPasswordValidator):
    """Refuses common passwords, also if padded with runs of keys or the site's own words."""

    def validate(self, password: str, user: User | None = None) -> None:
        super().validate(password, user)
        rest = password.casefold()
        for word in guessable_words(user):
            rest = rest.replace(word, "")
        rest = re.sub(r"^(.+?)\1+$", r"\1", remove_runs(rest))
        if len(rest) < LEAST_OTHER or len(set(rest)) < SHORTEST_RUN or rest in self.passwords:
            raise ValidationError(
                _("This password is easily guessed: a common one, or keys that lie in a row."),
                code="password_too_common",
            )

    def get_help_text(self) -> str:
        return _("None that many use, no keys in a row, not your name or your office’s.")


def guessable_words(user: User | None) -> tuple[str, ...]:
    """Words that are no secret on this site: its own, and those in the names of the person's offices."""
    if user is None or user.pk is None:
        return OWN_WORDS
    names = Federation.objects.filter(appointments__user=user).values_list("name", "code")
    parts = {part for each in names for text in each for part in text.casefold().split()}
    return (*OWN_WORDS, *sorted((part for part in parts if len(part) >= 3), key=len, reverse=True))


def remove_runs(text: str) -> str:
    """A password without runs of adjacent keys, and with one in place of three or more equal characters."""
    text = re.sub(r"(.)\1{2,}", r"\1", text)
    kept, place = "", 0
    while place < len(text):
        length = run_length(text, place)
        if length < SHORTEST_RUN:
            kept, length = kept + text[place], 1
        place += length
    return kept


def run_length(text: str, start: int) -> int:
    """The number of characters from `start` on that are adjacent in a row of keys, in either direction."""
    longest = 1
    for row in (*ROWS, *(row[::-1] for row in ROWS)):
        length = 1
        while start + length < len(text) and text[start : start + length + 1] in row * 2:
            length += 1
        longest = max(longest, length)
    return longest


GetResponse = Callable[[HttpRequest], HttpResponse]


def redirect_to_reauthentication(get_response: GetResponse) -> GetResponse:
    """Redirect on `ReauthenticationRequired` to the page for that, and from there back.

    django-allauth would save the form that was sent, and send it after the reauthentication, so that a thief
    of a session could leave a form for the owner to confirm. Here the form is dropped.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        return get_response(request)

    def process_exception(request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if not isinstance(exception, ReauthenticationRequired):
            return None
        ways = get_adapter().get_reauthentication_methods(request.user)
        way = ways[0]["url"] if ways else reverse("account_login")
        page = get_return_path(request)
        return redirect(f"{way}?{urlencode({'next': page})}" if page else way)

    marked: Any = middleware
    marked.process_exception = process_exception
    return middleware


# ---- Pages beside those of django-allauth
SHORTEST_TEXT, LONGEST_TEXT = 12, 2000
"""Characters of what is considered a sentence."""


@page(PUBLIC, methods=ANY, caching=None)
def no_such_page(request: HttpRequest) -> NoReturn:
    """Replace allauth's page for changing the e-mail address."""
    raise Http404


def too_many_tries(request: HttpRequest) -> HttpResponse:
    return render(request, "account/too_many_tries.html", status=429)


@never_cache
def expired_form(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Django's CSRF failure view, which shows the sentences that were typed into the form.

    They are shown only if the browser says that a page of this site sent them, so that no other can put text
    on ours.
    """
    own = request.headers.get("Sec-Fetch-Site") == "same-origin"
    return render(request, "403_csrf.html", {"typed": _typed_texts(request) if own else []}, status=403)


def _typed_texts(request: HttpRequest) -> list[str]:
    """The values of a form that look like sentences, not like passwords, tokens or names."""
    try:
        given = [str(value).strip() for name, value in request.POST.items() if "password" not in name]
    except (UnreadablePostError, RequestDataTooBig, MultiPartParserError):
        return []
    return [value[:LONGEST_TEXT] for value in given if " " in value and len(value) >= SHORTEST_TEXT]


# ---- Second factors
class OfficeFactors(DefaultMFAAdapter):
    """Encrypts second factors with `SECRET_KEY`, so that a copy of the database is not enough for them."""

    def encrypt(self, text: str) -> str:
        return cipher().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        """Decrypt a secret; return a random one, which no code matches, if the key is unknown."""
        try:
            return cipher().decrypt(encrypted_text.encode()).decode()
        except InvalidToken:
            log.error(
                "a second factor cannot be read: it was encrypted by another SECRET_KEY",
                mend=gettext_noop(
                    "Name the former key in SECRET_KEY_FALLBACKS, or let the person set up another factor"
                    " after “manage.py forget_factors EMAIL”."
                ),
            )
            return b32encode(secrets.token_bytes(20)).decode()


def cipher() -> MultiFernet:
    """A cipher that encrypts with `SECRET_KEY`, and also decrypts with `SECRET_KEY_FALLBACKS`."""
    keys = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    digests = [hashlib.sha256(b"second factors " + key.encode()).digest() for key in keys]
    return MultiFernet([Fernet(urlsafe_b64encode(digest)) for digest in digests])


# ---- Lifetime of sessions
#
# The time of the last activity is in a signed cookie bound to the session, so that pages need not write it
# to the database.
ACTIVITY_SALT = "federation_site.sign_in.activity"
ACTIVITY_INTERVAL = 60
"""The seconds within which activity is not noted again."""


def renew_or_end_sessions(get_response: GetResponse) -> GetResponse:
    """End sessions `SESSION_COOKIE_AGE` after the sign-in and `SESSION_IDLE_AGE` after the last activity.

    After a reauthentication a session gets a new key, which makes a stolen one invalid.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        if settings.SESSION_COOKIE_NAME not in request.COOKIES or not request.user.is_authenticated:
            return get_response(request)
        seen, now = last_active_at(request), time.time()
        if now >= min(signed_in_at(request) + settings.SESSION_COOKIE_AGE, seen + settings.SESSION_IDLE_AGE):
            logout(request)
            return get_response(request)
        proved = last_authenticated_at(request)
        response = get_response(request)
        if last_authenticated_at(request) > proved:
            renew_session_key(request)
        if (
            now - seen >= ACTIVITY_INTERVAL
            and (request.method == "POST" or "HX-Request" not in request.headers)
            and is_private(response)
        ) and request.session.session_key:
            response.set_cookie(
                settings.SEEN_COOKIE_NAME,
                signing.dumps((_mark(request), int(time.time())), salt=ACTIVITY_SALT),
                httponly=True,
                secure=settings.SESSION_COOKIE_SECURE,
                samesite="Lax",
            )
        return response

    return middleware


def signed_in_at(request: HttpRequest) -> float:
    """The time of a session's sign-in, in seconds since 1970; 0 if there was none."""
    records = get_authentication_records(request, request.user)
    return min((float(each["at"]) for each in records), default=0.0)


def last_active_at(request: HttpRequest) -> float:
    """The time of a session's last activity, by its cookie or its last authentication."""
    try:
        mark, at = signing.loads(request.COOKIES.get(settings.SEEN_COOKIE_NAME, ""), salt=ACTIVITY_SALT)
    except (signing.BadSignature, ValueError):
        mark, at = "", 0.0
    valid = constant_time_compare(mark, _mark(request))
    return max(last_authenticated_at(request), signed_in_at(request), float(at) if valid else 0.0)


def is_private(response: HttpResponse) -> bool:
    """Whether no proxy caches the response, and a cookie with it."""
    cache_control = response.headers.get("Cache-Control", "")
    return "private" in cache_control or "no-store" in cache_control


def _mark(request: HttpRequest) -> str:
    return salted_hmac(ACTIVITY_SALT, request.session.session_key or "", algorithm="sha256").hexdigest()[:32]


def renew_session_key(request: HttpRequest) -> None:
    """Give a session a new key, also in the list of the person's sessions."""
    before = request.session.session_key
    request.session.cycle_key()
    UserSession.objects.filter(session_key=before).update(session_key=request.session.session_key)


# ---- Signals
LOGGED_SIGNALS: dict[str, Signal] = {
    "password changed": password_changed,
    "password set": password_set,
    "second factor added": factors.authenticator_added,
    "second factor removed": factors.authenticator_removed,
    "recovery codes made anew": factors.authenticator_reset,
    "signed out": user_logged_out,
}


def log_on_signal(event: str, signal: Signal) -> None:
    def log_event(user: Any, authenticator: Any = None, **_: Any) -> None:
        factor = {"factor": str(authenticator.type)} if authenticator else {}
        log.info(event, person=getattr(user, "pk", None), **factor)

    signal.connect(log_event, weak=False, dispatch_uid=event)


for _event, _signal in LOGGED_SIGNALS.items():
    log_on_signal(_event, _signal)


@receiver(user_logged_in)
def record_reauthentication(request: HttpRequest, user: User, **_: Any) -> None:
    """Count a sign-in as a reauthentication."""
    record_authentication(request, user, "sign-in", reauthenticated=True)


@receiver(password_reset)
def reset_sessions_and_limits(request: HttpRequest, user: User, **_: Any) -> None:
    """Forget a person's sessions, known devices and counted attempts after a forgotten password."""
    user.session_number += 1
    user.save(update_fields=["session_number"])
    ratelimit.clear(
        request,
        app="federation_site",
        action="account",
        config={"account": ACCOUNT_RATES},
        key=user.email.lower(),
    )
    log.info("password chosen anew by letter", person=user.pk)


@receiver(factors.authentication_failed)
def log_wrong_code(request: HttpRequest, user: User, **_: Any) -> None:
    log.warning("second factor failed", person=user.pk)
    note_sign_in(request, user.pk, PastSignIn.Outcome.WRONG_CODE)
