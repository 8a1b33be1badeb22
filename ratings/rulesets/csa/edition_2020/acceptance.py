"""The checks of a filed section: whether it may be rated, with every finding."""

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from itertools import combinations
from typing import NamedTuple

from ratings.rulesets.csa.edition_2020.formulas import (
    LEAST_MINUTES,
    TRACK_PREFIXES,
    fastest_minutes,
    is_abroad,
)
from ratings.rulesets.csa.parameters import NUMBERS
from ratings.rulesets.facts import (
    ANNULLED,
    HALVES,
    Arbiter,
    Deadline,
    Entrant,
    Filing,
    Finding,
    Level,
    PlayerId,
    Section,
    Value,
)
from ratings.rulesets.ruleset import Requirement

# ---- §10, §18, §60–§62: deadlines, in calendar days of the office (D-CSA-16)
DAYS_TO_FILE = NUMBERS.whole("62.days")  # §62
DAYS_TO_FILE_ABROAD = NUMBERS.whole("10.days")  # §10
DAYS_TO_ASK = NUMBERS.whole("18.days")  # §18
DAYS_TO_REGISTER = {  # §61.1 §61.2
    "": ("61.1", NUMBERS.whole("61.1.days")),
    "norm": ("61.2", NUMBERS.whole("61.2.norms")),
    "non-norm": ("61.2", NUMBERS.whole("61.2.without-norms")),
}
"""The clause and the days before the start by which an event must be registered, by `fide_rating_kind`."""


def fide_rating_kind(filing: Filing) -> str:
    """Whether the section is FIDE rated, by the region's answer: `norm`, `non-norm`, or empty for not."""
    answer = str(filing.said.get("fide_rated") or "")
    return answer if answer in DAYS_TO_REGISTER else ""


def event_first_day(section: Section, filing: Filing) -> date:
    return filing.event_starts or section.starts


def event_last_day(section: Section, filing: Filing) -> date:
    return filing.event_ends or section.ends


def deadlines(section: Section, filing: Filing) -> list[Deadline]:
    """§10 §18 §61 §62: the deadlines of registering an event, asking for permission and filing results."""
    ends = event_last_day(section, filing)
    if is_abroad(section):
        return [Deadline("10", "due-results", ends + timedelta(DAYS_TO_FILE_ABROAD), filing.handed_in)]
    clause, needed = DAYS_TO_REGISTER[fide_rating_kind(filing)]
    registration = event_first_day(section, filing) - timedelta(needed)
    return [
        Deadline(clause, "due-registration", registration, filing.registered),
        Deadline(
            "18", "due-asking", last_day_to_ask(section, filing), permission_asked_day(filing), binding=False
        ),
        Deadline("62", "due-results", ends + timedelta(DAYS_TO_FILE), filing.handed_in),
    ]


def permission_asked_day(filing: Filing) -> date | None:
    """§18: the day on which the region asked for permission, or else handed the results in."""
    return filing.asked.get("18") or filing.handed_in


def check_registered_in_time(section: Section, filing: Filing) -> Iterator[Finding]:
    """§61: check that the event was registered in time, unless it is abroad (§10)."""
    if is_abroad(section) or filing.registered is None:
        return
    clause, needed = DAYS_TO_REGISTER[fide_rating_kind(filing)]
    last = event_first_day(section, filing) - timedelta(needed)
    if filing.registered > last:
        params: dict[str, Value] = {"registered": filing.registered, "last": last, "needed": needed}
        yield Finding(clause, filing.late(), "registered-late", params, "registered")


def check_filing_days(section: Section, filing: Filing) -> Iterator[Finding]:
    """§62: check that the file came after the section, and within 14 days of the event (D-CSA-22)."""
    if is_abroad(section):
        return
    ends = event_last_day(section, filing)
    if filing.handed_in and filing.handed_in > ends + timedelta(DAYS_TO_FILE):
        yield _late("62", "filed-late", filing.handed_in, ends, DAYS_TO_FILE, filing)
    if filing.filed and filing.filed < section.ends:
        params: dict[str, Value] = {"filed": filing.filed, "ends": section.ends}
        yield Finding("62", filing.late(), "filed-early", params, "ends")


