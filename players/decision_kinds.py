"""The kinds of decisions: how the record tells each, what follows from it, and texts for their details."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.db.models import Q
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_lazy, pgettext_lazy

from players.display import day_in_words, days_in_words, format_escaped, join_escaped
from players.models import Role, User
from players.seals import WORD_KEYS
from players.settings import SettingTerms, setting_terms

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


# ---- Details of decisions
LABELS: dict[str, Any] = {
    "births": gettext_lazy("births"),
    "changed": gettext_lazy("changed"),
    "changes": gettext_lazy("changes"),
    "fact": gettext_lazy("journal line"),
    "fields": gettext_lazy("fields"),
    "given": gettext_lazy("sections given to it"),
    "other": gettext_lazy("other entry"),
    "former_rules": gettext_lazy("instead of rules"),
    "layout": gettext_lazy("as"),
    "left_out": gettext_lazy("left out"),
    "line": gettext_lazy("up to line"),
    "lists": gettext_lazy("lists that stay"),
    "new": gettext_lazy("new"),
    "number": gettext_lazy("number"),
    "new_players": gettext_lazy("new players"),
    "players": gettext_lazy("players"),
    "program": gettext_lazy("version"),
    "proof": gettext_lazy("proof"),
    "published": gettext_lazy("seal of lists and errata"),
    "ratings": gettext_lazy("ratings that moved"),
    "reason": gettext_lazy("reason"),
    "region": gettext_lazy("region"),
    "role": gettext_lazy("role"),
    "rules": gettext_lazy("rules"),
    "sections": gettext_lazy("sections and other facts"),
    "ends": gettext_lazy("to"),
    "starts": gettext_lazy("from"),
    "waived": gettext_lazy("to be waived"),
}
SUBJECT_NAMES: Mapping[str, Any] = {
    "section": gettext_lazy("section %(key)s"),
    "event": gettext_lazy("event %(key)s"),
    "player": gettext_lazy("player %(key)s"),
    "region": gettext_lazy("region %(key)s"),
    "season": gettext_lazy("season %(key)s"),
    "case": gettext_lazy("case %(key)s"),
    "checkpoint": gettext_lazy("checkpoint %(key)s"),
    "decision": gettext_lazy("decision %(key)s"),
    "log": gettext_lazy("log %(key)s"),
    "office": gettext_lazy("office %(key)s"),
    "rules": gettext_lazy("rules %(key)s"),
    "register": gettext_lazy("register"),
    "cases": gettext_lazy("cases"),
    "letters": gettext_lazy("a reader of letters"),
    "files": gettext_lazy("files"),
    "history": gettext_lazy("history"),
}
"""The names of what decisions are about, by the first word of `Decision.about`."""


def thing_in_words(about: str) -> str:
    """The name of what a decision is about; an unknown one is returned as recorded."""
    what, _space, key = about.partition(" ")
    if what == "list":
        return gettext("list of %(day)s") % {"day": day_in_words(key)}
    return SUBJECT_NAMES[what] % {"key": key} if what in SUBJECT_NAMES else about


MOST_LISTED = 10
"""The most values of one detail that are shown; a longer list ends with their number."""


def detail_in_words(given: Any) -> str:
    """A decision's detail as text: mappings and lists with commas, a checksum by its first 12 digits."""
    if isinstance(given, dict):
        return ", ".join(f"{name}: {_pair(part) or detail_in_words(part)}" for name, part in given.items())
    if isinstance(given, list) and len(given) > MOST_LISTED:
        return f"{', '.join(map(detail_in_words, given[:MOST_LISTED]))} … ({len(given)})"
    if isinstance(given, list):
        parts = [detail_in_words(each) for each in given]
        safe = [each for each in parts if isinstance(each, SafeString)]
        return join_escaped(safe, ", ") if len(safe) == len(parts) else ", ".join(parts)
    text = str(given)
    return text[:12] if len(text) == 64 and text.isalnum() else text


def _pair(given: Any) -> str:
    """`before → after` for a list of two plain values, else empty."""
    if not isinstance(given, list) or len(given) != 2 or any(isinstance(each, dict | list) for each in given):
        return ""
    return f"{detail_in_words(given[0]) or '–'} → {detail_in_words(given[1]) or '–'}"


