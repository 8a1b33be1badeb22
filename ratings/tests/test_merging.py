"""Merging two entries of the register: what is promised comes, the journal tells it, and nobody else may."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from decimal import Decimal
from itertools import combinations
from typing import Any

import pytest
from django.db import transaction
from django.db.models import Q
from django.test import Client

from conftest import appointed
from players import jobs
from players.display import round_rating
from players.models import BirthDate, Decision, Federation, Identifier, Ledger, Player, Role, User
from players.record import Refused, lock_ledger
from players.register import player_fact
from players.settings import today
from ratings import approval, people as services, publication
from ratings.as_if import preview_merge
from ratings.intake import import_journal
from ratings.journal import AFTER_EVERYTHING, JournalWriter, build_foldable_fact
from ratings.merging import compute_mark, merge_players, shared_sections
from ratings.models import Change, Fact, RatingList, Standing
from ratings.pages.merging import compare_entries, differences, opening_conflicts
from ratings.player_ratings import get_ratings, get_ratings_from_state
from ratings.replay import replay
from ratings.results import state_before
from ratings.rulesets import facts, journal, rulesets
from ratings.rulesets.profile import equipment_of
from ratings.rulesets.ruleset import Ruleset
from ratings.statement import read_balances
from ratings.tests.files import fetched, table_of
from ratings.tests.journals import journal_of
from ratings.tests.office import FIRST, approved, published, recompute_all, register, submitted
from ratings.tests.strategies import record
from ratings.tests.test_closings import fingerprints_of_a_replay
from ratings.tests.test_every_office import exported, stands_as_replayed
from ratings.tests.test_fold_preview import written
from tests.built_once import built_once
from tournaments.models import Entry, Game, Section, Stage

pytestmark = [pytest.mark.django_db, pytest.mark.servers]
every_ruleset = pytest.mark.parametrize("ruleset", rulesets().values(), ids=rulesets().keys())
TODAY = date(2030, 1, 1)


@pytest.fixture
@built_once
def two(csa: Federation) -> tuple[Player, Player]:
    """Nine play in one section; in another the tenth takes the place of the first."""
    people = register(csa, 9)
    approved(submitted(csa, people[:8], number="2024-001"))
    approved(submitted(csa, [people[8], *people[1:8]], number="2024-002", ends=FIRST + timedelta(7), seed=2))
    return people[8], people[0]


def merged(player: Player, into: Player, on: date = TODAY) -> Fact:
    fact = merge_players(player=player, into=into, by=None, on=on, reason="the same birth certificate")
    recompute_all(into.federation)
    return fact


def office_of(ruleset: Ruleset) -> tuple[Player, Player]:
    """Two players with games who stand in no section together, of a random record with a register of few."""
    for seed in range(40):
        written_record = journal_of(ruleset, record(ruleset, seed, sections=10))
        office = import_journal(journal.read_journal(written_record.splitlines()), on=TODAY)
        played = list(Player.objects.of(office).filter(entries__isnull=False).distinct().order_by("number"))
        for player, into in combinations(played, 2):
            if not shared_sections(player, into):
                recompute_all(office)
                return player, into
        Federation.objects.filter(pk=office.pk).update(code=f"other-{seed}")
    raise LookupError("no two such players")


@every_ruleset
def test_after_a_merge_the_office_stands_as_a_replay_of_its_journal_does(ruleset: Ruleset) -> None:
    player, into = office_of(ruleset)
    office = into.federation
    services.correct_player(player=player, by=None, on=TODAY, nation="NZL")
    recompute_all(office)
    merged(player, into)
    stands_as_replayed(office)
    told = {row["player"] for row in replay(exported(office))["ratings"]}
    assert player.number not in told
    assert not Standing.objects.filter(player=player).exists()
    assert not Change.objects.filter(player=player).exists()


@every_ruleset
def test_what_the_page_promises_is_what_merging_gives(ruleset: Ruleset) -> None:
    player, into = office_of(ruleset)
    office = into.federation
    before = written(office)
    count = Fact.objects.count()
    found = preview_merge(player, into, TODAY)
    assert Fact.objects.count() == count
    promised = get_ratings_from_state(office, found.state, into.number, TODAY)
    merged(player, into)
    after = written(office)
    assert found.unseen == 0
    assert promised == {track: rating for (_n, track), rating in get_ratings(office, [into], TODAY).items()}
    shown = read_balances(ruleset, state_before(office, AFTER_EVERYTHING), TODAY)
    moved = {(each.player, each.track): each.after for each in found.ratings}
    assert moved == {key: shown[key].total if key in shown else None for key in moved}, (
        "what waits for the next list counts"
    )
    earlier = {key for key, *_ in get_ratings(office, [player], TODAY)}
    assert earlier <= moved.keys(), "the entry that ends has no rating any more"
    told = {each.line: each.players for each in found.rerated}
    assert told == changed(
        before, after, player.number, into.number, equipment_of(ruleset).publication.decimals
    )


def changed(
    before: dict[Any, Any], after: dict[Any, Any], ends: str, stays: str, places: int
) -> dict[int, int]:
    """How many players' ratings came out otherwise as shown, by the line; of the two entries as of one."""
    own_last = sorted(before, key=lambda key: key[1] != ends)
    was = {
        (n, stays if player == ends else player, track): before[n, player, track]
        for n, player, track in own_last
    }
    people: dict[int, set[str]] = {}
    for key in {**was, **after}:
        if tell(was.get(key), places) != tell(after.get(key), places):
            people.setdefault(key[0], set()).add(key[1])
    return {number: len(players) for number, players in people.items()}


