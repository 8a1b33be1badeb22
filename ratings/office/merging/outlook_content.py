"""The content of an outlook on a merge: as it is kept, numbers and keys alone, and as its page shows it."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext as _

from players.office.models import Federation
from players.register.models import Player
from ratings.journal.players_by_number import named
from ratings.office.sections.further_effects_preview import RerateRow
from ratings.preview.compare_folds import FoldPreview, RatingMove
from ratings.preview.merging import MergePreview
from ratings.public.players.player_pages import entries_of
from ratings.public.players.player_ratings import ratings_in, ratings_of
from tournaments.events.models import Section


def as_kept(found: MergePreview, player: Player, into: Player, day: date) -> dict[str, Any]:
    """A preview as the row keeps it: no name stands in it, and ratings are text."""
    office = into.federation
    now = ratings_of(office, [player, into], day)
    then = {track.code: now.get((into.number, track.code)) for track in office.ruleset.tracks}
    then |= ratings_in(office, found.seen.state, into.number, day)
    ratings = {
        track.code: (
            now.get((player.number, track.code)),
            now.get((into.number, track.code)),
            then[track.code],
        )
        for track in office.ruleset.tracks
    }
    return {
        "unseen": found.seen.unseen,
        "sections": found.sections,
        "unstated": sorted(found.seen.unstated),
        "ratings": {code: [_text(each) for each in row] for code, row in ratings.items()},
        "rerated": [
            [
                each.fact.section_id,
                each.players,
                [[m.player.number, m.track, _text(m.now), _text(m.then)] for m in each.largest],
            ]
            for each in found.seen.rerated
            if each.fact.section_id
        ],
    }


def as_shown(kept: dict[str, Any], player: Player, into: Player) -> dict[str, Any]:
    """The context of the part that tells of a kept preview."""
    office = into.federation
    numbers = {move[0] for _section, _players, moves in kept["rerated"] for move in moves}
    people = named(office, {*numbers, *kept["unstated"]})
    tracks = {track.code: _(track.name) for track in office.ruleset.tracks}
    keys = [each[0] for each in kept["rerated"]]
    sections = Section.objects.select_related("event__federation").in_bulk(keys)
    rows = [
        (key, _row(office, sections[key], players, [(tracks[m[1]], _move(m, people)) for m in moves]))
        for key, players, moves in kept["rerated"]
        if key in sections
    ]
    own = {entry.section_id for each in (player, into) for entry in entries_of(each)}
    ratings = [(tracks[code], *map(_number, row)) for code, row in kept["ratings"].items() if code in tracks]
    unstated = [people[number] for number in kept["unstated"] if number in people]
    return {
        "seen": FoldPreview(unseen=kept["unseen"]),
        "sections": kept["sections"],
        "unstated": sorted(unstated, key=lambda each: (each.sort_key, each.number)),
        "rerated": [row for key, row in rows if key in own],
        "others": [row for key, row in rows if key not in own],
        "ratings": [row for row in ratings if any(rating is not None for rating in row[1:])],
    }


def _row(
    office: Federation, section: Section, players: int, largest: list[tuple[str, RatingMove]]
) -> RerateRow:
    url = f"{office.get_absolute_url()}events/{section.key}/"
    return RerateRow(f"{section.event.name}, {section.name}", url, players, largest)


def _move(kept: list[Any], people: dict[str, Player]) -> RatingMove:
    number, track, now, then = kept
    return RatingMove(people[number], track, _number(now), _number(then))


def _text(rating: Decimal | None) -> str | None:
    return None if rating is None else str(rating)


def _number(text: str | None) -> Decimal | None:
    return None if text is None else Decimal(text)
