"""The review of a section: its thread of remarks, who works on it, and appeals.

The office can take back a return or a refusal before the region has heard of it, and the region can appeal
against a refusal.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.text import Truncator
from django.utils.translation import gettext as _, gettext_lazy

from players.models import Decision, Federation, Player, Role, User
from players.names import fold_words as words_of_name
from players.record import Refused
from players.seals import SealedWords
from players.settings import get_settings
from tournaments.entries import save_resolved_merged_players
from tournaments.findings import describe_finding
from tournaments.formats.file_check import group_equal_findings
from tournaments.models import Appeal, Entry, Game, Remark, Section, SectionTaking, Stage
from tournaments.sections import is_refused_before_play, lock_section, record

# ---- Returns and refusals taken back before the region has heard of them
TAKE_BACK_TIME = timedelta(minutes=10)
"""The time within which a return or a refusal can be taken back."""
LETTER_DELAY = TAKE_BACK_TIME + timedelta(minutes=1)
"""The time for which its letter waits: taking it back in the last second may wait for a lock, on either
database for half a minute at most, and no letter is to go out meanwhile.
"""
REFUSE_BEFORE_PLAY = "refuse-before-play"
REVERSIBLE_KINDS = {Stage.RETURNED: ("return",), Stage.REFUSED: ("refuse", REFUSE_BEFORE_PLAY)}
"""The kinds of decisions that can be taken back, by the stage in which each leaves a section."""
REPLACED_STATE = "replaced"
"""Key in `Section.before_play`: the state of the section that a refusal before play replaced."""


def find_reversible_decision(section: Section, at: datetime) -> Decision | None:
    """The return or refusal of a section that can be taken back at a moment: the region neither read it nor
    appealed against it, and its letter is not sent.
    """
    kinds = REVERSIBLE_KINDS.get(Stage(section.stage), ())
    if not kinds or section.notice_read_at is not None:
        return None
    decisions = Decision.objects.filter(federation=section.event.federation, kind__in=kinds)
    newest = decisions.filter(about=f"section {section.key}").order_by("-number").first()
    if newest is None or newest.at <= at - TAKE_BACK_TIME or was_taken_back(newest):
        return None
    if Appeal.objects.filter(refusal=newest).exists():
        return None
    if newest.kind == REFUSE_BEFORE_PLAY and REPLACED_STATE not in section.before_play:
        return None  # made by a release that did not keep the state before it
    return newest


def format_take_back_limit(decision: Decision) -> str:
    """The last moment in which a decision can be taken back, in words, in the office's time zone."""
    zone = ZoneInfo(decision.federation.equipment.office.time_zone)
    last = timezone.localtime(decision.at + TAKE_BACK_TIME, zone)
    return _("%(time)s (%(zone)s)") % {"time": date_format(last, "H:i"), "zone": zone.key}


@transaction.atomic
def take_back_decision(*, section: Section, by: User | None, at: datetime, on: date, version: int) -> Section:
    """Take a return or refusal back: the section is submitted again, or as it was before a refusal before
    play, and the decision's remarks leave the thread. After a refusal nobody has taken the section.

    Raises `Refused` once the region has read it, appealed or gone on, its letter is sent, or two of its
    players were merged since.
    """
    locked = lock_section(section, version=version, stages=tuple(REVERSIBLE_KINDS))
    decision = find_reversible_decision(locked, at)
    if decision is None:
        raise Refused(
            _(
                "This cannot be taken back any more: the region has read it or appealed, or its letter is on "
                "the way."
            )
        )
    if decision.kind == REFUSE_BEFORE_PLAY:
        before = locked.before_play[REPLACED_STATE]
        locked.stage, locked.remarks, locked.notice = before["stage"], before["remarks"], before["notice"]
        locked.notice_on = date.fromisoformat(before["notice_on"]) if before["notice_on"] else None
        locked.notice_read_at = datetime.fromisoformat(read) if (read := before["notice_read_at"]) else None
        locked.permissions, locked.before_play = before["permissions"], before["before_play"]
    else:
        _return_to_review(locked)
    locked.version += 1
    restored = ("notice", "notice_on", "notice_read_at", "permissions", "before_play")
    locked.save(update_fields=["stage", "remarks", "version", *restored])
    Remark.objects.filter(decision=decision).delete()
    record(locked, "take-back", by, on, decision=decision.number)
    return locked


