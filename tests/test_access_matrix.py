"""Who may see and do what: every address, every role, own and other regions, another federation.

The lists here are the only permission there is: an address that they do not name fails, and so does one that
lets somebody in whom they do not name, or writes when it is only looked at (`test_access_by_looking`,
`test_access_by_forms`).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest
from django.db import transaction
from django.test import override_settings
from django.urls import URLPattern, URLResolver, get_resolver, include, path

from federation_site.checks import EXEMPT_MODULES
from federation_site.public_files import robots
from tests.access_world import World, asks_to_sign_in, build_world, short_refusals_of

PEOPLE = {
    "anonymous": "nobody signed in",
    "lerato": "signed in, without an appointment",
    "kagiso": "was region, official and administrator until yesterday",
    "amahle": "region of Gauteng",
    "pieter": "region of the Western Cape",
    "nomsa": "official",
    "thandi": "administrator",
    "els": "region elsewhere",
    "zanele": "official elsewhere",
    "sipho": "administrator elsewhere",
}
"""Who asks. Elsewhere is an office of its own, whose people are nobody here."""
PLACES = ("gauteng", "western cape", "elsewhere")

# Who is let in, by the place that the address speaks of.
PUBLIC = {place: set(PEOPLE) for place in PLACES}
ACCOUNTS = {place: set(PEOPLE) - {"anonymous"} for place in PLACES}
NOBODY: dict[str, set[str]] = {place: set() for place in PLACES}


def allowed(gauteng: str, western_cape: str, elsewhere: str) -> dict[str, set[str]]:
    return {
        "gauteng": set(gauteng.split()),
        "western cape": set(western_cape.split()),
        "elsewhere": set(elsewhere.split()),
    }


SIGNED_IN = allowed("amahle pieter nomsa thandi", "amahle pieter nomsa thandi", "els zanele sipho")
FILING = allowed("amahle nomsa", "pieter nomsa", "els zanele")
REGISTERING = allowed("amahle pieter nomsa", "amahle pieter nomsa", "els zanele")
OFFICIALS = allowed("nomsa", "nomsa", "zanele")
ADMINISTRATORS = allowed("thandi", "thandi", "sipho")
HANDING_OVER = allowed("amahle thandi", "pieter thandi", "els sipho")
READERS = allowed("amahle nomsa thandi", "pieter nomsa thandi", "els zanele sipho")

Allowed = dict[str, set[str]]
MATRIX: dict[str, tuple[Allowed, str]] = {
    # The name of the address, who is let in, and which of the world's things fill it in.
    "own_page": (ACCOUNTS, "nothing"),
    "mailbox": (ACCOUNTS, "letters"),
    "mailbox_letter": (ACCOUNTS, "letter"),
    "no_such_page": (PUBLIC, "no_page"),
    "operations": (NOBODY, "nothing"),
    "robots": (PUBLIC, "nothing"),
    "favicon": (PUBLIC, "nothing"),
    "choose_language": (PUBLIC, "nothing"),
    "security_txt": (PUBLIC, "no_contact"),
    "players:people": (ADMINISTRATORS, "office"),
    "players:appoint": (ADMINISTRATORS, "office"),
    "players:end": (ADMINISTRATORS, "appointment"),
    "players:last_day": (ADMINISTRATORS, "appointment"),
    "players:invitation": (ADMINISTRATORS, "appointment"),
    "players:filing_keys": (FILING, "region"),
    "players:end_filing_key": (FILING, "filing_key"),
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
    "ratings:register": (SIGNED_IN, "office"),
    "ratings:export_register": (SIGNED_IN, "suffix"),
    "ratings:receive_register": (OFFICIALS, "office"),
    "ratings:register_import": (OFFICIALS, "import"),
    "ratings:register_progress": (OFFICIALS, "import"),
    "ratings:openings": (OFFICIALS, "office"),
    "ratings:name_columns": (OFFICIALS, "import"),
    "ratings:confirm_register": (OFFICIALS, "import"),
    "ratings:discard_register": (OFFICIALS, "import"),
    "ratings:histories": (OFFICIALS, "office"),
    "ratings:history": (OFFICIALS, "history"),
    "ratings:history_progress": (OFFICIALS, "history"),
    "ratings:history_table": (OFFICIALS, "history"),
    "ratings:history_questions": (OFFICIALS, "history"),
    "ratings:history_everybody": (OFFICIALS, "history"),
    "ratings:history_people": (OFFICIALS, "history"),
    "ratings:amend_history": (OFFICIALS, "history"),
    "ratings:give_history_batch": (OFFICIALS, "history"),
    "ratings:take_out_history_batch": (OFFICIALS, "history"),
    "ratings:give_history_table": (OFFICIALS, "history"),
    "ratings:give_history_answers": (OFFICIALS, "history"),
    "ratings:confirm_history": (OFFICIALS, "history"),
    "ratings:discard_history": (OFFICIALS, "history"),
    "ratings:record_playoff": (OFFICIALS, "office"),
    "tournaments:register": (REGISTERING, "office"),
    "tournaments:table": (REGISTERING, "suffix"),
    "tournaments:check_file": (PUBLIC, "office"),
    "tournaments:event": (FILING, "event"),
    "tournaments:edit_event": (FILING, "event"),
    "tournaments:move_event": (OFFICIALS, "event"),
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
    "tournaments:move_file": (FILING, "filed"),
    "tournaments:take_file": (FILING, "submitted"),
    "tournaments:findings": (FILING, "filed"),
    "tournaments:details": (FILING, "filed"),
    "tournaments:players": (FILING, "filed"),
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
    "ratings:follow": (PUBLIC, "office"),
    "ratings:confirm_following": (PUBLIC, "office"),
    "ratings:end_following": (PUBLIC, "office"),
    "ratings:badge": (PUBLIC, "player"),
    "ratings:desk": (SIGNED_IN, "office"),
    "ratings:progress": (OFFICIALS, "office"),
    "ratings:approve_together": (OFFICIALS, "office"),
    "ratings:before_play": (OFFICIALS, "submitted"),
    "ratings:review": (OFFICIALS, "submitted"),
    "ratings:review_filed": (OFFICIALS, "submitted"),
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
    "ratings:outcome": (OFFICIALS, "rated"),
    "ratings:apply_rules": (OFFICIALS, "office"),
    "ratings:next_list": (OFFICIALS, "office"),
    "ratings:new_and_gone": (OFFICIALS, "new_on_list"),
    "ratings:list_calendar": (OFFICIALS, "office"),
    "ratings:publish": (OFFICIALS, "office"),
    "ratings:published": (OFFICIALS, "list_day"),
    "ratings:revise": (OFFICIALS, "list_day"),
    "ratings:revise_preview": (OFFICIALS, "list_day"),
    "ratings:list_differences": (PUBLIC, "differences"),
    "ratings:demo_file": (REGISTERING, "no_file"),
    "ratings:offices": (PUBLIC, "nothing"),
    "ratings:search_all_offices": (PUBLIC, "nothing"),
    "ratings:suggestions_of_all_offices": (PUBLIC, "nothing"),
    "ratings:suggestions": (PUBLIC, "office"),
    "ratings:sitemaps": (PUBLIC, "nothing"),
    "ratings:api_description": (PUBLIC, "nothing"),
    "ratings:api_offices": (PUBLIC, "nothing"),
    "ratings:api_office": (PUBLIC, "office"),
    "ratings:api_regulations": (PUBLIC, "office"),
    "ratings:api_players": (PUBLIC, "office"),
    "ratings:api_player": (PUBLIC, "player"),
    "ratings:api_ratings": (PUBLIC, "player"),
    "ratings:api_changes": (PUBLIC, "changes"),
    "ratings:api_working": (PUBLIC, "working"),
    "ratings:api_lists": (PUBLIC, "office"),
    "ratings:api_list": (PUBLIC, "list"),
    "ratings:api_rows": (PUBLIC, "list"),
    "ratings:api_events": (PUBLIC, "office"),
    "ratings:api_event": (PUBLIC, "event"),
    "ratings:api_section": (PUBLIC, "rated"),
    "ratings:api_file": (NOBODY, "filed"),
    "ratings:api_unknown": (PUBLIC, "no_operation"),
    "ratings:office_sitemaps": (PUBLIC, "office"),
    "ratings:sitemap_part": (PUBLIC, "sitemap_part"),
    "ratings:office": (PUBLIC, "office"),
    "ratings:lists": (PUBLIC, "office"),
    "ratings:latest": (PUBLIC, "office"),
    "ratings:latest_list": (PUBLIC, "latest"),
    "ratings:latest_file": (PUBLIC, "latest_file"),
    "ratings:list_day": (PUBLIC, "label"),
    "ratings:list": (PUBLIC, "list"),
    "ratings:list_revision": (PUBLIC, "revision"),
    "ratings:list_in_force": (PUBLIC, "office"),
    "ratings:list_print": (PUBLIC, "revision"),
    "ratings:compare_lists": (PUBLIC, "latest"),
    "ratings:list_content": (PUBLIC, "revision"),
    "ratings:list_download": (PUBLIC, "download"),
    "ratings:players": (PUBLIC, "office"),
    "ratings:player": (PUBLIC, "player"),
    "ratings:player_changes": (PUBLIC, "player"),
    "ratings:opponents": (PUBLIC, "player"),
    "ratings:player_picture": (PUBLIC, "player"),
    "ratings:list_picture": (PUBLIC, "revision"),
    "ratings:event_picture": (PUBLIC, "event"),
    "ratings:against": (PUBLIC, "against"),
    "ratings:records": (PUBLIC, "office"),
    "ratings:year": (PUBLIC, "year"),
    "ratings:player_records": (PUBLIC, "player"),
    "ratings:regions": (PUBLIC, "office"),
    "ratings:region": (PUBLIC, "region_page"),
    "ratings:what_if": (PUBLIC, "player"),
    "ratings:working": (PUBLIC, "working"),
    "ratings:extract": (PUBLIC, "player"),
    "ratings:extract_pdf": (PUBLIC, "player"),
    "ratings:check_extract": (PUBLIC, "no_extract"),
    "ratings:events": (PUBLIC, "office"),
    "ratings:events_file": (PUBLIC, "events_file"),
    "ratings:event": (PUBLIC, "event"),
    "ratings:section": (PUBLIC, "rated"),
    "ratings:section_file": (PUBLIC, "section_file"),
    "ratings:regulations": (PUBLIC, "office"),
    "ratings:example": (PUBLIC, "example"),
    "ratings:errata": (PUBLIC, "office"),
    "ratings:erratum": (PUBLIC, "erratum"),
    "ratings:events_calendar": (PUBLIC, "office"),
    "ratings:errata_feed": (PUBLIC, "office"),
    "ratings:lists_feed": (PUBLIC, "office"),
    "ratings:events_feed": (PUBLIC, "office"),
    "ratings:player_feed": (PUBLIC, "player"),
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
    "ratings:programs": (PUBLIC, "office"),
    "ratings:dump": (PUBLIC, "office"),
    "ratings:dump_file": (PUBLIC, "office"),
    "ratings:check": (PUBLIC, "office"),
    "ratings:about": (PUBLIC, "office"),
    "ratings:program": (PUBLIC, "program"),
    "ratings:program_checksum": (PUBLIC, "program"),
}

REGIONAL = {
    "filing_key",
    "appointment",
    "appeal",
    "archive",
    "case",
    "permission",
    "player",
    "region",
    "transfer",
    "event",
    "filed",
    "entry",
    "submitted",
    "preview",
    "proof",
    "proposed",
    "rated",
    "section_file",
}
"""Things of a region; the others are the same all over an office."""

ASKING_AGAIN = {
    "players:filing_keys",
    "players:end_filing_key",
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
}
"""Addresses that want more than an open session: what cannot simply be taken back."""

OF_NO_OFFICE = {"nothing", "no_page", "no_contact", "letters", "letter", "program"}
NOT_THERE = {"no_file", "no_operation", "no_page", "no_contact", "letters", "letter"}
"""What nobody finds: files that are not offered, the mailbox where not all is invented …"""

BY_KEY = {"ratings:api_file"}
"""Addresses for programs with a region's key: no session opens them."""

