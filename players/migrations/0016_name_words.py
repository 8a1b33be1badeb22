"""Words of names, by which a search finds players."""

from __future__ import annotations

import django.db.models.deletion
from django.db import migrations, models

import players.register.key_beginnings


class Migration(migrations.Migration):
    dependencies = [("players", "0015_proof_files")]

    operations = [
        migrations.CreateModel(
            name="NameWord",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", players.register.key_beginnings.KeyField(max_length=40)),
                (
                    "former",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="words",
                        to="players.formername",
                    ),
                ),
                (
                    "player",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="name_words",
                        to="players.player",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        fields=["key", "player"],
                        name="players_by_a_names_word",
                        opclasses=["varchar_pattern_ops", ""],
                    )
                ]
            },
        ),
    ]
