"""The third step of filing: forms for what a file does not have.

They ask for the section's own particulars, its rounds, arbiters, early leavers, absences and final places,
and are valid only together.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import date
from itertools import groupby
from typing import TYPE_CHECKING, Any

from django import forms
from django.db.models import Q
from django.forms import BaseFormSet, formset_factory
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as now, gettext_lazy, pgettext_lazy

from players.access import FORM, OfficeRequest, Permission, page
from ratings.rulesets.facts import Departure
from tournaments import sections
from tournaments.acceptance import PLACEMENT, get_last_round
from tournaments.announcements import Changes, changes, describe_blockers
from tournaments.details import (
    SPREAD,
    Details,
    get_forfeited_games,
    get_forfeiting_entries,
    list_early_leavers,
    propose_days,
    public_name_or_place_changes,
    save_details,
    spread_days,
)
from tournaments.filing import BYE_ADJUSTMENTS, DEFAULT_BYE, UNCLEAR_BYE, propose_bye_kind
from tournaments.findings import (
    BYES,
    TIME_CONTROL,
    build_worded_findings,
    details_form_places,
    filing_url,
    is_for_details,
)
from tournaments.matching import EXAMPLES, id_kind_choices
from tournaments.models import Entry, Finding, Section
from tournaments.pages import forms as reasons
from tournaments.pages.forms import (
    MOST_ROUNDS,
    add_day_errors,
    add_reason_error,
    day_field,
    is_outdated,
    list_differing_saved_values,
    set_format_choices,
    update_versions,
)
from tournaments.pages.steps import (
    get_own_section,
    redirect_and_warn_if_unread,
    redirect_if_unread,
    redirect_to_step,
    render_filing_step,
    run_decision,
)
from tournaments.places import propose_places
from tournaments.sections import PlainField, PublicNameField
from tournaments.steps import done_steps, next_step_url

# ---- What is open
DAYS = frozenset({"starts", "ends", "round-dates"})
ASKED_FIELDS: Mapping[str, frozenset[str]] = {
    "round-dates-outside": DAYS,
    "round-dates-order": DAYS,
    "dates-differ": DAYS,
    "absences": frozenset({"left", "forfeits"}),
    UNCLEAR_BYE: frozenset({"byes"}),
    **dict.fromkeys(("event-name-differs", "file-of-another-event"), frozenset()),  # saving is the answer
}
"""What answers a finding that does not say where: names of fields, or of a part of the page."""


def list_open_fields(asked: Iterable[Finding]) -> set[str] | None:
    """The fields and parts of the page that answer the findings; None if one of them does not say where."""
    found: set[str] = set()
    for finding in asked:
        fields = ASKED_FIELDS.get(finding.key) or ({finding.where} if finding.where else None)
        if fields is None and finding.key not in ASKED_FIELDS:
            return None
        found |= fields or set()
    if "rounds" in found:  # finals may be among them, and their days follow from their number
        found |= {"finals", "round-dates"}
    return found


def write_hidden(fields: Iterable[forms.BoundField]) -> SafeString:
    """Write the present answers of fields as hidden inputs, as their own widgets name them."""
    inputs = []
    for field in fields:
        context = field.field.widget.get_context(field.html_name, field.value(), {})["widget"]
        for part in context.get("subwidgets", [context]):
            values = part["value"] if isinstance(part["value"], list) else [part["value"]]
            if part.get("type") == "checkbox":
                values = ["on"] if part["attrs"].get("checked") else []
            inputs += [(part["name"], value) for value in values if value not in (None, "")]
    return format_html_join("\n", '<input type="hidden" name="{}" value="{}">', inputs)


# ---- Absences
class AbsencesForm(forms.Form):
    """The form for absences: a box to tick for each forfeit with notice, and the kind of each unclear bye."""

    def __init__(self, *args: Any, section: Section, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.forfeits: list[tuple[Any, str, str]] = []
        self.byes: list[tuple[Any, str]] = []
        if "excused" in section.event.federation.ruleset.journal.reads:
            self._ask_forfeits(section)
        self._ask_byes(section)

    def _ask_forfeits(self, section: Section) -> None:
        for game in get_forfeited_games(section):
            for side, entry in get_forfeiting_entries(game):
                field = f"game-{game.order}-{side}"
                excused = game.excused in (side, "both")
                label = now("%(player)s gave notice") % {"player": entry.name}
                self.fields[field] = forms.BooleanField(label=label, required=False, initial=excused)
                self.forfeits.append((game, entry.name, field))

    def _ask_byes(self, section: Section) -> None:
        lines = section.adjustments.filter(key__in=BYE_ADJUSTMENTS).values_list("line", flat=True)
        byes = section.byes.filter(entry__line__in=list(lines)).select_related("entry")
        proposed = propose_bye_kind(section)
        for bye in byes.order_by("entry__number", "round"):
            words = now("%(player)s, round %(round)s") % {"player": bye.entry.name, "round": bye.round}
            field = forms.ChoiceField(label=words, choices=list(BYES.items()))
            field.initial = proposed if proposed and bye.kind == DEFAULT_BYE else bye.kind
            self.fields[f"bye-{bye.pk}"] = field
            self.byes.append((f"bye-{bye.pk}", words))

    def forfeit_rows(self) -> list[dict[str, Any]]:
        return [{"game": game, "player": name, "field": self[field]} for game, name, field in self.forfeits]

    def bye_fields(self) -> list[forms.BoundField]:
        return [self[name] for name, _words in self.byes]

    @property
    def kinds_of_byes(self) -> list[tuple[str, Any]]:
        """The answers that can be given to all byes at once, if there are several."""
        return list(BYES.items()) if len(self.byes) > 1 else []

    def excused(self) -> dict[int, str]:
        found: dict[int, str] = {}
        for order, rows in groupby(self.forfeits, key=lambda row: row[0].order):
            sides = [field.rpartition("-")[2] for _g, _n, field in rows if self.cleaned_data.get(field)]
            found[order] = "both" if len(sides) == 2 else "".join(sides)
        return found

    def kinds(self) -> dict[int, str]:
        return {int(name.removeprefix("bye-")): self.cleaned_data[name] for name, _words in self.byes}


FILL_ALL = "fill-all"
"""The name of the buttons that give one answer to all absences of a kind."""
_LEFT = re.compile(r"left-\d+-player")


def fill_absences(data: QueryDict, section: Section) -> QueryDict:
    """Copy the data with the pressed button's answer to all: `bye-half`, `excused-yes`, `notified-no`."""
    what, _dash, value = data.get(FILL_ALL, "").partition("-")
    filled, absences = data.copy(), AbsencesForm(section=section)
    if what == "bye" and value in BYES:
        for name, _words in absences.byes:
            filled[name] = value
    for _game, _player, name in absences.forfeits if what == "excused" else ():
        filled[name] = "on" if value == "yes" else ""
    rows = [name for name in data if what == "notified" and _LEFT.fullmatch(name) and data[name]]
    for name in rows:
        filled[name.replace("player", "notified")] = value
    return filled