def tell(change: Any, places: int) -> Decimal | None:
    """The rating with its points in it, in the digits that are shown."""
    before, rating, points = change[:3] if change else (None, None, None)
    return round_rating(rating if before is None or points is None else before + points, places)


def test_a_merge_is_a_line_of_the_journal_and_a_decision_of_the_record(
    two: tuple[Player, Player], nomsa: User
) -> None:
    player, into = two
    merge_players(player=player, into=into, by=nomsa, on=TODAY, reason=" a letter of 3 May ")
    line = Fact.objects.get(kind="merged").line
    assert line == '{"fact":"merged","player":"101000009","into":"101000001","on":"2030-01-01"}'
    decision = Decision.objects.latest("number")
    assert (decision.kind, decision.about, decision.by) == ("merge", "player 101000009", nomsa)
    fact = Fact.objects.get(kind="merged").number
    assert decision.details == {"into": "101000001", "reason": "a letter of 3 May", "fact": fact}
    assert Ledger.objects.get().pending


def test_a_merge_is_read_by_a_replay_and_gives_the_same_office_anew(two: tuple[Player, Player]) -> None:
    player, into = two
    published(into.federation, date(2024, 4, 1))
    merged(player, into)
    lines = exported(into.federation).decode().splitlines()
    assert [x["games"] for x in replay(exported(into.federation))["ratings"] if x["player"] == into.number][
        :1
    ] == [12]
    twin = import_journal(
        journal.read_journal([line.replace('"code":"csa"', '"code":"twin"', 1) for line in lines]), on=TODAY
    )
    recompute_all(twin)
    stands_as_replayed(twin)
    standings = [
        list(
            Standing.objects.filter(federation=office)
            .order_by("player__number", "track")
            .values_list("player__number", "track", "state")
        )
        for office in (into.federation, twin)
    ]
    assert standings[0] == standings[1]
    checksums = [
        sorted(RatingList.objects.of(office).values_list("track", "sha256"))
        for office in (into.federation, twin)
    ]
    assert checksums[0] == checksums[1]


