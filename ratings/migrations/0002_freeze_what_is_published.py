from django.db import migrations

from players.office.write_once_triggers import freeze


class Migration(migrations.Migration):
    dependencies = [("ratings", "0001_form_2")]
    operations = [
        freeze(
            "ratings_fact",
            "ratings_ratinglist",
            "ratings_listrow",
            "ratings_programfile",
            "ratings_erratum",
            "ratings_correctedrating",
            "ratings_logkey",
            "ratings_checkpoint",
            "ratings_cosignature",
            "ratings_treetile",
        )
    ]