# ---- Final places, if the rules need them
GREATEST_PLACE = 99_999
"""The greatest place that a journal takes."""


class PlacesForm(forms.Form):
    """The form for final places: a number for each entry; an empty one is asked for again."""

    def __init__(self, data: Any = None, *, section: Section) -> None:
        super().__init__(data)
        self.entries: list[Entry] = []
        if section.event.federation.ruleset.sections.places_needed:
            self.entries = list(section.entries.all())
        self.proposed = propose_places(section, self.entries)
        """By starting number, places computed from the file if it gives none, to be checked."""
        for entry in self.entries:
            label = now("Place of %(player)s") % {"player": entry.name}
            place = self.proposed.get(entry.number, entry.place)
            self.fields[place_field_name(entry)] = forms.IntegerField(
                label=label, min_value=1, max_value=GREATEST_PLACE, required=False, initial=place
            )

    @property
    def lacking(self) -> bool:
        """Whether a place is missing or wrong, so that the page shows the fields."""
        return bool(self.errors) or any(entry.place is None for entry in self.entries)

    def rows(self) -> list[dict[str, Any]]:
        return [{"entry": entry, "field": self[place_field_name(entry)]} for entry in self.entries]

    def places(self) -> dict[int, int | None]:
        """The posted places by starting number."""
        asked = [entry for entry in self.entries if place_field_name(entry) in self.data]
        return {entry.number: self.cleaned_data[place_field_name(entry)] for entry in asked}


