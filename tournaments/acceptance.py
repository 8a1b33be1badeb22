"""Acceptance of a section: the findings and open questions before its submission, checked after each change.

Questions are answered by the details form, by another file, or on the players' page; further findings come
from the ruleset in force.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from datetime import date
from decimal import Decimal, localcontext
from typing import Any

from django.db.models import Max, QuerySet

from players.models import Appointment, Player, Role
from players.register import player_fact
from ratings.rulesets import facts
from ratings.rulesets.facts import ANNULLED, Arbiter, Entrant, Field, Filing
from ratings.rulesets.journal_lines import SEVERAL_A_ROUND
from ratings.rulesets.profile import equipment_of
from ratings.rulesets.ruleset import CONTEXT, Ruleset
from tournaments.matching import FIDE, get_ids, get_platform_id_kinds, is_nameless
from tournaments.models import Entry, Event, Finding, Game, Section, Upload
from tournaments.sections import (
    build_deadline_filing,
    entries_with_players,
    find_admission_before_play,
    section_fact,
)

# ---- The filing that acceptance reads beside the section
NATION = re.compile(r"[A-Z]{3}")


def build_filing(
    section: Section, entries: Sequence[Entry] | None = None, *, on: date | None = None
) -> Filing:
    """Gather what acceptance reads beside a section. `entries`: its `entries_with_players`, if loaded; `on`:
    the day of its submission.
    """
    event = section.event
    entries = entries_with_players(section) if entries is None else entries
    others = event.sections.exclude(pk=section.pk) if event.arbiters else Section.objects.none()
    admitted = find_admission_before_play(section)
    held = section.uploads.held()
    days = build_deadline_filing(section)
    return replace(
        days,
        handed_in=days.handed_in or on or (held.on if held else None),
        round_dates=tuple(date.fromisoformat(day) if day else None for day in section.round_dates),
        by_region=_by_region(section, held),
        organizer=event.organizer,
        arbiters=tuple(get_arbiters(event)),
        entrants=tuple(build_entrant(entry) for entry in entries),
        elsewhere=tuple(build_entrant(entry) for other in others for entry in entries_with_players(other)),
        particulars={e.player.number: _public_player(e.player) for e in entries if e.player},
        declared=declared_section_fact(section, admitted) if admitted else None,
    )


def _public_player(player: Player) -> facts.Player:
    return replace(player_fact(player), name=player.shown_name)


def declared_section_fact(section: Section, admission: Mapping[str, Any]) -> facts.Section:
    """The section as declared when it was admitted before play. `admission`: that permission."""
    then = copy(section)
    for name, value in admission["declared"].items():
        setattr(then, name, value)
    return section_fact(then, draft=True)


def _by_region(section: Section, upload: Upload | None) -> bool | None:
    """Whether a regional administrator of the host region filed it; None if unknown."""
    if upload is None or upload.by is None:
        return None
    own = Appointment.objects.filter(user=upload.by, role=Role.REGIONAL, region=section.event.region)
    return own.on(upload.on).exists()


def get_arbiters(event: Event) -> list[Arbiter]:
    ids = [arbiter["id"] for arbiter in event.arbiters if arbiter.get("id")]
    register = Player.objects.of(event.federation).filter(number__in=ids) if ids else Player.objects.none()
    numbers = set(register.values_list("number", flat=True))
    return [
        Arbiter(a["name"], a.get("title", ""), a.get("id", ""), in_register=a.get("id") in numbers)
        for a in event.arbiters
    ]


def build_entrant(entry: Entry) -> Entrant:
    """An entrant as in the register, else as filed; the birth is the more precise of the two."""
    player = entry.player
    known = [(id_.kind, id_.value) for id_ in player.identifiers.all()] if player else []
    ids = dict([*get_ids(entry), *known])
    platforms = get_platform_id_kinds(entry.section.event.federation.ruleset)
    return Entrant(
        player=player.number if player else f"#{entry.number}",
        surname=player.surname if player else entry.surname,
        first_name=(player.first_name if player else "") or entry.first_name,
        birth=max(_births(entry), key=len),
        sex=(player.sex if player else "") or entry.sex,
        nation=(player.nation if player else "") or get_filed_nation(entry),
        fide_id=ids.get(FIDE, ""),
        handle=next((value for kind, value in sorted(ids.items()) if kind in platforms), ""),
        new=entry.match == Entry.Match.NEW,
        region=entry.region.code if entry.region else "",
        decided=player is not None or entry.match == Entry.Match.NEW,
        section=entry.section.code,
    )


def _births(entry: Entry) -> list[str]:
    """The births of an entry: in the register, if there is a player, and in the file."""
    if entry.player is None:
        return [entry.birth]
    day = getattr(entry.player, "birth_date", None)
    return [day.day.isoformat() if day else str(entry.player.born or ""), entry.birth]


def get_filed_nation(entry: Entry) -> str:
    """The nation that the file gives an entry; empty if it is a region's code, as some programs write."""
    nation, federation = entry.federation.upper(), entry.section.event.federation
    # An office of one region may call it by the country's code.
    regions = {code for code, _name in federation.region_names} - {federation.ruleset.country}
    return nation if NATION.fullmatch(nation) and nation not in regions else ""


