"""Cases: reports of mistakes by people without an account, the answers, and the outcome.

A reporter confirms a mail address, then follows the case by a signed link that is stored nowhere. A case's
words are deleted with it and are never part of the record.
"""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import partial

from django.conf import settings
from django.core import signing
from django.db import transaction
from django.db.models import Max, Q, QuerySet
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from players.identity import list_entries_of_people
from players.mail import COMPOSERS, ComposedLetter, order_letter, override_language, render_in_layout
from players.models import Decision, Federation, Letter, Player, Region, User
from players.record import Refused, decide, find_form_result, lock_ledger, save_form_result
from players.settings import get_settings
from tournaments.models import LAPSE_DAYS, Case, CaseMessage, CaseQuerySet, Entry, Game, Section, Stage

# ---- Links
CONFIRM, FOLLOW = "tournaments.cases.confirm", "tournaments.cases.follow"
CONFIRMATION_PERIOD = timedelta(days=3)
"""The time to confirm a mail address; unconfirmed reports are deleted after it."""
PAGES = {CONFIRM: "ratings:confirm_report", FOLLOW: "ratings:follow_report"}


def make_token(case: Case, purpose: str) -> str:
    """The token of a case. It covers the time of the report because another case may get the same key after a
    restore.
    """
    return signing.dumps([case.pk, case.reported_at.isoformat()], salt=purpose)


def make_link(case: Case, purpose: str) -> str:
    """The address to confirm or follow a case. The token is in the query, which is kept out of all logs."""
    page = reverse(PAGES[purpose], args=[case.federation.code])
    return f"{settings.SITE_ADDRESS}{page}?{urlencode({'case': make_token(case, purpose)})}"


def find_case(token: str, purpose: str, office: int) -> Case | None:
    """The office's case of a token; None if the token is invalid or the case is gone."""
    try:
        key, reported = signing.loads(
            token, salt=purpose, max_age=CONFIRMATION_PERIOD if purpose == CONFIRM else None
        )
    except (signing.BadSignature, TypeError, ValueError):
        return None
    found = Case.objects.select_related("federation", "region", "section__event", "player__federation")
    case = found.filter(pk=key, federation=office).first()
    return case if case and case.reported_at.isoformat() == reported else None


# ---- Letters to reporters
CONFIRMATION, ANSWER, OUTCOME = "case-confirmation", "case-answer", "case-outcome"


def compose_confirmation(letter: Letter) -> ComposedLetter | None:
    """The letter with the link that opens the case; None if it is open or deleted."""
    case = _case(letter)
    if case is None or case.state != Case.State.UNCONFIRMED:
        return None
    return _compose("confirmation", case, make_link(case, CONFIRM))


def compose_message(template_name: str, letter: Letter) -> ComposedLetter | None:
    """The letter with an answer or outcome, by its template; None if the case was deleted."""
    case = _case(letter)
    key = letter.particulars["message"]
    message = CaseMessage.objects.filter(pk=key, case=case, internal=False).first() if case else None
    if case is None or message is None:
        return None
    return _compose(template_name, case, make_link(case, FOLLOW), message=message)


def _case(letter: Letter) -> Case | None:
    """The letter's case, if it still has the letter's address."""
    found = Case.objects.filter(pk=letter.particulars["case"], email=letter.email)
    return found.select_related("federation", "section__event", "player__federation").first()


def _compose(name: str, case: Case, link: str, **context: object) -> ComposedLetter:
    context |= {"case": case, "office": case.federation, "link": link, "days": LAPSE_DAYS}
    with override_language(case.language or case.federation.language):
        text = render_to_string(f"letters/cases/{name}.txt", context)
        subject, _line, body = text.strip().partition("\n")
        return render_in_layout(subject.strip(), body.strip(), office=case.federation.name)


COMPOSERS[CONFIRMATION] = compose_confirmation
COMPOSERS[ANSWER] = partial(compose_message, "answer")
COMPOSERS[OUTCOME] = partial(compose_message, "outcome")


# ---- Cases closed and deleted by time
DAYS_KEPT = 365
"""Days for which a closed case is kept."""