def test_d_2_a_published_list_stays_as_it_was(two: tuple[Player, Player]) -> None:
    player, into = two
    lists = published(into.federation, date(2024, 4, 1))
    before = {each.track: (each.sha256, bytes(each.content)) for each in lists}
    merged(player, into)
    after = RatingList.objects.of(into.federation)
    assert {each.track: (each.sha256, bytes(each.content)) for each in after} == before
    stands_as_replayed(into.federation)


def test_the_particulars_above_a_rating_are_those_of_the_one_who_stays(
    two: tuple[Player, Player],
) -> None:
    player, into = two
    office = into.federation
    services.correct_player(player=player, by=None, on=date(2024, 6, 1), nation="NAM")
    people = list(office.players.order_by("number"))
    approved(submitted(office, [*people[1:8], player], number="2024-003", ends=date(2024, 6, 8), seed=3))
    merged(player, into)
    stands_as_replayed(office)
    in_force = Fact.objects.filter(federation=office).in_force()
    assert fingerprints_of_a_replay(office) == dict(in_force.values_list("number", "fingerprint"))
    third = Fact.objects.filter(kind="rated", subject="2024-003/A").select_related("takes").get()
    folded = build_foldable_fact(third)
    assert isinstance(folded, facts.RatedSection)
    assert folded.players[into.number].nation == "RSA"
    below = Fact.objects.filter(number__gt=third.number)
    assert [fact.kind for fact in below] == ["merged"], "no particulars are written anew"


# ---------------------------------------------------------------- what is refused


def refused(player: Player, into: Player, reason: str = "so it is") -> str:
    lines, decisions = Fact.objects.count(), Decision.objects.count()
    with pytest.raises(Refused) as why:
        merge_players(player=player, into=into, by=None, on=TODAY, reason=reason)
    assert (Fact.objects.count(), Decision.objects.count()) == (lines, decisions)
    assert not Player.objects.filter(pk=player.pk, merged_into=into).exists()
    return str(why.value)


def test_two_who_stand_in_one_section_are_two_people(two: tuple[Player, Player]) -> None:
    _player, into = two
    other = into.federation.players.get(number="101000002")
    assert "2024-001/A" in refused(other, into)
    assert "2024-001/A, 2024-002/A" in refused(other, into.federation.players.get(number="101000003"))


@pytest.mark.parametrize(
    ("stage", "stands"), [(Stage.FILED, True), (Stage.SUBMITTED, True), (Stage.REFUSED, False)]
)
def test_a_section_that_is_still_to_be_rated_counts_and_a_refused_one_does_not(
    two: tuple[Player, Player], stage: Stage, stands: bool
) -> None:
    player, into = two
    waiting = submitted(into.federation, [player, into], number="2024-009", rounds=1)
    Section.objects.filter(pk=waiting.pk).update(stage=stage)
    assert bool(shared_sections(player, into)) is stands
    if stands:
        assert "2024-009/A" in refused(player, into)


def test_a_section_that_was_taken_back_counts_as_long_as_the_journal_names_both(csa: Federation) -> None:
    people = register(csa, 8)
    section = submitted(csa, people)
    approved(section)
    section.refresh_from_db()
    approval.unrate(
        section=section, by=None, on=TODAY, version=section.version, reason="result", words="a wrong entry"
    )
    recompute_all(csa)
    Entry.objects.filter(section=section, player=people[0]).update(player=None)
    assert "2024-001/A" in refused(people[0], people[1])


def test_merges_make_no_circle_and_end_with_the_last(two: tuple[Player, Player]) -> None:
    player, into = two
    third = register(into.federation, 1, first=101000099)[0]
    assert "number of the same entry" in refused(into, into)
    merged(player, into)
    assert "was merged into 101000001 already" in refused(into, player)
    assert "was merged into 101000001 already" in refused(player, third)
    merged(into, third)
    player.refresh_from_db()
    assert player.merged_into == third
    assert "101000099 already" in refused(third, player)
    stands_as_replayed(third.federation)


