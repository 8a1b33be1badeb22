"""Forms of regions. They check how something is written; whether regulations allow it, the rules say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any, cast

from django import forms
from django.core.exceptions import ValidationError
from django.forms import BaseFormSet, formset_factory
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from players.drawing.particulars_in_words import FORMATS
from players.office.access import Permission, Rights
from players.office.models import Federation, Region
from players.pages.sent_once import OnceField
from ratings.equipment.find_equipment import equipment_of
from ratings.law.journal.values import FIRST_DAY, LAST_DAY
from ratings.law.ruleset import Ruleset
from tournaments.events import ruleset_fields
from tournaments.events.models import Event
from tournaments.events.ruleset_fields import NameInPublic, PlainField
from tournaments.filing.archives import ARCHIVE_TOO_BIG
from tournaments.filing.receive_file import MOST_BYTES, TOO_BIG
from tournaments.filing.register_event import NewSection
from tournaments.formats.zip.unpack import MOST_PACKED

ZIP_TOO_BIG = _(
    "The file of one section may have at most 2 MB. A ZIP archive with the files of several sections may "
    "have 5 MB: upload it on the event's page."
)
MOST_SECTIONS = 20
MOST_ROUNDS = 60


def day_field(label: Any, **kwargs: Any) -> forms.DateField:
    """A field for a day that a journal can hold; a half-typed year is none."""
    widget = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
    return forms.DateField(label=label, widget=widget, validators=[check_year], **kwargs)


def check_year(day: date) -> None:
    if not FIRST_DAY <= day <= LAST_DAY:
        raise ValidationError(_("Check the year: %(year)s."), params={"year": day.year})


def check_days(form: forms.Form) -> None:
    starts, ends = form.cleaned_data.get("starts"), form.cleaned_data.get("ends")
    if starts and ends and ends < starts:
        form.add_error("ends", _("The last day lies before the first."))
    elif starts and ends and (ends - starts).days > 366:
        form.add_error("ends", _("That is more than a year. Check both days."))


class EventForm(forms.Form):
    """The form of a competition before it is played. It offers only the regions for which the user files."""

    name = NameInPublic(
        label=_("Name of the event"),
        max_length=100,
        min_length=3,
        error_messages={"required": _("Give the event its name.")},
    )
    place = NameInPublic(label=pgettext_lazy("where it is played", "Place"), max_length=100, required=False)
    region = forms.ModelChoiceField(
        Region.objects.none(),
        label=_("Host region"),
        empty_label=_("choose a region"),
        error_messages={
            "required": _("Choose the region that hosts the event."),
            "invalid_choice": _("You do not file for this region. Choose one of your regions."),
        },
    )
    country = forms.RegexField(
        r"^[A-Za-z]{3}$",
        label=_("Country"),
        max_length=3,
        required=False,
        help_text=_("Three letters. Do not change it for an event in the federation's own country."),
    )
    organizer = PlainField(
        label=_("Chief organiser"),
        max_length=200,
        required=False,
        help_text=_("Name, and how to reach the person. The public sees no address and no number."),
    )
    starts = day_field(_("First day"), error_messages={"required": _("Give the first day of play.")})
    ends = day_field(_("Last day"), error_messages={"required": _("Give the last day of play.")})
    once = OnceField()
    another = forms.BooleanField(required=False, label=_("This is another event"))

    def __init__(self, *args: Any, rights: Rights, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.told_before: Event | None = None
        """The event registered already, where the page asks whether this is another."""
        regions = rights.regions(Permission.EVENTS_REGISTER)
        region = self.fields["region"]
        assert isinstance(region, forms.ModelChoiceField)
        region.queryset = regions
        if regions.count() == 1:
            region.initial, region.empty_label = regions.get().pk, None
            if not rights.federation.regional:
                region.widget = forms.HiddenInput()
        self.fields["country"].initial = rights.federation.ruleset.country
        leave_out(self, rights.federation)

    def clean_country(self) -> str:
        return str(self.cleaned_data["country"]).upper()

    def place_fields(self) -> list[forms.BoundField]:
        """The fields on where it is held, as far as this federation asks."""
        names = [name for name in ("place", "region", "country") if name in self.fields]
        return [self[name] for name in names if not self[name].is_hidden]

    def said(self) -> dict[str, Any]:
        """The form's answers about the event; empty where this federation does not ask."""
        kept = ("name", "place", "region", "country", "organizer", "starts", "ends")
        another = self.cleaned_data["another"]
        return {name: self.cleaned_data.get(name, "") for name in kept} | {"another": another}

    def clean(self) -> dict[str, Any]:
        super().clean()
        check_days(self)
        return self.cleaned_data


