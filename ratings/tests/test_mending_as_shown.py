"""A correction of a rated section holds for the effects that its page showed, and a refusal loses nothing."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from django.db.models import F
from django.test import Client

from conftest import appointed
from players.appointments import change_settings
from players.models import Federation, Ledger, Player, Role, User
from players.record import lock_ledger
from players.settings import Settings
from ratings import approval
from ratings.corrections import propose_correction
from ratings.pages import corrections
from ratings.tests.office import approved, published, submitted
from tests.built_once import built_once
from tournaments.models import MendingProposal, Section, Stage

ClientOf = Callable[[User], Client]
pytestmark = pytest.mark.django_db
DAY = date(2024, 3, 20)
WHY = "The slip of the game says otherwise."
OTHERS = "the effects are not what your page showed any more"


@pytest.fixture
@built_once
def four_eyes(csa: Federation) -> None:
    change_settings(federation=csa, by=None, on=DAY, settings=Settings(four_eyes=True))


def words(answer: Any) -> str:
    return " ".join(answer.content.decode().split())


def page_of(section: Section, page: str = "mend") -> str:
    return f"{section.get_absolute_url()}{page}/"


def other(section: Section) -> str:
    return "0-1" if section.games.get(order=1).result != "0-1" else "1-0"


def shown(browser: Client, section: Section) -> dict[str, Any]:
    """What the page that shows the effects of a correction sends with its form, its reason filled in."""
    chosen = {"version": section.version, "game": "1", "result": other(section)}
    page = browser.post(page_of(section), chosen)
    fields = {"version": section.version, "changes": page.context["changes"], "decide": "on"}
    if section.stage == Stage.SUBMITTED:
        return fields | {"reason": WHY}
    return fields | {
        "reason": "result",
        "words": WHY,
        "seen": page.context["reason_form"]["seen"].value(),
    }


def otherwise(office: Federation, players: list[Player]) -> None:
    """Something else is rated meanwhile, before the section in play."""
    approved(submitted(office, players, number="2024-003", ends=date(2024, 3, 10)))


def sent_again(answer: Any, fields: dict[str, Any]) -> dict[str, Any]:
    """The fields of a page that came back, sent as they stand there."""
    form = answer.context["reason_form"]
    held = {name: form[name].value() for name in form.fields if form[name].value() is not None}
    return fields | held | {"changes": answer.context["changes"]}


def test_a_correction_is_refused_once_its_effects_are_others_and_comes_back_whole(
    csa: Federation, rated: Section, players: list[Player], nomsa: User, client_of: ClientOf
) -> None:
    browser = client_of(nomsa)
    fields = shown(browser, rated)
    otherwise(csa, players)
    answer = browser.post(page_of(rated), fields)
    assert answer.status_code == 409
    page = words(answer)
    assert OTHERS in page
    assert "What moves" in page
    assert "Open 2024-003, A" in page  # the effects as they are now: it is rated again too
    assert WHY in page
    assert answer.context["changes"] == fields["changes"]
    rated.refresh_from_db()
    assert (rated.stage, rated.corrections.count()) == (Stage.RATED, 0)
    assert browser.post(page_of(rated), sent_again(answer, fields)).status_code == 302
    assert rated.corrections.count() == 1


def test_who_saw_no_effects_corrects_nothing(rated: Section, nomsa: User, client_of: ClientOf) -> None:
    browser = client_of(nomsa)
    answer = browser.post(page_of(rated), shown(browser, rated) | {"seen": ""})
    assert answer.status_code == 409
    assert "the effects on ratings had not been shown yet" in words(answer)
    assert not rated.corrections.exists()


def test_the_effects_of_one_correction_are_not_those_of_another(
    rated: Section, nomsa: User, client_of: ClientOf
) -> None:
    browser = client_of(nomsa)
    fields = shown(browser, rated) | {"changes": '[{"what": "result", "game": 2, "to": "1/2"}]'}
    assert browser.post(page_of(rated), fields).status_code == 409
    assert not rated.corrections.exists()


def test_a_birth_that_the_register_learned_since_refuses_too_as_a_pre_rating_follows_from_it(
    rated: Section, players: list[Player], nomsa: User, client_of: ClientOf
) -> None:
    browser = client_of(nomsa)
    fields = shown(browser, rated)
    Player.objects.filter(pk=players[0].pk).update(born=1931)
    answer = browser.post(page_of(rated), fields)
    assert (answer.status_code, OTHERS in words(answer)) == (409, True)


def test_what_was_shown_is_compared_again_once_nobody_else_can_decide(
    rated: Section, nomsa: User, client_of: ClientOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody decides between the form's check and the lock."""

    def too_late(office: Federation) -> Ledger:
        monkeypatch.undo()
        Ledger.objects.filter(federation=office).update(facts=F("facts") + 1)
        return lock_ledger(office)

    browser = client_of(nomsa)
    fields = shown(browser, rated)
    monkeypatch.setattr(corrections, "lock_ledger", too_late)
    answer = browser.post(page_of(rated), fields)
    assert (answer.status_code, OTHERS in words(answer)) == (409, True)
    assert not rated.corrections.exists()


