"""Forms of the office: decisions on sections, publishing and revising lists, and fields that they share.

Those of regions are in `tournaments.pages.forms`; `players.pages.forms` keeps a form from being sent twice.
"""

import re
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

from django import forms
from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.http import QueryDict
from django.utils.formats import date_format
from django.utils.translation import gettext as now, gettext_lazy

from players.access import OfficeRequest
from players.display import day_in_words
from players.files import MOST_PROOF_BYTES, validate_proof
from players.models import ProofFile, Role, User
from players.pages.forms import OnceField
from players.record import Refused
from players.settings import today
from ratings.journal import REASONS
from ratings.lists import MOST_DAYS_AHEAD

EFFECTS_NOT_SHOWN = gettext_lazy(
    "Nothing was decided, as the effects on ratings had not been shown yet. Work them out above, read them, "
    "then confirm."
)
EFFECTS_CHANGED = gettext_lazy(
    "Nothing was decided: the effects are not what your page showed any more. Look at them again above, then "
    "confirm."
)


class OutlookForm(forms.Form):
    """The base of forms that decide on effects which a page shows first: effects that were not shown cannot
    be confirmed. `seen`: the mark of the effects that the page showed; empty: none.
    """

    seen = forms.CharField(widget=forms.HiddenInput, max_length=64, required=False)

    def __init__(
        self, data: Any, *, mark: str, drawn: bool, initial: dict[str, Any] | None = None, **more: Any
    ) -> None:
        """Make the form; `mark`: that of the present effects; `drawn`: whether they can be shown."""
        super().__init__(data, initial={**(initial or {}), "seen": mark if drawn else ""}, **more)
        self.mark, self.drawn = mark, drawn

    def clean(self) -> dict[str, Any]:
        """Refuse a decision without the effects, or on others than the present ones."""
        # A page that is shown again has the mark and the version of what it then shows.
        data = QueryDict(mutable=True)
        data.update(self.data)
        data["seen"] = self.mark if self.drawn else ""
        if "version" in self.fields:
            data["version"] = str(self.initial["version"])
        self.data = data
        if self.cleaned_data.get("seen") != self.mark:
            raise ValidationError(EFFECTS_CHANGED if self.cleaned_data.get("seen") else EFFECTS_NOT_SHOWN)
        self.cleaned_data.pop("seen", None)
        return self.cleaned_data

    @property
    def status(self) -> int:
        """The status of the page with this form: 409 if only the effects have changed."""
        if not self.errors:
            return 200
        return 409 if self.errors.keys() == {NON_FIELD_ERRORS} else 400


def words_field(label: Any, help_text: Any, *, required: bool = True) -> forms.CharField:
    return forms.CharField(
        label=label,
        max_length=2000,
        required=required,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=help_text,
    )


class DecisionForm(forms.Form):
    """The base of forms that decide on a section; `version` is the one that the official saw."""

    version = forms.IntegerField(min_value=0, widget=forms.HiddenInput)


class ApprovalForm(DecisionForm):
    """The form that approves a section; `despite_hints`: the reason if hints are unanswered."""

    despite_hints = words_field(
        gettext_lazy("Why you approve although hints are open"),
        gettext_lazy("The record keeps your words; the region does not read them."),
        required=False,
    )


class HintForm(DecisionForm):
    key = forms.CharField(max_length=40, widget=forms.HiddenInput)
    answer = forms.ChoiceField(choices=[("right", "right"), ("asked", "asked")])
    words = words_field(gettext_lazy("Your words"), "")


class ReasonForm(DecisionForm):
    reason = words_field(
        gettext_lazy("Reason"), gettext_lazy("The region reads this: say what is wrong and what to do.")
    )


REMARK_NUMBERS = range(1, 201)
"""The numbers that remarks of a form may have: the script counts on without end."""


