"""The review between region and office: who is on a section, what was said of it, and what its files said.

The office can take back a return or a refusal before the region has heard of it, and the region can appeal
against a refusal. All that region and office say is kept in the section's thread.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from players.models import Decision, Federation, Player, Role, User
from players.names import words as words_of_name
from players.record import Refused, decide
from players.seals import SealedWords
from players.settings import settings_of
from tournaments.entries import name_who_stays
from tournaments.findings import BYES, equal_ones, words_of
from tournaments.formats.sheet import Sheet as ReadSheet
from tournaments.models import Appeal, Entry, FiledSheet, Game, Remark, Section, SectionTaking, Stage, Upload
from tournaments.sections import lock_section, refused_before_play

# ---- Take back a slip of the office: a return or a refusal of which the region has not heard yet.
GRACE = timedelta(minutes=10)
"""The time within which a return or a refusal can be taken back."""
LETTER_AFTER = GRACE + timedelta(minutes=1)
"""The time for which its letter waits: whoever takes it back in the last second may wait for others, on
either database for half a minute at most, and no letter is to go out meanwhile.
"""
EARLY = "refuse-before-play"
SLIPS = {Stage.RETURNED: ("return",), Stage.REFUSED: ("refuse", EARLY)}
"""The kinds of decisions that can be slips, by the stage in which each leaves a section."""
REPLACED = "replaced"
"""Key in `Section.before_play`: the state of the section that a refusal before play replaced."""


def slip_of(section: Section, at: datetime) -> Decision | None:
    """The return or refusal of a section that can be taken back at a moment: the region neither read it nor
    appealed against it, nor is its letter out.
    """
    kinds = SLIPS.get(Stage(section.stage), ())
    if not kinds or section.notice_read_at is not None:
        return None
    decisions = Decision.objects.filter(federation=section.event.federation, kind__in=kinds)
    newest = decisions.filter(about=f"section {section.key}").order_by("-number").first()
    if newest is None or newest.at <= at - GRACE or was_taken_back(newest):
        return None
    if Appeal.objects.filter(refusal=newest).exists():
        return None
    if newest.kind == EARLY and REPLACED not in section.before_play:
        return None  # of a release that kept nothing of how it stood
    return newest


def can_be_taken_back_until(slip: Decision) -> str:
    """The last moment in which a decision can be taken back, in words, by the office's clock."""
    zone = ZoneInfo(slip.federation.equipment.office.time_zone)
    last = timezone.localtime(slip.at + GRACE, zone)
    return _("%(time)s (%(zone)s)") % {"time": date_format(last, "H:i"), "zone": zone.key}


@transaction.atomic
def take_back(*, section: Section, by: User | None, at: datetime, on: date, version: int) -> Section:
    """Take a return or refusal back: the section is submitted again, and what was said with it leaves the
    thread. After a refusal nobody is on the section, until somebody takes it. After one before play it stands
    as it did before that.

    Raises `Refused` once the region has read it, appealed or gone on, its letter is out, or two of its
    players were merged since.
    """
    locked = lock_section(section, version=version, stages=tuple(SLIPS))
    slip = slip_of(locked, at)
    if slip is None:
        raise Refused(
            _(
                "This cannot be taken back any more: the region has read it or appealed, or its letter is on "
                "the way."
            )
        )
    if slip.kind == EARLY:
        # Put a section back to how it stood before it was refused before play.
        stood = locked.before_play[REPLACED]
        locked.stage, locked.remarks, locked.notice = stood["stage"], stood["remarks"], stood["notice"]
        locked.notice_on = date.fromisoformat(stood["notice_on"]) if stood["notice_on"] else None
        locked.notice_read_at = datetime.fromisoformat(read) if (read := stood["notice_read_at"]) else None
        locked.permissions, locked.before_play = stood["permissions"], stood["before_play"]
    else:
        name_who_stays(locked)
        locked.stage, locked.remarks = Stage.SUBMITTED, ""
    locked.version += 1
    locked.save(update_fields=["stage", "remarks", "version", *RESTORED])
    Remark.objects.filter(decision=slip).delete()
    decide(
        locked.event.federation,
        kind="take-back",
        by=by,
        on=on,
        about=f"section {locked.key}",
        decision=slip.number,
    )
    return locked