def _return_to_review(section: Section) -> None:
    """Put a section, unsaved, back to those that wait; registered, if its file was filed elsewhere since."""
    save_resolved_merged_players(section)
    section.stage = Stage.SUBMITTED if section.entries.exists() else Stage.REGISTERED
    section.remarks = ""


def was_taken_back(decision: Decision) -> bool:
    """Whether a return or refusal was taken back."""
    later = Decision.objects.filter(federation=decision.federation_id, kind="take-back", about=decision.about)
    return any(each.details.get("decision") == decision.number for each in later.order_by("-number")[:5])


def is_superseded(decision: Decision) -> bool:
    """Whether the section has left the stage in which this return or refusal put it, so that asking for what
    is already done would only puzzle.
    """
    return not _section_in_stage_after(decision).exists()


def list_hidden_decision_numbers(federation: Federation, at: datetime) -> list[int]:
    """The numbers of the returns and refusals that are hidden from regions at a moment: those that were taken
    back, and those that may be still, until their letter is due or the region opens the section.
    """
    decisions = Decision.objects.filter(federation=federation)
    named = decisions.filter(kind="take-back", sealed_details__has_key="decision")
    taken_back = list(named.values_list("sealed_details__decision", flat=True))
    kinds = sum(REVERSIBLE_KINDS.values(), ())
    fresh = decisions.filter(kind__in=kinds, at__gt=at - LETTER_DELAY).order_by("number")
    newest = {each.about: each for each in fresh}  # an older one of a section was read or taken back
    unread = [
        decision.number
        for decision in newest.values()
        if _section_in_stage_after(decision).filter(notice_read_at=None).exists()
    ]
    return taken_back + unread


def _section_in_stage_after(decision: Decision) -> QuerySet[Section]:
    """The section of a return or refusal, if it is still in the stage in which that put it."""
    number, _slash, code = decision.about.removeprefix("section ").partition("/")
    stages = [stage for stage, kinds in REVERSIBLE_KINDS.items() if decision.kind in kinds]
    sections = Section.objects.filter(
        event__federation=decision.federation_id, event__number=number, code=code
    )
    return sections.filter(stage__in=stages)


def mark_notice_as_read(section: Section, at: datetime) -> None:
    """Note when the region first read what the office decided."""
    if section.stage in REVERSIBLE_KINDS and section.notice_read_at is None:
        Section.objects.filter(pk=section.pk, version=section.version, notice_read_at=None).update(
            notice_read_at=at
        )


def get_take_back_hint(section: Section) -> str:
    """A sentence on until when the newest decision can be taken back, and where; empty where it cannot."""
    decision = find_reversible_decision(section, timezone.now())
    if decision is None:
        return ""
    until = {"until": format_take_back_limit(decision)}
    return _("Until %(until)s you can take that back on the section's page here.") % until


# ---- Ties of remarks to a line, game, entry or finding of the section
LINE, GAME, ENTRY, FINDING = "line", "game", "entry", "finding"
REMARK_TIE_KINDS: dict[str, Any] = {
    "": gettext_lazy("the section"),
    LINE: gettext_lazy("a line: its number"),
    ENTRY: gettext_lazy("a player: name or number"),
    GAME: gettext_lazy("a game: round and player"),
}
MOST_FINDINGS, MOST_WORDS_OF_FINDING = 30, 5
LAST_LINE = 1_000_000
MOST_NAMESAKES = 5


