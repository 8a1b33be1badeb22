"""Corrections of single rows of a filed section: a result, a pairing, a place, a day, or a game struck out.

The rows are corrected and the section is checked anew, in memory where a page only shows the outcome. Each
correction is kept beside the file, and is told in words for the office and the region, and for the public.

A change is a small mapping, so that a form can carry it and a proposal can keep it:
`{"what": "result", "game": 17, "to": "0-1"}`, `{"what": "struck", "game": 17}`,
`{"what": "pairing", "game": 17, "first": 4, "second": 9}`, `{"what": "place", "entry": 4, "to": 2}`,
`{"what": "date", "round": 3, "to": "2026-03-07"}`, `{"what": "date", "day": "ends", "to": "2026-03-08"}`.
Games are named by their order, players by their starting numbers.
"""

from __future__ import annotations

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
from tournaments.acceptance import findings_anew, mark_of, replace_findings
from tournaments.findings import words_of as words_of_finding
from tournaments.models import NOT_PLAYED, Correction, Entry, Finding, Game, Section, Stage
from tournaments.sections import rows_in_memory


# ---- Corrections in words: for the office and the region with their reason, for the public without.
class Told(Protocol):
    """The parts of a correction that its words tell."""

    @property
    def what(self) -> str: ...
    @property
    def where(self) -> Any: ...
    @property
    def before(self) -> Any: ...
    @property
    def after(self) -> Any: ...


def words_of(office: Federation, corrections: Iterable[Told]) -> list[str]:
    """Each correction in words: where, and what it was before and after."""
    told = list(corrections)
    numbers = {side["player"] for each in told for side in _sides(each)}
    found = Player.objects.filter(federation=office, number__in=numbers)
    people = found.select_related("merged_into", "federation") if numbers else ()
    names = {player.number: (player.merged_into or player).shown_name for player in people}
    return [_words(each, names) for each in told]


@dataclass(frozen=True, slots=True)
class ToldCorrection:
    """A correction for the office and the region, with its reason."""

    words: str
    on: date
    by: str
    reason: str
    stands: bool
    """Whether it is in what the section holds now; otherwise it was made on the file before."""


def told_of(section: Section) -> list[ToldCorrection]:
    """All corrections that the office ever made in a section, the first first."""
    kept = list(section.corrections.select_related("decision", "reason", "by"))
    if not kept:
        return []
    office = section.event.federation
    standing = set(Correction.objects.standing(section).values_list("pk", flat=True))
    names = office.appointments.names()
    return [
        ToldCorrection(words, one.decision.on, names.get(one.by_id or 0, ""), one.words, one.pk in standing)
        for one, words in zip(kept, words_of(office, kept), strict=True)
    ]


def told_in_public(section: Section) -> list[str]:
    """The corrections in what a section holds now, without the reasons, which may speak of people."""
    if not section.corrections.exists():
        return []
    return words_of(section.event.federation, Correction.objects.standing(section))


def _words(told: Told, names: Mapping[str, str]) -> str:
    if told.what == Correction.What.PLACE:
        return _("%(player)s: place %(before)s → %(after)s") % {
            "player": _name(told.where["entry"], names),
            "before": told.before or "–",
            "after": told.after,
        }
    if told.what == Correction.What.DATE:
        days = {"before": _day(told.before), "after": _day(told.after)}
        if told.where.get("day") == "starts":
            return _("first day: %(before)s → %(after)s") % days
        if told.where.get("day") == "ends":
            return _("last day: %(before)s → %(after)s") % days
        return _("day of round %(round)s: %(before)s → %(after)s") % {**days, "round": told.where["round"]}
    said = {
        "round": told.where["round"],
        "before": result_as_read(told.before),
        "after": result_as_read(told.after),
    }
    said["game"] = _pair(told.where["sides"], names)
    if told.what == Correction.What.PAIRING:
        said |= {"before": _pair(told.before, names), "after": _pair(told.after, names)}
        return _("round %(round)s: %(before)s → %(after)s") % said
    if told.what == Correction.What.STRUCK:
        return _("round %(round)s, %(game)s, %(before)s: struck, it counts for nothing") % said
    return _("round %(round)s, %(game)s: %(before)s → %(after)s") % said


def result_as_read(result: Any) -> Any:
    """A result as readers write it."""
    if result == "annulled":
        return _("annulled")
    return "½-½" if result == "1/2" else result


def _day(day: str | None) -> str:
    return date_format(date.fromisoformat(day), "DATE_FORMAT") if day else "–"


def _pair(sides: Any, names: Mapping[str, str]) -> str:
    first, second = (_name(side, names) for side in sides)
    return f"{first} – {second}"


def _name(side: Mapping[str, Any], names: Mapping[str, str]) -> str:
    return names.get(side["player"]) or _("number %(number)s") % {"number": side["number"]}


def _sides(told: Told) -> list[Mapping[str, Any]]:
    sides = [*told.where.get("sides", [])]
    if "entry" in told.where:
        sides.append(told.where["entry"])
    if told.what == Correction.What.PAIRING:
        sides += [*told.before, *told.after]
    return sides


def in_short(corrections: Iterable[Told]) -> list[str]:
    """Corrections for the record of decisions, which names players by their starting numbers."""
    return [_words(each, {}) for each in corrections]