def place_field_name(entry: Entry) -> str:
    return f"place-{entry.number}"


# ---- Rounds
def rounds_field() -> forms.IntegerField:
    return forms.IntegerField(
        label=gettext_lazy("Scheduled rounds"),
        min_value=1,
        max_value=MOST_ROUNDS,
        help_text=gettext_lazy("The number announced, even if not all rounds were played."),
    )


def finals_field() -> forms.IntegerField:
    return forms.IntegerField(
        label=gettext_lazy("Rounds of finals"),
        min_value=0,
        max_value=MOST_ROUNDS,
        required=False,
        help_text=gettext_lazy(
            "Finals and play-offs after the scheduled rounds, which do not count as such."
        ),
    )


def add_round_day_fields(form: forms.Form, section: Section, rounds_played: int) -> list[str]:
    """Add a field for the day of each scheduled round; return their names. `rounds_played`: the last."""
    if section.format == PLACEMENT:
        del form.fields["finals"]
        return []
    names = []
    for number in range(1, max(section.rounds or 0, rounds_played - len(section.finals)) + 1):
        label = now("Round %(number)s") % {"number": number}
        names.append(f"round-{number}")
        form.fields[names[-1]] = day_field(label, required=False)
    return names


FILL_DAYS = "fill-days"
"""The name of the buttons that date all rounds at once."""


def fill_days(data: QueryDict, section: Section, rounds_played: int) -> QueryDict:
    """Copy the data and date all rounds as the pressed button says, if first and last day can be read."""
    form = forms.Form(data)
    form.fields |= {"starts": day_field(""), "ends": day_field(""), "finals": finals_field()}
    names = add_round_day_fields(form, section, rounds_played)
    if not form.is_valid() and {"starts", "ends"} & set(form.errors):
        return data
    starts, ends = form.cleaned_data["starts"], form.cleaned_data["ends"]
    ends = max(starts, ends) if data.get(FILL_DAYS) == SPREAD else starts
    filled = data.copy()
    for name, day in zip(names, spread_days(starts, ends, len(names)), strict=True):
        filled[name] = day.isoformat()
    return filled


def add_round_errors(form: forms.Form, rounds_played: int) -> None:
    """Add an error if scheduled rounds and finals are fewer than the rounds of the file, or finals more."""
    rounds, finals = form.cleaned_data.get("rounds"), form.cleaned_data.get("finals") or 0
    if rounds and rounds + finals < rounds_played:
        words = now(
            "The file holds %(played)s rounds already. If the last ones were finals or play-offs, give their "
            "number beside this."
        )
        form.add_error("rounds", words % {"played": rounds_played})
    elif finals > rounds_played:
        form.add_error("finals", now("The file holds only %(played)s rounds.") % {"played": rounds_played})


