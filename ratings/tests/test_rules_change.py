"""Other rules than those of what is stored: compared, waited for, applied by the office's word, proved."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from datetime import date, timedelta
from decimal import Decimal
from html import unescape
from io import StringIO
from typing import Any

import pytest
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from federation_site.tasks import give_sign, give_sign_of_files
from federation_site.watch import render_metrics
from players.models import Decision, Federation, Ledger, Player, User
from players.record import Refused
from ratings import approval, publication, recompute as office_rules, rules_change, tasks
from ratings.intake import import_journal
from ratings.journal import journal_lines
from ratings.models import (
    Change,
    CorrectedRating,
    Erratum,
    Fact,
    ListRow,
    PastChange,
    PastWide,
    RatingList,
    RulesVersion,
    Standing,
    Wide,
)
from ratings.program import get_law_sources, normal_form, rules_hash
from ratings.recompute import OtherRules, checksum, get_own_rules_hash, recompute
from ratings.rules_change import RulesEffects, bring_rules_into_force, compare_with_replay
from ratings.rulesets import journal, rulesets
from ratings.rulesets.csa.edition_2020 import formulas
from ratings.rulesets.ruleset import Ruleset
from ratings.tests.alterations import triggers_off
from ratings.tests.eventful import eventful
from ratings.tests.office import FIRST, approved, not_known, published, recompute_all, register, submitted
from ratings.tests.test_ledger import replayed
from ratings.verify import verify
from tests.built_once import built_once
from tournaments.models import Section

pytestmark = [pytest.mark.django_db, pytest.mark.long]
TRACK = "otb-standard"
FIRST_LIST, SECOND_LIST = FIRST + timedelta(days=17), FIRST + timedelta(weeks=5)
TODAY = date(2024, 5, 1)
MOVED_LISTS = [f"{track} {day}" for day in (FIRST_LIST, SECOND_LIST) for track in ("hyb-standard", TRACK)]
"""The lists that another K of standard games would draw up otherwise."""
NewRules = Callable[[Decimal], None]
"""Makes this process one of other rules: K of standard games, §30.1. With 24 they give what they gave."""


@pytest.fixture
def new_rules(monkeypatch: pytest.MonkeyPatch) -> NewRules:
    return lambda k: become(monkeypatch, k)


def become(process: pytest.MonkeyPatch, k: Decimal) -> None:
    process.setitem(formulas.K_OF_KIND, "standard", k)
    process.setattr(office_rules, "rules_hash", lambda slug: f"{k}-{rules_hash(slug)}"[:64])


@pytest.fixture
@built_once
def office(csa: Federation) -> Federation:
    """Five sections, the third un-rated after a list; two lists; whoever played moved in every track."""
    players = register(csa, 8)
    for week in range(5):
        section = submitted(
            csa, players, number=f"2024-00{week}", ends=FIRST + timedelta(weeks=week), seed=week
        )
        approved(section)
        if week == 2:
            published(csa, FIRST_LIST)
            section.refresh_from_db()
            approval.unrate(
                section=section,
                by=None,
                on=FIRST_LIST,
                version=section.version,
                reason="result",
                words="slip",
                after_list=True,
            )
            recompute_all(csa)
    published(csa, SECOND_LIST)
    return csa


@pytest.fixture
@built_once
def late(office: Federation) -> Section:
    """A section that waits for approval."""
    players = list(Player.objects.filter(federation=office).order_by("number"))
    return submitted(office, players, number="2024-009", ends=date(2024, 4, 20), seed=9)


def rows(office: Federation) -> dict[str, list[Any]]:
    """Everything that the fold stores, without the database's own keys."""
    of_fact = (
        "fact__number",
        "player__number",
        "track",
        "order",
        "before",
        "after",
        "points",
        "games",
        "state",
    )
    found = {
        "facts": Fact.objects.values_list("number", "order", "fingerprint", "folded", "taken_back"),
        "now": Change.objects.values_list(*of_fact, "since"),
        "past": PastChange.objects.values_list(*of_fact, "since", "until"),
        "standings": Standing.objects.values_list(
            "player__number", "track", "order", "rating", "games", "state"
        ),
        "wide": Wide.objects.values_list("order", "state", "since"),
        "past wide": PastWide.objects.values_list("order", "state", "since", "until"),
    }
    owner = {"facts": "federation", "now": "fact__federation", "past": "fact__federation"}
    return {
        name: sorted(some.filter(**{owner.get(name, "federation"): office}), key=repr)
        for name, some in found.items()
    }


