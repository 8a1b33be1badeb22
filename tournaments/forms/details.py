"""The one form for what no file carries: the section, its rounds, its officials, who was absent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from django import forms
from django.forms import BaseFormSet, formset_factory
from django.utils.translation import gettext as now
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from ratings.law.facts import Left
from tournaments.events import ruleset_fields
from tournaments.events.models import Event, Section
from tournaments.events.ruleset_fields import NameInPublic, PlainField
from tournaments.filing.changes.changed_fields import Changes, changes
from tournaments.filing.changes.details import Details, announced_here, departures
from tournaments.filing.changes.lock_event import in_the_way
from tournaments.filing.open_questions import PLACEMENT, last_round
from tournaments.forms import reasons
from tournaments.forms.event_forms import MOST_ROUNDS, check_days, day_field, offer_formats
from tournaments.forms.overtaken_answers import brought_up, differing, is_older
from tournaments.forms.played.absences import AbsencesForm
from tournaments.forms.played.final_places import PlacesForm
from tournaments.forms.reasons import ask_why
from tournaments.forms.rounds import (
    add_round_days,
    check_round_days,
    check_rounds,
    finals_field,
    propose_days,
    rounds_field,
)
from tournaments.identity.detect_id_kind import EXAMPLES
from tournaments.identity.id_kinds import choices_of


class DetailsForm(forms.Form):
    """The form for a section's own details; its arbiters, early leavers, absences and places have others."""

    name = NameInPublic(label=_("Name of the section"), max_length=100)
    starts = day_field(_("First day"))
    ends = day_field(_("Last day"))
    format = forms.ChoiceField(label=_("Format"))
    team = forms.BooleanField(label=_("Played in teams"), required=False)
    rounds, finals = rounds_field(), finals_field()
    place = NameInPublic(label=pgettext_lazy("where it is played", "Place"), max_length=100, required=False)
    id_kind = forms.ChoiceField(label=_("Ids in the file"))
    organizer = PlainField(
        label=_("Chief organiser"),
        max_length=200,
        required=False,
        help_text=_(
            "Name and number in the register; or the host region and how to reach it. Everybody can read "
            "this, except e-mail addresses and telephone numbers, which only the office sees."
        ),
    )
    reason = reasons.of_details()
    event_version = forms.IntegerField(widget=forms.HiddenInput, required=False)
    """The version of the event that the page showed."""

    def __init__(self, data: Any = None, *, section: Section, suggest: bool = True) -> None:
        super().__init__(data, initial=_initial(section) | (_suggested(section) if suggest else {}))
        self.ruleset = section.event.federation.ruleset
        offer_formats(self, self.ruleset)
        wanted = section.event.federation.equipment.office.registration.wants
        self.fields["organizer"].wanted = "organizer" in wanted  # type: ignore[attr-defined]
        self.fields |= ruleset_fields.fields_of(self.ruleset)
        self._offer_id_kinds(section)
        self.section = section
        self.played = last_round(section)
        self.round_names = add_round_days(self, section, self.played)
        propose_days(self, section, self.round_names)

    def _offer_id_kinds(self, section: Section) -> None:
        """Ask for the kind of ids if the file has an id column; the present answer is chosen already."""
        filed = section.entries.exclude(filed_id="").values_list("filed_id", flat=True)
        examples = ", ".join(filed[:EXAMPLES])
        field = self.fields["id_kind"]
        assert isinstance(field, forms.ChoiceField)
        if not examples:
            del self.fields["id_kind"]
            return
        said = section.id_kind or section.hints.get("id_kind", "")
        # Where other registers' ids are not kept, an unknown number need not be explained.
        field.required = bool(section.event.federation.equipment.office.id_kinds)
        field.choices = [*([] if said else [("", "—")]), *choices_of(self.ruleset)]
        field.help_text = now("What these are: %(examples)s.") % {"examples": examples}

    def clean(self) -> dict[str, Any]:
        super().clean()
        check_days(self)
        ruleset_fields.check_companions(self.ruleset, self)
        check_rounds(self, self.played)
        check_round_days(self, self.round_names)
        if self._shows_what_is_there():  # an older page is told of that
            ask_why(self, self.section, else_seen=bool(announced_here(self._changed())))
        return self.cleaned_data

    def _shows_what_is_there(self) -> bool:
        seen = self.cleaned_data.get("event_version")
        current = seen in (None, self.section.event.version)
        return current and self.data.get("version", "") in ("", str(self.section.version))

    def _changed(self) -> Changes:
        """The name of the section and the place of the event, where they are given otherwise."""
        event, given = self.section.event, self.cleaned_data
        before = {"name": self.section.name, "place": event.place}
        return changes(before, {name: given.get(name, old) for name, old in before.items()})

    def main_fields(self) -> list[forms.BoundField]:
        names = ("name", "starts", "ends", "format", "rounds", "finals", "place")
        return [self[name] for name in names if name in self.fields]

    def id_fields(self) -> list[forms.BoundField]:
        return [self["id_kind"]] if "id_kind" in self.fields else []

    def own_fields(self) -> list[forms.BoundField]:
        """The ruleset's own fields that stand in no group, its tick boxes apart."""
        return ruleset_fields.bound(self, flags=False, in_steps=False)

    def flags(self) -> list[forms.BoundField]:
        return [self["team"], *ruleset_fields.bound(self, flags=True, in_steps=False)]

    def steps(self) -> list[tuple[str, list[forms.BoundField]]]:
        """The ruleset's own fields in the groups of a long form, as at the registration."""
        return ruleset_fields.in_steps(self.ruleset, self)

    def round_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in self.round_names]


