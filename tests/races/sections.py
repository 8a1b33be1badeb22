"""Pairs about one section: who reviews, corrects, returns, answers, takes back, appeals."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING

from tests.races.day import day
from tests.races.pairs import BOTH_IN_ANY_ORDER, Deed, Order, Pair, Race
from tests.races.worked_out import until_worked_out

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.races.scene import Scene
    from tournaments.corrections import Change
    from tournaments.models import Section

REASON = "Round 1 was played otherwise."
ANEW = ("unrate", "mend", "approve")
"""What a correction of a rated section leaves on record."""


def deed(who: str, section: Section, page: str, *records: str, **fields: object) -> Deed:
    """A form on one of a section's pages, with the version that its page showed."""
    fields = {"version": section.version, "despite_hints": "a test", **fields}
    return Deed(who, f"{section.get_absolute_url()}{page}/", fields, records or (page,))


def _looks(section: Section, stages: dict[int, str], done: Order, **counts: dict[int, int]) -> str:
    """What is wrong with a section once these deeds are done: its stage, by the last of them; the number of
    its `corrections`, `appeals`, lines `in_force` and so on, by the last of them.
    """
    from ratings.models import Fact
    from tournaments.models import Section

    now, last = Section.objects.get(pk=section.pk), done[-1]
    found = {name: getattr(now, name).count() for name in counts if name != "in_force"}
    if "in_force" in counts:
        found["in_force"] = Fact.objects.filter(kind="rated", section=now).in_force().count()
    wanted = {name: each[last] for name, each in counts.items()}
    if now.stage == stages[last] and found == wanted:
        return ""
    return f"{section.key} is {now.stage}, not {stages[last]}; it has {found}, not {wanted}"


def correction(who: str, section: Section, *records: str, **fields: object) -> Deed:
    game = section.games.get(order=1)
    changes = [{"what": "result", "game": 1, "to": "0-1" if game.result == "1-0" else "1-0"}]
    told = {"changes": json.dumps(changes), "decide": "on", **fields}
    if section.stage == "rated":
        told["seen"] = _effects_shown(section, changes)
    return deed(who, section, "mend", *records, **told)


# ---------------------------------------------------------------- the review


def approve_twice(scene: Scene, _number: int) -> Pair:
    section = scene.submitted()
    looks = partial(_looks, section, {0: "rated", 1: "rated"}, in_force={0: 1, 1: 1})
    return Pair((deed("nomsa", section, "approve"), deed("sizwe", section, "approve")), looks)


def correct_and_approve(scene: Scene, _number: int) -> Pair:
    section = scene.submitted()
    looks = partial(
        _looks,
        section,
        {0: "submitted", 1: "rated"},
        corrections={0: 1, 1: 0},
        in_force={0: 0, 1: 1},
    )
    return Pair(
        (correction("nomsa", section, "mend", reason=REASON), deed("sizwe", section, "approve")), looks
    )


def approve_and_withdraw(scene: Scene, _number: int) -> Pair:
    section = scene.submitted()
    looks = partial(_looks, section, {0: "rated", 1: "filed"}, in_force={0: 1, 1: 0})
    back = deed("amahle", section, "submit/withdraw", "withdraw")
    return Pair((deed("nomsa", section, "approve"), back), looks)


def return_and_refuse(scene: Scene, _number: int) -> Pair:
    section = scene.submitted()
    looks = partial(_looks, section, {0: "returned", 1: "refused"}, thread={0: 1, 1: 1})
    deeds = (
        deed("nomsa", section, "return", reason=REASON),
        deed("sizwe", section, "refuse", reason=REASON),
    )
    return Pair(deeds, looks)


def take_twice(scene: Scene, _number: int) -> Pair:
    section = scene.submitted()
    deeds = (deed("nomsa", section, "take", seen=""), deed("sizwe", section, "take", seen=""))
    return Pair(deeds, partial(_taken_by, scene, section, ("nomsa", "sizwe")))


def give_back_and_take(scene: Scene, _number: int) -> Pair:
    """One gives the section back, another takes it from them: of both only what was seen is so."""
    from django.utils import timezone

    from tournaments.review import take

    section, nomsa = scene.submitted(), scene.users["nomsa"]
    take(section=section, by=nomsa, at=timezone.now(), on=day(), seen_official=None)
    seen = {"seen": nomsa.pk}
    deeds = (deed("nomsa", section, "give-back", **seen), deed("sizwe", section, "take", **seen))
    return Pair(deeds, partial(_taken_by, scene, section, ("", "sizwe")))


def _taken_by(scene: Scene, section: Section, names: tuple[str, str], done: Order) -> str:
    from tournaments.models import SectionTaking

    held = SectionTaking.objects.filter(section=section).values_list("official", flat=True).first()
    wanted = scene.users[name].pk if (name := names[done[-1]]) else None
    return "" if held == wanted else f"{section.key} is taken by {held}, not by {wanted}"