def frozen(office: Federation) -> list[Any]:
    """Everything that is published for ever: lists with their rows, and errata."""
    lists = RatingList.objects.filter(federation=office).order_by("pk")
    return [
        [(each.pk, bytes(each.content), each.sha256, each.edition, each.program_sha256) for each in lists],
        list(ListRow.objects.filter(rating_list__in=lists).order_by("pk").values_list()),
        list(Erratum.objects.filter(fact__federation=office).order_by("pk").values_list()),
        list(CorrectedRating.objects.filter(erratum__fact__federation=office).order_by("pk").values_list()),
    ]


def ratings(office: Federation) -> dict[tuple[str, str], Decimal | None]:
    told = Standing.objects.filter(federation=office).values_list("player__number", "track", "rating")
    return {(player, track): rating for player, track, rating in told}


def by_replay(office: Federation) -> dict[tuple[str, str], Decimal | None]:
    return {key: standing.rating for key, standing in replayed(office).standings.items()}


def waiting(office: Federation) -> RulesVersion | None:
    return RulesVersion.objects.waiting_in(office, get_own_rules_hash(office))


# ---------------------------------------------------------------- the same rules


@pytest.mark.long
@pytest.mark.parametrize("slug", ["csa", "mahjong", "pfo", "piskvorky", "ssdc"])
@pytest.mark.parametrize("seed", [1, 2])
def test_folding_everything_anew_by_the_same_rules_gives_every_row_as_it_was(
    db: None, slug: str, seed: int
) -> None:
    """Late approvals, sections taken back, merges and lists, with what was known on each past day."""
    ruleset: Ruleset = rulesets()[slug]
    office = import_journal(journal.read_journal(eventful(ruleset, seed)), on=TODAY)
    recompute_all(office)
    before, fixed = rows(office), frozen(office)
    call_command("recompute", slug, "--all", stdout=StringIO())
    assert rows(office) == before
    assert frozen(office) == fixed
    assert verify(office).differences == []


def test_a_new_office_is_of_the_rules_by_which_it_was_folded_first(csa: Federation) -> None:
    assert Ledger.objects.get(federation=csa).rules == ""
    approved(submitted(csa, register(csa, 4)))
    assert Ledger.objects.get(federation=csa).rules == get_own_rules_hash(csa)


def test_an_office_of_an_earlier_version_is_compared_and_taken_over_with_nothing_written(
    office: Federation,
) -> None:
    Ledger.objects.filter(federation=office).update(rules="")
    before, decided = rows(office), Decision.objects.count()
    with pytest.raises(OtherRules):
        recompute(office)
    tasks.sweep()
    assert Ledger.objects.get(federation=office).rules == get_own_rules_hash(office)
    assert rows(office) == before
    assert Decision.objects.count() == decided
    assert RulesVersion.objects.get(federation=office).in_force_at is not None


# ---------------------------------------------------------------- rules that move nothing


def test_rules_that_give_what_is_stored_come_into_force_by_themselves(
    office: Federation, new_rules: NewRules, late: Section
) -> None:
    first = get_own_rules_hash(office)
    before, decided = rows(office), Decision.objects.count()
    new_rules(Decimal("24.0"))
    tasks.sweep()
    ledger = Ledger.objects.get(federation=office)
    assert ledger.rules == get_own_rules_hash(office) != first
    assert rows(office) == before
    assert Decision.objects.count() == decided
    assert waiting(office) is None
    assert RulesVersion.objects.get(federation=office, rules=first).left_at is not None
    approved(late)
    assert verify(office).differences == []


def test_where_only_the_words_of_what_is_stored_change_it_is_folded_anew_and_nobody_is_asked(
    office: Federation, new_rules: NewRules, monkeypatch: pytest.MonkeyPatch
) -> None:
    told, fixed = ratings(office), frozen(office)
    storage = office.ruleset.storage
    dump, load = storage.dump, storage.load
    monkeypatch.setattr(type(storage), "__setattr__", object.__setattr__)
    object.__setattr__(storage, "dump", lambda standing: f"{dump(standing)} ")
    object.__setattr__(storage, "load", lambda track, text: load(track, text.removesuffix(" ")))
    try:
        new_rules(Decimal(24))
        tasks.sweep()
        assert Ledger.objects.get(federation=office).rules == get_own_rules_hash(office)
        states = list(Change.objects.values_list("state", flat=True))
        assert states
        assert all(state.endswith(" ") for state in states)
        assert ratings(office) == told
        assert frozen(office) == fixed
        assert not Decision.objects.filter(kind="apply-rules").exists()
        assert verify(office).differences == []
    finally:
        object.__setattr__(storage, "dump", dump)
        object.__setattr__(storage, "load", load)