@dataclass(frozen=True, slots=True)
class RemarkTie:
    """The thing that a remark is about: its kind, its numbers, and its name in words."""

    kind: str = ""
    numbers: dict[str, object] = field(default_factory=dict)
    words: str = ""
    players: tuple[Player, ...] = ()


UNTIED = RemarkTie()


def list_remark_tie_choices(section: Section) -> list[tuple[str, str]]:
    """The choices of a form: the kinds of ties, then the section's findings by their words."""
    ruleset = section.event.federation.ruleset
    found = [equal[0] for equal in group_equal_findings(section.findings.all())][:MOST_FINDINGS]
    findings = (
        (f"{FINDING}-{one.pk}", Truncator(describe_finding(one, ruleset)).words(MOST_WORDS_OF_FINDING))
        for one in found
    )
    return [*((kind, str(words)) for kind, words in REMARK_TIE_KINDS.items()), *findings]


def parse_remark_tie(section: Section, kind: str, typed_text: str) -> RemarkTie:
    """The tie to what was chosen (`kind`) and typed. Raises `Refused` if the section has no such thing."""
    if kind.startswith(f"{FINDING}-"):
        key = kind.removeprefix(f"{FINDING}-")
        known = section.findings.filter(pk=int(key)).first() if key.isascii() and key.isdecimal() else None
        if known is None:
            raise Refused(_("That finding is not there any more. Look at the findings as they are now."))
        numbers: dict[str, object] = {"key": known.key, "clause": known.clause, "line": known.line}
        return RemarkTie(FINDING, numbers, describe_finding(known, section.event.federation.ruleset))
    first, _space, rest = typed_text.replace(",", " ").replace(":", " ").strip().partition(" ")
    number = _number(first)
    match kind:
        case "":
            return UNTIED
        case "line" if 0 < number <= LAST_LINE and not rest:
            return RemarkTie(LINE, {"line": number}, _("Line %(line)s of the file") % {"line": number})
        case "entry" if first:
            entry = _entry(section, typed_text)
            template = _("%(name)s, number %(number)s under “Entries”")
            words = template % {"number": entry.number, "name": entry.name}
            return RemarkTie(ENTRY, {"number": entry.number}, words, _tied_players(entry))
        case "game" if number >= 0 and rest:
            return _game(section, number, _entry(section, rest))
    raise Refused(
        _(
            "“%(which)s” does not say which: write a line as 12, a player as Botha or 7, a game as 3 Botha "
            "or 3 7."
        )
        % {"which": typed_text.strip()}
    )


def _number(word: str) -> int:
    return int(word) if word.isascii() and word.isdecimal() and len(word) < 8 else -1


def _entry(section: Section, said: str) -> Entry:
    """The entry with a starting number, or the only one whose name has all these words.

    Names are taken because the cross table on the page numbers the players by their places.
    """
    entries = section.entries.select_related("player")
    if (number := _number(said.strip())) >= 0:
        found = [entry for entry in entries if entry.number == number]
    else:
        wanted = set(words_of_name(said))
        found = [entry for entry in entries if wanted and wanted <= set(words_of_name(entry.name))]
    if len(found) == 1:
        return found[0]
    if found:
        some = "; ".join(f"{entry.number} {entry.name}" for entry in found[:MOST_NAMESAKES])
        words = _("Several players are called “%(name)s” here: %(some)s. Write the number instead.")
        raise Refused(words % {"name": said.strip(), "some": some})
    if number >= 0:
        raise Refused(_("Nobody has the starting number %(number)s in this section.") % {"number": number})
    raise Refused(_("Nobody in this section is called “%(name)s”.") % {"name": said.strip()})