def _initial(section: Section) -> dict[str, Any]:
    plain = ("name", "starts", "ends", "format", "team", "rounds")
    initial = {name: getattr(section, name) for name in plain}
    initial["finals"] = len(section.finals) or None
    # A one-day section was played on that day; a person confirms it by saving.
    only_day = section.starts.isoformat() if section.starts == section.ends else None
    for place in range(MOST_ROUNDS):
        known = section.round_dates[place] if place < len(section.round_dates) else None
        initial[f"round-{place + 1}"] = known or only_day
    initial["id_kind"] = section.id_kind or section.hints.get("id_kind", "")
    event = section.event
    initial |= {"place": event.place, "organizer": event.organizer, "event_version": event.version}
    return initial | ruleset_fields.initial_of(section.particulars)


def _suggested(section: Section) -> dict[str, str]:
    """Place and organizer of the event, suggested where it has none; a person confirms them by saving."""
    event = section.event
    place = event.place or section.hints.get("place", "")
    return {"place": place, "organizer": event.organizer or _host(event)}


def _host(event: Event) -> str:
    """The host region and the person who registered the event."""
    contact = event.registered_by
    return ", ".join([event.region.name, *([str(contact), contact.email] if contact else [])])


class ArbiterForm(forms.Form):
    name = NameInPublic(label=pgettext_lazy("of a person", "Name"), max_length=100, required=False)
    title = PlainField(label=_("Title"), max_length=10, required=False)
    id = PlainField(label=_("Id"), max_length=30, required=False)

    def clean(self) -> dict[str, Any]:
        super().clean()
        said = self.cleaned_data
        if (said.get("title") or said.get("id")) and not said.get("name"):
            self.add_error("name", _("Give the name too, or clear the row."))
        return said


