"""Final places, asked for every entry if the rules need them; shared places have the same number."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext as now

from tournaments.events.models import Entry, Section
from tournaments.filing.proposals.places import proposed_places

MOST = 99_999
"""The greatest place that a journal takes."""


class PlacesForm(forms.Form):
    """The form for final places: a number for each entry; an empty one stays open, and is asked again."""

    def __init__(self, data: Any = None, *, section: Section) -> None:
        super().__init__(data)
        self.entries: list[Entry] = []
        if section.event.federation.ruleset.sections.places_needed:
            self.entries = list(section.entries.all())
        self.proposed = proposed_places(section, self.entries)
        """The places that follow from the file, by starting number, where it gives none: to be looked at."""
        for entry in self.entries:
            label = now("Place of %(player)s") % {"player": entry.name}
            self.fields[name_of(entry)] = forms.IntegerField(
                label=label, min_value=1, max_value=MOST, required=False, initial=entry.place
            )
            if entry.number in self.proposed:
                self.fields[name_of(entry)].initial = self.proposed[entry.number]

    @property
    def lacking(self) -> bool:
        """Whether a place is missing or wrong, so that the page shows the fields unfolded."""
        return bool(self.errors) or any(entry.place is None for entry in self.entries)

    def rows(self) -> list[dict[str, Any]]:
        return [{"entry": entry, "field": self[name_of(entry)]} for entry in self.entries]

    def places(self) -> dict[int, int | None]:
        """The answers of the form: places by starting number, of the entries that the page asked for."""
        asked = [entry for entry in self.entries if name_of(entry) in self.data]
        return {entry.number: self.cleaned_data[name_of(entry)] for entry in asked}


def name_of(entry: Entry) -> str:
    return f"place-{entry.number}"
