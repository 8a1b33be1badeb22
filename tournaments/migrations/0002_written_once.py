from django.db import migrations

from players.record import freeze


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0001_form_3'),
        ('players', '0002_what_decisions_hold'),
    ]

    operations = [
        freeze("tournaments_correction", "tournaments_remark"),
    ]
