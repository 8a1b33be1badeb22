"""Forms with which regions file: events, sections and their details, and the fields that they share.

They validate only the form of answers; the rules say what regulations allow. Answers typed into an outdated
page are shown again with what others have saved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any, TypeVar, cast

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.forms import BaseFormSet, formset_factory
from django.http import QueryDict
from django.utils.formats import date_format
from django.utils.translation import gettext as _, gettext_lazy, pgettext_lazy

from players.access import Permission, Rights
from players.display import FORMAT_LABELS
from players.models import Federation, Region
from players.pages.forms import OnceField
from ratings.rulesets.journal_lines import FIRST_DAY, LAST_DAY
from ratings.rulesets.particulars import nation_code
from ratings.rulesets.profile import equipment_of
from ratings.rulesets.ruleset import Ruleset
from tournaments import sections
from tournaments.announcements import LONGEST_NOTICE
from tournaments.formats.archive import MOST_PACKED
from tournaments.models import Event, Section
from tournaments.registration import SectionParticulars
from tournaments.sections import PlainField, PublicNameField
from tournaments.uploads import ARCHIVE_TOO_BIG, MOST_BYTES, TOO_BIG

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


ZIP_TOO_BIG = gettext_lazy(
    "The file of one section may have at most 2 MB. A ZIP archive with the files of several sections may "
    "have 5 MB: upload it on the event's page."
)
MOST_SECTIONS = 20
MOST_ROUNDS = 60


def day_field(label: Any, **kwargs: Any) -> forms.DateField:
    """Make a field for a day that a journal can hold, which excludes half-typed years."""
    widget = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
    return forms.DateField(label=label, widget=widget, validators=[validate_year], **kwargs)


def validate_year(day: date) -> None:
    if not FIRST_DAY <= day <= LAST_DAY:
        raise ValidationError(gettext_lazy("Check the year: %(year)s."), params={"year": day.year})


def add_day_errors(form: forms.Form) -> None:
    starts, ends = form.cleaned_data.get("starts"), form.cleaned_data.get("ends")
    if starts and ends and ends < starts:
        form.add_error("ends", gettext_lazy("The last day lies before the first."))
    elif starts and ends and (ends - starts).days > 366:
        form.add_error("ends", gettext_lazy("That is more than a year. Check both days."))


class NationField(forms.CharField):
    """A form field for a nation, in any code or by its English name."""

    home = ""
    """The office's own; `set_home` sets it."""

    def to_python(self, value: Any) -> str:
        text = super().to_python(value) or ""
        nation = nation_code(text, self.home)
        if text and not nation:
            raise ValidationError(gettext_lazy("Write the nation as three letters, such as POL or RSA."))
        return nation


def set_home(form: forms.Form, ruleset: Ruleset) -> None:
    """Have a form's fields read the office's own nation as its ruleset writes it."""
    for field in form.fields.values():
        if isinstance(field, NationField):
            field.home = ruleset.country


class EventFieldsForm(forms.Form):
    """The particulars of an event, for forms that register and edit it."""

    name = PublicNameField(
        label=gettext_lazy("Name of the event"),
        max_length=100,
        min_length=3,
        error_messages={"required": gettext_lazy("Give the event its name.")},
    )
    starts = day_field(
        gettext_lazy("First day"), error_messages={"required": gettext_lazy("Give the first day of play.")}
    )
    ends = day_field(
        gettext_lazy("Last day"), error_messages={"required": gettext_lazy("Give the last day of play.")}
    )
    place = PublicNameField(
        label=pgettext_lazy("where it is played", "Place"), max_length=100, required=False
    )
    country = NationField(
        label=gettext_lazy("Country"),
        max_length=3,
        required=False,
        help_text=gettext_lazy(
            "Three letters. Do not change it for an event in the federation's own country."
        ),
    )
    organizer = PlainField(
        label=gettext_lazy("Chief organiser"),
        max_length=200,
        required=False,
        help_text=gettext_lazy(
            "Name, and how to reach the person. The public sees no address and no number."
        ),
    )

    def clean(self) -> dict[str, Any]:
        super().clean()
        add_day_errors(self)
        return self.cleaned_data


