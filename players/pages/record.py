"""Tables of appointments and of the record of decisions, and the record's filter."""

from collections.abc import Callable
from datetime import datetime
from html import unescape
from typing import Any
from zoneinfo import ZoneInfo

import django_filters
import django_tables2 as tables
from django import forms
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html, format_html_join, strip_tags
from django.utils.translation import gettext_lazy as _, pgettext_lazy

from players.decision_kinds import KINDS, render_decision, thing_in_words, translate_detail
from players.display import declared_in_words, format_escaped
from players.languages import mark_language
from players.models import Appointment, Decision, Federation

PERSON_DETAILS = frozenset({("hand-over", "to"), ("carry-out-handover", "to"), ("mend", "proposed_by")})
"""The details, by kind of decision, that are keys of accounts."""
TEXT_DETAILS = frozenset({"name", "note", "reason", "remarks", "words"})
"""The details that are texts by the office's people."""


class AppointmentsTable(tables.Table):
    """Former appointments, each with its handover: what is open may still bear the person's name."""

    label = _("Formerly")
    pages: tuple[str, ...] = ("handover",)
    row_header = "user"
    empty_title = _("Nobody is appointed")
    user = tables.Column(verbose_name=_("Person"))
    role = tables.Column(verbose_name=_("Role"))
    region = tables.Column(verbose_name=_("Region"), default="–")
    starts = tables.DateColumn(verbose_name=_("From"), format="SHORT_DATE_FORMAT")
    ends = tables.DateColumn(
        verbose_name=_("To"),
        format="SHORT_DATE_FORMAT",
        default=pgettext_lazy("a last day that nobody has set", "open"),
    )
    changes = tables.Column(verbose_name=_("Changes"), accessor="pk")

    class Meta:
        orderable = False
        empty_text = _("People get their roles by appointment; they cannot sign up.")

    def render_user(self, record: Appointment) -> str:
        if not record.name:
            return record.user.email
        return format_html('{}<span class="sub">{}</span>', record.name, record.user.email)

    def render_changes(self, record: Appointment) -> str:
        person = {"person": record.known_as}
        pages = [
            ("last-day", _("Last day"), _("Change the last day of the appointment of %(person)s") % person),
            ("handover", _("Handover"), _("Hand over what is open with %(person)s") % person),
            ("invitation", _("Invitation"), _("The invitation of %(person)s") % person),
            ("end", _("End"), _("End the appointment of %(person)s") % person),
        ]
        links = ((record.pk, name, words, label) for name, label, words in pages if name in self.pages)
        return format_html_join(" · ", '<a href="{}/{}/" aria-label="{}">{}</a>', links)


class CurrentAppointmentsTable(AppointmentsTable):
    label = _("In office")
    pages = ("last-day", "handover", "invitation", "end")

    class Meta(AppointmentsTable.Meta):
        pass


