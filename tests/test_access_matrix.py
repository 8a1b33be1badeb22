"""Who may see and do what: every address, every role, own and other regions, another federation.

The lists here are the only permission there is: an address that they do not name fails, and so does one that
lets somebody in whom they do not name, or writes when it is only looked at.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import product
from typing import Any

import pytest
import time_machine
from django.apps import apps
from django.contrib.sessions.models import Session
from django.test import Client
from django.urls import get_resolver, reverse
from django.utils import timezone

from conftest import appointed
from federation_site.checks import views_of
from players.importing.models import RegisterImport
from players.office.decision_record import decide
from players.office.models import Appointment, Federation, Ledger, Region, Role, User
from players.people.models import Transfer
from players.people.proof_files import ProofFile
from players.register.models import Player
from ratings.decisions.sections import unrate
from ratings.lists.models import RatingList
from ratings.proof.program import current
from ratings.results.models import Change
from ratings.signing.sign_journal_and_change_keys import sign_due
from ratings.storage.page_cache import cache
from ratings.tests.office import approved, published, recompute_all, register, submitted
from tournaments.cases.models import Case
from tournaments.events.file_models import Archive, Upload
from tournaments.events.models import Entry, Event, Finding, Section, Stage
from tournaments.events.permission_models import PermissionRequest
from tournaments.mending.models import MendingProposal
from tournaments.review.appeal_models import Appeal

pytestmark = pytest.mark.django_db

PEOPLE = ("anonymous", "lerato", "amahle", "pieter", "nomsa", "thandi", "zanele")
PLACES = ("gauteng", "western cape", "elsewhere")

# Who is let in, by the place that the address speaks of. Zanele is the official elsewhere, and nobody here.
PUBLIC = {place: set(PEOPLE) for place in PLACES}
SIGNED_IN = {
    "gauteng": {"amahle", "pieter", "nomsa", "thandi"},
    "western cape": {"amahle", "pieter", "nomsa", "thandi"},
    "elsewhere": {"zanele"},
}
FILING = {"gauteng": {"amahle", "nomsa"}, "western cape": {"pieter", "nomsa"}, "elsewhere": {"zanele"}}
REGISTERING = {
    "gauteng": {"amahle", "pieter", "nomsa"},
    "western cape": {"amahle", "pieter", "nomsa"},
    "elsewhere": {"zanele"},
}
OFFICIALS = {"gauteng": {"nomsa"}, "western cape": {"nomsa"}, "elsewhere": {"zanele"}}
ADMINISTRATORS: dict[str, set[str]] = {"gauteng": {"thandi"}, "western cape": {"thandi"}, "elsewhere": set()}
HANDING_OVER = {
    "gauteng": {"amahle", "thandi"},
    "western cape": {"pieter", "thandi"},
    "elsewhere": {"zanele"},
}
EXPORTING = {
    "gauteng": {"amahle", "pieter", "nomsa", "thandi"},
    "western cape": {"amahle", "pieter", "nomsa", "thandi"},
    "elsewhere": {"zanele"},
}
READERS = {
    "gauteng": {"amahle", "nomsa", "thandi"},
    "western cape": {"pieter", "nomsa", "thandi"},
    "elsewhere": {"zanele"},
}

Allowed = dict[str, set[str]]
MATRIX: dict[str, tuple[Allowed, str]] = {
    # The name of the address, who is let in, and which of the world's things fill it in.
    "players:people": (ADMINISTRATORS, "office"),
    "players:appoint": (ADMINISTRATORS, "office"),
    "players:end": (ADMINISTRATORS, "appointment"),
    "players:last_day": (ADMINISTRATORS, "appointment"),
    "players:invitation": (ADMINISTRATORS, "appointment"),
    "players:settings": (ADMINISTRATORS, "office"),
    "players:region_add": (ADMINISTRATORS, "office"),
    "players:region_rename": (ADMINISTRATORS, "region"),
    "ratings:record": (SIGNED_IN, "office"),
    "ratings:record_csv": (SIGNED_IN, "office"),
    "ratings:region_history": (READERS, "region"),
    "ratings:handover": (HANDING_OVER, "appointment"),
    "ratings:confirm_rank": (OFFICIALS, "office"),
    "ratings:answer_transfer": (OFFICIALS, "transfer"),
    "ratings:ask_transfer": (REGISTERING, "player"),
    "ratings:correct": (OFFICIALS, "player"),
    "ratings:doubles": (OFFICIALS, "office"),
    "ratings:proof_file": (FILING, "proof"),
    "ratings:transfers": (REGISTERING, "office"),
    "ratings:give_data": (OFFICIALS, "player"),
    "ratings:merge": (OFFICIALS, "player"),
    "ratings:merge_preview": (OFFICIALS, "player"),
    "ratings:part": (OFFICIALS, "player"),
    "ratings:part_preview": (OFFICIALS, "player"),
    "ratings:register": (EXPORTING, "office"),
    "ratings:export_register": (EXPORTING, "suffix"),
    "ratings:receive_register": (OFFICIALS, "office"),
    "ratings:register_import": (OFFICIALS, "import"),
    "ratings:register_progress": (OFFICIALS, "import"),
    "ratings:confirm_register": (OFFICIALS, "import"),
    "ratings:discard_register": (OFFICIALS, "import"),
    "ratings:record_playoff": (OFFICIALS, "office"),
    "tournaments:register": (REGISTERING, "office"),
    "tournaments:table": (REGISTERING, "suffix"),
    "tournaments:event": (FILING, "event"),
    "tournaments:edit_event": (FILING, "event"),
    "tournaments:postpone_event": (FILING, "event"),
    "tournaments:cancel_event": (FILING, "event"),
    "tournaments:reinstate_event": (FILING, "event"),
    "tournaments:withdraw_event": (FILING, "event"),
    "tournaments:edit_section": (FILING, "filed"),
    "tournaments:postpone_section": (FILING, "filed"),
    "tournaments:cancel_section": (FILING, "filed"),
    "tournaments:reinstate_section": (FILING, "filed"),
    "tournaments:withdraw_section": (FILING, "filed"),
    "tournaments:answer_before_play": (FILING, "filed"),
    "tournaments:unpack": (FILING, "event"),
    "tournaments:archive": (FILING, "archive"),
    "tournaments:archive_progress": (FILING, "archive"),
    "tournaments:discard_archive": (FILING, "archive"),
    "tournaments:file": (FILING, "filed"),
    "tournaments:progress": (FILING, "filed"),
    "tournaments:discard": (FILING, "filed"),
    "tournaments:findings": (FILING, "filed"),
    "tournaments:details": (FILING, "filed"),
    "tournaments:players": (FILING, "filed"),
    "tournaments:enter_new": (FILING, "filed"),
    "tournaments:decide_players": (FILING, "filed"),
    "tournaments:reopen": (FILING, "entry"),
    "tournaments:submit": (FILING, "filed"),
    "tournaments:withdraw": (FILING, "submitted"),
    "tournaments:appeal": (FILING, "submitted"),
    "ratings:take_back": (OFFICIALS, "submitted"),
    "ratings:decide_appeal": (OFFICIALS, "appeal"),
    "tournaments:deadlines": (FILING, "filed"),
    "tournaments:answer_permission": (OFFICIALS, "permission"),
    "ratings:cases": (REGISTERING, "office"),
    "ratings:deadline_calendar": (REGISTERING, "office"),
    "ratings:case": (FILING, "case"),
    "ratings:answer_case": (FILING, "case"),
    "ratings:note_in_case": (FILING, "case"),
    "ratings:close_case": (OFFICIALS, "case"),
    "ratings:report": (PUBLIC, "office"),
    "ratings:confirm_report": (PUBLIC, "office"),
    "ratings:follow_report": (PUBLIC, "office"),
    "ratings:desk": (SIGNED_IN, "office"),
    "ratings:progress": (OFFICIALS, "office"),
    "ratings:before_play": (OFFICIALS, "submitted"),
    "ratings:review": (OFFICIALS, "submitted"),
    "ratings:review_preview": (OFFICIALS, "submitted"),
    "ratings:open_file": (OFFICIALS, "submitted"),
    "ratings:review_working": (OFFICIALS, "preview"),
    "tournaments:remarks": (FILING, "submitted"),
    "tournaments:differences": (FILING, "submitted"),
    "ratings:ask": (OFFICIALS, "submitted"),
    "ratings:note": (OFFICIALS, "submitted"),
    "ratings:answer_hint": (OFFICIALS, "submitted"),
    "ratings:take": (OFFICIALS, "submitted"),
    "ratings:give_back": (OFFICIALS, "submitted"),
    "ratings:hand_over": (OFFICIALS, "submitted"),
    "ratings:approve": (OFFICIALS, "submitted"),
    "ratings:return": (OFFICIALS, "submitted"),
    "ratings:refuse": (OFFICIALS, "submitted"),
    "ratings:mend": (OFFICIALS, "rated"),
    "ratings:mend_proposal": (OFFICIALS, "proposed"),
    "ratings:unrate": (OFFICIALS, "rated"),
    "ratings:unrate_preview": (OFFICIALS, "rated"),
    "ratings:outcome": (OFFICIALS, "rated"),
    "ratings:apply_rules": (OFFICIALS, "office"),
    "ratings:next_list": (OFFICIALS, "office"),
    "ratings:list_calendar": (OFFICIALS, "office"),
    "ratings:take_list": (OFFICIALS, "office"),
    "ratings:give_back_list": (OFFICIALS, "office"),
    "ratings:publish": (OFFICIALS, "office"),
    "ratings:published": (OFFICIALS, "list_day"),
    "ratings:revise": (OFFICIALS, "list_day"),
    "ratings:revise_preview": (OFFICIALS, "list_day"),
    "ratings:list_differences": (PUBLIC, "differences"),
    "ratings:demo_file": (REGISTERING, "no_file"),
    "ratings:offices": (PUBLIC, "nothing"),
    "ratings:office": (PUBLIC, "office"),
    "ratings:lists": (PUBLIC, "office"),
    "ratings:latest_day": (PUBLIC, "office"),
    "ratings:latest_list": (PUBLIC, "latest"),
    "ratings:latest_file": (PUBLIC, "latest_file"),
    "ratings:list_day": (PUBLIC, "label"),
    "ratings:list": (PUBLIC, "list"),
    "ratings:list_revision": (PUBLIC, "revision"),
    "ratings:list_content": (PUBLIC, "revision"),
    "ratings:list_download": (PUBLIC, "download"),
    "ratings:players": (PUBLIC, "office"),
    "ratings:player": (PUBLIC, "player"),
    "ratings:working": (PUBLIC, "working"),
    "ratings:extract": (PUBLIC, "player"),
    "ratings:extract_pdf": (PUBLIC, "player"),
    "ratings:check_extract": (PUBLIC, "no_extract"),
    "ratings:events": (PUBLIC, "office"),
    "ratings:event": (PUBLIC, "event"),
    "ratings:section": (PUBLIC, "rated"),
    "ratings:regulations": (PUBLIC, "office"),
    "ratings:example": (PUBLIC, "example"),
    "ratings:errata": (PUBLIC, "office"),
    "ratings:erratum": (PUBLIC, "erratum"),
    "ratings:events_calendar": (PUBLIC, "office"),
    "ratings:errata_feed": (PUBLIC, "office"),
    "ratings:tables": (PUBLIC, "office"),
    "ratings:table_page": (PUBLIC, "page"),
    "ratings:table_csv": (PUBLIC, "table"),
    "ratings:journal": (PUBLIC, "office"),
    "ratings:journal_file": (PUBLIC, "office"),
    "ratings:journal_checksum": (PUBLIC, "office"),
    "ratings:checkpoint": (PUBLIC, "office"),
    "ratings:vkey": (PUBLIC, "office"),
    "ratings:tile": (PUBLIC, "tile"),
    "ratings:list_file": (PUBLIC, "list"),
    "ratings:list_revision_file": (PUBLIC, "revision"),
    "ratings:journal_description": (PUBLIC, "office"),
    "ratings:check": (PUBLIC, "office"),
    "ratings:program": (PUBLIC, "program"),
    "ratings:program_checksum": (PUBLIC, "program"),
}

REGIONAL = {
    "appointment",
    "archive",
    "case",
    "region",
    "event",
    "filed",
    "entry",
    "submitted",
    "preview",
    "proof",
    "proposed",
    "rated",
}
"""Things of a region; the others are the same all over an office."""

ASKING_AGAIN = {
    "players:people",
    "players:appoint",
    "players:end",
    "players:last_day",
    "players:invitation",
    "players:settings",
    "players:region_add",
    "players:region_rename",
    "ratings:apply_rules",
    "ratings:handover",
    "ratings:merge",
    "ratings:merge_preview",
    "ratings:mend",
    "ratings:mend_proposal",
    "ratings:part",
    "ratings:part_preview",
    "ratings:publish",
    "ratings:published",
    "ratings:revise",
    "ratings:revise_preview",
    "ratings:unrate",
    "ratings:unrate_preview",
}
"""Addresses that want more than an open session: what cannot simply be taken back."""

FORM = {
    "version": 0,
    "reason": "mine",
    "typed": "2024-05-01",
    "on": "2024-05-01",
    "player": "new",
    "entry": "1",
}
"""What is posted to every address: fields that would do something if only they were read."""


@dataclass(frozen=True, slots=True)
class World:
    """An office with something in every stage, and another office."""

    things: dict[str, dict[str, tuple[Any, ...]]]
    """By place and by name: the arguments of an address."""
    people: dict[str, User]

    def address(self, name: str, place: str) -> str:
        return reverse(name, args=self.things[place][MATRIX[name][1]])

    def browser(self, person: str, **options: Any) -> Client:
        client = Client(raise_request_exception=True, **options)
        if person != "anonymous":
            client.force_login(self.people[person])
        return client


@pytest.fixture
def world(csa: Federation, amahle: User, pieter: User, nomsa: User, thandi: User) -> World:
    cache.clear()
    other = Federation.objects.create(code="other", name="Elsewhere", ruleset_slug="csa")
    region = Region.objects.create(federation=other, code="ELS", name="Elsewhere")
    Region.objects.create(federation=other, code="FAR", name="Far from elsewhere")
    Ledger.objects.create(federation=other)
    people = {
        "lerato": User.objects.create_user("lerato@example.org", "a long pass phrase", name="Lerato"),
        "amahle": amahle,
        "pieter": pieter,
        "nomsa": nomsa,
        "thandi": thandi,
        "zanele": appointed("Zanele", other, Role.OFFICIAL),
    }
    places = {
        "gauteng": (csa, csa.regions.get(code="GAU"), amahle),
        "western cape": (csa, csa.regions.get(code="WCA"), pieter),
        "elsewhere": (other, region, people["zanele"]),
    }
    here, there = rated_office(csa), rated_office(other)
    things = {
        place: {**(there if office == other else here), **filed(office, region, by, first=10 * number)}
        for number, (place, (office, region, by)) in enumerate(places.items(), start=1)
    }
    return World(things, people)


def taken_back(office: Federation, players: list[Player]) -> int:
    """A section that was rated and un-rated: the line of the journal that took it back."""
    wrong = submitted(office, players, number="2024-990", ends=date(2024, 4, 2), rounds=10)
    approved(wrong)
    wrong.refresh_from_db()
    line = unrate(
        section=wrong,
        by=None,
        on=date(2024, 4, 5),
        version=wrong.version,
        reason="result",
        words="A result was wrong.",
    )
    recompute_all(office)
    return line.number


def rated_office(office: Federation) -> dict[str, tuple[Any, ...]]:
    """A rated section, a published list, and what the public may open of them."""
    players = register(office, 8)
    approved(submitted(office, players, rounds=10))
    rating_list = published(office, date(2024, 4, 1))[0]
    second = RatingList.objects.get(pk=rating_list.pk)
    second.pk, second.revision, second.supersedes = None, 2, rating_list
    second.save(force_insert=True)
    [signed] = sign_due(office, at=timezone.now())
    change = Change.objects.filter(player=players[0]).select_related("fact").order_by("pk")[0]
    label, track = rating_list.label, rating_list.track
    transfer = Transfer.objects.create(
        federation=office, player=players[1], taking=office.regions.all()[0], asked_on=date(2024, 4, 1)
    )
    table = RegisterImport.objects.create(
        federation=office, at=timezone.now(), on=date(2024, 4, 1), name="a.csv", size=0, state="planned"
    )
    RegisterImport.objects.filter(pk=table.pk).update(
        counts={"new": 1, "changed": 0, "unchanged": 0, "problem": 0}
    )
    return {
        "import": (office.code, table.pk),
        "nothing": (),
        "program": (current().name,),
        "no_file": (office.code, "no-such-file.trf"),
        "office": (office.code,),
        "tile": (office.code, f"0/000.p/{signed.size}"),
        "suffix": (office.code, "csv"),
        "erratum": (office.code, taken_back(office, players)),
        "list_day": (office.code, "2024-04-01"),
        "differences": (office.code, label, track, 2),
        "example": (office.code, "2-performance"),
        "label": (office.code, label),
        "page": (office.code, "performances"),
        "table": (office.code, "performances", "performances"),
        "list": (office.code, label, track),
        "latest": (office.code, track),
        "latest_file": (office.code, track, *download_of(office)),
        "revision": (office.code, label, track, 1),
        "download": (office.code, label, track, 1, *download_of(office)),
        "player": (office.code, players[0].number),
        "no_extract": (office.code, players[0].number, "made-up"),
        "transfer": (office.code, transfer.pk),
        "working": (office.code, players[0].number, change.track, change.fact.number),
    }


def appealed(section: Section, by: User) -> Appeal:
    refusal = decide(
        section.event.federation, kind="refuse", by=None, on=date(2024, 3, 1), about=f"section {section.key}"
    )
    return Appeal.objects.create(
        section=section, refusal=refusal, reason="It was played.", by=by, on=date(2024, 3, 2)
    )


def asked_for(section: Section, by: User) -> PermissionRequest:
    return PermissionRequest.objects.create(
        section=section, clause="18", reason="A small hall.", asked_by=by, asked_on=date(2024, 3, 1)
    )


def proposed(section: Section, by: User) -> tuple[str, str, str]:
    """The address of a correction that waits for another official."""
    MendingProposal.objects.create(
        section=section, version=0, changes=[], code="result", words="A slip.", by=by, on=date(2024, 3, 1)
    )
    return section.event.federation.code, section.event.number, section.code


def download_of(office: Federation) -> tuple[str, str]:
    each = office.publication.downloads[0]
    return each.code, each.suffix


def filed(office: Federation, region: Region, by: User, *, first: int) -> dict[str, tuple[Any, ...]]:
    """A region's sections: one filed, one submitted with its file, one rated."""
    players = list(Player.objects.filter(federation=office))
    sections = {
        stage: submitted(office, players, number=f"2024-{first + n:03}", rounds=10, region=region)
        for n, stage in enumerate((Stage.FILED, Stage.SUBMITTED, Stage.RATED))
    }
    for stage, section in sections.items():
        Section.objects.filter(pk=section.pk).update(stage=stage)
    waiting = sections[Stage.SUBMITTED]
    Upload.objects.create(
        federation=office,
        section=waiting,
        by=by,
        at=timezone.now(),
        on=date(2024, 3, 2),
        name="open.trf",
        size=3,
        sha256=f"{first:064}",
        content=b"012",
        state=Upload.State.READ,
    )
    keys = {stage: (office.code, section.event.number, "A") for stage, section in sections.items()}
    return {
        "region": (office.code, region.code),
        "event": keys[Stage.FILED][:2],
        "case": (office.code, reported(sections[Stage.RATED]).pk),
        "archive": (*keys[Stage.FILED][:2], archived(sections[Stage.FILED], by).pk),
        "appeal": (*keys[Stage.SUBMITTED], appealed(sections[Stage.SUBMITTED], by).pk),
        "permission": (*keys[Stage.FILED], asked_for(sections[Stage.FILED], by).pk),
        "filed": keys[Stage.FILED],
        "entry": (*keys[Stage.FILED], 1),
        "submitted": keys[Stage.SUBMITTED],
        "preview": (*keys[Stage.SUBMITTED], players[0].number, "otb-standard"),
        "rated": keys[Stage.RATED],
        "proof": (office.code, proved(region, players[0], by).pk),
        "proposed": proposed(sections[Stage.SUBMITTED], by),
        "appointment": (office.code, Appointment.objects.get(user=by, federation=office).pk),
    }


