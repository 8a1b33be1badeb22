from dataclasses import replace
from types import ModuleType

import pytest
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, URLResolver, include, path
from pytest_django import Settings

from federation_site import watch
from federation_site.checks import (
    check_event_file_readers,
    check_view_permissions,
)
from ratings.rulesets.pfo import RULESET as PFO
from ratings.rulesets.profile import equipment_of
from ratings.rulesets.ruleset import Ruleset

pytestmark = pytest.mark.servers


def silent(request: HttpRequest) -> HttpResponse:
    return HttpResponse()


def declared(request: HttpRequest) -> HttpResponse:
    return HttpResponse()


declared.permission = "events:approve"  # type: ignore[attr-defined]


def findings(settings: Settings, *patterns: URLPattern | URLResolver) -> list[str]:
    urls = ModuleType("urls")
    urls.urlpatterns = list(patterns)  # type: ignore[attr-defined]
    settings.ROOT_URLCONF = urls
    return [f"{finding.id}: {finding.msg}" for finding in check_view_permissions()]


def test_a_view_that_declares_no_permission_fails_the_check_by_name(settings: Settings) -> None:
    (finding,) = findings(settings, path("events/", declared), path("secrets/", silent))
    assert finding.startswith("federation_site.E001")
    assert "test_checks.silent at “secrets/”" in finding


def test_views_that_declare_their_permission_pass(settings: Settings) -> None:
    assert findings(settings, path("events/", declared)) == []


def test_a_silent_view_is_found_however_deeply_it_is_included(settings: Settings) -> None:
    inner = [path("deep/", silent)]
    (finding,) = findings(settings, path("a/", include([path("b/", include(inner))])))
    assert "“a/b/deep/”" in finding


def test_sign_in_and_health_are_the_only_views_that_need_no_declaration(settings: Settings) -> None:
    assert findings(settings, path("accounts/", include("allauth.account.urls"))) == []
    assert findings(settings, path("healthz", watch.healthz), path("readyz", watch.readyz)) == []


def test_the_machinery_of_another_package_gets_no_free_pass(settings: Settings) -> None:
    silent.__module__, before = "allauth.elsewhere.views", silent.__module__
    try:
        assert len(findings(settings, path("x/", silent))) == 1
    finally:
        silent.__module__ = before


def test_every_page_of_this_site_declares_its_permission() -> None:
    assert check_view_permissions() == []


def reading(monkeypatch: pytest.MonkeyPatch, *codes: str) -> list[str]:
    """What the check says if the Polish Othello Federation names these kinds of files."""
    own = equipment_of(PFO)
    named = replace(own, office=replace(own.office, files=codes))

    def equipment(ruleset: Ruleset) -> object:
        return named if ruleset is PFO else equipment_of(ruleset)

    monkeypatch.setattr("tournaments.filing.equipment_of", equipment)
    return [f"{finding.id}: {finding.msg}" for finding in check_event_file_readers()]


def test_a_kind_of_files_that_no_reader_has_fails_the_check_with_its_office(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert reading(monkeypatch, "elo", "ello") == [
        "federation_site.E007: ratings/rulesets/pfo/profile.py names event files of the kind “ello”, "
        "which no reader has."
    ]


def test_an_office_may_name_any_kind_that_a_reader_has_or_none(monkeypatch: pytest.MonkeyPatch) -> None:
    assert reading(monkeypatch, "elo", "cross-table") == []
    assert reading(monkeypatch) == []


def test_the_plain_table_is_read_by_all_and_named_by_no_office(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(reading(monkeypatch, "table")) == 1


def test_every_office_names_kinds_of_files_that_readers_have() -> None:
    assert check_event_file_readers() == []
