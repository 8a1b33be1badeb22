"""A reporter's deeds: reporting a mistake, confirming the mail address, writing again, withdrawing it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.db import transaction
from django.utils.translation import gettext as _

from players.office.decision_record import Refused, decide, keep_mark, lock_ledger, made_before
from players.office.mail.letters import order_letter
from players.office.models import Federation, Region
from players.office.settings_schema import settings_of
from players.register.models import Player
from tournaments.cases.case_letters import CONFIRMATION
from tournaments.cases.links import GOOD_FOR
from tournaments.cases.models import Case, CaseMessage
from tournaments.cases.reported_games import words_of
from tournaments.events.models import Game, Section

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
