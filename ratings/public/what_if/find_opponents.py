"""Finds the opponents whom a reader names by number or by name, and says of each row what is wrong."""

from __future__ import annotations

from collections.abc import Sequence

from django import forms
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from players.office.models import Federation
from players.register.models import Player
from ratings.law.facts import PlayerId
from ratings.preview.imagined_section import ImaginedGame, Opponent
from ratings.public.what_if.what_if_forms import GameForm
from ratings.results.models import Standing

BIRTHS = ("born", "sex", "merged_into__born", "merged_into__sex")
"""The columns of the register on which nothing here may rest, so that they are not even read."""
OFFERED = 5


def people_of(office: Federation) -> QuerySet[Player]:
    """The players of an office without birth and sex."""
    related = Player.objects.of(office).select_related("federation", "region", "merged_into__federation")
    return related.defer(*BIRTHS)


def opponents_of(office: Federation, player: Player, rows: Sequence[GameForm]) -> list[Opponent | None]:
    """The opponent of each row; None where the row has an error, which is added to its form."""
    numbers = {row.cleaned_data["who"].strip() for row in rows if row.cleaned_data.get("who")}
    found = {each.number: each for each in people_of(office).filter(number__in=numbers)}
    names: dict[str, list[Player]] = {}
    for text in sorted(numbers - found.keys()):
        if not any(letter.isdigit() for letter in text):
            people = people_of(office).current().matching(text).likeliest_first(text)  # type: ignore[attr-defined]
            names[text] = list(people[: OFFERED + 1])
    return [_opponent(row, player, found, names) for row in rows]


def _opponent(
    row: GameForm, player: Player, numbers: dict[str, Player], names: dict[str, list[Player]]
) -> Opponent | None:
    text = (row.cleaned_data.get("who") or "").strip()
    if not text:
        return Opponent(f"*{row.line}", rating=row.stated_rating())
    people = [numbers[text]] if text in numbers else names.get(text, [])
    if len(people) != 1:
        row.add_error("who", _nobody(text) if not people else _several(people))
        return None
    met = people[0].merged_into or people[0]
    if met.pk == player.pk:
        words = _("This is the player of the page. Name somebody else.")
        row.add_error("who", forms.ValidationError(words, code="self"))
        return None
    return Opponent(met.number, met, pre=row.cleaned_data.get("rating"))


def _nobody(text: str) -> forms.ValidationError:
    words = _("Nobody of this register has the number or the name “%(text)s”.")
    return forms.ValidationError(words, code="unknown", params={"text": text})


def _several(people: Sequence[Player]) -> forms.ValidationError:
    words = _("Several players have such a name. Write the number of one: %(people)s")
    shown = ", ".join(f"{each.shown_name} ({each.number})" for each in people[:OFFERED])
    if len(people) > OFFERED:
        shown += ", …"
    return forms.ValidationError(words, code="several", params={"people": shown})


def check_ratings(
    office: Federation, tracks: Sequence[str], rows: Sequence[GameForm], games: Sequence[ImaginedGame]
) -> None:
    """Add an error to each row whose opponent has no rating and needs one stated, or has one and needs none
    (csa 58).
    """
    met = [game.opponent.player for game in games if game.opponent.player]
    rated = Standing.objects.filter(player__in=met, track__in=tracks, rating__isnull=False)
    known: dict[PlayerId, int] = {}
    for number in rated.values_list("player__number", flat=True):
        known[number] = known.get(number, 0) + 1
    for row, game in zip(rows, games, strict=True):
        if game.opponent.player:
            _check_rating(office, row, game.opponent, whole=known.get(game.opponent.id, 0) == len(tracks))


def _check_rating(office: Federation, row: GameForm, met: Opponent, *, whole: bool) -> None:
    pre_ratings = office.ruleset.pre_ratings
    if pre_ratings is None or whole:
        if met.pre is not None:
            words = _("Leave this empty: %(who)s is measured at the rating of the record.")
            params = {"who": met.player.shown_name if met.player else met.id}
            row.add_error("rating", forms.ValidationError(words, code="rating-known", params=params))
        return
    if met.pre not in pre_ratings.values:
        words = _(
            "This player has no rating here yet. Write the pre-rating to take instead: one of %(values)s."
        )
        values = ", ".join(str(value) for value in pre_ratings.values)
        row.add_error("rating", forms.ValidationError(words, code="pre-rating", params={"values": values}))
