"""What a region reads of the record, and when: slips, corrections that wait, transfers, whole sentences."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from datetime import date, timedelta

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from conftest import appointed
from players.access import Rights, get_rights
from players.decision_kinds import KINDS, PLACEHOLDER
from players.models import Decision, Federation, Player, Region, Role, Transfer, User
from players.record import decide
from players.settings import today
from ratings import approval
from ratings.pages.record import is_detail_hidden, readable_decisions
from ratings.people import ask_transfer, grant_transfer, refuse_transfer
from ratings.tests.office import register, submitted
from tests.built_once import built_once
from tournaments.models import Section, Stage
from tournaments.review import LETTER_DELAY, mark_notice_as_read, take_back_decision

pytestmark = [pytest.mark.django_db, pytest.mark.servers]
ClientOf = Callable[[User], Client]
DAY = date(2026, 6, 1)
SECOND = timedelta(seconds=1)
SLIPS = pytest.mark.parametrize("kind", ["return", "refuse"])


@pytest.fixture
@built_once
def section(csa: Federation, gauteng: Region, amahle: User, pieter: User, nomsa: User) -> Section:
    """A submitted section of Gauteng."""
    return submitted(csa, register(csa, 8), number="2026-001", rounds=10, region=gauteng)


@pytest.fixture
@built_once
def lindiwe(csa: Federation) -> User:
    """The administrator of a third region."""
    region, _new = csa.regions.get_or_create(code="KZN", defaults={"name": "KwaZulu-Natal"})
    return appointed("lindiwe", csa, Role.REGIONAL, region)


def told(browser: Client, query: str = "") -> dict[int, str]:
    """The sentences of the record by the numbers of their decisions, from its file."""
    answer = browser.get(f"/csa/record/record.csv{query}")
    rows = csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig")))
    return {int(row["number"]): row["told"] for row in rows}


def rights(person: User, office: Federation) -> Rights:
    return get_rights(person, office, today(office))


def slip(section: Section, kind: str, by: User, reason: str = "Wrong one.") -> Decision:
    """A return or a refusal, as the newest decision."""
    section.refresh_from_db()
    verb = approval.return_section if kind == "return" else approval.record_refusal
    verb(section=section, by=by, on=DAY, version=section.version, reason=reason)
    section.refresh_from_db()
    return Decision.objects.filter(kind=kind).order_by("-number")[0]


def is_read_by(person: User, decision: Decision, after: timedelta) -> bool:
    with time_machine.travel(decision.at + after, tick=False):
        read = readable_decisions(rights(person, decision.federation))
    return read.filter(pk=decision.pk).exists()


# ---------------------------------------------------------------- slips


@SLIPS
def test_a_region_reads_of_a_slip_when_its_letter_goes_out_and_not_before(
    section: Section, kind: str, amahle: User, nomsa: User
) -> None:
    said = slip(section, kind, nomsa)
    assert not is_read_by(amahle, said, LETTER_DELAY - SECOND)
    assert is_read_by(amahle, said, LETTER_DELAY)
    assert is_read_by(nomsa, said, timedelta(0))


@SLIPS
def test_the_words_of_a_fresh_slip_are_on_no_page_and_in_no_file_of_the_region_until_it_opened_the_section(
    section: Section, kind: str, amahle: User, nomsa: User, client_of: ClientOf
) -> None:
    slip(section, kind, nomsa)
    region = client_of(amahle)
    for page in ("/csa/record/", "/csa/record/record.csv", f"/csa/record/?kind={kind}"):
        assert "Wrong one." not in region.get(page).content.decode()
        assert "Wrong one." in client_of(nomsa).get(page).content.decode()
    mark_notice_as_read(section, timezone.now())
    assert "Wrong one." in region.get("/csa/record/").content.decode()
    assert "Wrong one." in region.get("/csa/record/record.csv").content.decode()


@SLIPS
def test_what_was_taken_back_stays_from_the_region_for_good_and_officials_read_it(
    section: Section, kind: str, amahle: User, nomsa: User
) -> None:
    said = slip(section, kind, nomsa)
    take_back_decision(section=section, by=nomsa, at=said.at, on=DAY, version=section.version)
    for after in (timedelta(0), LETTER_DELAY, timedelta(30)):
        assert not is_read_by(amahle, said, after)
        assert is_read_by(nomsa, said, after)
    mark_notice_as_read(section, timezone.now())
    assert not is_read_by(amahle, said, timedelta(30))


def test_a_slip_after_one_that_was_taken_back_is_told_in_its_time(
    section: Section, amahle: User, nomsa: User
) -> None:
    first = slip(section, "return", nomsa)
    take_back_decision(section=section, by=nomsa, at=first.at, on=DAY, version=section.version)
    second = slip(section, "return", nomsa, "Round 2.")
    assert not is_read_by(amahle, second, timedelta(0))
    mark_notice_as_read(section, timezone.now())
    assert is_read_by(amahle, second, timedelta(0))
    assert not is_read_by(amahle, first, LETTER_DELAY)


def test_a_return_that_was_read_stays_readable_when_another_follows_at_once(
    section: Section, amahle: User, nomsa: User
) -> None:
    first = slip(section, "return", nomsa)
    mark_notice_as_read(section, timezone.now())
    Section.objects.filter(pk=section.pk).update(stage=Stage.SUBMITTED)
    second = slip(section, "return", nomsa, "Round 2.")
    assert is_read_by(amahle, first, timedelta(0))
    assert not is_read_by(amahle, second, timedelta(0))


def test_a_slip_of_one_region_says_nothing_to_another(section: Section, pieter: User, nomsa: User) -> None:
    said = slip(section, "return", nomsa)
    mark_notice_as_read(section, timezone.now())
    assert not is_read_by(pieter, said, timedelta(1))


# ---------------------------------------------------------------- corrections that wait


def test_a_correction_is_told_to_the_region_when_it_is_made_and_not_while_it_waits(
    csa: Federation, section: Section, amahle: User, nomsa: User, client_of: ClientOf
) -> None:
    words = {"corrections": ["round 1: 1-0"], "reason": "A slip of the pen."}
    for kind, details in (("propose-mend", words), ("drop-mend", {})):
        decide(csa, kind=kind, by=nomsa, on=DAY, about=f"section {section.key}", **details)
    assert told(client_of(amahle)) == {}
    assert len(told(client_of(nomsa))) == 2
    decide(csa, kind="mend", by=nomsa, on=DAY, about=f"section {section.key}", **words)
    assert list(told(client_of(amahle)).values()) == [
        "Nomsa corrected section 2026-001/A. What was corrected: round 1: 1-0. The reason: A slip of the pen."
    ]


# ---------------------------------------------------------------- transfers


@pytest.fixture
@built_once
def player(csa: Federation, gauteng: Region) -> Player:
    """A player of Gauteng."""
    made = Player.objects.of(csa).first() or register(csa, 1)[0]
    Player.objects.filter(pk=made.pk).update(region=gauteng)
    made.refresh_from_db()
    return made


def asked(player: Player, taking: Region, on: date = DAY) -> Transfer:
    return ask_transfer(player=player, taking=taking, by=None, on=on, reason="Moved house.")


def of_transfers(browser: Client) -> list[str]:
    """What somebody reads of transfers, the oldest first."""
    read = told(browser)
    kinds = Decision.objects.filter(kind__endswith="-transfer").order_by("number")
    return [read[number] for number in kinds.values_list("number", flat=True) if number in read]


ASKED = "The office asked that player 101000001 move to the region WCA. The reason: Moved house. "


def test_a_granted_transfer_is_read_by_the_giving_and_the_taking_region_and_no_third(
    player: Player,
    western_cape: Region,
    amahle: User,
    pieter: User,
    lindiwe: User,
    nomsa: User,
    client_of: ClientOf,
) -> None:
    transfer = asked(player, western_cape)
    assert len(of_transfers(client_of(amahle))) == 1
    assert len(of_transfers(client_of(pieter))) == 1
    grant_transfer(transfer=transfer, by=nomsa, on=DAY, starts=DAY, words="Welcome.")
    for person in (amahle, pieter):
        assert of_transfers(client_of(person)) == [
            ASKED.strip(),
            "Nomsa granted that player 101000001 moves to the region WCA. It holds from 1 June 2026. "
            "To the regions: Welcome.",
        ]
    assert of_transfers(client_of(lindiwe)) == []


def test_a_refused_transfer_is_read_by_both_regions_with_its_reason_and_by_no_third(
    player: Player,
    western_cape: Region,
    amahle: User,
    pieter: User,
    lindiwe: User,
    nomsa: User,
    client_of: ClientOf,
) -> None:
    refuse_transfer(transfer=asked(player, western_cape), by=nomsa, on=DAY + timedelta(3), words="Not yet.")
    for person in (amahle, pieter):
        assert of_transfers(client_of(person)) == [
            ASKED.strip(),
            "Nomsa refused that player 101000001 moves to the region WCA. The reason: Not yet.",
        ]
    assert of_transfers(client_of(lindiwe)) == []


def test_a_later_transfer_is_not_of_the_region_that_gave_the_player_before(
    csa: Federation,
    player: Player,
    western_cape: Region,
    amahle: User,
    pieter: User,
    lindiwe: User,
    nomsa: User,
    client_of: ClientOf,
) -> None:
    third = csa.regions.get(code="KZN")
    for day, taking in enumerate((western_cape, third, western_cape)):
        on = DAY + timedelta(day)
        grant_transfer(transfer=asked(player, taking, on), by=nomsa, on=on, starts=on)
        player.refresh_from_db()
    assert len(of_transfers(client_of(amahle))) == 2  # of the first alone, though the third names its region
    assert len(of_transfers(client_of(pieter))) == 6
    assert len(of_transfers(client_of(lindiwe))) == 4


def test_of_a_proof_officials_alone_read_in_the_record(
    csa: Federation, player: Player, western_cape: Region, amahle: User, nomsa: User, client_of: ClientOf
) -> None:
    transfer = asked(player, western_cape, DAY)
    told_of = {"region": transfer.taking.code, "reason": "Moved house.", "sha256": "a" * 64}
    decide(csa, kind="ask-transfer", by=nomsa, on=DAY, about=f"player {player.number}", **told_of)
    assert "SHA-256" in of_transfers(client_of(nomsa))[1]
    assert "Moved house." in of_transfers(client_of(amahle))[1]
    assert "SHA-256" not in of_transfers(client_of(amahle))[1]


# ---------------------------------------------------------------- whole sentences


OF_PLAYERS = {
    *("correct", "merge", "part", "confirm-rank", "ask-transfer", "grant-transfer", "refuse-transfer"),
}
OF_SECTIONS = {
    *("register", "file", "read", "share", "discard", "complete", "match", "submit", "withdraw", "admit"),
    *("ask-permission", "grant-permission", "refuse-permission", "remind", "edit", "postpone", "cancel"),
    *("reinstate", "withdraw-event", "withdraw-section", "refuse-before-play", "put-off"),
    "move-event",
    *("ask-before-play", "answer-before-play", "appeal", "uphold-appeal", "dismiss-appeal", "take-back"),
    *("ask", "answer", "approve", "return", "refuse", "unrate", "mend"),
}
"""The kinds of decisions about players, and about events or sections, that a region reads."""


def names_in(kind: str) -> set[str]:
    """The details that the sentences of a kind of decision name."""
    return {name for each in KINDS[kind].sentences for name in PLACEHOLDER.findall(str(each))} - {
        "who",
        "what",
    }


def test_the_head_of_each_sentence_that_a_region_reads_is_as_whole_as_the_officials(
    csa: Federation,
    section: Section,
    player: Player,
    western_cape: Region,
    amahle: User,
    nomsa: User,
    client_of: ClientOf,
) -> None:
    asked(player, western_cape)
    Transfer.objects.update(decided_on=DAY)
    for kind in sorted(OF_SECTIONS | OF_PLAYERS):
        details = dict.fromkeys(names_in(kind), "WCA") | ({"decision": 0} if kind == "take-back" else {})
        about = f"section {section.key}" if kind in OF_SECTIONS else f"player {player.number}"
        decide(csa, kind=kind, by=nomsa, on=DAY, about=about, **details)
    mark_notice_as_read(section, timezone.now())
    Section.objects.filter(pk=section.pk).update(stage=Stage.RATED)
    region, office = told(client_of(amahle)), told(client_of(nomsa))
    kinds = dict(Decision.objects.values_list("number", "kind"))
    assert {kinds[number] for number in region} == OF_SECTIONS | OF_PLAYERS
    for number, sentence in region.items():
        head = office[number].split(". ")[0].removesuffix(".")
        assert "–" not in head
        assert sentence.startswith(head)


def test_what_sentences_name_is_told_to_regions_but_for_what_is_private(
    csa: Federation, amahle: User, nomsa: User
) -> None:
    kept = {}
    for kind in OF_SECTIONS | OF_PLAYERS:
        decision = Decision(kind=kind, about="section 2026-001/A" if kind in OF_SECTIONS else "player 1")
        assert not any(is_detail_hidden(rights(nomsa, csa), decision, name) for name in names_in(kind))
        if left_out := {
            name for name in names_in(kind) if is_detail_hidden(rights(amahle, csa), decision, name)
        }:
            kept[kind] = left_out
    assert kept == {
        "correct": {"reason", "proof"},
        "mend": {"proposed_by"},
        "merge": {"reason"},
        "part": {"reason"},
        "ask-transfer": {"sha256"},
    }
