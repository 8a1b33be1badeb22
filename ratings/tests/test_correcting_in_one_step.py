"""From the cross table or a report to a corrected, published list, with the report closed, in one step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from functools import partial
from typing import Any

import pytest
import time_machine
from django.core import mail
from django.test import Client
from django.utils import timezone
from django.utils.html import escape

from players.access import ROLES, Permission
from players.appointments import change_settings
from players.models import Decision, Federation, Player, Role, User
from players.record import Refused, decide
from players.settings import Settings
from ratings import as_if
from ratings.corrections import FurtherSteps, correct_rated_section
from ratings.merging import merge_players, part_players
from ratings.models import Fact, RatingList
from ratings.pages.cases import follow_report_path
from ratings.pages.errata import errata_of, worded_errata
from ratings.publication import revise_list
from ratings.tests.office import approved, published, recompute_all, register, submitted
from ratings.verify import verify
from tournaments.cases import (
    ReportSubject,
    add_reporter_message,
    close_case,
    confirm_report,
    find_reported_games,
    report,
    withdraw_case,
)
from tournaments.models import Case, MendingProposal, Section

ClientOf = Callable[[User], Client]
pytestmark = pytest.mark.django_db
LIST_DAY, DAY = date(2024, 4, 1), date(2024, 4, 3)
AT = datetime(2024, 4, 3, 9, tzinfo=UTC)


@pytest.fixture
def clock() -> Any:
    with time_machine.travel(AT, tick=False):
        yield


def opened(section: Section, about: ReportSubject | None = None, email: str = "parent@example.org") -> Case:
    """A report whose mail address is confirmed; about the first game, if about nothing else."""
    first_game = ReportSubject(section=section, games=tuple(section.games.filter(order=1)))
    report(
        federation=section.event.federation,
        about=about or first_game,
        email=email,
        name="",
        words="My son won.",
        at=timezone.now(),
    )
    return confirm_report(case=Case.objects.latest("pk"), on=DAY, at=timezone.now())


def won_by_the_other(section: Section) -> str:
    return "0-1" if section.games.get(order=1).result != "0-1" else "1-0"


def corrected(section: Section, **more: Any) -> Fact:
    given: dict[str, Any] = {"by": None, "on": DAY, "version": section.version, "reason": "result"}
    change = {"what": "result", "game": 1, "to": won_by_the_other(section)}
    fact = correct_rated_section(
        section=section, changes=[change], words="The slip.", after_list=True, **given | more
    )
    recompute_all(section.event.federation)
    return fact


def text(answer: Any) -> str:
    return " ".join(answer.content.decode().split())


def shown_from(browser: Client, section: Section, query: str) -> Any:
    """The page of effects, reached from a link with that query: what stands in the form is sent."""
    page = browser.get(f"{section.get_absolute_url()}mend/{query}")
    form = page.context["form"]
    sent = {
        "version": section.version,
        "changes": "[]",
        "case": page.context["case"],
        "game": form["game"].value(),
        "result": won_by_the_other(section),
    }
    return browser.post(f"{section.get_absolute_url()}mend/", sent)


def decision_of(shown: Any, **more: Any) -> dict[str, Any]:
    """What the form of the page sends as it stands."""
    form = shown.context["reason_form"]
    kept = {name: form[name].value() for name in form.fields if form[name].value() is not None}
    return {**kept, "changes": shown.context["changes"], "decide": "on", "case": shown.context["case"]} | more


# ---------------------------------------------------------------- the service


def test_d2_a_correction_publishes_its_lists_again_and_closes_its_report_in_one_step(
    csa: Federation, section: Section, clock: None
) -> None:
    case = opened(section)
    fact = corrected(section, then=FurtherSteps((LIST_DAY,), {case.pk: case.version}))
    newest = RatingList.objects.filter(on=LIST_DAY, revision=2)
    assert newest.exists()
    case.refresh_from_db()
    assert (case.state, case.outcome) == ("closed", "corrected")
    [told] = worded_errata(csa, errata_of(csa))
    assert (told.line.number, [each.on for each in told.revised]) == (fact.number, [LIST_DAY])
    assert verify(csa).differences == []


def test_the_reporter_is_told_what_was_corrected_and_what_moved_in_the_language_of_the_report(
    csa: Federation, section: Section, players: list[Player], client_of: ClientOf, nomsa: User, clock: None
) -> None:
    case = opened(section)
    Case.objects.filter(pk=case.pk).update(language="pl")
    browser = client_of(nomsa)
    shown = shown_from(browser, section, f"?round=1&entry=1&case={case.pk}")
    browser.post(f"{section.get_absolute_url()}mend/", decision_of(shown, after_list="on"))
    letter = mail.outbox[-1]
    assert letter.to == ["parent@example.org"]
    assert "Skorygowano:" in letter.body
    moved = shown.context["effects"].ratings[0]
    name = Player.objects.get(number=moved.player).shown_name
    [line] = [line for line in letter.body.splitlines() if line.startswith(f"{name}, ")][:1]
    assert line.endswith(f"{moved.before:.1f} → {moved.after:.1f}".replace(".", ","))


def test_a_reporter_is_led_to_the_erratum_where_more_is_rated_again_than_the_page_works_out(
    csa: Federation,
    section: Section,
    players: list[Player],
    client_of: ClientOf,
    nomsa: User,
    clock: None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for seed in (2, 3):
        approved(submitted(csa, players, number=f"2024-00{seed}", ends=date(2024, 4, seed), seed=seed))
    monkeypatch.setattr(as_if, "plan_fold", partial(as_if.plan_fold, most_sections=1))
    case, browser = opened(section), client_of(nomsa)
    shown = shown_from(browser, section, f"?case={case.pk}")
    assert shown.context["effects"].unseen
    browser.post(f"{section.get_absolute_url()}mend/", decision_of(shown, after_list="on"))
    letter, fact = mail.outbox[-1].body, Fact.objects.filter(kind="rated").latest("number")
    assert f"/csa/errata/{fact.number}/" in letter
    assert "No rating moved" not in letter


def test_if_a_list_cannot_be_published_again_nothing_is_corrected(section: Section) -> None:
    with pytest.raises(Refused, match="No list of"):
        corrected(section, then=FurtherSteps((date(2024, 3, 9),)))
    assert not section.corrections.exists()
    assert not Fact.objects.filter(kind="unrated").exists()


def test_a_report_is_not_closed_as_corrected_while_nothing_was_corrected(
    section: Section, nomsa: User, clock: None
) -> None:
    case = opened(section)
    closing: dict[str, Any] = {"by": nomsa, "on": DAY, "at": AT, "words": "Done.", "outcome": "corrected"}
    with pytest.raises(Refused, match="Nothing was corrected"):
        close_case(case=case, version=case.version, **closing)
    corrected(section)
    assert close_case(case=case, version=case.version, **closing).outcome == "corrected"


def test_what_was_corrected_before_a_report_does_not_settle_it(section: Section, nomsa: User) -> None:
    with time_machine.travel(datetime(2024, 4, 2, tzinfo=UTC), tick=False):
        corrected(section, on=date(2024, 4, 2))
    with time_machine.travel(AT, tick=False):
        case = opened(section)
        with pytest.raises(Refused, match="Nothing was corrected"):
            close_case(
                case=case, by=nomsa, on=DAY, at=AT, version=case.version, words="Done.", outcome="corrected"
            )


def test_a_report_about_a_player_is_settled_by_a_correction_of_a_section_of_theirs(
    section: Section, players: list[Player], nomsa: User, clock: None
) -> None:
    case = opened(section, ReportSubject(player=players[0]))
    corrected(section)
    closed = close_case(
        case=case, by=nomsa, on=DAY, at=AT, version=case.version, words="Done.", outcome="corrected"
    )
    assert closed.outcome == "corrected"


def settled(case: Case, by: User) -> bool:
    """Whether a report may be closed as corrected now."""
    closing: dict[str, Any] = {"on": DAY, "at": AT, "version": case.version, "words": "Done."}
    try:
        close_case(case=case, by=by, outcome="corrected", **closing)
    except Refused:
        return False
    return True


def test_a_merge_and_its_reversal_settle_reports_about_either_and_about_sections_of_theirs(
    csa: Federation, section: Section, players: list[Player], nomsa: User, clock: None
) -> None:
    [double] = register(csa, 1, first=101000009)
    merging: dict[str, Any] = {"by": nomsa, "on": DAY, "reason": "One birth certificate."}

    def about() -> list[Case]:
        subjects = [
            ReportSubject(player=players[0]),
            ReportSubject(player=double),
            ReportSubject(section=section),
            ReportSubject(section=section, player=players[0]),
        ]
        Case.objects.update(email="another@example.org")
        return [opened(section, each) for each in subjects[:2]] + [
            opened(section, each, email="club@example.org") for each in subjects[2:]
        ]

    [*reported, unrelated] = [
        *about(),
        opened(section, ReportSubject(player=register(csa, 1, first=101000010)[0])),
    ]
    assert [settled(case, nomsa) for case in reported] == [False] * 4
    merge_players(player=double, into=players[0], **merging)
    recompute_all(csa)
    assert [settled(case, nomsa) for case in reported] == [True] * 4
    with time_machine.travel(AT + timedelta(hours=1), tick=False):
        reported = about()
        assert [settled(case, nomsa) for case in reported] == [False] * 4
        part_players(player=double, **merging)
        assert [settled(case, nomsa) for case in reported] == [True] * 4
    assert not settled(unrelated, nomsa)


def test_a_section_of_a_merged_number_settles_a_report_about_who_stays(
    csa: Federation, section: Section, players: list[Player], nomsa: User
) -> None:
    [stays] = register(csa, 1, first=101000009)
    with time_machine.travel(AT - timedelta(days=1), tick=False):
        merge_players(player=players[0], into=stays, by=nomsa, on=date(2024, 4, 2), reason="One person.")
        recompute_all(csa)
    with time_machine.travel(AT, tick=False):
        cases = [opened(section, ReportSubject(player=each)) for each in (stays, players[0])]
        assert [settled(case, nomsa) for case in cases] == [False, False]
        corrected(section)
        assert [settled(case, nomsa) for case in cases] == [True, True]


def test_a_report_about_a_section_is_settled_by_correcting_the_particulars_of_an_entrant(
    section: Section, players: list[Player], nomsa: User, clock: None
) -> None:
    cases = [
        opened(section, ReportSubject(section=section)),
        opened(section, ReportSubject(section=section, player=players[1])),
    ]
    decide(section.event.federation, kind="correct", by=nomsa, on=DAY, about=f"player {players[1].number}")
    assert [settled(case, nomsa) for case in cases] == [True, True]


# ---------------------------------------------------------------- the pages


def test_a_game_of_the_cross_table_leads_officials_to_its_correction_and_others_to_the_report(
    section: Section, client: Client, client_of: ClientOf, nomsa: User
) -> None:
    mend = escape(f"{section.get_absolute_url()}mend/?round=1&entry=1")
    assert mend in client_of(nomsa).get(section.get_absolute_url()).text
    assert mend in client_of(nomsa).get(f"{section.get_absolute_url()}review/filed/").text
    hint = "To correct a result or a place, choose it in the table."
    assert hint in client_of(nomsa).get(section.get_absolute_url()).text
    assert hint not in client.get(section.get_absolute_url()).text
    assert "mend" not in client.get(section.get_absolute_url()).text


def test_a_game_that_the_address_names_is_chosen_and_another_rounds_is_not(
    section: Section, client_of: ClientOf, nomsa: User
) -> None:
    browser = client_of(nomsa)
    game = section.games.select_related("second").get(order=1)
    for entry in (game.first.number, game.second.number):
        page = browser.get(f"{section.get_absolute_url()}mend/?round={game.round}&entry={entry}")
        assert page.context["form"]["game"].value() == 1
    assert browser.get(f"{section.get_absolute_url()}mend/?round=99&entry=1").context["form"][
        "game"
    ].value() in (None, "")


def test_the_game_that_a_report_names_is_chosen(
    section: Section, client_of: ClientOf, nomsa: User, clock: None
) -> None:
    case = opened(section)
    assert [game.order for game in find_reported_games(case)] == [1]
    page = client_of(nomsa).get(f"/csa/cases/{case.pk}/")
    link = f"{section.get_absolute_url()}mend/?case={case.pk}"
    assert link in page.text
    assert client_of(nomsa).get(link).context["form"]["game"].value() == 1
    without = opened(section, ReportSubject(section=section))
    assert find_reported_games(without) == []


def test_a_report_about_a_player_leads_to_the_corrections_of_their_sections(
    section: Section, players: list[Player], client_of: ClientOf, nomsa: User, clock: None
) -> None:
    case = opened(section, ReportSubject(player=players[0]))
    assert f"mend/?case={case.pk}" in client_of(nomsa).get(f"/csa/cases/{case.pk}/").text


def test_the_page_says_what_moves_in_lists_and_what_stands_there_decides_all_in_one_step(
    csa: Federation, section: Section, client_of: ClientOf, nomsa: User, clock: None
) -> None:
    case, browser = opened(section), client_of(nomsa)
    shown = shown_from(browser, section, f"?case={case.pk}")
    assert shown.context["reason_form"]["cases"].value() == [f"{case.pk}:{case.version}"]
    url = f"{section.get_absolute_url()}mend/"
    counted = browser.post(url, {"changes": shown.context["changes"], "count": "on"})
    [(day, number, _lists)] = counted.context["counted"]
    assert (day, f"{number} rows would differ" in text(counted)) == (LIST_DAY, True)
    decided = decision_of(shown, after_list="on", lists=[LIST_DAY.isoformat()])
    assert browser.post(url, decided).status_code == 302
    recompute_all(csa)
    [told] = worded_errata(csa, errata_of(csa))
    assert told.revised[0].rows == number > 0
    case.refresh_from_db()
    assert case.outcome == "corrected"
    done = text(browser.get(f"{section.get_absolute_url()}outcome/"))
    assert told.sentence.split(":")[0] in done
    erratum = f"/csa/errata/{told.line.number}/"
    for page in (f"/csa/cases/{case.pk}/", f"{section.get_absolute_url()}review/"):
        assert erratum in browser.get(page).text, page
    assert f"/csa/cases/{case.pk}/" in browser.get(f"{section.get_absolute_url()}review/").text
    public = text(Client().get(erratum))
    assert section.get_absolute_url() in public
    assert f"/csa/lists/{told.revised[0].label}/" in public
    assert f"/csa/cases/{case.pk}/" not in public


def test_a_report_is_not_closed_over_what_its_reporter_wrote_since_the_page_was_shown(
    section: Section, client_of: ClientOf, nomsa: User, clock: None
) -> None:
    case, browser = opened(section), client_of(nomsa)
    shown = shown_from(browser, section, f"?case={case.pk}")
    add_reporter_message(case=case, on=DAY, at=AT, words="And round 2 is wrong too.")
    url = f"{section.get_absolute_url()}mend/"
    refused = browser.post(url, decision_of(shown, after_list="on"))
    assert "Read it as it is now" in text(refused)
    assert not section.corrections.exists()
    case.refresh_from_db()
    assert case.state == "open"
    with pytest.raises(Refused, match="Read it as it is now"):
        corrected(section, then=FurtherSteps(cases={case.pk: case.version - 1}))
    again = decision_of(refused)
    assert again["cases"] != [f"{case.pk}:{case.version}"]
    assert browser.post(url, again | {"cases": [f"{case.pk}:{case.version}"]}).status_code == 302
    case.refresh_from_db()
    assert case.outcome == "corrected"


def test_a_closed_report_leads_to_its_erratum_once_that_is_written(
    csa: Federation, section: Section, client_of: ClientOf, nomsa: User, clock: None
) -> None:
    case, browser = opened(section), client_of(nomsa)
    shown = shown_from(browser, section, f"?case={case.pk}")
    browser.post(f"{section.get_absolute_url()}mend/", decision_of(shown, after_list="on"))
    fact = Fact.objects.filter(kind="rated").latest("number")
    erratum, pages = f"/csa/errata/{fact.number}/", (f"/csa/cases/{case.pk}/", follow_report_path(case))
    written = browser.get(erratum).status_code == 200
    assert [erratum in browser.get(page).text for page in pages] == [written] * 2 == [False] * 2
    recompute_all(csa)
    assert browser.get(erratum).status_code == 200
    assert [erratum in browser.get(page).text for page in pages] == [True, True]


@pytest.mark.parametrize("said", [{"count": "on"}, {"places": "stay"}], ids=["rows", "places"])
def test_what_was_chosen_comes_back_where_it_cannot_be_shown_any_more(
    section: Section, client_of: ClientOf, nomsa: User, said: dict[str, str]
) -> None:
    chosen = '[{"what": "result", "game": 999, "to": "1/2"}]'
    refused = client_of(nomsa).post(f"{section.get_absolute_url()}mend/", {"changes": chosen, **said})
    assert refused.status_code == 409
    assert refused.context["form"]["changes"].value() == chosen
    assert len(refused.context["refused"].splitlines()) == 1


def test_where_more_lists_include_the_section_than_are_counted_the_page_says_so(
    csa: Federation, section: Section, client_of: ClientOf, nomsa: User
) -> None:
    browser, url = client_of(nomsa), f"{section.get_absolute_url()}mend/"
    for month in (5, 6):
        published(csa, date(2024, month, 1))
    assert "are counted here" not in text(shown_from(browser, section, "?round=1&entry=1"))
    published(csa, date(2024, 7, 1))
    shown = shown_from(browser, section, "?round=1&entry=1")
    assert "The published lists of 4 days include this section" in text(shown)
    assert "Only rows of the newest 3 days are counted here." in text(shown)
    counted = browser.post(url, {"changes": shown.context["changes"], "count": "on"}).context["counted"]
    assert [day.month for day, _number, _lists in counted] == [7, 6, 5]


def test_with_four_eyes_the_second_official_finds_what_the_first_proposed_and_decides(
    csa: Federation, section: Section, client_of: ClientOf, nomsa: User, sipho: User, clock: None
) -> None:
    change_settings(federation=csa, by=None, on=DAY, settings=Settings(four_eyes=True))
    case, url = opened(section), f"{section.get_absolute_url()}mend/"
    shown = shown_from(client_of(nomsa), section, f"?case={case.pk}")
    decided = decision_of(shown, after_list="on", lists=[LIST_DAY.isoformat()])
    assert client_of(nomsa).post(url, decided).status_code == 302
    assert MendingProposal.objects.get().further == {"lists": ["2024-04-01"], "cases": [case.pk]}
    case.refresh_from_db()
    assert case.state != "closed"
    second = client_of(sipho)
    proposed = second.get(f"{url}proposal/").context
    counted = second.post(
        url, {"count": "on", "changes": proposed["changes"]}, headers={"HX-Request": "true"}
    )
    assert [(day, rows > 0) for day, rows, _lists in counted.context["counted"]] == [(LIST_DAY, True)]
    form = proposed["form"]
    sent = {name: form[name].value() for name in form.fields}
    assert (sent["lists"], sent["cases"]) == (["2024-04-01"], [f"{case.pk}:{case.version}"])
    assert second.post(f"{url}proposal/", {"confirm": "on", **sent}).status_code == 302
    recompute_all(csa)
    case.refresh_from_db()
    assert case.outcome == "corrected"
    assert RatingList.objects.filter(on=LIST_DAY, revision=2).exists()
    assert [each.kind for each in Decision.objects.order_by("-number")[:5]] == [
        "close-case",
        "revise",
        "approve",
        "mend",
        "unrate",
    ]


@pytest.fixture
def four_eyes(csa: Federation) -> None:
    change_settings(federation=csa, by=None, on=DAY, settings=Settings(four_eyes=True))


def proposed(browser: Client, section: Section, case: Case) -> str:
    """Propose a correction that settles a report, and publishes the list again; return the page's address."""
    url = f"{section.get_absolute_url()}mend/"
    shown = shown_from(browser, section, f"?round=1&entry=1&case={case.pk}")
    decided = decision_of(shown, after_list="on", lists=[LIST_DAY.isoformat()])
    assert decided["cases"]
    assert browser.post(url, decided).status_code == 302
    return f"{url}proposal/"