def test_players_of_two_offices_are_not_merged(two: tuple[Player, Player]) -> None:
    other = Federation.objects.create(code="other", name="Elsewhere", ruleset_slug="csa")
    stranger = Player.objects.create(federation=other, number="101000009", surname="Invented")
    assert "two different offices" in refused(stranger, two[1])


def test_a_merge_needs_a_reason_and_no_list_in_the_making(two: tuple[Player, Player]) -> None:
    player, into = two
    assert "Say how" in refused(player, into, reason=" ")
    publication.publish_list(federation=into.federation, by=None, on=date(2024, 4, 1))
    assert "drawn up" in refused(player, into)
    recompute_all(into.federation)
    assert merged(player, into).kind == "merged"


# ---------------------------------------------------------------- the register


def test_what_waits_and_what_others_call_the_player_lead_to_the_entry_that_stays(
    two: tuple[Player, Player],
) -> None:
    player, into = two
    office = into.federation
    Identifier.objects.create(federation=office, player=player, kind="fide", value="14300123")
    waiting = submitted(office, [player, office.players.get(number="101000002")], number="2024-009", rounds=1)
    merged(player, into)
    assert waiting.entries.get(number=1).player == into
    assert Identifier.objects.get().player == into
    rated = Entry.objects.filter(section__event__number="2024-002", player=player)
    assert rated.exists(), "what is rated stays as its line says"
    approved(waiting, on=TODAY)
    stands_as_replayed(office)


def test_who_asked_not_to_be_named_still_is_not(two: tuple[Player, Player]) -> None:
    player, into = two
    Player.objects.filter(pk=player.pk).update(withheld=True)
    merged(player, into)
    told = exported(into.federation).decode()
    assert Player.objects.get(pk=into.pk).withheld
    assert "Invented00" not in told
    assert "Invented08" not in told
    stands_as_replayed(into.federation)


def test_who_is_not_to_be_named_any_more_is_not_under_a_merged_number_either(
    client: Client, two: tuple[Player, Player]
) -> None:
    player, into = two
    people = list(into.federation.players.order_by("number"))
    for number, field in (("2024-003", people[1:]), ("2024-004", people[:8])):
        approved(submitted(into.federation, field, number=number, ends=FIRST + timedelta(14), seed=3))
    published(into.federation, date(2024, 4, 1))
    merged(player, into)
    services.correct_player(player=into, by=None, on=TODAY, withheld=True)
    address = "/csa/lists/2024-04/otb-main/"
    rows = {row[1]: row[2] for row in table_of(fetched(client, f"{address}r1/list.csv"))}
    assert rows[player.number] == rows[into.number] == "withheld"
    assert "Invented08" not in client.get(address).content.decode()


def test_the_entry_that_ended_is_not_corrected_any_more(two: tuple[Player, Player]) -> None:
    player, into = two
    merged(player, into)
    count = Fact.objects.count()
    with pytest.raises(Refused, match="correct that entry instead"):
        services.correct_player(player=player, by=None, on=TODAY, born=1999)
    assert Fact.objects.count() == count
    services.correct_player(player=into, by=None, on=TODAY, born=1999)
    stands_as_replayed(into.federation)


# ---------------------------------------------------------------- the page

PAGE = "/csa/players/101000009/merge/"


def test_the_merged_number_leads_the_public_to_the_entry_that_stays(
    client: Client, two: tuple[Player, Player]
) -> None:
    player, into = two
    line = Change.objects.filter(player=player).earliest("order")
    working = f"/csa/players/{player.number}/{line.track}/{line.fact.number}/"
    assert client.get(working).status_code == 200
    merged(player, into)
    assert client.get("/csa/players/101000009/").headers["Location"] == "/csa/players/101000001/"
    assert client.get(working).headers["Location"] == working.replace(player.number, into.number)
    assert client.get(working, follow=True).status_code == 200
    assert "Open 2024-002" in client.get("/csa/players/101000001/").content.decode()
    assert "101000009" not in client.get("/csa/players/?q=inv").content.decode()


