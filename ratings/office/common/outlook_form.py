"""The base of forms that decide on what an outlook shows: nobody confirms effects that were not shown."""

from __future__ import annotations

import hashlib
from datetime import date
from typing import Any

from django import forms
from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.http import QueryDict
from django.utils.translation import gettext_lazy

from players.office.models import Federation, Ledger

NOT_SHOWN = gettext_lazy(
    "Nothing was decided, as the effects on ratings had not been shown yet. Work them out above, read them, "
    "then confirm."
)
OVERTAKEN = gettext_lazy(
    "Nothing was decided: the effects are not what your page showed any more. Look at them again above, then "
    "confirm."
)


def mark_of_record(office: Federation, day: date, *about: object) -> str:
    """The digest of what effects on ratings are worked out from: the journal and what is stored of it, the
    rules, the day, and what the decision is `about`.
    """
    ledger = Ledger.objects.get(federation=office)
    parts = [ledger.facts, ledger.done, ledger.wanted, ledger.rules, day.isoformat(), *about]
    return hashlib.sha256(repr(parts).encode()).hexdigest()


class OutlookForm(forms.Form):
    """A decision after an outlook; `seen`: the mark of the outlook that the page showed, empty: it showed
    none.
    """

    seen = forms.CharField(widget=forms.HiddenInput, max_length=64, required=False)

    def __init__(
        self, data: Any, *, mark: str, drawn: bool, initial: dict[str, Any] | None = None, **more: Any
    ) -> None:
        """Make the form; `mark`: of what there is now; `drawn`: whether the outlook on that can be shown."""
        super().__init__(data, initial={**(initial or {}), "seen": mark if drawn else ""}, **more)
        self.mark, self.drawn = mark, drawn

    def _hold_what_is_shown(self) -> None:
        """Have a page that comes back hold the mark and the version of what it shows itself."""
        held = QueryDict(mutable=True)
        held.update(self.data)
        held["seen"] = self.mark if self.drawn else ""
        if "version" in self.fields:
            held["version"] = str(self.initial["version"])
        self.data = held

    def clean(self) -> dict[str, Any]:
        """Refuse what was confirmed without the effects, or upon others than there are now."""
        self._hold_what_is_shown()
        if self.cleaned_data.get("seen") != self.mark:
            raise ValidationError(OVERTAKEN if self.cleaned_data.get("seen") else NOT_SHOWN)
        return self.cleaned_data

    @property
    def status(self) -> int:
        """The status of the page that shows this form: 409 where only what was seen stands in the way."""
        if not self.errors:
            return 200
        return 409 if self.errors.keys() == {NON_FIELD_ERRORS} else 400