class LeftForm(forms.Form):
    """The form of one player who left before the end."""

    player = forms.TypedChoiceField(label=_("Player"), coerce=int, required=False, empty_value=None)
    round = forms.IntegerField(label=_("From round"), min_value=1, max_value=MOST_ROUNDS, required=False)
    notified = forms.ChoiceField(
        label=_("Notice"),
        choices=[("", "—"), ("yes", _("gave notice")), ("no", _("gave no notice"))],
        required=False,
    )

    def __init__(self, *args: Any, players: list[tuple[Any, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["player"]
        assert isinstance(field, forms.TypedChoiceField)
        field.choices = players

    def clean(self) -> dict[str, Any]:
        super().clean()
        said = self.cleaned_data
        if not said.get("player"):
            return said
        if not said.get("round") and "round" not in self.errors:
            self.add_error("round", _("From which round on?"))
        if not said.get("notified"):
            self.add_error("notified", _("Was notice given? Choose one; or choose no player if nobody left."))
        return said


if TYPE_CHECKING:
    LeftForms = BaseFormSet[LeftForm]
else:  # at run time Django's formsets take no type
    LeftForms = BaseFormSet


class BaseLeft(LeftForms):
    def clean(self) -> None:
        said = [form.cleaned_data.get("player") for form in self.forms if form.is_valid()]
        named = [player for player in said if player]
        if len(set(named)) < len(named):
            raise forms.ValidationError(_("The same player is here twice. Keep one of the two rows."))


NOBODY_LEFT = {"left-TOTAL_FORMS": "0", "left-INITIAL_FORMS": "0"}
"""Data for the rows of early leavers if the page does not ask for them, and so posts none."""


class DetailsForms:
    """All forms of the details page, valid together: section, arbiters, early leavers, absences, places."""

    def __init__(self, section: Section, data: Any = None, *, refused: bool = False) -> None:
        """Make the forms. `refused`: what was typed could not be saved and is shown again; where the section
        or its event changed meanwhile, with what is saved by now of each answer that differs.
        """
        self.section = section
        overtaken = refused and is_older(data, section)
        data = brought_up(data, section) if overtaken else data
        players = [("", "—"), *((e.number, f"{e.number} {e.name}") for e in section.entries.all())]
        self.in_the_way = in_the_way(section.event.sections.all())
        """What is said of other sections with the office: what belongs to the event stays for them."""
        self.details = DetailsForm(data, section=section, suggest=not self.in_the_way)
        self.arbiters = formset_factory(ArbiterForm, extra=1, max_num=30)(
            data, prefix="arbiters", initial=list(section.event.arbiters)
        )
        self.left = formset_factory(LeftForm, formset=BaseLeft, extra=1, max_num=200)(
            NOBODY_LEFT if data is not None and not self.asks_absences else data,
            prefix="left",
            initial=_left_rows(section),
            form_kwargs={"players": players},
        )
        self.absences = AbsencesForm(data, section=section)
        self.places = PlacesForm(data, section=section)
        parts = (self.details, *self.arbiters, *self.left, self.absences, self.places)
        self.differing = differing(parts) if overtaken else []
        """What is saved by now, beside the label of each answer that differs from it."""

    @property
    def asks_round_dates(self) -> bool:
        return self.section.format != PLACEMENT

    @property
    def asks_absences(self) -> bool:
        return "excused" in self.section.event.federation.ruleset.journal.reads

    def is_valid(self) -> bool:
        parts = (self.details, self.arbiters, self.left, self.absences, self.places)
        wrong = [part for part in parts if not part.is_valid()]
        return not wrong and self._check_left_rounds()

    def _check_left_rounds(self) -> bool:
        rounds = self.details.cleaned_data["rounds"]
        late = [form for form in self.left.forms if (form.cleaned_data.get("round") or 0) > rounds]
        for form in late:
            form.add_error("round", now("There were only %(rounds)s rounds.") % {"rounds": rounds})
        return not late

    @property
    def wrong_beside(self) -> list[forms.BoundField]:
        """The fields with a fault in the forms beside the section's own, in the order of the page."""
        parts = (self.places, *self.left, self.absences, *self.arbiters)
        return [field for part in parts if part.is_bound for field in part if field.errors]

    @property
    def version(self) -> str:
        """The version of the section that the page showed, also where it comes back with complaints."""
        return self.details.data.get("version") or str(self.section.version)

    @property
    def event_version(self) -> int | None:
        """The version of the event that the page showed."""
        return self.details.cleaned_data["event_version"]  # type: ignore[no-any-return]

    def said(self) -> Details:
        main = self.details.cleaned_data
        plain = ("name", "starts", "ends", "format", "rounds", "team", "organizer", "place")
        return Details(
            **{name: main[name] for name in plain},
            finals=main.get("finals") or 0,
            id_kind=main.get("id_kind", ""),
            particulars=ruleset_fields.particulars_of(self.details.ruleset, self.details),
            round_dates=[main[name] for name in self.details.round_names],
            arbiters=filled_arbiters(self.arbiters),
            left={row["player"]: _left(row) for row in self.left.cleaned_data if row.get("player")},
            excused=self.absences.excused(),
            byes=self.absences.kinds(),
            places=self.places.places(),
            reason=main["reason"],
        )


def filled_arbiters(arbiters: BaseFormSet[ArbiterForm]) -> list[dict[str, str]]:
    """The arbiters of a formset's rows, in order of appointment; a row without a name is none."""
    return [_arbiter(row) for row in arbiters.cleaned_data if row.get("name")]


def _left_rows(section: Section) -> list[dict[str, Any]]:
    words = {True: "yes", False: "no", None: ""}
    return [
        {"player": number, "round": round_, "notified": words[notified]}
        for number, round_, notified in departures(section)
    ]


def _left(row: Mapping[str, Any]) -> Left:
    return Left(row["round"], row["notified"] == "yes")


def _arbiter(row: Mapping[str, str]) -> dict[str, str]:
    return {"name": row["name"], "title": row.get("title", ""), "id": row.get("id", "")}
