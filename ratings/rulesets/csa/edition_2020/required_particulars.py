"""§13, §14: the particulars required of the event, its section and its players.

Of a player, what the register knows need not be said again.
"""

from __future__ import annotations

from collections.abc import Iterator

from ratings.law.facts import Section
from ratings.law.filing_particulars import Entrant, Filing
from ratings.law.rule_outputs import Finding, Level, Value
from ratings.rulesets.csa.edition_2020.arbiters import names_of, words_in
from ratings.rulesets.csa.edition_2020.submission_days import fide_rated

WHOLE_DATE = len("2010-05-03")
DIGITS_OF_AN_ID = 5
"""The number of digits from which text is taken for an id or a telephone number, not a year or a street."""


def check_event(section: Section, filing: Filing) -> Iterator[Finding]:
    """§13.1 §13.2 §13.4: check that the event has a name, days in order and a host region."""
    if not section.event.strip() or not section.name.strip():
        yield Finding("13.1", Level.BLOCKS, "no-name", where="name")
    if section.ends < section.starts:
        params: dict[str, Value] = {"starts": section.starts, "ends": section.ends}
        yield Finding("13.2", Level.BLOCKS, "days-reversed", params, "ends")
    if not filing.region:
        yield Finding("13.4", Level.BLOCKS, "no-region", where="region")


def check_round_dates(section: Section, filing: Filing) -> Iterator[Finding]:
    """§13.3: check that every round has its day."""
    dated = {number for number, day in enumerate(filing.round_dates, 1) if day}
    undated = [str(number) for number in range(1, section.rounds + 1) if number not in dated]
    if undated:
        rounds = ", ".join(undated)
        yield Finding("13.3", Level.BLOCKS, "round-dates-missing", {"rounds": rounds}, "round-dates")


def check_organizer(section: Section, filing: Filing) -> Iterator[Finding]:
    """§13.5: check that the organizer is a person with an id, or a region with a way to reach it."""
    said = filing.organizer.strip()
    if not said:
        yield Finding("13.5", filing.incomplete(Level.BLOCKS), "no-organizer", where="organizer")
    elif "@" not in said and sum(c.isdigit() for c in said) < DIGITS_OF_AN_ID:
        yield Finding("13.5", filing.incomplete(), "organizer-unreachable", {"organizer": said}, "organizer")


def check_players_particulars(section: Section, filing: Filing) -> Iterator[Finding]:
    """§14.1: check that players of whom it is settled who they are have first name, birth, sex and FIDE id
    (§14.1.1 to §14.1.4); online (§14.2), the first three are asked of new players alone (§14.2.2).
    """
    known = [entrant for entrant in filing.entrants if entrant.decided]
    whole = [entrant for entrant in known if entrant.new or section.platform != "online"]
    asked = (  # §14.1.2 §14.1.3
        ("14.1.1", "first-names-missing", [e for e in whole if not has_first_name(e)]),
        ("14.1.2", "births-missing", [e for e in whole if len(e.birth) < WHOLE_DATE]),
        ("14.1.3", "sexes-missing", [e for e in whole if e.sex not in ("m", "f")]),
        ("14.1.4", "fide-ids-missing", [e for e in known if fide_rated(filing) and not e.fide_id]),
    )
    for clause, key, lacking in asked:
        if lacking:
            yield Finding(clause, filing.incomplete(), key, _players_and_names(lacking), "players")


def has_first_name(entrant: Entrant) -> bool:
    """§14.1.1: whether an entrant has a first name; initials alone are none."""
    return any(len(word) > 1 or not word.isascii() for word in words_in(entrant.first_name))


def check_players_regions(section: Section, filing: Filing) -> Iterator[Finding]:
    """§14.1.5: note the new players for whom no region was stated, who come under the host region."""
    new = [entrant for entrant in filing.entrants if entrant.new and not entrant.region]
    if new:
        yield Finding(
            "14.1.5",
            Level.NOTICE,
            "host-region",
            {**_players_and_names(new), "region": filing.region},
            "players",
        )


def check_handles(section: Section, filing: Filing) -> Iterator[Finding]:
    """§14.2.1: check that an online section gives the platform's name of each player of the register."""
    lacking = [e for e in filing.entrants if e.decided and not e.new and not e.handle]
    if section.platform == "online" and lacking:
        yield Finding(
            "14.2.1", filing.incomplete(), "handles-missing", _players_and_names(lacking), "players"
        )


def _players_and_names(entrants: list[Entrant]) -> dict[str, Value]:
    return {"players": len(entrants), "names": names_of(entrants)}
