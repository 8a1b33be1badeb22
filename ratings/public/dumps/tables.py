"""The tables of an office's dump: their columns, and the rows that the public pages tell."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain, repeat
from typing import NamedTuple

from players.office.models import Federation
from players.register.models import Player
from ratings.journal.days_taken_over import DaysTakenOver
from ratings.law.translation_marks import gettext_noop as _
from ratings.lists.models import ListRow, RatingList
from ratings.public.api.told import named, number
from ratings.public.common.disclosure_limits import limits_of
from ratings.results.models import Change
from tournaments.events.models import Entry, Game, Section, Stage

AT_ONCE = 2_000
"""The number of rows that are read at once."""
Row = tuple[str | int | None, ...]


class Column(NamedTuple):
    name: str
    words: str
    whole: bool = False
    """Whether it holds whole numbers; else text, in which ratings keep every digit."""
    typed: bool = False
    """Whether somebody typed the text: a spreadsheet might take it for a formula."""


class Table(NamedTuple):
    name: str
    words: str
    rows: Callable[[Federation], Iterator[Row]]
    columns: tuple[Column, ...]


def _players(office: Federation) -> Iterator[Row]:
    limits = limits_of(office)
    people = Player.objects.of(office).select_related("region", "merged_into").order_by("number")
    for player in people.iterator(AT_ONCE):
        if player.merged_into:  # of the former entry only who stays is told
            yield player.number, None, None, "", "", "", player.merged_into.number
            continue
        region = player.region.code if player.region and not player.withheld else ""
        nation = "" if player.withheld else player.nation
        hidden = int(player.withheld or not player.name)
        yield player.number, named(player), hidden, limits.title(player), region, nation, None


def _sections(office: Federation) -> Iterator[Row]:
    rated = Section.objects.filter(event__federation=office, stage=Stage.RATED)
    rows = rated.order_by("event__number", "code").values_list(
        *("event__number", "code", "event__name", "name", "event__place", "event__region__code"),
        *("starts", "ends", "rated_on"),
    )
    for *words, starts, ends, rated_on in rows.iterator(AT_ONCE):
        yield *words, starts.isoformat(), ends.isoformat(), rated_on.isoformat() if rated_on else None


def _entries(office: Federation) -> Iterator[Row]:
    entries = Entry.objects.filter(section__event__federation=office, section__stage=Stage.RATED)
    rows = entries.exclude(player=None).order_by("section__event__number", "section__code", "number")
    found = rows.values_list(
        *("section__event__number", "section__code"),
        *("player__number", "player__merged_into__number", "place"),
    )
    for event, section, player, stays, place in found.iterator(AT_ONCE):
        yield event, section, stays or player, place


def _games(office: Federation) -> Iterator[Row]:
    games = Game.objects.filter(section__event__federation=office, section__stage=Stage.RATED)
    rows = games.order_by("section__event__number", "section__code", "order").values_list(
        *("section__event__number", "section__code", "order", "round"),
        *("first__player__number", "first__player__merged_into__number"),
        *("second__player__number", "second__player__merged_into__number", "result"),
    )
    for event, section, game, round_, first, first_stays, second, second_stays, result in rows.iterator(
        AT_ONCE
    ):
        yield event, section, game, round_, first_stays or first, second_stays or second, result


def _lists(office: Federation) -> Iterator[Row]:
    lists = RatingList.objects.of(office).without_content().select_related("fact", "supersedes")
    over = DaysTakenOver(office)
    for each in lists.defer("supersedes__content").order_by("on", "track", "revision").iterator(AT_ONCE):
        yield (
            *(each.on.isoformat(), each.track, each.revision),
            each.supersedes.revision if each.supersedes else None,
            *(each.players, each.fact.number, each.edition),
            *(each.program_version, each.program_sha256, each.sha256, each.published_at.isoformat()),
            taken_over.isoformat() if (taken_over := over.of_line(each.fact.number)) else None,
        )


def _list_rows(office: Federation) -> Iterator[Row]:
    """Cut from each list's published bytes: what is under its checksum is what the dump tells."""
    lists = RatingList.objects.of(office).order_by("on", "track", "revision")
    for key, on, track, revision in lists.values_list("pk", "on", "track", "revision"):
        content = bytes(RatingList.objects.values_list("content", flat=True).get(pk=key)).decode()
        ranked = ListRow.objects.filter(rating_list=key).order_by("position").values_list("rank", "previous")
        beside = chain(ranked.iterator(AT_ONCE), repeat((None, None)))
        for position, line in enumerate(content.splitlines(), start=1):
            player, rating, games = line.split(",")
            rank, previous = next(beside)
            yield (
                *(on.isoformat(), track, revision, position, rank),
                *(player, rating, number(previous), int(games)),
            )


