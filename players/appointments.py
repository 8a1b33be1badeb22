"""Services of administrators: appointments, invitations, regions, settings, new offices.

Each service is one transaction and one decision. The record names people by their appointment, never by
e-mail address.
"""

import hashlib
import json
from dataclasses import asdict, dataclass
from datetime import date, datetime, timedelta
from typing import Any

from allauth.account.forms import (
    EmailAwarePasswordResetTokenGenerator,
    UserTokenForm,
    default_token_generator,
)
from allauth.account.utils import user_pk_to_url_str
from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import F, Q
from django.template.loader import render_to_string
from django.urls import get_resolver, reverse
from django.utils import translation
from django.utils.translation import gettext as _

from players import mail
from players.access import region_problem
from players.languages import translate_ruleset_name
from players.models import Appointment, Federation, Ledger, Letter, Region, Role, User
from players.record import Refused, decide, lock_ledger
from players.settings import Settings, get_settings, today
from ratings.rulesets import rulesets
from ratings.rulesets.profile import equipment_of
from ratings.rulesets.ruleset import Ruleset

INVITATION_LETTER_KIND = "invitation"
"""The kind of the letter that invites."""


@dataclass(frozen=True, slots=True)
class Invitation:
    """An invitation to be sent."""

    site: str
    """The URL of the front page, without the last slash."""
    at: datetime


@transaction.atomic
def set_last_day(
    *, appointment: Appointment, ends: date | None, seen: date | None, by: User | None, on: date
) -> None:
    """Change or remove the last day of an appointment that has not ended.

    `seen`: the last day that the page showed; if two people change it at once, the second is refused.
    """
    lock_ledger(appointment.federation)
    appointment.refresh_from_db(fields=["ends"])
    if appointment.ends != seen:
        raise Refused(_("Somebody else changed this appointment. Look at it again."))
    if appointment.ends and appointment.ends < on:
        raise Refused(_("This appointment has ended already. Appoint the person again."))
    if ends and ends < max(appointment.starts, on):
        raise Refused(
            _("The last day lies before the first, or before today. To end it at once, choose “End”.")
        )
    if ends == appointment.ends:
        return
    same = appointment.user.appointments.filter(
        federation=appointment.federation, role=appointment.role, region=appointment.region
    ).exclude(pk=appointment.pk)
    later = same.filter(starts__gte=appointment.starts)
    if (later.filter(starts__lte=ends) if ends else later).exists():
        raise Refused(_("%(person)s holds this appointment already.") % {"person": appointment.known_as})
    if ends:
        refuse_last_administrator(appointment, ends + timedelta(days=1))
    office, starts = appointment.federation, appointment.starts
    if others := conflicting_regional_appointments(
        office, appointment.role, appointment.region, starts, ends, appointment.user
    ):
        raise Refused(region_is_taken_message(office, others[0]))
    appointment.ends = ends
    appointment.save(update_fields=["ends"])
    record_appointment_decision(
        appointment, "set-last-day", by, on, ends=ends.isoformat() if ends else "open"
    )


@transaction.atomic
def invite_again(*, appointment: Appointment, by: User | None, on: date, invitation: Invitation) -> None:
    """Send the person another invitation, which makes the link of the previous one invalid."""
    lock_ledger(appointment.federation)
    refuse_ended(appointment, on)
    order_invitation_letter(appointment, invitation)
    record_appointment_decision(appointment, "invite", by, on)


def order_invitation_letter(appointment: Appointment, invitation: Invitation) -> None:
    """Order the letter of an invitation; the caller has opened the transaction."""
    Appointment.objects.filter(pk=appointment.pk).update(invited_at=invitation.at)
    particulars = {"appointment": appointment.pk, "site": invitation.site}
    Letter.objects.create(email=appointment.user.email, kind=INVITATION_LETTER_KIND, particulars=particulars)


@transaction.atomic
def void_invitation(*, appointment: Appointment, by: User | None, on: date) -> None:
    """Make an invitation's link invalid, and delete its letter if it was not sent yet.

    A password already chosen stays valid, and so do other offices' invitations to the same person.
    """
    lock_ledger(appointment.federation)
    refuse_ended(appointment, on)
    if appointment.invited_at is None:
        raise Refused(_("No invitation is open."))
    Letter.objects.filter(kind=INVITATION_LETTER_KIND, particulars__appointment=appointment.pk).delete()
    Appointment.objects.filter(pk=appointment.pk).update(invited_at=None)
    record_appointment_decision(appointment, "void-invitation", by, on)


