from django.db import migrations

from players.office.write_once_triggers import freeze


class Migration(migrations.Migration):
    """SQLite undoes nothing where a guard refuses a row, so that it need not write down how."""

    dependencies = [("players", "0001_squashed_0023_opening_ratings")]
    operations = [
        freeze(
            "players_decision",
            "players_decisionwords",
            "players_sealedname",
        ),
    ]
