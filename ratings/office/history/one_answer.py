"""Answers that hold for all of one cause: what the workbench offers beside it, and what each does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from players.office.models import Federation
from tournaments.history.table_columns import BY_POINTS, EVERY_FILE
from tournaments.identity.id_kinds import choices_of

BEST, NEW = "best", "new"
Choices = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class OneAnswer:
    """A form beside a cause: a button alone, or with a value to be chosen or typed."""

    button: str
    column: str = ""
    """The column of the table whose cell it sets; empty: it answers the question."""
    value: str = ""
    """The value that the button stands for."""
    label: str = ""
    """The label of the value that is asked for; empty: none is."""
    choices: Choices = ()


def answers_for(office: Federation, cause: Mapping[str, Any]) -> list[OneAnswer]:
    """The answers that are offered for all of a cause."""
    if cause["level"] == "asks":
        return _for_question(office, cause["key"])
    if cause["level"] == "blocks" and cause.get("files"):
        return [*_for_fault(office, cause), OneAnswer(_("Leave these files out"), "leave_out", "yes")]
    if cause["key"] == "nation-missing":
        return [OneAnswer(_("Give it to all"), "nation", label=_("The nation of all these"))]
    return []


def files_of(cause: Mapping[str, Any]) -> list[str]:
    """The files whose rows an answer sets: those of the cause; all, where it is about people."""
    return list(cause.get("files") or [EVERY_FILE])


def _for_question(office: Federation, key: str) -> list[OneAnswer]:
    if key == "person":
        suggested = OneAnswer(_("Everybody as suggested first"), value=BEST)
        return [suggested, OneAnswer(_("All are new players"), value=NEW)]
    if key == "person-twice":
        return [OneAnswer(_("These are two people each"), value=NEW)]
    if key == "id-kind":
        label = _("One answer for all of these")
        return [OneAnswer(_("Answer all"), label=label, choices=choices_of(office.ruleset))]
    return []


def _for_fault(office: Federation, cause: Mapping[str, Any]) -> list[OneAnswer]:
    key, told = cause["key"], cause["params"]
    if key == "places-missing":
        return [OneAnswer(_("Work all of them out from points"), "places", BY_POINTS)]
    if key == "more-rounds":
        finals = OneAnswer(_("What lies behind counts as finals"), "rounds", str(told["scheduled"]))
        return [finals, OneAnswer(_("All of them were scheduled"), "rounds", str(told["played"]))]
    if key == "region-unknown":
        return [OneAnswer(_("For all these files"), "region", label=_("Region"), choices=_regions(office))]
    if key == "field-missing" and told["column"] != "starts":
        column = told["column"]
        choices = _regions(office) if column == "region" else _choices(office, column)
        return [OneAnswer(_("For all these files"), column, label=told["label"], choices=choices)]
    return []


def _regions(office: Federation) -> Choices:
    return [(code, f"{code} {name}") for code, name in office.region_names]


def _choices(office: Federation, column: str) -> Choices:
    fields = {field.name: field for field in office.ruleset.sections.fields}
    return [(each.value, _(each.label)) for each in fields[column].choices] if column in fields else ()
