"""Acceptance of a section: the findings and open questions before its submission, checked after each change.

Questions are answered by the details form, by another file, or on the players' page; further findings come
from the ruleset in force.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from datetime import date
from decimal import Decimal, localcontext
from itertools import pairwise
from typing import Any

from django.db.models import Max, QuerySet, prefetch_related_objects

from players.models import Appointment, Player, Role
from players.register import player_fact
from ratings.rulesets import facts
from ratings.rulesets.facts import ANNULLED, Arbiter, Entrant, Filing
from ratings.rulesets.journal_lines import SEVERAL_A_ROUND
from ratings.rulesets.particulars import nation_code
from ratings.rulesets.profile import Permit, equipment_of
from ratings.rulesets.ruleset import CONTEXT, Ruleset
from tournaments.checks import check_facts, join_names
from tournaments.formats.sheet import SheetGame
from tournaments.matching import FIDE, get_ids, get_platform_id_kinds, is_nameless
from tournaments.models import Entry, Event, Finding, Section, Upload
from tournaments.places import FiledBye, list_play
from tournaments.sections import (
    build_deadline_filing,
    entries_with_players,
    find_admission_before_play,
    section_fact,
)

# ---- The filing that acceptance reads beside the section


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
        state=_read_state(event.federation.ruleset, entries) if days.said else facts.State(),
        declared=declared_section_fact(section, admitted) if admitted else None,
    )


def _read_state(ruleset: Ruleset, entries: Iterable[Entry]) -> facts.State[Any]:
    """The newest standings of the entrants in the register."""
    players = [entry.player for entry in entries if entry.player]
    prefetch_related_objects(players, "standings")
    rows = [(player.number, each) for player in players for each in player.standings.all()]
    load = ruleset.storage.load
    return facts.State({(number, each.track): load(each.track, each.state) for number, each in rows})


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
        birth=_birth(entry),
        sex=(player.sex if player else "") or entry.sex,
        nation=(player.nation if player else "") or get_filed_nation(entry),
        fide_id=ids.get(FIDE, ""),
        handle=next((value for kind, value in sorted(ids.items()) if kind in platforms), ""),
        new=entry.match == Entry.Match.NEW,
        region=entry.region.code if entry.region else "",
        decided=player is not None or entry.match == Entry.Match.NEW,
        section=entry.section.code,
    )


def _birth(entry: Entry) -> str:
    """The birth of an entry's player in the register; the file's if that has none, or its year alone."""
    if entry.player is None:
        return entry.birth
    day = getattr(entry.player, "birth_date", None)
    known = day.day.isoformat() if day else str(entry.player.born or "")
    return entry.birth if entry.birth.startswith(known) else known


def get_filed_nation(entry: Entry) -> str:
    """The nation that the file gives an entry; empty if it is a region's code, as some programs write."""
    filed, federation = entry.federation.upper(), entry.section.event.federation
    # An office of one region may call it by the country's code.
    regions = {code for code, _name in federation.region_names if federation.regional}
    regions -= {federation.ruleset.country}
    return "" if filed in regions else nation_code(filed, federation.ruleset.country)


# ---- The check
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
    found = compute_raw_findings(section, on)
    permitted = get_requested_reasons(section) | get_permission_waivers(section)
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
    entries = entries_with_players(section)
    persons = _without_rows_of_nobody(section, entries)
    if section.findings.filter(source="file", level="blocks").exists():
        return list(check_players(section, persons))  # answers about players stay for the next file
    play = list_play(section)
    asked = [*check_section_details(section), *check_play(section, entries, *play)]
    asked += [*check_players(section, persons), *check_facts(section, persons, *play)]
    places = {finding.where: finding for finding in asked if finding.where}
    found = [*asked]
    for finding in rule_findings(section, on, entries):
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


def find_permit(section: Section, key: str) -> Permit | None:
    """The permission of the office that would waive findings of this key, if there is one."""
    permits = section.event.federation.equipment.office.powers.permits
    return next((permit for permit in permits if key in permit.waives), None)


def get_requested_reasons(section: Section) -> dict[str, str]:
    """The region's reasons in requests for permission that are not answered, by the findings' key."""
    asked = dict(section.permission_requests.open().values_list("clause", "reason"))
    permits = section.event.federation.equipment.office.powers.permits
    return {key: asked[each.clause] for each in permits if each.clause in asked for key in each.waives}


