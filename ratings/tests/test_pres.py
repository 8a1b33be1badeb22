"""§58: approval states the pre-ratings that the rules want, of the register's births, and of nobody else."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import transaction
from django.test import Client

from players.models import Decision, Federation, Player, User
from players.record import Refused, lock_ledger
from players.register import player_fact
from ratings import approval
from ratings.as_if import (
    compute_effects,
    plan_rating,
    preview_merge,
    preview_parting,
    preview_rating,
)
from ratings.intake import import_journal
from ratings.journal import JournalWriter, build_foldable_fact, journal_lines
from ratings.merging import merge_players, part_players
from ratings.models import Fact, Standing, StatedPre
from ratings.pre_ratings import BirthAnswer, get_filed_births
from ratings.replay import replay
from ratings.rulesets import facts, journal, journal_lines as journal_form
from ratings.statement import read_section
from ratings.tests.office import FIRST, approved, recompute_all, register, submitted
from ratings.tests.test_closings import fingerprints_of_a_replay
from ratings.tests.test_every_office import exported, stands_as_replayed
from tests.built_once import built_once
from tournaments.models import Section, Stage

pytestmark = pytest.mark.django_db
TODAY = date(2030, 1, 1)


def pres_in(fact: Fact) -> dict[str, int]:
    """What the section of a rated line states."""
    assert fact.takes is not None
    section = journal_form.parse_line(fact.takes.line, fact.federation.ruleset)
    assert isinstance(section, facts.Section)
    return {entry.player: entry.pre for entry in section.entries if entry.pre is not None}


def taken_over(player: Player, games: int, *, tracks: tuple[str, ...], rating: str = "1500") -> None:
    with transaction.atomic():
        writer = JournalWriter(player.federation, lock_ledger(player.federation))
        writer.write_players([player_fact(player)])
        for track in tracks:
            day = date(2019, 12, 31)
            writer.write(facts.Opening(player.number, track, Decimal(rating), games, day, "the old list"))
        writer.ask_for_recompute()


def same_as_a_replay(office: Federation) -> None:
    stands_as_replayed(office)
    in_force = Fact.objects.filter(federation=office).in_force()
    assert fingerprints_of_a_replay(office) == dict(in_force.values_list("number", "fingerprint"))


def unrate(section: Section, on: date = TODAY) -> None:
    section.refresh_from_db()
    approval.unrate(
        section=section,
        by=None,
        on=on,
        version=section.version,
        reason="result",
        words="slip",
        after_list=True,
    )
    recompute_all(section.event.federation)


# ---------------------------------------------------------------- whose it states


def test_58_a_first_section_states_everybodys_by_age_in_that_year_and_sex(csa: Federation) -> None:
    players = register(csa, 8)
    for player, (sex, born) in zip(
        players, (("m", 2016), ("f", 2016), ("m", 2004), ("f", 2003)), strict=False
    ):
        player.sex, player.born = sex, born
        player.save()
    fact = approved(submitted(csa, players))
    pres = pres_in(fact)
    assert [pres[player.number] for player in players[:4]] == [500, 300, 1100, 1000]
    assert pres.keys() == {player.number for player in players}
    assert "born" not in "".join(journal_lines(csa))
    same_as_a_replay(csa)


@pytest.mark.parametrize(("games", "stated"), [(19, True), (20, False)])
def test_58_it_is_stated_below_20_counted_games_an_openings_too(
    csa: Federation, games: int, stated: bool
) -> None:
    players = register(csa, 8)
    taken_over(players[0], games, tracks=("otb-main", "otb-standard", "hyb-main", "hyb-standard"))
    recompute_all(csa)
    assert (players[0].number in pres_in(approved(submitted(csa, players)))) is stated


def test_58_one_track_that_the_section_updates_with_too_few_games_is_enough(csa: Federation) -> None:
    players = register(csa, 8)
    taken_over(players[0], 99, tracks=("otb-main", "otb-standard", "hyb-main"))
    taken_over(players[1], 99, tracks=("otb-main", "otb-standard", "hyb-main", "hyb-standard", "otb-blitz"))
    recompute_all(csa)
    pres = pres_in(approved(submitted(csa, players)))
    assert players[0].number in pres
    assert players[1].number not in pres


def test_it_goes_by_the_standings_last_computed(csa: Federation) -> None:
    players = register(csa, 8)
    sections = [
        submitted(csa, players, number=f"2024-00{n}", ends=FIRST + timedelta(n), rounds=6) for n in range(5)
    ]
    for section in sections[:4]:
        approval.approve(section=section, by=None, on=section.ends, version=section.version)
    assert not Standing.objects.exists()
    assert len(pres_in(Fact.objects.filter(kind="rated").latest("number"))) == 8, "nothing is computed yet"
    recompute_all(csa)
    assert pres_in(approved(sections[4])) == {}, "24 games are"
    same_as_a_replay(csa)


def test_the_preview_reckons_with_what_approval_will_state(csa: Federation) -> None:
    players = register(csa, 8)
    section = submitted(csa, players)
    plan = plan_rating(section, FIRST + timedelta(2))
    stated = {entry.player: entry.pre for entry in plan.section.section.entries}
    fact = approved(section, FIRST + timedelta(2))
    assert stated == pres_in(fact)
    assert journal.fingerprint(plan.section, csa.ruleset) == fact.fingerprint


# ---------------------------------------------------------------- whose birth nobody knows


@pytest.fixture
@built_once
def unborn(csa: Federation) -> tuple[list[Player], Section]:
    """A section with two players whose birth the register does not know."""
    players = register(csa, 8)
    for player in players[:2]:
        player.born, player.sex = None, ""
        player.save()
    return players, submitted(csa, players)


def test_approval_asks_for_the_births_that_the_register_does_not_know_and_writes_nothing_without(
    csa: Federation, unborn: tuple[list[Player], Section]
) -> None:
    players, section = unborn
    one, other = players[:2]
    with pytest.raises(Refused) as why:
        approval.approve(
            section=section,
            by=None,
            on=TODAY,
            version=section.version,
            births={one.number: BirthAnswer(2015, "f")},
        )
    assert f"{other.name} ({other.number})" in str(why.value)
    assert one.number not in str(why.value)
    one.refresh_from_db()
    assert (one.born, one.sex) == (None, "")
    assert not Fact.objects.exists()
    assert Section.objects.get(pk=section.pk).stage == Stage.SUBMITTED


def test_what_is_said_enters_the_register_and_not_known_is_an_adult(
    csa: Federation, unborn: tuple[list[Player], Section]
) -> None:
    """D-CSA-5."""
    players, section = unborn
    one, other = players[:2]
    births = {one.number: BirthAnswer(2015, "f"), other.number: BirthAnswer(None)}
    fact = approval.approve(section=section, by=None, on=TODAY, version=section.version, births=births)
    pres = pres_in(fact)
    assert (pres[one.number], pres[other.number]) == (400, 1200)
    one.refresh_from_db()
    other.refresh_from_db()
    assert (one.born, one.sex, other.born) == (2015, "f", None)
    told = Decision.objects.get(kind="approve").details
    assert (told["births"], told["births_not_known"]) == ([one.number], [other.number])
    assert "2015" not in str(told)


@pytest.mark.parametrize("year", [1849, 2025])
def test_nobody_is_born_after_the_section_or_in_another_century(
    csa: Federation, unborn: tuple[list[Player], Section], year: int
) -> None:
    players, section = unborn
    births = {player.number: BirthAnswer(year) for player in players[:2]}
    with pytest.raises(Refused, match=f"nobody of this section was born in {year}"):
        approval.approve(section=section, by=None, on=TODAY, version=section.version, births=births)
    assert not Fact.objects.exists()


def test_the_review_asks_and_takes_the_answers(
    client_of: Callable[[User], Client], nomsa: User, unborn: tuple[list[Player], Section]
) -> None:
    players, section = unborn
    one, other = (player.number for player in players[:2])
    official, place = client_of(nomsa), f"/csa/events/{section.key}/"
    page = official.get(f"{place}review/").content.decode()
    assert f"Year of birth of {players[0].name} ({one})" in page
    assert f'name="unknown-{other}"' in page
    assert players[2].number not in page.partition("Years of birth that")[2].partition("</section>")[0]
    form: dict[str, Any] = {"version": section.version}
    nothing = official.post(f"{place}approve/", form)
    assert nothing.status_code == 400
    assert "Give the year, or say that it is not known" in nothing.content.decode()
    odd = official.post(f"{place}approve/", form | {f"born-{one}": "98", f"unknown-{other}": "on"})
    assert odd.status_code == 400
    assert "“98” is not a year of birth" in odd.content.decode()
    assert 'value="98"' in odd.content.decode()
    assert f'name="unknown-{other}" checked' in " ".join(odd.content.decode().split())
    assert not Fact.objects.exists()
    good = {f"born-{one}": "1998", f"sex-{one}": "f", f"unknown-{other}": "on"}
    assert official.post(f"{place}approve/", form | good).status_code == 302
    players[0].refresh_from_db()
    assert (players[0].born, players[0].sex) == (1998, "f")


@pytest.fixture
@built_once
def filed(unborn: tuple[list[Player], Section]) -> tuple[list[Player], Section]:
    """The same among rated players, the file saying how old one of the two is, and nothing of the other."""
    players, section = unborn
    for player in players[2:]:
        taken_over(player, 99, tracks=("otb-main", "otb-standard"))
    recompute_all(section.event.federation)
    section.entries.filter(player=players[0]).update(birth="2015-03-02", sex="f")
    return players, section


def test_the_review_reckons_with_the_births_with_which_its_form_begins(
    client_of: Callable[[User], Client], nomsa: User, filed: tuple[list[Player], Section]
) -> None:
    players, section = filed
    official, place = client_of(nomsa), f"/csa/events/{section.key}/"
    known = get_filed_births(section)
    ahead = preview_rating(section, TODAY, known)
    promised = {(row.player, row.track): row.movement for row in ahead.own}
    without = {(row.player, row.track): row.movement for row in preview_rating(section, TODAY).own}
    page = official.get(f"{place}review/")
    assert known == {players[0].number: BirthAnswer(2015, "f")}
    assert "for 2 players. These numbers use the births in the filed file" in page.content.decode()
    page_of_all = official.get(f"{place}review/outlook/")
    shown = [move for track in page_of_all.context["tracks"] for move in track["table"].data.data]
    assert {(move.player, move.track): move.movement for move in shown} == promised
    asked = {one.player: one for one in page.context["births"]}
    assert (asked[players[0]].year, asked[players[0]].sex, asked[players[1]].year) == ("2015", "f", "")
    births = {players[0].number: BirthAnswer(2015, "f"), players[1].number: BirthAnswer(None)}
    fact = approval.approve(section=section, by=None, on=TODAY, version=section.version, births=births)
    recompute_all(section.event.federation)
    brought = {(each.player, each.track): each.movement for each in read_section(fact)}
    assert promised == brought
    assert without != {key: each for key, each in brought.items() if key in without}


def test_a_year_and_not_known_together_are_refused_at_the_field_and_nothing_is_written(
    client_of: Callable[[User], Client], nomsa: User, filed: tuple[list[Player], Section]
) -> None:
    players, section = filed
    one, other = (player.number for player in players[:2])
    form = {
        "version": section.version,
        f"born-{one}": "2015",
        f"unknown-{one}": "on",
        f"unknown-{other}": "on",
    }
    refused = client_of(nomsa).post(f"/csa/events/{section.key}/approve/", form)
    page = " ".join(refused.content.decode().split())
    assert refused.status_code == 400
    assert f'href="#born-{one}"' in page.partition('role="alert"')[2].partition("</div>")[0]
    assert f'value="2015" aria-invalid="true" aria-describedby="born-{one}-wrong"' in page
    beside = page.partition(f'id="born-{one}-wrong"')[2].partition("</ul>")[0]
    assert "You gave both a year and “not known”" in beside
    assert f'id="born-{other}-wrong"' not in page
    assert not Fact.objects.filter(kind="rated").exists()


def test_what_the_file_says_is_no_answer_until_it_is_sent(
    client_of: Callable[[User], Client], nomsa: User, filed: tuple[list[Player], Section]
) -> None:
    players, section = filed
    form = {"version": section.version, f"unknown-{players[1].number}": "on"}
    assert client_of(nomsa).post(f"/csa/events/{section.key}/approve/", form).status_code == 400
    assert not Fact.objects.filter(kind="rated").exists()


# ---------------------------------------------------------------- a new version of a section


def rated_anew(section: Section, **births: BirthAnswer) -> dict[str, int]:
    """Un-rate a section, file it again and rate it; what its new version states."""
    unrate(section)
    Section.objects.filter(pk=section.pk).update(stage=Stage.SUBMITTED)
    section.refresh_from_db()
    fact = approval.approve(section=section, by=None, on=TODAY, version=section.version, births=births)
    recompute_all(section.event.federation)
    return pres_in(fact)


@pytest.fixture
def experienced(csa: Federation) -> tuple[list[Player], Section]:
    """People with more than 20 games by now, and their first section, which stated everybody's."""
    players = register(csa, 8)
    return players, sections_of(csa, players, 5)[0]


