"""Letters to whoever reported a mistake: to confirm the mail address, with each answer, with the outcome."""

from __future__ import annotations

from django.template.loader import render_to_string

from players.office.mail.letters import COMPOSERS, Composed, framed, in_language
from players.office.models import Letter
from tournaments.cases.links import CONFIRM, FOLLOW, link_of
from tournaments.cases.models import DAYS_ANSWERED, Case, CaseMessage

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
