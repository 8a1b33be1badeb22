"""Sign-in with django-allauth: accounts, sessions, limits on tries, passwords and second factors.

Nobody signs up: an account comes with an appointment, and a sign-in leads to its office's desk. The module
also keeps the list of past sign-ins, knows the devices on which a person signed in before, and ends sessions.
"""

from __future__ import annotations

import hashlib
import re
import secrets
import time
from base64 import b32encode, urlsafe_b64encode
from collections.abc import Callable, Iterable
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
from django.http.request import UnreadablePostError, validate_host
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from django.views.decorators.cache import never_cache

from federation_site.models import PastSignIn
from players.access import ask_again, page_of, proved_at, public
from players.appointments import password_path
from players.mail import COMPOSERS, Composed, in_language, language_of_reader, order_letter, unframed
from players.models import Federation, Letter, User
from players.settings import today, zone_of

# ---- Sign-ins of an account that its owner is shown, with the tries that failed: for some weeks, in short.
DAYS_KEPT = 90
FAILED_KEPT = 200
"""Failed tries at one account that a night leaves, the newest: whoever tries at it all day fills no disk, and
pushes out no sign-in.
"""
BROWSERS = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
)
"""Marks in what browsers say of themselves: each says those of the ones below it too."""
SYSTEMS = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("CrOS", "ChromeOS"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
)


def note_sign_in(request: HttpRequest, person: int | None, outcome: str) -> None:
    """Keep that somebody signed in, or failed to. `person`: the account's key; None: nobody has the address
    that was typed. Then the row is taken back at once: the answer takes as long, and tells nobody which
    addresses have accounts.
    """
    device = kind_of_device(request.headers.get("User-Agent", ""))
    with transaction.atomic():
        network = shortened(get_adapter().get_client_ip(request))
        row = PastSignIn.objects.create(user_id=person, outcome=outcome, network=network, device=device)
        if person is None:
            row.delete()


def shortened(address: str) -> str:
    """The part of an address that tells the provider and not the house: 24 bits of 32, 48 of 128."""
    try:
        given = ip_address(unmapped(address))
    except ValueError:
        return ""
    return str(ip_network(f"{given}/{24 if given.version == 4 else 48}", strict=False))


def unmapped(address: str) -> str:
    """An address, of an IPv4 one that is written as IPv6 (`::ffff:…`) the IPv4 one."""
    try:
        return str(getattr(ip_address(address), "ipv4_mapped", None) or address)
    except ValueError:
        return address


def kind_of_device(said: str) -> str:
    """Browser and system as a browser names them, without versions; empty: it says neither."""
    return ", ".join(name for name in (_first(BROWSERS, said), _first(SYSTEMS, said)) if name)


def delete_old_sign_ins(now: datetime) -> None:
    """Delete sign-ins and failed tries that are older than `DAYS_KEPT`, and of the failed tries at each
    account those that are older than the newest `FAILED_KEPT`.
    """
    PastSignIn.objects.filter(at__lt=now - timedelta(days=DAYS_KEPT)).delete()
    many = _failed().order_by().values("user").annotate(number=Count("pk")).filter(number__gt=FAILED_KEPT)
    for user in many.values_list("user", flat=True):
        failed = _failed().filter(user=user)
        # By moment and not by the keys that stay: a try that comes in meanwhile is newer, and stays too.
        for last in failed[FAILED_KEPT - 1 : FAILED_KEPT]:
            failed.filter(Q(at__lt=last.at) | Q(at=last.at, pk__lt=last.pk)).delete()


def sign_ins_of(user: User, failed: int) -> list[PastSignIn]:
    """All sign-ins of an account that are kept, and among them so many failed tries, the newest first."""
    signed_in = PastSignIn.objects.filter(user=user, outcome=PastSignIn.Outcome.SIGNED_IN)
    listed = [*signed_in, *_failed().filter(user=user)[:failed]]
    return sorted(listed, key=lambda each: (each.at, each.pk), reverse=True)


def failed_tries_at(user: User) -> int:
    """The number of failed tries at an account that are kept."""
    return _failed().filter(user=user).count()


def _failed() -> QuerySet[PastSignIn]:
    return PastSignIn.objects.exclude(outcome=PastSignIn.Outcome.SIGNED_IN)