RESTORED = ("notice", "notice_on", "notice_read_at", "permissions", "before_play")


def was_taken_back(decision: Decision) -> bool:
    """Whether a return or refusal was taken back: then no letter tells of it."""
    later = Decision.objects.filter(federation=decision.federation_id, kind="take-back", about=decision.about)
    return any(each.details.get("decision") == decision.number for each in later.order_by("-number")[:5])


def is_overtaken(slip: Decision) -> bool:
    """Whether the section has left the stage in which this return or refusal put it: filed or submitted anew,
    or let in on appeal. Whoever is told now to do what is done would only be puzzled.
    """
    return not _of_slip(slip).exists()


def slips_untold(federation: Federation, at: datetime) -> list[int]:
    """The numbers of the returns and refusals of which regions read nothing at a moment: those that were
    taken back, and those that may be still. These wait as their letter does, or until the region opens the
    section.
    """
    decisions = Decision.objects.filter(federation=federation)
    named = decisions.filter(kind="take-back", sealed_details__has_key="decision")
    taken_back = list(named.values_list("sealed_details__decision", flat=True))
    fresh = decisions.filter(kind__in=sum(SLIPS.values(), ()), at__gt=at - LETTER_AFTER).order_by("number")
    newest = {each.about: each for each in fresh}  # one that came before it was read, or taken back
    waiting = [slip.number for slip in newest.values() if _of_slip(slip).filter(notice_read_at=None).exists()]
    return taken_back + waiting


def _of_slip(slip: Decision) -> QuerySet[Section]:
    """The section of a return or refusal, if it still stands in the stage in which that put it."""
    number, _slash, code = slip.about.removeprefix("section ").partition("/")
    stages = [stage for stage, kinds in SLIPS.items() if slip.kind in kinds]
    sections = Section.objects.filter(event__federation=slip.federation_id, event__number=number, code=code)
    return sections.filter(stage__in=stages)


def note_read(section: Section, at: datetime) -> None:
    """Note that the region has read what the office decided; the first time counts."""
    if section.stage in SLIPS and section.notice_read_at is None:
        Section.objects.filter(pk=section.pk, version=section.version, notice_read_at=None).update(
            notice_read_at=at
        )


def until_when(section: Section) -> str:
    """Say until when what was just decided can be taken back, and where; empty where it cannot."""
    slip = slip_of(section, timezone.now())
    if slip is None:
        return ""
    until = {"until": can_be_taken_back_until(slip)}
    return _("Until %(until)s you can take that back on the section's page here.") % until


# ---- Ties of remarks: the line, game, entry or finding of a section that somebody speaks of.
LINE, GAME, ENTRY, FINDING = "line", "game", "entry", "finding"
KINDS: dict[str, Any] = {
    "": gettext_lazy("the section"),
    LINE: gettext_lazy("a line of the file: its number"),
    ENTRY: gettext_lazy("a player: the name, or the number under “Entries”"),
    GAME: gettext_lazy("a game: the round and a player, as 3 Botha or 3 12"),
}
MOST_FINDINGS = 30
LAST_LINE = 1_000_000
MOST_NAMESAKES = 5


@dataclass(frozen=True, slots=True)
class Tie:
    """The thing that a remark speaks of: its kind, its numbers, and its words as they are today."""

    kind: str = ""
    numbers: dict[str, object] = field(default_factory=dict)
    words: str = ""
    players: tuple[Player, ...] = ()


UNTIED = Tie()


