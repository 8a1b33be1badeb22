"""§1, §2: the effect of each fact: a section rated, a rating taken over, a rank confirmed."""

from __future__ import annotations

from ratings.law.facts import (
    Change,
    Entry,
    Fact,
    Needs,
    Opening,
    Outcome,
    PlayerId,
    Rank,
    RatedSection,
    Section,
    State,
)
from ratings.rulesets.ssdc.edition_2017.ranks import award_of, confirm, grounds, higher
from ratings.rulesets.ssdc.edition_2017.rate_games import EntrantSection, play, tracks_of
from ratings.rulesets.ssdc.law.standing import SsdcStanding, rounded


def needs(fact: Fact) -> frozenset[PlayerId] | Needs:
    """The players whose standings `apply` reads: a section's entrants, or the one whom another fact names."""
    if isinstance(fact, RatedSection):
        return frozenset(entry.player for entry in fact.section.entries)
    return frozenset((fact.fact.player,)) if isinstance(fact.fact, Opening | Rank) else frozenset()


def apply(state: State[SsdcStanding], fact: Fact) -> Outcome[SsdcStanding]:
    """The standings that a section, an opening or a confirmed rank moves; a list moves none."""
    if isinstance(fact, RatedSection):
        return Outcome(rate(state, fact.section))
    if isinstance(fact.fact, Opening):
        return Outcome([take_over(state, fact.fact)])
    if isinstance(fact.fact, Rank):
        return Outcome(list(take_rank(state, fact.fact)))
    return Outcome([])


def rate(state: State[SsdcStanding], section: Section) -> list[Change[SsdcStanding]]:
    """§1.3: the changes that a section makes: every entrant's standing in its track."""
    (track,) = tracks_of(section)
    cards = play(state, section)
    changes = []
    for entry in section.entries:
        card = cards[entry.player]
        points = None if card.before is None or card.before.rating is None else card.rating - card.start
        after = standing_after(state, section, entry, card)
        changes.append(Change(entry.player, track, card.before, after, points))
    return changes


def standing_after(
    state: State[SsdcStanding], section: Section, entry: Entry, card: EntrantSection
) -> SsdcStanding:
    """An entrant's standing after a section: the rating after the last game, the year of play (D-SSDC-9), and
    a new ground for a rank.
    """
    (track,) = tracks_of(section)
    before = card.before or SsdcStanding()
    years = {*before.years, section.ends.year} if card.moves else before.years
    held = award_of(state, entry.player)
    award = higher(grounds(section, track, card.rating, entry.place), held)
    return SsdcStanding(
        rating=card.rating,
        games=card.games,
        years=tuple(sorted(years)),
        award=before.award if award is held else award,
        confirmed=before.confirmed,
    )


def take_over(state: State[SsdcStanding], opening: Opening) -> Change[SsdcStanding]:
    """§4.1: the change by which a rating of the list before the record is taken over, with the rated games
    behind it.

    Those games count for K, and for the list as played on the opening's day; the rating is no ground for a
    rank until a tournament leaves it (D-SSDC-11).
    """
    before = state.get(opening.player, opening.track)
    after = (before or SsdcStanding())._replace(
        rating=rounded(opening.rating),
        games=opening.games,
        years=(opening.on.year,) if opening.games else (),
    )
    return Change(opening.player, opening.track, before, after, None)


def take_rank(state: State[SsdcStanding], rank: Rank) -> tuple[Change[SsdcStanding], ...]:
    """§2.5: the change that a confirmed rank makes; no rating moves. Empty where that rank or a higher one is
    held.
    """
    found = confirm(state, rank)
    if found is None:
        return ()
    track, after = found
    before = state.get(rank.player, track)
    unmoved = None if after.rating is None else after.rating - after.rating
    return (Change(rank.player, track, before, after, unmoved),)