# ---------------------------------------------------------------- corrections of rated sections


def correct_twice(scene: Scene, _number: int) -> Pair:
    section = scene.rated()
    told = {"reason": "result", "words": REASON}
    deeds = (correction("nomsa", section, *ANEW, **told), correction("sizwe", section, *ANEW, **told))
    return Pair(deeds, _corrected_once(section))


def _corrected_once(section: Section) -> partial[str]:
    return partial(_looks, section, {0: "rated", 1: "rated"}, corrections={0: 1, 1: 1}, in_force={0: 1, 1: 1})


def _effects_shown(section: Section, changes: Sequence[Change] | None = None) -> str:
    """What is sent from a page that has shown the effects of un-rating, or of these corrections: they are
    there once all ratings are worked out.
    """
    from players.settings import today
    from ratings.as_if import hash_preview_state
    from ratings.pages.corrections import mark_of_correction

    if late := until_worked_out():
        raise TimeoutError(late)
    if changes is not None:
        return mark_of_correction(section, changes)
    office = section.event.federation
    return hash_preview_state(office, today(office), section.key)


def correct_and_unrate(scene: Scene, _number: int) -> Pair:
    section = scene.rated()
    told = {"reason": "result", "words": REASON}
    unrating = deed("sizwe", section, "unrate", seen=_effects_shown(section), **told)
    deeds = (correction("nomsa", section, *ANEW, **told), unrating)
    looks = partial(
        _looks, section, {0: "rated", 1: "unrated"}, corrections={0: 1, 1: 0}, in_force={0: 1, 1: 0}
    )
    return Pair(deeds, looks)


def propose_twice(scene: Scene, _number: int) -> Pair:
    section = scene.rated()
    told = {"reason": "result", "words": REASON}
    deeds = (
        correction("nomsa", section, "propose-mend", **told),
        correction("sizwe", section, "propose-mend", **told),
    )
    stages = {0: "rated", 1: "rated"}
    return Pair(deeds, partial(_looks, section, stages, corrections={0: 0, 1: 0}, in_force={0: 1, 1: 1}))


def _proposed(scene: Scene) -> tuple[Section, str]:
    """A section with a proposed correction, and what is sent from a page that showed its effects."""
    from ratings.corrections import propose_correction

    section = scene.rated()
    changes = json.loads(str(correction("lindiwe", section).fields["changes"]))
    propose_correction(
        section=section,
        by=scene.users["lindiwe"],
        on=day(),
        version=section.version,
        changes=changes,
        reason="result",
        words=REASON,
    )
    return section, _effects_shown(section, changes)


def confirm_twice(scene: Scene, _number: int) -> Pair:
    section, seen = _proposed(scene)
    page = "mend/proposal"
    deeds = (deed("nomsa", section, page, *ANEW, seen=seen), deed("sizwe", section, page, *ANEW, seen=seen))
    return Pair(deeds, _corrected_once(section))


def confirm_and_drop(scene: Scene, _number: int) -> Pair:
    section, seen = _proposed(scene)
    page = "mend/proposal"
    deeds = (
        deed("nomsa", section, page, *ANEW, seen=seen),
        deed("sizwe", section, page, "drop-mend", drop="on"),
    )
    stages = {0: "rated", 1: "rated"}
    return Pair(deeds, partial(_looks, section, stages, corrections={0: 1, 1: 0}, in_force={0: 1, 1: 1}))


# ---------------------------------------------------------------- region and office


def _asked(scene: Scene, section: Section) -> int:
    from tournaments.review import ask

    question = ask(section=section, by=scene.users["lindiwe"], on=day(), words="Who was absent?")
    return question.pk


def answer_twice(scene: Scene, _number: int) -> Pair:
    section = scene.submitted()
    told = {f"answer-{_asked(scene, section)}": "Nobody was."}
    deeds = (
        deed("amahle", section, "remarks", "answer", **told),
        deed("bongani", section, "remarks", "answer", **told),
    )
    stages = {0: "submitted", 1: "submitted"}
    return Pair(deeds, partial(_looks, section, stages, thread={0: 2, 1: 2}))


def answer_and_return(scene: Scene, _number: int) -> Pair:
    """An answer holds whatever the stage: both are done, and both stand in the thread."""
    section = scene.submitted()
    told = {f"answer-{_asked(scene, section)}": "Nobody was."}
    deeds = (
        deed("amahle", section, "remarks", "answer", **told),
        deed("nomsa", section, "return", reason=REASON),
    )
    stages = {0: "returned", 1: "returned"}
    return Pair(deeds, partial(_looks, section, stages, thread={0: 3, 1: 3}), BOTH_IN_ANY_ORDER)