def test_58_a_new_version_keeps_what_the_one_before_stated_however_many_games_there_are(
    csa: Federation, experienced: tuple[list[Player], Section]
) -> None:
    players, section = experienced
    stated = {player.number: 1200 if player.sex == "m" else 1000 for player in players}
    assert pres_in(Fact.objects.filter(kind="rated").latest("number")) == {}
    assert rated_anew(section) == stated
    plan = plan_rating(submitted(csa, players, number="2024-009"), TODAY)
    assert all(entry.pre is None for entry in plan.section.section.entries), "of a new section nobody's"
    same_as_a_replay(csa)


def test_58_it_changes_with_a_corrected_birth_and_with_a_corrected_year_of_the_section(
    experienced: tuple[list[Player], Section],
) -> None:
    players, section = experienced
    Player.objects.filter(pk=players[1].pk).update(born=2007, sex="m")
    assert rated_anew(section)[players[1].number] == 1000, "17 in 2024: U18"
    Section.objects.filter(pk=section.pk).update(starts=date(2023, 12, 31))
    section.refresh_from_db()
    assert rated_anew(section)[players[1].number] == 900, "16 in 2023: U16"


def test_58_a_birth_that_the_register_knows_no_more_is_asked_for_only_where_the_year_is_another(
    experienced: tuple[list[Player], Section],
) -> None:
    """As after an import of the journal."""
    players, section = experienced
    Player.objects.update(born=None, sex="")
    assert rated_anew(section) == {p.number: 1200 if p.sex == "m" else 1000 for p in players}
    Section.objects.filter(pk=section.pk).update(starts=date(2023, 12, 31))
    section.refresh_from_db()
    with pytest.raises(Refused, match="does not know when these players were born"):
        rated_anew(section)