# ---- The check
NAMES_SHOWN = 3
SUSPICIOUS_FROM = 6
"""If none of so many players is in the register, the file may be another event's."""
NO_PERSON_KEYS = ("placement-substitutes",)
"""Findings of a reader about rows that are no single person."""
SAME_GAME = "same-game-twice"
"""A notice that a person has to check before the section is submitted."""
PLACEMENT = "placement"
"""The format of play with places only."""
OFFICIALS = ("organizer", "arbiters")
"""Places of the details form that rules may require although the form does not."""


def recheck(section: Section, on: date | None = None) -> None:
    """Check a section again and replace all findings but the reader's. Reasons of waivers stay; what the
    office permitted is waived. `on`: the day of its submission.

    While the file itself must be corrected, only the players are asked about, as the next file may answer the
    rest.
    """
    replace_computed_findings(section, compute_findings(section, section.findings.all(), on))


def compute_findings(
    section: Section, earlier_findings: Iterable[Finding], on: date | None = None
) -> list[Finding]:
    """All findings beside the reader's, as `recheck` stores them. `earlier_findings`: findings whose reasons
    stay.
    """
    reasons = {
        finding_key(finding): finding.waived_because for finding in earlier_findings if finding.waived_because
    }
    found, permitted = compute_raw_findings(section, on), get_permission_waivers(section)
    for finding in found:
        waived = permitted.get(finding.key, "") if finding.level == "waivable" else ""
        finding.waived_because = reasons.get(finding_key(finding), waived)
    return found


def replace_computed_findings(section: Section, found: Iterable[Finding]) -> None:
    """Replace all stored findings but the reader's."""
    section.findings.exclude(source="file").delete()
    Finding.objects.bulk_create(found)


def compute_raw_findings(section: Section, on: date | None = None) -> list[Finding]:
    """All findings beside the reader's, without reasons of waivers. `on`: as in `recheck`."""
    if not section.entries.exists():
        return []
    if section.findings.filter(source="file", level="blocks").exists():
        return list(check_players(section))  # answers about players stay for the next file
    asked = [*check_section_details(section), *check_play(section), *check_players(section)]
    places = {finding.where: finding for finding in asked if finding.where}
    found = [*asked]
    for finding in rule_findings(section, on):
        # A field that the form asks for anyway gets no second finding.
        if finding.where not in places:
            found.append(finding)
        elif not places[finding.where].clause:
            places[finding.where].clause = finding.clause
    return found


def add_submission_findings(section: Section, on: date) -> None:
    """Store what a submission on that day adds to the findings; what the office permitted is waived."""
    noted = {finding_key(finding) for finding in section.findings.all()}
    Finding.objects.bulk_create(
        each for each in compute_findings(section, (), on) if finding_key(each) not in noted
    )


def get_permission_waivers(section: Section) -> dict[str, str]:
    """The reasons of granted permissions, by the key of the findings that they waive."""
    granted = {each["clause"]: each["reason"] for each in section.permissions if each["clause"]}
    permits = section.event.federation.equipment.office.powers.permits
    return {
        key: granted[permit.clause] for permit in permits if permit.clause in granted for key in permit.waives
    }


def finding_key(finding: Finding) -> tuple[str, ...]:
    """What identifies a finding, whatever the day of filing, so that its waiver's reason stays."""
    params = sorted((name, value) for name, value in finding.params.items() if name != "filed")
    return finding.source, finding.clause, finding.key, finding.where, str(params)