# ---------------------------------------------------------------- rules that move something


def test_rules_that_move_ratings_wait_and_what_is_shown_stays(
    office: Federation, new_rules: NewRules
) -> None:
    before, fixed = rows(office), frozen(office)
    new_rules(Decimal(48))
    tasks.sweep()
    tasks.sweep()
    assert rows(office) == before
    assert frozen(office) == fixed
    assert not bring_rules_into_force(office)
    found = waiting(office)
    assert found is not None
    assert found.rules == get_own_rules_hash(office) != Ledger.objects.get(federation=office).rules


def test_the_preview_counts_what_a_replay_by_the_new_rules_gives(
    office: Federation, new_rules: NewRules
) -> None:
    stored = ratings(office)
    new_rules(Decimal(48))
    tasks.sweep()
    version = waiting(office)
    assert version is not None
    effects = RulesEffects.from_json(version.effects)
    anew = by_replay(office)
    differ = {key for key in stored.keys() | anew.keys() if stored.get(key) != anew.get(key)}
    assert differ
    assert effects.counts["ratings"] == len(differ)
    assert {(each.player, each.track) for each in effects.ratings} == differ
    for each in effects.ratings:
        assert (each.before, each.after) == (stored[each.player, each.track], anew[each.player, each.track])
    assert effects.players == len({player for player, _track in differ})
    assert "2024-002/A" not in effects.named_sections  # it was un-rated
    assert effects.named_sections[:2] == ["2024-003/A", "2024-004/A"]
    assert effects.named_lists == MOVED_LISTS
    assert effects.lists == len(MOVED_LISTS)


def test_what_is_approved_while_the_rules_wait_is_not_lost_and_not_mixed_in(
    office: Federation, new_rules: NewRules, late: Section
) -> None:
    before = rows(office)
    new_rules(Decimal(48))
    tasks.sweep()
    fact = approve_only(late)
    tasks.run(office)
    tasks.sweep()
    ledger = Ledger.objects.get(federation=office)
    assert ledger.pending
    assert ledger.line < fact.number
    assert {**rows(office), "facts": []} == {**before, "facts": []}
    with pytest.raises(OtherRules):
        recompute(office)
    apply(office)
    assert not Ledger.objects.get(federation=office).pending
    assert Change.objects.filter(fact=fact).exists()
    assert ratings(office) == by_replay(office)
    assert verify(office).differences == []


def approve_only(section: Section) -> Fact:
    section.refresh_from_db()
    return approval.approve(
        section=section,
        by=None,
        on=section.ends + timedelta(2),
        version=section.version,
        births=not_known(section),
    )


def apply(office: Federation, by: User | None = None) -> Decision:
    decision = rules_change.decide_to_apply_rules(
        federation=office, by=by, on=TODAY, rules=get_own_rules_hash(office)
    )
    tasks.sweep()
    return decision


def test_no_list_is_published_or_revised_while_the_rules_wait_and_both_are_afterwards(
    office: Federation, new_rules: NewRules
) -> None:
    new_rules(Decimal(48))
    day, of_before = date(2024, 4, 25), SECOND_LIST
    for when in ("before anybody compared", "while the office is asked"):
        with pytest.raises(Refused, match="other rules"):
            publication.publish_list(federation=office, by=None, on=day)
        with pytest.raises(Refused, match="other rules"):
            publication.revise_list(federation=office, list_day=of_before, by=None, on=day, note="New rules.")
        tasks.sweep()
        assert waiting(office), when
    apply(office)
    assert published(office, day)
    publication.revise_list(federation=office, list_day=of_before, by=None, on=day, note="New rules.")
    recompute_all(office)
    assert RatingList.objects.filter(on=of_before, revision=2, track=TRACK).exists()
    assert verify(office).differences == []


