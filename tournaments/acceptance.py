"""Acceptance of a section: the open questions before its submission, checked anew whenever something changed.

Questions are answered by the details form, by another file, or on the players' page; further findings come
from the ruleset in force. What acceptance reads beside the section itself is gathered first.
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
from tournaments.matching import FIDE, ids_of, is_nameless, platforms_of
from tournaments.models import Entry, Event, Finding, Game, Section, Upload
from tournaments.sections import admitted_before_play, days_of, entries_with_players, section_fact

# ---- The parts of a filing that acceptance reads beside the section itself: days, people, answers.
NATION = re.compile(r"[A-Z]{3}")


def filing_of(section: Section, entries: Sequence[Entry] | None = None, *, on: date | None = None) -> Filing:
    """Gather what acceptance reads beside a section. `entries`: its own `entries_with_players`, if there
    already; `on`: the day on which it is being submitted.
    """
    event = section.event
    entries = entries_with_players(section) if entries is None else entries
    others = event.sections.exclude(pk=section.pk) if event.arbiters else Section.objects.none()
    admitted = admitted_before_play(section)
    held = section.uploads.held()
    days = days_of(section)
    return replace(
        days,
        handed_in=days.handed_in or on or (held.on if held else None),
        round_dates=tuple(date.fromisoformat(day) if day else None for day in section.round_dates),
        by_region=_by_region(section, held),
        organizer=event.organizer,
        arbiters=tuple(arbiters_of(event)),
        entrants=tuple(entrant_of(entry) for entry in entries),
        elsewhere=tuple(entrant_of(entry) for other in others for entry in entries_with_players(other)),
        particulars={e.player.number: _public_player(e.player) for e in entries if e.player},
        declared=declared_fact(section, admitted) if admitted else None,
    )


def _public_player(player: Player) -> facts.Player:
    """A player's particulars for acceptance, under the name that findings may show."""
    return replace(player_fact(player), name=player.shown_name)


def declared_fact(section: Section, admitted: Mapping[str, Any]) -> facts.Section:
    """The section as it was declared when it was admitted before play. `admitted`: that permission."""
    then = copy(section)
    for name, value in admitted["declared"].items():
        setattr(then, name, value)
    return section_fact(then, draft=True)


def _by_region(section: Section, upload: Upload | None) -> bool | None:
    """Whether the person who filed was then a regional administrator of the host region; None if unknown."""
    if upload is None or upload.by is None:
        return None
    own = Appointment.objects.filter(user=upload.by, role=Role.REGIONAL, region=section.event.region)
    return own.on(upload.on).exists()


def arbiters_of(event: Event) -> list[Arbiter]:
    ids = [arbiter["id"] for arbiter in event.arbiters if arbiter.get("id")]
    register = Player.objects.of(event.federation).filter(number__in=ids) if ids else Player.objects.none()
    numbers = set(register.values_list("number", flat=True))
    return [
        Arbiter(a["name"], a.get("title", ""), a.get("id", ""), in_register=a.get("id") in numbers)
        for a in event.arbiters
    ]


def entrant_of(entry: Entry) -> Entrant:
    """An entrant as the register knows them, else as filed; the birth from whichever is more precise."""
    player = entry.player
    known = [(id_.kind, id_.value) for id_ in player.identifiers.all()] if player else []
    ids = dict([*ids_of(entry), *known])
    platforms = platforms_of(entry.section.event.federation.ruleset)
    return Entrant(
        player=player.number if player else f"#{entry.number}",
        surname=player.surname if player else entry.surname,
        first_name=(player.first_name if player else "") or entry.first_name,
        birth=max(_births(entry), key=len),
        sex=(player.sex if player else "") or entry.sex,
        nation=(player.nation if player else "") or nation_in(entry),
        fide_id=ids.get(FIDE, ""),
        handle=next((value for kind, value in sorted(ids.items()) if kind in platforms), ""),
        new=entry.match == Entry.Match.NEW,
        region=entry.region.code if entry.region else "",
        decided=player is not None or entry.match == Entry.Match.NEW,
        section=entry.section.code,
    )