def test_58_what_was_stated_of_a_merged_entry_is_kept_for_the_one_that_stays(csa: Federation) -> None:
    players = register(csa, 9)
    section = sections_of(csa, players[:8], 5)[0]
    Player.objects.filter(pk=players[8].pk).update(born=None)
    merge_players(player=players[0], into=players[8], by=None, on=TODAY, reason="the same passport")
    recompute_all(csa)
    assert rated_anew(section)[players[8].number] == 1000
    same_as_a_replay(csa)


# ---------------------------------------------------------------- what holds where none is stated


def sections_of(office: Federation, players: list[Player], count: int) -> list[Section]:
    found = [
        submitted(office, players, number=f"2024-00{n}", ends=FIRST + timedelta(7 * n), seed=n)
        for n in range(1, count + 1)
    ]
    for section in found:
        approved(section)
    return found


def test_the_last_one_stated_holds_where_a_section_states_none(csa: Federation) -> None:
    players = register(csa, 8)
    sections = sections_of(csa, players, 5)
    last = Fact.objects.filter(kind="rated").select_related("takes").latest("number")
    assert pres_in(last) == {}
    folded = build_foldable_fact(last)
    assert isinstance(folded, facts.RatedSection)
    assert folded.pres == {player.number: 1200 if player.sex == "m" else 1000 for player in players}
    for section in sections[:4]:  # nobody has a rating before the fifth any more
        unrate(section)
        same_as_a_replay(csa)