HINTS: Mapping[str, Any] = {
    "same-event": gettext_lazy("the same event twice"),
    "two-places": gettext_lazy("in two places on one day"),
    "look-alike": gettext_lazy("a name that looks like another’s"),
    "far-score": gettext_lazy("a score far from expectation"),
}
PARTICULARS: Mapping[str, Any] = {
    "arbiters": gettext_lazy("arbiters"),
    "birth": gettext_lazy("birth"),
    "club": gettext_lazy("club"),
    "country": gettext_lazy("country"),
    "deceased": gettext_lazy("deceased"),
    "ends": gettext_lazy("last day"),
    "first_name": gettext_lazy("first name"),
    "included_by": gettext_lazy("included by the decision"),
    "name": gettext_lazy("name"),
    "nation": gettext_lazy("nation"),
    "organizer": gettext_lazy("chief organiser"),
    "place": gettext_lazy("place"),
    "region": gettext_lazy("region"),
    "resident": gettext_lazy("lives in the country"),
    "sex": gettext_lazy("sex"),
    "starts": gettext_lazy("first day"),
    "surname": gettext_lazy("surname"),
    "title": gettext_lazy("title"),
    "withheld": gettext_lazy("withheld"),
}
"""The particulars of events and of players, as an edit or a correction names them."""
SECTION_PARTICULARS: Mapping[str, Any] = {
    "code": gettext_lazy("code"),
    "format": gettext_lazy("format"),
    "team": gettext_lazy("team section"),
}
"""The particulars that only sections have; those of rulesets have their own labels."""
UNRATE_REASONS: Mapping[str, Any] = {
    "result": gettext_lazy("a game was entered wrongly"),
    "player": gettext_lazy("somebody was taken for somebody else"),
    "particulars": gettext_lazy("dates, time control, rounds or place were wrong"),
    "duplicate": gettext_lazy("it was rated twice"),
    "breach": gettext_lazy("a clause forbade rating it"),
    "appeal": gettext_lazy("decided on appeal"),
    "withdrawn": gettext_lazy("the organiser withdrew it"),
    "other": gettext_lazy("another reason"),
}
CODE_LABELS: Mapping[tuple[str, str], Mapping[str, Any]] = {
    ("answer-hint", "hint"): HINTS,
    ("answer-hint", "outcome"): {
        "right": gettext_lazy("it is right"),
        "asked": gettext_lazy("the region was asked"),
    },
    ("close-case", "outcome"): {
        "corrected": gettext_lazy("it was wrong and is corrected"),
        "nothing-wrong": gettext_lazy("nothing is wrong"),
        "not-ours": gettext_lazy("others decide about it"),
        "withdrawn": gettext_lazy("the report was withdrawn"),
        "lapsed": gettext_lazy("it was answered, and nobody wrote again"),
    },
    ("correct", "changes"): PARTICULARS,
    ("correct", "fields"): PARTICULARS,
    ("edit", "changed"): PARTICULARS,
    ("edit", "edited"): {**PARTICULARS, **SECTION_PARTICULARS},
    ("complete", "edited"): {**PARTICULARS, **SECTION_PARTICULARS},
    ("leave-hints", "kinds"): HINTS,
    ("unrate", "reason"): UNRATE_REASONS,
}
"""The texts for codes, by kind of decision and key of the detail."""
DAY_RANGES = frozenset({"days_before", "days_now", "event_days_before", "event_days_now"})
"""Details that are a first and a last day."""


def translate_detail(kind: str, key: str, given: Any) -> Any:
    """A decision's detail with texts for its codes and days; what people wrote is unchanged."""
    if (kind, key) == ("set", "changed") and isinstance(given, dict):
        terms = setting_terms()
        return {
            str(terms[name].label) if name in terms else name: (
                [_setting(terms[name], each) for each in pair] if name in terms else pair
            )
            for name, pair in sorted(given.items())
        }
    if key in DAY_RANGES and isinstance(given, list) and len(given) == 2:
        return days_in_words(given)
    words = dict(Role.choices) if key == "role" else CODE_LABELS.get((kind, key), {})
    return given if key in WORD_KEYS and not words else _translate_codes(words, given)


def _translate_codes(words: Mapping[str, Any], given: Any) -> Any:
    if isinstance(given, dict):
        # PostgreSQL gives a JSON object back in an order of its own
        return {_translate_codes(words, name): part for name, part in sorted(given.items())}
    if isinstance(given, list):
        return [_translate_codes(words, each) for each in given]
    return str(words.get(given) or day_in_words(given)) if isinstance(given, str) else given


def _setting(terms: SettingTerms, value: Any) -> str:
    if isinstance(value, bool):
        return gettext("on") if value else gettext("off")
    return str(dict(terms.choices).get(value, value)) or "–"


# ---- The kinds of decisions
#
# `{who}` and `{what}` are the person and the thing; every other name in braces is a detail. A further
# sentence is shown only if its details are there. Details that no sentence names follow with their labels.
LINE = gettext_lazy("It is line {fact} of the journal.")
REASON = gettext_lazy("The reason: {reason}")
NAMED = gettext_lazy("It is about: {named}.")
PROVED = gettext_lazy("A file proves it, whose SHA-256 begins with {sha256}.")
FILE = gettext_lazy("The SHA-256 of the file begins with {sha256}.")
ROLE = gettext_lazy("The role: {role}.")
REGION = gettext_lazy("The region: {region}.")
PLAYERS_GONE = gettext_lazy("Made by an earlier submission and named by nothing any more: {gone}.")


@dataclass(frozen=True, slots=True)
class LetterKind:
    """A kind of letters; `templates/letters/about/NAME.txt` has a line for the subject, an empty line, and
    paragraphs.
    """

    name: str
    audience: str = "filers"
    """To whom it goes: a name in `AUDIENCES` of `ratings.letters`."""
    page: str = "tournaments:event"
    """The name of the URL of the page concerned."""
    waits: bool = False
    """Whether it waits for as long as the decision can be taken back."""
    to_decider: bool = False
    """Whether it also goes to the person who decided."""
    asks: bool = False
    """Whether its reader has something to do."""
    always: bool = False
    """Whether it comes to everybody, whatever letters they want."""

    def comes_at(self, level: str) -> bool:
        """Whether it comes to a person who wants letters of this level (`User.Letters`)."""
        return self.always or level == User.Letters.ALL or (self.asks and level == User.Letters.WAITING)


APPOINTMENT_LETTER = LetterKind("appointment", "appointee", "ratings:office", always=True)
CALLED_OFF_LETTER = LetterKind(
    "called_off",
)


