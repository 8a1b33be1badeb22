"""The games that a report is about: what one entry played in one round, named with players and result."""

from __future__ import annotations

from django.db.models import Q
from django.utils.translation import gettext as _

from players.register.models import Player
from tournaments.events.models import Entry, Game, Section, Stage


def games_of(section: Section, round_: int, entry: Entry) -> list[Game]:
    """The games of an entry in a round of a rated section, as its page shows them; none of any other."""
    if section.stage != Stage.RATED:
        return []
    people = ("first__player__merged_into", "second__player__merged_into")
    own = section.games.filter(Q(first=entry) | Q(second=entry), round=round_)
    return list(own.select_related(*people))


def entry_of(section: Section, player: Player) -> Entry | None:
    """The entry of a player in a section, or of who was merged into them."""
    return section.entries.filter(Q(player=player) | Q(player__merged_into=player)).first()


def words_of(section: Section, game: Game) -> str:
    """A game in words: `Round 3: Nkosi, Anna – Botha, Jan, 1–0`. Who asked not to be named is not."""
    marks = section.event.federation.publication.notation.marks[game.result]
    return _("Round %(round)s: %(first)s – %(second)s, %(result)s") % {
        "round": game.round,
        "first": _name(game.first),
        "second": _name(game.second),
        "result": "–".join(marks),
    }


def _name(entry: Entry) -> str:
    player = entry.player and (entry.player.merged_into or entry.player)
    return player.shown_name if player else entry.name