def _births(entry: Entry) -> list[str]:
    """The births of an entry: that in the register, if there is a player, then that in the file."""
    if entry.player is None:
        return [entry.birth]
    day = getattr(entry.player, "birth_date", None)
    return [day.day.isoformat() if day else str(entry.player.born or ""), entry.birth]


def nation_in(entry: Entry) -> str:
    """The nation that the file gives an entry; empty if it is none: some programs write the region there."""
    nation, federation = entry.federation.upper(), entry.section.event.federation
    # An office of one region may call it by the country's code.
    regions = {code for code, _name in federation.region_names} - {federation.ruleset.country}
    return nation if NATION.fullmatch(nation) and nation not in regions else ""


# ---- The check, and what it writes.
NAMES_SHOWN = 3
ENOUGH_TO_WONDER = 6
"""The number of players of whom a register in use would know one: else the file may be another's."""
NOBODY = ("placement-substitutes",)
"""Findings of a reader about a row that is no single person."""
SAME_GAME = "same-game-twice"
"""A notice at which somebody has to look before the section is submitted."""
PLACEMENT = "placement"
"""The format of play in which there are places only."""
OFFICIALS = ("organizer", "arbiters")
"""Places of the details form that rules may ask for and the form itself leaves optional."""


def recheck(section: Section, on: date | None = None) -> None:
    """Check a section anew: replace all findings but the reader's. A waiver's reason stays with its finding;
    what the office permitted is waived. `on`: the day on which it is being submitted.

    While the file must be put right, only the players are asked about: the next may answer the rest.
    """
    replace_findings(section, findings_anew(section, section.findings.all(), on))


def findings_anew(section: Section, known: Iterable[Finding], on: date | None = None) -> list[Finding]:
    """All that a check finds beside the reader's findings, as `recheck` keeps it; nothing is written.
    `known`: the findings whose reasons stay.
    """
    reasons = {mark_of(finding): finding.waived_because for finding in known if finding.waived_because}
    found, permitted = found_anew(section, on), waived_by_permission(section)
    for finding in found:
        waived = permitted.get(finding.key, "") if finding.level == "waivable" else ""
        finding.waived_because = reasons.get(mark_of(finding), waived)
    return found


def replace_findings(section: Section, found: Iterable[Finding]) -> None:
    """Write these findings in the place of all but the reader's."""
    section.findings.exclude(source="file").delete()
    Finding.objects.bulk_create(found)


def found_anew(section: Section, on: date | None = None) -> list[Finding]:
    """All that a check finds now beside the reader's findings; nothing is written. `on`: as in `recheck`."""
    if not section.entries.exists():
        return []
    if section.findings.filter(source="file", level="blocks").exists():
        return list(open_players(section))  # answers about players stay for the next file
    asked = [*open_details(section), *open_play(section), *open_players(section)]
    places = {finding.where: finding for finding in asked if finding.where}
    found = [*asked]
    for finding in rule_findings(section, on):
        # The rules need not complain about a field that the form asks for.
        if finding.where not in places:
            found.append(finding)
        elif not places[finding.where].clause:
            places[finding.where].clause = finding.clause
    return found


def add_findings_of(section: Section, on: date) -> None:
    """Add what a submission on that day would find beside the present findings; what the office permitted is
    waived.
    """
    noted = {mark_of(finding) for finding in section.findings.all()}
    Finding.objects.bulk_create(each for each in findings_anew(section, (), on) if mark_of(each) not in noted)


def waived_by_permission(section: Section) -> dict[str, str]:
    """The reasons by which permissions that the office granted waive findings, by the finding's key."""
    granted = {each["clause"]: each["reason"] for each in section.permissions if each["clause"]}
    permits = section.event.federation.equipment.office.powers.permits
    return {
        key: granted[permit.clause] for permit in permits if permit.clause in granted for key in permit.waives
    }


def mark_of(finding: Finding) -> tuple[str, ...]:
    """The same complaint has the same mark, on whatever day the section is handed in: its reason stays."""
    params = sorted((name, value) for name, value in finding.params.items() if name != "filed")
    return finding.source, finding.clause, finding.key, finding.where, str(params)


