"""A sixth federation is one new folder: its office, forms, pages and explanations are there with it."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from conftest import LONG_AGO
from players.appointments import appoint, create_office
from players.models import Federation, Player, Role, User
from players.settings import today
from ratings import rulesets as ratings
from ratings.models import Change, RatingList, Standing
from ratings.replay import replay
from ratings.rulesets import rulesets
from ratings.rulesets.ruleset import Ruleset
from ratings.tests.office import recompute_all
from ratings.tests.test_corrections_in_their_place import LAWS
from ratings.tests.test_every_ruleset import PROPERTIES
from tournaments.models import Section, Stage, Upload
from tournaments.section_files import read_upload_without_box
from tournaments.tests.conftest import address, fresh
from tournaments.tests.test_table_filing import keep_details

FOLDER = Path(__file__).parent / "sixth" / "morris"
FILE = (
    b"number;surname;first name\n1;Byrne;Orla\n2;Keane;Fintan\n3;Doyle;Maeve\n4;Nolan;Cian\n\n"
    b"round;first;second;result\n1;1;4;1-0\n1;2;3;1/2\n2;4;3;0-1\n2;1;2;1-0\n3;2;4;+:-\n3;3;1;0-1\n4;2;;full\n"
)
"""Orla wins all three games, Cian comes to two of his; in the end Fintan has a bye."""


@pytest.fixture
def morris(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ruleset]:
    """The folder laid beside the others, and nothing else anywhere."""
    shutil.copytree(FOLDER, tmp_path / "morris", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "notes").mkdir()  # a folder without a package is no federation
    before = set(rulesets())
    assert "morris" not in before
    monkeypatch.setattr(ratings, "__path__", [*ratings.__path__, str(tmp_path)])
    rulesets.cache_clear()
    assert set(rulesets()) == {*before, "morris"}
    yield rulesets()["morris"]
    monkeypatch.undo()
    rulesets.cache_clear()
    for module in [name for name in sys.modules if name.startswith("ratings.rulesets.morris")]:
        sys.modules.pop(module)


@pytest.fixture
def office(db: None, morris: Ruleset) -> Federation:
    """Made as every office is, with one person who files and one who decides."""
    made = create_office(ruleset_slug="morris", official_email="decides@morris.example", on=LONG_AGO)
    region = made.regions.get()
    appoint(
        federation=made,
        email="files@morris.example",
        role=Role.REGIONAL,
        region=region,
        starts=LONG_AGO,
        by=None,
        on=LONG_AGO,
    )
    return made


def browser_of(name: str) -> Client:
    client = Client()
    client.force_login(User.objects.get(email=f"{name}@morris.example"))
    return client


def post(client: Client, url: str, data: Any) -> Any:
    return client.post(url, data)


def words_of(answer: Any) -> str:
    assert answer.status_code == 200
    return " ".join(answer.content.decode().split())


# ---------------------------------------------------------------- the rules


@pytest.mark.parametrize("holds", [*PROPERTIES, *LAWS], ids=lambda holds: holds.__name__)
def test_what_holds_for_every_ruleset_holds_for_it(holds: Any, morris: Ruleset) -> None:
    for seed in range(8):
        holds.hypothesis.inner_test(ruleset=morris, seed=seed)


# ---------------------------------------------------------------- the office


def test_its_office_takes_an_event_from_registration_to_a_working_that_everybody_reads(
    office: Federation, client: Client
) -> None:
    files, decides = browser_of("files"), browser_of("decides")
    section = register(files, office)
    bring(files, section)
    approve(decides, section)
    day = publish(decides, office)
    look_at_the_list(client, day)
    look_at_the_working(client)
    look_at_the_cross_table(client)
    look_at_the_rest(client)
    replayed = replay(b"".join(client.get("/morris/journal.ndjson")))["ratings"]
    stored = dict(Standing.objects.values_list("player__number", "rating"))
    assert {row["player"]: Decimal(row["rating"]) for row in replayed} == stored


def register(files: Client, office: Federation) -> Section:
    """The form asks what this federation alone asks, and does not go on without it."""
    form = words_of(files.get("/morris/events/register/"))
    assert "Played at" in form
    assert "A hearth evening" in form
    assert "Boards laid out" in form
    assert "Time control" not in form
    ends = today(office) - timedelta(days=2)
    said = {
        "name": "Lantern Fair",
        "region": str(office.regions.get().pk),
        "country": "IRL",
        "starts": ends.isoformat(),
        "ends": ends.isoformat(),
        "sections-TOTAL_FORMS": "1",
        "sections-INITIAL_FORMS": "0",
        "sections-0-name": "A",
        "sections-0-format": "round-robin",
        "sections-0-rounds": "4",
        "sections-0-own-boards": "1",
    }
    assert files.post("/morris/events/register/", said).status_code == 400
    assert (
        files.post("/morris/events/register/", {**said, "sections-0-own-category": "fair"}).status_code == 302
    )
    section = Section.objects.select_related("event__federation").get()
    assert section.particulars == {"category": "fair", "boards": 1}
    return section


def bring(files: Client, section: Section) -> None:
    """The file, the details, four new players, and the reason for which two games shared a board."""
    template = files.get("/morris/events/table.csv").content.decode()
    assert "place" not in template.splitlines()[0]
    filed = {"file": SimpleUploadedFile("fair.csv", FILE)}
    assert files.post(address(section, "file"), filed).status_code == 302
    read_upload_without_box(Upload.objects.get())
    played = {f"round-{number}": section.ends.isoformat() for number in (1, 2, 3, 4)}
    assert keep_details(files, section, post, **played).status_code == 302
    everybody = {"version": fresh(section).version, "entry": ["1", "2", "3", "4"]}
    assert files.post(address(section, "players") + "decide/", everybody).status_code == 302
    answer = files.get(address(section, "submit"))
    page, [asked] = words_of(answer), answer.context["asked"]
    assert "There were 1 boards and 2 are needed. Say how everybody could play." in page
    assert "Pins" in page
    submit(files, section, expected=409)
    submit(files, section, expected=302, **{asked["name"]: "They took turns."})
    assert fresh(section).stage == Stage.SUBMITTED


def submit(files: Client, section: Section, *, expected: int, **reasons: str) -> None:
    said: dict[str, Any] = {"version": fresh(section).version, **reasons}
    assert files.post(address(section, "submit"), said).status_code == expected


def approve(decides: Client, section: Section) -> None:
    """The official sees what would move, allows the boards and approves; the worker works it out."""
    answer = decides.get(address(section, "review"))
    page, [asked] = words_of(answer), answer.context["waivable"]
    assert "They took turns." in page
    assert "Rating changes if you approve" in page
    assert "A fair" in page
    said = {"version": fresh(section).version, asked["name"]: "Seen and allowed."}
    assert decides.post(address(section, "approve"), said).status_code == 302
    recompute_all(section.event.federation)
    assert "all effects are computed" in words_of(decides.get(address(section, "outcome")))
    won = dict(Standing.objects.values_list("player__surname", "rating"))
    assert won == {"Byrne": 36, "Keane": 4, "Doyle": 16, "Nolan": 0}  # §2: twice as many at a fair


def publish(decides: Client, office: Federation) -> date:
    day = today(office)
    said = {"on": day.isoformat(), "typed": day.isoformat()}
    assert decides.post("/morris/lists/publish/", said).status_code == 302
    recompute_all(office)
    return day


def look_at_the_list(client: Client, day: date) -> None:
    """§4: on it stand those who are settled."""
    [published] = RatingList.objects.all()
    page = words_of(client.get(published.get_absolute_url()))
    assert "Pins" in page
    for surname, listed in (("Byrne", True), ("Doyle", True), ("Keane", False), ("Nolan", False)):
        assert (surname in page) is listed
    assert page.index("Byrne") < page.index("Doyle")
    assert published.on == day


def look_at_the_working(client: Client) -> None:
    """Every step with its clause, from a player's page; who is not settled has a status of their own."""
    orla, cian = (Player.objects.get(surname=surname) for surname in ("Byrne", "Nolan"))
    change = Change.objects.get(player=orla)
    address = f"{orla.get_absolute_url()}pins/{change.fact.number}/"
    assert address in words_of(client.get(orla.get_absolute_url()))
    page = words_of(client.get(address))
    assert "2 × (6 × 3 + 2 × 0) = 36" in page
    assert "A won game brings six pins and a drawn one two; at a fair twice as many." in page
    assert 'href="/morris/regulations/#clause-2"' in page
    other = words_of(client.get(f"{cian.get_absolute_url()}pins/{change.fact.number}/"))
    assert "Not played: brings nothing" in other


