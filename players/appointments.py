"""Services of administrators: people and their appointments, invitations, regions, settings, new offices.

Each service is one transaction and one decision. The record names people by their appointment, never by
address. The links and letters of invitations are made here too.
"""

from __future__ import annotations

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

from players.access import misplaced
from players.languages import name_of_office
from players.mail import COMPOSERS, GOOD_FOR, Composed, in_language, language_of_reader, unframed
from players.models import Appointment, AppointmentQuerySet, Federation, Ledger, Letter, Region, Role, User
from players.record import Refused, decide, lock_ledger
from players.settings import Settings, settings_of, today
from ratings.rulesets import rulesets
from ratings.rulesets.profile import equipment_of
from ratings.rulesets.ruleset import Ruleset

OPEN = "open"
"""The record's word for an appointment without a last day."""
INVITATION = "invitation"
"""The kind of the letter that invites (`players/appointments.py`)."""


@dataclass(frozen=True, slots=True)
class Invitation:
    """An invitation that is to go: from which site, at what moment."""

    site: str
    """The front page's address, without its last slash."""
    at: datetime


@transaction.atomic
def set_last_day(
    *, appointment: Appointment, ends: date | None, seen: date | None, by: User | None, on: date
) -> None:
    """Give an appointment in force, or to come, another last day, or none. `seen`: the last day that the page
    showed: of two who change it at once, the second is refused.
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
    # Raise `Refused` where the same person holds the same role again within the longer time.
    same = appointment.user.appointments.filter(
        federation=appointment.federation, role=appointment.role, region=appointment.region
    ).exclude(pk=appointment.pk)
    later = same.filter(starts__gte=appointment.starts)
    if (later.filter(starts__lte=ends) if ends else later).exists():
        raise Refused(_("%(person)s holds this appointment already.") % {"person": appointment.known_as})
    if ends:
        refuse_last(appointment, ends + timedelta(days=1))
    others = second_administrators(
        appointment.federation,
        appointment.role,
        appointment.region,
        appointment.starts,
        ends,
        appointment.user,
    )
    if others:
        raise Refused(one_a_region(appointment.federation, others[0]))
    appointment.ends = ends
    appointment.save(update_fields=["ends"])
    record_appointment(appointment, "set-last-day", by, on, ends=ends.isoformat() if ends else OPEN)


@transaction.atomic
def invite_again(*, appointment: Appointment, by: User | None, on: date, invitation: Invitation) -> None:
    """Send another invitation to the person; the link of the one before opens nothing then."""
    lock_ledger(appointment.federation)
    refuse_without_invitation(appointment, on)
    invite(appointment, invitation)
    record_appointment(appointment, "invite", by, on)


def invite(appointment: Appointment, invitation: Invitation) -> None:
    """Order the letter of an invitation, in the transaction of the deed that it comes from."""
    Appointment.objects.filter(pk=appointment.pk).update(invited_at=invitation.at)
    told = {"appointment": appointment.pk, "site": invitation.site}
    Letter.objects.create(email=appointment.user.email, kind=INVITATION, particulars=told)


@transaction.atomic
def void_invitation(*, appointment: Appointment, by: User | None, on: date) -> None:
    """Make an invitation void: its link, and the letter if it is still to go. A chosen password stays, and so
    does what another office sent to the same person.
    """
    lock_ledger(appointment.federation)
    refuse_without_invitation(appointment, on)
    if appointment.invited_at is None:
        raise Refused(_("No invitation is open."))
    Letter.objects.filter(kind=INVITATION, particulars__appointment=appointment.pk).delete()
    Appointment.objects.filter(pk=appointment.pk).update(invited_at=None)
    record_appointment(appointment, "void-invitation", by, on)


def refuse_without_invitation(appointment: Appointment, on: date) -> None:
    """Raise `Refused` where nobody is to be invited any more, as the appointment has ended."""
    appointment.refresh_from_db(fields=["ends", "invited_at"])
    if appointment.ends and appointment.ends < on:
        raise Refused(_("This appointment has ended already. Appoint the person again."))


def invited_until(appointment: Appointment) -> datetime | None:
    """The moment until which the newest invitation's link is good, if it has one; None: none is open.

    Whether the person has chosen a password already is not told: they may have an account for another office.
    """
    if appointment.invited_at is None:
        return None
    return appointment.invited_at + timedelta(seconds=settings.PASSWORD_RESET_TIMEOUT)


def second_administrators(
    federation: Federation, role: str, region: Region | None, starts: date, ends: date | None, user: User
) -> list[Appointment]:
    """Others who administer the region within these days, where the regulations want one for each region."""
    if role != Role.REGIONAL or not federation.equipment.office.powers.one_regional_administrator:
        return []
    held = federation.appointments.filter(role=role, region=region).ending_after(starts).exclude(user=user)
    within = held.filter(starts__lte=ends) if ends else held
    return list(within.select_related("user", "region").order_by("starts", "pk"))


def one_a_region(federation: Federation, held: Appointment) -> str:
    """Say who administers the region, and that the regulations want one for each region."""
    words = _(
        "%(region)s has an administrator: %(person)s. The regulations want one for each region "
        "(§%(clause)s). Choose to end that appointment the day before, or days that do not meet it."
    )
    clause = federation.equipment.office.powers.one_regional_administrator
    return words % {"region": held.region, "person": held.known_as, "clause": clause}


def succeed(held: Appointment, starts: date, by: User | None, on: date) -> None:
    """End an appointment the day before its successor's first; the caller has locked the ledger."""
    if held.starts >= starts:
        raise Refused(
            _("The appointment of %(person)s begins on that day or later: end it first.")
            % {"person": held.known_as}
        )
    held.ends = starts - timedelta(days=1)
    held.save(update_fields=["ends"])
    end_sessions_of_the_last(held, on)
    record_appointment(held, "set-last-day", by, on, ends=held.ends.isoformat())