class RecordTable(tables.Table):
    """The office's decisions, the newest first, with people's names in this office."""

    caption = _("Decisions")
    row_header = "number"
    number = tables.Column(verbose_name=_("No."), attrs={"th": {"class": "num"}, "td": {"class": "num"}})
    at = tables.Column(verbose_name=_("When"))
    told = tables.Column(verbose_name=_("What was done"), accessor="kind", attrs={"td": {"class": "whole"}})

    class Meta:
        orderable = False
        empty_text = _("No decision fits these filters.")

    def __init__(
        self,
        *args: Any,
        office: Federation,
        left_out: Callable[[Decision, str], bool] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.office, self.left_out = office, left_out or (lambda _decision, _key: False)
        self.people, self.appointed = office.appointments.names(), office.appointments.names("pk")
        self.zone = ZoneInfo(office.equipment.office.time_zone)

    def render_at(self, value: datetime) -> str:
        return date_format(timezone.localtime(value, self.zone), "SHORT_DATETIME_FORMAT")

    def render_told(self, record: Decision) -> str:
        return render_decision(
            record.kind,
            who=self.who(record),
            what=self.what(record.about, thing_in_words(record.about)),
            details=self.details(record),
            is_hidden=lambda key: self.left_out(record, key),
        )

    def details(self, record: Decision) -> dict[str, Any]:
        """A decision's details in words, with people by name."""
        return {key: self._detail(record.kind, key, value) for key, value in record.details.items()}

    def _detail(self, kind: str, key: str, value: Any) -> Any:
        """One detail in words; a text by the office's people is marked with their language."""
        if (kind, key) in PERSON_DETAILS:
            return self.people.get(value, "–")
        if key == "waived" and isinstance(value, list):
            return [self._waived(**each) for each in value]
        if key == "declared" and isinstance(value, dict):
            return declared_in_words(value, self.office.ruleset)
        words = translate_detail(kind, key, value)
        if key in TEXT_DETAILS and words is value and isinstance(value, str):
            return mark_language(self.office, value)
        return words

    def _waived(self, clause: str, waived_because: str, **_codes: str) -> str:
        because = mark_language(self.office, waived_because.removesuffix("."))
        return format_escaped("§{}: {}", clause, because) if clause else because

    def plain(self, record: Decision) -> list[str]:
        """A decision as a row of a file: number, time, person, kind, subject, and the sentences."""
        at = timezone.localtime(record.at, self.zone).isoformat(timespec="seconds")
        sentence = unescape(strip_tags(self.render_told(record)))
        subject = strip_tags(self.what(record.about))
        return [str(record.number), at, self.who(record), record.kind, unescape(subject), sentence]

    def who(self, record: Decision) -> str:
        """The person's name, or “The office” for a decision of the program."""
        return self.people.get(record.by_id, "–") if record.by_id else str(_("The office"))

    def what(self, about: str, words: str = "") -> str:
        """The subject in these words or as recorded: a person by name, others linked to their page."""
        what, _space, key = about.partition(" ")
        places = {"section": f"events/{key}/", "event": f"events/{key}/", "player": f"players/{key}/"}
        places["case"] = f"cases/{key}/"
        if what == "appointment":
            return self.appointed.get(int(key), about)
        if what == "person":  # as earlier versions wrote it
            return self.people.get(int(key), about)
        if what in places:
            root = self.office.get_absolute_url()
            return format_html('<a href="{}{}">{}</a>', root, places[what], words or about)
        return words or about


class RecordFilter(django_filters.FilterSet):
    """Filters decisions by kind, person, subject and days."""

    kind = django_filters.ChoiceFilter(label=_("Did"), empty_label=_("anything"))
    by = django_filters.ChoiceFilter(label=_("Who"), empty_label=_("anybody"), method="done_by")
    about = django_filters.CharFilter(label=_("What"), lookup_expr="icontains")
    since = django_filters.DateFilter(
        field_name="on", lookup_expr="gte", label=_("From"), widget=forms.DateInput(attrs={"type": "date"})
    )
    until = django_filters.DateFilter(
        field_name="on", lookup_expr="lte", label=_("To"), widget=forms.DateInput(attrs={"type": "date"})
    )

    class Meta:
        model = Decision
        fields: tuple[str, ...] = ("kind", "by", "about", "since", "until")

    def __init__(self, *args: Any, office: Federation, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.office = office
        decisions = Decision.objects.filter(pk__in=self.queryset.order_by().values("pk"))
        kinds = decisions.order_by().values_list("kind", flat=True).distinct()
        deciding: set[int | None] = set(decisions.order_by().values_list("by", flat=True).distinct())
        deeds = ((kind, str(KINDS[kind].verb if kind in KINDS else kind).rstrip(",")) for kind in kinds)
        self.filters["kind"].extra["choices"] = sorted(deeds, key=lambda each: each[1].casefold())
        self.filters["by"].extra["choices"] = decider_choices(office, deciding)

    def done_by(self, decisions: QuerySet[Decision], name: str, appointment: str) -> QuerySet[Decision]:
        return decisions.filter(by__appointments=int(appointment))


def decider_choices(office: Federation, user_keys: set[int | None]) -> list[tuple[int, str]]:
    """People who decided something: key of the first appointment (an account's key would tell its age), and
    name.
    """
    first = dict(office.appointments.order_by("-pk").values_list("user_id", "pk"))
    names = office.appointments.names()
    chosen = ((first[user], name) for user, name in names.items() if user in user_keys)
    return sorted(chosen, key=lambda each: each[1].casefold())
