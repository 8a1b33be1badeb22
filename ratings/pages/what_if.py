"""The public page *What if …* of a player: an imagined section rated as a real one, and the prospects.

Everything that a reader enters is in the address; nothing is stored.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal, localcontext
from typing import TYPE_CHECKING, Any

from django import forms
from django.db.models import QuerySet
from django.http import Http404, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _, gettext_lazy as later, pgettext_lazy

from players.access import PUBLIC, OfficeRequest, page
from players.models import Federation, Player
from players.names import parse_query
from players.pages.forms import parse_number
from players.settings import today
from ratings import workings
from ratings.journal import AFTER_EVERYTHING
from ratings.models import Standing
from ratings.pages.responses import cached_page
from ratings.pages.rule_tables import QuestionForm, worded_steps
from ratings.pages.workings import working_context
from ratings.player_ratings import get_answers_from_state
from ratings.results import state_before
from ratings.rulesets.facts import State, WorkingStep
from ratings.rulesets.profile import RESULTS, SCORES, WhatIf
from ratings.rulesets.ruleset import CONTEXT
from ratings.statement import Balance, balance_of
from ratings.what_if import (
    IMAGINED_ID,
    ImaginedGame,
    ImaginedRating,
    ImaginedSection,
    Opponent,
    build_imagined_rating,
    build_section,
    find_unrateable,
    get_next_goals,
)
from tournaments.sections import build_own_field

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


# ---- The forms of an imagined section
DEFAULT_ROWS, MOST_ROWS = 4, 30
LIMITS = {"rounds": (1, 60), "players": (2, 200), "place": (1, 200), "place_at_home": (1, 200)}
"""The least and greatest values of fields, so that no answer makes the computation long."""
MOST_DAYS_AHEAD = 731
RESULT_WORDS = {
    "win": pgettext_lazy("one game", "Won"),
    "draw": pgettext_lazy("one game", "Drawn"),
    "loss": pgettext_lazy("one game", "Lost"),
    "forfeit-won": later("Won by forfeit"),
    "forfeit-lost": later("Lost by forfeit"),
}
"""The words for a result of one game; tables head their columns with the same English words."""
LEAST_RATING, MOST_RATING = 1, 4000


class ImaginedSectionForm(QuestionForm):
    """The section as a whole: its last day, and the ruleset's fields."""

    on = forms.DateField(
        label=later("Last day"),
        widget=forms.DateInput({"type": "date"}, format="%Y-%m-%d"),
        required=False,
        help_text=later("Leave this empty for today."),
    )

    def __init__(self, data: Any, asked: WhatIf, today: date, **options: Any) -> None:
        super().__init__(data, **options)
        self.today = today
        self.fields |= {field.name: build_own_field(field) for field in asked.fields}
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
        last = self.today + timedelta(MOST_DAYS_AHEAD)
        if day > last:
            words = _("Choose a day up to %(last)s.")
            raise forms.ValidationError(words, code="far", params={"last": f"{last:%Y-%m-%d}"})
        return day

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        place, players = given.get("place"), given.get("players")
        if place and players and place > players:
            words = _("There are %(players)s players, so that nobody comes %(place)s.")
            params = {"players": players, "place": place}
            self.add_error("place", forms.ValidationError(words, code="place", params=params))
        return given