def choices_of(section: Section) -> list[tuple[str, str]]:
    """The things that a form offers to speak of: the kinds, then the section's findings by their words."""
    ruleset = section.event.federation.ruleset
    found = [equal[0] for equal in equal_ones(section.findings.all())][:MOST_FINDINGS]
    findings = ((f"{FINDING}-{one.pk}", words_of(one, ruleset)) for one in found)
    return [*((kind, str(words)) for kind, words in KINDS.items()), *findings]


def tie_of(section: Section, kind: str, which: str) -> Tie:
    """The tie that was chosen and typed. Raises `Refused` where the section has no such thing."""
    if kind.startswith(f"{FINDING}-"):
        key = kind.removeprefix(f"{FINDING}-")
        known = section.findings.filter(pk=int(key)).first() if key.isascii() and key.isdecimal() else None
        if known is None:
            raise Refused(_("That finding is not there any more. Look at the findings as they are now."))
        numbers: dict[str, object] = {"key": known.key, "clause": known.clause, "line": known.line}
        return Tie(FINDING, numbers, words_of(known, section.event.federation.ruleset))
    first, _space, rest = which.replace(",", " ").replace(":", " ").strip().partition(" ")
    number = _number(first)
    match kind:
        case "":
            return UNTIED
        case "line" if 0 < number <= LAST_LINE and not rest:
            return Tie(LINE, {"line": number}, _("Line %(line)s of the file") % {"line": number})
        case "entry" if first:
            entry = _entry(section, which)
            words = _("%(name)s, number %(number)s under “Entries”") % {
                "number": entry.number,
                "name": entry.name,
            }
            return Tie(ENTRY, {"number": entry.number}, words, _tied_players(entry))
        case "game" if number >= 0 and rest:
            return _game(section, number, _entry(section, rest))
    raise Refused(
        _(
            "“%(which)s” does not say which: write a line as 12, a player as Botha or 7, a game as 3 Botha "
            "or 3 7."
        )
        % {"which": which.strip()}
    )


def _number(word: str) -> int:
    return int(word) if word.isascii() and word.isdecimal() and len(word) < 8 else -1


def _entry(section: Section, said: str) -> Entry:
    """The entry of a starting number, or of a name or a part of it, as nobody else's there is.

    The cross table on the page numbers the players by their places, so the name is what its reader has.
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


def _game(section: Section, round_number: int, entry: Entry) -> Tie:
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
    return Tie(GAME, numbers, words, _tied_players(game.first, game.second))


def _tied_players(*entries: Entry) -> tuple[Player, ...]:
    return tuple(entry.player for entry in entries if entry.player)


# ---- The thread of a section: region and office ask, answer and note, and all of it is kept.
MOST_WORDS = 2000
ANY_STAGE = tuple(Stage)


@dataclass(frozen=True, slots=True)
class TiedWords:
    """Words about one thing of a section."""

    tie: Tie
    words: str


def as_details(remarks: Sequence[TiedWords]) -> list[dict[str, str]]:
    """The remarks as the record seals them: the thing as it was called that day, and the words."""
    return [{"about": one.tie.words, "words": one.words.strip()} for one in remarks]


def keep_reason(section: Section, decision: Decision, kind: str, key: str) -> Remark:
    """Enter the reason of a decision, which the record keeps under `key`, into the section's thread."""
    return _keep(section, decision, kind, key)


def keep_remarks(section: Section, decision: Decision, kind: str, remarks: Sequence[TiedWords]) -> None:
    """Enter the remarks of a decision, which the record keeps as `remarks`, into the section's thread."""
    for place, one in enumerate(remarks):
        _keep(section, decision, kind, "remarks", one.tie, place=place)


@transaction.atomic
def ask(*, section: Section, by: User, on: date, words: str, tie: Tie = UNTIED) -> Remark:
    """Ask the region about a section, at whatever stage it is."""
    return _say(section, "ask", Remark.Kind.QUESTION, by, on, TiedWords(tie, words))


