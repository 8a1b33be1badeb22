"""Words of findings, adjustments and reasons: keys and params are stored, sentences are made when shown."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from types import MappingProxyType
from typing import Any

from django.urls import reverse
from django.utils.formats import date_format, number_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop, ngettext

from ratings.rulesets.profile import form_fields
from ratings.rulesets.ruleset import Ruleset
from tournaments.formats import messages
from tournaments.models import Adjustment, Archive, ArchivedFile, Finding, Section, Upload

MOST_PLACES = 20
"""The most places of equal findings that a page names."""
NO_LINES: Mapping[int, str] = MappingProxyType({})
DAYS = re.compile(r"\d{4}-\d\d-\d\d( – \d{4}-\d\d-\d\d)?")
DECIMAL = re.compile(r"-?\d+\.\d+")
POINTS = frozenset({"counted", "filed", "points"})
"""The params that may be points of players."""
OWN: Mapping[str, str] = {
    # Answered by the details form.
    "field-needed": gettext_noop("“%(label)s” is not known yet. Give it under Details."),
    "rounds-needed": gettext_noop(
        "How many rounds were scheduled? The file holds %(played)s and does not say. Give the number under"
        " Details."
    ),
    "rounds-too-few": gettext_noop(
        "%(played)s rounds were played, more than the %(scheduled)s that were scheduled. Correct it under "
        "Details, where finals and play-offs are told apart."
    ),
    "nobody-known": gettext_noop(
        "None of the %(count)s players is in the register. Is this the right file? If not, upload the right "
        "one instead; if it is, they become new players."
    ),
    "round-dates-needed": gettext_noop(
        "The dates of these rounds are missing: %(rounds)s. Give them under Details."
    ),
    "round-dates-outside": gettext_noop(
        "These rounds are dated outside the section's days (%(starts)s to %(ends)s): %(rounds)s. Correct one"
        " or the other under Details."
    ),
    "dates-differ": gettext_noop(
        "The file says %(filed)s, the section is registered for %(registered)s. Say under Details which is"
        " right."
    ),
    "event-name-differs": gettext_noop(
        "The file says that it is of “%(text)s”; it was uploaded to “%(registered)s”. If it is another "
        "event's file, remove it here and upload the right one."
    ),
    "file-of-another-event": gettext_noop(
        "The file says that it is of “%(text)s”. That is more like %(other)s, played on the same days, than "
        "“%(registered)s”, to which it was uploaded. If it is that event's file, remove it here and upload it"
        " there."
    ),
    "absences": gettext_noop(
        "Forfeits: %(forfeits)s; players who left before the end: %(gone)s. The file cannot show who gave "
        "notice; say so under Details, because a player without notice may lose points."
    ),
    "id-kind-needed": gettext_noop(
        "The file gives ids that the register does not know: %(count)s (%(ids)s). Say under Details what "
        "kind of ids they are, so that the office can find players by them and new players keep them."
    ),
    "platform-differs": gettext_noop(
        "This file comes from an online platform, but the section is registered as played over the board. "
        "Say under Details which is right."
    ),
    "time-control-read": gettext_noop(
        "The time control comes from the file's words “%(text)s”. Check it under Details."
    ),
    "time-control-differs": gettext_noop(
        "The file gives the time control as “%(text)s”, which differs from the registered one. Check it "
        "under Details."
    ),
    "no-regulations": gettext_noop(
        "The regulations apply from %(first)s; this section began earlier, so it cannot be rated. If the "
        "date is wrong, correct it under Details."
    ),
    "places-needed": gettext_noop(
        "Missing final places: %(count)s (%(names)s). Give them under Details; players who share a place "
        "have the same number."
    ),
    "games-beside-places": gettext_noop(
        "The section is registered “by places”, and the file holds games: %(games)s. Upload the table without"
        " its games, or choose another format under Details."
    ),
    "twice-in-a-round": gettext_noop(
        "%(player)s has %(times)s games or byes in round %(round)s; only one is allowed. Correct the round, "
        "or remove what does not count, and upload the file again."
    ),
    "same-game-twice": gettext_noop(
        "Round %(round)s has the same game %(times)s times: %(first)s – %(second)s, %(result)s. If they "
        "played it once, the file has a row too many: remove it and upload the file again."
    ),
    # Answered by the players' page.
    "players-doubtful": gettext_noop(
        "Players who may be in the register already: %(count)s (%(names)s). Decide about each under Players."
    ),
    "players-unknown": gettext_noop(
        "Players who are not in the register: %(count)s (%(names)s). Find them or enter them as new under "
        "Players."
    ),
    "new-players-incomplete": gettext_noop(
        "New players with missing details: %(count)s (%(names)s). Add the details under Players."
    ),
    # Reasons why an upload could not be used.
    "not-taken-here": gettext_noop(
        "This is a file of the kind “%(kind)s”, which this federation does not read. It reads %(taken)s, and"
        " the table that can be downloaded here. Check that you chose the right file and the right"
        " federation."
    ),
    "take-instead": gettext_noop(
        "This is a file of the kind “%(kind)s”, which this federation does not read. %(instead)s"
    ),
    "no-room": gettext_noop(
        "There is no room for the files in this archive (%(more)s): of the %(most)s of files that may be "
        "kept for %(holder)s, %(used)s are in use. Remove files and archives that you do not need, or ask the"
        " office for more room, and upload the archive again."
    ),
    "history-crash": gettext_noop(
        "The history could not be worked on because of an error in our program. Nothing of it was written: "
        "please write to those who run the site."
    ),
    "section-closed": gettext_noop(
        "An official decided on the section while this file waited, so the file was not read. Nothing was "
        "changed."
    ),
}
OWN_ADJUSTMENTS: Mapping[str, str] = {
    "line-not-used": gettext_noop("The office does not use this line."),
    "round-dates-of-one-day": gettext_noop(
        "The section was played on one day, so each round without a date has that day."
    ),
    "same-game-counted": gettext_noop(
        "The same game stands %(times)s times in round %(round)s, and each counts: %(first)s – %(second)s, "
        "%(result)s."
    ),
    "points-overruled": gettext_noop("The results count, not the points in the file: %(player)s."),
}
ANCHORS: Mapping[str, str] = {
    "rounds": "#rounds",
    "round-dates": "#round-dates",
    "places": "#places",
    "organizer": "#officials",
    "arbiters": "#officials",
    "id-kind": "#id-kind",
}
DETAILS = "Details"
"""The name of the form in the English words of each finding that it answers."""
TIME_CONTROL = ("time-control-read", "time-control-differs")
COMMON = frozenset({"name", "starts", "ends", "format", "team", *ANCHORS})
"""The places of findings that the details form answers under any ruleset."""
BYES: Mapping[str, Promise] = {
    "pairing": gettext_lazy("allocated by the pairing"),
    "full": gettext_lazy("full-point bye"),
    "half": gettext_lazy("half-point bye"),
    "zero": gettext_lazy("zero-point bye, absent"),
}


@dataclass(frozen=True, slots=True)
class WordedFinding:
    """A finding as the page lists it (see the component `findings`)."""

    key: int
    level: str
    words: str
    cause: str = ""
    """The kind of finding: those of the same stand together."""
    clause: str = ""
    clause_url: str = ""
    where: str = ""
    """The cells of a workbook, or the file and line in an archive."""
    line: int | None = None
    """The line that the excerpt shows, the first of several."""
    lines: str = ""
    """The place of several lines in words."""
    column: int | None = None
    excerpt: str = ""
    waived_because: str = ""
    action_url: str = ""
    action_label: str = ""


def words_of(finding: Finding, ruleset: Ruleset) -> str:
    """The text of a finding: what is wrong, and what to do."""
    if finding.source == "rules":
        return _(_template(finding, ruleset)).format(**in_words(finding.params))
    return say(finding.key, in_words(finding.params))


def _source(finding: Finding, ruleset: Ruleset) -> str:
    """The English words of a finding before anything is filled in."""
    return _template(finding, ruleset) if finding.source == "rules" else _own(finding.key)


def _template(finding: Finding, ruleset: Ruleset) -> str:
    """The ruleset's template for a finding: for its key and level, as `KEY:notice`, or else for its key."""
    told = ruleset.words.messages.get(f"{finding.key}:{finding.level}")
    return told or ruleset.words.messages.get(finding.key, finding.key)