def proved(region: Region, player: Player, by: User) -> ProofFile:
    """A file that a region attached to a transfer."""
    return ProofFile.objects.create(
        federation=player.federation,
        player=player,
        region=region,
        decision=1,
        by=by,
        on=date(2024, 3, 2),
        name="proof.pdf",
        kind="pdf",
        size=3,
        sha256="0" * 64,
        content=b"012",
    )


def reported(section: Section) -> Case:
    """A report of a mistake, its mail address confirmed."""
    return Case.objects.create(
        federation=section.event.federation,
        region=section.event.region,
        section=section,
        email="parent@example.org",
        state=Case.State.OPEN,
        reported_at=timezone.now(),
        opened_on=date(2024, 3, 2),
        due=date(2024, 3, 16),
    )


def archived(section: Section, by: User) -> Archive:
    """A ZIP that was read, with a file that is nobody's yet."""
    event = section.event
    archive = Archive.objects.create(
        federation=event.federation,
        event=event,
        by=by,
        at=timezone.now(),
        on=date(2024, 3, 2),
        name="open.zip",
        size=2,
        sha256=f"{event.pk:064}",
        content=b"PK",
        state=Archive.State.READ,
    )
    archive.files.create(number=1, name="a.trf", size=3, content=b"012", seen=True, players=2)
    return archive


