"""One set of checks of facts at all doors: each kind of wrong fact, at each door that takes such a fact."""

from __future__ import annotations

import csv
import gc
import io
import re
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django import forms
from django.core.management import call_command, get_commands
from django.test import Client
from django.urls import get_resolver, reverse

from players import jobs, register_table
from players.appointments import create_office
from players.fide_list import FidePerson, compare_with_fide_list
from players.filing_keys import make_key
from players.models import Decision, Federation, Player, User
from ratings.models import Standing
from ratings.pages.people import CorrectionForm
from ratings.pre_ratings import is_possible_birth
from ratings.rulesets.ssdc.standing import ConfirmedRank, SsdcStanding
from ratings.tests.office import approved, register, submitted
from ratings.tests.register_tables import enter, planned
from tournaments.acceptance import get_filed_nation, recheck
from tournaments.checks import FACT_QUESTIONS, find_missing_pairs
from tournaments.entries import decide_entries
from tournaments.formats import read_any
from tournaments.formats.plain_table import write_csv
from tournaments.formats.sheet import Sheet, SheetGame, SheetPlayer
from tournaments.history import cells_from_file, parse_country
from tournaments.models import Entry, Event, Finding, History, Section
from tournaments.pages.changes import EventEditForm
from tournaments.pages.entries import NewcomerForm
from tournaments.places import FiledBye
from tournaments.tests.conftest import TODAY, Send, address, fresh
from tournaments.tests.histories import folder, numbered, round_robin, table, trf
from tournaments.tests.test_filing import details_of

pytestmark = pytest.mark.django_db
DAY = date(2026, 3, 6)
ClientOf = Callable[[User], Client]
PEOPLE = (
    SheetPlayer(0, "Adams, Anna", "Adams", "Anna", sex="f", birth=date(1990, 1, 2)),
    SheetPlayer(0, "Brown, Bert", "Brown", "Bert", sex="m", birth=date(1991, 1, 2)),
    SheetPlayer(0, "Cele, Chris", "Cele", "Chris", sex="m", birth=date(1992, 3, 4)),
    SheetPlayer(0, "Dube, Dora", "Dube", "Dora", sex="f", birth=date(1993, 4, 5)),
)


def born(day: date) -> tuple[SheetPlayer, ...]:
    return (replace(PEOPLE[0], birth=day), *PEOPLE[1:])


def twins(**other: Any) -> tuple[SheetPlayer, ...]:
    return (PEOPLE[0], replace(PEOPLE[0], **other), *PEOPLE[2:])


TWINS: dict[str, dict[str, Any]] = {
    "equal": {},
    "without birth": {"birth": None},
    "without sex": {"birth": None, "sex": None},
    "parts exchanged": {"name": "Anna, Adams", "surname": "Anna", "first_name": "Adams"},
}


REPEATED = [SheetGame(1, 1, 2, "1-0"), SheetGame(1, 3, 4, "1-0"), SheetGame(2, 1, 2, "0-1")]
REPEATED += [SheetGame(2, 3, 4, "1-0"), SheetGame(3, 1, 3, "1-0"), SheetGame(3, 2, 4, "1-0")]
PLACED = tuple(replace(person, place=place) for person, place in zip(PEOPLE, (4, 3, 2, 1), strict=True))
"""The places turned round; by the games the first has most points."""


def as_trf(people: tuple[SheetPlayer, ...], games: list[SheetGame]) -> bytes:
    return trf("Soweto Open", DAY, people, games=games)


def as_table(people: tuple[SheetPlayer, ...], games: list[SheetGame]) -> bytes:
    sheet = Sheet(rounds=3, rounds_played=3, rows=numbered(people), games=tuple(games))
    return write_csv(sheet)