def say(key: str, params: Mapping[str, Any]) -> str:
    template = _own(key)
    return _(template) % params if template else key


def _own(key: str) -> str:
    return str(OWN.get(key) or OWN_ADJUSTMENTS.get(key) or messages.MESSAGES.get(key, ""))


def in_words(params: Mapping[str, Any]) -> dict[str, Any]:
    """A finding's params as pages write them."""
    return {name: _of_param(name, value) for name, value in params.items()}


def _of_param(name: str, value: Any) -> Any:
    """A value among a finding's params as pages write it: days in words, points with the language's decimal
    sign, labels translated, quotes from a file (`text`) as they are.
    """
    if isinstance(value, str) and name in POINTS and DECIMAL.fullmatch(value):
        return number_format(value)
    if isinstance(value, str) and name != "text" and DAYS.fullmatch(value):
        with suppress(ValueError):
            return " – ".join(day_in_words(date.fromisoformat(day)) for day in value.split(" – "))
    return _(value) if isinstance(value, str) and value else value


def day_in_words(day: date) -> str:
    return date_format(day, "DATE_FORMAT")


def words_of_adjustment(adjustment: Adjustment) -> str:
    template = OWN_ADJUSTMENTS.get(adjustment.key) or messages.ADJUSTMENTS.get(adjustment.key)
    return _(template) if template else adjustment.key


