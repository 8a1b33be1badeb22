"""What a person said beside a file stays with the next file, where it is said of the very same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date

import pytest
from django.test import Client

from players.models import Federation, Player, User
from tournaments.formats import trf16_write
from tournaments.formats.sheet import Sheet
from tournaments.models import Entry, Section
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
    return trf16_write.write(sheet, "Swiss-Manager")


def upside_down(sheet: Sheet) -> Sheet:
    """The same section with the starting numbers the other way round."""
    new = {row.start_number: 7 - row.start_number for row in sheet.rows}
    rows = sorted(
        (replace(r, start_number=new[r.start_number]) for r in sheet.rows), key=lambda r: r.start_number
    )
    games = (replace(game, first=new[game.first], second=new[game.second]) for game in sheet.games)
    return replace(sheet, rows=tuple(rows), games=tuple(games))


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


def test_of_two_namesakes_the_number_tells_whose_decision_it_was(
    csa: Federation, amahles: Client, section: Section, upload: Send, send: Send
) -> None:
    sheet = open_sheet()
    rows = [replace(r, name="Nkosi, Anna", surname="Nkosi", first_name="Anna") for r in sheet.rows[:2]]
    twins = replace(sheet, rows=(*rows, *sheet.rows[2:]))
    upload(amahles, section, written(twins))
    send(amahles, address(section, "players/new"), {"version": fresh(section).version, "entry": [1]})
    upload(amahles, section, written(replace(twins, name="Corrected")))
    assert [entry.match for entry in section.entries.order_by("number")[:2]] == ["new", "none"]


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
    page = refused.content.decode()
    assert "cannot be both starting number 1 and 2" in page
    assert f'name="player-1" value="{thabo.pk}" checked' in page  # what was chosen is not lost
    assert not section.entries.filter(match=Entry.Match.DECIDED).exists()
    good = both | {"player-2": str(priya.pk), "player-3": "", "player-4": "new"}
    send(amahles, address(section, "players/decide"), good)
    said = list(section.entries.order_by("number").values_list("match", "player__number"))
    assert said[:4] == [("decided", "101000234"), ("decided", "101000235"), ("none", None), ("new", None)]


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
    assert "tick that it is right" in answer.content.decode()


def test_the_lines_of_a_federation_leave_nobody_without_a_number(
    csa: Federation, amahles: Client, section: Section, upload: Send
) -> None:
    lerato = enter(csa, "Mokoena", "Lerato", 2012, "f", number="170001004")
    upload(amahles, section, TRF26.encode())
    found = section.entries.get(player=lerato)
    assert "number" in found.candidates[0]["evidence"]
