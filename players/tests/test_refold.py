"""Keys of names that were folded by an older rule."""

from __future__ import annotations

from importlib import import_module

import pytest
from django.apps import apps

from players.models import Federation, Player


@pytest.mark.django_db
def test_names_folded_by_an_older_rule_are_found_again() -> None:
    office = Federation.objects.create(code="fso", name="Any", ruleset_slug="csa")
    for number, (surname, key) in enumerate([("Παπαδόπουλος", ""), ("Ђоковић", "ok"), ("Botha", "botha")]):
        Player.objects.create(federation=office, number=str(number), surname=surname, name_key=key)
    import_module("players.migrations.0004_refold_names").refold(apps, None)
    keys = list(Player.objects.order_by("number").values_list("name_key", flat=True))
    assert keys == ["papadopoulos", "djokovic", "botha"]