def check_abroad(section: Section, filing: Filing) -> Iterator[Finding]:
    """§10: note who is rated abroad (D-CSA-18); check that it is FIDE rated and in time (D-CSA-16)."""
    if not is_abroad(section):
        return
    yield Finding("10", Level.NOTICE, "abroad", {"country": section.country}, "country")
    if not fide_rating_kind(filing):
        yield Finding("10", Level.WAIVABLE, "abroad-not-fide-rated", where="fide_rated")
    ends = event_last_day(section, filing)
    if filing.handed_in and filing.handed_in > ends + timedelta(DAYS_TO_FILE_ABROAD):
        yield _late("10", "abroad-late", filing.handed_in, ends, DAYS_TO_FILE_ABROAD, filing)


def last_day_to_ask(section: Section, filing: Filing) -> date:
    """§18: the last day to ask the Bureau for permission for fewer players or rounds."""
    return event_last_day(section, filing) + timedelta(DAYS_TO_ASK)


def check_sent_by_region(section: Section, filing: Filing) -> Iterator[Finding]:
    """§60: check that the host region's administrator sent the file; from abroad, players do (§10)."""
    if filing.by_region is False and not is_abroad(section):
        yield Finding("60", filing.incomplete(), "not-by-the-region", {"region": filing.region}, "region")


def _late(clause: str, key: str, day: date, ends: date, allowed: int, filing: Filing) -> Finding:
    params: dict[str, Value] = {"filed": day, "last": ends + timedelta(allowed), "allowed": allowed}
    return Finding(clause, filing.late(), key, params, "filed")


# ---- §6, §8, §15: arbiters
ARBITERS_FIELD = "arbiters"


def check_arbiters(section: Section, filing: Filing) -> Iterator[Finding]:
    """§6 §15.1 §15.2 §15.3 §15.4: check that there is an arbiter, and that each is named once and has a name,
    an id (FIDE's, if the section is FIDE rated) and a title.
    """
    if not filing.arbiters:
        yield Finding("6", filing.incomplete(Level.BLOCKS), "no-arbiter", where=ARBITERS_FIELD)
    fide = bool(fide_rating_kind(filing))
    id_key = "arbiter-fide-id" if fide else "arbiter-id"
    required = (
        ("15.1", "arbiter-name", [a for a in filing.arbiters if len(normalized_words(a.name)) < 2]),
        ("15.2", id_key, [a for a in filing.arbiters if not a.id or (fide and a.in_register)]),
        ("15.3", "arbiter-title", [a for a in filing.arbiters if not a.title]),
    )
    for clause, key, lacking in required:
        if lacking:
            names = "; ".join(arbiter.name for arbiter in lacking)
            yield Finding(clause, filing.incomplete(), key, {"names": names}, ARBITERS_FIELD)
    for one, other in combinations(filing.arbiters, 2):
        if same_arbiter(one, other):
            yield Finding(
                "15.4", filing.incomplete(), "arbiter-twice", {"arbiter": other.name}, ARBITERS_FIELD
            )


def check_arbiters_play(section: Section, filing: Filing) -> Iterator[Finding]:
    """§8: check that no arbiter plays in any section of the event, unless it is a club event."""
    if filing.said.get("club"):
        return
    for arbiter in filing.arbiters:
        for entrant in (*filing.entrants, *filing.elsewhere):
            if is_arbiter(entrant, arbiter):
                params: dict[str, Value] = {
                    "arbiter": arbiter.name,
                    "player": entrant.name,
                    "section": entrant.section,
                }
                yield Finding("8", Level.WAIVABLE, "arbiter-plays", params, ARBITERS_FIELD)


