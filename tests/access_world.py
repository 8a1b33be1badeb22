"""The world in which the access matrix is tried: an office with something in every stage, and another."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from django.apps import apps
from django.conf import settings, urls
from django.contrib.sessions.models import Session
from django.http import HttpResponseForbidden, HttpResponseNotFound
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from conftest import appointed
from federation_site import middleware
from players.models import (
    Appointment,
    Federation,
    FilingKey,
    Ledger,
    Player,
    ProofFile,
    Region,
    RegisterImport,
    Role,
    Transfer,
    User,
)
from players.record import decide
from players.settings import today
from players.writing import page_cache
from ratings.approval import unrate
from ratings.dumps import build_dump
from ratings.models import Change, RatingList
from ratings.program import get_current_program
from ratings.signing import sign_due_checkpoints
from ratings.tests.office import approved, published, recompute_all, register, submitted
from tournaments.models import (
    Appeal,
    Archive,
    Case,
    History,
    MendingProposal,
    PermissionRequest,
    Section,
    Stage,
    Upload,
)

FORM = {
    "version": 0,
    "reason": "mine",
    "typed": "2024-05-01",
    "on": "2024-05-01",
    "player": "new",
    "entry": "1",
}
"""What is posted to every address: fields that would do something if only they were read."""


SENT = urlencode(FORM)


@dataclass(frozen=True, slots=True)
class World:
    """An office with something in every stage, and another office."""

    things: dict[str, dict[str, tuple[Any, ...]]]
    """By place and by name: the arguments of an address."""
    people: dict[str, User]
    sessions: dict[str, str]
    """By person: the key of a session that is signed in."""
    thing_of: Mapping[str, str]
    """By the name of an address: which of the things fills it in."""

    def address(self, name: str, place: str) -> str:
        return reverse(name, args=self.things[place][self.thing_of[name]])

    def browser(self, person: str, **options: Any) -> Client:
        client = Client(raise_request_exception=True, **options)
        if person != "anonymous":
            client.cookies[settings.SESSION_COOKIE_NAME] = self.sessions[person]
        return client


def build_world(thing_of: Mapping[str, str]) -> World:
    page_cache.clear()
    csa, other = an_office("csa", "GAU", "WCA"), an_office("other", "ELS", "FAR")
    gauteng, western_cape = csa.regions.get(code="GAU"), csa.regions.get(code="WCA")
    region = other.regions.get(code="ELS")
    people = {
        "lerato": User.objects.create_user("lerato@example.org", "a long pass phrase", name="Lerato"),
        "kagiso": until_yesterday(csa),
        "amahle": appointed("Amahle", csa, Role.REGIONAL, gauteng),
        "pieter": appointed("Pieter", csa, Role.REGIONAL, western_cape),
        "nomsa": appointed("Nomsa", csa, Role.OFFICIAL),
        "thandi": appointed("Thandi", csa, Role.ADMINISTRATOR),
        "els": appointed("Els", other, Role.REGIONAL, region),
        "zanele": appointed("Zanele", other, Role.OFFICIAL),
        "sipho": appointed("Sipho", other, Role.ADMINISTRATOR),
    }
    places = {
        "gauteng": (csa, gauteng, people["amahle"]),
        "western cape": (csa, western_cape, people["pieter"]),
        "elsewhere": (other, region, people["els"]),
    }
    here, there = rated_office(csa), rated_office(other)
    things = {
        place: {**(there if office == other else here), **filed(office, region, by, first=10 * number)}
        for number, (place, (office, region, by)) in enumerate(places.items(), start=1)
    }
    for office in (csa, other):
        build_dump(office, timezone.now())
    return World(things, people, {name: signed_in(user) for name, user in people.items()}, thing_of)


def an_office(code: str, *regions: str) -> Federation:
    """An office with regions and nothing filed."""
    office = Federation.objects.create(code=code, name=f"Office {code}", ruleset_slug="csa")
    for region in regions:
        Region.objects.create(federation=office, code=region, name=f"Region {region}")
    Ledger.objects.create(federation=office)
    return office


def signed_in(user: User) -> str:
    """The key of a new session of that person."""
    client = Client()
    client.force_login(user)
    return str(client.session.session_key)


def until_yesterday(office: Federation) -> User:
    """Somebody who served in every way there is, and whose last day was yesterday."""
    user = appointed("Kagiso", office, Role.REGIONAL, office.regions.get(code="GAU"))
    for role in (Role.OFFICIAL, Role.ADMINISTRATOR):
        Appointment.objects.create(
            user=user, role=role, federation=office, starts=date(2020, 7, 1), name=user.name
        )
    user.appointments.update(ends=today(office) - timedelta(days=1))
    return user


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
    [signed] = sign_due_checkpoints(office, at=timezone.now())
    change = Change.objects.filter(player=players[0]).select_related("fact").order_by("pk")[0]
    label, track = rating_list.label, rating_list.track
    table = RegisterImport.objects.create(
        federation=office, at=timezone.now(), on=date(2024, 4, 1), name="a.csv", size=0, state="planned"
    )
    RegisterImport.objects.filter(pk=table.pk).update(
        counts={"new": 1, "changed": 0, "unchanged": 0, "problem": 0}
    )
    history = History.objects.create(
        federation=office, at=timezone.now(), on=date(2024, 4, 1), name="a.zip", size=0, state="checked"
    )
    return {
        "import": (office.code, table.pk),
        "history": (office.code, history.pk),
        "nothing": (),
        "no_page": (),
        "no_contact": (),
        "letters": (),
        "letter": ("no-such-letter",),
        "program": (get_current_program().name,),
        "no_file": (office.code, "no-such-file.trf"),
        "office": (office.code,),
        "no_operation": ("offices/",),
        "changes": (office.code, players[0].number, change.track),
        "sitemap_part": (office.code, "players"),
        "tile": (office.code, f"0/000.p/{signed.size}"),
        "suffix": (office.code, "csv"),
        "erratum": (office.code, taken_back(office, players)),
        "list_day": (office.code, "2024-04-01"),
        "new_on_list": (office.code, "otb-standard", "new"),
        "differences": (office.code, label, track, 2),
        "example": (office.code, "2-performance"),
        "label": (office.code, label),
        "page": (office.code, "performances"),
        "table": (office.code, "performances", "performances"),
        "events_file": (office.code, "csv"),
        "list": (office.code, label, track),
        "latest": (office.code, track),
        "latest_file": (office.code, track, *download_of(office)),
        "revision": (office.code, label, track, 1),
        "download": (office.code, label, track, 1, *download_of(office)),
        "no_extract": (office.code, players[0].number, "made-up"),
        "year": (office.code, int(label[:4])),
        "region_page": (office.code, office.regions.order_by("code")[0].code),
        "against": (office.code, players[0].number, players[1].number),
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
    """A region's things: a section filed, one submitted with its file, one rated, a player, a transfer …"""
    players = list(Player.objects.filter(federation=office).order_by("number"))
    own = players[first // 10]
    Player.objects.filter(pk=own.pk).update(region=region)
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
        "filing_key": (office.code, region.code, keyed(region, by).pk),
        "player": (office.code, own.number),
        "transfer": (office.code, transferred(players[-first // 10], region).pk),
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
        "section_file": (*keys[Stage.RATED], "standings", "csv"),
        "proof": (office.code, proved(region, players[0], by).pk),
        "proposed": proposed(sections[Stage.SUBMITTED], by),
        "appointment": (office.code, Appointment.objects.get(user=by, federation=office).pk),
    }


def keyed(region: Region, by: User) -> FilingKey:
    """A key with which a program files for a region."""
    appointment = by.appointments.get(region=region)
    return FilingKey.objects.create(
        appointment=appointment, region=region, name="club", digest=region.code, made_on=date(2024, 3, 1)
    )


def transferred(player: Player, giving: Region) -> Transfer:
    """A transfer of a player that another region asks for."""
    Player.objects.filter(pk=player.pk).update(region=giving)
    office = player.federation
    taking = office.regions.exclude(pk=giving.pk)[0]
    return Transfer.objects.create(
        federation=office, player=player, giving=giving, taking=taking, asked_on=date(2024, 4, 1)
    )


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


# ---------------------------------------------------------------- asking


def digest() -> str:
    """Of every row that there is, but for sessions."""
    seen = hashlib.sha256()
    for model in apps.get_models():
        if model is not Session:
            seen.update(
                repr([model._meta.db_table, *model._base_manager.order_by("pk").values_list()]).encode()
            )
    return seen.hexdigest()


def asked(browser: Client, method: str, address: str) -> Any:
    sent = "" if method in ("GET", "HEAD") else SENT
    answer = browser.generic(method, address, sent, "application/x-www-form-urlencoded")
    answer.getvalue()  # a file is open until it is read
    return answer


def asks_to_sign_in(answer: Any) -> bool:
    return bool(answer.headers.get("Location", "").startswith("/accounts/login/"))


@contextmanager
def short_refusals_of(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Refusals without their pages and lines in the log, and forms without a look for migrations: these have
    tests of their own, and thousands are asked for here.
    """
    monkeypatch.setattr(urls, "handler403", lambda *_args, **_named: HttpResponseForbidden())
    monkeypatch.setattr(urls, "handler404", lambda *_args, **_named: HttpResponseNotFound())
    monkeypatch.setattr(middleware, "migrations_pending", lambda: False)
    logging.disable(logging.WARNING)
    yield
    logging.disable(logging.NOTSET)