def digest() -> str:
    """Of every row that there is, but for sessions."""
    seen = hashlib.sha256()
    for model in apps.get_models():
        if model is not Session:
            seen.update(
                repr([model._meta.db_table, *model._base_manager.order_by("pk").values_list()]).encode()
            )
    return seen.hexdigest()


def cases() -> Iterator[tuple[str, str, str]]:
    """Every address, person and place; but once for what is the same in both regions or for all."""
    for name, (allowed, thing) in MATRIX.items():
        people = PEOPLE[:2] if allowed is PUBLIC else PEOPLE
        places = PLACES if thing in REGIONAL else ("gauteng", "elsewhere")
        for person, place in product(people, places):
            yield name, person, place


def named_addresses() -> Iterator[str]:
    for app in ("players", "tournaments", "ratings"):
        [resolver] = [each for each in get_resolver().url_patterns if getattr(each, "app_name", "") == app]
        for _path, pattern in views_of([resolver]):
            yield f"{app}:{pattern.name}"


def test_the_matrix_names_every_address() -> None:
    assert sorted(named_addresses()) == sorted(MATRIX)


def test_each_address_lets_in_whom_it_should_and_looking_writes_nothing(world: World) -> None:
    browsers = {person: world.browser(person) for person in PEOPLE}
    before, wrong = digest(), []
    for name, person, place in cases():
        answer = browsers[person].get(world.address(name, place))
        answer.getvalue()  # a file is open until it is read
        allowed, thing = MATRIX[name]
        lets_in = person in allowed[place] and thing != "no_file"
        if not as_it_should(person, lets_in, answer):
            wrong.append((name, person, place, answer.status_code))
    assert wrong == []
    assert digest() == before