def is_arbiter(entrant: Entrant, arbiter: Arbiter) -> bool:
    """Whether the ids are the same, or the names are while the ids cannot be compared."""
    own = entrant.player if not entrant.new and entrant.decided else ""
    if arbiter.id and arbiter.id in (own, entrant.fide_id):
        return True
    comparable = own if arbiter.in_register else entrant.fide_id
    return can_be_same_name(arbiter.name, entrant.name) and not (arbiter.id and comparable)


def same_arbiter(one: Arbiter, other: Arbiter) -> bool:
    if one.id and other.id:
        return one.id == other.id
    return can_be_same_name(one.name, other.name)


def normalized_words(name: str) -> frozenset[str]:
    """The words of a name in lower case without accents, to compare names by."""
    plain = unicodedata.normalize("NFKD", name.casefold())
    letters = (c if c.isalnum() else " " for c in plain if not unicodedata.combining(c))
    return frozenset("".join(letters).split())


def can_be_same_name(one: str, other: str) -> bool:
    """Whether two names may be one person's: the longer has all words of the shorter, two at least."""
    shorter, longer = sorted((normalized_words(one), normalized_words(other)), key=len)
    return len(shorter) > 1 and shorter <= longer


# ---- §13, §14: required particulars, save those of players that the register knows
WHOLE_DATE_LENGTH = len("2010-05-03")
LEAST_ID_DIGITS = 5
"""The number of digits from which a text has an id or a telephone number, not just a year."""


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
    """§13.3: check that every round has a date."""
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
    elif "@" not in said and sum(c.isdigit() for c in said) < LEAST_ID_DIGITS:
        yield Finding("13.5", filing.incomplete(), "organizer-unreachable", {"organizer": said}, "organizer")


def find_missing_particulars(section: Section, filing: Filing) -> Iterator[Finding]:
    """§14.1: check that identified players have first name, birth, sex and FIDE id (§14.1.1 to §14.1.4);
    online (§14.2), the first three are required of new players alone (§14.2.2).
    """
    known = [entrant for entrant in filing.entrants if entrant.decided]
    whole = [entrant for entrant in known if entrant.new or section.platform != "online"]
    required = (  # §14.1.2 §14.1.3
        ("14.1.1", "first-names-missing", [e for e in whole if not has_first_name(e)]),
        ("14.1.2", "births-missing", [e for e in whole if len(e.birth) < WHOLE_DATE_LENGTH]),
        ("14.1.3", "sexes-missing", [e for e in whole if e.sex not in ("m", "f")]),
        ("14.1.4", "fide-ids-missing", [e for e in known if fide_rating_kind(filing) and not e.fide_id]),
    )
    for clause, key, lacking in required:
        if lacking:
            yield Finding(clause, filing.incomplete(), key, _players_and_names(lacking), "players")


def has_first_name(entrant: Entrant) -> bool:
    """§14.1.1: whether an entrant has a first name, not just initials."""
    return any(len(word) > 1 or not word.isascii() for word in normalized_words(entrant.first_name))


def check_players_regions(section: Section, filing: Filing) -> Iterator[Finding]:
    """§14.1.5: note the new players without a region, who come under the host region."""
    new = [entrant for entrant in filing.entrants if entrant.new and not entrant.region]
    if new:
        params = {**_players_and_names(new), "region": filing.region}
        yield Finding("14.1.5", Level.NOTICE, "host-region", params, "players")


def check_handles(section: Section, filing: Filing) -> Iterator[Finding]:
    """§14.2.1: check that online the names on the platform of registered players are known."""
    lacking = [e for e in filing.entrants if e.decided and not e.new and not e.handle]
    if section.platform == "online" and lacking:
        params = _players_and_names(lacking)
        yield Finding("14.2.1", filing.incomplete(), "handles-missing", params, "players")


