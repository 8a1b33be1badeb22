from django.db import migrations

from players.office.write_once_triggers import freeze


class Migration(migrations.Migration):
    dependencies = [("players", "0001_form_2")]
    operations = [freeze("players_decision", "players_decisionwords")]