# ---------------------------------------------------------------- answered by the details form
def open_details(section: Section) -> Iterator[Finding]:
    """Yield a finding for each detail of the section that neither the file nor a person has given yet."""
    for field in section.event.federation.ruleset.sections.fields:
        if (
            field.required
            and _applies(field, section)
            and section.particulars.get(field.name) in (None, "", [])
        ):
            yield _asks(section, "field-needed", field.clause, field.name, label=field.label)
    played = last_round(section)
    if section.rounds is None:
        yield _asks(section, "rounds-needed", where="rounds", played=played)
    elif section.rounds + len(section.finals) < played:
        yield _asks(section, "rounds-too-few", where="rounds", scheduled=section.rounds, played=played)
    yield from _open_places(section)
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


def _open_places(section: Section) -> Iterator[Finding]:
    if not section.event.federation.ruleset.sections.places_needed:
        return
    lacking = [entry for entry in section.entries.all() if entry.place is None]
    if lacking:
        names = some_names(lacking)
        yield _asks(section, "places-needed", where="places", count=len(lacking), names=names)


def _applies(field: Field, section: Section) -> bool:
    return field.only_with is None or section.particulars.get(field.only_with[0]) == field.only_with[1]


def last_round(section: Section) -> int:
    """The number of the last round of a section that has a game or a bye, finals among them; 0: none has."""
    games: int | None = section.games.aggregate(last=Max("round"))["last"]
    byes: int | None = section.byes.aggregate(last=Max("round"))["last"]
    return max(games or 0, byes or 0)


# ---------------------------------------------------------------- mended by another file only
def open_play(section: Section) -> Iterator[Finding]:
    """Yield a blocking finding for games that no journal takes: in a section of places only, or of a player
    with two in a round where the rules allow one. Elsewhere the same game twice in a round is told.
    """
    ruleset = section.event.federation.ruleset
    if section.format == PLACEMENT:
        if games := section.games.count() + section.byes.count():
            yield _finding(section, "details", "blocks", "games-beside-places", where="format", games=games)
    elif not ruleset.sections.many_games_a_round and section.format not in SEVERAL_A_ROUND:
        yield from _twice_in_a_round(section)
    else:
        # Yield a notice for each game that stands twice in a round with the same sides and result. Where two
        # may meet again in a round it can be right; a row copied twice looks the same.
        rows: dict[tuple[int, int, int, str], list[int | None]] = defaultdict(list)
        for game in _standing(section):
            rows[game.round, game.first_id, game.second_id, game.result].append(game.line)
        twice = [(game, lines) for game, lines in rows.items() if len(lines) > 1]
        entries = {entry.pk: entry for entry in section.entries.all()} if twice else {}
        for (round_, one, other, result), lines in twice:
            pair = entries[one], entries[other]
            told: dict[str, Any] = {
                "first": pair[0].name,
                "second": pair[1].name,
                "result": result,
                "round": round_,
            }
            numbers = [entry.number for entry in pair]
            finding = _finding(
                section, "details", "notice", SAME_GAME, times=len(lines), numbers=numbers, **told
            )
            finding.line = next((line for line in lines[1:] if line), lines[0])
            yield finding


def _twice_in_a_round(section: Section) -> Iterator[Finding]:
    """Yield blocking findings for players with two games or byes in a round; annulled ones are none (D-7)."""
    seats: dict[tuple[int, int], list[int | None]] = defaultdict(list)
    for game in _standing(section):
        seats[game.round, game.first_id].append(game.line)
        seats[game.round, game.second_id].append(game.line)
    for round_, entry in section.byes.values_list("round", "entry_id"):
        seats[round_, entry].append(None)
    twice = [(seat, seats[seat]) for seat in sorted(seats) if len(seats[seat]) > 1]
    names = {entry.pk: entry.name for entry in section.entries.all()} if twice else {}
    for (round_, player), lines in twice:
        told: dict[str, Any] = {"player": names[player], "times": len(lines), "round": round_}
        finding = _finding(section, "details", "blocks", "twice-in-a-round", **told)
        finding.line = next((line for line in lines[1:] if line), lines[0])
        yield finding


def _standing(section: Section) -> Iterator[Game]:
    """The section's games but the annulled ones (D-7)."""
    return (game for game in section.games.all() if game.result != ANNULLED)