# ---- Read the changes that a form carries, and make them in a section's rows.
Change = Mapping[str, Any]
MOST_CHANGES = 50
"""Corrections of one decision; a file that is wrong in more is another file."""
MOST_PLACES = 99_999
DAYS = ("starts", "ends")


@dataclass(frozen=True, slots=True)
class RowCorrected:
    """A change that was made in a section's rows, as `Correction` keeps it."""

    what: str
    row: Game | Entry | Section
    where: dict[str, Any]
    before: Any
    after: Any
    players: list[Player] = field(default_factory=list)


def parse_changes(text: str) -> list[Change]:
    """Read the changes that a form carries; raise `Refused` if these are none."""
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
    """Strike a game that cannot be: it stays in its place and counts for nothing (D-7)."""
    return _with_result(_game(section, change), ANNULLED, "struck")


def _with_result(game: Game, result: str, what: str) -> RowCorrected:
    before = game.result
    _refuse_same(before, result)
    game.result, game.excused = result, ""  # an excuse was for the forfeit that stood here
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


def _place(section: Section, change: Change) -> RowCorrected:
    entry, place = _entry(section, change.get("entry")), change.get("to")
    if not isinstance(place, int) or not 1 <= place <= MOST_PLACES:
        raise Refused(_("Write the place as a whole number, 1 for the first."))
    before = entry.place
    _refuse_same(before, place)
    entry.place = place
    return RowCorrected("place", entry, {"entry": _side(entry)}, before, place, _people(entry))


def _date(section: Section, change: Change) -> RowCorrected:
    try:
        day = date.fromisoformat(str(change.get("to")))
    except ValueError:
        raise Refused(_("Write the day as year, month and day, such as 2026-03-07.")) from None
    name = change.get("day")
    if name in DAYS:
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
    others = event.sections.exclude(stage__in=NOT_PLAYED).exclude(pk=section.pk)
    days = [(section.starts, section.ends), *others.values_list("starts", "ends")]
    event.starts, event.ends = min(first for first, _last in days), max(last for _first, last in days)
    event.version += 1
    return RowCorrected("date", section, {"day": name}, before.isoformat(), day.isoformat())


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


# ---- Correct a locked section, check it anew, and keep each correction beside the file.
@dataclass(frozen=True, slots=True)
class Applied:
    """Corrections that were made, and what the rules find in the section that they did not find before."""

    corrected: list[RowCorrected]
    found: list[Finding]
    findings: list[Finding]
    """All that is found in the section from now on, beside what the reader of its file found."""


def apply_changes(section: Section, changes: Sequence[Change]) -> Applied:
    """Correct a locked section's rows and check it anew.

    Of a rated section only what a correction brings is added to its findings: it was accepted as it stood.
    Raises `Refused` where a change cannot be made, or the section could not be accepted with it.
    """
    with rows_in_memory(section):
        applied = work_out_changes(section, changes)
    # Write the rows that were corrected in memory; the section's file stays as it came.
    for each in applied.corrected:
        if isinstance(each.row, Game):
            each.row.save(update_fields=["first", "second", "result", "excused"])
        elif isinstance(each.row, Entry):
            each.row.save(update_fields=["place"])
        else:
            section.save(update_fields=["round_dates", "starts", "ends"])
            section.event.save(update_fields=["starts", "ends", "version"])
    replace_findings(section, applied.findings)
    return applied


def work_out_changes(section: Section, changes: Sequence[Change]) -> Applied:
    """Correct a section's rows in memory (`rows_in_memory`) and check them anew, as `apply_changes` does;
    nothing is written.
    """
    noted = list(section.findings.all())
    of_file = [each for each in noted if each.source == "file"]
    held = findings_anew(section, noted, section.submitted_on)
    before = {mark_of(each) for each in (*of_file, *held)}
    asked = {(each.key, each.where) for each in (*of_file, *held) if each.level == "asks"}
    # Make the changes in a section's rows, which are in memory (`rows_in_memory`): nothing is written.
    verbs = {
        "result": _result,
        "struck": _struck,
        "pairing": _pairing,
        "place": _place,
        "date": _date,
    }
    corrected = []
    for change in changes:
        verb = verbs.get(str(change.get("what")))
        if verb is None:
            raise Refused(_("Choose what is to be corrected: a result, a pairing, a place or a date."))
        corrected.append(verb(section, change))
    if not corrected:
        raise Refused(_("Nothing is to be corrected: choose a game, a place or a date first."))
    after = findings_anew(section, [*of_file, *held], section.submitted_on)
    found = [each for each in after if mark_of(each) not in before]
    _refuse_blocked(section, [each for each in found if (each.key, each.where) not in asked])
    if section.stage != Stage.SUBMITTED:
        kept = {mark_of(each) for each in noted}
        after = [each for each in after if mark_of(each) not in before or mark_of(each) in kept]
    return Applied(corrected, found, after)


def keep_corrections(
    section: Section, corrected: Sequence[RowCorrected], *, by: User | None, decision: Decision
) -> list[Correction]:
    """Keep what was corrected by a decision, beside the file that the section holds."""
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


def try_changes(section: Section, changes: Sequence[Change]) -> Applied:
    """The corrections as `apply_changes` would make them; nothing is written."""
    copy = Section.objects.select_related("event__federation").get(pk=section.pk)
    with rows_in_memory(copy):
        return work_out_changes(copy, changes)