@dataclass(frozen=True, slots=True)
class DecisionKind:
    """A kind of decision: how the record tells it, and what follows from it."""

    verb: StrOrPromise
    """What was done, for a list of kinds: `approved`."""
    sentences: tuple[StrOrPromise, ...]
    """The first is always shown, with a dash for withdrawn details."""
    letters: tuple[LetterKind, ...]
    """The letters that it brings. An appointment brings none: its invitation has a link."""
    keeps_dumps: bool = False
    """Whether it takes back and corrects nothing that is public: it adds to the record, or is internal to the
    office. After any other kind an older dump is no longer served, and no older copy of a page
    (`players.kept_pages`).
    """
    changes_register: bool = False
    """Whether it changes the register, or which players were told apart."""
    moves_hints: bool = True
    """Whether it can bring or take a hint about a section."""
    decides: bool = True
    """Whether it decides something about its subject, which then keeps its files for longer."""
    changes: bool = True
    """Whether it may change its subject, which it then holds as it stands (`players.held`)."""
    keeps_file: bool = False
    """Whether it brings a file, which is kept until another decision lets it go."""
    line: str = ""
    """The kind of the journal's line that it writes, if any."""
    regions_read: str = ""
    """Which regions read it in the record: that of the event or case; `player`, of the player; `transfer`,
    both of the transfer; `never`, none, because it is the office's own work.
    """
    in_entry_history: bool = False
    """Whether the page that corrects a player shows it."""
    while_held: bool = False
    """Whether it is allowed while an office is held after a restore."""


def _kind(verb: StrOrPromise, *words: StrOrPromise | LetterKind, **follows: Any) -> DecisionKind:
    """Make a kind from its verb, its sentences and letters, and what follows from it."""
    letters = tuple(each for each in words if isinstance(each, LetterKind))
    sentences = tuple(each for each in words if not isinstance(each, LetterKind))
    return DecisionKind(verb, sentences, letters, **follows)


