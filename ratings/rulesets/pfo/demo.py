"""Gives the demo of Polish othello its seasons, one with a tie and a play-off. Its data: `demo.toml`."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from random import Random

from ratings.rulesets.demo import Person, PlayedSection
from ratings.rulesets.facts import Entry, Playoff, Section

HOME = "POL"
SEASON_BEGINS = 12
"""The month in which a season begins: it runs from December to November."""
SEASONS = 3
"""The number of whole seasons before the present one."""


def season_fields(day: date) -> dict[str, str]:
    """§17: the field `season_fields` of a section by its last day: a label of two years."""
    first = day.year - (day.month < SEASON_BEGINS)
    return {"season": f"{first}/{first + 1}"}


def record_start(today: date) -> date:
    """The first day of the demo's record, on which a season begins."""
    year = today.year - (today.month < SEASON_BEGINS)
    return date(year - SEASONS, SEASON_BEGINS, 1)


# ---- A season that ended in a tie
def rewrite_season_as_tie(
    rng: Random, played: list[PlayedSection], people: Mapping[str, Person]
) -> tuple[list[PlayedSection], list[Playoff]]:
    """§17: rewrite the season before the newest so that two players tie, and add their play-off."""
    labels = sorted({each.section.season or "" for each in played})
    if len(labels) < 2:
        return played, []
    label = labels[-2]
    sections = [each.section for each in played if each.section.season == label]
    one, other = players_to_tie(sections, people)
    rewritten = dict(tied_sections(sections, one, other))
    ends = [section.ends for section in sections if section.status == "mp"]
    if not ends:
        return played, []
    result = [each._replace(section=rewritten.get(each.section.id, each.section)) for each in played]
    return result, [Playoff(label, one, ends[-1])]


def players_to_tie(sections: Sequence[Section], people: Mapping[str, Person]) -> tuple[str, str]:
    """The ids of the two citizens who did best in these sections, and are to tie."""
    won: Counter[str] = Counter()
    for section in sections:
        for entry in section.entries:
            if people[entry.player].nation == HOME:
                won[entry.player] += (entry.place == 1) * 10 + ((entry.place or 99) < 4)
    (one, _n), (other, _m) = sorted(won.items(), key=lambda item: (-item[1], item[0]))[:2]
    return one, other


def tied_sections(sections: Sequence[Section], one: str, other: str) -> Iterator[tuple[str, Section]]:
    """The ids of a season's sections, and the sections rewritten so that two players have the same results.

    In each pair of Grand Prix tournaments, `one` wins the first and `other` the second, by the same games.
    They share third place in the championship, and play in no other section that gives points.
    """
    grand_prix = [section for section in sections if section.status == "gpp"]
    for first, second in zip(grand_prix[::2], grand_prix[1::2], strict=False):
        won = replace_players(first, {other}, second)
        won = give_place(won, one, entries_by_place(won)[0].player)
        yield first.id, won
        # `second` with its own players in the games of `won`, and `other` for the winner `one`
        losers = [entry.player for entry in entries_by_place(won) if entry.player != one]
        players = [entry.player for entry in entries_by_place(second) if entry.player not in (one, other)]
        players += [player for player in losers if player not in players and player != other]
        copy = rename_players(won, {one: other, **dict(zip(losers, players, strict=False))})
        second = replace(second, rounds=copy.rounds, games=copy.games, byes=copy.byes, entries=copy.entries)
        yield second.id, second
    if len(grand_prix) % 2:
        yield grand_prix[-1].id, replace_players(grand_prix[-1], {one, other}, grand_prix[0])
    for section in sections:
        if section.status == "mp":
            yield section.id, share_third_place(section, one, other)
        elif section.status == "egp" and section.country is None:
            yield section.id, replace_players(section, {one, other}, grand_prix[0])


def replace_players(section: Section, absent: set[str], others: Section) -> Section:
    """The section with each entrant in `absent` replaced by another player, of the section `others`."""
    here = {entry.player for entry in section.entries}
    free = [entry.player for entry in entries_by_place(others) if entry.player not in here | absent]
    return rename_players(section, dict(zip(sorted(absent & here), free, strict=False)))


def give_place(section: Section, player: str, place_of: str) -> Section:
    """The section with the two exchanged, or the player in the place of the other if not an entrant."""
    here = {entry.player for entry in section.entries}
    names = {player: place_of, place_of: player} if player in here else {place_of: player}
    return rename_players(section, names)


def share_third_place(section: Section, one: str, other: str) -> Section:
    third, fourth = [entry.player for entry in entries_by_place(section)][2:4]
    section = give_place(section, one, third)
    section = give_place(section, other, fourth if fourth != one else third)
    entries = tuple(
        replace(entry, place=3) if entry.player in (one, other) else entry for entry in section.entries
    )
    return replace(section, entries=entries)


def rename_players(section: Section, names: Mapping[str, str]) -> Section:
    """The section with other players in entries, games and byes; `names`: new ids by old ids."""

    def new(player: str) -> str:
        return names.get(player, player)

    return replace(
        section,
        entries=tuple(replace(entry, player=new(entry.player)) for entry in section.entries),
        games=tuple(g._replace(first=new(g.first), second=new(g.second)) for g in section.games),
        byes=tuple(bye._replace(player=new(bye.player)) for bye in section.byes),
    )


def entries_by_place(section: Section) -> list[Entry]:
    """The entries of a section sorted by place, the winner's first."""
    return sorted(section.entries, key=lambda entry: (entry.place or 0, entry.player))


HOOKS = {
    "demo": {"start": record_start},
    "events": {"of_day": season_fields, "retell": rewrite_season_as_tie},
}
