"""Everything that an office holds about one person, written out for that person: a player, a reporter of
mistakes without an account, or a member of the staff. The record keeps that it was given out.
"""

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
from ratings.models import Fact, Following, Hint, HintAnswer, StatedPre
from tournaments.models import Bye, Case, Entry, Event, Game, Remark, Upload

# ---- Rows of the database in plain values, without secrets
SECRET_COLUMNS = frozenset(
    {"password", "session_key", "data", "salt", "holder", "heartbeat", "attempts", "session_number"}
)
"""Columns that give access to something, or belong to the machinery alone."""

PlainRow = dict[str, Any]


def get_related_rows(*people: models.Model) -> Iterator[tuple[str, str, QuerySet[Any]]]:
    """Yield each table that points to these people, with the pointing field and the rows without bytes."""
    for relation in type(people[0])._meta.get_fields(include_hidden=True):
        if relation.auto_created and not relation.concrete:
            model: Any = relation.related_model
            field: str = relation.field.name  # type: ignore[union-attr]
            binary = [each.name for each in model._meta.fields if isinstance(each, models.BinaryField)]
            rows = model._default_manager.filter(**{f"{field}__in": people}).order_by("pk").defer(*binary)
            yield str(model._meta.verbose_name_plural), field, rows


def row_data(row: models.Model, hidden_columns: Iterable[str] = ()) -> PlainRow:
    """A row's values by field name, without its own key, bytes, secrets and `hidden_columns`."""
    hidden = {*SECRET_COLUMNS, *hidden_columns}
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


# ---- Players
ABOUT_PLAYER = (
    "Everything that {office} holds about the player with the number {number}, as of {day}. Other people "
    "stand here by their numbers alone. Files are named and not enclosed: they hold other people's births."
)


LISTED_TABLES = (
    *(Entry, Player, Remark, Remark.players.through),
    *(Hint, Hint.players.through, HintAnswer, HintAnswer.players.through),
)
"""Tables that point to players and have a part of their own in `get_player_data`."""
DERIVED_TABLES = (NameWord,)
"""Tables that repeat what is given already: the words of names, by which a search finds them."""

OWN_EVIDENCE = frozenset({"track", "scored", "expected", "spread", "deviations", "games", "new"})
"""Parts of a hint's evidence about its one player; the others concern others too, or births."""

OTHERS_COLUMNS = ("arbiters", "organizer", "registered_by")
"""Columns of an event that name other people."""

REMARK_COLUMNS = ("by", "decision", "sealed_words", "upload", "answers_to")
"""Columns of a remark that name other people, or lead to them. Its words name people by number alone."""

REPORTER_COLUMNS = ("email", "name")
"""Columns of a case that name its reporter, who may be anybody."""


@transaction.atomic
def record_and_get_player_data(*, player: Player, by: User | None, on: date) -> PlainRow:
    """Return all data of a player, for the player, and record that they were given out."""
    decide(player.federation, kind="give-data", by=by, on=on, about=f"player {player.number}")
    return get_player_data(player, on)


def get_player_data(player: Player, on: date) -> PlainRow:
    """All data of a player by kind, with those of entries that were merged into the player's."""
    office, people = player.federation, [player, *player.merged.all()]
    numbers = [each.number for each in people]
    entries = Entry.objects.filter(player__in=people).select_related("section__event__federation", "player")
    given = reduce(or_, (Q(line__contains=f'"{number}"') for number in numbers))
    facts = Fact.objects.filter(given, federation=office)
    data: PlainRow = {
        "about": ABOUT_PLAYER.format(office=office.name, number=player.number, day=on.isoformat()),
        "register": [row_data(each) for each in people],
        "former names": _former_names(office, people),
        "entries": [_entry_data(entry) for entry in entries],
        "files with an entry of the player": [
            row_data(each, ("by", "progress", "reason")) | {"bytes are kept": each.let_go_on is None}
            for each in _files(entries)
        ],
        "events as arbiter": [row_data(each, OTHERS_COLUMNS) for each in _arbiter_events(player)],
        "pre-ratings stated": [
            row_data(each, ("player",))
            for each in StatedPre.objects.filter(federation=office, player__in=numbers)
        ],
        "lines of the journal": list(facts.order_by("number").values_list("line", flat=True)),
        "decisions": list(_decision_rows(office, numbers)),
        "remarks about games and entries": [
            row_data(each, REMARK_COLUMNS) | {"words": each.words} for each in _remarks(people)
        ],
        "hints at review": [_hint_data(each, numbers) for each in _hint_rows(Hint, people)],
        "answers to hints": [_answer_data(each, numbers) for each in _hint_rows(HintAnswer, people)],
    }
    return data | dict(_further_rows(people))


