"""Corrections of single rows of a filed section: a result, a pairing, a place, a day, or a game struck out.

The rows are corrected and the section is checked again, in memory if a page only shows the outcome. Each
correction is stored beside the file.

A change is a small mapping that a form can send and a proposal can store:
`{"what": "result", "game": 17, "to": "0-1"}`, `{"what": "struck", "game": 17}`,
`{"what": "pairing", "game": 17, "first": 4, "second": 9}`, `{"what": "place", "entry": 4, "to": 2}`,
`{"what": "date", "round": 3, "to": "2026-03-07"}`, `{"what": "date", "day": "ends", "to": "2026-03-08"}`.
Games are named by their order, players by their starting numbers.

Final places that follow from the points follow from the corrected ones too. Of stated places a further
change says what holds: `{"what": "places", "to": "stay"}`, or `"points"`.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Protocol

from django.utils.formats import date_format
from django.utils.translation import gettext as _

from players.models import Decision, Federation, Player, User
from players.record import Refused
from ratings.rulesets.facts import ANNULLED, RESULTS
from tournaments.acceptance import compute_findings, finding_key, replace_computed_findings
from tournaments.findings import describe_finding as words_of_finding, result_in_words
from tournaments.models import CANCELLED_OR_WITHDRAWN, Correction, Entry, Finding, Game, Section, Stage
from tournaments.places import compute_places, get_points, list_play
from tournaments.sections import rows_in_memory


# ---- Corrections in words
class CorrectionParts(Protocol):
    """The parts of a correction that its words need."""

    @property
    def what(self) -> str: ...
    @property
    def where(self) -> Any: ...
    @property
    def before(self) -> Any: ...
    @property
    def after(self) -> Any: ...


def describe_corrections(office: Federation, corrections: Iterable[CorrectionParts]) -> list[str]:
    """Each correction in words, with players by name."""
    corrections = list(corrections)
    numbers = {side["player"] for each in corrections for side in _sides(each)}
    found = Player.objects.filter(federation=office, number__in=numbers)
    people = found.select_related("merged_into", "federation") if numbers else ()
    names = {player.number: (player.merged_into or player).shown_name for player in people}
    return [_words(each, names) for each in corrections]


@dataclass(frozen=True, slots=True)
class CorrectionSummary:
    """A correction for the office and the region, with its reason."""

    words: str
    on: date
    by: str
    reason: str
    stands: bool
    """Whether it is part of what the section holds now, and not of an earlier file."""


def list_corrections(section: Section) -> list[CorrectionSummary]:
    """All corrections of a section by the office, in order."""
    kept = list(section.corrections.select_related("decision", "reason", "by"))
    if not kept:
        return []
    office = section.event.federation
    standing = set(Correction.objects.standing(section).values_list("pk", flat=True))
    names = office.appointments.names()
    return [
        CorrectionSummary(
            words, one.decision.on, names.get(one.by_id or 0, ""), one.words, one.pk in standing
        )
        for one, words in zip(kept, describe_corrections(office, kept), strict=True)
    ]


def list_public_corrections(section: Section) -> list[str]:
    """The corrections in what a section holds now, without the reasons, which may be about people."""
    if not section.corrections.exists():
        return []
    return describe_corrections(section.event.federation, Correction.objects.standing(section))


def _words(correction: CorrectionParts, names: Mapping[str, str]) -> str:
    where, before, after = correction.where, correction.before, correction.after
    if correction.what == Correction.What.PLACE:
        params = {"player": _name(where["entry"], names), "before": before or "–", "after": after}
        return _("%(player)s: place %(before)s → %(after)s") % params
    if correction.what == Correction.What.DATE:
        days = {"before": _day(before), "after": _day(after)}
        if where.get("day") == "starts":
            return _("first day: %(before)s → %(after)s") % days
        if where.get("day") == "ends":
            return _("last day: %(before)s → %(after)s") % days
        return _("day of round %(round)s: %(before)s → %(after)s") % {**days, "round": where["round"]}
    params = {"round": where["round"], "game": _pair(where["sides"], names)}
    if correction.what == Correction.What.PAIRING:
        params |= {"before": _pair(before, names), "after": _pair(after, names)}
        return _("round %(round)s: %(before)s → %(after)s") % params
    params |= {"before": result_in_words(before), "after": result_in_words(after)}
    if correction.what == Correction.What.STRUCK:
        return _("round %(round)s, %(game)s, %(before)s: struck, it counts for nothing") % params
    return _("round %(round)s, %(game)s: %(before)s → %(after)s") % params


def _day(day: str | None) -> str:
    return date_format(date.fromisoformat(day), "DATE_FORMAT") if day else "–"


def _pair(sides: Any, names: Mapping[str, str]) -> str:
    first, second = (_name(side, names) for side in sides)
    return f"{first} – {second}"


def _name(side: Mapping[str, Any], names: Mapping[str, str]) -> str:
    return names.get(side["player"]) or _("number %(number)s") % {"number": side["number"]}


def _sides(correction: CorrectionParts) -> list[Mapping[str, Any]]:
    where = correction.where
    sides = [*where.get("sides", []), *([where["entry"]] if "entry" in where else [])]
    return sides + ([*correction.before, *correction.after] if correction.what == "pairing" else [])


def describe_for_record(corrections: Iterable[CorrectionParts]) -> list[str]:
    """Corrections in words with starting numbers for names, for the record of decisions."""
    return [_words(each, {}) for each in corrections]


def serialize_corrections(corrections: Iterable[CorrectionParts]) -> list[list[Any]]:
    """Corrections as their rows have them, for the record of decisions."""
    return [[each.what, each.where, each.before, each.after] for each in corrections]


# ---- Changes of a section's rows
Change = Mapping[str, Any]
MOST_CHANGES = 50
"""The maximum number of corrections in one decision; beyond that another file is needed."""
HIGHEST_PLACE = 99_999
DAY_FIELDS = ("starts", "ends")
STAY, BY_POINTS = "stay", "points"
"""What may be said of stated places where corrected results give other points."""


@dataclass(frozen=True, slots=True)
class RowCorrected:
    """A change that was made in a section's rows, in the form of `Correction`."""

    what: str
    row: Game | Entry | Section
    where: dict[str, Any]
    before: Any
    after: Any
    players: list[Player] = field(default_factory=list)