def _game(section: Section, round_number: int, entry: Entry) -> RemarkTie:
    games = section.games.filter(Q(first=entry) | Q(second=entry), round=round_number)
    game: Game | None = games.select_related("first__player", "second__player").first()
    if game is None:
        words = _("%(player)s has no game in round %(round)s.")
        raise Refused(words % {"player": entry.name, "round": round_number})
    words = _("Round %(round)s, %(first)s – %(second)s") % {
        "round": round_number,
        "first": game.first.name,
        "second": game.second.name,
    }
    numbers: dict[str, object] = {
        "round": round_number,
        "first": game.first.number,
        "second": game.second.number,
    }
    return RemarkTie(GAME, numbers, words, _tied_players(game.first, game.second))


def _tied_players(*entries: Entry) -> tuple[Player, ...]:
    return tuple(entry.player for entry in entries if entry.player)


# ---- The thread of a section
MOST_WORDS = 2000
ANY_STAGE = tuple(Stage)


TiedWords = tuple[RemarkTie, str]
"""A thing of a section, and words about it."""


def serialize_remarks(remarks: Sequence[TiedWords]) -> list[dict[str, str]]:
    """The remarks as details of a decision: the name of the thing as of that day, and the words."""
    return [{"about": tie.words, "words": words.strip()} for tie, words in remarks]


def save_remark(
    section: Section, decision: Decision, kind: str, seal_key: str, tie: RemarkTie = UNTIED, **fields: Any
) -> Remark:
    """Save words of a decision, which the record seals under `key`, as a remark of the section's thread."""
    remark = Remark.objects.create(
        section=section,
        kind=kind,
        by=decision.by,
        at=decision.at,
        decision=decision,
        sealed_words=decision.words.filter(key=seal_key).first(),
        tie=tie.kind,
        tied_to=tie.numbers,
        upload=section.uploads.held(),
        **fields,
    )
    remark.players.set(tie.players)
    return remark


def save_remarks(section: Section, decision: Decision, kind: str, remarks: Sequence[TiedWords]) -> None:
    """Save the remarks of a decision, which the record seals as `remarks`, in the section's thread."""
    for place, (tie, _words) in enumerate(remarks):
        save_remark(section, decision, kind, "remarks", tie, place=place)


@transaction.atomic
def ask(*, section: Section, by: User, on: date, words: str, tie: RemarkTie = UNTIED) -> Remark:
    """Ask the region about a section, at whatever stage it is."""
    return _say(section, "ask", Remark.Kind.QUESTION, by, on, tie, words)


@transaction.atomic
def note(*, section: Section, by: User, on: date, words: str, tie: RemarkTie = UNTIED) -> Remark:
    """Note something about a section for the office alone; the region never reads it."""
    return _say(section, "note", Remark.Kind.NOTE, by, on, tie, words)


@transaction.atomic
def answer(*, section: Section, by: User, on: date, words: str, answers_to: Remark | None = None) -> Remark:
    """Answer a remark of the office as its region, or tell the office something unasked.

    Raises `Refused` if somebody of the region has answered that remark meanwhile, or the office took it back.
    """
    lock_section(section, stages=ANY_STAGE)
    if answers_to is not None:
        refuse_taken_back(answers_to.pk)
        if answers_to.answers.exists():
            raise Refused(_("Somebody has answered this already. Read the answer first."))
    return _say(section, "answer", Remark.Kind.ANSWER, by, on, UNTIED, words, answers_to)


def refuse_taken_back(remark_key: int) -> None:
    """Raise `Refused` if the remark with this key is gone: what is taken back leaves the thread."""
    if not Remark.objects.filter(pk=remark_key).exists():
        raise Refused(
            _("The office took this remark back meanwhile: there is nothing to answer. Read what stands now.")
        )


def count_open_remarks(section: Section) -> int:
    """The number of the office's remarks that need an answer of the region and have none."""
    return section.thread.filter(WANTS_ANSWER, answers=None).count()


WANTS_ANSWER = Q(kind=Remark.Kind.QUESTION) | Q(kind=Remark.Kind.RETURN, place__isnull=False)
"""Remarks that need an answer; the reason of a return needs a corrected section instead."""