def refuse_ended(appointment: Appointment, on: date) -> None:
    """Raise `Refused` if the appointment has ended."""
    appointment.refresh_from_db(fields=["ends", "invited_at"])
    if appointment.ends and appointment.ends < on:
        raise Refused(_("This appointment has ended already. Appoint the person again."))


def invitation_expires_at(appointment: Appointment) -> datetime | None:
    """When the newest invitation's link expires; None if no invitation is open.

    It does not depend on the person's password, which may be that of another office's account.
    """
    if appointment.invited_at is None:
        return None
    return appointment.invited_at + timedelta(seconds=settings.PASSWORD_RESET_TIMEOUT)


def conflicting_regional_appointments(
    federation: Federation, role: str, region: Region | None, starts: date, ends: date | None, user: User
) -> list[Appointment]:
    """Other administrators of the region in this period, if the regulations allow only one for a region."""
    if role != Role.REGIONAL or not federation.equipment.office.powers.one_regional_administrator:
        return []
    held = federation.appointments.filter(role=role, region=region).ending_after(starts).exclude(user=user)
    within = held.filter(starts__lte=ends) if ends else held
    return list(within.select_related("user", "region").order_by("starts", "pk"))


def region_is_taken_message(federation: Federation, held: Appointment) -> str:
    words = _(
        "%(region)s has an administrator: %(person)s. The regulations want one for each region "
        "(§%(clause)s). Choose to end that appointment the day before, or days that do not meet it."
    )
    clause = federation.equipment.office.powers.one_regional_administrator
    return words % {"region": held.region, "person": held.known_as, "clause": clause}


def end_for_successor(held: Appointment, successor_starts: date, by: User | None, on: date) -> None:
    """End an appointment the day before its successor's first; the caller has locked the ledger."""
    if held.starts >= successor_starts:
        raise Refused(
            _("The appointment of %(person)s begins on that day or later: end it first.")
            % {"person": held.known_as}
        )
    held.ends = successor_starts - timedelta(days=1)
    held.save(update_fields=["ends"])
    end_sessions_of_the_last(held, on)
    record_appointment_decision(held, "set-last-day", by, on, ends=held.ends.isoformat())


def end_sessions_of_the_last(appointment: Appointment, on: date) -> None:
    """End a person's sessions if they hold no appointment in any office any more, each by that office's day.

    The row is locked because two offices may end a person's last two appointments at the same time.
    """
    User.objects.select_for_update(no_key=True).get(pk=appointment.user_id)
    held = Appointment.objects.filter(user=appointment.user_id)
    here = held.filter(federation=appointment.federation_id).ending_after(on)
    elsewhere = held.exclude(federation=appointment.federation_id).select_related("federation")
    offices = {each.federation for each in elsewhere}
    if not here.exists() and not any(
        elsewhere.filter(federation=office).ending_after(today(office)).exists() for office in offices
    ):
        User.objects.filter(pk=appointment.user_id).update(session_number=F("session_number") + 1)


def refuse_last_administrator(appointment: Appointment, on: date) -> None:
    """Raise `Refused` if the office needs this appointment to have an administrator from `on` on.

    The same holds for a region if the office's settings require a successor.
    """
    same = appointment.federation.appointments.filter(role=appointment.role, region=appointment.region)
    others = same.exclude(user=appointment.user)
    later = others.ending_after(on)
    open_ended = later.filter(ends=None)
    lasting = (
        open_ended if appointment.ends is None else open_ended | later.filter(ends__gte=appointment.ends)
    )
    if others.on(on).exists() and lasting.exists():
        return
    if appointment.role == Role.ADMINISTRATOR:
        raise Refused(_("An office needs an administrator. Appoint another first."))
    if appointment.role == Role.REGIONAL and get_settings(appointment.federation).successor_first:
        region = appointment.region
        raise Refused(
            _("%(region)s would have no administrator. Appoint another first.") % {"region": region}
        )


