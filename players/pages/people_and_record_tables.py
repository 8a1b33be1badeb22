"""Tables of people and of the record."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import django_tables2 as tables
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _

from players.office.models import Appointment, Decision, Federation

DEEDS: dict[str, Any] = {
    "create": _("opened the office"),
    "appoint": _("appointed"),
    "let-in": _("gave a link to set a password to"),
    "end": _("ended an appointment"),
    "add-region": _("added a region"),
    "rename-region": _("renamed a region"),
    "set": _("changed the settings"),
    "register": _("registered"),
    "file": _("filed a file"),
    "read": _("read the file"),
    "share": _("shared out an archive"),
    "discard": _("discarded a file"),
    "complete": _("gave the details"),
    "match": _("decided who a player is"),
    "submit": _("submitted"),
    "withdraw": _("withdrew a submission"),
    "admit": _("admitted before play"),
    "approve": _("approved"),
    "return": _("returned"),
    "refuse": _("refused"),
    "unrate": _("un-rated"),
    "revise": _("published anew"),
    "publish": _("published"),
    "correct": _("corrected"),
    "merge": _("merged two entries"),
    "part": _("parted two merged entries"),
    "forget-name": _("deleted a name"),
    "confirm-rank": _("confirmed a rank"),
    "record-playoff": _("recorded a play-off"),
    "open-file": _("opened the file"),
    "import": _("took in a journal"),
    "receive-register": _("uploaded a table of the register"),
    "import-register": _("wrote a table into the register"),
    "export-register": _("took the register out"),
    "take-fide": _("took over from FIDE’s list"),
    "resume": _("said after a restore what was signed by"),
    "take-lines": _("took lines back after a restore, of"),
    "change-key": _("changed the key of"),
    "begin-origin": _("began a new origin,"),
    "take-cosignature": _("took a witness’s signature under"),
    "withdraw-words": _("withdrew the words of"),
}
"""The record's words for what was done; a kind that is not here shows as it is written."""

LABELS: dict[str, Any] = {
    "births": _("births"),
    "changed": _("changed"),
    "fact": _("journal line"),
    "fields": _("fields"),
    "layout": _("as"),
    "left_out": _("left out"),
    "new": _("new"),
    "new_players": _("new players"),
    "players": _("players"),
    "reason": _("reason"),
    "region": _("region"),
    "role": _("role"),
    "ends": _("to"),
    "starts": _("from"),
    "waived": _("to be waived"),
}


class AppointmentsTable(tables.Table):
    row_header = "user"
    empty_title = _("Nobody is appointed")
    user = tables.Column(verbose_name=_("Person"))
    role = tables.Column(verbose_name=_("Role"))
    region = tables.Column(verbose_name=_("Region"), default="–")
    starts = tables.DateColumn(verbose_name=_("From"), format="j M Y")
    ends = tables.DateColumn(verbose_name=_("To"), format="j M Y", default=_("open"))

    class Meta:
        attrs = {"class": "cards"}
        orderable = False
        empty_text = _("People get their roles by appointment; they cannot sign up.")

    def render_user(self, record: Appointment) -> str:
        if not record.name:
            return record.user.email
        return format_html('{}<span class="sub">{}</span>', record.name, record.user.email)


class CurrentAppointmentsTable(AppointmentsTable):
    end = tables.Column(verbose_name=_("Handover"), accessor="pk")

    class Meta(AppointmentsTable.Meta):
        pass

    def render_end(self, record: Appointment) -> str:
        words = _("End the appointment of %(person)s") % {"person": record.known_as}
        return format_html('<a href="{}/end/" aria-label="{}">{}</a>', record.pk, words, _("End"))


class RecordTable(tables.Table):
    """The office's decisions, the newest first. People stand by the names of this office."""

    caption = _("Decisions")
    row_header = "number"
    number = tables.Column(verbose_name=_("No."), attrs={"th": {"class": "num"}, "td": {"class": "num"}})
    at = tables.Column(verbose_name=_("When"))
    by = tables.Column(verbose_name=_("Who"), default=_("the office"))
    kind = tables.Column(verbose_name=_("Did"))
    about = tables.Column(verbose_name=_("What"))
    details = tables.Column(verbose_name=_("With"))

    class Meta:
        attrs = {"class": "cards"}
        orderable = False
        empty_text = _("No decision fits these filters.")

    def __init__(self, *args: Any, office: Federation, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.office = office
        self.people, self.appointed = office.appointments.names(), office.appointments.names("pk")

    def render_at(self, value: datetime) -> str:
        """The time by the office's own clock, as the day of the decision is by its calendar."""
        zone = ZoneInfo(self.office.equipment.office.time_zone)
        return date_format(timezone.localtime(value, zone), "j M Y, H:i")

    def render_by(self, record: Decision) -> str:
        return self.people.get(record.by_id or 0, "–")

    def render_kind(self, value: str) -> str:
        return str(DEEDS.get(value, value))

    def render_about(self, value: str) -> str:
        what, _space, key = value.partition(" ")
        places = {"section": f"events/{key}/", "event": f"events/{key}/", "player": f"players/{key}/"}
        if what == "appointment":
            return self.appointed.get(int(key), value)
        if what == "person":  # as earlier versions wrote it
            return self.people.get(int(key), value)
        if what in places:
            return format_html('<a href="{}{}">{}</a>', self.office.get_absolute_url(), places[what], value)
        return value

    def render_details(self, value: dict[str, Any]) -> str:
        given = {name: detail for name, detail in value.items() if detail not in (None, "", [])}
        return "; ".join(f"{LABELS.get(name, name)}: {_plain(detail)}" for name, detail in given.items())


def _plain(given: Any) -> str:
    """A decision's detail as text; a pair as `before → after`, a checksum by its first letters."""
    if isinstance(given, dict):
        return ", ".join(f"{name} {_plain(part)}" for name, part in given.items())
    if isinstance(given, list):
        return " → ".join(map(_plain, given)) if len(given) == 2 else ", ".join(map(_plain, given))
    text = str(given)
    return f"{text[:12]}…" if len(text) == 64 and text.isalnum() else text
