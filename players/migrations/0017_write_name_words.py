"""The words of the names that are there."""

from __future__ import annotations

from typing import Any

from django.db import migrations

from players.register.name_search import keys_of_name
from ratings.storage.bulk_writing import batches


def write_words(apps: Any, _schema_editor: Any) -> None:
    player, former, word = (apps.get_model("players", name) for name in ("Player", "FormerName", "NameWord"))
    names = player.objects.order_by("pk").values_list("pk", "surname", "first_name").iterator()
    rows = ((number, None, given) for number, *given in names)
    old_names = former.objects.order_by("pk").values_list("player", "pk", "surname", "first_name").iterator()
    old = ((number, name, given) for number, name, *given in old_names)
    for each in (rows, old):
        for some in batches(each, 1000):
            word.objects.bulk_create(
                word(player_id=number, former_id=name, key=key)
                for number, name, given in some
                for key in sorted(keys_of_name(*given))
            )


class Migration(migrations.Migration):
    dependencies = [("players", "0016_name_words")]

    operations = [migrations.RunPython(write_words, migrations.RunPython.noop)]