def parse_changes(text: str) -> list[Change]:
    """Parse the changes that a form sent. Raises `Refused` if they are invalid."""
    try:
        found = json.loads(text or "[]")
    except ValueError:
        found = None
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise Refused(_("The corrections of this form cannot be read. Open the page again."))
    if len(found) > MOST_CHANGES:
        raise Refused(
            _("At most %(most)s corrections are made at once. Ask the region for a corrected file instead.")
            % {"most": MOST_CHANGES}
        )
    return found


def _result(section: Section, change: Change) -> RowCorrected:
    game, result = _game(section, change), str(change.get("to"))
    if result not in RESULTS:
        raise Refused(_("“%(result)s” is no result of a game.") % {"result": result})
    return _with_result(game, result, "result")


def _struck(section: Section, change: Change) -> RowCorrected:
    """Strike a game: it stays in its place and counts for nothing (D-7)."""
    return _with_result(_game(section, change), ANNULLED, "struck")


def _with_result(game: Game, result: str, what: str) -> RowCorrected:
    before = game.result
    _refuse_same(before, result)
    game.result, game.excused = result, ""  # an excuse was for the forfeit that it was before
    return RowCorrected(what, game, _where(game), before, result, _people(game.first, game.second))


def _pairing(section: Section, change: Change) -> RowCorrected:
    game = _game(section, change)
    where, before = _where(game), [_side(game.first), _side(game.second)]
    old = _people(game.first, game.second)
    first = _entry(section, change.get("first", game.first.number))
    second = _entry(section, change.get("second", game.second.number))
    if first.pk == second.pk:
        raise Refused(
            _("Round %(round)s: nobody plays against themselves. Choose two players.") % {"round": game.round}
        )
    _refuse_same((game.first_id, game.second_id), (first.pk, second.pk))
    if {first.pk, second.pk} != {game.first_id, game.second_id}:
        game.excused = ""
    game.first, game.second = first, second
    people = {player.pk: player for player in (*old, *_people(first, second))}
    after = [_side(first), _side(second)]
    return RowCorrected("pairing", game, where, before, after, list(people.values()))


def _place(section: Section, change: Change, *, keep: bool = False) -> RowCorrected:
    """Correct a place; `keep`: say alone what it would be."""
    entry, place = _entry(section, change.get("entry")), change.get("to")
    if not isinstance(place, int) or not 1 <= place <= HIGHEST_PLACE:
        raise Refused(_("Write the place as a whole number, 1 for the first."))
    before = entry.place
    _refuse_same(before, place)
    if not keep:
        entry.place = place
    return RowCorrected("place", entry, {"entry": _side(entry)}, before, place, _people(entry))


