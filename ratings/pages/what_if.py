"""The public page *What if …* of a player: an imagined section, rated as a real one, and what comes next.

Everything that a reader states is in the address; nothing is stored. The forms ask for the section and its
games, opponents are looked up by number or name, and the prospects tell of ratings to reach, other scores,
and days on which ratings move.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import ROUND_FLOOR, Decimal, localcontext
from typing import TYPE_CHECKING, Any

from django import forms
from django.db.models import QuerySet
from django.http import Http404, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as later
from django.utils.translation import pgettext_lazy

from players.access import OfficeRequest, public
from players.models import Federation, Player
from players.settings import today
from ratings.as_if import with_points
from ratings.journal import AFTER_EVERYTHING
from ratings.models import Standing
from ratings.pages.responses import cached_page
from ratings.pages.rule_tables import worded_rows, worded_tables
from ratings.pages.workings import picture_of
from ratings.player_ratings import answers_in
from ratings.results import state_before
from ratings.rulesets.facts import Change, PlayerId, State, WorkingStep
from ratings.rulesets.profile import RESULTS, SCORES, Threshold, WhatIf
from ratings.rulesets.ruleset import CONTEXT
from ratings.what_if import (
    IMAGINED,
    Imagination,
    ImaginedGame,
    ImaginedRating,
    Opponent,
    imagine,
    section_of,
    unrateable,
)
from ratings.workings import GameRow, StepRow, exact_numbers, game_rows, put_in, step_rows, summary_rows
from tournaments.sections import form_field

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


# ---- The forms of an imagined section: the questions on it, and one row for each game.
ROWS, MOST_ROWS = 4, 30
LIMITS = {"rounds": (1, 60), "players": (2, 200), "place": (1, 200), "place_at_home": (1, 200)}
"""The least and the most that a question takes, so that no answer makes the computation long."""
DAYS_AHEAD = 731
RESULT_WORDS = {
    "win": pgettext_lazy("one game", "Won"),
    "draw": pgettext_lazy("one game", "Drawn"),
    "loss": pgettext_lazy("one game", "Lost"),
    "forfeit-won": later("Won by forfeit"),
    "forfeit-lost": later("Lost by forfeit"),
}
"""The words for a result of one game; tables head their columns with the same English words."""
LEAST_RATING, MOST_RATING = 1, 4000


class ImaginedSectionForm(forms.Form):
    """The questions on the section as a whole: its last day, and those of the ruleset."""

    on = forms.DateField(
        label=later("Last day"),
        widget=forms.DateInput({"type": "date"}, format="%Y-%m-%d"),
        required=False,
        help_text=later("Leave this empty for today."),
    )

    def __init__(self, data: Any, asked: WhatIf, today: date, **options: Any) -> None:
        super().__init__(data, **options)
        self.today = today
        self.fields |= {field.name: form_field(field) for field in asked.fields}
        for name, (least, most) in LIMITS.items():
            if name in self.fields:
                own = self.fields[name]
                self.fields[name] = forms.IntegerField(
                    label=own.label,
                    help_text=own.help_text,
                    required=own.required,
                    initial=own.initial,
                    min_value=least,
                    max_value=most,
                )

    def clean_on(self) -> date:
        day: date = self.cleaned_data["on"] or self.today
        if day < self.today:
            raise forms.ValidationError(_("Choose today or a later day."), code="past")
        last = self.today + timedelta(DAYS_AHEAD)
        if day > last:
            words = _("Choose a day up to %(last)s.")
            raise forms.ValidationError(words, code="far", params={"last": f"{last:%Y-%m-%d}"})
        return day

    def clean(self) -> dict[str, Any]:
        said = super().clean() or {}
        place, players = said.get("place"), said.get("players")
        if place and players and place > players:
            words = _("There are %(players)s players, so that nobody comes %(place)s.")
            params = {"players": players, "place": place}
            self.add_error("place", forms.ValidationError(words, code="place", params=params))
        return said

    def entries(self) -> list[forms.BoundField]:
        return [field for field in self if field.widget_type != "checkbox"]

    def ticks(self) -> list[forms.BoundField]:
        return [field for field in self if field.widget_type == "checkbox"]

    @property
    def said(self) -> dict[str, Any]:
        return {name: None if value == "" else value for name, value in self.cleaned_data.items()}


class GameForm(forms.Form):
    """One imagined game: who is met, or at which rating, who moves first, and how it ends."""

    who = forms.CharField(label=later("Opponent"), max_length=60, required=False)
    rating = forms.IntegerField(
        label=later("or rating"), min_value=LEAST_RATING, max_value=MOST_RATING, required=False
    )
    side = forms.ChoiceField(label=later("The player is"), required=False)
    result = forms.ChoiceField(label=later("Result"), required=False)

    def __init__(self, *args: Any, asked: WhatIf, sides: tuple[StrOrPromise, StrOrPromise], **options: Any):
        super().__init__(*args, **options)
        if asked.by_side:
            self.fields["side"].choices = [("first", sides[0]), ("second", sides[1])]  # type: ignore[attr-defined]
        else:
            del self.fields["side"]
        words = [(name, RESULT_WORDS[name]) for name in asked.results]
        self.fields["result"].choices = [("", "—"), *words]  # type: ignore[attr-defined]

    @property
    def empty(self) -> bool:
        """Whether nothing is stated of the game; the side alone says nothing."""
        said = self.cleaned_data
        return not (said.get("who") or said.get("rating") or said.get("result"))

    def clean(self) -> dict[str, Any]:
        said = super().clean() or {}
        met = said.get("who") or said.get("rating") is not None or self.errors
        if met and not said.get("result") and "result" not in self.errors:
            self.add_error("result", forms.ValidationError(_("Choose how the game ends."), code="no-result"))
        if said.get("result") and not met:
            words = _("Write the opponent's number or name, or a rating.")
            self.add_error("who", forms.ValidationError(words, code="nobody"))
        return said

    @property
    def line(self) -> int:
        return int(str(self.prefix)[1:])

    def stated_rating(self) -> Decimal | None:
        rating = self.cleaned_data.get("rating")
        return None if rating is None else Decimal(rating)


# ---- Find the opponents whom a reader names by number or name, and say what is wrong in a row.
BIRTHS = ("born", "sex", "merged_into__born", "merged_into__sex")
"""The columns of the register on which nothing here may rest, so that they are not even read."""
OFFERED = 5


def people_of(office: Federation) -> QuerySet[Player]:
    """The players of an office without birth and sex."""
    related = Player.objects.of(office).select_related("federation", "region", "merged_into__federation")
    return related.defer(*BIRTHS)


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


# ---- The prospects of a player: ratings to reach, other scores, days on which ratings move.
MOST_PLACES = 25
DAYS = 365


@dataclass(frozen=True, slots=True)
class Goal:
    """A rating to reach: the next round one, or one that brings something by the regulations."""

    rating: Decimal
    words: str
    """The words for what it brings; empty for a round rating."""
    missing: Decimal


@dataclass(frozen=True, slots=True)
class NextOfTrack:
    """The prospects in one track."""

    track: str
    rating: Decimal | None
    waiting: Decimal | None
    """The points that enter the rating with the next list; None: none wait."""
    goals: list[Goal]
    listed: list[StepRow]


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """The effect that another score, or another place, would have."""

    score: int
    points: Decimal | None
    after: Decimal | None
    reaches: list[Goal]
    """The goals that this score is the first to reach."""


@dataclass(frozen=True, slots=True)
class DayAhead:
    """A day on which the calendar alone moves the player's rating."""

    day: date
    before: Decimal | None
    after: Decimal | None