def as_it_should(person: str, allowed: bool, answer: Any) -> bool:
    """405: a thing to be done, not to be looked at; 302: a page that leads on to where the section stands."""
    asks_to_sign_in = answer.status_code == 302 and answer.headers["Location"].startswith("/accounts/login/")
    if allowed:
        return answer.status_code in (200, 204, 286, 302, 405) and not asks_to_sign_in
    return asks_to_sign_in if person == "anonymous" else answer.status_code in (403, 404, 405)


def test_nobody_does_what_is_not_theirs_to_do(world: World) -> None:
    browsers = {person: world.browser(person) for person in PEOPLE}
    before, wrong = digest(), []
    for name, person, place in cases():
        allowed, _thing = MATRIX[name]
        if person in allowed[place] and allowed is not PUBLIC:
            continue
        answer = browsers[person].post(world.address(name, place), FORM)
        answer.getvalue()  # a file is open until it is read
        if allowed is not PUBLIC and not as_it_should(person, False, answer):
            wrong.append((name, person, place, answer.status_code))
    assert wrong == []
    assert digest() == before


def test_a_form_of_another_site_does_nothing(world: World) -> None:
    browsers = {person: world.browser(person, enforce_csrf_checks=True) for person in PEOPLE}
    before = digest()
    for name, (allowed, _thing) in MATRIX.items():
        if allowed is not PUBLIC:
            for person in allowed["gauteng"]:
                answer = browsers[person].post(world.address(name, "gauteng"), FORM)
                answer.getvalue()  # a file is open until it is read
                assert answer.status_code in (403, 405), (name, person)
    assert digest() == before