def record_appointment_decision(
    appointment: Appointment, kind: str, by: User | None, on: date, **details: Any
) -> None:
    """Record a decision about an appointment, with its role and region."""
    decide(
        appointment.federation,
        kind=kind,
        by=by,
        on=on,
        about=f"appointment {appointment.pk}",
        role=appointment.role,
        region=appointment.region.code if appointment.region else None,
        **details,
    )


def find_name_by_email(office: Federation, email: str) -> str:
    """The name that the office already has for an e-mail address; empty if it has none."""
    known = office.appointments.filter(user__email=email.strip().lower()).exclude(name="")
    return known.order_by("-pk").values_list("name", flat=True).first() or ""


# ---- Links of invitations and forgotten passwords
#
# Two offices may invite one account, so each invitation has a link of its own.
INVITATION_KEY_PREFIX = "invited"
"""The prefix of the key in an invitation's link; other keys are of forgotten passwords."""


class InvitationTokens(EmailAwarePasswordResetTokenGenerator):
    """Tokens of an appointment's newest invitation, valid once and for `PASSWORD_RESET_TIMEOUT`."""

    key_salt = "players.appointments"

    def __init__(self, appointment: Appointment) -> None:
        super().__init__()
        self.appointment = appointment

    def _make_hash_value(self, user: Any, timestamp: int) -> str:
        invited = self.appointment.invited_at
        assert invited
        return f"{super()._make_hash_value(user, timestamp)}|{self.appointment.pk}|{invited.timestamp()}"


class InvitationOrPasswordTokens:
    """Checks the keys of invitations and of letters for a forgotten password."""

    def check_token(self, user: User, key: str) -> bool:
        prefix, _dash, rest = key.partition("-")
        if prefix != INVITATION_KEY_PREFIX:
            return bool(default_token_generator.check_token(user, key))
        number, _dash, token = rest.partition("-")
        appointment = _open_invitation(user, number)
        return appointment is not None and InvitationTokens(appointment).check_token(user, token)


class LinkForm(UserTokenForm):
    """Finds the user of a link to choose a password, if the link is still valid."""

    token_generator = InvitationOrPasswordTokens()


def password_link_path(user: User) -> str:
    """The path at which a person chooses a password, valid once and for `PASSWORD_RESET_TIMEOUT`."""
    return _path(user, default_token_generator.make_token(user))


def invitation_link_path(appointment: Appointment) -> str:
    """The same for an invitation: valid until it is voided or repeated, or the appointment ends."""
    token = InvitationTokens(appointment).make_token(appointment.user)
    return _path(appointment.user, f"{INVITATION_KEY_PREFIX}-{appointment.pk}-{token}")


def _path(user: User, key: str) -> str:
    return reverse("account_reset_password_from_key", kwargs={"uidb36": user_pk_to_url_str(user), "key": key})


def _open_invitation(user: User, number: str) -> Appointment | None:
    if not (number.isascii() and number.isdigit() and len(number) < 19):
        return None
    held = user.appointments.filter(pk=int(number), invited_at__isnull=False).select_related("federation")
    appointment = held.first()
    if appointment is None or (appointment.ends and appointment.ends < today(appointment.federation)):
        return None
    return appointment


def compose_invitation(letter: Letter) -> mail.ComposedLetter | None:
    """The text of an invitation; None if it was voided or the appointment has ended."""
    invited = Appointment.objects.filter(pk=letter.particulars["appointment"], invited_at__isnull=False)
    appointment = invited.select_related("user", "federation", "region").first()
    if appointment is None or (appointment.ends and appointment.ends < today(appointment.federation)):
        return None
    with mail.override_language(mail.language_of_reader(appointment.user, appointment.federation)):
        site = letter.particulars["site"]
        password = (
            None if appointment.user.has_usable_password() else site + invitation_link_path(appointment)
        )
        words = {
            "appointment": appointment,
            "office": appointment.federation,
            "desk": f"{site}{appointment.federation.get_absolute_url()}desk/",
            "password": password,
            "days": mail.LETTER_LIFETIME.days,
        }
        subject = render_to_string("players/invitation_subject.txt", words).strip()
        return mail.compose_plain(subject, render_to_string("players/invitation.txt", words))


mail.COMPOSERS[INVITATION_LETTER_KIND] = compose_invitation