def _returned(scene: Scene) -> Section:
    from ratings.approval import return_section
    from tournaments.review import UNTIED

    section = scene.submitted()
    return_section(
        section=section,
        by=scene.users["lindiwe"],
        on=day(),
        version=section.version,
        reason=REASON,
        remarks=[(UNTIED, "Who was absent?")],
    )
    section.refresh_from_db()
    return section


def answer_and_take_back(scene: Scene, _number: int) -> Pair:
    """Who answers has read the return, so it stays; of one that was taken back nothing is to be answered."""
    section = _returned(scene)
    asked = section.thread.get(place=0)
    deeds = (
        deed("amahle", section, "remarks", "answer", **{f"answer-{asked.pk}": "Nobody was."}),
        deed("nomsa", section, "take-back"),
    )
    return Pair(deeds, partial(_looks, section, {0: "returned", 1: "submitted"}, thread={0: 3, 1: 0}))


def submit_and_take_back(scene: Scene, _number: int) -> Pair:
    section = scene.to_be_submitted(_returned(scene))
    deeds = (
        deed("amahle", section, "submit", adjusted="on", **reasons_for(section)),
        deed("nomsa", section, "take-back"),
    )
    return Pair(deeds, partial(_looks, section, {0: "submitted", 1: "submitted"}, thread={0: 2, 1: 0}))


def reasons_for(section: Section) -> dict[str, object]:
    """A reason for each thing that the regulations let the office waive."""
    from tournaments.acceptance import recheck

    recheck(section, day())
    return {f"reason-{each.pk}": REASON for each in section.findings.filter(level="waivable")}


def _refused(scene: Scene) -> Section:
    from ratings.approval import record_refusal

    section = scene.submitted()
    by, version = scene.users["lindiwe"], section.version
    record_refusal(section=section, by=by, on=day(), version=version, reason=REASON)
    section.refresh_from_db()
    return section


def appeal_twice(scene: Scene, _number: int) -> Pair:
    section = _refused(scene)
    page = "submit/appeal"
    deeds = (
        deed("amahle", section, page, "appeal", reason=REASON),
        deed("bongani", section, page, "appeal", reason=REASON),
    )
    return Pair(deeds, partial(_looks, section, {0: "refused", 1: "refused"}, appeals={0: 1, 1: 1}))


def uphold_and_dismiss(scene: Scene, _number: int) -> Pair:
    from tournaments.review import appeal

    section = _refused(scene)
    made = appeal(
        section=section,
        by=scene.users["amahle"],
        on=day(),
        version=section.version,
        reason=REASON,
    )
    section.refresh_from_db()
    page = f"appeals/{made.pk}"
    deeds = (
        deed("nomsa", section, page, "uphold-appeal", granted="yes", reason=REASON),
        deed("sizwe", section, page, "dismiss-appeal", granted="no", reason=REASON),
    )
    return Pair(deeds, partial(_looks, section, {0: "submitted", 1: "refused"}, appeals={0: 1, 1: 1}))


def grant_and_refuse_permission(scene: Scene, _number: int) -> Pair:
    from tournaments.before_play import ask_permission

    section, by = scene.submitted(), scene.users["amahle"]
    asked = ask_permission(
        section=section, by=by, on=day(), version=section.version, clause="18", reason=REASON
    )
    section.refresh_from_db()
    page = f"deadlines/permissions/{asked.pk}"
    deeds = (
        deed("nomsa", section, page, "grant-permission", granted="yes", reason=REASON),
        deed("sizwe", section, page, "refuse-permission", granted="no", reason=REASON),
    )
    stages = {0: "submitted", 1: "submitted"}
    return Pair(deeds, partial(_looks, section, stages, permission_requests={0: 1, 1: 1}))


FOUR_EYES = {"four_eyes": True}
RACES = [
    Race("approve/approve", approve_twice),
    Race("correct/approve", correct_and_approve),
    Race("approve/withdraw", approve_and_withdraw),
    Race("return/refuse", return_and_refuse),
    Race("take/take", take_twice),
    Race("give-back/take", give_back_and_take),
    Race("correct/correct", correct_twice),
    Race("correct/unrate", correct_and_unrate),
    Race("propose/propose", propose_twice, FOUR_EYES),
    Race("confirm/confirm", confirm_twice, FOUR_EYES),
    Race("confirm/drop", confirm_and_drop, FOUR_EYES),
    Race("answer/answer", answer_twice),
    Race("answer/return", answer_and_return),
    Race("answer/take-back", answer_and_take_back),
    Race("submit/take-back", submit_and_take_back),
    Race("appeal/appeal", appeal_twice),
    Race("uphold/dismiss", uphold_and_dismiss),
    Race("grant/refuse", grant_and_refuse_permission),
]
