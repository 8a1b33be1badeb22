"""Cases: what players and parents say is wrong, without an account; the answers to it, and the outcome.

A reporter confirms a mail address, then follows the case by a link that is signed, made anew for each letter
and stored nowhere. The module has the letters, the deeds of the reporter and of region and office, and the
clock that closes and deletes cases; a case's words are deleted with it and never stand in the record.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.conf import settings
from django.core import signing
from django.db import transaction
from django.db.models import Max, Q
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from players.mail import COMPOSERS, Composed, framed, in_language, order_letter
from players.models import Federation, Letter, Player, Region, User
from players.record import Refused, decide, keep_mark, lock_ledger, made_before
from players.settings import settings_of
from tournaments.models import DAYS_ANSWERED, Case, CaseMessage, CaseQuerySet, Entry, Game, Section, Stage

# ---- Links of a case. Each opens its own case alone.
CONFIRM, FOLLOW = "tournaments.cases.confirm", "tournaments.cases.follow"
GOOD_FOR = timedelta(days=3)
"""The time within which a mail address is confirmed; what was not confirmed by then is deleted."""
PAGES = {CONFIRM: "ratings:confirm_report", FOLLOW: "ratings:follow_report"}


def token_of(case: Case, purpose: str) -> str:
    """The token that opens a case. It covers the moment of the report: after a restore another case may get
    the same key.
    """
    return signing.dumps([case.pk, case.reported_at.isoformat()], salt=purpose)


def link_of(case: Case, purpose: str) -> str:
    """The whole address behind which a case is confirmed or followed. The token stands in the query, which no
    log of requests keeps.
    """
    page = reverse(PAGES[purpose], args=[case.federation.code])
    return f"{settings.SITE_ADDRESS}{page}?{urlencode({'case': token_of(case, purpose)})}"


def case_of(token: str, purpose: str, office: int) -> Case | None:
    """The case of an office that a token opens; None where it opens none, or not any more."""
    try:
        given = signing.loads(token, salt=purpose, max_age=GOOD_FOR if purpose == CONFIRM else None)
        key, reported = given
    except (signing.BadSignature, TypeError, ValueError):
        return None
    found = Case.objects.select_related("federation", "region", "section__event", "player__federation")
    case = found.filter(pk=key, federation=office).first()
    return case if case and case.reported_at.isoformat() == reported else None


# ---- Letters to reporters: to confirm the mail address, with each answer, with the outcome.
CONFIRMATION, ANSWER, OUTCOME = "case-confirmation", "case-answer", "case-outcome"


def compose_confirmation(letter: Letter) -> Composed | None:
    """The letter with the link that opens the case; None if it is open, or deleted."""
    case = _case(letter)
    if case is None or case.state != Case.State.UNCONFIRMED:
        return None
    return _composed("confirmation", case, link_of(case, CONFIRM))


def compose_answer(letter: Letter) -> Composed | None:
    """The letter with an answer; None if the case was deleted."""
    return _of_message("answer", letter)


def compose_outcome(letter: Letter) -> Composed | None:
    """The letter with the outcome; None if the case was deleted."""
    return _of_message("outcome", letter)


def _of_message(name: str, letter: Letter) -> Composed | None:
    case = _case(letter)
    key = letter.particulars["message"]
    message = CaseMessage.objects.filter(pk=key, case=case, internal=False).first() if case else None
    if case is None or message is None:
        return None
    return _composed(name, case, link_of(case, FOLLOW), message=message)


def _case(letter: Letter) -> Case | None:
    """The case of a letter, if it is still of the address to which the letter goes."""
    found = Case.objects.filter(pk=letter.particulars["case"], email=letter.email)
    return found.select_related("federation", "section__event", "player__federation").first()


def _composed(name: str, case: Case, link: str, **told: object) -> Composed:
    """A letter of a case, in the language in which it was reported."""
    words = {"case": case, "office": case.federation, "link": link, "days": DAYS_ANSWERED, **told}
    with in_language(case.language or case.federation.language):
        text = render_to_string(f"letters/cases/{name}.txt", words)
        subject, _line, body = text.strip().partition("\n")
        return framed(subject.strip(), body.strip(), office=case.federation.name)


COMPOSERS[CONFIRMATION] = compose_confirmation
COMPOSERS[ANSWER] = compose_answer
COMPOSERS[OUTCOME] = compose_outcome


# ---- Ending cases by the clock: those answered are closed once nobody writes any more, those unconfirmed are
# deleted after three days, those closed after a year, with every word in them.
DAYS_KEPT = 365
"""Days for which a closed case is kept."""


def delete_unconfirmed(now: datetime) -> int:
    """Delete the reports of all offices whose mail address nobody confirmed in time; return how many."""
    late = Case.objects.filter(state=Case.State.UNCONFIRMED, reported_at__lt=now - GOOD_FOR)
    number = late.count()
    late.delete()
    return number


def close_answered(federation: Federation, on: date, at: datetime) -> int:
    """Close an office's cases that were answered and in which nobody has written for `DAYS_ANSWERED` days;
    return how many. Each is one transaction. Raises `Refused` as `delete_closed` does.
    """
    return sum(_close_answered(federation, case.pk, on, at) for case in _silent(federation, at))


@transaction.atomic
def _close_answered(federation: Federation, key: int, on: date, at: datetime) -> bool:
    """Close one of them, if nobody has written meanwhile; its reporter gets a letter."""
    lock_ledger(federation)
    case = _silent(federation, at).filter(pk=key).first()
    if case is None:
        return False
    with in_language(case.language or federation.language):
        words = _("Nobody has written here for %(days)s days after the answer: so the report is closed.")
    said = case.messages.create(
        author=CaseMessage.Author.OFFICE, at=at, words=words % {"days": DAYS_ANSWERED}
    )
    case.state, case.outcome, case.closed_on = Case.State.CLOSED, Case.Outcome.LAPSED, on
    case.version += 1
    case.save(update_fields=["state", "outcome", "closed_on", "version"])
    decide(federation, kind="lapse-case", by=None, on=on, about=f"case {case.pk}")
    order_letter(case.email, OUTCOME, case=case.pk, message=said.pk)
    return True


def _silent(federation: Federation, at: datetime) -> CaseQuerySet:
    """Cases of an office that were answered, and whose newest word or note is older than `DAYS_ANSWERED`."""
    answered = Case.objects.filter(federation=federation, state=Case.State.ANSWERED)
    last = answered.annotate(last=Max("messages__at")).order_by("pk")
    return last.filter(last__lt=at - timedelta(days=DAYS_ANSWERED))


@transaction.atomic
def delete_closed(federation: Federation, on: date) -> int:
    """Delete an office's cases that were closed a year ago; the record says how many. Returns that number.

    Raises `Refused` in an office that was put back from a backup and may record nothing yet.
    """
    lock_ledger(federation)
    old = Case.objects.filter(federation=federation, state=Case.State.CLOSED)
    old = old.filter(closed_on__lt=on - timedelta(days=DAYS_KEPT))
    number = old.count()
    if number:
        old.delete()
        decide(federation, kind="delete-cases", by=None, on=on, about="cases", number=number)
    return number


# ---- The deeds of region and office about a case: answering, noting inside, closing with an outcome.
OUTCOMES = [each for each in Case.Outcome if each != Case.Outcome.LAPSED]
"""The outcomes that an official chooses from; the clock has one of its own."""


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
    """Answer a case: its reporter gets the words by a letter. Raises `Refused` without words, once the case
    is closed, or where it changed since the page was opened.
    """
    locked = _locked_for_answer(case, version)
    message = _said(locked, by, at, words, author)
    locked.state = Case.State.ANSWERED
    _saved_answer(locked)
    _answer_on_record(locked, "answer-case", by, on)
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
    """Note something in a case that region and office read, and its reporter never. Raises `Refused` as
    `answer_case` does.
    """
    locked = _locked_for_answer(case, version)
    _said(locked, by, at, words, author, internal=True)
    _saved_answer(locked)
    _answer_on_record(locked, "note-in-case", by, on)
    return locked


@transaction.atomic
def close_case(
    *, case: Case, by: User | None, on: date, at: datetime, version: int, outcome: str, words: str
) -> Case:
    """Close a case with an outcome, which its reporter reads with the office's words. Raises `Refused` as
    `answer_case` does, and for an outcome that there is not.
    """
    locked = _locked_for_answer(case, version)
    if outcome not in OUTCOMES:
        raise Refused(_("Choose how the case ended."))
    message = _said(locked, by, at, words, CaseMessage.Author.OFFICE)
    locked.state, locked.outcome, locked.closed_on = Case.State.CLOSED, outcome, on
    _saved_answer(locked)
    _answer_on_record(locked, "close-case", by, on, outcome=outcome)
    order_letter(locked.email, OUTCOME, case=locked.pk, message=message.pk)
    return locked


def _locked_for_answer(case: Case, version: int) -> Case:
    lock_ledger(case.federation)
    locked = Case.objects.confirmed().select_related("federation", "region").get(pk=case.pk)
    if locked.state == Case.State.CLOSED:
        raise Refused(_("This case is closed already."))
    if locked.version != version:
        raise Refused(_("This case changed while your page was open. Read it as it is now, and try again."))
    return locked


def _said(
    case: Case, by: User | None, at: datetime, words: str, author: str, *, internal: bool = False
) -> CaseMessage:
    if not words.strip():
        raise Refused(_("Write a few words: without them nobody knows what you mean."))
    return CaseMessage.objects.create(
        case=case, author=author, by=by, at=at, words=words.strip(), internal=internal
    )


def _saved_answer(case: Case) -> None:
    case.version += 1
    case.save(update_fields=["state", "version", "closed_on", "outcome"])


def _answer_on_record(case: Case, kind: str, by: User | None, on: date, **told: object) -> None:
    """Put the deed on record, without the words: they are deleted with the case."""
    decide(case.federation, kind=kind, by=by, on=on, about=f"case {case.pk}", **told)


# ---- The games that a report is about: what one entry played in one round, named with players and result.
def games_of(section: Section, round_: int, entry: Entry) -> list[Game]:
    """The games of an entry in a round of a rated section, as its page shows them; none of any other."""
    if section.stage != Stage.RATED:
        return []
    people = ("first__player__merged_into", "second__player__merged_into")
    own = section.games.filter(Q(first=entry) | Q(second=entry), round=round_)
    return list(own.select_related(*people))


def entry_of(section: Section, player: Player) -> Entry | None:
    """The entry of a player in a section, or of who was merged into them."""
    return section.entries.filter(Q(player=player) | Q(player__merged_into=player)).first()


def words_of(section: Section, game: Game) -> str:
    """A game in words: `Round 3: Nkosi, Anna – Botha, Jan, 1–0`. Who asked not to be named is not."""
    marks = section.event.federation.publication.notation.marks[game.result]
    return _("Round %(round)s: %(first)s – %(second)s, %(result)s") % {
        "round": game.round,
        "first": _name(game.first),
        "second": _name(game.second),
        "result": "–".join(marks),
    }


def _name(entry: Entry) -> str:
    player = entry.player and (entry.player.merged_into or entry.player)
    return player.shown_name if player else entry.name


# ---- A reporter's deeds: reporting a mistake, confirming the mail address, writing again, withdrawing it.
A_DAY = timedelta(days=1)
MOST_OF_ADDRESS = 3
"""Reports of one mail address within a day: each sends it a letter that it may not have asked for."""
MOST_OF_OFFICE = 200
"""Reports to one office within a day, whoever sends them."""
MOST_MESSAGES = 5
"""Messages of the reporter in one case within a day."""
LONGEST = 2000
"""Letters of the reporter's own words in one message: the forms take no more. Nothing is cut."""