class ReturnForm(ReasonForm):
    """The form to return a section: the reason, and remarks about single lines, games, players, findings.

    It has one remark, or as many as were typed; a script adds further ones.
    """

    def __init__(self, *args: Any, ties: Sequence[tuple[str, str]] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        typed = self.data or self.initial
        self.numbers = [n for n in REMARK_NUMBERS if n == 1 or typed.get(f"words-{n}")]
        for number in self.numbers:
            self.fields |= _remark_fields(ties, f"-{number}", required=False)
        self.another = forms.Form(auto_id=self.auto_id)
        """The fields of a further remark, for the script."""
        self.another.fields |= _remark_fields(ties, "-__prefix__", required=False)

    def remarks(self) -> list[tuple[str, str, str]]:
        """Return the remarks that were written: the kind of subject, its numbers as typed, the words."""
        given = self.cleaned_data
        rows = ((given[f"tie-{n}"], given[f"which-{n}"], given[f"words-{n}"]) for n in self.numbers)
        return [row for row in rows if row[2].strip()]

    def rows(self) -> list[tuple[forms.BoundField, forms.BoundField, forms.BoundField]]:
        return [(self[f"tie-{n}"], self[f"which-{n}"], self[f"words-{n}"]) for n in self.numbers]

    def next_number(self) -> int:
        return self.numbers[-1] + 1


class RemarkForm(forms.Form):
    def __init__(self, *args: Any, ties: Sequence[tuple[str, str]] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields |= _remark_fields(ties, "", required=True)


def _remark_fields(ties: Sequence[tuple[str, str]], suffix: str, *, required: bool) -> dict[str, forms.Field]:
    return {
        f"tie{suffix}": forms.ChoiceField(label=gettext_lazy("About"), choices=ties, required=False),
        f"which{suffix}": forms.CharField(
            label=gettext_lazy("Which"),
            required=False,
            max_length=100,
            widget=forms.TextInput(attrs={"autocomplete": "off"}),
        ),
        f"words{suffix}": words_field(gettext_lazy("Words"), "", required=required),
    }


class UnrateForm(DecisionForm):
    """The form to un-rate a section: a reason's code for the journal, and words for the public."""

    reason = forms.ChoiceField(
        label=gettext_lazy("What was wrong"), choices=[("", gettext_lazy("Choose …")), *REASONS.items()]
    )
    words = words_field(
        gettext_lazy("In the office’s own words"),
        gettext_lazy(
            "Everybody can read this in the erratum, and the region corrects the section by it: say which "
            "game, player or detail was wrong, and what is right. Write nothing private, and nobody’s age."
        ),
    )
    after_list = forms.BooleanField(required=False)

    def __init__(self, *args: Any, confirm: str = "", **kwargs: Any) -> None:
        """Make the form; `confirm`: a sentence to confirm if the section is in a list, or empty."""
        super().__init__(*args, **kwargs)
        if confirm:
            self.fields["after_list"].label = confirm
            self.fields["after_list"].required = True
        else:
            del self.fields["after_list"]


class AdmissionForm(DecisionForm):
    reason = words_field(
        gettext_lazy("Reason"),
        gettext_lazy(
            "Required where something is late or missing: say why the office still admits the competition."
        ),
        required=False,
    )


class NothingInTheWayForm(DecisionForm):
    reason = words_field(
        gettext_lazy("In your own words"),
        gettext_lazy("The region reads this. You can leave it empty."),
        required=False,
    )


class LettingPlayForm(DecisionForm):
    reason = words_field(
        gettext_lazy("Reason"),
        gettext_lazy("The record keeps your words. You can leave it empty."),
        required=False,
    )


class RefusalBeforePlayForm(DecisionForm):
    reason = words_field(
        gettext_lazy("Reason"),
        gettext_lazy(
            "Everybody can read this on the section's page: write nothing private, and name nobody."
        ),
    )


class PuttingOffForm(DecisionForm):
    until = forms.DateField(
        label=gettext_lazy("Until"),
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        help_text=gettext_lazy("On this day the section comes back to your desk."),
    )
    reason = words_field(gettext_lazy("Reason"), gettext_lazy("The region reads this."))


class AskingForm(DecisionForm):
    reason = words_field(
        gettext_lazy("Question"),
        gettext_lazy("The region answers it, and the section comes back to your desk."),
    )


class DayForm(forms.Form):
    """The form that asks for the day of a list to publish, today or earlier."""

    on = forms.DateField(
        label=gettext_lazy("Day of the list"),
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )

    def __init__(self, *args: Any, today: date, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.today = today

    def clean_on(self) -> date:
        on: date = self.cleaned_data["on"]
        if on > self.today:
            raise forms.ValidationError(
                now("That day is still to come: what is approved before it would stand under it.")
            )
        return on


class ComingDayForm(DayForm):
    """The form that asks for the day of a future list: today or later, at most a year ahead."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.last = self.today + timedelta(days=MOST_DAYS_AHEAD)
        self.fields["on"].widget.attrs.update({"min": self.today.isoformat(), "max": self.last.isoformat()})

    def clean_on(self) -> date:
        on: date = self.cleaned_data["on"]
        if not self.today <= on <= self.last:
            raise forms.ValidationError(now("Choose a day from today on, at most a year ahead."))
        return on


def is_day_as_typed(typed: str, day: str) -> bool:
    """Whether a text is this day (in ISO form) as people type it: as the site writes it in their language, in
    numbers with the day first, or in ISO form.
    """
    try:
        asked = date.fromisoformat(day)
    except ValueError:
        return False
    numbers = re.findall(r"[0-9]+", typed) if re.fullmatch(r"[0-9./\s-]+", typed) else []
    if len(numbers) == 3:
        first, month, last = map(int, numbers)
        return (asked.year, asked.month, asked.day) in ((first, month, last), (last, month, first))
    forms_of_day = (date_format(asked, each) for each in ("DATE_FORMAT", "SHORT_DATE_FORMAT"))
    return "".join(typed.casefold().split()) in {"".join(each.casefold().split()) for each in forms_of_day}


class TypedDayForm(forms.Form):
    """The base of forms to publish a list: its day is typed again, so that nobody publishes by mistake."""

    typed = forms.CharField(
        label=gettext_lazy("Type the day of the list"),
        max_length=30,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    day: object
    """The day of the list, or what was sent in its place."""

    def clean_typed(self) -> str:
        typed = str(self.cleaned_data["typed"])
        if not is_day_as_typed(typed, str(self.day)):
            raise forms.ValidationError(now("That is not the day above. Nothing was published."))
        return typed

    def ask_for(self, day: object) -> None:
        """Ask for this day."""
        self.day = day
        self.fields["typed"].help_text = now("For example: %(day)s") % {"day": day_in_words(str(day))}


class ReviseForm(TypedDayForm):
    """The form to publish a list again: a note for everybody, and the list's day typed again."""

    note = words_field(
        gettext_lazy("Note to the list"),
        gettext_lazy(
            "Everybody can read this on the list: say what was wrong, and since when this is known."
        ),
    )
    once = OnceField()
    field_order = ("note", "typed", "once")

    def __init__(self, *args: Any, day: date, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.ask_for(day)


class PublishForm(TypedDayForm, DayForm):
    """The form to publish a list: its day, typed again, since a published list is never altered."""

    on = forms.DateField(widget=forms.HiddenInput)
    note = words_field(
        gettext_lazy("Note to the list"),
        gettext_lazy(
            "Everybody can read this on the list, and it stays: write nothing private, and nobody’s age."
        ),
        required=False,
    )
    field_order = ("on", "note", "typed")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.ask_for(self["on"].value())


def officials_of(request: OfficeRequest) -> dict[int, User]:
    """Return the officials in office today, by key."""
    held = request.office.appointments.on(today(request.office)).filter(role=Role.OFFICIAL)
    return {each.user_id: each.user for each in held.select_related("user").order_by("user__name")}


class ProofField(forms.FileField):
    """A field for a PDF, JPEG or PNG; its value is an unsaved `ProofFile`, or None without a file."""

    widget = forms.FileInput

    def __init__(self) -> None:
        super().__init__(
            label=gettext_lazy("A file that proves it, if there is one"),
            required=False,
            help_text=gettext_lazy(
                "PDF, JPEG or PNG, up to 5 MB. Officials alone open it, and whoever attached it; it is never "
                "public."
            ),
            allow_empty_file=True,
        )
        self.widget.attrs["accept"] = ".pdf,.jpg,.jpeg,.png,application/pdf,image/jpeg,image/png"

    def clean(self, data: Any, initial: Any = None) -> ProofFile | None:
        given = super().clean(data, initial)
        if not given:
            return None
        try:
            return validate_proof(given.read(MOST_PROOF_BYTES + 1))
        except Refused as refused:
            raise forms.ValidationError(str(refused)) from refused