def _players_and_names(entrants: list[Entrant]) -> dict[str, Value]:
    """The number of entrants, and the names of three of them, for a message."""
    names = [entrant.name for entrant in entrants]
    return {"players": len(names), "names": "; ".join(names[:3] + ["…"] * (len(names) > 3))}


# ---- §17–§24: the section itself
PERMISSION_CLAUSE = "18"  # §18
ROUNDS_WITH_PERMISSION = NUMBERS.whole("18.rounds")  # §18, D-CSA-14


class RequiredSize(NamedTuple):
    """The least numbers of players and rounds for a kind of section, and their clause."""

    clause: str
    players: int
    rounds: int
    rounds_with_permission: int = ROUNDS_WITH_PERMISSION


_SIZES = [RequiredSize(*row) for row in NUMBERS.rows("17.size")]
USUAL_SIZE, DOUBLE_ROUND_ROBIN_SIZE, SCHEVENINGEN_SIZE, _LAST_SIZE = _SIZES  # §17.1 §17.2 §17.3
DISABLED_SIZE = _LAST_SIZE._replace(rounds_with_permission=_LAST_SIZE.rounds)  # §17.4

FORMATS = ("swiss", "round-robin", "double-round-robin", "scheveningen")


def check(section: Section, filing: Filing) -> list[Finding]:
    """Check a filed section against the whole text, and return every finding."""
    return [finding for each in CHECKS for finding in each(section, filing)]


def find_unrateable_reason(section: Section) -> Finding | None:
    """§19 §23 §24: the finding that no official can waive: time or platform not known, or too fast."""
    findings = [*check_time_control(section, Filing()), *check_platform(section, Filing())]
    return findings[0] if findings else None


def check_time_control(section: Section, filing: Filing) -> Iterator[Finding]:
    """§19 §22 §23: check that the time control is given, and not too fast."""
    if not section.time_controls:
        yield Finding("19", Level.BLOCKS, "no-time-control", where="time_controls")
        return
    minutes = fastest_minutes(section)
    if minutes < LEAST_MINUTES:
        yield Finding("23", Level.BLOCKS, "too-fast", {"minutes": minutes}, "time_controls")


def check_platform(section: Section, filing: Filing) -> Iterator[Finding]:
    """§24: check that the platform is given."""
    if section.platform not in TRACK_PREFIXES:
        yield Finding("24", Level.BLOCKS, "no-platform", where="platform")


def check_format(section: Section, filing: Filing) -> Iterator[Finding]:
    """§17: check that the section's format is rated; for players with a disability, any is."""
    if section.format not in FORMATS and not section.disabled:
        yield Finding("17", Level.BLOCKS, "format-not-rated", {"format": section.format}, "format")


def required_size(section: Section) -> RequiredSize:
    """§17.1 §17.2 §17.3 §17.4: the players and rounds that a section of its kind needs."""
    if section.disabled:
        return DISABLED_SIZE
    if section.format == "scheveningen":
        return SCHEVENINGEN_SIZE
    return (
        DOUBLE_ROUND_ROBIN_SIZE if section.format == "double-round-robin" and not section.team else USUAL_SIZE
    )


def check_player_count(section: Section, filing: Filing) -> Iterator[Finding]:
    """§17 §18: check that enough players played a game, or that the Bureau permitted fewer (D-CSA-14).

    Players who withdrew before the start do not count (§18).
    """
    if PERMISSION_CLAUSE in filing.permissions:
        return
    size = required_size(section)
    played = [game for game in section.games if game.result in HALVES]
    playing = {game.first for game in played} | {game.second for game in played}
    if size is SCHEVENINGEN_SIZE:
        yield from check_teams(section, filing, playing)
    elif len(playing) < size.players:
        last = last_day_to_ask(section, filing)
        found: dict[str, Value] = {"players": len(playing), "needed": size.players, "last": last}
        yield Finding(size.clause, Level.WAIVABLE, "too-few-players", found, "players")


