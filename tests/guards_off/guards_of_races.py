"""Switches off what keeps two people's decisions about one thing apart (`tests.races`)."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable
from typing import Any, cast

PAUSE = 0.05
"""Seconds between a decision's looking and its writing where nobody waits for anybody."""


def _saw_section(module: Any) -> None:
    """A change of a section asks neither what was seen nor at what stage it is."""
    lock, every = module.lock_section, tuple(module.Stage)
    module.lock_section = lambda section, *, version=None, stages=(): lock(section, stages=every)


def _saw_event(module: Any) -> None:
    def lock(event: Any, *, version: int, states: object = ()) -> Any:
        module.lock_ledger(event.federation)
        return module.Event.objects.select_related("federation", "region").get(pk=event.pk)

    module.lock_event = lock


def _saw_official(module: Any) -> None:
    """An official is put on a section, whoever is on it."""
    module._locked = lambda section, seen: module.lock_section(section, stages=module.TAKEN_IN)


def _saw_case(module: Any) -> None:
    def lock(case: Any, version: int) -> Any:
        module.lock_ledger(case.federation)
        return module.Case.objects.select_related("federation", "region").get(pk=case.pk)

    module._locked_for_answer = lock


def _saw_entry(module: Any) -> None:
    """A correction of an entry asks neither what was seen nor whether it was merged."""
    module._refuse_correction = lambda *_given: None


def _saw_settings(module: Any) -> None:
    """Settings are changed whatever the page showed."""
    change = module.change_settings
    module.change_settings = lambda **given: change(**{**given, "seen": ""})


def _one_answer(module: Any) -> None:
    def answer(*, section: Any, by: Any, on: Any, words: str, answers_to: Any = None) -> Any:
        said = (module.UNTIED, words)
        with module.transaction.atomic():
            return module._say(section, "answer", module.Remark.Kind.ANSWER, by, on, said, answers_to)

    module.answer = answer


def _one_hint_answer(module: Any) -> None:
    """A hint is answered whether or not somebody said that all is right."""

    def lock(section: Any, key: str, version: int, _words: str) -> tuple[Any, Any]:
        locked = module.lock_section(section, version=version, stages=(module.Stage.SUBMITTED,))
        return locked, module.Hint.objects.get(section=locked, key=key)

    module._lock = lock


def _whatever_was_shown() -> None:
    """Whoever decides on effects decides, whatever a page showed: else that alone would keep two apart."""
    from ratings import as_if
    from ratings.pages import forms

    of_preview, of_form = cast(Any, as_if.hash_preview_state), cast(Any, forms.OutlookForm)
    of_preview.__code__ = (lambda office, day, *about: "as shown").__code__  # wherever it is imported
    of_form.clean = lambda self: self.cleaned_data


def _one_merge(module: Any) -> None:
    _whatever_was_shown()
    module.refuse_pair = lambda *_given: None


def _one_parting(module: Any) -> None:
    """An entry is parted whether or not it is merged; and the journal is read whatever it says of that, for
    a line that parts nobody cannot be read, and the second deed would end in an error of its own.
    """
    _whatever_was_shown()
    module.refuse_parting = lambda *_given: None

    def merges(lines: Any) -> dict[str, str]:
        found: dict[str, str] = defaultdict(str)
        for _number, fact in lines:
            if type(fact).__name__ == "Merged":
                found[fact.player] = fact.into
            elif type(fact).__name__ == "Parted":
                found.pop(fact.player, None)
        return found

    module.journal.merges = merges


def _one_transfer(module: Any) -> None:
    def lock(transfer: Any) -> Any:
        module.lock_ledger(transfer.federation)
        joined = ("player__federation", "federation", "taking", "giving")
        return module.Transfer.objects.select_related(*joined).get(pk=transfer.pk)

    module._locked = lock


def _one_administrator(module: Any) -> None:
    module.conflicting_regional_appointments = lambda *_given: []


def _one_account(module: Any) -> None:
    """Of two offices that appoint one new person neither thinks of the other."""

    def account(email: str, name: str) -> Any:
        found = module.User.objects.filter(email=email.lower()).first()
        return found or module.User.objects.create_user(email, name=name)

    module._account_of = account


def _one_ending(module: Any) -> None:
    """Of two offices that end a person's last appointments neither waits for the other."""

    def end(appointment: Any, on: Any) -> None:
        held = module.Appointment.objects.filter(user=appointment.user_id)
        if not held.ending_after(on).exists():
            sessions = module.F("session_number") + 1
            module.User.objects.filter(pk=appointment.user_id).update(session_number=sessions)
        time.sleep(PAUSE)

    module.end_sessions_of_the_last = end


def _queue(settings: Any) -> None:
    """Nobody waits for anybody: no row is locked, and on SQLite no transaction waits for its turn."""
    settings.SQLITE["transaction_mode"] = "DEFERRED"
    from django.db.models import QuerySet

    def unlocked(self: Any, *_given: object, **_options: object) -> Any:
        time.sleep(PAUSE)
        return self._chain()

    QuerySet.select_for_update = unlocked  # type: ignore[method-assign]


GUARDS_OF_RACES: dict[str, tuple[str, Callable[[Any], None]]] = {
    "saw-section": ("tournaments.sections", _saw_section),
    "saw-event": ("tournaments.announcements", _saw_event),
    "saw-official": ("tournaments.review", _saw_official),
    "saw-case": ("tournaments.cases", _saw_case),
    "saw-entry": ("ratings.people", _saw_entry),
    "saw-settings": ("players.appointments", _saw_settings),
    "one-answer": ("tournaments.review", _one_answer),
    "one-hint-answer": ("ratings.hints", _one_hint_answer),
    "one-merge": ("ratings.merging", _one_merge),
    "one-parting": ("ratings.merging", _one_parting),
    "one-transfer": ("ratings.people", _one_transfer),
    "one-administrator": ("players.appointments", _one_administrator),
    "one-account": ("players.appointments", _one_account),
    "one-ending": ("players.appointments", _one_ending),
    "queue": ("federation_site.settings", _queue),
}
"""By name: the module of each guard, and what switches it off once that is imported."""