def look_at_the_cross_table(client: Client) -> None:
    """D-M-2: three points for a won game, one for a drawn one; a forfeit and a bye are worth nothing."""
    page = client.get(Section.objects.get().get_absolute_url())
    rows = {row.name.partition(",")[0]: row for row in page.context["table"].rows}
    assert {name: row.score for name, row in rows.items()} == {
        "Byrne": "9 p",
        "Doyle": "4 p",
        "Keane": "1 p",
        "Nolan": "0 p",
    }
    assert [cell.text for cell in rows["Keane"].cells] == ["2l=", "1dL", "4l+", "sits"]
    legend = "12lW means: a win against number 12 as light (d is dark). = is a draw, + and − are forfeits."
    assert legend in words_of(page)
    fintan, orla = (Player.objects.get(surname=surname) for surname in ("Keane", "Byrne"))
    assert "1 p" in words_of(client.get(fintan.get_absolute_url()))
    change = Change.objects.get(player=orla)
    working = client.get(f"{orla.get_absolute_url()}pins/{change.fact.number}/")
    assert '<td class="num">1 p</td>' in words_of(working)


def look_at_the_rest(client: Client) -> None:
    assert "Society of the Mill" in words_of(client.get("/"))
    regulations = words_of(client.get("/morris/regulations/"))
    for words in ("Hearth rules", "Pins of a won game", "What does a game bring that was not played?"):
        assert words in regulations
    thrift = words_of(client.get("/morris/tables/thrift/"))
    assert "Pins a game, of all games" in thrift
    assert "Byrne" in thrift
    section = Section.objects.get()
    assert "Byrne" in words_of(client.get(section.get_absolute_url()))
    for page in ("", "lists/", "players/", "events/", "journal/", "check/", "tables/"):
        assert client.get(f"/morris/{page}").status_code == 200