def _further_rows(people: Sequence[Player]) -> Iterator[tuple[str, list[PlainRow]]]:
    """Yield the rows of every other table that points to players."""
    for plural, field, rows in get_related_rows(*people):
        if rows.model not in (*LISTED_TABLES, *DERIVED_TABLES):
            others = REPORTER_COLUMNS if rows.model is Case else ()
            yield f"{plural} ({field})", [row_data(row, (field, *others)) for row in rows]


def _entry_data(entry: Entry) -> PlainRow:
    """An entry as filed, with its games and byes; opponents by number, and nobody else's evidence."""
    mine = [each for each in entry.candidates if each.get("player") == entry.player_id]
    games = Game.objects.filter(Q(first=entry) | Q(second=entry))
    return {
        "event": entry.section.event.name,
        **row_data(entry, ("candidates", "player")),
        "evidence": [each.get("evidence", []) for each in mine],
        "games": [
            _game_data(game, entry) for game in games.select_related("first__player", "second__player")
        ],
        "byes": [row_data(bye, ("section", "entry")) for bye in Bye.objects.filter(entry=entry)],
    }


def _game_data(game: Game, entry: Entry) -> PlainRow:
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
    uploads = Upload.objects.filter(section__in=entries.values("section"))
    return uploads.select_related("section__event").defer("content")


def _remarks(people: Sequence[Player]) -> QuerySet[Remark]:
    rows = Remark.objects.filter(players__in=people).distinct()
    return rows.select_related("section__event", "sealed_words")


def _hint_rows(model: type[Hint] | type[HintAnswer], people: Sequence[Player]) -> QuerySet[Any]:
    rows: QuerySet[Any] = model._default_manager.filter(players__in=people).distinct().order_by("pk")
    return rows.select_related("section__event").prefetch_related("players")


def _hint_data(hint: Hint | HintAnswer, numbers: Sequence[str]) -> PlainRow:
    """A hint about the player, with the evidence that concerns nobody else."""
    data = {key: value for key, value in hint.evidence.items() if key in OWN_EVIDENCE}
    alone = hint.players.count() == 1
    days: Any = hint.evidence.get("days", {})
    mine = {number: days[number] for number in numbers if number in days}
    return row_data(hint, ("evidence", "key", "order", "decision", "remark")) | {
        "evidence": (data if alone else {}) | ({"days": mine} if mine else {})
    }


def _answer_data(answer: HintAnswer, numbers: Sequence[str]) -> PlainRow:
    """An answer to a hint, with its words if the hint is about the player alone."""
    words = answer.words if answer.players.count() == 1 else ""
    return _hint_data(answer, numbers) | {"words": words}


def _arbiter_events(player: Player) -> list[Event]:
    ids = {player.number, *player.identifiers.values_list("value", flat=True)}
    events = Event.objects.filter(federation=player.federation).exclude(arbiters=[])
    return [
        event
        for event in events
        if any(each.get("id") in ids or each["name"] == player.name for each in event.arbiters)
    ]


def _former_names(office: Federation, people: Sequence[Player]) -> list[str]:
    """The register's former names of a player, and those that are sealed in lines of the journal."""
    numbers = [player.number for player in people]
    lines = Fact.objects.about(office, numbers, "player")
    found = (NAME_SEAL.search(line) for line in lines.values_list("line", flat=True))
    known = SealedName.objects.filter(federation=office, seal__in=[each[1] for each in found if each])
    kept = {each.name for each in FormerName.objects.filter(player__in=people)}
    return sorted({*known.values_list("name", flat=True), *kept} - {player.name for player in people})