def as_zip(people: tuple[SheetPlayer, ...], games: list[SheetGame]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("a.trf", as_trf(people, games))
    return file.getvalue()


FILES = [as_trf, as_table, as_zip]
PAST = {"file": "*", "region": "GAU", "platform": "otb", "format": "swiss"}
Found = dict[str, Finding]
Filed = Callable[[bytes], Found]


@pytest.fixture
def filed(section: Section, amahle: User, client_of: ClientOf, upload: Send) -> Filed:
    """`filed(data)`: what is found in the section after this file, by key."""

    def file(data: bytes) -> Found:
        upload(client_of(amahle), section, data)
        return {each.key: each for each in fresh(section).findings.all()}

    return file


@pytest.fixture
def taken(csa: Federation, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """`taken(data)`: what is said of a past of this one file."""

    def take(data: bytes, *options: str) -> str:
        there = folder(tmp_path / "past", {"a.trf": data, "table.csv": table(tuple(PAST), PAST)})
        call_command("take_history", "csa", str(there), "--dry-run", *options)
        return " ".join(capsys.readouterr().out.split())

    return take


PLAY = round_robin(4)
DOUBTFUL = [
    pytest.param(born(date(2099, 1, 1)), PLAY, "births-doubtful", "Births after the event", id="2099"),
    pytest.param(born(DAY), PLAY, "births-doubtful", "Births after the event", id="born on the day"),
    pytest.param(born(date(2023, 3, 7)), PLAY, "births-doubtful", "Births after the event", id="under 3"),
    pytest.param(born(date(1920, 3, 6)), PLAY, "births-doubtful", "Births after the event", id="over 105"),
    *(
        pytest.param(
            twins(**other), PLAY, "twins", "Entries with the name of an earlier one", id=f"twins: {id_}"
        )
        for id_, other in TWINS.items()
    ),
    pytest.param(PEOPLE, REPEATED, "pairs-repeated", "Pairs who met more often", id="pairs"),
]
LIKELY = [
    pytest.param(PEOPLE, PLAY, id="nothing"),
    pytest.param(born(date(2023, 3, 6)), PLAY, id="3 on the day"),
    pytest.param(born(date(1920, 3, 7)), PLAY, id="105"),
    pytest.param(twins(birth=date(1990, 1, 3)), PLAY, id="other birth"),
    pytest.param(twins(birth=None, sex="m"), PLAY, id="other sex"),
    pytest.param(
        (replace(PEOPLE[0], identifier="14300001"), replace(PEOPLE[0], identifier="14300002"), *PEOPLE[2:]),
        PLAY,
        id="two ids",
    ),
]


# ---------------------------------------------------------------- files


@pytest.mark.parametrize("pack", FILES)
@pytest.mark.parametrize(("people", "games", "key", "words"), DOUBTFUL)
def test_a_fact_that_hardly_can_be_is_asked_of_a_file(
    filed: Filed, pack: Any, people: Any, games: Any, key: str, words: str
) -> None:
    found = filed(pack(people, games))
    assert found[key].level == "waivable"
    assert set(found) & set(FACT_QUESTIONS) == {key}


@pytest.mark.parametrize("pack", FILES)
@pytest.mark.parametrize(("people", "games"), LIKELY)
def test_a_fact_that_can_be_is_not_asked_of_a_file(filed: Filed, pack: Any, people: Any, games: Any) -> None:
    assert not set(filed(pack(people, games))) & set(FACT_QUESTIONS)


@pytest.mark.parametrize(("people", "games", "key", "words"), DOUBTFUL)
def test_a_fact_that_hardly_can_be_is_asked_of_a_past(
    taken: Any, people: Any, games: Any, key: str, words: str
) -> None:
    assert words in taken(as_trf(people, games))


@pytest.mark.parametrize(("people", "games"), LIKELY)
def test_a_fact_that_can_be_is_not_asked_of_a_past(taken: Any, people: Any, games: Any) -> None:
    said = taken(as_trf(people, games))
    assert not [words for *_rest, words in (each.values for each in DOUBTFUL) if words in said]


def test_an_answer_about_the_facts_of_a_past_s_file_settles_them(taken: Any, tmp_path: Path) -> None:
    answers = tmp_path / "answers.csv"
    answers.write_text("question,subject,where,proposed,answer\ntwins,a.trf,,,two people\n")
    assert "no other birth or sex" in taken(as_trf(twins(), PLAY))
    assert "no other birth or sex" not in taken(as_trf(twins(), PLAY), "--answers", str(answers))


def in_slashes(first: str, last: str, *, rounds: bool = False) -> bytes:
    """The file as an older Vega writes it, with the day first where the other dates do not say otherwise."""
    lines = as_trf(PEOPLE, PLAY).decode().splitlines()
    dates = {"042": f"042 {first}", "052": f"052 {last}"}
    kept = [dates.get(line[:3], line) for line in lines if rounds or line[:3] != "132"]
    return "\n".join([*kept, "XXR 3"]).encode()


GUESSED_DAYS = "Days that can be read in two ways"


def test_days_that_only_the_program_decides_are_asked_of_a_file_and_of_a_past(
    filed: Filed, taken: Any
) -> None:
    assert filed(in_slashes("03/04/2026", "04/04/2026"))["date-by-program"].level == "asks"
    assert GUESSED_DAYS in taken(in_slashes("03/04/2026", "04/04/2026"))


@pytest.mark.parametrize(
    ("first", "last", "rounds"), [("03/06/2026", "03/06/2026", True), ("03/12/2026", "03/14/2026", False)]
)
def test_days_that_the_file_settles_are_asked_of_neither(
    filed: Filed, taken: Any, first: str, last: str, rounds: bool
) -> None:
    assert "date-by-program" not in filed(in_slashes(first, last, rounds=rounds))
    assert GUESSED_DAYS not in taken(in_slashes(first, last, rounds=rounds))


def test_an_answer_settles_the_guessed_days_of_a_past(taken: Any, tmp_path: Path) -> None:
    answers = tmp_path / "answers.csv"
    answers.write_text("question,subject,where,proposed,answer\ndate-by-program,a.trf,,,right\n")
    assert GUESSED_DAYS not in taken(in_slashes("03/04/2026", "04/04/2026"), "--answers", str(answers))


@pytest.mark.parametrize(("columns", "asked"), [(("starts", "ends"), False), (("starts",), True)])
def test_the_table_settles_the_guessed_days_of_a_past_where_it_gives_both(
    csa: Federation, tmp_path: Path, columns: tuple[str, ...], asked: bool
) -> None:
    given = {**PAST, **dict.fromkeys(columns, "2026-03-04")}
    data = in_slashes("03/04/2026", "04/04/2026")
    there = folder(tmp_path / "past", {"a.trf": data, "table.csv": table(tuple(given), given)})
    out = io.StringIO()
    call_command("take_history", "csa", str(there), "--dry-run", stdout=out)
    assert (GUESSED_DAYS in " ".join(out.getvalue().split())) == asked


@pytest.mark.parametrize(
    ("of_table", "of_file", "asked"),
    [
        ("60+10", "90 minutes + 30 seconds per move", True),
        ("90+30", "90 minutes + 30 seconds per move", False),
        ("90", "see the invitation", False),
    ],
)
def test_another_time_control_than_the_table_s_is_asked_of_a_past_until_it_is_answered(
    csa: Federation, tmp_path: Path, of_table: str, of_file: str, asked: bool
) -> None:
    given = {**PAST, "time_controls": of_table}
    data = trf("Soweto Open", DAY, PEOPLE, time=of_file)
    there = folder(tmp_path / "past", {"a.trf": data, "table.csv": table(tuple(given), given)})
    call_command("take_history", "csa", str(there), "--dry-run")
    assert ("time-control-differs" in asked_of_past()) == asked
    call_command("take_history", "csa", str(there), "--dry-run", "--answer", "time-control-differs=right")
    assert "time-control-differs" not in asked_of_past()


def test_a_time_control_that_is_not_clear_is_left_out_of_the_table_of_a_past(csa: Federation) -> None:
    sheet = Sheet(time_text="see the invitation")
    assert "time_controls" not in cells_from_file(sheet, csa.ruleset, "a.trf")
    assert (
        cells_from_file(replace(sheet, time_code="5400+30"), csa.ruleset, "a.trf")["time_controls"]
        == "5400+30"
    )


def test_two_people_is_an_answer_that_stays_and_is_on_record(
    filed: Filed, section: Section, amahle: User
) -> None:
    twin = filed(as_trf(twins(), PLAY))["twins"]
    Finding.objects.filter(pk=twin.pk).update(waived_because="cousins")
    newcomers: dict[int, dict[str, str]] = {entry.number: {} for entry in section.entries.all()}
    now = fresh(section)
    decide_entries(section=now, by=amahle, on=TODAY, version=now.version, newcomers=newcomers)
    assert section.findings.get(key="twins").waived_because == "cousins"
    assert not section.findings.blocking().filter(key="twins").exists()


def test_a_doubtful_birth_of_a_new_player_is_open_to_correction_and_another_settles_it(
    filed: Filed, section: Section, amahle: User, client_of: ClientOf, send: Send
) -> None:
    filed(as_trf(born(date(2099, 1, 1)), PLAY))
    now, browser, url = fresh(section), client_of(amahle), address(section, "players")
    newcomers: dict[int, dict[str, str]] = {entry.number: {} for entry in now.entries.all()}
    decide_entries(section=now, by=amahle, on=TODAY, version=now.version, newcomers=newcomers)
    page = browser.get(url).content.decode()
    assert '<details class="wanted" open>' in page
    assert 'name="new-1-birth"' in page
    assert 'name="new-2-birth"' not in page
    for birth, left in (("2068-01-01", True), ("1990-01-02", False)):
        given = {"version": str(fresh(section).version), "details": "1", "new-1-birth": birth}
        answer = send(browser, url + "decide/", given)
        assert answer.status_code == (400 if left else 302)
        assert section.findings.filter(key="births-doubtful").exists() == left


@pytest.mark.parametrize("year", [1900, 1901])
@pytest.mark.parametrize("pack", FILES)
def test_the_first_of_january_of_1900_or_1901_is_no_birth_and_listed(
    filed: Filed, section: Section, pack: Any, year: int
) -> None:
    found = filed(pack(born(date(year, 1, 1)), PLAY))
    assert section.entries.get(number=1).birth == ""
    assert section.adjustments.filter(key="birth-not-given", before=f"{year}-01-01", after="").exists()
    assert "births-doubtful" not in found


def test_a_birth_in_the_register_stands_against_a_wrong_one_in_the_file(
    filed: Filed, csa: Federation
) -> None:
    enter(csa, "101000001", "Adams, Anna", "1990-01-02", sex="f", ids={"fide": "14300001"})
    people = (replace(PEOPLE[0], identifier="14300001", birth=date(2099, 1, 1)), *PEOPLE[1:])
    found = filed(as_trf(people, PLAY))
    assert "births-doubtful" in found or "players-doubtful" in found


def test_a_place_above_more_points_is_told(filed: Filed) -> None:
    found = filed(as_table(PLACED, PLAY))
    assert found["place-against-points"].level == "notice"  # csa's ratings read no places


NATIONS = [("ZA", "RSA"), ("South Africa", "RSA"), ("POL", "POL"), ("PL", "POL"), ("Poland", "POL"), ("", "")]


@pytest.mark.parametrize(("written", "nation"), NATIONS)
def test_a_nation_is_read_in_any_code_from_a_table(csa: Federation, written: str, nation: str) -> None:
    text = as_table(PEOPLE, PLAY).decode().replace("RSA", written)
    sheet = read_any(text.encode()).sheet
    assert sheet
    assert {row.federation in (nation, "ZAF" if nation == "RSA" else nation) for row in sheet.rows} == {True}


@pytest.mark.parametrize(("written", "nation"), NATIONS)
def test_a_nation_is_read_in_any_code_by_the_register_s_import_and_the_forms(
    csa: Federation, written: str, nation: str, section: Section
) -> None:
    [line] = planned(csa, "surname,first name,birth,nation", f"Adams,Anna,1990,{written}").lines.all()
    assert line.changes.get("nation", ["", ""])[1] == nation
    assert get_filed_nation(Entry(section=section, number=1, federation=written)) == nation
    assert parse_country(written, csa.ruleset.country) == nation
    form = EventEditForm({"country": written}, event=section.event)
    form.is_valid()
    assert form.cleaned_data.get("country", "") == nation


@pytest.mark.parametrize(
    ("written", "sex"), [("M", "m"), ("w", "f"), ("ж", "f"), ("K", "f"), ("ž", "f"), ("female", "f")]
)
def test_a_sex_is_read_alike_from_an_event_s_table_and_by_the_register_s_import(
    csa: Federation, written: str, sex: str
) -> None:
    [line] = planned(csa, "surname,first name,sex", f"Adams,Anna,{written}").lines.all()
    assert line.changes["sex"][1] == sex
    players = f"number,surname,first name,sex\n1,Adams,Anna,{written}\n2,Brown,Bert,m\n"
    text = f"{players}\nround,first,second,result\n1,1,2,1-0\n"
    sheet = read_any(text.encode()).sheet
    assert sheet
    assert sheet.rows[0].sex == sex


# ---------------------------------------------------------------- the register and the forms


def by_import(office: Federation, birth: str) -> bool:
    [line] = planned(office, "surname,first name,birth", f"Adams,Anna,{birth}").lines.all()
    return any(problem["column"] == "birth" for problem in line.problems)


def by_openings(office: Federation, birth: str) -> bool:
    [line] = planned(
        office, "surname,first name,birth,rating,games", f"Adams,Anna,{birth},1500,9"
    ).lines.all()
    return any(problem["column"] == "birth" for problem in line.problems)


def by_fide_s_list(office: Federation, birth: str) -> bool:
    if not Player.objects.filter(number="101000001").exists():
        enter(office, "101000001", "Adams, Anna", ids={"fide": "14300001"})
    person = FidePerson("14300001", "Adams", "Anna", "RSA", "f", "", int(birth[:4]))
    taken = compare_with_fide_list(office, [person], on=DAY).taken
    return all("birth" not in columns for columns in taken.values())


def by_form_of_new_players(office: Federation, birth: str) -> bool:
    section = Section(event=Event(federation=office), starts=DAY)
    entry = Entry(section=section, number=1, surname="Adams", first_name="Anna")
    form: forms.Form = NewcomerForm({"new-1-birth": birth}, entry=entry, ruleset=office.ruleset)
    return "birth" in form.errors


def by_form_of_particulars(office: Federation, birth: str) -> bool:
    player = Player(federation=office, number="1", surname="Adams", first_name="Anna")
    player.save()
    form: forms.Form = CorrectionForm({"birth": birth}, player, DAY)
    player.delete()
    return "birth" in form.errors


@pytest.mark.parametrize(
    ("registered", "typed", "kept"),
    [
        (1901, "1901", "1901"),
        (1901, "", ""),
        (1901, "1902", "1902"),
        (None, "1901", None),
        (1950, "1900", None),
    ],
)
def test_a_registered_birth_of_1901_stays_until_it_is_changed_and_no_other_becomes_it(
    csa: Federation, registered: int | None, typed: str, kept: str | None
) -> None:
    player = Player(federation=csa, number="1", surname="Adams", first_name="Anna", born=registered)
    player.save()
    form: forms.Form = CorrectionForm({"birth": typed}, player, DAY)
    assert ("birth" in form.errors) == (kept is None)
    assert form.cleaned_data.get("birth") == kept


def by_form_of_approval(office: Federation, birth: str) -> bool:
    return not is_possible_birth(Section(starts=DAY), int(birth[:4]))


REGISTER_DOORS = [
    *(by_import, by_openings, by_fide_s_list, by_form_of_new_players, by_form_of_particulars),
    by_form_of_approval,
]


@pytest.mark.parametrize("door", REGISTER_DOORS)
@pytest.mark.parametrize(
    ("birth", "told"), [("2099", True), ("2024", True), ("2023", False), ("1990", False)]
)
def test_a_birth_that_cannot_be_is_told_at_every_door_of_the_register(
    csa: Federation, door: Callable[[Federation, str], bool], birth: str, told: bool
) -> None:
    assert door(csa, birth) == told
    if door not in (by_fide_s_list, by_form_of_approval):  # they take years alone
        assert door(csa, f"{birth}-05-09" if birth != "2023" else "2023-03-06") == told


def every_form(kind: type = forms.BaseForm) -> Iterator[type]:
    found: list[type] = kind.__subclasses__()
    for form in found:
        yield form
        yield from every_form(form)


BY_PAST = "a past"
"""The door of pasts, which the tests with `taken` go through."""
CHECKED = "test_file_checks, test_told_at_every_door"
WAYS_IN: dict[str, tuple[Any, ...] | str] = {
    "form FileForm": (as_trf, as_table, as_zip),
    "form ArchiveForm": (as_zip,),
    "form NewcomerForm": (by_form_of_new_players,),
    "form CorrectionForm": (by_form_of_particulars,),
    "form TableForm": (by_import,),
    "form OpeningsForm": (by_openings,),
    "form HistoryForm": (BY_PAST,),
    "form BatchForm": (BY_PAST,),
    "form HistoryTableForm": (BY_PAST,),
    "form AnswersForm": (BY_PAST,),
    "form ProofForm": "documents, which nobody reads into facts",
    "form TransferForm": "documents, which nobody reads into facts",
    "operation file": (as_trf, as_table, as_zip),
    "job uploads": (as_trf, as_table, as_zip),
    "job archives": (as_zip,),
    "job tables": (by_import, by_openings),
    "job histories": (BY_PAST,),
    "job outlooks": "what merging would change",
    "command take_fide_list": (by_fide_s_list,),
    "command take_history": (BY_PAST,),
    "command take_openings": (by_openings,),
    "command read_event_file": CHECKED,
    "command import_journal": "facts that an office approved, held against the journal's own rules",
    "command import_office": "facts that an office approved, held against the journal's own rules",
    "command take_lines": "facts that an office approved, held against the journal's own rules",
}
"""What takes facts, and the doors of these tests that go through it; or why none does."""
TAKING = re.compile("take_|import_|read_")
"""How commands that take facts in begin."""


def list_ways_in(client: Client) -> set[str]:
    """Every form with a file or a birth, operation of the API that writes, kind of job, and command that
    takes facts in, from where the site has them.
    """
    assert get_resolver().url_patterns  # all pages are loaded, and so their forms
    asking = {
        form.__name__
        for form in every_form()
        for name, field in getattr(form, "base_fields", {}).items()
        if (name == "birth" or isinstance(field, forms.FileField))
        and (form.__module__ == __name__ or "tests" not in form.__module__.split("."))
    }
    described = client.get(reverse("ratings:api_description")).json()["paths"]
    writing = [address for address, methods in described.items() if methods.keys() - {"get"}]
    operations = {address.rpartition("/")[2] for address in writing}
    ways = {f"form {name}" for name in asking} | {f"operation {name}" for name in operations}
    ways |= {f"job {name}" for name in jobs.get_kinds()}
    return ways | {f"command {name}" for name in get_commands() if TAKING.match(name)}


def test_every_way_by_which_facts_come_in_stands_among_the_doors(client: Client) -> None:
    assert list_ways_in(client) == WAYS_IN.keys()
    doors = {door for found in WAYS_IN.values() if isinstance(found, tuple) for door in found}
    assert doors - {BY_PAST} == {*FILES, *REGISTER_DOORS} - {by_form_of_approval}  # without a form class


def test_a_new_door_is_found_by_itself(client: Client) -> None:
    class AnotherDoorForm(forms.Form):
        table = forms.FileField()

    assert list_ways_in(client) - WAYS_IN.keys() == {"form AnotherDoorForm"}
    del AnotherDoorForm
    gc.collect()  # a class is in circles


def test_a_file_that_a_program_sends_is_asked_the_same(
    section: Section, amahle: User, client: Client, worker: list[str], django_capture_on_commit_callbacks: Any
) -> None:
    key = make_key(region=section.event.region, name="club", by=amahle, on=TODAY)
    there = reverse("ratings:api_file", args=["csa", section.event.number, section.code])
    with django_capture_on_commit_callbacks(execute=True):
        client.post(
            there,
            as_trf(twins(), PLAY),
            content_type="application/octet-stream",
            headers={"Authorization": f"Bearer {key}"},
        )
    assert section.findings.filter(key="twins", level="waivable").exists()


def test_every_column_of_births_is_read_by_the_one_rule(csa: Federation) -> None:
    widget = register_table.RegisterResource(csa, on=DAY).fields["birth"].widget
    with pytest.raises(register_table.CellUnreadable):
        widget.clean("2099")


# ---------------------------------------------------------------- the file against the registration


def test_another_time_control_than_registered_is_asked_and_either_answer_is_one_click(
    filed: Filed, section: Section, amahle: User, client_of: ClientOf
) -> None:
    data = trf("Soweto Open", DAY, PEOPLE, time="15 minutes + 5 seconds per move")
    assert filed(data)["time-control-differs"].level == "asks"
    url, browser = address(section, "details"), client_of(amahle)
    page = browser.get(url).content.decode()
    assert 'name="take-time"' in page
    assert "<span>time_controls</span>" not in page  # the field that answers it is no place in the file
    for taken, minutes in (({}, 90), ({"take-time": "file"}, 15)):
        browser.post(url, details_of(browser, section, **taken))
        assert fresh(section).particulars["time_controls"][0]["minutes"] == [minutes]
        assert not fresh(section).findings.filter(key="time-control-differs").exists()
    assert 'name="take-time"' not in browser.get(url).content.decode()


def test_an_answer_on_the_time_control_holds_for_the_same_words_in_the_next_file(
    filed: Filed, section: Section
) -> None:
    other = {"time": "15 minutes + 5 seconds per move"}
    assert "time-control-differs" in filed(trf("Soweto Open", DAY, PEOPLE, **other))
    assert "time-control-differs" in filed(trf("Soweto Open", DAY, PEOPLE[::-1], **other))  # not answered
    section.findings.filter(key="time-control-differs").delete()
    assert "time-control-differs" not in filed(trf("Soweto Open", DAY, PEOPLE, **other))
    assert "time-control-differs" in filed(trf("Soweto Open", DAY, PEOPLE, time="10 minutes"))


def test_the_registered_time_control_in_other_words_is_not_asked(filed: Filed) -> None:
    assert "time-control-differs" not in filed(trf("Soweto Open", DAY, PEOPLE, time="90 min + 30 sec"))


@pytest.mark.parametrize(("registered", "asked"), [(7, True), (3, False), (None, False)])
def test_another_number_of_rounds_than_registered_is_asked(
    filed: Filed, section: Section, registered: int | None, asked: bool
) -> None:
    section.rounds = registered
    section.save()
    for people in (PEOPLE, PEOPLE[::-1]):  # until it is answered, for the next file too
        found = filed(trf("Soweto Open", DAY, people))
        assert ("rounds-differ" in found) == asked
    if asked:
        assert found["rounds-differ"].params == {"filed": 3, "registered": 7}
        section.findings.filter(key="rounds-differ").delete()
        assert "rounds-differ" not in filed(trf("Soweto Open", DAY, PEOPLE))


@pytest.mark.parametrize(("days", "asked"), [((0, 1, 2), False), ((0, 0, 0), False), ((1, 0, 2), True)])
def test_a_round_before_an_earlier_one_is_asked(
    filed: Filed, section: Section, days: tuple[int, ...], asked: bool
) -> None:
    filed(as_trf(PEOPLE, PLAY))
    section.refresh_from_db()
    section.starts, section.ends = DAY, date(2026, 3, 8)
    section.round_dates = [DAY.replace(day=6 + day).isoformat() for day in days]
    section.save()
    recheck(section)
    found = section.findings.filter(key="round-dates-order")
    assert found.exists() == asked
    assert section.findings.blocking().filter(pk__in=found).exists() == asked
    found.update(waived_because="postponed")
    recheck(section)
    assert not section.findings.blocking().filter(key="round-dates-order").exists()


def without(games: list[SheetGame], *pairs: tuple[int, int]) -> list[SheetGame]:
    return [game for game in games if (game.first, game.second) not in pairs]


SIX = round_robin(6)
GONE = [(game.first, game.second) for game in SIX if 6 in (game.first, game.second)]


@pytest.mark.parametrize(
    ("count", "games", "byes", "missing"),
    [
        (6, SIX, [], []),
        (6, without(SIX, (2, 5)), [], [(2, 5)]),
        (6, without(SIX, *GONE[-2:]), [], []),  # somebody left
        (6, without(SIX, (2, 5)), [(1, 2, "zero")], []),
        (6, [replace(SIX[0], result="+:-"), *without(SIX[1:], (2, 5))], [], []),
        (6, [game for game in SIX if game.round < 5], [], []),  # not at its end
        (5, without(SIX, *GONE), [], []),
        (
            5,
            without(SIX, *GONE),
            [(game.round, game.first, "pairing") for game in SIX if game.second == 6],
            [],
        ),
        (5, without(SIX, (2, 5), *GONE), [], [(2, 5)]),
        (6, [*SIX, *(replace(game, round=game.round + 5) for game in SIX)], [], []),
        (4, REPEATED, [], [(1, 4), (2, 3)]),
    ],
)
@pytest.mark.parametrize("registered", [True, False])
@pytest.mark.parametrize("format_", ["round-robin", "swiss"])
def test_a_pair_that_never_met_in_a_whole_round_robin_is_found_whether_or_not_its_rounds_were_registered(
    registered: bool,
    format_: str,
    count: int,
    games: list[SheetGame],
    byes: list[FiledBye],
    missing: list[tuple[int, int]],
) -> None:
    section = Section(format=format_, rounds=max(game.round for game in games) if registered else None)
    entries = [Entry(number=number) for number in range(1, count + 1)]
    found = [(one.number, other.number) for one, other in find_missing_pairs(section, entries, games, byes)]
    assert found == (missing if format_ == "round-robin" else [])


def test_a_final_is_no_round_in_which_a_missing_pair_met() -> None:
    section = Section(format="round-robin", finals=["Final"])
    entries = [Entry(number=number) for number in range(1, 7)]
    games = [*without(SIX, (2, 5)), SheetGame(6, 2, 5, "1-0")]
    found = find_missing_pairs(section, entries, games, [])
    assert [(one.number, other.number) for one, other in found] == [(2, 5)]


@pytest.mark.parametrize("rounds", [3, None])
@pytest.mark.parametrize(("games", "asked"), [(PLAY, False), (PLAY[:-1], True)])
def test_a_pair_that_never_met_is_asked_of_a_file(
    filed: Filed, section: Section, games: list[SheetGame], asked: bool, rounds: int | None
) -> None:
    section.format, section.rounds = "round-robin", rounds
    section.save()
    found = filed(as_table(PEOPLE, games)).get("pairs-missing")
    assert (found.level if found else "") == ("waivable" if asked else "")


HELD = [ConfirmedRank(rank, DAY, "2.4.2") for rank in "CM"]


@pytest.mark.parametrize(
    ("rating", "rank", "asked"),
    [
        *(("2371", None, "above-limit"), ("2200", None, "")),
        *(("2200", HELD[0], ""), ("2200", HELD[1], "above-rank-limit")),
    ],
)
def test_an_entrant_above_the_declared_limit_of_rating_or_rank_is_asked_about(
    db: None, rating: str, rank: ConfirmedRank | None, asked: str
) -> None:
    office = create_office(ruleset_slug="ssdc", official_email="official@ssdc.example", on=DAY)
    event = Event.objects.create(
        federation=office, number="2026-001", region=office.regions.get(), name="Cup", starts=DAY, ends=DAY,
        registered_on=DAY,
    )  # fmt: skip
    said = {"time_class": "classic", "category": "first", "highest_rating": 2200, "highest_rank": "C"}
    section = Section.objects.create(
        event=event, code="A", name="Cup", starts=DAY, ends=DAY, format="round-robin", particulars=said
    )
    player = enter(office, "1001", "Adams, Anna")
    Entry.objects.create(section=section, number=1, surname="Adams", player=player, match=Entry.Match.DECIDED)
    state = office.ruleset.storage.dump(SsdcStanding(Decimal(rating), confirmed=rank))
    Standing.objects.create(
        federation=office, player=player, track="classic", order=1, rating=rating, games=9, due=False,
        state=state,
    )  # fmt: skip
    recheck(section)
    found = section.findings.filter(level="waivable").values_list("key", flat=True)
    assert {*found} & {"above-limit", "above-rank-limit"} == ({asked} if asked else set())


def test_pairs_of_a_past_whose_format_nobody_says_are_told_and_not_asked(
    csa: Federation, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = []
    for format_ in ("", "swiss"):
        row = PAST | {"format": format_}
        data = as_trf(PEOPLE, REPEATED).replace(b"092 Individual: Round-Robin", b"092 Cup")
        there = folder(tmp_path / "past", {"a.trf": data, "table.csv": table(tuple(row), row)})
        asked = tmp_path / "questions.csv"
        call_command("take_history", "csa", str(there), "--dry-run", "--questions", str(asked))
        assert "Pairs who met more often" in " ".join(capsys.readouterr().out.split())
        told.append("pairs-repeated" in asked.read_text())
    assert told == [False, True]


def test_an_answer_about_the_facts_of_a_past_stays_with_its_section_and_is_on_record(
    csa: Federation, tmp_path: Path
) -> None:
    data = as_trf(PEOPLE, REPEATED)
    there = folder(tmp_path / "past", {"a.trf": data, "table.csv": table(tuple(PAST), PAST)})
    call_command("take_history", "csa", str(there), "--answer", "pairs-repeated=right")
    section = Section.objects.get()
    assert section.findings.get(key="pairs-repeated").waived_because == "right"
    waived = Decision.objects.get(kind="take-history").details["waived"]
    assert waived == [{"clause": "", "key": "pairs-repeated", "waived_because": "right"}]
    call_command("verify", "csa")
    recheck(section)
    assert section.findings.get(key="pairs-repeated").waived_because == "right"


def played_on(*days: int) -> bytes:
    """The file of an event of 6 to 8 March with its rounds on these days of the month."""
    lines = as_trf(PEOPLE, PLAY).decode().splitlines()
    for at, line in enumerate(lines):
        if line.startswith("132"):
            first, second, third = (f"26/03/{day:02}" for day in days)
            lines[at] = f"{line[:91]}{first}  {second}  {third}"
    return "\n".join(lines).replace("052 2026/03/06", "052 2026/03/08").encode()


@pytest.mark.parametrize(
    ("days", "asked"),
    [((6, 7, 8), None), ((6, 7, 9), "round-dates-outside"), ((6, 8, 7), "round-dates-order")],
)
def test_dates_of_rounds_that_contradict_are_asked_of_a_file_and_of_a_past(
    filed: Filed, csa: Federation, tmp_path: Path, days: tuple[int, ...], asked: str | None
) -> None:
    data, both = played_on(*days), {"round-dates-outside", "round-dates-order"}
    filed(data)
    event = Section.objects.get().event
    event.sections.update(starts=DAY, ends=date(2026, 3, 8))
    recheck(fresh(event.sections.get()))
    assert {each.key for each in event.sections.get().findings.all()} & both == ({asked} if asked else set())
    there = folder(tmp_path / "past", {"b.trf": data + b"\n", "table.csv": table(tuple(PAST), PAST)})
    call_command("take_history", "csa", str(there), "--dry-run")
    assert asked_of_past() & both == ({asked} if asked else set())
    call_command("take_history", "csa", str(there), "--dry-run", "--answer", f"{asked or 'twins'}=right")
    assert not asked_of_past() & both


def asked_of_past() -> set[str]:
    causes: Any = History.objects.get().outcome["causes"]
    return {each["key"] for each in causes if each["level"] == "asks"}


def said_of_adams(there: Path, said: list[str]) -> Path:
    """A table with these answers to who the entries called Adams are."""
    who, answers = there.parent / "who.csv", there.parent / "answers.csv"
    call_command("take_history", "csa", str(there), "--dry-run", "--who-is-who", str(who))
    rows = csv.DictReader(io.StringIO(who.read_text("utf-8-sig")))
    marks = [row["subject"] for row in rows if "Adams" in row["where"]]
    given = [f"person,{mark},{value}" for mark, value in zip(marks, said, strict=False)]
    answers.write_text("\n".join(["question,subject,answer", *given]) + "\n")
    return answers


@pytest.mark.parametrize(("settled", "asked"), [(0, True), (1, True), (2, False)])
def test_namesakes_in_a_past_of_whom_both_are_said_to_be_new_are_no_twins(
    csa: Federation, tmp_path: Path, settled: int, asked: bool
) -> None:
    there = folder(tmp_path / "past", {"a.trf": as_trf(twins(), PLAY), "table.csv": table(tuple(PAST), PAST)})
    answers = said_of_adams(there, ["new"] * settled)
    call_command("take_history", "csa", str(there), "--dry-run", "--answers", str(answers))
    assert ("twins" in asked_of_past()) == asked


def test_namesakes_in_a_past_who_are_two_players_of_the_register_are_no_twins(
    csa: Federation, tmp_path: Path
) -> None:
    for number in ("101000001", "101000002"):
        enter(csa, number, "Adams, Anna", "1990-01-02")
    there = folder(tmp_path / "past", {"a.trf": as_trf(twins(), PLAY), "table.csv": table(tuple(PAST), PAST)})
    answers = said_of_adams(there, ["101000001", "101000002"])
    call_command("take_history", "csa", str(there), "--answers", str(answers))
    assert Section.objects.get().entries.filter(player__number__in=("101000001", "101000002")).count() == 2


@pytest.mark.parametrize(("known", "asked"), [("14300009", True), ("014300001", False), (None, False)])
def test_another_id_than_the_register_has_of_a_chosen_player_is_asked(
    filed: Filed, section: Section, amahle: User, csa: Federation, known: str | None, asked: bool
) -> None:
    anna = enter(csa, "101000001", "Adams, Anna", "1990-01-02", ids={"fide": known} if known else {})
    people = (replace(PEOPLE[0], identifier="14300001"), *PEOPLE[1:])
    filed(as_trf(people, PLAY))
    section.entries.filter(number=1).update(player=anna, match=Entry.Match.DECIDED, id_kind="fide")
    recheck(fresh(section))
    assert section.findings.filter(key="ids-differ", level="waivable").exists() == asked


def test_an_answer_about_facts_is_on_record_with_the_approval_and_no_permission(csa: Federation) -> None:
    section = submitted(csa, register(csa, 8))
    params = {"count": 1, "names": "Nkosi"}
    Finding.objects.create(
        section=section, source="players", level="waivable", key="twins", params=params, waived_because="two"
    )
    approved(section)
    section.refresh_from_db()
    assert section.permissions == []
    waived = Decision.objects.get(kind="approve").details["waived"]
    assert waived == [{"clause": "", "key": "twins", "waived_because": "two"}]