def _first(marks: Iterable[tuple[str, str]], said: str) -> str:
    return next((name for mark, name in marks if mark in said), "")


# ---- Devices on which a person has signed in before: a signed cookie knows for whom.
#
# It opens nothing. Tries from such a device are counted apart; a sign-in from any other is told by letter.
DEVICE_SALT = "federation_site.sign_in"
SECONDS = 180 * 24 * 60 * 60
PEOPLE = 5
"""The number of people whom one device remembers: an office's common machine has a few."""


@dataclass(frozen=True, slots=True)
class Device:
    """A browser: its own random name, and a mark for each person who signed in on it."""

    name: str = field(default_factory=lambda: secrets.token_urlsafe(12))
    marks: dict[str, str] = field(default_factory=dict)
    """By the person's key."""

    def knows(self, user: User) -> bool:
        return constant_time_compare(self.marks.get(str(user.pk), ""), mark_of(user))


def mark_of(user: User) -> str:
    """The mark by which a device knows a person, until “sign out everywhere” or a forgotten password."""
    return salted_hmac(DEVICE_SALT, f"{user.pk}:{user.session_number}", algorithm="sha256").hexdigest()[:32]


def device_of(request: HttpRequest) -> Device:
    """The device that a request's cookie names; a new one where there is none or somebody else wrote it."""
    try:
        name, marks = signing.loads(
            request.COOKIES.get(settings.DEVICE_COOKIE_NAME, ""), salt=DEVICE_SALT, max_age=SECONDS
        )
    except signing.BadSignature:
        return Device()
    return Device(name, marks)


def device_that_knows(request: HttpRequest, email: str) -> str | None:
    """The name of the asking device, if the person of that address signed in on it before."""
    device = device_of(request)
    if not device.marks:
        return None
    user = User.objects.filter(email=email).first()
    return device.name if user and device.knows(user) else None


def remember(request: HttpRequest, response: HttpResponse, user: User) -> None:
    """Let the device know the person from now on; whoever signed in on it longest ago makes room."""
    device = device_of(request)
    others = {key: mark for key, mark in device.marks.items() if key != str(user.pk)}
    marks = dict([*others.items(), (str(user.pk), mark_of(user))][-PEOPLE:])
    response.set_cookie(
        settings.DEVICE_COOKIE_NAME,
        signing.dumps((device.name, marks), salt=DEVICE_SALT),
        max_age=SECONDS,
        httponly=True,
        secure=settings.SESSION_COOKIE_SECURE,
        samesite="Lax",
    )


# ---- Limits on guessing passwords, counted so that nobody's tries keep somebody else out.
#
# From a device on which the person signed in before, a try counts against that device alone. From any other
# it counts against address and account together, against the address, and against the account: that last
# limit slows down who guesses from many addresses, and leaves the person's own devices alone.
KNOWN_DEVICE = "5/5m/key,20/h/key"
ADDRESS_AND_ACCOUNT = "5/5m/key,20/h/key"
ADDRESS = "10/m/ip,60/h/ip"
ACCOUNT = "100/h/key"