# ---------------------------------------------------------------- answered by the players' page
def entrants(section: Section) -> QuerySet[Entry]:
    """The entries of persons: without the rows that the reader found to stand for substitutes."""
    rows = section.findings.filter(source="file", key__in=NOBODY).values("line")
    return section.entries.exclude(line__in=rows.exclude(line=None))


def open_players(section: Section) -> Iterator[Finding]:
    """Yield a finding for each kind of open question about players; the players' page asks one by one."""
    entries = list(entrants(section))
    needed = read_of_players(section.event.federation.ruleset)
    groups = {
        "players-doubtful": [e for e in entries if e.match == Entry.Match.DOUBTFUL],
        "players-unknown": [e for e in entries if e.match == Entry.Match.NONE],
        "new-players-incomplete": [e for e in entries if e.match == Entry.Match.NEW and lacks(e, needed)],
    }
    for key, group in groups.items():
        if group:
            yield _asks(section, key, source="players", count=len(group), names=some_names(group))
    if len(entries) >= ENOUGH_TO_WONDER and section.event.federation.players.exists() and not _known(entries):
        yield _finding(section, "players", "notice", "nobody-known", count=len(entries))


def _known(entries: list[Entry]) -> bool:
    """Whether one of the entries is, for certain or perhaps, a player of the register."""
    return any(
        entry.match in (Entry.Match.CERTAIN, Entry.Match.DOUBTFUL, Entry.Match.DECIDED) for entry in entries
    )


def some_names(entries: list[Entry]) -> str:
    names = "; ".join(entry.name for entry in entries[:NAMES_SHOWN])
    return f"{names}; …" if len(entries) > NAMES_SHOWN else names


def read_of_players(ruleset: Ruleset) -> list[str]:
    """The particulars without which an office registers no new player: of `born` and `sex`, those it asks."""
    return sorted({"sex", "born"} & equipment_of(ruleset).office.asks)


def lacks(entry: Entry, needed: Iterable[str]) -> list[str]:
    """The particulars that a new player's entry lacks: a name, always, and those of `needed` (`sex`, `born`).

    A platform's handle is no name.
    """
    given = {"sex": entry.sex, "born": entry.birth}
    nameless = ["surname"] if is_nameless(entry) else []
    return nameless + [name for name in needed if not given[name]]


def wanting(entry: Entry, ruleset: Ruleset) -> list[str]:
    """Particulars that a new player's entry should have too; unlike those of `lacks`, they block nothing."""
    whole = len(entry.birth) == len("2010-05-03")
    given = {"first-name": entry.first_name, "birth-date": whole, "nation": nation_in(entry)}
    named = ["first-name"] if is_nameless(entry) else []
    return sorted({*named, *(name for name in equipment_of(ruleset).office.wants_of_new if not given[name])})


# ---------------------------------------------------------------- said by the regulations
def rule_findings(section: Section, on: date | None = None) -> list[Finding]:
    """The findings of the ruleset's acceptance, by the edition in force on the section's first day. `on`: the
    day on which the section is being submitted.
    """
    ruleset = section.event.federation.ruleset
    try:
        rules = ruleset.edition_on(section.starts).rules
    except LookupError:
        first = ruleset.editions[0].in_force.isoformat()
        return [_finding(section, "details", "blocks", "no-regulations", where="starts", first=first)]
    with localcontext(CONTEXT):
        found: list[facts.Finding] = rules.check(*_read_by_rules(section, on))
    return [_of_rule(section, finding) for finding in found]


def findings_before_play(section: Section) -> list[Finding]:
    """The ruleset's findings against admitting a section before play; none if no such decision is wanted."""
    admission = section.event.federation.ruleset.sections.admission
    if admission is None:
        return []
    return [_of_rule(section, each) for each in admission(*_read_by_rules(section))]


def _read_by_rules(section: Section, on: date | None = None) -> tuple[facts.Section, Filing]:
    entries = entries_with_players(section)
    return section_fact(section, draft=True, entries=entries), filing_of(section, entries, on=on)


def _of_rule(section: Section, finding: facts.Finding) -> Finding:
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