class EventForm(EventFieldsForm):
    """The form to register an event. It offers only the regions for which the user may register events."""

    region = forms.ModelChoiceField(
        Region.objects.none(),
        label=gettext_lazy("Host region"),
        empty_label=gettext_lazy("choose a region"),
        error_messages={
            "required": gettext_lazy("Choose the region that hosts the event."),
            "invalid_choice": gettext_lazy("You do not file for this region. Choose one of your regions."),
        },
    )
    once = OnceField()
    another = forms.BooleanField(required=False, label=gettext_lazy("This is another event"))

    def __init__(self, *args: Any, rights: Rights, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.told_before: Event | None = None
        """The event registered already, if the page asks whether this is another."""
        regions = rights.regions(Permission.EVENTS_REGISTER)
        region = self.fields["region"]
        assert isinstance(region, forms.ModelChoiceField)
        region.queryset = regions
        if regions.count() == 1:
            region.initial, region.empty_label = regions.get().pk, None
            if not rights.federation.regional:
                region.widget = forms.HiddenInput()
        self.fields["country"].initial = rights.federation.ruleset.country
        remove_unasked_fields(self, rights.federation)

    def place_fields(self) -> list[forms.BoundField]:
        """The fields on the place for which this federation asks."""
        names = [name for name in ("place", "region", "country") if name in self.fields]
        return [self[name] for name in names if not self[name].is_hidden]

    def event_data(self) -> dict[str, Any]:
        """The form's answers about the event; empty if this federation does not ask for them."""
        names = ("name", "place", "region", "country", "organizer", "starts", "ends")
        another = self.cleaned_data["another"]
        return {name: self.cleaned_data.get(name, "") for name in names} | {"another": another}


class SectionForm(forms.Form):
    """The form of a section to be registered: the common fields, and the ruleset's own."""

    name = PublicNameField(
        label=gettext_lazy("Name of the section"),
        max_length=100,
        error_messages={"required": gettext_lazy("Give the section a name, such as A or Open.")},
        widget=forms.TextInput(attrs={"placeholder": gettext_lazy("A, Open, U16 …")}),
    )
    format = forms.ChoiceField(label=gettext_lazy("Format"))
    rounds = forms.IntegerField(
        label=gettext_lazy("Scheduled rounds"), min_value=1, max_value=MOST_ROUNDS, required=False
    )
    team = forms.BooleanField(label=gettext_lazy("Played in teams"), required=False)
    starts = day_field(gettext_lazy("First day of the section"), required=False)
    ends = day_field(gettext_lazy("Last day of the section"), required=False)

    def __init__(self, *args: Any, ruleset: Ruleset, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.ruleset = ruleset
        set_format_choices(self, ruleset)
        asked = equipment_of(ruleset).office.registration.asks
        left_out = {"team": "team", "starts": "days", "ends": "days"}
        for name, particular in left_out.items():
            if particular not in asked:
                del self.fields[name]
        self.fields |= sections.build_own_fields(ruleset)

    def clean(self) -> dict[str, Any]:
        super().clean()
        add_day_errors(self)
        if bool(self.cleaned_data.get("starts")) != bool(self.cleaned_data.get("ends")):
            given = "starts" if self.cleaned_data.get("starts") else "ends"
            other = "ends" if given == "starts" else "starts"
            if other not in self.errors:
                self.add_error(
                    other, gettext_lazy("Give both days, or neither: the section then has the event's.")
                )
        sections.add_companion_errors(self.ruleset, self)
        return self.cleaned_data

    def steps(self) -> list[tuple[str, list[forms.BoundField]]]:
        """The ruleset's own fields by the steps of a long form: each step's heading and fields."""
        return sections.group_own_fields_by_step(self.ruleset, self)

    def own_fields(self) -> list[forms.BoundField]:
        """The ruleset's own fields that are in no step, without tick boxes."""
        return sections.get_own_fields(self, flags=False, include_steps=False)

    def flags(self) -> list[forms.BoundField]:
        team = [self["team"]] if "team" in self.fields else []
        return [*team, *sections.get_own_fields(self, flags=True, include_steps=False)]

    def day_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in ("starts", "ends") if name in self.fields]

    def has_days(self) -> bool:
        """Whether the section has, or is being given, days of its own."""
        return any(field.value() or field.errors for field in self.day_fields())

    def left_empty(self) -> bool:
        """Whether this is an extra row without answers, which makes no section."""
        return self.empty_permitted and not self.has_changed()

    def section(self) -> SectionParticulars:
        data = self.cleaned_data
        return SectionParticulars(
            name=data["name"],
            format=data["format"],
            rounds=data["rounds"],
            team=data.get("team", False),
            starts=data.get("starts"),
            ends=data.get("ends"),
            particulars=sections.clean_particulars(self.ruleset, self),
        )


def remove_unasked_fields(form: forms.Form, federation: Federation) -> None:
    """Remove fields for which the federation does not ask; mark those that its regulations want, and read its
    own nation.
    """
    set_home(form, federation.ruleset)
    registration = federation.equipment.office.registration
    for name in ("place", "country", "organizer"):
        if name in form.fields and name not in registration.asks:
            del form.fields[name]
    for name in registration.wants & form.fields.keys():
        form.fields[name].wanted = True  # type: ignore[attr-defined]


def set_format_choices(form: forms.Form, ruleset: Ruleset) -> None:
    field = form.fields["format"]
    assert isinstance(field, forms.ChoiceField)
    field.choices = [(value, FORMAT_LABELS[value]) for value in ruleset.sections.formats]
    # Browsers send this value of an untouched row, which then still counts as empty.
    field.initial = ruleset.sections.formats[0]


if TYPE_CHECKING:
    SectionForms = BaseFormSet[SectionForm]
else:  # at run time Django's formsets take no type
    SectionForms = BaseFormSet


class BaseSections(SectionForms):
    default_error_messages = SectionForms.default_error_messages | {
        "too_few_forms": gettext_lazy(
            "Add a section. Each section is rated separately and has its own file."
        ),
        "missing_management_form": gettext_lazy("The page was sent incomplete. Open it again."),
    }

    def sections(self) -> list[SectionParticulars]:
        return [form.section() for form in self.forms if not form.left_empty()]

    def check_within(self, starts: date, ends: date) -> bool:
        """Add an error to each section whose own days are outside these; return whether there is none."""
        outside = [
            form
            for form in self.forms
            if (first := form.cleaned_data.get("starts"))
            and (last := form.cleaned_data.get("ends"))
            and not starts <= first <= last <= ends
        ]
        for form in outside:
            form.add_error("starts", gettext_lazy("These days are not within the event's days."))
        return not outside


def build_sections_formset(
    federation: Federation, data: Any = None, *, initial_rows: Sequence[dict[str, Any]] = ()
) -> BaseSections:
    """Make a formset of at least one section. `initial_rows`: the initial values of each row."""
    factory = formset_factory(
        SectionForm, formset=BaseSections, extra=0, min_num=1, validate_min=True, max_num=MOST_SECTIONS
    )
    initial = None if data is not None else list(initial_rows)
    formset = factory(data, prefix="sections", initial=initial, form_kwargs={"ruleset": federation.ruleset})
    return cast(BaseSections, formset)


class UploadField(forms.FileField):
    """A field for a file of at most `most` bytes; `too_big` makes an error message from the file's name."""

    def __init__(
        self, label: Any, *, most: int, missing: Any, empty: Any, too_big: Callable[[str], Any]
    ) -> None:
        words = {"required": missing, "missing": missing, "empty": empty}
        words["max_length"] = gettext_lazy("The file's name is too long. Give it a shorter one.")
        super().__init__(label=label, max_length=200, error_messages=words)
        self.most, self.too_big = most, too_big

    def clean(self, data: Any, initial: Any = None) -> Any:
        file = super().clean(data, initial)
        if file.size > self.most:
            raise ValidationError(self.too_big(file.name))
        return file


class FileForm(forms.Form):
    file = UploadField(
        gettext_lazy("Choose the event file, or drop it here"),
        most=MOST_BYTES,
        missing=gettext_lazy("Choose a file first."),
        empty=gettext_lazy("The file is empty. Export the tournament again and upload the new file."),
        too_big=lambda name: ZIP_TOO_BIG if name.lower().endswith(".zip") else TOO_BIG,
    )


class ArchiveForm(forms.Form):
    file = UploadField(
        gettext_lazy("Choose the ZIP archive, or drop it here"),
        most=MOST_PACKED,
        missing=gettext_lazy("Choose a ZIP archive first."),
        empty=gettext_lazy("The file is empty. Pack the event files into a ZIP archive and upload that."),
        too_big=lambda name: ARCHIVE_TOO_BIG,
    )


class VersionForm(forms.Form):
    """The version of the section that the page showed, which every decision posts."""

    version = forms.IntegerField(widget=forms.HiddenInput)


def format_answer(field: forms.BoundField, value: Any) -> str:
    """An answer as pages show it; empty if there is none."""
    if value in (None, "", [], False):
        return ""
    if isinstance(field.field, forms.ChoiceField):
        return str(dict(field.field.choices).get(str(value), value))  # type: ignore[arg-type]
    if isinstance(value, date):
        return date_format(value, "DATE_FORMAT")
    if isinstance(value, list):
        return "; ".join(f"{' + '.join(map(str, each['minutes']))}, {each['increment']}" for each in value)
    return _("yes") if value is True else str(value)


# ---- Answers typed into an outdated page
UNCOMPARED_FIELDS = ("version", "event_version", "reason", "answer", "granted", "region")
"""Fields that are not about the saved state of the section."""
FormT = TypeVar("FormT", bound=forms.Form)


def is_outdated(data: QueryDict, section: Section) -> bool:
    """Whether the page showed another version of the section or its event."""
    shown = (data.get("version", ""), data.get("event_version") or str(section.event.version))
    return shown != (str(section.version), str(section.event.version))


def update_versions(data: QueryDict, section: Section) -> QueryDict:
    """Copy the answers, with the present versions of the section and its event."""
    now = data.copy()
    now["version"], now["event_version"] = str(section.version), str(section.event.version)
    return now


def rebuild_form(
    make: Callable[[QueryDict], FormT], data: QueryDict, thing: Event | Section, refused: str
) -> FormT:
    """Make a form with what was typed and why it was refused. If the event or section has changed since the
    page was opened, the form can be sent again, and each field shows what is saved by now.

    `thing`: as it is now; `make`: makes its form from the posted data.
    """
    older = data.get("version") != str(thing.version)
    if older:
        data = data.copy()
        data["version"] = str(thing.version)
    form = make(data)
    form.add_error(None, refused)
    if older:
        for name, saved in _saved_by_now(form).items():
            words = _("Saved by now: %(saved)s.") % {"saved": saved}
            form[name].help_text = f"{form[name].help_text} {words}".strip()
    return form


def list_differing_saved_values(forms_of_page: Iterable[forms.Form]) -> list[tuple[str, str]]:
    """The label and the saved value of each answer that differs from it."""
    return [
        (str(form[name].label), saved)
        for form in forms_of_page
        for name, saved in _saved_by_now(form).items()
    ]


def _saved_by_now(form: forms.Form) -> dict[str, str]:
    """The saved values in words, by the name of each field in which something else was typed."""
    found = {}
    for name in form.changed_data:
        if name not in UNCOMPARED_FIELDS and name in form.fields:
            saved: Any = form.get_initial_for_field(form.fields[name], name)
            nothing = _("no") if isinstance(form.fields[name], forms.BooleanField) else _("nothing")
            found[name] = format_answer(form[name], saved) or nothing
    return found


# ---- Reasons that everybody reads
def public_reason() -> PublicNameField:
    """Make the field for a reason on the public page, without telephone or mail address."""
    return PublicNameField(
        label=gettext_lazy("Reason"),
        max_length=LONGEST_NOTICE,
        error_messages={"required": gettext_lazy("Say why: everybody who looks for the event reads it.")},
        help_text=gettext_lazy("Everybody can read this on the event's page. Write nothing private."),
    )


WHY_OTHER_DAYS = gettext_lazy("Say why the days change: everybody who looks for the event reads it.")
WHY_ELSE = gettext_lazy(
    "Say why it changes, since everybody could read it as it was: everybody reads the reason."
)


def reason_of_change(help_text: StrOrPromise) -> PublicNameField:
    """Make the field for the reason of changing something that was announced."""
    return PublicNameField(
        label=gettext_lazy("Why it changes"), max_length=LONGEST_NOTICE, required=False, help_text=help_text
    )


def event_change_reason() -> PublicNameField:
    return reason_of_change(
        gettext_lazy(
            "Only where you change the days, or a name, place or country that was announced. Everybody can "
            "read this on the event's page. Write nothing private."
        )
    )


def section_change_reason() -> PublicNameField:
    return reason_of_change(
        gettext_lazy(
            "Only where you change the days, or something that was announced: the name, rounds or "
            "particulars. Everybody can read this on the section's page. Write nothing private."
        )
    )


def details_change_reason() -> PublicNameField:
    return reason_of_change(
        gettext_lazy(
            "Only where you change the days, or a name or place that was announced. Everybody can read this "
            "on the event's page. Write nothing private."
        )
    )


def add_reason_error(form: forms.Form, thing: Event | Section, *, else_seen: bool = False) -> None:
    """Add an error if a form changes the days, or else what everybody could read (`else_seen`), without a
    reason.

    An outdated page is left to the service, because its days may be those that it showed.
    """
    given = form.cleaned_data
    if given.get("version", thing.version) != thing.version or given.get("reason") or "reason" in form.errors:
        return
    to = (given.get("starts") or thing.starts, given.get("ends") or thing.ends)
    if to != (thing.starts, thing.ends):
        form.add_error("reason", WHY_OTHER_DAYS)
    elif else_seen:
        form.add_error("reason", WHY_ELSE)


def get_move_target_regions(rights: Rights, event: Event) -> QuerySet[Region]:
    """The regions to which a person may move an event: the others in which they may edit events."""
    regions: QuerySet[Region] = rights.regions(Permission.EVENTS_EDIT)
    return regions.exclude(pk=event.region_id)