def count_try(request: HttpRequest, email: str) -> ratelimit.RateLimitUsage | None:
    """Count a try before it is made, so that parallel ones cannot slip by; None: there were too many.

    A try that succeeds is taken back by the caller (`rollback`).
    """
    email = email.lower()
    if device := device_that_knows(request, email):
        return _count(request, {"known": (KNOWN_DEVICE, f"{device}:{email}")})
    address = ratelimit.get_ip(request)
    return _count(
        request,
        {
            # What one limit refuses counts against none of the later ones.
            "pair": (ADDRESS_AND_ACCOUNT, f"{address}:{email}"),
            "address": (ADDRESS, address),
            "account": (ACCOUNT, email),
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


# ---- Accounts: they come with an appointment.
WEAK = "password_is_weak"
log = structlog.get_logger("federation_site.sign_in")


class OfficeAccounts(DefaultAccountAdapter):
    """An account adapter without sign-up, which counts tries, tells of them, and knows people's devices."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

    def get_login_redirect_url(self, request: HttpRequest) -> str:
        """The page after a sign-in: the desk of the latest appointment in force, else the front page."""
        held = cast(User, request.user).appointments.select_related("federation")
        for appointment in held.order_by("-starts", "-pk"):
            if held.on(today(appointment.federation)).filter(pk=appointment.pk).exists():
                return reverse("ratings:desk", args=[appointment.federation.code])
        return "/"

    def get_client_ip(self, request: HttpRequest) -> str:
        """The visitor's address; IPv4 as such, for limits would count all of `::ffff:…` as one network."""
        return unmapped(super().get_client_ip(request))

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Count the try, or refuse it; allauth takes it back (`rollback`) when the password was right."""
        self._login_failed_rl_usage = count_try(request, credentials["email"])
        if not self._login_failed_rl_usage:
            self._tell(request, "sign-in refused: too many tries", credentials["email"])
            raise self.validation_error("too_many_login_attempts")

    def authenticate(self, request: HttpRequest, **credentials: Any) -> User | None:
        user: User | None = super().authenticate(request, **credentials)
        if user and not request.user.is_authenticated:
            request.session[WEAK] = not would_be_taken(credentials["password"], user)
        return user

    def authentication_failed(self, request: HttpRequest, **credentials: Any) -> None:
        person = self._tell(request, "sign-in failed", credentials["email"])
        note_sign_in(request, person, PastSignIn.Outcome.WRONG_PASSWORD)

    def post_login(self, request: HttpRequest, user: User, **given: Any) -> HttpResponse:
        """Tell the person of a device that is new to them, and ask for a better password where needed."""
        response: HttpResponse = super().post_login(request, user, **given)
        known = device_of(request).knows(user)
        methods = [record["method"] for record in get_authentication_records(request, user)]
        log.info("signed in", person=user.pk, address=self.get_client_ip(request), known_device=known)
        note_sign_in(request, user.pk, PastSignIn.Outcome.SIGNED_IN)
        if not known and "password_reset" not in methods:  # of a new password a letter tells already
            self.send_notification_mail("account/email/new_device", user)
        if request.session.pop(WEAK, False):
            words = _("Your password is shorter or better known than is wise today: please choose another.")
            messages.warning(request, words)
            following = urlencode({"next": response["Location"]})
            response = redirect(f"{reverse('account_change_password')}?{following}")
        remember(request, response, user)
        return response

    def get_reauthentication_methods(self, user: Any) -> list[dict[str, str]]:
        """The ways to prove again who one is: by the second factor alone, where the person has one."""
        methods: list[dict[str, str]] = super().get_reauthentication_methods(user)
        factors = [method for method in methods if method["id"].startswith("mfa_")]
        return factors or methods

    def render_mail(self, template_prefix: str, email: str, *args: Any, **given: Any) -> Any:
        """A letter of allauth's in its reader's language, with times by the clock of their office, which a
        worker sends: no page waits for the mail server or fails with it.
        """
        reader = User.objects.filter(email=email.lower()).first()
        language = language_of_reader(reader)
        with in_language(language), timezone.override(zone_of(reader) if reader else None):
            return OrderedMessage(super().render_mail(template_prefix, email, *args, **given), language)

    def _tell(self, request: HttpRequest, event: str, email: str) -> int | None:
        """Log a try to sign in under the person's key, which is returned: what was typed as an address may be
        a password.
        """
        person = User.objects.filter(email=email.lower()).values_list("pk", flat=True).first()
        log.warning(event, person=person, address=self.get_client_ip(request))
        return person


class OrderedMessage:
    """A message of Django's that is ordered where others would be sent."""

    def __init__(self, message: EmailMessage, language: str) -> None:
        self.message, self.language = message, language

    def send(self) -> None:
        subject, text = str(self.message.subject), str(self.message.body)
        for email in self.message.to:
            order_letter(email, subject=subject, text=text, language=self.language)


def would_be_taken(password: str, user: User) -> bool:
    """Whether a person's present password passes today's demands on a new one."""
    try:
        validate_password(password, user)
    except ValidationError:
        return False
    return True


# ---- Signing out everywhere, and forgetting sessions that ran out.
class OfficeSessions(DefaultUserSessionsAdapter):
    """Ends all sessions of a person by their `session_number`, listed or not; no device knows them then."""

    def end_sessions(self, sessions: Any) -> None:
        """End them all but this one, for whoever has proved who they are not long ago; else ask that first:
        whoever stole a session does not end its owner's.
        """
        ask_again(context.request)
        super().end_sessions(sessions)
        user = cast(User, context.request.user)
        user.session_number += 1
        user.save(update_fields=["session_number"])
        update_session_auth_hash(context.request, user)
        UserSession.objects.create_from_request(context.request)  # this one has another key now


def forget_expired() -> None:
    """Delete sessions that ran out, and with them the address and browser that each began with."""
    Session.objects.filter(expire_date__lt=timezone.now()).delete()
    UserSession.objects.exclude(session_key__in=Session.objects.values("session_key")).delete()


SAID_ANEW = (
    gettext_noop("The password is too similar to the %(verbose_name)s."),
    gettext_noop("You must type the same password each time."),
    gettext_noop("Your password can’t be too similar to your other personal information."),
)


# ---- The letter for a forgotten password: a worker writes it, so that asking takes as long for any address.
KIND = "password"


class ForgottenPasswordForm(ResetPasswordForm):
    """The form for a forgotten password: takes any address; the worker finds out if it has an account."""

    def save(self, request: HttpRequest, **_: object) -> str:
        email: str = self.cleaned_data["email"].lower()
        order_letter(email, KIND, site=request.build_absolute_uri("/").rstrip("/"))
        return email


def order_as_asked_by_message(email: str, site: str) -> None:
    """Order the letter that a former version asked for by a message. Its link leads to this site or is not
    sent: whoever writes to the broker could name another.
    """
    if validate_host(urlsplit(site).hostname or "", settings.ALLOWED_HOSTS):
        order_letter(email, KIND, site=site)


def compose(letter: Letter) -> Composed | None:
    """The words of the letter for a forgotten password; None if nobody has that address."""
    user, site = User.objects.filter(email=letter.email, is_active=True).first(), letter.particulars["site"]
    if user is None:
        return None
    words = {
        "password_reset_url": site + password_path(user),
        "current_site": {"name": urlsplit(site).netloc},
    }
    with in_language(language_of_reader(user)):
        subject = render_to_string("account/email/password_reset_key_subject.txt", words).strip()
        return unframed(subject, render_to_string("account/email/password_reset_key_message.txt", words))


COMPOSERS[KIND] = compose


# ---- The demands on a new password: long, and none that is tried first; any characters will do.
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
"""Rows of keys that lie side by side, in several layouts, and the alphabet: neighbours make a run."""
RUN = 4
"""The number of neighbours in a row, either way round, that make a run."""
LEFT = 6
"""The number of characters that must be left without runs, repetitions and the office's own words."""
OWN_WORDS = ("federation", "ratings", "rating", "office", "password")


class LengthValidator:
    """Refuses a password of fewer than 15 characters (8 for whoever has a second factor) or more than 128."""

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
    """Refuses what is tried first: common passwords, also padded with runs of keys or with our own words."""

    def validate(self, password: str, user: User | None = None) -> None:
        super().validate(password, user)
        bare = without_runs(without_words(password.casefold(), own_words(user)))
        once = re.sub(r"^(.+?)\1+$", r"\1", bare)
        if len(once) < LEFT or len(set(once)) < RUN or once in self.passwords:
            raise ValidationError(
                _("This password is easily guessed: a common one, or keys that lie in a row."),
                code="password_too_common",
            )

    def get_help_text(self) -> str:
        return _("None that many use, no keys in a row, not your name or your office’s.")


def own_words(user: User | None) -> tuple[str, ...]:
    """Words that stand on this site anyway: its own, and those in the names of the person's offices."""
    if user is None or user.pk is None:
        return OWN_WORDS
    names = Federation.objects.filter(appointments__user=user).values_list("name", "code")
    parts = {part for each in names for text in each for part in text.casefold().split()}
    return (*OWN_WORDS, *sorted((part for part in parts if len(part) >= 3), key=len, reverse=True))


def without_words(text: str, words: tuple[str, ...]) -> str:
    for word in words:
        text = text.replace(word, "")
    return text


def without_runs(text: str) -> str:
    """A password without runs of neighbouring keys, and with one of each character said over and over."""
    text = re.sub(r"(.)\1{2,}", r"\1", text)
    kept, place = "", 0
    while place < len(text):
        length = run_at(text, place)
        if length < RUN:
            kept, length = kept + text[place], 1
        place += length
    return kept


def run_at(text: str, start: int) -> int:
    """The number of characters from `start` on that lie side by side in a row of keys, read either way."""
    longest = 1
    for row in (*ROWS, *(row[::-1] for row in ROWS)):
        length = 1
        while start + length < len(text) and text[start : start + length + 1] in row * 2:
            length += 1
        longest = max(longest, length)
    return longest


GetResponse = Callable[[HttpRequest], HttpResponse]


def ask_who_it_is(get_response: GetResponse) -> GetResponse:
    """Make a middleware that leads a person who must prove again who they are to the page for that, and back.

    django-allauth would keep a form and send it once its page was proved: so whoever has stolen a session
    could leave a form of theirs for the owner to prove. It is dropped here instead.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        return get_response(request)

    def process_exception(request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if not isinstance(exception, ReauthenticationRequired):
            return None
        ways = get_adapter().get_reauthentication_methods(request.user)
        way = ways[0]["url"] if ways else reverse("account_login")
        page = page_of(request)
        return redirect(f"{way}?{urlencode({'next': page})}" if page else way)

    marked: Any = middleware
    marked.process_exception = process_exception
    return middleware


# ---- Pages beside those of django-allauth.
LEAST_WORDS, MOST_WORDS = 12, 2000
"""Characters of what looks like sentences."""


@public
def no_such_page(request: HttpRequest) -> NoReturn:
    """Answer 404 where allauth has its page for another mail address: here only an appointment changes it."""
    raise Http404


def too_many_tries(request: HttpRequest) -> HttpResponse:
    """The page (429) for whoever asks for too many letters, or tries too many passwords or codes."""
    return render(request, "account/too_many_tries.html", status=429)


@never_cache
def expired_form(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Refuse a form whose token is not this session's, and give back the words that were typed into it.

    `reason`: Django's, for the log. Words come back only where the browser says that a page of this site sent
    them: nobody else's page shall write on ours.
    """
    own = request.headers.get("Sec-Fetch-Site") == "same-origin"
    return render(request, "403_csrf.html", {"typed": _words_of(request) if own else []}, status=403)


def _words_of(request: HttpRequest) -> list[str]:
    """The sentences in a form, as far as they look like some: no password, no token, no name alone."""
    try:
        given = [str(value).strip() for name, value in request.POST.items() if "password" not in name]
    except (UnreadablePostError, RequestDataTooBig, MultiPartParserError):
        return []
    return [value[:MOST_WORDS] for value in given if " " in value and len(value) >= LEAST_WORDS]


# ---- Second factors as they are kept: secrets of authenticator apps and recovery codes lie encrypted.
class OfficeFactors(DefaultMFAAdapter):
    """Encrypts second factors by `SECRET_KEY`: a copy of the database alone gives nobody one."""

    def encrypt(self, text: str) -> str:
        return cipher().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        """The secret of a second factor; a random one, which no code fits, where its key is not known."""
        try:
            return cipher().decrypt(encrypted_text.encode()).decode()
        except InvalidToken:
            log.error("a second factor cannot be read: it was encrypted by another SECRET_KEY")
            return b32encode(secrets.token_bytes(20)).decode()


def cipher() -> MultiFernet:
    """The cipher for second factors: encrypts by `SECRET_KEY`, and reads by `SECRET_KEY_FALLBACKS` too."""
    keys = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    digests = [hashlib.sha256(b"second factors " + key.encode()).digest() for key in keys]
    return MultiFernet([Fernet(urlsafe_b64encode(digest)) for digest in digests])


# ---- The life of a session: it ends some time after its sign-in, sooner if idle, and has a new key after
# each proof.
#
# A signed cookie, bound to the session, says when something was last done: no page writes the database for
# it.
SALT = "federation_site.sign_in"
NOTED_EVERY = 60
"""Seconds: what is done within a minute of the last note is not noted."""


def renew_or_end_sessions(get_response: GetResponse) -> GetResponse:
    """Make a middleware that ends a session `SESSION_COOKIE_AGE` after its sign-in, whatever was done in it,
    and `SESSION_IDLE_AGE` after anything was; and gives one whose owner has just proved again who they are a
    new key: a stolen one opens nothing then.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        if settings.SESSION_COOKIE_NAME not in request.COOKIES or not request.user.is_authenticated:
            return get_response(request)
        seen, now = seen_at(request), time.time()
        if now >= min(began_at(request) + settings.SESSION_COOKIE_AGE, seen + settings.SESSION_IDLE_AGE):
            logout(request)
            return get_response(request)
        proved = proved_at(request)
        response = get_response(request)
        if proved_at(request) > proved:
            renew(request)
        if (
            now - seen >= NOTED_EVERY
            and (request.method == "POST" or "HX-Request" not in request.headers)
            and is_for_them_alone(response)
        ) and request.session.session_key:
            response.set_cookie(
                settings.SEEN_COOKIE_NAME,
                signing.dumps((_mark(request), int(time.time())), salt=SALT),
                httponly=True,
                secure=settings.SESSION_COOKIE_SECURE,
                samesite="Lax",
            )
        return response

    return middleware


def began_at(request: HttpRequest) -> float:
    """The time of a session's first proof, its sign-in, in seconds since 1970; 0: there is none."""
    records = get_authentication_records(request, request.user)
    return min((float(each["at"]) for each in records), default=0.0)


def seen_at(request: HttpRequest) -> float:
    """The time at which something was last done in a session: by its cookie, or else its last proof."""
    try:
        of, at = signing.loads(request.COOKIES.get(settings.SEEN_COOKIE_NAME, ""), salt=SALT)
    except (signing.BadSignature, ValueError):
        of, at = "", 0.0
    theirs = constant_time_compare(of, _mark(request))
    return max(proved_at(request), began_at(request), float(at) if theirs else 0.0)


def is_for_them_alone(response: HttpResponse) -> bool:
    """Whether no proxy keeps the answer, and a cookie with it."""
    said = response.headers.get("Cache-Control", "")
    return "private" in said or "no-store" in said


def _mark(request: HttpRequest) -> str:
    return salted_hmac(SALT, request.session.session_key or "", algorithm="sha256").hexdigest()[:32]


def renew(request: HttpRequest) -> None:
    """Give a session another key, here and in the list of the person's sign-ins."""
    before = request.session.session_key
    request.session.cycle_key()
    UserSession.objects.filter(session_key=before).update(session_key=request.session.session_key)


# ---- The effects of a sign-in and of changes of an account: marks in the session, lines in the log.
TOLD: dict[str, Signal] = {
    "password changed": password_changed,
    "password set": password_set,
    "second factor added": factors.authenticator_added,
    "second factor removed": factors.authenticator_removed,
    "recovery codes made anew": factors.authenticator_reset,
    "signed out": user_logged_out,
}


def tell(event: str, signal: Signal) -> None:
    def told(user: Any, authenticator: Any = None, **_: Any) -> None:
        factor = {"factor": str(authenticator.type)} if authenticator else {}
        log.info(event, person=getattr(user, "pk", None), **factor)

    signal.connect(told, weak=False, dispatch_uid=event)


for _event, _signal in TOLD.items():
    tell(_event, _signal)


@receiver(user_logged_in)
def prove(request: HttpRequest, user: User, **_: Any) -> None:
    """Note at a sign-in that the person has just proved who they are, as if asked for it again."""
    record_authentication(request, user, "sign-in", reauthenticated=True)


@receiver(password_reset)
def begin_anew(request: HttpRequest, user: User, **_: Any) -> None:
    """Forget a person's sessions, known devices and counted tries after a new password by letter."""
    user.session_number += 1
    user.save(update_fields=["session_number"])
    ratelimit.clear(
        request, app="federation_site", action="account", config={"account": ACCOUNT}, key=user.email.lower()
    )
    log.info("password chosen anew by letter", person=user.pk)


@receiver(factors.authentication_failed)
def tell_of_a_wrong_code(request: HttpRequest, user: User, **_: Any) -> None:
    log.warning("second factor failed", person=user.pk)
    note_sign_in(request, user.pk, PastSignIn.Outcome.WRONG_CODE)