# ---- Services
@transaction.atomic
def appoint(
    *,
    federation: Federation,
    email: str,
    role: str,
    starts: date,
    by: User | None,
    on: date,
    region: Region | None = None,
    ends: date | None = None,
    name: str = "",
    instead: bool = False,
    invitation: Invitation | None = None,
) -> Appointment:
    """Give a person a role from a day on, and an account without a password if they have none yet.

    A person whom the office already knows keeps their name there. `instead`: if the regulations allow one
    administrator for a region, end the present one's appointment the day before; else raise `Refused`.
    """
    lock_ledger(federation)
    if problem := region_problem(role, region):
        raise Refused(problem)
    if region is not None and region.federation_id != federation.pk:
        raise Refused(_("That region is not one of this office's."))
    if ends and ends < starts:
        raise Refused(_("The last day lies before the first."))
    name = find_name_by_email(federation, email) or name
    user = _account_of(email, name)
    held = user.appointments.filter(federation=federation, role=role, region=region)
    if held.filter(Q(ends=None) | Q(ends__gte=starts)).exists():
        raise Refused(_("%(person)s holds this appointment already.") % {"person": email})
    for other in conflicting_regional_appointments(federation, role, region, starts, ends, user):
        if not instead:
            raise Refused(region_is_taken_message(federation, other))
        end_for_successor(other, starts, by, on)
    appointment = Appointment.objects.create(
        user=user, role=role, federation=federation, region=region, starts=starts, ends=ends, name=name
    )
    record_appointment_decision(
        appointment, "appoint", by, on, starts=starts.isoformat(), ends=ends.isoformat() if ends else None
    )
    if invitation:
        order_invitation_letter(appointment, invitation)
    return appointment


def _account_of(email: str, name: str) -> User:
    """Get or create the account of an address; another office may create it at the same time."""
    held = User.objects.filter(email=email.lower())
    if user := held.first():
        return user
    try:
        with transaction.atomic():
            return User.objects.create_user(email, name=name)
    except IntegrityError:
        return held.get()


@transaction.atomic
def record_password_link(
    *,
    federation: Federation,
    email: str,
    role: str,
    by: User | None,
    on: date,
    region: Region | None = None,
) -> User | None:
    """Record that the holder of this appointment gets a link to set a password; return None if none does."""
    lock_ledger(federation)
    held = Appointment.objects.filter(federation=federation, role=role, region=region)
    appointment = held.on(on).filter(user__email=email.lower()).select_related("user", "region").first()
    if appointment is None:
        return None
    record_appointment_decision(appointment, "let-in", by, on)
    return appointment.user


@transaction.atomic
def end_appointment(*, appointment: Appointment, by: User | None, on: date) -> None:
    """End an appointment at once: yesterday becomes its last day.

    The person's sessions end too, unless they hold an appointment in another office.
    """
    lock_ledger(appointment.federation)
    appointment.refresh_from_db(fields=["ends"])
    if appointment.ends and appointment.ends < on:
        raise Refused(_("This appointment has ended already."))
    refuse_last_administrator(appointment, on)
    appointment.ends = on - timedelta(days=1)
    appointment.save(update_fields=["ends"])
    end_sessions_of_the_last(appointment, on)
    record_appointment_decision(appointment, "end", by, on)


@transaction.atomic
def add_region(*, federation: Federation, code: str, name: str, by: User | None, on: date) -> Region:
    """Add a region. Its code is in the journal, so it never changes."""
    lock_ledger(federation)
    if federation.regions.filter(Q(code__iexact=code) | Q(name__iexact=name)).exists():
        raise Refused(_("There is a region of that code or name already."))
    region = Region.objects.create(federation=federation, code=code.upper(), name=name)
    decide(federation, kind="add-region", by=by, on=on, about=f"region {region.code}", name=name)
    return region


@transaction.atomic
def rename_region(*, region: Region, name: str, by: User | None, on: date) -> None:
    lock_ledger(region.federation)
    if region.federation.regions.exclude(pk=region.pk).filter(name__iexact=name).exists():
        raise Refused(_("There is a region of that name already."))
    before, region.name = region.name, name
    region.save(update_fields=["name"])
    about = f"region {region.code}"
    decide(region.federation, kind="rename-region", by=by, on=on, about=about, before=before, after=name)


