from django.db import migrations

from players.office.write_once_triggers import freeze


class Migration(migrations.Migration):
    dependencies = [("players", "0006_hold_after_a_restore")]
    operations = [freeze("players_decision", "players_decisionwords", "players_sealedname")]