def test_an_official_looks_at_both_and_merges(
    client_of: Callable[[User], Client], two: tuple[Player, Player], nomsa: User
) -> None:
    official = client_of(nomsa)
    assert PAGE in official.get("/csa/players/101000009/").content.decode()
    Player.objects.update(name_key="invented")
    assert "?into=101000001" in official.get(PAGE).content.decode()
    lines = Fact.objects.count()
    question = official.get(f"{PAGE}?into=101000001").content.decode()
    assert "you can separate the two entries again" in question
    outlook = f"{PAGE}outlook/?into=101000001"
    assert f'hx-post="{outlook}"' in question
    assert official.post(outlook).headers["Location"] == f"{PAGE}?into=101000001"
    jobs.sweep("ratings")
    assert "2024-002, A" in official.get(outlook, follow=True).content.decode()
    assert Fact.objects.count() == lines
    assert official.post(f"{PAGE}?into=101000001", {"reason": ""}).status_code == 400
    assert Fact.objects.count() == lines
    sent = {"reason": "one birth certificate", "seen": compute_mark(*two, today(two[0].federation))}
    answer = official.post(f"{PAGE}?into=101000001", sent)
    assert answer.headers["Location"] == "/csa/players/101000001/"
    assert Decision.objects.latest("number").by == nomsa
    assert official.get(PAGE).headers["Location"] == "/csa/players/101000001/"


@pytest.mark.parametrize(
    ("into", "status", "words"),
    [
        ("101000002", 409, "2024-002/A"),
        ("101000009", 409, "number of the same entry"),
        ("999", 400, "Nobody of this register has the number or the name"),
        ("", 400, "Fill this in."),
        ("9" * 61, 400, "60"),
    ],
)
def test_what_cannot_be_merged_is_said_before_anything_is_asked(
    client_of: Callable[[User], Client],
    two: tuple[Player, Player],
    nomsa: User,
    into: str,
    status: int,
    words: str,
) -> None:
    for answer in (
        client_of(nomsa).get(PAGE, {"into": into}),
        client_of(nomsa).post(f"{PAGE}?into={into}", {"reason": "mine"}),
    ):
        assert answer.status_code == status
        assert words in answer.content.decode()
    assert not Fact.objects.filter(kind="merged").exists()


def test_nobody_but_an_official_of_the_office_merges(
    client: Client,
    client_of: Callable[[User], Client],
    two: tuple[Player, Player],
    amahle: User,
    thandi: User,
) -> None:
    address, form = f"{PAGE}?into=101000001", {"reason": "mine"}
    other = Federation.objects.create(code="other", name="Elsewhere", ruleset_slug="csa")
    Ledger.objects.create(federation=other)
    elsewhere = appointed("Zanele", other, Role.OFFICIAL)
    assert client.post(address, form).headers["Location"].startswith("/accounts/login/")
    for person in (amahle, thandi, elsewhere):
        assert client_of(person).get(address).status_code == 403
        assert client_of(person).post(address, form).status_code == 403
        assert PAGE not in client_of(person).get("/csa/players/101000009/").content.decode()
    assert client_of(elsewhere).get("/other/players/101000009/merge/").status_code == 404
    assert not Fact.objects.filter(kind="merged").exists()


def test_the_largest_moves_of_everybody_are_those_of_the_one_who_stays(two: tuple[Player, Player]) -> None:
    player, into = two
    found = preview_merge(player, into, TODAY)
    named = {move.player for each in found.rerated for move in each.largest}
    assert player.number not in named
    assert found.sections == 1, "the first section names the one who stays, and is rated as it was"


# ---------------------------------------------------------------- what the page says of the two


