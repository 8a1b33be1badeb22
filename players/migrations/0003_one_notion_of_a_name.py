"""Writes anew the keys by which names are found, since another rule says which names sound alike, and reads words
of letters of two alphabets.
"""

from itertools import islice

from django.db import migrations

from players.names import fold, fold_and_join_words, keys_of_name

AT_ONCE = 2_000


def write_keys(apps, schema_editor):
    words = apps.get_model("players", "NameWord")
    words.objects.all().delete()
    for kind, owner in (("Player", "pk"), ("FormerName", "player_id")):
        names = apps.get_model("players", kind).objects
        columns = ("pk", owner, "surname", "first_name", "name_key", "first_name_key")
        rows = names.order_by("pk").values_list(*columns).iterator()
        while some := list(islice(rows, AT_ONCE)):
            words.objects.bulk_create(
                words(player_id=player, former_id=None if owner == "pk" else pk, key=key)
                for pk, player, surname, first_name, *_keys in some
                for key in sorted(keys_of_name(surname, first_name))
            )
            for pk, _player, surname, first_name, *before in some:
                keys = [fold(surname), fold_and_join_words(first_name)]
                if keys != before:
                    names.filter(pk=pk).update(name_key=keys[0], first_name_key=keys[1])


class Migration(migrations.Migration):
    dependencies = [("players", "0002_what_decisions_hold")]

    operations = [migrations.RunPython(write_keys, migrations.RunPython.noop)]