@transaction.atomic
def note(*, section: Section, by: User, on: date, words: str, tie: Tie = UNTIED) -> Remark:
    """Note something about a section for the office alone; the region never reads it."""
    return _say(section, "note", Remark.Kind.NOTE, by, on, TiedWords(tie, words))


@transaction.atomic
def answer(*, section: Section, by: User, on: date, words: str, answers_to: Remark | None = None) -> Remark:
    """Answer a remark of the office as its region, or tell the office something unasked.

    Raises `Refused` where somebody of the region has answered that remark meanwhile, or the office took it
    back.
    """
    lock_section(section, stages=ANY_STAGE)
    if answers_to is not None:
        refuse_taken_back(answers_to.pk)
    if answers_to is not None and answers_to.answers.exists():
        raise Refused(_("Somebody has answered this already. Read the answer first."))
    return _say(section, "answer", Remark.Kind.ANSWER, by, on, TiedWords(UNTIED, words), answers_to)


def refuse_taken_back(remark: int) -> None:
    """Raise `Refused` where a remark (by its key) is no more: what is taken back leaves the thread."""
    if not Remark.objects.filter(pk=remark).exists():
        raise Refused(
            _("The office took this remark back meanwhile: there is nothing to answer. Read what stands now.")
        )


def open_remarks(section: Section) -> int:
    """The number of the office's remarks that want an answer of the region and have none."""
    return section.thread.filter(WANTS_ANSWER, answers=None).count()


WANTS_ANSWER = Q(kind=Remark.Kind.QUESTION) | Q(kind=Remark.Kind.RETURN, place__isnull=False)
"""Remarks that want an answer. The reason of a return wants a corrected section instead."""


def _say(
    section: Section,
    verb: str,
    kind: str,
    by: User,
    on: date,
    said: TiedWords,
    answers_to: Remark | None = None,
) -> Remark:
    """Put one remark on record, its words and the name of the thing sealed, and enter it into the thread."""
    if not said.words.strip():
        raise Refused(_("Write a few words first."))
    locked = lock_section(section, stages=ANY_STAGE)
    decision = decide(
        locked.event.federation,
        kind=verb,
        by=by,
        on=on,
        about=f"section {locked.key}",
        words=said.words.strip(),
        named=SealedWords(said.tie.words),
    )
    return _keep(locked, decision, kind, "words", said.tie, answers_to=answers_to)


def _keep(
    section: Section, decision: Decision, kind: str, key: str, tie: Tie = UNTIED, **place: Any
) -> Remark:
    remark = Remark.objects.create(
        section=section,
        kind=kind,
        by=decision.by,
        at=decision.at,
        decision=decision,
        sealed_words=decision.words.filter(key=key).first(),
        tie=tie.kind,
        tied_to=tie.numbers,
        upload=section.uploads.held(),
        **place,
    )
    remark.players.set(tie.players)
    return remark


# ---- “I am on it”: an official takes a section, gives it back or hands it over; others may still decide.
TAKEN_IN = tuple(stage for stage in Stage if stage not in (Stage.RATED, Stage.REFUSED))
"""Stages in which there is something to be on."""


@transaction.atomic
def take(*, section: Section, by: User, at: datetime, on: date, seen: int | None) -> SectionTaking:
    """Put an official on a section. `seen`: the key of whoever was on it on the official's page.

    Raises `Refused` if somebody else is on it by now, or nothing is left to be done.
    """
    locked = _locked(section, seen)
    taking = _put(locked, by, at)
    _record_taking(locked, "take", by, on)
    return taking


@transaction.atomic
def give_back(*, section: Section, by: User, on: date, seen: int | None) -> None:
    """Free a section for whoever takes it next. Raises `Refused` if somebody else is on it, or nobody."""
    locked = _locked(section, seen)
    if seen != by.pk:
        raise Refused(_("You are not on this section, so there is nothing to give back."))
    SectionTaking.objects.filter(section=locked).delete()
    _record_taking(locked, "give-back", by, on)