class GameForm(forms.Form):
    """One imagined game: the opponent or their rating, who moves first, and the result."""

    who = forms.CharField(label=later("Opponent"), max_length=60, required=False)
    rating = forms.IntegerField(
        label=later("or rating"), min_value=LEAST_RATING, max_value=MOST_RATING, required=False
    )
    side = forms.ChoiceField(label=later("The player is"), required=False)
    result = forms.ChoiceField(label=later("Result"), required=False)

    def __init__(
        self,
        *args: Any,
        asked: WhatIf,
        sides: tuple[StrOrPromise, StrOrPromise],
        suggestions: str,
        **options: Any,
    ):
        super().__init__(*args, **options)
        self.fields["who"].widget.attrs |= {
            "data-suggestions": suggestions,
            "data-only": "players",
            "data-picks": "fill",
            "autocomplete": "off",
        }
        self.several: list[tuple[Player, str]] = []
        """The players of whom the name may be, each with the address that names that one."""
        if asked.by_side:
            self.fields["side"].choices = [("first", sides[0]), ("second", sides[1])]  # type: ignore[attr-defined]
        else:
            del self.fields["side"]
        words = [(name, RESULT_WORDS[name]) for name in asked.results]
        self.fields["result"].choices = [("", "—"), *words]  # type: ignore[attr-defined]

    @property
    def empty(self) -> bool:
        """Whether nothing but perhaps a side is given."""
        given = self.cleaned_data
        return not (given.get("who") or given.get("rating") or given.get("result"))

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        has_opponent = given.get("who") or given.get("rating") is not None or self.errors
        if has_opponent and not given.get("result") and "result" not in self.errors:
            self.add_error("result", forms.ValidationError(_("Choose how the game ends."), code="no-result"))
        if given.get("result") and not has_opponent:
            words = _("Write the opponent's number or name, or a rating.")
            self.add_error("who", forms.ValidationError(words, code="nobody"))
        return given

    @property
    def line(self) -> int:
        return int(str(self.prefix)[1:])

    def stated_rating(self) -> Decimal | None:
        rating = self.cleaned_data.get("rating")
        return None if rating is None else Decimal(rating)


# ---- The opponents
DEFERRED_FIELDS = ("born", "sex", "merged_into__born", "merged_into__sex")
"""Fields that are not loaded, because nothing on this public page may depend on them."""
MOST_SUGGESTED = 5


def players_without_births(office: Federation) -> QuerySet[Player]:
    """The players of an office without birth and sex."""
    related = Player.objects.of(office).select_related("federation", "region", "merged_into__federation")
    return related.defer(*DEFERRED_FIELDS)


def _opponent(
    row: GameForm, player: Player, numbers: dict[str, Player], names: dict[str, list[Player]]
) -> Opponent | None:
    """The opponent of a row; None, with an error on the row, unless it names exactly one other player."""
    text = (row.cleaned_data.get("who") or "").strip()
    if not text:
        return Opponent(f"*{row.line}", rating=row.stated_rating())
    known = [numbers[each] for each in parse_query(text)[0] if each in numbers][:1]
    people = known or names.get(text, [])
    if len(people) != 1:
        row.add_error("who", AMBIGUOUS if people else _unknown_error(text))
        return None
    opponent = people[0].merged_into or people[0]
    if opponent.pk == player.pk:
        words = _("This is the player of the page. Name somebody else.")
        row.add_error("who", forms.ValidationError(words, code="self"))
        return None
    return Opponent(opponent.number, opponent, pre=row.cleaned_data.get("rating"))


def _unknown_error(text: str) -> forms.ValidationError:
    words = _("Nobody of this register has the number or the name “%(text)s”.")
    return forms.ValidationError(words, code="unknown", params={"text": text})


AMBIGUOUS = forms.ValidationError(later("Several players have such a name. Choose one."), code="several")


def add_rating_errors(
    office: Federation, tracks: Sequence[str], rows: Sequence[GameForm], games: Sequence[ImaginedGame]
) -> None:
    """Add an error to each row whose rating is missing, or given though the opponent is rated (csa 58)."""
    opponents = [game.opponent.player for game in games if game.opponent.player]
    rated = Standing.objects.filter(player__in=opponents, track__in=tracks, rating__isnull=False)
    counts = Counter(rated.values_list("player__number", flat=True))
    for row, game in zip(rows, games, strict=True):
        if game.opponent.player:
            _check_rating(office, row, game.opponent, rated=counts[game.opponent.id] == len(tracks))


def _check_rating(office: Federation, row: GameForm, opponent: Opponent, *, rated: bool) -> None:
    pre_ratings = office.ruleset.pre_ratings
    if pre_ratings is None or rated:
        if opponent.pre is not None:
            words = _("Leave this empty: %(who)s is measured at the rating of the record.")
            params = {"who": opponent.player.shown_name if opponent.player else opponent.id}
            row.add_error("rating", forms.ValidationError(words, code="rating-known", params=params))
        return
    if opponent.pre not in pre_ratings.values:
        words = _(
            "This player has no rating here yet. Write the pre-rating to take instead: one of %(values)s."
        )
        values = ", ".join(str(value) for value in pre_ratings.values)
        row.add_error("rating", forms.ValidationError(words, code="pre-rating", params={"values": values}))