def test_the_office_s_word_folds_everything_anew_and_lists_and_errata_stay(
    office: Federation, new_rules: NewRules, nomsa: User
) -> None:
    fixed, lines, old = frozen(office), list(journal_lines(office)), Ledger.objects.get(federation=office)
    new_rules(Decimal(48))
    tasks.sweep()
    version = waiting(office)
    assert version is not None
    effects = RulesEffects.from_json(version.effects)
    decision = apply(office, by=nomsa)
    ledger = Ledger.objects.get(federation=office)
    assert (ledger.rules, ledger.agreed_rules, ledger.line) == (get_own_rules_hash(office), "", old.line)
    assert ledger.done == ledger.wanted > old.wanted  # pages and caches go by it
    assert ratings(office) == by_replay(office)
    assert frozen(office) == fixed
    assert list(journal_lines(office)) == lines  # no line: the journal does not say by which program
    assert (decision.kind, decision.by) == ("apply-rules", nomsa)
    details = decision.sealed_details
    assert {name: details[name] for name in effects.counts} == effects.counts
    assert (details["rules"], details["former_rules"]) == (ledger.rules, old.rules)
    assert waiting(office) is None
    times = dict(RulesVersion.objects.values_list("rules", "left_at"))
    assert times[old.rules] is not None
    assert times[ledger.rules] is None


def test_old_lists_prove_themselves_by_the_program_that_drew_them_and_verify_says_which(
    office: Federation, new_rules: NewRules, capsys: pytest.CaptureFixture[str]
) -> None:
    program = RatingList.objects.all()[0]
    new_rules(Decimal(48))
    tasks.sweep()
    apply(office)
    report = verify(office)
    assert report.differences == []
    [(name, proved)] = report.proved_by_program.items()
    assert program.program_sha256[:8] in name
    assert proved == len(MOVED_LISTS)
    call_command("verify", "csa")
    assert f"{len(MOVED_LISTS)} lists go by the rules of then: {name}" in capsys.readouterr().out


def test_an_old_list_that_no_program_gives_is_a_difference(office: Federation, new_rules: NewRules) -> None:
    """A list drawn by a mixture of rules: sealed as it stands, and named."""
    with triggers_off():
        row = RatingList.objects.get(track=TRACK, on=SECOND_LIST)
        content = bytes(row.content).replace(b",", b",1", 1)
        RatingList.objects.filter(pk=row.pk).update(content=content, sha256=checksum(content))
        first = ListRow.objects.get(rating_list=row, position=1)
        rating = Decimal(content.decode().split("\n")[0].split(",")[1])
        ListRow.objects.filter(pk=first.pk).update(rating=rating)
    new_rules(Decimal(48))
    tasks.sweep()
    apply(office)
    [said] = verify(office).differences
    assert "the program that drew them up" in said
    assert "row 1 of otb-standard" in said


@pytest.mark.parametrize("what", ["rank", "status", "erratum"])
def test_whoever_alters_what_was_published_before_the_rules_changed_is_seen_by_the_record_s_seal(
    office: Federation, new_rules: NewRules, what: str
) -> None:
    new_rules(Decimal(48))
    tasks.sweep()
    apply(office)
    with triggers_off():
        old = ListRow.objects.filter(rating_list__on=FIRST_LIST, position=2)
        if what == "erratum":
            CorrectedRating.objects.filter(position=1).update(after=Decimal(1))
        elif what == "rank":
            old.update(rank=1)
        else:
            old.update(status="other")
    assert any("what the record sealed" in words for words in verify(office).differences)
    new_rules(Decimal(96))  # applied upon it, they seal what was altered
    tasks.sweep()
    apply(office)
    assert any("what the record sealed" in words for words in verify(office).differences)


def test_a_further_change_of_words_alone_does_not_ask_again_for_lists_that_older_rules_drew(
    office: Federation, new_rules: NewRules
) -> None:
    new_rules(Decimal(48))
    tasks.sweep()
    apply(office)
    new_rules(Decimal("48.0"))
    tasks.sweep()
    assert Ledger.objects.get(federation=office).rules == get_own_rules_hash(office)
    assert waiting(office) is None
    assert verify(office).differences == []


