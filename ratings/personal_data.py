"""Everything that an office holds about one person, written out for that person: a player, somebody without
an account who reported mistakes, or somebody who works for the office. The record keeps that it was given
out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime
from functools import reduce
from operator import or_
from typing import Any

from django.db import models, transaction
from django.db.models import Q, QuerySet, TextField
from django.db.models.functions import Cast

from players.models import Appointment, Decision, Federation, FormerName, NameWord, Player, SealedName, User
from players.record import decide
from ratings.journal import NAME_SEAL
from ratings.models import Fact, Hint, HintAnswer, StatedPre
from tournaments.models import Bye, Case, Entry, Event, Game, Remark, Upload

# ---- Rows of the database in plain values, without secrets.
SECRETS = frozenset(
    {"password", "session_key", "data", "salt", "holder", "heartbeat", "attempts", "session_number"}
)
"""Columns that open something, or tell of the machinery alone."""

Told = dict[str, Any]


def rows_that_point_to(*people: models.Model) -> Iterator[tuple[str, str, QuerySet[Any]]]:
    """Yield each table that points to a person's rows, whichever there are: its plural, the pointing field,
    and the rows, without the bytes in them.
    """
    for relation in type(people[0])._meta.get_fields(include_hidden=True):
        if relation.auto_created and not relation.concrete:
            model: Any = relation.related_model
            field: str = relation.field.name  # type: ignore[union-attr]
            binary = [each.name for each in model._meta.fields if isinstance(each, models.BinaryField)]
            rows = model._default_manager.filter(**{f"{field}__in": people}).order_by("pk").defer(*binary)
            yield str(model._meta.verbose_name_plural), field, rows


def told_of(row: models.Model, without: Iterable[str] = ()) -> Told:
    """Map the names of a row's fields to their values; not its own key, bytes, secrets and `without`."""
    hidden = {*SECRETS, *without}
    return {
        field.name: _plain(getattr(row, field.name))
        for field in row._meta.concrete_fields
        if not field.primary_key and field.name not in hidden and not isinstance(field, models.BinaryField)
    }


def _plain(value: Any) -> Any:
    if isinstance(value, models.Model):
        return getattr(value, "key", None) or str(value)
    if isinstance(value, date | datetime):
        return value.isoformat()
    return value if value is None or isinstance(value, bool | int | str | list | dict) else str(value)


# ---- Players: register, entries, games, ratings, the journal's lines, files.
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
    given = reduce(or_, (Q(line__contains=f'"{number}"') for number in numbers))
    facts = Fact.objects.filter(given, federation=office)
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
        "lines of the journal": list(facts.order_by("number").values_list("line", flat=True)),
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


def _decisions(office: Federation, numbers: Sequence[str]) -> Iterator[Told]:
    """Decisions about the player, with their words; and those whose details give the number, without."""
    decisions = Decision.objects.filter(federation=office).order_by("number")
    abouts = {f"player {number}" for number in numbers}
    given = reduce(or_, (Q(text__contains=f'"{number}"') for number in numbers))
    told = decisions.annotate(text=Cast("sealed_details", TextField()))
    for decision in told.filter(Q(about__in=abouts) | given):
        row = told_of(decision, ("sealed_details", "by", "hash"))
        yield row | ({"details": decision.details} if decision.about in abouts else {})


# ---- Reporters: people without an account, known by their mail address.
ABOUT_REPORTER = "Everything that {office} holds about whoever reported mistakes as {email}, as of {day}."


@transaction.atomic
def give_reporter_data(*, federation: Federation, email: str, by: User | None, on: date) -> Told:
    """All cases of a mail address; the record keeps that they were given out, by the newest case.

    Raises `Case.DoesNotExist` where there is none.
    """
    newest = Case.objects.filter(federation=federation, email=email).latest("pk")
    decide(federation, kind="give-data", by=by, on=on, about=f"case {newest.pk}")
    # All cases of a mail address, each with its messages as its reporter may read them.
    cases = Case.objects.filter(federation=federation, email=email).order_by("pk")
    return {
        "about": ABOUT_REPORTER.format(office=federation.name, email=email, day=on.isoformat()),
        "reports of mistakes": [
            told_of(case, ("player",))
            | {"messages": [told_of(each, ("by", "case")) for each in case.messages.filter(internal=False)]}
            for case in cases
        ],
    }


# ---- Staff: account, sign-ins, appointments, decisions.
ABOUT_STAFF = (
    "Everything that {office} holds about the account {email}, as of {day}: what other offices on this site "
    "hold is theirs to give. Passwords and second factors are kept in a form that nobody can read."
)
OF_ACCOUNT = frozenset({"EmailAddress", "Authenticator", "UserSession", "PastSignIn", "LetterSwitch"})
"""Tables of the account itself, which all offices share."""
OF_OTHER_STAFF = ("arbiters", "organizer", "sealed_details", "hash")
"""Columns that speak of other people, or of nobody."""
PATHS = {
    "Section": "event__federation",
    "Correction": "section__event__federation",
    "MendingProposal": "section__event__federation",
    "SectionTaking": "section__event__federation",
    "PermissionRequest": "section__event__federation",
    "Appeal": "section__event__federation",
    "Remark": "section__event__federation",
    "CaseMessage": "case__federation",
    "HistoryAnswer": "history__federation",
}
"""The path from a row to its office, where it is not `federation`."""


@transaction.atomic
def give_staff_data(*, federation: Federation, user: User, by: User | None, on: date) -> Told:
    """All data of somebody who was ever appointed here; the record keeps that they were given out.

    Raises `Appointment.DoesNotExist` for anybody else.
    """
    appointment = Appointment.objects.filter(federation=federation, user=user).latest("pk")
    decide(federation, kind="give-data", by=by, on=on, about=f"appointment {appointment.pk}")
    return data_of_staff(federation, user, on)


def data_of_staff(federation: Federation, user: User, on: date) -> Told:
    """All data of an account: itself, and the rows of each table that points to it, of this office alone."""
    told: Told = {
        "about": ABOUT_STAFF.format(office=federation.name, email=user.email, day=on.isoformat()),
        "account": told_of(user, ("name",)),
    }
    for plural, field, rows in rows_that_point_to(user):
        if rows.model.__name__ not in OF_ACCOUNT:
            rows = rows.filter(**{PATHS.get(rows.model.__name__, "federation"): federation})
        told[f"{plural} ({field})"] = [
            told_of(row, (field, *OF_OTHER_STAFF)) | ({"words": row.words} if isinstance(row, Remark) else {})
            for row in rows
        ]
    return told