def _ratings(office: Federation) -> Iterator[Row]:
    changes = Change.objects.filter(fact__federation=office).order_by(
        "fact__number", "track", "player__number"
    )
    rows = changes.values_list(
        *("player__number", "track", "fact__number", "fact__kind", "fact__on"),
        *("fact__section__event__number", "fact__section__code", "before", "points", "after", "games"),
    )
    for *words, on, event, section, before, points, after, games in rows.iterator(AT_ONCE):
        day = on.isoformat() if on else None
        yield *words, day, event, section, number(before), number(points), number(after), games


EVENT = Column("event", "number of the event, as in the address of its page", typed=True)
SECTION = Column("section", "code of the section within the event", typed=True)
TRACK = Column("track", "rating to which it belongs: otb-main, say, as in addresses of lists")
LIST = (
    Column("day", "day of the list (YYYY-MM-DD)"),
    TRACK,
    Column("revision", "1 for the list as first published, 2 and so on for lists published anew", whole=True),
)

TABLES = (
    Table(
        "players",
        _("everybody in the register, former entries of merged players too"),
        _players,
        (
            Column("number", "the player's number, for ever"),
            Column("name", "surname, first name; empty: asked not to be named, or not known", typed=True),
            Column("withheld", "1: no name is told, 0: it is; empty: a former entry", whole=True),
            Column("title", "title, as far as it is public", typed=True),
            Column("region", "code of the region"),
            Column("nation", "code of the nation, three letters"),
            Column("merged_into", "of a former entry: the number of the player who stays"),
        ),
    ),
    Table(
        "sections",
        _("sections that are rated now, each a tournament or a group of one"),
        _sections,
        (
            *(EVENT, SECTION),
            Column("event_name", "name of the event", typed=True),
            Column("section_name", "name of the section", typed=True),
            Column("place", "place of the event", typed=True),
            Column("region", "code of the region that filed it"),
            Column("starts", "first day of the section (YYYY-MM-DD)"),
            Column("ends", "last day of the section (YYYY-MM-DD)"),
            Column("rated_on", "day on which the office rated it (YYYY-MM-DD)"),
        ),
    ),
    Table(
        "entries",
        _("who took part in these sections, with the final place"),
        _entries,
        (
            *(EVENT, SECTION),
            Column("player", "number of the player; of a merged one, of the player who stays"),
            Column("place", "final place; players who share it have the same; empty: not told", whole=True),
        ),
    ),
    Table(
        "games",
        _("games of these sections, in their order; none where results are places alone"),
        _games,
        (
            *(EVENT, SECTION),
            Column("game", "place of the game in the section's order", whole=True),
            Column("round", "round, from 1", whole=True),
            Column("first", "number of the player who moved first; of a merged one, of the player who stays"),
            Column("second", "number of the other player"),
            Column("result", "as the journal writes it, the first player's side first: 1-0, say"),
        ),
    ),
    Table(
        "lists",
        _("published lists, each revision by itself"),
        _lists,
        (
            *LIST,
            Column("supersedes", "the revision that it replaced", whole=True),
            Column("players", "number of rows", whole=True),
            Column("line", "line of the journal that published it", whole=True),
            Column("edition", "edition of the regulations"),
            Column("program", "version of the program that drew it up"),
            Column("program_sha256", "SHA-256 of that program"),
            Column("sha256", "SHA-256 of its rows: player,rating,games and a line feed for each"),
            Column("published_at", "moment of publication (ISO 8601)"),
            Column("taken_over", "day on which it was computed afterwards, with a history; empty: published"),
        ),
    ),
    Table(
        "list_rows",
        _("the rows of these lists in their order, byte for byte as published"),
        _list_rows,
        (
            *LIST,
            Column("position", "place of the row in the list, from 1", whole=True),
            Column("rank", "rank; players who share it have the same", whole=True),
            Column("player", "number of the player, as it was then"),
            Column("rating", "rating in points, with every digit"),
            Column("previous", "rating on the list before; empty: not on it"),
            Column("games", "number of games that the list counts", whole=True),
        ),
    ),
    Table(
        "ratings",
        _("every change of a rating as it is known now, in the order of the journal"),
        _ratings,
        (
            Column("player", "number of the player"),
            TRACK,
            Column("line", "line of the journal that changed it", whole=True),
            Column("kind", "kind of that line: rated, opening, list and others"),
            Column("day", "day of that line (YYYY-MM-DD)"),
            *(EVENT, SECTION),
            Column("before", "rating before, in points; empty: none"),
            Column("points", "points won or lost"),
            Column("after", "rating after, in points"),
            Column("games", "number of games that were counted", whole=True),
        ),
    ),
)
"""All tables of a dump, in the order of its files."""