def taken_over(player: Player, rating: str, games: int) -> None:
    """A rating with which the player's record begins."""
    office = player.federation
    with transaction.atomic():
        writer = JournalWriter(office, lock_ledger(office))
        writer.write_players([player_fact(player)])
        day = date(2019, 12, 31)
        writer.write(facts.Opening(player.number, "otb-main", Decimal(rating), games, day, "the old list"))
        writer.ask_for_recompute()


@pytest.fixture
@built_once
def with_openings(csa: Federation) -> tuple[Player, Player]:
    """Two entries, each of which begins with a rating taken over."""
    player, into = register(csa, 2)
    taken_over(into, "1031.9", 229)
    taken_over(player, "676.3", 148)
    recompute_all(csa)
    return player, into


def test_of_two_ratings_taken_over_the_page_tells_beforehand_which_holds(
    client_of: Callable[[User], Client], with_openings: tuple[Player, Player], nomsa: User
) -> None:
    player, into = with_openings
    question = client_of(nomsa).get(f"/csa/players/{player.number}/merge/?into={into.number}")
    page = question.content.decode()
    assert "In each track, the rating of the entry that stays counts" in page
    assert "OTB Main: 1031.9 with 229 games counts, and 676.3 with 148 games no longer counts" in page
    merged(player, into)
    rows = {row["track"]: row for row in replay(exported(into.federation))["ratings"]}
    assert (rows["otb-main"]["rating"], rows["otb-main"]["games"]) == ("1031.9", 229)


def test_the_rating_taken_over_of_the_entry_that_ends_is_told_no_more(
    client: Client, with_openings: tuple[Player, Player]
) -> None:
    player, into = with_openings
    merged(player, into)
    page = client.get(f"/csa/players/{into.number}/").content.decode()
    shown = page.partition('id="changes"')[2].partition("</section>")[0]
    assert shown.count("Taken over when the record began") == 3  # its words, of what opens, and of its link
    assert "676.3" not in shown
    assert shown.count("first rating") == 2  # its row, and the closing of its month


def test_where_one_begins_with_a_rating_taken_over_nothing_is_said_of_two(two: tuple[Player, Player]) -> None:
    player, into = two
    taken_over(player, "676.3", 148)
    assert opening_conflicts(player, into) == []


@pytest.mark.parametrize(
    ("particulars", "words"),
    [
        ({}, []),
        ({"surname": "Other"}, ["The surnames differ: Other, Anna, and Invented, Anna."]),
        ({"first_name": "Ben"}, ["The first names differ: Invented, Ben, and Invented, Anna."]),
        ({"first_name": "A."}, []),
        ({"first_name": ""}, []),
        ({"surname": "INVÉNTED"}, []),
        ({"born": 1991}, ["The years of birth differ: 1991, and 1990."]),
        ({"born": None}, []),
        ({"sex": "m"}, ["The sexes differ: male, and female."]),
        ({"sex": ""}, []),
        ({"nation": "ZIM"}, ["The nations differ: ZIM, and RSA."]),
        ({"nation": ""}, []),
        ({"title": "FM"}, ["The titles differ: FM, and CM."]),
    ],
)
def test_what_speaks_against_one_person_is_said_in_words(
    csa: Federation, particulars: dict[str, Any], words: list[str]
) -> None:
    said = {"federation": csa, "surname": "Invented", "first_name": "Anna", "sex": "f", "born": 1990}
    said |= {"nation": "RSA", "title": "CM"}
    into = Player.objects.create(number="1", **said)
    player = Player.objects.create(number="2", **(said | particulars))
    assert differences(player, into) == words