def end_sessions_of_the_last(appointment: Appointment, on: date) -> None:
    """End a person's sessions with the last appointment that they hold anywhere.

    Another office may end another at the same time: of the two the second, which waits here, finds none left.
    """
    User.objects.select_for_update(no_key=True).get(pk=appointment.user_id)
    if not Appointment.objects.filter(user=appointment.user_id).ending_after(on).exists():
        User.objects.filter(pk=appointment.user_id).update(session_number=F("session_number") + 1)


def refuse_last(appointment: Appointment, on: date) -> None:
    """Raise `Refused` where to end this appointment the day before `on` leaves the office without
    administrator on that day or later, or a region, if the office's settings forbid that.
    """
    same = appointment.federation.appointments.filter(role=appointment.role, region=appointment.region)
    others = same.exclude(user=appointment.user)
    if others.on(on).exists() and _last_as_long(others.ending_after(on), appointment.ends):
        return
    if appointment.role == Role.ADMINISTRATOR:
        raise Refused(_("An office needs an administrator. Appoint another first."))
    if appointment.role == Role.REGIONAL and settings_of(appointment.federation).successor_first:
        region = appointment.region
        raise Refused(
            _("%(region)s would have no administrator. Appoint another first.") % {"region": region}
        )


def _last_as_long(others: AppointmentQuerySet, ends: date | None) -> bool:
    """Whether one of some appointments goes on until a day; None: for good."""
    open_ended = others.filter(ends=None)
    return (open_ended if ends is None else open_ended | others.filter(ends__gte=ends)).exists()


def record_appointment(
    appointment: Appointment, kind: str, by: User | None, on: date, **details: object
) -> None:
    """Put a deed about an appointment on record, with its role and region."""
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


def name_here(office: Federation, email: str) -> str:
    """The name under which an office knows the holder of an address already; empty where it knows none."""
    known = office.appointments.filter(user__email=email.strip().lower()).exclude(name="")
    return known.order_by("-pk").values_list("name", flat=True).first() or ""


# ---- Links of an invitation: none opens anything once the appointment is void or has ended.
#
# One account may serve two offices: what one of them makes void leaves the other's link alone.
INVITED = "invited"
"""The first word of the key in an invitation's link; any other key comes of a forgotten password."""


class InvitationTokens(EmailAwarePasswordResetTokenGenerator):
    """A maker of tokens of an appointment's newest invitation: good once, for `PASSWORD_RESET_TIMEOUT`."""

    key_salt = "players.appointments"

    def __init__(self, appointment: Appointment) -> None:
        super().__init__()
        self.appointment = appointment

    def _make_hash_value(self, user: Any, timestamp: int) -> str:
        invited = self.appointment.invited_at
        assert invited
        return f"{super()._make_hash_value(user, timestamp)}|{self.appointment.pk}|{invited.timestamp()}"


class InvitationOrPasswordTokens:
    """A checker of keys: of invitations, and of letters for a forgotten password."""

    def check_token(self, user: User, key: str) -> bool:
        word, _dash, rest = key.partition("-")
        if word != INVITED:
            return bool(default_token_generator.check_token(user, key))
        number, _dash, token = rest.partition("-")
        appointment = _open_invitation(user, number)
        return appointment is not None and InvitationTokens(appointment).check_token(user, token)