def goals_of(
    office: Federation, asked: WhatIf, thresholds: Sequence[Threshold], rating: Decimal | None
) -> list[Goal]:
    """The next round rating above a rating, and the next of the thresholds; none without a rating."""
    if rating is None:
        return []
    with localcontext(CONTEXT):
        following = ((rating / asked.step).to_integral_value(ROUND_FLOOR) + 1) * asked.step
    words = {following: ""}
    words |= {
        each.rating: _(office.ruleset.words.messages.get(each.key, each.key))
        for each in [t for t in thresholds if t.rating > rating][:1]
    }
    return [Goal(goal, words[goal], goal - rating) for goal in sorted(words)]


def points_that_wait(office: Federation, state: State[Any], number: str, on: date) -> dict[str, Decimal]:
    """The points of a player that enter the ratings with the next list, by track (csa 67)."""
    if not office.ruleset.calendar.waits_for_list:
        return {}
    found = ((each.track, each.further.get("pending")) for each in answers_in(office, state, number, on))
    return {track: points for track, points in found if points}


def next_of_tracks(
    request: OfficeRequest,
    asked: WhatIf,
    state: State[Any],
    number: str,
    on: date,
    tracks: Sequence[str] = (),
) -> list[NextOfTrack]:
    """The prospects in each track in which a state has the player, in the first if in none; `tracks`: in
    these alone.
    """
    office = request.office
    codes = [each.code for each in office.ruleset.tracks]
    codes = [code for code in codes if state.get(number, code) is not None] or codes[:1]
    ratings = {each.track: each.rating for each in answers_in(office, state, number, on)}
    waiting, edition = points_that_wait(office, state, number, on), office.ruleset.edition_of_day(on)
    found = []
    for code in [code for code in codes if not tracks or code in tracks]:
        with localcontext(CONTEXT):
            listed = office.ruleset.figures.listed(state, number, code, on)
        rating, points = ratings.get(code), waiting.get(code)
        then = rating + (points or 0) if rating is not None else None
        goals = goals_of(office, asked, asked.thresholds(state, number, code), then)
        found.append(NextOfTrack(code, rating, points, goals, worded_rows(listed, request, edition)))
    return found