# ---- The prospects of a player
MOST_PLACES = 25
PROSPECT_DAYS = 365


def prospects(
    request: OfficeRequest,
    asked: WhatIf,
    state: State[Any],
    number: str,
    on: date,
    tracks: Sequence[str] = (),
) -> list[dict[str, Any]]:
    """The prospects in each track in which a state has the player, or in the first track if in none.

    `tracks`: in these alone.
    """
    office = request.office
    codes = [each.code for each in office.ruleset.tracks]
    codes = [code for code in codes if state.get(number, code) is not None] or codes[:1]
    balances = {each.track: balance_of(each) for each in get_answers_from_state(office, state, number, on)}
    edition = office.ruleset.edition_on_or_first(on)
    found = []
    for code in [code for code in codes if not tracks or code in tracks]:
        with localcontext(CONTEXT):
            listed = office.ruleset.figures.listed(state, number, code, on)
        balance = balances.get(code, Balance())
        waiting = balance.as_shown(office.publication.decimals).waiting
        goals = get_next_goals(office, asked, asked.thresholds(state, number, code), balance.total)
        steps = worded_steps(listed, request, edition)
        found.append(
            {"track": code, "rating": balance.rating, "waiting": waiting, "goals": goals, "listed": steps}
        )
    return found


def shared_steps(tracks: Sequence[dict[str, Any]]) -> list[workings.StepRow]:
    """The sentences on the list if they are the same in all of several tracks, else none."""
    first: list[workings.StepRow] = tracks[0]["listed"] if len(tracks) > 1 else []
    return first if all(each["listed"] == first for each in tracks) else []


def compute_score_effects(
    office: Federation, asked: WhatIf, imagination: ImaginedSection, imagined: ImaginedRating, track: str
) -> list[dict[str, Any]]:
    """The effect of each whole score, with wins from the lowest rated opponent up, or of each place, and the
    goals that no lower score reaches.
    """
    number, found, reached = imagination.player.number, list[dict[str, Any]](), set[Decimal]()
    thresholds = asked.thresholds(imagined.state, number, track)
    for score, other in _variants(asked, imagination, imagined, track):
        move = imagined.compare(number, build_section(asked, other)).get(track)
        if move is None:
            continue
        before, after = move.movement.before.total, move.movement.after.total
        goals = get_next_goals(office, asked, thresholds, before)
        goals = [goal for goal in goals if after is not None and goal.rating <= after]
        reaches = [each for each in goals if each.rating not in reached]
        found.append({"score": score, "move": move, "reaches": reaches})
        reached |= {goal.rating for goal in goals}
    return found if any(row["move"].after is not None for row in found) else []