def test_pages_with_private_things_are_kept_by_nobody(world: World) -> None:
    for name, (allowed, _thing) in MATRIX.items():
        if allowed is not PUBLIC:
            [person, *_others] = sorted(allowed["gauteng"])
            answer = world.browser(person).get(world.address(name, "gauteng"))
            answer.getvalue()  # a file is open until it is read
            kept = answer.headers.get("Cache-Control", "")
            assert answer.status_code in (404, 405) or "no-store" in kept, name


def asks_again(answer: Any) -> bool:
    return bool(answer.headers.get("Location", "").startswith("/accounts/reauthenticate/"))


def test_a_session_of_an_hour_asks_again_where_something_cannot_be_taken_back_and_nowhere_else(
    world: World,
) -> None:
    people = {person: world.browser(person) for person in PEOPLE}
    asked = set()
    with time_machine.travel(datetime.now(UTC) + timedelta(hours=1), tick=False):
        for name, (allowed, _thing) in MATRIX.items():
            if allowed is not PUBLIC:
                person = min(allowed["gauteng"])
                answer = people[person].get(world.address(name, "gauteng"))
                answer.getvalue()  # a file is open until it is read
                asked |= {name} if asks_again(answer) else set()
        sent = {name: people[min(MATRIX[name][0]["gauteng"])] for name in ASKING_AGAIN}
        for name, browser in sent.items():
            assert asks_again(browser.post(world.address(name, "gauteng"), FORM)), name
    assert asked == ASKING_AGAIN


