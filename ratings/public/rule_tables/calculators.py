"""Calculators by a clause: a form without a record, and its answer with each step."""

from __future__ import annotations

from typing import Any

from django import forms
from django.http import HttpResponseBase
from django.shortcuts import render

from players.office.access import OfficeRequest
from ratings.equipment.publication_profile import Calculator, Page
from ratings.law.rule_outputs import Working, WorkingStep
from ratings.law.ruleset import Edition, Ruleset
from ratings.public.common.worded_tables import label_of
from ratings.results.workings import StepRow, step_rows
from tournaments.events.ruleset_fields import form_field


class CalculatorForm(forms.Form):
    """The form of one calculator, with the fields that its ruleset names; an empty field sets no limit."""

    def __init__(self, data: Any, calculator: Calculator) -> None:
        super().__init__(data)
        self.fields |= {field.name: form_field(field) for field in calculator.fields}

    def entries(self) -> list[forms.BoundField]:
        return [field for field in self if field.widget_type != "checkbox"]

    def ticks(self) -> list[forms.BoundField]:
        return [field for field in self if field.widget_type == "checkbox"]

    @property
    def said(self) -> dict[str, Any]:
        return {name: None if value == "" else value for name, value in self.cleaned_data.items()}


def calculator(request: OfficeRequest, page: Page, calculator: Calculator) -> HttpResponseBase:
    """The page of a calculator; every choice is in its address, so that results can be shown to others."""
    asked = bool(request.GET)
    form = CalculatorForm(request.GET if asked else None, calculator)
    context: dict[str, Any] = {"page": page, "form": form}
    if asked and form.is_valid():
        result = calculator.work_out(form.said)
        ruleset = request.office.ruleset
        context["result"] = label_of(result.key, ruleset)
        context["working"] = {"steps": worded_rows(result.steps, request, ruleset.newest)}
    return render(request, "ratings/calculator.html", context, status=400 if form.errors else 200)


def worded_rows(steps: tuple[WorkingStep, ...], request: OfficeRequest, edition: Edition) -> list[StepRow]:
    """Put the steps of a calculation into words for a page, each with its clause of that edition. Values that
    are message keys are translated.
    """
    ruleset = request.office.ruleset
    return step_rows(Working(tuple(worded(step, ruleset) for step in steps)), request.office, edition)


def worded(step: WorkingStep, ruleset: Ruleset) -> WorkingStep:
    inputs = {name: _said(value, ruleset) for name, value in step.inputs.items()}
    return step._replace(inputs=inputs, result=_said(step.result, ruleset))


def _said(value: Any, ruleset: Ruleset) -> Any:
    return label_of(value, ruleset) if isinstance(value, str) and value in ruleset.words.messages else value