@transaction.atomic
def hand_over(
    *, section: Section, by: User, to: User, at: datetime, on: date, seen: int | None
) -> SectionTaking:
    """Put another official on a section. Raises `Refused` if they are none today, or somebody was faster."""
    locked = _locked(section, seen)
    appointments = locked.event.federation.appointments.on(on)
    if not appointments.filter(user=to, role=Role.OFFICIAL).exists():
        raise Refused(_("Choose an official who is in office today: the section was handed to nobody."))
    taking = _put(locked, to, at)
    _record_taking(locked, "hand-over", by, on, to=to.pk)
    return taking


def set_free(section: Section) -> None:
    """Take everybody off a section that is decided; its holder has locked it."""
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


def _record_taking(section: Section, kind: str, by: User, on: date, **details: object) -> None:
    decide(section.event.federation, kind=kind, by=by, on=on, about=f"section {section.key}", **details)


# ---- The content of a file, kept in short beside it: to be compared with the next, and the lines that pages
# quote, so that none opens a stranger's file.
def keep_sheet(upload: Upload, sheet: ReadSheet, quotes: Mapping[str, str]) -> None:
    """Keep a file's sheet and its quoted lines beside the upload, in the transaction that takes it in."""
    kept = {"content": in_short(sheet), "lines": dict(quotes)}
    FiledSheet.objects.update_or_create(upload=upload, defaults=kept)


def quoted_lines(upload: Upload | None) -> Mapping[int, str]:
    """The lines of an uploaded file that pages quote, by number; none once its bytes were deleted."""
    found = FiledSheet.objects.filter(upload=upload).values_list("lines", flat=True).first()
    return {int(line): text for line, text in (found or {}).items()}


def in_short(sheet: ReadSheet) -> dict[str, Any]:
    """A sheet as the comparison needs it: players by starting number, games, byes, particulars."""
    return {
        "players": {
            str(row.start_number): {
                "name": row.name,
                "id": row.identifier or "",
                "birth": row.birth.isoformat() if row.birth else str(row.born or ""),
                "title": row.title,
                "points": f"{row.points.normalize():f}",
                "place": "" if row.place is None else str(row.place),
            }
            for row in sheet.rows
        },
        "games": [[one.round, one.first, one.second, one.result] for one in sheet.games],
        "byes": [[one.round, one.player, one.kind] for one in sheet.byes],
        "particulars": {
            "starts": sheet.starts.isoformat() if sheet.starts else "",
            "ends": sheet.ends.isoformat() if sheet.ends else "",
            "rounds": str(sheet.rounds or ""),
            "place": sheet.city,
            "time": "; ".join(filter(None, (sheet.time_text, sheet.time_code))),
            "arbiters": "; ".join(each.name for each in sheet.arbiters),
        },
    }


# ---- The differences between two files of a section: games, players, particulars.
PERSONAL = ("birth",)
"""Fields of a player that are shown to whom may see births."""
FIELDS: dict[str, Any] = {
    "name": pgettext_lazy("of a person", "Name"),
    "id": gettext_lazy("Id"),
    "birth": gettext_lazy("Birth"),
    "title": gettext_lazy("Title"),
    "points": gettext_lazy("Points"),
    "place": gettext_lazy("Place"),
}
PARTICULARS: dict[str, Any] = {
    "starts": gettext_lazy("First day"),
    "ends": gettext_lazy("Last day"),
    "rounds": gettext_lazy("Rounds"),
    "place": gettext_lazy("Place of play"),
    "time": gettext_lazy("Time control"),
    "arbiters": gettext_lazy("Arbiters"),
}
Sheet = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class SheetDifference:
    """One thing that the files say differently: what it is, the older file's word and the newer's."""

    what: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class SheetComparison:
    games: list[SheetDifference]
    players: list[SheetDifference]
    particulars: list[SheetDifference]

    @property
    def same(self) -> bool:
        return not (self.games or self.players or self.particulars)