def test_an_office_that_asks_for_a_second_factor_opens_no_page_of_its_own_without(world: World) -> None:
    Federation.objects.update(settings={"second_factor": True})
    people = {person: world.browser(person) for person in PEOPLE}
    for name, (allowed, _thing) in MATRIX.items():
        if allowed is not PUBLIC:
            person = min(allowed["gauteng"])
            answer = people[person].post(world.address(name, "gauteng"), FORM)
            answer.getvalue()  # a file is open until it is read
            assert answer.headers.get("Location") == "/accounts/2fa/", name


# ---------------------------------------------------------------- somebody else's things named in a form


def test_an_event_is_not_registered_for_another_region(world: World, csa: Federation) -> None:
    theirs = csa.regions.get(code="WCA")
    form = {"name": "Cape Open", "region": theirs.pk, "starts": "2026-05-01", "ends": "2026-05-02"}
    sections = {"form-TOTAL_FORMS": 1, "form-INITIAL_FORMS": 0, "form-0-name": "A", "form-0-format": "swiss"}
    amahle = world.browser("amahle")
    before = digest()
    answer = amahle.post("/csa/events/register/", {**form, **sections})
    assert answer.status_code == 400
    assert digest() == before


def test_an_entry_is_not_matched_with_another_offices_player(world: World) -> None:
    theirs = Player.objects.filter(federation__code="other")[0]
    section = Section.objects.get(event__number="2024-010", event__federation__code="csa")
    Entry.objects.filter(section=section, number=1).update(player=None, match=Entry.Match.DOUBTFUL)
    answer = world.browser("amahle").post(
        reverse("tournaments:decide_players", args=["csa", "2024-010", "A"]),
        {"version": section.version, "player-1": theirs.pk},
    )
    assert answer.status_code == 404
    assert Entry.objects.get(section=section, number=1).player is None


