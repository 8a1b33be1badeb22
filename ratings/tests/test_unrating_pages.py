"""Un-rating a section: what its page shows before, what it asks, and who may."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from django.db.models import F
from django.test import Client

from players.models import Decision, Federation, Ledger, Player, User
from players.record import Refused, lock_ledger
from players.settings import today
from ratings import approval
from ratings.as_if import hash_preview_state
from ratings.journal import REASONS
from ratings.models import CorrectedRating, Fact, RatingList
from ratings.pages.forms import UnrateForm
from ratings.rulesets import rulesets
from ratings.rulesets.profile import equipment_of
from ratings.tests.office import approved, published, recompute_all, submitted
from tournaments.models import Section, Stage

ClientOf = Callable[[User], Client]
pytestmark = pytest.mark.django_db
WRONG = "Game 3 of round 2 was entered as won; it was lost."


def place(section: Section, page: str = "unrate/") -> str:
    return f"{section.get_absolute_url()}{page}"


def words(answer: Any) -> str:
    return " ".join(answer.content.decode().split())


def given(section: Section, **more: Any) -> dict[str, Any]:
    """What is sent from a page that showed the effects as they are now."""
    office = section.event.federation
    seen = hash_preview_state(office, today(office), section.key)
    return {"version": section.version, "seen": seen, "reason": "result", "words": WRONG} | more


def test_the_review_of_a_rated_section_leads_to_un_rating_it(
    rated: Section, nomsa: User, client_of: ClientOf
) -> None:
    assert place(rated) in words(client_of(nomsa).get(place(rated, "review/")))


def test_the_page_shows_everybodys_rating_before_and_after_and_writes_nothing(
    rated: Section, players: list[Player], nomsa: User, client_of: ClientOf
) -> None:
    page = words(client_of(nomsa).get(place(rated)))
    assert "OTB Standard" in page
    assert all(player.name in page for player in players)
    assert not Decision.objects.filter(kind="unrate").exists()
    assert not Fact.objects.filter(kind="unrated").exists()


def test_later_sections_that_are_rated_again_are_named_with_their_largest_moves(
    csa: Federation, players: list[Player], rated: Section, nomsa: User, client_of: ClientOf
) -> None:
    approved(submitted(csa, players, number="2024-002", ends=date(2024, 4, 6), rounds=10, seed=2))
    page = words(client_of(nomsa).get(place(rated)))
    assert "Rated already, and rated again" in page
    assert "Open 2024-002, A" in page


def test_before_a_list_63_is_cited_and_nothing_is_to_be_confirmed(
    rated: Section, nomsa: User, client_of: ClientOf
) -> None:
    page = words(client_of(nomsa).get(place(rated)))
    assert "#clause-63" in page
    assert "#clause-64" not in page
    assert "after_list" not in page
    assert client_of(nomsa).post(place(rated), given(rated)).status_code == 302


def test_after_a_list_64_wants_the_offices_own_decision(
    csa: Federation, rated: Section, nomsa: User, client_of: ClientOf
) -> None:
    published(csa, date(2024, 4, 1))
    browser = client_of(nomsa)
    page = words(browser.get(place(rated)))
    assert "#clause-64" in page
    assert "/csa/lists/2024-04/" in page
    assert "The Ratings Bureau itself decided" in page
    assert browser.post(place(rated), given(rated)).status_code == 400
    rated.refresh_from_db()
    assert rated.stage == Stage.RATED
    answer = browser.post(place(rated), given(rated, after_list="on"))
    assert answer.headers["Location"] == place(rated, "outcome/")
    rated.refresh_from_db()
    assert rated.stage == Stage.UNRATED


def test_a_list_of_another_day_asks_nothing_of_a_section_rated_after_it(
    csa: Federation, players: list[Player], rated: Section, nomsa: User, client_of: ClientOf
) -> None:
    published(csa, date(2024, 4, 1))
    later = submitted(csa, players, number="2024-002", ends=date(2024, 4, 6), rounds=10, seed=2)
    approved(later)
    later.refresh_from_db()
    assert "after_list" not in words(client_of(nomsa).get(place(later)))
    assert client_of(nomsa).post(place(later), given(later)).status_code == 302


def test_the_service_refuses_what_64_forbids_whoever_asks(csa: Federation, rated: Section) -> None:
    published(csa, date(2024, 4, 1))
    with pytest.raises(Refused, match="clause 64"):
        approval.unrate(
            section=rated, by=None, on=date(2024, 4, 2), version=rated.version, reason="result", words=WRONG
        )
    rated.refresh_from_db()
    assert rated.stage == Stage.RATED


def test_where_the_regulations_are_silent_nothing_is_to_be_confirmed() -> None:
    assert UnrateForm(confirm="").fields.keys() == {"version", "reason", "words"}
    wanting = {slug for slug, found in rulesets().items() if equipment_of(found).office.powers.listed_clause}
    assert wanting == {"csa"}


@pytest.mark.parametrize(
    "missing", [{"reason": ""}, {"reason": "corrected"}, {"words": "  "}], ids=["none", "unknown", "silent"]
)
def test_a_reason_of_the_list_and_words_are_asked_for(
    rated: Section, nomsa: User, client_of: ClientOf, missing: dict[str, str]
) -> None:
    answer = client_of(nomsa).post(place(rated), given(rated, **missing))
    assert answer.status_code == 400
    rated.refresh_from_db()
    assert rated.stage == Stage.RATED


def test_every_code_has_words(rated: Section, nomsa: User, client_of: ClientOf) -> None:
    page = words(client_of(nomsa).get(place(rated)))
    assert all(f'value="{code}"' in page and str(said) in page for code, said in REASONS.items())


def test_what_was_decided_is_what_was_shown_and_published_lists_stay(
    csa: Federation, rated: Section, nomsa: User, client_of: ClientOf
) -> None:
    published(csa, date(2024, 4, 1))
    lists = list(RatingList.objects.values_list("sha256", flat=True))
    browser = client_of(nomsa)
    page = words(browser.get(place(rated)))
    browser.post(place(rated), given(rated, after_list="on"))
    recompute_all(csa)
    assert all(row.player.name in page for row in CorrectedRating.objects.select_related("player"))
    assert CorrectedRating.objects.exists()
    assert list(RatingList.objects.values_list("sha256", flat=True)) == lists


def test_the_outcome_leads_to_the_erratum_once_it_is_written(
    csa: Federation, rated: Section, nomsa: User, client_of: ClientOf
) -> None:
    browser = client_of(nomsa)
    browser.post(place(rated), given(rated))
    assert "/csa/errata/" not in words(browser.get(place(rated, "outcome/")))
    recompute_all(csa)
    line = Fact.objects.get(kind="unrated")
    assert f'href="/csa/errata/{line.number}/"' in words(browser.get(place(rated, "outcome/")))


def test_an_older_page_is_refused_in_words_and_keeps_what_was_typed(
    rated: Section, nomsa: User, client_of: ClientOf
) -> None:
    answer = client_of(nomsa).post(place(rated), given(rated) | {"version": rated.version - 1})
    assert answer.status_code == 409
    assert "Somebody else acted first" in words(answer)
    assert WRONG in words(answer)
    shown = {name: answer.context["form"][name].value() for name in ("version", "seen", "reason", "words")}
    assert client_of(nomsa).post(place(rated), shown).status_code == 302


def test_while_ratings_are_worked_out_the_page_shows_how_far_they_are(
    csa: Federation, rated: Section, nomsa: User, client_of: ClientOf
) -> None:
    Ledger.objects.update(wanted=9)
    page = client_of(nomsa).get(place(rated))
    assert "<progress" in words(page)
    assert not page.context["form"]["seen"].value(), "nobody confirms what was not shown"


def test_the_decision_holds_for_the_effects_that_were_shown_alone(
    csa: Federation, rated: Section, players: list[Player], nomsa: User, client_of: ClientOf
) -> None:
    browser, shown = client_of(nomsa), given(rated)
    assert browser.get(place(rated)).context["form"]["seen"].value() == shown["seen"]
    approved(submitted(csa, players, number="2024-003", ends=date(2024, 3, 10)))
    answer = browser.post(place(rated), shown)
    assert answer.status_code == 409
    assert "the effects are not what your page showed any more" in words(answer)
    assert WRONG in words(answer)
    rated.refresh_from_db()
    assert rated.stage == Stage.RATED
    again = shown | {"seen": answer.context["form"]["seen"].value()}
    assert browser.post(place(rated), again).status_code == 302


def test_who_saw_no_effects_decides_nothing(rated: Section, nomsa: User, client_of: ClientOf) -> None:
    answer = client_of(nomsa).post(place(rated), given(rated, seen=""))
    assert answer.status_code == 409
    assert "the effects on ratings had not been shown yet" in words(answer)


def test_what_was_shown_is_compared_again_once_nobody_else_can_decide(
    rated: Section, nomsa: User, client_of: ClientOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody decides between the form's check and the lock."""

    def too_late(office: Federation) -> Ledger:
        monkeypatch.undo()
        Ledger.objects.filter(federation=office).update(facts=F("facts") + 1)
        return lock_ledger(office)

    monkeypatch.setattr("players.pages.forms.lock_ledger", too_late)
    answer = client_of(nomsa).post(place(rated), given(rated))
    assert answer.status_code == 409
    assert "the effects are not what your page showed any more" in words(answer)
    rated.refresh_from_db()
    assert rated.stage == Stage.RATED


def test_only_officials_un_rate(
    rated: Section, amahle: User, thandi: User, client_of: ClientOf, client: Client
) -> None:
    for user in (amahle, thandi):
        assert client_of(user).get(place(rated)).status_code == 403
    assert client.get(place(rated)).status_code == 302
    assert client_of(amahle).post(place(rated), given(rated)).status_code == 403