class Flooded(Refused):
    """A refusal because there were too many reports or messages within a day."""


@dataclass(frozen=True, slots=True)
class Reported:
    """The thing that a report is about: a section, a player, or one change of a player's rating."""

    section: Section | None = None
    player: Player | None = None
    track: str = ""
    line: int | None = None
    games: tuple[Game, ...] = ()
    """The games of the section that are meant, where the report was begun at one."""
    round_without_game: int = 0
    """The round of a game at which the report was begun and which no rated section has any more."""

    @property
    def told_games(self) -> list[str]:
        """The games that are meant, in words; or that the one that was meant is gone."""
        if self.round_without_game:
            words = _("Round %(round)s: the game that was meant stands in no rated section any more.")
            return [words % {"round": self.round_without_game}]
        return [words_of(self.section, game) for game in self.games] if self.section else []

    @property
    def games_in_one_line(self) -> str:
        """The games that are meant, as the form brings them back and as they are compared with those then."""
        return "; ".join(self.told_games)

    @property
    def region(self) -> Region | None:
        """The region that answers: the one that filed the section, else the player's."""
        if self.section is not None:
            return self.section.event.region
        return self.player.region if self.player is not None else None


@transaction.atomic
def report(
    *,
    federation: Federation,
    about: Reported,
    email: str,
    name: str,
    words: str,
    at: datetime,
    mark: str = "",
    language: str = "",
) -> None:
    """Keep a report that nobody is shown until its mail address is confirmed, and order the letter for that.
    `language`: what its letters are in. The games that it is about stand above its words, as they were then.

    Raises `Flooded` beyond so many of one mail address or of one office within a day. Sent again with the
    same mark, it is kept once.
    """
    lock_ledger(federation)
    if made_before(federation, mark):
        return
    refuse_flood(federation, email.lower(), at)
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
    _say(case, "\n".join([*about.told_games, words]), at)
    keep_mark(federation, mark, case.pk)
    order_letter(case.email, CONFIRMATION, case=case.pk)


