"""Names came to be folded otherwise (Greek, Serbian, Ukrainian letters …): their keys follow."""

from typing import Any

from django.db import migrations

from players.names import fold

BATCH = 2_000


def refold(apps: Any, schema_editor: Any) -> None:
    players = apps.get_model("players", "Player").objects
    stale = []
    for player in players.only("pk", "surname", "name_key").order_by("pk").iterator(chunk_size=BATCH):
        key = fold(player.surname)
        if key != player.name_key:
            player.name_key = key
            stale.append(player)
    players.bulk_update(stale, ["name_key"], batch_size=BATCH)


class Migration(migrations.Migration):
    dependencies = [("players", "0003_end_sessions")]

    operations = [migrations.RunPython(refold, migrations.RunPython.noop)]