def test_after_a_list_the_tick_is_kept_too(
    csa: Federation, rated: Section, players: list[Player], nomsa: User, client_of: ClientOf
) -> None:
    browser = client_of(nomsa)
    fields = shown(browser, rated) | {"after_list": "on"}
    published(csa, date(2024, 4, 1))
    answer = browser.post(page_of(rated), fields)
    assert answer.status_code == 409
    assert answer.context["reason_form"]["after_list"].value()
    assert browser.post(page_of(rated), sent_again(answer, fields)).status_code == 302


# ---------------------------------------------------------------- the section changed


def test_a_section_that_waits_and_changed_comes_back_with_the_correction_and_its_reason(
    waiting: Section, nomsa: User, client_of: ClientOf
) -> None:
    browser = client_of(nomsa)
    fields = shown(browser, waiting)
    Section.objects.filter(pk=waiting.pk).update(version=F("version") + 1)
    answer = browser.post(page_of(waiting), fields)
    assert answer.status_code == 409
    assert "Somebody else acted first" in words(answer)
    assert WHY in words(answer)
    assert browser.post(page_of(waiting), sent_again(answer, fields)).status_code == 302
    assert waiting.corrections.count() == 1


def test_a_correction_that_somebody_made_meanwhile_is_told_and_the_words_stay_to_copy(
    waiting: Section, nomsa: User, client_of: ClientOf
) -> None:
    browser = client_of(nomsa)
    fields = shown(browser, waiting)
    assert browser.post(page_of(waiting), fields | {"reason": "Another official."}).status_code == 302
    answer = browser.post(page_of(waiting), fields)
    assert answer.status_code == 409
    assert "says already" in words(answer)
    assert WHY in words(answer)


def test_of_a_section_that_was_un_rated_the_words_stay_to_copy(
    rated: Section, nomsa: User, client_of: ClientOf
) -> None:
    browser = client_of(nomsa)
    fields = shown(browser, rated)
    approval.unrate(section=rated, by=nomsa, on=DAY, version=rated.version, reason="result", words="Another.")
    answer = browser.post(page_of(rated), fields)
    assert answer.status_code == 409
    assert WHY in words(answer)


def test_of_a_section_that_was_approved_meanwhile_the_words_stand_in_the_form_of_a_rated_one(
    waiting: Section, nomsa: User, client_of: ClientOf
) -> None:
    browser = client_of(nomsa)
    fields = shown(browser, waiting)
    approved(waiting)
    answer = browser.post(page_of(waiting), fields)
    assert answer.status_code == 409
    assert answer.context["reason_form"]["words"].value() == WHY


# ---------------------------------------------------------------- a proposal


def test_a_proposal_is_confirmed_for_the_effects_that_were_shown_alone(
    csa: Federation,
    rated: Section,
    players: list[Player],
    nomsa: User,
    client_of: ClientOf,
    four_eyes: None,
) -> None:
    change = {"what": "result", "game": 1, "to": other(rated)}
    propose_correction(
        section=rated, by=nomsa, on=DAY, version=rated.version, changes=[change], reason="result", words=WHY
    )
    browser = client_of(appointed("Sipho", csa, Role.OFFICIAL))
    page = browser.get(page_of(rated, "mend/proposal"))
    fields = {"confirm": "on", "seen": page.context["form"]["seen"].value()}
    otherwise(csa, players)
    answer = browser.post(page_of(rated, "mend/proposal"), fields)
    assert (answer.status_code, OTHERS in words(answer)) == (409, True)
    assert "Open 2024-003, A" in words(answer)
    assert MendingProposal.objects.open().exists()
    anew = {"confirm": "on", "seen": answer.context["form"]["seen"].value()}
    assert browser.post(page_of(rated, "mend/proposal"), anew).status_code == 302
    assert rated.corrections.exists()
