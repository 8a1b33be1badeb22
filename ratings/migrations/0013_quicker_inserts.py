from django.db import migrations

from players.office.write_once_triggers import freeze


class Migration(migrations.Migration):
    """SQLite undoes nothing where a guard refuses a row, so that it need not write down how."""

    dependencies = [("ratings", "0001_squashed_0012_order_of_list_rows")]
    operations = [
        freeze(
            "ratings_fact",
            "ratings_statedpre",
            "ratings_ratinglist",
            "ratings_listrow",
            "ratings_programfile",
            "ratings_erratum",
            "ratings_correctedrating",
            "ratings_hintanswer",
            "ratings_pastchange",
            "ratings_pastwide",
            "ratings_logkey",
            "ratings_checkpoint",
            "ratings_cosignature",
            "ratings_treetile",
        ),
    ]
