"""The first decision on a section, before play, for regulations that want one."""

from __future__ import annotations

from datetime import date
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from players.office.decision_record import Refused, decide
from players.office.models import User
from tournaments.events.finding_words import words_of
from tournaments.events.models import Section, Stage
from tournaments.events.section_days import refused_before_play
from tournaments.filing.before_play.decide_before_play import lock_for_first_decision
from tournaments.filing.before_play.first_decision import decides_before_play, declared_now
from tournaments.filing.changes.notices import standing_notice
from tournaments.filing.open_questions import findings_before_play, recheck


@transaction.atomic
def admit_before_play(*, section: Section, by: User | None, on: date, version: int, reason: str) -> Section:
    """Admit a section as it is declared now; where none waits for that (csa §11), let one be played that was
    refused. A finding that may be waived needs a reason.

    Raises `Refused` if the regulations have no such decision, or a declared value breaks them.
    """
    locked = lock_for_first_decision(section, version)
    ruleset = locked.event.federation.ruleset
    if not decides_before_play(locked.event.federation) and not refused_before_play(locked):
        raise Refused(
            _("No section has to wait for a decision before play here: it can be played and filed.")
        )
    found = findings_before_play(locked)
    blocking = [words_of(each, ruleset) for each in found if each.level == "blocks"]
    if blocking:
        raise Refused("\n".join([_("The competition cannot be admitted as declared:"), *blocking]))
    waived = [{"clause": each.clause, "key": each.key} for each in found if each.level == "waivable"]
    if waived and not reason.strip():
        raise Refused(_("Something is late or missing: say why the office still admits the competition."))
    declared = declared_now(locked)
    if refused_before_play(locked):  # this decision replaces that one
        locked.stage, locked.remarks = Stage.REGISTERED, ""
        locked.notice, locked.notice_on = standing_notice(locked)
    locked.before_play = {}
    locked.permissions = [
        *(each for each in locked.permissions if "declared" not in each),
        {"clause": "", "reason": reason.strip(), "on": on.isoformat(), "declared": declared},
    ]
    locked.version += 1
    locked.save()
    recheck(locked)
    decided: dict[str, Any] = {"reason": reason.strip()}
    if decides_before_play(locked.event.federation):
        decided |= {"kind": "admit", "declared": declared, "waived": waived}
    else:  # nobody admits a section here: the refusal is taken away again
        decided["kind"] = "close-before-play"
    decide(locked.event.federation, by=by, on=on, about=f"section {locked.key}", **decided)
    return locked
