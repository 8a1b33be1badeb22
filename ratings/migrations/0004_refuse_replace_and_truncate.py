from django.db import migrations

from players.office.write_once_triggers import freeze


class Migration(migrations.Migration):
    dependencies = [
        ("ratings", "0003_give_register_imports_to_players"),
        ("players", "0007_refuse_replace_and_truncate"),
    ]
    operations = [
        freeze(
            "ratings_fact",
            "ratings_statedpre",
            "ratings_ratinglist",
            "ratings_listrow",
            "ratings_programfile",
            "ratings_erratum",
            "ratings_correctedrating",
            "ratings_pastchange",
            "ratings_pastwide",
            "ratings_logkey",
            "ratings_checkpoint",
            "ratings_cosignature",
            "ratings_treetile",
        )
    ]