# ---- The forms of the page
class DetailsForm(forms.Form):
    """The form for a section's own details, without its arbiters, early leavers, absences and places."""

    name = PublicNameField(label=gettext_lazy("Name of the section"), max_length=100)
    starts = day_field(gettext_lazy("First day"))
    ends = day_field(gettext_lazy("Last day"))
    format = forms.ChoiceField(label=gettext_lazy("Format"))
    team = forms.BooleanField(label=gettext_lazy("Played in teams"), required=False)
    rounds, finals = rounds_field(), finals_field()
    place = PublicNameField(
        label=pgettext_lazy("where it is played", "Place"), max_length=100, required=False
    )
    id_kind = forms.ChoiceField(label=gettext_lazy("Ids in the file"))
    organizer = PlainField(
        label=gettext_lazy("Chief organiser"),
        max_length=200,
        required=False,
        help_text=gettext_lazy(
            "Name and number in the register; or the host region and how to reach it. Everybody can read "
            "this, except e-mail addresses and telephone numbers, which only the office sees."
        ),
    )
    reason = reasons.details_change_reason()
    event_version = forms.IntegerField(widget=forms.HiddenInput, required=False)
    """The version of the event that the page showed."""

    def __init__(self, data: Any = None, *, section: Section, suggest: bool = True) -> None:
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
        initial |= sections.get_own_initial(event.federation.ruleset, section.particulars, section.format)
        if suggest:  # place and organizer; a person confirms them by saving
            initial["place"] = event.place or section.hints.get("place", "")
            if not event.organizer:
                contact = event.registered_by
                host = [event.region.name, *([str(contact), contact.email] if contact else [])]
                initial["organizer"] = ", ".join(host)
        super().__init__(data, initial=initial)
        saved = {"place": event.place, "organizer": event.organizer}
        self.proposed = {name for name, value in saved.items() if initial[name] and not value}
        """Names of fields whose value is not saved yet: a person confirms it."""
        self.answered: set[str] = set()
        """Names of fields that the page leaves out, as nothing is open about them."""
        self.ruleset = section.event.federation.ruleset
        set_format_choices(self, self.ruleset)
        wanted = section.event.federation.equipment.office.registration.wants
        self.fields["organizer"].wanted = "organizer" in wanted  # type: ignore[attr-defined]
        self.fields |= sections.build_own_fields(self.ruleset)
        self._offer_id_kinds(section)
        self.section = section
        self.played = get_last_round(section)
        self.round_names = add_round_day_fields(self, section, self.played)
        names = self.round_names
        for name, day in zip(names, propose_days(section, len(names)), strict=False):
            self.initial[name] = day.isoformat()

    def _offer_id_kinds(self, section: Section) -> None:
        """Ask for the kind of ids if the file has an id column, with the present answer selected."""
        filed = section.entries.exclude(filed_id="").values_list("filed_id", flat=True)
        examples = ", ".join(filed[:EXAMPLES])
        field = self.fields["id_kind"]
        assert isinstance(field, forms.ChoiceField)
        if not examples:
            del self.fields["id_kind"]
            return
        known = section.id_kind or section.hints.get("id_kind", "")
        # If other registers' ids are not kept, an unknown number need not be explained.
        field.required = bool(section.event.federation.equipment.office.id_kinds)
        field.choices = [*([] if known else [("", "—")]), *id_kind_choices(self.ruleset)]
        field.help_text = now("What these are: %(examples)s.") % {"examples": examples}

    def clean(self) -> dict[str, Any]:
        super().clean()
        add_day_errors(self)
        sections.add_companion_errors(self.ruleset, self)
        add_round_errors(self, self.played)
        starts, ends = self.cleaned_data.get("starts"), self.cleaned_data.get("ends")
        before: date | None = None
        for name in self.round_names:
            day = self.cleaned_data.get(name)
            if not day or not starts or not ends:
                continue
            if not starts <= day <= ends:
                self.add_error(
                    name, gettext_lazy("This day is not between the section's first and last day.")
                )
            elif before and day < before:
                self.add_error(name, gettext_lazy("This round is dated before the one above it."))
            before = day
        if self._is_current():  # the service refuses an older page anyway
            add_reason_error(
                self, self.section, else_seen=bool(public_name_or_place_changes(self._changed()))
            )
        return self.cleaned_data

    def _is_current(self) -> bool:
        """Whether the page showed the present version of the section and its event."""
        seen = self.cleaned_data.get("event_version")
        current = seen in (None, self.section.event.version)
        return current and self.data.get("version", "") in ("", str(self.section.version))

    def _changed(self) -> Changes:
        """The changes of the section's name and the event's place."""
        event, given = self.section.event, self.cleaned_data
        before = {"name": self.section.name, "place": event.place}
        return changes(before, {name: given.get(name, old) for name, old in before.items()})

    def _shown(self, fields: Iterable[forms.BoundField]) -> list[forms.BoundField]:
        return [field for field in fields if field.name not in self.answered]

    def main_fields(self) -> list[forms.BoundField]:
        names = ("name", "starts", "ends", "format", "rounds", "finals", "place")
        return self._shown(self[name] for name in names if name in self.fields)

    def changed_in_public(self) -> bool:
        """Whether a field is shown whose change is announced with a reason."""
        return not {"name", "starts", "ends", "place"} <= self.answered or bool(self["reason"].errors)

    def id_fields(self) -> list[forms.BoundField]:
        return self._shown([self["id_kind"]]) if "id_kind" in self.fields else []

    def own_fields(self) -> list[forms.BoundField]:
        """The ruleset's own fields that are in no group, without tick boxes."""
        return self._shown(sections.get_own_fields(self, flags=False, include_steps=False))

    def flags(self) -> list[forms.BoundField]:
        return self._shown([self["team"], *sections.get_own_fields(self, flags=True, include_steps=False)])

    def steps(self) -> list[tuple[str, list[forms.BoundField]]]:
        """The ruleset's own fields in groups, as in the registration."""
        steps = sections.group_own_fields_by_step(self.ruleset, self)
        return [(heading, shown) for heading, fields in steps if (shown := self._shown(fields))]

    def round_fields(self) -> list[forms.BoundField]:
        return self._shown(self[name] for name in self.round_names)

    def asks_of_section(self) -> bool:
        """Whether a field of the section's own is shown, beside the days of rounds and the organizer."""
        own = (self.main_fields(), self.id_fields(), self.own_fields(), self.flags(), self.steps())
        return any(own)