def confirming(shown: Any) -> dict[str, Any]:
    """What the form that confirms a proposal sends as it stands."""
    form = shown.context["form"]
    return {"confirm": "on", **{name: form[name].value() for name in form.fields}}


def test_with_four_eyes_a_report_about_a_player_is_closed_too_under_a_number_merged_since(
    csa: Federation,
    section: Section,
    players: list[Player],
    client_of: ClientOf,
    nomsa: User,
    sipho: User,
    four_eyes: None,
    clock: None,
) -> None:
    [stays] = register(csa, 1, first=101000009)
    merge_players(player=players[0], into=stays, by=nomsa, on=DAY, reason="One person.")
    recompute_all(csa)
    for reported in (stays, players[0]):
        case = opened(section, ReportSubject(player=reported))
        page, second = proposed(client_of(nomsa), section, case), client_of(sipho)
        assert second.post(page, confirming(second.get(page))).status_code == 302
        recompute_all(csa)
        section.refresh_from_db()
        case.refresh_from_db()
        assert case.outcome == "corrected", reported


def test_what_was_proposed_and_whoever_confirms_may_not_do_is_said_and_stays_until_it_is_done(
    csa: Federation,
    section: Section,
    client_of: ClientOf,
    nomsa: User,
    sipho: User,
    four_eyes: None,
    clock: None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    case = opened(section)
    page, second = proposed(client_of(nomsa), section, case), client_of(sipho)
    todo = ["Publish again: 1 April 2024", f"Close as corrected: {case}"]
    assert not any(words in text(second.get(page)) for words in todo)
    official = ROLES[Role.OFFICIAL]
    taken = {Permission.LISTS_PUBLISH, Permission.CASES_CLOSE}
    with monkeypatch.context() as narrower:
        narrower.setitem(ROLES, Role.OFFICIAL, replace(official, grants=official.grants - taken))
        shown = second.get(page)
        assert all(words in text(shown) for words in todo)
        assert not shown.context["form"].fields.keys() & {"lists", "cases"}
        done = second.post(page, confirming(shown))
        recompute_all(csa)
        told = second.get(done.headers["Location"])
        assert all(words in text(told) for words in todo)
        assert [url for _words, url in told.context["left"]] == ["", ""]
    assert not RatingList.objects.filter(on=LIST_DAY, revision=2).exists()
    case.refresh_from_db()
    assert case.state != "closed"
    review = f"{section.get_absolute_url()}review/"
    first = client_of(nomsa)
    assert [url for _words, url in first.get(review).context["left"]] == [
        "/csa/lists/publish/2024-04-01/revise/",
        f"/csa/cases/{case.pk}/",
    ]
    revise_list(federation=csa, list_day=LIST_DAY, by=nomsa, on=DAY, note="Corrected.")
    recompute_all(csa)
    assert [words for words, _url in first.get(review).context["left"]] == [todo[1]]
    withdraw_case(case=case, on=DAY)
    assert first.get(review).context["left"] == []


def test_a_list_that_was_proposed_is_offered_beside_three_newer_ones(
    csa: Federation,
    section: Section,
    client_of: ClientOf,
    nomsa: User,
    sipho: User,
    four_eyes: None,
    clock: None,
) -> None:
    page = proposed(client_of(nomsa), section, opened(section))
    for month in (5, 6, 7):
        published(csa, date(2024, month, 1))
    form = client_of(sipho).get(page).context["form"]
    assert [value for value, _label in form.fields["lists"].choices][-1] == "2024-04-01"
    assert form["lists"].value() == ["2024-04-01"]


def test_who_confirms_after_a_report_was_withdrawn_reads_so_and_keeps_the_other_ticks(
    section: Section, client_of: ClientOf, nomsa: User, sipho: User, four_eyes: None, clock: None
) -> None:
    case, other = opened(section), opened(section)
    page, second = proposed(client_of(nomsa), section, case), client_of(sipho)
    sent = confirming(second.get(page))
    ticks = {name: value for name, value in sent.items() if name != "lists"}
    ticks["cases"] = [
        *sent["cases"],
        *[value for value, _label in second.get(page).context["form"].fields["cases"].choices],
    ]
    withdraw_case(case=case, on=DAY)
    refused = second.post(page, ticks)
    assert refused.status_code == 409
    form = refused.context["form"]
    assert form["lists"].value() == []
    [(kept, _label)] = form.fields["cases"].choices
    assert kept in form["cases"].value()
    assert second.post(page, confirming(refused) | {"cases": [kept]}).status_code == 302
    other.refresh_from_db()
    assert other.outcome == "corrected"
    assert not RatingList.objects.filter(revision=2).exists()


def test_the_preview_names_what_else_changed_since_the_section_was_first_rated(
    section: Section, players: list[Player], client_of: ClientOf, nomsa: User
) -> None:
    browser = client_of(nomsa)
    assert shown_from(browser, section, "?round=1&entry=1").context["changed_since"] == []
    Player.objects.filter(pk=players[0].pk).update(nation="NAM")
    section.event.name = "Open of another name"
    section.event.save()
    shown = shown_from(browser, section, "?round=1&entry=1")
    sentences = [each.sentence for each in shown.context["changed_since"]]
    assert sentences == [
        "Event: Open of another name, not Open 2024-001",
        f"Nation, {players[0].shown_name}: NAM, not RSA",
    ]


def test_63_before_a_list_and_64_after_it_are_cited_and_10_for_an_event_abroad(
    csa: Federation, players: list[Player], section: Section, client_of: ClientOf, nomsa: User
) -> None:
    def cited(of: Section) -> list[str]:
        return [clause for clause, _says in shown_from(browser, of, "?round=1&entry=1").context["clauses"]]

    browser = client_of(nomsa)
    later = submitted(csa, players, number="2024-002", ends=date(2024, 4, 2), rounds=10, seed=2)
    approved(later, on=date(2024, 4, 2))
    later.refresh_from_db()
    assert (cited(later), cited(section)) == (["63"], ["64"])
    section.event.country = "NAM"
    section.event.save()
    assert cited(section) == ["64", "10"]
