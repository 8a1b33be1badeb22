"""Fields for reasons that everybody reads, and when a form that changes something asks for one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django import forms
from django.utils.translation import gettext_lazy as _

from tournaments.events.models import Event, Section
from tournaments.events.ruleset_fields import NameInPublic
from tournaments.filing.changes.lock_event import LONGEST_NOTICE

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


def public_reason() -> NameInPublic:
    """Make the field for a reason that stands on the public page: without telephone or mail address."""
    return NameInPublic(
        label=_("Reason"),
        max_length=LONGEST_NOTICE,
        error_messages={"required": _("Say why: everybody who looks for the event reads it.")},
        help_text=_("Everybody can read this on the event's page. Write nothing private."),
    )


WHY_OTHER_DAYS = _("Say why the days change: everybody who looks for the event reads it.")
WHY_ELSE = _("Say why it changes, since everybody could read it as it was: everybody reads the reason.")


def reason_of_change(help_text: StrOrPromise) -> NameInPublic:
    """Make the field for the reason of what changes and was announced; `help_text` says of what."""
    return NameInPublic(
        label=_("Why it changes"), max_length=LONGEST_NOTICE, required=False, help_text=help_text
    )


def of_event() -> NameInPublic:
    return reason_of_change(
        _(
            "Only where you change the days, or a name, place or country that was announced. Everybody can "
            "read this on the event's page. Write nothing private."
        )
    )


def of_section() -> NameInPublic:
    return reason_of_change(
        _(
            "Only where you change the days, or something that was announced: the name, rounds or "
            "particulars. Everybody can read this on the section's page. Write nothing private."
        )
    )


def of_details() -> NameInPublic:
    return reason_of_change(
        _(
            "Only where you change the days, or a name or place that was announced. Everybody can read this "
            "on the event's page. Write nothing private."
        )
    )


def ask_why(form: forms.Form, thing: Event | Section, *, else_seen: bool = False) -> None:
    """Complain where a form gives other days than were announced, or else changes what everybody could read
    (`else_seen`), and no reason.

    Of a page that is out of date, the days may be those that it showed: the service tells that.
    """
    given = form.cleaned_data
    if given.get("version", thing.version) != thing.version or given.get("reason") or "reason" in form.errors:
        return
    to = (given.get("starts") or thing.starts, given.get("ends") or thing.ends)
    if to != (thing.starts, thing.ends):
        form.add_error("reason", WHY_OTHER_DAYS)
    elif else_seen:
        form.add_error("reason", WHY_ELSE)
