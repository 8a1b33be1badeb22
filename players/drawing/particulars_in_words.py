"""The particulars of sections in words: formats of play, and the fields that a ruleset has of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as now
from django.utils.translation import gettext_lazy as _

from players.drawing.days_in_words import day_in_words
from ratings.equipment.find_equipment import form_fields

if TYPE_CHECKING:
    from django.utils.functional import Promise

    from ratings.law.fields import Field
    from ratings.law.ruleset import Ruleset

FORMATS: Mapping[str, Promise] = {
    "swiss": _("Swiss system"),
    "round-robin": _("Round robin"),
    "double-round-robin": _("Double round robin"),
    "scheveningen": _("Scheveningen"),
    "knockout": _("Knockout"),
    "match": _("Match"),
    "placement": _("By places"),
}


def declared_in_words(declared: Mapping[str, Any], ruleset: Ruleset) -> list[str]:
    """The particulars with which a section was admitted before play, each with its label."""
    form, rounds = declared.get("format", ""), declared.get("rounds")
    common = ((_("Format"), FORMATS.get(form, form)), (_("Rounds"), rounds))
    own = ((label, words) for _field, label, words in fields_in_words(declared["particulars"], ruleset))
    return [f"{label}: {words}" for label, words in (*common, *own) if words]


def fields_in_words(particulars: Mapping[str, Any], ruleset: Ruleset) -> Iterator[tuple[Field, str, str]]:
    """Yield the fields that a section answers, in their ruleset's order, with label and answer in words."""
    for field in form_fields(ruleset):
        answer = particulars.get(field.name)
        if answer not in (None, "", [], False):
            yield field, now(field.label), field_in_words(field, answer)


def field_in_words(field: Field, answer: Any) -> str:
    """The answer to a field, in words: choices by their labels."""
    match field.kind:
        case "time_controls":
            return "; ".join(map(control_in_words, answer if isinstance(answer, list) else [answer]))
        case "flag":
            return now("yes")
        case "day":
            return day_in_words(answer)
    labels = {choice.value: choice.label for choice in field.choices}
    return now(labels.get(str(answer), str(answer)))


def control_in_words(control: Mapping[str, Any]) -> str:
    """A time control in words, from its entry in the particulars: `40 + 20 min, 30 s a move`."""
    minutes = " + ".join(str(part) for part in control["minutes"])
    words = now("%(minutes)s min") % {"minutes": minutes}
    if increment := control.get("increment"):
        words += now(", %(seconds)s s a move") % {"seconds": increment}
    return words
