"""What a person said beside a file stays with the next file, where it is said of the very same."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from django.test import Client

from players.evidence import EVIDENCE_LABELS
from players.models import Federation, Player, User
from tests.pages import unbroken
from tournaments.details import list_early_leavers
from tournaments.filing import EarlierFile
from tournaments.formats import trf_writer
from tournaments.formats.sheet import Sheet, SheetBye
from tournaments.models import Entry, Event, Section
from tournaments.submission import describe_adjustments
from tournaments.tests.conftest import Send, address, enter, fresh
from tournaments.tests.event_files import open_file, open_sheet, with_points
from tournaments.tests.trf_files import TRF26

ClientOf = Callable[[User], Client]


@pytest.fixture
def amahles(amahle: User, client_of: ClientOf) -> Client:
    return client_of(amahle)


def forfeited(name: str = "Soweto Open A", **changes: object) -> Sheet:
    """Number 5 does not turn up against number 2 in the first round."""
    sheet = open_sheet(name=name)
    games = tuple(
        replace(game, result="+:-") if (game.first, game.second) == (2, 5) else game for game in sheet.games
    )
    return with_points(replace(sheet, games=games, **changes))  # type: ignore[arg-type]


def written(sheet: Sheet) -> bytes:
    return trf_writer.write(sheet, "Swiss-Manager")


def upside_down(sheet: Sheet) -> Sheet:
    """The same section with the starting numbers the other way round."""
    new = {row.start_number: 7 - row.start_number for row in sheet.rows}
    rows = sorted(
        (replace(r, start_number=new[r.start_number]) for r in sheet.rows), key=lambda r: r.start_number
    )
    games = (replace(game, first=new[game.first], second=new[game.second]) for game in sheet.games)
    return replace(sheet, rows=tuple(rows), games=tuple(games))


def with_departure(sheet: Sheet) -> Sheet:
    """Number 6 is not there from the second round on, and its opponents have no game."""
    games = tuple(game for game in sheet.games if game.round == 1 or 6 not in (game.first, game.second))
    byes = tuple(SheetBye(round_, 6, "zero") for round_ in range(2, 6))
    return with_points(replace(sheet, games=games, byes=byes))


def absences_asked(section: Section) -> bool:
    return section.findings.filter(source="file", key="absences").exists()


def test_decisions_about_players_stay_though_the_numbers_changed(
    csa: Federation, amahles: Client, section: Section, upload: Send, send: Send
) -> None:
    thabo = enter(csa, "Dlamini", "Thabo", 1992, "m", number="101000234")
    upload(amahles, section, open_file())
    choice = {"version": fresh(section).version, "player-1": str(thabo.pk), "player-2": "new"}
    send(amahles, address(section, "players/decide"), choice)
    upload(amahles, section, written(upside_down(open_sheet(name="Corrected"))))
    six, five, four = (section.entries.get(number=number) for number in (6, 5, 4))
    assert (six.name, six.match, six.player) == ("Dlamini, Thabo", "decided", thabo)
    assert "born-differs" in six.candidates[0]["evidence"]
    assert (five.match, four.match) == ("new", "none")


def test_beside_a_settled_player_stands_the_evidence_for_that_player_and_no_other_s(
    csa: Federation, amahles: Client, section: Section, upload: Send, send: Send
) -> None:
    thabo = enter(csa, "Dlamini", "Thabo", 1992, "m", number="101000234")
    upload(amahles, section, open_file())
    choice = {"version": fresh(section).version, "player-1": str(thabo.pk)}
    send(amahles, address(section, "players/decide"), choice)
    entry = section.entries.get(number=1)
    entry.candidates.append({"player": thabo.pk + 1, "score": 1, "evidence": ["number"]})
    entry.save()
    page = amahles.get(address(section, "players"))
    (settled,) = (row for row in page.context["settled"] if row["entry"] == entry)
    told = [words for words, _against in settled["evidence"]]
    assert told == [str(EVIDENCE_LABELS[name]) for name in ("surname", "first-name", "born-differs")]


def test_of_two_namesakes_the_number_tells_whose_decision_it_was(
    csa: Federation, amahles: Client, section: Section, upload: Send, send: Send
) -> None:
    sheet = open_sheet()
    rows = [replace(r, name="Nkosi, Anna", surname="Nkosi", first_name="Anna") for r in sheet.rows[:2]]
    twins = replace(sheet, rows=(*rows, *sheet.rows[2:]))
    upload(amahles, section, written(twins))
    send(amahles, address(section, "players/decide"), {"version": fresh(section).version, "entry": [1]})
    upload(amahles, section, written(replace(twins, name="Corrected")))
    assert [entry.match for entry in section.entries.order_by("number")[:2]] == ["new", "none"]


def named(sheet: Sheet, *rows: tuple[str, int | None]) -> Sheet:
    """The first rows are all of one surname, with these first names and years."""
    known = [
        replace(r, name=f"Nkosi, {first}", surname="Nkosi", first_name=first, sex="m", born=born)
        for r, (first, born) in zip(sheet.rows, rows, strict=False)
    ]
    return replace(sheet, rows=(*known, *sheet.rows[len(known) :]))


@pytest.mark.parametrize(
    ("after", "matches"),
    [
        ([("Anna", 2010), ("Bheki", 2011)], ["new", "none"]),
        ([("Anna", None), ("Bheki", 2011)], ["new", "none"]),
        ([("Anna", 2009), ("Bheki", 2011)], ["none", "none"]),  # another birth: somebody else, maybe
        ([("", 2010), ("Anna", 2010)], ["none", "none"]),  # both may be she
        ([("", 2010), ("Bheki", 2011)], ["new", "none"]),
    ],
)
def test_a_decision_stays_with_the_very_same_player_only(
    amahles: Client,
    section: Section,
    upload: Send,
    send: Send,
    after: list[tuple[str, int | None]],
    matches: list[str],
) -> None:
    upload(amahles, section, written(named(open_sheet(), ("Anna", 2010), ("Bheki", 2011))))
    send(amahles, address(section, "players/decide"), {"version": fresh(section).version, "entry": [1]})
    upload(amahles, section, written(named(open_sheet(name="Corrected"), *after)))
    assert [entry.match for entry in section.entries.order_by("number")[:2]] == matches


def test_of_two_who_could_be_meant_before_neither_is_taken(
    amahles: Client, section: Section, upload: Send, send: Send
) -> None:
    two = named(open_sheet(), ("Anna", 2010), ("Bheki", 2010))
    upload(amahles, section, written(two))
    send(amahles, address(section, "players/decide"), {"version": fresh(section).version, "entry": [1, 2]})
    upload(amahles, section, written(upside_down(named(open_sheet(name="Corrected"), ("", 2010)))))
    assert section.entries.get(number=6).match == "none"


def test_a_place_stays_where_a_person_said_it_and_no_earlier_file(section: Section) -> None:
    for number, said in ((1, True), (2, False)):
        Entry.objects.create(section=section, number=number, surname=f"N{number}", place=4, place_said=said)
    after = [Entry(section=section, number=number, surname=f"N{number}") for number in (1, 2)]
    EarlierFile(section).carry_over(after)
    assert [(entry.place, entry.place_said) for entry in after] == [(4, True), (None, False)]


def test_a_departure_that_was_not_there_before_is_asked_about(
    amahles: Client, section: Section, upload: Send
) -> None:
    upload(amahles, section, open_file())
    assert not absences_asked(section)
    upload(amahles, section, written(with_departure(open_sheet(name="Corrected"))))
    assert absences_asked(section)
    section.entries.filter(number=1).update(left_round=2, left_notified=True)
    assert list_early_leavers(section) == [(1, 2, True), (6, 2, None)]
    section.findings.filter(key="absences").delete()  # as the details form does
    upload(amahles, section, written(with_departure(open_sheet(name="Corrected again"))))
    assert not absences_asked(section)


def test_notice_of_a_forfeit_is_asked_once(amahles: Client, section: Section, upload: Send) -> None:
    upload(amahles, section, written(forfeited()))
    assert absences_asked(section)
    section.findings.filter(key="absences").delete()  # as the details form does
    section.games.filter(result="+:-").update(excused="second")
    upload(amahles, section, written(upside_down(forfeited(name="Corrected"))))
    assert not absences_asked(section)
    assert section.games.get(result="+:-").excused == "second"


def test_a_forfeit_that_was_not_there_before_is_asked_about(
    amahles: Client, section: Section, upload: Send
) -> None:
    upload(amahles, section, open_file())
    upload(amahles, section, written(forfeited()))
    assert absences_asked(section)


def test_an_unanswered_question_about_notice_stays_open(
    amahles: Client, section: Section, upload: Send
) -> None:
    upload(amahles, section, written(forfeited()))
    upload(amahles, section, written(forfeited(name="Corrected")))
    assert absences_asked(section)


def test_who_left_stays_with_the_player(amahles: Client, section: Section, upload: Send) -> None:
    upload(amahles, section, open_file())
    section.entries.filter(number=4).update(left_round=3, left_notified=False)
    upload(amahles, section, written(upside_down(open_sheet(name="Corrected"))))
    lerato = section.entries.get(surname="Mokoena")
    assert (lerato.number, lerato.left_round, lerato.left_notified) == (3, 3, False)


# ---------------------------------------------------------------- many at once, and what was adjusted


def test_many_players_are_decided_on_one_page_or_none_of_them(
    csa: Federation, amahles: Client, section: Section, upload: Send, send: Send
) -> None:
    thabo = enter(csa, "Dlamini", "Thabo", 1992, "m", number="101000234")
    priya = enter(csa, "Naidoo", "Priya", 2009, "f", number="101000235")
    upload(amahles, section, open_file())
    both = {"version": fresh(section).version, "player-1": str(thabo.pk), "player-2": str(thabo.pk)}
    refused = send(amahles, address(section, "players/decide"), both)
    assert refused.status_code == 409
    page = unbroken(refused.content.decode())
    assert "cannot be both starting number 1 and 2" in page
    assert f'name="player-1" value="{thabo.pk}" checked' in page  # what was chosen is not lost
    assert not section.entries.filter(match=Entry.Match.DECIDED).exists()
    good = both | {"player-2": str(priya.pk), "player-3": "", "player-4": "new"}
    send(amahles, address(section, "players/decide"), good)
    said = list(section.entries.order_by("number").values_list("match", "player__number"))
    assert said[:4] == [("decided", "101000234"), ("decided", "101000235"), ("none", None), ("new", None)]


def test_a_form_of_new_players_that_cannot_be_kept_comes_back_as_it_was(
    amahles: Client, section: Section, upload: Send, send: Send
) -> None:
    rows = tuple(replace(row, sex=None, born=None) for row in open_sheet().rows)
    upload(amahles, section, written(open_sheet(rows=rows)))
    typed = {"new-1-sex": "f", "new-1-birth": "2010-05-03", "new-2-sex": "m", "new-2-birth": "tomorrow"}
    data = {"version": fresh(section).version, "entry": [1, 2], **typed}
    answer = send(amahles, address(section, "players/decide"), data)
    page = unbroken(answer.content.decode())
    assert answer.status_code == 400
    assert 'value="2010-05-03"' in page
    assert 'value="tomorrow"' in page
    assert 'name="entry" value="1" checked' in page
    assert 'name="entry" value="3">' in page  # was not ticked
    assert f'href="{address(section, "players")}?entry=1' in page  # the search is the page's own
    assert not section.entries.filter(match=Entry.Match.NEW).exists()


def test_the_queries_of_the_players_page_do_not_grow_with_the_section(
    csa: Federation,
    amahles: Client,
    section: Section,
    upload: Send,
    register_of_six: list[Player],
    django_assert_num_queries: Any,
    django_assert_max_num_queries: Any,
) -> None:
    upload(amahles, section, open_file())
    assert section.entries.filter(match="certain").count() == 6
    with django_assert_max_num_queries(100) as all_six:
        amahles.get(address(section, "players"))
    section.entries.filter(number__gt=1).delete()
    with django_assert_num_queries(len(all_six)):
        amahles.get(address(section, "players"))


def test_a_candidate_who_was_merged_meanwhile_is_offered_as_the_one_who_stays(
    csa: Federation, amahles: Client, section: Section, upload: Send, send: Send
) -> None:
    thabo = enter(csa, "Dlamini", "Thabo", 1992, "m", number="101000234")
    other = enter(csa, "Dlamini", "Thabo", 1990, "m", number="101000235")
    upload(amahles, section, open_file())
    Player.objects.filter(pk=thabo.pk).update(merged_into=other)
    page = unbroken(amahles.get(address(section, "players")).content.decode())
    assert page.count(f'name="player-1" value="{other.pk}"') == 1
    assert f'name="player-1" value="{thabo.pk}"' not in page
    old_page = {"version": fresh(section).version, "player-1": str(thabo.pk)}
    answer = send(amahles, address(section, "players/decide"), old_page)
    assert answer.status_code == 409
    assert "not in the register any more" in answer.content.decode()


def test_who_came_into_the_register_since_is_not_entered_twice(
    csa: Federation, amahles: Client, section: Section, upload: Send, send: Send
) -> None:
    """Two sections of one event bring the same new player; the other was submitted first."""
    upload(amahles, section, open_file())
    data = {"version": fresh(section).version, "entry": [1, 2, 3, 4, 5, 6]}
    send(amahles, address(section, "players/decide"), data)
    born = section.entries.get(number=1).birth[:4]
    thabo = enter(csa, "Dlamini", "Thabo", int(born), "m", number="101000234")
    enter(csa, "Naidoo", "Priya", 1950, "f", number="101000235")  # of another year: another person
    answer = send(amahles, address(section, "submit"), {"version": fresh(section).version})
    assert answer.status_code == 409
    assert "new players: Dlamini, Thabo (101000234). On" in answer.content.decode()
    assert csa.players.count() == 2
    send(amahles, address(section, "players/1/reopen"), {"version": fresh(section).version})
    page = unbroken(amahles.get(address(section, "players")).content.decode())
    assert f'name="player-1" value="{thabo.pk}"' in page
    really_new = {"version": fresh(section).version, "player-1": "new"}
    send(amahles, address(section, "players/decide"), really_new)
    send(amahles, address(section, "submit"), {"version": fresh(section).version})
    assert fresh(section).stage == "submitted"
    assert csa.players.count() == 8


def test_nothing_chosen_is_told(amahles: Client, section: Section, upload: Send, send: Send) -> None:
    upload(amahles, section, open_file())
    answer = send(amahles, address(section, "players/decide"), {"version": fresh(section).version})
    assert answer.status_code == 400


def test_an_entry_that_nobody_knows_yet_keeps_no_other_finding_back(
    amahles: Client, section: Section, upload: Send
) -> None:
    """Everybody is unresolved, and the rules have looked at the rest of the file all the same."""
    section.starts = section.ends = date(2026, 3, 6)
    section.rounds = 2
    section.save()
    upload(amahles, section, written(replace(open_sheet(), rounds=None)))
    keys = set(section.findings.values_list("source", "key"))
    assert ("players", "players-unknown") in keys
    assert any(source == "rules" for source, _key in keys)


def test_what_was_adjusted_is_confirmed_before_submitting(
    amahles: Client, section: Section, upload: Send, send: Send, register_of_six: list[Player]
) -> None:
    data = open_file().replace(b"001    1", b"777 a line of the program's own\r\n001    1", 1)
    upload(amahles, section, data)
    one = section.adjustments.get(key="line-not-used")
    assert (one.before, one.after) == ("777 a line of the program's own", "")
    page = amahles.get(address(section, "submit")).content.decode()
    assert "777 a line of the program" in page
    answer = send(amahles, address(section, "submit"), {"version": fresh(section).version})
    assert (answer.status_code, fresh(section).stage) == (400, "filed")
    assert "tick that they are right" in answer.content.decode()


def test_the_lines_of_a_federation_leave_nobody_without_a_number(
    csa: Federation, amahles: Client, section: Section, upload: Send
) -> None:
    lerato = enter(csa, "Mokoena", "Lerato", 2012, "f", number="170001004")
    upload(amahles, section, TRF26.encode())
    found = section.entries.get(player=lerato)
    assert "number" in found.candidates[0]["evidence"]


def test_points_that_the_results_overrule_are_among_what_was_adjusted(
    amahles: Client, section: Section, upload: Send, send: Send, register_of_six: list[Player]
) -> None:
    lines = open_file().decode().splitlines(keepends=True)
    at = next(at for at, line in enumerate(lines) if line.startswith("001    1"))
    counted = lines[at][80:84]
    lines[at] = f"{lines[at][:80]} 9.5{lines[at][84:]}"
    upload(amahles, section, "".join(lines).encode())
    [one] = [each for each in describe_adjustments(section) if each["key"] == "points-overruled"]
    assert one["words"].startswith("The results count, not the points in the file: 1 ")
    assert (one["line"], one["before"], one["after"]) == (at + 1, "9.5", counted.strip())
    answer = send(amahles, address(section, "submit"), {"version": fresh(section).version})
    assert "tick that they are right" in answer.content.decode()


def test_a_file_that_was_only_unpacked_needs_no_tick(
    amahles: Client, section: Section, upload: Send, send: Send, register_of_six: list[Player]
) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("a.txt", open_file())
    upload(amahles, section, packed.getvalue())
    assert [each["key"] for each in describe_adjustments(section)] == ["unpacked"]
    page = amahles.get(address(section, "submit")).content.decode()
    assert 'name="adjusted"' not in page
    assert "unpacked from an archive" in page
    answer = send(amahles, address(section, "submit"), {"version": fresh(section).version})
    assert "tick that they are right" not in answer.content.decode()


@pytest.mark.parametrize(("last", "asked"), [(6, False), (7, True)])
def test_the_rounds_of_one_day_need_no_dates(
    amahles: Client, section: Section, upload: Send, register_of_six: list[Player], last: int, asked: bool
) -> None:
    ends = date(2026, 3, last)
    Event.objects.update(starts=date(2026, 3, 6), ends=ends)
    Section.objects.update(starts=date(2026, 3, 6), ends=ends)
    upload(amahles, section, open_file(starts=date(2026, 3, 6), ends=ends, round_dates=()))
    assert section.findings.filter(key="round-dates-needed").exists() == asked
    assert section.adjustments.filter(key="round-dates-of-one-day").exists() != asked
    assert set(fresh(section).round_dates) == {None if asked else "2026-03-06"}


def test_a_day_that_the_file_and_the_section_do_not_share_is_asked_about(
    amahles: Client, section: Section, upload: Send, register_of_six: list[Player]
) -> None:
    day = date(2026, 3, 6)
    Event.objects.update(starts=day, ends=day)
    Section.objects.update(starts=day, ends=day)
    upload(amahles, section, open_file(starts=date(2026, 4, 6), ends=date(2026, 4, 6), round_dates=()))
    keys = set(section.findings.values_list("key", flat=True))
    assert {"dates-differ", "round-dates-needed"} <= keys
