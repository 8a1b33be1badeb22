"""§8, §12–§17: may a section be rated? The text asks little; places and citizens decide much."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from ratings.law.facts import PlayerId, Section
from ratings.law.filing_particulars import Filing
from ratings.law.rule_outputs import Finding, Level, Value
from ratings.law.ruleset_hooks import Requirement
from ratings.rulesets.pfo.edition_2009.rating import RATED
from ratings.rulesets.pfo.edition_2009.season_points import CHAMPIONSHIP, HOME

STATUSES = ("gpp", "mp", "egp", "woc")
FORMATS = ("swiss", "round-robin", "double-round-robin", "knockout", "match")
SEASON = re.compile(r"(\d{4})/(\d{4})")


def check(section: Section, filing: Filing) -> list[Finding]:
    """Check a filed section against the whole text: every finding, with what to do about each."""
    checks: tuple[Callable[[Section, Filing], Iterator[Finding]], ...] = (
        check_status,
        check_season,
        check_home,
        check_places,
        check_unrated_games,
        check_games,
        check_nations,
        check_sex,
    )
    return [finding for each in checks for finding in each(section, filing)]


def unrateable(section: Section) -> Finding | None:
    """The finding that no decision can mend: the section's kind or its season is not known."""
    blocking = (found for each in (check_status, check_season) for found in each(section, Filing()))
    return next((finding for finding in blocking if finding.level is Level.BLOCKS), None)


def check_status(section: Section, filing: Filing) -> Iterator[Finding]:
    """§8 §12: check that the kind of the tournament is known, as it decides what is rated and by
    which rule.
    """
    if section.status not in STATUSES:
        yield Finding("8", Level.BLOCKS, "no-status", where="status")


def check_season(section: Section, filing: Filing) -> Iterator[Finding]:
    """§17, D-PFO-9: check the label of the season, which has to be written the same each time, as it alone
    tells seasons apart.
    """
    if not section.season:
        yield Finding("17", Level.BLOCKS, "no-season", where="season")
        return
    years = SEASON.fullmatch(section.season)
    if years is None or int(years[2]) != int(years[1]) + 1:
        yield Finding("D-PFO-9", Level.NOTICE, "season-form", {"season": section.season}, "season")
    elif not int(years[1]) <= section.ends.year <= int(years[2]):
        found: dict[str, Value] = {"season": section.season, "ends": section.ends}
        yield Finding("D-PFO-9", Level.NOTICE, "season-days", found, "season")


def check_home(section: Section, filing: Filing) -> Iterator[Finding]:
    """§8 §15: check that a Grand Prix tournament or championship was held in Poland."""
    if section.status in RATED and section.country not in (None, HOME):
        yield Finding("8", Level.WAIVABLE, "held-abroad", {"country": section.country}, "country")


def check_places(section: Section, filing: Filing) -> Iterator[Finding]:
    """§16: check that everyone has a place, and each place is one more than the players before it; only part
    of the field of other tournaments may be filed.
    """
    places = [entry.place for entry in section.entries]
    for entry in section.entries:
        if entry.place is None:
            player = {"player": filing.name_of(entry.player)}
            yield Finding("16", Level.BLOCKS, "no-place", player, "places")
    if section.status not in RATED or None in places:
        return
    for place in sorted({place for place in places if place is not None}):
        before = sum(other < place for other in places if other is not None)
        if place != before + 1:
            found = {"place": place, "before": before}
            yield Finding("16", Level.WAIVABLE, "place-out-of-line", found, f"place {place}")


def check_unrated_games(section: Section, filing: Filing) -> Iterator[Finding]:
    """§12: note games of a European Grand Prix or World Championship: only their places count."""
    if section.status not in (*RATED, None) and section.games:
        yield Finding("12", Level.NOTICE, "games-not-rated", {"games": len(section.games)}, "games")


def check_games(section: Section, filing: Filing) -> Iterator[Finding]:
    """§9: check that a Grand Prix tournament or championship has a played game, without which no rating
    moves.
    """
    if section.status in RATED and not any(game.played for game in section.games):
        yield Finding("9", Level.WAIVABLE, "no-games", where="games")


def check_nations(section: Section, filing: Filing) -> Iterator[Finding]:
    """§14, D-6: note the players of no known nation, who are taken for foreigners."""
    unknown = [filing.name_of(player) for player, nation in nations(section, filing) if not nation]
    if unknown:
        yield Finding("14", Level.NOTICE, "nation-unknown", counted(unknown), "players")


def check_sex(section: Section, filing: Filing) -> Iterator[Finding]:
    """§preamble: note the players of a championship whose sex is not known: it has a winner among men and one
    among women (D-PFO-11).
    """
    if section.status != CHAMPIONSHIP:
        return
    unknown = [entrant.name for entrant in filing.entrants if entrant.decided and not entrant.sex]
    if unknown:
        yield Finding("preamble", Level.NOTICE, "sex-unknown", counted(unknown), "players")


def nations(section: Section, filing: Filing) -> Iterator[tuple[PlayerId, str | None]]:
    """The id and nation of the entrants of whom it is settled who they are: of the register, or new in it;
    None: not known.
    """
    for entry in section.entries:
        if entry.player in filing.particulars:
            yield entry.player, filing.particulars[entry.player].nation
    yield from ((entrant.player, entrant.nation) for entrant in filing.entrants if entrant.new)


def counted(names: list[str]) -> dict[str, Value]:
    return {"count": len(names), "players": "; ".join(names)}


REQUIREMENTS = (
    Requirement(("8",)),
    Requirement(("17", "D-PFO-9")),
    Requirement(("9", "12"), before_play=False),
    Requirement(("16",), before_play=False),
    Requirement(("14", "preamble"), before_play=False),
)
"""The list before play, in the order of an organizer's work."""
