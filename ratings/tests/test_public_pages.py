"""The public's pages: what is open to everybody, what is not yet, and what never is."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from decimal import Decimal

import pytest
from django.test import Client
from django.utils.html import escape

from players.models import Federation, Player, User
from players.names import fold
from players.settings import today
from ratings import approval, publication
from ratings.models import Change, Fact, ListRow, RatingList
from ratings.pages.events import find_rated_line_in_force
from ratings.program import get_current_program
from ratings.tests.office import FIRST, approved, published, recompute_all, register, submitted
from tests.built_once import built_once
from tournaments.models import Adjustment, Section, Stage

pytestmark = pytest.mark.django_db
APRIL, MAY = date(2024, 4, 1), date(2024, 5, 1)


@pytest.fixture
@built_once
def rated(csa: Federation) -> Section:
    """Two events of the same ten players and a list after each: the first gives nobody a rating."""
    players = register(csa, 10)
    approved(submitted(csa, players, number="2024-001"))
    published(csa, APRIL)
    section = submitted(csa, players, number="2024-002", ends=date(2024, 4, 10), seed=2)
    approved(section)
    published(csa, MAY)
    section.refresh_from_db()
    return section


def page(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200, address
    return response.getvalue().decode()


def test_every_public_page_opens_to_somebody_who_is_not_signed_in(client: Client, rated: Section) -> None:
    player = Player.objects.all()[0]
    change = Change.objects.filter(player=player, track="otb-main").order_by("-order")[0]
    for address in (
        "/",
        "/csa/",
        "/csa/lists/",
        "/csa/lists/2024-05/",
        "/csa/lists/2024-05/otb-main/",
        "/csa/lists/2024-05/otb-main/r1/",
        "/csa/players/",
        "/csa/players/?q=inv",
        f"/csa/players/{player.number}/",
        f"/csa/players/{player.number}/otb-main/{change.fact.number}/",
        "/csa/events/",
        "/csa/events/2024-002/",
        "/csa/events/2024-002/A/",
        "/csa/regulations/",
        "/csa/journal/",
        "/csa/check/",
        "/csa/about/",
    ):
        page(client, address)


def test_an_empty_office_says_kindly_what_will_stand_there(client: Client, csa: Federation) -> None:
    for address in ("/", "/csa/", "/csa/lists/", "/csa/players/?q=nobody", "/csa/events/", "/csa/journal/"):
        page(client, address)
    assert "No list has been published yet" in page(client, "/csa/")


def test_an_office_a_list_a_player_or_an_event_that_is_not_there_is_not_found(
    client: Client, rated: Section
) -> None:
    for address in (
        "/nowhere/",
        "/csa/lists/2023-01/",
        "/csa/lists/2024-05/otb-nothing/",
        "/csa/lists/2024-13/otb-main/",
        "/csa/lists/2024-05/otb-main/r2/",
        "/csa/players/999/",
        "/csa/players/101000001/otb-main/1/",
        "/csa/players/101000001/?on=yesterday",
        "/csa/events/2024-099/",
        "/csa/events/2024-002/B/",
    ):
        assert client.get(address).status_code == 404, address


# ---------------------------------------------------------------- lists


def test_a_list_shows_rank_rating_with_one_decimal_and_its_checksum(client: Client, rated: Section) -> None:
    best = ListRow.objects.filter(rating_list__track="otb-main").order_by("position")[0]
    shown = page(client, "/csa/lists/2024-05/otb-main/")
    assert escape(best.player.name) in shown
    assert f"{best.rating:.1f}" in shown
    assert RatingList.objects.get(track="otb-main").sha256 in shown


def test_a_list_of_another_day_than_the_first_is_found_by_its_month_too(
    client: Client, csa: Federation
) -> None:
    players = register(csa, 10)
    for number, seed in (("2024-001", 1), ("2024-002", 2)):
        approved(submitted(csa, players, number=number, seed=seed))
    published(csa, date(2024, 4, 15))
    assert client.get("/csa/lists/2024-04/").headers["Location"] == "/csa/lists/2024-04-15/"
    found = client.get("/csa/lists/2024-04/otb-main/")
    assert found.headers["Location"] == "/csa/lists/2024-04-15/otb-main/"


def test_a_list_is_cut_into_pages_that_lead_to_each_other(client: Client, rated: Section) -> None:
    many_rows(rated.event.federation, 120)
    first = page(client, "/csa/lists/2024-06/otb-main/")
    assert "?after=50" in first
    assert "before=" not in first
    second = page(client, "/csa/lists/2024-06/otb-main/?after=50")
    assert "51 to 100 of 120" in second
    assert "?before=51" in second
    assert "?after=100" in second
    again = page(client, "/csa/lists/2024-06/otb-main/?before=51")
    assert "1 to 50 of 120" in again
    last = page(client, "/csa/lists/2024-06/otb-main/?after=100")
    assert "101 to 120" in last
    assert 'rel="next"' not in last


def test_a_list_opens_at_the_player_asked_for(client: Client, rated: Section) -> None:
    many_rows(rated.event.federation, 120)
    shown = page(client, "/csa/lists/2024-06/otb-main/?player=102000080")
    assert 'class="highlight' in shown
    assert "61 to 110" in shown


@pytest.mark.parametrize(
    ("condition", "count"),
    [
        ("region=GAU", 30),
        ("region=WCA", 30),
        ("region=WCA&sex=f", 0),
        ("sex=f", 20),
        ("age=u14", 0),
        ("age=adult", 40),
        ("q=many", 60),
        ("q=102000007", 1),
        ("q=nobody", 0),
        ("q=,", 0),
        ("region=GAU&q=many", 30),
    ],
)
def test_a_list_is_narrowed_by_region_women_grown_ups_and_name_and_offers_no_age_of_children(
    client: Client, rated: Section, condition: str, count: int
) -> None:
    many_rows(rated.event.federation, 60)
    shown = page(client, f"/csa/lists/2024-06/otb-main/?{condition}")
    assert shown.count('id="p102') == min(count, 50)


def test_a_federation_that_publishes_nothing_of_births_offers_no_age_groups(
    client: Client, rated: Section
) -> None:
    office = rated.event.federation
    assert 'name="age"' in page(client, "/csa/lists/2024-05/otb-main/")
    office.settings = {"births": "none"}
    office.save()
    publication.publish_list(federation=office, by=None, on=date(2024, 6, 1))
    assert 'name="age"' not in page(client, "/csa/lists/2024-05/otb-main/")


def test_a_corrected_list_names_the_one_that_it_supersedes_and_the_old_one_stays(
    client: Client, rated: Section
) -> None:
    old = RatingList.objects.get(track="otb-main")
    corrected = RatingList.objects.create(
        **{
            name: getattr(old, name)
            for name in (
                "federation",
                "track",
                "on",
                "fact",
                "edition",
                "players",
                "content",
                "sha256",
                "published_at",
            )
        },
        revision=2,
        supersedes=old,
        ledger=9,
        note="A result was entered wrongly.",
    )
    assert "A result was entered wrongly." in page(client, corrected.get_absolute_url())
    assert "was corrected" in page(client, "/csa/lists/2024-05/otb-main/r1/")


def many_rows(office: Federation, count: int) -> RatingList:
    """A list of June with that many invented rows, by hand: half of them women, a third young."""
    regions = list(office.regions.all())
    people = Player.objects.bulk_create(
        Player(
            federation=office,
            number=str(102000000 + n),
            surname=f"Many{n:03}",
            first_name="Person",
            sex="fm"[n % 2],
            born=2010 if n % 3 == 0 else 1980,
            region=regions[n % 2],
            name_key=fold(f"Many{n:03}"),
        )
        for n in range(1, count + 1)
    )
    drawn = RatingList.objects.create(
        federation=office,
        track="otb-main",
        on=date(2024, 6, 1),
        fact=Fact.objects.filter(kind="list").latest("number"),
        ledger=7,
        edition="by hand",
        players=count,
        content=b"",
        sha256="0" * 64,
        published_at="2024-06-01T08:00:00Z",
    )
    ListRow.objects.bulk_create(
        ListRow(
            rating_list=drawn,
            player=player,
            rank=position,
            position=position,
            rating=Decimal(2500 - position),
            previous=Decimal(2400),
            games=20,
            status="rated",
        )
        for position, player in enumerate(people, start=1)
    )
    return drawn


# ---------------------------------------------------------------- players


def test_players_are_found_by_surname_name_and_number_never_by_birth(client: Client, csa: Federation) -> None:
    register(csa, 3)
    assert "Invented01, Person" in page(client, "/csa/players/?q=101000002")
    for wanted in ("Inventéd", "101", "101000003"):
        assert "Invented02, Person" in page(client, f"/csa/players/?q={wanted}")
    assert "Nobody found" in page(client, "/csa/players/?q=1981")


def test_a_name_that_begins_alike_is_found_with_its_first_name(client: Client, csa: Federation) -> None:
    for surname, first_name in (("van der Merwe", "Anna"), ("van der Merwe", "Ben"), ("Vandal", "Cem")):
        Player.objects.create(
            federation=csa, number=first_name, surname=surname, first_name=first_name, name_key=fold(surname)
        )
    assert page(client, "/csa/players/?q=Vand").count("/csa/players/") > 3
    for wanted in ("van der Merwe, A", "van der merwe anna"):
        shown = page(client, f"/csa/players/?q={wanted}")
        assert "Anna" in shown
        assert "Ben" not in shown


def test_a_merged_entry_leads_to_the_one_that_stands(client: Client, csa: Federation) -> None:
    kept, merged = register(csa, 2)
    merged.merged_into = kept
    merged.save()
    response = client.get(f"/csa/players/{merged.number}/")
    assert response.headers["Location"] == f"/csa/players/{kept.number}/"
    assert "101000002" not in page(client, "/csa/players/?q=inv")


def test_a_search_for_a_merged_number_finds_the_entry_that_stands(client: Client, csa: Federation) -> None:
    kept, merged = register(csa, 2)
    merged.merged_into = kept
    merged.save()
    assert f"/csa/players/{kept.number}/" in page(client, f"/csa/players/?q={merged.number}")
    assert "Nobody found" in page(client, f"/csa/players/?q={merged.number}0")


def test_who_asked_not_to_be_named_is_named_nowhere(client: Client, rated: Section) -> None:
    player = Player.objects.all()[0]
    Player.objects.filter(pk=player.pk).update(withheld=True)
    change = Change.objects.filter(player=player, track="otb-main").latest("order")
    for address in (
        "/csa/",
        "/csa/lists/2024-05/otb-main/",
        f"/csa/players/{player.number}/",
        f"/csa/players/{player.number}/otb-main/{change.fact.number}/",
        f"/csa/players/?q={player.number}",
        "/csa/events/2024-002/A/",
        "/csa/lists/2024-05/otb-main/r1/names.json",
    ):
        shown = page(client, address)
        assert player.surname not in shown, address
    assert "Nobody found" in page(client, f"/csa/players/?q={player.surname}")


def test_a_minors_page_is_kept_out_of_search_engines_and_an_adults_is_not(
    client: Client, csa: Federation
) -> None:
    adult, minor = register(csa, 2)
    Player.objects.filter(pk=minor.pk).update(born=today(csa).year - 18)
    assert "noindex" not in page(client, f"/csa/players/{adult.number}/")
    assert "noindex" in page(client, f"/csa/players/{minor.number}/")


def test_a_players_page_shows_no_year_of_birth(client: Client, rated: Section) -> None:
    player = Player.objects.all()[0]
    assert str(player.born) not in page(client, f"/csa/players/{player.number}/")


def test_a_day_asked_for_shows_the_rating_of_that_day_and_the_list_then_in_force(
    client: Client, rated: Section
) -> None:
    player = Player.objects.all()[0]
    address = f"/csa/players/{player.number}/"
    assert "Unrated, collecting games" in page(client, f"{address}?on=2024-04-05")
    program = get_current_program().name
    says_so = f'python {program} replay csa-journal.ndjson <span class="unbroken">--as-of 2024-04-05'
    assert says_so in page(client, f"{address}?on=2024-04-05"), "in words that whoever has the file can type"
    now = page(client, f"{address}?track=otb-main")
    listed = ListRow.objects.get(player=player, rating_list__track="otb-main")
    assert f"{listed.rating:.1f}" in now
    assert f"{listed.rating:.1f}" not in page(client, f"{address}?on=2024-04-05")


# ---------------------------------------------------------------- workings


def test_a_working_tells_every_step_with_its_clause_and_every_game(client: Client, rated: Section) -> None:
    player = Player.objects.all()[0]
    third = submitted(
        rated.event.federation, list(Player.objects.all()), number="2024-003", ends=date(2024, 5, 10), seed=3
    )
    fact = approved(third)
    shown = page(client, f"/csa/players/{player.number}/otb-main/{fact.number}/")
    assert shown.count("<li>") >= 10
    assert 'href="/csa/regulations/#clause-29"' in shown
    assert shown.count('scope="row"') >= 6
    assert "{" not in shown.partition("<main")[2]


def test_each_clause_that_a_working_names_stands_in_the_regulations(client: Client, rated: Section) -> None:
    regulations = page(client, "/csa/regulations/")
    for change in Change.objects.filter(track__in=("otb-main", "otb-standard")).select_related(
        "fact", "player"
    ):
        shown = page(client, f"/csa/players/{change.player.number}/{change.track}/{change.fact.number}/")
        for part in shown.split("#clause-")[1:]:
            assert f'id="clause-{part.partition(chr(34))[0]}"' in regulations


def test_the_working_of_a_list_shows_by_how_much_the_list_moved_the_rating(
    client: Client, csa: Federation, rated: Section
) -> None:
    people = list(Player.objects.order_by("number"))
    approved(submitted(csa, people, number="2024-003", ends=date(2024, 5, 10), seed=3))
    published(csa, date(2024, 6, 1))
    moved = Change.objects.filter(fact__kind="list", track="otb-main").select_related("fact", "player")
    change = next(each for each in moved if each.after != each.before is not None)
    answer = client.get(f"/csa/players/{change.player.number}/otb-main/{change.fact.number}/")
    line = answer.context["line"]
    assert line.at_once == change.after - change.before == -line.waits
    assert line.closes


def test_the_working_of_an_unrated_section_is_gone(client: Client, rated: Section) -> None:
    fact = Fact.objects.get(kind="rated", subject="2024-002/A")
    address = f"/csa/players/101000001/otb-main/{fact.number}/"
    page(client, address)
    approval.unrate(
        section=rated,
        by=None,
        on=MAY,
        version=rated.version,
        reason="result",
        words="entered wrongly",
        after_list=True,
    )
    recompute_all(rated.event.federation)
    assert client.get(address).status_code == 404


# ---------------------------------------------------------------- events


def test_no_rating_of_a_section_holds_once_it_is_taken_back(csa: Federation, rated: Section) -> None:
    lines = Fact.objects.filter(federation=csa, subject=rated.key).order_by("number")
    assert find_rated_line_in_force(lines) == lines.get(kind="rated")
    approval.unrate(
        section=rated, by=None, on=MAY, version=rated.version, reason="result", words="slip", after_list=True
    )
    assert find_rated_line_in_force(lines.all()) is None


def test_before_it_is_rated_a_section_shows_neither_entries_nor_games(
    client: Client, csa: Federation
) -> None:
    section = submitted(csa, register(csa, 8))
    section.remarks = "Round 3 is doubtful"
    section.event.organizer = "A. Body"
    section.event.save()
    for stage in Stage.values:
        if stage not in (Stage.RATED, Stage.WITHDRAWN):  # a withdrawn one answers 410 and is on no page
            section.stage = stage
            section.save()
            shown = page(client, "/csa/events/2024-001/A/") + page(client, "/csa/events/2024-001/")
            assert "Invented" not in shown
            assert "doubtful" not in shown
            assert "A. Body" not in shown
            assert str(section.get_stage_display()).lower() in shown.lower()


def test_an_organizer_is_named_in_public_without_mail_and_telephone(client: Client, rated: Section) -> None:
    event = rated.event
    event.organizer = "Gauteng, Lindiwe Botha, lindiwe@example.org, +27 82 000 0000"
    event.save()
    shown = page(client, f"/csa/events/{event.number}/")
    assert "Gauteng, Lindiwe Botha" in shown
    assert "lindiwe@" not in shown
    assert "82 000" not in shown


def test_a_rated_sections_cross_table_has_ratings_cells_and_links_to_workings(
    client: Client, rated: Section
) -> None:
    shown = page(client, "/csa/events/2024-002/A/?track=otb-standard")
    fact = Fact.objects.get(kind="rated", subject="2024-002/A")
    links = [
        f"/csa/players/{number}/otb-standard/{fact.number}/"
        for number in Player.objects.values_list("number", flat=True)
    ]
    assert all(shown.count(link) == 1 for link in links)
    assert shown.count('class="round won"') + shown.count('class="round lost"') > 10
    assert "Line" in shown


def test_a_section_that_is_rated_and_not_yet_folded_says_so(client: Client, csa: Federation) -> None:
    section = submitted(csa, register(csa, 8))
    approval.approve(section=section, by=None, on=FIRST, version=section.version)
    shown = page(client, "/csa/events/2024-001/A/")
    assert "being computed" in shown
    assert "Invented01" in shown


def test_what_the_reader_adjusted_is_told_once_the_section_is_rated(client: Client, rated: Section) -> None:
    Adjustment.objects.create(section=rated, key="points-missing", line=7, before="1.5", after="2")
    Adjustment.objects.create(section=rated, key="birth-not-read", line=9, before="31.02.2010", after="")
    shown = page(client, "/csa/events/2024-002/A/")
    assert "1.5 → 2" in shown
    assert "The date of birth could not be read" in shown
    assert "31.02.2010" not in shown
    player = rated.entries.get(number=1).player
    assert player
    params = {"number": 1, "filed": "7", "counted": "6.5"}
    rated.findings.create(source="file", level="notice", key="points-differ", line=8, params=params)
    shown = page(client, "/csa/events/2024-002/A/")
    assert f"not the points in the file: 1 {player.shown_name}" in shown
    assert "7 → 6.5" in shown


def test_events_are_narrowed_by_name_region_stage_and_year(client: Client, rated: Section) -> None:
    submitted(rated.event.federation, list(Player.objects.all()), number="2025-001", ends=date(2025, 1, 5))
    for condition, expected in (
        ("q=2024-002", {"2024-002"}),
        ("q=open", {"2024-001", "2024-002", "2025-001"}),
        ("stage=submitted", {"2025-001"}),
        ("year=2024", {"2024-001", "2024-002"}),
        ("region=WCA", set()),
        ("page=99", set()),
    ):
        shown = page(client, f"/csa/events/?{condition}")
        found = {number for number in ("2024-001", "2024-002", "2025-001") if f"/events/{number}/" in shown}
        assert found == expected, condition


def won(section: Section) -> Player:
    """Give the first entrant the first place."""
    entry = section.entries.select_related("player").order_by("number")[0]
    entry.place = 1
    entry.save()
    assert entry.player is not None
    return entry.player


def test_the_calendar_says_who_won_and_how_many_played_and_leads_to_the_one_table(
    client: Client, rated: Section
) -> None:
    shown = page(client, f"/csa/events/?q={rated.event.number}")
    entries = rated.entries.select_related("player").order_by("number")
    assert f'href="{rated.get_absolute_url()}"' in shown
    first = entries[0].player
    assert first is not None
    assert first.shown_name not in shown
    won(rated)
    assert first.shown_name in page(client, f"/csa/events/?q={rated.event.number}&page=1")
    row = client.get(f"/csa/events/?q={rated.event.number}").context["past"].rows[0]
    assert row.get_cell("players") == str(entries.count())
    assert row.get_cell("games") == str(rated.games.count())


def test_a_winner_who_asked_not_to_be_named_is_not(client: Client, rated: Section) -> None:
    winner = won(rated)
    assert winner.surname in page(client, rated.event.get_absolute_url())
    Player.objects.filter(pk=winner.pk).update(withheld=True)
    assert winner.surname not in page(client, f"/csa/events/?q={rated.event.number}")
    assert winner.surname not in page(client, f"{rated.event.get_absolute_url()}?again")


def test_an_event_of_several_sections_keeps_its_own_page(client: Client, rated: Section) -> None:
    event, days = rated.event, {"starts": rated.starts, "ends": rated.ends}
    Section.objects.create(event=event, code="B", name="B", format="swiss", **days)
    shown = page(client, f"/csa/events/?q={event.number}")
    assert f'href="{event.get_absolute_url()}"' in shown


def test_the_row_of_a_player_is_led_to_from_their_page_and_found_by_name(
    client: Client, rated: Section, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ratings.pages.events.ROWS_IN_SIGHT", 1)
    player = rated.entries.select_related("player").order_by("number")[0].player
    assert player is not None
    address = rated.get_absolute_url()
    assert f"{address}?track=otb-main#p{player.number}" in page(client, player.get_absolute_url())
    assert f'<tr id="p{player.number}">' in page(client, address)
    found = client.get(address, {"find": player.shown_name, "view": "standings"})
    assert found.headers["Location"] == f"{address}?view=standings#p{player.number}"
    several = page(client, f"{address}?find={player.surname[:3]}")
    assert f'href="#p{player.number}"' in several
    nobody = client.get(address, {"find": "nobody"})
    assert nobody.headers["Location"] == "/csa/players/?q=nobody"


def test_only_who_files_for_the_region_is_led_to_filing(
    client_of: Callable[[User], Client], csa: Federation, amahle: User, pieter: User
) -> None:
    section = submitted(csa, register(csa, 8))
    section.stage = Stage.REGISTERED
    section.save()
    link = f'href="{section.get_absolute_url()}file/"'
    assert link in page(client_of(amahle), "/csa/events/2024-001/A/")
    assert link not in page(client_of(pieter), "/csa/events/2024-001/A/")