class SectionForm(forms.Form):
    """The form of a section to be registered: the common fields, and the ruleset's own."""

    name = NameInPublic(
        label=_("Name of the section"),
        max_length=100,
        error_messages={"required": _("Give the section a name, such as A or Open.")},
        widget=forms.TextInput(attrs={"placeholder": _("A, Open, U16 …")}),
    )
    format = forms.ChoiceField(label=_("Format"))
    rounds = forms.IntegerField(
        label=_("Scheduled rounds"), min_value=1, max_value=MOST_ROUNDS, required=False
    )
    team = forms.BooleanField(label=_("Played in teams"), required=False)
    starts = day_field(_("First day of the section"), required=False)
    ends = day_field(_("Last day of the section"), required=False)

    def __init__(self, *args: Any, ruleset: Ruleset, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.ruleset = ruleset
        offer_formats(self, ruleset)
        asked = equipment_of(ruleset).office.registration.asks
        left_out = {"team": "team", "starts": "days", "ends": "days"}
        for name, particular in left_out.items():
            if particular not in asked:
                del self.fields[name]
        self.fields |= ruleset_fields.fields_of(ruleset)

    def clean(self) -> dict[str, Any]:
        super().clean()
        check_days(self)
        if bool(self.cleaned_data.get("starts")) != bool(self.cleaned_data.get("ends")):
            given = "starts" if self.cleaned_data.get("starts") else "ends"
            other = "ends" if given == "starts" else "starts"
            if other not in self.errors:
                self.add_error(other, _("Give both days, or neither: the section then has the event's."))
        ruleset_fields.check_companions(self.ruleset, self)
        return self.cleaned_data

    def steps(self) -> list[tuple[str, list[forms.BoundField]]]:
        """The ruleset's own fields by the steps of a long form: each step's heading and fields."""
        return ruleset_fields.in_steps(self.ruleset, self)

    def own_fields(self) -> list[forms.BoundField]:
        """The ruleset's own fields that stand in no step, its tick boxes apart."""
        return ruleset_fields.bound(self, flags=False, in_steps=False)

    def flags(self) -> list[forms.BoundField]:
        team = [self["team"]] if "team" in self.fields else []
        return [*team, *ruleset_fields.bound(self, flags=True, in_steps=False)]

    def day_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in ("starts", "ends") if name in self.fields]

    def has_days(self) -> bool:
        """Whether the section has days of its own, or somebody is just typing some."""
        return any(field.value() or field.errors for field in self.day_fields())

    def left_empty(self) -> bool:
        """Whether this is a further row in which nobody typed anything: it is no section."""
        return self.empty_permitted and not self.has_changed()

    def section(self) -> NewSection:
        said = self.cleaned_data
        return NewSection(
            name=said["name"],
            format=said["format"],
            rounds=said["rounds"],
            team=said.get("team", False),
            starts=said.get("starts"),
            ends=said.get("ends"),
            particulars=ruleset_fields.particulars_of(self.ruleset, self),
        )