class LinkForm(UserTokenForm):
    """The form behind a link to choose a password: says whose it is, if it still opens."""

    token_generator = InvitationOrPasswordTokens()


def password_path(user: User) -> str:
    """The address path where a person chooses a password: good once, for `PASSWORD_RESET_TIMEOUT`."""
    return _path(user, default_token_generator.make_token(user))


def invitation_path(appointment: Appointment) -> str:
    """The same, of an open invitation: good until it is void, sent again, or the appointment has ended."""
    token = InvitationTokens(appointment).make_token(appointment.user)
    return _path(appointment.user, f"{INVITED}-{appointment.pk}-{token}")


def _path(user: User, key: str) -> str:
    return reverse("account_reset_password_from_key", kwargs={"uidb36": user_pk_to_url_str(user), "key": key})


def _open_invitation(user: User, number: str) -> Appointment | None:
    """The person's appointment of that number, if its invitation is open and it has not ended."""
    if not (number.isascii() and number.isdigit() and len(number) < 19):
        return None
    held = user.appointments.filter(pk=int(number), invited_at__isnull=False).select_related("federation")
    appointment = held.first()
    if appointment is None or (appointment.ends and appointment.ends < today(appointment.federation)):
        return None
    return appointment


# ---- The letter that comes with an appointment; the deed that makes the appointment orders it.
def compose(letter: Letter) -> Composed | None:
    """The words of an invitation; None if it was made void, or the appointment has ended."""
    found = Appointment.objects.filter(pk=letter.particulars["appointment"], invited_at__isnull=False)
    appointment = found.select_related("user", "federation", "region").first()
    if appointment is None or (appointment.ends and appointment.ends < today(appointment.federation)):
        return None
    with in_language(language_of_reader(appointment.user, appointment.federation)):
        site = letter.particulars["site"]
        password = None if appointment.user.has_usable_password() else site + invitation_path(appointment)
        words = {
            "appointment": appointment,
            "office": appointment.federation,
            "desk": f"{site}{appointment.federation.get_absolute_url()}desk/",
            "password": password,
            "days": GOOD_FOR.days,
        }
        subject = render_to_string("players/invitation_subject.txt", words).strip()
        return unframed(subject, render_to_string("players/invitation.txt", words))


COMPOSERS[INVITATION] = compose


# ---- Services of administrators: appointing, regions, the office's settings, a new office.
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
    """Give a person a role from a day on, and an account without a password where they have none yet.
    Somebody whom the office knows already keeps the name that they have here.

    `instead`: end the appointment of the region's administrator the day before, where the regulations want
    one for each. `invitation`: the letter that goes with it; None: none does. Raises `Refused` where there
    would be two.
    """
    lock_ledger(federation)
    if wrong := misplaced(role, region):
        raise Refused(wrong)
    if region is not None and region.federation_id != federation.pk:
        raise Refused(_("That region is not one of this office's."))
    if ends and ends < starts:
        raise Refused(_("The last day lies before the first."))
    name = name_here(federation, email) or name
    user = _account_of(email, name)
    held = user.appointments.filter(federation=federation, role=role, region=region)
    if held.filter(Q(ends=None) | Q(ends__gte=starts)).exists():
        raise Refused(_("%(person)s holds this appointment already.") % {"person": email})
    for other in second_administrators(federation, role, region, starts, ends, user):
        if not instead:
            raise Refused(one_a_region(federation, other))
        succeed(other, starts, by, on)
    appointment = Appointment.objects.create(
        user=user, role=role, federation=federation, region=region, starts=starts, ends=ends, name=name
    )
    record_appointment(
        appointment, "appoint", by, on, starts=starts.isoformat(), ends=ends.isoformat() if ends else None
    )
    if invitation:
        invite(appointment, invitation)
    return appointment


def _account_of(email: str, name: str) -> User:
    """The account of an address, a new one where there is none. Another office may make it just now: offices
    do not wait for each other.
    """
    held = User.objects.filter(email=email.lower())
    if user := held.first():
        return user
    try:
        with transaction.atomic():
            return User.objects.create_user(email, name=name)
    except IntegrityError:
        return held.get()


@transaction.atomic
def let_in(
    *,
    federation: Federation,
    email: str,
    role: str,
    by: User | None,
    on: date,
    region: Region | None = None,
) -> User | None:
    """Record that whoever holds this appointment is given a link to set a password; None if nobody does."""
    lock_ledger(federation)
    held = Appointment.objects.filter(federation=federation, role=role, region=region)
    appointment = held.on(on).filter(user__email=email.lower()).select_related("user", "region").first()
    if appointment is None:
        return None
    record_appointment(appointment, "let-in", by, on)
    return appointment.user