def test_a_reason_given_for_another_sections_finding_waives_nothing(world: World) -> None:
    theirs = Section.objects.get(event__number="2024-020")
    finding = Finding.objects.create(
        section=theirs, source="rules", level="waivable", key="too-few", clause="17"
    )
    world.browser("amahle").post(
        reverse("tournaments:submit", args=["csa", "2024-010", "A"]),
        {"version": 0, f"reason-{finding.pk}": "mine"},
    )
    finding.refresh_from_db()
    assert finding.waived_because == ""


def test_an_office_appoints_to_its_own_regions_only(world: World) -> None:
    theirs = Region.objects.get(code="ELS")
    thandi = world.browser("thandi")
    before = digest()
    answer = thandi.post(
        "/csa/people/appoint/",
        {
            "email": "x@example.org",
            "name": "X",
            "role": "regional",
            "region": theirs.pk,
            "starts": "2026-01-01",
        },
    )
    assert answer.status_code == 400
    assert digest() == before


def test_a_section_is_found_under_its_own_event_and_office_only(world: World) -> None:
    nomsa = world.browser("nomsa")
    assert nomsa.get("/csa/events/2024-011/A/review/").status_code == 200
    assert nomsa.get("/csa/events/2024-031/A/review/").status_code == 404  # stands elsewhere
    assert nomsa.get("/csa/events/2024-011/B/review/").status_code == 404
    assert Event.objects.filter(number="2024-031", federation__code="other").exists()


def test_the_record_cannot_be_searched_for_another_offices_people(world: World) -> None:
    zanele = world.people["zanele"]
    assert "Zanele" not in world.browser("nomsa").get(f"/csa/record/?by={zanele.pk}").content.decode()


def test_fields_that_no_form_has_change_nothing(world: World, client_of: Callable[[User], Client]) -> None:
    """Mass assignment: names of columns, posted beside a proper form, stay unread."""
    extra = {"ruleset_slug": "evil", "demo": "1", "code": "evil", "accent": "6", "next_player_number": "1"}
    world.browser("thandi").post("/csa/settings/", {"births": "none", **extra})
    office = Federation.objects.get(code="csa")
    assert (office.settings["births"], office.ruleset_slug, office.demo, office.accent) == (
        "none",
        "csa",
        False,
        1,
    )