def refuse_flood(federation: Federation, email: str, at: datetime) -> None:
    """Raise `Flooded` if a mail address or a whole office has as many reports within a day as it may have."""
    lately = Case.objects.filter(federation=federation, reported_at__gt=at - A_DAY)
    own = Case.objects.filter(email=email, reported_at__gt=at - A_DAY)
    if own.count() >= MOST_OF_ADDRESS:
        words = _("%(most)s reports were sent with this mail address within a day. Try again tomorrow.")
        raise Flooded(words % {"most": MOST_OF_ADDRESS})
    if lately.count() >= MOST_OF_OFFICE:
        raise Flooded(_("This office got too many reports within a day. Try again tomorrow."))


@transaction.atomic
def confirm_report(*, case: Case, on: date, at: datetime) -> Case:
    """Open a case, now that its mail address is confirmed: from here on region and officials see it, and its
    days run. Confirmed again, nothing changes. Raises `Refused` after three days.
    """
    locked = _locked(case)
    if locked.state != Case.State.UNCONFIRMED:
        return locked
    if at - locked.reported_at > GOOD_FOR:
        raise Refused(_("The link was good for three days, which are over. Report it again."))
    locked.state, locked.opened_on, locked.due = Case.State.OPEN, on, due_from(locked.federation, on)
    _saved(locked)
    told = {
        "section": locked.section.key if locked.section else "",
        "player": locked.player.number if locked.player else "",
        "track": locked.track,
        "line": locked.line,
        "region": locked.region.code if locked.region else "",
        "due": locked.due.isoformat(),
    }
    _on_record(locked, "open-case", on, **{key: value for key, value in told.items() if value})
    return locked