def _say(
    section: Section,
    verb: str,
    kind: str,
    by: User,
    on: date,
    tie: RemarkTie,
    words: str,
    answers_to: Remark | None = None,
) -> Remark:
    """Record one remark, with its words and the name of the thing sealed, and save it in the thread."""
    if not words.strip():
        raise Refused(_("Write a few words first."))
    locked = lock_section(section, stages=ANY_STAGE)
    said, held = words.strip(), locked.uploads.held_sha256()
    told = {"words": said, "named": SealedWords(tie.words), "held_file": held}
    decision = record(locked, verb, by, on, **told, answers=name_answered(answers_to))
    return save_remark(locked, decision, kind, "words", tie, answers_to=answers_to)


def name_answered(remark: Remark | None) -> list[int]:
    """What the record calls the remark that another answers: its decision's number, and its place among the
    remarks of that, if it has one; empty where it answers none.
    """
    if remark is None:
        return []
    return [remark.decision.number, *([] if remark.place is None else [remark.place])]


# ---- Takings: which official works on a section; others may still decide
TAKEN_IN = tuple(stage for stage in Stage if stage not in (Stage.RATED, Stage.REFUSED))
"""Stages in which a section can be taken."""


@transaction.atomic
def take(*, section: Section, by: User, at: datetime, on: date, seen_official: int | None) -> SectionTaking:
    """Put an official on a section. `seen_official`: the key of the one who was on it as the page showed.

    Raises `Refused` if somebody else is on it by now, or nothing is left to be done.
    """
    locked = _locked(section, seen_official)
    taking = _put(locked, by, at)
    record(locked, "take", by, on)
    return taking


@transaction.atomic
def give_back(*, section: Section, by: User, on: date, seen_official: int | None) -> None:
    """Free a section for others. Raises `Refused` if somebody else is on it, or nobody."""
    locked = _locked(section, seen_official)
    if seen_official != by.pk:
        raise Refused(_("You are not on this section, so there is nothing to give back."))
    delete_section_taking(locked)
    record(locked, "give-back", by, on)


@transaction.atomic
def hand_over(
    *, section: Section, by: User, to: User, at: datetime, on: date, seen_official: int | None
) -> SectionTaking:
    """Put another official on a section. Raises `Refused` if they are not in office, or one was faster."""
    locked = _locked(section, seen_official)
    appointments = locked.event.federation.appointments.on(on)
    if not appointments.filter(user=to, role=Role.OFFICIAL).exists():
        raise Refused(_("Choose an official who is in office today: the section was handed to nobody."))
    taking = _put(locked, to, at)
    record(locked, "hand-over", by, on, to=to.pk)
    return taking


def delete_section_taking(section: Section) -> None:
    """Take everybody off a section; the caller has locked it."""
    SectionTaking.objects.filter(section=section).delete()


def _locked(section: Section, seen: int | None) -> Section:
    locked = lock_section(section, stages=TAKEN_IN)
    now = SectionTaking.objects.filter(section=locked).select_related("official").first()
    if (now.official_id if now else None) != seen:
        if now is None:
            raise Refused(_("This section was given back meanwhile. Look at it again."))
        raise Refused(
            _("%(official)s is on this section by now. Look at it again.") % {"official": now.official}
        )
    return locked


def _put(section: Section, official: User, at: datetime) -> SectionTaking:
    taking, _new = SectionTaking.objects.update_or_create(
        section=section, defaults={"official": official, "since": at}
    )
    return taking


# ---- Appeals of regions against a refusal (csa §11)


def find_refusal(section: Section) -> Decision | None:
    """The newest decision by which a section was refused, before play or after."""
    refusals = REVERSIBLE_KINDS[Stage.REFUSED]
    decisions = Decision.objects.filter(federation=section.event.federation, kind__in=refusals)
    newest = decisions.filter(about=f"section {section.key}").order_by("-number")
    return next((each for each in newest[:5] if not was_taken_back(each)), None)