def finding_key(finding: Finding) -> tuple[str, ...]:
    """What identifies a finding, whatever the day of filing, so that its waiver's reason stays."""
    params = sorted((name, value) for name, value in finding.params.items() if name != "filed")
    return finding.source, finding.clause, finding.key, finding.where, str(params)


# ---- Findings answered by the details form
def check_section_details(section: Section) -> Iterator[Finding]:
    """Yield a finding for each detail of the section that is still missing or wrong."""
    for field in section.event.federation.ruleset.sections.fields:
        given = section.particulars
        if field.required and field.applies(given) and given.get(field.name) in (None, "", []):
            yield _asks(section, "field-needed", field.clause, field.name, label=field.label)
    played = get_last_round(section)
    if section.rounds is None:
        yield _asks(section, "rounds-needed", where="rounds", played=played)
    elif section.rounds + len(section.finals) < played:
        yield _asks(section, "rounds-too-few", where="rounds", scheduled=section.rounds, played=played)
    places_needed = section.event.federation.ruleset.sections.places_needed
    if places_needed and (lacking := [entry for entry in section.entries.all() if entry.place is None]):
        names = join_names(entry.name for entry in lacking)
        yield _asks(section, "places-needed", where="places", count=len(lacking), names=names)
    if section.format != PLACEMENT:  # sessions of play have no dates of their own
        days = [
            section.round_dates[n] if n < len(section.round_dates) else None
            for n in range(section.rounds or 0)
        ]
        undated = [str(number) for number, day in enumerate(days, 1) if not day]
        if undated:
            yield _asks(section, "round-dates-needed", where="round-dates", rounds=", ".join(undated))
        yield from check_round_dates(section)


def check_round_dates(section: Section) -> Iterator[Finding]:
    """Yield what contradicts in the dates of a section's rounds; it may be unsaved."""
    dates = enumerate(section.round_dates[: section.rounds or 0], 1)
    dated = [(number, day) for number, day in dates if day]
    first, last = section.starts.isoformat(), section.ends.isoformat()
    if outside := [str(number) for number, day in dated if not first <= day <= last]:
        rounds = ", ".join(outside)
        yield _asks(section, "round-dates-outside", rounds=rounds, starts=first, ends=last)
    if early := [str(number) for (_n, before), (number, day) in pairwise(dated) if day < before]:
        # A postponed round may be right.
        yield _finding(section, "details", "waivable", "round-dates-order", rounds=", ".join(early))


def get_last_round(section: Section) -> int:
    """The number of the last round with a game or a bye, finals included; 0 if there is none."""
    games: int | None = section.games.aggregate(last=Max("round"))["last"]
    byes: int | None = section.byes.aggregate(last=Max("round"))["last"]
    return max(games or 0, byes or 0)


# ---- Findings answered by another file
def check_play(
    section: Section, entries: Iterable[Entry], games: Sequence[SheetGame], byes: Sequence[FiledBye]
) -> Iterator[Finding]:
    """Yield findings on games: blocking ones beside places or for two games of a player in a round, where the
    rules allow one; elsewhere a notice of the same game twice in a round. Entries, games and byes may be
    unsaved.
    """
    ruleset = section.event.federation.ruleset
    names = {entry.number: entry.name for entry in entries}
    standing = [game for game in games if game.result != ANNULLED]  # D-7
    if section.format == PLACEMENT:
        if count := len(games) + len(byes):
            yield _finding(section, "details", "blocks", "games-beside-places", where="format", games=count)
    elif not ruleset.sections.many_games_a_round and section.format not in SEVERAL_A_ROUND:
        seats: dict[tuple[int, int], list[int]] = defaultdict(list)
        for game in standing:
            seats[game.round, game.first].append(game.line)
            seats[game.round, game.second].append(game.line)
        for round_, number, _kind in byes:
            seats[round_, number].append(0)
        for (round_, number), lines in sorted(seats.items()):
            if len(lines) > 1:
                params = {"player": names[number], "times": len(lines), "round": round_}
                yield _finding_in_line(section, "blocks", "twice-in-a-round", lines, **params)
    else:
        # The same game twice in a round can be right where two players may meet again, or a row copied twice.
        rows: dict[SheetGame, list[int]] = defaultdict(list)
        for game in standing:
            rows[game].append(game.line)
        for game, lines in rows.items():
            if len(lines) > 1:
                yield _finding_in_line(
                    section,
                    "notice",
                    SAME_GAME,
                    lines,
                    times=len(lines),
                    numbers=[game.first, game.second],
                    first=names[game.first],
                    second=names[game.second],
                    result=game.result,
                    round=game.round,
                )