def test_two_ids_of_one_kind_are_told_first_then_all_else_that_differs(csa: Federation) -> None:
    into, player = register(csa, 2)
    Player.objects.filter(pk=player.pk).update(region=csa.regions.last(), born=1979, sex=into.sex)
    for each, value in ((into, "14300001"), (player, "14300002")):
        Identifier.objects.create(federation=csa, player=each, kind="fide", value=value)
        each.refresh_from_db()
    Identifier.objects.create(federation=csa, player=into, kind="lichess", value="anna")
    told = differences(player, into)
    assert told[0] == "FIDE id: one has 14300002, the other 14300001."
    assert told[-1] == f"The regions differ: {player.region}, and {into.region}."
    assert "The years of birth differ: 1979, and 1980." in told
    assert not any("Lichess" in each for each in told)


def test_days_of_birth_are_compared_and_not_told(csa: Federation) -> None:
    into, player = register(csa, 2)
    Player.objects.update(surname="Invented", born=1990, sex="")
    into.refresh_from_db()
    player.refresh_from_db()
    BirthDate.objects.create(player=into, day=date(1990, 5, 3))
    assert differences(player, into) == []
    BirthDate.objects.create(player=player, day=date(1990, 5, 4))
    assert differences(player, into) == ["The days of birth differ."]


def test_the_page_shows_the_games_and_sections_of_each(
    client_of: Callable[[User], Client], two: tuple[Player, Player], nomsa: User
) -> None:
    rows = {row["label"]: row for row in compare_entries(*two)}
    games = rows["Games in rated sections"]
    assert (games["one"], games["other"]) == tuple(
        str(Game.objects.filter(Q(first__player=each) | Q(second__player=each)).count()) for each in two
    )
    question = client_of(nomsa).get(f"{PAGE}?into=101000001").content.decode()
    assert 'href="/csa/events/2024-002/A/"' in question
    assert 'href="/csa/events/2024-001/A/"' in question
    assert "Differences are in bold." in question


def test_the_entry_to_keep_is_found_by_name_also_where_the_surname_changed(
    client_of: Callable[[User], Client], csa: Federation, nomsa: User
) -> None:
    player, other, *_others = register(csa, 11)
    named = {"first_name": "Lindiwe", "first_name_key": "lindiwe", "born": 2001}
    Player.objects.filter(pk=player.pk).update(surname="Mthembu", name_key="mthembu", **named)
    Player.objects.filter(pk=other.pk).update(**named)
    here, browser = f"/csa/players/{player.number}/merge/", client_of(nomsa)
    link = f'href="?into={other.number}"'
    assert browser.get(here).content.decode().count('href="?into=') == 1
    assert link in browser.get(here).content.decode(), "she has the first name and the year of birth"
    other.refresh_from_db()
    other.save()
    found = browser.get(here, {"into": other.surname})
    assert found.status_code == 200
    assert link in found.content.decode()


def test_the_page_of_a_day_before_the_merge_offers_no_second_one(
    client_of: Callable[[User], Client], two: tuple[Player, Player], nomsa: User
) -> None:
    player, into = two
    before = {"on": f"{Fact.objects.filter(kind='rated').earliest('number').on:%Y-%m-%d}"}
    pages = [f"/csa/players/{each.number}/" for each in two]
    merged(player, into)
    ended, stays = (client_of(nomsa).get(page, before) for page in pages)
    assert ended.status_code == stays.status_code == 200
    assert f"{pages[0]}merge/" not in ended.content.decode()
    assert f"{pages[1]}merge/" in stays.content.decode()


def test_the_page_after_a_merge_follows_the_work_and_only_for_officials(
    client: Client, client_of: Callable[[User], Client], two: tuple[Player, Player], nomsa: User
) -> None:
    player, into = two
    merge_players(player=player, into=into, by=nomsa, on=TODAY, reason="one letter")
    here = f"/csa/players/{into.number}/"
    assert 'hx-get="/csa/desk/progress/"' in client_of(nomsa).get(here).content.decode()
    assert 'hx-get="/csa/desk/progress/"' not in client.get(here).content.decode()
    recompute_all(into.federation)
    assert 'hx-get="/csa/desk/progress/"' not in client_of(nomsa).get(here).content.decode()