@transaction.atomic
def change_settings(
    *, federation: Federation, settings: Settings, by: User | None, on: date, seen: str = ""
) -> None:
    """Save changed settings and record each with its old value; record nothing if nothing changed.

    `seen`: the digest of the settings that the page showed (`digest_of_settings`). Raises `Refused` if
    somebody changed them meanwhile, or if an official switches off what guards officials.
    """
    lock_ledger(federation)
    federation.refresh_from_db(fields=["settings"])
    if seen and seen != digest_of_settings(federation):
        raise Refused(
            _("Somebody else changed the settings while your page was open. Open it anew, and try again.")
        )
    before, after = asdict(get_settings(federation)), asdict(settings)
    guards = (name for name in ("four_eyes", "second_factor") if before[name] and not after[name])
    if any(guards) and by and by.appointments.filter(federation=federation, role=Role.OFFICIAL).on(on):
        raise Refused(
            _(
                "Four eyes and the second factor guard what officials do, and you are one: an administrator"
                " who is not must switch them off."
            )
        )
    changed = {name: [before[name], value] for name, value in after.items() if before[name] != value}
    if not changed:
        return
    federation.settings = {**federation.settings, **after}
    federation.save(update_fields=["settings"])
    decide(federation, kind="set", by=by, on=on, about="settings", changed=changed)


@transaction.atomic
def create_office(
    *,
    ruleset_slug: str,
    official_email: str,
    on: date,
    administrator_email: str = "",
    name: str = "",
    code: str = "",
    settings: Settings | None = None,
) -> Federation:
    """Create an office under a ruleset, with its regions, an empty ledger and its first appointments.

    `official_email`, `administrator_email`: e-mail addresses; without the second, the official is
    administrator too. Raises `Refused` if there is no such ruleset, the office exists, or its code is a URL
    of the site.
    """
    code = code or ruleset_slug
    if ruleset_slug not in rulesets():
        known = ", ".join(rulesets())
        raise Refused(
            _("There is no ruleset “%(slug)s”. There are: %(known)s.")
            % {"slug": ruleset_slug, "known": known}
        )
    if Federation.objects.filter(code=code).exists():
        raise Refused(_("The office “%(code)s” exists already. Nothing was changed.") % {"code": code})
    if code in reserved_codes():
        raise Refused(
            _("An office cannot have the code “%(code)s”: the site has pages of its own at that address.")
            % {"code": code}
        )
    ruleset = rulesets()[ruleset_slug]
    federation = Federation.objects.create(
        code=code,
        name=name or translate_ruleset_name(ruleset),
        ruleset_slug=ruleset_slug,
        settings=asdict(settings) if settings else {},
    )
    Ledger.objects.create(federation=federation)
    create_regions(federation, ruleset)
    decide(federation, kind="create", by=None, on=on, about="office", ruleset=ruleset_slug)
    for email, role in (
        (official_email, Role.OFFICIAL),
        (administrator_email or official_email, Role.ADMINISTRATOR),
    ):
        appoint(federation=federation, email=email, role=role, starts=on, by=None, on=on)
    return federation


def reserved_codes() -> set[str]:
    """The first parts of URLs that belong to no office: `accounts`, `operations`, `programs` …"""
    included = [each for each in get_resolver().url_patterns if not str(each.pattern)]
    inside = [pattern for each in included for pattern in getattr(each, "url_patterns", [])]
    firsts = {str(each.pattern).split("/")[0] for each in (*get_resolver().url_patterns, *inside)}
    return {first for first in firsts if first and "<" not in first} | {"static"}


def digest_of_settings(federation: Federation) -> str:
    """A digest of an office's settings, to detect that they changed meanwhile."""
    text = json.dumps(asdict(get_settings(federation)), sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def create_regions(federation: Federation, ruleset: Ruleset) -> list[Region]:
    """Create the ruleset's regions, named in the office's language, or one with the office's own name."""
    with translation.override(federation.language):
        regions = [(region.value, _(region.label)) for region in equipment_of(ruleset).office.regions]
    regions = regions or [(federation.code.upper(), federation.name)]
    return Region.objects.bulk_create(Region(federation=federation, code=c, name=n) for c, n in regions)
