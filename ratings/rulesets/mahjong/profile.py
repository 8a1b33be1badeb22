"""The office of the Russian Mahjong Federation, its pages and calculator, and its what-if form."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Any

from ratings.rulesets import profile
from ratings.rulesets.downloads import SEMICOLONS, Column
from ratings.rulesets.facts import CalculatorAnswer, Choice, Entry, Field, WorkingStep, gettext_noop as _
from ratings.rulesets.mahjong.clauses import ENACTED
from ratings.rulesets.mahjong.edition_undated import (
    REQUIRED_SIZES,
    SHOWN_DECIMALS,
    SPECIAL_WEIGHTS,
    weight,
)
from ratings.rulesets.mahjong.fields import FIELDS, FILING_FIELDS

NAME = _("Russian Mahjong Federation")
"""The ruleset's name, marked for translation, because a new office gets it in its own language."""


# ---- What a competition needs, said before play
def tell_requirements(particulars: Mapping[str, Any], format_: str) -> Iterator[profile.Told]:
    """§1.2 §1.3 §1.5 §4: the least numbers for a competition of this status, and how much it weighs."""
    status = str(particulars.get("status") or "")
    if size := REQUIRED_SIZES.get(status):
        yield profile.Told("1.2", _("At least {needed} players take part."), {"needed": size.players})
        yield profile.Told(
            "1.3",
            _("At least {needed} of them are members, once there is membership."),
            {"needed": size.members},
        )
        yield profile.Told("1.5", _("At least {needed} sessions are played."), {"needed": size.sessions})
    if coefficient := weight(status, particulars.get("coefficient")):
        yield profile.Told("4", _("The coefficient is {weight}."), {"weight": coefficient})


OFFICE = profile.Office(
    time_zone="Europe/Moscow",
    language="ru",
    regions=(Choice("RUS", _("Russia")),),
    files=("ema", "portal"),
    id_kinds=(profile.IdKind("ema", _("EMA number"), digits=8), profile.IdKind("pantheon", _("Pantheon id"))),
    wants_of_new=frozenset({"nation"}),  # §2
    filing_fields=FILING_FIELDS,
    registration=profile.Registration(
        asks=frozenset({"place", "country", "organizer", "days"}),
        steps=(
            profile.FormStep(_("Status"), ("status", "coefficient")),
            profile.FormStep(_("Who plays"), ("entry", "expected", "members", "representing")),
            profile.FormStep(_("Rules and announcement"), ("played_by", "announced_on", "announcement")),
        ),
        told=tell_requirements,
    ),
)


# ---- The what-if form
def special_weight(answers: profile.Answers) -> int | None:
    """§4: a special tournament's own coefficient; None if the Presidium cannot choose it."""
    stated = answers.get("coefficient")
    return stated if answers.get("status") == "special" and stated in SPECIAL_WEIGHTS else None


def what_if_particulars(answers: profile.Answers) -> Mapping[str, Any]:
    """§1.1 §4: the status, and a special tournament's own coefficient."""
    return {"status": answers.get("status"), "coefficient": special_weight(answers)}


def what_if_other_players(answers: profile.Answers, rounds: int) -> profile.FurtherEntries:
    """§5: the other players, at all places but the player's own."""
    all_places = range(1, (answers.get("players") or 1) + 1)
    places = (place for place in all_places if place != answers.get("place"))
    return profile.FurtherEntries(
        tuple(Entry(f"*{at}", place=place) for at, place in enumerate(places, start=1))
    )


WHAT_IF = profile.WhatIf(
    particulars=what_if_particulars,
    fields=(
        *(replace(each, default="city" if each.name == "status" else "") for each in FIELDS),
        Field(name="players", label=_("Players who take part"), kind="whole", clause="5", default="32"),
        Field(name="place", label=_("Final place"), kind="whole", clause="5", default="1"),
    ),
    results=(),
    further=what_if_other_players,
    step=Decimal("0.1"),
    not_looked_at=(
        _("It is taken as admitted on its last day, and as the only further competition until then."),
        _("Table points decide places, and the rating reads places alone."),
        _("The change counts from the player's last one, absences and time included, as in every working."),
    ),
)


def planned_competition_weight(rules: Any, given: Mapping[str, Any]) -> CalculatorAnswer:
    """§4 §5: the weight of a planned competition over the years, and the result of a place in it."""
    ka = rules.weight(given["status"], special_weight(given))
    if not ka:
        return CalculatorAnswer("planned-0")
    return CalculatorAnswer("planned-ka", tuple(planned_steps(rules, given, ka)), {"ka": ka})


def planned_steps(rules: Any, given: Mapping[str, Any], ka: int) -> Iterator[WorkingStep]:
    """§4 §5: the steps to the coefficients kA, kB and kC, and to the result R of a place."""
    yield WorkingStep("4", f"ka-{given['status']}", {}, ka)
    ends = given["ends"]
    for year in range(rules.YEARS_OF_WEIGHT):
        until = rules.anniversary(ends, year + 1)
        kb = rules.time_coefficient(ends, until)
        yield WorkingStep("5", "planned-kb", {"until": until, "ka": ka, "kb": kb}, ka * kb)
    over = rules.anniversary(ends, rules.YEARS_OF_WEIGHT) + timedelta(1)
    yield WorkingStep("5", "planned-over", {"until": over})
    admitted = given["admitted"] or 1
    yield WorkingStep("5", "planned-kc", {"admitted": admitted}, rules.absence_coefficient(admitted))
    players, place = given["players"] or 0, given["place"] or 0
    if 1 <= place <= players and players > 1:
        yield WorkingStep("5", "result", {"players": players, "place": place}, rules.result(players, place))


PLANNED_CALCULATOR = profile.Calculator(
    fields=(
        *FIELDS,
        Field(name="ends", label=_("Last day"), kind="day", clause="5"),
        Field(
            name="admitted",
            label=_("Competitions admitted in that year, this one among them"),
            kind="whole",
            clause="5",
            required=False,
        ),
        Field(
            name="players",
            label=_("Players who take part"),
            kind="whole",
            clause="5",
            help=_("With a place, the result that it would be."),
            required=False,
        ),
        Field(name="place", label=_("Place"), kind="whole", clause="5", required=False),
    ),
    work_out=planned_competition_weight,
)

PAGES = (
    profile.Page(
        code="rating",
        name=_("Rating of the day"),
        about=_("Everybody's rating today, or on a day that you choose."),
        ratings=True,
    ),
    profile.Page(
        code="coefficients",
        name=_("Coefficients"),
        about=_("The competitions that count today, their weights, and the days on which these change."),
        tables=("coefficients", "days"),
    ),
    profile.Page(
        code="planned",
        name=_("Planned competition"),
        about=_("Enter a planned competition, and see how much its results would weigh, and until when."),
        calculator=PLANNED_CALCULATOR,
    ),
)


EMA_NUMBER = Column(
    "ema",
    str,
    "number at the European Mahjong Association",
    lambda row: row.ids.get("ema", ""),
    heading=_("EMA number"),
)
PUBLICATION = profile.Publication(
    list_columns=(EMA_NUMBER,),
    decimals=SHOWN_DECIMALS,  # D-RMF-8
    enacted=ENACTED,
    pages=PAGES,
    downloads=(SEMICOLONS,),
)