def delete_expired_reports(now: datetime) -> int:
    """Delete the reports of all offices that were not confirmed in time; return their number."""
    late = Case.objects.filter(state=Case.State.UNCONFIRMED, reported_at__lt=now - CONFIRMATION_PERIOD)
    number = late.count()
    late.delete()
    return number


def close_silent_cases(federation: Federation, on: date, at: datetime) -> int:
    """Close an office's answered cases without a message for `LAPSE_DAYS` days, each in a transaction;
    return their number. Raises `Refused` as `delete_expired_cases` does.
    """
    return sum(_close_answered(federation, case.pk, on, at) for case in _silent(federation, at))


@transaction.atomic
def _close_answered(federation: Federation, key: int, on: date, at: datetime) -> bool:
    """Close one of them, if nobody has written meanwhile, and write to its reporter."""
    lock_ledger(federation)
    case = _silent(federation, at).filter(pk=key).first()
    if case is None:
        return False
    with override_language(case.language or federation.language):
        words = _("Nobody has written here for %(days)s days after the answer: so the report is closed.")
    words = words % {"days": LAPSE_DAYS}
    message = case.messages.create(author=CaseMessage.Author.OFFICE, at=at, words=words)
    case.state, case.outcome, case.closed_on = Case.State.CLOSED, Case.Outcome.LAPSED, on
    case.version += 1
    case.save(update_fields=["state", "outcome", "closed_on", "version"])
    decide(federation, kind="lapse-case", by=None, on=on, about=f"case {case.pk}")
    order_letter(case.email, OUTCOME, case=case.pk, message=message.pk)
    return True


def _silent(federation: Federation, at: datetime) -> CaseQuerySet:
    """The office's answered cases whose newest message or note is older than `LAPSE_DAYS`."""
    answered = Case.objects.filter(federation=federation, state=Case.State.ANSWERED)
    last = answered.annotate(last=Max("messages__at")).order_by("pk")
    return last.filter(last__lt=at - timedelta(days=LAPSE_DAYS))


@transaction.atomic
def delete_expired_cases(federation: Federation, on: date) -> int:
    """Delete and record an office's cases that were closed more than `DAYS_KEPT` days ago; return their
    number.

    Raises `Refused` in an office that was restored from a backup and may record nothing yet.
    """
    lock_ledger(federation)
    old = Case.objects.filter(federation=federation, state=Case.State.CLOSED)
    old = old.filter(closed_on__lt=on - timedelta(days=DAYS_KEPT))
    parts = [f"case {key}" for key in old.values_list("pk", flat=True)]
    if number := len(parts):
        old.delete()
        decide(federation, kind="delete-cases", by=None, on=on, about="cases", also=parts, number=number)
    return number


# ---- Answers, notes and outcomes by region and office
CHOOSABLE_OUTCOMES = [each for each in Case.Outcome if each != Case.Outcome.LAPSED]
"""The outcomes that an official can choose."""


@transaction.atomic
def answer_case(
    *,
    case: Case,
    by: User | None,
    on: date,
    at: datetime,
    version: int,
    words: str,
    author: str = CaseMessage.Author.OFFICE,
) -> Case:
    """Answer a case; its reporter gets a letter. Raises `Refused` for blank words, a closed case, or a
    changed one.
    """
    locked = _locked_for_answer(case, version)
    message = _add_message(locked, by, at, words, author)
    locked.state = Case.State.ANSWERED
    _save_answer(locked)
    _record(locked, "answer-case", by, on)
    order_letter(locked.email, ANSWER, case=locked.pk, message=message.pk)
    return locked


@transaction.atomic
def note_in_case(
    *,
    case: Case,
    by: User | None,
    on: date,
    at: datetime,
    version: int,
    words: str,
    author: str = CaseMessage.Author.OFFICE,
) -> Case:
    """Add a note that only region and office read. Raises `Refused` as `answer_case` does."""
    locked = _locked_for_answer(case, version)
    _add_message(locked, by, at, words, author, internal=True)
    _save_answer(locked)
    _record(locked, "note-in-case", by, on)
    return locked