def why(file: Upload | Archive | ArchivedFile) -> list[str]:
    """The reasons why a file could not be read, a sentence each."""
    return reasons_in_words(file.reason)


def reasons_in_words(reason: str) -> list[str]:
    """A stored reason (`store_reading.as_reason`, or words) as sentences."""
    try:
        told_of = json.loads(reason)
    except ValueError:
        return [reason] if reason else []
    told: dict[str, list[Mapping[str, Any]]] = {}
    for each in told_of:
        told.setdefault(say(each["key"], in_words(each["params"])), []).append(each)
    return [_placed(words, equal) for words, equal in told.items()]


def _placed(words: str, equal: Sequence[Mapping[str, Any]]) -> str:
    """A sentence with the places of the equal reasons that it tells."""
    if cells := [each["where"] for each in equal if each.get("where")]:
        return f"{some_of(cells)}: {words}"
    told = lines_in_words([each["line"] for each in equal if each.get("line")])
    return f"{told[0].upper()}{told[1:]}: {words}" if told else words


def lines_in_words(lines: Iterable[int]) -> str:
    """The words for lines of a file: “line 4”, “lines 4–203, 210”; empty for none."""
    numbers = sorted(set(lines))
    words = ngettext("line %(lines)s", "lines %(lines)s", len(numbers))
    return words % {"lines": some_of(spans_of(numbers))} if numbers else ""


def spans_of(lines: Iterable[int]) -> list[str]:
    """Lines with those that follow each other as one: `4–203`, `210`."""
    spans: list[list[int]] = []
    for number in sorted(set(lines)):
        if spans and number == spans[-1][-1] + 1:
            spans[-1].append(number)
        else:
            spans.append([number])
    return [str(span[0]) if len(span) == 1 else f"{span[0]}–{span[-1]}" for span in spans]


