"""Words of findings, adjustments and reasons, which are stored as keys and params."""

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from types import MappingProxyType
from typing import Any

from django.urls import reverse
from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _, gettext_lazy, gettext_noop, ngettext

from players.display import FORMAT_LABELS, day_in_words
from ratings.rulesets.facts import ANNULLED
from ratings.rulesets.profile import form_fields
from ratings.rulesets.ruleset import Ruleset
from tournaments.formats import messages
from tournaments.formats.file_check import Remark, group_equal_findings, join_ranges
from tournaments.formats.sheet import FileAdjustment, FileFinding
from tournaments.models import Archive, ArchivedFile, Finding, Section, Stage, Upload

MOST_LOCATIONS = 20
"""The maximum number of places of equal findings that a page names."""
NO_LINES: Mapping[int, str] = MappingProxyType({})
DAYS = re.compile(r"\d{4}-\d\d-\d\d( – \d{4}-\d\d-\d\d)?")
DECIMAL = re.compile(r"-?\d+\.\d+")
POINTS = frozenset({"counted", "filed", "more_points", "points"})
"""Params that may be points of players."""
OWN_MESSAGES: Mapping[str, str] = {
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
    "round-dates-order": gettext_noop(
        "These rounds are dated before an earlier one: %(rounds)s. Correct the dates under Details, or say"
        " why they are right."
    ),
    "dates-differ": gettext_noop(
        "The file says %(filed)s, the section is registered for %(registered)s. Say under Details which is"
        " right."
    ),
    "rounds-differ": gettext_noop(
        "The file says %(filed)s rounds, the section is registered for %(registered)s. Say under Details "
        "which is right."
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
    "name-of-another-section": gettext_noop(
        "By its name, “%(text)s”, this is the file of %(other)s; it was uploaded to %(registered)s. Move it "
        "there; if it is right here, save Details."
    ),
    "results-of-another-section": gettext_noop(
        "This seems to be the file of %(other)s: %(count)s of its results are in that section. It was "
        "uploaded to %(registered)s. Move it there; if it is right here, save Details."
    ),
    "days-of-another-section": gettext_noop(
        "By its days, %(days)s, this is the file of %(other)s; it was uploaded to %(registered)s. Move it "
        "there; if it is right here, save Details."
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
        "The file gives the time control as “%(text)s”, which differs from the registered one."
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
    "place-against-points": gettext_noop(
        "%(better)s has place %(place)s, and %(worse)s place %(lower_place)s; their points are %(points)s "
        "and %(more_points)s."
    ),
    # Answered by another file, under Players, or with the reason why all is right.
    "births-doubtful": gettext_noop(
        "Births after the event, or of people under 3 or over 105 years: %(count)s (%(names)s)."
    ),
    "twins": gettext_noop(
        "Entries with the name of an earlier one, and no other birth or sex: %(count)s (%(names)s)."
    ),
    "ids-differ": gettext_noop(
        "Players for whom file and register give different ids of one kind: %(count)s (%(names)s)."
    ),
    "pairs-repeated": gettext_noop("Pairs who met more often than the format allows: %(count)s (%(names)s)."),
    "pairs-missing": gettext_noop("Pairs of the round robin who never met: %(count)s (%(names)s)."),
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
WAYS: Mapping[str, str] = {
    "births-doubtful": gettext_noop("Correct them under Players, or say why they are right."),
    "twins": gettext_noop("If they are one person, correct the file; if they are two people, say so."),
    "ids-differ": gettext_noop("Choose the right player under Players, or say why it is the same person."),
    **dict.fromkeys(
        ("pairs-repeated", "pairs-missing"),
        gettext_noop("Correct the file or, under Details, the format; or say why it is right."),
    ),
    "time-control-differs": gettext_noop("Say under Details which is right."),
}
"""What to do about a finding of a section; a history has other ways."""
OWN_ADJUSTMENTS: Mapping[str, str] = {
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
"""The form's name in the English templates of the findings that it answers."""
TIME_CONTROL = "time-control-read"
COMMON_FORM_PLACES = frozenset({"name", "starts", "ends", "format", "team", *ANCHORS})
"""The places of findings that the details form answers under any ruleset."""
BYES: Mapping[str, Promise] = {
    "pairing": gettext_lazy("allocated by the pairing"),
    "full": gettext_lazy("full-point bye"),
    "half": gettext_lazy("half-point bye"),
    "zero": gettext_lazy("zero-point bye, absent"),
}


def result_in_words(result: Any) -> Any:
    """A result or a kind of bye as people write it; anything else is returned unchanged."""
    if result == ANNULLED:
        return _("annulled")
    if isinstance(result, str) and result in BYES:
        return str(BYES[result])
    return "½-½" if result == "1/2" else result


@dataclass(frozen=True, slots=True)
class WordedFinding:
    """A finding as pages list it (see the component `findings`)."""

    key: int
    level: str
    words: str
    cause: str = ""
    """The kind of finding, by which it is grouped."""
    clause: str = ""
    clause_url: str = ""
    where: str = ""
    """The cells of a workbook, or the file and line in an archive."""
    line: int | None = None
    """The line of the excerpt, the first of several."""
    lines: str = ""
    """Several lines in words."""
    column: int | None = None
    excerpt: str = ""
    waived_because: str = ""
    asked_because: str = ""
    """The region's reason why the office should allow it, while that has not decided."""
    action_url: str = ""
    action_label: str = ""


def describe_finding(finding: Finding, ruleset: Ruleset) -> str:
    """The text of a finding: what is wrong, and what to do."""
    if finding.source == "rules":
        params = rule_params_in_words(finding.params, ruleset, finding.where)
        return _(_template(finding, ruleset)).format(**params)
    return render_message(finding.key, params_in_words(finding.params))


def _source(finding: Finding, ruleset: Ruleset) -> str:
    """The English template of a finding."""
    if finding.source == "rules":
        return _template(finding, ruleset)
    return f"{_own_template(finding.key)} {WAYS.get(finding.key, '')}"


def _template(finding: Finding, ruleset: Ruleset) -> str:
    """The ruleset's template for a finding: by key and level, as `KEY:notice`, or by key."""
    templates = ruleset.words.messages
    return templates.get(f"{finding.key}:{finding.level}") or templates.get(finding.key, finding.key)


def render_message(key: str, params: Mapping[str, Any], ways: Mapping[str, str] = WAYS) -> str:
    """The words of a message of the program's own, with what to do where that depends on the door."""
    template = _own_template(key)
    words = _(template) % params if template else key
    return f"{words} {_(ways[key])}" if key in ways else words


def _own_template(key: str) -> str:
    return str(OWN_MESSAGES.get(key) or OWN_ADJUSTMENTS.get(key) or messages.MESSAGES.get(key, ""))


def params_in_words(params: Mapping[str, Any]) -> dict[str, Any]:
    """A finding's params in words: days, points and labels in the language, quotes (`text`) as they are."""
    return {name: _param_in_words(name, value) for name, value in params.items()}


def rule_params_in_words(params: Mapping[str, Any], ruleset: Ruleset, where: str = "") -> dict[str, Any]:
    """The params of a ruleset's finding in words. The choices of a field stand by their labels: in the param
    of the field's name, and in all if the finding is about the field (`where`).
    """
    labels: dict[str, Mapping[str, str]] = {
        field.name: {choice.value: choice.label for choice in field.choices} for field in form_fields(ruleset)
    }
    known = {name: {**labels.get(where, {}), **labels.get(name, {})} for name in params}
    return params_in_words(
        {
            name: known[name].get(value, value) if isinstance(value, str) else value
            for name, value in params.items()
        }
    )


def _param_in_words(name: str, value: Any) -> Any:
    if name == "format":
        return str(FORMAT_LABELS.get(value, value))
    if name == "result":
        return result_in_words(value)
    if isinstance(value, str) and name in POINTS and DECIMAL.fullmatch(value):
        return number_format(value)
    if isinstance(value, str) and name != "text" and DAYS.fullmatch(value):
        with suppress(ValueError):
            return " – ".join(day_in_words(date.fromisoformat(day)) for day in value.split(" – "))
    return _(value) if isinstance(value, str) and value else value


def describe_adjustment(key: str) -> str:
    template = OWN_ADJUSTMENTS.get(key) or messages.ADJUSTMENTS.get(key)
    return _(template) if template else key


def word_for_reader(said: FileFinding | FileAdjustment) -> str:
    """The words of what a reader found or changed."""
    if isinstance(said, FileAdjustment):
        return describe_adjustment(said.key)
    return render_message(said.key, params_in_words(said.params))


def describe_failure(file: Upload | Archive | ArchivedFile) -> list[str]:
    """The sentences on why a file could not be read."""
    return reasons_in_words(file.reason)


def reasons_in_words(reason: str) -> list[str]:
    """A stored reason (`filing.as_reason`, or plain text) as sentences."""
    try:
        reasons = json.loads(reason)
    except ValueError:
        return [reason] if reason else []
    equal: dict[str, list[Mapping[str, Any]]] = {}
    for each in reasons:
        equal.setdefault(render_message(each["key"], params_in_words(each["params"])), []).append(each)
    return [_with_places(words, same) for words, same in equal.items()]


def _with_places(words: str, reasons: Sequence[Mapping[str, Any]]) -> str:
    """A sentence with the cells or lines of equal reasons."""
    if cells := [each["where"] for each in reasons if each.get("where")]:
        return f"{join_locations(cells)}: {words}"
    lines = lines_in_words([each["line"] for each in reasons if each.get("line")])
    return f"{lines[0].upper()}{lines[1:]}: {words}" if lines else words


def lines_in_words(lines: Iterable[int]) -> str:
    """Lines of a file in words: “line 4”, “lines 4–203, 210”; empty for none."""
    numbers = sorted(set(lines))
    words = ngettext("line %(lines)s", "lines %(lines)s", len(numbers))
    return words % {"lines": join_locations(join_ranges(numbers))} if numbers else ""


def join_locations(places: Sequence[str]) -> str:
    """The first of these places, and how many more there are."""
    shown, more = ", ".join(places[:MOST_LOCATIONS]), len(places) - MOST_LOCATIONS
    return _("%(places)s and %(more)s more") % {"places": shown, "more": more} if more > 0 else shown


def build_worded_findings(
    section: Section,
    findings: Iterable[Finding],
    lines: Mapping[int, str] = NO_LINES,
    *,
    without_links: bool = False,
) -> list[WordedFinding]:
    """Findings for a page, with words, lines and, unless `here`, a link to answer; equal ones of several
    lines are one.
    """
    ruleset = section.event.federation.ruleset
    granted = {each["reason"] for each in section.permissions}
    shown = [_show(section, equal, ruleset, lines, granted) for equal in group_equal_findings(findings)]
    return [replace(one, action_url="") for one in shown] if without_links else shown


def _show(
    section: Section,
    equal: Sequence[Finding],
    ruleset: Ruleset,
    lines: Mapping[int, str],
    granted: Collection[str],
) -> WordedFinding:
    finding = equal[0]
    url, label = _action(section, finding)
    if not url and finding.level == "waivable" and not finding.waived_because and section.open_to_filing:
        permits = section.event.federation.equipment.office.powers.permits
        clause = next((each.clause for each in permits if finding.key in each.waives), "")
        if clause:
            url = f"{filing_url('deadlines', section)}?clause={clause}#permissions"
            label = _("Ask the office to permit it")
    decided = section.stage == Stage.RATED or finding.waived_because in granted
    regulations = f"{section.event.federation.get_absolute_url()}regulations/"
    edition = ruleset.edition_on_or_first(section.starts)  # D-9
    answered = details_form_places(section)
    cells = [each.where for each in equal if each.where not in ("", *answered) and each.source == "file"]
    line = None if cells else finding.line
    return WordedFinding(
        key=finding.pk,
        level=finding.level,
        words=describe_finding(finding, ruleset),
        cause=f"{finding.source} {finding.key}",
        clause=finding.clause,
        clause_url=f"{regulations}#{ruleset.clause_anchor(finding.clause, edition)}"
        if finding.clause in ruleset.clauses_of(edition)
        else "",
        where=join_locations(cells),
        line=line,
        lines=_lines_of((each.line for each in equal), {each.column for each in equal})
        if line and len(equal) > 1
        else "",
        column=finding.column,
        excerpt=lines.get(line, "") if line else "",
        waived_because=finding.waived_because if decided else "",
        asked_because="" if decided else finding.waived_because,
        action_url=url,
        action_label=label,
    )


def _lines_of(lines: Iterable[int | None], columns: Collection[int | None]) -> str:
    """The lines of equal findings in words, with the column if all have the same."""
    words = lines_in_words(filter(None, lines))
    if len(columns) != 1 or None in columns:
        return words
    return _("%(lines)s, column %(column)s") % {"lines": words, "column": next(iter(columns))}


def build_worded_remarks(remarks: Iterable[Remark]) -> list[WordedFinding]:
    """Findings of a check of a file, for a page."""
    return [
        WordedFinding(
            key=0,
            level=each.level,
            words=each.words,
            cause=each.key,
            where=join_locations(each.where),
            line=each.lines[0] if each.lines and not each.where else None,
            lines=_lines_of(each.lines, {each.column}) if len(each.lines) > 1 and not each.where else "",
            column=each.column,
            excerpt=each.excerpt,
        )
        for each in remarks
    ]


def build_worded_adjustments(remarks: Iterable[Remark]) -> list[dict[str, str]]:
    """Adjustments of a check of a file, for a page."""
    return [
        {
            "words": each.words,
            "lines": join_locations(join_ranges(each.lines)),
            "before": each.before,
            "after": result_in_words(each.after),
        }
        for each in remarks
    ]


def _action(section: Section, finding: Finding) -> tuple[str, str]:
    """The address and label of the page that answers the finding; empty if none does."""
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
    return finding.source != "players" and (
        finding.level == "asks"
        or finding.key == TIME_CONTROL
        or finding.where in details_form_places(section)
    )


def details_form_places(section: Section) -> frozenset[str]:
    """The places of findings (`Finding.where`) that the details form answers."""
    return COMMON_FORM_PLACES | {field.name for field in form_fields(section.event.federation.ruleset)}


def filing_url(step: str, section: Section, *args: object) -> str:
    event = section.event
    return reverse(f"tournaments:{step}", args=(event.federation.code, event.number, section.code, *args))