def leave_out(form: forms.Form, federation: Federation) -> None:
    """Remove the fields of an event's form for which the federation does not ask, and mark those that its
    regulations want, so that no page calls them optional.
    """
    registration = federation.equipment.office.registration
    for name in ("place", "country", "organizer"):
        if name in form.fields and name not in registration.asks:
            del form.fields[name]
    for name in registration.wants & form.fields.keys():
        form.fields[name].wanted = True  # type: ignore[attr-defined]


def offer_formats(form: forms.Form, ruleset: Ruleset) -> None:
    field = form.fields["format"]
    assert isinstance(field, forms.ChoiceField)
    field.choices = [(value, FORMATS[value]) for value in ruleset.sections.formats]
    # What a browser sends of an untouched row: so it still counts as empty.
    field.initial = ruleset.sections.formats[0]


if TYPE_CHECKING:
    SectionForms = BaseFormSet[SectionForm]
else:  # at run time Django's formsets take no type
    SectionForms = BaseFormSet


class BaseSections(SectionForms):
    default_error_messages = SectionForms.default_error_messages | {
        "too_few_forms": _("Add a section. Each section is rated separately and has its own file."),
        "missing_management_form": _("The page was sent incomplete. Open it again."),
    }

    def sections(self) -> list[NewSection]:
        return [form.section() for form in self.forms if not form.left_empty()]

    def check_within(self, starts: date, ends: date) -> bool:
        """Add an error to each section whose own days lie outside these; return whether there is none."""
        outside = [
            form
            for form in self.forms
            if (first := form.cleaned_data.get("starts"))
            and (last := form.cleaned_data.get("ends"))
            and not starts <= first <= last <= ends
        ]
        for form in outside:
            form.add_error("starts", _("These days are not within the event's days."))
        return not outside


def sections_formset(
    federation: Federation, data: Any = None, *, like: Sequence[dict[str, Any]] = ()
) -> BaseSections:
    """A formset of at least one section; a row that was added and left empty is no section.

    `like`: what the rows hold at first, one by one.
    """
    formset = formset_factory(
        SectionForm,
        formset=BaseSections,
        extra=0,
        min_num=1,
        validate_min=True,
        max_num=MOST_SECTIONS,
    )
    initial = None if data is not None else list(like)
    made = formset(data, prefix="sections", initial=initial, form_kwargs={"ruleset": federation.ruleset})
    return cast(BaseSections, made)


class UploadField(forms.FileField):
    """A field for one file of at most `most` bytes, with the words where there is none or an empty one.

    `too_big` gives the words for a larger one by its name.
    """

    def __init__(
        self, label: Any, *, most: int, missing: Any, empty: Any, too_big: Callable[[str], Any]
    ) -> None:
        words = {"required": missing, "missing": missing, "empty": empty}
        words["max_length"] = _("The file's name is too long. Give it a shorter one.")
        super().__init__(label=label, max_length=200, error_messages=words)
        self.most, self.too_big = most, too_big

    def clean(self, data: Any, initial: Any = None) -> Any:
        file = super().clean(data, initial)
        if file.size > self.most:
            raise ValidationError(self.too_big(file.name))
        return file


class FileForm(forms.Form):
    file = UploadField(
        _("Choose the event file, or drop it here"),
        most=MOST_BYTES,
        missing=_("Choose a file first."),
        empty=_("The file is empty. Export the tournament again and upload the new file."),
        too_big=lambda name: ZIP_TOO_BIG if name.lower().endswith(".zip") else TOO_BIG,
    )


class ArchiveForm(forms.Form):
    file = UploadField(
        _("Choose the ZIP archive, or drop it here"),
        most=MOST_PACKED,
        missing=_("Choose a ZIP archive first."),
        empty=_("The file is empty. Pack the event files into a ZIP archive and upload that."),
        too_big=lambda name: ARCHIVE_TOO_BIG,
    )


class VersionForm(forms.Form):
    """The version of the section that the page showed, which every decision brings along."""

    version = forms.IntegerField(widget=forms.HiddenInput)