def due_from(federation: Federation, on: date) -> date:
    """The last day for an answer to what was said on a day: the regulations' days, or the office's own."""
    days = federation.equipment.office.powers.case_days or settings_of(federation).case_days
    return on + timedelta(days)


@transaction.atomic
def reply_to_case(*, case: Case, on: date, at: datetime, words: str) -> Case:
    """Add a message of the reporter; a case that was answered waits again, and its days run anew.

    Raises `Refused` once the case is closed, and `Flooded` beyond so many messages within a day.
    """
    locked = _awaited(case)
    said = locked.messages.filter(author=CaseMessage.Author.REPORTER, at__gt=at - A_DAY)
    if said.count() >= MOST_MESSAGES:
        told = _("You wrote %(most)s times within a day. The office will answer: write again tomorrow.")
        raise Flooded(told % {"most": MOST_MESSAGES})
    _say(locked, words, at)
    if locked.state == Case.State.ANSWERED:
        locked.state, locked.due = Case.State.OPEN, due_from(locked.federation, on)
    _saved(locked)
    _on_record(locked, "reply-to-case", on)
    return locked


@transaction.atomic
def withdraw_case(*, case: Case, on: date) -> Case:
    """Close a case whose reporter says that nothing is wrong after all. Raises `Refused` once closed."""
    locked = _awaited(case)
    locked.state, locked.outcome, locked.closed_on = Case.State.CLOSED, Case.Outcome.WITHDRAWN, on
    _saved(locked)
    _on_record(locked, "withdraw-case", on)
    return locked


def _awaited(case: Case) -> Case:
    locked = _locked(case)
    if locked.state == Case.State.UNCONFIRMED:
        raise Refused(_("Confirm your mail address first, by the link in the letter to you."))
    if locked.state == Case.State.CLOSED:
        raise Refused(_("This case is closed. If something is still wrong, report it anew."))
    return locked


def _locked(case: Case) -> Case:
    lock_ledger(case.federation)
    found = Case.objects.select_related("federation", "region", "section__event", "player")
    return found.get(pk=case.pk)


def _saved(case: Case) -> None:
    case.version += 1
    case.save(update_fields=["state", "version", "opened_on", "due", "closed_on", "outcome"])


def _say(case: Case, words: str, at: datetime) -> None:
    author = CaseMessage.Author.REPORTER
    CaseMessage.objects.create(case=case, author=author, at=at, words=words.strip())


def _on_record(case: Case, kind: str, on: date, **told: object) -> None:
    """Put a reporter's deed on record, by nobody who works here and without their words."""
    decide(case.federation, kind=kind, by=None, on=on, about=f"case {case.pk}", **told)
