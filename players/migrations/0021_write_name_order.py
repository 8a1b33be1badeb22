"""The places of the names that are there, in the order of their offices' languages."""

from __future__ import annotations

from typing import Any

from django.db import migrations

from players.languages.name_order import sort_key
from ratings.equipment.find_equipment import equipment_of
from ratings.rulesets import rulesets
from ratings.storage.bulk_writing import batches

WRITE = "UPDATE players_player SET sort_key = %s WHERE id = %s"


def write_order(apps: Any, schema_editor: Any) -> None:
    federation, player = (apps.get_model("players", name) for name in ("Federation", "Player"))
    for office in federation.objects.all():
        ruleset = rulesets().get(office.ruleset_slug)
        language = equipment_of(ruleset).office.language if ruleset else ""
        names = player.objects.filter(federation=office).order_by("pk").values_list("pk", "surname", "first_name")
        for some in batches(names.iterator(), 2000):
            keys = [(sort_key(surname, first_name, language), pk) for pk, surname, first_name in some]
            with schema_editor.connection.cursor() as cursor:
                cursor.executemany(WRITE, keys)


class Migration(migrations.Migration):
    dependencies = [("players", "0020_name_order")]

    operations = [migrations.RunPython(write_order, migrations.RunPython.noop)]