def test_an_office_made_from_the_journal_reads_the_same(csa: Federation) -> None:
    players = register(csa, 9)
    sections = sections_of(csa, players[:8], 5)
    merge_players(player=players[8], into=players[0], by=None, on=TODAY, reason="the same passport")
    for section in sections[:2]:
        unrate(section)
    lines = [line.replace('"code":"csa"', '"code":"twin"') for line in journal_lines(csa)]
    twin = import_journal(journal.read_journal(lines), on=TODAY)
    recompute_all(twin)
    same_as_a_replay(twin)
    stored = ("player", "line", "pre")
    assert list(StatedPre.objects.filter(federation=twin).order_by(*stored).values_list(*stored)) == list(
        StatedPre.objects.filter(federation=csa).order_by(*stored).values_list(*stored)
    )
    assert list(Fact.objects.filter(federation=twin).values_list("number", "pres", "fingerprint")) == list(
        Fact.objects.filter(federation=csa).values_list("number", "pres", "fingerprint")
    )


def test_what_was_stated_of_a_merged_entry_holds_too_and_no_more_once_they_are_parted(
    csa: Federation,
) -> None:
    players = register(csa, 10)
    taken_over(players[0], 99, tracks=("otb-main", "otb-standard", "hyb-main", "hyb-standard"))
    recompute_all(csa)
    approved(submitted(csa, [players[9], *players[1:8]], number="2024-001"))
    later = approved(submitted(csa, players[:8], number="2024-002", ends=FIRST + timedelta(7), seed=2))
    own, double = players[0], players[9]

    def pre() -> int | None:
        folded = build_foldable_fact(Fact.objects.select_related("takes", "federation").get(pk=later.pk))
        assert isinstance(folded, facts.RatedSection)
        return folded.pres.get(own.number)

    assert pre() is None
    merge_players(player=double, into=own, by=None, on=TODAY, reason="the same passport")
    recompute_all(csa)
    assert pre() == 1200
    same_as_a_replay(csa)
    double.refresh_from_db()
    part_players(player=double, by=None, on=TODAY, reason="two passports after all")
    recompute_all(csa)
    assert pre() is None
    same_as_a_replay(csa)


# ---------------------------------------------------------------- 1200 for want of any


def test_a_decision_names_who_would_be_taken_at_1200_for_want_of_any(csa: Federation) -> None:
    """The rating of the one who stays came from an opening of the entry that is parted from it."""
    players = register(csa, 9)
    taken_over(players[8], 99, tracks=("otb-main", "otb-standard", "hyb-main", "hyb-standard"))
    recompute_all(csa)
    merge_players(player=players[8], into=players[0], by=None, on=date(2020, 7, 1), reason="one passport")
    recompute_all(csa)
    fact = approved(submitted(csa, players[:8]))
    assert players[0].number not in pres_in(fact)
    players[8].refresh_from_db()
    found = preview_parting(players[8], TODAY)
    assert found.unstated == {players[0].number}
    part_players(player=players[8], by=None, on=TODAY, reason="two passports")
    recompute_all(csa)
    same_as_a_replay(csa)
    assert (
        compute_effects(plan_rating(submitted(csa, players[:8], number="2024-007"), TODAY)).unstated == set()
    )
    assert preview_merge(players[8], players[0], TODAY).unstated == set()
    assert replay(exported(csa))["ratings"]