def compare(before: Sheet, after: Sheet, *, births: bool) -> SheetComparison:
    """Compare two sheets in short; `births`: the reader may see dates of birth."""
    # By starting number in the older file, that of the same player in the newer: by id, else by name, else by
    # the number itself where no id speaks against it. A pairing program may number anew.
    partner: dict[str, str] = {}
    left, right = dict(before["players"]), dict(after["players"])
    for same in (lambda row: row["id"], lambda row: row["name"], None):
        if same is None:
            pairs = [
                (number, number) for number in left if number in right and _may_be_one(left, right, number)
            ]
        else:
            theirs = {same(row): number for number, row in right.items() if same(row)}
            pairs = [(number, theirs[same(row)]) for number, row in left.items() if same(row) in theirs]
        for old, new in pairs:
            if old in left and new in right:
                partner[old] = new
                del left[old], right[new]
    return SheetComparison(
        games=list(_games(before, after, partner)),
        players=list(_players(before, after, partner, births=births)),
        particulars=list(_particulars(before, after)),
    )


def _may_be_one(left: Sheet, right: Sheet, number: str) -> bool:
    """Whether both files can mean one person by a starting number: no two ids speak against it."""
    ids = {row[number]["id"] for row in (left, right)} - {""}
    return len(ids) < 2


def _players(
    before: Sheet, after: Sheet, partner: Mapping[str, str], *, births: bool
) -> Iterator[SheetDifference]:
    for old, row in before["players"].items():
        if old not in partner:
            yield SheetDifference(_named(before, old), _("in the file"), _("not in the file"))
            continue
        other = after["players"][partner[old]]
        for name, label in FIELDS.items():
            if row[name] != other[name] and (births or name not in PERSONAL):
                what = _("%(player)s: %(field)s") % {"player": _named(before, old), "field": label}
                yield SheetDifference(what, row[name] or "–", other[name] or "–")
    for new in after["players"]:
        if new not in partner.values():
            yield SheetDifference(_named(after, new), _("not in the file"), _("in the file"))


def _games(before: Sheet, after: Sheet, partner: Mapping[str, str]) -> Iterator[SheetDifference]:
    """Yield the games and byes that differ, by round; each pairing with both its results."""
    gone = {number: f"gone {number}" for number in before["players"] if number not in partner}
    old, new = _by_pairing(before, {**partner, **gone}), _by_pairing(after, {})
    names = {number: row["name"] for number, row in after["players"].items()}
    names |= {key: before["players"][number]["name"] for number, key in gone.items()}
    for key in sorted(set(old) | set(new), key=lambda key: (key[0], str(key[1]), str(key[2]))):
        was, now = sorted(old.get(key, [])), sorted(new.get(key, []))
        if was != now:
            round_number, first, second = key
            people = " – ".join(names.get(each, each) for each in (first, second) if each)
            what = _("Round %(round)s: %(people)s") % {"round": round_number, "people": people}
            yield SheetDifference(what, ", ".join(was) or "–", ", ".join(now) or "–")


def _by_pairing(sheet: Sheet, numbers: Mapping[str, str]) -> dict[tuple[int, str, str], list[str]]:
    """The results by round and the two players, both by the newer file's numbers; a bye has no second."""
    found: defaultdict[tuple[int, str, str], list[str]] = defaultdict(list)
    for round_number, first, second, result in sheet["games"]:
        pair = tuple(numbers.get(str(each), str(each)) for each in (first, second))
        found[round_number, pair[0], pair[1]].append(result)
    for round_number, player, kind in sheet["byes"]:
        found[round_number, numbers.get(str(player), str(player)), ""].append(str(BYES.get(kind, kind)))
    return found


def _particulars(before: Sheet, after: Sheet) -> Iterator[SheetDifference]:
    for name, label in PARTICULARS.items():
        was, now = before["particulars"][name], after["particulars"][name]
        if was != now:
            yield SheetDifference(str(label), was or "–", now or "–")


def _named(sheet: Sheet, number: str) -> str:
    return f"{number} {sheet['players'][number]['name']}"