def some_of(places: Sequence[str]) -> str:
    """The first of these places, and how many more there are."""
    told = ", ".join(places[:MOST_PLACES])
    more = len(places) - MOST_PLACES
    return _("%(places)s and %(more)s more") % {"places": told, "more": more} if more > 0 else told


def show_findings(
    section: Section, findings: Iterable[Finding], lines: Mapping[int, str] = NO_LINES, *, here: bool = False
) -> list[WordedFinding]:
    """Findings for a page: with words, the lines that they are about, a link to answer (unless `here`).
    Equal findings of several lines are one.
    """
    ruleset = section.event.federation.ruleset
    shown = [_show(section, equal, ruleset, lines) for equal in equal_ones(findings)]
    return [replace(one, action_url="") for one in shown] if here else shown


def equal_ones(findings: Iterable[Finding]) -> list[list[Finding]]:
    """Findings by what they say, in the order of the first of each kind: equal ones of a file's lines
    together, any other by itself.
    """
    found: dict[tuple[object, ...], list[Finding]] = {}
    for finding in findings:
        said = (finding.level, finding.key, json.dumps(finding.params, sort_keys=True))
        mark = (*said, *(() if finding.source == "file" else (len(found),)))
        found.setdefault(mark, []).append(finding)
    return list(found.values())


def _show(
    section: Section, equal: Sequence[Finding], ruleset: Ruleset, lines: Mapping[int, str]
) -> WordedFinding:
    finding = equal[0]
    url, label = _action(section, finding)
    regulations = f"{section.event.federation.get_absolute_url()}regulations/"
    edition = ruleset.edition_of_day(section.starts)  # D-9
    cells = [each.where for each in equal if each.where] if finding.source == "file" else []
    line = None if cells else finding.line
    return WordedFinding(
        key=finding.pk,
        level=finding.level,
        words=words_of(finding, ruleset),
        cause=f"{finding.source} {finding.key}",
        clause=finding.clause,
        clause_url=f"{regulations}#{ruleset.place_of(finding.clause, edition)}"
        if finding.clause in ruleset.clauses_of(edition)
        else "",
        where=some_of(cells),
        line=line,
        lines=_lines_of(equal) if line and len(equal) > 1 else "",
        column=finding.column,
        excerpt=lines.get(line, "") if line else "",
        waived_because=finding.waived_because,
        action_url=url,
        action_label=label,
    )


def _lines_of(equal: Sequence[Finding]) -> str:
    """The words for the lines of equal findings, with the column if all are in the same."""
    told = lines_in_words(each.line for each in equal if each.line)
    columns = {each.column for each in equal}
    if len(columns) > 1 or None in columns:
        return told
    return _("%(lines)s, column %(column)s") % {"lines": told, "column": columns.pop()}


def _action(section: Section, finding: Finding) -> tuple[str, str]:
    """Address and label of the page that answers the finding; empty if none does."""
    if finding.source == "players":
        return filing_url("players", section), _("Decide")
    if is_for_details(section, finding) or DETAILS in _source(finding, section.event.federation.ruleset):
        anchor = ANCHORS.get(finding.where, "")
        return filing_url("details", section) + anchor, _("Answer under Details")
    if finding.source == "rules" and finding.where == "players":
        return filing_url("players", section), _("See the players")
    return "", ""


def is_for_details(section: Section, finding: Finding) -> bool:
    """Whether the details form answers a finding."""
    if finding.source == "players":
        return False
    in_form = finding.where in in_details_form(section)
    return finding.level == "asks" or in_form or finding.key in TIME_CONTROL


def in_details_form(section: Section) -> frozenset[str]:
    """The places of findings (`Finding.where`) that the details form answers."""
    fields = form_fields(section.event.federation.ruleset)
    return COMMON | {field.name for field in fields}


def filing_url(step: str, section: Section, *args: object) -> str:
    event = section.event
    parts = (event.federation.code, event.number, section.code, *args)
    return reverse(f"tournaments:{step}", args=parts)
