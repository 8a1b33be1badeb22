"""What an office may allow, it allows with a reason, in every federation; and the decision before play."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import pytest
from django.db.models import F
from django.test import Client

from conftest import appointed
from players.access import get_rights
from players.models import Decision, Federation, Ledger, Player, Region, Role, User
from players.record import Refused
from ratings import approval
from ratings.intake import import_journal
from ratings.rulesets import journal, rulesets
from ratings.rulesets.facts import Level
from ratings.rulesets.ruleset import Ruleset
from ratings.tests.findings import cases_of, findings_of
from ratings.tests.journals import journal_of
from ratings.tests.office import recompute_all
from ratings.tests.strategies import record
from tests.built_once import built_once
from tournaments.acceptance import build_filing, find_permit, recheck, rule_findings
from tournaments.before_play import admit_before_play
from tournaments.models import Finding, Section, Stage
from tournaments.registration import SectionParticulars, register_event

pytestmark = pytest.mark.django_db
ClientOf = Callable[[User], Client]
every_ruleset = pytest.mark.parametrize("ruleset", rulesets().values(), ids=rulesets().keys())
TODAY = date(2030, 1, 1)


@pytest.fixture
def waiting(ruleset: Ruleset) -> Section:
    """A submitted section in which one thing is found that the office may allow."""
    written = journal_of(ruleset, record(ruleset, 5, sections=3))
    office = import_journal(journal.read_journal(written.splitlines()), on=TODAY)
    recompute_all(office)
    Player.objects.update(born=1990)  # no journal tells it
    section = Section.objects.filter(stage=Stage.RATED).first()
    assert section is not None
    approval.unrate(
        section=section,
        by=None,
        on=TODAY,
        version=section.version,
        reason="result",
        words="to try it",
        after_list=True,
    )
    recompute_all(office)
    Section.objects.filter(pk=section.pk).update(stage=Stage.SUBMITTED)
    found = next(
        finding
        for case in cases_of(ruleset).values()
        for finding in findings_of(ruleset, case.provokes)
        if finding.level == Level.WAIVABLE
    )
    params = {name: str(value) for name, value in found.params.items()}
    Finding.objects.create(
        section=section,
        source="rules",
        level="waivable",
        clause=found.clause,
        key=found.key,
        params=params,
        waived_because="The hall was closed.",
    )
    section.refresh_from_db()
    return section


@every_ruleset
def test_the_review_asks_why_the_office_allows_it_and_the_record_keeps_the_answer(
    ruleset: Ruleset, waiting: Section, client_of: ClientOf
) -> None:
    office = waiting.event.federation
    client = client_of(appointed("Nomsa", office, Role.OFFICIAL))
    finding = waiting.findings.get(level="waivable")
    place = f"/{office.code}/events/{waiting.key}/"
    page = client.get(f"{place}review/").content.decode()
    assert f'name="reason-{finding.pk}"' in page
    assert "The region wrote: “The hall was closed.”" in page
    in_polish = client.get(f"{place}review/", headers={"accept-language": "pl"}).content.decode()
    assert '<span lang="en">The hall was closed.</span>' in in_polish

    empty = client.post(f"{place}approve/", {"version": waiting.version, f"reason-{finding.pk}": " "})
    assert empty.status_code == 409
    assert "Say why you allow this" in empty.content.decode()
    assert not Decision.objects.filter(federation=office, kind="approve").exists()

    said = {"version": waiting.version, f"reason-{finding.pk}": "The Bureau knew of the hall."}
    assert client.post(f"{place}approve/", said).status_code == 302
    waiting.refresh_from_db()
    assert waiting.stage == Stage.RATED
    because = {"clause": finding.clause, "reason": "The Bureau knew of the hall."}
    assert because in waiting.permissions
    waived = Decision.objects.get(federation=office, kind="approve").details["waived"]
    assert waived == [
        {"clause": finding.clause, "key": finding.key, "waived_because": "The Bureau knew of the hall."}
    ]


@every_ruleset
def test_approved_without_a_word_the_reason_of_the_region_stands_and_its_request_is_granted(
    ruleset: Ruleset, waiting: Section
) -> None:
    permit = find_permit(waiting, waiting.findings.get(level="waivable").key)
    if permit is not None:
        waiting.permission_requests.create(clause=permit.clause, reason="The hall.", asked_on=TODAY)
    approval.approve(section=waiting, by=None, on=TODAY, version=waiting.version)
    waiting.refresh_from_db()
    assert [each["reason"] for each in waiting.permissions] == ["The hall was closed."]
    answers = list(waiting.permission_requests.values_list("state", "answer"))
    assert answers == [("granted", "The hall was closed.")] * (permit is not None)


# ---------------------------------------------------------------- before play

STARTS = date(2026, 6, 20)
DECLARED: dict[str, Any] = {
    "status": "region",
    "entry": "open",
    "played_by": "wmo",
    "expected": 16,
    "announced_on": "2026-05-20",
}


@pytest.fixture
@built_once
def mahjong(db: None) -> Federation:
    office = Federation.objects.create(code="mahjong", name="Mahjong", ruleset_slug="mahjong")
    Ledger.objects.create(federation=office)
    Region.objects.create(federation=office, code="RUS", name="Russia")
    return office


@pytest.fixture
@built_once
def official(mahjong: Federation) -> User:
    return appointed("Olga", mahjong, Role.OFFICIAL)


def declared(office: Federation, official: User, **changes: Any) -> Section:
    event = register_event(
        rights=get_rights(official, office, STARTS),
        by=official,
        on=date(2026, 5, 20),
        name="Volga Cup",
        region=office.regions.get(),
        starts=STARTS,
        ends=STARTS + timedelta(1),
        sections=[SectionParticulars("A", "placement", rounds=5, particulars=DECLARED | changes)],
    )
    return event.sections.get()


def admit(section: Section, official: User, reason: str = "", on: date = date(2026, 6, 1)) -> Section:
    return admit_before_play(section=section, by=official, on=on, version=section.version, reason=reason)


def test_rmf_3_a_competition_is_admitted_as_declared_on_the_desk_before_it_is_played(
    mahjong: Federation, official: User, client_of: ClientOf
) -> None:
    section = declared(mahjong, official)
    client = client_of(official)
    place = f"/mahjong/events/{section.key}/before-play/"
    assert place in client.get("/mahjong/desk/?tab=before-play").content.decode()
    page = client.get(place).content.decode()
    assert "The declared competition meets the regulations." in page
    assert "20 May 2026" in page
    assert client.post(place, {"version": section.version, "reason": ""}).status_code == 302
    section.refresh_from_db()
    declared_then = build_filing(section).declared
    assert declared_then is not None
    assert (declared_then.status, declared_then.rounds) == ("region", 5)
    assert Decision.objects.get(kind="admit").details["declared"]["rounds"] == 5
    assert place not in client.get("/mahjong/desk/?tab=before-play").content.decode()


def test_rmf_6_both_decisions_stand_on_the_competition_s_page_with_their_days(
    mahjong: Federation, official: User, client: Client
) -> None:
    section = declared(mahjong, official)
    address = section.get_absolute_url()
    assert "First decision" not in client.get(address).content.decode()
    admit(section, official, "The hall of Olga Petrova was closed.")
    page = client.get(address).content.decode()
    assert "First decision, before play: admitted as declared" in page
    assert "1 June 2026" in page
    assert "Status: Championship of a region" in page
    assert "Olga Petrova" not in page
    Section.objects.filter(pk=section.pk).update(stage=Stage.REFUSED)
    Ledger.objects.update(decisions=F("decisions") + 1)
    assert "Final decision, after play: not admitted" in client.get(address).content.decode()


def test_rmf_1_2_what_is_declared_too_small_is_not_admitted(mahjong: Federation, official: User) -> None:
    section = declared(mahjong, official, expected=11)
    with pytest.raises(Refused, match="11 players; a competition of this status needs 12"):
        admit(section, official, "please")
    assert not Decision.objects.filter(kind="admit").exists()


def test_rmf_1_6_what_was_announced_late_is_admitted_with_a_reason_alone(
    mahjong: Federation, official: User
) -> None:
    mahjong.settings = {"deadlines": True, "particulars": True}
    mahjong.save()
    section = declared(mahjong, official, announced_on="2026-05-21")
    with pytest.raises(Refused, match="say why"):
        admit(section, official)
    admitted = admit(section, official, "The site was down.")
    assert Decision.objects.get(kind="admit").details["waived"] == [
        {"clause": "1.6", "key": "announced-late"}
    ]
    assert admitted.version == section.version + 1


@pytest.mark.parametrize(
    ("on", "key"), [(date(2026, 6, 19), None), (STARTS, "declared-late"), (None, "not-declared")]
)
def test_rmf_3_the_second_decision_looks_at_the_first(
    mahjong: Federation, official: User, on: date | None, key: str | None
) -> None:
    section = declared(mahjong, official)
    if on:
        section = admit(section, official, on=on)
    keys = {found.key for found in rule_findings(section)} & {"declared-late", "not-declared"}
    assert keys == ({key} if key else set())


def test_rmf_4_the_coefficient_of_the_first_decision_is_compared(mahjong: Federation, official: User) -> None:
    section = admit(declared(mahjong, official, status="special", coefficient=1), official)
    section.particulars["coefficient"] = 2
    section.save()
    assert "revised-alone" in {found.key for found in rule_findings(section)}
    section.particulars["coefficient"] = 1
    assert "revised-alone" not in {found.key for found in rule_findings(section)}
    recheck(section)


def test_rmf_6_the_day_of_membership_is_a_setting_of_the_office_that_asks_for_it(
    mahjong: Federation, csa: Federation, client_of: ClientOf
) -> None:
    administrator = client_of(appointed("Irina", mahjong, Role.ADMINISTRATOR))
    assert 'name="membership"' in administrator.get("/mahjong/settings/").content.decode()
    answer = administrator.post("/mahjong/settings/", {"births": "year", "membership": "2026-01-01"})
    assert answer.status_code == 302
    mahjong.refresh_from_db()
    assert mahjong.settings["membership"] == "2026-01-01"
    official = appointed("Olga", mahjong, Role.OFFICIAL)
    assert build_filing(declared(mahjong, official)).membership == date(2026, 1, 1)
    other = client_of(appointed("Thandi", csa, Role.ADMINISTRATOR))
    assert 'name="membership"' not in other.get("/csa/settings/").content.decode()


def test_where_the_rules_want_no_decision_before_play_there_is_only_the_review(
    csa: Federation, gauteng: Region, nomsa: User, client_of: ClientOf
) -> None:
    csa.ruleset_slug = "pfo"
    csa.save(update_fields=["ruleset_slug"])
    event = register_event(
        rights=get_rights(nomsa, csa, STARTS),
        by=nomsa,
        on=date(2026, 5, 20),
        name="Soweto Open",
        region=gauteng,
        starts=STARTS,
        ends=STARTS,
        sections=[SectionParticulars("A", "swiss")],
    )
    answer = client_of(nomsa).get(f"/csa/events/{event.number}/A/before-play/")
    assert answer.status_code == 302
    assert answer["Location"] == f"/csa/events/{event.number}/A/review/"
    section = event.sections.get()
    with pytest.raises(Refused, match="no decision before play"):
        admit_before_play(section=section, by=nomsa, on=STARTS, version=section.version, reason="")