REPORTING = {
    *("ratings:report", "ratings:confirm_report", "ratings:follow_report"),
    *("ratings:follow", "ratings:confirm_following", "ratings:end_following"),
}
"""Public pages with a form that writes: everybody else's are looked at only."""


# ---------------------------------------------------------------- the world


def whole_world() -> World:
    """The world with everything that an address of the matrix wants."""
    return build_world({name: thing for name, (_allowed, thing) in MATRIX.items()})


@pytest.fixture(scope="module")
def standing(
    django_db_setup: None, django_db_blocker: Any, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[World, dict[str, Any]]]:
    """The world, made once for all tests of a module and taken back, with the folders that it needs."""
    folder = tmp_path_factory.mktemp("world")
    names = {"KEYS_DIR": "keys", "JOURNALS_DIR": "journals", "DUMPS_DIR": "dumps"}
    folders = {setting: folder / name for setting, name in names.items()}
    with django_db_blocker.unblock(), override_settings(**folders), transaction.atomic():
        yield whole_world(), folders
        transaction.set_rollback(True)


@pytest.fixture
def world(standing: tuple[World, dict[str, Any]], db: None, settings: Any) -> World:
    """The world of the module as it was made, whatever the tests before did to it."""
    made, folders = standing
    for name, folder in folders.items():
        setattr(settings, name, folder)
    return made


