"""csa §11: refusals can be appealed against for 21 days; slips are taken back before the region hears."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, timedelta
from functools import partial
from zoneinfo import ZoneInfo

import pytest
from django.test import Client
from django.utils import timezone

from conftest import appointed
from players.models import Decision, Federation, Letter, Role, User
from players.record import Refused
from ratings import approval
from ratings.letters import compose, order_due_letters
from ratings.tests.office import register, submitted
from tests.built_once import built_once
from tournaments.models import Appeal, Section, SectionTaking, Stage
from tournaments.review import TAKE_BACK_TIME, appeal, can_appeal, decide_appeal, take, take_back_decision

ClientOf = Callable[[User], Client]
DAY = date(2026, 3, 1)
LAST = DAY + timedelta(21)
ONE = timedelta(1)
pytestmark = pytest.mark.django_db


@pytest.fixture
@built_once
def section(csa: Federation, amahle: User) -> Section:
    return submitted(csa, register(csa, 8), rounds=10)


@pytest.fixture
@built_once
def refused(section: Section, nomsa: User) -> Section:
    approval.record_refusal(section=section, by=nomsa, on=DAY, version=section.version, reason="No arbiter.")
    section.refresh_from_db()
    return section


def appealed(section: Section, by: User, on: date = DAY) -> Appeal:
    section.refresh_from_db()
    return appeal(section=section, by=by, on=on, version=section.version, reason="There was one.")


def decided(made: Appeal, by: User, *, upheld: bool, reason: str = "We looked again.") -> Appeal:
    made.section.refresh_from_db()
    version = made.section.version
    return decide_appeal(appeal=made, by=by, on=LAST, version=version, upheld=upheld, reason=reason)


# ---------------------------------------------------------------- appeals


def test_csa_11_a_region_appeals_until_the_21st_day_after_the_notice_and_not_later(
    refused: Section, amahle: User
) -> None:
    assert can_appeal(refused, LAST)
    assert not can_appeal(refused, LAST + ONE)
    with pytest.raises(Refused, match="over on 22 March 2026"):
        appealed(refused, amahle, LAST + ONE)
    assert appealed(refused, amahle, LAST).state == Appeal.State.OPEN


def test_csa_11_the_offices_own_setting_of_days_goes_first(
    csa: Federation, refused: Section, amahle: User
) -> None:
    csa.settings = {"appeal_days": 5}
    csa.save(update_fields=["settings"])
    refused = Section.objects.get(pk=refused.pk)
    assert can_appeal(refused, DAY + timedelta(5))
    assert not can_appeal(refused, DAY + timedelta(6))


def test_an_appeal_that_is_upheld_puts_the_section_back_before_the_officials(
    refused: Section, amahle: User, nomsa: User
) -> None:
    decided(appealed(refused, amahle), nomsa, upheld=True)
    refused.refresh_from_db()
    assert (refused.stage, refused.remarks) == (Stage.SUBMITTED, "")
    approval.approve(section=refused, by=nomsa, on=LAST, version=refused.version)
    kinds = list(Decision.objects.order_by("number").values_list("kind", flat=True))
    assert kinds[-4:] == ["refuse", "appeal", "uphold-appeal", "approve"]


def test_an_appeal_that_is_dismissed_leaves_the_section_refused_and_is_the_last(
    refused: Section, amahle: User, nomsa: User
) -> None:
    made = decided(appealed(refused, amahle), nomsa, upheld=False)
    refused.refresh_from_db()
    assert (refused.stage, made.answer) == (Stage.REFUSED, "We looked again.")
    assert not can_appeal(refused, DAY)
    with pytest.raises(Refused, match="made already"):
        appealed(refused, amahle)


def test_a_section_that_is_refused_again_after_an_appeal_can_be_appealed_again(
    refused: Section, amahle: User, nomsa: User
) -> None:
    decided(appealed(refused, amahle), nomsa, upheld=True)
    refused.refresh_from_db()
    approval.record_refusal(
        section=refused, by=nomsa, on=LAST, version=refused.version, reason="None at all."
    )
    assert appealed(refused, amahle, LAST + timedelta(21)).state == Appeal.State.OPEN


def test_who_refused_does_not_decide_the_appeal_where_four_eyes_are_wanted(
    csa: Federation, refused: Section, amahle: User, nomsa: User
) -> None:
    csa.settings = {"four_eyes": True}
    csa.save(update_fields=["settings"])
    made = appealed(refused, amahle)
    with pytest.raises(Refused, match="another official decides"):
        decided(made, nomsa, upheld=True)
    decided(made, appointed("Sipho", csa, Role.OFFICIAL), upheld=True)


def test_an_appeal_is_decided_once_and_with_a_reason(refused: Section, amahle: User, nomsa: User) -> None:
    made = appealed(refused, amahle)
    with pytest.raises(Refused, match="Say why you decide so"):
        decided(made, nomsa, upheld=False, reason=" ")
    version = Section.objects.get(pk=refused.pk).version
    decide = partial(decide_appeal, appeal=made, by=nomsa, on=LAST, version=version, reason="So it is.")
    decide(upheld=False)
    with pytest.raises(Refused):
        decide(upheld=True)
    assert Appeal.objects.get().state == Appeal.State.DISMISSED


def test_what_is_not_refused_has_no_appeal(section: Section, amahle: User) -> None:
    assert not can_appeal(section, DAY)
    with pytest.raises(Refused):
        appealed(section, amahle)


def test_the_region_appeals_and_the_official_decides_on_their_pages(
    section: Section, amahle: User, nomsa: User, client_of: ClientOf
) -> None:
    region, official = client_of(amahle), client_of(nomsa)
    here = section.get_absolute_url()
    official.post(f"{here}refuse/", {"version": section.version, "reason": "No arbiter."})
    section.refresh_from_db()
    page = region.get(f"{here}submit/").content.decode()
    assert "Appeal against the refusal" in page
    assert region.post(f"{here}submit/appeal/", {"version": section.version, "reason": ""}).status_code == 400
    assert not Appeal.objects.exists()
    region.post(f"{here}submit/appeal/", {"version": section.version, "reason": "There was one."})
    made = Appeal.objects.get()
    assert f'href="{here}review/"' in official.get(f"/{section.event.federation.code}/desk/").content.decode()
    review = official.get(f"{here}review/").content.decode()
    assert "There was one." in review
    section.refresh_from_db()
    told = {"version": section.version, "granted": "yes", "reason": "We looked again."}
    assert region.post(f"{here}appeals/{made.pk}/", told).status_code == 403
    official.post(f"{here}appeals/{made.pk}/", told)
    assert "We looked again." in region.get(f"{here}submit/").content.decode()
    section.refresh_from_db()
    assert section.stage == Stage.SUBMITTED
    desk = official.get(f"/{section.event.federation.code}/desk/").content.decode()
    assert "Appeals to decide" not in desk


def test_an_official_finds_a_refused_section_again_on_the_desk_and_on_its_page(
    refused: Section, nomsa: User, client_of: ClientOf
) -> None:
    official, here = client_of(nomsa), refused.get_absolute_url()
    page = official.get(f"/{refused.event.federation.code}/desk/?tab=refused").content.decode()
    assert f'href="{here}review/"' in page
    assert f'href="{here}review/"' in official.get(here).content.decode()


# ---------------------------------------------------------------- slips


def returned(section: Section, by: User) -> Section:
    approval.return_section(section=section, by=by, on=DAY, version=section.version, reason="Wrong one.")
    section.refresh_from_db()
    return section


def taken_back(section: Section, by: User, at: datetime) -> Section:
    return take_back_decision(section=section, by=by, at=at, on=DAY, version=section.version)


def test_a_return_is_taken_back_until_its_letter_is_out_and_not_after(section: Section, nomsa: User) -> None:
    out = Decision.objects.get(pk=_newest(returned(section, nomsa))).at + TAKE_BACK_TIME
    with pytest.raises(Refused, match="cannot be taken back any more"):
        taken_back(section, nomsa, out)
    taken_back(section, nomsa, out - timedelta(seconds=1))
    section.refresh_from_db()
    assert (section.stage, section.remarks) == (Stage.SUBMITTED, "")


def _newest(section: Section) -> int:
    return Decision.objects.filter(about=f"section {section.key}").order_by("-number")[0].pk


def test_what_the_region_has_read_is_not_taken_back(
    section: Section, amahle: User, nomsa: User, client_of: ClientOf
) -> None:
    returned(section, nomsa)
    client_of(nomsa).get(f"{section.get_absolute_url()}file/")
    section.refresh_from_db()
    assert section.notice_read_at is None
    client_of(amahle).get(f"{section.get_absolute_url()}file/", follow=True)
    section.refresh_from_db()
    assert section.notice_read_at is not None
    with pytest.raises(Refused, match="the region has read it"):
        taken_back(section, nomsa, timezone.now())


@pytest.mark.parametrize("page", ["submit/", "file/", "remarks/", "submit/appeal/"])
def test_a_refusal_counts_as_read_wherever_the_region_opens_it(
    refused: Section, amahle: User, nomsa: User, client_of: ClientOf, page: str
) -> None:
    address = f"{refused.get_absolute_url()}{page}"
    for person, read in ((nomsa, False), (amahle, True)):
        browser = client_of(person)
        browser.post(address) if page == "submit/appeal/" else browser.get(address, follow=True)
        refused.refresh_from_db()
        assert (refused.notice_read_at is not None) == read, person
    with pytest.raises(Refused, match="the region has read it"):
        taken_back(refused, nomsa, timezone.now())


@pytest.mark.parametrize(("days", "open_"), [(21, True), (22, False)])
def test_csa_11_the_page_of_a_refusal_offers_an_appeal_or_says_when_the_time_was_over(
    refused: Section,
    amahle: User,
    client_of: ClientOf,
    monkeypatch: pytest.MonkeyPatch,
    days: int,
    open_: bool,
) -> None:
    monkeypatch.setattr("tournaments.pages.submission.today", lambda _office: DAY + timedelta(days))
    page = client_of(amahle).get(f"{refused.get_absolute_url()}submit/").content.decode()
    assert ("Appeal against the refusal" in page) is open_
    assert ("The time for appeals was over on 22 March 2026." in page) is not open_
    assert ("tell it here" in page) is not open_


def test_a_refusal_that_was_appealed_against_is_not_taken_back(
    refused: Section, amahle: User, nomsa: User, client_of: ClientOf
) -> None:
    review = f"{refused.get_absolute_url()}review/"
    assert "Take it back" in client_of(nomsa).get(review).content.decode()
    made = appealed(refused, amahle)
    refused.refresh_from_db()
    assert refused.notice_read_at is None
    with pytest.raises(Refused, match="or appealed"):
        taken_back(refused, nomsa, timezone.now())
    assert "Take it back" not in client_of(nomsa).get(review).content.decode()
    decided(made, nomsa, upheld=False)
    refused.refresh_from_db()
    with pytest.raises(Refused, match="or appealed"):
        taken_back(refused, nomsa, timezone.now())


def test_a_refusal_without_an_appeal_is_taken_back_and_nobody_is_on_the_section(
    section: Section, nomsa: User
) -> None:
    take(section=section, by=nomsa, at=timezone.now(), on=DAY, seen_official=None)
    section.refresh_from_db()
    approval.record_refusal(section=section, by=nomsa, on=DAY, version=section.version, reason="Wrong one.")
    section.refresh_from_db()
    assert taken_back(section, nomsa, timezone.now()).stage == Stage.SUBMITTED
    assert not SectionTaking.objects.filter(section=section).exists()


def test_no_letter_tells_of_what_was_taken_back_and_one_of_what_was_not(
    section: Section, amahle: User, nomsa: User
) -> None:
    returned(section, nomsa)
    order_due_letters(timezone.now())
    [letter] = Letter.objects.filter(email=amahle.email, particulars__about="returned")
    assert letter.due > timezone.now() + TAKE_BACK_TIME - timedelta(minutes=1)
    assert compose(letter) is not None
    taken_back(section, nomsa, timezone.now())
    assert compose(letter) is None


def test_an_official_takes_a_slip_back_on_the_page_of_the_review(
    section: Section, amahle: User, nomsa: User, client_of: ClientOf
) -> None:
    official = client_of(nomsa)
    here = section.get_absolute_url()
    returned = {"version": section.version, "reason": "Wrong one."}
    desk = official.post(f"{here}return/", returned, follow=True).content.decode()
    section.refresh_from_db()
    slip = Decision.objects.get(kind="return")
    until = timezone.localtime(slip.at + TAKE_BACK_TIME, ZoneInfo("Africa/Johannesburg")).strftime("%H:%M")
    assert f"Until {until} (Africa/Johannesburg) you can take that back" in desk
    page = official.get(f"{here}review/").content.decode()
    assert "Take it back" in page
    assert f"You can take it back until {until} (Africa/Johannesburg)." in " ".join(page.split())
    official.post(f"{here}take-back/", {"version": section.version})
    section.refresh_from_db()
    assert section.stage == Stage.SUBMITTED
    assert "Take it back" not in official.get(f"{here}review/").content.decode()
