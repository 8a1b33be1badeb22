"""Compares two entries of the register: particulars, signs of two people, and their opening ratings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import Q
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from players.office.models import Federation
from players.people.merging import entries_of as entries_of_register
from players.register.models import BirthDate, Player
from players.register.name_folding import fold
from players.templatetags.ui import rating
from ratings.journal.models import Fact
from ratings.law import facts, journal
from ratings.public.players.player_pages import entries_of
from tournaments.events.models import IN_RATED, Entry, Game

SECTIONS = 5
"""The number of newest rated sections that are named; of more only the number is told."""


@dataclass(frozen=True, slots=True)
class Particular:
    """A row of the table that compares two entries; `differs`: both have a value, and not the same."""

    label: str
    one: str
    other: str
    differs: bool = False


def side_by_side(player: Player, into: Player) -> list[Particular]:
    """The rows that compare two entries: particulars that either has, then their games and rated sections."""
    said = [
        (pgettext("of a person", "Name"), player.name, into.name),
        (_("Sex"), player.get_sex_display(), into.get_sex_display()),
        (_("Year of birth"), player.born, into.born),
        (_("Nation"), player.nation, into.nation),
        (_("Region"), player.region, into.region),
        (_("Title"), player.title, into.title),
        (_("Other ids"), _ids(player), _ids(into)),
    ]
    rows = [
        Particular(label, str(one or "–"), str(other or "–"), differs=bool(one and other and one != other))
        for label, one, other in said
        if one or other
    ]
    return [
        *rows,
        Particular(_("Games in rated sections"), str(_games(player)), str(_games(into))),
        Particular(_("Rated sections"), _sections(player), _sections(into)),
    ]


def _ids(player: Player) -> str:
    return ", ".join(str(each) for each in player.identifiers.order_by("kind", "value"))


def _games(player: Player) -> int:
    """The number of an entry's games as cross tables show them, forfeits and annulled ones included."""
    # Asked for a player, SQLite would walk through the games of all rated sections.
    own = list(Entry.objects.filter(player__in=entries_of_register(player)).values_list("pk", flat=True))
    return Game.objects.filter(IN_RATED, Q(first__in=own) | Q(second__in=own)).count()


def _sections(player: Player) -> SafeString | str:
    entries = entries_of(player)
    sections = [entry.section for entry in entries[:SECTIONS]]
    named = format_html_join(
        "",
        '<li><a href="{}">{}, {}</a><span class="sub">{}</span></li>',
        ((each.get_absolute_url(), each.event.name, each.name, each.ends.year) for each in sections),
    )
    more = entries.count() - len(sections)
    rest = format_html("<li>{}</li>", _("and %(number)s earlier") % {"number": more}) if more else ""
    return format_html('<ul class="plain-list">{}{}</ul>', named, rest) if sections else "0"


# ---------------------------------------------------------------- what speaks against one person


def differences(player: Player, into: Player) -> list[str]:
    """Signs that two entries are two people, or one is wrong: sentences on names, births and sexes."""
    return list(_differences(player, into))


def _differences(player: Player, into: Player) -> Iterator[str]:
    both = {"one": player.name, "other": into.name}
    yield from _different_ids(player, into)
    if fold(player.surname) != fold(into.surname):
        yield _("The surnames differ: %(one)s, and %(other)s.") % both
    if not _may_be_one(fold(player.first_name), fold(into.first_name)):
        yield _("The first names differ: %(one)s, and %(other)s.") % both
    if player.born and into.born and player.born != into.born:
        yield _("The years of birth differ: %(one)s, and %(other)s.") % {
            "one": player.born,
            "other": into.born,
        }
    elif len(set(BirthDate.objects.filter(player__in=(player, into)).values_list("day", flat=True))) > 1:
        yield _("The days of birth differ.")
    if player.sex and into.sex and player.sex != into.sex:
        sexes = {"one": player.get_sex_display(), "other": into.get_sex_display()}
        yield _("The sexes differ: %(one)s, and %(other)s.") % sexes
    for words, one, other in (
        (_("The nations differ: %(one)s, and %(other)s."), player.nation, into.nation),
        (_("The regions differ: %(one)s, and %(other)s."), player.region, into.region),
        (_("The titles differ: %(one)s, and %(other)s."), player.title, into.title),
    ):
        if one and other and one != other:
            yield words % {"one": one, "other": other}


def _different_ids(player: Player, into: Player) -> Iterator[str]:
    """Sentences on ids of one kind that the two entries have differently: a register gives nobody two."""
    labels = {kind.code: _(kind.label) for kind in into.federation.equipment.office.id_kinds}
    own, others = (dict(each.identifiers.values_list("kind", "value")) for each in (player, into))
    for kind in sorted(own.keys() & others.keys()):
        if own[kind] != others[kind]:
            yield _("%(id)s: one has %(one)s, the other %(other)s.") % {
                "id": labels.get(kind, kind),
                "one": own[kind],
                "other": others[kind],
            }


def _may_be_one(name: str, other: str) -> bool:
    """Whether two folded first names may be one: one begins with the other, as initials do, or is missing."""
    return name.startswith(other) or other.startswith(name)


# ---------------------------------------------------------------- ratings taken over


def openings(player: Player, into: Player) -> list[str]:
    """For each track in which both entries have an opening, a sentence on which counts after the merge: that
    of the entry that stays.
    """
    office = into.federation
    own, others = _openings(player), _openings(into)
    told = []
    for track in office.ruleset.tracks:
        if track.code in own and track.code in others:
            gives_way, holds = _words(own[track.code], office), _words(others[track.code], office)
            told.append(
                _("%(track)s: %(holds)s counts, and %(gives_way)s no longer counts")
                % {"track": _(track.name), "holds": holds, "gives_way": gives_way}
            )
    return told


def _openings(player: Player) -> dict[str, facts.Opening]:
    """The openings in force of an entry and of those merged into it, by track."""
    federation = player.federation
    subjects = [each.number for each in entries_of_register(player)]
    rows = Fact.objects.about(federation, subjects, "opening").in_force()
    found: dict[str, facts.Opening] = {}
    for _number, line in sorted(rows.values_list("number", "line")):
        fact = journal.parse_line(line, federation.ruleset)
        assert isinstance(fact, facts.Opening)
        found[fact.track] = fact
    return found


def _words(opening: facts.Opening, office: Federation) -> str:
    """An opening in words: `1031.9 with 229 games`."""
    games = ngettext("%(number)s game", "%(number)s games", opening.games) % {"number": opening.games}
    return _("%(rating)s with %(games)s") % {
        "rating": rating(opening.rating, office.publication.decimals),
        "games": games,
    }
