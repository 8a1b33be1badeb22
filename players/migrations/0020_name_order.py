"""A column for the place of each name in the order of its office's language."""

from __future__ import annotations

from django.db import migrations, models

import players.register.folded_name_field


class Migration(migrations.Migration):
    dependencies = [("players", "0019_handovers")]

    operations = [
        migrations.AddField(
            model_name="player",
            name="sort_key",
            field=players.register.folded_name_field.NameOrderField(),
        ),
        migrations.AlterModelOptions(name="player", options={"ordering": ("sort_key", "number")}),
        migrations.RemoveIndex(model_name="player", name="players_pla_federat_43a2b6_idx"),
        migrations.AddIndex(
            model_name="player",
            index=models.Index(fields=["federation", "sort_key", "number"], name="players_by_name"),
        ),
    ]
