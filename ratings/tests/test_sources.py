"""Each stored column has a source that `verify` holds it against, or the reason why it needs none."""

from __future__ import annotations

from collections import Counter

import pytest
from django.apps import apps
from django.db import models

from players.held import Sources
from ratings.sources import SOURCES

APPS = ("players", "tournaments", "ratings", "federation_site")
TABLES = [each for app in APPS for each in apps.get_app_config(app).get_models(include_auto_created=True)]


def test_each_table_has_its_sources() -> None:
    assert set(SOURCES) == {each._meta.label for each in TABLES}


@pytest.mark.parametrize("model", TABLES, ids=lambda model: model._meta.label)
def test_each_column_has_one_source_or_the_reason_why_it_needs_none(model: type[models.Model]) -> None:
    sources: Sources = SOURCES[model._meta.label]
    named = Counter(sources.held_columns)
    for columns in (*sources.checked, *sources.needless):
        named.update(columns.split())
    stored = {each.name for each in model._meta.local_concrete_fields if not each.primary_key}
    assert named == Counter(stored)