@transaction.atomic
def close_case(
    *,
    case: Case,
    by: User | None,
    on: date,
    at: datetime,
    version: int,
    outcome: str,
    words: str,
    erratum: int | None = None,
) -> Case:
    """Close a case with an outcome and words for its reporter. `erratum`: the journal's line of a correction
    with which it is closed.

    Raises `Refused` as `answer_case` does, for an unknown outcome, and for a correction where nothing was
    corrected since the report.
    """
    locked = _locked_for_answer(case, version)
    if outcome not in CHOOSABLE_OUTCOMES:
        raise Refused(_("Choose how the case ended."))
    if outcome == Case.Outcome.CORRECTED and not was_corrected(locked):
        raise Refused(
            _("Nothing was corrected since this was reported. Correct it first, or choose another outcome.")
        )
    message = _add_message(locked, by, at, words, CaseMessage.Author.OFFICE)
    locked.state, locked.outcome, locked.closed_on = Case.State.CLOSED, outcome, on
    _save_answer(locked)
    corrected = {} if erratum is None else {"erratum": erratum}
    _record(locked, "close-case", by, on, outcome=outcome, **corrected)
    order_letter(locked.email, OUTCOME, case=locked.pk, message=message.pk)
    return locked


CORRECTING_DECISIONS = ("mend", "unrate", "edit", "submit", "correct", "merge", "part")
"""The kinds of decisions that can correct what a report is about."""


def was_corrected(case: Case) -> bool:
    """Whether anything that a case is about was corrected since it was reported: its section or an entrant,
    its player or any section in which the player is entered, under any number that they have or had.
    """
    sections = find_sections_of_case(case)
    people = list_people_of_case(case)
    if case.section is not None:
        people += list_entries_of_people(Player.objects.filter(entries__section=case.section))
    numbers = {player.number for player in people}
    about = {f"player {number}" for number in numbers}
    about |= {f"section {section.key}" for section in sections}
    about |= {f"event {section.event.number}" for section in sections}
    since = Decision.objects.filter(federation=case.federation, at__gte=case.reported_at)
    parted = Q(kind="part", sealed_details__out_of__in=numbers)
    return since.filter(Q(kind__in=CORRECTING_DECISIONS, about__in=about) | parted).exists()


def list_people_of_case(case: Case) -> list[Player]:
    """All entries of the register of the person whom a case is about; empty if it names nobody."""
    return list_entries_of_people([case.player]) if case.player else []


def find_sections_of_case(case: Case) -> QuerySet[Section]:
    """The sections that a case is about: its own, and those in which its player is entered."""
    entered = Entry.objects.filter(player__in=list_people_of_case(case)).values("section")
    found = Section.objects.filter(Q(pk=case.section_id) | Q(pk__in=entered))
    return found.select_related("event__federation")


def find_erratum_of_case(case: Case) -> int | None:
    """The journal's line of the correction with which a case was closed, if there is one."""
    closings = Decision.objects.filter(federation=case.federation, kind="close-case", about=f"case {case.pk}")
    decision = closings.order_by("-number").first()
    line = decision.details.get("erratum") if decision else None
    return line if isinstance(line, int) else None


def find_reported_games(case: Case) -> list[Game]:
    """The games that a report names above its words, if its section has them so."""
    words = case.messages.filter(author=CaseMessage.Author.REPORTER).order_by("at", "pk").first()
    if case.section is None or words is None:
        return []
    people = ("first__player__merged_into", "second__player__merged_into")
    lines = set(words.words.splitlines())
    with override_language(case.language or case.federation.language):
        games = case.section.games.select_related(*people)
        return [game for game in games if describe_game(case.section, game) in lines]


def _locked_for_answer(case: Case, version: int) -> Case:
    lock_ledger(case.federation)
    locked = Case.objects.confirmed().select_related("federation", "region").get(pk=case.pk)
    if locked.state == Case.State.CLOSED:
        raise Refused(_("This case is closed already."))
    if locked.version != version:
        raise Refused(_("This case changed while your page was open. Read it as it is now, and try again."))
    return locked


def _add_message(
    case: Case, by: User | None, at: datetime, words: str, author: str, *, internal: bool = False
) -> CaseMessage:
    if not words.strip():
        raise Refused(_("Write a few words: without them nobody knows what you mean."))
    return CaseMessage.objects.create(
        case=case, author=author, by=by, at=at, words=words.strip(), internal=internal
    )


