"""Everything held about a player: the register, entries, games, ratings, the journal's lines, files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from functools import reduce
from operator import or_
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet, TextField
from django.db.models.functions import Cast

from players.office.decision_record import decide
from players.office.models import Decision, Federation, User
from players.register.models import FormerName, NameWord, Player, SealedName
from ratings.hints.models import Hint, HintAnswer
from ratings.journal.export import NAME_SEAL
from ratings.journal.models import Fact, StatedPre
from ratings.personal_data.rows_as_text import Told, rows_that_point_to, told_of
from tournaments.cases.models import Case
from tournaments.events.file_models import Upload
from tournaments.events.models import Bye, Entry, Event, Game
from tournaments.review.models import Remark

ABOUT = (
    "Everything that {office} holds about the player with the number {number}, as of {day}. Other people "
    "stand here by their numbers alone. Files are named and not enclosed: they hold other people's births."
)


TOLD_ABOVE = (
    *(Entry, Player, Remark, Remark.players.through),
    *(Hint, Hint.players.through, HintAnswer, HintAnswer.players.through),
)
"""Tables that point to players and are told of by name."""
DERIVED = (NameWord,)
"""Tables with nothing but what is told already: the words of names, by which a search finds them."""

OF_ONE = frozenset({"track", "scored", "expected", "spread", "deviations", "games", "new"})
"""Parts of a hint's evidence that speak of its one player; all else speaks of others too, or of births."""

OF_OTHERS = ("arbiters", "organizer", "registered_by")
"""Columns of an event that name other people."""

OF_REPORTER = ("email", "name")
"""Columns of a case that name whoever reported it, who may be anybody."""


@transaction.atomic
def give_player_data(*, player: Player, by: User | None, on: date) -> Told:
    """All data of a player by kind, for the player; the record keeps that they were given out."""
    decide(player.federation, kind="give-data", by=by, on=on, about=f"player {player.number}")
    return data_of_player(player, on)


def data_of_player(player: Player, on: date) -> Told:
    """All data of a player: each kind of thing with its rows, each row as names of fields with values.

    Entries of the register that were merged into the player's are the same person, and told of too.
    """
    office, people = player.federation, [player, *player.merged.all()]
    numbers = [each.number for each in people]
    entries = Entry.objects.filter(player__in=people).select_related("section__event__federation", "player")
    told: Told = {
        "about": ABOUT.format(office=office.name, number=player.number, day=on.isoformat()),
        "register": [told_of(each) for each in people],
        "former names": _former_names(office, people),
        "entries": [_of_entry(entry) for entry in entries],
        "files with an entry of the player": [_of_file(each) for each in _files(entries)],
        "events as arbiter": [told_of(each, OF_OTHERS) for each in _as_arbiter(player)],
        "pre-ratings stated": [
            told_of(each, ("player",))
            for each in StatedPre.objects.filter(federation=office, player__in=numbers)
        ],
        "lines of the journal": list(_lines(office, numbers)),
        "decisions": list(_decisions(office, numbers)),
        "remarks about games and entries": [_of_remark(each) for each in _remarks(people)],
        "hints at review": [_of_hint(each, numbers) for each in _about(Hint, people)],
        "answers to hints": [_of_hint_answer(each, numbers) for each in _about(HintAnswer, people)],
    }
    return told | dict(_further_rows(people))


def _further_rows(people: Sequence[Player]) -> Iterator[tuple[str, list[Told]]]:
    """Yield the rows of every other table that points to players, whichever there are."""
    for plural, field, rows in rows_that_point_to(*people):
        if rows.model not in (*TOLD_ABOVE, *DERIVED):
            others = OF_REPORTER if rows.model is Case else ()
            yield f"{plural} ({field})", [told_of(row, (field, *others)) for row in rows]


def _of_entry(entry: Entry) -> Told:
    """An entry as filed, with its games and byes; opponents by number, and nobody else's evidence."""
    mine = [each for each in entry.candidates if each.get("player") == entry.player_id]
    games = Game.objects.filter(Q(first=entry) | Q(second=entry)).select_related(
        "first__player", "second__player"
    )
    return {
        "event": entry.section.event.name,
        **told_of(entry, ("candidates", "player")),
        "evidence": [each.get("evidence", []) for each in mine],
        "games": [_of_game(game, entry) for game in games.select_related("first__player", "second__player")],
        "byes": [told_of(bye, ("section", "entry")) for bye in Bye.objects.filter(entry=entry)],
    }


