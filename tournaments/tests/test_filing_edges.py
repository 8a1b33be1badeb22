"""The edges of filing: a year half typed, numbers beyond every database, files of a section once rated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django import forms
from django.core.exceptions import ValidationError
from django.test import Client

from players.models import Decision, Federation, Region, User
from players.record import Refused, decide
from tests.built_once import built_once
from tournaments.findings import filing_url
from tournaments.formats.sheet import Official
from tournaments.models import Event, Section, Stage, Upload
from tournaments.tests.conftest import TODAY, Send, address, enter, fresh
from tournaments.tests.event_files import NAMES, open_file
from tournaments.uploads import discard_unreviewed_files

ClientOf = Callable[[User], Client]


@pytest.fixture
@built_once
def filed(amahle: User, client_of: ClientOf, section: Section, upload: Send) -> Section:
    upload(client_of(amahle), section, open_file())
    return fresh(section)


def registration(gauteng: Region, starts: str, ends: str) -> dict[str, Any]:
    section = {"name": "A", "format": "swiss", "own-platform": "otb"}
    section |= {"own-time_controls_0": "90", "own-time_controls_1": "30"}
    return {
        "name": "Soweto Open",
        "region": gauteng.pk,
        "country": "RSA",
        "starts": starts,
        "ends": ends,
        "sections-TOTAL_FORMS": "1",
        "sections-INITIAL_FORMS": "0",
        **{f"sections-0-{name}": value for name, value in section.items()},
    }


@pytest.mark.parametrize(
    ("starts", "ends", "kept"),
    [("2026-11-01", "2026-11-02", True), ("0202-11-01", "0202-11-02", False)],
)
def test_a_year_half_typed_is_asked_again_before_anything_is_written(
    amahle: User, gauteng: Region, client_of: ClientOf, starts: str, ends: str, kept: bool
) -> None:
    client = client_of(amahle)
    response = client.post("/csa/events/register/", registration(gauteng, starts, ends))
    assert response.status_code == (302 if kept else 400)
    assert Event.objects.exists() == kept
    assert kept or "Check the year: 202." in response.content.decode()
    assert client.get("/csa/desk/").status_code == 200


def test_what_an_event_lacks_is_asked_in_the_offices_words_with_a_link_to_each_field(
    amahle: User, client_of: ClientOf
) -> None:
    empty = {"sections-TOTAL_FORMS": "1", "sections-INITIAL_FORMS": "0"}
    response = client_of(amahle).post("/csa/events/register/", empty)
    assert response.status_code == 400
    page = response.content.decode()
    for field, words in (
        ("name", "Name of the event: Give the event its name."),
        ("starts", "First day: Give the first day of play."),
        ("sections-0-name", "Name of the section: Give the section a name, such as A or Open."),
    ):
        assert f'<a href="#id_{field}">{words}</a>' in page
        assert f'id="id_{field}"' in page
    for foreign in ("This field is required", "at least 1 form"):
        assert foreign not in page


def test_an_event_without_any_section_is_asked_for_one(
    amahle: User, gauteng: Region, client_of: ClientOf
) -> None:
    form = registration(gauteng, "2026-11-01", "2026-11-02") | {"sections-TOTAL_FORMS": "0"}
    page = client_of(amahle).post("/csa/events/register/", form).content.decode()
    assert "Add a section. Each section is rated separately" in page
    assert not Event.objects.exists()


@pytest.mark.parametrize(
    ("field", "words"),
    [
        (forms.CharField(), "Fill this in."),
        (forms.ChoiceField(choices=[("a", "a")]), "Choose one."),
        (forms.BooleanField(), "Tick this to go on."),
        (forms.FileField(), "Choose a file."),
        (forms.DateField(error_messages={"required": "Say when."}), "Say when."),
    ],
)
def test_a_field_left_empty_is_asked_for_in_the_offices_words(field: forms.Field, words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        field.clean("")


def test_a_starting_number_beyond_every_database_changes_nothing(
    amahle: User, client_of: ClientOf, filed: Section
) -> None:
    form = {"player": "new", "version": filed.version}
    response = client_of(amahle).post(f"{address(filed, 'players')}{10**20}/", form)
    assert response.status_code == 404
    assert fresh(filed).version == filed.version


def test_a_reason_is_kept_without_what_no_database_takes(
    amahle: User, client_of: ClientOf, filed: Section
) -> None:
    finding = filed.findings.create(source="rules", level="waivable", key="late")
    form = {"version": filed.version, f"reason-{finding.pk}": "the hall was \0flooded"}
    response = client_of(amahle).post(address(filed, "submit"), form)
    assert response.status_code < 500


def test_the_files_of_a_section_that_was_ever_rated_stay(
    csa: Federation, amahle: User, client_of: ClientOf, filed: Section
) -> None:
    decide(csa, kind="approve", by=None, on=TODAY, about=f"section {filed.key}")
    assert filed.stage == Stage.FILED  # it was un-rated, filed anew, and could be thrown away from here
    with pytest.raises(Refused, match="its files cannot be removed"):
        discard_unreviewed_files(section=filed, by=amahle, on=TODAY, version=filed.version)
    assert filed.uploads.count() == 1
    assert not client_of(amahle).get(address(filed, "file")).context["discardable"]


def test_a_section_holds_the_file_that_was_read_and_not_the_unreadable_one_after_it(
    amahle: User, nomsa: User, client_of: ClientOf, filed: Section, upload: Send
) -> None:
    upload(client_of(amahle), filed, b"%PDF-1.7\n%\xe2\xe3\xcf\xd3", "wrong.pdf")
    newest, held = filed.uploads.newest(), filed.uploads.held()
    assert newest is not None
    assert (newest.name, newest.state) == ("wrong.pdf", Upload.State.UNREADABLE)
    assert held is not None
    assert held.name == "section-a.txt"
    response = client_of(nomsa).post(f"{filed.get_absolute_url()}review/file/")
    assert b"".join(response.streaming_content) == open_file()  # type: ignore[attr-defined]


def test_a_region_takes_home_its_own_file_as_it_was_filed_and_the_record_tells_it(
    amahle: User, client_of: ClientOf, filed: Section
) -> None:
    address = f"{filing_url('file', filed)}take/"
    for stage, step in ((Stage.FILED, "file"), (Stage.SUBMITTED, "submit"), (Stage.RATED, "submit")):
        Section.objects.filter(pk=filed.pk).update(stage=stage)
        assert address in client_of(amahle).get(filing_url(step, filed)).content.decode()
        response = client_of(amahle).post(address)
        assert b"".join(response.streaming_content) == open_file()  # type: ignore[attr-defined]
        assert 'filename="section-a.txt"' in response.headers["Content-Disposition"]
    assert filed.event.federation.decisions.filter(kind="open-file", by=amahle).count() == 3


def test_a_page_that_a_reader_keeps_is_another_once_the_file_is_read(
    amahle: User, client: Client, client_of: ClientOf, section: Section, send: Send, upload: Send
) -> None:
    page = section.get_absolute_url()
    before = client.get(page).headers["ETag"]
    upload(client_of(amahle), section, open_file())
    received = section.event.federation.decisions.filter(kind__in=("file", "read"))
    assert set(received.values_list("kind", flat=True)) == {"file", "read"}
    assert client.get(page, headers={"If-None-Match": before}).status_code == 200


def test_a_rated_section_says_what_to_do_to_who_uploads_to_it(
    amahle: User, client_of: ClientOf, section: Section, upload: Send
) -> None:
    Section.objects.filter(pk=section.pk).update(stage=Stage.RATED)
    response = upload(client_of(amahle), section, open_file())
    assert response.status_code == 409
    assert "tell the office on the section&#x27;s page of remarks" in response.content.decode()
    page = client_of(amahle).get(address(section, "submit")).content.decode()
    assert f'<a href="{address(section, "remarks")}">tell the office here</a>' in page


@pytest.mark.parametrize(
    ("stage", "advice"),
    [
        (Stage.SUBMITTED, "you can withdraw it"),
        (Stage.REFUSED, "tell it here"),
        (Stage.CANCELLED, "take it up again on its event’s page"),
        (Stage.WITHDRAWN, "add a section on its event’s page"),
    ],
)
def test_a_section_that_is_not_the_regions_now_says_what_the_region_can_do(
    amahle: User, client_of: ClientOf, section: Section, stage: Stage, advice: str
) -> None:
    Section.objects.filter(pk=section.pk).update(stage=stage, submitted_on=TODAY)
    page = client_of(amahle).get(address(section, "submit")).content.decode()
    assert advice in " ".join(page.split())


def test_an_earlier_file_sent_again_after_another_is_the_section_s_file_again(
    amahle: User, client_of: ClientOf, filed: Section, upload: Send
) -> None:
    other = open_file(arbiters=(Official("Gugu Radebe", "IA", "14399002"),))
    upload(client_of(amahle), filed, other, "another.txt")
    assert named(filed) == ["Gugu Radebe"]
    upload(client_of(amahle), filed, open_file(), "section-a.txt")
    assert named(filed) == ["Nomsa Zulu"]
    held = fresh(filed).uploads.held()
    assert held is not None
    assert held.name == "section-a.txt"


def named(section: Section) -> list[str]:
    return [arbiter["name"] for arbiter in fresh(section).event.arbiters]


def test_the_arbiters_of_a_replaced_file_go_with_it(
    amahle: User, client_of: ClientOf, filed: Section, upload: Send
) -> None:
    assert named(filed) == ["Nomsa Zulu"]
    other = open_file(arbiters=(Official("Gugu Radebe", "IA", "14399002"),))
    upload(client_of(amahle), filed, other, "another.txt")
    assert named(filed) == ["Gugu Radebe"]
    held = fresh(filed)
    discard_unreviewed_files(section=held, by=amahle, on=TODAY, version=held.version)
    assert named(filed) == []


def test_arbiters_whom_a_person_confirmed_stay_whatever_file_comes(
    amahle: User, client_of: ClientOf, filed: Section, upload: Send
) -> None:
    event = filed.event
    event.arbiters = [{"name": "Nomsa Zulu", "title": "IA", "id": "14399001"}]
    event.save()
    other = open_file(arbiters=(Official("Gugu Radebe", "IA", "14399002"),))
    upload(client_of(amahle), filed, other, "another.txt")
    assert named(filed) == ["Nomsa Zulu"]


def keys(section: Section) -> set[str]:
    return set(section.findings.values_list("key", flat=True))


def test_a_file_of_which_the_register_knows_nobody_asks_whether_it_is_the_right_one(
    csa: Federation, amahle: User, client_of: ClientOf, section: Section, upload: Send
) -> None:
    enter(csa, "Qwabe", "Xolani", 1961, "m", number="101000099")
    upload(client_of(amahle), section, open_file())
    assert "nobody-known" in keys(section)


def test_one_known_player_and_a_register_of_nobody_give_no_such_doubt(
    csa: Federation, amahle: User, client_of: ClientOf, section: Section, upload: Send
) -> None:
    upload(client_of(amahle), section, open_file())
    assert "nobody-known" not in keys(section)
    enter(csa, *NAMES[0], number="101000001")
    upload(client_of(amahle), section, open_file(arbiters=()), "again.txt")
    assert "nobody-known" not in keys(section)


# ---------------------------------------------------------------- a file that the office reviewed


@pytest.fixture
@built_once
def returned(csa: Federation, filed: Section) -> Section:
    """Section A as the office returned it after its review."""
    decide(csa, kind="return", by=None, on=TODAY, about=f"section {filed.key}")
    Section.objects.filter(pk=filed.pk).update(stage=Stage.RETURNED, filed_on=TODAY)
    return fresh(filed)


def test_a_wrong_file_after_a_return_is_removed_and_the_reviewed_one_is_read_again(
    amahle: User, client_of: ClientOf, returned: Section, upload: Send, send: Send
) -> None:
    client, reviewed = client_of(amahle), returned.uploads.get()
    other = open_file(arbiters=(Official("Gugu Radebe", "IA", "14399002"),))
    upload(client, returned, other, "another.txt")
    assert named(returned) == ["Gugu Radebe"]
    page = client.get(address(returned, "file/discard")).content.decode()
    assert "“section-a.txt”, the file that the office has reviewed" in " ".join(page.split())
    send(client, address(returned, "file/discard"), {"version": fresh(returned).version})
    assert list(returned.uploads.all()) == [reviewed]
    assert (fresh(returned).stage, named(returned)) == (Stage.FILED, ["Nomsa Zulu"])
    assert fresh(returned).entries.count() == len(NAMES)
    gone = csa_decision("discard").details["sha256"]
    assert gone != [reviewed.sha256]
    assert len(gone) == 1


def csa_decision(kind: str) -> Decision:
    return Decision.objects.filter(kind=kind).order_by("-number")[0]


def test_the_file_that_the_office_reviewed_cannot_be_removed(
    amahle: User, client_of: ClientOf, returned: Section
) -> None:
    assert not client_of(amahle).get(address(returned, "file")).context["discardable"]
    with pytest.raises(Refused, match="has reviewed this file, so it stays"):
        discard_unreviewed_files(section=returned, by=amahle, on=TODAY, version=returned.version)
    assert returned.uploads.count() == 1


def test_where_there_is_no_file_nothing_is_removed_and_nothing_recorded(
    csa: Federation, amahle: User, section: Section
) -> None:
    with pytest.raises(Refused, match="there is nothing to remove"):
        discard_unreviewed_files(section=section, by=amahle, on=TODAY, version=section.version)
    assert not csa.decisions.filter(kind="discard").exists()