def _finding_in_line(section: Section, level: str, key: str, lines: Sequence[int], **params: Any) -> Finding:
    """A finding at the second of these lines of games, as far as the file has lines."""
    finding = _finding(section, "details", level, key, **params)
    finding.line = next((line for line in lines[1:] if line), lines[0]) or None
    return finding


# ---- Findings answered on the players' page
def get_person_entries(section: Section) -> QuerySet[Entry]:
    """The entries of persons, without rows that the reader found to stand for substitutes."""
    rows = section.findings.filter(source="file", key__in=NO_PERSON_KEYS).values("line")
    return section.entries.exclude(line__in=rows.exclude(line=None))


def _without_rows_of_nobody(section: Section, entries: Iterable[Entry]) -> list[Entry]:
    """Those of a section's entries that `get_person_entries` finds."""
    rows = section.findings.filter(source="file", key__in=NO_PERSON_KEYS).exclude(line=None)
    lines = set(rows.values_list("line", flat=True))
    return [entry for entry in entries if entry.line not in lines]


def check_players(section: Section, entries: Sequence[Entry]) -> Iterator[Finding]:
    """Yield a finding for each kind of open question about players. `entries`: those of persons."""
    needed = required_player_particulars(section.event.federation.ruleset)
    groups = {
        "players-doubtful": [e for e in entries if e.match == Entry.Match.DOUBTFUL],
        "players-unknown": [e for e in entries if e.match == Entry.Match.NONE],
        "new-players-incomplete": [
            e for e in entries if e.match == Entry.Match.NEW and missing_particulars_of_new(e, needed)
        ],
    }
    for key, group in groups.items():
        if group:
            yield _asks(
                section,
                key,
                source="players",
                count=len(group),
                names=join_names(entry.name for entry in group),
            )
    if len(entries) >= SUSPICIOUS_FROM and section.event.federation.players.exists():
        perhaps_known = (Entry.Match.CERTAIN, Entry.Match.DOUBTFUL, Entry.Match.DECIDED)
        if not any(entry.match in perhaps_known for entry in entries):
            yield _finding(section, "players", "notice", "nobody-known", count=len(entries))


def required_player_particulars(ruleset: Ruleset) -> list[str]:
    """The particulars that an office requires of new players: of `born` and `sex`."""
    return sorted({"sex", "born"} & equipment_of(ruleset).office.asks)


def missing_particulars_of_new(entry: Entry, needed: Iterable[str]) -> list[str]:
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
def rule_findings(
    section: Section, on: date | None = None, entries: Sequence[Entry] | None = None
) -> list[Finding]:
    """The findings of the ruleset's acceptance, by the edition in force on the section's first day.
    `entries`: its `entries_with_players`, if loaded.
    """
    ruleset = section.event.federation.ruleset
    try:
        rules = ruleset.edition_on(section.starts).rules
    except LookupError:
        first = ruleset.editions[0].in_force.isoformat()
        return [_finding(section, "details", "blocks", "no-regulations", where="starts", first=first)]
    with localcontext(CONTEXT):
        found: list[facts.Finding] = rules.check(*_rule_arguments(section, on, entries))
    return [_rule_finding(section, finding) for finding in found]


def compute_admission_findings(section: Section) -> list[Finding]:
    """The ruleset's findings against admitting a section before play; none if it needs no such decision."""
    admission = section.event.federation.ruleset.sections.admission
    if admission is None:
        return []
    return [_rule_finding(section, each) for each in admission(*_rule_arguments(section))]


def _rule_arguments(
    section: Section, on: date | None = None, entries: Sequence[Entry] | None = None
) -> tuple[facts.Section, Filing]:
    entries = entries_with_players(section) if entries is None else entries
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