def last_day_to_appeal(refusal: Decision) -> date | None:
    """The last day for an appeal, counted from the notice; None if settings and regulations name none."""
    office = refusal.federation
    days = get_settings(office).appeal_days or office.equipment.office.powers.appeal_days
    return refusal.on + timedelta(days) if days else None


def can_appeal(section: Section, on: date) -> bool:
    """Whether the region can appeal on a day: the section is refused, in time, and no appeal was made yet."""
    refusal = find_refusal(section) if section.stage == Stage.REFUSED else None
    if refusal is None or Appeal.objects.filter(refusal=refusal).exists():
        return False
    last = last_day_to_appeal(refusal)
    return last is None or on <= last


@transaction.atomic
def appeal(*, section: Section, by: User | None, on: date, version: int, reason: str) -> Appeal:
    """Appeal against the refusal of a section.

    Raises `Refused` if it is not refused any more, the days are over (csa §11: 21 from the notice), an
    appeal was made already, or the reason is missing.
    """
    locked = lock_section(section, version=version, stages=(Stage.REFUSED,))
    refusal = find_refusal(locked)
    if refusal is None:
        raise Refused(_("The record has no refusal of this section, so there is nothing to appeal against."))
    if not reason.strip():
        raise Refused(_("Say why the office should decide otherwise."))
    if Appeal.objects.filter(refusal=refusal).exists():
        raise Refused(_("An appeal against this refusal was made already."))
    last = last_day_to_appeal(refusal)
    if last and on > last:
        raise Refused(
            _("The time for appeals was over on %(day)s.") % {"day": date_format(last, "DATE_FORMAT")}
        )
    made = Appeal.objects.create(section=locked, refusal=refusal, reason=reason.strip(), by=by, on=on)
    record(locked, "appeal", by, on, refusal=refusal.number, reason=reason.strip())
    return made


@transaction.atomic
def decide_appeal(
    *, appeal: Appeal, by: User | None, on: date, version: int, upheld: bool, reason: str
) -> Appeal:
    """Decide an appeal. An upheld one puts the section back into the review, or before the decision before
    play; a dismissed one leaves it refused. The region reads the reason.

    Raises `Refused` if somebody decided already, the reason is missing, the settings want four eyes and the
    same person refused the section, or an upheld one's players were merged since.
    """
    lock_section(appeal.section, stages=tuple(Stage))
    appeal = Appeal.objects.select_related("refusal", "section__event__federation").get(pk=appeal.pk)
    if appeal.state != Appeal.State.OPEN:
        raise Refused(_("Somebody decided this appeal already. Look at it again."))
    section = lock_section(appeal.section, version=version, stages=(Stage.REFUSED,))
    if not reason.strip():
        raise Refused(_("Say why you decide so: the region reads it."))
    same = by is not None and appeal.refusal.by_id == by.pk
    if same and get_settings(section.event.federation).four_eyes:
        raise Refused(_("You refused this section. In this office, another official decides on the appeal."))
    appeal.state = Appeal.State.UPHELD if upheld else Appeal.State.DISMISSED
    appeal.decided_by, appeal.decided_on, appeal.answer = by, on, reason.strip()
    appeal.save(update_fields=["state", "decided_by", "decided_on", "answer"])
    section.version += 1
    if upheld and is_refused_before_play(section):
        section.stage, section.remarks, section.before_play = Stage.REGISTERED, "", {}
        section.notice, section.notice_on = "", None
    elif upheld:
        _return_to_review(section)
    section.save(update_fields=["version", "stage", "remarks", "before_play", "notice", "notice_on"])
    kind = "uphold-appeal" if upheld else "dismiss-appeal"
    record(section, kind, by, on, refusal=appeal.refusal.number, reason=reason.strip())
    return appeal
