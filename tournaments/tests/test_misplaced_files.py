"""A file in the wrong section is told at once, and can always go to the right one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from players import jobs
from players.access import get_rights
from players.models import Decision, Federation, Player, Region, User
from players.record import decide
from tests.built_once import built_once
from tournaments.announcements import cancel_section, reinstate_section
from tournaments.filing import ReadingSuperseded, store_reading
from tournaments.formats import read_any
from tournaments.models import Event, Section, Stage, Upload
from tournaments.registration import SectionParticulars, add_sections, register_event
from tournaments.review import take_back_decision
from tournaments.section_files import save_prefilled_details
from tournaments.tests.conftest import OTB, TODAY, Send, address, fresh
from tournaments.tests.event_files import open_file, open_sheet
from tournaments.tests.test_formats_archive import zipped
from tournaments.uploads import move_file, receive_file

ClientOf = Callable[[User], Client]
NO_NAME = "export.trf"
pytestmark = pytest.mark.django_db


@pytest.fixture
@built_once
def sections(section: Section, register_of_six: list[Player], amahle: User) -> list[Section]:
    """Soweto Open with sections A and B."""
    new = [SectionParticulars(name="B", format="swiss", particulars=OTB)]
    add_sections(event=section.event, by=amahle, on=date(2026, 1, 5), sections=new)
    return list(section.event.sections.order_by("code"))


@pytest.fixture
def amahles(amahle: User, client_of: ClientOf) -> Client:
    return client_of(amahle)


@pytest.fixture
def elsewhere(csa: Federation, amahle: User, gauteng: Region) -> Section:
    """Benoni Juniors, a week earlier, with one section."""
    event = register_event(
        rights=get_rights(amahle, csa, TODAY),
        by=amahle,
        on=date(2026, 1, 5),
        name="Benoni Juniors",
        region=gauteng,
        starts=date(2026, 2, 27),
        ends=date(2026, 3, 1),
        sections=[SectionParticulars(name="Under 12", format="swiss", particulars=OTB)],
    )
    return event.sections.get()


@pytest.fixture
def paarl(csa: Federation, pieter: User) -> Section:
    """Paarl Open, of another region, on the days of Soweto Open."""
    event = register_event(
        rights=get_rights(pieter, csa, TODAY),
        by=pieter,
        on=date(2026, 1, 5),
        name="Paarl Open",
        region=csa.regions.get(code="WCA"),
        starts=date(2026, 3, 6),
        ends=date(2026, 3, 8),
        sections=[SectionParticulars(name="A", format="swiss", particulars=OTB)],
    )
    return event.sections.get()


def told(section: Section) -> list[str]:
    return [key for key in section.findings.values_list("key", flat=True) if key.endswith("another-section")]


def keys_and_to(section: Section) -> list[tuple[str, str]]:
    found = section.findings.filter(key__endswith="another-section")
    return [(each.key, each.params["to"]) for each in found]


def files_of(section: Section) -> list[str]:
    return [each.name for each in section.uploads.order_by("at")]


def moved(send: Send, client: Client, upload: Upload, section: Section) -> Any:
    return send(client, address(section, "file/move"), {"upload": str(upload.pk)})


# ---------------------------------------------------------------- told at once


@pytest.mark.parametrize(
    ("said", "name", "expected"),
    [
        ("Soweto Open B", NO_NAME, "name-of-another-section"),
        ("Soweto Open", "Soweto B.trf", "name-of-another-section"),
        ("Soweto Open A", NO_NAME, None),
        ("Soweto Open A", "Soweto B.trf", None),  # what the file says of itself weighs more
        ("Soweto Open", NO_NAME, None),
    ],
)
def test_a_file_that_names_another_section_of_the_event_is_told(
    sections: list[Section], amahles: Client, upload: Send, said: str, name: str, expected: str | None
) -> None:
    a, b = sections
    upload(amahles, a, open_file(name=said), name)
    assert keys_and_to(a) == ([(expected, b.key)] if expected else [])
    for step in ("file", "findings"):
        text = amahles.get(address(a, step)).content.decode()
        assert ("Move the file to Soweto Open, B" in text) == bool(expected)


def test_a_file_with_the_results_of_another_section_is_told(
    sections: list[Section], amahles: Client, upload: Send
) -> None:
    a, b = sections
    upload(amahles, b, open_file(name="Soweto Open"), NO_NAME)
    upload(amahles, a, open_file(name="Soweto Open", rounds=6), NO_NAME)
    assert keys_and_to(a) == [("results-of-another-section", b.key)]


def test_the_same_players_with_results_of_their_own_are_told_nothing(
    sections: list[Section], amahles: Client, upload: Send
) -> None:
    a, b = sections
    upload(amahles, b, open_file(name="Soweto Open"), NO_NAME)
    drawn = tuple(replace(game, result="1/2") for game in open_sheet().games)
    upload(amahles, a, open_file(name="Soweto Open", games=drawn), NO_NAME)
    assert (told(a), a.entries.count()) == ([], 6)


def test_a_corrected_file_of_the_same_players_is_told_nothing(
    sections: list[Section], amahles: Client, upload: Send
) -> None:
    a, _b = sections
    upload(amahles, a, open_file(name="Soweto Open"), NO_NAME)
    upload(amahles, a, open_file(name="Soweto Open", rounds=6), NO_NAME)
    assert told(a) == []


def test_a_file_of_the_days_and_name_of_another_event_of_the_region_is_told(
    sections: list[Section], elsewhere: Section, amahles: Client, upload: Send
) -> None:
    starts = date(2026, 2, 27)
    data = open_file(name="Benoni Juniors", starts=starts, ends=starts + timedelta(days=2))
    upload(amahles, sections[0], data, NO_NAME)
    assert keys_and_to(sections[0]) == [("days-of-another-section", elsewhere.key)]


def test_a_file_that_names_another_event_of_the_same_days_whose_section_is_called_alike_is_told(
    sections: list[Section], elsewhere: Section, amahles: Client, upload: Send
) -> None:
    a, _b = sections
    days = {"starts": a.starts, "ends": a.ends}
    Event.objects.filter(pk=elsewhere.event_id).update(**days)
    Section.objects.filter(pk=elsewhere.pk).update(name=a.name, **days)
    upload(amahles, a, open_file(name=f"Benoni Juniors {a.name}"), NO_NAME)
    assert keys_and_to(a) == [("name-of-another-section", elsewhere.key)]
    assert a.findings.get(key="name-of-another-section").params["text"].startswith("Benoni Juniors")
    upload(amahles, a, open_file(name=f"Soweto Open {a.name}", rounds=6), NO_NAME)
    assert told(a) == []


def test_a_section_that_takes_no_file_now_is_not_named(
    sections: list[Section], amahles: Client, upload: Send
) -> None:
    a, b = sections
    Section.objects.filter(pk=b.pk).update(stage=Stage.SUBMITTED)
    upload(amahles, a, open_file(name="Soweto Open B"), NO_NAME)
    assert told(a) == []


# ---------------------------------------------------------------- it can go to the right one


def test_a_file_that_moves_while_it_is_read_is_stored_in_the_right_section_alone(
    sections: list[Section], amahle: User, csa: Federation
) -> None:
    a, b = sections
    terms: dict[str, Any] = {"by": amahle, "on": TODAY, "name": NO_NAME, "data": open_file()}
    receive_file(section=a, at=timezone.now(), **terms)
    reading = jobs.claim_step("uploads", a.uploads.get().pk)
    move_file(upload=a.uploads.get(), section=b, by=amahle, on=TODAY)
    with pytest.raises(ReadingSuperseded):
        store_reading(reading, read_any(open_file(), NO_NAME))
    assert (fresh(a).entries.count(), b.uploads.get().state) == (0, Upload.State.WAITING)


def test_it_moves_at_one_click_and_the_section_goes_back_to_its_own_file(
    sections: list[Section], amahles: Client, upload: Send, send: Send
) -> None:
    a, b = sections
    upload(amahles, a, open_file(name="Soweto Open A"), "a.trf")
    upload(amahles, a, open_file(name="Soweto Open B", rounds=6), "b.trf")
    response = moved(send, amahles, a.uploads.get(name="b.trf"), b)
    assert response["Location"] == address(b, "file")
    a, b = fresh(a), fresh(b)
    assert (files_of(a), files_of(b)) == (["a.trf"], ["b.trf"])
    assert (a.stage, a.rounds, b.stage, b.rounds) == (Stage.FILED, 5, Stage.FILED, 6)
    assert told(a) == told(b) == []
    kinds = Decision.objects.filter(kind__in=("file", "discard")).order_by("number")
    assert [(each.kind, each.about[-1]) for each in kinds][-2:] == [("discard", "A"), ("file", "B")]


def test_a_section_whose_only_file_moves_away_is_registered_again(
    sections: list[Section], amahles: Client, upload: Send, send: Send
) -> None:
    a, b = sections
    upload(amahles, a, open_file(name="Soweto Open B"), NO_NAME)
    moved(send, amahles, a.uploads.get(), b)
    assert (fresh(a).stage, fresh(a).entries.count(), fresh(b).stage) == (Stage.REGISTERED, 0, Stage.FILED)


@pytest.mark.parametrize("stage", [Stage.RETURNED, Stage.UNRATED])
def test_what_the_office_decided_about_a_section_outlives_its_wrong_file(
    sections: list[Section], amahles: Client, upload: Send, send: Send, stage: Stage
) -> None:
    a, b = sections
    upload(amahles, a, open_file(name="Soweto Open B"), NO_NAME)
    Section.objects.filter(pk=a.pk).update(stage=stage)
    moved(send, amahles, a.uploads.get(), b)
    assert (fresh(a).stage, fresh(b).stage) == (stage, Stage.FILED)


def test_a_file_that_another_replaced_may_be_filed_elsewhere(
    sections: list[Section], amahles: Client, upload: Send
) -> None:
    a, b = sections
    of_b = open_file(name="Soweto Open B", rounds=6)
    upload(amahles, a, of_b, "b.trf")
    upload(amahles, a, open_file(name="Soweto Open A"), "a.trf")
    Section.objects.filter(pk=a.pk).update(stage=Stage.RATED)
    upload(amahles, b, of_b, "b.trf")
    assert (files_of(a), files_of(b), fresh(b).stage) == (["a.trf"], ["b.trf"], Stage.FILED)
    assert fresh(a).entries.exists()


@pytest.mark.parametrize("stage", [Stage.REFUSED, Stage.CANCELLED, Stage.WITHDRAWN])
def test_a_file_of_a_section_that_does_not_count_may_be_filed_elsewhere(
    sections: list[Section], amahles: Client, upload: Send, stage: Stage
) -> None:
    a, b = sections
    upload(amahles, a, open_file(), NO_NAME)
    Section.objects.filter(pk=a.pk).update(stage=stage)
    upload(amahles, b, open_file(), NO_NAME)
    assert fresh(b).stage == Stage.FILED


@pytest.mark.parametrize("older", [False, True])
def test_a_cancelled_section_whose_file_was_filed_elsewhere_comes_back_without_its_games(
    sections: list[Section], amahles: Client, amahle: User, upload: Send, older: bool
) -> None:
    a, b = sections
    if older:
        upload(amahles, a, open_file(rounds=4), "older.trf")
    upload(amahles, a, open_file(), NO_NAME)
    seen: dict[str, Any] = {"by": amahle, "on": TODAY}
    cancel_section(section=a, version=fresh(a).version, reason="Too few came.", **seen)
    assert fresh(a).games.exists()  # as long as it has its file
    upload(amahles, b, open_file(), NO_NAME)
    assert (fresh(a).stage, fresh(a).games.count(), fresh(b).games.count()) == (Stage.CANCELLED, 0, 15)
    reinstate_section(section=a, version=fresh(a).version, **seen)
    assert (fresh(a).stage, fresh(a).filed_on, a.uploads.held()) == (Stage.REGISTERED, None, None)
    if older:  # it can be filed again
        upload(amahles, a, open_file(rounds=4), "older.trf")
        assert fresh(a).stage == Stage.FILED


def test_a_cancelled_section_that_kept_its_file_comes_back_with_its_games(
    sections: list[Section], amahles: Client, amahle: User, upload: Send
) -> None:
    a, b = sections
    upload(amahles, a, open_file(), NO_NAME)
    seen: dict[str, Any] = {"by": amahle, "on": TODAY}
    cancel_section(section=a, version=fresh(a).version, reason="Too few came.", **seen)
    upload(amahles, b, open_file(name="Soweto Open B"), NO_NAME)
    reinstate_section(section=a, version=fresh(a).version, **seen)
    assert (fresh(a).stage, fresh(a).games.count()) == (Stage.FILED, 15)


@pytest.mark.parametrize(("moves", "stage"), [(True, Stage.REGISTERED), (False, Stage.SUBMITTED)])
def test_a_refused_section_whose_file_was_filed_elsewhere_does_not_come_back_to_the_review(
    sections: list[Section], amahles: Client, amahle: User, upload: Send, moves: bool, stage: Stage
) -> None:
    a, b = sections
    upload(amahles, a, open_file(), NO_NAME)
    Section.objects.filter(pk=a.pk).update(stage=Stage.REFUSED)
    decide(a.event.federation, kind="refuse", by=None, on=TODAY, about=a.named_on_record, reason="No.")
    if moves:
        upload(amahles, b, open_file(), NO_NAME)
    take_back_decision(section=a, by=None, at=timezone.now(), on=TODAY, version=fresh(a).version)
    assert (fresh(a).stage, fresh(a).games.exists()) == (stage, not moves)


@pytest.mark.parametrize("way", ["move", "discard", "replace"])
def test_what_a_wrong_file_filled_in_leaves_with_it(
    sections: list[Section], amahles: Client, upload: Send, send: Send, way: str
) -> None:
    a, b = sections
    fields = {"rounds": 5, "starts": date(2026, 3, 6), "ends": date(2026, 3, 8), "team": False}
    Section.objects.filter(pk=a.pk).update(particulars={"platform": "otb"}, **fields)
    wrong: dict[str, Any] = {"rounds": 6, "time_text": "3 minutes + 2 seconds", "ends": date(2026, 3, 7)}
    upload(amahles, a, open_file(name="Soweto Open B", **wrong), "b.trf")
    read = fresh(a)
    assert read.particulars["time_controls"] == [{"minutes": [3], "increment": 2}]
    assert (read.rounds, read.ends) == (6, date(2026, 3, 7))
    if way == "move":
        moved(send, amahles, a.uploads.get(), b)
    elif way == "discard":
        send(amahles, address(a, "file/discard"), {"version": read.version})
    if way != "replace":
        now = fresh(a)
        assert {name: getattr(now, name) for name in fields} == fields
        assert (now.particulars, now.round_dates) == ({"platform": "otb"}, [])
    upload(amahles, a, open_file(name="Soweto Open A", time_text=""), "a.trf")
    assert (fresh(a).particulars, fresh(a).rounds) == ({"platform": "otb"}, 5)
    assert not a.findings.filter(key="rounds-differ").exists()


def test_what_a_person_said_since_outlives_the_file(
    sections: list[Section], amahles: Client, amahle: User, upload: Send, send: Send
) -> None:
    a, b = sections
    Section.objects.filter(pk=a.pk).update(rounds=5)
    upload(amahles, a, open_file(name="Soweto Open B", rounds=6), "b.trf")
    save_prefilled_details(fresh(a), by=amahle, on=TODAY)
    moved(send, amahles, a.uploads.get(), b)
    assert fresh(a).rounds == 6


def test_a_file_that_is_sent_again_answers_nothing_about_itself(
    sections: list[Section], amahles: Client, upload: Send
) -> None:
    a, _b = sections
    Section.objects.filter(pk=a.pk).update(rounds=5)
    asked = []
    for rounds in (6, 5, 6):
        upload(amahles, a, open_file(name="Soweto Open A", rounds=rounds), NO_NAME)
        asked.append(a.findings.filter(key="rounds-differ").exists())
    assert asked == [True, False, True]


def test_the_number_of_rounds_that_a_person_said_stays_where_the_file_says_the_other_again(
    sections: list[Section], amahles: Client, amahle: User, upload: Send
) -> None:
    a, _b = sections
    Section.objects.filter(pk=a.pk).update(rounds=5)
    upload(amahles, a, open_file(name="Soweto Open A", rounds=6), NO_NAME)
    Section.objects.filter(pk=a.pk).update(rounds=5)
    a.findings.filter(key="rounds-differ").delete()
    upload(amahles, a, open_file(name="Soweto Open  A", rounds=6), "again.trf")
    assert fresh(a).rounds == 5
    assert not a.findings.filter(key="rounds-differ").exists()


def test_a_file_that_another_section_has_is_refused_with_the_button_that_moves_it(
    sections: list[Section], amahles: Client, upload: Send, send: Send
) -> None:
    a, b = sections
    upload(amahles, a, open_file(), NO_NAME)
    response: Any = upload(amahles, b, open_file(), NO_NAME)
    assert response.status_code == 409
    assert "Move the file to Soweto Open, B" in response.content.decode()
    moved(send, amahles, response.context["movable"], b)
    assert (fresh(a).stage, fresh(b).stage) == (Stage.REGISTERED, Stage.FILED)


@pytest.mark.parametrize("stage", [Stage.SUBMITTED, Stage.RATED])
def test_a_file_that_the_office_has_for_another_section_stays_there(
    sections: list[Section], amahles: Client, upload: Send, send: Send, stage: Stage
) -> None:
    a, b = sections
    upload(amahles, a, open_file(), NO_NAME)
    Section.objects.filter(pk=a.pk).update(stage=stage)
    response = upload(amahles, b, open_file(), NO_NAME)
    assert response.status_code == 409
    assert "Move the file" not in response.content.decode()
    moved(send, amahles, a.uploads.get(), b)
    assert (a.uploads.count(), b.uploads.count()) == (1, 0)


def test_a_file_of_another_regions_section_moves_to_nobody_elses(
    sections: list[Section],
    paarl: Section,
    pieter: User,
    client_of: ClientOf,
    upload: Send,
    send: Send,
    amahles: Client,
) -> None:
    a, _b = sections
    upload(amahles, a, open_file(), NO_NAME)
    response = upload(client_of(pieter), paarl, open_file(), NO_NAME)
    assert response.status_code == 409
    assert "Move the file" not in response.content.decode()
    assert moved(send, client_of(pieter), a.uploads.get(), paarl).status_code == 404
    assert (a.uploads.count(), paarl.uploads.count()) == (1, 0)


@pytest.mark.parametrize(
    ("stage", "replaced", "taken"),
    [
        (Stage.FILED, True, False),
        (Stage.RATED, True, False),
        (Stage.CANCELLED, False, False),  # it may be taken up again
        (Stage.WITHDRAWN, False, True),
    ],
)
def test_a_section_of_another_region_loses_no_file_that_it_can_go_back_to(
    sections: list[Section],
    paarl: Section,
    pieter: User,
    client_of: ClientOf,
    upload: Send,
    amahles: Client,
    stage: Stage,
    replaced: bool,
    taken: bool,
) -> None:
    a, _b = sections
    upload(amahles, a, open_file(), NO_NAME)
    if replaced:
        upload(amahles, a, open_file(rounds=6), "newer.trf")
    Section.objects.filter(pk=a.pk).update(stage=stage)
    files = a.uploads.count()
    response = upload(client_of(pieter), paarl, open_file(), NO_NAME)
    assert response.status_code == (302 if taken else 409)
    assert (a.uploads.count(), paarl.uploads.count()) == (files - taken, taken)


def test_a_file_of_an_archive_whose_wrong_section_got_its_own_is_offered_again(
    sections: list[Section], amahles: Client, upload: Send, send: Send
) -> None:
    a, b = sections
    of_b = open_file(name="Soweto Open B", rounds=6)
    upload(amahles, a, of_b, "b.trf")
    data = zipped(("a.trf", open_file(name="Soweto Open A")), ("b.trf", of_b))
    response = send(
        amahles,
        f"{a.event.get_absolute_url()}sections/zip/",
        {"file": SimpleUploadedFile("both.zip", data)},
    )
    send(amahles, response["Location"], {"file-1-whose": "in-A"})
    send(amahles, response["Location"], {"file-2-whose": "in-B"})
    assert (files_of(a), files_of(b)) == (["a.trf"], ["b.trf"])