def _variants(
    asked: WhatIf, imagination: ImaginedSection, imagined: ImaginedRating, track: str
) -> Iterator[tuple[int, ImaginedSection]]:
    """The same section with every whole score, or with places from the last to the first."""
    answers, games = imagination.answers, imagination.games
    if not asked.by_games:
        players = answers.get("players") or 1
        step = -(-players // MOST_PLACES)
        for place in sorted({*range(1, players + 1, step), players}, reverse=True):
            yield place, replace(imagination, answers={**answers, "place": place})
        return
    order = sorted(range(len(games)), key=lambda at: _rating_of(games[at], imagined, track))
    for score in range(len(order) + 1 if order else 0):
        won = set(order[:score])
        changed = (
            game._replace(result=SCORES["win" if at in won else "loss"]) for at, game in enumerate(games)
        )
        yield score, replace(imagination, games=tuple(changed))


def _rating_of(game: ImaginedGame, imagined: ImaginedRating, track: str) -> Decimal:
    standing = imagined.state.get(game.opponent.id, track)
    rating = standing.rating if standing is not None else None
    return rating if rating is not None else Decimal(game.opponent.pre or 0)


def list_calendar_changes(
    office: Federation, state: State[Any], number: str, track: str, now: date
) -> list[dict[str, Any]]:
    """The days of the coming year on which a rating changes by the calendar alone."""
    calendar, standing = office.ruleset.calendar, state.get(number, track)
    if calendar.days_of_change is None or calendar.rating_on is None or standing is None:
        return []
    found, before = [], calendar.rating_on(standing, state.wide, now)
    for day in calendar.days_of_change(state.wide, now + timedelta(1), now + timedelta(PROSPECT_DAYS)):
        with localcontext(CONTEXT):
            after = calendar.rating_on(standing, state.wide, day)
        if after != before:
            found.append({"day": day, "before": before, "after": after})
        before = after
    return found


# ---- The page
MOST_UNFOLDED_DAYS = 12
"""How many of the days ahead are shown unfolded."""


@page(PUBLIC, caching=cached_page)
def what_if(request: OfficeRequest, number: str) -> HttpResponseBase:
    office = request.office
    asked = office.equipment.what_if
    if asked is None:
        raise Http404(_("The rules of this federation are not worked out ahead."))
    player = get_object_or_404(players_without_births(office), number=number)
    if player.merged_into:
        return redirect("ratings:what_if", office.code, player.merged_into.number)
    page = WhatIfPage(request, asked, player, today(office))
    imagination = page.read_imagination() if page.worked else None
    context = {
        "player": player,
        "asked": asked,
        "form": page.section,
        "rows": page.rows,
        "count": page.count,
        "full": page.count >= MOST_ROWS,
        "finding": page.finding,
        **page.prospects_context(),
        **(page.outcome_context(imagination) if imagination else {}),
    }
    wrong = page.worked and imagination is None
    context["wrong"] = wrong and not page.finding
    return render(request, "ratings/what_if.html", context, status=400 if wrong else 200)


class WhatIfPage:
    """The input of a reader, read from the address, and its consequences."""

    def __init__(self, request: OfficeRequest, asked: WhatIf, player: Player, now: date) -> None:
        self.request, self.office, self.asked = request, request.office, asked
        self.player, self.now = player, now
        self.worked = "worked" in request.GET and "add" not in request.GET
        self.count = _row_count(request) if asked.by_games else 0
        self.finding = ""
        self.suggestions = reverse("ratings:suggestions", args=[self.office.code])
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
        return GameForm(
            data,
            prefix=prefix,
            initial=initial,
            asked=self.asked,
            sides=(_(first), _(second)),
            suggestions=self.suggestions,
        )

    def read_imagination(self) -> ImaginedSection | None:
        """Read the imagined section; None, with errors on the forms, where something is wrong."""
        valid = [self.section.is_valid(), *(row.is_valid() for row in self.rows)]
        rows = [row for row in self.rows if not row.empty or row.errors]
        office = self.office
        texts = {row.cleaned_data["who"].strip() for row in rows if row.cleaned_data.get("who")}
        typed = {text: parse_query(text)[0] for text in texts}
        written = {number for numbers in typed.values() for number in numbers}
        numbers = {each.number: each for each in players_without_births(office).filter(number__in=written)}
        names: dict[str, list[Player]] = {}
        for text in sorted(texts):
            if not typed[text]:
                people = players_without_births(office).current().matching(text).likeliest_first(text)  # type: ignore[attr-defined]
                names[text] = list(people[:MOST_SUGGESTED])
        for row in rows:
            several = names.get((row.cleaned_data.get("who") or "").strip(), ())
            row.several = [(each, self._query(**{f"{row.prefix}-who": each.number})) for each in several]
        opponents = [_opponent(row, self.player, numbers, names) for row in rows]
        if not all(valid):
            return None
        games = [
            ImaginedGame(
                opponent, row.cleaned_data.get("side") != "second", RESULTS[row.cleaned_data["result"]]
            )
            for row, opponent in zip(rows, opponents, strict=True)
            if opponent
        ]
        if len(games) < len(rows):
            return None
        answers = self.section.answers
        if not games and self.asked.by_games and not answers.get("place"):
            self.rows[0].add_error("who", _("Write the opponent's number or name, or a rating."))
            return None
        imagination = ImaginedSection(self.player, answers["on"], answers, tuple(games))
        section = build_section(self.asked, imagination)
        if finding := find_unrateable(office, section):
            message = _(office.ruleset.words.messages.get(finding.key, finding.key))
            self.finding = workings.fill_message(message, finding.params)
            return None
        add_rating_errors(office, office.ruleset.sections.tracks_of(section), rows, games)
        return None if any(row.errors for row in rows) else imagination

    def prospects_context(self) -> dict[str, Any]:
        """The context of the player's prospects by the record as it is."""
        number = self.player.number
        state = state_before(self.office, AFTER_EVERYTHING, frozenset((number,)))
        tracks = prospects(self.request, self.asked, state, number, self.now)
        first = next((each["track"] for each in tracks if each["rating"] is not None), "")
        days = list_calendar_changes(self.office, state, number, first, self.now)
        return {
            "next": tracks,
            "said_of_all": shared_steps(tracks),
            "days": days[:MOST_UNFOLDED_DAYS],
            "further_days": days[MOST_UNFOLDED_DAYS:],
        }

    def outcome_context(self, imagination: ImaginedSection) -> dict[str, Any]:
        """The context of the outcome: each rating before and after, the working of one, and other scores."""
        imagined = build_imagined_rating(self.office, self.asked, imagination)
        number, on = self.player.number, imagination.ends
        moves = imagined.compare(number)
        tracks = [track for track in imagined.tracks if track in moves]
        wanted = self.request.GET.get("track", "")
        track = wanted if wanted in tracks else next(iter(tracks), "")
        context = {
            "imagined": imagined,
            "on": on,
            "moves": [(moves[each], self._query(track=each)) for each in tracks],
            "track": track,
        }
        if not track:
            return context
        after, ruleset = imagined.state_after(number), self.office.ruleset
        with localcontext(CONTEXT):
            ranks = ruleset.figures.held(after, number, on)
        scores = compute_score_effects(self.office, self.asked, imagination, imagined, track)
        return {
            **context,
            **self._working_context(imagined, track),
            "scores": scores,
            "reaching": any(row["reaches"] for row in scores),
            "then": prospects(self.request, self.asked, after, number, on, (track,)),
            "held": worded_steps(ranks, self.request, ruleset.edition_on_or_first(on)),
        }

    def _query(self, **changed: str) -> str:
        """The query for this page with some answers changed."""
        query = self.request.GET.copy()
        for name, value in changed.items():
            query[name] = value
        return query.urlencode()

    def _game_row(self, row: workings.GameRow) -> workings.GameRow:
        """The row with words for the id of an imagined opponent, and without a side if none is asked for."""
        side = row.side if self.asked.by_side else ""
        if not row.opponent.startswith("*"):
            return replace(row, side=side)
        return replace(row, side=side, opponent=_("Opponent of row %(row)s") % {"row": row.opponent[1:]})

    def _working_context(self, imagined: ImaginedRating, track: str) -> dict[str, Any]:
        account = imagined.working(self.player.number, track)
        account = replace(account, steps=tuple(_named_step(step) for step in account.steps))
        edition = self.office.ruleset.edition_for(imagined.plan.section)
        context = working_context(account, self.office, edition)
        working = context["working"]
        working["games"] = [self._game_row(row) for row in working["games"]]
        return context


def _named_step(step: WorkingStep) -> WorkingStep:
    """The step with words for the imagined section's id."""
    words, inputs = _("This competition"), step.inputs.items()
    return step._replace(
        inputs={name: words if value == f"{IMAGINED_ID}/A" else value for name, value in inputs}
    )


def _row_count(request: OfficeRequest) -> int:
    """The number of rows of games in the address, one more if the reader adds one, within the limit."""
    asked = parse_number(request.GET.get("rows"))
    count = DEFAULT_ROWS if asked is None else asked
    return max(1, min(MOST_ROWS, count + ("add" in request.GET)))