def _of_game(game: Game, entry: Entry) -> Told:
    first = game.first_id == entry.pk
    other = game.second if first else game.first
    return {
        "round": game.round,
        "side": "first" if first else "second",
        "result": game.result,
        "excused": game.excused,
        "opponent": other.player.number if other.player else "not in the register",
    }


def _files(entries: QuerySet[Entry]) -> QuerySet[Upload]:
    return (
        Upload.objects.filter(section__in=entries.values("section"))
        .select_related("section__event")
        .defer("content")
    )


def _of_file(upload: Upload) -> Told:
    return told_of(upload, ("by", "progress", "reason")) | {"bytes are kept": upload.let_go_on is None}


def _remarks(people: Sequence[Player]) -> QuerySet[Remark]:
    rows = Remark.objects.filter(players__in=people).distinct()
    return rows.select_related("section__event", "sealed_words")


def _of_remark(remark: Remark) -> Told:
    """A remark about a game or entry of the player, by its numbers, with its words; nobody else is named."""
    return told_of(remark, ("by", "decision", "sealed_words", "upload", "answers_to")) | {
        "words": remark.words
    }


def _about(model: type[Hint] | type[HintAnswer], people: Sequence[Player]) -> QuerySet[Any]:
    rows: QuerySet[Any] = model._default_manager.filter(players__in=people).distinct().order_by("pk")
    return rows.select_related("section__event").prefetch_related("players")


def _of_hint(hint: Hint | HintAnswer, numbers: Sequence[str]) -> Told:
    """A hint that speaks of the player, with what its evidence says of nobody else."""
    told = {key: value for key, value in hint.evidence.items() if key in OF_ONE}
    alone = hint.players.count() == 1
    days: Any = hint.evidence.get("days", {})
    mine = {number: days[number] for number in numbers if number in days}
    return told_of(hint, ("evidence", "key", "order", "decision", "remark")) | {
        "evidence": (told if alone else {}) | ({"days": mine} if mine else {})
    }


def _of_hint_answer(answer: HintAnswer, numbers: Sequence[str]) -> Told:
    """An answer to a hint, with its words where the hint speaks of the player alone."""
    words = answer.words if answer.players.count() == 1 else ""
    return _of_hint(answer, numbers) | {"words": words}


def _as_arbiter(player: Player) -> list[Event]:
    ids = {player.number, *player.identifiers.values_list("value", flat=True)}
    events = Event.objects.filter(federation=player.federation).exclude(arbiters=[])
    return [
        event
        for event in events
        if any(each.get("id") in ids or each["name"] == player.name for each in event.arbiters)
    ]


def _former_names(office: Federation, people: Sequence[Player]) -> list[str]:
    """The names that the register keeps as former ones, and those under which lines of the journal seal the
    player, as far as the office still keeps them.
    """
    numbers = [player.number for player in people]
    lines = Fact.objects.about(office, numbers, "player")
    found = (NAME_SEAL.search(line) for line in lines.values_list("line", flat=True))
    known = SealedName.objects.filter(federation=office, seal__in=[each[1] for each in found if each])
    kept = {each.name for each in FormerName.objects.filter(player__in=people)}
    return sorted({*known.values_list("name", flat=True), *kept} - {player.name for player in people})


def _lines(office: Federation, numbers: Sequence[str]) -> QuerySet[Fact, str]:
    """The journal's lines that give the player's number; others stand in them by number, and all sealed."""
    given = reduce(or_, (Q(line__contains=f'"{number}"') for number in numbers))
    facts = Fact.objects.filter(given, federation=office)
    return facts.order_by("number").values_list("line", flat=True)


def _decisions(office: Federation, numbers: Sequence[str]) -> Iterator[Told]:
    """Decisions about the player, with their words; and those whose details give the number, without."""
    decisions = Decision.objects.filter(federation=office).order_by("number")
    abouts = {f"player {number}" for number in numbers}
    given = reduce(or_, (Q(text__contains=f'"{number}"') for number in numbers))
    told = decisions.annotate(text=Cast("sealed_details", TextField()))
    for decision in told.filter(Q(about__in=abouts) | given):
        row = told_of(decision, ("sealed_details", "by", "hash"))
        yield row | ({"details": decision.details} if decision.about in abouts else {})