def _save_answer(case: Case) -> None:
    case.version += 1
    case.save(update_fields=["state", "version", "closed_on", "outcome"])


def _record(case: Case, kind: str, by: User | None, on: date, **details: object) -> None:
    """Record a decision about a case without its words, which are deleted with the case."""
    decide(case.federation, kind=kind, by=by, on=on, about=f"case {case.pk}", **details)


# ---- Games that a report is about
def get_rated_games(section: Section, round_: int, entry: Entry) -> list[Game]:
    """The games of an entry in a round of a rated section; none for other sections."""
    if section.stage != Stage.RATED:
        return []
    people = ("first__player__merged_into", "second__player__merged_into")
    own = section.games.filter(Q(first=entry) | Q(second=entry), round=round_)
    return list(own.select_related(*people))


def find_entry(section: Section, player: Player) -> Entry | None:
    """The entry of a player, or of an entry merged into them, in a section."""
    return section.entries.filter(Q(player=player) | Q(player__merged_into=player)).first()


def describe_game(section: Section, game: Game) -> str:
    """A game in words: `Round 3: Nkosi, Anna – Botha, Jan, 1–0`, without the names of withheld players."""
    marks = section.event.federation.publication.notation.marks[game.result]
    return _("Round %(round)s: %(first)s – %(second)s, %(result)s") % {
        "round": game.round,
        "first": _name(game.first),
        "second": _name(game.second),
        "result": "–".join(marks),
    }


def _name(entry: Entry) -> str:
    return entry.person.shown_name if entry.person else entry.name


# ---- Reports, replies and withdrawals by reporters
ONE_DAY = timedelta(days=1)
MOST_OF_ADDRESS = 3
"""Reports of one mail address within a day: each sends it a letter that it may not have asked for."""
REPORTS_FROM_ONE_NETWORK = "10/d/key"
"""The most reports from one network address in a day: a school or a club has one for many people."""
MOST_OF_OFFICE = 200
"""Reports to one office within a day."""
MOST_MESSAGES = 5
"""The reporter's messages in one case within a day."""
LONGEST_MESSAGE = 2000
"""The maximum length of a message."""


class TooManyReports(Refused):
    """There were too many reports or messages within a day."""


@dataclass(frozen=True, slots=True)
class ReportSubject:
    """The subject of a report: a section, a player, or one change of a player's rating."""

    section: Section | None = None
    player: Player | None = None
    track: str = ""
    line: int | None = None
    games: tuple[Game, ...] = ()
    """The games of the section that are meant."""
    round_without_game: int = 0
    """The round of the game that was meant, if no rated section has it any more."""

    @property
    def game_texts(self) -> list[str]:
        """The games that are meant, in words, or that the one that was meant is gone."""
        if self.round_without_game:
            words = _("Round %(round)s: the game that was meant stands in no rated section any more.")
            return [words % {"round": self.round_without_game}]
        return [describe_game(self.section, game) for game in self.games] if self.section else []

    @property
    def games_in_one_line(self) -> str:
        """The games in one line, for the form and for comparison."""
        return "; ".join(self.game_texts)

    @property
    def region(self) -> Region | None:
        """The region that answers: the section's, else the player's."""
        if self.section is not None:
            return self.section.event.region
        return self.player.region if self.player is not None else None


@transaction.atomic
def report(
    *,
    federation: Federation,
    about: ReportSubject,
    email: str,
    name: str,
    words: str,
    at: datetime,
    mark: str = "",
    language: str = "",
) -> None:
    """Store an unconfirmed report and order the letter to confirm it. `language`: of its letters. The games
    that it is about precede its words. With a `mark` that was used before, nothing happens.

    Raises `TooManyReports` for too many reports of one mail address or to one office within a day.
    """
    lock_ledger(federation)
    if find_form_result(federation, mark):
        return
    refuse_too_many_reports(federation, email.lower(), at)
    case = Case.objects.create(
        federation=federation,
        region=about.region,
        section=about.section,
        player=about.player,
        track=about.track,
        line=about.line,
        email=email.lower(),
        name=name.strip(),
        language=language,
        reported_at=at,
    )
    _add_report(case, "\n".join([*about.game_texts, words]), at)
    save_form_result(federation, mark, case.pk)
    order_letter(case.email, CONFIRMATION, case=case.pk)