class ArbiterForm(forms.Form):
    name = PublicNameField(label=pgettext_lazy("of a person", "Name"), max_length=100, required=False)
    title = PlainField(label=gettext_lazy("Title"), max_length=10, required=False)
    id = PlainField(label=gettext_lazy("Id"), max_length=30, required=False)

    def clean(self) -> dict[str, Any]:
        super().clean()
        data = self.cleaned_data
        if (data.get("title") or data.get("id")) and not data.get("name"):
            self.add_error("name", gettext_lazy("Give the name too, or clear the row."))
        return data


class DepartureForm(forms.Form):
    """The form of one player who left before the end."""

    player = forms.TypedChoiceField(
        label=gettext_lazy("Player"), coerce=int, required=False, empty_value=None
    )
    round = forms.IntegerField(
        label=gettext_lazy("From round"), min_value=1, max_value=MOST_ROUNDS, required=False
    )
    notified = forms.ChoiceField(
        label=gettext_lazy("Notice"),
        choices=[("", "—"), ("yes", gettext_lazy("gave notice")), ("no", gettext_lazy("gave no notice"))],
        required=False,
    )

    def __init__(self, *args: Any, players: list[tuple[Any, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["player"]
        assert isinstance(field, forms.TypedChoiceField)
        # Who left as the file shows stands in a row of their own, without everybody else to choose from.
        known = str(self.initial.get("player") or "")
        if known and (not self.is_bound or self.data.get(self.add_prefix("player"), known) in ("", known)):
            players = [choice for choice in players if str(choice[0]) in ("", known)]
        field.choices = players

    def clean(self) -> dict[str, Any]:
        super().clean()
        data = self.cleaned_data
        if not data.get("player"):
            return data
        if not data.get("round") and "round" not in self.errors:
            self.add_error("round", gettext_lazy("From which round on?"))
        if not data.get("notified"):
            self.add_error(
                "notified", gettext_lazy("Was notice given? Choose one; or choose no player if nobody left.")
            )
        return data


if TYPE_CHECKING:
    DepartureForms = BaseFormSet[DepartureForm]
else:  # at run time Django's formsets take no type
    DepartureForms = BaseFormSet


class BaseDepartures(DepartureForms):
    def clean(self) -> None:
        players = [form.cleaned_data.get("player") for form in self.forms if form.is_valid()]
        chosen = [player for player in players if player]
        if len(set(chosen)) < len(chosen):
            raise forms.ValidationError(
                gettext_lazy("The same player is here twice. Keep one of the two rows.")
            )


NO_DEPARTURES_DATA = {"left-TOTAL_FORMS": "0", "left-INITIAL_FORMS": "0"}
"""Data for the rows of early leavers if the page does not ask for them."""


class DetailsForms:
    """All forms of the details page: section, arbiters, early leavers, absences, places."""

    def __init__(self, section: Section, data: Any = None, *, refused: bool = False) -> None:
        """`refused`: the data was not saved and is shown again, with what others have saved since."""
        self.section = section
        overtaken = refused and is_outdated(data, section)
        data = update_versions(data, section) if overtaken else data
        players = [("", "—"), *((e.number, f"{e.number} {e.name}") for e in section.entries.all())]
        self.in_the_way = describe_blockers(section.event.sections.all())
        """Words on other sections with the office, for which the event's own particulars must not change."""
        self.details = DetailsForm(data, section=section, suggest=not self.in_the_way)
        self.arbiters = formset_factory(ArbiterForm, extra=1, max_num=30)(
            data, prefix="arbiters", initial=list(section.event.arbiters)
        )
        words = {True: "yes", False: "no", None: ""}
        self.left = formset_factory(DepartureForm, formset=BaseDepartures, extra=1, max_num=200)(
            NO_DEPARTURES_DATA if data is not None and not self.asks_absences else data,
            prefix="left",
            initial=[
                {"player": number, "round": round_, "notified": words[notified]}
                for number, round_, notified in list_early_leavers(section)
            ],
            form_kwargs={"players": players},
        )
        self.absences = AbsencesForm(data, section=section)
        self.places = PlacesForm(data, section=section)
        parts = (self.details, *self.arbiters, *self.left, self.absences, self.places)
        self.differing = list_differing_saved_values(parts) if overtaken else []
        """The label and the saved value of each answer that differs from it."""

        self.open: set[str] | None = None
        """What is asked: names of fields and parts of the page; None: everything."""

    def leave_out_answered(self, asked: Iterable[Finding]) -> None:
        """Show only what the findings ask, what is proposed and what is wrong."""
        self.open = list_open_fields(asked)
        if self.open is not None:
            own = [f for f in self.details if f.name != "reason" and not f.is_hidden and not self._is_open(f)]
            self.details.answered = {field.name for field in own}
            if not self.details.changed_in_public():
                self.details.answered.add("reason")

    def _is_open(self, field: forms.BoundField) -> bool:
        assert self.open is not None
        name = field.name.removeprefix(sections.OWN_PREFIX)
        part = "round-dates" if name in self.details.round_names else name.replace("_", "-")
        empty = field.field.required and field.value() in (None, "", [])
        wanted = self.open | self.details.proposed
        return bool(field.errors) or empty or not wanted.isdisjoint({name, part})

    def _shows(self, part: str, fields: Iterable[forms.BoundField]) -> bool:
        """Whether a part of the page is shown: it is asked, or an answer in it is wrong."""
        return self.open is None or part in self.open or any(field.errors for field in fields)

    @property
    def asks_places(self) -> bool:
        return bool(self.places.entries) and self._shows("places", self.places)

    @property
    def asks_left(self) -> bool:
        return self.asks_absences and self._shows("left", (field for form in self.left for field in form))

    @property
    def asks_forfeits(self) -> bool:
        return bool(self.absences.forfeits) and self._shows("forfeits", self.absences)

    @property
    def asks_byes(self) -> bool:
        return bool(self.absences.byes) and self._shows("byes", self.absences)

    @property
    def asks_arbiters(self) -> bool:
        proposed = any("file" in arbiter for arbiter in self.section.event.arbiters)
        return proposed or self._shows("arbiters", (field for form in self.arbiters for field in form))

    @property
    def asks_organizer(self) -> bool:
        return "organizer" not in self.details.answered

    def answered_fields(self) -> list[forms.BoundField]:
        """The fields that the page leaves out; their answers are posted again as they are."""
        found = [self.details[name] for name in self.details.answered]
        absences = self.absences
        found += [] if self.asks_places else list(self.places)
        found += [] if self.asks_forfeits else [row["field"] for row in absences.forfeit_rows()]
        found += [] if self.asks_byes else absences.bye_fields()
        asks = ((self.left, self.asks_left or not self.asks_absences), (self.arbiters, self.asks_arbiters))
        for formset in (formset for formset, asked in asks if not asked):
            found += [field for form in (formset.management_form, *formset) for field in form]
        return found

    @property
    def asks_nothing(self) -> bool:
        """Whether the page has no field to show."""
        of_event = self.asks_organizer or self.asks_arbiters
        absences = self.asks_left or self.asks_forfeits or self.asks_byes
        return not (self.details.asks_of_section() or self.asks_places or absences or of_event) and (
            self.open is not None and "round-dates" not in self.open
        )

    @property
    def answered_inputs(self) -> SafeString:
        return write_hidden(self.answered_fields())

    @property
    def asks_round_dates(self) -> bool:
        shown = self.open is None or bool(self.details.round_fields()) or "round-dates" in self.open
        return self.section.format != PLACEMENT and shown

    @property
    def asks_absences(self) -> bool:
        return "excused" in self.section.event.federation.ruleset.journal.reads

    def is_valid(self) -> bool:
        parts = (self.details, self.arbiters, self.left, self.absences, self.places)
        valid = [part.is_valid() for part in parts]
        return all(valid) and self._check_left_rounds()

    def _check_left_rounds(self) -> bool:
        rounds = self.details.cleaned_data["rounds"]
        late = [form for form in self.left.forms if (form.cleaned_data.get("round") or 0) > rounds]
        for form in late:
            form.add_error("round", now("There were only %(rounds)s rounds.") % {"rounds": rounds})
        return not late

    @property
    def wrong_beside(self) -> list[forms.BoundField]:
        """The fields with errors in the forms other than the section's own, in the order of the page."""
        parts = (self.places, *self.left, self.absences, *self.arbiters)
        return [field for part in parts if part.is_bound for field in part if field.errors]

    @property
    def version(self) -> str:
        """The version of the section that the page showed, also if it is shown again with errors."""
        return self.details.data.get("version") or str(self.section.version)

    @property
    def event_version(self) -> int | None:
        """The version of the event that the page showed."""
        return self.details.cleaned_data["event_version"]  # type: ignore[no-any-return]

    def submitted_details(self) -> Details:
        main = self.details.cleaned_data
        plain = ("name", "starts", "ends", "format", "rounds", "team", "organizer", "place")
        return Details(
            **{name: main[name] for name in plain},
            finals=main.get("finals") or 0,
            id_kind=main.get("id_kind", ""),
            particulars=sections.clean_particulars(self.details.ruleset, self.details),
            round_dates=[main[name] for name in self.details.round_names],
            arbiters=list_named_arbiters(self.arbiters),
            left={
                row["player"]: Departure(row["round"], row["notified"] == "yes")
                for row in self.left.cleaned_data
                if row.get("player")
            },
            excused=self.absences.excused(),
            byes=self.absences.kinds(),
            places=self.places.places(),
            reason=main["reason"],
        )


def list_named_arbiters(arbiters: BaseFormSet[ArbiterForm]) -> list[dict[str, str]]:
    """The arbiters of a formset's rows that have a name, in order of appointment."""
    return [
        {"name": row["name"], "title": row.get("title", ""), "id": row.get("id", "")}
        for row in arbiters.cleaned_data
        if row.get("name")
    ]


# ---- The page
ALL = "all"
"""What the address of the page has if it shall show what is answered too."""
TAKE_TIME = "take-time"
"""The name of the button that saves the file's time control instead of the registered one."""


@page(Permission.SECTIONS_FILE, methods=FORM)
def details(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    section = get_own_section(request, number, code)
    if elsewhere := redirect_and_warn_if_unread(request, section):
        return elsewhere
    if request.method == "POST" and FILL_DAYS in request.POST:
        filled = fill_days(request.POST, section, get_last_round(section))
        return _page(request, section, DetailsForms(section, filled, refused=True), 200)
    if request.method == "POST" and FILL_ALL in request.POST:
        filled = fill_absences(request.POST, section)
        return _page(request, section, DetailsForms(section, filled, refused=True), 200)
    if request.method == "POST" and TAKE_TIME in request.POST:
        request.POST = sections.fill_time_control(request.POST, section)  # type: ignore[assignment]
    forms = DetailsForms(section, request.POST if request.method == "POST" else None)
    if request.method == "POST" and forms.is_valid():
        terms = {"details": forms.submitted_details(), "event_version": forms.event_version}
        words = now("Saved, and checked again.")
        if not run_decision(request, save_details, words, section=section, **terms):
            section = get_own_section(request, number, code)
            if elsewhere := redirect_if_unread(section):
                return elsewhere
            return _page(request, section, DetailsForms(section, request.POST, refused=True), 409)
        section.refresh_from_db()
        answered = "details" in done_steps(section)
        return (
            redirect(next_step_url(section, "details")) if answered else redirect_to_step(section, "details")
        )
    return _page(request, section, forms, 400 if request.method == "POST" else 200)


def _page(request: OfficeRequest, section: Section, forms: DetailsForms, status: int) -> HttpResponse:
    """The page with what is open; everything, if nothing is or the address asks for it."""
    context = open_questions_context(section, forms, everything=ALL in request.GET)
    return render_filing_step(request, section, "details", context, status)


def open_questions_context(
    section: Section, forms: DetailsForms, *, everything: bool = False
) -> dict[str, Any]:
    """The context of the questions that are open about a section; `everything`: of those answered too."""
    # Show findings that block and are answered here, and the rules' notices about this form.
    blocking = section.findings.blocking().exclude(source="players").exclude(level="blocks", source="file")
    notices = section.findings.filter(level="notice").filter(
        Q(source="rules", where__in=details_form_places(section)) | Q(key=TIME_CONTROL)
    )
    asked = [each for each in blocking | notices if each.source == "details" or is_for_details(section, each)]
    if not everything and not forms.differing:
        forms.leave_out_answered(asked)
    return {
        "forms": forms,
        "asked": build_worded_findings(section, asked, without_links=True),
        "filed_time": sections.filed_time_in_words(section)
        if blocking.filter(key="time-control-differs").exists()
        else "",
        "details_url": filing_url("details", section),
    }


def find_last_questions(section: Section) -> dict[str, Any]:
    """The context of a section's open questions, where nothing but them is left before its submission; empty
    where something else is left, or nothing.
    """
    done = done_steps(section)
    if not section.open_to_filing or "details" in done or not {"findings", "players"} <= done:
        return {}
    context = open_questions_context(section, DetailsForms(section))
    return context if context["forms"].open is not None else {}