def _date(section: Section, change: Change) -> RowCorrected:
    try:
        day = date.fromisoformat(str(change.get("to")))
    except ValueError:
        raise Refused(_("Write the day as year, month and day, such as 2026-03-07.")) from None
    name = change.get("day")
    if name in DAY_FIELDS:
        return _day_of_section(section, str(name), day)
    number = change.get("round")
    if not isinstance(number, int) or not 1 <= number <= (section.rounds or 0):
        raise Refused(_("This section has no such round."))
    days: list[str | None] = list(section.round_dates)
    days += [None] * (number - len(days))
    before = days[number - 1]
    _refuse_same(before, day.isoformat())
    days[number - 1] = day.isoformat()
    section.round_dates = days
    return RowCorrected("date", section, {"round": number}, before, day.isoformat())


def _day_of_section(section: Section, name: str, day: date) -> RowCorrected:
    """Correct the first or last day of a section, and with it its event's."""
    before: date = getattr(section, name)
    _refuse_same(before, day)
    setattr(section, name, day)
    if section.ends < section.starts:
        raise Refused(_("The last day would be before the first."))
    event = section.event
    others = event.sections.exclude(stage__in=CANCELLED_OR_WITHDRAWN).exclude(pk=section.pk)
    days = [(section.starts, section.ends), *others.values_list("starts", "ends")]
    event.starts, event.ends = min(first for first, _last in days), max(last for _first, last in days)
    event.version += 1
    return RowCorrected("date", section, {"day": name}, before.isoformat(), day.isoformat())


class _PlacesByPoints:
    """The final places by the points before a section's rows are corrected, to be compared with after."""

    def __init__(self, section: Section, changes: Sequence[Change]) -> None:
        """Take the changes of places by points apart from the `others`. Raises `Refused` for an odd one."""
        self.section = section
        self.others = [change for change in changes if change.get("what") != "places"]
        said = [change.get("to") for change in changes if change.get("what") == "places"]
        if not {*said} <= {STAY, BY_POINTS}:
            raise Refused(_("The corrections of this form cannot be read. Open the page again."))
        self.said = said[-1] if said else None
        self.stated = {entry.number: entry.place for entry in section.entries.all()}
        self.before = self._compute()

    def _compute(self) -> dict[int, int]:
        section = self.section
        return (
            compute_places(section, list(section.entries.all()), get_points(section), list_play(section)[0])
            if section.games.all()
            else {}
        )

    def correct(self, corrected: list[RowCorrected]) -> list[RowCorrected]:
        """Correct the places that follow from the points, as further rows of `corrected`; return those of
        which somebody has to say whether they do, with nothing done. Places that an official corrects stay.
        """
        after, kinds = self._compute(), {each.what for each in corrected}
        if after == self.before or "place" in kinds or None in self.stated.values():
            return []
        rows = [entry for entry in self.section.entries.all() if entry.place != after[entry.number]]
        follow = self.said == BY_POINTS or (self.said is None and self.stated == self.before)
        moved = [
            _place(self.section, {"entry": row.number, "to": after[row.number]}, keep=not follow)
            for row in rows
        ]
        if follow:
            corrected += moved
            return []
        needed = self.section.event.federation.ruleset.sections.places_needed
        return moved if needed and self.said is None else []


def _game(section: Section, change: Change) -> Game:
    order = change.get("game")
    game = next((game for game in section.games.all() if game.order == order), None)
    if game is None:
        raise Refused(_("This section has no such game. Open the page again."))
    return game


def _entry(section: Section, number: object) -> Entry:
    entry = next((entry for entry in section.entries.all() if entry.number == number), None)
    if entry is None:
        raise Refused(_("This section has no player with that starting number."))
    return entry


def _where(game: Game) -> dict[str, Any]:
    return {"round": game.round, "game": game.order, "sides": [_side(game.first), _side(game.second)]}


def _side(entry: Entry) -> dict[str, Any]:
    return {"number": entry.number, "player": entry.player.number if entry.player else ""}


def _people(*entries: Entry) -> list[Player]:
    return [entry.player for entry in entries if entry.player]