# ---- Findings answered by the details form
def check_section_details(section: Section) -> Iterator[Finding]:
    """Yield a finding for each detail of the section that is still missing or wrong."""
    for field in section.event.federation.ruleset.sections.fields:
        if (
            field.required
            and _applies(field, section)
            and section.particulars.get(field.name) in (None, "", [])
        ):
            yield _asks(section, "field-needed", field.clause, field.name, label=field.label)
    played = get_last_round(section)
    if section.rounds is None:
        yield _asks(section, "rounds-needed", where="rounds", played=played)
    elif section.rounds + len(section.finals) < played:
        yield _asks(section, "rounds-too-few", where="rounds", scheduled=section.rounds, played=played)
    places_needed = section.event.federation.ruleset.sections.places_needed
    if places_needed and (lacking := [entry for entry in section.entries.all() if entry.place is None]):
        names = join_names(lacking)
        yield _asks(section, "places-needed", where="places", count=len(lacking), names=names)
    if section.format != PLACEMENT:  # sessions of play have no dates of their own
        days = [
            section.round_dates[n] if n < len(section.round_dates) else None
            for n in range(section.rounds or 0)
        ]
        undated = [str(number) for number, day in enumerate(days, 1) if not day]
        if undated:
            yield _asks(section, "round-dates-needed", where="round-dates", rounds=", ".join(undated))
        first, last = section.starts.isoformat(), section.ends.isoformat()
        outside = [str(number) for number, day in enumerate(days, 1) if day and not first <= day <= last]
        if outside:
            rounds = ", ".join(outside)
            yield _asks(section, "round-dates-outside", rounds=rounds, starts=first, ends=last)


def _applies(field: Field, section: Section) -> bool:
    return field.only_with is None or section.particulars.get(field.only_with[0]) == field.only_with[1]


def get_last_round(section: Section) -> int:
    """The number of the last round with a game or a bye, finals included; 0 if there is none."""
    games: int | None = section.games.aggregate(last=Max("round"))["last"]
    byes: int | None = section.byes.aggregate(last=Max("round"))["last"]
    return max(games or 0, byes or 0)


# ---- Findings answered by another file
def check_play(section: Section) -> Iterator[Finding]:
    """Yield findings on games: blocking ones beside places or for two games of a player in a round, where the
    rules allow one; elsewhere a notice of the same game twice in a round.
    """
    ruleset = section.event.federation.ruleset
    if section.format == PLACEMENT:
        if games := section.games.count() + section.byes.count():
            yield _finding(section, "details", "blocks", "games-beside-places", where="format", games=games)
    elif not ruleset.sections.many_games_a_round and section.format not in SEVERAL_A_ROUND:
        yield from _twice_in_a_round(section)
    else:
        # The same game twice in a round can be right where two players may meet again, or a row copied twice.
        rows: dict[tuple[int, int, int, str], list[int | None]] = defaultdict(list)
        for game in _standing(section):
            rows[game.round, game.first_id, game.second_id, game.result].append(game.line)
        twice = [(game, lines) for game, lines in rows.items() if len(lines) > 1]
        entries = {entry.pk: entry for entry in section.entries.all()} if twice else {}
        for (round_, one, other, result), lines in twice:
            first, second = entries[one], entries[other]
            params: dict[str, Any] = {
                "times": len(lines),
                "numbers": [first.number, second.number],
                "first": first.name,
                "second": second.name,
                "result": result,
                "round": round_,
            }
            finding = _finding(section, "details", "notice", SAME_GAME, **params)
            finding.line = next((line for line in lines[1:] if line), lines[0])
            yield finding


def _twice_in_a_round(section: Section) -> Iterator[Finding]:
    """Yield blocking findings for players with two games or byes in a round, without annulled ones (D-7)."""
    seats: dict[tuple[int, int], list[int | None]] = defaultdict(list)
    for game in _standing(section):
        seats[game.round, game.first_id].append(game.line)
        seats[game.round, game.second_id].append(game.line)
    for round_, entry in section.byes.values_list("round", "entry_id"):
        seats[round_, entry].append(None)
    twice = [(seat, seats[seat]) for seat in sorted(seats) if len(seats[seat]) > 1]
    names = {entry.pk: entry.name for entry in section.entries.all()} if twice else {}
    for (round_, player), lines in twice:
        params: dict[str, Any] = {"player": names[player], "times": len(lines), "round": round_}
        finding = _finding(section, "details", "blocks", "twice-in-a-round", **params)
        finding.line = next((line for line in lines[1:] if line), lines[0])
        yield finding


def _standing(section: Section) -> Iterator[Game]:
    """The section's games without annulled ones (D-7)."""
    return (game for game in section.games.all() if game.result != ANNULLED)


# ---- Findings answered on the players' page
def get_person_entries(section: Section) -> QuerySet[Entry]:
    """The entries of persons, without rows that the reader found to stand for substitutes."""
    rows = section.findings.filter(source="file", key__in=NO_PERSON_KEYS).values("line")
    return section.entries.exclude(line__in=rows.exclude(line=None))