def _decision_rows(office: Federation, numbers: Sequence[str]) -> Iterator[PlainRow]:
    """Yield decisions about the player, with details; and those whose details give the number, without."""
    decisions = Decision.objects.filter(federation=office).order_by("number")
    abouts = {f"player {number}" for number in numbers}
    given = reduce(or_, (Q(text__contains=f'"{number}"') for number in numbers))
    rows = decisions.annotate(text=Cast("sealed_details", TextField()))
    for decision in rows.filter(Q(about__in=abouts) | given):
        row = row_data(decision, ("sealed_details", "by", "held", "hash"))
        yield row | ({"details": decision.details} if decision.about in abouts else {})


# ---- Reporters: people without an account, known by their mail address
ABOUT_REPORTER = "Everything that {office} holds about the reader who wrote as {email}, as of {day}."


@transaction.atomic
def record_and_get_reporter_data(
    *, federation: Federation, email: str, by: User | None, on: date
) -> PlainRow:
    """Return what is held about a mail address, its cases and what it follows, and record it; raises
    `Case.DoesNotExist` without any.
    """
    followed = Following.objects.filter(federation=federation, email=email).order_by("pk")
    newest = Case.objects.filter(federation=federation, email=email).order_by("-pk").first()
    if newest is None and not followed:
        raise Case.DoesNotExist
    decide(
        federation,
        kind="give-data",
        by=by,
        on=on,
        about=f"case {newest.pk}" if newest else "letters to a reader",
    )
    # All cases of a mail address, each with its messages as its reporter may read them.
    cases = Case.objects.filter(federation=federation, email=email).order_by("pk")
    return {
        "about": ABOUT_REPORTER.format(office=federation.name, email=email, day=on.isoformat()),
        "reports of mistakes": [
            row_data(case, ("player",))
            | {"messages": [row_data(each, ("by", "case")) for each in case.messages.filter(internal=False)]}
            for case in cases
        ],
        "letters to followers": [row_data(each) for each in followed],
    }


# ---- Staff
ABOUT_STAFF = (
    "Everything that {office} holds about the account {email}, as of {day}: what other offices on this site "
    "hold is theirs to give. Passwords and second factors are kept in a form that nobody can read."
)
ACCOUNT_TABLES = frozenset({"EmailAddress", "Authenticator", "UserSession", "PastSignIn"})
"""Tables of the account itself, which all offices share."""
OTHER_STAFF_COLUMNS = ("arbiters", "organizer", "sealed_details", "held", "hash")
"""Columns about other people, or about nobody."""
FEDERATION_PATHS = {
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
def record_and_get_staff_data(*, federation: Federation, user: User, by: User | None, on: date) -> PlainRow:
    """Return all data of a present or past appointee, and record it; raises `Appointment.DoesNotExist`."""
    appointment = Appointment.objects.filter(federation=federation, user=user).latest("pk")
    decide(federation, kind="give-data", by=by, on=on, about=f"appointment {appointment.pk}")
    return get_staff_data(federation, user, on)


def get_staff_data(federation: Federation, user: User, on: date) -> PlainRow:
    """The data of an account, and this office's rows of each table that points to it."""
    data: PlainRow = {
        "about": ABOUT_STAFF.format(office=federation.name, email=user.email, day=on.isoformat()),
        "account": row_data(user, ("name",)),
    }
    for plural, field, rows in get_related_rows(user):
        if rows.model.__name__ not in ACCOUNT_TABLES:
            rows = rows.filter(**{FEDERATION_PATHS.get(rows.model.__name__, "federation"): federation})
        data[f"{plural} ({field})"] = [
            row_data(row, (field, *OTHER_STAFF_COLUMNS))
            | ({"words": row.words} if isinstance(row, Remark) else {})
            for row in rows
        ]
    return data