# ---- Appeals: a region asks the office to think again about a refusal (csa §11).
REFUSALS = ("refuse", "refuse-before-play")


def refusal_of(section: Section) -> Decision | None:
    """The newest decision by which a section was refused, before play or after."""
    decisions = Decision.objects.filter(federation=section.event.federation, kind__in=REFUSALS)
    newest = decisions.filter(about=f"section {section.key}").order_by("-number")
    return next((each for each in newest[:5] if not was_taken_back(each)), None)


def last_day_to_appeal(refusal: Decision) -> date | None:
    """The last day for an appeal, counted from the day of the notice; None: neither the office's settings nor
    the regulations name any.
    """
    office = refusal.federation
    days = settings_of(office).appeal_days or office.equipment.office.powers.appeal_days
    return refusal.on + timedelta(days) if days else None


def may_appeal(section: Section, on: date) -> bool:
    """Whether the region can appeal on a day: the section is refused, in time, and no appeal was made yet."""
    refusal = refusal_of(section) if section.stage == Stage.REFUSED else None
    if refusal is None or Appeal.objects.filter(refusal=refusal).exists():
        return False
    last = last_day_to_appeal(refusal)
    return last is None or on <= last


@transaction.atomic
def appeal(*, section: Section, by: User | None, on: date, version: int, reason: str) -> Appeal:
    """Appeal against the refusal of a section.

    Raises `Refused` where it is not refused any more, the days are over (csa §11: 21 from the notice), an
    appeal was made already, or the reason is missing.
    """
    locked = lock_section(section, version=version, stages=(Stage.REFUSED,))
    refusal = refusal_of(locked)
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
    _record(locked, "appeal", by, on, refusal=refusal.number, reason=reason.strip())
    return made


@transaction.atomic
def decide_appeal(
    *, appeal: Appeal, by: User | None, on: date, version: int, upheld: bool, reason: str
) -> Appeal:
    """Decide an appeal: one that is upheld puts the section back before the officials, for the review or the
    decision before play; one that is dismissed leaves it refused. The region reads the reason.

    Raises `Refused` where somebody decided already, the reason is missing, four eyes are wanted and the same
    person refused the section, or two of its players were merged since and it was to come back.
    """
    lock_section(appeal.section, stages=tuple(Stage))
    appeal = Appeal.objects.select_related("refusal", "section__event__federation").get(pk=appeal.pk)
    if appeal.state != Appeal.State.OPEN:
        raise Refused(_("Somebody decided this appeal already. Look at it again."))
    section = lock_section(appeal.section, version=version, stages=(Stage.REFUSED,))
    if not reason.strip():
        raise Refused(_("Say why you decide so: the region reads it."))
    same = by is not None and appeal.refusal.by_id == by.pk
    if same and settings_of(section.event.federation).four_eyes:
        raise Refused(_("You refused this section. In this office, another official decides on the appeal."))
    appeal.state = Appeal.State.UPHELD if upheld else Appeal.State.DISMISSED
    appeal.decided_by, appeal.decided_on, appeal.answer = by, on, reason.strip()
    appeal.save(update_fields=["state", "decided_by", "decided_on", "answer"])
    section.version += 1
    if upheld and refused_before_play(section):
        section.stage, section.remarks, section.before_play = Stage.REGISTERED, "", {}
        section.notice, section.notice_on = "", None
    elif upheld:
        name_who_stays(section)
        section.stage, section.remarks = Stage.SUBMITTED, ""
    section.save(update_fields=["version", "stage", "remarks", "before_play", "notice", "notice_on"])
    kind = "uphold-appeal" if upheld else "dismiss-appeal"
    _record(section, kind, by, on, refusal=appeal.refusal.number, reason=reason.strip())
    return appeal


def _record(section: Section, kind: str, by: User | None, on: date, **details: object) -> None:
    decide(section.event.federation, kind=kind, by=by, on=on, about=f"section {section.key}", **details)