def said_of_all(found: Sequence[NextOfTrack]) -> list[StepRow]:
    """The sentences on the list that every one of several tracks has; none where they differ."""
    first = found[0].listed if len(found) > 1 else []
    return first if all(each.listed == first for each in found) else []


def held_steps(request: OfficeRequest, state: State[Any], number: str, on: date) -> list[StepRow]:
    """The player's ranks on a day, held and waiting for an official, as steps in words."""
    with localcontext(CONTEXT):
        held = request.office.ruleset.figures.held(state, number, on)
    return worded_rows(held, request, request.office.ruleset.edition_of_day(on))


def scores_of(
    office: Federation, asked: WhatIf, said: Imagination, imagined: ImaginedRating, track: str
) -> list[ScoreRow]:
    """The effect of each whole score with these opponents, won from the lowest rated on, or of each place."""
    number, found, reached = said.player.number, list[ScoreRow](), set[Decimal]()
    thresholds = asked.thresholds(imagined.state, number, track)
    for score, other in _variants(asked, said, imagined, track):
        change = imagined.changes(number, section_of(asked, other)).get(track)
        if change is None:
            continue
        before, after = before_and_after(office, said, imagined.state, change)
        goals = goals_of(office, asked, thresholds, before)
        goals = [goal for goal in goals if after is not None and goal.rating <= after]
        found.append(
            ScoreRow(score, change.points, after, [each for each in goals if each.rating not in reached])
        )
        reached |= {goal.rating for goal in goals}
    return found if any(row.after is not None for row in found) else []


def before_and_after(
    office: Federation, said: Imagination, state: State[Any], change: Change[Any]
) -> tuple[Decimal | None, Decimal | None]:
    """A rating before and after an imagined change, each with the points that wait for the next list."""
    before, after = (each.rating if each else None for each in (change.before, change.after))
    if before is None or after is None or not office.ruleset.calendar.waits_for_list:
        return before, with_points(before, change.points, after)
    number, track = said.player.number, change.track
    own: State[Any] = State({(number, track): change.after}, state.wide)
    waiting, left = (
        points_that_wait(office, each, number, said.ends).get(track, Decimal(0)) for each in (state, own)
    )
    return before + waiting, after + left