def check_players(section: Section) -> Iterator[Finding]:
    """Yield a finding for each kind of open question about players."""
    entries = list(get_person_entries(section))
    needed = required_player_particulars(section.event.federation.ruleset)
    groups = {
        "players-doubtful": [e for e in entries if e.match == Entry.Match.DOUBTFUL],
        "players-unknown": [e for e in entries if e.match == Entry.Match.NONE],
        "new-players-incomplete": [
            e for e in entries if e.match == Entry.Match.NEW and missing_particulars(e, needed)
        ],
    }
    for key, group in groups.items():
        if group:
            yield _asks(section, key, source="players", count=len(group), names=join_names(group))
    if len(entries) >= SUSPICIOUS_FROM and section.event.federation.players.exists():
        perhaps_known = (Entry.Match.CERTAIN, Entry.Match.DOUBTFUL, Entry.Match.DECIDED)
        if not any(entry.match in perhaps_known for entry in entries):
            yield _finding(section, "players", "notice", "nobody-known", count=len(entries))


def join_names(entries: list[Entry]) -> str:
    names = "; ".join(entry.name for entry in entries[:NAMES_SHOWN])
    return f"{names}; …" if len(entries) > NAMES_SHOWN else names


def required_player_particulars(ruleset: Ruleset) -> list[str]:
    """The particulars that an office requires of new players: of `born` and `sex`."""
    return sorted({"sex", "born"} & equipment_of(ruleset).office.asks)


def missing_particulars(entry: Entry, needed: Iterable[str]) -> list[str]:
    """The required particulars that a new player's entry lacks: a name, and those of `needed`. A platform's
    handle is no name.
    """
    given = {"sex": entry.sex, "born": entry.birth}
    nameless = ["surname"] if is_nameless(entry) else []
    return nameless + [name for name in needed if not given[name]]


def missing_optional_particulars(entry: Entry, ruleset: Ruleset) -> list[str]:
    """Particulars that a new player's entry should have too; without them nothing is blocked."""
    whole = len(entry.birth) == len("2010-05-03")
    given = {"first-name": entry.first_name, "birth-date": whole, "nation": get_filed_nation(entry)}
    named = ["first-name"] if is_nameless(entry) else []
    return sorted({*named, *(name for name in equipment_of(ruleset).office.wants_of_new if not given[name])})


# ---- Findings of the regulations
def rule_findings(section: Section, on: date | None = None) -> list[Finding]:
    """The findings of the ruleset's acceptance, by the edition in force on the section's first day."""
    ruleset = section.event.federation.ruleset
    try:
        rules = ruleset.edition_on(section.starts).rules
    except LookupError:
        first = ruleset.editions[0].in_force.isoformat()
        return [_finding(section, "details", "blocks", "no-regulations", where="starts", first=first)]
    with localcontext(CONTEXT):
        found: list[facts.Finding] = rules.check(*_rule_arguments(section, on))
    return [_rule_finding(section, finding) for finding in found]


def compute_admission_findings(section: Section) -> list[Finding]:
    """The ruleset's findings against admitting a section before play; none if it needs no such decision."""
    admission = section.event.federation.ruleset.sections.admission
    if admission is None:
        return []
    return [_rule_finding(section, each) for each in admission(*_rule_arguments(section))]


def _rule_arguments(section: Section, on: date | None = None) -> tuple[facts.Section, Filing]:
    entries = entries_with_players(section)
    return section_fact(section, draft=True, entries=entries), build_filing(section, entries, on=on)


def _rule_finding(section: Section, finding: facts.Finding) -> Finding:
    params = {
        name: (str(value) if isinstance(value, Decimal | date) else value)
        for name, value in finding.params.items()
    }
    asks = finding.level == facts.Level.BLOCKS and finding.where in OFFICIALS
    return Finding(
        section=section,
        source="rules",
        level="asks" if asks else finding.level.value,
        clause=finding.clause,
        key=finding.key,
        params=params,
        where=finding.where[:60],
    )


def _asks(
    section: Section, key: str, clause: str = "", where: str = "", source: str = "details", **params: Any
) -> Finding:
    return _finding(section, source, "asks", key, clause=clause, where=where, **params)


def _finding(
    section: Section, source: str, level: str, key: str, *, clause: str = "", where: str = "", **params: Any
) -> Finding:
    return Finding(
        section=section, source=source, level=level, key=key, clause=clause, where=where, params=params
    )
