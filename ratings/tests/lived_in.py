"""An office to which all happened that leaves rows: for what must hold in every table."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.utils import timezone

from players.appointments import add_region, appoint
from players.files import validate_proof
from players.identity import record_two_persons
from players.models import Federation, Player, Role, User
from ratings import corrections, people
from ratings.demo import office as making
from ratings.recompute import recompute
from ratings.rulesets import rulesets
from ratings.rulesets.demo import months_before
from ratings.tests.moved_offices import SCALES, TODAY, happen
from tournaments import before_play, cases, review
from tournaments.models import MendingProposal, Section


def lived_in(slug: str) -> Federation:
    """A young demo with some of each: proofs, transfers, cases, permissions, appeals, remarks, edits."""
    scale, months = SCALES.get(slug, (0.1, 9))
    office = making.make_office(
        rulesets()[slug],
        today=TODAY,
        seed=1,
        scale=scale,
        start=months_before(months)(TODAY),
        say=lambda _: None,
    )
    happen(office)
    official = User.objects.filter(appointments__federation=office, appointments__role=Role.OFFICIAL)[0]
    _in_the_register(office, official)
    _in_cases(office, official)
    for section in Section.objects.filter(event__federation=office).select_related("event__region"):
        _in_a_section(section, official)
    recompute(office)
    return office


def _in_the_register(office: Federation, by: User) -> None:
    one, other, third = Player.objects.of(office).current().filter(withheld=False).order_by("pk")[:3]
    region = add_region(federation=office, code="FAR", name="Far away", by=by, on=TODAY)
    appoint(
        federation=office,
        email="far@example.org",
        role=Role.REGIONAL,
        region=region,
        starts=TODAY,
        by=by,
        on=TODAY,
    )
    proof = validate_proof(b"%PDF-1.4 a card %%EOF")
    why: dict[str, Any] = {"by": by, "on": TODAY, "reason": "The card shows it."}
    people.correct_player(player=one, **why, surname="Newname", birth="1990-02-03", ids={"fide": "14300000"})
    people.correct_player(player=other, **why, club="Rook", proof_file=proof)
    record_two_persons(player=one, other=other, **why)
    asked = people.ask_transfer(player=third, taking=region, **why)
    people.grant_transfer(transfer=asked, by=by, on=TODAY, starts=TODAY + timedelta(days=9))


def _in_cases(office: Federation, by: User) -> None:
    section = Section.objects.filter(event__federation=office, stage="rated").order_by("pk")[0]
    about = cases.ReportSubject(section=section)
    now = timezone.now()
    cases.report(
        federation=office,
        about=about,
        email="who@example.org",
        name="Who",
        words="A result is wrong.",
        at=now,
    )
    case = cases.confirm_report(case=office.cases.get(), on=TODAY, at=now)
    cases.note_in_case(case=case, by=by, on=TODAY, at=now, version=case.version, words="We look at it.")


def _in_a_section(section: Section, by: User) -> None:
    """What the stage of a section allows."""
    office = section.event.federation
    told: dict[str, Any] = {"section": section, "by": by, "on": TODAY}
    match section.stage:
        case "refused":
            review.appeal(**told, version=section.version, reason="We filed in time.")
        case "submitted" | "returned":
            asked = review.ask(**told, words="Who played round 2?")
            review.answer(**told, words="They did.", answers_to=asked)
            review.note(**told, words="Odd.")
            permits = office.equipment.office.powers.permits
            if permits and section.stage == "submitted":
                clause = permits[0].clause
                asking = section.permission_requests.open().filter(clause=clause).first()
                asking = asking or before_play.ask_permission(
                    **told, version=section.version, clause=clause, reason="Rain."
                )
                section.refresh_from_db()
                before_play.answer_permission(
                    request=asking,
                    by=by,
                    on=TODAY,
                    version=section.version,
                    granted=True,
                    reason="It rained.",
                )
                section.findings.create(
                    source="file", level="waivable", clause=clause, key="late", waived_because="It rained."
                )
    if section.stage in ("submitted", "rated") and (game := section.games.filter(result="0-1").first()):
        section.refresh_from_db()
        changes = [{"what": "result", "game": game.order, "to": "1-0"}]
        told |= {"version": section.version, "changes": changes}
        if section.stage == "submitted":
            corrections.correct_section(**told, reason="The slip says so.")
        elif not MendingProposal.objects.exists():
            corrections.propose_correction(
                **told, reason="result", words="The slip says so.", after_list=True
            )