def _variants(
    asked: WhatIf, said: Imagination, imagined: ImaginedRating, track: str
) -> Iterator[tuple[int, Imagination]]:
    """The same section with every whole score, or every place (from the last on), at most so many."""
    if not asked.by_games:
        players = said.answers.get("players") or 1
        step = -(-players // MOST_PLACES)
        for place in sorted({*range(1, players + 1, step), players}, reverse=True):
            yield place, replace(said, answers={**said.answers, "place": place})
        return
    order = sorted(range(len(said.games)), key=lambda at: _rating_of(said.games[at], imagined, track))
    for score in range(len(order) + 1 if order else 0):
        won = set(order[:score])
        games = (
            game._replace(result=SCORES["win" if at in won else "loss"]) for at, game in enumerate(said.games)
        )
        yield score, replace(said, games=tuple(games))


def _rating_of(game: ImaginedGame, imagined: ImaginedRating, track: str) -> Decimal:
    standing = imagined.state.get(game.opponent.id, track)
    rating = standing.rating if standing is not None else None
    return rating if rating is not None else Decimal(game.opponent.pre or 0)


def days_ahead(office: Federation, state: State[Any], number: str, track: str, now: date) -> list[DayAhead]:
    """The days of the coming year on which a rating moves though nothing further is rated; none where ratings
    move by play alone.
    """
    calendar, standing = office.ruleset.calendar, state.get(number, track)
    if calendar.days_of_change is None or calendar.rating_on is None or standing is None:
        return []
    found, before = [], calendar.rating_on(standing, state.wide, now)
    for day in calendar.days_of_change(state.wide, now + timedelta(1), now + timedelta(DAYS)):
        with localcontext(CONTEXT):
            after = calendar.rating_on(standing, state.wide, day)
        if after != before:
            found.append(DayAhead(day, before, after))
        before = after
    return found


# ---- The page: what a reader states, and what follows from it.
FIRST_DAYS = 12
"""The days on which a rating moves by itself that are shown unfolded."""


@dataclass(frozen=True, slots=True)
class ImaginedRow:
    """The effect of an imagined section on one of the player's ratings."""

    track: str
    before: Decimal | None
    waiting: Decimal | None
    """The points that waited for the next list before it, and are in `after`; None: none did."""
    points: Decimal | None
    after: Decimal | None
    games: int
    query: str
    """The query of this page with the working of this rating."""


@public
@cached_page
def what_if(request: OfficeRequest, number: str) -> HttpResponseBase:
    office = request.office
    asked = office.equipment.what_if
    if asked is None:
        raise Http404(_("The rules of this federation are not worked out ahead."))
    player = get_object_or_404(people_of(office), number=number)
    if player.merged_into:
        return redirect("ratings:what_if", office.code, player.merged_into.number)
    page = WhatIfPage(request, asked, player, today(office))
    said = page.said() if page.worked else None
    context = {
        "player": player,
        "asked": asked,
        "form": page.section,
        "rows": page.rows,
        "count": page.count,
        "full": page.count >= MOST_ROWS,
        "finding": page.finding,
        **page.next(),
        **(page.outcome(said) if said else {}),
    }
    wrong = page.worked and said is None
    context["wrong"] = wrong and not page.finding
    return render(request, "ratings/what_if.html", context, status=400 if wrong else 200)


class WhatIfPage:
    """The statements of a reader, read from the address, and their consequences."""

    def __init__(self, request: OfficeRequest, asked: WhatIf, player: Player, now: date) -> None:
        self.request, self.office, self.asked = request, request.office, asked
        self.player, self.now = player, now
        self.worked = "worked" in request.GET and "add" not in request.GET
        self.count = _rows_asked(request) if asked.by_games else 0
        self.finding = ""
        data = request.GET if self.worked else None
        typed = {**asked.usual(now), **{name: request.GET[name] for name in request.GET}}
        self.section = ImaginedSectionForm(data, asked, now, initial=typed)
        self.rows = [self._row(number, typed) for number in range(1, self.count + 1)]

    def _row(self, number: int, typed: dict[str, str]) -> GameForm:
        prefix = f"g{number}"
        initial = {
            name.removeprefix(f"{prefix}-"): value
            for name, value in typed.items()
            if name.startswith(f"{prefix}-")
        }
        first, second = self.office.publication.sides
        data = self.request.GET if self.worked else None
        return GameForm(data, prefix=prefix, initial=initial, asked=self.asked, sides=(_(first), _(second)))

    def said(self) -> Imagination | None:
        """Read what is imagined; None where something is wrong, which the forms then say."""
        valid = [self.section.is_valid(), *(row.is_valid() for row in self.rows)]
        rows = [row for row in self.rows if not row.empty or row.errors]
        # The opponent of each row; None where the row has an error, which is added to its form.
        office = self.office
        numbers = {row.cleaned_data["who"].strip() for row in rows if row.cleaned_data.get("who")}
        found = {each.number: each for each in people_of(office).filter(number__in=numbers)}
        names: dict[str, list[Player]] = {}
        for text in sorted(numbers - found.keys()):
            if not any(letter.isdigit() for letter in text):
                people = people_of(office).current().matching(text).likeliest_first(text)  # type: ignore[attr-defined]
                names[text] = list(people[: OFFERED + 1])
        met = [_opponent(row, self.player, found, names) for row in rows]
        if not all(valid):
            return None
        games = [_game(row, each) for row, each in zip(rows, met, strict=True) if each]
        if len(games) < len(rows) or self._nothing_stated(games):
            return None
        answers = self.section.said
        said = Imagination(self.player, answers["on"], answers, tuple(games))
        section = section_of(self.asked, said)
        if finding := unrateable(self.office, section):
            message = _(self.office.ruleset.words.messages.get(finding.key, finding.key))
            self.finding = put_in(message, finding.params)
            return None
        check_ratings(self.office, self.office.ruleset.sections.tracks_of(section), rows, games)
        return None if any(row.errors for row in rows) else said

    def _nothing_stated(self, games: Sequence[ImaginedGame]) -> bool:
        """Whether games are asked for and none is stated, which an error on the first row says."""
        if games or not self.asked.by_games or self.section.said.get("place"):
            return False
        self.rows[0].add_error("who", _("Write the opponent's number or name, or a rating."))
        return True

    def next(self) -> dict[str, Any]:
        """The context of what comes next for the player as the record stands."""
        number = self.player.number
        state = state_before(self.office, AFTER_EVERYTHING, frozenset((number,)))
        found = next_of_tracks(self.request, self.asked, state, number, self.now)
        first = next((each.track for each in found if each.rating is not None), "")
        days = days_ahead(self.office, state, number, first, self.now)
        return {
            "next": found,
            "said_of_all": said_of_all(found),
            "days": days[:FIRST_DAYS],
            "further_days": days[FIRST_DAYS:],
        }

    def outcome(self, said: Imagination) -> dict[str, Any]:
        """The context of what follows: each rating before and after, the working of one, and other scores."""
        imagined = imagine(self.office, self.asked, said)
        number = self.player.number
        changes = imagined.changes(number)
        tracks = [track for track in imagined.tracks if track in changes]
        wanted = self.request.GET.get("track", "")
        track = wanted if wanted in tracks else next(iter(tracks), "")
        context = {
            "imagined": imagined,
            "on": said.ends,
            "effects": [self._effect(said, imagined, changes[each]) for each in tracks],
            "track": track,
        }
        if not track:
            return context
        after = imagined.state_after(number)
        scores = scores_of(self.office, self.asked, said, imagined, track)
        return {
            **context,
            **self._working(imagined, track),
            "scores": scores,
            "reaching": any(row.reaches for row in scores),
            "then": next_of_tracks(self.request, self.asked, after, number, said.ends, (track,)),
            "held": held_steps(self.request, after, number, said.ends),
        }

    def _effect(self, said: Imagination, imagined: ImaginedRating, change: Change[Any]) -> ImaginedRow:
        query = self.request.GET.copy()
        query["track"] = change.track
        number, state = said.player.number, imagined.state
        waiting = points_that_wait(self.office, state, number, said.ends)
        _before, after = before_and_after(self.office, said, state, change)
        return ImaginedRow(
            track=change.track,
            before=change.before.rating if change.before else None,
            waiting=waiting.get(change.track),
            points=change.points,
            after=after,
            games=change.after.games,
            query=query.urlencode(),
        )

    def _named(self, row: GameRow) -> GameRow:
        """The row of a game with words in place of a made-up opponent's id, and no side that is not asked."""
        side = row.side if self.asked.by_side else ""
        if not row.opponent.startswith("*"):
            return replace(row, side=side)
        return replace(row, side=side, opponent=_("Opponent of row %(row)s") % {"row": row.opponent[1:]})

    def _working(self, imagined: ImaginedRating, track: str) -> dict[str, Any]:
        account = imagined.working(self.player.number, track)
        account = replace(account, steps=tuple(_own(step) for step in account.steps))
        edition = self.office.ruleset.edition_for(imagined.plan.section)
        steps = step_rows(account, self.office, edition)
        return {
            "working": {
                "summary": summary_rows(account, self.office, edition),
                "picture": picture_of(account, self.office),
                "steps": steps,
                "games": [self._named(row) for row in game_rows(account, self.office)],
                "tables": worded_tables(self.office, account.tables, edition),
            },
            "exact": list(exact_numbers(steps)),
            "edition": edition,
        }


def _own(step: WorkingStep) -> WorkingStep:
    """A step with words in place of the imagined section's id."""
    own, inputs = _("This competition"), step.inputs.items()
    return step._replace(inputs={name: own if told == f"{IMAGINED}/A" else told for name, told in inputs})


def _game(row: GameForm, opponent: Any) -> ImaginedGame:
    said = row.cleaned_data
    return ImaginedGame(opponent, said.get("side") != "second", RESULTS[said["result"]])


def _rows_asked(request: OfficeRequest) -> int:
    """The number of rows of games: as the address says, one more if the reader adds one, within the limit."""
    text = request.GET.get("rows", "")
    count = int(text) if text.isascii() and text.isdigit() and len(text) < 4 else ROWS
    return max(1, min(MOST_ROWS, count + ("add" in request.GET)))