def check_teams(section: Section, filing: Filing, players_with_game: set[PlayerId]) -> Iterator[Finding]:
    """§17.3: check that there are teams, each with enough players who played a game, those in
    `players_with_game`.
    """
    size = SCHEVENINGEN_SIZE
    teamless = sum(not entry.team for entry in section.entries)
    if teamless or len({entry.team for entry in section.entries}) < 2:
        yield Finding(size.clause, Level.BLOCKS, "no-teams", {"players": teamless}, "team")
        return
    teams = Counter({entry.team or "": 0 for entry in section.entries})
    teams.update(entry.team or "" for entry in section.entries if entry.player in players_with_game)
    for team, players in sorted(teams.items()):
        if players < size.players:
            found: dict[str, Value] = {"team": team, "players": players, "needed": size.players}
            found["last"] = last_day_to_ask(section, filing)
            yield Finding(size.clause, Level.WAIVABLE, "too-few-in-team", found, f"team {team}")


def check_enough_rounds(section: Section, filing: Filing) -> Iterator[Finding]:
    """§17 §18: check that enough rounds have a result; with permission 5, or 4 under §17.4 (D-CSA-14)."""
    size = required_size(section)
    played = {game.round for game in section.games if game.result != ANNULLED}
    rounds = sum(not section.rounds or round_ <= section.rounds for round_ in played)
    if rounds < size.rounds_with_permission:
        found: dict[str, Value] = {
            "rounds": rounds,
            "needed": size.rounds,
            "least": size.rounds_with_permission,
        }
        yield Finding(size.clause, Level.BLOCKS, "far-too-few-rounds", found, "rounds")
    elif rounds < size.rounds and PERMISSION_CLAUSE not in filing.permissions:
        found = {"rounds": rounds, "needed": size.rounds, "last": last_day_to_ask(section, filing)}
        yield Finding(size.clause, Level.WAIVABLE, "too-few-rounds", found, "rounds")


def check_asked_in_time(section: Section, filing: Filing) -> Iterator[Finding]:
    """§18: check that permission for too few players or rounds was asked for in time, or that the results
    came while the Bureau could still be asked.
    """
    day = permission_asked_day(filing)
    if day is None or day <= last_day_to_ask(section, filing):
        return
    short = [*check_player_count(section, filing), *check_enough_rounds(section, filing)]
    if any(finding.level == Level.WAIVABLE for finding in short):
        yield _late("18", "asked-late", day, event_last_day(section, filing), DAYS_TO_ASK, filing)


CHECKS: tuple[Callable[[Section, Filing], Iterator[Finding]], ...] = (
    check_time_control,
    check_platform,
    check_format,
    check_player_count,
    check_enough_rounds,
    check_asked_in_time,
    check_abroad,
    check_registered_in_time,
    check_filing_days,
    check_sent_by_region,
    check_event,
    check_round_dates,
    check_organizer,
    check_arbiters,
    check_arbiters_play,
    find_missing_particulars,
    check_players_regions,
    check_handles,
)

REQUIREMENTS = (
    Requirement(("61", "61.1", "61.2")),
    Requirement(("13.1",)),
    Requirement(("13.2",)),
    Requirement(("13.4",)),
    Requirement(("13.5",)),
    Requirement(("6",)),
    Requirement(("15", "15.1", "15.2", "15.3", "15.4")),
    Requirement(("17",)),
    Requirement(("19",)),
    Requirement(("23",), reads=("time_controls",)),
    Requirement(("24",)),
    Requirement(("17.1", "17.2", "17.3", "17.4"), before_play=False),
    Requirement(("8",), before_play=False),
    Requirement(("13.3",), before_play=False),
    Requirement(("14", "14.1.1", "14.1.2", "14.1.3", "14.1.4", "14.1.5", "14.2.1"), before_play=False),
    Requirement(("62", "10"), before_play=False),
)
"""The list before play, in the order of an organizer's work."""