@pytest.fixture
def short_refusals(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with short_refusals_of(monkeypatch):
        yield


def cases() -> Iterator[tuple[str, str, str]]:
    """Every address, person and place; but once for what is the same in both regions or for all."""
    for name, (_allowed, thing) in MATRIX.items():
        for person, place in product(PEOPLE, places_of(thing)):
            yield name, person, place


def places_of(thing: str) -> tuple[str, ...]:
    if thing in OF_NO_OFFICE:
        return ("gauteng",)
    return PLACES if thing in REGIONAL else ("gauteng", "elsewhere")


def is_let_in(person: str, name: str, place: str) -> bool:
    return person in MATRIX[name][0][place]


def as_it_should(person: str, name: str, place: str, answer: Any) -> bool:
    """405: a thing to be done, not to be looked at; 302: a page that leads on to where the section stands."""
    status: int = answer.status_code
    if name in BY_KEY:
        return status in (401, 429)
    if not is_let_in(person, name, place):
        return asks_to_sign_in(answer) if person == "anonymous" else status in (403, 404, 405)
    if MATRIX[name][1] in NOT_THERE:
        return status == 404
    return status in (200, 204, 286, 302, 405) and not asks_to_sign_in(answer)


# ---------------------------------------------------------------- the lists are whole


def named_addresses(patterns: list[URLPattern | URLResolver], space: str = "") -> Iterator[str]:
    """The names of addresses, of those without any the paths; but for packages' own pages and the probes."""
    for each in patterns:
        if isinstance(each, URLResolver):
            yield from named_addresses(each.url_patterns, f"{each.app_name}:" if each.app_name else space)
        elif each.callback.__module__ not in EXEMPT_MODULES:
            yield space + (each.name or str(each.pattern))


def test_the_matrix_names_every_address() -> None:
    assert sorted(named_addresses(get_resolver().url_patterns)) == sorted(MATRIX)


@pytest.mark.parametrize("space", ["", "players", "ratings"])
def test_an_address_that_the_matrix_does_not_name_is_found(space: str) -> None:
    new = path("new/", robots, name="new")
    within = path("", include(([new], space))) if space else path("", include([new]))
    unnamed = path("accounts/unnamed/", robots)
    named = {*named_addresses([*get_resolver().url_patterns, within, unnamed])}
    assert named - MATRIX.keys() == {f"{space}:new".removeprefix(":"), "accounts/unnamed/"}


def test_what_belongs_to_a_region_is_told_from_what_is_the_same_all_over_an_office() -> None:
    assert {thing for _allowed, thing in MATRIX.values()} >= REGIONAL
    assert {"permission", "appeal", "transfer", "player"} <= REGIONAL
    for name, (allowed_, thing) in MATRIX.items():
        if thing not in REGIONAL | OF_NO_OFFICE:
            assert allowed_["gauteng"] == allowed_["western cape"], name
