"""Fixtures that are built once: each test has the same rows, objects of its own, nothing of another test."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.core import mail
from django.db import connection, transaction

from players.models import Federation, Region
from tests.built_once import begin_test, built_once

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(connection.vendor != "sqlite", reason="a sequence of PostgreSQL is not set back"),
]
runs: list[str] = []


@built_once
def office() -> Federation:
    runs.append("office")
    return Federation.objects.create(code="csa", name="Chess South Africa", ruleset_slug="csa")


@built_once
def region(office: Federation) -> Region:
    runs.append("region")
    mail.EmailMessage("A region is here", to=["nomsa@csa.example"]).send()
    office.name = "Renamed"
    office.save()
    return Region.objects.create(federation=office, code="GAU", name="Gauteng")


@pytest.fixture(autouse=True)
def nothing_ran() -> None:
    runs.clear()


@contextmanager
def another_test() -> Iterator[None]:
    """What is written meanwhile is taken back, as after each test."""
    begin_test()
    mail.outbox.clear()
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def test_the_second_test_gets_the_rows_letters_and_shared_objects_of_the_first_without_a_second_run() -> None:
    kept = []
    for _test in range(2):
        with another_test():
            here = region(office=(known := office()))
            assert here.federation is known
            assert known.name == "Renamed" == Federation.objects.get(pk=known.pk).name
            kept.append((known.pk, here.pk, Region.objects.get().name, len(mail.outbox)))
            here.name = "Changed by the test"
            here.save()
    assert kept[0] == kept[1]
    assert kept[0][2:] == ("Gauteng", 1)
    assert runs == ["office", "region"]


def test_where_somebody_else_wrote_before_it_is_built_anew_each_time() -> None:
    for _test in range(2):
        with another_test():
            Federation.objects.create(code="pfo", name="Othello", ruleset_slug="pfo")
            assert office().code == "csa"
    assert runs == ["office", "office"]
