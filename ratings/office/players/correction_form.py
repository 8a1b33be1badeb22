"""The form in which an official corrects one player, and its fields as the service takes them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Any

from django import forms
from django.utils.translation import gettext as now
from django.utils.translation import gettext_lazy as _

from players.importing.cell_values import EARLIEST, kinds_of, read_birth
from players.office.models import Federation, Region
from players.people.particulars import birth_of, particulars_digest
from players.register.models import Player
from ratings.office.common.decision_forms import words_field
from ratings.office.common.proof_field import ProofField
from tournaments.events.ruleset_fields import PlainField
from tournaments.identity.id_kinds import label_of

ID = "id_"
LONGEST_NAME = 201
"""The most characters of surname and first name together, as the journal holds them."""


class CorrectionForm(forms.Form):
    """A player's particulars to correct, with the reason and what proves it; `seen`: the entry as opened."""

    surname = PlainField(label=_("Surname"), max_length=100, required=False)
    first_name = PlainField(label=_("First name"), max_length=100, required=False)
    sex = forms.ChoiceField(
        label=_("Sex"),
        required=False,
        choices=[("", _("not known")), ("f", _("female")), ("m", _("male"))],
    )
    birth = PlainField(
        label=_("Birth"),
        max_length=10,
        required=False,
        help_text=_("The day, such as 2010-05-03, or the year alone."),
    )
    nation = PlainField(label=_("Nation"), max_length=3, required=False, help_text=_("Three letters."))
    resident = forms.BooleanField(label=_("Lives in the country"), required=False)
    included_by = PlainField(label=_("Included by the decision"), max_length=100, required=False)
    region = forms.ModelChoiceField(
        Region.objects.none(), label=_("Region"), required=False, empty_label=_("none")
    )
    club = PlainField(label=_("Club"), max_length=100, required=False)
    title = PlainField(label=_("Title"), max_length=5, required=False)
    deceased = forms.BooleanField(label=_("Deceased"), required=False)
    withheld = forms.BooleanField(
        label=_("Withheld: asked not to be named"),
        required=False,
        help_text=_(
            "Pages, lists, files and the open journal say “withheld” from now on, old ones too. The number, "
            "the games and the ratings stay public."
        ),
    )
    reason = words_field(
        _("Why is it corrected?"), _("The record keeps your words; the public never reads them.")
    )
    proof = forms.CharField(
        label=_("What proves it?"),
        max_length=300,
        required=False,
        help_text=_(
            "For example: identity document seen, marriage certificate number 12345, letter of 3 May."
        ),
    )
    seen = forms.CharField(widget=forms.HiddenInput, max_length=64)

    def __init__(self, data: Any, player: Player, today: date) -> None:
        self.player, self.today = player, today
        self.kinds = id_kinds(player.federation)
        super().__init__(data, initial=initial_of(player, self.kinds))
        place = list(self.fields).index("deceased")
        ids = {
            f"{ID}{kind}": PlainField(label=label, max_length=60, required=False)
            for kind, label in self.kinds.items()
        }
        named = [*self.fields.items()]
        self.fields = dict([*named[:place], *ids.items(), *named[place:]])
        self.fields["surname"].required = bool(player.surname)
        self._leave_out(player.federation)

    def _leave_out(self, federation: Federation) -> None:
        """Leave out what this federation's rules and office know nothing of."""
        if not {"resident", "included_by"} & set(federation.ruleset.journal.reads):
            del self.fields["resident"], self.fields["included_by"]
        if federation.regional:
            self.fields["region"].queryset = federation.regions.all()  # type: ignore[attr-defined]
        else:
            del self.fields["region"]

    def clean_birth(self) -> str:
        text = self.cleaned_data["birth"].strip()
        birth = read_birth(text) if text else ""
        if birth is None or (birth and not EARLIEST <= int(birth[:4]) <= self.today.year):
            raise forms.ValidationError(now("Write a day such as 2010-05-03, or a year such as 2010."))
        if len(birth) == 10 and birth > self.today.isoformat():
            raise forms.ValidationError(now("That day is still to come."))
        return birth

    def clean_nation(self) -> str:
        nation: str = self.cleaned_data["nation"].upper()
        if nation and not (len(nation) == 3 and nation.isascii() and nation.isalpha()):
            raise forms.ValidationError(
                now("Write three letters, such as %(example)s.")
                % {"example": self.player.federation.ruleset.country}
            )
        return nation

    def clean_title(self) -> str:
        return str(self.cleaned_data["title"]).upper()

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        surname, first_name = given.get("surname", ""), given.get("first_name", "")
        if not surname and (first_name or not given.get("withheld") or self.player.surname):
            if not self.errors.get("surname"):
                self.add_error("surname", now("Enter the surname."))
        elif len(surname) + len(", ") + len(first_name) > LONGEST_NAME:
            self.add_error("first_name", now("Surname and first name together are too long."))
        return given

    def particulars(self) -> dict[str, Any]:
        """The fields as `correct_player` takes them."""
        given = {name: value for name, value in self.cleaned_data.items() if not name.startswith(ID)}
        ids = {kind: self.cleaned_data[f"{ID}{kind}"] for kind in self.kinds}
        return given | {"ids": ids}


class ProofForm(forms.Form):
    """The form for a file that proves a correction: it goes with the confirmation, no page keeps a file."""

    file = ProofField()


def id_kinds(federation: Federation) -> dict[str, str]:
    """The kinds of ids that the form offers, with their labels: those of the office, and those in use."""
    kinds: Iterable[str] = (kind.code for kind in federation.equipment.office.id_kinds)
    return {
        kind: label_of(federation.ruleset, kind) for kind in dict.fromkeys((*kinds, *kinds_of(federation)))
    }


def initial_of(player: Player, kinds: Iterable[str]) -> dict[str, Any]:
    names = ("surname", "first_name", "sex", "nation", "resident", "included_by", "region", "club", "title")
    held = dict(player.identifiers.order_by("-pk").values_list("kind", "value"))
    return {
        **{name: getattr(player, name) for name in (*names, "deceased", "withheld")},
        **{f"{ID}{kind}": held.get(kind, "") for kind in kinds},
        "birth": birth_of(player),
        "seen": particulars_digest(player),
    }