@transaction.atomic
def end_appointment(*, appointment: Appointment, by: User | None, on: date) -> None:
    """End an appointment at once: yesterday becomes its last day. With the last one that a person holds
    anywhere their sessions end; whoever works for another office goes on there.
    """
    lock_ledger(appointment.federation)
    appointment.refresh_from_db(fields=["ends"])
    if appointment.ends and appointment.ends < on:
        raise Refused(_("This appointment has ended already."))
    refuse_last(appointment, on)
    appointment.ends = on - timedelta(days=1)
    appointment.save(update_fields=["ends"])
    end_sessions_of_the_last(appointment, on)
    record_appointment(appointment, "end", by, on)


@transaction.atomic
def add_region(*, federation: Federation, code: str, name: str, by: User | None, on: date) -> Region:
    """Add a region that files. Its code stands in the journal, so it is never changed."""
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
    """Save changed settings and record each with its old value; record nothing if nothing changed. `seen`:
    the digest of those that the page showed (`digest_of_settings`), for it sends all of them.

    Raises `Refused` if somebody changed them meanwhile, or an official switches off what guards officials.
    """
    lock_ledger(federation)
    federation.refresh_from_db(fields=["settings"])
    if seen and seen != digest_of_settings(federation):
        raise Refused(
            _("Somebody else changed the settings while your page was open. Open it anew, and try again.")
        )
    before, after = asdict(settings_of(federation)), asdict(settings)
    # Raise `Refused` where an official switches off four eyes or the second factor, which guard officials:
    # another administrator has to.
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
    slug: str,
    official: str,
    on: date,
    administrator: str = "",
    name: str = "",
    code: str = "",
    settings: Settings | None = None,
    demo: bool = False,
) -> Federation:
    """Create an office under a ruleset, with its regions, an empty ledger and its first appointments.

    `official`, `administrator`: addresses; without the second the official administers too. Raises `Refused`
    if there is no such ruleset, the office exists, or its code is an address of the site.
    """
    code = code or slug
    if slug not in rulesets():
        known = ", ".join(rulesets())
        raise Refused(
            _("There is no ruleset “%(slug)s”. There are: %(known)s.") % {"slug": slug, "known": known}
        )
    if Federation.objects.filter(code=code).exists():
        raise Refused(_("The office “%(code)s” exists already. Nothing was changed.") % {"code": code})
    if code in addresses_of_the_site():
        raise Refused(
            _("An office cannot have the code “%(code)s”: the site has pages of its own at that address.")
            % {"code": code}
        )
    ruleset = rulesets()[slug]
    federation = Federation.objects.create(
        code=code,
        name=name or name_of_office(ruleset),
        ruleset_slug=slug,
        settings=asdict(settings) if settings else {},
        demo=demo,
    )
    Ledger.objects.create(federation=federation)
    create_regions(federation, ruleset)
    decide(federation, kind="create", by=None, on=on, about="office", ruleset=slug)
    for email, role in ((official, Role.OFFICIAL), (administrator or official, Role.ADMINISTRATOR)):
        appoint(federation=federation, email=email, role=role, starts=on, by=None, on=on)
    return federation


# ---------------------------------------------------------------- helpers
def addresses_of_the_site() -> set[str]:
    """The first parts of addresses that lead to no office: `accounts`, `operations`, `programs` …"""
    included = [each for each in get_resolver().url_patterns if not str(each.pattern)]
    inside = [pattern for each in included for pattern in getattr(each, "url_patterns", [])]
    firsts = {str(each.pattern).split("/")[0] for each in (*get_resolver().url_patterns, *inside)}
    return {first for first in firsts if first and "<" not in first} | {"static"}


def digest_of_settings(federation: Federation) -> str:
    """A digest of an office's settings, to tell whether they changed meanwhile."""
    told = json.dumps(asdict(settings_of(federation)), sort_keys=True, default=str)
    return hashlib.sha256(told.encode()).hexdigest()


def create_regions(federation: Federation, ruleset: Ruleset) -> list[Region]:
    """Create the regions that the ruleset names, called as in the office's own language, or one that has the
    office's own name.
    """
    with translation.override(federation.language):
        regions = [(region.value, _(region.label)) for region in equipment_of(ruleset).office.regions]
    regions = regions or [(federation.code.upper(), federation.name)]
    return Region.objects.bulk_create(Region(federation=federation, code=c, name=n) for c, n in regions)