def refuse_too_many_reports(federation: Federation, email: str, at: datetime) -> None:
    """Raise `TooManyReports` if a mail address or an office has had too many reports within a day."""
    lately = Case.objects.filter(federation=federation, reported_at__gt=at - ONE_DAY)
    own = Case.objects.filter(email=email, reported_at__gt=at - ONE_DAY)
    if own.count() >= MOST_OF_ADDRESS:
        words = _("%(most)s reports were sent with this mail address within a day. Try again tomorrow.")
        raise TooManyReports(words % {"most": MOST_OF_ADDRESS})
    if lately.count() >= MOST_OF_OFFICE:
        raise TooManyReports(_("This office got too many reports within a day. Try again tomorrow."))


@transaction.atomic
def confirm_report(*, case: Case, on: date, at: datetime) -> Case:
    """Open a case whose mail address is confirmed. Raises `Refused` after three days."""
    locked = _lock(case)
    if locked.state != Case.State.UNCONFIRMED:
        return locked
    if at - locked.reported_at > CONFIRMATION_PERIOD:
        raise Refused(_("The link was good for three days, which are over. Report it again."))
    locked.state, locked.opened_on, locked.due = Case.State.OPEN, on, compute_due(locked.federation, on)
    _save(locked)
    details = {
        "section": locked.section.key if locked.section else "",
        "player": locked.player.number if locked.player else "",
        "track": locked.track,
        "line": locked.line,
        "region": locked.region.code if locked.region else "",
        "due": locked.due.isoformat(),
    }
    _record(locked, "open-case", None, on, **{key: value for key, value in details.items() if value})
    return locked


def compute_due(federation: Federation, on: date) -> date:
    """The last day to answer a message of a day, by the regulations or the office's settings."""
    days = federation.equipment.office.powers.case_days or get_settings(federation).case_days
    return on + timedelta(days)


@transaction.atomic
def add_reporter_message(*, case: Case, on: date, at: datetime, words: str) -> Case:
    """Add a message of the reporter; an answered case waits again, with a new last day.

    Raises `Refused` if the case is closed, and `TooManyReports` for too many messages within a day.
    """
    locked = _lock_open(case)
    lately = locked.messages.filter(author=CaseMessage.Author.REPORTER, at__gt=at - ONE_DAY)
    if lately.count() >= MOST_MESSAGES:
        refusal = _("You wrote %(most)s times within a day. The office will answer: write again tomorrow.")
        raise TooManyReports(refusal % {"most": MOST_MESSAGES})
    _add_report(locked, words, at)
    if locked.state == Case.State.ANSWERED:
        locked.state, locked.due = Case.State.OPEN, compute_due(locked.federation, on)
    _save(locked)
    _record(locked, "reply-to-case", None, on)
    return locked


@transaction.atomic
def withdraw_case(*, case: Case, on: date) -> Case:
    """Close a case whose reporter withdraws it. Raises `Refused` if it is closed."""
    locked = _lock_open(case)
    locked.state, locked.outcome, locked.closed_on = Case.State.CLOSED, Case.Outcome.WITHDRAWN, on
    _save(locked)
    _record(locked, "withdraw-case", None, on)
    return locked


def _lock_open(case: Case) -> Case:
    locked = _lock(case)
    if locked.state == Case.State.UNCONFIRMED:
        raise Refused(_("Confirm your mail address first, by the link in the letter to you."))
    if locked.state == Case.State.CLOSED:
        raise Refused(_("This case is closed. If something is still wrong, report it anew."))
    return locked


def _lock(case: Case) -> Case:
    lock_ledger(case.federation)
    found = Case.objects.select_related("federation", "region", "section__event", "player")
    return found.get(pk=case.pk)


def _save(case: Case) -> None:
    case.version += 1
    case.save(update_fields=["state", "version", "opened_on", "due", "closed_on", "outcome"])


def _add_report(case: Case, words: str, at: datetime) -> None:
    author = CaseMessage.Author.REPORTER
    CaseMessage.objects.create(case=case, author=author, at=at, words=words.strip())