KINDS: dict[str, DecisionKind] = {
    "create": _kind(
        gettext_lazy("opened the office"),
        gettext_lazy("{who} opened the office."),
        gettext_lazy("Its rules are those of {ruleset}."),
    ),
    "import": _kind(
        gettext_lazy("took in a journal"),
        gettext_lazy("{who} took in a journal of {facts} lines."),
        gettext_lazy("Players without a name: {nameless}."),
        changes_register=True,
    ),
    "appoint": _kind(
        gettext_lazy("appointed"),
        gettext_lazy("{who} appointed {what}."),
        ROLE,
        REGION,
        gettext_lazy("The first day is {starts}."),
        gettext_lazy("The last day is {ends}."),
        keeps_dumps=True,
    ),
    "let-in": _kind(
        gettext_lazy("gave a link to set a password to"),
        gettext_lazy("{who} gave {what} a link to set a password."),
        ROLE,
        REGION,
        keeps_dumps=True,
    ),
    "end": _kind(
        gettext_lazy("ended an appointment"),
        gettext_lazy("{who} ended the appointment of {what}."),
        ROLE,
        REGION,
        APPOINTMENT_LETTER,
        keeps_dumps=True,
    ),
    "set-last-day": _kind(
        gettext_lazy("changed the last day of an appointment"),
        gettext_lazy("{who} changed the last day of the appointment of {what}."),
        ROLE,
        REGION,
        gettext_lazy("The last day is now: {ends}."),
        APPOINTMENT_LETTER,
        keeps_dumps=True,
    ),
    "invite": _kind(
        gettext_lazy("invited again"),
        gettext_lazy("{who} invited {what} again."),
        ROLE,
        REGION,
        keeps_dumps=True,
    ),
    "void-invitation": _kind(
        gettext_lazy("made an invitation void"),
        gettext_lazy("{who} made the invitation of {what} void."),
        ROLE,
        REGION,
        keeps_dumps=True,
    ),
    "add-region": _kind(gettext_lazy("added a region"), gettext_lazy("{who} added {what}, {name}.")),
    "rename-region": _kind(
        gettext_lazy("renamed a region"), gettext_lazy("{who} renamed {what} from “{before}” to “{after}”.")
    ),
    "make-key": _kind(
        gettext_lazy("made a key for programs"),
        gettext_lazy("{who} made a key with which programs file for {what}."),
        gettext_lazy("Its name: {key}."),
        keeps_dumps=True,
        moves_hints=False,
        changes=False,
    ),
    "end-key": _kind(
        gettext_lazy("ended a key for programs"),
        gettext_lazy("{who} ended a key with which programs filed for {what}."),
        gettext_lazy("Its name: {key}."),
        keeps_dumps=True,
        moves_hints=False,
        changes=False,
    ),
    "set": _kind(
        gettext_lazy("changed the settings"),
        gettext_lazy("{who} changed the settings."),
        gettext_lazy("Before and after: {changed}."),
    ),
    "register": _kind(
        pgettext_lazy("a decision", "registered"),
        gettext_lazy("{who} registered {what}."),
        gettext_lazy("New sections: {sections}."),
        keeps_dumps=True,
        moves_hints=False,
    ),
    "file": _kind(
        gettext_lazy("filed a file"),
        gettext_lazy("{who} filed a file for {what}."),
        FILE,
        gettext_lazy("A program sent it, with the key {key}."),
        keeps_dumps=True,
        moves_hints=False,
        keeps_file=True,
    ),
    "read": _kind(
        gettext_lazy("read the file"),
        gettext_lazy("{who} read the file of {what}."),
        FILE,
        keeps_dumps=True,
        moves_hints=False,
    ),
    "share": _kind(
        gettext_lazy("shared out an archive"),
        gettext_lazy("{who} gave the files of an archive to the sections of {what}."),
        gettext_lazy("Files: {files}."),
        gettext_lazy("Left out: {left_out}."),
        gettext_lazy("The SHA-256 of the archive begins with {sha256}."),
        keeps_dumps=True,
    ),
    "discard": _kind(
        gettext_lazy("discarded a file"),
        gettext_lazy("{who} discarded the file of {what}."),
        FILE,
        keeps_dumps=True,
        moves_hints=False,
    ),
    "complete": _kind(
        gettext_lazy("gave the details"),
        gettext_lazy(
            "{who} gave days, rounds and form of play of {what}, and what else its regulation asks."
        ),
        gettext_lazy("Before and after: {edited}."),
        keeps_dumps=True,
        moves_hints=False,
    ),
    "match": _kind(
        gettext_lazy("decided who a player is"),
        gettext_lazy("{who} decided who plays in {what}."),
        gettext_lazy("Starting numbers and players: {players}."),
        gettext_lazy("New to the register: {new}."),
        gettext_lazy("Decided anew later: starting numbers {entries}."),
        gettext_lazy("The ids of the file are of the kind {id_kind}."),
        gettext_lazy("Regions of new players: {regions}."),
        keeps_dumps=True,
        changes_register=True,
        moves_hints=False,
    ),
    "submit": _kind(
        pgettext_lazy("a decision", "submitted"),
        gettext_lazy("{who} submitted {what} for review."),
        gettext_lazy("New players: {new_players}."),
        gettext_lazy("Players whose ids were kept: {ids_kept}."),
        gettext_lazy("Adjustments of the file: {adjustments}."),
        gettext_lazy("To be waived: {waived}."),
        gettext_lazy("Confirmed: {confirmed}."),
        PLAYERS_GONE,
        LetterKind("submitted", "officials", "ratings:review", asks=True),
        LetterKind("received", to_decider=True),
        keeps_dumps=True,
        changes_register=True,
    ),
    "withdraw": _kind(
        gettext_lazy("withdrew a submission"),
        gettext_lazy("{who} withdrew the submission of {what}."),
        keeps_dumps=True,
    ),
    "admit": _kind(
        gettext_lazy("admitted before play"),
        gettext_lazy("{who} admitted {what} before play."),
        gettext_lazy("Declared: {declared}."),
        gettext_lazy("Waived: {waived}."),
        REASON,
        LetterKind("admitted"),
        keeps_dumps=True,
    ),
    "ask-permission": _kind(
        gettext_lazy("asked for a permission"),
        gettext_lazy("{who} asked for a permission under §{clause} for {what}."),
        REASON,
        LetterKind("asked", "officials", "tournaments:deadlines", asks=True),
        keeps_dumps=True,
        moves_hints=False,
    ),
    "grant-permission": _kind(
        gettext_lazy("granted a permission"),
        gettext_lazy("{who} granted the permission under §{clause} for {what}."),
        REASON,
        LetterKind("granted", page="tournaments:deadlines"),
        keeps_dumps=True,
        moves_hints=False,
    ),
    "refuse-permission": _kind(
        gettext_lazy("refused a permission"),
        gettext_lazy("{who} refused the permission under §{clause} for {what}."),
        REASON,
        LetterKind("denied", page="tournaments:deadlines"),
        keeps_dumps=True,
        moves_hints=False,
    ),
    "remind": _kind(
        gettext_lazy("wrote about a deadline of"),
        gettext_lazy("{who} wrote that a deadline of {what} is near."),
        gettext_lazy("The clause: §{clause}."),
        gettext_lazy("Its last day: {last}."),
        LetterKind("deadline_near", "people_with_deadline", "tournaments:deadlines", asks=True),
        keeps_dumps=True,
        decides=False,
        changes=False,
    ),
    "edit": _kind(
        gettext_lazy("changed the registration of"),
        gettext_lazy("{who} changed the registration of {what}."),
        gettext_lazy("What was changed: {changed}."),
        gettext_lazy("Before: {before}."),
        gettext_lazy("Now: {after}."),
        gettext_lazy("Before and after: {edited}."),
        REASON,
    ),
    "postpone": _kind(
        pgettext_lazy("a decision", "postponed"),
        gettext_lazy("{who} postponed {what}."),
        gettext_lazy("The days before: {days_before}."),
        gettext_lazy("The days now: {days_now}."),
        gettext_lazy("The event had these days: {event_days_before}."),
        gettext_lazy("The event now has these days: {event_days_now}."),
        gettext_lazy("Sections that moved with it: {sections_moved}."),
        REASON,
        CALLED_OFF_LETTER,
    ),
    "move-event": _kind(
        gettext_lazy("moved to another region"),
        gettext_lazy("{who} moved {what} from the region {region_before} to the region {region}."),
        gettext_lazy("Players new with it, who moved too: {players}."),
        REASON,
        LetterKind(
            "event_moved",
            "event_move_parties",
            "ratings:event",
        ),
    ),
    "cancel": _kind(
        pgettext_lazy("a decision", "cancelled"),
        gettext_lazy("{who} cancelled {what}."),
        REASON,
        CALLED_OFF_LETTER,
    ),
    "reinstate": _kind(
        gettext_lazy("took up again"), gettext_lazy("{who} took up {what} again."), CALLED_OFF_LETTER
    ),
    "withdraw-event": _kind(
        gettext_lazy("withdrew"),
        gettext_lazy("{who} withdrew {what}, registered by mistake."),
        REASON,
        PLAYERS_GONE,
        CALLED_OFF_LETTER,
        changes_register=True,
    ),
    "withdraw-section": _kind(
        gettext_lazy("withdrew"),
        gettext_lazy("{who} withdrew {what}, registered by mistake."),
        REASON,
        PLAYERS_GONE,
        CALLED_OFF_LETTER,
        changes_register=True,
    ),
    "refuse-before-play": _kind(
        gettext_lazy("refused before play"),
        gettext_lazy("{who} refused {what} before play."),
        REASON,
        LetterKind(
            "refused_early",
            page="tournaments:submit",
            waits=True,
        ),
        keeps_dumps=True,
    ),
    "put-off": _kind(
        gettext_lazy("put off the decision on"),
        gettext_lazy("{who} put off the decision on {what}."),
        gettext_lazy("Until: {until}."),
        REASON,
        LetterKind("put_off"),
        keeps_dumps=True,
    ),
    "ask-before-play": _kind(
        gettext_lazy("asked before play about"),
        gettext_lazy("{who} asked the region about {what}, before play."),
        gettext_lazy("The question: {words}"),
        LetterKind("asked_early", page="tournaments:answer_before_play", asks=True),
        keeps_dumps=True,
    ),
    "close-before-play": _kind(
        gettext_lazy("found nothing in the way of"),
        gettext_lazy("{who} found that nothing stands in the way of {what}, before play."),
        REASON,
        LetterKind("closed_early"),
        keeps_dumps=True,
    ),
    "answer-before-play": _kind(
        gettext_lazy("answered a question about"),
        gettext_lazy("{who} answered before play about {what}."),
        gettext_lazy("The answer: {words}"),
        LetterKind("answered_early", "officials", "ratings:before_play", asks=True),
        keeps_dumps=True,
    ),
    "appeal": _kind(
        gettext_lazy("appealed about"),
        gettext_lazy("{who} appealed against the refusal of {what}, number {refusal} of the record."),
        REASON,
        LetterKind("appealed", "officials", "ratings:review", asks=True),
        keeps_dumps=True,
    ),
    "uphold-appeal": _kind(
        gettext_lazy("upheld an appeal about"),
        gettext_lazy(
            "{who} upheld the appeal for {what} against number {refusal} of the record: it is open again."
        ),
        REASON,
        LetterKind("appeal_upheld"),
        keeps_dumps=True,
    ),
    "dismiss-appeal": _kind(
        gettext_lazy("dismissed an appeal about"),
        gettext_lazy(
            "{who} dismissed the appeal for {what}: its refusal, number {refusal} of the record, stands."
        ),
        REASON,
        LetterKind("appeal_dismissed"),
        keeps_dumps=True,
    ),
    "take-back": _kind(
        gettext_lazy("took a decision back about"),
        gettext_lazy("{who} took number {decision} of the record back before the region read it: {what}."),
    ),
    "take": _kind(
        gettext_lazy("took"),
        gettext_lazy("{who} took {what} in hand, to review it."),
        keeps_dumps=True,
        moves_hints=False,
        regions_read="never",
        changes=False,
    ),
    "give-back": _kind(
        gettext_lazy("gave back"),
        gettext_lazy("{who} gave {what} back to the queue."),
        keeps_dumps=True,
        moves_hints=False,
        regions_read="never",
        changes=False,
    ),
    "hand-over": _kind(
        gettext_lazy("handed over"),
        gettext_lazy("{who} handed {what} over to somebody else."),
        gettext_lazy("To whom: {to}."),
        LetterKind("handed_over", "new_reviewer", "ratings:review", asks=True),
        keeps_dumps=True,
        moves_hints=False,
        regions_read="never",
        changes=False,
    ),
    "carry-out-handover": _kind(
        gettext_lazy("handed over what was open with"),
        gettext_lazy("{who} handed what was open with {what} over to {to}."),
        ROLE,
        REGION,
        gettext_lazy("Events: {events}."),
        gettext_lazy("Permissions asked for: {permissions}."),
        gettext_lazy("Transfers asked for, of players: {transfers}."),
        gettext_lazy("Sections taken: {taken}."),
        LetterKind(
            "handover",
            "handover_parties",
            "ratings:office",
            to_decider=True,
            always=True,
        ),
        keeps_dumps=True,
    ),
    "ask": _kind(
        gettext_lazy("asked about"),
        gettext_lazy("{who} asked the region about {what}."),
        NAMED,
        gettext_lazy("The question: {words}"),
        LetterKind("question", page="tournaments:remarks", asks=True),
        keeps_dumps=True,
        moves_hints=False,
        changes=False,
    ),
    "answer": _kind(
        gettext_lazy("answered about"),
        gettext_lazy("{who} answered about {what}."),
        gettext_lazy("The answer: {words}"),
        LetterKind("answered", "officials", "ratings:review", asks=True),
        keeps_dumps=True,
        moves_hints=False,
        changes=False,
    ),
    "note": _kind(
        gettext_lazy("noted inside the office about"),
        gettext_lazy("{who} noted something about {what} inside the office."),
        NAMED,
        gettext_lazy("The note: {words}"),
        keeps_dumps=True,
        moves_hints=False,
        regions_read="never",
        changes=False,
    ),
    "answer-hint": _kind(
        gettext_lazy("answered a hint about"),
        gettext_lazy("{who} answered a hint about {what}."),
        gettext_lazy("The hint: {hint}."),
        gettext_lazy("The answer: {outcome}."),
        gettext_lazy("In words: {words}"),
        keeps_dumps=True,
        moves_hints=False,
        regions_read="never",
        changes=False,
    ),
    "leave-hints": _kind(
        gettext_lazy("left hints open, approving"),
        gettext_lazy("{who} approved {what} with hints that nobody had answered: {hints}."),
        gettext_lazy("What they were: {kinds}."),
        REASON,
        keeps_dumps=True,
        moves_hints=False,
        regions_read="never",
        changes=False,
    ),
    "approve": _kind(
        gettext_lazy("approved"),
        gettext_lazy("{who} approved {what}."),
        LINE,
        gettext_lazy("Waived: {waived}."),
        LetterKind("approved"),
        keeps_dumps=True,
        changes_register=True,
        line="rated",
    ),
    "return": _kind(
        pgettext_lazy("a decision", "returned"),
        gettext_lazy("{who} returned {what} to its region."),
        REASON,
        gettext_lazy("Remarks: {remarks}"),
        LetterKind("returned", waits=True, asks=True),
        keeps_dumps=True,
    ),
    "refuse": _kind(
        pgettext_lazy("a decision", "refused"),
        gettext_lazy("{who} refused to rate {what}."),
        REASON,
        LetterKind("refused", waits=True),
        keeps_dumps=True,
    ),
    "unrate": _kind(
        pgettext_lazy("a decision", "un-rated"),
        gettext_lazy("{who} took the rating of {what} back."),
        LINE,
        gettext_lazy("The reason: {reason}."),
        gettext_lazy("To the region: {words}"),
        LetterKind("unrated", asks=True),
        changes_register=True,
        line="unrated",
    ),
    "publish": _kind(
        gettext_lazy("published"),
        gettext_lazy("{who} published the {what}."),
        LINE,
        gettext_lazy("The note: {note}"),
        LetterKind("published", "staff", "ratings:lists"),
        keeps_dumps=True,
        moves_hints=False,
        line="list",
    ),
    "mend": _kind(
        gettext_lazy("corrected the section"),
        gettext_lazy("{who} corrected {what}."),
        gettext_lazy("It was proposed by {proposed_by}."),
        gettext_lazy("What was corrected: {corrections}."),
        REASON,
        LetterKind("mended"),
    ),
    "propose-mend": _kind(
        gettext_lazy("proposed to correct"),
        gettext_lazy("{who} proposed to correct {what}, for another official to confirm."),
        gettext_lazy("What is wrong: {corrections}."),
        REASON,
        LetterKind("mend_proposed", "officials", "ratings:review", asks=True),
        regions_read="never",
    ),
    "drop-mend": _kind(
        gettext_lazy("dropped a proposed correction of"),
        gettext_lazy("{who} dropped the proposed correction of {what}."),
        LetterKind(
            "mend_dropped",
            "proposer",
            "ratings:review",
        ),
        regions_read="never",
    ),
    "revise": _kind(
        gettext_lazy("published anew"),
        gettext_lazy("{who} published the {what} anew."),
        LINE,
        gettext_lazy("The note: {note}"),
        LetterKind("revised", "staff", "ratings:lists"),
        line="revised",
    ),
    "correct": _kind(
        gettext_lazy("corrected"),
        gettext_lazy("{who} corrected {what} in the register."),
        gettext_lazy("What was changed: {fields}."),
        REASON,
        gettext_lazy("The proof: {proof}"),
        PROVED,
        changes_register=True,
        regions_read="player",
        in_entry_history=True,
        keeps_file=True,
    ),
    "merge": _kind(
        gettext_lazy("merged two entries"),
        gettext_lazy("{who} merged {what} into player {into}."),
        LINE,
        REASON,
        changes_register=True,
        regions_read="player",
        in_entry_history=True,
        line="merged",
    ),
    "part": _kind(
        gettext_lazy("parted two merged entries"),
        gettext_lazy("{who} parted {what} from player {out_of}."),
        gettext_lazy("Sections since that were given to it: {given}."),
        LINE,
        REASON,
        changes_register=True,
        regions_read="player",
        in_entry_history=True,
        line="parted",
    ),
    "two-persons": _kind(
        gettext_lazy("said that two entries are two persons"),
        gettext_lazy("{who} said that {what} and player {other} are two persons."),
        REASON,
        changes_register=True,
        in_entry_history=True,
    ),
    "ask-transfer": _kind(
        gettext_lazy("asked for a transfer"),
        gettext_lazy("{who} asked that {what} move to the region {region}."),
        REASON,
        PROVED,
        LetterKind("transfer_asked", "officials", "ratings:transfers", asks=True),
        keeps_dumps=True,
        regions_read="transfer",
        in_entry_history=True,
        keeps_file=True,
    ),
    "grant-transfer": _kind(
        gettext_lazy("granted a transfer"),
        gettext_lazy("{who} granted that {what} moves to the region {region}."),
        gettext_lazy("It holds from {starts}."),
        gettext_lazy("To the regions: {words}"),
        LetterKind(
            "transfer_granted",
            "transfer_parties",
            "ratings:transfers",
        ),
        regions_read="transfer",
        in_entry_history=True,
    ),
    "refuse-transfer": _kind(
        gettext_lazy("refused a transfer"),
        gettext_lazy("{who} refused that {what} moves to the region {region}."),
        REASON,
        LetterKind(
            "transfer_refused",
            "transfer_parties",
            "ratings:transfers",
        ),
        regions_read="transfer",
        in_entry_history=True,
    ),
    "open-case": _kind(
        gettext_lazy("took in a report of a mistake,"),
        gettext_lazy("A mistake was reported and the mail address confirmed: {what}."),
        gettext_lazy("The section: {section}."),
        gettext_lazy("The player: {player}."),
        gettext_lazy("The rating: {track}."),
        gettext_lazy("The working of line {line}."),
        gettext_lazy("It goes to the region {region}."),
        gettext_lazy("An answer is due by {due}."),
        LetterKind("reported", "case_handlers", "ratings:case", asks=True),
        keeps_dumps=True,
    ),
    "reply-to-case": _kind(
        gettext_lazy("took in further words in"),
        gettext_lazy("Whoever reported {what} wrote again."),
        LetterKind("reported_again", "case_handlers", "ratings:case", asks=True),
        keeps_dumps=True,
    ),
    "withdraw-case": _kind(
        gettext_lazy("took in the withdrawal of"),
        gettext_lazy("Whoever reported {what} withdrew it."),
        keeps_dumps=True,
    ),
    "answer-case": _kind(gettext_lazy("answered"), gettext_lazy("{who} answered {what}."), keeps_dumps=True),
    "note-in-case": _kind(
        gettext_lazy("noted inside"), gettext_lazy("{who} noted something in {what}."), keeps_dumps=True
    ),
    "close-case": _kind(
        gettext_lazy("closed"),
        gettext_lazy("{who} closed {what}."),
        gettext_lazy("The outcome: {outcome}."),
        gettext_lazy("The erratum: line {erratum} of the journal."),
        keeps_dumps=True,
    ),
    "lapse-case": _kind(
        gettext_lazy("closed by the clock"),
        gettext_lazy("{what} was answered, nobody wrote again, and it was closed by the clock."),
        keeps_dumps=True,
    ),
    "delete-cases": _kind(
        gettext_lazy("deleted closed"),
        gettext_lazy("{who} deleted closed {what}."),
        gettext_lazy("Their number: {number}."),
        keeps_dumps=True,
    ),
    "forget-name": _kind(
        gettext_lazy("deleted a name"),
        gettext_lazy("{who} deleted the former names of {what}."),
        changes_register=True,
        in_entry_history=True,
    ),
    "confirm-rank": _kind(
        gettext_lazy("confirmed a rank"),
        gettext_lazy("{who} confirmed the rank “{rank}” of {what}."),
        gettext_lazy("The ground: {ground}."),
        LINE,
        regions_read="player",
        line="rank",
    ),
    "record-playoff": _kind(
        gettext_lazy("recorded a play-off"),
        gettext_lazy("{who} recorded the play-off of {what}, which player {winner} won."),
        LINE,
        line="playoff",
    ),
    "open-file": _kind(
        gettext_lazy("opened the file"),
        gettext_lazy("{who} opened the filed file of {what}, which has days of birth."),
        FILE,
        keeps_dumps=True,
        moves_hints=False,
        regions_read="never",
        decides=False,
        changes=False,
    ),
    "open-proof": _kind(
        gettext_lazy("opened a proof about"),
        gettext_lazy("{who} opened a file that proves something about {what}."),
        FILE,
        keeps_dumps=True,
        moves_hints=False,
        regions_read="never",
        changes=False,
    ),
    "receive-register": _kind(
        gettext_lazy("uploaded a table of the register"),
        gettext_lazy("{who} uploaded a table of the {what}."),
        FILE,
        keeps_dumps=True,
        keeps_file=True,
    ),
    "import-register": _kind(
        gettext_lazy("wrote a table into the register"),
        gettext_lazy("{who} wrote a table into the {what}."),
        gettext_lazy("New players: {new}."),
        gettext_lazy("Changed players: {changed}."),
        gettext_lazy("Rows left out: {left_out}."),
        gettext_lazy("Opening ratings: {openings}, from {source} of {day}, in {track}."),
        FILE,
        LetterKind(
            "imported",
            "requester",
            "ratings:register",
            to_decider=True,
        ),
        changes_register=True,
    ),
    "export-register": _kind(
        gettext_lazy("took the register out"),
        gettext_lazy("{who} took out the {what}."),
        gettext_lazy("Players: {players}."),
        gettext_lazy("Layout: {layout}."),
        gettext_lazy("Births: {births}."),
        gettext_lazy("Regions: {region}."),
        keeps_dumps=True,
        moves_hints=False,
        changes=False,
    ),
    "receive-history": _kind(
        gettext_lazy("uploaded files of the past,"),
        gettext_lazy("{who} uploaded event files of the past ({what})."),
        FILE,
    ),
    "history-table": _kind(
        gettext_lazy("gave another table for files of the past,"),
        gettext_lazy("{who} gave another table for the event files of the past ({what})."),
        FILE,
    ),
    "history-answers": _kind(
        gettext_lazy("answered questions about files of the past,"),
        gettext_lazy("{who} answered questions about the event files of the past ({what})."),
        gettext_lazy("Answers: {count}."),
    ),
    "discard-history": _kind(
        gettext_lazy("discarded files of the past,"),
        gettext_lazy("{who} discarded the event files of the past ({what})."),
        FILE,
    ),
    "take-history": _kind(
        gettext_lazy("took over the past,"),
        gettext_lazy("{who} took over the past ({what}) from: {source}."),
        gettext_lazy("Sections: {sections}."),
        gettext_lazy("New players: {players}."),
        gettext_lazy("Games struck: {struck}."),
        gettext_lazy("Waived: {waived}."),
        gettext_lazy("Lines of the journal: {first} to {last}."),
        gettext_lazy("SHA-256 of the files’ SHA-256: {files_sha256}."),
        FILE,
    ),
    "take-fide": _kind(
        gettext_lazy("took over from FIDE’s list"),
        gettext_lazy("{who} took over changes from FIDE’s list."),
        gettext_lazy("Changed players: {changed}."),
        gettext_lazy("The list: {source}."),
        changes_register=True,
    ),
    "resume": _kind(
        gettext_lazy("said after a restore what was signed by"),
        gettext_lazy("{who} said after a restore what was signed by {what}."),
        gettext_lazy("Lines signed: {lines}."),
        while_held=True,
    ),
    "take-lines": _kind(
        gettext_lazy("took lines back after a restore, of"),
        gettext_lazy("{who} took lines back after a restore, of {what}."),
        gettext_lazy("Lines: {lines}."),
        while_held=True,
    ),
    "change-key": _kind(
        gettext_lazy("changed the key of"),
        gettext_lazy("{who} changed the signing key of {what}."),
        gettext_lazy("The new key: {vkey}."),
    ),
    "begin-origin": _kind(
        gettext_lazy("began a new origin,"),
        gettext_lazy("{who} began a new origin, {what}."),
        gettext_lazy("The new key: {vkey}."),
        REASON,
        while_held=True,
    ),
    "take-cosignature": _kind(
        gettext_lazy("took a witness’s signature under"),
        gettext_lazy("{who} took a witness’s signature under {what}."),
        gettext_lazy("The witness’s key: {vkey}."),
        gettext_lazy("Its signature: {line}"),
        keeps_dumps=True,
    ),
    "name-witness": _kind(
        gettext_lazy("named a witness"),
        gettext_lazy("{who} named a witness of the journal."),
        gettext_lazy("The witness’s key: {vkey}."),
        gettext_lazy("Its address: {url}"),
        keeps_dumps=True,
    ),
    "drop-witness": _kind(
        gettext_lazy("let a witness go"),
        gettext_lazy("{who} let a witness of the journal go."),
        gettext_lazy("The witness’s key: {vkey}."),
        keeps_dumps=True,
    ),
    "give-data": _kind(
        gettext_lazy("gave out all data of"),
        gettext_lazy("{who} gave out all data of {what}."),
        keeps_dumps=True,
        moves_hints=False,
        regions_read="never",
        changes=False,
    ),
    "let-go": _kind(
        gettext_lazy("deleted the bytes of"),
        gettext_lazy("{who} deleted the bytes of old {what}."),
        gettext_lazy("Files: {number}."),
        gettext_lazy("Their SHA-256: {sha256}."),
        keeps_dumps=True,
    ),
    "withdraw-words": _kind(
        gettext_lazy("withdrew the words of"),
        gettext_lazy("{who} withdrew the words of {what}."),
        moves_hints=False,
        regions_read="never",
    ),
    "apply-rules": _kind(
        gettext_lazy("applied to everything stored"),
        gettext_lazy("{who} applied to everything stored the {what}."),
        gettext_lazy("The program: version {program}."),
        gettext_lazy("Up to line {line} of the journal."),
        gettext_lazy("Ratings that moved: {ratings}."),
    ),
}
"""Each kind of decision; a further one is a row here, and a template if it brings a letter."""
TAKES_NOTHING_BACK = frozenset(name for name, kind in KINDS.items() if kind.keeps_dumps)
GONE = "gone"
"""The detail of players who leave the register with a decision of whatever kind, and whom the public saw."""
MAY_TAKE_BACK = ~Q(kind__in=TAKES_NOTHING_BACK) | Q(sealed_details__has_key=GONE)
"""Matches decisions after which no older dump is served, and no older copy of a page."""


