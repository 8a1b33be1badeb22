"""The record's sentences: for each kind of decision who did what, and what its details say.

`{who}` and `{what}` stand for the person and the thing; every other name in braces is one of the details. A
further sentence is shown only where its details are there. What no sentence names follows by its label.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext_lazy as _

from players.pages.record_details import LABELS, in_words
from players.templatetags.safe_text import filled

if TYPE_CHECKING:
    from django.utils.safestring import SafeString
    from django_stubs_ext import StrOrPromise

LINE = _("It is line {fact} of the journal.")
REASON = _("The reason: {reason}")
NAMED = _("It is about: {named}.")
PROVED = _("A file proves it, whose SHA-256 begins with {sha256}.")
FILE = _("The SHA-256 of the file begins with {sha256}.")

SENTENCES: dict[str, tuple[StrOrPromise, ...]] = {
    "create": (_("{who} opened the office."), _("Its rules are those of {ruleset}.")),
    "import": (_("{who} took in a journal of {facts} lines."), _("Players without a name: {nameless}.")),
    "appoint": (
        _("{who} appointed {what}."),
        _("The role: {role}."),
        _("The region: {region}."),
        _("The first day is {starts}."),
        _("The last day is {ends}."),
    ),
    "let-in": (
        _("{who} gave {what} a link to set a password."),
        _("The role: {role}."),
        _("The region: {region}."),
    ),
    "end": (_("{who} ended the appointment of {what}."), _("The role: {role}."), _("The region: {region}.")),
    "set-last-day": (
        _("{who} changed the last day of the appointment of {what}."),
        _("The role: {role}."),
        _("The region: {region}."),
        _("The last day is now: {ends}."),
    ),
    "invite": (_("{who} invited {what} again."), _("The role: {role}."), _("The region: {region}.")),
    "void-invitation": (
        _("{who} made the invitation of {what} void."),
        _("The role: {role}."),
        _("The region: {region}."),
    ),
    "add-region": (_("{who} added {what}, {name}."),),
    "rename-region": (_("{who} renamed {what} from “{before}” to “{after}”."),),
    "set": (_("{who} changed the settings."), _("Before and after: {changed}.")),
    "register": (_("{who} registered {what}."), _("New sections: {sections}.")),
    "file": (_("{who} filed a file for {what}."), FILE),
    "read": (_("{who} read the file of {what}."), FILE),
    "share": (
        _("{who} gave the files of an archive to the sections of {what}."),
        _("Files: {files}."),
        _("Left out: {left_out}."),
        _("The SHA-256 of the archive begins with {sha256}."),
    ),
    "discard": (_("{who} discarded the file of {what}."), FILE),
    "complete": (
        _("{who} gave days, rounds and form of play of {what}, and what else its regulation asks."),
        _("Before and after: {edited}."),
    ),
    "match": (
        _("{who} decided who plays in {what}."),
        _("Starting numbers and players: {players}."),
        _("New to the register: {new}."),
        _("Decided anew later: starting numbers {entries}."),
        _("The ids of the file are of the kind {id_kind}."),
        _("Regions of new players: {regions}."),
    ),
    "submit": (
        _("{who} submitted {what} for review."),
        _("New players: {new_players}."),
        _("Players whose ids were kept: {ids_kept}."),
        _("Adjustments of the file: {adjustments}."),
        _("To be waived: {waived}."),
        _("Confirmed: {confirmed}."),
    ),
    "withdraw": (_("{who} withdrew the submission of {what}."),),
    "admit": (
        _("{who} admitted {what} before play."),
        _("Declared: {declared}."),
        _("Waived: {waived}."),
        REASON,
    ),
    "ask-permission": (_("{who} asked for a permission under §{clause} for {what}."), REASON),
    "grant-permission": (_("{who} granted the permission under §{clause} for {what}."), REASON),
    "refuse-permission": (_("{who} refused the permission under §{clause} for {what}."), REASON),
    "remind": (
        _("{who} wrote that a deadline of {what} is near."),
        _("The clause: §{clause}."),
        _("Its last day: {last}."),
    ),
    "edit": (
        _("{who} changed the registration of {what}."),
        _("What was changed: {changed}."),
        _("Before: {before}."),
        _("Now: {after}."),
        _("Before and after: {edited}."),
        REASON,
    ),
    "postpone": (
        _("{who} postponed {what}."),
        _("The days before: {days_before}."),
        _("The days now: {days_now}."),
        _("The event had these days: {event_days_before}."),
        _("The event now has these days: {event_days_now}."),
        _("Sections that moved with it: {sections_moved}."),
        REASON,
    ),
    "move-event": (
        _("{who} moved {what} from the region {region_before} to the region {region}."),
        _("Players new with it, who moved too: {players}."),
        REASON,
    ),
    "cancel": (_("{who} cancelled {what}."), REASON),
    "reinstate": (_("{who} took up {what} again."),),
    "withdraw-event": (_("{who} withdrew {what}, registered by mistake."), REASON),
    "withdraw-section": (_("{who} withdrew {what}, registered by mistake."), REASON),
    "refuse-before-play": (_("{who} refused {what} before play."), REASON),
    "put-off": (_("{who} put off the decision on {what}."), _("Until: {until}."), REASON),
    "ask-before-play": (
        _("{who} asked the region about {what}, before play."),
        _("The question: {words}"),
    ),
    "close-before-play": (_("{who} found that nothing stands in the way of {what}, before play."), REASON),
    "answer-before-play": (_("{who} answered before play about {what}."), _("The answer: {words}")),
    "appeal": (_("{who} appealed against the refusal of {what}, number {refusal} of the record."), REASON),
    "uphold-appeal": (
        _("{who} upheld the appeal for {what} against number {refusal} of the record: it is open again."),
        REASON,
    ),
    "dismiss-appeal": (
        _("{who} dismissed the appeal for {what}: its refusal, number {refusal} of the record, stands."),
        REASON,
    ),
    "take-back": (_("{who} took number {decision} of the record back before the region read it: {what}."),),
    "take": (_("{who} took {what} in hand, to review it."),),
    "give-back": (_("{who} gave {what} back to the queue."),),
    "hand-over": (_("{who} handed {what} over to somebody else."), _("To whom: {to}.")),
    "plan-handover": (
        _("{who} arranged that what is open with {what} goes over to {to}."),
        _("The role: {role}."),
        _("The region: {region}."),
        _("It goes over on {starts}."),
    ),
    "carry-out-handover": (
        _("What was open with {what} went over to {to}."),
        _("The role: {role}."),
        _("The region: {region}."),
        _("Events: {events}."),
        _("Permissions asked for: {permissions}."),
        _("Transfers asked for, of players: {transfers}."),
        _("Sections taken: {taken}."),
        _("Lists taken: {lists}."),
    ),
    "ask": (_("{who} asked the region about {what}."), NAMED, _("The question: {words}")),
    "answer": (_("{who} answered about {what}."), _("The answer: {words}")),
    "note": (_("{who} noted something about {what} inside the office."), NAMED, _("The note: {words}")),
    "answer-hint": (
        _("{who} answered a hint about {what}."),
        _("The hint: {hint}."),
        _("The answer: {outcome}."),
        _("In words: {words}"),
    ),
    "leave-hints": (
        _("{who} approved {what} with hints that nobody had answered: {hints}."),
        _("What they were: {kinds}."),
        REASON,
    ),
    "approve": (_("{who} approved {what}."), LINE, _("Waived: {waived}.")),
    "return": (_("{who} returned {what} to its region."), REASON, _("Remarks: {remarks}")),
    "refuse": (_("{who} refused to rate {what}."), REASON),
    "unrate": (
        _("{who} took the rating of {what} back."),
        LINE,
        _("The reason: {reason}."),
        _("To the region: {words}"),
    ),
    "take-list": (_("{who} took the {what} in hand, to publish it."),),
    "give-back-list": (_("{who} gave the {what} back."),),
    "publish": (_("{who} published the {what}."), LINE, _("The note: {note}")),
    "mend": (
        _("{who} corrected {what}."),
        _("It was proposed by {proposed_by}."),
        _("What was corrected: {corrections}."),
        REASON,
    ),
    "propose-mend": (
        _("{who} proposed to correct {what}, for another official to confirm."),
        _("What is wrong: {corrections}."),
        REASON,
    ),
    "drop-mend": (_("{who} dropped the proposed correction of {what}."),),
    "revise": (_("{who} published the {what} anew."), LINE, _("The note: {note}")),
    "correct": (
        _("{who} corrected {what} in the register."),
        _("What was changed: {fields}."),
        REASON,
        _("The proof: {proof}"),
        PROVED,
    ),
    "merge": (_("{who} merged {what} into player {into}."), LINE, REASON),
    "part": (
        _("{who} parted {what} from player {out_of}."),
        _("Sections since that were given to it: {given}."),
        LINE,
        REASON,
    ),
    "two-persons": (_("{who} said that {what} and player {other} are two persons."), REASON),
    "ask-transfer": (_("{who} asked that {what} move to the region {region}."), REASON, PROVED),
    "grant-transfer": (
        _("{who} granted that {what} moves to the region {region}."),
        _("It holds from {starts}."),
        _("To the regions: {words}"),
    ),
    "refuse-transfer": (_("{who} refused that {what} moves to the region {region}."), REASON),
    "open-case": (
        _("A mistake was reported and the mail address confirmed: {what}."),
        _("The section: {section}."),
        _("The player: {player}."),
        _("The rating: {track}."),
        _("The working of line {line}."),
        _("It goes to the region {region}."),
        _("An answer is due by {due}."),
    ),
    "reply-to-case": (_("Whoever reported {what} wrote again."),),
    "withdraw-case": (_("Whoever reported {what} withdrew it."),),
    "answer-case": (_("{who} answered {what}."),),
    "note-in-case": (_("{who} noted something in {what}."),),
    "close-case": (_("{who} closed {what}."), _("The outcome: {outcome}.")),
    "lapse-case": (_("{what} was answered, nobody wrote again, and it was closed by the clock."),),
    "delete-cases": (_("{who} deleted closed {what}."), _("Their number: {number}.")),
    "forget-name": (_("{who} deleted the former names of {what}."),),
    "confirm-rank": (_("{who} confirmed the rank “{rank}” of {what}."), _("The ground: {ground}."), LINE),
    "record-playoff": (_("{who} recorded the play-off of {what}, which player {winner} won."), LINE),
    "open-file": (_("{who} opened the filed file of {what}, which has days of birth."), FILE),
    "open-proof": (_("{who} opened a file that proves something about {what}."), FILE),
    "receive-register": (_("{who} uploaded a table of the {what}."), FILE),
    "import-register": (
        _("{who} wrote a table into the {what}."),
        _("New players: {new}."),
        _("Changed players: {changed}."),
        _("Rows left out: {left_out}."),
        _("Opening ratings: {openings}, from {source} of {day}, in {track}."),
        FILE,
    ),
    "export-register": (
        _("{who} took out the {what}."),
        _("Players: {players}."),
        _("Layout: {layout}."),
        _("Births: {births}."),
        _("Regions: {region}."),
    ),
    "receive-history": (_("{who} uploaded event files of the past ({what})."), FILE),
    "history-table": (_("{who} gave another table for the event files of the past ({what})."), FILE),
    "history-answers": (
        _("{who} answered questions about the event files of the past ({what})."),
        _("Answers: {count}."),
    ),
    "discard-history": (_("{who} discarded the event files of the past ({what})."), FILE),
    "take-history": (
        _("{who} took over the past ({what}) from: {source}."),
        _("Sections: {sections}."),
        _("New players: {players}."),
        _("Games struck: {struck}."),
        _("Lines of the journal: {first} to {last}."),
        _("SHA-256 of the files’ SHA-256: {files_sha256}."),
        FILE,
    ),
    "take-fide": (
        _("{who} took over changes from FIDE’s list."),
        _("Changed players: {changed}."),
        _("The list: {source}."),
    ),
    "resume": (_("{who} said after a restore what was signed by {what}."), _("Lines signed: {lines}.")),
    "take-lines": (_("{who} took lines back after a restore, of {what}."), _("Lines: {lines}.")),
    "change-key": (_("{who} changed the signing key of {what}."), _("The new key: {vkey}.")),
    "begin-origin": (_("{who} began a new origin, {what}."), _("The new key: {vkey}."), REASON),
    "take-cosignature": (
        _("{who} took a witness’s signature under {what}."),
        _("It covers the journal up to line {line}."),
        _("The witness’s key: {vkey}."),
    ),
    "give-data": (_("{who} gave out all data of {what}."),),
    "let-go": (
        _("{who} deleted the bytes of old {what}."),
        _("Files: {number}."),
        _("Their SHA-256: {sha256}."),
    ),
    "withdraw-words": (_("{who} withdrew the words of {what}."),),
    "apply-rules": (
        _("{who} applied to everything stored the {what}."),
        _("The program: version {program}."),
        _("Up to line {line} of the journal."),
        _("Ratings that moved: {ratings}."),
    ),
}
"""The sentences of each kind of decision; the first is always shown, with a dash for what was withdrawn."""

NAMES = re.compile(r"\{(\w+)\}")


def sentences(
    kind: str,
    *,
    deed: StrOrPromise,
    who: str,
    what: SafeString | str,
    details: Mapping[str, Any],
    left_out: Callable[[str], bool] = lambda _key: False,
) -> SafeString:
    """A decision in whole sentences. `deed`: the words for a kind that has no sentence; `left_out`: whether a
    detail is not for this reader.
    """
    given = {
        key: in_words(detail)
        for key, detail in details.items()
        if detail not in (None, "", [], {}) and not left_out(key)
    }
    first, *further = SENTENCES.get(kind, (f"{{who}}: {deed} {{what}}.",))
    said = [first, *(each for each in further if set(NAMES.findall(str(each))) <= set(given))]
    named = {name for each in said for name in NAMES.findall(str(each))}
    rest = (
        filled("{}: {}.", LABELS.get(key, key), words) for key, words in given.items() if key not in named
    )
    values = dict.fromkeys(named, "–") | given | {"who": who, "what": what}
    told = [format_html(str(each), **values) for each in said]
    return format_html_join(" ", "{}", ((each,) for each in (*told, *rest)))


def names_without_sentence(kind: str, details: Mapping[str, Any]) -> Iterator[str]:
    """Yield the details of a decision that none of its sentences names."""
    named = {name for each in SENTENCES.get(kind, ()) for name in NAMES.findall(str(each))}
    yield from (key for key in details if key not in named)