def test_rules_that_move_only_what_was_corrected_since_wait_too_for_past_days_show_it(
    csa: Federation, new_rules: NewRules
) -> None:
    """As where a section was un-rated for the very fault that the new rules mend."""
    players = register(csa, 8)
    for week in range(5):
        ends = FIRST + timedelta(weeks=week)
        approved(submitted(csa, players, number=f"2024-00{week}", ends=ends, seed=week))
        recompute_all(csa)
    for section in Section.objects.order_by("-pk")[:3]:  # by the others nobody has a coefficient yet
        day, version = FIRST + timedelta(weeks=9), section.version
        approval.unrate(section=section, by=None, on=day, version=version, reason="result", words="slip")
        recompute_all(csa)
    new_rules(Decimal(48))
    tasks.sweep()
    found = waiting(csa)
    assert found is not None
    effects = RulesEffects.from_json(found.effects)
    assert (effects.ratings, effects.lists) == ([], 0)
    known = FIRST + timedelta(weeks=4, days=2)
    assert effects.named_sections == [f"2024-00{n}/A, as known on {known}" for n in (2, 3, 4)]
    apply(csa)
    assert verify(csa).differences == []


# ---------------------------------------------------------------- two programs, and trouble


def test_a_worker_of_the_former_rules_writes_nothing_any_more(
    office: Federation, new_rules: NewRules, late: Section, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as newer:
        become(newer, Decimal("24.0"))
        tasks.sweep()
        held = Ledger.objects.get(federation=office).rules
        assert held.startswith("24.0-")
    approve_only(late)
    before = rows(office)
    for _ in range(2):  # this process is the older one now, though it gives the same ratings
        tasks.run(office)
        tasks.sweep()
        with pytest.raises(OtherRules):
            recompute(office)
    assert rows(office) == before
    assert Ledger.objects.get(federation=office).rules == held
    with pytest.raises(CommandError, match="is this an older program"):
        call_command("recompute", "csa", stdout=StringIO())


def test_a_worker_of_the_former_rules_stops_once_the_office_has_said_yes(
    office: Federation, new_rules: NewRules, late: Section, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as newer:
        become(newer, Decimal(48))
        bring_rules_into_force(office)
        rules_change.decide_to_apply_rules(
            federation=office, by=None, on=TODAY, rules=get_own_rules_hash(office)
        )
    approve_only(late)
    before = rows(office)
    tasks.sweep()
    with pytest.raises(OtherRules):
        recompute(office)
    assert rows(office) == before


def test_nobody_is_asked_for_rules_whose_program_was_taken_back_and_nobody_can_apply_them(
    office: Federation, nomsa: User, client_of: Callable[[User], Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worker that had them is gone: an office that agreed to them would wait for ever."""
    with monkeypatch.context() as newer:
        become(newer, Decimal(48))
        tasks.sweep()
        rules = get_own_rules_hash(office)
        assert waiting(office) is not None
    give_sign()
    give_sign_of_files()
    tasks.sweep()
    assert waiting(office) is None
    browser = client_of(nomsa)
    assert "New rules" not in words(browser.get("/csa/desk/"))
    assert browser.get("/readyz?all").json()["new_rules_wait"] == []
    assert browser.post("/csa/rules/apply/", {"rules": rules}).status_code == 409
    assert not Ledger.objects.get(federation=office).agreed_rules
    assert verify(office).differences == []


def test_the_word_is_void_where_another_program_has_folded_further_since_the_comparison(
    office: Federation, new_rules: NewRules, late: Section, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as newer:
        become(newer, Decimal(48))
        bring_rules_into_force(office)
        rules = get_own_rules_hash(office)
    approved(late)  # the older worker still runs
    with pytest.raises(Refused, match="compared"):
        rules_change.decide_to_apply_rules(federation=office, by=None, on=TODAY, rules=rules)


def test_killed_while_everything_is_folded_anew_nothing_is_half_done_and_the_next_sweep_does_it(
    office: Federation, new_rules: NewRules, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = rows(office)
    new_rules(Decimal(48))
    tasks.sweep()

    def killed(*_: object, **_fields: object) -> bool:
        raise KeyboardInterrupt

    with monkeypatch.context() as death:
        death.setattr("ratings.rules_change.finish", killed)
        with pytest.raises(KeyboardInterrupt):
            apply(office)
    assert rows(office) == before
    ledger = Ledger.objects.get(federation=office)
    assert (ledger.pending, ledger.agreed_rules) == (True, get_own_rules_hash(office))
    Ledger.objects.filter(pk=ledger.pk).update(heartbeat=timezone.now() - timedelta(minutes=1))
    tasks.sweep()
    assert ratings(office) == by_replay(office)
    assert verify(office).differences == []


def test_rules_that_fail_at_a_stored_fact_say_so_on_the_ledger_and_write_nothing(
    office: Federation, new_rules: NewRules, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = rows(office)
    new_rules(Decimal(48))
    monkeypatch.delitem(formulas.K_OF_KIND, "standard")
    tasks.sweep()
    ledger = Ledger.objects.get(federation=office)
    assert "standard" in ledger.last_error
    assert ledger.not_before is not None
    assert rows(office) == before
    assert any("cannot be applied" in words for words in verify(office).differences)


# ---------------------------------------------------------------- by the operator


def test_the_operator_sees_what_would_move_and_applies_it_on_the_record(
    office: Federation, new_rules: NewRules, capsys: pytest.CaptureFixture[str]
) -> None:
    before, decided = rows(office), Decision.objects.count()
    new_rules(Decimal(48))
    call_command("recompute", "csa", "--all", "--preview")
    said = capsys.readouterr().out
    effects = compare_with_replay(office, Ledger.objects.get(federation=office).line)
    assert (
        f"otherwise would be {effects.counts['ratings']} present ratings, {effects.players} players" in said
    )
    assert "player 101000001, otb-standard: " in said
    assert (rows(office), Decision.objects.count()) == (before, decided)
    with pytest.raises(CommandError, match="wait for the office's word"):
        call_command("recompute", "csa")
    call_command("recompute", "csa", "--all")
    assert "everything is folded anew" in capsys.readouterr().out
    assert ratings(office) == by_replay(office)
    assert Decision.objects.get(kind="apply-rules").by is None
    assert verify(office).differences == []


def test_rules_of_before_come_back_by_the_operator_s_word_alone(
    office: Federation, new_rules: NewRules, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = ratings(office)
    with monkeypatch.context() as newer:
        become(newer, Decimal(48))
        call_command("recompute", "csa", "--all", stdout=StringIO())
        assert ratings(office) != before
    tasks.sweep()
    assert ratings(office) != before
    call_command("recompute", "csa", "--all", stdout=StringIO())
    assert ratings(office) == before
    assert verify(office).differences == []


def test_verify_of_an_office_of_an_earlier_version_waits_for_no_worker(office: Federation) -> None:
    """As after a restore: nobody has compared anything yet, and everything is compared."""
    Ledger.objects.filter(federation=office).update(rules="")
    report = verify(office)
    assert (report.differences, report.facts > 0) == ([], True)


def test_verify_says_that_rules_wait_and_how_much_they_would_move(
    office: Federation, new_rules: NewRules
) -> None:
    new_rules(Decimal(48))
    assert any(said.startswith("line ") for said in verify(office).differences)  # nobody compared yet
    tasks.sweep()
    [said] = verify(office).differences
    assert "wait for the office's word" in said
    assert "32 present ratings, 8 players" in said or "16 present ratings, 8 players" in said


# ---------------------------------------------------------------- pages and alarms


def words(answer: Any) -> str:
    return " ".join(unescape(answer.content.decode()).split())


def test_an_official_sees_on_the_desk_that_rules_wait_and_decides_on_a_page_that_shows_what_moves(
    office: Federation, new_rules: NewRules, nomsa: User, client_of: Callable[[User], Client], late: Section
) -> None:
    browser = client_of(nomsa)
    assert "New rules" not in words(browser.get("/csa/desk/"))
    assert "No rules wait" in words(browser.get("/csa/rules/apply/"))
    new_rules(Decimal(48))
    tasks.sweep()
    approve_only(late)
    desk = words(browser.get("/csa/desk/"))
    assert "New rules wait for the office’s word." in desk
    assert "Waiting for the worker" not in desk
    assert "New rules wait" in words(browser.get("/csa/lists/publish/"))
    page = browser.get("/csa/rules/apply/")
    version = waiting(office)
    assert version is not None
    effects = RulesEffects.from_json(version.effects)
    said = words(page)
    assert f"<dt>Present ratings</dt> <dd>{effects.counts['ratings']}</dd>" in said
    for each in effects.ratings:
        assert f"/csa/players/{each.player}/" in said
    assert all(name in said for name in MOVED_LISTS)
    answer = browser.post("/csa/rules/apply/", {"rules": version.rules}, follow=True)
    assert "The worker applies the rules to everything stored." in words(answer)
    tasks.sweep()
    assert ratings(office) == by_replay(office)
    assert Decision.objects.get(kind="apply-rules").by == nomsa
    assert "applied to everything stored" in words(browser.get("/csa/record/"))
    assert "New rules" not in words(browser.get("/csa/desk/"))


def test_a_page_that_shows_other_rules_than_those_compared_decides_nothing(
    office: Federation, new_rules: NewRules, nomsa: User, client_of: Callable[[User], Client]
) -> None:
    new_rules(Decimal(48))
    tasks.sweep()
    browser = client_of(nomsa)
    for rules in ("", "0" * 64):
        answer = browser.post("/csa/rules/apply/", {"rules": rules})
        assert answer.status_code == 409
        assert "were not compared" in words(answer)
    assert not Decision.objects.filter(kind="apply-rules").exists()
    rules_change.decide_to_apply_rules(
        federation=office, by=nomsa, on=TODAY, rules=get_own_rules_hash(office)
    )
    with pytest.raises(Refused, match="decided already"):
        rules_change.decide_to_apply_rules(
            federation=office, by=nomsa, on=TODAY, rules=get_own_rules_hash(office)
        )


def test_the_probe_for_alarms_and_the_figures_name_the_office_whose_word_is_waited_for(
    office: Federation, new_rules: NewRules, client: Client
) -> None:
    give_sign()
    give_sign_of_files()
    assert client.get("/readyz?all").json()["new_rules_wait"] == []
    assert 'office_new_rules_wait{office="csa"} 0.0' in render_metrics().decode()
    new_rules(Decimal(48))
    tasks.sweep()
    answer = client.get("/readyz?all")
    assert (answer.status_code, answer.json()["new_rules_wait"]) == (503, ["csa"])
    assert client.get("/readyz").json()["working"] is False
    assert 'office_new_rules_wait{office="csa"} 1.0' in render_metrics().decode()
    apply(office)
    assert client.get("/readyz").json()["new_rules_wait"] == []


def test_what_readers_see_stays_while_the_rules_wait(
    office: Federation, new_rules: NewRules, client: Client, late: Section
) -> None:
    player = Player.objects.filter(federation=office).order_by("number")[0]
    addresses = [player.get_absolute_url(), RatingList.objects.all()[0].get_absolute_url()]
    before = [figures(client.get(each)) for each in addresses]
    new_rules(Decimal(48))
    tasks.sweep()
    approve_only(late)
    tasks.sweep()
    cache.clear()
    assert all(before)
    assert [figures(client.get(each)) for each in addresses] == before


def figures(answer: Any) -> list[str]:
    """The ratings on a page."""
    assert answer.status_code == 200
    return re.findall(r"\b1\d{3}\b", answer.content.decode())


# ---------------------------------------------------------------- the hash


def test_comments_docstrings_and_layout_are_no_other_rules_and_a_number_is() -> None:
    plain = b"K = 24\n\ndef k():\n    return K\n"
    told = b'"""The law."""\n\nK = 24  # \xc2\xa730\n"""K."""\n\n\ndef k():\n    """K."""\n    return (K)\n'
    assert normal_form(plain) == normal_form(told)
    for other in (b"K = 25\n\ndef k():\n    return K\n", b"K = 24\n\ndef k():\n    return -K\n"):
        assert normal_form(other) != normal_form(plain)


@pytest.mark.parametrize("slug", sorted(rulesets()))
def test_the_hash_covers_a_law_and_the_reading_of_the_journal_and_no_other_law_and_no_equipment(
    slug: str,
) -> None:
    found = get_law_sources(f"ratings.rulesets.{slug}")
    loaded = {
        name
        for name in sys.modules
        if name.startswith(f"ratings.rulesets.{slug}.")
        and name.split(".")[3].startswith(("clauses", "edition", "messages", "standing"))
    }
    assert loaded <= found.keys()
    assert {
        "ratings.rulesets.journal_lines",
        "ratings.rulesets.ruleset",
        "ratings.rulesets.facts",
    } <= found.keys()
    assert {name.split(".")[2] for name in found if name.count(".") > 1} & rulesets().keys() == {slug}
    equipment = {"profile", "demo", "downloads", "pages", "forms"}
    assert not [name for name in found if name.rpartition(".")[2] in equipment]


def test_every_law_has_a_hash_of_its_own_and_it_is_worked_out_once_in_a_process() -> None:
    hashes = {slug: rules_hash(slug) for slug in rulesets()}
    assert len(set(hashes.values())) == len(hashes)
    assert all(rules_hash(slug) is each for slug, each in hashes.items())