def may_take_back(kind: str, details: Mapping[str, Any]) -> bool:
    return kind not in TAKES_NOTHING_BACK or GONE in details


UNSAID = frozenset({"rows", "held_file", "answers"})
"""Details that no sentence tells: of what is said, the rows, and the digest of the file that there was."""
PLACEHOLDER = re.compile(r"\{(\w+)\}")


def render_decision(
    kind: str,
    *,
    who: str,
    what: SafeString | str,
    details: Mapping[str, Any],
    is_hidden: Callable[[str], bool] = lambda _key: False,
) -> SafeString:
    """A decision in sentences. `is_hidden`: whether a detail is hidden from the reader."""
    given = {
        key: detail_in_words(detail)
        for key, detail in details.items()
        if detail not in (None, "", [], {}) and key not in UNSAID and not is_hidden(key)
    }
    first, *further = KINDS[kind].sentences if kind in KINDS else (f"{{who}}: {kind} {{what}}.",)
    shown = [first, *(each for each in further if set(PLACEHOLDER.findall(str(each))) <= set(given))]
    named = {name for each in shown for name in PLACEHOLDER.findall(str(each))}
    rest = (
        format_escaped("{}: {}.", LABELS.get(key, key), words)
        for key, words in given.items()
        if key not in named
    )
    values = dict.fromkeys(named, "–") | given | {"who": who, "what": what}
    texts = [format_html(str(each), **values) for each in shown]
    return format_html_join(" ", "{}", ((each,) for each in (*texts, *rest)))
