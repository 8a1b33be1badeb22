"""Operations on offices: who they are, and the regulations that they follow."""

from __future__ import annotations

from datetime import date
from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext as _
from ninja import Router

from players.office.models import Federation
from ratings.law.parameters import Grid, Parameter
from ratings.law.ruleset import Edition, Ruleset
from ratings.public.api import schemas
from ratings.public.api.told import Told, value_text

router = Router(tags=["offices"])


@router.get("/offices", response={200: list[schemas.PublicOffice]}, url_name="api_offices")
def offices(request: HttpRequest) -> list[Told]:
    """All offices of this site."""
    return [_office(request, each) for each in Federation.objects.order_by("code")]


@router.get(
    "/offices/{slug:office}",
    response={200: schemas.PublicOffice, 400: schemas.ProblemDetails, 404: schemas.ProblemDetails},
    url_name="api_office",
)
def office(request: Any, office: str) -> Told:
    """One office."""
    return _office(request, request.office)


def _office(request: HttpRequest, office: Federation) -> Told:
    return {
        "code": office.code,
        "name": office.name,
        "ruleset": office.ruleset_slug,
        "tracks": [{"code": each.code, "name": _(each.name)} for each in office.ruleset.tracks],
        "page": request.build_absolute_uri(office.get_absolute_url()),
    }


@router.get(
    "/offices/{slug:office}/regulations",
    response={200: list[schemas.PublicEdition], 400: schemas.ProblemDetails, 404: schemas.ProblemDetails},
    url_name="api_regulations",
)
def regulations(request: Any, office: str) -> list[Told]:
    """The editions of the office's regulations: clauses in our words, numbers and tables as the program
    computes with them.
    """
    ruleset = request.office.ruleset
    return [_edition(ruleset, each) for each in ruleset.editions]


def _edition(ruleset: Ruleset, edition: Edition) -> Told:
    return {
        "name": edition.name,
        "in_force": None if edition.in_force == date.min else edition.in_force.isoformat(),
        "clauses": {number: _(words) for number, words in ruleset.clauses_of(edition).items()},
        "parameters": [_parameter(each) for each in edition.parameters if isinstance(each, Parameter)],
        "grids": [_grid(each) for each in edition.parameters if isinstance(each, Grid)],
    }


def _parameter(parameter: Parameter) -> Told:
    return {
        "clause": parameter.clause,
        "words": _(parameter.words),
        "value": value_text(parameter.value),
    }


def _grid(grid: Grid) -> Told:
    return {
        "clause": grid.clause,
        "words": _(grid.words),
        "columns": [_(column) for column in grid.columns],
        "rows": [[value_text(value) for value in row] for row in grid.rows],
    }