def _refuse_same(before: object, after: object) -> None:
    if before == after:
        raise Refused(_("That is what the section says already: nothing would be corrected."))


# ---- Corrections of a section
@dataclass(frozen=True, slots=True)
class AppliedCorrections:
    """Corrections that were made, and what the rules find in the section because of them."""

    corrected: list[RowCorrected]
    found: list[Finding]
    findings: list[Finding]
    """All findings on the section from now on, beside those of its file's reader."""
    asked: list[RowCorrected] = field(default_factory=list)
    """Places that were stated and would be others by the corrected points, if nobody said yet what holds."""

    def refuse_open_places(self) -> None:
        if self.asked:
            raise Refused(
                _("Say which final places hold: the stated ones, or those by the corrected points.")
            )


def apply_changes(section: Section, changes: Sequence[Change]) -> AppliedCorrections:
    """Correct a locked section's rows, check it again and save it.

    Of a rated section only findings that the corrections cause are added: it was accepted with the others.
    Raises `Refused` if a change is invalid, or the section could not be accepted with it.
    """
    with rows_in_memory(section):
        applied = apply_changes_in_memory(section, changes)
    applied.refuse_open_places()
    for each in applied.corrected:
        if isinstance(each.row, Game):
            each.row.save(update_fields=["first", "second", "result", "excused"])
        elif isinstance(each.row, Entry):
            each.row.save(update_fields=["place"])
        else:
            section.save(update_fields=["round_dates", "starts", "ends"])
            section.event.save(update_fields=["starts", "ends", "version"])
    replace_computed_findings(section, applied.findings)
    return applied


def apply_changes_in_memory(section: Section, changes: Sequence[Change]) -> AppliedCorrections:
    """Correct a section's rows in memory (`rows_in_memory`) and check them, as `apply_changes` does."""
    noted = list(section.findings.all())
    of_file = [each for each in noted if each.source == "file"]
    held = compute_findings(section, noted, section.submitted_on)
    before = {finding_key(each) for each in (*of_file, *held)}
    asked = {(each.key, each.where) for each in (*of_file, *held) if each.level == "asks"}
    makers = {"result": _result, "struck": _struck, "pairing": _pairing, "place": _place, "date": _date}
    corrected = []
    places = _PlacesByPoints(section, changes)
    for change in places.others:
        make = makers.get(str(change.get("what")))
        if make is None:
            raise Refused(_("Choose what is to be corrected: a result, a pairing, a place or a date."))
        corrected.append(make(section, change))
    if not corrected:
        raise Refused(_("Nothing is to be corrected: choose a game, a place or a date first."))
    open_places = places.correct(corrected)
    after = compute_findings(section, [*of_file, *held], section.submitted_on)
    found = [each for each in after if finding_key(each) not in before]
    _refuse_blocked(section, [each for each in found if (each.key, each.where) not in asked])
    if section.stage != Stage.SUBMITTED:
        kept = {finding_key(each) for each in noted}
        after = [each for each in after if finding_key(each) not in before or finding_key(each) in kept]
    return AppliedCorrections(corrected, found, after, open_places)


def save_corrections(
    section: Section, corrected: Sequence[RowCorrected], *, by: User | None, decision: Decision
) -> list[Correction]:
    """Store corrections made by a decision, beside the file that the section holds."""
    reason = decision.words.filter(key="reason").first()
    upload = section.uploads.held()
    kept = []
    for each in corrected:
        one = Correction.objects.create(
            section=section,
            what=each.what,
            where=each.where,
            before=each.before,
            after=each.after,
            by=by,
            decision=decision,
            reason=reason,
            upload=upload,
        )
        one.players.set(each.players)
        kept.append(one)
    return kept


def _refuse_blocked(section: Section, found: Sequence[Finding]) -> None:
    blocking = [each for each in found if each.level in ("blocks", "asks")]
    if blocking:
        ruleset = section.event.federation.ruleset
        words = "\n".join(words_of_finding(each, ruleset) for each in blocking)
        raise Refused(_("With this correction the section could not be accepted:") + f"\n{words}")


def preview_changes(section: Section, changes: Sequence[Change]) -> AppliedCorrections:
    """What `apply_changes` would do; nothing is written."""
    copy = Section.objects.select_related("event__federation").get(pk=section.pk)
    with rows_in_memory(copy):
        return apply_changes_in_memory(copy, changes)
